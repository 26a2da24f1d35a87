// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes of jobs, as slurmctld hands them to a plugin.
#include "job_desc_setup.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_field_members.hpp"

#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <utility>

// In the namespace of UpdateParts: Boost.Test finds the operator by its argument.
namespace qg::model {

/// The numbers of the parts.
static std::ostream& operator<<(std::ostream& out, UpdateParts parts) {
    for (unsigned i = 0; i <= static_cast<unsigned>(UpdatePart::work_dir); ++i)
        if (parts.has(static_cast<UpdatePart>(i))) out << i << ' ';
    return out;
}

} // namespace qg::model

using namespace qg;
using namespace qg::slurm;
using model::JobRequest;
using test::submitter;
using test::unset_job;

BOOST_AUTO_TEST_SUITE(job_update)

BOOST_AUTO_TEST_CASE(an_update_replaces_what_it_sets_and_keeps_the_rest) {
    std::string small = "small", large = "large", account = "astro";
    job_desc_msg_t current = unset_job();
    current.qos = small.data();
    current.account = account.data();
    current.min_cpus = 4;
    current.time_limit = 60;
    job_desc_msg_t update = unset_job();
    update.qos = large.data();
    update.time_limit = INFINITE;

    const JobRequest request = read_job_update(current, update, submitter);

    BOOST_TEST(*request.qos == "large");
    BOOST_TEST(*request.account == "astro");
    BOOST_TEST(*request.min_cpus == 4u);
    BOOST_TEST(request.time_limit->is_unlimited());
    BOOST_TEST(request.user_id == 1000u);
}

BOOST_AUTO_TEST_CASE(an_update_with_an_empty_text_takes_the_value_away) {
    std::string small = "small", none;
    job_desc_msg_t current = unset_job();
    current.qos = small.data();
    job_desc_msg_t update = unset_job();
    update.qos = none.data();

    BOOST_TEST(!read_job_update(current, update, submitter).qos.has_value());
}

BOOST_AUTO_TEST_CASE(an_update_with_too_long_a_text_is_not_read) {
    std::string small = "small", large(max_text_length + 1, 'x');
    job_desc_msg_t current = unset_job();
    current.qos = small.data();
    job_desc_msg_t update = unset_job();
    update.qos = large.data();

    const JobRequest request = read_job_update(current, update, submitter);

    BOOST_TEST(!request.qos.has_value());
    BOOST_TEST(request.unread.has_value());
}

BOOST_AUTO_TEST_CASE(an_update_that_shortens_what_was_too_long_is_read) {
    std::string small = "small", large(max_text_length + 1, 'x');
    job_desc_msg_t current = unset_job();
    current.qos = current.licenses = large.data();
    job_desc_msg_t update = unset_job();
    update.qos = small.data();
    const auto read = [&] { return read_job_update(current, update, submitter); };

    BOOST_TEST(read().qos.value() == "small");
    BOOST_TEST(read().unread.value().field == "licenses"); // another one is still too long
    current.licenses = nullptr;
    BOOST_TEST(!read().unread.has_value());
    current.qos = small.data();
    update.qos = large.data();
    BOOST_TEST(read().unread.value().field == "qos");
}

BOOST_AUTO_TEST_CASE(a_change_that_ends_a_dependency_starts_the_job_now) {
    std::string none;
    std::string dependency = "afterok:7";
    job_desc_msg_t job = unset_job();
    job.dependency = dependency.data();
    job_desc_msg_t update = unset_job();
    BOOST_TEST(read_job_update(job, update, submitter).starts_later());

    update.dependency = none.data();

    BOOST_TEST(!read_job_update(job, update, submitter).starts_later());
}

BOOST_AUTO_TEST_CASE(a_job_copied_from_slurmctlds_records_is_no_part_of_another) {
    job_desc_msg_t current = unset_job();
    current.het_job_offset = 0;

    BOOST_TEST(!read_job_update(current, unset_job(), submitter).is_het_part);
}

namespace {

/// What a change sets that differs from one that sets nothing.
template <typename Change>
model::UpdateParts parts_with(Change change) {
    job_desc_msg_t update = unset_job();
    change(update);
    return parts_of_update(update);
}

constexpr model::UpdateParts limits_alone{model::UpdatePart::limits};
constexpr model::UpdateParts comment_and_limits{model::UpdatePart::comment, model::UpdatePart::limits};

} // namespace

BOOST_AUTO_TEST_CASE(a_change_of_what_limits_depend_on_is_told_from_others) {
    std::string text = "text", none;
    const auto parts_with_text = [](char* job_desc_msg_t::*field, std::string& value) {
        return parts_with([&](job_desc_msg_t& update) { update.*field = value.data(); });
    };
    for (const auto field :
         {&job_desc_msg_t::partition, &job_desc_msg_t::qos, &job_desc_msg_t::account,
          &job_desc_msg_t::reservation, &job_desc_msg_t::features, &job_desc_msg_t::prefer,
          &job_desc_msg_t::licenses, &job_desc_msg_t::tres_per_job, &job_desc_msg_t::tres_per_node,
          &job_desc_msg_t::mem_per_tres, &job_desc_msg_t::req_nodes, &job_desc_msg_t::exc_nodes}) {
        BOOST_TEST(parts_with_text(field, text) == limits_alone);
        BOOST_TEST(parts_with_text(field, none) == limits_alone);
    }
    for (const auto field :
         {&job_desc_msg_t::time_limit, &job_desc_msg_t::time_min, &job_desc_msg_t::min_nodes,
          &job_desc_msg_t::min_cpus, &job_desc_msg_t::num_tasks})
        BOOST_TEST(parts_with([&](job_desc_msg_t& update) { update.*field = 1; }) == limits_alone);
    BOOST_TEST(parts_with([](job_desc_msg_t& update) { update.pn_min_memory = 100; }) == limits_alone);
    BOOST_TEST(parts_with([](job_desc_msg_t& update) { update.shared = JOB_SHARED_NONE; }) == limits_alone);
    BOOST_TEST(parts_with([](job_desc_msg_t& update) { update.pn_min_cpus = 2; }) == limits_alone);
}

BOOST_AUTO_TEST_CASE(a_change_of_what_only_rules_look_at_is_known_field_by_field) {
    using model::UpdatePart;
    BOOST_TEST(parts_of_update(unset_job()) == model::UpdateParts());
    std::string text = "text", none;
    const std::pair<char * job_desc_msg_t::*, UpdatePart> texts[] = {
        {&job_desc_msg_t::name, UpdatePart::name},
        {&job_desc_msg_t::comment, UpdatePart::comment},
        {&job_desc_msg_t::admin_comment, UpdatePart::admin_comment},
        {&job_desc_msg_t::burst_buffer, UpdatePart::burst_buffer},
        {&job_desc_msg_t::dependency, UpdatePart::dependency},
        {&job_desc_msg_t::mail_user, UpdatePart::mail_user},
        {&job_desc_msg_t::network, UpdatePart::network},
        {&job_desc_msg_t::std_err, UpdatePart::std_err},
        {&job_desc_msg_t::std_in, UpdatePart::std_in},
        {&job_desc_msg_t::std_out, UpdatePart::std_out},
        {&job_desc_msg_t::wckey, UpdatePart::wckey},
        {&job_desc_msg_t::work_dir, UpdatePart::work_dir}};
    for (const auto& [field, part] : texts)
        for (std::string* value : {&text, &none})
            BOOST_TEST(parts_with([&](job_desc_msg_t& update) { update.*field = value->data(); }) ==
                       model::UpdateParts{part});
    const std::pair<std::uint16_t job_desc_msg_t::*, UpdatePart> counts[] = {
        {&job_desc_msg_t::contiguous, UpdatePart::contiguous},
        {&job_desc_msg_t::cores_per_socket, UpdatePart::limits},
        {&job_desc_msg_t::mail_type, UpdatePart::mail_type},
        {&job_desc_msg_t::reboot, UpdatePart::reboot},
        {&job_desc_msg_t::requeue, UpdatePart::requeue},
        {&job_desc_msg_t::threads_per_core, UpdatePart::limits}};
    for (const auto& [field, part] : counts)
        for (const std::uint16_t value : {0, 1})
            BOOST_TEST(parts_with([&](job_desc_msg_t& update) { update.*field = value; }) ==
                       model::UpdateParts{part});
    for (const std::uint16_t value : {std::uint16_t{0}, std::uint16_t{2}, std::uint16_t{INFINITE16}})
        BOOST_TEST(parts_with([&](job_desc_msg_t& update) { update.core_spec = value; }) == limits_alone);
    BOOST_TEST(parts_with([](job_desc_msg_t& update) { update.nice = NICE_OFFSET; }) ==
               model::UpdateParts{UpdatePart::nice});
    BOOST_TEST(parts_with([](job_desc_msg_t& update) { update.begin_time = 1; }) ==
               model::UpdateParts{UpdatePart::begin_time});
    BOOST_TEST(parts_with([](job_desc_msg_t& update) { update.pn_min_tmp_disk = 0; }) ==
               model::UpdateParts{UpdatePart::tmp_disk});
    for (const std::uint32_t value :
         {std::uint32_t{0}, std::uint32_t{7}, std::uint32_t{INFINITE}}) // hold, release
        BOOST_TEST(parts_with([&](job_desc_msg_t& update) { update.priority = value; }) ==
                   model::UpdateParts{UpdatePart::priority});
    BOOST_TEST(parts_with([&](job_desc_msg_t& update) { update.array_inx = text.data(); }) ==
               model::UpdateParts()); // ArrayTaskThrottle
    BOOST_TEST(parts_with([&](job_desc_msg_t& update) {
                   update.comment = text.data();
                   update.time_limit = 1;
               }) == comment_and_limits);
}

BOOST_AUTO_TEST_CASE(a_released_job_has_no_priority_that_was_asked_for) {
    job_desc_msg_t current = unset_job();
    current.priority = 0;
    job_desc_msg_t update = unset_job();
    BOOST_TEST(read_job_update(current, update, submitter).starts_later());
    update.priority = INFINITE;
    BOOST_TEST(!read_job_update(current, update, submitter).priority.has_value());
    BOOST_TEST(!read_job_update(current, update, submitter).starts_later());
    update.priority = 7;
    BOOST_TEST(read_job_update(current, update, submitter).priority.value() == 7u);
}

BOOST_AUTO_TEST_CASE(whole_nodes_end_with_sharing_and_begin_with_specialized_cores) {
    job_desc_msg_t current = unset_job();
    const auto exclusive_after = [&current](std::uint16_t shared, std::uint16_t core_spec) {
        job_desc_msg_t update = unset_job();
        update.shared = shared;
        update.core_spec = core_spec;
        return read_job_update(current, update, submitter).exclusive;
    };
    BOOST_TEST(!exclusive_after(NO_VAL16, NO_VAL16));
    BOOST_TEST(!exclusive_after(JOB_SHARED_NONE, NO_VAL16)); // the job shares no CPU, but nodes
    BOOST_TEST(!exclusive_after(JOB_SHARED_OK, NO_VAL16));

    current.shared = JOB_SHARED_NONE;
    BOOST_TEST(exclusive_after(NO_VAL16, NO_VAL16));
    BOOST_TEST(exclusive_after(JOB_SHARED_NONE, NO_VAL16));
    BOOST_TEST(!exclusive_after(JOB_SHARED_OK, NO_VAL16));
    BOOST_TEST(!exclusive_after(JOB_SHARED_USER, NO_VAL16));

    current.shared = JOB_SHARED_OK; // --oversubscribe --core-spec=0
    current.core_spec = 0;
    BOOST_TEST(exclusive_after(NO_VAL16, NO_VAL16));
    BOOST_TEST(exclusive_after(NO_VAL16, INFINITE16)); // the cores are free again, the nodes stay whole
    BOOST_TEST(!exclusive_after(JOB_SHARED_OK, INFINITE16));
}

BOOST_AUTO_TEST_CASE(specialized_cores_and_threads_replace_each_other) {
    using model::JobDetail;
    job_desc_msg_t current = unset_job();
    current.core_spec = 2;
    job_desc_msg_t update = unset_job();
    const auto has = [&](JobDetail detail) {
        return read_job_update(current, update, submitter).details.get(detail).kind !=
               model::DetailValue::Kind::unset;
    };
    BOOST_TEST(has(JobDetail::core_spec));
    update.core_spec = 3 | CORE_SPEC_THREAD;
    BOOST_TEST(!has(JobDetail::core_spec));
    BOOST_TEST(has(JobDetail::thread_spec));
    update.core_spec = INFINITE16; // none
    BOOST_TEST(!has(JobDetail::core_spec));
    BOOST_TEST(!has(JobDetail::thread_spec));
}

BOOST_AUTO_TEST_CASE(a_priority_that_slurmctld_computed_was_not_asked_for) {
    job_desc_msg_t current = unset_job();
    current.priority = 4294901750;
    BOOST_TEST(!read_job_record(current, submitter).priority.has_value());
    current.priority = 0; // held
    BOOST_TEST(*read_job_record(current, submitter).priority == 0u);
}

BOOST_AUTO_TEST_CASE(a_record_without_a_least_time_has_none) {
    job_desc_msg_t current = unset_job();
    current.time_min = 0;
    BOOST_TEST(!read_job_record(current, submitter).time_min.has_value());
    current.time_min = 10;
    BOOST_TEST(read_job_record(current, submitter).time_min.value() == TimeLimit{10});
}

BOOST_AUTO_TEST_CASE(a_record_without_tasks_asked_for_none) {
    job_desc_msg_t current = unset_job();
    current.num_tasks = 0;
    BOOST_TEST(!read_job_record(current, submitter).tasks.has_value());
    current.num_tasks = 1;
    BOOST_TEST(read_job_record(current, submitter).tasks.value() == 1u);
    job_desc_msg_t update = unset_job();
    update.num_tasks = 3;
    current.num_tasks = 0;
    BOOST_TEST(read_job_update(current, update, submitter).tasks.value() == 3u);
}

BOOST_AUTO_TEST_CASE(a_change_to_no_tasks_on_each_node_ends_their_bound) {
    job_desc_msg_t current = unset_job(), update = unset_job();
    current.num_tasks = 4;
    current.ntasks_per_node = 2;
    current.min_nodes = 2;
    const auto read = [&] { return read_job_update(current, update, submitter); };
    BOOST_TEST(read().tasks_per_node.value() == 2u);
    BOOST_TEST(parts_of_update(update) == model::UpdateParts());

    update.ntasks_per_node = 0;
    BOOST_TEST(!read().tasks_per_node.has_value());
    BOOST_TEST(read().tasks.value() == 4u);
    BOOST_TEST(parts_of_update(update) == limits_alone);
    current.num_tasks = 0; // as slurmctld shows a job without a number
    BOOST_TEST(!read().tasks.has_value());

    update.ntasks_per_node = 1;
    BOOST_TEST(read().tasks_per_node.value() == 1u);
}

BOOST_AUTO_TEST_CASE(memory_for_each_gpu_leaves_no_default_memory) {
    std::string per_gpu = "gres:gpu:100";
    job_desc_msg_t current = unset_job();
    current.pn_min_memory = MEM_PER_CPU | 1000; // DefMemPerCPU
    BOOST_TEST(read_job_record(current, submitter).memory.has_value());
    current.mem_per_tres = per_gpu.data();
    BOOST_TEST(!read_job_record(current, submitter).memory.has_value());
    BOOST_TEST(*read_job_record(current, submitter).memory_per_tres == per_gpu);

    job_desc_msg_t update = unset_job();
    BOOST_TEST(!read_job_update(current, update, submitter).memory.has_value());
    update.pn_min_memory = 300;
    BOOST_TEST(read_job_update(current, update, submitter).memory.value().mib == 300u);

    current.bitflags = JOB_MEM_SET; // a change has set it
    BOOST_TEST(read_job_record(current, submitter).memory.value().mib == 1000u);
}

BOOST_AUTO_TEST_CASE(memory_that_nobody_asked_for_is_a_default) {
    job_desc_msg_t current = unset_job();
    current.pn_min_memory = MEM_PER_CPU | 1000;
    BOOST_TEST(read_job_record(current, submitter).has_default_memory);
    job_desc_msg_t update = unset_job();
    BOOST_TEST(read_job_update(current, update, submitter).has_default_memory);
    update.pn_min_memory = MEM_PER_CPU | 1000; // as it is shown: slurmctld changes nothing
    BOOST_TEST(read_job_update(current, update, submitter).has_default_memory);
    update.pn_min_memory = MEM_PER_CPU | 999;
    BOOST_TEST(!read_job_update(current, update, submitter).has_default_memory);
    update.pn_min_memory = 300;
    BOOST_TEST(!read_job_update(current, update, submitter).has_default_memory);
    current.bitflags = JOB_MEM_SET;
    BOOST_TEST(!read_job_record(current, submitter).has_default_memory);
    BOOST_TEST(!read_job_desc(current, submitter).has_default_memory);
}

BOOST_AUTO_TEST_CASE(a_record_of_sbatch_has_a_script_or_nobody_who_waits_for_it) {
    std::string script = "#!/bin/sh", host = "10.0.0.1", none;
    job_desc_msg_t current = unset_job();
    BOOST_TEST(read_job_record(current, submitter).is_batch); // a later part of a heterogeneous job
    current.resp_host = none.data();
    BOOST_TEST(read_job_record(current, submitter).is_batch);
    current.resp_host = host.data(); // salloc, srun
    BOOST_TEST(!read_job_record(current, submitter).is_batch);
    BOOST_TEST(!read_job_update(current, unset_job(), submitter).is_batch);
    current.resp_host = nullptr;
    current.other_port = 40000;
    BOOST_TEST(!read_job_record(current, submitter).is_batch);
    current.script_buf = script.data();
    BOOST_TEST(read_job_record(current, submitter).is_batch);
}

BOOST_AUTO_TEST_CASE(a_dependency_of_a_record_reads_without_its_state) {
    const std::pair<std::string, std::string> rows[] = {
        {"singleton(unfulfilled)", "singleton"},
        {"afterok:1(unfulfilled),afterany:2_*+5(failed)", "afterok:1,afterany:2_*+5"},
        {"after:1(unfulfilled)?singleton(unknown)", "after:1?singleton"},
        {"afterok:7", "afterok:7"},
        {"singleton(", "singleton"},
        {"(", ""},
        {")(()", ")"}};
    const auto dependency_of = [](const JobRequest& request) {
        return request.details.get(model::JobDetail::dependency);
    };
    for (const auto& [stored, shown] : rows) {
        std::string text = stored;
        job_desc_msg_t current = unset_job();
        current.dependency = text.data();
        const JobRequest record = read_job_record(current, submitter);
        BOOST_TEST(dependency_of(record).text == shown);
        job_desc_msg_t update = unset_job();
        const JobRequest after = read_job_update(current, update, submitter);
        BOOST_TEST(dependency_of(after).text == shown);
        BOOST_TEST(dependency_of(read_job_desc(current, submitter)).text == stored); // as written
        std::string other = "afterok:3(x)", none;
        update.dependency = other.data();
        BOOST_TEST(dependency_of(read_job_update(current, update, submitter)).text == other);
        update.dependency = none.data();
        BOOST_CHECK(dependency_of(read_job_update(current, update, submitter)).kind ==
                    model::DetailValue::Kind::unset);
    }
}

BOOST_AUTO_TEST_CASE(a_change_tells_whether_it_names_the_qos_and_the_time) {
    std::string small = "small";
    job_desc_msg_t current = unset_job();
    current.qos = small.data();
    current.time_limit = 60;
    job_desc_msg_t update = unset_job();
    BOOST_TEST(!read_update(current, update, submitter).names_qos);
    BOOST_TEST(!read_update(current, update, submitter).names_time);

    update.qos = small.data(); // the one that it has
    BOOST_TEST(read_update(current, update, submitter).names_qos);
    BOOST_TEST(!read_update(current, update, submitter).names_time);

    update.time_limit = 60;
    const model::JobUpdate both = read_update(current, update, submitter);
    BOOST_TEST(both.names_time);
    BOOST_TEST(both.parts == limits_alone);
    BOOST_TEST(*both.before.qos == "small");
    BOOST_TEST(both.before.has_counted_cpus);
    BOOST_TEST(both.after.has_counted_cpus);
    BOOST_TEST(both.after.submit_uid == submitter);
}

BOOST_AUTO_TEST_CASE(what_slurmctld_never_stores_leaves_the_job_as_it_is) {
    job_desc_msg_t current = unset_job(), update = unset_job();
    update.overcommit = 1;
    update.num_tasks = 8;
    const auto read = [&] { return read_job_update(current, update, submitter); };
    BOOST_TEST(!read().overcommit);
    BOOST_TEST(read().tasks.value() == 8u);
    current.overcommit = 1;
    update.overcommit = 0;
    BOOST_TEST(read().overcommit);
    // Tasks for each GPU are not stored either, but they may add GPUs.
    BOOST_TEST(!read().tasks_per_tres.has_value());
    update.ntasks_per_tres = 2;
    BOOST_TEST(read().tasks_per_tres.value() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

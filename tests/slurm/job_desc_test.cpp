// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/job_desc.hpp"

#include "job_desc_setup.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/looked_up_names.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/script_fields.hpp"
#include "qosgate/slurm/values.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <variant>

using namespace qg;
using namespace qg::slurm;
using model::JobRequest;
using test::submitter;
using test::unset_job;

namespace {

JobRequest read(const job_desc_msg_t& job) {
    return read_job_desc(job, submitter);
}

/// A job whose every byte is the same, but for its pointers, which are null.
job_desc_msg_t job_of_bytes(int byte) {
    job_desc_msg_t job;
    std::memset(static_cast<void*>(&job), byte, sizeof job);
    for (const TextField& field : text_fields)
        job.*field.slurm = nullptr;
    job.submit_line = nullptr;
    job.exc_nodes = nullptr;
    job.script = nullptr;
    job.script_buf = nullptr;
    job.dependency = nullptr;
    return job;
}

void expect_nothing_set(const JobRequest& request) {
    for (const TextField& field : text_fields)
        BOOST_TEST(!(request.*field.request).has_value());
    for (const auto& field : wide_count_fields)
        BOOST_TEST(!(request.*field.request).has_value());
    for (const auto& field : narrow_count_fields)
        BOOST_TEST(!(request.*field.request).has_value());
    for (const TimeField& field : time_fields)
        BOOST_TEST(!(request.*field.request).has_value());
    BOOST_TEST(!request.memory.has_value());
    BOOST_TEST(!request.overcommit);
    BOOST_TEST(!request.exclusive);
    BOOST_TEST(!request.is_batch);
    BOOST_TEST(!request.is_het_part);
}

} // namespace

BOOST_AUTO_TEST_SUITE(job_desc)

BOOST_AUTO_TEST_CASE(a_description_that_sets_nothing_reads_as_nothing) {
    const JobRequest request = read(unset_job());

    expect_nothing_set(request);
    BOOST_TEST(request.user_id == 1000u);
    BOOST_TEST(request.submit_uid == submitter);
}

BOOST_AUTO_TEST_CASE(each_text_lands_in_a_field_of_its_own) {
    int number = 0;
    for (const TextField& field : text_fields) {
        BOOST_TEST_CONTEXT("text field " << number++) {
            std::string value = "value";
            job_desc_msg_t job = unset_job();
            job.*field.slurm = value.data();

            JobRequest request = read(job);

            BOOST_TEST_REQUIRE((request.*field.request).has_value());
            BOOST_TEST(*(request.*field.request) == "value");
            (request.*field.request).reset();
            expect_nothing_set(request);
        }
    }
}

BOOST_AUTO_TEST_CASE(only_the_beginning_of_the_submit_line_is_looked_at) {
    std::string line(5000, 'x');
    job_desc_msg_t job = unset_job();
    BOOST_TEST(read(job).submit_line == "");

    job.submit_line = line.data();
    BOOST_TEST(read(job).submit_line == std::string_view(line).substr(0, 4096));
    BOOST_TEST(read(job).submit_line.data() == line.data());
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_unset) {
    std::string empty;
    job_desc_msg_t job = unset_job();
    for (const TextField& field : text_fields)
        job.*field.slurm = empty.data();

    expect_nothing_set(read(job));
}

BOOST_AUTO_TEST_CASE(the_prefix_of_gres_is_an_empty_text_in_gres_alone) {
    for (const TextField& field : text_fields) {
        std::string prefix(gres_prefix);
        job_desc_msg_t job = unset_job();
        job.*field.slurm = prefix.data();
        const bool is_gres = field.request == &JobRequest::tres_per_node;
        BOOST_TEST((read(job).*field.request).has_value() == !is_gres, field.name);
    }
}

BOOST_AUTO_TEST_CASE(odd_texts_are_copied_as_they_are) {
    const std::string text = "%s%n\x01\x1b\xff";
    std::string value = text;
    job_desc_msg_t job = unset_job();
    job.comment = value.data();

    BOOST_TEST(read(job).comment == text);
}

BOOST_AUTO_TEST_CASE(a_text_of_the_greatest_length_is_read_and_a_longer_one_is_not) {
    for (const TextField& field : text_fields) {
        BOOST_TEST_CONTEXT(field.name) {
            std::string text(field.max_bytes, 'x');
            job_desc_msg_t job = unset_job();
            job.*field.slurm = text.data();
            BOOST_TEST((read(job).*field.request) == text);
            BOOST_TEST(!read(job).unread.has_value());

            text += 'x';
            job.*field.slurm = text.data();
            const JobRequest request = read(job);
            BOOST_TEST(!(request.*field.request).has_value());
            BOOST_TEST_REQUIRE(request.unread.has_value());
            BOOST_TEST(request.unread->field == field.name);
            BOOST_TEST(request.unread->max == field.max_bytes);
            BOOST_TEST(request.unread->options == field.options);
            BOOST_TEST(!field.options.empty());
            BOOST_TEST(request.unread->slurmctld_refuses == field.is_bounded);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_text_of_too_many_parts_is_not_read) {
    for (const TextField& field : text_fields) {
        if (field.max_parts == any_number) continue;
        BOOST_TEST_CONTEXT(field.name) {
            std::string text(field.max_parts - 1, ','); // one part more than separators
            job_desc_msg_t job = unset_job();
            job.*field.slurm = text.data();
            BOOST_TEST((read(job).*field.request) == text);

            text += ',';
            job.*field.slurm = text.data();
            const JobRequest request = read(job);
            BOOST_TEST(!(request.*field.request).has_value());
            BOOST_TEST_REQUIRE(request.unread.has_value());
            BOOST_TEST(request.unread->max == field.max_parts);
            BOOST_TEST(!request.unread->slurmctld_refuses);
        }
    }
}

BOOST_AUTO_TEST_CASE(slurmctld_itself_refuses_texts_from_these_lengths_on) {
    // The numbers of its own check; ours may not be lower, or it would take what we do not read.
    for (const TextField& field : text_fields)
        BOOST_TEST(field.max_bytes >= (field.name == "array" ? 4096u : 1024u));
    // Of these it takes any length.
    for (const TextField& field : text_fields)
        if (field.name == "nodelist" || field.name == "admin_comment") BOOST_TEST(!field.is_bounded);
}

BOOST_AUTO_TEST_CASE(each_name_that_scripts_have_for_a_member_leads_rules_to_its_field) {
    const auto check = [](const model::JobField* field, auto member) {
        for (const ScriptField& script : script_fields) {
            const auto* own = std::get_if<decltype(member)>(&script.member);
            if (field == nullptr || own == nullptr || *own != member || script.name == field->name) continue;
            BOOST_TEST(std::ranges::count(text::split(field->slurm_names, ' '), script.name) == 1,
                       script.name);
        }
    };
    const auto check_fields = [&](const auto& rows) {
        for (const auto& row : rows)
            check(model::find_field_of(row.request), row.slurm);
    };
    const auto check_details = [&](const auto& rows) {
        for (const auto& row : rows)
            check(model::find_field_of(row.detail), row.slurm);
    };

    check_fields(text_fields);
    check_fields(wide_count_fields);
    check_fields(narrow_count_fields);
    check_fields(time_fields);
    check_details(text_details);
    check_details(short_details);
    check_details(count_details);
    check_details(time_details);
}

BOOST_AUTO_TEST_CASE(each_count_lands_in_a_field_of_its_own) {
    const auto check = [](const auto& field, std::uint32_t value) {
        job_desc_msg_t job = unset_job();
        job.*field.slurm = static_cast<std::remove_reference_t<decltype(job.*field.slurm)>>(value);

        JobRequest request = read(job);

        BOOST_TEST_REQUIRE((request.*field.request).has_value());
        BOOST_TEST(*(request.*field.request) == value);
        (request.*field.request).reset();
        expect_nothing_set(request);
    };
    for (const auto& field : wide_count_fields)
        for (const std::uint32_t value : {0u, 1u, 4u, 0xfffeu, 0xfffffffdu})
            check(field, value);
    for (const auto& field : narrow_count_fields)
        for (const std::uint32_t value : {1u, 4u, 0xfffdu})
            check(field, value);
}

BOOST_AUTO_TEST_CASE(a_short_count_of_zero_is_unset) {
    job_desc_msg_t job = unset_job();
    for (const auto& field : narrow_count_fields)
        if (field.zero == Zero::is_unset) job.*field.slurm = 0;

    expect_nothing_set(read(job));
}

BOOST_AUTO_TEST_CASE(an_infinite_amount_is_the_largest_one) {
    job_desc_msg_t job = unset_job();
    job.min_nodes = job.num_tasks = job.min_cpus = INFINITE;
    job.cpus_per_task = job.pn_min_cpus = job.sockets_per_node = INFINITE16;
    job.ntasks_per_node = job.ntasks_per_tres = INFINITE16;
    BOOST_TEST(parts_of_update(job).has(model::UpdatePart::limits));

    const JobRequest request = read(job);

    for (const auto count : {request.min_nodes, request.tasks, request.min_cpus})
        BOOST_TEST(count.value_or(0) == INFINITE);
    for (const auto count : {request.cpus_per_task, request.min_cpus_per_node, request.sockets_per_node,
                             request.tasks_per_node, request.tasks_per_tres})
        BOOST_TEST(count.value_or(0) == INFINITE16);
}

BOOST_AUTO_TEST_CASE(other_infinite_counts_are_unset) {
    job_desc_msg_t job = unset_job();
    job.max_nodes = job.max_cpus = job.priority = INFINITE;
    job.ntasks_per_socket = INFINITE16;
    job.overcommit = INFINITE8;
    job.shared = INFINITE16;

    expect_nothing_set(read(job));
}

BOOST_AUTO_TEST_CASE(no_tasks_per_socket_are_a_count) {
    job_desc_msg_t job = unset_job();
    job.ntasks_per_node = job.ntasks_per_socket = 0;

    const JobRequest request = read(job);

    BOOST_TEST(!request.tasks_per_node.has_value());
    BOOST_TEST(request.tasks_per_socket.value_or(1) == 0u);
}

BOOST_AUTO_TEST_CASE(no_tasks_on_each_node_are_no_tasks) {
    job_desc_msg_t job = unset_job();
    job.ntasks_per_node = 0;
    BOOST_TEST(!read(job).tasks.has_value());

    job.min_nodes = 2;
    BOOST_TEST(read(job).tasks.value_or(1) == 0u);
    job.num_tasks = 3;
    BOOST_TEST(read(job).tasks.value() == 3u);

    job.num_tasks = job.min_nodes = NO_VAL;
    std::string nodes = "n[1-2]";
    job.req_nodes = nodes.data();
    BOOST_TEST(read(job).tasks.value_or(1) == 0u);
    job.ntasks_per_node = 1;
    BOOST_TEST(!read(job).tasks.has_value());
    BOOST_TEST(read(job).tasks_per_node.value() == 1u);
}

BOOST_AUTO_TEST_CASE(times_are_minutes_or_unlimited) {
    job_desc_msg_t job = unset_job();
    job.time_limit = INFINITE;
    job.time_min = 30;

    const JobRequest request = read(job);

    BOOST_TEST(request.time_limit->is_unlimited());
    BOOST_TEST(request.time_min->minutes == 30u);
}

BOOST_AUTO_TEST_CASE(infinite_memory_is_an_amount) {
    job_desc_msg_t job = unset_job();
    job.pn_min_memory = INFINITE64;
    BOOST_TEST(read(job).memory == (model::Memory{std::uint64_t{INT64_MAX}, true}));
    BOOST_TEST(parts_of_update(job).has(model::UpdatePart::limits));
    job.pn_min_memory = NO_VAL64;
    BOOST_TEST(!read(job).memory.has_value());
}

BOOST_AUTO_TEST_CASE(memory_comes_per_node_or_per_cpu) {
    job_desc_msg_t job = unset_job();
    job.pn_min_memory = 2000 | MEM_PER_CPU;

    BOOST_TEST(read(job).memory == (model::Memory{2000, true}));
}

BOOST_AUTO_TEST_CASE(exclusive_is_a_sharing_of_none) {
    const auto exclusive = [](std::uint16_t shared) {
        job_desc_msg_t job = unset_job();
        job.shared = shared;
        return read(job).exclusive;
    };

    BOOST_TEST(exclusive(JOB_SHARED_NONE));
    for (const std::uint16_t shared : {JOB_SHARED_OK, JOB_SHARED_USER, JOB_SHARED_MCS, int{NO_VAL16}})
        BOOST_TEST(!exclusive(shared));
}

BOOST_AUTO_TEST_CASE(of_a_long_list_of_excluded_nodes_the_first_are_read) {
    job_desc_msg_t job = unset_job();
    BOOST_TEST(read(job).excluded_nodes == "");
    BOOST_TEST(read(job).has_all_excluded);
    std::string list = "n1,n2";
    job.exc_nodes = list.data();
    BOOST_TEST(read(job).excluded_nodes == "n1,n2");
    BOOST_TEST(read(job).has_all_excluded);

    std::string many;
    while (many.size() < 8000)
        many += "node1,";
    job.exc_nodes = many.data();
    const JobRequest request = read(job);
    BOOST_TEST(!request.has_all_excluded);
    BOOST_TEST(request.excluded_nodes.size() > 4000u);
    BOOST_TEST(request.excluded_nodes.size() <= 4096u);
    BOOST_TEST(request.excluded_nodes.ends_with(",node1"));
}

BOOST_AUTO_TEST_CASE(overcommit_is_what_was_asked_for) {
    job_desc_msg_t job = unset_job();
    job.overcommit = 1;
    BOOST_TEST(read(job).overcommit);
    job.overcommit = 0;
    BOOST_TEST(!read(job).overcommit);
}

BOOST_AUTO_TEST_CASE(a_script_makes_a_batch_job) {
    std::string script = "#!/bin/sh";
    std::string none;
    job_desc_msg_t job = unset_job();
    job.script = none.data();
    BOOST_TEST(!read(job).is_batch);
    job.script = script.data();
    BOOST_TEST(read(job).is_batch);
    job.script = nullptr;
    job.script_buf = script.data();
    BOOST_TEST(read(job).is_batch);
}

BOOST_AUTO_TEST_CASE(an_environment_makes_a_later_part_of_sbatch_a_batch_job) {
    std::string variable = "HOME=/";
    char* environment[] = {variable.data(), nullptr};
    job_desc_msg_t part = unset_job();
    part.environment = environment;
    part.env_size = 1;
    BOOST_TEST(!read(part).is_batch); // no part
    part.het_job_offset = 1;
    BOOST_TEST(read(part).is_batch);
    for (const std::uint32_t none : {std::uint32_t{0}, std::uint32_t{NO_VAL}}) {
        part.env_size = none;
        BOOST_TEST(!read(part).is_batch);
    }
    part.env_size = 1;
    part.environment = nullptr; // as salloc and srun send it
    BOOST_TEST(!read(part).is_batch);
}

BOOST_AUTO_TEST_CASE(a_deadline_leaves_whole_minutes_from_the_begin_on) {
    const std::time_t now = std::time(nullptr);
    const auto left = [](std::time_t deadline, std::time_t begin = 0) {
        job_desc_msg_t job = unset_job();
        job.deadline = deadline;
        job.begin_time = begin;
        return read(job).minutes_to_deadline;
    };
    BOOST_TEST(!left(0).has_value());
    BOOST_TEST(!left(static_cast<std::time_t>(NO_VAL)).has_value());
    BOOST_TEST(left(now - 1) == 0u);
    BOOST_TEST(left(now + 59) == 0u);
    const std::time_t begin = now + 7200;
    BOOST_TEST(left(begin + 119, begin) == 1u);
    BOOST_TEST(left(begin + 120, begin) == 2u);
    BOOST_TEST(left(begin - 1, begin) == 0u);
}

BOOST_AUTO_TEST_CASE(a_job_that_is_held_or_waits_for_a_time_or_another_job_starts_later) {
    const std::time_t now = std::time(nullptr);
    const auto starts_later = [](auto set) {
        job_desc_msg_t job = unset_job();
        set(job);
        return read(job).starts_later();
    };
    std::string none;
    std::string dependency = "afterok:7";

    BOOST_TEST(!starts_later([](job_desc_msg_t&) {}));
    BOOST_TEST(starts_later([](job_desc_msg_t& job) { job.priority = 0; }));
    BOOST_TEST(!starts_later([](job_desc_msg_t& job) { job.priority = 1; }));
    BOOST_TEST(starts_later([&](job_desc_msg_t& job) { job.begin_time = now + 3600; }));
    BOOST_TEST(!starts_later([&](job_desc_msg_t& job) { job.begin_time = now; }));
    BOOST_TEST(starts_later([&](job_desc_msg_t& job) { job.dependency = dependency.data(); }));
    BOOST_TEST(!starts_later([&](job_desc_msg_t& job) { job.dependency = none.data(); }));
}

BOOST_AUTO_TEST_CASE(an_offset_makes_a_part_of_a_het_job) {
    job_desc_msg_t job = unset_job();
    job.het_job_offset = 0;

    BOOST_TEST(read(job).is_het_part);
}

BOOST_AUTO_TEST_CASE(any_bytes_can_be_read) {
    for (int byte = 0; byte < 256; ++byte)
        BOOST_TEST_CONTEXT("byte " << byte) {
            const job_desc_msg_t job = job_of_bytes(byte);
            const JobRequest request = read(job);

            BOOST_TEST(request.submit_uid == submitter);
            for (const TextField& field : text_fields)
                BOOST_TEST(!(request.*field.request).has_value());
            const bool may_be_unset = byte == 0 || byte == 255;
            const auto expect_counts = [&](const auto& fields) {
                for (const auto& field : fields)
                    if (const auto& count = request.*field.request; count || !may_be_unset)
                        BOOST_TEST(count == std::optional<std::uint32_t>(job.*field.slurm));
            };
            expect_counts(wide_count_fields);
            expect_counts(narrow_count_fields);
        }
}

BOOST_AUTO_TEST_CASE(no_two_rows_of_the_tables_share_a_field) {
    const job_desc_msg_t job{};
    std::set<const void*> places;
    std::size_t rows = 0;
    const auto add = [&](const auto& table) {
        for (const auto& field : table) {
            places.insert(&(job.*field.slurm));
            ++rows;
        }
    };
    add(text_fields);
    add(wide_count_fields);
    add(narrow_count_fields);
    add(time_fields);

    BOOST_TEST(places.size() == rows);
}

BOOST_AUTO_TEST_CASE(a_name_that_is_an_empty_text_is_noted_of_a_submission_alone) {
    std::string empty, gres(gres_prefix), name = "small";
    job_desc_msg_t job = unset_job();
    BOOST_TEST(read(job).empty_names == 0);
    job.qos = empty.data();
    job.reservation = empty.data(); // which means none
    job.tres_per_node = gres.data();
    const JobRequest request = read(job);
    BOOST_TEST(!request.qos.has_value());
    BOOST_TEST(!request.tres_per_node.has_value());
    JobRequest expected;
    model::note_empty_name(expected, &JobRequest::qos);
    model::note_empty_name(expected, &JobRequest::tres_per_node);
    BOOST_TEST(request.empty_names == expected.empty_names);
    BOOST_TEST(read_job_record(job, submitter).empty_names == 0);
    BOOST_TEST(read_job_update(unset_job(), job, submitter).empty_names == 0);
    job.qos = name.data();
    job.tres_per_node = nullptr;
    BOOST_TEST(read(job).empty_names == 0);
}

BOOST_AUTO_TEST_CASE(a_list_of_partitions_without_a_name_is_an_empty_name) {
    JobRequest expected;
    model::note_empty_name(expected, &JobRequest::partition);
    std::string before = "viz";
    job_desc_msg_t job = unset_job(), current = unset_job();
    current.partition = before.data();
    BOOST_TEST(!read(job).has_default_partition);
    for (std::string list : {"", ",", ",,"}) {
        job.partition = list.data();
        BOOST_TEST(read(job).empty_names == expected.empty_names);
        BOOST_TEST(!read(job).partition.has_value());
        BOOST_TEST(read(job).has_default_partition);
        BOOST_TEST(read_job_update(current, job, submitter).has_default_partition);
    }
    for (std::string list : {" ", ",main"}) {
        job.partition = list.data();
        BOOST_TEST(read(job).empty_names == 0);
        BOOST_TEST(*read(job).partition == list);
        BOOST_TEST(!read(job).has_default_partition);
        BOOST_TEST(!read_job_update(current, job, submitter).has_default_partition);
    }
}

BOOST_AUTO_TEST_CASE(temporary_disk_is_noted) {
    job_desc_msg_t job = unset_job();
    BOOST_TEST(!read(job).asks_for_disk);
    job.pn_min_tmp_disk = 0;
    BOOST_TEST(!read(job).asks_for_disk);
    job.pn_min_tmp_disk = 1;
    BOOST_TEST(read(job).asks_for_disk);
}

BOOST_AUTO_TEST_SUITE_END()

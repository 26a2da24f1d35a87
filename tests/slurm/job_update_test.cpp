// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes of jobs, as slurmctld hands them to a plugin.
#include "job_desc_setup.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_desc_fields.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

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

BOOST_AUTO_TEST_CASE(a_change_of_what_rules_and_limits_look_at_is_told_from_others) {
    std::string text = "text", none;
    job_desc_msg_t untouched = unset_job();
    BOOST_TEST(!touches_decision(untouched));
    for (const auto field :
         {&job_desc_msg_t::name, &job_desc_msg_t::comment, &job_desc_msg_t::admin_comment}) {
        job_desc_msg_t update = unset_job();
        update.*field = text.data();
        BOOST_TEST(!touches_decision(update));
    }
    untouched.priority = 0; // scontrol hold
    untouched.nice = 5;
    untouched.array_inx = text.data(); // ArrayTaskThrottle
    BOOST_TEST(!touches_decision(untouched));

    for (const auto field :
         {&job_desc_msg_t::partition, &job_desc_msg_t::qos, &job_desc_msg_t::account,
          &job_desc_msg_t::reservation, &job_desc_msg_t::features, &job_desc_msg_t::prefer,
          &job_desc_msg_t::licenses, &job_desc_msg_t::tres_per_job, &job_desc_msg_t::tres_per_node,
          &job_desc_msg_t::mem_per_tres, &job_desc_msg_t::req_nodes, &job_desc_msg_t::exc_nodes})
        for (std::string* value : {&text, &none}) {
            job_desc_msg_t update = unset_job();
            update.*field = value->data();
            BOOST_TEST(touches_decision(update));
        }
    for (const auto field :
         {&job_desc_msg_t::time_limit, &job_desc_msg_t::time_min, &job_desc_msg_t::min_nodes,
          &job_desc_msg_t::min_cpus, &job_desc_msg_t::num_tasks}) {
        job_desc_msg_t update = unset_job();
        update.*field = 1;
        BOOST_TEST(touches_decision(update));
    }
    job_desc_msg_t memory = unset_job(), shared = unset_job(), cpus_of_node = unset_job();
    memory.pn_min_memory = 100;
    shared.shared = JOB_SHARED_NONE;
    cpus_of_node.pn_min_cpus = 2;
    BOOST_TEST(touches_decision(cpus_of_node));
    BOOST_TEST(touches_decision(memory));
    BOOST_TEST(touches_decision(shared));
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
    BOOST_TEST(*both.before.qos == "small");
    BOOST_TEST(both.before.has_counted_cpus);
    BOOST_TEST(both.after.has_counted_cpus);
    BOOST_TEST(both.after.submit_uid == submitter);
}

BOOST_AUTO_TEST_SUITE_END()

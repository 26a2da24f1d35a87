// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::EnforcePartLimits;
using model::RejectCode;
using model::TresLimit;

namespace {

/// Ana asks for normal and moonlight in 24.11. Moonlight has the higher priority.
struct QosListSetup : test::GateSetup {
    QosListSetup() {
        release = limits::Release(24, 11);
        qos(1).priority = 10;
        request.qos = "normal,moonlight";
    }

    /// What Ana reads if limits are enforced.
    std::string refused_for_its_size() {
        request.submit_uid = request.user_id;
        const auto decision = decide(test::load_site("site { limits = 'enforce' }").get());
        request.submit_uid = 0;
        BOOST_TEST(decision.reject == RejectCode::text_too_long);
        return test::first_line(decision.message);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(qos_list, QosListSetup)

BOOST_AUTO_TEST_CASE(a_list_is_taken_from_24_11_on) {
    BOOST_TEST(forecast().code == RejectCode::none);

    release = limits::Release(24, 5);
    const auto decision = decide();
    BOOST_TEST(decision.forecast.code == RejectCode::invalid_qos);
    BOOST_TEST(decision.message.at(0) ==
               "this Slurm (24.05) takes one QOS per job; 'normal,moonlight' names 2");
}

BOOST_AUTO_TEST_CASE(the_first_name_that_will_not_do_is_told) {
    request.qos = "normal,moonlite";
    BOOST_TEST(decide().message.at(0) == "there is no QOS 'moonlite'; did you mean moonlight?");

    request.qos = "secret,moonlite";
    BOOST_TEST(decide().message.at(0) == "QOS secret exists, but ana cannot use it with account hpc-users");
}

BOOST_AUTO_TEST_CASE(a_job_with_very_many_ways_to_start_is_left_to_slurm) {
    qos(0).limits.set(CountLimit::grp_jobs, 0);
    qos(1).limits.set(CountLimit::grp_jobs, 0);
    model::Partition partition = partitions.front();
    request.partition = "main";
    for (int i = 1; i < 32; ++i) {
        partition.name = "p" + std::to_string(i);
        partitions.push_back(partition);
        *request.partition += "," + partition.name;
    }
    BOOST_TEST(decide().log.at(0).text.starts_with("warned "));
    BOOST_TEST(pending() == "QOSGrpJobsLimit");

    *request.partition += ",viz";
    const auto decision = decide();
    BOOST_TEST(decision.forecast.pending_reason == "");
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text.starts_with("unchecked by=0 user=ana(1000) "));
    BOOST_TEST(
        decision.log[0].text.ends_with(": 2 QOSs in 33 partitions are more than 64 ways to start the job"));
    BOOST_TEST(refused_for_its_size() ==
               "the limits of this job cannot be checked: 2 QOSs in 33 partitions are "
               "more than 64 ways to start the job; shorten --qos or --partition");
}

BOOST_AUTO_TEST_CASE(a_job_of_very_many_partitions_is_left_to_slurm_but_not_by_rules) {
    request.qos = "normal";
    qos(0).limits.set(CountLimit::grp_jobs, 0);
    model::Partition partition = partitions.front();
    request.partition = "main";
    for (int i = 1; i <= 64; ++i) {
        partition.name = "p" + std::to_string(i);
        partitions.push_back(partition);
        if (i < 64) *request.partition += "," + partition.name;
    }
    BOOST_TEST(decide().log.at(0).text.starts_with("warned "));

    *request.partition += ",p1,p64"; // p1 is named twice
    const auto decision = decide();
    BOOST_TEST(decision.forecast.pending_reason == "");
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text.ends_with(": it names more than 64 partitions"));
    BOOST_TEST(refused_for_its_size() == "the limits of this job cannot be checked: it names more than 64 "
                                         "partitions; shorten --partition");

    const auto policy = test::load_rule("rule { submit = function(job) job:reject('no') end }");
    BOOST_TEST(decide(policy.get()).reject == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(a_job_of_very_long_resources_in_several_partitions_is_left_to_slurm) {
    request.qos = "normal";
    qos(0).limits.set(CountLimit::grp_jobs, 0);
    model::Partition partition = partitions.front();
    request.partition = "main";
    for (int i = 1; i < 16; ++i) {
        partition.name = "p" + std::to_string(i);
        partitions.push_back(partition);
        *request.partition += "," + partition.name;
    }
    request.tres_per_node = "gres:gpu:1," + std::string(1024 - 11, 'x'); // 16 times that is 16 KiB
    BOOST_TEST(decide().log.at(0).text.starts_with("warned "));

    request.licenses = "a";
    BOOST_TEST(decide().log.at(0).text.ends_with(
        ": 1025 bytes of resources and licenses are too long to be counted for 16 ways to start the job"));
    BOOST_TEST(
        refused_for_its_size() ==
        "the limits of this job cannot be checked: 1025 bytes of resources and licenses are too long to "
        "be counted for 16 ways to start the job; shorten them, or --partition");

    request.partition = "main";
    BOOST_TEST(decide().log.at(0).text.starts_with("warned "));
}

BOOST_AUTO_TEST_CASE(submission_is_judged_by_the_qos_of_the_highest_priority) {
    for (const std::size_t index : {0, 1})
        qos(index).flags.deny_on_limit = true;
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 0);
    BOOST_TEST(forecast().code == RejectCode::none);

    qos(0).priority = 11;
    BOOST_TEST(forecast().reason == "QOSMaxCpuPerJobLimit");
}

BOOST_AUTO_TEST_CASE(the_job_waits_only_where_every_qos_holds_it_with_the_last_ones_reason) {
    qos(1).limits.set(CountLimit::grp_jobs, 0);
    BOOST_TEST(pending() == "");

    qos(0).limits.set(CountLimit::max_jobs_per_user, 0);
    BOOST_TEST(pending() == "QOSMaxJobsPerUserLimit");

    qos(0).priority = 11;
    BOOST_TEST(pending() == "QOSGrpJobsLimit");
}

BOOST_AUTO_TEST_CASE(every_pair_of_partition_and_qos_is_tried) {
    request.partition = "main,viz";
    partitions[0].deny_qos = {"normal"};
    partitions[1].deny_qos = {"moonlight"};
    qos(1).limits.set(CountLimit::grp_jobs, 0);
    BOOST_TEST(pending() == ""); // normal in viz

    partitions[1].deny_accounts = {"hpc-users"};
    BOOST_TEST(pending() == "AccountNotAllowed");
}

BOOST_AUTO_TEST_CASE(where_partitions_are_enforced_every_qos_has_to_fit) {
    enforce_part_limits = EnforcePartLimits::all;
    partitions[0].max_time = TimeLimit{60};
    request.time_limit = TimeLimit{120};
    qos(1).flags.partition_time_limit = true;
    BOOST_TEST(forecast().code == RejectCode::invalid_time_limit); // normal has no such flag
    qos(0).flags.partition_time_limit = true;
    BOOST_TEST(forecast().code == RejectCode::none);

    partitions[0].allow_qos = {"moonlight"};
    BOOST_TEST(forecast().code == RejectCode::invalid_qos);
    partitions[0].allow_qos = {"moonlight", "normal"};
    BOOST_TEST(forecast().code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_reservation_is_wanted_if_one_of_them_wants_it) {
    qos(0).flags.requires_reservation = true;
    BOOST_TEST(decide().message.at(0) == "QOS normal is for jobs in a reservation: add --reservation=NAME");

    request.reservation = "maintenance";
    BOOST_TEST(forecast().code == RejectCode::none);
}

BOOST_AUTO_TEST_SUITE_END()

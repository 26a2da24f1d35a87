// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is told about a list of partitions of which some are down.
#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"
#include "support/print.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

/// Partition main is down; viz allows one hour; the job asks for 90 minutes in both.
struct DownSetup : test::GateSetup {
    DownSetup() {
        for (auto& partition : partitions)
            partition.total_cpus = 256;
        partitions[0].starts_jobs = false;
        partitions[1].max_time = TimeLimit{60};
        request.partition = "main,viz";
        request.time_limit = TimeLimit{90};
    }
    std::string told() const { return text::join(decide().message, "\n"); }
};

const std::string down = "partition main is down";
const std::string too_long = "wall time per job in partition viz: limit 01:00:00, this job asks for 01:30:00";
const std::string waits = "this job will wait (2 reasons):\n  " + down + " (PartitionDown)\n  " + too_long +
                          " (PartitionTimeLimit)\ncould start with: --time=01:00:00";

} // namespace

BOOST_FIXTURE_TEST_SUITE(down_partition, DownSetup)

BOOST_AUTO_TEST_CASE(the_problems_of_the_other_partitions_are_told) {
    BOOST_TEST(told() == waits);
    BOOST_TEST(pending() == "PartitionTimeLimit");
    BOOST_TEST(decide().reject == model::RejectCode::none);
    request.time_limit = TimeLimit{60};
    BOOST_TEST(told() == "");
    request.time_limit = TimeLimit{90};
    partitions[0].starts_jobs = true;
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(names_that_a_partition_does_not_accept_are_told) {
    partitions[1].max_time = TimeLimit::unlimited();
    partitions[1].deny_qos = {"normal"};
    BOOST_TEST(told().starts_with("this job will wait (2 reasons):\n  " + down +
                                  " (PartitionDown)\n  partition viz does not accept QOS normal"));
    BOOST_TEST(told().ends_with("could start with: --qos=moonlight"));
    partitions[1].deny_qos = {"secret"};
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(limits_of_the_other_partitions_are_told) {
    partitions[1].max_time = TimeLimit::unlimited();
    partitions[1].qos = "secret";
    qos(2).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 2);
    BOOST_TEST(told() == "");
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(told().starts_with("this job will wait (2 reasons):\n  " + down + " (PartitionDown)\n  CPUs"));
    qos(2).limits = model::Limits(records.tres->size());
    qos(2).limits.set(model::TresLimit::grp_tres, tres("cpu"), 4);
    BOOST_TEST(told() == "");
    qos(2).usage.tres.assign(records.tres->size(), 0);
    qos(2).usage.tres[tres("cpu")] = 2; // this one passes
    BOOST_TEST(told().starts_with("this job will wait (2 reasons):\n  " + down + " (PartitionDown)\n  CPUs"));
    BOOST_TEST(told().find("limit 4, in use 2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_partition_that_is_down_is_told) {
    partitions[1].starts_jobs = false;
    request.time_limit = TimeLimit{60};
    BOOST_TEST(told() == "this job will wait (2 reasons):\n  " + down +
                             " (PartitionDown)\n  partition viz is down (PartitionDown)");
}

BOOST_AUTO_TEST_CASE(a_job_that_starts_later_is_told_what_is_down_at_present) {
    request.begins_later = true;
    BOOST_TEST(told().starts_with("this job cannot start at present (2 reasons):\n  " + down));
    BOOST_TEST(told().find(too_long) != std::string::npos);
    request.time_limit = TimeLimit{60};
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(with_any_slurmctld_refuses_unless_the_last_partition_is_down) {
    enforce_part_limits = model::EnforcePartLimits::any;
    BOOST_TEST(told() == down + "\n" + too_long + "\nwould be accepted with: --time=01:00:00");
    BOOST_TEST(forecast().code == model::RejectCode::partition_limits);
    request.partition = "viz,main";
    BOOST_TEST(forecast().code == model::RejectCode::none);
    BOOST_TEST(told().starts_with("this job will wait (2 reasons)"));
    request.time_limit = TimeLimit{60};
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(nothing_is_told_beside_a_hidden_partition) {
    request.submit_uid = request.user_id;
    BOOST_TEST(told() == waits);
    for (auto& partition : partitions) {
        partition.is_hidden = true;
        BOOST_TEST(told() == "");
        partition.is_hidden = false;
    }
}

BOOST_AUTO_TEST_SUITE_END()

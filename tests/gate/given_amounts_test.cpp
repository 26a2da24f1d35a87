// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld adds to a job that did not ask for it: whole nodes, CPUs for its memory, a time limit.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::RejectCode;
using model::TresLimit;

namespace {

struct GivenSetup : test::GateSetup {
    bool tells(std::string_view words) const {
        return text::join(decide().message, "\n").find(words) != std::string::npos;
    }

    model::Decision decide_at(std::string_view level) const {
        return decide(test::load_site("site { limits = \"" + std::string(level) + "\" }").get());
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(given_amounts, GivenSetup)

BOOST_AUTO_TEST_CASE(an_exclusive_job_is_told_what_whole_nodes_come_to) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 32);
    request.exclusive = true;
    BOOST_TEST(decide().message.empty()); // the size of nodes is not known

    partitions[0].min_node_cpus = 32;
    BOOST_TEST(decide().message.empty());

    partitions[0].min_node_cpus = 64;
    BOOST_TEST(
        test::first_line(decide().message) ==
        "this job can never start as it is: CPUs per user in QOS normal: limit 32, this job asks for 64, "
        "because --exclusive takes whole nodes, of at least 64 CPUs in all (QOSMaxCpuPerUserLimit)");
    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);

    request.exclusive = false;
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(a_job_in_a_partition_that_gives_whole_nodes_is_told_what_they_come_to) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 32);
    partitions[0].gives_whole_nodes = true;
    partitions[0].min_node_cpus = 32;
    BOOST_TEST(decide().message.empty());

    partitions[0].min_node_cpus = 33;
    BOOST_TEST(test::first_line(decide().message) ==
               "this job can never start as it is: CPUs per user in QOS normal: limit 32, this job asks for "
               "33, because partition main gives whole nodes, of at least 33 CPUs in all "
               "(QOSMaxCpuPerUserLimit)");
    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);
    request.exclusive = true;
    BOOST_TEST(tells("because --exclusive takes whole nodes"));
    request.exclusive = false;

    request.partition = "viz";
    BOOST_TEST(decide().message.empty());
    request.partition = "viz,main"; // the job can start in viz
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_suggested_for_a_partition_that_gives_whole_nodes) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 32);
    request.tasks = request.min_cpus = 33;
    BOOST_TEST(tells("could start with"));

    partitions[0].gives_whole_nodes = true;
    BOOST_TEST(!tells("could start with"));
    request.partition = "viz,main";
    BOOST_TEST(!tells("could start with"));
}

BOOST_AUTO_TEST_CASE(an_exclusive_job_may_get_more_than_a_minimum_asks_for) {
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("cpu"), 40);
    request.exclusive = true;
    partitions[0].min_node_cpus = 32;
    BOOST_TEST(decide().message.empty());

    request.exclusive = false;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job can never start"));
    partitions[0].gives_whole_nodes = true;
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(a_job_gets_more_cpus_for_more_memory_than_one_may_have) {
    request.submit_uid = request.user_id;
    partitions[0].max_memory = model::Memory{1000, /*per_cpu=*/true};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 10);
    request.memory = model::Memory{4000, /*per_cpu=*/true};
    request.tasks = request.min_cpus = 2; // with 4 CPUs each
    BOOST_TEST(decide().message.empty());
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(tells(
        "this job can never start as it is: CPUs per job in QOS normal: limit 10, this job asks for 12, "
        "one for each 1000M of its memory (MaxMemPerCPU) (QOSMaxCpuPerJobLimit)"));
    request.memory = model::Memory{4001, /*per_cpu=*/true};
    BOOST_TEST(tells("limit 10, this job asks for 15, one for each 1000M of its memory"));

    request.tasks = request.min_cpus = 1;
    request.memory = model::Memory{10000, /*per_cpu=*/false};
    BOOST_TEST(decide().message.empty());
    request.memory = model::Memory{10001, /*per_cpu=*/false};
    BOOST_TEST(tells("limit 10, this job asks for 11, one for each 1000M of its memory"));
    partitions[0].is_hidden = true;
    BOOST_TEST(decide().message.empty());
    partitions[0].is_hidden = false;
    partitions[0].max_memory.reset();
    BOOST_TEST(decide().message.empty());
    max_memory = model::Memory{1000, /*per_cpu=*/true};
    BOOST_TEST(tells("limit 10, this job asks for 11"));
}

BOOST_AUTO_TEST_CASE(cpus_that_memory_did_not_make_are_not_blamed_on_it) {
    partitions[0].max_memory = model::Memory{1000, /*per_cpu=*/true};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 10);
    request.tasks = request.min_cpus = 12;
    request.memory = model::Memory{1000, /*per_cpu=*/true}; // as much as each CPU may have
    BOOST_TEST(tells("limit 10, this job asks for 12 (QOSMaxCpuPerJobLimit)"));
    request.memory = model::Memory{11999, /*per_cpu=*/false};
    BOOST_TEST(tells("limit 10, this job asks for 12 (QOSMaxCpuPerJobLimit)"));
    request.memory = model::Memory{12001, /*per_cpu=*/false};
    BOOST_TEST(tells("limit 10, this job asks for 13, one for each 1000M of its memory (MaxMemPerCPU)"));
}

BOOST_AUTO_TEST_CASE(an_unlimited_time_is_not_said_to_come_from_a_limit) {
    partitions[0].max_time = TimeLimit::unlimited();
    partitions[0].default_time.reset();
    qos(0).limits.set(CountLimit::grp_wall, 0);
    BOOST_TEST(tells("(QOSGrpWallLimit)"));
    BOOST_TEST(!tells("by a limit on time"));
}

BOOST_AUTO_TEST_CASE(a_job_without_time_is_told_where_a_time_that_is_too_long_comes_from) {
    partitions[0].max_time = TimeLimit{60};
    partitions[0].default_time = TimeLimit{61};
    const std::string by_default = "this job names no --time: 01:01:00 is the default of partition main";
    BOOST_TEST(tells(by_default));
    partitions[0].default_time = TimeLimit{60};
    BOOST_TEST(decide().message.empty());

    partitions[0].default_time.reset();
    qos(0).limits.set(CountLimit::max_wall, 90);
    BOOST_TEST(tells("this job names no --time: it gets 01:30:00 by a limit on time"));
    request.time_limit = TimeLimit{61};
    BOOST_TEST(tells("this job can never start"));
    BOOST_TEST(!tells("names no --time"));

    request.time_limit.reset();
    partitions[0].max_time = TimeLimit{90};
    BOOST_TEST(decide().message.empty());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 1);
    request.tasks = request.min_cpus = 2; // the time does not block the job
    BOOST_TEST(!tells("names no --time"));
}

BOOST_AUTO_TEST_SUITE_END()

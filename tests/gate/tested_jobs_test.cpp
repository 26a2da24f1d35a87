// SPDX-License-Identifier: GPL-2.0-or-later
//
// The job of a test is counted, and has its defaults, as slurmctld's jobs have them in the cluster that the
// test gives.
#include "support/policy_test_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// What a rule reads, in a test that gives it, and in one that gives something else.
struct Reading {
    const char* condition;
    const char* holds;
    const char* holds_not;
    friend std::ostream& operator<<(std::ostream& out, const Reading& reading) {
        return out << reading.condition;
    }
};

const Reading readings[] = {
    {"job.partition == 'main' and job.time_limit == 30 and not job:is_set('time_limit')",
     "given = { partitions = { { name = 'main', max_time = 100, default_time = 30 } } }",
     "given = { partitions = { { name = 'main', max_time = 100, default_time = 31 } } }"},
    {"job.time_limit == 100", "given = { partitions = { { name = 'main', max_time = 100 } } }",
     "given = { partitions = { { name = 'main', max_time = 101 } } }"},
    {"job.time_limit == 60",
     "given = { time_limit = 60, partitions = { { name = 'main', max_time = 100, default_time = 30 } } }",
     "given = { partitions = { { name = 'main', max_time = 100, default_time = 30 } } }"},
    {"job.partition == 'b' and job.time_limit == 5",
     "given = { partition = 'b', partitions = { { name = 'a' }, { name = 'b', default_time = 5 } } }",
     "given = { partitions = { { name = 'a' }, { name = 'b', default_time = 5 } } }"},
    {"job.partition == nil and job.qos == nil and job.account == nil and job.time_limit == nil", "job = {}",
     "given = { partitions = { { name = 'main' } } }"},
    {"job.gpus == 2", "job = { tres_per_node = 'gres:gpu:2' }", "job = { tres_per_node = 'gres:gpu:3' }"},
    {"job.gpus == 4 and job.gpu.type == 'a100'", "job = { nodes = 2, tres_per_node = 'gres:gpu:a100:2' }",
     "job = { nodes = 3, tres_per_node = 'gres:gpu:a100:2' }"},
    {"job.memory == 800", "job = { tasks = 8, memory_per_cpu = 100 }",
     "job = { tasks = 7, memory_per_cpu = 100 }"},
    {"job.memory == 300 and job.nodes == 3", "job = { nodes = 3, memory_per_node = 100 }",
     "job = { nodes = 3, memory_per_node = 101 }"},
    {"job.memory == 8000 and job.cpus == 6", "job = { gpus = 2, memory_per_gpu = 4000, cpus_per_gpu = 3 }",
     "job = { gpus = 2, memory_per_gpu = 4001, cpus_per_gpu = 3 }"},
    {"job.gpus == 3", "job = { tres_per_node = 'gres:gpu:1', gpus = 3 }",
     "job = { tres_per_node = 'gres:gpu:1' }"},
    {"job.cpus == 5", "job = { tasks = 4, cpus = 5 }", "job = { tasks = 4 }"},
    {"job.qos == 'gpu' and not job:is_set('qos')",
     "given = { qos = { { name = 'gpu' }, { name = 'x' } }, associations = { { user = 1000, account = 'bio', "
     "default_qos = 'gpu' } } }",
     "given = { qos = { { name = 'gpu' }, { name = 'x' } }, associations = { { user = 1000, account = 'bio', "
     "default_qos = 'x' } } }"},
    {"job.account == 'bio'", "given = { associations = { { user = 1000, account = 'bio' } } }",
     "given = { associations = { { user = 1000, account = 'astro' } } }"},
    {"job.user == 'ana' and job.uid == 1017 and job.submit_uid == 1017 and job.account == 'bio'",
     "job = { user = 'ana' }, given = { associations = { { user = 1017, user_name = 'ana', account = 'bio' } "
     "} }",
     "job = { user = 'bob' }, given = { associations = { { user = 1017, user_name = 'ana', account = 'bio' } "
     "} }"},
    {"job.user == 'ana'",
     "given = { associations = { { user = 1000, user_name = 'ana', account = 'bio' } } }",
     "given = { associations = { { user = 1000, user_name = 'bob', account = 'bio' } } }"},
    {"job.qos == 'GPU'", "job = { qos = 'gpu' }, given = { qos = { { name = 'GPU' } } }",
     "job = { qos = 'gpu' }"},
};

/// The same after the rule has written something.
struct Rewriting {
    const char* writes;
    Reading reading;
    friend std::ostream& operator<<(std::ostream& out, const Rewriting& one) {
        return out << one.writes << ": " << one.reading;
    }
};

const Rewriting rewritings[] = {
    {"job.tasks = 8",
     {"job.cpus == 8 and job.memory == 800", "job = { memory_per_cpu = 100 }",
      "job = { memory_per_cpu = 101 }"}},
    {"job.partition = 'short'",
     {"job.time_limit == 10",
      "given = { partitions = { { name = 'main', default_time = 30 }, { name = 'short', default_time = 10 } "
      "} }",
      "given = { partitions = { { name = 'main', default_time = 30 }, { name = 'short', default_time = 11 } "
      "} }"}},
    // What the test says of a count holds until it is counted from something else.
    {"job.tasks = 2",
     {"job.gpus == 3", "job = { gpus = 3, tres_per_node = 'gres:gpu:1' }", "job = { gpus = 2 }"}},
    {"job.min_nodes = 2",
     {"job.nodes == 2", "job = { nodes = 4 }", "job = { nodes = 4, nodelist = 'n[1-3]' }"}},
    {"if job.name then job.licenses = 'matlab:3' end",
     {"job.tres['license/matlab'] == 3", "job = { name = 'a', tres = { ['license/matlab'] = 2 } }",
      "job = { tres = { ['license/matlab'] = 2 } }"}},
};

/// Whether the condition holds in a rule; else why the test has failed.
std::string problem_with(const std::string& writes, const char* condition, const std::string& table) {
    return problems_of(writes + " if " + condition + " then job:reject('it holds') end",
                       table + (table.empty() ? "" : ", ") + "expect = { reject = 'it holds' }");
}

} // namespace

BOOST_AUTO_TEST_SUITE(tested_jobs)

BOOST_DATA_TEST_CASE(have_the_counts_and_defaults_of_the_cluster, readings, reading) {
    BOOST_TEST(problem_with("", reading.condition, reading.holds) == "");
    BOOST_TEST(problem_with("", reading.condition, reading.holds_not) ==
               "expect.reject: the job was accepted");
}

BOOST_DATA_TEST_CASE(are_counted_again_after_rules_have_changed_them, rewritings, one) {
    BOOST_TEST(problem_with(one.writes, one.reading.condition, one.reading.holds) == "");
    BOOST_TEST(problem_with(one.writes, one.reading.condition, one.reading.holds_not) ==
               "expect.reject: the job was accepted");
}

BOOST_AUTO_TEST_CASE(are_compared_as_the_rules_left_them) {
    const std::string given = "job = { tasks = 2, memory_per_cpu = 100 }, ";
    BOOST_TEST(problems_of("job.tasks = 4", given + "expect = { job = { cpus = 4, memory = 400 } }") == "");
    BOOST_TEST(problems_of("job.tasks = 4", given + "expect = { job = { cpus = 2 } }") ==
               "expect.job.cpus: 2 is expected, and it is 4");
    const std::string partitions =
        "given = { partitions = { { name = 'a', default_time = 5 }, { name = 'b', default_time = 6 } } }, ";
    BOOST_TEST(problems_of("job.partition = 'b'", partitions + "expect = { job = { time_limit = 6 } }") ==
               "");
    BOOST_TEST(problems_of("", partitions + "expect = { job = { time_limit = 6 } }") ==
               "expect.job.time_limit: 6 is expected, and it is 5");
}

BOOST_AUTO_TEST_CASE(name_only_what_the_cluster_has) {
    BOOST_TEST(
        problems_of(
            "", "given = { partition = 'c', partitions = { { name = 'a' } } }, expect = { accept = true }") ==
        "given: partition: there is no partition \"c\" in given.partitions");
    BOOST_TEST(
        problems_of(
            "", "given = { partition = 'a', partitions = { { name = 'a' } } }, expect = { accept = true }") ==
        "");
}

BOOST_AUTO_TEST_CASE(are_sent_by_operators_if_the_test_says_so) {
    const auto policy = policy_of(
        {{"t.lua", "rule { exempt = { 'operators' }, submit = function(job) job:reject('no') end }"}});
    const auto given = [](const char* level) {
        return text::format("given = {{ users = {{ {{ user = 1000, admin_level = '{}' }} }} }}, ", level);
    };
    BOOST_TEST(problems_in(*policy, given("operator") + "expect = { accept = true }") == "");
    BOOST_TEST(problems_in(*policy, given("none") + "expect = { reject = 'no' }") == "");
}

BOOST_AUTO_TEST_SUITE_END()

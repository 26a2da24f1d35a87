// SPDX-License-Identifier: GPL-2.0-or-later
//
// The job of a test of a change is shown as slurmctld shows a job that it has.
#include "support/policy_test_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// What does not pass in a test of a change by a rule for changes with this body.
std::string problems_at_change(const std::string& body, const std::string& table) {
    return problems_in(*policy_of({{"t.lua", modify_with(body)}}), table);
}

/// What a test of a change gives that cannot be there, how the complaint begins, and the test without it.
struct ImpossibleChange {
    const char* gives;
    const char* complaint;
    const char* corrected;
    friend std::ostream& operator<<(std::ostream& out, const ImpossibleChange& one) {
        return out << one.gives;
    }
};

const ImpossibleChange impossible[] = {
    {"before = { array = '1-9' }",
     "before.array cannot be given: at a change slurmctld does not show it, and rules read nil",
     "before = {}"},
    {"before = { array_tasks = 2 }", "before.array_tasks cannot be given", "before = { array_tasks = 1 }"},
    {"before = { script = 'x' }", "before.script cannot be given", "before = {}"},
    {"before = {}, job = { script = 'x' }", "job.script cannot be given", "before = {}"},
    {"before = {}, job = { array = '1-9' }", "job.array cannot be given", "before = {}"},
    {"before = { is_het_part = true }",
     "before.is_het_part cannot be given: at a change slurmctld does not show it, and rules read false",
     "before = { is_het_part = false }"},
    {"before = { het_offset = 0 }", "before.het_offset cannot be given", "before = {}"},
    {"before = { reboot = true }",
     "before.reboot cannot be given: at a change slurmctld does not show it unless the change sets it (in "
     "the test: job), and rules read false",
     "before = {}, job = { reboot = true }"},
    {"before = { burst_buffer = 'x' }", "before.burst_buffer cannot be given",
     "before = {}, job = { burst_buffer = 'x' }"},
    {"before = { admin_comment = 'x' }", "before.admin_comment cannot be given",
     "before = {}, job = { admin_comment = 'x' }"},
    {"before = { switches = 2 }", "before.switches cannot be given", "before = {}, job = { switches = 2 }"},
    {"before = { switches_wait = 9 }", "before.switches_wait cannot be given",
     "before = {}, job = { switches_wait = 9 }"},
    {"before = {}, job = { uid = 7 }", "job.uid cannot be changed: write it into before",
     "before = { uid = 7 }"},
    {"before = {}, job = { user = 'ana' }", "job.user cannot be changed", "before = { user = 'ana' }"},
    {"before = {}, job = { interactive = true }", "job.interactive cannot be changed",
     "before = { interactive = true }"},
    {"before = {}, job = { submit_host = 'h' }", "job.submit_host cannot be changed",
     "before = { submit_host = 'h' }, job = { submit_uid = 7 }"},
    {"before = {}, job = { env = { A = '1' } }", "job.env cannot be changed",
     "before = { env = { A = '1' } }"},
    {"before = {}, job = { argv = { 'a' } }", "job.argv cannot be changed", "before = { argv = { 'a' } }"},
};

constexpr const char* partitions =
    "given = { partitions = { { name = 'main', default_time = 30 }, { name = 'short', default_time = 10 } } "
    "}, ";

} // namespace

BOOST_AUTO_TEST_SUITE(tested_changes)

BOOST_AUTO_TEST_CASE(are_counted_at_a_change_before_and_after_it) {
    const auto policy =
        policy_of({{"t.lua", modify_with("if job.gpus > before.gpus then "
                                         "job:reject('%d of %d', job.gpus, before.gpus) end")}});
    const std::string before = "before = { tres_per_node = 'gres:gpu:1', nodes = 2 }, ";
    BOOST_TEST(problems_in(*policy, before + "job = { nodes = 3 }, expect = { reject = '3 of 2' }") == "");
    BOOST_TEST(problems_in(*policy, before + "job = { nodes = 2 }, expect = { accept = true }") == "");
}

BOOST_AUTO_TEST_CASE(have_the_words_and_variables_from_before_a_change) {
    const auto policy =
        policy_of({{"t.lua", modify_with("job:reject('%d %s %s %s', #job.argv, job.argv[1], job.env.A, "
                                         "job.env.B)")}});
    const std::string before = "before = { argv = { 'a', 'b' }, env = { A = '1', B = '2' } }, ";
    BOOST_TEST(problems_in(*policy, before + "job = { nodes = 1 }, expect = { reject = '2 a 1 2' }") == "");
}

BOOST_DATA_TEST_CASE(give_nothing_that_slurmctld_does_not_show, impossible, one) {
    const auto problem = [](const std::string& gives) {
        return problems_at_change("job:note('seen')", gives + ", expect = { accept = true }");
    };
    BOOST_TEST(problem(one.gives).starts_with(one.complaint), problem(one.gives));
    BOOST_TEST(problem(one.corrected) == "");
}

BOOST_AUTO_TEST_CASE(have_set_what_the_job_got_by_default) {
    const std::string body =
        "for _, object in ipairs({ job, before }) do\n"
        "    for _, field in ipairs({ 'partition', 'time_limit', 'account', 'qos' }) do\n"
        "        if not object:is_set(field) then job:reject('%s is unset', field) end\n"
        "    end\nend\n"
        "job:reject('%s %s %s %d', job.partition, job.account, job.qos, job.time_limit)";
    const auto problem = [&](const std::string& given) {
        return problems_at_change(body, "before = {}, job = { nodes = 2 }, " + given);
    };
    BOOST_TEST(problem("given = { partition = 'main', qos = 'normal', account = 'bio', time_limit = 30 }, "
                       "expect = { reject = 'main bio normal 30' }") == "");
    BOOST_TEST(problem("given = { partition = 'main', qos = 'normal', account = 'bio' }, "
                       "expect = { reject = 'time_limit is unset' }") == "");
    BOOST_TEST(problem("given = { qos = 'normal', associations = { { user = 1000, account = 'bio' } }, "
                       "partitions = { { name = 'main', max_time = 60 } } }, "
                       "expect = { reject = 'main bio normal 60' }") == "");
}

BOOST_AUTO_TEST_CASE(keep_the_defaults_that_they_had_before_the_change) {
    const std::string moved = std::string(partitions) + "before = {}, job = { partition = 'short' }, ";
    const std::string body = "job:reject('%s %d, %s %d', before.partition, before.time_limit, job.partition, "
                             "job.time_limit)";
    BOOST_TEST(problems_at_change(body, moved + "expect = { reject = 'main 30, short 30' }") == "");
    // As a new job it has the time of the partition.
    BOOST_TEST(problems_of("job:reject('%d', job.time_limit)", std::string(partitions) +
                                                                   "job = { partition = 'short' }, "
                                                                   "expect = { reject = '10' }") == "");
}

BOOST_AUTO_TEST_CASE(are_one_task) {
    const std::string body = "job:reject('%d of %d', job.array_tasks, before.array_tasks)";
    BOOST_TEST(problems_at_change(body, "before = {}, job = { nodes = 2 }, expect = { reject = '1 of 1' }") ==
               "");
    BOOST_TEST(problems_at_change(body,
                                  "before = { array_tasks = 1 }, job = { nodes = 2 }, expect = { reject "
                                  "= '1 of 1' }") == "");
}

BOOST_AUTO_TEST_CASE(lose_closed_partitions_only_where_the_change_names_partitions) {
    // slurmctld leaves closed partitions out when a job gets its partitions, and not later. The largest
    // default of those that are left counts.
    const std::string given = "given = { partitions = { { name = 'open', default_memory = { mib = 200 } }, "
                              "{ name = 'closed', takes_jobs = false, default_memory = { mib = 300 } } } }, ";
    const auto problem = [&](const std::string& table) {
        return problems_at_change("job:reject('%d', job.memory)", given + table);
    };
    BOOST_TEST(problem("before = { partition = 'closed,open' }, job = { nodes = 1 }, expect = { reject = "
                       "'300' }") == "");
    BOOST_TEST(problem("before = { partition = 'open' }, job = { partition = 'closed,open' }, expect = { "
                       "reject = '200' }") == "");
    BOOST_TEST(problem("before = { partition = 'closed,open' }, job = { partition = 'closed,open' }, expect "
                       "= { reject = '300' }") == "");
}

BOOST_AUTO_TEST_SUITE_END()

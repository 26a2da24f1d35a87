// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/policy_test_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ctime>

#include <unistd.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

namespace {

/// Why a file of tests does not load; "" if it does.
std::string load_error_of(const std::string& source) {
    const auto tests = read_tests({"t.lua", source});
    return tests ? std::string() : tests.error().message;
}

/// A rule's body, a test that it passes, and one that it does not, with the beginning of the problem.
struct Pair {
    const char* body;
    const char* passes;
    const char* fails;
    const char* problem;
    friend std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.fails; }
};

const Pair pairs[] = {
    {"if job.nodes > 2 then job:reject('too many nodes') end",
     "job = { nodes = 2 }, expect = { accept = true }", "job = { nodes = 3 }, expect = { accept = true }",
     "expect.accept: the job was rejected: too many nodes"},
    {"if job.nodes > 2 then job:reject('too many nodes') end",
     "job = { nodes = 3 }, expect = { reject = true }", "job = { nodes = 2 }, expect = { reject = true }",
     "expect.reject: the job was accepted"},
    {"job:reject('too many nodes')", "expect = { reject = 'many' }", "expect = { reject = 'large' }",
     "expect.reject: the message has no \"large\": too many nodes"},
    {"job:warn('take care')", "expect = { warn = 'care' }", "expect = { warn = 'cure' }",
     "expect.warn: no message has \"cure\": take care"},
    {"if job.name then job:warn('take care') end", "expect = { warn = false }",
     "job = { name = 'a' }, expect = { warn = false }", "expect.warn: the user read: take care"},
    {"job.qos = 'b'", "expect = { job = { qos = 'b' } }", "expect = { job = { qos = 'a' } }",
     "expect.job.qos: \"a\" is expected, and it is \"b\""},
    {"job.comment = nil", "job = { comment = 'x' }, expect = { job = { comment = unset } }",
     "job = { name = 'x' }, expect = { job = { name = unset } }",
     "expect.job.name: unset is expected, and it is \"x\""},
    // A default is not asked for.
    {"if job.name then job.qos = job.qos end", "given = { qos = 'a' }, expect = { job = { qos = unset } }",
     "given = { qos = 'a' }, job = { name = 'x' }, expect = { job = { qos = unset } }",
     "expect.job.qos: unset is expected, and it is \"a\""},
    // Unset and false differ in fields that are true or false.
    {"if job.name then job.requeue = false end", "expect = { job = { requeue = unset } }",
     "job = { name = 'x' }, expect = { job = { requeue = unset } }",
     "expect.job.requeue: unset is expected, and it is false"},
    {"if job.name then job.exclusive = true end", "expect = { job = { exclusive = unset, gpu = unset } }",
     "job = { name = 'x' }, expect = { job = { exclusive = unset } }",
     "expect.job.exclusive: unset is expected, and it is true"},
    {"job.qos = 'b'", "job = { name = 'x' }, expect = { job = { gpus = unset, array = unset } }",
     "job = { gpus = 2 }, expect = { job = { gpu = unset } }", "expect.job.gpu: unset is expected"},
    {"job.time_limit = 480", "expect = { job = { time_limit = '8:00:00' } }",
     "expect = { job = { time_limit = '8:01:00' } }",
     "expect.job.time_limit: 481 is expected, and it is 480"},
    {"job.qos = 'b'", "job = { gpus = 2 }, expect = { job = { gpus = 2 } }",
     "expect = { job = { gpus = 2 } }", "expect.job.gpus: 2 is expected, and it is 0"},
    {"if job.nodes > 1 then local x = job.tasks + 1 end", "job = { nodes = 2 }, expect = { fails = true }",
     "job = { nodes = 1 }, expect = { fails = true }", "expect.fails: no rule failed"},
    {"local x = job.tasks + 1", "job = { tasks = 1 }, expect = { accept = true }",
     "expect = { reject = true }",
     "rule 't' (t.lua) failed: t.lua:2: attempt to perform arithmetic on a nil value"},
    {"job:reject('no')", "expect = { reject = 'no' }", "expect = { job = { qos = 'a' } }",
     "expect.job.qos: the job was rejected"},
    {"if job.user == 'ana' and job.uid == 7 and job.submit_uid == 7 then job:reject('no') end",
     "job = { user = 'ana', uid = 7 }, expect = { reject = true }",
     "job = { user = 'ana', uid = 7, submit_uid = 0 }, expect = { reject = true }", "expect.reject"},
    {"if job.qos == 'normal' and not job:is_set('qos') then job:reject('no') end",
     "given = { qos = 'normal' }, expect = { reject = true }",
     "job = { qos = 'normal' }, expect = { reject = true }", "expect.reject"},
    {"if job.partition == 'cpu' and job.account == 'bio' and job.time_limit == 60 then job:reject('no') end",
     "given = { partition = 'cpu', account = 'bio', time_limit = '1:00:00' }, expect = { reject = true }",
     "given = { partition = 'cpu', account = 'bio', time_limit = 61 }, expect = { reject = true }",
     "expect.reject"},
    {"if job.tres['license/matlab'] > 1 then job:reject('no') end",
     "job = { tres = { ['license/matlab'] = 2 } }, expect = { reject = true }",
     "job = { tres = { ['license/matlab'] = 1 } }, expect = { reject = true }", "expect.reject"},
    {"if job.cpus == 8 and job.memory == 100 and job.nodes == 2 then job:reject('no') end",
     "job = { tasks = 4, cpus_per_task = 2, memory = 100, min_nodes = 2 }, expect = { reject = true }",
     "job = { tasks = 4, memory = 100, min_nodes = 2 }, expect = { reject = true }", "expect.reject"},
    {"if job:is_set('nodes') and job:is_set('gpus') and job:is_set('memory') then job:reject('no') end",
     "job = { nodes = 1, gpus = 1, memory = 1 }, expect = { reject = true }", "expect = { reject = true }",
     "expect.reject"},
    {"if job.script == '#!/bin/sh' and job.reboot and job.tmp_disk == 5 then job:reject('no') end",
     "job = { script = '#!/bin/sh', reboot = true, tmp_disk = 5 }, expect = { reject = true }",
     "job = { script = '#!/bin/sh', reboot = false, tmp_disk = 5 }, expect = { reject = true }",
     "expect.reject"},
    {"if job.gpu and job.gpu.count == 2 and job.nice == 5 then job:reject('no') end",
     "job = { gpus = 2, nice = 5 }, expect = { reject = true }",
     "job = { gpus = 1, nice = 5 }, expect = { reject = true }", "expect.reject"},
    {"job.dependency = 'singleton'", "expect = { job = { dependency = 'singleton' } }",
     "expect = { job = { dependency = 'none' } }", "expect.job.dependency: \"none\" is expected, and it is"},
    {"job:warn('take care') job:warn('and heed')", "expect = { warn = { 'care', 'heed' } }",
     "expect = { warn = { 'care', 'need' } }", "expect.warn: no message has \"need\": take care\nand heed"},
    {"job:note('by the way')", "expect = { note = 'way', warn = 'way' }", "expect = { note = 'road' }",
     "expect.note: no message has \"road\": by the way"},
    {"job:warn('take care')", "expect = { note = false, warn = 'care' }", "expect = { note = 'care' }",
     "expect.note: no message has \"care\": there is none"},
    {"if job.nodes > 2 then job:reject('too many nodes') end",
     "job = { nodes = 3 }, expect = { reject = { 'too many', 'nodes' }, rule = 't' }",
     "job = { nodes = 2 }, expect = { rule = 't' }",
     "expect.rule: rule 't' does not reject the job; none does"},
    {"if job.env.HOME == '/home/ana' and job.env.X == nil and job.argv[1] == 'a' and job.argv[2] == 'b' and "
     "job.argv[0] == 'job.sh' then job:reject('no') end",
     "job = { env = { HOME = '/home/ana' }, argv = { 'a', 'b' } }, expect = { reject = true }",
     "job = { env = { HOME = '/home/ana' }, argv = { 'b', 'a' } }, expect = { reject = true }",
     "expect.reject"},
    {"if job.argv[0] == 'run.sh' and job.argv[1] == 'a' and job.reboot then job:reject('no') end",
     "job = { argv = { [0] = 'run.sh', 'a' }, reboot = true }, expect = { reject = true }",
     "job = { argv = { 'run.sh', 'a' }, reboot = true }, expect = { reject = true }", "expect.reject"},
    {"if job.interactive and not job.is_batch then job:reject('no') end",
     "job = { interactive = true }, expect = { reject = true }",
     "job = { interactive = false }, expect = { reject = true }", "expect.reject"},
    {"if job.exclusive and job.nodelist == 'n1' and job.array_tasks == 3 then job:reject('no') end",
     "job = { exclusive = true, nodelist = 'n1', array_tasks = 3 }, expect = { reject = true }",
     "job = { exclusive = false, nodelist = 'n1', array_tasks = 3 }, expect = { reject = true }",
     "expect.reject"},
};

/// A table of a test that is wrong, and the beginning of what is told.
struct WrongTest {
    const char* table;
    const char* complaint;
    friend std::ostream& operator<<(std::ostream& out, const WrongTest& mistake) {
        return out << mistake.table;
    }
};

const WrongTest wrong_tests[] = {
    {"job = { node = 1 }, expect = { accept = true }", "unknown field 'node' of job; did you mean nodes?"},
    {"job = { tasks = 'x' }, expect = { accept = true }", "job.tasks cannot be \"x\""},
    {"job = { gpus = -1 }, expect = { accept = true }", "job.tres[\"gres/gpu\"] cannot be -1"},
    {"job = { user = 1 }, expect = { accept = true }", "job.user cannot be 1: write a text"},
    {"job = { exclusive = 1 }, expect = { accept = true }", "job.exclusive cannot be 1"},
    {"job = { is_batch = 1 }, expect = { accept = true }", "job.is_batch cannot be 1: write true or false"},
    {"job = { script = 1 }, expect = { accept = true }", "job.script cannot be 1: write a text"},
    {"job = { reboot = 1 }, expect = { accept = true }", "job.reboot cannot be 1: write true or false"},
    {"job = { env = 'x' }, expect = { accept = true }", "job.env cannot be set so in a test: write env = {"},
    {"job = { tres = 1 }, expect = { accept = true }", "job.tres cannot be set so in a test: write tres = {"},
    {"job = { gpu = 1 }, expect = { accept = true }",
     "job.gpu cannot be set so in a test: write gpus = 2; to name a type, tres_per_node = \"gres:gpu"},
    {"job = { gpu_requests = 1 }, expect = { accept = true }",
     "job.gpu_requests cannot be set so in a test: write tres_per_node = \"gres:gpu"},
    {"job = { cpu = 1 }, expect = { accept = true }", "unknown field 'cpu' of job; did you mean cpus?"},
    {"job = { argv = { 1 } }, expect = { accept = true }", "a word of job.argv cannot be 1: write a text"},
    {"job = { argv = { a = 'x' } }, expect = { accept = true }", "t.lua:1: test: job.argv is a list"},
    {"job = { env = { HOME = 1 } }, expect = { accept = true }", "job.env.HOME cannot be 1: write a text"},
    {"job = { interactive = 1 }, expect = { accept = true }",
     "job.interactive cannot be 1: write true or false"},
    {"expect = { rule = 'x' }", "expect.rule: there is no rule 'x'"},
    {"expect = { runs = 'x' }", "expect.runs: there is no rule 'x'"},
    {"expect = { runs = true }", "expect.runs cannot be true: write the name of a rule that runs"},
    {"expect = { rule = true }", "expect.rule cannot be true: write the name of a rule"},
    {"expect = { note = true }", "expect.note cannot be true"},
    {"expect = { warn = { 1 } }", "expect.warn cannot be 1"},
    {"expect = { warn = { a = 'x' } }", "t.lua:1: test: expect.warn is a list"},
    {"given = { pos = 'x' }, expect = { accept = true }", "given: unknown name 'pos'; did you mean qos?"},
    {"given = { qos = 1 }, expect = { accept = true }", "given.qos cannot be 1: write a text"},
    {"job = { qos = 'x' }", "the test expects nothing"},
    {"expect = { rejet = true }", "expect: unknown key 'rejet'; did you mean reject?"},
    {"expect = { accept = false }", "expect.accept cannot be false"},
    {"expect = { reject = false }", "expect.reject cannot be false"},
    {"expect = { warn = true }", "expect.warn cannot be true"},
    {"expect = { job = { node = 1 } }", "expect: unknown field 'node' of job"},
    {"expect = { job = { tasks = 'x' } }", "expect: job.tasks cannot be \"x\""},
    {"expect = { job = { uid = unset } }", "expect.job.uid cannot be unset"},
    {"job = { qos = unset }, expect = { accept = true }", "t.lua:1: test: job: unset is for expect.job"},
    {"expect = { reject = { unset } }", "t.lua:1: test: expect.reject: unset is for expect.job"},
    {"expect = { job = { qos = unset() } }", "t.lua:1: unset is a value and no function"},
    {"jobs = {}, expect = { accept = true }", "t.lua:1: test: unknown key 'jobs'; did you mean job?"},
    {"job = 1, expect = { accept = true }", "t.lua:1: test: job is a table: write job = { ... }"},
    {"job = { 'x' }, expect = { accept = true }", "t.lua:1: test: job: write NAME = VALUE"},
    {"'x'", "t.lua:1: test: unknown key ''"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(policy_tests)

BOOST_DATA_TEST_CASE(compares_what_the_rules_did, pairs, pair) {
    BOOST_TEST(problems_of(pair.body, pair.passes) == "");
    const std::string problem = problems_of(pair.body, pair.fails);
    BOOST_TEST(problem.starts_with(pair.problem), problem);
}

BOOST_DATA_TEST_CASE(a_test_that_is_wrong_has_not_passed, wrong_tests, mistake) {
    const std::string problem = problems_of("job:warn('x')", mistake.table);

    BOOST_TEST(problem.starts_with(mistake.complaint), problem);
}

namespace {

/// The same for a test of a change.
std::string problems_at_change(const std::string& rule, const std::string& table) {
    return problems_in(*policy_of({{"t.lua", rule}}), table);
}

} // namespace

BOOST_AUTO_TEST_CASE(with_before_the_rules_for_changes_run) {
    const std::string rule =
        modify_with("if job.time_limit > before.time_limit then job:reject('longer') end\n"
                    "if job.qos ~= before.qos then job:reject('other QOS') end");
    const auto problem = [&](const std::string& table) { return problems_at_change(rule, table); };
    BOOST_TEST(
        problem("before = { time_limit = 60 }, job = { time_limit = 61 }, expect = { reject = 'longer' }") ==
        "");
    BOOST_TEST(
        problem("before = { time_limit = 60 }, job = { time_limit = 60 }, expect = { accept = true }") == "");
    BOOST_TEST(has_text(
        problem("before = { time_limit = 60 }, job = { time_limit = 60 }, expect = { reject = true }"),
        "the job was accepted"));
    // The job has what it does not say from before.
    BOOST_TEST(problem("before = { time_limit = 60, qos = 'a' }, expect = { accept = true }") == "");
    BOOST_TEST(
        problem(
            "before = { time_limit = 60, qos = 'a' }, job = { qos = 'b' }, expect = { reject = 'other' }") ==
        "");
    // Without `before` it is a new job, for which this rule does not run.
    BOOST_TEST(problem("job = { time_limit = 61 }, expect = { accept = true }") == "");
}

BOOST_AUTO_TEST_CASE(a_test_of_a_change_runs_what_slurmctld_would_run) {
    const std::string nice = modify_with("if job.nice ~= before.nice then job:reject('nice') end");
    BOOST_TEST(problems_at_change(nice, "before = {}, job = { nice = 5 }, expect = { reject = 'nice' }") ==
               "");
    const std::string all = modify_with("job:reject('all')");
    BOOST_TEST(problems_at_change(all, "before = {}, job = { nice = 5 }, expect = { accept = true }") == "");
    BOOST_TEST(problems_at_change(all, "before = {}, job = { tasks = 2 }, expect = { reject = 'all' }") ==
               "");
    BOOST_TEST(problems_at_change(
                   all, "before = {}, job = { tres = { cpu = 2 } }, expect = { reject = 'all' }") == "");
    BOOST_TEST(
        has_text(problems_at_change(all, "before = {}, job = { nice = 5 }, expect = { reject = 'all' }"),
                 "no rule ran"));
    // A change of nothing.
    BOOST_TEST(problems_at_change(all, "before = { tasks = 2 }, expect = { accept = true }") == "");
}

namespace {

/// What a test with this table warns of, with a rule for new jobs, one for changes of `nice`, which operators
/// are exempt from, and one for clients.
TestResult result_of(const std::string& table) {
    const auto policy = policy_of(
        {{"new.lua", "rule { on = { 'submit' }, submit = function(job) job:note('new') end }"},
         {"nice.lua", "rule { exempt = { 'operators' }, modify = function(job) if job.nice > 5 then "
                      "job:reject('nice') end end }"},
         {"client.lua", "rule { client = function(options) options:note('client') end }"}});
    const auto tests = read_tests({"t.lua", "test 'x' {" + table + "}"});
    BOOST_TEST_REQUIRE(tests.has_value());
    return run_alone(*policy, tests->at(0));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_test_in_which_no_rule_runs_warns) {
    const auto warnings_of = [](const std::string& table) {
        const TestResult result = result_of(table);
        BOOST_TEST(result.has_passed(), text::join(result.problems, "; "));
        return text::join(result.warnings, "; ");
    };
    BOOST_TEST(warnings_of("before = {}, job = { comment = 'x' }, expect = { accept = true }") ==
               "no rule ran, because none for changes looks at what the change sets (in the test: job); if "
               "that is meant, write expect = { runs = false }");
    BOOST_TEST(warnings_of("before = {}, job = { comment = 'x' }, expect = { runs = false }") == "");
    BOOST_TEST(warnings_of("before = {}, job = { nice = 5 }, expect = { accept = true }") == "");
    BOOST_TEST(warnings_of("expect = { accept = true }") == "");
    BOOST_TEST(warnings_of("client = {}, expect = { accept = true }") == "");
    // That operators are exempt is worth a test.
    BOOST_TEST(warnings_of("before = {}, job = { nice = 9, submit_uid = 0 }, expect = { accept = true }") ==
               "");

    const auto tests = read_tests({"t.lua", "test 'x' { expect = { accept = true } } test 'y' { client = {}, "
                                            "expect = { accept = true } }"});
    const auto policy = policy_of({{"nice.lua", modify_with("job:reject('no')")}});
    BOOST_TEST(has_text(run_alone(*policy, tests->at(0)).warnings.at(0), "none runs for new jobs"));
    BOOST_TEST(has_text(run_alone(*policy, tests->at(1)).warnings.at(0), "none has a client function"));
}

BOOST_AUTO_TEST_CASE(a_test_says_which_rules_run) {
    const auto problems = [](const std::string& table) {
        return text::join(result_of(table).problems, "; ");
    };
    BOOST_TEST(problems("expect = { runs = 'new' }") == "");
    BOOST_TEST(problems("expect = { runs = { 'new', 'nice' } }") ==
               "expect.runs: rule 'nice' did not run: it does not run for new jobs");
    BOOST_TEST(problems("expect = { runs = false }") == "expect.runs: these rules ran: new");
    BOOST_TEST(problems("expect = { rule = 'client' }") ==
               "expect.rule: rule 'client' did not run: it does not run for new jobs");
    BOOST_TEST(problems("client = {}, expect = { runs = 'new' }") ==
               "expect.runs: rule 'new' did not run: it has no client function");
    BOOST_TEST(problems("before = {}, job = { comment = 'x' }, expect = { runs = 'nice' }") ==
               "expect.runs: rule 'nice' did not run: it does not look at what the change sets (in the test: "
               "job)");
    BOOST_TEST(problems("before = {}, job = { nice = 1 }, expect = { runs = 'new' }") ==
               "expect.runs: rule 'new' did not run: it does not run for changes");
    BOOST_TEST(problems("before = {}, job = { nice = 9, submit_uid = 0 }, expect = { runs = 'nice' }") ==
               "expect.runs: rule 'nice' did not run: the sender is exempt, or a rule before it ended the "
               "chain");
    BOOST_TEST(problems("before = {}, job = { nice = 9 }, expect = { runs = 'nice', rule = 'nice' }") == "");
}

BOOST_AUTO_TEST_CASE(a_change_has_counts_and_a_sender_and_keeps_no_writes) {
    const std::string rule =
        modify_with("if job.gpus > before.gpus then job:reject('%d of %d', job.gpus, before.gpus) end\n"
                    "if before.submit_uid == 7 then job:reject('sender') end\n"
                    "job.comment = 'x'");
    const auto problem = [&](const std::string& table) { return problems_at_change(rule, table); };
    BOOST_TEST(problem("before = { gpus = 2 }, job = { gpus = 4 }, expect = { reject = '4 of 2' }") == "");
    BOOST_TEST(
        problem("before = { tres = { ['gres/gpu'] = 2 } }, job = { gpus = 2 }, expect = { accept = true }") ==
        "");
    BOOST_TEST(problem("before = {}, job = { submit_uid = 7, nodes = 1 }, expect = { reject = 'sender' }") ==
               "");
    BOOST_TEST(problem("before = {}, expect = { accept = true, job = { comment = '' } }") == "");
    BOOST_TEST(has_text(problem("before = { tsks = 1 }, expect = { accept = true }"),
                        "unknown field 'tsks' of job"));
    BOOST_TEST(has_text(problem("before = 1, expect = { accept = true }"), "before is a table"));
    BOOST_TEST(problems_at_change(rule_with("if job.nodes > 1 then job:reject('no') end"),
                                  "before = {}, job = { nodes = 2 }, expect = { reject = 'no' }") == "");
}

BOOST_AUTO_TEST_CASE(reads_tests_in_order_with_their_lines) {
    const auto tests = read_tests({"t.lua", "test 'a' {}\n\ntest('b')({ job = { qos = 'x' } })\n"
                                            "for i = 1, 2 do test('c' .. i) {} end"});

    BOOST_TEST_REQUIRE(tests.has_value());
    BOOST_TEST_REQUIRE(tests->size() == 4u);
    BOOST_TEST(tests->at(0).name == "a");
    BOOST_TEST(tests->at(0).file == "t.lua");
    BOOST_TEST(tests->at(1).line == 3);
    BOOST_TEST(tests->at(1).entries.at(0).text == "x");
    BOOST_TEST(tests->at(3).name == "c2");
}

BOOST_AUTO_TEST_CASE(a_file_of_tests_is_bounded_and_checked) {
    BOOST_TEST(has_text(load_error_of("test 'a'"), "attempt") == false);
    BOOST_TEST(has_text(load_error_of("test('a')"), "t.lua: a test has no table"));
    BOOST_TEST(has_text(load_error_of("-- nothing"), "t.lua: has no test"));
    BOOST_TEST(has_text(load_error_of("test {}"), "t.lua:1: bad argument #1 to 'test'"));
    BOOST_TEST(has_text(load_error_of("rule {}"), "t.lua:1: unknown name 'rule'"));
    BOOST_TEST(has_text(load_error_of("while true do end"), "t.lua:1: "));
    BOOST_TEST(has_text(load_error_of("test 'a' {"), "t.lua:1: "));
    BOOST_TEST(load_error_of("test 'a' {}") == "");
}

BOOST_AUTO_TEST_CASE(shows_what_the_rules_did) {
    const auto tests = read_tests({"t.lua", "test 'x' { expect = { accept = true } }"});
    const TestResult result = run_alone(*one_rule("job.qos = 'b' job:warn('take care')"), tests->at(0));

    BOOST_TEST(result.has_passed());
    BOOST_TEST_REQUIRE(result.outcome.events.size() == 2u);
    BOOST_TEST(result.outcome.events[1].text == "qos: (unset) -> b");
}

BOOST_AUTO_TEST_CASE(are_read_in_the_order_of_their_files_and_are_no_part_of_the_policy) {
    const TempDirectory temp;
    temp.write("10.lua", rule_with("job:warn('x')"));
    const std::uint64_t hash = (*load_policy(temp.directory()))->hash();
    const std::uint64_t signature = stat_signature(temp.directory());
    BOOST_TEST(read_source_directory(temp.directory(), geteuid())->tests.empty());
    temp.write_test("b.lua", "test 'b' { expect = { accept = true } }");
    temp.write_test("a.lua", "test 'a' { expect = { accept = true } }");
    temp.write_test("a.lua.off", "x");

    const auto read = read_source_directory(temp.directory(), geteuid());

    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST(hash_of(*read) == hash);
    BOOST_TEST(stat_signature(temp.directory()) != signature);
    BOOST_TEST_REQUIRE(read->tests.size() == 2u);
    BOOST_TEST(read->tests[0].name == "tests/a.lua");
    BOOST_TEST(read->tests[1].name == "tests/b.lua");
}

BOOST_AUTO_TEST_CASE(of_others_are_refused) {
    const TempDirectory temp;
    temp.write("10.lua", rule_with("job:warn('x')"));
    const fs::path file = temp.write_test("a.lua", "test 'a' { expect = { accept = true } }");
    BOOST_TEST(load_policy(temp.directory()).has_value());

    chmod(file.c_str(), 0664);
    BOOST_TEST(has_text(load_policy(temp.directory()).error().message, "tests/a.lua: mode 0664 lets others"));
    chmod(file.c_str(), 0644);
    chmod(file.parent_path().c_str(), 0775);
    BOOST_TEST(has_text(load_policy(temp.directory()).error().message, "/tests: mode 0775 lets others"));
}

namespace {

/// What run_tests() says of each test, in order.
std::vector<std::string> answers_of(const Policy& policy, std::vector<SourceFile> files, TestRun how = {}) {
    gate::ScenarioWorld world(tested_release);
    how.world = &world;
    std::vector<std::string> answers;
    const auto done = run_tests(policy, files, how, [&](const PolicyTest& test, const TestResult& result) {
        answers.push_back(result.has_passed() ? test.name + " passes" : describe_failure(test, result));
    });
    if (!done) answers.push_back(done.error().message);
    return answers;
}

constexpr const char* accepted = "test 'a' { expect = { accept = true } }";

} // namespace

BOOST_AUTO_TEST_CASE(all_are_run_also_behind_one_that_fails) {
    const auto policy = one_rule("if job.nodes > 2 then job:reject('no') end");
    const auto answers =
        answers_of(*policy, {{"tests/1.lua", "test 'x' { job = { nodes = 3 }, expect = { accept = true } }"},
                             {"tests/2.lua", accepted}});

    BOOST_TEST_REQUIRE(answers.size() == 2u);
    BOOST_TEST(answers[0] == "test 'x' fails: expect.accept: the job was rejected: no");
    BOOST_TEST(answers[1] == "a passes");
}

BOOST_AUTO_TEST_CASE(none_is_run_if_a_file_does_not_load) {
    const auto answers =
        answers_of(*one_rule("job:warn('x')"), {{"tests/1.lua", accepted}, {"tests/2.lua", "x"}});

    BOOST_TEST_REQUIRE(answers.size() == 1u);
    BOOST_TEST(answers[0].starts_with("tests/2.lua:1: "), answers[0]);
}

BOOST_AUTO_TEST_CASE(those_without_time_have_not_passed) {
    const auto policy = one_rule("for i = 1, 20000 do local x = job.nodes end");
    std::string source;
    for (int i = 0; i < 50; ++i)
        source += accepted;
    const auto answers = answers_of(*policy, {{"tests/1.lua", source}}, {.max_time = 5ms});

    BOOST_TEST_REQUIRE(answers.size() == 50u);
    BOOST_TEST(answers.back() ==
               "test 'a' fails: it was not run: all tests together took more than 5 ms of CPU time");
    BOOST_TEST(answers_of(*policy, {{"tests/1.lua", source}}).back() == "a passes");
}

BOOST_AUTO_TEST_CASE(can_be_cancelled_before_each_test) {
    int asked = 0;
    const auto answers =
        answers_of(*one_rule("job:warn('x')"), {{"tests/1.lua", std::string(accepted) + accepted}},
                   {.is_cancelled = [&] { return ++asked > 2; }});

    BOOST_TEST_REQUIRE(answers.size() == 2u);
    BOOST_TEST(answers[0] == "a passes");
    BOOST_TEST(answers[1] == "the tests were not run to their end");
}

BOOST_AUTO_TEST_CASE(cannot_take_much_time_or_memory_while_they_are_loaded) {
    for (const char* source : {
             "while true do end",
             "local t = {} for i = 1, 1e9 do t[i] = {} end",
             // A table that has itself often inside, seven levels deep.
             "local t = {} for i = 1, 100 do t[i] = 1 end for level = 1, 7 do local u = {} for i = 1, 100 do "
             "u[i] = t "
             "end t = u end test 'x' { given = { qos = t } }",
             "local s = string.rep('x', 60000) local t = {} for i = 1, 1000 do t[i] = s end test 'x' { given "
             "= { qos = "
             "t } }",
             "for i = 1, 1e9 do test('x') {} end",
         }) {
        const std::clock_t begin = std::clock();
        const std::string error = load_error_of(source);
        const bool may_be_shown = has_text(error, "takes too long or too much memory while it is loaded: ") ||
                                  has_text(error, "the tests of a directory hold too much: at most 4 MiB");
        BOOST_TEST(may_be_shown, source << ": " << error);
        const bool is_soon = std::clock() - begin < 5 * CLOCKS_PER_SEC;
        BOOST_TEST(is_soon, source);
    }
}

BOOST_AUTO_TEST_SUITE_END()

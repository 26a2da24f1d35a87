// SPDX-License-Identifier: GPL-2.0-or-later
//
// A changed policy comes into force only if its tests pass.
#include "qosgate/policy/findings.hpp"
#include "support/restarts_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <time.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

namespace {

/// A test of the warning that the only rule gives.
std::string expects(const std::string& word) {
    return "\ntest 'says " + word + "' { expect = { warn = '" + word + "' } }";
}

/// A test that passes with the slow rule.
std::string many_slow_tests() {
    return "for i = 1, 200 do test('slow ' .. i) { expect = { fails = true } } end";
}

/// As 'qosgate policy check' does.
Result<PolicyReport> checked(const fs::path& directory) {
    PlainWorld world;
    return check_policy(directory, {}, {.world = &world});
}

struct TestedStores : Restarts {
    /// A rule that spends all the time that it may have.
    void write_slow_rule() {
        temp.write("site.lua", "site { rule_instructions = 10000000, rule_time_ms = 75 }");
        temp.write("a.lua", rule_with("while true do local x = job.nodes end"));
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tested_store, TestedStores)

BOOST_AUTO_TEST_CASE(a_policy_with_a_test_that_fails_does_not_come_into_force) {
    temp.write("a.lua", StoreSetup::warns("one"));
    temp.write_test("t.lua", expects("one"));
    run([&](StoreSetup& setup) {
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(setup.errors() == 0u);

        temp.write("a.lua", StoreSetup::warns("two"));
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::degraded); }));
        BOOST_TEST(setup.looks_again(3));

        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(setup.store.status().generation == 1u);
        const std::string why =
            directory().string() +
            ": tests/t.lua:2: test 'says one' fails: expect.warn: no message has \"one\": two "
            "(1 of 1 tests fails; 'qosgate policy test' shows all)";
        BOOST_TEST(setup.store.status().last_error->message == why);
        BOOST_TEST(setup.last_error() ==
                   "policy not loaded, the previous one, generation 1, stays in force: " + why);
        BOOST_TEST(setup.errors() == 1u); // it is told once
        BOOST_TEST(!setup.store.status().is_testing);
    });
}

BOOST_AUTO_TEST_CASE(a_mended_test_puts_the_policy_in_force) {
    run_with("one");
    temp.write("a.lua", StoreSetup::warns("two"));
    temp.write_test("t.lua", expects("one"));
    run([&](StoreSetup& setup) {
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::degraded); }));
        BOOST_TEST(setup.said() == "one");

        temp.write_test("t.lua", expects("two"));

        BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "two"; }));
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::in_force); }));
    });
}

BOOST_AUTO_TEST_CASE(so_does_removing_the_test_or_a_setting) {
    for (const bool is_removed : {true, false}) {
        run_with("one");
        temp.write("a.lua", StoreSetup::warns("two"));
        const fs::path test = temp.write_test("t.lua", expects("one"));
        run([&](StoreSetup& setup) {
            BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::degraded); }));
            if (is_removed)
                fs::remove(test);
            else
                temp.write("site.lua", "site { run_tests = false }");

            BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "two"; }));
            BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::in_force); }));
        });
        fs::remove(test);
    }
}

BOOST_AUTO_TEST_CASE(a_changed_test_that_fails_with_the_policy_in_force_is_told) {
    run_with("one");
    temp.write_test("t.lua", expects("one"));
    run([&](StoreSetup& setup) {
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::in_force); }));
        temp.write_test("t.lua", expects("three"));
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::degraded); }));
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(setup.has_told("test 'says three' fails"));

        temp.write_test("t.lua", expects("one"));

        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::in_force); }));
        BOOST_TEST(setup.store.status().generation == 1u);
    });
}

BOOST_AUTO_TEST_CASE(a_restart_finds_the_last_good_policy_which_has_no_tests) {
    temp.write_test("t.lua", expects("one"));
    run_with("one");
    BOOST_TEST(!has_text(content_of(kept()), "says one"));
    temp.write("a.lua", StoreSetup::warns("two"));
    run([&](StoreSetup& setup) {
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::degraded); }));
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(setup.store.status().is_kept_copy);
        BOOST_TEST(setup.has_told("policy not loaded, what was in force before this start stays"));
    });
}

BOOST_AUTO_TEST_CASE(without_a_policy_before_it_the_store_is_closed_until_the_tests_pass) {
    temp.write("a.lua", StoreSetup::warns("two"));
    temp.write_test("t.lua", expects("one"));
    run([&](StoreSetup& setup) {
        BOOST_TEST(setup.store.is_closed());
        BOOST_TEST(
            has_text(setup.store.status().last_error->message, "tests/t.lua:2: test 'says one' fails"));

        temp.write_test("t.lua", expects("two"));

        BOOST_TEST(StoreSetup::soon([&] { return !setup.store.is_closed(); }));
        BOOST_TEST(setup.said() == "two");
    });
}

BOOST_AUTO_TEST_CASE(failures_in_tests_switch_no_rule) {
    temp.write("site.lua", "site { rule_failures = 1 }");
    temp.write("a.lua",
               rule_with("if job.comment == 'bad' then local x = ({job.comment})[1] + 1 end job:reject('no')",
                         "on_error = 'allow',"));
    temp.write_test("t.lua",
                    "test 'fails' { job = { comment = 'bad' }, expect = { accept = true, fails = true } }"
                    "test 'rejects' { expect = { reject = 'no' } }");
    run([&](StoreSetup& setup) {
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::in_force); }));
        BOOST_TEST(Job().run(*setup.store.current()).rejected);
        BOOST_TEST(setup.store.current()->failing_rules().empty());
    });
}

BOOST_AUTO_TEST_CASE(tests_that_do_not_load_count_as_failed) {
    run_with("one");
    temp.write("a.lua", StoreSetup::warns("two"));
    temp.write_test("t.lua", "while true do end");
    run([&](StoreSetup& setup) {
        BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::degraded); }));
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(setup.has_told("tests/t.lua:1: takes too long or too much memory"));
        BOOST_TEST(setup.looks_again(3));
        BOOST_TEST(setup.errors() == 1u);
    });
}

BOOST_AUTO_TEST_CASE(tests_that_take_too_long_count_as_failed_once) {
    run_with("one");
    write_slow_rule();
    temp.write_test("t.lua", many_slow_tests());
    auto bounded = options();
    bounded.max_test_time = 200ms;
    StoreSetup setup(bounded);
    setup.store.start(directory());

    BOOST_TEST(StoreSetup::soon([&] { return setup.last_error() != ""; }));
    BOOST_TEST(
        has_text(setup.last_error(), "it was not run: all tests together took more than 200 ms of CPU time"));
    BOOST_TEST(setup.looks_again(3)); // soon, because they are not run again
    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(setup.errors() == 1u);
}

BOOST_AUTO_TEST_CASE(running_tests_hold_up_neither_jobs_nor_the_end) {
    run_with("one");
    write_slow_rule();
    temp.write_test("t.lua", many_slow_tests());
    auto impatient = options();
    impatient.start_patience = 50ms;
    StoreSetup setup(impatient);
    setup.store.start(directory());
    BOOST_TEST(StoreSetup::soon([&] { return setup.store.status().is_testing; }));

    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(setup.stands(Standing::degraded));
    const double begin = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID); // of which the tests would take more
    setup.store.stop(10s);

    BOOST_TEST(cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin < 0.9);
    BOOST_TEST(!setup.store.status().is_testing);
    BOOST_TEST(setup.errors() == 0u); // that the tests run at the start is no error
    BOOST_TEST(setup.said() == "one");
}

BOOST_AUTO_TEST_CASE(a_change_whose_tests_run_is_not_in_force) {
    StoreSetup setup(options());
    write_slow_rule();
    setup.store.start(directory());
    BOOST_TEST(setup.stands(Standing::in_force));
    temp.write_test("t.lua", many_slow_tests());
    StoreStatus seen;
    BOOST_TEST(StoreSetup::soon([&] {
        seen = setup.store.status();
        return seen.is_testing;
    }));

    BOOST_TEST(seen.standing == Standing::degraded);
    BOOST_TEST_REQUIRE(seen.last_error.has_value());
    BOOST_TEST(seen.last_error->message.ends_with(": the tests of the rules are still running"));
    setup.store.stop(900ms);
}

BOOST_AUTO_TEST_CASE(jobs_do_not_see_what_tests_left) {
    temp.write("a.lua", "local count = 0 " + rule_with("count = count + 1 job:warn('job %d', count)"));
    temp.write_test("t.lua", expects("job 1"));
    run([&](StoreSetup& setup) { BOOST_TEST(setup.said() == "job 1"); });
}

BOOST_AUTO_TEST_CASE(policy_check_tells_the_tests_that_fail) {
    temp.write("a.lua", StoreSetup::warns("two"));
    temp.write_test("t.lua", expects("one") + expects("two"));

    const auto report = checked(directory());

    BOOST_TEST_REQUIRE(report.has_value());
    BOOST_TEST(!report->loads());
    BOOST_TEST_REQUIRE(report->findings.size() == 1u);
    const Finding& finding = report->findings.front();
    BOOST_TEST(finding.file == "tests/t.lua");
    BOOST_TEST(finding.line == 2);
    BOOST_TEST(finding.message == "test 'says one' fails: expect.warn: no message has \"one\": two");

    temp.write("site.lua", "site { run_tests = false }");
    BOOST_TEST(checked(directory())->loads());
    BOOST_TEST(checked(directory())->findings.size() == 1u);
    temp.write_test("t.lua", expects("two"));
    BOOST_TEST(checked(directory())->findings.empty());
    temp.write_test("u.lua", "\ntset 'x' {}");
    const auto wrong = checked(directory());
    BOOST_TEST_REQUIRE(wrong->findings.size() == 1u);
    BOOST_TEST(wrong->findings.front().file == "tests/u.lua");
    BOOST_TEST(wrong->findings.front().line == 2);
    temp.write("b.lua", "rule {"); // then no test is run
    BOOST_TEST(checked(directory())->findings.size() == 1u);
    BOOST_TEST(checked(directory())->findings.front().file == "b.lua");
}

BOOST_AUTO_TEST_SUITE_END()

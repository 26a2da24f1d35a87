// SPDX-License-Identifier: GPL-2.0-or-later
//
// The candidate policy in qosgate.d/next: loaded and tested as the policy, and never in force.
#include "support/restarts_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <time.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

namespace {

struct Candidates {
    Candidates() : setup(20ms) {
        setup.temp.write("a.lua", StoreSetup::warns("in force"));
        fs::create_directory(next());
        chmod(next().c_str(), 0755);
    }

    [[nodiscard]] fs::path next() const { return setup.temp.directory() / "next"; }

    void start() { setup.store.start(setup.temp.directory()); }

    /// What the candidate's rule says; "" without one.
    [[nodiscard]] std::string says() const {
        const auto candidate = setup.store.candidate();
        if (!candidate) return "";
        const auto outcome = Job().run(*candidate);
        return outcome.warnings.empty() ? "nothing" : outcome.warnings.front();
    }
    [[nodiscard]] bool soon_says(const std::string& word) const {
        return StoreSetup::soon([&] { return says() == word; });
    }
    /// Whether it is not loaded for a reason with this text.
    [[nodiscard]] bool soon_fails(const std::string& why) const {
        return StoreSetup::soon([&] {
            const auto error = setup.store.status().candidate.last_error;
            return error && has_text(error->message, why);
        });
    }

    StoreSetup setup;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(candidate, Candidates)

BOOST_AUTO_TEST_CASE(it_is_loaded_beside_the_policy_and_is_no_part_of_it) {
    setup.temp.write("next/a.lua", StoreSetup::warns("next"));
    start();
    BOOST_TEST(soon_says("next"));

    BOOST_TEST(setup.said() == "in force");
    BOOST_TEST(setup.store.status().rules == 1u);
    const CandidateStatus status = setup.store.status().candidate;
    BOOST_TEST(status.exists);
    BOOST_TEST(status.rules == 1u);
    BOOST_TEST(status.hash == setup.store.candidate()->hash());
    BOOST_TEST(status.hash != setup.store.status().hash);
    BOOST_TEST(status.loaded_at.has_value());
    BOOST_TEST(setup.errors() == 0u);
}

BOOST_AUTO_TEST_CASE(without_the_directory_there_is_none) {
    fs::remove(next());
    start();
    BOOST_TEST(setup.looks_again(3));
    BOOST_TEST(setup.store.candidate() == nullptr);
    BOOST_TEST(!setup.store.status().candidate.exists);
}

BOOST_AUTO_TEST_CASE(a_change_replaces_it_and_it_goes_with_its_directory) {
    setup.temp.write("next/a.lua", StoreSetup::warns("one"));
    start();
    BOOST_TEST(soon_says("one"));
    setup.temp.write("next/a.lua", StoreSetup::warns("two"));
    BOOST_TEST(soon_says("two"));
    fs::remove_all(next());
    BOOST_TEST(soon_says(""));
    BOOST_TEST(
        StoreSetup::soon([&] { return !setup.store.status().candidate.exists; })); // told a moment later
    BOOST_TEST(setup.said() == "in force");
}

BOOST_AUTO_TEST_CASE(one_that_does_not_load_is_none_until_it_is_mended_and_the_policy_stands) {
    setup.temp.write("next/a.lua", StoreSetup::warns("one"));
    start();
    BOOST_TEST(soon_says("one"));
    setup.temp.write("next/a.lua", "rule {");
    BOOST_TEST(soon_fails("a.lua:1"));

    BOOST_TEST(says() == "");
    BOOST_TEST(setup.stands(Standing::in_force));
    BOOST_TEST(setup.last_error().starts_with("candidate not loaded, no decision is compared with it: "));
    BOOST_TEST(has_text(setup.last_error(), (next() / "").string().substr(0, next().string().size())));
    const auto errors = setup.errors();
    BOOST_TEST(setup.looks_again(3));
    BOOST_TEST(setup.errors() == errors); // it is told once

    setup.temp.write("next/a.lua", StoreSetup::warns("two"));
    BOOST_TEST(soon_says("two"));
    BOOST_TEST(!setup.store.status().candidate.last_error.has_value());
}

BOOST_AUTO_TEST_CASE(a_directory_that_others_may_write_is_not_loaded) {
    setup.temp.write("next/a.lua", StoreSetup::warns("one"));
    chmod(next().c_str(), 0777);
    start();
    BOOST_TEST(soon_fails("next"));
    BOOST_TEST(says() == "");
    chmod(next().c_str(), 0755);
    BOOST_TEST(soon_says("one"));
}

BOOST_AUTO_TEST_CASE(its_tests_must_pass) {
    setup.temp.write("next/a.lua", StoreSetup::warns("one"));
    fs::create_directory(next() / "tests");
    chmod((next() / "tests").c_str(), 0755);
    setup.temp.write("next/tests/t.lua", "test 'says two' { expect = { warn = 'two' } }");
    start();
    BOOST_TEST(soon_fails("tests/t.lua:1: test 'says two' fails"));
    BOOST_TEST(says() == "");

    setup.temp.write("next/tests/t.lua", "test 'says one' { expect = { warn = 'one' } }");
    BOOST_TEST(soon_says("one"));
    BOOST_TEST(!setup.store.status().candidate.is_testing);
}

BOOST_AUTO_TEST_CASE(its_rules_have_at_most_25_ms_for_a_job) {
    setup.temp.write("next/a.lua", StoreSetup::warns("one"));
    setup.temp.write("next/site.lua", "site { rule_time_ms = 75 }");
    start();
    BOOST_TEST(soon_says("one"));
    BOOST_TEST(setup.store.candidate()->settings().rule_time.count() == 25);
    setup.temp.write("next/site.lua", "site { rule_time_ms = 24 }");
    BOOST_TEST(StoreSetup::soon([&] {
        const auto candidate = setup.store.candidate();
        return candidate && candidate->settings().rule_time.count() == 24;
    }));
}

BOOST_AUTO_TEST_CASE(a_candidate_in_a_candidate_is_ignored) {
    setup.temp.write("next/a.lua", StoreSetup::warns("one"));
    fs::create_directory(next() / "next");
    setup.temp.write("next/next/b.lua", "rule {");
    start();
    BOOST_TEST(soon_says("one"));
}

BOOST_AUTO_TEST_CASE(tests_that_take_long_delay_neither_the_policy_nor_the_end) {
    setup.temp.write("next/site.lua", "site { rule_instructions = 10000000, rule_time_ms = 75 }");
    setup.temp.write("next/a.lua", rule_with("while true do local x = job.nodes end"));
    fs::create_directory(next() / "tests");
    chmod((next() / "tests").c_str(), 0755);
    setup.temp.write("next/tests/t.lua",
                     "for i = 1, 200 do test('slow ' .. i) { expect = { fails = true } } end");
    start();
    BOOST_TEST(StoreSetup::soon([&] { return setup.store.status().candidate.is_testing; }));
    setup.temp.write("a.lua", StoreSetup::warns("changed"));
    BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "changed"; }));
    BOOST_TEST(setup.store.status().candidate.is_testing);

    const double begin = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID); // of which the tests would take more
    setup.store.stop(5s);
    BOOST_TEST(cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin < 1.0);
    BOOST_TEST(!setup.store.status().candidate.is_testing);
}

BOOST_AUTO_TEST_SUITE_END()

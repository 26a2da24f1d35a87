// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/candidate_runs.hpp"

#include "support/comes_true.hpp"
#include "support/script_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <new>
#include <thread>

using namespace qg;
using namespace std::chrono_literals;

namespace {

/// A candidate with no rules, but with the identity of a directory.
std::shared_ptr<const policy::Policy> some_candidate(const std::string& text) {
    policy::SourceDirectory directory{.exists = true, .files = {{"site.lua", text}}};
    return policy::compile_policy(std::move(directory)).value();
}

model::Decision refusal() {
    model::Decision decision;
    decision.reject = model::RejectCode::access_denied;
    return decision;
}

struct CandidateRunsSetup {
    std::optional<gate::Comparison> compare(const plugin::CandidateRuns::Decide& decide) {
        return runs.compare(*candidate, {}, {}, decide);
    }

    std::shared_ptr<const policy::Policy> candidate = some_candidate("site {}");
    plugin::CandidateRuns runs;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(candidate_runs, CandidateRunsSetup)

BOOST_AUTO_TEST_CASE(counts_what_differs) {
    BOOST_TEST(!compare([] { return model::Decision(); }).value().differs());
    BOOST_TEST(compare([] { return refusal(); }).value().differs());

    const auto counts = runs.counts();
    BOOST_TEST(counts.policy == candidate->hash());
    BOOST_TEST(counts.compared == 2u);
    BOOST_TEST(counts.differing == 1u);
    BOOST_TEST(counts.skipped == 0u);
}

BOOST_AUTO_TEST_CASE(begins_anew_with_another_candidate) {
    compare([] { return refusal(); });
    candidate = some_candidate("site { limits = 'off' }");
    compare([] { return model::Decision(); });

    BOOST_TEST(runs.counts().policy == candidate->hash());
    BOOST_TEST(runs.counts().compared == 1u);
    BOOST_TEST(runs.counts().differing == 0u);
}

BOOST_AUTO_TEST_CASE(a_candidate_that_took_too_much_time_is_not_asked_until_some_comes_back) {
    compare([] {
        std::this_thread::sleep_for(300ms);
        return model::Decision();
    });
    bool is_asked = false;
    const auto ask = [&] {
        is_asked = true;
        return model::Decision();
    };
    BOOST_TEST(!compare(ask));
    BOOST_TEST(!is_asked);
    BOOST_TEST(runs.counts().skipped == 1u);

    BOOST_TEST(test::comes_true([&] { return compare(ask).has_value(); })); // a tenth comes back
}

BOOST_AUTO_TEST_CASE(what_comparisons_need_counts_as_their_time) {
    BOOST_TEST(runs.has_time());
    runs.spend(10s);
    BOOST_TEST(!runs.has_time());
    BOOST_TEST(!compare([] { return refusal(); }));
    runs.skip(*candidate);
    BOOST_TEST(runs.counts().skipped == 2u);
}

/// What comes of a comparison during another one.
std::optional<gate::Comparison> compare_within_another(CandidateRunsSetup& setup) {
    std::optional<gate::Comparison> found;
    const auto outer = setup.compare([&] {
        const auto decide = [] { return model::Decision(); };
        std::thread([&] { found = setup.compare(decide); }).join();
        return model::Decision();
    });
    BOOST_TEST(outer.has_value());
    return found;
}

BOOST_AUTO_TEST_CASE(no_thread_waits_for_the_script_of_a_candidate) {
    BOOST_TEST(compare_within_another(*this).has_value()); // it has no script

    candidate = test::policy_of({{"compat/job_submit.lua", test::script_with("")}});
    BOOST_TEST(!compare_within_another(*this));
    BOOST_TEST(runs.counts().compared == 1u);
    BOOST_TEST(runs.counts().skipped == 1u);
    BOOST_TEST(compare([] { return model::Decision(); }).has_value());
}

BOOST_AUTO_TEST_CASE(what_fails_is_skipped) {
    BOOST_TEST(!compare([]() -> model::Decision { throw std::bad_alloc(); }));
    BOOST_TEST(runs.counts().skipped == 1u);
    BOOST_TEST(runs.counts().compared == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules that do not look at requests of some senders.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

/// Ana (1000) owns the job; 1500 is an operator.
struct SenderSetup : test::GateSetup {
    SenderSetup() { records.operators = {1500}; }

    /// Whether a rule that rejects everything lets the sender's job pass.
    bool is_exempt(std::uint32_t sender, const std::string& list) {
        const auto policy =
            test::load_rule("rule { exempt = {" + list + "}, submit = function(job) job:reject('no') end }");
        request.submit_uid = sender;
        const bool is_accepted = decide(policy.get()).reject == RejectCode::none;
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const model::JobUpdate update{.job_id = 17, .before = request, .after = request};
        const auto change = gate::Gate(provider, release).decide_update(update, &c, policy.get());
        BOOST_TEST((change.reject == RejectCode::none) == is_accepted);
        return is_accepted;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rules_for_senders, SenderSetup)

BOOST_AUTO_TEST_CASE(operators_are_known_at_submissions_and_changes) {
    BOOST_TEST(is_exempt(1500, "'operators'"));
    BOOST_TEST(is_exempt(0, "'operators'"));
    BOOST_TEST(!is_exempt(1000, "'operators'"));
    BOOST_TEST(!is_exempt(1500, "'root'"));
}

BOOST_AUTO_TEST_CASE(users_are_known_by_their_association) {
    BOOST_TEST(is_exempt(1000, "'ana'"));
    BOOST_TEST(!is_exempt(1000, "'ben'"));
    BOOST_TEST(!is_exempt(1500, "'ana'"));
    BOOST_TEST(!is_exempt(0, "'ana'"));
}

BOOST_AUTO_TEST_CASE(nobody_but_root_is_exempt_before_the_records_are_there) {
    const auto policy = test::load_rule(
        "rule { exempt = {'operators', 'ana'}, submit = function(job) job:reject('no') end }");
    const auto is_rejected = [&](std::uint32_t sender) {
        request.submit_uid = sender;
        return decide_with(test::NoQuotaYet(), policy.get()).reject == RejectCode::access_denied;
    };
    BOOST_TEST(is_rejected(1000));
    BOOST_TEST(is_rejected(1500));
    BOOST_TEST(!is_rejected(0));
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the answer of a script for job_submit/lua leads to.
#include "controller/script_call.hpp"

#include "fake_host.hpp"
#include "support/script_setup.hpp"

#include <slurm/slurm_errno.h>

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

/// The answer about a script that failed.
plugin::ScriptAnswer answer_to_failure(const std::string& on_error, bool is_up_to_sender,
                                       bool passes_on_failure = false) {
    const auto policy = test::policy_of({{"site.lua", "site { compat_on_error = '" + on_error + "' }"},
                                         {"compat/job_submit.lua", test::script_with("")}});
    policy::compat::ScriptOutcome outcome;
    outcome.failure = policy::LuaError{"it failed", {}, policy::Exhausted::nothing};
    outcome.is_up_to_sender = is_up_to_sender;
    outcome.passes_on_failure = passes_on_failure;
    return plugin::answer_of_script(*policy->script(), outcome, {});
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_answer)

BOOST_AUTO_TEST_CASE(compat_on_error_decides_about_failures) {
    const auto denied = answer_to_failure("deny", false);
    const auto allowed = answer_to_failure("allow", false);

    BOOST_TEST(denied.code == ESLURM_ACCESS_DENIED);
    BOOST_TEST(denied.message.size() == 1u);
    BOOST_TEST(allowed.code == SLURM_SUCCESS);
    BOOST_TEST(allowed.message.empty());
    BOOST_TEST_REQUIRE(allowed.events.size() == 1u);
    BOOST_TEST(allowed.events[0].text == "it failed; ignored because of compat_on_error = \"allow\"");
}

BOOST_AUTO_TEST_CASE(what_is_up_to_the_sender_is_always_refused) {
    const auto answer = answer_to_failure("allow", true);

    BOOST_TEST(answer.code == ESLURM_ACCESS_DENIED);
    BOOST_TEST(answer.message.size() == 1u);
    BOOST_TEST_REQUIRE(answer.events.size() == 1u);
    BOOST_TEST(answer.events[0].text == "it failed; rejected, whatever compat_on_error says");
}

BOOST_AUTO_TEST_CASE(no_owner_keeps_operators_from_a_job_that_cannot_be_read) {
    for (const char* on_error : {"deny", "allow"}) {
        const auto answer = answer_to_failure(on_error, true, /*passes_on_failure=*/true);

        BOOST_TEST(answer.code == SLURM_SUCCESS);
        BOOST_TEST(answer.message.empty());
        BOOST_TEST_REQUIRE(answer.events.size() == 1u);
        BOOST_TEST(answer.events[0].text == "it failed; ignored, because an operator asks");
    }
}

BOOST_AUTO_TEST_CASE(a_refusal_ends_with_the_contact_as_that_of_a_rule) {
    using Lines = std::vector<std::string>;
    const auto message_of = [](const std::string& settings, int code, const std::string& said) {
        const auto policy = test::policy_of(
            {{"site.lua", "site { " + settings + " }"}, {"compat/job_submit.lua", test::script_with("")}});
        policy::compat::ScriptOutcome outcome;
        outcome.code = code;
        outcome.message = said;
        return plugin::answer_of_script(*policy->script(), outcome, {}).message;
    };
    const std::string named = "contact = 'hpc@example.org'";
    const Lines contact{"questions: hpc@example.org"};

    BOOST_TEST(message_of(named, ESLURM_INVALID_QOS, "no") == contact);
    BOOST_TEST(message_of(named, ESLURM_INVALID_QOS, "") == contact);
    BOOST_TEST(message_of(named, ESLURM_INVALID_QOS, "no\n" + contact[0]) == Lines(), "it says so itself");
    BOOST_TEST(message_of("", ESLURM_INVALID_QOS, "no") == Lines());
    BOOST_TEST(message_of(named, SLURM_SUCCESS, "yes") == Lines());
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/refusals.hpp"

#include "support/print.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

/// The only line in the log.
std::string logged(const model::Decision& decision) {
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].level == LogLevel::error);
    return decision.log[0].text;
}

struct PolicyNotLoaded {
    PolicyNotLoaded() {
        status.directory = "/etc/slurm/qosgate.d";
        status.last_error = Error{ErrorCode::invalid_input, "99-broken.lua:1: '}' expected"};
        request.user_id = request.submit_uid = 1001;
        request.name = "wrap";
        request.partition = "main";
        view.user_name = "ana";
        view.account = "astro";
        view.job_qos.name = "normal";
    }

    policy::StoreStatus status;
    model::JobRequest request;
    model::AccountView view;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(policy_not_loaded, PolicyNotLoaded)

BOOST_AUTO_TEST_CASE(a_refused_job_is_logged_with_the_fields_of_any_other) {
    const auto decision = plugin::refuse_job(status, {request, view});
    BOOST_TEST(decision.reject == RejectCode::access_denied);
    BOOST_TEST(logged(decision) == "refused user=ana(1001) job=wrap account=astro partition=main qos=normal: "
                                   "no rules are loaded: 99-broken.lua:1: '}' expected");
    BOOST_TEST_REQUIRE(decision.message.size() == 1u);
    BOOST_TEST(decision.message[0] == "This job was not accepted because the site's rules are not loaded: "
                                      "99-broken.lua:1: '}' expected; please tell your administrators");
}

BOOST_AUTO_TEST_CASE(who_sends_a_job_for_another_is_logged) {
    request.submit_uid = 0;
    request.name = "my job";
    status.last_error.reset();
    BOOST_TEST(
        logged(plugin::refuse_job(status, {request, {}})) ==
        "refused by=0 user=1001 job='my job' partition=main: no rules are loaded: /etc/slurm/qosgate.d");
}

BOOST_AUTO_TEST_CASE(a_refused_change_is_logged_as_one) {
    status.is_reading = true;
    const auto decision = plugin::refuse_change(status, 17, 1001);
    BOOST_TEST(logged(decision) ==
               "refused change jobid=17 by=1001: no rules are loaded: 99-broken.lua:1: '}' expected");
    BOOST_TEST_REQUIRE(decision.message.size() == 1u);
    BOOST_TEST(decision.message[0].ends_with("; please try again in a moment"));
    BOOST_TEST(
        logged(plugin::refuse_change(status, std::nullopt, 1001)).starts_with("refused change by=1001: "));
}

BOOST_AUTO_TEST_SUITE_END()

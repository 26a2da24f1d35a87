// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decisions while the cluster is not known, or may have changed.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;
using model::TresLimit;

namespace {

struct LimitSetup : test::GateSetup {
    LimitSetup() {
        qos(1).flags.deny_on_limit = true;
        qos(1).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
        request.qos = "moonlight";
    }

    model::Decision decide_at(const std::string& level) const {
        return decide(test::load_site("site { limits = \"" + level + "\" }").get());
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(limits_and_what_is_known, LimitSetup)

BOOST_AUTO_TEST_CASE(what_may_have_changed_meanwhile_is_left_to_slurm) {
    request.tres_per_node = "gres:gpu:3";
    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);
    may_have_changed = true;

    const auto decision = decide_at("enforce");

    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text.starts_with("unchecked "));
    BOOST_TEST(decision.log[0].text.ends_with(": the partitions are not known, or changed a moment ago"));
    for (const char* level : {"explain", "off"})
        BOOST_TEST(decide_at(level).log.empty());
}

BOOST_AUTO_TEST_CASE(what_slurm_refuses_is_logged_where_it_is_explained) {
    request.tres_per_node = "gres:gpu:3";
    for (const auto& [level, done] : {std::pair("explain", "warned "), std::pair("enforce", "refused ")}) {
        const auto decision = decide_at(level);
        BOOST_TEST_REQUIRE(decision.log.size() == 1u, level);
        BOOST_TEST(decision.log[0].text.starts_with(done));
        BOOST_TEST(decision.log[0].text.find("GPUs per user: limit 2, this job asks for 3") !=
                   std::string::npos);
    }
    request.tres_per_node = "gres:gpu:2";
    BOOST_TEST(decide_at("explain").log.empty());
}

BOOST_AUTO_TEST_CASE(a_partition_that_may_be_new_is_left_to_slurm) {
    request.partition = "new";
    BOOST_TEST(decide_at("enforce").reject == RejectCode::invalid_partition);
    may_have_changed = true;

    BOOST_TEST(decide_at("enforce").reject == RejectCode::none);
    BOOST_TEST(decide_at("explain").message.empty());
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// A rule that rejects jobs in the default partition.
struct RuleSetup : test::GateSetup {
    RuleSetup()
        : policy(test::load_rule("rule { submit = function(job) "
                                 "if job.partition == 'main' then job:reject('not in main') end end }")) {}

    std::string answer() const {
        const auto decision = decide(policy.get());
        BOOST_TEST((decision.reject == RejectCode::none) == decision.message.empty());
        return decision.message.empty() ? "" : decision.message.front();
    }

    std::shared_ptr<const policy::Policy> policy;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rules_and_what_is_known, RuleSetup)

BOOST_AUTO_TEST_CASE(a_rule_on_a_default_partition_that_nobody_knows_yet_fails) {
    BOOST_TEST(answer() == "not in main");
    is_cluster_known = false;
    BOOST_TEST(answer().find("the default is not known yet") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_that_names_its_partition_needs_no_knowledge) {
    is_cluster_known = false;
    request.partition = "viz";
    BOOST_TEST(answer() == "");
    request.partition = "main";
    BOOST_TEST(answer() == "not in main");
}

BOOST_AUTO_TEST_CASE(a_default_of_a_moment_ago_is_the_one_that_rules_read) {
    may_have_changed = true;
    BOOST_TEST(answer() == "not in main");
}

BOOST_AUTO_TEST_CASE(the_time_limit_of_a_partition_that_may_be_new_is_not_known) {
    policy =
        test::load_rule("rule { submit = function(job) if job.time_limit then job:reject('timed') end end }");
    request.partition = "new";
    may_have_changed = true;
    BOOST_TEST(answer().find("the default is not known yet") != std::string::npos);

    request.time_limit = TimeLimit{10};
    BOOST_TEST(answer() == "timed");
}

BOOST_AUTO_TEST_SUITE_END()

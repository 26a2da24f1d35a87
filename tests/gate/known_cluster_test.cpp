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
        request.submit_uid = request.user_id;
    }

    model::Decision decide_at(const std::string& level) const {
        return decide(test::load_site("site { limits = \"" + level + "\" }").get());
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(limits_and_what_is_known, LimitSetup)

BOOST_AUTO_TEST_CASE(what_old_partitions_would_refuse_must_be_submitted_again) {
    request.tres_per_node = "gres:gpu:3";
    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);
    may_have_changed = true;

    const auto decision = decide_at("enforce");

    BOOST_TEST(decision.reject == RejectCode::try_again);
    BOOST_TEST_REQUIRE(decision.message.size() == 1u);
    BOOST_TEST(decision.message[0] ==
               "the limits of this job cannot be checked yet, because a partition changed a moment ago; try "
               "again in a moment (sbatch, salloc and srun do that by themselves)");
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text.starts_with("refused "));
    for (const char* level : {"explain", "off"}) {
        BOOST_TEST(decide_at(level).reject == RejectCode::none);
        BOOST_TEST(decide_at(level).message.empty());
        BOOST_TEST(decide_at(level).log.empty());
    }
}

BOOST_AUTO_TEST_CASE(what_old_partitions_would_accept_is_accepted) {
    request.tres_per_node = "gres:gpu:2";
    may_have_changed = true;
    BOOST_TEST(decide_at("enforce").reject == RejectCode::none);
    BOOST_TEST(decide_at("enforce").message.empty());
    BOOST_TEST(decide_at("enforce").log.empty());
}

BOOST_AUTO_TEST_CASE(a_job_of_unknown_limits_is_logged_whether_or_not_partitions_may_have_changed) {
    for (const bool differs : {false, true}) {
        may_have_changed = differs;
        const auto enforcing = test::load_site("site { limits = \"enforce\" }");
        const auto decision = decide_with(test::NoQuotaYet(), enforcing.get());
        BOOST_TEST(decision.reject == RejectCode::none);
        BOOST_TEST_REQUIRE(decision.log.size() == 1u);
        BOOST_TEST(decision.log[0].text.starts_with("unchecked "));
        BOOST_TEST(decision.log[0].text.ends_with(": slurmctld has no accounting data yet"));
    }
}

BOOST_AUTO_TEST_CASE(a_job_must_be_submitted_again_while_slurmctld_starts_if_limits_are_enforced) {
    is_cluster_known = false;
    for (const char* gpus : {"gres:gpu:1", "gres:gpu:3"}) {
        request.tres_per_node = gpus;
        const auto decision = decide_at("enforce");
        BOOST_TEST(decision.reject == RejectCode::try_again);
        BOOST_TEST_REQUIRE(decision.message.size() == 1u);
        BOOST_TEST(decision.message[0].starts_with("the limits of this job cannot be checked yet"));
        BOOST_TEST_REQUIRE(decision.log.size() == 1u);
        BOOST_TEST(decision.log[0].text.starts_with("refused "));
        for (const char* level : {"explain", "off"}) {
            BOOST_TEST(decide_at(level).reject == RejectCode::none);
            BOOST_TEST(decide_at(level).message.empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_text_that_was_not_read_does_not_spare_a_job_the_second_attempt) {
    is_cluster_known = false;
    request.unread = {"licenses", 64, "parts", "--licenses", /*slurmctld_refuses=*/false};
    BOOST_TEST(decide_at("enforce").reject == RejectCode::try_again);
    BOOST_TEST(decide_at("explain").reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(an_unknown_cluster_does_not_keep_operators_out) {
    is_cluster_known = false;
    request.tres_per_node = "gres:gpu:3";
    request.submit_uid = 99;
    BOOST_TEST(decide_at("enforce").reject == RejectCode::try_again);
    records.operators = {99};
    const auto decision = decide_at("enforce");
    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text.starts_with("unchecked "));
}

BOOST_AUTO_TEST_CASE(a_job_that_is_only_tested_is_not_told_that_it_comes_again) {
    is_cluster_known = false;
    request.submit_line = "sbatch --test-only --wrap=true";
    BOOST_TEST(decide_at("enforce").message.at(0).ends_with("; try again in a moment"));
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

BOOST_AUTO_TEST_CASE(a_job_in_a_partition_that_may_be_new_must_be_submitted_again) {
    request.partition = "new";
    BOOST_TEST(decide_at("enforce").reject == RejectCode::invalid_partition);
    may_have_changed = true;

    BOOST_TEST(decide_at("enforce").reject == RejectCode::try_again);
    BOOST_TEST(decide_at("explain").reject == RejectCode::none);
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

// SPDX-License-Identifier: GPL-2.0-or-later
//
// A change of which slurmctld may store a part and refuse the rest is judged by its parts, too.
#include "support/gate_setup.hpp"
#include "support/policy_setup.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

using Lines = std::vector<std::string>;

/// Ana's job of one hour in main goes to viz, with another time and a feature. A rule allows jobs in viz at
/// most 10 minutes.
struct PartsSetup : test::GateSetup {
    PartsSetup() {
        request.submit_uid = 1000;
        request.name = "wrap";
        request.account = "hpc-users";
        request.partition = "main";
        request.qos = "normal";
        request.time_limit = TimeLimit{60};
        update = {.job_id = 17, .before = request, .after = request};
        update.after.partition = "viz";
        update.after.time_limit = TimeLimit{10};
        update.after.features = "fast";
        put_in_force(short_viz());
        may_keep(60);
    }

    static std::string short_viz(const std::string& keys = {}) {
        return "rule { name = 'short viz', " + keys + R"( submit = function(job)
            job:warn("fits %s", job.partition)
            if job.partition == "viz" and job.time_limit > 10 then job:reject("too long for viz") end
        end })";
    }
    void put_in_force(const std::string& rule, const std::string& site = "site {}") {
        policy = test::policy_of({{"rule.lua", rule}, {"site.lua", site}});
    }

    /// A part with the new partition and this time limit.
    void may_keep(std::uint32_t minutes) {
        model::StoredPart part{.after = update.before,
                               .parts = {model::UpdatePart::limits},
                               .refused = "Features",
                               .source = nullptr};
        part.after.partition = "viz";
        part.after.time_limit = TimeLimit{minutes};
        update.stored_parts = {part};
    }

    model::Decision change() const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        return gate::Gate(provider, release).decide_update(update, known(c), policy.get());
    }

    std::shared_ptr<const policy::Policy> policy;
    model::JobUpdate update;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rules_on_parts, PartsSetup)

BOOST_AUTO_TEST_CASE(a_part_that_the_rules_reject_rejects_the_change_and_the_user_reads_which) {
    const auto decision = change();

    BOOST_TEST(decision.reject == RejectCode::access_denied);
    BOOST_TEST(
        decision.message ==
            (Lines{"fits viz",
                   "slurmctld may refuse Features and keep the rest of this change (partition: main -> "
                   "viz), which is not allowed alone:",
                   "too long for viz", "change Features in a command of its own"}),
        boost::test_tools::per_element());
    BOOST_TEST_REQUIRE(decision.log.size() == 2u);
    BOOST_TEST(decision.log[1].text ==
               "rejected change jobid=17 user=ana(1000) job=wrap account=hpc-users partition=viz qos=normal: "
               "rule 'short viz' (rule.lua): if slurmctld refuses Features and keeps partition: main -> viz: "
               "too long for viz");
}

BOOST_AUTO_TEST_CASE(a_part_that_they_accept_is_not_told) {
    may_keep(10);

    const auto decision = change();

    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message == Lines{"fits viz"}, boost::test_tools::per_element());
    BOOST_TEST(decision.log.size() == 1u);
    BOOST_TEST(decision.events.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_change_that_is_rejected_as_a_whole_says_nothing_of_its_parts) {
    update.after.time_limit = TimeLimit{11};
    BOOST_TEST(change().message == (Lines{"fits viz", "too long for viz"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_rules_that_enforce_and_look_at_the_part_judge_it) {
    for (const char* keys :
         {"mode = 'warn',", "mode = 'shadow',", "on = { 'submit' },", "exempt = { 'ana' },"}) {
        put_in_force(short_viz(keys));
        BOOST_TEST(change().reject == RejectCode::none);
    }
    update.stored_parts.front().parts = {model::UpdatePart::comment};
    put_in_force(short_viz());
    BOOST_TEST(change().reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(parts_bind_operators_as_the_whole_does) {
    update.after.submit_uid = update.stored_parts.front().after.submit_uid = 0;
    BOOST_TEST(change().reject == RejectCode::access_denied);
    put_in_force(short_viz("exempt = { 'operators' },"));
    BOOST_TEST(change().reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_part_that_cannot_be_read_rejects_the_change_if_a_rule_enforces) {
    may_keep(10);
    BOOST_TEST(change().reject == RejectCode::none);
    update.stored_parts.front().after.unread =
        model::UnreadText{"licenses", 1024, "bytes", "--licenses", true};
    BOOST_TEST(change().reject == RejectCode::text_too_long);
    put_in_force(short_viz("mode = 'warn',"));
    BOOST_TEST(change().reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_rule_that_compares_reads_the_same_job_before_the_part) {
    put_in_force("rule { modify = function(job, before) if job.partition ~= before.partition and "
                 "job.time_limit == before.time_limit then job:reject('%s', before.partition) end end }");
    BOOST_TEST(text::join(change().message, "\n").find("main") != std::string::npos);
    may_keep(10);
    BOOST_TEST(change().reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(parts_share_the_time_of_one_job) {
    constexpr std::size_t most = 28;
    put_in_force("rule { on_error = 'allow', submit = function(job) while true do end end }",
                 "site { rule_instructions = 10000000, rule_time_ms = 40 }");
    const auto seconds = [this] {
        const double begin = test::cpu_seconds();
        BOOST_TEST(change().reject == RejectCode::none);
        return test::cpu_seconds() - begin;
    };
    const model::StoredPart part = update.stored_parts.front();
    update.stored_parts.clear();
    const double alone = seconds();
    update.stored_parts.assign(most, part);
    BOOST_TEST(seconds() < 3 * alone);
}

BOOST_AUTO_TEST_SUITE_END()

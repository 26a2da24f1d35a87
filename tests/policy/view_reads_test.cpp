// SPDX-License-Identifier: GPL-2.0-or-later
//
// A rule that read `view` and did nothing is left out as long as it would read the same, and only then.
#include "support/counted_rules.hpp"
#include "support/policy_files.hpp"
#include "support/small_view.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

constexpr auto max_jobs = model::CountLimit::max_jobs_per_user;
constexpr auto max_tres = model::TresLimit::max_tres_per_user;

/// Rules over a small view.
struct Viewing {
    explicit Viewing(const std::string& body)
        : rules(Texts{{"t.lua", "rule { submit = function(job, view)\n" + body + "\nend }"}}) {
        job.view = &view;
    }

    std::uint64_t runs() { return rules.runs_for(job); }
    QosFacts& normal() { return view.facts_of("normal"); }
    /// The user may run so many more jobs of QOS normal.
    void leave(std::uint64_t jobs) {
        normal().qos.limits.set(max_jobs, jobs);
        normal().headroom.reset();
    }

    SmallView view;
    Job job;
    Rules rules;
};

} // namespace

BOOST_AUTO_TEST_SUITE(view_reads)

BOOST_AUTO_TEST_CASE(a_rule_runs_again_when_what_it_read_of_view_changes) {
    Viewing rule(
        "local left = view.qos(job.qos):headroom().jobs if left and left < 1 then job:reject('no') end");
    BOOST_TEST(rule.runs() == 1u); // unlimited
    BOOST_TEST(rule.runs() == 0u);
    rule.leave(1);
    BOOST_TEST(rule.runs() == 1u);
    BOOST_TEST(rule.runs() == 0u);
    rule.leave(0);
    BOOST_TEST(rule.runs() == 1u);
    BOOST_TEST(rule.runs() == 1u); // it rejects, which is not remembered
    rule.leave(1);
    BOOST_TEST(rule.runs() == 0u);
    rule.leave(2);
    BOOST_TEST(rule.runs() == 1u);
    rule.leave(1);
    BOOST_TEST(rule.runs() == 1u); // only the last values are remembered
}

BOOST_AUTO_TEST_CASE(what_a_rule_did_not_read_does_not_matter) {
    Viewing rule("local jobs = view.qos('normal').MaxJobsPerUser");
    BOOST_TEST(rule.runs() == 1u);
    rule.normal().qos.limits.set(max_tres, 0, 4);
    rule.view.facts_of("high").qos.limits.set(max_jobs, 1);
    BOOST_TEST(rule.runs() == 0u);
}

BOOST_AUTO_TEST_CASE(counts_by_tres_are_compared) {
    Viewing rule("local cpus = view.qos('normal').MaxTRESPerUser.cpu");
    BOOST_TEST(rule.runs() == 1u);
    rule.normal().qos.limits.set(max_tres, 1, 4); // memory
    BOOST_TEST(rule.runs() == 0u);
    rule.normal().qos.limits.set(max_tres, 0, 0); // CPUs: zero is not unset
    BOOST_TEST(rule.runs() == 1u);
    BOOST_TEST(rule.runs() == 0u);
    rule.normal().qos.limits.set(max_tres, 0, 4);
    BOOST_TEST(rule.runs() == 1u);
}

BOOST_AUTO_TEST_CASE(texts_flags_and_times_are_compared) {
    Viewing account("local account = view.association().account");
    BOOST_TEST(account.runs() == 1u);
    BOOST_TEST(account.runs() == 0u);
    account.view.own_association().account = "physicist";
    BOOST_TEST(account.runs() == 1u);
    Viewing flag("local deny = view.qos('normal').Flags.DenyOnLimit");
    BOOST_TEST(flag.runs() == 1u);
    BOOST_TEST(flag.runs() == 0u);
    flag.normal().qos.flags.deny_on_limit = true;
    BOOST_TEST(flag.runs() == 1u);
    Viewing hour("local night = view.now.hour < 8");
    BOOST_TEST(hour.runs() == 1u);
    BOOST_TEST(hour.runs() == 0u);
    hour.view.time().tm_hour = 9;
    BOOST_TEST(hour.runs() == 1u);
}

BOOST_AUTO_TEST_CASE(an_object_that_is_not_there_is_compared) {
    Viewing rule("local qos = view.qos('night') or view.qos('normal')");
    BOOST_TEST(rule.runs() == 1u);
    BOOST_TEST(rule.runs() == 0u);
    rule.view.add_qos("night");
    BOOST_TEST(rule.runs() == 1u);
    BOOST_TEST(rule.runs() == 0u);
}

BOOST_AUTO_TEST_CASE(functions_with_a_name_are_compared) {
    Viewing rule("local is_staff = view.user.in_group('staff')");
    BOOST_TEST(rule.runs() == 1u);
    BOOST_TEST(rule.runs() == 0u);
    rule.view.groups_of_user() = {"students"};
    BOOST_TEST(rule.runs() == 1u);
}

BOOST_AUTO_TEST_CASE(the_same_read_of_two_objects_counts_twice) {
    Viewing rule("local a, b = view.qos('normal').MaxJobsPerUser, view.qos('high').MaxJobsPerUser");
    BOOST_TEST(rule.runs() == 1u);
    BOOST_TEST(rule.runs() == 0u);
    rule.view.facts_of("high").qos.limits.set(max_jobs, 0); // zero is not unset
    BOOST_TEST(rule.runs() == 1u);
}

BOOST_AUTO_TEST_CASE(users_who_alternate_have_their_own_answers) {
    Viewing rule("local is_staff = view.user.in_group('staff')");
    const auto runs_for = [&rule](std::uint32_t user, const char* group) {
        rule.job.request.user_id = rule.job.request.submit_uid = user;
        rule.view.groups_of_user() = {group};
        return rule.runs();
    };
    BOOST_TEST(runs_for(1000, "staff") == 1u);
    BOOST_TEST(runs_for(1001, "students") == 1u);
    for (int i = 0; i < 100; ++i) {
        BOOST_TEST(runs_for(1000, "staff") == 0u);
        BOOST_TEST(runs_for(1001, "students") == 0u);
    }
    BOOST_TEST(runs_for(1002, "staff") == 1u); // nobody has shown that
}

BOOST_AUTO_TEST_CASE(more_rules_than_are_asked_about_at_once) {
    Texts files;
    for (int i = 0; i < 150; ++i)
        files.emplace_back("t" + std::to_string(i) + ".lua",
                           "rule { submit = function(job, view)\n"
                           "local max = view.qos('normal').MaxJobsPerUser end }");
    SmallView view;
    Job job;
    job.view = &view;
    Rules all(files);
    BOOST_TEST(all.runs_for(job) == 150u);
    BOOST_TEST(all.runs_for(job) == 0u);
}

BOOST_AUTO_TEST_CASE(a_rule_that_acts_again_and_again_is_not_looked_up_for_ever) {
    Viewing rule("if view.qos('normal').MaxJobsPerUser == 0 then job:warn('none') end");
    BOOST_TEST(rule.runs() == 1u);
    rule.leave(0);
    for (int i = 0; i < 63; ++i) {
        BOOST_TEST(rule.rules.is_worth_noting());
        BOOST_TEST(rule.runs() == 1u);
    }
    BOOST_TEST(!rule.rules.is_worth_noting());
}

BOOST_AUTO_TEST_CASE(each_job_has_its_own_answers) {
    Viewing rule("local max = view.qos(job.qos).MaxJobsPerUser");
    for (const char* qos : {"normal", "high"}) {
        rule.job.qos(qos);
        BOOST_TEST(rule.runs() == 1u);
    }
    rule.leave(3);
    BOOST_TEST(rule.runs() == 0u); // of QOS high
    rule.job.qos("normal");
    BOOST_TEST(rule.runs() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_not_noted_makes_the_rule_run) {
    const auto reads = [](int count) {
        return "for i = 1, " + std::to_string(count) + " do local q = view.qos('q' .. i) end";
    };
    const std::string long_name(ViewReads::max_bytes + 1, 'a');
    for (const std::string& body : {
             std::string("local ok = view.qos('normal'):fits(job)"),
             std::string("local names = view.qos_allowed()"),
             std::string("local groups = view.user.groups"),
             std::string("local jobs = view.jobs{ user = 'ana' }"),
             std::string("for name in pairs(view.qos('normal').MaxTRESPerUser) do local x = name end"),
             std::string("pcall(function() return view.nothing end)"),
             std::string("pcall(function() return view.qos('normal').MaxTRESPerUser.nothing end)"),
             reads(17),
             "local q = view.qos('" + long_name + "')",
         })
        BOOST_TEST_CONTEXT(body) {
            Viewing rule(body);
            BOOST_TEST(rule.runs() == 1u);
            BOOST_TEST(rule.runs() == 1u);
        }
    // The same read counts once.
    Viewing sixteen(reads(16) + " " + reads(16));
    BOOST_TEST(sixteen.runs() == 1u);
    BOOST_TEST(sixteen.runs() == 0u);
}

BOOST_AUTO_TEST_CASE(a_rule_that_always_reads_something_else_is_given_up) {
    Viewing rule("local max = view.qos('normal').MaxJobsPerUser");
    std::uint64_t jobs = 0;
    for (; rule.rules.is_worth_noting() && jobs < 1000; ++jobs) {
        rule.leave(jobs);
        BOOST_TEST(rule.runs() == 1u);
    }
    BOOST_TEST(jobs == 33u);       // the first, and then two for each: another value, and a run
    BOOST_TEST(rule.runs() == 1u); // although it would read the same
}

/// Random changes of the world between jobs: a rule that is left out has nothing to say.
BOOST_AUTO_TEST_CASE(a_rule_that_is_left_out_would_have_done_nothing) {
    constexpr const char* body = R"(
        local qos = view.qos(job.qos)
        if qos.MaxJobsPerUser and qos.MaxJobsPerUser == 2 then job:note('two') end
        local left = qos:headroom()
        if left.jobs == 1 and job.cpus > 1 then job:warn('one') end
        if view.now.hour > 20 and left.tres.cpu and left.tres.cpu < job.cpus then job:reject('cpus') end
    )";
    Viewing remembering(body);
    std::mt19937 random(20);
    int left_out = 0;
    for (int i = 0; i < 4000; ++i) {
        // Seldom, so that the rule is worth remembering.
        if (random() % 32 == 0) remembering.leave(random() % 4);
        if (random() % 32 == 0) remembering.normal().qos.limits.set(max_tres, 0, random() % 6);
        remembering.normal().headroom.reset();
        if (random() % 32 == 0) remembering.view.time().tm_hour = random() % 2 == 0 ? 12 : 21;
        remembering.job.qos(random() % 4 == 0 ? "high" : "normal").cpus(1 + random() % 3);
        if (remembering.runs() != 0) continue;
        ++left_out;
        const auto policy =
            load_rule("rule { submit = function(job, view)\n" + std::string(body) + "\nend }");
        const RuleOutcome outcome = policy->run(remembering.job.request, remembering.job.facts());
        BOOST_TEST_REQUIRE(outcome.warnings.empty());
        BOOST_TEST_REQUIRE(!outcome.rejected);
    }
    BOOST_TEST(left_out > 500);
}

BOOST_AUTO_TEST_SUITE_END()

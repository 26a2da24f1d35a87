// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules run on changes of jobs, too, and the log names what they decide.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

/// Ana's job in main. A rule allows jobs in viz at most 10 minutes.
struct ChangeSetup : test::GateSetup {
    ChangeSetup() : policy(test::load_rule(rule(""))) {
        request.submit_uid = 1000;
        request.name = "wrap";
        request.account = "hpc-users";
        request.partition = "main";
        request.qos = "normal";
        request.time_limit = TimeLimit{60};
        update = {.job_id = 17, .before = request, .after = request};
    }

    static std::string rule(const std::string& keys) {
        return "rule { name = 'short viz', " + keys + R"(
            submit = function(job)
                job.comment = "seen"
                if job.partition == "viz" and job.time_limit > 10 then job:reject("too long for viz") end
                job:warn("fits %s", job.partition)
            end })";
    }

    model::Decision change() const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const gate::KnownCluster known(is_cluster_known ? &c : nullptr, may_have_changed);
        return gate::Gate(provider, release).decide_update(update, known, policy.get());
    }

    std::string logged(const model::Decision& decision) const {
        BOOST_TEST_REQUIRE(decision.log.size() == 1u);
        return decision.log.front().text;
    }

    std::shared_ptr<const policy::Policy> policy;
    model::JobUpdate update;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rules_on_changes, ChangeSetup)

BOOST_AUTO_TEST_CASE(a_change_that_leaves_out_gres_of_the_job_is_rejected_where_rules_run) {
    using Texts = std::vector<const char*>;
    const struct {
        const char* before;
        Texts hiding;
        Texts naming;
    } cases[] = {
        {"gres:gpu:4",
         {"gres:fpga:1", "gres:gpu:a100:4", "gres:gpu:0", ""},
         {"gres:gpu:1", "gres:fpga:1,gres:gpu:8"}},
        {"gres:gpu:a100:2",
         {"gres:gpu:v100:2", "gres:gpu:2"},
         {"gres:gpu:a100:1", "gres:gpu:a100:1,gres:gpu:v100:2"}},
        {"gres:gpu:a100:1,gres:gpu:v100:1", {"gres:gpu:a100:2"}, {"gres:gpu:v100:1,gres:gpu:a100:2"}},
    };
    for (const auto field : {&model::JobRequest::tres_per_job, &model::JobRequest::tres_per_node,
                             &model::JobRequest::tres_per_socket, &model::JobRequest::tres_per_task})
        for (const auto& row : cases) {
            update.before.*field = row.before;
            const auto is_rejected = [&](const char* text) {
                update.after.*field = text;
                const auto decision = change();
                const bool may_be_shown = test::first_line(decision.message)
                                              .starts_with("slurmctld does not take gres away from a job");
                BOOST_TEST((decision.reject == RejectCode::access_denied) == may_be_shown);
                return may_be_shown;
            };
            BOOST_TEST(!is_rejected(row.before), row.before);
            for (const char* text : row.hiding)
                BOOST_TEST(is_rejected(text), row.before << " to " << text);
            for (const char* text : row.naming)
                BOOST_TEST(!is_rejected(text), row.before << " to " << text);
            update.before.*field = std::nullopt;
            update.after.*field = std::nullopt;
        }
}

BOOST_AUTO_TEST_CASE(a_change_to_a_partition_that_does_not_exist_is_told_before_a_rule_that_needs_one) {
    policy = test::load_rule("rule { name = 'short', modify = function(job) if job.time_limit > 60 then "
                             "job:reject('too long') end end }");
    update.before.time_limit.reset();
    update.after.time_limit.reset();
    update.after.partition = "vis";
    const auto decision = change();
    BOOST_TEST(decision.reject == RejectCode::invalid_partition);
    BOOST_TEST(test::first_line(decision.message) == "there is no partition 'vis'; did you mean viz?");
    BOOST_TEST(logged(decision).starts_with("refused change jobid=17"));
    update.after.partition = "viz";
    BOOST_TEST(test::first_line(change().message) == "too long");
}

BOOST_AUTO_TEST_CASE(gres_that_a_change_leaves_out_are_gone_from_26_05_on) {
    update.before.tres_per_node = "gres/gpu:2";
    update.after.tres_per_node = "gres/gpu:0";
    for (const limits::Release each : {limits::Release(25, 11), limits::Release(26, 5, 0)}) {
        release = each;
        BOOST_TEST((change().reject == RejectCode::none) == (each >= limits::Release(26, 5, 0)));
    }
}

BOOST_AUTO_TEST_CASE(rules_read_the_time_limit_that_the_new_qos_will_give) {
    qos(0).limits.set(model::CountLimit::max_wall, 10);
    qos(1).limits.set(model::CountLimit::max_wall, 11);
    update.before.partition = update.after.partition = "viz";
    update.after.qos = "moonlight";
    update.names_qos = true;
    const auto rejects = [&](limits::Release of_release, std::uint32_t minutes) {
        release = of_release;
        update.before.time_limit = update.after.time_limit = TimeLimit{minutes};
        return change().reject == RejectCode::access_denied;
    };
    BOOST_TEST(!rejects({25, 5, 5}, 10));
    BOOST_TEST(rejects({25, 5, 6}, 10));
    BOOST_TEST(rejects({26, 5}, 10));
    BOOST_TEST(!rejects({26, 5}, 9)); // the user's own
    qos(1).limits.set(model::CountLimit::max_wall, 10);
    BOOST_TEST(!rejects({26, 5}, 10));
}

BOOST_AUTO_TEST_CASE(a_change_of_tasks_for_each_gpu_is_rejected_where_rules_run) {
    BOOST_TEST(change().reject == RejectCode::none);
    update.after.tasks_per_tres = 2;
    const auto decision = change();
    BOOST_TEST(decision.reject == RejectCode::access_denied);
    BOOST_TEST(test::first_line(decision.message).ends_with("submit another job with --ntasks-per-gpu"));
    update.before.tasks_per_tres = 2;
    BOOST_TEST(change().reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_change_that_the_rules_would_not_accept_is_rejected) {
    update.after.partition = "viz";

    const auto decision = change();

    BOOST_TEST(decision.reject == RejectCode::access_denied);
    BOOST_TEST(decision.message == std::vector<std::string>{"too long for viz"},
               boost::test_tools::per_element());
    BOOST_TEST(logged(decision) == "rejected change jobid=17 user=ana(1000) job=wrap account=hpc-users "
                                   "partition=viz qos=normal: rule 'short viz' (rule.lua): too long for viz");
}

BOOST_AUTO_TEST_CASE(a_change_that_they_accept_is_not_changed_by_them) {
    update.after.partition = "viz";
    update.after.time_limit = TimeLimit{10};

    const auto decision = change();

    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(!decision.changed);
    BOOST_TEST(decision.message == std::vector<std::string>{"fits viz"}, boost::test_tools::per_element());
    BOOST_TEST(logged(decision).starts_with("warned change jobid=17"));
}

BOOST_AUTO_TEST_CASE(rules_bind_operators_and_root_at_changes_as_at_submissions) {
    update.after.partition = "viz";
    for (const std::uint32_t requester : {0u, 1000u}) {
        update.after.submit_uid = requester;
        BOOST_TEST(change().reject == RejectCode::access_denied);
    }
}

BOOST_AUTO_TEST_CASE(the_log_names_who_changes_the_job_of_another) {
    update.after.partition = "viz";
    update.after.submit_uid = 0;
    BOOST_TEST(logged(change()).starts_with("rejected change jobid=17 by=0 user=ana(1000) job=wrap"));
}

BOOST_AUTO_TEST_CASE(a_rule_that_fails_on_a_change_decides_by_on_error) {
    const auto answer = [this](const std::string& on_error) {
        policy = test::load_rule("rule { on_error = '" + on_error +
                                 "', submit = function(job) local x = nil + 1 end }");
        return change().reject;
    };
    BOOST_TEST(answer("deny") == RejectCode::access_denied);
    BOOST_TEST(answer("allow") == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(rules_decide_about_changes_also_where_limits_are_not_judged) {
    update.after.partition = "viz";
    may_have_changed = true;
    BOOST_TEST(change().reject == RejectCode::access_denied);
    is_cluster_known = false;
    BOOST_TEST(change().reject == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(the_log_says_whose_job_a_rule_changed_or_would_have_rejected) {
    request.name = "my job\nend";
    auto decision = decide(policy.get());
    BOOST_TEST_REQUIRE(decision.log.size() == 2u);
    BOOST_TEST(decision.log[0].text == "warned user=ana(1000) job='my job?end' account=hpc-users "
                                       "partition=main qos=normal: rule 'short viz' (rule.lua): fits main");
    BOOST_TEST(decision.log[1].text.starts_with("changed user=ana(1000)"));
    BOOST_TEST(decision.log[1].text.ends_with("(rule.lua): comment: (unset) -> seen"));

    request.partition = "viz";
    for (const auto& [mode, word] : {std::pair{"shadow", "shadow"}, std::pair{"warn", "not enforced"}}) {
        policy = test::load_rule(rule(std::string("mode = '") + mode + "',"));
        decision = decide(policy.get());
        BOOST_TEST(logged(decision).starts_with(std::string(word) + " user=ana(1000)"));
        BOOST_TEST(logged(decision).ends_with("would reject: too long for viz"));
    }
}

BOOST_AUTO_TEST_CASE(what_the_log_calls_warned_is_told_also_before_a_rejection) {
    const auto answer = [this](const std::string& end) {
        policy = test::load_rule("rule { submit = function(job) job:warn('soon')" + end + " end }");
        return decide(policy.get());
    };
    using Lines = std::vector<std::string>;

    const auto rejected = answer(" job:reject('no')");
    BOOST_TEST(rejected.message == (Lines{"soon", "no"}), boost::test_tools::per_element());
    BOOST_TEST_REQUIRE(rejected.log.size() == 2u);
    BOOST_TEST(rejected.log[0].text.starts_with("warned user=ana(1000)"));
    BOOST_TEST(rejected.log[1].text.starts_with("rejected user=ana(1000)"));
    BOOST_TEST(answer("").message == Lines{"soon"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_log_calls_no_job_changed_that_a_later_rule_rejects) {
    const std::string later =
        "rule { submit = function(job) if job.partition == 'viz' then job:reject('no') end end }";
    policy = test::load_rules(
        {{"a.lua", "rule { submit = function(job) job.comment = 'seen' end }"}, {"b.lua", later}});
    BOOST_TEST(logged(decide(policy.get())).starts_with("changed user=ana(1000)"));

    request.partition = "viz";
    BOOST_TEST(logged(decide(policy.get())).starts_with("rejected user=ana(1000)"));
}

BOOST_AUTO_TEST_CASE(a_failure_that_rejects_has_a_line_of_its_own_and_one_for_the_rejection) {
    policy = test::load_rule("rule { name = 'r', submit = function(job) error('x', 0) end }");
    const auto rejected = decide(policy.get());
    BOOST_TEST_REQUIRE(rejected.log.size() == 2u);
    BOOST_TEST(rejected.log[0].text.starts_with("failed user=ana(1000)"));
    BOOST_TEST(rejected.log[0].text.find("(rule.lua): x; rejected because of on_error = \"deny\" [") !=
               std::string::npos);
    BOOST_TEST(rejected.log[1].text.starts_with("rejected user=ana(1000)"));
    BOOST_TEST(rejected.log[1].text.ends_with("rule 'r' (rule.lua): the rule failed"));
    BOOST_TEST(rejected.message.size() == 1u); // the message itself says whom to tell

    policy = test::load_rule("rule { on_error = 'allow', submit = function(job) error('x', 0) end }");
    BOOST_TEST(logged(decide(policy.get())).starts_with("failed user=ana(1000)"));
    BOOST_TEST(logged(decide(policy.get())).find("x; ignored because of on_error") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_log_has_the_reason_of_what_the_gate_refuses) {
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.tasks = request.min_cpus = 3;
    policy = test::load_site("site { limits = 'enforce' }");

    const auto decision = decide(policy.get());

    BOOST_TEST(decision.reject == RejectCode::accounting_policy);
    BOOST_TEST(
        logged(decision).starts_with("refused user=ana(1000) job=wrap account=hpc-users partition=main "
                                     "qos=normal: QOSMaxCpuPerJobLimit: "));
}

BOOST_AUTO_TEST_CASE(the_log_line_of_a_refusal_is_cut) {
    std::vector<std::string> tres_names = {"cpu", "mem", "energy", "node"};
    request.licenses = "";
    for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'}) {
        const std::string license(300, letter);
        tres_names.push_back("license/" + license);
        *request.licenses += license + ":2,";
    }
    records.tres = std::make_shared<const model::TresCatalogue>(tres_names);
    for (quota::LocalQos& each : records.qos)
        each.qos.limits = model::Limits(records.tres->size());
    for (std::size_t i = 4; i < tres_names.size(); ++i)
        qos(0).limits.set(model::TresLimit::max_tres_per_job, i, 1);
    policy = test::load_site("site { limits = 'enforce' }");

    const std::string line = logged(decide(policy.get()));

    BOOST_TEST(line.starts_with("refused user=ana(1000)"));
    BOOST_TEST(line.size() == 1503u);
    BOOST_TEST(line.ends_with("..."));
}

BOOST_AUTO_TEST_CASE(a_line_of_the_log_is_bounded) {
    request.name = std::string(1000, 'x');
    request.partition = "viz";
    const std::string line = logged(decide(policy.get()));
    BOOST_TEST(line.size() < 400u);
    BOOST_TEST(line.find("job=" + std::string(64, 'x') + "... ") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

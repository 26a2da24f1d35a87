// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/gate/predict/het_parts.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::RejectCode;
using model::TresLimit;

namespace {

struct DecideSetup : test::GateSetup {
    DecideSetup() {
        qos(1).flags.deny_on_limit = true;
        qos(1).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
        qos(1).limits.set(CountLimit::max_wall, 480);
        request.qos = "moonlight";
    }

    model::Decision decide_at(std::string_view level) const {
        const auto policy = test::load_site("site { limits = \"" + std::string(level) +
                                            "\", contact = \"help@site.example\" }");
        return decide(policy.get());
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(gate_module, DecideSetup)

// slurmctld would divide by it, whatever the site wants.
BOOST_AUTO_TEST_CASE(a_list_of_more_nodes_than_any_cluster_has_is_refused) {
    const auto decide_without = [&](std::string list) {
        request.excluded_nodes = "n"; // its beginning
        request.details.set(model::JobDetail::excluded_nodes, std::move(list));
        return decide_at("off").reject;
    };
    BOOST_TEST(decide_without("n[0-255]x[0-255]") == RejectCode::none);
    BOOST_TEST(decide_without("n[0-255]x[0-255],a") == RejectCode::access_denied);
    BOOST_TEST(decide_without("n[0-999]x[0-999]") == RejectCode::access_denied);

    // Of a long list whose only comma is its first byte, the beginning has no whole name.
    request.excluded_nodes = "";
    BOOST_TEST(decide_at("off").reject == RejectCode::none);
    request.has_all_excluded = false;
    BOOST_TEST(decide_at("off").reject == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(a_job_that_would_end_slurmctld_is_refused_without_rules_and_limits) {
    request.qos = "normal";
    request.tasks = 8;
    request.tres_per_socket = "gres:gpu:1";
    for (const char* level : {"off", "explain", "enforce"}) {
        request.tasks_per_socket = 0;
        const auto decision = decide_at(level);
        BOOST_TEST(decision.reject == RejectCode::access_denied, level);
        BOOST_TEST(decision.message.front() ==
                   "--ntasks-per-socket=0 is no count: ask for at least 1, or leave it out");
        BOOST_TEST(decision.log.size() == 1u);

        request.tasks_per_socket = 1;
        BOOST_TEST(decide_at(level).reject == RejectCode::none, level);
    }
    request.tasks_per_socket = 0;
    BOOST_TEST(decide().reject == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(says_nothing_about_a_job_that_passes) {
    request.tres_per_node = "gres:gpu:2";
    request.time_limit = TimeLimit{480};

    const auto decision = decide();

    BOOST_TEST(decision.forecast.code == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    BOOST_TEST(!decision.changed);
}

BOOST_AUTO_TEST_CASE(logs_a_failing_rule_as_an_error_and_another_as_information) {
    const auto level_of = [this](const std::string& body) {
        const auto policy = policy::compile_policy(
            {true, {{"a.lua", "rule { on_error = 'allow', submit = function(job) " + body + " end }"}}});
        BOOST_TEST_REQUIRE(policy.has_value());
        const auto decision = decide(policy->get());
        BOOST_TEST_REQUIRE(decision.log.size() == 1u);
        BOOST_TEST(decision.log[0].text.find('\t') == std::string::npos);
        return decision.log[0].level;
    };

    BOOST_TEST(level_of("error('x')") == LogLevel::error);
    BOOST_TEST(level_of("job:warn('x')") == LogLevel::info);
}

BOOST_AUTO_TEST_CASE(explain_leaves_the_refusal_to_slurm_and_gives_every_reason) {
    request.tres_per_node = "gres:gpu:3";
    request.submit_line = "sbatch --gres=gpu:3 --time=10:00:00 job.sh";
    request.time_limit = TimeLimit{600};

    const auto decision = decide();

    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.forecast.code == RejectCode::accounting_policy);
    BOOST_TEST(decision.forecast.reason == "QOSMaxGRESPerUser");
    const std::vector<std::string> expected{
        "QOS moonlight does not allow this job (2 problems):",
        "  GPUs per user: limit 2, this job asks for 3 (QOSMaxGRESPerUser)",
        "  wall time per job: limit 08:00:00, this job asks for 10:00:00 (QOSMaxWallDurationPerJobLimit)",
        "would be accepted with: --gres=gpu:2 --time=08:00:00",
        "would be accepted with: --qos=normal",
    };
    BOOST_TEST(decision.message == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(enforce_refuses_itself_and_names_the_contact) {
    request.tres_per_node = "gres:gpu:3";

    const auto decision = decide_at("enforce");

    BOOST_TEST(decision.reject == RejectCode::accounting_policy);
    BOOST_TEST(test::last_line(decision.message) == "questions: help@site.example");
}

BOOST_AUTO_TEST_CASE(enforce_refuses_what_deny_on_limit_would_refuse_and_explain_does_not) {
    qos(1).flags.deny_on_limit = false;
    request.tres_per_node = "gres:gpu:3";

    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);
    BOOST_TEST(decide_at("explain").forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(the_event_of_a_limit_says_what_becomes_of_the_job) {
    const auto outcome_at = [this](const char* level) {
        const auto decision = decide_at(level);
        return decision.events.empty() ? "no event" : std::string(decision.events.back().outcome);
    };
    BOOST_TEST(outcome_at("explain") == "no event");
    request.tres_per_node = "gres:gpu:3";
    BOOST_TEST(outcome_at("explain") == "refused"); // by slurmctld
    qos(1).flags.deny_on_limit = false;
    BOOST_TEST(outcome_at("explain") == "never starts");
    BOOST_TEST(outcome_at("enforce") == "refused");
    request.tres_per_node.reset();
    qos(1).limits.set(model::CountLimit::grp_jobs, 1);
    qos(1).usage.jobs = 1;
    BOOST_TEST(outcome_at("explain") == "waits");
    request.partition = "nosuch"; // no limit
    BOOST_TEST(outcome_at("explain").empty());
}

BOOST_AUTO_TEST_CASE(enforce_lets_pass_what_starts_although_deny_on_limit_would_refuse_it) {
    // Without `safe`, minutes limits block jobs only after they are used up.
    qos(1).flags.deny_on_limit = false;
    qos(1).limits.set(TresLimit::grp_tres_mins, tres("cpu"), 600);
    request.time_limit = TimeLimit{400};
    request.tasks = request.min_cpus = 2;

    const auto decision = decide_at("enforce");

    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    qos(1).flags.deny_on_limit = true;
    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(off_has_no_opinion) {
    request.tres_per_node = "gres:gpu:3";

    const auto decision = decide_at("off");

    BOOST_TEST(decision.forecast.code == RejectCode::none);
    BOOST_TEST(decision.message.empty());
}

BOOST_AUTO_TEST_CASE(a_test_of_a_job_is_answered_by_the_gate_where_slurmctld_drops_its_words) {
    qos(1).flags.deny_on_limit = true;
    qos(1).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.qos = "moonlight";
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(decide().forecast.code == RejectCode::accounting_policy);
    BOOST_TEST(decide().reject == RejectCode::none);

    request.submit_line = "sbatch --test-only -n3 job.sh";
    BOOST_TEST(decide().reject == RejectCode::accounting_policy);
    request.tasks = request.min_cpus = 2; // accepted
    BOOST_TEST(decide().reject == RejectCode::none);
    request.qos = "moonlite"; // slurmctld shows the gate's message
    BOOST_TEST(decide().reject == RejectCode::none);
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_qos);
    request.partition = "vis";
    BOOST_TEST(decide().reject == RejectCode::invalid_partition);
}

BOOST_AUTO_TEST_CASE(a_misspelt_qos_is_answered_with_the_right_names) {
    request.qos = "moonlite";

    const auto decision = decide();

    BOOST_TEST(decision.forecast.code == RejectCode::invalid_qos);
    BOOST_TEST_REQUIRE(decision.message.size() == 2u);
    BOOST_TEST(test::first_line(decision.message) == "there is no QOS 'moonlite'; did you mean moonlight?");
    BOOST_TEST(decision.message[1] == "  QOSs that ana can use with account hpc-users: moonlight, normal");
}

BOOST_AUTO_TEST_CASE(a_qos_that_is_not_open_to_the_user_is_told_from_an_unknown_one) {
    request.qos = "secret";

    BOOST_TEST(test::first_line(decide().message) ==
               "QOS secret exists, but ana cannot use it with account hpc-users");
}

BOOST_AUTO_TEST_CASE(a_qos_for_reservations_says_so) {
    qos(1).flags.requires_reservation = true;
    BOOST_TEST(test::first_line(decide().message) ==
               "QOS moonlight is for jobs in a reservation: add --reservation=NAME");

    request.reservation = "maintenance";
    BOOST_TEST(decide().forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_qos_that_the_partition_shuts_out_is_refused_only_where_slurm_does) {
    partitions[0].allow_qos = {"normal"};
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    enforce_part_limits = model::EnforcePartLimits::all;
    const auto decision = decide();
    BOOST_TEST(decision.forecast.code == RejectCode::invalid_qos);
    BOOST_TEST(test::first_line(decision.message) ==
               "partition main does not accept QOS moonlight (accepted: normal)");
}

BOOST_AUTO_TEST_CASE(any_refuses_only_where_every_partition_shuts_out) {
    enforce_part_limits = model::EnforcePartLimits::any;
    partitions[0].deny_qos = {"moonlight"};
    request.partition = "main,viz";
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    partitions[1].deny_qos = {"moonlight"};
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(an_unknown_partition_is_answered_with_the_right_names) {
    request.partition = "vis";

    const auto decision = decide();

    BOOST_TEST(decision.forecast.code == RejectCode::invalid_partition);
    BOOST_TEST(test::first_line(decision.message) == "there is no partition 'vis'; did you mean viz?");
}

BOOST_AUTO_TEST_CASE(a_user_without_association_is_told_so) {
    request.user_id = 1001;

    const auto decision = decide();

    BOOST_TEST(decision.forecast.code == RejectCode::invalid_account);
    const std::vector<std::string> expected{
        "user id 1001 has no default account",
        "  your accounts: sacctmgr show associations user=$USER",
    };
    BOOST_TEST(decision.message == expected);
}

BOOST_AUTO_TEST_CASE(without_knowledge_of_the_partitions_limits_are_left_to_slurm) {
    request.tres_per_node = "gres:gpu:3";
    const quota::LocalQuota provider(records);

    const auto decision = gate::Gate(provider, release).decide(request, nullptr, nullptr);

    BOOST_TEST(decision.forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_request_that_slurm_refuses_for_its_length_is_left_to_it) {
    request.unread = {"comment", 1024, "bytes", "--comment", /*slurmctld_refuses=*/true};
    request.tres_per_node = "gres:gpu:3";

    for (const char* level : {"explain", "enforce", "off"}) {
        const auto decision = decide_at(level);
        BOOST_TEST(decision.reject == RejectCode::none);
        BOOST_TEST(decision.message.empty());
        BOOST_TEST_REQUIRE(decision.log.size() == 1u);
        BOOST_TEST(decision.log[0].text.starts_with("unchecked by=0 user=ana(1000) "));
        BOOST_TEST(decision.log[0].text.ends_with(": its text of comment has more than 1024 bytes"));
    }
}

BOOST_AUTO_TEST_CASE(a_request_that_is_too_large_is_logged_with_what_is_known_of_it) {
    request.unread = {"comment", 1024, "bytes"};
    request.name = "wrap";
    request.partition.reset();
    request.qos.reset();
    const auto policy = test::load_rule("rule { submit = function(job) end }");

    const auto decision = decide(policy.get());

    BOOST_TEST(decision.reject == RejectCode::text_too_long);
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text == "refused by=0 user=ana(1000) job=wrap account=hpc-users "
                                       "partition=main qos=normal: the site's rules cannot be applied to "
                                       "this job: its text of comment has more than "
                                       "1024 bytes");
}

BOOST_AUTO_TEST_CASE(suggests_only_what_the_rules_leave_working) {
    request.time_limit = TimeLimit{600};
    const auto last_line = [this](std::string_view body) {
        const auto policy = test::load_rule("rule { submit = function(job) " + std::string(body) + " end }");
        return test::last_line(decide(policy.get()).message);
    };
    BOOST_TEST(last_line("") == "would be accepted with: --qos=normal"); // behind a shorter time
    BOOST_TEST(last_line("if job.qos ~= 'moonlight' then job:reject('no') end") ==
               "would be accepted with: --time=08:00:00");
    // If a rule set the QOS, the suggestion adds --qos to a command that had none.
    request.qos.reset();
    BOOST_TEST(last_line("job.qos = 'moonlight'") == "would be accepted with: --time=08:00:00");

    const std::string_view problem = "  wall time per job: limit 08:00:00, this job asks for 10:00:00 "
                                     "(QOSMaxWallDurationPerJobLimit)";
    BOOST_TEST(last_line("job.qos = 'moonlight'; job.time_limit = 600") == problem);
    request.qos = "moonlight";
    BOOST_TEST(last_line("if job.time_limit < 600 then job:reject('too short') end") ==
               "would be accepted with: --qos=normal");
    BOOST_TEST(last_line("if job.time_limit < 600 or job.qos ~= 'moonlight' then job:reject('no') end") ==
               problem);
}

BOOST_AUTO_TEST_CASE(tries_several_suggestions_in_the_time_of_one_job) {
    request.time_limit = TimeLimit{600};
    request.qos = "moonlight";
    records.associations[0].permitted_qos = {{"normal", "moonlight", "secret"}};
    const auto last_line = [this](std::string_view body) {
        const auto policy = test::load_rule("rule { submit = function(job) " + std::string(body) + " end }");
        return test::last_line(decide(policy.get()).message);
    };
    BOOST_TEST(last_line("if job.qos == 'normal' then job:reject('no') end") ==
               "would be accepted with: --qos=secret");
    // What the rule does with the suggestions takes longer than a job may take.
    const std::string_view slow =
        "if job.qos ~= 'moonlight' or job.time_limit < 600 then while true do end end";
    BOOST_TEST(last_line(slow).find("would be accepted") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_a_limit_is_told_where_it_would_not) {
    request.time_limit = TimeLimit{60};
    request.qos = "moonlight";
    qos(1).limits.set(model::CountLimit::grp_jobs, 1);
    qos(1).usage.jobs = 1;
    BOOST_TEST(test::last_line(decide().message) == "could start sooner with: --qos=normal");

    const auto refuses = test::load_rule(
        "rule { submit = function(job) if job.qos == 'normal' then job:reject('no') end end }");
    BOOST_TEST(test::last_line(decide(refuses.get()).message).starts_with("this job will wait: "));
    qos(0).limits.set(model::CountLimit::grp_jobs, 1); // full, too
    qos(0).usage.jobs = 1;
    BOOST_TEST(test::last_line(decide().message).starts_with("this job will wait: "));
    qos(0).usage.jobs = 0;
    request.begins_later = true;
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(a_suggestion_that_waits_at_first_says_so) {
    request.time_limit = TimeLimit{600};
    request.qos = "moonlight";
    BOOST_TEST(test::last_line(decide().message) == "would be accepted with: --qos=normal");
    qos(0).limits.set(model::CountLimit::grp_jobs, 1);
    qos(0).usage.jobs = 1;
    BOOST_TEST(test::last_line(decide().message) ==
               "would be accepted, and wait for other jobs, with: --qos=normal");
}

BOOST_AUTO_TEST_CASE(a_limit_that_a_wait_hides_is_told) {
    request.time_limit = TimeLimit{60};
    request.qos = "moonlight";
    qos(1).limits.set(model::CountLimit::grp_jobs, 1);
    qos(1).limits.set(model::TresLimit::grp_tres, tres("cpu"), 4);
    qos(1).usage.jobs = 1;
    qos(1).usage.tres.resize(records.tres->size());
    qos(1).usage.tres[tres("cpu")] = 4;
    BOOST_TEST(test::first_line(decide().message) == "this job will wait (2 reasons):");
    BOOST_TEST(pending() == "QOSGrpJobsLimit");
    qos(1).flags.deny_on_limit = false;
    qos(1).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 0); // never starts
    BOOST_TEST(test::first_line(decide().message).starts_with("this job can never start as it is: "));
    BOOST_TEST(decide().message[1] == "at first, it would wait (2 reasons):");
    qos(1).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 1);
    qos(1).usage.tres[tres("cpu")] = 3;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job will wait: "));
}

BOOST_AUTO_TEST_CASE(suggests_nothing_where_a_rule_failed) {
    request.time_limit = TimeLimit{600};
    const auto policy = test::load_rule("rule { on_error = 'allow', submit = function(job) error('x') end }");

    BOOST_TEST(test::last_line(decide(policy.get()).message).find("would be accepted") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(nobody_is_too_large_for_a_rule_that_enforces) {
    request.unread = {"nodelist", 16384, "bytes"};
    const auto decide_with = [&](const std::string& keys) {
        const auto policy = test::load_rule("rule { " + keys + " submit = function(job) end }");
        return decide(policy.get());
    };

    for (const char* keys : {"", "on_error = \"allow\",", "on_error = \"warn\","}) {
        const auto decision = decide_with(keys);
        BOOST_TEST(decision.reject == RejectCode::text_too_long);
        BOOST_TEST_REQUIRE(decision.message.size() == 1u);
        BOOST_TEST(test::first_line(decision.message) ==
                   "the site's rules cannot be applied to this job: its text of nodelist has "
                   "more than 16384 bytes");
        BOOST_TEST_REQUIRE(decision.log.size() == 1u);
        BOOST_TEST(decision.log[0].text.starts_with("refused by=0 user=ana(1000) "));
        BOOST_TEST(decision.log[0].text.ends_with(test::first_line(decision.message)));
    }
    for (const char* keys : {"mode = \"warn\",", "mode = \"shadow\","})
        BOOST_TEST(decide_with(keys).reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_job_that_starts_later_is_told_only_what_is_for_good) {
    request.qos.reset();
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 1);
    records.qos[0].users[1000].jobs = 1;
    const auto may_be_shown = [this](std::string_view words) {
        const auto message = decide().message;
        return !message.empty() && message.front().starts_with(words);
    };
    BOOST_TEST(may_be_shown("this job will wait"));

    request.is_het_part = true;
    BOOST_TEST(decide().message.empty());

    request.is_het_part = false;
    request.priority = 0;
    BOOST_TEST(decide().message.empty());
    BOOST_TEST(pending() == "QOSMaxJobsPerUserLimit");

    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 0);
    BOOST_TEST(may_be_shown("this job can never start"));
}

BOOST_AUTO_TEST_CASE(nodes_that_are_in_use_may_be_shared) {
    request.qos.reset();
    qos(0).limits.set(model::TresLimit::max_tres_per_user, tres("node"), 2);
    records.qos[0].users[1000].tres = model::TresCounts(records.tres->size());
    records.qos[0].users[1000].tres[tres("node")] = 2;
    const auto may_be_shown = [this](std::string_view words) {
        const auto message = decide().message;
        return !message.empty() && message.front().starts_with(words);
    };
    BOOST_TEST(may_be_shown("this job may wait: nodes"));
    BOOST_TEST(pending() == "QOSMaxNodePerUserLimit");
    BOOST_TEST(forecast().may_start);
    BOOST_TEST(!forecast().never_starts);

    request.min_nodes = request.tasks = request.min_cpus = 3;
    BOOST_TEST(may_be_shown("this job can never start as it is: nodes"));
    BOOST_TEST(!forecast().may_start);
    BOOST_TEST(forecast().never_starts);

    request.min_nodes = request.tasks = request.min_cpus = 1;
    qos(0).limits.set(model::TresLimit::grp_tres, tres("cpu"), 8);
    qos(0).usage.tres = model::TresCounts(records.tres->size());
    qos(0).usage.tres[tres("cpu")] = 8;
    BOOST_TEST(may_be_shown("this job will wait: CPUs"));
    BOOST_TEST(!forecast().may_start);
}

BOOST_AUTO_TEST_CASE(notes_of_rules_are_not_told_of_a_job_that_is_refused_and_warnings_are) {
    const auto rules = test::load_rule("rule { submit = function(job) job:note('it runs in %s', 'main')\n"
                                       "job:warn('slow') job:note('soon') end }");
    const auto said = [&] { return text::join(decide(rules.get()).message, "|"); };
    request.qos.reset();
    BOOST_TEST(said() == "it runs in main|slow|soon");
    request.qos = "nosuch";
    BOOST_TEST(said().starts_with("slow|there is no QOS 'nosuch'"));
}

BOOST_AUTO_TEST_CASE(where_memory_comes_from_that_breaks_a_limit_is_told) {
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("mem"), 500);
    request.qos.reset();
    const auto tells = [this](std::string_view line) {
        const auto message = decide().message;
        return std::ranges::find(message, line) != message.end();
    };
    BOOST_TEST(tells("this job names no --mem: 1000M per CPU is the default of partition main"));
    partitions[0].default_memory.reset();
    BOOST_TEST(tells("this job names no --mem: it gets all memory of its nodes"));
    partitions[0].min_node_memory_mib = partitions[0].node_memory_mib;
    BOOST_TEST(tells("this job names no --mem: it gets all memory of its nodes, 250G of each"));
    default_memory = model::Memory{2000, /*per_cpu=*/false};
    BOOST_TEST(tells("this job names no --mem: 2000M per node is the default of this cluster"));
    request.memory = model::Memory{2000, /*per_cpu=*/false};
    BOOST_TEST(text::join(decide().message, "|").find("names no --mem") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_time_of_0_is_told_to_mean_unlimited_where_it_breaks_a_limit) {
    partitions[0].max_time = TimeLimit{60};
    request.qos.reset();
    request.time_limit = TimeLimit::unlimited();
    BOOST_TEST(text::join(decide().message, "|").find("|--time=0 means UNLIMITED") != std::string::npos);
    request.time_limit = TimeLimit{61};
    BOOST_TEST(text::join(decide().message, "|").find("means UNLIMITED") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_whose_nodes_must_have_more_cpus_than_a_limit_allows_can_never_start) {
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 4);
    request.qos.reset();
    request.tasks = request.min_cpus = request.min_nodes = request.max_nodes = 1;
    request.min_cpus_per_node = 4;
    BOOST_TEST(decide().message.empty());

    request.min_cpus_per_node = 5;
    BOOST_TEST(test::first_line(decide().message)
                   .starts_with("this job can never start as it is: CPUs per job in QOS normal: limit 4, "
                                "this job asks for 5"));
    BOOST_TEST(decide().reject == RejectCode::none);
    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(a_limit_for_good_is_told_also_where_running_jobs_hide_it) {
    request.qos.reset();
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 1);
    records.qos[0].users[1000].jobs = 1;
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.tasks = request.min_cpus = 2;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job will wait"));

    request.tasks = request.min_cpus = 3;

    BOOST_TEST(pending() == "QOSMaxJobsPerUserLimit");
    BOOST_TEST(
        test::first_line(decide().message).starts_with("this job can never start as it is: CPUs per job"));
}

BOOST_AUTO_TEST_CASE(a_list_of_the_partition_is_told_also_where_running_jobs_hide_it) {
    request.qos.reset();
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 1);
    records.qos[0].users[1000].jobs = 1;
    partitions[0].allow_qos = {"normal"};
    BOOST_TEST(test::first_line(decide().message).starts_with("this job will wait"));

    partitions[0].allow_qos = {"moonlight"};

    BOOST_TEST(pending() == "QOSMaxJobsPerUserLimit");
    const auto message = decide().message;
    BOOST_TEST_REQUIRE(!message.empty());
    BOOST_TEST(message.front().starts_with("this job can never start as it is"));
    BOOST_TEST(text::join(message, "\n").find("partition main does not accept QOS normal") !=
               std::string::npos);
    BOOST_TEST(decide_at("enforce").reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(an_answer_has_at_most_eight_lines) {
    for (const char* name : {"cpu", "mem", "node", "billing", "gres/gpu", "gres/gpu:a100", "license/foo"})
        qos(1).limits.set(TresLimit::max_tres_per_job, tres(name), 0);
    request.tres_per_node = "gres:gpu:a100:3";
    request.licenses = "foo:1";
    request.time_limit = TimeLimit{600};
    request.memory = model::Memory{1000, /*per_cpu=*/true};

    const auto message = decide().message;

    BOOST_TEST_REQUIRE(message.size() == 8u);
    BOOST_TEST(message.front() == "QOS moonlight does not allow this job (9 problems):");
    BOOST_TEST(message[6] == "  and 4 more");
    BOOST_TEST(message[7] == "would be accepted with: --qos=normal");
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::RejectCode;
using model::TresLimit;

namespace {

constexpr std::uint32_t an_operator = 77;

/// Ana's job of 4 CPUs and one hour in QOS normal. She may move it to moonlight, which allows 2 CPUs and 30
/// minutes per job and has DenyOnLimit.
struct UpdateSetup : test::GateSetup {
    UpdateSetup() {
        qos(1).flags.deny_on_limit = true;
        qos(1).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
        qos(1).limits.set(CountLimit::max_wall, 30);
        records.operators = {an_operator};
        request.submit_uid = 1000;
        request.account = "hpc-users";
        request.partition = "main";
        request.qos = "normal";
        request.tasks = request.min_cpus = 4;
        request.time_limit = TimeLimit{60};
        update = {.before = request, .after = request};
    }

    void move_to(const char* name) {
        update.after.qos = name;
        update.names_qos = true;
    }

    void ask_cpus(std::uint32_t cpus) { update.after.tasks = update.after.min_cpus = cpus; }

    model::Decision decide(const char* level = "explain") const {
        const auto policy = test::load_site(std::string("site { limits = \"") + level + "\" }");
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        return gate::Gate(provider, release).decide_update(update, known(c), policy.get());
    }

    model::JobUpdate update;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(update_rules, UpdateSetup)

BOOST_AUTO_TEST_CASE(a_change_must_be_submitted_again_while_slurmctld_starts_unless_an_operator_makes_it) {
    is_cluster_known = false;
    move_to("moonlight");
    const auto decision = decide("enforce");
    BOOST_TEST(decision.reject == RejectCode::try_again);
    BOOST_TEST(
        test::first_line(decision.message) ==
        "the limits of this change cannot be checked yet, because slurmctld has just started; try again "
        "in a moment");
    BOOST_TEST(decide("explain").reject == RejectCode::none);
    update.after.submit_uid = an_operator;
    BOOST_TEST(decide("enforce").reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_change_that_old_partitions_would_refuse_must_be_submitted_again) {
    may_have_changed = true;
    BOOST_TEST(decide("enforce").reject == RejectCode::none);
    move_to("moonlight");
    BOOST_TEST(decide("enforce").reject == RejectCode::try_again);
    BOOST_TEST(decide("explain").reject == RejectCode::none);
    update.after.submit_uid = an_operator;
    BOOST_TEST(decide("enforce").reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_change_to_a_qos_that_is_too_small_is_refused) {
    move_to("moonlight");
    const auto decision = decide();
    BOOST_TEST(decision.forecast.code == RejectCode::accounting_policy);
    BOOST_TEST(decision.forecast.reason == "QOSMaxCpuPerJobLimit");
    BOOST_TEST(decision.reject == RejectCode::none); // slurmctld refuses by itself
    BOOST_TEST(decide("enforce").reject == RejectCode::accounting_policy);
    BOOST_TEST(decide("off").message.empty());

    qos(1).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 4);
    BOOST_TEST(decide().forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_change_to_no_gres_is_refused_where_rules_look_at_changes) {
    const auto rules = test::load_rule("rule { name = 'a', submit = function(job) end }");
    const auto reject = [&](const char* gres, const policy::Policy* policy) {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        update.before.tres_per_node = "gres:gpu:2";
        if (gres == nullptr)
            update.after.tres_per_node.reset();
        else
            update.after.tres_per_node = gres;
        return gate::Gate(provider, release).decide_update(update, known(c), policy).reject;
    };
    BOOST_TEST(reject("gres:gpu:0", &*rules) == RejectCode::access_denied);
    BOOST_TEST(reject(nullptr, &*rules) == RejectCode::access_denied);
    BOOST_TEST(reject("gres:gpu:1", &*rules) == RejectCode::none);
    BOOST_TEST(reject("gres:gpu:4,gres:gpu:1", &*rules) == RejectCode::access_denied);
    BOOST_TEST(reject("gres:gpu:4,gres:gpu:1", nullptr) == RejectCode::none);
    BOOST_TEST(reject("gres:gpu:0", nullptr) == RejectCode::none);
    update.after.tres_per_job = "gres:gpu:1";
    BOOST_TEST(reject(nullptr, &*rules) == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_change_counts_cpus_whatever_the_tasks) {
    update.before.has_counted_cpus = update.after.has_counted_cpus = true;
    update.before.time_limit = update.after.time_limit = TimeLimit{30};
    move_to("moonlight");
    update.after.min_cpus = 2; // of 4 tasks
    BOOST_TEST(decide("enforce").message.empty());
    update.after.min_cpus = 3;
    BOOST_TEST(decide("enforce").reject == RejectCode::accounting_policy);
    update.after.min_cpus = 4;
    update.after.tasks = 2;
    BOOST_TEST(decide("enforce").reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(before_23_02_a_change_counts_only_memory_that_it_names) {
    qos(1).limits = model::Limits(records.tres->size());
    qos(1).limits.set(TresLimit::min_tres_per_job, tres("mem"), 500);
    update.before.time_limit = update.after.time_limit = TimeLimit{30};
    update.before.memory = update.after.memory = model::Memory{1000, /*per_cpu=*/false};
    move_to("moonlight");
    for (const limits::Release at : {limits::Release(22, 5), limits::Release(23, 2)}) {
        release = at;
        const bool counts_memory = at >= limits::Release(23, 2, 0);
        BOOST_TEST((decide().forecast.code == RejectCode::none) == counts_memory);
    }
    release = limits::Release(22, 5);
    update.after.memory = model::Memory{500, /*per_cpu=*/false};
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    update.after.memory = model::Memory{499, /*per_cpu=*/false};
    BOOST_TEST(decide().forecast.code == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(partitions_that_take_no_jobs_are_left_out_of_a_list_that_a_job_is_given) {
    partitions[1].takes_jobs = false;
    partitions[1].max_time = TimeLimit{30};
    enforce_part_limits = model::EnforcePartLimits::all;
    update.after.partition = "main,viz";
    const std::string too_long =
        "wall time per job in partition viz: limit 00:30:00, this job asks for 01:00:00";
    BOOST_TEST(decide().message.empty());
    partitions[1].takes_jobs = true;
    BOOST_TEST(text::join(decide().message, "\n") == too_long);
    partitions[1].takes_jobs = false;
    update.after.partition = "viz"; // alone
    BOOST_TEST(text::join(decide().message, "\n") == too_long);
}

BOOST_AUTO_TEST_CASE(a_list_that_a_job_has_keeps_the_partitions_that_take_no_jobs) {
    partitions[0].qos = "moonlight"; // its 2 CPUs hold the job in main
    update.before.partition = update.after.partition = "main,viz";
    partitions[0].takes_jobs = partitions[1].takes_jobs = true;
    ask_cpus(5);
    BOOST_TEST(decide().message.empty()); // it starts in viz
    partitions[1].takes_jobs = false;
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(a_change_of_the_cpus_that_each_node_must_have_is_judged) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 4);
    update.before.min_cpus_per_node = 1;
    update.after.min_cpus_per_node = 4;
    BOOST_TEST(decide().message.empty());

    update.after.min_cpus_per_node = 5;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job can never start"));
    BOOST_TEST(decide("enforce").reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(a_change_that_is_too_large_to_be_read_is_left_to_slurm) {
    move_to("moonlight");
    update.after.unread = {"partition", 1024, "bytes", "--partition", /*slurmctld_refuses=*/true};

    const auto decision = decide("enforce");

    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    BOOST_TEST(decision.log.size() == 1u);
}

BOOST_AUTO_TEST_CASE(no_change_is_too_large_for_limits_that_are_enforced) {
    update.after.unread = {"tres_per_node", 16, "parts", "--gres", /*slurmctld_refuses=*/false};
    const auto decision = decide("enforce");
    BOOST_TEST(decision.reject == RejectCode::text_too_long);
    BOOST_TEST(decision.message.at(0) ==
               "the limits of this job cannot be checked: its text of tres_per_node has more "
               "than 16 parts; shorten --gres");
    BOOST_TEST(decide("explain").reject == RejectCode::none);
    update.after.submit_uid = an_operator;
    BOOST_TEST(decide("enforce").reject == RejectCode::none);
    update.after.submit_uid = update.after.user_id;
    update.after.unread.reset();
    update.before.unread = {"tres_per_node", 16, "parts", "--gres", /*slurmctld_refuses=*/false};
    BOOST_TEST(decide("enforce").reject == RejectCode::none); // a smaller job is allowed
}

BOOST_AUTO_TEST_CASE(no_change_is_too_large_for_a_rule_that_enforces) {
    update.after.unread = {"partition", 1024, "bytes"};
    const auto policy = test::load_rule("rule { submit = function(job) end }");
    const quota::LocalQuota provider(records);
    const auto c = cluster();

    const auto decision = gate::Gate(provider, release).decide_update(update, &c, policy.get());

    BOOST_TEST(decision.reject == RejectCode::text_too_long);
}

BOOST_AUTO_TEST_CASE(walls_of_the_new_qos_are_compared_only_with_a_new_time) {
    ask_cpus(2);
    move_to("moonlight");
    const auto decision = decide();
    BOOST_TEST(decision.forecast.code == RejectCode::none);
    BOOST_TEST(decision.forecast.time_limit.value() == TimeLimit{60});
    BOOST_TEST(decision.forecast.pending_reason == "QOSMaxWallDurationPerJobLimit");
    BOOST_TEST_REQUIRE(!decision.message.empty());
    BOOST_TEST(test::first_line(decision.message) ==
               "this job can never start as it is: wall time per job in QOS moonlight: limit "
               "00:30:00, this job asks for 01:00:00 (QOSMaxWallDurationPerJobLimit)");

    update.names_time = true;
    BOOST_TEST(decide().forecast.code == RejectCode::accounting_policy);

    update.after.time_limit = TimeLimit{30};
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(some_releases_give_the_job_the_wall_of_its_new_qos) {
    using limits::Release;
    ask_cpus(2);
    move_to("moonlight");
    const std::pair<Release, std::uint32_t> walls[] = {
        {{25, 5, 5}, 60},  {{25, 5, 6}, 30},  {{25, 5}, 30},     {{25, 11, 0}, 60},
        {{25, 11, 1}, 30}, {{25, 11, 4}, 30}, {{25, 11, 5}, 60}, {{26, 5}, 60},
    };
    for (const auto& [of_release, minutes] : walls) {
        release = of_release;
        BOOST_TEST(decide().forecast.time_limit.value() == TimeLimit{minutes});
        BOOST_TEST(decide().message.empty() == (minutes == 30));
    }

    release = Release(25, 5);
    move_to("normal"); // the QOS that the job has
    BOOST_TEST(decide().forecast.time_limit.value_or(TimeLimit{60}) == TimeLimit{60});
    move_to("moonlight");
    qos(1).limits = model::Limits(records.tres->size());
    BOOST_TEST(decide().forecast.time_limit.value().is_unlimited());
    update.names_time = true;
    BOOST_TEST(decide().forecast.time_limit.value() == TimeLimit{60});
}

BOOST_AUTO_TEST_CASE(a_time_limit_that_a_limit_gave_is_set_anew_from_25_11_5_on) {
    using limits::Release;
    ask_cpus(2);
    update.before.tasks = update.before.min_cpus = 2;
    qos(0).limits.set(CountLimit::max_wall, 90);
    update.before.qos = "moonlight";
    update.names_qos = true; // normal
    const auto time_from = [&](Release of_release, std::optional<std::uint32_t> minutes) {
        release = of_release;
        update.before.time_limit = minutes ? std::optional(TimeLimit{*minutes}) : std::nullopt;
        update.after.time_limit = update.before.time_limit;
        return decide().forecast.time_limit.value_or(TimeLimit::unlimited());
    };
    BOOST_TEST(time_from({24, 11}, 30) == TimeLimit{30});
    BOOST_TEST(time_from({25, 11, 5}, 30) == TimeLimit{90});
    BOOST_TEST(time_from({26, 5}, 30) == TimeLimit{90});
    BOOST_TEST(time_from({26, 5}, 29) == TimeLimit{29}); // the user's
    update.names_time = true;
    BOOST_TEST(time_from({26, 5}, 30) == TimeLimit{30});
    update.names_time = false;
    qos(1).limits = qos(0).limits;
    qos(1).limits.set(CountLimit::max_wall, 100);
    BOOST_TEST(time_from({26, 5}, 100) == TimeLimit{90});
    BOOST_TEST(time_from({26, 5}, std::nullopt) == TimeLimit{90}); // has none yet
}

BOOST_AUTO_TEST_CASE(size_and_time_alone_are_never_refused_but_explained) {
    update.before.qos = update.after.qos = "moonlight";
    update.before.tasks = update.before.min_cpus = 2;
    update.before.time_limit = update.after.time_limit = TimeLimit{30};
    ask_cpus(2);
    BOOST_TEST(decide().message.empty());

    ask_cpus(3);
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    BOOST_TEST(decide().forecast.pending_reason == "QOSMaxCpuPerJobLimit");
    BOOST_TEST(decide().message.at(0).find("limit 2, this job asks for 3") != std::string::npos);
    BOOST_TEST(decide("enforce").reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(what_takes_time_away_is_not_commented) {
    update.before.qos = update.after.qos = "moonlight";
    update.before.tasks = update.before.min_cpus = 2;
    ask_cpus(2);
    update.names_time = true;
    update.after.time_limit = TimeLimit{45};
    BOOST_TEST(decide("enforce").message.empty());

    update.after.time_limit = TimeLimit{61};
    BOOST_TEST(decide().message.at(0).starts_with("this job can never start"));
    // scontrol makes the change, so options of sbatch would not help.
    BOOST_TEST(decide().message.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_that_broke_limits_before_may_go_on) {
    quota::LocalQos other = records.qos[1];
    other.qos.name = "twilight";
    records.qos.push_back(other);
    records.associations[0].permitted_qos->push_back("twilight");
    update.before.qos = "twilight";
    move_to("moonlight");
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    BOOST_TEST(decide("enforce").reject == RejectCode::none);

    qos(3).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 4);
    BOOST_TEST(decide().forecast.code == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(an_operator_passes_over_limits_and_lists_but_not_over_names) {
    update.after.submit_uid = an_operator;
    move_to("moonlight");
    BOOST_TEST(decide("enforce").forecast.code == RejectCode::none);
    BOOST_TEST(decide("enforce").reject == RejectCode::none);
    move_to("secret");
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    move_to("nosuch");
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_qos);

    update.after.submit_uid = 1000;
    move_to("secret");
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(what_an_operator_sets_holds) {
    update.before.qos = update.after.qos = "moonlight";
    update.before.tasks = update.before.min_cpus = 2;
    update.before.time_limit = update.after.time_limit = TimeLimit{30};
    ask_cpus(3);
    update.after.memory = model::Memory{1000, /*per_cpu=*/false};
    update.after.submit_uid = an_operator;
    BOOST_TEST(decide().forecast.pending_reason == "");

    qos(1).limits.set(TresLimit::max_tres_per_job, tres("billing"),
                      2); // follows from the CPUs; no operator set it
    BOOST_TEST(decide().forecast.pending_reason == "QOSMaxBillingPerJob");
}

BOOST_AUTO_TEST_CASE(an_array_counts_as_one_job) {
    update.before.array = update.after.array = "1-20";
    ask_cpus(2);
    update.before.time_limit = update.after.time_limit = TimeLimit{30};
    qos(1).limits.set(CountLimit::max_submit_jobs_per_user, 1);
    move_to("moonlight");
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    records.qos[1].users[1000].submit_jobs = 1;
    BOOST_TEST(decide().forecast.reason == "QOSMaxSubmitJobPerUserLimit");
}

BOOST_AUTO_TEST_CASE(partitions_and_accounts_are_checked_like_at_submission) {
    update.after.partition = "vis";
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_partition);

    update.after.partition = "viz";
    partitions[1].max_time = TimeLimit{59};
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    BOOST_TEST(decide().forecast.pending_reason == "PartitionTimeLimit");
    enforce_part_limits = model::EnforcePartLimits::all;
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_time_limit);
    update.after.submit_uid = an_operator;
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    update.after.partition = "main";
    update.after.account = "others";
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_account);
}

BOOST_AUTO_TEST_CASE(a_change_that_keeps_a_qos_which_the_new_association_may_not_use_lets_the_job_wait) {
    records.associations.push_back(records.associations.front());
    quota::LocalAssociation& in_viz = records.associations.back();
    in_viz.link.partition = "viz";
    update.after.partition = "viz";
    BOOST_TEST(decide().forecast.pending_reason == "");

    in_viz.permitted_qos = {{"moonlight"}};
    for (const std::uint32_t requester : {1000u, an_operator}) {
        update.after.submit_uid = requester;
        const auto decision = decide();
        BOOST_TEST(decision.forecast.code == RejectCode::none);
        BOOST_TEST(decision.forecast.pending_reason == "InvalidQOS");
        BOOST_TEST(!decision.forecast.never_starts); // an operator may have set the QOS
        BOOST_TEST(decision.message.empty());        // so nothing is certain
        BOOST_TEST(decide("enforce").reject == RejectCode::none);
    }

    update.after.qos = "moonlight"; // in the same change
    update.names_qos = true;
    ask_cpus(2);
    qos(1).limits.set(CountLimit::max_wall, 60);
    BOOST_TEST(decide().forecast.pending_reason == "");
}

BOOST_AUTO_TEST_CASE(what_blocked_the_job_before_the_change_is_not_told_again) {
    records.associations.front().permitted_qos = {{"moonlight"}};
    update.after.partition = "viz";
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(several_partitions_need_one_association_whoever_chose_them) {
    update.after.partition = "main,viz";
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    records.associations.push_back(records.associations.front());
    records.associations.back().link.partition = "viz";
    for (const std::uint32_t requester : {1000u, an_operator}) {
        update.after.submit_uid = requester;
        BOOST_TEST(decide().forecast.code == RejectCode::partition_assoc);
    }

    // A job that has them already is not asked for its association when only its size changes.
    update.before.partition = "main,viz";
    ask_cpus(8);
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    move_to("moonlight");
    BOOST_TEST(decide().forecast.code == RejectCode::partition_assoc);
}

BOOST_AUTO_TEST_CASE(a_partition_that_cannot_take_the_job_is_told_whoever_chose_it) {
    partitions[1].total_cpus = 4;
    update.after.partition = "viz";
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    partitions[1].total_cpus = 3;
    for (const std::uint32_t requester : {1000u, an_operator}) {
        update.after.submit_uid = requester;
        BOOST_TEST(decide().forecast.code == RejectCode::partition_limits);
        BOOST_TEST(decide().message.at(0) == "partition viz has 3 CPUs; this job asks for 4");
    }
}

BOOST_AUTO_TEST_CASE(users_may_raise_a_time_only_as_far_as_the_partition_goes) {
    partitions[0].max_time = TimeLimit{90};
    qos(0).flags.partition_time_limit = true; // does not help
    update.names_time = true;
    update.after.time_limit = TimeLimit{90};
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    update.after.time_limit = TimeLimit{91};
    const auto decision = decide();
    BOOST_TEST(decision.forecast.code == RejectCode::access_denied);
    BOOST_TEST(
        decision.message.at(0) ==
        "wall time per job in partition main: limit 01:30:00, this job asks for 01:31:00; only operators may "
        "set more");
    update.before.time_limit = TimeLimit{100}; // set by an operator
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    update.before.time_limit = TimeLimit{60};
    update.after.submit_uid = an_operator;
    BOOST_TEST(decide().forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_qos_that_the_change_leaves_alone_is_not_looked_at) {
    update.before.qos = update.after.qos = "secret"; // given by an operator
    update.after.partition = "viz";
    BOOST_TEST(decide().forecast.code == RejectCode::none);

    update.names_qos = true;
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(a_wait_that_was_there_before_is_not_told_again) {
    partitions[0].max_time = partitions[1].max_time = TimeLimit{60};
    qos(0).limits.set(CountLimit::grp_jobs, 0);
    update.after.partition = "viz";
    BOOST_TEST(decide().forecast.pending_reason == "QOSGrpJobsLimit");
    BOOST_TEST(decide().message.empty());

    move_to("moonlight");
    ask_cpus(2);
    BOOST_TEST(text::join(decide().message, "\n") == "this job can never start as it is: wall time per job "
                                                     "in QOS moonlight: limit 00:30:00, this job asks for "
                                                     "01:00:00 (QOSMaxWallDurationPerJobLimit)");
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The jobs that hold a limit, when they may give it back, and the names of jobs (engine/qosgate/report).
#include "qosgate/base/text.hpp"
#include "qosgate/report/holders.hpp"
#include "qosgate/report/reason_details.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <limits>
#include <utility>

using namespace qg;
using model::CountLimit;
using model::QueuedJob;
using model::QueueState;
using model::TresLimit;
using report::CountedJobs;

namespace {

constexpr std::time_t now = 1'000'000;

/// A running job of user 7 in account bio with 4 CPUs, which may run for `minutes` more.
QueuedJob running(std::uint32_t id, std::optional<std::uint32_t> minutes = 10,
                  const char* tres = "cpu=4,mem=2G") {
    QueuedJob job;
    job.id = id;
    job.name = std::to_string(id);
    job.state = QueueState::running;
    job.user_id = 7;
    job.account = "bio";
    job.qos = "normal";
    job.partition = "main";
    job.tres = tres;
    job.time_limit = minutes ? TimeLimit{60} : TimeLimit::unlimited();
    job.end = now + 60 * std::time_t{minutes.value_or(525'600)};
    return job;
}

CountedJobs in_qos(const limits::LimitId& limit, const char* tres = "") {
    return {.limit = limit,
            .tres = tres,
            .qos = "normal",
            .partitions = {},
            .accounts = {},
            .user_id = {},
            .account = {}};
}

std::vector<std::uint32_t> ids(const report::Holders& holders) {
    std::vector<std::uint32_t> ids;
    for (const report::Holder& holder : holders.jobs)
        ids.push_back(holder.job->id);
    return ids;
}

using Ids = std::vector<std::uint32_t>;
using Seconds = std::pair<std::uint64_t, std::uint64_t>;

} // namespace

BOOST_TEST_DONT_PRINT_LOG_VALUE(Ids)
BOOST_TEST_DONT_PRINT_LOG_VALUE(Seconds)

BOOST_AUTO_TEST_SUITE(holders)

BOOST_AUTO_TEST_CASE(holders_are_the_jobs_with_resources_that_count_most_first) {
    std::vector<QueuedJob> jobs{running(1), running(2, 10, "cpu=6"), running(3), running(4), running(5)};
    jobs[2].qos = "other";
    jobs[3].state = QueueState::pending;
    jobs[4].state = QueueState::suspended;

    const auto holders = report::find_holders(in_qos(TresLimit::grp_tres, "cpu"), jobs, {now});

    BOOST_TEST(ids(holders) == (Ids{2, 1, 5}));
    BOOST_TEST(holders.sum == 14u);
    BOOST_TEST(holders.jobs[0].end.has_value());
    BOOST_TEST(!holders.jobs[2].end.has_value());
    BOOST_TEST(report::find_holders(in_qos(TresLimit::grp_tres, "mem"), jobs, {now}).sum == 2u * 2048u);
    BOOST_TEST(report::find_holders(in_qos(CountLimit::grp_jobs), jobs, {now}).sum == 3u);
}

BOOST_AUTO_TEST_CASE(limits_on_the_past_on_each_job_and_on_pending_jobs_are_held_by_none) {
    const std::vector<QueuedJob> jobs{running(1)};
    for (const limits::LimitId limit :
         {limits::LimitId(TresLimit::grp_tres_mins), limits::LimitId(CountLimit::grp_wall),
          limits::LimitId(TresLimit::max_tres_per_job), limits::LimitId(CountLimit::grp_submit_jobs)})
        BOOST_TEST(report::find_holders(in_qos(limit, "cpu"), jobs, {now}).jobs.empty());
    BOOST_TEST(report::find_holders(in_qos(TresLimit::grp_tres_run_mins, "cpu"), jobs, {now}).sum == 40u);
}

BOOST_AUTO_TEST_CASE(whose_jobs_count) {
    CountedJobs counted = in_qos(TresLimit::grp_tres, "cpu");
    QueuedJob job = running(1);
    BOOST_TEST(counted.counts(job));
    job.qos = "other";
    BOOST_TEST(!counted.counts(job));
    counted.partitions = {"main"}; // the QOS is that of a partition, too
    BOOST_TEST(counted.counts(job));
    counted.user_id = 8;
    BOOST_TEST(!counted.counts(job));
    counted.user_id = 7;
    counted.account = "astro";
    BOOST_TEST(!counted.counts(job));

    CountedJobs of_account = in_qos(TresLimit::grp_tres, "cpu");
    of_account.qos.clear();
    of_account.accounts = {"lab", "bio"};
    BOOST_TEST(of_account.counts(job));
    job.account = "physics";
    BOOST_TEST(!of_account.counts(job));
}

BOOST_AUTO_TEST_CASE(room_is_when_enough_of_them_reach_their_time_limits) {
    const std::vector<QueuedJob> jobs{running(1, 30), running(2, 10), running(3, 20)};
    const auto holders = report::find_holders(in_qos(TresLimit::grp_tres, "cpu"), jobs, {now});
    const auto room = [&](std::uint64_t asked, std::uint64_t limit) {
        return report::estimate_room(holders, 12, asked, limit, now);
    };
    BOOST_TEST(room(4, 12).value_or(0) == now + 600);
    BOOST_TEST(room(5, 12).value_or(0) == now + 1200);
    BOOST_TEST(room(8, 12).value_or(0) == now + 1200);
    BOOST_TEST(room(12, 12).value_or(0) == now + 1800);
    BOOST_TEST(!room(13, 12).has_value()); // never
}

BOOST_AUTO_TEST_CASE(there_is_no_estimate_if_a_job_without_an_end_or_an_unknown_one_holds_it) {
    const std::vector<QueuedJob> jobs{running(1, std::nullopt), running(2, 10)};
    const auto holders = report::find_holders(in_qos(TresLimit::grp_tres, "cpu"), jobs, {now});
    BOOST_TEST(report::estimate_room(holders, 8, 4, 8, now).value_or(0) == now + 600);
    BOOST_TEST(!report::estimate_room(holders, 8, 5, 8, now).has_value());
    BOOST_TEST(!report::estimate_room(holders, 9, 4, 9, now).has_value());
}

BOOST_AUTO_TEST_CASE(a_job_past_its_time_limit_may_end_at_any_moment) {
    std::vector<QueuedJob> jobs{running(1)};
    jobs[0].end = now - 60;
    const auto holders = report::find_holders(in_qos(CountLimit::grp_jobs), jobs, {now});
    BOOST_TEST(report::estimate_room(holders, 1, 1, 1, now).value_or(0) == now);
}

BOOST_AUTO_TEST_CASE(seconds_count_until_slurmctld_takes_them_away) {
    using std::chrono::seconds;
    QueuedJob job = running(1, 50); // of 60 minutes
    job.start = now - 600;
    const auto counted = [&](double factor, std::optional<seconds> step) {
        const auto range = report::seconds_that_count(job, factor, {now, step});
        return Seconds(range.least, range.most);
    };
    // Two steps, a minute for the clocks, and a second of each step so far.
    BOOST_TEST(counted(1, seconds(60)) == (Seconds{3000u - 180, 3000u + 180 + 10}));
    BOOST_TEST(counted(2, seconds(60)) == (Seconds{2 * (3000u - 180), 2 * (3000u + 180 + 10)}));
    BOOST_TEST(counted(0, seconds(60)) == (Seconds{0u, 0u}));
    BOOST_TEST(counted(1, seconds(300)).second == 3600u, "never more than the time limit");
    BOOST_TEST(counted(1, std::nullopt).second == 3600u, "nothing is taken away before it ends");
    job.state = QueueState::suspended;
    BOOST_TEST(counted(1, seconds(60)).second == 3600u, "its end is not known");
    job.time_limit = TimeLimit::unlimited();
    BOOST_TEST(counted(1, seconds(60)) == (Seconds{0u, std::numeric_limits<std::uint64_t>::max()}));
    BOOST_TEST(counted(0, seconds(60)) == (Seconds{0u, 0u}));
}

BOOST_AUTO_TEST_CASE(minutes_count_times_the_usage_factor_of_the_qos) {
    std::vector<QueuedJob> jobs{running(1, 10)};
    jobs[0].start = now - 50 * 60;
    CountedJobs counted = in_qos(TresLimit::grp_tres_run_mins, "cpu");
    const report::UsageClock clock{now, std::chrono::seconds(60)};
    BOOST_TEST(report::find_holders(counted, jobs, clock).sum == 40u);
    BOOST_TEST(report::find_holders(counted, jobs, clock).most == 4u * 14); // 600 + 180 + 50 seconds
    counted.usage_factors = {{"normal", 2.0}};
    BOOST_TEST(report::find_holders(counted, jobs, clock).sum == 80u);
    counted.usage_factors = {{"other", 2.0}};
    BOOST_TEST(report::find_holders(counted, jobs, clock).sum == 40u);
}

BOOST_AUTO_TEST_CASE(what_holders_have_at_most_is_what_slurm_may_have_rounded) {
    const std::vector<QueuedJob> jobs{running(1, 10, "mem=1.53T")};
    const auto holders = report::find_holders(in_qos(TresLimit::grp_tres, "mem"), jobs, {now});
    BOOST_TEST(holders.most > holders.sum);
    BOOST_TEST(report::find_holders(in_qos(CountLimit::grp_jobs), jobs, {now}).most == 1u);
}

BOOST_AUTO_TEST_CASE(amounts_in_the_texts_of_slurm) {
    constexpr const char* text = "cpu=4,mem=1500M,node=1,billing=4,gres/gpu=2,gres/gpu:a100=2";
    BOOST_TEST(report::amount_in(text, "cpu") == 4u);
    BOOST_TEST(report::amount_in(text, "mem") == 1500u);
    BOOST_TEST(report::amount_in("mem=2G", "mem") == 2048u);
    BOOST_TEST(report::amount_in(text, "gres/gpu") == 2u);
    BOOST_TEST(report::amount_in(text, "gres/gpu:h100") == 0u);
    BOOST_TEST(report::amount_in("", "cpu") == 0u);
}

BOOST_AUTO_TEST_CASE(memory_with_a_fraction) {
    const auto is_exactly = [](const char* text, std::uint64_t mib) {
        const auto amounts = report::amounts_in(text, "mem");
        return amounts.least == mib && amounts.most == mib && report::amount_in(text, "mem") == mib;
    };
    BOOST_TEST(is_exactly("cpu=1,mem=1.50G,node=1", 1536));
    BOOST_TEST(is_exactly("mem=62.50G", 64'000));
    BOOST_TEST(is_exactly("mem=1T", 1'048'576));
    BOOST_TEST(is_exactly("mem=1.x0G", 0));
    BOOST_TEST(is_exactly("mem=.50G", 0));
    BOOST_TEST(is_exactly("mem=1.5000G", 0)); // not Slurm's
    BOOST_TEST(report::amount_in("gres/foo=1.50K", "gres/foo") == 1536u);
}

BOOST_AUTO_TEST_CASE(memory_that_slurm_rounded_stands_for_all_that_it_writes_so) {
    const auto amounts = report::amounts_in("mem=1.53T", "mem");
    BOOST_TEST(amounts.contains(1'600'000));  // 1.5258T
    BOOST_TEST(!amounts.contains(1'598'976)); // 1.5249T: "1.52T"
    BOOST_TEST(!amounts.contains(1'610'240)); // 1.5356T: "1.54T"
    BOOST_TEST(amounts.contains(report::amount_in("mem=1.53T", "mem")));
    const auto even = report::amounts_in("mem=2.00T", "mem");
    BOOST_TEST(even.contains(2'097'152 - 512));
    BOOST_TEST(even.contains(2'097'152 + 512));
    BOOST_TEST(!even.contains(2'097'152 + 6'144));
}

BOOST_AUTO_TEST_CASE(the_jobs_behind_a_dependency_are_told_with_their_state) {
    QueuedJob first = running(12);
    first.state_name = "RUNNING";
    QueuedJob waiting;
    waiting.dependency = "afterok:12_*(unfulfilled),after:13+5?singleton";
    const std::vector<QueuedJob> queue{first};
    const auto lines = report::details_of("Dependency", waiting, queue, {}, {}, now);
    const std::vector<std::string> expected{"afterok job 12: RUNNING",
                                            "after job 13: not in the queue, as far as you may see",
                                            "singleton: no other job of this user with this name may run"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
    waiting.dependency.clear();
    for (int id = 1; id <= 11; ++id)
        waiting.dependency += text::format("afterok:{},", id);
    BOOST_TEST(report::details_of("Dependency", waiting, queue, {}, {}, now).size() == 10u);
    BOOST_TEST(report::details_of("JobHeldUser", waiting, queue, {}, {}, now).empty());
}

BOOST_AUTO_TEST_CASE(times_behind_a_reason_are_told_if_they_are_still_to_come) {
    QueuedJob job;
    job.begin = job.planned_start = now + 60;
    job.planned_nodes = "n[1-2]";
    BOOST_TEST(report::details_of("BeginTime", job, {}, {}, {}, now).size() == 1u);
    BOOST_TEST_REQUIRE(report::details_of("Resources", job, {}, {}, {}, now).size() == 1u);
    BOOST_TEST(report::details_of("Resources", job, {}, {}, {}, now).front().find(" on n[1-2]") !=
               std::string::npos);
    BOOST_TEST(report::details_of("BeginTime", job, {}, {}, {}, now + 60).empty());
    BOOST_TEST(report::details_of("Priority", job, {}, {}, {}, now + 60).empty());
}

BOOST_AUTO_TEST_CASE(reservations_that_a_job_would_run_into_are_told) {
    QueuedJob job;
    job.reason = "ReqNodeNotAvail";
    job.time_limit = TimeLimit{60};
    const model::Obstacles obstacles{
        .reservations = {{.name = "upkeep",
                          .start = now + 3599,
                          .end = now + 9000,
                          .nodes = "n1",
                          .is_maintenance = true},
                         {.name = "later", .start = now + 3600, .end = now + 9000, .nodes = "n1"},
                         {.name = "over", .start = now - 60, .end = now, .nodes = "n1"},
                         {.name = "course", .start = now + 60, .end = now + 9000, .nodes = "n2"}},
        .nodes = {}};
    const auto told = [&](const char* reason) {
        return report::details_of(reason, job, {}, obstacles, {}, now);
    };
    BOOST_TEST(told("ReqNodeNotAvail").size() == 2u);
    job.reason_text = "ReqNodeNotAvail, Reserved for maintenance";
    BOOST_TEST(told("ReqNodeNotAvail").empty(), "the other Reason tells them");
    BOOST_TEST_REQUIRE(told("Reserved for maintenance").size() == 1u);
    BOOST_TEST(told("Reserved for maintenance").front().starts_with("reservation upkeep: from "));
    job.reservation = "course";
    BOOST_TEST_REQUIRE(told("Reservation").size() == 1u);
    BOOST_TEST(told("Reservation").front().starts_with("reservation course: from "));
}

BOOST_AUTO_TEST_CASE(obstacles_are_told_on_nodes_that_the_job_may_get) {
    auto main = std::make_shared<model::Partition>();
    main->name = "main";
    main->nodes = {{.first = 0, .last = 1}};
    model::Cluster cluster;
    cluster.partitions = model::PartitionTable({main});
    cluster.nodes = {.kinds = {{.count = 1, .features = "ib"}, {.count = 2}}, .kind_of = {0, 1, 1}};
    model::Obstacles obstacles{
        .reservations =
            {{.name = "on0", .start = now, .end = now + 60, .nodes = "n0", .ranges = {{0, 0}}},
             {.name = "on12", .start = now, .end = now + 60, .nodes = "n[1-2]", .ranges = {{1, 2}}},
             {.name = "on2", .start = now, .end = now + 60, .nodes = "n2", .ranges = {{2, 2}}},
             {.name = "somewhere", .start = now, .end = now + 60, .nodes = "x"}},
        .nodes = {{.name = "n0", .state = "DOWN", .reason = "", .partitions = "main", .index = 0},
                  {.name = "n1", .state = "DOWN", .reason = "", .partitions = "main", .index = 1}}};
    QueuedJob job;
    job.reason = "ReqNodeNotAvail";
    job.partition = "main";
    const auto names = [&](const char* reason) {
        std::string all;
        for (const std::string& line : report::details_of(reason, job, {}, obstacles, cluster, now))
            all += line.substr(line.find(' ') + 1, line.find(':') - line.find(' '));
        return all;
    };
    BOOST_TEST(names("ReqNodeNotAvail") == "on0:on12:somewhere:");
    BOOST_TEST(names("UnavailableNodes") == "n0:n1:");
    job.request.features = "ib";
    BOOST_TEST(names("ReqNodeNotAvail") == "on0:somewhere:");
    BOOST_TEST(names("UnavailableNodes") == "n0:");
    job.request.features = "[ib*1]"; // which nodes it may get is not known
    BOOST_TEST(names("ReqNodeNotAvail") == "on0:on12:somewhere:");
    job.request.features.reset();
    job.partition = "main,unknown";
    BOOST_TEST(names("ReqNodeNotAvail") == "on0:on12:on2:somewhere:");
}

BOOST_AUTO_TEST_CASE(stopped_nodes_are_told_with_the_words_of_the_administrator) {
    QueuedJob job;
    job.partition = "main,viz";
    model::Obstacles obstacles{
        .reservations = {},
        .nodes = {{.name = "n1", .state = "DRAINED", .reason = "fan", .partitions = "viz"},
                  {.name = "n2", .state = "DOWN", .reason = "", .partitions = "big,main"},
                  {.name = "n3", .state = "DOWN", .reason = "", .partitions = "big"}}};
    const auto told = [&](const char* reason) {
        return report::details_of(reason, job, {}, obstacles, {}, now);
    };
    const std::vector<std::string> of_partitions{"node n1: DRAINED, fan", "node n2: DOWN"};
    BOOST_TEST(
        told("Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions") ==
            of_partitions,
        boost::test_tools::per_element());
    job.unavailable_nodes = {"n3"};
    BOOST_TEST(told("UnavailableNodes") == std::vector<std::string>{"node n3: DOWN"},
               boost::test_tools::per_element());
    job.unavailable_nodes.clear();
    obstacles.nodes.resize(1);
    obstacles.nodes.resize(11, obstacles.nodes.front());
    BOOST_TEST(told("UnavailableNodes").size() == 11u);
    BOOST_TEST(told("UnavailableNodes").back() == "and more: 'sinfo -R' shows all");
}

BOOST_AUTO_TEST_CASE(names_of_jobs) {
    QueuedJob job;
    job.id = 12;
    job.name = "12";
    BOOST_TEST(report::is_meant(job, "12"));
    for (const char* other : {"", "1", "120", "12_1", "12+0", "x", "12x", "-12", "0"})
        BOOST_TEST(!report::is_meant(job, other));

    QueuedJob tasks;
    tasks.id = tasks.array_id = 20;
    tasks.name = "20_[6-9%2]";
    tasks.tasks = {6, 7, 8, 9};
    for (const char* name : {"20", "20_6", "20_9", "20_[6-9%2]", "20_[6-9]", "20_[1,9]", "20_[0-8:4]"})
        BOOST_TEST(report::is_meant(tasks, name));
    for (const char* other :
         {"20_5", "20_10", "20_", "20_[", "20_[]", "20_[1-5]", "20_[0-8:5]", "20_[6-9", "21_6"})
        BOOST_TEST(!report::is_meant(tasks, other));

    QueuedJob part;
    part.id = 31;
    part.het_id = 30;
    part.name = "30+1";
    for (const char* name : {"30", "31", "30+1"})
        BOOST_TEST(report::is_meant(part, name));
    BOOST_TEST(!report::is_meant(part, "30+0"));
}

BOOST_AUTO_TEST_SUITE_END()

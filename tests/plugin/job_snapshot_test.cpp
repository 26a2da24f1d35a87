// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster/job_snapshot.hpp"

#include "support/comes_true.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

using namespace qg;
using namespace std::chrono_literals;
using plugin::JobSnapshot;
using test::comes_true;

namespace {

/// What slurmctld answers, and how often it was asked.
struct Controller {
    std::mutex mutex;
    std::size_t jobs = 2;
    bool is_changed = true;
    bool is_down = false;
    bool has_memory = true;
    std::size_t max_names = 10; ///< that one reading may have
    std::chrono::milliseconds delay{0};
    std::atomic<int> readings = 0;
    std::atomic<bool> is_served = true;
    std::atomic<std::size_t> count = 2;

    Result<std::optional<model::ScriptRecords>> load(const slurm::MentionedNames& names,
                                                     std::time_t& newer_than) {
        const std::scoped_lock lock(mutex);
        ++readings;
        std::this_thread::sleep_for(delay);
        if (is_down) return Error{ErrorCode::unavailable, "reading the jobs: no answer"};
        if (!has_memory) throw std::bad_alloc();
        if (names.size() > max_names) return Error{ErrorCode::limit_exceeded, "reading the jobs: too large"};
        if (newer_than != 0 && !is_changed) return std::optional<model::ScriptRecords>();
        newer_than = 1;
        is_changed = false;
        model::ScriptRecords all;
        all.records.resize(jobs);
        if (names.contains("user_id")) all.names = {"user_id"};
        return std::optional(all);
    }
    void change(std::size_t to) {
        const std::scoped_lock lock(mutex);
        jobs = to;
        is_changed = true;
    }
    void set_memory(bool has_now_memory) {
        const std::scoped_lock lock(mutex);
        has_memory = has_now_memory;
    }
    void set_down(bool is_now_down) {
        const std::scoped_lock lock(mutex);
        is_down = is_now_down;
    }
};

struct SnapshotSetup {
    std::shared_ptr<Controller> controller = std::make_shared<Controller>();
    std::unique_ptr<JobSnapshot> jobs;
    JobSnapshot::Names names =
        std::make_shared<const slurm::MentionedNames>(slurm::MentionedNames{"user_id"});

    void start(std::chrono::milliseconds max_age = 1h) {
        jobs = std::make_unique<JobSnapshot>(plugin::JobSnapshotOptions{
            .is_served = [c = controller] { return c->is_served.load(); },
            .count = [c = controller] { return std::optional(c->count.load()); },
            .load = [c = controller](const auto& wanted, auto& newer) { return c->load(wanted, newer); },
            .min_interval = 1ms,
            .max_age = max_age});
        jobs->start();
    }
    /// How many jobs are seen, or why none is.
    [[nodiscard]] std::string seen() const {
        const auto all = jobs->current(names);
        return all ? std::to_string((*all)->records.size()) : all.error().message;
    }
};

constexpr const char* not_yet = "slurm.jobs is not read yet; try again in some seconds";
constexpr const char* not_wanted = "slurm.jobs is not read: neither the name jobs nor such a field of "
                                   "job_rec is in the script or a file *.lua beside it";

} // namespace

BOOST_FIXTURE_TEST_SUITE(job_snapshot, SnapshotSetup)

BOOST_AUTO_TEST_CASE(jobs_are_read_only_while_they_are_wanted) {
    start();
    std::this_thread::sleep_for(20ms);
    BOOST_TEST(controller->readings == 0);
    BOOST_TEST(seen() == not_wanted);

    jobs->want(names, nullptr);
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
    controller->change(3);
    BOOST_TEST(comes_true([&] { return seen() == "3"; }));

    jobs->want(nullptr, nullptr);
    BOOST_TEST(seen() == not_wanted);
    std::this_thread::sleep_for(300ms);
    const int readings = controller->readings;
    std::this_thread::sleep_for(500ms);
    BOOST_TEST(controller->readings == readings);
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_before_slurmctld_serves) {
    controller->is_served = false;
    start();
    jobs->want(names, nullptr);
    std::this_thread::sleep_for(300ms);
    BOOST_TEST(controller->readings == 0);
    BOOST_TEST(seen() == not_yet);
    controller->is_served = true;
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
}

BOOST_AUTO_TEST_CASE(other_names_are_read_anew_and_the_same_ones_are_not) {
    start();
    jobs->want(names, nullptr);
    BOOST_TEST_REQUIRE(comes_true([&] { return seen() == "2"; }));

    jobs->want(std::make_shared<const slurm::MentionedNames>(*names), nullptr);
    BOOST_TEST(seen() == "2");
    {
        const std::scoped_lock no_answer(controller->mutex);
        names = std::make_shared<const slurm::MentionedNames>(slurm::MentionedNames{"name"});
        jobs->want(names, nullptr);
        BOOST_TEST(seen() == not_yet);
    }
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
    BOOST_TEST(jobs->current(names).value()->names.empty());
}

BOOST_AUTO_TEST_CASE(a_candidate_s_fields_are_read_and_the_script_in_force_notices_nothing) {
    start();
    jobs->want(names, nullptr);
    BOOST_TEST_REQUIRE(comes_true([&] { return seen() == "2"; }));

    const auto others = std::make_shared<const slurm::MentionedNames>(slurm::MentionedNames{"name"});
    {
        const std::scoped_lock no_answer(controller->mutex);
        jobs->want(names, others);
        BOOST_TEST(seen() == "2");
        BOOST_TEST(jobs->current(others).error().message == not_yet);
    }
    BOOST_TEST(comes_true([&] { return jobs->current(others).has_value(); }));
    BOOST_TEST(seen() == "2");
    const int readings = controller->readings;
    for (int i = 0; i < 100; ++i)
        jobs->want(names, others);
    std::this_thread::sleep_for(50ms);
    BOOST_TEST(controller->readings <= readings + 1); // the same two are no reason to read

    const std::scoped_lock no_answer(controller->mutex);
    jobs->want(names, nullptr);
    BOOST_TEST(seen() == "2");
}

BOOST_AUTO_TEST_CASE(a_candidate_alone_is_enough) {
    start();
    jobs->want(nullptr, names);
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
    BOOST_TEST(jobs->current(nullptr).error().message == not_wanted);
}

BOOST_AUTO_TEST_CASE(a_candidate_s_fields_that_are_too_much_are_not_read) {
    controller->max_names = 1;
    start();
    const auto others = std::make_shared<const slurm::MentionedNames>(slurm::MentionedNames{"name"});
    jobs->want(names, others);
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
    BOOST_TEST(jobs->current(others).error().message == "reading the jobs: too large");
    BOOST_TEST(jobs->status().error.empty());
}

BOOST_AUTO_TEST_CASE(too_many_jobs_are_no_reason_to_leave_the_candidate_s_fields_out) {
    controller->count = 100'001;
    start();
    const auto others = std::make_shared<const slurm::MentionedNames>(slurm::MentionedNames{"name"});
    jobs->want(names, others);
    const auto are_too_many = [&] { return seen().find("there are 100001 jobs") != std::string::npos; };
    BOOST_TEST_REQUIRE(comes_true(are_too_many));
    std::this_thread::sleep_for(300ms); // time to read less

    controller->count = 2;
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
    BOOST_TEST(comes_true([&] { return jobs->current(others).has_value(); }));
}

BOOST_AUTO_TEST_CASE(jobs_that_are_too_old_are_an_error) {
    start(/*max_age=*/2s);
    jobs->want(names, nullptr);
    BOOST_TEST_REQUIRE(comes_true([&] { return seen() == "2"; }));
    BOOST_TEST(comes_true([&] { return controller->readings > 2; })); // no change counts as an answer
    BOOST_TEST(seen() == "2");

    controller->set_down(true);
    BOOST_TEST(comes_true([&] {
        return seen().find("seconds ago, which is too long (reading the jobs: no "
                           "answer)") != std::string::npos;
    }));
    BOOST_TEST(jobs->status().error == "reading the jobs: no answer");
    controller->set_down(false);
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
    BOOST_TEST(jobs->status().error.empty());
    BOOST_TEST(jobs->status().count == 2u);
}

BOOST_AUTO_TEST_CASE(too_many_jobs_are_not_even_asked_for) {
    controller->count = 100'001;
    start();
    jobs->want(names, nullptr);
    BOOST_TEST(comes_true([&] {
        return seen() == "slurm.jobs cannot be read: there are 100001 jobs, and at most 100000 are read";
    }));
    BOOST_TEST(controller->readings == 0);
    controller->count = 100'000;
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
}

BOOST_AUTO_TEST_CASE(reading_takes_a_small_share_of_the_time) {
    controller->delay = 20ms;
    start();
    jobs->want(names, nullptr);
    BOOST_TEST_REQUIRE(comes_true([&] { return seen() == "2"; }));
    const auto begin = std::chrono::steady_clock::now();
    const int before = controller->readings;
    std::this_thread::sleep_for(1s);
    const int more = controller->readings - before;
    // The thread rests 20 times as long as a reading takes.
    const std::chrono::nanoseconds rests = (more - 1) * 20 * controller->delay;
    BOOST_TEST(rests <= (std::chrono::steady_clock::now() - begin));
}

BOOST_AUTO_TEST_CASE(jobs_do_not_become_too_old_while_the_thread_rests) {
    controller->delay = 200ms; // 20 times that is longer than the maximal age
    start(/*max_age=*/3s);
    jobs->want(names, nullptr);
    BOOST_TEST_REQUIRE(comes_true([&] { return seen() == "2"; }));
    const auto end = std::chrono::steady_clock::now() + 4500ms;
    while (std::chrono::steady_clock::now() < end) {
        BOOST_TEST_REQUIRE(seen() == "2");
        std::this_thread::sleep_for(5ms);
    }
}

BOOST_AUTO_TEST_CASE(the_thread_survives_a_lack_of_memory) {
    controller->set_memory(false);
    start();
    jobs->want(names, nullptr);
    BOOST_TEST(comes_true([&] { return jobs->status().error == "reading the jobs: std::bad_alloc"; }));
    BOOST_TEST(seen() == std::string(not_yet) + " (reading the jobs: std::bad_alloc)");
    controller->set_memory(true);
    BOOST_TEST(comes_true([&] { return seen() == "2"; }));
}

BOOST_AUTO_TEST_CASE(a_reading_that_hangs_keeps_nobody_waiting) {
    controller->delay = 1h; // who waited for it would end the test with it
    start();
    jobs->want(names, nullptr);
    BOOST_TEST_REQUIRE(comes_true([&] { return controller->readings == 1; }));
    BOOST_TEST(seen() == not_yet);
    jobs->want(nullptr, nullptr);
    jobs->stop(20ms);
    jobs.reset();
}

BOOST_AUTO_TEST_SUITE_END()

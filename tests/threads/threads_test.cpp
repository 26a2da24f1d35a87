// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decisions on several threads at once. contrib/test --all runs this with ThreadSanitizer, too.
#include "support/gate_setup.hpp"
#include "support/policy_setup.hpp"

#include "qosgate/policy/store.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace qg;
using namespace qg::test;

namespace {

constexpr int thread_count = 8;
constexpr int jobs_per_thread = 150;

/// A rule that changes jobs and reads what slurmctld knows of them.
const std::string reads_the_cluster = R"lua(
rule {
    name = "reads",
    submit = function(job, view)
        job.tasks = 3
        local qos = view.qos("normal")
        job:note("%s %d cpus, %s, fits %s", job.name, job.cpus, table.concat(view.accounts(), "+"), qos:fits(job))
    end,
}
)lua";

/// Every seventh job is one that a rule never ends for.
const std::string ends_late = R"lua(
rule {
    name = "late",
    on_error = "allow",
    submit = function(job) if job.comment == "late" then while true do end end end,
}
)lua";

/// Calls `body(number)` on all threads.
template <typename Body>
void on_threads(Body body) {
    std::vector<std::thread> threads;
    for (int number = 0; number < thread_count; ++number)
        threads.emplace_back([&body, number] { body(number); });
    for (std::thread& thread : threads)
        thread.join();
}

/// Decides about many jobs. Returns how many answers were those of another job, or none.
int decide_many(const gate::Gate& gate, gate::KnownCluster known, const policy::Policy& policy,
                model::JobRequest request, int number) {
    int wrong = 0;
    for (int i = 0; i < jobs_per_thread; ++i) {
        request.name = "job" + std::to_string(number * jobs_per_thread + i);
        request.comment = i % 7 == 0 ? "late" : "early";
        const model::Decision decision = gate.decide(request, known, &policy);
        const std::string expected = *request.name + " 3 cpus";
        const bool may_be_shown = !decision.message.empty() && has_text(decision.message.front(), expected);
        if (!may_be_shown || !decision.changed || decision.changed->tasks != 3u) ++wrong;
    }
    return wrong;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(decisions, GateSetup)

BOOST_AUTO_TEST_CASE(each_job_gets_its_own_answer) {
    const auto policy = policy_of({{"10-reads.lua", reads_the_cluster}, {"20-late.lua", ends_late}});
    const quota::LocalQuota provider(records);
    const gate::Gate gate(provider, release);
    const auto c = cluster();
    std::atomic<int> wrong{0};
    on_threads([&](int number) { wrong += decide_many(gate, known(c), *policy, request, number); });
    BOOST_TEST(wrong.load() == 0);
}

BOOST_AUTO_TEST_CASE(also_while_the_policy_is_exchanged) {
    const TempDirectory temp;
    temp.write("a.lua", reads_the_cluster);
    policy::PolicyStore store([](LogLevel, const std::string&) {},
                              {.poll_interval = std::chrono::milliseconds(1)});
    store.start(temp.directory());
    const quota::LocalQuota provider(records);
    const gate::Gate gate(provider, release);
    const auto c = cluster();
    std::atomic<int> wrong{0};
    std::atomic<int> left{thread_count};
    std::thread editor([&] {
        for (int i = 0; left > 0; ++i) {
            temp.write("b.tmp", reads_the_cluster + "-- " + std::to_string(i));
            fs::rename(temp.directory() / "b.tmp", temp.directory() / "a.lua");
            store.refresh();
        }
    });
    on_threads([&](int number) {
        wrong += decide_many(gate, known(c), *store.current(), request, number);
        --left;
    });
    editor.join();
    BOOST_TEST(wrong.load() == 0);
    BOOST_TEST(store.status().generation > 1u);
}

BOOST_AUTO_TEST_SUITE_END()

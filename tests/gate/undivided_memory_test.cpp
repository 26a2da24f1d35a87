// SPDX-License-Identifier: GPL-2.0-or-later
//
// Existing jobs of which slurmctld shows fewer CPUs or less memory than it may start from: MaxMemPerCPU of a
// partition has divided their memory per CPU.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

using namespace qg;
using model::Memory;
using model::RejectCode;

namespace {

/// A job in viz, where MaxMemPerCPU is 1000; main has none.
struct DividedSetup : test::GateSetup {
    DividedSetup() {
        partitions[1].max_memory = Memory{1000, /*per_cpu=*/true};
        request.submit_uid = 1000;
        request.partition = "viz";
        request.memory = Memory{1000, /*per_cpu=*/true};
        request.time_limit = TimeLimit{60};
    }

    /// As slurmctld shows a job of so many tasks, with these CPUs for each.
    void show(std::uint32_t tasks, std::uint32_t cpus_per_task) {
        request.has_counted_cpus = true;
        request.tasks = tasks;
        request.cpus_per_task = cpus_per_task;
        request.min_cpus = tasks * cpus_per_task;
        request.min_cpus_per_node = 1;
    }
    /// The same of one without a number of tasks.
    void show_without_tasks(std::uint32_t cpus, std::uint32_t cpus_per_task) {
        show(1, cpus_per_task);
        request.tasks.reset();
        request.min_cpus = cpus;
        request.min_cpus_per_node = cpus_per_task;
    }

    model::Decision change(const std::function<void(model::JobRequest&)>& apply,
                           const policy::Policy& policy) {
        model::JobUpdate update{.before = request, .after = request};
        apply(update.after);
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        return gate::Gate(provider, release).decide_update(update, known(c), &policy);
    }
    /// What rules read of the job after a change.
    std::string counts(const std::function<void(model::JobRequest&)>& apply) {
        const auto policy = test::load_rule("rule { name = 'counts', modify = function(job) "
                                            "job:reject('%d CPUs, %d MiB', job.cpus, job.memory) end }");
        return test::first_line(change(apply, *policy).message);
    }
    std::string counts_in(const char* partition) {
        return counts([partition](model::JobRequest& after) { after.partition = partition; });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(undivided_memory, DividedSetup)

BOOST_AUTO_TEST_CASE(memory_counts_undivided_where_no_maximum_divides_it) {
    show_without_tasks(8, 3);
    BOOST_TEST(counts_in("main") == "8 CPUs, 24000 MiB");
    BOOST_TEST(counts_in("main,viz") == "8 CPUs, 24000 MiB");
    request.partition = "viz,main";
    BOOST_TEST(counts_in("main") == "8 CPUs, 24000 MiB");
    request.partition = "main"; // it was never divided there
    BOOST_TEST(counts([](auto& after) { after.time_limit = TimeLimit{10}; }) == "8 CPUs, 8000 MiB");
    request.partition = "viz";
    request.has_default_memory = true; // each partition has its own
    BOOST_TEST(counts_in("main") == "8 CPUs, 8000 MiB");
    request.has_default_memory = false;
    BOOST_TEST(counts([](auto& after) {
                   after.partition = "main";
                   after.memory = Memory{100, /*per_cpu=*/true};
               }) == "8 CPUs, 800 MiB");
    max_memory = partitions[1].max_memory; // of the cluster
    partitions[1].max_memory.reset();
    BOOST_TEST(counts([](auto& after) {
                   after.partition = "main";
                   after.cpus_per_task = 1;
               }) == "8 CPUs, 24000 MiB");
}

BOOST_AUTO_TEST_CASE(tasks_have_as_many_cpus_or_as_much_memory) {
    show(2, 3);
    BOOST_TEST(counts_in("main") == "6 CPUs, 6000 MiB");
    request.exclusive = true;
    BOOST_TEST(counts_in("main") == "6 CPUs, 6000 MiB");
    request.exclusive = false;
    const auto two_for_a_task = [](model::JobRequest& after) { after.cpus_per_task = 2; };
    BOOST_TEST(counts(two_for_a_task) == "12 CPUs, 12000 MiB"); // 2 * 3 for each
    partitions[1].max_memory = Memory{2000, /*per_cpu=*/true};  // would have shown 1500 or more
    BOOST_TEST(counts(two_for_a_task) == "6 CPUs, 6000 MiB");
}

BOOST_AUTO_TEST_CASE(only_a_factor_that_can_have_been_counts) {
    show_without_tasks(8, 2);
    request.memory = Memory{501, /*per_cpu=*/true}; // of 1001 or 1002
    BOOST_TEST(counts_in("main") == "8 CPUs, 8016 MiB");
    request.memory = Memory{500, /*per_cpu=*/true}; // 1000 is not divided
    BOOST_TEST(counts_in("main") == "8 CPUs, 4000 MiB");
    request.memory = Memory{1001, /*per_cpu=*/true}; // would be divided
    BOOST_TEST(counts_in("main") == "8 CPUs, 8008 MiB");
    request.memory = Memory{1000, /*per_cpu=*/true};
    request.min_cpus_per_node = 3; // would be 2
    BOOST_TEST(counts_in("main") == "8 CPUs, 8000 MiB");
    show_without_tasks(8, 1);
    BOOST_TEST(counts_in("main") == "8 CPUs, 8000 MiB");
}

BOOST_AUTO_TEST_CASE(a_job_whose_cpus_would_be_hidden_is_refused_where_rules_judge_changes) {
    const auto rejects = [&](const char* keys) {
        return decide(&*test::load_rule(std::string("rule { name = 'a', ") + keys + " }")).reject;
    };
    const char* of_changes = "modify = function(job) end, submit = function(job) end";
    request.tasks = 2;
    request.min_cpus = 8;
    request.memory = Memory{1001, /*per_cpu=*/true};
    BOOST_TEST(rejects(of_changes) == RejectCode::access_denied);
    BOOST_TEST(rejects("on = { 'submit' }, submit = function(job) end") == RejectCode::none);
    BOOST_TEST(decide().reject == RejectCode::none);
    request.memory = Memory{1000, /*per_cpu=*/true};
    BOOST_TEST(rejects(of_changes) == RejectCode::none);
    request.memory.reset();
    BOOST_TEST(rejects(of_changes) == RejectCode::none);
    partitions[1].default_memory = Memory{1001, /*per_cpu=*/true};
    BOOST_TEST(rejects(of_changes) == RejectCode::access_denied);
    request.cpus_per_task = 4; // as many as the tasks have
    BOOST_TEST(rejects(of_changes) == RejectCode::none);
    request.min_cpus = 9;
    BOOST_TEST(rejects(of_changes) == RejectCode::access_denied);
    request.partition = "main";
    BOOST_TEST(rejects(of_changes) == RejectCode::none);
    BOOST_TEST(rejects("modify = function(job) end, submit = function(job) job.partition = 'viz' end") ==
               RejectCode::access_denied);

    request.partition = "viz"; // --mincpus without tasks
    request.tasks.reset();
    request.cpus_per_task.reset();
    request.min_cpus = 1;
    request.min_cpus_per_node = 2;
    BOOST_TEST(rejects(of_changes) == RejectCode::access_denied);
    request.min_cpus_per_node = 1;
    BOOST_TEST(rejects(of_changes) == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(so_is_a_change_that_would_hide_them) {
    const auto policy = test::load_rule("rule { name = 'a', modify = function(job) end }");
    const auto rejects = [&](const std::function<void(model::JobRequest&)>& apply) {
        return change(apply, *policy).reject;
    };
    show(2, 3); // of 3000 MiB and one CPU per task
    BOOST_TEST(rejects([](auto& after) { after.min_cpus = 8; }) == RejectCode::access_denied);
    BOOST_TEST(rejects([](auto& after) { after.min_cpus = 5; }) == RejectCode::access_denied);
    BOOST_TEST(rejects([](auto& after) { after.time_limit = TimeLimit{10}; }) == RejectCode::none);
    BOOST_TEST(rejects([](auto& after) { after.partition = "main"; }) == RejectCode::none);
    BOOST_TEST(rejects([](auto& after) {
                   after.partition = "main";
                   after.min_cpus = 8;
               }) == RejectCode::none);

    request.partition = "main";
    show(2, 1);
    request.min_cpus = 8;
    request.memory = Memory{1001, /*per_cpu=*/true};
    const auto to_viz = [](model::JobRequest& after) { after.partition = "viz"; };
    BOOST_TEST(rejects(to_viz) == RejectCode::access_denied);
    request.memory = Memory{1000, /*per_cpu=*/true};
    BOOST_TEST(rejects(to_viz) == RejectCode::none);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules read about a job's size: the least that it will get, whichever options ask for it.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

struct RuleCountSetup : test::GateSetup {
    RuleCountSetup() { release = limits::Release(22, 5, 8); }

    bool is_denied(const std::string& condition, const std::string& keys = "") const {
        const auto policy = test::load_rule("rule { name = 'deny', " + keys + " submit = function(job) if " +
                                            condition + " then job:reject('denied') end end }");
        const bool at_submission = decide(policy.get()).reject == RejectCode::access_denied;
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const model::JobUpdate update{.job_id = 17, .before = {}, .after = request};
        const auto change = gate::Gate(provider, release).decide_update(update, &c, policy.get());
        BOOST_TEST((change.reject == RejectCode::access_denied) == at_submission);
        return at_submission;
    }

    /// Expects that a rule reads this number from the field and from the TRES.
    void expect(const std::string& field, const std::string& tres, std::uint64_t count) const {
        for (const std::string& read : {"job." + field, "job.tres['" + tres + "']"})
            BOOST_TEST_CONTEXT(read) {
                BOOST_TEST(is_denied(read + " >= " + std::to_string(count)));
                BOOST_TEST(!is_denied(read + " > " + std::to_string(count)), read << " exceeds " << count);
            }
    }
    void expect_cpus(std::uint64_t count) const { expect("cpus", "cpu", count); }
    void expect_gpus(std::uint64_t count) const { expect("gpus", "gres/gpu", count); }
};

const limits::Release releases[] = {{22, 5, 8}, {24, 11, 5}};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rule_counts, RuleCountSetup)

BOOST_AUTO_TEST_CASE(cpus_count_those_of_gpus) {
    for (const limits::Release each : releases) {
        release = each;
        for (const auto gpus : {&model::JobRequest::tres_per_job, &model::JobRequest::tres_per_node,
                                &model::JobRequest::tres_per_task}) {
            (request.*gpus) = "gres:gpu:1";
            request.cpus_per_tres = "gres:gpu:30";
            expect_cpus(30);

            (request.*gpus) = "gres:gpu:2";
            request.cpus_per_tres = "gres:gpu:12";
            expect_cpus(24);
            (request.*gpus) = "gres:gpu:a100:2";
            expect_cpus(24);
            (request.*gpus).reset();
        }
    }
}

BOOST_AUTO_TEST_CASE(cpus_of_gpus_are_no_fewer_than_those_asked_for) {
    request.tasks = request.min_cpus = 40;
    request.tres_per_job = "gres:gpu:1";
    request.cpus_per_tres = "gres:gpu:30";
    expect_cpus(40);
}

// slurmctld makes one node and one task of none, after its limits at submission.
BOOST_AUTO_TEST_CASE(no_count_of_a_job_without_nodes_is_smaller_than_with_one) {
    for (const limits::Release each : releases)
        for (const std::uint32_t nodes : {0u, 1u}) {
            release = each;
            request = {};
            request.min_nodes = nodes;
            request.max_nodes = 1;
            request.min_cpus = nodes;
            request.memory = model::Memory{30000, false};
            request.tres_per_node = "gres:gpu:2";
            BOOST_TEST_CONTEXT(nodes << " nodes") {
                expect("nodes", "node", 1);
                expect("memory", "mem", 30000);
                expect_cpus(1);
                expect_gpus(2);
                BOOST_TEST(is_denied("job.min_nodes == 1"));

                request.memory = model::Memory{30000, true};
                expect("memory", "mem", 30000);
                request.tres_per_node.reset();
                request.tres_per_socket = "gres:gpu:2";
                request.sockets_per_node = 2;
                expect_gpus(4);
            }
        }
}

BOOST_AUTO_TEST_CASE(no_count_of_a_job_without_tasks_is_smaller_than_with_one) {
    for (const limits::Release each : releases)
        for (const std::uint32_t tasks : {0u, 1u}) {
            release = each;
            request = {};
            request.tasks = tasks;
            request.tres_per_task = "gres:gpu:2";
            request.memory_per_tres = "gres:gpu:100";
            BOOST_TEST_CONTEXT(tasks << " tasks") {
                expect_gpus(2);
                expect_cpus(1);
                expect("memory", "mem", 200);
                BOOST_TEST(is_denied("job.tasks == 1"));

                request.cpus_per_task = 4;
                expect_cpus(4);
                request.cpus_per_task.reset();
                request.cpus_per_tres = "gres:gpu:8";
                BOOST_TEST(is_denied("job.cpus >= 16")); // not counted without tasks, so the rule fails
            }
        }
}

BOOST_AUTO_TEST_CASE(cpus_of_gpus_that_nobody_counted_fail_the_rule) {
    request.cpus_per_tres = "gres:gpu:30";
    BOOST_TEST(is_denied("job.cpus > 1000"));
    BOOST_TEST(!is_denied("job.cpus > 1000", "on_error = 'allow',"));
    BOOST_TEST(!is_denied("job.nodes > 1000"));

    request.tres_per_job = "gres:gpu:1";
    BOOST_TEST(!is_denied("job.cpus > 1000"));
}

BOOST_AUTO_TEST_CASE(cpus_count_those_of_the_tasks_where_none_were_sent) {
    request.tasks = 4;
    request.cpus_per_task = 12;
    request.min_cpus.reset();
    for (const limits::Release each : releases) {
        release = each;
        expect_cpus(48);
    }

    request.overcommit = true;
    release = limits::Release(22, 5, 8);
    expect_cpus(12);
}

BOOST_AUTO_TEST_CASE(cpus_count_those_that_each_node_must_have) {
    for (const limits::Release each : releases) {
        release = each;
        request.overcommit = false;
        request.min_nodes = request.max_nodes = 2;
        request.tasks = request.min_cpus = 4;
        request.min_cpus_per_node = 2;
        expect_cpus(4);

        request.min_cpus_per_node = 3;
        expect_cpus(6);

        request.overcommit = true;
        BOOST_TEST(!is_denied("job.cpus > 4"));
    }
}

BOOST_AUTO_TEST_CASE(memory_per_cpu_counts_for_those_cpus) {
    request.tres_per_job = "gres:gpu:1";
    request.cpus_per_tres = "gres:gpu:30";
    request.memory = model::Memory{10, /*per_cpu=*/true};
    expect("memory", "mem", 300);
}

BOOST_AUTO_TEST_CASE(nodes_and_gpus_count_as_many_as_the_tasks_fill) {
    request.tasks = request.min_cpus = 8;
    request.tasks_per_node = 4;
    request.tres_per_node = "gres:gpu:2";
    for (const limits::Release each : releases) {
        release = each;
        request.tasks = 8;
        expect("nodes", "node", 2);
        expect_gpus(4);

        request.tasks = 9;
        expect("nodes", "node", 3);
        expect_gpus(6);
    }
    request.tasks_per_node = 16;
    expect("nodes", "node", 1);
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(a_range_of_nodes_reads_as_its_lower_end) {
    request.min_nodes = 1;
    request.max_nodes = 4;
    request.tasks = request.min_cpus = 4;
    request.tres_per_node = "gres:gpu:2";
    expect("nodes", "node", 1);
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(limits_are_still_held_against_what_slurmctld_counts) {
    qos(0).flags.deny_on_limit = true;
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.qos = "normal";
    request.tres_per_job = "gres:gpu:1";
    request.cpus_per_tres = "gres:gpu:30";
    const auto without = decide();
    const auto policy = test::load_rule("rule { name = 'idle', submit = function(job) end }");
    const auto with = decide(policy.get());

    BOOST_TEST(with.reject == without.reject);
    BOOST_TEST(test::first_line(with.message) == test::first_line(without.message));
    BOOST_TEST(with.reject == RejectCode::none); // at submission slurmctld counts one CPU
    BOOST_TEST(is_denied("job.cpus > 20"));
}

BOOST_AUTO_TEST_CASE(a_job_without_time_has_that_of_its_partition) {
    const auto expect_minutes = [&](const std::string& minutes) {
        BOOST_TEST(is_denied("job.time_limit == " + minutes));
        BOOST_TEST(!is_denied("job:is_set('time_limit')"));
    };
    request.partition = "main";
    expect_minutes("math.huge");
    partitions[0].max_time = TimeLimit{121};
    expect_minutes("121");
    BOOST_TEST(is_denied("(job.time_limit or 0) > 120"));
    partitions[0].max_time = TimeLimit{120};
    BOOST_TEST(!is_denied("(job.time_limit or 0) > 120"));
    partitions[0].default_time = TimeLimit{30};
    expect_minutes("30");

    request.time_limit = TimeLimit{60};
    BOOST_TEST(is_denied("job.time_limit == 60 and job:is_set('time_limit')"));
}

BOOST_AUTO_TEST_CASE(of_several_partitions_the_longest_time_counts) {
    partitions[0].max_time = TimeLimit{60};
    partitions[1].max_time = TimeLimit{90};
    for (const char* both : {"main,viz", "viz,main"}) {
        request.partition = both;
        BOOST_TEST(is_denied("job.time_limit == 90"));
    }
    partitions[1].default_time = TimeLimit{45}; // only the first partition gives its default
    BOOST_TEST(is_denied("job.time_limit == 45"));
    request.partition = "main,viz";
    BOOST_TEST(is_denied("job.time_limit == 90"));
    request.partition = "nowhere";
    BOOST_TEST(is_denied("job.time_limit == nil"));
}

BOOST_AUTO_TEST_SUITE_END()

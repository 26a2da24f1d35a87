// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules read about a job's size: what it gets on the nodes that it names, whichever options ask for it.
#include "support/node_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

template <typename Cluster>
struct RuleCounts : Cluster {
    RuleCounts() { release = limits::Release(22, 5, 8); }
    using Cluster::decide;
    using Cluster::records;
    using Cluster::release;
    using Cluster::request;

    bool is_denied(const std::string& condition, const std::string& keys = "") const {
        const auto policy = test::load_rule("rule { name = 'deny', " + keys + " submit = function(job) if " +
                                            condition + " then job:reject('denied') end end }");
        const bool at_submission = decide(policy.get()).reject == RejectCode::access_denied;
        const quota::LocalQuota provider(records);
        const auto c = this->cluster();
        model::JobUpdate update{.job_id = 17, .before = {}, .after = request};
        update.before.tasks_per_tres = request.tasks_per_tres; // a change of them is refused
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
using RuleCountSetup = RuleCounts<test::GateSetup>;

/// Nodes of several sizes; rules read what the smallest have that the job may get.
struct RuleNodeSetup : RuleCounts<test::NodeSetup> {
    RuleNodeSetup() {
        request.min_nodes = 1;
        request.max_nodes.reset();
        request.partition = "main";
    }
    void expect_node(std::uint64_t cpus, std::uint64_t mib, std::uint64_t gpus) const {
        expect_cpus(cpus);
        expect("memory", "mem", mib);
        expect_gpus(gpus);
    }
};

const limits::Release releases[] = {{22, 5, 8}, {24, 11, 5}};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rule_counts, RuleCountSetup)

BOOST_AUTO_TEST_CASE(counts_of_features_add_nodes) {
    request.min_nodes.reset();
    request.max_nodes.reset();
    request.tres_per_node = "gres:gpu:2";
    const struct {
        const char* features;
        std::uint64_t nodes;
    } cases[] = {{"a", 1},         {"a*1", 1},           {"a*3", 3},   {"[a*2&b*2]", 4},
                 {"[a*2|b*4]", 4}, {"(a*2|b*1)&c*4", 7}, {"a&b*2", 2}, {"a*", 1},
                 {"a*0", 1},       {"x|y", 1},           {"a*x3", 1},  {"a*+2", 2},
                 {"[a* 2]", 2},    {"a*\t+2&b*1", 3},    {"a*-2", 1},  {"a*++2", 1}};
    for (const auto field : {&model::JobRequest::features, &model::JobRequest::prefer})
        for (const auto& row : cases)
            BOOST_TEST_CONTEXT(row.features) {
                request.features.reset();
                request.prefer.reset();
                request.*field = row.features;
                expect("nodes", "node", row.nodes);
                expect_gpus(2 * row.nodes);
            }
}

BOOST_AUTO_TEST_CASE(more_counts_of_features_than_are_added_up_read_as_too_many_nodes) {
    request.min_nodes.reset();
    request.max_nodes.reset();
    request.features = "a*1";
    for (int i = 1; i < 64; ++i)
        *request.features += "&a*1";
    expect("nodes", "node", 64);
    *request.features += "&a*1";
    expect("nodes", "node", UINT32_MAX);
}

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

BOOST_AUTO_TEST_CASE(gpus_of_every_model_have_their_cpus) {
    request.tasks.reset();
    for (const limits::Release each : releases) {
        release = each;
        for (const auto gpus : {&model::JobRequest::tres_per_job, &model::JobRequest::tres_per_node}) {
            request.cpus_per_tres = "gres:gpu:2";
            for (const char* text : {"gres:gpu:a100:2,gres:gpu:v100:1", "gres:gpu:v100:1,gres:gpu:a100:2"}) {
                (request.*gpus) = text;
                expect_cpus(6);
                expect("memory", "mem", 6000);
            }
            // slurmctld takes those of the one for the other.
            request.cpus_per_tres = "gres:gpu:a100:3";
            expect_cpus(9);
            (request.*gpus) = "gres:gpu:a100:2";
            expect_cpus(6);
            (request.*gpus).reset();
        }
    }
}

// slurmctld keeps no more cores of a node than the last model needs.
BOOST_AUTO_TEST_CASE(gpus_of_the_last_model_have_their_cpus_where_a_node_has_so_many_tasks) {
    request.tres_per_node = "gres:gpu:a100:2,gres:gpu:v100:1";
    request.cpus_per_tres = "gres:gpu:2";
    request.tasks = request.min_cpus = 1;
    expect_cpus(2);
    request.tasks = request.min_cpus = 3;
    expect_cpus(6);
    request.min_nodes = request.max_nodes = 1;
    expect_cpus(3);
    request.has_counted_cpus = true;
    expect_cpus(6); // a change may add models behind others
    request.has_counted_cpus = false;
    release = limits::Release(24, 11, 5);
    expect_cpus(6);
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

BOOST_AUTO_TEST_CASE(a_range_of_nodes_reads_as_its_upper_end) {
    request.min_nodes = 1;
    request.max_nodes = 4;
    request.tasks = request.min_cpus = 4;
    request.tres_per_node = "gres:gpu:2";
    request.memory = model::Memory{100, /*per_cpu=*/false};
    const auto expect_nodes = [this](std::uint64_t nodes) {
        expect("nodes", "node", nodes);
        expect_gpus(2 * nodes);
        expect("memory", "mem", 100 * nodes);
    };
    for (const limits::Release each : releases) {
        release = each;
        expect_nodes(4);
        BOOST_TEST(is_denied("job.min_nodes == 1 and job.max_nodes == 4"));
        request.max_nodes = 1;
        expect_nodes(1);
        request.max_nodes = 4;
    }
    request.tasks = request.min_cpus = 3; // no node without a task
    expect_nodes(3);
    request.tasks = request.min_cpus = 1;
    expect_nodes(1);
}

BOOST_AUTO_TEST_CASE(each_node_of_a_range_has_its_cpus) {
    request.tasks.reset();
    request.min_nodes = 1;
    request.max_nodes = 4;
    request.min_cpus = request.cpus_per_task = 2;
    expect_cpus(8);
    request.max_nodes = 1;
    expect_cpus(2);
}

BOOST_AUTO_TEST_CASE(a_range_of_nodes_ends_where_the_partition_or_its_gpus_end) {
    request.min_nodes = 1;
    request.max_nodes = 8;
    request.tasks = request.min_cpus = 8;
    partitions[0].max_nodes = 3;
    expect("nodes", "node", 3);
    partitions[0].max_nodes.reset();
    partitions[0].total_nodes = 2;
    expect("nodes", "node", 2);
    partitions[0].total_nodes = 0;
    expect("nodes", "node", 8);
    request.tres_per_job = "gres:gpu:3";
    expect("nodes", "node", 3);
    expect_gpus(3);
}

BOOST_AUTO_TEST_CASE(a_spread_job_reads_a_node_for_each_task) {
    request.tasks = request.min_cpus = 4;
    request.max_nodes.reset();
    request.tres_per_node = "gres:gpu:1";
    expect_gpus(1);
    request.details.set(model::JobDetail::spread_job, std::int64_t{1});
    expect("nodes", "node", 4);
    expect_gpus(4);
    request.max_nodes = 2;
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

// slurmctld gives a job of 0 tasks one on each node.
BOOST_AUTO_TEST_CASE(gpus_per_task_count_one_task_on_each_node) {
    request.tres_per_task = "gres:gpu:2";
    for (const limits::Release each : releases) {
        release = each;
        request.min_nodes = 3;
        request.tasks = 0;
        expect_gpus(6);
        request.tasks = 3;
        expect_gpus(6);
        request.min_nodes = 1;
        request.tasks = 0;
        expect_gpus(2);
        partitions[0].min_nodes = 2;
        expect_gpus(4);
        partitions[0].min_nodes = 0;
    }
}

// slurmctld may give the job further sockets, with a GPU each.
BOOST_AUTO_TEST_CASE(gpus_of_sockets_that_mincpus_may_add_count) {
    request.tres_per_socket = "gres:gpu:1";
    request.sockets_per_node = 1;
    request.min_cpus_per_node = 8;
    expect_gpus(1);
    request.tasks_per_tres = 2;
    request.tasks.reset();
    expect_gpus(8);

    request.tres_per_socket.reset();
    request.tres_per_task = "gres:gpu:1";
    BOOST_TEST(is_denied("job.gpus >= 8")); // slurmctld may give 4
    request.tasks_per_tres.reset();
    expect_gpus(1);
}

BOOST_AUTO_TEST_CASE(gpus_of_sockets_that_tasks_per_gpu_may_add_count) {
    request.tasks.reset();
    request.tres_per_socket = "gres:gpu:1";
    request.sockets_per_node = 1;
    request.tasks_per_tres = 1;
    expect_gpus(1);
    expect_cpus(1);
    request.tasks_per_tres = 2; // these may be on two sockets
    expect_gpus(2);
    expect_cpus(2);
    request.cpus_per_task = 3;
    partitions[0].processors = {1, 1, 2, 16, 16};
    expect_gpus(2);
    expect_cpus(6);
    request.min_nodes = request.max_nodes = 2;
    expect_gpus(4);
    expect_cpus(12);
    request.tres_per_socket = "gres:gpu:2";
    request.tasks_per_tres = 1;
    expect_gpus(8);
    expect_cpus(12);
}

BOOST_AUTO_TEST_CASE(a_maximum_of_0_nodes_is_none) {
    request.min_nodes = 1;
    request.max_nodes = 0;
    BOOST_TEST(is_denied("job.max_nodes == nil"));
    request.max_nodes = 1;
    BOOST_TEST(is_denied("job.max_nodes == 1"));
}

BOOST_AUTO_TEST_CASE(sockets_per_node_is_no_maximum_for_several_tasks) {
    request.tres_per_socket = "gres:gpu:1";
    request.sockets_per_node = 1;
    request.tasks = request.min_cpus = 1;
    expect_gpus(1);
    request.tasks = request.min_cpus = 2;
    expect_gpus(2);
    partitions[0].node_kinds = {{.count = 4, .cpus = 64, .gres = {{"gpu", "a100", 2}}}};
    request.tasks = request.min_cpus = 8;
    expect_gpus(2); // a node has no more
}

BOOST_AUTO_TEST_CASE(gpus_of_tasks_that_mincpus_adds_count) {
    request.tres_per_task = "gres:gpu:1";
    request.tasks = request.min_cpus = 3;
    request.min_nodes = request.max_nodes = 2;
    request.min_cpus_per_node = 4;
    expect_gpus(8);
    request.min_cpus_per_node = 1;
    expect_gpus(3);
    request.min_cpus = 6; // scontrol update NumCPUs
    expect_gpus(6);
    request.min_cpus = 3;

    request.min_cpus_per_node = request.cpus_per_task = 4;
    request.min_cpus = 12;
    expect_gpus(3);
    request.cpus_per_task.reset();
    request.min_cpus = 3;

    request.max_nodes.reset();
    request.min_nodes = 1;
    expect_gpus(4); // on one node, if it has more of them
}

// slurmctld divides the CPUs of the GPUs among tasks of one CPU, each with its GPU.
BOOST_AUTO_TEST_CASE(gpus_of_tasks_that_share_the_cpus_of_gpus_count) {
    request.tres_per_task = "gres:gpu:a100:1";
    request.cpus_per_tres = "gres:gpu:9";
    request.tasks = request.min_cpus = 1;
    expect_gpus(9); // as far as the node has them
    expect_cpus(9);
    partitions[0].node_kinds = {{.count = 4, .cpus = 64, .gres = {{"gpu", "a100", 4}, {"gpu", "v100", 2}}}};
    expect_gpus(4);
    expect_cpus(9);
    request.tres_per_task = "gres:gpu:a100:3";
    expect_gpus(6); // slurmctld gives the 4 of the node
    expect_cpus(27);
    request.tres_per_task = "gres:gpu:a100:1";
    request.cpus_per_task = 4;
    expect_gpus(2);
    request.cpus_per_task.reset();

    request.tasks_per_node = 1;
    expect_gpus(1);
    request.tasks_per_node.reset();
    request.cpus_per_tres = "gres:gpu:a100:9"; // as many as the task then has
    expect_gpus(1);
    request.tres_per_task = "gres:gpu:1";
    request.cpus_per_tres = "gres:gpu:9";
    expect_gpus(1);
    request.tasks = request.min_cpus = 4;
    expect_gpus(4);

    release = limits::Release(24, 11, 5);
    request.tres_per_task = "gres:gpu:a100:1";
    request.tasks = 1;
    expect_gpus(1);
}

BOOST_AUTO_TEST_CASE(default_cpus_of_gpus_of_several_models_hold_further_tasks) {
    partitions[0].cpus_per_gpu = 4;
    request.tres_per_task = "gres:gpu:a100:1";
    expect_gpus(1);
    request.tres_per_task = "gres:gpu:a100:1,gres:gpu:v100:1";
    expect_gpus(4);
    expect_cpus(8);
}

BOOST_AUTO_TEST_CASE(tasks_with_gpus_of_their_own_share_no_cpus_that_a_node_must_have) {
    request.overcommit = true;
    request.tasks = 4;
    request.min_cpus = 1;
    request.min_cpus_per_node = 8;
    expect_cpus(1);
    request.tres_per_task = "gres:gpu:1";
    expect_cpus(4);
    request.min_cpus_per_node = 2;
    expect_cpus(2);
    request.min_cpus_per_node.reset();
    expect_cpus(1);
    request.cpus_per_tres = "gres:gpu:2";
    expect_cpus(8);
}

// slurmctld has 0 tasks, and then as many as CPUs.
BOOST_AUTO_TEST_CASE(tasks_of_an_open_number_that_share_cpus_have_gpus_for_each_cpu) {
    request.overcommit = true;
    request.tasks.reset();
    request.min_cpus.reset();
    request.sockets_per_node = 2;
    request.details.set(model::JobDetail::cores_per_socket, std::int64_t{16});
    expect_cpus(1);
    request.tres_per_task = "gres:gpu:0"; // that they are named is enough
    expect_cpus(32);
    request.tasks = 8;
    expect_cpus(8);
    request.details.set(model::JobDetail::cores_per_socket, std::monostate());
    expect_cpus(2);
    request.sockets_per_node.reset();
    expect_cpus(1);

    request.tres_per_task = "gres:gpu:2";
    request.min_nodes = request.max_nodes = 2;
    request.min_cpus_per_node = 2;
    request.tasks = 2;
    expect_gpus(4);
    request.tasks = 0;
    expect_gpus(8);
    request.min_cpus_per_node = 1;
    expect_gpus(4);
    request.tasks_per_node = 2;
    expect_gpus(8);
    expect_cpus(4);
    partitions[0].cpus_per_gpu = 3;
    expect_cpus(24);
    partitions[0].cpus_per_gpu.reset();
    request.tasks_per_node.reset();
    partitions[0].max_memory = model::Memory{4000, /*per_cpu=*/true};
    request.memory = model::Memory{8000, /*per_cpu=*/true};
    expect_gpus(8);
    request.memory->mib = 4000;
    expect_gpus(4);
}

// Such a job does not show whether it asks for the CPUs of a task, which DefCpuPerGPU would not replace then.
BOOST_AUTO_TEST_CASE(gpus_of_tasks_count_for_the_fewest_cpus_of_a_task) {
    partitions[0].cpus_per_gpu = 4;
    request.has_counted_cpus = true;
    request.tres_per_task = "gres:gpu:1";
    request.tasks = 2;
    request.min_cpus = 8;
    request.cpus_per_task = 2;
    expect_gpus(4);
    request.cpus_per_task = 4;
    expect_gpus(2);
    request.cpus_per_task.reset();
    expect_gpus(2);
}

// slurmctld shows 0 tasks of such a job, and divides its CPUs.
BOOST_AUTO_TEST_CASE(a_job_that_exists_without_a_number_of_tasks_has_those_that_its_cpus_hold) {
    request.has_counted_cpus = true;
    request.tasks.reset();
    request.min_cpus = 2;
    request.min_nodes = request.max_nodes = 1;
    request.tres_per_task = "gres:gpu:1";
    expect_gpus(2);
    request.max_nodes.reset();
    expect_gpus(2);
    request.tasks = 1;
    expect_gpus(1);
}

BOOST_AUTO_TEST_CASE(memory_of_gpus_counts_for_those_of_all_ways_to_ask) {
    request.memory.reset();
    request.tres_per_node = "gres:gpu:a100:2";
    request.memory_per_tres = "gres:gpu:100";
    expect("memory", "mem", 200);
    request.tres_per_socket = "gres:gpu:v100:1";
    request.sockets_per_node = 1;
    expect_gpus(3);
    expect("memory", "mem", 300);
}

// slurmctld gives such a job no more tasks, whatever CPUs it must have on a node.
BOOST_AUTO_TEST_CASE(mincpus_adds_no_tasks_where_the_job_says_how_many_a_node_has) {
    request.tres_per_task = "gres:gpu:1";
    request.min_cpus_per_node = 8;
    request.tasks = request.min_cpus = 3;
    request.min_nodes = request.max_nodes = 1;
    expect_gpus(3);
    request.tasks = request.min_cpus = 2;
    request.min_nodes = request.max_nodes = 2;
    expect_gpus(2);
    request.tasks = request.min_cpus = 1;
    request.min_nodes = 1;
    request.max_nodes.reset();
    expect_gpus(1);
    request.tasks = request.min_cpus = 4;
    request.tasks_per_node = 2;
    request.min_nodes = request.max_nodes = 2;
    expect_gpus(4);
    request.tasks_per_node.reset();
    request.overcommit = true;
    expect_gpus(4);
}

BOOST_AUTO_TEST_CASE(gpus_of_all_sockets_that_cpus_may_spread_over_count) {
    partitions[0].processors.max_sockets = 2;
    request.tres_per_socket = "gres:gpu:2";
    request.sockets_per_node = 1;
    request.min_nodes = request.max_nodes = 1;
    expect_gpus(2);
    request.cpus_per_task = request.min_cpus = 8;
    expect_gpus(4);
    request.cpus_per_task.reset();
    request.min_cpus = 1;
    expect_gpus(2);
    request.tasks_per_node = 4;
    expect_gpus(4);
    request.tasks_per_node = 1;
    expect_gpus(2);
    request.tasks_per_node.reset();
    request.cpus_per_tres = "gres:gpu:8";
    expect_gpus(4);
    request.cpus_per_tres.reset();
    request.min_cpus_per_node = 8;
    expect_gpus(2); // its one task takes one CPU
    request.tasks.reset();
    expect_gpus(4);
    partitions[0].processors.max_sockets = 1;
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_node_count_where_their_number_is_not_sent) {
    request.tasks.reset();
    request.min_nodes.reset();
    request.min_cpus.reset();
    request.tasks_per_node = 2;
    expect_cpus(2);
    request.cpus_per_task = 3;
    expect_cpus(6);
    request.tasks = 1;
    expect_cpus(3);
}

// Programs can send 0 sockets, which slurmctld takes for no request.
BOOST_AUTO_TEST_CASE(gpus_of_sockets_count_where_the_job_names_no_sockets) {
    partitions[0].processors.max_sockets = 2;
    request.tres_per_socket = "gres:gpu:1";
    request.tasks.reset();
    expect_gpus(1);
    request.min_cpus = 2;
    expect_gpus(2);
    request.min_cpus = 16;
    expect_gpus(2);
    request.min_cpus = 1;
    request.min_nodes = request.max_nodes = 2;
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(no_tasks_that_share_cpus_are_more_than_one_on_a_node) {
    partitions[0].processors = {2, 2, 2, 16, 16};
    request.overcommit = true;
    request.min_cpus_per_node = 8;
    request.tasks = 1;
    expect_cpus(1);
    request.tasks = 2;
    expect_cpus(2);
    request.tasks = 0;
    expect_cpus(2);
    request.min_cpus_per_node.reset();
    expect_cpus(1);
}

BOOST_AUTO_TEST_CASE(gpus_of_no_tasks_bound_no_nodes) {
    request.max_nodes = 3;
    request.tres_per_task = "gres:gpu:1";
    request.tasks = 1;
    expect("nodes", "node", 1);
    request.tasks = 0;
    expect("nodes", "node", 3);
    expect_gpus(3);
}

BOOST_AUTO_TEST_CASE(no_tasks_bound_neither_nodes_nor_tasks) {
    request.tasks = 0;
    request.max_nodes = 3;
    expect("nodes", "node", 3);
    expect_cpus(3);
    request.tasks = 1;
    expect("nodes", "node", 1);
    expect_cpus(1);

    request.tres_per_task = "gres:gpu:1";
    request.max_nodes = 1;
    request.min_cpus_per_node = 2;
    expect_gpus(1);
    request.tasks = 0;
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(what_each_gpu_brings_along_by_default_counts) {
    request.tres_per_job = "gres:gpu:4";
    partitions[0].cpus_per_gpu = 4;
    expect_cpus(16);
    request.memory = model::Memory{16000, /*per_cpu=*/true};
    expect("memory", "mem", 256000);
    request.memory.reset();
    partitions[0].memory_per_gpu_mib = 2000;
    expect("memory", "mem", 8000);

    request.memory = model::Memory{100, /*per_cpu=*/false};
    expect("memory", "mem", 100);
    request.cpus_per_task = 1;
    BOOST_TEST(is_denied("job.cpus == 1"));
    request.cpus_per_task.reset();
    request.cpus_per_tres = "gres:gpu:2";
    request.memory.reset();
    request.memory_per_tres = "gres:gpu:10";
    expect_cpus(8);
    expect("memory", "mem", 40);

    request.tres_per_job.reset();
    request.cpus_per_tres.reset();
    request.memory_per_tres.reset();
    expect_cpus(1);
    expect("memory", "mem", 1000);
}

// An existing job shows a default as slurmctld writes it, "gpu:2000".
BOOST_AUTO_TEST_CASE(default_memory_of_gpus_leaves_none_for_each_cpu) {
    request.has_counted_cpus = request.has_default_memory = true;
    request.tasks = request.min_cpus = 8;
    request.tres_per_job = "gres:gpu:1";
    request.memory_per_tres = "gpu:2000";
    partitions[0].default_memory = model::Memory{1000, /*per_cpu=*/true};
    expect("memory", "mem", 8000); // the default may be that of another partition
    for (const std::uint64_t mib : {2000, 2001, 1999}) {
        partitions[0].memory_per_gpu_mib = mib;
        expect("memory", "mem", std::max<std::uint64_t>(mib, 2000));
    }
    partitions[0].memory_per_gpu_mib.reset();
    memory_per_gpu_mib = 2000;
    expect("memory", "mem", 2000);
    memory_per_gpu_mib = 0;
    expect("memory", "mem", 8000);
}

BOOST_AUTO_TEST_CASE(the_defaults_of_the_cluster_count_where_the_partition_has_none) {
    request.tres_per_node = "gres:gpu:a100:2";
    cpus_per_gpu = 3;
    memory_per_gpu_mib = 500;
    expect_cpus(6);
    expect("memory", "mem", 1000);
    partitions[0].cpus_per_gpu = 5;
    expect_cpus(10);
    request.partition = "main,viz";
    expect_cpus(10);
    request.partition = "viz";
    expect_cpus(6);
    request.tres_per_node = "gres:gpu:a100:1,gres:gpu:v100:1";
    expect_cpus(6);
}

BOOST_AUTO_TEST_CASE(cpus_of_whole_cores_count) {
    allocated_unit = model::AllocatedUnit::core;
    partitions[0].processors = {2, 2, 2, 16, 16};
    expect_cpus(2);
    request.tasks = request.min_cpus = 4;
    expect_cpus(4);
    expect("memory", "mem", 4000);
    request.details.set(model::JobDetail::tasks_per_core, std::int64_t{1});
    expect_cpus(8);
    expect("memory", "mem", 8000);
    request.details.set(model::JobDetail::threads_per_core, std::int64_t{1});
    expect_cpus(8);
    expect("memory", "mem", 4000);
    partitions[0].processors = {1, 1, 2, 16, 16};
    expect_cpus(4);
}

// A DefMemPerCPU of 0 that is written out.
BOOST_AUTO_TEST_CASE(default_memory_of_0_for_each_cpu_is_all_memory_at_submission) {
    partitions[0].node_memory_mib = 64000;
    partitions[0].default_memory = model::Memory{1000, /*per_cpu=*/true};
    expect("memory", "mem", 1000);
    partitions[0].default_memory = model::Memory{0, /*per_cpu=*/true};
    expect("memory", "mem", 64000);
    partitions[0].max_memory = model::Memory{1000, /*per_cpu=*/true}; // adds no CPUs
    expect("memory", "mem", 64000);
    expect_cpus(1);
    request.memory = model::Memory{500, /*per_cpu=*/true};
    expect("memory", "mem", 500);
}

BOOST_AUTO_TEST_CASE(cpus_that_max_mem_per_cpu_adds_count) {
    request.memory = model::Memory{8000, /*per_cpu=*/false};
    expect_cpus(1);
    partitions[0].max_memory = model::Memory{1000, /*per_cpu=*/true};
    expect_cpus(8);
    expect("memory", "mem", 8000);
    request.memory = model::Memory{1000, /*per_cpu=*/false};
    expect_cpus(1);
}

// As programs and records have it: sbatch sends a number of tasks.
BOOST_AUTO_TEST_CASE(cpus_for_memory_leave_those_that_each_node_must_have) {
    partitions[0].max_memory = model::Memory{4000, /*per_cpu=*/true};
    request.memory = model::Memory{8000, /*per_cpu=*/true};
    request.tasks = 2;
    request.min_cpus.reset();
    request.min_cpus_per_node = 8;
    expect_cpus(8);
    request.min_cpus = 2;
    expect_cpus(8);
    request.min_cpus_per_node = 4;
    expect_cpus(4);
    request.min_cpus_per_node.reset();
    expect_cpus(4);
    request.tasks.reset(); // then slurmctld would forget --mincpus
    request.min_cpus = 1;
    request.min_cpus_per_node = 8;
    BOOST_TEST(is_denied("false"));
    request.min_cpus_per_node = 1;
    expect_cpus(2);
}

BOOST_AUTO_TEST_CASE(tasks_that_share_cpus_get_those_for_memory) {
    partitions[0].max_memory = model::Memory{1000, /*per_cpu=*/true};
    request.memory = model::Memory{4000, /*per_cpu=*/false};
    request.overcommit = true;
    request.tasks = 4;
    expect_cpus(1);
    request.tasks_per_node = 4;
    expect_cpus(1);
    request.memory->mib = 16000;
    expect_cpus(4);
    request.memory->mib = 16001;
    expect_cpus(5);
}

BOOST_AUTO_TEST_CASE(tasks_per_node_alone_bound_no_range) {
    request.tasks.reset();
    request.tasks_per_node = 1;
    request.max_nodes = 2;
    expect("nodes", "node", 2);
    expect_cpus(2);
    request.tasks = 1;
    expect("nodes", "node", 1);
    expect_cpus(1);
}

BOOST_AUTO_TEST_CASE(a_job_keeps_the_nodes_of_the_cpus_that_a_change_leaves_it) {
    request.min_nodes = 1;
    request.max_nodes.reset();
    request.tasks = 2;
    request.tasks_per_node = 2;
    request.min_cpus = 4; // of the four tasks before
    request.has_counted_cpus = true;
    expect("nodes", "node", 2);
    request.min_cpus = 2;
    expect("nodes", "node", 1);
    request.min_cpus = 4;
    request.min_cpus_per_node = 4;
    expect("nodes", "node", 1);
}

BOOST_AUTO_TEST_CASE(nodes_that_a_change_names_count_beside_those_of_gres) {
    request.tres_per_job = request.tres_per_node = "gres:gpu:1";
    request.min_nodes = request.max_nodes = 1;
    expect_cpus(1);
    request.min_nodes = request.max_nodes = 2;
    expect("nodes", "node", 2);
    expect_cpus(2);
    expect("memory", "mem", 2000);
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(all_memory_of_a_node_brings_cpus_along) {
    request.memory = model::Memory{0, /*per_cpu=*/false};
    expect_cpus(1);
    partitions[0].max_memory = model::Memory{16000, /*per_cpu=*/true};
    expect_cpus(16); // of 256000 MiB
    expect("memory", "mem", 256000);
    request.memory->per_cpu = true; // slurmctld takes it for the same
    expect_cpus(16);
    partitions[0].max_memory = model::Memory{16001, /*per_cpu=*/true};
    expect_cpus(16);
    partitions[0].max_memory = model::Memory{256000, /*per_cpu=*/true};
    expect_cpus(1);
    request.memory.reset();
    partitions[0].default_memory.reset();
    expect_cpus(1);
    partitions[0].max_memory = model::Memory{128000, /*per_cpu=*/true};
    expect_cpus(2);
    partitions[0].max_memory->per_cpu = false;
    expect_cpus(1);
}

BOOST_AUTO_TEST_CASE(default_memory_brings_cpus_along_also_beside_memory_for_each_gpu) {
    request.tasks = request.min_cpus = 3;
    request.tres_per_job = "gres:gpu:2";
    partitions[0].memory_per_gpu_mib = 5000;
    partitions[0].max_memory = model::Memory{1000, /*per_cpu=*/true};
    expect_cpus(3);
    partitions[0].default_memory = model::Memory{1001, /*per_cpu=*/true};
    expect_cpus(6);
    expect("memory", "mem", 10000);
    request.memory = model::Memory{10, /*per_cpu=*/false};
    expect_cpus(3);
    request.memory.reset();
    request.memory_per_tres = "gres:gpu:2000";
    expect_cpus(6);
    expect("memory", "mem", 4000);
}

BOOST_AUTO_TEST_CASE(of_several_partitions_the_most_counts) {
    request.tres_per_node = "gres:gpu:2";
    partitions[1].default_memory = model::Memory{3000, /*per_cpu=*/true};
    partitions[1].min_nodes = 2;
    for (const char* both : {"main,viz", "viz,main"}) {
        request.partition = both;
        request.max_nodes.reset();
        expect("memory", "mem", 6000);
        expect_gpus(4);
        request.max_nodes = 1; // it never starts in viz
        expect_gpus(2);
    }
    request.partition = "main";
    expect("memory", "mem", 1000);
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(a_change_by_a_rule_leaves_what_slurmctld_reads_otherwise) {
    const auto policy =
        test::load_rule("rule { name = 'note', submit = function(job) job.comment = 'seen' end }");
    allows_spec_resources = true;
    request.min_nodes = request.tasks = 0;
    request.max_nodes = 1;
    request.is_batch = true;
    request.details.set(model::JobDetail::core_spec, std::int64_t{1});
    const auto changed = decide(policy.get()).changed;
    BOOST_TEST_REQUIRE(changed.has_value());
    BOOST_TEST(changed->comment.value() == "seen");
    BOOST_TEST(changed->min_nodes.value() == 1u); // slurmctld would give it other GPUs for 0
    BOOST_TEST(changed->tasks.value() == 0u);
    BOOST_TEST(!changed->exclusive);
    BOOST_TEST(changed->details.get(model::JobDetail::core_spec).number == 1);
}

BOOST_AUTO_TEST_CASE(no_nodes_are_sent_on_as_the_one_that_rules_read) {
    const auto policy = test::load_rule("rule { name = 'idle', submit = function(job) end }");
    request.partition = "main";
    BOOST_TEST(!decide(policy.get()).changed.has_value());
    request.tasks = 0;
    BOOST_TEST(!decide(policy.get()).changed.has_value());
    request.min_nodes = 0;
    request.max_nodes = 1;
    request.is_batch = true;
    const auto changed = decide(policy.get()).changed;
    BOOST_TEST_REQUIRE(changed.has_value());
    BOOST_TEST(changed->min_nodes.value() == 1u);
    BOOST_TEST(changed->tasks.value() == 0u);
    BOOST_TEST(changed->partition.value() == "main");
    BOOST_TEST(!decide().changed.has_value()); // no rules
}

BOOST_AUTO_TEST_CASE(what_slurmctld_refuses_for_0_nodes_it_refuses_with_rules_too) {
    const auto rule = [](const std::string& body) {
        return test::load_rule("rule { name = 'r', submit = function(job) " + body + " end }");
    };
    const auto idle = rule(""), note = rule("job.comment = tostring(job.min_nodes)"),
               moves = rule("job.partition = 'viz'");
    const auto is_refused = [&](const auto& policy) {
        const model::Decision decision = decide(policy.get());
        const auto& changed = decision.changed;
        BOOST_TEST(changed.value_or(request).min_nodes.value() ==
                   (decision.forecast.code == RejectCode::none ? 1u : 0u));
        return decision.forecast.code == RejectCode::invalid_node_count;
    };
    partitions[1].min_nodes = 1;
    request.min_nodes = 0;
    for (const bool is_batch : {true, false})
        for (const auto max_nodes : {std::optional<std::uint32_t>(), std::optional(0u), std::optional(1u)}) {
            request.is_batch = is_batch;
            request.max_nodes = max_nodes;
            const bool without_rules = decide().forecast.code == RejectCode::invalid_node_count;
            BOOST_TEST(without_rules == (!is_batch || max_nodes != 1u));
            BOOST_TEST(is_refused(idle) == without_rules);
            BOOST_TEST(is_refused(note) == without_rules);
            // MinNodes there makes it one node, but a maximum of 0 is refused before.
            BOOST_TEST(is_refused(moves) == (!is_batch && max_nodes == 0u));
        }
    request.max_nodes = 0;
    BOOST_TEST(decide(note.get()).changed.value().comment.value() == "1");
}

BOOST_AUTO_TEST_CASE(a_count_that_a_rule_writes_is_written) {
    const auto policy = test::load_rule(
        "rule { name = 'size', submit = function(job) job.min_nodes = 2; job.tasks = 3 end }");
    request.min_nodes = request.tasks = 0;
    const auto changed = decide(policy.get()).changed;
    BOOST_TEST_REQUIRE(changed.has_value());
    BOOST_TEST(changed->min_nodes.value() == 2u);
    BOOST_TEST(changed->tasks.value() == 3u);
}

BOOST_AUTO_TEST_CASE(a_job_that_a_rule_makes_share_nodes_keeps_nothing_that_takes_whole_ones) {
    const auto policy =
        test::load_rule("rule { name = 'share', submit = function(job) job.exclusive = false; "
                        "job.comment = tostring(job.exclusive) end }");
    for (const bool allows : {true, false}) {
        allows_spec_resources = allows;
        request.details.set(model::JobDetail::thread_spec, std::int64_t{1});
        const auto changed = decide(policy.get()).changed;
        BOOST_TEST_REQUIRE(changed.has_value());
        BOOST_TEST(changed->comment.value() == "false");
        BOOST_TEST(!changed->exclusive);
        BOOST_TEST(
            (changed->details.get(model::JobDetail::thread_spec).kind == model::DetailValue::Kind::unset));
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(rule_counts_of_whole_nodes, RuleNodeSetup)

BOOST_AUTO_TEST_CASE(every_gres_of_whole_nodes_counts) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < records.tres->size(); ++at)
        names.emplace_back(records.tres->name(at));
    for (const char* more : {"gres/nic", "gres/nic:ib", "gres/shard"})
        names.emplace_back(more);
    records.tres = std::make_shared<const model::TresCatalogue>(names);
    for (quota::LocalQos& each : records.qos)
        each.qos.limits = model::Limits(records.tres->size());
    for (model::NodeKind& kind : node_table.kinds)
        kind.gres.insert(kind.gres.end(), {{"nic", "ib", 2}, {"nic", "eth", 1}, {"shard", "", 8}});
    set(partitions[0], node_table.kinds, {0, 3}, 4);
    request.required_nodes = "a1";
    const auto reads = [this](const std::string& gres, int count) {
        const std::string field = "job.tres['gres/" + gres + "']";
        return is_denied(field + " == " + std::to_string(count));
    };
    BOOST_TEST(reads("nic", 0));
    request.tres_per_node = "gres:nic:1";
    BOOST_TEST(reads("nic", 1));
    request.exclusive = true;
    BOOST_TEST(reads("nic", 3));
    BOOST_TEST(reads("nic:ib", 2));
    BOOST_TEST(reads("shard", 0)); // shares of GPUs, which the job has as a whole
    expect_gpus(2);
}

BOOST_AUTO_TEST_CASE(each_way_to_whole_nodes_counts_them) {
    request.required_nodes = "a1";
    expect_node(1, 100, 0);
    BOOST_TEST(!is_denied("job.exclusive"));

    request.exclusive = true;
    expect_node(16, 1600, 2);
    BOOST_TEST(is_denied("job.exclusive"));
    request.exclusive = false;

    partitions[0].gives_whole_nodes = true;
    expect_node(16, 1600, 2);
    BOOST_TEST(!is_denied("job.exclusive")); // the job does not ask for it
    partitions[0].gives_whole_nodes = false;

    gives_whole_nodes = true;
    expect_node(16, 1600, 2);
    gives_whole_nodes = false;

    for (const auto detail : {model::JobDetail::core_spec, model::JobDetail::thread_spec}) {
        const model::JobRequest before = request;
        request.details.set(detail, std::int64_t{0});
        expect_node(1, 100, 0);
        BOOST_TEST(!is_denied("job.exclusive"));
        allows_spec_resources = true;
        expect_node(16, 1600, 2);
        BOOST_TEST(is_denied("job.exclusive"));
        allows_spec_resources = false;
        request = before;
    }
}

BOOST_AUTO_TEST_CASE(no_memory_for_each_gpu_leaves_the_default_for_each_cpu) {
    request.required_nodes = "a1";
    request.exclusive = true;
    request.memory_per_tres = "gres:gpu:0";
    expect_node(16, 1600, 2);
    request.memory_per_tres = "gres:gpu:10";
    expect("memory", "mem", 20);
}

BOOST_AUTO_TEST_CASE(memory_of_all_gpus_of_whole_nodes_counts_once_for_each_model) {
    request.required_nodes = "a1";
    request.exclusive = true;
    request.memory.reset();
    request.memory_per_tres = "gres:gpu:100";
    request.tres_per_node = "gres:gpu:a100:1";
    expect("memory", "mem", 200);
    request.tres_per_node = "gres:gpu:1";
    expect("memory", "mem", 200);
    request.tres_per_node = "gres:gpu:a100:1,gres:gpu:v100:1";
    expect("memory", "mem", 400);
}

BOOST_AUTO_TEST_CASE(of_nodes_of_several_sizes_the_smallest_that_it_may_get_counts) {
    request.exclusive = true;
    expect_node(4, 400, 0);
    request.features = "big";
    expect_node(16, 1600, 2);
}

// slurmctld starts such a job all the same.
BOOST_AUTO_TEST_CASE(more_tasks_than_whole_nodes_hold_leave_their_gpus) {
    request.exclusive = true;
    request.features = "big";
    request.tasks = 16;
    expect_gpus(2);
    request.tasks = 1000;
    expect_gpus(2);
    request.exclusive = false;
    expect_gpus(0);
}

BOOST_AUTO_TEST_CASE(of_several_partitions_the_most_counts) {
    request.exclusive = true;
    for (const char* both : {"main,viz", "viz,main"}) {
        request.partition = both;
        expect_node(16, 1600, 2);
    }
    // slurmctld remembers whole nodes once it has tried such a partition.
    request.exclusive = false;
    partitions[1].gives_whole_nodes = true;
    request.required_nodes = "b1";
    expect_cpus(64);
}

BOOST_AUTO_TEST_CASE(a_range_of_whole_nodes_counts_with_its_upper_end) {
    request.exclusive = true;
    request.features = "big";
    request.max_nodes = 2;
    ask_tasks(2);
    expect("nodes", "node", 2);
    expect_node(32, 3200, 4);
    request.max_nodes = 1;
    expect_node(16, 1600, 2);
}

BOOST_AUTO_TEST_CASE(without_a_range_the_fewest_nodes_that_hold_the_job_count) {
    request.partition = "viz"; // 16 CPUs, 64000 MiB and 2 GPUs on each node
    request.memory = model::Memory{10, /*per_cpu=*/false};
    request.tres_per_node = "gres:gpu:1";
    const auto expect_nodes = [this](std::uint64_t nodes) {
        expect("nodes", "node", nodes);
        expect("memory", "mem", 10 * nodes);
    };
    ask_tasks(16);
    expect_nodes(1);
    ask_tasks(17);
    expect_nodes(2);
    expect_gpus(2);
    request.overcommit = true;
    expect_nodes(1);
    request.overcommit = false;
    ask_tasks(33); // never starts
    expect_nodes(1);

    ask_tasks(2);
    request.cpus_per_task = 8;
    request.min_cpus = 16;
    expect_nodes(1);
    request.cpus_per_task = 9;
    request.min_cpus = 18;
    expect_nodes(2);
    request.cpus_per_task.reset();

    ask_tasks(1);
    request.tres_per_node.reset();
    request.tres_per_job = "gres:gpu:2";
    expect_nodes(1);
    request.tres_per_job = "gres:gpu:3";
    expect_nodes(2);
    expect_gpus(3);
    request.tres_per_job.reset();

    request.tres_per_job = "gres:gpu:a100:3,gres:gpu:h100:1";
    expect("nodes", "node", 2);
    request.tres_per_job.reset();

    request.tasks = 16; // as a change of the tasks alone has it, with the CPUs of before
    expect("nodes", "node", 1);
    request.tasks = 17;
    expect("nodes", "node", 2);

    ask_tasks(2);
    request.tasks_per_tres = 1; // --ntasks-per-gpu
    expect("nodes", "node", 1);
    ask_tasks(3);
    expect("nodes", "node", 2);
    request.tasks_per_tres.reset();

    ask_tasks(2);
    request.memory = model::Memory{32000, /*per_cpu=*/true};
    expect("nodes", "node", 1);
    request.memory = model::Memory{32001, /*per_cpu=*/true};
    expect("nodes", "node", 2);
}

BOOST_AUTO_TEST_CASE(tasks_per_socket_need_the_sockets_of_several_nodes) {
    request.partition = "viz"; // 16 CPUs on each node
    request.memory = model::Memory{10, /*per_cpu=*/false};
    request.tasks_per_socket = 1;
    const auto expect_nodes = [this](std::uint32_t tasks, std::uint64_t nodes) {
        ask_tasks(tasks);
        expect("nodes", "node", nodes);
        expect("memory", "mem", 10 * nodes);
    };
    expect_nodes(3, 1); // the sockets are not known
    partitions[1].node_kinds[0].shape.sockets = 2;
    expect_nodes(2, 1);
    expect_nodes(3, 2);
    expect_nodes(4, 2);
    expect_nodes(5, 1); // never starts
    request.tasks_per_socket = 2;
    expect_nodes(4, 1);
    expect_nodes(5, 2);
    request.max_nodes = 1;
    expect_nodes(5, 1);
}

BOOST_AUTO_TEST_CASE(all_memory_is_that_of_the_smallest_nodes_that_it_may_get) {
    const auto expect_memory = [this](std::uint64_t mib) { expect("memory", "mem", mib); };
    partitions[0].node_memory_mib = partitions[0].min_node_memory_mib = 8000; // c1 is the first
    request.memory = model::Memory{0, /*per_cpu=*/false};
    expect_memory(8000);
    request.required_nodes = "b1";
    expect_memory(32000);
    expect_cpus(1);
    expect_gpus(0);
    request.required_nodes = "a1,a2";
    request.min_nodes = 2;
    expect_memory(128000);
    request.exclusive = true;
    expect_node(32, 128000, 4);
    request.exclusive = false;
    request.memory.reset();
    partitions[0].default_memory.reset();
    expect_memory(128000);
    shares_out_memory = false; // what a node has is not the job's
    expect_memory(16000);
}

BOOST_AUTO_TEST_CASE(rules_count_nodes_that_their_sender_does_not_see) {
    request.exclusive = true;
    request.required_nodes = "a1";
    records.private_data.nodes = true;
    expect_node(16, 1600, 2);
    partitions[0].is_hidden = true;
    expect_node(16, 1600, 2);
}

BOOST_AUTO_TEST_SUITE_END()

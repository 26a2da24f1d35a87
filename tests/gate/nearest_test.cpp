// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"

#include "qosgate/gate/answer.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::TresLimit;

namespace {

struct NearestSetup : test::GateSetup {
    NearestSetup() {
        qos(0).flags.deny_on_limit = true;
        records.associations[0].permitted_qos = {{"normal"}};
    }

    /// What the user reads.
    std::string suggestion() const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const gate::Resolved resolved(request, &c, provider, release);
        const auto strictness = limits::Strictness::as_configured;
        const gate::Outlook outlook = gate::look_ahead(resolved, request, c, release, strictness);
        return text::join(
            gate::suggestion_lines(outlook, {resolved, request, c, provider, release}, strictness), "; ");
    }

    /// The options in it.
    std::string nearest() const {
        const std::string line = suggestion();
        for (const std::string_view head : {"would be accepted with: ", "could start with: "})
            if (line.starts_with(head)) return line.substr(head.size());
        return line.empty() ? "none" : line;
    }

    /// As the clients send -n, -N and -c.
    void ask(std::optional<std::uint32_t> tasks, std::optional<std::uint32_t> nodes,
             std::optional<std::uint32_t> cpus_per_task = std::nullopt) {
        request.tasks = tasks;
        request.min_nodes = request.max_nodes = nodes;
        request.cpus_per_task = cpus_per_task;
        request.min_cpus = tasks.value_or(nodes.value_or(1)) * cpus_per_task.value_or(1);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(nearest_module, NearestSetup)

BOOST_AUTO_TEST_CASE(offers_fewer_gpus_and_less_time) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
    qos(0).limits.set(CountLimit::max_wall, 480);
    request.tres_per_job = "gres:gpu:3";
    request.time_limit = TimeLimit{600};

    BOOST_TEST(suggestion() == "would be accepted with: --gpus=2 --time=08:00:00");
}

BOOST_AUTO_TEST_CASE(names_the_option_for_gpus_that_the_user_wrote) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
    request.tres_per_node = "gres:gpu:3";

    request.submit_line = "sbatch --gres=gpu:3 job.sh";
    BOOST_TEST(nearest() == "--gres=gpu:2");

    request.submit_line = "sbatch --gpus-per-node 3 job.sh";
    BOOST_TEST(nearest() == "--gpus-per-node=2");
}

BOOST_AUTO_TEST_CASE(overrules_both_options_for_gpus_where_it_is_not_known_which_was_used) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
    request.tres_per_node = "gres:gpu:3";

    request.submit_line = "sbatch job.sh";
    BOOST_TEST(nearest() == "--gpus-per-node=2 --gres=none");

    request.submit_line = "sbatch --gpus-per-node=3 job.sh --gres=gpu:3";
    BOOST_TEST(nearest() == "--gpus-per-node=2 --gres=none");

    request.tres_per_node = "gres:gpu:3,gres:tmpfs:5";
    request.submit_line = "sbatch --gres=tmpfs:5 job.sh";
    BOOST_TEST(nearest() == "--gpus-per-node=2 --gres=tmpfs:5");
}

BOOST_AUTO_TEST_CASE(keeps_the_model_of_a_gpu) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 1);
    request.tres_per_node = "gres:gpu:a100:2";
    request.submit_line = "sbatch --gpus-per-node=a100:2";

    BOOST_TEST(nearest() == "--gpus-per-node=a100:1");
}

BOOST_AUTO_TEST_CASE(takes_from_the_model_of_which_there_are_most) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 3);
    request.tres_per_node = "gres:gpu:a100:1,gres:gpu:h100:3";
    request.submit_line = "sbatch --gres=gpu:a100:1,gpu:h100:3";

    BOOST_TEST(nearest() == "--gres=gpu:a100:1,gpu:h100:2");
}

BOOST_AUTO_TEST_CASE(rounds_down_over_several_nodes) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 5);
    ask(2, 2);
    request.tres_per_node = "gres:gpu:4";
    request.submit_line = "sbatch -N2 -n2 --gres=gpu:4";

    BOOST_TEST(nearest() == "--gres=gpu:2");
}

BOOST_AUTO_TEST_CASE(keeps_a_gpu_for_each_of_fewer_nodes_or_tasks) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 2);
    ask(std::nullopt, 3);
    request.tres_per_node = "gres:gpu:2";
    request.submit_line = "sbatch -N3 --gres=gpu:2";
    BOOST_TEST(nearest() == "--nodes=2 --gres=gpu:1");

    ask(3, std::nullopt);
    request.tres_per_node.reset();
    request.tres_per_task = "gres:gpu:1";
    BOOST_TEST(nearest() == "--ntasks=2");
}

BOOST_AUTO_TEST_CASE(narrows_a_range_of_nodes_before_it_takes_gpus_from_each) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 2);
    ask(4, 1);
    request.max_nodes = 4;
    request.tres_per_node = "gres:gpu:1";

    BOOST_TEST(suggestion() == "could start with: --nodes=1-2");
}

BOOST_AUTO_TEST_CASE(a_partition_has_its_say_about_nodes_before_limits_on_each) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 2);
    partitions[0].total_nodes = 2;
    ask(std::nullopt, 3);
    request.tres_per_node = "gres:gpu:1";
    request.submit_line = "sbatch -N3 --gres=gpu:1";

    BOOST_TEST(nearest() == "--nodes=2");
}

BOOST_AUTO_TEST_CASE(a_partition_has_its_say_first_where_both_hold_the_job) {
    qos(0).flags.deny_on_limit = false;
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 4);
    partitions[0].max_nodes = 2;
    ask(std::nullopt, 3);
    request.tres_per_node = "gres:gpu:2";
    request.submit_line = "sbatch -N3 --gres=gpu:2";

    BOOST_TEST(suggestion() == "could start with: --nodes=2");
}

BOOST_AUTO_TEST_CASE(offers_nothing_for_gpus_asked_for_in_two_ways) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 2);
    request.tres_per_job = "gres:gpu:4";
    request.tres_per_node = "gres:gpu:2";

    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(fewer_nodes_come_before_less_on_each) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 64 * 1024);
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    ask(3, 3);
    request.memory = model::Memory{40 * 1024, /*per_cpu=*/false};

    BOOST_TEST(nearest() == "--nodes=2 --mem=32G");
}

BOOST_AUTO_TEST_CASE(fewer_nodes_of_a_job_that_says_how_many_tasks_each_takes_have_fewer_tasks) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    ask(30, 3);
    request.tasks_per_node = 10;

    BOOST_TEST(nearest() == "--ntasks=20 --nodes=2");
}

BOOST_AUTO_TEST_CASE(narrows_a_range_of_nodes) {
    partitions[0].max_nodes = 2;
    ask(4, 1);
    request.max_nodes = 4;

    BOOST_TEST(suggestion() == "could start with: --nodes=1-2");
}

BOOST_AUTO_TEST_CASE(offers_fewer_tasks_then_fewer_cpus_per_task) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 8);
    ask(9, std::nullopt);
    BOOST_TEST(nearest() == "--ntasks=8");

    ask(1, std::nullopt, 12);
    BOOST_TEST(nearest() == "--cpus-per-task=8");

    ask(2, std::nullopt, 12);
    BOOST_TEST(nearest() == "--ntasks=1 --cpus-per-task=8");
}

BOOST_AUTO_TEST_CASE(changes_whichever_of_nodes_and_tasks_per_node_leaves_more) {
    ask(30, 3);
    request.tasks_per_node = 10;

    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 15);
    BOOST_TEST(nearest() == "--ntasks=15 --ntasks-per-node=5");

    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 20);
    BOOST_TEST(nearest() == "--ntasks=20 --nodes=2");

    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
    BOOST_TEST(nearest() == "--ntasks=2 --ntasks-per-node=2 --nodes=1");
}

BOOST_AUTO_TEST_CASE(a_job_of_nodes_without_tasks_gets_fewer_nodes_or_cpus) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 9);
    ask(std::nullopt, 3, 4);
    BOOST_TEST(nearest() == "--cpus-per-task=3");

    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
    ask(std::nullopt, 3);
    BOOST_TEST(nearest() == "--nodes=2");
}

BOOST_AUTO_TEST_CASE(leaves_sizes_alone_that_no_client_of_slurm_sends) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 8);
    ask(9, std::nullopt);
    request.min_cpus = 20;
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(offers_less_memory_in_the_option_used) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 4096);
    ask(2, std::nullopt);

    request.memory = model::Memory{3000, /*per_cpu=*/true};
    BOOST_TEST(nearest() == "--mem-per-cpu=2G");

    request.memory.reset();
    request.tres_per_job = "gres:gpu:2";
    request.memory_per_tres = "gres:gpu:5000";
    BOOST_TEST(nearest() == "--mem-per-gpu=2G");
}

BOOST_AUTO_TEST_CASE(offers_fewer_cpus_per_gpu) {
    release = limits::Release(24, 11);
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 9);
    ask(std::nullopt, std::nullopt);
    request.min_nodes = request.max_nodes = 1;
    request.tres_per_job = "gres:gpu:4";
    request.cpus_per_tres = "gres:gpu:3";

    BOOST_TEST(nearest() == "--cpus-per-gpu=2");
}

BOOST_AUTO_TEST_CASE(raises_to_a_minimum) {
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("gres/gpu"), 1);
    BOOST_TEST(nearest() == "--gres=gpu:1");

    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("node"), 2);
    BOOST_TEST(nearest() == "--ntasks=2 --nodes=2");
}

BOOST_AUTO_TEST_CASE(shortens_an_array_to_what_is_left) {
    qos(0).limits.set(CountLimit::max_submit_jobs_per_user, 10);
    records.qos[0].users[1000].submit_jobs = 6;

    request.array = "1-20%2";
    BOOST_TEST(nearest() == "--array=1-4%2");
    request.array = "1,3,5,7,9";
    BOOST_TEST(nearest() == "--array=1,3,5,7");
    request.array = "0-20:5";
    BOOST_TEST(nearest() == "--array=0-15:5");
    request.array = "7,10-30:10,40-50%3";
    BOOST_TEST(nearest() == "--array=7,10-30:10%3");
}

BOOST_AUTO_TEST_CASE(offers_nothing_where_nothing_can_help) {
    qos(0).limits.set(CountLimit::max_submit_jobs_per_user, 4);
    records.qos[0].users[1000].submit_jobs = 4;
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(drops_what_may_not_be_asked_for_at_all) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 0);
    request.tres_per_node = "gres:gpu:1";
    request.submit_line = "sbatch --gres=gpu:1";
    BOOST_TEST(nearest() == "--gres=none");

    request.tres_per_node.reset();
    request.tres_per_job = "gres:gpu:1";
    BOOST_TEST(nearest() == "--gpus=0");
}

BOOST_AUTO_TEST_CASE(minutes_limits_are_met_by_time) {
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("cpu"), 100);
    ask(3, std::nullopt);
    request.time_limit = TimeLimit{60};

    BOOST_TEST(nearest() == "--time=00:33:00");
}

BOOST_AUTO_TEST_CASE(offers_the_minutes_that_are_left_where_none_come_back) {
    records.enforce.safe = true;
    qos(0).flags.deny_on_limit = false;
    qos(0).limits.set(TresLimit::grp_tres_mins, tres("cpu"), 600);
    qos(0).usage.tres_minutes = model::TresCounts{56};
    ask(10, std::nullopt);
    request.time_limit = TimeLimit{60};
    BOOST_TEST(suggestion() == ""); // it waits

    qos(0).flags.no_decay = true;
    BOOST_TEST(suggestion() == "could start with: --time=00:54:00");

    qos(0).flags.no_decay = false;
    usage_lasts = true;
    BOOST_TEST(suggestion() == "could start with: --time=00:54:00");

    qos(0).usage.tres_minutes = model::TresCounts{600};
    BOOST_TEST(suggestion() == "");
}

BOOST_AUTO_TEST_CASE(offers_the_time_that_fits_after_usage_factor) {
    qos(0).flags = {.usage_factor_safe = true};
    qos(0).usage_factor = 2.0;
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{40};
    BOOST_TEST(suggestion() == "could start with: --time=00:30:00");

    qos(0).limits.set(CountLimit::grp_wall, 600);
    BOOST_TEST(suggestion() == "could start with: --time=00:15:00");
}

BOOST_AUTO_TEST_CASE(less_time_brings_the_least_time_down_with_it) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{180};

    request.time_min = TimeLimit{120};
    BOOST_TEST(nearest() == "--time=01:00:00 --time-min=01:00:00");

    request.time_min = TimeLimit{30};
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(offers_the_time_that_both_qos_and_partition_take) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    partitions[0].max_time = TimeLimit{30};
    request.time_limit = TimeLimit{120};

    BOOST_TEST(nearest() == "--time=00:30:00");
}

BOOST_AUTO_TEST_CASE(offers_what_the_partition_takes) {
    partitions[0].max_time = TimeLimit{30};
    request.time_limit = TimeLimit{120};
    BOOST_TEST(suggestion() == "could start with: --time=00:30:00");

    partitions[0].max_nodes = 2;
    ask(std::nullopt, 3);
    BOOST_TEST(suggestion() == "could start with: --nodes=2 --time=00:30:00");

    enforce_part_limits = model::EnforcePartLimits::all;
    partitions[0].max_nodes.reset();
    partitions[0].min_nodes = 4;
    request.time_limit = TimeLimit{20};
    BOOST_TEST(suggestion() == "would be accepted with: --nodes=4");
}

BOOST_AUTO_TEST_CASE(of_several_partitions_one_that_takes_the_job_is_enough_unless_all_have_to) {
    partitions[0].max_time = TimeLimit{30};
    partitions[1].max_time = TimeLimit{60};
    request.partition = "main,viz";
    request.time_limit = TimeLimit{120};
    BOOST_TEST(suggestion() == "could start with: --time=01:00:00");

    enforce_part_limits = model::EnforcePartLimits::all;
    BOOST_TEST(suggestion() == "would be accepted with: --time=00:30:00");
}

BOOST_AUTO_TEST_CASE(never_offers_what_would_wait_for_another_limit_for_good) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    qos(0).limits.set(CountLimit::max_jobs_per_user, 0);
    request.time_limit = TimeLimit{120};

    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(offers_nothing_with_which_the_tasks_do_not_fit_on_the_nodes) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{120};
    ask(4, 2);

    request.tasks_per_node = 1;
    BOOST_TEST(nearest() == "none");
    request.tasks_per_node = 2;
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(offers_nothing_that_the_partitions_nodes_do_not_have) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{120};
    partitions[0].tres = "cpu=256,mem=187.50G,node=4,billing=256,gres/gpu=16";
    partitions[0].total_cpus = 256;

    ask(16, 2);
    request.tres_per_task = "gres:gpu:1";
    BOOST_TEST(nearest() == "none");
    ask(8, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
    request.tres_per_task.reset();
    ask(129, 2);
    BOOST_TEST(nearest() == "none");
    ask(128, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(256, std::nullopt);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(257, std::nullopt);
    BOOST_TEST(nearest() == "--ntasks=256 --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(counts_the_nodes_that_tasks_fill) {
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("node"), 60);
    partitions[0].total_cpus = 128;
    request.time_limit = TimeLimit{120};

    ask(8, std::nullopt, 4);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(9, std::nullopt, 4);
    BOOST_TEST(nearest() == "--time=00:30:00");
    ask(6, std::nullopt, 5);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(7, std::nullopt, 5); // 35 CPUs; a node takes 6 tasks
    BOOST_TEST(nearest() == "--time=00:30:00");

    ask(8, std::nullopt);
    request.tres_per_task = "gres:gpu:1";
    partitions[0].tres = "cpu=128,node=4,gres/gpu=32";
    BOOST_TEST(nearest() == "--time=01:00:00");
    partitions[0].tres = "cpu=128,node=4,gres/gpu=16";
    BOOST_TEST(nearest() == "--time=00:30:00");
    request.overcommit = true; // tasks share CPUs, and no GPUs
    request.min_cpus = 1;
    BOOST_TEST(nearest() == "--time=00:30:00");
    ask(17, std::nullopt);
    request.min_cpus = 1;
    BOOST_TEST(nearest() == "none");
    request.overcommit = false;

    ask(8, std::nullopt);
    request.tres_per_task.reset();
    request.tres_per_job = "gres:gpu:8";
    BOOST_TEST(nearest() == "--time=00:30:00");
}

BOOST_AUTO_TEST_CASE(counts_the_memory_of_each_node_that_tasks_fill) {
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("mem"), 60 * 1000);
    partitions[0].total_cpus = 128;
    request.time_limit = TimeLimit{120};
    request.memory = model::Memory{1000, /*per_cpu=*/false};

    ask(32, std::nullopt);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(33, std::nullopt);
    BOOST_TEST(nearest() == "--time=00:30:00");
}

BOOST_AUTO_TEST_CASE(counts_resources_per_socket_for_all_sockets_of_a_node) {
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("gres/gpu"), 60);
    request.time_limit = TimeLimit{120};
    ask(2, 1);
    request.tres_per_socket = "gres:gpu:1";
    request.sockets_per_node = 1;
    BOOST_TEST(nearest() == "--time=01:00:00");

    partitions[0].sockets_per_node = 2; // the job may get both
    BOOST_TEST(nearest() == "--time=00:30:00");
}

BOOST_AUTO_TEST_CASE(takes_no_more_tasks_than_nodes_within_a_limit_hold) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    qos(0).limits.set(CountLimit::max_wall, 60);
    partitions[0].total_cpus = 128;
    request.time_limit = TimeLimit{120};

    ask(12, std::nullopt, 5);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(13, std::nullopt, 5);
    BOOST_TEST(nearest() == "--ntasks=12 --nodes=2 --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(no_cpus_for_a_task_are_one) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    partitions[0].total_cpus = 128;
    request.time_limit = TimeLimit{120};
    request.memory = model::Memory{1000, /*per_cpu=*/true};
    ask(1, 1);
    request.cpus_per_task = 0;
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(a_job_for_one_node_may_have_the_largest) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    partitions[0].total_cpus = 128;
    partitions[0].largest.cpus = 64;
    request.time_limit = TimeLimit{120};

    ask(1, 1, 64);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(1, 1, 65);
    BOOST_TEST(nearest() == "none");
    ask(2, 2, 64); // of which there may be one
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(offers_nothing_that_one_node_cannot_hold) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    partitions[0].total_cpus = 128;
    partitions[0].node_memory_mib = 64000;
    partitions[0].tres = "cpu=128,node=4,gres/gpu=32";
    request.time_limit = TimeLimit{120};
    const auto offers = [this] { return nearest() == "--time=01:00:00"; };

    ask(2, 1, 8);
    request.memory = model::Memory{8000, /*per_cpu=*/true};
    BOOST_TEST(!offers()); // a node takes one task
    request.memory->mib = 4000;
    BOOST_TEST(offers());
    ask(1, 1, 9);
    request.memory->mib = 7111;
    BOOST_TEST(offers());
    request.memory->mib = 7112;
    BOOST_TEST(!offers());
    request.memory = model::Memory{64000, /*per_cpu=*/false};
    BOOST_TEST(offers());
    request.memory->mib = 64001;
    BOOST_TEST(!offers());
    request.memory.reset();

    ask(2, 1, 6);
    request.tasks_per_node = 5; // slurmctld wants room for all five
    BOOST_TEST(offers());
    ask(2, 1, 7);
    BOOST_TEST(!offers());
    request.overcommit = true;
    request.min_cpus = 1;
    BOOST_TEST(!offers());
    request.tasks_per_node.reset();
    BOOST_TEST(offers());
    request.overcommit = false;

    request.submit_line = "sbatch --gres=gpu:8";
    request.tres_per_node = "gres:gpu:8";
    BOOST_TEST(offers());
    request.tres_per_node = "gres:gpu:9";
    BOOST_TEST(!offers());
    request.tres_per_node.reset();
    request.sockets_per_node = 2;
    request.tres_per_socket = "gres:gpu:4";
    BOOST_TEST(offers());
    request.tres_per_socket = "gres:gpu:5";
    BOOST_TEST(!offers());
}

BOOST_AUTO_TEST_CASE(every_node_gets_a_gpu_of_those_for_the_job) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 1);
    ask(4, 2);
    request.tasks_per_node = 2;
    request.tres_per_job = "gres:gpu:2";
    BOOST_TEST(nearest() == "--ntasks=2 --nodes=1 --gpus=1");

    request.tres_per_job = "gres:gpu:4";
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 2);
    BOOST_TEST(nearest() == "--gpus=2");
}

BOOST_AUTO_TEST_CASE(offers_nothing_for_gpus_of_tasks_or_models_that_bring_cpus_along) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{120};
    ask(4, 2);
    request.tres_per_task = "gres:gpu:1";
    BOOST_TEST(nearest() == "--time=01:00:00");
    request.cpus_per_tres = "gres:gpu:2";
    BOOST_TEST(nearest() == "none");

    request.tres_per_task.reset();
    request.tres_per_node = "gres:gpu:a100:1";
    BOOST_TEST(nearest() == "--time=01:00:00");
    request.tres_per_node = "gres:gpu:a100:1,gres:gpu:h100:1";
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(offers_nothing_that_the_selection_has_no_nodes_for) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{120};
    request.tasks_per_node = 2;
    request.tres_per_job = "gres:gpu:2";
    ask(2, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
    release = limits::Release(24, 11);
    BOOST_TEST(nearest() == "none");
    ask(4, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(offers_nothing_for_whole_nodes) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{120};
    request.exclusive = true;

    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(offers_nothing_for_a_part_of_a_heterogeneous_job) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{120};
    request.is_het_part = true;

    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_SUITE_END()

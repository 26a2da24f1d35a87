// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/suggestion_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::JobRequest;
using model::TresLimit;

BOOST_FIXTURE_TEST_SUITE(suggestion, test::SuggestionSetup)

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
    ask_gpus(&JobRequest::tres_per_node, "gres:gpu:1");
    request.submit_line = "sbatch --gres=gpu:1";
    BOOST_TEST(nearest() == "--gres=none");

    ask_gpus(&JobRequest::tres_per_job, "gres:gpu:1");
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
    BOOST_TEST(suggestion() == ""); // the job only waits

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

BOOST_AUTO_TEST_SUITE_END()

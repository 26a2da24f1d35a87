// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which size is suggested to a job with several CPUs per task.
#include "qosgate/gate/predict/suggestion.hpp"
#include "support/suggestion_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::TresLimit;

namespace {

/// A provider that allows less each time it is asked.
class ShrinkingQuota final : public quota::QuotaProvider {
  public:
    explicit ShrinkingQuota(const quota::LocalRecords& records) : records_(records) {}

    Result<model::AccountView> check(const quota::Lookup& lookup) const override {
        ++calls;
        quota::LocalRecords now = records_;
        now.qos[0].qos.limits.set(CountLimit::max_wall, 1000 - 10 * calls);
        return quota::LocalQuota(now).check(lookup);
    }

    mutable unsigned calls = 0;

  private:
    const quota::LocalRecords& records_;
};

struct SizeSuggestion : test::SuggestionSetup {
    /// 20 tasks in partitions main and viz, where no node may give the job more than 8 CPUs.
    void ask_for_spread_tasks(std::uint32_t minutes) {
        qos(0).limits.set(TresLimit::max_tres_per_node, tres("cpu"), 8);
        ask(20, std::nullopt);
        request.time_limit = TimeLimit{minutes};
        request.partition = "main,viz";
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(size_suggestion, SizeSuggestion)

BOOST_AUTO_TEST_CASE(offers_fewer_tasks_of_several_cpus_and_then_fewer_cpus) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 20);
    ask(4, std::nullopt, 8);
    BOOST_TEST(nearest() == "--ntasks=2");
    ask(7, std::nullopt, 3);
    BOOST_TEST(nearest() == "--ntasks=6");
    ask(5, std::nullopt, 4);
    BOOST_TEST(nearest() == "none"); // accepted unchanged

    ask(1, std::nullopt, 32);
    BOOST_TEST(nearest() == "--cpus-per-task=20");
    ask(std::nullopt, std::nullopt, 21);
    BOOST_TEST(nearest() == "--cpus-per-task=20");
    ask(2, std::nullopt, 21);
    BOOST_TEST(nearest() == "--ntasks=1 --cpus-per-task=20");
}

BOOST_AUTO_TEST_CASE(offers_fewer_tasks_on_the_nodes_that_the_job_names) {
    const auto limit_cpus = [this](std::uint64_t max) {
        qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), max);
    };
    limit_cpus(4);
    ask(8, std::nullopt);
    request.min_nodes = 2; // which the clients count
    request.required_nodes = "n[1-2]";
    BOOST_TEST(nearest() == "--ntasks=4");
    request.required_nodes = "n[1-2";
    BOOST_TEST(nearest() == "none");
    request.required_nodes = "n[1-2]";
    limit_cpus(1); // each of the nodes has a task
    BOOST_TEST(nearest() == "none");
    request.required_nodes.reset();
    BOOST_TEST(nearest() == "--ntasks=1 --nodes=1");

    // Fewer nodes, but not fewer than are named.
    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    ask(8, 4);
    request.required_nodes = "n[1-2]";
    BOOST_TEST(nearest() == "--nodes=2");
    request.required_nodes = "n[1-3]";
    BOOST_TEST(nearest() == "none");
    ask(1, 1);
    request.required_nodes = "n1";
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 4);
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("cpu"), 2);
    BOOST_TEST(nearest() == "none"); // whether the node has them is not known here
}

BOOST_AUTO_TEST_CASE(offers_more_nodes_for_a_minimum_of_memory_to_a_job_that_takes_all_of_each) {
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("mem"), 300000);
    ask(1, std::nullopt);
    request.memory = model::Memory{0, /*per_cpu=*/false};
    BOOST_TEST(nearest() == "--ntasks=2 --nodes=2");
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("mem"), 256000);
    BOOST_TEST(suggestion() == "");
}

BOOST_AUTO_TEST_CASE(offers_fewer_gpus_where_tasks_follow_from_them) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 3);
    ask(8, std::nullopt); // which the clients count
    ask_gpus(&model::JobRequest::tres_per_job, "gres:gpu:4");
    request.tasks_per_tres = 2;
    BOOST_TEST(nearest() == "--ntasks=6 --gpus=3");
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 4);
    BOOST_TEST(nearest() == "--ntasks=4 --gpus=2");
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 1);
    BOOST_TEST(nearest() == "none");
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 4);
    ask_gpus(&model::JobRequest::tres_per_node, "gres:gpu:4");
    BOOST_TEST(nearest() == "--ntasks=4 --gpus-per-node=2 --gres=none");
    ask(9, std::nullopt); // no client counts so
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(leaves_cpus_alone_that_every_node_must_have) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 20);
    ask(1, std::nullopt, 32);
    request.min_cpus_per_node = 33; // --mincpus, which the clients raise to --cpus-per-task
    BOOST_TEST(nearest() == "none");
    request.min_cpus_per_node = 32;
    BOOST_TEST(nearest() == "--cpus-per-task=20");
    request.submit_line = "sbatch -c 32 --mincpus=32 job.sh";
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(names_the_nodes_with_more_tasks_where_the_commands_may_have_cut_them) {
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("cpu"), 2);
    ask(1, 1); // may have been -n1 -N1-2
    request.max_nodes = 1;
    BOOST_TEST(nearest() == "--ntasks=2 --nodes=1");
    ask(1, std::nullopt);
    BOOST_TEST(nearest() == "--ntasks=2");
}

BOOST_AUTO_TEST_CASE(spreads_tasks_over_more_nodes_where_each_node_is_limited) {
    qos(0).limits.set(TresLimit::max_tres_per_node, tres("cpu"), 8);
    ask(8, std::nullopt);
    BOOST_TEST(nearest() == "none"); // accepted unchanged
    ask(9, std::nullopt);
    BOOST_TEST(nearest() == "--nodes=2");
    ask(20, 1);
    BOOST_TEST(nearest() == "--nodes=3");
    ask(20, 2);
    BOOST_TEST(nearest() == "--nodes=3");
    ask(32, std::nullopt);
    BOOST_TEST(nearest() == "--nodes=4"); // all nodes that exist
    ask(35, std::nullopt);                // slurmctld rounds the count per node down
    BOOST_TEST(nearest() == "--nodes=4");
    ask(36, std::nullopt);
    BOOST_TEST(nearest() == "--ntasks=32 --nodes=4");

    ask(4, std::nullopt, 8);
    BOOST_TEST(nearest() == "--nodes=4");
    ask(4, std::nullopt, 6);
    BOOST_TEST(nearest() == "--nodes=4");
    ask(1, std::nullopt, 16); // one task cannot use two nodes
    BOOST_TEST(nearest() == "--cpus-per-task=8");
}

BOOST_AUTO_TEST_CASE(spreads_tasks_that_are_counted_for_each_node) {
    qos(0).limits.set(TresLimit::max_tres_per_node, tres("cpu"), 8);
    ask(32, 2);
    request.tasks_per_node = 16;
    BOOST_TEST(nearest() == "--ntasks=32 --ntasks-per-node=8 --nodes=4");
    ask(34, 2);
    request.tasks_per_node = 17;
    BOOST_TEST(nearest() == "--ntasks=32 --ntasks-per-node=8 --nodes=4"); // all nodes that exist
    partitions[0].total_nodes = 2;
    BOOST_TEST(nearest() == "--ntasks=16 --ntasks-per-node=8");
}

BOOST_AUTO_TEST_CASE(counts_tasks_per_node_where_the_command_leaves_the_sum_to_slurmctld) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
    ask(std::nullopt, 2); // sbatch -N2 --ntasks-per-node=2 since 23.02
    request.tasks_per_node = 2;
    request.min_cpus = 4;
    BOOST_TEST(nearest() == "--ntasks=2 --ntasks-per-node=1");
    request.min_cpus = 5; // no command sends this
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(spreads_only_as_far_as_other_limits_and_partitions_allow) {
    qos(0).limits.set(TresLimit::max_tres_per_node, tres("cpu"), 8);
    ask(20, std::nullopt);
    BOOST_TEST(nearest() == "--nodes=3");
    partitions[0].max_nodes = 2;
    BOOST_TEST(nearest() == "--ntasks=16 --nodes=2");
    partitions[0].max_nodes.reset();
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    BOOST_TEST(nearest() == "--ntasks=8");
}

BOOST_AUTO_TEST_CASE(spreads_over_the_nodes_of_the_partition_that_is_fitted) {
    ask_for_spread_tasks(30);
    partitions[0].max_nodes = 2;
    partitions[0].max_time = TimeLimit{60}; // viz is tried first
    BOOST_TEST(nearest() == "--nodes=3");
    partitions[1].max_nodes = 2;
    BOOST_TEST(nearest() == "--ntasks=16 --nodes=2");
}

BOOST_AUTO_TEST_CASE(looks_ahead_forty_times_at_most) {
    ask_for_spread_tasks(1000);
    for (const char* name : {"p1", "p2", "p3", "p4"}) {
        partitions.push_back(partitions[1]);
        partitions.back().name = name;
        *request.partition += "," + std::string(name);
    }
    const ShrinkingQuota provider(records);
    const auto c = cluster();
    const auto asked = gate::resolve(request, {c, provider, release});
    const auto forecast = gate::predict(asked, limits::Strictness::as_configured);
    provider.calls = 0;
    BOOST_TEST(!gate::find_suggestion(forecast, asked).has_value());
    BOOST_TEST(provider.calls == 40u);
}

BOOST_AUTO_TEST_CASE(spreads_memory_that_follows_cpus_and_resources_of_tasks) {
    qos(0).limits.set(TresLimit::max_tres_per_node, tres("mem"), 8000);
    ask(16, std::nullopt); // 1000 MiB per CPU
    BOOST_TEST(nearest() == "--nodes=2");
    request.memory = model::Memory{2000, /*per_cpu=*/true};
    BOOST_TEST(nearest() == "--nodes=4");
    request.memory = model::Memory{9000, /*per_cpu=*/false};
    BOOST_TEST(nearest() == "--mem=8000M");

    request.memory.reset();
    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(TresLimit::max_tres_per_node, tres("gres/gpu"), 2);
    ask(6, std::nullopt);
    request.tres_per_task = "gres:gpu:1";
    BOOST_TEST(nearest() == "--nodes=3");
    request.tres_per_task.reset();
    request.tres_per_node = "gres:gpu:4";
    request.submit_line = "sbatch --gres=gpu:4";
    BOOST_TEST(nearest() == "--gres=gpu:2");
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a job comes to at the least that takes whole nodes, whichever it gets.
#include "qosgate/gate/decide/resolve.hpp"
#include "support/node_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::JobDetail;
using model::JobRequest;
using model::Memory;
using model::TresLimit;

namespace {

struct WholeNodes : test::NodeSetup {
    WholeNodes() { request.exclusive = true; }

    std::uint64_t cpus() const { return attempted("cpu"); }
    template <typename Value>
    std::uint64_t cpus_with(Value JobRequest::*field, const Value& value) {
        const Value before = std::exchange(request.*field, value);
        const std::uint64_t counted = cpus();
        request.*field = before;
        return counted;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(whole_nodes, WholeNodes)

BOOST_AUTO_TEST_CASE(without_a_choice_it_is_the_smallest_node) {
    BOOST_TEST(cpus() == 4u);
    ask_nodes(3);
    BOOST_TEST(cpus() == 4u + 16u + 16u);
    request.exclusive = false;
    BOOST_TEST(cpus() == 3u);
    partitions[0].gives_whole_nodes = true;
    BOOST_TEST(cpus() == 36u);
}

BOOST_AUTO_TEST_CASE(a_job_that_asks_for_no_node_at_least_takes_one) {
    request.min_nodes = 0;
    request.max_nodes = 1;
    BOOST_TEST(cpus() == 4u);
}

BOOST_AUTO_TEST_CASE(specialized_resources_take_whole_nodes_where_slurm_conf_allows_them) {
    request.exclusive = false;
    request.required_nodes = "b1";
    for (const JobDetail detail : {JobDetail::core_spec, JobDetail::thread_spec})
        for (const std::int64_t number : {0, 1, 31}) {
            JobRequest with = request;
            with.details.set(detail, number);
            std::swap(request, with);
            allows_spec_resources = true;
            BOOST_TEST(cpus() == 64u);
            allows_spec_resources = false; // slurmctld ignores it
            BOOST_TEST(cpus() == 1u);
            std::swap(request, with);
        }
    allows_spec_resources = true;
    BOOST_TEST(cpus() == 1u);
}

BOOST_AUTO_TEST_CASE(select_linear_gives_whole_nodes_to_every_job) {
    request.exclusive = false;
    request.required_nodes = "b1";
    BOOST_TEST(cpus() == 1u);
    gives_whole_nodes = true;
    BOOST_TEST(cpus() == 64u);
    request.required_nodes = "a1";
    BOOST_TEST(attempted("gres/gpu") == 2u);
}

BOOST_AUTO_TEST_CASE(memory_per_gpu_counts_the_gpus_of_the_nodes) {
    request.required_nodes = "a1";
    request.tres_per_job = "gres:gpu:1";
    request.memory_per_tres = "gres:gpu:100";
    BOOST_TEST(attempted("mem") == 200u);
    request.exclusive = false;
    BOOST_TEST(attempted("mem") == 100u);
}

BOOST_AUTO_TEST_CASE(the_nodes_of_a_nodelist_count) {
    const auto with = [this](const char* list) {
        return cpus_with(&JobRequest::required_nodes, std::optional<std::string>(list));
    };
    BOOST_TEST(with("c1") == 4u);
    BOOST_TEST(with("b1") == 64u);
    BOOST_TEST(with("a1,b1") == 80u);
    BOOST_TEST(with("nope") == 4u);
    request.min_nodes = 2; // and the smallest of the others
    BOOST_TEST(with("b1") == 68u);
    BOOST_TEST(with("c1") == 20u);
    request.partition = "viz"; // it has no such node, and slurmctld refuses the job
    BOOST_TEST(with("b1") == 32u);
}

BOOST_AUTO_TEST_CASE(the_nodes_of_an_exclusion_do_not_count) {
    for (const auto& [list, least] : {std::pair("b1", 4u), std::pair("c1", 16u), std::pair("c1,a1", 16u),
                                      std::pair("c1,a[1-2]", 64u), std::pair("c1,nope", 16u)}) {
        request.excluded_nodes = list;
        BOOST_TEST(cpus() == least);
    }
}

BOOST_AUTO_TEST_CASE(nodes_without_the_features_do_not_count) {
    const auto with = [this](const char* features) {
        return cpus_with(&JobRequest::features, std::optional<std::string>(features));
    };
    BOOST_TEST(with("big") == 16u);
    BOOST_TEST(with("[big]") == 4u); // which nodes these are is not known
    partitions[0].featured_kinds.clear();
    BOOST_TEST(with("big") == 4u);
}

BOOST_AUTO_TEST_CASE(nodes_with_too_little_memory_do_not_count) {
    const auto with = [this](std::uint64_t mib) {
        return cpus_with(&JobRequest::memory, std::optional(Memory{mib, /*per_cpu=*/false}));
    };
    BOOST_TEST(with(8000) == 4u);
    BOOST_TEST(with(8001) == 16u);
    request.features.reset();
    request.excluded_nodes = "c1,a1,a2";
    BOOST_TEST(with(32000) == 64u);
}

BOOST_AUTO_TEST_CASE(nodes_without_the_gpus_do_not_count) {
    const auto with = [this](std::optional<std::string> JobRequest::*field, const char* gpus) {
        return cpus_with(field, std::optional<std::string>(gpus));
    };
    BOOST_TEST(with(&JobRequest::tres_per_job, "gres:gpu:1") == 16u);
    BOOST_TEST(with(&JobRequest::tres_per_job, "gres:gpu:2") == 16u);
    BOOST_TEST(with(&JobRequest::tres_per_job, "gres:gpu:3") == 32u); // two nodes
    BOOST_TEST(with(&JobRequest::tres_per_node, "gres:gpu:1") == 16u);
    BOOST_TEST(with(&JobRequest::tres_per_node, "gres:gpu:0") == 4u);
}

BOOST_AUTO_TEST_CASE(nodes_that_leave_no_room_for_the_rest_of_the_tasks_do_not_count) {
    ask_tasks(16);
    request.max_nodes = 1;
    BOOST_TEST(cpus() == 16u);
    ask_tasks(17);
    BOOST_TEST(cpus() == 64u);
    request.max_nodes.reset(); // two nodes may have them
    BOOST_TEST(cpus() == 17u);
}

BOOST_AUTO_TEST_CASE(gpus_and_memory_by_cpu_are_those_of_the_nodes) {
    BOOST_TEST(attempted("gres/gpu") == 0u);
    BOOST_TEST(attempted("mem") == 400u);
    request.required_nodes = "a1";
    BOOST_TEST(attempted("gres/gpu") == 2u);
    BOOST_TEST(attempted("gres/gpu:a100") == 2u);
    BOOST_TEST(attempted("mem") == 1600u);
    request.memory = Memory{300, /*per_cpu=*/false};
    BOOST_TEST(attempted("mem") == 300u);
    request.memory.reset();
    shares_out_memory = false;
    BOOST_TEST(attempted("mem") == 100u);
}

BOOST_AUTO_TEST_CASE(of_hidden_nodes_no_size_is_told) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 63);
    request.required_nodes = "b1";
    BOOST_TEST(test::first_line(decide().message).find("this job asks for 64") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(decide().message.empty());
    partitions[0].is_hidden = false;
    records.private_data.nodes = true; // the smallest node counts all the same
    BOOST_TEST(decide().message.empty());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 3);
    BOOST_TEST(test::first_line(decide().message).find("this job asks for 4") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_that_never_starts_on_whole_nodes_is_told_why) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 2);
    request.required_nodes = "a1";
    BOOST_TEST(decide().message.empty());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 1);
    BOOST_TEST(test::first_line(decide().message) ==
               "this job can never start as it is: GPUs per job in QOS normal: limit 1, this job asks for 2, "
               "because --exclusive takes whole nodes, of at least 2 GPUs in all (QOSMaxGRESPerJob)");
    request.required_nodes = "c1";
    BOOST_TEST(decide().message.empty());

    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 6400);
    request.required_nodes = "b1";
    BOOST_TEST(decide().message.empty());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 6399);
    BOOST_TEST(test::first_line(decide().message) ==
               "this job can never start as it is: memory per job in QOS normal: limit 6399M, this job asks "
               "for 6400M, because --exclusive takes whole nodes, of at least 64 CPUs in all "
               "(QOSMaxMemoryPerJob)");
}

BOOST_AUTO_TEST_CASE(what_takes_whole_nodes_is_told_by_its_name) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 63);
    request.exclusive = false;
    request.required_nodes = "b1";
    const auto tells = [this] {
        const auto answer = decide().message;
        const std::string line = answer.empty() ? "" : answer.front();
        const std::size_t because = std::min(line.find(", because "), line.size());
        return line.substr(because, line.find(" whole nodes") - because);
    };
    BOOST_TEST(tells() == "");
    gives_whole_nodes = true;
    BOOST_TEST(tells() == ", because SelectType=select/linear gives");
    partitions[0].gives_whole_nodes = true;
    BOOST_TEST(tells() == ", because partition main gives");
    request.exclusive = true;
    BOOST_TEST(tells() == ", because --exclusive takes");
    allows_spec_resources = true;
    request.details.set(JobDetail::thread_spec, std::int64_t{1});
    BOOST_TEST(tells() == ", because --thread-spec takes");
    request.details.set(JobDetail::core_spec, std::int64_t{0});
    BOOST_TEST(tells() == ", because --core-spec takes");
    allows_spec_resources = false;
    BOOST_TEST(tells() == ", because --exclusive takes");
}

BOOST_AUTO_TEST_CASE(in_a_list_of_more_than_eight_partitions_nodes_are_not_looked_at) {
    std::string list = "main";
    for (const char* name : {"p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"}) {
        model::Partition copy = partitions[0];
        copy.name = name;
        partitions.push_back(std::move(copy));
        request.partition = list + "," + name;
        if (name != std::string("p9")) list = *request.partition;
    }
    request.required_nodes = "b1";
    BOOST_TEST(cpus() == 4u); // the minimum of any node
    request.memory = Memory{64001, /*per_cpu=*/false};
    BOOST_TEST(decide().message.empty());

    request.partition = list;
    BOOST_TEST(test::first_line(decide().message) ==
               "node b1 (--nodelist) has 32000M of memory; this job asks for 64001M");
    request.memory.reset();
    BOOST_TEST(cpus() == 64u);
}

BOOST_AUTO_TEST_CASE(what_was_counted_before_nodes_were_hidden_is_not_told_afterwards) {
    request.required_nodes = "b1";
    const quota::LocalQuota provider(records);
    const auto c = cluster();
    const auto resolved = gate::resolve(request, {c, provider, release});
    model::AccountView view = resolved.view();
    const std::size_t cpu = view.tres->find(model::TresKind::cpu).value();

    BOOST_TEST(resolved.counter.min_of_whole_nodes(view, 0)->at(cpu) == 64u);
    view.hidden.nodes = true;
    BOOST_TEST(resolved.counter.min_of_whole_nodes(view, 0)->at(cpu) == 4u); // the minimum of any node
    view.hidden.nodes = false;
    BOOST_TEST(resolved.counter.min_of_whole_nodes(view, 0)->at(cpu) == 64u);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The partition that is suggested to a job whose own partition does not have the nodes that it asks for.
#include "support/node_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace qg;
using model::JobRequest;
using model::Memory;

namespace {

/// The job is in viz, which has b1 and c1 now: no GPUs. Big has a1 and a2; main, the default, is for others.
struct FittingSetup : test::NodeSetup {
    FittingSetup() {
        partitions.push_back(partitions[1]);
        partitions[2].name = "big";
        const model::NodeKind& wide = node_table.kinds[1];
        const model::NodeKind& small = node_table.kinds[2];
        set(partitions[1], {wide, small}, {2, 3}, 4);
        partitions[1].node_memory_mib = 32000;
        partitions[0].is_for_everybody = false;
        request.partition = "viz";
    }

    /// The partition; "none", or "silent" if nothing is wrong.
    std::string suggested(const policy::Policy* policy = nullptr) const {
        const model::Decision decision = decide(policy);
        if (decision.message.empty()) return "silent";
        for (const std::string& line : decision.message)
            if (const auto at = line.find("with: "); at != line.npos) return line.substr(at + 6);
        return "none";
    }
    template <typename Value>
    std::string with(Value JobRequest::*field, Value value) {
        const Value before = std::exchange(request.*field, std::move(value));
        std::string found = suggested();
        request.*field = before;
        return found;
    }
    using Text = std::optional<std::string>;
};

const std::string in_big = "--partition=big";

} // namespace

BOOST_FIXTURE_TEST_SUITE(fitting_partition, FittingSetup)

BOOST_AUTO_TEST_CASE(one_with_the_gpus) {
    BOOST_TEST(suggested() == "silent");
    BOOST_TEST(with(&JobRequest::tres_per_job, Text("gres:gpu:4")) == in_big);
    BOOST_TEST(with(&JobRequest::tres_per_job, Text("gres:gpu:5")) == "none");
    BOOST_TEST(with(&JobRequest::tres_per_node, Text("gres:gpu:2")) == in_big);
    BOOST_TEST(with(&JobRequest::tres_per_node, Text("gres:gpu:3")) == "none");
}

BOOST_AUTO_TEST_CASE(one_with_the_memory) {
    BOOST_TEST(with(&JobRequest::memory, std::optional(Memory{32000})) == "silent");
    BOOST_TEST(with(&JobRequest::memory, std::optional(Memory{32001})) == in_big);
    BOOST_TEST(with(&JobRequest::memory, std::optional(Memory{64001})) == "none");
}

BOOST_AUTO_TEST_CASE(one_with_the_features_but_not_for_an_unknown_one) {
    BOOST_TEST(with(&JobRequest::features, Text("big")) == in_big);
    BOOST_TEST(with(&JobRequest::features, Text("bigger")) == "none");
}

BOOST_AUTO_TEST_CASE(one_with_the_nodes_of_nodelist) {
    BOOST_TEST(with(&JobRequest::required_nodes, Text("b1")) == "silent");
    BOOST_TEST(with(&JobRequest::required_nodes, Text("a1")) == in_big);
    BOOST_TEST(with(&JobRequest::required_nodes, Text("a1,b1")) == "none");
}

BOOST_AUTO_TEST_CASE(one_with_the_cpus_on_a_node) {
    request.partition = "big";
    request.cpus_per_task = request.min_cpus = 17;
    BOOST_TEST(suggested() == "--partition=viz");
    request.cpus_per_task = request.min_cpus = 65;
    BOOST_TEST(suggested() == "none");
}

BOOST_AUTO_TEST_CASE(none_that_would_not_start_it_or_that_may_not_be_suggested) {
    request.tres_per_job = "gres:gpu:2";
    BOOST_TEST(suggested() == in_big);
    BOOST_TEST(suggested(test::load_site("site { suggest_partition = {} }").get()) == "none");
    BOOST_TEST(suggested(test::load_site("site { suggest_partition = { 'big' } }").get()) == in_big);
    partitions[2].max_time = TimeLimit{60};
    request.time_limit = TimeLimit{60};
    BOOST_TEST(suggested() == in_big);
    request.time_limit = TimeLimit{61};
    BOOST_TEST(suggested() == "none");
    request.time_limit.reset();
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("gres/gpu"), 1);
    BOOST_TEST(suggested() == "none");
}

BOOST_AUTO_TEST_CASE(one_with_the_sockets_if_it_is_known_to_have_them) {
    for (model::NodeKind& kind : partitions[1].node_kinds)
        kind.shape = {1, 4, 1};
    request.sockets_per_node = 2;
    BOOST_TEST(suggested() == "none");
    partitions[2].node_kinds[0].shape = {2, 8, 1};
    BOOST_TEST(suggested() == in_big);
    request.sockets_per_node = 3;
    BOOST_TEST(suggested() == "none");
}

BOOST_AUTO_TEST_CASE(it_is_told_whether_the_job_is_refused_as_it_is) {
    request.tres_per_job = "gres:gpu:2";
    BOOST_TEST(test::last_line(decide().message) == "would be accepted with: --partition=big");
    request.priority = 0; // no nodes are selected for a held job
    BOOST_TEST(test::last_line(decide().message) == "could start with: --partition=big");
    request.priority.reset();
    request.tres_per_job.reset();
    partitions[1].max_memory = Memory{16000};
    request.memory = Memory{16001}; // accepted, and never started
    BOOST_TEST(test::last_line(decide().message) == "could start with: --partition=big");
}

BOOST_AUTO_TEST_SUITE_END()

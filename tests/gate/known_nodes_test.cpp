// SPDX-License-Identifier: GPL-2.0-or-later
//
// Suggestions for jobs that need certain nodes: only what certainly fits on nodes is suggested.
#include "support/gate_setup.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/nodes/placement.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;

namespace {

/// A job of two hours while one hour is allowed. Main has two nodes with a100 and the feature big, and two
/// with v100, one of which has the feature ib; viz has none of these.
struct NodesSetup : test::GateSetup {
    NodesSetup() {
        request.time_limit = TimeLimit{120};
        qos(0).limits.set(CountLimit::max_wall, 60);
        qos(0).flags.deny_on_limit = true;
        partitions[0].node_kinds = {node(2, "a100", ""), node(2, "v100", "")};
        partitions[0].featured_kinds = {node(2, "a100", "big,ib"), node(1, "v100", "ib"),
                                        node(1, "v100", "")};
        partitions[1].node_kinds = partitions[1].featured_kinds = {node(4, "", "")};
    }

    static model::NodeKind node(std::uint32_t count, const char* model, const char* features) {
        model::NodeKind kind{.count = count, .cpus = 64, .memory_mib = 256000, .features = features};
        if (*model != '\0') kind.gres = {{"gpu", model, 4}};
        return kind;
    }
    void ask_nodes(std::uint32_t nodes) {
        request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = nodes;
    }
    bool suggests(std::string_view options) const {
        return text::join(decide().message, "\n").find("would be accepted with: " + std::string(options)) !=
               std::string::npos;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(known_nodes, NodesSetup)

BOOST_AUTO_TEST_CASE(features_that_too_few_nodes_have_end_suggestions) {
    BOOST_TEST(suggests("--time=01:00:00"));
    for (const auto& [features, most] :
         {std::pair("big", 2u), std::pair("ib", 3u), std::pair("big&ib", 2u), std::pair("big|ib", 3u),
          std::pair("nope", 0u), std::pair("nope|ib", 3u), std::pair("nope&ib", 0u),
          std::pair("(big|nope)&ib", 2u), std::pair("big&nope|ib", 3u), std::pair("ib|big&nope", 0u)})
        for (std::uint32_t nodes = 1; nodes <= 4; ++nodes)
            BOOST_TEST_CONTEXT(features << " on " << nodes) {
                request.features = features;
                ask_nodes(nodes);
                BOOST_TEST(suggests("--time=01:00:00") == (nodes <= most));
                BOOST_TEST(suggests("--qos=moonlight") == (nodes <= most));
            }
    ask_nodes(1);
    for (const char* features : {"[big|ib]", "big*2", "!big", "(big|ib"}) {
        request.features = features;
        BOOST_TEST(!suggests("--"));
    }
    request.features = "big";
    partitions[0].featured_kinds.clear(); // not known
    BOOST_TEST(!suggests("--"));
    request.features.reset();
    request.prefer = "nope"; // a preference, not a requirement
    BOOST_TEST(suggests("--time=01:00:00"));
}

BOOST_AUTO_TEST_CASE(models_that_too_few_nodes_have_end_suggestions) {
    request.tres_per_node = "gres:gpu:a100:1";
    ask_nodes(2);
    BOOST_TEST(suggests("--time=01:00:00"));
    ask_nodes(3);
    BOOST_TEST(!suggests("--"));
    request.tres_per_node = "gres:gpu:1";
    BOOST_TEST(suggests("--time=01:00:00"));

    request.tres_per_node = "gres:gpu:a100:1";
    partitions[0].node_kinds[1] = node(2, "", "");
    partitions[0].node_kinds[1].gres = {{"gpu", "", 4}}; // of an unknown model
    BOOST_TEST(!suggests("--"));
    ask_nodes(2);
    BOOST_TEST(suggests("--time=01:00:00"));
}

BOOST_AUTO_TEST_CASE(another_partition_is_named_where_its_nodes_hold_the_resources) {
    qos(0).limits = model::Limits(records.tres->size());
    enforce_part_limits = model::EnforcePartLimits::all;
    partitions[0].deny_qos = {"normal"};
    partitions[0].deny_accounts = {"hpc-users"};
    partitions[1].total_cpus = 256;
    BOOST_TEST(suggests("--partition=viz"));
    request.tres_per_node = "gres:gpu:1";
    BOOST_TEST(!suggests("--partition"));
    partitions[1].node_kinds = {node(1, "a100", ""), node(3, "", "")};
    BOOST_TEST(suggests("--partition=viz"));
    ask_nodes(2);
    BOOST_TEST(!suggests("--partition"));
    ask_nodes(1);
    request.features = "big";
    BOOST_TEST(!suggests("--partition"));
    partitions[1].featured_kinds = {node(1, "a100", "big"), node(3, "", "")};
    BOOST_TEST(suggests("--partition=viz"));
    partitions[1].node_kinds.clear();
    BOOST_TEST(!suggests("--partition"));
}

BOOST_AUTO_TEST_CASE(where_nodes_are_named_all_must_be_such_as_the_job_needs) {
    request.required_nodes = "n1";
    BOOST_TEST(suggests("--time=01:00:00"));
    request.features = "ib";
    BOOST_TEST(!suggests("--")); // n1 may be the one without it
    request.features.reset();
    request.tres_per_node = "gres:gpu:a100:1";
    BOOST_TEST(!suggests("--"));
    request.tres_per_node = "gres:gpu:4";
    BOOST_TEST(suggests("--time=01:00:00"));
    request.tres_per_node = "gres:gpu:5";
    BOOST_TEST(!suggests("--"));
    request.tres_per_node.reset();
    partitions[0].node_kinds[1].cpus = 8;
    request.min_nodes = request.max_nodes = 1;
    request.tasks = request.min_cpus = 8;
    BOOST_TEST(suggests("--time=01:00:00"));
    request.tasks = request.min_cpus = 9;
    BOOST_TEST(!suggests("--"));
    request.required_nodes.reset();
    BOOST_TEST(suggests("--time=01:00:00"));
}

BOOST_AUTO_TEST_CASE(excluded_nodes_may_be_any_of_a_kind) {
    request.tres_per_node = "gres:gpu:a100:1";
    request.excluded_nodes = "n1";
    BOOST_TEST(suggests("--time=01:00:00"));
    ask_nodes(2);
    BOOST_TEST(!suggests("--"));
    ask_nodes(1);
    request.excluded_nodes = "n[1-2]";
    BOOST_TEST(!suggests("--"));
    request.excluded_nodes = "n[1-"; // not readable
    BOOST_TEST(!suggests("--"));
    request.tres_per_node.reset();
    request.excluded_nodes = "n1";
    BOOST_TEST(suggests("--time=01:00:00"));

    request.details.set(model::JobDetail::excluded_nodes, std::string("n[1-")); // by a rule
    BOOST_TEST(!suggests("--"));
}

BOOST_AUTO_TEST_CASE(all_models_of_a_job_must_be_on_one_node) {
    request.tres_per_job = "gres:gpu:a100:1";
    BOOST_TEST(suggests("--time=01:00:00"));
    request.tres_per_job = "gres:gpu:a100:1,gres:gpu:v100:1";
    BOOST_TEST(!suggests("--"));
    partitions[0].node_kinds[0].gres.push_back({"gpu", "v100", 1});
    BOOST_TEST(suggests("--time=01:00:00"));
}

BOOST_AUTO_TEST_CASE(gpus_bring_cpus_and_memory_along) {
    request.tres_per_job = "gres:gpu:2";
    for (const auto& [per_gpu, fits] : {std::pair("gres:gpu:32", true), std::pair("gres:gpu:33", true),
                                        std::pair("gres:gpu:64", true), std::pair("gres:gpu:65", false)}) {
        request.cpus_per_tres = per_gpu; // 64 CPUs per node, several nodes
        BOOST_TEST(suggests("--time=01:00:00") == fits, per_gpu);
    }
    request.cpus_per_tres.reset();
    request.memory_per_tres = "gres:gpu:256000";
    BOOST_TEST(suggests("--time=01:00:00"));
    request.memory_per_tres = "gres:gpu:256001";
    BOOST_TEST(!suggests("--"));
}

BOOST_AUTO_TEST_CASE(kinds_that_only_features_tell_apart_say_what_they_have) {
    partitions[0].node_kinds.clear(); // too many kinds of nodes
    request.features = "big";
    request.tres_per_node = "gres:gpu:4";
    BOOST_TEST(suggests("--time=01:00:00"));
    request.tres_per_node = "gres:gpu:5";
    BOOST_TEST(!suggests("--"));
}

BOOST_AUTO_TEST_CASE(eight_features_are_looked_for) {
    request.features = "big&big&big&big&big&big&big&big";
    BOOST_TEST(suggests("--time=01:00:00"));
    *request.features += "&big";
    BOOST_TEST(!suggests("--"));
}

BOOST_AUTO_TEST_CASE(nothing_is_offered_in_a_partition_for_groups) {
    BOOST_TEST(suggests("--time=01:00:00"));
    partitions[0].allow_groups = {"lab"}; // it is not known whether the user is in one of them
    BOOST_TEST(!suggests("--time"));
    BOOST_TEST(!suggests("--qos"));
    request.partition = "viz";
    BOOST_TEST(suggests("--time=01:00:00"));
    request.partition = "viz,main";
    BOOST_TEST(!suggests("--"));
}

BOOST_AUTO_TEST_CASE(a_partition_beside_one_for_groups_is_offered) {
    qos(0).limits = model::Limits(records.tres->size());
    enforce_part_limits = model::EnforcePartLimits::all;
    partitions[0].allow_groups = {"lab"};
    partitions[0].max_time = TimeLimit{60};
    partitions[1].total_cpus = 256;
    BOOST_TEST(suggests("--partition=viz"));
    BOOST_TEST(!suggests("--time"));
}

BOOST_AUTO_TEST_CASE(a_job_fills_nodes_with_the_cpus_that_its_gpus_bring) {
    // Three nodes with a GPU; each brings 2 CPUs.
    partitions[0].featured_kinds = partitions[0].node_kinds = {node(3, "a100", "")};
    request.tres_per_node = "gres:gpu:1";
    request.cpus_per_tres = "gres:gpu:2";
    const auto fits = [&](limits::Release in, std::uint32_t tasks) {
        release = in;
        request.tasks = request.min_cpus = tasks;
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        return gate::place(gate::resolve(request, {c, provider, release})).has_value();
    };
    BOOST_TEST(fits(limits::Release(24, 11, 5), 6));
    BOOST_TEST(!fits(limits::Release(24, 11, 5), 7));
    BOOST_TEST(fits(limits::Release(22, 5, 8), 7));
}

BOOST_AUTO_TEST_CASE(a_job_fills_as_many_nodes_as_its_partition_raises_it_to) {
    partitions[0].min_nodes = 3;
    const auto nodes_in = [&](limits::Release in) {
        release = in;
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const auto placed = gate::place(gate::resolve(request, {c, provider, release}));
        return placed.value().request.min_nodes.value();
    };
    for (const limits::Release each : {limits::Release(22, 5), limits::Release(26, 5)}) {
        qos(0).flags.partition_min_nodes = false;
        BOOST_TEST(nodes_in(each) == 3u);
        qos(0).flags.partition_min_nodes = true; // exempts the job from 26.05 on
        BOOST_TEST(nodes_in(each) == (each == limits::Release(26, 5) ? 1u : 3u));
    }
}

BOOST_AUTO_TEST_SUITE_END()

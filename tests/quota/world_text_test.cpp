// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/world_text.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/quota/anonymous_world.hpp"
#include "qosgate/quota/scenario.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

using namespace qg;
using quota::World;

namespace {

World parsed(std::string_view text) {
    auto world = quota::parse_world(text);
    BOOST_TEST_REQUIRE(world.has_value(), (world ? "" : world.error().message));
    return *std::move(world);
}

std::string world_error_of(std::string_view text) {
    const auto world = quota::parse_world(text);
    return world ? "" : world.error().message;
}

/// As a whole cluster has it: two accounts with one user each.
constexpr std::string_view captured = R"({
    "tres": ["cpu", "mem", "energy", "node", "billing", "gres/gpu"], "captured_at": 1795422207,
    "enforce": ["associations", "limits", "qos"], "private_data": {"usage": true},
    "cluster": {"name": "blue", "default_memory": {"mib": 1000, "per_cpu": true}, "enforce_part_limits": "any",
                "nodes": {"kinds": [{"count": 2, "cpus": 64, "gres": [{"name": "gpu", "count": 4}]}], "kind_of": [0, 0]},
                "names": {"reservations": [{"name": "maint", "users": ["-ana"], "accounts": ["astro"]}]}},
    "qos": [{"name": "gpu", "flags": ["DenyOnLimit"], "priority": 7, "LimitFactor": 2.5, "MaxWall": 60,
             "MaxTRESPerUser": {"gres/gpu": 4, "cpu": 0},
             "usage": {"jobs": 1, "tres": {"cpu": 3}, "users": {"1000": {"jobs": 1}}, "accounts": {"astro": {"jobs": 1}}}}],
    "associations": [{"level": "root", "account": "root"},
                     {"level": "account", "account": "astro", "parent": 0, "GrpTRES": {"cpu": 9}},
                     {"level": "user", "user": 1000, "user_name": "ana", "account": "astro", "parent": 1,
                      "permitted_qos": ["gpu"], "default_qos": "gpu", "MaxJobs": 0},
                     {"level": "user", "user": 1000, "user_name": "ana", "account": "astro", "parent": 1,
                      "partition": "viz", "permitted_qos": []},
                     {"level": "account", "account": "bio", "parent": 0},
                     {"level": "user", "user": 1000, "account": "bio", "parent": 4}],
    "users": [{"user": 1000, "name": "ana", "default_account": "bio", "coordinates": ["astro"],
               "groups": ["ana", "gpu-users", "bio", "Gpu-Users"]},
              {"user": 1001, "name": "ben", "admin_level": "operator", "groups": []}, {"user": 1002}],
    "partitions": [{"name": "viz", "max_time": 1440, "max_nodes": 0, "allow_accounts": ["astro"], "nodes": [{"last": 1}],
                    "allow_groups": ["gpu-users", "bio"], "cpus_per_gpu": 4, "memory_per_gpu_mib": 2048,
                    "priority_job_factor": 7, "selection": {"unit": "socket"}},
                   {"name": "main", "is_default": true, "takes_jobs": false}]})";

model::AccountView view_of(const World& world, std::string_view account, std::string_view partition) {
    const model::Cluster cluster = quota::make_cluster(world);
    const std::vector partitions{cluster.partitions.find(partition)};
    quota::Lookup lookup;
    lookup.user_id = 1000;
    lookup.account = account;
    lookup.partitions = partitions;
    const auto view = quota::LocalQuota(world.records).check(lookup);
    BOOST_TEST_REQUIRE(view.has_value());
    return *view;
}

} // namespace

BOOST_AUTO_TEST_SUITE(world_text)

BOOST_AUTO_TEST_CASE(what_is_written_reads_as_the_same) {
    const std::string written = quota::to_json(parsed(captured));
    BOOST_TEST(quota::to_json(parsed(written)) == written);

    const World world = parsed(written);
    BOOST_TEST(world.captured_at == 1795422207);
    BOOST_TEST(world.records.private_data.usage);
    const bool is_any = world.cluster.enforce_part_limits == model::EnforcePartLimits::any;
    BOOST_TEST(is_any);
    BOOST_TEST(world.cluster.names->reservations.front().users.front() == "-ana");
    const quota::LocalQos& qos = world.records.qos.front();
    BOOST_TEST(qos.qos.priority == 7u);
    BOOST_TEST(qos.qos.limit_factor.value() == 2.5);
    BOOST_TEST(qos.qos.limits.get(model::TresLimit::max_tres_per_user, 0).value() == 0u); // not unset
    BOOST_TEST(!qos.qos.limits.get(model::TresLimit::max_tres_per_user, 1).has_value());
    BOOST_TEST(qos.users.at(1000).jobs == 1u);
    const model::Partition& viz = *world.partitions.front();
    BOOST_TEST(viz.max_nodes.value() == 0u);
    BOOST_TEST(viz.nodes.front().last == 1u);
    BOOST_TEST(viz.takes_jobs);
    BOOST_TEST(text::join(viz.allow_groups, " ") == "gpu-users bio");
    BOOST_TEST(viz.cpus_per_gpu.value() == 4u);
    BOOST_TEST(viz.memory_per_gpu_mib.value() == 2048u);
    BOOST_TEST(viz.priority_job_factor == 7u);
    BOOST_TEST(
        (viz.selection == model::Selection{model::AllocatedUnit::socket, /*shares_out_memory=*/false}));
    BOOST_TEST(!world.partitions.back()->cpus_per_gpu.has_value());
    BOOST_TEST(!world.partitions.back()->takes_jobs);
    BOOST_TEST(quota::make_cluster(world).partitions.default_partition()->name == "main");
    const auto& users = world.records.users;
    BOOST_TEST(text::join(users[0].groups.value(), " ") == "ana gpu-users bio Gpu-Users");
    BOOST_TEST(users[1].groups.value().empty()); // known to have none
    BOOST_TEST(!users[2].groups.has_value());
}

BOOST_AUTO_TEST_CASE(each_user_has_a_chain_of_their_own) {
    const World world = parsed(captured);
    const auto in_main = view_of(world, "astro", "main");
    BOOST_TEST_REQUIRE(in_main.associations.size() == 3u);
    BOOST_TEST(in_main.associations[0].limits.get(model::CountLimit::max_jobs).value() == 0u);
    BOOST_TEST(in_main.associations[1].account == "astro");
    const bool may_run = in_main.job_qos.problem == model::QosProblem::none;
    BOOST_TEST(may_run);

    const auto in_viz = view_of(world, "astro", "viz"); // an association of its own, without any QOS
    BOOST_TEST(in_viz.associations[0].partition == "viz");
    BOOST_TEST(!in_viz.job_qos.qos.has_value());

    BOOST_TEST(view_of(world, "", "main").account == "bio"); // the default account is not the first one
    BOOST_TEST(view_of(world, "nosuch", "main").associations.empty());
}

BOOST_AUTO_TEST_CASE(without_parents_associations_are_one_chain) {
    const World world = parsed(R"({"associations": [{"level": "user", "user": 1000, "account": "astro"},
        {"level": "account", "account": "astro"}, {"level": "root", "account": "root"}]})");
    BOOST_TEST(world.records.associations[0].parent.value() == 1u);
    BOOST_TEST(world.records.associations[1].parent.value() == 2u);
    BOOST_TEST(!world.records.associations[2].parent.has_value());
    // A captured list may be a part of the tree.
    BOOST_TEST(!parsed(R"({"captured_at": 1, "associations": [{"level": "user", "user": 1, "account": "a"},
        {"level": "user", "user": 2, "account": "a"}]})")
                    .records.associations[0]
                    .parent.has_value());
}

BOOST_AUTO_TEST_CASE(wrong_values_are_named_by_their_path) {
    BOOST_TEST(world_error_of(R"({"associations": [{"level": "root", "parent": 1}]})") ==
               "scenario: associations: there is no parent 1");
    BOOST_TEST(world_error_of(R"({"partitions": [{"nam": "x"}]})") ==
               "partitions[0].nam: is not a key of a scenario here; did you mean name?");
    BOOST_TEST(world_error_of(R"({"cluster": {"billing": "most"}})") ==
               "cluster.billing: must be sum, largest or largest_and_gres");
    BOOST_TEST(world_error_of(R"({"cluster": {"nodes": {"kind_of": [65536]}}})") ==
               "cluster.nodes.kind_of[0]: is too large (at most 65535)");
}

BOOST_AUTO_TEST_CASE(indices_must_lead_somewhere) {
    const auto of_nodes = [](const std::string& kind_of) {
        return world_error_of(
            R"({"cluster": {"nodes": {"kinds": [{"count": 1}, {"count": 1}], "kind_of": [)" + kind_of +
            "]}}}");
    };
    BOOST_TEST(of_nodes("0, 1") == "");
    BOOST_TEST(of_nodes("0, 2") == "cluster: nodes.kind_of has the kind 2, and there are 2 kinds");
    BOOST_TEST(world_error_of(R"({"cluster": {"nodes": {"kind_of": [0]}}})") ==
               "cluster: nodes.kind_of has the kind 0, and there are 0 kinds");
    const auto of_names = [](const std::string& names) {
        return world_error_of(R"({"cluster": {"names": {"nodes": ["a", "b"], "node_indices": )" + names +
                              "}}}");
    };
    BOOST_TEST(of_names("[0, 1]") == "");
    BOOST_TEST(of_names("[0]") == "cluster: names.nodes and names.node_indices must have the same length");
    const auto of_parents = [](const char* first, const char* second, const char* third) {
        return world_error_of(
            text::format(R"({{"associations": [{{"level": "user", "user": 1, "account": "a", "parent": {}}},
            {{"level": "account", "account": "a", "parent": {}}}, {{"level": "user", "user": 2, "account": "a", "parent": {}}}]}})",
                         first, second, third));
    };
    const std::string circle = "scenario: associations: the parents of some lead in a circle";
    BOOST_TEST(of_parents("1", "2", "1") == circle);
    BOOST_TEST(of_parents("0", "0", "0") == circle);
    BOOST_TEST(of_parents("2", "2", "1") == circle);
}

BOOST_AUTO_TEST_CASE(an_anonymous_world_names_nobody_and_stays_the_same_otherwise) {
    World world = parsed(captured);
    quota::make_anonymous(world);
    const std::string written = quota::to_json(world);
    for (const std::string_view name :
         {"ana", "ben", "astro", "bio", "1000", "1001", "gpu-users", "Gpu-Users"})
        BOOST_TEST(written.find(std::string("\"") + std::string(name) + "\"") == std::string::npos, name);
    BOOST_TEST(written.find("\"-user1\"") != std::string::npos);

    const quota::LocalRecords& records = world.records;
    BOOST_TEST(records.users.front().name == "user1");
    BOOST_TEST(records.users.front().id == 100001u);
    // A group with the name of a user or an account gets the same new one; large letters make another group.
    const std::string& bio = records.associations[4].link.account;
    BOOST_TEST(text::join(records.users.front().groups.value(), " ") == "user1 group1 " + bio + " group2");
    BOOST_TEST(records.associations[2].user_id == 100001u);
    BOOST_TEST(records.associations[2].link.user == "user1");
    BOOST_TEST(records.associations[2].link.account == records.associations[1].link.account);
    BOOST_TEST(records.associations[0].link.account == "root");
    BOOST_TEST(records.qos.front().users.at(100001).jobs == 1u);
    BOOST_TEST(records.qos.front().accounts.contains(records.associations[1].link.account));
    BOOST_TEST(world.partitions.front()->allow_accounts.front() == records.associations[1].link.account);
    BOOST_TEST(text::join(world.partitions.front()->allow_groups, " ") == "group1 " + bio);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/scenario.hpp"

#include "qosgate/model/qos_flags.hpp"
#include "qosgate/quota/scenario_node.hpp"
#include "qosgate/quota/world_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace qg::quota {
namespace scenario {

model::TresCounts read_counts(const Node& node, const model::TresCatalogue& catalogue) {
    model::TresCounts counts(catalogue.size());
    node.for_each_key([&](const std::string& name, const Node& value) {
        const auto index = catalogue.find(name);
        if (!index) value.fail("is not a TRES of this scenario: " + text::join(catalogue.names(), ", "));
        counts[*index] = value.number();
    });
    return counts;
}

namespace {

bool read_limit(const std::string& name, const Node& node, const model::TresCatalogue& catalogue,
                model::Limits& limits) {
    if (const auto count = model::find_count_limit(name)) {
        limits.set(*count, node.number());
        return true;
    }
    const auto tres_limit = model::find_tres_limit(name);
    if (!tres_limit) return false;
    node.for_each_key([&](const std::string& tres, const Node& value) {
        const auto index = catalogue.find(tres);
        if (!index) value.fail("is not a TRES of this scenario: " + text::join(catalogue.names(), ", "));
        limits.set(*tres_limit, *index, value.number());
    });
    return true;
}

std::vector<Key> usage_keys(model::Usage& usage, const model::TresCatalogue& catalogue) {
    return {
        {"jobs", [&](const Node& v) { usage.jobs = v.number(); }},
        {"submit_jobs", [&](const Node& v) { usage.submit_jobs = v.number(); }},
        {"wall_minutes", [&](const Node& v) { usage.wall_minutes = v.number(); }},
        {"tres", [&](const Node& v) { usage.tres = read_counts(v, catalogue); }},
        {"tres_run_minutes", [&](const Node& v) { usage.tres_run_minutes = read_counts(v, catalogue); }},
        {"tres_minutes", [&](const Node& v) { usage.tres_minutes = read_counts(v, catalogue); }},
    };
}

void read_qos_usage(const Node& node, const model::TresCatalogue& catalogue, LocalQos& qos) {
    std::vector<Key> keys = usage_keys(qos.qos.usage, catalogue);
    keys.push_back({"users", [&](const Node& users) {
                        users.for_each_key([&](const std::string& name, const Node& value) {
                            const auto uid = text::parse_unsigned(name);
                            if (!uid || *uid > 0xffffffffu) value.fail("must be named by a user id");
                            read_object(value,
                                        usage_keys(qos.users[static_cast<std::uint32_t>(*uid)], catalogue));
                        });
                    }});
    keys.push_back({"accounts", [&](const Node& accounts) {
                        accounts.for_each_key([&](const std::string& name, const Node& value) {
                            read_object(value, usage_keys(qos.accounts[name], catalogue));
                        });
                    }});
    read_object(node, keys);
}

void read_flag(const Node& node, model::QosFlags& flags) {
    const std::string name = node.text();
    for (const model::QosFlagFacts& flag : model::qos_flag_facts) {
        if (flag.member == nullptr || !text::iequals(flag.name, name)) continue;
        flags.*flag.member = true;
        return;
    }
    node.fail("'" + text::printable(name) + "' is not a flag that limits a job");
}

LocalQos read_qos(const Node& node, const model::TresCatalogue& catalogue) {
    LocalQos qos;
    qos.qos.limits = model::Limits(catalogue.size());
    read_object(node,
                {
                    {"name", [&](const Node& v) { qos.qos.name = v.text(); }},
                    {"flags",
                     [&](const Node& v) {
                         v.for_each_element([&](const Node& flag) { read_flag(flag, qos.qos.flags); });
                     }},
                    {"priority", [&](const Node& v) { qos.qos.priority = v.number32(); }},
                    {"UsageFactor", [&](const Node& v) { qos.qos.usage_factor = v.real(); }},
                    {"LimitFactor", [&](const Node& v) { qos.qos.limit_factor = v.real(); }},
                    {"usage", [&](const Node& v) { read_qos_usage(v, catalogue, qos); }},
                },
                [&](const std::string& name, const Node& v) {
                    return read_limit(name, v, catalogue, qos.qos.limits);
                });
    return qos;
}

model::AssociationLevel read_level(const Node& node) {
    const std::string name = node.text();
    if (name == "user") return model::AssociationLevel::user;
    if (name == "account") return model::AssociationLevel::account;
    if (name == "root") return model::AssociationLevel::root;
    node.fail("must be user, account or root");
}

LocalAssociation read_association(const Node& node, const model::TresCatalogue& catalogue) {
    LocalAssociation association;
    association.link.limits = model::Limits(catalogue.size());
    read_object(
        node,
        {
            {"level", [&](const Node& v) { association.link.level = read_level(v); }},
            {"user", [&](const Node& v) { association.user_id = v.number32(); }},
            {"user_name", [&](const Node& v) { association.link.user = v.text(); }},
            {"account", [&](const Node& v) { association.link.account = v.text(); }},
            {"partition", [&](const Node& v) { association.link.partition = v.text(); }},
            {"parent", [&](const Node& v) { association.parent = v.number32(); }},
            {"default_qos", [&](const Node& v) { association.default_qos = v.text(); }},
            {"permitted_qos", [&](const Node& v) { read_value(v, association.permitted_qos); }},
            {"usage", [&](const Node& v) { read_object(v, usage_keys(association.link.usage, catalogue)); }},
        },
        [&](const std::string& name, const Node& v) {
            return read_limit(name, v, catalogue, association.link.limits);
        });
    return association;
}

std::shared_ptr<const model::Partition> read_partition(const Node& node) {
    auto partition = std::make_shared<model::Partition>();
    read_value(node, *partition);
    return partition;
}

model::Enforce read_enforce(const Node& node) {
    model::Enforce enforce;
    node.for_each_element([&](const Node& v) {
        const std::string name = v.text();
        if (name == "associations")
            enforce.associations = true;
        else if (name == "limits")
            enforce.limits = true;
        else if (name == "qos")
            enforce.qos = true;
        else if (name == "safe")
            enforce.safe = true;
        else
            v.fail("must be associations, limits, qos or safe");
    });
    return enforce;
}

/// The catalogue of a scenario. Scenarios in one file nearly always share it, so the last one is cached.
std::shared_ptr<const model::TresCatalogue> read_catalogue(const Node& node) {
    std::vector<std::string> names;
    node.for_each_element([&](const Node& v) { names.push_back(v.text()); });
    return std::make_shared<const model::TresCatalogue>(std::move(names));
}

/// Numbers of the cluster's description that are indices must be some.
void read_cluster(const Node& node, model::Cluster& cluster) {
    read_value(node, cluster);
    const model::NodeTable& nodes = cluster.nodes;
    for (const std::uint16_t kind : nodes.kind_of)
        if (kind >= nodes.kinds.size())
            node.fail(text::format("nodes.kind_of has the kind {}, and there are {} kinds", kind,
                                   nodes.kinds.size()));
    if (cluster.names && cluster.names->nodes.size() != cluster.names->node_indices.size())
        node.fail("names.nodes and names.node_indices must have the same length");
}

/// Whether the parents of associations lead back to where they began. Cost: linear.
bool leads_in_a_circle(std::span<const LocalAssociation> all) {
    std::vector<std::size_t> seen_from(all.size(), all.size());
    for (std::size_t begin = 0; begin < all.size(); ++begin)
        for (std::optional<std::size_t> at = begin; at; at = all[*at].parent) {
            if (seen_from[*at] == begin) return true;
            if (seen_from[*at] != all.size()) break;
            seen_from[*at] = begin;
        }
    return false;
}

} // namespace

std::vector<Key> world_keys(const Node& root, World& world) {
    LocalRecords& records = world.records;
    if (const auto tres = root.find("tres")) records.tres = read_catalogue(*tres);
    return {
        {"tres", [](const Node&) {}},
        {"enforce", [&](const Node& v) { records.enforce = read_enforce(v); }},
        {"qos",
         [&](const Node& v) {
             v.for_each_element([&](const Node& q) { records.qos.push_back(read_qos(q, *records.tres)); });
         }},
        {"associations",
         [&](const Node& v) {
             v.for_each_element(
                 [&](const Node& a) { records.associations.push_back(read_association(a, *records.tres)); });
         }},
        {"partitions",
         [&](const Node& v) {
             v.for_each_element([&](const Node& p) { world.partitions.push_back(read_partition(p)); });
         }},
        {"users", [&](const Node& v) { read_value(v, records.users); }},
        {"user", [&](const Node& v) { read_value(v, world.job_user.emplace()); }},
        {"private_data", [&](const Node& v) { read_value(v, records.private_data); }},
        {"cluster", [&](const Node& v) { read_cluster(v, world.cluster); }},
        {"reservations",
         [&](const Node& v) {
             if (!world.cluster.names) world.cluster.names.emplace();
             read_value(v, world.cluster.names->reservations);
         }},
        {"captured_at", [&](const Node& v) { world.captured_at = static_cast<std::time_t>(v.number32()); }},
    };
}

void link_chain(const Node& root, World& world) {
    auto& chain = world.records.associations;
    for (const LocalAssociation& association : chain)
        if (association.parent && *association.parent >= chain.size())
            root.fail(text::format("associations: there is no parent {}", *association.parent));
    if (leads_in_a_circle(chain)) root.fail("associations: the parents of some lead in a circle");
    const auto has_parent = [](const LocalAssociation& a) { return a.parent.has_value(); };
    if (world.captured_at != 0 || std::ranges::any_of(chain, has_parent)) return;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
        chain[i].parent = i + 1;
}

} // namespace scenario

namespace {

using scenario::Node;

World read_world(const Node& root, World world) {
    scenario::read_object(root, scenario::world_keys(root, world));
    scenario::link_chain(root, world);
    return world;
}

} // namespace

model::Cluster make_cluster(const World& world) {
    model::Cluster cluster = world.cluster;
    if (cluster.name.empty()) cluster.name = "cluster";
    if (!cluster.names) cluster.names.emplace();
    cluster.names->reservations_read_at = world.captured_at;
    const bool has_default =
        std::ranges::any_of(world.partitions, [](const auto& p) { return p->is_default; });
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    for (const auto& given : world.partitions) {
        model::Partition partition = *given;
        partition.is_default = has_default ? given->is_default : partitions.empty();
        partitions.push_back(std::make_shared<const model::Partition>(std::move(partition)));
    }
    cluster.partitions = model::PartitionTable(std::move(partitions));
    return cluster;
}

void set_job_user(World& world, std::uint32_t user_id) {
    if (!world.job_user) return;
    auto& users = world.records.users;
    std::erase_if(users, [&](const UserRecord& user) { return user.id == user_id; });
    users.push_back(*std::exchange(world.job_user, std::nullopt));
    users.back().id = user_id;
}

Result<World> parse_world(std::string_view text, World otherwise) {
    return scenario::parse(text, [&](const Node& root) { return read_world(root, std::move(otherwise)); });
}

} // namespace qg::quota

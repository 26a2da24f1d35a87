// SPDX-License-Identifier: GPL-2.0-or-later
//
// GateSetup: a small cluster in memory, for tests of decisions about jobs.
#pragma once

#include "qosgate/gate/gate.hpp"
#include "qosgate/quota/local_quota.hpp"

#include <boost/test/unit_test.hpp>

namespace qg::test {

/// Lines of an answer; the test fails if there is none.
inline std::string first_line(const std::vector<std::string>& lines) {
    BOOST_TEST_REQUIRE(!lines.empty());
    return lines.front();
}
inline std::string last_line(const std::vector<std::string>& lines) {
    BOOST_TEST_REQUIRE(!lines.empty());
    return lines.back();
}

/// A provider that knows no limits yet.
class NoQuotaYet final : public quota::QuotaProvider {
  public:
    Result<model::AccountView> check(const quota::Lookup& /*lookup*/) const override {
        return Error{ErrorCode::unavailable, "slurmctld has no accounting data yet"};
    }
};

/// Partition "main" (default) and "viz"; QOSs normal (default), moonlight and secret; user ana (1000) in
/// account hpc-users, who may use normal and moonlight. 64 CPUs and 256000 MiB per node.
struct GateSetup {
    GateSetup() {
        records.tres = std::make_shared<const model::TresCatalogue>(
            std::vector<std::string>{"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages",
                                     "gres/gpu", "gres/gpu:a100", "license/foo"});
        records.enforce = {.associations = true, .limits = true, .qos = true};
        for (const char* name : {"normal", "moonlight", "secret"}) {
            quota::LocalQos qos;
            qos.qos.name = name;
            qos.qos.limits = model::Limits(records.tres->size());
            records.qos.push_back(qos);
        }
        quota::LocalAssociation user, root;
        user.link.account = "hpc-users";
        user.link.user = "ana";
        user.user_id = 1000;
        user.parent = 1;
        user.default_qos = "normal";
        user.permitted_qos = {{"normal", "moonlight"}};
        root.link.level = model::AssociationLevel::root;
        root.link.account = "root";
        records.associations = {user, root};
        for (const char* name : {"main", "viz"}) {
            model::Partition partition;
            partition.name = name;
            partition.is_default = partition.name == "main";
            partition.total_nodes = 4;
            partition.node_memory_mib = 256000;
            partition.default_memory = model::Memory{1000, /*per_cpu=*/true};
            partitions.push_back(partition);
        }
        request.user_id = 1000;
        request.tasks = 1;
        request.min_cpus = 1;
        request.min_nodes = 1;
    }

    model::Qos& qos(std::size_t index) { return records.qos.at(index).qos; }
    std::size_t tres(std::string_view name) const { return records.tres->find(name).value(); }

    model::Cluster cluster() const {
        model::Cluster c;
        std::vector<std::shared_ptr<const model::Partition>> table;
        for (const auto& partition : partitions)
            table.push_back(std::make_shared<model::Partition>(partition));
        c.partitions = model::PartitionTable(std::move(table));
        c.enforce_part_limits = enforce_part_limits;
        c.default_memory = default_memory;
        c.max_memory = max_memory;
        c.shares_out_memory = shares_out_memory;
        c.gives_whole_nodes = gives_whole_nodes;
        c.allocated_unit = allocated_unit;
        c.cpus_per_gpu = cpus_per_gpu;
        c.memory_per_gpu_mib = memory_per_gpu_mib;
        c.allows_spec_resources = allows_spec_resources;
        c.names = names;
        c.nodes = node_table;
        c.usage_lasts = usage_lasts;
        c.name = "testing";
        return c;
    }

    model::Decision decide(const policy::Policy* policy = nullptr) const {
        return decide_with(quota::LocalQuota(records), policy);
    }
    /// The same where another provider knows the limits.
    model::Decision decide_with(const quota::QuotaProvider& provider,
                                const policy::Policy* policy = nullptr) const {
        const auto c = cluster();
        return gate::Gate(provider, release).decide(request, known(c), policy);
    }
    /// What is known of this cluster.
    gate::KnownCluster known(const model::Cluster& c) const {
        return {is_cluster_known ? &c : nullptr, may_have_changed, may_have_new_reservations, times, groups};
    }

    model::Forecast forecast() const { return decide().forecast; }
    std::string_view pending() const { return forecast().pending_reason; }

    quota::LocalRecords records;
    std::vector<model::Partition> partitions;
    model::EnforcePartLimits enforce_part_limits = model::EnforcePartLimits::no;
    std::optional<model::Memory> default_memory; ///< of the cluster
    std::optional<model::Memory> max_memory;     ///< likewise
    bool shares_out_memory = true;
    bool gives_whole_nodes = false; ///< the cluster
    model::AllocatedUnit allocated_unit = model::AllocatedUnit::cpu;
    std::optional<std::uint64_t> cpus_per_gpu;       ///< of the cluster
    std::optional<std::uint64_t> memory_per_gpu_mib; ///< of the cluster
    bool allows_spec_resources = false;              ///< the cluster
    bool usage_lasts = false;                        ///< on the cluster
    std::optional<model::KnownNames> names;
    model::NodeTable node_table;
    model::JobRequest request;
    limits::Release release{22, 5};
    bool is_cluster_known = true;
    bool may_have_changed = false; ///< since the cluster was known
    bool may_have_new_reservations = false;
    gate::DecisionTimes times;
    const quota::UserGroups* groups = nullptr;
};

} // namespace qg::test

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the benchmarks of the engine share: a QOS that sets every limit there is, a job that keeps them all,
// and a provider that costs one copy.
#pragma once

#include "qosgate/gate/gate.hpp"
#include "qosgate/quota/local_quota.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace qg::test {

/// The TRES of a cluster with GPUs, a burst buffer and a license.
inline std::shared_ptr<const model::TresCatalogue> tres_catalogue() {
    return std::make_shared<const model::TresCatalogue>(
        std::vector<std::string>{"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages",
                                 "bb/dw", "gres/gpu", "gres/gpu:a100", "license/matlab"});
}

/// Every kind of limit, for every TRES, wide enough for any job here.
inline model::Limits all_limits(std::size_t tres_count) {
    model::Limits limits(tres_count);
    for (std::size_t kind = 0; kind < model::tres_limit_count; ++kind) {
        const auto limit = static_cast<model::TresLimit>(kind);
        const std::uint64_t value = limit == model::TresLimit::min_tres_per_job ? 0 : 1'000'000'000;
        for (std::size_t tres = 0; tres < tres_count; ++tres)
            limits.set(limit, tres, value);
    }
    for (std::size_t kind = 0; kind < model::count_limit_count; ++kind)
        limits.set(static_cast<model::CountLimit>(kind), 1'000'000);
    return limits;
}

/// User 1000 of account physics, who may use the QOSs q0, q1, ...; the last one sets every limit and denies
/// on them.
inline quota::LocalRecords make_records(std::size_t qos_count) {
    quota::LocalRecords records;
    records.tres = tres_catalogue();
    records.enforce = {.associations = true, .limits = true, .qos = true};
    for (std::size_t i = 0; i < qos_count; ++i) {
        quota::LocalQos qos;
        qos.qos.name = "q" + std::to_string(i);
        qos.qos.limits = model::Limits(records.tres->size());
        records.qos.push_back(std::move(qos));
    }
    model::Qos& strict = records.qos.back().qos;
    strict.flags.deny_on_limit = true;
    strict.limits = all_limits(records.tres->size());

    quota::LocalAssociation user, account, root;
    user.link.account = account.link.account = "physics";
    user.link.user = "ana";
    user.user_id = 1000;
    user.parent = 1;
    account.link.level = model::AssociationLevel::account;
    account.parent = 2;
    root.link.level = model::AssociationLevel::root;
    root.link.account = "root";
    records.associations = {user, account, root};
    return records;
}

/// One partition, the default.
inline model::Cluster make_cluster() {
    auto partition = std::make_shared<model::Partition>();
    partition->name = "gpu";
    partition->is_default = true;
    partition->total_nodes = 16;
    partition->node_memory_mib = 256000;
    partition->default_memory = model::Memory{1000, /*per_cpu=*/true};
    model::Cluster cluster;
    cluster.partitions = model::PartitionTable({partition});
    return cluster;
}

/// A job of eight CPUs and two GPUs for an hour, under this QOS.
inline model::JobRequest make_request(const std::string& qos) {
    model::JobRequest request;
    request.user_id = request.submit_uid = 1000;
    request.name = "train";
    request.partition = "gpu";
    request.qos = qos;
    request.time_limit = TimeLimit{60};
    request.tasks = 1;
    request.min_cpus = 8;
    request.cpus_per_task = 8;
    request.min_nodes = 1;
    request.tres_per_node = "gres:gpu:a100:2";
    request.is_batch = true;
    return request;
}

/// Answers every look-up with a copy of one view, so that what is measured above it is the engine.
class PreparedQuota final : public quota::QuotaProvider {
  public:
    explicit PreparedQuota(model::AccountView view) : view_(std::move(view)) {}

    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup&) const override { return view_; }

  private:
    model::AccountView view_;
};

/// The view that `request` gets of these records.
inline model::AccountView make_view(const quota::LocalRecords& records, const model::JobRequest& request,
                                    const model::Cluster& cluster) {
    quota::Lookup lookup;
    lookup.user_id = request.user_id;
    lookup.qos = *request.qos;
    const auto partition = cluster.partitions.default_partition();
    lookup.partitions = {&partition, 1};
    return quota::LocalQuota(records).check(lookup).value();
}

/// The rules of the release in which most of them differ from today's.
inline constexpr limits::Release release{22, 5};

} // namespace qg::test

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Hostile requests, handled as in the plugin, on a cluster of 1,000 partitions and 1,000 QOSs, and what they
// cost. slurmctld holds its locks meanwhile, so no request may take long.
#pragma once

#include "fake_controller.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "records/controller_quota.hpp"
#include "support/work_meter.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qg::test {

inline constexpr std::uint32_t user = 1000;
inline constexpr std::uint32_t name_count = 1000;
inline constexpr std::size_t mib = 1024 * 1024;
/// With sanitizers nothing is measured: the requests are only handled, and no memory error may be found.
inline constexpr bool is_measured = QG_WORK_ALLOWANCE != 0;
/// The instructions of about a millisecond. The comparison with the reference is less exact if the code is
/// not optimized.
inline constexpr std::uint64_t a_millisecond =
    is_measured ? 3'000'000 * std::uint64_t{QG_WORK_ALLOWANCE} : UINT64_MAX / 8;

inline std::string numbered(const char* prefix, std::size_t number) {
    return prefix + std::to_string(number);
}

/// The maximum of partitions that one job may name.
inline constexpr std::uint32_t strict_count = 64;

/// QOSs q0 ... q999; "denying" and "waiting", which block nearly every job; "strict0" ... "strict63", which
/// block it in a partition with every limit, each with other limits; and a user who may use them all.
struct HostileRecords : FakeController {
    HostileRecords() {
        set_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/gpu",
                  "gres/gpu:a100", "license/foo"});
        std::vector<std::uint32_t> all;
        const auto add = [&](const std::string& name) -> slurmdb_qos_rec_t& {
            all.push_back(static_cast<std::uint32_t>(all.size() + 1));
            return add_qos(name.c_str(), all.back());
        };
        for (std::uint32_t i = 0; i < name_count; ++i)
            add(numbered("q", i));
        for (const char* name : {"denying", "waiting"}) {
            slurmdb_qos_rec_t& qos = add(name);
            qos.max_tres_pj = some_.data();
            qos.max_tres_pj_ctld = one_of_each_.data();
            qos.max_wall_pj = 1;
            if (name == std::string("denying")) slurm::assign_flags(qos.flags, QOS_FLAG_DENY_LIMIT);
        }
        for (std::uint32_t i = 0; i < strict_count; ++i) {
            slurmdb_qos_rec_t& qos = add(numbered("strict", i));
            strict_.push_back(std::vector<std::uint64_t>(11, 1));
            for (std::uint64_t& limit : strict_.back())
                limit = i % 8;
            qos.max_tres_pj = qos.max_tres_pu = qos.max_tres_pa = qos.max_tres_pn = qos.max_tres_mins_pj =
                qos.grp_tres = some_.data();
            qos.max_tres_pj_ctld = qos.max_tres_pu_ctld = qos.max_tres_pa_ctld = qos.max_tres_pn_ctld =
                qos.max_tres_mins_pj_ctld = qos.grp_tres_ctld = strict_.back().data();
            qos.max_wall_pj = i % 8;
        }
        root = &add_association("root", nullptr, nullptr, all);
        auto& account = add_association("astro", nullptr, root, all);
        add_association("astro", &add_user("ana", user, "astro"), &account, all);
    }

  private:
    std::vector<std::uint64_t> one_of_each_ = std::vector<std::uint64_t>(11, 1);
    std::deque<std::vector<std::uint64_t>> strict_;
    std::string some_ = "1=1"; ///< a limit counts only if its text is not empty
};

/// Reservations with many users, the last of them ana, and some names of each other kind.
inline model::KnownNames make_names() {
    model::KnownNames names;
    for (std::size_t i = 0; i < name_count; ++i) {
        model::Reservation& one = names.reservations.emplace_back();
        one.name = numbered("r", name_count + i); // sorted
        for (std::size_t other = 0; other < 20; ++other)
            one.users.push_back(numbered("user", other));
        one.users.push_back("ana");
        one.accounts = {"bio", "astro"};
    }
    names.licenses = {{"foo", 10}};
    names.gres = {{"gpu", "gpu:a100"}};
    names.features = {{"big", "fast"}};
    for (std::uint32_t i = 0; i < name_count; ++i) {
        names.nodes.push_back(numbered("n", name_count + i)); // sorted
        names.node_indices.push_back(i);
    }
    return names;
}

inline model::Cluster make_cluster() {
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    for (std::size_t i = 0; i < name_count; ++i) {
        auto partition = std::make_shared<model::Partition>();
        partition->name = numbered("p", i);
        partition->is_default = i == 0;
        partition->qos = numbered("q", i);
        partition->total_nodes = model::Partition::max_node_kinds;
        partition->total_cpus = 1024;
        for (std::uint32_t kind = 0; kind < model::Partition::max_node_kinds; ++kind)
            partition->node_kinds.push_back(
                {1, 57 + kind, 64000, {{"gpu", "a100", 1 + kind}, {"gpu", "v100", 1 + kind}}});
        partition->nodes = {{0, model::Partition::max_node_kinds - 1}};
        partition->min_node_cpus = 1;
        partition->max_time = TimeLimit{60};
        partition->billing_weights = "CPU=1.0,Mem=0.25G,GRES/gpu=2.0";
        partitions.push_back(std::move(partition));
    }
    for (std::size_t i = 0; i < strict_count; ++i) {
        auto partition = std::make_shared<model::Partition>();
        partition->name = numbered("strict", i);
        partition->qos = partition->name;
        partition->total_nodes = partition->total_cpus = partition->max_nodes.emplace(1);
        partition->max_time = TimeLimit{1};
        partition->allow_qos = {"nobody's"};
        partition->allow_accounts = {"nobody's"};
        partition->priority_tier = static_cast<std::uint32_t>(i);
        partitions.push_back(std::move(partition));
    }
    model::Cluster cluster;
    cluster.partitions = model::PartitionTable(std::move(partitions));
    cluster.enforce_part_limits = model::EnforcePartLimits::any;
    cluster.max_array_size = 4'000'001;
    cluster.names = make_names();
    return cluster;
}

/// "p0,p1,p2"
inline std::string list_of(const char* prefix, std::size_t count) {
    std::string list = numbered(prefix, 0);
    for (std::size_t i = 1; i < count; ++i)
        list += "," + numbered(prefix, i);
    return list;
}

struct HostileRequests {
    /// The work for a job of ana's with these settings, in instructions; 0 if nothing is measured.
    template <typename Set>
    std::uint64_t work_for(limits::Release release, const char* qos_name, Set set) {
        std::string qos = qos_name;
        job_desc_msg_t job;
        slurm_init_job_desc_msg(&job);
        job.het_job_offset = NO_VAL;
        job.user_id = user;
        job.min_cpus = job.num_tasks = 8;
        job.time_limit = 30;
        if (!qos.empty()) job.qos = qos.data();
        set(job);
        const gate::Gate gate(quota, release);
        const auto decide = [&] {
            const auto decision = gate.decide(slurm::read_job_desc(job, user), &cluster, policy.get());
            static_cast<void>(text::join(decision.message, "\n"));
        };
        if constexpr (is_measured) return meter.measure(decide);
        decide();
        return 0;
    }

    const std::vector<limits::Release> releases{{22, 5, 8}, {24, 11, 5}};
    HostileRecords records;
    plugin::ControllerQuota quota{records.symbols()};
    model::Cluster cluster = make_cluster();
    std::shared_ptr<const policy::Policy> policy; ///< null: no rules
    WorkMeter meter;
};

} // namespace qg::test

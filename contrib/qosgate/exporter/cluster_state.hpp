// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClusterState: what one reading of the cluster found, as plain values. Metrics and page are made from it.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/quota/local_quota.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qg::cli {

/// Jobs of one QOS.
struct JobCounts {
    std::uint64_t running = 0; ///< and suspended, as slurmctld counts them
    std::uint64_t pending = 0; ///< array tasks counted singly
};

struct ClusterState {
    std::string cluster; ///< ClusterName
    std::time_t read_at = 0;
    std::chrono::duration<double> took{};
    quota::LocalRecords records;
    std::map<std::uint32_t, std::string> users = {}; ///< names by id
    std::map<std::string, JobCounts> queued = {};    ///< the queue by the QOS of each job
    /// Partitions by the QOS that all of their jobs have beside their own. Hidden partitions are not in it.
    std::map<std::string, std::vector<std::string>> partitions = {};
    /// Pending jobs by QOS and Reason.
    std::map<std::pair<std::string, std::string>, std::uint64_t> pending = {};
    limits::Release release = limits::newest_release; ///< of slurmctld
    bool hides_jobs = false;                          ///< PrivateData of slurm.conf has `jobs`
    bool sees_all = false; ///< nothing is hidden from the user as whom the exporter runs

    /// Whether everybody may read what accounts use, and what users do.
    [[nodiscard]] bool shows_accounts() const noexcept {
        return !records.private_data.accounts && !records.private_data.usage;
    }
    [[nodiscard]] bool shows_users() const noexcept { return shows_accounts() && !hides_jobs; }

    /// What slurmctld counts for the limits of the QOS, so also the jobs of a partition with this QOS. Where
    /// it enforces no limits it counts nothing; then the queue says it.
    [[nodiscard]] JobCounts jobs_of(const quota::LocalQos& qos) const {
        if (!records.enforce.limits) {
            const auto found = queued.find(qos.qos.name);
            return found == queued.end() ? JobCounts() : found->second;
        }
        const model::Usage& usage = qos.qos.usage;
        return {.running = usage.jobs,
                .pending = usage.submit_jobs - std::min(usage.submit_jobs, usage.jobs)};
    }

    [[nodiscard]] std::string name_of(std::uint32_t user_id) const {
        const auto found = users.find(user_id);
        return found == users.end() ? std::to_string(user_id) : found->second;
    }
};

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmctld's counters and jobs, as recount() needs them.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/report/recount.hpp"
#include "qosgate/slurm/cluster_quota.hpp"
#include "qosgate/slurm/queue_reader.hpp"

#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace qg::cli {

/// The counters that slurmctld keeps.
report::Counters read_counters(const slurm::AssocRecords& records);

/// The jobs that slurmctld counts, and those of which it is not known where they count.
struct JobsToCount {
    std::vector<report::CountedJob> jobs;
    std::vector<std::string> unknown; ///< sentences
};

/// `partition_qos`: the name of the QOS by partition. `now`: when the queue was read.
JobsToCount find_jobs_to_count(const slurm::Queue& queue, const slurm::AssocRecords& records,
                               const std::map<std::string, std::string>& partition_qos, std::time_t now);

/// The TRES that can be counted from jobs: what slurmctld allocates to them.
std::vector<std::size_t> countable_tres(const model::TresCatalogue& tres);

/// The names in a counter; empty: it has none.
struct CounterNames {
    std::string qos = {};
    std::string account = {};
    std::string user = {};
    std::string partition = {};

    /// "user ana in QOS normal", "account astro", "user ana in account astro, partition viz"
    [[nodiscard]] std::string text() const;
};
CounterNames names_of(const report::Counter& counter, const slurm::AssocRecords& records);

} // namespace qg::cli

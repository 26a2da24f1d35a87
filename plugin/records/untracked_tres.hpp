// SPDX-License-Identifier: GPL-2.0-or-later
//
// Limits that Slurm does not enforce: slurmctld tracks only the TRES of AccountingStorageTRES (and cpu, mem
// and the like), and ignores a QOS's limit on any other.
#pragma once

#include "qosgate/slurm/compat.hpp"
#include "records/assoc_mgr.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace qg::plugin {

/// The names of the QOSs that limit a TRES which slurmctld does not track. Empty if a list is null.
/// Threads: needs the qos and tres locks. Cost: walks all QOSs and reads the texts of their TRES limits.
std::vector<std::string> qos_with_untracked_tres(slurm::ListHandle qos_list, slurm::ListHandle tres_list);

/// Checks for such limits from time to time in slurmctld's records.
/// Threads: check_if_due() from one thread, qos() from any.
class UntrackedTresWatch {
  public:
    /// If the symbols are an Error, nothing is found.
    explicit UntrackedTresWatch(Result<AssocMgr> manager) : manager_(std::move(manager)) {}

    /// Checks every ten seconds, as soon as slurmctld has its records. Waits for slurmctld's locks; walks all
    /// QOSs under read locks.
    void check_if_due();

    /// What the last check found: names of QOSs. Does not wait for slurmctld.
    [[nodiscard]] std::vector<std::string> qos() const;

  private:
    Result<AssocMgr> manager_;
    std::chrono::steady_clock::time_point due_; ///< only the thread that checks uses it
    mutable std::mutex mutex_;
    std::vector<std::string> found_; ///< guarded by mutex_
};

} // namespace qg::plugin

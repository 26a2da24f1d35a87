// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmctld's own records of QOSs, associations, users and TRES, and the locks that protect them. Slurm
// exports these names to its plugins but declares them in no public header (slurm/host_symbols.hpp); names,
// prototypes and the lock's layout are the same from 22.05 to 26.05. They are looked up when the plugin
// starts: if a release lacks one of them, qosgate gives no explanations, but slurmctld still starts.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/host_symbols.hpp"

#include <cstdint>

namespace qg::plugin {

using slurm::AssocMgrLocks;

/// The symbols. The pointed-to lists are null until slurmctld has heard from its database.
/// Ownership: all of it belongs to slurmctld.
struct AssocMgr {
    void (*lock)(AssocMgrLocks* locks);
    void (*unlock)(AssocMgrLocks* locks);
    int (*fill_in_assoc)(void* connection, slurmdb_assoc_rec_t* wanted, int enforce,
                         slurmdb_assoc_rec_t** found, bool is_locked);
    slurm::ListHandle* qos_list;
    slurm::ListHandle* assoc_list; ///< null: slurmctld does not export it
    slurm::ListHandle* user_list;
    slurmdb_assoc_rec_t** root_assoc;
    slurm::ListHandle* tres_list; ///< null: slurmctld does not export it
    char*** tres_names;
    std::uint32_t* tres_count;
    std::uint32_t* after_max_qos_id;   ///< g_qos_count; null: slurmctld does not export it
    std::uint16_t* running_cache;      ///< 0: the lists are from the database and stay; null likewise
    const std::uint16_t* private_data; ///< PrivateData in force; null: not known
    std::uint16_t* enforce;     ///< AccountingStorageEnforce in force; a reconfigure does not change it
    bool keeps_accounts = true; ///< whether slurmctld has a slurmdbd; without one the lists stay null

    /// Looks up every symbol in this process. Errors: unsupported, naming the first required symbol that is
    /// missing.
    static Result<AssocMgr> find();
};

/// Read locks on associations, QOSs, TRES and users for as long as it lives.
/// Slurm's lock order is slurmctld's locks first, then these; job_submit() is entered without these.
class AssocMgrReadLock {
  public:
    explicit AssocMgrReadLock(const AssocMgr& manager) : manager_(manager) { manager_.lock(&locks_); }
    AssocMgrReadLock(const AssocMgrReadLock&) = delete;
    AssocMgrReadLock& operator=(const AssocMgrReadLock&) = delete;
    ~AssocMgrReadLock() { manager_.unlock(&locks_); }

  private:
    static constexpr int read = 1;

    const AssocMgr& manager_;
    AssocMgrLocks locks_{
        .assoc = read, .file = 0, .qos = read, .res = 0, .tres = read, .user = read, .wckey = 0};
};

} // namespace qg::plugin

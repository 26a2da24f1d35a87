// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_symbols: the names that slurmctld, the clients and their libraries export and that no public header
// declares. All of them stand here, with their types, so this is the page to read for a new release of Slurm;
// tests/abi compares it with the programs of this host. They are looked up while the process runs: a release
// may lack one, and the comment says what is missing then. "Required" means that qosgate explains no limits.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include <dlfcn.h>
#include <slurm/slurm.h>
#include <slurm/slurmdb.h>

struct job_record; ///< slurmctld's own record of a job

namespace qg::slurm {

/// Slurm's assoc_mgr_lock_t: for each kind of record 0 no lock, 1 read, 2 write.
struct AssocMgrLocks {
    int assoc;
    int file;
    int qos;
    int res;
    int tres;
    int user;
    int wckey;
};

/// A name of the process. `Type` is that of the function or the variable.
template <typename Type>
struct HostSymbol {
    const char* name;

    /// Null: this process does not export it. Ownership: the process's. Cost: a search through its libraries.
    [[nodiscard]] Type* find() const noexcept { return reinterpret_cast<Type*>(dlsym(RTLD_DEFAULT, name)); }
};

namespace host {

// slurmctld: its records of accounting and their locks (slurm/README.md 3.1), all releases from 22.05 on.
inline constexpr HostSymbol<void(AssocMgrLocks*)> assoc_mgr_lock{"assoc_mgr_lock"};     // required
inline constexpr HostSymbol<void(AssocMgrLocks*)> assoc_mgr_unlock{"assoc_mgr_unlock"}; // required
/// Finds an association by uid, account and partition in Slurm's hash table, as slurmctld does for a job: one
/// for the partition wins over one for all. Needs the assoc lock; the last argument says that it is held.
inline constexpr HostSymbol<int(void* connection, slurmdb_assoc_rec_t* wanted, int enforce,
                                slurmdb_assoc_rec_t** found, bool is_locked)>
    assoc_mgr_fill_in_assoc{"assoc_mgr_fill_in_assoc"};                                         // required
inline constexpr HostSymbol<ListHandle> assoc_mgr_qos_list{"assoc_mgr_qos_list"};               // required
inline constexpr HostSymbol<ListHandle> assoc_mgr_user_list{"assoc_mgr_user_list"};             // required
inline constexpr HostSymbol<slurmdb_assoc_rec_t*> assoc_mgr_root_assoc{"assoc_mgr_root_assoc"}; // required
inline constexpr HostSymbol<char**> assoc_mgr_tres_name_array{"assoc_mgr_tres_name_array"};     // required
inline constexpr HostSymbol<std::uint32_t> tres_count{"g_tres_count"};                          // required
inline constexpr HostSymbol<std::uint16_t> accounting_enforce{"accounting_enforce"};            // required
inline constexpr HostSymbol<ListHandle> assoc_mgr_assoc_list{
    "assoc_mgr_assoc_list"}; // messages name no accounts of the user
inline constexpr HostSymbol<ListHandle> assoc_mgr_tres_list{
    "assoc_mgr_tres_list"};                                          // untracked TRES are not reported
inline constexpr HostSymbol<std::uint32_t> qos_count{"g_qos_count"}; // QOSs are looked up anew for each job
inline constexpr HostSymbol<std::uint16_t> running_cache{"running_cache"}; // likewise

// slurmctld: what changed, and when (slurm/README.md 3.4).
inline constexpr HostSymbol<const std::time_t> last_part_update{
    "last_part_update"}; // partitions are read anew
inline constexpr HostSymbol<const std::time_t> last_resv_update{
    "last_resv_update"};                                              // a new one is found at the next read
inline constexpr HostSymbol<const ListHandle> part_list{"part_list"}; // no count of partitions
inline constexpr HostSymbol<const ListHandle> job_list{"job_list"};   // no count of jobs

// slurmctld: one of its job records (slurm/README.md 2.4).
inline constexpr HostSymbol<job_desc_msg_t*(job_record*)> copy_job_record{
    "copy_job_record_to_job_desc"}; // changes cannot be looked at
inline constexpr HostSymbol<char*(const char*, std::va_list)> vxstrfmt{"vxstrfmt"}; // likewise

// Only slurmctld has it, and it is not called: it shows that the process is one.
inline constexpr HostSymbol<void> acct_policy_validate{"acct_policy_validate"};

// All processes with Slurm's library.
inline constexpr HostSymbol<const slurm_conf_t> slurm_conf{"slurm_conf"}; // nothing of slurm.conf is known
inline constexpr HostSymbol<char*(std::uint32_t)> job_reason_string{
    "slurm_job_reason_string"}; // the next one
inline constexpr HostSymbol<char*(std::uint32_t)> job_state_reason_string{
    "slurm_job_state_reason_string"}; // Reasons have no names
inline constexpr HostSymbol<char*(std::uint32_t)> job_state_string{
    "slurm_job_state_string"}; // states are numbers

// The clients: their own options, which tell them apart by their programs.
inline constexpr HostSymbol<void> sbatch_options{"sbopt"};
inline constexpr HostSymbol<void> salloc_options{"saopt"};
inline constexpr HostSymbol<void> srun_options{"sropt"};
inline constexpr HostSymbol<void> scrontab_options{"scopt"};

// The clients: for scripts of cli_filter/lua.
inline constexpr HostSymbol<char*(char* directory, char* command, bool looks_here_last, int mode, bool tests)>
    search_path{"search_path"}; // sbatch's script stays as it was written
inline constexpr HostSymbol<std::size_t(char***)> spank_plugin_names{
    "spank_get_plugin_names"}; // no options of SPANK plugins
inline constexpr HostSymbol<std::size_t(const char*, char***)> spank_option_names{
    "spank_get_plugin_option_names"};                                           // likewise
inline constexpr HostSymbol<char*(char*)> spank_option_get{"spank_option_get"}; // they have no values

// The clients that `qosgate check` or `qosgate policy try` has started: its module (contrib/qosgate).
inline constexpr HostSymbol<const char> client_module{"qosgate_client_module"};
inline constexpr HostSymbol<const char*()> client_policy{"qosgate_client_policy"}; // null: the site's rules
inline constexpr HostSymbol<void(const char* refusal)> client_refuse{"qosgate_client_refuse"};

} // namespace host

} // namespace qg::slurm

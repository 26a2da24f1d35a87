// SPDX-License-Identifier: GPL-2.0-or-later
//
// What differs between the Slurm releases 22.05 to 26.05. The differences are detected by what the headers
// declare; by version number only if no header shows them, and only here. What a single file uses may be
// detected there, by the headers. slurm/README.md 5 lists all differences.
//
// Ownership: a result of Slurm goes into an owning type at once (OwnedList and the like below).
#pragma once

#include "qosgate/model/qos_flags.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>
#include <slurm/slurmdb.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

// Exported by libslurm in all releases, declared in no public header.
extern "C" {
int slurm_bit_test(bitstr_t* bits, std::int64_t bit);
std::int64_t slurm_bit_size(bitstr_t* bits);
void slurm_free_job_desc_msg(job_desc_msg_t* description);
}

namespace qg::slurm {

/// The release this was built for: 22 and 5 of 22.05.8.
inline constexpr int release_year = SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER);
inline constexpr int release_month = SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER);

/// `List` up to 24.05, `list_t*` from 24.11 on: the same pointer.
using ListHandle = decltype(slurm_list_create(nullptr));
using IteratorHandle = decltype(slurm_list_iterator_create(ListHandle{}));

struct ListDeleter {
    using pointer = ListHandle;
    void operator()(ListHandle list) const noexcept { slurm_list_destroy(list); }
};
using OwnedList = std::unique_ptr<std::remove_pointer_t<ListHandle>, ListDeleter>;

struct IteratorDeleter {
    using pointer = IteratorHandle;
    void operator()(IteratorHandle iterator) const noexcept { slurm_list_iterator_destroy(iterator); }
};
using OwnedIterator = std::unique_ptr<std::remove_pointer_t<IteratorHandle>, IteratorDeleter>;

struct JobsDeleter {
    void operator()(job_info_msg_t* jobs) const noexcept { slurm_free_job_info_msg(jobs); }
};
using OwnedJobs = std::unique_ptr<job_info_msg_t, JobsDeleter>;

struct PartitionsDeleter {
    void operator()(partition_info_msg_t* partitions) const noexcept {
        slurm_free_partition_info_msg(partitions);
    }
};
using OwnedPartitions = std::unique_ptr<partition_info_msg_t, PartitionsDeleter>;

/// A new list that does not free its elements: they are borrowed and must outlive it.
inline OwnedList make_borrowing_list() {
    return OwnedList(slurm_list_create(nullptr));
}

/// Appends a borrowed element (slurm_list_append() returns a pointer up to 22.05, nothing later).
inline void append(const OwnedList& list, void* element) {
    static_cast<void>(slurm_list_append(list.get(), element));
}

/// Calls `visit(T&)` for each element. `list` may be null.
template <typename T, typename Visit>
void for_each(ListHandle list, Visit visit) {
    if (list == nullptr) return;
    const OwnedIterator iterator(slurm_list_iterator_create(list));
    while (auto* element = static_cast<T*>(slurm_list_next(iterator.get())))
        visit(*element);
}

/// Job ids: `job_id` up to 25.05, `step_id.job_id` from 25.11 on.
template <typename Job>
auto& job_id_of(Job& job) {
    if constexpr (requires { job.job_id; })
        return job.job_id;
    else
        return job.step_id.job_id;
}

/// The accounts down to an association and its user, "/physics/astro/0-ana/"; null up to 23.02.
template <typename Association>
const char* lineage_of(const Association& association) {
    if constexpr (requires { association.lineage; })
        return association.lineage;
    else
        return nullptr;
}

/// Assigns to a field whose type is a plain integer in some releases and an enum in others (QOS flags).
template <typename Field>
void assign_flags(Field& field, std::uint32_t bits) {
    field = static_cast<Field>(bits);
}

/// Bits of SelectTypeParameters: CR_SOCKET and so on up to 25.05, SELECT_SOCKET from 25.11 on.
inline constexpr std::uint32_t select_socket = 1u << 1;
inline constexpr std::uint32_t select_core = 1u << 2;
inline constexpr std::uint32_t select_memory = 1u << 4;
inline constexpr std::uint32_t select_one_task_per_core = 1u << 8;

/// The bit in a job's bitflags that says that its maximum of nodes is slurmctld's own; 0: this release has
/// none.
#ifdef JOB_IMPLICIT_MAX_NODES
inline constexpr std::uint64_t implicit_max_nodes = JOB_IMPLICIT_MAX_NODES; // 26.05
#else
inline constexpr std::uint64_t implicit_max_nodes = 0;
#endif

/// What this release's slurmdbd supports, as its headers show.
template <typename Qos>
inline constexpr bool has_relative_qos = requires(Qos& qos) {
    qos.relative_tres_cnt;
};

inline constexpr bool knows_relative_qos = has_relative_qos<slurmdb_qos_rec_t>; // 23.11
#ifdef PREEMPT_MODE_PRIORITY
inline constexpr bool knows_priority_preemption = true; // 25.05
#else
inline constexpr bool knows_priority_preemption = false;
#endif

/// The bit of AllowSpecResourcesUsage in conf_flags.
#ifdef CTL_CONF_ASRU
inline constexpr std::uint32_t conf_flag_spec_resources = CTL_CONF_ASRU;
#else
inline constexpr std::uint32_t conf_flag_spec_resources = CONF_FLAG_ASRU; // 24.05
#endif

/// Whether slurmdbd correctly removes a deleted QOS from the associations' QOS lists. Before 24.05 it joins
/// the neighbours (",13,14,15," without 14 becomes ",1315,"), so that associations lose other QOSs too. No
/// header shows it; slurmdbd may be newer than this program, but never older.
inline constexpr bool removes_qos_from_associations = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0);

/// Whether slurmdbd takes the stored MaxTRESRunMinsPerUser for the old value when MaxTRESRunMinsPerAccount
/// changes (slurm/README.md 4.4): up to 23.11. As above, no header shows it.
inline constexpr bool mixes_up_run_minutes = SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 5, 0);

/// Whether slurmdbd tells slurmctld what an account passes on only to the users and accounts directly below
/// it, not to the users of those accounts (slurm/README.md 4.5): 23.11.0 to 25.05.0. No header shows it.
inline constexpr bool sends_one_level_below = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0) &&
                                              SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 1);

/// Whether slurmdbd, asked for the associations that may use a QOS, finds them all. From 24.11 on it finds
/// none of accounts, and no user of whom it has not heard itself what they inherit (slurm/README.md 4.5). No
/// header shows it.
inline constexpr bool finds_associations_by_qos = SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0);

/// Whether slurmdbd refused a change with this error number, because an association could not use its default
/// QOS then (slurm/README.md 4.5). It does from 23.11 on; before, the headers have no such number.
constexpr bool refuses_default([[maybe_unused]] int error_number) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
    return error_number == ESLURM_NO_REMOVE_DEFAULT_QOS;
#else
    return false;
#endif
}

/// Makes a query for associations return only what they have themselves, not what they have from the account
/// above (a field of its own up to 24.05, then a flag).
template <typename Condition>
void leave_out_inherited(Condition& condition) {
    constexpr std::uint32_t without_parent_limits = 1u << 6; // ASSOC_COND_FLAG_WOPL
    if constexpr (requires { condition.without_parent_limits; })
        condition.without_parent_limits = 1;
    else
        condition.flags |= without_parent_limits;
}

/// Makes a query for associations return changes of the list above ("+7", "-8") as they are stored, instead
/// of the list that they make (a field of its own up to 24.05, then a flag).
template <typename Condition>
void show_stored_lists(Condition& condition) {
    constexpr std::uint32_t raw_qos = 1u << 3; // ASSOC_COND_FLAG_RAW_QOS
    if constexpr (requires { condition.with_raw_qos; })
        condition.with_raw_qos = 1;
    else
        condition.flags |= raw_qos;
}

/// Whether slurmctld checks the length of a job's `licenses`. From 23.02 on it checks another field instead,
/// which is still empty then. No header shows it.
inline constexpr bool bounds_licenses = SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0);

// Whether slurmctld stores a change of these fields of a job. No header shows it.
inline constexpr bool changes_extra = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0);
inline constexpr bool changes_std_err = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 4); ///< and std_in

// What scripts see through Slurm's plugin job_submit/lua. No header shows any of it.
inline constexpr bool scripts_read_selinux = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0);
inline constexpr bool scripts_read_command_of_salloc = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0);
inline constexpr bool scripts_know_mcs_label = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0);
inline constexpr bool scripts_know_spec = SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0);

/// How slurmctld writes the kind of a resource in a list of them. No header shows it.
inline constexpr std::string_view gres_prefix =
    SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0) ? "gres/" : "gres:";

// Bits of QOS flags and preemption modes that older headers do not define; the numbers are the same in all
// releases.
inline constexpr std::uint32_t qos_flag_relative = model::qos_flag_bit(&model::QosFlags::relative);
inline constexpr std::uint32_t qos_flags_internal = 1u << 11 | 1u << 12 | 1u << 13; // never settings
inline constexpr std::uint16_t preempt_mode_priority = 0x2000;
inline constexpr std::uint16_t priority_flag_max_tres_gres = 1u << 11; // 25.05

/// Whether this release's slurmdbd knows a flag of a QOS.
constexpr bool knows_qos_flag(std::uint32_t bit) {
    return bit != qos_flag_relative || knows_relative_qos;
}

// ---- What runs inside slurmctld

// job_modify() got an argument for the user's message in 23.02. slurmctld does not check the signature, and
// no header shows it.
#define QG_JOB_MODIFY_HAS_MESSAGE (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0))

/// Whether slurmctld calls job_modify() only for users who may change the job; also since 23.02.
inline constexpr bool asks_only_for_entitled = QG_JOB_MODIFY_HAS_MESSAGE;
// -------------------------------------------------------------------------------

extern "C" {
/// Takes the list's own read lock; list iterators cannot do that.
void* slurm_list_find_first_ro(ListHandle list, int (*matches)(void* element, void* key), void* key);
}

/// The first element for which `matches(const T&)` is true, or null. `list` may be null; `matches` must not
/// throw. Cost: one pass under one lock.
template <typename T, typename Matches>
const T* find_first(ListHandle list, Matches matches) {
    if (list == nullptr) return nullptr;
    const auto trampoline = [](void* element, void* key) noexcept -> int {
        return (*static_cast<Matches*>(key))(*static_cast<const T*>(element)) ? 1 : 0;
    };
    return static_cast<const T*>(slurm_list_find_first_ro(list, trampoline, &matches));
}

struct AssocInfoDeleter {
    void operator()(assoc_mgr_info_msg_t* records) const noexcept { slurm_free_assoc_mgr_info_msg(records); }
};
using OwnedAssocInfo = std::unique_ptr<assoc_mgr_info_msg_t, AssocInfoDeleter>;

struct NodesDeleter {
    void operator()(node_info_msg_t* nodes) const noexcept { slurm_free_node_info_msg(nodes); }
};
using OwnedNodes = std::unique_ptr<node_info_msg_t, NodesDeleter>;

struct ReservationsDeleter {
    void operator()(reserve_info_msg_t* reservations) const noexcept {
        slurm_free_reservation_info_msg(reservations);
    }
};
using OwnedReservations = std::unique_ptr<reserve_info_msg_t, ReservationsDeleter>;

struct LicensesDeleter {
    void operator()(license_info_msg_t* licenses) const noexcept { slurm_free_license_info_msg(licenses); }
};
using OwnedLicenses = std::unique_ptr<license_info_msg_t, LicensesDeleter>;

struct ConfDeleter {
    void operator()(slurm_conf_t* conf) const noexcept { free(conf, 0); }

  private:
    // slurm_free_conf() replaced slurm_free_ctl_conf() in 26.05; the lookup waits for the template argument.
    template <typename Conf>
    static auto free(Conf* conf, int) noexcept -> decltype(slurm_free_conf(conf)) {
        slurm_free_conf(conf);
    }
    template <typename Conf>
    static void free(Conf* conf, long) noexcept {
        slurm_free_ctl_conf(conf);
    }
};
using OwnedConf = std::unique_ptr<slurm_conf_t, ConfDeleter>;

/// TRES x time that a user's or account's running jobs may still use: seconds from 24.05 on; up to 23.11
/// minutes, which slurmctld never counts.
struct RunTres {
    const std::uint64_t* values; ///< may be null
    bool is_in_seconds;
};
template <typename UsedLimits>
RunTres run_tres(const UsedLimits& used) {
    if constexpr (requires { used.tres_run_secs; })
        return {used.tres_run_secs, true};
    else
        return {used.tres_run_mins, false};
}

/// slurmctld sets it on the QOS of a partition (23.11).
inline constexpr std::uint32_t qos_flag_of_partition = 1u << 12;

/// Whether this release is known (1) to free the record of a QOS only when the QOS is deleted or all QOSs are
/// read again, and (2) when a TRES name changes, to make a new array of names before it frees the old one.
inline constexpr bool qos_records_are_stable = SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 11, 0);

// Bits of slurm_conf_t::accounting_storage_enforce, in no public header; the same in all releases.
inline constexpr std::uint16_t enforce_associations = 1u << 0;
inline constexpr std::uint16_t enforce_limits = 1u << 1;
inline constexpr std::uint16_t enforce_qos = 1u << 3;
inline constexpr std::uint16_t enforce_safe = 1u << 4;

} // namespace qg::slurm

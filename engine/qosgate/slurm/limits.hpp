// SPDX-License-Identifier: GPL-2.0-or-later
//
// QOS and association records as slurmctld keeps them (and slurm_load_assoc_mgr_info() sends them), as model
// values. Limits come from the *_ctld arrays, which stand in TRES position order like every array here. A
// limit whose text is null or empty is unset.
//
// Units: seconds of usage become minutes, cut to whole ones as slurmctld does. INFINITE, INFINITE64 and
// NO_VAL mean that no limit is set. Ownership: everything is copied. Threads: the caller holds what protects
// the records.
#pragma once

#include "qosgate/model/account_view.hpp"

#include <slurm/slurmdb.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace qg::slurm {

/// What is in use, in all its forms. Arrays that are null or shorter than `tres_count` read as 0. `against`
/// are the limits that it will be compared with; an array that none of them is about reads as 0 too, because
/// most of a copy's cost is usage.
model::Usage read_usage(const slurmdb_qos_usage_t& usage, std::size_t tres_count,
                        model::LimitSet against = model::LimitSet::all());
model::Usage read_usage(const slurmdb_assoc_usage_t& usage, std::size_t tres_count,
                        model::LimitSet against = model::LimitSet::all());
/// Of one user or account within a QOS. Up to 23.11 the committed TRES minutes are not kept by slurmctld and
/// read as 0.
model::Usage read_usage(const slurmdb_used_limits_t& usage, std::size_t tres_count,
                        model::LimitSet against = model::LimitSet::all());

/// The usage of one user or account within a QOS, or null where there is none.
const slurmdb_used_limits_t* usage_of_user(const slurmdb_qos_usage_t& usage, std::uint32_t user_id);
const slurmdb_used_limits_t* usage_of_account(const slurmdb_qos_usage_t& usage, std::string_view account);

/// The flags that take part in a verdict.
model::QosFlags read_qos_flags(std::uint32_t flags) noexcept;

/// A QOS with its limits and total usage against them; user_usage and account_usage are left empty. Those of
/// a Relative QOS are counts too: slurmctld keeps, and sends, what the percentages come to.
model::Qos read_qos(const slurmdb_qos_rec_t& qos, std::size_t tres_count);

/// One association without limits and usage.
model::Association name_association(const slurmdb_assoc_rec_t& association);

/// One association with its limits and usage against them and against those of others. Above the user level
/// the Max* limits are left out: what they say was inherited by the user's association already.
model::Association read_association(const slurmdb_assoc_rec_t& association, std::size_t tres_count,
                                    model::LimitSet also_against = {});

/// The bits of PrivateData. Slurm hides an account's numbers under `usage`, and its records under `users` and
/// `accounts`.
model::PrivateData read_private_data(std::uint16_t bits) noexcept;

/// The bits of AccountingStorageEnforce, with what they imply written out.
model::Enforce read_enforce(std::uint16_t bits) noexcept;

} // namespace qg::slurm

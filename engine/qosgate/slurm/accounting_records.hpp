// SPDX-License-Identifier: GPL-2.0-or-later
//
// QOS and association records as slurmctld keeps them (and slurm_load_assoc_mgr_info() sends them), as model
// values. Limits come from the *_ctld arrays, which are in TRES position order like every array here. A limit
// whose text is null or empty is unset.
//
// Units: seconds of usage become whole minutes, rounded down as in slurmctld. INFINITE, INFINITE64 and NO_VAL
// mean that no limit is set. Ownership: everything is copied. Threads: the caller holds the locks that
// protect the records.
#pragma once

#include "qosgate/model/account_view.hpp"
#include "qosgate/quota/view_builder.hpp"

#include <slurm/slurmdb.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace qg::slurm {

/// Usage in all its forms. Arrays that are null or shorter than `tres_count` read as 0. `against` are the
/// limits that the usage will be compared with. Arrays that none of them needs are not copied and read as 0,
/// because usage is most of a copy's cost.
model::Usage read_usage(const slurmdb_qos_usage_t& usage, std::size_t tres_count,
                        model::LimitSet against = model::LimitSet::all());
model::Usage read_usage(const slurmdb_assoc_usage_t& usage, std::size_t tres_count,
                        model::LimitSet against = model::LimitSet::all());
/// The usage of one user or account within a QOS. Up to 23.11 slurmctld does not count TRES run minutes
/// here; they read as 0.
model::Usage read_usage(const slurmdb_used_limits_t& usage, std::size_t tres_count,
                        model::LimitSet against = model::LimitSet::all());

/// The usage of one user or account within a QOS; null if there is none.
const slurmdb_used_limits_t* usage_of_user(const slurmdb_qos_usage_t& usage, std::uint32_t user_id);
const slurmdb_used_limits_t* usage_of_account(const slurmdb_qos_usage_t& usage, std::string_view account);

/// The flags that affect a verdict.
model::QosFlags read_qos_flags(std::uint32_t flags) noexcept;

/// A QOS with its limits and total usage against them; user_usage and account_usage are left empty. The
/// limits of a Relative QOS are counts too: slurmctld keeps and sends the counts that result from the
/// percentages. Usage is that compared with its own and with other limits.
model::Qos read_qos(const slurmdb_qos_rec_t& qos, std::size_t tres_count, model::LimitSet also_against = {});

/// One association without limits and usage.
model::Association read_association_names(const slurmdb_assoc_rec_t& association);

/// One association with its limits, and with the usage that is compared with its own and with other limits.
/// Above the user level the Max* limits are left out: the user's association has inherited them already.
model::Association read_association(const slurmdb_assoc_rec_t& association, std::size_t tres_count,
                                    model::LimitSet also_against = {});

/// A user's record. It does not tell that root and SlurmUser may do everything.
quota::UserRecord read_user(const slurmdb_user_rec_t& user);

/// The bits of PrivateData (slurm/README.md 3.4).
model::PrivateData read_private_data(std::uint16_t bits) noexcept;

/// The bits of AccountingStorageEnforce, with the bits that they imply.
model::Enforce read_enforce(std::uint16_t bits) noexcept;

} // namespace qg::slurm

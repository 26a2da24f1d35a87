// SPDX-License-Identifier: GPL-2.0-or-later
//
// The QOSs, associations and users that slurm_load_assoc_mgr_info() sends, as values, and the view of one job
// over them.
#pragma once

#include "qosgate/quota/local_quota.hpp"
#include "qosgate/quota/view_builder.hpp"

#include <slurm/slurm.h>
#include <slurm/slurmdb.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace qg::slurm {

/// A QOS and its usage.
struct QosRow {
    model::Qos qos; ///< user_usage and account_usage are filled in per view
    bool is_of_partition = false;
    std::unordered_map<std::uint32_t, model::Usage> users; ///< by user id
    std::unordered_map<std::string, model::Usage> accounts;
};

struct AssociationRow {
    model::Association link;
    std::uint32_t user_id = 0;   ///< on the user level
    std::uint32_t parent_id = 0; ///< 0 above the root
    std::optional<std::uint32_t> default_qos;
    std::optional<std::vector<bool>> permitted_qos; ///< by QOS id; empty: not known
};

/// The settings for accounting in slurm.conf.
struct AccountingConf {
    model::Enforce enforce;
    model::PrivateData private_data;
    std::uint32_t slurm_user_id = 0;
};

/// All records at one moment. Immutable once published.
struct AssocRecords {
    std::shared_ptr<const model::TresCatalogue> tres; ///< never null
    AccountingConf conf;
    std::map<std::uint32_t, QosRow> qos;                               ///< by id
    std::unordered_map<std::uint32_t, AssociationRow> associations;    ///< by id
    std::unordered_multimap<std::uint32_t, std::uint32_t> ids_by_user; ///< association ids by user id
    std::unordered_map<std::uint32_t, quota::UserRecord> users;        ///< by user id
    std::optional<std::uint32_t> root;                                 ///< id of the root association
};

/// Ownership: everything is copied. `message` may lack any of its lists.
AssocRecords read_assoc_records(const assoc_mgr_info_msg_t& message, const AccountingConf& conf);

/// The view of one job, as slurmctld would find it in the same records.
/// Threads: pure.
model::AccountView view_of(const AssocRecords& records, const quota::Lookup& lookup);

/// Calls `reader` with the records as the job of this look-up sees them.
void read_records(const AssocRecords& records, const quota::Lookup& lookup, quota::RecordsReader& reader);

/// The same records for use without Slurm: they give the same views.
quota::LocalRecords to_local_records(const AssocRecords& records);

/// Whether slurmctld lets a user do what only operators may.
/// Threads: pure.
bool is_operator(const AssocRecords& records, std::uint32_t user_id);

} // namespace qg::slurm

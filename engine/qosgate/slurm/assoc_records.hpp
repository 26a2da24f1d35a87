// SPDX-License-Identifier: GPL-2.0-or-later
//
// The QOSs, associations and users that slurm_load_assoc_mgr_info() sends, as values, and the view of one job
// over them.
#pragma once

#include "qosgate/quota/local_quota.hpp"
#include "qosgate/quota/view_builder.hpp"
#include "qosgate/slurm/compat.hpp"

#include <slurm/slurm.h>
#include <slurm/slurmdb.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace qg::slurm {

/// A QOS and its usage.
struct QosRow {
    model::Qos qos; ///< user_usage and account_usage are filled in per view
    bool is_of_partition = false;
    /// Where a view reads limits and usage; null: they are here. Of many QOSs a job meets few.
    const slurmdb_qos_rec_t* record = nullptr;
    std::unordered_map<std::uint32_t, model::Usage> users; ///< by user id
    std::unordered_map<std::string, model::Usage> accounts;
};

struct AssociationRow {
    model::Association link;
    std::uint32_t user_id = 0;   ///< on the user level
    std::uint32_t parent_id = 0; ///< 0 above the root
    /// The accounts above it, as far as the record names them: the next one up to 23.02, all from then on.
    std::vector<std::string> accounts_above;
    std::optional<std::uint32_t> default_qos;
    std::optional<std::vector<bool>> permitted_qos; ///< by QOS id; empty: not known
};

/// The settings for accounting in slurm.conf.
struct AccountingConf {
    model::Enforce enforce;
    model::PrivateData private_data;
    std::uint32_t slurm_user_id = 0;
};

/// A part of slurmctld's records.
struct RecordsPart {
    bool all_qos = false;
    bool all_associations = false;               ///< those of the users that were asked for, and of accounts
    std::set<std::string, std::less<>> qos = {}; ///< names
    std::set<std::string, std::less<>> accounts =
        {}; ///< names of accounts, in lower case: their associations

    [[nodiscard]] bool names_any() const noexcept { return !qos.empty() || !accounts.empty(); }
    [[nodiscard]] bool is_empty() const noexcept { return !all_qos && !all_associations && !names_any(); }
};
inline const RecordsPart all_records{.all_qos = true, .all_associations = true};

/// The records, or a part of them, at one moment. Immutable once published.
struct AssocRecords {
    RecordsPart part = all_records;                   ///< what was asked for
    std::shared_ptr<const model::TresCatalogue> tres; ///< never null
    AccountingConf conf;
    std::map<std::uint32_t, QosRow> qos;                               ///< by id
    std::unordered_map<std::uint32_t, AssociationRow> associations;    ///< by id
    std::unordered_multimap<std::uint32_t, std::uint32_t> ids_by_user; ///< association ids by user id
    std::unordered_map<std::uint32_t, quota::UserRecord> users;        ///< by user id
    std::optional<std::uint32_t> root;                                 ///< id of the root association
    std::vector<std::shared_ptr<const assoc_mgr_info_msg_t>> messages; ///< what `record`s are in
};

/// Ownership: everything is copied. `message` may lack any of its lists.
AssocRecords read_assoc_records(const assoc_mgr_info_msg_t& message, const AccountingConf& conf);

/// Adds what an answer of slurmctld has to records of which it is a part. Ownership: the records keep it;
/// limits and usage of QOSs are copied when a view needs them.
void add_records(AssocRecords& records, OwnedAssocInfo message);

/// The view of one job, as slurmctld would find it in the same records. `missing` gets what the records lack
/// for it: if that is not empty, the view means nothing. While names are missing, the rest may not be needed.
/// Threads: pure.
model::AccountView view_of(const AssocRecords& records, const quota::Lookup& lookup, RecordsPart& missing);
model::AccountView view_of(const AssocRecords& records, const quota::Lookup& lookup);

/// Calls `reader` with the records as the job of this look-up sees them. `missing`: as above.
void read_records(const AssocRecords& records, const quota::Lookup& lookup, quota::RecordsReader& reader,
                  RecordsPart& missing);
void read_records(const AssocRecords& records, const quota::Lookup& lookup, quota::RecordsReader& reader);

/// The same records for use without Slurm: they give the same views.
quota::LocalRecords to_local_records(const AssocRecords& records);

/// Whether slurmctld lets a user do what only operators may.
/// Threads: pure.
bool is_operator(const AssocRecords& records, std::uint32_t user_id);

} // namespace qg::slurm

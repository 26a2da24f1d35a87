// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClusterQuota: the QuotaProvider outside slurmctld. It holds a copy of the controller's records, fetched
// over a public RPC, and answers from it the way ControllerQuota answers from the records themselves.
//
//   ClusterQuota quota;
//   if (auto fresh = quota.sync(); !fresh) return fresh.error();
//   const Gate gate(quota, release);
#pragma once

#include "qosgate/base/published.hpp"
#include "qosgate/quota/provider.hpp"
#include "qosgate/slurm/assoc_records.hpp"

#include <ctime>
#include <optional>

namespace qg::slurm {

/// With PrivateData=usage or users in slurm.conf, callers other than operators get only their own
/// associations.
/// Threads: check() from any number of threads, also during a sync(); one sync() at a time.
class ClusterQuota final : public quota::QuotaProvider {
  public:
    /// Errors: unavailable before the first sync().
    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override;

    /// Errors: the same.
    [[nodiscard]] Result<void> read(const quota::Lookup& lookup, quota::RecordsReader& reader) const override;

    [[nodiscard]] bool is_operator(std::uint32_t user_id) const override;

    /// Fetches all records of QOSs, associations and users, with their usage. After an error the old records
    /// stay. Errors: unavailable, with Slurm's error text.
    /// Cost: two RPCs; the size of the answer grows with the number of associations.
    Result<void> sync();

    /// The records as they were fetched last; null before the first sync().
    [[nodiscard]] std::shared_ptr<const AssocRecords> records() const { return records_.get(); }

  private:
    Published<AssocRecords> records_;
    std::time_t conf_seen_ = 0;
    std::optional<AccountingConf> conf_; ///< empty: not read yet
};

} // namespace qg::slurm

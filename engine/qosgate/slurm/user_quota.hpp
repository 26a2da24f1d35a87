// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserQuota: the QuotaProvider of a client, which decides about one job of its user. Of the records that
// ClusterQuota copies it asks for those that the answers need, when they need them: a cluster has many QOSs
// and accounts, and a job that nothing prevents meets few of them. It answers as ClusterQuota does.
//
//   UserQuota quota(conf, "ana");
//   if (auto started = quota.start(); !started) return started.error();
//   const Gate gate(quota, release);
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/quota/provider.hpp"
#include "qosgate/slurm/assoc_records.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace qg::slurm {

/// Threads: safe; calls wait for each other. Cost: a call makes RPCs, at most max_requests, if it needs
/// records that are not there yet. A reader may be called several times; what counts is the last time.
class UserQuota final : public quota::QuotaProvider {
  public:
    static constexpr int max_requests = 6;

    /// `conf` is slurm.conf as this process has it. Ownership: both are copied.
    UserQuota(const slurm_conf_t& conf, std::string user);

    /// Asks for the user's record, and with it for the records of these names: if the first job needs no
    /// others, its answer needs no further request. Names that do not exist do no harm. Errors: unavailable,
    /// with Slurm's error text. Cost: one RPC.
    Result<void> start(RecordsPart likely = {});

    /// The names of the QOSs and accounts whose records the first check() needed, but for the account root;
    /// none before it.
    [[nodiscard]] RecordsPart needed_first() const;

    /// Errors: unavailable, with Slurm's error text.
    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override;
    [[nodiscard]] Result<void> read(const quota::Lookup& lookup, quota::RecordsReader& reader) const override;
    [[nodiscard]] bool is_operator(std::uint32_t user_id) const override;

    /// The first error of check() and read(): after it, answers may lack something.
    [[nodiscard]] std::optional<Error> failure() const;

  private:
    template <typename Answer>
    Result<void> complete(const quota::Lookup& lookup, Answer answer) const;
    [[nodiscard]] RecordsPart first_names(const quota::Lookup& lookup) const;
    [[nodiscard]] RecordsPart names_in(const model::AccountView& view,
                                       const std::set<std::string, std::less<>>& known_before) const;
    Result<void> ask(const RecordsPart& wanted, std::uint32_t flags = 0) const;

    std::string user_;
    mutable std::mutex mutex_; ///< guards everything below
    mutable AssocRecords records_;
    mutable std::optional<RecordsPart> needed_first_;
    mutable std::optional<Error> failure_;
};

} // namespace qg::slurm

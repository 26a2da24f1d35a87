// SPDX-License-Identifier: GPL-2.0-or-later
//
// LocalQuota: a QuotaProvider over records held in memory, with a ledger of its own. For offline checks,
// tests and simulation.
#pragma once

#include "qosgate/model/resolved_job.hpp"
#include "qosgate/quota/provider.hpp"
#include "qosgate/quota/view_builder.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace qg::quota {

/// A QOS and its usage.
struct LocalQos {
    model::Qos qos; ///< `usage` is the total; user_usage and account_usage are filled in per view
    std::map<std::uint32_t, model::Usage> users;  ///< by user id
    std::map<std::string, model::Usage> accounts; ///< by account name
};

/// One association of a tree.
struct LocalAssociation {
    model::Association link;
    std::uint32_t user_id = 0;         ///< on the user level
    std::optional<std::size_t> parent; ///< index; empty for the root
    std::optional<std::string> default_qos;
    std::optional<std::vector<std::string>> permitted_qos; ///< empty: every QOS
};

struct LocalRecords {
    std::shared_ptr<const model::TresCatalogue> tres = model::TresCatalogue::built_in();
    model::Enforce enforce;
    std::vector<LocalQos> qos;
    /// A user's first association is in its default account, unless `users` says another one.
    std::vector<LocalAssociation> associations;
    std::vector<std::uint32_t> operators; ///< user ids, in addition to root
    std::vector<UserRecord> users;        ///< those with a level, groups, or accounts to coordinate
    model::PrivateData private_data;
};

/// Whether views of jobs far from all limits may lack limits (AccountView::is_within_limits), as those of
/// slurmctld's plugin do. Most of a verdict's cost is then saved, and the forecast of such a job says no more
/// than that it starts.
enum class LocalViews : std::uint8_t { whole, short_within_limits };

/// Threads: check() may run concurrently with itself, not with allocate() and release().
class LocalQuota final : public QuotaProvider {
  public:
    explicit LocalQuota(LocalRecords records, LocalViews views = LocalViews::whole)
        : records_(std::move(records)), index_(records_), views_(views) {}

    [[nodiscard]] Result<model::AccountView> check(const Lookup& lookup) const override;

    [[nodiscard]] Result<void> read(const Lookup& lookup, RecordsReader& reader) const override;

    [[nodiscard]] bool is_operator(std::uint32_t user_id) const override;

    /// Books a running job in its QOS, its (first) partition's QOS and its association chain.
    void allocate(const Lookup& lookup, const model::ResolvedJob& job);
    /// Frees what allocate() booked.
    void release(const Lookup& lookup, const model::ResolvedJob& job);

    [[nodiscard]] const LocalRecords& records() const noexcept { return records_; }

    /// Where records are, so that none is searched for in a large world.
    struct Index {
        explicit Index(const LocalRecords& records);

        std::unordered_map<std::uint32_t, std::vector<std::size_t>> associations; ///< by user id
        std::unordered_map<std::uint32_t, std::size_t> users;                     ///< by id
        std::unordered_map<std::string, std::size_t> qos;                         ///< by name in lower case
    };

  private:
    template <typename Change>
    void for_each_usage(const Lookup& lookup, Change change);

    LocalRecords records_;
    Index index_;
    LocalViews views_;
};

} // namespace qg::quota

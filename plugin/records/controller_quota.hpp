// SPDX-License-Identifier: GPL-2.0-or-later
//
// ControllerQuota: the QuotaProvider inside slurmctld. It reads the controller's own records, so a limit
// changed with sacctmgr or a job just accepted counts for the very next submission.
#pragma once

#include "qosgate/quota/provider.hpp"
#include "records/assoc_mgr.hpp"
#include "records/records_cache.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// Views of slurmctld's records.
/// Threads: check() from any number of threads.
/// Cost: read locks of the association manager during one copy, or, if the job is far from all limits, during
/// one comparison; they are held while Lookup::job_bounds counts. The first look-up of a QOS in a generation
/// (RecordsCache: about a second) walks the list of QOSs, at most twice; later ones are hash look-ups. An
/// unknown QOS walks it every time, and so does every QOS if the generation is not known. The list of users
/// is walked for a user without an association or a cached default account, and for the rights of a reader or
/// requester.
class ControllerQuota final : public quota::QuotaProvider {
  public:
    /// If the symbols are an Error, every check() returns that error.
    explicit ControllerQuota(Result<AssocMgr> manager) : manager_(std::move(manager)) {}

    /// Errors: unavailable while slurmctld has no data from its database; not_found if it has no database;
    /// unsupported without the symbols.
    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override;

    /// Errors: as check(). Cost: read locks while `reader` copies.
    [[nodiscard]] Result<void> read(const quota::Lookup& lookup, quota::RecordsReader& reader) const override;

    /// Whether this user has operator rights in slurmctld. Root and SlurmUser always have, even if nothing
    /// else is known.
    [[nodiscard]] bool is_operator(std::uint32_t user_id) const override;

    /// AccountingStorageEnforce in force; empty: not known, or slurmctld has no slurmdbd. Needs no lock.
    [[nodiscard]] std::optional<model::Enforce> enforced() const noexcept;

    /// Whether slurmctld lets this user change a job of that owner and account.
    [[nodiscard]] bool may_change(std::uint32_t user_id, std::uint32_t owner, std::string_view account) const;

  private:
    /// Calls `use(records)` with the locks held; its result is that of the function. Errors: as check().
    template <typename T, typename Use>
    [[nodiscard]] Result<T> with_records(const quota::Lookup& lookup, Use use) const;

    Result<AssocMgr> manager_;
    mutable RecordsCache cache_;
};

} // namespace qg::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
//
// ControllerQuota: the QuotaProvider inside slurmctld. It reads the controller's own records, so a limit
// changed with sacctmgr or a job just accepted counts for the very next submission.
#pragma once

#include "assoc_mgr.hpp"
#include "controller_facts.hpp"
#include "guesses.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/quota/provider.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace qg::plugin {

/// Views of slurmctld's records.
///
/// Qos::user_usage and Qos::account_usage are filled where the QOS limits users or accounts; elsewhere nobody
/// asks for them.
/// Threads: check() from any number of threads.
/// Cost: read locks of the association manager for the time of one copy, or of one look where limits leave
/// room; for the job's QOS and each partition's at most one walk over the list of QOSs a second, hash
/// look-ups for the rest. The locks are held while Lookup::counting counts.
class ControllerQuota final : public quota::QuotaProvider {
  public:
    /// With an Error in place of the symbols every check() answers with it.
    explicit ControllerQuota(Result<AssocMgr> manager) : manager_(std::move(manager)) {}

    /// Errors: unavailable while slurmctld has no data of its database, not_found where it has no database;
    /// unsupported without the symbols.
    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override;

    /// Whether slurmctld lets this user do what only operators may; root and SlurmUser are, also where
    /// nothing else is known.
    [[nodiscard]] bool is_operator(std::uint32_t user_id) const;

    /// Whether slurmctld lets this user change a job of that owner and account.
    [[nodiscard]] bool may_change(std::uint32_t user_id, std::uint32_t owner, std::string_view account) const;

  private:
    /// Needs the locks.
    [[nodiscard]] model::AccountView view_of(const AssocMgr& manager, const quota::Lookup& lookup) const;
    [[nodiscard]] std::shared_ptr<const model::TresCatalogue> tres_catalogue(Epoch now) const;

    Result<AssocMgr> manager_;
    mutable Guesses<std::uint32_t, std::string> default_accounts_; ///< by user id
    mutable Epochs epochs_;
    mutable QosGuesses qos_guesses_;
    mutable Published<model::TresCatalogue> tres_; ///< rebuilt when slurmctld's array of names changes
    mutable std::atomic<Epoch> tres_epoch_ = unknown_epoch; ///< in which it was last compared with that array
};

} // namespace qg::plugin

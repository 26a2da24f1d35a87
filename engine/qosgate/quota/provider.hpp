// SPDX-License-Identifier: GPL-2.0-or-later
//
// QuotaProvider: where the limits and the usage that decide about a job come from. One interface, so that one
// engine decides alike inside slurmctld, at the user's prompt and offline.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/demand.hpp"
#include "qosgate/model/resolved_job.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace qg::quota {

/// Counts the job that a view is for, as soon as the view has its TRES, partitions and the flags of its QOS.
class JobCounting {
  public:
    /// Ownership: what the demand borrows lives as long as this.
    [[nodiscard]] virtual model::Demand demand(const model::AccountView& view) = 0;

  protected:
    ~JobCounting() = default;
};

/// What a view is asked for: the parts of a request that choose QOS, account and associations. Views borrow.
struct Lookup {
    std::uint32_t user_id = 0;
    std::string_view account; ///< empty: the user's default
    std::string_view qos;     ///< as requested; empty: the default
    bool has_reservation = false;
    bool takes_qos_lists = false; ///< whether "a,b" names two QOSs; else it is one name
    /// Who changes an existing job; nothing: a submission, of which nobody is exempt.
    std::optional<std::uint32_t> requester;
    std::uint32_t reader =
        0; ///< who reads the answer: what PrivateData hides from them is marked in the view
    /// Whether the answer may name what the request does not: partitions or reservations in the place of one
    /// that is not known. Then the view says for sure who the reader is.
    bool names_others = false;
    /// Whether the view lists what else the user could ask for: QOSs and accounts.
    bool lists_alternatives = false;
    std::span<const std::shared_ptr<const model::Partition>>
        partitions; ///< in the order slurmctld tries them
    /// Lets a provider ask, once, what the job comes to, and answer with a view that leaves_room instead of a
    /// whole one; null: the view is whole.
    JobCounting* counting = nullptr;
};

/// Threads: check() may run on several threads at once; a provider locks inside where it must.
class QuotaProvider {
  public:
    virtual ~QuotaProvider() = default;

    /// The QOSs, associations and usage that decide about such a job, copied.
    /// An unknown or forbidden QOS is not an error: it stands in AccountView::job_qos. Nor is a missing
    /// association: then AccountView::associations is empty.
    /// Errors: unavailable (no data yet, or the source is out of reach); not_found (there are no QOSs and no
    /// accounts, and never will be).
    [[nodiscard]] virtual Result<model::AccountView> check(const Lookup& lookup) const = 0;

    /// Books a job that starts under this view / frees it again. Where Slurm itself keeps the books these do
    /// nothing.
    virtual void allocate(const Lookup& lookup, const model::ResolvedJob& job);
    virtual void release(const Lookup& lookup, const model::ResolvedJob& job);

    /// Fetches fresh data where the provider holds a copy. Errors: unavailable.
    virtual Result<void> sync();
};

} // namespace qg::quota

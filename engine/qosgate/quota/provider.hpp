// SPDX-License-Identifier: GPL-2.0-or-later
//
// QuotaProvider: the source of the limits and the usage that decide about a job. One interface, so that one
// engine decides alike inside slurmctld, at the user's prompt and offline.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/resource_bounds.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace qg::quota {

/// Counts the job that a view is for, as soon as the view has its TRES, partitions, the flags of its QOS and,
/// where partitions ask for accounts, the names of its associations.
class JobBounds {
  public:
    /// The job's size. Empty if something other than a limit may prevent the job: then a whole view is
    /// needed. Ownership: what the bounds borrows lives as long as this object.
    [[nodiscard]] virtual std::optional<model::ResourceBounds> bounds(const model::AccountView& view) = 0;

  protected:
    ~JobBounds() = default;
};

/// The request for a view: the parts of a job request that choose QOS, account and associations. The string
/// views borrow.
struct Lookup {
    std::uint32_t user_id = 0;
    std::string_view account; ///< empty: the user's default
    std::string_view qos;     ///< as requested; empty: the default
    bool has_reservation = false;
    bool takes_qos_lists = false; ///< whether "a,b" names two QOSs; else it is one name
    /// Who changes an existing job; empty: a submission; then nobody is exempt from limits.
    std::optional<std::uint32_t> requester;
    bool keeps_qos = false;   ///< the change names no QOS: then operators cannot use any, either
    std::uint32_t reader = 0; ///< the reader of the answer; hidden records are marked in the view
    /// Whether the answer may name partitions or reservations that the request does not name, as suggestions
    /// for an unknown name. Then the view always says what is hidden from the reader.
    bool names_others = false;
    /// Whether the view lists alternatives for the user: QOSs and accounts.
    bool lists_alternatives = false;
    std::span<const std::shared_ptr<const model::Partition>>
        partitions; ///< in the order slurmctld tries them
    /// Lets a provider ask, once, for the job's size and answer with a view that is_within_limits instead of
    /// a whole view; null: the view is whole.
    JobBounds* job_bounds = nullptr;
    /// Gets the job's QOS as JobRecords::copy_qos() gives it; left alone if the job has none. Null: nobody
    /// wants it.
    std::optional<model::Qos>* own_qos = nullptr;
};

class JobRecords;

/// Reads records while a provider holds its locks on them.
class RecordsReader {
  public:
    /// Copies what it needs. It must not block, nor call the provider. If called again, the last time counts.
    virtual void read(const JobRecords& records) = 0;

  protected:
    ~RecordsReader() = default;
};

/// Threads: check() and read() may run on several threads at once; a provider locks internally if it must.
class QuotaProvider {
  public:
    virtual ~QuotaProvider() = default;

    /// The QOSs, associations and usage that decide about such a job, copied.
    /// An unknown or forbidden QOS is not an error: AccountView::job_qos reports it. A missing association is
    /// not an error either: AccountView::associations is then empty.
    /// Errors: unavailable (no data yet, or the source cannot be reached); not_found (there are no QOSs and
    /// accounts, and there never will be).
    [[nodiscard]] virtual Result<model::AccountView> check(const Lookup& lookup) const = 0;

    /// Calls `reader` with the records as the job of this look-up sees them (view_builder.hpp); partitions
    /// and account choose the association, everything else is ignored. Errors: as check(); unsupported if
    /// this provider cannot.
    [[nodiscard]] virtual Result<void> read(const Lookup& lookup, RecordsReader& reader) const {
        static_cast<void>(lookup);
        static_cast<void>(reader);
        return Error{ErrorCode::unsupported, "these records cannot be read one by one"};
    }

    /// Whether slurmctld lets a user do what only operators may. Root always may, even if nothing else is
    /// known.
    [[nodiscard]] virtual bool is_operator(std::uint32_t user_id) const { return user_id == 0; }
};

} // namespace qg::quota

// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a request to everything that decides about it: its partitions, what the provider knows of its user,
// account and QOSs, and what it comes to.
#pragma once

#include "qosgate/gate/count_job.hpp"
#include "qosgate/gate/partition_list.hpp"
#include "qosgate/quota/provider.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace qg::gate {

/// Whether a view has to be whole, or limits that leave room may be missing (AccountView::leaves_room).
enum class ViewKind : std::uint8_t { whole, may_leave_room };

/// The length of the texts that are read for each attempt to start the job.
std::size_t bytes_of_resources(const model::JobRequest& request);

/// Whether so many bytes are too many to be read for so many attempts: no partition needs hundreds of them.
constexpr bool is_too_long_for(std::size_t ways, std::size_t bytes) {
    constexpr std::size_t most_read = 16 * 1024;
    return ways > 1 && ways * bytes > most_read;
}

/// A request with everything that decides about it.
/// Ownership: borrows the request and the cluster.
struct Resolved {
    /// Resolves a request. `cluster` may be null (not known yet). Without a view the rest is filled in as far
    /// as it goes. `requester` changes the job; nothing: it is submitted.
    Resolved(const model::JobRequest& request, const model::Cluster* cluster,
             const quota::QuotaProvider& provider, limits::Release release,
             std::optional<std::uint32_t> requester = std::nullopt, ViewKind kind = ViewKind::whole);

    PartitionList partitions;
    // In this order: a provider may ask for counts while it makes the view.
    std::optional<JobCounter> counter; ///< never empty
    model::ResolvedJob job;
    Result<model::AccountView> known; ///< the view, or why there is none

    /// The view; without one, a view of nothing.
    [[nodiscard]] const model::AccountView& view() const { return known ? *known : nothing_known(); }

    /// Whether there is no account and no QOS that one could know.
    [[nodiscard]] bool has_no_accounts() const {
        return !known && known.error().code == ErrorCode::not_found;
    }

  private:
    class Counting;

    Result<model::AccountView> look_up(const model::JobRequest& request, const model::Cluster& cluster,
                                       const quota::QuotaProvider& provider, limits::Release release,
                                       std::optional<std::uint32_t> requester, ViewKind kind);
    void count(const model::JobRequest& request, const model::AccountView& view,
               const model::Cluster& cluster, limits::Release release);

    static const model::AccountView& nothing_known();
};

} // namespace qg::gate

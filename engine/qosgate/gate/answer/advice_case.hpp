// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the parts of advice share: the job, and its lines.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/nodes/known_nodes.hpp"
#include "qosgate/gate/nodes/reservations.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace qg::gate {

/// The job that the advice is about. Ownership: borrows the request and the cluster.
struct AdviceCase {
    AdviceCase(const ResolvedRequest& asked, bool knows_all_reservations)
        : resolved(asked), request(asked.request), cluster(asked.context.cluster),
          knows_reservations(knows_all_reservations), named(look_up_named_nodes(request, cluster.names)) {
        if (request.reservation && knows_reservations)
            named.reserved = look_up_reserved(find_shown_reservations(asked));
    }

    const ResolvedRequest& resolved;
    const model::JobRequest& request;
    const model::Cluster& cluster;
    bool knows_reservations; ///< no reservation was added since the cluster was read
    NamedNodes named;        ///< --nodelist, --exclude, --reservation

    [[nodiscard]] const model::AccountView& view() const { return resolved.view(); }
    [[nodiscard]] bool names_one_reservation() const {
        return request.reservation && request.reservation->find(',') == std::string::npos;
    }
    /// The begin of a sentence about the job's reservations. It must name one.
    [[nodiscard]] std::string its_reservations_have() const {
        return names_one_reservation() ? text::format("reservation {} has", *request.reservation)
                                       : "its reservations have";
    }
    /// The first of the job's partitions; it must have one.
    [[nodiscard]] const model::Partition& first_partition() const {
        return *view().partitions.front().partition;
    }
    /// Whether something holds for each of the job's partitions.
    template <typename Is>
    [[nodiscard]] bool are_all(Is is) const {
        return std::ranges::all_of(
            view().partitions, [&](const model::PartitionChoice& choice) { return is(*choice.partition); });
    }
};

/// The lines for the user: at most max_lines, each only once.
class AdviceLines {
  public:
    [[nodiscard]] std::size_t count() const noexcept { return advice_.lines.size(); }
    [[nodiscard]] bool is_full() const noexcept { return count() >= max_lines; }
    [[gnu::cold]] void add(std::string line, Handling handling = Handling::may_refuse) {
        if (handling == Handling::may_refuse) advice_.handling = handling;
        std::vector<std::string>& lines = advice_.lines;
        if (!is_full() && std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    [[nodiscard]] Advice take() { return std::move(advice_); }

  private:
    static constexpr std::size_t max_lines = 5;
    Advice advice_;
};

/// Advises on unknown names. With `may_tell_partitions`, also on nodes that are not in the job's partitions.
void advise_on_names(const AdviceCase& at, bool may_tell_partitions, AdviceLines& lines);

/// Advises on a --dependency that slurmctld cannot read. Whether its jobs exist does not matter.
void advise_on_dependency(const model::JobRequest& request, AdviceLines& lines);

/// Advises on a job that asks for more than the nodes of its partitions have, each or together. The reader
/// must be allowed to see the partitions.
void advise_on_size(const AdviceCase& at, AdviceLines& lines);

} // namespace qg::gate

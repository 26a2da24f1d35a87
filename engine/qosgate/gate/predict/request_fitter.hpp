// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes a request as little as possible to comply with one limit or one partition. Each function returns
// whether it changed anything; the caller must check the result.
#pragma once

#include "qosgate/gate/predict/fit_size.hpp"
#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/limits/violation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace qg::gate {

/// How partitions count a request other than it is written.
struct NodeRules {
    bool takes_whole_nodes = false;           ///< it gets all CPUs and GPUs of its nodes
    std::optional<std::uint64_t> mib_per_cpu; ///< MaxMemPerCPU: more memory raises the CPUs
};

/// Ownership: borrows everything.
class RequestFitter {
  public:
    /// `job` is the counted `request`, `time` the time limit that slurmctld would give it; `partitions` are
    /// those to fit it to, as indices of the view; `rules` is how they count it.
    RequestFitter(model::JobRequest& request, const model::ResolvedJob& job, const model::AccountView& view,
                  std::optional<TimeLimit> time, std::span<const std::size_t> partitions, NodeRules rules)
        : request_(request), job_(job), view_(view), time_(time), partitions_(partitions), rules_(rules) {}

    /// Complies with the limits of the first kind among: nodes, CPUs, other amounts, time. A change of one
    /// kind changes the counts of the later ones, which must be counted again first. Of several limits on one
    /// resource it complies with the strictest.
    bool satisfy(std::span<const limits::Violation> violations);

    /// Complies with a limit per node by spreading the same tasks over more nodes.
    bool spread(const limits::Violation& violation);

    /// Complies with a partition's bounds of time and size, except those that the job's QOS is exempt from.
    bool fit_into(const model::Partition& partition);
    /// The same for the bounds of size only.
    bool fit_size_into(const model::Partition& partition);

  private:
    enum class Turn : std::uint8_t { nodes, cpus, amounts, time };
    [[nodiscard]] Turn turn_of(const limits::Violation& violation) const;
    [[nodiscard]] std::string_view resource_of(std::size_t tres) const;
    bool satisfy_one(const limits::Violation& violation);
    bool satisfy_tres(const limits::Violation& violation, std::size_t tres);
    bool scale_time(const limits::Violation& violation);
    bool shorten_to(std::uint64_t minutes);
    bool fit_time_into(const model::Partition& partition);
    bool satisfy_gres(Amount amount, std::size_t tres);
    bool lower_memory_for_cpus(Amount cpus);
    [[nodiscard]] std::optional<TimeLimit> counted_time(const limits::Violation& violation) const;
    [[nodiscard]] bool is_memory_by_cpu() const;
    [[nodiscard]] std::uint64_t nodes() const;
    [[nodiscard]] std::uint64_t cpus_per_node() const;
    [[nodiscard]] std::uint64_t max_nodes() const;

    model::JobRequest& request_;
    const model::ResolvedJob& job_;
    const model::AccountView& view_;
    std::optional<TimeLimit> time_;
    std::span<const std::size_t> partitions_;
    NodeRules rules_;
    bool is_shortened_ = false; ///< the time limit, for an earlier violation
};

} // namespace qg::gate

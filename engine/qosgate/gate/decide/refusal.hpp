// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld refuses before it checks limits: partition, association, QOS (limits/README.md 2.1 steps 2
// and 3). Slurm's own texts only name the step; these give the reason.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/resolved_job.hpp"
#include "qosgate/model/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {

struct Refusal {
    model::RejectCode code = model::RejectCode::none;
    std::vector<std::string> lines;
};

/// The maximum of lines that a user reads about the problems of a job.
inline constexpr std::size_t max_problem_lines = 8;

/// The lines without duplicates. If there are more than `max`, the first ones and a last line with the number
/// left out.
std::vector<std::string> lines_once(std::vector<std::string> lines, std::size_t max = max_problem_lines);

/// Refuses a request that gives names as empty texts, which slurmctld looks up (model/looked_up_names.hpp).
std::optional<Refusal> check_empty_names(const model::JobRequest& request, const model::AccountView& view,
                                         limits::Release release);

/// The refusal of a job that asks for 0 nodes.
Refusal refuse_no_nodes(const model::JobRequest& request);

/// Whether slurmctld refuses 0 nodes of the job before it compares limits, and not when it selects nodes.
[[nodiscard]] inline bool is_refused_early_without_nodes(const model::JobRequest& request) noexcept {
    return !request.is_batch || request.is_het_part || request.array.has_value();
}

/// The nodes that a job gets at least.
[[nodiscard]] inline std::uint64_t min_nodes_of(const model::ResolvedJob& job,
                                                const model::AccountView& view) noexcept {
    const auto node = view.tres->node();
    return node ? model::count_at(job.tres, *node) : 1;
}

/// Whether slurmctld refuses a new job because it names fewer tasks than it gets nodes.
[[nodiscard]] inline bool has_too_few_tasks(const model::JobRequest& request, const model::ResolvedJob& job,
                                            const model::AccountView& view,
                                            limits::Release release) noexcept {
    return request.tasks && *request.tasks != 0 && release.follows(limits::rules::wants_task_for_each_node) &&
           *request.tasks < min_nodes_of(job, view);
}

/// The refusal of such a job.
Refusal refuse_too_few_tasks(std::uint32_t tasks, std::uint64_t nodes);

/// The refusal of a job whose --array is no list of indices, or has one from `max_array_size` on.
Refusal refuse_array(const model::JobRequest& request, std::uint32_t max_array_size);

/// Refuses a request with unknown partitions. `others` are those that may be suggested.
std::optional<Refusal> check_partition(std::span<const std::string> unknown,
                                       std::span<const std::string> others);

/// Refuses a user without an association if slurmctld enforces associations.
std::optional<Refusal> check_account(const model::AccountView& view, const model::JobRequest& request);

/// Refuses several partitions if the user has an association of its own for one of them.
std::optional<Refusal> check_partition_associations(const model::AccountView& view);

/// Why a job waits that keeps QosProblem::kept_not_permitted.
std::string kept_qos_text(const model::AccountView& view);

/// Refuses a QOS that does not exist, is not permitted or does not fit the request, and lists usable QOSs.
std::optional<Refusal> check_qos(const model::AccountView& view, limits::Release release);

} // namespace qg::gate

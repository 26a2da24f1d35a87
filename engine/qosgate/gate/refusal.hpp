// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld refuses before it looks at limits, and why, in words: partition, association, QOS
// (limits/README.md 2.1 steps 2 and 3). Slurm's own texts name the step only.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/decision.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {

struct Refusal {
    model::RejectCode code = model::RejectCode::none;
    std::vector<std::string> lines;
};

/// So many lines a user reads about the problems of a job.
inline constexpr std::size_t most_problem_lines = 8;

/// The lines, each once; of more than `most` the first ones, and as the last how many are left out.
std::vector<std::string> lines_once(std::vector<std::string> lines, std::size_t most = most_problem_lines);

/// A request that names partitions that do not exist. `others` are those that may be named instead.
std::optional<Refusal> refuse_partition(std::span<const std::string> unknown,
                                        std::span<const std::string> others);

/// A user without an association, where associations are enforced.
std::optional<Refusal> refuse_account(const model::AccountView& view, const model::JobRequest& request);

/// A QOS that does not exist, is not permitted, or does not fit the request; says which, and what may be
/// used.
std::optional<Refusal> refuse_qos(const model::AccountView& view, limits::Release release);

} // namespace qg::gate

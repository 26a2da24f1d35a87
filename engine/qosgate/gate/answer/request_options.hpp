// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests as options of sbatch, salloc and srun.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/model/tres_request.hpp"

#include <optional>
#include <span>
#include <string>

namespace qg::gate {

/// The options that turn `before` into `after`, such as "--gres=gpu:2 --time=08:00:00". Added to the command
/// that made `before`, they override its own options, its script and the environment. Empty if nothing
/// differs, or if no options can express a difference.
std::optional<std::string> format_changed_options(const model::JobRequest& before,
                                                  const model::JobRequest& after);

/// `request` with the changes from `before` to `after` applied.
model::JobRequest apply_changes(model::JobRequest request, const model::JobRequest& before,
                                const model::JobRequest& after);

/// Whether `request` contains all changes from `before` to `after`.
bool keeps_changes(const model::JobRequest& request, const model::JobRequest& before,
                   const model::JobRequest& after);

/// The inverse of model::parse_tres_request, in the spelling of a job description:
/// "gres:gpu:2,license:foo:1".
std::string format_tres_request(std::span<const model::TresItem> items);

/// The inverse of model::parse_licenses: "foo:2,bar:1".
std::string format_licenses(std::span<const model::TresItem> items);

} // namespace qg::gate

// SPDX-License-Identifier: GPL-2.0-or-later
//
// A request in the words of sbatch, salloc and srun.
#pragma once

#include "qosgate/gate/tres_request.hpp"
#include "qosgate/model/job_request.hpp"

#include <optional>
#include <span>
#include <string>

namespace qg::gate {

/// The options that turn `before` into `after`, such as "--gres=gpu:2 --time=08:00:00". Added to the command
/// that made `before` they overrule what it, its script or the environment says. Nothing where nothing
/// differs, or where no options are known to say it.
std::optional<std::string> format_changed_options(const model::JobRequest& before,
                                                  const model::JobRequest& after);

/// `request` with what `after` changes of `before`.
model::JobRequest apply_changes(model::JobRequest request, const model::JobRequest& before,
                                const model::JobRequest& after);

/// The inverse of parse_tres_request, in the spelling of a job description: "gres:gpu:2,license:foo:1".
std::string format_tres_request(std::span<const TresItem> items);

/// The inverse of parse_licenses: "foo:2,bar:1".
std::string format_licenses(std::span<const TresItem> items);

} // namespace qg::gate

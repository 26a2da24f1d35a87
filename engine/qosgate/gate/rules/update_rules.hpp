// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld does with a change of a job (limits/README.md 9).
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/gate.hpp"

#include <optional>
#include <string_view>

namespace qg::gate {

/// Why rules could not count the gres of a job after a change; empty: they can. slurmctld leaves the job all
/// gres that it had and the change does not name, and shows only what the change names; from 26.05 on not if
/// that is none at all. Of tasks for each GPU, which no command changes, it shows nothing. [L22, L26]
std::string_view why_gres_are_hidden(const model::JobUpdate& update, limits::Release release);

/// Whether slurmctld may give the job another time limit than the change says.
[[nodiscard]] bool may_change_time(const model::JobUpdate& update, limits::Release release) noexcept;

/// The time limit after such a change. `before` and `after` are the job before and after it, with their
/// limits. Cost: two evaluations.
std::optional<TimeLimit> time_after(const model::JobUpdate& update, const ResolvedRequest& before,
                                    const ResolvedRequest& after);

/// Judges a change. `before` and `after` are the job before and after it; this function adapts them to the
/// way slurmctld checks changes. Threads: pure.
void judge_update(model::Decision& decision, const model::JobUpdate& update, ResolvedRequest& before,
                  ResolvedRequest& after, const policy::Settings& settings);

} // namespace qg::gate

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Reasons of Slurm 22.05 to 26.05 that do not come from limits, and how Reasons are found in squeue's
// output.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::limits {

/// One Reason, explained for people; each text is one or more sentences.
struct OtherReason {
    std::string_view reason;  ///< as squeue shows it: one word or a text
    std::string_view meaning; ///< what it means
    std::string_view waiting; ///< whether waiting can help
    std::string_view change;  ///< what the user can do

    /// Whether `waiting` says that the job will start when time passes, other jobs end or nodes come back.
    /// That is so only if nothing else blocks the job for ever.
    [[nodiscard]] bool promises_start() const noexcept;
};

/// All of them, grouped by kind.
std::span<const OtherReason> other_reasons() noexcept;

/// The row of a Reason, ASCII case ignored; null: none.
const OtherReason* find_other_reason(std::string_view reason) noexcept;

/// The Reasons in a text of squeue, scontrol or sacct, each once, in order: "(ReqNodeNotAvail,
/// UnavailableNodes:n1)" is ReqNodeNotAvail and UnavailableNodes. A text of several words that Slurm uses is
/// one Reason. Any other word is a Reason by itself, known or not. Cost: linear.
std::vector<std::string> reasons_in(std::string_view shown_text);

} // namespace qg::limits

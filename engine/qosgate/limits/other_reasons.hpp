// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Reasons that no limit gives, of Slurm 22.05 to 26.05, and how Reasons are found in what squeue shows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::limits {

/// One Reason in words for people; each text is a sentence or more.
struct OtherReason {
    std::string_view reason;  ///< as squeue shows it: one word, or the text that squeue shows instead
    std::string_view meaning; ///< what Slurm says with it
    std::string_view waiting; ///< whether waiting can help
    std::string_view change;  ///< what the user can do
};

/// All of them, those of one kind together.
std::span<const OtherReason> other_reasons() noexcept;

/// The row of a Reason, ASCII case ignored; null: none.
const OtherReason* find_other_reason(std::string_view reason) noexcept;

/// The Reasons in a text of squeue, scontrol or sacct, each once, in order: "(ReqNodeNotAvail,
/// UnavailableNodes:n1)" is ReqNodeNotAvail and UnavailableNodes. A text of several words that Slurm uses is
/// one Reason, any other word is one by itself, known or not. Cost: linear.
std::vector<std::string> reasons_in(std::string_view shown);

} // namespace qg::limits

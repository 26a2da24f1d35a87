// SPDX-License-Identifier: GPL-2.0-or-later
//
// The catalogue of limits: the words for each limit, when waiting helps, and what a user can change.
// Explanations at submission and `qosgate reason TOKEN` both read from it.
#pragma once

#include "qosgate/limits/violation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::limits {

/// What people need to know about one limit, for QOSs and associations alike.
struct LimitText {
    std::string_view meaning; ///< a sentence: what is limited
    std::string_view waiting; ///< whether waiting can help
    std::string_view change;  ///< what the user can change
};

LimitText text_of(const LimitId& limit) noexcept;

/// The words for one TRES: "GPU" and "GPUs", "foo license" and "foo licenses".
struct Noun {
    std::string singular;
    std::string plural;
};
Noun tres_noun(std::string_view tres_name);

/// An amount of a TRES: "1 GPU", "4 CPUs", "8G of memory", "no GPUs".
std::string format_amount(std::string_view tres_name, std::uint64_t count);

/// A count of a TRES: "3", "4000M". For slurmctld's INFINITE nodes (README.md 8.3) what it stands for.
std::string format_count(std::string_view tres_name, std::uint64_t count);

/// "GPUs per user", "CPU minutes per job", "wall time per job": what a limit limits.
std::string subject_of(const LimitId& limit, std::string_view tres_name);

/// Minutes in Slurm's spelling of time: "08:00:00", or "UNLIMITED".
std::string format_time(std::uint64_t minutes);

/// A value of a limit, or what is used of it: "3", "4000M", "1-00:00:00". Minutes of TRES are a plain number,
/// as sacctmgr writes them.
std::string format_limit_value(const LimitId& limit, std::string_view tres_name, std::uint64_t value);

/// One meaning of a Reason token.
struct ReasonEntry {
    std::string_view reason;
    OwnerKind owner;
    LimitId limit;
    std::vector<model::TresKind> kinds; ///< the TRES it stands for; empty for limits without TRES
};

/// Every meaning of a token, ASCII case ignored; a token may stand for limits of both kinds of owner. Empty:
/// it is not the token of a limit.
std::vector<ReasonEntry> find_reason(std::string_view token);

/// All tokens of limits, each once, sorted.
std::vector<std::string> all_reasons();

} // namespace qg::limits

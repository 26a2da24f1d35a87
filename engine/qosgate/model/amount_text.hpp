// SPDX-License-Identifier: GPL-2.0-or-later
//
// Times and counts of QOSs as administrators write them, for commands and for spec files. They may have units
// that Slurm's own spellings (base/units.hpp) do not have.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace qg::model {

/// Seconds of a time with units, larger ones first and each once: "60s", "2h", "1d12h". Empty: it is none,
/// and may be a time in Slurm's spellings.
std::optional<std::uint64_t> parse_unit_seconds(std::string_view text) noexcept;

/// A count of a TRES, of mem in MiB: memory may end with B or iB ("2TB" is "2T"). All suffixes are powers of
/// 1024. Errors: those of units::parse_mib() and units::parse_count().
Result<std::uint64_t> parse_tres_count(std::string_view tres_name, std::string_view text);

} // namespace qg::model

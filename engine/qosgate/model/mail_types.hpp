// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kinds of mail that a job sends: bits of Slurm and their names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qg::model {

struct MailType {
    std::string_view name;
    std::uint16_t bit;
};

/// In the order in which scontrol shows them.
inline constexpr std::array<MailType, 11> mail_types{{
    {"ARRAY_TASKS", 1u << 9u},
    {"INVALID_DEPEND", 1u << 10u},
    {"BEGIN", 1u << 0u},
    {"END", 1u << 1u},
    {"FAIL", 1u << 2u},
    {"REQUEUE", 1u << 3u},
    {"STAGE_OUT", 1u << 8u},
    {"TIME_LIMIT_50", 1u << 7u},
    {"TIME_LIMIT_80", 1u << 6u},
    {"TIME_LIMIT_90", 1u << 5u},
    {"TIME_LIMIT", 1u << 4u},
}};
inline constexpr std::uint16_t all_mail_types = (1u << mail_types.size()) - 1;

/// What --mail-type=ALL stands for.
inline constexpr std::uint16_t mail_type_all =
    1u << 0u | 1u << 1u | 1u << 2u | 1u << 3u | 1u << 8u | 1u << 10u;

} // namespace qg::model

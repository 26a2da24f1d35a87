// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurm_names: the constants of the table `slurm` that scripts for job_submit/lua use. The numbers are part
// of Slurm's protocol and the same in all releases; a test compares them with Slurm's headers.
#pragma once

#include <span>
#include <string_view>

namespace qg::policy::compat {

struct NamedNumber {
    std::string_view name; ///< a literal
    double number;
};

/// ESLURM_INVALID_QOS and the like, of every release.
std::span<const NamedNumber> error_codes() noexcept;

/// NO_VAL, MEM_PER_CPU, SUCCESS and the like.
std::span<const NamedNumber> constants() noexcept;

} // namespace qg::policy::compat

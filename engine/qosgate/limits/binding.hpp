// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limits that count for jobs of one user, account, QOS and partition, whatever a job asks for: those that
// no other limit hides (limits/README.md 3). They come from the tables of the stages.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/limits/violation.hpp"
#include "qosgate/model/account_view.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace qg::limits {

/// A limit that counts. Numbers are in the units of Violation.
struct BindingLimit {
    LimitId limit;
    Owner owner;
    std::optional<std::size_t> tres; ///< for TRES limits: index into the catalogue
    std::uint64_t value = 0;         ///< after LimitFactor
    std::uint64_t used = 0;          ///< by all jobs that count together; 0 for limits on each job
    std::string_view reason;         ///< Slurm's Reason token; a literal
};

/// All of them, in Slurm's order: QOSs, then associations from the user to the root. `partition` is an index
/// into the view. A limit of several stages counts as the last attempt to start a job sees it. Limits of the
/// QOS of a partition that is hidden from the reader are left out. Empty without `limits` in
/// AccountingStorageEnforce. Threads: pure.
std::vector<BindingLimit> find_binding_limits(const model::AccountView& view, std::size_t partition,
                                              Release release);

/// What a usage holds against a limit: TRES, minutes or jobs.
[[nodiscard]] std::uint64_t used_against(const LimitId& limit, std::optional<std::size_t> tres,
                                         const model::Usage& usage) noexcept;

} // namespace qg::limits

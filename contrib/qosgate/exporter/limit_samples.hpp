// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limits of QOSs and accounts with what is used of them: one row for each value that is set.
#pragma once

#include "cluster_state.hpp"

#include "qosgate/model/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::cli {

struct LimitRow {
    std::string owner; ///< the QOS or the account
    model::LimitId limit;
    std::string tres = {};   ///< empty: the limit has none
    std::uint64_t value = 0; ///< in Slurm's units
    /// By all jobs; of a limit per user or per account: by the one that uses most. Empty: each job has the
    /// limit by itself, or slurmctld does not count what it is compared with.
    std::optional<std::uint64_t> used = {};
    /// Who uses it, most first; those who use nothing are left out. A limit per user names no accounts, and
    /// one per account no users.
    std::vector<std::pair<std::string, std::uint64_t>> accounts = {};
    std::vector<std::pair<std::uint32_t, std::uint64_t>> users = {};

    [[nodiscard]] std::uint64_t left() const noexcept { return value - std::min(value, used.value_or(0)); }
    /// From 0 up to 1, or beyond if more is used than allowed. Empty like `used`.
    [[nodiscard]] std::optional<double> share() const noexcept;
    /// What one unit of `value` is in seconds, bytes or pieces.
    [[nodiscard]] double unit() const noexcept;
};

/// What one of a TRES is in bytes or pieces.
double tres_unit(std::string_view tres) noexcept;

/// Whose jobs count together: "job", "node", "user", "account" or "all".
std::string_view counts_of(const model::LimitId& limit) noexcept;

/// All rows of all QOSs, in the order of the records and of the catalogue of limits.
std::vector<LimitRow> find_qos_rows(const quota::LocalRecords& records, limits::Release release);

/// The same of accounts: limits of all jobs of the account and of those below it.
std::vector<LimitRow> find_account_rows(const quota::LocalRecords& records);

} // namespace qg::cli

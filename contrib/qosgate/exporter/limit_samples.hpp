// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limits of QOSs and accounts with what is used of them: one row for each value that is set.
#pragma once

#include "cluster_state.hpp"

#include "qosgate/limits/set_limit.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::cli {

/// Of a limit per user or per account `used` is that of the one who uses most.
struct LimitRow : limits::SetLimit {
    std::string owner; ///< the QOS or the account
    /// Who uses it, most first; those who use nothing are left out. A limit per user names no accounts, and
    /// one per account no users.
    std::vector<std::pair<std::string, std::uint64_t>> accounts = {};
    std::vector<std::pair<std::uint32_t, std::uint64_t>> users = {};

    /// What one unit of `value` is in seconds, bytes or pieces.
    [[nodiscard]] double unit() const noexcept;
};

/// What one of a TRES is in bytes or pieces.
double tres_unit(std::string_view tres) noexcept;

/// Whose jobs count together: "job", "node", "user", "account" or "all".
std::string_view counts_of(const model::LimitFacts& facts) noexcept;

/// All rows of all QOSs, in the order of the records and of the catalogue of limits.
std::vector<LimitRow> find_qos_rows(const quota::LocalRecords& records, limits::Release release);

/// The same of accounts: limits of all jobs of the account and of those below it.
std::vector<LimitRow> find_account_rows(const quota::LocalRecords& records);

} // namespace qg::cli

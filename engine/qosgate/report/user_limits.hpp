// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserLimits: the limits that count for a user in each account, with each QOS and in each partition, and how
// much of them is left.
#pragma once

#include "qosgate/limits/binding.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/limits/set_limit.hpp"
#include "qosgate/report/user_world.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qg::report {

/// Amounts by name: who holds what.
using Amounts = std::vector<std::pair<std::string, std::uint64_t>>;

/// A limit that counts, for people and with what is used of it.
struct LimitUse {
    limits::BindingLimit limit;
    std::string tres;                  ///< "gres/gpu"; empty: the limit has none
    std::string subject;               ///< "GPUs per user"
    std::string set_by;                ///< "QOS gpu", "account physics"
    std::string owner;                 ///< the name alone: "gpu", "physics"
    std::string partition = {};        ///< set if it is the QOS of a partition
    std::optional<std::uint64_t> mine; ///< the part of `limit.used` that is the user's; empty: not known
    bool hides_usage = false;          ///< PrivateData hides `limit.used` from the reader
    /// Jobs that ask for the resource without a type are not held by it, and count as its use.
    bool is_passed_by_untyped = false;
    std::optional<Amounts> users =
        {}; ///< who holds it, most first; empty: not asked for, not known or hidden

    /// Whether several jobs count together.
    [[nodiscard]] bool counts_others() const noexcept;
    /// How much may still be used; empty: it limits each job by itself, or the usage is hidden.
    [[nodiscard]] std::optional<std::uint64_t> left() const noexcept;
    /// The used part, from 0 to 1; empty likewise. A limit of zero is used up.
    [[nodiscard]] std::optional<double> share() const noexcept;
    /// Whether more is used than it allows; false if that is not known.
    [[nodiscard]] bool is_exceeded() const noexcept;
    /// Whether it is zero and of a TRES that a job has only if it asks for it, such as GPUs: then it forbids
    /// that TRES, and other jobs do not meet it.
    [[nodiscard]] bool forbids_tres() const noexcept;
};

/// What counts with some QOSs in some partitions, alike.
struct LimitGroup {
    std::vector<std::string> qos;        ///< empty: the jobs have no QOS
    std::vector<std::string> partitions; ///< empty: all that have no QOS of their own
    std::vector<LimitUse> limits;
    std::optional<std::size_t> first = {}; ///< the limit with the least left; empty: nothing is used

    /// Whether the same limits count, with the same usage.
    [[nodiscard]] bool has_same_limits(const LimitGroup& other) const;
};

struct AccountLimits {
    std::string name;
    bool is_default = false;
    bool hides_limits = false; ///< PrivateData hides limits of accounts above from the reader
    std::string default_qos;
    std::vector<LimitGroup> groups;
    std::vector<std::string> qos_refusal =
        {}; ///< what sbatch says of the QOS that is asked for; empty: nothing
};

struct UserLimits {
    JobUser user;
    bool is_enforced = true; ///< AccountingStorageEnforce has `limits`
    bool knows_partitions = true;
    bool hides_users = false; ///< PrivateData hides from the reader who holds what
    std::vector<AccountLimits> accounts;
};

/// What is shown of them.
struct LimitsQuery {
    std::string account;      ///< empty: all
    std::string qos;          ///< empty: all
    std::string partition;    ///< empty: all that are open to everybody
    bool lists_users = false; ///< who holds what
};

/// The limits of a user, as `reader` may see them. Errors: not_found for an account, QOS or partition that
/// the user does not have, and for a user without accounts. Cost: some microseconds for each account, QOS and
/// partition.
Result<UserLimits> find_user_limits(const UserWorld& world, const JobUser& user, std::uint32_t reader,
                                    const LimitsQuery& query, limits::Release release);

} // namespace qg::report

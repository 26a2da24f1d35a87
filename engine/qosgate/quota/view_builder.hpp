// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes the view of one job from a provider's records, the same way for every provider.
#pragma once

#include "qosgate/quota/choose_qos.hpp"
#include "qosgate/quota/provider.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::quota {

/// A job's user and the account that it uses; empty if they are not known. The string views borrow.
struct JobOwner {
    std::string_view user_name;
    std::string_view account;
};

/// AdminLevel of a user.
enum class AdminLevel : std::uint8_t { none, operators, administrator };

/// A user's record.
struct UserRecord {
    std::uint32_t id = 0;
    std::string name = {};                     ///< empty: accounting does not know the user
    std::string default_account = {};          ///< empty: none
    AdminLevel level = AdminLevel::none;       ///< root and SlurmUser are administrators
    std::vector<std::string> coordinates = {}; ///< accounts, at most max_coordinates
    bool coordinates_more = false;             ///< than these
    /// The names of the Linux groups, the primary one first, in a world; empty: they are not known.
    std::optional<std::vector<std::string>> groups = {};

    static constexpr std::size_t max_coordinates = 1024;
};

/// The accounts in which a user has an association.
struct UserAccounts {
    std::vector<model::UserAccount> all; ///< in any order, with repetitions
    bool is_complete = true;             ///< false: a bound ended the search
};

/// How far slurmctld's records are searched for a user's accounts, while its locks are held.
struct AccountBounds {
    std::size_t checked; ///< associations of the cluster
    std::size_t found;   ///< associations of the user
};
inline constexpr AccountBounds bounds_for_messages{10'000, 16};
inline constexpr AccountBounds bounds_for_rules{50'000, 1'024};

/// Jobs as slurmctld counts them.
struct JobCounts {
    std::uint64_t running = 0;
    std::uint64_t submitted = 0; ///< pending and running; tasks of an array count singly
    bool is_complete = true;     ///< false: a bound ended the search
};

/// A provider's records, seen from one job. QOS ids are those of QosDirectory.
class JobRecords : public QosDirectory {
  public:
    [[nodiscard]] virtual std::shared_ptr<const model::TresCatalogue> tres() const = 0; ///< never null
    [[nodiscard]] virtual model::Enforce enforce() const = 0;
    [[nodiscard]] virtual model::PrivateData private_data() const = 0;

    [[nodiscard]] virtual JobOwner owner() const = 0;
    /// The names of the job's association and those above it, up to the root.
    [[nodiscard]] virtual std::vector<model::Association> name_associations() const = 0;
    /// The same with limits and usage.
    [[nodiscard]] virtual std::vector<model::Association> copy_associations() const = 0;

    /// Whether slurmctld finds the job's association for this partition, too. Asked if there is one.
    [[nodiscard]] virtual bool has_same_association(const std::string& partition) const = 0;

    /// Whether there is a QOS with that id: a default QOS may have been deleted.
    [[nodiscard]] virtual bool has_qos(std::uint32_t qos) const = 0;
    /// The name of an existing QOS.
    [[nodiscard]] virtual std::string_view qos_name(std::uint32_t qos) const = 0;
    /// An existing QOS with its limits, its total usage, and the usage of this job's user and account.
    [[nodiscard]] virtual model::Qos copy_qos(std::uint32_t qos) const = 0;

    /// The same, but with all usage, also where nothing limits it.
    [[nodiscard]] virtual std::vector<model::Association> copy_associations_with_usage() const {
        return copy_associations();
    }
    [[nodiscard]] virtual model::Qos copy_qos_with_usage(std::uint32_t qos) const { return copy_qos(qos); }

    /// Whether the job fits all limits of these QOSs and of the associations, and nothing else prevents it.
    /// True is certain; false may be wrong. Calls Lookup::job_bounds with `view`.
    [[nodiscard]] virtual bool is_within_limits(const model::AccountView& view,
                                                std::span<const std::uint32_t> qos) const {
        static_cast<void>(view);
        static_cast<void>(qos);
        return false;
    }

    // The alternatives for the user, in any order.
    [[nodiscard]] virtual std::vector<std::string> permitted_names() const = 0;
    [[nodiscard]] virtual UserAccounts accounts(AccountBounds bounds) const = 0;
    /// The jobs of the user in all accounts.
    [[nodiscard]] virtual JobCounts count_jobs_of_user(AccountBounds bounds) const = 0;
    [[nodiscard]] virtual std::string default_account() const = 0;

    /// Whether the user has operator rights in slurmctld.
    [[nodiscard]] virtual bool is_operator(std::uint32_t user_id) const = 0;
    [[nodiscard]] virtual UserRecord copy_user(std::uint32_t user_id) const = 0;
    /// The accounts that a user coordinates.
    [[nodiscard]] virtual std::vector<std::string_view> coordinated_accounts(std::uint32_t user_id) const = 0;
};

/// The names in their order, each once.
template <typename Name>
std::vector<Name> sorted(std::vector<Name> names) {
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    return names;
}

/// The view of a job, as slurmctld would find it in these records.
/// Threads: those of the records.
model::AccountView build_view(const JobRecords& records, const Lookup& lookup);

} // namespace qg::quota

// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserGroups: where rules get the Linux groups of users from: a table that a thread fills, a captured world,
// or the directory service itself.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/directory.hpp"
#include "qosgate/quota/user_directory.hpp"
#include "qosgate/quota/view_builder.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace qg::quota {

/// Threads: as the implementation says.
class UserGroups {
  public:
    UserGroups() = default;
    UserGroups(const UserGroups&) = delete;
    UserGroups& operator=(const UserGroups&) = delete;
    virtual ~UserGroups() = default;

    /// The names of all groups of a user, the primary one first, without those that have no name. Errors:
    /// unavailable if they are not known (yet); not_found if there is no such user.
    [[nodiscard]] virtual Result<std::vector<std::string>> groups_of(std::uint32_t user_id) const = 0;
};

/// The groups of a user that have a name.
std::vector<std::string> names_of_groups(const model::DirectoryUser& user);

/// The error for a user id that the directory service does not know.
Error no_such_user(std::uint32_t user_id);

/// The groups that records have. Threads: safe.
class RecordedGroups final : public UserGroups {
  public:
    /// `cure` says where groups come from: the end of a message about a user whose groups are not there.
    RecordedGroups(std::span<const UserRecord> users, std::string cure);

    [[nodiscard]] Result<std::vector<std::string>> groups_of(std::uint32_t user_id) const override;

  private:
    std::unordered_map<std::uint32_t, std::vector<std::string>> groups_;
    std::string cure_;
};

/// The groups as the directory service tells them when somebody asks; each answer is kept. Threads: not safe,
/// and blocking.
class AskedGroups final : public UserGroups {
  public:
    explicit AskedGroups(std::unique_ptr<UserDirectory> directory = std::make_unique<SystemDirectory>());

    [[nodiscard]] Result<std::vector<std::string>> groups_of(std::uint32_t user_id) const override;

  private:
    [[nodiscard]] Result<std::vector<std::string>> ask(std::uint32_t user_id) const;
    [[nodiscard]] Result<std::string> name_of(std::uint32_t group_id) const;

    std::unique_ptr<UserDirectory> directory_;
    mutable std::map<std::uint32_t, Result<std::vector<std::string>>> answers_;
    mutable std::map<std::uint32_t, std::string> names_; ///< of groups; empty: it has none
};

} // namespace qg::quota

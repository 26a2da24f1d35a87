// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserDirectory: questions to the host's directory service (files, LDAP, sssd). Each may take long, or hang.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/directory.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace qg::quota {

/// Errors: unavailable if the service gives no answer; not_found if it is down or there is nothing of that
/// name, which some services do not distinguish. An empty result: there is nothing of that name.
/// Threads: as the implementation says.
class UserDirectory {
  public:
    UserDirectory() = default;
    UserDirectory(const UserDirectory&) = delete;
    UserDirectory& operator=(const UserDirectory&) = delete;
    virtual ~UserDirectory() = default;

    /// The groups have no names yet.
    [[nodiscard]] virtual Result<std::optional<model::DirectoryUser>> find_user(const std::string& name) = 0;
    [[nodiscard]] virtual Result<std::optional<std::string>> find_user_name(std::uint32_t id) = 0;
    [[nodiscard]] virtual Result<std::optional<model::DirectoryGroup>>
    find_group(const std::string& name) = 0;
    [[nodiscard]] virtual Result<std::optional<model::DirectoryGroup>> find_group(std::uint32_t id) = 0;
};

/// The one of this host. Threads: safe, and blocking.
class SystemDirectory final : public UserDirectory {
  public:
    [[nodiscard]] Result<std::optional<model::DirectoryUser>> find_user(const std::string& name) override;
    [[nodiscard]] Result<std::optional<std::string>> find_user_name(std::uint32_t id) override;
    [[nodiscard]] Result<std::optional<model::DirectoryGroup>> find_group(const std::string& name) override;
    [[nodiscard]] Result<std::optional<model::DirectoryGroup>> find_group(std::uint32_t id) override;
};

} // namespace qg::quota

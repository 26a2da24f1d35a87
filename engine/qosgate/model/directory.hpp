// SPDX-License-Identifier: GPL-2.0-or-later
//
// Users and groups as the host's directory service knows them (passwd and group of getent).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qg::model {

struct DirectoryGroup {
    std::string name;
    std::uint32_t id = 0;
    std::string password; ///< what getent shows there
    std::vector<std::string> members;
    friend bool operator==(const DirectoryGroup&, const DirectoryGroup&) = default;
};

/// A group of a user.
struct GroupName {
    std::uint32_t id = 0;
    std::string name; ///< empty: the directory has no name for it
    friend bool operator==(const GroupName&, const GroupName&) = default;
};

struct DirectoryUser {
    std::string name;
    std::uint32_t id = 0;
    std::uint32_t group_id = 0;
    std::string password; ///< what getent shows there
    std::string full_name;
    std::string home;
    std::string shell;
    std::vector<GroupName> groups; ///< all, the primary one first
    friend bool operator==(const DirectoryUser&, const DirectoryUser&) = default;
};

} // namespace qg::model

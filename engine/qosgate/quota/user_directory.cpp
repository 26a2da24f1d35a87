// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/user_directory.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include <grp.h>
#include <pwd.h>

namespace qg::quota {
namespace {

constexpr std::size_t max_record = std::size_t{4} * 1024 * 1024; ///< bytes of one record of the directory
constexpr int max_groups = 4096;                                 ///< of one user

Error no_answer(std::string_view what, int number) {
    std::array<char, 128> buffer{};
    return {ErrorCode::unavailable, text::format("the directory service does not answer {}: {}", what,
                                                 strerror_r(number, buffer.data(), buffer.size()))};
}

std::string to_text(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
}

/// Calls one of the functions get…_r with buffers of growing size. `use` gets the record, or null.
template <typename Record, typename Ask, typename Use>
auto ask_directory(std::string_view what, Ask ask, Use use) -> Result<decltype(use(nullptr))> {
    std::vector<char> buffer(std::size_t{16} * 1024);
    for (;;) {
        Record record{};
        Record* found = nullptr;
        // The C library leaves errno alone if a service that is down sets none; 0 would mean "there is none".
        errno = EIO;
        const int problem = ask(record, buffer, found);
        if (problem == 0) return use(found);
        // Some services answer so for "there is none", others if they are down.
        if (problem == ENOENT || problem == ESRCH)
            return Error{ErrorCode::not_found, no_answer(what, problem).message};
        if (problem != ERANGE || buffer.size() >= max_record) return no_answer(what, problem);
        buffer.resize(buffer.size() * 4);
    }
}

Result<bool> has_user(const std::string& name) {
    return ask_directory<passwd>(
        "user " + name,
        [&](passwd& record, std::vector<char>& buffer, passwd*& found) {
            return getpwnam_r(name.c_str(), &record, buffer.data(), buffer.size(), &found);
        },
        [](const passwd* found) { return found != nullptr; });
}

/// The primary group first, none twice.
Result<std::vector<model::GroupName>> find_groups(const std::string& name, gid_t primary) {
    std::vector<gid_t> ids(64);
    for (;;) {
        int count = static_cast<int>(ids.size());
        if (getgrouplist(name.c_str(), primary, ids.data(), &count) >= 0) {
            ids.resize(static_cast<std::size_t>(count));
            break;
        }
        if (static_cast<int>(ids.size()) >= max_groups)
            return Error{ErrorCode::unavailable,
                         text::format("user {} is in more than {} groups", name, max_groups)};
        ids.resize(std::min<std::size_t>(ids.size() * 4, max_groups));
    }
    std::vector<model::GroupName> groups{{primary, {}}};
    for (const gid_t id : ids)
        if (std::ranges::find(groups, id, &model::GroupName::id) == groups.end()) groups.push_back({id, {}});
    // getgrouplist() does not tell that a service is down: it then gives the primary group only.
    if (groups.size() == 1)
        if (const auto answers = has_user(name); !answers) return answers.error();
    return groups;
}

std::optional<model::DirectoryGroup> to_group(const group* found) {
    if (found == nullptr) return std::nullopt;
    model::DirectoryGroup made{to_text(found->gr_name), found->gr_gid, to_text(found->gr_passwd), {}};
    for (char** member = found->gr_mem; member != nullptr && *member != nullptr; ++member)
        made.members.emplace_back(*member);
    return made;
}

} // namespace

Result<std::optional<model::DirectoryUser>> SystemDirectory::find_user(const std::string& name) {
    auto user = ask_directory<passwd>(
        "user " + name,
        [&](passwd& record, std::vector<char>& buffer, passwd*& found) {
            return getpwnam_r(name.c_str(), &record, buffer.data(), buffer.size(), &found);
        },
        [](const passwd* found) -> std::optional<model::DirectoryUser> {
            if (found == nullptr) return std::nullopt;
            return model::DirectoryUser{.name = to_text(found->pw_name),
                                        .id = found->pw_uid,
                                        .group_id = found->pw_gid,
                                        .password = to_text(found->pw_passwd),
                                        .full_name = to_text(found->pw_gecos),
                                        .home = to_text(found->pw_dir),
                                        .shell = to_text(found->pw_shell),
                                        .groups = {}};
        });
    if (!user || !*user) return user;
    auto groups = find_groups(name, (*user)->group_id);
    if (!groups) return groups.error();
    (*user)->groups = *std::move(groups);
    return user;
}

Result<std::optional<std::string>> SystemDirectory::find_user_name(std::uint32_t id) {
    return ask_directory<passwd>(
        text::format("the user of id {}", id),
        [&](passwd& record, std::vector<char>& buffer, passwd*& found) {
            return getpwuid_r(id, &record, buffer.data(), buffer.size(), &found);
        },
        [](const passwd* found) {
            return found == nullptr ? std::optional<std::string>() : to_text(found->pw_name);
        });
}

Result<std::optional<model::DirectoryGroup>> SystemDirectory::find_group(const std::string& name) {
    return ask_directory<group>(
        "group " + name,
        [&](group& record, std::vector<char>& buffer, group*& found) {
            return getgrnam_r(name.c_str(), &record, buffer.data(), buffer.size(), &found);
        },
        &to_group);
}

Result<std::optional<model::DirectoryGroup>> SystemDirectory::find_group(std::uint32_t id) {
    return ask_directory<group>(
        text::format("the group of id {}", id),
        [&](group& record, std::vector<char>& buffer, group*& found) {
            return getgrgid_r(id, &record, buffer.data(), buffer.size(), &found);
        },
        &to_group);
}

} // namespace qg::quota

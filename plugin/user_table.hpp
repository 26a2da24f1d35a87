// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserTable: users and their groups, as the host's directory service knows them. A thread asks the service
// beforehand about all users of slurmctld's accounting records, and again every few minutes; no submission
// waits for it. It starts to ask when something in force needs users. If the service hangs, only the thread
// hangs with it, and what was known stays.
//
//   UserTable users({.list_users = …});
//   users.start();                                // in init()
//   users.need();                                 // a script or rule in force asks for users
//   if (const auto groups = users.groups_of("ana")) …   // empty: not known, or not known yet
//
// Names that accounting does not have are asked about soon after somebody looked for them.
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/model/directory.hpp"
#include "user_directory.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// What the table knows about one name.
template <typename Record>
struct Known {
    bool is_known = false;                ///< false: it was not asked about yet, or there was no answer
    std::shared_ptr<const Record> record; ///< null: there is nothing of that name, or it is not known
};

/// How a table works; the defaults are those of the plugin.
struct UserTableOptions {
    std::chrono::milliseconds look_interval{1000};      ///< between two looks for what is missing
    std::chrono::milliseconds listing_interval{10'000}; ///< between two looks into accounting
    std::chrono::milliseconds refresh_interval{300'000};
    std::size_t max_users = 20'000; ///< of accounting; of more, those that submit jobs are known
    /// The names of at most that many users of accounting; null: none.
    std::function<std::vector<std::string>(std::size_t max_users)> list_users = {};
};

/// Threads: safe. Owns one DetachedThread.
class UserTable {
  public:
    /// How many names that accounting lacks are remembered.
    static constexpr std::size_t max_asked = 1000;

    explicit UserTable(UserTableOptions options,
                       std::unique_ptr<UserDirectory> directory = std::make_unique<SystemDirectory>());
    UserTable(const UserTable&) = delete;
    UserTable& operator=(const UserTable&) = delete;
    ~UserTable();

    /// Starts the thread, once. If it cannot be created, this is logged and no user is known.
    void start() noexcept;

    /// From now on the directory service is asked. Cost: the first call wakes the thread.
    void need() noexcept;

    /// Cost: a look-up in a map; the first look for an unknown name wakes the thread.
    [[nodiscard]] Known<model::DirectoryUser> find_user(std::string_view name) const;
    [[nodiscard]] Known<model::DirectoryUser> find_user(std::uint32_t id) const;
    [[nodiscard]] Known<model::DirectoryGroup> find_group(std::string_view name) const;

    /// The names of all groups of a user, the primary one first, without those that have no name; empty: not
    /// known, or not known yet, or there is no such user.
    [[nodiscard]] std::optional<std::vector<std::string>> groups_of(std::string_view user_name) const;

    /// How many users are known.
    [[nodiscard]] std::size_t count() const;
    /// When the last look at all users ended; empty: not yet.
    [[nodiscard]] std::optional<std::time_t> read_at() const;
    /// What the directory service answered last instead of a user; empty: no problem.
    [[nodiscard]] std::string last_error() const;

    /// Asks the thread to end and waits for it, but not longer than `patience`.
    void stop(std::chrono::milliseconds patience);

  private:
    struct Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    mutable DetachedThread thread_;
};

} // namespace qg::plugin

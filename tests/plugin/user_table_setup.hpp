// SPDX-License-Identifier: GPL-2.0-or-later
//
// What tests of the table of users share: a directory service, and a table that asks it.
#pragma once

#include "records/user_table.hpp"

#include "qosgate/base/text.hpp"
#include "support/comes_true.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace qg::test {

using namespace std::chrono_literals;
using plugin::UserTable;

/// What the test's directory service knows and does. Threads: internally locked.
struct Service {
    std::mutex mutex;
    std::map<std::string, model::DirectoryUser> users;
    std::map<std::string, model::DirectoryGroup> groups;
    bool is_down = false;
    qg::ErrorCode code = qg::ErrorCode::unavailable; ///< of its errors
    int questions = 0;
    std::set<std::string> failing; ///< users without an answer
    std::set<std::uint32_t> failing_groups;
    std::atomic<int> failures_of_groups = 0;        ///< answers about these
    std::map<std::uint32_t, std::string> id_names;  ///< instead of the users' own
    std::atomic<std::chrono::milliseconds> delay{}; ///< of each answer
    std::atomic<std::chrono::nanoseconds> busy{};   ///< all of them

    void add_group(const std::string& name, std::uint32_t id) {
        const std::scoped_lock lock(mutex);
        groups[name] = {name, id, "x", {}};
    }
    void add_user(const std::string& name, std::uint32_t id, std::vector<std::uint32_t> ids) {
        const std::scoped_lock lock(mutex);
        model::DirectoryUser user{name, id, ids.front(), "x", {}, {}, {}, {}};
        for (const std::uint32_t group : ids)
            user.groups.push_back({group, {}});
        users[name] = user;
    }
    void set_shell(const std::string& name, const std::string& shell) {
        const std::scoped_lock lock(mutex);
        users[name].shell = shell;
    }
    void set_down(bool is_now_down) {
        const std::scoped_lock lock(mutex);
        is_down = is_now_down;
    }
};

class FakeDirectory final : public quota::UserDirectory {
  public:
    explicit FakeDirectory(std::shared_ptr<Service> service) : service_(std::move(service)) {}

    Result<std::optional<model::DirectoryUser>> find_user(const std::string& name) override {
        {
            const std::scoped_lock lock(service_->mutex);
            if (service_->failing.contains(name)) return Error{service_->code, "no answer about " + name};
        }
        return find<model::DirectoryUser>(service_->users,
                                          [&](const auto& row) { return row.first == name; });
    }
    Result<std::optional<std::string>> find_user_name(std::uint32_t id) override {
        {
            const std::scoped_lock lock(service_->mutex);
            const auto name = service_->id_names.find(id);
            if (name != service_->id_names.end()) {
                ++service_->questions;
                return std::optional(name->second);
            }
        }
        const auto user =
            find<model::DirectoryUser>(service_->users, [&](const auto& row) { return row.second.id == id; });
        if (!user) return user.error();
        return *user ? std::optional((*user)->name) : std::optional<std::string>();
    }
    Result<std::optional<model::DirectoryGroup>> find_group(const std::string& name) override {
        return find<model::DirectoryGroup>(service_->groups,
                                           [&](const auto& row) { return row.first == name; });
    }
    Result<std::optional<model::DirectoryGroup>> find_group(std::uint32_t id) override {
        {
            const std::scoped_lock lock(service_->mutex);
            if (service_->failing_groups.contains(id)) {
                ++service_->failures_of_groups;
                return Error{service_->code, text::format("no answer about group {}", id)};
            }
        }
        return find<model::DirectoryGroup>(service_->groups,
                                           [&](const auto& row) { return row.second.id == id; });
    }

  private:
    template <typename Record, typename Rows, typename Is>
    Result<std::optional<Record>> find(const Rows& rows, Is is) {
        if (const auto delay = service_->delay.load(); delay > 0ms) {
            const auto begin = std::chrono::steady_clock::now();
            std::this_thread::sleep_for(delay);
            service_->busy = service_->busy.load() + (std::chrono::steady_clock::now() - begin);
        }
        const std::scoped_lock lock(service_->mutex);
        ++service_->questions;
        if (service_->is_down) return Error{service_->code, "the directory is down"};
        for (const auto& row : rows)
            if (is(row)) return std::optional<Record>(row.second);
        return std::optional<Record>();
    }

    std::shared_ptr<Service> service_;
};

struct UserTableSetup {
    UserTableSetup() {
        service->add_group("staff", 50);
        service->add_group("gpu", 60);
        service->add_user("ana", 1001, {50, 60, 77});
    }

    std::shared_ptr<Service> service = std::make_shared<Service>();
    std::vector<std::string> accounting{"ana"};
    std::chrono::milliseconds refresh = 1h;
    std::chrono::milliseconds listing = 1ms;
    std::chrono::milliseconds absent = 1h;
    std::chrono::milliseconds hang = 1h;
    std::unique_ptr<UserTable> table;

    void start() {
        table = std::make_unique<UserTable>(
            plugin::UserTableOptions{.look_interval = 1ms,
                                     .listing_interval = listing,
                                     .refresh_interval = refresh,
                                     .absent_interval = absent,
                                     .hang_time = hang,
                                     .list_users = [users = accounting](std::size_t) { return users; }},
            std::make_unique<FakeDirectory>(service));
        table->start();
        table->need();
    }

    /// "(unknown)" if they are not known.
    [[nodiscard]] std::string groups(const std::string& user) const {
        const auto found = table->find_user(user);
        return found.record ? text::join(quota::names_of_groups(*found.record), " ") : "(unknown)";
    }
    /// Why they are not known if they are not.
    [[nodiscard]] std::string groups_of(std::uint32_t id) const {
        const auto names = table->groups_of(id);
        return names ? text::join(*names, " ") : names.error().message;
    }
};

} // namespace qg::test

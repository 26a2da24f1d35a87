// SPDX-License-Identifier: GPL-2.0-or-later
#include "user_table.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <mutex>
#include <thread>

using namespace qg;
using namespace std::chrono_literals;
using plugin::UserTable;

namespace {

/// What the test's directory service knows and does. Threads: internally locked.
struct Service {
    std::mutex mutex;
    std::map<std::string, model::DirectoryUser> users;
    std::map<std::string, model::DirectoryGroup> groups;
    bool is_down = false;
    qg::ErrorCode code = qg::ErrorCode::unavailable; ///< of its errors
    int questions = 0;

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
    void set_down(bool is_now_down) {
        const std::scoped_lock lock(mutex);
        is_down = is_now_down;
    }
};

class FakeDirectory final : public plugin::UserDirectory {
  public:
    explicit FakeDirectory(std::shared_ptr<Service> service) : service_(std::move(service)) {}

    Result<std::optional<model::DirectoryUser>> find_user(const std::string& name) override {
        return find<model::DirectoryUser>(service_->users,
                                          [&](const auto& row) { return row.first == name; });
    }
    Result<std::optional<std::string>> find_user_name(std::uint32_t id) override {
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
        return find<model::DirectoryGroup>(service_->groups,
                                           [&](const auto& row) { return row.second.id == id; });
    }

  private:
    template <typename Record, typename Rows, typename Is>
    Result<std::optional<Record>> find(const Rows& rows, Is is) {
        const std::scoped_lock lock(service_->mutex);
        ++service_->questions;
        if (service_->is_down) return Error{service_->code, "the directory is down"};
        for (const auto& row : rows)
            if (is(row)) return std::optional<Record>(row.second);
        return std::optional<Record>();
    }

    std::shared_ptr<Service> service_;
};

struct Setup {
    Setup() {
        service->add_group("staff", 50);
        service->add_group("gpu", 60);
        service->add_user("ana", 1001, {50, 60, 77});
    }

    std::shared_ptr<Service> service = std::make_shared<Service>();
    std::vector<std::string> accounting{"ana"};
    std::chrono::milliseconds refresh = 1h;
    std::unique_ptr<UserTable> table;

    void start() {
        table = std::make_unique<UserTable>(
            plugin::UserTableOptions{.look_interval = 1ms,
                                     .listing_interval = 1ms,
                                     .refresh_interval = refresh,
                                     .list_users = [users = accounting](std::size_t) { return users; }},
            std::make_unique<FakeDirectory>(service));
        table->start();
        table->need();
    }

    /// "(unknown)" if they are not known.
    [[nodiscard]] std::string groups(const std::string& user) const {
        const auto names = table->groups_of(user);
        return names ? text::join(*names, " ") : "(unknown)";
    }

    template <typename Is>
    static bool becomes_true(Is is) {
        for (int i = 0; i < 5000; ++i) {
            if (is()) return true;
            std::this_thread::sleep_for(1ms);
        }
        return false;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(user_table, Setup)

BOOST_AUTO_TEST_CASE(groups_of_accountings_users_are_read_beforehand) {
    start();

    BOOST_TEST_REQUIRE(becomes_true([&] { return table->read_at().has_value(); }));

    BOOST_TEST(groups("ana") == "staff gpu"); // 77 has no name
    BOOST_TEST(table->find_user(1001).record->groups.size() == 3);
    BOOST_TEST(table->find_group("gpu").record->id == 60);
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_about_before_it_is_needed) {
    table = std::make_unique<UserTable>(plugin::UserTableOptions{.look_interval = 1ms},
                                        std::make_unique<FakeDirectory>(service));
    table->start();

    BOOST_TEST(!table->find_user("ana").is_known);
    std::this_thread::sleep_for(20ms);

    const std::scoped_lock lock(service->mutex);
    BOOST_TEST(service->questions == 0);
}

BOOST_AUTO_TEST_CASE(others_are_known_soon_after_they_are_looked_for) {
    service->add_user("eve", 1005, {60});
    start();

    BOOST_TEST(!table->find_user("eve").is_known);
    BOOST_TEST(becomes_true([&] { return groups("eve") == "gpu"; }));
    BOOST_TEST(becomes_true([&] { return table->find_user(1005).is_known; }));
}

BOOST_AUTO_TEST_CASE(what_does_not_exist_is_known_and_has_no_record) {
    start();

    BOOST_TEST(becomes_true([&] { return table->find_user("nobody-here").is_known; }));
    BOOST_TEST(becomes_true([&] { return table->find_user(4711).is_known; }));
    BOOST_TEST(becomes_true([&] { return table->find_group("nothing").is_known; }));

    BOOST_TEST(table->find_user("nobody-here").record == nullptr);
    BOOST_TEST(table->find_user(4711).record == nullptr);
    BOOST_TEST(table->find_group("nothing").record == nullptr);
    BOOST_TEST(!table->groups_of("nobody-here").has_value());
}

BOOST_AUTO_TEST_CASE(a_changed_group_list_is_read_again) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->groups_of("ana").has_value(); }));

    service->add_user("ana", 1001, {50});

    BOOST_TEST(becomes_true([&] { return groups("ana") == "staff"; }));
}

BOOST_AUTO_TEST_CASE(a_service_without_answers_leaves_what_was_known_and_knows_nobody_new) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->groups_of("ana").has_value(); }));

    service->set_down(true);
    BOOST_TEST(becomes_true([&] { return table->last_error() == "the directory is down"; }));

    BOOST_TEST(groups("ana") == "staff gpu");
    BOOST_TEST(!table->find_user("eve").is_known);
    service->set_down(false);
    BOOST_TEST(becomes_true([&] { return table->last_error().empty(); }));
    BOOST_TEST(becomes_true([&] { return table->find_user("eve").is_known; }));
}

BOOST_AUTO_TEST_CASE(not_found_of_a_service_that_is_down_removes_nobody) {
    refresh = 1ms;
    service->code = ErrorCode::not_found;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->groups_of("ana").has_value(); }));

    service->set_down(true);
    BOOST_TEST(becomes_true([&] { return table->find_user("eve").is_known; }));

    BOOST_TEST(table->find_user("eve").record == nullptr);
    BOOST_TEST(groups("ana") == "staff gpu");
    BOOST_TEST(table->last_error() == "the directory is down");
}

BOOST_AUTO_TEST_CASE(only_so_many_unknown_names_are_remembered) {
    start();

    for (std::uint32_t i = 0; i < 3 * UserTable::max_asked; ++i)
        static_cast<void>(table->find_user("u" + std::to_string(i)));

    BOOST_TEST(becomes_true([&] { return table->find_user("u0").is_known; }));
    BOOST_TEST(table->count() <= UserTable::max_asked + 300);
}

BOOST_AUTO_TEST_CASE(the_hosts_own_directory_knows_root) {
    plugin::SystemDirectory directory;

    const auto user = directory.find_user("root");
    const auto group = directory.find_group(std::uint32_t{0});

    BOOST_TEST_REQUIRE(user.has_value());
    BOOST_TEST_REQUIRE(user->has_value());
    BOOST_TEST(user.value()->id == 0u);
    BOOST_TEST(user.value()->groups.front().id == 0u);
    BOOST_TEST(directory.find_user_name(0)->value_or("") == "root");
    BOOST_TEST_REQUIRE(group.has_value());
    BOOST_TEST_REQUIRE(group->has_value());
    BOOST_TEST(group.value()->name == "root");
    BOOST_TEST(!directory.find_user("no-such-user")->has_value());
}

BOOST_AUTO_TEST_SUITE_END()

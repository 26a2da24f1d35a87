// SPDX-License-Identifier: GPL-2.0-or-later
#include "user_table.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
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
    std::set<std::string> failing; ///< users without an answer
    std::set<std::uint32_t> failing_groups;
    std::map<std::uint32_t, std::string> id_names; ///< instead of the users' own
    std::chrono::milliseconds delay{0};            ///< of each answer
    std::atomic<std::chrono::nanoseconds> busy{};  ///< all of them

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
            if (service_->failing_groups.contains(id))
                return Error{service_->code, text::format("no answer about group {}", id)};
        }
        return find<model::DirectoryGroup>(service_->groups,
                                           [&](const auto& row) { return row.second.id == id; });
    }

  private:
    template <typename Record, typename Rows, typename Is>
    Result<std::optional<Record>> find(const Rows& rows, Is is) {
        if (service_->delay > 0ms) {
            const auto begin = std::chrono::steady_clock::now();
            std::this_thread::sleep_for(service_->delay);
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

struct Setup {
    Setup() {
        service->add_group("staff", 50);
        service->add_group("gpu", 60);
        service->add_user("ana", 1001, {50, 60, 77});
    }

    std::shared_ptr<Service> service = std::make_shared<Service>();
    std::vector<std::string> accounting{"ana"};
    std::chrono::milliseconds refresh = 1h;
    std::chrono::milliseconds listing = 1ms;
    std::unique_ptr<UserTable> table;

    void start() {
        table = std::make_unique<UserTable>(
            plugin::UserTableOptions{.look_interval = 1ms,
                                     .listing_interval = listing,
                                     .refresh_interval = refresh,
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

    BOOST_TEST(groups_of(1001) == "staff gpu"); // 77 has no name
    BOOST_TEST(table->find_user(1001).record->groups.size() == 3);
    BOOST_TEST(table->find_group("gpu").record->id == 60);
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_about_before_it_is_needed) {
    table = std::make_unique<UserTable>(plugin::UserTableOptions{.look_interval = 1ms},
                                        std::make_unique<FakeDirectory>(service));
    table->start();

    std::this_thread::sleep_for(20ms);
    {
        const std::scoped_lock lock(service->mutex);
        BOOST_TEST(service->questions == 0);
    }

    BOOST_TEST(!table->find_user("ana").is_known); // looking needs it
    BOOST_TEST(becomes_true([&] { return groups("ana") == "staff gpu"; }));
}

BOOST_AUTO_TEST_CASE(others_are_known_soon_after_they_are_looked_for) {
    service->add_user("eve", 1005, {60});
    start();

    BOOST_TEST(!table->find_user("eve").is_known);
    BOOST_TEST(becomes_true([&] { return groups("eve") == "gpu"; }));
    BOOST_TEST(becomes_true([&] { return table->find_user(1005).is_known; }));
}

BOOST_AUTO_TEST_CASE(groups_that_are_not_read_yet_are_an_error_and_wanted) {
    service->add_user("eve", 1005, {60});
    start();

    BOOST_TEST(groups_of(1005) ==
               "the groups of user 1005 are not read yet; submit the job again in some seconds");
    BOOST_TEST(becomes_true([&] { return groups_of(1005) == "gpu"; }));
}

BOOST_AUTO_TEST_CASE(what_does_not_exist_is_known_and_has_no_record) {
    start();

    BOOST_TEST(becomes_true([&] { return table->find_user("nobody-here").is_known; }));
    BOOST_TEST(becomes_true([&] { return table->find_user(4711).is_known; }));
    BOOST_TEST(becomes_true([&] { return table->find_group("nothing").is_known; }));

    BOOST_TEST(table->find_user("nobody-here").record == nullptr);
    BOOST_TEST(table->find_user(4711).record == nullptr);
    BOOST_TEST(table->find_group("nothing").record == nullptr);
    BOOST_TEST(groups_of(4711) == "the directory service knows no user 4711, and so no groups of it");
}

BOOST_AUTO_TEST_CASE(a_changed_group_list_is_read_again) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->groups_of(1001).has_value(); }));

    service->add_user("ana", 1001, {50});

    BOOST_TEST(becomes_true([&] { return groups_of(1001) == "staff"; }));
    service->add_user("ana", 1001, {50, 60});
    BOOST_TEST(becomes_true([&] { return groups_of(1001) == "staff gpu"; }));
}

BOOST_AUTO_TEST_CASE(a_service_without_answers_leaves_what_was_known_and_knows_nobody_new) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->groups_of(1001).has_value(); }));

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
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->groups_of(1001).has_value(); }));

    service->set_down(true);
    BOOST_TEST(becomes_true([&] { return table->find_user("eve").is_known; }));

    BOOST_TEST(table->find_user("eve").record == nullptr);
    BOOST_TEST(becomes_true([&] { return table->last_error() == "the directory is down"; }));
    std::this_thread::sleep_for(50ms);
    BOOST_TEST(groups("ana") == "staff gpu");
}

BOOST_AUTO_TEST_CASE(invented_names_do_not_drive_out_those_that_exist) {
    plugin::AskedKeys<std::string> asked(/*max_existing=*/2, /*max_others=*/3);
    BOOST_TEST(asked.note("eve"));
    BOOST_TEST(asked.next().value_or("") == "eve");
    asked.settle("eve", /*exists=*/true);

    for (const std::string name : {"x1", "x2", "x3", "x4"}) {
        BOOST_TEST(asked.note(name));
        static_cast<void>(asked.next());
        asked.settle(name, /*exists=*/false);
    }

    BOOST_TEST(text::join(asked.keys(), " ") == "eve x2 x3 x4");
    BOOST_TEST(!asked.note("eve"));
}

BOOST_AUTO_TEST_CASE(of_too_many_names_the_least_used_goes) {
    plugin::AskedKeys<std::string> asked(/*max_existing=*/2, /*max_others=*/3);
    for (const std::string name : {"ana", "bob"}) {
        asked.note(name);
        asked.settle(name, /*exists=*/true);
    }
    BOOST_TEST(!asked.note("ana"));

    asked.note("eve");
    asked.settle("eve", /*exists=*/true);

    BOOST_TEST(text::join(asked.keys(), " ") == "ana eve");
}

BOOST_AUTO_TEST_CASE(only_so_many_names_wait_for_an_answer) {
    plugin::AskedKeys<std::uint32_t> asked(/*max_existing=*/9, /*max_others=*/2);

    BOOST_TEST(asked.note(1));
    BOOST_TEST(asked.note(2));
    BOOST_TEST(!asked.note(3));

    BOOST_TEST(asked.next().value_or(0) == 1u);
    BOOST_TEST(asked.note(3));
}

BOOST_AUTO_TEST_CASE(a_user_of_no_account_stays_known_among_many_invented_names) {
    service->add_user("eve", 1005, {60});
    start();
    static_cast<void>(table->find_user("eve"));
    BOOST_TEST_REQUIRE(becomes_true([&] { return groups("eve") == "gpu"; }));

    for (std::uint32_t i = 0; i < 3 * UserTable::max_absent; ++i) {
        const std::string name = "u" + std::to_string(i);
        if (i % 500 == 0)
            BOOST_TEST(becomes_true([&] { return table->find_user(name).is_known; }));
        else
            static_cast<void>(table->find_user(name));
    }

    BOOST_TEST(groups("eve") == "gpu");
    BOOST_TEST(table->count() == 2u);
}

BOOST_AUTO_TEST_CASE(the_old_id_of_a_user_goes) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->read_at().has_value(); }));
    BOOST_TEST_REQUIRE(table->find_user(1001).record != nullptr); // known, so nobody asks by id

    service->add_user("ana", 2002, {50});

    BOOST_TEST(becomes_true([&] { return table->find_user(2002).record != nullptr; }));
    BOOST_TEST(becomes_true([&] {
        const auto old = table->find_user(1001);
        return old.is_known && old.record == nullptr;
    }));
}

BOOST_AUTO_TEST_CASE(a_user_who_vanishes_has_no_id) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->read_at().has_value(); }));
    BOOST_TEST_REQUIRE(table->find_user(1001).record != nullptr); // known, so nobody asks by id

    {
        const std::scoped_lock lock(service->mutex);
        service->users.clear();
    }

    BOOST_TEST(becomes_true([&] {
        const auto old = table->find_user(1001);
        return old.is_known && old.record == nullptr;
    }));
    BOOST_TEST(becomes_true([&] { return table->count() == 0; }));
}

BOOST_AUTO_TEST_CASE(what_somebody_waits_for_comes_before_the_listed_users) {
    service->add_user("zed", 1009, {60});
    service->add_group("other", 90);
    service->delay = 2ms;
    for (int i = 0; i < 2000; ++i)
        accounting.push_back("listed" + std::to_string(i));
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->count() > 0; })); // the look has begun

    BOOST_TEST(becomes_true([&] { return table->find_user("zed").record != nullptr; }));
    BOOST_TEST(becomes_true([&] { return table->find_user(4711).is_known; }));
    BOOST_TEST(becomes_true([&] { return table->find_group("other").record != nullptr; }));

    BOOST_TEST(!table->read_at().has_value());
}

BOOST_AUTO_TEST_CASE(a_name_that_always_fails_keeps_nobody_from_an_answer) {
    service->add_user("zed", 1009, {60});
    accounting = {"ana", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "c0", "c1", "zed"};
    for (const std::string& name : accounting)
        if (name != "ana" && name != "zed") service->failing.insert(name);
    start();

    BOOST_TEST(becomes_true([&] { return table->read_at().has_value(); }));

    BOOST_TEST(groups("zed") == "gpu");
    BOOST_TEST(!table->find_user("b0").is_known);
    BOOST_TEST(table->last_error().starts_with("no answer about "));
}

BOOST_AUTO_TEST_CASE(a_user_who_is_not_found_while_others_are_is_absent) {
    refresh = 1ms;
    service->code = ErrorCode::not_found;
    service->add_user("zed", 1009, {60});
    accounting = {"ana", "zed"};
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->count() == 2; }));

    {
        const std::scoped_lock lock(service->mutex);
        service->failing.insert("ana");
    }

    BOOST_TEST(becomes_true([&] { return table->count() == 1; }));
    BOOST_TEST(table->find_user("ana").is_known);
    BOOST_TEST(table->find_user("ana").record == nullptr);
    BOOST_TEST(becomes_true([&] { return table->last_error().empty(); }));
}

BOOST_AUTO_TEST_CASE(a_user_without_an_answer_stays_while_others_are_answered) {
    refresh = 1ms;
    service->add_user("zed", 1009, {60});
    accounting = {"ana", "zed"};
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return table->count() == 2; }));

    {
        const std::scoped_lock lock(service->mutex);
        service->failing.insert("ana"); // unavailable, not "not found"
    }
    BOOST_TEST(becomes_true([&] { return table->last_error() == "no answer about ana"; }));
    std::this_thread::sleep_for(50ms);

    BOOST_TEST(groups("ana") == "staff gpu");
}

BOOST_AUTO_TEST_CASE(an_id_whose_name_is_nobodys_is_known_to_be_absent) {
    service->id_names = {{4000, "ghost"}, {4001, "ana"}};
    start();

    for (const std::uint32_t id : {4000u, 4001u}) {
        BOOST_TEST(becomes_true([&] { return table->find_user(id).is_known; }));
        BOOST_TEST(table->find_user(id).record == nullptr);
    }

    std::this_thread::sleep_for(50ms);
    int before = 0;
    {
        const std::scoped_lock lock(service->mutex);
        before = service->questions;
    }
    std::this_thread::sleep_for(100ms);
    const std::scoped_lock lock(service->mutex);
    BOOST_TEST(service->questions == before); // it is not asked again and again
}

BOOST_AUTO_TEST_CASE(a_shorter_group_list_counts_from_the_second_look_on) {
    refresh = 1ms;
    listing = 300ms;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return groups("ana") == "staff gpu"; }));

    service->add_user("ana", 1001, {50});
    std::this_thread::sleep_for(100ms);
    BOOST_TEST(groups("ana") == "staff gpu");
    service->add_user("ana", 1001, {50, 60, 77}); // the service answers in full again
    std::this_thread::sleep_for(400ms);
    BOOST_TEST(groups("ana") == "staff gpu");

    service->add_user("ana", 1001, {50});
    BOOST_TEST(becomes_true([&] { return groups("ana") == "staff"; }));
}

BOOST_AUTO_TEST_CASE(a_group_that_is_gone_keeps_its_name_for_three_looks_and_no_user_fails) {
    refresh = 150ms;
    listing = 100ms;
    service->code = ErrorCode::not_found;
    start();
    BOOST_TEST_REQUIRE(becomes_true([&] { return groups("ana") == "staff gpu"; }));

    {
        const std::scoped_lock lock(service->mutex);
        service->failing_groups.insert(50);
        service->users["ana"].shell = "/bin/new";
    }
    BOOST_TEST(becomes_true([&] { return table->find_user("ana").record->shell == "/bin/new"; }));

    BOOST_TEST(groups("ana") == "staff gpu");
    BOOST_TEST(becomes_true([&] { return groups("ana") == "gpu"; }));
    BOOST_TEST(table->last_error().empty());
}

BOOST_AUTO_TEST_CASE(the_service_has_half_of_the_time_for_others) {
    service->delay = 3ms;
    for (int i = 0; i < 100; ++i)
        accounting.push_back("listed" + std::to_string(i));
    const auto begin = std::chrono::steady_clock::now();
    start();

    BOOST_TEST_REQUIRE(becomes_true([&] { return table->read_at().has_value(); }));

    const std::chrono::duration<double> busy = service->busy.load();
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
    BOOST_TEST(busy.count() >= 0.3);
    BOOST_TEST(all.count() >= 1.8 * busy.count());
}

BOOST_AUTO_TEST_CASE(an_exception_does_not_end_the_thread) {
    auto calls = std::make_shared<std::atomic<int>>(0);
    table = std::make_unique<UserTable>(
        plugin::UserTableOptions{.look_interval = 1ms,
                                 .listing_interval = 100ms,
                                 .list_users = [calls](std::size_t) -> std::vector<std::string> {
                                     if ((*calls)++ == 0) throw std::runtime_error("no memory");
                                     return {"ana"};
                                 }},
        std::make_unique<FakeDirectory>(service));
    table->start();
    table->need();

    BOOST_TEST(becomes_true([&] { return table->last_error() == "no memory"; }));
    BOOST_TEST(becomes_true([&] { return table->find_user(1001).record != nullptr; }));
    BOOST_TEST(becomes_true([&] { return table->last_error().empty(); }));
}

BOOST_AUTO_TEST_CASE(the_hosts_own_directory_knows_root) {
    quota::SystemDirectory directory;

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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_host.hpp"
#include "user_table_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace qg;
using namespace qg::test;

BOOST_FIXTURE_TEST_SUITE(user_table, UserTableSetup)

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
    BOOST_TEST(comes_true([&] { return groups("ana") == "staff gpu"; }));
}

BOOST_AUTO_TEST_CASE(others_are_known_soon_after_they_are_looked_for) {
    service->add_user("eve", 1005, {60});
    start();

    BOOST_TEST(!table->find_user("eve").is_known);
    BOOST_TEST(comes_true([&] { return groups("eve") == "gpu"; }));
    BOOST_TEST(comes_true([&] { return table->find_user(1005).is_known; }));
}

BOOST_AUTO_TEST_CASE(what_does_not_exist_is_known_and_has_no_record) {
    start();

    BOOST_TEST(comes_true([&] { return table->find_user("nobody-here").is_known; }));
    BOOST_TEST(comes_true([&] { return table->find_user(4711).is_known; }));
    BOOST_TEST(comes_true([&] { return table->find_group("nothing").is_known; }));

    BOOST_TEST(table->find_user("nobody-here").record == nullptr);
    BOOST_TEST(table->find_user(4711).record == nullptr);
    BOOST_TEST(table->find_group("nothing").record == nullptr);
    BOOST_TEST(groups_of(4711) == "the directory service knows no user 4711, and so no groups of it");
}

BOOST_AUTO_TEST_CASE(a_service_without_answers_leaves_what_was_known_and_knows_nobody_new) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->groups_of(1001).has_value(); }));

    service->set_down(true);
    BOOST_TEST(comes_true([&] { return table->last_error() == "the directory is down"; }));

    BOOST_TEST(groups("ana") == "staff gpu");
    BOOST_TEST(!table->find_user("eve").is_known);
    service->set_down(false);
    BOOST_TEST(comes_true([&] { return table->last_error().empty(); }));
    BOOST_TEST(comes_true([&] { return table->find_user("eve").is_known; }));
}

BOOST_AUTO_TEST_CASE(not_found_of_a_service_that_is_down_removes_nobody) {
    refresh = 1ms;
    service->code = ErrorCode::not_found;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->groups_of(1001).has_value(); }));

    service->set_down(true);
    BOOST_TEST(comes_true([&] { return table->find_user("eve").is_known; }));

    BOOST_TEST(table->find_user("eve").record == nullptr);
    BOOST_TEST(comes_true([&] { return table->last_error() == "the directory is down"; }));
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
    BOOST_TEST_REQUIRE(comes_true([&] { return groups("eve") == "gpu"; }));

    for (std::uint32_t i = 0; i < 3 * UserTable::max_absent; ++i) {
        const std::string name = "u" + std::to_string(i);
        if (i % 500 == 0)
            BOOST_TEST(comes_true([&] { return table->find_user(name).is_known; }));
        else
            static_cast<void>(table->find_user(name));
    }

    BOOST_TEST(groups("eve") == "gpu");
    BOOST_TEST(table->count() == 2u);
}

BOOST_AUTO_TEST_CASE(the_old_id_of_a_user_goes) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->read_at().has_value(); }));
    BOOST_TEST_REQUIRE(table->find_user(1001).record != nullptr); // known, so nobody asks by id

    service->add_user("ana", 2002, {50});

    BOOST_TEST(comes_true([&] { return table->find_user(2002).record != nullptr; }));
    BOOST_TEST(comes_true([&] {
        const auto old = table->find_user(1001);
        return old.is_known && old.record == nullptr;
    }));
}

BOOST_AUTO_TEST_CASE(a_user_who_vanishes_has_no_id) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->read_at().has_value(); }));
    BOOST_TEST_REQUIRE(table->find_user(1001).record != nullptr); // known, so nobody asks by id

    {
        const std::scoped_lock lock(service->mutex);
        service->users.clear();
    }

    BOOST_TEST(comes_true([&] {
        const auto old = table->find_user(1001);
        return old.is_known && old.record == nullptr;
    }));
    BOOST_TEST(comes_true([&] { return table->count() == 0; }));
}

BOOST_AUTO_TEST_CASE(what_somebody_waits_for_comes_before_the_listed_users) {
    service->add_user("zed", 1009, {60});
    service->add_group("other", 90);
    service->delay = 2ms;
    for (int i = 0; i < 2000; ++i)
        accounting.push_back("listed" + std::to_string(i));
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->count() > 0; })); // the look has begun

    BOOST_TEST(comes_true([&] { return table->find_user("zed").record != nullptr; }));
    BOOST_TEST(comes_true([&] { return table->find_user(4711).is_known; }));
    BOOST_TEST(comes_true([&] { return table->find_group("other").record != nullptr; }));

    BOOST_TEST(!table->read_at().has_value());
}

BOOST_AUTO_TEST_CASE(a_name_that_always_fails_keeps_nobody_from_an_answer) {
    service->add_user("zed", 1009, {60});
    accounting = {"ana", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "c0", "c1", "zed"};
    for (const std::string& name : accounting)
        if (name != "ana" && name != "zed") service->failing.insert(name);
    start();

    BOOST_TEST(comes_true([&] { return table->read_at().has_value(); }));

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
    BOOST_TEST_REQUIRE(comes_true([&] { return table->count() == 2; }));

    {
        const std::scoped_lock lock(service->mutex);
        service->failing.insert("ana");
    }

    BOOST_TEST(comes_true([&] { return table->count() == 1; }));
    BOOST_TEST(table->find_user("ana").is_known);
    BOOST_TEST(table->find_user("ana").record == nullptr);
    BOOST_TEST(comes_true([&] { return table->last_error().empty(); }));
}

BOOST_AUTO_TEST_CASE(a_user_without_an_answer_stays_while_others_are_answered) {
    refresh = 1ms;
    service->add_user("zed", 1009, {60});
    accounting = {"ana", "zed"};
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->count() == 2; }));

    {
        const std::scoped_lock lock(service->mutex);
        service->failing.insert("ana"); // unavailable, not "not found"
    }
    BOOST_TEST(comes_true([&] { return table->last_error() == "no answer about ana"; }));
    std::this_thread::sleep_for(50ms);

    BOOST_TEST(groups("ana") == "staff gpu");
}

BOOST_AUTO_TEST_CASE(an_id_whose_name_is_nobodys_is_known_to_be_absent) {
    service->id_names = {{4000, "ghost"}, {4001, "ana"}};
    start();

    for (const std::uint32_t id : {4000u, 4001u}) {
        BOOST_TEST(comes_true([&] { return table->find_user(id).is_known; }));
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

BOOST_AUTO_TEST_CASE(who_did_not_exist_is_asked_about_again_when_somebody_looks) {
    absent = 50ms;
    accounting = {"ana", "eve"};
    start();
    for (const char* name : {"eve", "new"})
        BOOST_TEST_REQUIRE(comes_true([&] { return table->find_user(name).is_known; }));
    BOOST_TEST_REQUIRE(comes_true([&] { return table->find_user(1005).is_known; }));
    BOOST_TEST_REQUIRE(comes_true([&] { return table->find_group("lab").is_known; }));
    BOOST_TEST(table->find_user("eve").record == nullptr);

    service->add_user("eve", 1006, {50});
    service->add_user("new", 1005, {50});
    service->add_group("lab", 90);

    for (const char* name : {"eve", "new"})
        BOOST_TEST(comes_true([&] { return table->find_user(name).record != nullptr; }), name);
    BOOST_TEST(comes_true([&] { return table->find_user(1005).record != nullptr; }));
    BOOST_TEST(comes_true([&] { return table->find_group("lab").record != nullptr; }));
}

BOOST_AUTO_TEST_CASE(who_did_not_exist_a_moment_ago_is_not_asked_about_again) {
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->find_user("new").is_known; }));
    service->add_user("new", 1005, {50});
    for (int i = 0; i < 100; ++i) {
        BOOST_TEST(table->find_user("new").record == nullptr);
        std::this_thread::sleep_for(1ms);
    }
}

BOOST_AUTO_TEST_CASE(a_service_that_hangs_is_told_and_logged_once) {
    hang = 50ms;
    service->add_user("joe", 1005, {50});
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->find_user(1001).record != nullptr; }));
    table->watch();
    BOOST_TEST(table->last_error() == "");
    test::take_log();

    service->delay = 500ms; // of each answer
    const auto hangs = [&] {
        return table->groups_of(1005).error().message.find(
                   "in some seconds (the directory service has not answered for ") != std::string::npos;
    };
    BOOST_TEST(comes_true(hangs));
    BOOST_TEST(table->last_error().starts_with("the directory service has not answered for "));
    table->watch();
    table->watch();
    BOOST_TEST(groups("ana") == "staff gpu");
    const auto lines = test::take_log();
    BOOST_TEST_REQUIRE(lines.size() == 1u);
    BOOST_TEST(lines[0].find("the directory service has not answered for ") != std::string::npos);
    BOOST_TEST(lines[0].find(" seconds: the users") != std::string::npos);

    service->delay = 0ms;
    BOOST_TEST(comes_true([&] { return table->groups_of(1005).has_value(); }));
    BOOST_TEST(comes_true([&] { return table->last_error().empty(); }));
    table->watch();
    table->watch();
    const auto later = test::take_log();
    BOOST_TEST_REQUIRE(later.size() == 1u);
    BOOST_TEST(later[0].find("users: the directory service answers again") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_service_has_half_of_the_time_for_others) {
    service->delay = 3ms;
    for (int i = 0; i < 100; ++i)
        accounting.push_back("listed" + std::to_string(i));
    const auto begin = std::chrono::steady_clock::now();
    start();

    BOOST_TEST_REQUIRE(comes_true([&] { return table->read_at().has_value(); }));

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

    BOOST_TEST(comes_true([&] { return table->last_error() == "no memory"; }));
    BOOST_TEST(comes_true([&] { return table->find_user(1001).record != nullptr; }));
    BOOST_TEST(comes_true([&] { return table->last_error().empty(); }));
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

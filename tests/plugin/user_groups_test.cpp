// SPDX-License-Identifier: GPL-2.0-or-later
#include "user_table_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::test;

BOOST_FIXTURE_TEST_SUITE(user_groups, UserTableSetup)

BOOST_AUTO_TEST_CASE(groups_of_accountings_users_are_read_beforehand) {
    start();

    BOOST_TEST_REQUIRE(comes_true([&] { return table->read_at().has_value(); }));

    BOOST_TEST(groups_of(1001) == "staff gpu"); // 77 has no name
    BOOST_TEST(table->find_user(1001).record->groups.size() == 3);
    BOOST_TEST(table->find_group("gpu").record->id == 60);
}

BOOST_AUTO_TEST_CASE(groups_that_are_not_read_yet_are_an_error_and_wanted) {
    service->add_user("eve", 1005, {60});
    start();

    BOOST_TEST(groups_of(1005) ==
               "the groups of user 1005 are not read yet; submit the job again in some seconds");
    BOOST_TEST(comes_true([&] { return groups_of(1005) == "gpu"; }));
}

BOOST_AUTO_TEST_CASE(a_changed_group_list_is_read_again) {
    refresh = 1ms;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return table->groups_of(1001).has_value(); }));

    service->add_user("ana", 1001, {50});

    BOOST_TEST(comes_true([&] { return groups_of(1001) == "staff"; }));
    service->add_user("ana", 1001, {50, 60});
    BOOST_TEST(comes_true([&] { return groups_of(1001) == "staff gpu"; }));
}

BOOST_AUTO_TEST_CASE(a_shorter_group_list_does_not_count_before_the_time_between_listings_is_over) {
    refresh = 1ms;
    listing = 1h;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return groups("ana") == "staff gpu"; }));

    // The service answers in full now and then.
    for (int turn = 0; turn < 4; ++turn) {
        service->add_user("ana", 1001,
                          turn % 2 == 0 ? std::vector<std::uint32_t>{50}
                                        : std::vector<std::uint32_t>{50, 60, 77});
        for (const char* shell : {"/bin/a", "/bin/b", "/bin/c"}) { // three looks
            service->set_shell("ana", shell);
            BOOST_TEST_REQUIRE(comes_true([&] { return table->find_user("ana").record->shell == shell; }));
            BOOST_TEST(groups("ana") == "staff gpu");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_shorter_group_list_counts_when_the_time_between_listings_is_over) {
    refresh = 1ms;
    listing = 20ms;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return groups("ana") == "staff gpu"; }));

    service->add_user("ana", 1001, {50});
    BOOST_TEST(comes_true([&] { return groups("ana") == "staff"; }));
}

BOOST_AUTO_TEST_CASE(who_changes_other_groups_at_each_look_does_not_keep_one_that_was_taken) {
    refresh = 1ms;
    listing = 20ms;
    for (std::uint32_t id = 100; id < 110; ++id)
        service->add_group(text::format("own{}", id), id);
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return groups_of(1001) == "staff gpu"; }));

    std::uint32_t turn = 0;
    const auto has_no_gpu = [&] {
        service->add_user("ana", 1001, {50, 100 + turn++ % 10});
        return groups_of(1001).find("gpu") == std::string::npos;
    };

    BOOST_TEST(comes_true(has_no_gpu));
}

BOOST_AUTO_TEST_CASE(an_id_with_two_names_has_the_groups_of_the_name_that_the_service_tells) {
    service->add_group("secret", 70);
    service->add_user("aaa", 1001, {70});
    service->id_names[1001] = "ana";
    accounting = {"aaa", "ana"};
    refresh = 1ms;
    start();

    BOOST_TEST_REQUIRE(comes_true([&] { return groups("aaa") == "secret" && groups("ana") == "staff gpu"; }));
    for (int i = 0; i < 100; ++i) {
        BOOST_TEST_REQUIRE(groups_of(1001) == "staff gpu");
        std::this_thread::sleep_for(1ms);
    }
}

BOOST_AUTO_TEST_CASE(a_group_that_is_gone_keeps_its_name_for_three_looks_and_no_user_fails) {
    refresh = listing = 200ms; // so much later than the answer that is believed comes the next one
    service->code = ErrorCode::not_found;
    start();
    BOOST_TEST_REQUIRE(comes_true([&] { return groups("ana") == "staff gpu"; }));

    {
        const std::scoped_lock lock(service->mutex);
        service->failing_groups.insert(50);
    }
    BOOST_TEST(comes_true([&] { return groups("ana") == "gpu"; }));

    BOOST_TEST(service->failures_of_groups >= 3);
    BOOST_TEST(table->last_error().empty());
}

BOOST_AUTO_TEST_SUITE_END()

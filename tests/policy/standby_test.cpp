// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two controllers with one directory and one kept copy: the active one and its standby.
#include "qosgate/base/text.hpp"
#include "qosgate/policy/files/site_files.hpp"

#include "support/restarts_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(standby, Restarts)

BOOST_AUTO_TEST_CASE(a_standby_writes_nothing_and_goes_by_what_the_active_controller_keeps) {
    run_with("one");
    const std::string before = content_of(kept());
    temp.write("a.lua", StoreSetup::warns("two"));
    StoreSetup standby(options());
    standby.store.start(directory());
    BOOST_TEST(standby.said() == "two");
    BOOST_TEST(standby.looks_again(5));
    BOOST_TEST(content_of(kept()) == before);

    standby.store.mark_active();

    BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "two"); }));
}

BOOST_AUTO_TEST_CASE(a_closed_standby_opens_with_what_the_active_controller_keeps) {
    temp.write("a.lua", "rule {");
    StoreSetup standby(options());
    standby.store.start(directory());
    BOOST_TEST(standby.store.is_closed());

    keep_as_another("kept");

    BOOST_TEST(StoreSetup::soon([&] { return standby.said() == "kept"; }));
    BOOST_TEST(StoreSetup::soon([&] { return !standby.store.is_closed(); }));
}

BOOST_AUTO_TEST_CASE(a_standby_whose_directory_breaks_goes_by_what_the_active_controller_kept_since) {
    run_with("one");
    for (const bool is_kept_first : {true, false}) {
        temp.write("a.lua", StoreSetup::warns("one"));
        keep_as_another("one");
        StoreSetup standby(options());
        standby.store.start(directory());
        const auto keep_newer = [&] {
            keep_as_another("newer");
            BOOST_TEST(standby.looks_again(2));
        };
        if (is_kept_first) keep_newer();
        BOOST_TEST(standby.said() == "one");
        temp.write("a.lua", "rule {");
        BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));
        if (!is_kept_first) {
            BOOST_TEST(standby.said() == "one");
            keep_newer();
        }
        BOOST_TEST(StoreSetup::soon([&] { return standby.said() == "newer"; }));
        BOOST_TEST(standby.errors() == 1u);

        temp.write("a.lua", StoreSetup::warns("mended"));
        BOOST_TEST(StoreSetup::soon([&] { return standby.said() == "mended"; }));
    }
}

BOOST_AUTO_TEST_CASE(what_was_kept_before_a_policy_was_read_is_not_newer) {
    run_with("one");
    temp.write("a.lua", StoreSetup::warns("two"));
    StoreSetup standby(options());
    standby.store.start(directory());
    BOOST_TEST(standby.said() == "two");

    temp.write("a.lua", "rule {");

    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));
    BOOST_TEST(standby.looks_again(2));
    BOOST_TEST(standby.said() == "two");
}

BOOST_AUTO_TEST_CASE(a_controller_that_is_a_standby_again_writes_nothing_until_the_next_job) {
    temp.write("a.lua", StoreSetup::warns("one"));
    run([this](StoreSetup& backup) {
        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "one"); }));
        BOOST_TEST(!backup.store.status().is_superseded);
        // The other controller keeps the same policy; its writing shows that it is active.
        run([](StoreSetup& other) { BOOST_TEST(other.looks_again(2)); });
        BOOST_TEST(StoreSetup::soon([&] { return backup.store.status().is_superseded; }));
        const std::string before = content_of(kept());
        temp.write("a.lua", StoreSetup::warns("two"));
        BOOST_TEST(StoreSetup::soon([&] { return backup.said() == "two"; }));
        BOOST_TEST(backup.looks_again(2));
        BOOST_TEST(content_of(kept()) == before);

        backup.store.mark_active();

        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "two"); }));
        BOOST_TEST(!backup.store.status().is_superseded);
    });
}

BOOST_AUTO_TEST_CASE(a_copy_that_does_not_load_leaves_the_directories_policy_in_force_as_such) {
    temp.write("a.lua", StoreSetup::warns("one"));
    StoreSetup standby(options());
    standby.store.start(directory());
    const SourceDirectory broken{true, {{"a.lua", "rule {"}}};
    BOOST_TEST_REQUIRE(write_kept(kept(), {broken, 1}).has_value());
    BOOST_TEST(standby.looks_again(2));
    temp.write("a.lua", "rule {");

    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));

    BOOST_TEST(standby.said() == "one");
    BOOST_TEST(!standby.store.status().is_kept_copy);
    BOOST_TEST(
        StoreSetup::soon([&] { return has_text(standby.last_error(), "the previous one, generation 1"); }));
    BOOST_TEST(standby.errors() == 2u);
    BOOST_TEST(standby.looks_again(5));
    BOOST_TEST(standby.errors() == 2u);
    keep_as_another("newer");
    BOOST_TEST(StoreSetup::soon([&] { return standby.said() == "newer"; }));
    BOOST_TEST(StoreSetup::soon([&] { return standby.store.status().is_kept_copy; })); // told a moment later
}

BOOST_AUTO_TEST_CASE(a_mended_directory_with_the_same_policy_is_newer_than_what_was_kept) {
    temp.write("a.lua", StoreSetup::warns("one"));
    StoreSetup standby(options());
    standby.store.start(directory());
    temp.write("a.lua", "rule {");
    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));
    keep_as_another("newer");
    BOOST_TEST(StoreSetup::soon([&] { return standby.said() == "newer"; }));
    temp.write("a.lua", StoreSetup::warns("newer"));
    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::in_force); }));
    BOOST_TEST(!standby.store.status().is_kept_copy);

    temp.write("a.lua", "rule {");

    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));
    BOOST_TEST(!standby.store.status().is_kept_copy);
}

BOOST_AUTO_TEST_CASE(what_touches_the_kept_file_is_no_other_controller) {
    temp.write("a.lua", StoreSetup::warns("one"));
    run([this](StoreSetup& active) {
        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "one"); }));
        const auto copy = [this] { fs::copy_file(kept(), temp.root() / "copy"); };
        const auto link = [this] { fs::create_hard_link(kept(), temp.root() / "backup"); };
        const auto touch = [this] { fs::last_write_time(kept(), fs::file_time_type::clock::now()); };
        const auto make_private = [this] { chmod(kept().c_str(), 0400); };
        const auto write_the_same = [this] { fs::rename(temp.root() / "copy", kept()); };
        for (const std::function<void()>& meddle :
             {std::function<void()>(copy), std::function<void()>(link), std::function<void()>(touch),
              std::function<void()>(make_private), std::function<void()>(write_the_same)}) {
            meddle();
            BOOST_TEST(active.looks_again(2));
            BOOST_TEST(!active.store.status().is_superseded);
        }
        temp.write("a.lua", StoreSetup::warns("two"));
        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "two"); }));
    });
}

BOOST_AUTO_TEST_CASE(a_kept_file_that_is_gone_spoilt_or_old_is_no_other_controller_and_written_again) {
    run_with("old");
    const std::string old = content_of(kept());
    temp.write("a.lua", StoreSetup::warns("one"));
    run([&](StoreSetup& active) {
        const auto is_kept = [&] {
            return has_text(content_of(kept()), "one") && read_kept(kept(), geteuid()).has_value();
        };
        BOOST_TEST(StoreSetup::soon(is_kept));
        const auto remove = [this] { fs::remove(kept()); };
        const auto damage = [this] { std::ofstream(kept(), std::ios::app) << "x"; };
        const auto let_others_write = [this] { chmod(kept().c_str(), 0620); };
        const auto restore = [&] { std::ofstream(kept(), std::ios::trunc) << old; };
        for (const std::function<void()>& spoil :
             {std::function<void()>(remove), std::function<void()>(damage),
              std::function<void()>(let_others_write), std::function<void()>(restore)}) {
            spoil();
            BOOST_TEST(StoreSetup::soon(is_kept));
            BOOST_TEST(!active.store.status().is_superseded);
        }
    });
}

BOOST_AUTO_TEST_CASE(an_old_copy_that_is_put_back_is_not_taken_by_a_standby) {
    run_with("old");
    const std::string old = content_of(kept());
    run_with("one");
    StoreSetup standby(options());
    standby.store.start(directory());
    BOOST_TEST(standby.said() == "one");

    std::ofstream(kept(), std::ios::trunc) << old;
    BOOST_TEST(standby.looks_again(2));
    temp.write("a.lua", "rule {");

    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));
    BOOST_TEST(standby.looks_again(5));
    BOOST_TEST(standby.said() == "one");
}

BOOST_AUTO_TEST_CASE(who_takes_over_from_a_controller_with_other_rules_says_so_until_its_own_change) {
    temp.write("a.lua", StoreSetup::warns("two"));
    keep_as_another("one", "head1");
    const std::uint64_t before = hash_of({true, {{"a.lua", StoreSetup::warns("one")}}});
    StoreSetup standby(options_of("head2"));
    standby.store.start(directory());
    BOOST_TEST(standby.looks_again(2));
    BOOST_TEST(!standby.store.status().taken_over.has_value());

    standby.store.mark_active();

    BOOST_TEST(StoreSetup::soon([&] { return standby.store.status().taken_over.has_value(); }));
    BOOST_TEST(standby.store.status().taken_over->host == "head1");
    BOOST_TEST(standby.store.status().taken_over->policy == before);
    BOOST_TEST(standby.has_told("other rules are in force than before: controller head1 had hash " +
                                text::format("{:016x}", before)));
    fs::remove(kept()); // it is written again, and nothing else changes
    BOOST_TEST(StoreSetup::soon([&] { return fs::exists(kept()); }));
    BOOST_TEST(standby.store.status().taken_over.has_value());
    temp.write("a.lua", StoreSetup::warns("three"));
    BOOST_TEST(StoreSetup::soon([&] { return standby.said() == "three"; }));
    BOOST_TEST(StoreSetup::soon([&] { return !standby.store.status().taken_over.has_value(); }));
}

BOOST_AUTO_TEST_CASE(who_is_a_standby_again_no_longer_says_that_it_took_over) {
    temp.write("a.lua", StoreSetup::warns("two"));
    keep_as_another("one", "head1");
    StoreSetup standby(options_of("head2"));
    standby.store.start(directory());
    standby.store.mark_active();
    BOOST_TEST(StoreSetup::soon([&] { return standby.store.status().taken_over.has_value(); }));

    keep_as_another("one", "head1");

    BOOST_TEST(StoreSetup::soon([&] { return standby.store.status().is_superseded; }));
    BOOST_TEST(!standby.store.status().taken_over.has_value());
}

BOOST_AUTO_TEST_CASE(what_changed_while_no_other_controller_decided_is_no_other_controllers) {
    struct Case {
        std::string kept, keeper, own;
    };
    for (const Case& each : {Case{"two", "head1", "head2"}, Case{"one", "head2", "head2"},
                             Case{"one", "", "head2"}, Case{"one", "head1", ""}})
        BOOST_TEST_CONTEXT(each.kept << ", kept by " << each.keeper << ", own " << each.own) {
            temp.write("a.lua", StoreSetup::warns("two"));
            keep_as_another(each.kept, each.keeper);
            const std::string before = content_of(kept());
            StoreSetup setup(options_of(each.own));
            setup.store.start(directory());
            setup.store.mark_active();
            BOOST_TEST(StoreSetup::soon([&] { return content_of(kept()) != before; }));
            BOOST_TEST(setup.looks_again(2));
            BOOST_TEST(!setup.store.status().taken_over.has_value());
            BOOST_TEST(setup.errors() == 0u);
        }
}

BOOST_AUTO_TEST_CASE(rules_that_are_taken_over_with_the_kept_copy_are_no_other_rules) {
    temp.write("a.lua", "rule {");
    keep_as_another("one", "head1");
    StoreSetup standby(options_of("head2"));
    standby.store.start(directory());
    const std::string before = content_of(kept());
    standby.store.mark_active();

    BOOST_TEST(StoreSetup::soon([&] { return content_of(kept()) != before; }));
    BOOST_TEST(standby.looks_again(2));
    BOOST_TEST(!standby.store.status().taken_over.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

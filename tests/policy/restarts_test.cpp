// SPDX-License-Identifier: GPL-2.0-or-later
//
// The policy in force outlives the daemon: stores that start one after the other.
#include "support/policy_setup.hpp"
#include "support/restarts_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(restarts, Restarts)

BOOST_AUTO_TEST_CASE(a_broken_directory_leaves_in_force_what_was_in_force_before_the_start) {
    run_with("one");
    temp.write("a.lua", "rule {");

    run([](StoreSetup& setup) {
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(!setup.store.is_closed());
        const StoreStatus status = setup.store.status();
        BOOST_TEST(status.standing == Standing::degraded);
        BOOST_TEST(status.is_kept_copy);
        BOOST_TEST(status.rules == 1u);
        BOOST_TEST(has_text(status.last_error->message, "a.lua:1: "));
        BOOST_TEST(has_text(setup.last_error(),
                            "policy not loaded, what was in force before this start stays in "
                            "force (generation 1, 1 rule, limits explain, hash "));
        BOOST_TEST(setup.errors() == 1u);
    });
    run([](StoreSetup& setup) { BOOST_TEST(setup.said() == "one"); }); // and at the start after that
}

BOOST_AUTO_TEST_CASE(so_do_files_that_others_could_have_written_and_a_directory_that_is_gone) {
    run_with("one");
    chmod((directory() / "a.lua").c_str(), 0666);
    run([](StoreSetup& setup) { BOOST_TEST(setup.said() == "one"); });

    fs::remove_all(directory());
    run([](StoreSetup& setup) {
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(has_text(setup.last_error(), "the directory is gone"));
    });
}

BOOST_AUTO_TEST_CASE(so_does_a_newer_release_that_finds_mistakes_in_it) {
    const std::string text = rule_with("job:warn('one')\nif false then job.tasks = 0 end");
    BOOST_TEST_REQUIRE(has_text(load_error({{"a.lua", text}}), "a.lua:3: job.tasks cannot be 0"));
    BOOST_TEST_REQUIRE(
        write_kept(kept(), {.sources = {true, {{"a.lua", text}}, {}}, .stamp = 1}).has_value());
    temp.write("a.lua", text + "\n-- changed");

    run([](StoreSetup& setup) {
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(has_text(setup.store.status().last_error->message, "a.lua:3: job.tasks cannot be 0"));
    });
}

BOOST_AUTO_TEST_CASE(an_empty_directory_ends_the_policy_for_the_next_start_too) {
    run_with("one");
    fs::remove(directory() / "a.lua");
    run([this](StoreSetup& setup) {
        BOOST_TEST(!setup.store.current()->has_rules());
        BOOST_TEST(setup.store.status().standing == Standing::in_force);
        BOOST_TEST(StoreSetup::soon([this] { return has_text(content_of(kept()), "folder 1 files 0"); }));
    });
    fs::remove(directory());

    run([](StoreSetup& setup) {
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(setup.errors() == 0u);
    });
}

BOOST_AUTO_TEST_CASE(a_first_policy_with_a_mistake_changes_nothing) {
    fs::remove(directory());
    run([this](StoreSetup& setup) {
        BOOST_TEST(setup.store.status().standing == Standing::in_force);
        BOOST_TEST(StoreSetup::soon([this] { return has_text(content_of(kept()), "folder 0 files 0"); }));
    });
    fs::create_directory(directory());
    temp.write("a.lua", "rule {");

    run([](StoreSetup& setup) {
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(setup.store.status().standing == Standing::degraded);
        BOOST_TEST(!setup.store.current()->has_rules());
    });
}

BOOST_AUTO_TEST_CASE(a_damaged_copy_is_reported_and_counts_as_none) {
    run_with("one");
    std::ofstream(kept(), std::ios::app) << "x";
    run([](StoreSetup& setup) {
        BOOST_TEST(setup.said() == "one"); // the directory loads
        BOOST_TEST(setup.errors() == 1u);
        BOOST_TEST(has_text(setup.last_error(), "qosgate_policy: is damaged"));
    });

    std::ofstream(kept(), std::ios::trunc) << "x";
    temp.write("a.lua", "rule {");
    run([](StoreSetup& setup) { BOOST_TEST(setup.store.is_closed()); });
}

BOOST_AUTO_TEST_CASE(a_directory_that_never_loaded_and_goes_leaves_the_store_closed_over_starts) {
    const char* const gone = "the directory is gone, and what was in it was never in force; put";
    fs::create_directories(directory());
    temp.write("a.lua", "rule {");
    run([&](StoreSetup& setup) {
        BOOST_TEST(StoreSetup::soon([&] { return has_text(setup.last_error(), "a.lua:1: "); }));
        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "never loaded"); }));
        const fs::path away = directory().string() + ".away";
        fs::rename(directory(), away); // at once: a directory that is being removed is empty for a moment
        fs::remove_all(away);
        BOOST_TEST(StoreSetup::soon([&] { return has_text(setup.last_error(), gone); }));
        BOOST_TEST(setup.looks_again(5));
        BOOST_TEST(setup.store.is_closed());
    });
    for (int start = 0; start < 2; ++start)
        run([&](StoreSetup& setup) {
            BOOST_TEST(has_text(setup.last_error(), gone));
            BOOST_TEST(setup.looks_again(5));
            BOOST_TEST(setup.store.is_closed());
            BOOST_TEST(setup.errors() == 1u);
        });
    run([&](StoreSetup& setup) {
        fs::create_directory(directory());
        BOOST_TEST(StoreSetup::soon([&] { return !setup.store.is_closed(); }));
        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "folder 1 files 0"); }));
    });
    fs::remove(directory());
    run([](StoreSetup& setup) { BOOST_TEST(!setup.store.is_closed()); });
}

BOOST_AUTO_TEST_CASE(a_standby_does_not_note_that_its_directory_never_loaded) {
    fs::create_directories(directory());
    temp.write("a.lua", "rule {");
    StoreSetup setup(options());
    setup.store.start(directory());
    BOOST_TEST(setup.looks_again(5));
    BOOST_TEST(setup.store.is_closed());
    BOOST_TEST(!fs::exists(kept()));
    setup.store.mark_active();
    BOOST_TEST(StoreSetup::soon([&] { return fs::exists(kept()); }));
}

BOOST_AUTO_TEST_CASE(what_loads_at_last_is_kept_in_place_of_the_note_that_nothing_did) {
    BOOST_TEST_REQUIRE(write_kept(kept(), {.sources = {}, .stamp = 1, .never_loaded = true}).has_value());
    fs::create_directories(directory());
    temp.write("a.lua", "rule {");
    run([&](StoreSetup& setup) {
        BOOST_TEST(setup.store.is_closed());
        temp.write("a.lua", StoreSetup::warns("one"));
        BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "one"; }));
        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "one"); }));
    });
    fs::remove_all(directory());
    run([](StoreSetup& setup) { BOOST_TEST(setup.said() == "one"); });
}

BOOST_AUTO_TEST_CASE(a_copy_that_cannot_be_used_is_no_proof_that_there_were_no_rules) {
    const auto damage = [this] { std::ofstream(kept(), std::ios::app) << "x"; };
    const auto let_others_write = [this] { chmod(kept().c_str(), 0620); };
    const auto make_a_directory_of_it = [this] {
        fs::remove(kept());
        fs::create_directory(kept());
    };
    const auto keep_what_does_not_load = [this] {
        BOOST_TEST_REQUIRE(write_kept(kept(), {{true, {{"a.lua", "rule {"}}}, 1}).has_value());
    };
    for (const std::function<void()>& spoil :
         {std::function<void()>(damage), std::function<void()>(let_others_write),
          std::function<void()>(make_a_directory_of_it), std::function<void()>(keep_what_does_not_load)}) {
        fs::remove_all(kept());
        fs::create_directories(directory());
        run_with("one");
        spoil();
        fs::remove_all(directory());

        run([&](StoreSetup& setup) {
            BOOST_TEST(setup.store.is_closed());
            BOOST_TEST(has_text(setup.last_error(), "all submissions but those of operators are refused: "));
            BOOST_TEST(has_text(setup.last_error(),
                                "the directory is gone, and the copy of what was in force "
                                "cannot be used; put the directory back"));
            BOOST_TEST(setup.looks_again(5));
            BOOST_TEST(setup.store.is_closed());
            BOOST_TEST(setup.errors() == 2u);
            fs::create_directory(directory());
            BOOST_TEST(StoreSetup::soon([&] { return !setup.store.is_closed(); }));
        });
    }
}

BOOST_AUTO_TEST_CASE(without_a_copy_a_directory_that_is_not_there_means_no_rules) {
    run_with("one");
    fs::remove(kept());
    fs::remove_all(directory());

    run([](StoreSetup& setup) {
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(!setup.store.current()->has_rules());
        BOOST_TEST(setup.errors() == 0u);
    });
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_not_known_leaves_in_force_what_was_or_closes_the_store) {
    const auto start_without_directory = [this](auto use) {
        for (const char* path : {"qosgate.d", "etc/qosgate.d", ""}) {
            StoreSetup setup(options());
            setup.store.start(path);
            setup.store.mark_active();
            use(setup);
            BOOST_TEST(
                has_text(setup.last_error(),
                         text::format("where the site's rules are is not known ('{}'): start slurmctld "
                                      "with the absolute path of slurm.conf",
                                      path)));
            setup.store.stop();
        }
    };
    start_without_directory([this](StoreSetup& setup) {
        BOOST_TEST(setup.store.is_closed());
        BOOST_TEST(!setup.store.status().is_reading);
        setup.store.refresh();
        BOOST_TEST(setup.store.is_closed());
        BOOST_TEST(setup.errors() == 1u);
        BOOST_TEST(!fs::exists(kept()));
    });

    run_with("one");
    start_without_directory([](StoreSetup& setup) {
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(setup.stands(Standing::degraded));
    });
}

BOOST_AUTO_TEST_CASE(what_an_earlier_process_left_half_written_is_taken_away_at_the_start) {
    const fs::path left = kept().string() + ".AbC123";
    std::ofstream(left) << "half";
    fs::last_write_time(left, fs::file_time_type::clock::now() - 1h);
    run([&](StoreSetup&) { BOOST_TEST(!fs::exists(left)); });
}

BOOST_AUTO_TEST_CASE(what_cannot_be_kept_is_told_once) {
    temp.write("a.lua", StoreSetup::warns("one"));
    StoreOptions nowhere = options();
    nowhere.kept_file = temp.root() / "no directory" / "kept";
    StoreSetup setup(nowhere);
    setup.store.start(directory());
    setup.store.mark_active();

    BOOST_TEST(StoreSetup::soon([&] { return setup.errors() == 1; }));
    BOOST_TEST(
        has_text(setup.last_error(), "the policy in force is not kept, a restart would not find it: "));
    BOOST_TEST(setup.store.status().keep_error.has_value());
    BOOST_TEST(setup.looks_again(5));
    BOOST_TEST(setup.errors() == 1u);
    BOOST_TEST(setup.said() == "one");
}

BOOST_AUTO_TEST_SUITE_END()

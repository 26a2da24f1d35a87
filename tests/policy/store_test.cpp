// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/policy_watch.hpp"
#include "qosgate/policy/store.hpp"

#include "support/policy_setup.hpp"
#include "support/store_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <thread>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(store)

BOOST_AUTO_TEST_CASE(has_no_rules_before_it_is_started_and_starts_no_thread) {
    const StoreSetup setup;

    BOOST_TEST_REQUIRE(setup.store.current() != nullptr);
    BOOST_TEST(!setup.store.current()->has_rules());
    BOOST_TEST(setup.store.status().generation == 0u);
}

BOOST_AUTO_TEST_CASE(takes_a_missing_directory_for_no_rules_and_logs_no_error) {
    StoreSetup setup;
    setup.store.start(setup.temp.root() / "none.d");

    BOOST_TEST(!setup.store.current()->has_rules());
    BOOST_TEST(setup.store.current()->settings().limits == Level::explain);
    BOOST_TEST(setup.errors() == 0u);
    BOOST_TEST(!setup.store.status().last_error.has_value());
}

BOOST_AUTO_TEST_CASE(loads_at_start) {
    StoreSetup setup;
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());

    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(setup.store.status().generation == 1u);
    BOOST_TEST(setup.store.status().hash == setup.store.current()->hash());
}

BOOST_AUTO_TEST_CASE(puts_a_changed_content_in_force) {
    StoreSetup setup;
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());

    for (const char* word : {"two", "three", "four"}) {
        setup.temp.write("a.lua", StoreSetup::warns(word));
        BOOST_TEST(StoreSetup::soon([&] { return setup.said() == word; }));
    }
    BOOST_TEST(setup.store.current()->generation() == 4u);

    fs::remove(setup.temp.directory() / "a.lua");
    BOOST_TEST(StoreSetup::soon([&] { return !setup.store.current()->has_rules(); }));
}

BOOST_AUTO_TEST_CASE(a_change_is_in_force_after_four_checks_at_most_which_take_less_than_two_seconds) {
    BOOST_TEST(4 * StoreOptions().poll_interval < 2s);
    const TempDirectory temp;
    temp.write("a.lua", StoreSetup::warns("before"));
    PolicyWatch watch({}, {});
    watch.begin(temp.directory());
    watch.first_check();
    const auto said = [&watch] {
        Job job;
        return job.run(*watch.current()).warnings.at(0);
    };
    BOOST_TEST_REQUIRE(said() == "before");

    for (const char* word : {"one", "two", "three"}) {
        temp.write("a.lua", StoreSetup::warns(word));
        for (int checks = 0; checks < 4 && said() != word; ++checks)
            watch.check();
        BOOST_TEST(said() == word);
    }
    // Somebody never stops writing.
    for (int i = 0; i < 4; ++i) {
        temp.write("a.lua", StoreSetup::warns(std::string(10 + i, 'x')));
        watch.check();
    }
    BOOST_TEST(said().starts_with("xxxxxxxxxx"));
}

BOOST_AUTO_TEST_CASE(notices_a_rollback_to_an_older_file) {
    StoreSetup setup;
    const fs::path file = setup.temp.write("a.lua", StoreSetup::warns("new"));
    const fs::path old = setup.temp.root() / "old";
    std::ofstream(old) << StoreSetup::warns("old");
    chmod(old.c_str(), 0644);
    fs::last_write_time(old, fs::last_write_time(file) - std::chrono::hours(24));
    setup.store.start(setup.temp.directory());
    BOOST_TEST(setup.said() == "new");

    fs::rename(old, file);

    BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "old"; }));
}

BOOST_AUTO_TEST_CASE(notices_a_change_that_hides_behind_the_same_size_and_time) {
    StoreSetup setup;
    const fs::path file = setup.temp.write("a.lua", StoreSetup::warns("one"));
    const auto time = fs::last_write_time(file);
    setup.store.start(setup.temp.directory());

    setup.temp.write("a.lua", StoreSetup::warns("two"));
    fs::last_write_time(file, time);

    BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "two"; }));
}

BOOST_AUTO_TEST_CASE(keeps_the_last_good_policy_over_a_broken_edit_and_says_so_once) {
    StoreSetup setup(20ms);
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());

    setup.temp.write("a.lua", "rule {");
    BOOST_TEST(StoreSetup::soon([&] { return setup.errors() == 1; }));
    BOOST_TEST(setup.looks_again(5));
    BOOST_TEST(setup.errors() == 1u);
    BOOST_TEST(
        has_text(setup.last_error(), "policy not loaded, the previous one, generation 1, stays in force: "));
    BOOST_TEST(has_text(setup.last_error(), "a.lua:1: "));
    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(setup.store.status().last_error.has_value());

    setup.temp.write("a.lua", "rule {}");
    BOOST_TEST(StoreSetup::soon([&] { return setup.errors() == 2; }));

    setup.temp.write("a.lua", StoreSetup::warns("one"));
    BOOST_TEST(StoreSetup::soon([&] { return !setup.store.status().last_error.has_value(); }));
    BOOST_TEST(setup.store.status().generation == 1u); // the same content is the same policy
}

BOOST_AUTO_TEST_CASE(says_again_why_a_known_content_does_not_load_once_something_else_is_mended) {
    StoreSetup setup(20ms);
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());
    const fs::path file = setup.temp.write("a.lua", "rule {");
    const auto reports = [&](const char* text) {
        return StoreSetup::soon([&] {
            const auto error = setup.store.status().last_error;
            return error && has_text(error->message, text);
        });
    };
    BOOST_TEST(reports("a.lua:1: "));

    chmod(file.c_str(), 0666);
    BOOST_TEST(reports("mode 0666"));
    chmod(file.c_str(), 0644);
    BOOST_TEST(reports("a.lua:1: "));
    BOOST_TEST(setup.errors() == 3u);
    BOOST_TEST(setup.said() == "one");
}

BOOST_AUTO_TEST_CASE(does_not_take_a_half_written_file_for_an_empty_policy) {
    StoreSetup setup(200ms);
    const std::string whole = StoreSetup::warns("one");
    setup.temp.write("a.lua", whole);
    setup.store.start(setup.temp.directory());

    for (std::size_t length = 0; length < whole.size(); length += 7) {
        setup.temp.write("a.lua", whole.substr(0, length));
        std::this_thread::sleep_for(100ms); // a slow writer
        BOOST_TEST(setup.said() == "one");
    }
}

BOOST_AUTO_TEST_CASE(keeps_the_last_good_policy_when_others_get_write_access) {
    StoreSetup setup(20ms);
    const fs::path file = setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());

    chmod(file.c_str(), 0666);

    BOOST_TEST(StoreSetup::soon([&] { return setup.errors() == 1; }));
    BOOST_TEST(has_text(setup.last_error(), "a.lua: mode 0666 lets others write it: chmod go-w"));
    BOOST_TEST(setup.said() == "one");
    chmod(file.c_str(), 0644);
    BOOST_TEST(StoreSetup::soon([&] { return !setup.store.status().last_error.has_value(); }));
}

BOOST_AUTO_TEST_CASE(is_closed_after_a_start_on_a_broken_directory_until_it_is_repaired) {
    StoreSetup setup(20ms);
    setup.temp.write("a.lua", "rule {");
    setup.store.start(setup.temp.directory());

    BOOST_TEST(setup.store.is_closed());
    BOOST_TEST(setup.store.status().standing == Standing::closed);
    BOOST_TEST(has_text(setup.store.status().last_error->message, "qosgate.d: a.lua:1: "));
    BOOST_TEST(has_text(setup.last_error(),
                        "policy not loaded, all submissions but those of operators are refused"));
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::in_force); }));
    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(!setup.store.is_closed());
}

BOOST_AUTO_TEST_CASE(keeps_rules_in_force_when_the_directory_goes_and_ends_them_with_an_empty_one) {
    StoreSetup setup(20ms);
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());

    fs::rename(setup.temp.directory(), setup.temp.root() / "away");
    BOOST_TEST(StoreSetup::soon([&] { return setup.errors() == 1; }));
    BOOST_TEST(has_text(setup.last_error(), "stays in force: "));
    BOOST_TEST(
        has_text(setup.last_error(), "the directory is gone; to end a policy, leave the directory there"));
    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(setup.store.status().standing == Standing::degraded);

    fs::create_directory(setup.temp.directory());
    BOOST_TEST(StoreSetup::soon([&] { return setup.stands(Standing::in_force); }));
    BOOST_TEST(!setup.store.current()->has_rules());
    fs::remove(setup.temp.directory()); // then nothing is lost
    BOOST_TEST(setup.looks_again(5));
    BOOST_TEST(setup.store.status().standing == Standing::in_force);
    BOOST_TEST(setup.errors() == 1u);
}

BOOST_AUTO_TEST_CASE(looks_at_once_when_asked) {
    StoreSetup setup(1h);
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());
    setup.temp.write("a.lua", StoreSetup::warns("two"));

    setup.store.refresh();

    BOOST_TEST(setup.said() == "two");
}

BOOST_AUTO_TEST_CASE(leaves_a_policy_alive_for_those_who_still_use_it) {
    StoreSetup setup(1h);
    setup.temp.write("a.lua", StoreSetup::warns("one"));
    setup.store.start(setup.temp.directory());
    const auto old = setup.store.current();
    setup.temp.write("a.lua", StoreSetup::warns("two"));
    setup.store.refresh();

    BOOST_TEST(Job().run(*old).warnings.front() == "one");
}

BOOST_AUTO_TEST_CASE(tells_what_a_script_logs_while_it_is_loaded_once) {
    std::vector<std::string> lines;
    policy::StoreOptions options{.poll_interval = 1h};
    options.log_of_script = [&](int level, const std::string& line) {
        lines.push_back(std::to_string(level) + " " + line);
    };
    StoreSetup setup(options);
    fs::create_directory(setup.temp.directory() / "compat");
    const auto write = [&](const std::string& line) {
        setup.temp.write("compat/job_submit.lua", "slurm.log_error('" + line +
                                                      "') print('x', 2) slurm.log_user('hello') "
                                                      "function slurm_job_submit() return 0 end");
    };
    write("one");
    setup.store.start(setup.temp.directory());
    const std::vector<std::string> expected{"-1 lua: one", "0 lua: x 2", "0 lua: hello"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());

    setup.store.current()->refill(); // makes a spare state
    setup.store.refresh();
    BOOST_TEST(lines.size() == 3u);
    write("two");
    setup.store.refresh();
    BOOST_TEST(lines.size() == 6u);
    BOOST_TEST(lines[3] == "-1 lua: two");
    setup.temp.write("compat/job_submit.lua", "slurm.log_info('bad') error('x')");
    setup.store.refresh();
    BOOST_TEST(lines.size() == 6u);
}

BOOST_AUTO_TEST_CASE(stops_at_once_and_more_than_once) {
    StoreSetup setup(1h);
    setup.store.start(setup.temp.directory());

    setup.store.stop(2h); // who waited for the next look would end the test with it
    setup.store.stop(2h);
}

BOOST_AUTO_TEST_CASE(watches_from_a_thread_that_takes_no_signals) {
    StoreSetup setup;
    setup.store.start(setup.temp.directory());
    std::uint64_t blocked = 0;
    const auto find_thread = [&] {
        for (const auto& task : fs::directory_iterator("/proc/self/task")) {
            std::string name;
            std::getline(std::ifstream(task.path() / "comm"), name);
            if (name != "qosgate-policy") continue;
            std::ifstream status(task.path() / "status");
            for (std::string line; std::getline(status, line);)
                if (line.starts_with("SigBlk:")) blocked = std::stoull(line.substr(7), nullptr, 16);
            return true;
        }
        return false;
    };
    BOOST_TEST_REQUIRE(StoreSetup::soon(find_thread));

    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM})
        BOOST_TEST((blocked >> (signal - 1) & 1u) == 1u);
}

BOOST_AUTO_TEST_CASE(leaves_the_signal_mask_of_its_creator_alone) {
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    StoreSetup setup;
    setup.store.start(setup.temp.directory());
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);

    BOOST_TEST(sigismember(&before, SIGTERM) == sigismember(&after, SIGTERM));
    BOOST_TEST(sigismember(&after, SIGTERM) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

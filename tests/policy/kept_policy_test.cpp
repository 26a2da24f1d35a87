// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was in force outlives the daemon: the kept copy by itself, and stores that start one after the other.
#include "qosgate/policy/kept_policy.hpp"

#include "qosgate/policy/store.hpp"
#include "store_setup.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <iterator>
#include <limits>

#include <unistd.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

namespace {

std::string content_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// One daemon after the other, over the same folder and the same state.
class Restarts {
  public:
    Restarts() { options_.poll_interval = 20ms; }

    /// Starts a store and lets `use` have it. It is that of an active controller, which kept what is in
    /// force.
    template <typename Use>
    void run(Use use) {
        StoreSetup setup(options());
        setup.store.start(folder());
        setup.store.mark_active();
        use(setup);
        setup.store.stop();
    }
    /// Puts a policy in force that the next start finds.
    void run_with(const std::string& word) {
        temp.write("a.lua", StoreSetup::warns(word));
        run([&](StoreSetup& setup) {
            BOOST_TEST(StoreSetup::soon([&] { return setup.said() == word; }));
            BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), word); }));
        });
    }

    /// What the store of another controller does.
    void keep_as_another(const std::string& word) const {
        const auto before = read_kept(kept(), geteuid());
        const std::uint64_t stamp = before && *before ? (*before)->stamp + 1 : 1;
        BOOST_TEST_REQUIRE(
            write_kept(kept(), {{true, {{"a.lua", StoreSetup::warns(word)}}}, stamp}).has_value());
    }

    [[nodiscard]] StoreOptions options() const {
        StoreOptions options = options_;
        options.kept_file = kept();
        return options;
    }
    [[nodiscard]] fs::path folder() const { return temp.folder(); }
    [[nodiscard]] fs::path kept() const { return temp.root() / "qosgate_policy"; }

    TempFolder temp;

  private:
    StoreOptions options_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(kept_policy)

BOOST_AUTO_TEST_CASE(gives_back_what_was_kept) {
    const TempFolder temp;
    const fs::path file = temp.root() / "kept";
    BOOST_TEST(!read_kept(file, geteuid())->has_value());

    for (const SourceFolder& sources : {SourceFolder{true, {{"a b\n.lua", "1\n"}, {"c.lua", ""}}},
                                        SourceFolder{true, {}}, SourceFolder{}}) {
        BOOST_TEST(write_kept(file, {sources, 7}).has_value());
        const auto kept = read_kept(file, geteuid());
        BOOST_TEST_REQUIRE(kept.has_value());
        BOOST_TEST_REQUIRE(kept->has_value());
        BOOST_TEST((*kept)->sources.exists == sources.exists);
        BOOST_TEST(hash_of((*kept)->sources) == hash_of(sources));
        BOOST_TEST((*kept)->stamp == 7u);
    }
    struct stat info {};
    BOOST_TEST_REQUIRE(stat(file.c_str(), &info) == 0);
    BOOST_TEST((info.st_mode & 07777u) == 0600u);
    BOOST_TEST(std::distance(fs::directory_iterator(temp.root()), {}) ==
               2); // and the folder: nothing is left over
}

BOOST_AUTO_TEST_CASE(takes_no_damaged_copy) {
    const std::string whole = to_kept_text({{true, {{"a.lua", "text"}, {"b.lua", "more"}}}, 7});
    BOOST_TEST(parse_kept_text(whole).has_value());

    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(!parse_kept_text(whole.substr(0, length)).has_value());
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] ^= 1;
        BOOST_TEST(!parse_kept_text(changed).has_value());
    }
    BOOST_TEST(!parse_kept_text(whole + "x").has_value());
}

BOOST_AUTO_TEST_CASE(takes_a_copy_that_was_written_without_a_stamp) {
    // As the first releases wrote it.
    const auto kept =
        parse_kept_text("qosgate_policy 1 39dc1d3c8ae5e2e1\nfolder 1 files 1\n5 4\na.luatext\n");
    BOOST_TEST_REQUIRE(kept.has_value());
    BOOST_TEST(kept->sources.files.at(0).text == "text");
    BOOST_TEST(kept->stamp == 0u);
}

BOOST_AUTO_TEST_CASE(takes_no_stamp_behind_which_there_is_none) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 2;
    BOOST_TEST(parse_kept_text(to_kept_text({{}, most})).has_value());
    BOOST_TEST(!parse_kept_text(to_kept_text({{}, most + 1})).has_value());
}

BOOST_AUTO_TEST_CASE(takes_no_copy_that_others_could_have_written) {
    const TempFolder temp;
    const fs::path file = temp.root() / "kept";
    BOOST_TEST_REQUIRE(write_kept(file, {}).has_value());

    chmod(file.c_str(), 0620);
    BOOST_TEST(has_text(read_kept(file, geteuid()).error().message, "kept: mode 0620 lets others write it"));
    chmod(file.c_str(), 0600);
    fs::rename(file, temp.root() / "other");
    fs::create_symlink("other", file);
    BOOST_TEST(has_text(read_kept(file, geteuid()).error().message, "kept: not a regular file"));
    if (geteuid() != 0) return; // only root gives files away
    BOOST_TEST_REQUIRE(chown((temp.root() / "other").c_str(), 1234, 0) == 0);
    BOOST_TEST(
        has_text(read_kept(temp.root() / "other", 0).error().message, "other: belongs to user id 1234"));
}

BOOST_AUTO_TEST_CASE(leaves_the_old_copy_where_a_new_one_cannot_be_written) {
    const TempFolder temp;
    const auto done = write_kept(temp.root() / "no folder" / "kept", {});

    BOOST_TEST(has_text(done.error().message, "kept: cannot be written: No such file or directory"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(restarts, Restarts)

BOOST_AUTO_TEST_CASE(a_broken_folder_leaves_in_force_what_was_in_force_before_the_start) {
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
                            "force (generation 1, 1 rule, limits explain, content "));
        BOOST_TEST(setup.errors() == 1u);
    });
    run([](StoreSetup& setup) { BOOST_TEST(setup.said() == "one"); }); // and at the start after that
}

BOOST_AUTO_TEST_CASE(so_do_files_that_others_could_have_written_and_a_folder_that_is_gone) {
    run_with("one");
    chmod((folder() / "a.lua").c_str(), 0666);
    run([](StoreSetup& setup) { BOOST_TEST(setup.said() == "one"); });

    fs::remove_all(folder());
    run([](StoreSetup& setup) {
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(has_text(setup.last_error(), "the folder is gone"));
    });
}

BOOST_AUTO_TEST_CASE(an_empty_folder_ends_the_policy_for_the_next_start_too) {
    run_with("one");
    fs::remove(folder() / "a.lua");
    run([this](StoreSetup& setup) {
        BOOST_TEST(!setup.store.current()->has_rules());
        BOOST_TEST(setup.store.status().standing == Standing::in_force);
        BOOST_TEST(StoreSetup::soon([this] { return has_text(content_of(kept()), "folder 1 files 0"); }));
    });
    fs::remove(folder());

    run([](StoreSetup& setup) {
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(setup.errors() == 0u);
    });
}

BOOST_AUTO_TEST_CASE(a_first_policy_with_a_mistake_changes_nothing) {
    fs::remove(folder());
    run([this](StoreSetup& setup) {
        BOOST_TEST(setup.store.status().standing == Standing::in_force);
        BOOST_TEST(StoreSetup::soon([this] { return has_text(content_of(kept()), "folder 0 files 0"); }));
    });
    fs::create_directory(folder());
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
        BOOST_TEST(setup.said() == "one"); // the folder loads
        BOOST_TEST(setup.errors() == 1u);
        BOOST_TEST(has_text(setup.last_error(), "qosgate_policy: is damaged"));
    });

    std::ofstream(kept(), std::ios::trunc) << "x";
    temp.write("a.lua", "rule {");
    run([](StoreSetup& setup) { BOOST_TEST(setup.store.is_closed()); });
}

BOOST_AUTO_TEST_CASE(a_copy_that_cannot_be_used_is_no_proof_that_there_were_no_rules) {
    const auto damage = [this] { std::ofstream(kept(), std::ios::app) << "x"; };
    const auto let_others_write = [this] { chmod(kept().c_str(), 0620); };
    const auto make_a_folder_of_it = [this] {
        fs::remove(kept());
        fs::create_directory(kept());
    };
    const auto keep_what_does_not_load = [this] {
        BOOST_TEST_REQUIRE(write_kept(kept(), {{true, {{"a.lua", "rule {"}}}, 1}).has_value());
    };
    for (const std::function<void()>& spoil :
         {std::function<void()>(damage), std::function<void()>(let_others_write),
          std::function<void()>(make_a_folder_of_it), std::function<void()>(keep_what_does_not_load)}) {
        fs::remove_all(kept());
        fs::create_directories(folder());
        run_with("one");
        spoil();
        fs::remove_all(folder());

        run([&](StoreSetup& setup) {
            BOOST_TEST(setup.store.is_closed());
            BOOST_TEST(has_text(setup.last_error(), "all submissions but those of operators are refused: "));
            BOOST_TEST(has_text(setup.last_error(), "the folder is gone, and the copy of what was in force "
                                                    "cannot be used; put the folder back"));
            BOOST_TEST(setup.looks_again(5));
            BOOST_TEST(setup.store.is_closed());
            BOOST_TEST(setup.errors() == 2u);
            fs::create_directory(folder());
            BOOST_TEST(StoreSetup::soon([&] { return !setup.store.is_closed(); }));
        });
    }
}

BOOST_AUTO_TEST_CASE(without_a_copy_a_folder_that_is_not_there_means_no_rules) {
    run_with("one");
    fs::remove(kept());
    fs::remove_all(folder());

    run([](StoreSetup& setup) {
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(!setup.store.current()->has_rules());
        BOOST_TEST(setup.errors() == 0u);
    });
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_known_leaves_in_force_what_was_or_closes_the_store) {
    const auto start_without_folder = [this](auto use) {
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
    start_without_folder([this](StoreSetup& setup) {
        BOOST_TEST(setup.store.is_closed());
        BOOST_TEST(!setup.store.status().is_reading);
        setup.store.refresh();
        BOOST_TEST(setup.store.is_closed());
        BOOST_TEST(setup.errors() == 1u);
        BOOST_TEST(!fs::exists(kept()));
    });

    run_with("one");
    start_without_folder([](StoreSetup& setup) {
        BOOST_TEST(!setup.store.is_closed());
        BOOST_TEST(setup.said() == "one");
        BOOST_TEST(setup.stands(Standing::degraded));
    });
}

BOOST_AUTO_TEST_CASE(a_standby_writes_nothing_and_goes_by_what_the_active_controller_keeps) {
    run_with("one");
    const std::string before = content_of(kept());
    temp.write("a.lua", StoreSetup::warns("two"));
    StoreSetup standby(options());
    standby.store.start(folder());
    BOOST_TEST(standby.said() == "two");
    BOOST_TEST(standby.looks_again(5));
    BOOST_TEST(content_of(kept()) == before);

    standby.store.mark_active();

    BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "two"); }));
}

BOOST_AUTO_TEST_CASE(a_closed_standby_opens_with_what_the_active_controller_keeps) {
    temp.write("a.lua", "rule {");
    StoreSetup standby(options());
    standby.store.start(folder());
    BOOST_TEST(standby.store.is_closed());

    keep_as_another("kept");

    BOOST_TEST(StoreSetup::soon([&] { return standby.said() == "kept"; }));
    BOOST_TEST(StoreSetup::soon([&] { return !standby.store.is_closed(); }));
}

BOOST_AUTO_TEST_CASE(a_standby_whose_folder_breaks_goes_by_what_the_active_controller_kept_since) {
    run_with("one");
    for (const bool is_kept_first : {true, false}) {
        temp.write("a.lua", StoreSetup::warns("one"));
        keep_as_another("one");
        StoreSetup standby(options());
        standby.store.start(folder());
        const auto keep_newer = [&] {
            keep_as_another("newer");
            std::this_thread::sleep_for(100ms); // some looks
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
    standby.store.start(folder());
    BOOST_TEST(standby.said() == "two");

    temp.write("a.lua", "rule {");

    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));
    std::this_thread::sleep_for(100ms);
    BOOST_TEST(standby.said() == "two");
}

BOOST_AUTO_TEST_CASE(a_controller_that_is_a_standby_again_writes_nothing_until_the_next_job) {
    temp.write("a.lua", StoreSetup::warns("one"));
    run([this](StoreSetup& backup) {
        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "one"); }));
        BOOST_TEST(!backup.store.status().is_superseded);
        // The other one keeps the same: that it does so tells.
        run([this](StoreSetup&) { std::this_thread::sleep_for(100ms); });
        BOOST_TEST(StoreSetup::soon([&] { return backup.store.status().is_superseded; }));
        const std::string before = content_of(kept());
        temp.write("a.lua", StoreSetup::warns("two"));
        BOOST_TEST(StoreSetup::soon([&] { return backup.said() == "two"; }));
        std::this_thread::sleep_for(100ms);
        BOOST_TEST(content_of(kept()) == before);

        backup.store.mark_active();

        BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), "two"); }));
        BOOST_TEST(!backup.store.status().is_superseded);
    });
}

BOOST_AUTO_TEST_CASE(a_copy_that_does_not_load_leaves_the_folders_policy_in_force_as_such) {
    temp.write("a.lua", StoreSetup::warns("one"));
    StoreSetup standby(options());
    standby.store.start(folder());
    const SourceFolder broken{true, {{"a.lua", "rule {"}}};
    BOOST_TEST_REQUIRE(write_kept(kept(), {broken, 1}).has_value());
    std::this_thread::sleep_for(100ms); // some looks
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
    BOOST_TEST(standby.store.status().is_kept_copy);
}

BOOST_AUTO_TEST_CASE(a_mended_folder_with_the_same_policy_is_newer_than_what_was_kept) {
    temp.write("a.lua", StoreSetup::warns("one"));
    StoreSetup standby(options());
    standby.store.start(folder());
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

BOOST_AUTO_TEST_CASE(what_an_earlier_process_left_half_written_is_taken_away_at_the_start) {
    const fs::path left = kept().string() + ".AbC123";
    std::ofstream(left) << "half";
    fs::last_write_time(left, fs::file_time_type::clock::now() - 1h);
    run([&](StoreSetup&) { BOOST_TEST(!fs::exists(left)); });
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
            std::this_thread::sleep_for(100ms); // some looks
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
    standby.store.start(folder());
    BOOST_TEST(standby.said() == "one");

    std::ofstream(kept(), std::ios::trunc) << old;
    std::this_thread::sleep_for(100ms); // some looks
    temp.write("a.lua", "rule {");

    BOOST_TEST(StoreSetup::soon([&] { return standby.stands(Standing::degraded); }));
    BOOST_TEST(standby.looks_again(5));
    BOOST_TEST(standby.said() == "one");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_kept_is_told_once) {
    temp.write("a.lua", StoreSetup::warns("one"));
    StoreOptions nowhere = options();
    nowhere.kept_file = temp.root() / "no folder" / "kept";
    StoreSetup setup(nowhere);
    setup.store.start(folder());
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

// ---- a file that hangs
// --------------------------------------------------------------------------------------

namespace {

/// Reading hangs until released, as on a dead file server.
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;
    bool was_read = false;

    Result<SourceFolder> read(const fs::path& folder, uid_t trusted_user) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return is_open; });
        auto sources = read_source_folder(folder, trusted_user);
        was_read = true;
        changed.notify_all();
        return sources;
    }
    void open() {
        const std::scoped_lock lock(mutex);
        is_open = true;
        changed.notify_all();
    }
    bool wait_for_read() {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, 10s, [this] { return was_read; });
    }
};

/// How many threads this process has.
std::ptrdiff_t threads() {
    return std::distance(fs::directory_iterator("/proc/self/task"), {});
}

struct Hanging : Restarts {
    [[nodiscard]] StoreOptions hanging_options() const {
        StoreOptions slow = options();
        slow.start_patience = 50ms;
        slow.read = [gate = gate](const fs::path& path, uid_t user) { return gate->read(path, user); };
        return slow;
    }
    std::shared_ptr<Gate> gate = std::make_shared<Gate>();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hanging_files, Hanging)

BOOST_AUTO_TEST_CASE(hold_up_neither_start_nor_stop_and_close_the_store) {
    temp.write("a.lua", StoreSetup::warns("one"));
    const auto begin = std::chrono::steady_clock::now();
    StoreSetup setup(hanging_options());
    setup.store.start(folder());

    BOOST_TEST(setup.store.is_closed());
    BOOST_TEST(setup.store.status().is_reading);
    BOOST_TEST(has_text(setup.store.status().last_error->message, "qosgate.d: is still being read"));
    BOOST_TEST(has_text(setup.last_error(), "is not read yet, a file or folder may hang: until then all"));
    setup.store.stop();
    BOOST_TEST((std::chrono::steady_clock::now() - begin) < 2s);

    gate->open();
    BOOST_TEST(gate->wait_for_read());
}

BOOST_AUTO_TEST_CASE(leave_in_force_what_was_kept_until_they_answer) {
    run_with("one");
    temp.write("a.lua", StoreSetup::warns("two"));
    StoreSetup setup(hanging_options());
    setup.store.start(folder());

    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(setup.store.status().standing == Standing::degraded);
    gate->open();
    BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "two"; }));
    BOOST_TEST(StoreSetup::soon([&] { return !setup.store.status().is_reading; }));
}

BOOST_AUTO_TEST_CASE(write_nothing_over_the_copy_of_a_later_store_when_they_answer_at_last) {
    temp.write("a.lua", StoreSetup::warns("old"));
    const auto threads_before = threads();
    auto setup = std::make_unique<StoreSetup>(hanging_options());
    setup->store.start(folder());
    setup->store.mark_active();
    setup->store.stop();
    setup.reset();
    BOOST_TEST_REQUIRE(write_kept(kept(), {{true, {}}, 1}).has_value());
    const std::string before = content_of(kept());

    gate->open();
    BOOST_TEST(gate->wait_for_read());
    BOOST_TEST(StoreSetup::soon([&] { return threads() == threads_before; }));

    BOOST_TEST(content_of(kept()) == before);
}

BOOST_AUTO_TEST_SUITE_END()

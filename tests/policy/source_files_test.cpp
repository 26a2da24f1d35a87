// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/source_files.hpp"

#include "support/needs_root.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>
#include <set>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// Why the directory cannot be read; "" if it can.
std::string problem_of(const fs::path& directory) {
    const auto read = read_source_directory(directory, geteuid());
    return read ? std::string() : read.error().message;
}

std::uint64_t hash_at(const fs::path& directory) {
    return hash_of(*read_source_directory(directory, geteuid()));
}

} // namespace

BOOST_AUTO_TEST_SUITE(source_files)

BOOST_AUTO_TEST_CASE(takes_a_missing_directory_for_an_empty_policy) {
    const TempDirectory temp;
    const auto read = read_source_directory(temp.root() / "none.d", geteuid());

    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST(!read->exists);
    BOOST_TEST(hash_of(*read) == 0u);
    BOOST_TEST(!(*load_policy(temp.root() / "none.d"))->has_rules());
}

BOOST_AUTO_TEST_CASE(reads_lua_files_in_the_order_of_their_names) {
    const TempDirectory temp;
    for (const std::string name :
         {"20.lua", "10.lua", "site.lua", ".hidden.lua", "notes.txt", "10.lua~", ".lua"})
        temp.write(name, name);
    const auto read = read_source_directory(temp.directory(), geteuid());

    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST_REQUIRE(read->files.size() == 3u);
    BOOST_TEST(read->files[0].name == "10.lua");
    BOOST_TEST(read->files[1].name == "20.lua");
    BOOST_TEST(read->files[2].text == "site.lua");
}

BOOST_AUTO_TEST_CASE(refuses_files_that_others_can_write) {
    const TempDirectory temp;
    const fs::path file = temp.write("a.lua", "");
    for (const mode_t mode : {0664u, 0646u, 0666u, 0777u}) {
        BOOST_TEST_CONTEXT(mode) {
            chmod(file.c_str(), mode);
            BOOST_TEST(has_text(problem_of(temp.directory()),
                                text::format("{}: mode {:04o} lets others write it: chmod go-w '{}'",
                                             file.string(), mode, file.string())));
            BOOST_TEST(load_policy(temp.directory()).error().code == ErrorCode::permission_denied);
        }
    }
    for (const mode_t mode : {0644u, 0600u, 0755u, 0444u}) {
        chmod(file.c_str(), mode);
        BOOST_TEST(problem_of(temp.directory()).empty());
    }
}

BOOST_AUTO_TEST_CASE(refuses_a_directory_that_others_can_write) {
    const TempDirectory temp;
    chmod(temp.directory().c_str(), 0775);

    BOOST_TEST(
        has_text(problem_of(temp.directory()), "qosgate.d: mode 0775 lets others write it: chmod go-w"));

    chmod(temp.directory().c_str(), 0755);
    BOOST_TEST(problem_of(temp.directory()).empty());
}

BOOST_AUTO_TEST_CASE(refuses_files_of_somebody_else, *needs_root()) {
    const TempDirectory temp;
    const fs::path file = temp.write("a.lua", "");
    BOOST_TEST_REQUIRE(chown(file.c_str(), 1234, 0) == 0);

    BOOST_TEST(
        has_text(problem_of(temp.directory()), "a.lua: belongs to user id 1234, which is neither root nor"));
    BOOST_TEST(read_source_directory(temp.directory(), 1234).has_value()); // the daemon's user may own them

    BOOST_TEST_REQUIRE(chown(file.c_str(), 0, 0) == 0);
    BOOST_TEST_REQUIRE(chown(temp.directory().c_str(), 1234, 0) == 0);
    BOOST_TEST(has_text(problem_of(temp.directory()), "qosgate.d: belongs to user id 1234"));
}

BOOST_AUTO_TEST_CASE(looks_through_symbolic_links) {
    const TempDirectory temp;
    const fs::path elsewhere = temp.root() / "elsewhere";
    fs::create_directory(elsewhere);
    chmod(elsewhere.c_str(), 0755);
    const fs::path target = elsewhere / "real.lua";
    std::ofstream(target) << "text";
    chmod(target.c_str(), 0644);
    fs::create_symlink(target, temp.directory() / "a.lua");
    BOOST_TEST(problem_of(temp.directory()).empty());

    chmod(target.c_str(), 0666);
    BOOST_TEST(
        has_text(problem_of(temp.directory()),
                 text::format("a.lua: on the way to it: {}: mode 0666 lets others write it: chmod go-w",
                              target.string())));

    chmod(target.c_str(), 0644);
    chmod(elsewhere.c_str(), 0777);
    BOOST_TEST(has_text(problem_of(temp.directory()), "elsewhere: mode 0777 lets others write it"));

    chmod(elsewhere.c_str(), 0755);
    fs::remove(target);
    BOOST_TEST(has_text(problem_of(temp.directory()), "a.lua: on the way to it: "));
    BOOST_TEST(has_text(problem_of(temp.directory()), "real.lua: cannot be read: No such file"));
}

BOOST_AUTO_TEST_CASE(calls_a_file_by_its_name_behind_a_link_to_its_directory) {
    const TempDirectory temp;
    const fs::path file = temp.write("a.lua", "text");
    const fs::path link = temp.root() / "link.d";
    fs::create_symlink(temp.directory(), link);
    chmod(file.c_str(), 0664);

    const std::string problem = problem_of(link);

    BOOST_TEST(
        problem.starts_with((link / "a.lua").string() + ": mode 0664 lets others write it: chmod go-w"),
        problem);
}

BOOST_AUTO_TEST_CASE(calls_a_file_of_somebody_else_by_its_name_behind_a_link, *needs_root()) {
    const TempDirectory temp;
    const fs::path file = temp.write("a.lua", "text");
    const fs::path link = temp.root() / "link.d";
    fs::create_symlink(temp.directory(), link);
    BOOST_TEST(problem_of(link).empty());

    BOOST_TEST_REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
    BOOST_TEST(problem_of(link).starts_with((link / "a.lua").string() + ": belongs to"), problem_of(link));
}

BOOST_AUTO_TEST_CASE(refuses_a_way_that_leads_through_somebody_else_s_directory, *needs_root()) {
    const TempDirectory temp;
    const fs::path home = temp.root() / "home";
    const fs::path safe = temp.root() / "safe";
    for (const fs::path& directory : {home, safe}) {
        fs::create_directory(directory);
        chmod(directory.c_str(), 0755);
    }
    std::ofstream(safe / "real.lua") << "text";
    fs::create_symlink("../safe/real.lua", home / "current.lua");
    fs::create_symlink(home / "current.lua", temp.directory() / "a.lua");
    BOOST_TEST(problem_of(temp.directory()).empty()); // root's links and directories, relative and absolute

    BOOST_TEST_REQUIRE(lchown((home / "current.lua").c_str(), 1234, 0) == 0);
    BOOST_TEST(has_text(problem_of(temp.directory()), "home/current.lua: belongs to user id 1234"));
    BOOST_TEST(has_text(problem_of(temp.directory()), "chown -h root '"));

    BOOST_TEST_REQUIRE(lchown((home / "current.lua").c_str(), 0, 0) == 0);
    BOOST_TEST_REQUIRE(chown(home.c_str(), 1234, 0) == 0);
    BOOST_TEST(has_text(problem_of(temp.directory()),
                        text::format("a.lua: on the way to it: {}: belongs to user id 1234", home.string())));
}

BOOST_AUTO_TEST_CASE(looks_at_every_directory_above_the_policy) {
    const TempDirectory temp;
    temp.write("a.lua", "");
    chmod(temp.root().c_str(), 0775);
    BOOST_TEST(has_text(problem_of(temp.directory()),
                        text::format("qosgate.d: on the way to it: {}: mode 0775 lets others write it",
                                     temp.root().string())));

    chmod(temp.root().c_str(), 01777); // as /tmp: nobody may delete files of others
    BOOST_TEST(problem_of(temp.directory()).empty());
    chmod(temp.directory().c_str(), 01777); // but everybody may add a file
    BOOST_TEST(has_text(problem_of(temp.directory()), "qosgate.d: mode 1777 lets others write it"));
}

BOOST_AUTO_TEST_CASE(opens_no_device_and_follows_no_link_for_ever) {
    const TempDirectory temp;
    fs::create_symlink("/dev/zero", temp.directory() / "a.lua");
    BOOST_TEST(has_text(problem_of(temp.directory()), "a.lua: not a regular file"));

    fs::remove(temp.directory() / "a.lua");
    fs::create_symlink("a.lua", temp.directory() / "a.lua");
    BOOST_TEST(
        has_text(problem_of(temp.directory()), "a.lua: cannot be read: Too many levels of symbolic links"));
}

BOOST_AUTO_TEST_CASE(takes_a_link_to_nothing_for_an_error_and_not_for_no_directory) {
    const TempDirectory temp;
    fs::create_symlink(temp.root() / "gone", temp.root() / "link.d");

    BOOST_TEST(has_text(problem_of(temp.root() / "link.d"), "gone: cannot be read: No such file"));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_plain_file_or_too_large) {
    const TempDirectory temp;
    fs::create_directory(temp.directory() / "a.lua");
    BOOST_TEST(!problem_of(temp.directory()).empty());
    fs::remove(temp.directory() / "a.lua");

    mkfifo((temp.directory() / "a.lua").c_str(), 0644);
    BOOST_TEST(has_text(problem_of(temp.directory()), "a.lua: not a regular file"));
    fs::remove(temp.directory() / "a.lua");

    temp.write("a.lua", std::string(max_file_bytes, 'x'));
    BOOST_TEST(problem_of(temp.directory()).empty());
    temp.write("a.lua", std::string(max_file_bytes + 1, 'x'));
    BOOST_TEST(has_text(problem_of(temp.directory()), "a.lua: larger than 256 KiB"));
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_replaced_while_it_is_read_is_read_as_one_of_both) {
    const TempDirectory temp;
    const fs::path other = temp.root() / "other.d";
    fs::create_directory(other);
    chmod(other.c_str(), 0755);
    for (int i = 0; i < 100; ++i) {
        // Half of the old names are no names of the new directory.
        temp.write(std::to_string(100 + i) + ".lua", "old");
        std::ofstream(other / (std::to_string(150 + i) + ".lua")) << "new";
        chmod((other / (std::to_string(150 + i) + ".lua")).c_str(), 0644);
    }
    const std::uint64_t one = hash_at(temp.directory());
    const std::uint64_t two = hash_at(other);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 200; ++i) {
        bool has_exchanged = false;
        std::thread exchange([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(10 * i));
            has_exchanged =
                renameat2(AT_FDCWD, other.c_str(), AT_FDCWD, temp.directory().c_str(), RENAME_EXCHANGE) == 0;
        });
        const auto read = read_source_directory(temp.directory(), geteuid());
        exchange.join();
        BOOST_TEST_REQUIRE(read.has_value(), (read ? "" : read.error().message));
        BOOST_TEST_REQUIRE(has_exchanged);
        seen.insert(hash_of(*read));
    }
    BOOST_TEST(seen == (std::set{one, two}));
}

BOOST_AUTO_TEST_CASE(knows_contents_by_their_bytes_alone) {
    const TempDirectory temp;
    temp.write("a.lua", "one");
    const std::uint64_t one = hash_at(temp.directory());

    temp.write("a.lua", "two");
    BOOST_TEST(hash_at(temp.directory()) != one);
    temp.write("a.lua", "one");
    BOOST_TEST(hash_at(temp.directory()) == one);
    fs::rename(temp.directory() / "a.lua", temp.directory() / "b.lua");
    BOOST_TEST(hash_at(temp.directory()) != one);
}

BOOST_AUTO_TEST_CASE(keeps_the_ends_of_texts_apart) {
    const SourceDirectory first{true, {{"a.lua", "xy"}, {"b.lua", "z"}}};
    const SourceDirectory second{true, {{"a.lua", "x"}, {"b.lua", "yz"}}};

    BOOST_TEST(hash_of(first) != hash_of(second));
    BOOST_TEST(hash_of(SourceDirectory{true, {}}) != 0u);
}

BOOST_AUTO_TEST_CASE(signs_every_change_of_a_file_s_state) {
    const TempDirectory temp;
    const fs::path file = temp.write("a.lua", "one");
    const std::uint64_t before = stat_signature(temp.directory());
    BOOST_TEST(stat_signature(temp.directory()) == before);

    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
    const std::uint64_t older = stat_signature(temp.directory());
    BOOST_TEST(older != before);
    chmod(file.c_str(), 0666);
    BOOST_TEST(stat_signature(temp.directory()) != older);
    BOOST_TEST(stat_signature(temp.root() / "none.d") != older);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/replace_file.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace qg;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

struct Setup {
    Setup() {
        std::string made = (fs::temp_directory_path() / "qosgate-XXXXXX").string();
        BOOST_TEST_REQUIRE(mkdtemp(made.data()) != nullptr);
        directory = made;
        file = directory / "state";
    }
    ~Setup() { fs::remove_all(directory); }

    auto files() const { return std::distance(fs::directory_iterator(directory), fs::directory_iterator()); }

    fs::path directory, file;
};

unsigned mode_of(const fs::path& path) {
    struct stat info {};
    BOOST_TEST_REQUIRE(lstat(path.c_str(), &info) == 0);
    return info.st_mode & 07777u;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(replacing_a_file, Setup)

BOOST_AUTO_TEST_CASE(a_file_is_made_and_replaced_and_nothing_is_left_beside_it) {
    for (const auto durability : {Durability::on_disk, Durability::cached})
        for (const std::string& content : {std::string("first"), std::string(100'000, 'x'), std::string()}) {
            BOOST_TEST(replace_file(file, content, 0600, durability).has_value());
            BOOST_TEST(read(file) == content);
            BOOST_TEST(files() == 1);
        }
}

BOOST_AUTO_TEST_CASE(the_mode_is_the_one_asked_for_whatever_the_umask_and_the_old_file_say) {
    for (const mode_t mask : {022u, 077u, 0u}) {
        const mode_t before = umask(mask);
        for (const mode_t mode : {0644u, 0600u}) {
            BOOST_TEST(replace_file(file, "text", mode, Durability::cached).has_value());
            BOOST_TEST(mode_of(file) == mode);
        }
        umask(before);
    }
}

BOOST_AUTO_TEST_CASE(a_link_is_replaced_and_not_followed) {
    std::ofstream(directory / "other") << "mine";
    fs::create_symlink(directory / "other", file);
    BOOST_TEST(replace_file(file, "text", 0600, Durability::cached).has_value());
    BOOST_TEST(!fs::is_symlink(file));
    BOOST_TEST(read(directory / "other") == "mine");
}

BOOST_AUTO_TEST_CASE(where_it_fails_the_old_content_stays_and_nothing_is_left_beside_it) {
    const auto no_directory = replace_file(directory / "none" / "state", "text", 0600, Durability::on_disk);
    BOOST_TEST_REQUIRE(!no_directory.has_value());
    BOOST_TEST(no_directory.error().code == ErrorCode::unavailable);
    BOOST_TEST(no_directory.error().message ==
               (directory / "none" / "state").string() + ": cannot be written: No such file or directory");

    fs::create_directory(file); // which no file takes the place of
    std::ofstream(file / "inside") << "old";
    BOOST_TEST(!replace_file(file, "text", 0600, Durability::on_disk).has_value());
    BOOST_TEST(read(file / "inside") == "old");
    BOOST_TEST(files() == 1);
}

BOOST_AUTO_TEST_CASE(what_a_killed_process_left_is_taken_away_and_nothing_else) {
    const auto make = [this](const std::string& name, std::chrono::seconds age) {
        std::ofstream(directory / name) << "half";
        fs::last_write_time(directory / name, fs::file_time_type::clock::now() - age);
        return directory / name;
    };
    const auto old = leftover_age + std::chrono::seconds(5), young = leftover_age - std::chrono::seconds(5);
    const fs::path left = make("state.AbC129", old), left_too = make("state.zzzzzz", old);
    const std::vector<fs::path> others = {
        make("state.AbC128", young), make("state", old),         make("state.AbC12", old),
        make("state.AbC1234", old),  make("state.AbC12-", old),  make("state.old", old),
        make("state_AbC123", old),   make("other.AbC123", old),  make(".AbC123", old),
        make("state.AbC123.x", old), make("astate.AbC123", old),
    };
    fs::create_directory(directory / "state.AbC124");
    fs::create_symlink("other.AbC123", directory / "state.AbC125");
    const bool is_root = geteuid() == 0; // only root gives files away
    if (is_root) BOOST_TEST_REQUIRE(chown(make("state.AbC126", old).c_str(), 1234, 0) == 0);

    remove_leftovers(file);

    BOOST_TEST(!fs::exists(left));
    BOOST_TEST(!fs::exists(left_too));
    for (const fs::path& other : others)
        BOOST_TEST(fs::exists(other), other);
    BOOST_TEST(files() == static_cast<long>(others.size()) + 2 + (is_root ? 1 : 0));
    remove_leftovers(directory / "none" / "state");
}

BOOST_AUTO_TEST_CASE(readers_see_whole_contents_while_several_write) {
    const std::string a(50'000, 'a'), b(70'000, 'b');
    BOOST_TEST_REQUIRE(replace_file(file, a, 0600, Durability::cached).has_value());
    std::atomic<int> failed = 0;
    const auto write = [&](const std::string& content) {
        for (int i = 0; i < 200; ++i)
            if (!replace_file(file, content, 0600, Durability::cached)) ++failed;
    };
    std::thread first(write, a), second(write, b);
    int torn = 0;
    for (int i = 0; i < 200; ++i) {
        const std::string seen = read(file);
        if (seen != a && seen != b) ++torn;
    }
    first.join();
    second.join();
    BOOST_TEST(torn == 0);
    BOOST_TEST(failed == 0);
    BOOST_TEST(files() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

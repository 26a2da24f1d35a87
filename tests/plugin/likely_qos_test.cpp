// SPDX-License-Identifier: GPL-2.0-or-later
#include "likely_qos.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>

using qg::plugin::LikelyQos;
using Names = std::vector<std::string>;

namespace {

struct Setup {
    Setup() {
        std::filesystem::create_directory(directory);
        std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
    }

    std::filesystem::path file() const { return directory / "qosgate-default-qos-moon"; }
    void write(std::string_view content) const { std::ofstream(file()) << content; }
    bool has_files() const {
        return std::filesystem::directory_iterator(directory) != std::filesystem::directory_iterator();
    }
    LikelyQos likely() const { return {directory, "moon"}; }

    qg::test::TempFolder folder;
    const std::filesystem::path directory = folder.root() / "run";
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(likely_qos, Setup)

BOOST_AUTO_TEST_CASE(a_name_is_there_for_the_next_client_and_only_its_user_reads_it) {
    BOOST_TEST(likely().names().empty());
    likely().note("long");
    BOOST_TEST(likely().names() == Names{"long"}, boost::test_tools::per_element());
    struct stat status {};
    BOOST_TEST_REQUIRE(stat(file().c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777) == 0600u);
}

BOOST_AUTO_TEST_CASE(each_cluster_has_names_of_its_own) {
    likely().note("long");
    BOOST_TEST(LikelyQos(directory, "mars").names().empty());
}

BOOST_AUTO_TEST_CASE(the_last_four_names_are_kept) {
    for (const char* name : {"a", "b", "c", "d", "e", "b"})
        likely().note(name);
    BOOST_TEST(likely().names() == (Names{"e", "d", "c", "b"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_no_name_is_neither_written_nor_read) {
    for (const std::string& name :
         {std::string(), std::string("a\nb"), std::string("a,b"), std::string(256, 'q')})
        likely().note(name);
    BOOST_TEST(!has_files());
    write("a b\n\nlong\n" + std::string(256, 'q') + "\n");
    BOOST_TEST(likely().names() == Names{"long"}, boost::test_tools::per_element());
    likely().note(std::string(255, 'q'));
    BOOST_TEST(likely().names().front().size() == 255u);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_long_or_no_file_has_no_names) {
    write(std::string(2000, '\n') + "long\n");
    BOOST_TEST(likely().names().empty());
    std::filesystem::remove(file());
    BOOST_TEST_REQUIRE(mkfifo(file().c_str(), 0600) == 0);
    BOOST_TEST(likely().names().empty()); // does not wait for a writer
    std::filesystem::remove(file());
    const auto other = directory / "other";
    std::ofstream(other) << "long\n";
    std::filesystem::create_symlink(other, file());
    BOOST_TEST(likely().names().empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_remembered_where_others_write_or_without_a_directory) {
    for (const std::string cluster : {"", "../moon", "a/b"}) {
        LikelyQos(directory, cluster).note("long");
        BOOST_TEST(!has_files());
    }
    std::filesystem::permissions(directory, std::filesystem::perms::group_write,
                                 std::filesystem::perm_options::add);
    likely().note("long");
    BOOST_TEST(!has_files());
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
    std::filesystem::create_directory_symlink(directory, folder.root() / "link");
    LikelyQos(folder.root() / "link/", "moon").note("long");
    LikelyQos(folder.root() / "link", "moon").note("long");
    BOOST_TEST(!has_files());
    LikelyQos("", "moon").note("long");
    LikelyQos("relative", "moon").note("long");
    LikelyQos(directory / "missing", "moon").note("long");
    BOOST_TEST(!has_files());
}

BOOST_AUTO_TEST_SUITE_END()

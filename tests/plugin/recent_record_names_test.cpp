// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/recent_record_names.hpp"
#include "support/policy_setup.hpp"
#include "support/records_part.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <sys/stat.h>

using qg::plugin::RecentRecordNames;
using qg::slurm::RecordsPart;

namespace {

struct LikelySetup {
    LikelySetup() {
        std::filesystem::create_directory(directory);
        std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
    }

    std::filesystem::path file() const { return directory / "qosgate-records-moon"; }
    void write(std::string_view content) const { std::ofstream(file()) << content; }
    std::string content() const {
        std::ostringstream text;
        text << std::ifstream(file()).rdbuf();
        return text.str();
    }
    bool has_files() const {
        return std::filesystem::directory_iterator(directory) != std::filesystem::directory_iterator();
    }
    RecentRecordNames likely() const { return {directory, "moon"}; }

    qg::test::TempDirectory temp;
    const std::filesystem::path directory = temp.root() / "run";
};

std::string shown(const RecentRecordNames& likely) {
    return qg::test::shown(likely.names());
}

RecordsPart one_qos(const std::string& name) {
    return {.qos = {name}};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(recent_record_names, LikelySetup)

BOOST_AUTO_TEST_CASE(names_are_there_for_the_next_client_and_only_its_user_reads_them) {
    BOOST_TEST(shown(likely()) == "qos, accounts");
    likely().note({.qos = {"long"}, .accounts = {"astro", "lab"}});
    BOOST_TEST(shown(likely()) == "qos long, accounts astro lab");
    struct stat status {};
    BOOST_TEST_REQUIRE(stat(file().c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777) == 0600u);
}

BOOST_AUTO_TEST_CASE(each_cluster_has_names_of_its_own) {
    likely().note(one_qos("long"));
    BOOST_TEST(shown(RecentRecordNames(directory, "mars")) == "qos, accounts");
}

BOOST_AUTO_TEST_CASE(the_newest_names_are_kept) {
    for (const char* name : {"a", "b", "c", "d", "e", "f", "b"})
        likely().note(one_qos(name));
    BOOST_TEST(shown(likely()) == "qos a b c d e f, accounts");
    likely().note(one_qos("g"));
    BOOST_TEST(shown(likely()) == "qos b c d e f g, accounts");
    RecordsPart many;
    for (char name = 'a'; name <= 'z'; ++name)
        many.accounts.insert(std::string(1, name));
    likely().note({.accounts = {"z"}});
    likely().note(many);
    BOOST_TEST(shown(likely()) == "qos b c d e f g, accounts a b c d e f g h i j k l m n o p");
}

BOOST_AUTO_TEST_CASE(more_names_than_are_kept_do_not_write_the_file_each_time) {
    RecordsPart many;
    for (char name = 'a'; name <= 'z'; ++name)
        many.qos.insert(std::string(1, name));
    likely().note(many);
    const std::string before = content();
    likely().note(many);
    BOOST_TEST(content() == before);
    BOOST_TEST(shown(likely()) == "qos a b c d e f, accounts");
}

BOOST_AUTO_TEST_CASE(a_new_account_is_kept_though_the_list_is_full) {
    RecordsPart full;
    for (char name = 'a'; name < 'a' + 16; ++name)
        full.accounts.insert(std::string(1, name));
    likely().note(full);
    likely().note({.accounts = {"zeta"}});
    BOOST_TEST(likely().names().accounts.contains("zeta"));
    BOOST_TEST(likely().names().accounts.size() == 16u);
}

BOOST_AUTO_TEST_CASE(the_names_of_a_job_are_added_if_an_account_is_known) {
    qg::model::JobRequest job;
    job.account = "Bio";
    job.qos = "a,,b";
    BOOST_TEST(likely().names_for(job).is_empty());
    likely().note({.qos = {"long"}, .accounts = {"astro"}});
    const RecordsPart part = likely().names_for(job);
    BOOST_TEST(part.qos == (std::set<std::string, std::less<>>{"a", "b", "long"}),
               boost::test_tools::per_element());
    BOOST_TEST(part.accounts == (std::set<std::string, std::less<>>{"astro", "bio"}),
               boost::test_tools::per_element());
    std::string many = "q0";
    for (int number = 1; number < 100; ++number)
        many += ",q" + std::to_string(number);
    job.qos = many;
    BOOST_TEST(likely().names_for(job).qos.size() == 65u);
}

BOOST_AUTO_TEST_CASE(what_is_no_name_is_neither_written_nor_read) {
    for (const std::string& name :
         {std::string(), std::string("a\nb"), std::string("a,b"), std::string(256, 'q')})
        likely().note({.qos = {name}, .accounts = {name}});
    BOOST_TEST(!has_files());
    write("qos a b\n\nqos long\nlong\nqos \nqosshort\naccount\nqos " + std::string(256, 'q') + "\n");
    BOOST_TEST(shown(likely()) == "qos long, accounts");
    likely().note({.accounts = {std::string(255, 'q')}});
    BOOST_TEST(likely().names().accounts.contains(std::string(255, 'q')));
}

BOOST_AUTO_TEST_CASE(a_file_of_the_longest_names_is_read) {
    RecordsPart longest;
    for (char name = 'a'; name < 'a' + 6; ++name)
        longest.qos.insert(std::string(255, name));
    for (char name = 'a'; name < 'a' + 16; ++name)
        longest.accounts.insert(std::string(255, name));
    likely().note(longest);
    BOOST_TEST(likely().names().qos == longest.qos, boost::test_tools::per_element());
    BOOST_TEST(likely().names().accounts == longest.accounts, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_long_or_no_file_has_no_names) {
    write(std::string(20'000, '\n') + "qos long\n");
    BOOST_TEST(shown(likely()) == "qos, accounts");
    std::filesystem::remove(file());
    BOOST_TEST_REQUIRE(mkfifo(file().c_str(), 0600) == 0);
    BOOST_TEST(shown(likely()) == "qos, accounts"); // does not wait for a writer
    std::filesystem::remove(file());
    const auto other = directory / "other";
    std::ofstream(other) << "qos long\n";
    std::filesystem::create_symlink(other, file());
    BOOST_TEST(shown(likely()) == "qos, accounts");
}

BOOST_AUTO_TEST_CASE(nothing_is_remembered_where_others_write_or_without_a_directory) {
    const RecordsPart used = one_qos("long");
    for (const std::string cluster : {"", "../moon", "a/b"}) {
        RecentRecordNames(directory, cluster).note(used);
        BOOST_TEST(!has_files());
    }
    std::filesystem::permissions(directory, std::filesystem::perms::group_write,
                                 std::filesystem::perm_options::add);
    likely().note(used);
    BOOST_TEST(!has_files());
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
    std::filesystem::create_directory_symlink(directory, temp.root() / "link");
    RecentRecordNames(temp.root() / "link/", "moon").note(used);
    RecentRecordNames(temp.root() / "link", "moon").note(used);
    BOOST_TEST(!has_files());
    RecentRecordNames("", "moon").note(used);
    RecentRecordNames("relative", "moon").note(used);
    RecentRecordNames(directory / "missing", "moon").note(used);
    BOOST_TEST(!has_files());
}

BOOST_AUTO_TEST_SUITE_END()

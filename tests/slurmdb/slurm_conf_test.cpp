// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/slurm_conf.hpp"

#include "fake_slurmdbd.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::slurmdb;
using qg::test::TemporaryDirectory;

BOOST_AUTO_TEST_SUITE(slurm_conf)

BOOST_AUTO_TEST_CASE(reads_the_settings_in_any_case_without_comments) {
    const TemporaryDirectory directory;
    const auto path =
        directory.write("slurm.conf", "# AccountingStorageHost=wrong\n"
                                      "accountingstoragetype = accounting_storage/slurmdbd # why\n"
                                      "AccountingStorageHost=db1\n"
                                      "SlurmctldHost=c1\nSlurmctldHost=c2(10.0.0.2)\n"
                                      "SlurmUser=slurm\n"
                                      "NodeName=n[1-4] CPUs=2\n");

    const SlurmConf conf = load_slurm_conf(path).value();

    BOOST_TEST(conf.accounting_storage_type == "accounting_storage/slurmdbd");
    BOOST_TEST(conf.slurmdbd() == "slurmdbd at db1:6819");
    BOOST_TEST(conf.controllers == (std::vector<std::string>{"c1", "c2"}), boost::test_tools::per_element());
    BOOST_TEST(conf.slurm_user == "slurm");
}

BOOST_AUTO_TEST_CASE(a_value_is_one_word_or_stands_in_double_quotes) {
    const TemporaryDirectory directory;
    const auto plugins = [&](const char* line) {
        return load_slurm_conf(directory.write("slurm.conf", line)).value().job_submit_plugins;
    };

    BOOST_TEST(plugins("JobSubmitPlugins=\"lua,qosgate\"\n") == "lua,qosgate");
    BOOST_TEST(plugins("JobSubmitPlugins = \"lua, qosgate\" # both\n") == "lua, qosgate");
    BOOST_TEST(plugins("JobSubmitPlugins=lua,qosgate\tSlurmUser=slurm\n") == "lua,qosgate");
    BOOST_TEST(plugins("SlurmUser=\"slurm\" JobSubmitPlugins=lua\n") == "lua");
    BOOST_TEST(plugins("JobSubmitPlugins=\"\"\n") == "");
    BOOST_TEST(plugins("JobSubmitPlugins=\n") == "");
    BOOST_TEST(plugins("JobSubmitPlugins=\"lua\n") == "\"lua"); // no end: a word
}

BOOST_AUTO_TEST_CASE(follows_includes_next_to_the_file) {
    const TemporaryDirectory directory;
    directory.write("accounting.conf", "AccountingStoragePort=7000\n");
    const auto path = directory.write("slurm.conf", "Include accounting.conf\n");

    BOOST_TEST(load_slurm_conf(path).value().slurmdbd() == "slurmdbd at localhost:7000");
}

BOOST_AUTO_TEST_CASE(the_text_has_that_of_included_files_in_their_place) {
    const TemporaryDirectory directory;
    directory.write("deep.conf", "C=3\n");
    directory.write("more.conf", "B=2 # why\ninclude\tdeep.conf # that\n");
    const auto path =
        directory.write("slurm.conf", "A=1\nInclude more.conf\nIncludes=no\n#Include gone.conf\n");

    BOOST_TEST(read_slurm_conf_text(path).value() ==
               "A=1\nB=2 # why\nC=3\nIncludes=no\n#Include gone.conf\n");
}

BOOST_AUTO_TEST_CASE(names_the_include_that_is_missing) {
    const TemporaryDirectory directory;
    const auto path = directory.write("slurm.conf", "Include gone.conf\n");

    const auto conf = load_slurm_conf(path);

    BOOST_TEST_REQUIRE(!conf.has_value());
    BOOST_TEST(conf.error().code == ErrorCode::unavailable);
    BOOST_TEST(conf.error().message.find("gone.conf: cannot read it: No such file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_includes_itself_is_an_error) {
    const TemporaryDirectory directory;
    const auto path = directory.write("slurm.conf", "Include slurm.conf\n");

    BOOST_TEST(!load_slurm_conf(path).has_value());
}

BOOST_AUTO_TEST_CASE(the_environment_names_the_file) {
    const TemporaryDirectory directory;
    const auto path = directory.write("slurm.conf", "");

    setenv("SLURM_CONF", path.c_str(), 1);
    const auto found = find_slurm_conf();
    setenv("SLURM_CONF", (directory.path() / "gone.conf").c_str(), 1);
    const auto missing = find_slurm_conf();
    setenv("SLURM_CONF", directory.path().c_str(), 1);
    const auto of_directory = find_slurm_conf();
    unsetenv("SLURM_CONF");

    BOOST_TEST(found.value() == path);
    BOOST_TEST(missing.error().message.find("gone.conf: No such file or directory") != std::string::npos);
    BOOST_TEST(of_directory.error().message.find("it is a directory") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

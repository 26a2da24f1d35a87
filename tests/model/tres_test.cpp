// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/tres.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::model;

namespace {

const TresCatalogue every_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages",
                                "bb/dw", "gres/gpu", "gres/gpu:a100", "license/foo"});

} // namespace

BOOST_AUTO_TEST_SUITE(tres)

BOOST_AUTO_TEST_CASE(kinds_follow_the_type_of_a_name) {
    BOOST_TEST(kind_of("CPU") == TresKind::cpu);
    BOOST_TEST(kind_of("gres/gpu:a100") == TresKind::gres);
    BOOST_TEST(kind_of("license/foo") == TresKind::license);
    BOOST_TEST(kind_of("bb/dw") == TresKind::bb);
    BOOST_TEST(kind_of("fs/disk") == TresKind::other);
    BOOST_TEST(kind_of("gres") == TresKind::other);
}

BOOST_AUTO_TEST_CASE(finds_gres_by_short_name) {
    BOOST_TEST(every_tres.find("gpu").value() == 9u);
    BOOST_TEST(every_tres.find("GRES/GPU:A100").value() == 10u);
    BOOST_TEST(!every_tres.find("gpux").has_value());
    BOOST_TEST(!every_tres.find("foo").has_value());
}

BOOST_AUTO_TEST_CASE(parses_a_list_with_units) {
    const auto list = parse_tres_list(every_tres, "cpu=24,mem=1T,gpu=2,node=-1").value();

    BOOST_TEST_REQUIRE(list.size() == 4u);
    BOOST_TEST(list[1].first == "mem");
    BOOST_TEST(list[1].second.value() == 1048576u);
    BOOST_TEST(list[2].first == "gres/gpu");
    BOOST_TEST(list[2].second.value() == 2u);
    BOOST_TEST(!list[3].second.has_value());
}

BOOST_AUTO_TEST_CASE(names_the_near_miss_of_an_unknown_tres) {
    const auto list = parse_tres_list(every_tres, "gres/gpus=2");

    BOOST_TEST_REQUIRE(!list.has_value());
    BOOST_TEST(list.error().message.find("did you mean gres/gpu?") != std::string::npos);
    BOOST_TEST(parse_tres_list(every_tres, "gpus=2").error().message.find("did you mean gpu?") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(refuses_a_list_that_is_not_one) {
    for (const char* wrong : {"cpu", "cpu=", "cpu=x", "cpu=1,CPU=2", "gpu:2", "cpu=-2"})
        BOOST_TEST_CONTEXT(wrong) {
            BOOST_TEST(!parse_tres_list(every_tres, wrong).has_value());
        }
}

BOOST_AUTO_TEST_CASE(a_name_that_slurm_conf_has_to_name_is_told_so_and_no_other_kind_is_near) {
    const TresCatalogue plain(std::vector<std::string>{"cpu", "mem", "node", "billing"});
    const auto add = [](const std::string& name) {
        return "; to count it, add " + name + " to AccountingStorageTRES in slurm.conf";
    };
    BOOST_TEST(hint_for_unknown(plain, "gpu") == add("gres/gpu")); // and not "did you mean cpu?"
    BOOST_TEST(hint_for_unknown(plain, "gres/gpu") == add("gres/gpu"));
    BOOST_TEST(hint_for_unknown(plain, "gpu:a100") == add("gres/gpu:a100"));
    BOOST_TEST(hint_for_unknown(plain, "license/foo") == add("license/foo"));
    BOOST_TEST(hint_for_unknown(plain, "cpus") == "; did you mean cpu?");
    BOOST_TEST(hint_for_unknown(plain, "xyzzy") == "");

    const TresCatalogue with_nics(std::vector<std::string>{"cpu", "gres/nic"});
    BOOST_TEST(hint_for_unknown(with_nics, "gpu") == add("gres/gpu"));
    BOOST_TEST(hint_for_unknown(with_nics, "gres/nick") == "; did you mean gres/nic?");
    BOOST_TEST(hint_for_unknown(with_nics, "nick") == "; did you mean nic?");
}

BOOST_AUTO_TEST_SUITE_END()

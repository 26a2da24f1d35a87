// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/read_names.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace qg;
using Names = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(read_names)

BOOST_AUTO_TEST_CASE(gres_of_nodes_are_named_with_and_without_their_type) {
    std::string gres = "gpu:a100:4(S:0,1),gpu:2,tmpdisk:10G,nic", other = "gpu:v100:1";
    std::vector<node_info_t> nodes(3);
    nodes[0].gres = nodes[1].gres = gres.data();
    nodes[2].gres = other.data();
    model::KnownNames names;

    slurm::add_names_of_nodes(names, nodes, std::vector<bool>(3, true));

    BOOST_TEST(names.gres.all == (Names{"gpu", "gpu:a100", "gpu:v100", "nic", "tmpdisk"}));
}

BOOST_AUTO_TEST_CASE(a_count_of_gres_may_have_a_suffix) {
    BOOST_TEST(slurm::read_gres_count("7").value() == 7u);
    BOOST_TEST(slurm::read_gres_count("10G").value() == std::uint64_t{10} << 30);
    BOOST_TEST(slurm::read_gres_count("2k").value() == 2048u);
    BOOST_TEST(slurm::read_gres_count("99999999999999P").value() == UINT64_MAX);
    for (const char* no_count : {"", "G", "a100", "10X", "-1"})
        BOOST_TEST(!slurm::read_gres_count(no_count).has_value());
}

BOOST_AUTO_TEST_CASE(nodes_go_by_their_names_and_hostnames) {
    std::string b = "b1", a = "a1", host = "a1.site", same = "b1";
    std::vector<node_info_t> nodes(2);
    nodes[0].name = b.data();
    nodes[0].node_hostname = same.data();
    nodes[1].name = a.data();
    nodes[1].node_hostname = host.data();
    model::KnownNames names;

    slurm::add_names_of_nodes(names, nodes, std::vector<bool>(2, true));

    BOOST_TEST(names.nodes == (Names{"a1", "a1.site", "b1"}));
    BOOST_TEST(names.node_indices == (std::vector<std::uint32_t>{1, 1, 0}));
}

BOOST_AUTO_TEST_CASE(features_count_whether_active_or_not) {
    std::string available = "big,fast", active = "fast,flat";
    std::vector<node_info_t> nodes(2);
    nodes[0].features = available.data();
    nodes[1].features_act = active.data();
    model::KnownNames names;

    slurm::add_names_of_nodes(names, nodes, std::vector<bool>(2, true));

    BOOST_TEST(names.features.all == (Names{"big", "fast", "flat"}));
    BOOST_TEST(names.features.hidden.empty());
}

BOOST_AUTO_TEST_CASE(what_only_nodes_have_that_are_not_shown_is_hidden) {
    std::string common = "big,fast", special = "fast,new", gpus = "gpu:a100:1", other_gpus = "gpu:h100:1";
    std::vector<node_info_t> nodes(3);
    nodes[0].features = common.data();
    nodes[0].gres = gpus.data();
    nodes[1].features = nodes[2].features = special.data();
    nodes[1].gres = nodes[2].gres = other_gpus.data();
    model::KnownNames names;

    slurm::add_names_of_nodes(names, nodes, {true, false}); // the third one is not known

    BOOST_TEST(names.features.all == (Names{"big", "fast", "new"}));
    BOOST_TEST(names.features.hidden == (Names{"new"}));
    BOOST_TEST(names.gres.all == (Names{"gpu", "gpu:a100", "gpu:h100"}));
    BOOST_TEST(names.gres.hidden == (Names{"gpu:h100"}));

    slurm::add_names_of_nodes(names, nodes, {true, false, true});
    BOOST_TEST(names.features.hidden.empty());
}

BOOST_AUTO_TEST_CASE(what_is_not_sent_stays) {
    std::string maint = "maint", matlab = "matlab", users = "ana,-ben", accounts = "bio";
    reserve_info_t reservation{};
    reservation.name = maint.data();
    reservation.users = users.data();
    reservation.accounts = accounts.data();
    reserve_info_msg_t reservations{};
    reservations.record_count = 1;
    reservations.reservation_array = &reservation;
    slurm_license_info_t license{};
    license.name = matlab.data();
    license.total = 10;
    license_info_msg_t licenses{};
    licenses.num_lic = 1;
    licenses.lic_array = &license;
    model::KnownNames names;

    slurm::update_names(names, &reservations, &licenses);
    slurm::update_names(names, nullptr, nullptr);

    BOOST_TEST_REQUIRE(names.reservations.size() == 1u);
    BOOST_TEST(names.reservations[0].name == "maint");
    BOOST_TEST(names.reservations[0].users == (Names{"ana", "-ben"}));
    BOOST_TEST(names.reservations[0].accounts == (Names{"bio"}));
    BOOST_TEST(!names.reservations[0].has_groups);
    BOOST_TEST_REQUIRE(names.licenses.size() == 1u);
    BOOST_TEST(names.licenses[0].total == 10u);

    BOOST_TEST(!names.has_floating_reservation);
    reservation.flags = RESERVE_FLAG_TIME_FLOAT;
    slurm::update_names(names, &reservations, nullptr);
    BOOST_TEST(names.has_floating_reservation);

    licenses.num_lic = 0;
    slurm::update_names(names, nullptr, &licenses);
    BOOST_TEST(names.licenses.empty());
}

BOOST_AUTO_TEST_CASE(reservations_say_how_many_nodes_bound_their_jobs) {
    std::string name = "maint", nodes = "n[1-3]";
    reserve_info_t reservation{};
    reservation.name = name.data();
    reserve_info_msg_t reservations{};
    reservations.record_count = 1;
    reservations.reservation_array = &reservation;
    const auto read = [&] {
        model::KnownNames names;
        slurm::update_names(names, &reservations, nullptr);
        return names.reservations.at(0);
    };
    BOOST_TEST(!read().nodes.has_value()); // of licenses only
    std::string tres = "cpu=12,node=3";
    std::int32_t indices[] = {0, 1, 4, 4, -1};
    reservation.node_list = nodes.data();
    reservation.node_cnt = 3;
    reservation.node_inx = indices;
    reservation.tres_str = tres.data();
    BOOST_TEST(read().nodes.value() == 3u);
    BOOST_TEST(read().cpus.value() == 12u);
    BOOST_TEST_REQUIRE(read().node_ranges.size() == 2u);
    BOOST_TEST(read().node_ranges[1].first == 4u);
    reservation.flags = RESERVE_FLAG_REPLACE; // other nodes take the place of those that are in use
    BOOST_TEST(read().nodes.value() == 3u);
    BOOST_TEST(read().node_ranges.empty());
    for (const auto flag : {RESERVE_FLAG_FLEX, RESERVE_FLAG_ANY_NODES}) { // jobs may use others, too
        reservation.flags = flag;
        BOOST_TEST(!read().nodes.has_value());
        BOOST_TEST(!read().cpus.has_value());
        BOOST_TEST(read().node_ranges.empty());
    }
}

BOOST_AUTO_TEST_CASE(reservations_are_sorted_and_say_whether_they_are_for_groups) {
    std::string b = "b", a = "a", groups = "wheel";
    std::vector<reserve_info_t> all(2);
    all[0].name = b.data();
    all[1].name = a.data();
    all[1].groups = groups.data();
    reserve_info_msg_t reservations{};
    reservations.record_count = 2;
    reservations.reservation_array = all.data();
    model::KnownNames names;

    slurm::update_names(names, &reservations, nullptr);

    BOOST_TEST_REQUIRE(names.reservations.size() == 2u);
    BOOST_TEST(names.reservations[0].name == "a");
    BOOST_TEST(names.reservations[0].has_groups);
    BOOST_TEST(!names.reservations[1].has_groups);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/local_quota.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::QosProblem;

namespace {

/// A cluster with QOSs normal, debug and special (for reservations), and user 1000 in account physics.
quota::LocalRecords records() {
    quota::LocalRecords r;
    r.enforce = {.associations = true, .limits = true, .qos = true};
    for (const char* name : {"normal", "debug", "special"}) {
        quota::LocalQos qos;
        qos.qos.name = name;
        r.qos.push_back(qos);
    }
    r.qos[2].qos.flags.requires_reservation = true;
    quota::LocalAssociation user, root;
    user.link.account = "physics";
    user.user_id = 1000;
    user.parent = 1;
    user.permitted_qos = {{"normal", "debug"}};
    root.link.level = model::AssociationLevel::root;
    root.link.account = "root";
    r.associations = {user, root};
    return r;
}

model::QosChoice choose(quota::LocalRecords r, std::string_view qos, bool has_reservation = false) {
    quota::Lookup lookup;
    lookup.user_id = 1000;
    lookup.qos = qos;
    lookup.has_reservation = has_reservation;
    return quota::LocalQuota(std::move(r)).check(lookup).value().job_qos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(choose_qos)

BOOST_AUTO_TEST_CASE(takes_the_qos_asked_for_whatever_its_case) {
    const auto choice = choose(records(), "DEBUG");

    BOOST_TEST((choice.problem == QosProblem::none));
    BOOST_TEST(choice.name == "debug");
    BOOST_TEST(!choice.is_default);
}

BOOST_AUTO_TEST_CASE(tells_unknown_from_not_permitted) {
    BOOST_TEST((choose(records(), "debgu").problem == QosProblem::unknown));
    BOOST_TEST((choose(records(), "special").problem == QosProblem::not_permitted));
}

BOOST_AUTO_TEST_CASE(a_misspelt_name_is_no_problem_where_qos_is_not_enforced) {
    auto r = records();
    r.enforce.qos = false;

    const auto choice = choose(r, "debgu");

    BOOST_TEST((choice.problem == QosProblem::none));
    BOOST_TEST(!choice.qos.has_value());
}

BOOST_AUTO_TEST_CASE(a_qos_for_reservations_wants_one) {
    auto r = records();
    r.associations[0].permitted_qos = {{"special"}};

    BOOST_TEST((choose(r, "special").problem == QosProblem::requires_reservation));
    BOOST_TEST((choose(r, "special", /*has_reservation=*/true).problem == QosProblem::none));
}

BOOST_AUTO_TEST_CASE(the_default_is_the_associations_then_the_only_one_then_the_roots_then_normal) {
    auto r = records();
    BOOST_TEST(choose(r, "").name == "normal");

    r.associations[1].default_qos = "debug";
    BOOST_TEST(choose(r, "").name == "debug");

    r.associations[0].permitted_qos = {{"normal"}};
    BOOST_TEST(choose(r, "").name == "normal");

    r.associations[0].default_qos = "special";
    const auto choice = choose(r, "");
    BOOST_TEST(choice.is_default);
    BOOST_TEST((choice.problem == QosProblem::default_not_permitted));
}

BOOST_AUTO_TEST_SUITE_END()

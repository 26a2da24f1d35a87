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

quota::Lookup lookup_for(std::string_view qos) {
    quota::Lookup lookup;
    lookup.user_id = 1000;
    lookup.qos = qos;
    return lookup;
}

model::QosChoice choose(quota::LocalRecords r, std::string_view qos, bool has_reservation = false) {
    quota::Lookup lookup = lookup_for(qos);
    lookup.has_reservation = has_reservation;
    return quota::LocalQuota(std::move(r)).check(lookup).value().job_qos;
}

/// The names of the QOSs of a list, in the order they are tried, or "problem: name".
std::string choose_list(quota::LocalRecords r, std::string_view qos) {
    quota::Lookup lookup = lookup_for(qos);
    lookup.takes_qos_lists = true;
    const auto view = quota::LocalQuota(std::move(r)).check(lookup).value();
    if (view.job_qos.problem != QosProblem::none) return "problem: " + view.job_qos.name;
    std::string names = view.job_qos.name;
    for (const std::size_t index : view.job_qos.alternatives)
        names += ", " + view.qos.at(index).name;
    return names;
}

} // namespace

BOOST_AUTO_TEST_SUITE(choose_qos)

BOOST_AUTO_TEST_CASE(takes_the_qos_asked_for_whatever_its_case) {
    const auto choice = choose(records(), "DEBUG");

    BOOST_TEST(choice.problem == QosProblem::none);
    BOOST_TEST(choice.name == "debug");
    BOOST_TEST(!choice.is_default);
}

BOOST_AUTO_TEST_CASE(tells_unknown_from_not_permitted) {
    BOOST_TEST(choose(records(), "debgu").problem == QosProblem::unknown);
    BOOST_TEST(choose(records(), "special").problem == QosProblem::not_permitted);
}

BOOST_AUTO_TEST_CASE(a_misspelt_name_is_no_problem_where_qos_is_not_enforced) {
    auto r = records();
    r.enforce.qos = false;

    const auto choice = choose(r, "debgu");

    BOOST_TEST(choice.problem == QosProblem::none);
    BOOST_TEST(!choice.qos.has_value());
}

BOOST_AUTO_TEST_CASE(a_qos_for_reservations_wants_one) {
    auto r = records();
    r.associations[0].permitted_qos = {{"special"}};

    BOOST_TEST(choose(r, "special").problem == QosProblem::requires_reservation);
    BOOST_TEST(choose(r, "special", /*has_reservation=*/true).problem == QosProblem::none);
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
    BOOST_TEST(choice.problem == QosProblem::default_not_permitted);
}

BOOST_AUTO_TEST_CASE(of_a_list_the_highest_priority_comes_first) {
    auto r = records();
    BOOST_TEST(choose_list(r, "normal,debug") == "normal, debug");

    r.qos[1].qos.priority = 10;
    BOOST_TEST(choose_list(r, "normal,debug") == "debug, normal");
    BOOST_TEST(choose_list(r, ",Normal,,DEBUG,normal,") == "debug, normal");
}

BOOST_AUTO_TEST_CASE(a_list_has_at_least_two_names) {
    for (const char* list : {"debug,", ",debug", "debug,DEBUG", ",", ",,"})
        BOOST_TEST_CONTEXT(list) {
            const auto r = records();
            auto lookup = lookup_for(list);
            lookup.takes_qos_lists = true;
            const auto choice = quota::LocalQuota(r).check(lookup).value().job_qos;
            BOOST_TEST(choice.problem == QosProblem::list_not_allowed);
            BOOST_TEST(!choice.qos.has_value());
        }
}

BOOST_AUTO_TEST_CASE(every_qos_of_a_list_has_to_be_open_to_the_job) {
    auto r = records();
    BOOST_TEST(choose_list(r, "normal,special") == "problem: special");
    BOOST_TEST(choose_list(r, "nosuch,special") == "problem: nosuch");

    r.associations[0].permitted_qos = {{"normal", "special"}};
    BOOST_TEST(choose_list(r, "normal,special") == "problem: special"); // without a reservation

    r.enforce.qos = false;
    BOOST_TEST(choose_list(r, "normal,debug") == "normal, debug");
    BOOST_TEST(choose_list(r, "normal,nosuch") == "problem: nosuch"); // a list is checked nevertheless
}

BOOST_AUTO_TEST_CASE(where_lists_are_not_taken_one_is_an_unknown_name) {
    BOOST_TEST(choose(records(), "normal,debug").problem == QosProblem::list_not_allowed);
    BOOST_TEST(choose(records(), "normal,debug").name == "normal,debug");

    auto r = records();
    r.enforce.qos = false;
    BOOST_TEST(choose(r, "normal,debug").problem == QosProblem::none);
}

BOOST_AUTO_TEST_CASE(an_operator_may_give_a_job_any_qos_but_not_a_reservation) {
    auto r = records();
    quota::LocalQos hidden;
    hidden.qos.name = "hidden";
    r.qos.push_back(hidden);
    r.operators = {7};
    const auto problem = [&](std::optional<std::uint32_t> requester, std::string_view qos) {
        auto lookup = lookup_for(qos);
        lookup.requester = requester;
        return quota::LocalQuota(r).check(lookup).value().job_qos.problem;
    };

    BOOST_TEST(problem(7, "hidden") == QosProblem::none);
    BOOST_TEST(problem(0, "hidden") == QosProblem::none);
    BOOST_TEST(problem(1000, "hidden") == QosProblem::not_permitted);
    BOOST_TEST(problem(std::nullopt, "hidden") == QosProblem::not_permitted);
    BOOST_TEST(problem(7, "special") == QosProblem::requires_reservation);
    BOOST_TEST(problem(7, "nosuch") == QosProblem::unknown);
}

BOOST_AUTO_TEST_SUITE_END()

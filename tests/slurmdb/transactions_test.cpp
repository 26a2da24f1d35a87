// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/transactions.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::slurmdb;

namespace {

LoggedChange addition(std::time_t time, const std::string& qos) {
    return {.time = time, .actor = "root", .where = qos, .set = "description='x'"};
}

LoggedChange removal(std::time_t time, const std::string& actor, const std::string& id) {
    return {.time = time, .actor = actor, .where = "id='" + id + "'", .set = {}, .is_qos_removal = true};
}

/// As slurmdbd writes it.
LoggedChange change(std::time_t time, const std::string& actor, const std::string& set) {
    return {.time = time, .actor = actor, .where = "(name='night')", .set = set};
}

std::string actor_of(const std::vector<LoggedChange>& log, std::string_view field) {
    const LoggedChange* found = find_change(log, "night", field);
    return found == nullptr ? "nobody" : found->actor;
}

std::string remover_of(const std::vector<LoggedChange>& log, const std::string& qos) {
    const LoggedChange* found = find_removal(log, qos);
    return found == nullptr ? "nobody" : found->actor + " at " + std::to_string(found->time);
}

} // namespace

BOOST_AUTO_TEST_SUITE(transactions)

BOOST_AUTO_TEST_CASE(the_only_removal_since_a_qos_was_named_removed_it) {
    const std::vector<LoggedChange> log{removal(1, "bob", "7"), addition(2, "night"), removal(3, "ana", "8")};
    BOOST_TEST(remover_of(log, "night") == "ana at 3");
    BOOST_TEST(find_change(log, "night", "")->actor == "root");
}

BOOST_AUTO_TEST_CASE(one_entry_for_each_cluster_is_one_removal) {
    const std::vector<LoggedChange> log{addition(2, "night"), removal(3, "ana", "8"), removal(3, "ana", "8")};
    BOOST_TEST(remover_of(log, "night") == "ana at 3");
}

BOOST_AUTO_TEST_CASE(of_several_removals_nobody_knows_which_it_was) {
    const std::vector<LoggedChange> log{addition(2, "night"), removal(3, "ana", "8"), removal(4, "ana", "9")};
    BOOST_TEST(remover_of(log, "night") == "nobody");
}

BOOST_AUTO_TEST_CASE(a_qos_that_the_log_does_not_name_may_be_gone_since_before_it) {
    BOOST_TEST(remover_of({addition(2, "day"), removal(3, "ana", "8")}, "night") == "nobody");
    BOOST_TEST(remover_of({removal(3, "ana", "8"), addition(4, "night")}, "night") == "nobody");
    BOOST_TEST(remover_of({}, "night") == "nobody");
}

BOOST_AUTO_TEST_CASE(a_change_is_found_by_the_column_of_the_field) {
    const std::vector<LoggedChange> log{change(1, "ana", "max_tres_mins_pj='1=5'"),
                                        change(2, "bob", "flags=(flags & ~1), grp_jobs=3"),
                                        change(3, "cem", "max_tres_pj='1=5'")};
    BOOST_TEST(actor_of(log, "MaxTRESMinsPerJob") == "ana");
    BOOST_TEST(actor_of(log, "Flags") == "bob");
    BOOST_TEST(actor_of(log, "GrpJobs") == "bob");
    BOOST_TEST(actor_of(log, "MaxTRESPerJob") == "cem");
    BOOST_TEST(actor_of(log, "GrpTRES") == "nobody");
    BOOST_TEST(actor_of(log, "") == "cem");
}

BOOST_AUTO_TEST_CASE(each_field_is_found_by_a_column_of_its_own) {
    std::vector<LoggedChange> log;
    for (const model::QosField& field : model::qos_fields())
        log.push_back(change(1, std::string(field.name), text::format("{}='1'", field.places.column)));

    for (const model::QosField& field : model::qos_fields())
        BOOST_TEST(actor_of(log, field.name) == field.name);
}

BOOST_AUTO_TEST_CASE(nobody_changed_what_is_no_field) {
    const std::vector<LoggedChange> log{change(1, "ana", "max_tres_mins_pj='1=5'")};
    BOOST_TEST(actor_of(log, "access") == "nobody");
    BOOST_TEST(actor_of(log, "MaxTRESMinsPerPlanet") == "nobody");
}

BOOST_AUTO_TEST_SUITE_END()

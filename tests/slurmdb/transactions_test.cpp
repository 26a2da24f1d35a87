// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/transactions.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::slurmdb;

namespace {

LoggedChange addition(std::time_t time, const std::string& qos) {
    return {.time = time, .actor = "root", .where = qos, .set = "description='x'"};
}

LoggedChange removal(std::time_t time, const std::string& actor, const std::string& id) {
    return {.time = time, .actor = actor, .where = "id='" + id + "'", .set = {}, .is_qos_removal = true};
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

BOOST_AUTO_TEST_SUITE_END()

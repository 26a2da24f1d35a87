// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/refusal.hpp"

#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

struct RefusalSetup : test::GateSetup {
    std::string told() const { return text::join(decide().message, "\n"); }

    void add_account(const char* name) {
        quota::LocalAssociation user = records.associations.front();
        user.link.account = name;
        records.associations.push_back(user);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(refusal, RefusalSetup)

BOOST_AUTO_TEST_CASE(similar_names_come_first) {
    request.qos = "norml";
    BOOST_TEST(told() == "there is no QOS 'norml'; did you mean normal?\n"
                         "  QOSs that ana can use with account hpc-users: normal, moonlight");
    request.qos = "moon";
    BOOST_TEST(told().find("moonlight, normal") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_case_of_a_partition_is_hinted_at) {
    request.partition = "MAIN";
    BOOST_TEST(told() ==
               "there is no partition 'MAIN'; did you mean main? Upper and lower case matter in names "
               "of partitions\n  partitions: main, viz");
    request.partition = "main";
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(the_accounts_of_the_user_are_listed) {
    add_account("astro");
    add_account("zoology");
    request.account = "zoolgy";
    BOOST_TEST(told() == "user id 1000 may not use account 'zoolgy'; did you mean zoology?\n"
                         "  accounts that you can use: zoology, astro, hpc-users");
    request.user_id = 4711;
    request.account.reset();
    BOOST_TEST(told() == "user id 4711 has no default account\n"
                         "  your accounts: sacctmgr show associations user=$USER");
}

BOOST_AUTO_TEST_CASE(accounts_for_another_partition_are_listed_only_without_others) {
    records.associations.front().link.partition = "main";
    request.partition = "viz";
    const std::string listed = "\n  accounts that you can use: hpc-users in partition main";
    BOOST_TEST(told() == "user id 1000 has no default account in partition viz" + listed);
    request.account = "hpc-users";
    BOOST_TEST(told() == "user id 1000 may not use account 'hpc-users' in partition viz" + listed);
    request.account = "hpc-user";
    BOOST_TEST(told() == "user id 1000 may not use account 'hpc-user' in partition viz" + listed);
    request.partition = "main";
    BOOST_TEST(told() ==
               "user id 1000 may not use account 'hpc-user' in partition main; did you mean hpc-users?"
               "\n  accounts that you can use: hpc-users");

    request.account = "hpc-users";
    BOOST_TEST(told() == "");
    add_account("astro");
    records.associations.back().link.partition = "";
    request.partition = "viz";
    BOOST_TEST(told() == "user id 1000 may not use account 'hpc-users' in partition viz"
                         "\n  accounts that you can use: astro");
    request.account = "astro";
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(a_partition_that_does_not_exist_is_told_before_a_rule_that_needs_one) {
    const auto first_words = [this](const char* partition, const std::string& rule) {
        const auto policy = test::load_rule("rule { name = 'short', " + rule + " }");
        request.partition = partition;
        const auto decision = decide(&*policy);
        return decision.reject == model::RejectCode::none ? "" : test::first_line(decision.message);
    };
    const std::string needs_one =
        "submit = function(job) if job.time_limit > 60 then job:reject('too long') end end";
    BOOST_TEST(first_words("nosuch", needs_one) == "there is no partition 'nosuch'");
    BOOST_TEST(first_words("MAIN", needs_one) ==
               "there is no partition 'MAIN'; did you mean main? Upper and lower case matter in names of "
               "partitions");
    BOOST_TEST(first_words("main,nosuch", needs_one) == "too long");
    BOOST_TEST(first_words(",", needs_one) == "there is no partition ','");
    BOOST_TEST(first_words("main", needs_one) == "too long"); // no limit
    request.time_limit = TimeLimit{60};
    BOOST_TEST(first_words("main", needs_one) == "");
    request.time_limit.reset();

    const std::string fails = "submit = function(job) error('broken') end";
    const auto broken = test::load_rule("rule { name = 'short', " + fails + " }");
    request.partition = "nosuch";
    BOOST_TEST(decide(&*broken).log.size() == 1u); // that it is refused, and not that a rule failed
    request.partition = "main";
    BOOST_TEST(decide(&*broken).log.size() == 2u);
    BOOST_TEST(first_words("main", fails).find("broken") != std::string::npos);
    BOOST_TEST(first_words("main,nosuch", fails) == "there is no partition 'nosuch'");
    BOOST_TEST(first_words("nosuch", "submit = function(job) job:reject('use main') end") == "use main");
    BOOST_TEST(first_words("old", "submit = function(job) job.partition = 'main' end") == "");
}

BOOST_AUTO_TEST_CASE(lines_are_told_once_and_of_many_the_first) {
    const auto told = [](std::size_t most) {
        return text::join(gate::lines_once({"a", "b", "a", "c", "b"}, most), "; ");
    };
    BOOST_TEST(told(4) == "a; b; c");
    BOOST_TEST(told(3) == "a; b; c");
    BOOST_TEST(told(2) == "a; and 2 more");
    BOOST_TEST(told(1) == "and 3 more");
    BOOST_TEST(told(0) == "");
    BOOST_TEST(gate::lines_once({}, 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()

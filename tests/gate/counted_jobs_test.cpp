// SPDX-License-Identifier: GPL-2.0-or-later
//
// view.jobs: numbers of jobs that slurmctld keeps.
#include "support/texts.hpp"
#include "support/view_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using test::has;

namespace {

model::Usage counts(std::uint64_t running, std::uint64_t submitted) {
    model::Usage usage;
    usage.jobs = running;
    usage.submit_jobs = submitted;
    return usage;
}

/// Ana's job asks for the QOS moonlight. Each count is another one.
struct CountsSetup : test::ViewSetup {
    CountsSetup() {
        request.qos = "moonlight";
        records.qos.at(1).qos.usage = counts(10, 25);
        records.qos.at(1).users[1000] = counts(3, 7);
        records.qos.at(1).accounts["hpc-users"] = counts(5, 11);
        quota::LocalAssociation account = records.associations.at(1);
        account.link.level = model::AssociationLevel::account;
        account.link.account = "hpc-users";
        account.parent = 2;
        records.associations.insert(records.associations.begin() + 1, account);
        for (quota::LocalAssociation& link : records.associations)
            link.link.usage = counts(20, 50);
        own().link.usage = counts(4, 9);
    }
    quota::LocalAssociation& own() {
        for (quota::LocalAssociation& link : records.associations)
            if (link.link.level == model::AssociationLevel::user && link.user_id == 1000) return link;
        throw std::runtime_error("no association");
    }
    std::string jobs(const std::string& filter) const { return value_of("view.jobs{ " + filter + " }"); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(counted_jobs, CountsSetup)

BOOST_AUTO_TEST_CASE(of_a_qos_its_user_and_its_account) {
    BOOST_TEST(jobs("qos = 'moonlight'") == "25");
    BOOST_TEST(jobs("qos = 'moonlight', state = 'running'") == "10");
    BOOST_TEST(jobs("qos = 'moonlight', state = 'pending'") == "15");
    BOOST_TEST(jobs("qos = 'moonlight', user = job.user, state = 'pending'") == "4");
    BOOST_TEST(jobs("qos = 'moonlight', user = job.user") == "7");
    BOOST_TEST(jobs("qos = 'moonlight', account = job.account, state = 'running'") == "5");
    BOOST_TEST(jobs("qos = 'normal'") == "0");
}

BOOST_AUTO_TEST_CASE(of_a_user_and_of_accounts) {
    BOOST_TEST(jobs("user = job.user") == "9");
    BOOST_TEST(jobs("user = job.user, state = 'pending'") == "5");
    BOOST_TEST(jobs("user = job.user, account = job.account, state = 'running'") == "4");
    BOOST_TEST(jobs("account = job.account") == "50");
    BOOST_TEST(jobs("account = 'root', state = 'pending'") == "30");
    quota::LocalAssociation other = own();
    other.link.account = "astro";
    other.link.usage = counts(1, 100);
    records.associations.push_back(other);
    BOOST_TEST(jobs("user = job.user") == "109");
    BOOST_TEST(jobs("user = job.user, account = job.account") == "9");
}

BOOST_AUTO_TEST_CASE(of_what_slurmctld_does_not_count_together_none) {
    for (const char* filter :
         {"", "state = 'pending'", "user = 'ben'", "qos = 'moonlight', user = 'ben'",
          "qos = 'moonlight', account = 'root'", "account = 'nowhere'", "user = job.user, account = 'root'",
          "qos = 'moonlight', user = job.user, account = job.account"})
        BOOST_TEST(has(jobs(filter), "slurmctld counts the jobs by { qos }"), jobs(filter));
    BOOST_TEST(has(jobs("qos = 'moonlite'"), "there is no QOS 'moonlite'"));
    BOOST_TEST(has(jobs("qos = 'moonlight', state = 'held'"), "state cannot be 'held'"));
    BOOST_TEST(has(jobs("partition = 'main'"), "and by nothing else"));
    BOOST_TEST(has(jobs("qos = 'moonlight', 'x'"), "and by nothing else"));
    BOOST_TEST(has(jobs("qos = 1"), "qos is a text that is not empty"));
    BOOST_TEST(has(jobs("qos = ''"), "qos is a text that is not empty"));
    BOOST_TEST(has(value_of("view.jobs()"), "write view.jobs{ ... }: it takes one table"));
    BOOST_TEST(has(value_of("view.jobs('moonlight')"), "it takes one table"));
}

BOOST_AUTO_TEST_CASE(a_user_with_very_many_associations_is_not_counted) {
    const quota::LocalAssociation one = own();
    for (std::size_t i = records.associations.size(); i < 1'023 + 2; ++i)
        records.associations.push_back(one);
    BOOST_TEST(!has(jobs("user = job.user"), "error"));
    for (int i = 0; i < 3; ++i)
        records.associations.push_back(one);
    BOOST_TEST(has(jobs("user = job.user"), "the jobs of a user cannot be counted"));
    BOOST_TEST(has(value_of("#view.accounts()"), "the accounts of a user cannot be listed"));
    BOOST_TEST(jobs("user = job.user, account = job.account") == "9");
}

BOOST_AUTO_TEST_SUITE_END()

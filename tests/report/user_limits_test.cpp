// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/user_limits.hpp"

#include "queue_setup.hpp"

#include <algorithm>

using namespace qg;
using model::TresLimit;
using report::LimitsQuery;
using report::LimitUse;

namespace {

struct UserLimitsSetup : test::QueueSetup {
    Result<report::UserLimits> find(const LimitsQuery& query = {}, std::uint32_t user = ana) const {
        return report::find_user_limits(world(), {.id = user, .name = user == ana ? "ana" : ""}, user, query,
                                        release);
    }
    /// The error of a query by account, QOS and partition.
    std::string error(const LimitsQuery& query, std::uint32_t user = ana) const {
        const auto found = find(query, user);
        return found ? "" : found.error().message;
    }
    /// The only limit that counts.
    LimitUse only() const {
        const auto found = find({.account = "", .qos = "normal", .partition = "main"});
        BOOST_TEST_REQUIRE(found.has_value());
        BOOST_TEST_REQUIRE(found->accounts.size() == 1u);
        BOOST_TEST_REQUIRE(found->accounts.front().groups.size() == 1u);
        BOOST_TEST_REQUIRE(found->accounts.front().groups.front().limits.size() == 1u);
        return found->accounts.front().groups.front().limits.front();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(user_limits, UserLimitsSetup)

BOOST_AUTO_TEST_CASE(a_limit_is_told_with_who_set_it_and_what_is_left) {
    limit_cpus(TresLimit::grp_tres, 8);
    for (const std::uint64_t used : {7u, 8u, 9u})
        BOOST_TEST_CONTEXT(used << " CPUs in use") {
            use_cpus(used);
            const LimitUse use = only();
            BOOST_TEST(use.set_by == "QOS normal");
            BOOST_TEST(use.tres == "cpu");
            BOOST_TEST(use.limit.value == 8u);
            BOOST_TEST(use.mine.value() == used);
            BOOST_TEST(use.left().value() == (used < 8 ? 8 - used : 0));
            BOOST_TEST(use.share().value() == std::min(used / 8.0, 1.0));
            BOOST_TEST(use.is_exceeded() == (used > 8));
        }
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_a_limit_of_each_job) {
    limit_cpus(TresLimit::max_tres_per_job, 8);
    use_cpus(9);
    const LimitUse use = only();
    BOOST_TEST(!use.counts_others());
    BOOST_TEST(!use.left().has_value());
    BOOST_TEST(!use.share().has_value());
    BOOST_TEST(!use.is_exceeded());
}

BOOST_AUTO_TEST_CASE(a_limit_of_zero_forbids_what_only_some_jobs_ask_for) {
    limit_cpus(TresLimit::max_tres_per_job, 0);
    BOOST_TEST(!only().forbids_tres());
    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 0);
    BOOST_TEST(only().forbids_tres());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 1);
    BOOST_TEST(!only().forbids_tres());
}

BOOST_AUTO_TEST_CASE(what_the_user_does_not_have_is_an_error) {
    BOOST_TEST(error({"hpc-users", "", ""}) == "");
    BOOST_TEST(error({"hpc-user", "", ""}) == "user ana has no account 'hpc-user'; did you mean hpc-users?");
    BOOST_TEST(error({"", "", "main"}) == "");
    BOOST_TEST(error({"", "", "MAIN"}) == "there is no partition 'MAIN'");
    BOOST_TEST(error({"", "moonlight", ""}) == "");
    BOOST_TEST(error({"", "secret", ""}).starts_with("QOS secret exists, but ana cannot use it"));
    BOOST_TEST(error({}, 4711) == "user 4711 has no account: accounting knows no association of this user");
}

BOOST_AUTO_TEST_SUITE_END()

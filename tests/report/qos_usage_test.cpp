// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limits of a QOS against what is used of them (engine/qosgate/report).
#include "qosgate/report/qos_usage.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::LimitScope;
using model::TresLimit;

namespace {

/// GrpTRES=cpu=8 MaxTRESPerUser=cpu=4 MaxWall=60; user 7 in account bio uses 2 CPUs, user 8 uses 3.
quota::LocalQos night() {
    quota::LocalQos qos;
    qos.qos.name = "night";
    qos.qos.limits = model::Limits(2);
    qos.qos.limits.set(TresLimit::grp_tres, 0, 8);
    qos.qos.limits.set(TresLimit::max_tres_per_user, 0, 4);
    qos.qos.limits.set(CountLimit::max_wall, 60);
    const auto usage = [](std::uint64_t jobs, std::uint64_t submitted, std::uint64_t cpus) {
        model::Usage used;
        used.jobs = jobs;
        used.submit_jobs = submitted;
        used.tres = {cpus, 0};
        return used;
    };
    qos.qos.usage = usage(2, 5, 5);
    qos.users = {{7, usage(1, 1, 2)}, {8, usage(1, 4, 3)}, {9, usage(0, 0, 0)}};
    qos.accounts = {{"bio", usage(2, 5, 5)}};
    return qos;
}

report::QosUse find(const quota::LocalQos& qos, limits::Release release = limits::newest_release) {
    return report::find_use(qos, *model::TresCatalogue::built_in(), release,
                            [](std::uint32_t id) { return "u" + std::to_string(id); });
}

} // namespace

BOOST_AUTO_TEST_SUITE(qos_usage)

BOOST_AUTO_TEST_CASE(pending_jobs_are_submitted_ones_that_do_not_run) {
    const report::QosUse use = find(night());

    BOOST_TEST(use.all.running == 2u);
    BOOST_TEST(use.all.pending == 3u);
}

BOOST_AUTO_TEST_CASE(each_scope_has_its_own_limits_and_only_those_with_jobs_are_there) {
    const report::QosUse use = find(night());

    BOOST_TEST(use.all.limits.size() == 1u);
    BOOST_TEST_REQUIRE(use.users.size() == 2u);
    BOOST_TEST(use.users[1].name == "u8");
    BOOST_TEST_REQUIRE(use.users[1].limits.size() == 1u);
    BOOST_TEST(use.users[1].limits[0].used.value() == 3u);
    BOOST_TEST(use.users[1].limits[0].left_text() == "1");
    BOOST_TEST(use.accounts.size() == 1u);
    BOOST_TEST_REQUIRE(use.job.limits.size() == 1u);
    BOOST_TEST(!use.job.limits[0].used.has_value());
    BOOST_TEST(use.job.limits[0].value_text() == "01:00:00");
}

BOOST_AUTO_TEST_CASE(the_fullest_limit_is_first_and_names_who_uses_most) {
    const report::QosUse use = find(night());
    const auto all = use.fullest();

    BOOST_TEST_REQUIRE(all.size() == 3u);
    BOOST_TEST(all[0].who->name == "u8");
    BOOST_TEST(all[0].limit.share().value() == 0.75);
    BOOST_TEST(all[1].limit.share().value() == 0.625);
    BOOST_TEST(!all[2].limit.share().has_value());
}

BOOST_AUTO_TEST_CASE(a_limit_of_zero_is_full_and_one_that_nobody_uses_is_there) {
    quota::LocalQos qos;
    qos.qos.limits = model::Limits(2);
    qos.qos.limits.set(CountLimit::grp_jobs, 0);
    qos.qos.limits.set(CountLimit::max_jobs_per_user, 5);
    const report::QosUse use = find(qos);
    const auto all = use.fullest();

    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[0].limit.share().value() == 1);
    BOOST_TEST(all[1].limit.share().value() == 0);
    BOOST_TEST(all[1].who->name == "");
}

BOOST_AUTO_TEST_CASE(what_old_releases_do_not_count_has_no_share) {
    quota::LocalQos qos = night();
    qos.qos.limits.set(TresLimit::max_tres_run_mins_per_user, 0, 100);
    const auto is_counted = [&](limits::Release release) {
        return find(qos, release).users[0].limits[1].used.has_value();
    };

    BOOST_TEST(!is_counted({23, 11}));
    BOOST_TEST(is_counted({24, 5}));
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/local_quota.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

quota::LocalQuota make_quota() {
    quota::LocalRecords r;
    r.enforce = {.associations = true, .limits = true, .qos = true};
    quota::LocalQos qos;
    qos.qos.name = "q";
    r.qos.push_back(qos);
    quota::LocalAssociation user, root;
    user.link.account = "physics";
    user.user_id = 1000;
    user.parent = 1;
    user.default_qos = "q";
    root.link.level = model::AssociationLevel::root;
    root.link.account = "root";
    r.associations = {user, root};
    return quota::LocalQuota(std::move(r));
}

quota::Lookup lookup_for(std::uint32_t user) {
    quota::Lookup lookup;
    lookup.user_id = user;
    return lookup;
}

model::ResolvedJob two_cpus_for_ten_minutes() {
    model::ResolvedJob job;
    job.tres = {2, 0, 0, 1};
    job.time_limit = TimeLimit{10};
    return job;
}

} // namespace

BOOST_AUTO_TEST_SUITE(local_quota)

BOOST_AUTO_TEST_CASE(books_a_job_everywhere_it_counts) {
    auto quota = make_quota();

    quota.allocate(lookup_for(1000), two_cpus_for_ten_minutes());

    const auto view = quota.check(lookup_for(1000)).value();
    BOOST_TEST(view.qos[0].usage.jobs == 1u);
    BOOST_TEST(view.qos[0].user_usage.tres[0] == 2u);
    BOOST_TEST(view.qos[0].account_usage.tres_run_minutes[0] == 20u);
    BOOST_TEST(view.associations[0].usage.submit_jobs == 1u);
    BOOST_TEST(view.associations[1].usage.tres[0] == 2u);
}

BOOST_AUTO_TEST_CASE(release_frees_what_allocate_booked) {
    auto quota = make_quota();

    quota.allocate(lookup_for(1000), two_cpus_for_ten_minutes());
    quota.release(lookup_for(1000), two_cpus_for_ten_minutes());

    const auto view = quota.check(lookup_for(1000)).value();
    BOOST_TEST(view.qos[0].usage.jobs == 0u);
    BOOST_TEST(view.qos[0].user_usage.tres[0] == 0u);
    BOOST_TEST(view.associations[1].usage.tres_run_minutes[0] == 0u);
}

BOOST_AUTO_TEST_CASE(a_stranger_has_no_association) {
    BOOST_TEST(make_quota().check(lookup_for(1001)).value().associations.empty());
}

BOOST_AUTO_TEST_SUITE_END()

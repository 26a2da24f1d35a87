// SPDX-License-Identifier: GPL-2.0-or-later
//
// A limit that blocks a job in several attempts or stages is told only once.
#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

struct ShownOnceSetup : test::GateSetup {
    bool told(std::string_view words) const {
        return text::join(decide().message, "\n").find(words) != std::string::npos;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(shown_once, ShownOnceSetup)

BOOST_AUTO_TEST_CASE(a_limit_is_told_once_whatever_the_job_comes_to_in_other_partitions) {
    request.qos.reset();
    qos(0).limits.set(model::TresLimit::max_tres_per_user, tres("cpu"), 32);
    request.exclusive = true;
    request.partition = "main,viz";
    partitions[0].min_node_cpus = 64;
    partitions[1].min_node_cpus = 48;
    BOOST_TEST_REQUIRE(decide().message.size() == 1u);
    BOOST_TEST(told("limit 32, this job asks for 64"));

    qos(1).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 32); // another limit of another QOS
    partitions[1].qos = "moonlight";
    BOOST_TEST(decide().message.size() == 3u); // a headline and two limits
}

BOOST_AUTO_TEST_CASE(a_limit_on_nodes_is_told_once_where_a_wait_hides_it) {
    request.submit_uid = request.user_id;
    request.qos.reset();
    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 2;
    qos(0).limits.set(model::TresLimit::grp_tres, tres("node"), 1);
    qos(0).limits.set(model::CountLimit::grp_jobs, 1);
    qos(0).usage.jobs = 1;
    qos(0).usage.tres = model::TresCounts(records.tres->size());
    qos(0).usage.tres[tres("node")] = 1;
    BOOST_TEST(
        test::first_line(decide().message) ==
        "this job can never start as it is: nodes of all running jobs in QOS normal: limit 1, in use 1 "
        "(none of it yours), this job asks for 2 (QOSGrpNodeLimit)");
}

BOOST_AUTO_TEST_SUITE_END()

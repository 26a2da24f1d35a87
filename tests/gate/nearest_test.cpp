// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.hpp"

#include "qosgate/gate/nearest.hpp"
#include "qosgate/gate/partition_list.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::TresLimit;

namespace {

struct NearestSetup : tests::GateSetup {
    NearestSetup() { qos(0).flags.deny_on_limit = true; }

    std::string nearest() const {
        const auto c = cluster();
        quota::Lookup lookup;
        lookup.user_id = request.user_id;
        const auto asked = gate::find_partitions(request, c);
        lookup.partitions = asked.found;
        const auto view = quota::LocalQuota(records).check(lookup).value();
        return gate::find_nearest(request, view, c, release, limits::Strictness::as_configured)
            .value_or("none");
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(nearest_module, NearestSetup)

BOOST_AUTO_TEST_CASE(offers_fewer_gpus_and_less_time_in_the_options_used) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
    qos(0).limits.set(CountLimit::max_wall, 480);
    request.tres_per_node = "gres:gpu:3";
    request.time_limit = TimeLimit{600};
    BOOST_TEST(nearest() == "--gres=gpu:2 --time=08:00:00");

    request.tres_per_node.reset();
    request.tres_per_job = "gres:gpu:3";
    BOOST_TEST(nearest() == "--gpus=2 --time=08:00:00");
}

BOOST_AUTO_TEST_CASE(keeps_the_model_of_a_gpu) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 1);
    request.tres_per_node = "gres:gpu:a100:2";

    BOOST_TEST(nearest() == "--gres=gpu:a100:1");
}

BOOST_AUTO_TEST_CASE(rounds_down_over_several_nodes) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 5);
    request.min_nodes = 2;
    request.tasks = request.min_cpus = 2;
    request.tres_per_node = "gres:gpu:4";

    BOOST_TEST(nearest() == "--gres=gpu:2");
}

BOOST_AUTO_TEST_CASE(fewer_nodes_come_before_less_on_each) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 64 * 1024);
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    request.min_nodes = request.max_nodes = 3;
    request.tasks = request.min_cpus = 3;
    request.memory = model::Memory{40 * 1024, /*per_cpu=*/false};

    BOOST_TEST(nearest() == "--nodes=2 --mem=32G");
}

BOOST_AUTO_TEST_CASE(offers_fewer_tasks_then_fewer_cpus_per_task) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 8);
    request.tasks = 9;
    request.min_cpus = 9;
    BOOST_TEST(nearest() == "--ntasks=8");

    request.tasks = 1;
    request.cpus_per_task = 12;
    request.min_cpus = 12;
    BOOST_TEST(nearest() == "--cpus-per-task=8");
}

BOOST_AUTO_TEST_CASE(raises_to_a_minimum) {
    qos(0).limits.set(TresLimit::min_tres_per_job, tres("gres/gpu"), 1);
    BOOST_TEST(nearest() == "--gres=gpu:1");
}

BOOST_AUTO_TEST_CASE(shortens_an_array_to_what_is_left) {
    qos(0).limits.set(CountLimit::max_submit_jobs_per_user, 10);
    records.qos[0].users[1000].submit_jobs = 4;
    request.array = "1-20%2";

    BOOST_TEST(nearest() == "--array=1-6%2");
}

BOOST_AUTO_TEST_CASE(offers_nothing_where_nothing_can_help) {
    qos(0).limits.set(CountLimit::max_submit_jobs_per_user, 4);
    records.qos[0].users[1000].submit_jobs = 4;
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(drops_what_may_not_be_asked_for_at_all) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 0);
    request.tres_per_node = "gres:gpu:1";

    BOOST_TEST(nearest() == "no --gres");
}

BOOST_AUTO_TEST_CASE(minutes_limits_are_met_by_time) {
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("cpu"), 100);
    request.tasks = request.min_cpus = 3;
    request.time_limit = TimeLimit{60};

    BOOST_TEST(nearest() == "--time=00:33:00");
}

BOOST_AUTO_TEST_SUITE_END()

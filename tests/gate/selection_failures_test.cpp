// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/selection_failures.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>

using namespace qg;

namespace {

constexpr limits::Release old_release(22, 5, 8);
constexpr limits::Release new_release(24, 11, 5);

struct Request : model::JobRequest {
    bool may_get_none(limits::Release release) const { return gate::may_fail_selection(*this, release); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(selection_failures, Request)

BOOST_AUTO_TEST_CASE(gpus_per_task_with_fewer_tasks_than_a_node_is_to_have) {
    tasks = 1;
    tasks_per_node = 2;
    BOOST_TEST(!may_get_none(new_release)); // no GPUs
    tres_per_task = "gres/gpu:1";
    BOOST_TEST(may_get_none(old_release));
    BOOST_TEST(may_get_none(new_release));
    tasks = 2;
    BOOST_TEST(!may_get_none(old_release));
    BOOST_TEST(!may_get_none(new_release));
}

BOOST_AUTO_TEST_CASE(gpus_with_fewer_tasks_than_all_nodes_are_to_have) {
    tasks_per_node = 2;
    min_nodes = 2;
    for (const auto text : {&tres_per_job, &tres_per_task}) {
        *text = "gres/gpu:h100:2";
        tasks = 3;
        BOOST_TEST(may_get_none(new_release));
        BOOST_TEST(!may_get_none(old_release));
        tasks = 4;
        BOOST_TEST(!may_get_none(new_release));
        text->reset();
    }
    tasks = 3;
    tres_per_node = "gres/gpu:1";
    BOOST_TEST(!may_get_none(new_release));
    tres_per_job = "license/foo:1";
    BOOST_TEST(!may_get_none(new_release));
}

BOOST_AUTO_TEST_CASE(gpus_per_task_with_overcommit) {
    tasks = 2;
    overcommit = true;
    BOOST_TEST(!may_get_none(new_release)); // no GPUs
    tres_per_task = "gres/gpu:h100:1";
    BOOST_TEST(may_get_none(new_release));
    BOOST_TEST(!may_get_none(old_release));
    overcommit = false;
    BOOST_TEST(!may_get_none(new_release));
}

BOOST_AUTO_TEST_CASE(overcommit_with_cpus_per_task) {
    tasks = 2;
    overcommit = true;
    BOOST_TEST(!may_get_none(new_release));
    cpus_per_task = 1;
    min_nodes = 2;
    BOOST_TEST(!may_get_none(new_release));
    min_nodes = 1;
    BOOST_TEST(may_get_none(new_release));
    tasks.reset();
    BOOST_TEST(!may_get_none(new_release));
    cpus_per_task = 2;
    BOOST_TEST(may_get_none(new_release));
    BOOST_TEST(!may_get_none(old_release));
    overcommit = false;
    BOOST_TEST(!may_get_none(new_release));
}

BOOST_AUTO_TEST_CASE(cpus_that_gpus_per_node_bring_are_all_that_tasks_get_there) {
    tres_per_node = "gres/gpu:h100:3";
    BOOST_TEST(!gate::cpus_of_gres_on_node(*this, new_release).has_value());
    cpus_per_tres = "gres/gpu:2";
    BOOST_TEST(gate::cpus_of_gres_on_node(*this, new_release).value() == 6u);
    BOOST_TEST(!gate::cpus_of_gres_on_node(*this, old_release).has_value());
    tres_per_node = "gres/shard:3";
    BOOST_TEST(!gate::cpus_of_gres_on_node(*this, new_release).has_value());
}

BOOST_AUTO_TEST_CASE(cpus_per_gpu_with_more_tasks_than_cpus) {
    cpus_per_tres = "gres/gpu:2";
    max_nodes = 2;
    for (const auto& [text, asked] :
         {std::pair(&tres_per_node, "gres/gpu:1"), {&tres_per_job, "gres/gpu:h100:2"}}) {
        *text = asked;
        tasks = 5;
        BOOST_TEST(may_get_none(new_release));
        BOOST_TEST(!may_get_none(old_release));
        tasks = 4;
        BOOST_TEST(!may_get_none(new_release));
        cpus_per_task = 2;
        BOOST_TEST(may_get_none(new_release));
        cpus_per_task.reset();
        text->reset();
    }
    tasks = 5;
    tres_per_job = "gres/gpu:2";
    max_nodes = 1;
    BOOST_TEST(!may_get_none(new_release));
    tres_per_job.reset();
    tres_per_node = "gres/gpu:1";
    max_nodes.reset();
    BOOST_TEST(!may_get_none(new_release)); // more nodes are possible
    BOOST_TEST(!may_get_none(old_release));
    tres_per_node.reset();
    tres_per_job = "gres/gpu:2";
    BOOST_TEST(may_get_none(old_release)); // which does not try more nodes
    BOOST_TEST(!may_get_none(new_release));
    tasks = 4;
    BOOST_TEST(!may_get_none(old_release));
}

BOOST_AUTO_TEST_CASE(cpus_per_gpu_with_several_models) {
    cpus_per_tres = "gres/gpu:2";
    for (const auto text : {&tres_per_job, &tres_per_node, &tres_per_socket, &tres_per_task}) {
        *text = "gres/gpu:a100:1,gres/gpu:h100:2";
        BOOST_TEST(may_get_none(new_release));
        BOOST_TEST(may_get_none(old_release));
        *text = "gres/shard:2,gres/gpu:a100:1,gres/gpu:h100:2"; // the first is another gres
        BOOST_TEST(may_get_none(new_release));
        *text = "gres/gpu:a100:1,gres/shard:2";
        BOOST_TEST(!may_get_none(new_release));
        *text = "gres/gpu:3";
        BOOST_TEST(!may_get_none(new_release));
        text->reset();
    }
    cpus_per_tres.reset();
    tres_per_node = "gres/gpu:a100:1,gres/gpu:h100:2";
    BOOST_TEST(!may_get_none(new_release));
}

BOOST_AUTO_TEST_SUITE_END()

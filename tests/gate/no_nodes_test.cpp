// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/no_nodes.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>

using namespace qg;

namespace {

constexpr limits::Release old_release(22, 5, 8);
constexpr limits::Release new_release(24, 11, 5);

struct Request : model::JobRequest {
    bool may_get_none(limits::Release release) const { return gate::may_get_no_nodes(*this, release); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(no_nodes, Request)

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
    BOOST_TEST(!may_get_none(new_release)); // there may be more nodes
}

BOOST_AUTO_TEST_CASE(cpus_per_gpu_with_several_models) {
    cpus_per_tres = "gres/gpu:2";
    for (const auto text : {&tres_per_job, &tres_per_node, &tres_per_socket, &tres_per_task}) {
        *text = "gres/gpu:a100:1,gres/gpu:h100:2";
        BOOST_TEST(may_get_none(new_release));
        BOOST_TEST(may_get_none(old_release));
        *text = "gres/shard:2,gres/gpu:a100:1,gres/gpu:h100:2"; // the first is another resource
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

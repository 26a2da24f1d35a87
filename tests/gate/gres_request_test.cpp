// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/gres_request.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg;
using limits::Release;

namespace {

/// Two nodes and six tasks.
struct GresSetup {
    GresSetup() {
        size.nodes = 2;
        size.tasks = 6;
    }

    std::uint64_t counted(std::string_view name) {
        const gate::GresRequest gres(request, size, release);
        size = gres.size();
        model::TresCounts counts(tres.size());
        gres.count(tres, counts);
        return counts.at(tres.find(name).value());
    }

    model::TresCatalogue tres{{"cpu", "mem", "energy", "node", "billing", "gres/gpu", "gres/gpu:a100",
                               "gres/gpu:h100", "gres/shard"}};
    model::JobRequest request;
    gate::JobSize size;
    Release release{24, 11};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(gres_request, GresSetup)

BOOST_AUTO_TEST_CASE(all_spellings_of_all_ways_to_ask_count_alike) {
    using Field = std::optional<std::string> model::JobRequest::*;
    const struct {
        Field field;
        std::uint64_t total; ///< with a count of 2
    } ways[] = {
        {&model::JobRequest::tres_per_job, 2},
        {&model::JobRequest::tres_per_node, 4},
        {&model::JobRequest::tres_per_socket, 8},
        {&model::JobRequest::tres_per_task, 12},
    };
    request.sockets_per_node = 2;
    for (const auto& way : ways)
        for (const std::string text : {"gres:gpu:2", "gres/gpu:2", "gres/gpu=2", "gpu:2", "GRES:gpu:2"})
            BOOST_TEST_CONTEXT(text << ", " << way.total) {
                request.*way.field = text;
                BOOST_TEST(counted("gres/gpu") == way.total);
                BOOST_TEST(counted("gres/gpu:a100") == 0u);

                request.*way.field = text.substr(0, text.size() - 2) + ":a100" + text.substr(text.size() - 2);
                BOOST_TEST(counted("gres/gpu") == way.total);
                BOOST_TEST(counted("gres/gpu:a100") == way.total);
                (request.*way.field).reset();
            }
}

BOOST_AUTO_TEST_CASE(without_a_count_one_is_meant_and_zero_asks_for_nothing) {
    for (const auto& [text, total] : {std::pair{"gres:gpu", 2u},
                                      {"gres:gpu:a100", 2u},
                                      {"gres:gpu:1", 2u},
                                      {"gres:gpu:0", 0u},
                                      {"gres:gpu:a100:0", 0u},
                                      {"", 0u}}) {
        request.tres_per_node = text;
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(counted("gres/gpu") == total);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_gres_that_one_list_names_twice_is_found) {
    const auto repeated = [](std::optional<std::string> per_node, std::optional<std::string> per_job = {}) {
        model::JobRequest request;
        request.tres_per_node = std::move(per_node);
        request.tres_per_job = std::move(per_job);
        return gate::find_repeated_gres(request).value_or("");
    };
    BOOST_TEST(repeated("gres:gpu:4,gres:gpu:1") == "gpu");
    BOOST_TEST(repeated("gpu:a100:1,nic,gres:gpu:a100") == "gpu:a100");
    BOOST_TEST(repeated("gpu:a100:1,gpu:t4:1,gpu:1,nic") == "");
    BOOST_TEST(repeated("gpu:1", "gpu:4") == "");
    BOOST_TEST(repeated({}, "gpu,gpu") == "gpu");
    BOOST_TEST(repeated({}) == "");
}

BOOST_AUTO_TEST_CASE(resources_are_told_apart) {
    request.tres_per_node = "gres:gpu:1,gres:shard:4";

    BOOST_TEST(counted("gres/gpu") == 2u);
    BOOST_TEST(counted("gres/shard") == 8u);
}

BOOST_AUTO_TEST_CASE(two_models_add_up_and_each_counts_for_itself) {
    request.tres_per_node = "gres:gpu:a100:1,gres:gpu:h100:2";

    BOOST_TEST(counted("gres/gpu") == 6u);
    BOOST_TEST(counted("gres/gpu:a100") == 2u);
    BOOST_TEST(counted("gres/gpu:h100") == 4u);
}

BOOST_AUTO_TEST_CASE(per_socket_without_sockets_follows_the_tasks) {
    request.tres_per_socket = "gres:gpu:1";
    BOOST_TEST(counted("gres/gpu") == 1u);

    request.tasks_per_socket = 4; // six tasks on two sockets
    BOOST_TEST(counted("gres/gpu") == 2u);

    request.sockets_per_node = 2;
    BOOST_TEST(counted("gres/gpu") == 4u);
}

BOOST_AUTO_TEST_CASE(per_task_without_tasks_counts_one_task_unless_nodes_settle_them) {
    size.tasks.reset();
    request.tres_per_task = "gres:gpu:3";
    BOOST_TEST(counted("gres/gpu") == 3u);

    size = {};
    size.nodes = size.max_nodes = 2;
    BOOST_TEST(counted("gres/gpu") == 6u);
}

BOOST_AUTO_TEST_CASE(a_count_for_the_job_and_one_for_nodes_settle_the_nodes) {
    request.tres_per_job = "gres:gpu:6";
    request.tres_per_node = "gres:gpu:2";

    BOOST_TEST(counted("gres/gpu") == 6u);
    BOOST_TEST(size.nodes.value() == 3u);
    BOOST_TEST(size.max_nodes.value() == 3u);
}

BOOST_AUTO_TEST_CASE(a_count_for_the_job_caps_its_most_nodes) {
    size.max_nodes = 4;
    request.tres_per_job = "gres:gpu:3";
    (void)counted("gres/gpu");

    BOOST_TEST(size.max_nodes.value() == 3u);
}

BOOST_AUTO_TEST_CASE(tasks_per_gpu_settle_the_tasks_or_the_gpus) {
    request.tasks_per_tres = 2;
    BOOST_TEST(counted("gres/gpu") == 3u);

    size.tasks = 6;
    request.tres_per_job = "gres:gpu:4";
    BOOST_TEST(counted("gres/gpu") == 4u);
    BOOST_TEST(size.tasks.value() == 8u);
}

BOOST_AUTO_TEST_CASE(memory_per_gpu_counts_each_way_to_ask) {
    request.memory_per_tres = "gres:gpu:1000";
    const auto memory = [&] { return gate::GresRequest(request, size, release).memory(2).value_or(0); };
    BOOST_TEST(memory() == 0u); // no memory per GPU

    request.tres_per_job = "gres:gpu:3";
    BOOST_TEST(memory() == 3000u);
    request.tres_per_job.reset();
    request.tres_per_node = "gres:gpu:2";
    BOOST_TEST(memory() == 4000u);

    request.memory_per_tres.reset();
    BOOST_TEST(!gate::GresRequest(request, size, release).memory(2).has_value());
}

BOOST_AUTO_TEST_CASE(a_change_gets_as_many_gpus_as_it_names_without_a_model) {
    size.nodes = size.tasks = request.tasks = 1;
    request.tres_per_node = "gpu:a100:1";
    request.tres_per_job = "gres:gpu:3";
    BOOST_TEST(counted("gres/gpu") == 1u); // slurmctld refuses such a job
    request.has_counted_cpus = true;
    BOOST_TEST(counted("gres/gpu") == 3u);
    BOOST_TEST(counted("gres/gpu:a100") == 1u);
    request.tres_per_job = "gres:gpu:1";
    BOOST_TEST(counted("gres/gpu") == 1u);

    request.tres_per_job.reset();
    request.tasks_per_tres = 2;
    request.tasks = 8;
    BOOST_TEST(counted("gres/gpu") == 4u);
    request.tasks = 2;
    BOOST_TEST(counted("gres/gpu") == 1u);
}

BOOST_AUTO_TEST_CASE(cpus_per_gpu_raise_the_cpus_from_24_05_on) {
    request.tres_per_node = "gres:gpu:2";
    request.cpus_per_tres = "gres:gpu:3";
    for (const auto& [sent, counted_cpus] : {std::pair{11u, 12u}, {12u, 12u}, {13u, 13u}}) {
        size.cpus = sent;
        (void)counted("gres/gpu");
        BOOST_TEST(size.cpus.value() == counted_cpus);
    }

    release = Release(23, 11);
    size.cpus = 1;
    (void)counted("gres/gpu");
    BOOST_TEST(size.cpus.value() == 1u);
}

BOOST_AUTO_TEST_CASE(before_23_02_only_the_last_of_several_models_brings_cpus) {
    const auto cpus = [&](const std::string& gpus) {
        request.tres_per_node = gpus;
        size = {};
        size.nodes = 1;
        return gate::GresRequest(request, size, release).cpus();
    };
    request.cpus_per_tres = "gres:gpu:2";
    release = Release(22, 5, 8);
    BOOST_TEST(cpus("gres:gpu:h100:2,gres:gpu:a100:1") == 2u);
    BOOST_TEST(cpus("gres:gpu:a100:1,gres:gpu:h100:2") == 4u);
    BOOST_TEST(cpus("gres:gpu:h100:2") == 4u);
    BOOST_TEST(cpus("gres:gpu:h100:2,gres:shard:1") == 4u); // another gres

    release = Release(23, 2);
    BOOST_TEST(cpus("gres:gpu:h100:2,gres:gpu:a100:1") == 6u);
}

BOOST_AUTO_TEST_CASE(what_is_no_gres_is_left_alone) {
    request.tres_per_task = "cpu=2,license/foo=1";

    BOOST_TEST(counted("gres/gpu") == 0u);
    BOOST_TEST(counted("gres/shard") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

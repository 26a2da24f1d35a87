// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/gpu_request.hpp"

#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using model::JobRequest;

namespace {

using ListMember = std::optional<std::string> JobRequest::*;

/// What a rule reads as job.gpu: "2 a100 node".
std::string gpu_of(const Job& job) {
    return value_of("(function() local gpu = job.gpu if not gpu then return 'none' end "
                    "return gpu.count .. ' ' .. (gpu.type or 'any') .. ' ' .. gpu.per end)()",
                    job);
}

std::string gpu_of(ListMember member, const char* text) {
    Job job;
    job.request.*member = text;
    return gpu_of(job);
}

/// What a rule reads as job.gpu_requests: "2 a100 node; 1 any job".
std::string list_of(const Job& job) {
    return value_of("(function() local all = '' for _, gpu in ipairs(job.gpu_requests) do "
                    "all = all .. gpu.count .. ' ' .. (gpu.type or 'any') .. ' ' .. gpu.per .. '; ' end "
                    "return (all:gsub('; $', '')) end)()",
                    job);
}

constexpr ListMember per_job = &JobRequest::tres_per_job, per_node = &JobRequest::tres_per_node,
                     per_socket = &JobRequest::tres_per_socket, per_task = &JobRequest::tres_per_task;

} // namespace

BOOST_AUTO_TEST_SUITE(gpu_request)

BOOST_AUTO_TEST_CASE(reads_the_same_request_in_every_spelling) {
    for (const char* text : {"gres:gpu:2", "gres/gpu:2", "gres/gpu=2", "gpu:2"})
        BOOST_TEST(gpu_of(per_node, text) == "2 any node", text);
    for (const char* text : {"gres:gpu:a100:2", "gres/gpu:a100=2", "gpu:a100:2"})
        BOOST_TEST(gpu_of(per_node, text) == "2 a100 node", text);
    BOOST_TEST(gpu_of(per_node, "gres:gpu") == "1 any node");
    BOOST_TEST(gpu_of(per_node, "gres:gpu:a100") == "1 a100 node");
    BOOST_TEST(gpu_of(per_job, "gres:gpu:4") == "4 any job");
    BOOST_TEST(gpu_of(per_socket, "gres:gpu:1") == "1 any socket");
    BOOST_TEST(gpu_of(per_task, "cpu=2,gres/gpu:h100:3") == "3 h100 task");
}

BOOST_AUTO_TEST_CASE(a_job_without_gpus_has_none) {
    BOOST_TEST(gpu_of(Job()) == "none");
    for (const char* text : {"gres:gpu:0", "gres:none", "gres:tmpdisk:5", "gres:gpus:2", "license:gpu:2"})
        BOOST_TEST(gpu_of(per_node, text) == "none", text);
    BOOST_TEST(list_of(Job()) == "");
}

BOOST_AUTO_TEST_CASE(sums_up_several_types_and_lists_them) {
    Job job;
    job.request.tres_per_node = "gres:gpu:a100:2,gres:nic:1,gres:gpu:v100:1";
    BOOST_TEST(gpu_of(job) == "3 any node");
    BOOST_TEST(list_of(job) == "2 a100 node; 1 v100 node");
    job.request.tres_per_node = "gres:gpu:a100:2,gres:gpu:a100:1";
    BOOST_TEST(gpu_of(job) == "3 a100 node");
    job.request.tres_per_node = "gres:gpu:a100:18446744073709551614,gres:gpu:a100:2";
    BOOST_TEST(value_of("job.gpu.count == math.huge", job) == "true");
}

BOOST_AUTO_TEST_CASE(of_several_ways_to_ask_the_first_of_job_node_socket_task_counts) {
    Job job;
    job.request.tres_per_task = "gres:gpu:1";
    job.request.tres_per_node = "gres:gpu:a100:2";
    BOOST_TEST(gpu_of(job) == "2 a100 node");
    job.request.tres_per_job = "gres:gpu:8";
    BOOST_TEST(gpu_of(job) == "8 any job");
    BOOST_TEST(list_of(job) == "8 any job; 2 a100 node; 1 any task");
}

BOOST_AUTO_TEST_CASE(tasks_per_gpu_ask_for_gpus) {
    Job job;
    job.request.tasks_per_tres = 2;
    job.request.tasks = 8;
    BOOST_TEST(gpu_of(job) == "4 any job");
    for (const char* field : {"gpu", "gpus", "gpu_requests"})
        BOOST_TEST(value_of("job:is_set('" + std::string(field) + "')", job) == "true");
    job.request.tasks = 1;
    BOOST_TEST(gpu_of(job) == "1 any job");
    job.request.tasks.reset();
    job.request.min_nodes = 3;
    BOOST_TEST(gpu_of(job) == "3 any job");
    job.request.tres_per_job = "gres:gpu:5"; // the tasks follow
    BOOST_TEST(gpu_of(job) == "5 any job");
}

BOOST_AUTO_TEST_CASE(is_read_only_and_knows_its_fields) {
    Job job;
    job.request.tres_per_job = "gres:gpu:8";
    BOOST_TEST(
        has_text(value_of("job.gpu.cuont", job),
                 "unknown field 'cuont' of job.gpu; did you mean count? (there are: count, per, type)"));
    BOOST_TEST(has_text(value_of("job.gpu[1]", job), "unknown field '1' of job.gpu"));
    BOOST_TEST(has_text(job.run(*one_rule(at_run_time("job.gpu.count = 1"))).reject_message,
                        "job.gpu cannot be changed"));
    BOOST_TEST(has_text(load_error({{"t.lua", rule_with("job.gpu = nil")}}), "job.gpu cannot be changed"));
    BOOST_TEST(value_of("job:is_set('gpu')", job) == "true");
    BOOST_TEST(value_of("job:is_set('gpu')") == "false");
}

BOOST_AUTO_TEST_CASE(sees_what_an_earlier_rule_wrote) {
    const auto policy = policy_of(
        {{"1.lua", rule_with("job.tasks = 6")}, {"2.lua", rule_with("job:warn('%d', job.gpu.count)")}});
    Job job;
    job.request.tasks_per_tres = 2;
    job.request.tasks = 2;
    BOOST_TEST(job.run(*policy).warnings == std::vector<std::string>{"3"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reading_the_longest_request_all_the_time_ends) {
    Job job;
    std::string text;
    while (text.size() < 1000)
        text += "gres:gpu:a" + std::to_string(text.size()) + ":1,";
    for (const ListMember member : {per_job, per_node, per_socket, per_task})
        job.request.*member = text;
    const auto policy = policy_of(
        {{"site.lua", patient_site}, {"t.lua", rule_with("while true do local gpu = job.gpu end")}});
    const auto outcome = run_patiently(*policy, job).outcome;
    BOOST_TEST(has_text(outcome.reject_message, "more than 100000 instructions for one job"));
}

BOOST_AUTO_TEST_SUITE_END()

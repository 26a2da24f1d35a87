// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules that are installed for sites to copy, run in the product's own sandbox.
#include "shipped_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

std::shared_ptr<const Policy> shipped(const std::string& name) {
    return policy_of(with_shipped_data(name, text_of_file(fs::path(QG_RULES_DIRECTORY) / name)));
}

/// The QOS that the default-qos rule gives; "" for none.
std::string chosen_qos(Job job) {
    const auto outcome = job.run(*shipped("default-qos.lua"));
    BOOST_TEST(!outcome.rejected, outcome.reject_message);
    return job.request.qos.value_or("");
}

/// The partition that the short-gpu-jobs rule gives.
std::string chosen_partition(Job job) {
    const auto outcome = job.run(*shipped("short-gpu-jobs.lua"));
    for (const RuleEvent& event : outcome.events)
        BOOST_TEST(event.kind != EventKind::error, event.text);
    BOOST_TEST(outcome.warnings.size() == (outcome.changed ? 1u : 0u));
    return job.request.partition.value_or("");
}

Job gpu_job(std::uint64_t gpus, std::uint32_t minutes) {
    return Job().partition("gpu").gpus(gpus).minutes(minutes);
}

} // namespace

BOOST_AUTO_TEST_SUITE(shipped_rules)

BOOST_AUTO_TEST_CASE(each_has_a_description_and_a_line_in_the_manual) {
    const std::string text = rules_manual();
    const Texts files = all_shipped_rules();
    for (const auto& [name, source] : files) {
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(!shipped(name)->rules().at(0).description.empty());
            BOOST_TEST(has_text(text, "| `" + name + "` | "));
        }
    }
    BOOST_TEST(files.size() == 19u);
}

BOOST_AUTO_TEST_CASE(default_qos_goes_by_partition_and_size_to_the_boundary) {
    BOOST_TEST(chosen_qos(gpu_job(1, 60)) == "gpu-short");
    BOOST_TEST(chosen_qos(gpu_job(1, 61)) == "gpu-normal");
    BOOST_TEST(chosen_qos(gpu_job(2, 60)) == "gpu-normal");
    BOOST_TEST(chosen_qos(gpu_job(8, 60)) == "gpu-normal");
    BOOST_TEST(chosen_qos(gpu_job(9, 60)) == "gpu-large");
    BOOST_TEST(chosen_qos(Job().partition("cpu").nodes(1).minutes(1440)) == "cpu-small");
    BOOST_TEST(chosen_qos(Job().partition("cpu").nodes(1).minutes(1441)) == "cpu-normal");
    BOOST_TEST(chosen_qos(Job().partition("cpu").nodes(2).minutes(60)) == "cpu-normal");
}

BOOST_AUTO_TEST_CASE(default_qos_takes_no_time_limit_for_a_long_one) {
    BOOST_TEST(chosen_qos(Job().partition("gpu").gpus(1)) == "gpu-normal");
    BOOST_TEST(chosen_qos(Job().partition("gpu").gpus(1).unlimited()) == "gpu-normal");
    BOOST_TEST(chosen_qos(Job().partition("gpu").gpus(1).default_minutes(30)) == "gpu-short");
}

BOOST_AUTO_TEST_CASE(default_qos_leaves_the_user_s_own_choice_and_unknown_partitions) {
    BOOST_TEST(chosen_qos(gpu_job(1, 60).qos("mine")) == "mine");
    BOOST_TEST(chosen_qos(Job().partition("other").minutes(60)).empty());
}

BOOST_AUTO_TEST_CASE(default_qos_uses_the_default_partition_and_lists_that_agree) {
    BOOST_TEST(chosen_qos(Job().minutes(60)) == "cpu-small"); // the default partition of these tests is cpu
    BOOST_TEST(chosen_qos(Job().partition("gpu,gpu").gpus(1).minutes(60)) == "gpu-short");
    BOOST_TEST(chosen_qos(Job().partition("gpu,cpu").gpus(1).minutes(60)).empty());
    BOOST_TEST(chosen_qos(Job().partition("cpu,other").minutes(60)).empty());
}

BOOST_AUTO_TEST_CASE(gpu_caps_names_the_row_that_is_wrong) {
    const auto problem = [](const std::string& row) {
        return load_error({{"gpu-caps.lua", text_of_file(fs::path(QG_RULES_DIRECTORY) / "gpu-caps.lua")},
                           {"data/gpu-caps.csv", "user,from,to,gpus\n,0,24,8\n" + row + "\n"}});
    };
    BOOST_TEST(problem("ana,8,18,2") == "");
    BOOST_TEST(problem("ana,24,24,0") == "");
    BOOST_TEST(has_text(problem("ana,25,18,2"), "gpu-caps.csv, row 2: from is a whole number from 0 to 24"));
    BOOST_TEST(has_text(problem("ana,8,-1,2"), "row 2: to is a whole number from 0 to 24"));
    BOOST_TEST(has_text(problem("ana,8,18,"), "row 2: gpus is a whole number from 0 to 1000000"));
    BOOST_TEST(has_text(problem("ana,8,18,2.5"), "row 2: gpus is a whole number"));
}

BOOST_AUTO_TEST_CASE(short_gpu_jobs_moves_short_ones_to_the_boundary) {
    BOOST_TEST(chosen_partition(gpu_job(1, 30)) == "debug");
    BOOST_TEST(chosen_partition(gpu_job(2, 30)) == "debug");
    BOOST_TEST(chosen_partition(gpu_job(3, 30)) == "gpu");
    BOOST_TEST(chosen_partition(gpu_job(0, 30)) == "gpu");
    BOOST_TEST(chosen_partition(gpu_job(1, 31)) == "gpu");
    BOOST_TEST(chosen_partition(gpu_job(1, 30).nodes(2)) == "gpu");
    BOOST_TEST(chosen_partition(Job().partition("cpu").gpus(1).minutes(30)) == "cpu");
}

BOOST_AUTO_TEST_CASE(short_gpu_jobs_takes_no_time_limit_for_a_long_one) {
    BOOST_TEST(chosen_partition(Job().partition("gpu").gpus(1)) == "gpu");
    BOOST_TEST(chosen_partition(Job().partition("gpu").gpus(1).unlimited()) == "gpu");
    BOOST_TEST(chosen_partition(Job().partition("gpu").gpus(1).default_minutes(10)) == "debug");
}

BOOST_AUTO_TEST_CASE(short_gpu_jobs_leaves_jobs_that_are_tied_to_a_place) {
    Job reserved = gpu_job(1, 30);
    reserved.request.reservation = "course";
    Job pinned = gpu_job(1, 30);
    pinned.request.required_nodes = "gpu17";
    Job component = gpu_job(1, 30);
    component.request.is_het_part = true;

    BOOST_TEST(chosen_partition(reserved) == "gpu");
    BOOST_TEST(chosen_partition(pinned) == "gpu");
    BOOST_TEST(chosen_partition(component) == "gpu");
    BOOST_TEST(chosen_partition(Job().partition("gpu,long").gpus(1).minutes(30)) == "gpu,long");
}

BOOST_AUTO_TEST_CASE(short_gpu_jobs_tells_the_user) {
    Job job = gpu_job(2, 30);
    const auto outcome = job.run(*shipped("short-gpu-jobs.lua"));

    BOOST_TEST(outcome.warnings.front() == "short GPU job (2 GPUs, 30 minutes): sent to partition debug");
    BOOST_TEST(outcome.events.back().text == "partition: gpu -> debug");
}

BOOST_AUTO_TEST_SUITE_END()

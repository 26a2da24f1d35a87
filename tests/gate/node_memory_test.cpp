// SPDX-License-Identifier: GPL-2.0-or-later
//
// Jobs that take all memory of their nodes (--mem=0) if the nodes differ: it is not known which ones they
// get.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;
using model::TresLimit;

namespace {

/// The first node has 256000 MiB, the smallest 64000.
struct NodeMemorySetup : test::GateSetup {
    NodeMemorySetup() {
        partitions[0].min_node_memory_mib = 64000;
        request.memory = model::Memory{0, /*per_cpu=*/false};
    }

    std::string told() const {
        const auto lines = decide().message;
        return lines.empty() ? "" : lines.front();
    }
    RejectCode enforced() const {
        return decide(test::load_site("site { limits = 'enforce' }").get()).reject;
    }
    void allow(TresLimit limit, std::uint64_t mib) {
        qos(0).limits = model::Limits(records.tres->size());
        qos(0).limits.set(limit, tres("mem"), mib);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(node_memory, NodeMemorySetup)

BOOST_AUTO_TEST_CASE(a_job_may_start_on_the_smallest_nodes) {
    allow(TresLimit::max_tres_per_job, 64000);
    BOOST_TEST(told() == "");
    BOOST_TEST(enforced() == RejectCode::none);

    allow(TresLimit::max_tres_per_job, 63999);
    BOOST_TEST(told() == "this job can never start as it is: memory per job in QOS normal: limit 63999M, "
                         "this job asks for 64000M (QOSMaxMemoryPerJob)");
    BOOST_TEST(enforced() == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(several_nodes_have_the_least_of_each) {
    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 2;
    allow(TresLimit::max_tres_per_job, 128000);
    BOOST_TEST(told() == "");
    allow(TresLimit::max_tres_per_job, 127999);
    BOOST_TEST(told().starts_with("this job can never start"));
    allow(TresLimit::max_tres_per_node, 64000);
    BOOST_TEST(told() == "");
    allow(TresLimit::max_tres_per_node, 63999);
    BOOST_TEST(told().starts_with("this job can never start"));
}

BOOST_AUTO_TEST_CASE(nodes_that_are_alike_have_the_memory_of_the_first) {
    for (const std::uint64_t smallest : {0u, 256000u}) { // 0: not known
        partitions[0].min_node_memory_mib = smallest;
        allow(TresLimit::max_tres_per_job, 255999);
        BOOST_TEST(told().find("this job asks for 250G") != std::string::npos);
        allow(TresLimit::max_tres_per_job, 256000);
        BOOST_TEST(told() == "");
    }
}

BOOST_AUTO_TEST_CASE(a_submission_that_is_refused_counts_the_first_node) {
    qos(0).flags.deny_on_limit = true;
    allow(TresLimit::max_tres_per_job, 64000);
    qos(0).flags.deny_on_limit = true;
    BOOST_TEST(forecast().code == RejectCode::accounting_policy);
    allow(TresLimit::max_tres_per_job, 256000);
    BOOST_TEST(forecast().code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(nothing_is_suggested_where_a_limit_counts_memory_that_is_not_known) {
    const auto offers_time = [&] {
        return !decide().message.empty() && decide().message.at(1) == "could start with: --time=01:00:00";
    };
    request.time_limit = TimeLimit{90};
    allow(TresLimit::max_tres_per_job, 64000);
    qos(0).limits.set(model::CountLimit::max_wall, 60);
    BOOST_TEST(!offers_time());
    request.memory->mib = 64000;
    BOOST_TEST(offers_time());

    request.memory->mib = 0;
    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(model::CountLimit::max_wall, 60);
    BOOST_TEST(offers_time());
    qos(0).limits.set(TresLimit::grp_tres, tres("billing"), 1000);
    BOOST_TEST(!offers_time());
}

BOOST_AUTO_TEST_CASE(a_job_may_get_more_than_a_minimum_asks_for) {
    allow(TresLimit::min_tres_per_job, 64001);
    BOOST_TEST(told() == "");
    request.memory->mib = 64000;
    BOOST_TEST(told().starts_with("this job can never start"));
}

BOOST_AUTO_TEST_CASE(a_job_that_says_how_much_memory_gets_that) {
    allow(TresLimit::max_tres_per_job, 64000);
    request.memory->mib = 64000;
    BOOST_TEST(told() == "");
    request.memory->mib = 64001;
    BOOST_TEST(told().starts_with("this job can never start"));

    request.memory.reset(); // 1000 MiB per CPU
    BOOST_TEST(told() == "");
    partitions[0].default_memory.reset();
    allow(TresLimit::max_tres_per_job, 63999);
    BOOST_TEST(told().starts_with("this job can never start"));
    request.tres_per_job = "gres:gpu:1";
    request.memory_per_tres = "gres:gpu:63999";
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_SUITE_END()

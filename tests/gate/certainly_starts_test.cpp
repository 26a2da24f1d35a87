// SPDX-License-Identifier: GPL-2.0-or-later
//
// certainly_starts() is true for a job at the bound of a partition's rule and false beyond it. The gate has
// nothing to say about a job that certainly starts, however rules of partitions are enforced.
#include "qosgate/gate/predict/forecast.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace qg;
using model::EnforcePartLimits;

namespace {

struct ClearSetup : test::GateSetup {
    bool certainly_starts() {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const auto resolved = gate::resolve(request, {c, provider, release});
        const bool clear =
            gate::certainly_starts(resolved.partitions, resolved.counter, resolved.job, resolved.view());
        if (clear) check_that_nothing_is_said();
        return clear;
    }

    model::Partition& main = partitions[0];

  private:
    void check_that_nothing_is_said() {
        for (const auto enforce : {EnforcePartLimits::any, EnforcePartLimits::all, EnforcePartLimits::no}) {
            enforce_part_limits = enforce;
            const auto decision = decide();
            BOOST_TEST(decision.forecast.code == model::RejectCode::none);
            BOOST_TEST(decision.message.empty());
        }
    }
};

using Change = std::function<void(ClearSetup&)>;

/// A rule of a partition, a job at its bound, and one beyond the bound.
struct Bound {
    const char* what;
    Change rule;
    Change keeps;
    Change breaks;
};

const Bound bounds[] = {
    {"MaxTime", [](auto& s) { s.main.max_time = TimeLimit{60}; },
     [](auto& s) { s.request.time_limit = TimeLimit{60}; },
     [](auto& s) { s.request.time_limit = TimeLimit{61}; }},
    {"MaxTime and DefaultTime",
     [](auto& s) {
         s.main.max_time = TimeLimit{60};
         s.request.partition = "main,viz";
         s.partitions[1].default_time = TimeLimit{61};
     },
     [](auto& s) { s.main.default_time = TimeLimit{60}; }, [](auto& s) { s.request.partition = "viz,main"; }},
    {"DefaultTime of zero", [](auto& s) { s.main.default_time = TimeLimit{0}; },
     [](auto& s) { s.request.time_limit = TimeLimit{1}; }, [](auto&) {}},
    {"MaxNodes", [](auto& s) { s.main.max_nodes = 2; }, [](auto& s) { s.request.min_nodes = 2; },
     [](auto& s) { s.request.min_nodes = 3; }},
    {"MaxNodes and a range", [](auto& s) { s.main.max_nodes = 2; }, [](auto& s) { s.request.max_nodes = 2; },
     [](auto& s) { s.request.max_nodes = 3; }},
    {"MinNodes", [](auto& s) { s.main.min_nodes = 2; }, [](auto& s) { s.request.min_nodes = 2; },
     [](auto& s) { s.request.min_nodes = 1; }},
    {"nodes", [](auto& s) { s.main.total_nodes = 3; }, [](auto& s) { s.request.min_nodes = 3; },
     [](auto& s) { s.request.min_nodes = 4; }},
    {"CPUs", [](auto& s) { s.main.total_cpus = 8; }, [](auto& s) { s.request.min_cpus = 8; },
     [](auto& s) { s.request.min_cpus = 9; }},
    {"CPUs that resources bring",
     [](auto& s) {
         s.release = limits::Release(24, 11);
         s.main.total_cpus = 8;
         s.request.tres_per_node = "gres:gpu:2";
     },
     [](auto& s) { s.request.cpus_per_tres = "gres:gpu:4"; },
     [](auto& s) { s.request.cpus_per_tres = "gres:gpu:5"; }},
    {"a task for each node",
     [](auto& s) {
         s.release = limits::Release(26, 5);
         s.main.min_nodes = 2;
         s.request.min_nodes = 2;
     },
     [](auto& s) { s.request.tasks = 2; }, [](auto& s) { s.request.tasks = 1; }},
    {"AllowQos", [](auto& s) { s.main.allow_qos = {"normal"}; }, [](auto&) {},
     [](auto& s) { s.request.qos = "moonlight"; }},
    {"DenyQos", [](auto& s) { s.main.deny_qos = {"moonlight"}; }, [](auto&) {},
     [](auto& s) { s.request.qos = "moonlight"; }},
    {"AllowAccounts", [](auto& s) { s.main.allow_accounts = {"hpc-users"}; }, [](auto&) {},
     [](auto& s) { s.main.allow_accounts = {"bio"}; }},
    {"DenyAccounts", [](auto& s) { s.main.deny_accounts = {"bio"}; }, [](auto&) {},
     [](auto& s) { s.main.deny_accounts = {"hpc-users"}; }},
    {"a partition that there is not", [](auto& s) { s.request.partition = "main"; }, [](auto&) {},
     [](auto& s) { s.request.partition = "main,moon"; }},
    {"the second partition",
     [](auto& s) {
         s.request.partition = "viz,main";
         s.main.max_nodes = 2;
     },
     [](auto& s) { s.request.min_nodes = 2; }, [](auto& s) { s.request.min_nodes = 3; }},
    // Cases that are never clear.
    {"--time-min", [](auto& s) { s.request.time_limit = TimeLimit{60}; }, [](auto&) {},
     [](auto& s) { s.request.time_min = TimeLimit{1}; }},
};

} // namespace

BOOST_AUTO_TEST_SUITE(certainly_starts)

BOOST_AUTO_TEST_CASE(a_job_at_the_bound_of_a_rule_is_clear_and_one_beyond_is_not) {
    for (const Bound& bound : bounds)
        BOOST_TEST_CONTEXT(bound.what) {
            ClearSetup at, beyond;
            bound.rule(at);
            bound.keeps(at);
            BOOST_TEST(at.certainly_starts());
            bound.rule(beyond);
            bound.breaks(beyond);
            BOOST_TEST(!beyond.certainly_starts());
        }
}

BOOST_FIXTURE_TEST_CASE(a_qos_that_may_go_past_a_partitions_bounds_is_left_to_the_whole_way, ClearSetup) {
    main.max_time = TimeLimit{60};
    request.time_limit = TimeLimit{61};
    qos(0).flags.partition_time_limit = true;
    BOOST_TEST(forecast().pending_reason == "");
    BOOST_TEST(!certainly_starts());
}

BOOST_AUTO_TEST_SUITE_END()

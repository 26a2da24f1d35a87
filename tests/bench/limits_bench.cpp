// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limit code alone: a QOS that sets every limit for every TRES, and all scenarios of tests/data/limits,
// which is what `qosgate eval` does once it has parsed them.
#include "setup.hpp"

#include "qosgate/gate/size/count_job.hpp"
#include "qosgate/limits/schedule.hpp"
#include "qosgate/limits/submit.hpp"
#include "qosgate/quota/scenario.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace qg;
using test::release;

/// A job under a QOS with every limit, as the limit code sees it.
struct Counted {
    Counted() {
        const auto records = test::make_records(10);
        const auto cluster = test::make_cluster();
        const auto request = test::make_request(records.qos.back().qos.name);
        view = test::make_view(records, request, cluster);
        job = gate::count_job(request, view, cluster, release);
    }

    model::AccountView view;
    model::ResolvedJob job;
};

void submit_stage(benchmark::State& state) {
    const Counted counted;
    for (auto _ : state) {
        auto verdict = limits::evaluate_submit(counted.view, counted.job, release);
        benchmark::DoNotOptimize(verdict);
    }
}
BENCHMARK(submit_stage)->Name("limits/submit/all_limits");

void schedule_stages(benchmark::State& state) {
    const Counted counted;
    for (auto _ : state) {
        auto verdict = limits::evaluate_schedule(counted.view, counted.job, counted.job.time_limit,
                                                 /*time_set_by_limit=*/false, release);
        benchmark::DoNotOptimize(verdict);
    }
}
BENCHMARK(schedule_stages)->Name("limits/schedule/all_limits");

/// The scenarios of a gzip file, one JSON object a line.
std::vector<quota::Scenario> read_scenarios(const std::string& path) {
    const std::string command = "gzip -dc '" + path + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    if (pipe == nullptr) throw std::runtime_error("cannot run gzip");
    std::string text;
    std::array<char, 65536> block;
    while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe.get()))
        text.append(block.data(), count);

    std::vector<quota::Scenario> scenarios;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        scenarios.push_back(quota::parse_scenario(std::string_view(text).substr(begin, end - begin)).value());
        begin = end + 1;
    }
    if (scenarios.empty()) throw std::runtime_error(path + ": no scenarios");
    return scenarios;
}

void eval_scenarios(benchmark::State& state) {
    const auto scenarios = read_scenarios(QG_LIMIT_VECTORS);
    for (auto _ : state) {
        for (const quota::Scenario& scenario : scenarios) {
            auto submit = limits::evaluate_submit(scenario.view, scenario.job, release);
            benchmark::DoNotOptimize(submit);
            if (!submit.accepted()) continue;
            auto later = limits::evaluate_schedule(scenario.view, scenario.job, submit.time_limit,
                                                   submit.time_set_by_limit, release);
            benchmark::DoNotOptimize(later);
        }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(scenarios.size()));
}
BENCHMARK(eval_scenarios)->Name("limits/eval_vectors")->Unit(benchmark::kMicrosecond);

} // namespace

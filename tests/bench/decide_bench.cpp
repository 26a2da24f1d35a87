// SPDX-License-Identifier: GPL-2.0-or-later
//
// Gate::decide: what one submission costs, rules or none, few QOSs or many.
//
// The QOS of the job sets every limit for every TRES. The provider is a prepared view, one copy of which
// ("provider/prepared") is part of each decision, as is one copy of the request ("request/copy"); only
// "decide/local" looks its records up, since LocalQuota walks all QOSs and would hide the engine behind them.
#include "setup.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

using namespace qg;
using test::release;

/// The records, the job and the provider of one benchmark.
struct Bench {
    explicit Bench(std::size_t qos_count = 10)
        : records(test::make_records(qos_count)), cluster(test::make_cluster()),
          request(test::make_request(records.qos.back().qos.name)),
          prepared(test::make_view(records, request, cluster)) {}

    quota::LocalRecords records;
    model::Cluster cluster;
    model::JobRequest request;
    test::PreparedQuota prepared;
};

void measure(benchmark::State& state, const quota::QuotaProvider& provider, const Bench& bench,
             const policy::Policy* policy = nullptr) {
    const gate::Gate gate(provider, release);
    for (auto _ : state) {
        auto decision = gate.decide(bench.request, &bench.cluster, policy);
        benchmark::DoNotOptimize(decision);
    }
}

void decide_without_rules(benchmark::State& state) {
    const Bench bench;
    measure(state, bench.prepared, bench);
}
BENCHMARK(decide_without_rules)->Name("decide/no_rules");

/// A directory of rules on disk, loaded as the plugin loads it.
class RuleDirectory {
  public:
    /// That many rules such as sites have.
    explicit RuleDirectory(std::int64_t count) : RuleDirectory() {
        for (std::int64_t i = 0; i < count; ++i)
            write(i);
    }
    /// One rule with this body.
    explicit RuleDirectory(const std::string& body) : RuleDirectory() {
        write("rule.lua", "rule { submit = function(job, view)\n" + body + "\nend }\n");
    }
    RuleDirectory(const RuleDirectory&) = delete;
    RuleDirectory& operator=(const RuleDirectory&) = delete;
    ~RuleDirectory() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::shared_ptr<const policy::Policy> load() const {
        auto policy = policy::load_policy(path_);
        if (!policy) throw std::runtime_error(policy.error().message);
        return *policy;
    }

  private:
    RuleDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "qosgate-bench-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = name;
    }

    /// A rule such as sites have, about a partition of its own; it looks at the job and lets it pass.
    void write(std::int64_t number) const {
        write("rule-" + std::to_string(number) + ".lua",
              "local most = { gpu = 8, p" + std::to_string(number) +
                  " = 2 }\n"
                  "rule { submit = function(job)\n"
                  "    local limit = most[job.partition]\n"
                  "    if limit and job.gpus > limit then\n"
                  "        job:reject('at most %d GPUs in %s', limit, job.partition)\n"
                  "    end\n"
                  "    if job.qos == 'debug' and job.time_limit > 60 then job.qos = 'long' end\n"
                  "end }\n");
    }
    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = path_ / name;
        std::ofstream(path) << text;
        std::filesystem::permissions(path, std::filesystem::perms(0644));
    }

    std::filesystem::path path_;
};

void decide_with_rules(benchmark::State& state) {
    const RuleDirectory directory(state.range(0));
    const auto policy = directory.load();
    const Bench bench;
    measure(state, bench.prepared, bench, policy.get());
}
BENCHMARK(decide_with_rules)->Name("decide/rules")->Arg(1)->Arg(20);

/// Rules that read `view`: nothing, limits and headroom of one QOS, and whether the job fits it.
void decide_with_view(benchmark::State& state, const char* body) {
    const RuleDirectory directory(body);
    const auto policy = directory.load();
    const Bench bench;
    measure(state, quota::LocalQuota(bench.records), bench, policy.get());
}
BENCHMARK_CAPTURE(decide_with_view, nothing, "if job.gpus > 8 then job:reject('no') end")
    ->Name("decide/view/nothing");
BENCHMARK_CAPTURE(decide_with_view, headroom,
                  "local q = view.qos('q9'); local left = q:headroom().tres.gpu;"
                  "if job.gpus > left or job.gpus > q.MaxTRESPerUser.gpu then job:reject('no') end")
    ->Name("decide/view/headroom");
BENCHMARK_CAPTURE(decide_with_view, fits, "if not view.qos('q9'):fits(job) then job:reject('no') end")
    ->Name("decide/view/fits");

/// A job that the submit stage refuses: with its reasons in words and the nearest request that would pass.
void decide_a_refusal(benchmark::State& state) {
    Bench bench;
    bench.request.tres_per_node = "gres:gpu:a100:2000000000";
    measure(state, bench.prepared, bench);
}
BENCHMARK(decide_a_refusal)->Name("decide/refused");

void decide_with_local_quota(benchmark::State& state) {
    const Bench bench(static_cast<std::size_t>(state.range(0)));
    measure(state, quota::LocalQuota(bench.records), bench);
}
BENCHMARK(decide_with_local_quota)->Name("decide/local/qos")->Arg(10)->Arg(1000);

void check_local_quota(benchmark::State& state) {
    const Bench bench(static_cast<std::size_t>(state.range(0)));
    const quota::LocalQuota provider(bench.records);
    quota::Lookup lookup;
    lookup.user_id = bench.request.user_id;
    lookup.qos = *bench.request.qos;
    const auto partition = bench.cluster.partitions.default_partition();
    lookup.partitions = {&partition, 1};
    for (auto _ : state) {
        auto view = provider.check(lookup);
        benchmark::DoNotOptimize(view);
    }
}
BENCHMARK(check_local_quota)->Name("provider/local/qos")->Arg(10)->Arg(1000);

void check_prepared_quota(benchmark::State& state) {
    const Bench bench;
    for (auto _ : state) {
        auto view = bench.prepared.check({});
        benchmark::DoNotOptimize(view);
    }
}
BENCHMARK(check_prepared_quota)->Name("provider/prepared");

void copy_request(benchmark::State& state) {
    const Bench bench;
    for (auto _ : state) {
        auto copy = bench.request;
        benchmark::DoNotOptimize(copy);
    }
}
BENCHMARK(copy_request)->Name("request/copy");

} // namespace

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `qosgate exporter` costs with many QOSs: a scrape over loopback, and making the answers after a
// reading.
#include "exporter/collector.hpp"
#include "exporter/web_server.hpp"
#include "setup.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace qg;

/// QOSs with eight limits each, half of their values in use by ten accounts and ten users.
std::shared_ptr<const cli::ClusterState> make_state(std::size_t qos_count) {
    auto state = std::make_shared<cli::ClusterState>();
    state->records.tres = test::tres_catalogue();
    state->sees_all = true;
    const std::size_t tres_count = state->records.tres->size();
    for (std::size_t i = 0; i < qos_count; ++i) {
        quota::LocalQos qos;
        qos.qos.name = "q" + std::to_string(i);
        qos.qos.limits = model::Limits(tres_count);
        for (const std::size_t tres : {0, 1, 9}) {
            qos.qos.limits.set(model::TresLimit::grp_tres, tres, 1000);
            qos.qos.limits.set(model::TresLimit::max_tres_per_user, tres, 100);
        }
        qos.qos.limits.set(model::CountLimit::max_wall, 1440);
        qos.qos.limits.set(model::CountLimit::max_submit_jobs_per_user, 100);
        model::Usage each;
        each.tres = model::TresCounts(tres_count, 50);
        each.submit_jobs = 20;
        qos.qos.usage.tres = model::TresCounts(tres_count, 500);
        for (std::uint32_t holder = 0; holder < 10; ++holder) {
            qos.users.emplace(1000 + holder, each);
            qos.accounts.emplace("account" + std::to_string(holder), each);
        }
        state->queued[qos.qos.name] = {.running = 10, .pending = 5};
        state->pending[{qos.qos.name, "Priority"}] = 5;
        state->records.qos.push_back(std::move(qos));
    }
    return state;
}

/// The size of the answer.
std::size_t scrape(std::uint16_t port, const char* path) {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    std::size_t size = 0;
    if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
        const std::string request = std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        if (write(connection, request.data(), request.size()) > 0) {
            static std::array<char, 1 << 18> buffer;
            for (ssize_t got = 1; got > 0; size += static_cast<std::size_t>(got))
                if (got = read(connection, buffer.data(), buffer.size()); got < 0) break;
        }
    }
    close(connection);
    return size;
}

void scrape_benchmark(benchmark::State& run, const char* path) {
    const auto state = make_state(static_cast<std::size_t>(run.range(0)));
    cli::Collector collector(
        {.read_cluster = [&] { return Result<std::shared_ptr<const cli::ClusterState>>(state); },
         .read_gate = [] { return Result<cli::GateReport>(cli::GateReport()); },
         .note = [](const std::string&) {}},
        {.interval = std::chrono::seconds(3600)});
    auto server =
        cli::WebServer::start(*cli::ListenAddress::parse("127.0.0.1:0"), [&](std::string_view wanted) {
            return cli::WebAnswer{"text/plain", wanted == "/" ? collector.page() : collector.metrics()};
        });
    if (!server) return run.SkipWithError(server.error().message.c_str());
    collector.start();
    while (collector.metrics()->find("qosgate_up 1") == std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::size_t size = 0;
    for (auto _ : run)
        size = scrape((*server)->address().port, path);
    run.counters["bytes"] = static_cast<double>(size);
    server->reset();
    collector.stop(std::chrono::seconds(5));
}

void make_answers(benchmark::State& run) {
    const auto state = make_state(static_cast<std::size_t>(run.range(0)));
    for (auto _ : run) {
        benchmark::DoNotOptimize(cli::make_metrics(state.get(), nullptr, {}, 0, 0));
        benchmark::DoNotOptimize(cli::make_page(state.get(), "", nullptr, {}, 0));
    }
}

BENCHMARK_CAPTURE(scrape_benchmark, metrics, "/metrics")
    ->Arg(10)
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scrape_benchmark, page, "/")->Arg(1000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(make_answers)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

} // namespace

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate exporter: limits, usage and decisions for Prometheus, and a page for people.
#include "cluster_state.hpp"
#include "common/command.hpp"
#include "exporter/collector.hpp"
#include "exporter/web_server.hpp"

#include "qosgate/base/result.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/assoc_records.hpp"
#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurm/cluster_quota.hpp"
#include "qosgate/slurm/plugin_list.hpp"
#include "qosgate/slurm/queue_reader.hpp"
#include "qosgate/slurmdb/library.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace qg::cli {
namespace {

using namespace std::chrono_literals;

/// Threads: not thread-safe.
class ClusterSource {
  public:
    /// Slurm's library must have been started with this configuration.
    explicit ClusterSource(slurmdb::SlurmConf conf) : conf_(std::move(conf)) {}

    /// The cluster at this moment. Errors: unavailable, with Slurm's error text. Cost: five RPCs, blocking,
    /// up to MessageTimeout each.
    Result<std::shared_ptr<const ClusterState>> read();

  private:
    slurmdb::SlurmConf conf_;
    slurm::ClusterQuota accounting_;
};

/// The tasks of a record of an array, or the one job.
std::uint64_t jobs_in(const model::QueuedJob& job) {
    return std::max<std::uint64_t>(job.tasks.size(), 1);
}

void count(const model::QueuedJob& job, ClusterState& state) {
    switch (job.state) {
    case model::QueueState::running:
    case model::QueueState::suspended: ++state.queued[job.qos].running; return;
    case model::QueueState::pending:
        state.queued[job.qos].pending += jobs_in(job);
        state.pending[{job.qos, job.reason}] += jobs_in(job);
        return;
    case model::QueueState::over: return;
    }
}

std::map<std::string, std::vector<std::string>> by_qos(const partition_info_msg_t& partitions) {
    std::map<std::string, std::vector<std::string>> found;
    for (std::uint32_t i = 0; i < partitions.record_count; ++i) {
        const partition_info_t& each = partitions.partition_array[i];
        const bool is_hidden = (each.flags & PART_FLAG_HIDDEN) != 0;
        if (is_hidden || each.qos_char == nullptr || each.name == nullptr) continue;
        if (*each.qos_char != '\0') found[each.qos_char].emplace_back(each.name);
    }
    return found;
}

Result<std::shared_ptr<const ClusterState>> ClusterSource::read() {
    const auto begin = std::chrono::steady_clock::now();
    if (const auto fresh = accounting_.sync(); !fresh) return fresh.error();
    const auto queue = slurm::read_queue();
    if (!queue) return queue.error();
    const auto partitions = slurm::load_partitions(slurm::everything);
    if (!partitions) return partitions.error();
    const auto records = accounting_.records();
    auto state = std::make_shared<ClusterState>();
    state->cluster = conf_.cluster_name;
    state->records = slurm::to_local_records(*records);
    if (*partitions != nullptr) state->partitions = by_qos(**partitions);
    state->release = limits::Release::from_version_number(SLURM_VERSION_NUMBER);
    state->hides_jobs = queue->hides_jobs;
    state->sees_all = slurm::is_operator(*records, getuid()) || state->shows_users();
    for (const quota::UserRecord& user : state->records.users)
        if (!user.name.empty()) state->users.emplace(user.id, user.name);
    for (const quota::LocalAssociation& association : state->records.associations)
        if (!association.link.user.empty()) state->users.emplace(association.user_id, association.link.user);
    for (const model::QueuedJob& job : queue->jobs)
        count(job, *state);
    state->read_at = std::time(nullptr);
    state->took = std::chrono::steady_clock::now() - begin;
    return std::shared_ptr<const ClusterState>(std::move(state));
}

struct ExporterOptions {
    std::string listen = "127.0.0.1:9817";
    std::string interval = "15s";
    std::string shown; ///< --public
    std::size_t max_users = 0;
};

/// "15s", "2m", "15"
std::optional<std::chrono::seconds> parse_interval(std::string_view text) {
    std::chrono::seconds unit{1};
    if (text.ends_with('s') || text.ends_with('m')) {
        if (text.ends_with('m')) unit = 60s;
        text.remove_suffix(1);
    }
    constexpr std::uint64_t most = 3600;
    const auto count = text::parse_unsigned(text);
    if (!count || *count == 0 || *count > most) return std::nullopt;
    const auto interval = static_cast<std::int64_t>(*count) * unit;
    return interval <= 1h ? std::optional(interval) : std::nullopt;
}

std::string check_interval(const std::string& text) {
    return parse_interval(text)
               ? ""
               : text::format("{} is not from 1s to 60m, such as 15s", text::quoted(text, 64));
}

std::string check_listen(const std::string& text) {
    const auto address = ListenAddress::parse(text);
    return address ? "" : address.error().message;
}

std::string check_shown(const std::string& text) {
    for (const std::string_view word : text::split(text, ',', /*keep_empty=*/true))
        if (word != "users") return text::format("{}: there is only users", text::quoted(word, 64));
    return "";
}

/// While it lives, this thread and those that it starts leave SIGINT and SIGTERM to wait().
class EndSignals {
  public:
    EndSignals() {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGINT);
        sigaddset(&signals_, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    }
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;
    ~EndSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    void wait() const {
        int number = 0;
        while (sigwait(&signals_, &number) != 0) {
        }
    }

  private:
    sigset_t signals_{};
    sigset_t before_{};
};

CollectorSource make_source(const slurmdb::SlurmConf& conf, Output& output) {
    return {.read_cluster = [source = std::make_shared<ClusterSource>(conf)] { return source->read(); },
            .read_gate = [place = conf.state_save_location] { return GateReport::read(place); },
            .note =
                [&output](const std::string& problem) {
                    output.note(problem.empty() ? "slurmctld answers" : text::printable(problem, 500));
                }};
}

Result<int> run_exporter(const ExporterOptions& options, Output& output) {
    const auto address = ListenAddress::parse(options.listen);
    if (!address) return address.error();
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return path.error();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    if (const auto started = slurmdb::Library::start(*conf); !started) return started.error();

    const EndSignals signals;
    const auto interval = parse_interval(options.interval).value_or(15s);
    Collector collector(make_source(*conf, output),
                        {.interval = interval,
                         .max_users = options.max_users,
                         .page = {.names_users = options.shown == "users",
                                  .refresh = std::max(interval, 10s),
                                  .expects_plugin = slurm::loads_qosgate(conf->job_submit_plugins)}});
    auto server = WebServer::start(*address, [&collector](std::string_view page) -> std::optional<WebAnswer> {
        if (page == "/metrics")
            return WebAnswer{"text/plain; version=0.0.4; charset=utf-8", collector.metrics()};
        if (page == "/") return WebAnswer{"text/html; charset=utf-8", collector.page()};
        if (page == "/healthz")
            return WebAnswer{"text/plain; charset=utf-8", std::make_shared<const std::string>("ok\n")};
        return std::nullopt;
    });
    if (!server) return server.error();
    if (!(*server)->address().is_loopback())
        output.warn(
            text::format("everybody who reaches {} can read limits and usage", (*server)->address().text()));
    output.note(text::format("listening on http://{}/", (*server)->address().text()));
    collector.start();
    signals.wait();
    server->reset();
    if (!collector.stop(1s)) {
        // It waits for slurmctld. What it uses must not go away under it, so the process ends at once.
        output.text().flush();
        std::_Exit(0);
    }
    output.note("ended by a signal");
    return 0;
}

} // namespace

void add_exporter(Command app, Invocation& invocation) {
    auto options = std::make_shared<ExporterOptions>();
    Command command = add_command(
        app, "exporter", "Serve limits, usage and decisions for Prometheus, and a page for people",
        "It runs until SIGTERM or Ctrl-C. A thread reads slurmctld's records and queue at the interval;\n"
        "requests are answered from the last reading, so any number of them costs slurmctld nothing.\n\n"
        "  /metrics  for Prometheus: qosgate_qos_limit, qosgate_qos_usage and qosgate_qos_headroom by QOS,\n"
        "            limit and TRES, the same of accounts, qosgate_jobs, qosgate_pending_jobs by Reason, "
        "and\n"
        "            qosgate_gate_... of the plugin; each has its help text. qosgate_up is 0 while "
        "slurmctld\n"
        "            cannot be read, and then nothing old is repeated.\n"
        "  /         the same for people: bars, who holds what, pending by Reason. It refreshes itself.\n"
        "  /healthz  'ok', as long as it answers, whether slurmctld does or not.\n\n"
        "What the plugin counts comes from its report in StateSaveLocation. Without the right to read it,\n"
        "qosgate_gate_readable is 0: run the exporter on the controller, as SlurmUser.\n\n"
        "Accounts and users are not named if PrivateData in slurm.conf has usage, users or accounts; users\n"
        "neither if it has jobs. On a loopback address, requests for other hosts' names are refused.\n\n"
        "Exit status:\n"
        "  0   ended by SIGTERM or SIGINT\n"
        "  64  the command line is wrong, such as a bad address or interval\n"
        "  69  it cannot listen there, or slurm.conf cannot be used\n"
        "  77  it may not listen on that port\n"
        "  78  this build has no exporter\n"
        "slurmctld may be away, also at the start.\n\n"
        "Examples:\n"
        "  qosgate exporter\n"
        "  qosgate exporter --listen 10.1.0.5:9817 --interval 30s --users 50 --public users\n"
        "  curl -s http://127.0.0.1:9817/metrics | grep '^qosgate_qos_headroom'");
    command.add_option("--listen", options->listen, "Address and port; default: 127.0.0.1:9817; port 0: any")
        .check(check_listen);
    command
        .add_option("--interval", options->interval, "How often slurmctld is read, 1s to 60m; default: 15s")
        .check(check_interval);
    command
        .add_option("--users", options->max_users,
                    "Name this many users in /metrics, those with the largest shares of a limit; default: 0")
        .range(0, 1000);
    command
        .add_option("--public", options->shown, "'users': the page for people names users; default: nobody")
        .check(check_shown);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return run_exporter(*options, output); };
    });
}

} // namespace qg::cli

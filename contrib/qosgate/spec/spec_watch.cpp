// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec watch: keeps the cluster as the files say.
#include "access/grants.hpp"
#include "common/output.hpp"
#include "common/past_period.hpp"
#include "common/signals.hpp"
#include "spec/carry_out.hpp"
#include "spec/drift_report.hpp"
#include "spec/plan_report.hpp"
#include "spec/spec_files.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <time.h>
#include <utility>
#include <vector>

#include <unistd.h>

namespace qg::cli {
namespace {

/// Times in seconds since 1970; 0: not yet.
struct WatchStatus {
    std::string state = "starting"; ///< "ok", "drift", "conflict", "failing", "ended"
    std::time_t started = 0;
    std::time_t last_run = 0;
    std::time_t last_success = 0;
    std::time_t last_change = 0;
    std::time_t next_run = 0;
    std::uint64_t runs = 0;
    std::uint64_t failed_runs = 0;
    std::uint64_t failures_in_row = 0;
    std::uint64_t applied = 0; ///< plans
    std::string error;
    std::vector<DriftRow> drift; ///< before the last run's apply
    std::vector<spec::Conflict> conflicts;
};

struct Metric {
    std::string_view name; ///< without "qosgate_spec_watch_"
    std::string_view type;
    std::string_view help;
    std::uint64_t value;
};

std::uint64_t seconds(std::time_t time) {
    return static_cast<std::uint64_t>(time);
}

/// The status file.
Json to_json(const WatchStatus& status, bool is_dry) {
    const auto time = [](std::time_t at) { return at == 0 ? Json() : Json(at); };
    Json conflicts = Json::array();
    for (const spec::Conflict& conflict : status.conflicts)
        conflicts.push_back(cli::to_json(conflict));
    return {{"state", status.state},
            {"pid", getpid()},
            {"dry_run", is_dry},
            {"started", status.started},
            {"last_run", time(status.last_run)},
            {"last_success", time(status.last_success)},
            {"last_change", time(status.last_change)},
            {"next_run", time(status.next_run)},
            {"runs", status.runs},
            {"failed_runs", status.failed_runs},
            {"failures_in_row", status.failures_in_row},
            {"applied", status.applied},
            {"error", status.error.empty() ? Json() : Json(status.error)},
            {"drift", cli::to_json(status.drift)},
            {"conflicts", conflicts}};
}

/// The numbers in the text format of Prometheus, as its node_exporter reads them from *.prom files.
std::string to_metrics(const WatchStatus& status) {
    const std::array<Metric, 8> metrics{{
        {"runs_total", "counter", "Runs, each of which compares the files with the cluster.", status.runs},
        {"failed_runs_total", "counter", "Runs that failed.", status.failed_runs},
        {"failures_in_row", "gauge", "Failed runs since the last one that succeeded.",
         status.failures_in_row},
        {"applied_total", "counter", "Plans that were applied.", status.applied},
        {"drifted", "gauge", "Differences that the last run found, before it applied anything.",
         status.drift.size()},
        {"conflicts", "gauge", "Fields of the files that other owners manage.", status.conflicts.size()},
        {"last_run_timestamp_seconds", "gauge", "When the last run began.", seconds(status.last_run)},
        {"last_success_timestamp_seconds", "gauge", "When the last run that succeeded ended; 0: none did.",
         seconds(status.last_success)},
    }};
    std::string text;
    for (const Metric& metric : metrics)
        text += text::format("# HELP qosgate_spec_watch_{0} {1}\n# TYPE qosgate_spec_watch_{0} {2}\n"
                             "qosgate_spec_watch_{0} {3}\n",
                             metric.name, metric.help, metric.type, metric.value);
    return text;
}

constexpr std::time_t max_pause = 900;
constexpr std::time_t max_interval = 86'400;
constexpr mode_t status_mode = 0644;

struct WatchOptions : SpecOptions {
    std::string interval = "60s";
    std::string status;
    std::string metrics;
    CarryOutOptions carry_out;
};

std::atomic<bool> is_ending{false};
static_assert(std::atomic<bool>::is_always_lock_free);
constexpr std::array<int, 3> ending_signals{SIGINT, SIGTERM, SIGHUP};

class Watch {
  public:
    Watch(const WatchOptions& options, std::time_t interval, Output& output)
        : options_(options), interval_(interval), output_(output) {
        status_.started = std::time(nullptr);
    }

    void run() {
        while (!is_ending) {
            reconcile();
            // The wall clock may be set meanwhile.
            const auto next = std::chrono::steady_clock::now() + std::chrono::seconds(pause());
            status_.next_run = std::time(nullptr) + pause();
            write_status();
            while (!is_ending && std::chrono::steady_clock::now() < next)
                wait_a_second();
        }
        status_.state = "ended";
        status_.next_run = 0;
        write_status();
    }

    [[nodiscard]] const WatchStatus& status() const { return status_; }

  private:
    static void wait_a_second() {
        const timespec second{1, 0};
        nanosleep(&second, nullptr); // a signal ends it
    }

    /// Twice as long after each failure.
    [[nodiscard]] std::time_t pause() const {
        const std::uint64_t doublings = std::min<std::uint64_t>(status_.failures_in_row, 10);
        return std::max(interval_, std::min(interval_ << doublings, max_pause));
    }

    void reconcile() {
        status_.last_run = std::time(nullptr);
        ++status_.runs;
        const auto done = try_once();
        if (done) {
            if (status_.failures_in_row > 0)
                output_.note(text::format("this run succeeded, after {}",
                                          text::count_of(status_.failures_in_row, "failed run")));
            status_.last_success = std::time(nullptr);
            status_.failures_in_row = 0;
            status_.error.clear();
            return;
        }
        ++status_.failed_runs;
        ++status_.failures_in_row;
        status_.state = "failing";
        if (status_.error != done.error().message) output_.warn(done.error().message);
        status_.error = done.error().message;
    }

    Result<void> try_once() {
        const auto access = QosConnection::open(options_, output_);
        if (!access) return access.error();
        auto read = read_spec(options_.paths, access->get());
        if (const auto* failure = std::get_if<SpecFailure>(&read)) return failure->error;
        auto live = admin::read_live((*access)->connection());
        if (!live) return live.error();
        auto desired = std::get<spec::Desired>(std::move(read));
        const auto plan_options = leave_to_others(desired, *live);
        const auto planned = plan_spec(std::move(desired), *std::move(live), plan_options);
        if (const auto* failure = std::get_if<SpecFailure>(&planned)) return failure->error;
        return set_right(std::get<PlannedSpec>(planned), **access);
    }

    /// Options with which nothing is changed of QOSs that another owner manages. Nothing is taken over: that
    /// is a person's decision.
    spec::PlanOptions leave_to_others(const spec::Desired& desired, const spec::LiveState& live) {
        spec::PlanOptions options{.prune = options_.plan.prune};
        const auto known =
            std::exchange(status_.conflicts, spec::make_plan(desired, live, options).conflicts);
        for (const spec::Conflict& conflict : status_.conflicts) {
            if (std::ranges::find(known, conflict) == known.end())
                output_.warn(describe(conflict) + "; this QOS is left as it is");
            options.left_alone.insert(conflict.qos);
        }
        return options;
    }

    Result<void> set_right(const PlannedSpec& spec, QosConnection& access) {
        status_.drift = list_drift(spec.plan, spec.live);
        const bool has_conflicts = !status_.conflicts.empty();
        if (!spec.plan.changes_anything()) {
            status_.state = has_conflicts ? "conflict" : "ok";
            if (!options_.carry_out.dry_run) {
                const auto kept = keep_and_make_permanent(spec.plan, spec.live, options_.carry_out, output_);
                return kept ? Result<void>() : kept.error();
            }
            if (const auto named = find_named(spec.plan, output_); !named.empty())
                output_.note("would do: " + summary_of(spec.plan, named.size()));
            return {};
        }
        if (options_.carry_out.dry_run) {
            status_.state = "drift";
            output_.note("would do: " + summary_of(spec.plan, find_named(spec.plan, output_).size()));
            return {};
        }
        if (const auto possible = expect_possible(spec.plan, options_.carry_out, access); !possible)
            return possible.error();
        const auto done = keep_and_carry_out(
            spec.plan, spec.live, options_.carry_out, access.connection(), [](slurmdb::CommitStep) {},
            output_);
        if (!done) return done.error();
        ++status_.applied;
        status_.last_change = std::time(nullptr);
        status_.state = has_conflicts ? "conflict" : "ok";
        output_.note(
            text::format("{}; 'qosgate spec rollback {}' undoes it", summary_of(spec.plan, 0), *done));
        return {};
    }

    void write_status() {
        if (!options_.status.empty())
            write_file(options_.status, to_json(status_, options_.carry_out.dry_run).dump(2) + "\n",
                       is_status_reported_);
        if (!options_.metrics.empty())
            write_file(options_.metrics, to_metrics(status_), is_metrics_reported_);
    }

    /// Warns if it cannot; once, until it can.
    void write_file(const std::string& path, const std::string& text, bool& may_be_shown) {
        const auto done = write_output_file(path, text, status_mode);
        if (!done && !may_be_shown) output_.warn(done.error().message);
        may_be_shown = !done;
    }

    const WatchOptions& options_;
    std::time_t interval_;
    Output& output_;
    WatchStatus status_;
    bool is_status_reported_ = false;
    bool is_metrics_reported_ = false;
};

Result<int> watch(const WatchOptions& options, Output& output) {
    const std::time_t interval = parse_span(options.interval);
    if (interval == 0 || interval > max_interval)
        return Error{ErrorCode::invalid_input,
                     text::format("--interval {}: write a span up to 1d, as 60s or 5m",
                                  text::quoted(options.interval, 60))};
    const HandledSignals signals(ending_signals, [](int) { is_ending = true; });
    Watch watch(options, interval, output);
    watch.run();
    if (output.json()) output.write(to_json(watch.status(), options.carry_out.dry_run));
    return 0;
}

} // namespace

void add_spec_watch(Command spec, Invocation& invocation) {
    auto options = std::make_shared<WatchOptions>();
    Command command = add_command(
        spec, "watch", "Keep the cluster as the files say",
        "Examples:\n"
        "  qosgate spec watch qos.d --interval 60s --status /run/qosgate/spec.json\n"
        "  qosgate spec watch qos.d --metrics /var/lib/prometheus/node-exporter/qosgate-spec.prom\n"
        "  qosgate spec watch qos.d --dry-run             only report\n\n"
        "Reads files and records at the interval, and applies what differs, as 'qosgate spec apply --yes'\n"
        "would. QOSs of which others manage what the files name, or a part of what --prune\n"
        "would delete, are reported, never changed. After a failure it waits twice as long, up "
        "to\n"
        "15 minutes. SIGTERM, SIGINT and SIGHUP end it, after a change that has begun. It reports on\n"
        "standard error; --status has it for programs, with the members of the answer at the end, and\n"
        "--metrics numbers for Prometheus.\n\n"
        "Exit status:\n"
        "  0   ended by a signal\n"
        "  64  the command line is wrong\n"
        "  65  --interval is wrong\n"
        "  74  the output cannot be written");
    add_spec_paths(command, options->paths);
    command.add_option("--interval", options->interval, "How often: 60s, 5m, 1h; default: 60s")
        .option_text("SPAN");
    command.add_option("--status", options->status, "Keep a status file here, replaced as a whole")
        .option_text("FILE");
    command
        .add_option("--metrics", options->metrics,
                    "Keep a *.prom file here, which Prometheus's node_exporter reads")
        .option_text("FILE");
    command.add_flag("--prune", options->plan.prune,
                     "Delete QOSs that the files' owners created and the files do not name any more");
    command.add_flag("--dry-run", options->carry_out.dry_run, "Only report what differs");
    command
        .add_option("--history", options->carry_out.history,
                    "Keep the way back in this directory; default: as 'qosgate spec apply'")
        .option_text("DIR");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return watch(*options, output); };
    });
}

} // namespace qg::cli

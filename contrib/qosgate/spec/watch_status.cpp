// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/watch_status.hpp"

#include "spec/spec_files.hpp"

#include "qosgate/base/text.hpp"

#include <array>

#include <unistd.h>

namespace qg::cli {
namespace {

struct Metric {
    std::string_view name; ///< without "qosgate_spec_watch_"
    std::string_view type;
    std::string_view help;
    std::uint64_t value;
};

std::uint64_t seconds(std::time_t time) {
    return static_cast<std::uint64_t>(time);
}

} // namespace

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

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter_metrics.hpp"

#include "common/default_release.hpp"
#include "limit_samples.hpp"
#include "metric_set.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {
namespace {

double as_double(std::uint64_t count) {
    return static_cast<double>(count);
}

/// The help of a family with values of limits.
std::string help_of_values(std::string_view meaning) {
    return text::format(
        "`limit` is sacctmgr's name. Memory in bytes, time in seconds, TRES minutes in TRES x "
        "seconds. {}",
        meaning);
}

/// The same three families for QOSs and for accounts: limit, usage and headroom.
void add_limit_metrics(MetricSet& metrics, const std::string& owner, const std::vector<LimitRow>& rows) {
    const std::string prefix = "qosgate_" + owner + "_";
    auto& limit = metrics.gauge(prefix + "limit", help_of_values("`counts` says whose jobs count together."));
    auto& usage = metrics.gauge(prefix + "usage",
                                help_of_values("What counts for the limit: of all jobs or, for a limit "
                                               "per user or account, of the one that uses most."));
    auto& headroom =
        metrics.gauge(prefix + "headroom", help_of_values("What is left of the limit, by the same count."));
    for (const LimitRow& row : rows) {
        const std::initializer_list<Label> labels{{owner.c_str(), row.owner},
                                                  {"limit", row.facts->name},
                                                  {"tres", row.tres},
                                                  {"counts", counts_of(*row.facts)}};
        limit.add(as_double(row.value) * row.unit(), labels);
        if (!row.used) continue;
        usage.add(as_double(*row.used) * row.unit(), labels);
        headroom.add(as_double(row.left()) * row.unit(), labels);
    }
}

void add_account_holders(MetricSet& metrics, const std::vector<LimitRow>& rows) {
    auto& usage = metrics.gauge("qosgate_qos_account_usage",
                                help_of_values("What an account uses of a limit of a QOS."));
    for (const LimitRow& row : rows)
        for (const auto& [account, used] : row.accounts)
            usage.add(as_double(used) * row.unit(), {{"qos", row.owner},
                                                     {"account", account},
                                                     {"limit", row.facts->name},
                                                     {"tres", row.tres},
                                                     {"counts", counts_of(*row.facts)}});
}

/// The users with the largest shares of any limit.
std::set<std::uint32_t> find_top_users(const std::vector<LimitRow>& rows, std::size_t max_users) {
    std::map<std::uint32_t, double> shares;
    for (const LimitRow& row : rows)
        for (const auto& [user, used] : row.users) {
            const double share = limits::share_of(used, row.value);
            shares[user] = std::max(shares[user], share);
        }
    std::vector<std::pair<double, std::uint32_t>> order;
    for (const auto& [user, share] : shares)
        order.emplace_back(-share, user);
    std::ranges::sort(order);
    std::set<std::uint32_t> top;
    for (std::size_t i = 0; i < std::min(max_users, order.size()); ++i)
        top.insert(order[i].second);
    return top;
}

void add_user_holders(MetricSet& metrics, const ClusterState& state, const std::vector<LimitRow>& rows,
                      std::size_t max_users) {
    auto& usage = metrics.gauge("qosgate_qos_user_usage",
                                help_of_values("What a user uses of a limit of a QOS; only the "
                                               "users with the largest shares."));
    const auto top = find_top_users(rows, max_users);
    for (const LimitRow& row : rows)
        for (const auto& [user, used] : row.users)
            if (top.contains(user))
                usage.add(as_double(used) * row.unit(), {{"qos", row.owner},
                                                         {"user", state.name_of(user)},
                                                         {"limit", row.facts->name},
                                                         {"tres", row.tres},
                                                         {"counts", counts_of(*row.facts)}});
}

/// What running jobs hold, whether it is limited or not.
void add_allocated(MetricSet& metrics, const ClusterState& state) {
    auto& allocated =
        metrics.gauge("qosgate_qos_allocated", "TRES that running jobs of a QOS hold; memory in bytes.");
    auto& priority = metrics.gauge("qosgate_qos_priority", "Priority of a QOS.");
    const model::TresCatalogue& tres = *state.records.tres;
    for (const quota::LocalQos& each : state.records.qos) {
        priority.add(each.qos.priority, {{"qos", each.qos.name}});
        for (std::size_t at = 0; at < tres.size(); ++at) {
            const bool is_built_in_rarity =
                tres.kind(at) == model::TresKind::other || tres.kind(at) == model::TresKind::energy;
            const std::uint64_t count = model::count_at(each.qos.usage.tres, at);
            if (is_built_in_rarity && count == 0) continue;
            allocated.add(as_double(count) * tres_unit(tres.name(at)),
                          {{"qos", each.qos.name}, {"tres", tres.name(at)}});
        }
    }
}

void add_jobs(MetricSet& metrics, const ClusterState& state) {
    auto& jobs = metrics.gauge("qosgate_jobs",
                               "Jobs that count for a QOS, also as that of their partition; running ones "
                               "with those suspended, array tasks singly.");
    auto& pending =
        metrics.gauge("qosgate_pending_jobs", "Pending jobs by Reason, array tasks counted singly.");
    std::map<std::string, JobCounts> counts = state.queued;
    for (const quota::LocalQos& each : state.records.qos)
        counts[each.qos.name] = state.jobs_of(each);
    for (const auto& [qos, count] : counts) {
        jobs.add(as_double(count.running), {{"qos", qos}, {"state", "running"}});
        jobs.add(as_double(count.pending), {{"qos", qos}, {"state", "pending"}});
    }
    for (const auto& [key, count] : state.pending)
        pending.add(as_double(count), {{"qos", key.first}, {"reason", key.second}});
}

/// A number of the report that is a metric by itself.
struct ReportRow {
    const char* key;
    const char* name;
    const char* help;
    bool is_counter;
};

constexpr std::array report_rows{
    ReportRow{"written_at", "qosgate_gate_report_timestamp_seconds", "When the plugin wrote its report.",
              false},
    ReportRow{"started_at", "qosgate_gate_start_timestamp_seconds", "When slurmctld loaded the plugin.",
              false},
    ReportRow{"loaded_at", "qosgate_gate_policy_loaded_timestamp_seconds",
              "When the policy in force was loaded.", false},
    ReportRow{"partitions_read_at", "qosgate_gate_partitions_read_timestamp_seconds",
              "When the plugin read the partitions.", false},
    ReportRow{"users.read_at", "qosgate_gate_users_read_timestamp_seconds",
              "When the plugin had read all users and their groups.", false},
    ReportRow{"users.count", "qosgate_gate_users", "Users whose groups the plugin knows.", false},
    ReportRow{"script.jobs.read_at", "qosgate_gate_jobs_read_timestamp_seconds",
              "When the plugin read the queue for slurm.jobs.", false},
    ReportRow{"rules", "qosgate_gate_rules", "Rules in force.", false},
    ReportRow{"generation", "qosgate_gate_policy_loads_total",
              "Policies loaded since slurmctld loaded the plugin.", true},
    ReportRow{"refused", "qosgate_gate_refused_total", "Submissions and changes that the plugin refused.",
              true},
    ReportRow{"changed_by_rules", "qosgate_gate_changed_by_rules_total", "Jobs that rules changed.", true},
    ReportRow{"with_message", "qosgate_gate_with_message_total", "Decisions with a message for the user.",
              true},
    ReportRow{"rule_failed", "qosgate_gate_rule_failed_total", "Decisions in which a rule failed.", true},
    ReportRow{"script.calls", "qosgate_gate_script_calls_total", "Calls of compat/job_submit.lua.", true},
    ReportRow{"script.failures", "qosgate_gate_script_failures_total",
              "Failed calls of compat/job_submit.lua.", true},
    ReportRow{"records_written", "qosgate_gate_records_written_total", "Decision records written.", true},
    ReportRow{"records_dropped", "qosgate_gate_records_dropped_total", "Decision records lost.", true},
};

/// A text of the report that says why something does not work.
struct ProblemRow {
    const char* key;
    const char* problem;
};

constexpr std::array problem_rows{
    ProblemRow{"last_error", "policy"},           ProblemRow{"keep_error", "policy_copy"},
    ProblemRow{"partitions_error", "partitions"}, ProblemRow{"records_error", "records"},
    ProblemRow{"users.error", "users"},           ProblemRow{"candidate.last_error", "candidate"},
};

void add_report_numbers(MetricSet& metrics, const GateReport& gate) {
    for (const ReportRow& row : report_rows) {
        const auto value = gate.number(row.key);
        if (!value) continue;
        (row.is_counter ? metrics.counter(row.name, row.help) : metrics.gauge(row.name, row.help))
            .add(*value);
    }
    auto& decisions = metrics.counter("qosgate_gate_decisions_total", "Decisions of the plugin.");
    for (const auto& [key, event] : {std::pair("jobs", "submission"), std::pair("changes", "change")})
        if (const auto value = gate.number(key)) decisions.add(*value, {{"event", event}});
    auto& candidate = metrics.counter(
        "qosgate_gate_candidate_decisions_total",
        "Decisions with the candidate's script and rules: compared, of these differing, and skipped.");
    for (const char* result : {"compared", "differing", "skipped"})
        if (const auto value = gate.number(std::string("candidate.") + result))
            candidate.add(*value, {{"result", result}});
}

void add_report_results(MetricSet& metrics, const GateReport& gate) {
    constexpr double us_per_second = 1e6; // a division rounds to what 0.0001 is, a product does not
    auto& times = metrics.histogram("qosgate_gate_decision_seconds", "Time of decisions inside slurmctld.");
    if (const auto sum = gate.number("decision_times.sum_us")) {
        std::vector<double> bounds = gate.numbers("decision_times.bounds_us");
        for (double& bound : bounds)
            bound /= us_per_second;
        times.add_histogram(bounds, gate.numbers("decision_times.counts"), *sum / us_per_second);
    }
    auto& results =
        metrics.counter("qosgate_gate_results_total",
                        "What rules and limits did to jobs. Without a rule: the gate, for a Reason.");
    // What rules and limits did is told in several rows of the report for different outcomes.
    std::map<std::array<std::string, 4>, double> sums;
    std::map<std::pair<std::string, std::string>, double> limited;
    for (const ReportPart& each : gate.parts("results")) {
        const auto count = each.number("count");
        if (!count) continue;
        const std::string reason = each.text("reason");
        sums[{each.text("effect"), each.text("rule"), each.text("file"), reason}] += *count;
        if (const std::string outcome = each.text("outcome"); !outcome.empty())
            limited[{outcome, reason}] += *count;
    }
    for (const auto& [key, count] : sums) {
        const auto& [effect, rule, file, reason] = key;
        results.add(count, {{"effect", effect}, {"rule", rule}, {"file", file}, {"reason", reason}});
    }
    auto& jobs = metrics.counter("qosgate_gate_limited_jobs_total",
                                 "Jobs by what happens to them by a limit: refused, never starts, waits.");
    for (const auto& [key, count] : limited)
        jobs.add(count, {{"outcome", key.first}, {"reason", key.second}});
    if (const auto others = gate.number("other_results"))
        metrics
            .counter("qosgate_gate_other_results_total",
                     "What they did beyond the 500 kinds that are counted apart.")
            .add(*others);
}

void add_report_problems(MetricSet& metrics, const GateReport& gate) {
    auto& standing =
        metrics.gauge("qosgate_gate_standing", "1 for the state that the plugin's policy is in.");
    for (const char* each : {"in force", "degraded", "closed"})
        standing.add(gate.text("standing") == each ? 1 : 0, {{"standing", each}});
    auto& problems =
        metrics.gauge("qosgate_gate_problem", "1: `qosgate status` says what does not work and why.");
    for (const ProblemRow& row : problem_rows)
        problems.add(gate.text(row.key).empty() ? 0 : 1, {{"problem", row.problem}});
    problems.add(gate.texts("conf_problems").empty() ? 0 : 1, {{"problem", "slurm_conf"}});

    auto& failures = metrics.gauge("qosgate_gate_rule_failures_in_a_row",
                                   "Failures of a rule in a row, up to its last run; other rules work.");
    auto& warns = metrics.gauge("qosgate_gate_rule_only_warns",
                                "1: the rule failed so often in a row that it only warns now.");
    for (const ReportPart& rule : gate.parts("failing_rules")) {
        const std::string name = rule.text("rule");
        const std::string file = rule.text("file");
        failures.add(rule.number("failures_in_a_row").value_or(0), {{"rule", name}, {"file", file}});
        warns.add(rule.flag("only_warns") ? 1 : 0, {{"rule", name}, {"file", file}});
    }
}

void add_gate_metrics(MetricSet& metrics, const Result<GateReport>& gate, std::time_t now) {
    metrics
        .gauge("qosgate_gate_readable",
               "Whether the exporter can read the plugin's report in StateSaveLocation.")
        .add(gate ? 1 : 0);
    if (!gate) return;
    const bool is_loaded = gate->is_loaded(now);
    metrics.gauge("qosgate_gate_loaded", "Whether a slurmctld has the plugin.").add(is_loaded ? 1 : 0);
    if (!is_loaded) return;
    metrics.gauge("qosgate_gate_info", "The plugin and the policy in force; always 1.")
        .add(1, {{"version", gate->text("version")},
                 {"slurm", gate->text("slurm")},
                 {"host", gate->text("host")},
                 {"limits", gate->text("limits")},
                 {"policy", gate->text("policy")}});
    add_report_numbers(metrics, *gate);
    add_report_results(metrics, *gate);
    add_report_problems(metrics, *gate);
}

void add_own(MetricSet& metrics, const ClusterState* state, const ReadingCounts& counts) {
    metrics.gauge("qosgate_up", "Whether slurmctld answered the exporter.").add(state != nullptr ? 1 : 0);
    metrics.gauge("qosgate_build_info", "The exporter; always 1.")
        .add(1, {{"version", QG_VERSION}, {"slurm", default_release().branch()}});
    metrics.counter("qosgate_exporter_readings_total", "Attempts to read the cluster.")
        .add(as_double(counts.readings));
    metrics
        .counter("qosgate_exporter_reading_failures_total",
                 "Attempts to read the cluster that failed or took longer than three intervals.")
        .add(as_double(counts.failures));
    if (counts.last)
        metrics.gauge("qosgate_exporter_last_reading_timestamp_seconds", "When the cluster was last read.")
            .add(static_cast<double>(*counts.last));
    if (state == nullptr) return;
    metrics.gauge("qosgate_exporter_reading_seconds", "How long the last reading took.")
        .add(state->took.count());
    metrics
        .gauge("qosgate_exporter_sees_all",
               "0: PrivateData hides jobs or usage from the user as whom the exporter runs.")
        .add(state->sees_all ? 1 : 0);
}

} // namespace

std::string make_metrics(const ClusterState* state, const Result<GateReport>* gate,
                         const ReadingCounts& counts, std::size_t max_users, std::time_t now) {
    MetricSet metrics(max_family_series);
    add_own(metrics, state, counts);
    if (state != nullptr) {
        const auto rows = find_qos_rows(state->records, state->release);
        add_limit_metrics(metrics, "qos", rows);
        if (state->shows_accounts()) {
            add_limit_metrics(metrics, "account", find_account_rows(state->records));
            add_account_holders(metrics, rows);
        }
        if (state->shows_users() && max_users > 0) add_user_holders(metrics, *state, rows, max_users);
        add_allocated(metrics, *state);
        add_jobs(metrics, *state);
    }
    if (gate != nullptr) add_gate_metrics(metrics, *gate, now);
    return metrics.text();
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate status: whether slurmctld has loaded the plugin, and the plugin's state.
#include "common/command.hpp"
#include "common/or_null.hpp"
#include "report/status_finding.hpp"

#include "qosgate/base/text.hpp"

#include <nlohmann/json.hpp>

#include <ctime>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

std::string show_problem(const std::string& problem) {
    return text::printable(problem, 1000);
}

/// What is known of the candidate; empty: there is no directory `next`.
std::string describe_candidate(const GateReport& report) {
    if (!report.has("candidate")) return "";
    const ReportPart candidate = report.part("candidate");
    if (const std::string error = candidate.text("last_error"); !error.empty())
        return "not loaded: " + show_problem(error);
    const std::string policy = text::printable(candidate.text("policy"));
    if (policy.empty())
        return candidate.flag("is_testing") ? "not loaded: its tests are still running" : "not loaded yet";
    return text::format("{} {}{}, hash {}, loaded {}; compared {}, differing {}, skipped {}",
                        candidate.count("rules"), candidate.count("rules") == 1 ? "rule" : "rules",
                        candidate.flag("has_script") ? " and a script" : "", policy,
                        show_time(candidate.number("loaded_at")), candidate.count("compared"),
                        candidate.count("differing"), candidate.count("skipped"));
}

/// The script for job_submit/lua; empty: there is none.
std::string describe_script(const GateReport& report) {
    if (!report.has("script")) return "";
    const ReportPart script = report.part("script");
    std::string line =
        text::format("{}, in force; {} calls, {} failed", text::printable(script.text("file", "?")),
                     script.count("calls"), script.count("failures"));
    if (script.count("failures") == 0) return line;
    return text::format("{}, {} in a row up to now; the last one {}: {}", line,
                        script.count("failures_in_a_row"), show_time(script.number("last_failure_at")),
                        show_problem(script.text("last_failure", "?")));
}

/// The users whom the policy asks about; empty: it asks about none.
std::string describe_users(const GateReport& report) {
    if (!report.has("users")) return "";
    const ReportPart users = report.part("users");
    const std::string error = users.text("error");
    return text::format("{} known, read {}{}", users.count("count"), show_time(users.number("read_at")),
                        error.empty() ? "" : "; " + show_problem(error));
}

void print_status(const StatusFinding& finding, std::ostream& out) {
    out << finding.wording().headline << '\n';
    for (const std::string& reason : finding.reasons)
        out << "  " << text::printable(reason, 1000) << '\n';
    for (const Controller& controller : finding.controllers)
        out << text::format("Controller: {}\n",
                            text::printable(describe_controller(controller, finding.report)));
    if (!finding.report.exists()) return;
    const GateReport& report = finding.report;
    const auto number = [&report](const char* key) { return report.count(key); };
    const auto text_of = [&report](const char* key) { return text::printable(report.text(key, "?")); };
    const std::string candidate = describe_candidate(report);
    const std::string script = describe_script(report);
    const std::string users = describe_users(report);
    out << text::format("As of:      {}\n", show_time(report.number("written_at")))
        << text::format("Plugin:     {} for Slurm {}, process {} on {}, since {}\n", text_of("version"),
                        text_of("slurm"), number("pid"), text_of("host"),
                        show_time(report.number("started_at")))
        << text::format("Policy:     limits {}, {} {}, hash {}, generation {}, loaded {}{}\n",
                        text_of("limits"), number("rules"), number("rules") == 1 ? "rule" : "rules",
                        text_of("policy"), number("generation"), show_time(report.number("loaded_at")),
                        report.flag("is_kept_copy") ? ", the copy of an earlier run" : "")
        << text::format("Directory:  {}\n", text_of("policy_directory"))
        << (script.empty() ? "" : text::format("Script:     {}\n", script))
        << (users.empty() ? "" : text::format("Users:      {}\n", users))
        << (candidate.empty() ? "" : text::format("Candidate:  {}\n", candidate))
        << text::format("Partitions: read {}\n", show_time(report.number("partitions_read_at")))
        << text::format("Decisions:  {} and {}; refused {}, changed by rules {}, with messages {}, "
                        "rule failures {}\n",
                        text::count_of(number("jobs"), "job"), text::count_of(number("changes"), "change"),
                        number("refused"), number("changed_by_rules"), number("with_message"),
                        number("rule_failed"));
    for (const auto& [rule, count, only_warns] : failing_rules(report))
        if (!only_warns)
            out << text::format("Failing:    {}: {} in a row, up to now\n", text::printable(rule, 200),
                                text::count_of(count, "failure"));
}

/// Null for what is not known.
ordered_json controller_to_json(const Controller& controller) {
    const GateReport& report = controller.report;
    const auto written_at = report.number("written_at");
    return {{"host", controller.host},
            {"in_charge", or_null(controller.is_in_charge)},
            {"answers", or_null(controller.answers)},
            {"policy", report.exists() ? ordered_json(report.text("policy")) : ordered_json()},
            {"as_of", written_at ? ordered_json(static_cast<std::time_t>(*written_at)) : ordered_json()}};
}

Result<int> show_status(Output& output) {
    const auto finding = examine_plugin();
    if (!finding) return finding.error();
    const auto written_at = finding->report.number("written_at");
    if (output.json()) {
        ordered_json controllers = ordered_json::array();
        for (const Controller& controller : finding->controllers)
            controllers.push_back(controller_to_json(controller));
        output.write(
            {{"status", finding->wording().name},
             {"reasons", finding->reasons},
             {"controllers", controllers},
             {"as_of", written_at ? ordered_json(static_cast<std::time_t>(*written_at)) : ordered_json()},
             {"plugin", finding->report.json()}});
    } else
        print_status(*finding, output.text());
    return finding->wording().exit_status;
}

} // namespace

void add_status(Command app, Invocation& invocation) {
    Command command = add_command(
        app, "status", "Show whether slurmctld has loaded the plugin, and its state",
        "Exit status:\n"
        "  0   in force\n"
        "  1   degraded: it works, but not as configured; each reason is shown with what to do\n"
        "  2   not loaded; or closed: it refuses all jobs but those of root, SlurmUser and operators,\n"
        "      because the site's rules do not load, or their tests have not passed\n"
        "  64  the command line is wrong\n"
        "  65  the plugin's report cannot be understood\n"
        "  69  slurm.conf or the report cannot be read\n"
        "  74  the output cannot be written\n"
        "  77  not permitted: ask as root or SlurmUser\n\n"
        "It reads slurm.conf and the plugin's report in StateSaveLocation: ask on a controller. It gives a\n"
        "slurmctld that started there just now five seconds to write one. With one SlurmctldHost it opens "
        "no\n"
        "connection. With several it also pings each slurmctld, for three seconds at most, and compares the\n"
        "rules that the standbys report with those in force.\n\n"
        "If the directory of rules does not load, slurmctld reports the first error. On the host of that\n"
        "slurmctld, root and SlurmUser also see what else keeps it from loading; its tests are not run.\n\n"
        "Examples:\n"
        "  qosgate status\n"
        "  qosgate status --json");
    add_json_flag(command, invocation);
    command.callback([&invocation] { invocation.action = show_status; });
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate status: whether slurmctld has loaded the plugin, and the plugin's state. It reads only the plugin's
// file in StateSaveLocation and opens no connection.
#include "command.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/plugin_list.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <sstream>

#include <unistd.h>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

/// The plugin's state, from good to bad.
enum Standing : std::uint8_t { in_force, degraded, closed, not_loaded };

struct Wording {
    std::string_view name;     ///< in JSON
    std::string_view headline; ///< for people
    int exit_status;
};

constexpr std::array<Wording, 4> wordings{{
    {"in force", "qosgate is in force", 0},
    {"degraded", "qosgate is degraded", 1},
    {"closed",
     "qosgate refuses all jobs but those of root, SlurmUser and operators: the site's rules do not load, or "
     "their tests have not passed",
     2},
    {"not loaded", "qosgate is not loaded", 2},
}};

/// The plugin writes at least every half minute.
constexpr std::time_t oldest = 120;

/// What the command found and what it means.
struct Finding {
    Standing standing = in_force;
    std::vector<std::string> reasons; ///< why it is not in force
    ordered_json report;              ///< the plugin's; null: there is none

    void add(Standing worse, std::string reason) {
        standing = std::max(standing, worse);
        reasons.push_back(std::move(reason));
    }

    const Wording& wording() const { return wordings.at(standing); }
};

bool names_plugin(const slurmdb::SlurmConf& conf) {
    const auto names = slurm::job_submit_plugin_names(conf.job_submit_plugins);
    return std::ranges::find(names, "qosgate") != names.end();
}

/// ", but 'qosgaet'; did you mean qosgate?"
std::string hint_for_misspelt(const slurmdb::SlurmConf& conf) {
    const std::string own[] = {"qosgate"};
    for (const std::string_view name : slurm::job_submit_plugin_names(conf.job_submit_plugins))
        if (const std::string hint = text::did_you_mean(name, own); !hint.empty())
            return text::format(", but {}{}", text::quoted(name, 64), hint);
    return "";
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Why slurm.conf does not load the plugin.
std::string describe_missing_name(const slurmdb::SlurmConf& conf) {
    return text::format("{}: JobSubmitPlugins does not name qosgate{}", conf.path.string(),
                        hint_for_misspelt(conf));
}

/// The process id of the slurmctld that runs on this host, by its pid file. Empty if none runs or if that is
/// not known.
std::optional<pid_t> find_slurmctld(const slurmdb::SlurmConf& conf) {
    pid_t process = 0;
    std::string name;
    if (!(std::ifstream(conf.slurmctld_pid_file) >> process)) return std::nullopt;
    if (!(std::ifstream(text::format("/proc/{}/comm", process)) >> name)) return std::nullopt;
    return name == "slurmctld" ? std::optional(process) : std::nullopt;
}

/// The reason why no slurmctld of this host has the plugin that slurm.conf names, and what to do.
std::string describe_slurmctld(const slurmdb::SlurmConf& conf) {
    constexpr std::string_view how = "run scontrol reconfigure; if that does not help, slurmctld's log says "
                                     "why it has not loaded the plugin";
    if (const auto process = find_slurmctld(conf))
        return text::format("slurmctld runs without the plugin, as process {}: {}", *process, how);
    return text::format(
        "slurmctld does not run on this host, or it runs without the plugin: start it or, if it runs, {}",
        how);
}

/// Whether the slurmctld that wrote the report still runs. Another process may have its process id by now.
bool is_alive(const ordered_json& report) {
    const auto start = process_start(report.value("pid", pid_t{0}));
    const ordered_json reported = report.value("process_start", ordered_json());
    return start && (!reported.is_number_unsigned() || reported.get<std::uint64_t>() == *start);
}

std::string show_time(const ordered_json& seconds) {
    return seconds.is_number() ? local_time_text(seconds.get<std::time_t>()) : "never";
}

/// The time at which the plugin wrote its report, in seconds since 1970. Null without a report.
ordered_json written_at(const ordered_json& report) {
    return report.is_object() ? report.value("written_at", ordered_json()) : ordered_json();
}

/// Why no slurmctld has the plugin, although one wrote the report. Empty if one has it.
std::optional<std::string> why_not_loaded(const ordered_json& report, const slurmdb::SlurmConf& conf) {
    const bool is_gone = report.value("host", "") == host_name() && !is_alive(report);
    const bool is_old = std::time(nullptr) - report.value("written_at", std::time_t{0}) > oldest;
    if (!is_gone && !is_old) return std::nullopt;
    if (!names_plugin(conf)) return describe_missing_name(conf);
    if (is_gone)
        return text::format("the slurmctld that had it, process {}, is gone; {}",
                            report.value("pid", pid_t{0}), describe_slurmctld(conf));
    return text::format(
        "slurmctld on {} has not reported since {}: look there whether it runs, and into its log",
        report.value("host", "?"), show_time(written_at(report)));
}

/// The rules that fail and were switched to warn because of it, or were not: "rule 'x' (10-x.lua)".
std::vector<std::pair<std::string, std::uint64_t>> failing_rules(const ordered_json& report, bool only_warn) {
    std::vector<std::pair<std::string, std::uint64_t>> found;
    for (const ordered_json& rule : report.value("failing_rules", ordered_json::array()))
        if (rule.is_object() && rule.value("only_warns", false) == only_warn)
            found.emplace_back(
                text::format("rule '{}' ({})", rule.value("rule", "?"), rule.value("file", "?")),
                rule.value("failures_in_a_row", std::uint64_t{0}));
    return found;
}

/// What is wrong with a plugin that is loaded, and what to do.
void judge(Finding& finding, const slurmdb::SlurmConf& conf) {
    const ordered_json& report = finding.report;
    const auto error_of = [&report](const char* key) {
        return report.value(key, ordered_json()).is_string() ? report.at(key).get<std::string>() : "";
    };
    if (!names_plugin(conf))
        finding.add(degraded,
                    text::format("it is in force now, but not after the next restart or reconfigure "
                                 "of slurmctld: {}",
                                 describe_missing_name(conf)));
    if (const std::string why = error_of("last_error"); !why.empty()) {
        const bool is_closed = report.value("standing", "") == "closed";
        const std::string_view what_to_do =
            report.value("is_testing", false)
                ? "what is in the directory comes into force when they have passed"
                : "correct this: slurmctld reads it again within two seconds";
        finding.add(is_closed ? closed : degraded,
                    text::format("policy: {}; {}{}", why, what_to_do,
                                 is_closed ? "" : ", and until then the policy below stays in force"));
    }
    if (const std::string why = error_of("keep_error"); !why.empty())
        finding.add(degraded,
                    text::format("a restart would not find the policy in force: {}; correct this: it "
                                 "is tried again every half minute",
                                 why));
    if (const std::string why = error_of("partitions_error"); !why.empty())
        finding.add(degraded,
                    text::format("partitions: {}; what is known of them is old; it is tried again every two "
                                 "seconds: if that does not help, see slurmctld's log",
                                 why));
    if (const std::string why = error_of("records_error"); !why.empty())
        finding.add(degraded, text::format("decisions are not recorded: {}; correct this: it is tried again "
                                           "with the next record",
                                           why));
    for (const auto& rule : failing_rules(report, /*only_warn=*/true))
        finding.add(degraded,
                    text::format("{} failed too often in a row (setting rule_failures) and only warns "
                                 "now: correct it; a change of the rules or settings puts it back in "
                                 "force",
                                 rule.first));
    for (const ordered_json& problem : report.value("conf_problems", ordered_json::array()))
        if (problem.is_string()) finding.add(degraded, "slurm.conf: " + problem.get<std::string>());
}

/// The report that the plugin wrote. Null if there is none.
Result<ordered_json> read_report(const std::filesystem::path& file, const slurmdb::SlurmConf& conf) {
    errno = 0;
    std::ifstream in(file);
    if (!in && errno == ENOENT) return ordered_json();
    if (!in && errno == EACCES)
        return Error{ErrorCode::permission_denied,
                     text::format("{}: {}; ask as {}", file.string(), std::strerror(errno),
                                  conf.slurm_user == "root" ? "root" : "root or " + conf.slurm_user)};
    if (!in)
        return Error{ErrorCode::unavailable, text::format("{}: {}", file.string(), std::strerror(errno))};
    std::ostringstream content;
    content << in.rdbuf();
    ordered_json report = ordered_json::parse(content.str(), nullptr, /*allow_exceptions=*/false);
    if (!report.is_object())
        return Error{ErrorCode::invalid_input, file.string() + ": not a report of the plugin"};
    return report;
}

Result<Finding> examine() {
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return path.error();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    const auto file = std::filesystem::path(conf->state_save_location) / "qosgate_status.json";
    auto report = read_report(file, *conf);
    if (!report) return report.error();
    Finding finding;
    finding.report = *std::move(report);
    if (finding.report.is_null())
        finding.add(not_loaded, names_plugin(*conf) ? text::format("there is no {}; {}", file.string(),
                                                                   describe_slurmctld(*conf))
                                                    : describe_missing_name(*conf));
    else if (auto why = why_not_loaded(finding.report, *conf))
        finding.add(not_loaded, *std::move(why));
    else
        judge(finding, *conf);
    return finding;
}

/// What is known of the candidate; empty: there is no directory `next`.
std::string describe_candidate(const ordered_json& report) {
    const ordered_json candidate = report.value("candidate", ordered_json());
    if (!candidate.is_object()) return "";
    const auto number = [&candidate](const char* key) { return candidate.value(key, std::uint64_t{0}); };
    const ordered_json policy = candidate.value("policy", ordered_json());
    if (const ordered_json error = candidate.value("last_error", ordered_json()); error.is_string())
        return "not loaded: " + text::printable(error.get<std::string>(), 1000);
    if (!policy.is_string())
        return candidate.value("is_testing", false) ? "not loaded: its tests are still running"
                                                    : "not loaded yet";
    return text::format("{} {}, hash {}, loaded {}; compared {}, differing {}, skipped {}", number("rules"),
                        number("rules") == 1 ? "rule" : "rules", policy.get<std::string>(),
                        show_time(candidate.value("loaded_at", ordered_json())), number("compared"),
                        number("differing"), number("skipped"));
}

/// The script for job_submit/lua; empty: there is none.
std::string describe_script(const ordered_json& report) {
    const ordered_json script = report.value("script", ordered_json());
    if (!script.is_object()) return "";
    const auto number = [&script](const char* key) { return script.value(key, std::uint64_t{0}); };
    std::string line = text::format("{}, in force; {} calls, {} failed", script.value("file", "?"),
                                    number("calls"), number("failures"));
    if (number("failures") == 0) return line;
    const ordered_json last = script.value("last_failure", ordered_json());
    return text::format("{}, {} in a row up to now; the last one {}: {}", line, number("failures_in_a_row"),
                        show_time(script.value("last_failure_at", ordered_json())),
                        last.is_string() ? text::printable(last.get<std::string>(), 1000) : "?");
}

/// The users whom the policy asks about; empty: it asks about none.
std::string describe_users(const ordered_json& report) {
    const ordered_json users = report.value("users", ordered_json());
    if (!users.is_object()) return "";
    const ordered_json error = users.value("error", ordered_json());
    return text::format("{} known, read {}{}", users.value("count", std::uint64_t{0}),
                        show_time(users.value("read_at", ordered_json())),
                        error.is_string() ? "; " + text::printable(error.get<std::string>(), 1000) : "");
}

void print(const Finding& finding, std::ostream& out) {
    out << finding.wording().headline << '\n';
    for (const std::string& reason : finding.reasons)
        out << "  " << text::printable(reason, 1000) << '\n';
    if (finding.report.is_null()) return;
    const ordered_json& report = finding.report;
    const auto number = [&report](const char* key) { return report.value(key, std::uint64_t{0}); };
    const std::string candidate = describe_candidate(report);
    const std::string script = describe_script(report);
    const std::string users = describe_users(report);
    out << text::format("As of:      {}\n", show_time(written_at(report)))
        << text::format("Plugin:     {} for Slurm {}, process {} on {}, since {}\n",
                        report.value("version", "?"), report.value("slurm", "?"), number("pid"),
                        report.value("host", "?"), show_time(report.value("started_at", ordered_json())))
        << text::format("Policy:     limits {}, {} {}, hash {}, generation {}, loaded {}{}\n",
                        report.value("limits", "?"), number("rules"), number("rules") == 1 ? "rule" : "rules",
                        report.value("policy", "?"), number("generation"),
                        show_time(report.value("loaded_at", ordered_json())),
                        report.value("is_kept_copy", false) ? ", the copy of an earlier run" : "")
        << text::format("Directory:  {}\n", report.value("policy_folder", "?"))
        << (script.empty() ? "" : text::format("Script:     {}\n", script))
        << (users.empty() ? "" : text::format("Users:      {}\n", users))
        << (candidate.empty() ? "" : text::format("Candidate:  {}\n", candidate))
        << text::format("Partitions: read {}\n",
                        show_time(report.value("partitions_read_at", ordered_json())))
        << text::format(
               "Decisions:  {} jobs and {} changes; refused {}, changed by rules {}, with messages {}, "
               "rule failures {}\n",
               number("jobs"), number("changes"), number("refused"), number("changed_by_rules"),
               number("told"), number("rule_failed"));
    for (const auto& [rule, count] : failing_rules(report, /*only_warn=*/false))
        out << text::format("Failing:    {}: {} {} in a row, up to now\n", text::printable(rule, 200), count,
                            count == 1 ? "failure" : "failures");
}

Result<int> show_status(Output& output) {
    const auto finding = examine();
    if (!finding) return finding.error();
    if (output.json())
        output.write({{"status", finding->wording().name},
                      {"reasons", finding->reasons},
                      {"as_of", written_at(finding->report)},
                      {"plugin", finding->report}});
    else
        print(*finding, output.text());
    return finding->wording().exit_status;
}

} // namespace

void add_status(CLI::App& app, Invocation& invocation) {
    CLI::App* command = add_command(
        app, "status", "Show whether slurmctld has loaded the plugin, and its state",
        "Exit status:\n"
        "  0   in force\n"
        "  1   degraded: it works, but not as configured; each reason is shown with what to do\n"
        "  2   not loaded; or closed: it refuses all jobs but those of root, SlurmUser and operators,\n"
        "      because the site's rules do not load, or their tests have not passed\n"
        "  65  the plugin's report cannot be understood\n"
        "  69  slurm.conf or the report cannot be read\n"
        "  74  the output cannot be written\n"
        "  77  not permitted: ask as root or SlurmUser\n\n"
        "It opens no connection. It reads slurm.conf and the plugin's report in StateSaveLocation: ask on\n"
        "a controller.\n\n"
        "With --json:\n"
        "  status   \"in force\", \"degraded\", \"closed\" or \"not loaded\"\n"
        "  reasons  list of texts: why it is not in force, and what to do\n"
        "  as_of    when the plugin wrote its report, in seconds since 1970; null: there is none\n"
        "  plugin   the report; null: there is none; of a plugin that is not loaded, the last one\n"
        "An error is {\"error\": {\"code\": ..., \"message\": ...}}. The guide running.md\n"
        "describes the report.\n\n"
        "Examples:\n"
        "  qosgate status\n"
        "  qosgate status --json");
    add_json_flag(*command, invocation);
    command->callback([&invocation] { invocation.action = show_status; });
}

} // namespace qg::cli

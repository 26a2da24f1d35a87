// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate status: whether slurmctld has loaded the plugin, and the plugin's state. It reads the plugin's
// files in StateSaveLocation and the directory of rules, and asks the controllers whether they answer if
// there are several, and for the names that rules have.
#include "common/command.hpp"
#include "common/controllers.hpp"
#include "common/directory_problems.hpp"
#include "common/gate_report.hpp"
#include "common/or_null.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/without_gate.h"
#include "qosgate/slurm/plugin_list.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <sys/statvfs.h>
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

/// What the command found and what it means.
struct StatusFinding {
    Standing standing = in_force;
    std::vector<std::string> reasons;         ///< why it is not in force
    GateReport report;                        ///< the plugin's
    std::vector<Controller> controllers = {}; ///< of a cluster with several

    void add(Standing worse, std::string reason) {
        standing = std::max(standing, worse);
        reasons.push_back(std::move(reason));
    }

    const Wording& wording() const { return wordings.at(standing); }
};

/// ", but 'qosgaet'; did you mean qosgate?"
std::string hint_for_misspelt(const slurmdb::SlurmConf& conf) {
    const std::string own[] = {"qosgate", "job_submit/qosgate"};
    for (const std::string_view name : text::split(conf.job_submit_plugins, ','))
        if (const std::string hint = text::did_you_mean(name, own); !hint.empty())
            return text::format(", but {}{}", text::quoted(name, 64), hint);
    return "";
}

/// Why slurm.conf does not load the plugin.
std::string describe_missing_name(const slurmdb::SlurmConf& conf) {
    const std::string_view clients =
        slurm::loads_qosgate(conf.cli_filter_plugins)
            ? "; clients load qosgate (CliFilterPlugins), and that is not looked at here"
            : "";
    return text::format("{}: JobSubmitPlugins does not name qosgate{}{}", conf.path.string(),
                        hint_for_misspelt(conf), clients);
}

/// The process id of the slurmctld that runs on this host, by its pid file. Empty if none runs or if that is
/// not known.
std::optional<pid_t> find_slurmctld(const slurmdb::SlurmConf& conf) {
    pid_t process = 0;
    std::string name;
    if (!(std::ifstream(conf.slurmctld_pid_file) >> process)) return std::nullopt;
    if (!(std::ifstream(text::format("/proc/{}/comm", process)) >> name)) return std::nullopt;
    const bool is_alive = process_start(process).has_value(); // a zombie has a name, too
    return name == "slurmctld" && is_alive ? std::optional(process) : std::nullopt;
}

constexpr std::string_view plugin_file = "job_submit_qosgate.so";

/// The directories where slurmctld looks for the plugin, if its file is in none of them; empty: it is there,
/// or that is not known.
std::string find_missing_file(const slurmdb::SlurmConf& conf) {
    const std::string directories = conf.plugin_dir.empty() ? QG_SLURM_PLUGIN_DIR : conf.plugin_dir;
    for (const std::string_view directory : text::split(directories, ':')) {
        std::error_code problem;
        if (std::filesystem::exists(std::filesystem::path(directory) / plugin_file, problem) || problem)
            return {};
    }
    return directories;
}

/// What a process has of the plugin in its memory.
struct MappedPlugin {
    bool loader = false;
    bool gate = false; ///< for its branch of Slurm
};

MappedPlugin find_mapped_plugin(pid_t process) {
    MappedPlugin found;
    std::ifstream maps(text::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);) {
        found.loader = found.loader || line.find(text::format("/{}", plugin_file)) != std::string::npos;
        found.gate = found.gate || line.find("/qosgate/job_submit-") != std::string::npos;
    }
    return found;
}

/// Whether the plugin cannot write its report there for want of room.
bool is_full(const std::string& directory) {
    constexpr std::uint64_t enough_bytes = 65'536;
    struct statvfs space {};
    if (statvfs(directory.c_str(), &space) != 0) return false;
    return std::uint64_t{space.f_bavail} * space.f_frsize < enough_bytes ||
           (space.f_files > 0 && space.f_favail == 0);
}

/// Why a report is not written, as far as it is seen, and what to do.
std::string describe_unwritten(const slurmdb::SlurmConf& conf) {
    return is_full(conf.state_save_location)
               ? text::format("StateSaveLocation {} is full: make room there", conf.state_save_location)
               : text::format("slurmctld's log says whether it cannot write into {}",
                              conf.state_save_location);
}

/// The standbys that answer, "head2, head3", while none is in charge.
std::string find_ready(const std::vector<Controller>& controllers) {
    std::vector<std::string> ready;
    for (const Controller& controller : controllers)
        if (!controller.is_in_charge && controller.answers == true) ready.push_back(controller.host);
    return text::join(ready, ", ");
}

/// The reason why no slurmctld of this host has the plugin that slurm.conf names, and what to do.
std::string describe_slurmctld(const slurmdb::SlurmConf& conf, const std::vector<Controller>& controllers) {
    constexpr std::string_view how = "run scontrol reconfigure; if that does not help, slurmctld's log says "
                                     "why it has not loaded the plugin";
    if (const auto process = find_slurmctld(conf))
        return text::format("slurmctld runs without the plugin, as process {}: {}", *process, how);
    if (const std::string ready = find_ready(controllers); !ready.empty())
        return text::format("no slurmctld has reported that it is in charge; {} answers, and takes over when "
                            "SlurmctldTimeout has passed",
                            ready);
    return text::format(
        "slurmctld does not run on this host, or it runs without the plugin: start it or, if it runs, {}",
        how);
}

std::string show_time(std::optional<double> seconds) {
    return seconds ? text::local_time(static_cast<std::time_t>(*seconds)) : "never";
}

std::string show_problem(const std::string& problem) {
    return text::printable(problem, 1000);
}

/// What to do about a report of another host that is not of now.
constexpr std::string_view look_there =
    "compare the clocks of both hosts, and look there whether it runs, and into its log";

/// Why no slurmctld has the plugin, which slurm.conf names.
std::string why_not_loaded(const StatusFinding& finding, const slurmdb::SlurmConf& conf) {
    using Writer = GateReport::Writer;
    const GateReport& report = finding.report;
    const Writer writer = report.find_writer(std::time(nullptr));
    if (writer == Writer::in_future)
        return text::format("the report of slurmctld on {} is of {}, which is still to come: {}",
                            report.text("host", "?"), show_time(report.number("written_at")), look_there);
    if (writer == Writer::silent)
        return text::format("slurmctld on {} has not reported since {}: {}", report.text("host", "?"),
                            show_time(report.number("written_at")), look_there);
    if (const std::string directories = find_missing_file(conf); !directories.empty())
        return text::format(
            "no job is accepted by a slurmctld that has read this slurm.conf, and none starts "
            "with it: JobSubmitPlugins names qosgate, and PluginDir ({}) has no {}; install the "
            "file, or take the name out, and run scontrol reconfigure",
            directories, plugin_file);
    const std::string what =
        writer == Writer::absent
            ? text::format("there is no {}", GateReport::file_in(conf.state_save_location).string())
            : text::format("the slurmctld that had it, process {}, is gone", report.count("pid"));
    return text::format("{}; {}", what, describe_slurmctld(conf, finding.controllers));
}

/// The slurmctld of this host that has loaded the plugin and cannot write its report; empty: none is seen.
std::optional<pid_t> find_mute_slurmctld(const slurmdb::SlurmConf& conf) {
    const auto process = find_slurmctld(conf);
    const bool is_mute = process && slurm::loads_qosgate(conf.job_submit_plugins) &&
                         is_full(conf.state_save_location) && find_mapped_plugin(*process).gate;
    return is_mute ? process : std::nullopt;
}

/// Whether slurmctld has just started on this host, so that its first report may be a moment away.
bool is_starting(const slurmdb::SlurmConf& conf) {
    constexpr std::chrono::seconds first_report{5};
    const auto process = slurm::loads_qosgate(conf.job_submit_plugins) ? find_slurmctld(conf) : std::nullopt;
    const auto age = process ? process_age(*process) : std::nullopt;
    return age && *age < first_report;
}

/// The plugin's report, which a slurmctld that has just started is given some seconds to write.
Result<GateReport> read_report(const slurmdb::SlurmConf& conf) {
    constexpr std::chrono::milliseconds look_interval{100};
    while (true) {
        auto report = GateReport::read(conf.state_save_location);
        if (!report || report->is_loaded(std::time(nullptr)) || !is_starting(conf)) return report;
        std::this_thread::sleep_for(look_interval);
    }
}

/// The slurmctld of this host that has loaded the plugin, which has no gate that it may call; empty: none is
/// seen.
std::optional<pid_t> find_inert_slurmctld(const slurmdb::SlurmConf& conf) {
    const auto process = slurm::loads_qosgate(conf.job_submit_plugins) ? find_slurmctld(conf) : std::nullopt;
    const MappedPlugin plugin = process ? find_mapped_plugin(*process) : MappedPlugin();
    return plugin.loader && !plugin.gate ? process : std::nullopt;
}

std::string describe_inert(pid_t process, bool refuses) {
    return text::format(
        "slurmctld, process {}, has loaded the plugin, which has no gate that it may call: {}; "
        "slurmctld's log says why: install the gate of this branch, and restart slurmctld "
        "(\"{}\" in the file qosgate-without-gate beside slurm.conf {} until then, if "
        "SlurmUser can read it)",
        process,
        refuses ? "all jobs are refused, but for those of root, SlurmUser and operators"
                : "all jobs pass unchecked",
        refuses ? "pass" : "refuse", refuses ? "lets jobs pass" : "refuses jobs");
}

/// Judges a report that no running slurmctld has written.
void judge_not_loaded(StatusFinding& finding, const slurmdb::SlurmConf& conf) {
    if (const auto inert = find_inert_slurmctld(conf))
        finding.add(not_loaded, describe_inert(*inert, qosgate_refuses_without_gate(conf.path.c_str())));
    else if (const auto process = find_mute_slurmctld(conf))
        finding.add(degraded,
                    text::format("slurmctld, process {}, has loaded the plugin and cannot report, so "
                                 "what is in force is not known: {}",
                                 *process, describe_unwritten(conf)));
    else if (!slurm::loads_qosgate(conf.job_submit_plugins))
        finding.add(not_loaded, describe_missing_name(conf));
    else
        finding.add(not_loaded, why_not_loaded(finding, conf));
}

/// From so many failures in a row up to now, a rule or the script is broken rather than unlucky with a job.
constexpr std::uint64_t failures_of_broken = 3;

struct FailingRule {
    std::string name; ///< "rule 'x' (10-x.lua)"
    std::uint64_t failures_in_a_row;
    bool only_warns; ///< it was switched to warn because of them
};

std::vector<FailingRule> failing_rules(const GateReport& report) {
    std::vector<FailingRule> found;
    for (const ReportPart& rule : report.parts("failing_rules"))
        found.push_back({text::format("rule '{}' ({})", rule.text("rule", "?"), rule.text("file", "?")),
                         rule.count("failures_in_a_row"), rule.flag("only_warns")});
    return found;
}

/// Why the directory of rules is not in force: the error of slurmctld, which stops at the first, and all else
/// that keeps the directory from loading.
void judge_policy(StatusFinding& finding, const std::string& why) {
    constexpr std::size_t max_others = 20;
    const GateReport& report = finding.report;
    const bool is_closed = report.text("standing") == "closed";
    const bool is_testing = report.flag("is_testing");
    const auto problems = is_testing || !report.is_of_this_host()
                              ? DirectoryProblems()
                              : find_problems(report.text("policy_directory"), why);
    std::string what_to_do = is_testing ? "what is in the directory comes into force when they have passed"
                                        : "correct this: slurmctld reads it again within two seconds";
    if (problems.confirms_error) what_to_do += ", and then runs further checks and the tests";
    const Standing standing = is_closed ? closed : degraded;
    finding.add(standing, text::format("policy: {}; {}{}", why, what_to_do,
                                       is_closed ? "" : ", and until then the policy below stays in force"));
    for (std::size_t i = 0; i < problems.others.size() && i < max_others; ++i)
        finding.add(standing, text::format("policy: {}; correct this, too", problems.others[i]));
    if (problems.others.size() > max_others)
        finding.add(standing, text::format("policy: and {} more: 'qosgate policy check' names all",
                                           problems.others.size() - max_others));
}

/// Names in the rules in force that the cluster does not have: most such rules refuse jobs, or never match.
void judge_names(StatusFinding& finding) {
    constexpr std::size_t max_names = 20;
    const GateReport& report = finding.report;
    if (!report.is_of_this_host() || report.flag("is_testing") || !report.text("last_error").empty()) return;
    const auto unknown = find_unknown_names(report.text("policy_directory"));
    if (!unknown) {
        if (finding.standing != in_force) return; // what is wrong there may be the reason
        finding.add(degraded,
                    text::format("slurmctld runs, as process {}, and cannot be asked which names it has: "
                                 "{}; so those in the rules were not compared",
                                 report.count("pid"), unknown.error().message));
        return;
    }
    for (std::size_t i = 0; i < unknown->size() && i < max_names; ++i)
        finding.add(degraded, text::format("policy: {}", (*unknown)[i]));
    if (unknown->size() > max_names)
        finding.add(degraded, text::format("policy: and {} more: 'qosgate policy check' names all",
                                           unknown->size() - max_names));
}

/// Whether the report tells what is in force now.
void judge_report(StatusFinding& finding, const slurmdb::SlurmConf& conf) {
    const GateReport& report = finding.report;
    if (report.find_writer(std::time(nullptr)) == GateReport::Writer::late) {
        finding.add(degraded,
                    text::format("slurmctld runs, as process {}, but its report is of {}, and it writes "
                                 "one each half minute: what is shown here may be old; {}",
                                 report.count("pid"), show_time(report.number("written_at")),
                                 describe_unwritten(conf)));
        return;
    }
    if (!report.is_of_this_host() || report.flag("is_testing") || !report.text("last_error").empty()) return;
    const auto hash = find_settled_hash(report.text("policy_directory"));
    if (hash && *hash != report.text("policy"))
        finding.add(degraded,
                    text::format("policy: the directory has had other rules for some seconds (hash {}) "
                                 "than the report says are in force: what is shown here may be old; {}",
                                 *hash, describe_unwritten(conf)));
}

/// What is wrong with a plugin that is loaded, and what to do.
void judge_loaded(StatusFinding& finding, const slurmdb::SlurmConf& conf) {
    const GateReport& report = finding.report;
    judge_report(finding, conf);
    if (report.has("is_compared") && !report.flag("is_compared"))
        finding.add(degraded,
                    text::format("Slurm {} was not compared with the releases that qosgate knows: its limits "
                                 "may be others; a newer qosgate says more",
                                 report.text("slurm", "?")));
    if (report.is_of_this_host() && slurm::loads_qosgate(conf.job_submit_plugins))
        if (const std::string directories = find_missing_file(conf); !directories.empty())
            finding.add(degraded,
                        text::format("slurmctld does not start again, because PluginDir ({}) has no {}: "
                                     "install it before the next restart",
                                     directories, plugin_file));
    if (!slurm::loads_qosgate(conf.job_submit_plugins))
        finding.add(degraded,
                    text::format("it is in force now, but not after the next restart or reconfigure "
                                 "of slurmctld: {}",
                                 describe_missing_name(conf)));
    if (const std::string why = report.text("last_error"); !why.empty()) judge_policy(finding, why);
    if (const std::string why = report.text("keep_error"); !why.empty())
        finding.add(degraded,
                    text::format("a restart would not find the policy in force: {}; correct this: it "
                                 "is tried again every half minute",
                                 why));
    if (const std::string why = report.text("partitions_error"); !why.empty())
        finding.add(degraded,
                    text::format("partitions: {}; what is known of them is old; it is tried again every two "
                                 "seconds: if that does not help, see slurmctld's log",
                                 why));
    if (const std::string why = report.text("records_error"); !why.empty())
        finding.add(degraded, text::format("decisions are not recorded: {}; correct this: it is tried again "
                                           "with the next record",
                                           why));
    for (const auto& [rule, count, only_warns] : failing_rules(report))
        if (only_warns)
            finding.add(degraded,
                        text::format("{} failed too often in a row (setting rule_failures) and only warns "
                                     "now: correct it; a change of the rules or settings puts it back in "
                                     "force",
                                     rule));
        else if (count >= failures_of_broken)
            finding.add(degraded,
                        text::format("{} has failed {} times in a row, up to now: slurmctld's log has "
                                     "each failure; correct the rule",
                                     rule, count));
    const ReportPart script = report.part("script");
    if (const std::uint64_t count = script.count("failures_in_a_row"); count >= failures_of_broken)
        finding.add(degraded,
                    text::format("the script {} has failed {} times in a row, up to now: {}; correct it",
                                 script.text("file", "?"), count, script.text("last_failure", "?")));
    judge_names(finding);
    for (const std::string& problem : report.texts("conf_problems"))
        finding.add(degraded, "slurm.conf: " + problem);
}

Result<StatusFinding> examine_plugin() {
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return path.error();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    auto report = read_report(*conf);
    if (!report && report.error().code == ErrorCode::permission_denied)
        return Error{ErrorCode::permission_denied,
                     text::format("{}; ask as {}", report.error().message,
                                  conf->slurm_user == "root" ? "root" : "root or " + conf->slurm_user)};
    if (!report) return report.error();
    StatusFinding finding;
    finding.report = *std::move(report);
    const std::time_t now = std::time(nullptr);
    finding.controllers = look_at_controllers(*conf, finding.report, now);
    if (finding.report.is_loaded(now))
        judge_loaded(finding, *conf);
    else
        judge_not_loaded(finding, *conf);
    if (finding.report.is_loaded(now))
        if (std::string changed = find_changed_rules(finding.controllers, finding.report); !changed.empty())
            finding.add(degraded, std::move(changed));
    for (const Controller& controller : finding.controllers)
        if (controller.is_standby())
            for (std::string& problem : find_standby_problems(controller, finding.report))
                finding.add(degraded, std::move(problem));
    return finding;
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

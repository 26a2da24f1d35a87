// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/status_finding.hpp"

#include "common/directory_problems.hpp"
#include "report/plugin_presence.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/plugin_list.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <array>
#include <ctime>

namespace qg::cli {
namespace {

constexpr std::array<Wording, 4> wordings{{
    {"in force", "qosgate is in force", 0},
    {"degraded", "qosgate is degraded", 1},
    {"closed",
     "qosgate refuses all jobs but those of root, SlurmUser and operators: the site's rules do not load, or "
     "their tests have not passed",
     2},
    {"not loaded", "qosgate is not loaded", 2},
}};

/// From so many failures in a row up to now, a rule or the script is broken rather than unlucky with a job.
constexpr std::uint64_t failures_of_broken = 3;

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

} // namespace

const Wording& StatusFinding::wording() const {
    return wordings.at(standing);
}

std::vector<FailingRule> failing_rules(const GateReport& report) {
    std::vector<FailingRule> found;
    for (const ReportPart& rule : report.parts("failing_rules"))
        found.push_back({text::format("rule '{}' ({})", rule.text("rule", "?"), rule.text("file", "?")),
                         rule.count("failures_in_a_row"), rule.flag("only_warns")});
    return found;
}

std::string show_time(std::optional<double> seconds) {
    return seconds ? text::local_time(static_cast<std::time_t>(*seconds)) : "never";
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

} // namespace qg::cli

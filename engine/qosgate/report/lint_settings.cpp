// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint that compare slurm.conf, and names in rules, with what is set.
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <algorithm>
#include <set>

namespace qg::report::lint {
namespace {

constexpr std::string_view multifactor = "priority/multifactor";
constexpr std::string_view preempt_qos = "preempt/qos";

/// Whether any limit for which `is_meant(facts)` is true is set somewhere, and the owners that set one.
template <typename IsMeant>
std::vector<std::string> owners_of(const LintInput& input, IsMeant is_meant) {
    std::vector<std::string> owners;
    const auto has = [&](const std::vector<SetLimit>& limits) {
        return std::ranges::any_of(limits, [&](const SetLimit& limit) { return is_meant(*limit.facts); });
    };
    for (const model::QosRecord& qos : input.qos)
        if (has(limits_of(qos))) owners.push_back(owner(qos));
    for (const LintAssociation& association : input.associations)
        if (has(limits_of(association, *input.tres))) owners.push_back(name_of(association));
    return owners;
}

/// The owners of limits of the past that jobs may use up: past_never_used_up() tells the others.
std::vector<std::string> owners_of_past(LintInput input) {
    std::erase_if(input.qos, [&](const model::QosRecord& qos) { return is_past_never_used_up(input, qos); });
    return owners_of(input, [](const model::LimitFacts& facts) { return facts.counts_the_past(); });
}

/// AccountingStorageEnforce with one value more.
std::vector<ConfLine> enforce_line(const model::ClusterSettings& settings, std::string_view more) {
    const model::Enforce& enforce = settings.enforce;
    std::vector<std::string> values{"associations"};
    values.insert(values.end(), settings.enforce_others.begin(), settings.enforce_others.end());
    const auto add = [&](std::string_view value, bool is_set) {
        if (is_set || value == more) values.emplace_back(value);
    };
    add("limits", enforce.limits || more == "safe");
    add("qos", enforce.qos);
    add("safe", enforce.safe);
    return {{.key = "AccountingStorageEnforce", .values = std::move(values)}};
}

} // namespace

void limits_not_enforced(const LintInput& input, Findings& findings) {
    if (input.settings.enforce.limits) return;
    auto owners = owners_of(input, [](const model::LimitFacts&) { return true; });
    if (owners.empty()) return;
    findings.set(
        "slurm.conf",
        text::format("AccountingStorageEnforce does not have 'limits', so nothing enforces the limits "
                     "of {}",
                     text::list_names(owners)),
        enforce_line(input.settings, "limits"));
}

void qos_not_enforced(const LintInput& input, Findings& findings) {
    if (input.settings.enforce.qos) return;
    const auto lacks_one = [&](const LintAssociation& association) {
        return association.level == model::AssociationLevel::user && association.qos &&
               !association.qos->empty() && association.qos->size() < input.qos.size();
    };
    if (std::ranges::none_of(input.associations, lacks_one)) return;
    findings.set(
        "slurm.conf",
        "AccountingStorageEnforce does not have 'qos', so every user may use every QOS, whatever their "
        "associations list",
        enforce_line(input.settings, "qos"));
}

void not_safe(const LintInput& input, Findings& findings) {
    if (!input.settings.enforce.limits || input.settings.enforce.safe) return;
    auto owners = owners_of_past(input);
    if (owners.empty()) return;
    findings.set(
        "slurm.conf",
        text::format("AccountingStorageEnforce does not have 'safe', so jobs start that cannot end "
                     "within GrpTRESMins or GrpWall of {}, and slurmctld ends them when that is used up",
                     text::list_names(owners)),
        enforce_line(input.settings, "safe"));
}

void past_not_counted(const LintInput& input, Findings& findings) {
    if (input.settings.priority_type == multifactor) return;
    auto owners = owners_of(input, [](const model::LimitFacts& facts) { return facts.counts_the_past(); });
    if (owners.empty()) return;
    findings.set("slurm.conf",
                 text::format("PriorityType is {}, which counts no usage of ended jobs, so GrpTRESMins and "
                              "GrpWall of {} are never used up",
                              text::printable(input.settings.priority_type), text::list_names(owners)),
                 {{.key = "PriorityType", .values = {std::string(multifactor)}}});
}

void priority_ignored(const LintInput& input, Findings& findings) {
    const bool is_multifactor = input.settings.priority_type == multifactor;
    if (is_multifactor && input.settings.priority_weight_qos != 0) return;
    std::vector<std::string> names;
    for (const model::QosRecord& qos : input.qos)
        if (qos.priority != 0) names.push_back(text::printable(qos.name));
    if (names.empty()) return;
    std::vector<ConfLine> lines;
    if (!is_multifactor) lines.push_back({.key = "PriorityType", .values = {std::string(multifactor)}});
    if (input.settings.priority_weight_qos == 0)
        lines.push_back({.key = "PriorityWeightQOS", .values = {"1000"}, .needs_restart = false});
    findings.set("slurm.conf",
                 text::format("{}, so Priority of QOS {} does not change the priority of a job",
                              is_multifactor
                                  ? "PriorityWeightQOS is 0"
                                  : "PriorityType is " + text::printable(input.settings.priority_type),
                              text::list_names(names)),
                 std::move(lines));
}

void tres_not_tracked(const LintInput& input, Findings& findings) {
    const auto built_in = model::TresCatalogue::built_in();
    for (const model::QosRecord& qos : input.qos) {
        std::vector<std::string> limits;
        std::set<std::string> missing;
        for (const SetLimit& limit : limits_of(qos)) {
            if (limit.tres.empty() || is_tracked(input, limit.tres)) continue;
            limits.push_back(limit.text());
            missing.insert(limit.tres);
        }
        if (limits.empty()) continue;
        std::vector<std::string> line;
        for (const std::string& tres : input.settings.tres)
            if (!built_in->find(tres)) line.push_back(tres);
        line.insert(line.end(), missing.begin(), missing.end());
        findings.set(qos,
                     text::format("AccountingStorageTRES does not have {}, so slurmctld ignores {}",
                                  text::list_names(std::vector(missing.begin(), missing.end())),
                                  text::list_names(limits)),
                     {{.key = "AccountingStorageTRES", .values = std::move(line)}});
    }
}

void preemption_ignored(const LintInput& input, Findings& findings) {
    if (input.settings.preempt_type == preempt_qos) return;
    const bool is_by_partition = input.settings.preempt_type == "preempt/partition_prio";
    std::vector<ConfLine> lines{{.key = "PreemptType", .values = {std::string(preempt_qos)}}};
    // slurmctld does not start with PreemptType and without PreemptMode. This mode loses no job.
    if (!is_by_partition) lines.push_back({.key = "PreemptMode", .values = {"REQUEUE"}});
    for (const model::QosRecord& qos : input.qos) {
        std::vector<std::string> fields;
        for (const std::string_view name : {"Preempt", "PreemptMode", "GraceTime", "PreemptExemptTime"}) {
            if (is_by_partition && name == "PreemptExemptTime") continue; // that counts there, too
            const auto match = model::get_qos_field(name);
            if (!match || !model::is_set(*match->field, qos)) continue;
            fields.emplace_back(name);
        }
        if (fields.empty()) continue;
        findings.set(
            qos,
            text::format("PreemptType is {}, which ignores {} of a QOS; PreemptType=preempt/qos would not",
                         text::printable(input.settings.preempt_type), text::list_names(fields)),
            lines);
    }
}

void gang_missing(const LintInput& input, Findings& findings) {
    if (input.settings.preempt_type != preempt_qos || input.settings.has_gang) return;
    for (const model::QosRecord& qos : input.qos) {
        if (!qos.preempt_mode.contains("SUSPEND") && !qos.preempt_mode.contains("GANG")) continue;
        findings.advise(
            qos,
            text::format("its jobs are never preempted: PreemptMode={} needs GANG in PreemptMode of "
                         "slurm.conf, which resumes suspended jobs",
                         text::join(std::vector(qos.preempt_mode.begin(), qos.preempt_mode.end()), ",")),
            "add GANG to PreemptMode in slurm.conf and restart slurmctld, or let it have the "
            "cluster's own mode",
            "PreemptMode=unset");
    }
}

void run_minutes_ignored(const LintInput& input, Findings& findings) {
    if (input.release.follows(limits::rules::enforces_run_mins)) return;
    for (const model::QosRecord& qos : input.qos)
        for (const SetLimit& limit : limits_of(qos)) {
            const bool is_ignored = limit.facts->measure == model::LimitMeasure::tres_run_minutes &&
                                    limit.facts->scope != model::LimitScope::group;
            if (!is_ignored) continue;
            findings.change(qos,
                            text::format("{} counts only since Slurm 24.05; this is {}", limit.text(),
                                         input.release.branch()),
                            limit.unset_text());
        }
}

void rules_name_unknown(const LintInput& input, Findings& findings) {
    for (const policy::Finding& unknown : input.unknown_in_rules)
        findings.advise(text::format("{}:{}", unknown.file, unknown.line), unknown.message,
                        "correct it; 'qosgate policy check' finds it, too");
}

} // namespace qg::report::lint

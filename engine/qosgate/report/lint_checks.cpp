// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/lint_checks.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace qg::report {
namespace {

constexpr LintCheck checks[] = {
    {"limits-not-enforced", "limits are set, and AccountingStorageEnforce has no 'limits'",
     lint::limits_not_enforced},
    {"qos-not-enforced", "QOSs are given to some users only, and AccountingStorageEnforce has no 'qos'",
     lint::qos_not_enforced},
    {"not-safe", "GrpTRESMins or GrpWall without 'safe': running jobs are ended when it is used up",
     lint::not_safe},
    {"past-not-counted", "GrpTRESMins or GrpWall without priority/multifactor: nothing counts as used",
     lint::past_not_counted},
    {"priority-ignored", "QOSs have different priorities, and no weight counts them", lint::priority_ignored},
    {"tres-not-tracked", "a limit of a TRES that AccountingStorageTRES does not have",
     lint::tres_not_tracked},
    {"preemption-ignored", "fields of a QOS for preemption, without PreemptType=preempt/qos",
     lint::preemption_ignored},
    {"gang-missing", "PreemptMode SUSPEND or GANG of a QOS, without GANG in slurm.conf", lint::gang_missing},
    {"preemption-loop", "QOSs that may preempt each other", lint::preemption_loop, LintScope::records},
    {"run-minutes-ignored", "MaxTRESRunMins... before Slurm 24.05", lint::run_minutes_ignored},
    {"limit-never-binds", "a limit per job, user or account above that of all", lint::limit_never_binds,
     LintScope::records},
    {"limit-above-cluster", "a limit of a QOS above what the cluster, a partition or a node has",
     lint::limit_above_cluster},
    {"past-never-used-up", "GrpTRESMins or GrpWall of a QOS with UsageFactor=0", lint::past_never_used_up},
    {"group-above-parent", "a Grp limit of an association above that of an account above it",
     lint::group_above_parent},
    {"maximum-above-group", "a Max limit of users above the Grp limit of an account above them",
     lint::maximum_above_group},
    {"default-time-above-wall", "DefaultTime of a partition above MaxWall: jobs without --time break it",
     lint::default_time_above_wall},
    {"default-memory-above-limit", "a limit of memory below what jobs without --mem get",
     lint::default_memory_above_limit},
    {"wall-above-partitions", "MaxWall above MaxTime of every partition", lint::wall_above_partitions},
    {"zero-limit", "a limit of a QOS that is zero: it allows no job", lint::zero_limit, LintScope::at_once},
    {"zero-association-limit", "a limit of an account or user that is zero: it allows no job",
     lint::zero_association_limit},
    {"minimum-above-maximum", "a minimum above a maximum: no job can meet both", lint::minimum_above_maximum,
     LintScope::at_once},
    {"typed-limit-alone", "a limit of one type of GPU, and none of all types: jobs that name no type pass it",
     lint::typed_limit_alone, LintScope::at_once},
    {"typed-association-limit-alone", "the same of an account or user", lint::typed_association_limit_alone},
    {"minimum-above-partitions", "a minimum that no partition has", lint::minimum_above_partitions},
    {"hidden-by-partition", "a limit of a QOS that the higher one of a partition's QOS replaces",
     lint::hidden_by_partition},
    {"contradicts-partition", "limits of a QOS and of a partition's QOS that no job can meet together",
     lint::contradicts_partition},
    {"partition-names-unknown-qos", "AllowQos or DenyQos names a QOS that does not exist",
     lint::partition_names_unknown_qos},
    {"partition-names-unknown-account", "AllowAccounts or DenyAccounts names an account that does not exist",
     lint::partition_names_unknown_account},
    {"rules-name-unknown", "rules name a QOS, partition, account, feature or license that does not exist",
     lint::rules_name_unknown},
    {"deny-list-ignored", "DenyQos beside AllowQos", lint::deny_list_ignored},
    {"qos-unused", "a QOS that nobody may use", lint::qos_unused},
    {"no-default-qos", "users whose jobs without --qos are refused", lint::no_default_qos},
    {"default-qos-not-admitted", "users whose default QOS the default partition does not accept",
     lint::default_qos_not_admitted},
    {"flag-without-effect", "a flag of a QOS that changes nothing here", lint::flag_without_effect},
    {"relative-above-hundred", "a limit above 100 percent of a QOS with the flag Relative",
     lint::relative_above_hundred, LintScope::records},
    {"relative-of-jobs", "a QOS with the flag Relative of a partition that is also another's or used by jobs",
     lint::relative_of_jobs},
    {"deny-on-limit-missing", "limits that jobs can never meet, without the flag DenyOnLimit",
     lint::deny_on_limit_missing, LintScope::records},
    {"no-reserve-not-preempted", "the flag NoReserve of a QOS that no other may preempt",
     lint::no_reserve_not_preempted},
    {"preempts-nobody", "Preempt names a QOS that nobody may use", lint::preempts_nobody},
    {"normal-changed", "fields of QOS normal, which every account has that names no other QOS",
     lint::normal_changed, LintScope::records},
    {"normal-missing", "QOS normal is deleted", lint::normal_missing},
    {"threshold-without-flag", "UsageThreshold without the flag EnforceUsageThreshold",
     lint::threshold_without_flag, LintScope::records},
};

/// Without control characters: a shell or a terminal may read it.
std::string one_line(const std::string& text) {
    return text::printable(text, std::string::npos);
}

/// Adds those that are not among them.
void merge(std::vector<std::string>& values, const std::vector<std::string>& more) {
    for (const std::string& value : more)
        if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

/// Writes the cures that are lines of slurm.conf. slurmctld takes one line of each key.
void write_conf_cures(std::vector<Finding>& findings) {
    std::map<std::string, std::vector<std::string>> values;
    for (const Finding& finding : findings)
        for (const ConfLine& line : finding.conf)
            merge(values[line.key], line.values);
    for (Finding& finding : findings) {
        if (finding.conf.empty()) continue;
        for (const ConfLine& line : finding.conf)
            finding.cure += text::format("{}# slurm.conf: {}={}", finding.cure.empty() ? "" : "\n", line.key,
                                         one_line(text::join(values.at(line.key), ",")));
        finding.cure += std::ranges::any_of(finding.conf, &ConfLine::needs_restart)
                            ? "; then restart slurmctld"
                            : "; then: scontrol reconfigure";
    }
}

} // namespace

std::span<const LintCheck> lint_checks() {
    return checks;
}

std::vector<Finding> find_problems(const LintInput& input, std::span<const std::string> ignored,
                                   LintScope scope) {
    std::vector<Finding> all;
    for (const LintCheck& check : checks) {
        const bool is_left_out =
            check.scope > scope || std::ranges::find(ignored, check.code) != ignored.end();
        if (is_left_out) continue;
        Findings findings(check.code, all);
        check.find(input, findings);
    }
    write_conf_cures(all);
    return all;
}

std::vector<Finding> find_new_mistakes(std::vector<model::QosRecord> before,
                                       std::vector<model::QosRecord> after) {
    const auto find = [](std::vector<model::QosRecord> records) {
        LintInput input;
        input.qos = std::move(records);
        return find_problems(input, {}, LintScope::at_once);
    };
    const auto key = [](const Finding& each) { return std::tie(each.code, each.qos, each.text); };
    const std::vector<Finding> old = find(std::move(before));
    std::set<std::tuple<std::string_view, std::string, std::string>> known;
    for (const Finding& each : old)
        known.insert(key(each));
    std::vector<Finding> found = find(std::move(after));
    std::erase_if(found, [&](const Finding& each) { return known.contains(key(each)); });
    return found;
}

std::string warning_of(const Finding& finding) {
    const std::string_view cure = finding.cure;
    return text::format("{}: {}; {}", finding.where, finding.text,
                        cure.starts_with("# ") ? cure.substr(2) : cure);
}

Result<void> check_codes(std::span<const std::string> codes) {
    std::vector<std::string> known;
    for (const LintCheck& check : checks)
        known.emplace_back(check.code);
    for (const std::string& code : codes)
        if (std::ranges::find(known, code) == known.end())
            return Error{ErrorCode::not_found,
                         text::format("there is no check {}{}; 'qosgate lint --help' lists them",
                                      text::quoted(code, 64), text::did_you_mean(code, known))};
    return {};
}

std::string list_checks() {
    std::size_t width = 0;
    for (const LintCheck& check : checks)
        width = std::max(width, check.code.size());
    std::string list;
    for (const LintCheck& check : checks)
        list += text::format("  {:<{}}  {}\n", check.code, width, check.title);
    return list;
}

void Findings::add(const std::string& where, const std::string& text, const std::string& cure) {
    all_.push_back({.code = code_, .where = one_line(where), .text = one_line(text), .cure = one_line(cure)});
}

void Findings::advise(const std::string& where, const std::string& text, const std::string& advice) {
    add(where, text, "# " + advice);
}

void Findings::set(const std::string& where, const std::string& text, std::vector<ConfLine> lines) {
    add(where, text, {});
    all_.back().conf = std::move(lines);
}

void Findings::add(const model::QosRecord& qos, const std::string& text, const std::string& cure) {
    add(owner(qos), text, cure);
    all_.back().qos = qos.name;
}

void Findings::advise(const model::QosRecord& qos, const std::string& text, const std::string& advice,
                      const std::string& assignment) {
    const std::string command = assignment.empty() ? "" : ": " + update_qos(qos.name, assignment);
    add(qos, text, "# " + advice + command);
    all_.back().assignment = assignment;
    all_.back().advice = one_line(advice);
}

void Findings::set(const model::QosRecord& qos, const std::string& text, std::vector<ConfLine> lines) {
    set(owner(qos), text, std::move(lines));
    all_.back().qos = qos.name;
}

void Findings::change(const model::QosRecord& qos, const std::string& text, const std::string& assignment) {
    add(qos, text, update_qos(qos.name, assignment));
    all_.back().assignment = assignment;
}

std::vector<SetLimit> limits_of(const model::QosRecord& qos) {
    std::vector<SetLimit> set;
    for (const model::LimitFacts& facts : model::limit_facts) {
        if (!facts.is_of_qos()) continue;
        const auto match = model::get_qos_field(facts.name);
        if (!match) continue; // limits and fields have the same names
        const model::FieldValue value = model::get_field(*match->field, qos);
        if (const auto* number = std::get_if<std::uint32_t>(&value))
            set.push_back({.facts = &facts, .value = *number});
        if (const auto* amounts = std::get_if<model::TresLimits>(&value))
            for (const auto& [tres, amount] : *amounts)
                set.push_back({.facts = &facts, .tres = tres, .value = amount});
    }
    return set;
}

std::vector<SetLimit> effective_limits_of(const LintAssociation& association,
                                          const model::TresCatalogue& tres) {
    auto set = limits::find_set_limits(association.limits, tres);
    std::erase_if(set, [](const SetLimit& limit) { return !limit.facts->is_of_association(); });
    return set;
}

std::vector<SetLimit> limits_of(const LintAssociation& association, const model::TresCatalogue& tres) {
    auto own = effective_limits_of(association, tres);
    std::erase_if(own, [](const SetLimit& limit) { return limit.facts->is_of_users_alone(); });
    return own;
}

const SetLimit* find_limit(const std::vector<SetLimit>& limits, const SetLimit& same) {
    const auto found = std::ranges::find_if(
        limits, [&](const SetLimit& each) { return each.facts == same.facts && each.tres == same.tres; });
    return found == limits.end() ? nullptr : &*found;
}

std::vector<std::string> find_qos_in_conf(std::string_view conf) {
    std::string text(conf);
    for (std::size_t at = 0; (at = text.find("\\\n", at)) != std::string::npos;)
        text[at] = text[at + 1] = ' '; // a line that goes on
    std::vector<std::string> names;
    for (const std::string_view line : text::split(text, '\n')) {
        if (!text::istarts_with(line, "PartitionName")) continue;
        for (const std::string_view word : text::split(line.substr(0, line.find('#')), ' ')) {
            const auto equals = word.find('=');
            const std::string_view key = word.substr(0, equals);
            const bool is_meant =
                text::iequals(key, "QOS") || text::iequals(key, "AllowQos") || text::iequals(key, "DenyQos");
            if (equals == word.npos || !is_meant) continue;
            for (const std::string_view name : text::split(word.substr(equals + 1), ','))
                names.emplace_back(name);
        }
    }
    return names;
}

bool admits(const model::Partition& partition, const std::string& qos) {
    const auto is_this = [&](const std::string& name) { return text::iequals(name, qos); };
    if (!partition.allow_qos.empty()) return std::ranges::any_of(partition.allow_qos, is_this);
    return std::ranges::none_of(partition.deny_qos, is_this);
}

bool is_qos_of(const model::Partition& partition, const std::string& qos) {
    return text::iequals(partition.qos, qos);
}

} // namespace qg::report

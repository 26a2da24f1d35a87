// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/lint_checks.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <algorithm>

namespace qg::cli {
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
    {"preemption-ignored", "Preempt and its like of a QOS without preempt/qos", lint::preemption_ignored},
    {"preemption-loop", "QOSs that may preempt each other", lint::preemption_loop},
    {"run-minutes-ignored", "MaxTRESRunMins... before Slurm 24.05", lint::run_minutes_ignored},
    {"limit-never-binds", "a limit per job, user or account above that of all", lint::limit_never_binds},
    {"group-above-parent", "a Grp limit of an association above that of an account above it",
     lint::group_above_parent},
    {"wall-above-partitions", "MaxWall above MaxTime of every partition", lint::wall_above_partitions},
    {"zero-limit", "a limit of a QOS that is zero: it allows no job", lint::zero_limit},
    {"zero-association-limit", "the same of an account or user", lint::zero_association_limit},
    {"minimum-above-maximum", "a minimum above a maximum: no job can meet both", lint::minimum_above_maximum},
    {"minimum-above-partitions", "a minimum that no partition has", lint::minimum_above_partitions},
    {"hidden-by-partition", "a limit of a QOS that the higher one of a partition's QOS replaces",
     lint::hidden_by_partition},
    {"contradicts-partition", "limits of a QOS and of a partition's QOS that no job can meet together",
     lint::contradicts_partition},
    {"partition-names-unknown-qos", "AllowQos or DenyQos names a QOS that does not exist",
     lint::partition_names_unknown_qos},
    {"deny-list-ignored", "DenyQos beside AllowQos", lint::deny_list_ignored},
    {"qos-unused", "a QOS that nobody may use", lint::qos_unused},
    {"no-default-qos", "users whose jobs without --qos are refused", lint::no_default_qos},
    {"flag-without-effect", "a flag of a QOS that changes nothing here", lint::flag_without_effect},
    {"threshold-without-flag", "UsageThreshold without the flag EnforceUsageThreshold",
     lint::threshold_without_flag},
};

std::string assignment(const SetLimit& limit, const std::string& value) {
    return text::format("{}={}{}", limit.facts->name, limit.tres.empty() ? "" : limit.tres + "=", value);
}

} // namespace

std::span<const LintCheck> lint_checks() {
    return checks;
}

std::vector<Finding> find_problems(const LintInput& input, std::span<const std::string> ignored) {
    std::vector<Finding> all;
    for (const LintCheck& check : checks) {
        if (std::ranges::find(ignored, check.code) != ignored.end()) continue;
        Findings findings(check.code, all);
        check.find(input, findings);
    }
    return all;
}

std::string SetLimit::text() const {
    return assignment(*this, limits::format_limit_value(facts->limit, tres, value));
}

std::string SetLimit::unset_text() const {
    return assignment(*this, "-1");
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

std::vector<SetLimit> limits_of(const LintAssociation& association, const model::TresCatalogue& tres) {
    std::vector<SetLimit> set;
    for (const model::LimitFacts& facts : model::limit_facts) {
        if (!facts.is_of_association() || facts.is_of_users_alone()) continue;
        if (const auto* count = std::get_if<model::CountLimit>(&facts.limit)) {
            if (const auto value = association.limits.get(*count))
                set.push_back({.facts = &facts, .value = *value});
            continue;
        }
        for (std::size_t at = 0; at < tres.size(); ++at)
            if (const auto value = association.limits.get(std::get<model::TresLimit>(facts.limit), at))
                set.push_back({.facts = &facts, .tres = tres.name(at), .value = *value});
    }
    return set;
}

bool admits(const model::Partition& partition, const std::string& qos) {
    const auto is_this = [&](const std::string& name) { return text::iequals(name, qos); };
    if (!partition.allow_qos.empty()) return std::ranges::any_of(partition.allow_qos, is_this);
    return std::ranges::none_of(partition.deny_qos, is_this);
}

bool is_qos_of(const model::Partition& partition, const std::string& qos) {
    return text::iequals(partition.qos, qos);
}

} // namespace qg::cli

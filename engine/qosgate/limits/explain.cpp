// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/explain.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>

namespace qg::limits {
namespace {

/// How a TRES limit is worded: "<noun><unit> <scope>".
struct TresWording {
    std::string_view unit;  ///< " minutes" for the minutes limits
    std::string_view scope; ///< to whom the limit applies
};

// Rows in the order of TresLimit. An empty scope is filled with the owner's: "of all jobs in QOS x".
constexpr std::array<TresWording, model::tres_limit_count> tres_wordings{{
    {"", "per job"},
    {"", "per node"},
    {"", "per user"},
    {"", "per account"},
    {"", "in all"},
    {" minutes", "per job"},
    {" minutes", "in all"},
    {" minutes", "of running jobs in all"},
    {" minutes", "of running jobs per account"},
    {" minutes", "of running jobs per user"},
    {"", "per job, at least"},
}};

// Rows in the order of CountLimit.
constexpr std::array<std::string_view, model::count_limit_count> count_wordings{{
    "running jobs in all",
    "running jobs",
    "running jobs per user",
    "running jobs per account",
    "submitted jobs in all",
    "submitted jobs",
    "submitted jobs per user",
    "submitted jobs per account",
    "wall time",
    "wall time in all",
}};

std::string tres_noun(std::string_view name) {
    const auto after_slash = name.substr(std::min(name.find('/') + 1, name.size()));
    switch (model::kind_of(name)) {
    case model::TresKind::cpu: return "CPUs";
    case model::TresKind::mem: return "memory";
    case model::TresKind::energy: return "energy";
    case model::TresKind::node: return "nodes";
    case model::TresKind::billing: return "billing units";
    case model::TresKind::bb: return text::format("burst buffer {}", after_slash);
    case model::TresKind::license: return text::format("licenses {}", after_slash);
    case model::TresKind::gres: {
        constexpr std::string_view gpu = "gpu";
        if (after_slash == gpu) return "GPUs";
        if (after_slash.starts_with("gpu:"))
            return text::format("{} GPUs", after_slash.substr(gpu.size() + 1));
        return std::string(after_slash);
    }
    case model::TresKind::other: return std::string(name);
    }
    return std::string(name);
}

bool is_minutes(TresLimit limit) {
    return !tres_wordings[static_cast<std::size_t>(limit)].unit.empty();
}
bool is_wall(CountLimit limit) {
    return limit == CountLimit::max_wall || limit == CountLimit::grp_wall;
}

/// A number of a violation as people write it.
std::string format_value(const Violation& violation, const model::AccountView& view, std::uint64_t value) {
    if (const auto* count = std::get_if<CountLimit>(&violation.limit)) {
        if (!is_wall(*count)) return std::to_string(value);
        const auto minutes = std::min<std::uint64_t>(value, TimeLimit::unlimited_minutes);
        return units::format_minutes({static_cast<std::uint32_t>(minutes)});
    }
    if (is_minutes(std::get<TresLimit>(violation.limit)) || !violation.tres) return std::to_string(value);
    return model::format_tres_count(view.tres->name(*violation.tres), value);
}

std::string subject(const Violation& violation, const model::AccountView& view) {
    if (const auto* count = std::get_if<CountLimit>(&violation.limit))
        return std::string(count_wordings[static_cast<std::size_t>(*count)]);
    const TresWording& wording =
        tres_wordings[static_cast<std::size_t>(std::get<TresLimit>(violation.limit))];
    std::string noun = tres_noun(view.tres->name(violation.tres.value_or(0)));
    // "CPU minutes", not "CPUs minutes".
    if (!wording.unit.empty() && noun.size() > 1 && noun.back() == 's') noun.pop_back();
    return text::format("{}{} {}", noun, wording.unit, wording.scope);
}

} // namespace

std::string owner_name(const Owner& owner, const model::AccountView& view) {
    if (owner.kind == OwnerKind::qos) {
        const model::Qos& qos = view.qos.at(owner.index);
        for (const model::PartitionChoice& choice : view.partitions)
            if (choice.qos == owner.index && view.job_qos.qos != owner.index)
                return text::format("partition {} (QOS {})", choice.partition->name, qos.name);
        return "QOS " + qos.name;
    }
    const model::Association& link = view.associations.at(owner.index);
    switch (link.level) {
    case model::AssociationLevel::root: return "the cluster (account root)";
    case model::AssociationLevel::account: return "account " + link.account;
    case model::AssociationLevel::user: break;
    }
    const std::string user = view.user_name.empty() ? "the user" : "user " + view.user_name;
    return text::format("{} in account {}", user, link.account);
}

std::string describe(const Violation& violation, const model::AccountView& view, bool names_owner) {
    std::string line = text::format("{}: asked {}, limit {}", subject(violation, view),
                                    format_value(violation, view, violation.asked),
                                    format_value(violation, view, violation.limit_value));
    if (violation.used != 0)
        line += text::format(", in use {}", format_value(violation, view, violation.used));
    if (names_owner) line += text::format(", set by {}", owner_name(violation.owner, view));
    return line + text::format(" ({})", violation.reason);
}

std::vector<std::string> explain_refusal(std::span<const Violation> violations,
                                         const model::AccountView& view, std::size_t max_lines) {
    if (violations.empty()) return {};
    const bool one_owner = std::all_of(violations.begin(), violations.end(), [&](const Violation& v) {
        return v.owner == violations.front().owner;
    });
    std::string headline = one_owner ? owner_name(violations.front().owner, view) + " does not allow this job"
                                     : std::string("limits do not allow this job");
    if (violations.size() > 1) headline += text::format(" ({} problems)", violations.size());
    std::vector<std::string> lines{headline + ":"};
    for (std::size_t i = 0; i < violations.size(); ++i) {
        const bool is_last_line = lines.size() + 1 == max_lines;
        const std::size_t left = violations.size() - i;
        if (is_last_line && left > 1) {
            lines.push_back(text::format("  and {} more", left));
            break;
        }
        lines.push_back("  " + describe(violations[i], view, !one_owner));
    }
    return lines;
}

} // namespace qg::limits

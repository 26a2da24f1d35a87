// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/explain.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <algorithm>

namespace qg::limits {
namespace {

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
    if (text_of(violation.limit).counts_minutes || !violation.tres) return std::to_string(value);
    return model::format_tres_count(view.tres->name(*violation.tres), value);
}

/// What was asked for, and what UsageFactor made of it.
std::string format_asked(const Violation& violation, const model::AccountView& view) {
    if (violation.is_endless) return "UNLIMITED";
    std::string asked = format_value(violation, view, violation.asked);
    if (violation.times_scaled == 0 || violation.asked == violation.asked_unscaled) return asked;
    return text::format("{}, counted as {} by UsageFactor {}{}",
                        format_value(violation, view, violation.asked_unscaled), asked,
                        view.qos.at(view.job_qos.qos.value()).usage_factor,
                        violation.times_scaled > 1 ? " (applied twice)" : "");
}

/// What of `used` is the user's own, where that is known.
std::optional<std::uint64_t> own_share(const Violation& violation, const model::AccountView& view) {
    const auto of_usage = [&](const model::Usage& usage) -> std::uint64_t {
        if (const auto* count = std::get_if<CountLimit>(&violation.limit)) {
            switch (*count) {
            case CountLimit::grp_submit_jobs:
            case CountLimit::max_submit_jobs:
            case CountLimit::max_submit_jobs_per_user:
            case CountLimit::max_submit_jobs_per_account: return usage.submit_jobs;
            case CountLimit::grp_jobs:
            case CountLimit::max_jobs:
            case CountLimit::max_jobs_per_user:
            case CountLimit::max_jobs_per_account: return usage.jobs;
            case CountLimit::max_wall:
            case CountLimit::grp_wall: return usage.wall_minutes;
            }
        }
        const bool minutes = text_of(violation.limit).counts_minutes;
        return model::count_at(minutes ? usage.tres_run_minutes : usage.tres, violation.tres.value_or(0));
    };
    // Past minutes are not kept per user, and per-account usage does not say which account a user's was in.
    if (violation.limit == LimitId(TresLimit::grp_tres_mins) ||
        violation.limit == LimitId(CountLimit::grp_wall))
        return std::nullopt;
    if (violation.owner.kind == OwnerKind::qos) {
        const bool per_account = violation.limit == LimitId(TresLimit::max_tres_per_account) ||
                                 violation.limit == LimitId(TresLimit::max_tres_run_mins_per_account) ||
                                 violation.limit == LimitId(CountLimit::max_jobs_per_account) ||
                                 violation.limit == LimitId(CountLimit::max_submit_jobs_per_account);
        if (per_account) return std::nullopt;
        return of_usage(view.qos.at(violation.owner.index).user_usage);
    }
    return of_usage(view.associations.front().usage);
}

std::string format_used(const Violation& violation, const model::AccountView& view) {
    if (violation.used == 0) return "";
    std::string text = text::format(", in use {}", format_value(violation, view, violation.used));
    const auto own = own_share(violation, view);
    if (!own) return text;
    if (*own >= violation.used) return text + ", all yours";
    if (*own == 0) return text + ", none yours";
    return text + text::format(", {} yours", format_value(violation, view, *own));
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
    const std::string_view tres = violation.tres ? std::string_view(view.tres->name(*violation.tres)) : "";
    std::string line =
        text::format("{}: asked {}, limit {}", subject_of(violation.limit, tres),
                     format_asked(violation, view), format_value(violation, view, violation.limit_value));
    line += format_used(violation, view);
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

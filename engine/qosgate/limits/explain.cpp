// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/explain.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/binding.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>

namespace qg::limits {
namespace {

using model::LimitMeasure;

std::string_view tres_name(const Violation& violation, const model::AccountView& view) {
    return violation.tres ? std::string_view(view.tres->name(*violation.tres)) : std::string_view();
}

/// A number of a violation as people write it.
std::string format_value(const Violation& violation, const model::AccountView& view, std::uint64_t value) {
    return format_limit_value(violation.limit, tres_name(violation, view), value);
}

/// The part of a usage that counts against a limit that ignores the past.
std::uint64_t present_use(const model::Usage& usage, const Violation& violation) {
    if (model::facts_of(violation.limit).measure == LimitMeasure::tres_minutes)
        return model::count_at(usage.tres_run_minutes, violation.tres.value_or(0));
    return used_against(violation.limit, violation.tres, usage);
}

/// The user's own part of `used`, if it is known.
std::optional<std::uint64_t> own_share(const Violation& violation, const model::AccountView& view) {
    const model::LimitFacts& facts = model::facts_of(violation.limit);
    // Slurm does not keep past minutes per user, and a user's usage does not say in which account it was.
    if (facts.counts_the_past() || facts.scope == model::LimitScope::account) return std::nullopt;
    if (violation.owner.kind != OwnerKind::qos)
        return present_use(view.associations.front().usage, violation);
    const std::uint64_t own = present_use(view.qos.at(violation.owner.index).user_usage, violation);
    // Releases before `enforces_run_mins` do not count them per user of a QOS.
    if (own == 0 && facts.measure == LimitMeasure::tres_run_minutes) return std::nullopt;
    return own;
}

/// Whether the user may have jobs in other accounts that count, too: the own share does not have them.
bool counts_other_accounts(const Violation& violation, const model::AccountView& view) {
    return violation.owner.kind == OwnerKind::association &&
           !text::iequals(view.associations.at(violation.owner.index).account, view.account);
}

/// How a limit's usage is written.
std::string_view verb_of(const model::LimitFacts& facts) {
    if (facts.counts_the_past()) return "used";
    switch (facts.measure) {
    case LimitMeasure::tres_run_minutes: return "reserved by running jobs";
    case LimitMeasure::running_jobs: return "running";
    case LimitMeasure::submitted_jobs: return "submitted";
    case LimitMeasure::tres:
    case LimitMeasure::tres_minutes:
    case LimitMeasure::wall: break;
    }
    return "in use";
}

/// "user ana", "the user" if accounting does not know the name.
std::string user_name(const model::AccountView& view) {
    return view.user_name.empty() ? "the user" : "user " + view.user_name;
}

/// "yours", "of user ana"
std::string whose_part(const model::AccountView& view, Reader reader) {
    return reader == Reader::job_user ? "yours" : "of " + user_name(view);
}

/// ", in use 12 (4 yours)"; for minutes ", used 50, reserved by running jobs 719"
std::string format_used(const Violation& violation, const model::AccountView& view, Reader reader) {
    if (violation.used == 0) return "";
    const model::LimitFacts& facts = model::facts_of(violation.limit);
    const std::uint64_t past = violation.used - violation.run_minutes;
    std::string text;
    if (past != 0)
        text = text::format(", {} {}{}", verb_of(facts), format_value(violation, view, past),
                            violation.relation == Relation::used_for_good ? " (does not decay)" : "");
    if (violation.run_minutes != 0)
        text += text::format(", reserved by running jobs {}",
                             format_value(violation, view, violation.run_minutes));
    const auto own = own_share(violation, view);
    if (!own) return text;
    const std::string whose = whose_part(view, reader);
    if (*own >= violation.used) return text + text::format(" (all {})", whose);
    if (counts_other_accounts(violation, view))
        return *own == 0 ? text
                         : text + text::format(" ({} {} in account {})", format_value(violation, view, *own),
                                               whose, view.account);
    if (*own == 0)
        return text + text::format(" (none {}{})", reader == Reader::job_user ? "of it " : "", whose);
    return text + text::format(" ({} {})", format_value(violation, view, *own), whose);
}

/// ", counted as 80 by UsageFactor 2"
std::string format_scaling(const Violation& violation, const model::AccountView& view) {
    if (violation.times_scaled == 0 || violation.asked == violation.asked_unscaled) return "";
    return text::format(", counted as {} by UsageFactor {}{}", format_value(violation, view, violation.asked),
                        view.qos.at(view.job_qos.qos.value()).usage_factor,
                        violation.times_scaled > 1 ? " (applied twice)" : "");
}

/// "this job asks for 3"
std::string format_asked(const Violation& violation, const model::AccountView& view) {
    const std::uint64_t asked = violation.times_scaled == 0 ? violation.asked : violation.asked_unscaled;
    const std::string number = format_value(violation, view, asked);
    const std::string_view asks = violation.is_of_parts ? "they ask" : "this job asks";
    const auto amount = [&] { return format_amount(tres_name(violation, view), violation.count); };
    switch (model::facts_of(violation.limit).measure) {
    case LimitMeasure::tres: return text::format("{} for {}", asks, asked == 0 ? "none" : number);
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes:
        if (violation.is_endless)
            return text::format("{} for UNLIMITED ({} without a time limit)", asks, amount());
        return text::format("{} for {} ({} for {}{}){}", asks, number, amount(),
                            format_time(asked / std::max<std::uint64_t>(violation.count, 1)),
                            violation.is_of_time_min ? " of --time-min" : "",
                            format_scaling(violation, view));
    case LimitMeasure::wall:
        return text::format("{} for {}{}", asks, number, format_scaling(violation, view));
    case LimitMeasure::running_jobs:
    case LimitMeasure::submitted_jobs: break;
    }
    if (violation.is_of_parts) return text::format("they are {} jobs", asked);
    return asked == 1 ? "this job is one more" : text::format("this array has {} tasks", asked);
}

/// "--exclusive takes", "partition big gives"
std::string say_who_gives(const Violation& violation, const model::AccountView& view) {
    using model::WholeNodesBy;
    switch (violation.whole_by) {
    case WholeNodesBy::partition:
        return text::format("partition {} gives",
                            view.partitions.at(violation.whole_in_partition).partition->name);
    case WholeNodesBy::core_spec: return "--core-spec takes";
    case WholeNodesBy::thread_spec: return "--thread-spec takes";
    case WholeNodesBy::select_linear: return "SelectType=select/linear gives";
    case WholeNodesBy::exclusive:
    case WholeNodesBy::nothing: break;
    }
    return "--exclusive takes";
}

/// ", because --exclusive takes whole nodes, of at least 64 CPUs in all"
std::string format_whole_nodes(const Violation& violation, const model::AccountView& view) {
    if (violation.whole_nodes == 0) return "";
    const bool is_of_memory = violation.tres && view.tres->kind(*violation.tres) == model::TresKind::mem;
    return text::format(
        ", because {} whole nodes, of at least {} in all", say_who_gives(violation, view),
        format_amount(is_of_memory ? "cpu" : tres_name(violation, view), violation.whole_nodes));
}

/// ", one for each 1000M of its memory (MaxMemPerCPU)"
std::string format_cpus_for_memory(const Violation& violation) {
    if (violation.mib_per_cpu == 0) return "";
    return text::format(", one for each {} of its memory (MaxMemPerCPU)",
                        model::format_tres_count("mem", violation.mib_per_cpu));
}

/// ", 4 for each GPU (DefCpuPerGPU), on whole cores of 2 CPUs each"
std::string format_added_cpus(const Violation& violation) {
    std::string text;
    if (violation.cpus_per_gpu != 0)
        text = text::format(", {} for each GPU (DefCpuPerGPU)", violation.cpus_per_gpu);
    if (violation.cpus_of_core > 1)
        text += text::format(", on whole cores of {} CPUs each", violation.cpus_of_core);
    return text;
}

bool is_of_user(const Owner& owner, const model::AccountView& view) {
    return owner.kind == OwnerKind::association &&
           view.associations.at(owner.index).level == model::AssociationLevel::user;
}

/// " in QOS moonlight", " of user ana in account physics"
std::string whose(const Owner& owner, const model::AccountView& view) {
    return (is_of_user(owner, view) ? " of " : " in ") + owner_name(owner, view);
}

/// "QOS moonlight does not allow this job", "the limits of user ana in account physics do not allow this job"
std::string say_refusal(const Owner& owner, const model::AccountView& view) {
    const std::string name = owner_name(owner, view);
    return is_of_user(owner, view) ? text::format("the limits of {} do not allow this job", name)
                                   : text::format("{} does not allow this job", name);
}

/// The association that sets the limit; null: a QOS sets it.
const model::Association* association_of(const Violation& violation, const model::AccountView& view) {
    return violation.owner.kind == OwnerKind::association ? &view.associations.at(violation.owner.index)
                                                          : nullptr;
}

/// ", in use at least 4 (yours)", if only the user's own usage may be shown.
std::string format_own_use(const Violation& violation, const model::AccountView& view, Reader reader) {
    const auto own = own_share(violation, view);
    if (own.value_or(0) == 0) return "";
    return text::format(", {} at least {} ({})", verb_of(model::facts_of(violation.limit)),
                        format_value(violation, view, *own), whose_part(view, reader));
}

/// The limit and the request. If the numbers are hidden from the reader, the text only says that the request
/// does not fit.
std::string format_numbers(const Violation& violation, const model::AccountView& view, Reader reader) {
    const std::string asked = format_asked(violation, view);
    const bool is_too_much = violation.is_permanent() && violation.relation != Relation::used_for_good;
    const model::Association* link = association_of(violation, view);
    if (link != nullptr && link->hides_limits)
        return asked + (is_too_much ? ", which is more than the limit" : ", which is more than is left");
    const bool hides_usage = link != nullptr && link->hides_usage;
    return text::format("limit {}{}, {}{}", format_value(violation, view, violation.limit_value),
                        hides_usage ? format_own_use(violation, view, reader)
                                    : format_used(violation, view, reader),
                        asked, hides_usage && !is_too_much ? ", which is more than is left" : "");
}

} // namespace

bool has_hidden_numbers(const Violation& violation, const model::AccountView& view) {
    const model::Association* link = association_of(violation, view);
    if (link == nullptr) return false;
    const bool is_about_usage =
        violation.relation != Relation::asked_too_much && violation.relation != Relation::asked_too_little;
    return link->hides_limits || (link->hides_usage && is_about_usage);
}

std::string owner_name(const Owner& owner, const model::AccountView& view) {
    if (owner.kind == OwnerKind::qos) {
        const model::Qos& qos = view.qos.at(owner.index);
        for (const model::PartitionChoice& choice : view.partitions)
            if (choice.qos == owner.index && !choice.is_hidden && view.job_qos.qos != owner.index)
                return text::format("partition {} (QOS {})", choice.partition->name, qos.name);
        return "QOS " + qos.name;
    }
    const model::Association& link = view.associations.at(owner.index);
    switch (link.level) {
    case model::AssociationLevel::root: return "the cluster (account root)";
    case model::AssociationLevel::account:
        if (link.hides_limits && link.account != view.account) return "an account above " + view.account;
        return "account " + link.account;
    case model::AssociationLevel::user: break;
    }
    return text::format("{} in account {}", user_name(view), link.account);
}

std::string describe(const Violation& violation, const model::AccountView& view, bool names_owner,
                     Reader reader) {
    const model::LimitFacts& facts = model::facts_of(violation.limit);
    const bool is_of_all = facts.scope == model::LimitScope::group;
    const std::string owner = names_owner || is_of_all ? whose(violation.owner, view) : "";
    const std::string_view tres = tres_name(violation, view);
    if (violation.relation == Relation::asked_too_little) {
        const Noun noun = tres_noun(tres);
        const bool is_one = violation.limit_value == 1 || noun.singular == noun.plural;
        return text::format("at least {} {}{} {} required, {} ({})",
                            format_amount(tres, violation.limit_value), facts.words.phrase, owner,
                            is_one ? "is" : "are", format_asked(violation, view), violation.reason);
    }
    return text::format("{}{}: {}{}{}{} ({})", subject_of(violation.limit, tres), owner,
                        format_numbers(violation, view, reader), format_whole_nodes(violation, view),
                        format_cpus_for_memory(violation), format_added_cpus(violation), violation.reason);
}

std::vector<std::string> explain_refusal(std::span<const Violation> violations,
                                         const model::AccountView& view, Reader reader,
                                         std::size_t max_lines) {
    if (violations.empty()) return {};
    const bool one_owner = std::all_of(violations.begin(), violations.end(), [&](const Violation& v) {
        return v.owner == violations.front().owner;
    });
    std::string headline =
        one_owner ? say_refusal(violations.front().owner, view) : "limits do not allow this job";
    if (violations.size() > 1) headline += text::format(" ({} problems)", violations.size());
    std::vector<std::string> lines{headline + ":"};
    for (std::size_t i = 0; i < violations.size(); ++i) {
        const bool is_last_line = lines.size() + 1 == max_lines;
        const std::size_t left = violations.size() - i;
        if (is_last_line && left > 1) {
            lines.push_back(text::format("  and {} more", left));
            break;
        }
        lines.push_back("  " + describe(violations[i], view, !one_owner, reader));
    }
    return lines;
}

} // namespace qg::limits

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/refusal.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/size/ranges.hpp"
#include "qosgate/model/looked_up_names.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace qg::gate {
namespace {

using model::QosProblem;
using model::RejectCode;

/// "ana", or "you" if accounting does not know the name.
std::string who(const model::AccountView& view) {
    return view.user_name.empty() ? "you" : view.user_name;
}

/// " with account physics"
std::string with_account(const model::AccountView& view) {
    return view.account.empty() ? "" : " with account " + view.account;
}

/// The names with those similar to `wrong` first, because the list may be cut.
/// Cost: bounded; after many comparisons, the remaining names count as not similar.
std::string list_similar_first(std::string_view wrong, std::span<const std::string> names) {
    std::size_t comparisons_left = 100'000;
    const auto is_similar = [&](const std::string& name) {
        if (text::istarts_with(name, wrong)) return true;
        const std::size_t comparisons = wrong.size() * name.size();
        if (comparisons > comparisons_left) return false;
        comparisons_left -= comparisons;
        return !text::did_you_mean(wrong, std::span(&name, 1)).empty();
    };
    std::vector<std::string> sorted(names.begin(), names.end());
    std::ranges::stable_partition(sorted, is_similar);
    return text::list_names(sorted);
}

std::string usable(const model::AccountView& view) {
    if (view.permitted_qos.empty())
        return text::format("there is no QOS that {} can use{}", who(view), with_account(view));
    return text::format("QOSs that {} can use{}: {}", who(view), with_account(view),
                        list_similar_first(view.job_qos.name, view.permitted_qos));
}

/// "astro in partition main, hpc in partition viz"
std::string list_with_partitions(std::span<const model::UserAccount> accounts) {
    std::vector<std::string> names;
    for (const model::UserAccount& account : accounts)
        names.push_back(text::format("{} in partition {}", account.name, account.partition));
    return text::list_names(names);
}

/// The partition whose name differs only in case. slurmctld distinguishes case in these names.
const std::string* find_other_case(std::string_view wrong, std::span<const std::string> names) {
    const auto found =
        std::ranges::find_if(names, [&](const std::string& name) { return text::iequals(name, wrong); });
    return found == names.end() ? nullptr : &*found;
}

/// Why a text with commas cannot be the QOS of a job.
std::string list_problem_text(std::string_view list, limits::Release release) {
    const std::string shown = text::printable(list, 64);
    const std::size_t names = text::split(list, ',').size();
    if (release.follows(limits::rules::takes_qos_lists) || names < 2)
        return text::format("'{}' is written as a list, but does not name several QOSs", shown);
    return text::format("this Slurm ({}) takes one QOS per job; '{}' names {}", release.branch(), shown,
                        names);
}

std::string qos_problem_text(const model::AccountView& view, limits::Release release) {
    const std::string name = text::printable(view.job_qos.name, 64);
    switch (view.job_qos.problem) {
    case QosProblem::none: return "";
    case QosProblem::unknown:
        return text::format("there is no QOS '{}'{}", name, text::did_you_mean(name, view.permitted_qos));
    case QosProblem::not_permitted:
        return text::format("QOS {} exists, but {} cannot use it{}", name, who(view), with_account(view));
    case QosProblem::default_not_permitted:
        return text::format("this job names no QOS, and {} cannot use the default QOS {}{}", who(view), name,
                            with_account(view));
    case QosProblem::requires_reservation:
        return text::format("QOS {} is for jobs in a reservation: add --reservation=NAME", name);
    case QosProblem::relative_of_partition:
        return text::format(
            "a job cannot ask for QOS {}: it belongs to a partition, and its limits are percentages of "
            "that partition's size",
            name);
    case QosProblem::kept_not_permitted: return kept_qos_text(view);
    case QosProblem::list_not_allowed: return list_problem_text(view.job_qos.name, release);
    }
    return "";
}

/// What is wrong with a name that is an empty text.
std::string empty_name_line(std::string_view option) {
    return text::format("{} is empty: give a name, or leave the option out; a variable in it may not be set",
                        option);
}

} // namespace

std::optional<Refusal> check_empty_names(const model::JobRequest& request, const model::AccountView& view,
                                         limits::Release release) {
    Refusal refusal;
    const std::uint8_t empty = model::empty_names_of(request);
    for (std::size_t i = 0; i < model::looked_up_names.size(); ++i) {
        const auto& [field, option, code] = model::looked_up_names[i];
        const bool is_looked_up_later = code == RejectCode::invalid_node_count; // when nodes are selected
        const bool is_optional = (code == RejectCode::invalid_qos && !view.enforce.qos) ||
                                 (code == RejectCode::invalid_partition &&
                                  release.follows(limits::rules::ignores_list_of_no_partition));
        if ((empty & (1u << i)) == 0 || is_looked_up_later || is_optional) continue;
        if (refusal.lines.empty()) refusal.code = code;
        refusal.lines.push_back(empty_name_line(option));
    }
    return refusal.lines.empty() ? std::nullopt : std::optional(std::move(refusal));
}

Refusal refuse_no_nodes(const model::JobRequest& request) {
    const auto& [field, option, code] = model::looked_up_names.back();
    return {code,
            {model::has_empty_node_list(request)
                 ? empty_name_line(option)
                 : "this job asks for 0 nodes: ask for at least one, or leave --nodes out"}};
}

Refusal refuse_too_few_tasks(std::uint32_t tasks, std::uint64_t nodes) {
    return {
        RejectCode::bad_task_count,
        {text::format("this job gets at least {} nodes, and each needs a task; it asks for {}: ask for {} "
                      "tasks, or for fewer nodes",
                      nodes, text::count_of(tasks, "task"), nodes)}};
}

Refusal refuse_array(const model::JobRequest& request, std::uint32_t max_array_size) {
    const auto last = last_index_of_array(*request.array);
    return {RejectCode::invalid_array,
            {last ? text::format("indices of job arrays end at {} here (MaxArraySize); this job asks for {}",
                                 std::max(max_array_size, 1u) - 1, *last)
                  : text::format("--array={} is no list of indices: write 0-7, 1,3,5 or 0-15:4, the smaller "
                                 "index first and a step of at least 1",
                                 text::printable(*request.array, 64))}};
}

std::vector<std::string> lines_once(std::vector<std::string> lines, std::size_t max) {
    std::unordered_set<std::string> seen;
    std::erase_if(lines, [&seen](const std::string& line) { return !seen.insert(line).second; });
    std::vector<std::string> once = std::move(lines);
    if (once.size() <= max) return once;
    if (max == 0) return {};
    const std::size_t left = once.size() - (max - 1);
    once.resize(max - 1);
    once.push_back(text::format("and {} more", left));
    return once;
}

std::optional<Refusal> check_partition(std::span<const std::string> unknown,
                                       std::span<const std::string> others) {
    if (unknown.empty()) return std::nullopt;
    const std::string& wrong = unknown.front();
    const std::string* meant = find_other_case(wrong, others);
    const std::string hint = meant != nullptr ? text::did_you_mean(wrong, *meant) +
                                                    " Upper and lower case matter in names of partitions"
                                              : text::did_you_mean(wrong, others);
    Refusal refusal{RejectCode::invalid_partition,
                    {text::format("there is no partition '{}'{}", text::printable(wrong, 64), hint)}};
    if (!others.empty()) refusal.lines.push_back("  partitions: " + list_similar_first(wrong, others));
    return refusal;
}

std::optional<Refusal> check_account(const model::AccountView& view, const model::JobRequest& request) {
    if (!view.enforce.associations || !view.associations.empty()) return std::nullopt;
    const std::string user =
        view.user_name.empty() ? text::format("user id {}", request.user_id) : "user " + view.user_name;
    std::string line = request.account ? text::format("{} may not use account '{}'", user,
                                                      text::printable(*request.account, 64))
                                       : text::format("{} has no default account", user);
    if (request.partition) line += text::format(" in partition {}", text::printable(*request.partition, 64));
    if (view.accounts.empty() && view.accounts_of_partitions.empty())
        return Refusal{RejectCode::invalid_account,
                       {line, "  your accounts: sacctmgr show associations user=$USER"}};
    const std::string wrong = request.account.value_or("");
    if (!wrong.empty()) line += text::did_you_mean(wrong, view.accounts);
    return Refusal{
        RejectCode::invalid_account,
        {line, text::format("  accounts that {} can use: {}", who(view),
                            view.accounts.empty() ? list_with_partitions(view.accounts_of_partitions)
                                                  : list_similar_first(wrong, view.accounts))}};
}

std::optional<Refusal> check_partition_associations(const model::AccountView& view) {
    if (!view.differing_partition) return std::nullopt;
    const std::string& of_first = view.associations.front().partition;
    const std::string& partition =
        of_first.empty() ? view.partitions[*view.differing_partition].partition->name : of_first;
    return Refusal{RejectCode::partition_assoc,
                   {text::format("a job in partition {} cannot name other partitions: {} has an association "
                                 "for that partition alone{}; name one partition",
                                 partition, who(view), with_account(view))}};
}

std::string kept_qos_text(const model::AccountView& view) {
    const bool is_of_partition = !view.associations.empty() && !view.associations.front().partition.empty();
    return text::format("this job keeps QOS {}, and {} cannot use it{}{}; change the QOS of the job, too",
                        text::printable(view.job_qos.name, 64), who(view), with_account(view),
                        is_of_partition ? " in partition " + view.associations.front().partition : "");
}

std::optional<Refusal> check_qos(const model::AccountView& view, limits::Release release) {
    const QosProblem problem = view.job_qos.problem;
    if (problem == QosProblem::none || problem == QosProblem::kept_not_permitted) return std::nullopt;
    Refusal refusal{RejectCode::invalid_qos, {qos_problem_text(view, release)}};
    if (problem != QosProblem::requires_reservation) refusal.lines.push_back("  " + usable(view));
    return refusal;
}

} // namespace qg::gate

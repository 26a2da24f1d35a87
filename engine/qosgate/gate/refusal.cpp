// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/refusal.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <utility>

namespace qg::gate {
namespace {

using model::QosProblem;
using model::RejectCode;

/// "ana", or "you" where accounting does not know the name.
std::string who(const model::AccountView& view) {
    return view.user_name.empty() ? "you" : view.user_name;
}

/// " with account physics"
std::string with_account(const model::AccountView& view) {
    return view.account.empty() ? "" : " with account " + view.account;
}

std::string usable(const model::AccountView& view) {
    if (view.permitted_qos.empty())
        return text::format("there is no QOS that {} can use{}", who(view), with_account(view));
    return text::format("QOSs that {} can use{}: {}", who(view), with_account(view),
                        text::list_names(view.permitted_qos));
}

/// Why a text with commas is not the QOS of a job.
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
    case QosProblem::list_not_allowed: return list_problem_text(view.job_qos.name, release);
    }
    return "";
}

} // namespace

std::vector<std::string> lines_once(std::vector<std::string> lines, std::size_t most) {
    std::vector<std::string> once;
    for (std::string& line : lines)
        if (std::ranges::find(once, line) == once.end()) once.push_back(std::move(line));
    if (once.size() <= most) return once;
    if (most == 0) return {};
    const std::size_t left = once.size() - (most - 1);
    once.resize(most - 1);
    once.push_back(text::format("and {} more", left));
    return once;
}

std::optional<Refusal> refuse_partition(std::span<const std::string> unknown,
                                        std::span<const std::string> others) {
    if (unknown.empty()) return std::nullopt;
    const std::string& wrong = unknown.front();
    Refusal refusal{RejectCode::invalid_partition,
                    {text::format("there is no partition '{}'{}", text::printable(wrong, 64),
                                  text::did_you_mean(wrong, others))}};
    if (!others.empty()) refusal.lines.push_back("  partitions: " + text::list_names(others));
    return refusal;
}

std::optional<Refusal> refuse_account(const model::AccountView& view, const model::JobRequest& request) {
    if (!view.enforce.associations || !view.associations.empty()) return std::nullopt;
    const std::string user =
        view.user_name.empty() ? text::format("user id {}", request.user_id) : "user " + view.user_name;
    std::string line = request.account ? text::format("{} may not use account '{}'", user,
                                                      text::printable(*request.account, 64))
                                       : text::format("{} has no default account", user);
    if (request.partition) line += text::format(" in partition {}", text::printable(*request.partition, 64));
    return Refusal{RejectCode::invalid_account,
                   {line, "  your accounts: sacctmgr show associations user=$USER"}};
}

std::optional<Refusal> refuse_qos(const model::AccountView& view, limits::Release release) {
    if (view.job_qos.problem == QosProblem::none) return std::nullopt;
    Refusal refusal{RejectCode::invalid_qos, {qos_problem_text(view, release)}};
    if (view.job_qos.problem != QosProblem::requires_reservation)
        refusal.lines.push_back("  " + usable(view));
    return refusal;
}

} // namespace qg::gate

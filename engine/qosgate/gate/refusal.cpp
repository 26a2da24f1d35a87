// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/refusal.hpp"

#include "qosgate/base/text.hpp"

namespace qg::gate {
namespace {

using model::QosProblem;
using model::RejectCode;

/// Names for people: at most a dozen, the rest counted.
std::string list_names(std::span<const std::string> names) {
    constexpr std::size_t most = 12;
    if (names.size() <= most) return text::join(names, ", ");
    return text::format("{} and {} more", text::join(names.subspan(0, most), ", "), names.size() - most);
}

std::string who(const model::AccountView& view) {
    const std::string user = view.user_name.empty() ? "you" : "user " + view.user_name;
    return view.account.empty() ? user : text::format("{} in account {}", user, view.account);
}

std::string usable(const model::AccountView& view) {
    if (view.permitted_qos.empty()) return text::format("no QOS is open to {}", who(view));
    return text::format("QOS open to {}: {}", who(view), list_names(view.permitted_qos));
}

std::string qos_problem_text(const model::AccountView& view) {
    const std::string name = text::printable(view.job_qos.name, 64);
    switch (view.job_qos.problem) {
    case QosProblem::none: return "";
    case QosProblem::unknown:
        return text::format("there is no QOS '{}'{}", name, text::did_you_mean(name, view.permitted_qos));
    case QosProblem::not_permitted:
        return text::format("QOS {} exists, but is not open to {}", name, who(view));
    case QosProblem::default_not_permitted:
        return text::format("no QOS was asked for, and the default one, {}, is not open to {}", name,
                            who(view));
    case QosProblem::requires_reservation:
        return text::format("QOS {} is for jobs in a reservation: add --reservation=NAME", name);
    case QosProblem::relative_of_partition:
        return text::format(
            "QOS {} belongs to a partition, whose size its limits are percentages of; a job cannot "
            "ask for it",
            name);
    case QosProblem::list_not_allowed:
        return text::format("'{}' is not one QOS: name one, or several where this Slurm takes them", name);
    }
    return "";
}

} // namespace

std::optional<Refusal> refuse_partition(std::span<const std::string> unknown,
                                        const model::PartitionTable& all) {
    if (unknown.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& partition : all.all())
        names.push_back(partition->name);
    const std::string& wrong = unknown.front();
    return Refusal{RejectCode::invalid_partition,
                   {text::format("there is no partition '{}'{}", text::printable(wrong, 64),
                                 text::did_you_mean(wrong, names)),
                    text::format("  partitions: {}", list_names(names))}};
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

std::optional<Refusal> refuse_qos(const model::AccountView& view) {
    if (view.job_qos.problem == QosProblem::none) return std::nullopt;
    Refusal refusal{RejectCode::invalid_qos, {qos_problem_text(view)}};
    if (view.job_qos.problem != QosProblem::requires_reservation)
        refusal.lines.push_back("  " + usable(view));
    return refusal;
}

} // namespace qg::gate

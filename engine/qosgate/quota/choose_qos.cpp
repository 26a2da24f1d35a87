// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/choose_qos.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::quota {
namespace {

using model::QosProblem;

QosProblem problem_with(const QosDirectory& directory, std::uint32_t qos, const model::QosFlags& flags,
                        const QosQuestion& question, const model::Enforce& enforce) {
    if (enforce.qos && !question.any_qos_allowed && directory.has_association() &&
        !directory.is_permitted(qos))
        return question.requested.empty() ? QosProblem::default_not_permitted : QosProblem::not_permitted;
    if (flags.relative && directory.is_partition_qos(qos)) return QosProblem::relative_of_partition;
    if (flags.requires_reservation && !question.has_reservation) return QosProblem::requires_reservation;
    return QosProblem::none;
}

/// One name, or none.
ChosenQos choose_one(const QosDirectory& directory, const QosQuestion& question,
                     const model::Enforce& enforce) {
    ChosenQos chosen;
    chosen.asked = question.requested;
    chosen.is_default = question.requested.empty();
    chosen.id = chosen.is_default ? find_default_qos(directory) : directory.find(question.requested);
    if (chosen.id) {
        chosen.flags = directory.flags(*chosen.id);
        chosen.problem = problem_with(directory, *chosen.id, chosen.flags, question, enforce);
    } else if (enforce.qos && !chosen.is_default) {
        // Without `qos` in AccountingStorageEnforce a misspelt name silently becomes "no QOS"
        // (limits/README.md 2.4).
        chosen.problem = QosProblem::unknown;
    }
    return chosen;
}

/// Several names: the job must be allowed to use each of them, and the first one that it may not use is the
/// answer. An unknown name is never allowed.
[[gnu::cold]] ChosenQos choose_of_list(const QosDirectory& directory, const QosQuestion& question,
                                       const model::Enforce& enforce) {
    std::vector<std::uint32_t> ids;
    for (const std::string_view name : text::split(question.requested, ',')) {
        if (name.empty()) continue;
        QosQuestion one = question;
        one.requested = name;
        ChosenQos chosen = choose_one(directory, one, enforce);
        if (!chosen.id) chosen.problem = QosProblem::unknown;
        if (chosen.problem != QosProblem::none) return chosen;
        if (std::find(ids.begin(), ids.end(), *chosen.id) == ids.end()) ids.push_back(*chosen.id);
    }
    ChosenQos chosen;
    chosen.asked = question.requested;
    if (ids.size() < 2) {
        chosen.problem = QosProblem::list_not_allowed;
        return chosen;
    }
    std::stable_sort(ids.begin(), ids.end(), [&directory](std::uint32_t a, std::uint32_t b) {
        return directory.priority(a) > directory.priority(b);
    });
    chosen.id = ids.front();
    chosen.flags = directory.flags(ids.front());
    chosen.alternatives.assign(ids.begin() + 1, ids.end());
    return chosen;
}

} // namespace

std::optional<std::uint32_t> find_default_qos(const QosDirectory& directory) {
    if (const auto own = directory.association_default()) return own;
    if (const auto only = directory.only_permitted()) return only;
    if (const auto root = directory.root_default()) return root;
    return directory.find("normal");
}

ChosenQos choose_qos(const QosDirectory& directory, const QosQuestion& question,
                     const model::Enforce& enforce) {
    const auto comma = question.requested.find(',');
    if (comma == std::string_view::npos) return choose_one(directory, question, enforce);
    const bool has_names = question.requested.find_first_not_of(',') != std::string_view::npos;
    if (question.takes_lists && has_names) return choose_of_list(directory, question, enforce);
    ChosenQos chosen = choose_one(directory, question, enforce);
    if (chosen.problem == QosProblem::unknown) chosen.problem = QosProblem::list_not_allowed;
    return chosen;
}

} // namespace qg::quota

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/choose_qos.hpp"

namespace qg::quota {
namespace {

using model::QosProblem;

std::optional<std::uint32_t> default_qos(const QosFacts& facts) {
    if (const auto own = facts.association_default()) return own;
    if (const auto only = facts.only_permitted()) return only;
    if (const auto root = facts.root_default()) return root;
    return facts.find("normal");
}

QosProblem problem_with(const QosFacts& facts, std::uint32_t qos, bool is_default, bool has_reservation,
                        const model::Enforce& enforce) {
    if (enforce.qos && facts.has_association() && !facts.is_permitted(qos))
        return is_default ? QosProblem::default_not_permitted : QosProblem::not_permitted;
    const model::QosFlags flags = facts.flags(qos);
    if (flags.relative && facts.is_partition_qos(qos)) return QosProblem::relative_of_partition;
    if (flags.requires_reservation && !has_reservation) return QosProblem::requires_reservation;
    return QosProblem::none;
}

} // namespace

ChosenQos choose_qos(const QosFacts& facts, std::string_view requested, bool has_reservation,
                     const model::Enforce& enforce) {
    const bool is_default = requested.empty();
    const auto id = is_default ? default_qos(facts) : facts.find(requested);
    if (!id) {
        // Without `qos` in AccountingStorageEnforce a misspelt name silently becomes "no QOS"
        // (limits.md 2.9).
        const bool is_problem = enforce.qos && !is_default;
        return {std::nullopt, is_default, is_problem ? QosProblem::unknown : QosProblem::none};
    }
    return {id, is_default, problem_with(facts, *id, is_default, has_reservation, enforce)};
}

} // namespace qg::quota

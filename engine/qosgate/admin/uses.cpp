// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/admin/uses.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/association_tree.hpp"

#include <algorithm>

namespace qg::admin {
namespace {

using model::AssociationName;
using slurmdb::QosUse;

/// The most uses that a message has.
constexpr std::size_t max_shown = 12;

bool sets_another_default(const spec::Plan& plan, const AssociationName& holder, const std::string& qos) {
    return std::ranges::any_of(plan.access, [&](const model::AccessChange& change) {
        return change.name == holder && change.default_qos && *change.default_qos != qos;
    });
}

bool ends(const spec::Plan& plan, const QosUse& use, const AssociationName& holder) {
    if (!text::iequals(holder.cluster, plan.cluster)) return false;
    return use.kind->name == "association" || sets_another_default(plan, holder, use.qos);
}

} // namespace

slurmdb::QosUses without_ended(slurmdb::QosUses uses, const spec::Plan& plan) {
    for (QosUse& use : uses.found) {
        if (use.kind->name == "preempt") use.used_by.clear();
        const auto ended = [&](const AssociationName& holder) { return ends(plan, use, holder); };
        if (std::erase_if(use.holders, ended) == 0) continue;
        // Those below have it from the holders, and are told only where all of them stay.
        use.used_by.clear();
        for (const AssociationName& holder : use.holders)
            use.used_by.push_back(slurmdb::describe(holder));
    }
    std::erase_if(uses.found, [](const QosUse& use) { return use.used_by.empty(); });
    return uses;
}

Result<slurmdb::QosUses> find_lasting_uses(slurmdb::Connection& connection, slurmdb::QosStore& store,
                                           const spec::Plan& plan) {
    if (plan.removed.empty()) return slurmdb::QosUses();
    const slurmdb::Transaction fresh(connection);
    const auto all = store.read_all();
    if (!all) return all.error();
    std::vector<std::string> names;
    for (const model::QosRecord& record : plan.removed)
        if (slurmdb::find_qos(*all, record.name) != nullptr) names.push_back(record.name);
    if (names.empty()) return slurmdb::QosUses();
    auto uses = slurmdb::find_uses(connection, *all, names);
    if (!uses) return uses.error();
    return without_ended(*std::move(uses), plan);
}

Result<void> expect_no_use(const slurmdb::QosUses& uses) {
    std::vector<std::string> shown;
    std::size_t count = 0;
    for (const QosUse& use : uses.found)
        for (const std::string& who : use.used_by)
            if (++count <= max_shown)
                shown.push_back(text::format("QOS '{}' is in use: {}", text::printable(use.qos),
                                             slurmdb::describe_use(use, who)));
    if (count > max_shown) shown.push_back(text::format("and {} more uses", count - max_shown));
    if (!shown.empty()) return Error{ErrorCode::conflict, text::join(shown, "; ") + "; nothing was changed"};
    if (!uses.slurmctld_failure.empty())
        return Error{
            ErrorCode::unavailable,
            text::format("slurmctld does not show which jobs and partitions use the QOSs: {}; nothing "
                         "was changed",
                         uses.slurmctld_failure)};
    return {};
}

} // namespace qg::admin

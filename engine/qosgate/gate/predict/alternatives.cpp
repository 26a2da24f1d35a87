// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/alternatives.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

namespace qg::gate {
namespace {

using model::Partition;

/// The names that the user could ask for instead.
model::AccountView look_up_alternatives(const ResolvedRequest& at) {
    quota::Lookup lookup;
    lookup.user_id = at.request.user_id;
    lookup.reader = at.request.submit_uid;
    if (at.request.account) lookup.account = *at.request.account;
    lookup.lists_alternatives = true;
    lookup.partitions = at.partitions.found;
    return at.context.provider.check(lookup).value_or(model::AccountView{});
}

auto is_name(std::string_view wanted) {
    return [wanted](const std::string& name) { return text::iequals(name, wanted); };
}

void move_to_front(std::vector<std::string>& names, std::string_view first) {
    std::ranges::stable_partition(names, is_name(first));
}

void leave_out(std::vector<std::string>& names, std::string_view name) {
    std::erase_if(names, is_name(name));
}

/// Those of `names` that the site lists, in its order; all if it lists none.
std::vector<std::string> as_listed(std::vector<std::string> names,
                                   const std::optional<std::vector<std::string>>& list) {
    if (!list) return names;
    std::vector<std::string> listed;
    for (const std::string& wanted : *list) {
        const auto found = std::ranges::find_if(names, is_name(wanted));
        if (found == names.end()) continue;
        listed.push_back(std::move(*found));
        names.erase(found);
    }
    return listed;
}

} // namespace

std::vector<std::string> other_partitions(const ResolvedRequest& at, const policy::Settings& settings) {
    const auto& asked = at.partitions.found;
    const auto& list = settings.suggest_partition;
    const model::PartitionTable& table = at.context.cluster.partitions;
    std::vector<std::string> names;
    const auto consider = [&](const std::shared_ptr<const Partition>& partition) {
        if (partition && partition->is_for_everybody && partition->is_open() &&
            std::ranges::find(asked, partition) == asked.end())
            names.push_back(partition->name);
    };
    if (at.view().hidden.partitions) return names;
    if (list) {
        for (const std::string& name : *list)
            if (std::ranges::find(names, name) == names.end()) consider(table.find(name));
        return names;
    }
    const auto by_default = table.default_partition();
    consider(by_default);
    for (const auto& partition : table.all())
        if (partition != by_default) consider(partition);
    return names;
}

bool Alternatives::means_qos(const model::AccountView& with) const {
    if (lists_qos || !with.job_qos.qos || text::iequals(with.job_qos.name, default_qos)) return true;
    return with.qos[*with.job_qos.qos].priority <= qos_priority;
}

Alternatives find_alternatives(const ResolvedRequest& at, const policy::Settings& settings) {
    const model::AccountView& view = at.view();
    model::AccountView others = look_up_alternatives(at);
    Alternatives found{.qos = as_listed(std::move(others.permitted_qos), settings.suggest_qos),
                       .partitions = other_partitions(at, settings),
                       .accounts = std::move(others.accounts),
                       .lists_qos = settings.suggest_qos.has_value(),
                       .default_qos = std::move(others.default_qos),
                       .qos_priority = view.job_qos.qos ? view.qos[*view.job_qos.qos].priority
                                                        : std::numeric_limits<std::uint32_t>::max()};
    leave_out(found.qos, view.job_qos.name);
    move_to_front(found.qos, found.default_qos);
    leave_out(found.accounts, view.account);
    move_to_front(found.accounts, others.default_account);
    return found;
}

} // namespace qg::gate

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos/qos_cures.hpp"

#include "qos/qos_arguments.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace qg::cli {
namespace {

using model::AssociationName;

/// The associations of one command, and what it changes.
struct Step {
    std::string names; ///< of accounts, or of users of one account
    AssociationName first;
    std::string change;
    std::size_t phase; ///< 0: changes only defaults; 1: changes both; 2: changes only lists of QOSs
};

/// A name in the shell's syntax. It may be empty.
std::string word(const std::string& name) {
    return name.empty() ? "''" : text::shell_word(name);
}

/// What ends the use: the cure of its kind, with the names filled in.
std::string cure_of(const slurmdb::QosUse& use) {
    std::string cure(use.kind->cure);
    const auto fill = [&](std::string_view place, const std::string& name) {
        for (auto at = cure.find(place); at != std::string::npos; at = cure.find(place, at + name.size()))
            cure.replace(at, place.size(), name);
    };
    fill("{qos}", text::shell_word(use.qos));
    fill("{by}", text::shell_word(text::join(use.used_by, ",")));
    return cure;
}

auto key_of_holder(const AssociationName& name) {
    return std::tie(name.cluster, name.account, name.user, name.partition);
}

/// The changes of each association that uses one of the QOSs. Changes of defaults come first.
std::vector<Step> steps_of(const slurmdb::QosUses& uses) {
    std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::size_t> places;
    std::vector<Step> steps;
    for (const slurmdb::QosUse& use : uses.found)
        for (const AssociationName& holder : use.holders) {
            const auto [place, is_new] =
                places.try_emplace(std::tuple_cat(std::tuple(use.qos), key_of_holder(holder)), steps.size());
            const std::string& name = holder.user.empty() ? holder.account : holder.user;
            const bool is_of_lists = use.kind->cure.starts_with("qos-=");
            if (is_new) {
                steps.push_back({name, holder, cure_of(use), is_of_lists ? 2u : 0u});
                continue;
            }
            Step& step = steps[place->second];
            step.change += " " + cure_of(use);
            step.phase = 1;
        }
    std::ranges::stable_sort(steps, {}, &Step::phase);
    return steps;
}

/// Whether one command can make both changes: for accounts of one cluster, or for users of one account.
bool can_join(const Step& a, const Step& b) {
    const bool is_user = !a.first.user.empty();
    return a.change == b.change && is_user == !b.first.user.empty() && a.first.cluster == b.first.cluster &&
           a.first.partition == b.first.partition && (!is_user || a.first.account == b.first.account);
}

} // namespace

std::string modify_command(const std::string& names, const AssociationName& first, std::string_view change) {
    std::string command =
        text::format("sacctmgr -i modify {} {} where cluster={}", first.user.empty() ? "account" : "user",
                     text::shell_word(names), text::shell_word(first.cluster));
    if (!first.user.empty())
        command +=
            text::format(" account={} partition={}", text::shell_word(first.account), word(first.partition));
    return text::format("{} set {}", command, change);
}

std::vector<std::string> cure_commands(const slurmdb::QosUses& uses) {
    std::vector<Step> joined;
    for (Step& step : steps_of(uses)) {
        if (!joined.empty() && can_join(joined.back(), step))
            joined.back().names += "," + step.names;
        else
            joined.push_back(std::move(step));
    }
    std::vector<std::string> commands;
    if (std::ranges::any_of(joined, [](const Step& step) { return step.phase < 2; }))
        commands.emplace_back("# a default of -1 is the default of the account above");
    for (const Step& step : joined)
        commands.push_back(modify_command(step.names, step.first, step.change));
    for (const slurmdb::QosUse& use : uses.found)
        if (use.holders.empty() && !use.kind->cure.empty()) commands.push_back(cure_of(use));
    return commands;
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos/qos_objections.hpp"

#include "qos/qos_arguments.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace qg::cli {
namespace {

constexpr std::size_t max_objections = 20;

constexpr std::string_view unknown_outcome =
    "pending jobs with a deleted QOS never start, and slurmctld does not start again if slurm.conf gives "
    "one to a partition";

std::string line_of(const slurmdb::QosUse& use, const std::string& who) {
    return text::format("\n  {}: {}", text::printable(use.qos), slurmdb::describe_use(use, who));
}

/// The uses of QOSs without one that nothing ends: to end only the others of a QOS does not help.
slurmdb::QosUses that_can_end(const slurmdb::QosUses& uses) {
    slurmdb::QosUses ending = uses;
    std::erase_if(ending.found, [&uses](const slurmdb::QosUse& use) {
        return std::ranges::any_of(uses.found, [&use](const slurmdb::QosUse& other) {
            return other.qos == use.qos && other.kind->cure.empty();
        });
    });
    return ending;
}

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

bool Objections::empty() const {
    return uses_.found.empty() && !is_unknown();
}

bool Objections::forbid(bool is_forced) const {
    if (!is_forced) return !empty();
    return std::any_of(uses_.found.begin(), uses_.found.end(),
                       [](const slurmdb::QosUse& use) { return !use.kind->can_be_forced; });
}

std::string Objections::use_lines() const {
    std::string lines;
    std::size_t count = 0;
    for (const slurmdb::QosUse& use : uses_.found)
        for (const std::string& who : use.used_by)
            if (++count <= max_objections) lines += line_of(use, who);
    if (count > max_objections)
        lines += text::format("\n  ... and {} more uses (--json lists all)", count - max_objections);
    return lines;
}

std::vector<const slurmdb::QosUseKind*> Objections::kinds() const {
    std::vector<const slurmdb::QosUseKind*> kinds;
    for (const slurmdb::QosUse& use : uses_.found)
        if (std::find(kinds.begin(), kinds.end(), use.kind) == kinds.end()) kinds.push_back(use.kind);
    return kinds;
}

std::string Objections::outcome_lines(bool can_be_forced) const {
    std::string lines;
    for (const slurmdb::QosUseKind* kind : kinds())
        if (kind->can_be_forced == can_be_forced) lines += text::format("\n  {}", kind->outcome);
    if (can_be_forced && is_unknown()) lines += text::format("\n  {}", unknown_outcome);
    return lines;
}

std::string Objections::cure_lines() const {
    std::vector<std::string> cures = cure_commands(that_can_end(uses_));
    const std::size_t left = cures.size() - std::min(cures.size(), max_objections);
    cures.resize(cures.size() - left);
    std::string lines;
    for (const std::string& cure : cures)
        lines += text::format("\n  {}", text::printable(cure, std::string::npos));
    if (left > 0) lines += text::format("\n  # ... and {} more commands: repeat this after these", left);
    if (is_unknown()) lines += "\n  # start slurmctld, or wait until it answers";
    return lines;
}

Error Objections::error(Force force) const {
    std::string message = "nothing was deleted:" + use_lines();
    if (is_unknown())
        message += text::format("\n  slurmctld cannot be reached ({}): jobs and partitions are unknown",
                                uses_.slurmctld_failure);
    if (const std::string cures = cure_lines(); !cures.empty()) message += "\nwhat to do first:" + cures;
    const std::string barred = outcome_lines(/*can_be_forced=*/false);
    if (!barred.empty())
        message += (force == Force::is_no_option ? "\notherwise:" : "\n--force does not help:") + barred;
    else if (force == Force::is_possible)
        message +=
            "\nwith --force they are deleted anyway, and then:" + outcome_lines(/*can_be_forced=*/true);
    return {uses_.found.empty() ? ErrorCode::unavailable : ErrorCode::conflict, message};
}

std::string Objections::warning() const {
    std::string message = "--force deletes what is, or may be, in use:" + use_lines();
    if (is_unknown())
        message += text::format("\n  slurmctld cannot be reached ({}): jobs and partitions are unknown",
                                uses_.slurmctld_failure);
    return message + "\nwhat happens then:" + outcome_lines(/*can_be_forced=*/true);
}

Json to_json(const Objections& objections) {
    Json list = Json::array();
    for (const slurmdb::QosUse& use : objections.uses().found)
        list.push_back({{"qos", use.qos},
                        {"kind", use.kind->name},
                        {"by", use.used_by},
                        {"can_be_forced", use.kind->can_be_forced}});
    const std::string& failure = objections.uses().slurmctld_failure;
    return {{"uses", list}, {"slurmctld_failure", failure.empty() ? Json() : Json(failure)}};
}

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

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint that look at who may use a QOS, and at associations.
#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/report/holders.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace qg::report {

std::string update_qos(const std::string& qos, const std::string& assignment) {
    return text::format("qosgate qos update {} {}", text::shell_word(qos), text::shell_word(assignment));
}

std::string owner(const model::QosRecord& qos) {
    return "QOS " + text::printable(qos.name);
}

const model::QosRecord* find_qos(const LintInput& input, const std::string& name) {
    const auto found = std::ranges::find_if(
        input.qos, [&](const model::QosRecord& qos) { return text::iequals(qos.name, name); });
    return found == input.qos.end() ? nullptr : &*found;
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::any_of(names, [&](const std::string& other) { return text::iequals(other, name); });
}

bool may_be_used(const LintInput& input, const std::string& qos) {
    return !input.settings.enforce.qos ||
           std::ranges::any_of(input.associations, [&](const LintAssociation& each) {
               return each.level == model::AssociationLevel::user && (!each.qos || has_name(*each.qos, qos));
           });
}

namespace {

constexpr std::size_t max_depth = 64; ///< of associations

/// Whether a partition takes jobs of this account. Some releases take those of the accounts below, too.
bool admits_account(const LintInput& input, const model::Partition& partition,
                    const LintAssociation& association) {
    if (partition.allow_accounts.empty()) return !has_name(partition.deny_accounts, association.account);
    const LintAssociation* at = &association;
    for (std::size_t i = 0; i < max_depth; ++i) {
        if (has_name(partition.allow_accounts, at->account)) return true;
        if (!at->parent) break;
        at = &input.associations.at(*at->parent);
    }
    return false;
}

} // namespace

bool may_be_used_in(const LintInput& input, const std::string& qos, const model::Partition& partition) {
    if (!admits(partition, qos)) return false;
    return std::ranges::any_of(input.associations, [&](const LintAssociation& each) {
        const bool has_qos = !input.settings.enforce.qos || !each.qos || has_name(*each.qos, qos);
        return each.level == model::AssociationLevel::user && has_qos &&
               (each.partition.empty() || each.partition == partition.name) &&
               admits_account(input, partition, each);
    });
}

std::string name_of(const LintAssociation& association) {
    std::string name = text::format("account {}", text::printable(association.account));
    if (!association.user.empty())
        name = text::format("user {} in {}", text::printable(association.user), name);
    if (!association.partition.empty())
        name += text::format(", partition {}", text::printable(association.partition));
    return name;
}

std::string modify_association(const LintInput& input, const LintAssociation& association,
                               const std::string& assignment) {
    // slurmdbd may have the accounts of several clusters.
    const std::string cluster = input.cluster.empty() ? "" : " cluster=" + text::shell_word(input.cluster);
    if (association.user.empty())
        return text::format("sacctmgr -i modify account where name={}{} set {}",
                            text::shell_word(association.account), cluster, text::shell_word(assignment));
    return text::format(
        "sacctmgr -i modify user where name={} account={}{}{} set {}", text::shell_word(association.user),
        text::shell_word(association.account),
        association.partition.empty() ? "" : " partition=" + text::shell_word(association.partition), cluster,
        text::shell_word(assignment));
}

namespace lint {
namespace {

using model::AssociationLevel;
using model::QosRecord;

/// The QOS of a job without --qos; empty: none.
std::string default_qos_of(const LintInput& input, const LintAssociation& association) {
    if (association.default_qos) return *association.default_qos;
    if (association.qos->size() == 1) return association.qos->front();
    for (const LintAssociation& each : input.associations)
        if (each.level == AssociationLevel::root && each.default_qos) return *each.default_qos;
    return "normal";
}

/// What names a QOS, so that it cannot be deleted: "AllowQos of partition viz".
std::vector<std::string> find_names(const LintInput& input, const std::string& qos) {
    std::vector<std::string> uses;
    for (const model::Partition& partition : input.partitions) {
        if (has_name(partition.allow_qos, qos)) uses.push_back("AllowQos of partition " + partition.name);
        if (has_name(partition.deny_qos, qos)) uses.push_back("DenyQos of partition " + partition.name);
    }
    if (has_name(input.named_in_conf, qos)) uses.emplace_back("slurm.conf");
    return uses;
}

} // namespace

void qos_unused(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        const auto names_it = [&](const model::Partition& each) { return is_qos_of(each, qos.name); };
        if (std::ranges::any_of(input.partitions, names_it) || may_be_used(input, qos.name)) continue;
        const std::string text =
            "nobody may use it: it is in no user's list, and it is not the QOS of a partition";
        const auto uses = find_names(input, qos.name);
        if (uses.empty())
            findings.add(qos, text, text::format("qosgate qos delete {}", text::shell_word(qos.name)));
        else
            findings.advise(qos, text,
                            text::format("before it is deleted, take its name out of {}; slurmctld does not "
                                         "start with a name that it does not know",
                                         text::list_names(uses)));
    }
}

namespace {

/// Max limits count for each user, and slurmctld sends them so, wherever they are set. Gathers those that
/// users of one account have alike.
class LimitsOfUsers {
  public:
    explicit LimitsOfUsers(const LintInput& input) : input_(input) {
        for (const LintAssociation& each : input.associations)
            if (is_in_account(each)) ++users_in_[*each.parent];
    }

    static bool is_in_account(const LintAssociation& association) {
        return association.level == AssociationLevel::user && association.parent;
    }

    void add(const LintAssociation& user, const std::string& text, const std::string& advice,
             const std::string& assignment) {
        found_[{*user.parent, text, advice, assignment}].push_back(&user);
    }

    /// Tells each once, of the account if all of its users have it.
    void tell(Findings& findings) const {
        for (const auto& [key, users] : found_) {
            const auto& [account, text, advice, assignment] = key;
            std::vector<const LintAssociation*> places = users;
            if (users.size() > 1 && users.size() == users_in_.at(account))
                places = {&input_.associations.at(account)};
            for (const LintAssociation* place : places)
                findings.advise(name_of(*place), text,
                                assignment.empty()
                                    ? advice
                                    : text::format("{} where it is set, here or in an account above: {}",
                                                   advice, modify_association(input_, *place, assignment)));
        }
    }

  private:
    const LintInput& input_;
    std::map<std::size_t, std::size_t> users_in_; ///< by account
    /// By account, text, advice and assignment.
    std::map<std::tuple<std::size_t, std::string, std::string, std::string>,
             std::vector<const LintAssociation*>>
        found_;
};

} // namespace

void zero_association_limit(const LintInput& input, Findings& findings) {
    LimitsOfUsers of_users(input);
    for (const LintAssociation& association : input.associations)
        for (const SetLimit& limit : effective_limits_of(association, *input.tres)) {
            if (!allows_nothing(limit)) continue;
            const std::string text =
                limit.text() + " allows no job: zero is a limit; unlimited is a limit that is not set";
            if (LimitsOfUsers::is_in_account(association) && limit.facts->is_of_users_alone())
                of_users.add(association, text, "unset it", limit.unset_text());
            else
                findings.add(name_of(association), text,
                             modify_association(input, association, limit.unset_text()));
        }
    of_users.tell(findings);
}

void typed_association_limit_alone(const LintInput& input, Findings& findings) {
    LimitsOfUsers of_users(input);
    for (const LintAssociation& association : input.associations)
        for (const TypedGap& gap : typed_gaps_of(effective_limits_of(association, *input.tres))) {
            if (LimitsOfUsers::is_in_account(association) && gap.all.facts->is_of_users_alone()) {
                of_users.add(association, gap.text(), gap.advice(), gap.assignment());
                continue;
            }
            const std::string assignment = gap.assignment();
            findings.advise(name_of(association), gap.text(),
                            assignment.empty()
                                ? gap.advice()
                                : text::format("{}: {}", gap.advice(),
                                               modify_association(input, association, assignment)));
        }
    of_users.tell(findings);
}

void no_default_qos(const LintInput& input, Findings& findings) {
    if (!input.settings.enforce.qos) return;
    // Users of one account for whom the same command helps.
    std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<std::string>> users;
    for (const LintAssociation& each : input.associations) {
        if (each.level != AssociationLevel::user || !each.qos || each.qos->empty()) continue;
        const std::string qos = default_qos_of(input, each);
        if (!has_name(*each.qos, qos))
            users[{each.account, each.partition, qos, each.qos->front()}].push_back(each.user);
    }
    for (const auto& [key, names] : users) {
        const auto& [account, partition, qos, first] = key;
        LintAssociation all{.account = account, .user = text::join(names, ","), .partition = partition};
        findings.add(
            name_of({.level = AssociationLevel::account, .account = account, .partition = partition}),
            text::format("jobs of {} without --qos are refused: they get QOS {}, which their lists do "
                         "not have",
                         text::list_names(names), text::printable(qos)),
            modify_association(input, all, "defaultqos=" + first));
    }
}

void default_qos_not_admitted(const LintInput& input, Findings& findings) {
    if (!input.settings.enforce.qos) return;
    const auto partition = std::ranges::find_if(input.partitions, &model::Partition::is_default);
    if (partition == input.partitions.end()) return;
    std::map<std::string, std::vector<std::string>> users; // by default QOS
    for (const LintAssociation& each : input.associations) {
        const bool is_there = each.level == AssociationLevel::user && each.qos && !each.qos->empty() &&
                              (each.partition.empty() || each.partition == partition->name) &&
                              admits_account(input, *partition, each);
        if (!is_there) continue;
        const std::string qos = default_qos_of(input, each);
        if (has_name(*each.qos, qos) && !admits(*partition, qos)) users[qos].push_back(each.user);
    }
    for (auto& [qos, names] : users) {
        std::ranges::sort(names);
        names.erase(std::ranges::unique(names).begin(), names.end());
        const bool is_denied = partition->allow_qos.empty();
        findings.advise(
            "partition " + text::printable(partition->name),
            text::format("jobs of {} with neither --qos nor --partition are refused or wait for ever: "
                         "they get QOS {}, which this default partition does not accept",
                         text::list_names(names), text::printable(qos)),
            text::format("slurm.conf: in the line of PartitionName={}, {}; then: scontrol reconfigure; or "
                         "give these users another default QOS",
                         text::printable(partition->name),
                         is_denied ? text::format("take {} out of DenyQos", text::printable(qos))
                                   : text::format("add {} to AllowQos", text::printable(qos))));
    }
}

void group_above_parent(const LintInput& input, Findings& findings) {
    for (const LintAssociation& association : input.associations) {
        for (const SetLimit& limit : limits_of(association, *input.tres)) {
            const LintAssociation* at = &association;
            for (std::size_t i = 0; i < max_depth && at->parent; ++i) {
                at = &input.associations.at(*at->parent);
                const auto above = limits_of(*at, *input.tres);
                const auto lower = std::ranges::find_if(above, [&](const SetLimit& each) {
                    return each.facts == limit.facts && each.tres == limit.tres && each.value < limit.value;
                });
                if (lower == above.end()) continue;
                findings.add(name_of(association),
                             text::format("{} never counts: {} of {} is lower", limit.text(), lower->text(),
                                          name_of(*at)),
                             modify_association(input, association, limit.unset_text()));
                break;
            }
        }
    }
}

namespace {

/// Whether jobs of this user may have a QOS with that limit: it replaces the association's.
bool may_be_replaced(const LintInput& input, const LintAssociation& user, const SetLimit& limit) {
    return std::ranges::any_of(input.qos, [&](const QosRecord& qos) {
        const bool is_of_partition = std::ranges::any_of(
            input.partitions, [&](const model::Partition& each) { return is_qos_of(each, qos.name); });
        const bool may_use = !input.settings.enforce.qos || !user.qos || has_name(*user.qos, qos.name);
        return (is_of_partition || may_use) &&
               std::ranges::any_of(limits_of(qos), [&](const SetLimit& other) {
                   return other.facts == limit.facts && other.tres == limit.tres;
               });
    });
}

/// The lowest Grp limit of the user, or of an account above, that is below a Max limit of the user.
std::optional<std::pair<const LintAssociation*, SetLimit>>
find_lower_group(const LintInput& input, const LintAssociation& user, const SetLimit& maximum) {
    std::optional<std::pair<const LintAssociation*, SetLimit>> lowest;
    const LintAssociation* at = &user;
    for (std::size_t i = 0; i < max_depth; ++i) {
        for (const SetLimit& group : limits_of(*at, *input.tres)) {
            const bool is_lower = group.tres == maximum.tres && is_part_of(*maximum.facts, *group.facts) &&
                                  group.value < maximum.value && !allows_nothing(group) &&
                                  !may_be_replaced(input, user, group);
            if (is_lower && (!lowest || group.value < lowest->second.value)) lowest.emplace(at, group);
        }
        if (!at->parent) break;
        at = &input.associations.at(*at->parent);
    }
    return lowest;
}

} // namespace

void maximum_above_group(const LintInput& input, Findings& findings) {
    // slurmctld sends Max limits to users as they count, wherever they are set: one finding for an account.
    struct Found {
        std::vector<std::string> users;
        std::string lower;
        std::string unset;
    };
    std::map<std::tuple<std::string, std::string>, Found> found; // by account and limit
    for (const LintAssociation& user : input.associations) {
        if (user.level != AssociationLevel::user) continue;
        for (const SetLimit& limit : effective_limits_of(user, *input.tres)) {
            if (!limit.facts->is_of_users_alone()) continue;
            const auto lower = find_lower_group(input, user, limit);
            if (!lower) continue;
            Found& here = found[{user.account, limit.text()}];
            here.users.push_back(user.user);
            here.lower = text::format("{} of {}", lower->second.text(), name_of(*lower->first));
            here.unset = limit.unset_text();
        }
    }
    for (const auto& [key, here] : found) {
        const auto& [account, limit] = key;
        const LintAssociation all{.account = account, .user = text::join(here.users, ",")};
        findings.advise(name_of({.level = AssociationLevel::account, .account = account}),
                        text::format("{} of {} never counts: {} is lower", limit,
                                     text::list_names(here.users), here.lower),
                        text::format("lower it, or unset it where it is set, here or in an account above: {}",
                                     modify_association(input, all, here.unset)));
    }
}

} // namespace lint
} // namespace qg::report

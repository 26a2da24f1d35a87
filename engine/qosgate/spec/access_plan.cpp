// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/access_plan.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"
#include "qosgate/spec/access_tree.hpp"
#include "qosgate/spec/default_checks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace qg::spec {
namespace {

using model::AccessChange;
using model::AssociationRecord;
using model::NameSet;

/// The most associations that one warning names.
constexpr std::size_t max_unreached = 5;

/// What the files want of one association.
struct Wanted {
    NameSet qos = {};
    std::optional<std::string> default_qos = {};
    const Position* default_place = nullptr; ///< where the files say so
};

class AccessPlanner {
  public:
    AccessPlanner(std::span<const DesiredQos* const> wanted, bool has_all, const LiveState& live,
                  const NameSet& removed)
        : desired_(wanted), has_all_(has_all), removed_(removed), tree_(live.associations),
          wanted_(tree_.size()) {}

    AccessPlan plan() && {
        for (const DesiredQos* qos : desired_)
            read(*qos);

        std::vector<AssociationRecord> after;
        after.reserve(tree_.size());
        for (std::size_t i = 0; i < tree_.size(); ++i) {
            const auto parent = tree_.parent(i);
            after.push_back(decide(i, parent ? &after[*parent] : nullptr));
        }
        warn_of_unreached(after);
        for (UnusableDefault& problem : find_unusable_defaults(tree_, after, removed_))
            if (is_certain(problem))
                add_problem(place_for(problem.association, problem.qos), std::move(problem.text));
        for (std::size_t i = 0; i < tree_.size(); ++i)
            if (!wanted_[i].qos.empty())
                result_.named.push_back({.name = tree_[i].name, .granted = wanted_[i].qos});
        std::ranges::sort(result_.named, {}, &AccessChange::name);
        sort();
        return std::move(result_);
    }

  private:
    void add_problem(const Position& position, std::string text) {
        result_.problems.push_back({position, std::move(text)});
    }

    // ---- what the files name -----------------------------------------------------------------------------

    void read(const DesiredQos& qos) {
        const DesiredAccess& access = *qos.access;
        if (access.lacks_entries) lacking_.insert(qos.name);
        for (const auto& [index, position] :
             find(qos, access.accounts, access.entries.accounts, access.users, access.entries.users))
            wanted_[index].qos.insert(qos.name);
        for (const auto& [index, position] :
             find(qos, access.default_for_accounts, access.entries.default_for_accounts,
                  access.default_for_users, access.entries.default_for_users)) {
            auto& wanted = wanted_[index];
            if (wanted.default_qos && *wanted.default_qos != qos.name)
                add_problem(*position,
                            text::format("QOS '{}': access: QOS '{}', too, is to be the default of {}",
                                         qos.name, *wanted.default_qos, describe(tree_[index].name)));
            wanted.default_qos = qos.name;
            wanted.default_place = position;
        }
        if (access.is_complete) complete_.insert(qos.name);
    }

    /// An association that is named: its place in the tree, and the one in the files.
    using Found = std::pair<std::size_t, const Position*>;

    /// All associations named. Those that do not exist are problems.
    std::vector<Found> find(const DesiredQos& qos, const std::vector<std::string>& accounts,
                            const Places<std::string>& account_places, const std::vector<DesiredUser>& users,
                            const Places<DesiredUser>& user_places) {
        std::vector<Found> found;
        const auto refuse = [&](const Position& position, const std::string& why) {
            add_problem(position, text::format("QOS '{}': access: {}", qos.name, why));
            lacking_.insert(qos.name);
        };
        for (const std::string& account : accounts) {
            const Position& position = place_of(account_places, account, qos.access->position);
            if (const auto index = tree_.find_account(text::lower(account)))
                found.emplace_back(*index, &position);
            else
                refuse(position, unknown_account(account));
        }
        for (const DesiredUser& user : users) {
            const Position& position = place_of(user_places, user, qos.access->position);
            const auto indices = tree_.find_user(user.user, text::lower(user.account), user.partition);
            for (const std::size_t index : indices)
                found.emplace_back(index, &position);
            if (indices.empty()) refuse(position, unknown_user(user));
        }
        return found;
    }

    /// Whether the problem stays when the entries are there that could not be read. If the files do not ask
    /// for the default, another one may have been meant.
    bool is_certain(const UnusableDefault& problem) const {
        if (!has_all_) return false;
        return wanted_[problem.association].default_qos == problem.qos ? !lacking_.contains(problem.qos)
                                                                       : lacking_.empty();
    }

    /// Where the files say that the QOS is to be the association's default, or who may use it.
    Position place_for(std::size_t index, const std::string& qos) const {
        const Wanted& wanted = wanted_[index];
        if (wanted.default_qos == qos) return *wanted.default_place;
        const auto named =
            std::ranges::find_if(desired_, [&](const DesiredQos* each) { return each->name == qos; });
        return named == desired_.end() ? Position{} : (*named)->access->position;
    }

    std::string unknown_account(const std::string& account) const {
        return text::format("there is no account '{}'{}", text::printable(account),
                            text::did_you_mean(account, tree_.accounts()));
    }

    std::string unknown_user(const DesiredUser& user) const {
        const auto all = tree_.find_user(user.user, {}, {});
        if (all.empty())
            return text::format("there is no user '{}'{}", text::printable(user.user),
                                text::did_you_mean(user.user, tree_.users()));
        if (!user.account.empty() && !tree_.find_account(text::lower(user.account)))
            return unknown_account(user.account);
        std::vector<std::string> names;
        for (const std::size_t index : all)
            names.push_back(tree_[index].name.account + (tree_[index].name.partition.empty()
                                                             ? std::string()
                                                             : " partition " + tree_[index].name.partition));
        return text::format("there is no {}; this user is in {}",
                            describe(model::AssociationName{{}, user.account, user.user, user.partition}),
                            text::printable(text::list_names(names), 1000));
    }

    // ---- what follows ------------------------------------------------------------------------------------

    /// The association afterwards. `above` is the one above it, afterwards.
    AssociationRecord decide(std::size_t index, const AssociationRecord* above) {
        const AssociationRecord& before = tree_[index];
        AssociationRecord now = without_qos(tree_.inherit(index, above), removed_, above);
        const Wanted& wanted = wanted_[index];

        AccessChange change{.name = before.name,
                            .granted = model::difference(wanted.qos, now.qos),
                            .revoked = to_revoke(index, now)};
        if (wanted.default_qos && now.default_qos != wanted.default_qos)
            change.default_qos = wanted.default_qos;
        const auto changes = [&] {
            return !change.granted.empty() || !change.revoked.empty() || change.default_qos;
        };
        AssociationRecord after = changes() ? with_change(now, change, above) : now;
        if (!wanted.default_qos)
            if (auto warning = replace_default(before, now, above, change, after))
                result_.warnings.push_back(*std::move(warning));
        if (after.qos.empty() && !before.qos.empty() && (changes() || before.own_qos))
            result_.warnings.push_back(text::format("{} may use no QOS any more", describe(before.name)));
        if (!changes()) return after;
        result_.changes.push_back(std::move(change));
        result_.base.push_back(before);
        return after;
    }

    /// A warning for each QOS that does not reach all below a named account: what has a list of its own, or
    /// had the QOS revoked. What is below such a one is not told again.
    void warn_of_unreached(std::span<const AssociationRecord> after) {
        std::map<std::string, std::vector<std::string>> unreached;
        for (std::size_t i = 0; i < after.size(); ++i) {
            const auto parent = tree_.parent(i);
            NameSet here;
            for (auto named = parent; named; named = tree_.parent(*named))
                for (const std::string& qos : wanted_[*named].qos)
                    if (!after[i].qos.contains(qos) && after[*parent].qos.contains(qos)) here.insert(qos);
            for (const std::string& qos : here)
                unreached[qos].push_back(describe(after[i].name));
        }
        for (auto& [qos, who] : unreached) {
            const std::size_t all = who.size();
            who.resize(std::min(all, max_unreached));
            const std::string more = all > who.size() ? text::format(" and {} more", all - who.size()) : "";
            result_.unreached.push_back(
                text::format("QOS '{}': access: {}{} may not use it, though the account above is named: an "
                             "own list shuts it "
                             "out, or it was revoked there; to grant it there, too, name them",
                             text::printable(qos), text::join(who, ", "), more));
        }
    }

    NameSet to_revoke(std::size_t index, const AssociationRecord& now) const {
        const auto parent = tree_.parent(index);
        const AssociationRecord* above = parent ? &tree_[*parent] : nullptr;
        NameSet revoked;
        for (const std::string& name : now.qos)
            if (complete_.contains(name) && has_itself(tree_[index], above, name) && !is_covered(index, name))
                revoked.insert(name);
        return revoked;
    }

    bool is_covered(std::optional<std::size_t> index, const std::string& name) const {
        for (; index; index = tree_.parent(*index))
            if (wanted_[*index].qos.contains(name)) return true;
        return false;
    }

    void sort() {
        std::vector<std::size_t> order(result_.changes.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return result_.changes[a].name < result_.changes[b].name;
        });
        std::vector<AccessChange> changes;
        std::vector<AssociationRecord> base;
        for (const std::size_t index : order) {
            changes.push_back(std::move(result_.changes[index]));
            base.push_back(std::move(result_.base[index]));
        }
        result_.changes = std::move(changes);
        result_.base = std::move(base);
    }

    std::span<const DesiredQos* const> desired_;
    bool has_all_;
    const NameSet& removed_;
    AccessTree tree_;
    std::vector<Wanted> wanted_;
    std::set<std::string> complete_;
    std::set<std::string> lacking_; ///< QOSs of whose access entries are wrong, so that others are missing
    AccessPlan result_;
};

} // namespace

AccessPlan plan_access(std::span<const DesiredQos* const> wanted, bool has_all, const LiveState& live,
                       const NameSet& removed) {
    if (live.hides_associations && !wanted.empty()) {
        const DesiredQos& first = *wanted.front();
        const std::string why = text::format("QOS '{}': access: who may use a QOS cannot be compared: {}",
                                             text::printable(first.name), hidden_associations);
        AccessPlan none;
        none.problems.push_back({first.access->position, why});
        none.lacks_permission = true;
        return none;
    }
    return AccessPlanner(wanted, has_all, live, removed).plan();
}

} // namespace qg::spec

// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/grant_ends.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"
#include "qosgate/spec/access_tree.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/default_checks.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace qg::cli {
namespace {

using model::AccessChange;
using model::AssociationRecord;
using model::difference;
using model::NameSet;
using model::own_access;
using model::OwnAccess;
using spec::with_change;

/// The grants of one association, and what it is when those of the accounts above have ended.
class EndOfOne {
  public:
    EndOfOne(const AssociationRecord& record, const AssociationRecord* above)
        : record_(record), above_(above) {}

    /// Plans the end, unless the access is not as it was granted. Returns why it is not; empty: it is.
    std::string add(const TemporaryGrant& grant) {
        if (!record_.qos.contains(grant.qos)) return "it was revoked before";
        const bool is_above = above_ != nullptr && above_->qos.contains(grant.qos);
        const bool is_as_granted = record_.own_qos
                                       ? !is_above || grant.before == StoredBefore::own_list
                                       : above_ == nullptr || record_.added_qos.contains(grant.qos);
        if (!is_as_granted) return inherited();
        revoked_.insert(grant.qos);
        if (grant.before == StoredBefore::removed) removed_.insert(grant.qos);
        return {};
    }

    /// Empty: nothing changes.
    [[nodiscard]] std::optional<AccessChange> change() {
        AccessChange plain{.name = record_.name, .revoked = revoked_};
        if (revoked_.empty()) return std::nullopt;
        const OwnAccess own = own_access(record_);
        if (!own.whole.empty()) return plain;
        OwnAccess target{.whole = {}, .added = difference(own.added, revoked_), .removed = own.removed};
        target.removed.insert(removed_.begin(), removed_.end());
        if (own_access(with_change(record_, plain, above_)) == target) return plain;
        if (!has_default_among(target.added)) return AccessChange{.name = record_.name, .own = target};
        // slurmdbd would have to clear the differences, and from 24.11 on refuses that then.
        for (const std::string& qos : difference(revoked_, removed_))
            if (above_ != nullptr && above_->qos.contains(qos)) kept_.insert(qos);
        plain.revoked = difference(revoked_, kept_);
        return plain.revoked.empty() ? std::nullopt : std::optional(plain);
    }

    /// Whether the grant has to stay in the list: what it has granted is still stored. After change().
    [[nodiscard]] bool is_kept(const std::string& qos) const { return kept_.contains(qos); }

    /// Why a QOS may be used that is not granted any more.
    [[nodiscard]] std::string inherited() const {
        return text::format("account {} may use it now",
                            text::printable(above_ == nullptr ? record_.name.account : above_->name.account));
    }

  private:
    [[nodiscard]] bool has_default_among(const NameSet& added) const {
        return record_.default_qos && added.contains(*record_.default_qos) &&
               (above_ == nullptr || !above_->qos.contains(*record_.default_qos));
    }

    const AssociationRecord& record_;
    const AssociationRecord* above_;
    NameSet revoked_;
    NameSet removed_; ///< of these: those that it had removed from the list above
    NameSet kept_;
};

/// One association and its grants.
struct OneEnd {
    std::optional<AccessChange> change;
    AssociationRecord after;
    EndedGrants ended;
};

/// `record`: as it is when the grants of the accounts above have ended.
OneEnd end_one(const AssociationRecord& record, const AssociationRecord* above,
               const std::vector<const TemporaryGrant*>& grants) {
    using Left = EndedGrants::Left;
    OneEnd one;
    EndOfOne end(record, above);
    std::vector<const TemporaryGrant*> as_granted;
    for (const TemporaryGrant* grant : grants) {
        std::string why = end.add(*grant);
        if (why.empty())
            as_granted.push_back(grant);
        else
            one.ended.left.push_back(Left{
                .grant = *grant, .why = std::move(why), .was_revoked = !record.qos.contains(grant->qos)});
    }
    one.change = end.change();
    one.after = one.change ? with_change(record, *one.change, above) : record;
    for (const TemporaryGrant* grant : as_granted) {
        if (one.after.qos.contains(grant->qos))
            one.ended.left.push_back(Left{*grant, end.inherited(), !end.is_kept(grant->qos)});
        else
            one.ended.revoked.push_back(*grant);
    }
    return one;
}

std::string has_nothing(const model::AssociationName& name) {
    return describe(name) +
           " may use no QOS any more, and Slurm stores no empty list: what the account above gets "
           "from now on can be used there, too, unless a list is set";
}

/// Who below an account may still use what ended there: it was granted to them apart.
void warn_of_kept(const spec::AccessTree& tree, PlannedEnds& ends) {
    for (const TemporaryGrant& grant : ends.ended.revoked) {
        if (!grant.name.user.empty()) continue;
        std::vector<model::AssociationName> kept;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (!ends.after[i].qos.contains(grant.qos)) continue;
            auto upper = tree.parent(i);
            while (upper && tree[*upper].name != grant.name)
                upper = tree.parent(*upper);
            if (upper) kept.push_back(tree[i].name);
        }
        if (!kept.empty())
            ends.ended.warnings.push_back(
                text::format("{}: these below may still use it, because it was granted to "
                             "them apart: {}",
                             describe(grant), spec::list_associations(kept)));
    }
}

} // namespace

void append(const EndedGrants& more, EndedGrants& all) {
    const auto add = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
    add(more.revoked, all.revoked);
    add(more.left, all.left);
    add(more.defaults, all.defaults);
    add(more.warnings, all.warnings);
}

PlannedEnds plan_ends(const std::vector<TemporaryGrant>& grants, const spec::LiveState& live) {
    PlannedEnds ends;
    ends.plan.cluster = live.cluster;
    NameSet known;
    for (const model::QosRecord& record : live.qos)
        known.insert(record.name);
    NameSet ending;
    std::map<model::AssociationName, std::vector<const TemporaryGrant*>> open;
    for (const TemporaryGrant& grant : grants) {
        if (known.contains(grant.qos)) {
            open[grant.name].push_back(&grant);
            ending.insert(grant.qos);
        } else {
            ends.ended.left.push_back({grant, "the QOS does not exist any more"});
        }
    }

    const spec::AccessTree tree(live.associations);
    ends.after.reserve(tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto parent = tree.parent(i);
        const AssociationRecord* above = parent ? &ends.after[*parent] : nullptr;
        AssociationRecord record = tree.inherit(i, above);
        const auto found = open.find(record.name);
        const auto of_this = found == open.end() ? std::vector<const TemporaryGrant*>() : found->second;
        if (found != open.end()) open.erase(found);
        OneEnd one = end_one(record, above, of_this);
        const auto default_qos = spec::replaced_default(tree[i], one.after, above);
        if (default_qos && ending.contains(*record.own_default_qos)) {
            const AccessChange change{.name = record.name, .default_qos = default_qos};
            record = with_change(std::move(record), change, above);
            one = end_one(record, above, of_this);
            if (!one.change) one.change = AccessChange{.name = record.name};
            one.change->default_qos = change.default_qos;
            const bool is_usable = !one.after.default_qos || one.after.qos.contains(*one.after.default_qos);
            ends.ended.defaults.push_back({record.name, *change.default_qos, is_usable});
        }
        append(one.ended, ends.ended);
        if (one.after.qos.empty() && !tree[i].qos.empty())
            ends.ended.warnings.push_back(has_nothing(record.name));
        if (one.change) {
            ends.plan.access.push_back(*std::move(one.change));
            ends.plan.access_base.push_back(tree[i]);
        }
        ends.after.push_back(std::move(one.after));
    }
    warn_of_kept(tree, ends);
    for (const auto& [name, gone] : open)
        for (const TemporaryGrant* grant : gone)
            ends.ended.left.push_back({*grant, "the association does not exist any more"});
    return ends;
}

std::vector<TemporaryGrant> take_out(const std::vector<TemporaryGrant>& grants, spec::LiveState& live) {
    std::vector<TemporaryGrant> possible;
    std::ranges::copy_if(grants, std::back_inserter(possible), [&](const TemporaryGrant& grant) {
        return text::iequals(grant.name.cluster, live.cluster);
    });
    if (possible.empty()) return possible;
    PlannedEnds ends = plan_ends(possible, live);
    NameSet kept;
    for (const AssociationRecord& record : ends.after)
        if (record.default_qos && !record.qos.contains(*record.default_qos)) kept.insert(*record.default_qos);
    if (std::erase_if(possible, [&](const TemporaryGrant& grant) { return kept.contains(grant.qos); }) != 0)
        ends = plan_ends(possible, live);
    live.associations = std::move(ends.after);
    return ends.ended.revoked;
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/revert.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"
#include "qosgate/model/qos_flag_name.hpp"
#include "qosgate/spec/access_tree.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/default_checks.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace qg::spec {
namespace {

using model::AccessChange;
using model::AssociationName;
using model::AssociationRecord;
using model::difference;
using model::NameSet;
using model::QosRecord;

/// "MaxWall is 01:30:00 now, not 01:00:00"
std::string describe_changed(const model::QosField& field, const QosRecord& left, const QosRecord& now) {
    const auto words = [&](const QosRecord& record) {
        const std::string value = model::format_field(field, record);
        return value.empty() ? std::string("unset") : text::printable(value);
    };
    return text::format("{} is {} now, not {}", field.name, words(now), words(left));
}

/// A value that was changed from one to another, and what it is now.
template <typename T>
struct Traced {
    const T& before;
    const T& left;
    const T& now;

    [[nodiscard]] bool is_to_undo() const { return before != left && now != before; }
    [[nodiscard]] bool was_changed_since() const { return is_to_undo() && now != left; }
};

/// A record without what an apply did to it, and which parts of that were changed since, in words.
struct UndoneFields {
    QosRecord record;
    std::vector<std::string> changed_since;
};

/// Undoes what changed of the mark. A field that got another owner since is in `changed_since`; one that lost
/// its owner, as sacctmgr does that with the mark, gets the old one.
Ownership undo_owners(const Traced<Ownership>& marks, std::vector<std::string>& changed_since) {
    FieldNames fields;
    for (const Ownership* mark : {&marks.before, &marks.left})
        for (const auto& [owner, managed] : mark->managed)
            fields.insert(managed.begin(), managed.end());
    const auto words = [](const std::string& owner) { return owner.empty() ? "nobody" : "'" + owner + "'"; };
    Ownership back = marks.now;
    for (const std::string& field : fields) {
        const std::string before = marks.before.owner_of(field);
        const std::string left = marks.left.owner_of(field);
        const std::string now = marks.now.owner_of(field);
        const Traced<std::string> owner{before, left, now};
        if (!owner.is_to_undo()) continue;
        if (owner.was_changed_since() && !now.empty())
            changed_since.push_back(
                text::format("{} manages {} now, not {}", words(now), field, words(left)));
        else if (before.empty())
            back.release(field);
        else
            back.assign(field, before);
    }
    const Traced<std::string> creator{marks.before.creator, marks.left.creator, marks.now.creator};
    if (creator.was_changed_since())
        changed_since.push_back(
            text::format("its creator is {} now, not {}", words(creator.now), words(creator.left)));
    else if (creator.is_to_undo())
        back.creator = creator.before;
    return back;
}

UndoneFields undo_fields(const PlannedUpdate& update, const QosRecord& now) {
    const MarkedDescription before = read_mark(update.before.description);
    const MarkedDescription left = read_mark(update.after.description);
    MarkedDescription mark = read_mark(now.description);
    UndoneFields undone{without_mark(now), {}};
    const QosRecord old = without_mark(update.before);
    const QosRecord applied = without_mark(update.after);
    const QosRecord present = undone.record;
    for (const model::QosField& field : model::qos_fields()) {
        const model::FieldValue was = get_field(field, old);
        const model::FieldValue made = get_field(field, applied);
        const model::FieldValue is = get_field(field, present);
        const Traced<model::FieldValue> value{was, made, is};
        if (!value.is_to_undo()) continue;
        if (value.was_changed_since())
            undone.changed_since.push_back(describe_changed(field, applied, present));
        put_field(field, undone.record, was);
    }
    // The same number means something else then.
    constexpr model::QosFlagName shares = "Relative";
    if (model::has_flag(undone.record, shares) != model::has_flag(present, shares))
        for (const model::QosField& field : model::qos_fields())
            if (field.kind == model::FieldKind::tres &&
                get_field(field, undone.record) != get_field(field, old))
                undone.changed_since.push_back(describe_changed(field, applied, present));
    mark.text = undone.record.description;
    mark.ownership = undo_owners({before.ownership, left.ownership, mark.ownership}, undone.changed_since);
    undone.record.description = write_mark(mark);
    return undone;
}

class Reverter {
  public:
    Reverter(const HistoryRecord& record, const LiveState& live)
        : record_(record), live_(live), tree_(live.associations) {
        for (const QosRecord& qos : live.qos)
            qos_.emplace(qos.name, &qos);
        for (const AssociationRecord& before : record.lost_access)
            bases_[before.name].before = &before;
        for (std::size_t i = 0; i < record.plan.access.size(); ++i)
            bases_[record.plan.access[i].name] = {&record.plan.access_base[i], &record.plan.access[i], {}};
        for (const AssociationRecord& left : record.left_access)
            if (const auto base = bases_.find(left.name); base != bases_.end()) base->second.left = &left;
        planned_.plan.cluster = live.cluster;
    }

    Planned plan() && {
        for (const QosRecord& created : record_.plan.created)
            undo_creation(created);
        for (const PlannedUpdate& update : record_.plan.updated)
            undo_update(update);
        for (const QosRecord& removed : record_.plan.removed)
            undo_removal(removed);
        undo_access();
        check_preempt();
        if (!planned_.problems.empty()) {
            planned_.plan = Plan{};
            planned_.plan.cluster = live_.cluster;
        }
        return std::move(planned_);
    }

  private:
    void add_problem(const std::string& qos, std::string_view what) {
        planned_.problems.push_back({{}, text::format("QOS '{}': {}", text::printable(qos), what)});
    }

    const QosRecord* find(const std::string& name) const {
        const auto found = qos_.find(name);
        return found == qos_.end() ? nullptr : found->second;
    }

    void add_changed(const std::string& qos, const std::vector<std::string>& parts) {
        add_problem(qos, "it was changed since: " + text::join(parts, "; "));
    }

    /// Whether the QOS is as the apply left it; else a problem.
    bool expect_unchanged(const QosRecord& now, const QosRecord& left) {
        if (now == left) return true;
        std::vector<std::string> parts;
        for (const model::FieldDifference& difference : differences({left, now}))
            parts.push_back(describe_changed(*difference.field, left, now));
        if (parts.empty()) parts.emplace_back("its mark of ownership differs");
        add_changed(now.name, parts);
        return false;
    }

    void undo_creation(const QosRecord& created) {
        const QosRecord* now = find(created.name);
        if (now == nullptr || !expect_unchanged(*now, created)) return;
        planned_.plan.removed.push_back(*now);
        removed_.insert(created.name);
    }

    /// Only what the apply changed is undone: other fields stay as they are now.
    void undo_update(const PlannedUpdate& update) {
        const QosRecord* now = find(update.after.name);
        if (now == nullptr) return add_problem(update.after.name, "it was removed since");
        auto [back, changed] = undo_fields(update, *now);
        if (!changed.empty()) return add_changed(now->name, changed);
        if (back != *now) planned_.plan.updated.push_back({*now, std::move(back)});
    }

    void undo_removal(const QosRecord& removed) {
        const QosRecord* now = find(removed.name);
        if (now == nullptr)
            planned_.plan.created.push_back(removed);
        else if (*now != removed)
            add_problem(removed.name, "it was created since, with other values");
    }

    // ---- access ------------------------------------------------------------------------------------------

    /// An association as the apply found it, and what the plan changed, or nullptr.
    struct Base {
        const AssociationRecord* before = nullptr;
        const AccessChange* change = nullptr;
        const AssociationRecord* left = nullptr; ///< as the apply left it; unknown in older files
    };

    /// From the top, so that what comes back from above is known.
    void undo_access() {
        std::vector<AssociationRecord> after;
        after.reserve(tree_.size());
        std::size_t found = 0;
        for (std::size_t i = 0; i < tree_.size(); ++i) {
            const auto parent = tree_.parent(i);
            const AssociationRecord* above = parent ? &after[*parent] : nullptr;
            AssociationRecord record = without_qos(tree_.inherit(i, above), removed_, above);
            AccessChange back{record.name};
            kept_default_.clear();
            if (const auto base = bases_.find(record.name); base != bases_.end()) {
                ++found;
                back = undo(base->second, tree_[i], record, above);
                name_restored(base->second);
            }
            AssociationRecord undone =
                back == AccessChange{record.name} ? record : with_change(record, back, above);
            if (auto warning = replace_default(tree_[i], record, above, back, undone))
                planned_.plan.warnings.push_back(*std::move(warning));
            else if (!kept_default_.empty())
                planned_.plan.warnings.push_back(kept_default_);
            add(back, tree_[i]);
            if (undone.qos.empty() && !tree_[i].qos.empty())
                planned_.plan.warnings.push_back(describe(undone.name) + " may use no QOS any more");
            after.push_back(std::move(undone));
        }
        if (found != bases_.size()) warn_of_missing();
        for (UnusableDefault& problem : find_unusable_defaults(tree_, after, removed_))
            planned_.problems.push_back({{}, std::move(problem.text)});
        sort_access();
    }

    /// `now` is the association, and `next` what becomes of it without any change of its own, below `above`.
    AccessChange undo(const Base& base, const AssociationRecord& now, const AssociationRecord& next,
                      const AssociationRecord* above) {
        static const AccessChange none;
        const AccessChange& change = base.change == nullptr ? none : *base.change;
        AccessChange back{now.name};
        for (const std::string& qos : difference(base.before->qos, next.qos))
            if (exists_after(qos) &&
                (change.revoked.contains(qos) || is_removed_by_plan(qos) || now.qos.contains(qos)))
                back.granted.insert(qos);
        for (const std::string& qos : difference(next.qos, base.before->qos))
            if (change.granted.contains(qos) || !now.qos.contains(qos)) back.revoked.insert(qos);
        if (base.left != nullptr) undo_stored(base, now, next, above, back);
        const auto& own = base.before->own_default_qos;
        if (!change.default_qos || now.own_default_qos == own) return back;
        if (now.own_default_qos.value_or("") != *change.default_qos) {
            std::string what = text::format("the default QOS of {} was changed since: it is {} now, not {}",
                                            describe(now.name), now.own_default_qos.value_or("inherited"),
                                            change.default_qos->empty() ? "inherited" : *change.default_qos);
            if (now.name.user.empty())
                planned_.problems.push_back({{}, std::move(what)});
            else // a user may choose it
                kept_default_ = std::move(what) + "; it stays";
            return back;
        }
        back.default_qos = own.value_or("");
        return back;
    }

    /// Makes `back` bring back all that was stored. `back` is what was granted and revoked, undone: enough,
    /// if the same is stored after it.
    void undo_stored(const Base& base, const AssociationRecord& now, const AssociationRecord& next,
                     const AssociationRecord* above, AccessChange& back) {
        const model::OwnAccess before = existing_of(own_access(*base.before), above);
        if (before == own_access(with_change(next, back, above))) return;
        if (own_access(now) == own_access(*base.before)) {
            back = AccessChange{now.name};
        } else if (own_access(now) != own_access(*base.left)) {
            planned_.plan.warnings.push_back(
                describe(now.name) +
                ": its QOSs were changed since, so only what was granted and revoked is undone");
        } else {
            back = AccessChange{.name = now.name, .own = before};
        }
    }

    /// What the apply took away and the association stored itself: that had no end.
    void name_restored(const Base& base) {
        const AssociationRecord& before = *base.before;
        const NameSet stored = before.own_qos ? *before.own_qos : before.added_qos;
        AccessChange named{before.name};
        for (const std::string& qos : stored) {
            const bool is_taken = base.change != nullptr && takes_away(*base.change, qos);
            if (is_taken || is_removed_by_plan(qos)) named.granted.insert(qos);
        }
        if (!named.granted.empty()) planned_.plan.named.push_back(std::move(named));
    }

    bool exists_after(const std::string& qos) const {
        return is_removed_by_plan(qos) || (find(qos) != nullptr && !removed_.contains(qos));
    }

    /// `own` without what does not exist. If nothing is left of a list, the association must not get more
    /// than the list had.
    model::OwnAccess existing_of(const model::OwnAccess& own, const AssociationRecord* above) const {
        NameSet gone;
        for (const NameSet* names : {&own.whole, &own.added, &own.removed})
            std::ranges::copy_if(*names, std::inserter(gone, gone.end()),
                                 [&](const std::string& name) { return !exists_after(name); });
        return without_deleted(own, gone, above == nullptr ? NameSet() : above->qos);
    }

    bool is_removed_by_plan(const std::string& qos) const {
        return std::any_of(record_.plan.removed.begin(), record_.plan.removed.end(),
                           [&](const QosRecord& removed) { return removed.name == qos; });
    }

    void add(const AccessChange& back, const AssociationRecord& now) {
        if (back == AccessChange{back.name}) return;
        changes_.emplace(back.name, std::pair(back, &now));
    }

    void sort_access() {
        for (const auto& [name, change] : changes_) {
            planned_.plan.access.push_back(change.first);
            planned_.plan.access_base.push_back(*change.second);
        }
    }

    void warn_of_missing() {
        for (const auto& [name, base] : bases_) {
            const auto same = name.user.empty() ? std::vector<std::size_t>{}
                                                : tree_.find_user(name.user, name.account, name.partition);
            const bool exists = name.user.empty() ? tree_.find_account(name.account).has_value()
                                                  : std::any_of(same.begin(), same.end(), [&](std::size_t i) {
                                                        return tree_[i].name == name;
                                                    });
            if (!exists) planned_.plan.warnings.push_back(describe(name) + " does not exist any more");
        }
    }

    void add_in_preempt(const std::string& removed, const std::string& by) {
        add_problem(removed, text::format("it cannot be removed: Preempt of QOS '{}' names it since",
                                          text::printable(by)));
    }

    // ---- checks ------------------------------------------------------------------------------------------

    /// What comes back must not name what is gone.
    void check_preempt() {
        const LiveState after = apply_to(planned_.plan, live_);
        NameSet names;
        for (const QosRecord& record : after.qos)
            names.insert(record.name);
        const auto check = [&](const QosRecord& record) {
            for (const std::string& gone : difference(record.preempt, names)) {
                if (removed_.contains(gone))
                    add_in_preempt(gone, record.name);
                else
                    add_problem(record.name, text::format("Preempt: there is no QOS '{}' any more",
                                                          text::printable(gone)));
            }
        };
        for (const QosRecord& record : planned_.plan.created)
            check(record);
        for (const PlannedUpdate& update : planned_.plan.updated)
            check(update.after);
        for (const QosRecord& record : live_.qos)
            for (const std::string& gone : removed_)
                if (record.preempt.contains(gone) && !removed_.contains(record.name) &&
                    std::none_of(
                        planned_.plan.updated.begin(), planned_.plan.updated.end(),
                        [&](const PlannedUpdate& update) { return update.after.name == record.name; }))
                    add_in_preempt(gone, record.name);
    }

    const HistoryRecord& record_;
    const LiveState& live_;
    AccessTree tree_;
    std::map<std::string, const QosRecord*> qos_;
    std::map<AssociationName, Base> bases_;
    std::map<AssociationName, std::pair<AccessChange, const AssociationRecord*>> changes_;
    NameSet removed_;
    std::string kept_default_; ///< the warning that one stays, of the association at hand
    Planned planned_;
};

} // namespace

Planned revert(const HistoryRecord& record, const LiveState& live) {
    return Reverter(record, live).plan();
}

} // namespace qg::spec

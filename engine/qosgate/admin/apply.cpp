// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/admin/apply.hpp"

#include "qosgate/admin/capacity.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"
#include "qosgate/slurmdb/association_store.hpp"
#include "qosgate/slurmdb/permission.hpp"
#include "qosgate/slurmdb/qos_commit.hpp"
#include "qosgate/slurmdb/qos_store.hpp"
#include "qosgate/spec/plan_base.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace qg::admin {
namespace {

using model::AccessChange;
using model::AssociationName;
using model::AssociationRecord;
using model::NameSet;
using model::QosRecord;
using slurmdb::find_qos;
using slurmdb::StoredQos;

using Associations = std::vector<AssociationRecord>;

/// Null: there is none. `all` is sorted as AssociationStore::read_all() does.
const AssociationRecord* find(const Associations& all, const AssociationName& name) {
    const auto key = [](const AssociationName& n) { return std::tie(n.account, n.user, n.partition); };
    const auto found = std::lower_bound(
        all.begin(), all.end(), name,
        [&](const AssociationRecord& one, const AssociationName& n) { return key(one.name) < key(n); });
    return found == all.end() || found->name != name ? nullptr : &*found;
}

std::vector<QosRecord> records_of(std::span<const StoredQos> stored) {
    std::vector<QosRecord> records;
    records.reserve(stored.size());
    for (const StoredQos& qos : stored)
        records.push_back(qos.record);
    return records;
}

/// The plan's changes of QOSs, and what follows from its removals: slurmdbd leaves a removed QOS in Preempt
/// of the others.
slurmdb::QosPlan qos_plan_of(const spec::Plan& plan, std::span<const StoredQos> live) {
    slurmdb::QosPlan qos{plan.created, {}, plan.removed};
    for (const spec::PlannedUpdate& update : plan.updated)
        qos.updated.push_back({update.before, update.after});
    if (plan.removed.empty()) return qos;
    NameSet removed;
    for (const QosRecord& record : plan.removed)
        removed.insert(record.name);
    const auto leave_out = [&](QosRecord& record) {
        std::erase_if(record.preempt, [&](const std::string& name) { return removed.contains(name); });
    };
    NameSet touched = removed;
    for (slurmdb::QosUpdate& update : qos.updated) {
        leave_out(update.after);
        touched.insert(update.after.name);
    }
    for (const StoredQos& other : live) {
        if (touched.contains(other.record.name)) continue;
        slurmdb::QosUpdate update{other.record, other.record};
        leave_out(update.after);
        if (update.after != update.before) qos.updated.push_back(std::move(update));
    }
    return qos;
}

/// The plan's changes of associations, and what follows from its removals: slurmdbd before 24.05 damages the
/// lists that have a removed QOS, so it is taken out of them first.
std::vector<AccessChange> access_of(const spec::Plan& plan, const Associations& live) {
    std::vector<AccessChange> access = plan.access;
    for (const AssociationRecord& one : live) {
        AccessChange taken{.name = one.name};
        for (const QosRecord& record : plan.removed)
            if (one.added_qos.contains(record.name) || (one.own_qos && one.own_qos->contains(record.name)))
                taken.revoked.insert(record.name);
        if (taken.revoked.empty()) continue;
        const auto planned = std::find_if(access.begin(), access.end(), [&](const AccessChange& change) {
            return change.name == one.name;
        });
        if (planned == access.end())
            access.push_back(std::move(taken));
        else if (!planned->own) // else its list is set without the QOS
            planned->revoked.merge(taken.revoked);
    }
    return access;
}

/// What is granted, also by lists that are set.
std::vector<AccessChange> grants_of(std::vector<AccessChange> access) {
    for (AccessChange& change : access) {
        if (change.own) change.granted = change.own->whole.empty() ? change.own->added : change.own->whole;
        change.own.reset();
        change.revoked.clear();
        change.default_qos.reset();
    }
    return access;
}

std::string count(std::size_t number, std::string_view one, std::string_view several) {
    return text::format("{} {}", number, number == 1 ? one : several);
}

class PlanChanges : public slurmdb::Changes {
  public:
    PlanChanges(const spec::Plan& plan, slurmdb::QosStore store, slurmdb::AssociationStore associations,
                const ApplyProgress& progress, const BeforeCommit& before_commit)
        : plan_(plan), store_(std::move(store)), associations_(std::move(associations)), progress_(progress),
          before_commit_(before_commit) {}

    Result<bool> prepare() override {
        auto qos = store_.read_all();
        if (!qos) return qos.error();
        qos_ = std::move(*qos);
        if (touches_associations()) {
            auto live = associations_.read_all(qos_);
            if (!live) return live.error();
            live_ = std::move(*live);
        }
        if (const auto same = spec::expect_base(plan_, records_of(qos_), live_); !same) return same.error();
        if (const auto names = slurmdb::plan_creation(qos_, plan_.created); !names) return names.error();
        qos_plan_ = qos_plan_of(plan_, qos_);
        access_ = access_of(plan_, live_);
        return qos_plan_.changes_anything() || !access_.empty();
    }

    Result<void> write() override {
        const std::size_t qos = qos_plan_.created.size() + qos_plan_.updated.size();
        const std::size_t all = qos + access_.size() + qos_plan_.removed.size();
        if (qos != 0) {
            report(text::format("adds {} and changes {}", count(qos_plan_.created.size(), "QOS", "QOSs"),
                                qos_plan_.updated.size()),
                   0, all);
            const slurmdb::QosPlan part{qos_plan_.created, qos_plan_.updated, {}};
            if (const auto done = store_.write(part, qos_, slurmdb::WriteMode::write); !done) return done;
        }
        if (!access_.empty()) {
            report("changes " + count(access_.size(), "association", "associations"), qos, all);
            const auto with_new = store_.read_all();
            if (!with_new) return with_new.error();
            if (const auto done = associations_.check(access_, *with_new); !done) return done;
            const auto first = has_new_default() ? grants_of(access_) : access_;
            if (const auto done = associations_.write(first, *with_new); !done) return done;
            if (has_new_default()) {
                auto granted = associations_.read_all(*with_new);
                if (!granted) return granted.error();
                granted_ = std::move(*granted);
            }
        }
        if (!qos_plan_.removed.empty() && !has_new_default()) {
            report("removes " + count(qos_plan_.removed.size(), "QOS", "QOSs"), qos + access_.size(), all);
            if (const auto done = remove_all(qos_); !done) return done;
        }
        report("stores the changes and sends them to slurmctld", all, all);
        return before_commit_ ? before_commit_() : Result<void>();
    }

    Result<bool> has_same_base(slurmdb::Connection& other) override {
        const auto committed = store_.on(other).read_all();
        if (!committed) return committed.error();
        if (!slurmdb::has_same_base(qos_plan_, qos_, *committed)) return false;
        if (access_.empty()) return true;
        return has_same_access(live_, other, *committed);
    }

    Rest rest() override {
        announcement_.emplace(store_, qos_plan_);
        if (!has_new_default()) {
            if (!must_be_repeated()) return announcement_->as_rest();
            return {.changes = &repetition_,
                    .is_half = false,
                    .state =
                        "stored, but slurmctld may not know all of it before it is started again: "
                        "Preempt of new QOSs, and access that was granted and revoked together, or set, or "
                        "is inherited from an account further up",
                    .unknown = {}};
        }
        return {
            .changes = &second_part_,
            .is_half = true,
            .state = "only the first of two transactions is stored: new and changed QOSs, and access that "
                     "is granted; not stored are default QOSs, access that is revoked and QOSs that are "
                     "deleted: 'qosgate spec apply FILES' does the rest",
            .unknown = "the first of two transactions is stored: new and changed QOSs, and access that is "
                       "granted; whether default QOSs, access that is revoked and QOSs that are deleted "
                       "are stored is unknown: 'qosgate spec apply FILES' does what is missing"};
    }

    Result<std::vector<std::string>> find_overtaken() override {
        const auto now = store_.read_all();
        if (!now) return now.error();
        std::vector<std::string> lost = slurmdb::find_overtaken(qos_plan_, *now);
        if (access_.empty()) return lost;
        const auto live = associations_.read_all(*now);
        if (!live) return live.error();
        for (const AccessChange& change : access_)
            if (const auto sentence = overtaken(change, find(*live, change.name)); !sentence.empty())
                lost.push_back(slurmdb::describe(change.name) + ": " + sentence);
        return lost;
    }

  private:
    /// slurmdbd takes a QOS as a default only after the commit, and what is revoked or removed may be the old
    /// default; so these follow in a second transaction.
    class SecondPart : public slurmdb::Changes {
      public:
        explicit SecondPart(PlanChanges& plan) : plan_(plan) {}

        Result<bool> prepare() override {
            auto qos = plan_.store_.read_all();
            if (!qos) return qos.error();
            now_ = std::move(*qos);
            const auto live = plan_.associations_.read_all(now_);
            if (!live) return live.error();
            std::vector<std::string> moved;
            for (const QosRecord& record : plan_.qos_plan_.removed) {
                const StoredQos* then = find_qos(plan_.qos_, record.name);
                const StoredQos* now = find_qos(now_, record.name);
                if (now == nullptr || now->record != then->record)
                    moved.push_back(text::format("QOS '{}'", text::printable(record.name)));
            }
            for (const AccessChange& change : plan_.access_)
                if (!is_equal(find(plan_.granted_, change.name), find(*live, change.name)))
                    moved.push_back(slurmdb::describe(change.name));
            if (!moved.empty())
                return Error{ErrorCode::conflict,
                             "somebody else changed them in between: " + spec::list_sentences(moved)};
            const auto announced = plan_.announcement_->prepare();
            if (!announced) return announced.error();
            return true;
        }

        Result<void> write() override {
            if (const auto done = plan_.announcement_->write(); !done) return done;
            if (const auto done = plan_.associations_.write(plan_.access_, now_); !done) return done;
            if (const auto done = plan_.associations_.tell_below(plan_.access_, now_); !done) return done;
            return plan_.qos_plan_.removed.empty() ? Result<void>() : plan_.remove_all(now_);
        }

        Result<bool> has_same_base(slurmdb::Connection& other) override {
            const auto announced = plan_.announcement_->has_same_base(other);
            if (!announced || !*announced) return announced;
            const auto committed = plan_.store_.on(other).read_all();
            if (!committed) return committed.error();
            const slurmdb::QosPlan removal{{}, {}, plan_.qos_plan_.removed};
            if (!slurmdb::has_same_base(removal, now_, *committed)) return false;
            return plan_.has_same_access(plan_.granted_, other, *committed);
        }

      private:
        PlanChanges& plan_;
        std::vector<StoredQos> now_;
    };

    /// Tells slurmctld what it may not have heard, or heard in the wrong order.
    class Repetition : public slurmdb::Changes {
      public:
        explicit Repetition(PlanChanges& plan) : plan_(plan) {}

        Result<bool> prepare() override {
            const auto announced = plan_.announcement_->prepare();
            if (!announced) return announced.error();
            announces_ = *announced;
            auto qos = plan_.store_.read_all();
            if (!qos) return qos.error();
            now_ = std::move(*qos);
            auto live = plan_.associations_.read_all(now_);
            if (!live) return live.error();
            live_ = std::move(*live);
            return true;
        }

        Result<void> write() override {
            if (announces_)
                if (const auto done = plan_.announcement_->write(); !done) return done;
            if (const auto done = plan_.associations_.repeat(plan_.access_, now_); !done) return done;
            return plan_.associations_.tell_below(plan_.access_, now_);
        }

        Result<bool> has_same_base(slurmdb::Connection& other) override {
            if (announces_) {
                const auto same = plan_.announcement_->has_same_base(other);
                if (!same || !*same) return same;
            }
            const auto committed = plan_.store_.on(other).read_all();
            if (!committed) return committed.error();
            return plan_.has_same_access(live_, other, *committed);
        }

      private:
        PlanChanges& plan_;
        bool announces_ = false;
        std::vector<StoredQos> now_;
        Associations live_;
    };

    static bool is_equal(const AssociationRecord* one, const AssociationRecord* other) {
        return one != nullptr && other != nullptr && *one == *other;
    }

    /// Whether the associations that change are as in `then`, by what is committed.
    Result<bool> has_same_access(const Associations& then, slurmdb::Connection& other,
                                 std::span<const StoredQos> committed) const {
        const auto live = associations_.on(other).read_all(committed);
        if (!live) return live.error();
        return std::ranges::all_of(access_, [&](const AccessChange& change) {
            return is_equal(find(then, change.name), find(*live, change.name));
        });
    }

    [[nodiscard]] bool touches_associations() const {
        return !plan_.access.empty() || !plan_.removed.empty();
    }

    /// Whether slurmctld may not hear all of the access from the transaction that changes it.
    [[nodiscard]] bool must_be_repeated() const {
        const auto has_accounts_below = [&](const AccessChange& change) {
            return change.name.user.empty() &&
                   std::ranges::find(live_, change.name.account, &AssociationRecord::parent_account) !=
                       live_.end();
        };
        return slurmdb::depends_on_order(access_) ||
               (slurm::sends_one_level_below && std::ranges::any_of(access_, has_accounts_below));
    }

    /// Whether a QOS that the plan creates becomes a default.
    [[nodiscard]] bool has_new_default() const {
        return std::ranges::any_of(access_, [&](const AccessChange& change) {
            return change.default_qos && std::ranges::any_of(plan_.created, [&](const QosRecord& record) {
                       return record.name == *change.default_qos;
                   });
        });
    }

    Result<void> remove_all(std::span<const StoredQos> now) {
        std::vector<QosRecord> together = qos_plan_.removed;
        if constexpr (!slurm::removes_qos_from_associations) {
            NameSet names;
            for (const QosRecord& record : together)
                names.insert(record.name);
            const auto buried = associations_.find_buried(names, now);
            if (!buried) return buried.error();
            for (const std::string& name : buried->qos) {
                const auto one = std::ranges::find(together, name, &QosRecord::name);
                if (const auto done = associations_.put_last(name, now); !done) return done;
                if (const auto done = remove({*one}, now); !done) return done;
                together.erase(one);
            }
            if (const auto done = associations_.end_lists(buried->associations, now); !done) return done;
        }
        return together.empty() ? Result<void>() : remove(together, now);
    }

    Result<void> remove(const std::vector<QosRecord>& records, std::span<const StoredQos> now) {
        return store_.write({{}, {}, records}, now, slurmdb::WriteMode::write);
    }

    void report(const std::string& what, std::size_t done, std::size_t all) const {
        if (progress_) progress_(what, done, all);
    }

    /// What is no longer as `change` made it; empty: nothing.
    static std::string overtaken(const AccessChange& change, const AssociationRecord* now) {
        if (now == nullptr) return "it does not exist any more";
        const auto is_there = [&](const std::string& name) { return now->qos.contains(name); };
        if (!std::ranges::all_of(change.granted, is_there) || std::ranges::any_of(change.revoked, is_there))
            return text::format(
                "its QOSs are {} now",
                now->qos.empty()
                    ? "none"
                    : text::printable(text::join(std::vector(now->qos.begin(), now->qos.end()), ","), 1000));
        if (change.own && *change.own != own_access(*now))
            return "its own list, or where it has its QOSs from, has changed";
        if (change.default_qos && *change.default_qos != now->own_default_qos.value_or(""))
            return text::format("its default QOS is {} now", now->own_default_qos.value_or("none"));
        return "";
    }

    const spec::Plan& plan_;
    slurmdb::QosStore store_;
    slurmdb::AssociationStore associations_;
    const ApplyProgress& progress_;
    const BeforeCommit& before_commit_;
    std::vector<StoredQos> qos_; ///< as they were at first
    Associations live_;
    slurmdb::QosPlan qos_plan_;
    std::vector<AccessChange> access_;
    Associations granted_; ///< as the first of two transactions leaves them
    std::optional<slurmdb::PreemptAnnouncement> announcement_;
    Repetition repetition_{*this};
    SecondPart second_part_{*this};
};

} // namespace

std::string cluster_of(const slurmdb::Connection& connection) {
    return text::lower(connection.session().conf().cluster_name);
}

Result<spec::LiveState> read_live(slurmdb::Connection& connection) {
    auto store = slurmdb::QosStore::open(connection);
    if (!store) return store.error();
    const slurmdb::Transaction fresh(connection); // else it would see what its first read saw
    const auto all = store->read_all();
    if (!all) return all.error();
    spec::LiveState live;
    live.cluster = cluster_of(connection);
    auto associations = slurmdb::AssociationStore(connection, live.cluster).read_all(*all);
    if (!associations) return associations.error();
    live.associations = std::move(*associations);
    for (const StoredQos& qos : *all)
        live.qos.push_back(qos.record);
    live.capacity = read_capacity(connection.session(), store->catalogue());
    const auto hides = slurmdb::hides_associations(connection);
    if (!hides) return hides.error();
    live.hides_associations = *hides;
    return live;
}

Result<void> apply(slurmdb::Connection& connection, const spec::Plan& plan, const slurmdb::CommitWatch& watch,
                   const ApplyProgress& progress, const BeforeCommit& before_commit) {
    const std::string cluster = cluster_of(connection);
    if (!text::iequals(plan.cluster, cluster))
        return Error{ErrorCode::invalid_input,
                     text::format("the plan is for cluster '{}', and slurm.conf is of cluster '{}'",
                                  text::printable(plan.cluster), cluster)};
    auto store = slurmdb::QosStore::open(connection);
    if (!store) return store.error();
    PlanChanges changes(plan, std::move(*store), slurmdb::AssociationStore(connection, cluster), progress,
                        before_commit);
    const auto done = slurmdb::commit_changes(connection, changes, watch);
    if (!done) return done.error();
    return {};
}

} // namespace qg::admin

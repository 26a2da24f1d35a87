// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_commit.hpp"

#include <algorithm>
#include <optional>

namespace qg::slurmdb {
namespace {

class QosChanges : public Changes {
  public:
    QosChanges(QosStore& store, const Planner& plan_from) : store_(store), plan_from_(plan_from) {}

    Result<bool> prepare() override {
        auto all = store_.read_all();
        if (!all) return all.error();
        all_ = std::move(*all);
        auto plan = plan_from_(all_);
        if (!plan) return plan.error();
        plan_ = std::move(*plan);
        return plan_.changes_anything();
    }

    Result<void> write() override { return store_.write(plan_, all_, WriteMode::write); }

    Result<bool> has_same_base(Connection& other) override {
        const auto committed = store_.on(other).read_all();
        if (!committed) return committed.error();
        return slurmdb::has_same_base(plan_, all_, *committed);
    }

    Rest rest() override {
        announcement_.emplace(store_, plan_);
        return announcement_->as_rest();
    }

    Result<std::vector<std::string>> find_overtaken() override {
        const auto now = store_.read_all();
        if (!now) return now.error();
        return slurmdb::find_overtaken(plan_, *now);
    }

    [[nodiscard]] const QosPlan& plan() const noexcept { return plan_; }

  private:
    QosStore& store_;
    const Planner& plan_from_;
    std::vector<StoredQos> all_;
    QosPlan plan_;
    std::optional<PreemptAnnouncement> announcement_;
};

/// The records that name QOSs which the plan creates.
std::vector<model::QosRecord> preempting_new(const QosPlan& plan) {
    std::vector<model::QosRecord> found;
    const auto note = [&](const model::QosRecord& record) {
        if (!new_in_preempt(record, plan).empty()) found.push_back(record);
    };
    std::ranges::for_each(plan.created, note);
    std::ranges::for_each(plan.updated, note, &QosUpdate::after);
    return found;
}

} // namespace

PreemptAnnouncement::PreemptAnnouncement(QosStore& store, const QosPlan& plan)
    : store_(store), preempting_(preempting_new(plan)) {}

Changes::Rest PreemptAnnouncement::as_rest() {
    if (preempting_.empty()) return {};
    return {.changes = this,
            .is_half = false,
            .state = "stored, but slurmctld may not know all of Preempt of the new QOSs before it is started "
                     "again",
            .unknown = {}};
}

Result<bool> PreemptAnnouncement::prepare() {
    auto all = store_.read_all();
    if (!all) return all.error();
    all_ = std::move(*all);
    left_ = preempting_;
    std::erase_if(left_, [&](const model::QosRecord& record) {
        const StoredQos* now = find_qos(all_, record.name);
        return now == nullptr || now->record.preempt != record.preempt;
    });
    return !left_.empty();
}

Result<void> PreemptAnnouncement::write() {
    return store_.announce_preempt(left_, all_);
}

Result<bool> PreemptAnnouncement::has_same_base(Connection& other) {
    const auto now = store_.on(other).read_all();
    if (!now) return now.error();
    return std::ranges::all_of(left_, [&](const model::QosRecord& record) {
        const StoredQos* stored = find_qos(*now, record.name);
        return stored != nullptr && stored->record.preempt == record.preempt;
    });
}

Result<QosPlan> commit_plan(Connection& connection, QosStore& store, const Planner& plan_from,
                            const CommitWatch& watch) {
    QosChanges changes(store, plan_from);
    if (const auto done = commit_changes(connection, changes, watch); !done) return done.error();
    return changes.plan();
}

} // namespace qg::slurmdb

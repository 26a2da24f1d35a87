// SPDX-License-Identifier: GPL-2.0-or-later
//
// Carries out a QosPlan by commit_changes(), and PreemptAnnouncement, which follows where Preempt names new
// QOSs.
#pragma once

#include "qosgate/slurmdb/commit.hpp"
#include "qosgate/slurmdb/qos_store.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// Makes a plan from all QOSs; called again if others were faster.
using Planner = std::function<Result<QosPlan>(std::span<const StoredQos>)>;

/// Makes slurmctld know Preempt of records that name QOSs which the same plan has created, after the commit
/// of the plan. Records that others have changed since are left out.
class PreemptAnnouncement : public Changes {
  public:
    /// Both must outlive it.
    PreemptAnnouncement(QosStore& store, const QosPlan& plan);

    Result<bool> prepare() override;
    Result<void> write() override;
    Result<bool> has_same_base(Connection& other) override;

    /// What follows the commit of a plan that needs nothing else; it belongs to this object.
    Rest as_rest();

  private:
    QosStore& store_;
    std::vector<model::QosRecord> preempting_; ///< as the plan makes them
    std::vector<model::QosRecord> left_;       ///< of these: as they are stored
    std::vector<StoredQos> all_;
};

/// Carries out the plan that `plan_from` makes, and returns it as it was carried out.
/// Errors: those of the planner, of QosStore::write() and of commit_changes().
Result<QosPlan> commit_plan(Connection& connection, QosStore& store, const Planner& plan_from,
                            const CommitWatch& watch);

} // namespace qg::slurmdb

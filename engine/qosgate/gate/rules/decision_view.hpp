// SPDX-License-Identifier: GPL-2.0-or-later
//
// DecisionView: what rules read as `view` while one job is decided about.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/policy/objects/rule_view.hpp"

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// Ownership: borrows the resolved request. Cost: nothing is looked up or allocated before a rule asks.
class DecisionView final : public policy::RuleView {
  public:
    /// `is_change`: the job exists already. `own_qos` is what was copied of its QOS; the first question takes
    /// it. Null: nothing.
    DecisionView(const ResolvedRequest& job, bool is_change,
                 std::optional<model::Qos>* own_qos = nullptr) noexcept
        : job_(job), is_change_(is_change), own_qos_(own_qos) {}

    /// Whether a rule has asked for the job's QOS.
    [[nodiscard]] bool was_asked_for_own_qos() const noexcept { return was_asked_for_own_qos_; }

    [[nodiscard]] Result<std::time_t> now() override;
    [[nodiscard]] Result<const std::tm*> local_time() override;
    [[nodiscard]] Result<const policy::ClusterFacts*> cluster() override;
    [[nodiscard]] Result<const quota::UserRecord*> user(policy::WhichUser which) override;
    [[nodiscard]] Result<std::span<const std::string>> groups(std::uint32_t user_id) override;

    [[nodiscard]] Result<const model::Partition*> partition(std::string_view name) override;
    [[nodiscard]] Result<const model::Reservation*> reservation(std::string_view name) override;
    [[nodiscard]] Result<policy::QosFacts*> qos(std::string_view name) override;
    [[nodiscard]] Result<const model::Qos*> with_usage(policy::QosFacts& qos) override;
    [[nodiscard]] Result<std::span<const std::string>> allowed_qos() override;
    [[nodiscard]] Result<std::span<const std::string>> accounts() override;
    [[nodiscard]] Result<std::span<const model::Association>> associations() override;
    [[nodiscard]] Result<std::uint64_t> count_jobs(const policy::JobFilter& filter) override;
    [[nodiscard]] Result<std::string_view> why_not(const model::JobRequest& job,
                                                   policy::QosFacts& qos) override;

  private:
    /// A QOS by the name that a rule wrote; empty: there is none.
    struct NamedQos {
        std::string name;
        std::optional<policy::QosFacts> facts;
    };

    /// What rules have read.
    struct Read {
        std::optional<std::tm> local_time;
        std::optional<policy::ClusterFacts> cluster;
        std::optional<quota::UserRecord> owner;
        std::optional<quota::UserRecord> sender;
        std::optional<Result<std::vector<std::string>>> owner_groups;
        std::optional<Result<std::vector<std::string>>> sender_groups;
        std::list<NamedQos> qos; ///< a list: objects of rules point to them, and an empty one costs nothing
        std::optional<std::vector<std::string>> allowed_qos;
        std::optional<Result<std::vector<std::string>>> accounts;
        std::optional<std::vector<model::Association>> associations;
        std::optional<quota::JobCounts> jobs_of_user;
    };

    [[nodiscard]] const KnownCluster& known() const noexcept { return job_.context.known; }
    [[nodiscard]] Read& read();
    [[nodiscard]] Result<void> copy_qos(std::string_view name, std::optional<policy::QosFacts>& facts);
    /// Calls `copy(records)` while the provider's locks are held.
    template <typename Copy>
    [[nodiscard]] Result<void> copy_records(Copy copy) const;

    [[nodiscard]] Result<std::vector<std::string>> list_accounts() const;
    [[nodiscard]] Result<quota::JobCounts> find_counts(const policy::JobFilter& filter);
    [[nodiscard]] Result<quota::JobCounts> counts_of_qos(const policy::JobFilter& filter);
    [[nodiscard]] Result<quota::JobCounts> counts_of_association(const policy::JobFilter& filter);
    [[nodiscard]] Result<quota::JobCounts> counts_of_user();
    [[nodiscard]] std::size_t max_qos() const noexcept;

    const ResolvedRequest& job_;
    bool is_change_;
    bool was_asked_for_own_qos_ = false;
    std::optional<model::Qos>* own_qos_;
    std::unique_ptr<Read> read_; ///< null: nothing yet
};

} // namespace qg::gate

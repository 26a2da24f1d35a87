// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClientWorld: what slurmctld tells the user of a client; asked once, when somebody first needs it. And what
// the rules for clients read of it.
#pragma once

#include "client/client_job.hpp"
#include "client/recent_record_names.hpp"
#include "qosgate/gate/known_cluster.hpp"
#include "qosgate/gate/rules/decision_view.hpp"
#include "qosgate/policy/objects/rule_view.hpp"
#include "qosgate/quota/user_groups.hpp"
#include "qosgate/slurm/job_world.hpp"

#include <slurm/slurm.h>

#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::plugin {

/// Threads: not thread-safe. Ownership: borrows slurm.conf.
class ClientWorld {
  public:
    explicit ClientWorld(const slurm_conf_t& conf) noexcept : conf_(conf) {}

    /// The answer. In the first call, `names` says whether licenses and reservations are asked for, and `job`
    /// which records are likely to be needed. Errors: those of slurm::read_job_world; not_found if this host
    /// does not know the user. Cost: blocking RPCs in the first call.
    const Result<std::unique_ptr<slurm::JobWorld>>& read(slurm::WorldNames names,
                                                         const model::JobRequest& job);

    /// Remembers which records were needed, if any were read, for the next client. Never fails.
    void remember() const;

    /// The cluster as the gate wants it, after read() was successful.
    [[nodiscard]] gate::KnownCluster known() const;

  private:
    /// Empty for root, who may have the variables of another user.
    [[nodiscard]] RecentRecordNames likely() const;

    const slurm_conf_t& conf_;
    std::optional<Result<std::unique_ptr<slurm::JobWorld>>> world_;
    std::time_t read_at_ = 0;
    quota::AskedGroups groups_;
};

/// `view` in a client. Nothing is asked before a rule reads something; it then shows the job as its options
/// are at that moment. Ownership: borrows everything.
class ClientView final : public policy::RuleView {
  public:
    ClientView(ClientWorld& world, ClientOptions& options, const ClientCommand& command) noexcept
        : world_(world), options_(options), command_(command) {}

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
    Result<policy::RuleView*> open();
    /// Asks the view of slurmctld's data, which it reads first if needed.
    template <typename Ask>
    auto ask(Ask ask_view) -> decltype(ask_view(std::declval<policy::RuleView&>()));

    ClientWorld& world_;
    ClientOptions& options_;
    const ClientCommand& command_;
    const std::time_t now_ = std::time(nullptr); ///< all rules read the same time
    std::optional<std::tm> local_time_;
    model::JobRequest request_;
    std::optional<gate::ResolvedRequest> resolved_;
    std::optional<gate::DecisionView> view_;
};

} // namespace qg::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns a request into the TRES counts and the time that the limits are compared with (limits/README.md 6).
#pragma once

#include "qosgate/gate/nodes/known_nodes.hpp"
#include "qosgate/gate/size/gres_request.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/gate/size/whole_cores.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/resolved_job.hpp"

#include <memory>

namespace qg::gate {

/// Counts a request, with the defaults of its first partition and of the cluster. An unreadable --array
/// counts as one task. Threads: pure. Cost: a few small allocations; bounded by the length of the request's
/// texts.
model::ResolvedJob count_job(const model::JobRequest& request, const model::AccountView& view,
                             const model::Cluster& cluster, limits::Release release);

/// Whether a job takes whole nodes in one of its partitions. Then its resources are not known in advance.
[[nodiscard]] bool may_take_whole_nodes(const model::JobRequest& request, const model::AccountView& view,
                                        const model::Cluster& cluster);

/// Counts one request, for the submit stage and for attempts to start the job. All views that its functions
/// take must be the view that it was made for; of that view, only usage and what is hidden may have changed.
/// Ownership: borrows request and cluster, which must stay where they are.
/// Threads: one: it keeps what is costly to count.
class JobCounter {
  public:
    JobCounter(const model::JobRequest& request, const model::AccountView& view,
               const model::Cluster& cluster, limits::Release release)
        : JobCounter(request, cluster, release) {
        start(view);
    }
    /// A counter that knows only sent() before start().
    JobCounter(const model::JobRequest& request, const model::Cluster& cluster, limits::Release release);
    /// The same request for another view.
    JobCounter(const JobCounter& other, const model::AccountView& view);

    /// Makes it the counter for this view. Call it once.
    void start(const model::AccountView& view);

    /// Fills in the job as the submit stage sees it.
    void count_submission(const model::AccountView& view, model::ResolvedJob& job) const;

    [[nodiscard]] const model::JobRequest& request() const noexcept { return *request_; }
    [[nodiscard]] limits::Release release() const noexcept { return release_; }

    /// The size as the client sent it.
    [[nodiscard]] const JobSize& sent() const noexcept { return requested_; }

    /// The size as the client sent it, but with so many nodes (empty: as sent), and with what gres imply.
    [[nodiscard]] JobSize size_with(std::optional<std::uint64_t> nodes) const;

    /// What an attempt to start the job in one partition asks for, with that partition's defaults and
    /// billing, and with as many nodes as the job may have (`max_nodes` caps them; empty: no cap). Empty if
    /// that is what the submit stage counts. A job with all memory of its nodes counts that of the smallest
    /// node; a job with whole nodes counts at least the CPUs of the smallest.
    [[nodiscard]] std::optional<model::TresCounts> at_attempt(const model::AccountView& view,
                                                              std::size_t partition,
                                                              std::optional<std::uint64_t> max_nodes) const;

    /// What rules read: what the submit stage counts, raised to what the job's tasks, nodes, memory and gres
    /// take, and to what the smallest whole nodes have. A range of nodes counts with the most that slurmctld
    /// may give; without one, the nodes are the fewest that hold the job. Of several partitions the most
    /// counts, whoever the reader is. Empty if that is the same.
    [[nodiscard]] std::optional<model::TresCounts> for_rules(const model::AccountView& view,
                                                             const model::TresCounts& submitted) const;

    /// Whether the job asks for 0 nodes: no node can be selected for it.
    [[nodiscard]] bool asks_for_no_nodes() const noexcept {
        return may_have_no_nodes() && with_partition_min_.max_nodes.value_or(0) == 0;
    }

    /// Whether the job may have 0 nodes, which slurmctld takes of a single batch job only.
    [[nodiscard]] bool may_have_no_nodes() const noexcept { return with_partition_min_.nodes == 0u; }

    /// Whether the CPUs can be counted: CPUs per GPU need GPUs.
    [[nodiscard]] bool knows_cpus() const noexcept { return gres_.knows_cpus(); }

    /// Whether the job takes all memory of its nodes and the nodes differ in memory.
    [[nodiscard]] bool has_open_memory(const model::AccountView& view, std::size_t partition) const;

    /// The minimum that the nodes of a whole-node job have: CPUs, gres, and memory if it is counted per CPU;
    /// 0 if it is not known. Null for other jobs, and for a partition that is hidden from the reader. Counted
    /// once for each partition, and kept. If the job names more partitions than max_partitions_by_node, the
    /// minimum of any nodes of the partition.
    [[nodiscard]] const model::TresCounts* min_of_whole_nodes(const model::AccountView& view,
                                                              std::size_t partition) const;

  private:
    struct Changed;
    void take_size(const model::AccountView& view);
    [[nodiscard]] bool may_get_more_memory(const model::AccountView& view, std::size_t partition) const;
    [[nodiscard]] bool takes_all_memory(const model::Partition* partition) const;
    [[nodiscard]] bool may_change_in(const model::AccountView& view, std::size_t partition) const;
    [[nodiscard]] const JobCounter* as_in_partition(const model::AccountView& view,
                                                    std::size_t partition) const;
    [[nodiscard]] model::TresCounts count_as_submitted(const model::AccountView& view,
                                                       std::size_t partition) const;
    [[nodiscard]] std::optional<model::TresCounts> count_least(const model::AccountView& view,
                                                               std::size_t partition,
                                                               std::optional<std::uint64_t> max_nodes) const;
    [[nodiscard]] std::optional<model::TresCounts>
    count_for_rules(const model::AccountView& view, std::size_t partition, bool has_whole) const;
    [[nodiscard]] std::optional<model::TresCounts> count_most(const model::AccountView& view,
                                                              std::size_t partition, bool has_whole) const;
    [[nodiscard]] std::optional<model::TresCounts> count_most_on(const model::AccountView& view,
                                                                 std::size_t partition, std::uint64_t nodes,
                                                                 bool has_whole) const;
    [[nodiscard]] std::uint64_t filled_tasks(const model::Partition* partition, std::uint64_t nodes) const;
    [[nodiscard]] std::uint64_t tasks_of_gpus(std::uint64_t nodes) const;
    [[nodiscard]] std::uint64_t cpus_to_share(std::uint64_t nodes) const;
    [[nodiscard]] std::uint64_t cpus_of_tasks_on(std::uint64_t nodes) const;
    [[nodiscard]] std::uint64_t most_cpus_of_node(std::uint64_t nodes) const;
    [[nodiscard]] std::uint64_t nodes_for_rules(const model::AccountView& view, std::size_t partition) const;
    [[nodiscard]] bool may_need_several_nodes(const model::Partition& partition) const;
    [[nodiscard]] std::optional<model::TresCounts> count_attempt(const model::AccountView& view,
                                                                 std::size_t partition, std::uint64_t nodes,
                                                                 std::uint64_t min_cpus, Extent extent) const;
    [[nodiscard]] bool may_have_other_memory(const model::Partition* partition, Extent extent) const;
    [[nodiscard]] GivenCpus give_cores(const model::AccountView& view, std::size_t partition,
                                       std::uint64_t cpus, std::uint64_t nodes, Extent extent) const;
    [[nodiscard]] model::TresCounts count_whole_nodes(const model::AccountView& view,
                                                      const model::Partition& partition,
                                                      std::uint64_t min_nodes, bool hides_nodes) const;
    void take_whole_nodes(std::optional<model::TresCounts>& counts, const model::TresCounts& whole,
                          const model::AccountView& view, std::size_t partition) const;
    void take_min_memory(std::optional<model::TresCounts>& counts, const model::AccountView& view,
                         std::size_t partition) const;
    [[nodiscard]] std::optional<model::Memory> asked_memory(const model::Partition* partition) const;
    void set_billing(model::TresCounts& counts, const model::AccountView& view, std::size_t partition) const;
    [[nodiscard]] JobSize raised_to_partitions(JobSize size, const model::AccountView& view) const;
    [[nodiscard]] std::uint64_t nodes_for_tasks() const;
    [[nodiscard]] std::uint64_t end_of_range(std::uint64_t max, const model::Partition* partition,
                                             model::QosFlags flags) const;
    [[nodiscard]] std::uint64_t nodes_at_attempt(const model::AccountView& view, std::size_t partition,
                                                 std::optional<std::uint64_t> max_nodes) const;
    [[nodiscard]] bool has_counted_tasks() const;
    [[nodiscard]] std::uint64_t cpus_at_attempt(std::uint64_t nodes, const GresRequest& gres,
                                                Extent extent) const;
    [[nodiscard]] std::uint64_t most_cpus_of(const GresRequest& gres) const;
    [[nodiscard]] model::TresCounts count(const model::AccountView& view, std::size_t partition,
                                          std::uint64_t nodes, std::uint64_t memory_nodes, GivenCpus cpus,
                                          const GresRequest& gres, Extent extent) const;
    void count_licenses(const model::TresCatalogue& catalogue, model::TresCounts& counts) const;
    [[nodiscard]] std::uint64_t count_memory(std::uint64_t cpus, std::uint64_t nodes, const GresRequest& gres,
                                             const model::Partition* partition, Extent extent) const;

    /// The size after partitions and gres.
    [[nodiscard]] const JobSize& with_gres() const noexcept { return gres_.size(); }

    const model::JobRequest* request_;
    const model::Cluster* cluster_;
    limits::Release release_;
    JobSize requested_;          ///< by the client
    JobSize with_partition_min_; ///< after partitions
    GresRequest gres_;           ///< with the size after partitions and gres
    JobSize for_limits_;         ///< as the limits see it
    bool has_open_tasks_;        ///< slurmctld has 0 tasks, which bound nothing; 0 are read as 1
    std::shared_ptr<const NamedNodes> named_nodes_; ///< null unless it takes whole nodes, or all their memory
    /// The minimum of a whole-node job, for each partition without and with hidden nodes; empty until it is
    /// asked for.
    mutable std::vector<std::optional<model::TresCounts>> whole_nodes_;
    std::shared_ptr<const Changed> started_; ///< as_started(); null if that is the request
    /// The request as each partition changes it (in_partition.hpp); null until it is asked for.
    mutable std::vector<std::shared_ptr<const Changed>> as_in_partition_;
};

} // namespace qg::gate

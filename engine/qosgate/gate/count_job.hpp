// SPDX-License-Identifier: GPL-2.0-or-later
//
// From what a submitter wrote to the TRES counts and the time that the limit code sees (limits/README.md 6).
#pragma once

#include "qosgate/gate/gres_request.hpp"
#include "qosgate/gate/job_size.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/resolved_job.hpp"

namespace qg::gate {

/// Counts a request, defaults of its first partition and of the cluster filled in.
/// An array text that cannot be read counts as one task.
/// Threads: pure. Cost: a few small allocations; bounded by the length of the request's texts.
model::ResolvedJob count_job(const model::JobRequest& request, const model::AccountView& view,
                             const model::Cluster& cluster, limits::Release release);

/// A request while it is being counted, for the submit stage and for attempts to start the job. All views are
/// the one that it was made for.
/// Ownership: borrows request and cluster, which must stay where they are.
/// Threads: pure.
class JobCounter {
  public:
    JobCounter(const model::JobRequest& request, const model::AccountView& view,
               const model::Cluster& cluster, limits::Release release);
    /// The same request for another view.
    JobCounter(const JobCounter& other, const model::AccountView& view);

    /// Fills in the job as the submit stage sees it.
    void count_submission(const model::AccountView& view, model::ResolvedJob& job) const;

    /// The size as the client sent it.
    [[nodiscard]] const JobSize& sent() const noexcept { return sent_; }

    /// The size as the client sent it, but for this many nodes (nothing: as sent) and what resources make of
    /// it.
    [[nodiscard]] JobSize size_with(std::optional<std::uint64_t> nodes) const;

    /// What an attempt to start the job in one partition asks for: that partition's defaults and billing, and
    /// as many nodes as the job may have (`most_nodes` caps them, nothing: no cap). Nothing where that is
    /// what the submit stage sees. Where the job takes whole nodes (--exclusive), CPUs are the least that
    /// they come to.
    [[nodiscard]] std::optional<model::TresCounts> at_attempt(const model::AccountView& view,
                                                              std::size_t partition,
                                                              std::optional<std::uint64_t> most_nodes) const;

    /// What the job at least comes to, for rules: what the submit stage sees, raised to what tasks, nodes and
    /// resources surely take at an attempt on as few nodes as will do. Nothing where that is the same.
    [[nodiscard]] std::optional<model::TresCounts> at_least(const model::AccountView& view,
                                                            const model::TresCounts& submitted) const;

    /// Whether the CPUs can be counted: CPUs per GPU need GPUs.
    [[nodiscard]] bool knows_cpus() const noexcept { return gres_.knows_cpus(); }

    /// The least CPUs that the whole nodes of a job with --exclusive have; 0 for other jobs, and where it is
    /// not known.
    [[nodiscard]] std::uint64_t least_cpus_of_nodes(const model::AccountView& view,
                                                    std::size_t partition) const;

  private:
    JobCounter(const model::JobRequest& request, const model::AccountView& view,
               const model::Cluster& cluster, limits::Release release, const JobSize& sent);
    [[nodiscard]] std::optional<model::TresCounts> count_attempt(const model::AccountView& view,
                                                                 std::size_t partition, std::uint64_t nodes,
                                                                 std::uint64_t least_cpus) const;
    void take_whole_nodes(std::optional<model::TresCounts>& counts, const model::AccountView& view,
                          std::size_t partition) const;
    void set_billing(model::TresCounts& counts, const model::AccountView& view, std::size_t partition) const;
    [[nodiscard]] JobSize raised_to_partitions(JobSize size, const model::AccountView& view) const;
    [[nodiscard]] std::uint64_t nodes_for_tasks() const;
    [[nodiscard]] std::uint64_t nodes_at_attempt(const model::AccountView& view, std::size_t partition,
                                                 std::optional<std::uint64_t> most_nodes) const;
    [[nodiscard]] bool has_counted_tasks() const;
    [[nodiscard]] std::uint64_t cpus_at_attempt(std::uint64_t nodes, const GresRequest& gres) const;
    [[nodiscard]] model::TresCounts count(const model::AccountView& view, std::size_t partition,
                                          std::uint64_t nodes, std::uint64_t memory_nodes, std::uint64_t cpus,
                                          const GresRequest& gres) const;
    void count_licenses(const model::TresCatalogue& catalogue, model::TresCounts& counts) const;
    [[nodiscard]] std::uint64_t count_memory(std::uint64_t cpus, std::uint64_t nodes, const GresRequest& gres,
                                             const model::Partition* partition) const;

    const model::JobRequest* request_;
    const model::Cluster* cluster_;
    limits::Release release_;
    JobSize sent_;   ///< by the client
    JobSize raised_; ///< after partitions
    JobSize size_;   ///< after partitions and gres
    GresRequest gres_;
    JobSize counted_; ///< as the limits see it
};

} // namespace qg::gate

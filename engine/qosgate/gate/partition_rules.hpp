// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a partition itself asks of a job: sizes, times, QOS, accounts (limits/README.md 8.3, 8.4). With
// EnforcePartLimits slurmctld refuses for these at submission, else the job waits with a Reason.
#pragma once

#include "qosgate/gate/job_size.hpp"
#include "qosgate/gate/refusal.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/resolved_job.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// One rule of a partition that a job breaks.
struct PartitionProblem {
    model::RejectCode code;   ///< the refusal, where partitions are enforced
    std::string_view pending; ///< Reason of a job that was accepted all the same ("PartitionTimeLimit")
    std::string text;         ///< for the user
};

/// Their texts, each once, at most eight lines.
std::vector<std::string> lines_of(std::span<const PartitionProblem> problems);

/// A job as partitions look at it.
struct PartitionView {
    const model::JobRequest& request;
    const model::ResolvedJob& job;
    const model::AccountView& view;
    limits::Release release;
};

/// Of a job that names several QOSs: the view with each of the others in the place of the first.
std::vector<model::AccountView> views_of_other_qos(const model::AccountView& view);

/// Whether the reader may know nothing of one of the job's partitions but its name.
[[nodiscard]] bool has_hidden_partition(const model::AccountView& view);

/// The partitions that may be named to a user who named none of them: those that are open to the job's
/// account, and to operators those that are hidden from others as well. None where PrivateData hides
/// partitions from the reader. Cost: linear in them, and in their lists of accounts.
std::vector<std::string> list_open_partitions(const PartitionView& asked, const model::PartitionTable& all);

/// Refuses by EnforcePartLimits: with ALL where any partition refuses, with ANY where every one does. Some
/// times are refused always: none given where the first partition has DefaultTime=0, or a least time that no
/// partition allows. Rules of a partition that is hidden from the reader are left to slurmctld, here and
/// below.
std::optional<Refusal> refuse_by_partitions(const PartitionView& asked, const model::Cluster& cluster);

/// The rules that keep an accepted job waiting in `partition`, in slurmctld's order; the first gives the
/// Reason. Empty unless one is checked before the limits: sizes and times, and where partitions are enforced
/// the lists of QOSs and accounts. `time` is the job's after the submit stage.
std::vector<PartitionProblem> find_early_problems(const PartitionView& asked, const JobSize& size,
                                                  const model::Partition& partition,
                                                  std::optional<TimeLimit> time,
                                                  model::EnforcePartLimits enforce);

/// The same for lists of QOSs and accounts, checked between the stages of the limits.
std::vector<PartitionProblem> find_access_problems(const PartitionView& asked,
                                                   const model::Partition& partition);

/// The same for a job of more nodes than the partition lets any job have, checked after the limits on nodes.
std::optional<PartitionProblem> find_selection_problem(const PartitionView& asked,
                                                       const model::Partition& partition);

/// What a job's size stays within, whichever rule looks at it.
struct SizeBounds {
    /// Of a job that counts as so many nodes.
    explicit SizeBounds(std::uint64_t nodes) noexcept : least_nodes(nodes), most_nodes(nodes) {}
    void widen(const JobSize& size) noexcept;

    std::uint64_t least_nodes;
    std::uint64_t most_nodes;
    std::uint64_t most_cpus = 0;
};

/// Whether a partition takes and starts a job of such a size, its rules at their strictest: enforced, and
/// without the flags by which a QOS goes past them. False is a guess, true is certain, for a job without
/// --time-min.
bool surely_takes(const model::Partition& partition, const PartitionView& asked, const SizeBounds& size);

} // namespace qg::gate

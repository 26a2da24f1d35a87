// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_source.hpp"

#include "qosgate/slurm/assoc_records.hpp"
#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurm/queue_reader.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <unistd.h>

namespace qg::cli {
namespace {

/// The tasks of a record of an array, or the one job.
std::uint64_t jobs_in(const model::QueuedJob& job) {
    return std::max<std::uint64_t>(job.tasks.size(), 1);
}

void count(const model::QueuedJob& job, ClusterState& state) {
    switch (job.state) {
    case model::QueueState::running:
    case model::QueueState::suspended: ++state.queued[job.qos].running; return;
    case model::QueueState::pending:
        state.queued[job.qos].pending += jobs_in(job);
        state.pending[{job.qos, job.reason}] += jobs_in(job);
        return;
    case model::QueueState::over: return;
    }
}

std::map<std::string, std::vector<std::string>> by_qos(const partition_info_msg_t& partitions) {
    std::map<std::string, std::vector<std::string>> found;
    for (std::uint32_t i = 0; i < partitions.record_count; ++i) {
        const partition_info_t& each = partitions.partition_array[i];
        const bool is_hidden = (each.flags & PART_FLAG_HIDDEN) != 0;
        if (is_hidden || each.qos_char == nullptr || each.name == nullptr) continue;
        if (*each.qos_char != '\0') found[each.qos_char].emplace_back(each.name);
    }
    return found;
}

} // namespace

Result<std::shared_ptr<const ClusterState>> ClusterSource::read() {
    const auto begin = std::chrono::steady_clock::now();
    if (const auto fresh = accounting_.sync(); !fresh) return fresh.error();
    const auto queue = slurm::read_queue();
    if (!queue) return queue.error();
    const auto partitions = slurm::load_partitions(slurm::everything);
    if (!partitions) return partitions.error();
    const auto records = accounting_.records();
    auto state = std::make_shared<ClusterState>();
    state->cluster = conf_.cluster_name;
    state->records = slurm::to_local_records(*records);
    if (*partitions != nullptr) state->partitions = by_qos(**partitions);
    state->release = limits::Release::from_version_number(SLURM_VERSION_NUMBER);
    state->hides_jobs = queue->hides_jobs;
    state->sees_all = slurm::is_operator(*records, getuid()) || state->shows_users();
    for (const quota::UserRecord& user : state->records.users)
        if (!user.name.empty()) state->users.emplace(user.id, user.name);
    for (const quota::LocalAssociation& association : state->records.associations)
        if (!association.link.user.empty()) state->users.emplace(association.user_id, association.link.user);
    for (const model::QueuedJob& job : queue->jobs)
        count(job, *state);
    state->read_at = std::time(nullptr);
    state->took = std::chrono::steady_clock::now() - begin;
    return std::shared_ptr<const ClusterState>(std::move(state));
}

} // namespace qg::cli

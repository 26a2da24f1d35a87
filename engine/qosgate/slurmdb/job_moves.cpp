// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/job_moves.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/controller_state.hpp"

#include <algorithm>
#include <cerrno>

#include <slurm/slurm_errno.h>

namespace qg::slurmdb {
namespace {

/// Returns what slurmctld has against it; empty: it is done.
std::string set_qos(const Session& session, std::uint32_t job, std::string qos) {
    job_desc_msg_t change;
    slurm_init_job_desc_msg(&change);
    slurm::job_id_of(change) = job;
    change.qos = qos.data();
    const Deadline deadline(session.time_limit());
    errno = 0;
    if (slurm_update_job(&change) == SLURM_SUCCESS) return {};
    return deadline.expired() ? "no answer in time" : slurm_strerror(errno);
}

/// The error, with the jobs that did not go back.
Error undo(const Session& session, std::span<const JobMove> moves, Error error) {
    std::vector<std::string> stay;
    for (const JobMove& move : move_back(session, moves))
        stay.push_back(std::to_string(move.job));
    if (!stay.empty())
        error.message += text::format("; these jobs are in QOS '{}' now: {}",
                                      text::printable(moves.front().to), text::list_names(stay));
    return error;
}

} // namespace

Result<std::vector<JobMove>> find_moves(const Session& session, std::span<const std::string> from,
                                        const std::string& to) {
    const ControllerState controller = ControllerState::load(session);
    if (!controller.failure.empty())
        return Error{ErrorCode::unavailable, "slurmctld does not show its jobs: " + controller.failure};
    std::vector<JobMove> moves;
    std::vector<std::string> started;
    for (std::uint32_t i = 0; i < controller.jobs->record_count; ++i) {
        const slurm_job_info_t& job = controller.jobs->job_array[i];
        const auto has = [&](const std::string& name) { return names_qos(job.qos, name); };
        if (is_over(job) || std::ranges::none_of(from, has)) continue;
        if ((job.job_state & JOB_STATE_BASE) == JOB_PENDING)
            moves.push_back({slurm::job_id_of(job), job.qos, to});
        else
            started.push_back(std::to_string(slurm::job_id_of(job)));
    }
    if (!started.empty())
        return Error{ErrorCode::conflict,
                     text::format("jobs that have started keep their QOS: {}; wait for them, or cancel them",
                                  text::list_names(started))};
    return moves;
}

Result<std::vector<JobMove>> move_jobs(const Session& session, std::span<const std::string> from,
                                       const std::string& to) {
    const auto pending = find_moves(session, from, to);
    if (!pending) return pending.error();
    std::vector<JobMove> moved;
    for (const JobMove& move : *pending) {
        if (const std::string refusal = set_qos(session, move.job, move.to); !refusal.empty())
            return undo(session, moved,
                        {ErrorCode::conflict, text::format("slurmctld does not move job {} to QOS '{}': {}",
                                                           move.job, text::printable(move.to), refusal)});
        moved.push_back(move);
    }
    // Jobs that came or started meanwhile.
    const auto left = find_moves(session, from, to);
    if (!left) return undo(session, moved, left.error());
    if (!left->empty())
        return undo(session, moved,
                    {ErrorCode::conflict, text::format("jobs keep coming to QOS '{}': try again",
                                                       text::printable(left->front().from))});
    return moved;
}

std::vector<JobMove> move_back(const Session& session, std::span<const JobMove> moves) {
    std::vector<JobMove> stay;
    for (const JobMove& move : moves)
        if (!set_qos(session, move.job, move.from).empty()) stay.push_back(move);
    return stay;
}

} // namespace qg::slurmdb

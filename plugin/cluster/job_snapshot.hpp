// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobSnapshot: slurm.jobs of a script for job_submit/lua, and what job_rec shows beside slurmctld's copy of
// the job. A thread reads all jobs over slurmctld's public RPC, because its records are in no public header,
// and publishes them as a whole. It reads only while a script in force, or a candidate's, mentions such
// fields, and rests twenty times as long as a reading takes, at most half of `max_age`: slurmctld holds its
// locks on jobs meanwhile. No submission waits for it.
//
//   JobSnapshot jobs({.is_served = …});
//   jobs.start();                                     // in init()
//   const auto names = policy.script()->fields_of_jobs(); // null: no jobs
//   jobs.want(names, nullptr);
//   if (const auto all = jobs.current(names)) …           // an error: not read yet, or too old
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/slurm/script_jobs.hpp"

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace qg::plugin {

/// How a snapshot works; the defaults are those of the plugin.
struct JobSnapshotOptions {
    using Load = std::function<Result<std::optional<model::ScriptRecords>>(const slurm::MentionedNames& names,
                                                                           std::time_t& newer_than)>;

    /// Whether slurmctld answers RPCs.
    std::function<bool()> is_served = [] { return true; };
    /// How many jobs slurmctld has; empty: it does not tell.
    std::function<std::optional<std::size_t>()> count = {};
    Load load = {};
    std::chrono::milliseconds min_interval{2'000}; ///< between two readings
    std::chrono::milliseconds max_age{120'000};    ///< of jobs that scripts see
};

/// What 'qosgate status' tells.
struct JobSnapshotStatus {
    std::size_t count = 0;
    std::optional<std::time_t> read_at = {}; ///< when slurmctld last told that these are its jobs
    std::chrono::milliseconds took{};        ///< the last reading of changed jobs
    std::string error = {};                  ///< why jobs cannot be read now; empty: they can
};

/// Threads: safe. Owns one DetachedThread.
class JobSnapshot {
  public:
    static constexpr int rest_factor = 20;
    using Names = std::shared_ptr<const slurm::MentionedNames>;

    explicit JobSnapshot(JobSnapshotOptions options);
    JobSnapshot(const JobSnapshot&) = delete;
    JobSnapshot& operator=(const JobSnapshot&) = delete;

    /// Starts the thread, once. If it cannot be created, this is logged and no job is known.
    void start() noexcept;

    /// Which fields the script in force mentions, and the candidate's; null: it reads no jobs. Whatever the
    /// candidate's are, the other script goes on with the jobs that are known: if the fields of both exceed
    /// the bounds, only those of the script in force are read. Cost: a comparison, if they are those of the
    /// last call.
    void want(const Names& in_force, const Names& of_candidate);

    /// The jobs with at least these fields, which want() got. Errors: unavailable, limit_exceeded.
    [[nodiscard]] Result<std::shared_ptr<const model::ScriptRecords>> current(const Names& names) const;

    [[nodiscard]] JobSnapshotStatus status() const;

    /// Asks the thread to end and waits for it, but not longer than `patience`.
    void stop(std::chrono::milliseconds patience);

  private:
    struct Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    DetachedThread thread_;
};

/// The options inside slurmctld. `is_served` must not block.
JobSnapshotOptions options_in_slurmctld(std::function<bool()> is_served);

} // namespace qg::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobOwners: the owners of the jobs that were changed lately. A plugin learns a job's owner only from a copy
// of the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace qg::plugin {

/// Threads: internally locked.
/// Cost: a look-up; bounded by `max_jobs`.
class JobOwners {
  public:
    /// If there are more, an arbitrary one is forgotten.
    static constexpr std::size_t max_jobs = 4096;

    /// The owner's user id; empty: not known.
    [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t job_id) const {
        const std::scoped_lock lock(mutex_);
        const auto found = owners_.find(job_id);
        return found == owners_.end() ? std::nullopt : std::optional(found->second);
    }

    void keep(std::uint32_t job_id, std::uint32_t user_id) {
        const std::scoped_lock lock(mutex_);
        if (owners_.size() >= max_jobs && !owners_.contains(job_id)) owners_.erase(owners_.begin());
        owners_[job_id] = user_id;
    }

  private:
    mutable std::mutex mutex_;
    std::unordered_map<std::uint32_t, std::uint32_t> owners_;
};

} // namespace qg::plugin

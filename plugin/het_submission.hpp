// SPDX-License-Identifier: GPL-2.0-or-later
//
// HetSubmission: which call of job_submit() belongs to which heterogeneous job. slurmctld hands the parts of
// one over one after the other, in one thread; nothing says when it has handed over the last.
#pragma once

#include "qosgate/gate/het_parts.hpp"

#include <cstdint>
#include <mutex>
#include <thread>

namespace qg::plugin {

/// The parts of the last heterogeneous job. Where the parts of two get between one another, nothing is known
/// of either.
/// Threads: any; a part is held on to while it is decided about.
class HetSubmission {
  public:
    /// The parts before this one, for as long as it lives.
    class Turn {
      public:
        Turn(HetSubmission& submission, std::uint32_t offset, std::uint32_t user_id)
            : lock_(submission.mutex_) {
            if (submission.is_next(offset, user_id)) parts_ = &submission.parts_;
        }
        /// Null where they are not known.
        [[nodiscard]] gate::HetParts* parts() const noexcept { return parts_; }

      private:
        std::scoped_lock<std::mutex> lock_;
        gate::HetParts* parts_ = nullptr;
    };

  private:
    /// Whether a part goes on with the same job, or begins another.
    bool is_next(std::uint32_t offset, std::uint32_t user_id) {
        const bool goes_on = offset != 0 && offset == next_offset_ && user_id == user_id_ &&
                             std::this_thread::get_id() == thread_;
        if (offset == 0) parts_.clear();
        next_offset_ = goes_on || offset == 0 ? offset + 1 : 0;
        user_id_ = user_id;
        thread_ = std::this_thread::get_id();
        return next_offset_ != 0;
    }

    std::mutex mutex_;
    gate::HetParts parts_;
    std::thread::id thread_;
    std::uint32_t user_id_ = 0;
    std::uint32_t next_offset_ = 0; ///< 0: no part is expected but a first one
};

} // namespace qg::plugin

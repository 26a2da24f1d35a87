// SPDX-License-Identifier: GPL-2.0-or-later
//
// HetSubmission: which call of job_submit() belongs to which heterogeneous job. slurmctld passes the
// parts of a heterogeneous job one after the other, in one thread. It does not say which one is the
// last.
//
//   HetSubmission submission;
//   HetSubmission::Turn turn(submission, description.het_job_offset, user_id);
//   decide(…, turn.parts());                  // other jobs do not wait for this
//   const auto parts = submission.look(…);    // for who only tries
#pragma once

#include "qosgate/gate/predict/het_parts.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace qg::plugin {

/// The parts of the last heterogeneous job. If the parts of two jobs arrive mixed, nothing is known
/// about either job.
/// Threads: any; no thread waits for the decision of another one.
class HetSubmission {
  public:
    /// The parts before this one. They are taken out while this object lives. Its end puts them back
    /// together with this part, unless another heterogeneous job has arrived meanwhile.
    class Turn {
      public:
        Turn(HetSubmission& submission, std::uint32_t offset, std::uint32_t user_id)
            : submission_(submission), part_{offset, user_id, std::this_thread::get_id()} {
            const std::scoped_lock lock(submission_.mutex_);
            number_ = ++submission_.turns_;
            is_known_ = offset == 0 || submission_.expected_ == part_;
            submission_.expected_ = {};
            parts_ = std::move(submission_.parts_);
            if (offset == 0) parts_.clear();
            parts_.begin_part(offset);
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() {
            const std::scoped_lock lock(submission_.mutex_);
            if (!is_known_ || number_ != submission_.turns_) return;
            submission_.parts_ = std::move(parts_);
            submission_.expected_ = part_;
            ++submission_.expected_.offset;
        }

        /// Null if they are not known.
        [[nodiscard]] gate::HetParts* parts() noexcept { return is_known_ ? &parts_ : nullptr; }

      private:
        struct Part {
            std::uint32_t offset = 0; ///< 0 of a part that is expected: none is but a first one
            std::uint32_t user_id = 0;
            std::thread::id thread;
            friend bool operator==(const Part&, const Part&) = default;
        };
        friend class HetSubmission;

        HetSubmission& submission_;
        Part part_;
        std::uint64_t number_ = 0;
        bool is_known_ = false;
        gate::HetParts parts_;
    };

    /// A copy of the parts before this one. Changes nothing, so it is no Turn. Empty: they are not known.
    /// Cost: copies the parts.
    [[nodiscard]] std::optional<gate::HetParts> look(std::uint32_t offset, std::uint32_t user_id) {
        gate::HetParts parts;
        if (offset != 0) {
            const std::scoped_lock lock(mutex_);
            if (expected_ != Turn::Part{offset, user_id, std::this_thread::get_id()}) return std::nullopt;
            parts = parts_;
        }
        parts.begin_part(offset);
        return parts;
    }

  private:
    std::mutex mutex_; ///< guards the rest
    gate::HetParts parts_;
    Turn::Part expected_;
    std::uint64_t turns_ = 0; ///< the number of turns so far
};

} // namespace qg::plugin

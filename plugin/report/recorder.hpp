// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recorder: writes a record of decisions if the site's setting `record_file` says so.
//
//   Recording recording = recorder.begin(*policy);
//   Decision decision = gate.decide(...);
//   recording.stop_clock();
//   recording.finish(decision, {request});    // adds the decision's id to a refusal
#pragma once

#include "qosgate/gate/decide/decision_record.hpp"
#include "report/record_file.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace qg::plugin {

class Recorder;

/// One decision, from its begin on. Ownership: borrows the recorder and the policy.
class Recording {
  public:
    Recording(Recorder& recorder, const policy::Policy& policy) noexcept;

    /// Whether finish() may write a record.
    [[nodiscard]] bool is_on() const noexcept { return is_on_; }

    /// The decision is made: what happens until finish() does not count as its time. `before` it a script
    /// took some.
    void stop_clock(std::chrono::steady_clock::duration before = {}) noexcept {
        took_ = std::chrono::steady_clock::now() - begin_ + before;
    }
    /// From the begin until stop_clock(), and before.
    [[nodiscard]] std::chrono::steady_clock::duration took() const noexcept { return took_; }

    /// Writes the record. The message of a refused job gets the record's id as its last line. What did
    /// nothing to the job is recorded as often as the setting `record_percent` says, and always if the
    /// candidate's decision differs.
    /// The decision stays as it is if there is no memory for its record.
    void finish(model::Decision& decision, const gate::RecordedJob& job) const noexcept;

  private:
    void record(model::Decision& decision, const gate::RecordedJob& job) const;

    Recorder& recorder_;
    const policy::Policy& policy_;
    bool is_on_;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::duration took_{};
};

/// Threads: safe.
class Recorder {
  public:
    explicit Recorder(std::time_t started_at) noexcept : started_at_(started_at) {}

    [[nodiscard]] Recording begin(const policy::Policy& policy) noexcept { return {*this, policy}; }

    [[nodiscard]] RecordCounts counts() const { return file_.counts(); }
    void stop(std::chrono::milliseconds patience) { file_.stop(patience); }

  private:
    friend class Recording;

    /// An id that no other decision of this cluster has: "67412f3a-17", from the start of slurmctld.
    std::string next_id();
    /// Whether this one of the jobs to which nothing was done is recorded.
    bool is_sampled(std::uint64_t percent) noexcept;

    std::time_t started_at_;
    std::atomic<std::uint64_t> last_id_ = 0;
    std::atomic<std::uint64_t> passed_ = 0; ///< jobs to which nothing was done
    RecordFile file_;
};

} // namespace qg::plugin

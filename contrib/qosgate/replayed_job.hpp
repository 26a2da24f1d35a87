// SPDX-License-Identifier: GPL-2.0-or-later
//
// ReplayedJob: the request of a decision record, so that it can be decided about again.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/job_request.hpp"

#include <nlohmann/json_fwd.hpp>

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

namespace qg::cli {

/// Ownership: the request borrows from this object.
class ReplayedJob {
  public:
    /// Errors: unsupported for what a record does not hold, with the reason in a few words: a change of a
    /// job, a request that was too large to be read, a text that was cut, a record of an older version.
    static Result<std::unique_ptr<ReplayedJob>> from(const nlohmann::json& record);

    ReplayedJob(const ReplayedJob&) = delete;
    ReplayedJob& operator=(const ReplayedJob&) = delete;

    [[nodiscard]] const model::JobRequest& request() const noexcept { return request_; }
    /// When it was decided about; 0: not known.
    [[nodiscard]] std::time_t time() const noexcept { return time_; }

    /// What a rule asked for that records do not hold ("script", "env"); empty: nothing. The decision then
    /// says nothing about the past.
    [[nodiscard]] std::string_view missed() const noexcept { return missed_; }

  private:
    class Unrecorded; ///< reads the details that no record holds

    ReplayedJob() = default;

    model::JobRequest request_;
    std::time_t time_ = 0;
    mutable std::string_view missed_; ///< a literal
};

} // namespace qg::cli

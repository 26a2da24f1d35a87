// SPDX-License-Identifier: GPL-2.0-or-later
//
// Moves pending jobs out of the QOSs that a plan deletes.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/job_moves.hpp"
#include "qosgate/spec/plan.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// The jobs of one plan. The plan and the session must outlive it.
class JobMover {
  public:
    /// An empty target: no job is moved.
    JobMover(const spec::Plan& plan, std::string target, const slurmdb::Session& session);

    [[nodiscard]] bool moves_anything() const { return !target_.empty() && !from_.empty(); }

    /// Errors: not_found (the target, with the near miss); invalid_input if the plan creates or deletes it.
    [[nodiscard]] Result<void> check_target(const spec::LiveState& live) const;

    /// The jobs that would be moved now. Errors: those of slurmdb::find_moves().
    [[nodiscard]] Result<std::vector<slurmdb::JobMove>> find() const;

    /// Errors: those of slurmdb::move_jobs().
    Result<void> move();

    /// Undoes move(). Returns what happened, as the end of an error's message; empty: no job was moved.
    std::string move_back();

    /// Leaves them where they are: whether the plan is stored may be unknown, and a job in a QOS that is gone
    /// never starts. Returns the end of the error's message.
    [[nodiscard]] std::string stay() const;

    [[nodiscard]] std::span<const slurmdb::JobMove> moved() const { return moved_; }

    /// "Moved 3 pending jobs of QOS old to new."
    [[nodiscard]] std::string sentence(std::string_view verb, std::span<const slurmdb::JobMove> moves) const;

  private:
    std::string target_;
    const slurmdb::Session& session_;
    const spec::Plan& plan_;
    std::vector<std::string> from_;
    std::vector<slurmdb::JobMove> moved_;
};

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// WaitingReport: the answer about one job of the queue, in words or as JSON.
#pragma once

#include "qosgate/report/waiting_job.hpp"

#include <nlohmann/json_fwd.hpp>

#include <ostream>
#include <string>

namespace qg::cli {

class WaitingReport {
  public:
    /// Explains a pending job; of others it tells the state. Ownership: borrows everything.
    WaitingReport(const model::QueuedJob& job, const report::QueueContext& context, bool hides_jobs);

    /// For people.
    void print(std::ostream& out) const;
    [[nodiscard]] nlohmann::ordered_json json() const;

  private:
    [[nodiscard]] std::string user_name(std::uint32_t user_id) const;
    [[nodiscard]] std::string sentence() const;
    [[nodiscard]] std::uint64_t hidden_amount(const report::HeldLimit& limit) const;
    void print(const report::HeldLimit& limit, std::ostream& out) const;
    void print_room(const report::HeldLimit& limit, std::ostream& out) const;
    void print_holders(const report::HeldLimit& limit, std::ostream& out) const;
    [[nodiscard]] nlohmann::ordered_json json(const report::HeldLimit& limit) const;

    const model::QueuedJob& job_;
    const report::QueueContext& context_;
    bool hides_jobs_;
    report::WaitingJob waiting_;
};

} // namespace qg::cli

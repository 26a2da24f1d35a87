// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScenarioWorld: makes of the jobs of a policy's tests what rules read, in clusters in the form of scenarios
// (contrib/doc/eval.md).
#pragma once

#include "qosgate/gate/rules/tested_job.hpp"

#include <memory>

namespace qg::gate {

/// Threads: not thread-safe.
class ScenarioWorld final : public policy::TestWorld {
  public:
    /// `release`: whose counts, and whose limit checks answer `qos:fits(job)`.
    explicit ScenarioWorld(limits::Release release) noexcept : release_(release) {}

    Result<std::unique_ptr<policy::TestedJob>> read(const policy::PolicyTest& test,
                                                    const policy::TestJob& job) override;

  private:
    Result<std::shared_ptr<const GivenCluster>> read_capture(const policy::SourceFile& file);

    const limits::Release release_;
    // The last capture: tests that follow each other often name the same one.
    const policy::SourceFile* last_file_ = nullptr;
    std::shared_ptr<const GivenCluster> last_;
};

} // namespace qg::gate

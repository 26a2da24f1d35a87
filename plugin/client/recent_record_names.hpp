// SPDX-License-Identifier: GPL-2.0-or-later
//
// RecentRecordNames: the names of the QOSs and accounts whose records decided about the user's last jobs, for
// the next client. slurmctld finds records by name, but the records name others only by their numbers: an
// association its default QOS, and up to 23.02 the accounts above the next one. With the right names a client
// asks once for all that it needs. Wrong ones cost as little as none: what counts is slurmctld's answer.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/slurm/assoc_records.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// A file in a directory that ends with the user's session. A name stays where it is when it is used again:
/// so few jobs write the file, and one that is dropped comes back with the next job that needs it. Threads:
/// not thread-safe; processes may share it.
class RecentRecordNames {
  public:
    /// At most this many names are remembered.
    static constexpr std::size_t max_qos = 6;
    static constexpr std::size_t max_accounts = 16;

    /// `directory` is $XDG_RUNTIME_DIR. Nothing is remembered if it is not the effective user's alone, or if
    /// `cluster` is no name for a file.
    RecentRecordNames(const std::filesystem::path& directory, std::string_view cluster);

    /// The names. Never fails: what cannot be read has none. Cost: blocking.
    [[nodiscard]] slurm::RecordsPart names() const;

    /// The names, and those of this job. None if no account is remembered: a request for the job's own names
    /// would save none of those that follow.
    [[nodiscard]] slurm::RecordsPart names_for(const model::JobRequest& job) const;

    /// Adds names, in place of the oldest if there are too many. Never fails. Cost: blocking.
    void note(const slurm::RecordsPart& used) const;

  private:
    /// The newest first.
    struct Lists {
        std::vector<std::string> qos;
        std::vector<std::string> accounts;
    };
    [[nodiscard]] Lists read() const;

    std::filesystem::path file_; ///< empty: nothing is remembered
};

/// $XDG_RUNTIME_DIR; empty if the environment has none.
std::filesystem::path runtime_directory();

} // namespace qg::plugin

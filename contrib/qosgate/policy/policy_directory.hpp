// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which directory of rules a command of `qosgate policy` is about, as whom slurmctld reads it, and its
// policy.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/test/coverage.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace qg::cli {

/// A directory of rules.
struct PolicyDirectory {
    std::filesystem::path path;
    /// The user as whom slurmctld reads it; empty: it is not the directory of a slurmctld.
    std::optional<uid_t> reader = {};
    gid_t reader_group = 0;
    std::string reader_name = {};
};

/// The directory that the command line names; without one ("") that of slurmctld, qosgate.d beside
/// slurm.conf. If the named directory is that of slurmctld, or its candidate `next`, slurmctld's user reads
/// it. Errors: unavailable without a readable slurm.conf; unsupported in a build without Slurm; not_found for
/// an unknown SlurmUser.
Result<PolicyDirectory> find_policy_directory(const std::string& named);

/// While it lives, the process has the rights of the directory's reader, if it runs as root. Threads: the
/// process must have one only.
class ReaderRights {
  public:
    explicit ReaderRights(const PolicyDirectory& directory);
    ReaderRights(const ReaderRights&) = delete;
    ReaderRights& operator=(const ReaderRights&) = delete;
    ~ReaderRights();

    /// Whether the rights are not those of the process itself.
    [[nodiscard]] bool are_changed() const noexcept { return are_changed_; }
    /// Whether the reader's rights are needed and could not be had: what the process finds is then not what
    /// the reader would find.
    [[nodiscard]] bool are_missing() const noexcept { return is_needed_ && !are_changed_; }

  private:
    bool is_needed_ = false;
    bool are_changed_ = false;
    std::vector<gid_t> groups_; ///< of the process
};

/// The policy of a directory, whoever owns its files. Fills `coverage`, unless it is null: it notes what
/// runs, and must outlive the policy. Errors: not_found without the directory; unavailable or invalid_input,
/// naming the file.
Result<std::shared_ptr<const policy::Policy>>
load_policy_to_try(const std::filesystem::path& directory,
                   std::optional<policy::Coverage>* coverage = nullptr);

} // namespace qg::cli

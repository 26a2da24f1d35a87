// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScriptFiles: the files that a script for job_submit/lua can read, found by the paths that it writes. They
// are those of the policy: `compat`, `data` and `lib` of its directory, and what `compat_files` names.
// Nothing here looks at a disk.
#pragma once

#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy::compat {

/// Ownership: borrows both. Threads: immutable.
class ScriptFiles {
  public:
    enum class Place : std::uint8_t {
        file,
        directory,
        missing, ///< it may be read, but does not exist
        outside, ///< it may not be read: it is elsewhere, or is hidden, and nobody looks whether it exists
    };
    struct Found {
        Place place = Place::outside;
        const SourceFile* file = nullptr; ///< of `file` only
    };

    /// Cost: n log n in the files.
    ScriptFiles(const SourceDirectory& sources, const Settings& settings);

    /// No path is longer than this: each directory in it is work.
    static constexpr std::size_t max_path = 4096;

    /// How many instructions a look for a path of so many bytes counts as: making it plain takes up to 150 ns
    /// a byte.
    [[nodiscard]] static constexpr std::int64_t cost_of_find(std::size_t bytes) noexcept {
        return 50 + 15 * static_cast<std::int64_t>(bytes);
    }

    /// A path without a slash at its beginning is below `compat`; "…/qosgate.d/lib/x" is lib/x. A path that
    /// is longer than max_path is outside; without memory every path is. Cost: linear in the path and the
    /// files.
    [[nodiscard]] Found find(std::string_view path) const noexcept;

    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

    /// Whether a file may be the module of that name: any NAME.lua or NAME/init.lua, since only the script
    /// knows its package.path. Cost: linear in the name; a source may ask for thousands of modules.
    [[nodiscard]] bool has_module(std::string_view name) const;

  private:
    [[nodiscard]] Found find_name(std::string_view name) const noexcept;
    /// The name among the files that a path stands for; empty: it is outside.
    [[nodiscard]] std::string name_of(std::string_view path) const;

    const SourceDirectory& sources_;
    const Settings& settings_;
    std::vector<std::string> modules_; ///< "x" and "site/x" for ".../site/x.lua"; sorted
};

/// What to say of a path outside.
std::string describe_outside(std::string_view path);

/// What to say of an attempt to write.
inline constexpr const char* no_writing =
    "a script cannot write files; slurm.log_info writes into slurmctld's log, and so does everything that it "
    "writes with site { compat_writes = \"log\" }";

/// Of what io.popen answers, in bytes.
inline constexpr std::size_t max_program_output = std::size_t{1} << 16;

} // namespace qg::policy::compat

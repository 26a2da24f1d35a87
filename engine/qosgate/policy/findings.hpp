// SPDX-License-Identifier: GPL-2.0-or-later
//
// findings: all that is wrong in a policy directory, before it is live. load_policy() stops at the first
// error; here every file is looked at, by the same code, and also for what keeps no directory from loading.
// Not for daemons: the number of findings is not bounded.
//
//   auto report = check_policy("/etc/slurm/qosgate.d", {.trusted_user = slurm_user_id});
//   for (const Finding& finding : report->findings) print(finding);
//   if (report->loads()) print(report->rules);
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"
#include "qosgate/policy/written_names.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace qg::policy {

/// One thing that is wrong.
struct Finding {
    std::string file; ///< "10-debug.lua"; empty: the directory
    int line = 0;     ///< 0: the file as a whole
    std::string message;
    bool stops_loading = true; ///< whether slurmctld would not load the directory because of it
    friend bool operator==(const Finding&, const Finding&) = default;
};

/// What a policy directory holds, and what is wrong there.
struct PolicyReport {
    std::vector<Finding> findings;  ///< by file and line
    Settings settings;              ///< the defaults if site.lua is missing or does not load
    std::vector<RuleInfo> rules;    ///< in the order they run; those that do not load are missing
    std::string script;             ///< for job_submit/lua, as it would be in force; empty: there is none
    std::string client_script;      ///< for cli_filter/lua; empty: there is none, or it does not compile
    bool is_for_clients = false;    ///< of check_script_file(): the one script is for cli_filter/lua
    std::uint64_t hash = 0;         ///< as Policy::hash(), of the files that could be read
    std::vector<WrittenName> names; ///< that rules and modules have as literals

    [[nodiscard]] bool loads() const noexcept;
};

/// Who may own the files of a directory.
struct OwnerCheck {
    bool is_needed = true;
    std::optional<uid_t> trusted_user = {}; ///< besides root; empty: the effective user
};

/// Checks a directory, and runs its tests if all else is good. Errors: not_found if there is none,
/// unavailable if it cannot be read. Cost: blocking reads; compiles and runs every file, in the sandbox.
Result<PolicyReport> check_policy(const std::filesystem::path& directory, const OwnerCheck& owners = {},
                                  const TestRun& tests = {});

/// Checks one file as the script for job_submit/lua, or for cli_filter/lua if it is one (is_client_script()),
/// of a directory with default settings, whoever owns it. Then `loads` is about clients. The findings name it
/// as `file` does. Errors: unavailable if it cannot be read, invalid_input if it is no regular file or too
/// large. Cost: likewise.
Result<PolicyReport> check_script_file(const std::filesystem::path& file);

/// The same for files that were read before, without their tests.
PolicyReport check_sources(const SourceDirectory& sources);

/// Adds the names in rules that the cluster does not have. They keep no directory from loading.
void compare_names(PolicyReport& report, const ClusterNames& names);

} // namespace qg::policy

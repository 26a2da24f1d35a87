// SPDX-License-Identifier: GPL-2.0-or-later
//
// Coverage: which lines of the functions of rules and modules have run, and in how many tests each rule.
//
//   auto coverage = Coverage::of(sources);
//   auto policy = compile_policy(sources, {.coverage = &*coverage});
//   run_tests(**policy, sources.tests, {.world = &world, .coverage = &*coverage}, take);
//   for (const Coverage::File& file : coverage->files()) print(file.missed());
#pragma once

#include "qosgate/base/enumerators.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/source_files.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

class LuaState;

/// Threads: not thread-safe; for programs that run tests, never for slurmctld.
class Coverage {
  public:
    /// A file and its lines that hold code of functions.
    struct File {
        std::string name;
        std::vector<int> lines;
        std::vector<bool> has_run; ///< of each of these

        [[nodiscard]] std::vector<int> missed() const;
    };

    /// Of a policy's rules and modules. Errors: as find_code_lines.
    static Result<Coverage> of(const SourceDirectory& sources);

    [[nodiscard]] const std::vector<File>& files() const noexcept { return files_; }
    /// In how many tests of new jobs, of changes, or of clients a rule ran.
    [[nodiscard]] std::uint64_t tests_of(std::string_view rule, JobEvent event) const;

    /// Begins to note the lines that run in this state. This object must outlive it.
    void watch(LuaState& state) noexcept;
    /// Counts the rules that one test ran.
    void count_test(JobEvent event, std::span<const std::string> rules);

    /// Called by Lua. `source` is Lua's name of a chunk.
    void note(std::string_view source, int line) noexcept;

  private:
    std::vector<File> files_;
    std::size_t last_ = 0; ///< the file of the last line
    /// Of each rule, by event.
    std::map<std::string, std::array<std::uint64_t, count_enumerators<JobEvent>()>, std::less<>> tests_;
};

// ---- lines with code of functions ----------------------------------------------------------------------
// Which lines of a Lua source hold code of functions, also of those that never run. What stands outside of
// functions runs whenever the file is loaded. Lua's own functions tell lines only of functions that exist, so
// they are read from the compiled chunk's debug information.

/// The lines, ascending, each once. The end of a function belongs to the function that makes it.
/// Errors: invalid_input if the source does not compile, unsupported for another release of Lua than 5.4,
/// limit_exceeded if memory is short.
Result<std::vector<int>> find_code_lines(const SourceFile& file);

} // namespace qg::policy

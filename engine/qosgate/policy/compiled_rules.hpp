// SPDX-License-Identifier: GPL-2.0-or-later
//
// compiled_rules: from the texts of a policy folder to Lua states that hold its rules, and a pool of such
// states.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/lua_state.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace qg::policy {

/// One interpreter with every rule of a policy loaded.
struct CompiledRules {
    std::unique_ptr<LuaState> state;
    std::vector<RuleInfo> rules; ///< in the order they run
    std::vector<int> submit;     ///< the function of each, a reference in the registry
    int job = 0;                 ///< the `job` object, a reference in the registry
};

/// The settings of site.lua. Errors: as load_policy.
Result<Settings> load_settings(const SourceFile& site);

/// Compiles every file but site.lua. Errors: as load_policy.
/// Cost: some 100 us; no files.
Result<CompiledRules> compile_rules(const SourceFolder& sources, const Settings& settings);

/// Lua states for concurrent decisions, made on demand, kept when idle.
/// Threads: internally locked; the lock covers a push or pop.
class StatePool {
  public:
    /// More idle states than these are freed: as many submissions as a busy controller runs at once.
    static constexpr std::size_t max_idle = 16;

    StatePool(std::shared_ptr<const SourceFolder> sources, Settings settings, CompiledRules first);
    StatePool(const StatePool&) = delete;
    StatePool& operator=(const StatePool&) = delete;

    /// A state for one decision. Errors: as compile_rules (memory is short, say).
    Result<std::unique_ptr<CompiledRules>> acquire();

    /// Gives a state back. One that spent its budget is to be dropped instead.
    void release(std::unique_ptr<CompiledRules> rules);

  private:
    const std::shared_ptr<const SourceFolder> sources_;
    const Settings settings_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<CompiledRules>> idle_; ///< guarded by mutex_
};

} // namespace qg::policy

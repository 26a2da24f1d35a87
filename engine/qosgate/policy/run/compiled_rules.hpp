// SPDX-License-Identifier: GPL-2.0-or-later
//
// compiled_rules: makes Lua states with the modules and rules of a policy directory, and keeps a pool of such
// states.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/check/name_check.hpp"
#include "qosgate/policy/files/data_files.hpp"
#include "qosgate/policy/files/modules.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/objects/job_binding.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace qg::policy {

/// What the Lua states of a policy are made from.
struct StateSources {
    std::shared_ptr<const SourceDirectory> directory;
    std::shared_ptr<const std::vector<DataFile>> data;
    std::vector<Module> modules;          ///< in the order they are loaded
    std::vector<const SourceFile*> rules; ///< in the order they run
    /// For each rule, whether it may keep something between calls. Empty: no rule rests (kept_fields.hpp).
    std::vector<bool> keeps_state;
    Coverage* coverage = nullptr; ///< which lines run; null: nobody asks
};

/// For each rule, whether it may keep something from one call to the next. Cost: linear.
std::vector<bool> find_rules_with_state(const StateSources& sources);

/// Errors: as load_policy, of data and of modules' names. Cost: linear; reads all data.
Result<StateSources> make_state_sources(std::shared_ptr<const SourceDirectory> directory);

/// One interpreter with every rule of a policy loaded.
struct CompiledRules {
    std::unique_ptr<LuaState> state;
    std::vector<RuleInfo> rules;          ///< in the order they run
    std::vector<RuleFunctions> functions; ///< of each rule
    JobObjects objects;
};

/// What loading a file may spend; the settings apply only to running rules. With a clock, a job waits for it.
BudgetLimits load_limits(const Settings& settings, const BudgetClock* clock = nullptr);
/// What one rule may spend on one job.
BudgetLimits run_limits(const Settings& settings);

/// The settings of site.lua. Errors: as load_policy.
Result<Settings> load_settings(const SourceFile& site);

/// Compiles modules and rules. If a job waits for it, `clock` is that job's clock, and compiling may
/// spend what the job's rules may spend; without a clock each file may take a second. Errors: as load_policy.
/// Cost: about 100 us, plus the time of code that files run while they load; reads no files.
Result<CompiledRules> compile_rules(const StateSources& sources, const Settings& settings,
                                    const BudgetClock* clock = nullptr);

/// The names that code of a kind can use. Errors: limit_exceeded if memory is short.
Result<KnownNames> list_known_names(const SourceDirectory& sources, CodeKind kind);

/// Looks for mistakes in every file that compile_rules() compiled. Errors: invalid_input, see check_names.
Result<void> check_rule_names(const StateSources& sources, const CompiledRules& compiled);

/// Lua states for concurrent decisions. A state with a spent budget is not used again. The thread that
/// watches the policy keeps some states idle; a job that finds none makes one, and this counts as the job's
/// time.
/// Threads: safe; where a lock is needed, it covers a push or pop.
class StatePool {
  public:
    /// The maximum number of idle states behind the lock: as many submissions as a busy controller runs at
    /// once.
    static constexpr std::size_t max_idle = 16;
    /// refill() makes this many.
    static constexpr std::size_t spares = 4;
    /// The maximum number of spent states that wait for refill(), because each may hold a state's whole
    /// memory. Beyond that the caller frees its state.
    static constexpr std::size_t max_spent = 4;

    StatePool(StateSources sources, Settings settings, CompiledRules first);
    StatePool(const StatePool&) = delete;
    StatePool& operator=(const StatePool&) = delete;
    ~StatePool();

    /// A state for one decision; if none is idle, it is made on the job's clock.
    /// Errors: as compile_rules (the time is over, memory is short).
    Result<std::unique_ptr<CompiledRules>> acquire(BudgetClock& clock);

    /// Gives a state back.
    void release(std::unique_ptr<CompiledRules> rules);

    /// Takes a state with a spent budget.
    void discard(std::unique_ptr<CompiledRules> rules);

    /// Frees spent states and makes new ones. Not for the submit path. Cost: compiles.
    void refill();

    /// How many states jobs had to make.
    [[nodiscard]] std::uint64_t made_by_jobs() const noexcept { return made_by_jobs_; }

  private:
    Result<std::unique_ptr<CompiledRules>> acquire_locked(BudgetClock& clock);
    void release_locked(std::unique_ptr<CompiledRules> rules);

    const StateSources sources_;
    const Settings settings_;
    /// One more idle state, for the usual case of one submission at a time; null: none. Owned.
    std::atomic<CompiledRules*> ready_ = nullptr;
    std::mutex mutex_;
    std::vector<std::unique_ptr<CompiledRules>> idle_;  ///< guarded by mutex_
    std::vector<std::unique_ptr<CompiledRules>> spent_; ///< guarded by mutex_
    std::atomic<std::uint64_t> made_by_jobs_ = 0;
};

} // namespace qg::policy

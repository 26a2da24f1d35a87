// SPDX-License-Identifier: GPL-2.0-or-later
//
// Budget: the instructions, CPU time and memory that one Lua state may spend. Three places enforce it, and
// Lua code cannot avoid them: a count hook in the interpreter, charges by our C functions for work that the
// hook does not see, and the state's allocator.
//
// A spent budget stays spent: the hook fires at every further instruction, pcall (sandbox.cpp) passes the
// error on, and the state is destroyed afterwards. There are no coroutines, metatables, xpcall or
// to-be-closed values in the sandbox, so no Lua code runs between the error and the C++ caller.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

struct lua_State;
struct lua_Debug;

namespace qg::policy {

/// The resource that a budget has spent.
enum class Exhausted : std::uint8_t { nothing, instructions, time, memory };

struct BudgetLimits {
    std::int64_t instructions = 100'000;        ///< per start_rule()
    std::chrono::nanoseconds time{50'000'000};  ///< CPU time of this thread, per start_job()
    std::size_t memory = std::size_t{8} << 20u; ///< bytes in use
};

/// When a job's time began. If the job's first state is spent, the job continues with another state and the
/// same clock.
class BudgetClock {
  public:
    /// Starts the clock; does nothing if it runs. A job's first check of the limits starts it, so small rules
    /// never read a clock.
    void start() noexcept;
    /// The same, without waiting for the kernel's tick: copies of this clock then share the time. Cost: reads
    /// three clocks.
    void start_at_once() noexcept;
    /// Whether the thread has spent more CPU time than this since the start. What it spends before the
    /// kernel's tick after the start, at most some milliseconds, is not counted.
    [[nodiscard]] bool is_past(std::chrono::nanoseconds limit) const noexcept;

  private:
    /// Times since points that do not matter.
    struct Times {
        std::chrono::nanoseconds wall;
        std::chrono::nanoseconds cpu; ///< of the thread
    };
    static Times now() noexcept;

    std::optional<std::chrono::nanoseconds> tick_; ///< at the start; empty: it does not run
    mutable std::optional<Times> start_;           ///< empty: is_past() has seen no tick since
};

/// Threads: not thread-safe; it belongs to one Lua state.
class Budget {
  public:
    /// Lua instructions between two checks of the limits. An instruction costs at most about 30 us (a copy of
    /// the largest block), or 150 us (a loop to a text of 64 KiB), so the next check comes within 15 ms.
    static constexpr int hook_interval = 100;
    /// Instructions between two readings of the clock, also if one call of a C function takes them all.
    static constexpr std::int64_t portion = 20'000;
    /// The maximum size of a string: comparing, hashing and copying strings is work that the hook does not
    /// see.
    static constexpr std::size_t max_string = std::size_t{64} << 10u;
    /// The maximum size of a block (of a table or a stack). It bounds the work of one call of next().
    static constexpr std::size_t max_block = std::size_t{256} << 10u;
    /// Memory granted beyond the limit, so that the hook raises the error, with a line number.
    static constexpr std::size_t reserve = std::size_t{1} << 20u;
    /// The total that one rule may allocate for one job, including freed memory, in multiples of the memory
    /// limit.
    static constexpr std::size_t churn_factor = 4;

    explicit Budget(const BudgetLimits& limits) noexcept;
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    /// Arms the hook of the state that allocates from this budget.
    void attach(lua_State* lua) noexcept;

    /// Calls `hook` also at each new line of code; it passes other events on to on_count().
    void watch_lines(void (*hook)(lua_State*, lua_Debug*)) noexcept;
    /// The hook.
    static void on_count(lua_State* lua, lua_Debug* where);

    /// Sets other limits; the next start_job() and start_rule() use them.
    void set_limits(const BudgetLimits& limits) noexcept;

    void start_job(const BudgetClock& clock = {}) noexcept { clock_ = clock; }
    [[nodiscard]] const BudgetClock& clock() const noexcept { return clock_; }

    /// Starts the count of instructions and allocations. Also frees the garbage of earlier rules if there is
    /// much of it: a rule must not fail for the garbage of others. Do not call it from within Lua.
    void start_rule() noexcept;

    [[nodiscard]] Exhausted exhausted() const noexcept { return exhausted_; }

    /// The instructions taken since start_rule(); the last ones, up to hook_interval, are not counted yet.
    [[nodiscard]] std::int64_t taken() const noexcept {
        return limits_.instructions - behind_portion_ - portion_left_;
    }

    /// "more than 100000 instructions for one job (setting rule_instructions)"; empty if the budget is not
    /// spent.
    [[nodiscard]] std::string describe() const;

    /// Takes instructions, and reads the clock each time that a portion of them is used up. False: the budget
    /// is spent. For C code that counts its own steps.
    [[nodiscard]] bool take(std::int64_t cost) noexcept {
        portion_left_ -= cost;
        return portion_left_ >= 0 || open_portion();
    }

    /// Takes `cost` instructions for work done inside C. Called from C functions that Lua called.
    /// Errors: raises a Lua error when the budget is spent.
    static void charge(lua_State* lua, std::int64_t cost);

    /// Takes the cost of a search for a near miss among that many names. Errors: as charge.
    static void charge_unknown_name(lua_State* lua, std::size_t candidates);

    /// Raises the Lua error of a budget that a C function has just spent.
    [[noreturn]] static void raise_spent(lua_State* lua);

    /// The lua_Alloc of the state; `self` is its Budget.
    static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) noexcept;

  private:
    void exhaust(Exhausted what) noexcept;
    [[nodiscard]] bool open_portion() noexcept;
    [[nodiscard]] bool is_late() noexcept;
    [[nodiscard]] bool grant(std::size_t growth, std::size_t block_size, bool is_string) noexcept;

    BudgetLimits limits_;
    lua_State* lua_ = nullptr;
    Exhausted exhausted_ = Exhausted::nothing;
    std::int64_t portion_left_ = 0; ///< below zero: overdrawn
    std::int64_t behind_portion_;   ///< instructions that are left when the portion is used up
    std::size_t used_ = 0;
    std::size_t churned_ = 0;
    std::size_t collect_at_; ///< bytes in use
    BudgetClock clock_;
};

} // namespace qg::policy

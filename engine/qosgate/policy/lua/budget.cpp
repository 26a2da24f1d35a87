// SPDX-License-Identifier: GPL-2.0-or-later
//
// Why 100000 instructions: CPU time measured on a server core (AMD EPYC, Lua 5.4.4 of Debian 12, hook armed
// at interval 100), for an empty loop and for one that reads a field of the job in each turn:
//
//   instructions   empty loop   reading fields
//          1 000       3 us          11 us
//        100 000     0.3 ms         1.0 ms
//     10 000 000      28 ms          99 ms
//
// A useful rule spends 20 to 300. 100000 leaves a factor of several hundred for lists and patterns, and an
// endless loop costs the controller at most about a millisecond.
//
// Why CPU time and not the wall clock: a busy controller may not run a thread for longer than any sane limit,
// and that must not reject a job. The kernel's tick is read first: it takes 5 ns, the wall clock 25, CPU time
// a system call. Most jobs are through before it moves.
#include "qosgate/policy/lua/budget.hpp"

#include "qosgate/base/read_clock.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <cstdlib>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// The text of the error. It uses no C++ objects because Lua may longjmp here.
const char* short_text(Exhausted what) noexcept {
    switch (what) {
    case Exhausted::nothing: return "";
    case Exhausted::instructions: return "too many instructions";
    case Exhausted::time: return "too much time";
    case Exhausted::memory: return "too much memory";
    }
    return "";
}

} // namespace

BudgetClock::Times BudgetClock::now() noexcept {
    return {read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_THREAD_CPUTIME_ID)};
}

void BudgetClock::start() noexcept {
    if (!tick_) tick_ = read_clock(CLOCK_MONOTONIC_COARSE);
}

void BudgetClock::start_at_once() noexcept {
    start();
    if (!start_) start_ = now();
}

bool BudgetClock::is_past(std::chrono::nanoseconds limit) const noexcept {
    if (!start_) {
        if (tick_ && read_clock(CLOCK_MONOTONIC_COARSE) != *tick_) start_ = now();
        return false;
    }
    return read_clock(CLOCK_MONOTONIC) - start_->wall > limit &&
           read_clock(CLOCK_THREAD_CPUTIME_ID) - start_->cpu > limit;
}

Budget::Budget(const BudgetLimits& limits) noexcept
    : limits_(limits), behind_portion_(limits.instructions), collect_at_(limits.memory / 2) {}

void Budget::attach(lua_State* lua) noexcept {
    lua_ = lua;
    lua_sethook(lua_, &Budget::on_count, LUA_MASKCOUNT, hook_interval);
}

void Budget::watch_lines(lua_Hook hook) noexcept {
    lua_sethook(lua_, hook, LUA_MASKCOUNT | LUA_MASKLINE, hook_interval);
}

void Budget::set_limits(const BudgetLimits& limits) noexcept {
    limits_ = limits;
}

void Budget::start_rule() noexcept {
    portion_left_ = std::min(portion, limits_.instructions);
    behind_portion_ = limits_.instructions - portion_left_;
    churned_ = 0;
    if (lua_ == nullptr || used_ <= collect_at_) return;
    clock_.start(); // a collection takes milliseconds if much memory is in use
    lua_gc(lua_, LUA_GCCOLLECT);
    // Higher than before, so that much data that a rule keeps does not cause a collection for every job.
    collect_at_ = (used_ + limits_.memory) / 2;
}

std::string Budget::describe() const {
    switch (exhausted_) {
    case Exhausted::nothing: return {};
    case Exhausted::instructions:
        return text::format("more than {} instructions for one job (setting rule_instructions)",
                            limits_.instructions);
    case Exhausted::time:
        return text::format("more than {} ms of CPU time for one job (setting rule_time_ms)",
                            std::chrono::duration_cast<std::chrono::milliseconds>(limits_.time).count());
    case Exhausted::memory:
        return text::format(
            "more memory than a rule may use: {} KiB in use, {} KiB allocated in all, {} KiB in "
            "one text, or a recursion without end (setting rule_memory_mib)",
            limits_.memory >> 10u, limits_.memory * churn_factor >> 10u, max_string >> 10u);
    }
    return {};
}

void Budget::charge(lua_State* lua, std::int64_t cost) {
    // More than any setting allows, and far from what overflows when it is taken.
    constexpr std::int64_t max_cost = std::int64_t{1} << 40;
    cost = std::min(cost, max_cost);
    if (!LuaState::of(lua).budget().take(cost)) raise_spent(lua);
}

bool Budget::open_portion() noexcept {
    if (exhausted_ != Exhausted::nothing || is_late()) return false;
    // portion - portion_left_ may overflow if more was taken than is left.
    const bool takes_all = portion_left_ <= portion - behind_portion_;
    const std::int64_t fresh = takes_all ? behind_portion_ : portion - portion_left_;
    portion_left_ += fresh;
    behind_portion_ -= fresh;
    if (portion_left_ < 0) exhaust(Exhausted::instructions);
    return portion_left_ >= 0;
}

bool Budget::is_late() noexcept {
    clock_.start();
    if (clock_.is_past(limits_.time)) exhaust(Exhausted::time);
    return exhausted_ != Exhausted::nothing;
}

void Budget::charge_unknown_name(lua_State* lua, std::size_t candidates) {
    // A comparison of two short names takes one or two microseconds, the time of this many instructions.
    constexpr std::int64_t each = 50;
    charge(lua, each * static_cast<std::int64_t>(candidates));
}

void Budget::raise_spent(lua_State* lua) {
    luaL_error(lua, "%s", short_text(LuaState::of(lua).budget().exhausted_));
    __builtin_unreachable(); // luaL_error does not return, but is not declared so
}

void Budget::on_count(lua_State* lua, lua_Debug* /*where*/) {
    Budget& budget = LuaState::of(lua).budget();
    // Allocations spend the budget, too. The hook always reads the clock, because instructions may be slow.
    if (budget.exhausted_ == Exhausted::nothing && budget.take(hook_interval) && !budget.is_late()) return;
    luaL_where(lua, 0); // inside a hook, level 0 is the Lua function that was interrupted
    lua_pushstring(lua, short_text(budget.exhausted_));
    lua_concat(lua, 2);
    lua_error(lua);
}

void Budget::exhaust(Exhausted what) noexcept {
    if (exhausted_ == Exhausted::nothing) exhausted_ = what;
    // lua_sethook may be called at any moment, also from the allocator.
    if (lua_ != nullptr) lua_sethook(lua_, &Budget::on_count, LUA_MASKCOUNT, 1);
}

bool Budget::grant(std::size_t growth, std::size_t block_size, bool is_string) noexcept {
    // A string's block holds a header too; 64 bytes is more than it takes.
    if (block_size > (is_string ? max_string + 64 : max_block)) {
        exhaust(Exhausted::memory);
        return false;
    }
    churned_ += growth;
    if (used_ + growth > limits_.memory || churned_ > limits_.memory * churn_factor)
        exhaust(Exhausted::memory);
    return used_ + growth <= limits_.memory + reserve && churned_ <= limits_.memory * churn_factor + reserve;
}

void* Budget::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) noexcept {
    Budget& budget = *static_cast<Budget*>(self);
    // For a new block Lua passes the kind of object in the place of the old size.
    const std::size_t had = block == nullptr ? 0 : old_size;
    if (new_size == 0) {
        std::free(block);
        budget.used_ -= had;
        return nullptr;
    }
    const bool is_string = block == nullptr && old_size == LUA_TSTRING;
    if (new_size > had && !budget.grant(new_size - had, new_size, is_string)) return nullptr;
    void* fresh = block == nullptr ? std::malloc(new_size) : std::realloc(block, new_size);
    if (fresh == nullptr) { // no pcall of a rule may catch this, either
        budget.exhaust(Exhausted::memory);
        return nullptr;
    }
    budget.used_ = budget.used_ - had + new_size;
    return fresh;
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
//
// LuaState: one Lua interpreter with its budget, and the only way to call into it.
//
// Lua here is plain C: an error is a longjmp. Two rules follow for everything in this directory.
//  - C++ calls Lua only through protected_call (or lua_pcall with push_traceback_handler below it); calls
//  that can raise an error, including pushes of strings and tables, happen inside.
//  - A function that Lua calls holds only trivial locals when it calls something that can raise. Work with
//    C++ objects is done in noexcept helpers that report through ErrorText.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/objects/kept_fields.hpp"

#include <array>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct lua_State;

namespace qg::policy {

class RuleRun;
class Declarations;
class TestCollector;
class Coverage;
struct DataFile;
namespace compat {
class ClientScriptHost;
class ScriptRun;
} // namespace compat

/// A message that a longjmp may skip: plain bytes, cut to size, always terminated.
struct ErrorText {
    ErrorText() noexcept { bytes[0] = '\0'; } // the rest is not read

    std::array<char, 1024> bytes;

    void assign(std::string_view message) noexcept;
    [[nodiscard]] bool empty() const noexcept { return bytes[0] == '\0'; }
    [[nodiscard]] const char* c_str() const noexcept { return bytes.data(); }
};

/// Does work with C++ objects on the way to a Lua error, which is raised when this frame has ended. A failed
/// result and an exception end in `error`. `work` returns nothing or a Result<void>.
template <typename Work>
void report_into(ErrorText& error, Work work) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
        } else if (const auto done = work(); !done) {
            error.assign(done.error().message);
        }
    } catch (const std::exception& problem) {
        error.assign(problem.what());
    } catch (...) {
        error.assign("unknown failure");
    }
}

/// Why a protected call failed.
struct LuaError {
    std::string message;   ///< "10-debug.lua:12: attempt to ..."; names the spent budget in full
    std::string traceback; ///< the call stack; empty if there was no memory for it
    Exhausted exhausted = Exhausted::nothing;

    /// limit_exceeded if a budget is spent, else invalid_input.
    [[nodiscard]] Error to_error() const;
};

/// Checks at the end of a scope that the Lua stack has its old height (plus the values to be left there), and
/// restores the height if not.
class StackGuard {
  public:
    explicit StackGuard(lua_State* lua) noexcept;
    StackGuard(const StackGuard&) = delete;
    StackGuard& operator=(const StackGuard&) = delete;
    ~StackGuard();

  private:
    lua_State* lua_;
    int height_;
};

/// Owns one interpreter. Threads: not thread-safe; one thread at a time.
class LuaState {
  public:
    /// An empty interpreter: no libraries, no globals. Null if memory is short.
    static std::unique_ptr<LuaState> create(const BudgetLimits& limits);
    /// The owner of the interpreter that a C function runs in.
    static LuaState& of(lua_State* lua) noexcept;

    LuaState(const LuaState&) = delete;
    LuaState& operator=(const LuaState&) = delete;
    ~LuaState();

    [[nodiscard]] lua_State* raw() const noexcept { return lua_; }
    [[nodiscard]] Budget& budget() noexcept { return budget_; }

    /// Whether a rule has ended itself (job:reject, job:stop). The current error is then not a failure, and
    /// no pcall may catch it.
    bool rule_ended = false;
    RuleRun* run = nullptr;                   ///< the rule being run; borrowed, null outside of one
    KeptFields job_fields;                    ///< what rules have read of `job`
    std::uint64_t runs = 0;                   ///< how many there were, with the present one
    const void* job_object = nullptr;         ///< the address of Lua's `job`, to recognise it
    const void* job_tres_object = nullptr;    ///< the same of `job.tres`
    const void* before_object = nullptr;      ///< the same of `before`, the job before a change
    const void* before_tres_object = nullptr; ///< the same of `before.tres`
    const void* options_object = nullptr;     ///< the same of `options`, the options of a job in a client
    std::array<const void*, 16> view_types{}; ///< the addresses of the metatables of view's kinds of objects
    Declarations* declarations = nullptr;     ///< where site{} and rule{} write; borrowed, null after loading
    const std::vector<DataFile>* data = nullptr; ///< what data() reads; borrowed for the state's life
    TestCollector* tests = nullptr;              ///< where test{} writes, in files of tests; likewise
    Coverage* coverage = nullptr;                ///< where lines that run are noted; null: nowhere
    std::string writable_env;                    ///< the setting: which variables rules may write
    compat::ClientScriptHost* client_script =
        nullptr;                         ///< the client of a script for cli_filter/lua; likewise
    compat::ScriptRun* script = nullptr; ///< the call of a script for job_submit/lua; null outside of one

  private:
    explicit LuaState(const BudgetLimits& limits) noexcept : budget_(limits) {}

    Budget budget_;
    lua_State* lua_ = nullptr;
};

/// Pushes the handler that lua_pcall wants below the function; it adds the call stack to the message.
void push_traceback_handler(lua_State* lua) noexcept;

/// Pops the error that a failed lua_pcall left on top of the stack.
LuaError take_error(LuaState& state);

/// Runs `body(lua)` as a C function inside lua_pcall. `body` is called with `argument` as the only value on
/// its stack, a light userdata, and leaves no result.
Result<void> protected_call(LuaState& state, int (*body)(lua_State*), void* argument);

} // namespace qg::policy

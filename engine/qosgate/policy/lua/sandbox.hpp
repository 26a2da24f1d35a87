// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sandbox: what a site's Lua code can use. It is an allow-list; everything else of the interpreter is missing
// (io, os, debug, package, load, coroutine, collectgarbage, xpcall, raw access, metatables,
// string.dump, string.pack, math.random, ...). Globals and libraries are read-only. Reading or writing a
// global that does not exist is an error.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/check/name_check.hpp"

#include <span>
#include <string_view>

struct lua_State;

namespace qg::policy {

class LuaState;

/// A function that a kind of file has besides the common globals.
struct ExtraGlobal {
    const char* name;
    int (*function)(lua_State*);
};

/// Fills a fresh state with the globals allowed and makes them read-only.
/// Errors: limit_exceeded if the state's memory does not suffice.
Result<void> install_sandbox(LuaState& state, std::span<const ExtraGlobal> extras);

/// The globals of a state after install_sandbox(). Errors: limit_exceeded where memory is short.
Result<KnownNames> list_globals(LuaState& state);

/// Compiles `source` (text, never bytecode) and runs it in the sandbox; its return values are dropped.
/// `file` names it in messages.
/// Errors: invalid_input if the text does not compile or fails, limit_exceeded if a budget is exceeded.
Result<void> run_chunk(LuaState& state, std::string_view source, std::string_view file);

/// The same for a chunk that returns something: `take(lua, argument)` gets its first value on top of the
/// stack and may raise an error.
Result<void> run_chunk(LuaState& state, std::string_view source, std::string_view file,
                       void (*take)(lua_State* lua, const void* argument), const void* argument);

/// Compiles `source` as run_chunk() does, without running it. Errors: as run_chunk().
Result<void> compile_chunk(LuaState& state, std::string_view source, std::string_view file);

/// Compiles `source` likewise, and gives the compiled chunk with its debug information to `write`, a
/// lua_Writer. Errors: as run_chunk(); limit_exceeded if `write` fails.
Result<void> dump_chunk(LuaState& state, std::string_view source, std::string_view file,
                        int (*write)(lua_State* lua, const void* bytes, std::size_t size, void* to),
                        void* to);

/// What to say of a name that belongs elsewhere: one that scripts for job_submit/lua have and rules do not,
/// or `site` and `rule` in each other's files. Empty for all other names. A literal.
std::string_view describe_foreign_name(std::string_view name) noexcept;

} // namespace qg::policy

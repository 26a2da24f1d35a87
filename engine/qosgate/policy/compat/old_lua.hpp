// SPDX-License-Identifier: GPL-2.0-or-later
//
// old_lua: the libraries of Lua 5.1 for scripts, on Lua 5.4. Texts of numbers are those of 5.1, in which
// there are no integers: 4 / 2 is "2". Scripts may extend all tables. Nothing in them reaches the host, and
// their work inside C is charged to the budget.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct lua_State;

namespace qg::policy {
class LuaState;
}

namespace qg::policy::compat {

/// Gives an empty state the globals. take_old_numbers() (old_arguments.hpp) follows when all are there.
/// Errors: limit_exceeded if the state's memory does not suffice.
Result<void> install_old_lua(LuaState& state);

/// Pushes the value at `index` as Lua 5.1 writes it. Errors: raises a Lua error.
void push_old_text(lua_State* lua, int index);

/// How many instructions it counts as to compile so many bytes: work that the hook does not see.
[[nodiscard]] constexpr std::int64_t cost_of_compiling(std::size_t bytes) noexcept {
    return 100 + static_cast<std::int64_t>(bytes);
}

/// Compiles a text, made ready for Lua 5.4, without a charge, and leaves the function on the stack; nil and a
/// message if it has a mistake. Returns how many values were pushed. Errors: raises a Lua error.
int compile_text(lua_State* lua, std::string_view source, const char* chunk_name);

/// The same for a chunk whose globals are in the table at `environment`, an absolute index.
int compile_text_in(lua_State* lua, std::string_view source, const char* chunk_name, int environment);

/// Compiles and runs a script. `file` names it in messages. `take` gets the first value that it returned on
/// top of the stack, and may raise an error; null: nobody does. Errors: as run_chunk() (sandbox.hpp).
Result<void> run_script(LuaState& state, std::string_view source, const std::string& file,
                        void (*take)(lua_State* lua));

// ---- what scripts get of the library `debug` -----------------------------------------------------------

/// Pushes a table with traceback and getinfo. Inside a protected call.
void push_debug(lua_State* lua);

// ---- what makes texts of values, as Lua 5.1 does -------------------------------------------------------

int old_tostring(lua_State* lua);
/// string.format
int format_text(lua_State* lua);
/// table.concat, whose arguments are prepared (old_arguments.hpp).
int concat_table(lua_State* lua);

/// The functions of the names concat_name and arg_name (source_rewrite.hpp).
int concat(lua_State* lua);
int make_arg(lua_State* lua);

/// Pushes a block that holds the source, made ready for Lua 5.4; `text` views it as long as the block lives.
/// False: no memory, and nothing is pushed.
bool push_rewritten(lua_State* lua, std::string_view source, std::string_view& text);

} // namespace qg::policy::compat

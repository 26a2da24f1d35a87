// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_objects: the tables job_desc and job_rec of a script. They look like Slurm's: tables whose fields
// are read when the script asks for them.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/script_value.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <exception>
#include <string_view>

#include <lua.hpp>

namespace qg::policy::compat {

// ---- script_lists uses it, too -------------------------------------------------------------------------

class ScriptHost;

/// The host of the present run. Errors: raises a Lua error while the script is loaded, and in functions that
/// it calls then.
ScriptHost& check_host(lua_State* lua);

/// The text of the argument; raises an error if it is none. Ownership: Lua's.
std::string_view check_text(lua_State* lua, int index);

/// Raises an error that a script cannot catch.
int raise(lua_State* lua, const ErrorText& error);

/// Pushes the value; nil for one that is unknown. Errors: raises one for a text above Budget::max_string.
void push_script_value(lua_State* lua, const model::ScriptValue& value);

/// Makes the metatable `type` with these functions, hidden from scripts: its functions take only their own
/// objects, and a finalizer would run without bounds.
void make_type(lua_State* lua, const char* type, const luaL_Reg* functions);

/// Pushes a new table with the metatable of that name.
void push_object(lua_State* lua, const char* type);

/// Hides the metatable on top of the stack from scripts.
void hide_metatable(lua_State* lua);

/// What a Result of the host says, without a C++ object that a longjmp would skip. Null: `error` tells why.
template <typename T, typename Ask>
T* ask(ErrorText& error, Ask ask_host) noexcept {
    try {
        const Result<T*> answer = ask_host();
        if (answer) return *answer;
        error.assign(answer.error().message);
    } catch (const std::exception& problem) {
        error.assign(problem.what());
    }
    return nullptr;
}

/// Makes the metatables of the objects. Inside a protected call.
void install_script_objects(lua_State* lua);

/// Pushes a new table `job_desc` of the present run.
void push_job_desc(lua_State* lua);

/// Pushes a new table `job_rec`: the job before a change, read-only.
void push_job_rec(lua_State* lua);

} // namespace qg::policy::compat

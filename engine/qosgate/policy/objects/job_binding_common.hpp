// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_binding_common: what the bindings of a job's objects share. A rule has two jobs, `job` and `before`,
// and each has a table of its own, `tres`.
#pragma once

#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/run/rule_run.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {

/// The jobs that a rule reads.
enum class Shown : std::uint8_t {
    job,    ///< the job that it decides about
    before, ///< the job before a change, read-only
};

template <Shown shown>
constexpr const void* LuaState::*job_object =
    shown == Shown::job ? &LuaState::job_object : &LuaState::before_object;
template <Shown shown>
constexpr const void* LuaState::*tres_object =
    shown == Shown::job ? &LuaState::job_tres_object : &LuaState::before_tres_object;

/// The run that the object at stack index 1 shows. The object must be the state's own one.
/// Errors: raises a Lua error.
RuleRun& check_run(lua_State* lua, const void* LuaState::*object);

/// The present run, which has such an object. Errors: raises a Lua error.
RuleRun& present_run(lua_State* lua, const void* LuaState::*object);

/// The run's job before the change. Errors: raises a Lua error if there is none, or if it was not read.
FieldSource source_before(lua_State* lua, const RuleRun& run);

/// Counts the run's job again if rules have changed it since. Errors: raises a Lua error.
void count_again(lua_State* lua, RuleRun& run);

/// What an object of this run reads from. Errors: raises a Lua error.
template <Shown shown>
FieldSource source_of(lua_State* lua, const RuleRun& run) {
    if constexpr (shown == Shown::job) return run.source();
    return source_before(lua, run);
}

/// The same with the job's facts as it is now.
template <Shown shown>
FieldSource counted_source_of(lua_State* lua, RuleRun& run) {
    if constexpr (shown == Shown::job) count_again(lua, run);
    return source_of<shown>(lua, run);
}

/// What the object at stack index 1 reads from. Errors: raises a Lua error.
template <Shown shown>
FieldSource check_source(lua_State* lua, const void* LuaState::*object) {
    return source_of<shown>(lua, check_run(lua, object));
}

/// The same with the job's facts as it is now.
template <Shown shown>
FieldSource check_counted(lua_State* lua, const void* LuaState::*object) {
    return counted_source_of<shown>(lua, check_run(lua, object));
}

/// Work with C++ objects on the way to a Lua error; it must not throw.
template <typename MakeText>
void assign_text(ErrorText& error, MakeText make) noexcept {
    try {
        error.assign(make());
    } catch (...) {
        error.assign("out of memory");
    }
}

/// Raises it as a Lua error.
int raise(lua_State* lua, const ErrorText& error);

/// The value at `index` as a text, which stays on the stack.
std::string_view key_at(lua_State* lua, int index);

/// __pairs of an object whose next() is this function.
template <int (*next)(lua_State*)>
int pairs_with(lua_State* lua) {
    lua_pushcfunction(lua, next);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

/// Replaces the metatable on top of the stack by a new object that has it. Returns the object's address.
const void* push_object(lua_State* lua);

/// "this cluster tracks no TRES 'gres/gpo'; did you mean gres/gpu? (there are: ...)".
std::string describe_unknown_tres(const model::TresCatalogue& catalogue, std::string_view name);

/// Pushes the object `job.tres`, or `before.tres`.
void push_tres(lua_State* lua, Shown shown);

} // namespace qg::policy

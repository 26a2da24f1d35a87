// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_binding_common: what the bindings of a job's objects share. A rule has two jobs, `job` and `before`,
// and each has a table of its own, `tres`.
#pragma once

#include "qosgate/policy/lua/lib/message_format.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/objects/view_table.hpp"
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

/// What the object at stack index 1 reads from, with the job's facts as it is now. Errors: raises a Lua
/// error.
template <Shown shown>
FieldSource check_counted(lua_State* lua, const void* LuaState::*object) {
    RuleRun& run = check_run(lua, object);
    if constexpr (shown == Shown::job) count_again(lua, run);
    return source_of<shown>(lua, run);
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

// ---- values of job that are tables: job.gpu, job.argv, job.license_counts and others -------------------

/// Makes what push_object_field() needs. Inside a protected call.
void install_job_objects(lua_State* lua);

/// Whether a field of this type is pushed by push_object_field().
constexpr bool is_object_field(FieldType type) noexcept {
    return type >= FieldType::gpu;
}

/// Pushes the value of such a field of a job. Errors: raises a Lua error if it is too large, or the budget is
/// spent.
void push_object_field(lua_State* lua, const FieldSource& source, FieldType type, Shown shown);

// ---- view ----------------------------------------------------------------------------------------------
// One object per Lua state, made once; its members are made when a rule reads them. They belong to one run of
// a rule.

/// Makes the state's object `view`. Returns its reference in the registry. Inside a protected call.
int make_view(lua_State* lua);

/// The content of an object. What it borrows is there as long as the run goes on that made it. Trivial.
struct BoundObject {
    std::uint64_t run;
    ViewObject shown;
};

/// The object of this kind at stack index 1. Errors: raises a Lua error for another value, and for an object
/// of an earlier run.
const BoundObject& check_view_object(lua_State* lua, ViewKind kind);

/// Makes the metatable of the objects of a kind, and pushes it. Inside a protected call.
void push_new_view_type(lua_State* lua, ViewKind kind);

/// The same for the kind `tres`, with its functions.
void push_view_tres_type(lua_State* lua);

// ---- functions that speak to the user or end the rule: job:reject(...), options:warn(...) --------------

/// The name of the rule's first argument, which the object is.
constexpr const char* name_of_argument(const void* LuaState::*object) noexcept {
    return object == &LuaState::options_object ? "options" : "job";
}

/// Ends the rule: the error raised here is recognised by LuaState::rule_ended.
int end_rule(lua_State* lua);

/// Gives the message that the arguments make to a function of the run of the object.
template <const void* LuaState::*object, void (RuleRun::*say)(std::string_view, ErrorText&) noexcept>
int say_message(lua_State* lua) {
    RuleRun& run = check_run(lua, object);
    push_message(lua, 2);
    ErrorText error;
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, -1, &length);
    (run.*say)({bytes, length}, error);
    if (!error.empty()) return raise(lua, error);
    return 0;
}

template <const void* LuaState::*object>
int reject_job(lua_State* lua) {
    say_message<object, &RuleRun::reject>(lua);
    return end_rule(lua);
}

template <const void* LuaState::*object>
int stop_chain(lua_State* lua) {
    RuleRun& run = check_run(lua, object);
    if (!lua_isnoneornil(lua, 2))
        return luaL_error(lua, "%s:stop() takes no arguments", name_of_argument(object));
    run.stop();
    return end_rule(lua);
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_objects.hpp"

#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>

#include <lua.hpp>

namespace qg::policy::compat {

// ---- what the tables of all objects have in common -----------------------------------------------------

using model::ScriptValue;

ScriptHost& check_host(lua_State* lua) {
    ScriptRun* run = LuaState::of(lua).script;
    ScriptHost* host = run == nullptr ? nullptr : run->host();
    if (host == nullptr)
        raise_withheld(lua, "jobs and partitions can be read only while a job is submitted or changed");
    return *host;
}

std::string_view check_text(lua_State* lua, int index) {
    make_old_text(lua, index);
    std::size_t length = 0;
    const char* text = luaL_checklstring(lua, index, &length);
    return {text, length};
}

int raise(lua_State* lua, const ErrorText& error) {
    return raise_withheld(lua, error.c_str());
}

void push_script_value(lua_State* lua, const ScriptValue& value) {
    switch (value.kind) {
    case ScriptValue::Kind::number: return lua_pushnumber(lua, value.number);
    case ScriptValue::Kind::flag: return lua_pushboolean(lua, value.number != 0 ? 1 : 0);
    case ScriptValue::Kind::text:
        if (value.text.size() > Budget::max_string)
            raise_withheld(lua, lua_pushfstring(lua, "the text is longer than %d bytes",
                                                static_cast<int>(Budget::max_string)));
        lua_pushlstring(lua, value.text.data(), value.text.size());
        return;
    case ScriptValue::Kind::nothing:
    case ScriptValue::Kind::unknown: break; // read_listed_field() looks for it
    }
    lua_pushnil(lua);
}

void make_type(lua_State* lua, const char* type, const luaL_Reg* functions) {
    luaL_newmetatable(lua, type);
    luaL_setfuncs(lua, functions, 0);
    hide_metatable(lua);
    lua_pop(lua, 1);
}

void push_object(lua_State* lua, const char* type) {
    lua_createtable(lua, 0, 0);
    luaL_setmetatable(lua, type);
}

void hide_metatable(lua_State* lua) {
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
}

namespace {

using model::ScriptValue;

constexpr const char* job_type = "qosgate.job_desc";
constexpr const char* record_type = "qosgate.job_rec";
constexpr const char* environment_type = "qosgate.environment";

/// Pushes a table of the words; `first` is the key of the first one.
void push_words(lua_State* lua, const ScriptJob& job, WordList list, lua_Integer first) {
    const std::size_t count = job.count(list);
    lua_createtable(lua, static_cast<int>(std::min<std::size_t>(count, 1024)), 0);
    for (std::size_t i = 0; i < count; ++i) {
        Budget::charge(lua, 2);
        push_script_value(lua, job.word(list, i));
        lua_rawseti(lua, -2, first + static_cast<lua_Integer>(i));
    }
}

/// Pushes a field that is a table of its own. False: it is not.
bool push_table_field(lua_State* lua, const ScriptJob& job, std::string_view name) {
    if (name == "environment") {
        push_object(lua, environment_type);
        return true;
    }
    const bool is_argv = name == "argv";
    if (!is_argv && name != "spank_job_env") return false;
    const WordList list = is_argv ? WordList::argv : WordList::spank_job_env;
    if (job.count(list) == 0)
        lua_pushnil(lua);
    else
        push_words(lua, job, list, 0);
    return true;
}

int read_job(lua_State* lua) {
    const std::string_view name = check_text(lua, 2);
    ScriptJob& job = check_host(lua).job();
    Budget::charge(lua, 1);
    if (push_table_field(lua, job, name)) return 1;
    ErrorText error;
    const ScriptValue value = job.read(name, error);
    if (!error.empty()) return raise(lua, error);
    push_script_value(lua, value);
    return 1;
}

/// The value at 3 in the type that the field takes; raises an error for other types, as Slurm's plugin does.
ScriptValue check_value(lua_State* lua, FieldType type) {
    charge_values(lua, 3, 3);
    if (type == FieldType::number) return ScriptValue::of_number(luaL_checknumber(lua, 3));
    luaL_argexpected(lua, lua_isstring(lua, 3) != 0, 3, "string"); // or a number
    push_old_text(lua, 3);
    return ScriptValue::of_text(check_text(lua, -1));
}

int write_job(lua_State* lua) {
    const std::string_view name = check_text(lua, 2);
    ScriptJob& job = check_host(lua).job();
    const FieldType type = job.type_of(name);
    if (type == FieldType::unknown) {
        const char* message = lua_pushfstring(lua, "_set_job_field: unrecognized field: %s", name.data());
        LuaState::of(lua).script->log(ScriptLine::error, message);
        return 0;
    }
    ErrorText error;
    job.write(name, check_value(lua, type), error);
    return error.empty() ? 0 : raise(lua, error);
}

int read_record(lua_State* lua) {
    const std::string_view name = check_text(lua, 2);
    ScriptHost& host = check_host(lua);
    Budget::charge(lua, 1);
    ErrorText error;
    ScriptJob* const record = ask<ScriptJob>(error, [&] { return host.record(); });
    if (record == nullptr) return raise(lua, error);
    if (name == "argv") {
        push_words(lua, *record, WordList::argv, 1); // from 1 on, unlike job_desc.argv
        return 1;
    }
    if (name == "spank_job_env" && push_table_field(lua, *record, name)) return 1;
    const ScriptValue value = record->read(name, error);
    if (!error.empty()) return raise(lua, error);
    push_script_value(lua, value);
    return 1;
}

/// Raises the error of a budget that a search in the environment has spent.
void check_budget(lua_State* lua) {
    if (LuaState::of(lua).budget().exhausted() != Exhausted::nothing) Budget::raise_spent(lua);
}

int read_environment(lua_State* lua) {
    const std::string_view name = check_text(lua, 2);
    const ScriptJob& job = check_host(lua).job();
    const ScriptValue value = job.variable(name, LuaState::of(lua).budget());
    check_budget(lua);
    push_script_value(lua, value);
    return 1;
}

int write_environment(lua_State* lua) {
    const std::string_view name = check_text(lua, 2);
    ScriptJob& job = check_host(lua).job();
    if (!job.has_environment()) {
        LuaState::of(lua).script->log(0, "job_desc->environment only accessible for batch jobs. ");
        return 0;
    }
    const ScriptValue value = check_value(lua, FieldType::text);
    charge_values(lua, 2, 2); // the name is copied, too
    ErrorText error;
    job.set_variable(name, value.text, LuaState::of(lua).budget(), error);
    check_budget(lua);
    return error.empty() ? 0 : raise(lua, error);
}

} // namespace

void install_script_objects(lua_State* lua) {
    static constexpr luaL_Reg job[] = {
        {"__index", &read_job}, {"__newindex", &write_job}, {nullptr, nullptr}};
    static constexpr luaL_Reg record[] = {{"__index", &read_record}, {nullptr, nullptr}};
    static constexpr luaL_Reg environment[] = {
        {"__index", &read_environment}, {"__newindex", &write_environment}, {nullptr, nullptr}};
    make_type(lua, job_type, job);
    make_type(lua, record_type, record);
    make_type(lua, environment_type, environment);
}

void push_job_desc(lua_State* lua) {
    push_object(lua, job_type);
}

void push_job_rec(lua_State* lua) {
    push_object(lua, record_type);
}

} // namespace qg::policy::compat

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/job_binding.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/job_objects.hpp"
#include "qosgate/policy/lua_lib/message_format.hpp"
#include "qosgate/policy/lua_state.hpp"
#include "qosgate/policy/rule_run.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

constexpr const char* job_type = "job"; // as tostring shows it
constexpr const char* tres_type = "job.tres";

/// Work with C++ objects on the way to a Lua error; it must not throw.
template <typename MakeText>
void assign_text(ErrorText& error, MakeText make) noexcept {
    try {
        error.assign(make());
    } catch (...) {
        error.assign("out of memory");
    }
}

int raise(lua_State* lua, const ErrorText& error) {
    return luaL_error(lua, "%s", error.c_str());
}

/// The run that the object at stack index 1 shows. The object must be the state's own one.
RuleRun& check_run(lua_State* lua, const void* LuaState::*object) {
    const LuaState& state = LuaState::of(lua);
    if (lua_touserdata(lua, 1) != state.*object)
        luaL_error(
            lua, "job's functions are called with a colon: job:reject(...), job:warn(...), job:is_set(...)");
    RuleRun* run = state.run;
    if (run == nullptr) luaL_error(lua, "job can be used only while a rule is run");
    return *run;
}

std::string_view key_at(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* bytes = luaL_tolstring(lua, index, &length); // stays on the stack
    return {bytes, length};
}

/// The field for the key at `index`, found in upvalue 1 (names to indices in job_fields()); raises an error
/// for other keys. Null if the name is one of job's functions, which is then on top of the stack.
const FieldSpec* find_field(lua_State* lua, int index) {
    lua_pushvalue(lua, index);
    lua_rawget(lua, lua_upvalueindex(1));
    if (lua_isinteger(lua, -1) != 0) return &job_fields()[static_cast<std::size_t>(lua_tointeger(lua, -1))];
    if (lua_isnil(lua, -1)) {
        const std::string_view name = key_at(lua, index);
        Budget::charge_unknown_name(lua, job_fields().size());
        ErrorText error;
        assign_text(error, [&] { return describe_unknown_field(name); });
        raise(lua, error);
    }
    return nullptr;
}

/// Upvalues: names, the tres object.
int read_job(lua_State* lua) {
    const RuleRun& run = check_run(lua, &LuaState::job_object);
    const FieldSpec* field = find_field(lua, 2);
    if (field == nullptr) return 1;
    if (field->type == FieldType::tres) {
        lua_pushvalue(lua, lua_upvalueindex(2));
        return 1;
    }
    if (is_object_field(field->type)) {
        push_object_field(lua, run.source(), field->type);
        return 1;
    }
    ErrorText error;
    const Value value = field->read(run.source(), error);
    if (!error.empty()) return raise(lua, error);
    push_value(lua, value);
    return 1;
}

int write_job(lua_State* lua) {
    RuleRun& run = check_run(lua, &LuaState::job_object);
    const FieldSpec* field = find_field(lua, 2);
    if (field == nullptr) return luaL_error(lua, "job's functions cannot be changed");
    ErrorText error;
    run.write(*field, to_value(lua, 3), error);
    if (!error.empty()) return raise(lua, error);
    return 0;
}

/// job:is_set(name): whether the request itself or an earlier change set the field.
int job_is_set(lua_State* lua) {
    const RuleRun& run = check_run(lua, &LuaState::job_object);
    luaL_checktype(lua, 2, LUA_TSTRING);
    const FieldSpec* field = find_field(lua, 2);
    if (field == nullptr || field->is_set == nullptr)
        return luaL_error(lua, "job:is_set: '%s' is not something that a request asks for",
                          lua_tostring(lua, 2));
    lua_pushboolean(lua, field->is_set(run.source().request) ? 1 : 0);
    return 1;
}

std::string_view message_on_top(lua_State* lua) {
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, -1, &length);
    return {bytes, length};
}

int job_warn(lua_State* lua) {
    RuleRun& run = check_run(lua, &LuaState::job_object);
    push_message(lua, 2);
    ErrorText error;
    run.warn(message_on_top(lua), error);
    if (!error.empty()) return raise(lua, error);
    return 0;
}

/// Ends the rule: the error raised here is recognised by LuaState::rule_ended.
int job_reject(lua_State* lua) {
    RuleRun& run = check_run(lua, &LuaState::job_object);
    push_message(lua, 2);
    ErrorText error;
    run.reject(message_on_top(lua), error);
    if (!error.empty()) return raise(lua, error);
    LuaState::of(lua).rule_ended = true;
    lua_pushnil(lua);
    return lua_error(lua);
}

// ---- job.tres ------------------------------------------------------------------------------------------

std::string describe_unknown_tres(const model::TresCatalogue& catalogue, std::string_view name) {
    return text::format("this cluster tracks no TRES '{}'{}{}", text::printable(name, 60),
                        model::hint_for_unknown(catalogue, name), list_of_names(catalogue.names()));
}

/// Pushes the count of one TRES.
void push_count(lua_State* lua, const FieldSource& source, std::size_t index) {
    ErrorText error;
    const Value count = read_tres_count(source, index, error);
    if (!error.empty()) raise(lua, error);
    push_value(lua, count);
}

int read_tres(lua_State* lua) {
    const FieldSource source = check_run(lua, &LuaState::tres_object).source();
    const RuleInput& facts = source.facts;
    const std::string_view name = key_at(lua, 2);
    const auto index = facts.catalogue.find(name);
    if (!index) {
        Budget::charge_unknown_name(lua, facts.catalogue.size());
        ErrorText error;
        assign_text(error, [&] { return describe_unknown_tres(facts.catalogue, name); });
        return raise(lua, error);
    }
    push_count(lua, source, *index);
    return 1;
}

int write_tres(lua_State* lua) {
    return luaL_error(lua, "job.tres cannot be changed (field '%s')", luaL_tolstring(lua, 2, nullptr));
}

/// One step of pairs(job.tres): name and count behind the name given.
int next_tres(lua_State* lua) {
    const FieldSource source = check_run(lua, &LuaState::tres_object).source();
    const RuleInput& facts = source.facts;
    std::size_t index = 0;
    if (!lua_isnil(lua, 2)) index = facts.catalogue.find(key_at(lua, 2)).value_or(facts.catalogue.size()) + 1;
    if (index >= std::min(facts.catalogue.size(), facts.counted.tres.size())) {
        lua_pushnil(lua);
        return 1;
    }
    const std::string& name = facts.catalogue.name(index);
    lua_pushlstring(lua, name.data(), name.size());
    push_count(lua, source, index);
    return 2;
}

int pairs_of_tres(lua_State* lua) {
    lua_pushcfunction(lua, &next_tres);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

/// Replaces the metatable on top of the stack by a new object that has it. Returns the object's address.
const void* push_object(lua_State* lua) {
    const void* object = lua_newuserdatauv(lua, 0, 0);
    lua_insert(lua, -2);
    lua_setmetatable(lua, -2);
    return object;
}

void push_tres(lua_State* lua) {
    luaL_newmetatable(lua, tres_type);
    static constexpr luaL_Reg functions[] = {{"__index", &read_tres},
                                             {"__newindex", &write_tres},
                                             {"__pairs", &pairs_of_tres},
                                             {nullptr, nullptr}};
    luaL_setfuncs(lua, functions, 0);
    LuaState::of(lua).tres_object = push_object(lua);
}

constexpr std::array<std::string_view, 3> function_names{"is_set", "reject", "warn"};
constexpr std::array<lua_CFunction, 3> functions{&job_is_set, &job_reject, &job_warn};

/// Pushes the table from the names of fields and functions to what they are.
void push_names(lua_State* lua) {
    lua_createtable(lua, 0, static_cast<int>(job_fields().size()) + 3);
    lua_Integer place = 0;
    for (const FieldSpec& field : job_fields()) {
        lua_pushlstring(lua, field.name.data(), field.name.size());
        lua_pushinteger(lua, place++);
        lua_rawset(lua, -3);
    }
    for (std::size_t i = 0; i < function_names.size(); ++i) {
        lua_pushlstring(lua, function_names[i].data(), function_names[i].size());
        lua_pushvalue(lua, -2); // all share the table, to look up fields
        lua_pushcclosure(lua, functions[i], 1);
        lua_rawset(lua, -3);
    }
}

int build_job(lua_State* lua) {
    int* reference = static_cast<int*>(lua_touserdata(lua, 1));
    install_job_objects(lua);
    luaL_newmetatable(lua, job_type);
    push_names(lua);
    lua_pushvalue(lua, -1);
    push_tres(lua);
    lua_pushcclosure(lua, &read_job, 2);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, &write_job, 1);
    lua_setfield(lua, -2, "__newindex");
    LuaState::of(lua).job_object = push_object(lua);
    *reference = luaL_ref(lua, LUA_REGISTRYINDEX);
    return 0;
}

} // namespace

std::span<const std::string_view> job_functions() noexcept {
    return function_names;
}

Result<int> install_job(LuaState& state) {
    int reference = LUA_NOREF;
    const auto built = protected_call(state, &build_job, &reference);
    if (!built) return built.error();
    return reference;
}

} // namespace qg::policy

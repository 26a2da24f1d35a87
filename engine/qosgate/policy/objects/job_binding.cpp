// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/job_binding.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/objects/client_binding.hpp"
#include "qosgate/policy/objects/job_binding_common.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

template <Shown shown>
constexpr const char* type_name = shown == Shown::job ? "job" : "before"; // as tostring shows it

constexpr std::array<std::string_view, 6> function_names{"add", "is_set", "note", "reject", "stop", "warn"};

template <Shown shown>
std::string describe_unknown(std::string_view name) {
    if (shown == Shown::before && std::ranges::find(function_names, name) != function_names.end())
        return describe_read_only(name);
    return describe_unknown_field(name, type_name<shown>);
}

/// The field for the key at `index`, found in upvalue 1 (names to indices in job_fields()); raises an error
/// for other keys. Null if the name is one of the object's functions, which is then on top of the stack.
template <Shown shown>
const FieldSpec* find_field(lua_State* lua, int index) {
    lua_pushvalue(lua, index);
    const int found = lua_rawget(lua, lua_upvalueindex(1));
    if (found == LUA_TNUMBER) return &job_fields()[static_cast<std::size_t>(lua_tointeger(lua, -1))];
    if (found == LUA_TNIL) {
        const std::string_view name = key_at(lua, index);
        Budget::charge_unknown_name(lua, job_fields().size());
        ErrorText error;
        assign_text(error, [&] { return describe_unknown<shown>(name); });
        raise(lua, error);
    }
    return nullptr;
}

/// What one look at a field that is no object reads from.
template <Shown shown>
FieldSource source_of_field(lua_State* lua, const RuleRun& run) {
    if constexpr (shown == Shown::before)
        return source_before(lua, run);
    else
        return run.present();
}

/// Notes a look at a field of the job; null: its value cannot be had. Returns whether KeptFields has room for
/// it. What a rule reads of its own draft is not of the job.
bool note_look(lua_State* lua, RuleRun& run, const FieldSpec& field, model::FieldUse use,
               const Value* value) {
    return run.draft() == nullptr && LuaState::of(lua).job_fields.note(field, use, value);
}

/// Pushes the value of a field. Returns whether the table through which the rule reads `job` keeps it.
/// Upvalue 2: the tres object.
template <Shown shown>
bool push_field(lua_State* lua, const FieldSpec& field, RuleRun& run) {
    const FieldSource asked = source_of_field<shown>(lua, run);
    asked.request.details.note_use(field.name, model::FieldUse::read);
    if (field.type == FieldType::tres) { // its own reads look further
        lua_pushvalue(lua, lua_upvalueindex(2));
        return false;
    }
    if (shown == Shown::job && field.reads_facts(asked.request)) count_again(lua, run);
    if (is_object_field(field.type)) { // a rule may ask it for anything, and change a table
        push_object_field(lua, source_of<shown>(lua, run), field.type, shown);
        return false;
    }
    ErrorText error;
    const Value value = field.read(source_of_field<shown>(lua, run), error);
    const bool is_kept = shown == Shown::job &&
                         note_look(lua, run, field, model::FieldUse::read, error.empty() ? &value : nullptr);
    if (!error.empty()) raise(lua, error);
    push_value(lua, value);
    return is_kept;
}

/// Reads what the table of the rule does not have (kept_fields.hpp). Upvalues: names, the tres object.
int read_job(lua_State* lua) {
    RuleRun& run = present_run(lua, &LuaState::job_object);
    const FieldSpec* field = find_field<Shown::job>(lua, 2);
    if (field != nullptr && push_field<Shown::job>(lua, *field, run)) KeptFields::keep(lua, 1, 2);
    return 1;
}

/// Upvalues: names, the tres object.
int read_before(lua_State* lua) {
    RuleRun& run = check_run(lua, &LuaState::before_object);
    const FieldSpec* field = find_field<Shown::before>(lua, 2);
    if (field != nullptr) push_field<Shown::before>(lua, *field, run);
    return 1;
}

int write_job(lua_State* lua) {
    RuleRun& run = check_run(lua, &LuaState::job_object);
    const FieldSpec* field = find_field<Shown::job>(lua, 2);
    if (field == nullptr) return luaL_error(lua, "job's functions cannot be changed");
    ErrorText error;
    run.write(*field, to_value(lua, 3), error);
    LuaState::of(lua).job_fields.forget_values(lua); // other fields may follow from this one
    if (!error.empty()) return raise(lua, error);
    return 0;
}

int write_before(lua_State* lua) {
    return luaL_error(lua, "before cannot be changed: it is the job before the change");
}

/// job:is_set(name): whether the request itself or an earlier change set the field.
template <Shown shown>
int job_is_set(lua_State* lua) {
    RuleRun& run = check_run(lua, job_object<shown>);
    if (lua_type(lua, 2) != LUA_TSTRING)
        return luaL_error(lua, "write %s:is_set(\"qos\"): it takes the name of a field", type_name<shown>);
    const FieldSpec* field = find_field<shown>(lua, 2);
    if (field == nullptr || field->is_set == nullptr)
        return luaL_error(lua, "%s:is_set: '%s' is not something that a request asks for%s", type_name<shown>,
                          lua_tostring(lua, 2), field == nullptr ? "" : why_no_request(*field));
    const FieldSource source = source_of_field<shown>(lua, run);
    source.request.details.note_use(field->name, model::FieldUse::is_set);
    const Value is_set = Value::of_flag(field->is_set(source.request));
    if constexpr (shown == Shown::job) note_look(lua, run, *field, model::FieldUse::is_set, &is_set);
    push_value(lua, is_set);
    return 1;
}

/// job:add(name, part): adds a part to a list, if the list does not have it.
int job_add(lua_State* lua) {
    RuleRun& run = check_run(lua, &LuaState::job_object);
    if (lua_type(lua, 2) != LUA_TSTRING || lua_type(lua, 3) != LUA_TSTRING || lua_gettop(lua) != 3)
        return luaL_error(lua, "write job:add(field, text)");
    const FieldSpec* field = find_field<Shown::job>(lua, 2);
    if (field == nullptr || field->list == ListForm::none)
        return luaL_error(lua, "job:add: '%s' is no list", lua_tostring(lua, 2));
    const std::string_view part = text_at(lua, 3);
    ErrorText error;
    const FieldSource source = run.source();
    source.request.details.note_use(field->name, model::FieldUse::read);
    const Value list = field->read(source, error);
    Budget::charge(lua, 1 + static_cast<std::int64_t>((list.text.size() + part.size()) / 4));
    if (error.empty()) run.add(*field, part, error);
    LuaState::of(lua).job_fields.forget_values(lua);
    if (!error.empty()) return raise(lua, error);
    return 0;
}

constexpr auto job = &LuaState::job_object;
constexpr std::array<lua_CFunction, function_names.size()> functions{
    &job_add,         &job_is_set<Shown::job>, &say_message<job, &RuleRun::note>,
    &reject_job<job>, &stop_chain<job>,        &say_message<job, &RuleRun::warn>};

/// Adds a function to the table on top of the stack. It shares the table, to look up fields.
void add_function(lua_State* lua, std::string_view name, lua_CFunction function) {
    lua_pushlstring(lua, name.data(), name.size());
    lua_pushvalue(lua, -2);
    lua_pushcclosure(lua, function, 1);
    lua_rawset(lua, -3);
}

/// Pushes the table from the names of fields and functions to what they are.
template <Shown shown>
void push_names(lua_State* lua) {
    lua_createtable(lua, 0, static_cast<int>(job_fields().size() + function_names.size()));
    lua_Integer place = 0;
    for (const FieldSpec& field : job_fields()) {
        lua_pushlstring(lua, field.name.data(), field.name.size());
        lua_pushinteger(lua, place++);
        lua_rawset(lua, -3);
    }
    if constexpr (shown == Shown::before) return add_function(lua, "is_set", &job_is_set<shown>);
    for (std::size_t i = 0; i < function_names.size(); ++i)
        add_function(lua, function_names[i], functions[i]);
}

/// Pushes a table through which `job` is read. Stack: the metatable of `job`, the table of names.
void push_job_table(lua_State* lua) {
    lua_createtable(lua, 0, 32);
    for (std::size_t i = 0; i < function_names.size(); ++i) {
        lua_pushlstring(lua, function_names[i].data(), function_names[i].size());
        lua_pushvalue(lua, -1);
        lua_rawget(lua, -4);
        lua_rawset(lua, -3);
    }
    lua_createtable(lua, 0, 1);
    lua_pushvalue(lua, -3);
    push_tres(lua, Shown::job);
    lua_pushcclosure(lua, &read_job, 2);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    LuaState::of(lua).job_fields.install(lua, -3);
}

/// Pushes the function with which `before` is read. Stack: the table of names.
void push_reader_of_before(lua_State* lua) {
    lua_pushvalue(lua, -1);
    push_tres(lua, Shown::before);
    lua_pushcclosure(lua, &read_before, 2);
}

/// Makes an object. Returns its reference in the registry.
template <Shown shown>
int make_object(lua_State* lua) {
    luaL_newmetatable(lua, type_name<shown>);
    push_names<shown>(lua);
    shown == Shown::job ? push_job_table(lua) : push_reader_of_before(lua);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, shown == Shown::job ? &write_job : &write_before, 1);
    lua_setfield(lua, -2, "__newindex");
    LuaState::of(lua).*job_object<shown> = push_object(lua);
    return luaL_ref(lua, LUA_REGISTRYINDEX);
}

int build_objects(lua_State* lua) {
    auto* objects = static_cast<JobObjects*>(lua_touserdata(lua, 1));
    install_job_objects(lua);
    objects->job = make_object<Shown::job>(lua);
    objects->before = make_object<Shown::before>(lua);
    objects->options = make_options(lua);
    objects->view = make_view(lua);
    return 0;
}

} // namespace

int end_rule(lua_State* lua) {
    LuaState::of(lua).rule_ended = true;
    lua_pushnil(lua);
    return lua_error(lua);
}

RuleRun& check_run(lua_State* lua, const void* LuaState::*object) {
    if (lua_touserdata(lua, 1) != LuaState::of(lua).*object)
        luaL_error(lua, object == &LuaState::options_object
                            ? "the functions of options are called with a colon: options:reject(...)"
                            : "job's functions are called with a colon: job:reject(...), job:warn(...), "
                              "job:is_set(...)");
    return present_run(lua, object);
}

RuleRun& present_run(lua_State* lua, const void* LuaState::*object) {
    const bool is_options = object == &LuaState::options_object;
    RuleRun* run = LuaState::of(lua).run;
    if (run == nullptr) luaL_error(lua, "%s can be used only while a rule is run", name_of_argument(object));
    if (is_options != (run->client() != nullptr))
        luaL_error(lua, is_options ? "options can be used only while client = function(options, view) is run"
                                   : "job cannot be used in client = function(options, view)");
    return *run;
}

FieldSource source_before(lua_State* lua, const RuleRun& run) {
    const JobBefore* before = run.before();
    if (before == nullptr)
        luaL_error(lua, "before can be used only while modify = function(job, before) is run");
    if (before->request.unread)
        luaL_error(lua, "the job before the change cannot be read, because one of its texts is too long");
    return {before->request, before->facts};
}

void count_again(lua_State* lua, RuleRun& run) {
    constexpr std::int64_t cost_of_job = 2000; // in instructions
    constexpr std::int64_t cost_of_partition = 500;
    ErrorText error;
    if (!run.refresh(error)) return;
    const auto& partitions = run.source().request.partition; // so it does not rest: an error may be caught
    Budget::charge(lua,
                   cost_of_job + (partitions ? cost_of_partition * std::ranges::count(*partitions, ',') : 0));
    if (!error.empty()) raise(lua, error);
}

int raise(lua_State* lua, const ErrorText& error) {
    return luaL_error(lua, "%s", error.c_str());
}

std::string_view key_at(lua_State* lua, int index) {
    if (lua_type(lua, index) != LUA_TSTRING) {
        luaL_tolstring(lua, index, nullptr); // stays on the stack
        index = -1;
    }
    return text_at(lua, index);
}

const void* push_object(lua_State* lua) {
    const void* object = lua_newuserdatauv(lua, 0, 0);
    lua_insert(lua, -2);
    lua_setmetatable(lua, -2);
    return object;
}

std::span<const std::string_view> job_functions() noexcept {
    return function_names;
}

std::string describe_read_only(std::string_view function) {
    return text::format("before is the job before the change and cannot be changed: write job:{}(...)",
                        function);
}

Result<JobObjects> install_job(LuaState& state) {
    JobObjects objects;
    const auto built = protected_call(state, &build_objects, &objects);
    if (!built) return built.error();
    return objects;
}

Result<void> make_rule_tables(LuaState& state, const std::vector<bool>& keeps_state, std::size_t rules) {
    state.job_fields.set_rules(keeps_state, rules);
    return protected_call(
        state,
        [](lua_State* lua) {
            LuaState::of(lua).job_fields.make_tables(lua);
            return 0;
        },
        nullptr);
}

} // namespace qg::policy

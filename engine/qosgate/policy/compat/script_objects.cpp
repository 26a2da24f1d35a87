// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_objects.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/budget.hpp"
#include "qosgate/policy/compat/listed_field.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/old_text.hpp"
#include "qosgate/policy/compat/ordered_table.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua_lib/charged.hpp"
#include "qosgate/policy/lua_state.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

using model::ScriptValue;

constexpr const char* job_type = "qosgate.job_desc";
constexpr const char* record_type = "qosgate.job_rec";
constexpr const char* environment_type = "qosgate.environment";

std::string_view check_text(lua_State* lua, int index) {
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

/// Keeps scripts from the metatable on top of the stack: its functions take only their own objects, and a
/// finalizer would run without bounds.
void hide_metatable(lua_State* lua) {
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
}

/// Pushes a new table with the metatable of that name.
void push_object(lua_State* lua, const char* type) {
    lua_createtable(lua, 0, 0);
    luaL_setmetatable(lua, type);
}

// ---- job_desc ------------------------------------------------------------------------------------------

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

// ---- part_list, slurm.jobs, slurm.reservations ---------------------------------------------------------

/// A table of records that is filled when it is touched.
struct RecordList {
    const char* type; ///< the name of its metatable
    const char* noun; ///< of one record
    Result<const model::ScriptRecords*> (ScriptHost::*records)();
    bool depends_on_user; ///< whether ScriptHost::may_use hides some
    bool is_ordered; ///< whether the table keeps the order of the records; of jobs there may be very many
};

constexpr RecordList record_lists[] = {
    {"qosgate.part_list", "partition", &ScriptHost::partitions, true, true},
    {"qosgate.reservations", "reservation", &ScriptHost::reservations, false, true},
    {"qosgate.jobs", "job", &ScriptHost::jobs, false, false},
};
enum ListIndex : lua_Integer { partitions, reservations, jobs };

const model::ScriptRecords& check_records(lua_State* lua, const RecordList& list) {
    ScriptHost& host = check_host(lua);
    ErrorText error;
    const auto* records = ask<const model::ScriptRecords>(error, [&] { return (host.*list.records)(); });
    if (records == nullptr) raise(lua, error);
    return *records;
}

/// Whether a record may be shown. Sets `error` if that is not known.
bool may_use(ScriptHost& host, const model::ScriptRecords& partitions, std::size_t index,
             ErrorText& error) noexcept {
    try {
        const auto may = host.may_use(partitions, index);
        if (may) return *may;
        error.assign(may.error().message);
    } catch (const std::exception& problem) {
        error.assign(problem.what());
    } catch (...) {
        error.assign("whether the user may use a partition is not known");
    }
    return false;
}

/// Upvalues: the index of the record, the run that it was read in, and its list.
int read_listed(lua_State* lua) {
    const std::string_view name = check_text(lua, 2);
    Budget::charge(lua, 2);
    const RecordList& list = record_lists[lua_tointeger(lua, lua_upvalueindex(3))];
    if (lua_tointeger(lua, lua_upvalueindex(2)) != static_cast<lua_Integer>(LuaState::of(lua).runs))
        return raise_withheld(
            lua, lua_pushfstring(lua, "a %s of an earlier call cannot be read: use those of this call",
                                 list.noun));
    const auto index = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)));
    const model::ScriptRecords& records = check_records(lua, list);
    ErrorText error;
    const ScriptValue value = read_listed_field(records, index, name, list.noun, error);
    if (!error.empty()) return raise(lua, error);
    push_script_value(lua, value);
    return 1;
}

/// Pushes a table whose fields are those of the record.
void push_listed(lua_State* lua, std::size_t index, lua_Integer list) {
    lua_createtable(lua, 0, 0);
    lua_createtable(lua, 0, 1);
    lua_pushinteger(lua, static_cast<lua_Integer>(index));
    lua_pushinteger(lua, static_cast<lua_Integer>(LuaState::of(lua).runs));
    lua_pushinteger(lua, list);
    lua_pushcclosure(lua, &read_listed, 3);
    lua_setfield(lua, -2, "__index");
    hide_metatable(lua);
    lua_setmetatable(lua, -2);
}

bool has_metatable_of(lua_State* lua, int index, const char* type) {
    if (lua_getmetatable(lua, index) == 0) return false;
    luaL_getmetatable(lua, type);
    const bool is_same = lua_rawequal(lua, -1, -2) != 0;
    lua_pop(lua, 2);
    return is_same;
}

/// Whether a record is in the list that this run sees; raises an error if that is not known.
bool may_show(lua_State* lua, const RecordList& list, const model::ScriptRecords& records,
              std::size_t index) {
    Budget::charge(lua, 10);
    if (!list.depends_on_user) return true;
    const std::string_view groups = records.get(index, "allow_groups").text;
    Budget::charge(lua, 40 * static_cast<std::int64_t>(std::ranges::count(groups, ',')));
    ErrorText error;
    const bool may = may_use(check_host(lua), records, index, error);
    if (!error.empty()) raise(lua, error);
    return may;
}

/// Makes the table at `index`, an absolute index, an ordinary one with all its members, which pairs gives in
/// the order of the records, if it is such a list and not filled yet.
void fill(lua_State* lua, int index) {
    luaL_checktype(lua, index, LUA_TTABLE);
    for (lua_Integer which = 0; which < static_cast<lua_Integer>(std::size(record_lists)); ++which) {
        const RecordList& list = record_lists[which];
        if (!has_metatable_of(lua, index, list.type)) continue;
        const model::ScriptRecords& records = check_records(lua, list);
        push_order(lua);
        const int order = lua_gettop(lua);
        for (std::size_t i = 0; i < records.records.size(); ++i) {
            const std::string_view name = records.records[i].name;
            lua_pushlstring(lua, name.data(), name.size());
            if (list.is_ordered) add_to_order(lua, order, -1, static_cast<std::int64_t>(i) + 1);
            lua_pushvalue(lua, -1);
            const bool is_there = lua_rawget(lua, index) != LUA_TNIL; // read_one() has put it there
            lua_pop(lua, 1);
            if (!is_there && may_show(lua, list, records, i)) {
                push_listed(lua, i, which);
                lua_rawset(lua, index);
            } else {
                lua_pop(lua, 1);
            }
        }
        // Only now: a table that an error left half filled is filled when it is touched again.
        set_order(lua, index);
        return;
    }
}

/// Reads one record of a list that depends on the user, without asking about the others. False: the table or
/// the key is another one.
bool read_one(lua_State* lua) {
    for (lua_Integer which = 0; which < static_cast<lua_Integer>(std::size(record_lists)); ++which) {
        const RecordList& list = record_lists[which];
        if (!list.depends_on_user || lua_type(lua, 2) != LUA_TSTRING || !has_metatable_of(lua, 1, list.type))
            continue;
        const model::ScriptRecords& records = check_records(lua, list);
        Budget::charge(lua, static_cast<std::int64_t>(records.records.size() / 4));
        const auto found = std::ranges::find(records.records, check_text(lua, 2), &model::ScriptRecord::name);
        const auto index = static_cast<std::size_t>(found - records.records.begin());
        if (found == records.records.end() || !may_show(lua, list, records, index)) {
            lua_pushnil(lua);
            return true;
        }
        push_listed(lua, index, which);
        lua_pushvalue(lua, 2);
        lua_pushvalue(lua, -2);
        lua_rawset(lua, 1);
        return true;
    }
    return false;
}

int read_filled(lua_State* lua) {
    if (read_one(lua)) return 1;
    fill(lua, 1);
    lua_settop(lua, 2);
    lua_rawget(lua, 1);
    return 1;
}

int write_filled(lua_State* lua) {
    fill(lua, 1);
    lua_settop(lua, 3);
    lua_rawset(lua, 1);
    return 0;
}

/// One step of a loop over jobs that are not in the table yet. Upvalues: the index of the next one, the run.
int next_job(lua_State* lua) {
    if (lua_tointeger(lua, lua_upvalueindex(2)) != static_cast<lua_Integer>(LuaState::of(lua).runs))
        return raise_withheld(lua, "jobs of an earlier call cannot be read: use those of this call");
    const model::ScriptRecords& records = check_records(lua, record_lists[jobs]);
    const auto index = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)));
    if (index >= records.records.size()) {
        lua_pushnil(lua);
        return 1;
    }
    Budget::charge(lua, 10);
    lua_pushinteger(lua, static_cast<lua_Integer>(index) + 1);
    lua_replace(lua, lua_upvalueindex(1));
    const std::string_view name = records.records[index].name;
    lua_pushlstring(lua, name.data(), name.size());
    push_listed(lua, index, jobs);
    return 2;
}

int pairs_of_filled(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    if (has_metatable_of(lua, 1, record_lists[jobs].type)) {
        // There may be very many: a loop over them needs no table of them all.
        check_records(lua, record_lists[jobs]);
        lua_pushinteger(lua, 0);
        lua_pushinteger(lua, static_cast<lua_Integer>(LuaState::of(lua).runs));
        lua_pushcclosure(lua, &next_job, 2);
        return 1;
    }
    fill(lua, 1);
    lua_pushcfunction(lua, &next_in_order);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

void make_type(lua_State* lua, const char* type, const luaL_Reg* functions) {
    luaL_newmetatable(lua, type);
    luaL_setfuncs(lua, functions, 0);
    hide_metatable(lua);
    lua_pop(lua, 1);
}

} // namespace

ScriptHost& check_host(lua_State* lua) {
    ScriptRun* run = LuaState::of(lua).script;
    ScriptHost* host = run == nullptr ? nullptr : run->host();
    if (host == nullptr)
        raise_withheld(lua, "jobs and partitions can be read only while a job is submitted or changed");
    return *host;
}

void install_script_objects(lua_State* lua) {
    static constexpr luaL_Reg job[] = {
        {"__index", &read_job}, {"__newindex", &write_job}, {nullptr, nullptr}};
    static constexpr luaL_Reg record[] = {{"__index", &read_record}, {nullptr, nullptr}};
    static constexpr luaL_Reg environment[] = {
        {"__index", &read_environment}, {"__newindex", &write_environment}, {nullptr, nullptr}};
    static constexpr luaL_Reg filled[] = {{"__index", &read_filled},
                                          {"__newindex", &write_filled},
                                          {"__pairs", &pairs_of_filled},
                                          {nullptr, nullptr}};
    make_type(lua, job_type, job);
    make_type(lua, record_type, record);
    make_type(lua, environment_type, environment);
    for (const RecordList& list : record_lists)
        make_type(lua, list.type, filled);
}

void push_job_desc(lua_State* lua) {
    push_object(lua, job_type);
}

void push_job_rec(lua_State* lua) {
    push_object(lua, record_type);
}

void push_part_list(lua_State* lua) {
    push_object(lua, record_lists[partitions].type);
}

/// Replaces slurm.jobs and slurm.reservations by ones that are read anew.
void renew_lists(lua_State* lua) {
    if (lua_getglobal(lua, "slurm") != LUA_TTABLE) return lua_pop(lua, 1);
    for (const auto& [name, list] : {std::pair{"jobs", jobs}, std::pair{"reservations", reservations}}) {
        lua_pushstring(lua, name);
        push_object(lua, record_lists[list].type);
        lua_rawset(lua, -3);
    }
    lua_pop(lua, 1);
}

int next_of_filled(lua_State* lua) {
    fill(lua, 1);
    return next_in_order(lua);
}

} // namespace qg::policy::compat

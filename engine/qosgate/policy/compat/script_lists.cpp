// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_lists.hpp"

#include "qosgate/policy/compat/record_fields.hpp"
#include "qosgate/policy/compat/script_objects.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

using model::ScriptValue;

enum class Shown { all, usable };      ///< usable: ScriptHost::may_use hides some
enum class Order { of_records, none }; ///< in which pairs gives them; of jobs there may be very many

/// A table of records that is filled when it is touched.
struct RecordList {
    const char* type; ///< the name of its metatable
    const char* noun; ///< of one record
    Result<const model::ScriptRecords*> (ScriptHost::*records)();
    Shown shown;
    Order order;
};

constexpr RecordList record_lists[] = {
    {"qosgate.part_list", "partition", &ScriptHost::partitions, Shown::usable, Order::of_records},
    {"qosgate.reservations", "reservation", &ScriptHost::reservations, Shown::all, Order::of_records},
    {"qosgate.jobs", "job", &ScriptHost::jobs, Shown::all, Order::none},
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
    if (list.shown == Shown::all) return true;
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
            if (list.order == Order::of_records)
                add_to_order(lua, order, -1, static_cast<std::int64_t>(i) + 1);
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
        if (list.shown == Shown::all || lua_type(lua, 2) != LUA_TSTRING ||
            !has_metatable_of(lua, 1, list.type))
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

} // namespace

void install_script_lists(lua_State* lua) {
    static constexpr luaL_Reg filled[] = {{"__index", &read_filled},
                                          {"__newindex", &write_filled},
                                          {"__pairs", &pairs_of_filled},
                                          {nullptr, nullptr}};
    for (const RecordList& list : record_lists)
        make_type(lua, list.type, filled);
}

void push_part_list(lua_State* lua) {
    push_object(lua, record_lists[partitions].type);
}

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

// ---- a table with an order -----------------------------------------------------------------------------

namespace {

/// Its address is the key of the order in a metatable: scripts have no such value.
const char order_key = 0;

/// Pushes the order of the table at 1. False: it has none, and nothing is pushed.
bool push_order_of(lua_State* lua) {
    if (lua_getmetatable(lua, 1) == 0) return false;
    const bool has_order = lua_rawgetp(lua, -1, &order_key) == LUA_TTABLE;
    lua_remove(lua, -2);
    if (!has_order) lua_pop(lua, 1);
    return has_order;
}

/// The place of the key at `key`; 0: the order at 3 does not have it.
lua_Integer place_of(lua_State* lua, int key) {
    if (lua_type(lua, key) != LUA_TSTRING) return 0;
    lua_pushvalue(lua, key);
    lua_rawget(lua, 3);
    const lua_Integer place = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return place;
}

/// Pushes the first key of the order behind `place` that the table has, and its value. False: none.
bool push_next_ordered(lua_State* lua, lua_Integer place) {
    while (lua_rawgeti(lua, 3, ++place) != LUA_TNIL) {
        Budget::charge(lua, 1);
        lua_pushvalue(lua, -1);
        if (lua_rawget(lua, 1) != LUA_TNIL) return true;
        lua_pop(lua, 2);
    }
    lua_pop(lua, 1);
    return false;
}

int pairs_in_order(lua_State* lua) {
    lua_settop(lua, 1);
    lua_pushcfunction(lua, &next_in_order);
    lua_insert(lua, 1);
    lua_pushnil(lua);
    return 3;
}

} // namespace

void push_order(lua_State* lua) {
    lua_createtable(lua, 0, 0);
}

void add_to_order(lua_State* lua, int order, int key, std::int64_t place) {
    key = lua_absindex(lua, key);
    lua_pushvalue(lua, key);
    lua_rawseti(lua, order, place);
    lua_pushvalue(lua, key);
    lua_pushinteger(lua, place);
    lua_rawset(lua, order);
}

void set_order(lua_State* lua, int index) {
    lua_createtable(lua, 0, 3);
    lua_insert(lua, -2);
    lua_rawsetp(lua, -2, &order_key);
    lua_pushcfunction(lua, &pairs_in_order);
    lua_setfield(lua, -2, "__pairs");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, index);
}

int next_in_order(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    const bool has_order = push_order_of(lua);
    const lua_Integer place = has_order ? place_of(lua, 2) : 0;
    if (has_order && (place != 0 || lua_isnil(lua, 2))) {
        if (push_next_ordered(lua, place)) return 2;
        lua_pushnil(lua); // now the others, from the first one on
    } else {
        lua_pushvalue(lua, 2);
    }
    while (lua_next(lua, 1) != 0) {
        if (!has_order || place_of(lua, -2) == 0) return 2;
        Budget::charge(lua, 1);
        lua_pop(lua, 1);
    }
    lua_pushnil(lua);
    return 1;
}

} // namespace qg::policy::compat

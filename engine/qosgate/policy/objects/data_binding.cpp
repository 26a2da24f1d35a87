// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/data_binding.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/objects/job_binding_common.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

constexpr const char* data_type = "data";

/// What Lua holds: a place in a file. Trivial; the file outlives the Lua state.
struct Place {
    const DataFile* file;
    DataValue table;
};

using Kind = DataValue::Kind;

void install_type(lua_State* lua);

void push_place(lua_State* lua, const DataFile& file, const DataValue& table) {
    *static_cast<Place*>(lua_newuserdatauv(lua, sizeof(Place), 0)) = {&file, table};
    install_type(lua);
    lua_setmetatable(lua, -2);
}

void push(lua_State* lua, const DataFile& file, const DataValue& value) {
    switch (value.kind) {
    case Kind::nothing: return lua_pushnil(lua);
    case Kind::flag: return lua_pushboolean(lua, value.integer != 0 ? 1 : 0);
    case Kind::integer: return lua_pushinteger(lua, value.integer);
    case Kind::real: return lua_pushnumber(lua, value.real);
    case Kind::text: {
        const std::string_view text = file.table.text(value);
        lua_pushlstring(lua, text.data(), text.size());
        return;
    }
    case Kind::list:
    case Kind::map:
    case Kind::row: return push_place(lua, file, value);
    }
}

const Place& check_place(lua_State* lua, int index) {
    return *static_cast<const Place*>(luaL_checkudata(lua, index, data_type));
}

std::string describe_unknown_column(const Place& place, std::string_view name) {
    std::vector<std::string> columns;
    for (const DataEntry& entry : place.file->table.entries(place.table))
        columns.emplace_back(place.file->table.text(entry.key));
    return text::format("{} has no column '{}'{}{}", place.file->name, text::printable(name, 60),
                        text::did_you_mean(name, columns), list_of_names(columns));
}

int raise_unknown_column(lua_State* lua, const Place& place) {
    Budget::charge_unknown_name(lua, place.table.count);
    ErrorText error;
    assign_text(error, [&] { return describe_unknown_column(place, text_at(lua, 2)); });
    return raise(lua, error);
}

/// The element of a list for the key at 2; nil for any other key.
int read_element(lua_State* lua, const Place& place) {
    int is_number = 0;
    const lua_Integer at = lua_tointegerx(lua, 2, &is_number);
    const bool is_there = lua_type(lua, 2) == LUA_TNUMBER && is_number != 0 && at >= 1 &&
                          at <= static_cast<lua_Integer>(place.table.count);
    if (!is_there) {
        lua_pushnil(lua);
        return 1;
    }
    // table.concat and table.unpack read a list of any length in one call, which the hook does not interrupt.
    constexpr lua_Integer looks_at_the_clock = 256;
    if (at % looks_at_the_clock == 0) Budget::on_count(lua, nullptr);
    push(lua, *place.file, place.file->table.elements(place.table)[static_cast<std::size_t>(at) - 1]);
    return 1;
}

int read_field(lua_State* lua) {
    const Place& place = check_place(lua, 1);
    if (place.table.kind == Kind::list) return read_element(lua, place);
    if (lua_type(lua, 2) == LUA_TNUMBER)
        return luaL_error(lua, "the keys in %s are texts: write t[tostring(key)] or t[\"%s\"]",
                          place.file->name.c_str(), luaL_tolstring(lua, 2, nullptr));
    if (lua_type(lua, 2) != LUA_TSTRING) {
        lua_pushnil(lua);
        return 1;
    }
    const auto found = place.file->table.find(place.table, text_at(lua, 2));
    if (!found && place.table.kind == Kind::row) return raise_unknown_column(lua, place);
    if (found)
        push(lua, *place.file, place.file->table.entries(place.table)[*found].value);
    else
        lua_pushnil(lua);
    return 1;
}

int refuse_data_write(lua_State* lua) {
    return luaL_error(lua, "data of %s cannot be changed (field '%s')",
                      check_place(lua, 1).file->name.c_str(), luaL_tolstring(lua, 2, nullptr));
}

/// As `#` of a Lua table: maps have no elements 1, 2, ...
int length_of_data(lua_State* lua) {
    const Place& place = check_place(lua, 1);
    lua_pushinteger(lua, place.table.kind == Kind::list ? place.table.count : 0);
    return 1;
}

/// One of the two may be another object, such as one of `view`.
int is_same(lua_State* lua) {
    if (!is_data(lua, 1) || !is_data(lua, 2)) {
        lua_pushboolean(lua, 0);
        return 1;
    }
    const Place& one = check_place(lua, 1);
    const Place& other = check_place(lua, 2);
    const bool is_one = one.file == other.file && one.table.kind == other.table.kind &&
                        one.table.first == other.table.first && one.table.count == other.table.count;
    lua_pushboolean(lua, is_one ? 1 : 0);
    return 1;
}

/// Pushes the metatable of all places, which is made the first time.
void install_type(lua_State* lua) {
    if (luaL_newmetatable(lua, data_type) == 0) return;
    static constexpr luaL_Reg functions[] = {
        {"__index", &read_field}, {"__newindex", &refuse_data_write},      {"__len", &length_of_data},
        {"__eq", &is_same},       {"__pairs", &pairs_with<&next_of_data>}, {nullptr, nullptr}};
    luaL_setfuncs(lua, functions, 0);
}

int next_element(lua_State* lua, const Place& place) {
    lua_Integer at = 0;
    if (!lua_isnil(lua, 2)) {
        at = luaL_checkinteger(lua, 2);
        if (at < 1 || at > static_cast<lua_Integer>(place.table.count))
            return luaL_error(lua, "invalid key to 'next'");
    }
    lua_settop(lua, 1);
    lua_pushinteger(lua, at + 1);
    read_element(lua, place);
    return lua_isnil(lua, -1) ? 1 : 2;
}

/// The place behind the key at 2 among the entries.
std::size_t place_behind_key(lua_State* lua, const Place& place) {
    if (lua_isnil(lua, 2)) return 0;
    luaL_checktype(lua, 2, LUA_TSTRING);
    const auto found = place.file->table.find(place.table, text_at(lua, 2));
    if (!found) luaL_error(lua, "invalid key to 'next'");
    return *found + 1;
}

std::string describe_unknown_file(std::string_view name, std::span<const DataFile> files) {
    std::vector<std::string> names;
    for (const DataFile& file : files)
        names.push_back(file.name);
    return text::format("data has no file '{}'{}{}", text::printable(name, 60),
                        text::did_you_mean(name, names), list_of_names(names));
}

} // namespace

int read_data(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TSTRING);
    const std::span<const DataFile> files = *LuaState::of(lua).data;
    const auto found = std::ranges::find(files, text_at(lua, 1), &DataFile::name);
    if (found != files.end()) {
        push_place(lua, *found, found->table.root());
        return 1;
    }
    Budget::charge_unknown_name(lua, files.size());
    ErrorText error;
    assign_text(error, [&] { return describe_unknown_file(text_at(lua, 1), files); });
    return raise(lua, error);
}

bool is_data(lua_State* lua, int index) noexcept {
    return lua_type(lua, index) == LUA_TUSERDATA && luaL_testudata(lua, index, data_type) != nullptr;
}

int next_of_data(lua_State* lua) {
    const Place& place = check_place(lua, 1);
    lua_settop(lua, 2);
    if (place.table.kind == Kind::list) return next_element(lua, place);
    const auto entries = place.file->table.entries(place.table);
    const auto rest = entries.subspan(place_behind_key(lua, place));
    const auto next =
        std::ranges::find_if(rest, [](const DataEntry& entry) { return entry.value.kind != Kind::nothing; });
    Budget::charge(lua, next - rest.begin()); // entries that are null
    if (next == rest.end()) {
        lua_pushnil(lua);
        return 1;
    }
    push(lua, *place.file, next->key);
    push(lua, *place.file, next->value);
    return 2;
}

void push_data_copy(lua_State* lua, int index, std::size_t max) {
    const Place& place = check_place(lua, index);
    lua_createtable(lua, 0, 0);
    const std::size_t count = std::min<std::size_t>(place.table.count, max);
    for (std::size_t i = 0; i < count; ++i) {
        if (place.table.kind == Kind::list) {
            push(lua, *place.file, place.file->table.elements(place.table)[i]);
            lua_rawseti(lua, -2, static_cast<lua_Integer>(i) + 1);
        } else {
            const DataEntry& entry = place.file->table.entries(place.table)[i];
            push(lua, *place.file, entry.key);
            push(lua, *place.file, entry.value);
            lua_rawset(lua, -3);
        }
    }
}

} // namespace qg::policy

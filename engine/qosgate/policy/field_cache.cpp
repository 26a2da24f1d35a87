// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/field_cache.hpp"

#include "qosgate/policy/fields.hpp"

#include <span>

#include <lua.hpp>

namespace qg::policy {

void FieldCache::install(lua_State* lua) {
    lua_pushvalue(lua, -1);
    table_ = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_createtable(lua, static_cast<int>(job_fields().size()), 0);
    lua_Integer place = 0;
    for (const FieldSpec& field : job_fields()) {
        lua_pushlstring(lua, field.name.data(), field.name.size());
        lua_rawseti(lua, -2, ++place);
    }
    names_ = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void FieldCache::keep(lua_State* lua, int table, int name, std::size_t field) {
    if (lua_isnil(lua, -1) || count_ == kept_.size()) return;
    lua_pushvalue(lua, name);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, table);
    kept_[count_++] = static_cast<std::uint8_t>(field);
}

[[gnu::hot]] void FieldCache::forget(lua_State* lua) noexcept {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, table_);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, names_);
    for (const std::uint8_t field : std::span(kept_).first(count_)) {
        lua_rawgeti(lua, -1, field + 1);
        lua_pushnil(lua);
        lua_rawset(lua, -4); // an entry that there is, so nothing is allocated
    }
    lua_pop(lua, 2);
    count_ = 0;
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/kept_fields.hpp"

#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <bit>

#include <lua.hpp>

namespace qg::policy {

using model::FieldUse;

void KeptFields::Look::set(const Value& value) noexcept {
    kind = value.text.size() <= max_text ? value.kind : Value::Kind::other;
    if (!is_known()) return;
    integer = value.integer;
    size = static_cast<std::uint8_t>(value.text.size());
    std::ranges::copy(value.text, text.begin());
}

/// Calls body(place, look) for the looks at values.
template <typename Do>
void KeptFields::for_each_read(Looks looks, Do body) const {
    for (; looks != 0; looks &= looks - 1) {
        const auto place = static_cast<std::size_t>(std::countr_zero(looks));
        if (looks_[place].use == FieldUse::read) body(place, looks_[place]);
    }
}

Value KeptFields::read(const Look& look, const FieldSource& source, bool is_counted) noexcept {
    constexpr Value unknown{Value::Kind::other, 0, {}};
    if (look.use == FieldUse::is_set) return Value::of_flag(look.field->is_set(source.request));
    if (!is_counted && look.field->reads_facts(source.request)) return unknown;
    ErrorText error;
    const Value value = look.field->read(source, error);
    return error.empty() ? value : unknown;
}

std::uint8_t& KeptFields::place_of(const FieldSpec& field, FieldUse use) noexcept {
    const auto index = static_cast<std::size_t>(&field - job_fields().data());
    return places_[2 * index + (use == FieldUse::is_set ? 1 : 0)];
}

KeptFields::KeptFields() : places_(2 * job_fields().size(), no_place) {}

void KeptFields::install(lua_State* lua, int metatable) {
    lua_pushvalue(lua, metatable);
    metatable_ = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_pushvalue(lua, -1);
    functions_ = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_createtable(lua, static_cast<int>(job_fields().size()), 0);
    lua_Integer place = 0;
    for (const FieldSpec& field : job_fields()) {
        lua_pushlstring(lua, field.name.data(), field.name.size());
        lua_rawseti(lua, -2, ++place);
    }
    names_ = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void KeptFields::set_rules(const std::vector<bool>& keeps_state, std::size_t rules) {
    keeps_values_ = !keeps_state.empty();
    rules_.resize(rules);
    for (std::size_t rule = 0; rule < keeps_state.size(); ++rule)
        rules_[rule].may_rest = !keeps_state[rule];
}

void KeptFields::make_tables(lua_State* lua) {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, functions_);
    for (Rule& rule : rules_) {
        lua_createtable(lua, 0, 16);
        for (lua_pushnil(lua); lua_next(lua, -3) != 0; lua_pop(lua, 1)) {
            lua_pushvalue(lua, -2);
            lua_pushvalue(lua, -2);
            lua_rawset(lua, -5);
        }
        lua_getmetatable(lua, -2);
        lua_setmetatable(lua, -2);
        rule.table = luaL_ref(lua, LUA_REGISTRYINDEX);
    }
    lua_pop(lua, 1);
}

void KeptFields::start_job(const FieldSource& source, bool is_counted) noexcept {
    Looks changed = 0;
    for (std::size_t place = 0; place < count_; ++place) {
        Look& look = looks_[place];
        const Value value = keeps_values_ ? read(look, source, is_counted) : Value{Value::Kind::other, 0, {}};
        if (look.is_known() && look.value() == value) continue;
        changed |= Looks{1} << place;
        look.set(value);
    }
    if (changed == 0) return;
    for (Rule& rule : rules_) {
        const Looks differ = rule.looks & changed;
        rule.stale |= differ;
        if (differ != 0) rule.rests = false;
    }
}

void KeptFields::start_rule(lua_State* lua, std::size_t rule) {
    present_ = rule;
    looks_further_ = false;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, metatable_);
    push_table(lua, rule);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "__index");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, names_);
    for_each_read(rules_[rule].stale, [&](std::size_t place, const Look& look) {
        lua_rawgeti(lua, -1, look.field - job_fields().data() + 1);
        push_value(lua, look.value()); // nil if it is not known
        lua_rawset(lua, -4);
        rules_[rule].stale &= ~(Looks{1} << place);
    });
    rules_[rule].stale = 0;
    lua_pop(lua, 3);
}

bool KeptFields::note(const FieldSpec& field, FieldUse use, const Value* value) noexcept {
    std::uint8_t& place = place_of(field, use);
    if (place == no_place) {
        if (count_ == max_looks) {
            looks_further_ = true;
            return false;
        }
        place = static_cast<std::uint8_t>(count_);
        looks_[count_].field = &field;
        looks_[count_++].use = use;
    }
    const Looks look = Looks{1} << place;
    rules_[present_].looks |= look;
    if (looks_[place].is_known() || value == nullptr) return true;
    looks_[place].set(*value);
    // Others may rest on that it was not known.
    for (Rule& rule : rules_)
        if ((rule.looks & look) != 0) rule.rests = false;
    return true;
}

void KeptFields::keep(lua_State* lua, int table, int name) {
    if (lua_isnil(lua, -1)) return;
    lua_pushvalue(lua, name);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, table);
}

void KeptFields::forget_values(lua_State* lua) noexcept {
    Rule& rule = rules_[present_];
    push_table(lua, present_);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, names_);
    for_each_read(rule.looks, [&](std::size_t /*place*/, const Look& look) {
        lua_rawgeti(lua, -1, look.field - job_fields().data() + 1);
        lua_pushnil(lua);
        lua_rawset(lua, -4); // an entry that there is, or none: nothing is allocated
    });
    lua_pop(lua, 2);
    rule.stale |= rule.looks;
}

void KeptFields::end_idle_rule(bool looked_only_here) noexcept {
    Rule& rule = rules_[present_];
    rule.rests = rule.may_rest && looked_only_here && !looks_further_;
}

void KeptFields::push_table(lua_State* lua, std::size_t rule) const noexcept {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, rules_[rule].table);
}

} // namespace qg::policy

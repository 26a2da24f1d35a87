// SPDX-License-Identifier: GPL-2.0-or-later

#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/source_rewrite.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

// ---- a .. b --------------------------------------------------------------------------------------------

bool is_text(lua_State* lua, int index) {
    return lua_isstring(lua, index) != 0; // also of a number
}

/// Pushes the result of joining the values at `left` and `right`, of which one may have a metamethod.
void join(lua_State* lua, int left, int right) {
    if (is_text(lua, left) && is_text(lua, right)) {
        charge_values(lua, left, right);
        push_old_text(lua, left);
        push_old_text(lua, right);
        lua_concat(lua, 2);
        return;
    }
    if (luaL_getmetafield(lua, left, "__concat") == LUA_TNIL &&
        luaL_getmetafield(lua, right, "__concat") == LUA_TNIL)
        luaL_error(lua, "attempt to concatenate a %s value",
                   luaL_typename(lua, is_text(lua, left) ? right : left));
    lua_pushvalue(lua, left);
    lua_pushvalue(lua, right);
    lua_call(lua, 2, 1);
}

/// From right to left, as the operator does.
void join_one_by_one(lua_State* lua) {
    for (int left = lua_gettop(lua) - 1; left >= 1; --left) {
        join(lua, left, left + 1);
        lua_replace(lua, left);
        lua_settop(lua, left);
    }
}

// ---- string.format -------------------------------------------------------------------------------------

constexpr std::size_t max_item = 512; ///< bytes of one place: a number of 308 digits and "%99.99f"

/// One place of a format, "%5.1f", as snprintf() takes it.
class FormatPlace {
  public:
    /// Reads it at `at`, behind the "%". Errors: raises a Lua error, with the bounds of Lua 5.1.
    FormatPlace(lua_State* lua, std::string_view format, std::size_t& at) {
        constexpr std::string_view flags = "-+ #0";
        const std::size_t begin = at;
        const auto next = [&] { return at < format.size() ? format[at] : '\0'; };
        while (next() != '\0' && flags.find(next()) != flags.npos)
            ++at;
        if (at - begin > flags.size()) luaL_error(lua, "invalid format (repeated flags)");
        const auto skip_digits = [&] {
            for (int count = 0; count < 2 && is_digit(next()); ++count)
                ++at;
        };
        skip_digits();
        if (next() == '.') {
            has_precision_ = true;
            ++at;
            skip_digits();
        }
        if (is_digit(next())) luaL_error(lua, "invalid format (width or precision too long)");
        letter_ = next();
        if (at < format.size()) ++at;
        modifiers_ = format.substr(begin, at - begin - (letter_ == '\0' ? 0 : 1));
    }

    [[nodiscard]] char letter() const noexcept { return letter_; }
    [[nodiscard]] bool has_precision() const noexcept { return has_precision_; }
    [[nodiscard]] bool has_modifiers() const noexcept { return !modifiers_.empty(); }

    /// Adds a value with the conversion "%...CONVERSION".
    template <typename Value>
    void add(luaL_Buffer& result, const char* conversion, Value value) const {
        std::array<char, 24> pattern{"%"};
        modifiers_.copy(pattern.data() + 1, modifiers_.size());
        std::strcpy(pattern.data() + 1 + modifiers_.size(), conversion);
        std::array<char, max_item> text; // snprintf() fills it
        const int size = std::snprintf(text.data(), text.size(), pattern.data(), value);
        // A "%c" of zero adds nothing, as in Lua 5.1.
        luaL_addlstring(&result, text.data(), strnlen(text.data(), static_cast<std::size_t>(size)));
    }

  private:
    static bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }

    std::string_view modifiers_; ///< flags, width and precision
    bool has_precision_ = false;
    char letter_ = '\0';
};

double check_old_number(lua_State* lua, int index) {
    const auto number = old_number_at(lua, index);
    return number ? *number : luaL_checknumber(lua, index); // which says what is wrong
}

/// The text or number at `index`, which becomes a text.
std::string_view check_old_text(lua_State* lua, int index) {
    make_old_text(lua, index);
    std::size_t length = 0;
    const char* bytes = luaL_checklstring(lua, index, &length);
    return {bytes, length};
}

/// %q
void add_quoted(luaL_Buffer& result, std::string_view text) {
    luaL_addchar(&result, '"');
    for (const char letter : text) {
        switch (letter) {
        case '"':
        case '\\':
        case '\n':
            luaL_addchar(&result, '\\');
            luaL_addchar(&result, letter);
            break;
        case '\r': luaL_addlstring(&result, "\\r", 2); break;
        case '\0': luaL_addlstring(&result, "\\000", 4); break;
        default: luaL_addchar(&result, letter);
        }
    }
    luaL_addchar(&result, '"');
}

/// %s
void add_text(lua_State* lua, luaL_Buffer& result, const FormatPlace& place, int index) {
    constexpr std::size_t short_text = 100;
    const std::string_view text = check_old_text(lua, index);
    // As in Lua 5.1 a long text is added whatever its width, and a short one up to a zero byte.
    if (!place.has_precision() && text.size() >= short_text)
        luaL_addlstring(&result, text.data(), text.size());
    else if (!place.has_modifiers())
        luaL_addlstring(&result, text.data(), strnlen(text.data(), text.size()));
    else
        place.add(result, "s", text.data());
}

/// Adds the value at `index` as the place says.
void add_place(lua_State* lua, luaL_Buffer& result, const FormatPlace& place, int index) {
    const std::array<char, 2> conversion{place.letter(), '\0'};
    switch (place.letter()) {
    case 'c': return place.add(result, "c", to_int(check_old_number(lua, index)));
    case 'd':
    case 'i': return place.add(result, "ld", static_cast<long>(to_old_integer(check_old_number(lua, index))));
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
        const std::array<char, 3> of_long{'l', place.letter(), '\0'};
        return place.add(result, of_long.data(),
                         static_cast<unsigned long>(to_old_unsigned(check_old_number(lua, index))));
    }
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G': return place.add(result, conversion.data(), check_old_number(lua, index));
    case 'q': return add_quoted(result, check_old_text(lua, index));
    case 's': return add_text(lua, result, place, index);
    default: luaL_error(lua, "invalid option '%%%s' to 'format'", conversion.data());
    }
}

// ---- sources -------------------------------------------------------------------------------------------

int destroy_text(lua_State* lua) {
    std::destroy_at(static_cast<std::string*>(lua_touserdata(lua, 1)));
    return 0;
}

/// False: there is no memory.
bool rewrite(std::string_view source, std::string& into) noexcept {
    try {
        into = rewrite_for_lua_5_4(source);
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

void push_old_text(lua_State* lua, int index) {
    if (lua_type(lua, index) == LUA_TNUMBER)
        lua_pushvalue(lua, index);
    else
        luaL_tolstring(lua, index, nullptr);
    make_old_text(lua, -1); // __tostring may have given a number
}

int old_tostring(lua_State* lua) {
    luaL_checkany(lua, 1);
    push_old_text(lua, 1);
    return 1;
}

int format_text(lua_State* lua) {
    charge_values(lua, 1, lua_gettop(lua));
    const std::string_view format = check_old_text(lua, 1);
    Budget::charge(lua, 1 + static_cast<std::int64_t>(format.size() / 4));
    const int arguments = lua_gettop(lua);
    int argument = 1;
    luaL_Buffer result;
    luaL_buffinit(lua, &result);
    for (std::size_t at = 0; at < format.size();) {
        const std::size_t plain = std::min(format.find('%', at), format.size());
        luaL_addlstring(&result, format.data() + at, plain - at);
        at = plain + 1;
        if (plain == format.size()) break;
        if (at < format.size() && format[at] == '%') {
            luaL_addchar(&result, '%');
            ++at;
            continue;
        }
        if (++argument > arguments) luaL_argerror(lua, argument, "no value");
        const FormatPlace place(lua, format, at);
        add_place(lua, result, place, argument);
    }
    luaL_pushresult(&result);
    charge_values(lua, -1, -1);
    return 1;
}

int concat_table(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    std::size_t separator_length = 0;
    const char* separator = luaL_optlstring(lua, 2, "", &separator_length);
    const lua_Integer first = luaL_optinteger(lua, 3, 1);
    const lua_Integer last = lua_isnoneornil(lua, 4) ? luaL_len(lua, 1) : luaL_checkinteger(lua, 4);
    lua_settop(lua, 2);
    luaL_Buffer result;
    luaL_buffinit(lua, &result);
    for (lua_Integer i = first; i <= last; ++i) {
        Budget::charge(lua, 1);
        lua_geti(lua, 1, i);
        if (!is_text(lua, -1))
            return luaL_error(lua, "invalid value (at index %d) in table for 'concat'", static_cast<int>(i));
        make_old_text(lua, -1);
        Budget::charge(lua, static_cast<std::int64_t>((lua_rawlen(lua, -1) + separator_length) / 16));
        luaL_addvalue(&result);
        if (i != last) luaL_addlstring(&result, separator, separator_length);
    }
    luaL_pushresult(&result);
    return 1;
}

int concat(lua_State* lua) {
    const int count = lua_gettop(lua);
    std::size_t bytes = 0;
    for (int i = 1; i <= count; ++i) {
        if (!is_text(lua, i)) {
            join_one_by_one(lua);
            return 1;
        }
        if (lua_type(lua, i) == LUA_TSTRING) bytes += lua_rawlen(lua, i);
    }
    Budget::charge(lua, 1 + static_cast<std::int64_t>(bytes / 16));
    luaL_Buffer result;
    luaL_buffinit(lua, &result);
    for (int i = 1; i <= count; ++i) {
        if (lua_type(lua, i) == LUA_TNUMBER) {
            const OldNumberText text(lua_tonumber(lua, i));
            luaL_addlstring(&result, text.view().data(), text.view().size());
        } else {
            std::size_t length = 0;
            const char* text = lua_tolstring(lua, i, &length);
            luaL_addlstring(&result, text, length);
        }
    }
    luaL_pushresult(&result);
    return 1;
}

int make_arg(lua_State* lua) {
    const int count = lua_gettop(lua);
    Budget::charge(lua, count);
    lua_createtable(lua, count, 1);
    lua_insert(lua, 1);
    for (int i = count; i >= 1; --i)
        lua_rawseti(lua, 1, i);
    lua_pushnumber(lua, count);
    lua_setfield(lua, 1, "n");
    return 1;
}

bool push_rewritten(lua_State* lua, std::string_view source, std::string_view& text) {
    // Errors of Lua skip destructors, so Lua owns the text.
    auto* block = new (lua_newuserdatauv(lua, sizeof(std::string), 0)) std::string();
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, &destroy_text);
    lua_setfield(lua, -2, "__gc");
    lua_setmetatable(lua, -2);
    if (!rewrite(source, *block)) {
        lua_pop(lua, 1);
        return false;
    }
    text = *block;
    return true;
}

} // namespace qg::policy::compat

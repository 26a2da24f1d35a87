// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/lib/string_library.hpp"

#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"
#include "qosgate/policy/lua/lib/pattern.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <lua.hpp>

namespace qg::policy {
namespace {

static_assert(std::is_trivially_destructible_v<PatternMatcher>);

/// Whose manual a function follows, where Lua 5.1 differs.
enum class Rules : std::uint8_t { lua_5_4, lua_5_1 };

std::string_view check_text(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* bytes = luaL_checklstring(lua, index, &length);
    return {bytes, length};
}

/// An optional start position as Lua counts (from 1, negative from the end), as an offset; may lie behind the
/// end.
std::size_t check_start(lua_State* lua, int index, std::size_t length) {
    const lua_Integer given = opt_integer(lua, index, 1);
    if (given > 0) return static_cast<std::size_t>(given) - 1;
    if (given == 0 || given < -static_cast<lua_Integer>(length)) return 0;
    return length - static_cast<std::size_t>(-given);
}

/// Whether the pattern matches at `at`; raises an error if the matcher has no answer.
bool matches_at(lua_State* lua, PatternMatcher& matcher, std::size_t at) {
    switch (matcher.match_at(at)) {
    case MatchStatus::no_match: return false;
    case MatchStatus::match: return true;
    case MatchStatus::spent: Budget::raise_spent(lua);
    case MatchStatus::bad_pattern: luaL_error(lua, "%s", matcher.problem());
    }
    return false;
}

template <Rules rules>
void push_capture(lua_State* lua, std::string_view subject, const Capture& capture) {
    if (capture.is_position && rules == Rules::lua_5_1)
        lua_pushnumber(lua, static_cast<lua_Number>(capture.begin) + 1);
    else if (capture.is_position)
        lua_pushinteger(lua, static_cast<lua_Integer>(capture.begin) + 1);
    else
        lua_pushlstring(lua, subject.data() + capture.begin, capture.length);
}

/// Pushes all captures, or the whole match if there are none. Returns how many.
template <Rules rules>
int push_captures(lua_State* lua, std::string_view subject, const PatternMatcher& matcher,
                  std::size_t begin) {
    const std::size_t count = matcher.capture_count();
    luaL_checkstack(lua, static_cast<int>(count) + 1, "too many captures");
    if (count == 0) {
        lua_pushlstring(lua, subject.data() + begin, matcher.end() - begin);
        return 1;
    }
    for (std::size_t i = 0; i < count; ++i)
        push_capture<rules>(lua, subject, matcher.capture(i));
    return static_cast<int>(count);
}

/// The text without its leading "^"; `is_anchored` tells whether there was one.
std::string_view without_anchor(std::string_view pattern, bool& is_anchored) noexcept {
    is_anchored = !pattern.empty() && pattern.front() == '^';
    return is_anchored ? pattern.substr(1) : pattern;
}

int find_plain(lua_State* lua, std::string_view subject, std::string_view wanted, std::size_t start) {
    // memmem takes linear time and handles more than 16 bytes in the time of a step.
    Budget::charge(lua, static_cast<std::int64_t>((subject.size() - start + wanted.size()) / 16));
    const char* from = subject.data() + start;
    const void* found =
        wanted.empty() ? from : memmem(from, subject.size() - start, wanted.data(), wanted.size());
    if (found == nullptr) {
        lua_pushnil(lua);
        return 1;
    }
    const auto at = static_cast<const char*>(found) - subject.data();
    lua_pushinteger(lua, at + 1);
    lua_pushinteger(lua, at + static_cast<lua_Integer>(wanted.size()));
    return 2;
}

template <Rules rules>
int find_or_match(lua_State* lua, bool is_find) {
    const std::string_view subject = check_text(lua, 1);
    std::string_view pattern = check_text(lua, 2);
    std::size_t start = check_start(lua, 3, subject.size());
    if (rules == Rules::lua_5_1) start = std::min(start, subject.size());
    if (start > subject.size()) {
        lua_pushnil(lua);
        return 1;
    }
    if (is_find) {
        charge_values(lua, 2, 2);
        if (lua_toboolean(lua, 4) != 0 || pattern.find_first_of("^$*+?.([%-") == std::string_view::npos)
            return find_plain(lua, subject, pattern, start);
    }

    bool is_anchored = false;
    pattern = without_anchor(pattern, is_anchored);
    PatternMatcher matcher(subject, pattern, LuaState::of(lua).budget());
    for (std::size_t at = start; at <= subject.size(); ++at) {
        if (matches_at(lua, matcher, at)) {
            if (!is_find) return push_captures<rules>(lua, subject, matcher, at);
            lua_pushinteger(lua, static_cast<lua_Integer>(at) + 1);
            lua_pushinteger(lua, static_cast<lua_Integer>(matcher.end()));
            const int captures =
                matcher.capture_count() == 0 ? 0 : push_captures<rules>(lua, subject, matcher, at);
            return 2 + captures;
        }
        if (is_anchored) break;
    }
    lua_pushnil(lua);
    return 1;
}

template <Rules rules>
int string_find(lua_State* lua) {
    return find_or_match<rules>(lua, /*is_find=*/true);
}
template <Rules rules>
int string_match(lua_State* lua) {
    return find_or_match<rules>(lua, /*is_find=*/false);
}

/// Upvalues: subject, pattern, where to look next, end of the last match (-1 before the first). In Lua 5.1 an
/// empty match may follow directly on another match, and the next search begins one byte behind it.
template <Rules rules>
int gmatch_next(lua_State* lua) {
    const std::string_view subject = check_text(lua, lua_upvalueindex(1));
    const std::string_view pattern = check_text(lua, lua_upvalueindex(2));
    const auto start = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(3)));
    const lua_Integer last_end = lua_tointeger(lua, lua_upvalueindex(4));
    PatternMatcher matcher(subject, pattern, LuaState::of(lua).budget());
    for (std::size_t at = start; at <= subject.size(); ++at) {
        if (!matches_at(lua, matcher, at)) continue;
        const auto end = static_cast<lua_Integer>(matcher.end());
        if (rules == Rules::lua_5_4 && end == last_end)
            continue; // an empty match directly after the last one
        const bool is_empty = matcher.end() == at;
        lua_pushinteger(lua, rules == Rules::lua_5_1 && is_empty ? end + 1 : end);
        lua_replace(lua, lua_upvalueindex(3));
        lua_pushinteger(lua, end);
        lua_replace(lua, lua_upvalueindex(4));
        return push_captures<rules>(lua, subject, matcher, at);
    }
    return 0;
}

template <Rules rules>
int string_gmatch(lua_State* lua) {
    const std::string_view subject = check_text(lua, 1);
    check_text(lua, 2);
    const std::size_t start = rules == Rules::lua_5_1 ? 0 : check_start(lua, 3, subject.size());
    lua_settop(lua, 2);
    lua_pushinteger(lua, static_cast<lua_Integer>(start > subject.size() ? subject.size() + 1 : start));
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, &gmatch_next<rules>, 4);
    return 1;
}

/// Adds the replacement text with its %0 to %9 filled in. In Lua 5.1 "%" before another letter stands for the
/// letter.
template <Rules rules>
void add_text(lua_State* lua, luaL_Buffer& result, std::string_view subject, const PatternMatcher& matcher,
              std::size_t begin) {
    const std::string_view replacement = check_text(lua, 3);
    for (std::size_t i = 0; i < replacement.size(); ++i) {
        if (replacement[i] != '%') {
            luaL_addchar(&result, replacement[i]);
            continue;
        }
        const char letter = ++i < replacement.size() ? replacement[i] : '\0';
        if (letter == '%') {
            luaL_addchar(&result, '%');
        } else if (letter == '0' || (letter == '1' && matcher.capture_count() == 0)) {
            luaL_addlstring(&result, subject.data() + begin, matcher.end() - begin);
        } else if (letter >= '1' && letter <= '9') {
            const auto index = static_cast<std::size_t>(letter - '1');
            if (index >= matcher.capture_count())
                luaL_error(lua, "invalid capture index %%%d in replacement string",
                           static_cast<int>(index) + 1);
            push_capture<rules>(lua, subject, matcher.capture(index));
            if (rules == Rules::lua_5_1) make_old_text(lua, -1);
            luaL_addvalue(&result);
        } else if (rules == Rules::lua_5_1) {
            luaL_addchar(&result, letter);
        } else {
            luaL_error(lua, "invalid use of '%%' in replacement string");
        }
    }
}

/// Adds the replacement of the match at `begin`: a text, or the result of a table or function.
template <Rules rules>
void add_replacement(lua_State* lua, luaL_Buffer& result, std::string_view subject, PatternMatcher& matcher,
                     std::size_t begin) {
    const int type = lua_type(lua, 3);
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures<rules>(lua, subject, matcher, begin), 1);
    } else if (type == LUA_TTABLE) {
        if (matcher.capture_count() == 0)
            lua_pushlstring(lua, subject.data() + begin, matcher.end() - begin);
        else
            push_capture<rules>(lua, subject, matcher.capture(0));
        lua_gettable(lua, 3);
    } else {
        Budget::charge(lua, static_cast<std::int64_t>(lua_rawlen(lua, 3) / 4));
        add_text<rules>(lua, result, subject, matcher, begin);
        return;
    }
    if (lua_toboolean(lua, -1) == 0) { // false or nil: the match stays
        lua_pop(lua, 1);
        luaL_addlstring(&result, subject.data() + begin, matcher.end() - begin);
    } else if (lua_isstring(lua, -1) != 0) {
        if (rules == Rules::lua_5_1) make_old_text(lua, -1);
        luaL_addvalue(&result);
    } else {
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    }
}

template <Rules rules>
int string_gsub(lua_State* lua) {
    const std::string_view subject = check_text(lua, 1);
    bool is_anchored = false;
    const std::string_view pattern = without_anchor(check_text(lua, 2), is_anchored);
    const int type = lua_type(lua, 3);
    const bool is_usable =
        type == LUA_TSTRING || type == LUA_TNUMBER || type == LUA_TTABLE || type == LUA_TFUNCTION;
    luaL_argexpected(lua, is_usable, 3, "string/function/table");
    if (type == LUA_TNUMBER) lua_tolstring(lua, 3, nullptr);
    const lua_Integer max = opt_integer(lua, 4, static_cast<lua_Integer>(subject.size()) + 1);
    lua_settop(lua, 4);

    luaL_Buffer result;
    luaL_buffinit(lua, &result);
    PatternMatcher matcher(subject, pattern, LuaState::of(lua).budget());
    lua_Integer count = 0;
    std::size_t at = 0;
    std::size_t last_end = static_cast<std::size_t>(-1);
    while (count < max) {
        if (matches_at(lua, matcher, at) && (rules == Rules::lua_5_1 || matcher.end() != last_end)) {
            ++count;
            // A function's own calls would not disturb the matcher, but its end is needed afterwards.
            const std::size_t end = matcher.end();
            add_replacement<rules>(lua, result, subject, matcher, at);
            const bool is_empty = end == at;
            at = last_end = end;
            if (rules == Rules::lua_5_1 && is_empty) {
                if (at == subject.size()) break;
                luaL_addchar(&result, subject[at]);
                ++at;
            }
        } else if (at < subject.size()) {
            luaL_addchar(&result, subject[at]);
            ++at;
        } else {
            break;
        }
        if (is_anchored) break;
    }
    luaL_addlstring(&result, subject.data() + at, subject.size() - at);
    luaL_pushresult(&result);
    lua_pushinteger(lua, count);
    return 2;
}

template <Rules rules>
int string_rep(lua_State* lua) {
    const std::string_view unit = check_text(lua, 1);
    const lua_Integer times = check_integer(lua, 2);
    std::size_t separator_length = 0;
    const char* separator = rules == Rules::lua_5_1 ? "" : luaL_optlstring(lua, 3, "", &separator_length);
    const std::size_t step = unit.size() + separator_length;
    if (times <= 0 || step == 0) {
        lua_pushliteral(lua, "");
        return 1;
    }
    if (static_cast<lua_Unsigned>(times) > Budget::max_string / step)
        return luaL_error(lua, "resulting string too large (at most %d bytes)",
                          static_cast<int>(Budget::max_string));
    const std::size_t total = step * static_cast<std::size_t>(times) - separator_length;
    Budget::charge(lua, static_cast<std::int64_t>(total / 16));
    luaL_Buffer result;
    char* out = luaL_buffinitsize(lua, &result, step + total);
    std::memcpy(out, unit.data(), unit.size());
    std::memcpy(out + unit.size(), separator, separator_length);
    for (std::size_t filled = step; filled < total;) { // doubles the text by copying it after itself
        const std::size_t part = std::min(filled, total - filled);
        std::memcpy(out + filled, out, part);
        filled += part;
    }
    luaL_pushresultsize(&result, total);
    return 1;
}

/// A text without a letter to change is its own result; nothing is made then.
template <int (*change)(int)>
int change_case(lua_State* lua) {
    charge_values(lua, 1, lua_gettop(lua));
    const std::string_view text = check_text(lua, 1);
    const auto changed = [](char byte) {
        return static_cast<char>(change(static_cast<unsigned char>(byte)));
    };
    if (std::ranges::all_of(text, [changed](char byte) { return changed(byte) == byte; })) {
        lua_settop(lua, 1);
    } else {
        luaL_Buffer result;
        std::ranges::transform(text, luaL_buffinitsize(lua, &result, text.size()), changed);
        luaL_pushresultsize(&result, text.size());
    }
    charge_values(lua, -1, -1);
    return 1;
}

template <Rules rules>
void add_functions(lua_State* lua) {
    static constexpr luaL_Reg functions[] = {
        {"find", &string_find<rules>},
        {"match", &string_match<rules>},
        {"gmatch", &string_gmatch<rules>},
        {"gsub", &string_gsub<rules>},
        {"rep", &string_rep<rules>},
        {"lower", &change_case<&std::tolower>},
        {"upper", &change_case<&std::toupper>},
        {nullptr, nullptr},
    };
    luaL_setfuncs(lua, functions, 0);
}

template <Rules rules>
void bound_functions(lua_State* lua) {
    charge_library(lua, {"byte", "len", "sub"});
    add_functions<rules>(lua);
}

} // namespace

void bound_string_functions(lua_State* lua) {
    bound_functions<Rules::lua_5_4>(lua);
}

void bound_old_string_functions(lua_State* lua) {
    bound_functions<Rules::lua_5_1>(lua);
}

} // namespace qg::policy

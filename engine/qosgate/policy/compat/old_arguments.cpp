// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/old_arguments.hpp"

#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

/// What a function takes, one letter for each argument. Those behind the last one are dropped, as Lua 5.1
/// ignores them; a "*" stands for any number more of the last one.
///   t  a text: a number becomes "2", not "2.0"
///   n  a number: a text becomes one as in Lua 5.1
///   i  an int of C: without its fraction, and its low 32 bits
///   l  the same in 64 bits
///   c  an int of 64 bits, or a text that stays one
///   k  a key of a table: a number without a fraction is an integer inside Lua 5.4
///   v  any value, which the function looks at itself
struct OldFunction {
    const char* library; ///< empty: a global
    const char* name;
    const char* takes;
};

/// The methods of Lua's own files, which clients have.
constexpr std::string_view file_methods = LUA_FILEHANDLE;

constexpr auto old_functions = std::to_array<OldFunction>({
    {"", "collectgarbage", "ti"},
    {"", "dofile", "t"},
    {"", "error", "vi"},
    {"", "loadfile", "tvv"},
    {"", "loadstring", "ttvv"},
    {"", "next", "vk"},
    {"", "rawlen", "v"},
    {"", "require", "t"},
    {"", "select", "iv*"},
    {"", "tonumber", "vi"},
    {"", "unpack", "vii"},
    {"math", "abs", "n"},
    {"math", "acos", "n"},
    {"math", "asin", "n"},
    {"math", "atan", "n"},
    {"math", "atan2", "nn"},
    {"math", "ceil", "n"},
    {"math", "cos", "n"},
    {"math", "cosh", "n"},
    {"math", "deg", "n"},
    {"math", "exp", "n"},
    {"math", "floor", "n"},
    {"math", "fmod", "nn"},
    {"math", "frexp", "n"},
    {"math", "ldexp", "ni"},
    {"math", "log", "n"},
    {"math", "log10", "n"},
    {"math", "max", "n*"},
    {"math", "min", "n*"},
    {"math", "mod", "nn"},
    {"math", "modf", "n"},
    {"math", "pow", "nn"},
    {"math", "rad", "n"},
    {"math", "random", "i*"},
    {"math", "randomseed", "i"},
    {"math", "sin", "n"},
    {"math", "sinh", "n"},
    {"math", "sqrt", "n"},
    {"math", "tan", "n"},
    {"math", "tanh", "n"},
    {"math", "tointeger", "v"},
    {"string", "byte", "tll"},
    {"string", "char", "i*"},
    {"string", "find", "ttlv"},
    {"string", "gfind", "tt"},
    {"string", "gmatch", "tt"},
    {"string", "gsub", "ttti"},
    {"string", "len", "t"},
    {"string", "lower", "t"},
    {"string", "match", "ttl"},
    {"string", "rep", "ti"},
    {"string", "reverse", "t"},
    {"string", "sub", "tll"},
    {"string", "upper", "t"},
    {"table", "concat", "vtii"},
    {"table", "foreach", "vv"},
    {"table", "foreachi", "vv"},
    {"table", "getn", "v"},
    {"table", "insert", "v*"},
    {"table", "maxn", "v"},
    {"table", "move", "vlllv"},
    {"table", "remove", "vi"},
    {"table", "sort", "vv"},
    {"table", "unpack", "vii"},
    {"os", "clock", ""},
    {"os", "date", "tl"},
    {"os", "difftime", "ll"},
    {"os", "execute", "t"},
    {"os", "exit", "cv"},
    {"os", "getenv", "t"},
    {"os", "remove", "t"},
    {"os", "rename", "tt"},
    {"os", "time", "v"},
    {"io", "lines", "tc*"},
    {"io", "open", "tt"},
    {"io", "popen", "tt"},
    {"io", "read", "c*"},
    {"io", "write", "t*"},
    {file_methods.data(), "read", "vc*"},
    {file_methods.data(), "lines", "vc*"},
    {file_methods.data(), "seek", "vtl"},
    {file_methods.data(), "setvbuf", "vtl"},
    {file_methods.data(), "write", "vt*"},
});

void replace_number(lua_State* lua, int index, lua_Number number) {
    lua_pushnumber(lua, number);
    lua_replace(lua, index);
}

void replace_integer(lua_State* lua, int index, lua_Integer number) {
    lua_pushinteger(lua, number);
    lua_replace(lua, index);
}

/// The argument at `index`, if it is a number or a text. What is none of Lua 5.1's numbers stays: the
/// function says what it needs.
void prepare_argument(lua_State* lua, int index, char letter) {
    const bool is_text = lua_type(lua, index) == LUA_TSTRING;
    if (letter == 't') return make_old_text(lua, index);
    if (letter == 'v' || (is_text && (letter == 'c' || letter == 'k'))) return;
    if (is_text) charge_values(lua, index, index);
    const auto number = old_number_at(lua, index);
    if (!number) return;
    switch (letter) {
    case 'i': return replace_integer(lua, index, to_old_int(*number));
    case 'l':
    case 'c': return replace_integer(lua, index, to_old_integer(*number));
    case 'k':
        if (const auto whole = to_old_integer(*number); static_cast<double>(whole) == *number)
            replace_integer(lua, index, whole);
        return;
    default:
        if (is_text) replace_number(lua, index, *number);
        return;
    }
}

void prepare_arguments(lua_State* lua, const char* letter) {
    const int count = lua_gettop(lua);
    for (int i = 1; i <= count; ++i) {
        if (*letter == '\0') return lua_settop(lua, i - 1);
        if (letter[0] == 'v' && letter[1] == '*') return;
        const int type = lua_type(lua, i);
        if (type == LUA_TNUMBER || type == LUA_TSTRING) prepare_argument(lua, i, *letter);
        if (letter[1] != '*') ++letter;
    }
}

/// Upvalues: the function's own two, the function, and the index of its row. It runs in this call, so its
/// errors are those of a function that the script has called.
int call_prepared(lua_State* lua) {
    const auto row = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(4)));
    prepare_arguments(lua, old_functions[row].takes);
    const int results = lua_tocfunction(lua, lua_upvalueindex(3))(lua);
    const int top = lua_gettop(lua);
    for (int i = top - results + 1; i <= top; ++i)
        if (lua_isinteger(lua, i) != 0) {
            luaL_checkstack(lua, 1, "too many results");
            replace_number(lua, i, lua_tonumber(lua, i));
        }
    return results;
}

/// Pushes the table that has the function, or nil.
void push_library_of(lua_State* lua, const OldFunction& function) {
    if (function.library == file_methods) {
        if (luaL_getmetatable(lua, LUA_FILEHANDLE) == LUA_TTABLE) {
            lua_getfield(lua, -1, "__index");
            lua_remove(lua, -2);
        }
    } else if (*function.library == '\0') {
        lua_pushglobaltable(lua);
    } else {
        lua_getglobal(lua, function.library);
    }
}

} // namespace

void take_old_numbers(lua_State* lua) {
    for (std::size_t row = 0; row < old_functions.size(); ++row) {
        const OldFunction& function = old_functions[row];
        const int top = lua_gettop(lua);
        push_library_of(lua, function);
        if (lua_istable(lua, -1) && lua_getfield(lua, -1, function.name) == LUA_TFUNCTION &&
            lua_tocfunction(lua, -1) != &call_prepared) {
            for (int upvalue = 1; upvalue <= 2; ++upvalue)
                if (lua_getupvalue(lua, top + 2, upvalue) == nullptr) lua_pushnil(lua);
            lua_pushcfunction(lua, lua_tocfunction(lua, top + 2));
            lua_pushinteger(lua, static_cast<lua_Integer>(row));
            lua_pushcclosure(lua, &call_prepared, 4);
            lua_setfield(lua, top + 1, function.name);
        }
        lua_settop(lua, top);
    }
}

} // namespace qg::policy::compat

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_access.hpp"

#include "qosgate/policy/compat/host_programs.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

constexpr const char* handle_type = "qosgate.file";
constexpr std::int64_t cost_of_program = 500; ///< in instructions
constexpr std::int64_t bytes_per_instruction = 32;

/// Trivial. Ownership: the text belongs to the policy, or is the handle's user value. The user value of a log
/// is the path that the script would write, if it names one.
struct Handle {
    enum class Kind : std::uint8_t { file, program, log };
    const char* text = nullptr;
    std::size_t size = 0;
    std::size_t at = 0;
    int status = 0; ///< of a program
    Kind kind = Kind::file;
    bool is_open = true;
};

Handle& push_handle(lua_State* lua, Handle::Kind kind, std::string_view text) {
    auto* handle = new (lua_newuserdatauv(lua, sizeof(Handle), 1)) Handle();
    handle->kind = kind;
    handle->text = text.data();
    handle->size = text.size();
    luaL_setmetatable(lua, handle_type);
    return *handle;
}

Handle& any_handle(lua_State* lua) {
    return *static_cast<Handle*>(luaL_checkudata(lua, 1, handle_type));
}

Handle& check_handle(lua_State* lua) {
    Handle& handle = any_handle(lua);
    if (!handle.is_open) luaL_error(lua, "attempt to use a closed file");
    return handle;
}

/// nil, a message, a number of the system.
int push_failure(lua_State* lua, const char* path, int number) {
    const char* reason = number == ENOENT ? "No such file or directory" : "Bad file descriptor";
    lua_pushnil(lua);
    if (path != nullptr)
        lua_pushfstring(lua, "%s: %s", path, reason);
    else
        lua_pushstring(lua, reason);
    lua_pushnumber(lua, number);
    return 3;
}

// ---- reading -------------------------------------------------------------------------------------------

void push_bytes(lua_State* lua, std::string_view bytes) {
    Budget::charge(lua, 2 + static_cast<std::int64_t>(bytes.size()) / bytes_per_instruction);
    if (bytes.size() > Budget::max_string)
        raise_withheld(
            lua, lua_pushfstring(lua, "more than %d bytes cannot be read at once: read the file line by line",
                                 static_cast<int>(Budget::max_string)));
    lua_pushlstring(lua, bytes.data(), bytes.size());
}

std::string_view rest_of(const Handle& handle) noexcept {
    return std::string_view(handle.text, handle.size).substr(std::min(handle.at, handle.size));
}

/// False: the file is at its end, and nil is pushed.
bool push_nothing(lua_State* lua) {
    lua_pushnil(lua);
    return false;
}

bool read_line(lua_State* lua, Handle& handle, bool keeps_end) {
    const std::string_view rest = rest_of(handle);
    if (rest.empty()) return push_nothing(lua);
    const std::size_t end = rest.find('\n');
    const std::size_t length = std::min(end, rest.size());
    handle.at += std::min(length + 1, rest.size());
    push_bytes(lua, rest.substr(0, length + (keeps_end && end != rest.npos ? 1 : 0)));
    return true;
}

bool read_bytes(lua_State* lua, Handle& handle, lua_Number count) {
    const std::string_view rest = rest_of(handle);
    if (rest.empty()) return push_nothing(lua);
    const auto wanted = static_cast<std::size_t>(std::clamp<lua_Number>(count, 0, 0x1p31));
    handle.at += std::min(wanted, rest.size());
    push_bytes(lua, rest.substr(0, wanted));
    return true;
}

bool read_all(lua_State* lua, Handle& handle) {
    const std::string_view rest = rest_of(handle);
    handle.at = handle.size;
    push_bytes(lua, rest);
    return true;
}

bool read_number(lua_State* lua, Handle& handle) {
    constexpr std::size_t longest = 200;
    std::string_view rest = rest_of(handle);
    const std::size_t blanks = std::min(rest.find_first_not_of(" \t\r\n\f\v"), rest.size());
    Budget::charge(lua, 10 + static_cast<std::int64_t>(blanks) / bytes_per_instruction);
    rest.remove_prefix(blanks);
    const std::string_view beginning = rest.substr(0, longest);
    const std::string_view word =
        beginning.substr(0, beginning.find_first_not_of("+-.0123456789abcdefABCDEFxXpP"));
    handle.at += blanks + word.size();
    lua_pushlstring(lua, word.data(), word.size());
    int is_number = 0;
    const lua_Number number = lua_tonumberx(lua, -1, &is_number);
    lua_pop(lua, 1);
    if (is_number == 0) return push_nothing(lua);
    lua_pushnumber(lua, number);
    return true;
}

/// Reads in the format at `index`: "*l", "l", "*a", "*n", "*L" or a number of bytes.
bool read_format(lua_State* lua, Handle& handle, int index) {
    if (lua_type(lua, index) == LUA_TNUMBER) return read_bytes(lua, handle, lua_tonumber(lua, index));
    const char* format = luaL_checkstring(lua, index);
    if (*format == '*') ++format;
    switch (*format) {
    case 'l': return read_line(lua, handle, /*keeps_end=*/false);
    case 'L': return read_line(lua, handle, /*keeps_end=*/true);
    case 'a': return read_all(lua, handle);
    case 'n': return read_number(lua, handle);
    default: return luaL_argerror(lua, index, "invalid format") != 0;
    }
}

/// Reads in the formats from `first` to the top of the stack; a line if there is none.
int read_formats(lua_State* lua, Handle& handle, int first) {
    const int last = lua_gettop(lua);
    if (handle.kind == Handle::Kind::log) return push_failure(lua, nullptr, EBADF);
    if (last < first) {
        read_line(lua, handle, /*keeps_end=*/false);
        return 1;
    }
    luaL_checkstack(lua, last - first + 8, "too many formats");
    for (int i = first; i <= last; ++i)
        if (!read_format(lua, handle, i)) return i - first + 1;
    return last - first + 1;
}

int file_read(lua_State* lua) {
    return read_formats(lua, check_handle(lua), 2);
}

/// Upvalues: the handle, whether it is closed at its end, and the formats with their number before them.
int next_line(lua_State* lua) {
    lua_settop(lua, 0);
    lua_pushvalue(lua, lua_upvalueindex(1));
    Handle& handle = check_handle(lua);
    const int formats = static_cast<int>(lua_tointeger(lua, lua_upvalueindex(3)));
    luaL_checkstack(lua, formats + 8, "too many formats");
    for (int i = 0; i < formats; ++i)
        lua_pushvalue(lua, lua_upvalueindex(4 + i));
    const int results = read_formats(lua, handle, 2);
    if (lua_isnil(lua, -results) && lua_toboolean(lua, lua_upvalueindex(2)) != 0) handle.is_open = false;
    return results;
}

/// Pushes the iterator over the handle at 1; formats stand behind it.
int push_lines(lua_State* lua, bool closes_at_end) {
    constexpr int max_formats = 200;
    const int formats = lua_gettop(lua) - 1;
    luaL_argcheck(lua, formats <= max_formats, max_formats + 2, "too many arguments");
    lua_pushboolean(lua, closes_at_end ? 1 : 0);
    lua_insert(lua, 2);
    lua_pushinteger(lua, formats);
    lua_insert(lua, 3);
    lua_pushcclosure(lua, &next_line, 3 + formats);
    return 1;
}

int file_lines(lua_State* lua) {
    check_handle(lua);
    return push_lines(lua, /*closes_at_end=*/false);
}

// ---- other functions of handles ------------------------------------------------------------------------

int file_close(lua_State* lua) {
    Handle& handle = check_handle(lua);
    if (handle.kind != Handle::Kind::log || lua_getiuservalue(lua, 1, 1) != LUA_TNIL) handle.is_open = false;
    lua_pushboolean(lua, 1); // of a program, too, however it ended, as in Lua 5.1
    if (handle.kind != Handle::Kind::program) return 1;
    lua_pushliteral(lua, "exit");
    lua_pushnumber(lua, handle.status);
    return 3;
}

int file_seek(lua_State* lua) {
    static constexpr const char* names[] = {"set", "cur", "end", nullptr};
    Handle& handle = check_handle(lua);
    const int whence = luaL_checkoption(lua, 2, "cur", names);
    const auto base = static_cast<lua_Number>(whence == 0 ? 0 : whence == 1 ? handle.at : handle.size);
    const lua_Number place = base + luaL_optnumber(lua, 3, 0);
    if (!(place >= 0 && place < 0x1p31)) return push_failure(lua, nullptr, EBADF);
    handle.at = static_cast<std::size_t>(place);
    lua_pushnumber(lua, place);
    return 1;
}

/// Only of io.stderr and io.stdout, which a daemon does not have, and of files with compat_writes = "log":
/// the log gets it, one line for each call.
int file_write(lua_State* lua) {
    const Handle& handle = check_handle(lua);
    if (handle.kind != Handle::Kind::log) return push_failure(lua, nullptr, EBADF);
    const int count = lua_gettop(lua);
    luaL_Buffer joined;
    luaL_buffinit(lua, &joined);
    for (int i = 2; i <= count; ++i) {
        luaL_argexpected(lua, lua_isstring(lua, i) != 0, i, "string");
        push_old_text(lua, i);
        luaL_addvalue(&joined);
    }
    luaL_pushresult(&joined);
    const std::string_view text = lua_tostring(lua, -1);
    if (const auto last = text.find_last_not_of('\n'); last != text.npos) {
        lua_pushlstring(lua, text.data(), last + 1);
        const char* line = lua_tostring(lua, -1);
        const bool has_path = lua_getiuservalue(lua, 1, 1) == LUA_TSTRING;
        const char* path = has_path ? lua_tostring(lua, -1) : "";
        LuaState::of(lua).script->log(
            0, lua_pushfstring(lua, has_path ? "lua: %s: %s" : "lua: %s%s", path, line));
    }
    lua_settop(lua, 1);
    return 1;
}

/// setvbuf, flush
int file_ignore(lua_State* lua) {
    check_handle(lua);
    lua_pushboolean(lua, 1);
    return 1;
}

int file_tostring(lua_State* lua) {
    const Handle& handle = any_handle(lua);
    if (handle.is_open)
        lua_pushfstring(lua, "file (%p)", static_cast<const void*>(&handle));
    else
        lua_pushliteral(lua, "file (closed)");
    return 1;
}

// ---- io ------------------------------------------------------------------------------------------------

/// The file at a path; a null text: there is none. Errors: raises one for a path that may not be read.
std::string_view open_file(lua_State* lua, const char* function, const char* path, bool& exists) {
    ScriptRun* const run = LuaState::of(lua).script;
    Budget::charge(lua, ScriptFiles::cost_of_find(std::min(std::strlen(path), ScriptFiles::max_path)));
    const auto found = run->files().find(path);
    if (found.place == ScriptFiles::Place::outside) {
        ErrorText message;
        report_into(message, [&] { message.assign(describe_outside(path)); });
        raise_withheld(lua, lua_pushfstring(lua, "%s: %s", function, message.c_str()));
    }
    exists = found.place != ScriptFiles::Place::missing;
    return found.file == nullptr ? std::string_view() : std::string_view(found.file->text);
}

int io_open(lua_State* lua) {
    const char* path = luaL_checkstring(lua, 1);
    const std::string_view mode = luaL_optstring(lua, 2, "r");
    if (mode != "r" && mode != "rb") {
        luaL_argcheck(lua, mode.find_first_of("wa+") != mode.npos, 2, "invalid mode");
        const bool only_writes = mode == "w" || mode == "a" || mode == "wb" || mode == "ab";
        if (!only_writes || !LuaState::of(lua).script->files().settings().compat_writes_to_log)
            return raise_withheld(lua, lua_pushfstring(lua, "io.open: %s", no_writing));
        push_handle(lua, Handle::Kind::log, {});
        lua_pushvalue(lua, 1);
        lua_setiuservalue(lua, -2, 1);
        return 1;
    }
    bool exists = false;
    const std::string_view text = open_file(lua, "io.open", path, exists);
    if (!exists) return push_failure(lua, path, ENOENT);
    push_handle(lua, Handle::Kind::file, text);
    return 1;
}

int io_lines(lua_State* lua) {
    const char* path = luaL_checkstring(lua, 1);
    bool exists = false;
    const std::string_view text = open_file(lua, "io.lines", path, exists);
    if (!exists) return luaL_error(lua, "%s: No such file or directory", path);
    push_handle(lua, Handle::Kind::file, text);
    lua_replace(lua, 1);
    return push_lines(lua, /*closes_at_end=*/true);
}

/// The exit status; `error` is set if there is no answer. The output is in ScriptRun::scratch().
int run_program(ScriptRun& run, std::string_view command, ErrorText& error) noexcept {
    int exit_status = 0;
    report_into(error, [&] {
        const auto status = answer_program(command, run.host(), run.files(), run.scratch());
        if (status)
            exit_status = *status;
        else
            error.assign(status.error().message);
    });
    return exit_status;
}

int io_popen(lua_State* lua) {
    std::size_t length = 0;
    const char* command = luaL_checklstring(lua, 1, &length);
    const std::string_view mode = luaL_optstring(lua, 2, "r");
    if (mode != "r") return raise_withheld(lua, "io.popen: a script cannot write to a program");
    // The command may be a path.
    ScriptRun& run = *LuaState::of(lua).script;
    Budget::charge(lua, cost_of_program + ScriptFiles::cost_of_find(std::min(length, ScriptFiles::max_path)));
    ErrorText error;
    const int status = run_program(run, {command, length}, error);
    if (!error.empty()) return raise_withheld(lua, error.c_str());
    push_bytes(lua, run.scratch());
    std::size_t size = 0;
    const char* output = lua_tolstring(lua, -1, &size);
    Handle& handle = push_handle(lua, Handle::Kind::program, {output, size});
    handle.status = status;
    lua_pushvalue(lua, -2);
    lua_setiuservalue(lua, -2, 1);
    return 1;
}

int io_write(lua_State* lua) {
    for (int i = 1; i <= lua_gettop(lua); ++i) // before their numbers change
        luaL_argexpected(lua, lua_isstring(lua, i) != 0, i, "string");
    push_handle(lua, Handle::Kind::log, {});
    lua_insert(lua, 1);
    return file_write(lua);
}

int io_type(lua_State* lua) {
    luaL_checkany(lua, 1);
    const auto* handle = static_cast<const Handle*>(luaL_testudata(lua, 1, handle_type));
    if (handle == nullptr)
        lua_pushnil(lua);
    else
        lua_pushstring(lua, handle->is_open ? "file" : "closed file");
    return 1;
}

void make_handle_type(lua_State* lua) {
    static constexpr luaL_Reg methods[] = {
        {"read", &file_read},   {"lines", &file_lines},    {"close", &file_close},  {"seek", &file_seek},
        {"write", &file_write}, {"setvbuf", &file_ignore}, {"flush", &file_ignore}, {nullptr, nullptr},
    };
    luaL_newmetatable(lua, handle_type);
    luaL_newlib(lua, methods);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, &file_tostring);
    lua_setfield(lua, -2, "__tostring");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}

} // namespace

void add_io(lua_State* lua) {
    static constexpr luaL_Reg functions[] = {
        {"open", &io_open}, {"lines", &io_lines}, {"popen", &io_popen}, {"close", &file_close},
        {"type", &io_type}, {"write", &io_write}, {nullptr, nullptr},
    };
    make_handle_type(lua);
    luaL_newlib(lua, functions);
    for (const char* name : {"stderr", "stdout"}) {
        push_handle(lua, Handle::Kind::log, {});
        lua_setfield(lua, -2, name);
    }
    lua_setglobal(lua, "io");
}

} // namespace qg::policy::compat

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/lua_state.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/value.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

constexpr std::string_view traceback_title = "\nstack traceback:\n";

/// Whether it begins with "file:line: ".
bool has_place(std::string_view message) {
    const auto end = message.find(": ");
    if (end == std::string_view::npos) return false;
    const auto digits = message.substr(0, end).find_last_not_of("0123456789");
    return digits != std::string_view::npos && digits + 1 < end && message[digits] == ':';
}

/// Puts the place before the text at 1 if it has none because a function in C raised it that another one in C
/// had called. An error without a place that Lua code raises stays as it is.
void add_place(lua_State* lua) {
    constexpr int levels = 10;
    if (lua_type(lua, 1) != LUA_TSTRING || has_place(lua_tostring(lua, 1))) return;
    lua_Debug frame{};
    for (int level = 1; level <= levels && lua_getstack(lua, level, &frame) != 0; ++level) {
        lua_getinfo(lua, "Sl", &frame);
        if (frame.currentline <= 0) continue;
        if (level <= 2) return;
        lua_pushfstring(lua, "%s:%d: %s", frame.short_src, frame.currentline, lua_tostring(lua, 1));
        return lua_replace(lua, 1);
    }
}

/// Makes any error value a text with the call stack behind it. The mark of an ended rule passes unchanged.
int add_traceback(lua_State* lua) {
    if (LuaState::of(lua).rule_ended) return 1;
    add_place(lua);
    // Of a text, no metamethod may be called: nothing bounds it while the error of a bound is on its way.
    const char* message = lua_tostring(lua, 1);
    if (message == nullptr)
        message = luaL_getmetafield(lua, 1, "__tostring") != LUA_TNIL
                      ? luaL_tolstring(lua, 1, nullptr)
                      : lua_pushfstring(lua, "the error is a %s and no text", luaL_typename(lua, 1));
    luaL_traceback(lua, lua, message, 1);
    return 1;
}

/// The innermost call first; without the calls that have no name and no line.
std::string in_one_line(std::string_view traceback) {
    std::vector<std::string> calls;
    for (const std::string_view call : text::split(traceback, '\n'))
        if (call != "[C]: in ?") calls.emplace_back(call);
    return text::join(calls, "; ");
}

} // namespace

void ErrorText::assign(std::string_view message) noexcept {
    const std::size_t length = std::min(message.size(), bytes.size() - 1);
    std::memcpy(bytes.data(), message.data(), length);
    bytes[length] = '\0';
}

Error LuaError::to_error() const {
    const bool spent = exhausted != Exhausted::nothing;
    return {spent ? ErrorCode::limit_exceeded : ErrorCode::invalid_input, message};
}

StackGuard::StackGuard(lua_State* lua) noexcept : lua_(lua), height_(lua_gettop(lua)) {}

StackGuard::~StackGuard() {
    lua_settop(lua_, height_);
}

std::unique_ptr<LuaState> LuaState::create(const BudgetLimits& limits) {
    std::unique_ptr<LuaState> state(new LuaState(limits));
    state->lua_ = lua_newstate(&Budget::allocate, &state->budget_);
    if (state->lua_ == nullptr) return nullptr;
    *static_cast<LuaState**>(lua_getextraspace(state->lua_)) = state.get();
    state->budget_.attach(state->lua_);
    return state;
}

LuaState& LuaState::of(lua_State* lua) noexcept {
    return **static_cast<LuaState**>(lua_getextraspace(lua));
}

LuaState::~LuaState() {
    if (lua_ != nullptr) lua_close(lua_);
}

void push_traceback_handler(lua_State* lua) noexcept {
    lua_pushcfunction(lua, &add_traceback);
}

LuaError take_error(LuaState& state) {
    lua_State* lua = state.raw();
    LuaError error;
    error.exhausted = state.budget().exhausted();
    // Reads only texts: a conversion of another type could allocate and raise an error outside a protected
    // call.
    if (lua_type(lua, -1) == LUA_TSTRING) {
        const std::string_view whole = text_at(lua, -1);
        const auto title = whole.rfind(traceback_title);
        error.message = whole.substr(0, title);
        if (title != std::string_view::npos)
            error.traceback = in_one_line(whole.substr(title + traceback_title.size()));
    } else {
        error.message = "an error without a text";
    }
    lua_pop(lua, 1);
    if (error.exhausted != Exhausted::nothing) {
        // Keep the "file:line: " of the raw message, if there is one, and say in full which budget is spent.
        const auto place_end = error.message.find(": ");
        const std::string place =
            place_end == std::string::npos ? std::string() : error.message.substr(0, place_end + 2);
        error.message = place + state.budget().describe();
    }
    return error;
}

Result<void> protected_call(LuaState& state, int (*body)(lua_State*), void* argument) {
    lua_State* lua = state.raw();
    const StackGuard guard(lua);
    push_traceback_handler(lua);
    lua_pushcfunction(lua, body);
    lua_pushlightuserdata(lua, argument);
    if (lua_pcall(lua, 1, 0, -3) == LUA_OK) return {};
    return take_error(state).to_error();
}

} // namespace qg::policy

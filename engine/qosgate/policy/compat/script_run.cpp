// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_run.hpp"

#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>

#include <lua.hpp>

namespace qg::policy::compat {

void ScriptRun::tell(std::string_view text) noexcept {
    try {
        if (message_.size() + text.size() >= max_message) return;
        if (has_message_) message_ += '\n';
        message_ += text;
        has_message_ = true;
    } catch (...) { // out of memory: a job must not depend on a message
        return;
    }
}

void ScriptRun::log(int level, std::string_view text) noexcept {
    try {
        if (write_ != nullptr)
            write_(level, std::string(text.substr(0, std::min(text.size(), max_line))).c_str());
        else if (lines_.size() < max_lines)
            lines_.push_back({level, std::string(text.substr(0, std::min(text.size(), max_line)))});
    } catch (...) {
        return;
    }
}

int raise_withheld(lua_State* lua, const char* message) {
    if (ScriptRun* run = LuaState::of(lua).script) run->note_withheld();
    // pcall(dofile, path) has a C function between.
    lua_Debug frame{};
    bool has_place = false;
    for (int level = 0; !has_place && lua_getstack(lua, level, &frame) != 0; ++level)
        has_place = lua_getinfo(lua, "Sl", &frame) != 0 && frame.currentline > 0;
    if (has_place)
        lua_pushfstring(lua, "%s:%d: %s", frame.short_src, frame.currentline, message);
    else
        lua_pushstring(lua, message);
    return lua_error(lua);
}

} // namespace qg::policy::compat

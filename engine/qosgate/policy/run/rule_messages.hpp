// SPDX-License-Identifier: GPL-2.0-or-later
//
// rule_messages: the functions of a rule's first argument with which it speaks to the user or ends itself:
// job:reject(...), options:warn(...).
#pragma once

#include "qosgate/policy/lua/lib/message_format.hpp"
#include "qosgate/policy/objects/job_binding_common.hpp"

#include <string_view>

#include <lua.hpp>

namespace qg::policy {

/// The name of the rule's first argument, which the object is.
constexpr const char* name_of_argument(const void* LuaState::*object) noexcept {
    return object == &LuaState::options_object ? "options" : "job";
}

/// Ends the rule: the error raised here is recognised by LuaState::rule_ended.
int end_rule(lua_State* lua);

/// Gives the message that the arguments make to a function of the run of the object.
template <const void* LuaState::*object, void (RuleRun::*say)(std::string_view, ErrorText&) noexcept>
int say_message(lua_State* lua) {
    RuleRun& run = check_run(lua, object);
    push_message(lua, 2);
    ErrorText error;
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, -1, &length);
    (run.*say)({bytes, length}, error);
    if (!error.empty()) return raise(lua, error);
    return 0;
}

template <const void* LuaState::*object>
int reject_job(lua_State* lua) {
    say_message<object, &RuleRun::reject>(lua);
    return end_rule(lua);
}

template <const void* LuaState::*object>
int stop_chain(lua_State* lua) {
    RuleRun& run = check_run(lua, object);
    if (!lua_isnoneornil(lua, 2))
        return luaL_error(lua, "%s:stop() takes no arguments", name_of_argument(object));
    run.stop();
    return end_rule(lua);
}

} // namespace qg::policy

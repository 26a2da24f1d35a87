// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_library.hpp"

#include "qosgate/base/units.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/old_arguments.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/script_lists.hpp"
#include "qosgate/policy/compat/script_objects.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/compat/slurm_constants.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <optional>
#include <span>
#include <string>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

/// The text on top of the stack, as Slurm's functions read their last argument. Empty: it is none.
std::optional<std::string_view> last_text(lua_State* lua) {
    if (lua_gettop(lua) == 0 || lua_isstring(lua, -1) == 0) return std::nullopt;
    push_old_text(lua, -1);
    std::size_t length = 0;
    const char* text = lua_tolstring(lua, -1, &length);
    Budget::charge(lua, static_cast<std::int64_t>(length / 16));
    return std::string_view(text, length);
}

ScriptRun& run_of(lua_State* lua) {
    ScriptRun* run = LuaState::of(lua).script;
    if (run == nullptr) luaL_error(lua, "no function of the script is running");
    return *run;
}

/// Writes a line as Slurm's plugin does.
void write_line(lua_State* lua, int level, std::string_view text) {
    const char* line = lua_pushfstring(lua, "lua: %s", text.data());
    run_of(lua).log(level, line);
}

// ---- slurm.log and its relatives -----------------------------------------------------------------------

/// slurm.log(level, text)
int slurm_log(lua_State* lua) {
    const auto text = last_text(lua);
    charge_values(lua, 1, 1);
    const int level = lua_gettop(lua) >= 2 ? int_at(lua, 1) : 0;
    write_line(lua, level, text.value_or("(null)"));
    return 0;
}

int slurm_error(lua_State* lua) {
    write_line(lua, ScriptLine::error, last_text(lua).value_or("(null)"));
    return 0;
}

int slurm_user_msg(lua_State* lua) {
    ScriptRun& run = run_of(lua);
    const auto text = last_text(lua);
    if (text)
        run.tell(*text);
    else if (run.has_message())
        run.tell("(null)");
    return 0;
}

/// Leaves the text of string.format(...) as the only value on the stack.
void format_arguments(lua_State* lua) {
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
}

int log_user(lua_State* lua) {
    format_arguments(lua);
    return slurm_user_msg(lua);
}

template <int level>
int log_formatted(lua_State* lua) {
    format_arguments(lua);
    write_line(lua, level, last_text(lua).value_or("(null)"));
    return 0;
}

/// print(...): a daemon has nowhere to print to, so the log gets it.
int print(lua_State* lua) {
    const int count = lua_gettop(lua);
    luaL_Buffer line;
    luaL_buffinit(lua, &line);
    for (int i = 1; i <= count; ++i) {
        if (i > 1) luaL_addchar(&line, ' ');
        push_old_text(lua, i);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    return slurm_log(lua);
}

// ---- other functions -----------------------------------------------------------------------------------

/// Slurm's own numbers for "no time" and "no limit", as its function returns them.
int time_str2mins(lua_State* lua) {
    constexpr double no_time = -2;
    constexpr double unlimited = -1;
    const auto text = last_text(lua);
    double minutes = no_time;
    const auto parse = [&]() noexcept {
        try {
            const auto time = units::parse_minutes(*text);
            if (!time) return no_time;
            return time->is_unlimited() ? unlimited : static_cast<double>(time->minutes);
        } catch (...) {
            return no_time;
        }
    };
    if (text) minutes = *text == "-1" ? unlimited : parse();
    lua_pushnumber(lua, minutes);
    return 1;
}

/// Nothing for a QOS that does not exist.
int get_qos_priority(lua_State* lua) {
    const auto name = last_text(lua);
    ScriptHost& host = check_host(lua);
    ErrorText error;
    std::optional<double> priority;
    report_into(error, [&] {
        const auto found = host.qos_priority(name.value_or(""));
        if (found)
            priority = *found;
        else
            error.assign(found.error().message);
    });
    if (!error.empty()) return raise_withheld(lua, error.c_str());
    if (!priority) {
        const char* line = lua_pushfstring(lua, "Invalid QOS name: %s", name.value_or("(null)").data());
        run_of(lua).log(ScriptLine::error, line);
        return 0;
    }
    lua_pushnumber(lua, *priority);
    return 1;
}

constexpr luaL_Reg plain_functions[] = {
    {"log", &slurm_log},
    {"error", &slurm_error},
    {"user_msg", &slurm_user_msg},
    {"time_str2mins", &time_str2mins},
    {"get_qos_priority", &get_qos_priority},
    {nullptr, nullptr},
};

/// With string.format as an upvalue, because the script may replace it.
constexpr luaL_Reg formatting_functions[] = {
    {"log_user", &log_user},
    {"log_error", &log_formatted<ScriptLine::error>},
    {"log_info", &log_formatted<0>},
    {"log_verbose", &log_formatted<1>},
    {"log_debug", &log_formatted<2>},
    {"log_debug2", &log_formatted<3>},
    {"log_debug3", &log_formatted<4>},
    {"log_debug4", &log_formatted<5>},
    {nullptr, nullptr},
};

void add_numbers(lua_State* lua, std::span<const NamedNumber> numbers) {
    for (const NamedNumber& row : numbers) {
        lua_pushnumber(lua, row.number);
        lua_setfield(lua, -2, row.name.data());
    }
}

void push_slurm(lua_State* lua, const std::string& cluster_name) {
    lua_createtable(lua, 0, static_cast<int>(error_codes().size() + constants().size()) + 20);
    luaL_setfuncs(lua, plain_functions, 0);
    lua_getglobal(lua, "string");
    lua_getfield(lua, -1, "format");
    lua_remove(lua, -2);
    luaL_setfuncs(lua, formatting_functions, 1);
    add_numbers(lua, error_codes());
    add_numbers(lua, constants());
    if (cluster_name.empty()) return;
    lua_pushlstring(lua, cluster_name.data(), cluster_name.size());
    lua_setfield(lua, -2, "CLUSTER_NAME");
}

int build_slurm(lua_State* lua) {
    const auto& cluster_name = *static_cast<const std::string*>(lua_touserdata(lua, 1));
    push_slurm(lua, cluster_name);
    lua_setglobal(lua, "slurm");
    lua_register(lua, "print", &print);
    lua_register(lua, "next", &next_of_filled);
    add_host_libraries(lua);
    install_script_objects(lua);
    install_script_lists(lua);
    take_old_numbers(lua);
    return 0;
}

} // namespace

Result<void> install_script_library(LuaState& state, std::string_view cluster_name) {
    std::string name(cluster_name);
    return protected_call(state, &build_slurm, &name);
}

std::vector<std::string> slurm_names() {
    // The last four are functions of Slurm 26.05, which qosgate does not have; scripts look for them.
    std::vector<std::string> names{"CLUSTER_NAME", "jobs",    "reservations", "from_json",
                                   "from_yaml",    "to_json", "to_yaml"};
    for (const luaL_Reg* functions : {plain_functions, formatting_functions})
        for (const luaL_Reg* row = functions; row->name != nullptr; ++row)
            names.emplace_back(row->name);
    for (const auto numbers : {error_codes(), constants()})
        for (const NamedNumber& row : numbers)
            names.emplace_back(row.name);
    return names;
}

void push_modify_arguments(lua_State* lua) {
    renew_lists(lua);
    push_job_desc(lua);
    push_job_rec(lua);
    push_part_list(lua);
    lua_pushnumber(lua, check_host(lua).submit_uid());
}

void push_submit_arguments(lua_State* lua) {
    renew_lists(lua);
    push_job_desc(lua);
    push_part_list(lua);
    lua_pushnumber(lua, check_host(lua).submit_uid());
}

} // namespace qg::policy::compat

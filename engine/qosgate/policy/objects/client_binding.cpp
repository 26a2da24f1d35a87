// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/client_binding.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/objects/job_binding_common.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <lua.hpp>

namespace qg::policy {
namespace {

constexpr const char* options_type = "options"; // as tostring shows it
constexpr auto object = &LuaState::options_object;

/// What reading or writing an option costs, in instructions: Slurm looks through all of them.
constexpr std::int64_t option_cost = 200;

/// The name of an option at a stack index. Errors: raises a Lua error for other values.
std::string_view check_name(lua_State* lua, int index) {
    if (lua_type(lua, index) != LUA_TSTRING)
        luaL_error(lua, "write options.time or options[\"mem-per-cpu\"]: an option has a name");
    Budget::charge(lua, option_cost);
    return key_at(lua, index);
}

/// What an option has, as a value of Lua. Trivial; the text is pushed on the stack.
struct ReadOption {
    bool is_set = false;
    bool has_text = false;
};

/// Reads an option. A text is put into `text`, which must live in a frame that no error leaves.
ReadOption read_option(const RuleRun& run, std::string_view name, std::string& text,
                       ErrorText& error) noexcept {
    ReadOption read;
    report_into(error, [&] {
        OptionValue value = run.option(to_option_name(name), error);
        read = {value.is_set, value.text.has_value()};
        if (value.text) text = *std::move(value.text);
        if (text.size() > max_option_bytes) error.assign("the value of this option is too long for a rule");
    });
    return read;
}

/// Pushes an option. It holds C++ objects, so nothing in here may raise an error: the text is copied to
/// memory of Lua by a protected call.
struct PushedText {
    const std::string* text;
};
int push_copy(lua_State* lua) {
    const auto* pushed = static_cast<const PushedText*>(lua_touserdata(lua, 1));
    lua_pushlstring(lua, pushed->text->data(), pushed->text->size());
    return 1;
}

/// Pushes the value of an option: nil, true or a text. True: it is pushed; else `error` is set, or a Lua
/// error is on top of the stack.
bool push_option(lua_State* lua, const RuleRun& run, std::string_view name, ErrorText& error) noexcept {
    std::string text;
    const ReadOption read = read_option(run, name, text, error);
    if (!error.empty()) return false;
    if (!read.is_set) {
        lua_pushnil(lua);
        return true;
    }
    if (!read.has_text) {
        lua_pushboolean(lua, 1);
        return true;
    }
    PushedText pushed{&text};
    lua_pushcfunction(lua, &push_copy);
    lua_pushlightuserdata(lua, &pushed);
    return lua_pcall(lua, 1, 1, 0) == LUA_OK;
}

/// Upvalue 1: the functions by their names.
int read_options(lua_State* lua) {
    const RuleRun& run = check_run(lua, object);
    const std::string_view name = check_name(lua, 2);
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, lua_upvalueindex(1)) == LUA_TFUNCTION) return 1;
    luaL_checkstack(lua, 4, nullptr);
    ErrorText error;
    if (push_option(lua, run, name, error)) return 1;
    return error.empty() ? lua_error(lua) : raise(lua, error);
}

int write_options(lua_State* lua) {
    RuleRun& run = check_run(lua, object);
    const std::string_view name = check_name(lua, 2);
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, lua_upvalueindex(1)) == LUA_TFUNCTION)
        return luaL_error(lua, "the functions of options cannot be changed");
    const Value value = to_value(lua, 3);
    Budget::charge(lua, static_cast<std::int64_t>(value.text.size() / 16));
    ErrorText error;
    run.set_option(name, value, error);
    if (!error.empty()) return raise(lua, error);
    return 0;
}

constexpr std::array<luaL_Reg, 4> functions{{{"note", &say_message<object, &RuleRun::note>},
                                             {"reject", &reject_job<object>},
                                             {"stop", &stop_chain<object>},
                                             {"warn", &say_message<object, &RuleRun::warn>}}};

} // namespace

int make_options(lua_State* lua) {
    luaL_newmetatable(lua, options_type);
    lua_createtable(lua, 0, static_cast<int>(functions.size()));
    for (const luaL_Reg& function : functions) {
        lua_pushcfunction(lua, function.func);
        lua_setfield(lua, -2, function.name);
    }
    lua_pushvalue(lua, -1);
    lua_pushcclosure(lua, &read_options, 1);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, &write_options, 1);
    lua_setfield(lua, -2, "__newindex");
    LuaState::of(lua).*object = push_object(lua);
    return luaL_ref(lua, LUA_REGISTRYINDEX);
}

// ---- what rules write to options -----------------------------------------------------------------------

namespace {

Error cannot_be(const std::string& name, const Value& value, std::string_view allowed) {
    return {ErrorCode::invalid_input,
            text::format("options[\"{}\"] cannot be {}: write {}", name, describe(value), allowed)};
}

std::string_view allowed_values(OptionForm form) {
    switch (form) {
    case OptionForm::alone: return "true, or false for the default: this option has no value";
    case OptionForm::value_possible: return "true, a text, a whole number, or nil for the default";
    case OptionForm::unknown:
    case OptionForm::with_value: break;
    }
    return "a text, a whole number, or nil for the default";
}

/// The value of an option of a known form.
Result<OptionValue> to_option_value(const std::string& name, OptionForm form, const Value& value) {
    const bool takes_value = form != OptionForm::alone;
    switch (value.kind) {
    case Value::Kind::nothing: return OptionValue{};
    case Value::Kind::flag:
        if (value.integer == 0) return OptionValue{};
        if (form == OptionForm::with_value) break;
        return OptionValue{.is_set = true};
    case Value::Kind::integer:
        if (!takes_value) break;
        return OptionValue{true, std::to_string(value.integer)};
    case Value::Kind::text:
        if (!takes_value) break;
        if (value.text.size() > max_option_bytes)
            return Error{ErrorCode::invalid_input,
                         text::format("options[\"{}\"]: the text has {} bytes; at most {} are allowed", name,
                                      value.text.size(), max_option_bytes)};
        if (value.text.find('\0') != std::string_view::npos)
            return cannot_be(name, value, "a text without a zero byte");
        return OptionValue{true, std::string(value.text)};
    case Value::Kind::unlimited:
    case Value::Kind::other: break;
    }
    return cannot_be(name, value, allowed_values(form));
}

} // namespace

std::string to_option_name(std::string_view written) {
    std::string name(written.substr(0, 64)); // Slurm's are shorter
    std::ranges::replace(name, '_', '-');
    return name;
}

std::string describe_unknown_option(const ClientHost& client, std::string_view name) {
    return text::format("this {} has no option --{}{}", client.command(), text::printable(name, 60),
                        text::did_you_mean(name, client.option_names()));
}

Result<OptionChange> to_option_change(ClientHost& client, std::string_view name, const Value& value) {
    OptionChange change{to_option_name(name), {}};
    const OptionForm form = client.form_of(change.name);
    if (form == OptionForm::unknown)
        return Error{ErrorCode::invalid_input, describe_unknown_option(client, change.name)};
    auto wanted = to_option_value(change.name, form, value);
    if (!wanted) return wanted.error();
    change.value = *std::move(wanted);
    if (change.value.is_set && !client.takes(change))
        return Error{
            ErrorCode::invalid_input,
            text::format("{} does not take --{}{} from a rule", client.command(), change.name,
                         change.value.text ? "=" + text::printable(*change.value.text, 60) : std::string())};
    return change;
}

std::string show(const OptionValue& value) {
    if (!value.is_set) return "(unset)";
    return value.text ? text::printable(*value.text, 200) : "(set)";
}

void add_change(std::vector<OptionChange>& changes, OptionChange change) {
    const auto same = std::ranges::find(changes, change.name, &OptionChange::name);
    if (same == changes.end())
        changes.push_back(std::move(change));
    else
        same->value = std::move(change.value);
}

} // namespace qg::policy

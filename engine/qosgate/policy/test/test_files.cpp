// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads `test "NAME" { job = {...}, before = {...}, client = {...}, given = {...}, expect = {...} }` and
// `given { ... }` from the files of tests.
#include "qosgate/base/json_text.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/sandbox.hpp"
#include "qosgate/policy/objects/data_binding.hpp"
#include "qosgate/policy/objects/module_binding.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/test/test_collector.hpp"
#include "qosgate/policy/value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <lua.hpp>

namespace qg::policy {
namespace {

constexpr std::array<std::string_view, 5> sections{"job", "before", "client", "given", "expect"};

/// A table inside these.
struct InnerSection {
    const char* place;
    bool is_list = false;
};
constexpr std::array<InnerSection, 15> inner_sections{{{"job.tres"},
                                                       {"job.env"},
                                                       {"job.argv", true},
                                                       {"before.tres"},
                                                       {"before.env"},
                                                       {"before.argv", true},
                                                       {"client.options"},
                                                       {"client.env"},
                                                       {"expect.job"},
                                                       {"expect.options"},
                                                       {"expect.reject", true},
                                                       {"expect.warn", true},
                                                       {"expect.note", true},
                                                       {"expect.rule", true},
                                                       {"expect.runs", true}}};

/// The one of this name inside a section; null: there is none.
const InnerSection* find_inner(std::string_view section, std::string_view name) {
    for (const InnerSection& inner : inner_sections) {
        const std::string_view place(inner.place);
        if (place.starts_with(section) && place.substr(section.size()).starts_with('.') &&
            place.substr(section.size() + 1) == name)
            return &inner;
    }
    return nullptr;
}

std::string describe_unknown_section(std::string_view name) {
    const std::vector<std::string> names(sections.begin(), sections.end());
    return text::format("test: unknown key '{}'{}{}", text::printable(name, 60),
                        text::did_you_mean(name, names), list_of_names(names));
}

TestCollector& collector(lua_State* lua) {
    TestCollector* tests = LuaState::of(lua).tests;
    if (tests == nullptr) luaL_error(lua, "test is for the time when the file is loaded");
    return *tests;
}

/// Counts what the present test gets; raises an error if it is too much.
void take(lua_State* lua, TestCollector& tests, std::size_t bytes) {
    // The loops over tables run in C, where the interpreter counts no instructions.
    Budget::charge(lua, 10 + static_cast<std::int64_t>(bytes / 16));
    if (!tests.take(bytes))
        luaL_error(lua, "the tests of a directory hold too much: at most %d MiB",
                   static_cast<int>(TestCollector::max_bytes >> 20u));
}

/// The value of the global `unset`. It is a function because nothing else that a file can write is one here.
int call_unset(lua_State* lua) {
    return luaL_error(lua, "unset is a value and no function: write expect = { job = { qos = unset } }");
}

bool is_unset(lua_State* lua, int index) {
    return lua_tocfunction(lua, index) == &call_unset;
}

/// Adds the value on top of the stack.
void add_entry(lua_State* lua, TestCollector& tests, const char* section, std::string_view name) {
    const bool is_marked = is_unset(lua, -1);
    if (is_marked && std::string_view(section) != "expect.job")
        luaL_error(lua, "test: %s: unset is for expect.job; in other places leave the name out", section);
    const Value value = is_marked ? Value() : to_value(lua, -1);
    take(lua, tests, sizeof(TestEntry) + name.size() + value.text.size());
    ErrorText error;
    report_into(error, [&] {
        tests.all.back().entries.push_back(
            {section, std::string(name), value.kind, value.integer, std::string(value.text)});
    });
    if (!error.empty()) luaL_error(lua, "%s", error.c_str());
}

void add_text(lua_State* lua, std::string& to, std::string_view text) {
    take(lua, collector(lua), text.size());
    ErrorText error;
    report_into(error, [&] { to += text; });
    if (!error.empty()) luaL_error(lua, "%s", error.c_str());
}

void add_json_text(lua_State* lua, std::string& to, std::string_view text) {
    take(lua, collector(lua), text.size() + 2);
    ErrorText error;
    report_into(error, [&] { to += json::quote(text, Budget::max_string); });
    if (!error.empty()) luaL_error(lua, "%s", error.c_str());
}

/// The name of the key below the top of the stack: a text, or a number, such as a user id.
void add_json_key(lua_State* lua, std::string& to) {
    lua_pushvalue(lua, -2); // lua_next() needs the key as it is
    if (lua_type(lua, -1) != LUA_TSTRING && lua_isinteger(lua, -1) == 0)
        luaL_error(lua, "test: given: write NAME = VALUE");
    add_json_text(lua, to, text_at(lua, -1));
    lua_pop(lua, 1);
}

/// Adds the value on top of the stack as JSON.
void add_json(lua_State* lua, std::string& to, int depth) {
    constexpr int max_depth = 8;
    luaL_checkstack(lua, 8, nullptr);
    switch (lua_type(lua, -1)) {
    case LUA_TBOOLEAN: return add_text(lua, to, lua_toboolean(lua, -1) != 0 ? "true" : "false");
    case LUA_TSTRING: return add_json_text(lua, to, text_at(lua, -1));
    case LUA_TNUMBER:
        if (lua_tonumber(lua, -1) == HUGE_VAL) return add_json_text(lua, to, "UNLIMITED");
        lua_pushvalue(lua, -1);
        add_text(lua, to, text_at(lua, -1));
        return lua_pop(lua, 1);
    case LUA_TTABLE: break;
    default: luaL_error(lua, "test: given: a %s is no value here", luaL_typename(lua, -1));
    }
    if (depth == max_depth) luaL_error(lua, "test: given: too many tables inside each other");
    const bool is_list = lua_rawlen(lua, -1) > 0;
    add_text(lua, to, is_list ? "[" : "{");
    bool is_first = true;
    const int table = lua_gettop(lua);
    for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
        if (!is_first) add_text(lua, to, ",");
        is_first = false;
        if (!is_list) {
            add_json_key(lua, to);
            add_text(lua, to, ":");
        }
        add_json(lua, to, depth + 1);
    }
    add_text(lua, to, is_list ? "]" : "}");
}

/// Takes the key and value on top of the stack if they tell what `view` shows. Returns whether they do.
bool add_to_world(lua_State* lua, PolicyTest& test) {
    const std::string_view name = text_at(lua, -2);
    if (name == "now") {
        if (lua_type(lua, -1) != LUA_TSTRING)
            luaL_error(lua, "test: given.now is a text: write now = \"2026-07-20 22:30\"");
        add_text(lua, test.now, text_at(lua, -1));
        return true;
    }
    if (!lua_istable(lua, -1)) return false;
    if (!test.world.empty()) add_text(lua, test.world, ",");
    add_json_text(lua, test.world, name);
    add_text(lua, test.world, ":");
    add_json(lua, test.world, 0);
    return true;
}

/// Adds the elements of the list on top of the stack, in order; the words of a command may begin at 0.
void read_list(lua_State* lua, TestCollector& tests, const char* section) {
    luaL_checkstack(lua, 8, nullptr);
    const int table = lua_gettop(lua);
    const auto length = static_cast<lua_Integer>(lua_rawlen(lua, table));
    lua_Integer elements = 0;
    for (lua_Integer i = std::string_view(section).ends_with(".argv") ? 0 : 1; i <= length; ++i) {
        if (lua_rawgeti(lua, table, i) != LUA_TNIL) {
            ++elements;
            add_entry(lua, tests, section, i == 0 ? "0" : "");
        }
        lua_pop(lua, 1);
    }
    for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1))
        if (elements-- == 0) luaL_error(lua, "test: %s is a list: write { \"a\", \"b\" }", section);
}

/// Whether the table at `index` has the key below the top of the stack.
bool has_key(lua_State* lua, int index) {
    lua_pushvalue(lua, -2);
    const bool has = lua_rawget(lua, index) != LUA_TNIL;
    lua_pop(lua, 1);
    return has;
}

/// Adds the entries of the table on top of the stack, but those that the table at `instead` has; 0: there is
/// no such table.
void read_section(lua_State* lua, TestCollector& tests, const char* section, int instead = 0) {
    luaL_checkstack(lua, 8, nullptr);
    const int table = lua_gettop(lua);
    const bool is_given = std::string_view(section) == "given";
    for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING)
            luaL_error(lua, "test: %s: write NAME = VALUE; there is a value without a name", section);
        if (instead != 0 && has_key(lua, instead)) continue;
        if (is_given && (is_unset(lua, -1) || add_to_world(lua, tests.all.back()))) continue;
        const InnerSection* const inner = find_inner(section, text_at(lua, -2));
        if (inner == nullptr || !lua_istable(lua, -1))
            add_entry(lua, tests, section, text_at(lua, -2));
        else if (inner->is_list)
            read_list(lua, tests, inner->place);
        else
            read_section(lua, tests, inner->place);
    }
}

/// Where the registry has what given { ... } gives the tests of a file.
constexpr const char* default_given = "qosgate.given";

/// given { ... }, or given "monday.json"
int declare_given(lua_State* lua) {
    TestCollector& tests = collector(lua);
    if (lua_type(lua, 1) != LUA_TSTRING && !lua_istable(lua, 1))
        luaL_error(lua, "given takes a table or the name of a capture: write given { qos = \"normal\" }");
    if (tests.all.size() > tests.first) luaL_error(lua, "given stands before the tests of its file");
    if (lua_getfield(lua, LUA_REGISTRYINDEX, default_given) != LUA_TNIL)
        luaL_error(lua, "given stands once in a file");
    lua_settop(lua, 1);
    lua_setfield(lua, LUA_REGISTRYINDEX, default_given);
    return 0;
}

/// Adds what the file gives all its tests, and this one, the table at 1, does not give itself. A capture is a
/// whole world: nothing of it is replaced, and nothing is added to it.
void add_default_given(lua_State* lua, TestCollector& tests) {
    lua_settop(lua, 1);
    lua_pushliteral(lua, "given");
    const int own = lua_rawget(lua, 1);
    const int standard = lua_getfield(lua, LUA_REGISTRYINDEX, default_given);
    if (standard == LUA_TTABLE && own != LUA_TSTRING)
        read_section(lua, tests, "given", own == LUA_TTABLE ? 2 : 0);
    if (standard == LUA_TSTRING && own == LUA_TNIL)
        add_text(lua, tests.all.back().capture_name, text_at(lua, 3));
    lua_settop(lua, 1);
}

/// The call with the table: upvalue 1 is the name, 2 the line.
int declare_test(lua_State* lua) {
    TestCollector& tests = collector(lua);
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    const std::string_view name = text_at(lua, lua_upvalueindex(1));
    const auto line = static_cast<int>(lua_tointeger(lua, lua_upvalueindex(2)));
    take(lua, tests, sizeof(PolicyTest) + name.size());
    ErrorText error;
    report_into(error, [&] {
        PolicyTest& test = tests.all.emplace_back();
        test.name = name;
        test.line = line;
    });
    for (lua_pushnil(lua); error.empty() && lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
        const std::string_view key = lua_type(lua, -2) == LUA_TSTRING ? text_at(lua, -2) : std::string_view();
        const auto section = std::find(sections.begin(), sections.end(), key);
        if (section == sections.end()) {
            report_into(error, [&] { error.assign(describe_unknown_section(key)); });
            break;
        }
        if (key == "given" && lua_type(lua, -1) == LUA_TSTRING) {
            add_text(lua, tests.all.back().capture_name, text_at(lua, -1));
            continue;
        }
        if (!lua_istable(lua, -1))
            luaL_error(lua, "test: %s is a table: write %s = { ... }", section->data(), section->data());
        if (key == "before") tests.all.back().is_change = true;
        if (key == "client") tests.all.back().is_client = true;
        read_section(lua, tests, section->data());
    }
    if (!error.empty()) return luaL_error(lua, "%s", error.c_str());
    add_default_given(lua, tests);
    --tests.open;
    return 0;
}

/// The call with the name; its answer takes the table.
int name_test(lua_State* lua) {
    TestCollector& tests = collector(lua);
    luaL_checktype(lua, 1, LUA_TSTRING);
    lua_settop(lua, 1);
    lua_Debug where;
    const bool is_known = lua_getstack(lua, 1, &where) != 0 && lua_getinfo(lua, "l", &where) != 0;
    lua_pushinteger(lua, is_known ? where.currentline : 0);
    lua_pushcclosure(lua, &declare_test, 2);
    ++tests.open;
    return 1;
}

constexpr std::array<ExtraGlobal, 5> test_globals{{{"test", &name_test},
                                                   {"given", &declare_given},
                                                   {"unset", &call_unset},
                                                   {"data", &read_data},
                                                   {"require", &require_module}}};

/// Loads what `require` finds, for a file that uses it.
Result<void> load_modules(LuaState& state, const SourceFile& file, const TestLoading& how) {
    if (file.text.find("require") == std::string::npos) return {};
    for (const Module& module : how.sources.modules)
        if (auto done = load_module(state, module); !done) return done;
    return {};
}

} // namespace

Result<void> collect_tests(TestCollector& tests, const SourceFile& file, const TestLoading& how) {
    const BudgetLimits limits{
        .instructions = 10'000'000, .time = how.max_time, .memory = std::size_t{16} << 20u};
    const auto state = LuaState::create(limits);
    if (!state) return Error{ErrorCode::limit_exceeded, "no memory for a Lua state"};
    if (const auto installed = install_sandbox(*state, test_globals); !installed) return installed.error();
    state->data = how.sources.data.get();
    state->budget().start_job(how.clock);
    state->budget().start_rule();
    if (auto loaded = load_modules(*state, file, how); !loaded) return loaded;
    tests.first = tests.all.size();
    tests.open = 0;
    state->tests = &tests;
    const auto done = run_chunk(*state, file.text, file.name);
    state->tests = nullptr;
    if (!done && done.error().code == ErrorCode::limit_exceeded)
        return Error{
            ErrorCode::limit_exceeded,
            text::format("{}: takes too long or too much memory while it is loaded: a file may run {} "
                         "instructions and use {} MiB, and all files may take {} s",
                         done.error().message.substr(0, done.error().message.find(": ")), limits.instructions,
                         limits.memory >> 20u,
                         std::chrono::duration_cast<std::chrono::seconds>(how.max_time).count())};
    if (!done) return done.error();
    if (tests.open > 0)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: a test has no table: write test \"NAME\" {{ ... }}", file.name)};
    if (tests.all.size() == tests.first)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: has no test: write test \"NAME\" {{ ... }}", file.name)};
    for (PolicyTest& test : std::span(tests.all).subspan(tests.first)) {
        test.file = file.name;
        // Lua's tables have no order; the answers are to have one.
        std::ranges::stable_sort(test.entries, [](const TestEntry& a, const TestEntry& b) {
            return std::tie(a.section, a.name) < std::tie(b.section, b.name);
        });
    }
    return {};
}

Result<std::vector<PolicyTest>> read_tests(const SourceFile& file) {
    TestCollector tests;
    const StateSources no_sources;
    if (const auto done = collect_tests(tests, file, {no_sources, {}, std::chrono::seconds(5)}); !done)
        return done.error();
    return std::move(tests.all);
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads `test "NAME" { job = {...}, given = {...}, expect = {...} }` from the files of tests.
#include "qosgate/base/text.hpp"
#include "qosgate/policy/folder_findings.hpp"
#include "qosgate/policy/lua_state.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/sandbox.hpp"
#include "qosgate/policy/test_collector.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <lua.hpp>

namespace qg::policy {
namespace {

constexpr std::array<std::string_view, 3> sections{"job", "given", "expect"};

/// Work with C++ objects on the way to a Lua error; it must not throw.
template <typename Work>
void report_into(ErrorText& error, Work work) noexcept {
    try {
        if (const std::string problem = work(); !problem.empty()) error.assign(problem);
    } catch (...) {
        error.assign("out of memory");
    }
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

std::string_view text_at(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, index, &length);
    return {bytes, length};
}

/// Adds the key and value on top of the stack.
void add_entry(lua_State* lua, TestCollector& tests, const char* section) {
    const std::string_view name = text_at(lua, -2);
    const Value value = to_value(lua, -1);
    ErrorText error;
    report_into(error, [&] {
        tests.all.back().entries.push_back(
            {section, std::string(name), value.kind, value.integer, std::string(value.text)});
        return std::string();
    });
    if (!error.empty()) luaL_error(lua, "%s", error.c_str());
}

/// Adds the entries of the table on top of the stack. `inner` is the key whose value may be a table, too.
void read_section(lua_State* lua, TestCollector& tests, const char* section, const char* inner,
                  const char* inner_section) {
    luaL_checkstack(lua, 8, nullptr);
    const int table = lua_gettop(lua);
    for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING)
            luaL_error(lua, "test: %s: write NAME = VALUE; there is a value without a name", section);
        const bool is_inner = inner != nullptr && text_at(lua, -2) == inner && lua_istable(lua, -1);
        if (is_inner)
            read_section(lua, tests, inner_section, nullptr, nullptr);
        else
            add_entry(lua, tests, section);
    }
}

/// The call with the table: upvalue 1 is the name, 2 the line.
int declare_test(lua_State* lua) {
    TestCollector& tests = collector(lua);
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    const std::string_view name = text_at(lua, lua_upvalueindex(1));
    const auto line = static_cast<int>(lua_tointeger(lua, lua_upvalueindex(2)));
    ErrorText error;
    report_into(error, [&] {
        tests.all.push_back({std::string(name), {}, line, {}});
        return std::string();
    });
    for (lua_pushnil(lua); error.empty() && lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
        const std::string_view key = lua_type(lua, -2) == LUA_TSTRING ? text_at(lua, -2) : std::string_view();
        const auto section = std::find(sections.begin(), sections.end(), key);
        if (section == sections.end()) {
            report_into(error, [&] { return describe_unknown_section(key); });
            break;
        }
        if (!lua_istable(lua, -1))
            luaL_error(lua, "test: %s is a table: write %s = { ... }", section->data(), section->data());
        const bool is_job = key == "job";
        const bool is_expect = key == "expect";
        read_section(lua, tests, section->data(),
                     is_job      ? "tres"
                     : is_expect ? "job"
                                 : nullptr,
                     is_job ? "job.tres" : "expect.job");
    }
    if (!error.empty()) return luaL_error(lua, "%s", error.c_str());
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

constexpr std::array<ExtraGlobal, 1> test_globals{{{"test", &name_test}}};

} // namespace

Result<std::vector<PolicyTest>> read_tests(const SourceFile& file) {
    const auto state = LuaState::create(
        {.instructions = 10'000'000, .time = std::chrono::seconds(5), .memory = std::size_t{64} << 20u});
    if (!state) return Error{ErrorCode::limit_exceeded, "no memory for a Lua state"};
    if (const auto installed = install_sandbox(*state, test_globals); !installed) return installed.error();
    TestCollector tests;
    state->tests = &tests;
    const auto done = run_chunk(*state, file.text, file.name);
    state->tests = nullptr;
    if (!done) return done.error();
    if (tests.open > 0)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: a test has no table: write test \"NAME\" {{ ... }}", file.name)};
    if (tests.all.empty())
        return Error{ErrorCode::invalid_input,
                     text::format("{}: has no test: write test \"NAME\" {{ ... }}", file.name)};
    for (PolicyTest& test : tests.all) {
        test.file = file.name;
        // Lua's tables have no order; the answers are to have one.
        std::ranges::sort(test.entries, [](const TestEntry& a, const TestEntry& b) {
            return std::tie(a.section, a.name) < std::tie(b.section, b.name);
        });
    }
    return std::move(tests.all);
}

Result<std::vector<PolicyTest>> load_tests(const std::filesystem::path& folder) {
    const auto read = read_all_sources(folder / tests_folder_name, {.is_needed = false});
    if (!read) return read.error();
    std::vector<PolicyTest> all;
    for (const Finding& finding : read->findings)
        if (finding.stops_loading)
            return Error{ErrorCode::unavailable, text::format("{}: {}", finding.file, finding.message)};
    for (const SourceFile& file : read->sources.files) {
        auto tests = read_tests(file);
        if (!tests) return tests.error().in(std::string(tests_folder_name));
        std::ranges::move(*tests, std::back_inserter(all));
    }
    if (all.empty())
        return Error{ErrorCode::not_found, text::format("{}: there are no tests: no file there ends in .lua",
                                                        (folder / tests_folder_name).string())};
    return all;
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

#include <lua.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

/// All names of a standard interpreter, such as "string.rep".
std::set<std::string> stock_names() {
    lua_State* lua = luaL_newstate();
    luaL_openlibs(lua);
    std::set<std::string> names;
    lua_pushglobaltable(lua);
    for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
        const std::string name = lua_tostring(lua, -2);
        names.insert(name);
        if (!lua_istable(lua, -1) || name == "_G" || name == "package") continue;
        for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1))
            names.insert(name + "." + lua_tostring(lua, -2));
    }
    lua_close(lua);
    return names;
}

const std::set<std::string> allowed{
    "assert",          "error",           "ipairs",         "next",           "pairs",
    "pcall",           "select",          "tonumber",       "tostring",       "type",
    "string",          "table",           "math",           "string.byte",    "string.char",
    "string.find",     "string.format",   "string.gmatch",  "string.gsub",    "string.len",
    "string.lower",    "string.match",    "string.rep",     "string.reverse", "string.sub",
    "string.upper",    "table.concat",    "table.insert",   "table.move",     "table.pack",
    "table.remove",    "table.sort",      "table.unpack",   "math.abs",       "math.ceil",
    "math.exp",        "math.floor",      "math.fmod",      "math.huge",      "math.log",
    "math.max",        "math.maxinteger", "math.min",       "math.modf",      "math.pi",
    "math.mininteger", "math.sqrt",       "math.tointeger", "math.type",      "math.ult",
    "require",
};

} // namespace

BOOST_AUTO_TEST_SUITE(sandbox)

BOOST_AUTO_TEST_CASE(offers_exactly_the_names_of_the_allow_list) {
    std::set<std::string> offered;
    for (const std::string& name : stock_names()) {
        const auto first = name.substr(0, name.find('.'));
        const std::string value = value_of("(function() local ok, v = pcall(function() return " + first +
                                           " end) if not ok then return nil end return " + name + " end)()");
        if (value != "nil") offered.insert(name);
    }

    BOOST_TEST(offered == allowed, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gives_texts_no_method_that_is_not_in_the_library) {
    BOOST_TEST(value_of("('x').dump") == "nil");
    BOOST_TEST(value_of("('x').pack") == "nil");
    BOOST_TEST(value_of("('ab'):rep(2)") == "abab");
}

BOOST_AUTO_TEST_CASE(names_an_unknown_global_and_the_one_meant) {
    BOOST_TEST(has_text(value_of("tostrin(1)"), "t.lua:2: unknown name 'tostrin'; did you mean tostring?"));
    BOOST_TEST(has_text(value_of("os.time()"), "unknown name 'os'"));
    BOOST_TEST(has_text(value_of("_G"), "unknown name '_G'"));
}

BOOST_AUTO_TEST_CASE(refuses_to_set_a_global) {
    BOOST_TEST(has_text(outcome_of_rule(at_run_time("count = 1")).events.at(0).text,
                        "t.lua:2: 'count' is not declared"));
    BOOST_TEST(has_text(outcome_of_rule(at_run_time("tostring = 1")).events.at(0).text,
                        "'tostring' is not declared"));
    BOOST_TEST(has_text(load_error({{"t.lua", "x = 1 " + rule_with("")}}), "t.lua:1: 'x' is not declared"));
}

BOOST_AUTO_TEST_CASE(lets_a_local_environment_shadow_only_its_own_scope) {
    const auto outcome = outcome_of_rule("do local _ENV = {} x = 1 end _ENV.x = 2");

    BOOST_TEST(has_text(outcome.events.at(0).text, "'x' is not declared"));
}

BOOST_AUTO_TEST_CASE(keeps_libraries_read_only) {
    for (const std::string code :
         {"string.rep = nil", "string.new = 1", "math.pi = 3", "table.concat = print2", "('').rep = 1",
          "table.insert(string, 1)", "_ENV.string = {}"}) {
        BOOST_TEST_CONTEXT(code) {
            BOOST_TEST(outcome_of_rule(at_run_time(code)).rejected);
        }
    }
    BOOST_TEST(has_text(outcome_of_rule("string.rep = nil").events.at(0).text,
                        "string cannot be changed (field 'rep')"));
}

BOOST_AUTO_TEST_CASE(drops_arithmetic_on_texts) {
    BOOST_TEST(has_text(value_of("'10' + 1"), "attempt to perform arithmetic on a string value"));
    BOOST_TEST(value_of("10 + 1") == "11");
}

BOOST_AUTO_TEST_CASE(changes_the_case_of_ascii_letters) {
    BOOST_TEST(value_of("('aBc-12'):lower() .. ('aBc-12'):upper()") == "abc-12ABC-12");
    BOOST_TEST(value_of("('abc'):lower() .. ('ABC'):upper() .. (''):lower() .. '.'") == "abcABC.");
    BOOST_TEST(value_of("string.lower(12) .. type(string.upper(12))") == "12string");
    BOOST_TEST(value_of("#('a\\0B'):lower() .. (('a\\0B'):lower() == 'a\\0b' and 'same' or 'other')") ==
               "3same");
    BOOST_TEST(value_of("('\\xc3\\x84'):lower() == '\\xc3\\x84'") == "true");
    BOOST_TEST(value_of("('abc'):lower('x', 'y')") == "abc");
    BOOST_TEST(has_text(value_of("string.lower()"), "bad argument #1 to 'lower'"));
}

BOOST_AUTO_TEST_CASE(catches_ordinary_errors_with_pcall) {
    BOOST_TEST(value_of("select('#', pcall(error, 'x'))") == "2");
    BOOST_TEST(value_of("(select(2, pcall(error, 'x')))") == "x");
    BOOST_TEST(
        value_of("pcall(function(a, b) return a + b end, 1, 2) and (select(2, pcall(math.max, 1, 2)))") ==
        "2");
}

BOOST_AUTO_TEST_CASE(says_what_the_interpreter_says_of_wrong_arguments) {
    const auto error_of = [](const std::string& call) {
        return value_of("select(2, pcall(function() " + call + " end))");
    };

    BOOST_TEST(error_of("string.upper({})") ==
               "t.lua:2: bad argument #1 to 'upper' (string expected, got table)");
    BOOST_TEST(error_of("('x'):sub({})") == "t.lua:2: bad argument #1 to 'sub' (number expected, got table)");
    BOOST_TEST(error_of("math.floor('x')") ==
               "t.lua:2: bad argument #1 to 'floor' (number expected, got string)");
    BOOST_TEST(error_of("tonumber('1', 99)") == "t.lua:2: bad argument #2 to 'tonumber' (base out of range)");
    BOOST_TEST(error_of("table.concat({{}})") ==
               "t.lua:2: invalid value (table) at index 1 in table for 'concat'");
    BOOST_TEST(error_of("table.insert({}, 5, 1)") ==
               "t.lua:2: bad argument #2 to 'insert' (position out of bounds)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(table_library)

BOOST_AUTO_TEST_CASE(sorts_like_the_interpreter) {
    const std::string sorted = "(function(t, f) table.sort(t, f) return table.concat(t, ' ') end)";
    BOOST_TEST(value_of(sorted + "({3, 1, 2})") == "1 2 3");
    BOOST_TEST(value_of(sorted + "({})").empty());
    BOOST_TEST(value_of(sorted + "({1})") == "1");
    BOOST_TEST(value_of(sorted + "({'b', 'a', 'c', 'a'})") == "a a b c");
    BOOST_TEST(value_of(sorted + "({5, 2, 9, 1, 7, 3, 8}, function(a, b) return a > b end)") ==
               "9 8 7 5 3 2 1");
    BOOST_TEST(has_text(value_of(sorted + "({1, 'x'})"), "attempt to compare"));
}

BOOST_AUTO_TEST_CASE(sorts_every_permutation_of_six) {
    const auto outcome = outcome_of_rule(R"(
        local function permute(t, n)
            if n == 0 then
                local s = {table.unpack(t)}
                table.sort(s)
                assert(table.concat(s) == "123456", table.concat(t))
                return
            end
            for i = 1, n do
                t[i], t[n] = t[n], t[i]
                permute(t, n - 1)
                t[i], t[n] = t[n], t[i]
            end
        end
        permute({1, 2, 3, 4, 5, 6}, 6))");

    BOOST_TEST(!outcome.rejected, outcome.reject_message);
}

BOOST_AUTO_TEST_CASE(does_what_the_manual_says_within_bounds) {
    BOOST_TEST(value_of("table.concat({1, 2, 3}, ',', 2, 3)") == "2,3");
    BOOST_TEST(value_of("select('#', table.unpack({1, 2, nil, 4}, 1, 4))") == "4");
    BOOST_TEST(value_of("table.concat(table.move({1, 2, 3}, 2, 3, 1), ' ')") == "2 3 3");
    BOOST_TEST(value_of("(function() local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4) "
                        "return table.concat(t) .. table.remove(t, 1) .. table.remove(t) end)()") ==
               "123414");
    BOOST_TEST(has_text(value_of("table.insert({}, 5, 1)"), "position out of bounds"));
}

BOOST_AUTO_TEST_SUITE_END()

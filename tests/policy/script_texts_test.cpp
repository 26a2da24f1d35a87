// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions of texts in scripts for job_submit/lua: results are those of Lua 5.1, of which Slurm's plugin on
// Debian 12 and 13 is made. Rules keep Lua 5.4's.
#include "support/script_setup.hpp"
#include "support/texts.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg;
using test::has;

namespace {

/// An expression, and its value in Lua 5.1 and in Lua 5.4; null: it fails there.
struct Case {
    const char* expression;
    const char* in_5_1;
    const char* in_5_4;
};

constexpr const char* all =
    "local function all(next, stop) local t = '' for a in next do t = t .. '<' .. a .. '>' "
    "end return t end "
    "local function pair(text, count) return text .. ' ' .. count end ";

const Case cases[] = {
    {"all(('a\\nb\\n'):gmatch('[^\\n]*'))", "<a><><b><><>", "<a><b><>"},
    {"all(('abc'):gmatch('()'))", "<1><2><3><4>", "<1><2><3><4>"},
    {"all(('k=v, x=y'):gmatch('(%w*)=?%w*'))", "<k><><><x><>", "<k><><x>"},
    {"all(('abc'):gmatch('%w', 3))", "<a><b><c>", "<c>"},
    {"all((''):gmatch('.*'))", "<>", "<>"},
    {"all(('abc'):gmatch('x'))", "", ""},
    {"pair(('abc'):gsub('%w*', 'x'))", "xx 2", "x 1"},
    {"pair(('hello world'):gsub('o*', '-'))", "-h-e-l-l-- -w--r-l-d- 12", "-h-e-l-l- -w-r-l-d- 10"},
    {"pair(('abc  '):gsub('%s*$', '<%0>'))", "abc<  ><> 2", "abc<  > 1"},
    {"pair(('abc d'):gsub('%s*$', ''))", "abc d 1", "abc d 1"},
    {"pair(('abc'):gsub('', '-'))", "-a-b-c- 4", "-a-b-c- 4"},
    {"pair(('abc'):gsub('', '-', 2))", "-a-bc 2", "-a-bc 2"},
    {"pair(('abc'):gsub('^%w*', 'x'))", "x 1", "x 1"},
    {"pair(('abc'):gsub('^', 'x'))", "xabc 1", "xabc 1"},
    {"pair(('abc'):gsub('b*', { b = 'X', [''] = '_' }))", "_aX_c_ 4", "_aXc_ 3"},
    {"pair(('abc'):gsub('b*', function(s) return s ~= '' and '[' .. s .. ']' end))", "a[b]c 4", "a[b]c 3"},
    {"pair(('a-b'):gsub('-', '%-'))", "a-b 1", nullptr},
    {"pair(('a.b'):gsub('%.', '%%.%1'))", "a%..b 1", "a%..b 1"},
    {"pair(('abc'):gsub('(b)()', '%2%1'))", "a3bc 1", "a3bc 1"},
    {"('x'):rep(3, ',')", "xxx", "x,x,x"},
    {"('x'):rep(-1, ',')", "", ""},
    {"tostring(('abc'):find('', 10)) .. tostring(('abc'):match('()', 10))", "44", "nilnil"},
    {"tostring(('abc'):find('b*', 10))", "4", "nil"},
    {"tostring(('abc'):find('c', 10))", "nil", "nil"},
};

std::string in_script(const std::string& expression) {
    return test::ScriptSetup({{test::script_name,
                               test::script_with(std::string(all) + "slurm.user_msg(" + expression + ")")}})
        .told();
}

std::string in_rule(const std::string& expression) {
    return test::value_of("(function() " + std::string(all) + " return " + expression + " end)()");
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_texts)

BOOST_AUTO_TEST_CASE(scripts_get_the_results_of_lua_5_1) {
    for (const Case& row : cases)
        BOOST_TEST_CONTEXT(row.expression) {
            BOOST_TEST(in_script(row.expression) == row.in_5_1);
        }
    BOOST_TEST(in_script("all(('a,b'):gfind('[^,]*'))") == "<a><><b><>");
    BOOST_TEST(has(in_script("('a'):gsub('a', '%2')"), "invalid capture index %2"));
}

BOOST_AUTO_TEST_CASE(rules_keep_those_of_lua_5_4) {
    for (const Case& row : cases)
        BOOST_TEST_CONTEXT(row.expression) {
            const std::string value = in_rule(row.expression);
            if (row.in_5_4 == nullptr)
                BOOST_TEST(has(value, "invalid use of '%' in replacement string"));
            else
                BOOST_TEST(value == row.in_5_4);
        }
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Compares the bounded matcher with the interpreter's own: same answers, also for errors in patterns.
#include "qosgate/policy/lua/lib/pattern.hpp"

#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <random>

#include <lua.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

struct CloseState {
    void operator()(lua_State* lua) const noexcept { lua_close(lua); }
};

/// The stock interpreter, which knows the right answers.
class Reference {
  public:
    Reference() : lua_(luaL_newstate()) { luaL_openlibs(lua_.get()); }

    /// string.match(subject, pattern) as text: captures with "|" between, "nil", or "error: ...".
    std::string match(const std::string& subject, const std::string& pattern) {
        lua_State* lua = lua_.get();
        lua_settop(lua, 0);
        lua_getglobal(lua, "string");
        lua_getfield(lua, -1, "match");
        lua_replace(lua, 1);
        lua_pushlstring(lua, subject.data(), subject.size());
        lua_pushlstring(lua, pattern.data(), pattern.size());
        if (lua_pcall(lua, 2, LUA_MULTRET, 0) != LUA_OK)
            return std::string("error: ") + lua_tostring(lua, -1);
        std::string result;
        for (int i = 1; i <= lua_gettop(lua); ++i) {
            std::size_t length = 0;
            const char* bytes = luaL_tolstring(lua, i, &length);
            result += std::string(bytes, length) + "|";
            lua_pop(lua, 1);
        }
        return result;
    }

  private:
    std::unique_ptr<lua_State, CloseState> lua_;
};

/// The same with our matcher.
std::string our_match(const std::string& subject, std::string pattern) {
    const bool anchored = !pattern.empty() && pattern.front() == '^';
    if (anchored) pattern.erase(0, 1);
    Budget budget({.instructions = 1'000'000});
    PatternMatcher matcher(subject, pattern, budget);
    for (std::size_t at = 0; at <= subject.size(); ++at) {
        const MatchStatus status = matcher.match_at(at);
        if (status == MatchStatus::spent) return "spent";
        if (status == MatchStatus::bad_pattern) return std::string("error: ") + matcher.problem();
        if (status == MatchStatus::match) {
            if (matcher.capture_count() == 0) return subject.substr(at, matcher.end() - at) + "|";
            std::string result;
            for (std::size_t i = 0; i < matcher.capture_count(); ++i) {
                const Capture& capture = matcher.capture(i);
                result += capture.is_position ? std::to_string(capture.begin + 1)
                                              : subject.substr(capture.begin, capture.length);
                result += "|";
            }
            return result;
        }
        if (anchored) break;
    }
    return "nil|";
}

/// Expects equal answers. Errors are compared only by kind, because our texts differ.
void check_same(Reference& reference, const std::string& subject, const std::string& pattern) {
    BOOST_TEST_CONTEXT("'" << subject << "' with '" << pattern << "'") {
        const std::string expected = reference.match(subject, pattern);
        const std::string found = our_match(subject, pattern);
        if (expected.starts_with("error: "))
            BOOST_TEST(found.substr(0, 7) == "error: ", found);
        else
            BOOST_TEST(found == expected);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(pattern)

BOOST_AUTO_TEST_CASE(answers_as_the_interpreter_on_written_cases) {
    Reference reference;
    const std::string subjects[] = {"",
                                    "a",
                                    "hello world",
                                    "key = value",
                                    "gres:gpu:a100:2",
                                    "f(a(b)c)d",
                                    "THE (quick) fox",
                                    "x-y_z",
                                    "]",
                                    "aaa",
                                    "2024-01-31",
                                    "%d",
                                    "\n\t x",
                                    std::string("a\0b", 3)};
    const std::string patterns[] = {
        "",
        ".",
        "a",
        "a*",
        "a+",
        "a-",
        "a?",
        "^a*$",
        "(%w+)",
        "(%w+) (%w+)",
        "^(%w+)%s*=%s*(%w+)$",
        "gpu:?([^:]*):?(%d*)$",
        "%z",
        "%Z+",
        "[%z]()",
        "%b()",
        "%f[%a]%a+",
        "()ll()",
        "[]]",
        "[^]]",
        "[a-c]+",
        "[%d-]+",
        "[^%s]+$",
        "(a*(.)%w(%s*))",
        "(.-)o",
        "(.)%1",
        "%d+-%d+",
        "[",
        "[a",
        "%",
        "(a",
        "a)",
        "%1",
        "(%1)",
        "%b",
        "%bx",
        "%f",
        "%fa",
        "[%",
        "[%]",
        "[a-]+",
        "[-a]+",
        "x$y",
        "$",
        "^",
        "()",
        "(()())",
        ".-%-.-",
        "%u+",
        "%L+",
        "%S+",
        "%p",
        "%c",
        "%x+",
        "%g+",
        "[%w_%-]+",
    };

    for (const std::string& subject : subjects)
        for (const std::string& pattern : patterns)
            check_same(reference, subject, pattern);
}

BOOST_AUTO_TEST_CASE(answers_as_the_interpreter_on_random_cases) {
    Reference reference;
    std::mt19937 random(20240131);
    const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
    const std::vector<std::string> letters{"a", "b", "c", " ", "(", ")", "]", "1", "-"};
    const std::vector<std::string> items{"a", "b",  ".",    "%a",    "%d", "[ab]", "[^a]",  "(", ")",  "()",
                                         "$", "%1", "%b()", "%f[a]", "a",  "b",    "[a-c]", "^", "%(", "c"};
    const std::vector<std::string> signs{"", "", "", "*", "+", "-", "?"};
    for (int round = 0; round < 20000; ++round) {
        std::string subject;
        for (std::size_t i = random() % 9; i > 0; --i)
            subject += pick(letters);
        std::string pattern;
        for (std::size_t i = random() % 6; i > 0; --i)
            pattern += pick(items) + pick(signs);
        check_same(reference, subject, pattern);
    }
}

BOOST_AUTO_TEST_CASE(gives_up_when_its_instructions_are_spent) {
    std::string pattern;
    for (int i = 0; i < 20; ++i)
        pattern += "a-";
    const std::string subject(200, 'a');
    Budget budget({.instructions = 10'000});
    PatternMatcher matcher(subject, pattern += "b", budget);

    BOOST_TEST(matcher.match_at(0) == MatchStatus::spent);
    BOOST_TEST(budget.exhausted() == Exhausted::instructions);
}

BOOST_AUTO_TEST_CASE(gives_up_when_its_time_is_over) {
    std::string pattern;
    for (int i = 0; i < 20; ++i)
        pattern += "a-";
    const std::string subject(200, 'a');
    Budget budget({.instructions = 1'000'000'000, .time = std::chrono::milliseconds(1)});
    PatternMatcher matcher(subject, pattern += "b", budget);

    BOOST_TEST(matcher.match_at(0) == MatchStatus::spent);
    BOOST_TEST(budget.exhausted() == Exhausted::time);
}

BOOST_AUTO_TEST_CASE(takes_its_instructions_to_the_last_one) {
    for (const std::int64_t all : {1, 20'000, 20'001, 45'000}) {
        Budget budget({.instructions = all});
        budget.start_rule();
        std::int64_t taken = 0;
        while (budget.take(1))
            ++taken;
        BOOST_TEST(taken == all);
        BOOST_TEST(!budget.take(0)); // a spent budget stays spent
    }
}

BOOST_AUTO_TEST_CASE(refuses_a_pattern_that_nests_too_deep) {
    Budget budget({.instructions = 1'000'000});
    const std::string subject(1000, 'a');
    std::string pattern;
    for (int i = 0; i < 400; ++i)
        pattern += "a?";
    PatternMatcher matcher(subject, pattern, budget);

    BOOST_TEST(matcher.match_at(0) == MatchStatus::bad_pattern);
    BOOST_TEST(matcher.problem() == std::string("pattern too complex"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(string_library)

BOOST_AUTO_TEST_CASE(finds) {
    BOOST_TEST(value_of("('hello'):find('l')") == "3");
    BOOST_TEST(value_of("table.concat({('hello'):find('l+')}, ' ')") == "3 4");
    BOOST_TEST(value_of("table.concat({('a.b'):find('.', 2, true)}, ' ')") == "2 2");
    BOOST_TEST(value_of("table.concat({('hello'):find('(l)(l)')}, ' ')") == "3 4 l l");
    BOOST_TEST(value_of("('hello'):find('x')") == "nil");
    BOOST_TEST(value_of("('hello'):find('', 6)") == "6");
    BOOST_TEST(value_of("('hello'):find('', 7)") == "nil");
    BOOST_TEST(value_of("('hello'):find('l', -2)") == "4");
    BOOST_TEST(value_of("('hello'):find('h', -99)") == "1");
    BOOST_TEST(value_of("('hello'):find('^e', 2)") == "2");
}

BOOST_AUTO_TEST_CASE(matches_and_iterates) {
    BOOST_TEST(value_of("('k=v'):match('(%w)=(%w)')") == "k");
    BOOST_TEST(value_of("('abc'):match('()b()')") == "2");
    BOOST_TEST(
        value_of("(function() local r = '' for w in ('a,b,,c'):gmatch('[^,]*') do r = r .. '<' .. w .. '>' "
                 "end return r end)()") == "<a><b><><c>");
    BOOST_TEST(
        value_of("(function() local r = '' for k, v in ('a=1 b=2'):gmatch('(%w)=(%w)') do r = r .. k .. v "
                 "end return r end)()") == "a1b2");
}

BOOST_AUTO_TEST_CASE(substitutes) {
    BOOST_TEST(value_of("(('hello'):gsub('l', 'L'))") == "heLLo");
    BOOST_TEST(value_of("select(2, ('hello'):gsub('l', 'L'))") == "2");
    BOOST_TEST(value_of("(('hello'):gsub('l', 'L', 1))") == "heLlo");
    BOOST_TEST(value_of("(('abc'):gsub('%w', '%0%0'))") == "aabbcc");
    BOOST_TEST(value_of("(('abc'):gsub('', '-'))") == "-a-b-c-");
    BOOST_TEST(value_of("(('$x $y'):gsub('%$(%w)', {x = 'X', y = false}))") == "X $y");
    BOOST_TEST(value_of("(('a b'):gsub('%w', function(c) return c:upper() end))") == "A B");
    BOOST_TEST(value_of("(('aaa'):gsub('^a', 'b'))") == "baa");
    BOOST_TEST(has_text(value_of("('a'):gsub('a', '%2')"), "invalid capture index %2"));
    BOOST_TEST(has_text(value_of("('a'):gsub('a', '%x')"), "invalid use of '%'"));
    BOOST_TEST(has_text(value_of("('a'):gsub('a', true)"), "string/function/table expected"));
    BOOST_TEST(has_text(value_of("('a'):gsub('a', function() return {} end)"),
                        "invalid replacement value (a table)"));
}

BOOST_AUTO_TEST_CASE(repeats_up_to_the_bound_and_not_beyond) {
    BOOST_TEST(value_of("('ab'):rep(3, '-')") == "ab-ab-ab");
    BOOST_TEST(value_of("('x'):rep(0)").empty());
    BOOST_TEST(value_of("('x'):rep(-1)").empty());
    BOOST_TEST(value_of("#('x'):rep(65536)") == "65536");
    BOOST_TEST(has_text(value_of("#('x'):rep(65537)"), "resulting string too large"));
    BOOST_TEST(value_of("#(''):rep(math.maxinteger)") == "0");
}

BOOST_AUTO_TEST_SUITE_END()

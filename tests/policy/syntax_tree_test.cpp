// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/syntax_tree.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/sandbox.hpp"
#include "qosgate/policy/source_files.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace qg;
using namespace qg::policy;

namespace {

/// A statement or an expression with all its brackets: "(a + (b * c))", "f(x)", "local x = 1".
std::string show(const SyntaxTree& tree, NodeId id) {
    const auto part = [&](std::size_t place) { return show(tree, tree.child(id, place)); };
    const auto list = [&](std::size_t from) {
        std::vector<std::string> all;
        for (std::size_t i = from; i < tree[id].count; ++i)
            all.push_back(part(i));
        return text::join(all, ", ");
    };
    const NodeKind kind = tree.kind(id);
    if (kind == NodeKind::unary) return text::format("({} {})", tree.text(id), part(0));
    if (kind == NodeKind::binary) return text::format("({} {} {})", part(0), tree.text(id), part(1));
    if (kind == NodeKind::group) return text::format("<{}>", part(0));
    if (kind == NodeKind::index)
        return tree.text(id) == "[" ? text::format("{}[{}]", part(0), part(1))
                                    : text::format("{}{}{}", part(0), tree.text(id), part(1));
    if (kind == NodeKind::call) return text::format("{}({})", part(0), list(1));
    if (kind == NodeKind::method) return text::format("{}:{}({})", part(0), tree.member(id), list(1));
    if (kind == NodeKind::table) return text::format("{{{}}}", list(0));
    if (kind == NodeKind::entry) return text::format("{} = {}", part(0), part(1));
    return std::string(kind == NodeKind::text ? tree.token(id).raw : tree.text(id));
}

/// The expression behind `return`.
std::string expression(const std::string& source) {
    const std::string text = "return " + source;
    const SyntaxTree tree(text);
    BOOST_TEST_REQUIRE(tree.is_complete());
    return show(tree, tree.child(tree.child(tree.size() - 1, 0), 0));
}

bool compiles(const std::string& source) {
    const auto state = LuaState::create({.instructions = 1'000'000, .memory = std::size_t{64} << 20u});
    BOOST_TEST_REQUIRE(state != nullptr);
    return compile_chunk(*state, source, "t.lua").has_value();
}

std::string repeat(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i)
        all += text;
    return all;
}

/// For each use of `x`: the line where it is declared, 0 for a global.
std::vector<int> lines_of_x(const std::string& source) {
    const SyntaxTree tree(source);
    BOOST_TEST_REQUIRE(tree.is_complete());
    std::vector<int> lines;
    for (NodeId id = 0; id < tree.size(); ++id)
        if (tree.is(id, NodeKind::name) && tree.text(id) == "x")
            lines.push_back(tree.is_global(id) ? 0 : tree.line(tree.declarations()[tree[id].local].node));
    return lines;
}

const char* const sources[] = {
    "",
    "# a line for the shell\nreturn 1",
    "local a <const>, b = 1, 0x1p4 // 2 ~ 3 >> ~1 << 2 & 3 | 4 % 5 ^ 6",
    "goto done do local x = 1 ; end ::done:: ; return ; ",
    "for i = 1, 2, 3 do break end for k, v in pairs{ 1; a = 2, [3] = 4, } do end",
    "while a do if b then elseif c then else end end repeat local x = 1 until x",
    "function a.b:c(d, ...) return ... end local function f(...) return f 'x' { y } :z [[t]] end",
    "a.b, c[1] = function() end, (f())[2]",
    "a.b = 1; (f or g)(x)",
    "local x = -2 ^ -2 .. 'a' .. \"b\" == not #t",
    "f",
    "a.b",
    "(f) = 1 +",
    "local function a.b() end",
    "if a then",
    "return 1 return 2",
    "x = }",
    "for i do end",
    "f(1, )",
    "local a < b = 1",
    "end",
    "a = = 1",
    "goto 1",
    "::a",
    "{ }",
    "f:g",
    "function () end",
};

} // namespace

BOOST_AUTO_TEST_SUITE(syntax_tree)

BOOST_DATA_TEST_CASE(reads_what_lua_compiles_and_nothing_else, sources, source) {
    BOOST_TEST(SyntaxTree(source).is_complete() == compiles(source));
}

BOOST_AUTO_TEST_CASE(nests_at_least_as_deeply_as_lua) {
    const auto nested = [](const std::string& open, const std::string& close, int count) {
        return "local x = " + repeat(open, count) + "1" + repeat(close, count);
    };
    const auto blocks = [](int count) { return repeat("do ", count) + repeat("end ", count); };
    const std::vector<std::pair<std::string, std::string>> brackets{
        {"(", ")"}, {"{", "}"}, {"f(", ")"}, {"- ", ""}, {"'a' .. ", ""}, {"function() return ", " end"}};
    for (const auto& [open, close] : brackets) {
        int count = 1;
        while (compiles(nested(open, close, count)))
            ++count;
        BOOST_TEST(SyntaxTree(nested(open, close, count - 1)).is_complete(), open);
        BOOST_TEST(!SyntaxTree(nested(open, close, 100'000)).is_complete(), open);
    }
    int count = 1;
    while (compiles(blocks(count)))
        ++count;
    BOOST_TEST(SyntaxTree(blocks(count - 1)).is_complete());
    BOOST_TEST(!SyntaxTree(blocks(50'000)).is_complete());
}

BOOST_AUTO_TEST_CASE(operators_bind_as_in_lua) {
    BOOST_TEST(expression("a + b * c - d") == "((a + (b * c)) - d)");
    BOOST_TEST(expression("not a == b") == "((not a) == b)");
    BOOST_TEST(expression("a .. b .. c") == "(a .. (b .. c))");
    BOOST_TEST(expression("-a ^ b ^ -c") == "(- (a ^ (b ^ (- c))))");
    BOOST_TEST(expression("a or b and c < d | e ~ f & g << h .. i + 1") ==
               "(a or (b and (c < (d | (e ~ (f & (g << (h .. (i + 1)))))))))");
    BOOST_TEST(expression("a.b[c]:d 'x'(e){ f = 1, 2 }") == "a.b[c]:d('x')(e)({f = 1, 2})");
    BOOST_TEST(expression("(a or b):c()") == "<(a or b)>:c()");
}

BOOST_AUTO_TEST_CASE(a_name_means_the_declaration_that_lua_takes) {
    const auto is = [](const std::string& source, const std::vector<int>& lines) {
        BOOST_TEST(lines_of_x(source) == lines, boost::test_tools::per_element());
    };
    is("x = 1\nlocal x = x\nf(x)", {0, 0, 2});
    is("local x\ndo local x\nf(x) end f(x)", {2, 1});
    is("repeat local x\nuntil x f(x)", {1, 0});
    is("local function x()\nx() end x()", {1, 1});
    is("local x = function()\nx() end", {0});
    is("local x\nlocal f = function(x) f(x) end f(x)", {2, 1});
    is("for x = x, 2 do\nf(x) end f(x)", {0, 1, 0});
    is("for x in x do\nf(x) end", {0, 1});
    is("if a then local x\nelse f(x) end", {0});
    is("local t = { x = 1, [x] = 2 } t.x = t:x()\n", {0});
    is("goto x ::x::", {});
}

BOOST_AUTO_TEST_CASE(assignments_are_told_with_their_values) {
    const std::string source = "local a, b, c = 1, 2 a, t.k = 3, 4 function t.f() end function t:m(p) end";
    const SyntaxTree tree(source);
    BOOST_TEST_REQUIRE(tree.declarations().size() == 5u);
    const auto& [a, b, c, self, p] =
        std::tie(tree.declarations()[0], tree.declarations()[1], tree.declarations()[2],
                 tree.declarations()[3], tree.declarations()[4]);

    BOOST_TEST(a.is_assigned);
    BOOST_TEST(!b.is_assigned);
    BOOST_TEST(tree.text(b.value) == "2");
    BOOST_TEST(c.value == no_node);
    BOOST_TEST(self.name == "self");
    BOOST_TEST(p.name == "p");
    std::vector<std::string> given;
    for (NodeId id = 0; id < tree.size(); ++id)
        if (tree.is_target(id)) given.push_back(show(tree, id) + " " + show(tree, tree.value_of(id)));
    const std::vector<std::string> expected{"a 3", "t.k 4", "t.f function", "t:m function"};
    BOOST_TEST(given == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_stands_before_a_mistake_is_read) {
    const SyntaxTree tree("function f() return 1 end\nfunction g() g( end");

    BOOST_TEST(!tree.is_complete());
    BOOST_TEST(tree.find_function("f") != no_node);
    BOOST_TEST(tree.find_function("h") == no_node);
}

BOOST_AUTO_TEST_CASE(long_chains_take_linear_time_and_no_stack) {
    for (const char* link : {".b", "()", "[1]", ":c()", " + 1", " == 2", ", d", "{}"}) {
        std::string source = "return a";
        while (source.size() < max_file_bytes - 10)
            source += link;
        BOOST_TEST(SyntaxTree(source).is_complete(), link);
    }
    std::string source;
    while (source.size() < max_file_bytes - 30)
        source += "local x = function(x) x() end\n";
    BOOST_TEST(SyntaxTree(source).is_complete());
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/json_reader.hpp"

#include "qosgate/base/text.hpp"
#include "support/texts.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using test::repeated;

namespace {

std::string shown(const DataTable& table, const DataValue& value) {
    using Kind = DataValue::Kind;
    std::vector<std::string> parts;
    switch (value.kind) {
    case Kind::nothing: return "null";
    case Kind::flag: return value.integer != 0 ? "true" : "false";
    case Kind::integer: return std::to_string(value.integer);
    case Kind::real: return text::format("{}", value.real);
    case Kind::text: return text::format("'{}'", table.text(value));
    case Kind::list:
        for (const DataValue& element : table.elements(value))
            parts.push_back(shown(table, element));
        return "[" + text::join(parts, ",") + "]";
    case Kind::map:
    case Kind::row:
        for (const DataEntry& entry : table.entries(value))
            parts.push_back(text::format("{}:{}", table.text(entry.key), shown(table, entry.value)));
        return "{" + text::join(parts, ",") + "}";
    }
    return {};
}

/// What was read, or the error.
std::string read(std::string_view text) {
    const auto table = read_json(text);
    return table ? shown(*table, table->root()) : "error: " + table.error().message;
}

struct Example {
    std::string text;
    const char* result;
    friend std::ostream& operator<<(std::ostream& out, const Example& example) {
        return out << text::printable(example.text);
    }
};

const Example accepted[] = {
    {"{}", "{}"},
    {"[]", "[]"},
    {" \t\r\n[ ] \n", "[]"},
    {"[1,-1,0,-0,9223372036854775807,-9223372036854775808]",
     "[1,-1,0,0,9223372036854775807,-9223372036854775808]"},
    {"[1.5,-0.25,1e3,1E+2,25e-1]", "[1.5,-0.25,1000,100,2.5]"},
    {"[true,false]", "[true,false]"},
    {"{\"b\":1,\"a\":[{\"c\":\"d\"}],\"\":null}", "{:null,a:[{c:'d'}],b:1}"},
    {R"(["\"\\\/\b\f\n\r\t"])", "['\"\\/\b\f\n\r\t']"},
    {R"(["\u0041\u00e4\u20AC\ud83d\ude00"])", "['A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80']"},
    {"[\"\xc3\xa4\xf0\x9f\x98\x80\x7f\"]", "['\xc3\xa4\xf0\x9f\x98\x80\x7f']"},
    {"\xef\xbb\xbf[1]", "[1]"},
};

const Example refused[] = {
    {"", "1: the file is empty"},
    {" \n", "2: the file is empty"},
    {"1", "1: a file holds an object { ... } or a list [ ... ]"},
    {"\"x\"", "1: a file holds an object"},
    {"null", "1: a file holds an object"},
    {"// x\n{}", "1: a file holds an object"},
    {"[1] 2", "1: there is more behind the end"},
    {"{}\n}", "2: there is more behind the end"},
    {"[", "1: a value is missing: the file ends"},
    {"[1", "1: ',' or ']' is missing: the file ends"},
    {"[1,\n\n]", "3: a value is expected before ']'"},
    {"{\"a\": 1,\n}\n", "2: a key in quotes is expected before '}'"},
    {"[-\n1]", "1: a digit is expected before the end of the line"},
    {"[1 2]", "1: ',' or ']' is expected before '2]'"},
    {"[,1]", "1: a value is expected before ',1]'"},
    {"{", "1: a key in quotes is missing: the file ends"},
    {"{\"a\"", "1: ':' is missing"},
    {"{\"a\" 1}", "1: ':' is expected before '1}'"},
    {"{\"a\":}", "1: a value is expected before '}'"},
    {"{\"a\":1,}", "1: a key in quotes is expected before '}'"},
    {"{\"a\":1 \"b\":2}", "1: ',' or '}' is expected before"},
    {"{a:1}", "1: a key in quotes is expected before 'a:1}'"},
    {"{1:1}", "1: a key in quotes is expected"},
    {"{'a':1}", "1: a key in quotes is expected"},
    {"{\"a\":1,\n\"b\":2,\"a\":3}", "2: key \"a\" is there twice"},
    {"[null]", "1: null in a list"},
    {"[01]", "1: a number begins with no 0 before other digits"},
    {"[-01]", "1: a number begins with no 0"},
    {"[+1]", "1: a value is expected before '+1]'"},
    {"[-]", "1: a digit is expected before ']'"},
    {"[.5]", "1: a value is expected"},
    {"[1.]", "1: a digit is expected before ']'"},
    {"[1e]", "1: a digit is expected"},
    {"[1e+]", "1: a digit is expected"},
    {"[0x10]", "1: ',' or ']' is expected before 'x10]'"},
    {"[NaN]", "1: a value is expected"},
    {"[Infinity]", "1: a value is expected"},
    {"[-Infinity]", "1: a digit is expected"},
    {"[9223372036854775808]", "1: the number is out of range"},
    {"[-9223372036854775809]", "1: the number is out of range"},
    {"[1e999]", "1: the number is out of range"},
    {"[True]", "1: a value is expected"},
    {"[tru]", "1: a value is expected"},
    {"[truely]", "1: ',' or ']' is expected before 'ly]'"},
    {"[\"a", "1: the text is not closed"},
    {"[\"a\\", "1: a backslash before a character that needs none"},
    {"[\"\\x41\"]", "1: a backslash before a character that needs none"},
    {"[\"\\'\"]", "1: a backslash before a character that needs none"},
    {"[\"\\u12\"]", "1: \\u needs four hexadecimal digits"},
    {"[\"\\u12g4\"]", "1: \\u needs four hexadecimal digits"},
    {"[\"\\u-123\"]", "1: \\u needs four hexadecimal digits"},
    {"[\"\\u", "1: \\u needs four hexadecimal digits"},
    {"[\"\\ud83d\"]", "1: half of a surrogate pair"},
    {"[\"\\ud83d\\u0041\"]", "1: half of a surrogate pair"},
    {"[\"\\ude00\"]", "1: half of a surrogate pair"},
    {"[\"a\nb\"]", "1: a control character in a text"},
    {std::string("[\"a\0b\"]", 7), "1: a control character in a text"},
    {std::string("[\0]", 3), "1: a value is expected"},
    {"[\"\xff\"]", "1: the text is not UTF-8"},
    {"[\"\xc3\"]", "1: the text is not UTF-8"},
    {"[\"\xc0\xaf\"]", "1: the text is not UTF-8"},
    {"[\"\xed\xa0\x80\"]", "1: the text is not UTF-8"},
    {"\xfe\xff[1]", "1: a file holds an object"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(json_reader)

BOOST_DATA_TEST_CASE(reads_json, accepted, example) {
    BOOST_TEST(read(example.text) == example.result);
}

BOOST_DATA_TEST_CASE(refuses_everything_else_and_says_where, refused, example) {
    const std::string result = read(example.text);

    BOOST_TEST(result.starts_with(std::string("error: ") + example.result), result);
}

BOOST_AUTO_TEST_CASE(refuses_every_beginning_of_a_file) {
    const std::string whole = R"({"a": [1, -2.5e3, "x\u20ac\n", true, {"b": null}], "c": {}})";
    BOOST_TEST(read(whole) == "{a:[1,-2500,'x\xe2\x82\xac\n',true,{b:null}],c:{}}");

    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(read(whole.substr(0, length)).starts_with("error: 1: "), whole.substr(0, length));
}

BOOST_AUTO_TEST_CASE(is_bounded_in_depth) {
    const std::size_t most = DataBounds::max_depth + 1;
    BOOST_TEST(read_json(repeated("[", most) + repeated("]", most)).has_value());
    BOOST_TEST(read(repeated("[", most + 1) + repeated("]", most + 1)) == "error: 1: more than 32 levels");
    BOOST_TEST(read(repeated("[", 4'000'000)) == "error: 1: more than 32 levels");
    BOOST_TEST(read(repeated("{\"a\":", 800'000)) == "error: 1: more than 32 levels");
}

BOOST_AUTO_TEST_CASE(is_bounded_in_values) {
    BOOST_TEST(read_json("[1,2,3]", 4).has_value());
    BOOST_TEST(read_json("[1,2,3]", 3).error().message == "1: the files hold more than 500000 values");
    BOOST_TEST(read_json("[" + repeated("1,", DataBounds::max_values - 2) + "1]").has_value());
    BOOST_TEST(!read_json("[" + repeated("1,", DataBounds::max_values - 1) + "1]").has_value());
}

BOOST_AUTO_TEST_CASE(is_bounded_in_texts_and_keys) {
    const auto text = [](std::size_t bytes) { return "[\"" + std::string(bytes, 'x') + "\"]"; };
    BOOST_TEST(read_json(text(DataBounds::max_text_bytes)).has_value());
    BOOST_TEST(read(text(DataBounds::max_text_bytes + 1)) == "error: 1: a text of more than 65000 bytes");
    const auto key = [](std::size_t bytes) { return "{\"" + std::string(bytes, 'x') + "\":1}"; };
    BOOST_TEST(read_json(key(DataBounds::max_key_bytes)).has_value());
    BOOST_TEST(read(key(DataBounds::max_key_bytes + 1)) == "error: 1: a text of more than 255 bytes");
}

BOOST_AUTO_TEST_CASE(survives_changed_bytes) {
    const std::string whole =
        R"({"projects": [{"name": "astro", "gpus": 16, "share": 0.25}, {"name": "b\u00e4r", "open": true}], "n": -1})";
    test::Mutations mutations(whole, "{}[]\",:\\ue-0");
    std::size_t good = 0;
    for (int round = 0; round < 20'000; ++round) {
        const auto table = read_json(mutations.next());
        if (table) BOOST_TEST(!shown(*table, table->root()).empty());
        good += table ? 1 : 0;
    }
    BOOST_TEST(good > 0u);
    BOOST_TEST(good < 10'000u);
}

BOOST_AUTO_TEST_CASE(finds_keys) {
    const auto table = read_json(R"({"b": 2, "a": 1, "ab": 3, "": 4})");
    BOOST_TEST_REQUIRE(table.has_value());
    for (const auto& [key, value] : {std::pair("a", 1), {"b", 2}, {"ab", 3}, {"", 4}}) {
        const auto found = table->find(table->root(), key);
        BOOST_TEST_REQUIRE(found.has_value());
        BOOST_TEST(table->entries(table->root())[*found].value.integer == value);
    }
    BOOST_TEST(!table->find(table->root(), "c").has_value());
    BOOST_TEST(!table->find(table->root(), "aa").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

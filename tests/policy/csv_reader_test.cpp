// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/data_files.hpp"

#include "qosgate/base/text.hpp"
#include "support/texts.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;

namespace {

/// The rows, "a=1,b=2|a=3,b=-", or the error; "-" is an empty field.
std::string read(std::string_view text) {
    const auto table = read_csv(text);
    if (!table) return "error: " + table.error().message;
    std::vector<std::string> rows;
    for (const DataValue& row : table->elements(table->root())) {
        std::vector<std::string> fields;
        for (const DataEntry& entry : table->entries(row)) {
            const bool is_text = entry.value.kind == DataValue::Kind::text;
            fields.push_back(text::format("{}={}", table->text(entry.key),
                                          is_text ? table->text(entry.value) : std::string_view("-")));
        }
        rows.push_back(text::join(fields, ","));
    }
    return text::join(rows, "|");
}

struct Example {
    std::string text;
    const char* result;
    friend std::ostream& operator<<(std::ostream& out, const Example& example) {
        return out << text::printable(example.text);
    }
};

const Example accepted[] = {
    {"a,b\n1,2\n3,4\n", "a=1,b=2|a=3,b=4"},
    {"a,b\r\n1,2\r\n3,4", "a=1,b=2|a=3,b=4"},
    {"b,a\n1,2", "a=2,b=1"},
    {"a", ""},
    {"a,b\n", ""},
    {"a,b\n,2\n1,\n,\n\"\",\"\"", "a=-,b=2|a=1,b=-|a=-,b=-|a=-,b=-"},
    {"a\n\n\n1\n\r\n2\n\n", "a=1|a=2"},
    {"\n\na\n1", "a=1"},
    {"a,b\n\"x, y\",\"say \"\"no\"\"\"", "a=x, y,b=say \"no\""},
    {"a,b\n\"1\n2\",\"\r\n\"\n3,4", "a=1\n2,b=\r\n|a=3,b=4"},
    {"\"a\",\"b c\"\n1,2", "a=1,b c=2"},
    {"\xef\xbb\xbf"
     "a,b\n1,2",
     "a=1,b=2"},
    {"a\n 1 ", "a= 1 "},
    {"a\n\xc3\xa4", "a=\xc3\xa4"},
    {"a\n\"\"\"\"", "a=\""},
};

const Example refused[] = {
    {"", "1: the file is empty"},
    {"\n\n", "3: the file is empty"},
    {"a,,b\n", "1: a column has no name"},
    {"a,b,\n1,2,3", "1: a column has no name"},
    {"a,b,a\n", "1: two columns have the name 'a'"},
    {"a,b\n1\n", "2: 1 field, and the first line names 2"},
    {"a,b\n1,2\n\n1,2,3\n", "4: 3 fields, and the first line names 2"},
    {"a,b\n\"1\n2\n\",2,3\n", "2: 3 fields, and the first line names 2"},
    {"a,b\n1,2;3\"\n", "2: a quote in a field that does not begin with one"},
    {"a,b\n1,\"2\" \n", "2: a character behind the quote that ends a field"},
    {"a,b\n1,\"2\"x\n", "2: a character behind the quote that ends a field"},
    {"a,b\n1,\"2\n3\n", "2: the quote that begins a field is not closed"},
    {"a\n\"", "2: the quote that begins a field is not closed"},
    {"a\n\"\"\"", "2: the quote that begins a field is not closed"},
    {"a\nx\ry", "2: a control character in a field"},
    {std::string("a\nx\0y", 5), "2: a control character in a field"},
    {"a\n\xff", "2: the text is not UTF-8"},
    {"a\n\"\xc3\"", "2: the text is not UTF-8"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(csv_reader)

BOOST_DATA_TEST_CASE(reads_tables, accepted, example) {
    BOOST_TEST(read(example.text) == example.result);
}

BOOST_DATA_TEST_CASE(refuses_everything_else_and_says_where, refused, example) {
    const std::string result = read(example.text);

    BOOST_TEST(result.starts_with(std::string("error: ") + example.result), result);
}

BOOST_AUTO_TEST_CASE(is_bounded) {
    BOOST_TEST(read_csv("a,b\n1,2\n3,4", 6).has_value());
    BOOST_TEST(read_csv("a,b\n1,2\n3,4", 5).error().message == "3: the files hold more than 500000 values");
    const auto columns = [](std::size_t count) {
        std::string line = "c0";
        for (std::size_t i = 1; i < count; ++i)
            line += text::format(",c{}", i);
        return line;
    };
    BOOST_TEST(read_csv(columns(DataBounds::max_columns)).has_value());
    BOOST_TEST(read_csv(columns(DataBounds::max_columns + 1)).error().message == "1: more than 256 columns");
    BOOST_TEST(read_csv("a\n" + std::string(DataBounds::max_text_bytes, 'x')).has_value());
    BOOST_TEST(read_csv("a\n" + std::string(DataBounds::max_text_bytes + 1, 'x')).error().message ==
               "2: a field of more than 65000 bytes");
    BOOST_TEST(!read_csv(std::string(DataBounds::max_key_bytes + 1, 'x')).has_value());
}

BOOST_AUTO_TEST_CASE(survives_changed_bytes) {
    const std::string whole =
        "account,partition,gpus\nastro,gpu,16\n\"bio, \"\"old\"\"\",cpu,\n\"x\ny\",\"\",1\n";
    test::Mutations mutations(whole, ",\"\n\r");
    std::size_t good = 0;
    for (int round = 0; round < 20'000; ++round)
        good += read(mutations.next()).starts_with("error: ") ? 0 : 1;
    BOOST_TEST(good > 0u);
    BOOST_TEST(good < 20'000u);
}

BOOST_AUTO_TEST_SUITE_END()

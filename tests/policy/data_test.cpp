// SPDX-License-Identifier: GPL-2.0-or-later
//
// data("FILE") in rules and modules.
#include "qosgate/base/data_table.hpp"
#include "qosgate/policy/findings.hpp"
#include "support/policy_setup.hpp"
#include "support/sanitized.hpp"
#include "support/texts.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

const std::string projects =
    R"({"astro": {"gpus": 16, "share": 0.5, "open": true, "pi": null, "users": ["ana", "ben"]}, "bio": {"gpus": 0}})";
const std::string map = "account,partition,gpus\nastro,gpu,16\nbio,cpu,\n";

Texts beside_data(const std::string& rule) {
    return {{"t.lua", rule}, {"data/map.csv", map}, {"data/projects.json", projects}};
}

/// The value of an expression in a rule; "error: ..." if it fails. `p` is projects.json, `m` is map.csv.
std::string value_in(const std::string& expression) {
    const auto policy =
        policy_of(beside_data("local p, m = data('projects.json'), data('map.csv')\n" +
                              rule_with(at_run_time("job:warn('%s', tostring(" + expression + "))"))));
    const auto outcome = Job().run(*policy);
    return outcome.rejected ? "error: " + outcome.events.at(0).text : outcome.warnings.at(0);
}

/// Why a policy with this file does not load.
std::string problem_with(const std::string& name, const std::string& text) {
    return load_error({{"t.lua", rule_with("job:warn('x')")}, {"data/" + name, text}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(data)

BOOST_AUTO_TEST_CASE(is_read_as_lua_s_own_values) {
    BOOST_TEST(value_in("p.astro.gpus") == "16");
    BOOST_TEST(value_in("math.type(p.astro.gpus)") == "integer");
    BOOST_TEST(value_in("p.astro.share") == "0.5");
    BOOST_TEST(value_in("p.astro.open") == "true");
    BOOST_TEST(value_in("p.astro.users[2]") == "ben");
    BOOST_TEST(value_in("p['bio'].gpus") == "0");
    BOOST_TEST(value_in("m[1].account") == "astro");
    BOOST_TEST(value_in("tonumber(m[1].gpus)") == "16");
    BOOST_TEST(value_in("math.type(m[1].gpus)") == "nil"); // fields are texts
}

BOOST_AUTO_TEST_CASE(has_nil_for_null_empty_fields_and_what_is_not_there) {
    for (const char* expression :
         {"p.astro.pi", "p.chem", "p.astro.users[3]", "p.astro.users[0]", "p.astro.users[1.5]",
          "p.astro.users.x", "p[nil]", "p[true]", "m[3]", "m[2].gpus", "m.account", "p['']"})
        BOOST_TEST(value_in(expression) == "nil", expression);
}

BOOST_AUTO_TEST_CASE(finds_misspelt_columns_and_numbers_as_keys) {
    BOOST_TEST(has_text(value_in("m[1].acount"), "t.lua:3: map.csv has no column 'acount'; did you mean "
                                                 "account? (there are: account, gpus, partition)"));
    BOOST_TEST(has_text(value_in("m[1][2]"), "the keys in map.csv are texts: write t[tostring(key)]"));
    BOOST_TEST(has_text(value_in("p[1000]"), "the keys in projects.json are texts: write t[tostring(key)] or "
                                             "t[\"1000\"]"));
}

BOOST_AUTO_TEST_CASE(looks_like_a_table) {
    BOOST_TEST(value_in("type(p) .. type(m[1]) .. type(p.astro.users)") == "tabletabletable");
    BOOST_TEST(value_in("#m .. #p.astro.users .. #p") == "220");
    BOOST_TEST(value_in("table.concat(p.astro.users, '+')") == "ana+ben");
    BOOST_TEST(value_in("select('#', table.unpack(p.astro.users))") == "2");
    BOOST_TEST(value_in("p.astro == p.astro") == "true");
    BOOST_TEST(value_in("p.astro == p.bio") == "false");
    BOOST_TEST(value_in("data('projects.json') == p") == "true");
    BOOST_TEST(value_in("(next(p))") == "astro");
    BOOST_TEST(value_in("next(p.astro.users, 2)") == "nil");
    BOOST_TEST(has_text(value_in("next(p, 'x')"), "invalid key to 'next'"));
    for (const char* key : {"0", "3", "-1", "math.maxinteger", "math.mininteger"})
        BOOST_TEST(has_text(value_in(text::format("next(p.astro.users, {})", key)), "invalid key to 'next'"),
                   key);
    BOOST_TEST(value_in("p == job or job == p or p == job.env or p == 1") == "false");
    BOOST_TEST(value_in("(function() local s = '' for i, v in ipairs(p.astro.users) do s = s .. i .. v end "
                        "return s end)()") == "1ana2ben");
    BOOST_TEST(value_in("(function() local s = '' for i, v in pairs(p.astro.users) do s = s .. i .. v end "
                        "return s end)()") == "1ana2ben");
}

BOOST_AUTO_TEST_CASE(has_pairs_in_the_order_of_the_keys_without_nil) {
    const std::string keys = "(function(t) local s = '' for k, v in pairs(t) do s = s .. k .. '+' end "
                             "return s end)";
    BOOST_TEST(value_in(keys + "(p)") == "astro+bio+");
    BOOST_TEST(value_in(keys + "(p.astro)") == "gpus+open+share+users+");
    BOOST_TEST(value_in(keys + "(m[2])") == "account+partition+");
    BOOST_TEST(value_in("(function() for k, v in pairs(p) do return v.gpus end end)()") == "16");
}

BOOST_AUTO_TEST_CASE(walking_over_values_that_are_null_is_charged) {
    std::string nulls = "{\"k\": null";
    for (int i = 0; i < 20'000; ++i)
        nulls += text::format(",\"k{}\": null", i);
    nulls += "}";
    const auto walk = [&](int times) {
        const auto policy = policy_of(
            {{"t.lua", "local p = data('p.json')\n" +
                           rule_with(text::format("for i = 1, {} do for k in pairs(p) do job:warn('x') "
                                                  "end end job:warn('no value')",
                                                  times))},
             {"data/p.json", nulls}});
        const auto outcome = Job().run(*policy);
        return outcome.rejected ? outcome.events.at(0).text : outcome.warnings.at(0);
    };

    BOOST_TEST(walk(4) == "no value");
    BOOST_TEST(has_text(walk(5), "more than 100000 instructions"));
}

BOOST_AUTO_TEST_CASE(cannot_be_written) {
    for (const char* write : {"p.astro = nil", "p.new = 1", "p.astro.users[1] = 'x'", "m[1].gpus = '1'",
                              "table.insert(m, {})", "table.remove(p.astro.users)"}) {
        BOOST_TEST_CONTEXT(write) {
            const std::string result = value_in(text::format("(function() {} end)()", write));
            const bool is_refused = has_text(result, ".json cannot be changed (field '") ||
                                    has_text(result, ".csv cannot be changed (field '");
            BOOST_TEST(is_refused, result);
        }
    }
    BOOST_TEST(has_text(value_in("pcall(table.sort, p.astro.users) or 'no'"), "no"));
}

BOOST_AUTO_TEST_CASE(is_there_while_files_load_in_modules_and_while_rules_run) {
    const auto policy = policy_of(
        {{"t.lua", "local m = require('m') local gpus = data('p.json').gpus\n" +
                       rule_with("job:warn('%d %d %d', gpus, m.gpus(), data('p.json').gpus)")},
         {"data/p.json", R"({"gpus": 4})"},
         {"lib/m.lua", "local p = data('p.json') return { gpus = function() return p.gpus end, t = p }"}});

    BOOST_TEST(Job().run(*policy).warnings.at(0) == "4 4 4");
}

BOOST_AUTO_TEST_CASE(may_be_the_list_of_a_rule) {
    const auto policy =
        policy_of({{"t.lua", rule_with("job:reject('no')", "exempt = data('staff.json').exempt,")},
                   {"data/staff.json", R"({"exempt": ["root", "ana"]})"}});

    BOOST_TEST(policy->rules().at(0).exempt.root);
    BOOST_TEST(!Job().run(*policy).rejected);
    BOOST_TEST(has_text(load_error({{"t.lua", rule_with("", "exempt = data('staff.json'),")},
                                    {"data/staff.json", R"({"exempt": ["root"]})"}}),
                        "rule: 'exempt' cannot be a table: write a list of at most 64 names"));
}

BOOST_AUTO_TEST_CASE(that_does_not_exist_is_named_with_the_one_meant) {
    BOOST_TEST(has_text(load_error(beside_data("local x = data('project.json')")),
                        "t.lua:1: data has no file 'project.json'; did you mean projects.json?"));
    BOOST_TEST(load_error(beside_data(rule_with("\nlocal x = data 'maps.csv'")))
                   .starts_with("t.lua:3: data has no file 'maps.csv'; did you mean map.csv? (there are: "));
    BOOST_TEST(has_text(load_error({{"t.lua", rule_with("data('../site.lua')")}}),
                        "t.lua:2: data has no file '../site.lua' (there are: none)"));
    BOOST_TEST(has_text(value_in("data('no' .. 'thing')"), "data has no file 'nothing'"));
    BOOST_TEST(has_text(value_in("data(1)"), "bad argument #1 to 'data'"));
    BOOST_TEST(load_error(beside_data(rule_with("local data = {} return data.x"))) == "");
    BOOST_TEST(
        has_text(load_error({{"site.lua", "site { contact = data('x.json').y }"}}), "unknown name 'data'"));
}

BOOST_AUTO_TEST_CASE(that_is_wrong_keeps_the_policy_from_loading) {
    BOOST_TEST(problem_with("a.json", "{\n\"x\": }") == "data/a.json:2: a value is expected before '}'");
    BOOST_TEST(problem_with("a.csv", "a,b\n1\n") == "data/a.csv:2: 1 field, and the first line names 2");
    BOOST_TEST(problem_with("a.json", "{}") == "");
    BOOST_TEST(problem_with("a.csv", "a,b\n1,2\n") == "");
    const auto findings = check_sources({true,
                                         {{"t.lua", rule_with("job:warn('x')")},
                                          {"data/a.json", "{\n"},
                                          {"data/b.csv", "a,a"},
                                          {"data/c.json", "[]"}}})
                              .findings;
    BOOST_TEST_REQUIRE(findings.size() == 2u);
    BOOST_TEST(findings[0].file == "data/a.json");
    BOOST_TEST(findings[0].line == 2);
    BOOST_TEST(findings[0].message == "a key in quotes is missing: the file ends");
    BOOST_TEST(findings[1].file == "data/b.csv");
}

BOOST_AUTO_TEST_CASE(is_bounded_in_all_files_together) {
    const std::string half = "[" + repeated("1,", DataBounds::max_values / 2 - 1) + "1]";
    const std::string rule = rule_with("job:warn('x')");
    BOOST_TEST(load_error({{"t.lua", rule}, {"data/a.json", half}, {"data/b.json", "[1,2]"}}) == "");
    BOOST_TEST(load_error({{"t.lua", rule}, {"data/a.json", half}, {"data/b.json", half}}) ==
               "data/b.json:1: the files hold more than 500000 values");
}

BOOST_AUTO_TEST_CASE(takes_no_memory_of_a_state) {
    // Two megabytes of text, in states that may have one.
    const std::string large = "[" + repeated("\"" + std::string(1000, 'x') + "\",", 2000) + "1]";
    const auto policy =
        policy_of({{"site.lua", "site { rule_memory_mib = 1 }"},
                   {"t.lua", "local large = data('large.json')\n" + rule_with("job:warn('%d', #large)")},
                   {"data/large.json", large}});

    BOOST_TEST(Job().run(*policy).warnings.at(0) == "2001");
}

BOOST_AUTO_TEST_CASE(is_found_quickly_in_large_files) {
    // A search through the file for each would take longer than a rule may.
    constexpr int lookups = 5000 / slowness;
    std::string text = "{";
    for (int i = 0; i < 100'000; ++i)
        text += qg::text::format("\"project{}\": {{\"gpus\": {}}},", i, i);
    text += "\"last\": {\"gpus\": 1}}";
    const auto policy =
        policy_of({{"t.lua", "local p = data('p.json')\n" +
                                 rule_with("local n = 0 for i = 1, " + std::to_string(lookups) +
                                           " do n = n + p.project77777.gpus end job:warn('%d', n)")},
                   {"data/p.json", text}});

    const auto outcome = Job().run(*policy);
    BOOST_TEST_REQUIRE(!outcome.rejected, outcome.reject_message);
    BOOST_TEST(outcome.warnings.at(0) == std::to_string(lookups * 77777));
}

BOOST_AUTO_TEST_CASE(changes_the_hash_and_is_read_from_its_directory) {
    const TempDirectory temp;
    temp.write("t.lua", rule_with("job:warn(data('p.json').text)"));
    fs::create_directory(temp.directory() / "data");
    chmod((temp.directory() / "data").c_str(), 0755);
    temp.write("data/p.json", R"({"text": "one"})");
    temp.write("data/notes.txt", "x");
    temp.write("data/.hidden.json", "x");
    temp.write("data/OLD.JSON", "x");
    const auto one = load_policy(temp.directory());
    BOOST_TEST_REQUIRE(one.has_value());
    BOOST_TEST(Job().run(**one).warnings.at(0) == "one");
    const auto report = check_policy(temp.directory());
    BOOST_TEST(report->hash == (*one)->hash());
    BOOST_TEST_REQUIRE(report->findings.size() == 1u);
    BOOST_TEST(report->findings[0].file == "data/OLD.JSON");
    BOOST_TEST(report->findings[0].message ==
               "is ignored: a name must end in '.json' or '.csv', in lower case");

    const std::uint64_t signature = stat_signature(temp.directory());
    const fs::path file = temp.write("data/p.json", R"({"text": "two"})");
    BOOST_TEST(stat_signature(temp.directory()) != signature);
    const auto two = load_policy(temp.directory());
    BOOST_TEST((*two)->hash() != (*one)->hash());
    BOOST_TEST(Job().run(**two).warnings.at(0) == "two");

    chmod(file.c_str(), 0666);
    BOOST_TEST(has_text(load_policy(temp.directory()).error().message,
                        "data/p.json: mode 0666 lets others write it"));
}

BOOST_AUTO_TEST_CASE(is_bounded_in_bytes) {
    const TempDirectory temp;
    fs::create_directory(temp.directory() / "data");
    chmod((temp.directory() / "data").c_str(), 0755);
    const auto blank = [](std::size_t bytes) { return std::string(bytes - 2, ' ') + "[]"; };
    temp.write("data/a.json", blank(max_data_file_bytes));
    BOOST_TEST(load_policy(temp.directory()).has_value());
    temp.write("data/a.json", blank(max_data_file_bytes + 1));
    BOOST_TEST(has_text(load_policy(temp.directory()).error().message, "data/a.json: larger than 4096 KiB"));
    BOOST_TEST(has_text(check_policy(temp.directory())->findings.at(0).message, "larger than 4096 KiB"));

    for (const char* name : {"a", "b", "c", "d"})
        temp.write(text::format("data/{}.json", name), blank(max_data_file_bytes));
    BOOST_TEST(load_policy(temp.directory()).has_value());
    temp.write("data/e.json", "[]");
    BOOST_TEST(
        has_text(load_policy(temp.directory()).error().message, "qosgate.d/data: holds more than 16 MiB"));
    BOOST_TEST(check_policy(temp.directory())->findings.at(0).message == "holds more than 16 MiB");
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The JSON Schema for editors and the documentation say the same as the loader.
#include "load_setup.hpp"

#include "qosgate/base/read_file.hpp"

#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;
using nlohmann::json;

namespace {

std::string read_text_file(const std::string& path) {
    const char* data = std::getenv("QG_TEST_DATA");
    BOOST_TEST_REQUIRE(data != nullptr);
    return read_file(std::string(data) + "/" + path, 1u << 22u).value();
}

json read_json_file(const std::string& path) {
    return json::parse(read_text_file(path));
}

const json& definitions() {
    static const json all = read_json_file("../../contrib/schemas/spec.schema.json").at("definitions");
    return all;
}

std::string reference_of(model::FieldKind kind) {
    using model::FieldKind;
    const auto refer = [](std::string_view name) { return "#/definitions/" + std::string(name); };
    switch (kind) {
    case FieldKind::text: return refer("text");
    case FieldKind::number: return refer("number");
    case FieldKind::factor: return refer("factor");
    case FieldKind::duration: return refer("duration");
    case FieldKind::tres: return refer("tres");
    case FieldKind::flags: return refer("flags");
    case FieldKind::preempt_mode: return refer("preempt_mode");
    case FieldKind::qos_names: return refer("qos_names");
    case FieldKind::name: break;
    }
    return {};
}

/// The patterns of keys, and what the value of such a key is.
using Patterns = std::vector<std::pair<std::regex, std::string>>;

Patterns patterns_of(const json& body) {
    Patterns patterns;
    for (const auto& [pattern, value] : body.at("patternProperties").items())
        patterns.emplace_back(std::regex(pattern), value.at("$ref").get<std::string>());
    return patterns;
}

/// What the patterns say that a key's value is; all that match, for each key must have one meaning.
std::set<std::string> meanings_of(const std::string& key, const Patterns& patterns) {
    std::set<std::string> found;
    for (const auto& [pattern, meaning] : patterns)
        if (std::regex_search(key, pattern)) found.insert(meaning);
    return found;
}

std::set<std::string> words_of(std::string_view definition) {
    std::set<std::string> words;
    for (const json& word : definitions().at(definition)["anyOf"][0]["items"]["anyOf"][0]["enum"])
        words.insert(word.get<std::string>());
    return words;
}

/// The names in the first column of spec.md's table of fields, sorted, one text per row.
std::set<std::string> rows_of_fields() {
    const std::string guide = read_text_file("../../contrib/doc/spec.md");
    std::string_view table = guide;
    table.remove_prefix(table.find("| fields | value |"));
    table = table.substr(0, table.find("\n\n"));
    std::set<std::string> rows;
    for (std::string_view line : text::split(table, '\n')) {
        if (line.starts_with("| fields |") || line.starts_with("|---")) continue;
        const std::string_view cell = line.substr(2, line.find(" | ") - 2);
        std::set<std::string> names;
        for (std::string_view name : text::split(cell, ','))
            names.emplace(text::trim(name));
        rows.insert(text::join(std::vector<std::string>(names.begin(), names.end()), ", "));
    }
    return rows;
}

} // namespace

BOOST_AUTO_TEST_SUITE(spec_schema)

BOOST_AUTO_TEST_CASE(each_field_and_alias_is_in_the_schema_and_nothing_else) {
    for (const char* name : {"qos_body", "shared_body"}) {
        const json& body = definitions().at(name);
        const Patterns patterns = patterns_of(body);
        std::size_t wanted_patterns = 0;
        std::set<std::string> keys{"access", "complete", "template"};
        if (name == std::string_view("qos_body")) keys.insert("for_each");
        for (const model::QosField& field : model::qos_fields()) {
            const std::set<std::string> own{reference_of(field.kind)};
            if (field.kind == model::FieldKind::name) continue;
            BOOST_TEST_CONTEXT(name << " " << field.name) {
                keys.emplace(field.name);
                const json& property = body.at("properties").at(std::string(field.name));
                BOOST_TEST(property.at("$ref").get<std::string>() == reference_of(field.kind));
                BOOST_TEST(property.at("description").get<std::string>().starts_with(field.help));
                BOOST_TEST(meanings_of(std::string(field.name), patterns) == own);
                BOOST_TEST(meanings_of(text::lower(field.name), patterns) == own);
                bool has_one_tres = false;
                for (const model::FieldAlias& alias : field.aliases) {
                    const bool is_one = !alias.tres.empty();
                    has_one_tres = has_one_tres || is_one;
                    BOOST_TEST(meanings_of(text::lower(alias.name), patterns) ==
                                   (is_one ? std::set<std::string>{"#/definitions/count"} : own),
                               alias.name);
                }
                wanted_patterns += has_one_tres ? 2 : 1;
            }
        }
        BOOST_TEST(patterns.size() == wanted_patterns);
        std::set<std::string> found;
        for (const auto& [key, value] : body.at("properties").items())
            found.insert(key);
        BOOST_TEST(found == keys);
    }
}

BOOST_AUTO_TEST_CASE(each_flag_and_mode_is_in_the_schema) {
    for (const auto& [kind, definition] : {std::pair{model::FieldKind::flags, "flags"},
                                           std::pair{model::FieldKind::preempt_mode, "preempt_mode"}}) {
        std::set<std::string> words;
        for (const model::AllowedValue& word : model::allowed_words(kind)) {
            words.emplace(word.name);
            for (std::string_view alias : word.aliases)
                words.emplace(alias);
        }
        BOOST_TEST(words_of(definition) == words, definition);
    }
}

/// tests/cli/spec_schema_test.py holds the same samples against the schema.
BOOST_AUTO_TEST_CASE(the_loader_judges_the_samples_as_the_schema_does) {
    const json samples = read_json_file("spec/samples.json");
    BOOST_TEST(samples.size() > 40u);
    for (const json& sample : samples) {
        const std::string problems = problems_in(sample.at("spec").dump());
        BOOST_TEST(problems.empty() == sample.at("good").get<bool>(), sample.at("what") << ": " << problems);
    }
}

/// A row of spec.md's table is for all fields of one kind.
BOOST_AUTO_TEST_CASE(the_documentation_has_each_field_in_the_row_of_its_kind) {
    std::map<model::FieldKind, std::set<std::string>> by_kind;
    for (const model::QosField& field : model::qos_fields())
        if (field.kind != model::FieldKind::name) by_kind[field.kind].emplace(field.name);
    std::set<std::string> rows = rows_of_fields();

    for (const auto& [kind, fields] : by_kind) {
        const std::vector<std::string> names(fields.begin(), fields.end());
        BOOST_TEST(rows.erase(text::join(names, ", ")) == 1u, text::join(names, ", "));
    }
    BOOST_TEST(text::join(std::vector<std::string>(rows.begin(), rows.end()), "; ") == "");
}

BOOST_AUTO_TEST_CASE(the_examples_of_the_documentation_are_read) {
    const std::string guide = read_text_file("../../contrib/doc/spec.md");
    constexpr std::string_view begin = "```yaml\nowner:";
    std::size_t examples = 0;
    for (auto at = guide.find(begin); at != std::string::npos; at = guide.find(begin, at + 1), ++examples) {
        const auto start = guide.find('\n', at) + 1;
        const std::string example = guide.substr(start, guide.find("```", start) - start);
        // A TRES or share depends on the cluster; this catalogue has what the examples name.
        BOOST_TEST(problems_in(example) == "", example);
    }
    BOOST_TEST(examples >= 2u);
}

BOOST_AUTO_TEST_SUITE_END()

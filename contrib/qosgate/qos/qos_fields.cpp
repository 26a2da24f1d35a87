// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos fields [PATTERN...]
#include "common/command.hpp"
#include "common/table.hpp"
#include "qos/qos_json.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <memory>

namespace qg::cli {
namespace {

struct FieldsOptions {
    std::vector<std::string> patterns;
};

/// A pattern matches the field's name, a part of it, or an alias.
bool fits_any(const model::QosField& field, const std::vector<std::string>& patterns) {
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
               const auto matches = [&](std::string_view name) {
                   return text::matches(name, "*" + pattern + "*");
               };
               return matches(field.name) ||
                      std::any_of(field.aliases.begin(), field.aliases.end(),
                                  [&](const model::FieldAlias& alias) { return matches(alias.name); });
           });
}

std::vector<std::string> alias_names(const model::QosField& field) {
    std::vector<std::string> names;
    for (const model::FieldAlias& alias : field.aliases)
        names.emplace_back(alias.name);
    return names;
}

Json schema_to_json(const model::QosField& field) {
    Json allowed = Json::array();
    for (const model::AllowedValue& word : model::allowed_words(field.kind))
        allowed.push_back({{"name", word.name}, {"help", word.help}});
    return {{"name", field.name}, {"aliases", alias_names(field)},
            {"unit", field.unit}, {"value", model::describe_value(field)},
            {"help", field.help}, {"allowed", allowed}};
}

void print_schema(std::ostream& out, const model::QosField& field) {
    out << field.name << '\n' << "  " << field.help << '\n';
    const auto words = model::allowed_words(field.kind);
    if (words.empty()) {
        out << "  Value: " << model::describe_value(field) << '\n';
    } else {
        out << "  Values, separated by commas:\n";
        for (const model::AllowedValue& word : words)
            out << text::format("    {:<22} {}\n", word.name, word.help);
    }
    if (!field.aliases.empty()) out << "  Also called: " << text::join(alias_names(field), ", ") << '\n';
}

Result<int> fields(const FieldsOptions& options, Output& output) {
    Json list = Json::array();
    bool found = false;
    for (const model::QosField& field : model::qos_fields()) {
        if (!fits_any(field, options.patterns)) continue;
        found = true;
        if (output.json())
            list.push_back(schema_to_json(field));
        else
            print_schema(output.text(), field);
    }
    if (!found) {
        const auto match = model::get_qos_field(options.patterns.front());
        if (!match) return Error{ErrorCode::not_found, match.error().message};
    }
    if (output.json()) output.write({{"fields", list}});
    return 0;
}

} // namespace

void add_qos_fields(Command qos, Invocation& invocation) {
    auto options = std::make_shared<FieldsOptions>();
    Command command = add_command(qos, "fields", "Explain the fields of a QOS and their values",
                                  "Examples:\n"
                                  "  qosgate qos fields              all of them\n"
                                  "  qosgate qos fields tres         those with 'tres' in their name\n"
                                  "  qosgate qos fields Flags\n\n"
                                  "Upper and lower case do not matter in names of fields, flags and TRES.\n\n"
                                  "Exit status:\n"
                                  "  0   shown\n"
                                  "  64  the command line is wrong\n"
                                  "  66  no field has that in its name\n"
                                  "  74  the output cannot be written");
    command.add_option("PATTERN", options->patterns, "Parts of names");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return fields(*options, output); };
    });
}

} // namespace qg::cli

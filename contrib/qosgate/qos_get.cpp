// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos get NAME...
#include "qos_connection.hpp"
#include "qos_json.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

struct GetOptions : AccessOptions {
    std::vector<std::string> arguments;
};

void print(Output& output, const model::QosRecord& record) {
    output.text() << record.name << '\n';
    std::vector<const model::QosField*> shown;
    std::size_t width = 0;
    for (const model::QosField& field : model::qos_fields()) {
        if (field.kind == model::FieldKind::name || !model::is_set(field, record)) continue;
        shown.push_back(&field);
        width = std::max(width, field.name.size());
    }
    for (const model::QosField* field : shown)
        output.text() << text::format("  {:<{}}  {}\n", field->name, width,
                                      text::printable(model::format_field(*field, record), 4000));
}

Result<int> get(const GetOptions& options, Output& output) {
    const auto arguments = split_arguments("get", Takes::names, options.arguments);
    if (!arguments) return arguments.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto all = (*access)->store().read_all();
    if (!all) return all.error();
    if (const auto done = check_old_words("get", options.arguments, *all); !done) return done.error();
    const auto records = select(*all, arguments->names);
    if (!records) return records.error();
    if (!output.json()) {
        for (const model::QosRecord& record : *records)
            print(output, record);
        return 0;
    }
    Json list = Json::array();
    for (const model::QosRecord& record : *records)
        list.push_back(record_to_json(record));
    output.write({{"qos", list}});
    return 0;
}

} // namespace

void add_qos_get(CLI::App& qos, Invocation& invocation) {
    auto options = std::make_shared<GetOptions>();
    CLI::App* command =
        add_command(qos, "get", "Show the fields that are set in QOSs",
                    "Examples:\n"
                    "  qosgate qos get moonlight\n"
                    "  qosgate qos get day night --json | jq '.qos[].MaxWall'\n\n"
                    "A field that is not shown is at Slurm's default: no limit. In JSON all fields\n"
                    "are there, null where unset, in the units that 'qosgate qos fields' names.");
    command->add_option("NAME", options->arguments, "Names")->required();
    add_access_options(*command, *options, invocation);
    command->callback([&invocation, options] {
        invocation.action = [options](Output& output) { return get(*options, output); };
    });
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos get NAME...
#include "common/default_release.hpp"
#include "job/judged_world.hpp"
#include "qos/qos_connection.hpp"
#include "qos/qos_json.hpp"
#include "qos/qos_yaml.hpp"
#include "report/qos_details.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <optional>

#include <unistd.h>

namespace qg::cli {
namespace {

struct GetOptions : AccessOptions {
    std::vector<std::string> arguments;
    std::string format;
    bool usage = false;
    bool access = false;
};

/// What slurmctld knows of QOSs.
struct Details {
    report::UserWorld world;
    bool has_usage = false;
    bool has_access = false;

    [[nodiscard]] report::Viewer viewer() const { return report::make_viewer(world, getuid()); }
    /// Empty: slurmctld does not know the QOS.
    [[nodiscard]] std::optional<report::QosUse> use_of(const std::string& name) const {
        const quota::LocalRecords& records = world.accounting->records();
        const auto qos = std::ranges::find_if(
            records.qos, [&](const quota::LocalQos& each) { return text::iequals(each.qos.name, name); });
        if (qos == records.qos.end()) return std::nullopt;
        return report::find_use(*qos, *records.tres, default_release(),
                                [this](std::uint32_t id) { return world.name_of(id); });
    }
};

/// Empty: neither option is given.
Result<std::optional<Details>> read_details(const GetOptions& options) {
    if (!options.usage && !options.access) return std::optional<Details>();
    auto world = read_user_world();
    if (!world) return world.error();
    return std::optional(Details{*std::move(world), options.usage, options.access});
}

void print_details(Output& output, const std::string& name, const Details& details) {
    if (details.has_usage) {
        if (!details.world.accounting->records().enforce.limits)
            output.text() << "  AccountingStorageEnforce does not have 'limits': slurmctld counts nothing\n";
        if (const auto use = details.use_of(name))
            print_usage(output.text(), *use, details.viewer());
        else
            output.text() << "  slurmctld does not know this QOS yet\n";
    }
    if (details.has_access) print_access(output.text(), find_access(details.world, name));
}

void add_details(Json& json, const std::string& name, const Details& details) {
    if (details.has_usage) {
        const auto use = details.use_of(name);
        json["usage"] = use ? to_json(*use, details.viewer()) : Json();
    }
    if (details.has_access) json["access"] = to_json(find_access(details.world, name));
}

void print_record(Output& output, const model::QosRecord& record) {
    output.text() << text::printable(record.name) << '\n';
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

Result<int> get_yaml(const GetOptions& options, QosConnection& access,
                     std::span<const slurmdb::StoredQos> all, const std::vector<model::QosRecord>& records,
                     Output& output) {
    std::vector<model::QosRecord> marked;
    for (const model::QosRecord& record : records)
        marked.push_back(slurmdb::find_qos(all, record.name)->record);
    const auto done = write_yaml(output, access, marked, all, {.has_access = options.access});
    return done ? Result<int>(0) : done.error();
}

Result<int> get_qos(const GetOptions& options, Output& output) {
    const auto arguments = split_arguments("get", Takes::names, options.arguments);
    if (!arguments) return arguments.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto all = (*access)->store().read_all();
    if (!all) return all.error();
    if (const auto done = check_old_words("get", options.arguments, *all); !done) return done.error();
    const auto records = select(*all, arguments->names);
    if (!records) return records.error();
    if (!options.format.empty()) return get_yaml(options, **access, *all, *records, output);
    const auto details = read_details(options);
    if (!details) return details.error();
    if (!output.json()) {
        for (const model::QosRecord& record : *records) {
            print_record(output, record);
            if (*details) print_details(output, record.name, **details);
        }
        return 0;
    }
    Json list = Json::array();
    for (const model::QosRecord& record : *records) {
        list.push_back(record_to_json(record));
        if (*details) add_details(list.back(), record.name, **details);
    }
    output.write({{"qos", list}});
    return 0;
}

} // namespace

void add_qos_get(Command qos, Invocation& invocation) {
    auto options = std::make_shared<GetOptions>();
    Command command = add_command(
        qos, "get", "Show the fields that are set in QOSs",
        "Examples:\n"
        "  qosgate qos get moonlight\n"
        "  qosgate qos get moonlight --usage --access\n"
        "  qosgate qos get day night --json | jq '.qos[].MaxWall'\n"
        "  (echo owner: base; qosgate qos get night --access -o yaml) > night.yaml\n\n"
        "A field that is not shown is at Slurm's default: no limit. In JSON all fields\n"
        "are there, null where unset, in the units that 'qosgate qos fields' names.\n\n"
        "--usage also asks slurmctld: the jobs of the QOS, tasks of arrays one by one, and what\n"
        "all, each account and each user use of its limits. --access: who may use it, and for whom\n"
        "it is the default; 'ana:viz' is ana in partition viz. The answer says what PrivateData\n"
        "hides from you.\n"
        "-o yaml: the fields as a spec, which needs a line 'owner: NAME' before it is planned; with\n"
        "--access, also who may use the QOSs.\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  an argument is not a name\n"
        "  66  there is no such QOS\n"
        "  69  slurmdbd, or for these options slurmctld, cannot be reached; slurm.conf cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  slurm.conf is not readable for you\n"
        "  78  Slurm has no slurmdbd");
    command.add_option("NAME", options->arguments, "Names").required();
    const Option usage = command.add_flag("--usage", options->usage,
                                          "Also what is used of the limits, by all, account and user");
    command.add_flag("--access", options->access, "Also who may use it, and for whom it is the default");
    add_access_options(command, *options, invocation);
    add_yaml_option(command, options->format).excludes(usage);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return get_qos(*options, output); };
    });
}

} // namespace qg::cli

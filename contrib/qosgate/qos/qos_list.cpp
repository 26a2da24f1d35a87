// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos list [PATTERN...]
#include "common/table.hpp"
#include "qos/qos_connection.hpp"
#include "qos/qos_json.hpp"
#include "qos/qos_yaml.hpp"

#include "qosgate/admin/qos_manager.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/changes.hpp"

#include <algorithm>
#include <limits>

namespace qg::cli {
namespace {

using Fields = std::vector<const model::QosField*>;
using Records = std::vector<model::QosRecord>;

struct ListArguments : AccessOptions {
    std::vector<std::string> patterns;
    std::uint32_t min_priority = 0;
    std::uint32_t max_priority = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::string> flags;
    std::string sort = "Name";
    bool reverse = false;
    std::string limit = "all";
    std::size_t offset = 0;
    std::string fields;
    std::string format;
    bool parsable = false;
};

const model::QosField& name_field() {
    return model::qos_fields().front();
}

/// The arguments, checked before slurmdbd is asked.
struct Query {
    admin::ListOptions options;
    Fields fields; ///< empty: a useful selection
};

/// A number, or "all" or "-1" for no limit.
Result<std::size_t> read_limit(std::string_view limit) {
    if (text::iequals(limit, "all") || limit == "-1") return std::numeric_limits<std::size_t>::max();
    const auto number = text::parse_unsigned(limit);
    if (!number)
        return Error{ErrorCode::invalid_input,
                     text::format("'{}' is neither a whole number nor 'all'", text::printable(limit))};
    return static_cast<std::size_t>(*number);
}

Result<Query> read_query(const ListArguments& arguments) {
    Query query;
    admin::ListOptions& options = query.options;
    auto patterns = split_patterns(arguments.patterns);
    if (!patterns) return patterns.error();
    options.patterns = std::move(*patterns);
    options.min_priority = arguments.min_priority;
    options.max_priority = arguments.max_priority;
    const auto limit = read_limit(arguments.limit);
    if (!limit) return limit.error();
    options.limit = *limit;
    options.offset = arguments.offset;
    std::string_view sort = arguments.sort;
    options.is_descending = arguments.reverse;
    if (sort.starts_with('-')) {
        options.is_descending = !options.is_descending;
        sort.remove_prefix(1);
    }
    const auto sort_field = model::get_qos_field(sort);
    if (!sort_field) return sort_field.error().in("--sort");
    options.sort_by = sort_field->field->name;
    for (std::string_view name : text::split(arguments.fields, ',')) {
        const auto match = model::get_qos_field(name);
        if (!match) return match.error().in("--fields");
        query.fields.push_back(match->field);
    }
    const auto flags_field = model::get_qos_field("Flags");
    for (const std::string& given : arguments.flags) {
        for (std::string_view flag : text::split(given, ',')) {
            const auto word = model::parse_allowed_word(*flags_field->field, flag);
            if (!word) return word.error().in("--flag");
            options.flags.insert(*word);
        }
    }
    return query;
}

/// The name, the priority, and every field that any of the records sets.
Fields interesting_fields(const Records& records) {
    Fields fields;
    for (const model::QosField& field : model::qos_fields()) {
        const auto is_set = [&](const model::QosRecord& record) { return model::is_set(field, record); };
        const bool always = &field == &name_field() || field.name == "Priority";
        if (always ||
            (field.kind != model::FieldKind::text && std::any_of(records.begin(), records.end(), is_set)))
            fields.push_back(&field);
    }
    return fields;
}

Table qos_table(const Records& records, const Fields& fields) {
    Table table;
    for (const model::QosField* field : fields) {
        const bool is_number = field->kind == model::FieldKind::number ||
                               field->kind == model::FieldKind::factor ||
                               field->kind == model::FieldKind::duration;
        table.columns.push_back({std::string(field->name), is_number});
    }
    for (const model::QosRecord& record : records) {
        auto& row = table.rows.emplace_back();
        for (const model::QosField* field : fields)
            row.push_back(text::printable(model::format_field(*field, record), std::string::npos));
    }
    return table;
}

/// The fields that are not among the columns; the name is always written.
spec::FieldNames fields_besides(const Fields& columns) {
    spec::FieldNames names;
    if (columns.empty()) return names;
    for (const model::QosField& field : model::qos_fields())
        if (std::ranges::find(columns, &field) == columns.end()) names.emplace(field.name);
    return names;
}

Result<int> list_qos(const ListArguments& arguments, Output& output) {
    auto query = read_query(arguments);
    if (!query) return query.error();
    const auto access = QosConnection::open(arguments, output);
    if (!access) return access.error();
    const auto all = (*access)->store().read_all();
    if (!all) return all.error();
    const auto page = admin::choose(*all, query->options);
    if (!page) return page.error();
    if (!arguments.format.empty()) {
        const auto done =
            write_yaml(output, **access, page->records, *all, {.left_out = fields_besides(query->fields)});
        return done ? Result<int>(0) : done.error();
    }
    Records shown = page->records;
    std::ranges::transform(shown, shown.begin(), spec::without_mark);
    if (output.json()) {
        const Fields fields = query->fields.empty() ? all_fields() : query->fields;
        Json records = Json::array();
        for (const model::QosRecord& record : shown)
            records.push_back(record_to_json(record, fields));
        output.write({{"qos", records}, {"total", page->total}, {"offset", arguments.offset}});
        return 0;
    }
    if (arguments.parsable) {
        print_separated(output.text(),
                        qos_table(shown, query->fields.empty() ? all_fields() : query->fields));
        return 0;
    }
    Table table = qos_table(shown, query->fields.empty() ? interesting_fields(shown) : query->fields);
    std::vector<std::string> left_out;
    if (query->fields.empty()) left_out = take_columns_off(table, terminal_width());
    print_aligned(output.text(), table);
    if (!left_out.empty())
        output.text() << text::format(
            "(too wide for the terminal: {}; 'qosgate qos get' and --fields show them)\n",
            text::join(left_out, ", "));
    if (shown.size() < page->total)
        output.text() << text::format("({} of {} QOSs, from number {} on)\n", shown.size(), page->total,
                                      arguments.offset + 1);
    return 0;
}

} // namespace

void add_qos_list(Command qos, Invocation& invocation) {
    auto options = std::make_shared<ListArguments>();
    Command command = add_command(
        qos, "list", "Show QOSs in a table",
        "Examples:\n"
        "  qosgate qos list\n"
        "  qosgate qos list 'gpu*' --flag DenyOnLimit --sort -Priority\n"
        "  qosgate qos list --min-priority 100 --fields Name,Priority,MaxWall\n"
        "  qosgate qos list --limit 50 --offset 100 --json\n"
        "  qosgate qos list --parsable | cut -d'|' -f1\n"
        "  qosgate qos list 'gpu*' -o yaml\n\n"
        "Without --fields the table has the columns in which anything is set. On a terminal it has as many\n"
        "as fit, and names the others below. --json and --parsable have all.\n"
        "'-' is unset; with --parsable the column is empty then, and a '|' within a text is written\n"
        "as \\x7c. A name without wildcards that no QOS has is an error; a pattern that fits none shows\n"
        "an empty table.\n"
        "-o yaml: the QOSs as a spec, which needs a line 'owner: NAME' before it is planned; it has no\n"
        "access ('qosgate spec export' has, and 'qosgate qos get --access -o yaml').\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  a field, a flag or a name is wrong\n"
        "  66  there is no QOS of that name\n"
        "  69  slurmdbd cannot be reached, or slurm.conf cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  slurm.conf is not readable for you\n"
        "  78  Slurm has no slurmdbd");
    command.add_option("PATTERN", options->patterns, "Names (a,b), with * ? [a-z] as in a shell");
    command.add_option("--min-priority", options->min_priority, "Lowest priority to show").type_name("N");
    command.add_option("--max-priority", options->max_priority, "Highest priority to show").type_name("N");
    command.add_option("--flag", options->flags, "Only QOSs with this flag; may be repeated")
        .type_name("FLAG");
    command
        .add_option("--sort", options->sort,
                    "Sort by this field (default: Name); -FIELD: highest first; unset last")
        .type_name("[-]FIELD");
    command.add_flag("--reverse", options->reverse, "Reverse the order");
    command.add_option("--limit", options->limit, "Show at most N; 'all' (or -1): no limit")
        .check([](const std::string& limit) {
            const auto number = read_limit(limit);
            return number ? std::string() : number.error().message;
        })
        .type_name("N|all");
    command.add_option("--offset", options->offset, "Skip the first N").type_name("N");
    command.add_option("--fields,--columns", options->fields, "The columns, in this order")
        .type_name("FIELD,...");
    const Option parsable =
        command.add_flag("--parsable", options->parsable, "Separate columns by '|' (not with --json)");
    add_access_options(command, *options, invocation);
    command.get_option("--json").excludes(parsable);
    add_yaml_option(command, options->format).excludes(parsable);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return list_qos(*options, output); };
    });
}

} // namespace qg::cli

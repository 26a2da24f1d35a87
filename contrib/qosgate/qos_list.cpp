// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos list [PATTERN...]
#include "qos_connection.hpp"
#include "qos_json.hpp"
#include "table.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <limits>

namespace qg::cli {
namespace {

using Fields = std::vector<const model::QosField*>;
using Records = std::vector<model::QosRecord>;

struct ListOptions : AccessOptions {
    std::vector<std::string> patterns;
    std::uint32_t min_priority = 0;
    std::uint32_t max_priority = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::string> flags;
    std::string sort = "Name";
    bool reverse = false;
    std::string limit = "all";
    std::size_t offset = 0;
    std::string fields;
    bool parsable = false;
};

const model::QosField& name_field() {
    return model::qos_fields().front();
}

/// The options, checked before slurmdbd is asked.
struct Query {
    std::vector<std::string> patterns;
    const model::QosField* sort = nullptr;
    bool descending = false;
    model::NameSet flags;
    std::size_t limit = std::numeric_limits<std::size_t>::max();
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

Result<Query> read_query(const ListOptions& options) {
    Query query;
    auto patterns = split_patterns(options.patterns);
    if (!patterns) return patterns.error();
    query.patterns = std::move(*patterns);
    const auto limit = read_limit(options.limit);
    if (!limit) return limit.error();
    query.limit = *limit;
    std::string_view sort = options.sort;
    query.descending = options.reverse;
    if (sort.starts_with('-')) {
        query.descending = !query.descending;
        sort.remove_prefix(1);
    }
    const auto sort_field = model::get_qos_field(sort);
    if (!sort_field) return sort_field.error().in("--sort");
    query.sort = sort_field->field;
    for (std::string_view name : text::split(options.fields, ',')) {
        const auto match = model::get_qos_field(name);
        if (!match) return match.error().in("--fields");
        query.fields.push_back(match->field);
    }
    const auto flags_field = model::get_qos_field("Flags");
    for (const std::string& given : options.flags) {
        for (std::string_view flag : text::split(given, ',')) {
            const auto word = model::parse_allowed_word(*flags_field->field, flag);
            if (!word) return word.error().in("--flag");
            query.flags.insert(*word);
        }
    }
    return query;
}

bool is_wanted(const model::QosRecord& record, const ListOptions& options, const Query& query) {
    const auto matches = [&](const std::string& pattern) { return text::matches(record.name, pattern); };
    const bool named =
        query.patterns.empty() || std::any_of(query.patterns.begin(), query.patterns.end(), matches);
    return named && record.priority >= options.min_priority && record.priority <= options.max_priority &&
           std::includes(record.flags.begin(), record.flags.end(), query.flags.begin(), query.flags.end());
}

/// Errors: not_found for a name, rather than a pattern, that no QOS has.
Result<void> check_names(const std::vector<slurmdb::StoredQos>& all, const Query& query) {
    constexpr std::string_view wildcards = "*?[\\";
    for (const std::string& name : query.patterns)
        if (name.find_first_of(wildcards) == std::string::npos && slurmdb::find_qos(all, name) == nullptr)
            return slurmdb::unknown_qos(all, name);
    return {};
}

/// The selected records in the requested order; equal ones are sorted by name.
Records choose(const std::vector<slurmdb::StoredQos>& all, const ListOptions& options, const Query& query) {
    Records wanted;
    for (const slurmdb::StoredQos& qos : all)
        if (is_wanted(qos.record, options, query)) wanted.push_back(qos.record);
    std::stable_sort(wanted.begin(), wanted.end(), [&](const model::QosRecord& a, const model::QosRecord& b) {
        return model::sorts_before(*query.sort, a, b, query.descending);
    });
    return wanted;
}

Records page(const Records& records, const ListOptions& options, std::size_t limit) {
    const std::size_t begin = std::min(options.offset, records.size());
    const std::size_t count = std::min(limit, records.size() - begin);
    const auto first = records.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
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

Table to_table(const Records& records, const Fields& fields) {
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

Result<int> list(const ListOptions& options, Output& output) {
    auto query = read_query(options);
    if (!query) return query.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto all = (*access)->store().read_all();
    if (!all) return all.error();
    if (const auto done = check_names(*all, *query); !done) return done.error();
    const Records wanted = choose(*all, options, *query);
    const Records shown = page(wanted, options, query->limit);
    if (output.json()) {
        const Fields fields = query->fields.empty() ? all_fields() : query->fields;
        Json records = Json::array();
        for (const model::QosRecord& record : shown)
            records.push_back(record_to_json(record, fields));
        output.write({{"qos", records}, {"total", wanted.size()}, {"offset", options.offset}});
        return 0;
    }
    if (options.parsable) {
        print_separated(output.text(), to_table(shown, query->fields.empty() ? all_fields() : query->fields));
        return 0;
    }
    print_aligned(output.text(),
                  to_table(shown, query->fields.empty() ? interesting_fields(shown) : query->fields));
    if (shown.size() < wanted.size())
        output.text() << text::format("({} of {} QOSs, from number {} on)\n", shown.size(), wanted.size(),
                                      options.offset + 1);
    return 0;
}

} // namespace

void add_qos_list(CLI::App& qos, Invocation& invocation) {
    auto options = std::make_shared<ListOptions>();
    CLI::App* command = add_command(
        qos, "list", "Show QOSs in a table",
        "Examples:\n"
        "  qosgate qos list\n"
        "  qosgate qos list 'gpu*' --flag DenyOnLimit --sort -Priority\n"
        "  qosgate qos list --min-priority 100 --fields Name,Priority,MaxWall\n"
        "  qosgate qos list --limit 50 --offset 100 --json\n"
        "  qosgate qos list --parsable | cut -d'|' -f1\n\n"
        "Without --fields the table has the columns in which anything is set; --json and --parsable have\n"
        "all. '-' is unset; with --parsable the column is empty then, and a '|' within a text is written\n"
        "as \\x7c. In JSON, \"total\" counts the QOSs before --limit and --offset. A name without wildcards\n"
        "that no QOS has is an error; a pattern that fits none shows an empty table.\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  a field, a flag or a name is wrong\n"
        "  66  there is no QOS of that name\n"
        "  69  slurmdbd cannot be reached, or slurm.conf cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  slurm.conf is not readable for you\n"
        "  78  Slurm has no slurmdbd");
    command->add_option("PATTERN", options->patterns, "Names (a,b), with * ? [a-z] as in a shell");
    command->add_option("--min-priority", options->min_priority, "Lowest priority to show")->type_name("N");
    command->add_option("--max-priority", options->max_priority, "Highest priority to show")->type_name("N");
    command->add_option("--flag", options->flags, "Only QOSs with this flag; may be repeated")
        ->type_name("FLAG");
    command
        ->add_option("--sort", options->sort,
                     "Sort by this field (default: Name); -FIELD: highest first; unset last")
        ->type_name("[-]FIELD");
    command->add_flag("--reverse", options->reverse, "Reverse the order");
    command->add_option("--limit", options->limit, "Show at most N; 'all' (or -1): no limit")
        ->check([](const std::string& limit) {
            const auto number = read_limit(limit);
            return number ? std::string() : number.error().message;
        })
        ->type_name("N|all");
    command->add_option("--offset", options->offset, "Skip the first N")->type_name("N");
    command->add_option("--fields", options->fields, "The columns, in this order")->type_name("FIELD,...");
    CLI::Option* parsable =
        command->add_flag("--parsable", options->parsable, "Separate columns by '|' (not with --json)");
    add_access_options(*command, *options, invocation);
    command->get_option("--json")->excludes(parsable);
    command->callback([&invocation, options] {
        invocation.action = [options](Output& output) { return list(*options, output); };
    });
}

} // namespace qg::cli

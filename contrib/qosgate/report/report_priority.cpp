// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate report priority: what the priority of each QOS adds to that of its jobs.
#include "common/command.hpp"
#include "job/judged_world.hpp"
#include "report/report_table.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/read_settings.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

struct PriorityRow {
    std::string name;
    std::uint32_t priority = 0;
    double factor = 0; ///< priority / the largest of all; with NO_NORMAL_QOS: the priority
    double points = 0; ///< added to the priority of a job
};

constexpr SortKey<PriorityRow> priority_sort_keys[] = {
    {"priority", [](const PriorityRow& a, const PriorityRow& b) { return a.priority > b.priority; }},
    {"name", [](const PriorityRow& a, const PriorityRow& b) { return a.name < b.name; }},
};

std::vector<PriorityRow> find_rows(const quota::LocalRecords& records,
                                   const model::ClusterSettings& settings) {
    std::uint32_t largest = 0;
    for (const quota::LocalQos& qos : records.qos)
        largest = std::max(largest, qos.qos.priority);
    std::vector<PriorityRow> rows;
    for (const quota::LocalQos& qos : records.qos) {
        const double priority = qos.qos.priority;
        const double factor = settings.uses_raw_priorities ? priority : largest == 0 ? 0 : priority / largest;
        const bool counts = settings.priority_type == "priority/multifactor";
        const double points = settings.priority_weight_qos * factor;
        rows.push_back({.name = qos.qos.name,
                        .priority = qos.qos.priority,
                        .factor = factor,
                        .points = counts ? points : 0});
    }
    std::ranges::stable_sort(rows, {}, &PriorityRow::name);
    return rows;
}

Table priority_table(const std::vector<PriorityRow>& rows, bool is_csv) {
    Table table{{{is_csv ? "qos" : "QOS"},
                 {is_csv ? "priority" : "PRIORITY", true},
                 {is_csv ? "factor" : "FACTOR", true},
                 {is_csv ? "points" : "POINTS", true}},
                {}};
    for (const PriorityRow& row : rows)
        table.rows.push_back({is_csv ? row.name : text::printable(row.name), std::to_string(row.priority),
                              text::format("{:.6f}", row.factor), text::format("{:.0f}", row.points)});
    return table;
}

ordered_json priorities_to_json(const std::vector<PriorityRow>& rows,
                                const model::ClusterSettings& settings) {
    auto list = ordered_json::array();
    for (const PriorityRow& row : rows)
        list.push_back(
            {{"qos", row.name}, {"priority", row.priority}, {"factor", row.factor}, {"points", row.points}});
    return {{"priority_type", settings.priority_type},
            {"priority_weight_qos", settings.priority_weight_qos},
            {"uses_raw_priorities", settings.uses_raw_priorities},
            {"qos", list}};
}

Result<int> report_priority(const ReportOptions& options, Output& output) {
    const auto world = read_user_world();
    if (!world) return world.error();
    const auto settings = slurm::load_cluster_settings();
    if (!settings) return settings.error();
    auto rows = find_rows(world->accounting->records(), *settings);
    if (const auto sorted = sort_rows<PriorityRow>(rows, options.sort, priority_sort_keys); !sorted)
        return sorted.error();
    if (output.json()) {
        output.write(priorities_to_json(rows, *settings));
        return 0;
    }
    if (options.csv) {
        print_csv(output.text(), priority_table(rows, /*is_csv=*/true));
        return 0;
    }
    print_aligned(output.text(), priority_table(rows, /*is_csv=*/false), terminal_width());
    output.text() << text::format("\nPriorityWeightQOS is {}.\n", settings->priority_weight_qos);
    if (settings->priority_type != "priority/multifactor")
        output.text() << text::format("PriorityType is {}: the priority of a QOS does not count.\n",
                                      text::printable(settings->priority_type));
    if (settings->uses_raw_priorities)
        output.text() << "PriorityFlags has NO_NORMAL_QOS: the factor is the priority itself.\n";
    return 0;
}

} // namespace

void add_report_priority(Command report, Invocation& invocation) {
    auto options = std::make_shared<ReportOptions>(ReportOptions{.sort = "priority"});
    Command command = add_command(
        report, "priority", "What the priority of each QOS adds to that of its jobs",
        "FACTOR is the priority of the QOS divided by the largest of all QOSs, and POINTS is this times\n"
        "PriorityWeightQOS: what 'sprio' shows as QOS. So a QOS with a new largest priority lowers the "
        "points\n"
        "of all others. With PriorityFlags=NO_NORMAL_QOS the factor is the\n"
        "priority itself.\n\n"
        "Orders for --sort: priority (the largest first), name.\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  there is no such order\n"
        "  69  slurmctld cannot be reached, or slurm.conf cannot be used\n"
        "  74  the output cannot be written\n\n"
        "Examples:\n"
        "  qosgate report priority\n"
        "  qosgate report priority --csv --sort name > priority.csv");
    add_report_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return report_priority(*options, output); };
    });
}

} // namespace qg::cli

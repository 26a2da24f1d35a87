// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate report usage: the limits of all QOSs, and how full they are.
#include "common/command.hpp"
#include "common/default_release.hpp"
#include "common/or_null.hpp"
#include "common/table.hpp"
#include "job/judged_world.hpp"
#include "job/wrong_counters.hpp"
#include "report/report_table.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/report/qos_usage.hpp"
#include "qosgate/report/user_world.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

/// A QOS, and its limits, the fullest first.
struct UsageRow {
    report::QosUse use;
    /// Negative: nothing is known to be used.
    [[nodiscard]] double fullest() const {
        const auto all = use.fullest();
        return all.empty() ? -1 : all.front().limit.share().value_or(-1);
    }
};

constexpr SortKey<UsageRow> usage_sort_keys[] = {
    {"fullest", [](const UsageRow& a, const UsageRow& b) { return a.fullest() > b.fullest(); }},
    {"name", [](const UsageRow& a, const UsageRow& b) { return a.use.name < b.use.name; }},
    {"priority", [](const UsageRow& a, const UsageRow& b) { return a.use.priority > b.use.priority; }},
    {"running", [](const UsageRow& a, const UsageRow& b) { return a.use.all.running > b.use.all.running; }},
    {"pending", [](const UsageRow& a, const UsageRow& b) { return a.use.all.pending > b.use.all.pending; }},
};

/// "user ana", "account bio", "all jobs", "each job"
std::string who_of(const report::ScopeUse& use, const report::Viewer& viewer) {
    const std::string name = viewer.sees(use) ? text::printable(use.name) : "(hidden)";
    switch (use.scope) {
    case model::LimitScope::user: return use.name.empty() ? "each user" : "user " + name;
    case model::LimitScope::account: return use.name.empty() ? "each account" : "account " + name;
    case model::LimitScope::job:
    case model::LimitScope::node: return "each job";
    case model::LimitScope::group: break;
    }
    return "all jobs";
}

Table usage_table(const std::vector<UsageRow>& rows, const report::Viewer& viewer, bool colours) {
    Table table{{{"QOS"},
                 {.heading = "PRIORITY", .is_number = true, .short_heading = "PRIO"},
                 {.heading = "RUNNING", .is_number = true, .short_heading = "RUN"},
                 {.heading = "PENDING", .is_number = true, .short_heading = "PEND"},
                 {.heading = "LIMITED", .may_wrap = true},
                 {.heading = "MOST USED BY", .may_wrap = true},
                 {"LIMIT", true},
                 {"USED", true},
                 {"LEFT", true},
                 {.heading = "SHARE", .shorten = without_bar}},
                {}};
    for (const UsageRow& row : rows) {
        const report::QosUse& use = row.use;
        std::vector<std::string> first{text::printable(use.name), std::to_string(use.priority),
                                       std::to_string(use.all.running), std::to_string(use.all.pending)};
        const auto all = use.fullest();
        for (const auto& [who, limit] : all) {
            std::vector<std::string> cells = first;
            const auto share = limit.share();
            for (std::string cell : {text::printable(limits::subject_of(limit.facts->limit, limit.tres)),
                                     who_of(*who, viewer), limit.value_text(), limit.used_text(),
                                     limit.left_text(), share ? usage_bar(*share, colours) : std::string()})
                cells.push_back(std::move(cell));
            table.rows.push_back(std::move(cells));
            first.assign(first.size(), " "); // the other limits of this QOS
        }
        if (!all.empty()) continue;
        first.resize(table.columns.size());
        table.rows.push_back(std::move(first));
    }
    return table;
}

/// One row for each limit, with numbers as in JSON; a QOS without limits has one row.
Table csv_table(const std::vector<UsageRow>& rows, const report::Viewer& viewer) {
    Table table{{{"qos"},
                 {"priority"},
                 {"running"},
                 {"pending"},
                 {"limit"},
                 {"tres"},
                 {"account"},
                 {"user"},
                 {"value"},
                 {"used"},
                 {"share"}},
                {}};
    for (const UsageRow& row : rows) {
        const report::QosUse& use = row.use;
        const std::vector<std::string> first{use.name, std::to_string(use.priority),
                                             std::to_string(use.all.running),
                                             std::to_string(use.all.pending)};
        auto all = use.fullest();
        for (const auto& [who, limit] : all) {
            const auto name_if = [&](model::LimitScope scope) {
                return who->scope == scope && viewer.sees(*who) ? who->name : std::string();
            };
            auto cells = first;
            const auto share = limit.share();
            for (std::string cell :
                 {std::string(limit.facts->name), limit.tres, name_if(model::LimitScope::account),
                  name_if(model::LimitScope::user), std::to_string(limit.value),
                  limit.used ? std::to_string(*limit.used) : std::string(),
                  share ? text::format("{:.4f}", *share) : std::string()})
                cells.push_back(std::move(cell));
            table.rows.push_back(std::move(cells));
        }
        if (!all.empty()) continue;
        table.rows.push_back(first);
        table.rows.back().resize(table.columns.size());
    }
    return table;
}

ordered_json usage_to_json(const std::vector<UsageRow>& rows, bool is_enforced, const report::Viewer& viewer,
                           const std::vector<std::string>& wrong_counters) {
    auto list = ordered_json::array();
    for (const UsageRow& row : rows) {
        auto limits = ordered_json::array();
        for (const auto& [who, limit] : row.use.fullest()) {
            const auto name_if = [&](model::LimitScope scope) {
                return who->scope == scope && viewer.sees(*who) && !who->name.empty()
                           ? ordered_json(who->name)
                           : ordered_json();
            };
            limits.push_back({{"limit", limit.facts->name},
                              {"tres", limit.tres.empty() ? ordered_json() : ordered_json(limit.tres)},
                              {"account", name_if(model::LimitScope::account)},
                              {"user", name_if(model::LimitScope::user)},
                              {"value", limit.value},
                              {"used", or_null(limit.used)},
                              {"share", or_null(limit.share())}});
        }
        list.push_back({{"qos", row.use.name},
                        {"priority", row.use.priority},
                        {"running", row.use.all.running},
                        {"pending", row.use.all.pending},
                        {"limits", limits}});
    }
    return {{"is_enforced", is_enforced},
            {"hides_names", !viewer.sees_use},
            {"qos", list},
            {"wrong_counters", wrong_counters}};
}

/// The counters in these rows.
std::vector<LimitCounter> pick_counters_of_qos(const report::UserWorld& world) {
    const quota::LocalRecords& records = world.accounting->records();
    std::vector<LimitCounter> counters;
    for (const quota::LocalQos& qos : records.qos) {
        const report::QosUse use = report::find_use(qos, *records.tres, default_release(),
                                                    [&](std::uint32_t id) { return world.name_of(id); });
        for (const auto& [who, limit] : use.fullest()) {
            if (!limit.used) continue;
            LimitCounter counter{
                .whose = report::count_jobs_of_qos(limit.facts->limit, limit.tres, use.name, records,
                                                   world.cluster->partitions.all()),
                .used = *limit.used,
                .name = text::format("{} in QOS {}{}", limits::subject_of(limit.facts->limit, limit.tres),
                                     use.name, who->name.empty() ? "" : text::format(" ({})", who->name))};
            if (who->scope == model::LimitScope::account) counter.whose.account = who->name;
            if (who->scope == model::LimitScope::user)
                for (const auto& [id, usage] : qos.users)
                    if (world.name_of(id) == who->name) counter.whose.user_id = id;
            counters.push_back(std::move(counter));
        }
    }
    return counters;
}

Result<int> report_usage(const ReportOptions& options, Output& output) {
    const auto world = read_user_world();
    if (!world) return world.error();
    const quota::LocalRecords& records = world->accounting->records();
    std::vector<UsageRow> rows;
    for (const quota::LocalQos& qos : records.qos)
        rows.push_back({report::find_use(qos, *records.tres, default_release(),
                                         [&](std::uint32_t id) { return world->name_of(id); })});
    std::ranges::stable_sort(rows, {}, [](const UsageRow& row) { return row.use.name; });
    if (const auto sorted = sort_rows<UsageRow>(rows, options.sort, usage_sort_keys); !sorted)
        return sorted.error();
    const report::Viewer viewer = report::make_viewer(*world, getuid());
    if (options.csv && !output.json()) {
        print_csv(output.text(), csv_table(rows, viewer));
        return 0;
    }
    const auto wrong_counters = or_warning(find_wrong_counters(pick_counters_of_qos), output);
    if (output.json()) {
        output.write(usage_to_json(rows, records.enforce.limits, viewer, wrong_counters));
        return 0;
    }
    print_aligned(output.text(), usage_table(rows, viewer, takes_colours()), terminal_width());
    if (!records.enforce.limits)
        output.text()
            << "\nAccountingStorageEnforce in slurm.conf does not have 'limits': no limit counts, and "
               "slurmctld counts no jobs.\n";
    for (const std::string& sentence : wrong_counters)
        output.text() << "\nWarning: " << text::printable(sentence, 4000) << ".\n";
    if (!viewer.sees_use) output.text() << "\nPrivateData hides which account or other user uses most.\n";
    return 0;
}

} // namespace

void add_report_usage(Command report, Invocation& invocation) {
    auto options = std::make_shared<ReportOptions>(ReportOptions{.sort = "fullest"});
    Command command = add_command(
        report, "usage", "How full the limits of all QOSs are",
        "One row for each limit of each QOS; a QOS without limits has one row. Of a limit on each user or\n"
        "account, the row is about the one that uses most of it. PENDING counts tasks of arrays singly. The\n"
        "numbers are slurmctld's. Warnings name those that are too high for the jobs of the queue, unless "
        "jobs\n"
        "are hidden from you; 'qosgate verify' checks all. --csv has the same columns, and no warnings.\n\n"
        "Orders for --sort: fullest (the QOS with the fullest limit first), name, priority, running, "
        "pending.\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  there is no such order\n"
        "  69  slurmctld cannot be reached, or slurm.conf cannot be used\n"
        "  74  the output cannot be written\n\n"
        "Examples:\n"
        "  qosgate report usage --sort pending\n"
        "  qosgate report usage --json | jq -r '.qos[] | select(any(.limits[]; .share >= 0.9)) | .qos'");
    add_report_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return report_usage(*options, output); };
    });
}

} // namespace qg::cli

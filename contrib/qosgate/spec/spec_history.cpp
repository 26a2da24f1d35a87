// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec history: what was applied here, when and by whom.
#include "common/command.hpp"
#include "common/table.hpp"
#include "qos/qos_json.hpp"
#include "spec/plan_history.hpp"
#include "spec/plan_report.hpp"

#include "qosgate/base/text.hpp"

#include <memory>

namespace qg::cli {
namespace {

struct HistoryOptions {
    std::string directory;
    std::size_t number = 0; ///< 0: all
};

Json entry_to_json(const HistoryEntry& entry) {
    return {{"number", entry.number},
            {"time", entry.record.time},
            {"user", entry.record.actor},
            {"summary", summary_of(entry.record.plan, entry.record.made_permanent.size())},
            {"cluster", entry.record.plan.cluster},
            {"is_open", entry.record.is_open},
            {"undoes", entry.record.undoes == 0 ? Json() : Json(entry.record.undoes)}};
}

Result<int> show_history(const HistoryOptions& options, Output& output) {
    const auto history = History::open(options.directory);
    if (!history) return history.error();
    std::vector<HistoryEntry> entries;
    if (options.number > 0) {
        auto entry = history->read(options.number);
        if (!entry) return entry.error();
        entries.push_back(*std::move(entry));
    } else {
        auto all = history->read_all();
        if (!all) return all.error();
        entries = *std::move(all);
    }
    if (output.json()) {
        Json list = Json::array();
        for (const HistoryEntry& entry : entries)
            list.push_back(entry_to_json(entry));
        output.write({{"entries", list}, {"directory", history->directory().string()}});
        return 0;
    }
    Table table{{{"NUMBER", true}, {"TIME"}, {"USER"}, {"SUMMARY", false, true}}, {}};
    for (const HistoryEntry& entry : entries)
        table.rows.push_back(
            {std::to_string(entry.number), text::printable(entry.record.time),
             text::printable(entry.record.actor),
             summary_of(entry.record.plan, entry.record.made_permanent.size()) +
                 (entry.record.undoes == 0 ? "" : text::format(" (undoes entry {})", entry.record.undoes)) +
                 (entry.record.is_open ? " (perhaps not stored)" : "")});
    if (table.rows.empty())
        output.text() << text::format("Nothing was applied yet ({}).\n",
                                      text::printable(history->directory().string(), 1000));
    else
        print_aligned(output.text(), table, terminal_width());
    if (options.number > 0) {
        output.text() << '\n';
        print(entries.front().record.plan, entries.front().record.made_permanent.size(), output.text());
    }
    return 0;
}

} // namespace

void add_spec_history(Command spec, Invocation& invocation) {
    auto options = std::make_shared<HistoryOptions>();
    Command command = add_command(
        spec, "history", "Show what was applied here, when and by whom",
        "Examples:\n"
        "  sudo qosgate spec history\n"
        "  sudo qosgate spec history 12           entry 12 with all its changes\n\n"
        "Each apply keeps its plan, and the plan that undoes it, in a file of this machine, before it "
        "changes\n"
        "anything. What others change with sacctmgr is not in it ('qosgate spec drift' finds that).\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  an entry is damaged\n"
        "  66  there is no such entry\n"
        "  69  the directory cannot be read\n"
        "  74  the output cannot be written\n"
        "  77  another user owns the directory, or may write into it");
    command.add_option("NUMBER", options->number, "Only this entry, with all its changes")
        .range(1, 999'999'999);
    command
        .add_option("--history", options->directory,
                    "The directory; default: /var/lib/qosgate/history, for others than root "
                    "$XDG_STATE_HOME/qosgate/history")
        .option_text("DIR");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return show_history(*options, output); };
    });
}

} // namespace qg::cli

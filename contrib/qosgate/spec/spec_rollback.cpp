// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec rollback: undoes what an apply did.
#include "spec/carry_out.hpp"
#include "spec/history.hpp"
#include "spec/plan_report.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"

#include <memory>

namespace qg::cli {
namespace {

struct RollbackOptions : AccessOptions {
    CarryOutOptions carry_out;
    std::size_t number = 0; ///< 0: the latest
};

Result<int> roll_back(const RollbackOptions& options, Output& output) {
    const auto history = History::open(options.carry_out.history);
    if (!history) return history.error();
    const auto entry = history->read(options.number);
    if (!entry) return entry.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto live = admin::read_live((*access)->connection());
    if (!live) return live.error();
    if (!text::iequals(entry->record.plan.cluster, live->cluster))
        return Error{ErrorCode::invalid_input,
                     text::format("entry {} is of cluster {}, and this is {}", entry->number,
                                  text::quoted(entry->record.plan.cluster, 64), live->cluster)};
    const auto back = spec::revert(entry->record, *live);
    std::vector<std::string> problems;
    for (const spec::Problem& problem : back.problems)
        problems.push_back(spec::to_text(problem));
    if (!problems.empty())
        return Error{ErrorCode::conflict,
                     text::format("entry {} cannot be undone, and nothing was changed:\n  {}", entry->number,
                                  text::join(problems, "\n  "))};
    if (!output.json())
        output.text() << text::format("Entry {} of {} by {}: {}.\nTo undo it:\n", entry->number,
                                      text::printable(entry->record.time),
                                      text::printable(entry->record.actor), summary_of(entry->record.plan));
    return show_and_carry_out(back.plan, *live, options.carry_out, **access, output);
}

} // namespace

void add_spec_rollback(Command spec, Invocation& invocation) {
    auto options = std::make_shared<RollbackOptions>();
    Command command = add_command(
        spec, "rollback", "Undo what an apply did",
        "Examples:\n"
        "  qosgate spec rollback                  the latest entry of the history\n"
        "  qosgate spec rollback 12 --yes         entry 12, from a script\n\n"
        "It is a plan like any other: shown, asked for, and carried out in one transaction. Fields that the\n"
        "apply did not change stay as they are now. What it changed and others, or a later apply, changed\n"
        "again is not overwritten: then nothing is changed, and the error names it; undo the later one "
        "first.\n"
        "A rollback has an entry of its own, so it can be undone, too.\n\n" +
            carry_out_help());
    command.add_option("NUMBER", options->number, "The entry ('qosgate spec history'); default: the latest")
        .range(1, 999'999'999);
    add_carry_out_options(command, options->carry_out);
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return roll_back(*options, output); };
    });
}

} // namespace qg::cli

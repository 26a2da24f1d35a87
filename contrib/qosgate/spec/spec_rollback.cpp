// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec rollback: undoes what an apply did.
#include "access/access_change.hpp"
#include "spec/carry_out.hpp"
#include "spec/plan_history.hpp"
#include "spec/plan_report.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/revert.hpp"

#include <algorithm>
#include <ctime>
#include <memory>

namespace qg::cli {
namespace {

struct RollbackOptions : AccessOptions {
    CarryOutOptions carry_out;
    std::size_t number = 0; ///< 0: the latest
};

/// The grants of these lines. Errors: invalid_input if one is none.
Result<std::vector<TemporaryGrant>> grants_of(const std::vector<std::string>& lines) {
    std::vector<TemporaryGrant> grants;
    for (const std::string& line : lines) {
        auto grant = grant_of_line(line);
        if (!grant) return Error{ErrorCode::invalid_input, "the entry of the history is damaged"};
        grants.push_back(*std::move(grant));
    }
    return grants;
}

/// The temporary access that the entry's apply touched. Errors: as grants_of().
Result<std::vector<TemporaryGrant>> temporary_access_of(const spec::HistoryRecord& record) {
    std::vector<std::string> lines = record.made_permanent;
    lines.insert(lines.end(), record.ended.begin(), record.ended.end());
    return grants_of(lines);
}

/// Such access is not named for good.
void keep_temporary(const std::vector<TemporaryGrant>& grants, spec::Plan& plan) {
    for (const TemporaryGrant& grant : grants)
        for (model::AccessChange& named : plan.named)
            if (named.name == grant.name) named.granted.erase(grant.qos);
}

/// Who undoes the undoing of an apply that made access permanent wants it so again.
void name_permanent(const std::vector<TemporaryGrant>& grants, spec::Plan& plan) {
    for (const TemporaryGrant& grant : grants) {
        auto named = std::ranges::find(plan.named, grant.name, &model::AccessChange::name);
        if (named == plan.named.end())
            named = plan.named.insert(named, model::AccessChange{.name = grant.name});
        named->granted.insert(grant.qos);
    }
}

/// Ends what came back and is due already. What did not come back is taken from the list.
Result<void> end_due(const std::vector<TemporaryGrant>& grants, QosConnection& access, Output& output) {
    const auto file = GrantFile::open({});
    if (!file) return file.error();
    const auto is_due = [&, now = std::time(nullptr)](const TemporaryGrant& grant) {
        return grant.until <= now && has_access(grants, grant);
    };
    const auto ended = end_grants(*file, is_due, /*is_dry=*/false, access, output);
    if (!ended) return ended.error();
    for (const TemporaryGrant& grant : ended->revoked)
        output.note(describe(grant) + ": revoked again, because its time is over");
    const auto known = file->read();
    if (!known) return known.error();
    for (const TemporaryGrant& grant : *known)
        if (has_access(grants, grant))
            output.note(text::format("{}: it is temporary again, until {}", describe(grant),
                                     text::local_time(grant.until)));
    return {};
}

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
    const auto undoing = history->find_undoing(entry->number);
    if (!undoing) return undoing.error();
    if (*undoing != 0)
        return Error{
            ErrorCode::conflict,
            text::format(
                "entry {} was undone by entry {}, and nothing was changed: 'qosgate spec rollback {}' "
                "does it again",
                entry->number, *undoing, *undoing)};
    if (entry->record.is_open && !spec::is_in_force(entry->record, *live))
        return Error{
            ErrorCode::conflict,
            text::format(
                "entry {} cannot be undone, and nothing was changed: the program that applied it ended "
                "before it knew whether it was stored, and not all of it is in force now: then nothing "
                "of it was stored, or it was changed since",
                entry->number)};
    auto back = spec::revert(entry->record, *live);
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
                                      text::printable(entry->record.actor),
                                      summary_of(entry->record.plan, entry->record.made_permanent.size()));
    const auto temporary = temporary_access_of(entry->record);
    if (!temporary) return temporary.error();
    keep_temporary(*temporary, back.plan);
    if (entry->record.undoes != 0)
        if (const auto undone = history->read(entry->record.undoes)) {
            const auto permanent = grants_of(undone->record.made_permanent);
            if (!permanent) return permanent.error();
            name_permanent(*permanent, back.plan);
        }
    const bool is_dry = options.carry_out.dry_run;
    if (!output.json() && !entry->record.made_permanent.empty())
        output.text() << text::format("temporary access that the spec made permanent ({}) {} its end again\n",
                                      text::count_of(entry->record.made_permanent.size(), "grant"),
                                      is_dry ? "would get" : "gets");
    if (!back.plan.changes_anything() && !temporary->empty() && !is_dry) {
        const auto agreed = is_agreed(options.carry_out, output);
        if (!agreed) return agreed.error();
        if (!*agreed) return exit_declined;
    }
    CarryOutOptions carry_out = options.carry_out;
    carry_out.undoes = entry->number;
    carry_out.keeps_entry = !temporary->empty();
    carry_out.before_commit = [&] { return make_temporary(*temporary); };
    carry_out.if_undone = [&] { leave_permanent(*temporary, output); };
    const auto status = show_and_carry_out(back.plan, *live, carry_out, **access, output);
    if (!status || *status != 0 || is_dry || temporary->empty()) return status;
    if (const auto ended = end_due(*temporary, **access, output); !ended)
        output.warn(
            "temporary access that is due again could not be ended, and 'qosgate access expire' does it: " +
            ended.error().message);
    return status;
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/carry_out.hpp"

#include "access/grants.hpp"
#include "common/interrupt.hpp"
#include "common/output.hpp"
#include "job/rule_mentions.hpp"
#include "qos/qos_objections.hpp"
#include "spec/plan_history.hpp"
#include "spec/plan_report.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/admin/uses.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/job_moves.hpp"
#include "qosgate/slurmdb/permission.hpp"
#include "qosgate/slurmdb/qos_convert.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/plan.hpp"
#include "qosgate/spec/plan_base.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace qg::cli {
namespace {

/// The jobs of one plan. The plan and the session must outlive it.
class JobMover {
  public:
    /// An empty target: no job is moved.
    JobMover(const spec::Plan& plan, std::string target, const slurmdb::Session& session);

    [[nodiscard]] bool moves_anything() const { return !target_.empty() && !from_.empty(); }

    /// Errors: not_found (the target, with the near miss); invalid_input if the plan creates or deletes it.
    [[nodiscard]] Result<void> check_target(const spec::LiveState& live) const;

    /// The jobs that would be moved now. Errors: those of slurmdb::find_moves().
    [[nodiscard]] Result<std::vector<slurmdb::JobMove>> find() const;

    /// Errors: those of slurmdb::move_jobs().
    Result<void> move();

    /// Undoes move(). Returns what happened, as the end of an error's message; empty: no job was moved.
    std::string move_back();

    /// Leaves them where they are: whether the plan is stored may be unknown, and a job in a QOS that is gone
    /// never starts. Returns the end of the error's message.
    [[nodiscard]] std::string stay() const;

    [[nodiscard]] std::span<const slurmdb::JobMove> moved() const { return moved_; }

    /// "Moved 3 pending jobs of QOS old to new."
    [[nodiscard]] std::string sentence(std::string_view verb, std::span<const slurmdb::JobMove> moves) const;

  private:
    std::string target_;
    const slurmdb::Session& session_;
    const spec::Plan& plan_;
    std::vector<std::string> from_;
    std::vector<slurmdb::JobMove> moved_;
};

using slurmdb::JobMove;

bool has(std::span<const model::QosRecord> records, const std::string& name) {
    return std::ranges::any_of(records, [&](const auto& record) { return record.name == name; });
}

JobMover::JobMover(const spec::Plan& plan, std::string target, const slurmdb::Session& session)
    : target_(text::lower(target)), session_(session), plan_(plan) {
    for (const model::QosRecord& record : plan.removed)
        from_.push_back(record.name);
}

Result<void> JobMover::check_target(const spec::LiveState& live) const {
    if (target_.empty()) return {};
    const std::string option = "--move-jobs-to " + text::quoted(target_, 64);
    if (has(plan_.removed, target_))
        return Error{ErrorCode::invalid_input, option + ": the plan deletes this QOS; name one that stays"};
    if (has(plan_.created, target_))
        return Error{ErrorCode::invalid_input,
                     option + ": the plan creates this QOS, and jobs are moved before that; name one that "
                              "exists, or create it with an earlier plan"};
    if (has(live.qos, target_)) return {};
    std::vector<std::string> names;
    for (const model::QosRecord& record : live.qos)
        names.push_back(record.name);
    return Error{ErrorCode::not_found,
                 text::format("{}: there is no such QOS{}", option, text::did_you_mean(target_, names))};
}

Result<std::vector<JobMove>> JobMover::find() const {
    if (!moves_anything()) return std::vector<JobMove>();
    return slurmdb::find_moves(session_, from_, target_);
}

Result<void> JobMover::move() {
    if (!moves_anything()) return {};
    const auto moves = slurmdb::move_jobs(session_, from_, target_);
    if (!moves) return moves.error();
    moved_.insert(moved_.end(), moves->begin(), moves->end());
    return {};
}

std::string JobMover::move_back() {
    if (moved_.empty()) return {};
    const auto left = slurmdb::move_back(session_, moved_);
    const std::size_t back = moved_.size() - left.size();
    moved_ = left;
    return text::format("; {} moved back to where they were", text::count_of(back, "job")) + stay();
}

std::string JobMover::stay() const {
    if (moved_.empty()) return {};
    std::vector<std::string> jobs;
    for (const JobMove& move : moved_)
        jobs.push_back(std::to_string(move.job));
    return text::format("; these jobs are in QOS {} now: {}", text::printable(target_),
                        text::list_names(jobs));
}

std::string JobMover::sentence(std::string_view verb, std::span<const JobMove> moves) const {
    std::vector<std::string> names;
    for (const JobMove& move : moves)
        if (std::ranges::find(names, move.from) == names.end()) names.push_back(move.from);
    return text::format("{} {} of {} {} to {}.", verb, text::count_of(moves.size(), "pending job"),
                        names.size() == 1 ? "QOS" : "QOSs", text::printable(text::list_names(names)),
                        text::printable(target_));
}

/// Says what is done, if it takes long.
class Progress {
  public:
    explicit Progress(Output& output) : output_(output) {}

    void operator()(std::string_view what, std::size_t done, std::size_t all) {
        constexpr std::chrono::seconds interval{1};
        const auto now = Clock::now();
        if (now - last_ < interval) return;
        last_ = now;
        output_.note(text::format("{} ({} of {} done)", what, done, all));
    }

  private:
    using Clock = std::chrono::steady_clock;
    Output& output_;
    Clock::time_point last_ = Clock::now();
};

bool can_ask() {
    return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

Json answer_of(const spec::Plan& plan, const std::vector<TemporaryGrant>& named,
               const CarryOutOptions& options, std::optional<std::size_t> number,
               std::span<const slurmdb::JobMove> moves) {
    Json answer = to_answer(plan, named);
    answer["applied"] = number.has_value();
    answer["dry_run"] = options.dry_run;
    answer["history"] = number ? Json(*number) : Json();
    answer["moved_jobs"] = Json::array();
    for (const slurmdb::JobMove& move : moves)
        answer["moved_jobs"].push_back({{"job", move.job}, {"from", move.from}, {"to", move.to}});
    return answer;
}

/// The same as keep_and_carry_out(), with jobs that are to be moved.
Result<std::size_t> carry_out_with_mover(const spec::Plan& plan, const spec::LiveState& live,
                                         const CarryOutOptions& options, slurmdb::Connection& connection,
                                         const slurmdb::CommitWatch& watch, JobMover& mover, Output& output) {
    const auto history = History::open(options.history);
    if (!history) return history.error();
    // Kept right before the commit: what ends before has changed nothing, and leaves no entry.
    std::optional<std::size_t> entry;
    const auto keep = [&]() -> Result<void> {
        if (entry) return {};
        const auto number = history->keep(plan, live, find_touched(plan, output), options.undoes);
        if (!number) return number.error();
        entry = *number;
        return {};
    };
    const auto forget = [&] {
        if (entry) history->forget(*entry);
        entry.reset();
    };
    bool is_undone = true;
    auto done = admin::apply(
        connection, plan,
        [&](slurmdb::CommitStep now) {
            // A connection that broke before is not asked to commit.
            is_undone = now == slurmdb::CommitStep::undone ||
                        (now == slurmdb::CommitStep::asked && !connection.is_same_socket());
            if (now == slurmdb::CommitStep::stored) output.note_stored();
            if (now == slurmdb::CommitStep::undone) forget();
            // Whoever interrupts waits until jobs that were moved are where they belong.
            if (now != slurmdb::CommitStep::undone || mover.moved().empty()) watch(now);
        },
        Progress(output),
        [&]() -> Result<void> {
            watch(slurmdb::CommitStep::asked); // an interrupt waits from now on, so that the entry is right
            if (const auto kept = keep(); !kept) return kept;
            if (options.before_commit)
                if (const auto ready = options.before_commit(); !ready) return ready;
            return mover.move();
        });
    if (done) {
        forget_touched(plan, output);
        if (const auto closed = history->close(*entry); !closed)
            output.warn("the history does not know that this was carried out: " + closed.error().message);
        return *entry;
    }
    Error error = done.error();
    if (is_undone) {
        error.message += mover.move_back();
        forget();
        if (options.if_undone) options.if_undone();
    } else {
        error.message += mover.stay();
    }
    return error;
}

} // namespace

Result<bool> is_agreed(const CarryOutOptions& options, Output& output) {
    if (options.yes) return true;
    if (output.json() || !can_ask())
        return Error{ErrorCode::invalid_input,
                     "nobody can be asked here whether to apply this: add --yes, or --dry-run"};
    std::ostream& shown = output.text();
    shown << std::flush;
    std::cerr << "Apply? [y/N] " << std::flush;
    std::string answer;
    if (!std::getline(std::cin, answer)) return false;
    const std::string word = text::lower(text::trim(answer));
    if (word == "y" || word == "yes") return true;
    shown << "Nothing was changed.\n";
    return false;
}

void add_carry_out_options(Command command, CarryOutOptions& options) {
    command.add_flag("--yes", options.yes, "Do not ask");
    command.add_flag("--dry-run", options.dry_run, "Check and show, but change nothing");
    command
        .add_option(
            "--move-jobs-to", options.move_jobs_to,
            "Move pending jobs of the QOSs that are deleted to this QOS; jobs that have started still "
            "prevent it")
        .option_text("QOS");
    command
        .add_option("--history", options.history,
                    "Keep the way back in this directory; default: /var/lib/qosgate/history, for others than "
                    "root $XDG_STATE_HOME/qosgate/history")
        .option_text("DIR");
}

std::string carry_out_help() {
    return "Exit status:\n"
           "  0   done, or nothing to do\n"
           "  1   the answer was no: nothing was changed\n"
           "  64  the command line is wrong\n"
           "  65  a file is wrong, or --yes is missing where nobody can be asked\n"
           "  66  there is no such file or entry\n"
           "  69  slurmdbd cannot be reached, or slurmctld, which knows the uses of a QOS; a file cannot be\n"
           "      read or written\n"
           "  74  the output cannot be written; the message says whether the change is stored\n"
           "  75  somebody else changed the same: nothing was changed; a QOS that is to be deleted is in "
           "use;\n"
           "      another owner manages what the files name\n"
           "  77  not permitted: root, SlurmUser and administrators of accounting may\n"
           "  78  Slurm has no slurmdbd, or its release does not know a flag";
}

Result<void> expect_possible(const spec::Plan& plan, const CarryOutOptions& options, QosConnection& access) {
    const auto is_known = [](const model::QosRecord& record) -> Result<void> {
        const auto known = slurmdb::expect_known_words(record);
        return known ? known : known.error().in(text::format("QOS '{}'", text::printable(record.name)));
    };
    for (const model::QosRecord& record : plan.created)
        if (const auto known = is_known(record); !known) return known;
    for (const spec::PlannedUpdate& update : plan.updated)
        if (const auto known = is_known(update.after); !known) return known;
    auto uses = admin::find_lasting_uses(access.connection(), access.store(), plan);
    if (!uses) return uses.error();
    const auto is_job = [](const slurmdb::QosUse& use) { return use.kind->name == "job"; };
    if (!options.move_jobs_to.empty()) std::erase_if(uses->found, is_job);
    const bool has_jobs = std::ranges::any_of(uses->found, is_job);
    const Objections objections(*std::move(uses));
    if (!objections.forbid(/*is_forced=*/false)) return {};
    Error error = objections.error(Force::is_no_option);
    if (has_jobs) error.message += "\n--move-jobs-to QOS moves pending jobs to another QOS";
    return error;
}

Result<std::optional<std::size_t>> keep_and_make_permanent(const spec::Plan& plan,
                                                           const spec::LiveState& live,
                                                           const CarryOutOptions& options, Output& output) {
    const auto named = find_named(plan, output);
    if (named.empty() && !options.keeps_entry) return std::optional<std::size_t>();
    const auto history = History::open(options.history);
    if (!history) return history.error();
    const auto entry = history->keep(plan, live, {named, {}}, options.undoes);
    if (!entry) return entry.error();
    if (options.before_commit)
        if (const auto ready = options.before_commit(); !ready) {
            history->forget(*entry);
            return ready.error();
        }
    forget_touched(plan, output);
    if (const auto closed = history->close(*entry); !closed) return closed.error();
    return std::optional(*entry);
}

Result<std::size_t> keep_and_carry_out(const spec::Plan& plan, const spec::LiveState& live,
                                       const CarryOutOptions& options, slurmdb::Connection& connection,
                                       const slurmdb::CommitWatch& watch, Output& output) {
    JobMover mover(plan, options.move_jobs_to, connection.session());
    return carry_out_with_mover(plan, live, options, connection, watch, mover, output);
}

Result<int> show_and_carry_out(const spec::Plan& plan, const spec::LiveState& live,
                               const CarryOutOptions& options, QosConnection& access, Output& output) {
    JobMover mover(plan, options.move_jobs_to, access.connection().session());
    if (const auto done = mover.check_target(live); !done) return done.error();
    const auto named = find_named(plan, output);
    if (!output.json()) print(plan, named.size(), output.text());
    if (!output.json() && (options.dry_run || !options.yes))
        print_named(named, output.text()); // else it is told when it is done
    if (!plan.changes_anything()) {
        if (!options.dry_run && !named.empty()) {
            const auto agreed = is_agreed(options, output);
            if (!agreed) return agreed.error();
            if (!*agreed) return exit_declined;
        }
        std::optional<std::size_t> entry;
        if (!options.dry_run) {
            const auto kept = keep_and_make_permanent(plan, live, options, output);
            if (!kept) return kept.error();
            entry = *kept;
        }
        if (output.json())
            output.write(answer_of(plan, named, options, entry, {}));
        else if (entry)
            output.text() << text::format("Applied. 'qosgate spec rollback {}' undoes it.\n", *entry);
        return 0;
    }
    if (const auto possible = expect_possible(plan, options, access); !possible) return possible.error();
    warn_of_rules(plan.removed, output);
    const auto moves = mover.find();
    if (!moves) return moves.error();
    if (!output.json() && !moves->empty()) output.text() << mover.sentence("Moves", *moves) << '\n';
    if (options.dry_run) {
        const auto may = slurmdb::expect_administrator(access.connection(), "change QOSs");
        if (!may) return may.error();
        if (const auto same = spec::expect_base(plan, live.qos, live.associations); !same)
            return same.error();
        if (output.json()) output.write(answer_of(plan, named, options, std::nullopt, *moves));
        return 0;
    }
    InterruptWatch interrupt;
    const auto agreed = is_agreed(options, output);
    if (!agreed) return agreed.error();
    if (!*agreed) return exit_declined;
    if (!options.yes) {
        // Jobs may have come while the question stood.
        if (const auto possible = expect_possible(plan, options, access); !possible) return possible.error();
    }
    const auto number = carry_out_with_mover(
        plan, live, options, access.connection(), [&](slurmdb::CommitStep step) { interrupt.note(step); },
        mover, output);
    if (!number) return number.error();
    if (output.json()) {
        output.write(answer_of(plan, named, options, *number, mover.moved()));
        return 0;
    }
    if (!mover.moved().empty()) output.text() << mover.sentence("Moved", mover.moved()) << '\n';
    output.text() << text::format("Applied, verified. 'qosgate spec rollback {}' undoes it.\n", *number);
    return 0;
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec plan: what an apply would change, and for whom.
#include "common/output.hpp"
#include "common/reading.hpp"
#include "job/rule_mentions.hpp"
#include "spec/carry_out.hpp"
#include "spec/plan_consequences.hpp"
#include "spec/plan_report.hpp"
#include "spec/spec_files.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/plan_json.hpp"

#include <memory>
#include <optional>

namespace qg::cli {
namespace {

constexpr int exit_changes = 2;
constexpr mode_t plan_mode = 0644;

struct PlanOptions : SpecOptions {
    std::string out;
    bool no_consequences = false;
};

Result<int> plan(const PlanOptions& options, Output& output) {
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto planned = read_and_plan(options, **access);
    if (const auto* failure = std::get_if<SpecFailure>(&planned)) return failure->report(output);
    const auto& spec = std::get<PlannedSpec>(planned);
    if (!options.out.empty()) {
        const auto done = write_output_file(options.out, spec::plan_to_text(spec.plan), plan_mode);
        if (!done) return done.error();
    }
    const bool judges = !options.no_consequences && spec.plan.changes_anything();
    const auto found = judges ? judge_plan(spec.plan, spec.live, output) : std::nullopt;
    const auto possible = expect_possible(spec.plan, CarryOutOptions{}, **access);
    warn_of_rules(spec.plan.removed, output);
    const auto named = find_named(spec.plan, output);
    if (output.json()) {
        Json answer = to_answer(spec.plan, named);
        answer["consequences"] = found ? to_json(*found) : Json();
        answer["refusal"] = possible ? Json() : Json(possible.error().message);
        output.write(answer);
    } else {
        print(spec.plan, named.size(), output.text());
        print_named(named, output.text());
        if (found) print(*found, output.text());
        if (!possible) output.text() << "An apply would be refused now: " << possible.error().message << '\n';
        if (!options.out.empty()) output.text() << text::format("Written to {}.\n", options.out);
    }
    return spec.plan.changes_anything() || !named.empty() ? exit_changes : 0;
}

} // namespace

void add_spec_plan(Command spec, Invocation& invocation) {
    auto options = std::make_shared<PlanOptions>();
    Command command = add_command(
        spec, "plan", "Show what an apply would change, and for whom",
        "Examples:\n"
        "  qosgate spec plan qos.yaml\n"
        "  qosgate spec plan qos.d --out plan.json           to be reviewed, and applied later\n"
        "  qosgate spec plan qos.d --prune --json | jq '.deleted[].Name'\n\n"
        "Shown are old and new value of each field, who gets or loses access, and which fields will be the\n"
        "owner's. Percentages are counts of what the cluster has now. The queue shows which "
        "pending\n"
        "jobs could never start any more, or would no longer wait for a limit, and who uses more than a new\n"
        "limit allows: running jobs are never touched. This needs root, SlurmUser or an operator; others\n"
        "get the rest.\n"
        "If a QOS is to be deleted that something uses, a line says that an apply would be refused, and the\n"
        "commands that end the uses.\n"
        "Nothing is changed.\n\n"
        "Exit status:\n"
        "  0   nothing to change\n"
        "  2   there are changes\n"
        "  64  the command line is wrong\n"
        "  65  a file is wrong\n"
        "  66  there is no such file\n"
        "  69  slurmdbd or slurmctld cannot be reached; a file or slurm.conf cannot be read or written\n"
        "  74  the output cannot be written\n"
        "  75  another owner manages what the files name; there are too many files\n"
        "  77  not permitted\n"
        "  78  Slurm has no slurmdbd");
    add_spec_options(command, *options, invocation);
    command.add_option("--out", options->out, "Write the plan to this file, for 'qosgate spec apply'")
        .option_text("FILE");
    command.add_flag("--no-consequences", options->no_consequences, "Do not judge the jobs in the queue");
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return plan(*options, output); };
    });
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec apply: makes the cluster what the files say, or carries out a plan that was reviewed.
#include "spec/carry_out.hpp"
#include "spec/spec_files.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/read_file.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/plan_json.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace qg::cli {
namespace {

constexpr std::size_t max_plan = std::size_t{64} << 20u;

struct ApplyOptions : SpecOptions {
    CarryOutOptions carry_out;
};

/// The plan in the only file that is named; empty: it is a spec.
Result<std::optional<spec::Plan>> read_plan_file(const std::vector<std::string>& paths) {
    std::error_code ignored;
    if (paths.size() != 1 || !std::filesystem::is_regular_file(paths.front(), ignored))
        return std::optional<spec::Plan>();
    const auto content = read_file(paths.front(), max_plan);
    if (!content) return content.error();
    if (!spec::is_plan(*content)) return std::optional<spec::Plan>();
    auto plan = spec::plan_from_text(*content, {});
    if (!plan) return plan.error().in(paths.front());
    return std::optional(*std::move(plan));
}

Result<int> apply_plan(const spec::Plan& plan, const ApplyOptions& options, QosConnection& access,
                       Output& output) {
    if (options.plan.prune || options.plan.take_over)
        return Error{ErrorCode::invalid_input,
                     "--prune and --take-over belong to 'qosgate spec plan': a plan is applied as it is"};
    const auto live = admin::read_live(access.connection());
    if (!live) return live.error();
    if (plan.cluster != live->cluster)
        return Error{ErrorCode::invalid_input, text::format("the plan is for cluster {}, and this is {}",
                                                            text::quoted(plan.cluster, 64), live->cluster)};
    return show_and_carry_out(plan, *live, options.carry_out, access, output);
}

Result<int> apply(const ApplyOptions& options, Output& output) {
    const auto plan = read_plan_file(options.paths);
    if (!plan) return plan.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    if (*plan) return apply_plan(**plan, options, **access, output);
    const auto planned = read_and_plan(options, **access);
    if (const auto* failure = std::get_if<SpecFailure>(&planned)) return failure->report(output);
    const auto& spec = std::get<PlannedSpec>(planned);
    return show_and_carry_out(spec.plan, spec.live, options.carry_out, **access, output);
}

} // namespace

void add_spec_apply(Command spec, Invocation& invocation) {
    auto options = std::make_shared<ApplyOptions>();
    Command command = add_command(
        spec, "apply", "Make the cluster what the files say: all of it, or nothing",
        "Examples:\n"
        "  qosgate spec apply qos.yaml                   shows the plan and asks\n"
        "  qosgate spec apply plan.json --yes            what was reviewed, if nothing has changed since\n"
        "  qosgate spec apply qos.d --prune --yes --json\n\n"
        "PATH is spec files, or one file of 'qosgate spec plan --out', under any name. The plan is shown; on "
        "a\n"
        "terminal it is asked for; scripts add --yes. Everything is one transaction: a failure, a signal or "
        "a lost "
        "connection\n"
        "leaves all records as they were, and the message says so. If somebody else changed the same "
        "meanwhile,\n"
        "nothing is changed. Afterwards the records are read again and compared.\n"
        "Only a plan in which a QOS that it creates is made a default is two transactions: slurmdbd takes "
        "only\n"
        "a stored QOS as a default. First new and changed QOSs and what is granted; then default QOSs, what "
        "is\n"
        "revoked and what is deleted. If it ends in between, the message says so; apply the same files again "
        "(not\n"
        "the plan file), and the rest is done.\n"
        "A QOS that has running or pending jobs, or that slurm.conf names, is not deleted: the error shows "
        "the\n"
        "commands that end the uses. With --move-jobs-to, pending jobs get the other QOS right before the "
        "commit,\n"
        "and their old one again if it fails; where it is unknown whether it was stored they keep the new "
        "one, "
        "and\n"
        "are named. Jobs that have started keep their QOS, so they still prevent the deletion. Whether a "
        "job's "
        "owner\n"
        "may use the other QOS is not checked.\n"
        "The way back is written to the history before anything is changed ('qosgate spec rollback').\n\n" +
            carry_out_help());
    add_spec_options(command, *options, invocation);
    add_carry_out_options(command, options->carry_out);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return apply(*options, output); };
    });
}

} // namespace qg::cli

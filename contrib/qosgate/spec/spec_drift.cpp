// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec drift: what was changed behind the files' back.
#include "common/past_period.hpp"
#include "spec/drift_report.hpp"
#include "spec/spec_files.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"

#include <ctime>
#include <memory>

namespace qg::cli {
namespace {

constexpr int exit_drifted = 2;
constexpr std::string_view default_drift_since = "30d";

struct DriftOptions : AccessOptions {
    std::vector<std::string> paths;
    bool prune = false;
    std::string since = std::string(default_drift_since);
};

void name_actors(std::vector<DriftRow>& drift, std::time_t since, QosConnection& access, Output& output) {
    const auto log = slurmdb::read_log(access.connection(), since);
    if (log)
        add_actors(drift, *log);
    else
        output.warn("who changed it is not known: " + log.error().message);
}

Result<int> show_drift(const DriftOptions& options, Output& output) {
    const std::time_t now = std::time(nullptr);
    const auto period = parse_period(options.since, {}, now);
    if (!period) return period.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    auto desired = read_spec(options.paths, access->get());
    if (const auto* failure = std::get_if<SpecFailure>(&desired)) return failure->report(output);
    const auto live = admin::read_live((*access)->connection());
    if (!live) return live.error();
    const auto& wanted = std::get<spec::Desired>(desired);
    // What another owner took over has drifted, too.
    const auto planned = plan_spec(wanted, *live, {.take_over = true, .prune = options.prune});
    if (const auto* failure = std::get_if<SpecFailure>(&planned)) return failure->report(output);
    // The plan's other warnings are about an apply.
    const auto& made = std::get<PlannedSpec>(planned);
    for (const std::string& warning : made.unreached)
        output.warn(warning);
    auto drift = list_drift(made.plan, made.live);
    if (!drift.empty()) name_actors(drift, period->since, **access, output);
    const auto conflicts = spec::make_plan(wanted, *live, {.prune = options.prune}).conflicts;
    if (output.json()) {
        Json list = Json::array();
        for (const spec::Conflict& conflict : conflicts)
            list.push_back(to_json(conflict));
        output.write({{"drift", to_json(drift)}, {"conflicts", list}});
    } else {
        print(drift, output.text());
        for (const spec::Conflict& conflict : conflicts)
            output.text() << "Conflict: " << describe(conflict) << '\n';
        if (drift.empty())
            output.text() << "No drift.\n";
        else
            output.text() << text::count_of(drift.size(), "difference") << '\n';
    }
    return drift.empty() ? 0 : exit_drifted;
}

} // namespace

void add_spec_drift(Command spec, Invocation& invocation) {
    auto options = std::make_shared<DriftOptions>();
    Command command = add_command(
        spec, "drift", "Show where the cluster is not what the files say, and who changed it",
        "Examples:\n"
        "  qosgate spec drift qos.d\n"
        "  qosgate spec drift qos.d --json | jq '.drift[] | select(.actor != \"root\")'\n\n"
        "Each field that differs: what the files want, and what is stored. Who changed it last, and when, "
        "is\n"
        "from slurmdbd's log of transactions (--since), which operators and administrators may read. For\n"
        "access it is not known, because the log has only numbers there; who deleted a QOS is known if no\n"
        "other was deleted since it was last changed. The exit status suits a timer.\n\n"
        "Exit status:\n"
        "  0   no drift\n"
        "  2   something differs\n"
        "  64  the command line is wrong\n"
        "  65  a file is wrong\n"
        "  66  there is no such file\n"
        "  69  slurmdbd cannot be reached; a file or slurm.conf cannot be read\n"
        "  74  the output cannot be written\n"
        "  75  there are too many files, or they are too large\n"
        "  77  not permitted\n"
        "  78  Slurm has no slurmdbd");
    add_spec_paths(command, options->paths);
    command.add_flag("--prune", options->prune,
                     "Also QOSs that the files' owners created and the files do not name any more");
    command
        .add_option("--since", options->since,
                    "Read slurmdbd's log from then on: 7d, 12h, 2026-11-20; default: 30d")
        .option_text("TIME");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return show_drift(*options, output); };
    });
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec lint: the checks of `qosgate lint` on what spec files would make.
#include "report/lint_reading.hpp"
#include "spec/spec_files.hpp"
#include "spec/spec_findings.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <memory>
#include <set>

namespace qg::cli {
namespace {

constexpr int exit_spec_finds = 2;

struct SpecLintOptions : SpecOptions {
    std::vector<std::string> ignored;
    bool offline = false;
};

/// The cluster as it is, and what the files make of it.
struct LintedSpec {
    spec::Desired desired = {};
    spec::Plan plan = {};
    report::LintInput before = {};
    report::LintInput after = {};
    report::LintScope scope = report::LintScope::cluster;
};

SpecResult<LintedSpec> read_offline(const SpecLintOptions& options) {
    auto read = read_spec(options.paths, nullptr);
    if (const auto* failure = std::get_if<SpecFailure>(&read)) return *failure;
    LintedSpec linted{.desired = std::get<spec::Desired>(std::move(read)),
                      .scope = report::LintScope::records};
    auto planned = plan_spec(without_cluster(linted.desired), world_named_by(linted.desired), {});
    if (const auto* failure = std::get_if<SpecFailure>(&planned)) return *failure;
    auto& spec = std::get<PlannedSpec>(planned);
    linted.plan = std::move(spec.plan);
    linted.after = with_plan(linted.before, linted.plan, spec.live);
    return linted;
}

SpecResult<LintedSpec> read_online(const SpecLintOptions& options, Output& output) {
    // A QOS that another owner manages is linted, too: `spec plan` tells the conflict.
    SpecOptions over = options;
    over.plan.take_over = true;
    const auto access = QosConnection::open(options, output);
    if (!access) return SpecFailure{access.error()};
    auto planned = read_and_plan(over, **access);
    if (const auto* failure = std::get_if<SpecFailure>(&planned)) return *failure;
    auto& spec = std::get<PlannedSpec>(planned);
    auto before = read_lint_input(**access);
    if (!before) return SpecFailure{before.error()};
    LintedSpec linted{
        .desired = std::move(spec.desired), .plan = std::move(spec.plan), .before = *std::move(before)};
    linted.after = with_plan(linted.before, linted.plan, spec.live);
    return linted;
}

void print_spec_findings(const SpecFindings& found, std::ostream& out) {
    for (const SpecFinding& each : found.shown) {
        out << text::format("{}{}: {}: {}\n", each.place.empty() ? "" : each.place + ": ", each.finding.code,
                            each.finding.where, each.finding.text);
        for (const std::string_view line : text::split(each.cure, '\n'))
            out << "    " << line << '\n';
    }
    for (const SilencedFinding& each : found.silenced)
        out << text::format("silenced: {}: {}: {}\n", each.finding.code, each.finding.where,
                            text::printable(each.reason));
    out << (found.shown.empty() ? "nothing found" : text::count_of(found.shown.size(), "finding"));
    if (found.others > 0)
        out << text::format("; {} about what the files do not name ('qosgate lint' shows them)",
                            text::count_of(found.others, "more finding"));
    out << '\n';
}

Json spec_findings_to_json(const SpecFindings& found, const SpecLintOptions& options) {
    Json shown = Json::array();
    for (const SpecFinding& each : found.shown)
        shown.push_back({{"code", each.finding.code},
                         {"where", each.finding.where},
                         {"text", each.finding.text},
                         {"cure", each.cure},
                         {"file", each.position.file.empty() ? Json() : Json(each.position.file)},
                         {"line", each.position.line}});
    Json silenced = Json::array();
    for (const SilencedFinding& each : found.silenced)
        silenced.push_back(
            {{"code", each.finding.code}, {"where", each.finding.where}, {"reason", each.reason}});
    return {{"findings", shown},
            {"silenced", silenced},
            {"others", found.others},
            {"ignored", options.ignored},
            {"offline", options.offline}};
}

Result<int> lint_spec(const SpecLintOptions& options, Output& output) {
    if (const auto known = report::check_codes(options.ignored); !known) return known.error().in("--ignore");
    const auto read = options.offline ? read_offline(options) : read_online(options, output);
    if (const auto* failure = std::get_if<SpecFailure>(&read)) return failure->report(output);
    const auto& linted = std::get<LintedSpec>(read);
    for (const spec::Silenced& each : linted.desired.silenced)
        if (const auto known = report::check_codes(std::vector{each.code}); !known)
            return known.error().in(place_of(each.position) + ": silence");
    const SpecFindings found = choose_findings(
        report::find_problems(linted.before, options.ignored, linted.scope),
        report::find_problems(linted.after, options.ignored, linted.scope), linted.desired, linted.plan);
    if (output.json())
        output.write(spec_findings_to_json(found, options));
    else
        print_spec_findings(found, output.text());
    return found.shown.empty() ? 0 : exit_spec_finds;
}

} // namespace

void add_spec_lint(Command spec, Invocation& invocation) {
    auto options = std::make_shared<SpecLintOptions>();
    Command command = add_command(
        spec, "lint", "Find mistakes in spec files before they are applied",
        "Examples:\n"
        "  qosgate spec lint qos.yaml\n"
        "  qosgate spec lint --offline qos.d          without a cluster, for CI\n"
        "  qosgate spec lint qos.d --ignore zero-limit --json\n\n"
        "The checks are those of 'qosgate lint', on the cluster as it would be if the files were applied.\n"
        "Shown are findings about the QOSs that the files name, and those that the files would cause; the\n"
        "others are counted. The cure says what to write in which file. For root, SlurmUser and operators.\n"
        "With --offline only the checks that need no cluster run: percentages, accounts, users and names of\n"
        "TRES are not checked.\n"
        "A file silences a finding with its code and a reason, below 'silence'.\n\n"
        "Exit status:\n"
        "  0   nothing found\n"
        "  2   there are findings\n"
        "  64  the command line is wrong\n"
        "  65  a file is wrong\n"
        "  66  there is no such file, or no such code\n"
        "  69  slurmdbd or slurmctld cannot be reached; a file or slurm.conf cannot be read\n"
        "  74  the output cannot be written\n"
        "  75  there are too many files, or they are too large\n"
        "  77  not permitted\n"
        "  78  Slurm has no slurmdbd");
    add_spec_paths(command, options->paths);
    command.add_option("--ignore", options->ignored, "Leave out the check with this code; may be repeated")
        .option_text("CODE");
    command.add_flag("--offline", options->offline, "Check the files alone, without a cluster");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return lint_spec(*options, output); };
    });
}

} // namespace qg::cli

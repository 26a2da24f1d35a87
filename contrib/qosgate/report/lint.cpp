// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate lint: settings that have no effect, or another one than meant.
#include "common/command.hpp"
#include "report/lint_reading.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

constexpr int exit_lint_finds = 2;

struct LintOptions : AccessOptions {
    std::vector<std::string> ignored;
};

void print_findings(const std::vector<report::Finding>& findings, std::size_t checks, std::ostream& out) {
    for (const report::Finding& finding : findings) {
        out << text::format("{}: {}: {}\n", finding.code, finding.where, finding.text);
        for (const std::string_view line : text::split(finding.cure, '\n'))
            out << "    " << line << '\n';
    }
    out << (findings.empty()
                ? text::format("{} checks, nothing found\n", checks)
                : text::format("{} checks, {}\n", checks, text::count_of(findings.size(), "finding")));
}

ordered_json findings_to_json(const std::vector<report::Finding>& findings, const LintOptions& options) {
    auto list = ordered_json::array();
    for (const report::Finding& finding : findings)
        list.push_back({{"code", finding.code},
                        {"where", finding.where},
                        {"text", finding.text},
                        {"cure", finding.cure}});
    return {{"findings", list}, {"ignored", options.ignored}};
}

Result<int> lint_cluster(const LintOptions& options, Output& output) {
    if (const auto known = report::check_codes(options.ignored); !known) return known.error().in("--ignore");
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto input = read_lint_input(**access);
    if (!input) return input.error();
    const auto findings = report::find_problems(*input, options.ignored);
    if (output.json())
        output.write(findings_to_json(findings, options));
    else
        print_findings(findings,
                       report::lint_checks().size() -
                           std::set(options.ignored.begin(), options.ignored.end()).size(),
                       output.text());
    return findings.empty() ? 0 : exit_lint_finds;
}

} // namespace

void add_lint(Command app, Invocation& invocation) {
    auto options = std::make_shared<LintOptions>();
    Command command = add_command(
        app, "lint", "Find settings that have no effect, or always deny",
        "Checks the QOSs, associations and partitions of the live cluster, and slurm.conf. Each finding has "
        "a\n"
        "code that stays the same, a sentence, and a cure: a command, or a comment that says what to write "
        "in\n"
        "slurm.conf or what to decide. The cure makes the finding go away; whether it is what you want is "
        "for\n"
        "you to decide. Cures that set the same key of slurm.conf have the same line: one value for all of\n"
        "them. Control characters in names are shown as '?' in sentences, and escapes in commands "
        "($'a\\012b', "
        "which\n"
        "bash, zsh and ksh know). For root, SlurmUser and operators.\n\n"
        "Codes:\n" +
            report::list_checks() +
            "\nExit status:\n"
            "  0   nothing found\n"
            "  2   there are findings\n"
            "  64  the command line is wrong\n"
            "  66  a code of --ignore does not exist\n"
            "  69  slurmdbd or slurmctld cannot be reached, or slurm.conf cannot be used\n"
            "  74  the output cannot be written\n"
            "  77  not permitted\n"
            "  78  Slurm has no slurmdbd\n\n"
            "Examples:\n"
            "  sudo qosgate lint --ignore not-safe --ignore zero-limit\n"
            "  sudo qosgate lint --json | jq -r '.findings[] | \"# \" + .text, .cure' > cures.sh");
    command.add_option("--ignore", options->ignored, "Leave out the check with this code; may be repeated")
        .option_text("CODE");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return lint_cluster(*options, output); };
    });
}

} // namespace qg::cli

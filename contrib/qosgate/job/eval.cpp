// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate eval: what slurmctld would answer for scenarios in JSON, without a slurmctld.
#include "common/command.hpp"
#include "common/default_release.hpp"

#include "qosgate/base/read_file.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/schedule.hpp"
#include "qosgate/limits/submit.hpp"
#include "qosgate/quota/scenario.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

constexpr int exit_bad_data = 65;

struct EvalOptions {
    std::string file = "-";
    std::string release = default_release().branch();
    std::string stage = "all";
    bool strict = false;
};

ordered_json time_json(const std::optional<TimeLimit>& time) {
    if (!time) return nullptr;
    if (time->is_unlimited()) return "UNLIMITED";
    return time->minutes;
}

std::string token_of(const std::vector<limits::Violation>& violations) {
    return violations.empty() ? "ok" : std::string(violations.front().reason);
}

ordered_json violations_json(const std::vector<limits::Violation>& violations,
                             const model::AccountView& view) {
    auto list = ordered_json::array();
    for (const limits::Violation& v : violations) {
        list.push_back({
            {"limit", model::name_of(v.limit)},
            {"tres", v.tres ? ordered_json(view.tres->name(*v.tres)) : ordered_json(nullptr)},
            {"set_by", limits::owner_name(v.owner, view)},
            {"asked", v.asked},
            {"value", v.limit_value},
            {"used", v.used},
            {"reason", v.reason},
            {"text", limits::describe(v, view)},
        });
    }
    return list;
}

/// The verdict on one scenario, with the field names of the scenario format.
ordered_json judge_scenario(const quota::Scenario& scenario, limits::Release release,
                            const EvalOptions& options) {
    const auto strictness =
        options.strict ? limits::Strictness::assume_strict : limits::Strictness::as_configured;
    const auto submit = limits::evaluate_submit(scenario.view, scenario.job, release, strictness);
    ordered_json verdict{{"id", scenario.id}, {"submit", token_of(submit.violations)}};
    const bool accepted = submit.accepted();
    verdict["time_limit"] = accepted ? time_json(submit.time_limit) : ordered_json(nullptr);
    verdict["time_set_by_limit"] = accepted ? ordered_json(submit.time_set_by_limit) : ordered_json(nullptr);
    ordered_json violations = violations_json(submit.violations, scenario.view);
    if (options.stage == "all") {
        for (const char* field : {"pre_select", "post_select", "max_nodes", "max_nodes_reason"})
            verdict[field] = nullptr;
        if (accepted) {
            const auto later = limits::evaluate_schedule(scenario.view, scenario.job, submit.time_limit,
                                                         submit.time_set_by_limit, release);
            verdict["pre_select"] = token_of(later.pre_select);
            if (later.passed_pre_select()) verdict["post_select"] = token_of(later.post_select);
            if (later.max_nodes) verdict["max_nodes"] = *later.max_nodes;
            if (later.node_limit) verdict["max_nodes_reason"] = later.node_limit->reason;
            for (const auto* found : {&later.pre_select, &later.post_select})
                for (auto& entry : violations_json(*found, scenario.view))
                    violations.push_back(std::move(entry));
        }
    }
    verdict["violations"] = std::move(violations);
    return verdict;
}

constexpr std::size_t max_scenario = std::size_t{16} << 20u;

Result<int> eval(const EvalOptions& options, Output& output) {
    const auto release = limits::Release::parse(options.release);
    if (!release) return release.error().in("--release");
    std::ifstream file;
    const bool reads_stdin = options.file == "-";
    if (!reads_stdin) {
        file.open(options.file);
        if (!file)
            return Error{
                ErrorCode::not_found,
                text::format("{}: cannot be read: {}", text::printable(options.file), std::strerror(errno))};
    }
    std::istream& in = reads_stdin ? std::cin : file;
    const std::string name = reads_stdin ? "standard input" : options.file;
    std::string line;
    std::size_t number = 0;
    std::size_t wrong = 0;
    for (;;) {
        const auto is_read = read_line(in, line, max_scenario);
        if (!is_read)
            return Error(is_read.error()).in(text::format("{}:{}", text::printable(name), number + 1));
        if (!*is_read) break;
        ++number;
        if (text::trim(line).empty()) continue;
        const auto scenario = quota::parse_scenario(line);
        if (!scenario) {
            ++wrong;
            output.warn(text::format("{}:{}: {}", text::printable(name), number,
                                     text::printable(scenario.error().message, 500)));
            continue;
        }
        output.text() << judge_scenario(*scenario, *release, options).dump() << '\n';
        if (!output.text()) break; // a reader that is gone: the end says so
    }
    if (in.bad())
        return Error{ErrorCode::unavailable, text::format("{}: reading failed", text::printable(name))};
    if (wrong == 0) return 0;
    output.fail(to_string(ErrorCode::invalid_input),
                text::format("{} of {} lines of {} are not scenarios; the others were judged", wrong, number,
                             text::printable(name)));
    return exit_bad_data;
}

} // namespace

void add_eval(Command app, Invocation& invocation) {
    auto options = std::make_shared<EvalOptions>();
    Command command = add_command(
        app, "eval", "Judge jobs against limits without a controller",
        "Reads scenarios (limits, usage and one job as one JSON object per line) and writes one verdict per "
        "line:\n"
        "what slurmctld answers at submission (\"submit\"), the time limit the job gets, and what will make\n"
        "it wait (\"pre_select\", \"max_nodes\", \"post_select\"): \"ok\" or the Reason that squeue shows.\n"
        "\n"
        "Exit status:\n"
        "  0   every line was judged\n"
        "  64  the command line is wrong\n"
        "  65  --release, or a line is wrong: standard error names it, and the others were judged\n"
        "  66  the file cannot be read\n"
        "  69  reading the file failed\n"
        "  74  the output cannot be written\n\n"
        "Examples:\n"
        "  qosgate eval jobs.jsonl --release 22.05\n"
        "  echo "
        "'{\"qos\":[{\"name\":\"q\",\"MaxWall\":60,\"flags\":[\"DenyOnLimit\"]}],\"enforce\":[\"limits\"],\n"
        "         \"job\":{\"qos\":\"q\",\"time_limit\":90}}' | tr -d '\\n' | qosgate eval");
    add_answer_help(command, "A verdict");
    command.add_option("FILE", options->file, "File with one scenario per line; '-' is standard input")
        .capture_default_str();
    command
        .add_option(
            "--release", options->release,
            "The Slurm release whose rules apply, from 22.05 on; by default the one this was built for")
        .capture_default_str();
    command.add_option("--stage", options->stage, "How far to judge")
        .one_of({"submit", "all"})
        .capture_default_str();
    command.add_flag("--strict", options->strict, "Judge the submission as if DenyOnLimit were set");
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return eval(*options, output); };
    });
}

} // namespace qg::cli

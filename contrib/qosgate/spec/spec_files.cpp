// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/spec_files.hpp"

#include "spec/spec_findings.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/report/lint_checks.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"
#include "qosgate/spec/load_files.hpp"
#include "qosgate/spec/plan_json.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace qg::cli {
namespace {

/// Lines of an error for people.
constexpr std::size_t max_conflict_lines = 50;

constexpr std::string_view default_directory = "qos.d";

Json problem_to_json(const spec::Problem& problem) {
    return {{"file", problem.position.file},
            {"line", problem.position.line},
            {"column", problem.position.column},
            {"text", problem.text}};
}

SpecFailure failure_of(const Error& error) {
    return {error};
}

SpecFailure failure_of(ErrorCode code, const std::vector<spec::Problem>& problems) {
    Json list = Json::array();
    for (const spec::Problem& problem : problems)
        list.push_back(problem_to_json(problem));
    return {{code, spec::to_text(problems)}, {{"problems", list}}};
}

std::string join_lines(std::vector<std::string> lines) {
    const std::size_t left = lines.size() - std::min(lines.size(), max_conflict_lines);
    lines.resize(lines.size() - left);
    if (left > 0) lines.push_back(text::format("... and {} more (--json lists all)", left));
    return text::join(lines, "\n  ");
}

SpecFailure conflicts_of(const std::vector<spec::Conflict>& conflicts) {
    std::vector<std::string> changed;
    std::vector<std::string> deleted;
    Json list = Json::array();
    for (const spec::Conflict& conflict : conflicts) {
        (conflict.field.empty() ? deleted : changed).push_back(describe(conflict));
        list.push_back(to_json(conflict));
    }
    std::vector<std::string> parts;
    if (!changed.empty())
        parts.push_back(text::format("others manage what the spec names:\n  {}\nleave it out of the spec, or "
                                     "take it over: --take-over",
                                     join_lines(std::move(changed))));
    if (!deleted.empty())
        parts.push_back(
            text::format("others manage a part of what the pruning would delete:\n  {}\nname it in "
                         "the spec, prune nothing, or delete it all the same: --take-over",
                         join_lines(std::move(deleted))));
    return {{ErrorCode::conflict, text::join(parts, "\n")}, {{"conflicts", list}}};
}

/// Adds warnings of limits that the plan makes wrong by themselves, but not of what the files silence.
void add_mistakes(PlannedSpec& spec) {
    std::vector<model::QosRecord> before;
    std::vector<model::QosRecord> after = spec.plan.created;
    for (const spec::PlannedUpdate& update : spec.plan.updated) {
        before.push_back(update.before);
        after.push_back(update.after);
    }
    for (const report::Finding& finding : report::find_new_mistakes(std::move(before), std::move(after)))
        if (find_silenced(spec.desired, finding) == nullptr)
            spec.plan.warnings.push_back(report::warning_of(finding));
}

Result<std::vector<std::string>> default_paths() {
    const auto conf = slurmdb::find_slurm_conf();
    if (!conf) return conf.error();
    const auto directory = std::filesystem::absolute(*conf).parent_path() / default_directory;
    std::error_code ignored;
    if (!std::filesystem::exists(directory, ignored))
        return Error{ErrorCode::not_found,
                     text::format("no file is named, and there is no directory {}", directory.string())};
    return std::vector<std::string>{directory.string()};
}

} // namespace

void add_spec_paths(Command command, std::vector<std::string>& paths) {
    command.add_option("PATH", paths,
                       "Files, directories, or - for standard input; default: qos.d beside slurm.conf");
}

void add_spec_options(Command command, SpecOptions& options, Invocation& invocation) {
    add_spec_paths(command, options.paths);
    command.add_flag("--prune", options.plan.prune,
                     "Delete QOSs that the files' owners created and the files do not name any more");
    command.add_flag("--take-over", options.plan.take_over,
                     "Make fields that others manage those of the files' owners; with --prune, delete also "
                     "what they manage a part of");
    add_access_options(command, options, invocation);
}

int SpecFailure::report(Output& output) const {
    output.fail(to_string(error.code), error.message, details);
    return exit_status(error.code);
}

SpecResult<spec::Desired> read_spec(const std::vector<std::string>& paths, QosConnection* access) {
    auto named = paths.empty() ? default_paths() : Result<std::vector<std::string>>(paths);
    if (!named) return failure_of(named.error());
    const auto texts = spec::read_files(*named);
    if (!texts) return failure_of(texts.error());
    if (texts->empty())
        return failure_of({ErrorCode::not_found,
                           text::format("no *.yaml, *.yml or *.json in {}", text::list_names(*named))});
    for (const spec::SourceText& text : *texts)
        if (spec::is_plan(text.text))
            return failure_of(
                {ErrorCode::invalid_input, text::printable(text.file, 1000) +
                                               ": this is a plan, and 'qosgate spec apply' takes it, "
                                               "alone; here specs are expected"});
    spec::Loaded loaded = spec::load(*texts, access == nullptr ? nullptr : &access->store().catalogue());
    if (loaded.problems.empty()) return std::move(loaded.desired);
    if (access != nullptr) {
        // What the cluster contradicts is told along with it, if the cluster can be read.
        if (const auto live = admin::read_live(access->connection())) {
            std::ranges::move(spec::find_contradictions(loaded.desired, loaded.has_all_qos, *live),
                              std::back_inserter(loaded.problems));
            spec::sort_by_place(loaded.problems);
        }
    }
    return failure_of(ErrorCode::invalid_input, loaded.problems);
}

SpecResult<PlannedSpec> plan_spec(spec::Desired desired, spec::LiveState live,
                                  const spec::PlanOptions& options) {
    spec::Planned planned = spec::make_plan(desired, live, options);
    if (!planned.problems.empty()) {
        // The files are right, and slurmctld, which knows what the cluster has, did not answer; or the reader
        // may not know who there is.
        const bool is_unanswered = planned.uncounted_shares == planned.problems.size();
        const bool is_hidden = planned.lacks_permission && planned.problems.size() == 1;
        return failure_of(is_unanswered ? ErrorCode::unavailable
                          : is_hidden   ? ErrorCode::permission_denied
                                        : ErrorCode::invalid_input,
                          planned.problems);
    }
    if (!planned.conflicts.empty()) return conflicts_of(planned.conflicts);
    return PlannedSpec{std::move(desired), std::move(live), std::move(planned.plan),
                       std::move(planned.unreached)};
}

SpecResult<PlannedSpec> read_and_plan(const SpecOptions& options, QosConnection& access) {
    auto desired = read_spec(options.paths, &access);
    if (const auto* failure = std::get_if<SpecFailure>(&desired)) return *failure;
    auto live = admin::read_live(access.connection());
    if (!live) return failure_of(live.error());
    auto planned = plan_spec(std::get<spec::Desired>(std::move(desired)), *std::move(live), options.plan);
    if (auto* spec = std::get_if<PlannedSpec>(&planned)) add_mistakes(*spec);
    return planned;
}

std::string describe(const spec::Conflict& conflict) {
    const std::string place = place_of(conflict.position);
    return text::format("{}QOS {}: {} managed by {}, and {} {}", place.empty() ? "" : place + ": ",
                        text::printable(conflict.qos),
                        conflict.field.empty() ? "parts of it are" : conflict.field + " is",
                        text::printable(conflict.managed_by), text::printable(conflict.wanted_by),
                        conflict.field.empty() ? "would delete it" : "wants it");
}

Json to_json(const spec::Conflict& conflict) {
    return {{"qos", conflict.qos},
            {"field", conflict.field.empty() ? Json() : Json(conflict.field)},
            {"managed_by", conflict.managed_by},
            {"wanted_by", conflict.wanted_by},
            {"file", conflict.position.file},
            {"line", conflict.position.line}};
}

std::string place_of(const spec::Position& position) {
    if (position.file.empty()) return {};
    std::string place = text::printable(position.file, 1000);
    if (position.line > 0) place += text::format(":{}", position.line);
    return place;
}

} // namespace qg::cli

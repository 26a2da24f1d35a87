// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate reason: what a Reason that squeue shows means, whether waiting helps, what to change.
#include "common/command.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/other_reasons.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <nlohmann/json.hpp>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

struct ReasonOptions {
    std::vector<std::string> tokens;
    bool all = false;
};

// In the order of TresKind.
constexpr std::array<std::string_view, model::tres_kind_count> kind_names{
    "cpu", "mem", "energy", "node", "billing", "bb/*", "gres/*", "license/*", "other TRES"};

ordered_json entry_json(const limits::ReasonEntry& entry) {
    const limits::LimitText text = limits::text_of(entry.limit);
    auto kinds = ordered_json::array();
    for (model::TresKind kind : entry.kinds)
        kinds.push_back(kind_names[static_cast<std::size_t>(kind)]);
    return {{"reason", entry.reason},
            {"set_by", entry.owner == limits::OwnerKind::qos ? "qos" : "association"},
            {"limit", model::name_of(entry.limit)},
            {"tres", kinds},
            {"meaning", text.meaning},
            {"waiting", text.waiting},
            {"change", text.change}};
}

/// A Reason that is not from a limit has the same members; those of limits are empty.
ordered_json entry_json(const limits::OtherReason& other) {
    return {{"reason", other.reason},        {"set_by", nullptr},        {"limit", nullptr},
            {"tres", ordered_json::array()}, {"meaning", other.meaning}, {"waiting", other.waiting},
            {"change", other.change}};
}

std::string limit_line(const ordered_json& entry) {
    if (entry["limit"].is_null()) return "";
    const auto kinds = entry["tres"].get<std::vector<std::string>>();
    const char* owner =
        entry["set_by"] == "qos" ? "a QOS (yours or the partition's)" : "an association (user or account)";
    return text::format("  Limit:   {}{}{}, set by {}\n", entry["limit"].get<std::string>(),
                        kinds.empty() ? "" : " of ", text::join(kinds, ", "), owner);
}

void print_entry(const ordered_json& entry, std::ostream& out) {
    out << entry["reason"].get<std::string>() << '\n'
        << limit_line(entry) << "  Meaning: " << entry["meaning"].get<std::string>()
        << "\n  Waiting: " << entry["waiting"].get<std::string>()
        << "\n  Change:  " << entry["change"].get<std::string>() << '\n';
}

std::vector<std::string> known_reasons() {
    auto known = limits::all_reasons();
    for (const limits::OtherReason& other : limits::other_reasons())
        known.emplace_back(other.reason);
    std::sort(known.begin(), known.end());
    return known;
}

/// 'Prioritty' (did you mean Priority?)
std::string unknown_reason(const std::string& reason, const std::vector<std::string>& known) {
    constexpr std::string_view separator = "; ";
    const std::string near = text::did_you_mean(reason, known);
    return text::format("'{}'{}", text::printable(reason),
                        near.empty() ? "" : " (" + near.substr(separator.size()) + ")");
}

Result<int> explain_reason(const ReasonOptions& options, Output& output) {
    const auto known = known_reasons();
    auto entries = ordered_json::array();
    std::vector<std::string> unknown;
    for (const auto& reason : options.all ? known : limits::reasons_in(text::join(options.tokens, " "))) {
        const std::size_t before = entries.size();
        for (const auto& meaning : limits::find_reason(reason))
            entries.push_back(entry_json(meaning));
        if (const auto* other = limits::find_other_reason(reason)) entries.push_back(entry_json(*other));
        if (entries.size() == before) unknown.push_back(unknown_reason(reason, known));
    }
    if (entries.empty() && unknown.empty()) unknown.emplace_back("''"); // nothing but punctuation
    ordered_json answer{{"reasons", entries}};
    if (!output.json())
        for (const auto& entry : entries)
            print_entry(entry, output.text());
    if (!unknown.empty()) {
        output.fail_in_part(to_string(ErrorCode::not_found),
                            text::format("Slurm has no Reason {}; 'qosgate reason --all' lists all",
                                         text::list_names(unknown)),
                            answer);
        return exit_status(ErrorCode::not_found);
    }
    if (output.json()) output.write(answer);
    return 0;
}

} // namespace

void add_reason(Command app, Invocation& invocation) {
    auto options = std::make_shared<ReasonOptions>();
    Command command =
        add_command(app, "reason", "Explain a job's Reason and what to do about it",
                    "Examples:\n"
                    "  qosgate reason QOSMaxGRESPerUser\n"
                    "  qosgate reason $(squeue -h -j 1234 -o %r)\n"
                    "  qosgate reason --all --json\n\n"
                    "Unknown Reasons are named on standard error; the others are still explained.\n\n"
                    "Exit status:\n"
                    "  0   explained\n"
                    "  64  the command line is wrong\n"
                    "  66  Slurm has no such Reason\n"
                    "  74  the output cannot be written");
    const Option tokens = command.add_option("TOKEN", options->tokens, "Reasons as squeue shows them");
    const Option all = command.add_flag("--all", options->all, "all Reasons that Slurm has");
    tokens.excludes(all);
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        if (options->tokens.empty() && !options->all) // squeue does not show ended jobs
            refuse_arguments("no Reason is given: has the job left the queue? --all explains every Reason");
        invocation.action = [options](Output& output) { return explain_reason(*options, output); };
    });
}

} // namespace qg::cli

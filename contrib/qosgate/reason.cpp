// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate reason: what a Reason that squeue shows means, whether waiting helps, what to change.
#include "command.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <array>
#include <memory>

#include <nlohmann/json.hpp>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

struct ReasonOptions {
    std::vector<std::string> tokens;
};

// In the order of TresKind.
constexpr std::array<std::string_view, model::tres_kind_count> kind_names{
    "cpu", "mem", "energy", "node", "billing", "bb/*", "gres/*", "license/*", "other TRES"};

std::string limit_name(const limits::LimitId& limit) {
    if (const auto* count = std::get_if<limits::CountLimit>(&limit))
        return std::string(model::name_of(*count));
    return std::string(model::name_of(std::get<limits::TresLimit>(limit)));
}

ordered_json entry_json(const limits::ReasonEntry& entry) {
    const limits::LimitText& text = limits::text_of(entry.limit);
    auto kinds = ordered_json::array();
    for (model::TresKind kind : entry.kinds)
        kinds.push_back(kind_names[static_cast<std::size_t>(kind)]);
    return {{"reason", entry.reason},
            {"set_by", entry.owner == limits::OwnerKind::qos ? "qos" : "association"},
            {"limit", limit_name(entry.limit)},
            {"tres", kinds},
            {"meaning", text.meaning},
            {"waiting", text.waiting},
            {"change", text.change}};
}

void print_entry(const ordered_json& entry, std::ostream& out) {
    const std::string tres =
        entry["tres"].empty() ? "" : " of " + text::join(entry["tres"].get<std::vector<std::string>>(), ", ");
    const char* owner =
        entry["set_by"] == "qos" ? "a QOS (yours or the partition's)" : "an association (user or account)";
    out << entry["reason"].get<std::string>() << "\n  Limit:   " << entry["limit"].get<std::string>() << tres
        << ", set by " << owner << "\n  Meaning: " << entry["meaning"].get<std::string>()
        << "\n  Waiting: " << entry["waiting"].get<std::string>()
        << "\n  Change:  " << entry["change"].get<std::string>() << '\n';
}

Result<int> explain(const ReasonOptions& options, Output& output) {
    auto entries = ordered_json::array();
    const auto known = limits::all_reasons();
    for (const std::string& token : options.tokens.empty() ? known : options.tokens) {
        const auto meanings = limits::find_reason(token);
        if (meanings.empty())
            return Error{
                ErrorCode::not_found,
                text::format("'{}' is not a Reason that a limit gives{} ('qosgate reason' lists all)",
                             text::printable(token), text::did_you_mean(token, known))};
        for (const auto& meaning : meanings)
            entries.push_back(entry_json(meaning));
    }
    if (output.json()) {
        output.write({{"reasons", entries}});
        return 0;
    }
    for (const auto& entry : entries)
        print_entry(entry, output.text());
    return 0;
}

} // namespace

void add_reason(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ReasonOptions>();
    CLI::App* command = add_command(app, "reason", "Say what a pending job's Reason means and what to do",
                                    "Examples:\n"
                                    "  qosgate reason QOSMaxGRESPerUser\n"
                                    "  qosgate reason $(squeue -h -j 1234 -o %r)\n"
                                    "  qosgate reason --json            all of them");
    command->add_option("TOKEN", options->tokens, "Reasons as squeue shows them; none: all that limits give");
    add_json_flag(*command, invocation);
    command->callback([&invocation, options] {
        invocation.action = [options](Output& output) { return explain(*options, output); };
    });
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/sacctmgr_text.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace qg::spec {
namespace {

constexpr std::array<std::string_view, 26> columns_of_22_05{
    "Name",        "Priority",       "GraceTime",   "Preempt",     "PreemptExemptTime", "PreemptMode",
    "Flags",       "UsageThreshold", "UsageFactor", "GrpTRES",     "GrpTRESMins",       "GrpTRESRunMins",
    "GrpJobs",     "GrpSubmit",      "GrpWall",     "MaxTRES",     "MaxTRESPerNode",    "MaxTRESMins",
    "MaxWall",     "MaxTRESPU",      "MaxJobsPU",   "MaxSubmitPU", "MaxTRESPA",         "MaxJobsPA",
    "MaxSubmitPA", "MinTRES"};

/// Later releases show these two after MaxTRESPA.
constexpr std::array<std::string_view, 2> later_columns{"MaxTRESRunMinsPA", "MaxTRESRunMinsPU"};

/// The parts of a line between colons, without quotes. The colon of a typed TRES, "gres/gpu:a100=2",
/// separates nothing: sacctmgr writes TRES without quotes. Empty: a quote is not closed.
std::optional<std::vector<std::string>> split_options(std::string_view line) {
    std::vector<std::string> parts(1);
    char quote = 0;
    std::size_t word = 0; // where it begins: the name of a TRES, for example
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char letter = line[i];
        const auto ends_gres_name = [&] {
            const std::string_view name = line.substr(word, i - word);
            return model::kind_of(name) == model::TresKind::gres && model::untyped_tres(name).empty();
        };
        if (quote != 0) {
            if (letter == quote)
                quote = 0;
            else
                parts.back() += letter;
        } else if (letter == '\'' || letter == '"') {
            quote = letter;
        } else if (letter == ':' && !ends_gres_name()) {
            parts.emplace_back();
            word = i + 1;
        } else {
            parts.back() += letter;
            if (letter == '=' || letter == ',') word = i + 1;
        }
    }
    return quote == 0 ? std::optional(std::move(parts)) : std::nullopt;
}

} // namespace

Result<DumpLine> parse_dump_line(std::string_view line) {
    constexpr std::string_view between = " - ";
    const auto at = line.find(between);
    if (at == std::string_view::npos)
        return invalid("a line of a dump is OBJECT - 'name':Option=value:…, for example QOS - 'night'");
    DumpLine read;
    read.object = text::trim(line.substr(0, at));
    auto parts = split_options(text::trim(line.substr(at + between.size())));
    if (!parts) return invalid("a quote is not closed; sacctmgr has no way to write a quote inside quotes");
    read.name = parts->front();
    if (read.name.empty()) return invalid("there is no name");
    for (std::size_t i = 1; i < parts->size(); ++i) {
        const std::string& part = (*parts)[i];
        const auto equals = part.find('=');
        if (equals == std::string::npos)
            return invalid(text::format("'{}' is not Option=value", text::printable(part)));
        read.options.push_back(
            {std::string(text::trim(std::string_view(part).substr(0, equals))), part.substr(equals + 1)});
    }
    return read;
}

bool is_dump(std::string_view text) {
    for (std::string_view line : text::split(text, '\n')) {
        if (line.starts_with('#')) continue;
        const auto dash = line.find(" - ");
        return dash != std::string_view::npos && line.substr(0, dash).find('|') == std::string_view::npos;
    }
    return false;
}

std::vector<std::string_view> default_columns(std::size_t count) {
    std::vector<std::string_view> columns(columns_of_22_05.begin(), columns_of_22_05.end());
    if (count == columns.size()) return columns;
    const auto after = std::find(columns.begin(), columns.end(), "MaxTRESPA") + 1;
    columns.insert(after, later_columns.begin(), later_columns.end());
    if (count == columns.size()) return columns;
    return {};
}

} // namespace qg::spec

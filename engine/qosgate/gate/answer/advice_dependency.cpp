// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/advice_case.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace qg::gate {
namespace {

constexpr std::string_view digits = "0123456789";

/// What stands in front of the ids of jobs; "singleton" has none. "expand" depends on slurm.conf. [S]
constexpr std::array<std::string_view, 7> dependency_kinds{
    "after", "afterany", "afterok", "afternotok", "aftercorr", "afterburstbuffer", "expand"};

/// Whether it is the id of a job: "12", "12_3", "12_*", "12+5" (minutes later), with a state in a record.
bool is_job(std::string_view text) {
    if (text.empty() || digits.find(text.front()) == digits.npos) return false;
    const std::string_view number = text.substr(0, text.find_first_not_of(digits));
    return number.find_first_not_of('0') != number.npos &&
           (number.size() == text.size() || std::string_view("_+(").find(text[number.size()]) != text.npos);
}

/// What is wrong with one of the parts between commas and question marks; empty: nothing.
std::optional<std::string> find_wrong(std::string_view part) {
    if (text::istarts_with(part, "singleton")) return std::nullopt;
    const std::size_t colon = part.find(':');
    if (colon == part.npos) {
        if (is_job(text::trim(part))) return std::nullopt;
        return text::format("{} is no dependency: write afterok:JOBID, for example", text::quoted(part, 64));
    }
    const std::string_view kind = part.substr(0, colon);
    if (std::ranges::none_of(dependency_kinds,
                             [&](std::string_view each) { return text::iequals(each, kind); }))
        return text::format("{} is no kind of dependency: write afterok:JOBID, for example",
                            text::quoted(kind, 64));
    std::optional<std::string> wrong;
    text::for_each_part(part.substr(colon + 1), ':', [&](std::string_view job) {
        if (!wrong && !is_job(text::trim(job)))
            wrong = text::format("{} is no id of a job", text::quoted(job, 64));
    });
    return wrong;
}

} // namespace

void advise_on_dependency(const model::JobRequest& request, AdviceLines& lines) {
    const model::DetailValue value = request.details.get(model::JobDetail::dependency);
    if (value.kind != model::DetailValue::Kind::text || value.text == "0") return; // 0: none
    std::string_view rest = value.text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(",?"), rest.size());
        if (const auto wrong = find_wrong(rest.substr(0, end))) return lines.add("--dependency: " + *wrong);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

} // namespace qg::gate

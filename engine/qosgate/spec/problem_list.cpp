// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/problem_list.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/place.hpp"

namespace qg::spec {

void ProblemList::add(const Position& where, std::string_view key, std::string_view what) {
    std::string text = key.empty() ? std::string(what) : text::format("{}: {}", text::printable(key), what);
    Entry entry{where.file, where.line, where.column, std::move(text)};
    ++met_;
    if (seen_.size() < max_problems) seen_.insert(std::move(entry));
}

std::vector<Problem> ProblemList::sorted() const {
    std::vector<Problem> problems;
    problems.reserve(seen_.size() + 1);
    for (const auto& [file, line, column, text] : seen_)
        problems.push_back({{file, line, column}, text});
    if (is_full()) problems.push_back({{}, "too many problems: reading stopped, and there may be more"});
    return problems;
}

std::string to_text(const Problem& problem) {
    return place(problem.position) + problem.text;
}

std::string to_text(std::span<const Problem> problems) {
    std::string lines;
    for (const Problem& problem : problems)
        lines += to_text(problem) + "\n";
    return lines + text::format("{} problem{}", problems.size(), problems.size() == 1 ? "" : "s");
}

} // namespace qg::spec

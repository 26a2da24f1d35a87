// SPDX-License-Identifier: GPL-2.0-or-later
#include "directory_problems.hpp"

#include "policy_directory.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/directory_findings.hpp"
#include "qosgate/policy/findings.hpp"

#include <utility>

namespace qg::cli {
namespace {

using policy::Finding;

/// "20-b.lua:3: "
std::string place_of(const Finding& finding) {
    if (finding.file.empty()) return "";
    return finding.line == 0 ? finding.file + ": " : text::format("{}:{}: ", finding.file, finding.line);
}

/// Whether an error of slurmctld is this finding. One of a line may have other words.
bool is_error(const Finding& finding, std::string_view error) {
    return error.find(finding.message) != error.npos ||
           (finding.line != 0 && error.find(place_of(finding)) != error.npos);
}

std::vector<Finding> find_all(const PolicyDirectory& directory) {
    const ReaderRights rights(directory);
    if (rights.are_missing()) return {};
    auto read = policy::read_all_sources(directory.path, {.trusted_user = directory.reader});
    if (!read) return {};
    std::vector<Finding> found = policy::check_sources(read->sources).findings;
    found.insert(found.end(), read->findings.begin(), read->findings.end());
    return found;
}

} // namespace

DirectoryProblems find_problems(const std::filesystem::path& path, std::string_view known) {
    const auto directory = find_policy_directory(path.string());
    if (!directory) return {};
    DirectoryProblems problems;
    for (const Finding& finding : find_all(*directory)) {
        if (!finding.stops_loading) continue;
        if (is_error(finding, known))
            problems.has_known = true;
        else
            problems.others.push_back(place_of(finding) + finding.message);
    }
    return problems.has_known ? std::move(problems) : DirectoryProblems();
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/directory_problems.hpp"

#include "common/cluster_names.hpp"
#include "policy/policy_directory.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/directory_findings.hpp"
#include "qosgate/policy/findings.hpp"

#include <algorithm>
#include <ctime>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace qg::cli {
namespace {

/// "20-b.lua:3: "
std::string place_of_finding(const policy::Finding& finding) {
    if (finding.file.empty()) return "";
    return finding.line == 0 ? finding.file + ": " : text::format("{}:{}: ", finding.file, finding.line);
}

/// How surely an error of slurmctld is this finding; 0: it is not. Its words may be others at the same place.
int likeness(const policy::Finding& finding, std::string_view error) {
    const std::string place = place_of_finding(finding);
    const auto at = error.find(place);
    constexpr std::string_view before_a_name = " /'";
    const bool is_there = !place.empty() && at != error.npos &&
                          (at == 0 || before_a_name.find(error[at - 1]) != before_a_name.npos);
    const bool has_words = error.find(finding.message) != error.npos;
    return (is_there ? 2 : 0) + (has_words ? 1 : 0);
}

/// The finding that is this error of slurmctld; the end: none.
std::vector<policy::Finding>::const_iterator find_known(const std::vector<policy::Finding>& found,
                                                        std::string_view error) {
    const auto best = std::ranges::max_element(
        found, {}, [&](const policy::Finding& finding) { return likeness(finding, error); });
    return best == found.end() || likeness(*best, error) == 0 ? found.end() : best;
}

/// What keeps the directory from loading.
std::vector<policy::Finding> find_all(const PolicyDirectory& directory) {
    const ReaderRights rights(directory);
    if (rights.are_missing()) return {};
    auto read = policy::read_all_sources(directory.path, {.trusted_user = directory.reader});
    if (!read) return {};
    std::vector<policy::Finding> found = policy::check_sources(read->sources).findings;
    found.insert(found.end(), read->findings.begin(), read->findings.end());
    std::erase_if(found, [](const policy::Finding& finding) { return !finding.stops_loading; });
    return found;
}

/// The directory, if it is that of this host's slurmctld and this process can read what slurmctld reads.
std::optional<PolicyDirectory> find_own_directory(const std::filesystem::path& path) {
    auto directory = find_policy_directory(path.string());
    if (!directory || !directory->reader || (geteuid() != 0 && geteuid() != *directory->reader))
        return std::nullopt;
    return *std::move(directory);
}

/// When the directory or something in it was changed last.
std::time_t last_change_in(const std::filesystem::path& path) {
    std::time_t last = 0;
    const auto look = [&](const std::filesystem::path& at) {
        struct stat status {};
        if (lstat(at.c_str(), &status) == 0) last = std::max(last, status.st_ctim.tv_sec);
    };
    look(path);
    std::error_code problem;
    for (std::filesystem::recursive_directory_iterator at(path, problem), end; !problem && at != end;
         at.increment(problem))
        look(at->path());
    return last;
}

} // namespace

std::optional<std::string> find_settled_hash(const std::filesystem::path& path) {
    constexpr std::time_t settles_in = 10;
    const auto directory = find_own_directory(path);
    if (!directory || std::time(nullptr) < last_change_in(path) + settles_in) return std::nullopt;
    const ReaderRights rights(*directory);
    if (rights.are_missing()) return std::nullopt;
    const auto sources = policy::read_source_directory(path, *directory->reader);
    if (!sources || !sources->exists) return std::nullopt;
    return text::format_hash(policy::hash_of(*sources));
}

Result<std::vector<std::string>> find_unknown_names(const std::filesystem::path& path) {
    std::vector<std::string> found;
    const auto directory = find_own_directory(path);
    if (!directory) return found;
    policy::PolicyReport report = read_names_in_rules(*directory);
    if (report.names.empty()) return found;
    const auto names = read_cluster_names();
    if (!names) return names.error();
    if (!*names) return found;
    policy::compare_names(report, **names);
    for (const policy::Finding& finding : report.findings)
        found.push_back(place_of_finding(finding) + finding.message);
    return found;
}

DirectoryProblems find_problems(const std::filesystem::path& path, std::string_view known) {
    const auto directory = find_own_directory(path);
    if (!directory) return {};
    const std::vector<policy::Finding> found = find_all(*directory);
    const auto error = find_known(found, known);
    if (error == found.end()) return {};
    DirectoryProblems problems{.confirms_error = true};
    for (const policy::Finding& finding : found) {
        const bool is_listed = finding.file == error->file && finding.line == error->line &&
                               (finding.line != 0 || finding.message == error->message);
        if (!is_listed) problems.others.push_back(place_of_finding(finding) + finding.message);
    }
    return problems;
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/recent_record_names.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/read_file.hpp"
#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

constexpr std::size_t max_name_bytes = 255;
/// Of the QOSs in a request.
constexpr std::size_t max_named = 64;
/// What a line begins with.
constexpr std::string_view qos_mark = "qos ";
constexpr std::string_view account_mark = "account ";
constexpr std::size_t max_file_bytes =
    RecentRecordNames::max_qos * (qos_mark.size() + max_name_bytes + 1) +
    RecentRecordNames::max_accounts * (account_mark.size() + max_name_bytes + 1);

/// Whether the effective user alone writes there.
bool is_own_directory(const std::filesystem::path& directory) {
    struct stat status {};
    return directory.is_absolute() && lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_file_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
        return text::is_letter(c) || text::is_digit(c) || c == '_' || c == '-';
    });
}

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= max_name_bytes &&
           std::ranges::none_of(name, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == ','; });
}

bool is_regular(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::symlink_status(file, error).type() == std::filesystem::file_type::regular;
}

/// Takes in the name if the line begins with this mark.
void take(std::vector<std::string>& names, std::size_t max_count, std::string_view line,
          std::string_view mark) {
    if (!line.starts_with(mark) || names.size() >= max_count) return;
    line.remove_prefix(mark.size());
    if (is_name(line)) names.emplace_back(line);
}

/// Puts the new ones of the names first; false if there are none.
bool add_new(std::vector<std::string>& names, std::size_t max_count,
             const std::set<std::string, std::less<>>& used) {
    std::vector<std::string> fresh;
    std::size_t count = 0;
    for (const std::string& name : used) {
        if (!is_name(name)) continue;
        if (++count > max_count) break; // else the names would take each other's place for ever
        if (std::ranges::find(names, name) == names.end()) fresh.push_back(name);
    }
    names.insert(names.begin(), fresh.begin(), fresh.end());
    if (names.size() > max_count) names.resize(max_count);
    return !fresh.empty();
}

} // namespace

RecentRecordNames::RecentRecordNames(const std::filesystem::path& directory, std::string_view cluster) {
    // With "/" at the end lstat() follows a link.
    const auto place = directory.has_filename() ? directory : directory.parent_path();
    if (is_own_directory(place) && is_file_name(cluster))
        file_ = place / text::format("qosgate-records-{}", cluster);
}

RecentRecordNames::Lists RecentRecordNames::read() const {
    Lists lists;
    if (file_.empty() || !is_regular(file_)) return lists;
    const auto content = read_file(file_, max_file_bytes);
    if (!content) return lists;
    for (const std::string_view line : text::split(*content, '\n')) {
        take(lists.qos, max_qos, line, qos_mark);
        take(lists.accounts, max_accounts, line, account_mark);
    }
    return lists;
}

slurm::RecordsPart RecentRecordNames::names() const {
    const Lists lists = read();
    slurm::RecordsPart part;
    part.qos.insert(lists.qos.begin(), lists.qos.end());
    part.accounts.insert(lists.accounts.begin(), lists.accounts.end());
    return part;
}

slurm::RecordsPart RecentRecordNames::names_for(const model::JobRequest& job) const {
    slurm::RecordsPart part = names();
    if (part.accounts.empty()) return {};
    if (job.account) part.accounts.insert(text::lower(*job.account));
    std::size_t named = 0;
    if (job.qos)
        for (const std::string_view name : text::split(*job.qos, ','))
            if (!name.empty() && ++named <= max_named) part.qos.emplace(name);
    return part;
}

void RecentRecordNames::note(const slurm::RecordsPart& used) const {
    if (file_.empty()) return;
    Lists lists = read();
    const bool has_new_qos = add_new(lists.qos, max_qos, used.qos);
    const bool has_new_accounts = add_new(lists.accounts, max_accounts, used.accounts);
    if (!has_new_qos && !has_new_accounts) return;
    std::string content;
    for (const std::string& name : lists.qos)
        content += text::format("{}{}\n", qos_mark, name);
    for (const std::string& name : lists.accounts)
        content += text::format("{}{}\n", account_mark, name);
    static_cast<void>(replace_file(file_, content, S_IRUSR | S_IWUSR, Durability::cached));
}

std::filesystem::path runtime_directory() {
    const char* named = std::getenv("XDG_RUNTIME_DIR");
    return named == nullptr ? "" : named;
}

} // namespace qg::plugin

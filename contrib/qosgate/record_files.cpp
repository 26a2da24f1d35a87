// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_files.hpp"

#include "policy_folder.hpp"
#include "policy_load.hpp"

#include "qosgate/base/text.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace qg::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t max_line = std::size_t{4} << 20;

/// The file and its old ones, the oldest first, as far as they exist.
std::vector<fs::path> files_of(const policy::Settings& settings) {
    std::vector<fs::path> files;
    std::error_code problem;
    for (auto number = settings.record_files_kept; number > 0; --number)
        if (fs::path old = text::format("{}.{}", settings.record_file, number); fs::exists(old, problem))
            files.push_back(std::move(old));
    files.emplace_back(settings.record_file);
    return files;
}

Result<std::vector<fs::path>> files_of_folder(const fs::path& folder) {
    const auto policy = load_policy_to_try(folder);
    if (!policy) return policy.error();
    const policy::Settings& settings = (*policy)->settings();
    if (settings.record_file.empty())
        return Error{ErrorCode::not_found,
                     text::format("{}: decisions are not recorded there: its site.lua has no record_file",
                                  text::printable(folder.string(), 4000))};
    return files_of(settings);
}

/// Reads up to the end of a line; what exceeds `max_line` is dropped. False: there is no more.
bool next_line(std::istream& in, std::string& line, bool& is_too_long) {
    line.clear();
    is_too_long = false;
    std::streambuf& buffer = *in.rdbuf();
    int byte = buffer.sbumpc();
    if (byte == std::char_traits<char>::eof()) return false;
    for (; byte != std::char_traits<char>::eof() && byte != '\n'; byte = buffer.sbumpc())
        if (line.size() < max_line)
            line.push_back(static_cast<char>(byte));
        else
            is_too_long = true;
    return true;
}

bool is_record(const json& record) {
    return record.is_object() && record.contains("id") && record.contains("outcome") &&
           record.contains("request");
}

} // namespace

Result<std::vector<fs::path>> find_record_files(const std::vector<std::string>& named) {
    std::vector<fs::path> files;
    if (named.empty()) {
        const auto live = find_policy_folder("");
        if (!live) return live.error();
        return files_of_folder(live->path);
    }
    for (const std::string& name : named) {
        std::error_code problem;
        if (!fs::is_directory(name, problem)) {
            files.emplace_back(name);
            continue;
        }
        auto found = files_of_folder(name);
        if (!found) return found.error();
        files.insert(files.end(), found->begin(), found->end());
    }
    return files;
}

Result<RecordsRead> read_records(const std::vector<fs::path>& files,
                                 const std::function<void(const json& record)>& take) {
    RecordsRead read;
    std::string line;
    for (const fs::path& file : files) {
        errno = 0;
        std::ifstream in(file, std::ios::binary);
        std::error_code problem;
        if (!in || fs::is_directory(file, problem))
            return Error{errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
                         text::format("{}: cannot be read: {}", text::printable(file.string(), 4000),
                                      std::strerror(errno == 0 ? EISDIR : errno))};
        for (bool is_too_long = false; next_line(in, line, is_too_long);) {
            const json record = is_too_long ? json() : json::parse(line, nullptr, /*allow_exceptions=*/false);
            if (!is_record(record)) {
                ++read.unreadable;
                continue;
            }
            ++read.records;
            if (const auto lost = record.find("dropped_before");
                lost != record.end() && lost->is_number_unsigned())
                read.lost += lost->get<std::uint64_t>();
            take(record);
        }
    }
    return read;
}

std::string text_of(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> texts_of(const json& object, const char* key) {
    std::vector<std::string> texts;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array()) return texts;
    for (const json& text : *found)
        if (text.is_string()) texts.push_back(text.get<std::string>());
    return texts;
}

} // namespace qg::cli

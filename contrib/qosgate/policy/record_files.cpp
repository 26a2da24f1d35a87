// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/record_files.hpp"

#include "policy/policy_directory.hpp"

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

constexpr std::size_t max_record = std::size_t{4} << 20;

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

Result<std::vector<fs::path>> files_of_directory(const fs::path& directory) {
    const auto policy = load_policy_to_try(directory);
    if (!policy) return policy.error();
    const policy::Settings& settings = (*policy)->settings();
    if (settings.record_file.empty())
        return Error{ErrorCode::not_found,
                     text::format("{}: decisions are not recorded there: its site.lua has no record_file",
                                  text::printable(directory.string(), 4000))};
    auto files = files_of(settings);
    std::error_code problem;
    if (files.size() == 1 && fs::status(files.front(), problem).type() == fs::file_type::not_found)
        return Error{
            ErrorCode::not_found,
            text::format("{}: no decision was recorded yet: the first one that does something makes the "
                         "file; jobs that are accepted unchanged, without a message, are recorded only with "
                         "record_percent in site.lua, which is {}",
                         text::printable(settings.record_file, 1000), settings.record_percent)};
    return files;
}

/// The lines of a file, each without its end. Holds one of them at a time.
class Lines {
  public:
    explicit Lines(std::istream& in) : in_(in) {}

    /// False: there is no more. A line that is too long counts as empty.
    bool next(std::string_view& line) {
        long_line_.clear();
        bool is_too_long = false;
        for (;;) {
            const char* const begin = buffer_.data() + at_;
            const auto* end = static_cast<const char*>(std::memchr(begin, '\n', filled_ - at_));
            const std::size_t length = end == nullptr ? filled_ - at_ : static_cast<std::size_t>(end - begin);
            is_too_long = is_too_long || long_line_.size() + length > max_record;
            if (end != nullptr && long_line_.empty() && !is_too_long) { // the usual case
                line = {begin, length};
                at_ += length + 1;
                return true;
            }
            if (!is_too_long) long_line_.append(begin, length);
            if (end != nullptr) {
                at_ += length + 1;
                line = is_too_long ? std::string_view() : std::string_view(long_line_);
                return true;
            }
            if (fill()) continue;
            line = is_too_long ? std::string_view() : std::string_view(long_line_);
            return is_too_long || !long_line_.empty();
        }
    }

  private:
    bool fill() {
        at_ = 0;
        in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        filled_ = static_cast<std::size_t>(in_.gcount());
        return filled_ > 0;
    }

    std::istream& in_;
    std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 18u);
    std::size_t at_ = 0;
    std::size_t filled_ = 0;
    std::string long_line_; ///< one that crosses the end of the buffer
};

bool is_record(const json& record) {
    return record.is_object() && record.contains("id") && record.contains("outcome") &&
           record.contains("request");
}

} // namespace

Result<std::vector<fs::path>> find_record_files(const std::vector<std::string>& named) {
    std::vector<fs::path> files;
    if (named.empty()) {
        const auto live = find_policy_directory("");
        if (!live) return live.error();
        return files_of_directory(live->path);
    }
    for (const std::string& name : named) {
        std::error_code problem;
        if (!fs::is_directory(name, problem)) {
            files.emplace_back(name);
            continue;
        }
        auto found = files_of_directory(name);
        if (!found) return found.error();
        files.insert(files.end(), found->begin(), found->end());
    }
    return files;
}

Result<RecordsRead> read_record_lines(const std::vector<fs::path>& files, const TakeRecordLine& take) {
    RecordsRead read;
    for (const fs::path& file : files) {
        errno = 0;
        std::ifstream in(file, std::ios::binary);
        std::error_code problem;
        if (!in || fs::is_directory(file, problem))
            return Error{errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
                         text::format("{}: cannot be read: {}", text::printable(file.string(), 4000),
                                      std::strerror(errno == 0 ? EISDIR : errno))};
        Lines lines(in);
        for (std::string_view line; lines.next(line);) {
            const auto lost = take(line);
            if (!lost) {
                ++read.unreadable;
                continue;
            }
            ++read.records;
            read.lost += *lost;
        }
    }
    return read;
}

Result<RecordsRead> read_records(const std::vector<fs::path>& files,
                                 const std::function<void(const json& record)>& take) {
    return read_record_lines(files, [&](std::string_view line) -> std::optional<std::uint64_t> {
        const json record = json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (!is_record(record)) return std::nullopt;
        const auto lost = record.find("dropped_before");
        take(record);
        return lost != record.end() && lost->is_number_unsigned() ? lost->get<std::uint64_t>() : 0;
    });
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

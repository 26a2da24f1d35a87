// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/kept_policy.hpp"

#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/fnv.hpp"
#include "qosgate/policy/trusted_files.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "qosgate_policy 1 ";
/// More than the largest folder makes.
constexpr std::size_t max_kept_bytes = max_files * (max_file_bytes + 512);

std::uint64_t hash_of_text(std::string_view text) noexcept {
    Fnv hash;
    hash.add(text);
    return hash.value();
}

/// Takes the copy's text apart from the front. What is missing or odd leaves `is_good` false.
class Reader {
  public:
    explicit Reader(std::string_view text) noexcept : rest_(text) {}

    void expect(std::string_view literal) noexcept {
        if (take(literal.size()) != literal) is_good_ = false;
    }
    std::string_view take(std::size_t bytes) noexcept {
        if (bytes > rest_.size()) {
            is_good_ = false;
            bytes = rest_.size();
        }
        const std::string_view taken = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return taken;
    }
    /// A number of at most `most`, up to `end`, which is taken too.
    std::size_t number(char end, std::size_t most) noexcept {
        const std::string_view digits = take(rest_.find(end));
        expect({&end, 1});
        const auto value = text::parse_unsigned(digits);
        if (value && *value <= most) return static_cast<std::size_t>(*value);
        is_good_ = false;
        return 0;
    }
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
    [[nodiscard]] bool is_good() const noexcept { return is_good_; }

  private:
    std::string_view rest_;
    bool is_good_ = true;
};

std::string hash_line(std::string_view body) {
    return text::format("{}{:016x}\n", magic, hash_of_text(body));
}

/// "<path>: cannot be written: <reason>".
Error write_error(const fs::path& path, int number) {
    std::array<char, 128> buffer{};
    const char* reason = strerror_r(number, buffer.data(), buffer.size());
    return {ErrorCode::unavailable, text::format("{}: cannot be written: {}", path.string(), reason)};
}

/// Writes all of it and has it on the disk. Returns errno, 0 for success.
int write_all(int file, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return fsync(file) == 0 ? 0 : errno;
}

/// The name of a rename is on the disk only with its folder.
void sync_folder(const fs::path& folder) noexcept {
    const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    (void)fsync(file);
    close(file);
}

} // namespace

std::string to_kept_text(const SourceFolder& sources) {
    std::string body = text::format("folder {} files {}\n", sources.exists ? 1 : 0, sources.files.size());
    for (const SourceFile& file : sources.files) {
        body += text::format("{} {}\n", file.name.size(), file.text.size());
        body.append(file.name).append(file.text).append("\n");
    }
    return hash_line(body) + body;
}

Result<SourceFolder> parse_kept_text(std::string_view text) {
    const auto damaged = [] { return Error{ErrorCode::invalid_input, "is damaged"}; };
    const std::size_t first_line = text.find('\n');
    if (first_line == std::string_view::npos) return damaged();
    const std::string_view body = text.substr(first_line + 1);
    if (text.substr(0, first_line + 1) != hash_line(body)) return damaged();

    Reader reader(body);
    SourceFolder sources;
    reader.expect("folder ");
    sources.exists = reader.number(' ', 1) == 1;
    reader.expect("files ");
    const std::size_t count = reader.number('\n', max_files);
    for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
        const std::size_t name_bytes = reader.number(' ', max_file_bytes);
        const std::size_t text_bytes = reader.number('\n', max_file_bytes);
        SourceFile file;
        file.name = reader.take(name_bytes);
        file.text = reader.take(text_bytes);
        reader.expect("\n");
        sources.files.push_back(std::move(file));
    }
    if (!reader.is_good() || !reader.rest().empty()) return damaged();
    return sources;
}

Result<void> write_kept(const fs::path& file, const SourceFolder& sources) {
    std::string fresh = file.string() + ".XXXXXX"; // mode 0600; of its own for every process
    const int descriptor = mkostemp(fresh.data(), O_CLOEXEC);
    if (descriptor < 0) return write_error(file, errno);
    int problem = write_all(descriptor, to_kept_text(sources));
    if (close(descriptor) != 0 && problem == 0) problem = errno;
    if (problem == 0 && std::rename(fresh.c_str(), file.c_str()) != 0) problem = errno;
    if (problem != 0) {
        (void)unlink(fresh.c_str());
        return write_error(file, problem);
    }
    sync_folder(file.parent_path());
    return {};
}

Result<std::optional<SourceFolder>> read_kept(const fs::path& file, uid_t trusted_user) {
    struct stat info {};
    if (lstat(file.c_str(), &info) != 0 && errno == ENOENT) return std::optional<SourceFolder>();
    const auto text = read_state_file(file, trusted_user, max_kept_bytes);
    if (!text) return text.error();
    auto sources = parse_kept_text(*text);
    if (!sources) return sources.error().in(file.string());
    return std::optional<SourceFolder>(*std::move(sources));
}

} // namespace qg::policy

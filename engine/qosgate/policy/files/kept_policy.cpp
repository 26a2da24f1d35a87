// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/kept_policy.hpp"

#include "qosgate/base/fnv.hpp"
#include "qosgate/base/letters.hpp"
#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/files/site_files.hpp"
#include "qosgate/policy/files/trusted_files.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include <sys/stat.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "qosgate_policy 1 ";
constexpr std::string_view never_loaded = "never loaded\n";
/// What the largest directory makes, or more.
struct Bounds {
    std::size_t files = 0;
    std::size_t file_bytes = 0;
    std::size_t bytes = 0;
};
Bounds kept_bounds() noexcept {
    Bounds all;
    for (const SourcePart& part : source_parts()) {
        all.files += part.max_files;
        all.file_bytes = std::max(all.file_bytes, part.max_file_bytes);
        all.bytes += part.max_bytes + part.max_files * 512;
    }
    all.files += max_site_files;
    all.file_bytes = std::max(all.file_bytes, max_site_file_bytes);
    all.bytes += max_site_bytes + max_site_files * 4096;
    return all;
}
/// The longest host name that gethostname() tells on any system.
constexpr std::size_t max_host_bytes = 255;
/// There is always a larger one.
constexpr std::size_t max_stamp = std::numeric_limits<std::size_t>::max() / 2;

std::uint64_t hash_of_text(std::string_view text) noexcept {
    Fnv hash;
    hash.add(text);
    return hash.value();
}

bool is_host_name(std::string_view host) noexcept {
    return !host.empty() && host.size() <= max_host_bytes && std::ranges::all_of(host, [](char letter) {
        return text::is_letter(letter) || text::is_digit(letter) || letter == '-' || letter == '_' ||
               letter == '.';
    });
}

/// Takes the copy's text apart from the front. Missing or invalid text sets `is_good` to false.
class KeptReader {
  public:
    explicit KeptReader(std::string_view text) noexcept : rest_(text) {}

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
    /// A number of at most `most`, followed by `end`, which is consumed too.
    std::size_t number(char end, std::size_t max) noexcept {
        const std::string_view digits = take(rest_.find(end));
        expect({&end, 1});
        const auto value = text::parse_unsigned(digits);
        if (value && *value <= max) return static_cast<std::size_t>(*value);
        is_good_ = false;
        return 0;
    }
    /// The text up to the end of the line, which is consumed too.
    std::string_view line() noexcept {
        const std::string_view taken = take(rest_.find('\n'));
        expect("\n");
        return taken;
    }
    void fail_unless(bool is_right) noexcept { is_good_ = is_good_ && is_right; }
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
    [[nodiscard]] bool is_good() const noexcept { return is_good_; }

  private:
    std::string_view rest_;
    bool is_good_ = true;
};

std::string hash_line(std::string_view body) {
    return text::format("{}{:016x}\n", magic, hash_of_text(body));
}

} // namespace

std::string to_kept_text(const KeptPolicy& kept) {
    const SourceDirectory& sources = kept.sources;
    std::string body = kept.never_loaded ? std::string(never_loaded)
                                         : text::format("folder {} files {}\n", sources.exists ? 1 : 0,
                                                        sources.files.size());
    for (const SourceFile& file : sources.files) {
        body += text::format("{} {}\n", file.name.size(), file.text.size());
        body.append(file.name).append(file.text).append("\n");
    }
    body += text::format("stamp {}\n", kept.stamp);
    if (is_host_name(kept.host)) body += text::format("host {}\n", kept.host);
    return hash_line(body) + body;
}

Result<KeptPolicy> parse_kept_text(std::string_view text) {
    const auto damaged = [] { return Error{ErrorCode::invalid_input, "is damaged"}; };
    const std::size_t first_line = text.find('\n');
    if (first_line == std::string_view::npos) return damaged();
    const std::string_view body = text.substr(first_line + 1);
    if (text.substr(0, first_line + 1) != hash_line(body)) return damaged();

    KeptReader reader(body);
    KeptPolicy kept;
    SourceDirectory& sources = kept.sources;
    const Bounds bounds = kept_bounds();
    std::size_t count = 0;
    kept.never_loaded = body.starts_with(never_loaded);
    if (kept.never_loaded) {
        reader.expect(never_loaded);
    } else {
        reader.expect("folder ");
        sources.exists = reader.number(' ', 1) == 1;
        reader.expect("files ");
        count = reader.number('\n', bounds.files);
    }
    for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
        const std::size_t name_bytes = reader.number(' ', bounds.file_bytes);
        const std::size_t text_bytes = reader.number('\n', bounds.file_bytes);
        SourceFile file;
        file.name = reader.take(name_bytes);
        file.text = reader.take(text_bytes);
        reader.expect("\n");
        sources.files.push_back(std::move(file));
    }
    if (reader.is_good() && !reader.rest().empty()) {
        reader.expect("stamp ");
        kept.stamp = reader.number('\n', max_stamp);
    }
    if (reader.is_good() && !reader.rest().empty()) {
        reader.expect("host ");
        kept.host = reader.line();
        reader.fail_unless(is_host_name(kept.host));
    }
    if (!reader.is_good() || !reader.rest().empty()) return damaged();
    return kept;
}

Result<void> write_kept(const fs::path& file, const KeptPolicy& kept) {
    return replace_file(file, to_kept_text(kept), 0600, Durability::on_disk);
}

Result<std::optional<KeptPolicy>> read_kept(const fs::path& file, uid_t trusted_user) {
    struct stat info {};
    if (lstat(file.c_str(), &info) != 0 && errno == ENOENT) return std::optional<KeptPolicy>();
    const auto text = read_state_file(file, trusted_user, kept_bounds().bytes);
    if (!text) return text.error();
    auto kept = parse_kept_text(*text);
    if (!kept) return kept.error().in(file.string());
    return std::optional<KeptPolicy>(*std::move(kept));
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/strict_json.hpp"

#include "qosgate/base/fnv.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/utf8.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace qg::spec {
namespace {

/// Whether brackets are nested too deep; the parser would use as much stack when it frees them.
bool is_too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool is_in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (is_in_text) {
            if (letter == '\\') ++i;
            is_in_text = letter != '"';
        } else if (letter == '"') {
            is_in_text = true;
        } else if (letter == '[' || letter == '{') {
            if (++depth > JsonBounds::max_depth) return true;
        } else if ((letter == ']' || letter == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

/// Notices a member that an object has twice: readers would not agree which one counts.
class RepeatedMember {
  public:
    bool operator()(int /*depth*/, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::object_start)
            objects_.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            objects_.pop_back();
        else if (event == Json::parse_event_t::key && key_.empty() &&
                 !objects_.back().insert(parsed.get<std::string>()).second)
            key_ = parsed.get<std::string>();
        return true;
    }

    /// The first one; empty: there is none.
    [[nodiscard]] const std::string& key() const noexcept { return key_; }

  private:
    std::vector<std::set<std::string>> objects_; ///< those that are open, with the members read so far
    std::string key_;
};

constexpr std::string_view bytes_key = "bytes";

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t bytes = text::decode_utf8(text).bytes;
        if (bytes == 0) return false;
        text.remove_prefix(bytes);
    }
    return true;
}

constexpr std::string_view hex_digits = "0123456789abcdef";

std::string to_hex(std::string_view bytes) {
    std::string digits;
    for (const char letter : bytes) {
        const auto byte = static_cast<unsigned char>(letter);
        digits += hex_digits[byte >> 4u];
        digits += hex_digits[byte & 15u];
    }
    return digits;
}

std::optional<std::string> from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return {};
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const std::size_t high = hex_digits.find(digits[i]);
        const std::size_t low = hex_digits.find(digits[i + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) return {};
        bytes += static_cast<char>(high << 4u | low);
    }
    return bytes;
}

const Json& nothing() {
    static const Json none;
    return none;
}

} // namespace

void JsonReader::fail(std::string_view path, std::string_view what) {
    if (ok()) what_ = path.empty() ? std::string(what) : text::format("{}: {}", path, what);
}

std::string JsonReader::text(const Json& json, std::string_view path) {
    if (json.is_string()) return json.get<std::string>();
    if (json.is_object() && json.size() == 1 && json.begin().key() == bytes_key && json.front().is_string())
        if (auto bytes = from_hex(json.front().get<std::string>())) return *std::move(bytes);
    fail(path, "must be a text");
    return {};
}

std::uint64_t JsonReader::number(const Json& json, std::string_view path, std::uint64_t max) {
    if (json.is_number_unsigned() && json.get<std::uint64_t>() <= max) return json.get<std::uint64_t>();
    fail(path, text::format("must be a whole number from 0 to {}", max));
    return 0;
}

double JsonReader::real(const Json& json, std::string_view path) {
    if (json.is_number() && json.get<double>() >= 0) return json.get<double>();
    fail(path, "must be a number, not negative");
    return 0;
}

const Json& JsonReader::list(const Json& json, std::string_view path) {
    if (json.is_array()) return json;
    fail(path, "must be a list");
    static const Json empty = Json::array();
    return empty;
}

std::vector<std::string> JsonReader::texts(const Json& json, std::string_view path) {
    return list_of<std::string>(json, std::string(path), [&](const Json& element, const std::string& at) {
        return text(element, at);
    });
}

model::NameSet JsonReader::names(const Json& json, std::string_view path) {
    const auto all = texts(json, path);
    return {all.begin(), all.end()};
}

JsonMembers::JsonMembers(JsonReader& reader, const Json& json, std::string path)
    : reader_(reader), json_(json), path_(std::move(path)) {
    if (!json.is_object()) reader_.fail(path_, "must be an object");
}

const Json& JsonMembers::get(std::string_view key) {
    if (const Json* found = find(key)) return *found;
    reader_.fail(path_of(key), "is missing");
    return nothing();
}

const Json* JsonMembers::find(std::string_view key) {
    asked_.emplace(key);
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
}

std::string JsonMembers::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void JsonMembers::finish() {
    if (!json_.is_object()) return;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    for (const auto& [key, value] : json_.items())
        if (!asked_.contains(key))
            reader_.fail(path_of(text::printable(key)),
                         "there is no such member" + text::did_you_mean(key, known));
}

Json text_to_json(std::string_view text) {
    if (is_utf8(text)) return text;
    Json bytes = Json::object();
    bytes[std::string(bytes_key)] = to_hex(text);
    return bytes;
}

Json texts_to_json(std::span<const std::string> texts) {
    Json list = Json::array();
    for (const std::string& text : texts)
        list.push_back(text_to_json(text));
    return list;
}

Json names_to_json(const model::NameSet& names) {
    return texts_to_json(std::vector(names.begin(), names.end()));
}

Result<Json> parse_json(std::string_view text) {
    if (text.size() > JsonBounds::max_bytes)
        return Error{ErrorCode::limit_exceeded,
                     text::format("the file has more than {} MiB", JsonBounds::max_bytes >> 20u)};
    if (is_too_deep(text)) return Error{ErrorCode::limit_exceeded, "lists and objects are nested too deep"};
    RepeatedMember repeated;
    Json json = Json::parse(text, std::ref(repeated), /*allow_exceptions=*/false);
    if (json.is_discarded()) return Error{ErrorCode::invalid_input, "this is not JSON, or not all of it"};
    if (!repeated.key().empty())
        return Error{ErrorCode::invalid_input,
                     text::format("an object has the member '{}' twice", text::printable(repeated.key()))};
    return json;
}

std::string checksum_of(std::string_view text) {
    Fnv hash;
    hash.add(text);
    return text::format_hash(hash.value());
}

} // namespace qg::spec

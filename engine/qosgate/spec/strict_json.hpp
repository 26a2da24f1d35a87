// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strict reading of JSON files that this program has written: every member must be known, and of its type.
// The first thing wrong is kept, with its path; what is read afterwards is empty and must not be used.
//
//   JsonReader reader;
//   JsonMembers members(reader, json, "plan");
//   auto warnings = reader.names(members.get("warnings"), "plan.warnings");
//   members.finish();
//   if (!reader.ok()) return reader.error();
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_record.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::spec {

using Json = nlohmann::ordered_json;

/// How much a file may hold.
struct JsonBounds {
    static constexpr std::size_t max_bytes = 256u << 20u;
    static constexpr std::size_t max_depth = 16;
};

class JsonReader {
  public:
    [[nodiscard]] bool ok() const noexcept { return what_.empty(); }
    [[nodiscard]] Error error() const { return {ErrorCode::invalid_input, what_}; }
    void fail(std::string_view path, std::string_view what);

    std::string text(const Json& json, std::string_view path);
    std::uint64_t number(const Json& json, std::string_view path, std::uint64_t max);
    double real(const Json& json, std::string_view path);
    /// An array; empty if it is none.
    const Json& list(const Json& json, std::string_view path);
    std::vector<std::string> texts(const Json& json, std::string_view path);
    model::NameSet names(const Json& json, std::string_view path);

    /// A list of anything: `read_one(element, path)` for each.
    template <typename T, typename ReadOne>
    std::vector<T> list_of(const Json& json, const std::string& path, ReadOne read_one) {
        std::vector<T> all;
        for (const Json& element : list(json, path)) {
            if (!ok()) return all;
            all.push_back(read_one(element, path + "[" + std::to_string(all.size()) + "]"));
        }
        return all;
    }

  private:
    std::string what_;
};

/// The members of one object.
class JsonMembers {
  public:
    JsonMembers(JsonReader& reader, const Json& json, std::string path);

    /// A member that must be there.
    const Json& get(std::string_view key);
    /// Nullptr: it is not there.
    const Json* find(std::string_view key);
    [[nodiscard]] std::string path_of(std::string_view key) const;
    /// Complains about members that nobody asked for.
    void finish();

  private:
    JsonReader& reader_;
    const Json& json_;
    std::string path_;
    std::set<std::string, std::less<>> asked_;
};

/// A text of slurmdbd. What is not UTF-8 becomes {"bytes": "c3…"}, in hexadecimal; JsonReader::text() reads
/// both.
Json text_to_json(std::string_view text);
Json texts_to_json(std::span<const std::string> texts);
Json names_to_json(const model::NameSet& names);

/// Parses a text within JsonBounds. Errors: invalid_input, limit_exceeded.
Result<Json> parse_json(std::string_view text);

/// A sum of the text, to notice changes made by hand: 16 hexadecimal digits. It protects against nobody who
/// wants to deceive.
std::string checksum_of(std::string_view text);

} // namespace qg::spec

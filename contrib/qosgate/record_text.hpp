// SPDX-License-Identifier: GPL-2.0-or-later
//
// JsonSlice: reads values of a JSON text where they are, without a tree in memory. A decision record is read
// for each of very many jobs, and only some of its members matter.
//
//   if (const auto record = JsonSlice::of(line))
//       record->for_each_member([&](std::string_view key, JsonSlice value) { ... });
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::cli {

/// One value. Ownership: borrows the text. Cost: linear in the text, no memory but that of decoded texts.
class JsonSlice {
  public:
    /// The only value of a text; empty: it is not JSON. Names of members that are there twice are not
    /// noticed, and bytes need not be UTF-8.
    static std::optional<JsonSlice> of(std::string_view text);

    JsonSlice() = default; ///< null

    [[nodiscard]] bool is_object() const noexcept { return first() == '{'; }
    [[nodiscard]] bool is_list() const noexcept { return first() == '['; }
    [[nodiscard]] bool is_text() const noexcept { return first() == '"'; }
    [[nodiscard]] bool is_true() const noexcept { return first() == 't'; }
    [[nodiscard]] bool is_flag() const noexcept { return first() == 't' || first() == 'f'; }
    /// Whether it is an empty list or object.
    [[nodiscard]] bool is_empty() const noexcept;
    /// A whole number that fits; empty for everything else.
    [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
    /// The text without quotes and escapes; empty for another value. `store` holds it if it has escapes.
    [[nodiscard]] std::string_view text(std::string& store) const;
    [[nodiscard]] std::string text() const;

    /// Calls `take(key, value)`; keys are as written, without their escapes replaced. Nothing for a value
    /// that is no object.
    template <typename Take>
    void for_each_member(Take take) const {
        if (!is_object()) return;
        for (const char* at = next_part(text_.data() + 1); *at != '}'; at = next_part(at)) {
            const char* const key = at + 1;
            const char* const key_end = skip_text(at) - 1;
            at = next_part(key_end + 1);
            const char* const value_end = skip(at);
            take(std::string_view(key, static_cast<std::size_t>(key_end - key)), slice(at, value_end));
            at = value_end;
        }
    }

    /// Calls `take(value)`; nothing for a value that is no list.
    template <typename Take>
    void for_each_element(Take take) const {
        if (!is_list()) return;
        for (const char* at = next_part(text_.data() + 1); *at != ']'; at = next_part(at)) {
            const char* const end = skip(at);
            take(slice(at, end));
            at = end;
        }
    }

  private:
    explicit JsonSlice(std::string_view text) noexcept : text_(text) {}
    static JsonSlice slice(const char* begin, const char* end) noexcept {
        return JsonSlice({begin, static_cast<std::size_t>(end - begin)});
    }
    [[nodiscard]] char first() const noexcept { return text_.empty() ? '\0' : text_.front(); }

    // In a text that was checked:
    /// Behind white space, commas and colons.
    static const char* next_part(const char* at) noexcept;
    static const char* skip_text(const char* at) noexcept;
    static const char* skip(const char* at) noexcept;

    std::string_view text_;
};

} // namespace qg::cli

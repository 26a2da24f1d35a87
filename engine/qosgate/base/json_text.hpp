// SPDX-License-Identifier: GPL-2.0-or-later
//
// json_text: the one writer of JSON for what slurmctld's plugin writes, and for worlds.
//
//   json::Members members;
//   members.add_text("policy", hash);
//   members.add_number("jobs", jobs);
//   members.add("rules", json::list(rules));
//   return members.object();                  // {"policy": "…", "jobs": 7, "rules": […]}
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qg::json {

/// A text as JSON. Its control characters are replaced; what is beyond `max_bytes` is cut off.
std::string quote(std::string_view value, std::size_t max_bytes = 1000);

/// A list of texts as JSON.
std::string quote(std::span<const std::string> values);

/// A list of values, each as JSON.
std::string list(std::span<const std::string> values, std::string_view separator = ", ");

inline std::string flag(bool value) {
    return value ? "true" : "false";
}

/// `null` if there is no number.
template <typename Number>
std::string number(const std::optional<Number>& value) {
    return value ? std::to_string(*value) : "null";
}

/// An object, member by member. Names are written as quote() writes texts.
class Members {
  public:
    /// `json` is a value of JSON.
    void add(std::string_view name, std::string_view json);
    void add_text(std::string_view name, std::string_view value) { add(name, quote(value)); }
    /// Leaves an empty text out.
    void add_if_any(std::string_view name, std::string_view value) {
        if (!value.empty()) add_text(name, value);
    }
    /// `null` if the text is empty.
    void add_or_null(std::string_view name, std::string_view value) {
        add(name, value.empty() ? "null" : quote(value));
    }
    void add_flag(std::string_view name, bool value) { add(name, flag(value)); }
    /// A number, or an optional one: see number().
    template <typename Number>
    void add_number(std::string_view name, const Number& value) {
        add(name, number(std::optional(value)));
    }
    /// All members of another object.
    void add_all(const Members& others);

    [[nodiscard]] bool is_empty() const noexcept { return text_.empty(); }
    /// Without braces.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] std::string object() const { return "{" + text_ + "}"; }

  private:
    std::string text_;
};

} // namespace qg::json

// SPDX-License-Identifier: GPL-2.0-or-later
//
// JsonMembers: an object of JSON, member by member.
#pragma once

#include "qosgate/base/json_text.hpp"
#include "qosgate/base/text.hpp"

#include <string>
#include <string_view>

namespace qg::gate {

class JsonMembers {
  public:
    /// `json` is a value of JSON.
    void add(std::string_view name, const std::string& json) {
        if (!text_.empty()) text_ += ", ";
        text_ += text::format("\"{}\": {}", name, json);
    }
    void add_text(std::string_view name, std::string_view value) { add(name, json::quote(value)); }
    /// Leaves an empty text out.
    void add_if_any(std::string_view name, std::string_view value) {
        if (!value.empty()) add_text(name, value);
    }
    [[nodiscard]] std::string object() const { return "{" + text_ + "}"; }

  private:
    std::string text_;
};

} // namespace qg::gate

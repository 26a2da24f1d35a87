// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/list_field.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::policy {
namespace {

/// What names a part.
std::string_view key_of(std::string_view part, ListForm form) {
    return form.key_end == 0 ? part : part.substr(0, part.find(form.key_end));
}

/// A text that keeps its meaning beside others that must hold, too. Slurm reads '|' as "or", and brackets
/// around alternatives as one part.
std::string as_part(std::string_view text, ListForm form) {
    const bool has_alternatives = form.joint == '&' && text.find('|') != text.npos;
    const bool is_enclosed = text.find_first_of("([") != text.npos;
    return has_alternatives && !is_enclosed ? text::format("({})", text) : std::string(text);
}

} // namespace

Result<std::string> add_to_list(std::string_view list, std::string_view part, ListForm form) {
    const bool is_plain =
        std::ranges::all_of(part, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
    if (part.empty() || part.size() > max_added_part || !is_plain)
        return Error{ErrorCode::invalid_input,
                     text::format("add a text of 1 to {} bytes without blanks", max_added_part)};
    if (list.empty()) return std::string(part);
    bool has_part = list == part;
    text::for_each_part(list, form.joint, [&](std::string_view other) {
        has_part = has_part || key_of(text::trim(other), form) == key_of(part, form);
    });
    if (has_part) return std::string(list);
    return as_part(list, form) + form.joint + as_part(part, form);
}

} // namespace qg::policy

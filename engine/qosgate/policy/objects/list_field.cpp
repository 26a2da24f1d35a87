// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/list_field.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace qg::policy {
namespace {

constexpr auto npos = std::string_view::npos;

/// What Slurm reads in the lists of one form.
struct Grammar {
    std::string_view joints;  ///< between parts that must all hold; the first one is written
    std::string_view closing; ///< in a list to which no part can be added
    std::string_view refused; ///< in a part
};

/// In the order of ListForm.
constexpr std::array grammars{
    Grammar{},
    Grammar{"&", "*[],", "&*[](),"},
    Grammar{",", "", ""},
    Grammar{",;", "|", ",;|"},
    Grammar{",", "?", ",?"},
};

bool has_any(std::string_view text, std::string_view characters) {
    return text.find_first_of(characters) != npos;
}

std::string_view name_of_license(std::string_view license) {
    return text::trim(license.substr(0, license.find(':')));
}

bool asks_for_none(std::string_view license) {
    const auto colon = license.find(':');
    return colon != npos && text::parse_unsigned(text::trim(license.substr(colon + 1))) == 0u;
}

Error refuse(std::string why) {
    return {ErrorCode::invalid_input, std::move(why)};
}

Error refuse_list(std::string_view list, std::string_view reason) {
    return refuse(text::format("nothing can be added to '{}' so that both hold, because of its {}",
                               text::printable(list, 60), reason));
}

// ---- features ------------------------------------------------------------------------------------------

std::string grouped(std::string_view features) {
    return has_any(features, "|") ? text::format("({})", features) : std::string(features);
}

/// A constraint with at most one level of parentheses, as its parts that must all hold.
struct Features {
    std::vector<std::string_view> parts;
    bool has_alternatives = false; ///< outside of parentheses: one suffices
    bool is_readable = true;       ///< the parentheses match, and none is inside others
};

Features read_features(std::string_view text) {
    Features features;
    std::size_t begin = 0;
    bool is_inside = false;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : '&';
        if ((c == '(' && is_inside) || (c == ')' && !is_inside)) features.is_readable = false;
        if (c == '(' || c == ')') is_inside = c == '(';
        if (is_inside && at == text.size()) features.is_readable = false;
        if (is_inside) continue;
        if (c == '|') features.has_alternatives = true;
        if (c != '&') continue;
        features.parts.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    return features;
}

Result<std::string> add_feature(std::string_view list, std::string_view part) {
    const Features features = read_features(list);
    if (list == part) return std::string(list);
    const bool has_groups = has_any(list, "()");
    if (!features.is_readable || (features.has_alternatives && has_groups))
        return refuse_list(list, "parentheses");
    if (features.has_alternatives) return text::format("({})&{}", list, grouped(part));
    if (std::ranges::find(features.parts, grouped(part)) != features.parts.end()) return std::string(list);
    return text::format("{}&{}", list, grouped(part));
}

// ---- other lists ---------------------------------------------------------------------------------------

/// Whether one part of a list is this part, or asks for it.
bool is_met_by(std::string_view own, std::string_view part, ListForm form) {
    if (form != ListForm::licenses) return own == part;
    return name_of_license(own) == name_of_license(part) && !asks_for_none(own);
}

bool has_part(std::string_view list, std::string_view part, ListForm form, std::string_view joints) {
    while (!list.empty())
        if (is_met_by(take_part(list, joints), part, form)) return true;
    return false;
}

} // namespace

std::string_view take_part(std::string_view& list, std::string_view separators) noexcept {
    const std::string_view part = list.substr(0, list.find_first_of(separators));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    return text::trim(part);
}

Result<std::string> add_to_list(std::string_view list, std::string_view part, ListForm form) {
    const Grammar& grammar = grammars.at(static_cast<std::size_t>(form));
    const bool is_plain =
        std::ranges::all_of(part, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
    if (part.empty() || part.size() > max_added_part || !is_plain)
        return refuse(text::format("add a text of 1 to {} bytes without blanks", max_added_part));
    if (has_any(part, grammar.refused))
        return refuse(text::format("add one part, without any of {}", grammar.refused));
    if (list.empty()) return std::string(part);
    if (const auto at = list.find_first_of(grammar.closing); at != npos)
        return refuse_list(list, text::format("'{}'", list[at]));
    if (form == ListForm::features) return add_feature(list, part);
    if (has_part(list, part, form, grammar.joints)) return std::string(list);
    return text::format("{}{}{}", list, grammar.joints[0], part);
}

} // namespace qg::policy

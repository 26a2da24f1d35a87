// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/view_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace qg::policy {
namespace {

using Tokens = std::span<const Token>;

const Token& at(Tokens tokens, std::size_t index) noexcept {
    return tokens[std::min(index, tokens.size() - 1)]; // the last one is the end
}

bool opens(const Token& token) noexcept {
    return token.is("(") || token.is("{") || token.is("[");
}
bool closes(const Token& token) noexcept {
    return token.is(")") || token.is("}") || token.is("]");
}

/// The place behind the arguments that begin at `begin`; empty: there are none.
std::optional<std::size_t> behind_arguments(Tokens tokens, std::size_t begin) noexcept {
    if (at(tokens, begin).kind == TokenKind::text) return begin + 1;
    if (!at(tokens, begin).is("(") && !at(tokens, begin).is("{")) return std::nullopt;
    int depth = 0;
    for (std::size_t i = begin; i < tokens.size(); ++i) {
        if (opens(tokens[i])) ++depth;
        if (closes(tokens[i]) && --depth == 0) return i + 1;
    }
    return std::nullopt;
}

/// The first key of the filter that begins at `begin` and does not exist; empty: there is none, or the table
/// is not written there.
std::string describe_unknown_key(Tokens tokens, std::size_t begin, std::size_t end) {
    if (at(tokens, begin).is("(")) ++begin;
    if (!at(tokens, begin).is("{")) return {};
    int depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
        if (closes(tokens[i])) --depth;
        if (opens(tokens[i])) ++depth;
        const bool begins_item = tokens[i].is("{") || tokens[i].is(",") || tokens[i].is(";");
        const Token& key = at(tokens, i + 1);
        if (depth != 1 || !begins_item || !key.is_name() || !at(tokens, i + 2).is("=")) continue;
        std::vector<std::string> known;
        for (const JobFilterKey& row : job_filter_keys)
            known.emplace_back(row.name);
        if (std::ranges::find(known, key.text) == known.end())
            return text::format("view.jobs has no key '{}'{}{}", text::printable(key.text, 60),
                                text::did_you_mean(key.text, known), list_of_names(known));
    }
    return {};
}

/// One step: the member that `.` names at the use's end. Returns whether there was one, and no problem.
bool read_member(ViewUse& use, Tokens tokens, ViewKind kind) {
    const Token& sign = at(tokens, use.length);
    const Token& name = at(tokens, use.length + 1);
    if ((!sign.is(".") && !sign.is(":")) || !name.is_name()) return false;
    if (kind == ViewKind::tres) return false; // its names are those of the cluster
    const ViewField* field = find_view_field(kind, name.text);
    const ViewFunction* function = find_view_function(kind, name.text);
    const std::size_t behind = use.length + 2;
    use.length = behind;
    use.kind = std::nullopt;
    if (field == nullptr && function == nullptr) {
        use.problem = describe_unknown_view_field(kind, name.text);
        return false;
    }
    if (sign.is(".") && at(tokens, behind).is("=")) {
        use.problem = "view cannot be changed";
        return false;
    }
    if (function == nullptr) {
        if (sign.is(":"))
            use.problem = text::format("'{}' is a field and no function: write {}.{}", name.text,
                                       name_of(kind), name.text);
        else if (field->type == ViewType::object)
            use.kind = field->kind;
        return use.kind.has_value();
    }
    const bool has_colon = function->how == ViewCall::on_itself || function->how == ViewCall::with_job;
    if (sign.is(":") != has_colon && !behind_arguments(tokens, behind)) return false; // it is not called
    if (sign.is(":") != has_colon) {
        use.problem = text::format("write {}, with a {}", function->usage, has_colon ? "colon" : "dot");
        return false;
    }
    const auto end = behind_arguments(tokens, behind);
    if (!end) return false;
    if (function->how == ViewCall::with_filter) use.problem = describe_unknown_key(tokens, behind, *end);
    use.length = *end;
    if (function->type == ViewType::object) use.kind = function->kind;
    return use.kind.has_value();
}

} // namespace

ViewUse read_view_use(Tokens tokens, ViewKind kind) {
    ViewUse use;
    use.kind = kind;
    while (use.kind && read_member(use, tokens, *use.kind)) {
    }
    return use;
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/record_fields.hpp"

#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/compat/script_findings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace qg::policy::compat {
namespace {

using model::record_fields;

constexpr auto field_names = [] {
    std::array<std::string_view, record_fields.size()> result;
    std::ranges::transform(record_fields, result.begin(), &model::RecordFieldFacts::name);
    return result;
}();

bool is_of_job_desc(std::string_view field) noexcept {
    return std::ranges::find(job_desc_fields(), field) != job_desc_fields().end();
}

/// Whether the token at `at` may be the name of a field of a record.
bool may_name_field(std::span<const Token> tokens, std::size_t at) noexcept {
    if (tokens[at].kind == TokenKind::text) return true;
    if (!tokens[at].is_name() || at < 2 || !tokens[at - 1].is(".")) return false;
    return !tokens[at - 2].is_name("job_desc") || !is_of_job_desc(tokens[at].text);
}

} // namespace

RecordField record_field(std::string_view name) noexcept {
    const auto* row = std::ranges::lower_bound(record_fields, name, {}, &model::RecordFieldFacts::name);
    return row != record_fields.end() && row->name == name ? row->kind : RecordField::unknown;
}

std::span<const std::string_view> record_field_names() noexcept {
    return field_names;
}

void add_listed_fields(std::string_view source, std::set<std::string, std::less<>>& fields) {
    const std::vector<Token> tokens = read_tokens(source);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (record_field(tokens[i].text) == RecordField::listed && may_name_field(tokens, i))
            fields.emplace(tokens[i].text);
}

} // namespace qg::policy::compat

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/record_fields.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/directory.hpp"
#include "qosgate/policy/check/lua_tokens.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace qg::policy::compat {
namespace {

using model::record_fields;

constexpr auto field_names = [] {
    std::array<std::string_view, record_fields.size()> result;
    std::ranges::transform(record_fields, result.begin(), &model::RecordFieldFacts::name);
    return result;
}();

/// Whether the token at `at` may be the name of a field of a record.
bool may_name_field(std::span<const Token> tokens, std::size_t at) noexcept {
    if (tokens[at].kind == TokenKind::text) return true;
    if (!tokens[at].is_name() || at < 2 || !tokens[at - 1].is(".")) return false;
    return !tokens[at - 2].is_name("job_desc") ||
           !std::ranges::binary_search(model::job_desc_fields, tokens[at].text);
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

// ---- fields of records that are listed -----------------------------------------------------------------

model::ScriptValue read_listed_field(const model::ScriptRecords& records, std::size_t index,
                                     std::string_view name, std::string_view noun,
                                     ErrorText& error) noexcept {
    using Kind = model::ScriptValue::Kind;
    const model::ScriptValue value = records.get(index, name);
    if (value.kind != Kind::nothing && value.kind != Kind::unknown) return value;
    const auto is_in = [name](const std::vector<std::string_view>& names) {
        return std::ranges::find(names, name) != names.end();
    };
    report_into(error, [&] {
        if (value.kind == Kind::unknown)
            error.assign(text::format("{} of this {} cannot be read in the state that it has", name, noun));
        else if (is_in(records.unreadable))
            error.assign(text::format("{} of a {} cannot be read", name, noun));
        else if (is_in(records.unread))
            error.assign(text::format("{} of a {} was not read: write its name in the script, as a literal",
                                      name, noun));
    });
    return value;
}

// ---- groups of a partition -----------------------------------------------------------------------------

Result<bool> is_shown_to(std::string_view allow_groups, std::uint32_t user_id, ScriptHost& host) {
    bool does_one_exist = false;
    std::optional<Error> not_known;
    for (const std::string_view name : text::split(allow_groups, ',')) {
        const auto group = host.find_group(name);
        if (!group) not_known = group.error(); // another one may let the user in
        if (!group || *group == nullptr) continue;
        does_one_exist = true;
        const auto user = host.find_user(user_id);
        if (!user) return user.error();
        // Two groups of one id are one group, as for Slurm.
        if (*user != nullptr &&
            std::ranges::find((*user)->groups, (*group)->id, &model::GroupName::id) != (*user)->groups.end())
            return true;
    }
    if (not_known) return *not_known;
    return !does_one_exist;
}

} // namespace qg::policy::compat

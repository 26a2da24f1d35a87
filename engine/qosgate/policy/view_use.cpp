// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/view_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/unknown_name.hpp"
#include "qosgate/policy/wrong_use.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace qg::policy {
namespace {

/// The mistake in one entry of a filter: KEY = VALUE.
std::string describe_wrong_entry(std::string_view name, Tokens value) {
    const auto* const found = std::ranges::find(job_filter_keys, name, &JobFilterKey::name);
    if (found == std::end(job_filter_keys)) {
        std::vector<std::string> known;
        for (const JobFilterKey& row : job_filter_keys)
            known.emplace_back(row.name);
        return text::format("view.jobs has no key '{}'{}{}", text::printable(name, 60),
                            text::did_you_mean(name, known), list_of_names(known));
    }
    const LiteralType type = literal_type(value);
    if (type == LiteralType::unknown || type == LiteralType::nothing) return {};
    const std::string_view written = type == LiteralType::text ? value[0].text : std::string_view();
    const bool is_empty = type == LiteralType::text && value[0].raw.size() == 2;
    if (type != LiteralType::text || is_empty)
        return text::format("view.jobs: {} is a text that is not empty", name);
    if (found->values.empty() || written.empty()) return {};
    return std::ranges::find(found->values, written) == found->values.end() ? describe_wrong_state(written)
                                                                            : std::string();
}

/// The first mistake in a filter; empty: there is none, or it is not a table that is written there.
std::string describe_wrong_filter(Tokens filter) {
    if (literal_type(filter) != LiteralType::table) return {};
    int depth = 0;
    for (std::size_t i = 0; i < filter.size(); ++i) {
        if (filter[i].is("}") || filter[i].is(")") || filter[i].is("]")) --depth;
        if (filter[i].is("{") || filter[i].is("(") || filter[i].is("[")) ++depth;
        const bool begins_item = filter[i].is("{") || filter[i].is(",") || filter[i].is(";");
        const Token& key = token_at(filter, i + 1);
        if (depth != 1 || !begins_item || !key.is_name() || !token_at(filter, i + 2).is("=")) continue;
        const Token& behind = token_at(filter, i + 4);
        const bool is_single = behind.is(",") || behind.is(";") || behind.is("}");
        if (auto problem = describe_wrong_entry(key.text, filter.subspan(i + 3, is_single ? 1 : 0));
            !problem.empty())
            return problem;
    }
    return {};
}

/// What a function of this kind takes, for messages.
std::string_view describe_taken(ViewCall how) {
    switch (how) {
    case ViewCall::with_name: return "one text";
    case ViewCall::with_nothing:
    case ViewCall::on_itself: return "no arguments";
    case ViewCall::with_job: return "the rule's job";
    case ViewCall::with_filter: return "one table";
    }
    return {};
}

/// Whether a function certainly fails with these arguments.
bool fails_with(const ViewFunction& function, const WrittenArguments& given) {
    const bool takes_nothing = function.how == ViewCall::with_nothing || function.how == ViewCall::on_itself;
    const std::size_t count = takes_nothing ? 0 : 1;
    if (given.has_fewer_than(count) || given.has_more_than(count)) return true;
    if (takes_nothing || given.all.empty()) return false;
    const LiteralType type = literal_type(given.all[0]);
    if (type == LiteralType::unknown) return false;
    if (function.how == ViewCall::with_name) return type != LiteralType::text;
    return function.how == ViewCall::with_job || type != LiteralType::table;
}

std::string describe_wrong_call(const ViewFunction& function, const WrittenArguments& given) {
    if (fails_with(function, given))
        return text::format("write {}: it takes {}", function.usage, describe_taken(function.how));
    return function.how == ViewCall::with_filter && !given.all.empty() ? describe_wrong_filter(given.all[0])
                                                                       : std::string();
}

/// What follows the name of a field.
std::string describe_wrong_field(const ViewField& field, ViewKind kind, Tokens use, std::size_t length) {
    const bool is_method = token_at(use, length - 2).is(":");
    if (!is_method && !begins_arguments(token_at(use, length))) return {};
    return text::format("'{}' is a field and no function: write {}.{}", field.name, name_of(kind),
                        field.name);
}

/// What follows a value that may be a list.
void read_list(ViewUse& use, Tokens tokens, ViewType type, std::string_view written) {
    use.is_list = is_list(type);
    if (use.is_list) use.problem = find_list_problem(tokens_from(tokens, use.length), written);
}

/// The name of a function, and what it is called with. Returns whether the use goes on with an object.
bool read_call(ViewUse& use, Tokens tokens, const ViewFunction& function, bool is_method) {
    const bool has_colon = function.how == ViewCall::on_itself || function.how == ViewCall::with_job;
    const Token& next = token_at(tokens, use.length);
    if (!begins_arguments(next)) {
        if (next.is(".") || next.is(":") || next.is("["))
            use.problem = UseProblem::failure(
                text::format("{} is a function: write {}", function.name, function.usage));
        return false;
    }
    if (is_method != has_colon) {
        use.problem = UseProblem::failure(
            text::format("write {}, with a {}", function.usage, has_colon ? "colon" : "dot"));
        return false;
    }
    const auto given = read_arguments(tokens_from(tokens, use.length));
    if (!given) return false;
    use.problem = UseProblem::failure(describe_wrong_call(function, *given));
    if (function.how == ViewCall::with_job && given->all.size() == 1 && given->all[0].size() == 1 &&
        given->all[0][0].is_name()) {
        use.job_argument = use.length + 1;
        use.with_job = &function;
    }
    use.length += given->length;
    if (use.problem.empty()) read_list(use, tokens, function.type, function.usage);
    if (function.type == ViewType::object) use.kind = function.kind;
    return use.kind.has_value();
}

/// One step: the member that `.` names at the use's end. Returns whether there was one, and no problem.
bool read_member(ViewUse& use, Tokens tokens, ViewKind kind) {
    const Token& sign = token_at(tokens, use.length);
    const Token& name = token_at(tokens, use.length + 1);
    if ((!sign.is(".") && !sign.is(":")) || !name.is_name()) return false;
    if (kind == ViewKind::tres) return false; // its names are those of the cluster
    const ViewField* field = find_view_field(kind, name.text);
    const ViewFunction* function = find_view_function(kind, name.text);
    use.length += 2;
    use.kind = std::nullopt;
    if (field == nullptr && function == nullptr) {
        use.problem = UseProblem::failure(describe_unknown_view_field(kind, name.text));
        return false;
    }
    if (sign.is(".") && token_at(tokens, use.length).is("=")) {
        use.problem = UseProblem::failure("view cannot be changed");
        return false;
    }
    if (function != nullptr) return read_call(use, tokens, *function, sign.is(":")) && use.problem.empty();
    use.problem = UseProblem::failure(describe_wrong_field(*field, kind, tokens, use.length));
    if (use.problem.empty())
        read_list(use, tokens, field->type, text::format("{}.{}", name_of(kind), field->name));
    if (use.problem.empty() && field->type == ViewType::object) use.kind = field->kind;
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

std::string describe_call_with_job(const ViewFunction& function) {
    return text::format("write {}: it takes {}", function.usage, describe_taken(function.how));
}

} // namespace qg::policy

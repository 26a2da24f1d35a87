// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/field_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/wrong_use.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace qg::policy {
namespace {

bool is_one_of(const Token& token, std::initializer_list<std::string_view> symbols) {
    return std::ranges::any_of(symbols, [&](std::string_view symbol) { return token.is(symbol); });
}

/// The type of a field's values, which may also be nil.
LiteralType type_of(const FieldSpec& field) {
    switch (field.type) {
    case FieldType::text: return LiteralType::text;
    case FieldType::count:
    case FieldType::minutes: return LiteralType::number;
    case FieldType::flag: return LiteralType::flag;
    case FieldType::tres:
    case FieldType::gpu:
    case FieldType::gpu_list:
    case FieldType::arguments:
    case FieldType::environment:
    case FieldType::license_counts:
    case FieldType::feature_names:
    case FieldType::script_options: break;
    }
    return LiteralType::table;
}

std::string_view name_of(LiteralType type) {
    switch (type) {
    case LiteralType::text: return "a text";
    case LiteralType::number: return "a number";
    case LiteralType::flag: return "true or false";
    case LiteralType::table: return "an object with fields";
    case LiteralType::nothing: return "nil";
    case LiteralType::unknown: break;
    }
    return {};
}

// ---- members of a value --------------------------------------------------------------------------------

/// job.FIELD.NAME and job.FIELD:NAME(...)
UseProblem find_wrong_member(Tokens use, const FieldSpec& field,
                             const std::set<std::string>* text_functions) {
    const Token& sign = token_at(use, 0);
    const Token& name = token_at(use, 1);
    const LiteralType type = type_of(field);
    if (is_list(field.type)) return find_list_problem(use, text::format("job.{}", field.name));
    if ((!sign.is(".") && !sign.is(":")) || !name.is_name() || type == LiteralType::table) return {};
    if (type != LiteralType::text)
        return UseProblem::failure(text::format("job.{} is {} and has no '{}'", field.name, name_of(type),
                                                text::printable(name.text, 60)));
    if (text_functions == nullptr || text_functions->contains(std::string(name.text))) return {};
    const std::string complaint =
        text::format("job.{} is a text and has no '{}'", field.name, text::printable(name.text, 60));
    if (sign.is(".")) return UseProblem::warning(complaint); // nil, unless the field is
    if (name.text == "add" && field.list != ListForm::none)
        return UseProblem::failure(text::format("{}: write job:add(\"{}\", ...)", complaint, field.name));
    const std::vector<std::string> known(text_functions->begin(), text_functions->end());
    return UseProblem::failure(complaint + text::did_you_mean(name.text, known));
}

// ---- comparisons and arithmetic ------------------------------------------------------------------------

/// Whether an operand of a comparison begins behind this token, and with it the whole side of it.
bool begins_side(const Token& token) {
    return is_one_of(token,
                     {"if", "elseif", "while", "until", "and", "or", "(", ",", "=", "return", "{", "["});
}
/// Whether a side of a comparison ends in front of this token.
bool ends_side(const Token& token) {
    return is_one_of(token, {"then", "and", "or", ")", ",", "do", "}", "]"}) || ends_expression(token);
}

struct Comparison {
    std::string_view sign;
    Tokens literal;
};

/// `job.FIELD < LITERAL` or `LITERAL < job.FIELD`, if these are the whole sides.
std::optional<Comparison> read_comparison(Tokens source, std::size_t at, std::size_t length) {
    const auto is_sign = [](const Token& token) {
        return is_one_of(token, {"<", ">", "<=", ">=", "==", "~="});
    };
    const auto is_literal = [](Tokens one) {
        const LiteralType type = literal_type(one);
        return type != LiteralType::unknown && type != LiteralType::nothing;
    };
    const std::size_t end = at + length;
    if (end + 2 < source.size() && is_sign(source[end]) && at > 0 && begins_side(source[at - 1])) {
        const std::size_t size = source[end + 1].is("-") ? 2 : 1;
        const Tokens literal = source.subspan(end + 1, std::min(size, source.size() - end - 1));
        if (is_literal(literal) && ends_side(token_at(source, end + 1 + size)))
            return Comparison{source[end].text, literal};
    }
    if (at >= 3 && is_sign(source[at - 1]) && ends_side(token_at(source, end))) {
        const Tokens literal = source.subspan(at - 2, 1);
        if (is_literal(literal) && begins_side(source[at - 3]))
            return Comparison{source[at - 1].text, literal};
    }
    return std::nullopt;
}

UseProblem find_wrong_comparison(const Comparison& comparison, const FieldSpec& field) {
    const LiteralType own = type_of(field);
    const LiteralType other = literal_type(comparison.literal);
    const std::string what = text::format("job.{} is {}", field.name, name_of(own));
    const bool is_equality = comparison.sign == "==" || comparison.sign == "~=";
    if (is_equality) {
        if (own == other) return {};
        return UseProblem::warning(
            text::format("{} and never equals {}", what, show_literal(comparison.literal)));
    }
    const bool has_order = own == LiteralType::text || own == LiteralType::number;
    if (has_order && own == other) return {};
    return UseProblem::failure(text::format("{} and cannot be compared with {}{}", what,
                                            show_literal(comparison.literal),
                                            field.type == FieldType::gpu ? ": write job.gpus" : ""));
}

UseProblem find_wrong_arithmetic(Tokens source, std::size_t at, std::size_t length, const FieldSpec& field) {
    const bool is_operand = is_one_of(token_at(source, at + length), {"+", "-", "*", "/", "//", "%", "^"});
    if (!is_operand || at == 0 || !begins_side(source[at - 1]) || type_of(field) == LiteralType::number)
        return {};
    return UseProblem::failure(
        text::format("job.{} is {}: it is no number to calculate with", field.name, name_of(type_of(field))));
}

} // namespace

UseProblem find_field_problem(Tokens source, std::size_t at, std::size_t length, const FieldSpec& field,
                              const std::set<std::string>* text_functions) {
    auto problem = find_wrong_member(tokens_from(source, at + length), field, text_functions);
    if (!problem.empty()) return problem;
    if (const auto comparison = read_comparison(source, at, length))
        return find_wrong_comparison(*comparison, field);
    return find_wrong_arithmetic(source, at, length, field);
}

} // namespace qg::policy

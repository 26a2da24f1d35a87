// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/wrong_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua_lib/message_format.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>

namespace qg::policy {
namespace {

/// The content of an argument that is nothing but a text; empty: it is not, or not known.
std::string_view literal_text(Tokens argument) {
    return argument.size() == 1 && argument[0].kind == TokenKind::text ? argument[0].text
                                                                       : std::string_view();
}

bool is_no_text(Tokens argument) {
    const LiteralType type = literal_type(argument);
    return type != LiteralType::unknown && type != LiteralType::text;
}

UseProblem find_wrong_is_set(std::string_view object, const WrittenArguments& arguments) {
    if (arguments.all.empty())
        return UseProblem::failure(
            text::format("{0}:is_set() needs the name of a field: write {0}:is_set(\"qos\")", object));
    if (is_no_text(arguments.all[0]))
        return UseProblem::failure(text::format("{}:is_set takes the name of a field as a text, and not {}",
                                                object, show_literal(arguments.all[0])));
    const std::string_view name = literal_text(arguments.all[0]);
    const FieldSpec* field = find_job_field(name);
    if (field != nullptr && field->is_set == nullptr)
        return UseProblem::failure(text::format("{}:is_set: '{}' is not something that a request asks for{}",
                                                object, name, why_no_request(*field)));
    if (arguments.has_more_than(1))
        return UseProblem::warning(text::format(
            "{}:is_set takes the name of one field, and here are {} values", object, arguments.all.size()));
    return {};
}

UseProblem find_wrong_add(const WrittenArguments& arguments) {
    if (arguments.has_more_than(2) || arguments.has_fewer_than(2))
        return UseProblem::failure("job:add takes a field and a text: write job:add(\"features\", \"fast\")");
    for (const Tokens argument : arguments.all)
        if (is_no_text(argument))
            return UseProblem::failure(
                text::format("job:add takes a field and a text, and not {}", show_literal(argument)));
    const std::string_view name = arguments.all.empty() ? std::string_view() : literal_text(arguments.all[0]);
    const FieldSpec* field = find_job_field(name);
    if (field == nullptr || field->list != ListForm::none) return {};
    return UseProblem::failure(text::format("job:add: '{}' is no list", name));
}

UseProblem find_wrong_message(std::string_view object, std::string_view function,
                              const WrittenArguments& arguments) {
    const bool is_empty = arguments.all.empty() ||
                          (arguments.all[0].size() == 1 && arguments.all[0][0].kind == TokenKind::text &&
                           arguments.all[0][0].raw.size() == 2);
    if (is_empty)
        return UseProblem::warning(
            text::format("{}:{}() has no message{}", object, function,
                         function == "reject" ? ": users read only the rule's name" : ""));
    const std::string_view format = literal_text(arguments.all[0]);
    if (format.empty()) return {};
    const std::size_t places = count_places(format);
    const std::size_t values = arguments.all.size() - 1;
    if (values < places && !arguments.is_open())
        return UseProblem::warning(text::format(
            "{}:{}: the message shows {} {}, and here {} {}: users read '(missing)'", object, function,
            places, places == 1 ? "value" : "values", values == 1 ? "is" : "are", values));
    if (arguments.least() > 1 && arguments.least() - 1 > places)
        return UseProblem::warning(text::format("{}:{}: the message shows {} {}, and here are {}", object,
                                                function, places, places == 1 ? "value" : "values", values));
    return {};
}

UseProblem find_wrong_stop(std::string_view object, const WrittenArguments& arguments) {
    if (arguments.least() == 0) return {};
    const LiteralType type = literal_type(arguments.all[0]);
    const std::string message = text::format("{}:stop() takes no arguments", object);
    const bool fails = type != LiteralType::unknown && type != LiteralType::nothing;
    return fails ? UseProblem::failure(message) : UseProblem::warning(message);
}

/// A number as Lua reads it; empty: too large for a look here, or hexadecimal.
std::optional<Value> number_value(std::string_view digits, bool is_negative) {
    if (const auto whole = text::parse_unsigned(digits)) {
        if (*whole > 0x7fffffffffffffffU) return std::nullopt;
        const auto number = static_cast<std::int64_t>(*whole);
        return Value{Value::Kind::integer, is_negative ? -number : number, {}};
    }
    const std::string copy(digits);
    char* end = nullptr;
    const double number = std::strtod(copy.c_str(), &end);
    const bool is_fraction = *end == '\0' && std::isfinite(number) && number != std::floor(number);
    if (!is_fraction || copy.find_first_of("xX") != std::string::npos) return std::nullopt;
    return Value{Value::Kind::other, 0, digits};
}

/// How many tokens of a literal begin here; 0: it is none, or only the beginning of an expression.
std::size_t literal_length(Tokens value) {
    std::size_t length = token_at(value, 0).is("-") ? 2 : 1;
    if (token_at(value, 0).is("{")) {
        const auto table = read_arguments(value);
        length = table ? table->length : 0;
    }
    const bool is_whole = length > 0 && length < value.size() && ends_expression(value[length]);
    return is_whole ? length : 0;
}

/// A literal as Lua reads it; empty for everything else, also for a part of an expression.
std::optional<Value> literal_value(Tokens value) {
    const Tokens literal = value.first(literal_length(value));
    switch (literal_type(literal)) {
    case LiteralType::text:
        if (literal[0].text.empty()) return std::nullopt; // also one that is not known
        return Value::of_text(literal[0].text);
    case LiteralType::flag: return Value::of_flag(literal[0].is("true"));
    case LiteralType::number: return number_value(literal.back().text, literal.size() == 2);
    case LiteralType::table: return Value{Value::Kind::other, 0, "a table"};
    case LiteralType::nothing:
    case LiteralType::unknown: break;
    }
    return std::nullopt;
}

} // namespace

UseProblem find_wrong_call(Tokens call, std::string_view object) {
    const auto arguments = read_arguments(tokens_from(call, 1));
    if (!arguments) return {};
    const std::string_view function = call.front().text;
    if (function == "is_set") return find_wrong_is_set(object, *arguments);
    if (function == "add") return find_wrong_add(*arguments);
    if (function == "stop") return find_wrong_stop(object, *arguments);
    if (function == "warn" || function == "note" || function == "reject")
        return find_wrong_message(object, function, *arguments);
    return {};
}

UseProblem find_wrong_value(const FieldSpec& field, Tokens value) {
    const auto literal = literal_value(value);
    if (!literal) return {};
    model::JobRequest scratch;
    const auto written = write_field(field, scratch, *literal);
    return written ? UseProblem() : UseProblem::failure(written.error().message);
}

UseProblem find_list_problem(Tokens use, std::string_view list) {
    const Token& sign = token_at(use, 0);
    const Token& name = token_at(use, 1);
    const bool is_member = (sign.is(".") || sign.is(":")) && name.is_name();
    const bool is_index = sign.is("[") && name.kind == TokenKind::text && token_at(use, 2).is("]");
    if (!is_member && !is_index) return {};
    const std::string message =
        text::format("{0} is a list and has no '{1}': write for _, one in ipairs({0}) do ... end", list,
                     text::printable(name.text, 60));
    // A member that is read is nil, and nil cannot be called.
    return sign.is(":") ? UseProblem::failure(message) : UseProblem::warning(message);
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/wrong_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua_lib/message_format.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace qg::policy {
namespace {

using Tokens = std::span<const Token>;

bool is_one_of(const Token& token, std::span<const std::string_view> symbols) {
    return std::ranges::any_of(symbols, [&](std::string_view symbol) { return token.is(symbol); });
}

/// The arguments of one call.
struct Arguments {
    std::vector<Tokens> all;

    /// Whether the last one may give any number of values: a call, or `...`.
    [[nodiscard]] bool is_open() const {
        if (all.empty()) return false;
        static constexpr std::string_view ends[] = {")", "...", "}"};
        const Tokens last = all.back();
        return is_one_of(last.back(), ends) || (last.size() > 1 && last.back().kind == TokenKind::text);
    }
    /// The number of values that are there for certain.
    [[nodiscard]] std::size_t least() const { return all.size() - (is_open() ? 1 : 0); }
};

/// Empty if they cannot be told apart without following the syntax (a function among them).
std::optional<Arguments> read_arguments(Tokens call) {
    static constexpr std::string_view opening[] = {"(", "{", "["};
    static constexpr std::string_view closing[] = {")", "}", "]"};
    Arguments found;
    if (call.size() < 2) return std::nullopt;
    if (call[1].kind == TokenKind::text) {
        found.all.push_back(call.subspan(1, 1));
        return found;
    }
    if (!call[1].is("(")) return std::nullopt;
    int depth = 0;
    std::size_t begin = 2;
    for (std::size_t at = 1; at < call.size(); ++at) {
        const Token& token = call[at];
        if (token.is("function")) return std::nullopt;
        if (is_one_of(token, opening)) ++depth;
        if (is_one_of(token, closing)) --depth;
        const bool is_end = depth == 0;
        if (!is_end && !(depth == 1 && token.is(","))) continue;
        if (at > begin) found.all.push_back(call.subspan(begin, at - begin));
        begin = at + 1;
        if (is_end) return found;
    }
    return std::nullopt;
}

/// The content of an argument that is nothing but a text; empty: it is not, or not known.
std::string_view literal_text(Tokens argument) {
    return argument.size() == 1 && argument[0].kind == TokenKind::text ? argument[0].text
                                                                       : std::string_view();
}

/// How a literal that is certainly no text is written; empty for everything else.
std::string_view literal_but_no_text(Tokens argument) {
    static constexpr std::string_view words[] = {"nil", "true", "false"};
    if (argument.size() != 1) return {};
    const bool is_such = argument[0].kind == TokenKind::number || is_one_of(argument[0], words);
    return is_such ? argument[0].text : std::string_view();
}

std::string describe_wrong_is_set(const Arguments& arguments) {
    if (arguments.all.empty()) return "job:is_set() needs the name of a field: write job:is_set(\"qos\")";
    if (arguments.least() > 1)
        return text::format("job:is_set takes the name of one field, and here are {} values",
                            arguments.all.size());
    if (const auto literal = literal_but_no_text(arguments.all[0]); !literal.empty())
        return text::format("job:is_set takes the name of a field as a text, and not {}", literal);
    const std::string_view name = literal_text(arguments.all[0]);
    const FieldSpec* field = find_job_field(name);
    if (field == nullptr || field->is_set != nullptr) return {};
    return text::format("job:is_set: '{}' is not something that a request asks for", name);
}

std::string describe_wrong_add(const Arguments& arguments) {
    if (arguments.least() > 2 || (arguments.all.size() < 2 && !arguments.is_open()))
        return "job:add takes a field and a text: write job:add(\"features\", \"fast\")";
    for (const Tokens argument : arguments.all)
        if (const auto literal = literal_but_no_text(argument); !literal.empty())
            return text::format("job:add takes a field and a text, and not {}", literal);
    const std::string_view name = literal_text(arguments.all[0]);
    const FieldSpec* field = find_job_field(name);
    if (field == nullptr || field->list != ListForm::none) return {};
    return text::format("job:add: '{}' is no list", name);
}

std::string describe_wrong_message(std::string_view function, const Arguments& arguments) {
    if (arguments.all.empty())
        return function == "reject" ? std::string() // it has a message anyway
                                    : text::format("job:{}() has no message", function);
    const std::string_view format = literal_text(arguments.all[0]);
    if (format.empty()) return {};
    const std::size_t places = count_places(format);
    const std::size_t values = arguments.all.size() - 1;
    if (values < places && !arguments.is_open())
        return text::format("job:{}: the message shows {} {}, and here {} {}: users read '(missing)'",
                            function, places, places == 1 ? "value" : "values", values == 1 ? "is" : "are",
                            values);
    if (arguments.least() - 1 > places && arguments.least() > 1)
        return text::format("job:{}: the message shows {} {}, and here are {}", function, places,
                            places == 1 ? "value" : "values", values);
    return {};
}

/// A literal as Lua reads it; empty for everything else, also for a part of an expression.
std::optional<Value> literal_value(Tokens value) {
    static constexpr std::string_view next_statement[] = {
        ";",   "::",   "end",    "else", "elseif", "until", "local", "if",
        "for", "goto", "return", "do",   "repeat", "while", "break", "function",
    };
    if (value.size() < 2) return std::nullopt;
    const Token& first = value[0];
    const Token& behind = value[1];
    if (behind.kind != TokenKind::end && !behind.is_name() && !is_one_of(behind, next_statement))
        return std::nullopt;
    if (first.kind == TokenKind::text && !first.text.empty()) return Value::of_text(first.text);
    if (first.is("true") || first.is("false")) return Value::of_flag(first.is("true"));
    if (first.kind != TokenKind::number) return std::nullopt;
    const auto number = text::parse_unsigned(first.text);
    if (!number) return std::nullopt;
    return Value::of_count(*number);
}

} // namespace

std::string describe_wrong_call(Tokens call) {
    const auto arguments = read_arguments(call);
    if (!arguments) return {};
    const std::string_view function = call.front().text;
    if (function == "is_set") return describe_wrong_is_set(*arguments);
    if (function == "add") return describe_wrong_add(*arguments);
    if (function == "stop") return arguments->least() > 0 ? "job:stop() takes no arguments" : std::string();
    if (function == "warn" || function == "note" || function == "reject")
        return describe_wrong_message(function, *arguments);
    return {};
}

std::string describe_wrong_value(const FieldSpec& field, Tokens value) {
    const auto literal = literal_value(value);
    if (!literal) return {};
    model::JobRequest scratch;
    const auto written = write_field(field, scratch, *literal);
    return written ? std::string() : written.error().message;
}

} // namespace qg::policy

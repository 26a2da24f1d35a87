// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/shown_text.hpp"

#include "qosgate/base/letters.hpp"

#include <algorithm>
#include <charconv>

namespace qg::policy::compat {
namespace {

// Without bounds, reading expressions that name each other would take the square of their length.
constexpr std::size_t max_length = 4096; ///< bytes of a value
constexpr std::size_t max_operands = 64; ///< of one expression

bool is_concatenation(const SyntaxTree& tree, NodeId id) {
    return tree.is(id, NodeKind::binary) && tree.text(id) == "..";
}

/// What string.format gives.
ShownText read_format(const ShownText& format) {
    ShownText shown{.beginning = format.beginning.substr(0, format.beginning.find('%')),
                    .is_whole = false,
                    .is_sure = format.is_sure,
                    .end = format.is_whole ? format.beginning : format.end};
    shown.is_whole = format.is_whole && shown.beginning == format.beginning;
    return shown;
}

/// The character of an escape of one letter; empty: there is none of that letter.
std::optional<char> plain_escape(char letter) noexcept {
    constexpr std::string_view letters = "abfnrtv\\\"'\n";
    constexpr std::string_view meant = "\a\b\f\n\r\t\v\\\"'\n";
    const std::size_t at = letters.find(letter);
    return at == letters.npos ? std::nullopt : std::optional(meant[at]);
}

/// Reads the number of an escape at the beginning of `rest` and removes it.
std::optional<char> take_number(std::string_view& rest, std::size_t digits, int base) noexcept {
    unsigned value = 0;
    const std::string_view text = rest.substr(0, digits);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (problem != std::errc() || value > 255) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return static_cast<char>(value);
}

std::optional<std::string> read_escapes(std::string_view rest) {
    std::string content;
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\') {
            content += c;
            continue;
        }
        if (rest.empty()) return std::nullopt;
        const char letter = rest.front();
        if (letter == 'z') {
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n\v\f", 1), rest.size()));
            continue;
        }
        const bool is_hex = letter == 'x';
        const bool is_number = is_hex || text::is_digit(letter);
        if (is_hex || !is_number) rest.remove_prefix(1);
        // A line may end with "\r\n".
        if (letter == '\r' && rest.starts_with('\n')) continue;
        const auto meant = is_hex      ? take_number(rest, 2, 16)
                           : is_number ? take_number(rest, 3, 10)
                                       : plain_escape(letter);
        content += meant.value_or(letter); // as in Lua 5.1
    }
    return content;
}

} // namespace

std::optional<std::string> read_literal(const Token& token) {
    if (!token.text.empty()) return std::string(token.text);
    std::string_view raw = token.raw;
    if (raw.size() < 2) return std::nullopt;
    if (raw.front() != '[') return read_escapes(raw.substr(1, raw.size() - 2));
    const std::size_t bracket = raw.find('[', 1) + 1;
    if (raw.size() < 2 * bracket) return std::nullopt;
    raw = raw.substr(bracket, raw.size() - 2 * bracket);
    if (raw.starts_with('\r')) raw.remove_prefix(1);
    if (raw.starts_with('\n')) raw.remove_prefix(1);
    return std::string(raw);
}

NodeId Values::value_of(NodeId name) const {
    if (!knows_variables_) return no_node;
    if (tree_.is_global(name)) {
        const auto found = globals_.find(tree_.text(name));
        return found == globals_.end() ? no_node : found->second;
    }
    const Declaration& local = tree_.declarations()[tree_[name].local];
    if (!local.is_assigned) return local.value;
    // `local NAME`, whose value comes later.
    if (local.value != no_node || !tree_.is(tree_.parent(local.node), NodeKind::local)) return no_node;
    NodeId value = no_node;
    for (const NodeId use : local.uses) {
        if (!tree_.is_target(use)) continue;
        if (value != no_node) return no_node;
        value = tree_.value_of(use);
    }
    return value;
}

ShownText Values::read_operand(NodeId operand, int depth) const {
    const NodeKind kind = tree_.kind(operand);
    if (kind == NodeKind::text) {
        const auto content = read_literal(tree_.token(operand));
        return {.beginning = content.value_or(""), .is_whole = content.has_value()};
    }
    if (kind == NodeKind::number) {
        const std::string_view digits = tree_.text(operand);
        const bool is_plain = digits.find_first_not_of("0123456789") == digits.npos;
        return {.beginning = is_plain ? std::string(digits) : std::string(), .is_whole = is_plain};
    }
    if (depth == 0) return {};
    if (kind == NodeKind::group) return read(tree_.child(operand, 0), depth - 1);
    if (kind == NodeKind::name) {
        const NodeId value = value_of(operand);
        ShownText shown = value == no_node ? ShownText{} : read(value, depth - 1);
        shown.is_sure = false;
        return shown;
    }
    if (kind == NodeKind::call && tree_.is_path(tree_.object(operand), "string.format") &&
        tree_.child(operand, 1) != no_node)
        return read_format(read(tree_.child(operand, 1), depth - 1));
    if (kind == NodeKind::method && tree_.member(operand) == "format")
        return read_format(read_operand(tree_.object(operand), depth - 1));
    if (kind != NodeKind::binary) return {}; // a member of a value, or what it returns, is another value
    // Another operator decides what it is. A literal before it mostly is the beginning.
    ShownText shown = read(tree_.child(operand, 0), depth - 1);
    if (!shown.is_sure) return {};
    shown.is_whole = false;
    shown.end.clear();
    return shown;
}

ShownText Values::read(NodeId expression, int depth) const {
    ShownText shown;
    shown.is_whole = true;
    bool ends_with_variable = false;
    for (std::size_t operands = 0; expression != no_node;) {
        if (++operands > max_operands || shown.beginning.size() > max_length) return {};
        const bool is_last = !is_concatenation(tree_, expression);
        const ShownText operand = read_operand(is_last ? expression : tree_.child(expression, 0), depth);
        expression = is_last ? no_node : tree_.child(expression, 1);
        if (shown.is_whole && (operand.is_whole || !operand.beginning.empty())) {
            shown.beginning += operand.beginning;
            shown.is_sure = shown.is_sure && operand.is_sure;
        }
        shown.is_whole = shown.is_whole && operand.is_whole;
        shown.end = operand.is_whole ? operand.beginning : operand.end;
        ends_with_variable = !operand.is_sure && !shown.end.empty();
    }
    if (shown.is_whole) shown.end.clear();
    if (ends_with_variable) shown.is_sure = false;
    return shown;
}

} // namespace qg::policy::compat

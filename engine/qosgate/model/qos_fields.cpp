// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/qos_fields.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <type_traits>

namespace qg::model {
namespace {

/// "DENY_ON_LIMIT" and "DenyOnLimit" are the same word.
std::string without_underscores(std::string_view word) {
    std::string result = text::lower(word);
    std::erase(result, '_');
    return result;
}

bool is_spelling_of(const AllowedValue& allowed, std::string_view normalized) {
    const auto same = [&](std::string_view spelling) { return without_underscores(spelling) == normalized; };
    return same(allowed.name) || std::any_of(allowed.aliases.begin(), allowed.aliases.end(), same);
}

std::vector<std::string> names_of(std::span<const AllowedValue> words) {
    std::vector<std::string> names;
    for (const AllowedValue& word : words)
        names.emplace_back(word.name);
    return names;
}

std::string join_words(const NameSet& words) {
    const std::vector<std::string> list(words.begin(), words.end());
    return text::join(list, ",");
}

std::string format_limits(const TresLimits& limits) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : limits)
        parts.push_back(name + "=" + format_tres_count(name, count));
    return text::join(parts, ",");
}

/// Empty text, sets and lists are unset, just as an empty optional is.
template <typename T>
FieldValue to_value(const T& stored) {
    if constexpr (std::is_arithmetic_v<T>) {
        return stored;
    } else if constexpr (requires { stored.has_value(); }) {
        return stored ? FieldValue(*stored) : FieldValue();
    } else {
        return stored.empty() ? FieldValue() : FieldValue(stored);
    }
}

template <typename T>
struct Plain {
    using Type = T;
};
template <typename T>
struct Plain<std::optional<T>> {
    using Type = T;
};

} // namespace

std::optional<std::string_view> find_abbreviated_field(std::string_view beginning) {
    const QosField* only = nullptr;
    std::string_view spelling;
    bool is_ambiguous = beginning.empty();
    const auto consider = [&](const QosField& field, std::string_view name) {
        if (!text::istarts_with(name, beginning)) return;
        is_ambiguous = is_ambiguous || (only != nullptr && only != &field);
        if (only == nullptr) spelling = name;
        only = &field;
    };
    for (const QosField& field : qos_fields()) {
        consider(field, field.name);
        for (const FieldAlias& alias : field.aliases)
            consider(field, alias.name);
    }
    return only == nullptr || is_ambiguous ? std::nullopt : std::optional(spelling);
}

Result<FieldMatch> get_qos_field(std::string_view name) {
    for (const QosField& field : qos_fields()) {
        if (text::iequals(field.name, name)) return FieldMatch{&field, {}};
        for (const FieldAlias& alias : field.aliases)
            if (text::iequals(alias.name, name)) return FieldMatch{&field, alias.tres};
    }
    std::vector<std::string> names;
    for (const QosField& field : qos_fields()) {
        names.emplace_back(field.name);
        for (const FieldAlias& alias : field.aliases)
            names.emplace_back(alias.name);
    }
    const auto whole = find_abbreviated_field(name);
    const std::string near = whole ? text::did_you_mean(name, *whole) : text::did_you_mean(name, names);
    return Error{ErrorCode::invalid_input,
                 text::format("a QOS has no field '{}'{} ('qosgate qos fields' lists all)",
                              text::printable(name), near)};
}

Result<std::string> parse_allowed_word(const QosField& field, std::string_view word) {
    const std::string normalized = without_underscores(text::trim(word));
    const auto words = allowed_words(field.kind);
    for (const AllowedValue& allowed : words)
        if (is_spelling_of(allowed, normalized)) return std::string(allowed.name);
    const std::vector<std::string> names = names_of(words);
    return Error{ErrorCode::invalid_input,
                 text::format("'{}' is not one of its values{} (allowed: {})", text::printable(word),
                              text::did_you_mean(word, names), text::join(names, ", "))};
}

FieldValue get_field(const QosField& field, const QosRecord& record) {
    return std::visit([&](auto member) { return to_value(record.*member); }, field.member);
}

void put_field(const QosField& field, QosRecord& record, const FieldValue& value) {
    std::visit(
        [&](auto member) {
            using Stored = std::remove_reference_t<decltype(record.*member)>;
            using Given = typename Plain<Stored>::Type;
            if (std::holds_alternative<std::monostate>(value)) {
                record.*member = QosRecord{}.*member;
            } else {
                QG_CHECK(std::holds_alternative<Given>(value));
                record.*member = std::get<Given>(value);
            }
        },
        field.member);
}

bool is_set(const QosField& field, const QosRecord& record) {
    static const QosRecord fresh;
    return get_field(field, record) != get_field(field, fresh);
}

std::string format_value(const QosField& field, const FieldValue& value) {
    struct Format {
        const QosField& field;
        std::string operator()(std::monostate) const { return {}; }
        std::string operator()(const std::string& text) const { return text; }
        std::string operator()(std::uint32_t number) const {
            if (field.kind != FieldKind::duration) return std::to_string(number);
            return units::format_seconds(std::uint64_t{number} * (field.unit == "minutes" ? 60 : 1));
        }
        std::string operator()(double number) const { return text::format("{}", number); }
        std::string operator()(const TresLimits& limits) const { return format_limits(limits); }
        std::string operator()(const NameSet& words) const { return join_words(words); }
    };
    return std::visit(Format{field}, value);
}

std::string format_field(const QosField& field, const QosRecord& record) {
    return format_value(field, get_field(field, record));
}

std::string describe_value(const QosField& field) {
    switch (field.kind) {
    case FieldKind::name: return "cannot be set";
    case FieldKind::text: return "text";
    case FieldKind::number: return "a whole number";
    case FieldKind::factor: return "a decimal number";
    case FieldKind::duration:
        return text::format("a time: {}, mm:ss, hh:mm:ss or d-hh:mm:ss, or with units: 90m, 8h, 1d12h",
                            field.plain_seconds == 1 ? "seconds" : "minutes");
    case FieldKind::tres: return "TRES counts, for example cpu=24,mem=1T,gpu=2";
    case FieldKind::qos_names: return "names of QOSs, separated by commas";
    case FieldKind::flags: return "any of " + text::join(names_of(allowed_words(field.kind)), ", ");
    case FieldKind::preempt_mode:
        return "CANCEL, REQUEUE or SUSPEND, and any of GANG, PRIORITY, WITHIN; CLUSTER or OFF clears it";
    }
    return {};
}

bool sorts_before(const QosField& field, const QosRecord& a, const QosRecord& b, bool descending) {
    const FieldValue left = get_field(field, a);
    const FieldValue right = get_field(field, b);
    const bool left_unset = std::holds_alternative<std::monostate>(left);
    const bool right_unset = std::holds_alternative<std::monostate>(right);
    if (left_unset || right_unset) return !left_unset && right_unset;
    return descending ? right < left : left < right;
}

} // namespace qg::model

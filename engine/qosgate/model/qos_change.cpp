// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/qos_change.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/amount_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace qg::model {
namespace {

/// slurmdbd silently ignores larger numbers (slurm/README.md 4.4), so they are refused here.
constexpr std::uint64_t max_number = 0x7fffffff;

/// The column that holds a QOS name.
constexpr std::size_t max_name_length = 255;

/// Characters with a meaning in Slurm's lists, job scripts or shells.
constexpr std::string_view unsafe_in_name = " '\"\\`,=*?[]|;&<>()$!";

/// Whether a text contains control characters, including those of Latin-1 (in UTF-8: C2 80 to C2 9F).
bool has_control(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
        if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next <= 0x9f)) return true;
    }
    return false;
}

/// "12", "1e5", "-1", "inf": what a program would read as a number.
bool is_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// Words with a meaning for sacctmgr or as a value of a field.
constexpr std::array<std::string_view, 9> words_of_slurm{
    "set", "where", "all", "none", "unset", "null", "unlimited", "infinite", "withdeleted"};

bool means_clear(std::string_view value) {
    return value == "-1" || text::iequals(value, "unset");
}

/// People write these words to remove a limit. A QOS record has no such value, so the message says how to
/// remove it.
bool means_unlimited(std::string_view value) {
    constexpr std::array<std::string_view, 4> words{"unlimited", "infinite", "infinity", "none"};
    return std::any_of(words.begin(), words.end(), [&](auto word) { return text::iequals(word, value); });
}

Result<FieldValue> parse_text(std::string_view value) {
    if (has_control(value)) return invalid("no line breaks or other control characters");
    return value.empty() ? FieldValue() : FieldValue(std::string(value));
}

Result<FieldValue> parse_number(std::string_view value) {
    const auto number = text::parse_unsigned(value);
    if (!number || *number > max_number)
        return invalid(text::format("'{}' is not a whole number from 0 to {}; 'unset' clears the field",
                                    text::printable(value), max_number));
    return FieldValue(static_cast<std::uint32_t>(*number));
}

Result<FieldValue> parse_factor(std::string_view value) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || !(number >= 0) ||
        number > static_cast<double>(max_number))
        return invalid(text::format("'{}' is not a decimal number from 0 to {}; 'unset' clears the field",
                                    text::printable(value), max_number));
    constexpr double stored_steps = 1e6; // slurmdbd keeps six decimals
    return FieldValue(std::round(number * stored_steps) / stored_steps);
}

Result<FieldValue> parse_duration(const QosField& field, std::string_view value) {
    const auto with_units = parse_unit_seconds(value);
    const auto seconds =
        with_units ? Result<std::uint64_t>(*with_units) : units::parse_seconds(value, field.plain_seconds);
    if (!seconds) return seconds.error();
    const std::uint64_t stored = field.unit == "minutes" ? (*seconds + 59) / 60 : *seconds;
    if (stored > max_number)
        return invalid(
            text::format("{} is too long: at most {} {}", text::printable(value), max_number, field.unit));
    return FieldValue(static_cast<std::uint32_t>(stored));
}

Result<NameSet> parse_words(const QosField& field, std::string_view value) {
    NameSet words;
    for (std::string_view part : text::split(value, ',')) {
        auto word =
            field.kind == FieldKind::qos_names ? parse_qos_name(part) : parse_allowed_word(field, part);
        if (!word) return word.error();
        words.insert(*word);
    }
    return words;
}

Result<FieldValue> parse_preempt_mode(const QosField& field, std::string_view value) {
    if (text::iequals(value, "cluster") || text::iequals(value, "off")) return FieldValue();
    auto words = parse_words(field, value);
    if (!words) return words.error();
    const std::size_t modes = words->count("CANCEL") + words->count("REQUEUE") + words->count("SUSPEND");
    if (modes > 1) return invalid("at most one of CANCEL, REQUEUE and SUSPEND");
    return FieldValue(*words);
}

/// The value of a field that is not a TRES list.
Result<FieldValue> parse_value(const QosField& field, std::string_view value) {
    switch (field.kind) {
    case FieldKind::text: return parse_text(value);
    case FieldKind::number: return parse_number(value);
    case FieldKind::factor: return parse_factor(value);
    case FieldKind::duration: return parse_duration(field, value);
    case FieldKind::preempt_mode: return parse_preempt_mode(field, value);
    case FieldKind::flags:
    case FieldKind::qos_names: {
        auto words = parse_words(field, value);
        if (!words) return words.error();
        return FieldValue(*words);
    }
    case FieldKind::name:
    case FieldKind::tres: break;
    }
    return Error{ErrorCode::internal, "no value of this kind"};
}

/// The TRES of "mem=unset"; empty for every other limit.
std::string_view tres_to_unset(std::string_view limit) {
    const auto equals = limit.find('=');
    if (equals == std::string_view::npos || !text::iequals(text::trim(limit.substr(equals + 1)), "unset"))
        return {};
    return text::trim(limit.substr(0, equals));
}

bool share_a_tres(const TresList& a, const TresList& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto& x) {
        return std::any_of(b.begin(), b.end(), [&](const auto& y) { return x.first == y.first; });
    });
}

std::string describe(const QosField& field, const QosRecord& record) {
    std::string shown = format_field(field, record);
    return shown.empty() ? "unset" : shown;
}

/// Whether `now` contains the change from `before` to `after`.
template <typename T>
bool stands_in(const T& before, const T& after, const T& now) {
    return before == after || now == after;
}

bool stands_in(const NameSet& before, const NameSet& after, const NameSet& now) {
    const auto is_kept = [&](const std::string& word) {
        return stands_in(before.contains(word), after.contains(word), now.contains(word));
    };
    return std::all_of(before.begin(), before.end(), is_kept) &&
           std::all_of(after.begin(), after.end(), is_kept);
}

bool stands_in(const TresLimits& before, const TresLimits& after, const TresLimits& now) {
    const auto count = [](const TresLimits& limits, const std::string& tres) {
        const auto found = limits.find(tres);
        return found == limits.end() ? std::nullopt : std::optional(found->second);
    };
    const auto is_kept = [&](const auto& entry) {
        return stands_in(count(before, entry.first), count(after, entry.first), count(now, entry.first));
    };
    return std::all_of(before.begin(), before.end(), is_kept) &&
           std::all_of(after.begin(), after.end(), is_kept);
}

/// An error for a word that would mean "no limit", which a QOS cannot store.
Result<void> refuse_unlimited(const QosField& field, std::string_view name, std::string_view value) {
    if (!means_unlimited(value) || field.kind == FieldKind::text || field.kind == FieldKind::qos_names)
        return {};
    return invalid(text::format("a QOS cannot store '{}'; {}=unset removes this QOS's limit (other limits "
                                "still apply)",
                                text::printable(value), name));
}

} // namespace

Result<FieldValue> parse_field_value(const QosField& field, std::string_view value) {
    if (means_clear(value)) return FieldValue();
    if (const auto allowed = refuse_unlimited(field, field.name, value); !allowed) return allowed.error();
    return parse_value(field, value);
}

Result<QosChange> QosChange::parse(std::span<const std::string> assignments, const TresCatalogue& catalogue) {
    QosChange change;
    for (const std::string& assignment : assignments)
        if (const auto done = change.read(assignment, catalogue); !done)
            return done.error().in(text::printable(assignment));
    return change;
}

Result<void> QosChange::read(std::string_view assignment, const TresCatalogue& catalogue) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return invalid("write Field=value, for example MaxWall=8:00:00; 'qosgate qos fields' lists all");
    std::string_view name = assignment.substr(0, equals);
    const char sign = name.back();
    const bool is_delta = sign == '+' || sign == '-';
    if (is_delta) name.remove_suffix(1);
    const std::string_view value = text::trim(assignment.substr(equals + 1));

    const auto match = get_qos_field(text::trim(name));
    if (!match) return match.error();
    const QosField& field = *match->field;
    if (field.kind == FieldKind::name) return invalid("Slurm cannot rename a QOS");
    if (value.empty() && field.kind != FieldKind::text)
        return invalid(text::format("no value; to clear the field write {}=unset", field.name));

    if (is_delta) {
        if (field.kind != FieldKind::flags && field.kind != FieldKind::qos_names)
            return invalid("only Flags and Preempt take += and -=");
        const auto words = parse_words(field, value);
        if (!words) return words.error();
        return add_step({&field, sign == '+' ? Action::add_words : Action::remove_words, *words, {}});
    }
    if (means_clear(value) && match->tres.empty()) return add_step({&field, Action::clear, {}, {}});
    if (const auto allowed = refuse_unlimited(field, name, value); !allowed) return allowed.error();
    if (field.kind == FieldKind::tres) {
        for (std::string_view part : text::split(value, ','))
            if (const auto tres = tres_to_unset(part); match->tres.empty() && !tres.empty())
                return invalid(text::format("write {}=-1 to remove one TRES, or {}=unset for all",
                                            text::printable(tres), field.name));
        const std::string count(means_clear(value) ? "-1" : value);
        auto list = parse_tres_list(catalogue, match->tres.empty() ? std::string(value)
                                                                   : std::string(match->tres) + "=" + count);
        if (!list) return list.error();
        for (const auto& [tres, limit] : *list)
            if (limit.value_or(0) > max_tres_count)
                return invalid(text::format("{} is too large: at most {}", tres, max_tres_count));
        return add_step({&field, Action::merge_tres, {}, std::move(*list)});
    }
    auto parsed = parse_value(field, value);
    if (!parsed) return parsed.error();
    return add_step({&field, Action::set, std::move(*parsed), {}});
}

Result<void> QosChange::add_step(Step step) {
    const auto is_words = [](Action action) {
        return action == Action::add_words || action == Action::remove_words;
    };
    for (const Step& other : steps_) {
        if (other.field != step.field) continue;
        const bool both_merge = other.action == Action::merge_tres && step.action == Action::merge_tres;
        if (both_merge && !share_a_tres(other.tres, step.tres)) continue;
        if (is_words(other.action) && is_words(step.action)) continue;
        return invalid(text::format("{} is given twice", step.field->name));
    }
    steps_.push_back(std::move(step));
    return {};
}

QosRecord QosChange::apply_to(QosRecord record) const {
    for (const Step& step : steps_) {
        FieldValue value = step.value;
        if (step.action == Action::merge_tres) {
            const FieldValue held = get_field(*step.field, record);
            auto limits =
                std::holds_alternative<TresLimits>(held) ? std::get<TresLimits>(held) : TresLimits{};
            for (const auto& [tres, count] : step.tres) {
                limits.erase(tres);
                if (count) limits.emplace(tres, *count);
            }
            value = std::move(limits);
        } else if (step.action == Action::add_words || step.action == Action::remove_words) {
            const FieldValue held = get_field(*step.field, record);
            auto words = std::holds_alternative<NameSet>(held) ? std::get<NameSet>(held) : NameSet{};
            for (const std::string& word : std::get<NameSet>(step.value)) {
                if (step.action == Action::add_words)
                    words.insert(word);
                else
                    words.erase(word);
            }
            value = std::move(words);
        }
        put_field(*step.field, record, value);
    }
    return record;
}

std::vector<FieldDifference> differences(const QosRecord& before, const QosRecord& after) {
    std::vector<FieldDifference> found;
    for (const QosField& field : qos_fields())
        if (get_field(field, before) != get_field(field, after))
            found.push_back({&field, describe(field, before), describe(field, after)});
    return found;
}

std::vector<FieldDifference> lost_changes(const QosRecord& before, const QosRecord& after,
                                          const QosRecord& now) {
    std::vector<FieldDifference> lost;
    for (const QosField& field : qos_fields()) {
        const bool stands = std::visit(
            [&](auto member) { return stands_in(before.*member, after.*member, now.*member); }, field.member);
        if (!stands) lost.push_back({&field, describe(field, after), describe(field, now)});
    }
    return lost;
}

std::vector<std::string> assignments_for(const QosRecord& record) {
    QosRecord fresh;
    fresh.name = fresh.description = record.name;
    std::vector<std::string> assignments;
    for (const QosField& field : qos_fields())
        if (get_field(field, record) != get_field(field, fresh))
            assignments.push_back(text::format("{}={}", field.name, format_field(field, record)));
    return assignments;
}

Result<std::string> parse_qos_name(std::string_view name) {
    if (name.empty()) return invalid("a QOS needs a name");
    if (name.size() > max_name_length)
        return invalid(text::format("'{}': a QOS name has at most {} bytes", text::printable(name, 40),
                                    max_name_length));
    const bool bad = name.front() == '+' || name.front() == '-' ||
                     name.find_first_of(unsafe_in_name) != std::string_view::npos || has_control(name);
    if (bad)
        return invalid(text::format("'{}' cannot be the name of a QOS: use letters, digits, '_', '.', '-' "
                                    "(not first), ':' and '@'",
                                    text::printable(name)));
    return text::lower(name);
}

Result<std::string> parse_new_qos_name(std::string_view name) {
    auto valid = parse_qos_name(name);
    if (!valid) return valid;
    const auto refuse = [&](std::string_view why) {
        return invalid(text::format("'{}' cannot be the name of a QOS: {}", text::printable(name), why));
    };
    if (valid->find_first_of("%/") != std::string::npos)
        return refuse("'%' and '/' have a meaning in formats and paths; use letters, digits, '_', '.', '-', "
                      "':' and '@'");
    if (is_number(*valid)) return refuse("it is a number, which Slurm could take for a QOS's id");
    if (get_qos_field(*valid)) return refuse("it is the name of a field; to set that write FIELD=VALUE");
    if (std::find(words_of_slurm.begin(), words_of_slurm.end(), *valid) != words_of_slurm.end())
        return refuse("Slurm's commands give this word another meaning");
    return valid;
}

} // namespace qg::model

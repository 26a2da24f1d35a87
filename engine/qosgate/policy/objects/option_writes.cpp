// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/option_writes.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <utility>

namespace qg::policy {
namespace {

Error cannot_be(const std::string& name, const Value& value, std::string_view allowed) {
    return {ErrorCode::invalid_input,
            text::format("options[\"{}\"] cannot be {}: write {}", name, describe(value), allowed)};
}

std::string_view allowed_values(OptionForm form) {
    switch (form) {
    case OptionForm::alone: return "true, or false for the default: this option has no value";
    case OptionForm::value_possible: return "true, a text, a whole number, or nil for the default";
    case OptionForm::unknown:
    case OptionForm::with_value: break;
    }
    return "a text, a whole number, or nil for the default";
}

/// The value of an option of a known form.
Result<OptionValue> to_option_value(const std::string& name, OptionForm form, const Value& value) {
    const bool takes_value = form != OptionForm::alone;
    switch (value.kind) {
    case Value::Kind::nothing: return OptionValue{};
    case Value::Kind::flag:
        if (value.integer == 0) return OptionValue{};
        if (form == OptionForm::with_value) break;
        return OptionValue{.is_set = true};
    case Value::Kind::integer:
        if (!takes_value) break;
        return OptionValue{true, std::to_string(value.integer)};
    case Value::Kind::text:
        if (!takes_value) break;
        if (value.text.size() > max_option_bytes)
            return Error{ErrorCode::invalid_input,
                         text::format("options[\"{}\"]: the text has {} bytes; at most {} are allowed", name,
                                      value.text.size(), max_option_bytes)};
        if (value.text.find('\0') != std::string_view::npos)
            return cannot_be(name, value, "a text without a zero byte");
        return OptionValue{true, std::string(value.text)};
    case Value::Kind::unlimited:
    case Value::Kind::other: break;
    }
    return cannot_be(name, value, allowed_values(form));
}

} // namespace

std::string to_option_name(std::string_view written) {
    std::string name(written.substr(0, 64)); // Slurm's are shorter
    std::ranges::replace(name, '_', '-');
    return name;
}

std::string describe_unknown_option(const ClientHost& client, std::string_view name) {
    return text::format("this {} has no option --{}{}", client.command(), text::printable(name, 60),
                        text::did_you_mean(name, client.option_names()));
}

Result<OptionChange> to_option_change(ClientHost& client, std::string_view name, const Value& value) {
    OptionChange change{to_option_name(name), {}};
    const OptionForm form = client.form_of(change.name);
    if (form == OptionForm::unknown)
        return Error{ErrorCode::invalid_input, describe_unknown_option(client, change.name)};
    auto wanted = to_option_value(change.name, form, value);
    if (!wanted) return wanted.error();
    change.value = *std::move(wanted);
    if (change.value.is_set && !client.takes(change))
        return Error{
            ErrorCode::invalid_input,
            text::format("{} does not take --{}{} from a rule", client.command(), change.name,
                         change.value.text ? "=" + text::printable(*change.value.text, 60) : std::string())};
    return change;
}

std::string show(const OptionValue& value) {
    if (!value.is_set) return "(unset)";
    return value.text ? text::printable(*value.text, 200) : "(set)";
}

void add_change(std::vector<OptionChange>& changes, OptionChange change) {
    const auto same = std::ranges::find(changes, change.name, &OptionChange::name);
    if (same == changes.end())
        changes.push_back(std::move(change));
    else
        same->value = std::move(change.value);
}

} // namespace qg::policy

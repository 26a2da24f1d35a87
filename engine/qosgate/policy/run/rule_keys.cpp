// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/run/rule_keys.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace qg::policy {
namespace {

using Set = Result<void> (*)(Declarations& into, std::string_view name, const KeyValue& given);

constexpr std::string_view allowed_events = "a list of \"submit\" and \"modify\", or of one of them";

std::string describe(const KeyValue& given) {
    return given.is_list && given.items.empty() ? "an empty list" : policy::describe(given.value);
}

Error rule_cannot(std::string_view name, const KeyValue& given, std::string_view allowed) {
    return invalid(text::format("rule: '{}' cannot be {}: write {}", name, describe(given), allowed));
}

std::string_view text_of(const KeyValue& given) {
    return given.value.kind == Value::Kind::text ? given.value.text : std::string_view();
}

/// Whether it is a text of so many bytes in one line.
bool is_line(const Value& value, std::size_t min, std::size_t max) {
    return value.kind == Value::Kind::text && value.text.size() >= min && value.text.size() <= max &&
           text::printable(value.text, max) == value.text;
}

Result<void> set_name(Declarations& into, std::string_view name, const KeyValue& given) {
    if (!is_line(given.value, 1, 60)) return rule_cannot(name, given, "a text of 1 to 60 bytes in one line");
    into.rule.name = given.value.text;
    return {};
}

Result<void> set_description(Declarations& into, std::string_view name, const KeyValue& given) {
    if (!is_line(given.value, 0, 400))
        return rule_cannot(name, given, "a text of at most 400 bytes in one line");
    into.rule.description = given.value.text;
    return {};
}

Result<void> set_mode(Declarations& into, std::string_view name, const KeyValue& given) {
    const auto mode = parse_rule_mode(text_of(given));
    if (!mode) return rule_cannot(name, given, "\"enforce\", \"warn\" or \"shadow\"");
    into.rule.mode = *mode;
    return {};
}

Result<void> set_on_error(Declarations& into, std::string_view name, const KeyValue& given) {
    const auto on_error = parse_on_error(text_of(given));
    if (!on_error) return rule_cannot(name, given, "\"deny\", \"allow\" or \"warn\"");
    into.rule.on_error = *on_error;
    return {};
}

Result<void> set_stop(Declarations& into, std::string_view name, const KeyValue& given) {
    if (given.value.kind != Value::Kind::flag) return rule_cannot(name, given, "true or false");
    into.rule.rejection_stops = given.value.integer != 0;
    return {};
}

Error bad_event(std::string_view name, const Value& event) {
    const std::vector<std::string> known{"submit", "modify"};
    const std::string hint =
        event.kind == Value::Kind::text ? text::did_you_mean(event.text, known) : std::string();
    return invalid(text::format("rule: '{}' cannot contain {}{}: write {}", name, policy::describe(event),
                                hint, allowed_events));
}

Result<void> set_on(Declarations& into, std::string_view name, const KeyValue& given) {
    if (!given.is_list || given.items.empty()) return rule_cannot(name, given, allowed_events);
    RuleInfo& rule = into.rule;
    rule.runs_at_submission = rule.runs_at_change = false;
    for (const Value& item : given.items) {
        const bool is_text = item.kind == Value::Kind::text;
        const bool is_submit = is_text && item.text == "submit";
        if (!is_submit && !(is_text && item.text == "modify")) return bad_event(name, item);
        bool& runs = is_submit ? rule.runs_at_submission : rule.runs_at_change;
        if (runs)
            return invalid(
                text::format("rule: '{}' contains \"{}\" twice: write {}", name, item.text, allowed_events));
        runs = true;
    }
    into.has_events = true;
    return {};
}

Result<void> set_exempt(Declarations& into, std::string_view name, const KeyValue& given) {
    constexpr std::string_view allowed =
        "a list of at most 64 names: \"root\", \"operators\", or login names of at most 60 bytes";
    if (!given.is_list) return rule_cannot(name, given, allowed);
    if (given.items.size() > max_list_items)
        return invalid(text::format("rule: '{}' has too many names: write {}", name, allowed));
    Exempt exempt;
    for (const Value& item : given.items) {
        if (!is_line(item, 1, 60))
            return invalid(text::format("rule: '{}' cannot contain {}: write {}", name,
                                        policy::describe(item), allowed));
        if (item.text == "root")
            exempt.root = true;
        else if (item.text == "operators")
            exempt.operators = true;
        else
            exempt.users.emplace_back(item.text);
    }
    into.rule.exempt = std::move(exempt);
    return {};
}

// A function is kept by the caller; this is about other values.
Result<void> refuse_submit(Declarations& /*into*/, std::string_view name, const KeyValue& given) {
    return rule_cannot(name, given, "function(job, view) ... end");
}
Result<void> refuse_modify(Declarations& /*into*/, std::string_view name, const KeyValue& given) {
    return rule_cannot(name, given, "function(job, before, view) ... end");
}

Result<void> refuse_client(Declarations& /*into*/, std::string_view name, const KeyValue& given) {
    return rule_cannot(name, given, "function(options, view) ... end");
}

struct RuleKey {
    std::string_view name;
    Set set;
    bool is_function = false;
};

constexpr auto rule_keys = std::to_array<RuleKey>({
    {"name", &set_name},
    {"mode", &set_mode},
    {"on_error", &set_on_error},
    {"submit", &refuse_submit, /*is_function=*/true},
    {"modify", &refuse_modify, /*is_function=*/true},
    {"client", &refuse_client, /*is_function=*/true},
    {"on", &set_on},
    {"exempt", &set_exempt},
    {"stop", &set_stop},
    {"description", &set_description},
});

Error too_many_parameters(std::string_view name, std::string_view arguments, const GivenFunction& function) {
    return invalid(text::format("rule: '{}' is called with {}, and this function has {} parameters", name,
                                arguments, function.parameters));
}

Error never_run(std::string_view function, std::string_view why) {
    return invalid(text::format("rule: '{}' is never run, because {}", function, why));
}

/// Whether `on` and the functions fit together.
Result<void> check_events(const RuleInfo& rule, const GivenFunctions& given) {
    const GivenFunction& submit = given.submit;
    const GivenFunction& modify = given.modify;
    if (modify.is_given && !rule.runs_at_change)
        return never_run("modify", "'on' does not contain \"modify\"");
    if (submit.is_given && modify.is_given && !rule.runs_at_submission)
        return never_run("submit", "'on' does not contain \"submit\", and changes run 'modify'");
    if (!submit.is_given && rule.runs_at_submission)
        return invalid("rule: 'on' contains \"submit\", and there is no function 'submit'");
    if (!submit.is_given && !modify.is_given && rule.runs_at_change)
        return invalid("rule: 'on' contains \"modify\", and there is no function 'submit' or 'modify'");
    return {};
}

} // namespace

bool is_function_key(std::string_view name) noexcept {
    for (const RuleKey& key : rule_keys)
        if (key.name == name) return key.is_function;
    return false;
}

std::string describe_bad_return(std::string_view function, std::string_view value) {
    return text::format("{} returned {}: a rule returns nothing; to refuse a job, call {}:reject(...)",
                        function, value, function == "client" ? "options" : "job");
}

Result<void> set_rule_key(Declarations& into, std::string_view name, const KeyValue& value) {
    std::vector<std::string> names;
    for (const RuleKey& key : rule_keys) {
        if (key.name == name) return key.set(into, name, value);
        names.emplace_back(key.name);
    }
    return invalid(text::format("rule: unknown key '{}'{}{}", text::printable(name, 60),
                                text::did_you_mean(name, names), list_of_names(names)));
}

Result<void> set_events(Declarations& into, const GivenFunctions& functions) {
    const auto& [submit, modify, client] = functions;
    RuleInfo& rule = into.rule;
    if (!submit.is_given && !modify.is_given && !client.is_given)
        return invalid(
            "rule: a function is missing: write submit = function(job) ... end, or modify or client");
    if (submit.parameters > 2) return too_many_parameters("submit", "two arguments, job and view", submit);
    if (modify.parameters > 3)
        return too_many_parameters("modify", "three arguments, job, before and view", modify);
    if (client.parameters > 2)
        return too_many_parameters("client", "two arguments, options and view", client);
    rule.runs_in_client = client.is_given;
    if (!into.has_events) {
        rule.runs_at_submission = submit.is_given;
        rule.runs_at_change = submit.is_given || modify.is_given;
    }
    rule.takes_before = modify.parameters >= 2 || modify.takes_any_number;
    return check_events(rule, functions);
}

} // namespace qg::policy

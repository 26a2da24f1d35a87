// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/fields.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace qg::policy {
namespace {

using model::JobRequest;

/// A field's value, if the request itself has one.
Value own_value(const FieldSpec& field, const FieldSource& source) {
    ErrorText no_answer;
    return field.is_set(source.request) ? field.read(source, no_answer) : Value{};
}

/// Whether both have the value of a detail from where the request came from.
bool is_untouched(const FieldSpec& field, const JobRequest& before, const JobRequest& after) {
    return field.is_detail() && before.details.written().empty() && after.details.written().empty();
}

/// An error names the field and what was given.
Result<void> say_field(const FieldSpec& field, const Value& value, Result<void> written) {
    if (written) return written;
    return Error{ErrorCode::invalid_input, text::format("job.{} cannot be {}: {}", field.name,
                                                        describe(value), written.error().message)};
}

/// A field's value for people.
std::string show(const FieldSpec& field, const Value& value) {
    switch (value.kind) {
    case Value::Kind::unlimited: return "UNLIMITED";
    case Value::Kind::text: return text::printable(value.text);
    case Value::Kind::integer:
        return field.type == FieldType::minutes
                   ? units::format_seconds(60 * static_cast<std::uint64_t>(value.integer))
                   : std::to_string(value.integer);
    case Value::Kind::nothing: return "(unset)";
    case Value::Kind::flag:
    case Value::Kind::other: break;
    }
    return describe(value);
}

} // namespace

const RuleInput& no_facts() noexcept {
    static const model::ResolvedJob nothing_counted;
    static const model::TresCatalogue no_tres({});
    static const RuleInput facts{.counted = nothing_counted,
                                 .catalogue = no_tres,
                                 .user_name = {},
                                 .account = {},
                                 .partition = {},
                                 .qos = {},
                                 .knows_accounts = false,
                                 .knows_partitions = false,
                                 .knows_cpus = false};
    return facts;
}

Result<void> write_field(const FieldSpec& field, model::JobRequest& request, const Value& value) {
    if (field.write == nullptr)
        return Error{ErrorCode::invalid_input, text::format("job.{} cannot be changed", field.name)};
    return say_field(field, value, field.write(request, value));
}

Result<bool> set_field(model::JobRequest& request, const FieldSpec& field, const Value& value) {
    const auto set = field.write != nullptr ? field.write : field.restore;
    if (set == nullptr) return false;
    if (auto done = say_field(field, value, set(request, value)); !done) return done.error();
    return true;
}

namespace {

/// `has_two_sources`: the details of both may differ although nobody wrote them.
std::vector<std::string> compare_fields(const JobRequest& before, const JobRequest& after,
                                        const RuleInput& facts, bool has_two_sources) {
    std::vector<std::string> changes;
    for (const FieldSpec& field : job_fields()) {
        const bool may_differ = field.write != nullptr || !field.noun.empty(); // some only scripts write
        if (!may_differ || (!has_two_sources && is_untouched(field, before, after))) continue;
        const Value old_value = own_value(field, {before, facts});
        const Value new_value = own_value(field, {after, facts});
        if (old_value != new_value)
            changes.push_back(
                text::format("{}: {} -> {}", field.name, show(field, old_value), show(field, new_value)));
    }
    for (const auto& [name, value] : after.details.written_variables()) {
        const model::DetailValue old_value = before.details.variable(name);
        const bool is_unset = old_value.kind == model::DetailValue::Kind::unset;
        if (is_unset || old_value.text != value)
            changes.push_back(text::format("env.{}: {} -> {}", name,
                                           is_unset ? "(unset)" : text::printable(old_value.text),
                                           text::printable(value)));
    }
    return changes;
}

} // namespace

std::vector<std::string> describe_changes(const JobRequest& before, const JobRequest& after,
                                          const RuleInput& facts) {
    return compare_fields(before, after, facts, /*has_two_sources=*/false);
}

std::vector<std::string> describe_differences(const JobRequest& before, const JobRequest& after) {
    return compare_fields(before, after, no_facts(), /*has_two_sources=*/true);
}

std::vector<const FieldSpec*> changed_by_rule(const JobRequest& before, const JobRequest& after,
                                              const RuleInput& facts) {
    std::vector<const FieldSpec*> changed;
    for (const FieldSpec& field : job_fields())
        if (!field.noun.empty() && !is_untouched(field, before, after) &&
            own_value(field, {before, facts}) != own_value(field, {after, facts}))
            changed.push_back(&field);
    return changed;
}

std::string describe_field(const FieldSpec& field, const JobRequest& request, const RuleInput& facts) {
    const Value value = own_value(field, {request, facts});
    if (value.kind == Value::Kind::nothing) return text::format("no {}", field.noun);
    return text::format("{} {}", field.noun, text::printable(show(field, value), 64));
}

const FieldSpec* find_job_field(std::string_view name) noexcept {
    const auto found = std::ranges::find(job_fields(), name, &FieldSpec::name);
    return found == job_fields().end() ? nullptr : &*found;
}

const char* why_no_request(const FieldSpec& field) noexcept {
    const bool is_counted = field.basis == FieldBasis::counts || field.type == FieldType::tres;
    return is_counted ? ": it is counted from several options, so ask for these" : ": every job has it";
}

std::vector<SlurmName> slurm_names() {
    // What rules have no one field for.
    std::vector<SlurmName> names = {
        {"argc", "#job.argv"},
        {"default_account", "view.user.default_account"},
        {"gid", "view.user.groups"},
        {"gres", "job.gpu, or the text job.tres_per_node"},
        {"group_id", "view.user.groups"},
        {"pn_min_memory", "job.memory_per_node or job.memory_per_cpu"},
        {"shared", "job.exclusive or job.oversubscribe"},
    };
    for (const FieldSpec& field : job_fields())
        for (const std::string_view name : text::split(field.slurm_names, ' '))
            if (!name.empty()) names.push_back({std::string(name), text::format("job.{}", field.name)});
    return names;
}

std::string describe_unknown_field(std::string_view name, std::string_view object) {
    const std::string unknown = text::format("unknown field '{}' of {}", text::printable(name, 60), object);
    for (const SlurmName& slurm : slurm_names())
        if (slurm.name == name) return text::format("{}: rules have {}", unknown, slurm.instead);
    std::vector<std::string> names;
    for (const FieldSpec& field : job_fields())
        names.emplace_back(field.name);
    return text::format("{}{}{}", unknown, text::did_you_mean(name, names), pointer_to_names());
}

// ---- lists ---------------------------------------------------------------------------------------------

namespace {

constexpr auto npos = std::string_view::npos;

/// What Slurm reads in the lists of one form.
struct Grammar {
    std::string_view joints;  ///< between parts that must all hold; the first one is written
    std::string_view closing; ///< in a list to which no part can be added
    std::string_view refused; ///< in a part
};

/// In the order of ListForm.
constexpr std::array grammars{
    Grammar{},
    Grammar{"&", "*[],", "&*[](),"},
    Grammar{",", "", ""},
    Grammar{",;", "|", ",;|"},
    Grammar{",", "?", ",?"},
};

bool has_any(std::string_view text, std::string_view characters) {
    return text.find_first_of(characters) != npos;
}

std::string_view name_of_license(std::string_view license) {
    return text::trim(license.substr(0, license.find(':')));
}

bool asks_for_none(std::string_view license) {
    const auto colon = license.find(':');
    return colon != npos && text::parse_unsigned(text::trim(license.substr(colon + 1))) == 0u;
}

Error refuse(std::string why) {
    return {ErrorCode::invalid_input, std::move(why)};
}

Error refuse_list(std::string_view list, std::string_view reason) {
    return refuse(text::format("nothing can be added to '{}' so that both hold, because of its {}",
                               text::printable(list, 60), reason));
}

// ---- features ------------------------------------------------------------------------------------------

std::string grouped(std::string_view features) {
    return has_any(features, "|") ? text::format("({})", features) : std::string(features);
}

/// A constraint with at most one level of parentheses, as its parts that must all hold.
struct Features {
    std::vector<std::string_view> parts;
    bool has_alternatives = false; ///< outside of parentheses: one suffices
    bool is_readable = true;       ///< the parentheses match, and none is inside others
};

Features read_features(std::string_view text) {
    Features features;
    std::size_t begin = 0;
    bool is_inside = false;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : '&';
        if ((c == '(' && is_inside) || (c == ')' && !is_inside)) features.is_readable = false;
        if (c == '(' || c == ')') is_inside = c == '(';
        if (is_inside && at == text.size()) features.is_readable = false;
        if (is_inside) continue;
        if (c == '|') features.has_alternatives = true;
        if (c != '&') continue;
        features.parts.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    return features;
}

Result<std::string> add_feature(std::string_view list, std::string_view part) {
    const Features features = read_features(list);
    if (list == part) return std::string(list);
    const bool has_groups = has_any(list, "()");
    if (!features.is_readable || (features.has_alternatives && has_groups))
        return refuse_list(list, "parentheses");
    if (features.has_alternatives) return text::format("({})&{}", list, grouped(part));
    if (std::ranges::find(features.parts, grouped(part)) != features.parts.end()) return std::string(list);
    return text::format("{}&{}", list, grouped(part));
}

// ---- other lists ---------------------------------------------------------------------------------------

/// Whether one part of a list is this part, or asks for it.
bool is_met_by(std::string_view own, std::string_view part, ListForm form) {
    if (form != ListForm::licenses) return own == part;
    return name_of_license(own) == name_of_license(part) && !asks_for_none(own);
}

bool has_part(std::string_view list, std::string_view part, ListForm form, std::string_view joints) {
    while (!list.empty())
        if (is_met_by(take_part(list, joints), part, form)) return true;
    return false;
}

} // namespace

std::string_view take_part(std::string_view& list, std::string_view separators) noexcept {
    const std::string_view part = list.substr(0, list.find_first_of(separators));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    return text::trim(part);
}

Result<std::string> add_to_list(std::string_view list, std::string_view part, ListForm form) {
    const Grammar& grammar = grammars.at(static_cast<std::size_t>(form));
    const bool is_plain =
        std::ranges::all_of(part, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
    if (part.empty() || part.size() > max_added_part || !is_plain)
        return refuse(text::format("add a text of 1 to {} bytes without blanks", max_added_part));
    if (has_any(part, grammar.refused))
        return refuse(text::format("add one part, without any of {}", grammar.refused));
    if (list.empty()) return std::string(part);
    if (const auto at = list.find_first_of(grammar.closing); at != npos)
        return refuse_list(list, text::format("'{}'", list[at]));
    if (form == ListForm::features) return add_feature(list, part);
    if (has_part(list, part, form, grammar.joints)) return std::string(list);
    return text::format("{}{}{}", list, grammar.joints[0], part);
}

} // namespace qg::policy

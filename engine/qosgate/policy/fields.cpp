// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/fields.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/usage.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace qg::policy {
namespace {

using model::JobRequest;

// The two highest 32-bit numbers mean "none" and "infinite" in slurmctld.
constexpr std::int64_t highest_count = 0xfffffffd;

Error not_allowed(std::string_view allowed) {
    return {ErrorCode::invalid_input, text::format("write {}, or nil for none", allowed)};
}

// ---- writing -------------------------------------------------------------------------------------------

template <std::optional<std::string> JobRequest::*member>
Result<void> write_text(JobRequest& request, const Value& value) {
    const bool has_control = std::any_of(value.text.begin(), value.text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (value.kind == Value::Kind::text && !has_control && !value.text.empty()) {
        request.*member = std::string(value.text);
        return {};
    }
    const bool is_unset = value.kind == Value::Kind::nothing || value.kind == Value::Kind::text;
    if (!is_unset || has_control) return not_allowed("a text without control characters");
    (request.*member).reset();
    return {};
}

template <std::optional<std::uint32_t> JobRequest::*member, std::int64_t lowest>
Result<void> write_count(JobRequest& request, const Value& value) {
    if (value.kind == Value::Kind::nothing) {
        (request.*member).reset();
        return {};
    }
    if (value.kind != Value::Kind::integer || value.integer < lowest || value.integer > highest_count)
        return not_allowed(text::format("a whole number from {} to {}", lowest, highest_count));
    request.*member = static_cast<std::uint32_t>(value.integer);
    return {};
}

Result<std::optional<TimeLimit>> to_time(const Value& value) {
    constexpr std::string_view allowed =
        "minutes from 1 on, a time like \"8:00:00\", or math.huge for no limit";
    switch (value.kind) {
    case Value::Kind::nothing: return std::optional<TimeLimit>();
    case Value::Kind::unlimited: return std::optional(TimeLimit::unlimited());
    case Value::Kind::integer:
        if (value.integer < 1 || value.integer > highest_count) return not_allowed(allowed);
        return std::optional(TimeLimit{static_cast<std::uint32_t>(value.integer)});
    case Value::Kind::text: {
        const auto parsed = units::parse_minutes(value.text);
        if (!parsed || parsed->minutes == 0) return not_allowed(allowed);
        return std::optional(*parsed);
    }
    case Value::Kind::flag:
    case Value::Kind::other: break;
    }
    return not_allowed(allowed);
}

template <std::optional<TimeLimit> JobRequest::*member>
Result<void> write_time(JobRequest& request, const Value& value) {
    const auto limit = to_time(value);
    if (!limit) return limit.error();
    request.*member = *limit;
    return {};
}

// ---- reading -------------------------------------------------------------------------------------------

/// A job's default, if it is known.
Value default_of(bool is_known, const Value& value, ErrorText& error) noexcept {
    if (is_known) return value;
    error.assign("the default is not known yet, because slurmctld has just started or changed its partitions;"
                 " submit the job again in a moment");
    return {};
}

Value no_default(const RuleInput& /*facts*/, ErrorText& /*error*/) noexcept {
    return {};
}

template <auto member>
bool has(const JobRequest& request) noexcept {
    return (request.*member).has_value();
}

template <std::optional<std::string> JobRequest::*member,
          Value (*otherwise)(const RuleInput&, ErrorText&) noexcept = no_default>
Value read_text(const FieldSource& source, ErrorText& error) noexcept {
    const auto& own = source.request.*member;
    return own ? Value::of_text(*own) : otherwise(source.facts, error);
}

template <std::optional<std::uint32_t> JobRequest::*member>
Value read_count(const FieldSource& source, ErrorText& /*error*/) noexcept {
    const auto& own = source.request.*member;
    return own ? Value::of_count(*own) : Value{};
}

template <bool JobRequest::*member>
Value read_flag(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return Value::of_flag(source.request.*member);
}

// A user may have a default QOS of his own in each partition.
Value default_qos(const RuleInput& facts, ErrorText& error) noexcept {
    return default_of(facts.knows_accounts && facts.knows_partitions, Value::of_text(facts.qos), error);
}
Value default_account(const RuleInput& facts, ErrorText& error) noexcept {
    return default_of(facts.knows_accounts, Value::of_text(facts.account), error);
}
Value default_partition(const RuleInput& facts, ErrorText& error) noexcept {
    return default_of(facts.knows_partitions, Value::of_text(facts.partition), error);
}

Value value_of(const std::optional<TimeLimit>& time) noexcept {
    return time ? Value::of_time(*time) : Value{};
}

Value read_time_limit(const FieldSource& source, ErrorText& error) noexcept {
    const auto& own = source.request.time_limit;
    if (own) return Value::of_time(*own);
    const auto& given = source.facts.counted.time_limit;
    return default_of(source.facts.knows_partitions, value_of(given ? given : source.facts.max_time), error);
}

Value read_time_min(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return value_of(source.request.time_min);
}

Value read_user(const FieldSource& source, ErrorText& error) noexcept {
    return default_of(source.facts.knows_accounts, Value::of_text(source.facts.user_name), error);
}

Value read_uid(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return Value::of_count(source.request.user_id);
}

Value read_submit_uid(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return Value::of_count(source.request.submit_uid);
}

Value read_array_tasks(const FieldSource& source, ErrorText& error) noexcept {
    // A value of 1 would let an array pass every rule about its size.
    if (source.facts.counted.array_tasks == 0)
        error.assign("--array cannot be read, or names an index that is not below MaxArraySize");
    return Value::of_count(source.facts.counted.array_tasks);
}

bool sets_memory(const JobRequest& request) noexcept {
    return request.memory.has_value() || request.memory_per_tres.has_value();
}

/// Whether a count does not depend on the job's partition.
bool is_counted(const FieldSource& source, model::TresKind kind) noexcept {
    if (source.facts.knows_partitions) return true;
    if (kind == model::TresKind::mem) return sets_memory(source.request);
    return kind != model::TresKind::billing;
}

/// The count of a TRES that every cluster has.
Value read_built_in(const FieldSource& source, model::TresKind kind, ErrorText& error) noexcept {
    const auto index = source.facts.catalogue.find(kind);
    return index ? read_tres_count(source, *index, error) : Value::of_count(0);
}

Value read_nodes(const FieldSource& source, ErrorText& error) noexcept {
    return read_built_in(source, model::TresKind::node, error);
}
Value read_cpus(const FieldSource& source, ErrorText& error) noexcept {
    return read_built_in(source, model::TresKind::cpu, error);
}
Value read_memory(const FieldSource& source, ErrorText& error) noexcept {
    return read_built_in(source, model::TresKind::mem, error);
}

bool sets_nodes(const JobRequest& request) noexcept {
    return request.min_nodes.has_value();
}

bool mentions_gpus(const JobRequest& request) noexcept {
    const auto mentions = [](const std::optional<std::string>& list) {
        return list && list->find("gpu") != std::string::npos;
    };
    return mentions(request.tres_per_job) || mentions(request.tres_per_node) ||
           mentions(request.tres_per_socket) || mentions(request.tres_per_task);
}

Value read_gpus(const FieldSource& source, ErrorText& error) noexcept {
    if (const auto index = source.facts.catalogue.find("gres/gpu"))
        return read_tres_count(source, *index, error);
    // Zero would let a job pass every rule about GPUs.
    if (mentions_gpus(source.request))
        error.assign("the job asks for GPUs, but this cluster does not count them: add gres/gpu to "
                     "AccountingStorageTRES in slurm.conf");
    return Value::of_count(0);
}

Value read_tres(const FieldSource& /*source*/, ErrorText& /*error*/) noexcept {
    return {Value::Kind::other, 0, "a table"}; // the binding returns its own view
}

template <std::optional<std::string> JobRequest::*member>
constexpr FieldSpec text_field(std::string_view name, std::string_view description,
                               std::string_view noun = {}) {
    return {name, FieldType::text, description, &read_text<member>, &write_text<member>, &has<member>, noun};
}

template <std::optional<std::uint32_t> JobRequest::*member, std::int64_t lowest = 1>
constexpr FieldSpec count_field(std::string_view name, std::string_view description,
                                std::string_view noun = {}) {
    return {
        name, FieldType::count, description, &read_count<member>, &write_count<member, lowest>, &has<member>,
        noun};
}

/// A read-only text.
template <std::optional<std::string> JobRequest::*member>
constexpr FieldSpec fixed_text(std::string_view name, std::string_view description) {
    return {name, FieldType::text, description, &read_text<member>, nullptr, &has<member>};
}

template <bool JobRequest::*member>
constexpr FieldSpec flag_field(std::string_view name, std::string_view description) {
    return {name, FieldType::flag, description, &read_flag<member>};
}

constexpr auto request_qos = &JobRequest::qos;
constexpr auto request_partition = &JobRequest::partition;
constexpr auto request_account = &JobRequest::account;

constexpr auto fields = std::to_array<FieldSpec>({
    {"qos", FieldType::text, "the QOS, or the default one", &read_text<request_qos, default_qos>,
     &write_text<request_qos>, &has<request_qos>, "QOS"},
    {"partition", FieldType::text, "the partition, or several with commas; or the default one",
     &read_text<request_partition, default_partition>, &write_text<request_partition>,
     &has<request_partition>, "partition"},
    {"account", FieldType::text, "the account, or the user's default one",
     &read_text<request_account, default_account>, &write_text<request_account>, &has<request_account>,
     "account"},
    {"time_limit", FieldType::minutes, "the time limit, or what the partition gives", &read_time_limit,
     &write_time<&JobRequest::time_limit>, &has<&JobRequest::time_limit>, "time limit"},
    {"time_min", FieldType::minutes, "--time-min", &read_time_min, &write_time<&JobRequest::time_min>,
     &has<&JobRequest::time_min>, "--time-min"},
    text_field<&JobRequest::name>("name", "the job's name"),
    {"user", FieldType::text, "the login name of the job's owner", &read_user},
    {"uid", FieldType::count, "the user id of the job's owner", &read_uid},
    {"submit_uid", FieldType::count, "the user id that sent the request", &read_submit_uid},
    {"nodes", FieldType::count, "the minimum number of nodes: -N1-4 reads 1", &read_nodes, nullptr,
     &sets_nodes},
    count_field<&JobRequest::min_nodes>("min_nodes", "the minimum number of nodes asked for",
                                        "minimum number of nodes"),
    count_field<&JobRequest::max_nodes>("max_nodes", "the maximum number of nodes asked for",
                                        "maximum number of nodes"),
    count_field<&JobRequest::tasks>("tasks", "--ntasks", "--ntasks"),
    count_field<&JobRequest::cpus_per_task>("cpus_per_task", "--cpus-per-task", "--cpus-per-task"),
    count_field<&JobRequest::tasks_per_node>("tasks_per_node", "--ntasks-per-node", "--ntasks-per-node"),
    {"cpus", FieldType::count, "CPUs, counted", &read_cpus},
    {"memory", FieldType::count, "MiB of memory, counted over all nodes", &read_memory, nullptr,
     &sets_memory},
    {"gpus", FieldType::count, "GPUs of all types, counted", &read_gpus, nullptr, &mentions_gpus},
    {"tres", FieldType::tres, "every TRES counted, by name: job.tres[\"gres/gpu\"]", &read_tres},
    {"array_tasks", FieldType::count, "tasks of the job array; 1 without --array", &read_array_tasks, nullptr,
     &has<&JobRequest::array>},
    fixed_text<&JobRequest::array>("array", "--array as written"),
    text_field<&JobRequest::reservation>("reservation", "--reservation", "reservation"),
    text_field<&JobRequest::comment>("comment", "--comment"),
    text_field<&JobRequest::admin_comment>("admin_comment", "the administrator's comment"),
    text_field<&JobRequest::features>("features", "--constraint; see prefer, too", "--constraint"),
    text_field<&JobRequest::prefer>("prefer", "--prefer: features that the job gets if they are free",
                                    "--prefer"),
    text_field<&JobRequest::licenses>("licenses", "--licenses", "--licenses"),
    fixed_text<&JobRequest::required_nodes>("nodelist", "--nodelist"),
    fixed_text<&JobRequest::tres_per_job>("tres_per_job", "--gpus, as Slurm writes it: gres:gpu:2"),
    fixed_text<&JobRequest::tres_per_node>("tres_per_node", "--gres and --gpus-per-node"),
    fixed_text<&JobRequest::tres_per_task>("tres_per_task", "--gpus-per-task"),
    count_field<&JobRequest::priority, 0>("priority", "the priority asked for; 0 holds the job"),
    flag_field<&JobRequest::is_batch>("is_batch", "sent by sbatch, not by salloc or srun"),
    flag_field<&JobRequest::exclusive>("exclusive", "--exclusive"),
    flag_field<&JobRequest::overcommit>("overcommit", "--overcommit"),
    flag_field<&JobRequest::is_het_part>("is_het_part", "one part of a heterogeneous job"),
});

/// A field's value, if the request itself has one.
Value own_value(const FieldSpec& field, const FieldSource& source) {
    ErrorText no_answer;
    return field.is_set(source.request) ? field.read(source, no_answer) : Value{};
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

std::span<const FieldSpec> job_fields() noexcept {
    return fields;
}

Value read_tres_count(const FieldSource& source, std::size_t index, ErrorText& error) noexcept {
    const model::TresKind kind = source.facts.catalogue.kind(index);
    if (kind == model::TresKind::cpu && !source.facts.knows_cpus)
        error.assign("the job asks for CPUs per GPU, and how many GPUs it gets is not known: ask for GPUs");
    return default_of(is_counted(source, kind),
                      Value::of_count(model::count_at(source.facts.counted.tres, index)), error);
}

Result<void> write_field(const FieldSpec& field, model::JobRequest& request, const Value& value) {
    if (field.write == nullptr)
        return Error{ErrorCode::invalid_input, text::format("job.{} cannot be changed", field.name)};
    const auto written = field.write(request, value);
    if (written) return written;
    return Error{ErrorCode::invalid_input, text::format("job.{} cannot be {}: {}", field.name,
                                                        describe(value), written.error().message)};
}

std::vector<std::string> describe_changes(const JobRequest& before, const JobRequest& after,
                                          const RuleInput& facts) {
    std::vector<std::string> changes;
    for (const FieldSpec& field : fields) {
        if (field.write == nullptr) continue;
        const Value old_value = own_value(field, {before, facts});
        const Value new_value = own_value(field, {after, facts});
        if (old_value != new_value)
            changes.push_back(
                text::format("{}: {} -> {}", field.name, show(field, old_value), show(field, new_value)));
    }
    return changes;
}

std::vector<const FieldSpec*> changed_by_rule(const JobRequest& before, const JobRequest& after,
                                              const RuleInput& facts) {
    std::vector<const FieldSpec*> changed;
    for (const FieldSpec& field : fields)
        if (field.write != nullptr && !field.noun.empty() &&
            own_value(field, {before, facts}) != own_value(field, {after, facts}))
            changed.push_back(&field);
    return changed;
}

std::string describe_field(const FieldSpec& field, const JobRequest& request, const RuleInput& facts) {
    const Value value = own_value(field, {request, facts});
    if (value.kind == Value::Kind::nothing) return text::format("no {}", field.noun);
    return text::format("{} {}", field.noun, text::printable(show(field, value), 64));
}

std::string describe_unknown_field(std::string_view name) {
    std::vector<std::string> names;
    for (const FieldSpec& field : fields)
        names.emplace_back(field.name);
    return text::format("unknown field '{}' of job{}{}", text::printable(name, 60),
                        text::did_you_mean(name, names), list_of_names(names));
}

} // namespace qg::policy

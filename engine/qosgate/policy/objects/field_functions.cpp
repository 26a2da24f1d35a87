// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/field_functions.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/mail_types.hpp"
#include "qosgate/model/tres_request.hpp"
#include "qosgate/model/usage.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace qg::policy {

namespace field {
namespace {

/// A job's default, if it is known.
Value default_of(bool is_known, const Value& value, ErrorText& error) noexcept {
    if (is_known) return value;
    error.assign("the default is not known yet, because slurmctld has just started or changed its partitions;"
                 " submit the job again in a moment");
    return {};
}

Value value_of(const std::optional<TimeLimit>& time) noexcept {
    return time ? Value::of_time(*time) : Value{};
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

void say_too_long(const model::DetailValue& value, ErrorText& error) noexcept {
    std::array<char, 64> message{};
    std::snprintf(message.data(), message.size(), "the text is longer than %lld bytes",
                  static_cast<long long>(value.number));
    error.assign(message.data());
}

Value read_largest(const std::optional<std::string>& list) noexcept {
    std::uint64_t largest = 0;
    model::for_each_gres_item(list,
                              [&](const model::TresItem& item) { largest = std::max(largest, item.count); });
    return largest == 0 ? Value{} : Value::of_count(largest);
}

} // namespace

Value read_detail(const FieldSource& source, JobDetail detail, ErrorText& error) noexcept {
    const model::DetailValue value = source.request.details.get(detail);
    switch (value.kind) {
    case model::DetailValue::Kind::unset: break;
    case model::DetailValue::Kind::text: return Value::of_text(value.text);
    case model::DetailValue::Kind::number: return {Value::Kind::integer, value.number, {}};
    case model::DetailValue::Kind::too_long: say_too_long(value, error); break;
    }
    return {};
}

Value read_flag_detail(const FieldSource& source, JobDetail detail) noexcept {
    const model::DetailValue value = source.request.details.get(detail);
    return value.kind == model::DetailValue::Kind::number ? Value::of_flag(value.number != 0) : Value{};
}

// A user may have a default QOS of his own in each partition.
Value default_qos(const FieldSource& source, ErrorText& error) noexcept {
    const RuleInput& facts = source.facts;
    return default_of(facts.knows_accounts && facts.knows_partitions, Value::of_text(facts.qos), error);
}
Value default_account(const FieldSource& source, ErrorText& error) noexcept {
    return default_of(source.facts.knows_accounts, Value::of_text(source.facts.account), error);
}
Value default_partition(const FieldSource& source, ErrorText& error) noexcept {
    return default_of(source.facts.knows_partitions, Value::of_text(source.facts.partition), error);
}

Value read_time_limit(const FieldSource& source, ErrorText& error) noexcept {
    const auto& own = source.request.time_limit;
    if (own) return Value::of_time(*own);
    const auto& given = source.facts.counted.time_limit;
    return default_of(source.facts.knows_partitions, value_of(given ? given : source.facts.max_time), error);
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

bool names_features(const JobRequest& request) noexcept {
    return request.features.has_value() || request.prefer.has_value();
}

bool mentions_gpus(const JobRequest& request) noexcept {
    const auto mentions = [](const std::optional<std::string>& list) {
        return list && list->find("gpu") != std::string::npos;
    };
    return mentions(request.tres_per_job) || mentions(request.tres_per_node) ||
           mentions(request.tres_per_socket) || mentions(request.tres_per_task) || request.tasks_per_tres;
}

bool has_arguments(const JobRequest& request) noexcept {
    return request.details.argument_count() > 1;
}
bool has_environment(const JobRequest& request) noexcept {
    return request.details.variable_count() > 0;
}

Value read_gpus(const FieldSource& source, ErrorText& error) noexcept {
    if (const auto index = source.facts.catalogue.gpu()) return read_tres_count(source, *index, error);
    // Zero would let a job pass every rule about GPUs.
    if (mentions_gpus(source.request))
        error.assign("the job asks for GPUs, but this cluster does not count them: add gres/gpu to "
                     "AccountingStorageTRES in slurm.conf");
    return Value::of_count(0);
}

Value read_memory_per_gpu(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return read_largest(source.request.memory_per_tres);
}
Value read_cpus_per_gpu(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return read_largest(source.request.cpus_per_tres);
}

Value read_object(const FieldSource& /*source*/, ErrorText& /*error*/) noexcept {
    return {Value::Kind::other, 0, "a table"};
}

// ---- writing -------------------------------------------------------------------------------------------

Error not_allowed(std::string_view allowed) {
    return {ErrorCode::invalid_input, text::format("write {}, or nil for none", allowed)};
}

Error not_of_kind(Value::Kind kind) {
    const bool is_text = kind == Value::Kind::text;
    const std::string_view allowed = is_text                     ? "a text"
                                     : kind == Value::Kind::flag ? "true or false"
                                                                 : "a whole number";
    return {ErrorCode::invalid_input, text::format("write {}", allowed)};
}

Result<std::optional<std::string>> to_text(const Value& value) {
    const bool has_control = std::any_of(value.text.begin(), value.text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (value.kind == Value::Kind::text && !has_control && !value.text.empty())
        return std::optional(std::string(value.text));
    const bool is_unset = value.kind == Value::Kind::nothing || value.kind == Value::Kind::text;
    if (!is_unset || has_control) return not_allowed("a text without control characters");
    return std::optional<std::string>();
}

Result<std::optional<std::int64_t>> to_number(const Value& value, std::int64_t lowest, std::int64_t highest) {
    if (value.kind == Value::Kind::nothing) return std::optional<std::int64_t>();
    if (value.kind != Value::Kind::integer || value.integer < lowest || value.integer > highest)
        return not_allowed(text::format("a whole number from {} to {}", lowest, highest));
    return std::optional(value.integer);
}

Result<std::optional<bool>> to_flag(const Value& value) {
    if (value.kind == Value::Kind::nothing) return std::optional<bool>();
    if (value.kind != Value::Kind::flag) return not_allowed("true or false");
    return std::optional(value.integer != 0);
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

std::uint64_t cpus_of_tasks(const JobRequest& request) noexcept {
    const std::uint64_t tasks = request.tasks.value_or(request.min_nodes.value_or(1));
    return tasks * request.cpus_of_task();
}

void follow_tasks(JobRequest& request, std::uint64_t cpus_before) noexcept {
    const std::uint64_t cpus = std::min<std::uint64_t>(cpus_of_tasks(request), highest_count);
    if (!request.min_cpus || request.overcommit) return;
    if (*request.min_cpus == cpus_before || *request.min_cpus < cpus)
        request.min_cpus = static_cast<std::uint32_t>(cpus);
}

Result<void> write_exclusive(JobRequest& request, const Value& value) {
    auto written = write_flag<&JobRequest::exclusive>(request, value);
    if (!written || request.exclusive) return written;
    for (const JobDetail detail : {JobDetail::core_spec, JobDetail::thread_spec})
        if (request.details.get(detail).kind != model::DetailValue::Kind::unset)
            request.details.set(detail, JobDetails::Written());
    return written;
}

Result<void> write_min_nodes(JobRequest& request, const Value& value) {
    const std::uint64_t cpus_before = cpus_of_tasks(request);
    const std::uint32_t nodes_before = request.min_nodes.value_or(1);
    auto written = write_count<&JobRequest::min_nodes, 1, highest_count>(request, value);
    if (!written) return written;
    follow_tasks(request, cpus_before);
    // With --overcommit they send a CPU for each node, whatever the tasks.
    if (request.overcommit && request.min_cpus == nodes_before)
        request.min_cpus = request.min_nodes.value_or(1);
    return written;
}

// ---- job.mail_type: bits in Slurm, a text in rules -----------------------------------------------------

namespace {

/// The text for each set of bits, made once (about 0.1 ms), because values of fields borrow their texts.
class Texts {
  public:
    static const Texts& all() {
        static const Texts texts;
        return texts;
    }

    [[nodiscard]] std::string_view of(std::size_t bits) const noexcept {
        return std::string_view(text_).substr(begins_[bits], begins_[bits + 1] - begins_[bits]);
    }

  private:
    static constexpr std::size_t count = std::size_t{model::all_mail_types} + 1;

    Texts() {
        for (std::size_t bits = 0; bits < count; ++bits) {
            begins_[bits] = static_cast<std::uint32_t>(text_.size());
            for (const model::MailType& type : model::mail_types) {
                if ((bits & type.bit) == 0) continue;
                if (text_.size() > begins_[bits]) text_ += ',';
                text_ += type.name;
            }
        }
        begins_[count] = static_cast<std::uint32_t>(text_.size());
    }

    std::string text_;
    std::array<std::uint32_t, count + 1> begins_{};
};

/// Not inlined: g++ 12 then warns of a text in the variant that is not there.
[[gnu::noinline]] void put(JobRequest& request, JobDetails::Written value) {
    request.details.set(JobDetail::mail_type, std::move(value));
}

} // namespace

Value read_mail_type(const FieldSource& source, ErrorText& error) noexcept {
    const model::DetailValue value = source.request.details.get(JobDetail::mail_type);
    if (value.kind != model::DetailValue::Kind::number) return {};
    try {
        return Value::of_text(
            Texts::all().of(static_cast<std::uint64_t>(value.number) & model::all_mail_types));
    } catch (...) {
        error.assign("out of memory");
        return {};
    }
}

Result<void> write_mail_type(JobRequest& request, const Value& value) {
    const auto text = to_text(value);
    if (!text) return text.error();
    std::uint16_t bits = 0;
    bool is_known = true;
    if (*text)
        text::for_each_part(**text, ',', [&](std::string_view part) {
            const auto named = [part](const model::MailType& type) { return text::iequals(type.name, part); };
            const auto found = std::ranges::find_if(model::mail_types, named);
            if (found != model::mail_types.end())
                bits |= found->bit;
            else if (text::iequals(part, "ALL"))
                bits |= model::mail_type_all;
            else
                is_known = is_known && (part.empty() || text::iequals(part, "NONE"));
        });
    if (!is_known) return not_allowed("names as --mail-type takes them, for example \"END,FAIL\"");
    put(request, bits == 0 ? JobDetails::Written() : JobDetails::Written(std::int64_t{bits}));
    return {};
}

} // namespace field

Value read_tres_count(const FieldSource& source, std::size_t index, ErrorText& error) noexcept {
    const model::TresKind kind = source.facts.catalogue.kind(index);
    if (kind == model::TresKind::cpu && !source.facts.knows_cpus)
        error.assign("the job asks for CPUs per GPU, and how many GPUs it gets is not known: ask for GPUs");
    return field::default_of(field::is_counted(source, kind),
                             Value::of_count(model::count_at(source.facts.counted.tres, index)), error);
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/field_read.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/tres_request.hpp"
#include "qosgate/model/usage.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

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

} // namespace field

Value read_tres_count(const FieldSource& source, std::size_t index, ErrorText& error) noexcept {
    const model::TresKind kind = source.facts.catalogue.kind(index);
    if (kind == model::TresKind::cpu && !source.facts.knows_cpus)
        error.assign("the job asks for CPUs per GPU, and how many GPUs it gets is not known: ask for GPUs");
    return field::default_of(field::is_counted(source, kind),
                             Value::of_count(model::count_at(source.facts.counted.tres, index)), error);
}

} // namespace qg::policy

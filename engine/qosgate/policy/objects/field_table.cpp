// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of fields: how rules read and write each row of model::job_fields.
#include "qosgate/policy/objects/field_functions.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace qg::policy {
namespace {

using namespace field;
using model::FieldAccess;
using model::JobField;

template <std::size_t row>
constexpr const JobField& field_in = model::job_fields[row];

// The functions of a field that is simply a member of a request.

template <std::size_t row, model::TextMember member>
constexpr FieldFunctions plain_functions() {
    if constexpr (field_in<row>.type != FieldType::text)
        return {.is_set = &has<member>};
    else if constexpr (field_in<row>.access == FieldAccess::read)
        return {.read = &read_text<member>, .is_set = &has<member>, .restore = &restore_text<member>};
    else
        return {.read = &read_text<member>, .write = &write_text<member>, .is_set = &has<member>};
}

template <std::size_t row, model::CountMember member>
constexpr FieldFunctions plain_functions() {
    return {.read = &read_count<member>,
            .write = &write_count<member, field_in<row>.lowest, field_in<row>.highest>,
            .is_set = &has<member>};
}

template <std::size_t /*row*/, model::TimeMember member>
constexpr FieldFunctions plain_functions() {
    return {.read = &read_time<member>, .write = &write_time<member>, .is_set = &has<member>};
}

/// Those that rules write have a function of their own for it.
template <std::size_t row, model::FlagMember member>
constexpr FieldFunctions plain_functions() {
    constexpr auto restore = field_in<row>.access == FieldAccess::read ? &restore_flag<member> : nullptr;
    return {.read = &read_flag<member>, .is_set = &has_flag<member>, .restore = restore};
}

template <std::size_t row, JobDetail detail>
constexpr FieldFunctions plain_functions() {
    constexpr bool is_text = field_in<row>.type == FieldType::text;
    constexpr bool is_flag = field_in<row>.type == FieldType::flag;
    constexpr auto kind = is_text ? Value::Kind::text : is_flag ? Value::Kind::flag : Value::Kind::integer;
    if constexpr (field_in<row>.access == FieldAccess::read)
        return {.read = is_flag ? &read_switch<detail> : &read_as_is<detail>,
                .is_set = &has_detail<detail>,
                .restore = &restore_detail<detail, kind>};
    else if constexpr (is_flag) // true, false or nil
        return {
            .read = &read_choice<detail>, .write = &write_flag_detail<detail>, .is_set = &has_detail<detail>};
    else if constexpr (is_text)
        return {
            .read = &read_as_is<detail>, .write = &write_text_detail<detail>, .is_set = &has_detail<detail>};
    else
        return {.read = &read_as_is<detail>,
                .write = &write_number_detail<detail, field_in<row>.lowest, field_in<row>.highest>,
                .is_set = &has_detail<detail>};
}

/// What is not plain about a field. Empty: as the row says.
struct SpecialFunctions {
    std::optional<decltype(FieldFunctions::read)> read = {};
    std::optional<decltype(FieldFunctions::write)> write = {};
    std::optional<decltype(FieldFunctions::is_set)> is_set = {};
    FieldBasis basis = FieldBasis::request;
};
struct Special {
    std::string_view name;
    SpecialFunctions functions;
};

template <Reader read>
constexpr SpecialFunctions with_default{.read = read, .basis = FieldBasis::job_default};

constexpr SpecialFunctions counted(Reader read, bool (*is_set)(const JobRequest&) noexcept) {
    return {.read = read, .is_set = is_set, .basis = FieldBasis::counts};
}

/// The bindings make an object of it.
constexpr SpecialFunctions object_field(bool (*is_set)(const JobRequest&) noexcept) {
    return {.read = &read_object, .is_set = is_set};
}

template <std::optional<std::uint32_t> JobRequest::*member, std::int64_t highest>
constexpr SpecialFunctions counting_tasks{.write = &write_task_count<member, highest>};

template <bool per_cpu>
constexpr SpecialFunctions memory_per{
    .read = &read_memory_per<per_cpu>, .write = &write_memory<per_cpu>, .is_set = &has_memory<per_cpu>};

constexpr Special specials[] = {
    {"qos", with_default<read_text<&JobRequest::qos, default_qos>>},
    {"partition", with_default<read_text<&JobRequest::partition, default_partition>>},
    {"account", with_default<read_text<&JobRequest::account, default_account>>},
    {"time_limit", with_default<read_time_limit>},
    {"user", {.read = &read_user}},
    {"uid", {.read = &read_uid}},
    {"submit_uid", {.read = &read_submit_uid}},
    {"nodes", counted(&read_nodes, &sets_nodes)},
    {"min_nodes", {.write = &write_min_nodes}},
    {"tasks", counting_tasks<&JobRequest::tasks, model::highest_count>},
    {"cpus_per_task", counting_tasks<&JobRequest::cpus_per_task, model::highest_narrow_count>},
    {"memory_per_node", memory_per<false>},
    {"memory_per_cpu", memory_per<true>},
    {"memory_per_gpu", {.read = &read_memory_per_gpu}},
    {"cpus_per_gpu", {.read = &read_cpus_per_gpu}},
    {"cpus", counted(&read_cpus, nullptr)},
    {"memory", counted(&read_memory, &sets_memory)},
    {"gpus", counted(&read_gpus, &mentions_gpus)},
    {"gpu", object_field(&mentions_gpus)},
    {"gpu_requests", object_field(&mentions_gpus)},
    {"tres", object_field(nullptr)},
    {"array_tasks", counted(&read_array_tasks, &has<&JobRequest::array>)},
    {"feature_names", object_field(&names_features)},
    {"license_counts", object_field(&has<&JobRequest::licenses>)},
    {"mail_type", {.read = &read_mail_type, .write = &write_mail_type}},
    {"interactive",
     {.read = &read_flag<&JobRequest::is_batch, false>, .is_set = &has_flag<&JobRequest::is_batch, false>}},
    {"script_options", object_field(&has_detail<JobDetail::script>)},
    {"argv", object_field(&has_arguments)},
    {"env", object_field(&has_environment)},
    {"exclusive", {.write = &write_exclusive}},
};

static_assert(std::ranges::all_of(specials,
                                  [](const Special& special) {
                                      return std::ranges::count(model::job_fields, special.name,
                                                                &JobField::name) == 1;
                                  }),
              "there is no field of this name");

/// The functions of a row.
template <std::size_t row>
constexpr FieldSpec spec_of() {
    constexpr const JobField& field = field_in<row>;
    FieldSpec spec{{}, field};
    if constexpr (field.member.index() != 0)
        static_cast<FieldFunctions&>(spec) =
            plain_functions<row, std::get<field.member.index()>(field.member)>();
    if (const auto* special = std::ranges::find(specials, field.name, &Special::name);
        special != std::end(specials)) {
        const SpecialFunctions& own = special->functions;
        spec.read = own.read.value_or(spec.read);
        spec.write = own.write.value_or(spec.write);
        spec.is_set = own.is_set.value_or(spec.is_set);
        spec.basis = own.basis;
    }
    return spec;
}

constexpr auto field_table = []<std::size_t... row>(std::index_sequence<row...>) {
    return std::array{spec_of<row>()...};
}
(std::make_index_sequence<model::job_fields.size()>());

// With a sanitizer no address of a function is a constant to compare.
#ifndef __SANITIZE_ADDRESS__
static_assert(std::ranges::all_of(field_table,
                                  [](const FieldSpec& field) {
                                      return field.read != nullptr &&
                                             (field.write != nullptr) == (field.access == FieldAccess::write);
                                  }),
              "a field without a member needs functions");
#endif

} // namespace

std::span<const FieldSpec> job_fields() noexcept {
    return field_table;
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/script_records.hpp"

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/values.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace qg::slurm {
namespace {

using model::ScriptValue;
using Partition = partition_info_t;

using Reservation = reserve_info_t;

template <typename Record>
struct Field {
    std::string_view name;
    ScriptValue (*read)(const Record& record);
};

template <auto member, typename Record>
ScriptValue text_of(const Record& record) {
    return ScriptValue::of_text(record.*member);
}
template <auto member, typename Record>
ScriptValue number_of(const Record& record) {
    return ScriptValue::of_number(static_cast<double>(record.*member));
}

/// One of two names for the same field, whose top bit tells which it is.
template <std::uint64_t Partition::*member, bool per_cpu>
ScriptValue memory_of(const Partition& partition) {
    const std::uint64_t value = partition.*member;
    if (value == NO_VAL64 || ((value & MEM_PER_CPU) != 0) != per_cpu) return {};
    return ScriptValue::of_number(static_cast<double>(value & ~std::uint64_t{MEM_PER_CPU}));
}

ScriptValue read_default(const Partition& partition) {
    return ScriptValue::of_number((partition.flags & PART_FLAG_DEFAULT) != 0 ? 1 : 0);
}

template <typename Record = Partition>
ScriptValue read_max_cpus_per_socket(const Partition& partition) {
    if constexpr (requires(const Record& record) { record.max_cpus_per_socket; })
        return ScriptValue::of_number(static_cast<const Record&>(partition).max_cpus_per_socket);
    else
        return {};
}

constexpr Field<Partition> partition_fields[] = {
    {"allow_accounts", &text_of<&Partition::allow_accounts>},
    {"allow_alloc_nodes", &text_of<&Partition::allow_alloc_nodes>},
    {"allow_groups", &text_of<&Partition::allow_groups>},
    {"allow_qos", &text_of<&Partition::allow_qos>},
    {"alternate", &text_of<&Partition::alternate>},
    {"billing_weights_str", &text_of<&Partition::billing_weights_str>},
    {"def_mem_per_cpu", &memory_of<&Partition::def_mem_per_cpu, true>},
    {"def_mem_per_node", &memory_of<&Partition::def_mem_per_cpu, false>},
    {"default_time", &number_of<&Partition::default_time>},
    {"deny_accounts", &text_of<&Partition::deny_accounts>},
    {"deny_qos", &text_of<&Partition::deny_qos>},
    {"flag_default", &read_default},
    {"flags", &number_of<&Partition::flags>},
    {"max_cpus_per_node", &number_of<&Partition::max_cpus_per_node>},
    {"max_cpus_per_socket", &read_max_cpus_per_socket<>},
    {"max_mem_per_cpu", &memory_of<&Partition::max_mem_per_cpu, true>},
    {"max_mem_per_node", &memory_of<&Partition::max_mem_per_cpu, false>},
    {"max_nodes", &number_of<&Partition::max_nodes>},
    {"max_nodes_orig", &number_of<&Partition::max_nodes>},
    {"max_oversubscribe", &number_of<&Partition::max_share>},
    {"max_share", &number_of<&Partition::max_share>},
    {"max_time", &number_of<&Partition::max_time>},
    {"min_nodes", &number_of<&Partition::min_nodes>},
    {"min_nodes_orig", &number_of<&Partition::min_nodes>},
    {"name", &text_of<&Partition::name>},
    {"nodes", &text_of<&Partition::nodes>},
    {"priority_job_factor", &number_of<&Partition::priority_job_factor>},
    {"priority_tier", &number_of<&Partition::priority_tier>},
    {"qos", &text_of<&Partition::qos_char>},
    {"state_up", &number_of<&Partition::state_up>},
    {"total_cpus", &number_of<&Partition::total_cpus>},
    {"total_nodes", &number_of<&Partition::total_nodes>},
};

constexpr Field<Reservation> reservation_fields[] = {
    {"accounts", &text_of<&Reservation::accounts>},       {"end_time", &number_of<&Reservation::end_time>},
    {"features", &text_of<&Reservation::features>},       {"flags", &number_of<&Reservation::flags>},
    {"licenses", &text_of<&Reservation::licenses>},       {"node_cnt", &number_of<&Reservation::node_cnt>},
    {"node_list", &text_of<&Reservation::node_list>},     {"partition", &text_of<&Reservation::partition>},
    {"start_time", &number_of<&Reservation::start_time>}, {"users", &text_of<&Reservation::users>},
};

template <typename Record>
model::ScriptRecords read_all(std::span<const Field<Record>> fields, std::span<const Record> records) {
    model::ScriptRecords all;
    for (const Field<Record>& field : fields)
        all.names.push_back(field.name);
    for (const Record& record : records) {
        model::ScriptRecord& read = all.records.emplace_back();
        read.name = view_text(record.name);
        for (const Field<Record>& field : fields)
            read.values.emplace_back(field.read(record));
    }
    return all;
}

} // namespace

model::ScriptRecords read_script_reservations(const reserve_info_msg_t& reservations) {
    auto all = read_all<Reservation>(reservation_fields,
                                     {reservations.reservation_array, reservations.record_count});
    // Slurm's plugin shows these, too; no RPC tells them.
    all.unreadable = {"assoc_list", "duration", "flags_set_node", "full_nodes"};
    return all;
}

model::ScriptRecords read_script_partitions(const partition_info_msg_t& partitions) {
    return read_all<Partition>(partition_fields, {partitions.partition_array, partitions.record_count});
}

} // namespace qg::slurm

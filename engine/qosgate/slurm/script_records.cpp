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

struct PartitionField {
    std::string_view name;
    ScriptValue (*read)(const Partition& partition);
};

template <auto member>
ScriptValue text_of(const Partition& partition) {
    return ScriptValue::of_text(partition.*member);
}
template <auto member>
ScriptValue number_of(const Partition& partition) {
    return ScriptValue::of_number(static_cast<double>(partition.*member));
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

constexpr PartitionField partition_fields[] = {
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

using Reservation = reserve_info_t;

struct ReservationField {
    std::string_view name;
    ScriptValue (*read)(const Reservation& reservation);
};

template <auto member>
ScriptValue reservation_text(const Reservation& reservation) {
    return ScriptValue::of_text(reservation.*member);
}
template <auto member>
ScriptValue reservation_number(const Reservation& reservation) {
    return ScriptValue::of_number(static_cast<double>(reservation.*member));
}

constexpr ReservationField reservation_fields[] = {
    {"accounts", &reservation_text<&Reservation::accounts>},
    {"end_time", &reservation_number<&Reservation::end_time>},
    {"features", &reservation_text<&Reservation::features>},
    {"flags", &reservation_number<&Reservation::flags>},
    {"licenses", &reservation_text<&Reservation::licenses>},
    {"node_cnt", &reservation_number<&Reservation::node_cnt>},
    {"node_list", &reservation_text<&Reservation::node_list>},
    {"partition", &reservation_text<&Reservation::partition>},
    {"start_time", &reservation_number<&Reservation::start_time>},
    {"users", &reservation_text<&Reservation::users>},
};

} // namespace

model::ScriptRecords read_script_reservations(const reserve_info_msg_t& reservations) {
    model::ScriptRecords all;
    for (const ReservationField& field : reservation_fields)
        all.names.push_back(field.name);
    // Slurm's plugin shows these, too; no RPC tells them.
    all.unreadable = {"assoc_list", "duration", "flags_set_node", "full_nodes"};
    for (const Reservation& reservation :
         std::span(reservations.reservation_array, reservations.record_count)) {
        model::ScriptRecord& record = all.records.emplace_back();
        record.name = view_text(reservation.name);
        for (const ReservationField& field : reservation_fields)
            record.values.emplace_back(field.read(reservation));
    }
    return all;
}

model::ScriptRecords read_script_partitions(const partition_info_msg_t& partitions) {
    model::ScriptRecords all;
    for (const PartitionField& field : partition_fields)
        all.names.push_back(field.name);
    for (const Partition& partition : std::span(partitions.partition_array, partitions.record_count)) {
        model::ScriptRecord& record = all.records.emplace_back();
        record.name = view_text(partition.name);
        for (const PartitionField& field : partition_fields)
            record.values.emplace_back(field.read(partition));
    }
    return all;
}

} // namespace qg::slurm

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The keys of a world (scenario.hpp) that are members of plain records: one row for each, for reading and for
// writing. A member without a row is not in a file.
#pragma once

#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/quota/view_builder.hpp"

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace qg::quota::scenario {

/// A member of a record, and its key.
template <typename Record, typename Member>
struct Field {
    using Owner = Record;
    std::string_view key;
    Member Record::*member;
};
template <typename Record, typename Member>
Field(std::string_view, Member Record::*) -> Field<Record, Member>;

/// The words for the values of an enumeration.
template <typename Enum>
inline constexpr std::array<std::pair<Enum, std::string_view>, 0> words_of{};
template <>
inline constexpr std::array words_of<AdminLevel>{
    std::pair(AdminLevel::none, std::string_view("none")),
    std::pair(AdminLevel::operators, std::string_view("operator")),
    std::pair(AdminLevel::administrator, std::string_view("administrator")),
};
template <>
inline constexpr std::array words_of<model::EnforcePartLimits>{
    std::pair(model::EnforcePartLimits::no, std::string_view("no")),
    std::pair(model::EnforcePartLimits::any, std::string_view("any")),
    std::pair(model::EnforcePartLimits::all, std::string_view("all")),
};
template <>
inline constexpr std::array words_of<model::AllocatedUnit>{
    std::pair(model::AllocatedUnit::cpu, std::string_view("cpu")),
    std::pair(model::AllocatedUnit::core, std::string_view("core")),
    std::pair(model::AllocatedUnit::socket, std::string_view("socket")),
};
template <>
inline constexpr std::array words_of<model::Billing>{
    std::pair(model::Billing::sum, std::string_view("sum")),
    std::pair(model::Billing::largest, std::string_view("largest")),
    std::pair(model::Billing::largest_and_gres, std::string_view("largest_and_gres")),
};

/// The rows of a record; none: it is no record of a world.
template <typename Record>
inline constexpr std::tuple<> fields_of{};

template <>
inline constexpr std::tuple fields_of<model::Memory>{
    Field{"mib", &model::Memory::mib},
    Field{"per_cpu", &model::Memory::per_cpu},
};
template <>
inline constexpr std::tuple fields_of<model::NodeGres>{
    Field{"name", &model::NodeGres::name},
    Field{"model", &model::NodeGres::model},
    Field{"count", &model::NodeGres::count},
};
template <>
inline constexpr std::tuple fields_of<model::NodeShape>{
    Field{"sockets", &model::NodeShape::sockets},
    Field{"cores_per_socket", &model::NodeShape::cores_per_socket},
    Field{"threads_per_core", &model::NodeShape::threads_per_core},
};
template <>
inline constexpr std::tuple fields_of<model::NodeKind>{
    Field{"count", &model::NodeKind::count},
    Field{"cpus", &model::NodeKind::cpus},
    Field{"whole_cpus", &model::NodeKind::whole_cpus},
    Field{"threads_per_core", &model::NodeKind::threads_per_core},
    Field{"shape", &model::NodeKind::shape},
    Field{"memory_mib", &model::NodeKind::memory_mib},
    Field{"gres", &model::NodeKind::gres},
    Field{"features", &model::NodeKind::features},
};
template <>
inline constexpr std::tuple fields_of<model::NodeRange>{
    Field{"first", &model::NodeRange::first},
    Field{"last", &model::NodeRange::last},
};
template <>
inline constexpr std::tuple fields_of<model::Processors>{
    Field{"min_threads_per_core", &model::Processors::min_threads_per_core},
    Field{"max_threads_per_core", &model::Processors::max_threads_per_core},
    Field{"max_sockets", &model::Processors::max_sockets},
    Field{"min_cpus_per_socket", &model::Processors::min_cpus_per_socket},
    Field{"max_cpus_per_socket", &model::Processors::max_cpus_per_socket},
};
template <>
inline constexpr std::tuple fields_of<model::NodeTable>{
    Field{"kinds", &model::NodeTable::kinds},
    Field{"kind_of", &model::NodeTable::kind_of},
};
template <>
inline constexpr std::tuple fields_of<model::Selection>{
    Field{"unit", &model::Selection::unit},
    Field{"shares_out_memory", &model::Selection::shares_out_memory},
};
template <>
inline constexpr std::tuple fields_of<model::Partition>{
    Field{"name", &model::Partition::name},
    Field{"is_default", &model::Partition::is_default},
    Field{"qos", &model::Partition::qos},
    Field{"max_time", &model::Partition::max_time},
    Field{"default_time", &model::Partition::default_time},
    Field{"min_nodes", &model::Partition::min_nodes},
    Field{"max_nodes", &model::Partition::max_nodes},
    Field{"priority_tier", &model::Partition::priority_tier},
    Field{"total_nodes", &model::Partition::total_nodes},
    Field{"total_cpus", &model::Partition::total_cpus},
    Field{"has_no_nodes", &model::Partition::has_no_nodes},
    Field{"default_memory", &model::Partition::default_memory},
    Field{"node_memory_mib", &model::Partition::node_memory_mib},
    Field{"min_node_memory_mib", &model::Partition::min_node_memory_mib},
    Field{"max_tmp_disk_mib", &model::Partition::max_tmp_disk_mib},
    Field{"min_node_cpus", &model::Partition::min_node_cpus},
    Field{"processors", &model::Partition::processors},
    Field{"gives_whole_nodes", &model::Partition::gives_whole_nodes},
    Field{"allow_qos", &model::Partition::allow_qos},
    Field{"deny_qos", &model::Partition::deny_qos},
    Field{"allow_accounts", &model::Partition::allow_accounts},
    Field{"deny_accounts", &model::Partition::deny_accounts},
    Field{"takes_jobs", &model::Partition::takes_jobs},
    Field{"starts_jobs", &model::Partition::starts_jobs},
    Field{"alternate", &model::Partition::alternate},
    Field{"is_for_root", &model::Partition::is_for_root},
    Field{"needs_reservation", &model::Partition::needs_reservation},
    Field{"node_kinds", &model::Partition::node_kinds},
    Field{"featured_kinds", &model::Partition::featured_kinds},
    Field{"nodes", &model::Partition::nodes},
    Field{"max_memory", &model::Partition::max_memory},
    Field{"max_cpus_per_node", &model::Partition::max_cpus_per_node},
    Field{"is_hidden", &model::Partition::is_hidden},
    Field{"allow_groups", &model::Partition::allow_groups},
    Field{"tres", &model::Partition::tres},
    Field{"is_for_everybody", &model::Partition::is_for_everybody},
    Field{"billing_weights", &model::Partition::billing_weights},
    Field{"cpus_per_gpu", &model::Partition::cpus_per_gpu},
    Field{"memory_per_gpu_mib", &model::Partition::memory_per_gpu_mib},
    Field{"priority_job_factor", &model::Partition::priority_job_factor},
    Field{"selection", &model::Partition::selection},
};
template <>
inline constexpr std::tuple fields_of<model::Reservation>{
    Field{"name", &model::Reservation::name},
    Field{"users", &model::Reservation::users},
    Field{"accounts", &model::Reservation::accounts},
    Field{"has_groups", &model::Reservation::has_groups},
    Field{"partition", &model::Reservation::partition},
    Field{"start_time", &model::Reservation::start_time},
    Field{"end_time", &model::Reservation::end_time},
    Field{"nodes", &model::Reservation::nodes},
    Field{"node_ranges", &model::Reservation::node_ranges},
    Field{"cpus", &model::Reservation::cpus},
};
template <>
inline constexpr std::tuple fields_of<model::License>{
    Field{"name", &model::License::name},
    Field{"total", &model::License::total},
};
template <>
inline constexpr std::tuple fields_of<model::NamesOfNodes>{
    Field{"all", &model::NamesOfNodes::all},
    Field{"hidden", &model::NamesOfNodes::hidden},
};
template <>
inline constexpr std::tuple fields_of<model::KnownNames>{
    Field{"reservations", &model::KnownNames::reservations},
    Field{"licenses", &model::KnownNames::licenses},
    Field{"gres", &model::KnownNames::gres},
    Field{"features", &model::KnownNames::features},
    Field{"nodes", &model::KnownNames::nodes},
    Field{"node_indices", &model::KnownNames::node_indices},
};
/// Without its partitions.
template <>
inline constexpr std::tuple fields_of<model::Cluster>{
    Field{"name", &model::Cluster::name},
    Field{"nodes", &model::Cluster::nodes},
    Field{"default_memory", &model::Cluster::default_memory},
    Field{"max_memory", &model::Cluster::max_memory},
    Field{"shares_out_memory", &model::Cluster::shares_out_memory},
    Field{"gives_whole_nodes", &model::Cluster::gives_whole_nodes},
    Field{"allocated_unit", &model::Cluster::allocated_unit},
    Field{"gives_cores_to_tasks", &model::Cluster::gives_cores_to_tasks},
    Field{"cpus_per_gpu", &model::Cluster::cpus_per_gpu},
    Field{"memory_per_gpu_mib", &model::Cluster::memory_per_gpu_mib},
    Field{"allows_spec_resources", &model::Cluster::allows_spec_resources},
    Field{"enforce_part_limits", &model::Cluster::enforce_part_limits},
    Field{"billing", &model::Cluster::billing},
    Field{"max_array_size", &model::Cluster::max_array_size},
    Field{"usage_lasts", &model::Cluster::usage_lasts},
    Field{"slurm_user_id", &model::Cluster::slurm_user_id},
    Field{"names", &model::Cluster::names},
};
template <>
inline constexpr std::tuple fields_of<model::PrivateData>{
    Field{"accounts", &model::PrivateData::accounts},
    Field{"usage", &model::PrivateData::usage},
    Field{"partitions", &model::PrivateData::partitions},
    Field{"reservations", &model::PrivateData::reservations},
    Field{"nodes", &model::PrivateData::nodes},
};
template <>
inline constexpr std::tuple fields_of<UserRecord>{
    Field{"user", &UserRecord::id},
    Field{"name", &UserRecord::name},
    Field{"default_account", &UserRecord::default_account},
    Field{"admin_level", &UserRecord::level},
    Field{"coordinates", &UserRecord::coordinates},
    Field{"groups", &UserRecord::groups},
};

/// Whether a type is such a record.
template <typename Record>
concept FieldRecord = std::tuple_size_v<std::remove_cvref_t<decltype(fields_of<Record>)>> >
0;

} // namespace qg::quota::scenario

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of `view` for partitions.
#include "qosgate/policy/objects/view_answers.hpp"

#include <array>
#include <string>
#include <vector>

namespace qg::policy::view {
namespace {

using model::Partition;

using PartitionNames = std::vector<std::string> Partition::*;

template <std::string Partition::*member>
ViewAnswer read_partition_text(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return text(as<Partition>(object).*member);
}
template <bool Partition::*member>
ViewAnswer read_partition_flag(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return flag(as<Partition>(object).*member);
}
template <std::uint32_t Partition::*member>
ViewAnswer read_partition_count(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(std::uint64_t{as<Partition>(object).*member});
}
/// An unset maximum is unlimited.
template <std::optional<std::uint32_t> Partition::*member>
ViewAnswer read_partition_max(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    const auto& max = as<Partition>(object).*member;
    return max ? number(std::uint64_t{*max}) : ViewAnswer{.value = Value::unlimited()};
}
template <PartitionNames member>
ViewAnswer read_partition_names(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return {.names = as<Partition>(object).*member};
}
/// MiB per node or per CPU; nil if the other one, or none, is set.
template <std::optional<model::Memory> Partition::*member, bool per_cpu>
ViewAnswer read_partition_memory(RuleView& /*view*/, const ViewObject& object,
                                 ErrorText& /*error*/) noexcept {
    const auto& memory = as<Partition>(object).*member;
    return memory && memory->per_cpu == per_cpu ? number(memory->mib) : ViewAnswer{};
}
template <std::optional<std::uint64_t> Partition::*member>
ViewAnswer read_partition_default(RuleView& /*view*/, const ViewObject& object,
                                  ErrorText& /*error*/) noexcept {
    return number(as<Partition>(object).*member);
}
ViewAnswer read_max_time(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return {.value = Value::of_time(as<Partition>(object).max_time)};
}
ViewAnswer read_default_time(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    const auto& time = as<Partition>(object).default_time;
    return time ? ViewAnswer{.value = Value::of_time(*time)} : ViewAnswer{};
}
ViewAnswer read_state(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    const auto& partition = as<Partition>(object);
    if (partition.takes_jobs) return text(partition.starts_jobs ? "UP" : "DOWN");
    return text(partition.starts_jobs ? "DRAIN" : "INACTIVE");
}

constexpr auto fields_of_partition = std::to_array<ViewField>({
    {"name", ViewType::text, "its name", &read_partition_text<&Partition::name>},
    {"Default", ViewType::flag, "whether jobs get it that name none",
     &read_partition_flag<&Partition::is_default>},
    {"State", ViewType::text, "UP, DOWN, DRAIN or INACTIVE", &read_state},
    {"MaxTime", ViewType::minutes, "math.huge: unlimited", &read_max_time},
    {"DefaultTime", ViewType::minutes, "nil: not set, jobs get MaxTime", &read_default_time},
    {"MinNodes", ViewType::count, "of a job", &read_partition_count<&Partition::min_nodes>},
    {"MaxNodes", ViewType::count, "of a job; math.huge: unlimited",
     &read_partition_max<&Partition::max_nodes>},
    {"MaxCPUsPerNode", ViewType::count, "of a job; math.huge: unlimited",
     &read_partition_max<&Partition::max_cpus_per_node>},
    {"DefMemPerCPU", ViewType::count, "in MiB; nil: not set here, see view.cluster",
     &read_partition_memory<&Partition::default_memory, true>},
    {"DefMemPerNode", ViewType::count, "in MiB; nil: likewise",
     &read_partition_memory<&Partition::default_memory, false>},
    {"MaxMemPerCPU", ViewType::count, "in MiB; nil: likewise",
     &read_partition_memory<&Partition::max_memory, true>},
    {"MaxMemPerNode", ViewType::count, "in MiB; nil: likewise",
     &read_partition_memory<&Partition::max_memory, false>},
    {"DefCpuPerGPU", ViewType::count, "CPUs for each GPU of a job that asks for none; nil: not set",
     &read_partition_default<&Partition::cpus_per_gpu>},
    {"DefMemPerGPU", ViewType::count, "memory likewise, in MiB; nil: not set",
     &read_partition_default<&Partition::memory_per_gpu_mib>},
    {"QoS", ViewType::text, "the partition's QOS; nil: none", &read_partition_text<&Partition::qos>},
    {"AllowQos", ViewType::names, "nil: all", &read_partition_names<&Partition::allow_qos>},
    {"DenyQos", ViewType::names, "nil: none", &read_partition_names<&Partition::deny_qos>},
    {"AllowAccounts", ViewType::names, "nil: every account",
     &read_partition_names<&Partition::allow_accounts>},
    {"DenyAccounts", ViewType::names, "nil: no account", &read_partition_names<&Partition::deny_accounts>},
    {"AllowGroups", ViewType::names, "Linux groups; nil: everybody",
     &read_partition_names<&Partition::allow_groups>},
    {"Hidden", ViewType::flag, "whether users do not see it", &read_partition_flag<&Partition::is_hidden>},
    {"RootOnly", ViewType::flag, "whether only root may use it",
     &read_partition_flag<&Partition::is_for_root>},
    {"ReqResv", ViewType::flag, "whether jobs must name a reservation",
     &read_partition_flag<&Partition::needs_reservation>},
    {"PriorityTier", ViewType::count, "partitions with a higher one are tried first",
     &read_partition_count<&Partition::priority_tier>},
    {"PriorityJobFactor", ViewType::count,
     "what it adds to the priority of its jobs, by PriorityWeightPartition",
     &read_partition_count<&Partition::priority_job_factor>},
    {"TotalNodes", ViewType::count, "nodes that it has", &read_partition_count<&Partition::total_nodes>},
    {"TotalCPUs", ViewType::count, "CPUs of these", &read_partition_count<&Partition::total_cpus>},
});

} // namespace

std::span<const ViewField> partition_fields() noexcept {
    return fields_of_partition;
}

} // namespace qg::policy::view

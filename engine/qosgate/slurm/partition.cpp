// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/partition.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/known_names.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <utility>

namespace qg::slurm {
namespace {

/// A comma list of names; null, empty and "ALL" mean no list.
std::vector<std::string> read_names(const char* list) {
    const std::string_view text = view_text(list);
    if (text::iequals(text, "ALL")) return {};
    const auto parts = text::split(text, ',');
    return {parts.begin(), parts.end()};
}

/// DefMemPerNode and DefMemPerCPU; 0 means that there is no default.
std::optional<model::Memory> read_default_memory(std::uint64_t value) noexcept {
    const auto memory = read_memory(value);
    return memory && memory->mib != 0 ? memory : std::nullopt;
}

/// The first node of a partition, or null. node_inx holds pairs "from, to" and ends with -1.
const node_info_t* first_node(const partition_info_t& partition,
                              std::span<const node_info_t> nodes) noexcept {
    if (partition.node_inx == nullptr || partition.node_inx[0] < 0) return nullptr;
    const auto index = static_cast<std::size_t>(partition.node_inx[0]);
    return index < nodes.size() ? &nodes[index] : nullptr;
}

/// The CPUs that a job gets at least where it gets all of this node: one of each core, since a job may ask
/// for no more of them; 0: not known.
std::uint32_t least_cpus(const node_info_t& node) noexcept {
    if (!is_count(node.cpus_efctv) || !is_count(node.threads) || node.threads == 0) return 0;
    return std::min(node.cpus_efctv, node.cpus) / node.threads;
}

/// The least of all nodes of a partition; 0: not known of some.
std::uint32_t least_node_cpus(const partition_info_t& partition, std::span<const node_info_t> nodes) {
    std::optional<std::uint32_t> least;
    for (const std::int32_t* range = partition.node_inx; range != nullptr && range[0] >= 0; range += 2)
        for (auto node = static_cast<std::size_t>(range[0]); std::cmp_less_equal(node, range[1]); ++node) {
            const std::uint32_t cpus = node < nodes.size() ? least_cpus(nodes[node]) : 0;
            least = std::min(least.value_or(cpus), cpus);
            if (cpus == 0) return 0;
        }
    // A job may get no more CPUs of a node than this.
    const std::uint32_t most = read_count(partition.max_cpus_per_node).value_or(UINT32_MAX);
    return std::min(least.value_or(0), most);
}

/// The GPUs of a node's gres: "gpu:a100:4(S:0-1),gpu:2,tmpdisk:10G".
std::uint64_t count_gpus(std::string_view gres) {
    std::uint64_t count = 0;
    for_each_gres(gres, [&](std::string_view name, std::string_view, std::uint64_t amount) {
        if (name == "gpu") count += amount;
    });
    return count;
}

std::uint64_t memory_of(const node_info_t& node) noexcept {
    if (!is_count(node.real_memory)) return 0;
    const std::uint64_t reserved = is_count(node.mem_spec_limit) ? node.mem_spec_limit : 0;
    return node.real_memory > reserved ? node.real_memory - reserved : 0;
}

/// The most that any of a partition's nodes has.
model::LargestNode find_largest(const partition_info_t& partition, std::span<const node_info_t> nodes) {
    model::LargestNode largest;
    for (const std::int32_t* range = partition.node_inx;
         range != nullptr && *range >= 0 && range[1] >= *range; range += 2)
        for (auto i = static_cast<std::size_t>(*range);
             i <= static_cast<std::size_t>(range[1]) && i < nodes.size(); ++i) {
            const node_info_t& node = nodes[i];
            largest.memory_mib = std::max(largest.memory_mib, memory_of(node));
            largest.cpus = std::max<std::uint64_t>(largest.cpus, is_count(node.cpus) ? node.cpus : 0);
            largest.gpus = std::max(largest.gpus, count_gpus(view_text(node.gres)));
        }
    return largest;
}

void read_node_facts(model::Partition& result, const node_info_t& node) {
    result.node_memory_mib = memory_of(node);
    if (is_count(node.sockets) && node.sockets != 0) result.sockets_per_node = node.sockets;
}

} // namespace

model::Partition read_partition(const partition_info_t& partition, std::span<const node_info_t> nodes) {
    model::Partition result;
    result.name = view_text(partition.name);
    result.is_default = (partition.flags & PART_FLAG_DEFAULT) != 0;
    result.qos = view_text(partition.qos_char);
    result.max_time = read_time(partition.max_time).value_or(TimeLimit::unlimited());
    result.default_time = read_time(partition.default_time);
    result.min_nodes = read_count(partition.min_nodes).value_or(0);
    result.max_nodes = read_count(partition.max_nodes);
    result.priority_tier = read_count(partition.priority_tier).value_or(result.priority_tier);
    result.total_nodes = read_count(partition.total_nodes).value_or(0);
    result.total_cpus = read_count(partition.total_cpus).value_or(0);
    result.default_memory = read_default_memory(partition.def_mem_per_cpu);
    result.allow_qos = read_names(partition.allow_qos);
    result.deny_qos = read_names(partition.deny_qos);
    result.allow_accounts = read_names(partition.allow_accounts);
    result.deny_accounts = read_names(partition.deny_accounts);
    result.takes_jobs = (partition.state_up & PARTITION_SUBMIT) != 0;
    result.starts_jobs = (partition.state_up & PARTITION_SCHED) != 0;
    result.has_alternate = is_set(partition.alternate);
    result.is_for_root = (partition.flags & PART_FLAG_ROOT_ONLY) != 0;
    result.needs_reservation = (partition.flags & PART_FLAG_REQ_RESV) != 0;
    result.largest = find_largest(partition, nodes);
    result.is_hidden = (partition.flags & PART_FLAG_HIDDEN) != 0;
    result.has_groups = !read_names(partition.allow_groups).empty();
    result.tres = view_text(partition.tres_fmt_str);
    constexpr auto for_some =
        PART_FLAG_HIDDEN | PART_FLAG_ROOT_ONLY | PART_FLAG_REQ_RESV | PART_FLAG_EXCLUSIVE_USER;
    result.is_for_everybody = partition.state_up == PARTITION_UP && (partition.flags & for_some) == 0 &&
                              read_names(partition.allow_groups).empty() &&
                              read_names(partition.allow_alloc_nodes).empty();
    result.billing_weights = view_text(partition.billing_weights_str);
    if (const node_info_t* node = first_node(partition, nodes)) read_node_facts(result, *node);
    result.least_node_cpus = least_node_cpus(partition, nodes);
    return result;
}

model::PartitionTable read_partitions(const partition_info_msg_t& partitions, const node_info_msg_t* nodes,
                                      std::uint64_t generation) {
    const auto all_nodes = nodes == nullptr
                               ? std::span<const node_info_t>()
                               : std::span<const node_info_t>(nodes->node_array, nodes->record_count);
    std::vector<std::shared_ptr<const model::Partition>> table;
    table.reserve(partitions.record_count);
    for (const partition_info_t& partition : std::span(partitions.partition_array, partitions.record_count))
        table.push_back(std::make_shared<const model::Partition>(read_partition(partition, all_nodes)));
    return {std::move(table), generation};
}

model::EnforcePartLimits read_enforce_part_limits(std::uint16_t value) noexcept {
    switch (value) {
    case PARTITION_ENFORCE_ALL: return model::EnforcePartLimits::all;
    case PARTITION_ENFORCE_ANY: return model::EnforcePartLimits::any;
    default: return model::EnforcePartLimits::no;
    }
}

model::Billing read_billing(std::uint16_t priority_flags) noexcept {
    if ((priority_flags & priority_flag_max_tres_gres) != 0) return model::Billing::largest_and_gres;
    return (priority_flags & PRIORITY_FLAGS_MAX_TRES) != 0 ? model::Billing::largest : model::Billing::sum;
}

model::Cluster read_cluster(const partition_info_msg_t& partitions, const node_info_msg_t* nodes,
                            const slurm_conf_t* conf, std::uint64_t generation) {
    model::Cluster cluster;
    cluster.partitions = read_partitions(partitions, nodes, generation);
    if (nodes != nullptr)
        add_names_of_nodes(cluster.names.emplace(), {nodes->node_array, nodes->record_count});
    if (conf != nullptr) {
        cluster.default_memory = read_default_memory(conf->def_mem_per_cpu);
        cluster.enforce_part_limits = read_enforce_part_limits(conf->enforce_part_limits);
        cluster.billing = read_billing(conf->priority_flags);
        cluster.usage_lasts =
            conf->priority_decay_hl == 0 && conf->priority_reset_period == PRIORITY_RESET_NONE;
        cluster.slurm_user_id = conf->slurm_user_id;
        cluster.max_array_size = read_count(conf->max_array_sz).value_or(cluster.max_array_size);
    }
    return cluster;
}

} // namespace qg::slurm

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/partition_records.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/read_names.hpp"
#include "qosgate/slurm/script_records.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
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

/// DefMemPerNode and DefMemPerCPU. A DefMemPerCPU of 0 that is written out is one, without memory.
std::optional<model::Memory> read_default_memory(std::uint64_t value) noexcept {
    return value == 0 ? std::nullopt : read_memory(value);
}

/// MaxMemPerNode and MaxMemPerCPU; 0 means unset.
std::optional<model::Memory> read_memory_bound(std::uint64_t value) noexcept {
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

/// Calls `body(index)` for each node of a partition.
template <typename Body>
void for_each_node(const partition_info_t& partition, std::size_t node_count, Body body) {
    for (const std::int32_t* range = partition.node_inx;
         range != nullptr && range[0] >= 0 && range[1] >= range[0]; range += 2)
        for (auto i = static_cast<std::size_t>(range[0]); std::cmp_less_equal(i, range[1]) && i < node_count;
             ++i)
            body(i);
}

/// The nodes in partitions that are shown to everybody. Slurm shows other nodes only with an option like
/// --all.
std::vector<bool> find_shown_nodes(const partition_info_msg_t& partitions, std::size_t node_count) {
    std::vector<bool> is_shown(node_count);
    for (const partition_info_t& partition : std::span(partitions.partition_array, partitions.record_count))
        if ((partition.flags & PART_FLAG_HIDDEN) == 0 && read_names(partition.allow_groups).empty())
            for_each_node(partition, node_count, [&](std::size_t node) { is_shown[node] = true; });
    return is_shown;
}

/// The CPUs that a job gets with this whole node, whatever threads it asks for; 0: not known.
std::uint32_t whole_cpus(const node_info_t& node) noexcept {
    return is_count(node.cpus_efctv) ? std::min(node.cpus_efctv, node.cpus) : 0;
}

std::uint32_t count_or_0(std::uint16_t value) noexcept {
    return is_count(value) ? value : 0;
}

/// The CPUs of a core: its threads, unless slurm.conf gives the node no more CPUs than cores.
std::uint32_t threads_per_core(const node_info_t& node) noexcept {
    if (count_or_0(node.sockets) * count_or_0(node.cores) >= count_or_0(node.cpus)) return 1;
    return std::max(count_or_0(node.threads), 1u);
}

model::Processors read_processors(const partition_info_t& partition, std::span<const node_info_t> nodes) {
    std::optional<model::Processors> all;
    for_each_node(partition, nodes.size(), [&](std::size_t index) {
        const node_info_t& node = nodes[index];
        const std::uint32_t threads = threads_per_core(node), cpus = count_or_0(node.cores) * threads;
        if (!all) all = model::Processors{threads, threads, 0, cpus, 0};
        all->min_threads_per_core = std::min(all->min_threads_per_core, threads);
        all->max_threads_per_core = std::max(all->max_threads_per_core, threads);
        all->max_sockets = std::max(all->max_sockets, count_or_0(node.sockets));
        all->min_cpus_per_socket = std::min(all->min_cpus_per_socket, cpus);
        all->max_cpus_per_socket = std::max(all->max_cpus_per_socket, cpus);
    });
    return all.value_or(model::Processors{});
}

/// The minimum over all nodes of a partition; 0: not known for some node.
std::uint32_t min_node_cpus(const partition_info_t& partition, std::span<const node_info_t> nodes) {
    std::optional<std::uint32_t> min;
    for (const std::int32_t* range = partition.node_inx; range != nullptr && range[0] >= 0; range += 2)
        for (auto node = static_cast<std::size_t>(range[0]); std::cmp_less_equal(node, range[1]); ++node) {
            const std::uint32_t cpus = node < nodes.size() ? whole_cpus(nodes[node]) : 0;
            min = std::min(min.value_or(cpus), cpus);
            if (cpus == 0) return 0;
        }
    // A job gets at most this many CPUs of a node.
    const std::uint32_t max = read_count(partition.max_cpus_per_node).value_or(UINT32_MAX);
    return std::min(min.value_or(0), max);
}

std::uint64_t memory_of(const node_info_t& node) noexcept {
    if (!is_count(node.real_memory)) return 0;
    const std::uint64_t reserved = is_count(node.mem_spec_limit) ? node.mem_spec_limit : 0;
    return node.real_memory > reserved ? node.real_memory - reserved : 0;
}

/// The smallest memory of a partition's nodes; 0: not known for some node.
std::uint64_t min_node_memory(const partition_info_t& partition, std::span<const node_info_t> nodes) {
    std::optional<std::uint64_t> min;
    for (const std::int32_t* range = partition.node_inx; range != nullptr && range[0] >= 0; range += 2)
        for (auto node = static_cast<std::size_t>(range[0]); std::cmp_less_equal(node, range[1]); ++node) {
            const std::uint64_t memory = node < nodes.size() ? memory_of(nodes[node]) : 0;
            if (memory == 0) return 0;
            min = std::min(min.value_or(memory), memory);
        }
    return min.value_or(0);
}

/// The largest TmpDisk of a partition's nodes; empty: not known for some node.
std::optional<std::uint64_t> max_tmp_disk(const partition_info_t& partition,
                                          std::span<const node_info_t> nodes) {
    std::optional<std::uint64_t> max;
    for (const std::int32_t* range = partition.node_inx; range != nullptr && range[0] >= 0; range += 2)
        for (auto node = static_cast<std::size_t>(range[0]); std::cmp_less_equal(node, range[1]); ++node) {
            if (node >= nodes.size() || !is_count(nodes[node].tmp_disk)) return std::nullopt;
            max = std::max<std::uint64_t>(max.value_or(0), nodes[node].tmp_disk);
        }
    return max;
}

model::NodeKind read_node_kind(const node_info_t& node, bool with_features) {
    model::NodeKind kind;
    kind.count = 1;
    kind.cpus = is_count(node.cpus) ? node.cpus : 0;
    kind.whole_cpus = whole_cpus(node);
    kind.threads_per_core = threads_per_core(node);
    kind.shape = {count_or_0(node.sockets), count_or_0(node.cores), count_or_0(node.threads)};
    kind.memory_mib = memory_of(node);
    for_each_gres(view_text(node.gres),
                  [&](std::string_view name, std::string_view type, std::uint64_t count) {
                      kind.gres.push_back({std::string(name), std::string(type), count});
                  });
    if (with_features) kind.features = view_text(node.features_act);
    return kind;
}

/// Adds nodes to their kind and returns the kind; empty: there would be more than `max_kinds`.
std::optional<std::size_t> add_kind(std::vector<model::NodeKind>& kinds, model::NodeKind more,
                                    std::size_t max_kinds) {
    const auto known = std::ranges::find_if(kinds, [&](const model::NodeKind& kind) {
        return kind.has_same_resources(more) && kind.features == more.features;
    });
    const auto index = static_cast<std::size_t>(known - kinds.begin());
    if (known != kinds.end())
        known->count += more.count;
    else if (kinds.size() == max_kinds)
        return std::nullopt;
    else
        kinds.push_back(std::move(more));
    return index;
}

/// Whether two nodes have the same values, as adjacent nodes usually do.
bool say_the_same(const node_info_t& a, const node_info_t& b) {
    return a.cpus == b.cpus && whole_cpus(a) == whole_cpus(b) && a.real_memory == b.real_memory &&
           a.mem_spec_limit == b.mem_spec_limit && a.sockets == b.sockets && a.cores == b.cores &&
           a.threads == b.threads && view_text(a.gres) == view_text(b.gres) &&
           view_text(a.features_act) == view_text(b.features_act);
}

/// Whether slurmctld may give a node other features than it has now.
bool may_change_features(const node_info_t& node) {
    return view_text(node.features) != view_text(node.features_act);
}

/// Sorts the nodes of a partition by kind; empty if there are more than `max_kinds`, or a node is not known,
/// or kinds are distinguished by features and these may change.
std::vector<model::NodeKind> read_node_kinds(std::span<const model::NodeRange> ranges,
                                             std::span<const node_info_t> nodes, bool with_features,
                                             std::size_t max_kinds) {
    std::vector<model::NodeKind> kinds;
    for (const auto& [first, last] : ranges) {
        std::optional<std::size_t> kind; // of the previous node
        for (std::size_t i = first; i <= last; ++i) {
            if (i >= nodes.size() || (with_features && may_change_features(nodes[i]))) return {};
            if (kind && say_the_same(nodes[i - 1], nodes[i])) {
                ++kinds[*kind].count;
                continue;
            }
            kind = add_kind(kinds, read_node_kind(nodes[i], with_features), max_kinds);
            if (!kind) return {};
        }
    }
    return kinds;
}

model::NodeTable read_node_table(std::span<const node_info_t> nodes) {
    model::NodeTable table;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i != 0 && say_the_same(nodes[i - 1], nodes[i])) {
            table.kind_of.push_back(table.kind_of.back());
            continue;
        }
        const auto kind = add_kind(table.kinds, read_node_kind(nodes[i], /*with_features=*/true),
                                   model::NodeTable::max_kinds);
        if (!kind) return {};
        table.kind_of.push_back(static_cast<std::uint16_t>(*kind));
    }
    return table;
}

void read_kinds(model::Partition& result, std::span<const node_info_t> nodes) {
    result.featured_kinds =
        read_node_kinds(result.nodes, nodes, /*with_features=*/true, model::Partition::max_featured_kinds);
    if (result.featured_kinds.empty()) {
        result.node_kinds =
            read_node_kinds(result.nodes, nodes, /*with_features=*/false, model::Partition::max_node_kinds);
        return;
    }
    for (model::NodeKind kind : result.featured_kinds) {
        kind.features.clear();
        if (add_kind(result.node_kinds, std::move(kind), model::Partition::max_node_kinds)) continue;
        result.node_kinds.clear();
        return;
    }
}

/// JobDefaults of a partition or of the cluster.
template <typename Record>
void read_job_defaults(Record& result, ListHandle defaults) {
    for_each<job_defaults_t>(defaults, [&](const job_defaults_t& entry) {
        if (entry.type == JOB_DEF_CPU_PER_GPU) result.cpus_per_gpu = entry.value;
        if (entry.type == JOB_DEF_MEM_PER_GPU) result.memory_per_gpu_mib = entry.value;
    });
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
    result.alternate = view_text(partition.alternate);
    result.is_for_root = (partition.flags & PART_FLAG_ROOT_ONLY) != 0;
    result.needs_reservation = (partition.flags & PART_FLAG_REQ_RESV) != 0;
    result.nodes = read_node_ranges(partition.node_inx);
    result.has_no_nodes = result.nodes.empty() && partition.total_nodes == 0 && partition.total_cpus == 0;
    read_kinds(result, nodes);
    result.max_memory = read_memory_bound(partition.max_mem_per_cpu);
    result.max_cpus_per_node = read_count(partition.max_cpus_per_node);
    result.is_hidden = (partition.flags & PART_FLAG_HIDDEN) != 0;
    result.allow_groups = read_names(partition.allow_groups);
    result.tres = view_text(partition.tres_fmt_str);
    constexpr auto for_some =
        PART_FLAG_HIDDEN | PART_FLAG_ROOT_ONLY | PART_FLAG_REQ_RESV | PART_FLAG_EXCLUSIVE_USER;
    result.is_for_everybody = partition.state_up == PARTITION_UP && (partition.flags & for_some) == 0 &&
                              result.allow_groups.empty() && read_names(partition.allow_alloc_nodes).empty();
    result.billing_weights = view_text(partition.billing_weights_str);
    read_job_defaults(result, partition.job_defaults_list);
    result.priority_job_factor =
        read_count(partition.priority_job_factor).value_or(result.priority_job_factor);
    if (const node_info_t* node = first_node(partition, nodes)) result.node_memory_mib = memory_of(*node);
    result.min_node_cpus = min_node_cpus(partition, nodes);
    result.processors = read_processors(partition, nodes);
    result.min_node_memory_mib = min_node_memory(partition, nodes);
    result.max_tmp_disk_mib = max_tmp_disk(partition, nodes);
    result.gives_whole_nodes = partition.max_share == 0;
    if (partition.cr_type != 0)
        result.selection = model::Selection{read_allocated_unit(partition.cr_type),
                                            (partition.cr_type & select_memory) != 0};
    return result;
}

model::PartitionTable read_partitions(const partition_info_msg_t& partitions, const node_info_msg_t* nodes) {
    const auto all_nodes = nodes == nullptr
                               ? std::span<const node_info_t>()
                               : std::span<const node_info_t>(nodes->node_array, nodes->record_count);
    std::vector<std::shared_ptr<const model::Partition>> table;
    table.reserve(partitions.record_count);
    for (const partition_info_t& partition : std::span(partitions.partition_array, partitions.record_count))
        table.push_back(std::make_shared<const model::Partition>(read_partition(partition, all_nodes)));
    return model::PartitionTable(std::move(table));
}

model::EnforcePartLimits read_enforce_part_limits(std::uint16_t value) noexcept {
    switch (value) {
    case PARTITION_ENFORCE_ALL: return model::EnforcePartLimits::all;
    case PARTITION_ENFORCE_ANY: return model::EnforcePartLimits::any;
    default: return model::EnforcePartLimits::no;
    }
}

model::AllocatedUnit read_allocated_unit(std::uint16_t select_type_param) noexcept {
    if ((select_type_param & select_socket) != 0) return model::AllocatedUnit::socket;
    return (select_type_param & select_core) != 0 ? model::AllocatedUnit::core : model::AllocatedUnit::cpu;
}

model::Billing read_billing(std::uint16_t priority_flags) noexcept {
    if ((priority_flags & priority_flag_max_tres_gres) != 0) return model::Billing::largest_and_gres;
    return (priority_flags & PRIORITY_FLAGS_MAX_TRES) != 0 ? model::Billing::largest : model::Billing::sum;
}

model::Cluster read_cluster(const partition_info_msg_t& partitions, const node_info_msg_t* nodes,
                            const slurm_conf_t* conf) {
    model::Cluster cluster;
    cluster.partitions = read_partitions(partitions, nodes);
    cluster.script_partitions = read_script_partitions(partitions);
    if (nodes != nullptr) {
        const std::span all_nodes(nodes->node_array, nodes->record_count);
        cluster.nodes = read_node_table(all_nodes);
        add_names_of_nodes(cluster.names.emplace(), all_nodes,
                           find_shown_nodes(partitions, all_nodes.size()));
    }
    if (conf != nullptr) {
        cluster.name = view_text(conf->cluster_name);
        cluster.default_memory = read_default_memory(conf->def_mem_per_cpu);
        cluster.max_memory = read_memory_bound(conf->max_mem_per_cpu);
        cluster.shares_out_memory = (conf->select_type_param & select_memory) != 0;
        cluster.gives_whole_nodes = view_text(conf->select_type) == "select/linear";
        cluster.allocated_unit = read_allocated_unit(conf->select_type_param);
        cluster.gives_cores_to_tasks = (conf->select_type_param & select_one_task_per_core) != 0;
        read_job_defaults(cluster, conf->job_defaults_list);
        cluster.allows_spec_resources = (conf->conf_flags & conf_flag_spec_resources) != 0;
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

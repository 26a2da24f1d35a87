// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/cluster_reader.hpp"

#include "qosgate/slurm/load.hpp"
#include "qosgate/slurm/partition.hpp"

namespace qg::slurm {
namespace {

Result<OwnedPartitions> load_partitions(std::time_t newer_than) {
    return load<OwnedPartitions>("reading the partitions", [=](partition_info_msg_t** message) {
        return slurm_load_partitions(newer_than, message, SHOW_ALL);
    });
}

Result<OwnedNodes> load_nodes() {
    return load<OwnedNodes>("reading the nodes", [](node_info_msg_t** message) {
        return slurm_load_node(everything, message, SHOW_ALL);
    });
}

} // namespace

Result<bool> ClusterReader::has_changed() {
    if (generation_ == 0 || std::chrono::steady_clock::now() - full_read_at_ >= full_interval) return true;
    const auto partitions = load_partitions(partitions_seen_);
    if (!partitions) return partitions.error();
    if (*partitions != nullptr) return true;
    const auto conf = load_conf(conf_seen_);
    if (!conf) return conf.error();
    return *conf != nullptr;
}

Result<std::shared_ptr<const model::Cluster>> ClusterReader::poll() {
    const auto changed = has_changed();
    if (!changed) return changed.error();
    if (!*changed) return std::shared_ptr<const model::Cluster>();
    return read();
}

Result<std::shared_ptr<const model::Cluster>> ClusterReader::read() {
    const auto partitions = load_partitions(everything);
    if (!partitions) return partitions.error();
    const auto nodes = load_nodes();
    if (!nodes) return nodes.error();
    const auto conf = load_conf(everything);
    if (!conf) return conf.error();

    partitions_seen_ = (*partitions)->last_update;
    conf_seen_ = (*conf)->last_update;
    full_read_at_ = std::chrono::steady_clock::now();
    return std::make_shared<const model::Cluster>(
        read_cluster(**partitions, nodes->get(), conf->get(), ++generation_));
}

} // namespace qg::slurm

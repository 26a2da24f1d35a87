// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_reader.hpp"

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/partition.hpp"

#include <cerrno>

namespace qg::plugin {
namespace {

constexpr std::time_t everything = 0; ///< update_time that no data is older than

/// What one load function answered: the message, or null where nothing is newer than asked for.
template <typename Owned, typename Load>
Result<Owned> load(const char* what, Load call) {
    typename Owned::pointer message = nullptr;
    errno = 0;
    const int code = call(&message);
    Owned owned(message);
    if (code == SLURM_SUCCESS || errno == SLURM_NO_CHANGE_IN_DATA) return owned;
    return Error{ErrorCode::unavailable, std::string(what) + ": " + slurm_strerror(errno)};
}

Result<slurm::OwnedPartitions> load_partitions(std::time_t newer_than) {
    return load<slurm::OwnedPartitions>("reading the partitions", [=](partition_info_msg_t** message) {
        return slurm_load_partitions(newer_than, message, SHOW_ALL);
    });
}

Result<slurm::OwnedNodes> load_nodes() {
    return load<slurm::OwnedNodes>("reading the nodes", [](node_info_msg_t** message) {
        return slurm_load_node(everything, message, SHOW_ALL);
    });
}

Result<slurm::OwnedConf> load_conf(std::time_t newer_than) {
    return load<slurm::OwnedConf>("reading the configuration", [=](slurm_conf_t** message) {
        return slurm_load_ctl_conf(newer_than, message);
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
        slurm::read_cluster(**partitions, nodes->get(), conf->get(), ++generation_));
}

} // namespace qg::plugin

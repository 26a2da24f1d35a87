// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/cluster_reader.hpp"

#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurm/partition_records.hpp"
#include "qosgate/slurm/read_names.hpp"
#include "qosgate/slurm/script_records.hpp"

#include <utility>

namespace qg::slurm {

Result<bool> ClusterReader::has_changed() {
    if (last_ == nullptr || std::chrono::steady_clock::now() - full_read_at_ >= full_interval) return true;
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
    return *changed ? read() : poll_names();
}

/// The last cluster with the present reservations and licenses; null if they have not changed.
Result<std::shared_ptr<const model::Cluster>> ClusterReader::poll_names() {
    const auto reservations = load_reservations(reservations_seen_);
    if (!reservations) return reservations.error();
    const auto licenses = load_licenses(licenses_seen_);
    if (!licenses) return licenses.error();
    if (*reservations == nullptr && *licenses == nullptr) return std::shared_ptr<const model::Cluster>();
    model::Cluster fresh = *last_;
    return publish(std::move(fresh), reservations->get(), licenses->get());
}

/// Fills in the reservations and licenses if they are new.
std::shared_ptr<const model::Cluster> ClusterReader::publish(model::Cluster cluster,
                                                             const reserve_info_msg_t* reservations,
                                                             const license_info_msg_t* licenses) {
    if (!cluster.names) cluster.names.emplace();
    update_names(*cluster.names, reservations, licenses);
    if (reservations != nullptr) cluster.script_reservations = read_script_reservations(*reservations);
    if (reservations != nullptr) reservations_seen_ = reservations->last_update;
    if (licenses != nullptr) licenses_seen_ = licenses->last_update;
    return last_ = std::make_shared<const model::Cluster>(std::move(cluster));
}

Result<std::shared_ptr<const model::Cluster>> ClusterReader::read() {
    const auto partitions = load_partitions(everything);
    if (!partitions) return partitions.error();
    const auto nodes = load_nodes();
    if (!nodes) return nodes.error();
    const auto conf = load_conf(everything);
    if (!conf) return conf.error();
    const auto reservations = load_reservations(everything);
    if (!reservations) return reservations.error();
    const auto licenses = load_licenses(everything);
    if (!licenses) return licenses.error();

    // Slurm's answer for "no change" is empty, which is not valid after a request for everything.
    if (*partitions == nullptr || *conf == nullptr)
        return Error{ErrorCode::unavailable, "reading the cluster: slurmctld sent no partitions"};
    partitions_seen_ = (*partitions)->last_update;
    conf_seen_ = (*conf)->last_update;
    full_read_at_ = std::chrono::steady_clock::now();
    return publish(read_cluster(**partitions, nodes->get(), conf->get()), reservations->get(),
                   licenses->get());
}

} // namespace qg::slurm

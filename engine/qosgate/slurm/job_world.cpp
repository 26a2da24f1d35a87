// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/job_world.hpp"

#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurm/partition_records.hpp"
#include "qosgate/slurm/read_names.hpp"

#include <future>
#include <utility>

namespace qg::slurm {
namespace {

/// Not base's background thread: these end before the call does, and a signal may end the client in any of
/// them.
template <typename Load>
auto start(Load load) {
    return std::async(std::launch::async, std::move(load));
}

} // namespace

Result<std::unique_ptr<JobWorld>> read_job_world(const slurm_conf_t& conf, const std::string& user,
                                                 WorldNames names, RecordsPart likely) {
    auto world = std::make_unique<JobWorld>(conf, user);
    auto started = start([&] { return world->accounting.start(std::move(likely)); });
    auto asked_nodes = start([] { return load_nodes(); });
    std::future<Result<OwnedReservations>> asked_reservations;
    std::future<Result<OwnedLicenses>> asked_licenses;
    if (names == WorldNames::read) {
        asked_reservations = start([] { return load_reservations(everything); });
        asked_licenses = start([] { return load_licenses(everything); });
    }
    const auto partitions = load_partitions(everything);
    const auto nodes = asked_nodes.get();
    const auto accounts = started.get();
    if (!partitions) return partitions.error();
    if (!nodes) return nodes.error();
    if (!accounts) return accounts.error();
    if (*partitions == nullptr)
        return Error{ErrorCode::unavailable, "reading the cluster: slurmctld sent no partitions"};
    model::Cluster cluster = read_cluster(**partitions, nodes->get(), &conf);
    if (names == WorldNames::read) {
        const auto reservations = asked_reservations.get();
        const auto licenses = asked_licenses.get();
        if (!reservations) return reservations.error();
        if (!licenses) return licenses.error();
        if (!cluster.names) cluster.names.emplace();
        update_names(*cluster.names, reservations->get(), licenses->get());
    }
    world->cluster = std::make_shared<const model::Cluster>(std::move(cluster));
    return world;
}

} // namespace qg::slurm

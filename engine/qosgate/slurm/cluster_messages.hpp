// SPDX-License-Identifier: GPL-2.0-or-later
//
// The requests to slurmctld that describe a cluster and its jobs. Each gives null if nothing is newer than
// the given time. Errors: unavailable, with Slurm's error text. Cost: one RPC each, up to MessageTimeout.
#pragma once

#include "qosgate/slurm/load_records.hpp"

#include <cstdint>
#include <ctime>

namespace qg::slurm {

inline Result<OwnedPartitions> load_partitions(std::time_t newer_than) {
    return load<OwnedPartitions>("reading the partitions", [=](partition_info_msg_t** message) {
        return slurm_load_partitions(newer_than, message, SHOW_ALL);
    });
}

inline Result<OwnedNodes> load_nodes(std::uint16_t flags = SHOW_ALL) {
    return load<OwnedNodes>("reading the nodes", [=](node_info_msg_t** message) {
        return slurm_load_node(everything, message, flags);
    });
}

inline Result<OwnedJobs> load_jobs(std::time_t newer_than, std::uint16_t flags = SHOW_ALL) {
    return load<OwnedJobs>("reading the jobs", [=](job_info_msg_t** message) {
        return slurm_load_jobs(newer_than, message, flags);
    });
}

inline Result<OwnedReservations> load_reservations(std::time_t newer_than) {
    return load<OwnedReservations>("reading the reservations", [=](reserve_info_msg_t** message) {
        return slurm_load_reservations(newer_than, message);
    });
}

inline Result<OwnedLicenses> load_licenses(std::time_t newer_than) {
    return load<OwnedLicenses>("reading the licenses", [=](license_info_msg_t** message) {
        return slurm_load_licenses(newer_than, message, SHOW_ALL);
    });
}

} // namespace qg::slurm

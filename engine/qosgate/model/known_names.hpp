// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names that jobs may request: reservations, licenses, gres, features.
#pragma once

#include "qosgate/model/partition.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::model {

struct License {
    std::string name;
    std::uint32_t total = 0;
};

/// A reservation, and who may use it: users and accounts as Slurm writes them; a minus in front of a name
/// excludes it.
struct Reservation {
    std::string name;
    std::vector<std::string> users = {};     ///< empty: the accounts decide
    std::vector<std::string> accounts = {};  ///< empty: the users decide
    bool has_groups = false;                 ///< it is for Linux groups, whose members are not known here
    std::string partition = {};              ///< empty: none is named
    std::optional<std::uint32_t> nodes = {}; ///< empty: not known, none, or its jobs may use others, too
    std::vector<NodeRange> node_ranges = {}; ///< which these are; empty: that may change, or as above
    std::optional<std::uint64_t> cpus = {};  ///< of these nodes, or some of them; empty: as above
    /// In seconds since 1970; of a repeated one the next. Empty: not known.
    std::optional<std::uint64_t> start_time = {};
    std::optional<std::uint64_t> end_time = {};
};

/// Names that nodes have.
struct NamesOfNodes {
    std::vector<std::string> all;
    std::vector<std::string> hidden = {}; ///< names that only hidden nodes have
};

/// The known names of each kind on a cluster, sorted.
struct KnownNames {
    std::vector<Reservation> reservations;
    std::vector<License> licenses;
    NamesOfNodes gres;                    ///< "gpu", and "gpu:a100" if nodes name the type
    NamesOfNodes features;                ///< active or not
    std::time_t reservations_read_at = 0; ///< by slurmctld's clock
    /// One of them floats in time: slurmctld says after each look at them that they have changed.
    bool has_floating_reservation = false;
    /// The names of nodes, including hostnames, with the index of each in the cluster's node table. Empty:
    /// not known.
    std::vector<std::string> nodes = {};
    std::vector<std::uint32_t> node_indices = {};

    /// The name of a node, which must have one. Cost: linear in all nodes.
    [[nodiscard]] std::string_view name_of_node(std::uint32_t index) const {
        const auto found = std::ranges::find(node_indices, index);
        return nodes[static_cast<std::size_t>(found - node_indices.begin())];
    }
};

} // namespace qg::model

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names that jobs may ask for by options of their own: reservations, licenses, gres, features.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qg::model {

struct License {
    std::string name;
    std::uint32_t total = 0;
};

/// A reservation, and whom it is for: users and accounts as Slurm writes them, where a minus in front leaves
/// one out.
struct Reservation {
    std::string name;
    std::vector<std::string> users = {};    ///< empty: the accounts decide
    std::vector<std::string> accounts = {}; ///< empty: the users decide
    bool has_groups = false; ///< it is for Linux groups, of which nobody knows here who is in them
};

/// What a cluster has of each, as far as it is known. All is sorted by name.
struct KnownNames {
    std::vector<Reservation> reservations;
    std::vector<License> licenses;
    std::vector<std::string> gres;     ///< of all nodes: "gpu", and "gpu:a100" where nodes say the type
    std::vector<std::string> features; ///< of all nodes, active or not
};

} // namespace qg::model

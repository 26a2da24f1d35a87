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

/// What a cluster has of each, as far as it is known. The lists of names are sorted.
struct KnownNames {
    std::vector<std::string> reservations;
    std::vector<License> licenses;
    std::vector<std::string> gres;     ///< of all nodes: "gpu", and "gpu:a100" where nodes say the type
    std::vector<std::string> features; ///< of all nodes, active or not
};

} // namespace qg::model

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names in a part of slurmctld's records, as a text that a test compares.
#pragma once

#include "qosgate/slurm/assoc_records.hpp"

#include <string>

namespace qg::test {

/// "qos a b, accounts c"; "all" stands before it if the part is more than names.
inline std::string shown(const slurm::RecordsPart& part) {
    std::string text = part.all_qos || part.all_associations ? "all, qos" : "qos";
    for (const std::string& name : part.qos)
        text += " " + name;
    text += ", accounts";
    for (const std::string& name : part.accounts)
        text += " " + name;
    return text;
}

} // namespace qg::test

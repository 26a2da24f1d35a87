// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which QOSs, partitions and accounts may be suggested for a job, and in which order. All suggestions ask
// here: those for new jobs (accepted_alternative.hpp), and the commands of `qosgate why`.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/policy/settings.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qg::gate {

/// The names, the first to be tried first, without those that the job has. Whether one helps is for the
/// caller to find out, with a forecast.
struct Alternatives {
    /// Of those that the job's user may use with its account, the ones that the site lists
    /// (Settings::suggest_qos): the user's default first, then as the site lists them, or else by name.
    std::vector<std::string> qos;
    /// Of those that are open to every user, the ones that the site lists (Settings::suggest_partition), as
    /// it lists them, or else the cluster's default first, then as in slurm.conf. None if partitions are
    /// hidden from the reader.
    std::vector<std::string> partitions;
    std::vector<std::string> accounts; ///< of the user, the default first

    /// Whether a QOS of `qos` is meant for such jobs: one that the site lists, the user's default, or one
    /// whose Priority is not above that of the job's QOS. A QOS that gives more priority is for what its
    /// owner made it for, which no record says. `with` is the view of the job in that QOS.
    [[nodiscard]] bool means_qos(const model::AccountView& with) const;

    bool lists_qos = false;         ///< the site does
    std::string default_qos;        ///< of the user
    std::uint32_t qos_priority = 0; ///< of the job's own QOS; the maximum if it has none
};

/// Only the partitions. Cost: linear in the names.
std::vector<std::string> other_partitions(const ResolvedRequest& at, const policy::Settings& settings);

/// Finds them. Cost: one look-up, and linear in the names. Threads: those of the provider.
Alternatives find_alternatives(const ResolvedRequest& at, const policy::Settings& settings);

} // namespace qg::gate

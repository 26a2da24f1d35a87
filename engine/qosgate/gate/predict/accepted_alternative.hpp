// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where else a job would be accepted unchanged: with another QOS or account of its user, or in another
// partition.
#pragma once

#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/policy/settings.hpp"

#include <functional>
#include <optional>

namespace qg::gate {

/// Whether a request that slurmctld would accept may be suggested; asked last.
using IsGood = std::function<bool(const model::JobRequest&)>;

/// The maximum of QOSs, of partitions and of accounts that are tried. Of an accepted job that waits they are
/// fewer: there are many of these, and slurmctld waits meanwhile.
inline constexpr std::size_t max_alternatives = 8;
inline constexpr std::size_t max_alternatives_of_waiting = 2;

/// The request with another QOS, partition or account that slurmctld would accept, that no limit and no
/// partition rule blocks permanently, and that is good; for a QOS that the user may use with another account
/// only, that account. Which may be named, and in which order they are tried: alternatives.hpp. Empty if none
/// was found, or if the names in the request are the problem. Cost: at most `max_names` QOSs, as
/// many partitions and accounts are tried, with a few forecasts each; only for jobs that are refused or do
/// not start. Threads: those of the provider.
std::optional<model::JobRequest> find_accepted_alternative(const ResolvedRequest& at,
                                                           limits::Strictness strictness,
                                                           const policy::Settings& settings,
                                                           const IsGood& is_good,
                                                           std::size_t max_names = max_alternatives);

/// The request in another partition that would accept it, for a job whose own partitions accept or start no
/// jobs. Empty if none was found. Cost: a few forecasts. Threads: those of the provider.
std::optional<model::JobRequest> find_open_partition(const ResolvedRequest& at, limits::Strictness strictness,
                                                     const policy::Settings& settings, const IsGood& is_good);

/// The request in another partition that would accept and start it and that leaves nothing to advise on
/// (advice.hpp), for a job that asks for nodes which its own partitions do not have. Empty if none was found.
/// Cost: at most 8 partitions are tried, with a few forecasts each. Threads: those of the provider.
std::optional<model::JobRequest> find_fitting_partition(const ResolvedRequest& at,
                                                        limits::Strictness strictness,
                                                        const policy::Settings& settings,
                                                        bool knows_reservations, const IsGood& is_good);

} // namespace qg::gate

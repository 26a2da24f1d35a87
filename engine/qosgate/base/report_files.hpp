// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files in StateSaveLocation in which the plugin reports its state to other programs.
#pragma once

#include <string>
#include <string_view>

namespace qg {

/// That of the controller in charge.
inline constexpr std::string_view report_file_name = "qosgate_status.json";

/// That of a standby controller, by its host's name: "qosgate_standby.head2.json". Of "head2.hpc.org" it is
/// the same: slurm.conf has short names.
std::string standby_report_file_name(std::string_view host);

/// This host's name; empty if it is not known.
std::string own_host_name();

/// Whether two names, each with or without its domain, are of one host.
bool is_same_host(std::string_view one, std::string_view other);

} // namespace qg

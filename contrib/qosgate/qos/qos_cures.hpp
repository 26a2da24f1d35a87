// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands that make QOSs free to be deleted, as lines for a shell.
#pragma once

#include "qosgate/slurmdb/qos_uses.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// The commands that end the uses, without duplicates. sacctmgr accepts them in this order: an association
/// loses a default QOS before, or together with, the QOS itself. Steps that need a person are comments.
std::vector<std::string> cure_commands(const slurmdb::QosUses& uses);

/// "sacctmgr -i modify user ana where cluster=c account=astro partition='' set CHANGE". `names`: of accounts,
/// or of users of one account; `first`: the association of the first.
std::string modify_command(const std::string& names, const model::AssociationName& first,
                           std::string_view change);

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `qosgate qos get` shows of a QOS besides its fields: its usage, and who may use it.
#pragma once

#include "qos/qos_json.hpp"

#include "qosgate/report/qos_usage.hpp"
#include "qosgate/report/user_world.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace qg::cli {

/// The users of one account that may use a QOS.
struct AccountAccess {
    std::string account;
    std::vector<std::string> users;    ///< sorted
    std::vector<std::string> defaults; ///< those whose jobs get it without --qos
};

struct QosAccess {
    bool is_enforced = false; ///< AccountingStorageEnforce has `qos`; else every user may use every QOS
    bool hides_users = false; ///< PrivateData hides other users from the caller, but those they coordinate
    bool knows_partitions = false;
    std::vector<AccountAccess> accounts; ///< by name
    std::vector<std::string> partition_qos_of;
    std::vector<std::string> refused_by; ///< partitions whose AllowQos or DenyQos refuses it
};

/// Cost: a look-up for each association that may use it.
QosAccess find_access(const report::UserWorld& world, const std::string& qos);

void print_access(std::ostream& out, const QosAccess& access);
Json to_json(const QosAccess& access);

/// The limits against what is used, by all, by account and by user: those that the viewer may see.
void print_usage(std::ostream& out, const report::QosUse& use, const report::Viewer& viewer);
Json to_json(const report::QosUse& use, const report::Viewer& viewer);

} // namespace qg::cli

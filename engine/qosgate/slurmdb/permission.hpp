// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether slurmdbd would let the caller change records. A dry run needs this check, because slurmdbd refuses
// only real changes.
#pragma once

#include "qosgate/slurmdb/connection.hpp"

#include <string_view>

namespace qg::slurmdb {

/// Succeeds for root, SlurmUser and users with AdminLevel=Administrator. `what` is to be done.
/// Errors: permission_denied, as slurmdbd's own refusal is told; those of Connection::ask().
Result<void> expect_administrator(Connection& connection, std::string_view what);

} // namespace qg::slurmdb

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether slurmdbd would let the caller change records, and shows all of them. A dry run needs the first,
// because slurmdbd refuses only real changes; and what is hidden must not be taken for what does not exist.
#pragma once

#include "qosgate/slurmdb/connection.hpp"

#include <string_view>

namespace qg::slurmdb {

/// Succeeds for root, SlurmUser and users with AdminLevel=Administrator. `what` is to be done.
/// Errors: permission_denied, as slurmdbd's own refusal is told; those of Connection::ask().
Result<void> expect_administrator(Connection& connection, std::string_view what);

/// Whether slurmdbd hides associations of others from the caller: `users` is in PrivateData of slurmdbd.conf,
/// and the caller is neither root nor SlurmUser and has no AdminLevel. Errors: those of Connection::ask().
/// Cost: two calls at most, for root and SlurmUser none.
Result<bool> hides_associations(Connection& connection);

} // namespace qg::slurmdb

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The live cluster as lint checks it.
#pragma once

#include "qos/qos_connection.hpp"

#include "qosgate/report/lint_checks.hpp"

namespace qg::cli {

/// Asks slurmdbd for the QOSs, and slurmctld for all else. For root, SlurmUser and operators: others may not
/// see everything.
/// Errors: those of QosStore::read_all() and capture_world(); permission_denied.
Result<report::LintInput> read_lint_input(QosConnection& access);

} // namespace qg::cli

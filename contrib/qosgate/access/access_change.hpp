// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the verbs of `qosgate access` share.
#pragma once

#include "access/grant_ends.hpp"
#include "access/grants.hpp"
#include "qos/qos_connection.hpp"

#include "qosgate/spec/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// Whose access to what a command is about.
struct AccessSubject {
    std::string qos;
    std::string user;
    std::string account;
    std::string partition;
};

struct ChangeAccessOptions : AccessOptions {
    AccessSubject subject;
    std::string state; ///< a directory; empty: the default
    bool dry_run = false;
};

/// Adds --qos, --user, --account and --partition.
void add_subject_options(Command command, AccessSubject& subject);

/// Adds --state, --dry-run, --timeout and --json.
void add_access_change_options(Command command, ChangeAccessOptions& options, Invocation& invocation);

/// Errors: invalid_input if neither a user nor an account is named.
Result<void> check_subject(const AccessSubject& subject);

/// The associations that are meant. Errors: not_found for a QOS, user or account that does not exist, with
/// the near miss.
Result<std::vector<const model::AssociationRecord*>> find_associations(const AccessSubject& subject,
                                                                       const spec::LiveState& live);

/// The association whose list this one has if it has none of its own. Null: there is none.
const model::AssociationRecord* find_above(const spec::LiveState& live,
                                           const model::AssociationRecord& record);

/// Carries out a plan of access alone; nothing changes in a dry run. `may_be_stored`: whether something may
/// be stored in spite of an error. Errors: those of admin::apply().
Result<void> change_access(const spec::Plan& plan, bool is_dry, QosConnection& access, Output& output,
                           bool& may_be_stored);

/// Ends those of the grants for which `is_meant` is true, in one transaction, as plan_ends() says. What
/// cannot be revoked because it is somebody's default QOS stays; each grant is tested by itself. The list is
/// locked meanwhile. Where others change the same again and again, it is tried anew, then each grant by
/// itself. Errors: those of the file and of admin::apply(), but for conflict.
Result<EndedGrants> end_grants(const GrantFile& file,
                               const std::function<bool(const TemporaryGrant&)>& is_meant, bool is_dry,
                               QosConnection& access, Output& output);

/// Writes them: {"revoked": [...], "left": [...], "dry_run": ...}, or a line each.
void report(const EndedGrants& ended, bool is_dry, Output& output);

/// The exit statuses of such a command, for its help.
std::string access_exit_help();

} // namespace qg::cli

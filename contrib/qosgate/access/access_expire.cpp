// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate access expire: ends what is due. For a timer.
#include "access/access_change.hpp"

#include <algorithm>
#include <ctime>
#include <memory>

namespace qg::cli {
namespace {

Result<int> expire(const ChangeAccessOptions& options, Output& output) {
    const auto file = GrantFile::open(options.state);
    if (!file) return file.error();
    const auto known = file->read();
    if (!known) return known.error();
    const std::time_t now = std::time(nullptr);
    const auto is_due = [now](const TemporaryGrant& grant) { return grant.until <= now; };
    const auto is_open = [](const TemporaryGrant& grant) { return grant.is_open; };
    // A timer asks slurmdbd only if there is something to do.
    if (std::ranges::none_of(*known, is_due) && std::ranges::none_of(*known, is_open)) {
        report(EndedGrants{}, options.dry_run, output);
        return 0;
    }
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto ended = end_grants(*file, is_due, options.dry_run, **access, output);
    if (!ended) return ended.error();
    report(*ended, options.dry_run, output);
    return 0;
}

} // namespace

void add_access_expire(Command access, Invocation& invocation) {
    auto options = std::make_shared<ChangeAccessOptions>();
    Command command = add_command(
        access, "expire", "End the temporary access that is due; for a timer",
        "Examples:\n"
        "  qosgate access expire --dry-run\n"
        "  systemctl enable --now qosgate-access-expire.timer && qosgate access expire\n\n"
        "All grants that are due are ended in one transaction, which restores what was stored before:\n"
        "nothing, '-QOS', or the association's own list without the QOS. If the account above may use the\n"
        "QOS now, users who inherit its list may still use it; the command says so.\n\n"
        "In these cases nothing is revoked, and the grant is removed from the list: the QOS or the\n"
        "association does not exist any more; somebody has revoked the access already; or the association\n"
        "has another list now, and the account above may use the QOS. The command names these grants.\n\n"
        "Users who made the QOS their default get the default of their account, or another QOS that they\n"
        "may use. If the QOS is the default of an account, its grant is not ended and stays in the list:\n"
        "each run names it and the commands after which it can be ended, and ends the others.\n\n"
        "A grant that a spec names has no end: 'qosgate spec apply' and 'watch' remove it from the list. If\n"
        "slurmdbd does not answer, the next run ends what is due.\n\n" +
            access_exit_help());
    add_access_change_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return expire(*options, output); };
    });
}

} // namespace qg::cli

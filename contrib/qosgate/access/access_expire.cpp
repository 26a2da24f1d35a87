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
        "What is due is revoked, all of it in one transaction: what was stored before comes back, be it "
        "nothing,\n"
        "'-QOS' or a list of their own without the QOS. If the account above may use it now, who inherits "
        "from it\n"
        "still may; this is told. A grant is left, told and taken from the list if the QOS or the "
        "association\n"
        "does not exist any more, somebody revoked it already, or the association has another list now and "
        "the\n"
        "account above may use it. Users who made it their default get that of the account, or another that "
        "they\n"
        "may use. If it is the default of an account, it is left and stays in the list: each run tells it "
        "with\n"
        "the commands that cure it, and ends the others. A grant that a spec names has no end ('qosgate "
        "spec\n"
        "apply' and 'watch' take it from the list).\n"
        "If slurmdbd does not answer, the next run does it.\n\n" +
            access_exit_help() +
            "\n\n"
            "With --json:\n"
            "  revoked   qos, account, user, partition, cluster, until, at, reason, by\n"
            "  left      the same, with why, is_forgotten (whether it is no longer in the list) and cures\n"
            "            (commands after which it can be revoked)\n"
            "  defaults  of users who had made a QOS that ends their default: qos (the default now; null: "
            "that\n"
            "            of the account), account, user, partition, cluster\n"
            "  dry_run   with --dry-run");
    add_access_change_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return expire(*options, output); };
    });
}

} // namespace qg::cli

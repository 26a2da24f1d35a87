// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate access revoke: ends temporary access before its time.
#include "access/access_change.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <memory>

namespace qg::cli {
namespace {

constexpr int exit_left = 75;

bool is_grant_to(const TemporaryGrant& grant, const AccessSubject& subject) {
    return grant.qos == text::lower(subject.qos) && grant.name.user == subject.user &&
           (subject.account.empty() || text::iequals(grant.name.account, subject.account)) &&
           (subject.partition.empty() || grant.name.partition == subject.partition);
}

Result<int> revoke(const ChangeAccessOptions& options, Output& output) {
    if (const auto subject = check_subject(options.subject); !subject) return subject.error();
    const auto file = GrantFile::open(options.state);
    if (!file) return file.error();
    const auto known = file->read();
    if (!known) return known.error();
    const auto meant = [&](const TemporaryGrant& grant) { return is_grant_to(grant, options.subject); };
    if (std::ranges::none_of(*known, meant))
        return Error{ErrorCode::not_found,
                     "there is no such grant here ('qosgate access list' shows them); permission for good is "
                     "changed in a spec, or with 'sacctmgr modify ... set qos-='"};
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto ended = end_grants(*file, meant, options.dry_run, **access, output);
    if (!ended) return ended.error();
    report(*ended, options.dry_run, output);
    const bool is_left =
        std::ranges::any_of(ended->left, [](const auto& each) { return !each.is_forgotten; });
    return is_left ? exit_left : 0;
}

} // namespace

void add_access_revoke(Command access, Invocation& invocation) {
    auto options = std::make_shared<ChangeAccessOptions>();
    Command command = add_command(
        access, "revoke", "End temporary access before its time",
        "Examples:\n"
        "  qosgate access revoke --qos long --user ana\n"
        "  qosgate access revoke --qos gpu --account astro --dry-run\n\n"
        "Only what 'qosgate access grant' has granted, and only if it is still so: see 'qosgate access "
        "expire\n"
        "--help'. Running jobs go on; pending ones wait for ever (Reason InvalidQOS).\n\n" +
            access_exit_help());
    add_subject_options(command, options->subject);
    add_access_change_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return revoke(*options, output); };
    });
}

} // namespace qg::cli

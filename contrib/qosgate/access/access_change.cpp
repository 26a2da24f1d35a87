// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/access_change.hpp"

#include "common/interrupt.hpp"
#include "qos/qos_arguments.hpp"
#include "qos/qos_json.hpp"
#include "qos/qos_objections.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/association_store.hpp"
#include "qosgate/slurmdb/permission.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace qg::cli {
namespace {

using model::AssociationRecord;

/// The most commands that are shown for one grant.
constexpr std::size_t max_cures = 20;

/// Null: there is none.
const AssociationRecord* find_association(const spec::LiveState& live, const model::AssociationName& name) {
    const auto found = std::ranges::find(live.associations, name, &AssociationRecord::name);
    return found == live.associations.end() ? nullptr : &*found;
}

/// Whether a QOS that is taken from `top` is taken from this association, too: it is the same, or inherits.
bool loses_with(const AssociationRecord& record, const AssociationRecord& top, const std::string& qos,
                const spec::LiveState& live) {
    const AssociationRecord* next = &record;
    for (std::size_t depth = 0; next != nullptr && depth < live.associations.size(); ++depth) {
        if (next == &top) return true;
        if (next->own_qos && next->own_qos->contains(qos)) return false;
        next = find_above(live, *next);
    }
    return false;
}

/// The commands that make another QOS the default where the granted one is it.
std::vector<std::string> default_cures(const TemporaryGrant& grant, const spec::LiveState& live) {
    const AssociationRecord& top = *find_association(live, grant.name);
    std::vector<std::string> cures;
    for (const AssociationRecord& record : live.associations) {
        if (record.default_qos != grant.qos) continue;
        const bool is_own = record.own_default_qos == grant.qos;
        if ((!is_own && &record != &top) || !loses_with(record, top, grant.qos, live)) continue;
        const AssociationRecord* above = find_above(live, record);
        const bool can_inherit =
            is_own && (above == nullptr || !above->default_qos || record.qos.contains(*above->default_qos)) &&
            (above == nullptr || above->default_qos != grant.qos);
        std::string change = "defaultqos=-1"; // the one of the account above
        if (!can_inherit)
            for (const std::string& other : record.qos)
                if (other != grant.qos && (change.ends_with("-1") || other == "normal"))
                    change = "defaultqos=" + text::shell_word(other);
        const std::string& name = record.name.user.empty() ? record.name.account : record.name.user;
        cures.push_back(modify_command(name, record.name, change));
    }
    return cures;
}

Error not_found(std::string message) {
    return {ErrorCode::not_found, std::move(message)};
}

/// The ends of all grants that can end. The others become `ended.left`. Errors: those of reading.
Result<PlannedEnds> plan_possible_ends(const std::vector<TemporaryGrant>& grants, const spec::LiveState& live,
                                       QosConnection& access) {
    const auto qos = access.store().read_all();
    if (!qos) return qos.error();
    const auto tree = slurmdb::AssociationStore(access.connection(), live.cluster).read_tree(*qos);
    if (!tree) return tree.error();
    PlannedEnds together = plan_ends(grants, live);
    const auto checked = tree->plan(together.plan.access);
    if (checked) return together;
    if (checked.error().code != ErrorCode::invalid_input) return checked.error();
    std::vector<TemporaryGrant> possible;
    std::vector<EndedGrants::Left> impossible;
    for (const TemporaryGrant& grant : grants) {
        possible.push_back(grant);
        const auto fits = tree->plan(plan_ends(possible, live).plan.access);
        if (fits) continue;
        if (fits.error().code != ErrorCode::invalid_input) return fits.error();
        possible.pop_back();
        impossible.push_back({grant, fits.error().message, false, default_cures(grant, live)});
    }
    PlannedEnds ends = plan_ends(possible, live);
    ends.ended.left.insert(ends.ended.left.end(), impossible.begin(), impossible.end());
    return ends;
}

} // namespace

void add_subject_options(Command command, AccessSubject& subject) {
    command.add_option("--qos", subject.qos, "The QOS").required().option_text("NAME REQUIRED");
    command.add_option("--user", subject.user, "The user; without --account in all of their accounts")
        .option_text("NAME");
    command
        .add_option("--account", subject.account,
                    "The account: only there, or without --user all in it who have no list of their own")
        .option_text("NAME");
    command.add_option("--partition", subject.partition, "Only the user's association for this partition")
        .option_text("NAME");
}

void add_access_change_options(Command command, ChangeAccessOptions& options, Invocation& invocation) {
    command
        .add_option("--state", options.state,
                    "Keep the grants in this directory; default: /var/lib/qosgate, for others than root "
                    "$XDG_STATE_HOME/qosgate")
        .option_text("DIR");
    command.add_flag("--dry-run", options.dry_run, "Check and show, but change nothing");
    add_access_options(command, options, invocation);
}

Result<void> check_subject(const AccessSubject& subject) {
    if (subject.user.empty() && subject.account.empty())
        return Error{ErrorCode::invalid_input, "whose access? Name --user, --account or both"};
    if (subject.user.empty() && !subject.partition.empty())
        return Error{ErrorCode::invalid_input, "--partition belongs to --user: accounts have no partitions"};
    return {};
}

Result<std::vector<const AssociationRecord*>> find_associations(const AccessSubject& subject,
                                                                const spec::LiveState& live) {
    std::vector<std::string> qos;
    for (const model::QosRecord& record : live.qos)
        qos.push_back(record.name);
    if (std::ranges::find(qos, text::lower(subject.qos)) == qos.end())
        return not_found(text::format("there is no QOS {}{}", text::quoted(subject.qos, 64),
                                      text::did_you_mean(subject.qos, qos)));
    std::vector<const AssociationRecord*> found;
    std::vector<std::string> users;
    std::vector<std::string> accounts;
    for (const AssociationRecord& record : live.associations) {
        const model::AssociationName& name = record.name;
        if (name.user.empty()) accounts.push_back(name.account);
        if (!name.user.empty()) users.push_back(name.user);
        const bool is_account = subject.account.empty() || text::iequals(name.account, subject.account);
        const bool is_partition = subject.partition.empty() || name.partition == subject.partition;
        if (name.user == subject.user && is_account && is_partition) found.push_back(&record);
    }
    if (!found.empty()) return found;
    if (live.hides_associations)
        return Error{ErrorCode::permission_denied, std::string(spec::hidden_associations)};
    if (!subject.account.empty() && std::ranges::none_of(accounts, [&](const std::string& account) {
            return text::iequals(account, subject.account);
        }))
        return not_found(text::format("there is no account {}{}", text::quoted(subject.account, 64),
                                      text::did_you_mean(subject.account, accounts)));
    if (std::ranges::find(users, subject.user) == users.end())
        return not_found(text::format("there is no user {}{}", text::quoted(subject.user, 64),
                                      text::did_you_mean(subject.user, users)));
    return not_found(text::format("user {} has no such association", text::quoted(subject.user, 64)));
}

const AssociationRecord* find_above(const spec::LiveState& live, const AssociationRecord& record) {
    const bool is_user = !record.name.user.empty();
    const std::string& account = is_user ? record.name.account : record.parent_account;
    if (account.empty()) return nullptr;
    return find_association(live, {.cluster = record.name.cluster, .account = account});
}

Result<void> change_access(const spec::Plan& plan, bool is_dry, QosConnection& access, Output& output,
                           bool& may_be_stored) {
    may_be_stored = false;
    if (is_dry) return slurmdb::expect_administrator(access.connection(), "change associations");
    InterruptWatch interrupt;
    return admin::apply(access.connection(), plan,
                        [&](slurmdb::CommitStep step) {
                            if (step == slurmdb::CommitStep::stored) output.note_stored();
                            may_be_stored = step != slurmdb::CommitStep::undone;
                            interrupt.note(step);
                        },
                        {});
}

namespace {

using Grants = std::vector<TemporaryGrant>;

bool contains(const Grants& grants, const TemporaryGrant& grant) {
    return std::ranges::find(grants, grant) != grants.end();
}

/// What an earlier try has stored is revoked by this command, not before it.
void count_as_revoked(const Grants& stored, EndedGrants& ended) {
    const auto is_stored = [&](const EndedGrants::Left& each) {
        return each.was_revoked && contains(stored, each.grant);
    };
    for (const EndedGrants::Left& each : ended.left)
        if (is_stored(each)) ended.revoked.push_back(each.grant);
    std::erase_if(ended.left, is_stored);
}

/// The same, once. `stored`: the grants whose ends earlier tries have stored, although they lost to another
/// change; those of this one are added.
Result<EndedGrants> end_once(const GrantFile& file,
                             const std::function<bool(const TemporaryGrant&)>& is_meant, bool is_dry,
                             QosConnection& access, Output& output, Grants& stored) {
    auto grants = file.lock();
    if (!grants) return grants.error();
    const auto live = admin::read_live(access.connection());
    if (!live) return live.error();
    // What is hidden would count as gone, and the grants would be forgotten.
    if (live->hides_associations)
        return Error{ErrorCode::permission_denied, std::string(spec::hidden_associations)};
    const Grants listed = grants->all;
    for (const TemporaryGrant& grant : settle(grants->all, *live))
        output.note(text::format("{}: it is not stored, so that it {} taken from the list of what ends",
                                 describe(grant), is_dry ? "would be" : "is"));
    Grants meant;
    std::ranges::copy_if(grants->all, std::back_inserter(meant), [&](const TemporaryGrant& grant) {
        return text::iequals(grant.name.cluster, live->cluster) && is_meant(grant);
    });
    auto ends = plan_possible_ends(meant, *live, access);
    if (!ends) return ends.error();
    EndedGrants& ended = ends->ended;
    bool may_be_stored = false;
    if (ends->plan.changes_anything())
        if (const auto done = change_access(ends->plan, is_dry, access, output, may_be_stored); !done) {
            if (may_be_stored) stored.insert(stored.end(), ended.revoked.begin(), ended.revoked.end());
            return done.error();
        }
    count_as_revoked(stored, ended);
    const auto has_ended = [&](const TemporaryGrant& grant) {
        return contains(ended.revoked, grant) ||
               std::ranges::any_of(ended.left, [&](const EndedGrants::Left& each) {
                   return each.is_forgotten && each.grant == grant;
               });
    };
    std::erase_if(grants->all, has_ended);
    if (is_dry || grants->all == listed) return ended;
    if (const auto written = grants->write(); !written)
        return written.error().in("revoked, but still in the list");
    return ended;
}

/// The same, some times: somebody else may change the same in between.
Result<EndedGrants> end_soon(const GrantFile& file,
                             const std::function<bool(const TemporaryGrant&)>& is_meant, bool is_dry,
                             QosConnection& access, Output& output, Grants& stored) {
    constexpr int max_tries = 4;
    auto ended = end_once(file, is_meant, is_dry, access, output, stored);
    for (int tries = 1; tries < max_tries && !ended && ended.error().code == ErrorCode::conflict; ++tries)
        ended = end_once(file, is_meant, is_dry, access, output, stored);
    return ended;
}

} // namespace

Result<EndedGrants> end_grants(const GrantFile& file,
                               const std::function<bool(const TemporaryGrant&)>& is_meant, bool is_dry,
                               QosConnection& access, Output& output) {
    Grants stored;
    auto together = end_soon(file, is_meant, is_dry, access, output, stored);
    if (together || together.error().code != ErrorCode::conflict) return together;
    // Who changes their own default all the time must not hold up the others.
    const auto known = file.read();
    if (!known) return known.error();
    EndedGrants all;
    for (const TemporaryGrant& grant : *known) {
        if (!is_meant(grant)) continue;
        const auto is_it = [&](const TemporaryGrant& other) {
            return is_same_access(other, grant) && is_meant(other);
        };
        auto ended = end_soon(file, is_it, is_dry, access, output, stored);
        if (!ended && ended.error().code != ErrorCode::conflict) return ended;
        if (ended)
            append(*ended, all);
        else
            all.left.push_back({grant, "somebody else changed the same again and again", false});
    }
    return all;
}

void report(const EndedGrants& ended, bool is_dry, Output& output) {
    for (const std::string& warning : ended.warnings)
        output.warn(warning);
    if (output.json()) {
        Json revoked = Json::array();
        for (const TemporaryGrant& grant : ended.revoked)
            revoked.push_back(to_json(grant));
        Json left = Json::array();
        for (const EndedGrants::Left& each : ended.left) {
            left.push_back(to_json(each.grant));
            left.back()["why"] = each.why;
            left.back()["is_forgotten"] = each.is_forgotten;
            left.back()["cures"] = each.cures;
        }
        Json defaults = Json::array();
        for (const EndedGrants::Default& each : ended.defaults) {
            defaults.push_back({{"qos", each.qos.empty() ? Json() : Json(each.qos)}});
            defaults.back().update(to_json(each.name));
            defaults.back()["cluster"] = each.name.cluster;
        }
        output.write({{"revoked", revoked}, {"left", left}, {"defaults", defaults}, {"dry_run", is_dry}});
        return;
    }
    for (const TemporaryGrant& grant : ended.revoked)
        output.text() << text::format("{}: {}\n", describe(grant), is_dry ? "would be revoked" : "revoked");
    for (const EndedGrants::Left& each : ended.left) {
        output.text() << text::format("{}: left as it is: {}\n", describe(each.grant), each.why);
        if (!each.is_forgotten)
            output.text() << (each.cures.empty() ? "  it stays in the list\n"
                                                 : "  it stays in the list; what to do first:\n");
        for (const std::string& cure : std::span(each.cures).first(std::min(each.cures.size(), max_cures)))
            output.text() << "  " << cure << '\n';
        if (each.cures.size() > max_cures)
            output.text() << text::format("  ... and {} more (--json lists all)\n",
                                          each.cures.size() - max_cures);
    }
    for (const EndedGrants::Default& each : ended.defaults)
        output.text() << text::format("Default QOS of {}: {} {}, because it was a QOS that ends\n",
                                      describe(each.name), is_dry ? "would be" : "is now",
                                      each.qos.empty()
                                          ? each.is_usable ? "that of the account" : "none that they may use"
                                          : text::printable(each.qos));
    if (ended.revoked.empty() && ended.left.empty()) output.text() << "Nothing to revoke.\n";
}

std::string access_exit_help() {
    return "Exit status:\n"
           "  0   done, or nothing to do\n"
           "  64  the command line is wrong\n"
           "  65  a value is wrong, or the list of grants is damaged\n"
           "  66  there is no such QOS, user, account or grant\n"
           "  69  slurmdbd cannot be reached; slurm.conf or the list cannot be used\n"
           "  73  the access is there already, and no grant in the list ends it\n"
           "  74  the output cannot be written; the message says whether the change is stored\n"
           "  75  somebody else changed the same: nothing was changed; of revoke: access is left, and stays "
           "in the list\n"
           "  77  not permitted: root, SlurmUser and administrators of accounting may\n"
           "  78  Slurm has no slurmdbd";
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate access grant: lets somebody use a QOS for a time.
#include "access/access_change.hpp"
#include "common/job_user.hpp"
#include "common/past_period.hpp"
#include "qos/qos_arguments.hpp"
#include "qos/qos_json.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

namespace qg::cli {
namespace {

constexpr std::size_t max_reason = 1000;

struct GrantOptions : ChangeAccessOptions {
    std::string until;
    std::string reason;
};

struct Granted {
    std::vector<TemporaryGrant> granted;
    std::vector<TemporaryGrant> extended; ///< that were granted before
    std::vector<TemporaryGrant> kept;     ///< that may use it already, not by a grant in the list
};

StoredBefore stored_before(const model::AssociationRecord& record, const std::string& qos) {
    if (record.own_qos) return StoredBefore::own_list;
    return record.removed_qos.contains(qos) ? StoredBefore::removed : StoredBefore::nothing;
}

/// Whether it may use the QOS because of a grant to an account above that is in the list, and stores nothing
/// about it.
bool inherits_for_a_time(const model::AssociationRecord& record, const std::string& qos,
                         const spec::LiveState& live, const std::vector<TemporaryGrant>& known) {
    const model::AssociationRecord* next = &record;
    for (std::size_t depth = 0; next != nullptr && depth < live.associations.size(); ++depth) {
        if (next != &record && has_access(known, {.qos = qos, .name = next->name})) return true;
        if (next->own_qos || next->added_qos.contains(qos)) return false;
        next = find_above(live, *next);
    }
    return false;
}

/// The change after which it has the QOS itself.
model::AccessChange change_to_grant(const model::AssociationRecord& record, const std::string& qos) {
    if (!record.qos.contains(qos)) return {.name = record.name, .granted = {qos}};
    model::AccessChange change{.name = record.name,
                               .own = own_access(record)}; // what it inherits is not granted
    change.own->added.insert(qos);
    return change;
}

/// Puts them into the list, in place of earlier ones of the same access.
void remember(const Granted& now, std::vector<TemporaryGrant>& all) {
    std::erase_if(all, [&](const TemporaryGrant& old) {
        return has_access(now.granted, old) || has_access(now.extended, old);
    });
    all.insert(all.end(), now.granted.begin(), now.granted.end());
    all.insert(all.end(), now.extended.begin(), now.extended.end());
}

/// They are granted.
void close_grants(std::vector<TemporaryGrant>& all, const std::vector<TemporaryGrant>& granted) {
    for (TemporaryGrant& each : all)
        if (has_access(granted, each)) each.is_open = false;
}

void report_grants(const Granted& now, bool is_dry, Output& output) {
    const auto list = [](const std::vector<TemporaryGrant>& grants) {
        Json all = Json::array();
        for (const TemporaryGrant& each : grants)
            all.push_back(to_json(each));
        return all;
    };
    if (output.json()) {
        output.write({{"granted", list(now.granted)},
                      {"extended", list(now.extended)},
                      {"kept", list(now.kept)},
                      {"dry_run", is_dry}});
        return;
    }
    for (const TemporaryGrant& grant : now.granted)
        output.text() << text::format("{}: {} until {}\n", describe(grant),
                                      is_dry ? "would be granted" : "granted", text::local_time(grant.until));
    for (const TemporaryGrant& grant : now.extended)
        output.text() << text::format("{}: granted before; {} at {} instead\n", describe(grant),
                                      is_dry ? "would end" : "it ends", text::local_time(grant.until));
    for (const TemporaryGrant& grant : now.kept)
        output.text() << text::format(
            "{}: left as it is: it may be used already, and no grant in this list ends that\n",
            describe(grant));
}

/// Whether systemd starts the timer that ends access. Its [Install] section says where the link is.
bool is_timer_enabled() {
    namespace fs = std::filesystem;
    constexpr std::string_view directories[] = {"/etc/systemd/system", "/run/systemd/system",
                                                "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"};
    return std::ranges::any_of(directories, [](std::string_view directory) {
        std::error_code ignored;
        return fs::exists(fs::symlink_status(
            fs::path(directory) / "timers.target.wants/qosgate-access-expire.timer", ignored));
    });
}

/// Says who ends it if the timer does not.
void warn_without_timer(const GrantFile& file, const std::string& state, Output& output) {
    if (file.is_of_timer()) {
        if (!is_timer_enabled())
            output.warn(
                "nothing on this host ends this, because qosgate-access-expire.timer is not enabled: "
                "systemctl enable --now qosgate-access-expire.timer; or let cron run, as root: qosgate "
                "access expire");
        return;
    }
    const std::string where = state.empty() ? "" : " --state " + text::shell_word(state);
    output.warn(text::format("qosgate-access-expire.timer does not end this: it is kept in {}, and the timer "
                             "runs as root without --state; when it is due, this ends it, run by {}: qosgate "
                             "access expire{}",
                             text::printable(file.path().string(), 1000), text::printable(name_of_caller()),
                             where));
}

Result<int> grant(const GrantOptions& options, Output& output) {
    if (const auto subject = check_subject(options.subject); !subject) return subject.error();
    if (options.reason.size() > max_reason)
        return Error{ErrorCode::invalid_input, text::format("--reason: {} bytes at most", max_reason)};
    if (text::trim(options.reason).empty())
        return Error{ErrorCode::invalid_input,
                     "--reason: it is empty; write why, for those who read the list"};
    const std::time_t now = std::time(nullptr);
    const auto until = parse_future("--until", options.until, now);
    if (!until) return until.error();
    if (until->comes_twice)
        output.note(text::format("{} comes twice, because clocks are set back: the second one counts",
                                 text::printable(options.until)));
    const auto file = GrantFile::open(options.state);
    if (!file) return file.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    auto grants = file->lock();
    if (!grants) return grants.error();
    const auto live = admin::read_live((*access)->connection());
    if (!live) return live.error();
    settle(grants->all, *live);
    const std::vector<TemporaryGrant> known = grants->all;
    const auto associations = find_associations(options.subject, *live);
    if (!associations) return associations.error();

    Granted result;
    spec::Plan plan;
    plan.cluster = live->cluster;
    const std::string qos = text::lower(options.subject.qos);
    for (const model::AssociationRecord* record : *associations) {
        TemporaryGrant fresh{qos, record->name, until->time, options.reason, name_of_caller(), now};
        const auto old = std::ranges::find_if(
            known, [&](const TemporaryGrant& each) { return is_same_access(each, fresh); });
        if (record->qos.contains(qos) && old != known.end()) {
            fresh.before = old->before;
            result.extended.push_back(fresh);
        } else if (!record->qos.contains(qos) || inherits_for_a_time(*record, qos, *live, known)) {
            fresh.before = stored_before(*record, qos);
            fresh.is_open = true;
            plan.access.push_back(change_to_grant(*record, qos));
            plan.access_base.push_back(*record);
            result.granted.push_back(fresh);
        } else {
            result.kept.push_back(fresh);
        }
    }
    if (result.granted.empty() && result.extended.empty())
        return Error{
            ErrorCode::already_exists,
            text::format(
                "{}: it may be used already, and no grant in this list ends that: nothing was granted",
                describe(result.kept.front()))};
    // First the list: what is in it and was not granted is only forgotten later, never the other way round.
    if (!options.dry_run) {
        remember(result, grants->all);
        if (const auto done = grants->write(); !done) return done.error();
    }
    if (plan.changes_anything()) {
        bool may_be_stored = false;
        const auto done = change_access(plan, options.dry_run, **access, output, may_be_stored);
        if (!done && !may_be_stored && !options.dry_run) {
            grants->all = known;
            if (const auto written = grants->write(); !written)
                output.warn("the list of grants has what was not granted: " + written.error().message);
        }
        if (!done) return done.error();
        if (!options.dry_run) close_grants(grants->all, result.granted);
        if (const auto written = options.dry_run ? Result<void>() : grants->write(); !written)
            output.warn("whether it was granted is decided at the next run: " + written.error().message);
    }
    report_grants(result, options.dry_run, output);
    warn_without_timer(*file, options.state, output);
    return 0;
}

} // namespace

void add_access_grant(Command access, Invocation& invocation) {
    auto options = std::make_shared<GrantOptions>();
    Command command = add_command(
        access, "grant", "Let a user or an account use a QOS for a time",
        "Examples:\n"
        "  qosgate access grant --qos long --user ana --until 2026-12-24T18:00 --reason 'ticket 4711'\n"
        "  qosgate access grant --qos gpu --account astro --until 7d --reason 'summer school' --dry-run\n\n"
        "--until is a date in local time, or a span from now (s, m, h, d, w). A time over which clocks are\n"
        "set forward is refused; of one that comes twice, when they are set back, the second one counts.\n"
        "Granted again, it ends at the new time. What may be used already, and not because of a grant in the "
        "list,\n"
        "is not granted, because it would end then; it is left as it is. If a spec that names the access is "
        "applied here, it has no\n"
        "end any more.\n\n" +
            access_exit_help());
    add_subject_options(command, options->subject);
    command.add_option("--until", options->until, "When it ends").required().option_text("TIME REQUIRED");
    command.add_option("--reason", options->reason, "Why, for those who read the list")
        .required()
        .option_text("TEXT REQUIRED");
    add_access_change_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return grant(*options, output); };
    });
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy replay --from FILE...
#include "common/command.hpp"
#include "common/or_null.hpp"
#include "common/past_period.hpp"
#include "common/reading.hpp"
#include "job/judged_world.hpp"
#include "policy/policy_directory.hpp"
#include "policy/record_files.hpp"
#include "policy/replay.hpp"
#include "qos/qos_connection.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/report/changed_qos.hpp"
#include "qosgate/slurmdb/past_jobs.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace qg::cli {
namespace {

/// What was read, from records or from accounting.
struct PastRead {
    RecordsRead records;
    std::uint64_t not_chosen = 0;
    bool is_complete = true;
};

/// Everything that the answer tells.
struct ReplayReport {
    const Replay& replay;
    const PastRead& read;
    const policy::Policy& policy;
    const PolicyDirectory& directory;
    const JudgedWorld& world;
    const std::vector<std::string>& changed_qos;
    bool is_of_accounting;
    PastPeriod period;
};

/// `rate`: decisions in a second.
nlohmann::ordered_json to_json(const ReplayReport& report, double rate);
void print(const ReplayReport& report, std::ostream& out);
/// The error if nothing was decided: an answer of "nothing changes" would be wrong.
std::string why_nothing_decided(const ReplayReport& report);

using nlohmann::ordered_json;

constexpr const char* not_in_accounting =
    "Accounting has the jobs that slurmctld accepted, with the values that they had at last: those of rules, "
    "defaults and changes. Jobs that were refused are not in it. Nor is who sent a job: that counts as the "
    "owner.";

/// Why the site's script was not run; empty: there is none.
std::optional<std::string> why_script_not_replayed(const ReplayReport& report) {
    if (report.policy.script() == nullptr) return std::nullopt;
    return report.is_of_accounting
               ? "accounting has the jobs as the script of that time left them, not as they were sent"
               : "records have the jobs as the script of that time left them, not as they were sent";
}

/// Partitions that slurmctld refuses to users who are not in their groups. No decision says who is.
std::vector<std::string> groups_not_judged(const ReplayReport& report) {
    std::vector<std::string> names;
    for (const auto& partition : report.world.cluster->partitions.all())
        if (!partition->allow_groups.empty()) names.push_back(partition->name);
    return names;
}

ordered_json to_json(const ReplayReport& report, double rate) {
    ordered_json left_out = ordered_json::object();
    for (const auto& [why, count] : report.replay.left_out())
        left_out[why] = count;
    ordered_json answer{{"status", report.replay.decided() == 0          ? "nothing decided"
                                   : report.replay.sums().changes() == 0 ? "ok"
                                                                         : "differences"},
                        {"source", report.is_of_accounting ? "accounting" : "records"},
                        {"directory", report.directory.path.string()},
                        {"policy", text::format_hash(report.policy.hash())},
                        {"records", report.read.records.records},
                        {"decided", report.replay.decided()},
                        {"left_out", left_out},
                        {"changed_qos", report.changed_qos}};
    report.replay.sums().add_to(answer);
    answer["unreadable"] = report.read.records.unreadable;
    answer["lost"] = report.read.records.lost;
    answer["not_chosen"] = report.read.not_chosen;
    answer["is_complete"] = report.read.is_complete;
    answer["records_per_second"] = rate;
    answer["script_not_run"] = or_null(why_script_not_replayed(report));
    answer["groups_not_judged"] = groups_not_judged(report);
    return answer;
}

void print(const ReplayReport& report, std::ostream& out) {
    const Replay& replay = report.replay;
    out << text::format("{} of {} {}, decided again by the rules of {} (hash {:016x}), and the "
                        "limits and usage of {}: {} of {} {}\n",
                        replay.decided(), report.read.records.records,
                        report.is_of_accounting ? text::format("jobs submitted from {} to {}",
                                                               text::local_time(report.period.since),
                                                               text::local_time(report.period.until))
                                                : std::string("recorded decisions"),
                        text::printable(report.directory.path.string(), 4000), report.policy.hash(),
                        text::local_time(report.world.now), text::count_of(replay.sums().changes(), "job"),
                        text::count_of(replay.sums().users(), "user"),
                        replay.sums().changes() == 1 ? "changes" : "change");
    for (const std::string& change : report.changed_qos)
        out << "  with " << text::printable(change, 1000) << '\n';
    if (!report.changed_qos.empty()) out << "  compared with the same rules without these changes\n";
    replay.sums().print(out);
    if (!replay.left_out().empty()) out << "\nNot decided again:\n";
    for (const auto& [why, count] : replay.left_out())
        out << text::format("  {:>8}  {}\n", count, text::printable(why, 200));
    if (report.read.not_chosen > 0)
        out << text::format("Outside of --since, --until and --user: {}\n",
                            text::count_of(report.read.not_chosen, "record"));
    if (report.is_of_accounting) out << not_in_accounting << '\n';
    if (const auto why = why_script_not_replayed(report))
        out << text::format("Not run: {}; {}\n", policy::compat::script_file_name, *why);
    if (const auto names = groups_not_judged(report); !names.empty())
        out << text::format("Not judged: who is in the groups of AllowGroups (partitions {})\n",
                            text::printable(text::join(names, ", "), 1000));
    if (!report.read.is_complete) out << "Interrupted: not all of them were read\n";
    const RecordsRead& read = report.read.records;
    if (read.unreadable > 0) out << text::format("{} lines are no records\n", read.unreadable);
    if (read.lost > 0) out << text::format("{} records were lost while they were written\n", read.lost);
}

std::string why_nothing_decided(const ReplayReport& report) {
    const std::string what = report.is_of_accounting ? "job" : "record";
    if (report.read.records.records > 0)
        return text::format("none of {} could be decided again: the reasons stand in the answer",
                            text::count_of(report.read.records.records, what));
    return report.read.not_chosen > 0
               ? text::format("no record is left to decide: {} outside of --since, --until and --user",
                              text::count_of(report.read.not_chosen, what))
               : text::format("there is no {} to decide about", what);
}

struct ReplayOptions : AccessOptions {
    std::vector<std::string> files;
    bool from_accounting = false;
    std::string since;
    std::string until;
    std::string user;
    std::string directory;
    std::string world;
    std::vector<std::string> qos_changes;
};

constexpr std::string_view default_replay_since = "7d"; ///< of accounting

/// Which jobs are decided about.
struct Chosen {
    PastPeriod period;
    std::optional<std::uint32_t> user;

    [[nodiscard]] bool has(std::time_t time, std::uint32_t owner) const noexcept {
        return time >= period.since && (period.until == 0 || time < period.until) &&
               (!user || *user == owner);
    }
};

Result<PastRead> read_recorded(const std::vector<std::filesystem::path>& files, const Chosen& chosen,
                               Replay& replay, ReadingProgress& progress) {
    PastRead read;
    const bool takes_all = chosen.period.since == 0 && chosen.period.until == 0 && !chosen.user;
    const auto done = read_record_lines(files, [&](std::string_view line) -> std::optional<std::uint64_t> {
        if (is_reading_interrupted()) return 0;
        const auto record = PastRecord::parse(line);
        if (!record) return std::nullopt;
        progress.count();
        if (!takes_all) {
            const auto owner = static_cast<std::uint32_t>(record->uid.value_or(0));
            if (!chosen.has(to_record_time(record->time), owner)) {
                ++read.not_chosen;
                return 0;
            }
        }
        replay.add(*record);
        return static_cast<std::uint64_t>(std::max<std::int64_t>(record->dropped_before.value_or(0), 0));
    });
    if (!done) return done.error();
    read.records = *done;
    read.records.records -= read.not_chosen;
    read.is_complete = !is_reading_interrupted();
    return read;
}

Result<PastRead> read_accounting(const ReplayOptions& options, const std::string& cluster,
                                 const Chosen& chosen, Replay& replay, ReadingProgress& progress,
                                 Output& output) {
    const auto session = slurmdb::Session::open(std::chrono::seconds(options.timeout_seconds),
                                                [&output](const std::string& late) { output.note(late); });
    if (!session) return session.error();
    const auto connection = slurmdb::Connection::open(**session);
    if (!connection) return connection.error();
    const std::string own = (*session)->conf().cluster_name;
    PastRead read;
    const auto done = slurmdb::read_past_jobs(
        **connection,
        {.cluster = cluster.empty() ? own : cluster,
         .since = chosen.period.since,
         .until = chosen.period.until,
         .user = chosen.user},
        [&](const slurmdb::PastJob& job) {
            ++read.records.records;
            progress.count();
            replay.add(job);
            return !is_reading_interrupted();
        },
        [&](std::time_t until) {
            progress.at(until);
            return !is_reading_interrupted();
        });
    if (!done) return done.error();
    read.is_complete = !is_reading_interrupted();
    return read;
}

Result<std::uint32_t> find_user(const std::string& named, const JudgedWorld& world) {
    if (const auto found = world.users.find(named); found != world.users.end()) return found->second;
    if (const passwd* user = getpwnam(named.c_str())) return user->pw_uid;
    if (const auto number = text::parse_unsigned(named); number && *number < 0xffffffffu)
        return static_cast<std::uint32_t>(*number);
    return Error{ErrorCode::not_found,
                 text::format("neither the world nor this host has user {}", text::quoted(named, 64))};
}

Result<int> replay(const ReplayOptions& options, Output& output) {
    if (options.from_accounting && !options.files.empty())
        return Error{ErrorCode::invalid_input,
                     "--from names records, and --from-accounting reads none: give one "
                     "of them"};
    const auto directory = find_policy_directory(options.directory);
    if (!directory) return directory.error();
    const auto policy = load_policy_to_try(directory->path);
    if (!policy) return policy.error();
    Chosen chosen;
    const std::string since =
        options.since.empty() && options.from_accounting ? std::string(default_replay_since) : options.since;
    const std::time_t now = std::time(nullptr);
    const auto period = parse_period(since, options.until, now);
    if (!period) return period.error();
    chosen.period = *period;
    if (options.from_accounting && chosen.period.until == 0) chosen.period.until = now + 1;
    std::vector<std::filesystem::path> files;
    if (!options.from_accounting) {
        auto found = find_record_files(options.files);
        if (!found) return found.error();
        files = *std::move(found);
    }
    const bool is_live = options.world.empty();
    auto captured = is_live ? capture_world() : read_world_file(options.world);
    if (!captured) return captured.error();
    const std::string cluster = captured->cluster.name;
    const WorldMembers members(captured->records);
    const GroupSource groups = is_live ? GroupSource::directory : GroupSource::world;
    constexpr auto views = quota::LocalViews::short_within_limits; // only jobs near a limit need more
    std::optional<JudgedWorld> unchanged;
    std::vector<std::string> changes;
    if (!options.qos_changes.empty()) {
        unchanged = make_judged(*captured, groups, views);
        auto changed = report::change_qos(captured->records, options.qos_changes);
        if (!changed) return changed.error();
        changes = *std::move(changed);
    }
    const JudgedWorld world = make_judged(*std::move(captured), groups, views);
    if (is_live && !world.accounting->is_operator(getuid()))
        return Error{
            ErrorCode::permission_denied,
            "only root, SlurmUser and operators may decide again about the jobs of all users by limits "
            "and usage of slurmctld: name a file of 'qosgate capture' with --world"};
    if (!options.user.empty()) {
        const auto user = find_user(options.user, world);
        if (!user) return user.error();
        chosen.user = *user;
    }
    Replay replay(world, **policy, members, unchanged ? &*unchanged : nullptr);
    ReadingProgress progress(output);
    const InterruptedReading reading;
    const auto read = options.from_accounting
                          ? read_accounting(options, cluster, chosen, replay, progress, output)
                          : read_recorded(files, chosen, replay, progress);
    if (!read) return read.error();
    const ReplayReport report{
        replay, *read, **policy, *directory, world, changes, options.from_accounting, chosen.period};
    if (!output.json()) print(report, output.text());
    if (replay.decided() == 0) {
        const std::string why = why_nothing_decided(report);
        if (!output.json()) return Error{ErrorCode::not_found, why};
        output.fail_in_part(to_string(ErrorCode::not_found), why, to_json(report, progress.rate()));
        return exit_status(ErrorCode::not_found);
    }
    if (output.json()) output.write(to_json(report, progress.rate()));
    return replay.sums().changes() == 0 ? 0 : exit_differences;
}

} // namespace

void add_policy_replay(Command policy, Invocation& invocation) {
    auto options = std::make_shared<ReplayOptions>();
    Command command = add_command(
        policy, "replay", "Decide again about recorded jobs, and sum up what would change",
        "It reads decision records (the setting record_file), decides about each submission again by the\n"
        "rules of a directory, and compares that with what was decided then: the outcome (accepted,\n"
        "refused by qosgate, refused by slurmctld as qosgate expects) and the values that rules gave the\n"
        "job. Nothing is submitted.\n\n"
        "--from-accounting reads jobs from slurmdbd instead, in pages by the time of their submission. It "
        "has\n"
        "the jobs that slurmctld accepted, never those that were refused, and their last values: those that\n"
        "rules, defaults and changes gave them. A rule that changed a job then finds it changed. Rules that\n"
        "read what accounting does not hold (the script, --ntasks, --dependency, how GPUs were asked for, "
        "or\n"
        "whether the request sets a field that has a default) leave the job out. The sender counts as the\n"
        "owner.\n\n"
        "--qos changes limits before it decides: what would another limit have done? NAMES and FIELD=VALUE\n"
        "are those of 'qosgate qos update'. Then each job is decided about twice, with and without the\n"
        "changes, and these two are compared; WAIT counts accepted jobs that would wait for a limit only "
        "with\n"
        "the changes, at the present usage.\n\n"
        "Only the request and the time are those of the past. Limits, usage, users and partitions are those\n"
        "of slurmctld now, or those of a file that 'qosgate capture' wrote (--world): a difference that no\n"
        "rule made comes from them. Each decision stands alone: a job that is refused now does not free\n"
        "anything for the next one.\n\n"
        "What a record does not hold is not guessed. Such decisions are left out, and counted by the "
        "reason:\n"
        "changes of jobs; rules that read the script, its arguments, files or the environment; texts of "
        "more\n"
        "than 1000 bytes; requests that were too large to be read; records of older versions; jobs that\n"
        "the script compat/job_submit.lua refused, which is not run again; rules that\n"
        "read groups of users that are not known. Groups are those that this host's directory service knows\n"
        "now, or those of --world. Jobs that were accepted unchanged, without a message, are recorded only "
        "by\n"
        "record_percent. Jobs of users and accounts that the world does not have are left out, too:\n"
        "all jobs, if it was written with --anonymous.\n\n"
        "REFUSED counts jobs that were accepted and would be refused, ACCEPTED those that were refused and\n"
        "would be accepted, JOB those that would get other values. A job counts for each rule that had a "
        "part\n"
        "in its change; '(no rule)' is one by limits, usage or partitions. The hours are the job's CPUs and\n"
        "GPUs times its time limit, as submitted: what it may use, not what it used.\n\n"
        "Exit status:\n"
        "  0   nothing changes\n"
        "  1   some jobs change\n"
        "  64  the command line is wrong\n"
        "  65  the rules or the file of --world do not load\n"
        "  66  there is no such file or directory, or no record_file, or nothing could be decided again\n"
        "  69  slurmctld cannot be reached; slurm.conf or a file cannot be read\n"
        "  74  the output cannot be written\n"
        "  77  not permitted\n\n"
        "Examples:\n"
        "  sudo qosgate policy replay --policy ./qosgate.d\n"
        "  qosgate policy replay --from qosgate.jsonl --policy ./qosgate.d --world monday.json\n"
        "  sudo qosgate policy replay --from-accounting --since 30d --policy ./qosgate.d\n"
        "  sudo qosgate policy replay --from-accounting --qos 'normal:MaxTRESPerUser=gres/gpu=4'");
    command.add_option(
        "--from", options->files,
        "Files of records, or a directory of rules whose record_file is read; default: qosgate.d "
        "beside slurm.conf");
    command.add_flag("--from-accounting", options->from_accounting, "Read the jobs in slurmdbd instead");
    command.add_option(
        "--since", options->since,
        "Jobs from then on: 7d, 12h, 2026-11-20 or 2026-11-20T09:00; default: all records, 7d of "
        "accounting");
    command.add_option("--until", options->until, "Jobs before then, likewise; default: now");
    command.add_option("--user", options->user, "Only jobs of this user, a name or a number");
    command
        .add_option("--qos", options->qos_changes,
                    "NAMES:FIELD=VALUE ...: change QOSs before deciding; may be repeated")
        .allow_extra_args(false);
    command.add_option("--policy", options->directory,
                       "The directory of rules; default: qosgate.d beside slurm.conf");
    command.add_option("--world", options->world,
                       "A file of 'qosgate capture' to judge against; default: slurmctld now");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return replay(*options, output); };
    });
}

} // namespace qg::cli

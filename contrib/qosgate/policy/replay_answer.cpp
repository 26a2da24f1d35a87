// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/replay_answer.hpp"

#include "common/or_null.hpp"
#include "common/reading.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/site_script.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace qg::cli {
namespace {

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

} // namespace

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

} // namespace qg::cli

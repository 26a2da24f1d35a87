// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy replay --from FILE...
#include "change_sums.hpp"
#include "command.hpp"
#include "judged_world.hpp"
#include "policy_folder.hpp"
#include "policy_load.hpp"
#include "record_files.hpp"
#include "replayed_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/comparison.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/resolve.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

namespace qg::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct ReplayOptions {
    std::vector<std::string> files;
    std::string folder;
    std::string world;
};

constexpr int exit_differences = 1;
constexpr std::string_view refused_by_qosgate = "refused";

/// What a rule did with a job that makes a difference: rule, what, text.
using Deed = std::tuple<std::string, std::string, std::string>;

/// The part of a decision that a replay compares.
struct Verdict {
    std::string outcome;
    std::set<Deed> deeds;
    std::map<std::string, std::string> values; ///< of fields that rules changed, as they were left

    void add(std::string_view rule, std::string_view did, std::string_view text) {
        if (did == "changed") {
            const std::size_t name = text.find(": ");
            const std::size_t value = text.rfind(" -> ");
            if (outcome == refused_by_qosgate || name == std::string_view::npos ||
                value == std::string_view::npos)
                return;
            values[std::string(text.substr(0, name))] = text.substr(value + 4);
        } else if (did != "rejected" && did != "failed")
            return;
        deeds.emplace(rule, did, text);
    }
};

Verdict recorded_verdict(const json& record) {
    Verdict verdict{.outcome = text_of(record, "outcome"), .deeds = {}, .values = {}};
    if (const auto events = record.find("events"); events != record.end() && events->is_array())
        for (const json& event : *events)
            if (event.is_object())
                verdict.add(text_of(event, "rule"), text_of(event, "did"), text_of(event, "text"));
    return verdict;
}

Verdict verdict_of(const model::Decision& decision) {
    Verdict verdict{.outcome = std::string(gate::outcome_of(decision)), .deeds = {}, .values = {}};
    for (const model::DecisionEvent& event : decision.events) // a record has texts like this
        verdict.add(event.rule, event.did, text::printable(event.text, 1000));
    return verdict;
}

/// The rules that did in one decision what they did not in the other.
std::vector<std::string> differing_rules(const Verdict& before, const Verdict& after) {
    const bool one_refuses = (before.outcome == refused_by_qosgate) != (after.outcome == refused_by_qosgate);
    std::vector<Deed> differing;
    std::ranges::set_symmetric_difference(before.deeds, after.deeds, std::back_inserter(differing));
    std::vector<std::string> rules;
    for (const auto& [rule, did, text] : differing) {
        if (rule.empty() || (one_refuses && did == "changed")) continue; // a refused job is not changed
        if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
    }
    return rules;
}

/// The fields that end up with another value, if both decisions let the job in.
std::vector<std::string> differing_fields(const Verdict& before, const Verdict& after) {
    std::vector<std::string> fields;
    if (before.outcome == refused_by_qosgate || after.outcome == refused_by_qosgate) return fields;
    const auto add = [&](const Verdict& one, const Verdict& other) {
        for (const auto& [name, value] : one.values) {
            const auto found = other.values.find(name);
            if ((found == other.values.end() || found->second != value) &&
                std::ranges::find(fields, name) == fields.end())
                fields.push_back(name);
        }
    };
    add(before, after);
    add(after, before);
    return fields;
}

class Replay {
  public:
    Replay(const JudgedWorld& world, const policy::Policy& policy)
        : world_(world), policy_(policy), release_(limits::Release::parse(QG_RELEASE).value()),
          gate_(*world.accounting, release_) {}

    void add(const json& record) {
        const auto job = ReplayedJob::from(record);
        if (!job) return leave_out(job.error().message);
        const std::time_t time = (*job)->time() == 0 ? world_.now : (*job)->time();
        const gate::KnownCluster known(world_.cluster.get(), false, false,
                                       {.now = time, .cluster_read_at = time});
        const model::Decision decision = gate_.decide((*job)->request(), known, &policy_);
        if (const std::string_view missed = (*job)->missed(); !missed.empty())
            return leave_out(text::format("a rule reads '{}', which records do not hold", missed));
        ++decided_;
        const Verdict before = recorded_verdict(record);
        const Verdict after = verdict_of(decision);
        Change change{.id = text_of(record, "id"),
                      .user = text_of(record, "user"),
                      .rules = {},
                      .fields = differing_fields(before, after),
                      .outcome = outcome_change(before.outcome, after.outcome)};
        if (change.fields.empty() && change.outcome == OutcomeChange::none) return;
        change.rules = differing_rules(before, after);
        describe_job(change, (*job)->request(), known);
        sums_.add(change);
    }

    [[nodiscard]] std::uint64_t decided() const noexcept { return decided_; }
    [[nodiscard]] const ChangeSums& sums() const noexcept { return sums_; }
    [[nodiscard]] const std::map<std::string, std::uint64_t>& left_out() const noexcept { return left_out_; }

  private:
    static constexpr std::size_t max_reasons = 100;

    void leave_out(const std::string& why) {
        const bool is_known = left_out_.contains(why) || left_out_.size() < max_reasons;
        ++left_out_[is_known ? why : "other reasons"];
    }

    /// Whose job it is, and what it may use at most, as it was submitted.
    void describe_job(Change& change, const model::JobRequest& request,
                      const gate::KnownCluster& known) const {
        const gate::ResolvedRequest resolved =
            gate::resolve(request, {*world_.cluster, *world_.accounting, release_, known});
        if (change.user.empty()) change.user = resolved.view().user_name;
        if (change.user.empty()) change.user = std::to_string(request.user_id);
        const auto& time = resolved.job.time_limit;
        if (!time || time->is_unlimited()) return;
        const model::TresCatalogue& tres = *resolved.view().tres;
        const double hours = static_cast<double>(time->minutes) / 60 *
                             static_cast<double>(std::max(resolved.job.array_tasks, 1u));
        const auto count_of = [&](std::optional<std::size_t> index) {
            return index ? static_cast<double>(model::count_at(resolved.job.tres, *index)) : 0.0;
        };
        change.cpu_hours = hours * count_of(tres.find(model::TresKind::cpu));
        change.gpu_hours = hours * count_of(tres.find("gres/gpu"));
    }

    const JudgedWorld& world_;
    const policy::Policy& policy_;
    limits::Release release_;
    gate::Gate gate_;
    std::uint64_t decided_ = 0;
    ChangeSums sums_{SumKind::jobs};
    std::map<std::string, std::uint64_t> left_out_; ///< decisions by the reason
};

/// Says now and then how far it is, if somebody watches.
class Progress {
  public:
    explicit Progress(Output& output) : output_(output), is_on_(isatty(STDERR_FILENO) == 1) {}

    void count() {
        constexpr std::uint64_t looks_at_the_clock = 10'000;
        constexpr std::chrono::seconds interval{2};
        if (++records_ % looks_at_the_clock != 0 || !is_on_) return;
        const auto now = Clock::now();
        if (now - last_ < interval) return;
        last_ = now;
        output_.note(text::format("{} records so far, {:.0f} each second", records_, rate(now)));
    }

    /// Records each second.
    [[nodiscard]] double rate() const { return rate(Clock::now()); }

  private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] double rate(Clock::time_point now) const {
        const double seconds = std::chrono::duration<double>(now - begin_).count();
        return seconds > 0 ? static_cast<double>(records_) / seconds : 0;
    }

    Output& output_;
    bool is_on_;
    std::uint64_t records_ = 0;
    const Clock::time_point begin_ = Clock::now();
    Clock::time_point last_ = begin_;
};

ordered_json to_json(const Replay& replay, const RecordsRead& read, const policy::Policy& policy,
                     const PolicyFolder& folder, double rate) {
    ordered_json left_out = ordered_json::object();
    for (const auto& [why, count] : replay.left_out())
        left_out[why] = count;
    ordered_json answer{{"status", replay.sums().changes() == 0 ? "ok" : "differences"},
                        {"folder", folder.path.string()},
                        {"policy", text::format("{:016x}", policy.hash())},
                        {"records", read.records},
                        {"decided", replay.decided()},
                        {"left_out", left_out}};
    replay.sums().add_to(answer);
    answer["unreadable"] = read.unreadable;
    answer["lost"] = read.lost;
    answer["records_per_second"] = rate;
    return answer;
}

void print(const Replay& replay, const RecordsRead& read, const policy::Policy& policy,
           const PolicyFolder& folder, const JudgedWorld& world, std::ostream& out) {
    std::array<char, 64> as_of{};
    std::tm parts{};
    localtime_r(&world.now, &parts);
    std::strftime(as_of.data(), as_of.size(), "%Y-%m-%d %H:%M:%S", &parts);
    out << text::format(
        "{} of {} recorded decisions, decided again by the rules of {} (hash {:016x}), and the "
        "limits and usage of {}: {} jobs of {} users change\n",
        replay.decided(), read.records, text::printable(folder.path.string(), 4000), policy.hash(),
        as_of.data(), replay.sums().changes(), replay.sums().users());
    replay.sums().print(out);
    if (!replay.left_out().empty()) out << "\nNot decided again:\n";
    for (const auto& [why, count] : replay.left_out())
        out << text::format("  {:>8}  {}\n", count, text::printable(why, 200));
    if (read.unreadable > 0) out << text::format("{} lines are no records\n", read.unreadable);
    if (read.lost > 0) out << text::format("{} records were lost while they were written\n", read.lost);
}

Result<int> replay(const ReplayOptions& options, Output& output) {
    const auto folder = find_policy_folder(options.folder);
    if (!folder) return folder.error();
    const auto policy = load_policy_to_try(folder->path);
    if (!policy) return policy.error();
    const auto files = find_record_files(options.files);
    if (!files) return files.error();
    const bool is_live = options.world.empty();
    const auto world = is_live ? read_live_world() : read_captured_world(options.world);
    if (!world) return world.error();
    if (is_live && !world->accounting->is_operator(getuid()))
        return Error{
            ErrorCode::permission_denied,
            "only root, SlurmUser and operators may decide again about the jobs of all users by limits "
            "and usage of slurmctld: name a file of 'qosgate capture' with --world"};
    Replay replay(*world, **policy);
    Progress progress(output);
    const auto read = read_records(*files, [&](const json& record) {
        replay.add(record);
        progress.count();
    });
    if (!read) return read.error();
    if (output.json())
        output.write(to_json(replay, *read, **policy, *folder, progress.rate()));
    else
        print(replay, *read, **policy, *folder, *world, output.text());
    return replay.sums().changes() == 0 ? 0 : exit_differences;
}

} // namespace

void add_policy_replay(CLI::App& policy, Invocation& invocation) {
    auto options = std::make_shared<ReplayOptions>();
    CLI::App* command = add_command(
        policy, "replay", "Decide again about recorded jobs, and sum up what would change",
        "It reads decision records (the setting record_file), decides about each submission again by the\n"
        "rules of a directory, and compares that with what was decided then: the outcome (accepted,\n"
        "refused by qosgate, refused by slurmctld as qosgate expects) and the values that rules gave the\n"
        "job. Nothing is submitted.\n\n"
        "Only the request and the time are those of the past. Limits, usage, users and partitions are those\n"
        "of slurmctld now, or those of a file that 'qosgate capture' wrote (--world): a difference that no\n"
        "rule made comes from them. Each decision stands alone: a job that is refused now does not free\n"
        "anything for the next one.\n\n"
        "What a record does not hold is not guessed. Such decisions are left out, and counted by the "
        "reason:\n"
        "changes of jobs; rules that read the script, its arguments, files or the environment; texts of "
        "more\n"
        "than 1000 bytes; requests that were too large to be read; records of older versions. Jobs that\n"
        "passed unchanged and without a word are recorded only by record_percent.\n\n"
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
        "  66  there is no such file or directory, or no record_file\n"
        "  69  slurmctld cannot be reached; slurm.conf or a file cannot be read\n"
        "  74  the output cannot be written\n"
        "  77  not permitted\n\n"
        "With --json:\n"
        "  status          \"ok\" or \"differences\"\n"
        "  folder, policy  the directory of rules and its hash\n"
        "  records         how many were read; decided: how many were decided again; left_out: how many "
        "were\n"
        "                  not, by the reason\n"
        "  differing, refused, accepted, refused_otherwise (by slurmctld before and by qosgate now, or the\n"
        "                  other way round), job_differs: how many jobs; cpu_hours, gpu_hours;\n"
        "                  hours_not_known: jobs without a time limit; examples: ids of records\n"
        "  rules, users    lists of the same for each rule (null: no rule) and each user\n"
        "  fields          how often a field of the job gets another value\n"
        "  unreadable      lines that are no records; lost: records that could not be written\n"
        "  records_per_second\n"
        "An error is {\"error\": {\"code\": ..., \"message\": ...}}.\n\n"
        "Examples:\n"
        "  sudo qosgate policy replay --policy ./qosgate.d\n"
        "  qosgate policy replay --from qosgate.jsonl --policy ./qosgate.d --world monday.json");
    command->add_option(
        "--from", options->files,
        "Files of records, or a directory of rules whose record_file is read; default: qosgate.d "
        "beside slurm.conf");
    command->add_option("--policy", options->folder,
                        "The directory of rules; default: qosgate.d beside slurm.conf");
    command->add_option("--world", options->world,
                        "A file of 'qosgate capture' to judge against; default: slurmctld now");
    add_json_flag(*command, invocation);
    command->callback([&invocation, options] {
        invocation.action = [options](Output& output) { return replay(*options, output); };
    });
}

} // namespace qg::cli

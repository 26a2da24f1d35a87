// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate why: why jobs wait, who holds the limits that they wait for, and what would help.
#include "common/command.hpp"
#include "common/default_release.hpp"
#include "job/judged_world.hpp"
#include "job/waiting_report.hpp"
#include "job/wrong_counters.hpp"
#include "policy/policy_directory.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/quota/user_groups.hpp"
#include "qosgate/report/reason_details.hpp"
#include "qosgate/slurm/queue_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace qg::cli {
namespace {

using model::QueuedJob;
using model::QueueState;
using nlohmann::ordered_json;

/// A change is sought for so many jobs: that takes some milliseconds each.
constexpr std::size_t max_changed = 100;

struct WhyOptions {
    std::vector<std::string> jobs;
    bool me = false;
    bool pending = false;
};

/// The jobs that are asked for, in the order of the queue, and the names that no job has.
struct Asked {
    std::vector<const QueuedJob*> jobs;
    std::vector<std::string> unknown;
};

Asked find_asked(const WhyOptions& options, const std::vector<QueuedJob>& queue) {
    Asked asked;
    for (const QueuedJob& job : queue) {
        const bool is_shown =
            job.state == QueueState::pending && (options.pending || job.user_id == getuid());
        if ((options.me || options.pending) && is_shown) asked.jobs.push_back(&job);
    }
    std::set<const QueuedJob*> seen;
    for (const std::string& name : options.jobs) {
        bool is_known = false;
        for (const QueuedJob& job : queue) {
            if (!report::is_meant(job, name)) continue;
            is_known = true;
            if (seen.insert(&job).second) asked.jobs.push_back(&job);
        }
        if (!is_known) asked.unknown.push_back(text::printable(name, 64));
    }
    return asked;
}

/// Whether squeue may show such an id of a job.
bool is_job_id(std::string_view name) {
    return !name.empty() && text::is_digit(name.front()) &&
           name.find_first_not_of("0123456789_+-,:%[]") == name.npos;
}

Error not_in_queue(const Asked& asked, bool hides_jobs) {
    const bool is_one = asked.unknown.size() == 1;
    const auto wrong = std::ranges::find_if_not(asked.unknown, is_job_id);
    const std::string advice =
        wrong == asked.unknown.end()
            ? text::format("'sacct -j {}' shows jobs that have ended", asked.unknown.front())
            : text::format(
                  "{} is no id of a job: write it as squeue shows it, such as 1234, 1234_5 or 1234+1",
                  text::quoted(*wrong, 64));
    return {ErrorCode::not_found,
            text::format("{} {} {} not in the queue: {}{}", is_one ? "job" : "jobs",
                         text::list_names(asked.unknown), is_one ? "is" : "are", advice,
                         hides_jobs ? "; PrivateData hides the jobs of other users" : "")};
}

/// The site's settings; the defaults if the caller may not read its rules, or if these do not load.
policy::Settings read_settings() {
    const auto directory = find_policy_directory("");
    const auto rules = directory ? load_policy_to_try(directory->path) : directory.error();
    return rules ? (*rules)->settings() : policy::Settings{};
}

/// The jobs at one moment, explained. Counters and jobs are read one after the other.
class Reading {
  public:
    /// `settings` are the site's.
    static Result<std::unique_ptr<Reading>> read(const WhyOptions& options, const policy::Settings& settings,
                                                 report::CounterDoubts& doubts) {
        auto world = read_user_world();
        if (!world) return world.error();
        auto queue = slurm::read_queue();
        if (!queue) return queue.error();
        return std::unique_ptr<Reading>(
            new Reading(options, settings, *std::move(world), *std::move(queue), doubts));
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    [[nodiscard]] const Asked& asked() const { return asked_; }
    [[nodiscard]] const std::vector<WaitingReport>& reports() const { return reports_; }
    [[nodiscard]] bool hides_jobs() const { return hides_jobs_; }

  private:
    Reading(const WhyOptions& options, const policy::Settings& settings, report::UserWorld world,
            slurm::Queue queue, report::CounterDoubts& doubts)
        : world_(std::move(world)), queue_(std::move(queue)),
          hides_jobs_(queue_.hides_jobs && !world_.accounting->is_operator(getuid())),
          context_{.world = world_,
                   .holding = {},
                   .reader = getuid(),
                   .release = default_release(),
                   .now = std::time(nullptr),
                   .settings = settings,
                   .usage_step = queue_.usage_step,
                   .groups = &groups_} {
        const auto waiting = std::ranges::stable_partition(
            queue_.jobs, [](const QueuedJob& job) { return job.holds_resources(); });
        context_.holding = {queue_.jobs.begin(), waiting.begin()};
        if (sees_all_jobs(world_, queue_)) context_.doubts = &doubts;
        context_.queue = queue_.jobs;
        asked_ = find_asked(options, queue_.jobs);
        if (std::ranges::any_of(asked_.jobs,
                                [](const QueuedJob* job) { return report::needs_obstacles(*job); }))
            if (auto obstacles = slurm::read_obstacles()) context_.obstacles = *std::move(obstacles);
        reports_.reserve(asked_.jobs.size());
        for (const QueuedJob* job : asked_.jobs) {
            context_.seeks_changes = reports_.size() < max_changed;
            reports_.emplace_back(*job, context_, hides_jobs_);
        }
    }

    report::UserWorld world_;
    slurm::Queue queue_;
    quota::AskedGroups groups_;
    bool hides_jobs_;
    report::QueueContext context_; ///< borrows the others
    Asked asked_;
    std::vector<WaitingReport> reports_;
};

/// A job may end between the readings of counters and jobs; a counter that is wrong is so a second later,
/// too.
Result<std::unique_ptr<Reading>> read_twice_if_needed(const WhyOptions& options) {
    constexpr std::chrono::seconds between{1};
    report::CounterDoubts doubts;
    const policy::Settings settings = read_settings(); // for both: the whole policy is loaded for them
    auto reading = Reading::read(options, settings, doubts);
    if (!reading || doubts.now.empty()) return reading;
    std::this_thread::sleep_for(between);
    doubts.before = std::exchange(doubts.now, {});
    return Reading::read(options, settings, doubts);
}

Result<int> explain_job(const WhyOptions& options, Output& output) {
    const auto reading = read_twice_if_needed(options);
    if (!reading) return reading.error();
    const Asked& asked = (*reading)->asked();
    const bool hides_jobs = (*reading)->hides_jobs();
    auto answers = ordered_json::array();
    for (const WaitingReport& report : (*reading)->reports()) {
        if (output.json())
            answers.push_back(report.json());
        else
            report.print(output.text());
    }
    const std::size_t explained = asked.jobs.size();
    if (explained > max_changed)
        output.note(text::format("changes were sought for the first {} jobs only", max_changed));
    if (asked.jobs.empty() && asked.unknown.empty() && !output.json())
        output.text() << (options.me ? "You have no pending jobs.\n" : "There are no pending jobs.\n");
    if (!asked.unknown.empty()) {
        const Error error = not_in_queue(asked, hides_jobs);
        output.fail_in_part(to_string(error.code), error.message, {{"jobs", answers}});
        return exit_status(error.code);
    }
    if (output.json()) output.write({{"jobs", answers}});
    return 0;
}

} // namespace

void add_why(Command app, Invocation& invocation) {
    auto options = std::make_shared<WhyOptions>();
    Command command = add_command(
        app, "why", "Explain why jobs wait, who holds what they wait for, and what would help",
        "JOBID is as squeue shows it: 1234, 1234_5, 1234_[6-9] (in quotes), 1234+1.\n\n"
        "Each Reason of a pending job is explained. If it is that of a limit, the answer says which limit "
        "of\n"
        "which QOS, account or user it is, how much is in use, what the job asks for, and which jobs hold\n"
        "it: the ten that hold most, and the sum of the others. With the time limits of these jobs it\n"
        "estimates when the limit can have room: earlier if they end earlier, later if other jobs are "
        "first.\n"
        "There is no estimate if that depends on jobs without a time limit, on jobs that are hidden, or on\n"
        "used minutes. If the jobs of the queue cannot have what slurmctld counts as in use, in two\n"
        "readings a second apart, the answer says so. If the Reason is that of a rule of the partition, the\n"
        "answer says what the partition allows.\n\n"
        "If a change of the time limit, size, QOS, partition or account lets the job start, as far as "
        "limits\n"
        "and partitions decide, the command for it is shown. Free nodes, priorities and the site's rules are "
        "not\n"
        "judged. Changes are sought for the first 100 jobs.\n\n"
        "Numbers are those of this moment; a Reason is as old as the last attempt to start the job. What\n"
        "PrivateData in slurm.conf hides from you is not shown, and the answer says so.\n\n"
        "Exit status:\n"
        "  0   explained\n"
        "  64  the command line is wrong\n"
        "  66  a job is not in the queue; the others were explained\n"
        "  69  slurmctld cannot be reached, or slurm.conf cannot be used\n"
        "  74  the output cannot be written\n\n"
        "Examples:\n"
        "  qosgate why 1234 '1235_[6-9]'\n"
        "  qosgate why --me\n"
        "  sudo qosgate why --pending --json | jq '.jobs[] | select(.reasons[].limit.is_permanent)'");
    const Option jobs = command.add_option("JOBID", options->jobs, "Jobs as squeue shows them");
    const Option me = command.add_flag("--me", options->me, "All your pending jobs");
    const Option pending =
        command.add_flag("--pending", options->pending, "All pending jobs that you may see");
    jobs.excludes(me).excludes(pending);
    me.excludes(pending);
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        if (options->jobs.empty() && !options->me && !options->pending)
            refuse_arguments("no job is given: name jobs, or add --me or --pending");
        invocation.action = [options](Output& output) { return explain_job(*options, output); };
    });
}

} // namespace qg::cli

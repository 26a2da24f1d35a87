// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate verify: counts the jobs again and compares with slurmctld's counters.
#include "common/command.hpp"
#include "common/default_release.hpp"
#include "common/or_null.hpp"
#include "common/table.hpp"
#include "report/counter_reading.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/slurm/cluster_reader.hpp"
#include "qosgate/slurm/queue_reader.hpp"
#include "qosgate/slurmdb/deadline.hpp"
#include "qosgate/slurmdb/library.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace qg::cli {
namespace {

using model::LimitMeasure;
using nlohmann::ordered_json;

constexpr std::size_t max_rounds = 5;
constexpr std::chrono::milliseconds between_rounds{1000};
constexpr unsigned default_timeout = 60; ///< seconds

/// What slurmctld counts and the queue does not show.
constexpr std::string_view not_compared[] = {
    "minutes and wall time of the past (GrpTRESMins, GrpWall): ended jobs are not in the queue",
    "pending jobs that gain priority by waiting (GrpJobsAccrue, MaxJobsAccrue...): the queue does not show "
    "which do",
    "burst buffers and energy: the queue does not show what is in use",
};

/// Whose minutes slurmctld counts.
report::CounterComparison::Minutes counted_minutes() {
    return default_release().follows(limits::rules::enforces_run_mins)
               ? report::CounterComparison::Minutes::of_all
               : report::CounterComparison::Minutes::of_groups;
}

struct Verified {
    report::CounterComparison comparison;
    std::shared_ptr<const slurm::AssocRecords> records;
    std::size_t jobs = 0;
    std::vector<std::string> unknown_jobs;
};

Result<std::shared_ptr<const slurm::AssocRecords>> refresh_records(slurm::ClusterQuota& accounting) {
    if (const auto fresh = accounting.sync(); !fresh) return fresh.error();
    return accounting.records();
}

Result<void> start_library() {
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return path.error();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    return slurmdb::Library::start(*conf);
}

Result<void> check_comparable(const slurm::AssocRecords& records) {
    if (!slurm::is_operator(records, getuid()))
        return Error{ErrorCode::permission_denied,
                     "only root, SlurmUser and operators can verify counters: others may not see all jobs"};
    if (!records.conf.enforce.limits)
        return Error{ErrorCode::unsupported,
                     "there is nothing to verify: AccountingStorageEnforce in slurm.conf does not have "
                     "'limits', so slurmctld counts nothing"};
    return {};
}

Result<std::map<std::string, std::string>> read_partition_qos() {
    const auto cluster = slurm::ClusterReader().read();
    if (!cluster) return cluster.error();
    std::map<std::string, std::string> qos;
    for (const auto& partition : (*cluster)->partitions.all())
        qos.emplace(partition->name, partition->qos);
    return qos;
}

/// The counters, the jobs, and the counters again.
Result<void> add_reading(Verified& result, slurm::ClusterQuota& accounting) {
    const auto partition_qos = read_partition_qos();
    if (!partition_qos) return partition_qos.error();
    const auto before = refresh_records(accounting);
    if (!before) return before.error();
    const auto queue = slurm::read_queue();
    if (!queue) return queue.error();
    const std::time_t now = std::time(nullptr);
    const auto after = refresh_records(accounting);
    if (!after) return after.error();
    auto jobs = find_jobs_to_count(*queue, **after, *partition_qos, now);
    result.comparison.add_round(read_counters(**before), report::recount(jobs.jobs, (*after)->tres->node()),
                                read_counters(**after));
    result.records = *after;
    result.jobs = jobs.jobs.size();
    result.unknown_jobs = std::move(jobs.unknown);
    return {};
}

/// A word for people who wait, if there is a terminal.
void note_reading(const report::CounterComparison& comparison, std::size_t round, Output& output) {
    if (isatty(STDERR_FILENO) == 1)
        output.note(text::format("{} differ or change: reading {} of at most {}",
                                 text::count_of(comparison.unsettled().size(), "number"), round + 1,
                                 max_rounds));
}

/// Reads until all is settled. If the time is over, the last reading does not count.
Result<Verified> verify_counters(std::chrono::seconds timeout, Output& output) {
    if (const auto started = start_library(); !started) return started.error();
    const auto end = std::chrono::steady_clock::now() + timeout;
    const slurmdb::Deadline deadline(
        timeout, {}, {.say = [&] {
            if (isatty(STDERR_FILENO) == 1)
                output.note(text::format("still reading, for at most {} s", timeout.count()));
        }});
    const auto in_time = [&](const Error& error) {
        if (!deadline.expired()) return error;
        return Error{ErrorCode::unavailable,
                     text::format("slurmctld has not answered within {} s (--timeout)", timeout.count())};
    };
    slurm::ClusterQuota accounting;
    auto records = refresh_records(accounting);
    if (!records) return in_time(records.error());
    if (const auto can = check_comparable(**records); !can) return can.error();
    Verified result{.comparison =
                        report::CounterComparison(countable_tres(*(*records)->tres), counted_minutes()),
                    .records = *records,
                    .unknown_jobs = {}};
    for (std::size_t round = 0; round < max_rounds && !result.comparison.is_settled(); ++round) {
        if (round > 0) {
            if (std::chrono::steady_clock::now() + between_rounds >= end) break;
            note_reading(result.comparison, round, output);
            std::this_thread::sleep_for(between_rounds);
        }
        if (const auto read = add_reading(result, accounting); !read) {
            if (round > 0 && deadline.expired()) break;
            return in_time(read.error());
        }
    }
    return result;
}

std::string_view code_of(LimitMeasure measure) {
    if (measure == LimitMeasure::tres) return "tres";
    if (measure == LimitMeasure::tres_run_minutes) return "tres_run_minutes";
    return measure == LimitMeasure::submitted_jobs ? "submitted_jobs" : "running_jobs";
}

bool is_of_tres(const report::CountedAmount& what) {
    return what.measure == LimitMeasure::tres || what.measure == LimitMeasure::tres_run_minutes;
}

std::string subject_of(const report::CountedAmount& what, const model::TresCatalogue& tres) {
    if (is_of_tres(what))
        return text::printable(tres.name(what.tres)) + (what.measure == LimitMeasure::tres ? "" : " RunMins");
    return what.measure == LimitMeasure::submitted_jobs ? "submitted jobs" : "running jobs";
}

/// Minutes of memory have no unit.
std::string number_text(const report::CountedAmount& what, std::uint64_t number,
                        const model::TresCatalogue& tres) {
    return what.measure == LimitMeasure::tres ? model::format_tres_count(tres.name(what.tres), number)
                                              : std::to_string(number);
}

/// "4", "4000M", "-3"
std::string difference_text(const report::Difference& difference, const model::TresCatalogue& tres) {
    const bool is_less = difference.kept < difference.counted;
    const std::uint64_t size =
        is_less ? difference.counted - difference.kept : difference.kept - difference.counted;
    return (is_less ? "-" : "+") + number_text(difference.what, size, tres);
}

void print_verified(const Verified& verified, std::ostream& out) {
    const model::TresCatalogue& tres = *verified.records->tres;
    const auto& differences = verified.comparison.differences();
    out << report::headline_of(verified.comparison, verified.jobs, verified.unknown_jobs.size()) << '\n';
    if (!differences.empty()) {
        Table table{{{.heading = "COUNTER", .may_wrap = true},
                     {.heading = "WHAT", .may_wrap = true},
                     {"COUNTED", true},
                     {"KEPT BY SLURMCTLD", true},
                     {"DIFFERENCE", true}},
                    {}};
        for (const report::Difference& each : differences)
            table.rows.push_back({names_of(each.what.counter, *verified.records).text(),
                                  subject_of(each.what, tres), number_text(each.what, each.counted, tres),
                                  number_text(each.what, each.kept, tres), difference_text(each, tres)});
        out << '\n';
        print_aligned(out, table, terminal_width());
        out << "\nslurmctld checks limits with its own numbers. It counts anew at 'scontrol reconfigure', "
               "which\n"
               "also reads slurm.conf again, and when it is restarted. Jobs continue. For a running job "
               "that\n"
               "was submitted to several partitions this may cause a difference, until it ends.\n";
    }
    for (const report::CountedAmount& what : verified.comparison.unsettled())
        out << text::format("Not compared: {} of {}: it changed between the readings\n",
                            subject_of(what, tres), names_of(what.counter, *verified.records).text());
    for (const std::string& job : verified.unknown_jobs)
        out << "Not counted: " << job << '\n';
    for (const std::string_view what : not_compared)
        out << "Not compared: " << what << '\n';
}

ordered_json amount_json(const report::CountedAmount& what, const slurm::AssocRecords& records) {
    const CounterNames names = names_of(what.counter, records);
    return {{"qos", text_or_null(names.qos)},
            {"account", text_or_null(names.account)},
            {"user", text_or_null(names.user)},
            {"partition", text_or_null(names.partition)},
            {"what", code_of(what.measure)},
            {"tres", is_of_tres(what) ? ordered_json(records.tres->name(what.tres)) : ordered_json()}};
}

ordered_json verified_to_json(const Verified& verified) {
    auto differences = ordered_json::array();
    for (const report::Difference& each : verified.comparison.differences()) {
        auto row = amount_json(each.what, *verified.records);
        row["counted"] = each.counted;
        row["kept"] = each.kept;
        row["difference"] = static_cast<std::int64_t>(each.kept - each.counted);
        differences.push_back(std::move(row));
    }
    auto unsettled = ordered_json::array();
    for (const report::CountedAmount& what : verified.comparison.unsettled())
        unsettled.push_back(amount_json(what, *verified.records));
    auto kinds = ordered_json::array();
    for (const std::string_view what : not_compared)
        kinds.push_back(what);
    return {{"compared", verified.comparison.compared()},
            {"jobs", verified.jobs},
            {"differences", differences},
            {"unsettled", unsettled},
            {"unknown_jobs", verified.unknown_jobs},
            {"not_compared", kinds}};
}

Result<int> verify(unsigned timeout_seconds, Output& output) {
    const auto verified = verify_counters(std::chrono::seconds(timeout_seconds), output);
    if (!verified) return verified.error();
    if (output.json())
        output.write(verified_to_json(*verified));
    else
        print_verified(*verified, output.text());
    return report::verify_status_of(verified->comparison, verified->unknown_jobs.size());
}

} // namespace

void add_verify(Command app, Invocation& invocation) {
    Command command = add_command(
        app, "verify", "Count the jobs again and compare with slurmctld's counters",
        "slurmctld checks limits with counters that it changes at each start and end of a job. 'verify'\n"
        "counts the jobs of the queue and compares, for each QOS, for each user and account within it, and\n"
        "for each account and user: running jobs, submitted jobs (tasks of arrays one by one), and CPUs,\n"
        "memory, nodes (shared ones once), billing, GRES and licenses of running jobs, with the minutes for\n"
        "which they may still have them (RunMins). Suspended jobs count as running. Jobs count for their\n"
        "QOS and for that of their partition. slurmctld counts a pending job with several partitions for\n"
        "the QOSs of all of them, or, if it was requeued, of one; both are right. Slurm shows memory from "
        "1T\n"
        "on with two digits after the point, so smaller differences are not seen. From the minutes\n"
        "slurmctld takes in steps (PriorityCalcPeriod) what jobs have used, so\n"
        "these are compared with what the jobs may count at least and at most.\n\n"
        "Jobs change while 'verify' reads. So it reads the counters before and after the jobs, and reports\n"
        "a difference only if it is still there a second later. If a number changes all the time, two of "
        "five\n"
        "readings in which it is equal are enough; otherwise it could not be compared. On a terminal the\n"
        "command says when it reads again. It is for root, SlurmUser and operators.\n\n"
        "'scontrol reconfigure' lets slurmctld count anew. It may cause a difference of its own: a running\n"
        "job that was submitted to several partitions.\n\n"
        "Exit status:\n"
        "  0   no difference, and all was compared\n"
        "  2   there are differences\n"
        "  3   no difference, but something could not be compared: try again when fewer jobs start and end\n"
        "  64  the command line is wrong\n"
        "  69  slurmctld cannot be reached, or slurm.conf cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  not permitted\n"
        "  78  AccountingStorageEnforce does not have 'limits': slurmctld counts nothing\n\n"
        "Examples:\n"
        "  sudo qosgate verify\n"
        "  sudo qosgate verify --json | jq '.differences[] | select(.qos == \"night\")'");
    auto timeout = std::make_shared<unsigned>(default_timeout);
    command
        .add_option("--timeout", *timeout,
                    text::format("Seconds for all readings ({}); what is not settled by then could not be "
                                 "compared",
                                 default_timeout))
        .range(1, 3600)
        .type_name("SECONDS");
    add_json_flag(command, invocation);
    command.callback([&invocation, timeout] {
        invocation.action = [timeout](Output& output) { return verify(*timeout, output); };
    });
}

} // namespace qg::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/past_jobs.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/values.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_store.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace qg::slurmdb {
namespace {

constexpr std::time_t first_page = 600;
constexpr std::time_t max_page = 24 * std::time_t{3600};
constexpr std::time_t min_page = 60;
constexpr std::size_t many_jobs = 20'000; ///< in a page
constexpr std::size_t few_jobs = 5'000;
constexpr std::size_t max_tasks = 4'000'000;

// In no public header of all releases; the same in all.
constexpr std::uint32_t without_steps = 1u << 1;      // JOBCOND_FLAG_NO_STEP
constexpr std::uint32_t without_truncation = 1u << 2; // JOBCOND_FLAG_NO_TRUNC
constexpr std::uint32_t by_submission = 1u << 7;      // JOBCOND_FLAG_NO_DEFAULT_USAGE

std::string to_text(const char* text) {
    return std::string(slurm::view_text(text));
}

/// Turns Slurm's records into ours.
class Converter {
  public:
    Converter(TresTable tres, QosNames names) : tres_(std::move(tres)), qos_(std::move(names)) {}

    PastJob convert(const slurmdb_job_rec_t& record) const {
        PastJob job;
        job.job_id = record_id(record);
        job.user_id = record.uid;
        job.user = to_text(record.user);
        job.account = to_text(record.account);
        job.partition = to_text(record.partition);
        if (record.qosid != 0 && slurm::is_count(record.qosid)) {
            const auto found = qos_.find(record.qosid);
            job.has_lost_qos = found == qos_.end();
            if (!job.has_lost_qos) job.qos = found->second;
        }
        job.name = to_text(record.jobname);
        job.constraints = to_text(record.constraints);
        job.reservation = to_text(record.resv_name);
        job.work_dir = to_text(record.work_dir);
        job.submit_line = to_text(record.submit_line);
        job.submit = record.submit;
        job.time_limit = slurm::read_time(record.timelimit);
        job.cpus = slurm::is_count(record.req_cpus) ? record.req_cpus : 0;
        if (record.req_mem != 0) job.memory = slurm::read_memory(record.req_mem);
        job.tres = tres_.parse(slurm::view_text(record.tres_req_str));
        if (record.het_job_id != 0 && slurm::is_count(record.het_job_offset))
            job.het_offset = record.het_job_offset;
        add_tasks(job, record);
        return job;
    }

    /// The array that a record belongs to; 0: none.
    static std::uint32_t array_of(const slurmdb_job_rec_t& record) {
        return slurm::is_count(record.array_job_id) ? record.array_job_id : 0;
    }

    static void add_tasks(PastJob& job, const slurmdb_job_rec_t& record) {
        if (array_of(record) == 0) return;
        if (slurm::is_count(record.array_task_id)) {
            job.tasks.push_back(record.array_task_id);
            return;
        }
        const auto pending = parse_array_tasks(slurm::view_text(record.array_task_str));
        job.tasks.insert(job.tasks.end(), pending.begin(), pending.end());
    }

  private:
    static std::uint32_t record_id(const slurmdb_job_rec_t& record) {
        const std::uint32_t array = array_of(record);
        return array == 0 ? record.jobid : array;
    }

    TresTable tres_;
    QosNames qos_;
};

/// Reads the jobs that were submitted from `since` on and before `until`.
Result<slurm::OwnedList> ask_for_page(Connection& connection, const PastJobsQuery& query, std::time_t since,
                                      std::time_t until) {
    std::string cluster = query.cluster;
    std::string user = query.user ? std::to_string(*query.user) : "";
    const slurm::OwnedList clusters = slurm::make_borrowing_list();
    slurm::append(clusters, cluster.data());
    const slurm::OwnedList users = slurm::make_borrowing_list();
    if (query.user) slurm::append(users, user.data());
    slurmdb_job_cond_t condition{};
    condition.flags = without_steps | without_truncation | by_submission;
    condition.db_flags = NO_VAL; // any
    if (!cluster.empty()) condition.cluster_list = clusters.get();
    if (query.user) condition.userid_list = users.get();
    // Releases differ about the ends, so a second more is asked for at both.
    condition.usage_start = std::max<std::time_t>(since - 1, 1);
    condition.usage_end = until + 1;
    return connection.ask("read jobs", [&](void* handle) { return slurmdb_jobs_get(handle, &condition); });
}

/// The jobs of a page; the records of an array are put together.
std::vector<PastJob> jobs_of_page(const slurm::OwnedList& list, const Converter& converter, std::time_t since,
                                  std::time_t until) {
    std::vector<PastJob> jobs;
    std::unordered_map<std::uint32_t, std::size_t> arrays;
    slurm::for_each<slurmdb_job_rec_t>(list.get(), [&](const slurmdb_job_rec_t& record) {
        if (record.submit < since || record.submit >= until) return;
        if (const std::uint32_t array = Converter::array_of(record); array != 0) {
            const auto [known, is_new] = arrays.try_emplace(array, jobs.size());
            if (!is_new) return Converter::add_tasks(jobs[known->second], record);
        }
        jobs.push_back(converter.convert(record));
    });
    for (PastJob& job : jobs) {
        std::ranges::sort(job.tasks);
        const auto repeated = std::ranges::unique(job.tasks);
        job.tasks.erase(repeated.begin(), repeated.end());
    }
    return jobs;
}

Result<Converter> make_converter(Connection& connection) {
    auto tres = TresTable::load(connection);
    if (!tres) return tres.error();
    auto store = QosStore::open(connection);
    if (!store) return store.error();
    const auto all = store->read_all();
    if (!all) return all.error();
    QosNames names;
    for (const StoredQos& qos : *all)
        names.emplace(qos.id, qos.record.name);
    return Converter(*std::move(tres), std::move(names));
}

/// A number at the beginning of the text, which is removed.
std::optional<std::uint32_t> take_number(std::string_view& text) {
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    const auto number = text::parse_unsigned(digits);
    if (!number || *number > max_tasks) return std::nullopt;
    text.remove_prefix(digits.size());
    return static_cast<std::uint32_t>(*number);
}

} // namespace

std::vector<std::uint32_t> parse_array_tasks(std::string_view text) {
    std::vector<std::uint32_t> tasks;
    bool is_read = true;
    text::for_each_part(text.substr(0, text.find('%')), ',', [&](std::string_view part) {
        const auto first = take_number(part);
        auto last = first;
        std::optional<std::uint32_t> step = 1;
        if (first && part.starts_with('-')) {
            part.remove_prefix(1);
            last = take_number(part);
            if (part.starts_with(':')) {
                part.remove_prefix(1);
                step = take_number(part);
            }
        }
        is_read = is_read && part.empty() && first && last && step && *step > 0;
        for (std::uint32_t task = is_read ? *first : 1; is_read && task <= *last; task += *step) {
            tasks.push_back(task);
            is_read = tasks.size() <= max_tasks;
        }
    });
    return is_read ? tasks : std::vector<std::uint32_t>();
}

Result<void> read_past_jobs(Connection& connection, const PastJobsQuery& query, const TakePastJob& take,
                            const PageDone& done) {
    const auto converter = make_converter(connection);
    if (!converter) return converter.error();
    std::time_t length = first_page;
    for (std::time_t since = query.since; since < query.until;) {
        const std::time_t until = std::min(query.until, since + length);
        std::vector<PastJob> jobs;
        {
            const auto list = ask_for_page(connection, query, since, until);
            if (!list) return list.error();
            jobs = jobs_of_page(*list, *converter, since, until);
        }
        for (const PastJob& job : jobs)
            if (!take(job)) return {};
        if (!done(until)) return {};
        if (jobs.size() > many_jobs) length = std::max(length / 2, min_page);
        if (jobs.size() < few_jobs) length = std::min(length * 2, max_page);
        since = until;
    }
    return {};
}

} // namespace qg::slurmdb

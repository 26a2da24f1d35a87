// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/queue_reader.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurm/host_symbols.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstdlib>

namespace qg::slurm {
namespace {

using model::QueuedJob;
using model::QueueState;

std::string to_text(const char* text) {
    return std::string(view_text(text));
}

/// Slurm's function for the name of a Reason; the function's own name changed between releases.
std::string reason_name(std::uint32_t reason) {
    static auto* const function = host::job_reason_string.find() != nullptr
                                      ? host::job_reason_string.find()
                                      : host::job_state_reason_string.find();
    return function == nullptr ? std::string() : to_text(function(reason));
}

std::string state_name(std::uint32_t state) {
    static auto* const function = host::job_state_string.find();
    return function == nullptr ? std::to_string(state) : to_text(function(state));
}

QueueState read_state(std::uint32_t state) {
    // A job that goes back to the queue while its processes end counts as submitted already.
    if ((state & JOB_COMPLETING) != 0 && (state & JOB_STATE_BASE) != JOB_PENDING) return QueueState::over;
    switch (state & JOB_STATE_BASE) {
    case JOB_PENDING: return QueueState::pending;
    case JOB_RUNNING: return QueueState::running;
    case JOB_SUSPENDED: return QueueState::suspended;
    default: return QueueState::over;
    }
}

/// The tasks of an array in this record.
std::vector<std::uint32_t> read_tasks(const slurm_job_info_t& record) {
    if (record.array_task_id != NO_VAL) return {record.array_task_id};
    std::vector<std::uint32_t> tasks;
    if (record.array_bitmap == nullptr) return tasks;
    const std::int64_t size = slurm_bit_size(record.array_bitmap);
    for (std::int64_t task = 0; task < size; ++task)
        if (slurm_bit_test(record.array_bitmap, task) != 0) tasks.push_back(static_cast<std::uint32_t>(task));
    return tasks;
}

/// As squeue names it.
std::string read_name(const slurm_job_info_t& record) {
    if (record.array_job_id != 0 && record.array_task_id != NO_VAL)
        return text::format("{}_{}", record.array_job_id, record.array_task_id);
    if (record.array_job_id != 0 && is_set(record.array_task_str))
        return text::format("{}_[{}]", record.array_job_id, record.array_task_str);
    if (record.het_job_id != 0) return text::format("{}+{}", record.het_job_id, record.het_job_offset);
    return std::to_string(job_id_of(record));
}

/// 0 is unset.
template <typename Int>
Int or_unset(Int count) {
    return count == 0 ? unset_value<Int> : count;
}

/// 0: the job asked for none.
std::uint32_t max_nodes_asked_for(const slurm_job_info_t& record) {
    return (record.bitflags & implicit_max_nodes) != 0 ? 0 : record.max_nodes;
}

/// The tasks that the job asked for; 0: not known. slurmctld shows a task for each node also if it asked for
/// none, and such a job gets as many nodes as it may have.
std::uint32_t tasks_asked_for(const slurm_job_info_t& record) {
    const bool has_range = max_nodes_asked_for(record) > record.num_nodes;
    return has_range && record.num_tasks <= record.num_nodes ? 0 : record.num_tasks;
}

/// The request, as slurmctld copies it from its records for plugins.
model::JobRequest read_request(const slurm_job_info_t& record) {
    job_desc_msg_t copy{};
    slurm_init_job_desc_msg(&copy);
    copy.user_id = record.user_id;
    copy.account = record.account;
    copy.partition = record.partition;
    copy.qos = record.qos;
    copy.reservation = record.resv_name;
    copy.features = record.features;
    copy.prefer = record.prefer;
    copy.licenses = record.licenses;
    copy.req_nodes = record.req_nodes;
    copy.dependency = record.dependency;
    copy.tres_per_job = record.tres_per_job;
    copy.tres_per_node = record.tres_per_node;
    copy.tres_per_socket = record.tres_per_socket;
    copy.tres_per_task = record.tres_per_task;
    copy.mem_per_tres = record.mem_per_tres;
    copy.cpus_per_tres = record.cpus_per_tres;
    copy.time_limit = record.time_limit;
    copy.time_min = record.time_min;
    copy.min_nodes = or_unset(record.num_nodes);
    copy.max_nodes = or_unset(max_nodes_asked_for(record));
    copy.num_tasks = or_unset(tasks_asked_for(record));
    copy.min_cpus = or_unset(record.num_cpus);
    copy.max_cpus = or_unset(record.max_cpus);
    copy.cpus_per_task = record.cpus_per_task;
    copy.ntasks_per_node = record.ntasks_per_node;
    copy.ntasks_per_socket = record.ntasks_per_socket;
    copy.ntasks_per_tres = record.ntasks_per_tres;
    copy.sockets_per_node = record.sockets_per_node;
    copy.pn_min_cpus = record.pn_min_cpus;
    copy.pn_min_memory = record.pn_min_memory;
    copy.bitflags = record.bitflags;
    copy.shared = record.shared;
    copy.priority = record.priority;
    copy.begin_time = record.eligible_time;
    copy.deadline = record.deadline;
    model::JobRequest request = read_job_record(copy, record.user_id);
    request.is_batch = false; // slurmctld refuses no job that it has
    request.details = {};
    request.submit_line = {};
    request.excluded_nodes = {};
    request.has_all_excluded = !is_set(record.exc_nodes);
    return request;
}

/// "ReqNodeNotAvail, UnavailableNodes:n[1-2],n5": n1, n2 and n5.
std::set<std::string, std::less<>> read_unavailable_nodes(std::string_view shown) {
    constexpr std::string_view prefix = "UnavailableNodes:";
    std::set<std::string, std::less<>> names;
    const std::size_t at = shown.find(prefix);
    if (at == shown.npos) return names;
    const std::string list(
        shown.substr(at + prefix.size(), shown.find_first_of(" )", at) - at - prefix.size()));
    auto* const hosts = slurm_hostlist_create(list.c_str());
    while (char* name = slurm_hostlist_shift(hosts)) {
        names.insert(name);
        std::free(name);
    }
    slurm_hostlist_destroy(hosts);
    return names;
}

void read_plans(const slurm_job_info_t& record, QueuedJob& job) {
    job.begin = record.eligible_time;
    job.planned_start = record.start_time;
    job.planned_nodes = to_text(record.sched_nodes);
    job.dependency = to_text(record.dependency);
    job.reservation = to_text(record.resv_name);
    job.unavailable_nodes = read_unavailable_nodes(job.reason_text);
}

/// Slurm's word for the state, as scontrol shows it.
std::string node_state(std::uint32_t state) {
    constexpr std::uint32_t drains = NODE_STATE_DRAIN;
    const std::uint32_t base = state & NODE_STATE_BASE;
    if (base == NODE_STATE_DOWN) return (state & drains) != 0 ? "DOWN+DRAIN" : "DOWN";
    if ((state & drains) != 0) return base == NODE_STATE_IDLE ? "DRAINED" : "DRAINING";
    if ((state & NODE_STATE_FAIL) != 0) return "FAIL";
    if ((state & NODE_STATE_MAINT) != 0) return "MAINT";
    return "";
}

} // namespace

QueuedJob read_queued_job(const slurm_job_info_t& record) {
    QueuedJob job;
    job.id = job_id_of(record);
    job.array_id = record.array_job_id;
    if (record.array_job_id != 0) job.tasks = read_tasks(record);
    job.het_id = record.het_job_id;
    job.name = read_name(record);
    job.state = read_state(record.job_state);
    job.state_name = state_name(record.job_state);
    job.reason = reason_name(record.state_reason);
    job.reason_text = to_text(record.state_desc);
    job.user_id = record.user_id;
    job.account = to_text(record.account);
    job.qos = to_text(record.qos);
    job.partition = to_text(record.partition);
    job.time_limit = read_time(record.time_limit);
    job.start = record.start_time;
    job.end = record.end_time;
    job.last_attempt = record.last_sched_eval;
    job.tres = to_text(job.holds_resources() ? record.tres_alloc_str : record.tres_req_str);
    if (job.holds_resources()) job.nodes = read_node_ranges(record.node_inx);
    job.association_id = record.assoc_id;
    if (job.state == QueueState::pending) {
        job.request = read_request(record);
        read_plans(record, job);
    }
    return job;
}

Result<Queue> read_queue() {
    const auto message = load_jobs(everything, SHOW_ALL | SHOW_DETAIL);
    if (!message) return message.error();
    const auto conf = load_conf(everything);
    if (!conf) return conf.error();
    Queue queue;
    queue.hides_jobs = *conf != nullptr && ((*conf)->private_data & PRIVATE_DATA_JOBS) != 0;
    if (*conf != nullptr && view_text((*conf)->priority_type) == "priority/multifactor")
        queue.usage_step = std::chrono::seconds((*conf)->priority_calc_period);
    if (*message == nullptr) return queue;
    queue.jobs.reserve((*message)->record_count);
    for (std::uint32_t i = 0; i < (*message)->record_count; ++i)
        queue.jobs.push_back(read_queued_job((*message)->job_array[i]));
    return queue;
}

std::uint64_t places_of(const slurm_job_info_t& record) {
    return std::max<std::uint64_t>(read_tasks(record).size(), 1);
}

Result<model::JobTable> read_job_table() {
    const auto message = load_jobs(everything);
    if (!message) return message.error();
    const auto conf = load_conf(everything);
    if (!conf) return conf.error();
    if (*conf == nullptr) return Error{ErrorCode::unavailable, "reading slurm.conf: slurmctld shows nothing"};
    model::JobTable table{.max = (*conf)->max_job_cnt,
                          .hides_jobs = ((*conf)->private_data & PRIVATE_DATA_JOBS) != 0};
    for (std::uint32_t i = 0; *message != nullptr && i < (*message)->record_count; ++i)
        table.taken += places_of((*message)->job_array[i]);
    return table;
}

Result<model::Obstacles> read_obstacles() {
    const auto reservations = load_reservations(everything);
    if (!reservations) return reservations.error();
    const auto nodes = load_nodes(SHOW_ALL | SHOW_DETAIL);
    if (!nodes) return nodes.error();
    const auto partitions = load_partitions(everything);
    if (!partitions) return partitions.error();
    if (*nodes != nullptr && *partitions != nullptr)
        slurm_populate_node_partitions(nodes->get(), partitions->get());
    model::Obstacles obstacles;
    for (std::uint32_t i = 0; *reservations != nullptr && i < (*reservations)->record_count; ++i) {
        const reserve_info_t& each = (*reservations)->reservation_array[i];
        obstacles.reservations.push_back({.name = to_text(each.name),
                                          .start = each.start_time,
                                          .end = each.end_time,
                                          .nodes = to_text(each.node_list),
                                          .is_maintenance = (each.flags & RESERVE_FLAG_MAINT) != 0,
                                          .ranges = read_node_ranges(each.node_inx)});
    }
    for (std::uint32_t i = 0; *nodes != nullptr && i < (*nodes)->record_count; ++i) {
        const node_info_t& each = (*nodes)->node_array[i];
        std::string state = node_state(each.node_state);
        if (each.name == nullptr || state.empty()) continue;
        obstacles.nodes.push_back({.name = each.name,
                                   .state = std::move(state),
                                   .reason = to_text(each.reason),
                                   .partitions = to_text(each.partitions),
                                   .index = i});
    }
    return obstacles;
}

} // namespace qg::slurm

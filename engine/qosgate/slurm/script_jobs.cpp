// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/script_jobs.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/script_field_names.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace qg::slurm {
namespace {

using model::ScriptValue;
using Job = job_info_t;

bool is_pending(const Job& job) {
    return (job.job_state & JOB_STATE_BASE) == JOB_PENDING;
}
bool is_completing(const Job& job) {
    return (job.job_state & JOB_COMPLETING) != 0;
}
bool is_not_completing(const Job& job) {
    return !is_completing(job);
}
/// Not one that waits again while its nodes are freed: the message counts the processors of its last run.
bool has_not_started(const Job& job) {
    return is_pending(job) && !is_completing(job);
}
/// It runs or is over, and its nodes have been freed, or none has yet.
bool is_settled(const Job& job) {
    return !is_pending(job) && !is_completing(job);
}
/// Not one that was cancelled before it had nodes: the message tells what it would have got.
bool has_run(const Job& job) {
    return is_settled(job) && job.nodes != nullptr && *job.nodes != '\0';
}

template <auto member>
ScriptValue text_of(const Job& job) {
    return ScriptValue::of_text(job.*member);
}
template <auto member>
ScriptValue number_of(const Job& job) {
    return ScriptValue::of_number(static_cast<double>(job.*member));
}

/// A value that the message has only of some jobs.
template <bool (*may_be_shown)(const Job& job), ScriptValue (*read)(const Job& job)>
ScriptValue only_if(const Job& job) {
    return may_be_shown(job) ? read(job) : ScriptValue::unknown();
}

template <bool per_cpu>
ScriptValue memory_of(const Job& job) {
    if (job.pn_min_memory == NO_VAL64 || ((job.pn_min_memory & MEM_PER_CPU) != 0) != per_cpu) return {};
    return ScriptValue::of_number(static_cast<double>(job.pn_min_memory & ~std::uint64_t{MEM_PER_CPU}));
}

ScriptValue read_site_factor(const Job& job) {
    const double factor = job.site_factor;
    return ScriptValue::of_number(job.site_factor == NO_VAL ? factor : factor - NICE_OFFSET);
}

ScriptValue read_resizing(const Job& job) {
    return ScriptValue::of_number((job.job_state & JOB_RESIZING) != 0 ? 1 : 0);
}

/// Of a waiting job it may be the list that the job asked for.
ScriptValue read_qos(const Job& job) {
    const auto qos = ScriptValue::of_text(job.qos);
    return qos.text.find(',') == std::string_view::npos ? qos : ScriptValue::unknown();
}

struct JobField {
    std::string_view name;
    ScriptValue (*read)(const Job& job);
};

constexpr JobField job_fields[] = {
    {"account", &text_of<&Job::account>},
    {"admin_comment", &text_of<&Job::admin_comment>},
    {"alloc_node", &text_of<&Job::alloc_node>},
    {"array_job_id", &number_of<&Job::array_job_id>},
    {"array_task_id", &number_of<&Job::array_task_id>},
    {"batch_features", &text_of<&Job::batch_features>},
    {"batch_host", &text_of<&Job::batch_host>},
    {"burst_buffer", &text_of<&Job::burst_buffer>},
    {"comment", &text_of<&Job::comment>},
    {"cpus_per_tres", &text_of<&Job::cpus_per_tres>},
    {"delay_boot", &number_of<&Job::delay_boot>},
    {"derived_ec", &number_of<&Job::derived_ec>},
    {"end_time", &only_if<&is_settled, &number_of<&Job::end_time>>},
    {"exit_code", &number_of<&Job::exit_code>},
    {"features", &only_if<&is_pending, &text_of<&Job::features>>},
    {"gres", &text_of<&Job::tres_per_node>},
    {"gres_req", &text_of<&Job::tres_req_str>},
    {"group_id", &number_of<&Job::group_id>},
    {"het_job_id", &number_of<&Job::het_job_id>},
    {"het_job_id_set", &text_of<&Job::het_job_id_set>},
    {"het_job_offset", &number_of<&Job::het_job_offset>},
    {"job_id", &number_of<&Job::job_id>},
    {"job_state", &number_of<&Job::job_state>},
    {"licenses", &text_of<&Job::licenses>},
    {"mem_per_tres", &text_of<&Job::mem_per_tres>},
    {"min_cpus", &only_if<&has_not_started, &number_of<&Job::num_cpus>>},
    {"min_mem_per_cpu", &memory_of<true>},
    {"min_mem_per_node", &memory_of<false>},
    {"name", &text_of<&Job::name>},
    {"nice", &number_of<&Job::nice>},
    {"nodes", &only_if<&is_not_completing, &text_of<&Job::nodes>>},
    {"pack_job_id", &number_of<&Job::het_job_id>},
    {"pack_job_id_set", &text_of<&Job::het_job_id_set>},
    {"pack_job_offset", &number_of<&Job::het_job_offset>},
    {"partition", &text_of<&Job::partition>},
    {"pn_min_cpus", &number_of<&Job::pn_min_cpus>},
    {"pn_min_memory", &number_of<&Job::pn_min_memory>},
    {"priority", &number_of<&Job::priority>},
    {"qos", &read_qos},
    {"reboot", &number_of<&Job::reboot>},
    {"req_switch", &number_of<&Job::req_switch>},
    {"resizing", &read_resizing},
    {"restart_cnt", &number_of<&Job::restart_cnt>},
    {"resv_name", &text_of<&Job::resv_name>},
    {"site_factor", &read_site_factor},
    {"start_time", &only_if<&is_settled, &number_of<&Job::start_time>>},
    {"submit_time", &number_of<&Job::submit_time>},
    {"time_limit", &only_if<&has_run, &number_of<&Job::time_limit>>},
    {"time_min", &number_of<&Job::time_min>},
    {"total_cpus", &only_if<&has_run, &number_of<&Job::num_cpus>>},
    {"total_nodes", &only_if<&has_run, &number_of<&Job::num_nodes>>},
    {"tres_bind", &text_of<&Job::tres_bind>},
    {"tres_fmt_alloc_str", &text_of<&Job::tres_alloc_str>},
    {"tres_fmt_req_str", &text_of<&Job::tres_req_str>},
    {"tres_freq", &text_of<&Job::tres_freq>},
    {"tres_per_job", &text_of<&Job::tres_per_job>},
    {"tres_per_node", &text_of<&Job::tres_per_node>},
    {"tres_per_socket", &text_of<&Job::tres_per_socket>},
    {"tres_per_task", &text_of<&Job::tres_per_task>},
    {"user_id", &number_of<&Job::user_id>},
    {"user_name", &text_of<&Job::user_name>},
    {"wait4switch", &number_of<&Job::wait4switch>},
    {"wckey", &text_of<&Job::wckey>},
    {"work_dir", &text_of<&Job::work_dir>},
};

constexpr bool is_in_message(std::string_view name) {
    return std::ranges::find(job_fields, name, &JobField::name) != std::end(job_fields);
}
static_assert(std::ranges::all_of(model::record_fields,
                                  [](const model::RecordFieldFacts& field) {
                                      return field.kind != model::RecordField::listed ||
                                             is_in_message(field.name);
                                  }),
              "a listed field has no row");

/// Slurm's plugin shows these, too, in some releases; the message does not have them, or not as the record.
std::vector<std::string_view> unreadable_fields() {
    std::vector<std::string_view> names{"core_spec", "original_sluid", "segment_size", "sluid",
                                        "thread_spec"};
    for (const model::RecordFieldFacts& field : model::record_fields)
        if (!is_in_message(field.name)) names.push_back(field.name);
    return names;
}

std::vector<const Job*> sorted_by_id(std::span<const Job> jobs) {
    std::vector<const Job*> sorted;
    sorted.reserve(jobs.size());
    for (const Job& job : jobs)
        sorted.push_back(&job);
    std::ranges::sort(sorted, {}, &Job::job_id);
    return sorted;
}

/// Compares the texts of two ids as numbers.
bool is_lower_id(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

Error too_many(std::string_view what) {
    return {ErrorCode::limit_exceeded, text::format("slurm.jobs cannot be read: {}", what)};
}

} // namespace

Result<model::ScriptRecords> read_script_jobs(const job_info_msg_t& jobs, const MentionedNames& mentioned,
                                              const JobBoundsForScripts& bounds) {
    if (jobs.record_count > bounds.jobs)
        return too_many(
            text::format("there are {} jobs, and at most {} are read", jobs.record_count, bounds.jobs));
    std::vector<const JobField*> fields;
    model::ScriptRecords all;
    for (const JobField& field : job_fields) {
        if (!mentioned.contains(field.name)) {
            all.unread.push_back(field.name);
            continue;
        }
        fields.push_back(&field);
        all.names.push_back(field.name);
    }
    all.unreadable = unreadable_fields();
    all.records.reserve(jobs.record_count);
    std::size_t bytes = 0;
    for (const Job* of_one : sorted_by_id(std::span(jobs.job_array, jobs.record_count))) {
        const Job& job = *of_one;
        model::ScriptRecord& record = all.records.emplace_back();
        record.name = std::to_string(job.job_id);
        record.values.reserve(fields.size());
        bytes += sizeof(model::ScriptRecord) + fields.size() * sizeof(model::KeptScriptValue);
        for (const JobField* field : fields) {
            const ScriptValue value = field->read(job);
            bytes += value.text.size();
            record.values.emplace_back(value);
        }
        if (bytes > bounds.bytes)
            return too_many(text::format("what the script reads of {} jobs is more than {} MiB",
                                         jobs.record_count, bounds.bytes >> 20u));
    }
    return all;
}

std::optional<std::size_t> find_script_job(const model::ScriptRecords& jobs, std::uint32_t job_id) {
    const std::string name = std::to_string(job_id);
    const auto job = std::ranges::lower_bound(jobs.records, name, &is_lower_id, &model::ScriptRecord::name);
    if (job == jobs.records.end() || job->name != name) return std::nullopt;
    return static_cast<std::size_t>(job - jobs.records.begin());
}

} // namespace qg::slurm

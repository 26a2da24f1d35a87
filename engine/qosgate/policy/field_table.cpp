// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of fields: one line for each `job.NAME`.
#include "qosgate/policy/field_read.hpp"
#include "qosgate/policy/field_write.hpp"
#include "qosgate/policy/fields.hpp"

#include <array>

namespace qg::policy {
namespace {

using namespace field;
using model::UpdatePart;

template <std::optional<std::string> JobRequest::*member>
constexpr FieldSpec text_field(std::string_view name, std::string_view description,
                               std::string_view noun = {}) {
    return {name, FieldType::text, description, &read_text<member>, &write_text<member>, &has<member>, noun};
}

constexpr FieldSpec list_field(ListForm form, FieldSpec field) {
    field.list = form;
    return field;
}

constexpr FieldSpec set_with(std::optional<model::UpdatePart> part, FieldSpec field) {
    field.part = part;
    return field;
}
/// A field that no change sets.
constexpr FieldSpec lasting(FieldSpec field) {
    return set_with(std::nullopt, field);
}

/// A field that rules only read, and that a request has.
template <Result<void> (*restore)(JobRequest&, const Value&)>
constexpr FieldSpec restored(FieldSpec field) {
    field.restore = restore;
    return field;
}

constexpr FieldSpec not_recorded(FieldSpec field) {
    field.is_recorded = false;
    return field;
}

template <std::optional<std::uint32_t> JobRequest::*member, std::int64_t lowest = 1,
          std::int64_t highest = highest_count>
constexpr FieldSpec count_field(std::string_view name, std::string_view description,
                                std::string_view noun = {}) {
    return {name,
            FieldType::count,
            description,
            &read_count<member>,
            &write_count<member, lowest, highest>,
            &has<member>,
            noun};
}

/// A count of 16 bits in Slurm.
template <std::optional<std::uint32_t> JobRequest::*member>
constexpr FieldSpec narrow_count_field(std::string_view name, std::string_view description,
                                       std::string_view noun) {
    return count_field<member, 1, highest_narrow_count>(name, description, noun);
}

/// The number of tasks, or of the CPUs of each.
template <std::optional<std::uint32_t> JobRequest::*member, std::int64_t highest>
constexpr FieldSpec task_field(std::string_view name, std::string_view option) {
    return {name,
            FieldType::count,
            option,
            &read_count<member>,
            &write_task_count<member, highest>,
            &has<member>,
            option};
}

/// A read-only text.
template <std::optional<std::string> JobRequest::*member>
constexpr FieldSpec fixed_text(std::string_view name, std::string_view description, std::string_view noun) {
    return restored<&restore_text<member>>(
        {name, FieldType::text, description, &read_text<member>, nullptr, &has<member>, noun});
}

/// Records have flags of a request among their other values.
template <bool JobRequest::*member>
constexpr FieldSpec flag_field(std::string_view name, std::string_view description,
                               std::string_view noun = {}) {
    return not_recorded(restored<&restore_flag<member>>(
        {name, FieldType::flag, description, &read_flag<member>, nullptr, &has_flag<member>, noun}));
}

/// Read-only details.
template <JobDetail detail, Value::Kind kind, typename Read>
constexpr FieldSpec fixed_field(std::string_view name, FieldType type, std::string_view description,
                                Read read) {
    return restored<&restore_detail<detail, kind>>(
        set_with(model::part_of(detail), {name, type, description, read, nullptr, &has_detail<detail>}));
}
template <JobDetail detail>
constexpr FieldSpec fixed_text(std::string_view name, std::string_view description) {
    return fixed_field<detail, Value::Kind::text>(name, FieldType::text, description, &read_as_is<detail>);
}
template <JobDetail detail>
constexpr FieldSpec fixed_count(std::string_view name, std::string_view description) {
    return fixed_field<detail, Value::Kind::integer>(name, FieldType::count, description,
                                                     &read_as_is<detail>);
}
template <JobDetail detail>
constexpr FieldSpec fixed_switch(std::string_view name, std::string_view description) {
    return fixed_field<detail, Value::Kind::flag>(name, FieldType::flag, description, &read_switch<detail>);
}

/// Details that rules write.
template <JobDetail detail>
constexpr FieldSpec text_detail(std::string_view name, std::string_view description,
                                std::string_view noun = {}) {
    return set_with(model::part_of(detail), {name, FieldType::text, description, &read_as_is<detail>,
                                             &write_text_detail<detail>, &has_detail<detail>, noun, true});
}
template <JobDetail detail, std::int64_t lowest, std::int64_t highest>
constexpr FieldSpec number_detail(std::string_view name, std::string_view description,
                                  std::string_view noun = {}) {
    return set_with(model::part_of(detail),
                    {name, FieldType::count, description, &read_as_is<detail>,
                     &write_number_detail<detail, lowest, highest>, &has_detail<detail>, noun, true});
}

template <bool per_cpu>
constexpr FieldSpec memory_field(std::string_view name, std::string_view description, std::string_view noun) {
    return {name,
            FieldType::count,
            description,
            &read_memory_per<per_cpu>,
            &write_memory<per_cpu>,
            &has_memory<per_cpu>,
            noun};
}

constexpr FieldSpec counted_field(std::string_view name, std::string_view description, Reader read,
                                  bool (*is_set)(const JobRequest&) noexcept = nullptr) {
    return not_recorded(
        {name, FieldType::count, description, read, nullptr, is_set, {}, false, FieldBasis::counts});
}

constexpr FieldSpec object_field(std::string_view name, FieldType type, std::string_view description,
                                 bool (*is_set)(const JobRequest&) noexcept = nullptr) {
    return {name, type, description, &read_object, nullptr, is_set};
}

constexpr auto request_qos = &JobRequest::qos;
constexpr auto request_partition = &JobRequest::partition;
constexpr auto request_account = &JobRequest::account;

constexpr auto field_table = std::to_array<FieldSpec>({
    {"qos", FieldType::text, "the QOS, or the default one", &read_text<request_qos, default_qos>,
     &write_text<request_qos>, &has<request_qos>, "QOS", false, FieldBasis::job_default},
    {"partition", FieldType::text, "the partition, or several with commas; or the default one",
     &read_text<request_partition, default_partition>, &write_text<request_partition>,
     &has<request_partition>, "partition", false, FieldBasis::job_default},
    {"account", FieldType::text, "the account, or the user's default one",
     &read_text<request_account, default_account>, &write_text<request_account>, &has<request_account>,
     "account", false, FieldBasis::job_default},
    {"time_limit", FieldType::minutes, "the time limit, or what the partition gives", &read_time_limit,
     &write_time<&JobRequest::time_limit>, &has<&JobRequest::time_limit>, "time limit", false,
     FieldBasis::job_default},
    {"time_min", FieldType::minutes, "--time-min", &read_time_min, &write_time<&JobRequest::time_min>,
     &has<&JobRequest::time_min>, "--time-min"},
    set_with(UpdatePart::name, text_field<&JobRequest::name>("name", "the job's name")),
    lasting({"user", FieldType::text, "the login name of the job's owner", &read_user}),
    lasting({"uid", FieldType::count, "the user id of the job's owner", &read_uid}),
    lasting({"submit_uid", FieldType::count, "the user id that sent the request", &read_submit_uid}),
    counted_field("nodes", "the number of nodes: -N1-4 reads 4", &read_nodes, &sets_nodes),
    {"min_nodes", FieldType::count, "the minimum number of nodes asked for; 0 reads 1",
     &read_count<&JobRequest::min_nodes>, &write_min_nodes, &has<&JobRequest::min_nodes>,
     "minimum number of nodes"},
    count_field<&JobRequest::max_nodes>("max_nodes", "the maximum number of nodes asked for",
                                        "maximum number of nodes"),
    task_field<&JobRequest::tasks, highest_count>("tasks", "--ntasks"),
    task_field<&JobRequest::cpus_per_task, highest_narrow_count>("cpus_per_task", "--cpus-per-task"),
    narrow_count_field<&JobRequest::tasks_per_node>("tasks_per_node", "--ntasks-per-node",
                                                    "--ntasks-per-node"),
    narrow_count_field<&JobRequest::tasks_per_socket>("tasks_per_socket", "--ntasks-per-socket",
                                                      "--ntasks-per-socket"),
    narrow_count_field<&JobRequest::min_cpus_per_node>("mincpus", "--mincpus: CPUs on each node",
                                                       "--mincpus"),
    fixed_count<JobDetail::tasks_per_core>("tasks_per_core", "--ntasks-per-core"),
    fixed_count<JobDetail::threads_per_core>("threads_per_core", "--threads-per-core"),
    memory_field<false>("memory_per_node", "--mem, in MiB; 0 is all of the node's", "--mem"),
    memory_field<true>("memory_per_cpu", "--mem-per-cpu, in MiB", "--mem-per-cpu"),
    {"memory_per_gpu", FieldType::count, "--mem-per-gpu, in MiB", &read_memory_per_gpu, nullptr,
     &has<&JobRequest::memory_per_tres>, "--mem-per-gpu"},
    {"cpus_per_gpu", FieldType::count, "--cpus-per-gpu", &read_cpus_per_gpu, nullptr,
     &has<&JobRequest::cpus_per_tres>, "--cpus-per-gpu"},
    fixed_count<JobDetail::tmp_disk>("tmp_disk", "--tmp, in MiB for each node"),
    fixed_count<JobDetail::switches>("switches", "--switches: the maximum of leaf switches"),
    fixed_count<JobDetail::switches_wait>("switches_wait",
                                          "how long it waits for them, in seconds: --switches=1@TIME"),
    fixed_count<JobDetail::core_spec>("core_spec", "--core-spec"),
    fixed_count<JobDetail::thread_spec>("thread_spec", "--thread-spec"),
    counted_field("cpus", "CPUs, counted", &read_cpus),
    counted_field("memory", "MiB of memory, counted over all nodes", &read_memory, &sets_memory),
    counted_field("gpus", "GPUs of all types, counted", &read_gpus, &mentions_gpus),
    object_field("gpu", FieldType::gpu, "the GPUs asked for: job.gpu.count, .type, .per; nil without GPUs",
                 &mentions_gpus),
    object_field("gpu_requests", FieldType::gpu_list, "a list of all requests for GPUs, each like job.gpu",
                 &mentions_gpus),
    object_field("tres", FieldType::tres, "every TRES counted, by name: job.tres[\"gres/gpu\"]"),
    lasting(counted_field("array_tasks", "tasks of the job array; 1 without --array", &read_array_tasks,
                          &has<&JobRequest::array>)),
    lasting(fixed_text<&JobRequest::array>("array", "--array as written", "--array")),
    text_field<&JobRequest::reservation>("reservation", "--reservation", "reservation"),
    set_with(UpdatePart::comment, text_field<&JobRequest::comment>("comment", "--comment")),
    set_with(UpdatePart::admin_comment,
             text_field<&JobRequest::admin_comment>("admin_comment", "the administrator's comment")),
    list_field(ListForm::features, text_field<&JobRequest::features>(
                                       "features", "--constraint; see prefer, too", "--constraint")),
    list_field(ListForm::features,
               text_field<&JobRequest::prefer>(
                   "prefer", "--prefer: features that the job gets if they are free", "--prefer")),
    object_field("feature_names", FieldType::feature_names,
                 "a list of the features in --constraint and --prefer, without operators and counts",
                 &names_features),
    list_field(ListForm::licenses, text_field<&JobRequest::licenses>("licenses", "--licenses", "--licenses")),
    object_field("license_counts", FieldType::license_counts,
                 "a table of the licenses asked for: job.license_counts.matlab", &has<&JobRequest::licenses>),
    fixed_text<&JobRequest::required_nodes>("nodelist", "--nodelist", "--nodelist"),
    list_field(ListForm::names,
               text_detail<JobDetail::excluded_nodes>("excluded_nodes", "--exclude", "--exclude")),
    fixed_text<&JobRequest::tres_per_job>("tres_per_job", "--gpus, as Slurm writes it: gres:gpu:2", "--gpus"),
    fixed_text<&JobRequest::tres_per_node>("tres_per_node", "--gres and --gpus-per-node", "--gres"),
    fixed_text<&JobRequest::tres_per_socket>("tres_per_socket", "--gpus-per-socket", "--gpus-per-socket"),
    fixed_text<&JobRequest::tres_per_task>("tres_per_task", "--gpus-per-task", "--gpus-per-task"),
    fixed_text<JobDetail::burst_buffer>(
        "burst_buffer", "--bb, and --bbf of salloc and srun; sbatch writes --bbf into the script"),
    fixed_text<JobDetail::network>("network", "--network"),
    set_with(UpdatePart::priority,
             count_field<&JobRequest::priority, 0>(
                 "priority", "--priority of an operator, nil of others; 0 holds the job")),
    number_detail<JobDetail::nice, -highest_nice, highest_nice>("nice",
                                                                "--nice; below 0 is a higher priority"),
    number_detail<JobDetail::begin_time, 1, highest_count>("begin_time", "--begin, in seconds since 1970",
                                                           "--begin"),
    fixed_count<JobDetail::deadline>("deadline", "--deadline, in seconds since 1970"),
    list_field(ListForm::dependencies,
               text_detail<JobDetail::dependency>("dependency", "--dependency", "--dependency")),
    set_with(UpdatePart::requeue, {"requeue",
                                   FieldType::flag,
                                   "--requeue is true, --no-requeue false; else nil",
                                   &read_choice<JobDetail::requeue>,
                                   &write_flag_detail<JobDetail::requeue>,
                                   &has_detail<JobDetail::requeue>,
                                   {},
                                   true}),
    text_detail<JobDetail::wckey>("wckey", "--wckey"),
    text_detail<JobDetail::mail_user>("mail_user", "--mail-user"),
    set_with(UpdatePart::mail_type, {"mail_type",
                                     FieldType::text,
                                     "--mail-type, as scontrol shows it: BEGIN,END,FAIL",
                                     &read_mail_type,
                                     &write_mail_type,
                                     &has_detail<JobDetail::mail_type>,
                                     {},
                                     true}),
    fixed_text<JobDetail::work_dir>("work_dir", "--chdir, or where the command was typed"),
    not_recorded(fixed_text<JobDetail::std_in>("std_in", "--input of sbatch")),
    not_recorded(fixed_text<JobDetail::std_out>("std_out", "--output of sbatch, as written")),
    not_recorded(fixed_text<JobDetail::std_err>("std_err", "--error of sbatch, as written")),
    fixed_text<JobDetail::container>("container", "--container"),
    fixed_text<JobDetail::extra>("extra", "--extra; since Slurm 23.11"),
    fixed_text<JobDetail::submit_host>("submit_host", "the host where the job was submitted"),
    lasting(flag_field<&JobRequest::is_batch>("is_batch", "sent by sbatch, not by salloc or srun")),
    lasting(not_recorded({"interactive", FieldType::flag, "sent by salloc or srun",
                          &read_flag<&JobRequest::is_batch, false>, nullptr,
                          &has_flag<&JobRequest::is_batch, false>})),
    not_recorded(fixed_text<JobDetail::script>("script", "the batch script, at most its first 64 KiB")),
    lasting(object_field("script_options", FieldType::script_options,
                         "a list of the script's #SBATCH lines: \"--time=10\"",
                         &has_detail<JobDetail::script>)),
    lasting(object_field("argv", FieldType::arguments,
                         "the script's arguments: job.argv[1]; job.argv[0] is its name", &has_arguments)),
    lasting(object_field("env", FieldType::environment,
                         "the job's environment: job.env[\"HOME\"]; only sbatch sends it", &has_environment)),
    {"exclusive", FieldType::flag, "--exclusive, or another option that takes whole nodes",
     &read_flag<&JobRequest::exclusive>, &write_exclusive, &has_flag<&JobRequest::exclusive>, "--exclusive"},
    fixed_text<JobDetail::sharing>(
        "oversubscribe", "who shares its nodes: no, user or mcs of --exclusive; ok of --oversubscribe"),
    flag_field<&JobRequest::overcommit>("overcommit", "--overcommit", "--overcommit"),
    fixed_switch<JobDetail::contiguous>("contiguous", "--contiguous"),
    fixed_switch<JobDetail::reboot>("reboot", "--reboot"),
    fixed_switch<JobDetail::spread_job>("spread_job", "--spread-job"),
    fixed_switch<JobDetail::use_min_nodes>("use_min_nodes", "--use-min-nodes"),
    fixed_switch<JobDetail::enforce_binding>("enforce_binding", "--gres-flags=enforce-binding"),
    fixed_switch<JobDetail::disable_binding>("disable_binding", "--gres-flags=disable-binding"),
    lasting(flag_field<&JobRequest::is_het_part>("is_het_part", "one part of a heterogeneous job")),
    fixed_count<JobDetail::het_offset>("het_offset", "the part's place in it, from 0"),
});

} // namespace

std::span<const FieldSpec> job_fields() noexcept {
    return field_table;
}

} // namespace qg::policy

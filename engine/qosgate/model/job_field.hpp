// SPDX-License-Identifier: GPL-2.0-or-later
//
// The facts of each field of a job that rules know, one row per field. How rules read and write a field is in
// policy/objects/field_table.cpp, and its member in Slurm's structs in slurm/job_field_members.hpp.
#pragma once

#include "qosgate/base/enumerators.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/update_parts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace qg::model {

enum class FieldType : std::uint8_t {
    text,
    count,   ///< a whole number
    minutes, ///< a whole number, math.huge for "no limit"; written also as "8:00:00"
    flag,    ///< true or false
    tres,    ///< a table of counts by TRES name
    // What the bindings make objects of (policy/objects/job_objects.cpp):
    gpu,
    gpu_list,
    arguments,
    environment,
    license_counts,
    feature_names,
    script_options,
};

/// How the text of a field is a list.
enum class ListForm : std::uint8_t {
    none,
    features,     ///< "a&b", with alternatives "a|b", groups and counts
    names,        ///< "node1,node[3-4]"
    licenses,     ///< "matlab:2,abaqus"; each name once
    dependencies, ///< "afterok:1,singleton"
};

using TextMember = std::optional<std::string> JobRequest::*;
using CountMember = std::optional<std::uint32_t> JobRequest::*;
using TimeMember = std::optional<TimeLimit> JobRequest::*;
using FlagMember = bool JobRequest::*;

/// Where a request has a field; monostate: its value follows from several members, or from more than the
/// request.
using JobMember = std::variant<std::monostate, TextMember, CountMember, TimeMember, FlagMember, JobDetail>;

/// What rules do with a field.
enum class FieldAccess : std::uint8_t { read, write };

/// How users ask for a field.
struct FieldOption {
    const char* text = ""; ///< "--time"; empty: they do not ask for it
    /// Whether it is an option of the clients that takes the field's value as it is.
    bool takes_value = false;

    constexpr FieldOption(const char* words, bool is_value = false) : text(words), takes_value(is_value) {}
};

// The two highest 32-bit numbers mean "none" and "infinite" in slurmctld.
inline constexpr std::int64_t highest_count = 0xfffffffd;
// The same for counts of 16 bits.
inline constexpr std::int64_t highest_narrow_count = 0xfffd;
// Slurm adds this to a nice value, and the sum is such a number.
inline constexpr std::int64_t highest_nice = 0x7ffffffd;

struct JobField {
    std::string_view name; ///< job.NAME
    FieldType type;
    JobMember member;
    FieldAccess access;
    std::optional<UpdatePart> part; ///< of a change that sets the field; empty: no change does
    FieldOption option;
    std::string_view description = {}; ///< empty in a row: the option
    /// The users' word for it. Empty: no verdict depends on it, or what it stands for has a field with a
    /// noun.
    std::string_view noun = {};
    /// Slurm's other names for it in job_submit.lua, with blanks between them.
    std::string_view slurm_names = {};
    /// Whether records of decisions have it among the job's fields. They do not if it is long, private,
    /// counted from others, or among their other values.
    bool is_recorded = true;
    /// scontrol's name for it, in 'scontrol update'. Empty: none, or no change that is suggested needs it.
    std::string_view scontrol_name = {};
    ListForm list = ListForm::none; ///< of a text that rules write
    // The range of a count that rules write:
    std::int64_t lowest = 1;
    std::int64_t highest = highest_count;
};

/// The rows, in the order they are documented.
inline constexpr auto job_fields = [] {
    using enum FieldType;
    using enum FieldAccess;
    using enum UpdatePart;
    using R = JobRequest;
    using D = JobDetail;
    constexpr std::monostate none;
    constexpr std::optional<UpdatePart> never;
    const auto taking = [](const char* option) { return FieldOption(option, true); };
    const auto not_recorded = [](JobField row) {
        row.is_recorded = false;
        return row;
    };
    const auto as_list = [](ListForm form, JobField row) {
        row.list = form;
        return row;
    };
    const auto in_scontrol = [](std::string_view name, JobField row) {
        row.scontrol_name = name;
        return row;
    };
    const auto between = [](std::int64_t lowest, std::int64_t highest, JobField row) {
        row.lowest = lowest;
        row.highest = highest;
        return row;
    };
    const auto narrow = [between](JobField row) { return between(1, highest_narrow_count, row); };
    auto rows = std::to_array<JobField>({
        in_scontrol("QOS", {"qos", text, &R::qos, write, limits, taking("--qos"),
                            "the QOS, or the default one", "QOS"}),
        in_scontrol("Partition", {"partition", text, &R::partition, write, limits, taking("--partition"),
                                  "the partition, or several with commas; or the default one", "partition"}),
        in_scontrol("Account", {"account", text, &R::account, write, limits, taking("--account"),
                                "the account, or the user's default one", "account"}),
        in_scontrol("TimeLimit", {"time_limit", minutes, &R::time_limit, write, limits, "--time",
                                  "the time limit, or what the partition gives", "time limit"}),
        in_scontrol("TimeMin",
                    {"time_min", minutes, &R::time_min, write, limits, "--time-min", "", "--time-min"}),
        {"name", text, &R::name, write, name, taking("--job-name"), "the job's name"},
        {"user", text, none, read, never, "", "the login name of the job's owner", "", "user_name"},
        {"uid", count, none, read, never, "", "the user id of the job's owner", "", "user_id"},
        {"submit_uid", count, none, read, never, "", "the user id that sent the request"},
        not_recorded(in_scontrol("NumNodes", {"nodes", count, none, read, limits, "--nodes",
                                              "the number of nodes: -N1-4 reads 4"})),
        {"min_nodes", count, &R::min_nodes, write, limits, "--nodes",
         "the minimum number of nodes asked for; 0 reads 1", "minimum number of nodes"},
        {"max_nodes", count, &R::max_nodes, write, limits, "--nodes", "the maximum number of nodes asked for",
         "maximum number of nodes"},
        in_scontrol("NumTasks",
                    {"tasks", count, &R::tasks, write, limits, "--ntasks", "", "--ntasks", "num_tasks"}),
        narrow({"cpus_per_task", count, &R::cpus_per_task, write, limits, "--cpus-per-task", "",
                "--cpus-per-task"}),
        narrow({"tasks_per_node", count, &R::tasks_per_node, write, limits, "--ntasks-per-node", "",
                "--ntasks-per-node", "ntasks_per_node"}),
        narrow({"tasks_per_socket", count, &R::tasks_per_socket, write, limits, "--ntasks-per-socket", "",
                "--ntasks-per-socket", "ntasks_per_socket"}),
        narrow({"mincpus", count, &R::min_cpus_per_node, write, limits, "--mincpus",
                "--mincpus: CPUs on each node", "--mincpus", "pn_min_cpus"}),
        {"tasks_per_core", count, D::tasks_per_core, read, never, "--ntasks-per-core", "", "",
         "ntasks_per_core"},
        {"threads_per_core", count, D::threads_per_core, read, limits, "--threads-per-core"},
        in_scontrol("MinMemoryNode", {"memory_per_node", count, none, write, limits, "--mem",
                                      "--mem, in MiB; 0 is all of the node's", "--mem", "min_mem_per_node"}),
        in_scontrol("MinMemoryCPU", {"memory_per_cpu", count, none, write, limits, "--mem-per-cpu",
                                     "--mem-per-cpu, in MiB", "--mem-per-cpu", "min_mem_per_cpu"}),
        {"memory_per_gpu", count, &R::memory_per_tres, read, limits, "--mem-per-gpu", "--mem-per-gpu, in MiB",
         "--mem-per-gpu", "mem_per_tres"},
        {"cpus_per_gpu", count, &R::cpus_per_tres, read, limits, "--cpus-per-gpu", "", "--cpus-per-gpu",
         "cpus_per_tres"},
        {"tmp_disk", count, D::tmp_disk, read, tmp_disk, "--tmp", "--tmp, in MiB for each node", "",
         "pn_min_tmp_disk"},
        {"switches", count, D::switches, read, switches, "--switches",
         "--switches: the maximum of leaf switches", "", "req_switch"},
        {"switches_wait", count, D::switches_wait, read, switches, "--switches",
         "how long it waits for them, in seconds: --switches=1@TIME", "", "wait4switch"},
        {"core_spec", count, D::core_spec, read, limits, "--core-spec"},
        {"thread_spec", count, D::thread_spec, read, limits, "--thread-spec"},
        not_recorded(
            in_scontrol("NumCPUs", {"cpus", count, none, read, limits, "", "CPUs, counted", "", "min_cpus"})),
        not_recorded({"memory", count, none, read, limits, "--mem", "MiB of memory, counted over all nodes"}),
        not_recorded({"gpus", count, none, read, limits, "--gpus", "GPUs of all types, counted"}),
        {"gpu", gpu, none, read, limits, "--gpus",
         "the GPUs asked for: job.gpu.count, .type, .per; nil without GPUs"},
        {"gpu_requests", gpu_list, none, read, limits, "--gpus",
         "a list of all requests for GPUs, each like job.gpu"},
        {"tres", tres, none, read, limits, "", "every TRES counted, by name: job.tres[\"gres/gpu\"]"},
        not_recorded({"array_tasks", count, none, read, never, "--array",
                      "tasks of the job array; 1 without --array"}),
        {"array", text, &R::array, read, never, taking("--array"), "--array as written", "--array",
         "array_inx"},
        {"reservation", text, &R::reservation, write, limits, taking("--reservation"), "", "reservation"},
        {"comment", text, &R::comment, write, comment, taking("--comment")},
        {"admin_comment", text, &R::admin_comment, write, admin_comment, "AdminComment",
         "the administrator's comment"},
        as_list(ListForm::features, {"features", text, &R::features, write, limits, taking("--constraint"),
                                     "--constraint; see prefer, too", "--constraint"}),
        as_list(ListForm::features, {"prefer", text, &R::prefer, write, limits, taking("--prefer"),
                                     "--prefer: features that the job gets if they are free", "--prefer"}),
        {"feature_names", feature_names, none, read, limits, "--constraint",
         "a list of the features in --constraint and --prefer, without operators and counts"},
        as_list(ListForm::licenses,
                {"licenses", text, &R::licenses, write, limits, taking("--licenses"), "", "--licenses"}),
        {"license_counts", license_counts, none, read, limits, "--licenses",
         "a table of the licenses asked for: job.license_counts.matlab"},
        {"nodelist", text, &R::required_nodes, read, limits, taking("--nodelist"), "", "--nodelist",
         "req_nodes"},
        as_list(ListForm::names, {"excluded_nodes", text, D::excluded_nodes, write, limits,
                                  taking("--exclude"), "", "--exclude", "exc_nodes"}),
        in_scontrol("TresPerJob", {"tres_per_job", text, &R::tres_per_job, read, limits, "--gpus",
                                   "--gpus, as Slurm writes it: gres:gpu:2", "--gpus"}),
        in_scontrol("TresPerNode", {"tres_per_node", text, &R::tres_per_node, read, limits,
                                    "--gres or --gpus-per-node", "--gres and --gpus-per-node", "--gres"}),
        {"tres_per_socket", text, &R::tres_per_socket, read, limits, "--gpus-per-socket", "",
         "--gpus-per-socket"},
        in_scontrol("TresPerTask", {"tres_per_task", text, &R::tres_per_task, read, limits, "--gpus-per-task",
                                    "", "--gpus-per-task"}),
        {"burst_buffer", text, D::burst_buffer, read, burst_buffer, taking("--bb"),
         "--bb, and --bbf of salloc and srun; sbatch writes --bbf into the script"},
        {"network", text, D::network, read, network, taking("--network")},
        between(0, highest_count,
                {"priority", count, &R::priority, write, priority, "--priority",
                 "--priority of an operator, nil of others; 0 holds the job"}),
        between(
            -highest_nice, highest_nice,
            {"nice", count, D::nice, write, nice, taking("--nice"), "--nice; below 0 is a higher priority"}),
        {"begin_time", count, D::begin_time, write, begin_time, "--begin", "--begin, in seconds since 1970",
         "--begin"},
        {"deadline", count, D::deadline, read, deadline, "--deadline", "--deadline, in seconds since 1970"},
        as_list(ListForm::dependencies, {"dependency", text, D::dependency, write, dependency,
                                         taking("--dependency"), "", "--dependency"}),
        {"requeue", flag, D::requeue, write, requeue, "--requeue",
         "--requeue is true, --no-requeue false; else nil"},
        {"wckey", text, D::wckey, write, wckey, taking("--wckey")},
        {"mail_user", text, D::mail_user, write, mail_user, taking("--mail-user")},
        {"mail_type", text, D::mail_type, write, mail_type, "--mail-type",
         "--mail-type, as scontrol shows it: BEGIN,END,FAIL"},
        {"work_dir", text, D::work_dir, read, work_dir, taking("--chdir"),
         "--chdir, or where the command was typed"},
        not_recorded({"std_in", text, D::std_in, read, std_in, taking("--input"), "--input of sbatch"}),
        not_recorded({"std_out", text, D::std_out, read, std_out, taking("--output"),
                      "--output of sbatch, as written"}),
        not_recorded(
            {"std_err", text, D::std_err, read, std_err, taking("--error"), "--error of sbatch, as written"}),
        {"container", text, D::container, read, container, "--container"},
        {"extra", text, D::extra, read, extra, "--extra", "--extra; since Slurm 23.11"},
        {"submit_host", text, D::submit_host, read, never, "the submit host",
         "the host where the job was submitted", "", "alloc_node"},
        not_recorded({"is_batch", flag, &R::is_batch, read, never, "a batch job",
                      "sent by sbatch, not by salloc or srun"}),
        not_recorded(
            {"interactive", flag, none, read, never, "an interactive job", "sent by salloc or srun"}),
        not_recorded({"script", text, D::script, read, never, "a batch script",
                      "the batch script, at most its first 64 KiB"}),
        {"script_options", script_options, none, read, never, "a batch script",
         "a list of the script's #SBATCH lines: \"--time=10\""},
        {"argv", arguments, none, read, never, "arguments of the script",
         "the script's arguments: job.argv[1]; job.argv[0] is its name"},
        {"env", environment, none, read, never, "an environment",
         "the job's environment: job.env[\"HOME\"]; only sbatch sends it", "", "environment spank_job_env"},
        {"exclusive", flag, &R::exclusive, write, limits, "--exclusive",
         "--exclusive, or another option that takes whole nodes", "--exclusive"},
        {"oversubscribe", text, D::sharing, read, limits, "--oversubscribe",
         "who shares its nodes: no, user or mcs of --exclusive; ok of --oversubscribe"},
        not_recorded({"overcommit", flag, &R::overcommit, read, limits, "--overcommit", "", "--overcommit"}),
        {"contiguous", flag, D::contiguous, read, contiguous, "--contiguous"},
        {"reboot", flag, D::reboot, read, reboot, "--reboot"},
        {"spread_job", flag, D::spread_job, read, flags, "--spread-job"},
        {"use_min_nodes", flag, D::use_min_nodes, read, flags, "--use-min-nodes"},
        {"enforce_binding", flag, D::enforce_binding, read, flags, "--gres-flags=enforce-binding"},
        {"disable_binding", flag, D::disable_binding, read, flags, "--gres-flags=disable-binding"},
        not_recorded({"is_het_part", flag, &R::is_het_part, read, never, "a heterogeneous job",
                      "one part of a heterogeneous job"}),
        {"het_offset", count, D::het_offset, read, never, "a heterogeneous job",
         "the part's place in it, from 0", "", "het_job_offset pack_job_offset"},
    });
    for (JobField& row : rows)
        if (row.description.empty()) row.description = row.option.text;
    return rows;
}();

/// The field that is this member of a request; null: there is none.
template <typename Member>
constexpr const JobField* find_field_of(Member member) noexcept {
    for (const JobField& field : job_fields)
        // Not std::get_if: with -fsanitize=undefined, g++ 12 does not accept its pointer as a constant.
        if (std::holds_alternative<Member>(field.member) && std::get<Member>(field.member) == member)
            return &field;
    return nullptr;
}

/// scontrol's name for the field of that name. A field that has none does not compile.
consteval std::string_view scontrol_name_of(std::string_view field) {
    for (const JobField& row : job_fields)
        if (row.name == field && !row.scontrol_name.empty()) return row.scontrol_name;
    throw "no such field";
}

/// The part that each detail belongs to; empty: no change sets it. A detail without a row does not compile,
/// but those that only counts need.
inline constexpr auto parts_of_all_details = [] {
    std::array<std::optional<UpdatePart>, count_enumerators<JobDetail>()> parts;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (const auto detail = static_cast<JobDetail>(i); detail == JobDetail::cores_per_socket)
            parts[i] = UpdatePart::limits;
        else if (detail != JobDetail::plane)
            parts[i] = find_field_of(detail)->part;
    return parts;
}();

constexpr std::optional<UpdatePart> part_of(JobDetail detail) noexcept {
    return parts_of_all_details[static_cast<std::size_t>(detail)];
}

} // namespace qg::model

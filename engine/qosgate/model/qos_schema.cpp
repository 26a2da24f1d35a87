// SPDX-License-Identifier: GPL-2.0-or-later
//
// The schema's rows. A new field of Slurm needs one row here, one member in QosRecord and, unless it is a
// limit of limit_facts.hpp, one row in slurmdb/qos_convert.cpp.
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/qos_flags.hpp"

namespace qg::model {
namespace {

using R = QosRecord;
using K = FieldKind;

constexpr std::string_view tres_minutes = "TRES count x minutes";

const std::vector<QosField>& table() {
    static const std::vector<QosField> fields{
        {"Name", K::name, &R::name, "", "The name of the QOS; it cannot be changed later.", {}},
        {"Description",
         K::text,
         &R::description,
         "",
         "Any text; a new QOS gets its name.",
         {{"Desc"}, {"Descr"}}},
        {"Priority",
         K::number,
         &R::priority,
         "",
         "Added to the priority of its jobs, scaled by the cluster's weight.",
         {}},
        {"MaxWall",
         K::duration,
         &R::max_wall_minutes,
         "minutes",
         "Maximum time limit of a job.",
         {{"MaxWallDurationPerJob"}, {"MaxWallPJ"}}},
        {"MaxTRESPerJob",
         K::tres,
         &R::max_tres_per_job,
         "",
         "Maximum that one job may use.",
         {{"MaxTRES"},
          {"MaxTRESPJ"},
          {"MaxCPUsPerJob", "cpu"},
          {"MaxCPUs", "cpu"},
          {"MaxNodesPerJob", "node"},
          {"MaxNodes", "node"}}},
        {"MaxTRESPerNode",
         K::tres,
         &R::max_tres_per_node,
         "",
         "Maximum that one job may use on each of its nodes.",
         {{"MaxTRESPN"}}},
        {"MaxTRESPerUser",
         K::tres,
         &R::max_tres_per_user,
         "",
         "Maximum that all running jobs of one user may use together.",
         {{"MaxTRESPU"},
          {"MaxCPUsPerUser", "cpu"},
          {"MaxCPUsPU", "cpu"},
          {"MaxNodesPerUser", "node"},
          {"MaxNodesPU", "node"}}},
        {"MaxTRESPerAccount",
         K::tres,
         &R::max_tres_per_account,
         "",
         "Maximum that all running jobs of one account may use together.",
         {{"MaxTRESPA"}}},
        {"MaxTRESMinsPerJob",
         K::tres,
         &R::max_tres_mins_per_job,
         tres_minutes,
         "Maximum of TRES-minutes that one job may use.",
         {{"MaxTRESMins"}, {"MaxTRESMinsPJ"}, {"MaxCPUMinsPerJob", "cpu"}, {"MaxCPUMins", "cpu"}}},
        {"MaxTRESRunMinsPerUser",
         K::tres,
         &R::max_tres_run_mins_per_user,
         tres_minutes,
         "Maximum of TRES-minutes that the running jobs of one user may still need; enforced since Slurm "
         "24.05.",
         {{"MaxTRESRunMinsPU"}, {"MaxCPURunMinsPerUser", "cpu"}}},
        {"MaxTRESRunMinsPerAccount",
         K::tres,
         &R::max_tres_run_mins_per_account,
         tres_minutes,
         "Maximum of TRES-minutes that the running jobs of one account may still need; enforced since Slurm "
         "24.05.",
         {{"MaxTRESRunMinsPA"}}},
        {"MaxJobsPerUser",
         K::number,
         &R::max_jobs_per_user,
         "jobs",
         "Maximum number of running jobs per user.",
         {{"MaxJobsPU"}, {"MaxJobs"}}},
        {"MaxJobsPerAccount",
         K::number,
         &R::max_jobs_per_account,
         "jobs",
         "Maximum number of running jobs per account.",
         {{"MaxJobsPA"}}},
        {"MaxSubmitJobsPerUser",
         K::number,
         &R::max_submit_jobs_per_user,
         "jobs",
         "Maximum number of pending and running jobs per user; more are refused.",
         {{"MaxSubmitJobsPU"}, {"MaxSubmitPerUser"}, {"MaxSubmitPU"}, {"MaxSubmitJobs"}, {"MaxSubmit"}}},
        {"MaxSubmitJobsPerAccount",
         K::number,
         &R::max_submit_jobs_per_account,
         "jobs",
         "Maximum number of pending and running jobs per account; more are refused.",
         {{"MaxSubmitJobsPA"}, {"MaxSubmitPerAccount"}, {"MaxSubmitPA"}}},
        {"MaxJobsAccruePerUser",
         K::number,
         &R::max_jobs_accrue_per_user,
         "jobs",
         "Maximum number of pending jobs per user that gain priority by waiting.",
         {{"MaxJobsAccruePU"}}},
        {"MaxJobsAccruePerAccount",
         K::number,
         &R::max_jobs_accrue_per_account,
         "jobs",
         "Maximum number of pending jobs per account that gain priority by waiting.",
         {{"MaxJobsAccruePA"}}},
        {"MinTRESPerJob",
         K::tres,
         &R::min_tres_per_job,
         "",
         "Minimum that a job must request.",
         {{"MinTRES"}, {"MinTRESPJ"}, {"MinCPUsPerJob", "cpu"}, {"MinCPUs", "cpu"}}},
        {"MinPrioThreshold",
         K::number,
         &R::min_prio_threshold,
         "priority",
         "Minimum priority at which the backfill scheduler reserves resources for a waiting job.",
         {{"MinPrioThres"}}},
        {"GrpTRES",
         K::tres,
         &R::grp_tres,
         "",
         "Maximum that all running jobs of this QOS may use together.",
         {{"GrpCPUs", "cpu"}, {"GrpMemory", "mem"}, {"GrpMem", "mem"}, {"GrpNodes", "node"}}},
        {"GrpTRESMins",
         K::tres,
         &R::grp_tres_mins,
         tres_minutes,
         "Maximum of TRES-minutes that all jobs of this QOS may use, past and present.",
         {{"GrpCPUMins", "cpu"}}},
        {"GrpTRESRunMins",
         K::tres,
         &R::grp_tres_run_mins,
         tres_minutes,
         "Maximum of TRES-minutes that all running jobs of this QOS may still need.",
         {{"GrpCPURunMins", "cpu"}}},
        {"GrpJobs", K::number, &R::grp_jobs, "jobs", "Maximum number of running jobs.", {}},
        {"GrpSubmitJobs",
         K::number,
         &R::grp_submit_jobs,
         "jobs",
         "Maximum number of pending and running jobs; more are refused.",
         {{"GrpSubmit"}}},
        {"GrpJobsAccrue",
         K::number,
         &R::grp_jobs_accrue,
         "jobs",
         "Maximum number of pending jobs that gain priority by waiting.",
         {}},
        {"GrpWall",
         K::duration,
         &R::grp_wall_minutes,
         "minutes",
         "Maximum wall-clock time that all jobs of this QOS may use, past and present.",
         {}},
        {"Flags", K::flags, &R::flags, "", "What Slurm does differently for jobs of this QOS.", {}},
        {"UsageFactor",
         K::factor,
         &R::usage_factor,
         "",
         "Multiplies the usage that its jobs are charged; 1 if unset.",
         {}},
        {"UsageThreshold",
         K::factor,
         &R::usage_threshold,
         "",
         "Minimum fair share that an association needs for its jobs to start.",
         {{"UsageThres"}}},
        {"LimitFactor",
         K::factor,
         &R::limit_factor,
         "",
         "Multiplies the TRES limits of associations while they use this QOS.",
         {}},
        {"Preempt", K::qos_names, &R::preempt, "", "QOSs whose jobs this QOS may preempt.", {}},
        {"PreemptMode",
         K::preempt_mode,
         &R::preempt_mode,
         "",
         "How jobs of this QOS are preempted; unset: as the cluster does.",
         {}},
        {"PreemptExemptTime",
         K::duration,
         &R::preempt_exempt_seconds,
         "seconds",
         "Time that a job of this QOS runs before it may be preempted.",
         {}},
        {"GraceTime",
         K::duration,
         &R::grace_time_seconds,
         "seconds",
         "Time that a preempted job of this QOS gets to end by itself; a plain number is seconds.",
         {},
         1},
    };
    return fields;
}

std::vector<AllowedValue> flag_words() {
    std::vector<AllowedValue> words;
    for (const QosFlagFacts& flag : qos_flag_facts) {
        words.push_back({flag.name, {}, flag.help});
        if (!flag.alias.empty()) words.back().aliases.push_back(flag.alias);
    }
    return words;
}

} // namespace

std::span<const QosField> qos_fields() {
    return table();
}

std::span<const AllowedValue> allowed_words(FieldKind kind) {
    static const std::vector<AllowedValue> flags = flag_words();
    static const std::vector<AllowedValue> modes{
        {"CANCEL", {}, "end the job"},
        {"REQUEUE", {}, "put the job back into the queue; end it if that is impossible"},
        {"SUSPEND", {}, "suspend the job and resume it later"},
        {"GANG", {}, "in addition: jobs take turns on the same nodes"},
        {"PRIORITY", {}, "in addition: only jobs of lower priority; since Slurm 25.05"},
        {"WITHIN", {}, "in addition: jobs of this QOS may preempt each other"},
    };
    switch (kind) {
    case FieldKind::flags: return flags;
    case FieldKind::preempt_mode: return modes;
    case FieldKind::name:
    case FieldKind::text:
    case FieldKind::number:
    case FieldKind::factor:
    case FieldKind::duration:
    case FieldKind::tres:
    case FieldKind::qos_names: break;
    }
    return {};
}

} // namespace qg::model

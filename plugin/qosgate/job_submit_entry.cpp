// SPDX-License-Identifier: GPL-2.0-or-later
//
// The gate of job_submit/qosgate for one branch of Slurm: what the loader (plugin/loader) calls for
// slurmctld. The map beside this file exports only these names.
#include "controller/runtime.hpp"
#include "host/exception_boundary.hpp"
#include "host/running_release.hpp"
#include "qosgate/slurm/compat.hpp"

#include <cstdint>

using qg::plugin::guarded;
using qg::plugin::runtime;

#define QG_EXPORT __attribute__((visibility("default")))

extern "C" {

extern QG_EXPORT const char plugin_name[];
extern QG_EXPORT const char plugin_type[];
extern QG_EXPORT const std::uint32_t plugin_version;

const char plugin_name[] = "qosgate: rules and explained limits";
const char plugin_type[] = "job_submit/qosgate";
const std::uint32_t plugin_version = SLURM_VERSION_NUMBER;

/// The loader's call, before init().
QG_EXPORT void qosgate_use_release(std::uint32_t number) {
    qg::plugin::release_number = number;
}

/// Called once, before slurmctld knows its cluster, on a standby controller too. If it fails, the loader
/// calls nothing else.
QG_EXPORT int init() {
    return guarded(
        "init", [] { return qg::plugin::start_runtime(), 0; }, [] { return 1; });
}

/// Called when `scontrol reconfigure` changes JobSubmitPlugins (up to 23.02). A production slurmctld does not
/// call it when it ends.
QG_EXPORT int fini() {
    return guarded("fini", [] { return qg::plugin::stop_runtime(), 0; });
}

/// Called for each job, and for each part of a heterogeneous job, before slurmctld validates it.
QG_EXPORT int job_submit(job_desc_msg_t* description, std::uint32_t submit_uid, char** err_msg) {
    return guarded(
        "job_submit", [&] { return runtime().submit(*description, submit_uid, err_msg); },
        [&] { return runtime().failed(err_msg); });
}

/// Called for each change of a job.
#if QG_JOB_MODIFY_HAS_MESSAGE
QG_EXPORT int job_modify(job_desc_msg_t* update, job_record* job, std::uint32_t submit_uid, char** err_msg) {
    return guarded(
        "job_modify", [&] { return runtime().modify(*update, job, submit_uid, err_msg); },
        [&] { return runtime().failed(err_msg); });
}
#else
QG_EXPORT int job_modify(job_desc_msg_t* update, job_record* job, std::uint32_t submit_uid) {
    return guarded(
        "job_modify", [&] { return runtime().modify(*update, job, submit_uid, nullptr); },
        [] { return runtime().failed(nullptr); });
}
#endif

} // extern "C"

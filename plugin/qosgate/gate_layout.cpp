// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout of Slurm's structs that this gate is compiled for; the loader compares it with that of the
// process.
extern "C" {
#include "../loader/layout.h"
}

#include <slurm/slurm.h>
#include <slurm/slurmdb.h>

namespace {

constexpr qosgate_layout recorded =
#include "recorded_layout.h"
    ;

// What was recorded of the library is what the headers say.
static_assert(sizeof(job_desc_msg_t) == recorded.job_desc_size);
static_assert(sizeof(slurmdb_qos_rec_t) == recorded.qos_size);
static_assert(sizeof(slurmdb_assoc_rec_t) == recorded.assoc_size);
static_assert(sizeof(slurmdb_assoc_usage_t) == recorded.assoc_usage_size);
static_assert(sizeof(slurmdb_qos_usage_t) == recorded.qos_usage_size);
static_assert(sizeof(slurm_conf_t) == recorded.conf_size);

} // namespace

extern "C" {
__attribute__((visibility("default"))) extern const struct qosgate_layout qosgate_layout;
const struct qosgate_layout qosgate_layout = recorded;
}

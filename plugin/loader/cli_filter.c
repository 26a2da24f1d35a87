/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cli_filter/qosgate as sbatch, salloc, srun and scrontab load it. If it is inert, the job is sent as without
 * it: slurmctld decides.
 */
#include "loader.h"

#include <stddef.h>

QG_EXPORT extern const char plugin_name[];
QG_EXPORT extern const char plugin_type[];
QG_EXPORT extern uint32_t plugin_version;

const char plugin_name[] = "qosgate: rules and explained limits, before a job is sent";
const char plugin_type[] = "cli_filter/qosgate";
uint32_t plugin_version = QG_SLURM_VERSION_NUMBER;

static struct {
    void* file;
    int (*init)(void);
    int (*setup_defaults)(void* options, bool early);
    int (*pre_submit)(void* options, int part);
    void (*post_submit)(int part, uint32_t job, uint32_t step);
} gate;

__attribute__((constructor)) static void take_release(void) {
    plugin_version = qosgate_find_release(plugin_version);
}

QG_EXPORT int init(void) {
    void (*use_release)(uint32_t) = NULL;
    if (gate.file == NULL) gate.file = qosgate_open_gate("cli_filter", plugin_version);
    if (gate.file != NULL && qosgate_find(gate.file, "init", &gate.init) &&
        qosgate_find(gate.file, "cli_filter_p_setup_defaults", &gate.setup_defaults) &&
        qosgate_find(gate.file, "cli_filter_p_pre_submit", &gate.pre_submit) &&
        qosgate_find(gate.file, "cli_filter_p_post_submit", &gate.post_submit) &&
        qosgate_find(gate.file, "qosgate_use_release", &use_release)) {
        use_release(plugin_version);
        return gate.init();
    }
    gate.init = NULL; /* what stays open is not called */
    return 0;
}

QG_EXPORT int fini(void) {
    return 0;
}

QG_EXPORT int cli_filter_p_setup_defaults(void* options, bool early) {
    return gate.init == NULL ? 0 : gate.setup_defaults(options, early);
}

QG_EXPORT int cli_filter_p_pre_submit(void* options, int part) {
    return gate.init == NULL ? 0 : gate.pre_submit(options, part);
}

QG_EXPORT void cli_filter_p_post_submit(int part, uint32_t job, uint32_t step) {
    if (gate.init != NULL) gate.post_submit(part, job, step);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the layout of the libslurm that the gate is compiled for, as C.
 */
#include "layout.h"

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    struct qosgate_layout layout;
    const char* missing = NULL;
    if (!qosgate_find_layout(&layout, &missing)) {
        fprintf(stderr, "record_layout: libslurm has no %s\n", missing);
        return 1;
    }
    printf("{%" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64
           "u, %" PRIu64 "u, %" PRIu64 "u}\n",
           layout.job_desc_size, layout.job_desc_values, layout.qos_size, layout.qos_values,
           layout.assoc_size, layout.assoc_values, layout.assoc_usage_size, layout.qos_usage_size,
           layout.conf_size);
    return 0;
}

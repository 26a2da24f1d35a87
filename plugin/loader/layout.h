/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The layout of Slurm's structs as a process has it, found without a header of Slurm.
 */
#ifndef QOSGATE_LAYOUT_H
#define QOSGATE_LAYOUT_H

#include <stdint.h>

/* Sizes in bytes, and a hash of the places of the special values that Slurm's init functions leave (NO_VAL,
 * INFINITE). */
struct qosgate_layout {
    uint64_t job_desc_size, job_desc_values;
    uint64_t qos_size, qos_values;
    uint64_t assoc_size, assoc_values;
    uint64_t assoc_usage_size, qos_usage_size;
    uint64_t conf_size;
};

/* Reads the layout of this process; 0: a function or variable of Slurm is missing, whose name is then in
 * `missing`. Cost: some microseconds. Threads: pure, but for Slurm's allocator. */
int qosgate_find_layout(struct qosgate_layout* layout, const char** missing);

/* The first row of both that differs, "slurmdb_qos_rec_t"; null: they are equal. */
const char* qosgate_compare_layouts(const struct qosgate_layout* one, const struct qosgate_layout* other);

#endif

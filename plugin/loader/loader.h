/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the two loaders have in common. A loader is the plugin that slurm.conf names. It is compiled without
 * Slurm's headers, so one file serves all releases: it takes the release from the process, opens the gate
 * that is compiled for this branch, qosgate/KIND-YY.MM.so beside itself, and passes calls on. If there is no
 * such gate, or if Slurm's structs are not those it was compiled for, the loader is inert: it never guesses.
 */
#ifndef QOSGATE_LOADER_H
#define QOSGATE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#define QG_EXPORT __attribute__((visibility("default")))

/* SLURM_VERSION_NUMBER of this process, as its plugins have it; `otherwise` if none shows it. */
uint32_t qosgate_find_release(uint32_t otherwise);

/* Whether this release is of the branch or of a later one. */
static inline bool qosgate_is_from(uint32_t release, uint32_t year, uint32_t month) {
    return release >= (year << 16 | month << 8);
}

/* The gate of a kind ("job_submit", "cli_filter"); null: there is none that may be called. Threads: as Slurm
 * calls init(), one at a time. */
void* qosgate_open_gate(const char* kind, uint32_t release);

/* Looks a function of the gate up; false: it has none, and the gate must not be called. */
bool qosgate_find(void* gate, const char* name, void* function);

/* Why the gate that was opened is not called. */
void qosgate_say_why(const char* text);

/* Writes into the log of the process why there is no gate, and what becomes of jobs. */
void qosgate_log_inert(const char* kind, const char* jobs);

#endif

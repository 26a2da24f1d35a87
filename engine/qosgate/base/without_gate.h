/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What becomes of jobs if slurmctld's plugin has no gate that it may call. The site chooses, by a word in the
 * file "qosgate-without-gate" beside slurm.conf: "pass" or "refuse". Without the file jobs pass if qosgate.d
 * has neither compat nor a .lua file with more than comments, or if it is not there and StateSaveLocation
 * keeps no rules either. Root, SlurmUser and operators may always submit.
 */
#ifndef QOSGATE_WITHOUT_GATE_H
#define QOSGATE_WITHOUT_GATE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether jobs are refused; `conf` is the whole path of slurm.conf. What cannot be read, and another word,
 * refuses. Cost: a few small files are read. Threads: pure. */
bool qosgate_refuses_without_gate(const char* conf);

#ifdef __cplusplus
}
#endif

#endif

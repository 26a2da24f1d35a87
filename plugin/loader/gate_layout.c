/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The layout that a gate is compiled for; the loader compares it with that of the process.
 */
#include "layout.h"

__attribute__((visibility("default"))) extern const struct qosgate_layout qosgate_layout;
const struct qosgate_layout qosgate_layout =
#include "recorded_layout.h"
    ;

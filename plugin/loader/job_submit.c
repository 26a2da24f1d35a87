/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * job_submit/qosgate as slurmctld loads it. If it is inert, jobs pass or are refused as without_gate.h says.
 */
#include "loader.h"
#include "qosgate/base/without_gate.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

QG_EXPORT extern const char plugin_name[];
QG_EXPORT extern const char plugin_type[];
QG_EXPORT extern uint32_t plugin_version;

const char plugin_name[] = "qosgate: rules and explained limits";
const char plugin_type[] = "job_submit/qosgate";
uint32_t plugin_version = QG_SLURM_VERSION_NUMBER;

enum { access_denied = 2002 }; /* ESLURM_ACCESS_DENIED, in all releases */

static struct {
    void* file;
    int (*init)(void);
    int (*fini)(void);
    int (*job_submit)(void* description, uint32_t uid, char** message);
    int (*job_modify)(void* update, void* job, uint32_t uid, char** message);
    int (*job_modify_before_23_02)(void* update, void* job, uint32_t uid);
} gate;
static time_t said_at;

__attribute__((constructor)) static void take_release(void) {
    plugin_version = qosgate_find_release(plugin_version);
}

static bool may_pass(uint32_t uid) {
    bool (*is_operator)(uid_t) = NULL;
    void* const found = dlsym(RTLD_DEFAULT, "validate_operator");
    memcpy(&is_operator, &found, sizeof found);
    return uid == 0 || uid == geteuid() || (is_operator != NULL && is_operator(uid));
}

/* At its start, and then once an hour while jobs come. */
static void say_inert(bool refuses) {
    const time_t now = time(NULL);
    if (said_at != 0 && now >= said_at && now - said_at < 3600) return;
    said_at = now;
    qosgate_log_inert("job_submit",
                      refuses
                          ? "jobs are refused, but for those of root, SlurmUser and operators (\"pass\" in "
                            "the file qosgate-without-gate beside slurm.conf lets all pass)"
                          : "jobs pass unchecked (\"refuse\" in the file qosgate-without-gate beside "
                            "slurm.conf refuses them)");
}

static int answer_inert(uint32_t uid, char** message) {
    const bool refuses = qosgate_refuses_without_gate(getenv("SLURM_CONF"));
    say_inert(refuses);
    if (!refuses || may_pass(uid)) return 0;
    void (*append)(char** text, const char* format, ...) = NULL;
    void* const found = dlsym(RTLD_DEFAULT, "slurm_xstrfmtcat");
    memcpy(&append, &found, sizeof found);
    /* A plugin before this one may have said something. */
    if (message != NULL && append != NULL)
        append(message, *message == NULL ? "%s" : "\n%s",
               "This was not accepted because qosgate, which applies the site's rules, is not in force in "
               "this slurmctld; please tell your administrators");
    return access_denied;
}

QG_EXPORT int init(void) {
    void (*use_release)(uint32_t) = NULL;
    if (gate.file == NULL) gate.file = qosgate_open_gate("job_submit", plugin_version);
    if (gate.file != NULL && qosgate_find(gate.file, "init", &gate.init) &&
        qosgate_find(gate.file, "fini", &gate.fini) &&
        qosgate_find(gate.file, "job_submit", &gate.job_submit) &&
        qosgate_find(gate.file, "job_modify", &gate.job_modify) &&
        qosgate_find(gate.file, "job_modify", &gate.job_modify_before_23_02) &&
        qosgate_find(gate.file, "qosgate_use_release", &use_release)) {
        use_release(plugin_version);
        if (gate.init() == 0) return 0;
        qosgate_say_why("the gate could not start"); /* its threads may run: it stays in memory */
    } else if (gate.file != NULL) {
        dlclose(gate.file);
    }
    memset(&gate, 0, sizeof gate);
    said_at = 0;
    say_inert(qosgate_refuses_without_gate(getenv("SLURM_CONF")));
    return 0;
}

QG_EXPORT int fini(void) {
    return gate.job_submit == NULL ? 0 : gate.fini();
}

QG_EXPORT int job_submit(void* description, uint32_t uid, char** message) {
    return gate.job_submit == NULL ? answer_inert(uid, message) : gate.job_submit(description, uid, message);
}

/* Before 23.02 slurmctld passes no `message`. */
QG_EXPORT int job_modify(void* update, void* job, uint32_t uid, char** message) {
    const bool has_message = qosgate_is_from(plugin_version, 23, 2);
    if (gate.job_submit == NULL) return answer_inert(uid, has_message ? message : NULL);
    return has_message ? gate.job_modify(update, job, uid, message)
                       : gate.job_modify_before_23_02(update, job, uid);
}

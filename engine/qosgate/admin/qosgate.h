/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QOSs of a Slurm cluster, who may use them, and spec files, for C and for every language that calls C:
 * libqosgate.so (pkg-config: qosgate-c). Texts are UTF-8; what goes in and comes out is JSON.
 *
 *     struct qosgate_session *session;
 *     char *answer;
 *     if (qosgate_open(60, &session, &answer) != QOSGATE_OK) { ... answer is the message ... }
 *     if (qosgate_qos_list(session, "{\"patterns\": [\"night*\"]}", &answer) == QOSGATE_OK) puts(answer);
 *     qosgate_free(answer);
 *     qosgate_close(session);
 *
 * Every function but the last ones returns a status. `answer` then points to the JSON answer or, after an error,
 * to a message for people: what was tried, where, why it failed and what to do. Both belong to the caller, who
 * gives them to qosgate_free(). `answer` may be a null pointer. No call ends the program, and no C++ exception
 * leaves one.
 *
 * Whatever changes something is one transaction: all of it is stored, or nothing. After an error nothing is, or
 * the message says that it is, or that this is unknown. Only a plan in which a QOS that it creates becomes a
 * default needs two, because slurmdbd takes only a committed QOS as a default: first new and changed QOSs and what
 * is granted, then default QOSs, what is revoked and what is removed. If only the first is stored, the message says
 * so, and a new plan of the same files does the rest.
 *
 * Threads: any; calls of all threads run one after the other. While a call runs no other thread of the program
 * may open network sockets: a call that takes too long is ended by closing those that were opened meanwhile.
 * Processes: one session at a time, and a child process after fork() must not use its parent's.
 *
 * A record is an object whose members have sacctmgr's names ("MaxWall"); what is not set is left out; times are
 * in the unit that `qosgate qos fields` names, memory is in MiB. Changes are written as people write them, in
 * "set": {"MaxWall": "8:00:00", "MaxTRESPerUser": "gpu=2", "Flags": "DenyOnLimit", "Priority": 10}; null clears
 * a field, and what is not named stays. A description with a mark of spec files ("[qosgate:...]" at its end) is
 * refused: marks stay as they are. Members that a function does not know are an error.
 */
#ifndef QOSGATE_H
#define QOSGATE_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

enum qosgate_status {
    QOSGATE_OK = 0,
    QOSGATE_INVALID_INPUT = 1,     /* the caller's text or values are wrong */
    QOSGATE_NOT_FOUND = 2,         /* the thing named does not exist */
    QOSGATE_ALREADY_EXISTS = 3,    /* the thing named exists already */
    QOSGATE_PERMISSION_DENIED = 4, /* the user may not do this */
    QOSGATE_UNAVAILABLE = 5,       /* a daemon or file is out of reach now; trying later can help */
    QOSGATE_CONFLICT = 6,          /* something changed meanwhile, or is still in use */
    QOSGATE_UNSUPPORTED = 7,       /* this library or this Slurm release cannot do it */
    QOSGATE_LIMIT_EXCEEDED = 8,    /* a bound on time, memory or size was hit */
    QOSGATE_INTERNAL = 9           /* a bug in this library */
};

/* A connection to slurmdbd, with what the library knows about it. */
struct qosgate_session;

/* Connects to the slurmdbd of slurm.conf ($SLURM_CONF, or where Slurm looks for it). `seconds` bounds each wait
 * for a daemon. Errors: unavailable, unsupported (no slurmdbd configured), conflict (a session is open). */
int qosgate_open(unsigned seconds, struct qosgate_session **session, char **answer);

/* Opens a new connection after one was lost (unavailable). Nothing does this by itself: look what is stored. */
int qosgate_reconnect(struct qosgate_session *session, char **answer);

/* {"qos": [record...], "total": N}. `options`, all of them optional (null pointer: none): "patterns": [names
 * with * ? [a-z]], "min_priority", "max_priority", "flags": [...], "sort_by": field, "descending": bool,
 * "limit", "offset"; "total" counts before these two. */
int qosgate_qos_list(struct qosgate_session *session, const char *options, char **answer);

/* A record. */
int qosgate_qos_get(struct qosgate_session *session, const char *name, char **answer);

/* `request`: {"names": [...], "set": {...}}. The answer: {"qos": [record...]}. */
int qosgate_qos_create(struct qosgate_session *session, const char *request, char **answer);
int qosgate_qos_update(struct qosgate_session *session, const char *request, char **answer);

/* `request`: {"names": [...], "also_used": bool}. "also_used": although jobs or partitions have them. Errors:
 * conflict: a use that prevents it. A QOS that is a default or, before Slurm 24.05, is in the lists of another
 * cluster's associations is never removed. The answer: {}. */
int qosgate_qos_remove(struct qosgate_session *session, const char *request, char **answer);

/* {"cluster": name, "associations": [{"account", "user", "partition", "parent", "qos", "own_qos", "added_qos",
 * "removed_qos", "default_qos", "own_default_qos"}...]}. Without "own_qos" an association has the list of the
 * account above, with "added_qos" and without "removed_qos". */
int qosgate_associations(struct qosgate_session *session, char **answer);

/* `request`: {"accounts": [...], "users": [{"user", "account", "partition"}...], "tree": bool, "granted": [...],
 * "revoked": [...], "default_qos": name or null}. A user without an account: in all accounts. "tree": also all
 * that is below the accounts. "default_qos": null clears. Errors: not_found: a QOS, account or user; invalid_input:
 * a QOS in both lists. The answer: {"changed": [{"account"...}...]}. */
int qosgate_access_change(struct qosgate_session *session, const char *request, char **answer);

/* The names of the TRES that slurmdbd tracks: ["cpu", ...]. */
int qosgate_tres(struct qosgate_session *session, char **answer);

/* What is to be done so that the records become what the spec files say: the answer is a plan as a file, for
 * qosgate_apply(), with the members that `qosgate spec plan --out` writes. `specs`: {"files": [{"file": name,
 * "text": YAML}...], "take_over": bool, "prune": bool}. Errors: invalid_input with all problems of the files,
 * one a line; conflict: fields that another owner manages. */
int qosgate_plan(struct qosgate_session *session, const char *specs, char **answer);

/* Carries out a plan. Errors: conflict: what it touches is no longer as it was, or something uses a QOS that it
 * deletes; nothing was changed. It writes no entry for `qosgate spec rollback`: whoever wants a way back keeps the
 * records of before, or applies the plan with `qosgate spec apply`. Nor does it know the list of `qosgate access`:
 * temporary access that the plan's files name ends in time. The answer:
 * {"created": N, "updated": N, "removed": N, "access": N}. */
int qosgate_apply(struct qosgate_session *session, const char *plan, char **answer);

/* Where the records are not what the files say. `specs` as for qosgate_plan(). The answer: {"drifted": bool,
 * "fields": [{"qos", "field", "wanted", "live", "is_managed"}...], "missing": [...], "leftover": [...],
 * "access": [QOSs whose users are not the files'...], "managed_access": [those of them where somebody changed it
 * since it was applied...]}. */
int qosgate_drift(struct qosgate_session *session, const char *specs, char **answer);

/* "not_found" for QOSGATE_NOT_FOUND; the text lives as long as the program. */
const char *qosgate_status_name(int status);

/* The library's version, "0.1.0". */
const char *qosgate_version(void);

/* Frees an answer. Null pointers are ignored. */
void qosgate_free(char *answer);

/* Ends a session; an answer outlives it. Null pointers are ignored. */
void qosgate_close(struct qosgate_session *session);

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif

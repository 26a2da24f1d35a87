/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program in C outside the source tree: prints the library's version, and why no session can be opened. */
#include <qosgate/admin/qosgate.h>

#include <stdio.h>

int main(void) {
    struct qosgate_session *session;
    char *answer;
    int status;
    printf("version %s\n", qosgate_version());
    status = qosgate_open(1, &session, &answer);
    printf("%d %s: %s\n", status, qosgate_status_name(status), answer);
    qosgate_free(answer);
    qosgate_close(session);
    return 0;
}

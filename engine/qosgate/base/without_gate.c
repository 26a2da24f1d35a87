/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qosgate/base/without_gate.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* "/etc/slurm/NAME" for a name beside slurm.conf. */
static bool find_beside(const char* conf, const char* name, char* path, size_t size) {
    const char* const slash = conf == NULL ? NULL : strrchr(conf, '/');
    if (conf == NULL) return false;
    const int directory = slash == NULL ? 0 : (int)(slash - conf) + 1;
    return snprintf(path, size, "%.*s%s", directory, conf, name) < (int)size;
}

/* Whether a file has more than empty lines and lines of comment. What cannot be read has. */
static bool has_code(const char* path) {
    FILE* const file = fopen(path, "re");
    if (file == NULL) return true;
    char line[512];
    bool found = false, goes_on = false; /* the line is a long one's next part */
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char* const text = line + strspn(line, " \t\r\n");
        found = !goes_on && *text != '\0' && (strncmp(text, "--", 2) != 0 || strncmp(text, "--[", 3) == 0);
        goes_on = strchr(line, '\n') == NULL;
    }
    found = found || ferror(file) != 0;
    fclose(file);
    return found;
}

static bool has_rules(const char* conf) {
    char path[PATH_MAX], file[PATH_MAX + 256];
    if (!find_beside(conf, "qosgate.d", path, sizeof path)) return true; /* not known */
    DIR* const entries = opendir(path);
    if (entries == NULL) return errno != ENOENT;
    bool found = false;
    for (const struct dirent* entry; !found && (entry = readdir(entries)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        const bool is_lua = length > 4 && strcmp(entry->d_name + length - 4, ".lua") == 0;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        found =
            entry->d_name[0] != '.' && ((is_lua && has_code(file)) || strcmp(entry->d_name, "compat") == 0);
    }
    closedir(entries);
    return found;
}

bool qosgate_refuses_without_gate(const char* conf) {
    char path[PATH_MAX], word[16] = "";
    FILE* const file =
        find_beside(conf, "qosgate-without-gate", path, sizeof path) ? fopen(path, "re") : NULL;
    if (file == NULL) return errno != ENOENT || has_rules(conf);
    const int count = fscanf(file, "%15s", word);
    fclose(file);
    return count != 1 || strcmp(word, "pass") != 0;
}

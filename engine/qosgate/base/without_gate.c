/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qosgate/base/without_gate.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* A regular file, whose reading does not wait for others; null: there is none, and errno says why. */
static FILE* open_file(const char* path) {
    const int number = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat about;
    if (number < 0) return NULL;
    FILE* const file = fstat(number, &about) == 0 && S_ISREG(about.st_mode) ? fdopen(number, "r") : NULL;
    if (file == NULL) {
        close(number);
        errno = EINVAL;
    }
    return file;
}

/* "/etc/slurm/NAME" for a name beside slurm.conf. */
static bool find_beside(const char* conf, const char* name, char* path, size_t size) {
    const int directory = (int)(strrchr(conf, '/') - conf) + 1;
    return snprintf(path, size, "%.*s%s", directory, conf, name) < (int)size;
}

/* Whether a file of Lua has more than empty lines and lines of comment. What cannot be read has. */
static bool has_code(const char* path) {
    FILE* const file = open_file(path);
    if (file == NULL) return true;
    enum { blank, dash, dashes, comment, code } line = blank;
    for (int byte; line != code && (byte = getc(file)) != EOF;) {
        const bool is_end = byte == '\n' || byte == '\r';
        if (line == comment || line == dashes)
            line = is_end ? blank : line == dashes && byte == '[' ? code : comment;
        else if (byte == '-')
            line = line == blank ? dash : dashes;
        else if (line == dash || !isspace(byte))
            line = code;
    }
    const bool found = line == code || line == dash || ferror(file) != 0;
    fclose(file);
    return found;
}

/* Whether slurmctld keeps a copy of rules that were in force. Also true if slurm.conf does not say where. */
static bool has_kept_rules(const char* conf) {
    static const char key[] = "StateSaveLocation=";
    FILE* const file = open_file(conf);
    if (file == NULL) return true;
    char line[PATH_MAX], path[PATH_MAX + 64];
    path[0] = '\0';
    while (fgets(line, sizeof line, file) != NULL) {
        const char* const text = line + strspn(line, " \t");
        if (strncasecmp(text, key, sizeof key - 1) != 0) continue;
        const char* const place = text + sizeof key - 1;
        snprintf(path, sizeof path, "%.*s/qosgate_policy", (int)strcspn(place, " \t\r\n#"), place);
    }
    fclose(file);
    struct stat about;
    return path[0] != '/' || stat(path, &about) == 0 || errno != ENOENT;
}

static bool has_rules(const char* conf) {
    char path[PATH_MAX], file[PATH_MAX + 256];
    if (!find_beside(conf, "qosgate.d", path, sizeof path)) return true;
    DIR* const entries = opendir(path);
    if (entries == NULL) return errno != ENOENT || has_kept_rules(conf);
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
    /* A daemon's working directory says nothing about where the files are. */
    if (conf == NULL || conf[0] != '/' || !find_beside(conf, "qosgate-without-gate", path, sizeof path))
        return true;
    FILE* const file = open_file(path);
    if (file == NULL) return errno != ENOENT || has_rules(conf);
    const int count = fscanf(file, "%15s", word);
    fclose(file);
    return count != 1 || strcmp(word, "pass") != 0;
}

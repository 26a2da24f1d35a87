/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader.h"

#include "layout.h"

#include <dirent.h>
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char why[PATH_MAX + 512];

static bool ends_with(const char* text, const char* end) {
    const size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* The number that Slurm compares, of a plugin of Slurm's; 0: the file is none. SPANK plugins may be of
 * another micro release, and the parts of qosgate say nothing of the process. */
static uint32_t release_of(void* file, const char* path) {
    const uint32_t* const number = dlsym(file, "plugin_version");
    const char* const type = dlsym(file, "plugin_type");
    Dl_info info;
    if (number == NULL || type == NULL || strcmp(type, "spank") == 0 || ends_with(type, "/qosgate")) return 0;
    /* Not that of a library that the file is linked with. */
    if (dladdr(number, &info) == 0 || strcmp(info.dli_fname, path) != 0) return 0;
    return *number;
}

static uint32_t release_at(const char* path, int how) {
    const char* const name = strrchr(path, '/');
    if (name == NULL || strchr(name, '_') == NULL || !ends_with(name, ".so")) return 0;
    void* const file = dlopen(path, RTLD_LAZY | RTLD_LOCAL | how);
    if (file == NULL) return 0;
    const uint32_t release = release_of(file, path);
    dlclose(file);
    return release;
}

/* Of the plugins that lie in the directory of a file. */
static uint32_t release_beside(const char* file) {
    char directory[PATH_MAX], path[PATH_MAX + 256];
    if (snprintf(directory, sizeof directory, "%s", file) >= (int)sizeof directory) return 0;
    DIR* const entries = opendir(dirname(directory));
    if (entries == NULL) return 0;
    uint32_t release = 0;
    for (const struct dirent* entry; release == 0 && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, "hash_", 5) != 0) continue; /* small, and all releases have one */
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        release = release_at(path, 0);
    }
    closedir(entries);
    return release;
}

uint32_t qosgate_find_release(uint32_t otherwise) {
    void* const program = dlopen(NULL, RTLD_LAZY);
    struct link_map* first = NULL;
    uint32_t release = 0;
    if (program != NULL && dlinfo(program, RTLD_DI_LINKMAP, &first) == 0) {
        /* Slurm has compared the numbers of the plugins that are loaded. */
        for (const struct link_map* at = first; at != NULL && release == 0; at = at->l_next)
            release = release_at(at->l_name, RTLD_NOLOAD);
        /* sbatch of 22.05 has loaded none; its library lies among them. */
        for (const struct link_map* at = first; at != NULL && release == 0; at = at->l_next)
            if (strstr(at->l_name, "/libslurm") != NULL) release = release_beside(at->l_name);
    }
    Dl_info own;
    if (release == 0 && dladdr(why, &own) != 0) release = release_beside(own.dli_fname);
    if (program != NULL) dlclose(program);
    return release != 0 ? release : otherwise;
}

/* Whether a file has all that its headers promise; the memory of another one cannot be touched. */
static bool is_cut_off(const char* path) {
    FILE* const file = fopen(path, "re");
    if (file == NULL) return false; /* dlopen() says why */
    ElfW(Ehdr) header;
    ElfW(Phdr) part;
    bool is_whole = fread(&header, sizeof header, 1, file) == 1 &&
                    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_phentsize == sizeof part &&
                    fseek(file, 0, SEEK_END) == 0;
    const long size = ftell(file);
    is_whole = is_whole && fseek(file, (long)header.e_phoff, SEEK_SET) == 0;
    for (int i = 0; is_whole && i < header.e_phnum; ++i)
        is_whole = fread(&part, sizeof part, 1, file) == 1 && part.p_filesz <= (uint64_t)size &&
                   part.p_offset <= (uint64_t)size - part.p_filesz;
    fclose(file);
    return !is_whole;
}

static bool is_of(const uint32_t* number, uint32_t release) {
    return number != NULL && *number >> 8 == release >> 8;
}

void* qosgate_open_gate(const char* kind, uint32_t release) {
    const uint32_t year = release >> 16, month = release >> 8 & 0xff, micro = release & 0xff;
    char path[PATH_MAX];
    Dl_info own;
    why[0] = '\0';
    if (dladdr(why, &own) == 0 || snprintf(path, sizeof path, "%s", own.dli_fname) >= (int)sizeof path) {
        qosgate_say_why("it is not known where the plugin lies");
        return NULL;
    }
    const char* const directory = dirname(path);
    char file[PATH_MAX + 64];
    snprintf(file, sizeof file, "%s/qosgate/%s-%02u.%02u.so", directory, kind, year, month);

    if (is_cut_off(file)) {
        snprintf(why, sizeof why, "%s is not a whole file", file);
        return NULL;
    }
    void* const gate = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (gate == NULL) {
        snprintf(why, sizeof why, "no gate for Slurm %02u.%02u.%u: %s", year, month, micro, dlerror());
        return NULL;
    }
    const struct qosgate_layout* const expected = dlsym(gate, "qosgate_layout");
    struct qosgate_layout layout;
    const char *missing = NULL, *other = NULL;
    if (!is_of(dlsym(gate, "plugin_version"), release) || expected == NULL)
        snprintf(why, sizeof why, "%s is not the gate for Slurm %02u.%02u", file, year, month);
    else if (!qosgate_find_layout(&layout, &missing))
        snprintf(why, sizeof why, "Slurm %02u.%02u.%u has no %s", year, month, micro, missing);
    else if ((other = qosgate_compare_layouts(&layout, expected)) != NULL)
        snprintf(why, sizeof why, "%s of Slurm %02u.%02u.%u is not that for which %s is compiled", other,
                 year, month, micro, file);
    else
        return gate;
    dlclose(gate);
    return NULL;
}

bool qosgate_find(void* gate, const char* name, void* function) {
    void* const found = dlsym(gate, name);
    memcpy(function, &found, sizeof found);
    if (found == NULL) snprintf(why, sizeof why, "the gate has no %s()", name);
    return found != NULL;
}

void qosgate_say_why(const char* text) {
    snprintf(why, sizeof why, "%s", text);
}

void qosgate_log_inert(const char* kind, const char* jobs) {
    void (*error)(const char* format, ...) = NULL;
    void* const found = dlsym(RTLD_DEFAULT, "slurm_error");
    memcpy(&error, &found, sizeof found);
    if (error != NULL) error("%s/qosgate: not in force: %s; %s", kind, why, jobs);
}

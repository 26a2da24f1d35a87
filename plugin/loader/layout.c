/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { max_size = 8192 }; /* more than any of the structs has */

static void find(const char* name, void* function, const char** missing) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
    if (found == NULL && *missing == NULL) *missing = name;
}

/* What an init function writes: it is called on two buffers that differ in each byte, so a byte that is the
 * same in both was written. */
struct written {
    _Alignas(16) unsigned char one[max_size];
    _Alignas(16) unsigned char other[max_size];
};

static void prepare(struct written* written) {
    memset(written->one, 0x55, max_size);
    memset(written->other, 0xaa, max_size);
}

static void measure(const struct written* written, uint64_t* size, uint64_t* values) {
    *size = 0;
    *values = 14695981039346656037u; /* FNV-1a */
    for (uint64_t i = 0; i < max_size; ++i) {
        if (written->one[i] != written->other[i]) continue;
        *size = i + 1;
        if (written->one[i] < 0xfc) continue;
        *values = (*values ^ i) * 1099511628211u;
        *values = (*values ^ written->one[i]) * 1099511628211u;
    }
}

int qosgate_find_layout(struct qosgate_layout* layout, const char** missing) {
    static struct written written; /* not on the small stacks of threads */
    void (*init_job_desc)(void*);
    void (*init_qos)(void*, bool frees, uint32_t value);
    void (*init_assoc)(void*, bool frees);
    void* (*create_assoc_usage)(int tres_count);
    void* (*create_qos_usage)(int tres_count);
    void (*destroy_assoc_usage)(void*);
    void (*destroy_qos_usage)(void*);
    size_t (*size_of)(void*);
    void* conf;
    *missing = NULL;
    find("slurm_init_job_desc_msg", &init_job_desc, missing);
    find("slurmdb_init_qos_rec", &init_qos, missing);
    find("slurmdb_init_assoc_rec", &init_assoc, missing);
    find("slurmdb_create_assoc_usage", &create_assoc_usage, missing);
    find("slurmdb_create_qos_usage", &create_qos_usage, missing);
    find("slurmdb_destroy_assoc_usage", &destroy_assoc_usage, missing);
    find("slurmdb_destroy_qos_usage", &destroy_qos_usage, missing);
    find("slurm_xsize", &size_of, missing);
    find("slurm_conf", &conf, missing);
    if (*missing != NULL) return 0;

    const uint32_t no_value = 0xfffffffe; /* NO_VAL */
    prepare(&written);
    init_job_desc(written.one);
    init_job_desc(written.other);
    measure(&written, &layout->job_desc_size, &layout->job_desc_values);
    prepare(&written);
    init_qos(written.one, false, no_value);
    init_qos(written.other, false, no_value);
    measure(&written, &layout->qos_size, &layout->qos_values);
    prepare(&written);
    init_assoc(written.one, false);
    init_assoc(written.other, false);
    measure(&written, &layout->assoc_size, &layout->assoc_values);

    void* usage = create_assoc_usage(1);
    layout->assoc_usage_size = size_of(usage);
    destroy_assoc_usage(usage);
    usage = create_qos_usage(1);
    layout->qos_usage_size = size_of(usage);
    destroy_qos_usage(usage);

    Dl_info info;
    const ElfW(Sym)* symbol = NULL;
    layout->conf_size =
        dladdr1(conf, &info, (void**)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL ? symbol->st_size : 0;
    return 1;
}

const char* qosgate_compare_layouts(const struct qosgate_layout* one, const struct qosgate_layout* other) {
    if (one->job_desc_size != other->job_desc_size || one->job_desc_values != other->job_desc_values)
        return "job_desc_msg_t";
    if (one->qos_size != other->qos_size || one->qos_values != other->qos_values) return "slurmdb_qos_rec_t";
    if (one->assoc_size != other->assoc_size || one->assoc_values != other->assoc_values)
        return "slurmdb_assoc_rec_t";
    if (one->assoc_usage_size != other->assoc_usage_size) return "slurmdb_assoc_usage_t";
    if (one->qos_usage_size != other->qos_usage_size) return "slurmdb_qos_usage_t";
    if (one->conf_size != other->conf_size) return "slurm_conf_t";
    return NULL;
}

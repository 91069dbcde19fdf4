/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of the catalogue stand on: streams, events, and device memory whose bytes have
 * all been written, made before and given back after each program. */
#ifndef ACLNN_CPU_TESTS_CHECK_PROGRAM_H
#define ACLNN_CPU_TESTS_CHECK_PROGRAM_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

enum { WORKSPACE = 65536, BYTES = 4096, FLOATS = BYTES / 4, STREAMS = 3, EVENTS = 3, BUFFERS = 4 };

struct world {
    aclrtStream s[STREAMS];
    aclrtEvent e[EVENTS];
    char *d[BUFFERS]; /* device memory, written */
    char *workspace;  /* device memory, enough for with_workspace */
    char *pinned;     /* of the host, from aclrtMallocHost */
    char pageable[BYTES];
};

struct program {
    const char *name;
    void (*run)(struct world *w);
    const char *expected; /* "kind/rule" of all reports, each once, in order of the alphabet; "" */
};

extern const struct program wrong_orders[], right_orders[], wrong_lives[], right_lives[],
    wrong_chips[], right_chips[], wrong_phases[], right_phases[], wrong_maps[], right_maps[],
    wrong_others[], right_others[];
extern const size_t wrong_order_count, right_order_count, wrong_life_count, right_life_count,
    wrong_chip_count, right_chip_count, wrong_phase_count, right_phase_count, wrong_map_count,
    right_map_count, wrong_other_count, right_other_count;

/* What returns another code than 0 ends the program's process. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        const int status_ = (call);                                                                \
        if (status_ != 0) {                                                                        \
            fprintf(stderr, "%s:%d: %s returned %d: %s\n", __FILE__, __LINE__, #call, status_,     \
                    aclGetRecentErrMsg());                                                         \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

/* Each queues one operation. */
void put(struct world *w, int stream, int buffer); /* writes all of it */
void put_part(struct world *w, int stream, int buffer, size_t begin, size_t end);
void copy(struct world *w, int stream, int to, int from);
void copy_part(struct world *w, int stream, char *to, const char *from, size_t bytes);
void upload(struct world *w, int stream, int buffer);                   /* from pinned memory */
void download(struct world *w, int stream, int buffer);                 /* to pinned memory */
void absolute(struct world *w, int stream, void *to, const void *from); /* aclnnAbs of FLOATS */
void absolute_view(struct world *w, int stream, void *to, const void *from, int64_t rows,
                   int64_t columns, int64_t pitch);
/* An operator with a workspace, from buffer to buffer. */
void with_workspace(struct world *w, int stream, int to, int from, void *workspace,
                    size_t workspace_size);
size_t workspace_bytes(struct world *w);
/* The same; what phase 2 answers is returned. */
int run_with_workspace(struct world *w, int stream, int to, int from, void *workspace,
                       size_t workspace_size);

void after(struct world *w, int before, int event, int behind); /* record, and wait */
void *device(size_t bytes);                                     /* aclrtMalloc */
aclTensor *tensor_of(void *memory, int64_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of oneDNN that may fail: the note says which did and why. */
#ifndef ACLNN_CPU_TESTS_BENCH_ONEDNN_CALL_H
#define ACLNN_CPU_TESTS_BENCH_ONEDNN_CALL_H

#include <stdbool.h>
#include <stdio.h>

#include <oneapi/dnnl/dnnl.h>

static inline bool ok(dnnl_status_t status, const char *what, char *note, size_t note_size)
{
    if (status == dnnl_success) return true;
    if (status == dnnl_unimplemented)
        snprintf(note, note_size, "not implemented by oneDNN");
    else
        snprintf(note, note_size, "%s gives status %d", what, (int)status);
    return false;
}

/* In functions that have note and note_size and return whether they succeeded. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (!ok((call), #call, note, note_size)) return false;                                     \
    } while (0)

#endif

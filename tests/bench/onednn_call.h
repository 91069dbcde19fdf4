/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of oneDNN that may fail: the note says which did and why. */
#ifndef ACLNN_CPU_TESTS_BENCH_ONEDNN_CALL_H
#define ACLNN_CPU_TESTS_BENCH_ONEDNN_CALL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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

/* False, with a line on standard error, where oneDNN finds no CPU. *must_wait: execute returns
 * before the work is done. */
static inline bool onednn_begin(dnnl_engine_t *engine, dnnl_stream_t *stream, bool *must_wait)
{
#ifdef BENCH_OPENCL_DRIVER
    /* The SYCL build finds its CPU through this OpenCL driver, which lies beside it. */
    setenv("OCL_ICD_FILENAMES", BENCH_OPENCL_DRIVER, 0);
    setenv("ONEAPI_DEVICE_SELECTOR", "*:cpu", 0);
#endif
    const unsigned runtime = dnnl_version()->cpu_runtime;
    *must_wait = runtime != DNNL_RUNTIME_SEQ && runtime != DNNL_RUNTIME_OMP;
    if (dnnl_engine_create(engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(stream, *engine, dnnl_stream_default_flags) == dnnl_success)
        return true;
    fprintf(stderr, "oneDNN finds no CPU engine\n");
    return false;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A contender is a program that the bench starts once per thread count and talks to in lines of
 * JSON: the floors, our library, each peer. One program each, so that every library has its own
 * threads, environment and address space, and none can spoil another's times.
 *
 *     {"do":"set_up","line":CASE,"format":"nchw","data":FILE}    -> {"ok":true,"note":TEXT}
 *     {"do":"run","count":N}                                     -> {"ok":true,"seconds":ONE RUN}
 *     {"do":"check","planes":[P...],"path":FILE}                 -> {"ok":true,"unwritten":N}
 *     {"do":"figures"}                                           -> {"ok":true,"figures":{...}}
 *
 * A refusal is {"ok":false,"why":TEXT}. On start a contender writes {"name":...,"version":...}.
 * set_up also carries the case's attributes one by one, for a program that does not read the case
 * language. FILE of set_up has gradOutput, dense, channels first; check poisons the output, runs
 * once, counts elements that kept the poison and writes the named planes to FILE. */
#ifndef ACLNN_CPU_TESTS_BENCH_CONTENDER_H
#define ACLNN_CPU_TESTS_BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "tests/support/cases.h"

enum bench_format {
    BENCH_NCHW,
    BENCH_NHWC,
    BENCH_BLOCKED, /* nChw16c */
    BENCH_FORMATS
};

struct bench_problem {
    struct test_case test;
    enum bench_format format;
    const char *data; /* the file of gradOutput */
    int64_t planes;
    int64_t dy_plane, dx_plane; /* elements of a plane */
    size_t element_size;
    size_t dy_bytes, dx_bytes; /* as the format stores them */
};

/* false: the case is not one that the bench can run; why receives a sentence. */
bool bench_problem_of(const struct test_case *test, enum bench_format format,
                      struct bench_problem *problem, char *why, size_t why_size);
const char *bench_format_name(enum bench_format format);
enum bench_format bench_format_of(const char *name); /* BENCH_FORMATS when it is none */

/* Moves planes of `plane` elements between dense channels-first order and the format. */
void bench_pack(const struct bench_problem *problem, int64_t plane, const void *dense,
                void *packed);
/* One plane out of a packed tensor. */
void bench_unpack_plane(const struct bench_problem *problem, int64_t plane, int64_t which,
                        const void *packed, void *dense);

/* Memory for tensors: page-aligned, huge pages asked for, touched. It is kept from case to case and
 * grows; slot is 0 or 1. */
void *bench_memory(int slot, size_t bytes);

struct bench_contender {
    const char *name;
    /* "version", and what else is worth knowing. */
    void (*hello)(cJSON *reply);
    bool (*set_up)(const struct bench_problem *problem, char *note, size_t note_size);
    /* Seconds that count runs take. */
    double (*run)(int64_t count);
    /* Where gradInput is; NULL for a contender that computes nothing. */
    void *(*output)(void);
    void (*figures)(cJSON *figures); /* may be NULL */
};

/* Serves requests until standard input ends. */
int bench_serve(const struct bench_contender *contender);

/* Fills gradOutput of a problem from its file. */
bool bench_load(const struct bench_problem *problem, void *dy, char *why, size_t why_size);

#endif

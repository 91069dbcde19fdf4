/* SPDX-License-Identifier: Apache-2.0 */
/* A contender is a program that the bench starts once per thread count and talks to in lines of
 * JSON: the floors, our library, each peer. One program each, so that every library has its own
 * threads, environment and address space, and none can spoil another's times.
 *
 *     {"do":"set_up","line":CASE,"format":"nchw","values":FILE,"indices":FILE}
 *                                                -> {"ok":true,"note":TEXT}
 *     {"do":"run","count":N}                     -> {"ok":true,"seconds":ONE RUN}
 *     {"do":"check","planes":[P...],"path":FILE}
 *                                -> {"ok":true,"unwritten":[N or null ...],"seconds":ONE RUN}
 *     {"do":"figures"}                           -> {"ok":true,"figures":{...}}
 *
 * A refusal is {"ok":false,"why":TEXT}. On start a contender writes {"name":...,"version":...}.
 * set_up also carries the case's attributes one by one, for a program that does not read the case
 * language. Its files hold what the operator reads, dense, channels first; problem.h tells where.
 * check poisons the outputs, runs once, counts elements that kept the poison, and writes the named
 * planes of one output after another to FILE; null stands for an output that the contender does not
 * have in this meaning, of which nothing is written. */
#ifndef ACLNN_CPU_TESTS_BENCH_CONTENDER_H
#define ACLNN_CPU_TESTS_BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "tests/bench/problem.h"

struct bench_contender {
    const char *name;
    /* "version", and what else is worth knowing. */
    void (*hello)(cJSON *reply);
    /* The problem stays until the next one. */
    bool (*set_up)(const struct bench_problem *problem, char *note, size_t note_size);
    /* Seconds that count runs take. */
    double (*run)(int64_t count);
    /* Where an output of the problem is; NULL when it has none of that meaning. */
    void *(*output)(int tensor);
    void (*figures)(cJSON *figures); /* may be NULL */
};

/* Serves requests until standard input ends. */
int bench_serve(const struct bench_contender *contender);

#endif

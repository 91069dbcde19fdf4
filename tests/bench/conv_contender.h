/* SPDX-License-Identifier: Apache-2.0 */
/* A contender of `bench conv`: a program as contender.h describes it, which holds several problems
 * at a time, each in a slot.
 *
 *     {"do":"set_up","slot":S,"line":LAYER,"pass":"dx","dtype":"f32","layout":L,"files":[X,W,Y,B]}
 *                                                -> {"ok":true,"note":TEXT}
 *     {"do":"run","slot":S,"count":N}            -> {"ok":true,"seconds":ONE RUN}
 *     {"do":"check","slot":S,"path":FILE}        -> {"ok":true,"seconds":ONE RUN}
 *     {"do":"clear"}                             -> {"ok":true}: the slots are empty
 *
 * The files hold x, the weight, y (or its gradient) and the bias, dense, channels first, in the
 * problem's type. check poisons the result, runs once and writes it to FILE in the same form;
 * behind a weight's gradient comes the bias's. */
#ifndef ACLNN_CPU_TESTS_BENCH_CONV_CONTENDER_H
#define ACLNN_CPU_TESTS_BENCH_CONV_CONTENDER_H

#include <cjson/cJSON.h>

#include "tests/bench/conv_layer.h"

enum { CONV_SLOTS = 8, CONV_PATH = 128 };

struct conv_problem {
    struct conv_layer layer;
    enum layer_pass pass;
    enum layer_dtype dtype;
    char layout[16];
    char file[LAYER_TENSORS][CONV_PATH];
};

struct conv_contender {
    const char *name;
    void (*hello)(cJSON *reply);
    bool (*set_up)(int slot, const struct conv_problem *problem, char *note, size_t note_size);
    /* Seconds that count runs take. */
    double (*run)(int slot, int64_t count);
    /* Fills the result with 0xFF bytes. */
    void (*poison)(int slot);
    /* The result, dense; layer_result_bytes of them. */
    bool (*result)(int slot, void *dense);
    void (*clear)(int slot); /* also of a slot that is empty */
};

/* Serves requests until standard input ends. */
int conv_serve(const struct conv_contender *contender);

/* Touched memory that begins on a page, huge pages asked for; released with free. */
void *conv_memory(size_t bytes);
/* Reads a tensor of the problem into memory of its own size; false with a sentence in note. */
bool conv_read(const struct conv_problem *problem, enum layer_tensor tensor, void *to, char *note,
               size_t note_size);

#endif

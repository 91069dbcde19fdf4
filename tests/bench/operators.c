/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/operators.h"

#include <string.h>

static const struct bench_operator operators[] = {
#define BENCH_OPERATOR(name, function, meaning, torch, indices)                                    \
    {#name, #function, BENCH_##meaning, torch, BENCH_IN_##indices},
#include "tests/bench/operators.def"
#undef BENCH_OPERATOR
};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

#define READS(tensor)                                                                              \
    {                                                                                              \
        CASE_##tensor, BENCH_READS                                                                 \
    }
#define SHAPE(tensor)                                                                              \
    {                                                                                              \
        CASE_##tensor, BENCH_SHAPE                                                                 \
    }
#define WRITES(tensor)                                                                             \
    {                                                                                              \
        CASE_##tensor, BENCH_WRITES                                                                \
    }

static const struct bench_operands operands[BENCH_MEANINGS] = {
    [BENCH_AVERAGE] = {2, {READS(X), WRITES(Y)}},
    [BENCH_AVERAGE_GRAD] = {3, {READS(DY), SHAPE(X), WRITES(DX)}},
    [BENCH_MAX] = {2, {READS(X), WRITES(Y)}},
    [BENCH_MAX_INDICES] = {3, {READS(X), WRITES(Y), WRITES(I)}},
    [BENCH_MAX_GRAD] = {4, {READS(DY), SHAPE(X), READS(I), WRITES(DX)}},
    [BENCH_MAX_RECOMPUTE] = {3, {READS(DY), READS(X), WRITES(DX)}},
    [BENCH_UNPOOL] = {3, {READS(Y), READS(I), WRITES(X)}},
    [BENCH_UNPOOL_GRAD] = {4, {READS(DX), SHAPE(Y), READS(I), WRITES(DY)}},
};

const struct bench_operator *bench_operator_find(const char *name)
{
    for (int i = 0; i < OPERATORS; i++)
        if (strcmp(operators[i].name, name) == 0) return &operators[i];
    return NULL;
}

const struct bench_operator *bench_operator_at(int index)
{
    return index < OPERATORS ? &operators[index] : NULL;
}

const struct bench_operands *bench_operands_of(enum bench_meaning meaning)
{
    return &operands[meaning];
}

bool bench_is_backward(enum bench_meaning meaning)
{
    return meaning == BENCH_AVERAGE_GRAD || meaning == BENCH_MAX_GRAD ||
           meaning == BENCH_MAX_RECOMPUTE || meaning == BENCH_UNPOOL_GRAD;
}

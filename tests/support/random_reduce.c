/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of reductions and scans. */
#include <string.h>

#include "tests/support/oracle_reduce.h"

enum { ELEMENTS = 700 };

static bool needs_elements(enum what what)
{
    return (what >= MAX && what <= MIN_MAX) || (what >= MAX_PLACE && what <= KTH) || what == NORM;
}

static enum case_dtype random_result(const struct rig_operator *op, struct random *random,
                                     enum case_dtype from)
{
    for (int tries = 0; random_once_in(random, 3) && tries < 5; tries++) {
        const enum case_dtype other = random_dtype(op, random);
        if (oracle_kind(other) >= oracle_kind(from)) return other;
    }
    return from;
}

/* Draws the axes; returns them as bits. */
static unsigned random_axes(const struct rig_operator *op, struct test_case *test,
                            struct random *random, int rank)
{
    int64_t values[CASE_RANK];
    int count = 0;
    unsigned axes = 0;
    for (const struct rig_argument *at = op->names->argument; at->name; at++) {
        const int axis = rank > 0 ? (int)random_below(random, rank) : 0;
        const bool counts_back = random_once_in(random, 2);
        if (strcmp(at->name, "dim") == 0 && at->kind != OP_INTS) {
            const int64_t value = counts_back ? axis - (rank > 0 ? rank : 1) : axis;
            struct case_argument *given = random_number(test, at->name, (double)value);
            given->has_dtype = at->kind == OP_COEFFICIENT;
            given->dtype = CASE_I64;
            return rank > 0 ? 1U << axis : 0;
        }
        if (at->kind != OP_INTS) continue;
        for (int i = 0; i < rank; i++)
            if (random_once_in(random, 2)) {
                values[count++] = counts_back ? i - rank : i;
                axes |= 1U << i;
            }
        if (count > 0) random_ints(test, at->name, values, count);
        for (const struct rig_argument *none = at; none->name; none++) {
            const bool is_noop = random_once_in(random, 2);
            if (strncmp(none->name, "noop", 4) != 0) continue;
            random_number(test, none->name, is_noop);
            if (is_noop && count == 0) return 0;
        }
        return axes == 0 ? (1U << rank) - 1 : axes;
    }
    return (1U << rank) - 1;
}

static void random_others(const struct rig_operator *op, struct test_case *test,
                          struct random *random, unsigned axes, enum case_dtype out, int64_t count)
{
    static const double norms[] = {0, 1, 2, 3, 0.5, -1, INFINITY, -INFINITY};
    const enum what what = what_of(op);
    for (const struct rig_argument *at = op->names->argument; at->name; at++) {
        const bool is_drawn =
            strncmp(at->name, "keep", 4) == 0 || strncmp(at->name, "noop", 4) == 0;
        if (at->kind == OP_BOOL && !is_drawn)
            random_number(test, at->name, random_once_in(random, 2));
        if (strcmp(at->name, "correction") == 0)
            random_number(test, at->name, (double)random_below(random, 3));
        if (at->kind == OP_TYPE_OF) random_type(test, at->name, out);
        if (what == NORM && at->kind == OP_SCALAR) {
            struct case_argument *p = random_scalar(test, random, at->name, CASE_F32);
            const double value = norms[random_below(random, 8)];
            p->real = value;
            p->has_real = true;
        }
        if (strcmp(at->name, "k") == 0)
            random_number(test, at->name, (double)random_between(random, 1, count));
    }
    (void)axes;
}

struct test_case random_reduce(const struct rig_operator *op, struct random *random,
                               enum case_dtype dtype)
{
    const struct reduce_more *more = op->row->more;
    const enum what what = more->what;
    int64_t dims[CASE_RANK], small[CASE_RANK], count = 1;
    if (what == LOG_SUM) dtype = random_once_in(random, 2) ? CASE_U8 : CASE_BOOL;
    struct test_case test = random_start(op, random, dtype);
    if (more->is_plain) test.data = CASE_PLAIN;
    int rank = what == TRACE ? 2 : random_shape(random, dims, ELEMENTS), left = 0;
    for (int i = 0; what == TRACE && i < 2; i++)
        dims[i] = random_below(random, 25);
    for (int i = 0; i < rank; i++)
        if (needs_elements(what) && dims[i] == 0) dims[i] = 1;
    const bool is_place = what == MAX_PLACE || what == MIN_PLACE;
    enum case_dtype result = dtype;
    if (op->row->ulp == 2) result = random_dtype(op, random);
    if (what == LOG_SUM || what == LOG_SUM_EXP) result = oracle_is_float(dtype) ? dtype : CASE_F32;
    if (what == TRACE && !oracle_is_float(dtype)) result = CASE_I64;
    if (what == ANY || what == ALL) result = random_once_in(random, 2) ? CASE_BOOL : CASE_U8;
    if (op->row->ulp == 2 && what == NORM) result = oracle_is_float(dtype) ? dtype : CASE_F32;
    if (op->row->ulp == 2 && what == MEAN && !oracle_is_float(result)) result = CASE_F32;
    /* An integer becomes a half type by way of FLOAT. */
    if (op->row->ulp == 2 && (result == CASE_F16 || result == CASE_BF16) && result != dtype)
        result = CASE_F32;
    const bool is_exact = (what >= MAX && what <= MIN_MAX) || (what >= MAX_PLACE && what <= KTH);
    if (is_exact) result = random_result(op, random, result);
    random_tensor(&test, random, op->tensor[0], dtype, dims, rank, op->operand[0].is_changed);
    const unsigned axes = random_axes(op, &test, random, rank);
    bool keeps = false;
    for (const struct rig_argument *at = op->names->argument; at->name; at++)
        if (strncmp(at->name, "keep", 4) == 0) {
            keeps = random_once_in(random, 2);
            random_number(&test, at->name, keeps);
        }
    for (int i = 0; i < rank; i++) {
        const bool is_reduced = what < CUMSUM && (axes >> i & 1);
        if (is_reduced) count *= dims[i];
        if (!is_reduced || keeps) small[left++] = is_reduced ? 1 : dims[i];
    }
    if (what == TRACE) left = 0;
    random_others(op, &test, random, axes, result, count);
    for (int slot = 1; op->tensor[slot]; slot++) {
        const bool is_index = slot == 2 && (is_place || what >= MEDIAN);
        const bool is_only_index = slot == 1 && is_place && !op->tensor[2];
        random_tensor(&test, random, op->tensor[slot],
                      !is_index && !is_only_index ? result
                      : random_once_in(random, 2) ? CASE_I64
                                                  : CASE_I32,
                      small, left, true);
    }
    return test;
}

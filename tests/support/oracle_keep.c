/* SPDX-License-Identifier: Apache-2.0 */
/* Logits that are kept, a plan of transport, products of low rank, parts that are placed: from the
 * definitions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* ---- aclnnApplyTopKTopP ---- */

struct ranked {
    double value;
    int64_t place;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *one = a, *other = b;
    if (one->value != other->value) return one->value < other->value ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static void keep_row(struct rig_problem *problem, int64_t row, struct ranked *sorted)
{
    const int out = norm_operand(problem, "out"), k = norm_operand(problem, "k"),
              p = norm_operand(problem, "p");
    const int64_t count = problem->tensor[0].view.dims[1];
    double sum = 0, run = 0;
    for (int64_t i = 0; i < count; i++)
        sorted[i] = (struct ranked){oracle_value(problem, 0, row * count + i), i};
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    const int64_t largest = k < 0 ? 0 : oracle_whole_value(problem, k, row);
    const double least = largest > 0 && largest < count ? sorted[count - largest].value : -INFINITY;
    for (int64_t i = 0; i < count; i++)
        if (sorted[i].value >= least) sum += exp(sorted[i].value - sorted[count - 1].value);
    for (int64_t i = 0; i < count; i++) {
        bool is_kept = sorted[i].value >= least;
        if (is_kept) run += exp(sorted[i].value - sorted[count - 1].value) / sum;
        if (p >= 0 && i < count - 1) is_kept = is_kept && run > 1 - oracle_value(problem, p, row);
        oracle_real(problem, out, row * count + sorted[i].place, problem->tensor[out].view.dtype,
                    is_kept ? sorted[i].value : -INFINITY);
    }
}

static void keep_top(struct rig_problem *problem)
{
    const struct operand *logits = &problem->tensor[0].view;
    struct ranked *sorted = malloc(((size_t)logits->dims[1] + 1) * sizeof *sorted);
    for (int64_t row = 0; row < logits->dims[0] && logits->dims[1] > 0; row++)
        keep_row(problem, row, sorted);
    free(sorted);
}

/* Logits are quarters, so that some are equal; p is never where the sums of probabilities are. */
static void fill_keep(struct rig_problem *problem, struct random *random)
{
    const int k = norm_operand(problem, "k"), p = norm_operand(problem, "p");
    const int64_t count = problem->tensor[0].view.dims[1];
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        problem->tensor[0].bits[i] = oracle_cast_real(problem->tensor[0].view.dtype,
                                                      (double)random_between(random, -20, 20) / 4);
    for (int64_t i = 0; k >= 0 && i < problem->tensor[k].count; i++)
        problem->tensor[k].bits[i] = (uint32_t)(int32_t)random_between(random, -1, count + 1);
    for (int64_t i = 0; p >= 0 && i < problem->tensor[p].count; i++)
        problem->tensor[p].bits[i] = oracle_cast_real(
            problem->tensor[p].view.dtype,
            random_once_in(random, 8) ? (double)random_below(random, 2)
                                      : ((double)random_below(random, 1000) + 0.37) / 1001);
}

static struct test_case random_keep(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int64_t dims[] = {random_between(random, 0, 5), random_between(random, 1, 40)};
    const int given = (int)random_between(random, 1, 3);
    test.data = CASE_PLAIN;
    random_tensor(&test, random, "logits", dtype, dims, 2, false);
    if (given & 1) random_tensor(&test, random, "p", dtype, dims, 1, false);
    if (given & 2) random_tensor(&test, random, "k", CASE_I32, dims, 1, false);
    random_tensor(&test, random, "out", dtype, dims, 2, true);
    return test;
}

/* ---- aclnnSinkhorn ---- */

static void sinkhorn(struct rig_problem *problem)
{
    const int64_t rows = problem->tensor[0].view.dims[0], columns = problem->tensor[0].view.dims[1];
    const struct rig_scalars *given = &problem->call.scalar[0];
    const double tolerance =
        given->is_null || given->value[0].is_null ? 1e-4 : given->value[0].real;
    double *row = calloc((size_t)rows + 1, sizeof *row);
    double *column = calloc((size_t)columns + 1, sizeof *column), error = INFINITY;
    for (int64_t j = 0; j < columns; j++)
        column[j] = 1;
    for (int turn = 0; turn < 10000 && error > tolerance && rows > 0 && columns > 0; turn++) {
        error = 0;
        for (int64_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int64_t j = 0; j < columns; j++)
                sum += column[j] * exp(oracle_value(problem, 0, i * columns + j));
            row[i] = 1 / ((double)rows * (sum + 1e-8));
        }
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t i = 0; i < rows; i++)
                sum += row[i] * exp(oracle_value(problem, 0, i * columns + j));
            const double factor = 1 / ((double)columns * (sum + 1e-8));
            error += fabs(column[j] - factor) / (double)columns;
            column[j] = factor;
        }
    }
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        oracle_real(problem, 1, i, problem->tensor[1].view.dtype,
                    column[i % columns] * exp(oracle_value(problem, 0, i)) * row[i / columns]);
    /* The error of a factor follows from turn to turn, but shrinks. */
    if (problem->tensor[1].view.dtype == CASE_F64) problem->near.absolute = 0x1p-44;
    free(row);
    free(column);
}

static void fill_cost(struct rig_problem *problem, struct random *random)
{
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        problem->tensor[0].bits[i] = oracle_cast_real(problem->tensor[0].view.dtype,
                                                      (double)random_below(random, 1001) / 1000);
}

static struct test_case random_sinkhorn(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int64_t dims[] = {random_between(random, 0, 12), random_between(random, 1, 30)};
    test.data = CASE_PLAIN;
    random_tensor(&test, random, "cost", dtype, dims, 2, false);
    if (random_once_in(random, 2)) {
        struct case_argument *tolerance = random_scalar(&test, random, "tol", CASE_F32);
        tolerance->has_real = true;
        tolerance->rank = 0;
        tolerance->real = 0x1p-10;
    }
    random_tensor(&test, random, "p", dtype, dims, 2, true);
    return test;
}

/* ---- aclnnAddLora ---- */

static void add_lora(struct rig_problem *problem)
{
    const int a = norm_operand(problem, "weightAOptional"), b = norm_operand(problem, "weightB");
    const int x = norm_operand(problem, "x"), out = norm_operand(problem, "out");
    const int index = norm_operand(problem, "indices");
    const int64_t *of_b = problem->tensor[b].view.dims, width = problem->tensor[out].view.dims[1];
    const int64_t inputs = problem->tensor[x].view.dims[1], rank = of_b[3];
    const int64_t layer = norm_integer(problem, "layerIdx", 0);
    const int64_t offset = norm_integer(problem, "yOffset", 0);
    const double scale = oracle_round(CASE_F32, norm_real(problem, "scale", 0));
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        const int64_t row = i / width, column = i % width - offset;
        const int64_t group = oracle_whole_value(problem, index, row);
        double sum = 0, size = 0;
        const bool is_bad = group < 0 || group >= of_b[0];
        if (is_bad && problem->sync_code == ACL_SUCCESS && inputs > 0 && rank > 0 && of_b[2] > 0) {
            problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
            snprintf(problem->sync_words, sizeof problem->sync_words,
                     "element %" PRId64 " of indices is", row);
        }
        for (int64_t r = 0; r < rank && !is_bad && column >= 0 && column < of_b[2]; r++) {
            const double factor =
                scale *
                oracle_value(problem, b, ((group * of_b[1] + layer) * of_b[2] + column) * rank + r);
            for (int64_t k = 0; k < (a < 0 ? 1 : inputs); k++) {
                const double term =
                    a < 0 ? oracle_value(problem, x, row * inputs + r)
                          : oracle_value(problem, x, row * inputs + k) *
                                oracle_value(problem, a,
                                             ((group * of_b[1] + layer) * rank + r) * inputs + k);
                sum += factor * term;
                size += fabs(factor * term);
            }
        }
        const double y = oracle_value(problem, 0, i);
        oracle_real(problem, out, i, problem->tensor[out].view.dtype, y + sum);
        if (isfinite(size + y))
            problem->tensor[out].slack[i] =
                (size + fabs(y)) * 0x1p-24 * (double)(inputs + rank + 4);
    }
}

static void fill_lora(struct rig_problem *problem, struct random *random)
{
    const int index = norm_operand(problem, "indices"), b = norm_operand(problem, "weightB");
    const int64_t groups = problem->tensor[b].view.dims[0];
    const bool has_bad = random_once_in(random, 12);
    for (int64_t i = 0; i < problem->tensor[index].count; i++)
        problem->tensor[index].bits[i] =
            (uint32_t)(int32_t)(has_bad && random_once_in(random, 4)
                                    ? random_once_in(random, 2) ? -1 : groups
                                    : random_below(random, groups));
}

static struct test_case random_lora(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int64_t rows = random_between(random, 0, 6), rank = random_between(random, 1, 5);
    const bool has_a = random_once_in(random, 2);
    const int64_t inputs =
        has_a ? random_between(random, random_once_in(random, 20) ? 0 : 1, 20) : rank;
    const int64_t b[] = {random_between(random, 1, 3), random_between(random, 1, 3),
                         random_between(random, 1, 9), rank};
    const int64_t a[] = {b[0], b[1], rank, inputs}, x[] = {rows, inputs};
    const int64_t left = random_between(random, 0, 4);
    const int64_t y[] = {rows, b[2] + left + random_between(random, 0, 4)};
    test.data = CASE_PLAIN;
    random_tensor(&test, random, "y", dtype, y, 2, false);
    random_tensor(&test, random, "x", dtype, x, 2, false);
    random_tensor(&test, random, "weightB", dtype, b, 4, false);
    random_tensor(&test, random, "indices", CASE_I32, &rows, 1, false);
    if (has_a) random_tensor(&test, random, "weightAOptional", dtype, a, 4, false);
    random_number(&test, "layerIdx", (double)random_below(random, b[1]));
    random_number(&test, "scale", (double)random_between(random, -4, 4) / 4);
    random_number(&test, "yOffset", (double)left);
    random_number(&test, "ySliceSize", (double)b[2]);
    random_tensor(&test, random, "out", dtype, y, 2, true);
    return test;
}

/* ---- aclnnScatterList ---- */

/* The operand of a name behind the list; -1: it is NULL. */
static int operand_named(const struct rig_problem *problem, const char *name)
{
    int slot = 0;
    while (strcmp(problem->op->tensor[slot], name) != 0)
        slot++;
    const int operand = problem->call.first[slot];
    return problem->call.is_null[operand] ? -1 : operand;
}

/* A row of the list's tensors' elements: before, along and behind the axis. */
static void split_axis(const struct operand *view, int axis, int64_t *size, int64_t *inner)
{
    *size = view->dims[axis];
    *inner = 1;
    for (int i = axis + 1; i < view->rank; i++)
        *inner *= view->dims[i];
}

static int list_axis(const struct rig_problem *problem)
{
    const int rank = problem->tensor[operand_named(problem, "updates")].view.rank;
    const int64_t axis = norm_integer(problem, "axis", 0);
    return (int)(axis < 0 ? axis + rank : axis) - 1;
}

static void list_part(struct rig_problem *problem, int tensor, int64_t *start, int64_t *length)
{
    const int index = operand_named(problem, "indice"),
              mask = operand_named(problem, "maskOptional");
    const struct operand *var = &problem->tensor[tensor].view;
    const struct operand *updates = &problem->tensor[operand_named(problem, "updates")].view;
    const bool has_lengths = problem->tensor[index].view.rank == 2;
    const int axis = list_axis(problem);
    *start = oracle_whole_value(problem, index, has_lengths ? 2 * tensor : tensor);
    *length =
        has_lengths ? oracle_whole_value(problem, index, 2 * tensor + 1) : updates->dims[axis + 1];
    if (mask >= 0 && oracle_whole_value(problem, mask, tensor) == 0) {
        *length = 0;
        return;
    }
    if (*start >= 0 && *length >= 0 && *length <= updates->dims[axis + 1] &&
        *start + *length <= var->dims[axis])
        return;
    *length = 0;
    if (problem->sync_code != ACL_SUCCESS) return;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words, "element %d of indice is",
             has_lengths ? 2 * tensor : tensor);
}

static void scatter_list(struct rig_problem *problem)
{
    const int updates = operand_named(problem, "updates"), axis = list_axis(problem);
    const int64_t all = problem->tensor[updates].count;
    for (int k = 0; k < problem->call.count[0]; k++) {
        const enum case_dtype dtype = problem->tensor[k].view.dtype;
        int64_t size, inner, start = 0, length = 0;
        split_axis(&problem->tensor[k].view, axis, &size, &inner);
        const int64_t own = problem->tensor[updates].view.dims[axis + 1];
        if (all > 0 && problem->tensor[k].count > 0) list_part(problem, k, &start, &length);
        for (int64_t i = 0; i < problem->tensor[k].count; i++) {
            const int64_t at = i / inner % size - start, before = i / inner / size;
            const bool is_new = at >= 0 && at < length;
            const int64_t from =
                k * (all / problem->call.count[0]) + (before * own + at) * inner + i % inner;
            if (oracle_is_float(dtype))
                oracle_real(problem, k, i, dtype,
                            is_new ? oracle_value(problem, updates, from)
                                   : oracle_value(problem, k, i));
            else
                oracle_whole(problem, k, i, CASE_I64,
                             is_new ? oracle_whole_value(problem, updates, from)
                                    : oracle_whole_value(problem, k, i));
        }
    }
}

static void fill_list(struct rig_problem *problem, struct random *random)
{
    const int index = operand_named(problem, "indice"),
              mask = operand_named(problem, "maskOptional");
    const int axis = list_axis(problem);
    const struct rig_tensor *tensor = &problem->tensor[index];
    const int64_t room = problem->tensor[0].view.dims[axis];
    const int64_t own = problem->tensor[operand_named(problem, "updates")].view.dims[axis + 1];
    const bool has_lengths = tensor->view.rank == 2, has_bad = random_once_in(random, 12);
    int64_t start = 0;
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t value = random_between(random, 0, has_lengths ? room : room - own);
        if (has_lengths && i % 2 == 1)
            value = random_between(random, 0, own < room - start ? own : room - start);
        start = value;
        if (has_bad && random_once_in(random, 4)) value = random_once_in(random, 2) ? -1 : room + 1;
        tensor->bits[i] =
            tensor->view.dtype == CASE_I64 ? (uint64_t)value : (uint32_t)(int32_t)value;
    }
    for (int64_t i = 0; mask >= 0 && i < problem->tensor[mask].count; i++)
        problem->tensor[mask].bits[i] = !random_once_in(random, 3);
}

static struct test_case random_list(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int64_t count = random_between(random, 1, 4);
    const int rank = (int)random_between(random, 1, 4), axis = (int)random_below(random, rank);
    const enum case_dtype index = random_once_in(random, 2) ? CASE_I32 : CASE_I64;
    int64_t var[4], updates[5] = {count};
    const int64_t indices[] = {count, 2};
    for (int i = 0; i < rank; i++) {
        var[i] = random_between(random, 1, 5);
        updates[i + 1] = i == axis ? random_between(random, 1, var[i]) : var[i];
    }
    for (int i = 0; i < count; i++)
        random_tensor(&test, random, "varRef", dtype, var, rank, true)->place =
            i == 0 ? CASE_FIRST : CASE_NEXT;
    /* Not as one that is only read: a start and its length must not share their place. */
    random_tensor(&test, random, "indice", index, indices, random_once_in(random, 2) ? 1 : 2, true);
    random_tensor(&test, random, "updates", dtype, updates, rank + 1, false);
    if (random_once_in(random, 2))
        random_tensor(&test, random, "maskOptional", CASE_U8, &count, 1, false);
    if (random_once_in(random, 2))
        strcpy(case_add(&test, "reduceOptional", CASE_ALONE)->text, "update");
    random_number(&test, "axis", random_once_in(random, 2) ? axis + 1 : axis - rank);
    return test;
}

const struct oracle_row oracle_keep_rows[] = {
    {.name = "aclnnApplyTopKTopP",
     .oracle = keep_top,
     .random = random_keep,
     .fill = fill_keep,
     .lines = LINES("apply_top_k_top_p f32 logits=3x20000 p=3 k=3:i32 out=3x20000",
                    "apply_top_k_top_p bf16 logits=5x301:strided p=5 out=5x301"),
     .sound = "apply_top_k_top_p f32 logits=2x5 p=2 k=2:i32 out=2x5"},
    {.name = "aclnnSinkhorn",
     .oracle = sinkhorn,
     .random = random_sinkhorn,
     .fill = fill_cost,
     .ulp = 1,
     .lines = LINES("sinkhorn f32 cost=70x90 p=70x90", "sinkhorn f16 cost=9x3:s1x9 p=9x3"),
     .sound = "sinkhorn f32 cost=3x4 p=3x4"},
    {.name = "aclnnScatterList",
     .oracle = scatter_list,
     .random = random_list,
     .fill = fill_list,
     .lines = LINES("scatter_list f16 varRef=[4x100x64,4x100x64,4x100x64] indice=3:i64 "
                    "updates=3x4x7x64 axis=-2"),
     .sound = "scatter_list f32 varRef=[2x5,2x5] indice=2:i64 updates=2x2x3 "
              "maskOptional=2:u8 axis=-1"},
    {.name = "aclnnAddLora",
     .oracle = add_lora,
     .random = random_lora,
     .fill = fill_lora,
     .ulp = 1,
     .lines = LINES("add_lora f16 y=20x300 x=20x128 weightB=4x2x128x16 indices=20:i32 "
                    "weightAOptional=4x2x16x128 layerIdx=1 scale=0.5 yOffset=100 ySliceSize=128 "
                    "out=20x300"),
     .sound = "add_lora f32 y=2x6 x=2x5 weightB=3x2x4x2 indices=2:i32 weightAOptional=3x2x2x5 "
              "layerIdx=1 scale=1 yOffset=1 ySliceSize=4 out=2x6"},
    {.name = NULL},
};

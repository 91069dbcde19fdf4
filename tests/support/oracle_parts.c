/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that write parts of a tensor along an axis, one for each index. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_table.h"

/* The tensor that is written. */
static int target_of(const struct rig_problem *problem)
{
    static const char *const names[] = {"out", "outRef", "selfRef"};
    for (int i = 0; i < 3; i++)
        if (index_operand(problem, names[i]) >= 0) return index_operand(problem, names[i]);
    return -1;
}

/* What has one index instead of an axis, or no axis, has one of one element. */
static struct operand widened(const struct operand *view)
{
    struct operand wide = *view;
    if (wide.rank == 0) wide.rank = 1, wide.dims[0] = 1;
    return wide;
}

static int64_t number_of(const struct rig_problem *problem, int index, int64_t i)
{
    return index >= 0 ? oracle_whole_value(problem, index, i) : problem->call.array[0].values[i];
}

/* IndexAdd, IndexCopy, IndexFill, IndexFillTensor. */
static void parts(struct rig_problem *problem)
{
    const int index = index_operand(problem, "index"), source = index_operand(problem, "source");
    const struct operand self = widened(&problem->tensor[0].view);
    const int dim = shape_axis(index_number(problem, "dim", 0), self.rank);
    const bool adds = strstr(problem->op->name, "IndexAdd") != NULL;
    const struct rig_scalar *scalar = &problem->call.scalar[0].value[0];
    const int64_t count = index >= 0 ? problem->tensor[index].count : problem->call.array[0].length;
    struct operand walk = self;
    int64_t elements = 1;
    struct table table = table_of(problem, target_of(problem), 0);
    walk.dims[dim] = count;
    for (int i = 0; i < walk.rank; i++)
        elements *= walk.dims[i];
    for (int64_t i = 0; i < elements; i++) {
        int64_t at[RANK] = {0};
        shape_indices(&walk, i, at);
        const int64_t k = at[dim], size = self.dims[dim];
        if (source >= 0) {
            at[dim] = index_of(problem, index, k, size, false, k, "index");
        } else {
            at[dim] = number_of(problem, index, k);
            if (at[dim] < 0) at[dim] += size;
        }
        const int64_t place = shape_element(&self, at);
        if (source < 0)
            table_put(&table, SET, place, oracle_round(table.type, scalar->real), scalar->integer);
        else if (adds && oracle_is_float(table.type))
            table_put(&table, ADD, place,
                      table_round(&table, table_round(&table, scalar->real) *
                                              oracle_value(problem, source, i)),
                      0);
        else if (adds)
            table_put(&table, ADD, place, 0,
                      oracle_integer(
                          table.type,
                          oracle_cast_whole(table.type, (int64_t)((uint64_t)oracle_whole_value(
                                                                      problem, source, i) *
                                                                  (uint64_t)scalar->integer))));
        else
            table_put_element(problem, &table, SET, place, source, i);
    }
    table_finish(problem, &table);
}

/* Of a scalar some indices name no element. */
static void fill_parts(struct rig_problem *problem, struct random *random)
{
    const struct operand self = widened(&problem->tensor[0].view);
    const int index = index_operand(problem, "index");
    const int64_t size = self.dims[shape_axis(index_number(problem, "dim", 0), self.rank)];
    if (index >= 0) index_fill(problem, random, index, size, index_operand(problem, "source") < 0);
}

static void embedding_grad(struct rig_problem *problem)
{
    const int64_t columns = problem->tensor[2].view.dims[1], padding = problem->call.number[1];
    const int64_t rows = problem->tensor[2].view.dims[0];
    struct table table = table_of(problem, 2, -1);
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const int64_t k = i / columns;
        const int64_t row = index_of(problem, 1, k, rows, false, k, "indices");
        table_put_element(problem, &table, ADD, row < 0 ? -1 : row * columns + i % columns, 0, i);
    }
    if (problem->call.number[2]) table_divide(problem, &table, false);
    for (int64_t i = 0; i < columns && padding >= 0 && padding < rows; i++)
        table.real[padding * columns + i] = 0;
    table_finish(problem, &table);
}

/* The norm is taken of what a row was. */
static void embedding_renorm(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view;
    const int64_t rows = self->dims[0], columns = self->dims[1];
    const double most = problem->call.real[0], p = problem->call.real[1];
    bool *is_named = calloc((size_t)rows + 1, sizeof *is_named);
    for (int64_t i = 0; i < problem->tensor[1].count && columns > 0; i++) {
        const int64_t row = index_of(problem, 1, i, rows, false, i, "indices");
        if (row >= 0) is_named[row] = true;
    }
    for (int64_t row = 0; row < rows; row++) {
        double all = 0;
        for (int64_t i = row * columns; i < (row + 1) * columns; i++) {
            const double x = fabs(oracle_value(problem, 0, i));
            all = isinf(p) ? fmax(all, x) : all + (p == 0 ? x != 0 : pow(x, p));
        }
        if (!isinf(p) && p != 0) all = pow(all, 1 / p);
        for (int64_t i = row * columns; i < (row + 1) * columns; i++) {
            const double x = oracle_value(problem, 0, i);
            oracle_real(problem, 0, i, self->dtype,
                        is_named[row] && all > most ? x * (most / (all + 1e-7)) : x);
        }
    }
    free(is_named);
}

static void fill_rows(struct rig_problem *problem, struct random *random)
{
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        problem->tensor[0].bits[i] = oracle_cast_real(problem->tensor[0].view.dtype,
                                                      (double)random_between(random, -30, 30) / 4);
    index_fill(problem, random, 1, problem->tensor[0].view.dims[0], false);
}

static void fill_embedding(struct rig_problem *problem, struct random *random)
{
    index_fill(problem, random, 1, problem->call.number[0], false);
}

/* ---- random problems ---- */

static struct test_case random_parts(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool copies = strstr(op->name, "Copy") != NULL, adds = strstr(op->name, "Add") != NULL;
    const bool has_array = strstr(op->name, "FillTensor") != NULL;
    const bool in_place = strstr(op->name, "Inplace") != NULL;
    const struct shape self = index_full(random, 0, RANK);
    struct shape source = self, index = {.rank = 1, .dims = {random_between(random, 0, 5)}};
    int64_t values[RANK];
    const int axis = self.rank > 0 ? (int)random_below(random, self.rank) : 0;
    const int64_t size = self.rank > 0 ? self.dims[axis] : 1;
    if (source.rank == 0) source.rank = 1;
    if (index.dims[0] == 1 && random_once_in(random, 2)) index.rank = 0;
    source.dims[axis] = index.dims[0];
    shape_tensor(&test, random, copies || in_place ? "selfRef" : "self", dtype, &self, in_place);
    random_number(&test, "dim", (double)shape_dim(random, axis, self.rank > 0 ? self.rank : 1));
    for (int i = 0; i < index.dims[0]; i++)
        values[i] = random_between(random, -size, size - 1);
    if (has_array)
        random_ints(&test, "index", values, (int)index.dims[0]);
    else
        shape_tensor(&test, random, "index", index_dtype(random), &index, false);
    if (adds || copies)
        shape_tensor(&test, random, "source", dtype, &source, false);
    else
        random_scalar(&test, random, "value", oracle_is_float(dtype) ? CASE_F32 : CASE_I64);
    if (adds)
        random_scalar(&test, random, "alpha",
                      oracle_is_float(dtype) ? CASE_F32
                      : dtype == CASE_BOOL   ? CASE_BOOL
                                             : CASE_I64);
    if (strstr(op->name, "V2")) random_number(&test, "mode", (double)random_below(random, 2));
    if (!in_place) shape_tensor(&test, random, copies ? "outRef" : "out", dtype, &self, true);
    return test;
}

static struct test_case random_rows(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    static const double orders[] = {0, 1, 2, 3, INFINITY};
    struct test_case test = random_start(op, random, dtype);
    const struct shape indices = shape_some(random, 0, 3);
    const struct shape self = {
        .rank = 2, .dims = {random_between(random, 1, 9), random_between(random, 1, 30)}};
    shape_tensor(&test, random, "selfRef", dtype, &self, true);
    shape_tensor(&test, random, "indices", index_dtype(random), &indices, false);
    random_number(&test, "maxNorm", 4.5);
    random_number(&test, "normType", orders[random_below(random, 5)]);
    return test;
}

static struct test_case random_embedding(const struct rig_operator *op, struct random *random,
                                         enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    struct shape indices = shape_some(random, 0, 4), grad = indices;
    struct shape out = {.rank = 2,
                        .dims = {random_between(random, 1, 9), random_between(random, 1, 6)}};
    grad.dims[grad.rank++] = out.dims[1];
    shape_tensor(&test, random, "grad", dtype, &grad, false);
    shape_tensor(&test, random, "indices", index_dtype(random), &indices, false);
    random_number(&test, "numWeights", (double)out.dims[0]);
    random_number(&test, "paddingIdx", (double)random_between(random, -1, out.dims[0]));
    random_number(&test, "scaleGradByFreq", random_once_in(random, 2));
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

const struct oracle_row oracle_parts_rows[] = {
    {.name = "aclnnEmbeddingRenorm",
     .oracle = embedding_renorm,
     .random = random_rows,
     .fill = fill_rows,
     .ulp = 2,
     .sound = "embedding_renorm f32 selfRef=2x3 indices=4:i64 maxNorm=1.5 normType=2"},
    {.name = "aclnnIndexAdd aclnnIndexAddV2",
     .oracle = parts,
     .random = random_parts,
     .fill = fill_parts},
    {.name = "aclnnIndexCopy aclnnInplaceIndexCopy aclnnIndexFill aclnnInplaceIndexFill "
             "aclnnIndexFillTensor aclnnInplaceIndexFillTensor",
     .oracle = parts,
     .random = random_parts,
     .fill = fill_parts},
    {.name = "aclnnEmbeddingDenseBackward",
     .oracle = embedding_grad,
     .random = random_embedding,
     .fill = fill_embedding,
     .lines = LINES("embedding_dense_backward f32 grad=900x300 indices=900:i64 numWeights=50 "
                    "paddingIdx=3 out=50x300",
                    "embedding_dense_backward f32 grad=5000x1 indices=5000:i64 numWeights=50 "
                    "paddingIdx=-1 scaleGradByFreq=1 out=50x1"),
     .sound = "embedding_dense_backward f32 grad=4x3 indices=4:i64 numWeights=2 out=2x3"},
    {.name = NULL},
};

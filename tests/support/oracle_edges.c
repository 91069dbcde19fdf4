/* SPDX-License-Identifier: Apache-2.0 */
/* Edges that repeat what is inside, windows as columns, diagonals in place. */
#include <string.h>

#include "tests/support/oracle.h"
#include "tests/support/oracle_shape.h"

static bool says(const struct rig_operator *op, const char *word)
{
    return strstr(op->name, word) != NULL;
}

/* ---- edges ---- */

/* Index i of an axis, as if it went on. */
static int64_t folded(const struct rig_operator *op, int64_t i, int64_t size)
{
    if (says(op, "Circular")) return (i + size) % size;
    if (says(op, "Replication")) return i < 0 ? 0 : i >= size ? size - 1 : i;
    return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
}

static void edges(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view, *out = &problem->tensor[1].view;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        int64_t at[RANK];
        shape_indices(out, i, at);
        for (int axis = 0; axis < self->rank; axis++) {
            const int place = 2 * (self->rank - 1 - axis);
            if (place < problem->call.array[0].length)
                at[axis] = folded(problem->op, at[axis] - problem->call.array[0].values[place],
                                  self->dims[axis]);
        }
        shape_put(problem, 1, i, 0, shape_element(self, at));
    }
}

static struct test_case random_edges(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int axes = says(op, "1d") ? 1 : says(op, "2d") ? 2 : 3;
    struct shape self = {.rank = axes + 1 + (int)random_below(random, 2)}, out;
    int64_t padding[6];
    for (int i = 0; i < self.rank; i++)
        self.dims[i] = random_between(random, i == 0 && random_once_in(random, 9) ? 0 : 1, 5);
    if (self.rank == axes + 1 && self.dims[0] == 0) self.dims[0] = 1;
    out = self;
    for (int i = 0; i < axes; i++) {
        int64_t *size = &out.dims[self.rank - 1 - i];
        const int64_t most = says(op, "Reflection") ? *size - 1 : *size;
        for (int side = 0; side < 2; side++)
            padding[2 * i + side] = random_between(random, 0, most < 4 ? most : 4);
        if (random_once_in(random, 4) && *size > 1)
            padding[2 * i + random_below(random, 2)] = -random_between(random, 1, *size - 1);
        *size += padding[2 * i] + padding[2 * i + 1];
    }
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_ints(&test, "padding", padding, 2 * axes);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

/* ---- Im2col ---- */

static void im2col(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view, *out = &problem->tensor[1].view;
    const int64_t *kernel = problem->call.array[0].values,
                  *dilation = problem->call.array[1].values;
    const int64_t *padding = problem->call.array[2].values, *stride = problem->call.array[3].values;
    const int rank = self->rank;
    const int64_t across =
        self->dims[rank - 1] + 2 * padding[1] - dilation[1] * (kernel[1] - 1) - 1;
    const int64_t width = across / stride[1] + 1;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        int64_t at[RANK], from[RANK] = {0};
        shape_indices(out, i, at);
        const int64_t row = at[rank - 3], window = at[rank - 2];
        const int64_t tap = row % (kernel[0] * kernel[1]);
        if (rank == 4) from[0] = at[0];
        from[rank - 3] = row / (kernel[0] * kernel[1]);
        from[rank - 2] = window / width * stride[0] + tap / kernel[1] * dilation[0] - padding[0];
        from[rank - 1] = window % width * stride[1] + tap % kernel[1] * dilation[1] - padding[1];
        shape_put(problem, 1, i, 0, shape_element(self, from));
    }
}

static struct test_case random_im2col(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = {.rank = 4,
                               .dims = {random_between(random, 1, 2), random_between(random, 1, 3),
                                        random_between(random, 3, 7),
                                        random_between(random, 3, 7)}};
    struct shape given = self, out = {.rank = 3, .dims = {self.dims[0], self.dims[1], 1}};
    int64_t number[4][2];
    for (int i = 0; i < 2; i++) {
        const int64_t size = self.dims[2 + i];
        number[0][i] = random_between(random, 1, 3);
        number[1][i] =
            number[0][i] > 1 ? random_between(random, 1, (size - 1) / (number[0][i] - 1)) : 1;
        number[2][i] = random_between(random, 0, 2);
        number[3][i] = random_between(random, 1, 3);
        out.dims[1] *= number[0][i];
        out.dims[2] *=
            (size + 2 * number[2][i] - number[1][i] * (number[0][i] - 1) - 1) / number[3][i] + 1;
    }
    if (random_once_in(random, 3)) {
        given.rank = 3;
        out.rank = 2;
        memmove(given.dims, given.dims + 1, 3 * sizeof *given.dims);
        memmove(out.dims, out.dims + 1, 2 * sizeof *out.dims);
    }
    shape_tensor(&test, random, "self", dtype, &given, false);
    for (int i = 0; i < 4; i++)
        random_ints(&test, op->names->array[i], number[i], 2);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

/* ---- FillDiagonal ---- */

static void fill_diagonal(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view;
    const struct rig_scalar *value = &problem->call.scalar[0].value[0];
    const bool wraps = problem->call.number[0] != 0 && self->rank == 2;
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        int64_t at[RANK];
        shape_indices(self, i, at);
        bool is_on = true;
        for (int axis = 1; axis < self->rank; axis++)
            is_on &= at[axis] == (wraps ? at[0] % (self->dims[1] + 1) : at[0]);
        if (!is_on)
            shape_put(problem, 0, i, 0, i);
        else if (oracle_is_float(value->dtype))
            oracle_real(problem, 0, i, self->dtype, value->real);
        else
            oracle_whole(problem, 0, i, CASE_I64, value->integer);
    }
}

static struct test_case random_fill_diagonal(const struct rig_operator *op, struct random *random,
                                             enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    struct shape self = {.rank = (int)random_between(random, 2, 4)};
    self.dims[0] = random_between(random, 0, self.rank == 2 ? 30 : 5);
    for (int i = 1; i < self.rank; i++)
        self.dims[i] = self.rank == 2 ? random_between(random, 1, 6) : self.dims[0];
    shape_tensor(&test, random, "selfRef", dtype, &self, true);
    random_scalar(&test, random, "fillValue",
                  oracle_kind(dtype) == 2   ? CASE_F32
                  : oracle_kind(dtype) == 1 ? CASE_I64
                                            : CASE_BOOL);
    random_number(&test, "wrap", (double)random_below(random, 2));
    return test;
}

const struct oracle_row oracle_edges_rows[] = {
    {.name = "aclnnReflectionPad1d aclnnReflectionPad2d aclnnReflectionPad3d "
             "aclnnReplicationPad1d "
             "aclnnReplicationPad2d aclnnReplicationPad3d aclnnCircularPad2d "
             "aclnnCircularPad3d",
     .oracle = edges,
     .random = random_edges},
    {.name = "aclnnIm2col",
     .oracle = im2col,
     .random = random_im2col,
     .lines = LINES("im2col f32 self=2x3x40x50 kernelSize=3x3 dilation=1x2 "
                    "padding=1x0 stride=2x1 "
                    "out=2x27x920"),
     .sound = "im2col f32 self=1x2x4x4 kernelSize=2x2 dilation=1x1 padding=0x0 "
              "stride=1x1 out=1x8x9"},
    {.name = "aclnnInplaceFillDiagonal", .oracle = fill_diagonal, .random = random_fill_diagonal},
    {.name = NULL},
};

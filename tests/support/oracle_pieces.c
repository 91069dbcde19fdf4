/* SPDX-License-Identifier: Apache-2.0 */
/* Edges, diagonals, lists: each element is looked up by its indices. */
#include <string.h>

#include "tests/support/oracle.h"
#include "tests/support/oracle_shape.h"

/* ---- edges and diagonals ---- */

static void reach_padded(const struct rig_problem *problem, const struct operand *self,
                         int64_t at[RANK])
{
    for (int i = 0; i < self->rank; i++) {
        const int place = 2 * (self->rank - 1 - i);
        if (place < problem->call.array[0].length) at[i] -= problem->call.array[0].values[place];
    }
}

static void pad(struct rig_problem *problem)
{
    const struct rig_scalar *value = &problem->call.scalar[0].value[0];
    const struct operand *self = &problem->tensor[0].view, *out = &problem->tensor[1].view;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(out, i, at);
        reach_padded(problem, self, at);
        const int64_t j = shape_element(self, at);
        if (j >= 0)
            shape_put(problem, 1, i, 0, j);
        else if (oracle_is_float(value->dtype) && oracle_is_float(out->dtype))
            oracle_real(problem, 1, i, out->dtype, value->real);
        else if (out->dtype == CASE_BOOL)
            oracle_whole(problem, 1, i, CASE_BOOL, value->real != 0);
        else
            oracle_whole(problem, 1, i, CASE_I64, value->integer);
    }
}

static void eye(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(&problem->tensor[0].view, i, at);
        oracle_whole(problem, 0, i, CASE_I64, at[0] == at[1]);
    }
}

/* Out is a matrix, of which one diagonal has self's elements, or self is and out has them. */
static void diag(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view, *out = &problem->tensor[1].view;
    const int64_t diagonal = problem->call.number[0];
    const int64_t down = diagonal < 0 ? -diagonal : 0, right = diagonal > 0 ? diagonal : 0;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(out, i, at);
        if (out->rank == 1)
            shape_put(problem, 1, i, 0, (i + down) * self->dims[1] + i + right);
        else
            shape_put(problem, 1, i, 0, at[1] - at[0] == diagonal ? at[0] - down : -1);
    }
}

static void diag_part(struct rig_problem *problem)
{
    const int64_t count = problem->tensor[1].count;
    for (int64_t i = 0; i < count; i++)
        shape_put(problem, 1, i, 0, i * count + i);
}

static void leave(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        shape_put(problem, 0, i, 0, i);
}

/* One format alone: test_format_cast.c has the others. */
static void format_cast(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[1].count; i++)
        shape_put(problem, 1, i, 0, i);
}

/* ---- lists ---- */

static void cat(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const int out = call->first[1];
    const struct operand *view = &problem->tensor[out].view;
    const int axis = shape_axis(call->number[0], view->rank);
    int64_t begin = 0;
    for (int k = 0; k < call->count[0]; k++) {
        const struct operand *part = &problem->tensor[call->first[0] + k].view;
        if (part->rank == 1 && part->dims[0] == 0) continue;
        for (int64_t j = 0; j < problem->tensor[call->first[0] + k].count; j++) {
            int64_t at[RANK] = {0};
            shape_indices(part, j, at);
            at[axis] += begin;
            shape_put(problem, out, shape_element(view, at), call->first[0] + k, j);
        }
        begin += part->dims[axis];
    }
}

static void stack(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const int out = call->first[1];
    const struct operand *view = &problem->tensor[out].view;
    const int axis = shape_axis(call->number[0], view->rank);
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(view, i, at);
        const int k = call->first[0] + (int)at[axis];
        for (int j = axis; j + 1 < view->rank; j++)
            at[j] = at[j + 1];
        shape_put(problem, out, i, k, shape_element(&problem->tensor[k].view, at));
    }
}

static void split(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const struct operand *self = &problem->tensor[0].view;
    const int last = problem->op->names->array[0] ? 0 : 1,
              axis = shape_axis(call->number[last], self->rank);
    int64_t begin = 0;
    for (int k = 0; k < call->count[1]; k++) {
        const int out = call->first[1] + k;
        for (int64_t i = 0; i < problem->tensor[out].count; i++) {
            int64_t at[RANK] = {0};
            shape_indices(&problem->tensor[out].view, i, at);
            at[axis] += begin;
            shape_put(problem, out, i, 0, shape_element(self, at));
        }
        begin += problem->tensor[out].view.dims[axis];
    }
}

/* ---- random problems ---- */

static struct test_case random_pad(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, 4);
    struct shape out = self;
    const int axes = (int)random_between(random, 0, self.rank);
    int64_t pads[2 * RANK];
    for (int i = 0; i < axes; i++) {
        int64_t *size = &out.dims[self.rank - 1 - i];
        pads[2 * i] = random_between(random, *size < 2 ? 0 : -2, 3);
        pads[2 * i + 1] = random_between(random, *size + pads[2 * i] < 1 ? 0 : -1, 3);
        *size += pads[2 * i] + pads[2 * i + 1];
    }
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_ints(&test, "pad", pads, 2 * axes);
    random_scalar(
        &test, random, "value",
        (const enum case_dtype[]){CASE_F32, CASE_I64, CASE_BOOL}[random_below(random, 3)]);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_eye(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape out = {
        .rank = 2, .dims = {random_between(random, 0, 20), random_between(random, 0, 20)}};
    random_number(&test, "n", (double)out.dims[0]);
    random_number(&test, "m", (double)out.dims[1]);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_diag(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_flat = strstr(op->name, "Flat") != NULL;
    struct shape self = {.rank = (int)random_between(random, is_flat ? 0 : 1, is_flat ? 4 : 2)};
    struct shape out = {.rank = 2};
    const int64_t diagonal = random_between(random, -6, 6);
    int64_t elements = 1;
    for (int i = 0; i < self.rank; i++) {
        self.dims[i] = random_between(random, random_once_in(random, 20) ? 0 : 1, 9 / self.rank);
        elements *= self.dims[i];
    }
    out.dims[0] = out.dims[1] = elements + (diagonal < 0 ? -diagonal : diagonal);
    if (self.rank == 2 && !is_flat) {
        const int64_t rows = self.dims[0] + (diagonal < 0 ? diagonal : 0);
        const int64_t columns = self.dims[1] - (diagonal > 0 ? diagonal : 0);
        out.rank = 1;
        out.dims[0] = rows < columns ? rows : columns;
        if (out.dims[0] < 0) out.dims[0] = 0;
    }
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_number(&test, "diagonal", (double)diagonal);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_diag_part(const struct rig_operator *op, struct random *random,
                                         enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int64_t size = random_between(random, random_once_in(random, 20) ? 0 : 1, 12);
    const struct shape x = {.rank = 2, .dims = {size, size}}, y = {.rank = 1, .dims = {size}};
    shape_tensor(&test, random, "x", dtype, &x, false);
    shape_tensor(&test, random, "y", dtype, &y, true);
    return test;
}

static struct test_case random_leave(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, RANK);
    shape_tensor(&test, random, op->names->tensor[0], dtype, &self, true);
    return test;
}

static struct test_case random_format_cast(const struct rig_operator *op, struct random *random,
                                           enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape shape = shape_some(random, 0, RANK);
    shape_tensor(&test, random, "srcTensor", dtype, &shape, false);
    shape_tensor(&test, random, "dstTensor", dtype, &shape, true);
    return test;
}

static struct test_case random_list(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool stacks = strstr(op->name, "Stack") != NULL;
    const struct shape first = shape_some(random, stacks ? 0 : 1, RANK - 1);
    struct shape out = first;
    const int count = (int)random_between(random, 1, 5), rank = first.rank + stacks;
    const int axis = (int)random_below(random, rank);
    enum case_dtype type = dtype;
    if (!stacks) out.dims[axis] = 0;
    for (int i = 0; i < count; i++) {
        struct shape part = first;
        const struct shape nothing = {.rank = 1};
        enum case_dtype own = dtype;
        if (!stacks) part.dims[axis] = random_between(random, 0, 4);
        if (!stacks && i > 0 && random_once_in(random, 6)) part = nothing;
        if (!stacks && random_once_in(random, 4)) own = random_dtype(op, random);
        type = i == 0 ? own : oracle_promote(type, own);
        if (!(part.rank == 1 && part.dims[0] == 0) && !stacks) out.dims[axis] += part.dims[axis];
        shape_tensor(&test, random, "tensors", own, &part, false)->place =
            i == 0 ? CASE_FIRST : CASE_NEXT;
    }
    if (stacks) {
        for (int i = first.rank; i > axis; i--)
            out.dims[i] = first.dims[i - 1];
        out.dims[axis] = count;
        out.rank++;
    }
    random_number(&test, "dim", (double)shape_dim(random, axis, rank));
    shape_tensor(&test, random, "out", type, &out, true);
    return test;
}

static struct test_case random_split(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool by_sizes = op->names->array[0] != NULL;
    struct shape self = shape_some(random, 1, RANK);
    const int axis = (int)random_below(random, self.rank);
    const int64_t piece = random_between(random, 1, 4);
    int64_t sizes[RANK];
    int count = 0;
    self.dims[axis] = random_between(random, 0, 9);
    for (int64_t left = self.dims[axis]; left > 0 || count == 0; count++) {
        sizes[count] = by_sizes && count < 6 ? random_between(random, 0, left)
                       : by_sizes            ? left
                                             : (left < piece ? left : piece);
        left -= sizes[count];
        if (count == 8 - 1) break;
    }
    if (!by_sizes && (self.dims[axis] + piece - 1) / piece > count) /* too many pieces */
        self.dims[axis] = count * piece, sizes[count - 1] = piece;
    shape_tensor(&test, random, "self", dtype, &self, false);
    if (by_sizes)
        random_ints(&test, "splitSize", sizes, count);
    else
        random_number(&test, "splitSections", (double)piece);
    random_number(&test, "dim", (double)shape_dim(random, axis, self.rank));
    for (int i = 0; i < count; i++) {
        struct shape part = self;
        part.dims[axis] = sizes[i];
        shape_tensor(&test, random, "out", dtype, &part, true)->place =
            i == 0 ? CASE_FIRST : CASE_NEXT;
    }
    return test;
}

const struct oracle_row oracle_pieces_rows[] = {
    {.name = "aclnnConstantPadNd",
     .oracle = pad,
     .random = random_pad,
     .lines = LINES("constant_pad_nd f32 self=0x3 pad=0x1x2x0 value=7 out=2x4"),
     .sound = "constant_pad_nd f32 self=2x3 pad=1x2 value=3 out=2x6"},
    {.name = "aclnnEye", .oracle = eye, .random = random_eye, .sound = "eye f32 n=3 m=4 out=3x4"},
    {.name = "aclnnDiag aclnnDiagFlat", .oracle = diag, .random = random_diag},
    {.name = "aclnnDiagPart",
     .oracle = diag_part,
     .random = random_diag_part,
     .sound = "diag_part f32 x=3x3 y=3"},
    {.name = "aclnnTransMatmulWeight", .oracle = leave, .random = random_leave},
    {.name = "aclnnNpuFormatCast",
     .oracle = format_cast,
     .random = random_format_cast,
     .sound = "npu_format_cast f32 srcTensor=2x3x4 dstTensor=2x3x4"},
    {.name = "aclnnCat",
     .oracle = cat,
     .random = random_list,
     .sound = "cat f32 tensors=[2x3,2x4] dim=1 out=2x7"},
    {.name = "aclnnStack",
     .oracle = stack,
     .random = random_list,
     .sound = "stack f32 tensors=[2x3,2x3] dim=1 out=2x2x3"},
    {.name = "aclnnSplitTensor",
     .oracle = split,
     .random = random_split,
     .sound = "split_tensor f32 self=2x5 splitSections=2 dim=1 out=[2x2,2x2,2x1]"},
    {.name = "aclnnSplitWithSize",
     .oracle = split,
     .random = random_split,
     .sound = "split_with_size f32 self=2x5 splitSize=2x3 dim=1 out=[2x2,2x3]"},
    {.name = NULL},
};

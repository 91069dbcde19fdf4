/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move elements: each element of the output is looked up by its indices. */
#include "tests/support/oracle_shape.h"

#include "tests/support/oracle.h"

enum { ELEMENTS = 400 };

/* ---- indices ---- */

void shape_indices(const struct operand *view, int64_t i, int64_t at[RANK])
{
    for (int axis = view->rank - 1; axis >= 0; axis--) {
        at[axis] = i % view->dims[axis];
        i /= view->dims[axis];
    }
}

int64_t shape_element(const struct operand *view, const int64_t at[RANK])
{
    int64_t i = 0;
    for (int axis = 0; axis < view->rank; axis++) {
        if (at[axis] < 0 || at[axis] >= view->dims[axis]) return -1;
        i = i * view->dims[axis] + at[axis];
    }
    return i;
}

int shape_axis(int64_t dim, int rank)
{
    return (int)(dim < 0 ? dim + (rank > 0 ? rank : 1) : dim);
}

void shape_put(struct rig_problem *problem, int to, int64_t i, int from, int64_t j)
{
    const enum case_dtype type = problem->tensor[to].view.dtype;
    if (j < 0)
        oracle_whole(problem, to, i, CASE_I64, 0);
    else if (oracle_is_float(problem->tensor[from].view.dtype))
        oracle_real(problem, to, i, type, oracle_value(problem, from, j));
    else
        oracle_whole(problem, to, i, CASE_I64, oracle_whole_value(problem, from, j));
}

/* What an operator does with the indices of an element of out: those of self. */
typedef void reach_fn(const struct rig_problem *problem, const struct operand *self,
                      int64_t at[RANK]);

static void look_up(struct rig_problem *problem, int to, reach_fn *reach)
{
    const struct operand *self = &problem->tensor[0].view, *out = &problem->tensor[to].view;
    for (int64_t i = 0; i < problem->tensor[to].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(out, i, at);
        reach(problem, self, at);
        shape_put(problem, to, i, 0, shape_element(self, at));
    }
}

static const int64_t *array(const struct rig_problem *problem, int i)
{
    return problem->call.array[i].values;
}

/* ---- views ---- */

static void reach_permuted(const struct rig_problem *problem, const struct operand *self,
                           int64_t at[RANK])
{
    int64_t old[RANK];
    for (int i = 0; i < self->rank; i++)
        old[i] = at[i];
    for (int i = 0; i < self->rank; i++)
        at[shape_axis(array(problem, 0)[i], self->rank)] = old[i];
}

static void permute(struct rig_problem *problem)
{
    look_up(problem, 1, reach_permuted);
}

/* Expand and Repeat: indices modulo self's sizes, without those of new dimensions. */
static void reach_repeated(const struct rig_problem *problem, const struct operand *self,
                           int64_t at[RANK])
{
    const int missing = problem->tensor[1].view.rank - self->rank;
    for (int i = 0; i < self->rank; i++)
        at[i] = at[i + missing] % self->dims[i];
}

static void repeat(struct rig_problem *problem)
{
    look_up(problem, 1, reach_repeated);
}

static void reach_interleaved(const struct rig_problem *problem, const struct operand *self,
                              int64_t at[RANK])
{
    at[shape_axis(problem->call.number[1], self->rank)] /= problem->call.number[0];
}

static void interleave_dim(struct rig_problem *problem)
{
    look_up(problem, 1, reach_interleaved);
}

static void interleave(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[1].count; i++)
        shape_put(problem, 1, i, 0, i / problem->call.number[0]);
}

static void reach_flipped(const struct rig_problem *problem, const struct operand *self,
                          int64_t at[RANK])
{
    for (int i = 0; i < problem->call.array[0].length && self->rank > 0; i++) {
        const int axis = shape_axis(array(problem, 0)[i], self->rank);
        at[axis] = self->dims[axis] - 1 - at[axis];
    }
}

static void flip(struct rig_problem *problem)
{
    look_up(problem, 1, reach_flipped);
}

static int64_t modulo(int64_t value, int64_t size)
{
    return (value % size + size) % size;
}

static void reach_rolled(const struct rig_problem *problem, const struct operand *self,
                         int64_t at[RANK])
{
    for (int i = 0; i < problem->call.array[1].length && self->rank > 0; i++) {
        const int axis = shape_axis(array(problem, 1)[i], self->rank);
        at[axis] = modulo(at[axis] - array(problem, 0)[i], self->dims[axis]);
    }
}

static void roll(struct rig_problem *problem)
{
    const int64_t count = problem->tensor[1].count;
    if (problem->call.array[1].length > 0)
        look_up(problem, 1, reach_rolled);
    else
        for (int64_t i = 0; i < count; i++)
            shape_put(problem, 1, i, 0, modulo(i - array(problem, 0)[0], count));
}

static int64_t clamp(int64_t value, int64_t size)
{
    if (value < 0) value += size;
    return value < 0 ? 0 : value > size ? size : value;
}

static void reach_slice(const struct rig_problem *problem, const struct operand *self,
                        int64_t at[RANK])
{
    const int64_t *number = problem->call.number;
    const int axis = shape_axis(number[0], self->rank);
    at[axis] = clamp(number[1], self->dims[axis]) + at[axis] * number[3];
}

static void slice(struct rig_problem *problem)
{
    look_up(problem, 1, reach_slice);
}

static void reach_slices(const struct rig_problem *problem, const struct operand *self,
                         int64_t at[RANK])
{
    for (int i = 0; i < problem->call.array[0].length; i++) {
        const int axis = shape_axis(array(problem, 2)[i], self->rank);
        at[axis] = clamp(array(problem, 0)[i], self->dims[axis]) + at[axis] * array(problem, 3)[i];
    }
}

static void slices(struct rig_problem *problem)
{
    look_up(problem, 1, reach_slices);
}

static void flatten(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[1].count; i++)
        shape_put(problem, 1, i, 0, i);
}

static void reach_shuffled(const struct rig_problem *problem, const struct operand *self,
                           int64_t at[RANK])
{
    const int64_t groups = problem->call.number[0], channels = self->dims[1] / groups;
    at[1] = at[1] % groups * channels + at[1] / groups;
}

static void shuffle(struct rig_problem *problem)
{
    look_up(problem, 1, reach_shuffled);
}

/* ---- random problems ---- */

struct shape shape_some(struct random *random, int least, int most)
{
    struct shape shape;
    do
        shape.rank = random_shape(random, shape.dims, ELEMENTS);
    while (shape.rank < least || shape.rank > most);
    return shape;
}

struct case_argument *shape_tensor(struct test_case *test, struct random *random, const char *name,
                                   enum case_dtype dtype, const struct shape *shape,
                                   bool is_written)
{
    return random_tensor(test, random, name, dtype, shape->dims, shape->rank, is_written);
}

int64_t shape_dim(struct random *random, int axis, int rank)
{
    return random_once_in(random, 3) ? axis - rank : axis;
}

static void shuffled(struct random *random, int axes[RANK], int count)
{
    for (int i = 0; i < count; i++)
        axes[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)random_below(random, i + 1), other = axes[j];
        axes[j] = axes[i];
        axes[i] = other;
    }
}

static struct test_case random_permute(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, RANK);
    struct shape out = self;
    int axes[RANK];
    int64_t dims[RANK];
    shuffled(random, axes, self.rank);
    for (int i = 0; i < self.rank; i++) {
        dims[i] = shape_dim(random, axes[i], self.rank);
        out.dims[i] = self.dims[axes[i]];
    }
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_ints(&test, "dims", dims, self.rank);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_repeat(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool expands = op->names->array[0][0] == 's';
    const struct shape out = shape_some(random, 0, RANK);
    struct shape self = {.rank = (int)random_between(random, 0, out.rank)}, real = out;
    int64_t values[RANK];
    for (int i = 0; i < out.rank; i++) {
        const int axis = i - (out.rank - self.rank);
        const bool stays =
            axis >= 0 && (expands ? !random_once_in(random, 3) : random_once_in(random, 2));
        const int64_t own = stays ? out.dims[i] : !expands && axis >= 0 && out.dims[i] <= 3 ? 2 : 1;
        if (axis >= 0) self.dims[axis] = own;
        values[i] = expands ? (stays && random_once_in(random, 4) ? -1 : out.dims[i])
                    : stays ? 1
                            : out.dims[i];
        if (!expands) real.dims[i] = own * values[i];
    }
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_ints(&test, op->names->array[0], values, out.rank);
    shape_tensor(&test, random, "out", dtype, &real, true);
    return test;
}

static struct test_case random_interleave(const struct rig_operator *op, struct random *random,
                                          enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool has_dim = op->names->number[2] != NULL;
    const struct shape self = shape_some(random, 0, RANK);
    struct shape out = self;
    const int64_t repeats = random_between(random, random_once_in(random, 10) ? 0 : 1, 4);
    int axis = 0;
    if (has_dim && self.rank > 0) axis = (int)random_below(random, self.rank);
    if (!has_dim) {
        out.rank = 1;
        out.dims[0] = 1;
        for (int i = 0; i < self.rank; i++)
            out.dims[0] *= self.dims[i];
    } else if (self.rank == 0) {
        out.rank = 1;
        out.dims[0] = 1;
    }
    out.dims[axis] *= repeats;
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_number(&test, "repeats", (double)repeats);
    if (has_dim) random_number(&test, "dim", (double)shape_dim(random, axis, out.rank));
    random_number(&test, "outputSize", (double)out.dims[axis]);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_flip(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, RANK);
    const int count = (int)random_between(random, 0, self.rank);
    int axes[RANK];
    int64_t dims[RANK], shifts[RANK];
    shuffled(random, axes, self.rank);
    for (int i = 0; i < count; i++) {
        dims[i] = shape_dim(random, axes[i], self.rank);
        shifts[i] = random_between(random, -9, 9);
    }
    shape_tensor(&test, random, op->names->tensor[0], dtype, &self, false);
    if (op->names->array[1]) {
        shifts[0] = count == 0 ? random_between(random, -99, 99) : shifts[0];
        random_ints(&test, "shifts", shifts, count == 0 ? 1 : count);
    }
    random_ints(&test, "dims", dims, count);
    shape_tensor(&test, random, "out", dtype, &self, true);
    return test;
}

static int64_t part_size(int64_t size, int64_t start, int64_t end, int64_t step)
{
    int64_t count = 0;
    for (int64_t i = clamp(start, size); i < clamp(end, size); i += step)
        count++;
    return count;
}

static struct test_case random_slice(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 1, RANK);
    const bool is_one = op->names->array[0] == NULL;
    const int count = is_one ? 1 : (int)random_between(random, 0, self.rank);
    struct shape out = self;
    int axes[RANK];
    int64_t dims[RANK], starts[RANK], ends[RANK], steps[RANK];
    shuffled(random, axes, self.rank);
    for (int i = 0; i < count; i++) {
        const int64_t size = self.dims[axes[i]];
        dims[i] = shape_dim(random, axes[i], self.rank);
        starts[i] = random_between(random, -size - 2, size / 2);
        ends[i] = random_between(random, -2, size + 2);
        steps[i] = random_between(random, 1, 3);
        out.dims[axes[i]] = part_size(size, starts[i], ends[i], steps[i]);
    }
    shape_tensor(&test, random, "self", dtype, &self, false);
    if (is_one) {
        random_number(&test, "dim", (double)dims[0]);
        random_number(&test, "start", (double)starts[0]);
        random_number(&test, "end", (double)ends[0]);
        random_number(&test, "step", (double)steps[0]);
    } else {
        random_ints(&test, "starts", starts, count);
        random_ints(&test, "ends", ends, count);
        random_ints(&test, "axes", dims, count);
        random_ints(&test, "steps", steps, count);
    }
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_flatten(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, RANK);
    const int axis = (int)random_between(random, 0, self.rank);
    struct shape out = {.rank = 2, .dims = {1, 1}};
    for (int i = 0; i < self.rank; i++)
        out.dims[i >= axis] *= self.dims[i];
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_number(&test, "axis",
                  (double)(axis < self.rank ? shape_dim(random, axis, self.rank) : axis));
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_shuffle(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    struct shape self = shape_some(random, 3, 7);
    const int64_t groups = random_between(random, 1, 3);
    self.dims[1] *= groups;
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_number(&test, "groups", (double)groups);
    shape_tensor(&test, random, "out", dtype, &self, true);
    return test;
}

const struct oracle_row oracle_shape_rows[] = {
    {.name = "aclnnPermute",
     .oracle = permute,
     .random = random_permute,
     .lines = LINES("permute f32 self=130x70 dims=1x0 out=70x130",
                    "permute f16 self=3x300x200 dims=2x0x1 out=200x3x300",
                    "permute i8 self=257x65 dims=1x0 out=65x257",
                    "permute i64 self=100x3 dims=1x0 out=3x100",
                    "permute f32 self=2x65x66 dims=0x2x1 out=2x66x65:strided"),
     .sound = "permute f32 self=2x3x4 dims=2x0x1 out=4x2x3"},
    {.name = "aclnnExpand",
     .oracle = repeat,
     .random = random_repeat,
     .sound = "expand f32 self=3x1 size=2x3x4 out=2x3x4"},
    {.name = "aclnnRepeat",
     .oracle = repeat,
     .random = random_repeat,
     .lines = LINES("repeat f32 self=2x2x2x2x2x2x2x2 repeats=2x2x2x2x2x1x1x2 out=4x4x4x4x4x2x2x4"),
     .sound = "repeat f32 self=2x3 repeats=2x1x2 out=2x2x6"},
    {.name = "aclnnRepeatInterleaveInt",
     .oracle = interleave,
     .random = random_interleave,
     .sound = "repeat_interleave_int f32 self=2x3 repeats=2 outputSize=12 out=12"},
    {.name = "aclnnRepeatInterleaveIntWithDim",
     .oracle = interleave_dim,
     .random = random_interleave,
     .sound = "repeat_interleave_int_with_dim f32 self=2x3 repeats=2 dim=1 outputSize=6 out=2x6"},
    {.name = "aclnnFlip",
     .oracle = flip,
     .random = random_flip,
     .sound = "flip f32 self=2x3x4 dims=0x2 out=2x3x4"},
    {.name = "aclnnRoll",
     .oracle = roll,
     .random = random_flip,
     .lines = LINES("roll f32 x=3x4 shifts=1x2 dims=1x1 out=3x4"),
     .sound = "roll f32 x=2x3x4 shifts=1x2 dims=0x2 out=2x3x4"},
    {.name = "aclnnSlice",
     .oracle = slice,
     .random = random_slice,
     .lines = LINES("slice f32 self=3x9 dim=1 start=-100 end=9223372036854775807 step=2 out=3x5"),
     .sound = "slice f32 self=2x3x4 dim=2 start=1 end=3 step=1 out=2x3x2"},
    {.name = "aclnnSliceV2",
     .oracle = slices,
     .random = random_slice,
     .sound = "slice_v2 f32 self=2x3x4 starts=1x0 ends=3x2 axes=2x1 steps=1x1 out=2x2x2"},
    {.name = "aclnnFlatten",
     .oracle = flatten,
     .random = random_flatten,
     .sound = "flatten f32 self=2x3x4 axis=1 out=2x12"},
    {.name = "aclnnChannelShuffle",
     .oracle = shuffle,
     .random = random_shuffle,
     .sound = "channel_shuffle f32 self=2x6x4 groups=2 out=2x6x4"},
    {.name = NULL},
};

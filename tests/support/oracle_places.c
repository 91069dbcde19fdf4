/* SPDX-License-Identifier: Apache-2.0 */
/* Places that rows of indices name, elements of flat tensors, windows, classes, repeats. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/oracle_table.h"

/* ---- rows of indices ---- */

/* The element of the table that element i of the parts is, or -1. */
static int64_t place_of(struct rig_problem *problem, const struct operand *parts, int64_t i,
                        bool wraps)
{
    const int indices = index_operand(problem, "indices");
    const struct operand *table = &problem->tensor[0].view;
    const struct operand *which = &problem->tensor[indices].view;
    const int rows = which->rank - 1, columns = (int)which->dims[rows];
    int64_t at[RANK] = {0}, from[RANK] = {0}, row = 0;
    bool is_bad = false;
    shape_indices(parts, i, at);
    for (int axis = 0; axis < rows; axis++)
        row = row * which->dims[axis] + at[axis];
    for (int k = 0; k < columns; k++) {
        const int64_t element = row * columns + k;
        from[k] = index_of(problem, indices, element, table->dims[k], wraps, element, "indices");
        is_bad = is_bad || from[k] < 0;
    }
    for (int axis = columns; axis < table->rank; axis++)
        from[axis] = at[rows + axis - columns];
    return is_bad ? -1 : shape_element(table, from);
}

static void gather_nd(struct rig_problem *problem)
{
    const int out = index_operand(problem, "out");
    for (int64_t i = 0; i < problem->tensor[out].count; i++)
        shape_put(problem, out, i, 0, place_of(problem, &problem->tensor[out].view, i, true));
}

static void scatter_nd(struct rig_problem *problem)
{
    const int out = index_operand(problem, "out"), updates = index_operand(problem, "updates");
    const enum combine how = strstr(problem->op->name, "Add") ? ADD : SET;
    struct table table = table_of(problem, out >= 0 ? out : 0, 0);
    for (int64_t i = 0; i < problem->tensor[updates].count; i++)
        table_put_element(problem, &table, how,
                          place_of(problem, &problem->tensor[updates].view, i, false), updates, i);
    table_finish(problem, &table);
}

static void fill_rows(struct rig_problem *problem, struct random *random)
{
    const int indices = index_operand(problem, "indices");
    struct rig_tensor *tensor = &problem->tensor[indices];
    const int64_t columns = tensor->view.dims[tensor->view.rank - 1];
    const bool is_wide = tensor->view.dtype == CASE_I64, has_bad = random_once_in(random, 12);
    const bool wraps = strstr(problem->op->name, "Gather") != NULL;
    for (int64_t i = 0; i < tensor->count; i++) {
        const int64_t size = problem->tensor[0].view.dims[i % columns];
        int64_t index =
            random_below(random, size) - (wraps && random_once_in(random, 3) ? size : 0);
        if (has_bad && random_once_in(random, 20)) index = size;
        tensor->bits[i] = is_wide ? (uint64_t)index : (uint32_t)index;
    }
}

static struct test_case random_nd(const struct rig_operator *op, struct random *random,
                                  enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool gathers = strstr(op->name, "Gather") != NULL;
    const bool in_place = strstr(op->name, "Update") || strstr(op->name, "Add");
    const struct shape table = index_full(random, 1, 5);
    struct shape indices = shape_some(random, 0, 3), parts;
    for (int i = 0; i < indices.rank; i++)
        if (indices.dims[i] > 5) indices.dims[i] = 5;
    const int columns = (int)random_between(random, 1, table.rank);
    parts = indices;
    indices.dims[indices.rank++] = columns;
    for (int axis = columns; axis < table.rank; axis++)
        parts.dims[parts.rank++] = table.dims[axis];
    shape_tensor(&test, random,
                 gathers    ? "self"
                 : in_place ? "varRef"
                            : "data",
                 dtype, &table, in_place);
    shape_tensor(&test, random, "indices", index_dtype(random), &indices, false);
    if (gathers) random_number(&test, "negativeIndexSupport", random_once_in(random, 2));
    if (!gathers) shape_tensor(&test, random, "updates", dtype, &parts, false);
    if (!in_place) shape_tensor(&test, random, "out", dtype, gathers ? &parts : &table, true);
    return test;
}

/* ---- aclnnInplacePut ---- */

static void put(struct rig_problem *problem)
{
    const enum combine how = problem->call.number[0] ? ADD : SET;
    struct table table = table_of(problem, 0, 0);
    for (int64_t i = 0; i < problem->tensor[1].count; i++)
        table_put_element(problem, &table, how,
                          index_of(problem, 1, i, problem->tensor[0].count, true, i, "index"), 2,
                          i);
    table_finish(problem, &table);
}

static void fill_put(struct rig_problem *problem, struct random *random)
{
    index_fill(problem, random, 1, problem->tensor[0].count, true);
}

static struct test_case random_put(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = index_full(random, 0, RANK), index = shape_some(random, 0, RANK);
    struct shape source = {.rank = 2, .dims = {1, 1}};
    for (int i = 0; i < index.rank; i++)
        source.dims[i % 2] *= index.dims[i];
    shape_tensor(&test, random, "selfRef", dtype, &self, true);
    shape_tensor(&test, random, "index", index_dtype(random), &index, false);
    shape_tensor(&test, random, "source", dtype, random_once_in(random, 2) ? &index : &source,
                 false);
    random_number(&test, "accumulate", random_once_in(random, 2));
    return test;
}

/* ---- slices along the first axis ---- */

static void slices(struct rig_problem *problem)
{
    const struct operand *var = &problem->tensor[0].view;
    const enum combine how = strstr(problem->op->name, "Max")   ? MAX
                             : strstr(problem->op->name, "Min") ? MIN
                             : strstr(problem->op->name, "Div") ? DIV
                             : strstr(problem->op->name, "Add") ? ADD
                                                                : MUL;
    struct table table = table_of(problem, 0, 0);
    int64_t inner = 1;
    for (int axis = 1; axis < var->rank; axis++)
        inner *= var->dims[axis];
    for (int64_t i = 0; i < problem->tensor[2].count; i++) {
        const int64_t k = i / inner;
        const int64_t row = index_of(problem, 1, k, var->dims[0], false, k, "indices");
        table_put_element(problem, &table, how, row < 0 ? -1 : row * inner + i % inner, 2, i);
    }
    table_finish(problem, &table);
}

static void fill_slices(struct rig_problem *problem, struct random *random)
{
    index_fill(problem, random, 1, problem->tensor[0].view.dims[0], false);
}

static struct test_case random_slices(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape var = index_full(random, 1, 4), indices = shape_some(random, 0, 3);
    struct shape updates = indices;
    for (int axis = 1; axis < var.rank; axis++)
        updates.dims[updates.rank++] = var.dims[axis];
    shape_tensor(&test, random, "varRef", dtype, &var, true);
    shape_tensor(&test, random, "indices", index_dtype(random), &indices, false);
    shape_tensor(&test, random, "updates", dtype, &updates, false);
    if (op->number[0]) random_number(&test, "useLocking", (double)random_below(random, 2));
    return test;
}

/* ---- aclnnTfScatterAdd: slices or rows of indices ---- */

static bool has_slices(const struct rig_problem *problem)
{
    return problem->tensor[2].view.rank ==
           problem->tensor[0].view.rank + problem->tensor[1].view.rank - 1;
}

static void tf_add(struct rig_problem *problem)
{
    if (has_slices(problem))
        slices(problem);
    else
        scatter_nd(problem);
}

static void fill_tf(struct rig_problem *problem, struct random *random)
{
    if (has_slices(problem))
        fill_slices(problem, random);
    else
        fill_rows(problem, random);
}

static struct test_case random_tf(const struct rig_operator *op, struct random *random,
                                  enum case_dtype dtype)
{
    return random_once_in(random, 2) ? random_slices(op, random, dtype)
                                     : random_nd(op, random, dtype);
}

/* ---- aclnnInplaceScatterUpdate ---- */

static void update(struct rig_problem *problem)
{
    const struct operand *data = &problem->tensor[0].view, *updates = &problem->tensor[2].view;
    const bool has_rows = problem->tensor[1].view.rank == 2;
    const int axis = shape_axis(problem->call.number[0], data->rank);
    const int64_t last = data->dims[axis] - updates->dims[axis] + 1;
    struct table table = table_of(problem, 0, 0);
    for (int64_t i = 0; i < problem->tensor[2].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(updates, i, at);
        const int64_t b = at[0], element = has_rows ? 2 * b + 1 : b;
        if (has_rows) at[0] = index_of(problem, 1, 2 * b, data->dims[0], false, 2 * b, "indices");
        const int64_t begin = index_of(problem, 1, element, last, false, element, "indices");
        at[axis] += begin;
        table_put_element(problem, &table, SET,
                          at[0] < 0 || begin < 0 ? -1 : shape_element(data, at), 2, i);
    }
    table_finish(problem, &table);
}

static void fill_update(struct rig_problem *problem, struct random *random)
{
    const struct operand *data = &problem->tensor[0].view, *updates = &problem->tensor[2].view;
    const bool has_rows = problem->tensor[1].view.rank == 2, has_bad = random_once_in(random, 12);
    const int axis = shape_axis(problem->call.number[0], data->rank);
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        const int64_t size =
            has_rows && i % 2 == 0 ? data->dims[0] : data->dims[axis] - updates->dims[axis] + 1;
        const int64_t index =
            random_below(random, size) + (has_bad && random_once_in(random, 9) ? size : 0);
        problem->tensor[1].bits[i] =
            problem->tensor[1].view.dtype == CASE_I64 ? (uint64_t)index : (uint32_t)index;
    }
}

static struct test_case random_update(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape data = index_full(random, 2, 5);
    struct shape updates = data, indices = {.rank = (int)random_between(random, 0, 2)};
    const int axis = (int)random_between(random, 1, data.rank - 1);
    updates.dims[0] = indices.rank == 0 ? 1 : random_between(random, 1, data.dims[0]);
    updates.dims[axis] = random_between(random, 1, data.dims[axis]);
    indices.dims[0] = updates.dims[0];
    indices.dims[1] = 2;
    shape_tensor(&test, random, "data", dtype, &data, true);
    shape_tensor(&test, random, "indices", index_dtype(random), &indices, false);
    shape_tensor(&test, random, "updates", dtype, &updates, false);
    random_number(&test, "axis", (double)shape_dim(random, axis, data.rank));
    return test;
}

/* ---- aclnnOneHot ---- */

static void one_hot(struct rig_problem *problem)
{
    enum { SELF, ON, OFF, OUT };
    const struct operand *self = &problem->tensor[SELF].view, *out = &problem->tensor[OUT].view;
    const int64_t axis = problem->call.number[1] == -1 ? self->rank : problem->call.number[1];
    for (int64_t i = 0; i < problem->tensor[OUT].count; i++) {
        int64_t at[RANK] = {0}, from[RANK] = {0};
        shape_indices(out, i, at);
        for (int k = 0; k < self->rank; k++)
            from[k] = at[k + (k >= axis)];
        const int64_t class = oracle_whole_value(problem, SELF, shape_element(self, from));
        shape_put(problem, OUT, i, class == at[axis] ? ON : OFF, 0);
    }
}

static void fill_classes(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *tensor = &problem->tensor[0];
    for (int64_t i = 0; i < tensor->count; i++) {
        const int64_t class = random_between(random, -1, problem->call.number[0]);
        tensor->bits[i] = tensor->view.dtype == CASE_I64   ? (uint64_t) class
                          : tensor->view.dtype == CASE_I32 ? (uint32_t) class
                                                           : (uint8_t) class;
    }
}

static struct test_case random_one_hot(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, RANK - 1);
    const struct shape one = {.rank = (int)random_below(random, 2), .dims = {3}};
    struct shape out = {.rank = self.rank + 1};
    const int64_t classes = random_between(random, 1, 6),
                  axis = random_between(random, -1, self.rank);
    const int at = (int)(axis == -1 ? self.rank : axis);
    for (int i = 0; i < out.rank; i++)
        out.dims[i] = i == at ? classes : self.dims[i - (i > at)];
    shape_tensor(&test, random, "self", random_once_in(random, 3) ? CASE_U8 : index_dtype(random),
                 &self, false);
    random_number(&test, "numClasses", (double)classes);
    shape_tensor(&test, random, "onValue", dtype, &one, false);
    shape_tensor(&test, random, "offValue", dtype, &one, false);
    random_number(&test, "axis", (double)axis);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

/* ---- repeats ---- */

/* Which part the k-th of the output is; what is missing is part 0. */
static int64_t part_of(struct rig_problem *problem, int repeats, int64_t parts, int64_t k)
{
    const int64_t count = problem->tensor[repeats].count;
    for (int64_t i = 0; i < parts; i++) {
        const int64_t times = oracle_whole_value(problem, repeats, count == 1 ? 0 : i);
        if (times > 0 && k < times) return i;
        k -= times > 0 ? times : 0;
    }
    return 0;
}

static void expect_sum(struct rig_problem *problem, int repeats, int64_t parts)
{
    const int64_t count = problem->tensor[repeats].count;
    const int64_t size = index_number(problem, "outputSize", 0);
    int64_t sum = 0;
    for (int64_t i = 0; i < parts; i++)
        sum += oracle_whole_value(problem, repeats, count == 1 ? 0 : i);
    if (sum == size) return;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words,
             "repeats do not add up to outputSize, which is %" PRId64, size);
}

static void repeat_parts(struct rig_problem *problem)
{
    const int repeats = index_operand(problem, "repeats"), out = index_operand(problem, "out");
    const struct operand *self = &problem->tensor[0].view, *to = &problem->tensor[out].view;
    const bool has_dim = index_number(problem, "dim", INT64_MIN) != INT64_MIN;
    const int dim = has_dim ? shape_axis(problem->call.number[0], self->rank) : 0;
    const int64_t parts = has_dim ? self->rank > 0 ? self->dims[dim] : 1 : problem->tensor[0].count;
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(to, i, at);
        const int64_t part = part_of(problem, repeats, parts, at[dim]);
        if (repeats == 0) {
            oracle_whole(problem, out, i, CASE_I64, part);
        } else {
            at[dim] = part;
            shape_put(problem, out, i, 0, has_dim ? shape_element(self, at) : part);
        }
    }
    if (problem->tensor[out].count > 0) expect_sum(problem, repeats, parts);
}

static void fill_repeats(struct rig_problem *problem, struct random *random)
{
    const int repeats = index_operand(problem, "repeats");
    struct rig_tensor *tensor = &problem->tensor[repeats];
    const int64_t size = index_number(problem, "outputSize", 0);
    int64_t parts = problem->tensor[0].count;
    if (index_number(problem, "dim", INT64_MIN) != INT64_MIN) {
        const struct operand *self = &problem->tensor[0].view;
        parts = self->rank > 0 ? self->dims[shape_axis(problem->call.number[0], self->rank)] : 1;
    }
    for (int64_t i = 0; i < tensor->count; i++)
        tensor->bits[i] = tensor->count == 1 && parts > 0 ? (uint64_t)(size / parts) : 0;
    for (int64_t i = 0; tensor->count > 1 && i < size; i++)
        tensor->bits[random_below(random, tensor->count)]++;
    if (tensor->count > 0 && random_once_in(random, 12)) tensor->bits[0]++;
}

static struct test_case random_repeats(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_alone = strstr(op->name, "Tensor") != NULL;
    const bool has_dim = strstr(op->name, "Dim") != NULL;
    if (is_alone && dtype != CASE_I64) dtype = CASE_I32;
    const struct shape self =
        is_alone ? (struct shape){.rank = 1, .dims = {random_between(random, 0, 20)}}
                 : index_full(random, 0, RANK);
    struct shape out = self, repeats = {.rank = 1};
    const int axis = self.rank > 0 && has_dim ? (int)random_below(random, self.rank) : 0;
    int64_t parts = has_dim || is_alone ? self.rank > 0 ? self.dims[axis] : 1 : 1;
    for (int i = 0; !has_dim && !is_alone && i < self.rank; i++)
        parts *= self.dims[i];
    const bool is_one = !is_alone && random_once_in(random, 3);
    repeats.dims[0] = is_one ? 1 : parts;
    if (is_one && random_once_in(random, 2)) repeats.rank = 0;
    if (!has_dim || self.rank == 0) out.rank = 1;
    out.dims[axis] = parts == 0             ? 0
                     : is_one || parts == 1 ? parts * random_between(random, 1, 3)
                                            : random_between(random, 0, 2 * parts);
    if (!is_alone) shape_tensor(&test, random, "self", dtype, &self, false);
    shape_tensor(&test, random, "repeats", is_alone ? dtype : index_dtype(random), &repeats, false);
    if (has_dim)
        random_number(&test, "dim", (double)shape_dim(random, axis, self.rank > 0 ? self.rank : 1));
    random_number(&test, "outputSize", (double)out.dims[axis]);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

const struct oracle_row oracle_places_rows[] = {
    {.name = "aclnnGatherNd", .oracle = gather_nd, .random = random_nd, .fill = fill_rows},
    {.name = "aclnnScatterNd aclnnScatterNdUpdate",
     .oracle = scatter_nd,
     .random = random_nd,
     .fill = fill_rows},
    {.name = "aclnnTfScatterAdd",
     .oracle = tf_add,
     .random = random_tf,
     .fill = fill_tf,
     .lines = LINES("tf_scatter_add f16 varRef=5x300 indices=70:i64 updates=70x300",
                    "tf_scatter_add i8 varRef=5x6x7 indices=90x2:i32 updates=90x7"),
     .sound = "tf_scatter_add f32 varRef=3x4 indices=5:i64 updates=5x4"},
    {.name = "aclnnScatterMax aclnnScatterMin aclnnScatterMul aclnnScatterDiv",
     .oracle = slices,
     .random = random_slices,
     .fill = fill_slices},
    {.name = "aclnnInplacePut", .oracle = put, .random = random_put, .fill = fill_put},
    {.name = "aclnnInplaceScatterUpdate",
     .oracle = update,
     .random = random_update,
     .fill = fill_update},
    {.name = "aclnnOneHot", .oracle = one_hot, .random = random_one_hot, .fill = fill_classes},
    {.name = "aclnnRepeatInterleave aclnnRepeatInterleaveWithDim aclnnRepeatInterleaveTensor",
     .oracle = repeat_parts,
     .random = random_repeats,
     .fill = fill_repeats},
    {.name = NULL},
};

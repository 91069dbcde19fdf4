/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that read elements at places that indices name. */
#include "tests/support/oracle_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- arguments ---- */

int index_operand(const struct rig_problem *problem, const char *name)
{
    for (int slot = 0; problem->op->tensor[slot]; slot++)
        if (strcmp(problem->op->tensor[slot], name) == 0) return problem->call.first[slot];
    return -1;
}

int64_t index_number(const struct rig_problem *problem, const char *name, int64_t absent)
{
    for (int i = 0; problem->op->number[i]; i++)
        if (strcmp(problem->op->number[i], name) == 0) return problem->call.number[i];
    return absent;
}

static int indices_of(const struct rig_problem *problem)
{
    const int index = index_operand(problem, "index");
    return index >= 0 ? index : index_operand(problem, "indices");
}

/* ---- indices ---- */

int64_t index_of(struct rig_problem *problem, int operand, int64_t element, int64_t size,
                 bool wraps, int64_t told, const char *name)
{
    const int64_t index = oracle_whole_value(problem, operand, element);
    if (index >= 0 && index < size) return index;
    if (wraps && index < 0 && index >= -size) return index + size;
    if (problem->sync_code == ACL_SUCCESS) {
        problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
        snprintf(problem->sync_words, sizeof problem->sync_words,
                 "element %" PRId64 " of %s is %" PRId64 ";", told, name, index);
    }
    return -1;
}

static int64_t bad_index(struct random *random, int64_t size, bool is_wide, bool wraps)
{
    const int64_t low = wraps ? -size - 1 : -1;
    const int64_t wide[] = {low, size, INT64_MAX, INT64_MIN, INT64_C(1) << 32};
    const int64_t narrow[] = {low, size, INT32_MAX, INT32_MIN, size + random_below(random, 99)};
    return (is_wide ? wide : narrow)[random_below(random, 5)];
}

void index_fill(struct rig_problem *problem, struct random *random, int operand, int64_t size,
                bool wraps)
{
    struct rig_tensor *tensor = &problem->tensor[operand];
    const bool is_wide = tensor->view.dtype == CASE_I64, has_bad = random_once_in(random, 12);
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t index = size > 0 ? random_below(random, size) : 0;
        if (wraps && random_once_in(random, 3)) index -= size;
        if (has_bad && random_once_in(random, 20)) index = bad_index(random, size, is_wide, wraps);
        tensor->bits[i] = is_wide ? (uint64_t)index : (uint32_t)index;
    }
}

static int64_t size_along(const struct operand *view, int axis)
{
    return view->rank > 0 ? view->dims[axis] : 1;
}

static int dim_of(const struct rig_problem *problem)
{
    return shape_axis(index_number(problem, "dim", 0), problem->tensor[0].view.rank);
}

void index_fill_dim(struct rig_problem *problem, struct random *random)
{
    index_fill(problem, random, indices_of(problem),
               size_along(&problem->tensor[0].view, dim_of(problem)), false);
}

enum case_dtype index_dtype(struct random *random)
{
    return random_once_in(random, 2) ? CASE_I32 : CASE_I64;
}

void index_unwritten(struct rig_problem *problem, int operand, int64_t i)
{
    struct rig_tensor *tensor = &problem->tensor[operand];
    tensor->want[i] = UINT64_MAX >> (64 - 8 * operand_element_size(tensor->view.dtype));
    tensor->near[i] = oracle_from_bits(tensor->view.dtype, tensor->want[i]);
    tensor->slack[i] = 0;
}

/* ---- gather ---- */

static int out_of(const struct rig_problem *problem)
{
    return index_operand(problem, "out");
}

static void gather(struct rig_problem *problem)
{
    const int index = indices_of(problem), out = out_of(problem), dim = dim_of(problem);
    const struct operand *self = &problem->tensor[0].view;
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(&problem->tensor[index].view, i, at);
        at[dim] = index_of(problem, index, i, size_along(self, dim), false, i, "index");
        shape_put(problem, out, i, 0, at[dim] < 0 ? -1 : shape_element(self, at));
    }
}

/* out[a, i, b] = self[a, index[batch of a, i], b]. */
static void select_parts(struct rig_problem *problem)
{
    const int index = indices_of(problem), out = out_of(problem), dim = dim_of(problem);
    const int batch = (int)index_number(problem, "batchDims", 0);
    const struct operand *self = &problem->tensor[0].view, *which = &problem->tensor[index].view;
    const struct operand *to = &problem->tensor[out].view;
    int axes = which->rank - batch;
    if (to->rank == self->rank && axes == 0) axes = 1; /* one index kept as an axis */
    if (to->rank == 0) axes = 0;
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        int64_t at[2 * RANK] = {0}, from[RANK] = {0}, place[RANK] = {0};
        shape_indices(to, i, at);
        for (int axis = 0; axis < dim; axis++)
            from[axis] = at[axis];
        for (int axis = dim + 1; axis < self->rank; axis++)
            from[axis] = at[axis + axes - 1];
        for (int axis = 0; axis < batch; axis++)
            place[axis] = at[axis];
        for (int axis = batch; axis < which->rank; axis++)
            place[axis] = at[dim + axis - batch];
        const int64_t element = which->rank > 0 ? shape_element(which, place) : 0;
        from[dim] = index_of(problem, index, element, size_along(self, dim), false, element,
                             problem->op->tensor[1]);
        shape_put(problem, out, i, 0, from[dim] < 0 ? -1 : shape_element(self, from));
    }
}

static void take(struct rig_problem *problem)
{
    for (int64_t i = 0; i < problem->tensor[2].count; i++)
        shape_put(problem, 2, i, 0,
                  index_of(problem, 1, i, problem->tensor[0].count, true, i, "index"));
}

static void fill_take(struct rig_problem *problem, struct random *random)
{
    index_fill(problem, random, 1, problem->tensor[0].count, true);
}

/* ---- lists ---- */

struct index_list index_list_of(const struct rig_problem *problem, int self)
{
    struct index_list list = {0};
    const int slot = 1, first = problem->call.first[slot];
    const struct operand *table = &problem->tensor[self].view;
    for (int i = 0; i < problem->call.count[slot]; i++) {
        const struct operand *view = &problem->tensor[first + i].view;
        if (problem->tensor[first + i].count == 0) continue;
        for (int k = 1; k <= view->rank; k++) {
            if (k > list.joint.rank) {
                memmove(list.joint.dims + 1, list.joint.dims,
                        (size_t)list.joint.rank++ * sizeof list.joint.dims[0]);
                list.joint.dims[0] = 1;
            }
            int64_t *size = &list.joint.dims[list.joint.rank - k];
            if (*size == 1) *size = view->dims[view->rank - k];
        }
        list.element[list.count] = first + i;
        list.axis[list.count++] = i;
        list.is_indexed[i] = true;
    }
    const bool is_together =
        list.count > 0 && list.axis[list.count - 1] - list.axis[0] == list.count - 1;
    list.first = is_together ? list.axis[0] : 0;
    for (int axis = 0; axis < list.first; axis++)
        list.result.dims[list.result.rank++] = table->dims[axis];
    for (int i = 0; i < list.joint.rank; i++)
        list.result.dims[list.result.rank++] = list.joint.dims[i];
    for (int axis = list.first; axis < table->rank; axis++)
        if (!list.is_indexed[axis]) list.result.dims[list.result.rank++] = table->dims[axis];
    return list;
}

int64_t index_list_place(struct rig_problem *problem, const struct index_list *list, int self,
                         const int64_t at[RANK])
{
    struct operand joint = {.rank = list->joint.rank};
    int64_t from[RANK] = {0};
    int free_axis = 0;
    bool is_bad = false;
    memcpy(joint.dims, list->joint.dims, sizeof list->joint.dims);
    const int64_t told = shape_element(&joint, at + list->first);
    for (int axis = 0; axis < problem->tensor[self].view.rank; axis++) {
        if (list->is_indexed[axis]) continue;
        from[axis] = at[free_axis < list->first ? free_axis : free_axis + joint.rank];
        free_axis++;
    }
    for (int k = 0; k < list->count; k++) {
        const int operand = list->element[k];
        const struct operand *view = &problem->tensor[operand].view;
        char name[32];
        snprintf(name, sizeof name, "indices[%d], broadcast,", k);
        from[list->axis[k]] =
            index_of(problem, operand, oracle_broadcast(&joint, told, view),
                     problem->tensor[self].view.dims[list->axis[k]], true, told, name);
        is_bad = is_bad || from[list->axis[k]] < 0;
    }
    return is_bad ? -1 : shape_element(&problem->tensor[self].view, from);
}

static void look_up(struct rig_problem *problem)
{
    const struct index_list list = index_list_of(problem, 0);
    const int out = out_of(problem);
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        int64_t at[2 * RANK] = {0};
        shape_indices(&problem->tensor[out].view, i, at);
        shape_put(problem, out, i, 0, index_list_place(problem, &list, 0, at));
    }
}

void index_list_fill(struct rig_problem *problem, struct random *random)
{
    for (int i = 0; i < problem->call.count[1]; i++)
        index_fill(problem, random, problem->call.first[1] + i, problem->tensor[0].view.dims[i],
                   true);
}

/* ---- random problems ---- */

struct shape index_full(struct random *random, int least, int most)
{
    struct shape shape;
    bool is_full;
    do {
        shape = shape_some(random, least, most);
        is_full = true;
        for (int i = 0; i < shape.rank; i++)
            is_full = is_full && shape.dims[i] > 0;
    } while (!is_full);
    return shape;
}

static struct test_case random_gather(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = index_full(random, 0, RANK);
    struct shape index = self;
    const int axis = self.rank > 0 ? (int)random_below(random, self.rank) : 0;
    for (int i = 0; i < self.rank; i++)
        index.dims[i] = random_between(random, random_once_in(random, 30) ? 0 : 1,
                                       i == axis ? 5 : self.dims[i]);
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_number(&test, "dim", (double)shape_dim(random, axis, self.rank > 0 ? self.rank : 1));
    shape_tensor(&test, random, "index", index_dtype(random), &index, false);
    shape_tensor(&test, random, "out", dtype, &index, true);
    return test;
}

static struct test_case random_select(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_one = strstr(op->name, "IndexSelect") != NULL;
    const bool is_embedding = strstr(op->name, "Embedding") != NULL;
    const bool has_batch = strstr(op->name, "V3") != NULL;
    const struct shape self = index_full(random, is_embedding, 5);
    struct shape index = shape_some(random, 0, is_one ? 1 : 3), out = {0};
    const int axis = self.rank > 0 && !is_embedding ? (int)random_below(random, self.rank) : 0;
    int batch = 0;
    for (int i = 0; i < index.rank; i++)
        if (index.dims[i] > 6) index.dims[i] = 6;
    if (is_one && self.rank == 0 && index.rank == 1) index.dims[0] = 1;
    if (has_batch) batch = (int)random_below(random, (index.rank < axis ? index.rank : axis) + 1);
    for (int i = 0; i < batch; i++)
        index.dims[i] = self.dims[i];
    for (int i = 0; i < axis; i++)
        out.dims[out.rank++] = self.dims[i];
    for (int i = batch; i < index.rank; i++)
        out.dims[out.rank++] = index.dims[i];
    if (is_one && index.rank == 0 && self.rank > 0) out.dims[out.rank++] = 1;
    for (int i = axis + 1; i < self.rank; i++)
        out.dims[out.rank++] = self.dims[i];
    if (is_one && self.rank == 0) out.rank = 0;
    shape_tensor(&test, random, is_embedding ? "weight" : "self", dtype, &self, false);
    if (!is_embedding)
        random_number(&test, "dim", (double)shape_dim(random, axis, self.rank > 0 ? self.rank : 1));
    shape_tensor(&test, random, is_embedding ? "indices" : "index", index_dtype(random), &index,
                 false);
    if (has_batch) random_number(&test, "batchDims", batch);
    if (has_batch) random_number(&test, "mode", (double)random_below(random, 3));
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_take(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = index_full(random, 0, RANK), index = shape_some(random, 0, RANK);
    shape_tensor(&test, random, "self", dtype, &self, false);
    shape_tensor(&test, random, "index", index_dtype(random), &index, false);
    shape_tensor(&test, random, "out", dtype, &index, true);
    return test;
}

void index_list_random(struct test_case *test, struct random *random, const struct shape *self,
                       struct shape *result)
{
    struct shape joint = index_full(random, 0, 3);
    const int count = (int)random_between(random, 1, self->rank);
    int used = 0, last = -1, begin = 0;
    bool is_indexed[RANK] = {false}, is_together = true;
    for (int i = 0; i < joint.rank; i++)
        if (joint.dims[i] > 4) joint.dims[i] = 4;
    for (int i = 0; i < count; i++) {
        const bool is_whole = random_once_in(random, 3) && (used > 0 || i + 1 < count);
        struct shape own = {.rank = 1, .dims = {0}};
        if (!is_whole) {
            own = joint;
            for (int axis = 0; used > 0 && axis < own.rank; axis++)
                if (random_once_in(random, 3)) own.dims[axis] = 1;
            if (used == 0) begin = i;
            is_together = is_together && (used == 0 || last == i - 1);
            is_indexed[i] = true;
            last = i;
            used++;
        }
        struct case_argument *one = shape_tensor(
            test, random, "indices", is_whole ? test->dtype : index_dtype(random), &own, false);
        one->place = i == 0 ? CASE_FIRST : CASE_NEXT;
    }
    result->rank = 0;
    if (!is_together) begin = 0;
    for (int i = 0; i < begin; i++)
        result->dims[result->rank++] = self->dims[i];
    for (int i = 0; i < joint.rank; i++)
        result->dims[result->rank++] = joint.dims[i];
    for (int i = begin; i < self->rank; i++)
        if (!is_indexed[i]) result->dims[result->rank++] = self->dims[i];
}

static struct test_case random_look_up(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = index_full(random, 1, 5);
    struct shape out;
    shape_tensor(&test, random, "self", dtype, &self, false);
    index_list_random(&test, random, &self, &out);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

const struct oracle_row oracle_index_rows[] = {
    {.name = "aclnnGather",
     .oracle = gather,
     .random = random_gather,
     .fill = index_fill_dim,
     .lines = LINES("gather f32 self=70x90 dim=0 index=50x90:i64 out=50x90",
                    "gather f32 self=70x90 dim=1 index=70x200:i32 out=70x200"),
     .sound = "gather f32 self=2x3 dim=1 index=2x4:i64 out=2x4"},
    {.name = "aclnnIndexSelect",
     .oracle = select_parts,
     .random = random_select,
     .fill = index_fill_dim,
     .lines = LINES("index_select f16 self=300x70 dim=0 index=900:i64 out=900x70",
                    "index_select f32 self=30x20000 dim=1 index=10:i32 out=30x10",
                    "index_select f32 self=3x20000 dim=0 index=10:i32 out=10x20000"),
     .sound = "index_select f32 self=2x3 dim=1 index=4:i64 out=2x4"},
    {.name = "aclnnGatherV2",
     .oracle = select_parts,
     .random = random_select,
     .fill = index_fill_dim,
     .sound = "gather_v2 f32 self=2x3 dim=1 index=4x5:i64 out=2x4x5"},
    {.name = "aclnnGatherV3",
     .oracle = select_parts,
     .random = random_select,
     .fill = index_fill_dim},
    {.name = "aclnnEmbedding",
     .oracle = select_parts,
     .random = random_select,
     .fill = index_fill_dim},
    {.name = "aclnnTake", .oracle = take, .random = random_take, .fill = fill_take},
    {.name = "aclnnIndex",
     .oracle = look_up,
     .random = random_look_up,
     .fill = index_list_fill,
     .lines = LINES("index f32 self=40x50x60 indices=[0:f32,70:i64] out=40x70x60",
                    "index i8 self=4x5x6 indices=[2x1:i64,0:i8,3:i32] out=2x3x5",
                    "index f32 self=4x5 indices=[0:f32] out=4x5"),
     .sound = "index f32 self=2x3 indices=[4:i64,4:i64] out=4"},
    {.name = NULL},
};

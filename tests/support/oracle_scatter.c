/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that write elements at places that indices name. */
#include <string.h>

#include "tests/support/oracle_table.h"

/* ---- scatter ---- */

static void scatter(struct rig_problem *problem)
{
    const int index = index_operand(problem, "index"), src = index_operand(problem, "src");
    const int out = index_operand(problem, "out");
    const struct operand *self = &problem->tensor[0].view, *which = &problem->tensor[index].view;
    const int dim = shape_axis(index_number(problem, "dim", 0), self->rank);
    const enum combine how = (enum combine)index_number(problem, "reduce", ADD);
    const bool with_self = index_number(problem, "includeSelf", 1) != 0;
    const struct rig_scalar *value = src < 0 ? &problem->call.scalar[0].value[0] : NULL;
    struct table table = table_of(problem, out >= 0 ? out : 0, 0);
    const int64_t count = problem->tensor[0].count > 0 ? problem->tensor[index].count : 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t at[RANK] = {0}, from[RANK] = {0};
        shape_indices(which, i, at);
        memcpy(from, at, sizeof from);
        at[dim] =
            index_of(problem, index, i, self->rank > 0 ? self->dims[dim] : 1, false, i, "index");
        const int64_t place = at[dim] < 0 ? -1 : shape_element(self, at);
        if (!with_self && how != SET) table_forget(&table, how, place);
        if (src >= 0)
            table_put_element(problem, &table, how, place, src,
                              shape_element(&problem->tensor[src].view, from));
        else
            table_put(
                &table, how, place,
                how == SET
                    ? oracle_round(table.type, value->real)
                    : oracle_round(table.type == CASE_F64 ? CASE_F64 : CASE_F32, value->real),
                oracle_is_float(table.type)
                    ? value->integer
                    : oracle_integer(table.type, oracle_cast_whole(table.type, value->integer)));
    }
    if (how == MEAN) table_divide(problem, &table, with_self);
    table_finish(problem, &table);
}

/* Some mask had no true element. */
static bool selects_nothing(const struct rig_problem *problem)
{
    int empty = 0, masks = 0;
    for (int i = 0; i < problem->call.count[1]; i++) {
        const struct rig_tensor *index = &problem->tensor[problem->call.first[1] + i];
        const enum case_dtype dtype = index->view.dtype;
        empty += index->count == 0;
        masks += index->count == 0 &&
                 (index->view.rank > 1 || (dtype != problem->tensor[0].view.dtype &&
                                           (dtype == CASE_I64 || dtype == CASE_I32)));
    }
    return masks > 0 || empty == problem->call.count[1];
}

static void index_put(struct rig_problem *problem)
{
    const struct index_list list = index_list_of(problem, 0);
    const int values = index_operand(problem, "values");
    const enum combine how = index_number(problem, "accumulate", 0) ? ADD : SET;
    struct operand result = {.rank = list.result.rank};
    struct table table = table_of(problem, 0, 0);
    int64_t count = problem->tensor[values].count > 0;
    memcpy(result.dims, list.result.dims, sizeof list.result.dims);
    for (int i = 0; i < result.rank; i++)
        count *= result.dims[i];
    if (selects_nothing(problem)) count = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t at[2 * RANK] = {0};
        shape_indices(&result, i, at);
        table_put_element(problem, &table, how, index_list_place(problem, &list, 0, at), values,
                          oracle_broadcast(&result, i, &problem->tensor[values].view));
    }
    table_finish(problem, &table);
}

/* ---- random problems ---- */

static struct test_case random_scatter(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool in_place = strstr(op->name, "Inplace") != NULL;
    const bool has_value = strstr(op->name, "Value") != NULL;
    const struct shape self = index_full(random, 0, RANK);
    struct shape index = self, src = self;
    const int axis = self.rank > 0 ? (int)random_below(random, self.rank) : 0;
    for (int i = 0; i < self.rank; i++) {
        index.dims[i] = random_between(random, random_once_in(random, 30) ? 0 : 1,
                                       i == axis ? 5 : self.dims[i]);
        src.dims[i] = index.dims[i] + random_once_in(random, 4);
    }
    shape_tensor(&test, random, in_place ? "selfRef" : "self", dtype, &self, in_place);
    random_number(&test, "dim", (double)shape_dim(random, axis, self.rank > 0 ? self.rank : 1));
    shape_tensor(&test, random, "index", index_dtype(random), &index, false);
    if (has_value)
        random_scalar(&test, random, "value", oracle_is_float(dtype) ? CASE_F32 : CASE_I64);
    else
        shape_tensor(&test, random, "src", dtype, &src, false);
    const bool is_any = strstr(op->name, "Reduce") != NULL;
    if (op->number[1])
        random_number(&test, "reduce",
                      (double)random_below(random, !is_any              ? 3
                                                   : dtype == CASE_BOOL ? 5
                                                                        : 6));
    if (is_any) random_number(&test, "includeSelf", random_once_in(random, 2));
    if (!in_place) shape_tensor(&test, random, "out", dtype, &self, true);
    return test;
}

static struct test_case random_index_put(const struct rig_operator *op, struct random *random,
                                         enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = index_full(random, 1, 5);
    struct shape values;
    shape_tensor(&test, random, "selfRef", dtype, &self, true);
    index_list_random(&test, random, &self, &values);
    const int left = random_once_in(random, 3) ? (int)random_between(random, 0, values.rank) : 0;
    struct shape own = {.rank = values.rank - left};
    for (int i = 0; i < own.rank; i++)
        own.dims[i] = random_once_in(random, 4) ? 1 : values.dims[i + left];
    shape_tensor(&test, random, "values", dtype, &own, false);
    random_number(&test, "accumulate", random_once_in(random, 2));
    random_number(&test, "unsafe", random_once_in(random, 2));
    return test;
}

const struct oracle_row oracle_scatter_rows[] = {
    {.name = "aclnnScatter aclnnInplaceScatter aclnnScatterValue aclnnInplaceScatterValue",
     .oracle = scatter,
     .random = random_scatter,
     .fill = index_fill_dim},
    {.name = "aclnnScatterReduce aclnnInplaceScatterReduce",
     .oracle = scatter,
     .random = random_scatter,
     .fill = index_fill_dim},
    {.name = "aclnnScatterAdd",
     .oracle = scatter,
     .random = random_scatter,
     .fill = index_fill_dim,
     .lines = LINES("scatter_add f32 self=30x300 dim=0 index=90x300:i64 src=90x300 out=30x300",
                    "scatter_add f16 self=30x300 dim=1 index=30x900:i64 src=30x900 out=30x300",
                    "scatter_add f32 self=77 dim=0 index=9000:i32 src=9000 out=77"),
     .sound = "scatter_add f32 self=2x3 dim=0 index=4x3:i64 src=4x3 out=2x3"},
    {.name = "aclnnIndexPutImpl",
     .oracle = index_put,
     .random = random_index_put,
     .fill = index_list_fill,
     .lines = LINES("index_put_impl f32 selfRef=50x60 indices=[9000:i64,9000:i64] values=9000 "
                    "accumulate=1",
                    "index_put_impl bf16 selfRef=50x600 indices=[90:i64] values=90x600 "
                    "accumulate=1",
                    "index_put_impl f32 selfRef=50x60x70 indices=[0:f32,90:i64] values=1",
                    "index_put_impl f32 selfRef=3x4 indices=[0:i64] values=1 accumulate=1",
                    "index_put_impl i64 selfRef=3x4 indices=[0:i64,0:i64] values=1 accumulate=1",
                    "index_put_impl f32 selfRef=3x4 indices=[0:f32,0:i64] values=1 accumulate=1",
                    "index_put_impl i64 selfRef=3x4 indices=[0:i64,2:i64] values=1 accumulate=1",
                    "index_put_impl i64 selfRef=3x4 indices=[0x2:i64,2:i64] values=1"),
     .sound = "index_put_impl f32 selfRef=2x3 indices=[4:i64,4:i64] values=4"},
    {.name = NULL},
};

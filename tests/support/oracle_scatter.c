/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that write elements at places that indices name: one value after the other, computed
 * in the type itself, half types in FLOAT. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_index.h"

enum combine { SET, ADD, MUL, MAX, MIN };

/* The table while it is written. */
struct table {
    enum case_dtype type;
    int operand; /* that is written */
    double *real;
    int64_t *whole;
};

static struct table table_of(const struct rig_problem *problem, int operand, int before)
{
    const int64_t count = problem->tensor[operand].count;
    struct table table = {.type = problem->tensor[operand].view.dtype, .operand = operand};
    table.real = calloc((size_t)count + 1, sizeof *table.real);
    table.whole = calloc((size_t)count + 1, sizeof *table.whole);
    for (int64_t i = 0; before >= 0 && i < count; i++)
        if (oracle_is_float(table.type))
            table.real[i] = oracle_value(problem, before, i);
        else
            table.whole[i] = oracle_whole_value(problem, before, i);
    return table;
}

static double combined(enum combine how, double a, double b)
{
    switch (how) {
    case ADD:
        return a + b;
    case MUL:
        return a * b;
    case MAX:
        return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    case MIN:
        return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    default:
        return b;
    }
}

static int64_t combined_whole(enum combine how, int64_t a, int64_t b)
{
    switch (how) {
    case ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case MAX:
        return a > b ? a : b;
    case MIN:
        return a < b ? a : b;
    default:
        return b;
    }
}

static void put(struct table *table, enum combine how, int64_t place, double real, int64_t whole)
{
    const enum case_dtype type = table->type == CASE_F64 ? CASE_F64 : CASE_F32;
    if (place < 0) return;
    if (oracle_is_float(table->type))
        table->real[place] = oracle_round(type, combined(how, table->real[place], real));
    else
        table->whole[place] = oracle_integer(
            table->type,
            oracle_cast_whole(table->type, combined_whole(how, table->whole[place], whole)));
}

/* The same with an element of an operand. */
static void put_element(struct rig_problem *problem, struct table *table, enum combine how,
                        int64_t place, int operand, int64_t i)
{
    if (oracle_is_float(table->type))
        put(table, how, place, oracle_value(problem, operand, i), 0);
    else
        put(table, how, place, 0, oracle_whole_value(problem, operand, i));
}

static void finish(struct rig_problem *problem, struct table *table)
{
    for (int64_t i = 0; i < problem->tensor[table->operand].count; i++)
        if (oracle_is_float(table->type))
            oracle_real(problem, table->operand, i, table->type, table->real[i]);
        else
            oracle_whole(problem, table->operand, i, CASE_I64, table->whole[i]);
    free(table->real);
    free(table->whole);
}

/* ---- scatter ---- */

static void scatter(struct rig_problem *problem)
{
    const int index = index_operand(problem, "index"), src = index_operand(problem, "src");
    const int out = index_operand(problem, "out");
    const struct operand *self = &problem->tensor[0].view, *which = &problem->tensor[index].view;
    const int dim = shape_axis(index_number(problem, "dim", 0), self->rank);
    const enum combine how = (enum combine)index_number(problem, "reduce", ADD);
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
        if (src >= 0)
            put_element(problem, &table, how, place, src,
                        shape_element(&problem->tensor[src].view, from));
        else
            put(&table, how, place,
                how == SET
                    ? oracle_round(table.type, value->real)
                    : oracle_round(table.type == CASE_F64 ? CASE_F64 : CASE_F32, value->real),
                value->integer);
    }
    finish(problem, &table);
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
    for (int64_t i = 0; i < count; i++) {
        int64_t at[2 * RANK] = {0};
        shape_indices(&result, i, at);
        put_element(problem, &table, how, index_list_place(problem, &list, 0, at), values,
                    oracle_broadcast(&result, i, &problem->tensor[values].view));
    }
    finish(problem, &table);
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
    if (op->number[1]) random_number(&test, "reduce", (double)random_below(random, 3));
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
                    "index_put_impl f32 selfRef=50x60x70 indices=[0:f32,90:i64] values=1"),
     .sound = "index_put_impl f32 selfRef=2x3 indices=[4:i64,4:i64] values=4"},
    {.name = NULL},
};

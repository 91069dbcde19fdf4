/* SPDX-License-Identifier: Apache-2.0 */
/* Places in sorted sequences, counts, parts along several axes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_table.h"

/* ---- searching ---- */

/* An element as a number of the type in which is compared; whole numbers beside it. */
struct number {
    double real;
    int64_t whole;
};

static struct number number_of(const struct rig_problem *problem, int operand, int64_t i,
                               enum case_dtype type)
{
    const enum case_dtype own = problem->tensor[operand].view.dtype;
    if (!oracle_is_float(type))
        return (struct number){.whole = oracle_whole_value(problem, operand, i)};
    if (oracle_is_float(own))
        return (struct number){.real = oracle_round(type, oracle_value(problem, operand, i))};
    const uint64_t bits = oracle_cast_whole(type, oracle_whole_value(problem, operand, i));
    return (struct number){.real = oracle_from_bits(type, bits)};
}

static bool is_passed(enum case_dtype type, bool is_right, struct number a, struct number b)
{
    if (!oracle_is_float(type)) return is_right ? a.whole <= b.whole : a.whole < b.whole;
    return is_right ? !(a.real > b.real) : !(a.real >= b.real);
}

static int sequence_of(const struct rig_problem *problem)
{
    const int sequence = index_operand(problem, "sortedSequence");
    return sequence >= 0 ? sequence : index_operand(problem, "boundaries");
}

/* By halves, as the elements in front may be out of order. */
static void search(struct rig_problem *problem)
{
    const int sequence = sequence_of(problem), self = index_operand(problem, "self");
    const int out = index_operand(problem, "out"), sorter = index_operand(problem, "sorter");
    const bool has_sorter = sorter >= 0 && !problem->call.is_null[sorter];
    const struct operand *view = &problem->tensor[sequence].view;
    const struct rig_scalar *scalar = &problem->call.scalar[0].value[0];
    const bool is_right = index_number(problem, "right", 0) != 0;
    const int64_t length = view->dims[view->rank - 1];
    const enum case_dtype type = self >= 0
                                     ? oracle_promote(view->dtype, problem->tensor[self].view.dtype)
                                     : oracle_promote_scalar(view->dtype, scalar->dtype);
    const struct operand *to = &problem->tensor[out].view;
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        const int64_t first = view->rank == 1 ? 0 : i / to->dims[to->rank - 1] * length;
        const struct number value =
            self >= 0 ? number_of(problem, self, i, type)
                      : (struct number){
                            oracle_round(type == CASE_F64 ? CASE_F64 : CASE_F32, scalar->real),
                            scalar->integer};
        int64_t begin = 0, end = length;
        while (begin < end) {
            const int64_t middle = begin + (end - begin) / 2;
            int64_t j = middle;
            if (has_sorter) j = oracle_whole_value(problem, sorter, first + middle);
            if (is_passed(type, is_right, number_of(problem, sequence, first + j, type), value))
                begin = middle + 1;
            else
                end = middle;
        }
        oracle_whole(problem, out, i, CASE_I64, begin);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Sequences ascend; a sorter turns them round, so that what it names descends. */
static void fill_search(struct rig_problem *problem, struct random *random)
{
    const int sequence = sequence_of(problem), sorter = index_operand(problem, "sorter");
    struct rig_tensor *tensor = &problem->tensor[sequence];
    const int64_t length = tensor->view.dims[tensor->view.rank - 1];
    double *row = calloc((size_t)length + 1, sizeof *row);
    for (int64_t first = 0; length > 0 && first < tensor->count; first += length) {
        for (int64_t j = 0; j < length; j++)
            row[j] = (double)random_between(random, 0, 20);
        qsort(row, (size_t)length, sizeof *row, compare);
        for (int64_t j = 0; j < length; j++)
            tensor->bits[first + j] = oracle_cast_real(tensor->view.dtype, row[j]);
    }
    for (int64_t i = 0; sorter >= 0 && i < problem->tensor[sorter].count; i++)
        problem->tensor[sorter].bits[i] = (uint64_t)(length - 1 - i % length);
    free(row);
}

static struct test_case random_search(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_bucket = strstr(op->name, "Bucketize") != NULL;
    const bool is_scalar = op->name[strlen(op->name) - 1] == 's';
    const bool is_narrow = random_once_in(random, 2), has_sorter = random_once_in(random, 3);
    const struct shape self =
        is_scalar ? (struct shape){.rank = 1, .dims = {1}} : shape_some(random, 0, RANK);
    struct shape sequence = self;
    if (is_bucket || is_scalar || self.rank == 0 || random_once_in(random, 3)) sequence.rank = 1;
    sequence.dims[sequence.rank - 1] = random_between(random, 0, 9);
    const enum case_dtype other = random_once_in(random, 2) ? dtype : random_dtype(op, random);
    if (is_bucket) shape_tensor(&test, random, "self", dtype, &self, false);
    shape_tensor(&test, random, is_bucket ? "boundaries" : "sortedSequence", other, &sequence,
                 false);
    if (is_scalar)
        random_scalar(&test, random, "self", random_once_in(random, 2) ? CASE_F32 : CASE_I64);
    else if (!is_bucket)
        shape_tensor(&test, random, "self", dtype, &self, false);
    random_number(&test, "outInt32", is_narrow);
    random_number(&test, "right", random_once_in(random, 2));
    if (!is_bucket && has_sorter) shape_tensor(&test, random, "sorter", CASE_I64, &sequence, false);
    shape_tensor(&test, random, "out", is_narrow ? CASE_I32 : CASE_I64, &self, true);
    return test;
}

/* ---- aclnnIsInScalarTensor ---- */

static void is_in(struct rig_problem *problem)
{
    const struct rig_scalar *scalar = &problem->call.scalar[0].value[0];
    const enum case_dtype type =
        oracle_promote_scalar(problem->tensor[0].view.dtype, scalar->dtype);
    const enum case_dtype round = type == CASE_F64 ? CASE_F64 : CASE_F32;
    bool is_there = false;
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const struct number element = number_of(problem, 0, i, type);
        is_there =
            is_there || (oracle_is_float(type) ? element.real == oracle_round(round, scalar->real)
                                               : element.whole == scalar->integer);
    }
    oracle_whole(problem, 1, 0, CASE_BOOL, is_there != (problem->call.number[1] != 0));
}

static struct test_case random_is_in(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape elements = shape_some(random, 0, RANK);
    const struct shape out = {.rank = (int)random_below(random, 2), .dims = {1}};
    random_scalar(&test, random, "element",
                  dtype == CASE_BOOL          ? CASE_BOOL
                  : random_once_in(random, 2) ? CASE_F32
                                              : CASE_I64);
    shape_tensor(&test, random, "testElements", dtype, &elements, false);
    random_number(&test, "assumeUnique", random_once_in(random, 2));
    random_number(&test, "invert", random_once_in(random, 2));
    shape_tensor(&test, random, "out", CASE_BOOL, &out, true);
    return test;
}

/* ---- aclnnBincount, aclnnHistc ---- */

static void bincount(struct rig_problem *problem)
{
    const bool has_weights = !problem->call.is_null[1];
    struct table table = table_of(problem, 2, -1);
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const int64_t place = index_of(problem, 0, i, problem->tensor[2].count, false, i, "self");
        const enum case_dtype own = problem->tensor[1].view.dtype, type = table.type;
        if (!has_weights) {
            table_put(&table, ADD, place, 1, 1);
            continue;
        }
        const uint64_t bits = oracle_is_float(own)
                                  ? oracle_cast_real(type, oracle_value(problem, 1, i))
                                  : oracle_cast_whole(type, oracle_whole_value(problem, 1, i));
        if (oracle_is_float(type))
            table_put(&table, ADD, place, oracle_from_bits(type, bits), 0);
        else
            table_put(&table, ADD, place, 0, oracle_integer(type, bits));
    }
    table_finish(problem, &table);
}

static void fill_bincount(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *tensor = &problem->tensor[0];
    const int64_t size = problem->tensor[2].count;
    const bool has_bad = random_once_in(random, 12);
    for (int64_t i = 0; i < tensor->count; i++) {
        const int64_t number =
            random_below(random, size) + (has_bad && random_once_in(random, 20) ? size : 0);
        tensor->bits[i] = (uint64_t)number;
    }
}

static struct test_case random_bincount(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    static const enum case_dtype results[] = {CASE_I32, CASE_I64, CASE_F32, CASE_F64};
    static const enum case_dtype weights[] = {CASE_F32, CASE_F16, CASE_I8, CASE_I64, CASE_BOOL};
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = {.rank = 1, .dims = {random_between(random, 0, 90)}};
    const struct shape out = {.rank = 1, .dims = {random_between(random, 1, 30)}};
    if (oracle_is_float(dtype) || dtype == CASE_BOOL) dtype = CASE_I64;
    shape_tensor(&test, random, "self", dtype, &self, false);
    if (random_once_in(random, 2))
        shape_tensor(&test, random, "weights", weights[random_below(random, 5)], &self, false);
    random_number(&test, "minlength", (double)random_between(random, 0, out.dims[0]));
    shape_tensor(&test, random, "out", results[random_below(random, 4)], &out, true);
    return test;
}

/* In the type of the values, as the bin is defined in it. */
static int64_t bin_of(bool is_single, double x, double low, double high, int64_t bins)
{
    int64_t bin;
    if (is_single) {
        const float above = (float)x - (float)low, scaled = above * (float)bins;
        bin = (int64_t)(scaled / ((float)high - (float)low));
    } else {
        bin = (int64_t)((x - low) * (double)bins / (high - low));
    }
    return bin < bins ? bin : bins - 1;
}

static void histc(struct rig_problem *problem)
{
    const struct rig_tensor *self = &problem->tensor[0];
    const enum case_dtype type = self->view.dtype;
    const bool is_single = oracle_is_float(type) && type != CASE_F64;
    const int64_t bins = problem->call.number[0];
    double low = problem->call.scalar[0].value[0].real,
           high = problem->call.scalar[1].value[0].real;
    int64_t *counts = calloc((size_t)bins, sizeof *counts);
    bool is_finite = true;
    for (int64_t i = 0, given = low != high; !given && i < self->count; i++) {
        const double x = oracle_value(problem, 0, i);
        is_finite = is_finite && isfinite(x);
        if (i == 0 || x < low) low = x;
        if (i == 0 || x > high) high = x;
    }
    if (low == high) low -= 1, high += 1;
    if (!is_finite) {
        problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
        strcpy(problem->sync_words, "self has an element that is not finite");
    }
    for (int64_t i = 0; is_finite && i < self->count; i++) {
        const double x = oracle_value(problem, 0, i);
        if (x >= low && x <= high) counts[bin_of(is_single, x, low, high, bins)]++;
    }
    for (int64_t k = 0; k < bins; k++)
        oracle_whole(problem, 1, k, CASE_I64, counts[k]);
    free(counts);
}

/* Some are equal, and none beside the special ones is far away. */
static void fill_histc(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *tensor = &problem->tensor[0];
    for (int64_t i = 0; i < tensor->count; i++)
        if (!random_once_in(random, 90))
            tensor->bits[i] =
                oracle_cast_real(tensor->view.dtype, (double)random_between(random, 0, 40) / 4);
}

static struct test_case random_histc(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, RANK);
    const struct shape out = {.rank = 1, .dims = {random_between(random, 1, 12)}};
    const int64_t low = random_between(random, 0, 4);
    const int64_t high = random_once_in(random, 3) ? low : low + random_between(random, 1, 6);
    shape_tensor(&test, random, "self", dtype, &self, false);
    random_number(&test, "bins", (double)out.dims[0]);
    for (int i = 0; i < 2; i++) {
        struct case_argument *one =
            random_number(&test, i ? "max" : "min", (double)(i ? high : low));
        one->has_dtype = true;
        one->dtype = CASE_F32;
    }
    shape_tensor(&test, random, "out", random_once_in(random, 2) ? dtype : CASE_F32, &out, true);
    return test;
}

/* ---- parts along several axes ---- */

static int64_t at_place(int64_t place, int64_t size, bool is_down)
{
    if (place < 0) place += size;
    if (place < 0) return is_down ? -1 : 0;
    return place < size ? place : is_down ? size - 1 : size;
}

static bool has_bit(int64_t mask, int i)
{
    return mask >> i & 1;
}

/* The element of self that has these indices in the result. */
static int64_t sliced(const struct rig_problem *problem, const int64_t at[RANK], int rank)
{
    const struct operand *self = &problem->tensor[0].view;
    const int64_t *mask = problem->call.number; /* begin, end, ellipsis, new axis, shrink */
    const int entries = problem->call.array[0].length;
    int64_t from[RANK] = {0};
    int taken = 0, axis = 0, place = 0, gap = -1;
    for (int i = 0; i < entries; i++) {
        taken += !has_bit(mask[2], i) && !has_bit(mask[3], i);
        if (has_bit(mask[2], i)) gap = i;
    }
    for (int i = 0; i < entries; i++) {
        const int64_t begin = problem->call.array[0].values[i];
        const int64_t step = problem->call.array[2].values[i], size = self->dims[axis];
        if (i == gap) {
            for (int k = 0; k < self->rank - taken; k++)
                from[axis++] = at[place++];
        } else if (has_bit(mask[3], i)) {
            place++;
        } else if (has_bit(mask[4], i)) {
            from[axis++] = begin < 0 ? begin + size : begin;
        } else {
            const int64_t first =
                has_bit(mask[0], i) ? (step > 0 ? 0 : size - 1) : at_place(begin, size, step < 0);
            from[axis++] = first + step * at[place++];
        }
    }
    while (place < rank)
        from[axis++] = at[place++];
    return shape_element(self, from);
}

static void strided_slice(struct rig_problem *problem)
{
    const struct operand *out = &problem->tensor[1].view;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(out, i, at);
        shape_put(problem, 1, i, 0, sliced(problem, at, out->rank));
    }
}

/* How many elements from begin to end. */
static int64_t steps_of(int64_t begin, int64_t end, int64_t step)
{
    int64_t count = 0;
    for (int64_t i = begin; step > 0 ? i < end : i > end; i += step)
        count++;
    return count;
}

static struct test_case random_slice(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = index_full(random, 1, 5);
    struct shape out = {0};
    int64_t arrays[3][RANK], masks[5] = {0};
    int entries = 0, axis = 0;
    bool has_gap = false;
    while (axis < self.rank && entries < RANK - 2 && !random_once_in(random, 8)) {
        const int64_t size = self.dims[axis];
        int64_t begin = random_between(random, -size - 1, size + 1);
        int64_t end = random_between(random, -size - 1, size + 1);
        const int64_t step = random_between(random, 1, 3) * (random_once_in(random, 3) ? -1 : 1);
        arrays[0][entries] = begin, arrays[1][entries] = end, arrays[2][entries] = step;
        if (!has_gap && random_once_in(random, 6)) { /* one axis, and those behind the entries */
            masks[2] |= 1 << entries++;
            has_gap = true;
            break;
        }
        if (out.rank + self.rank - axis < RANK && random_once_in(random, 6)) {
            masks[3] |= 1 << entries++;
            out.dims[out.rank++] = 1;
            continue;
        }
        if (step > 0 && begin >= -size && begin < size && random_once_in(random, 4)) {
            masks[4] |= 1 << entries++;
            axis++;
            continue;
        }
        masks[0] |= (int64_t)random_once_in(random, 4) << entries;
        masks[1] |= (int64_t)random_once_in(random, 4) << entries;
        begin =
            masks[0] >> entries & 1 ? (step > 0 ? 0 : size - 1) : at_place(begin, size, step < 0);
        end = masks[1] >> entries & 1 ? (step > 0 ? size : -1) : at_place(end, size, step < 0);
        out.dims[out.rank++] = steps_of(begin, end, step);
        entries++, axis++;
    }
    for (; axis < self.rank; axis++)
        out.dims[out.rank++] = self.dims[axis];
    shape_tensor(&test, random, "self", dtype, &self, false);
    for (int i = 0; i < 3; i++)
        random_ints(&test, op->names->array[i], arrays[i], entries);
    for (int i = 0; i < 5; i++)
        random_number(&test, op->names->number[i], (double)masks[i]);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static void strided_assign(struct rig_problem *problem)
{
    const struct operand *var = &problem->tensor[0].view, *value = &problem->tensor[1].view;
    const struct rig_array *array = problem->call.array;
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        shape_put(problem, 0, i, 0, i);
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(value, i, at);
        for (int k = 0; k < array[0].length; k++) {
            const int axis = array[3].is_null ? k : shape_axis(array[3].values[k], var->rank);
            at[axis] = at_place(array[0].values[k], var->dims[axis], false) +
                       at[axis] * array[2].values[k];
        }
        shape_put(problem, 0, shape_element(var, at), 1, i);
    }
}

static struct test_case random_assign(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape var = index_full(random, 1, 5);
    struct shape value = var;
    int64_t arrays[4][RANK];
    const int entries = (int)random_between(random, 0, var.rank);
    const bool has_axes = random_once_in(random, 2);
    for (int k = 0; k < entries; k++) {
        const int axis = has_axes ? var.rank - 1 - k : k;
        const int64_t size = var.dims[axis];
        arrays[0][k] = random_between(random, -size - 1, size + 1);
        arrays[1][k] = random_between(random, -size - 1, size + 1);
        arrays[2][k] = random_between(random, 1, 3);
        arrays[3][k] = shape_dim(random, axis, var.rank);
        value.dims[axis] = steps_of(at_place(arrays[0][k], size, false),
                                    at_place(arrays[1][k], size, false), arrays[2][k]);
    }
    shape_tensor(&test, random, "varRef", dtype, &var, true);
    shape_tensor(&test, random, "inputValue", dtype, &value, false);
    for (int i = 0; i < (has_axes ? 4 : 3); i++)
        random_ints(&test, op->names->array[i], arrays[i], entries);
    return test;
}

const struct oracle_row oracle_search_rows[] = {
    {.name = "aclnnSearchSorted aclnnSearchSorteds aclnnBucketize",
     .oracle = search,
     .random = random_search,
     .fill = fill_search},
    {.name = "aclnnIsInScalarTensor",
     .oracle = is_in,
     .random = random_is_in,
     .lines = LINES("is_in_scalar_tensor f32 element=2 testElements=0 out=1:bool",
                    "is_in_scalar_tensor i8 element=2 testElements=90x100 out=scalar:bool "
                    "invert=1")},
    {.name = "aclnnBincount", .oracle = bincount, .random = random_bincount, .fill = fill_bincount},
    {.name = "aclnnHistc",
     .oracle = histc,
     .random = random_histc,
     .fill = fill_histc,
     .lines = LINES("histc f32 self=900x300 bins=10 min=0 max=0 out=10",
                    "histc f32 self=900x300 bins=10 min=1 max=9 out=10")},
    {.name = "aclnnStridedSlice", .oracle = strided_slice, .random = random_slice},
    {.name = "aclnnStridedSliceAssignV2", .oracle = strided_assign, .random = random_assign},
    {.name = NULL},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of operators that are rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_elementwise.h"

enum { ELEMENTS = 1000, LIST = 4 };

static struct case_argument *add(struct test_case *test, const char *name, enum case_place place)
{
    struct case_argument *argument = case_add(test, name, place);
    if (argument) return argument;
    fprintf(stderr, "%s: %s is one argument too many\n", test->op, name);
    abort();
}

/* ---- pieces ---- */

struct test_case random_start(const struct rig_operator *op, struct random *random,
                              enum case_dtype dtype)
{
    struct test_case test = {.dtype = dtype, .seed = (uint64_t)random_below(random, 1 << 30)};
    strcpy(test.op, op->word);
    if (random_once_in(random, 3)) test.data = CASE_SPECIAL;
    return test;
}

int random_shape(struct random *random, int64_t dims[CASE_RANK], int64_t elements)
{
    const int rank = (int)random_between(random, 0, CASE_RANK);
    for (int axis = 0; axis < rank; axis++) {
        const int64_t most = random_once_in(random, 2) ? elements : elements < 5 ? elements : 5;
        dims[axis] = random_once_in(random, 60) ? 0 : random_between(random, 1, most);
        if (dims[axis] > 0) elements /= dims[axis];
    }
    return rank;
}

static void lay_out(struct case_argument *argument, struct random *random, bool is_written)
{
    static const enum case_layout layouts[] = {CASE_CONTIGUOUS, CASE_CONTIGUOUS, CASE_STRIDED,
                                               CASE_BROADCAST};
    argument->layout = layouts[random_below(random, 4)];
    if (argument->layout == CASE_BROADCAST && is_written) argument->layout = CASE_STRIDED;
    if (random_once_in(random, 4)) argument->offset = random_between(random, 1, 40);
}

static void give_shape(struct case_argument *argument, const int64_t *dims, int rank)
{
    argument->rank = rank;
    for (int axis = 0; axis < rank; axis++)
        argument->dims[axis] = dims[axis];
}

static void give_type(struct case_argument *argument, const struct test_case *test,
                      enum case_dtype dtype)
{
    argument->has_dtype = dtype != test->dtype;
    argument->dtype = dtype;
}

struct case_argument *random_tensor(struct test_case *test, struct random *random, const char *name,
                                    enum case_dtype dtype, const int64_t *dims, int rank,
                                    bool is_written)
{
    struct case_argument *argument = add(test, name, CASE_ALONE);
    give_shape(argument, dims, rank);
    give_type(argument, test, dtype);
    lay_out(argument, random, is_written);
    return argument;
}

static void set_number(struct case_argument *argument, double value)
{
    argument->real = value;
    argument->has_real = value != trunc(value) || fabs(value) > 0x1p62;
    if (!argument->has_real) argument->rank = 1;
    if (!argument->has_real) argument->dims[0] = (int64_t)value;
}

struct case_argument *random_scalar(struct test_case *test, struct random *random, const char *name,
                                    enum case_dtype dtype)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30, 1e-40};
    struct case_argument *argument = add(test, name, CASE_ALONE);
    double value = (double)random_between(random, -4, 6);
    if (oracle_is_float(dtype) && random_once_in(random, 2)) value += random_unit(random);
    if (oracle_is_float(dtype) && random_once_in(random, 8))
        value = specials[random_below(random, 6)];
    if (dtype == CASE_BOOL) value = random_once_in(random, 2);
    if (!oracle_is_float(dtype) && dtype != CASE_I64 && dtype != CASE_I32) value = fabs(value);
    set_number(argument, value);
    argument->has_dtype = true;
    argument->dtype = dtype;
    return argument;
}

struct case_argument *random_number(struct test_case *test, const char *name, double value)
{
    struct case_argument *argument = add(test, name, CASE_ALONE);
    set_number(argument, value);
    return argument;
}

struct case_argument *random_type(struct test_case *test, const char *name, enum case_dtype dtype)
{
    struct case_argument *argument = add(test, name, CASE_ALONE);
    snprintf(argument->text, sizeof argument->text, "%s", case_dtype_name(dtype));
    return argument;
}

struct case_argument *random_ints(struct test_case *test, const char *name, const int64_t *values,
                                  int count)
{
    struct case_argument *first = NULL;
    if (count <= CASE_RANK) {
        first = add(test, name, CASE_ALONE);
        give_shape(first, values, count);
        if (count == 1) first->real = (double)values[0];
        return first;
    }
    for (int i = 0; i < count; i++) {
        struct case_argument *one = add(test, name, i == 0 ? CASE_FIRST : CASE_NEXT);
        set_number(one, (double)values[i]);
        if (i == 0) first = one;
    }
    return first;
}

enum case_dtype random_dtype(const struct rig_operator *op, struct random *random)
{
    return op->types[random_below(random, op->type_count)];
}

/* ---- elementwise operators ---- */

/* What is drawn before any argument is. */
struct plan {
    const struct rig_operator *op;
    const struct oracle_elementwise *one;
    bool is_same;            /* all tensors of one type and shape */
    bool has_lists;          /* a tensor beside them has one element, all are of one type */
    int rank, list;          /* list: elements of lists */
    int64_t dims[CASE_RANK]; /* of the result */
    int operand;             /* how many were added */
    int64_t mode;            /* of a MODE one */
    enum case_dtype type;    /* promoted so far; CASE_DTYPES: nothing yet */
    /* What the operands so far broadcast to; at first no axis. */
    int joint_rank;
    int64_t joint[CASE_RANK]; /* joint[0] is the last axis */
};

static bool has_type(const struct rig_operator *op, enum case_dtype dtype)
{
    for (int i = 0; i < op->type_count; i++)
        if (op->types[i] == dtype) return true;
    return false;
}

/* Leading axes go, others become 1. */
static int narrowed(const struct plan *plan, struct random *random, int64_t dims[CASE_RANK])
{
    const int left = random_once_in(random, 3) ? (int)random_between(random, 0, plan->rank) : 0;
    for (int axis = left; axis < plan->rank; axis++)
        dims[axis - left] = random_once_in(random, 4) ? 1 : plan->dims[axis];
    return plan->rank - left;
}

static void join(struct plan *plan, const int64_t *dims, int rank)
{
    for (int i = 0; i < rank; i++) {
        const int64_t size = dims[rank - 1 - i];
        if (i >= plan->joint_rank || plan->joint[i] == 1) plan->joint[i] = size;
    }
    if (rank > plan->joint_rank) plan->joint_rank = rank;
}

static void add_operand(struct plan *plan, struct test_case *test, struct random *random,
                        const char *name, bool is_changed)
{
    const bool selects = plan->one && plan->one->selectors >> plan->operand & 1;
    int64_t dims[CASE_RANK];
    memcpy(dims, plan->dims, sizeof dims);
    int rank = plan->rank;
    enum case_dtype dtype = test->dtype;
    plan->operand++;
    if (plan->has_lists) {
        const bool by_place = strcmp(plan->op->rule, "each_by_place") == 0;
        dims[0] = by_place ? plan->list : 1;
        random_tensor(test, random, name, dtype, dims, by_place ? 1 : (int)random_below(random, 2),
                      is_changed);
        return;
    }
    if (!plan->is_same && !is_changed && random_once_in(random, 2))
        rank = narrowed(plan, random, dims);
    if (!plan->is_same && plan->type != CASE_DTYPES && !selects && random_once_in(random, 2))
        dtype = random_dtype(plan->op, random);
    if (selects) dtype = random_once_in(random, 4) ? CASE_U8 : CASE_BOOL;
    if (!selects)
        plan->type = plan->type == CASE_DTYPES ? dtype : oracle_promote(plan->type, dtype);
    join(plan, dims, rank);
    random_tensor(test, random, name, dtype, dims, rank, is_changed);
}

static void add_list(const struct plan *plan, struct test_case *test, struct random *random,
                     const char *name, bool is_written, uint64_t shape_seed)
{
    struct random shapes = {shape_seed};
    if (plan->list == 0) add(test, name, CASE_NOTHING);
    for (int i = 0; i < plan->list; i++) {
        struct case_argument *one = add(test, name, i == 0 ? CASE_FIRST : CASE_NEXT);
        int64_t dims[CASE_RANK];
        const int rank = random_shape(&shapes, dims, ELEMENTS / 4);
        give_shape(one, dims, rank);
        lay_out(one, random, is_written);
    }
}

/* The highest kind of the row's types. */
static int highest_kind(const struct rig_operator *op)
{
    int kind = 0;
    for (int i = 0; i < op->type_count; i++)
        if (oracle_kind(op->types[i]) > kind) kind = oracle_kind(op->types[i]);
    return kind;
}

/* Of a kind that is not higher than `most`. */
static enum case_dtype scalar_type(struct random *random, int most)
{
    static const enum case_dtype types[] = {CASE_F32,  CASE_I64, CASE_F32, CASE_F64,
                                            CASE_BOOL, CASE_I32, CASE_I64, CASE_F16};
    enum case_dtype dtype;
    do {
        dtype = types[random_below(random, 8)];
    } while (oracle_kind(dtype) > most);
    return dtype;
}

/* Tensors' types are known by now. */
static void add_scalar(struct plan *plan, struct test_case *test, struct random *random,
                       const struct rig_argument *at)
{
    const int kind = oracle_kind(plan->type == CASE_DTYPES ? test->dtype : plan->type);
    const bool is_passive = plan->is_same || at->kind == OP_COEFFICIENT;
    const bool is_low = is_passive || plan->has_lists || !random_once_in(random, 3);
    const enum case_dtype dtype = scalar_type(random, is_low ? kind : highest_kind(plan->op));
    if (at->kind == OP_OPTIONAL_SCALAR && random_once_in(random, 3)) return;
    if (at->kind != OP_SCALARS) {
        random_scalar(test, random, at->name, dtype);
        if (!is_passive) plan->type = oracle_promote_scalar(plan->type, dtype);
        return;
    }
    if (plan->list == 0) add(test, at->name, CASE_NOTHING);
    for (int i = 0; i < plan->list; i++)
        random_scalar(test, random, at->name, dtype)->place = i == 0 ? CASE_FIRST : CASE_NEXT;
}

static enum case_dtype result_type(const struct plan *plan)
{
    const enum oracle_result result = plan->one ? plan->one->result : ORACLE_SAME;
    if (result == ORACLE_BOOL || result == ORACLE_REAL_BOOL) return CASE_BOOL;
    if (oracle_is_of_reals(result, &plan->mode) && !oracle_is_float(plan->type)) return CASE_F32;
    return plan->type;
}

/* The result's type, or one that it casts to. */
static enum case_dtype output_type(const struct plan *plan, struct random *random)
{
    const enum case_dtype result = result_type(plan);
    if (random_once_in(random, 3))
        for (int tries = 0; tries < 8; tries++) {
            const enum case_dtype other = random_dtype(plan->op, random);
            if (oracle_kind(other) >= oracle_kind(result)) return other;
        }
    return result;
}

static const struct case_argument *changed(const struct rig_operator *op,
                                           const struct test_case *test)
{
    for (int slot = 0; op->tensor[slot]; slot++)
        if (op->operand[slot].is_changed) return case_argument_named(test, op->tensor[slot]);
    return NULL;
}

/* A tensor that is read and written must hold the result. */
static bool fits(const struct plan *plan, const struct test_case *test)
{
    const struct case_argument *one = changed(plan->op, test);
    const enum case_dtype dtype = one && one->has_dtype ? one->dtype : test->dtype;
    return !one || oracle_kind(dtype) >= oracle_kind(result_type(plan));
}

static struct test_case draw(struct plan *plan, struct random *random, enum case_dtype dtype)
{
    const struct rig_operator *op = plan->op;
    struct test_case test = random_start(op, random, dtype);
    const uint64_t shape_seed = random_next(random);
    int64_t dims[CASE_RANK];
    plan->type = CASE_DTYPES;
    plan->operand = plan->joint_rank = 0;
    plan->mode = random_below(random, 3);
    plan->has_lists = false;
    for (const struct rig_argument *one = op->names->argument; one->name; one++)
        plan->has_lists |= one->kind == OP_INS || one->kind == OP_REFS;
    plan->list = random_once_in(random, 30) ? 0 : (int)random_between(random, 1, LIST);
    if (random_once_in(random, 40)) plan->list = 20;
    plan->rank = random_shape(random, plan->dims, ELEMENTS);
    const struct rig_argument *at;
    /* A scalar stands among the operands: its place counts. */
    for (at = op->names->argument; at->name; at++) {
        if (at->kind == OP_IN || at->kind == OP_REF ||
            (at->kind == OP_OPTIONAL && !random_once_in(random, 3)))
            add_operand(plan, &test, random, at->name, at->kind == OP_REF);
        else if (at->kind == OP_INS || at->kind == OP_REFS)
            add_list(plan, &test, random, at->name, at->kind == OP_REFS, shape_seed);
        else if (at->kind == OP_SCALAR || at->kind == OP_OPTIONAL_SCALAR)
            plan->operand++;
    }
    for (at = op->names->argument; at->name; at++) {
        if (at->kind >= OP_SCALAR && at->kind <= OP_SCALARS) add_scalar(plan, &test, random, at);
        if (at->kind >= OP_BOOL && at->kind <= OP_UINT64)
            random_number(&test, at->name,
                          plan->one && plan->one->result == ORACLE_MODE
                              ? (double)plan->mode
                              : (double)random_below(random, 2));
        if (at->kind == OP_FLOAT || at->kind == OP_DOUBLE)
            random_number(&test, at->name, (double)random_below(random, 5) / 4);
    }
    for (int i = 0; i < plan->joint_rank; i++)
        dims[i] = plan->joint[plan->joint_rank - 1 - i];
    for (at = op->names->argument; at->name; at++) {
        if (at->kind == OP_OUTS) add_list(plan, &test, random, at->name, true, shape_seed);
        if (at->kind != OP_OUT && at->kind != OP_OPTIONAL_OUT) continue;
        random_tensor(&test, random, at->name, plan->is_same ? dtype : output_type(plan, random),
                      dims, plan->joint_rank, true);
    }
    return test;
}

struct test_case random_elementwise(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct plan plan = {.op = op, .one = oracle_elementwise_of(op)};
    struct test_case test;
    plan.is_same = strncmp(op->rule, "same", 4) == 0 || strcmp(op->rule, "SAME") == 0;
    if (!has_type(op, dtype)) dtype = random_dtype(op, random);
    for (int tries = 0;; tries++) {
        test = draw(&plan, random, dtype);
        if (fits(&plan, &test)) break;
        if (tries >= 8) dtype = random_dtype(op, random); /* an integer never holds a REAL one */
    }
    if (plan.one && plan.one->adjust) plan.one->adjust(&test, random);
    return test;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of elementwise functions: operands as they lie, broadcast by strides of 0, scalars as
 * constants. */
#include "api/op_elementwise.h"

#include <assert.h>
#include <math.h>

#include "api/op_check.h"
#include "api/op_complex.h"
#include "api/op_families.h"
#include "api/op_rule.h"
#include "executor/steps.h"

/* ---- results that overlap operands ---- */

/* Bytes [begin, end) that a view reaches, where it is now; none of an empty one. */
struct range {
    uintptr_t begin, end;
};

static struct range range_of(const struct ex_descriptor *d)
{
    const size_t element = ex_element_size(d->data_type);
    const uintptr_t base = (uintptr_t)atomic_load_explicit(&d->address, memory_order_acquire);
    int64_t last = d->offset;
    if (op_element_count(d->rank, d->sizes) == 0) return (struct range){base, base};
    for (int i = 0; i < d->rank; i++)
        last += (d->sizes[i] - 1) * d->strides[i];
    return (struct range){base + (size_t)d->offset * element, base + ((size_t)last + 1) * element};
}

static bool is_same_view(const struct ex_descriptor *a, const struct ex_descriptor *b)
{
    if (a->rank != b->rank || ex_element_size(a->data_type) != ex_element_size(b->data_type))
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->sizes[i] != b->sizes[i] || (a->sizes[i] != 1 && a->strides[i] != b->strides[i]))
            return false;
    return range_of(a).begin == range_of(b).begin;
}

bool op_meets(const struct ex_descriptor *a, const struct ex_descriptor *b)
{
    if (!atomic_load_explicit(&a->address, memory_order_acquire) ||
        !atomic_load_explicit(&b->address, memory_order_acquire))
        return false;
    const struct range of_a = range_of(a), of_b = range_of(b);
    return of_a.begin < of_b.end && of_b.begin < of_a.end;
}

bool op_disturbs(const struct ex_descriptor *to, const struct ex_descriptor *from)
{
    return to != from && op_meets(to, from) && !is_same_view(to, from);
}

static bool disturbs_some(const struct op_problem *problem, const struct op_value *result)
{
    for (int i = 0; i < problem->tensor_count; i++)
        if (op_is_read(problem->tensor[i]) &&
            op_disturbs(&result->tensor->descriptor, &problem->tensor[i]->tensor->descriptor))
            return true;
    return false;
}

/* ---- the loop ---- */

/* The operand's strides over the broadcast shape. */
static void lay_out(const struct op_problem *problem, const struct ex_descriptor *d,
                    struct k_loop_operand *operand)
{
    const int missing = problem->rank - d->rank;
    operand->offset = 0;
    for (int i = 0; i < problem->rank; i++) {
        const int axis = i - missing;
        operand->strides[i] = axis < 0 || (d->sizes[axis] == 1) ? 0 : d->strides[axis];
    }
}

static void lay_out_dense(const struct op_problem *problem, struct k_loop_operand *operand)
{
    int64_t dense = 1;
    operand->offset = 0;
    for (int i = problem->rank - 1; i >= 0; i--) {
        operand->strides[i] = dense;
        dense *= problem->sizes[i];
    }
}

static void add_operand(struct k_elementwise *e, const struct op_problem *problem,
                        const struct op_value *value)
{
    struct k_loop_operand *operand = &e->loop.operand[e->loop.results + e->loop.operands++];
    operand->dtype = operand->via = op_k_dtype(value->tensor);
    const bool is_half = problem->type == ACL_FLOAT16 || problem->type == ACL_BF16;
    if (is_half && !op_is_floating((aclDataType)value->tensor->descriptor.data_type))
        operand->via = problem->type == ACL_BF16 ? K_BF16 : K_F16;
    lay_out(problem, &value->tensor->descriptor, operand);
}

/* What is left of an integer in a tensor's type. */
static int64_t wrapped(aclDataType type, int64_t value)
{
    switch (type) {
    case ACL_INT8:
        return (int8_t)value;
    case ACL_UINT8:
        return (uint8_t)value;
    case ACL_INT16:
        return (int16_t)value;
    case ACL_UINT16:
        return (uint16_t)value;
    case ACL_INT32:
        return (int32_t)value;
    case ACL_UINT32:
        return (uint32_t)value;
    default:
        return value;
    }
}

static void set_number(struct k_elementwise *e, const struct op_problem *problem, int i,
                       const struct op_value *value)
{
    if (value->kind == OP_FLOAT || value->kind == OP_DOUBLE) {
        e->reals[i] = value->real;
        e->integers[i] = fabs(value->real) < 0x1p63 ? (int64_t)value->real : 0;
    } else if (op_is_scalar(value)) {
        e->reals[i] = value->scalar ? op_scalar_real(value->scalar) : 0;
        e->integers[i] = 0;
        if (value->scalar && problem->type == ACL_BOOL)
            e->integers[i] = e->reals[i] != 0;
        else if (value->scalar)
            e->integers[i] = wrapped(problem->type, op_scalar_integer(value->scalar));
    } else {
        e->reals[i] = (double)value->integer;
        e->integers[i] = value->integer;
    }
}

/* What the plan is about to compute, and its buffers. */
struct elementwise_plan {
    struct k_elementwise e;
    int buffers[K_LOOP_OPERANDS];
    int result_argument[K_LOOP_OPERANDS];
};

static bool add_results(struct ex_plan *plan, const struct op_problem *problem, const int *buffers,
                        struct elementwise_plan *made)
{
    const int64_t elements = op_element_count(problem->rank, problem->sizes);
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (!op_is_written(value) || !value->tensor) continue;
        const int result = made->e.loop.results++;
        struct k_loop_operand *operand = &made->e.loop.operand[result];
        const size_t bytes =
            (size_t)elements * ex_element_size(value->tensor->descriptor.data_type);
        operand->dtype = operand->via = op_k_dtype(value->tensor);
        if (problem->result == problem->type) operand->via = op_k_dtype_of(problem->type);
        if (operand->via == k_dtype_of(made->e.loop.compute)) operand->via = operand->dtype;
        made->result_argument[result] = i;
        if (disturbs_some(problem, value)) {
            lay_out_dense(problem, operand);
            made->buffers[result] = ex_scratch(plan, bytes);
        } else {
            lay_out(problem, &value->tensor->descriptor, operand);
            made->buffers[result] = buffers[i];
        }
        if (made->buffers[result] < 0) return false;
    }
    return true;
}

/* Operands in the order of the arguments; scalars among them become constants, the others and the
 * numbers follow in the order of the arguments. */
static void add_operands(const struct op_problem *problem, const int *buffers,
                         struct elementwise_plan *made)
{
    struct k_elementwise *e = &made->e;
    int operand = 0, number = 0;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_read(value) && value->tensor) {
            made->buffers[e->loop.results + e->loop.operands] = buffers[i];
            add_operand(e, problem, value);
            operand++;
        } else if (op_is_scalar(value) && value->kind != OP_COEFFICIENT) {
            e->constants |= 1U << operand++;
            set_number(e, problem, number++, value);
        }
    }
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (value->kind == OP_COEFFICIENT || (value->kind >= OP_BOOL && value->kind <= OP_DOUBLE))
            set_number(e, problem, number++, value);
    }
}

void op_plan_elementwise(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const struct op_elementwise *more = problem->row->rule->more;
    const struct ex_order order = ex_order_identity(problem->rank);
    struct elementwise_plan made;
    struct k_elementwise *e = &made.e;
    if (op_is_complex(problem->type)) {
        op_plan_complex(plan, problem, buffers);
        return;
    }
    e->core = (enum k_core)problem->row->core;
    e->constants = 0;
    e->loop.results = e->loop.operands = 0;
    e->loop.rank = problem->rank;
    for (int i = 0; i < problem->rank; i++)
        e->loop.sizes[i] = problem->sizes[i];
    e->loop.compute = k_compute_of(op_k_dtype_of(problem->type));
    if (!add_results(plan, problem, buffers, &made)) return;
    add_operands(problem, buffers, &made);
    if (more && more->adjust) more->adjust(problem, e);
    assert(k_elementwise_has(e->core, e->loop.compute, e->constants));
    const struct k_work work = k_elementwise_finish(e);
    ex_step(plan, "elementwise", k_best()->elementwise, e, sizeof *e, work, made.buffers,
            e->loop.results + e->loop.operands);
    for (int i = 0; i < e->loop.results; i++)
        ex_deliver(plan, made.buffers[i], buffers[made.result_argument[i]], &order);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as INT8 or INT4 by scales that each row makes: aclnnDynamicQuant and V2. */
#include <stdio.h>

#include "api/op_quantize.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_quantize.h"

enum { MOST_EXPERTS = 1024, FOURS = 8 /* INT4 in an INT32 */ };

/* What the arguments of an operator mean; NULL: there is none. */
struct rows {
    const struct op_value *x, *smooth, *groups, *y, *scale, *offset;
    int32_t type; /* y's */
};

const struct op_value *op_given(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value && value->tensor ? value : NULL;
}

static struct rows rows_of(const struct op_problem *problem)
{
    struct rows r = {.x = &problem->values[0],
                     .smooth = op_given(problem, "smoothScalesOptional"),
                     .groups = op_given(problem, "groupIndexOptional"),
                     .y = op_given(problem, "yOut"),
                     .scale = op_given(problem, "scaleOut"),
                     .offset = op_given(problem, "offsetOut")};
    r.type = r.y->tensor->descriptor.data_type;
    return r;
}

static aclnnStatus quantize_rows_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct rows r = rows_of(problem);
    const int64_t type = op_integer_named(problem, "dstType", r.type);
    OP_TRY(op_check_type(name, "x", r.x->tensor, problem->row->types, problem->row->type_names));
    OP_TRY(op_check_type(name, "yOut", r.y->tensor, OP_SMALL_TYPES, op_small_types));
    OP_CHECK(name, type == r.type, ACLNN_ERR_PARAM_INVALID,
             "dstType is %" PRId64 "; yOut's type is %s (%d)", type,
             op_data_type_name((aclDataType)r.type), r.type);
    if (r.smooth) OP_TRY(op_check_float(name, r.smooth->name, r.smooth->tensor));
    if (r.groups)
        OP_TRY(op_check_type(name, r.groups->name, r.groups->tensor, OP_TYPE(ACL_INT32), "INT32"));
    OP_CHECK(name, !r.groups || r.smooth, ACLNN_ERR_PARAM_INVALID,
             "groupIndexOptional is given and smoothScalesOptional is NULL; both must be given");
    OP_TRY(op_check_type(name, "scaleOut", r.scale->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    if (r.offset)
        OP_TRY(op_check_type(name, "offsetOut", r.offset->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    problem->type = problem->result = (aclDataType)r.x->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

const char op_small_types[] = "INT8, INT4, INT32 (eight INT4 in one)";

aclnnStatus op_check_small(const struct op_problem *problem, const struct op_value *value, int rank,
                           const int64_t *sizes)
{
    const char *name = problem->row->name;
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const int in_one = d->data_type == ACL_INT32 ? (int)FOURS : 2;
    int64_t own[EX_MAX_RANK];
    for (int i = 0; i < rank; i++)
        own[i] = sizes[i];
    if (d->data_type == ACL_INT8) return op_check_shape(problem, value, value->tensor, rank, own);
    OP_CHECK(name, sizes[rank - 1] % in_one == 0, ACLNN_ERR_PARAM_INVALID,
             "%s is to hold %" PRId64 " numbers in its last dimension and is of type %s; they must "
             "be a multiple of %d",
             value->name, sizes[rank - 1], op_data_type_name((aclDataType)d->data_type), in_one);
    if (d->data_type == ACL_INT32) own[rank - 1] /= FOURS;
    OP_TRY(op_check_shape(problem, value, value->tensor, rank, own));
    if (d->data_type == ACL_INT32) return ACLNN_SUCCESS;
    const struct op_view view = op_view_of(value->tensor);
    OP_CHECK(name, op_view_is_dense(&view), ACLNN_ERR_PARAM_INVALID,
             "%s is of type INT4 and is not dense", value->name);
    OP_CHECK(name, d->offset % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "%s is of type INT4 and begins at element %" PRId64 "; it must be an even one",
             value->name, d->offset);
    return ACLNN_SUCCESS;
}

static aclnnStatus quantize_rows_shapes(struct op_problem *problem)
{
    const struct rows r = rows_of(problem);
    const struct ex_descriptor *x = &r.x->tensor->descriptor;
    OP_TRY(op_check_rank(problem->row->name, "x", r.x->tensor, 2, EX_MAX_RANK));
    OP_TRY(op_check_small(problem, r.y, x->rank, x->sizes));
    if (r.groups) {
        OP_TRY(op_check_rank(problem->row->name, r.groups->name, r.groups->tensor, 1, 1));
        const int64_t experts = r.groups->tensor->descriptor.sizes[0];
        const int64_t sizes[] = {experts, x->sizes[x->rank - 1]};
        OP_CHECK(problem->row->name, experts >= 1 && experts <= MOST_EXPERTS,
                 ACLNN_ERR_PARAM_INVALID,
                 "groupIndexOptional has %" PRId64 " elements; it must have from 1 to %d", experts,
                 (int)MOST_EXPERTS);
        OP_TRY(op_check_shape(problem, r.smooth, r.smooth->tensor, 2, sizes));
    } else if (r.smooth) {
        OP_TRY(op_check_shape(problem, r.smooth, r.smooth->tensor, 1, x->sizes + x->rank - 1));
    }
    if (r.offset)
        OP_TRY(op_check_shape(problem, r.offset, r.offset->tensor, x->rank - 1, x->sizes));
    return op_check_shape(problem, r.scale, r.scale->tensor, x->rank - 1, x->sizes);
}

static void describe_row(const void *parameters, void *const buffers[], int64_t position,
                         char *text, size_t size)
{
    const struct k_quantize *q = parameters;
    const int32_t *groups = buffers[K_QUANTIZE_GROUPS];
    snprintf(text, size,
             "row %" PRId64 " of x is in no group; groupIndexOptional[%" PRId64 "] is %d", position,
             q->experts - 1, groups[q->experts - 1]);
}

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

static void quantize_rows(const struct op_shape_call *call)
{
    const struct rows r = rows_of(call->problem);
    const struct ex_descriptor *x = &r.x->tensor->descriptor;
    const struct k_quantize q = {
        .what = r.offset ? K_QUANTIZE_SHIFTED : K_QUANTIZE_DYNAMIC,
        .from = op_k_dtype(r.x->tensor),
        .to = K_I8,
        .factor = r.smooth ? op_k_dtype(r.smooth->tensor) : K_F32,
        .is_four = r.type != ACL_INT8,
        .rows = op_element_count(x->rank - 1, x->sizes),
        .columns = x->sizes[x->rank - 1],
        .by_column = true,
        .has_scale = r.smooth != NULL,
        .experts = r.groups ? r.groups->tensor->descriptor.sizes[0] : 0,
    };
    if (q.rows == 0) return;
    const struct op_place from = op_dense_source(call, argument_of(call, r.x));
    struct op_place smooth = from, groups = from;
    if (r.smooth) smooth = op_dense_source(call, argument_of(call, r.smooth));
    if (r.groups) groups = op_dense_source(call, argument_of(call, r.groups));
    const struct op_place to = op_dense_target(call, argument_of(call, r.y));
    const struct op_place made = op_dense_target(call, argument_of(call, r.scale));
    const struct op_place shift =
        r.offset ? op_dense_target(call, argument_of(call, r.offset)) : made;
    const struct k_work work = k_quantize_plan(&q);
    const int buffers[] = {from.buffer, smooth.buffer, from.buffer,  to.buffer,
                           made.buffer, shift.buffer,  groups.buffer};
    if (r.groups)
        ex_step_with_faults(call->plan, "quantize", k_best()->quantize, &q, sizeof q, work, buffers,
                            K_QUANTIZE_BUFFERS, describe_row);
    else
        ex_step(call->plan, "quantize", k_best()->quantize, &q, sizeof q, work, buffers,
                K_QUANTIZE_BUFFERS);
    op_deliver(call, &to, argument_of(call, r.y));
    op_deliver(call, &made, argument_of(call, r.scale));
    if (r.offset) op_deliver(call, &shift, argument_of(call, r.offset));
}

const struct op_rule op_rule_quantize_rows = {
    .types = quantize_rows_types,
    .shapes = quantize_rows_shapes,
    .runs_empty = true, /* rows without elements have a scale */
    .more = &(const struct op_shape_rule){quantize_rows},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout: masks of bits, element i's being bit i % 8 of byte i / 8, and what they leave. */
#include <string.h>

#include "api/op_random.h"
#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/random/k_random.h"

enum { MASK_BITS = 128 /* a mask has a multiple of them */ };

static const struct op_value *mask_of(const struct op_problem *problem)
{
    const struct op_value *mask = op_argument_named(problem, "mask");
    return mask ? mask : op_argument_named(problem, "maskOut");
}

/* ---- checks ---- */

static aclnnStatus mask_types(struct op_problem *problem)
{
    const struct op_value *out = op_written(problem, 0);
    OP_TRY(op_check_type(problem->row->name, out->name, out->tensor, OP_TYPE(ACL_UINT8), "UINT8"));
    return op_check_seed_types(problem);
}

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *mask = mask_of(problem);
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        OP_CHECK(row->name, value->kind != OP_OPTIONAL, ACLNN_ERR_PARAM_INVALID,
                 "%s is reserved; it must be NULL", value->name);
        if (value == mask)
            OP_TRY(op_check_type(row->name, mask->name, mask->tensor, OP_TYPE(ACL_UINT8), "UINT8"));
        else
            OP_TRY(
                op_check_type(row->name, value->name, value->tensor, row->types, row->type_names));
    }
    return ACLNN_SUCCESS;
}

/* A probability is from 0 to 1, a scale 0 or at least 1. */
static aclnnStatus check_numbers(const struct op_problem *problem)
{
    static const char *const names[] = {"prob", "p"};
    const struct op_value *scale = op_argument_named(problem, "scale");
    for (int i = 0; i < 2; i++) {
        const struct op_value *value = op_argument_named(problem, names[i]);
        OP_CHECK(problem->row->name, !value || (value->real >= 0 && value->real <= 1),
                 ACLNN_ERR_PARAM_INVALID, "%s is %g; it must be from 0 to 1", names[i],
                 value ? value->real : 0);
    }
    OP_CHECK(problem->row->name, !scale || scale->real == 0 || scale->real >= 1,
             ACLNN_ERR_PARAM_INVALID, "scale is %g; it must be 0 or at least 1",
             scale ? scale->real : 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_mask(const struct op_problem *problem, const struct op_value *mask,
                              int64_t elements)
{
    const int64_t bytes = (elements + MASK_BITS - 1) / MASK_BITS * (MASK_BITS / 8);
    const struct ex_descriptor *d = &mask->tensor->descriptor;
    struct op_shape_text text;
    int64_t count = 0;
    ex_element_count(d->sizes, d->rank, &count);
    OP_CHECK(problem->row->name, count == bytes, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have %" PRId64 " bytes, a bit for each of %" PRId64
             " elements, up to a multiple of %d",
             mask->name, op_shape(&text, mask->tensor), bytes, elements, MASK_BITS);
    return ACLNN_SUCCESS;
}

static aclnnStatus mask_shapes(struct op_problem *problem)
{
    const aclIntArray *shape = op_argument_named(problem, "shape")->ints;
    const struct op_value *type = op_argument_named(problem, "probDataType");
    int64_t elements = 0;
    OP_CHECK(problem->row->name, shape, ACLNN_ERR_PARAM_NULLPTR, "shape is NULL");
    OP_CHECK(problem->row->name,
             shape->size <= EX_MAX_RANK &&
                 ex_element_count(shape->values, (int)shape->size, &elements) &&
                 elements <= INT64_MAX - MASK_BITS,
             ACLNN_ERR_PARAM_INVALID,
             "shape has %" PRIu64 " sizes; they must be at most %d, none negative, and their "
             "product counted",
             shape->size, EX_MAX_RANK);
    OP_CHECK(problem->row->name, !type || op_is_floating((aclDataType)type->integer),
             ACLNN_ERR_PARAM_INVALID, "probDataType is %s; it must be a floating type",
             op_data_type_name((aclDataType)type->integer));
    OP_TRY(check_numbers(problem));
    OP_TRY(check_mask(problem, op_written(problem, 0), elements));
    return op_check_seed_shapes(problem);
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_value *self = problem->tensor[0], *out = op_written(problem, 0);
    const struct ex_descriptor *d = &self->tensor->descriptor;
    int64_t elements = 0;
    OP_TRY(check_numbers(problem));
    ex_element_count(d->sizes, d->rank, &elements);
    OP_TRY(
        op_check_same_shape(problem->row->name, out->name, out->tensor, self->name, self->tensor));
    return check_mask(problem, mask_of(problem), elements);
}

/* ---- plans ---- */

/* All bytes of the mask; what is dropped with that probability is 0. */
static struct op_place make_mask(const struct op_shape_call *call, const struct op_value *mask,
                                 double probability)
{
    const int argument = (int)(mask - call->problem->values);
    const struct op_place to = op_dense_target(call, argument);
    struct k_random random = {.kind = K_RANDOM_BITS,
                              .to = K_U8,
                              .a = probability,
                              .elements = op_element_count(to.view.rank, to.view.sizes)};
    op_random_step(call, &random, to.buffer, -1, -1);
    op_deliver(call, &to, argument);
    return to;
}

static void apply(const struct op_shape_call *call, int mask, double scale)
{
    const struct op_problem *problem = call->problem;
    const int self = (int)(problem->tensor[0] - problem->values);
    const int out = (int)(op_written(problem, 0) - problem->values);
    const struct op_place from = op_dense_source(call, self), to = op_dense_target(call, out);
    struct k_dropout dropout = {.from = op_k_dtype(problem->tensor[0]->tensor),
                                .to = op_k_dtype(op_written(problem, 0)->tensor),
                                .elements = op_element_count(from.view.rank, from.view.sizes),
                                .scale = scale};
    ex_step(call->plan, "dropout", k_best()->dropout, &dropout, sizeof dropout,
            k_dropout_plan(&dropout), EX_BUFFERS(from.buffer, mask, to.buffer));
    op_deliver(call, &to, out);
}

static void plan_mask(const struct op_shape_call *call)
{
    const struct op_value *out = op_written(call->problem, 0);
    if (!op_is_empty(out->tensor)) make_mask(call, out, op_real_named(call->problem, "prob", -1));
}

static double scale_of(double probability)
{
    return probability == 1 ? 0 : 1 / (1 - probability);
}

static void plan_apply(const struct op_shape_call *call)
{
    const struct op_value *mask = mask_of(call->problem);
    const double p = op_real_named(call->problem, "prob", -1);
    if (op_is_empty(call->problem->tensor[0]->tensor)) return;
    const struct op_place bits = op_dense_source(call, (int)(mask - call->problem->values));
    apply(call, bits.buffer, p >= 0 ? scale_of(p) : op_real_named(call->problem, "scale", -1));
}

/* Without training nothing is dropped. */
static void plan_dropout(const struct op_shape_call *call)
{
    const struct op_value *train = op_argument_named(call->problem, "train");
    const double p = train && !train->integer ? 0 : op_real_named(call->problem, "p", -1);
    if (op_is_empty(call->problem->tensor[0]->tensor)) return;
    const struct op_place mask = make_mask(call, mask_of(call->problem), p);
    apply(call, mask.buffer, scale_of(p));
}

const struct op_rule op_rule_dropout_mask = {
    .types = mask_types,
    .shapes = mask_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_mask},
};
const struct op_rule op_rule_dropout_apply = {
    .types = types,
    .shapes = shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_apply},
};
const struct op_rule op_rule_dropout = {
    .types = types,
    .shapes = shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_dropout},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed precision: gradients are scaled back and looked through, the scale is updated. */
#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/optimizer/k_optimizer.h"

static aclnnStatus check_one(const struct op_problem *problem, const struct op_value *value)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    struct op_shape_text text;
    int64_t count = 0;
    ex_element_count(d->sizes, d->rank, &count);
    OP_CHECK(problem->row->name, count == 1, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have one element", value->name,
             op_shape(&text, value->tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_type(const struct op_problem *problem, const struct op_value *value,
                              aclDataType type)
{
    return op_check_type(problem->row->name, value->name, value->tensor, OP_TYPE(type),
                         op_data_type_name(type));
}

/* ---- aclnnForeachNonFiniteCheckAndUnscale ---- */

enum { GRADS, FOUND, INVERSE };

static aclnnStatus unscale_types(struct op_problem *problem)
{
    const aclTensorList *list = problem->values[GRADS].tensors;
    for (uint64_t i = 0; i < list->size; i++)
        OP_TRY(op_check_type(problem->row->name, problem->values[GRADS].name, list->elements[i],
                             problem->row->types, problem->row->type_names));
    OP_TRY(check_type(problem, &problem->values[FOUND], ACL_FLOAT));
    return check_type(problem, &problem->values[INVERSE], ACL_FLOAT);
}

static aclnnStatus unscale_shapes(struct op_problem *problem)
{
    OP_TRY(check_one(problem, &problem->values[FOUND]));
    return check_one(problem, &problem->values[INVERSE]);
}

static struct op_place dense_copy(const struct op_shape_call *call, const struct op_place *own)
{
    const struct op_place copy = op_scratch_like(call->plan, &own->view);
    op_copy_place(call->plan, own, &copy);
    return copy;
}

static void plan_unscale(const struct op_shape_call *call)
{
    const aclTensorList *list = call->problem->values[GRADS].tensors;
    const struct op_place found = op_target(call, FOUND, 0), inverse = op_source(call, INVERSE, 0);
    for (uint64_t i = 0; i < list->size; i++) {
        if (op_is_empty(list->elements[i])) continue;
        const struct op_place own = op_target(call, GRADS, i);
        const bool is_own = op_view_is_dense(&own.view);
        const struct op_place grad = is_own ? own : dense_copy(call, &own);
        struct k_unscale unscale = {.dtype = op_k_dtype(list->elements[i]),
                                    .elements = op_element_count(own.view.rank, own.view.sizes)};
        ex_step(call->plan, "unscale", k_best()->unscale, &unscale, sizeof unscale,
                k_unscale_plan(&unscale), EX_BUFFERS(grad.buffer, found.buffer, inverse.buffer));
        if (!is_own) op_copy_place(call->plan, &grad, &own);
    }
}

const struct op_rule op_rule_unscale = {
    .types = unscale_types,
    .shapes = unscale_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_unscale},
};

/* ---- aclnnAmpUpdateScale ---- */

enum { SCALE, TRACKER, FOUND_INF, GROWTH, BACKOFF, INTERVAL, NEW_SCALE, NEW_TRACKER };

static aclnnStatus scale_types(struct op_problem *problem)
{
    static const int floats[] = {SCALE, FOUND_INF, NEW_SCALE};
    for (int i = 0; i < 3; i++) {
        const struct op_value *value = &problem->values[floats[i]];
        OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, problem->row->types,
                             problem->row->type_names));
    }
    OP_TRY(check_type(problem, &problem->values[TRACKER], ACL_INT32));
    return check_type(problem, &problem->values[NEW_TRACKER], ACL_INT32);
}

static aclnnStatus scale_shapes(struct op_problem *problem)
{
    const int64_t interval = problem->values[INTERVAL].integer;
    OP_CHECK(problem->row->name, interval >= 1, ACLNN_ERR_PARAM_INVALID,
             "growthInterval is %" PRId64 "; it must be at least 1", interval);
    for (int i = 0; i < problem->tensor_count; i++)
        OP_TRY(check_one(problem, problem->tensor[i]));
    return ACLNN_SUCCESS;
}

static void plan_scale(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_place scale = op_source(call, SCALE, 0), tracker = op_source(call, TRACKER, 0);
    const struct op_place found = op_source(call, FOUND_INF, 0);
    const struct op_place to = op_target(call, NEW_SCALE, 0),
                          count = op_target(call, NEW_TRACKER, 0);
    const struct k_amp_scale amp = {.dtype = op_k_dtype(values[SCALE].tensor),
                                    .found = op_k_dtype(values[FOUND_INF].tensor),
                                    .to = op_k_dtype(values[NEW_SCALE].tensor),
                                    .growth = values[GROWTH].real,
                                    .backoff = values[BACKOFF].real,
                                    .interval = values[INTERVAL].integer};
    ex_step(call->plan, "amp_scale", k_best()->amp_scale, &amp, sizeof amp,
            (struct k_work){.items = 1, .grain = 1},
            EX_BUFFERS(scale.buffer, tracker.buffer, found.buffer, to.buffer, count.buffer));
}

const struct op_rule op_rule_amp_scale = {
    .types = scale_types,
    .shapes = scale_shapes,
    .more = &(const struct op_shape_rule){plan_scale},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Activations whose slope below 0 is an operand: a weight for each channel, or random numbers. */
#include <math.h>

#include "api/op_check.h"
#include "api/op_map.h"
#include "api/op_random.h"

/* ---- weights ---- */

static int64_t channels_of(const aclTensor *self)
{
    return self->descriptor.rank > 1 ? self->descriptor.sizes[1] : 1;
}

static int64_t elements_of(const aclTensor *tensor)
{
    return op_element_count(tensor->descriptor.rank, tensor->descriptor.sizes);
}

static bool expands(const struct ex_descriptor *from, const struct ex_descriptor *to)
{
    const int missing = to->rank - from->rank;
    bool fits = missing >= 0;
    for (int i = 0; fits && i < from->rank; i++)
        fits = from->sizes[i] == 1 || from->sizes[i] == to->sizes[i + missing];
    return fits;
}

static aclnnStatus prelu_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const aclTensor *self = op_tensor_named(problem, "self");
    const aclTensor *weight = op_tensor_named(problem, "weight");
    const aclTensor *dy = op_tensor_named(problem, "gradOutput");
    const int64_t weights = elements_of(weight), channels = channels_of(self);
    struct op_shape_text text;
    problem->rank = self->descriptor.rank;
    for (int i = 0; i < problem->rank; i++)
        problem->sizes[i] = self->descriptor.sizes[i];
    OP_CHECK(name, weights == 1 || weights == channels, ACLNN_ERR_PARAM_INVALID,
             "weight's shape is %s; it must have one element, or one for each of self's %" PRId64
             " channels",
             op_shape(&text, weight), channels);
    if (!dy) return op_check_same_shape(name, "out", op_tensor_named(problem, "out"), "self", self);
    OP_CHECK(name, expands(&dy->descriptor, &self->descriptor), ACLNN_ERR_PARAM_INVALID,
             "gradOutput's shape is %s; it must expand to self's", op_shape(&text, dy));
    OP_TRY(op_check_same_shape(name, "gradInput", op_tensor_named(problem, "gradInput"), "self",
                               self));
    return op_check_same_shape(name, "gradWeight", op_tensor_named(problem, "gradWeight"), "weight",
                               weight);
}

/* Elements in their order along the channels' axis of self. */
static struct op_place along_channels(const struct op_problem *problem,
                                      const struct op_place *weight)
{
    struct op_place along = *weight;
    int64_t stride = 0;
    for (int i = 0; i < weight->view.rank; i++)
        if (weight->view.sizes[i] != 1) stride = weight->view.strides[i];
    along.view.rank = problem->rank;
    for (int i = 0; i < problem->rank; i++) {
        along.view.sizes[i] = problem->sizes[i];
        along.view.strides[i] = i == 1 ? stride : 0;
    }
    return along;
}

static void plan_prelu(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int out = op_given_argument(problem, "out");
    const struct op_place weight = op_target(call, op_given_argument(problem, "weight"), 0);
    const struct op_place slopes = along_channels(problem, &weight);
    const struct op_place to = op_map_target(call, out);
    struct op_map map;
    op_map_begin(&map, call->plan, K_CORE_prelu, problem->type, problem->rank, problem->sizes);
    op_map_result(&map, &to);
    op_map_argument(&map, call, op_given_argument(problem, "self"));
    op_map_operand(&map, &slopes);
    op_map_end(&map);
    op_deliver(call, &to, out);
}

/* The weight's gradient is made for each element, in the type that is computed in, and summed. */
static void plan_prelu_grad(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int out = op_given_argument(problem, "gradInput");
    const int sums = op_given_argument(problem, "gradWeight");
    const struct op_place weight = op_target(call, op_given_argument(problem, "weight"), 0);
    const struct op_place slopes = along_channels(problem, &weight);
    const struct op_place own = op_target(call, sums, 0);
    struct op_place each, to, total = along_channels(problem, &own);
    struct op_map map;
    if (op_view_is_empty(&own.view)) return;
    if (op_element_count(problem->rank, problem->sizes) == 0) {
        op_fill_place(call->plan, &own, 0, 0);
        return;
    }
    const bool has_one = op_element_count(own.view.rank, own.view.sizes) == 1;
    const unsigned all = (1U << problem->rank) - 1, axes = has_one ? all : all & ~2U;
    to = op_map_target(call, out);
    each = op_scratch_place(call->plan, problem->type == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT,
                            problem->rank, problem->sizes);
    op_map_begin(&map, call->plan, K_CORE_prelu_grad, problem->type, problem->rank, problem->sizes);
    op_map_result(&map, &to);
    map.type = each.view.type; /* what is summed is not rounded to a half type */
    op_map_result(&map, &each);
    op_map_argument(&map, call, op_given_argument(problem, "gradOutput"));
    op_map_argument(&map, call, op_given_argument(problem, "self"));
    op_map_operand(&map, &slopes);
    op_map_end(&map);
    op_deliver(call, &to, out);
    total.view.rank = has_one ? 0 : 1;
    total.view.strides[0] = has_one ? 0 : total.view.strides[1];
    op_sum_step(call->plan, &each, axes, problem->type, 1, &total);
}

const struct op_rule op_rule_prelu = {.types = op_types_promoted,
                                      .shapes = prelu_shapes,
                                      .more = &(const struct op_shape_rule){plan_prelu}};
const struct op_rule op_rule_prelu_grad = {.types = op_types_promoted,
                                           .shapes = prelu_shapes,
                                           .runs_empty = true,
                                           .more = &(const struct op_shape_rule){plan_prelu_grad}};

/* ---- random slopes ---- */

static aclnnStatus rrelu_types(struct op_problem *problem)
{
    const struct op_value *first = problem->tensor[0];
    OP_TRY(op_types_promoted(problem));
    for (int i = 1; i < problem->tensor_count; i++)
        OP_TRY(op_check_same_type(problem->row->name, problem->tensor[i]->name,
                                  problem->tensor[i]->tensor, first->name, first->tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus rrelu_shapes(struct op_problem *problem)
{
    const double lower = op_real_named(problem, "lower", 0);
    const double upper = op_real_named(problem, "upper", 0);
    OP_CHECK(problem->row->name, lower <= upper && isfinite(upper - lower), ACLNN_ERR_PARAM_INVALID,
             "lower is %g and upper %g; the first must not be greater, and both finite", lower,
             upper);
    return op_check_one_shape(problem);
}

/* Without training the slope is the middle one, and noise is left as it is. */
static void plan_rrelu(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const bool is_training = op_integer_named(problem, "training", 0) != 0;
    const double lower = op_real_named(problem, "lower", 0);
    const double upper = op_real_named(problem, "upper", 0);
    const int self = (int)(problem->tensor[0] - problem->values);
    const int noise = op_given_argument(problem, "noise");
    int out = op_given_argument(problem, "out");
    struct op_map map;
    if (out < 0) out = self;
    const struct op_place to = op_map_target(call, out);
    op_map_begin(&map, call->plan, is_training ? K_CORE_rrelu : K_CORE_leaky_relu, problem->type,
                 problem->rank, problem->sizes);
    op_map_result(&map, &to);
    if (!is_training) {
        op_map_argument(&map, call, self);
        op_map_number(&map, (lower + upper) / 2);
        op_map_end(&map);
        op_deliver(call, &to, out);
        return;
    }
    const enum k_dtype dtype = op_k_dtype_of(problem->type);
    const struct op_place slopes =
        op_scratch_place(call->plan, problem->type, problem->rank, problem->sizes);
    const struct op_place kept = op_map_target(call, noise);
    struct k_random random = {.kind = K_RANDOM_UNIFORM,
                              .to = dtype,
                              .elements = op_element_count(problem->rank, problem->sizes),
                              .a = lower,
                              .b = upper,
                              .limit = lower < upper ? k_random_below(dtype, upper) : lower};
    op_random_step(call, &random, slopes.buffer, -1, -1);
    op_map_result(&map, &kept);
    op_map_argument(&map, call, self);
    op_map_operand(&map, &slopes);
    op_map_end(&map);
    op_deliver(call, &to, out);
    op_deliver(call, &kept, noise);
}

const struct op_rule op_rule_rrelu = {.types = rrelu_types,
                                      .shapes = rrelu_shapes,
                                      .more = &(const struct op_shape_rule){plan_rrelu}};

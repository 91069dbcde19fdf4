/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of pairs of numbers, each for itself, as a mean or a sum; their gradients. Losses of
 * classes are op_nll.c's. */
#include "api/op_check.h"
#include "api/op_map.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM, REDUCE_BATCHMEAN };

/* What a rule's `more` points to. */
struct loss {
    struct op_shape_rule rule;
    const char *operands[6]; /* the core's, by their names; one that is not given is 1 */
    bool is_gradient;
    bool is_of_one_shape; /* self and target: the others broadcast to theirs */
    bool has_batchmean;
    enum k_core log_core; /* where logTarget is true */
};

static const struct loss *loss_of(const struct op_problem *problem)
{
    return problem->row->rule->more;
}

static int64_t reduction_of(const struct op_problem *problem)
{
    return op_integer_named(problem, "reduction", REDUCE_NONE);
}

/* ---- checks ---- */

static aclnnStatus check_numbers(const struct op_problem *problem)
{
    const int64_t reduction = reduction_of(problem);
    const double beta = op_real_named(problem, "beta", 0);
    const aclTensor *self = op_tensor_named(problem, "self");
    if (loss_of(problem)->has_batchmean)
        OP_CHECK(problem->row->name, reduction >= REDUCE_NONE && reduction <= REDUCE_BATCHMEAN,
                 ACLNN_ERR_PARAM_INVALID,
                 "reduction is %" PRId64
                 "; it must be 0 (none), 1 (mean), 2 (sum) or 3 (batchmean)",
                 reduction);
    else
        OP_CHECK(problem->row->name, reduction >= REDUCE_NONE && reduction <= REDUCE_SUM,
                 ACLNN_ERR_PARAM_INVALID,
                 "reduction is %" PRId64 "; it must be 0 (none), 1 (mean) or 2 (sum)", reduction);
    OP_CHECK(problem->row->name, !(beta < 0), ACLNN_ERR_PARAM_INVALID,
             "beta is %g; it must not be negative", beta);
    OP_CHECK(problem->row->name, reduction != REDUCE_BATCHMEAN || self->descriptor.rank > 0,
             ACLNN_ERR_PARAM_INVALID, "self has no dimensions; of a batchmean it has a batch");
    return ACLNN_SUCCESS;
}

static aclnnStatus check_one_shape(struct op_problem *problem)
{
    const aclTensor *self = op_tensor_named(problem, "self");
    const struct ex_descriptor *d = &self->descriptor;
    struct op_shape_text text;
    OP_TRY(op_check_same_shape(problem->row->name, "target", op_tensor_named(problem, "target"),
                               "self", self));
    OP_TRY(op_find_shape(problem));
    bool is_selfs = problem->rank == d->rank;
    for (int i = 0; is_selfs && i < d->rank; i++)
        is_selfs = problem->sizes[i] == d->sizes[i];
    OP_CHECK(problem->row->name, is_selfs, ACLNN_ERR_PARAM_INVALID,
             "self's shape is %s; the other operands must broadcast to it", op_shape(&text, self));
    return ACLNN_SUCCESS;
}

static aclnnStatus loss_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_written(problem, 0);
    struct op_shape_text text;
    OP_TRY(check_numbers(problem));
    if (loss_of(problem)->is_of_one_shape) OP_TRY(check_one_shape(problem));
    if (loss_of(problem)->is_gradient || reduction_of(problem) == REDUCE_NONE)
        return op_check_broadcast(problem);
    OP_TRY(op_find_shape(problem));
    const struct ex_descriptor *d = &out->tensor->descriptor;
    OP_CHECK(problem->row->name, d->rank == 0 || (d->rank == 1 && d->sizes[0] == 1),
             ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it must have one element", out->name,
             op_shape(&text, out->tensor));
    return ACLNN_SUCCESS;
}

/* ---- the plan ---- */

static double divisor_of(const struct op_problem *problem)
{
    switch (reduction_of(problem)) {
    case REDUCE_MEAN:
        return (double)op_element_count(problem->rank, problem->sizes);
    case REDUCE_BATCHMEAN:
        return (double)op_tensor_named(problem, "self")->descriptor.sizes[0];
    default:
        return 1;
    }
}

static void plan_loss(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct loss *loss = loss_of(problem);
    const bool is_log = op_integer_named(problem, "logTarget", 0) != 0;
    const int out = (int)(op_written(problem, 0) - problem->values);
    const bool sums = !loss->is_gradient && reduction_of(problem) != REDUCE_NONE;
    struct op_place to = op_target(call, out, 0);
    struct op_map map;
    op_map_begin(&map, call->plan, is_log ? loss->log_core : (enum k_core)problem->row->core,
                 problem->type, problem->rank, problem->sizes);
    if (!sums) {
        to = op_map_target(call, out);
        op_map_result(&map, &to);
    }
    for (int i = 0; loss->operands[i]; i++) {
        const int argument = op_given_argument(problem, loss->operands[i]);
        if (argument < 0)
            op_map_constant(&map, 1);
        else
            op_map_argument(&map, call, argument);
    }
    if (loss->is_gradient) op_map_number(&map, 1 / divisor_of(problem));
    op_map_number(&map, op_real_named(problem, "beta", 0));
    if (sums) {
        op_map_sum(&map, divisor_of(problem), &to);
        return;
    }
    op_map_end(&map);
    op_deliver(call, &to, out);
}

#define LOSS(name, ...)                                                                            \
    const struct op_rule op_rule_##name = {                                                        \
        .types = op_types_promoted,                                                                \
        .shapes = loss_shapes,                                                                     \
        .runs_empty = true,                                                                        \
        .more = &(const struct loss){.rule = {plan_loss}, __VA_ARGS__}};

LOSS(loss, .operands = {"self", "target"})
LOSS(loss_gradient, .operands = {"gradOutput", "self", "target"}, .is_gradient = true)
LOSS(smooth_l1_gradient, .operands = {"gradOut", "self", "target"}, .is_gradient = true)
LOSS(bce, .operands = {"weight", "self", "target"}, .is_of_one_shape = true)
LOSS(bce_gradient, .operands = {"weightOptional", "gradOutput", "self", "target"},
     .is_gradient = true, .is_of_one_shape = true)
LOSS(bce_logits, .operands = {"weightOptional", "posWeightOptional", "self", "target"},
     .is_of_one_shape = true)
LOSS(bce_logits_gradient,
     .operands = {"weightOptional", "posWeightOptional", "gradOutput", "self", "target"},
     .is_gradient = true, .is_of_one_shape = true)
LOSS(bce_logits_target_gradient,
     .operands = {"weightOptional", "posWeightOptional", "gradOutput", "self"}, .is_gradient = true,
     .is_of_one_shape = true)
LOSS(kl_div, .operands = {"self", "target"}, .has_batchmean = true, .log_core = K_CORE_kl_div_log)
LOSS(kl_div_gradient, .operands = {"gradOutput", "self", "target"}, .is_gradient = true,
     .has_batchmean = true, .log_core = K_CORE_kl_div_log_grad)
LOSS(kl_div_target_gradient, .operands = {"gradOutput", "self", "target"}, .is_gradient = true,
     .has_batchmean = true, .log_core = K_CORE_kl_div_log_target_grad)

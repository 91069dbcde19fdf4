/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of pairs of numbers, each for itself, as a mean or a sum; their gradients. Losses of
 * classes are op_nll.c's. */
#include <math.h>
#include <string.h>

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

/* A number, or a text, which is "mean" where it is NULL; -1: it is none of those that there are. */
static int64_t reduction_of(const struct op_problem *problem)
{
    static const char *const names[] = {"none", "mean", "sum"};
    const struct op_value *value = op_argument_named(problem, "reductionOptional");
    if (!value) value = op_argument_named(problem, "reduction");
    if (!value || value->kind != OP_TEXT_OF) return value ? value->integer : REDUCE_NONE;
    if (!value->text) return REDUCE_MEAN;
    for (int i = REDUCE_NONE; i <= REDUCE_SUM; i++)
        if (strcmp(value->text, names[i]) == 0) return i;
    return -1;
}

/* ---- checks ---- */

static aclnnStatus check_text(const struct op_problem *problem)
{
    const struct op_value *value = op_argument_named(problem, "reductionOptional");
    if (!value) value = op_argument_named(problem, "reduction");
    OP_CHECK(problem->row->name, value->kind != OP_TEXT_OF || reduction_of(problem) >= 0,
             ACLNN_ERR_PARAM_INVALID, "%s is \"%s\"; it must be \"none\", \"mean\" or \"sum\"",
             value->name, value->text);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_numbers(const struct op_problem *problem)
{
    const int64_t reduction = reduction_of(problem);
    const double beta = op_real_named(problem, "beta", 0);
    const aclTensor *self = op_tensor_named(problem, "self");
    OP_TRY(check_text(problem));
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

/* aclnnLpLoss, aclnnGaussianNllLoss */
static aclnnStatus check_orders(const struct op_problem *problem)
{
    const int64_t p = op_integer_named(problem, "p", 1);
    const double eps = op_real_named(problem, "eps", 1);
    OP_CHECK(problem->row->name, p == 1, ACLNN_ERR_PARAM_INVALID, "p is %" PRId64 "; it must be 1",
             p);
    OP_CHECK(problem->row->name, eps > 0 && isfinite(eps), ACLNN_ERR_PARAM_INVALID,
             "eps is %g; it must be greater than 0 and finite", eps);
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
    OP_TRY(check_orders(problem));
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

/* ---- the variance of aclnnGaussianNllLoss: one of a row may have no axis for it ---- */

static bool is_of_rows(const struct op_problem *problem, const struct ex_descriptor *d)
{
    const struct ex_descriptor *input = &op_tensor_named(problem, "input")->descriptor;
    return d->rank == input->rank - 1 &&
           memcmp(d->sizes, input->sizes, (size_t)d->rank * sizeof *d->sizes) == 0;
}

/* input's shape is that of all; target and var have it, or 1 for some size. */
static aclnnStatus gaussian_shapes(struct op_problem *problem)
{
    const struct op_value *input = &problem->values[0], *out = op_written(problem, 0);
    const struct ex_descriptor *d = &input->tensor->descriptor;
    struct op_shape_text text, wanted;
    OP_TRY(check_numbers(problem));
    OP_TRY(check_orders(problem));
    problem->rank = d->rank;
    memcpy(problem->sizes, d->sizes, (size_t)d->rank * sizeof *d->sizes);
    for (int i = 1; i <= 2; i++) {
        const struct op_value *value = &problem->values[i];
        const struct ex_descriptor *own = &value->tensor->descriptor;
        bool fits = own->rank == d->rank || op_element_count(own->rank, own->sizes) == 1;
        for (int axis = 0; own->rank == d->rank && axis < d->rank; axis++)
            fits = fits && (own->sizes[axis] == d->sizes[axis] || own->sizes[axis] == 1);
        if (i == 2) fits = fits || is_of_rows(problem, own);
        OP_CHECK(problem->row->name, fits && own->rank <= d->rank, ACLNN_ERR_PARAM_INVALID,
                 "%s's shape is %s; it does not broadcast to input's, %s", value->name,
                 op_shape(&text, value->tensor), op_shape(&wanted, input->tensor));
    }
    if (reduction_of(problem) == REDUCE_NONE)
        return op_check_shape(problem, out, out->tensor, problem->rank, problem->sizes);
    OP_CHECK(problem->row->name,
             out->tensor->descriptor.rank <= 1 &&
                 op_element_count(out->tensor->descriptor.rank, out->tensor->descriptor.sizes) == 1,
             ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it must have one element", out->name,
             op_shape(&text, out->tensor));
    return ACLNN_SUCCESS;
}

static void add_argument(struct op_map *map, const struct op_shape_call *call, int argument)
{
    const struct op_value *value = &call->problem->values[argument];
    struct op_place place = op_target(call, argument, 0);
    if (strcmp(value->name, "var") == 0 && is_of_rows(call->problem, &value->tensor->descriptor)) {
        place.view.sizes[place.view.rank] = 1;
        place.view.strides[place.view.rank++] = 0;
    }
    op_map_operand(map, &place);
}

/* ---- the plan ---- */

static void add_numbers(struct op_map *map, const struct op_problem *problem)
{
    const double half_of_log = 0.91893853320467274178; /* log(2 pi) / 2 */
    if (op_argument_named(problem, "margin")) {
        op_map_number(map, op_real_named(problem, "margin", 0));
    } else if (op_argument_named(problem, "eps")) {
        op_map_number(map, op_real_named(problem, "eps", 0));
        op_map_number(map, op_integer_named(problem, "full", 0) ? half_of_log : 0);
    } else {
        op_map_number(map, op_real_named(problem, "beta", 0));
    }
}

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
            add_argument(&map, call, argument);
    }
    if (loss->is_gradient) op_map_number(&map, 1 / divisor_of(problem));
    add_numbers(&map, problem);
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
LOSS(lp_loss, .operands = {"predict", "label"})
LOSS(hinge_embedding, .operands = {"input", "target"})
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

const struct op_rule op_rule_gaussian_nll = {
    .types = op_types_promoted,
    .shapes = gaussian_shapes,
    .runs_empty = true,
    .more = &(const struct loss){.rule = {plan_loss}, .operands = {"input", "target", "var"}}};

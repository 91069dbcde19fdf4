/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, its logarithm, their gradients. */
#include "api/op_check.h"
#include "api/op_norm.h"
#include "api/op_rule.h"

static const aclTensor *first(const struct op_problem *problem)
{
    return problem->tensor[0]->tensor;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &first(problem)->descriptor;
    int axis;
    OP_TRY(op_norm_check_dim(problem, first(problem), &axis));
    for (int i = 1; i < problem->tensor_count; i++)
        OP_TRY(op_norm_check_shape(problem, problem->tensor[i]->name, d->rank, d->sizes));
    return ACLNN_SUCCESS;
}

static void plan(struct op_norm_call *call)
{
    static const enum k_norm_kind kinds[] = {
        [OP_NORM_softmax] = K_NORM_SOFTMAX,
        [OP_NORM_log_softmax] = K_NORM_LOG_SOFTMAX,
        [OP_NORM_softmax_grad] = K_NORM_SOFTMAX_GRAD,
        [OP_NORM_log_softmax_grad] = K_NORM_LOG_SOFTMAX_GRAD,
    };
    const struct ex_descriptor *d = &first(call->problem)->descriptor;
    const enum k_norm_kind kind = kinds[call->problem->row->core];
    int axis = 0;
    op_find_axis(op_integer_named(call->problem, "dim", 0), d->rank, &axis);
    op_norm_begin(call, kind, d->rank, d->sizes, d->rank > 0 ? 1U << axis : 0);
    for (int i = 0; i < call->problem->tensor_count; i++)
        op_norm_whole(call, i, call->problem->tensor[i]->name);
    op_norm_end(call, 4, NULL);
}

static const struct op_norm_rule more = {.plan = plan};
const struct op_rule op_rule_softmax = {.types = op_norm_types, .shapes = shapes, .more = &more};

/* ---- scaled and masked ---- */

static aclnnStatus masked_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &first(problem)->descriptor;
    const aclTensor *mask = op_tensor_named(problem, "mask");
    const char *name = problem->tensor[0]->name;
    struct op_shape_text text;
    OP_CHECK(problem->row->name, !op_integer_named(problem, "fixTriuMask", 0),
             ACLNN_ERR_PARAM_INVALID, "fixTriuMask is true; it must be false");
    OP_TRY(op_check_rank(problem->row->name, name, first(problem), 4, 4));
    OP_TRY(op_check_rank(problem->row->name, "mask", mask, 4, 4));
    OP_TRY(op_norm_check_shape(problem, "y", 4, d->sizes));
    OP_TRY(op_norm_check_shape(problem, "out", 4, d->sizes));
    for (int i = 0; i < 4; i++)
        OP_CHECK(problem->row->name,
                 mask->descriptor.sizes[i] == d->sizes[i] ||
                     (i < 2 && mask->descriptor.sizes[i] == 1),
                 ACLNN_ERR_PARAM_INVALID, "mask's shape is %s; it cannot be broadcast to %s's",
                 op_shape(&text, mask), name);
    return ACLNN_SUCCESS;
}

static void plan_masked(struct op_norm_call *call)
{
    const struct ex_descriptor *d = &first(call->problem)->descriptor;
    const bool is_gradient = call->problem->row->core == OP_NORM_masked_softmax_grad;
    op_norm_begin(call, is_gradient ? K_NORM_MASKED_SOFTMAX_GRAD : K_NORM_MASKED_SOFTMAX, 4,
                  d->sizes, 1U << 3);
    call->norm.number[0] = op_real_named(call->problem, "scale", 1);
    for (int i = 0; i < call->problem->tensor_count; i++)
        op_norm_whole(call, i, call->problem->tensor[i]->name);
    op_norm_end(call, 4, NULL);
}

static const struct op_norm_rule masked_more = {.plan = plan_masked, .masks = " mask "};
const struct op_rule op_rule_masked_softmax = {
    .types = op_norm_types, .shapes = masked_shapes, .more = &masked_more};

/* ---- cross entropy with probabilities ---- */

static aclnnStatus labels_shapes(struct op_problem *problem)
{
    const aclTensor *features = op_tensor_named(problem, "features");
    OP_TRY(op_check_rank(problem->row->name, "features", features, 2, 2));
    OP_TRY(op_norm_check_shape(problem, "labels", 2, features->descriptor.sizes));
    OP_TRY(op_norm_check_shape(problem, "loss", 1, features->descriptor.sizes));
    return op_norm_check_shape(problem, "backprop", 2, features->descriptor.sizes);
}

static void plan_labels(struct op_norm_call *call)
{
    const struct ex_descriptor *d = &first(call->problem)->descriptor;
    const struct op_value *loss = op_norm_given(call, "loss");
    struct op_view view;
    op_norm_begin(call, K_NORM_LABELS, 2, d->sizes, 2);
    op_norm_whole(call, K_LABELS_X, "features");
    op_norm_whole(call, K_LABELS_LABELS, "labels");
    op_norm_whole(call, K_LABELS_GRAD, "backprop");
    const int to = op_norm_target(call, loss, false, &view);
    view.strides[1] = 0;
    op_norm_place(call, K_LABELS_LOSS, to, &view, true);
    op_norm_end(call, 4, NULL);
}

static const struct op_norm_rule labels_more = {.plan = plan_labels};
const struct op_rule op_rule_labels = {
    .types = op_norm_types, .shapes = labels_shapes, .more = &labels_more};

/* ---- norms of slices ---- */

static double scalar_of(const struct op_problem *problem, const char *name)
{
    return op_scalar_real(op_argument_named(problem, name)->scalar);
}

static aclnnStatus renorm_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &first(problem)->descriptor;
    const double p = scalar_of(problem, "p"), most = scalar_of(problem, "maxNorm");
    int axis;
    OP_TRY(op_check_rank(problem->row->name, problem->tensor[0]->name, first(problem), 2,
                         EX_MAX_RANK));
    OP_CHECK(problem->row->name, p >= 0, ACLNN_ERR_PARAM_INVALID, "p is %g; it must be at least 0",
             p);
    OP_CHECK(problem->row->name, most >= 0, ACLNN_ERR_PARAM_INVALID,
             "maxNorm is %g; it must be at least 0", most);
    OP_TRY(op_norm_check_dim(problem, first(problem), &axis));
    return op_norm_check_shape(problem, "out", d->rank, d->sizes);
}

/* A row is all that has one index of the axis. */
static void plan_renorm(struct op_norm_call *call)
{
    const struct ex_descriptor *d = &first(call->problem)->descriptor;
    const bool is_in_place = call->problem->tensor_count == 1;
    int axis = 0;
    op_find_axis(op_integer_named(call->problem, "dim", 0), d->rank, &axis);
    op_norm_begin(call, K_NORM_RENORM, d->rank, d->sizes, ((1U << d->rank) - 1) & ~(1U << axis));
    call->norm.number[0] = scalar_of(call->problem, "p");
    call->norm.number[1] = scalar_of(call->problem, "maxNorm");
    const struct op_view view = op_view_of(first(call->problem));
    op_norm_operand(call, K_RENORM_X, call->problem->tensor[0]->name, &view);
    op_norm_whole(call, K_RENORM_OUT, is_in_place ? "selfRef" : "out");
    op_norm_end(call, 2, NULL);
}

static const struct op_norm_rule renorm_more = {.plan = plan_renorm};
const struct op_rule op_rule_renorm = {
    .types = op_norm_types, .shapes = renorm_shapes, .more = &renorm_more};

/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of classes: negative log likelihood, cross entropy. */
#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "api/op_norm.h"
#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/loss/k_margin.h"
#include "kernels/loss/k_nll.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };

/* ---- checks ---- */

/* self's axes: a batch, unless there is none, classes, and planes. */
struct classes {
    const aclTensor *self;
    int axis; /* of the classes */
    int rank; /* of the other axes */
    int64_t count, sizes[EX_MAX_RANK];
};

static struct classes classes_of(const aclTensor *self)
{
    const struct ex_descriptor *d = &self->descriptor;
    struct classes c = {.self = self, .axis = d->rank == 1 ? 0 : 1};
    c.count = d->sizes[c.axis];
    for (int i = 0; i < d->rank; i++)
        if (i != c.axis) c.sizes[c.rank++] = d->sizes[i];
    return c;
}

static aclnnStatus check_one(const struct op_problem *problem, const char *name)
{
    const aclTensor *tensor = op_tensor_named(problem, name);
    struct op_shape_text text;
    if (!tensor) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &tensor->descriptor;
    OP_CHECK(problem->row->name, d->rank == 0 || (d->rank == 1 && d->sizes[0] == 1),
             ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it must have one element", name,
             op_shape(&text, tensor));
    return ACLNN_SUCCESS;
}

/* A loss for each position, or one of them all. */
static aclnnStatus check_loss(const struct op_problem *problem, const struct classes *c,
                              const char *name, int64_t reduction)
{
    if (reduction != REDUCE_NONE || c->rank == 0) return check_one(problem, name);
    return op_norm_check_shape(problem, name, c->rank, c->sizes);
}

static bool is_2d(const struct op_problem *problem)
{
    return problem->row->core == OP_NORM_nll2d || problem->row->core == OP_NORM_nll2d_grad;
}

static bool is_gradient(const struct op_problem *problem)
{
    return problem->row->core == OP_NORM_nll_grad || problem->row->core == OP_NORM_nll2d_grad;
}

static aclnnStatus nll_shapes(struct op_problem *problem)
{
    const aclTensor *self = op_tensor_named(problem, "self");
    const int64_t reduction = op_integer_named(problem, "reduction", 0);
    OP_CHECK(problem->row->name, reduction >= REDUCE_NONE && reduction <= REDUCE_SUM,
             ACLNN_ERR_PARAM_INVALID, "reduction is %" PRId64 "; it must be 0, 1 or 2", reduction);
    OP_TRY(op_check_rank(problem->row->name, "self", self, is_2d(problem) ? 4 : 1,
                         is_2d(problem) ? 4 : 2));
    const struct classes c = classes_of(self);
    if (c.rank == 0)
        OP_TRY(check_one(problem, "target"));
    else
        OP_TRY(op_norm_check_shape(problem, "target", c.rank, c.sizes));
    OP_TRY(op_norm_check_shape(problem, "weight", 1, &c.count));
    if (is_gradient(problem)) {
        OP_TRY(check_loss(problem, &c, "gradOutput", reduction));
        OP_TRY(check_one(problem, "totalWeight"));
        return op_norm_check_shape(problem, "out", self->descriptor.rank, self->descriptor.sizes);
    }
    OP_TRY(check_loss(problem, &c, "out", reduction));
    return check_one(problem, "totalWeightOut");
}

/* ---- plans ---- */

static const struct op_value *value_of(const struct op_norm_call *call, const char *name)
{
    const struct op_value *value = op_argument_named(call->problem, name);
    return value && value->tensor ? value : NULL;
}

static int buffer_of(const struct op_norm_call *call, const struct op_value *value)
{
    return call->buffers[value - call->problem->values];
}

static enum k_dtype dtype_of(const struct op_value *value)
{
    return op_k_dtype(value->tensor);
}

static void describe_nll(const void *parameters, void *const buffers[], int64_t position,
                         char *text, size_t size)
{
    const struct k_nll *nll = parameters;
    int64_t offset = 0, rest = position, value = 0;
    for (int axis = nll->rank - 1; axis >= 0; axis--) {
        offset += rest % nll->sizes[axis] * nll->target_steps[axis];
        rest /= nll->sizes[axis];
    }
    if (nll->dtype[K_NLL_TARGET] == K_I64)
        value = ((const int64_t *)buffers[K_NLL_TARGET])[offset];
    else if (nll->dtype[K_NLL_TARGET] == K_I32)
        value = ((const int32_t *)buffers[K_NLL_TARGET])[offset];
    else
        value = ((const uint8_t *)buffers[K_NLL_TARGET])[offset];
    snprintf(text, size, "element %" PRId64 " of target is %" PRId64 "; it must be 0 to %" PRId64,
             position, value, nll->classes - 1);
}

static void set_target(struct k_nll *nll, const struct op_norm_call *call, const struct classes *c)
{
    const struct op_value *target = value_of(call, "target"), *weight = value_of(call, "weight");
    if (!weight) weight = value_of(call, "weightOptional");
    const struct ex_descriptor *d = &target->tensor->descriptor;
    nll->classes = c->count;
    nll->ignored = op_integer_named(call->problem, "ignoreIndex", -100);
    nll->rank = c->rank;
    nll->positions = 1;
    for (int i = 0; i < c->rank; i++) {
        nll->sizes[i] = c->sizes[i];
        nll->positions *= c->sizes[i];
        nll->target_steps[i] = d->strides[i];
    }
    nll->dtype[K_NLL_TARGET] = dtype_of(target);
    nll->has_weight = weight != NULL;
    if (!weight) return;
    nll->dtype[K_NLL_WEIGHT] = dtype_of(weight);
    nll->weight_step = weight->tensor->descriptor.strides[0];
}

/* Steps of a tensor with classes along the other axes. */
static void class_steps(const struct classes *c, const int64_t *strides, int64_t *steps)
{
    for (int i = 0; i < c->rank; i++)
        steps[i] = strides[c->axis == 0 || i < c->axis ? i : i + 1];
}

static void step_of(struct op_norm_call *call, const struct k_nll *nll, int x, int target,
                    int weight, int out, int total)
{
    if (nll->kind == K_NLL_TOTAL)
        ex_step(call->plan, "nll", k_best()->nll, nll, sizeof *nll, k_nll_work(nll),
                EX_BUFFERS(x, target, weight, out, total));
    else
        ex_step_with_faults(call->plan, "nll", k_best()->nll, nll, sizeof *nll, k_nll_work(nll),
                            EX_BUFFERS(x, target, weight, out, total), describe_nll);
}

/* Sums of doubles: their sum, or their quotient by the sum of weights, and the latter. */
static void add_total(struct op_norm_call *call, int64_t count, bool is_mean, int losses,
                      int weights, const struct op_value *out, const struct op_value *total)
{
    struct k_nll nll = {.kind = K_NLL_TOTAL, .positions = count, .is_mean = is_mean};
    struct op_view view;
    const int to = op_norm_target(call, out, false, &view);
    nll.dtype[K_NLL_OUT] = dtype_of(out);
    nll.has_total = total != NULL;
    int total_to = to;
    if (total) {
        total_to = op_norm_target(call, total, false, &view);
        nll.dtype[K_NLL_TOTAL_OUT] = dtype_of(total);
    }
    step_of(call, &nll, losses, losses, weights, to, total_to);
}

static void plan_nll(struct op_norm_call *call)
{
    const struct op_value *self = value_of(call, "self"), *target = value_of(call, "target");
    const struct op_value *weight = value_of(call, "weight"), *out = value_of(call, "out");
    const struct op_value *total = value_of(call, "totalWeightOut");
    const int64_t reduction = op_integer_named(call->problem, "reduction", 0);
    const struct classes c = classes_of(self->tensor);
    struct k_nll nll = {.kind = reduction == REDUCE_NONE ? K_NLL_EACH : K_NLL_PARTS};
    set_target(&nll, call, &c);
    nll.dtype[K_NLL_X] = dtype_of(self);
    class_steps(&c, self->tensor->descriptor.strides, nll.x_steps);
    nll.class_step = self->tensor->descriptor.strides[c.axis];
    const int x = buffer_of(call, self), t = buffer_of(call, target);
    const int w = weight ? buffer_of(call, weight) : x;
    if (reduction == REDUCE_NONE) {
        struct op_view view;
        const int to = op_norm_target(call, out, false, &view);
        nll.dtype[K_NLL_OUT] = dtype_of(out);
        for (int i = 0; i < c.rank; i++)
            nll.out_steps[i] = view.strides[i];
        if (nll.positions > 0) step_of(call, &nll, x, t, w, to, to);
        op_norm_deliver(call);
        op_norm_fill(call, total, 0);
        return;
    }
    const int64_t blocks = (nll.positions + K_NLL_BLOCK - 1) / K_NLL_BLOCK;
    const int losses = ex_scratch(call->plan, (size_t)(blocks > 0 ? blocks : 1) * 8);
    const int weights = ex_scratch(call->plan, (size_t)(blocks > 0 ? blocks : 1) * 8);
    if (blocks > 0) step_of(call, &nll, x, t, w, losses, weights);
    add_total(call, blocks, reduction == REDUCE_MEAN, losses, weights, out, total);
}

static void plan_nll_grad(struct op_norm_call *call)
{
    const struct op_value *dy = value_of(call, "gradOutput"), *target = value_of(call, "target");
    const struct op_value *weight = value_of(call, "weight"), *out = value_of(call, "out");
    const struct op_value *total = value_of(call, "totalWeight");
    const int64_t reduction = op_integer_named(call->problem, "reduction", 0);
    const struct classes c = classes_of(op_tensor_named(call->problem, "self"));
    struct k_nll nll = {.kind = K_NLL_GRAD};
    struct op_place place;
    if (op_is_empty(out->tensor)) return;
    set_target(&nll, call, &c);
    nll.dtype[K_NLL_X] = dtype_of(dy);
    for (int i = 0; i < c.rank && reduction == REDUCE_NONE; i++)
        nll.x_steps[i] = dy->tensor->descriptor.strides[i];
    nll.has_total = reduction == REDUCE_MEAN;
    nll.dtype[K_NLL_TOTAL_OUT] = dtype_of(total);
    place.buffer = op_norm_target(call, out, false, &place.view);
    nll.dtype[K_NLL_OUT] = dtype_of(out);
    class_steps(&c, place.view.strides, nll.out_steps);
    nll.class_step = place.view.strides[c.axis];
    op_fill_place(call->plan, &place, 0, 0);
    const int x = buffer_of(call, dy);
    step_of(call, &nll, x, buffer_of(call, target), weight ? buffer_of(call, weight) : x,
            place.buffer, buffer_of(call, total));
}

static const struct op_norm_rule nll_more = {.plan = plan_nll, .integers = " target "};
static const struct op_norm_rule nll_grad_more = {.plan = plan_nll_grad, .integers = " target "};
const struct op_rule op_rule_nll = {
    .types = op_norm_types, .shapes = nll_shapes, .runs_empty = true, .more = &nll_more};
const struct op_rule op_rule_nll_grad = {
    .types = op_norm_types, .shapes = nll_shapes, .runs_empty = true, .more = &nll_grad_more};

/* ---- cross entropy ---- */

static bool find_reduction(const struct op_problem *problem, int64_t *reduction)
{
    const struct op_value *value = op_argument_named(problem, "reductionOptional");
    const char *text = value->text ? value->text : "mean";
    *reduction = strcmp(text, "mean") == 0   ? REDUCE_MEAN
                 : strcmp(text, "sum") == 0  ? REDUCE_SUM
                 : strcmp(text, "none") == 0 ? REDUCE_NONE
                                             : -1;
    return *reduction >= 0;
}

static bool is_cross_gradient(const struct op_problem *problem)
{
    return problem->row->core == OP_NORM_cross_entropy_grad;
}

static aclnnStatus check_zloss(const struct op_problem *problem)
{
    const double scale = op_real_named(problem, "lseSquareScaleForZloss", 0);
    OP_CHECK(problem->row->name, scale == 0, ACLNN_ERR_PARAM_INVALID,
             "lseSquareScaleForZloss is %g; it must be 0: there is no z-loss", scale);
    OP_CHECK(problem->row->name, op_integer_named(problem, "returnZloss", 0) == 0,
             ACLNN_ERR_PARAM_INVALID, "returnZloss is true; it must be false: there is no z-loss");
    OP_CHECK(problem->row->name, !op_tensor_named(problem, "gradZlossOptional"),
             ACLNN_ERR_PARAM_INVALID,
             "gradZlossOptional is given; it must be NULL: there is no z-loss");
    return ACLNN_SUCCESS;
}

static aclnnStatus cross_shapes(struct op_problem *problem)
{
    const char *name = is_cross_gradient(problem) ? "logProb" : "input";
    const aclTensor *input = op_tensor_named(problem, name);
    const double smoothing = op_real_named(problem, "labelSmoothing", 0);
    int64_t reduction;
    OP_CHECK(problem->row->name, find_reduction(problem, &reduction), ACLNN_ERR_PARAM_INVALID,
             "reductionOptional is \"%s\"; it must be \"mean\", \"sum\" or \"none\"",
             op_argument_named(problem, "reductionOptional")->text);
    OP_CHECK(problem->row->name, smoothing >= 0 && smoothing <= 1, ACLNN_ERR_PARAM_INVALID,
             "labelSmoothing is %g; it must be from 0 to 1", smoothing);
    OP_TRY(check_zloss(problem));
    OP_TRY(op_check_rank(problem->row->name, name, input, 2, 2));
    const struct classes c = classes_of(input);
    OP_TRY(op_norm_check_shape(problem, "target", 1, c.sizes));
    OP_TRY(op_norm_check_shape(problem, "weightOptional", 1, &c.count));
    if (is_cross_gradient(problem)) {
        OP_TRY(check_loss(problem, &c, "gradLoss", reduction));
        return op_norm_check_shape(problem, "out", 2, input->descriptor.sizes);
    }
    OP_TRY(check_loss(problem, &c, "lossOut", reduction));
    return op_norm_check_shape(problem, "logProbOut", 2, input->descriptor.sizes);
}

static void describe_cross(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_norm *n = parameters;
    const int slot = n->kind == K_NORM_CROSS_ENTROPY ? K_CROSS_TARGET : K_CROSS_GRAD_TARGET;
    const struct k_norm_operand *target = &n->operand[slot];
    const int64_t offset = position * target->kept[0];
    const int64_t value = target->dtype == K_I64   ? ((const int64_t *)buffers[slot])[offset]
                          : target->dtype == K_I32 ? ((const int32_t *)buffers[slot])[offset]
                                                   : ((const uint8_t *)buffers[slot])[offset];
    snprintf(text, size, "element %" PRId64 " of target is %" PRId64 "; it must be 0 to %" PRId64,
             position, value, n->count - 1);
}

/* One element for each row of a (rows, classes) tensor, and one for each class. */
static struct op_view by_row(const aclTensor *tensor)
{
    struct op_view view = op_view_of(tensor);
    view.rank = 2;
    view.strides[0] = tensor->descriptor.rank > 0 && tensor->descriptor.sizes[0] > 1
                          ? tensor->descriptor.strides[0]
                          : 0;
    view.strides[1] = 0;
    return view;
}

static void place_by_row(struct op_norm_call *call, int slot, const char *name)
{
    const struct op_value *value = value_of(call, name);
    const struct op_view view = by_row(value->tensor);
    op_norm_operand(call, slot, name, &view);
}

static void place_weight(struct op_norm_call *call, int slot)
{
    if (value_of(call, "weightOptional")) op_norm_whole(call, slot, "weightOptional");
}

static struct op_view dense_by_row(void)
{
    return (struct op_view){.type = ACL_DOUBLE, .rank = 2, .strides = {1, 0}};
}

static void plan_cross(struct op_norm_call *call)
{
    const struct op_value *input = value_of(call, "input"), *loss = value_of(call, "lossOut");
    const struct ex_descriptor *d = &input->tensor->descriptor;
    const int64_t rows = d->sizes[0];
    const struct op_view each = dense_by_row();
    int64_t reduction;
    find_reduction(call->problem, &reduction);
    const size_t bytes = (size_t)(rows > 0 ? rows : 1) * 8;
    const int losses = ex_scratch(call->plan, bytes), weights = ex_scratch(call->plan, bytes);
    if (rows > 0 && d->sizes[1] > 0) {
        op_norm_begin(call, K_NORM_CROSS_ENTROPY, 2, d->sizes, 2);
        call->norm.number[0] = op_real_named(call->problem, "labelSmoothing", 0);
        call->norm.ignored = op_integer_named(call->problem, "ignoreIndex", -100);
        op_norm_whole(call, K_CROSS_X, "input");
        place_by_row(call, K_CROSS_TARGET, "target");
        place_weight(call, K_CROSS_WEIGHT);
        op_norm_whole(call, K_CROSS_OUT, "logProbOut");
        op_norm_place(call, K_CROSS_LOSS, losses, &each, true);
        op_norm_place(call, K_CROSS_TOTAL, weights, &each, true);
        op_norm_end(call, 4, describe_cross);
    }
    if (reduction != REDUCE_NONE) {
        add_total(call, rows, reduction == REDUCE_MEAN, losses, weights, loss, NULL);
        return;
    }
    struct op_view to = op_view_of(loss->tensor);
    const struct op_view from = op_view_dense(ACL_DOUBLE, 1, d->sizes);
    op_copy_step(call->plan, losses, &from, buffer_of(call, loss), &to);
}

/* The sum of the weights of all targets, as a double. */
static int plan_weights(struct op_norm_call *call, const struct classes *c)
{
    const struct op_value *logp = value_of(call, "logProb"), *target = value_of(call, "target");
    const struct op_value *weight = value_of(call, "weightOptional");
    struct k_nll nll = {.kind = K_NLL_PARTS};
    set_target(&nll, call, c);
    nll.dtype[K_NLL_X] = dtype_of(logp);
    class_steps(c, logp->tensor->descriptor.strides, nll.x_steps);
    nll.class_step = logp->tensor->descriptor.strides[1];
    const int64_t blocks = (nll.positions + K_NLL_BLOCK - 1) / K_NLL_BLOCK;
    const int losses = ex_scratch(call->plan, (size_t)blocks * 8);
    const int weights = ex_scratch(call->plan, (size_t)blocks * 8);
    const int loss = ex_scratch(call->plan, 8), total = ex_scratch(call->plan, 8);
    const int x = buffer_of(call, logp);
    step_of(call, &nll, x, buffer_of(call, target), weight ? buffer_of(call, weight) : x, losses,
            weights);
    struct k_nll sums = {.kind = K_NLL_TOTAL, .positions = blocks, .has_total = true};
    sums.dtype[K_NLL_OUT] = sums.dtype[K_NLL_TOTAL_OUT] = K_F64;
    step_of(call, &sums, losses, losses, weights, loss, total);
    return total;
}

static void plan_cross_grad(struct op_norm_call *call)
{
    const struct op_value *logp = value_of(call, "logProb");
    const struct ex_descriptor *d = &logp->tensor->descriptor;
    const struct classes c = classes_of(logp->tensor);
    struct op_view all = dense_by_row();
    int64_t reduction;
    find_reduction(call->problem, &reduction);
    all.strides[0] = 0;
    const int total = reduction == REDUCE_MEAN ? plan_weights(call, &c) : -1;
    op_norm_begin(call, K_NORM_CROSS_ENTROPY_GRAD, 2, d->sizes, 2);
    call->norm.number[0] = op_real_named(call->problem, "labelSmoothing", 0);
    call->norm.ignored = op_integer_named(call->problem, "ignoreIndex", -100);
    op_norm_whole(call, K_CROSS_GRAD_LOGP, "logProb");
    place_by_row(call, K_CROSS_GRAD_TARGET, "target");
    place_weight(call, K_CROSS_GRAD_WEIGHT);
    place_by_row(call, K_CROSS_GRAD_DLOSS, "gradLoss");
    if (total >= 0) op_norm_place(call, K_CROSS_GRAD_TOTAL, total, &all, false);
    op_norm_whole(call, K_CROSS_GRAD_OUT, "out");
    op_norm_end(call, 4, describe_cross);
}

static const struct op_norm_rule cross_more = {.plan = plan_cross, .integers = " target "};
static const struct op_norm_rule cross_grad_more = {.plan = plan_cross_grad,
                                                    .integers = " target "};
const struct op_rule op_rule_cross_entropy = {
    .types = op_norm_types, .shapes = cross_shapes, .runs_empty = true, .more = &cross_more};
const struct op_rule op_rule_cross_entropy_grad = {
    .types = op_norm_types, .shapes = cross_shapes, .more = &cross_grad_more};

/* ---- margins ---- */

static aclnnStatus margin_shapes(struct op_problem *problem)
{
    const aclTensor *self = op_tensor_named(problem, "self");
    const struct ex_descriptor *d = &self->descriptor;
    const int64_t reduction = op_integer_named(problem, "reduction", 0);
    OP_CHECK(problem->row->name, reduction >= REDUCE_NONE && reduction <= REDUCE_SUM,
             ACLNN_ERR_PARAM_INVALID, "reduction is %" PRId64 "; it must be 0, 1 or 2", reduction);
    OP_TRY(op_check_rank(problem->row->name, "self", self, 0, 2));
    OP_TRY(op_norm_check_shape(problem, "target", d->rank, d->sizes));
    OP_TRY(op_norm_check_shape(problem, "isTarget", d->rank, d->sizes));
    const struct classes c = {.rank = d->rank == 2, .sizes = {d->sizes[0]}};
    return check_loss(problem, &c, "out", reduction);
}

static void describe_margin(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_margin *m = parameters;
    const int64_t at =
        position / m->classes * m->target_steps[0] + position % m->classes * m->target_steps[1];
    const void *targets = buffers[K_MARGIN_TARGET];
    const int64_t value = m->target == K_I64   ? ((const int64_t *)targets)[at]
                          : m->target == K_I32 ? ((const int32_t *)targets)[at]
                                               : ((const uint8_t *)targets)[at];
    snprintf(text, size, "element %" PRId64 " of target is %" PRId64 "; it must be -1 to %" PRId64,
             position, value, m->classes - 1);
}

static void margin_steps(const int64_t *strides, int rank, int64_t *steps)
{
    steps[0] = rank == 2 ? strides[0] : 0;
    steps[1] = rank > 0 ? strides[rank - 1] : 0;
}

static void plan_margin(struct op_norm_call *call)
{
    const struct op_value *self = value_of(call, "self"), *target = value_of(call, "target");
    const struct op_value *marks = value_of(call, "isTarget"), *out = value_of(call, "out");
    const struct ex_descriptor *d = &self->tensor->descriptor;
    const int64_t reduction = op_integer_named(call->problem, "reduction", 0);
    struct k_margin m = {.x = dtype_of(self), .target = dtype_of(target)};
    struct op_view view;
    m.is_target = dtype_of(marks);
    m.samples = d->rank == 2 ? d->sizes[0] : 1;
    m.classes = d->rank > 0 ? d->sizes[d->rank - 1] : 1;
    const size_t bytes = (size_t)(m.samples > 0 ? m.samples : 1) * 8;
    const int losses = ex_scratch(call->plan, bytes), ones = ex_scratch(call->plan, bytes);
    margin_steps(d->strides, d->rank, m.x_steps);
    margin_steps(target->tensor->descriptor.strides, d->rank, m.target_steps);
    const int to = op_norm_target(call, marks, false, &view);
    margin_steps(view.strides, d->rank, m.is_target_steps);
    ex_step_with_faults(
        call->plan, "margin", k_best()->margin, &m, sizeof m, k_margin_work(&m),
        EX_BUFFERS(buffer_of(call, self), buffer_of(call, target), to, losses, ones),
        describe_margin);
    if (reduction != REDUCE_NONE) {
        add_total(call, m.samples, reduction == REDUCE_MEAN, losses, ones, out, NULL);
        return;
    }
    const struct op_view own = op_view_of(out->tensor);
    const struct op_view from = op_view_dense(ACL_DOUBLE, own.rank, own.sizes);
    op_copy_step(call->plan, losses, &from, buffer_of(call, out), &own);
}

static const struct op_norm_rule margin_more = {.plan = plan_margin, .integers = " target "};
const struct op_rule op_rule_margin = {
    .types = op_norm_types, .shapes = margin_shapes, .more = &margin_more};

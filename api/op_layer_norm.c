/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations of the last axes of a tensor: layer norm, RMS norm, and those of sums. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_norm.h"
#include "api/op_reduce.h"
#include "kernels/kernels.h"

/* The arguments of an operator; NULL: it has none such. */
struct layer {
    const char *x, *x2, *bias, *gamma, *beta, *mean, *rstd;
    const char *out, *sum, *cast;                      /* forward; cast: out again */
    const char *dy, *dsum, *dx, *dx2, *dgamma, *dbeta; /* backward */
    bool is_centred;
    double gamma_offset;
};

#define WEIGHTS .gamma = "weightOptional", .beta = "biasOptional"

static const struct layer layers[] = {
    [OP_NORM_layer_norm] = {.x = "input",
                            WEIGHTS,
                            .mean = "meanOutOptional",
                            .rstd = "rstdOutOptional",
                            .out = "out",
                            .is_centred = true},
    [OP_NORM_rms_norm] = {.x = "x", .gamma = "gamma", .rstd = "rstdOut", .out = "yOut"},
    [OP_NORM_add_rms_norm] =
        {.x = "x1", .x2 = "x2", .gamma = "gamma", .rstd = "rstdOut", .out = "yOut", .sum = "xOut"},
    [OP_NORM_gemma_rms_norm] =
        {.x = "x", .gamma = "gamma", .rstd = "rstdOut", .out = "yOut", .gamma_offset = 1},
    [OP_NORM_add_layer_norm] = {.x = "x1",
                                .x2 = "x2",
                                .bias = "biasOptional",
                                .gamma = "gamma",
                                .beta = "beta",
                                .mean = "meanOut",
                                .rstd = "rstdOut",
                                .out = "yOut",
                                .sum = "xOut",
                                .is_centred = true},
    [OP_NORM_add_rms_norm_cast] = {.x = "x1",
                                   .x2 = "x2",
                                   .gamma = "gamma",
                                   .rstd = "rstdOut",
                                   .out = "y1Out",
                                   .sum = "xOut",
                                   .cast = "y2Out"},
    [OP_NORM_rms_norm_quant] = {.x = "x", .gamma = "gamma", .beta = "beta"},
    [OP_NORM_add_rms_norm_quant] = {.x = "x1",
                                    .x2 = "x2",
                                    .gamma = "gamma",
                                    .beta = "betaOptional",
                                    .out = "rmsNormOut",
                                    .sum = "xOut"},
    [OP_NORM_add_layer_norm_quant] = {.x = "x1",
                                      .x2 = "x2",
                                      .bias = "biasOptional",
                                      .gamma = "gamma",
                                      .beta = "beta",
                                      .sum = "xOut",
                                      .is_centred = true},
    [OP_NORM_deep_norm] = {.x = "x",
                           .x2 = "gx",
                           .gamma = "gamma",
                           .beta = "beta",
                           .mean = "meanOut",
                           .rstd = "rstdOut",
                           .out = "yOut",
                           .is_centred = true},
    [OP_NORM_layer_norm_grad] = {.x = "input",
                                 WEIGHTS,
                                 .mean = "mean",
                                 .rstd = "rstd",
                                 .dy = "gradOut",
                                 .dx = "gradInputOut",
                                 .dgamma = "gradWeightOut",
                                 .dbeta = "gradBiasOut",
                                 .is_centred = true},
    [OP_NORM_rms_norm_grad] = {.x = "x",
                               .gamma = "gamma",
                               .rstd = "rstd",
                               .dy = "dy",
                               .dx = "dxOut",
                               .dgamma = "dgammaOut"},
    [OP_NORM_add_layer_norm_grad] = {.x = "x1",
                                     .x2 = "x2",
                                     .gamma = "gamma",
                                     .mean = "mean",
                                     .rstd = "rstd",
                                     .dy = "dy",
                                     .dsum = "dsumOptional",
                                     .dx = "dxOut",
                                     .dgamma = "dgammaOut",
                                     .dbeta = "dbetaOut",
                                     .is_centred = true},
    [OP_NORM_deep_norm_grad] = {.x = "x",
                                .x2 = "gx",
                                .gamma = "gamma",
                                .mean = "mean",
                                .rstd = "rstd",
                                .dy = "dy",
                                .dx = "dxOut",
                                .dx2 = "dgxOut",
                                .dgamma = "dgammaOut",
                                .dbeta = "dbetaOut",
                                .is_centred = true},
};

/* ---- shapes ---- */

static const aclTensor *tensor_of(const struct op_problem *problem, const char *name)
{
    return name ? op_tensor_named(problem, name) : NULL;
}

/* Axes before the normalised ones; -1: x has fewer than those. Of aclnnRmsNormQuant the last one is
 * normalised, and gamma and beta may be (1, n). */
static int leading_axes(const struct op_problem *problem)
{
    const struct layer *layer = &layers[problem->row->core];
    const struct op_value *shape = op_argument_of_kind(problem, OP_INTS);
    const aclTensor *x = tensor_of(problem, layer->x);
    if (problem->row->core == OP_NORM_rms_norm_quant) return x->descriptor.rank - 1;
    const int64_t normalised =
        shape ? (int64_t)shape->ints->size : tensor_of(problem, layer->gamma)->descriptor.rank;
    return normalised > x->descriptor.rank ? -1 : (int)(x->descriptor.rank - normalised);
}

static aclnnStatus check_normalised(const struct op_problem *problem, int *leading)
{
    const struct layer *layer = &layers[problem->row->core];
    const struct op_value *shape = op_argument_of_kind(problem, OP_INTS);
    const aclTensor *x = tensor_of(problem, layer->x);
    struct op_shape_text text;
    OP_CHECK(problem->row->name, !shape || shape->ints, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
             shape->name);
    OP_CHECK(problem->row->name, !shape || shape->ints->size > 0, ACLNN_ERR_PARAM_INVALID,
             "%s is empty; it must have the size of the last axis at least", shape->name);
    *leading = leading_axes(problem);
    OP_CHECK(problem->row->name, *leading >= 0, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have the axes of %s", layer->x, op_shape(&text, x),
             shape ? shape->name : layer->gamma);
    for (uint64_t i = 0; shape && i < shape->ints->size; i++)
        OP_CHECK(problem->row->name,
                 shape->ints->values[i] == x->descriptor.sizes[(uint64_t)*leading + i],
                 ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must be a size of %s, whose shape is %s",
                 shape->name, i, shape->ints->values[i], layer->x, op_shape(&text, x));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_same(const struct op_problem *problem, const char *name)
{
    const struct ex_descriptor *d = &tensor_of(problem, layers[problem->row->core].x)->descriptor;
    return name ? op_norm_check_shape(problem, name, d->rank, d->sizes) : ACLNN_SUCCESS;
}

static aclnnStatus check_weight(const struct op_problem *problem, const char *name, int leading)
{
    const struct ex_descriptor *d = &tensor_of(problem, layers[problem->row->core].x)->descriptor;
    const aclTensor *weight = tensor_of(problem, name);
    const bool may_be_row = problem->row->core == OP_NORM_rms_norm_quant;
    if (!name) return ACLNN_SUCCESS;
    if (may_be_row && weight->descriptor.rank == 2)
        return op_norm_check_shape(problem, name, 2, (const int64_t[]){1, d->sizes[leading]});
    return op_norm_check_shape(problem, name, d->rank - leading, d->sizes + leading);
}

/* The leading axes, then any number of ones. */
static aclnnStatus check_statistic(const struct op_problem *problem, const char *name, int leading)
{
    const struct ex_descriptor *x = &tensor_of(problem, layers[problem->row->core].x)->descriptor;
    const aclTensor *tensor = tensor_of(problem, name);
    struct op_shape_text text;
    if (!tensor) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &tensor->descriptor;
    bool fits = d->rank >= leading && d->rank <= (x->rank > 0 ? x->rank : 1);
    for (int i = 0; i < d->rank && fits; i++)
        fits = d->sizes[i] == (i < leading ? x->sizes[i] : 1);
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be the first %d sizes of %s, then ones", name,
             op_shape(&text, tensor), leading, layers[problem->row->core].x);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_all(const struct op_problem *problem, int leading)
{
    const struct layer *layer = &layers[problem->row->core];
    const char *const same[] = {layer->x2,  layer->dy, layer->dsum, layer->out,
                                layer->sum, layer->dx, layer->dx2,  layer->cast};
    const char *const weights[] = {layer->gamma, layer->beta, layer->dgamma, layer->dbeta};
    const aclTensor *bias = tensor_of(problem, layer->bias);
    for (int i = 0; i < (int)RT_LENGTH(same); i++)
        OP_TRY(check_same(problem, same[i]));
    for (int i = 0; i < 4; i++)
        OP_TRY(check_weight(problem, weights[i], leading));
    if (bias && bias->descriptor.rank == tensor_of(problem, layer->x)->descriptor.rank - leading)
        OP_TRY(check_weight(problem, layer->bias, leading));
    else
        OP_TRY(check_same(problem, layer->bias));
    OP_TRY(check_statistic(problem, layer->mean, leading));
    return check_statistic(problem, layer->rstd, leading);
}

static aclnnStatus forward_shapes(struct op_problem *problem)
{
    const int64_t mode = op_integer_named(problem, "implMode", 0);
    int leading;
    OP_CHECK(problem->row->name, mode >= 0 && mode <= 2, ACLNN_ERR_PARAM_INVALID,
             "implMode is %" PRId64 "; it must be 0, 1 or 2", mode);
    OP_TRY(check_normalised(problem, &leading));
    OP_CHECK(problem->row->name,
             op_integer_named(problem, "additionalOutput", 0) == 0 ||
                 op_tensor_named(problem, "xOut"),
             ACLNN_ERR_PARAM_NULLPTR, "xOut is NULL");
    return check_all(problem, leading);
}

static aclnnStatus backward_shapes(struct op_problem *problem)
{
    const struct layer *layer = &layers[problem->row->core];
    const char *const names[] = {layer->dx, layer->dgamma, layer->dbeta};
    int leading;
    OP_TRY(check_normalised(problem, &leading));
    if (problem->row->core == OP_NORM_layer_norm_grad)
        OP_TRY(op_norm_check_mask(problem, names, 3));
    return check_all(problem, leading);
}

/* ---- plans ---- */

/* One element for each row. */
static void place_statistic(struct op_norm_call *call, int slot, const char *name, int leading)
{
    const struct op_value *value = name ? op_argument_named(call->problem, name) : NULL;
    if (!value || !value->tensor) return;
    struct op_view view = op_view_of(value->tensor);
    int buffer = call->buffers[value - call->problem->values];
    if (op_is_written(value)) buffer = op_norm_target(call, value, false, &view);
    for (int i = 0; i < call->rank; i++)
        if (i >= leading) view.strides[i] = 0;
    view.rank = call->rank;
    op_norm_place(call, slot, buffer, &view, op_is_written(value));
}

static void place_whole(struct op_norm_call *call, int slot, const char *name)
{
    if (name) op_norm_whole(call, slot, name);
}

static void begin(struct op_norm_call *call, enum k_norm_kind kind, int leading)
{
    const struct layer *layer = &layers[call->problem->row->core];
    const struct ex_descriptor *d = &tensor_of(call->problem, layer->x)->descriptor;
    op_norm_begin(call, kind, d->rank, d->sizes, ((1U << d->rank) - 1) & ~((1U << leading) - 1));
    call->norm.number[0] =
        op_real_named(call->problem, "eps", op_real_named(call->problem, "epsilon", 0));
    call->norm.number[1] = op_real_named(call->problem, "alpha", 1);
    call->norm.number[2] = layer->gamma_offset;
    call->norm.options = layer->is_centred ? K_NORM_CENTRED : 0;
    call->norm.spread = K_NORM_RSTD;
}

/* A weight, of which the last axis counts where that is all that is normalised. */
static void place_weight(struct op_norm_call *call, int slot, const char *name, int leading)
{
    const struct op_value *value = name ? op_argument_named(call->problem, name) : NULL;
    if (!value || !value->tensor) return;
    struct op_view view = op_view_of(value->tensor);
    const int rank = call->rank - leading, more = view.rank - rank;
    for (int i = 0; i < rank; i++) {
        view.sizes[i] = view.sizes[i + more];
        view.strides[i] = view.strides[i + more];
    }
    view.rank = rank;
    view = op_view_broadcast(&view, call->rank, call->sizes);
    op_norm_operand(call, slot, name, &view);
}

static void place_sum(struct op_norm_call *call)
{
    const struct layer *layer = &layers[call->problem->row->core];
    if (!layer->sum || !tensor_of(call->problem, layer->sum) ||
        op_integer_named(call->problem, "additionalOutput", 1) == 0)
        return;
    const struct op_value *sum = op_argument_named(call->problem, layer->sum);
    struct op_view view;
    const int to = op_norm_target(call, sum, false, &view);
    op_norm_place(call, K_AFFINE_SUM, to, &view, true);
}

/* The operands of a forward step, which the result's place and a sum's follow. */
static void begin_forward(struct op_norm_call *call, bool has_beta)
{
    const struct layer *layer = &layers[call->problem->row->core];
    const int leading = leading_axes(call->problem);
    begin(call, K_NORM_AFFINE, leading);
    place_whole(call, K_AFFINE_X, layer->x);
    place_whole(call, K_AFFINE_X2, layer->x2);
    place_whole(call, K_AFFINE_BIAS, layer->bias);
    place_weight(call, K_AFFINE_GAMMA, layer->gamma, leading);
    if (has_beta) place_weight(call, K_AFFINE_BETA, layer->beta, leading);
}

static void plan_forward(struct op_norm_call *call)
{
    const struct layer *layer = &layers[call->problem->row->core];
    const int leading = leading_axes(call->problem);
    begin_forward(call, true);
    place_whole(call, K_AFFINE_OUT, layer->out);
    place_statistic(call, K_AFFINE_MEAN, layer->mean, leading);
    place_statistic(call, K_AFFINE_SPREAD, layer->rstd, leading);
    place_sum(call);
    op_norm_end(call, 3, NULL);
}

/* y1Out, then y2Out from what y1Out is. */
static void plan_cast(struct op_norm_call *call)
{
    const struct layer *layer = &layers[call->problem->row->core];
    const struct op_value *out = op_argument_named(call->problem, layer->out);
    const struct op_value *cast = op_argument_named(call->problem, layer->cast);
    const struct op_view to = op_view_of(cast->tensor);
    const int leading = leading_axes(call->problem);
    struct op_view view;
    begin_forward(call, true);
    const int made = op_norm_target(call, out, true, &view);
    op_norm_place(call, K_AFFINE_OUT, made, &view, true);
    place_statistic(call, K_AFFINE_SPREAD, layer->rstd, leading);
    place_sum(call);
    op_norm_end(call, 3, NULL);
    op_copy_step(call->plan, made, &view, call->buffers[cast - call->problem->values], &to);
}

static void step_to(struct op_norm_call *call, int to, const struct op_view *view, bool has_beta,
                    bool has_sum)
{
    begin_forward(call, has_beta);
    op_norm_place(call, K_AFFINE_OUT, to, view, true);
    if (has_sum) place_sum(call);
    op_norm_end(call, 3, NULL);
}

/* A result without beta comes first; it may lie where x does, and so is delivered at the end. */
int op_layer_norm_made(struct op_norm_call *call)
{
    const struct layer *layer = &layers[call->problem->row->core];
    const struct ex_descriptor *x = &tensor_of(call->problem, layer->x)->descriptor;
    const struct op_view view = op_view_dense(ACL_FLOAT, x->rank, x->sizes);
    const int64_t elements = op_element_count(x->rank, x->sizes);
    const int to = ex_scratch(call->plan, (size_t)elements * sizeof(float));
    const bool has_beta = tensor_of(call->problem, layer->beta) != NULL;
    const struct op_value *out = layer->out ? op_norm_given(call, layer->out) : NULL;
    if (out) {
        struct op_view own;
        step_to(call, to, &view, false, !has_beta);
        const int apart = op_norm_target(call, out, false, &own);
        op_copy_step(call->plan, to, &view, apart, &own);
    }
    if (!out || has_beta) step_to(call, to, &view, has_beta, true);
    return to;
}

static void place_gradient(struct op_norm_call *call, int leading)
{
    const struct layer *layer = &layers[call->problem->row->core];
    begin(call, K_NORM_AFFINE_GRAD, leading);
    place_whole(call, K_AFFINE_GRAD_X, layer->x);
    place_whole(call, K_AFFINE_GRAD_X2, layer->x2);
    place_whole(call, K_AFFINE_GRAD_DY, layer->dy);
    place_statistic(call, K_AFFINE_GRAD_MEAN, layer->mean, leading);
    place_statistic(call, K_AFFINE_GRAD_RSTD, layer->rstd, leading);
}

/* The gradients of gamma and beta: sums over parts of the rows, then over the parts. */
static void plan_parameters(struct op_norm_call *call, int leading, const struct op_value *dgamma,
                            const struct op_value *dbeta)
{
    struct k_norm_columns columns;
    place_gradient(call, leading);
    for (int i = 0; i < K_AFFINE_GRAD_DGAMMA; i++)
        if (!call->norm.operand[i].is_there) call->buffer[i] = call->buffer[K_AFFINE_GRAD_X];
    columns.norm = call->norm;
    columns.norm.operands = K_AFFINE_GRAD_DBETA + 1;
    const struct k_work work = k_norm_columns_plan(&columns);
    if (columns.norm.count == 0) return;
    const int64_t sums = columns.norm.rows == 0 ? 0 : columns.parts * columns.norm.count;
    if (sums == 0) {
        if (dgamma) op_norm_fill(call, dgamma, 0);
        if (dbeta) op_norm_fill(call, dbeta, 0);
        return;
    }
    const int of_gamma = ex_scratch(call->plan, (size_t)sums * 8);
    const int of_beta = ex_scratch(call->plan, (size_t)sums * 8);
    call->buffer[K_AFFINE_GRAD_DGAMMA] = of_gamma;
    call->buffer[K_AFFINE_GRAD_DBETA] = of_beta;
    ex_step(call->plan, "norm_columns", k_best()->norm_columns, &columns, sizeof columns, work,
            call->buffer, K_AFFINE_GRAD_DBETA + 1);
    if (dgamma) op_norm_sum_parts(call, of_gamma, columns.parts, dgamma);
    if (dbeta) op_norm_sum_parts(call, of_beta, columns.parts, dbeta);
}

static const struct op_value *asked(const struct op_norm_call *call, const char *name, int i)
{
    const struct op_value *value = name ? op_argument_named(call->problem, name) : NULL;
    return value && value->tensor && op_norm_asks(call->problem, i) ? value : NULL;
}

/* Gamma's gradient first: dx may lie where dy does. */
static void plan_backward(struct op_norm_call *call)
{
    const struct layer *layer = &layers[call->problem->row->core];
    const struct op_value *dgamma = asked(call, layer->dgamma, 1);
    const struct op_value *dbeta = asked(call, layer->dbeta, 2);
    const int leading = leading_axes(call->problem);
    if (dgamma || dbeta) plan_parameters(call, leading, dgamma, dbeta);
    if (!asked(call, layer->dx, 0) || op_is_empty(tensor_of(call->problem, layer->x))) return;
    place_gradient(call, leading);
    place_whole(call, K_AFFINE_GRAD_GAMMA, layer->gamma);
    place_whole(call, K_AFFINE_GRAD_DSUM, layer->dsum);
    place_whole(call, K_AFFINE_GRAD_DX, layer->dx);
    place_whole(call, K_AFFINE_GRAD_DX2, layer->dx2);
    op_norm_end(call, 4, NULL);
}

aclnnStatus op_layer_norm_shapes(struct op_problem *problem, int *leading)
{
    *leading = leading_axes(problem);
    return forward_shapes(problem);
}

static aclnnStatus cast_types(struct op_problem *problem)
{
    const char *out = layers[problem->row->core].out;
    OP_TRY(op_norm_types(problem));
    return op_check_type(problem->row->name, out, tensor_of(problem, out), OP_TYPE(ACL_FLOAT),
                         "FLOAT");
}

static const struct op_norm_rule forward = {.plan = plan_forward};
static const struct op_norm_rule cast = {.plan = plan_cast};
static const struct op_norm_rule backward = {.plan = plan_backward};
const struct op_rule op_rule_layer_norm = {
    .types = op_norm_types, .shapes = forward_shapes, .more = &forward};
const struct op_rule op_rule_layer_norm_cast = {
    .types = cast_types, .shapes = forward_shapes, .more = &cast};
const struct op_rule op_rule_layer_norm_grad = {
    .types = op_norm_types, .shapes = backward_shapes, .runs_empty = true, .more = &backward};

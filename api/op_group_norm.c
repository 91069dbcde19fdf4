/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of groups of channels, and of each channel of each sample. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_norm.h"

/* The arguments of an operator; NULL: it has none such. */
struct group {
    const char *x, *gamma, *beta, *groups, *mean, *rstd;
    const char *out;                      /* forward */
    const char *dy, *dx, *dgamma, *dbeta; /* backward */
};

static const struct group groups[] = {
    [OP_NORM_group_norm] = {.x = "self",
                            .gamma = "gamma",
                            .beta = "beta",
                            .groups = "group",
                            .mean = "meanOut",
                            .rstd = "rstdOut",
                            .out = "out"},
    [OP_NORM_group_norm_silu] = {.x = "self",
                                 .gamma = "gamma",
                                 .beta = "beta",
                                 .groups = "group",
                                 .mean = "meanOut",
                                 .rstd = "rstdOut",
                                 .out = "out"},
    [OP_NORM_group_norm_swish] = {.x = "x",
                                  .gamma = "gamma",
                                  .beta = "beta",
                                  .groups = "numGroups",
                                  .mean = "meanOut",
                                  .rstd = "rstdOut",
                                  .out = "yOut"},
    [OP_NORM_group_norm_grad] = {.x = "input",
                                 .gamma = "gamma",
                                 .groups = "group",
                                 .mean = "mean",
                                 .rstd = "rstd",
                                 .dy = "gradOut",
                                 .dx = "gradInput",
                                 .dgamma = "gradGammaOut",
                                 .dbeta = "gradBetaOut"},
    [OP_NORM_group_norm_swish_grad] = {.x = "x",
                                       .gamma = "gamma",
                                       .beta = "beta",
                                       .groups = "numGroups",
                                       .mean = "mean",
                                       .rstd = "rstd",
                                       .dy = "dy",
                                       .dx = "dxOut",
                                       .dgamma = "dgammaOut",
                                       .dbeta = "dbetaOut"},
};

static const struct group *group_of(const struct op_problem *problem)
{
    return &groups[problem->row->core];
}

/* ---- shapes ---- */

enum { GROUP_RANK = EX_MAX_RANK - 1 }; /* the channels become two axes */

/* N, C and HxW are those of x. */
static aclnnStatus check_counts(const struct op_problem *problem, const struct ex_descriptor *d)
{
    int64_t plane = 1;
    if (!op_argument_named(problem, "HxW")) return ACLNN_SUCCESS;
    for (int i = 2; i < d->rank; i++)
        plane *= d->sizes[i];
    const int64_t sizes[] = {d->sizes[0], d->sizes[1], plane};
    static const char *const names[] = {"N", "C", "HxW"};
    for (int i = 0; i < 3; i++) {
        const int64_t value = op_integer_named(problem, names[i], 0);
        OP_CHECK(problem->row->name, value == sizes[i], ACLNN_ERR_PARAM_INVALID,
                 "%s is %" PRId64 "; %s has %" PRId64, names[i], value, group_of(problem)->x,
                 sizes[i]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_channels_first(const struct op_problem *problem)
{
    const struct op_value *format = op_argument_named(problem, "dataFormatOptional");
    OP_CHECK(problem->row->name, !format || !format->text || strcmp(format->text, "NCHW") == 0,
             ACLNN_ERR_PARAM_INVALID, "dataFormatOptional is \"%s\"; it must be \"NCHW\"",
             format->text);
    return ACLNN_SUCCESS;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct group *g = group_of(problem);
    const aclTensor *x = op_tensor_named(problem, g->x);
    const struct ex_descriptor *d = &x->descriptor;
    const int64_t count = op_integer_named(problem, g->groups, 1);
    OP_TRY(op_check_rank(problem->row->name, g->x, x, 2, GROUP_RANK));
    OP_TRY(check_channels_first(problem));
    OP_TRY(check_counts(problem, d));
    OP_CHECK(problem->row->name, count > 0 && d->sizes[1] % count == 0, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must divide the channels, %" PRId64, g->groups, count,
             d->sizes[1]);
    const int64_t statistics[] = {d->sizes[0], count};
    const char *const same[] = {g->out, g->dy, g->dx};
    const char *const channels[] = {g->gamma, g->beta, g->dgamma, g->dbeta};
    for (int i = 0; i < 3; i++)
        if (same[i]) OP_TRY(op_norm_check_shape(problem, same[i], d->rank, d->sizes));
    for (int i = 0; i < 4; i++)
        if (channels[i]) OP_TRY(op_norm_check_shape(problem, channels[i], 1, &d->sizes[1]));
    OP_TRY(op_norm_check_shape(problem, g->mean, 2, statistics));
    OP_TRY(op_norm_check_shape(problem, g->rstd, 2, statistics));
    if (problem->row->core == OP_NORM_group_norm_grad) {
        const char *const results[] = {g->dx, g->dgamma, g->dbeta};
        return op_norm_check_mask(problem, results, 3);
    }
    static const char *const flags[] = {"dgammaIsRequire", "dbetaIsRequire"};
    static const char *const results[] = {"dgammaOut", "dbetaOut"};
    for (int i = 0; i < 2; i++)
        OP_CHECK(problem->row->name,
                 !op_integer_named(problem, flags[i], 0) || op_tensor_named(problem, results[i]),
                 ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", results[i]);
    return ACLNN_SUCCESS;
}

/* ---- operands: (N, group, channel of it, planes...) ---- */

enum { AXIS_N, AXIS_GROUP, AXIS_CHANNEL };

static void begin(struct op_norm_call *call, enum k_norm_kind kind, unsigned reduced)
{
    const struct op_problem *problem = call->problem;
    const struct ex_descriptor *d = &op_tensor_named(problem, group_of(problem)->x)->descriptor;
    const int64_t count = op_integer_named(problem, group_of(problem)->groups, 1);
    int64_t sizes[EX_MAX_RANK] = {d->sizes[0], count, d->sizes[1] / count};
    for (int i = 2; i < d->rank; i++)
        sizes[i + 1] = d->sizes[i];
    op_norm_begin(call, kind, d->rank + 1, sizes, reduced & ((1U << (d->rank + 1)) - 1));
    call->norm.number[0] = op_real_named(problem, "eps", 0);
    call->norm.number[1] = 1;
    call->norm.number[3] = op_real_named(problem, "swishScale", 1);
    call->norm.options = K_NORM_CENTRED;
    const bool is_silu = problem->row->core == OP_NORM_group_norm_silu;
    if (op_integer_named(problem, "activateSilu", is_silu) ||
        op_integer_named(problem, "activateSwish",
                         problem->row->core == OP_NORM_group_norm_swish_grad))
        call->norm.options |= K_NORM_SWISH;
}

static int view_of(struct op_norm_call *call, const struct op_value *value, bool is_last,
                   struct op_view *view)
{
    *view = op_view_of(value->tensor);
    if (op_is_written(value)) return op_norm_target(call, value, is_last, view);
    return call->buffers[value - call->problem->values];
}

static void place_whole(struct op_norm_call *call, int slot, const char *name)
{
    const struct op_value *value = op_norm_given(call, name);
    struct op_view view, split = {.rank = call->rank};
    if (!value) return;
    const int buffer = view_of(call, value, true, &view);
    split.type = view.type;
    split.strides[AXIS_N] = view.strides[0];
    split.strides[AXIS_GROUP] = view.strides[1] * call->sizes[AXIS_CHANNEL];
    split.strides[AXIS_CHANNEL] = view.strides[1];
    for (int i = 2; i < view.rank; i++)
        split.strides[i + 1] = view.strides[i];
    op_norm_place(call, slot, buffer, &split, op_is_written(value));
}

static void place_channels(struct op_norm_call *call, int slot, const char *name)
{
    const struct op_value *value = name ? op_norm_given(call, name) : NULL;
    struct op_view view, wide = {.rank = call->rank};
    if (!value) return;
    const int buffer = view_of(call, value, false, &view);
    wide.type = view.type;
    wide.strides[AXIS_GROUP] = view.strides[0] * call->sizes[AXIS_CHANNEL];
    wide.strides[AXIS_CHANNEL] = view.strides[0];
    op_norm_place(call, slot, buffer, &wide, op_is_written(value));
}

static void place_statistic(struct op_norm_call *call, int slot, const char *name)
{
    const struct op_value *value = op_norm_given(call, name);
    struct op_view view, wide = {.rank = call->rank};
    const int buffer = view_of(call, value, false, &view);
    wide.type = view.type;
    wide.strides[AXIS_N] = view.strides[0];
    wide.strides[AXIS_GROUP] = view.strides[1];
    op_norm_place(call, slot, buffer, &wide, op_is_written(value));
}

/* ---- plans ---- */

#define ROWS_OF_GROUPS   (~0U & ~(1U << AXIS_N) & ~(1U << AXIS_GROUP))
#define ROWS_OF_CHANNELS (~0U & ~(1U << AXIS_GROUP) & ~(1U << AXIS_CHANNEL))

static void plan_group_norm(struct op_norm_call *call)
{
    const struct group *g = group_of(call->problem);
    begin(call, K_NORM_AFFINE, ROWS_OF_GROUPS);
    place_whole(call, K_AFFINE_X, g->x);
    place_channels(call, K_AFFINE_GAMMA, g->gamma);
    place_channels(call, K_AFFINE_BETA, g->beta);
    place_whole(call, K_AFFINE_OUT, g->out);
    place_statistic(call, K_AFFINE_MEAN, g->mean);
    place_statistic(call, K_AFFINE_SPREAD, g->rstd);
    op_norm_end(call, 3, NULL);
}

static void place_gradient(struct op_norm_call *call)
{
    const struct group *g = group_of(call->problem);
    place_whole(call, K_AFFINE_GRAD_X, g->x);
    place_whole(call, K_AFFINE_GRAD_DY, g->dy);
    place_channels(call, K_AFFINE_GRAD_GAMMA, g->gamma);
    place_channels(call, K_AFFINE_GRAD_BETA, g->beta);
    place_statistic(call, K_AFFINE_GRAD_MEAN, g->mean);
    place_statistic(call, K_AFFINE_GRAD_RSTD, g->rstd);
}

static bool is_asked(const struct op_norm_call *call, int i)
{
    static const char *const flags[] = {"", "dgammaIsRequire", "dbetaIsRequire"};
    return op_norm_asks(call->problem, i) && op_integer_named(call->problem, flags[i], 1) != 0;
}

/* Gamma's gradient first: dx may lie where dy does. */
static void plan_group_norm_grad(struct op_norm_call *call)
{
    const struct group *g = group_of(call->problem);
    const char *const results[] = {g->dx, g->dgamma, g->dbeta};
    if (op_is_empty(op_tensor_named(call->problem, g->x))) {
        for (int i = 1; i < 3; i++)
            if (is_asked(call, i)) op_norm_fill(call, op_norm_given(call, results[i]), 0);
        return;
    }
    if (is_asked(call, 1) || is_asked(call, 2)) {
        begin(call, K_NORM_PARAMETER_GRAD, ROWS_OF_CHANNELS);
        place_gradient(call);
        if (is_asked(call, 1)) place_channels(call, K_AFFINE_GRAD_DGAMMA, g->dgamma);
        if (is_asked(call, 2)) place_channels(call, K_AFFINE_GRAD_DBETA, g->dbeta);
        op_norm_end(call, 4, NULL);
    }
    if (!is_asked(call, 0)) return;
    begin(call, K_NORM_AFFINE_GRAD, ROWS_OF_GROUPS);
    place_gradient(call);
    place_whole(call, K_AFFINE_GRAD_DX, g->dx);
    op_norm_end(call, 4, NULL);
}

static const struct op_norm_rule forward = {.plan = plan_group_norm};
static const struct op_norm_rule backward = {.plan = plan_group_norm_grad};
const struct op_rule op_rule_group_norm = {
    .types = op_norm_types, .shapes = shapes, .more = &forward};
const struct op_rule op_rule_group_norm_grad = {
    .types = op_norm_types, .shapes = shapes, .runs_empty = true, .more = &backward};

/* ---- instances ---- */

static bool is_channels_last(const struct op_problem *problem)
{
    const struct op_value *format = op_argument_named(problem, "dataFormat");
    return format->text && strcmp(format->text, "NHWC") == 0;
}

static aclnnStatus instance_shapes(struct op_problem *problem)
{
    const aclTensor *x = op_tensor_named(problem, "x");
    const struct op_value *format = op_argument_named(problem, "dataFormat");
    OP_CHECK(problem->row->name, format->text, ACLNN_ERR_PARAM_NULLPTR, "dataFormat is NULL");
    OP_CHECK(problem->row->name, is_channels_last(problem) || strcmp(format->text, "NCHW") == 0,
             ACLNN_ERR_PARAM_INVALID, "dataFormat is \"%s\"; it must be \"NCHW\" or \"NHWC\"",
             format->text);
    OP_TRY(op_check_rank(problem->row->name, "x", x, 4, 4));
    const int channel = is_channels_last(problem) ? 3 : 1;
    int64_t kept[4] = {x->descriptor.sizes[0], 1, 1, 1};
    kept[channel] = x->descriptor.sizes[channel];
    OP_TRY(op_norm_check_shape(problem, "gamma", 1, &kept[channel]));
    OP_TRY(op_norm_check_shape(problem, "beta", 1, &kept[channel]));
    OP_TRY(op_norm_check_shape(problem, "y", 4, x->descriptor.sizes));
    OP_TRY(op_norm_check_shape(problem, "mean", 4, kept));
    return op_norm_check_shape(problem, "variance", 4, kept);
}

/* Along the channels, or (not is_weight) broadcast from the kept axes. */
static void place_instance(struct op_norm_call *call, int slot, const char *name, bool is_weight,
                           int channel)
{
    const struct op_value *value = op_norm_given(call, name);
    struct op_view view, wide = {.rank = 4};
    const int buffer = view_of(call, value, false, &view);
    wide.type = view.type;
    wide.strides[channel] = view.strides[is_weight ? 0 : channel];
    if (!is_weight) wide.strides[0] = view.strides[0];
    op_norm_place(call, slot, buffer, &wide, op_is_written(value));
}

static void plan_instance_norm(struct op_norm_call *call)
{
    const struct ex_descriptor *d = &op_tensor_named(call->problem, "x")->descriptor;
    const int channel = is_channels_last(call->problem) ? 3 : 1;
    op_norm_begin(call, K_NORM_AFFINE, 4, d->sizes, 0xe & ~(1U << channel));
    call->norm.number[0] = op_real_named(call->problem, "eps", 0);
    call->norm.number[1] = 1;
    call->norm.options = K_NORM_CENTRED | K_NORM_OF_ROW;
    call->norm.spread = K_NORM_VARIANCE;
    op_norm_whole(call, K_AFFINE_X, "x");
    place_instance(call, K_AFFINE_GAMMA, "gamma", true, channel);
    place_instance(call, K_AFFINE_BETA, "beta", true, channel);
    op_norm_whole(call, K_AFFINE_OUT, "y");
    place_instance(call, K_AFFINE_MEAN, "mean", false, channel);
    place_instance(call, K_AFFINE_SPREAD, "variance", false, channel);
    op_norm_end(call, 3, NULL);
}

static const struct op_norm_rule instance = {.plan = plan_instance_norm};
const struct op_rule op_rule_instance_norm = {
    .types = op_norm_types, .shapes = instance_shapes, .more = &instance};

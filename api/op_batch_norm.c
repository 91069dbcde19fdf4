/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of channels: batch norm, and the parts of it that devices share. */
#include "api/op_check.h"
#include "api/op_norm.h"
#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/reduce/k_reduce.h"

/* ---- shapes ---- */

static const aclTensor *input_of(const struct op_problem *problem)
{
    const aclTensor *input = op_tensor_named(problem, "input");
    return input ? input : op_tensor_named(problem, "x");
}

/* The second one, or the last of formats that list it there. */
static int channel_axis(const aclTensor *input)
{
    const struct ex_descriptor *d = &input->descriptor;
    const bool is_last =
        d->storage_format == ACL_FORMAT_NHWC || d->storage_format == ACL_FORMAT_NDHWC;
    return is_last && d->rank >= 4 ? d->rank - 1 : 1;
}

static int64_t channels_of(const struct op_problem *problem)
{
    const aclTensor *input = input_of(problem);
    return input->descriptor.sizes[channel_axis(input)];
}

/* Those of the tensors that are given have one element for each channel. */
static aclnnStatus check_channels(const struct op_problem *problem, const char *const *names,
                                  int count)
{
    const int64_t channels = channels_of(problem);
    for (int i = 0; i < count; i++)
        OP_TRY(op_norm_check_shape(problem, names[i], 1, &channels));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_input(const struct op_problem *problem, const char *const *same, int count)
{
    const aclTensor *input = input_of(problem);
    const char *name = op_tensor_named(problem, "input") ? "input" : "x";
    OP_TRY(op_check_rank(problem->row->name, name, input, 2, EX_MAX_RANK));
    for (int i = 0; i < count; i++)
        OP_TRY(
            op_norm_check_shape(problem, same[i], input->descriptor.rank, input->descriptor.sizes));
    return ACLNN_SUCCESS;
}

#define COUNT(names) ((int)(sizeof(names) / sizeof((names)[0])))

static bool is_training(const struct op_problem *problem)
{
    return op_integer_named(problem, "training", 1) != 0;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    static const char *const same[] = {"output", "gradOut", "gradInput"};
    static const char *const channels[] = {
        "weight",   "bias",       "runningMean", "runningVar", "mean",      "invstd",  "sumDy",
        "sumDyXmu", "gradWeight", "gradBias",    "sum",        "squareSum", "meanAll", "invstdAll"};
    static const char *const saved[] = {"saveMean", "saveInvstd"};
    static const char *const results[] = {"gradInput", "gradWeight", "gradBias"};
    OP_TRY(check_input(problem, same, COUNT(same)));
    OP_TRY(check_channels(problem, channels, COUNT(channels)));
    if (is_training(problem)) OP_TRY(check_channels(problem, saved, COUNT(saved)));
    if (problem->row->core == OP_NORM_batch_norm_grad)
        return op_norm_check_mask(problem, results, 3);
    for (int i = 0; problem->row->core == OP_NORM_batch_norm_reduce_grad && i < 4; i++) {
        static const char *const outputs[] = {"sumDy", "sumDyXmu", "gradWeight", "gradBias"};
        static const char *const flags[] = {"inputG", "inputG", "weightG", "biasG"};
        OP_CHECK(problem->row->name,
                 !op_integer_named(problem, flags[i], 0) || op_tensor_named(problem, outputs[i]),
                 ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", outputs[i]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus gather_shapes(struct op_problem *problem)
{
    static const char *const channels[] = {"runningMean", "runningVar", "meanAll", "invstdAll"};
    const aclTensor *mean = op_tensor_named(problem, "mean");
    OP_TRY(check_input(problem, NULL, 0));
    OP_TRY(check_channels(problem, channels, COUNT(channels)));
    OP_TRY(op_check_rank(problem->row->name, "mean", mean, 2, 2));
    const int64_t sizes[] = {mean->descriptor.sizes[0], channels_of(problem)};
    OP_TRY(op_norm_check_shape(problem, "mean", 2, sizes));
    OP_TRY(op_norm_check_shape(problem, "invstd", 2, sizes));
    return op_norm_check_shape(problem, "counts", 1, sizes);
}

/* ---- operands ---- */

/* Begins a step whose rows are channels. */
static void begin(struct op_norm_call *call, enum k_norm_kind kind)
{
    const aclTensor *input = input_of(call->problem);
    const struct ex_descriptor *d = &input->descriptor;
    op_norm_begin(call, kind, d->rank, d->sizes,
                  ((1U << d->rank) - 1) & ~(1U << channel_axis(input)));
    call->norm.number[0] = op_real_named(call->problem, "eps", 0);
    call->norm.number[1] = 1;
    call->norm.number[4] = op_real_named(call->problem, "momentum", 0);
    call->norm.options = K_NORM_CENTRED | K_NORM_OF_ROW;
}

/* The argument of that name, one element for each channel. */
static void place_channels(struct op_norm_call *call, int slot, const char *name)
{
    const struct op_value *value = op_norm_given(call, name);
    struct op_view view, wide = {.rank = call->rank};
    if (!value) return;
    const bool is_read = op_is_read(value);
    int buffer = call->buffers[value - call->problem->values];
    view = op_view_of(value->tensor);
    if (!is_read) buffer = op_norm_target(call, value, false, &view);
    wide.type = view.type;
    wide.strides[channel_axis(input_of(call->problem))] = view.strides[0];
    op_norm_place(call, slot, buffer, &wide, op_is_written(value));
}

/* The same, or where it is NULL one number for all channels. */
static void place_statistics(struct op_norm_call *call, int slot, const char *name,
                             double otherwise)
{
    const struct op_view one = {.type = ACL_DOUBLE, .rank = call->rank};
    place_channels(call, slot, name);
    call->norm.operand[slot].is_written = false;
    if (op_norm_given(call, name)) return;
    const struct op_place place = op_scratch_place(call->plan, ACL_DOUBLE, 0, NULL);
    op_fill_place(call->plan, &place, otherwise, 0);
    op_norm_place(call, slot, place.buffer, &one, false);
}

static const char *input_name(const struct op_norm_call *call)
{
    return op_norm_given(call, "input") ? "input" : "x";
}

/* ---- plans ---- */

static void plan_batch_norm(struct op_norm_call *call)
{
    begin(call, K_NORM_AFFINE);
    op_norm_whole(call, K_AFFINE_X, "input");
    place_channels(call, K_AFFINE_GAMMA, "weight");
    place_channels(call, K_AFFINE_BETA, "bias");
    op_norm_whole(call, K_AFFINE_OUT, "output");
    if (is_training(call->problem)) {
        place_channels(call, K_AFFINE_MEAN, "saveMean");
        place_channels(call, K_AFFINE_SPREAD, "saveInvstd");
        place_channels(call, K_AFFINE_RUNNING_MEAN, "runningMean");
        place_channels(call, K_AFFINE_RUNNING_VARIANCE, "runningVar");
    } else {
        call->norm.spread = K_NORM_VARIANCE;
        place_statistics(call, K_AFFINE_MEAN_IN, "runningMean", 0);
        place_statistics(call, K_AFFINE_RSTD_IN, "runningVar", 1);
    }
    op_norm_end(call, 3, NULL);
}

static void plan_batch_stats(struct op_norm_call *call)
{
    begin(call, K_NORM_AFFINE);
    op_norm_whole(call, K_AFFINE_X, "input");
    place_channels(call, K_AFFINE_MEAN, "mean");
    place_channels(call, K_AFFINE_SPREAD, "invstd");
    op_norm_end(call, 2, NULL);
}

static void plan_batch_elemt(struct op_norm_call *call)
{
    begin(call, K_NORM_AFFINE);
    op_norm_whole(call, K_AFFINE_X, "input");
    place_channels(call, K_AFFINE_GAMMA, "weight");
    place_channels(call, K_AFFINE_BETA, "bias");
    place_channels(call, K_AFFINE_MEAN_IN, "mean");
    place_channels(call, K_AFFINE_RSTD_IN, "invstd");
    op_norm_whole(call, K_AFFINE_OUT, "output");
    op_norm_end(call, 2, NULL);
}

static void plan_batch_reduce(struct op_norm_call *call)
{
    begin(call, K_NORM_SUMS);
    op_norm_whole(call, K_SUMS_X, input_name(call));
    place_channels(call, K_SUMS_SUM, "sum");
    place_channels(call, K_SUMS_SQUARES, "squareSum");
    op_norm_end(call, 2, NULL);
}

static void fill_given(struct op_norm_call *call, const char *name)
{
    const struct op_value *value = op_norm_given(call, name);
    if (value) op_norm_fill(call, value, 0);
}

static void plan_batch_norm_grad(struct op_norm_call *call)
{
    static const char *const results[] = {"gradInput", "gradWeight", "gradBias"};
    const bool trains = is_training(call->problem);
    if (op_is_empty(input_of(call->problem))) {
        for (int i = 1; i < 3; i++)
            if (op_norm_asks(call->problem, i)) fill_given(call, results[i]);
        return;
    }
    begin(call, K_NORM_AFFINE_GRAD);
    if (!trains) {
        call->norm.options |= K_NORM_FIXED;
        call->norm.spread = K_NORM_VARIANCE;
    }
    op_norm_whole(call, K_AFFINE_GRAD_X, "input");
    op_norm_whole(call, K_AFFINE_GRAD_DY, "gradOut");
    place_channels(call, K_AFFINE_GRAD_GAMMA, "weight");
    place_statistics(call, K_AFFINE_GRAD_MEAN, trains ? "saveMean" : "runningMean", 0);
    place_statistics(call, K_AFFINE_GRAD_RSTD, trains ? "saveInvstd" : "runningVar", 1);
    if (op_norm_asks(call->problem, 0)) op_norm_whole(call, K_AFFINE_GRAD_DX, results[0]);
    if (op_norm_asks(call->problem, 1)) place_channels(call, K_AFFINE_GRAD_DGAMMA, results[1]);
    if (op_norm_asks(call->problem, 2)) place_channels(call, K_AFFINE_GRAD_DBETA, results[2]);
    op_norm_end(call, 4, NULL);
}

static void plan_batch_reduce_grad(struct op_norm_call *call)
{
    static const char *const results[] = {"sumDy", "sumDyXmu", "gradWeight", "gradBias"};
    static const char *const flags[] = {"inputG", "inputG", "weightG", "biasG"};
    static const int slots[] = {K_GRAD_SUMS_OF_DY, K_GRAD_SUMS_OF_DY_X, K_GRAD_SUMS_DGAMMA,
                                K_GRAD_SUMS_DBETA};
    begin(call, K_NORM_GRAD_SUMS);
    op_norm_whole(call, K_GRAD_SUMS_X, "input");
    op_norm_whole(call, K_GRAD_SUMS_DY, "gradOut");
    place_channels(call, K_GRAD_SUMS_MEAN, "mean");
    place_channels(call, K_GRAD_SUMS_RSTD, "invstd");
    for (int i = 0; i < 4; i++)
        if (op_integer_named(call->problem, flags[i], 0))
            place_channels(call, slots[i], results[i]);
    op_norm_end(call, 3, NULL);
}

/* The sum of the elements of a tensor, as a double. */
static int plan_sum(struct op_norm_call *call, const struct op_value *value)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const int from = call->buffers[value - call->problem->values];
    const int to = ex_scratch(call->plan, 8);
    struct k_reduce r = {.fold = K_FOLD_sum,
                         .compute = K_AS_F64,
                         .from = op_k_dtype(value->tensor),
                         .via = K_F64,
                         .result = K_F64,
                         .to = K_F64,
                         .has_value = true,
                         .index_type = K_I64,
                         .inner = 1};
    r.reduced_rank = d->rank;
    for (int i = 0; i < d->rank; i++) {
        r.reduced_sizes[i] = d->sizes[i];
        r.reduced_steps[i] = d->strides[i];
    }
    const struct k_work work = k_reduce_plan(&r);
    ex_step(call->plan, "reduce", k_best()->reduce, &r, sizeof r, work,
            EX_BUFFERS(from, to, from, to));
    return to;
}

static void plan_batch_elemt_grad(struct op_norm_call *call)
{
    const int count = plan_sum(call, op_norm_given(call, "counter"));
    begin(call, K_NORM_SYNC_GRAD);
    op_norm_whole(call, K_SYNC_GRAD_X, "input");
    op_norm_whole(call, K_SYNC_GRAD_DY, "gradOut");
    place_channels(call, K_SYNC_GRAD_MEAN, "mean");
    place_channels(call, K_SYNC_GRAD_RSTD, "invstd");
    place_channels(call, K_SYNC_GRAD_GAMMA, "weight");
    place_channels(call, K_SYNC_GRAD_OF_DY, "sumDy");
    place_channels(call, K_SYNC_GRAD_OF_DY_X, "sumDyXmu");
    const struct op_view one = {.type = ACL_DOUBLE, .rank = call->rank};
    op_norm_place(call, K_SYNC_GRAD_COUNT, count, &one, false);
    op_norm_whole(call, K_SYNC_GRAD_DX, "gradInput");
    op_norm_end(call, 3, NULL);
}

/* Rows are channels of the gathered statistics, one of each device. */
static void plan_batch_gather(struct op_norm_call *call)
{
    static const char *const names[] = {"runningMean", "runningVar", "meanAll", "invstdAll"};
    const struct ex_descriptor *d = &op_tensor_named(call->problem, "mean")->descriptor;
    struct op_view view;
    op_norm_begin(call, K_NORM_GATHER, 2, d->sizes, 1);
    call->norm.number[0] = op_real_named(call->problem, "eps", 0);
    call->norm.number[4] = op_real_named(call->problem, "momentum", 0);
    op_norm_whole(call, K_GATHER_MEAN, "mean");
    op_norm_whole(call, K_GATHER_RSTD, "invstd");
    view = op_view_of(op_tensor_named(call->problem, "counts"));
    view.strides[1] = 0;
    op_norm_operand(call, K_GATHER_COUNTS, "counts", &view);
    for (int i = 0; i < 4; i++) {
        const struct op_value *value = op_norm_given(call, names[i]);
        int buffer = call->buffers[value - call->problem->values];
        view = op_view_of(value->tensor);
        if (!op_is_read(value)) buffer = op_norm_target(call, value, false, &view);
        view.strides[1] = view.strides[0];
        view.strides[0] = 0;
        op_norm_place(call, K_GATHER_RUNNING_MEAN + i, buffer, &view, true);
    }
    op_norm_end(call, 4, NULL);
}

#define RULE(name, checks, empty)                                                                  \
    static const struct op_norm_rule name##_more = {.plan = plan_##name,                           \
                                                    .numbers = " counter counts "};                \
    const struct op_rule op_rule_##name = {                                                        \
        .types = op_norm_types, .shapes = checks, .runs_empty = (empty), .more = &name##_more};
RULE(batch_norm, shapes, false)
RULE(batch_stats, shapes, false)
RULE(batch_elemt, shapes, false)
RULE(batch_reduce, shapes, false)
RULE(batch_norm_grad, shapes, true)
RULE(batch_reduce_grad, shapes, false)
RULE(batch_elemt_grad, shapes, false)
RULE(batch_gather, gather_shapes, false)

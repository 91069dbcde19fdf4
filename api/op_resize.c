/* SPDX-License-Identifier: Apache-2.0 */
/* Images in another size: aclnnUpsample in one to three dimensions. */
#include <math.h>
#include <string.h>

#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/resize/k_resize.h"

/* A rule's `more`. */
struct resize_rule {
    struct op_shape_rule shape; /* first */
    enum k_resize_mode mode;
    int axes;
};

enum { SCALES = 1, MODE };               /* of aclnnResize */
enum { IMAGE, OUTPUT_SIZE, INPUT_SIZE }; /* self or gradOut; the last of gradients */

static const struct resize_rule *rule_of(const struct op_problem *problem)
{
    return problem->row->rule->more;
}

/* ---- checks ---- */

/* An image of `axes` axes of at least one element and as many as indices count. */
static aclnnStatus check_image(const struct op_problem *problem, const char *name,
                               const int64_t *sizes)
{
    for (int i = 0; i < rule_of(problem)->axes; i++)
        OP_CHECK(problem->row->name, sizes[i] >= 1 && sizes[i] <= INT32_MAX,
                 ACLNN_ERR_PARAM_INVALID, "%s[%d] is %" PRId64 "; it must be from 1 to 2147483647",
                 name, i, sizes[i]);
    return ACLNN_SUCCESS;
}

static struct k_resize resize_of(const struct op_problem *problem, const int64_t *in,
                                 const int64_t *out);

/* A result that is antialiased sees no more than a line. */
static aclnnStatus check_seen(const struct op_problem *problem, const int64_t *in,
                              const int64_t *out)
{
    struct k_resize r = resize_of(problem, in, out);
    k_resize_table_plan(&r);
    for (int i = 0; i < K_RESIZE_AXES; i++)
        OP_CHECK(problem->row->name, r.axis[i].taps <= K_RESIZE_LINE, ACLNN_ERR_PARAM_INVALID,
                 "%" PRId64 " elements become %" PRId64 ": a result would see %d; at most %d",
                 r.axis[i].in, r.axis[i].out, r.axis[i].taps, K_RESIZE_LINE);
    return ACLNN_SUCCESS;
}

static aclnnStatus resize_shapes(struct op_problem *problem)
{
    const struct resize_rule *rule = rule_of(problem);
    const struct op_value *self = &problem->values[IMAGE], *out = op_written(problem, 0);
    const aclIntArray *size = problem->values[OUTPUT_SIZE].ints;
    const char *name = problem->row->name;
    const int rank = rule->axes + 2;
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(op_check_channels_first(name, self->name, self->tensor, 0));
    OP_TRY(op_check_channels_first(name, out->name, out->tensor, 0));
    OP_TRY(op_check_rank(name, self->name, self->tensor, rank, rank));
    OP_CHECK(name, size->size == (uint64_t)rule->axes, ACLNN_ERR_PARAM_INVALID,
             "outputSize has %" PRIu64 " elements; it must have %d", size->size, rule->axes);
    memcpy(sizes, self->tensor->descriptor.sizes, (size_t)rank * sizeof *sizes);
    OP_TRY(check_image(problem, "outputSize", size->values));
    if (sizes[0] > 0 && sizes[1] > 0) OP_TRY(check_image(problem, "the image's size", sizes + 2));
    memcpy(sizes + 2, size->values, (size_t)rule->axes * sizeof *sizes);
    OP_TRY(op_check_shape(problem, out, out->tensor, rank, sizes));
    if (op_is_empty(out->tensor)) return ACLNN_SUCCESS;
    return check_seen(problem, self->tensor->descriptor.sizes, sizes);
}

/* aclnnResize of channels that come last; its sizes and scales are in that order. */
static bool has_channels_last(const struct op_problem *problem)
{
    const struct ex_descriptor *d = &problem->values[IMAGE].tensor->descriptor;
    return op_argument_named(problem, "mode") && d->storage_format == ACL_FORMAT_NHWC;
}

/* aclnnResize: scales of all four axes; those of the batch and of the channels are 1. */
static aclnnStatus check_scales(const struct op_problem *problem, const int64_t *in, int64_t *out)
{
    const aclFloatArray *scales = problem->values[SCALES].floats;
    const char *name = problem->row->name;
    OP_CHECK(name, scales->size == 4, ACLNN_ERR_PARAM_INVALID,
             "scales has %" PRIu64 " elements; it must have 4", scales->size);
    const int first = has_channels_last(problem) ? 1 : 2;
    for (int i = 0; i < 4; i++) {
        const double scale = (double)scales->values[i], size = floor((double)in[i] * scale);
        const bool is_spatial = i == first || i == first + 1;
        OP_CHECK(name, is_spatial || scale == 1, ACLNN_ERR_PARAM_INVALID,
                 "scales[%d] is %g; it must be 1", i, scale);
        OP_CHECK(name, scale > 0 && size <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
                 "scales[%d] is %g; the result's size must be from 1 to 2147483647", i, scale);
        out[i] = (int64_t)size;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus scaled_types(struct op_problem *problem)
{
    const char *mode = problem->values[MODE].text, *name = problem->row->name;
    OP_CHECK(name, problem->values[SCALES].floats, ACLNN_ERR_PARAM_NULLPTR, "scales is NULL");
    OP_CHECK(name, mode, ACLNN_ERR_PARAM_NULLPTR, "mode is NULL");
    OP_TRY(op_one_type(problem));
    OP_CHECK(name, strcmp(mode, "nearest") == 0 || strcmp(mode, "bilinear") == 0,
             ACLNN_ERR_PARAM_INVALID, "mode is \"%s\"; it must be \"nearest\" or \"bilinear\"",
             mode);
    return ACLNN_SUCCESS;
}

static aclnnStatus scaled_shapes(struct op_problem *problem)
{
    const struct op_value *self = &problem->values[IMAGE], *out = op_written(problem, 0);
    const char *name = problem->row->name;
    const bool is_last = has_channels_last(problem);
    int64_t sizes[4];
    if (is_last)
        OP_TRY(op_check_same_format(name, out->name, out->tensor, self->name, self->tensor));
    OP_TRY(op_check_channels_first(name, self->name, self->tensor, OP_FORMAT(ACL_FORMAT_NHWC)));
    if (!is_last) OP_TRY(op_check_channels_first(name, out->name, out->tensor, 0));
    OP_TRY(op_check_rank(name, self->name, self->tensor, 4, 4));
    const int64_t *in = self->tensor->descriptor.sizes;
    OP_TRY(check_scales(problem, in, sizes));
    if (in[0] > 0 && in[is_last ? 3 : 1] > 0) {
        OP_TRY(check_image(problem, "the image's size", in + (is_last ? 1 : 2)));
        OP_TRY(check_image(problem, "the result's size", sizes + (is_last ? 1 : 2)));
    }
    return op_check_shape(problem, out, out->tensor, 4, sizes);
}

static aclnnStatus grad_shapes(struct op_problem *problem)
{
    const struct resize_rule *rule = rule_of(problem);
    const struct op_value *grad = &problem->values[IMAGE], *out = op_written(problem, 0);
    const aclIntArray *output = problem->values[OUTPUT_SIZE].ints;
    const aclIntArray *input = problem->values[INPUT_SIZE].ints;
    const char *name = problem->row->name;
    const int rank = rule->axes + 2;
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(op_check_channels_first(name, grad->name, grad->tensor, 0));
    OP_TRY(op_check_channels_first(name, out->name, out->tensor, 0));
    OP_CHECK(name, output->size == (uint64_t)rule->axes, ACLNN_ERR_PARAM_INVALID,
             "outputSize has %" PRIu64 " elements; it must have %d", output->size, rule->axes);
    OP_CHECK(name, input->size == (uint64_t)rank, ACLNN_ERR_PARAM_INVALID,
             "inputSize has %" PRIu64 " elements; it must have %d", input->size, rank);
    OP_TRY(check_image(problem, "outputSize", output->values));
    OP_TRY(check_image(problem, "inputSize", input->values + 2));
    OP_TRY(op_check_shape(problem, out, out->tensor, rank, input->values));
    memcpy(sizes, input->values, 2 * sizeof *sizes);
    memcpy(sizes + 2, output->values, (size_t)rule->axes * sizeof *sizes);
    OP_TRY(op_check_shape(problem, grad, grad->tensor, rank, sizes));
    return check_seen(problem, input->values, sizes);
}

/* ---- plan ---- */

/* The scale of the axis that is the i-th from the end. */
static double scale_of(const struct op_problem *problem, int i)
{
    static const char *const names[] = {"scalesW", "scalesH", "scalesD"};
    if (op_argument_named(problem, "mode")) return 0; /* the sizes say it */
    const double only = op_real_named(problem, "scaleL", op_real_named(problem, "scales", 0));
    return op_real_named(problem, names[i], i == 0 ? only : 0);
}

static enum k_resize_mode mode_of(const struct op_problem *problem)
{
    const struct op_value *mode = op_argument_named(problem, "mode");
    if (!mode) return rule_of(problem)->mode;
    return strcmp(mode->text, "nearest") == 0 ? K_RESIZE_NEAREST : K_RESIZE_LINEAR;
}

static struct k_resize resize_of(const struct op_problem *problem, const int64_t *in,
                                 const int64_t *out)
{
    const struct resize_rule *rule = rule_of(problem);
    struct k_resize r = {.dtype = op_k_dtype_of(problem->type),
                         .mode = mode_of(problem),
                         .align_corners = op_integer_named(problem, "alignCorners", 0) != 0,
                         .planes = out[0] * out[1]};
    for (int i = 0; i < K_RESIZE_AXES; i++) {
        struct k_resize_axis *axis = &r.axis[K_RESIZE_AXES - 1 - i];
        const int at = rule->axes + 1 - i;
        axis->is_plain = i >= rule->axes;
        axis->in = axis->is_plain ? 1 : in[at];
        axis->out = axis->is_plain ? 1 : out[at];
        axis->scale = axis->is_plain ? 0 : scale_of(problem, i);
    }
    return r;
}

/* The axes of channels that come last, in the order of those that come first. */
static struct op_place channels_first(struct op_place place)
{
    const struct op_view own = place.view;
    static const int order[] = {0, 3, 1, 2};
    for (int i = 0; i < 4; i++) {
        place.view.sizes[i] = own.sizes[order[i]];
        place.view.strides[i] = own.strides[order[i]];
    }
    return place;
}

static struct op_place source_of(const struct op_shape_call *call)
{
    if (!has_channels_last(call->problem)) return op_dense_source(call, IMAGE);
    const struct op_place own = channels_first(op_source(call, IMAGE, 0));
    const struct op_place copy = op_scratch_like(call->plan, &own.view);
    op_copy_place(call->plan, &own, &copy);
    return copy;
}

static struct op_place target_of(const struct op_shape_call *call, int argument)
{
    if (!has_channels_last(call->problem)) return op_dense_target(call, argument);
    const struct op_place own = channels_first(op_target(call, argument, 0));
    return op_scratch_like(call->plan, &own.view);
}

static void deliver(const struct op_shape_call *call, const struct op_place *made, int argument)
{
    if (!has_channels_last(call->problem)) {
        op_deliver(call, made, argument);
        return;
    }
    const struct op_place own = channels_first(op_target(call, argument, 0));
    op_copy_place(call->plan, made, &own);
}

/* Places and weights first, in scratch. */
static void plan_resize(const struct op_shape_call *call, bool is_grad)
{
    const struct op_problem *problem = call->problem;
    const int argument = (int)(op_written(problem, 0) - problem->values);
    const struct op_place from = source_of(call), to = target_of(call, argument);
    const int64_t *in = is_grad ? to.view.sizes : from.view.sizes;
    const int64_t *out = is_grad ? from.view.sizes : to.view.sizes;
    struct k_resize r = resize_of(problem, in, out);
    const struct k_work places = k_resize_table_plan(&r);
    const int table = ex_scratch(call->plan, (size_t)r.table_bytes);
    ex_step(call->plan, "resize_table", k_best()->resize_table, &r, sizeof r, places,
            EX_BUFFERS(table));
    const struct k_work work = is_grad ? k_resize_grad_plan(&r) : k_resize_plan(&r);
    ex_step(call->plan, is_grad ? "resize_grad" : "resize",
            is_grad ? k_best()->resize_grad : k_best()->resize, &r, sizeof r, work,
            EX_BUFFERS(from.buffer, table, to.buffer));
    deliver(call, &to, argument);
}

static void resize(const struct op_shape_call *call)
{
    plan_resize(call, false);
}

static void grad(const struct op_shape_call *call)
{
    plan_resize(call, true);
}

#define RESIZE(name, mode_, axes_)                                                                 \
    const struct op_rule op_rule_##name = {                                                        \
        .types = op_one_type,                                                                      \
        .shapes = resize_shapes,                                                                   \
        .more = &(const struct resize_rule){{resize}, mode_, axes_}};                              \
    const struct op_rule op_rule_##name##_grad = {                                                 \
        .types = op_one_type,                                                                      \
        .shapes = grad_shapes,                                                                     \
        .more = &(const struct resize_rule){{grad}, mode_, axes_}}
/* aclnnResize: the mode is an argument. */
const struct op_rule op_rule_resize_by_scales = {
    .types = scaled_types,
    .shapes = scaled_shapes,
    .more = &(const struct resize_rule){{resize}, K_RESIZE_NEAREST, 2}};
RESIZE(nearest1, K_RESIZE_NEAREST, 1);
RESIZE(nearest2, K_RESIZE_NEAREST, 2);
RESIZE(nearest3, K_RESIZE_NEAREST, 3);
RESIZE(nearest_exact1, K_RESIZE_NEAREST_EXACT, 1);
RESIZE(nearest_exact2, K_RESIZE_NEAREST_EXACT, 2);
RESIZE(nearest_exact3, K_RESIZE_NEAREST_EXACT, 3);
RESIZE(linear1, K_RESIZE_LINEAR, 1);
RESIZE(linear2, K_RESIZE_LINEAR, 2);
RESIZE(linear3, K_RESIZE_LINEAR, 3);
RESIZE(cubic2, K_RESIZE_CUBIC, 2);
RESIZE(linear_aa2, K_RESIZE_LINEAR_AA, 2);
RESIZE(cubic_aa2, K_RESIZE_CUBIC_AA, 2);

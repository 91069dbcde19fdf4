/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of images in one size, and how much boxes overlap: aclnnRoiAlign, V2, its gradient, and
 * aclnnIou. */
#include <stdio.h>
#include <string.h>

#include "api/op_sample.h"
#include "kernels/kernels.h"
#include "kernels/sample/k_roi.h"

static const aclTensor *tensor_of(const struct op_problem *problem, const char *name)
{
    return op_argument_named(problem, name)->tensor;
}

/* The first version has boxes and the numbers of their images apart. */
static bool has_numbers(const struct op_problem *problem)
{
    return op_argument_named(problem, "batchIndices") != NULL;
}

static const char *boxes_of(const struct op_problem *problem)
{
    return has_numbers(problem) ? "rois" : "boxes";
}

static int64_t number_of(const struct op_problem *problem, const char *name, const char *other)
{
    return op_integer_named(problem, name, op_integer_named(problem, other, 0));
}

/* ---- checks ---- */

static aclnnStatus roi_types(struct op_problem *problem)
{
    static const char *const like[] = {"rois", "out"};
    const struct op_value *self = op_argument_named(problem, "self");
    const char *name = problem->row->name;
    if (!has_numbers(problem)) return op_one_type(problem);
    OP_TRY(op_check_type(name, self->name, self->tensor, problem->row->types,
                         problem->row->type_names));
    for (int i = 0; i < 2; i++)
        OP_TRY(op_check_same_type(name, like[i], tensor_of(problem, like[i]), self->name,
                                  self->tensor));
    OP_TRY(op_check_type(name, "batchIndices", tensor_of(problem, "batchIndices"),
                         OP_TYPE(ACL_INT32), "INT32"));
    problem->type = problem->result = (aclDataType)self->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_numbers(const struct op_problem *problem, int64_t bins[2])
{
    const int64_t ratio = op_integer_named(problem, "samplingRatio", 0);
    const double scale = op_real_named(problem, "spatialScale", 1);
    const struct op_value *mode = op_argument_named(problem, "mode");
    const char *name = problem->row->name;
    bins[0] = number_of(problem, "pooledHeight", "outputHeight");
    bins[1] = number_of(problem, "pooledWidth", "outputWidth");
    for (int i = 0; i < 2; i++)
        OP_CHECK(name, bins[i] >= 1 && bins[i] <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
                 "%s%s is %" PRId64 "; it must be from 1 to 2147483647",
                 has_numbers(problem) ? "output" : "pooled", i ? "Width" : "Height", bins[i]);
    OP_CHECK(name, ratio >= 0 && ratio <= K_ROI_RATIO, ACLNN_ERR_PARAM_INVALID,
             "samplingRatio is %" PRId64 "; it must be from 0 to %d", ratio, K_ROI_RATIO);
    OP_CHECK(name, scale > 0, ACLNN_ERR_PARAM_INVALID,
             "spatialScale is %g; it must be greater than 0", scale);
    if (!mode) return ACLNN_SUCCESS;
    OP_CHECK(name, mode->text, ACLNN_ERR_PARAM_NULLPTR, "mode is NULL");
    OP_CHECK(name, strcmp(mode->text, "avg") == 0, ACLNN_ERR_PARAM_INVALID,
             "mode is \"%s\"; it must be \"avg\"%s", mode->text,
             strcmp(mode->text, "max") == 0 ? ": maxima are not supported" : "");
    return ACLNN_SUCCESS;
}

/* An image, and boxes of it; the shape that bins have. */
static aclnnStatus check_regions(const struct op_problem *problem, const char *image_name,
                                 const int64_t *image, int64_t sizes[4])
{
    const struct op_value *boxes = op_argument_named(problem, boxes_of(problem));
    const char *name = problem->row->name;
    int64_t bins[2];
    OP_TRY(check_numbers(problem, bins));
    for (int i = 0; i < 4; i++)
        OP_CHECK(name, image[i] >= (i != 1) && image[i] <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRId64 " along axis %d; it must have from %d to 2147483647", image_name,
                 image[i], i, i != 1);
    OP_TRY(op_check_rank(name, boxes->name, boxes->tensor, 2, 2));
    const int64_t regions = boxes->tensor->descriptor.sizes[0];
    OP_TRY(op_check_shape(problem, boxes, boxes->tensor, 2,
                          (const int64_t[]){regions, has_numbers(problem) ? 4 : 5}));
    if (has_numbers(problem))
        OP_TRY(op_check_shape(problem, op_argument_named(problem, "batchIndices"),
                              tensor_of(problem, "batchIndices"), 1, &regions));
    memcpy(sizes, (const int64_t[]){regions, image[1], bins[0], bins[1]}, 4 * sizeof *sizes);
    return ACLNN_SUCCESS;
}

static aclnnStatus roi_shapes(struct op_problem *problem)
{
    const struct op_value *self = op_argument_named(problem, "self");
    const struct op_value *out = op_argument_named(problem, "out");
    const char *name = problem->row->name;
    int64_t sizes[4];
    OP_TRY(op_check_channels_first(name, self->name, self->tensor, 0));
    OP_TRY(op_check_channels_first(name, out->name, out->tensor, 0));
    OP_TRY(op_check_rank(name, self->name, self->tensor, 4, 4));
    OP_TRY(check_regions(problem, self->name, self->tensor->descriptor.sizes, sizes));
    return op_check_shape(problem, out, out->tensor, 4, sizes);
}

static aclnnStatus grad_shapes(struct op_problem *problem)
{
    const struct op_value *grad = op_argument_named(problem, "gradOutput");
    const struct op_value *to = op_argument_named(problem, "gradInput");
    const aclIntArray *shape = op_argument_named(problem, "inputShape")->ints;
    const char *name = problem->row->name;
    int64_t sizes[4];
    OP_CHECK(name, shape->size == 4, ACLNN_ERR_PARAM_INVALID,
             "inputShape has %" PRIu64 " elements; it must have 4", shape->size);
    OP_TRY(op_check_channels_first(name, grad->name, grad->tensor, 0));
    OP_TRY(op_check_channels_first(name, to->name, to->tensor, 0));
    OP_TRY(check_regions(problem, "inputShape", shape->values, sizes));
    OP_TRY(op_check_shape(problem, grad, grad->tensor, 4, sizes));
    return op_check_shape(problem, to, to->tensor, 4, shape->values);
}

static aclnnStatus iou_shapes(struct op_problem *problem)
{
    const struct op_value *first = op_argument_named(problem, "bBoxes");
    const struct op_value *second = op_argument_named(problem, "gtBoxes");
    const struct op_value *to = op_argument_named(problem, "overlap");
    const char *mode = op_argument_named(problem, "mode")->text, *name = problem->row->name;
    const bool is_aligned = op_integer_named(problem, "aligned", 0) != 0;
    OP_CHECK(name, mode, ACLNN_ERR_PARAM_NULLPTR, "mode is NULL");
    OP_CHECK(name, strcmp(mode, "iou") == 0 || strcmp(mode, "iof") == 0, ACLNN_ERR_PARAM_INVALID,
             "mode is \"%s\"; it must be \"iou\" or \"iof\"", mode);
    OP_CHECK(name, op_real_named(problem, "eps", 0) >= 0, ACLNN_ERR_PARAM_INVALID,
             "eps is %g; it must not be negative", op_real_named(problem, "eps", 0));
    OP_TRY(op_check_rank(name, first->name, first->tensor, 2, 2));
    OP_TRY(op_check_rank(name, second->name, second->tensor, 2, 2));
    const int64_t m = first->tensor->descriptor.sizes[0];
    const int64_t n = is_aligned ? m : second->tensor->descriptor.sizes[0];
    OP_TRY(op_check_shape(problem, first, first->tensor, 2, (const int64_t[]){m, 4}));
    OP_TRY(op_check_shape(problem, second, second->tensor, 2, (const int64_t[]){n, 4}));
    return op_check_shape(problem, to, to->tensor, 2, (const int64_t[]){m, is_aligned ? 1 : n});
}

/* ---- plans ---- */

static struct k_roi roi_of(const struct op_problem *problem, const int64_t *image)
{
    struct k_roi r = {.is_double = problem->type == ACL_DOUBLE,
                      .has_numbers = has_numbers(problem),
                      .aligned = op_integer_named(problem, "aligned", 0) != 0,
                      .batch = image[0],
                      .channels = image[1],
                      .size = {image[2], image[3]},
                      .regions = tensor_of(problem, boxes_of(problem))->descriptor.sizes[0],
                      .ratio = op_integer_named(problem, "samplingRatio", 0),
                      .scale = op_real_named(problem, "spatialScale", 1),
                      .name = has_numbers(problem) ? "batchIndices" : "boxes"};
    r.bins[0] = number_of(problem, "pooledHeight", "outputHeight");
    r.bins[1] = number_of(problem, "pooledWidth", "outputWidth");
    return r;
}

static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_roi *r = parameters;
    const void *boxes = buffers[K_ROI_BOXES];
    const double number = r->has_numbers ? ((const int32_t *)buffers[K_ROI_NUMBERS])[position]
                          : r->is_double ? ((const double *)boxes)[position]
                                         : (double)((const float *)boxes)[position];
    snprintf(text, size, "element %" PRId64 " of %s is %.10g; it must be from 0 to %" PRId64,
             position, r->name, number, r->batch - 1);
}

static void plan(const struct op_shape_call *call, const struct k_roi *r, bool is_grad)
{
    const struct op_problem *problem = call->problem;
    const char *to_name = is_grad ? "gradInput" : "out";
    if (op_is_empty(tensor_of(problem, to_name))) return;
    const int from = op_image_source(call, is_grad ? "gradOutput" : "self");
    const int boxes = op_image_source(call, boxes_of(problem));
    const int numbers =
        r->has_numbers
            ? op_dense_source(call,
                              (int)(op_argument_named(problem, "batchIndices") - problem->values))
                  .buffer
            : boxes;
    const struct op_place to = op_image_target(call, to_name);
    const struct k_work work = is_grad ? k_roi_grad_plan(r) : k_roi_plan(r);
    ex_step_with_faults(call->plan, is_grad ? "roi_grad" : "roi",
                        is_grad ? k_best()->roi_grad : k_best()->roi, r, sizeof *r, work,
                        EX_BUFFERS(from, boxes, numbers, to.buffer), describe);
    op_image_deliver(call, &to, to_name);
}

static void roi(const struct op_shape_call *call)
{
    const struct k_roi r =
        roi_of(call->problem, tensor_of(call->problem, "self")->descriptor.sizes);
    plan(call, &r, false);
}

static void grad(const struct op_shape_call *call)
{
    const struct k_roi r =
        roi_of(call->problem, op_argument_named(call->problem, "inputShape")->ints->values);
    plan(call, &r, true);
}

static void iou(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct k_iou p = {.is_double = problem->type == ACL_DOUBLE,
                            .is_aligned = op_integer_named(problem, "aligned", 0) != 0,
                            .of_second =
                                strcmp(op_argument_named(problem, "mode")->text, "iof") == 0,
                            .first = tensor_of(problem, "bBoxes")->descriptor.sizes[0],
                            .second = tensor_of(problem, "gtBoxes")->descriptor.sizes[0],
                            .epsilon = op_real_named(problem, "eps", 0)};
    if (op_is_empty(tensor_of(problem, "overlap"))) return;
    const int first = op_image_source(call, "bBoxes"), second = op_image_source(call, "gtBoxes");
    const struct op_place to = op_image_target(call, "overlap");
    ex_step(call->plan, "iou", k_best()->iou, &p, sizeof p, k_iou_plan(&p),
            EX_BUFFERS(first, second, to.buffer));
    op_image_deliver(call, &to, "overlap");
}

const struct op_rule op_rule_roi = {
    .types = roi_types, .shapes = roi_shapes, .more = &(const struct op_shape_rule){roi}};
const struct op_rule op_rule_roi_grad = {.types = op_one_type,
                                         .shapes = grad_shapes,
                                         .runs_empty = true,
                                         .more = &(const struct op_shape_rule){grad}};
const struct op_rule op_rule_iou = {
    .types = op_one_type, .shapes = iou_shapes, .more = &(const struct op_shape_rule){iou}};

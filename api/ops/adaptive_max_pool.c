/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveMaxPool2d, aclnnAdaptiveMaxPool3d: the maxima of as many bins as asked for. */

#include "api/op_call.h"
#include "api/op_hand.h"
#include "api/op_max_pool.h"
#include "api/op_unpool.h"
#include "executor/plan.h"
#include "executor/steps.h"
#include "kernels/kernels.h"
#include "kernels/pool/k_adaptive_max.h"

static const char *const NAME_2D = "aclnnAdaptiveMaxPool2d";
static const char *const NAME_3D = "aclnnAdaptiveMaxPool3d";

/* The checks, in CANN's order. */

static aclnnStatus check_types_2d(const aclTensor *self, const aclTensor *outputOut,
                                  const aclTensor *indicesOut)
{
    const uint64_t types =
        OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_DOUBLE) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16);
    const char *rule = "FLOAT, DOUBLE, FLOAT16 or BF16";
    OP_TRY(op_check_type(NAME_2D, "self", self, types, rule));
    OP_TRY(op_check_type(NAME_2D, "outputOut", outputOut, types, rule));
    OP_TRY(op_check_same_type(NAME_2D, "outputOut", outputOut, "self", self));
    return op_check_type(NAME_2D, "indicesOut", indicesOut, OP_TYPE(ACL_INT64), "INT64");
}

/* Data are channels first: what says otherwise is refused. */
static aclnnStatus check_formats_2d(const aclTensor *self, const aclTensor *outputOut)
{
    const uint64_t formats =
        OP_FORMAT(ACL_FORMAT_NCHW) | OP_FORMAT(ACL_FORMAT_NCL) | OP_FORMAT(ACL_FORMAT_ND);
    OP_TRY(op_check_format(NAME_2D, "self", self, formats, "NCHW, NCL or ND"));
    return op_check_format(NAME_2D, "outputOut", outputOut, formats, "NCHW, NCL or ND");
}

static aclnnStatus check_2d(const aclTensor *self, const aclIntArray *outputSize,
                            const aclTensor *outputOut, const aclTensor *indicesOut)
{
    const char *op = NAME_2D;
    enum { AXES = 2 };
    OP_TRY(check_types_2d(self, outputOut, indicesOut));
    OP_TRY(op_check_rank(op, "self", self, AXES + 1, AXES + 2));
    OP_TRY(op_check_same_shape(op, "indicesOut", indicesOut, "outputOut", outputOut));
    OP_TRY(op_check_filled(op, "self", self));
    OP_TRY(op_check_length(op, "outputSize", outputSize, AXES));
    for (int i = 0; i < AXES; i++)
        OP_TRY(op_check_entry_positive(op, "outputSize", outputSize, i));
    OP_TRY(check_formats_2d(self, outputOut));
    if (op_is_empty(self)) return ACLNN_SUCCESS; /* CANN takes any result then */
    OP_TRY(op_check_same_rank(op, "outputOut", outputOut, "self", self));
    OP_TRY(op_check_same_leading(op, "outputOut", outputOut, "self", self, AXES));
    OP_TRY(op_check_spatial(op, "outputOut", outputOut, outputSize));
    return op_check_sizes(op, "outputOut", outputOut);
}

static aclnnStatus check_ranks_and_types_3d(const aclTensor *self, const aclTensor *outputOut,
                                            const aclTensor *indicesOut)
{
    const char *op = NAME_3D;
    OP_TRY(op_check_rank(op, "self", self, 4, 5));
    OP_TRY(op_check_rank(op, "outputOut", outputOut, 4, 5));
    OP_TRY(op_check_rank(op, "indicesOut", indicesOut, 4, 5));
    OP_TRY(op_check_float(op, "self", self));
    OP_TRY(op_check_float(op, "outputOut", outputOut));
    OP_TRY(op_check_index_type(op, "indicesOut", indicesOut));
    OP_TRY(op_check_format(op, "self", self,
                           OP_FORMAT(ACL_FORMAT_NCDHW) | OP_FORMAT(ACL_FORMAT_NCHW) |
                               OP_FORMAT(ACL_FORMAT_ND),
                           "NCDHW, NCHW or ND"));
    return op_check_same_format(op, "outputOut", outputOut, "self", self);
}

/* The extents of the output: those of self, one value for all axes, or one each. */
static void output_extents(const aclTensor *self, const aclIntArray *outputSize,
                           int64_t extents[K_ADAPTIVE_AXES])
{
    const struct ex_descriptor *d = &self->descriptor;
    for (int i = 0; i < K_ADAPTIVE_AXES; i++) {
        extents[i] = d->sizes[d->rank - K_ADAPTIVE_AXES + i];
        if (outputSize->size > 0) extents[i] = outputSize->values[outputSize->size == 1 ? 0 : i];
    }
}

static aclnnStatus check_output_3d(const aclTensor *self, const aclIntArray *outputSize,
                                   const aclTensor *outputOut)
{
    const char *op = NAME_3D;
    enum { AXES = 3 };
    const struct ex_descriptor *out = &outputOut->descriptor;
    struct op_shape_text text;
    int64_t extents[AXES];
    OP_CHECK(op, outputSize->size <= 1 || outputSize->size == AXES, ACLNN_ERR_PARAM_INVALID,
             "outputSize has %" PRIu64 " entries; it must have 0, 1 or 3", outputSize->size);
    OP_TRY(op_check_same_rank(op, "outputOut", outputOut, "self", self));
    OP_TRY(op_check_same_leading(op, "outputOut", outputOut, "self", self, AXES));
    output_extents(self, outputSize, extents);
    for (int i = 0; i < AXES; i++)
        OP_CHECK(op, out->sizes[out->rank - AXES + i] == extents[i], ACLNN_ERR_PARAM_INVALID,
                 "outputOut has shape %s; its dimension %d must be %" PRId64 ", as outputSize says",
                 op_shape(&text, outputOut), out->rank - AXES + i, extents[i]);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_3d(const aclTensor *self, const aclIntArray *outputSize,
                            const aclTensor *outputOut, const aclTensor *indicesOut)
{
    const char *op = NAME_3D;
    const struct ex_descriptor *d = &self->descriptor;
    int64_t cells = 0;
    OP_TRY(check_ranks_and_types_3d(self, outputOut, indicesOut));
    OP_TRY(check_output_3d(self, outputSize, outputOut));
    OP_TRY(op_check_same_shape(op, "indicesOut", indicesOut, "outputOut", outputOut));
    OP_TRY(op_check_same_type(op, "outputOut", outputOut, "self", self));
    OP_TRY(op_check_filled(op, "self", self));
    bool fits = ex_element_count(d->sizes + (d->rank - 3), 3, &cells);
    OP_CHECK(op, indicesOut->descriptor.data_type == ACL_INT64 || (fits && cells <= INT32_MAX),
             ACLNN_ERR_PARAM_INVALID,
             "indicesOut is INT32, which cannot count the elements of self's planes; INT64 can");
    for (uint64_t i = 0; i < outputSize->size; i++)
        OP_TRY(op_check_entry_positive(op, "outputSize", outputSize, (int)i));
    return op_check_sizes(op, "outputOut", outputOut);
}

/* What CANN leaves to the device: memory that is really there. */
static aclnnStatus check_views(const char *op, const aclTensor *self, const aclTensor *outputOut,
                               const aclTensor *indicesOut)
{
    OP_TRY(op_check_input_view(op, "self", self));
    OP_TRY(op_check_output_view(op, "outputOut", outputOut));
    return op_check_output_view(op, "indicesOut", indicesOut);
}

/* Phase 1. */

static struct k_adaptive_max shape_of(const aclTensor *self, const aclTensor *outputOut,
                                      const aclTensor *indicesOut, int axes, bool channels_last)
{
    const struct ex_descriptor *in = &self->descriptor, *out = &outputOut->descriptor;
    struct k_adaptive_max shape = {
        .channels = channels_last ? in->sizes[in->rank - axes - 1] : 1,
        .dtype = op_k_dtype(self),
        .index_size = (int)ex_element_size(indicesOut->descriptor.data_type),
        .is_last = channels_last,
    };
    ex_element_count(in->sizes, in->rank - axes - channels_last, &shape.planes);
    for (int i = 0; i < K_ADAPTIVE_AXES; i++) {
        int dimension = in->rank - K_ADAPTIVE_AXES + i;
        bool is_used = i >= K_ADAPTIVE_AXES - axes;
        shape.in[i] = is_used ? in->sizes[dimension] : 1;
        shape.out[i] = is_used ? out->sizes[dimension] : 1;
    }
    return shape;
}

/* And can the kernels of such memory count the planes? */
static bool is_last_in_memory(const aclTensor *self, const aclTensor *outputOut,
                              const aclTensor *indicesOut, int axes)
{
    const struct op_plane plane = op_plane_of(self, axes, false);
    return plane.size[0] * plane.size[1] * plane.size[2] <= INT32_MAX &&
           op_max_is_last_in_memory(self, outputOut, indicesOut, axes);
}

static aclnnStatus plan_maxima(const char *op, const aclTensor *self, const aclTensor *outputOut,
                               const aclTensor *indicesOut, int axes, uint64_t *workspaceSize,
                               aclOpExecutor **executor)
{
    struct ex_plan *plan = ex_plan_new(op);
    OP_CALL(plan, op, .axes = axes, .x = self, .y = outputOut, .i = indicesOut);
    int x = ex_input(plan, op_descriptor(self));
    int y = ex_output(plan, op_descriptor(outputOut));
    int positions = ex_output(plan, op_descriptor(indicesOut));
    if (op_is_empty(self)) return ex_seal(plan, workspaceSize, executor);
    struct op_window window;
    const int rank = self->descriptor.rank;
    const bool last = is_last_in_memory(self, outputOut, indicesOut, axes);
    if (op_max_window_of_bins(&window, axes, self, outputOut) &&
        (last || op_max_is_by_rows(&window, self, outputOut))) {
        op_max_forward_steps(plan, &window, (struct op_max_tensor){self, x},
                             (struct op_max_tensor){outputOut, y},
                             (struct op_max_tensor){indicesOut, positions}, false);
        return ex_seal(plan, workspaceSize, executor);
    }

    const struct k_adaptive_max shape = shape_of(self, outputOut, indicesOut, axes, last);
    struct k_adaptive_max planned = shape;
    const struct k_problem problem = {&planned, shape.dtype, k_best()};
    const struct k_way *way = k_way_choose(K_CHOICE_adaptive_max, &problem).way;
    const bool is_planes = way->slot == offsetof(struct k_table, adaptive_max_planes);
    struct ex_order order =
        is_planes ? ex_order_identity(rank) : ex_order_channels_last(rank, rank == axes + 1);
    int source = ex_packed(plan, x, &order);
    int target = ex_target(plan, y, &order);
    int index = ex_target(plan, positions, &order);
    ex_step_way(plan, "adaptive_max", K_CHOICE_adaptive_max, shape.dtype, &shape, sizeof shape,
                EX_BUFFERS(source, target, index), NULL);
    ex_deliver(plan, target, y, &order);
    ex_deliver(plan, index, positions, &order);
    return ex_seal(plan, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveMaxPool2d)(const aclTensor *self, const aclIntArray *outputSize,
                                            aclTensor *outputOut, aclTensor *indicesOut,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_2D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_2D, executor);
    OP_CHECK_NOT_NULL(NAME_2D, self);
    OP_CHECK_NOT_NULL(NAME_2D, outputSize);
    OP_CHECK_NOT_NULL(NAME_2D, outputOut);
    OP_CHECK_NOT_NULL(NAME_2D, indicesOut);
    OP_TRY(check_2d(self, outputSize, outputOut, indicesOut));
    if (!op_is_empty(self)) OP_TRY(check_views(NAME_2D, self, outputOut, indicesOut));
    return plan_maxima(NAME_2D, self, outputOut, indicesOut, 2, workspaceSize, executor);
}

aclnnStatus OP_HAND(aclnnAdaptiveMaxPool3d)(const aclTensor *self, const aclIntArray *outputSize,
                                            aclTensor *outputOut, aclTensor *indicesOut,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME_3D, workspaceSize);
    OP_CHECK_NOT_NULL(NAME_3D, executor);
    OP_CHECK_NOT_NULL(NAME_3D, self);
    OP_CHECK_NOT_NULL(NAME_3D, outputSize);
    OP_CHECK_NOT_NULL(NAME_3D, outputOut);
    OP_CHECK_NOT_NULL(NAME_3D, indicesOut);
    OP_TRY(check_3d(self, outputSize, outputOut, indicesOut));
    if (!op_is_empty(self)) OP_TRY(check_views(NAME_3D, self, outputOut, indicesOut));
    return plan_maxima(NAME_3D, self, outputOut, indicesOut, 3, workspaceSize, executor);
}

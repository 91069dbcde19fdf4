/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnNpuFormatCast: axes in the order of another public format. The device's own layouts are the
 * source's here, so a cast to one of them is a copy. */
#include <string.h>

#include "aclnnop/aclnn_npu_format_cast.h"
#include "api/op_check.h"
#include "api/op_shape.h"
#include "runtime/support/alloc.h"

enum { SOURCE, TARGET };

/* Axis i of the target is axis order[i] of the source. */
static void find_order(int32_t from, int32_t to, int rank, int *order)
{
    const char *own = op_format_axes((aclFormat)from), *other = op_format_axes((aclFormat)to);
    const bool names = own && other && strlen(own) == (size_t)rank && strlen(other) == strlen(own);
    for (int i = 0; i < rank; i++)
        order[i] = names ? (int)(strchr(own, other[i]) - own) : i;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_value *target = &problem->values[TARGET];
    const struct ex_descriptor *from = &problem->values[SOURCE].tensor->descriptor;
    int64_t sizes[EX_MAX_RANK];
    int order[EX_MAX_RANK];
    find_order(from->storage_format, target->tensor->descriptor.storage_format, from->rank, order);
    for (int i = 0; i < from->rank; i++)
        sizes[i] = from->sizes[order[i]];
    return op_check_shape(problem, target, target->tensor, from->rank, sizes);
}

static void cast(const struct op_shape_call *call)
{
    const struct op_place source = op_source(call, SOURCE, 0), target = op_target(call, TARGET, 0);
    struct op_place from = source;
    int order[EX_MAX_RANK];
    find_order(call->problem->values[SOURCE].tensor->descriptor.storage_format,
               call->problem->values[TARGET].tensor->descriptor.storage_format, from.view.rank,
               order);
    for (int i = 0; i < from.view.rank; i++) {
        from.view.sizes[i] = source.view.sizes[order[i]];
        from.view.strides[i] = source.view.strides[order[i]];
    }
    op_copy_place(call->plan, &from, &target);
}

const struct op_rule op_rule_format_cast = {
    .types = op_one_type,
    .shapes = shapes,
    .more = &(const struct op_shape_rule){cast},
};

/* ---- what a target must be ---- */

static bool is_own(int format)
{
    return format == ACL_FORMAT_NC1HWC0 || format == ACL_FORMAT_FRACTAL_Z ||
           format == ACL_FORMAT_NC1HWC0_C04 || format == ACL_FORMAT_FRACTAL_NZ ||
           format == ACL_FORMAT_NDC1HWC0 || format == ACL_FRACTAL_Z_3D ||
           (format >= ACL_FORMAT_FRACTAL_NZ_C0_16 && format <= ACL_FORMAT_FRACTAL_NZ_C0_8);
}

static bool is_public(int format)
{
    return op_format_axes((aclFormat)format) != NULL;
}

aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(const aclTensor *srcTensor,
                                                     const int dstFormat, int additionalDtype,
                                                     int64_t **dstShape, uint64_t *dstShapeSize,
                                                     int *actualFormat)
{
    const char *who = "aclnnNpuFormatCastCalculateSizeAndFormat";
    int order[EX_MAX_RANK];
    (void)additionalDtype; /* the width of blocks, which there are none of */
    OP_CHECK(who, srcTensor, ACLNN_ERR_PARAM_NULLPTR, "srcTensor is NULL");
    OP_CHECK(who, dstShape, ACLNN_ERR_PARAM_NULLPTR, "dstShape is NULL");
    OP_CHECK(who, dstShapeSize, ACLNN_ERR_PARAM_NULLPTR, "dstShapeSize is NULL");
    OP_CHECK(who, actualFormat, ACLNN_ERR_PARAM_NULLPTR, "actualFormat is NULL");
    const struct ex_descriptor *d = &srcTensor->descriptor;
    OP_TRY(op_check_public_format(who, "srcTensor", srcTensor));
    OP_TRY(op_check_rank(who, "srcTensor", srcTensor, 0, EX_MAX_RANK));
    OP_CHECK(who, is_public(dstFormat) || is_own(dstFormat), ACLNN_ERR_PARAM_INVALID,
             "dstFormat is %d; it must be a format that tensors can have", dstFormat);
    const int format = is_own(dstFormat) ? d->storage_format : dstFormat;
    const size_t count = d->rank > 0 ? (size_t)d->rank : 1;
    int64_t *sizes = rt_alloc_for_delete(count * sizeof *sizes);
    OP_CHECK(who, sizes, ACLNN_ERR_INNER, "no host memory for %zu sizes", count);
    find_order(d->storage_format, format, d->rank, order);
    for (int i = 0; i < d->rank; i++)
        sizes[i] = d->sizes[order[i]];
    *dstShape = sizes;
    *dstShapeSize = (uint64_t)d->rank;
    *actualFormat = format;
    return ACLNN_SUCCESS;
}

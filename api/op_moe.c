/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_moe.h"

#include <stdio.h>

#include "api/op_elementwise.h"
#include "kernels/kernels.h"

const struct op_value *op_moe_given(const struct op_problem *problem, const char *name,
                                    const char *other)
{
    const struct op_value *value = op_argument_named(problem, name);
    if (value && value->tensor) return value;
    value = other ? op_argument_named(problem, other) : NULL;
    return value && value->tensor ? value : NULL;
}

aclnnStatus op_moe_check_indices(const struct op_problem *problem, const char *name,
                                 bool may_be_wide)
{
    const uint64_t wide = may_be_wide ? OP_TYPE(ACL_INT64) : 0;
    return op_check_type(problem->row->name, name, op_tensor_named(problem, name),
                         OP_TYPE(ACL_INT32) | wide, may_be_wide ? "INT32, INT64" : "INT32");
}

aclnnStatus op_moe_check_float(const struct op_problem *problem, const struct op_value *value)
{
    return value ? op_check_float(problem->row->name, value->name, value->tensor) : ACLNN_SUCCESS;
}

aclnnStatus op_moe_check_padding(const struct op_problem *problem)
{
    const struct op_value *shape = op_argument_named(problem, "restoreShapeOptional");
    OP_CHECK(problem->row->name, op_integer_named(problem, "paddedMode", 0) == 0,
             ACLNN_ERR_PARAM_INVALID, "paddedMode is true; it must be false");
    OP_CHECK(problem->row->name, !shape || !shape->ints, ACLNN_ERR_PARAM_INVALID,
             "restoreShapeOptional is given; it must be NULL");
    return ACLNN_SUCCESS;
}

int64_t op_moe_count(const struct op_value *value)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    return op_element_count(d->rank, d->sizes);
}

aclnnStatus op_moe_check_count(const struct op_problem *problem, const struct op_value *value,
                               int64_t count)
{
    struct op_shape_text text;
    OP_CHECK(problem->row->name, op_moe_count(value) == count, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have %" PRId64 " elements", value->name,
             op_shape(&text, value->tensor), count);
    return ACLNN_SUCCESS;
}

aclnnStatus op_moe_check_matrix(const struct op_problem *problem, const struct op_value *value,
                                int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns};
    return value ? op_check_shape(problem, value, value->tensor, 2, sizes) : ACLNN_SUCCESS;
}

aclnnStatus op_moe_check_numbers(const struct op_problem *problem, int64_t count)
{
    OP_CHECK(problem->row->name, count <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
             "there are %" PRId64 " indices; INT32 must be able to number them", count);
    return ACLNN_SUCCESS;
}

int op_moe_source(const struct op_shape_call *call, const struct op_value *value, int otherwise)
{
    if (!value) return otherwise;
    return op_dense_source(call, (int)(value - call->problem->values)).buffer;
}

const struct op_value *op_moe_range(const struct op_problem *problem)
{
    const struct op_value *range = op_argument_named(problem, "rangeOptional");
    if (!range) range = op_argument_named(problem, "activeExpertRangeOptional");
    return range && range->ints && range->ints->size > 0 ? range : NULL;
}

aclnnStatus op_moe_check_range(const struct op_problem *problem, const struct op_value *range,
                               int64_t count)
{
    OP_CHECK(problem->row->name, range->ints->size == 2, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " elements; it must have 2", range->name, range->ints->size);
    const int64_t begin = range->ints->values[0], end = range->ints->values[1];
    OP_CHECK(problem->row->name, begin >= 0 && begin < end && end <= count, ACLNN_ERR_PARAM_INVALID,
             "%s is from %" PRId64 " to %" PRId64 "; it must be a part of the %" PRId64 " indices",
             range->name, begin, end, count);
    return ACLNN_SUCCESS;
}

void op_moe_describe_invert(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_moe_invert *v = parameters;
    snprintf(text, size,
             "element %" PRId64 " of the indices of rows is %d; it must be at least 0 and below "
             "%" PRId64,
             position, ((const int32_t *)buffers[K_MOE_INVERT_PLACES])[position], v->places);
}

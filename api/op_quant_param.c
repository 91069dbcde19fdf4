/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnTransQuantParamV2: scales and offsets as numbers of 64 bits. */
#include <string.h>

#include "api/op_shape.h"
#include "kernels/int8/k_int8.h"
#include "kernels/kernels.h"

enum { PARAM_SCALE, PARAM_OFFSET, PARAM_OUT };

static aclnnStatus quant_param_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_type(name, "scale", values[PARAM_SCALE].tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    if (values[PARAM_OFFSET].tensor)
        OP_TRY(op_check_type(name, "offset", values[PARAM_OFFSET].tensor, OP_TYPE(ACL_FLOAT),
                             "FLOAT"));
    problem->type = problem->result = ACL_FLOAT;
    return op_check_type(name, "out", values[PARAM_OUT].tensor,
                         OP_TYPE(ACL_UINT64) | OP_TYPE(ACL_INT64), "UINT64, INT64");
}

static aclnnStatus quant_param_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    const struct ex_descriptor *scale = &values[PARAM_SCALE].tensor->descriptor;
    OP_TRY(op_check_rank(name, "scale", values[PARAM_SCALE].tensor, 1, 2));
    problem->rank = scale->rank;
    memcpy(problem->sizes, scale->sizes, (size_t)scale->rank * sizeof *scale->sizes);
    if (values[PARAM_OFFSET].tensor) {
        struct op_shape_text text;
        const struct ex_descriptor *offset = &values[PARAM_OFFSET].tensor->descriptor;
        OP_TRY(op_check_rank(name, "offset", values[PARAM_OFFSET].tensor, 1, 2));
        const int64_t of_scale = op_element_count(scale->rank, scale->sizes);
        const int64_t of_offset = op_element_count(offset->rank, offset->sizes);
        OP_CHECK(name, offset->rank == 1 || offset->sizes[0] == 1, ACLNN_ERR_PARAM_INVALID,
                 "offset's shape is %s; it must be (n) or (1, n)",
                 op_shape(&text, values[PARAM_OFFSET].tensor));
        OP_CHECK(name,
                 of_offset == of_scale || of_offset == 1 || (of_scale == 1 && scale->rank == 1),
                 ACLNN_ERR_PARAM_INVALID,
                 "offset has %" PRId64 " elements, scale %" PRId64 "; they must be as many, or 1",
                 of_offset, of_scale);
        if (scale->rank == 1 && of_scale == 1) problem->sizes[0] = of_offset;
    }
    return op_check_shape(problem, &values[PARAM_OUT], values[PARAM_OUT].tensor, problem->rank,
                          problem->sizes);
}

static void quant_param(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_place out = op_dense_target(call, PARAM_OUT);
    const struct op_place scale = op_dense_source(call, PARAM_SCALE);
    struct op_place offset = scale;
    struct k_int8_param param = {
        .count = op_element_count(out.view.rank, out.view.sizes),
        .scale_step = op_element_count(scale.view.rank, scale.view.sizes) > 1,
        .has_offset = values[PARAM_OFFSET].tensor != NULL,
    };
    if (param.has_offset) {
        offset = op_dense_source(call, PARAM_OFFSET);
        param.offset_step = op_element_count(offset.view.rank, offset.view.sizes) > 1;
    }
    ex_step(call->plan, "int8_param", k_best()->int8_param, &param, sizeof param,
            k_int8_param_plan(&param), EX_BUFFERS(scale.buffer, offset.buffer, out.buffer));
    op_deliver(call, &out, PARAM_OUT);
}

const struct op_rule op_rule_quant_param = {
    .types = quant_param_types,
    .shapes = quant_param_shapes,
    .more = &(const struct op_shape_rule){quant_param},
};

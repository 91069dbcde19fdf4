/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnDequantBias: sums of products of small integers as numbers. */
#include "api/op_map.h"
#include "api/op_quantize.h"

enum { X, COLUMN_SCALE, ROW_SCALE, BIAS, OUT_TYPE, OUT };

static aclnnStatus dequant_bias_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    const int32_t type = values[OUT].tensor->descriptor.data_type;
    OP_TRY(
        op_check_type(name, "x", values[X].tensor, problem->row->types, problem->row->type_names));
    OP_TRY(op_check_type(name, "weightScale", values[COLUMN_SCALE].tensor,
                         OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_BF16), "FLOAT, BF16"));
    if (values[ROW_SCALE].tensor)
        OP_TRY(op_check_type(name, "activateScaleOptional", values[ROW_SCALE].tensor,
                             OP_TYPE(ACL_FLOAT), "FLOAT"));
    if (values[BIAS].tensor)
        OP_TRY(op_check_type(name, "biasOptional", values[BIAS].tensor,
                             OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) |
                                 OP_TYPE(ACL_INT32),
                             "FLOAT, FLOAT16, BF16, INT32"));
    OP_TRY(op_check_type(name, "out", values[OUT].tensor, OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16),
                         "FLOAT16, BF16"));
    OP_CHECK(name, values[OUT_TYPE].integer == type, ACLNN_ERR_PARAM_INVALID,
             "outputDtype is %" PRId64 "; out's type is %s (%d)", values[OUT_TYPE].integer,
             op_data_type_name((aclDataType)type), type);
    problem->type = ACL_DOUBLE;
    problem->result = (aclDataType)type;
    return ACLNN_SUCCESS;
}

static aclnnStatus dequant_bias_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const int64_t *sizes = values[X].tensor->descriptor.sizes;
    OP_TRY(op_check_rank(problem->row->name, "x", values[X].tensor, 2, 2));
    problem->rank = 2;
    problem->sizes[0] = sizes[0];
    problem->sizes[1] = sizes[1];
    OP_TRY(
        op_check_shape(problem, &values[COLUMN_SCALE], values[COLUMN_SCALE].tensor, 1, sizes + 1));
    if (values[ROW_SCALE].tensor)
        OP_TRY(op_check_shape(problem, &values[ROW_SCALE], values[ROW_SCALE].tensor, 1, sizes));
    if (values[BIAS].tensor)
        OP_TRY(op_check_shape(problem, &values[BIAS], values[BIAS].tensor, 1, sizes + 1));
    return op_check_shape(problem, &values[OUT], values[OUT].tensor, 2, sizes);
}

/* A row, a column, or one number where it is missing. */
static void add_operand(struct op_map *map, const struct op_shape_call *call, int argument,
                        double otherwise)
{
    const int64_t one = 1;
    struct op_place place;
    if (call->problem->values[argument].tensor) {
        place = op_target(call, argument, 0);
    } else {
        place = op_scratch_place(call->plan, ACL_FLOAT, 1, &one);
        op_fill_place(call->plan, &place, otherwise, 0);
    }
    if (argument == ROW_SCALE) { /* one for each row: an axis of one element follows */
        place.view.rank = 2;
        place.view.sizes[1] = 1;
        place.view.strides[1] = 0;
    }
    op_map_operand(map, &place);
}

/* A whole bias belongs to the sum, another one to the result. */
static void dequant_bias(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const aclTensor *bias = problem->values[BIAS].tensor;
    const bool is_whole = bias && bias->descriptor.data_type == ACL_INT32;
    const struct op_place to = op_map_target(call, OUT);
    struct op_map map;
    op_map_begin(&map, call->plan, is_whole ? K_CORE_dequant_whole : K_CORE_dequant, ACL_DOUBLE, 2,
                 problem->sizes);
    op_map_result(&map, &to);
    add_operand(&map, call, X, 0);
    add_operand(&map, call, COLUMN_SCALE, 1);
    add_operand(&map, call, ROW_SCALE, 1);
    add_operand(&map, call, BIAS, 0);
    op_map_end(&map);
    op_deliver(call, &to, OUT);
}

const struct op_rule op_rule_dequant_bias = {
    .types = dequant_bias_types,
    .shapes = dequant_bias_shapes,
    .more = &(const struct op_shape_rule){dequant_bias},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Query, key and value of all heads from one product and its bias. */
#include <math.h>

#include "api/op_check.h"
#include "api/op_map.h"

enum { QKV, BIAS, HEADS, OUT, PARTS = 3 };

static const int64_t *sizes_of(const struct op_problem *problem, int argument)
{
    return problem->values[argument].tensor->descriptor.sizes;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const char *op = problem->row->name;
    const struct op_value *values = problem->values;
    const int64_t heads = values[HEADS].integer;
    OP_TRY(op_check_rank(op, "qkv", values[QKV].tensor, 3, 3));
    const int64_t *qkv = sizes_of(problem, QKV);
    OP_CHECK(op, heads > 0, ACLNN_ERR_PARAM_INVALID,
             "numHeads is %" PRId64 "; it must be greater than 0", heads);
    OP_CHECK(op, qkv[2] > 0 && qkv[2] % PARTS == 0 && qkv[2] / PARTS % heads == 0,
             ACLNN_ERR_PARAM_INVALID,
             "qkv has rows of %" PRId64 " elements; they must be a multiple of 3 * numHeads, which "
             "is %" PRId64,
             qkv[2], heads);
    OP_TRY(op_check_shape(problem, &values[BIAS], values[BIAS].tensor, 1, &qkv[2]));
    problem->rank = 4;
    problem->sizes[0] = qkv[0];
    problem->sizes[1] = heads;
    problem->sizes[2] = qkv[1];
    problem->sizes[3] = qkv[2] / PARTS / heads;
    for (int i = 0; i < PARTS; i++)
        OP_TRY(
            op_check_shape(problem, &values[OUT + i], values[OUT + i].tensor, 4, problem->sizes));
    return ACLNN_SUCCESS;
}

/* One of the three parts of a row: (batch, heads, rows, columns), where the bias has no batch and
 * no rows. */
static struct op_place part_of(const struct op_place *whole, const int64_t *sizes, int part)
{
    struct op_place place = *whole;
    const int rank = whole->view.rank;
    const int64_t step = whole->view.strides[rank - 1];
    const int64_t strides[] = {rank == 1 ? 0 : whole->view.strides[0], sizes[3] * step,
                               rank == 1 ? 0 : whole->view.strides[1], step};
    place.view.rank = 4;
    place.view.offset += part * sizes[1] * sizes[3] * step;
    for (int i = 0; i < 4; i++) {
        place.view.sizes[i] = sizes[i];
        place.view.strides[i] = strides[i];
    }
    return place;
}

static void plan_qkv(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place whole = op_target(call, QKV, 0), bias = op_target(call, BIAS, 0);
    struct op_place made[PARTS];
    struct op_map map;
    for (int i = 0; i < PARTS; i++) {
        const struct op_place x = part_of(&whole, problem->sizes, i);
        const struct op_place b = part_of(&bias, problem->sizes, i);
        made[i] = op_map_target(call, OUT + i);
        op_map_begin(&map, call->plan, (enum k_core)problem->row->core, problem->type,
                     problem->rank, problem->sizes);
        op_map_result(&map, &made[i]);
        op_map_operand(&map, &x);
        op_map_operand(&map, &b);
        op_map_number(&map, i == 0 ? sqrt((double)problem->sizes[3]) : 1);
        op_map_end(&map);
    }
    for (int i = 0; i < PARTS; i++)
        op_deliver(call, &made[i], OUT + i);
}

const struct op_rule op_rule_qkv = {
    .types = op_types_same, .shapes = shapes, .more = &(const struct op_shape_rule){plan_qkv}};

/* SPDX-License-Identifier: Apache-2.0 */
/* One elementwise step whose results and operands are any views: for operators whose operands are
 * not their tensors as they are (halves of one, a weight per channel, one that may be missing), and
 * sums of an elementwise function's results. */
#ifndef ACLNN_CPU_API_OP_MAP_H
#define ACLNN_CPU_API_OP_MAP_H

#include "api/op_shape.h"
#include "kernels/elementwise/k_elementwise.h"

struct op_map {
    struct ex_plan *plan;
    aclDataType type; /* in which is computed */
    int rank;
    int64_t sizes[EX_MAX_RANK];
    struct k_elementwise e;
    int operands, numbers; /* of the core, constants among them; of e's numbers */
    int buffer[K_LOOP_OPERANDS];
};

/* In the order of the core's: results, operands, numbers. Views broadcast to the sizes. */
void op_map_begin(struct op_map *map, struct ex_plan *plan, enum k_core core, aclDataType type,
                  int rank, const int64_t *sizes);
void op_map_result(struct op_map *map, const struct op_place *to);
void op_map_operand(struct op_map *map, const struct op_place *from);
/* A tensor as it is. */
void op_map_argument(struct op_map *map, const struct op_shape_call *call, int argument);
void op_map_constant(struct op_map *map, double number); /* in place of an operand */
void op_map_number(struct op_map *map, double number);
/* The step. None if there are no elements. */
void op_map_end(struct op_map *map);
/* Without results, in place of op_map_end: the sum of them all by the divisor, in double, as one
 * number of the type, stored in the only element of `to`. */
void op_map_sum(struct op_map *map, double divisor, const struct op_place *to);

/* Where a written argument's elements are made: itself, or scratch if writing it might change what
 * is still to be read. op_deliver brings that to its place. */
struct op_place op_map_target(const struct op_shape_call *call, int argument);

/* to = sums along the axes (bit i: axis i) by the divisor. to has the other axes. Sums of doubles
 * are made in double, of INT64 in INT64, of floats in float; smaller integers have none. */
void op_sum_step(struct ex_plan *plan, const struct op_place *from, unsigned axes,
                 aclDataType result, double divisor, const struct op_place *to);

/* The place of an argument that is a tensor, or -1: it is not there, or NULL. */
int op_given_argument(const struct op_problem *problem, const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators that go by a map of tokens and experts share. Steps; what is not there is -1.
 */
#ifndef ACLNN_CPU_API_OP_MOE_MAP_H
#define ACLNN_CPU_API_OP_MOE_MAP_H

#include "api/op_moe.h"

/* Sizes: tokens and experts of the map, columns of a row, places in all. */
struct op_moe_map {
    int64_t tokens, experts, columns, places;
    int64_t picks, capacity; /* places of a token; padded: of an expert */
    bool is_padded;
};

/* Finds picks or capacity. */
void op_moe_divide(struct op_moe_map *map);
/* Numbers that are none, or places that the tokens, or the experts, do not divide. */
aclnnStatus op_moe_check_map(const struct op_problem *problem, const struct op_moe_map *map);
/* An INT8 or BOOL one of the map's shape. */
aclnnStatus op_moe_check_map_type(const struct op_problem *problem, const struct op_value *value);
aclnnStatus op_moe_check_map_shape(const struct op_problem *problem, const struct op_value *value,
                                   const struct op_moe_map *map);

/* k_moe_map: rows expert by expert, of a map at `from`, to scratch or given INT32. */
struct op_moe_mapped {
    int to, sources, elements;
};
void op_moe_map_step(const struct op_shape_call *call, const struct op_moe_map *map, int from,
                     struct op_moe_mapped *mapped);
/* k_moe_elements: the element of probabilities that each place has, in scratch. */
int op_moe_elements(const struct op_shape_call *call, const struct op_moe_map *map, int from,
                    int tokens, int slots);
/* Scratch with the place of each element. */
int op_moe_inverse(const struct op_shape_call *call, const struct op_moe_map *map, int elements);

/* Places in the order of the tokens that stand at `tokens`, and where each token's end. */
struct op_moe_sorted {
    int list, experts, ends; /* experts: the tokens in order */
};
void op_moe_sort(const struct op_shape_call *call, const struct op_moe_map *map, int tokens,
                 struct op_moe_sorted *sorted);

/* Rows of places summed by token. scale: of each place, of type scale_type, or -1. */
struct op_moe_sums {
    const struct op_value *x, *to;
    int places, ends, scale;
    enum k_dtype scale_type;
};
void op_moe_sum_step(const struct op_shape_call *call, const struct op_moe_map *map,
                     const struct op_moe_sums *sums);

#endif

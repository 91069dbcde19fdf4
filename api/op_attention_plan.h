/* SPDX-License-Identifier: Apache-2.0 */
/* What the plans of attention share. */
#ifndef ACLNN_CPU_API_OP_ATTENTION_PLAN_H
#define ACLNN_CPU_API_OP_ATTENTION_PLAN_H

#include "api/op_attention.h"

struct op_attention_plan {
    const struct op_shape_call *call;
    struct op_attention of;
    struct k_attention *kernel;
    size_t size; /* of it */
    int buffers[K_ATTENTION_INFER_BUFFERS];
};

/* Everything that a direction reads; false: there is nothing to do, or no memory. */
bool op_attention_begin(struct op_attention_plan *plan, const struct op_shape_call *call);
void op_attention_step(const struct op_attention_plan *plan, const char *name, k_fn *kernel,
                       struct k_work work, int buffers);
/* The step of the forward pass, once all else is known. */
void op_attention_forward(const struct op_attention_plan *plan);

int op_attention_argument(const struct op_attention_plan *plan, const struct op_value *value);
/* heads: those of the tensor. */
struct k_attention_side op_attention_side(const struct op_attention_layout *layout,
                                          const struct op_view *view, int64_t heads);
struct k_attention_side op_attention_source(struct op_attention_plan *plan, int buffer,
                                            const struct op_value *value,
                                            const struct op_attention_layout *layout,
                                            int64_t heads);
/* Any layout's tensor of query's or key's rows as (batch, rows, heads, columns), and the strides of
 * such a one; sequences behind each other are rows of one batch. */
struct op_view op_attention_four(const struct op_attention *attention, const struct op_view *view,
                                 int operand, int64_t columns);
struct k_attention_side op_attention_four_side(const struct op_attention *attention,
                                               const struct op_view *four);
/* A query of INT8, and its second part, as FLOAT; any tensor as such. */
void op_attention_read_whole(struct op_attention_plan *plan);
void op_attention_read_whole_rope(struct op_attention_plan *plan);
struct op_place op_attention_as_float(const struct op_attention_plan *plan,
                                      const struct op_place *place);
/* Keys, or values, of a list: rows of all sequences, in scratch. */
struct op_place op_attention_join_list(const struct op_attention_plan *plan, int operand);
/* Of inference: keys, values, and what belongs to them. */
void op_attention_read_keys(struct op_attention_plan *plan);
/* Second parts, of the forward pass; of the gradient: query and key of both parts side by side, */
void op_attention_read_rope(struct op_attention_plan *plan);
void op_attention_join_parts(struct op_attention_plan *plan);
/* and where their gradients go, which are cut again when all is done. */
void op_attention_joined_targets(struct op_attention_plan *plan, struct op_place made[2]);
void op_attention_cut_parts(const struct op_attention_plan *plan, const struct op_place made[2]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The norm family: softmax, normalisations, losses of classes. A call is one or some steps over
 * rows (kernels/norm/k_norm.h), whose operands are given by slots. */
#ifndef ACLNN_CPU_API_OP_NORM_H
#define ACLNN_CPU_API_OP_NORM_H

#include "api/op_copy.h"
#include "api/op_row.h"
#include "api/op_rule.h"
#include "kernels/norm/k_norm.h"

enum op_norm {
    OP_NORM_softmax,
    OP_NORM_log_softmax,
    OP_NORM_softmax_grad,
    OP_NORM_log_softmax_grad,
    OP_NORM_nll,
    OP_NORM_nll2d,
    OP_NORM_nll_grad,
    OP_NORM_nll2d_grad,
    OP_NORM_cross_entropy,
    OP_NORM_margin,
    OP_NORM_cross_entropy_grad,
    OP_NORM_layer_norm,
    OP_NORM_rms_norm,
    OP_NORM_add_rms_norm,
    OP_NORM_add_rms_norm_cast,
    OP_NORM_rms_norm_quant,
    OP_NORM_add_rms_norm_quant,
    OP_NORM_add_layer_norm_quant,
    OP_NORM_gemma_rms_norm,
    OP_NORM_add_layer_norm,
    OP_NORM_deep_norm,
    OP_NORM_layer_norm_grad,
    OP_NORM_rms_norm_grad,
    OP_NORM_add_layer_norm_grad,
    OP_NORM_deep_norm_grad,
    OP_NORM_batch_norm,
    OP_NORM_batch_norm_grad,
    OP_NORM_batch_norm_stats,
    OP_NORM_batch_norm_elemt,
    OP_NORM_batch_norm_elemt_grad,
    OP_NORM_batch_norm_reduce,
    OP_NORM_batch_norm_reduce_grad,
    OP_NORM_batch_norm_gather,
    OP_NORM_group_norm,
    OP_NORM_group_norm_grad,
    OP_NORM_group_norm_silu,
    OP_NORM_group_norm_swish,
    OP_NORM_group_norm_swish_grad,
    OP_NORM_instance_norm,
    OP_NORM_masked_softmax,
    OP_NORM_masked_softmax_grad,
    OP_NORM_labels,
    OP_NORM_renorm,
    OP_NORM_rotary,
    OP_NORM_rotary_grad,
};

/* A call whose arguments are sound, and the step that is being made. */
struct op_norm_call {
    struct ex_plan *plan;
    const struct op_problem *problem;
    const int *buffers;
    struct k_norm norm;
    int buffer[K_NORM_OPERANDS];
    int rank; /* of the tensor whose axes are walked */
    int64_t sizes[EX_MAX_RANK];
    unsigned reduced; /* bit i: axis i belongs to the row */
    int scratch_count;
    struct {
        int buffer, argument;
        struct op_view view;
    } scratch[K_NORM_OPERANDS];
};

/* What a rule's `more` points to. */
struct op_norm_rule {
    void (*plan)(struct op_norm_call *call);
    /* Names, with blanks around each, of the tensors of integers, of those of any numbers, of
     * masks. */
    const char *integers, *numbers, *masks;
};

/* Every tensor has one of the row's types, those of rule->more->integers INT32 or INT64. */
aclnnStatus op_norm_types(struct op_problem *problem);
/* The tensor of that name, if it is given, has this shape. */
aclnnStatus op_norm_check_shape(const struct op_problem *problem, const char *name, int rank,
                                const int64_t *sizes);
/* The axis of the argument dim. */
aclnnStatus op_norm_check_dim(const struct op_problem *problem, const aclTensor *tensor, int *axis);

/* Begins a step over rows of that tensor's axes. */
void op_norm_begin(struct op_norm_call *call, enum k_norm_kind kind, int rank, const int64_t *sizes,
                   unsigned reduced);
/* The operand of a slot, a view over the walked axes (op_view_broadcast): of any buffer; of the
 * argument of that name, which need not be there. A written one that disturbs what is read goes
 * through scratch. */
void op_norm_place(struct op_norm_call *call, int slot, int buffer, const struct op_view *view,
                   bool is_written);
void op_norm_operand(struct op_norm_call *call, int slot, const char *name,
                     const struct op_view *view);
/* The same with the argument's own view: of the walked shape, or broadcast to it. */
void op_norm_whole(struct op_norm_call *call, int slot, const char *name);
/* The argument's own view may be changed before (NULL: not there). */
const struct op_value *op_norm_given(const struct op_norm_call *call, const char *name);
/* The step. describe: of its faults, or NULL. */
void op_norm_end(struct op_norm_call *call, int cost, ex_describe_fault *describe);

/* Where a written argument's elements are made: itself, or scratch that op_norm_deliver brings to
 * it. is_last: it is written element by element after all others have been read. */
/* The i-th entry of the argument outputMask, true without one. */
bool op_norm_asks(const struct op_problem *problem, int i);
/* It has as many entries as names, and what it asks for is given. */
aclnnStatus op_norm_check_mask(const struct op_problem *problem, const char *const *names,
                               int count);
/* A step that sums `parts` rows of doubles to that output, of the other shape. */
void op_norm_sum_parts(struct op_norm_call *call, int from, int64_t parts,
                       const struct op_value *out);
/* Fills it with a number. */
void op_norm_fill(struct op_norm_call *call, const struct op_value *value, double number);
int op_norm_target(struct op_norm_call *call, const struct op_value *value, bool is_last,
                   struct op_view *view);
void op_norm_deliver(struct op_norm_call *call);

/* ---- normalisations of the last axes (op_layer_norm.c) ---- */

/* The shapes of the operands and results that such an operator has; leading: how many axes stand
 * before the normalised ones, of which gamma tells. */
aclnnStatus op_layer_norm_shapes(struct op_problem *problem, int *leading);
/* The steps of an operator whose result is another operator's operand: it is made in scratch, dense
 * and FLOAT, whose buffer is returned. */
int op_layer_norm_made(struct op_norm_call *call);

#endif

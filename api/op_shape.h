/* SPDX-License-Identifier: Apache-2.0 */
/* The shape family: operators that move elements, or make them from their place. Most are copies
 * between views (op_copy.h). */
#ifndef ACLNN_CPU_API_OP_SHAPE_H
#define ACLNN_CPU_API_OP_SHAPE_H

#include "api/op_check.h"
#include "api/op_copy.h"
#include "api/op_row.h"
#include "api/op_rule.h"

/* A call whose arguments are sound. */
struct op_shape_call {
    struct ex_plan *plan;
    const struct op_problem *problem;
    const int *buffers;
};

/* What a rule's `more` points to. The plan has steps for empty tensors too where they are needed:
 * copies and fills of nothing are none. */
struct op_shape_rule {
    void (*plan)(const struct op_shape_call *call);
};

/* A buffer and the elements of it that are meant. */
struct op_place {
    int buffer;
    struct op_view view;
};

/* The tensor of an argument, or the i-th of its list. One that is read and shares memory with one
 * that is written is copied to scratch first. */
struct op_place op_source(const struct op_shape_call *call, int argument, uint64_t i);
struct op_place op_target(const struct op_shape_call *call, int argument, uint64_t i);

/* Scratch for dense elements of that type and shape, or of a view's. */
struct op_place op_scratch_place(struct ex_plan *plan, aclDataType type, int rank,
                                 const int64_t *sizes);
struct op_place op_scratch_like(struct ex_plan *plan, const struct op_view *view);

/* Where a list is put together, piece by piece: the written tensor itself, or scratch if some
 * tensor of the list shares memory with it, which op_deliver brings to its place. */
struct op_place op_apart_target(const struct op_shape_call *call, int list, int argument);

/* Its elements side by side in row-major order: itself, or scratch, which is filled, */
struct op_place op_dense_source(const struct op_shape_call *call, int argument);
/* or which op_deliver brings to its place. */
struct op_place op_dense_target(const struct op_shape_call *call, int argument);
void op_deliver(const struct op_shape_call *call, const struct op_place *made, int argument);

bool op_view_is_dense(const struct op_view *view);
bool op_view_is_empty(const struct op_view *view);

/* A step that copies one to the other; one that gives all elements a value, without an
 * imaginary part. */
void op_copy_place(struct ex_plan *plan, const struct op_place *from, const struct op_place *to);
void op_fill_place(struct ex_plan *plan, const struct op_place *to, double real, int64_t integer);

/* Every `step`th element of an axis from `begin` on, `count` of them. step may be negative. */
struct op_view op_view_part(const struct op_view *view, int axis, int64_t begin, int64_t step,
                            int64_t count);
/* Two axes change places. */
struct op_view op_view_swapped(struct op_view view, int a, int b);

/* ---- checks ---- */

/* No array is NULL; all tensors that are given, those of lists too, have one type, which is one of
 * the row's. */
aclnnStatus op_one_type(struct op_problem *problem);
/* The axis of `value`, an INT64 argument, of that tensor. */
aclnnStatus op_check_axis(const struct op_problem *problem, const struct op_value *value,
                          const aclTensor *tensor, int *axis);
/* The tensor's shape is the one that the others ask for. */
aclnnStatus op_check_shape(const struct op_problem *problem, const struct op_value *value,
                           const aclTensor *tensor, int rank, const int64_t *sizes);

#endif

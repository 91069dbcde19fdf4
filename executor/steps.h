/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that many recipes share: operands in the order of axes a kernel wants, dense. */
#ifndef ACLNN_CPU_EXECUTOR_STEPS_H
#define ACLNN_CPU_EXECUTOR_STEPS_H

#include "executor/plan.h"

/* The order in which a kernel walks a tensor's axes, outermost first: order[i] is the tensor's axis
 * that the kernel sees as its i-th. */
struct ex_order {
    int axis[EX_MAX_RANK];
};

/* 0, 1, 2, ...: the tensor's own order. */
struct ex_order ex_order_identity(int rank);
/* (N, spatial..., C) of an (N, C, spatial...) tensor; without_batch: (spatial..., C) of (C, ...).
 */
struct ex_order ex_order_channels_last(int rank, bool without_batch);

/* Are the tensor's elements dense and in that order in memory? Axes of one element have no say. An
 * empty tensor is dense. */
bool ex_is_dense(const struct ex_descriptor *tensor, const struct ex_order *order);

/* The input itself when it is dense in that order, else scratch into which a step copies it. */
int ex_packed(struct ex_plan *plan, int input, const struct ex_order *order);
/* The output itself when it is dense in that order, else scratch; ex_deliver copies that. */
int ex_target(struct ex_plan *plan, int output, const struct ex_order *order);
/* Copies scratch from ex_target to the output; no step when they are one. */
void ex_deliver(struct ex_plan *plan, int target, int output, const struct ex_order *order);

/* A result whose size along one axis only the data tell: once the stream has come here, the
 * tensor's view has the size that stands in scratch, the int64_t at `place`. is_dense: its strides
 * become those of dense elements. Programs read it by aclGetViewShape after they have synchronised;
 * plans have copied what phase 1 saw. */
void ex_settle_size(struct ex_plan *plan, int output, int axis, bool is_dense, int scratch,
                    int64_t place);

#endif

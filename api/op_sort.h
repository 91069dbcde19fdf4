/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting rows of scratch: what other families order by. */
#ifndef ACLNN_CPU_API_OP_SORT_H
#define ACLNN_CPU_API_OP_SORT_H

#include "executor/plan.h"
#include "kernels/sort/k_sort.h"

/* The steps that sort dense rows of buffer `from` into the buffers of values and places; where
 * there is no such result, any other buffer. */
void op_sort_steps(struct ex_plan *plan, struct k_sort *sort, int from, int values, int index);

#endif

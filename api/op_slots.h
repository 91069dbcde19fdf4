/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators share that put rows into blocks of a cache, or take them from there. */
#ifndef ACLNN_CPU_API_OP_SLOTS_H
#define ACLNN_CPU_API_OP_SLOTS_H

#include "api/op_shape.h"
#include "kernels/cache/k_slots.h"

enum { OP_SLOTS_PANEL = 32 /* bytes of a row that lie side by side where there are panels */ };

/* Where the elements of a view are whose dimensions `axes` names: b blocks, r rows, h heads, p
 * panels, c columns of one, or of a row where there are no panels. Panels without heads are those
 * of all of them, `heads`. Sizes are written to `slots`. */
struct k_slots_side op_slots_side(const struct op_view *view, const char *axes, int64_t heads,
                                  struct k_slots *slots);
/* The step that scatters rows of `from` by the numbers at `index` into `cache`, in place. */
void op_slots_scatter(const struct op_shape_call *call, const struct k_slots *slots, int from,
                      int index, const struct op_value *cache);

#endif

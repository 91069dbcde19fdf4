/* SPDX-License-Identifier: Apache-2.0 */
/* ACLNN_CPU_LOG=calls: the problem of a call as a line of tests/cases, which the tests and the
 * bench read back (tests/support/cases.h has the language). */
#ifndef ACLNN_CPU_API_OP_CALL_H
#define ACLNN_CPU_API_OP_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "api/op_args.h"
#include "api/tensor.h"
#include "executor/plan.h"
#include "runtime/support/log.h"

/* In the words of the language: x is the large side, y the pooled one, i the indices. NULL: the
 * operator has no such argument. */
struct op_call {
    int axes; /* spatial */
    const aclTensor *x, *dx, *y, *dy, *i;
    const aclTensor *result; /* when its type may be another than the operands' */
    const aclIntArray *kernel, *stride, *pad, *pad_end, *dilation;
    bool ceil, exclude_pad;
    int64_t divisor, math, auto_pad, storage_order;
};

__attribute__((cold)) void op_call_note(struct ex_plan *plan, const char *op,
                                        const struct op_call *call);

/* The same with each argument by its name. */
__attribute__((cold)) void op_call_note_row(struct ex_plan *plan, const char *op,
                                            const struct op_value *values, int count);

/* Between ex_plan_new and ex_seal: OP_CALL(plan, NAME, .axes = 2, .x = self, .y = out, ...). */
#define OP_CALL(plan, op, ...)                                                                     \
    do {                                                                                           \
        if (__builtin_expect(rt_log_topic_on(RT_LOG_CALLS), 0))                                    \
            op_call_note((plan), (op), &(const struct op_call){__VA_ARGS__});                      \
    } while (0)

#endif

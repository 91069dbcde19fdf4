/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool2dBackward called from a case: the arguments, and a rig that runs a whole call
 * between guard pages. */
#ifndef ACLNN_CPU_TESTS_AVG_POOL_CALL_H
#define ACLNN_CPU_TESTS_AVG_POOL_CALL_H

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "tests/support/guard.h"
#include "tests/support/operand.h"
#include "tests/support/oracle.h"

/* The arguments of one call. Everything may be replaced between prepare and open, or by hand after
 * open: a refusal test sets one pointer or value wrong. */
struct avg_pool_call {
    struct operand dy, self, dx;
    aclIntArray *kernel, *stride, *padding;
    bool ceil, count_padding;
    int64_t divisor;
    int8_t math;
    uint64_t workspace_size; /* as phase 1 wrote it */
    aclOpExecutor *executor;
};

enum { AVG_POOL_UNWRITTEN_SIZE = 0xABCD1234 };

/* Sizes and strides; no memory, no descriptors. */
struct avg_pool_call avg_pool_prepare(const struct test_case *test);
/* Descriptors of the three tensors, with the data set before, and the arrays. */
void avg_pool_open(struct avg_pool_call *call, const struct test_case *test);
void avg_pool_close(struct avg_pool_call *call);

aclnnStatus avg_pool_phase1(struct avg_pool_call *call);

/* A stream and memory, reused from case to case. */
struct avg_pool_rig {
    aclrtStream stream;
    struct guard dy_guard, dx_guard, workspace_guard;
    double *dy;              /* dense gradOutput of the last case */
    double *got;             /* dense gradInput of the last run */
    uint64_t *bits;          /* the same, as it lies in memory */
    struct oracle_sum *want; /* what the oracle says */
    int64_t dy_capacity, dx_capacity;
};

void avg_pool_rig_begin(struct avg_pool_rig *rig);
void avg_pool_rig_end(struct avg_pool_rig *rig);

/* Chooses the data of a case and asks the oracle. */
void avg_pool_rig_load(struct avg_pool_rig *rig, const struct test_case *test);

/* Runs the case on the loaded data, placed at one side of the guard pages. Fills got and bits.
 * False, and a sentence, when a phase fails or a byte outside the view changes. */
bool avg_pool_rig_run(struct avg_pool_rig *rig, const struct test_case *test, enum guard_side side,
                      char *text, size_t text_size);

/* Load, run at both sides, compare with the oracle and with each other. */
bool avg_pool_rig_check(struct avg_pool_rig *rig, const struct test_case *test, char *text,
                        size_t text_size);

/* A random problem that the operator accepts, small enough for the oracle. */
struct test_case avg_pool_random_case(struct random *random, enum case_dtype dtype);

#endif

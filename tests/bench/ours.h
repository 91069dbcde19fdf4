/* SPDX-License-Identifier: Apache-2.0 */
/* An operator's call through the public interface: its arguments, its two phases. */
#ifndef ACLNN_CPU_TESTS_BENCH_OURS_H
#define ACLNN_CPU_TESTS_BENCH_OURS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#include "tests/bench/problem.h"

/* Everything one call needs; ours_calls.c fills in what the operator's row of operators.def names.
 */
struct call {
    const struct call_phases *phases;
    const struct test_case *test;
    aclTensor *tensor[CASE_TENSORS];
    aclIntArray *kernel, *stride, *pad, *pad_end, *dilation;
    aclIntArray *large, *small; /* extents of the two sides */
    void *workspace;
    uint64_t workspace_size;
    aclOpExecutor *executor;
};

struct call_phases {
    aclnnStatus (*prepare)(struct call *call);
    aclnnStatus (*execute)(void *workspace, uint64_t size, aclOpExecutor *executor,
                           aclrtStream stream);
};

/* What the tensor of that number needs here: the Mask operators' indices lie in a larger buffer. */
size_t call_tensor_bytes(const struct bench_problem *problem, int number);

/* Descriptors and arrays for a problem whose tensors are at data[number]; false when this library
 * has no such operator. call_close releases them in every case. */
bool call_open(struct call *call, const struct bench_problem *problem, void *const data[]);
void call_close(struct call *call);
/* Phase 1, the executor made repeatable, and the workspace. */
bool call_keep(struct call *call);

/* Rows of operators.def; NULL when it has none of that name. */
const struct call_phases *call_phases_of(const char *operator_name);

/* Adds the host times of both phases and of an empty submit and synchronise, in microseconds. */
void host_times(cJSON *figures, aclrtStream stream);

#endif

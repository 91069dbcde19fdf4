/* SPDX-License-Identifier: Apache-2.0 */
/* An operator's call through the public interface: its arguments, its two phases. */
#ifndef ACLNN_CPU_TESTS_BENCH_OURS_H
#define ACLNN_CPU_TESTS_BENCH_OURS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#include "tests/bench/problem.h"
#include "tests/support/rig.h"

/* Everything one call needs. */
struct call {
    const struct rig_operator *op;
    struct rig_call *rig; /* its arguments */
    void *workspace;
    uint64_t workspace_size;
    aclOpExecutor *executor;
};

/* What the tensor of that number needs here: the Mask operators' indices lie in a larger buffer. */
size_t call_tensor_bytes(const struct bench_problem *problem, int number);

/* Descriptors and arrays for a problem whose tensors are at data[number]; false when this library
 * has no such operator. call_close releases them in every case. */
bool call_open(struct call *call, const struct bench_problem *problem, void *const data[]);
void call_close(struct call *call);
/* Phase 1, the executor made repeatable, and the workspace. */
bool call_keep(struct call *call);

/* Phase 1 and phase 2. */
aclnnStatus call_prepare(struct call *call);
aclnnStatus call_execute(const struct call *call, aclrtStream stream);

/* Adds the host times of both phases and of an empty submit and synchronise, in microseconds. */
void host_times(cJSON *figures, aclrtStream stream);

#endif

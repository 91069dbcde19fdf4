/* SPDX-License-Identifier: Apache-2.0 */
/* Memory plans: which buffers of a step of work may share memory. Ours, not Huawei's.
 *
 * A program that knows its operators in advance knows when each tensor and each workspace is first
 * and last used. Described here, they all find room in one block of memory that is hardly larger
 * than what is in use at the busiest moment:
 *
 *     aclnnextMemoryPlan *plan;
 *     int32_t activation, scratch;
 *     uint64_t total, offset;
 *     aclnnextMemoryPlanCreate(&plan);
 *     aclnnextMemoryPlanAddBuffer(plan, "activation", bytes, 64, 0, 7, &activation);
 *     aclnnextMemoryPlanAddWorkspace(plan, "pool", executor, 3, &scratch);
 *     aclnnextMemoryPlanSolve(plan, &total);
 *     aclrtMalloc(&block, total, ACL_MEM_MALLOC_HUGE_FIRST);
 *     aclnnextMemoryPlanGetOffset(plan, activation, &offset);     // lies at (char *)block + offset
 *
 * Time is counted in steps: whole numbers of the caller's choice, commonly the position of an
 * operator in the order of submission. A buffer is in use at its first step, at its last, and at
 * all between. Work that runs on several streams at once must be given steps that overlap.
 *
 * A plan is host data only: no device, context or stream is needed. Different plans may be used
 * from any threads at once; one plan by one thread at a time. The same description always gives the
 * same offsets.
 *
 * Every function returns ACLNN_SUCCESS, ACLNN_ERR_PARAM_NULLPTR (161001) for a required pointer
 * that is NULL, ACLNN_ERR_PARAM_INVALID (161002) for a value that is not allowed, ACLNN_ERR_INNER
 * (561000) when host memory is exhausted or a file cannot be written. aclGetRecentErrMsg has the
 * text. Results are written on success only. */
#ifndef ACLNNEXT_MEMORY_PLAN_H
#define ACLNNEXT_MEMORY_PLAN_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclnnextMemoryPlan aclnnextMemoryPlan;

/* Makes an empty plan, to be destroyed by the caller. Destroying NULL succeeds. */
ACLNN_API aclnnStatus aclnnextMemoryPlanCreate(aclnnextMemoryPlan **plan);
ACLNN_API aclnnStatus aclnnextMemoryPlanDestroy(aclnnextMemoryPlan *plan);

/* Adds a buffer; *buffer is its number: 0, 1, 2, ...
 * name: for the pictures and texts, copied; NULL for none. Control characters and bytes that are no
 * UTF-8 become question marks.
 * size: bytes, at most 2^62 - 1; 0 takes no room.
 * alignment: a power of two, at most 2^61, that the offset will be a multiple of; 0 means 64.
 * firstStep, lastStep: any numbers with firstStep <= lastStep.
 * A plan has at most 2^30 buffers; to be solved, all sizes and alignments add up to at most 2^63
 * - 1. The plan must be solved anew afterwards. */
ACLNN_API aclnnStatus aclnnextMemoryPlanAddBuffer(aclnnextMemoryPlan *plan, const char *name,
                                                  uint64_t size, uint64_t alignment,
                                                  int64_t firstStep, int64_t lastStep,
                                                  int32_t *buffer);

/* Adds the workspace of an executor that phase 1 made and phase 2 has not used up: its size, 64
 * bytes alignment, in use at one step. The executor is only looked at. */
ACLNN_API aclnnStatus aclnnextMemoryPlanAddWorkspace(aclnnextMemoryPlan *plan, const char *name,
                                                     const aclOpExecutor *executor, int64_t step,
                                                     int32_t *buffer);

/* A hint: the operator that reads `input` for the last time may write `output` in its place, as one
 * that works element by element can. Requires that input's last step is output's first. The two
 * will begin at one offset or not overlap. Each buffer can take over one other's place, and hand
 * its own to one. */
ACLNN_API aclnnStatus aclnnextMemoryPlanSetInPlace(aclnnextMemoryPlan *plan, int32_t output,
                                                   int32_t input);

/* Finds the offsets. *totalSize: bytes of the block that holds all buffers; its address must be a
 * multiple of the largest alignment. Takes up to about a second for 10,000 buffers, a fraction of
 * that for hundreds. */
ACLNN_API aclnnStatus aclnnextMemoryPlanSolve(aclnnextMemoryPlan *plan, uint64_t *totalSize);

/* Where a buffer of a solved plan begins, in bytes from the block's. */
ACLNN_API aclnnStatus aclnnextMemoryPlanGetOffset(const aclnnextMemoryPlan *plan, int32_t buffer,
                                                  uint64_t *offset);

/* What a solved plan comes to. */
typedef struct aclnnextMemoryPlanSummary {
    uint64_t totalSize; /* of the block */
    uint64_t
        mostLiveSize;     /* largest sum of sizes in use at one step: nothing smaller is possible */
    int64_t mostLiveStep; /* the first such step */
    uint64_t separateSize; /* sum of all sizes: what they would take each by itself */
    uint32_t bufferCount;
} aclnnextMemoryPlanSummary;
ACLNN_API aclnnStatus aclnnextMemoryPlanGetSummary(const aclnnextMemoryPlan *plan,
                                                   aclnnextMemoryPlanSummary *summary);

/* Writes a solved plan to a file, replacing it: all numbers as JSON, or a picture as SVG (time
 * across, address up, a box for every buffer, the busiest step and the sizes marked). JSON has
 * numbers as doubles: beyond 2^53 they are rounded. */
ACLNN_API aclnnStatus aclnnextMemoryPlanWriteJson(const aclnnextMemoryPlan *plan, const char *path);
ACLNN_API aclnnStatus aclnnextMemoryPlanWriteSvg(const aclnnextMemoryPlan *plan, const char *path);

#ifdef __cplusplus
}
#endif

#endif

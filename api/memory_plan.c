/* SPDX-License-Identifier: Apache-2.0 */
/* Memory plans: a description that grows, and its solution. */
#include "api/memory_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "executor/plan.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/utf8.h"

enum { ALIGNMENT = 64, FIRST_CAPACITY = 64, BUFFERS_MAX = 1 << 30 };

/* So that a size, an alignment and a gap never exceed a size_t together. */
static const uint64_t LARGEST = SIZE_MAX / 4;

aclnnStatus aclnnextMemoryPlanCreate(aclnnextMemoryPlan **plan)
{
    OP_CHECK_NOT_NULL(__func__, plan);
    aclnnextMemoryPlan *made = rt_alloc_zeroed(sizeof *made);
    OP_CHECK(__func__, made, ACLNN_ERR_INNER, "no host memory for a plan");
    *plan = made;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnextMemoryPlanDestroy(aclnnextMemoryPlan *plan)
{
    if (!plan) return ACLNN_SUCCESS;
    for (int i = 0; i < plan->count; i++)
        rt_free(plan->names[i]);
    rt_free(plan->names);
    rt_free(plan->pieces);
    rt_free(plan);
    return ACLNN_SUCCESS;
}

const char *op_plan_buffer_name(const aclnnextMemoryPlan *plan, int buffer, char text[32])
{
    if (plan->names[buffer]) return plan->names[buffer];
    snprintf(text, 32, "buffer %d", buffer);
    return text;
}

/* Room for one more; false when there is no memory. */
static bool reserve(aclnnextMemoryPlan *plan)
{
    if (plan->count < plan->capacity) return true;
    if (plan->capacity >= BUFFERS_MAX) return false;
    const int capacity = plan->capacity == 0 ? FIRST_CAPACITY : 2 * plan->capacity;
    struct ex_piece *pieces = rt_alloc((size_t)capacity * sizeof *pieces);
    char **names = rt_alloc((size_t)capacity * sizeof *names);
    if (!pieces || !names) {
        rt_free(pieces);
        rt_free(names);
        return false;
    }
    if (plan->count > 0) {
        memcpy(pieces, plan->pieces, (size_t)plan->count * sizeof *pieces);
        memcpy(names, plan->names, (size_t)plan->count * sizeof *names);
    }
    rt_free(plan->pieces);
    rt_free(plan->names);
    plan->pieces = pieces;
    plan->names = names;
    plan->capacity = capacity;
    return true;
}

/* JSON and SVG take no other characters: the Unicode ones but controls and U+FFFE, U+FFFF. */
static bool is_printable(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text;
    if (length == 0 || c[0] < ' ' || c[0] == 0x7F) return false;
    return length != 3 || c[0] != 0xEF || c[1] != 0xBF || c[2] < 0xBE;
}

/* With a question mark for each byte that no file can hold. */
static char *copy_name(const char *name)
{
    char *copy = rt_alloc(strlen(name) + 1);
    if (!copy) return NULL;
    char *to = copy;
    for (const char *from = name; *from;) {
        const size_t length = rt_utf8_character(from);
        if (is_printable(from, length)) {
            memcpy(to, from, length);
            to += length;
            from += length;
        } else {
            *to++ = '?';
            from++;
        }
    }
    *to = '\0';
    return copy;
}

static aclnnStatus add(const char *who, aclnnextMemoryPlan *plan, const char *name,
                       struct ex_piece piece, int32_t *buffer)
{
    char *copy = NULL;
    OP_CHECK(who, plan->count < BUFFERS_MAX, ACLNN_ERR_PARAM_INVALID,
             "the plan has %d buffers, the most that one may have", plan->count);
    OP_CHECK(who, reserve(plan), ACLNN_ERR_INNER, "no host memory for another buffer");
    if (name) {
        copy = copy_name(name);
        OP_CHECK(who, copy, ACLNN_ERR_INNER, "no host memory for the name");
    }
    plan->pieces[plan->count] = piece;
    plan->names[plan->count] = copy;
    plan->is_solved = false;
    *buffer = plan->count++;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnextMemoryPlanAddBuffer(aclnnextMemoryPlan *plan, const char *name, uint64_t size,
                                        uint64_t alignment, int64_t firstStep, int64_t lastStep,
                                        int32_t *buffer)
{
    OP_CHECK_NOT_NULL(__func__, plan);
    OP_CHECK_NOT_NULL(__func__, buffer);
    OP_CHECK(__func__, size <= LARGEST, ACLNN_ERR_PARAM_INVALID,
             "size is %" PRIu64 "; it must be at most 2^62 - 1", size);
    OP_CHECK(__func__, (alignment & (alignment - 1)) == 0, ACLNN_ERR_PARAM_INVALID,
             "alignment is %" PRIu64 "; it must be 0 or a power of two", alignment);
    OP_CHECK(__func__, alignment <= LARGEST, ACLNN_ERR_PARAM_INVALID,
             "alignment is %" PRIu64 "; it must be at most 2^61", alignment);
    OP_CHECK(__func__, firstStep <= lastStep, ACLNN_ERR_PARAM_INVALID,
             "firstStep is %" PRId64 "; it must not be behind lastStep, which is %" PRId64,
             firstStep, lastStep);
    const struct ex_piece piece = {.size = size,
                                   .alignment = alignment == 0 ? ALIGNMENT : alignment,
                                   .first = firstStep,
                                   .last = lastStep};
    return add(__func__, plan, name, piece, buffer);
}

aclnnStatus aclnnextMemoryPlanAddWorkspace(aclnnextMemoryPlan *plan, const char *name,
                                           const aclOpExecutor *executor, int64_t step,
                                           int32_t *buffer)
{
    size_t size;
    OP_CHECK_NOT_NULL(__func__, plan);
    OP_CHECK_NOT_NULL(__func__, executor);
    OP_CHECK_NOT_NULL(__func__, buffer);
    OP_CHECK(__func__, ex_workspace_size(executor, &size), ACLNN_ERR_PARAM_INVALID, EX_NO_EXECUTOR);
    const struct ex_piece piece = {
        .size = size, .alignment = ALIGNMENT, .first = step, .last = step};
    return add(__func__, plan, name, piece, buffer);
}

static aclnnStatus check_buffer(const char *who, const aclnnextMemoryPlan *plan,
                                const char *argument, int32_t buffer)
{
    OP_CHECK(who, buffer >= 0 && buffer < plan->count, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId32 "; the plan has buffers 0 to %d", argument, buffer, plan->count - 1);
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnextMemoryPlanSetInPlace(aclnnextMemoryPlan *plan, int32_t output, int32_t input)
{
    OP_CHECK_NOT_NULL(__func__, plan);
    OP_TRY(check_buffer(__func__, plan, "output", output));
    OP_TRY(check_buffer(__func__, plan, "input", input));
    OP_CHECK(__func__, output != input, ACLNN_ERR_PARAM_INVALID,
             "output and input are both %" PRId32 "; a buffer cannot take over its own place",
             output);
    struct ex_piece *to = &plan->pieces[output];
    OP_CHECK(__func__, plan->pieces[input].last == to->first, ACLNN_ERR_PARAM_INVALID,
             "input's last step is %" PRId64 "; it must be output's first, which is %" PRId64,
             plan->pieces[input].last, to->first);
    OP_CHECK(__func__, to->heir_of == 0, ACLNN_ERR_PARAM_INVALID,
             "output takes over the place of buffer %d already", to->heir_of - 1);
    for (int i = 0; i < plan->count; i++)
        OP_CHECK(__func__, plan->pieces[i].heir_of != input + 1, ACLNN_ERR_PARAM_INVALID,
                 "input hands its place to buffer %d already", i);
    to->heir_of = input + 1;
    plan->is_solved = false;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnextMemoryPlanSolve(aclnnextMemoryPlan *plan, uint64_t *totalSize)
{
    size_t total;
    OP_CHECK_NOT_NULL(__func__, plan);
    OP_CHECK_NOT_NULL(__func__, totalSize);
    enum ex_packing packing = ex_arena_pack(plan->pieces, plan->count, 0, EX_THOROUGH, &total);
    OP_CHECK(__func__, packing != EX_TOO_LARGE, ACLNN_ERR_PARAM_INVALID,
             "the buffers together exceed the address space");
    OP_CHECK(__func__,
             packing == EX_PACKED && ex_arena_max_alive(plan->pieces, plan->count, &plan->max_alive,
                                                        &plan->max_alive_step),
             ACLNN_ERR_INNER, "no host memory to solve a plan of %d buffers", plan->count);
    plan->total = total;
    plan->is_solved = true;
    *totalSize = total;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_solved(const char *who, const aclnnextMemoryPlan *plan)
{
    OP_CHECK(who, plan->is_solved, ACLNN_ERR_PARAM_INVALID,
             "plan has not been solved since its last change");
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnextMemoryPlanGetOffset(const aclnnextMemoryPlan *plan, int32_t buffer,
                                        uint64_t *offset)
{
    OP_CHECK_NOT_NULL(__func__, plan);
    OP_CHECK_NOT_NULL(__func__, offset);
    OP_TRY(check_buffer(__func__, plan, "buffer", buffer));
    OP_TRY(check_solved(__func__, plan));
    *offset = plan->pieces[buffer].offset;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnextMemoryPlanGetSummary(const aclnnextMemoryPlan *plan,
                                         aclnnextMemoryPlanSummary *summary)
{
    OP_CHECK_NOT_NULL(__func__, plan);
    OP_CHECK_NOT_NULL(__func__, summary);
    OP_TRY(check_solved(__func__, plan));
    *summary = (aclnnextMemoryPlanSummary){
        .totalSize = plan->total,
        .mostLiveSize = plan->max_alive,
        .mostLiveStep = plan->max_alive_step,
        .bufferCount = (uint32_t)plan->count,
    };
    for (int i = 0; i < plan->count; i++) /* fits: Solve has added them up */
        summary->separateSize += plan->pieces[i].size;
    return ACLNN_SUCCESS;
}

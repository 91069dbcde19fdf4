/* SPDX-License-Identifier: Apache-2.0 */
/* What a memory plan holds; the functions that write it to files read it. */
#ifndef ACLNN_CPU_API_MEMORY_PLAN_H
#define ACLNN_CPU_API_MEMORY_PLAN_H

#include <stdbool.h>

#include "aclnnext/aclnnext_memory_plan.h"
#include "executor/arena.h"

struct aclnnextMemoryPlan {
    struct ex_piece *pieces;
    char **names; /* NULL for a buffer without */
    int count, capacity;
    bool is_solved;
    size_t total, max_alive;
    int64_t max_alive_step;
};

/* "buffer 7" where it has none, into text. */
const char *op_plan_buffer_name(const aclnnextMemoryPlan *plan, int buffer, char text[32]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the rig share. */
#ifndef ACLNN_CPU_TESTS_RIG_PARTS_H
#define ACLNN_CPU_TESTS_RIG_PARTS_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/rig.h"

enum { POISON = 0xFF /* a NaN in every floating type */ };

static inline void rig_need(bool condition, const char *what)
{
    if (condition) return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "test rig: %s failed: %s\n", what, message ? message : "");
    abort();
}

static inline void *rig_resize(void *memory, int64_t count, size_t size)
{
    void *grown = realloc(memory, ((size_t)count + 1) * size);
    rig_need(grown != NULL, "realloc");
    return grown;
}

static inline const struct rig_operand *rig_role_at(const struct rig_problem *problem, int i)
{
    return rig_role_of(&problem->call, i);
}

static inline bool rig_is_written(const struct rig_problem *problem, int i)
{
    return rig_is_output(rig_role_at(problem, i)) && !problem->call.is_null[i];
}

static inline bool rig_is_given(const struct rig_problem *problem, int i)
{
    const struct rig_operand *one = rig_role_at(problem, i);
    return (one->role == RIG_READ || one->is_changed) && !problem->call.is_null[i];
}

static inline bool any_is_empty(const struct rig_problem *problem)
{
    for (int i = 0; i < problem->operands; i++) {
        if (!problem->call.is_null[i] && problem->tensor[i].count == 0) return true;
    }
    return false;
}

static inline bool rig_has_oracle(const struct rig_problem *problem)
{
    return problem->op->runs_empty || !any_is_empty(problem);
}

/* Role of an operand of what is loaded. */

/* The outputs' bits of the last run against, or into, a copy; `way` says whose they are. */
bool rig_bits_agree(struct rig *rig, uint64_t *kept[RIG_OPERANDS], const char *way);
void rig_bits_keep(const struct rig *rig, uint64_t *kept[RIG_OPERANDS]);

#endif

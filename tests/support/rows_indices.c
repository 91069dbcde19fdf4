/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rows_indices.h"

#include <inttypes.h>
#include <stdio.h>

int64_t rows_index(const struct rig_problem *problem, int operand, int64_t i)
{
    const struct rig_tensor *tensor = &problem->tensor[operand];
    return oracle_integer(tensor->view.dtype, tensor->bits[i]);
}

static int64_t bad_index(int64_t cells, bool is_wide, struct random *random)
{
    const int64_t wide[] = {-1, cells, INT64_MAX, INT64_MIN, INT64_C(1) << 32};
    const int64_t narrow[] = {-1, cells, INT32_MAX, INT32_MIN, cells + random_below(random, 99)};
    return (is_wide ? wide : narrow)[random_below(random, 5)];
}

void rows_fill_indices(struct rig_problem *problem, int operand, struct random *random)
{
    const struct oracle_problem planes = oracle_adaptive_problem_of(problem->test);
    struct rig_tensor *tensor = &problem->tensor[operand];
    const bool is_wide = tensor->view.dtype == CASE_I64;
    if (planes.inputs == 0) return;
    for (int64_t i = 0; i < tensor->count; i++) {
        const int64_t entry = i % planes.outputs;
        int64_t cell = random_below(random, planes.inputs);
        if (problem->test->picks == CASE_WINDOW) {
            const int64_t first = entry * planes.inputs / planes.outputs;
            cell = first + cell % ((entry + 1) * planes.inputs / planes.outputs - first + 1);
            if (cell >= planes.inputs) cell = planes.inputs - 1;
        }
        if (problem->test->picks == CASE_BAD && random_once_in(random, 30))
            cell = bad_index(planes.inputs, is_wide, random);
        tensor->bits[i] = is_wide ? (uint64_t)cell : (uint32_t)cell;
    }
}

void rows_expect_bad_index(struct rig_problem *problem, int64_t i, int64_t index)
{
    if (problem->sync_code != ACL_SUCCESS) return;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words,
             "element %" PRId64 " of indices is %" PRId64 ";", i, index);
}

bool rows_is_castable(enum case_dtype from, enum case_dtype to)
{
    if (to == CASE_BOOL) return from == CASE_BOOL;
    return oracle_is_float(to) || !oracle_is_float(from);
}

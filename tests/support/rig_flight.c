/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rig_flight.h"

#include <stdio.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

static void *memory(size_t size)
{
    void *block = aligned_alloc(ALIGNMENT, (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (!block) abort();
    return block;
}

struct rig_flight rig_prepare(struct rig *rig, const struct rig_operator *op,
                              const struct test_case *test)
{
    struct rig_flight flight = {.test = *test, .call = rig_call_of(op, test)};
    rig_load(rig, op, test);
    for (int i = 0; i < flight.call.operands; i++) {
        struct operand *operand = &flight.call.operand[i];
        const struct rig_operand *one = rig_role_of(&flight.call, i);
        if (one->role == RIG_SHAPE || flight.call.is_null[i]) continue;
        operand->data = memory(operand_bytes(operand));
        operand_poison(operand, RIG_POISON);
        if (!rig_is_output(one) || one->is_changed)
            operand_write_bits(operand, rig_given(&rig->problem, i));
    }
    rig_open(&flight.call);
    return flight;
}

struct rig_flight rig_start(struct rig *rig, const struct rig_operator *op, const char *line)
{
    struct test_case test;
    char error[256];
    if (!case_parse(line, &test, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", line, error);
        abort();
    }
    struct rig_flight flight = rig_prepare(rig, op, &test);
    if (rig_phase1(&flight.call) != ACLNN_SUCCESS) {
        fprintf(stderr, "%s: phase 1: %s\n", line, aclGetRecentErrMsg());
        abort();
    }
    flight.workspace = memory(flight.call.workspace_size);
    return flight;
}

void rig_finish(struct rig_flight *flight)
{
    rig_close(&flight->call);
    for (int i = 0; i < flight->call.operands; i++)
        free(flight->call.operand[i].data);
    free(flight->workspace);
}

aclnnStatus rig_launch(const struct rig_flight *flight, aclrtStream stream)
{
    const struct rig_call *call = &flight->call;
    return call->op->phase2(flight->workspace, call->workspace_size, call->executor, stream);
}

bool rig_is_right(struct rig *rig, const struct rig_flight *flight)
{
    const struct rig_operator *op = flight->call.op;
    rig_load(rig, op, &flight->test);
    for (int i = 0; i < flight->call.operands; i++) {
        if (!rig_is_output(rig_role_of(&flight->call, i)) || flight->call.is_null[i]) continue;
        operand_read(&flight->call.operand[i], rig->problem.tensor[i].values);
        operand_read_bits(&flight->call.operand[i], rig->problem.tensor[i].bits);
    }
    return rig_compare(rig);
}

bool rig_is_unwritten(const struct rig_flight *flight)
{
    for (int i = 0; i < flight->call.operands; i++) {
        const struct operand *operand = &flight->call.operand[i];
        const struct rig_operand *one = rig_role_of(&flight->call, i);
        const bool is_poison = rig_is_output(one) && !one->is_changed;
        for (size_t j = 0; is_poison && j < operand_bytes(operand); j++) {
            if (((const unsigned char *)operand->data)[j] != RIG_POISON) return false;
        }
    }
    return true;
}

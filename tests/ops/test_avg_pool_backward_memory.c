/* SPDX-License-Identifier: Apache-2.0 */
/* Workspace: how much is asked for, what is touched, which pointers are taken. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "tests/ops/suite.h"
#include "tests/support/rig_flight.h"
#include "tests/support/rows.h"

RIG_SUITE(avg_pool_backward_memory);

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

static struct test_case parse(const char *line)
{
    struct test_case test;
    char error[256];
    cr_assert(case_parse(line, &test, error, sizeof error), "%s: %s", line, error);
    return test;
}

static uint64_t workspace_of(const char *line)
{
    const struct test_case test = parse(line);
    struct rig_call call = rig_call_of(&rig_avg_pool2d_backward, &test);
    rig_open(&call);
    cr_assert_eq(rig_phase1(&call), ACLNN_SUCCESS, "%s: %s", line, aclGetRecentErrMsg());
    aclDestroyAclOpExecutor(call.executor);
    rig_close(&call);
    return call.workspace_size;
}

/* Addresses are given at phase 2, so the descriptors here have none. */
Test(avg_pool_backward_memory, dense_calls_need_no_workspace)
{
    static const char *const lines[] = {
        "avg_pool2d_backward f32 n2c19 35x41 k3x5 s2x1 p1x2 ceil",
        "avg_pool2d_backward f16 n2c19 35x41 k3x5 s2x1 p1x2 nhwc",
        "avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 offset=7",
        "avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 nhwc math=2 offset=7",
        "avg_pool2d_backward f32 n2c19 35x41 k3x5 math=1",
        "avg_pool2d_backward f32 c19 35x41 k3x5",
        "avg_pool2d_backward f32 c19 35x41 k3x5 nhwc",
        "avg_pool2d_backward f32 n2c1 35x41 k3x5 nhwc",
        "avg_pool2d_backward f32 n2c5 35x41 k35x41 dy=nhwc", /* 1x1: dense in both orders */
        "avg_pool2d_backward f32 n32c64 112x112 k3 s2 p1",
        "avg_pool2d_backward f32 n0c19 35x41 k3 strided",
        "avg_pool2d_backward f32 n2c3 35x41 k3 o0x4 strided",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        cr_assert_eq(workspace_of(lines[i]), 0u, "%s", lines[i]);
}

Test(avg_pool_backward_memory, a_strided_call_asks_for_no_more_than_packed_copies)
{
    static const char *const lines[] = {
        "avg_pool2d_backward f32 n2c19 35x41 k3x5 s2x1 p1x2 strided seed=1",
        "avg_pool2d_backward f16 n2c19 35x41 k3x5 s2x1 p1x2 dy=strided seed=2",
        "avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 dx=strided seed=3",
        "avg_pool2d_backward f32 n2c19 35x41 k3x5 s2x1 p1x2 dx=nhwc",
    };
    enum { SLACK = 4096 }; /* alignment; red zones of debug builds */
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct test_case test = parse(lines[i]);
        size_t element = operand_element_size(test.dtype);
        uint64_t packed = 0, size = workspace_of(lines[i]);
        if (test.dy_layout != test.dx_layout || test.dy_layout == CASE_STRIDED)
            packed = (uint64_t)(case_output_elements(&test) + case_input_elements(&test)) * element;
        cr_assert(size > 0 && size <= packed + SLACK, "%s: %" PRIu64, lines[i], size);
    }
}

/* Runs a strided case in a workspace that begins `shift` bytes behind an aligned address and is
 * `extra` bytes too large; all bytes around the reported size must stay. */
static void run_at(const struct test_case *test, size_t shift, size_t extra)
{
    enum { MARGIN = 4096, PATTERN = 0x5A };
    struct rig_flight flight = rig_prepare(&rig, &rig_avg_pool2d_backward, test);
    char line[CASE_LINE];
    cr_assert_eq(rig_phase1(&flight.call), ACLNN_SUCCESS);
    size_t size = flight.call.workspace_size;
    size_t whole = (size + shift + extra + 2 * MARGIN + 4095) & ~4095ul;
    unsigned char *memory = aligned_alloc(4096, whole);
    cr_assert(memory != NULL);
    memset(memory, PATTERN, whole);
    unsigned char *workspace = memory + MARGIN + shift;

    cr_assert_eq(aclnnAvgPool2dBackward(workspace, size + extra, flight.call.executor, rig.stream),
                 ACLNN_SUCCESS, "%s: shift %zu: %s", case_print(test, line), shift,
                 aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
    cr_assert(rig_is_right(&rig, &flight), "shift %zu: %s", shift, rig.text);
    for (size_t i = 0; i < whole; i++) {
        bool is_inside = memory + i >= workspace && memory + i < workspace + size;
        cr_assert(is_inside || memory[i] == PATTERN, "%s: shift %zu: byte %td of %zu changed",
                  case_print(test, line), shift, memory + i - workspace, size);
    }
    rig_finish(&flight);
    free(memory);
}

Test(avg_pool_backward_memory, workspace_of_any_alignment_from_32)
{
    static const char *const lines[] = {
        "avg_pool2d_backward f32 n2c3 35x41 k3x5 s2x1 p1x2 strided seed=1",
        "avg_pool2d_backward bf16 n2c5 17x13 k3 s1 p1 dy=nhwc dx=strided seed=2",
        "avg_pool2d_backward f16 n1c1 9x8 k2 dy=broadcast dx=strided seed=3",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct test_case test = parse(lines[i]);
        for (size_t shift = 0; shift <= 512; shift += 32)
            run_at(&test, shift, shift % 96);
    }
}

/* Tensors need only their element's alignment. */
Test(avg_pool_backward_memory, tensors_of_any_element_alignment)
{
    static const char *const lines[] = {
        "avg_pool2d_backward f32 n2c3 35x41 k3x5 s2x1 p1x2",
        "avg_pool2d_backward bf16 n2c19 17x13 k3 s1 p1 nhwc",
        "avg_pool2d_backward f16 n1c70 9x8 k2",
    };
    unsigned char *dy_memory = aligned_alloc(4096, 1 << 20);
    unsigned char *dx_memory = aligned_alloc(4096, 1 << 20);
    cr_assert(dy_memory && dx_memory);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct test_case test = parse(lines[i]);
        size_t element = operand_element_size(test.dtype);
        rig_load(&rig, &rig_avg_pool2d_backward, &test);
        for (size_t shift = 0; shift < 64; shift += element) {
            struct rig_flight flight = {.test = test,
                                        .call = rig_call_of(&rig_avg_pool2d_backward, &test)};
            struct rig_call *call = &flight.call;
            call->operand[GRAD_OUTPUT].data = dy_memory + (shift * 5) % 64;
            call->operand[GRAD_INPUT].data = dx_memory + shift;
            operand_write_bits(&call->operand[GRAD_OUTPUT], rig.problem.tensor[GRAD_OUTPUT].bits);
            operand_poison(&call->operand[GRAD_INPUT], RIG_POISON);
            rig_open(call);
            cr_assert_eq(rig_phase1(call), ACLNN_SUCCESS);
            cr_assert_eq(rig_launch(&flight, rig.stream), ACLNN_SUCCESS);
            cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
            cr_assert(rig_is_right(&rig, &flight), "shift %zu: %s", shift, rig.text);
            rig_close(call);
        }
    }
    free(dy_memory);
    free(dx_memory);
}

/* A block freed while queued work uses it stays until that work has run; ten workspaces in a row,
 * each freed right after phase 2. */
Test(avg_pool_backward_memory, workspace_freed_right_after_phase_2)
{
    const struct test_case test =
        parse("avg_pool2d_backward f32 n4c16 57x55 k3 s1 p1 strided seed=5");
    struct rig_flight flight = rig_prepare(&rig, &rig_avg_pool2d_backward, &test);
    for (int i = 0; i < 10; i++) {
        void *workspace = NULL;
        if (i > 0) rig_open(&flight.call);
        cr_assert_eq(rig_phase1(&flight.call), ACLNN_SUCCESS);
        const uint64_t size = flight.call.workspace_size;
        cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
        cr_assert_eq(aclnnAvgPool2dBackward(workspace, size, flight.call.executor, rig.stream),
                     ACLNN_SUCCESS);
        cr_assert_eq(aclrtFree(workspace), ACL_SUCCESS);
        rig_close(&flight.call);
    }
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
    cr_assert(rig_is_right(&rig, &flight), "%s", rig.text);
    rig_finish(&flight);
}

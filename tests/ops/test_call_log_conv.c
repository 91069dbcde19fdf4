/* SPDX-License-Identifier: Apache-2.0 */
/* ACLNN_CPU_LOG=calls prints each convolution as a line that, read back, is a problem which has the
 * same plan and prints the same line. */
#include <criterion/criterion.h>

#include "tests/support/conv_rig.h"
#include "tests/support/told.h"

enum { CASES = 30 };

static struct conv_rig rig;

static void begin(void)
{
    told_begin();
    conv_rig_begin(&rig);
}

static void end(void)
{
    conv_rig_end(&rig);
    told_end();
}

TestSuite(call_log_conv, .init = begin, .fini = end);

static bool run(const struct conv_case *test, struct told *told)
{
    conv_rig_load(&rig, test);
    told_listen();
    bool is_right = conv_rig_run(&rig, GUARD_END);
    told_hear(told);
    return is_right;
}

static struct conv_case parse(const char *line)
{
    struct conv_case test;
    char error[256] = "";
    cr_assert(conv_parse(line, &test, error, sizeof error), "%s: %s", line, error);
    return test;
}

static void check(const struct conv_case *test)
{
    static struct told first, second;
    char text[1024];
    conv_describe(test, text, sizeof text);
    cr_assert(run(test, &first), "%s", rig.text);
    cr_assert_eq(first.lines, 1, "%s printed %d lines", text, first.lines);
    struct conv_case again = parse(first.line);
    cr_assert_eq(again.op, test->op);
    again.seed = test->seed; /* of gaps, and of arguments that are NULL instead of not asked for */
    cr_assert(run(&again, &second), "%s\nprinted %s\n%s", text, first.line, rig.text);
    cr_assert_str_eq(first.line, second.line, "%s\nprinted %s\nthen    %s", text, first.line,
                     second.line);
    cr_assert_str_eq(first.plan, second.plan, "%s\nprinted %s\n%s%s", text, first.line, first.plan,
                     second.plan);
}

Test(call_log_conv, a_line_replays_its_call)
{
    for (int op = 0; op < CONV_OPERATORS; op++)
        for (int dtype = 0; dtype < CASE_FLOATS; dtype++) {
            struct random random = {random_test_seed() + 7 * (uint64_t)op + (uint64_t)dtype};
            for (int64_t i = random_test_count(CASES); i > 0; i--) {
                const struct conv_case test = conv_random_case(
                    &random, (enum conv_operator)op, (enum case_dtype)dtype, dtype == CASE_F32);
                check(&test);
            }
        }
}

Test(call_log_conv, lines_read_as_a_user_writes_them)
{
    static const struct {
        const char *given, *printed;
    } rows[] = {
        {"convolution n2 c4>6 8 k3 s2 p1", "convolution n2 c4>6 8 k3 s2 p1 q1 d1 g1 x=f32 w=f32 "
                                           "y=f32"},
        {"convolution n1 c6>4 5x5 k3 s2 transposed o11x12 g2 b=f16 x=f16,last w=f16 y=f32 math=1",
         "convolution n1 c6>4 5x5 k3x3 s2x2 p0x0 q0x0 d1x1 g2 transposed o11x12 x=f16,last w=f16 "
         "b=f16 y=f32 math=1"},
        {"convolution_backward n2 c4>6 8x8 k3 p1 q2x0 dw=bf16 db=f32 dy=bf16 x=bf16 w=f32",
         "convolution_backward n2 c4>6 8x8 k3x3 s1x1 p1x1 q2x0 d1x1 g1 dy=bf16 x=bf16 w=f32 "
         "dw=bf16 db=f32"},
        {"aclnnext_conv_grad n1 c2>2 4x5x6 k2 x=f32,ndhwc dx=f32,ndhwc",
         "aclnnext_conv_grad n1 c2>2 4x5x6 k2x2x2 s1x1x1 p0x0x0 q0x0x0 d1x1x1 g1 dy=f32 "
         "x=f32,ndhwc w=f32 dx=f32,ndhwc"},
        {"conv_depthwise2d n1 c3>3 7x7 k3 g3 p1", "conv_depthwise2d n1 c3>3 7x7 k3x3 s1x1 p1x1 "
                                                  "q1x1 d1x1 g3 x=f32 w=f32 y=f32"},
        {"conv_tbc n2 c3>4 9 k3 p1 b=f32",
         "conv_tbc n2 c3>4 9 k3 s1 p1 q1 d1 g1 x=f32 w=f32 b=f32 y=f32"},
        /* No result, but a line. */
        {"convolution n0 c4>6 8x8 k3", "convolution n0 c4>6 8x8 k3x3 s1x1 p0x0 q0x0 d1x1 g1 x=f32 "
                                       "w=f32 y=f32"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told told;
        const struct conv_case test = parse(rows[i].given);
        cr_assert(run(&test, &told), "%s: %s", rows[i].given, rig.text);
        cr_expect_str_eq(told.line, rows[i].printed);
    }
}

Test(call_log_conv, what_is_no_line_is_refused)
{
    static const char *const lines[] = {
        "",
        "avg_pool2d f32 n1c1 4x4 k2",
        "convolution",
        "convolution n1 c4 8x8 k3",
        "convolution n1 c4>4 k3",
        "convolution n1 c4>4 8x8 k3x3x3",
        "convolution n1 c4>4 8x8 k3 g3",
        "convolution n1 c4>4 8x8 k3 dx=f32",
        "convolution n1 c4>4 8x8 k3 x=f33",
        "convolution n1 c4>4 8x8 k3 s0",
        "convolution n1 c4>4 8x8 k3 transposed",
        "convolution n1 c4>4 8x8 k3 # y",
        "convolution_backward n1 c4>4 8x8 k3 y=f32",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct conv_case test;
        char error[256] = "";
        cr_expect(!conv_parse(lines[i], &test, error, sizeof error), "%s", lines[i]);
        cr_expect_neq(error[0], '\0', "%s", lines[i]);
    }
}

/* A repeatable executor prints its line at each phase 2. */
Test(call_log_conv, each_phase_2_prints)
{
    static struct told told;
    const struct conv_case test = parse("convolution n2 c4>6 8x8 k3 p1 g2");
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    conv_rig_load(&rig, &test);
    conv_rig_open(&rig, GUARD_END);
    told_listen();
    aclnnStatus status = conv_rig_phase1(&rig, &size, &executor);
    void *workspace = size > 0 ? guard_place(&rig.workspace, size, GUARD_END, 64) : NULL;
    if (status == ACLNN_SUCCESS) status = aclSetAclOpExecutorRepeatable(executor);
    for (int i = 0; i < 3 && status == ACLNN_SUCCESS; i++)
        status = conv_rig_phase2(&rig, workspace, size, executor);
    if (status == ACLNN_SUCCESS) status = aclrtSynchronizeStream(rig.stream);
    if (executor) aclDestroyAclOpExecutor(executor);
    told_hear(&told);
    cr_assert_eq(status, ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_expect_eq(told.lines, 3);
    cr_assert(conv_rig_close(&rig, true), "%s", rig.text);
}

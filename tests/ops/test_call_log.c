/* SPDX-License-Identifier: Apache-2.0 */
/* ACLNN_CPU_LOG=calls prints each call as a line of tests/cases: the line, read back, is a problem
 * that has the same plan and prints the same line. */
#include <criterion/criterion.h>

#include "tests/support/rig.h"
#include "tests/support/rig_flight.h"
#include "tests/support/rows_all.h"
#include "tests/support/told.h"

enum { CASES = 40, CASES_OF_A_ROW = 16 };

static struct rig rig;

static void begin(void)
{
    told_begin();
    rig_begin(&rig);
}

static void end(void)
{
    rig_end(&rig);
    told_end();
}

TestSuite(call_log, .init = begin, .fini = end);

static bool run(const struct rig_operator *op, const struct test_case *test, struct told *told)
{
    rig_load(&rig, op, test);
    told_listen();
    bool is_right = rig_run(&rig, RIG_END) && rig_compare(&rig);
    told_hear(told);
    return is_right;
}

static void check(const struct rig_operator *op, const struct test_case *test)
{
    static struct told first, second;
    char line[CASE_LINE], error[256];
    struct test_case again;
    case_print(test, line);
    cr_assert(run(op, test, &first), "%s", rig.text);
    cr_assert_eq(first.lines, 1, "%s printed %d lines", line, first.lines);
    cr_assert(case_parse(first.line, &again, error, sizeof error), "%s\nprinted %s\n%s", line,
              first.line, error);
    cr_assert_str_eq(again.op, op->word, "%s\nprinted %s", line, first.line);
    /* Which indices are read, and which gaps there are, is not the plan's to know. */
    again.picks = test->picks;
    again.data = test->data;
    again.seed = test->seed;
    cr_assert(run(op, &again, &second), "%s\nprinted %s\n%s", line, first.line, rig.text);
    cr_assert_str_eq(first.line, second.line, "%s\nprinted %s\nthen    %s", line, first.line,
                     second.line);
    cr_assert_str_eq(first.plan, second.plan, "%s\nprinted %s\n%s%s", line, first.line, first.plan,
                     second.plan);
}

static void check_random(int begin_at, int end_at)
{
    struct random random = {random_test_seed() + 99};
    const int64_t cases = random_test_count(CASES);
    for (int i = begin_at; i < end_at; i++)
        for (int64_t n = 0; n < cases; n++) {
            enum case_dtype dtype = (enum case_dtype)random_below(&random, CASE_FLOATS);
            const struct test_case test = rig_random_case(rows_all_at(i), &random, dtype);
            check(rows_all_at(i), &test);
        }
}

Test(call_log, a_line_replays_its_call)
{
    check_random(0, ROWS_BY_HAND / 2);
}

Test(call_log, a_line_replays_its_call_too)
{
    check_random(ROWS_BY_HAND / 2, ROWS_BY_HAND);
}

Test(call_log, a_line_replays_the_call_of_a_row)
{
    struct random random = {random_test_seed() + 98};
    const int64_t cases = random_test_count(CASES_OF_A_ROW), first = random_below(&random, 64);
    for (int i = 0; i < table_rows(); i++)
        for (int64_t n = 0; n < cases; n++) {
            const struct table_row *row = table_row(i);
            const enum case_dtype dtype = row->op.types[(first + n) % row->op.type_count];
            const struct test_case test = rig_random_case(&row->op, &random, dtype);
            check(&row->op, &test);
        }
}

Test(call_log, lines_read_as_a_user_writes_them)
{
    static const struct {
        const struct rig_operator *op;
        const char *given, *printed;
    } rows[] = {
        {&rig_avg_pool2d_backward,
         "avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 ceil exclude_pad divisor=7 nhwc",
         "avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 ceil exclude_pad divisor=7 x=nhwc "
         "dx=nhwc dy=nhwc"},
        {&rig_max_pool3d_with_argmax, "max_pool3d_with_argmax f32 n2c3 9x8x7 k3 s2 p1 idx=i64",
         "max_pool3d_with_argmax f32 n2c3 9x8x7 k3 s2 p1 d1 idx=i64"},
        {&rig_adaptive_avg_pool2d, "adaptive_avg_pool2d f16 c5 9x11 o4x5",
         "adaptive_avg_pool2d f16 c5 9x11 o4x5"},
        {&rig_max_unpool2d_backward, "max_unpool2d_backward i16 n1c2 8x6 o4x3 to=i32 idx=i64",
         "max_unpool2d_backward i16 n1c2 8x6 o4x3 idx=i64 to=i32"},
        {&rig_avg_pool2d_backward, "avg_pool2d_backward f16 n1c3 10x10 o0x0 k4 p0",
         "avg_pool2d_backward f16 n1c3 10x10 o0x0 k4 sempty p0"},
        /* Arguments in any order, numbers that are 0 left out. */
        {&rig_convolution,
         "convolution f32 output=2x6x8:ncl input=2x4x8:ncl weight=6x4x3:ncl:last groups=1 "
         "padding=1 "
         "dilation=1 stride=1",
         "convolution f32 input=2x4x8:ncl weight=6x4x3:ncl:s12x1x4 stride=1 padding=1 dilation=1 "
         "transposed=0 groups=1 output=2x6x8:ncl cubeMathType=0"},
        {&rig_convolution,
         "convolution f16 input=1x6x5x5:nchw weight=6x2x3x3:nchw bias=4:f32 stride=2x2 padding=0x0 "
         "dilation=1x1 transposed=true outputPadding=0x1 groups=2 output=1x4x11x12:nchw "
         "cubeMathType=1",
         "convolution f16 input=1x6x5x5:nchw weight=6x2x3x3:nchw bias=4:f32 stride=2x2 padding=0x0 "
         "dilation=1x1 transposed=1 outputPadding=0x1 groups=2 output=1x4x11x12:nchw "
         "cubeMathType=1"},
        {&rig_convolution_backward,
         "convolution_backward bf16 gradOutput=2x6x7x6:nchw input=2x4x8x8:nchw "
         "weight=6x4x3x3:f32:nchw "
         "stride=1x1 padding=1x0x0x0 dilation=1x1 outputPadding=0x0 groups=1 outputMask=0x1x1 "
         "gradWeight=6x4x3x3:nchw gradBias=6:f32",
         "convolution_backward bf16 gradOutput=2x6x7x6:nchw input=2x4x8x8:nchw "
         "weight=6x4x3x3:f32:nchw "
         "stride=1x1 padding=1x0x0x0 dilation=1x1 transposed=0 outputPadding=0x0 groups=1 "
         "outputMask=[0,1,1] cubeMathType=0 gradWeight=6x4x3x3:nchw gradBias=6:f32"},
        {&rig_aclnnext_conv_grad,
         "aclnnext_conv_grad f32 gradOutput=1x2x3x4x5:ncdhw input=1x4x5x6x2:ndhwc "
         "weight=2x2x2x2x2 groups=1 gradInput=1x4x5x6x2:ndhwc",
         "aclnnext_conv_grad f32 gradOutput=1x2x3x4x5:ncdhw input=1x4x5x6x2:ndhwc "
         "weight=2x2x2x2x2 autoPad=0 groups=1 cubeMathType=0 gradInput=1x4x5x6x2:ndhwc"},
        {&rig_conv_depthwise2d,
         "conv_depthwise2d f32 self=1x3x7x7:nchw weight=3x1x3x3:nchw kernelSize=3x3 stride=1x1 "
         "padding=1x1 dilation=1x1 out=1x3x7x7:nchw",
         "conv_depthwise2d f32 self=1x3x7x7:nchw weight=3x1x3x3:nchw kernelSize=3x3 stride=1x1 "
         "padding=1x1 dilation=1x1 out=1x3x7x7:nchw cubeMathType=0"},
        {&rig_conv_tbc, "conv_tbc f32 self=9x2x3 weight=3x3x4 bias=4 pad=1 output=9x2x4:ncl",
         "conv_tbc f32 self=9x2x3 weight=3x3x4 bias=4 pad=1 output=9x2x4:ncl cubeMathType=0"},
        /* No result, but a line. */
        {&rig_convolution,
         "convolution f32 input=0x4x8x8:nchw weight=6x4x3x3:nchw stride=1x1 padding=0x0 "
         "dilation=1x1 groups=1 output=0x6x6x6:nchw",
         "convolution f32 input=0x4x8x8:nchw weight=6x4x3x3:nchw stride=1x1 padding=0x0 "
         "dilation=1x1 transposed=0 groups=1 output=0x6x6x6:nchw cubeMathType=0"},
        {&rig_convolution_backward,
         "convolution_backward f32 gradOutput=0x6x6x6:nchw input=0x4x8x8:nchw weight=6x4x3x3:nchw "
         "stride=1x1 padding=0x0 dilation=1x1 outputPadding=0x0 groups=1 outputMask=0x1x0 "
         "gradWeight=6x4x3x3:nchw",
         "convolution_backward f32 gradOutput=0x6x6x6:nchw input=0x4x8x8:nchw weight=6x4x3x3:nchw "
         "stride=1x1 padding=0x0 dilation=1x1 transposed=0 outputPadding=0x0 groups=1 "
         "outputMask=[0,1,0] cubeMathType=0 gradWeight=6x4x3x3:nchw"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told told;
        struct test_case test;
        char error[256];
        cr_assert(case_parse(rows[i].given, &test, error, sizeof error), "%s", error);
        cr_assert(run(rows[i].op, &test, &told), "%s", rig.text);
        cr_expect_str_eq(told.line, rows[i].printed);
    }
}

/* A repeatable executor prints its line at each phase 2. */
Test(call_log, each_phase_2_prints)
{
    struct told told;
    told_listen();
    struct rig_flight flight =
        rig_start(&rig, &rig_convolution,
                  "convolution f32 input=2x4x8x8:nchw weight=6x2x3x3:nchw stride=1x1 padding=1x1 "
                  "dilation=1x1 groups=2 output=2x6x8x8:nchw");
    aclnnStatus status = aclSetAclOpExecutorRepeatable(flight.call.executor);
    for (int i = 0; i < 3 && status == ACLNN_SUCCESS; i++)
        status = rig_launch(&flight, rig.stream);
    if (status == ACLNN_SUCCESS) status = aclrtSynchronizeStream(rig.stream);
    aclDestroyAclOpExecutor(flight.call.executor);
    told_hear(&told);
    cr_assert_eq(status, ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_expect_eq(told.lines, 3);
    cr_expect(rig_is_right(&rig, &flight), "%s", rig.text);
    rig_finish(&flight);
}

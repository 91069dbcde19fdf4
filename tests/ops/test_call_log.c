/* SPDX-License-Identifier: Apache-2.0 */
/* ACLNN_CPU_LOG=calls prints each call as a line of tests/cases: the line, read back, is a problem
 * that has the same plan and prints the same line. */
#include <criterion/criterion.h>

#include "tests/support/rig.h"
#include "tests/support/rows_pooling.h"
#include "tests/support/rows_table.h"
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
            struct test_case test = rows_pooling[i]->random_case(&random, dtype);
            check(rows_pooling[i], &test);
        }
}

Test(call_log, a_line_replays_its_call)
{
    check_random(0, ROWS_POOLING / 2);
}

Test(call_log, a_line_replays_its_call_too)
{
    check_random(ROWS_POOLING / 2, ROWS_POOLING);
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

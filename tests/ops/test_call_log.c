/* SPDX-License-Identifier: Apache-2.0 */
/* ACLNN_CPU_LOG=calls prints each call as a line of tests/cases: the line, read back, is a problem
 * that has the same plan and prints the same line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aclnnop/aclnn_convolution.h"
#include "tests/support/rig.h"
#include "tests/support/rows.h"
#include "tests/support/rows_indices.h"

static const struct rig_operator *const operators[] = {
    &rig_avg_pool2d,
    &rig_avg_pool2d_backward,
    &rig_avg_pool3d,
    &rig_avg_pool3d_backward,
    &rig_aclnnext_avg_pool_grad,
    &rig_max_pool,
    &rig_max_pool2d_with_indices,
    &rig_max_pool2d_with_indices_backward,
    &rig_max_pool2d_with_mask,
    &rig_max_pool2d_with_mask_backward,
    &rig_max_pool3d_with_argmax,
    &rig_max_pool3d_with_argmax_backward,
    &rig_aclnnext_max_pool_grad,
    &rig_aclnnext_max_pool_backward,
    &rig_adaptive_avg_pool2d,
    &rig_adaptive_avg_pool2d_backward,
    &rig_adaptive_avg_pool3d,
    &rig_adaptive_avg_pool3d_backward,
    &rig_adaptive_max_pool2d,
    &rig_adaptive_max_pool2d_backward,
    &rig_adaptive_max_pool3d,
    &rig_adaptive_max_pool3d_backward,
    &rig_max_unpool2d,
    &rig_max_unpool2d_backward,
    &rig_max_unpool3d,
    &rig_max_unpool3d_backward,
    &rig_global_average_pool,
    &rig_global_max_pool,
};

enum { OPERATORS = sizeof operators / sizeof operators[0], CASES = 40, TEXT = 8192 };

/* What the library writes to stderr while a case runs. */
struct told {
    char plan[TEXT];      /* all lines of the plan */
    char line[CASE_LINE]; /* the call's */
};

static struct rig rig;
static FILE *sink;
static int real_stderr;

static void begin(void)
{
    setenv("ACLNN_CPU_LOG", "plan,calls", 1);
    rig_begin(&rig);
    sink = tmpfile();
    real_stderr = dup(STDERR_FILENO);
    cr_assert(sink && real_stderr >= 0);
}

static void end(void)
{
    rig_end(&rig);
    fclose(sink);
    close(real_stderr);
}

TestSuite(call_log, .init = begin, .fini = end);

static void split(char *text, struct told *told)
{
    memset(told, 0, sizeof *told);
    char *state = NULL;
    for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
        if (strncmp(line, "plan ", 5) == 0 || strncmp(line, "  step", 6) == 0) {
            strcat(strcat(told->plan, line), "\n");
        } else {
            cr_assert(told->line[0] == '\0', "two lines: %s and %s", told->line, line);
            cr_assert_lt(strlen(line), sizeof told->line);
            strcpy(told->line, line);
        }
    }
}

static bool run(const struct rig_operator *op, const struct test_case *test, struct told *told)
{
    static char text[TEXT];
    rig_load(&rig, op, test);
    rewind(sink);
    cr_assert_eq(ftruncate(fileno(sink), 0), 0);
    fflush(stderr);
    dup2(fileno(sink), STDERR_FILENO);
    bool is_right = rig_run(&rig, RIG_END) && rig_compare(&rig);
    dup2(real_stderr, STDERR_FILENO);
    rewind(sink);
    text[fread(text, 1, sizeof text - 1, sink)] = '\0';
    split(text, told);
    return is_right;
}

static void check(const struct rig_operator *op, const struct test_case *test)
{
    static struct told first, second;
    char line[CASE_LINE], error[256];
    struct test_case again;
    case_print(test, line);
    cr_assert(run(op, test, &first), "%s", rig.text);
    cr_assert_neq(first.line[0], '\0', "%s printed nothing", line);
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
    for (int i = begin_at; i < end_at; i++)
        for (int n = 0; n < CASES; n++) {
            enum case_dtype dtype = (enum case_dtype)random_below(&random, CASE_FLOATS);
            struct test_case test = operators[i]->random_case(&random, dtype);
            check(operators[i], &test);
        }
}

Test(call_log, a_line_replays_its_call)
{
    check_random(0, OPERATORS / 2);
}

Test(call_log, a_line_replays_its_call_too)
{
    check_random(OPERATORS / 2, OPERATORS);
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

static aclTensor *tensor(const int64_t *sizes, void *memory)
{
    return aclCreateTensor(sizes, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, sizes, 4, memory);
}

/* A repeatable executor prints its line at each phase 2; a convolution in its own language. */
Test(call_log, a_convolution_prints_its_layer)
{
    static _Alignas(64) float memory[3][4096];
    static const int64_t x[] = {2, 4, 8, 8}, w[] = {6, 2, 3, 3}, y[] = {2, 6, 4, 4};
    static const char want[] = "convolution n2 c4>6 8x8 k3x3 s2x2 p1x1 d1x1 g2 "
                               "# y x=f32 w=f32 y=f32 q1x1 math=1\n";
    const int64_t two[] = {2, 2}, one[] = {1, 1};
    aclTensor *input = tensor(x, memory[0]), *weight = tensor(w, memory[1]);
    aclTensor *output = tensor(y, memory[2]);
    aclIntArray *stride = aclCreateIntArray(two, 2), *ones = aclCreateIntArray(one, 2);
    char text[TEXT];
    uint64_t size;
    aclOpExecutor *executor;
    dup2(fileno(sink), STDERR_FILENO);
    aclnnStatus status = aclnnConvolutionGetWorkspaceSize(
        input, weight, NULL, stride, ones, ones, false, ones, 2, output, 1, &size, &executor);
    void *workspace = malloc(size + 1);
    if (status == ACLNN_SUCCESS) {
        aclSetAclOpExecutorRepeatable(executor);
        for (int i = 0; i < 2; i++)
            status |= aclnnConvolution(workspace, size, executor, rig.stream);
        aclrtSynchronizeStream(rig.stream);
        aclDestroyAclOpExecutor(executor);
    }
    dup2(real_stderr, STDERR_FILENO);
    cr_assert_eq(status, ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    rewind(sink);
    text[fread(text, 1, sizeof text - 1, sink)] = '\0';
    char *first = strstr(text, want);
    cr_assert_not_null(first, "%s", text);
    cr_expect_not_null(strstr(first + 1, want), "%s", text);
    free(workspace);
    aclDestroyTensor(input);
    aclDestroyTensor(weight);
    aclDestroyTensor(output);
    aclDestroyIntArray(stride);
    aclDestroyIntArray(ones);
}

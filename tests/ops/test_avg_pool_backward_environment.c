/* SPDX-License-Identifier: Apache-2.0 */
/* The same bits for any number of threads, on every instruction set, with launches made blocking;
 * and what ACLNN_CPU_MATH=exact means. The environment is read once per process, so each setting
 * runs in a child, which sends back one checksum per case. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/avg_pool_call.h"

TestSuite(avg_pool_backward_environment, .timeout = 600);

enum { RANDOM_CASES = 600, MOST_CASES = 1024 };

/* Large enough to be cut into slices, in both layouts, with few and with many planes. */
static const char *const large_lines[] = {
    "avg_pool2d_backward f32 n4c16 56x57 k3 s1 p1 exclude_pad seed=1",
    "avg_pool2d_backward bf16 n4c16 56x57 k3 s2 p1 ceil nhwc seed=2",
    "avg_pool2d_backward f16 n1c1 611x407 k5x3 s2 p2x1 seed=3",
    "avg_pool2d_backward f32 n1c2 611x407 k5x3 s1 p2x1 nhwc seed=4",
    "avg_pool2d_backward f32 n3c5 97x101 k7 s3 p3 strided seed=5",
    "avg_pool2d_backward bf16 n1c2048 7x7 k7 seed=6",
    "avg_pool2d_backward f32 n1c3 200x300 k2 math=1 dx=strided seed=7",
    "avg_pool2d_backward f32 n1c3 200x300 k2 math=2 dy=nhwc data=special seed=8",
};

enum { LARGE_LINES = sizeof large_lines / sizeof large_lines[0] };

static struct test_case case_number(int number, struct random *random)
{
    struct test_case test;
    char error[256];
    if (number >= LARGE_LINES)
        return avg_pool_random_case(random, (enum case_dtype)(number % CASE_FLOATS));
    cr_assert(case_parse(large_lines[number], &test, error, sizeof error), "%s", error);
    return test;
}

static int count_cases(void)
{
    int64_t count = LARGE_LINES + random_test_count(RANDOM_CASES);
    return (int)(count < MOST_CASES ? count : MOST_CASES);
}

static uint64_t checksum(const uint64_t *bits, int64_t count)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a over words */
    for (int64_t i = 0; i < count; i++)
        hash = (hash ^ bits[i]) * 0x100000001b3;
    return hash;
}

/* In a child: runs all cases; force_math replaces their math type unless it is negative. */
static void send_checksums(int to, int force_math)
{
    struct avg_pool_rig rig;
    struct random random = {random_test_seed() + 77};
    avg_pool_rig_begin(&rig);
    for (int i = 0; i < count_cases(); i++) {
        struct test_case test = case_number(i, &random);
        char line[CASE_LINE], text[1024];
        if (force_math >= 0) test.math = force_math;
        avg_pool_rig_load(&rig, &test);
        if (!avg_pool_rig_run(&rig, &test, GUARD_END, text, sizeof text)) {
            fprintf(stderr, "%s\n  %s\n", case_print(&test, line), text);
            _exit(1);
        }
        bool is_empty = case_output_elements(&test) == 0;
        uint64_t sum = is_empty ? 0 : checksum(rig.bits, case_input_elements(&test));
        if (write(to, &sum, sizeof sum) != (ssize_t)sizeof sum) _exit(2);
    }
    avg_pool_rig_end(&rig);
    _exit(0);
}

/* The checksums with one variable set; NULL leaves the environment as it is. */
static void run_child(const char *variable, const char *value, int force_math,
                      uint64_t sums[MOST_CASES])
{
    int ends[2], status;
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        close(ends[0]);
        alarm(500); /* a hang must not outlive the test */
        if (variable) setenv(variable, value, 1);
        send_checksums(ends[1], force_math);
    }
    close(ends[1]);
    size_t wanted = (size_t)count_cases() * sizeof *sums, got = 0;
    while (got < wanted) {
        ssize_t part = read(ends[0], (char *)sums + got, wanted - got);
        if (part <= 0) break;
        got += (size_t)part;
    }
    close(ends[0]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(got == wanted && WIFEXITED(status) && WEXITSTATUS(status) == 0,
              "%s=%s: the child ended with %d after %zu of %zu bytes", variable ? variable : "",
              value ? value : "", status, got, wanted);
}

static void expect_equal(const uint64_t *want, const uint64_t *got, const char *variable,
                         const char *value)
{
    struct random random = {random_test_seed() + 77};
    for (int i = 0; i < count_cases(); i++) {
        struct test_case test = case_number(i, &random);
        char line[CASE_LINE];
        cr_assert_eq(got[i], want[i], "%s\n  other bits with %s=%s (ACLNN_TEST_SEED=%" PRIu64 ")",
                     case_print(&test, line), variable, value, random_test_seed());
    }
}

static void check_variable(const char *variable, const char *const *values, int count)
{
    static uint64_t want[MOST_CASES], got[MOST_CASES];
    run_child(NULL, NULL, -1, want);
    for (int i = 0; i < count; i++) {
        run_child(variable, values[i], -1, got);
        expect_equal(want, got, variable, values[i]);
    }
}

Test(avg_pool_backward_environment, any_number_of_threads_gives_the_same_bits)
{
    static const char *const values[] = {"1", "2", "3", "8"};
    check_variable("ACLNN_CPU_THREADS", values, 4);
}

/* A name that this machine cannot run selects the best; the bits are the same all the same. */
Test(avg_pool_backward_environment, every_isa_gives_the_same_bits)
{
    static const char *const values[] = {"avx512", "avx2", "sve", "neon", "base"};
    check_variable("ACLNN_CPU_ISA", values, 5);
}

Test(avg_pool_backward_environment, blocking_launches_give_the_same_bits)
{
    static const char *const values[] = {"1"};
    check_variable("ASCEND_LAUNCH_BLOCKING", values, 1);
}

Test(avg_pool_backward_environment, exact_math_computes_every_type_as_0)
{
    static uint64_t want[MOST_CASES], got[MOST_CASES];
    run_child(NULL, NULL, 0, want);
    for (int math = 0; math <= 3; math++) {
        run_child("ACLNN_CPU_MATH", "exact", math, got);
        expect_equal(want, got, "ACLNN_CPU_MATH", "exact");
    }
    run_child(NULL, NULL, 2, got);
    cr_assert(memcmp(got, want, (size_t)count_cases() * sizeof *want) != 0,
              "without it, math=2 must differ somewhere");
}

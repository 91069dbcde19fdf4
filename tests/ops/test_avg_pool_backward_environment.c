/* SPDX-License-Identifier: Apache-2.0 */
/* The same bits for any number of threads, on every instruction set, with launches made blocking;
 * and what ACLNN_CPU_MATH=exact means. */
#include <stdlib.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

TestSuite(avg_pool_backward_environment, .timeout = 600);

enum { RANDOM_CASES = 60 };

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

static void check(const struct rig_setting *setting)
{
    check_same_bits(&rig_avg_pool2d_backward, setting, large_lines, LENGTH(large_lines),
                    RANDOM_CASES);
}

Test(avg_pool_backward_environment, any_number_of_threads_gives_the_same_bits)
{
    check(&rig_threads);
}

Test(avg_pool_backward_environment, every_isa_gives_the_same_bits)
{
    check(&rig_isas);
}

Test(avg_pool_backward_environment, blocking_launches_give_the_same_bits)
{
    check(&rig_blocking);
}

/* ---- ACLNN_CPU_MATH=exact ---- */

static const struct rig_setting exact = {"ACLNN_CPU_MATH", (const char *const[]){"exact", NULL}};

static struct test_case random_without_math(struct random *random, enum case_dtype dtype)
{
    struct test_case test = rig_avg_pool2d_backward.random_case(random, dtype);
    test.math = 0;
    return test;
}

static uint64_t *bits_with(const struct test_case *test, int math)
{
    struct test_case other = *test;
    other.math = math;
    rig_view(&rig, &other);
    cr_assert(rig_run(&rig, RIG_END), "%s", rig.text);
    const struct rig_tensor *dx = &rig.problem.tensor[2];
    uint64_t *bits = malloc((size_t)(dx->count + 1) * sizeof *bits);
    cr_assert(bits != NULL);
    memcpy(bits, dx->bits, (size_t)dx->count * sizeof *bits);
    return bits;
}

/* How many of the random problems have other bits with a math type than without. */
static int64_t count_differences(void)
{
    struct random random = {random_test_seed() + 77};
    int64_t differences = 0;
    for (int64_t i = 0, count = random_test_count(RANDOM_CASES); i < count; i++) {
        struct test_case test = random_without_math(&random, (enum case_dtype)(i % CASE_FLOATS));
        rig_load(&rig, &rig_avg_pool2d_backward, &test);
        uint64_t *plain = bits_with(&test, 0);
        cr_assert(rig_compare(&rig), "%s", rig.text);
        for (int math = 1; math <= 3; math++) {
            uint64_t *bits = bits_with(&test, math);
            const size_t count_of = (size_t)rig.problem.tensor[2].count;
            differences += memcmp(bits, plain, count_of * sizeof *bits) != 0;
            free(bits);
        }
        free(plain);
    }
    return differences;
}

Test(avg_pool_backward_environment, exact_math_computes_every_type_as_0)
{
    struct rig_operator plain = rig_avg_pool2d_backward;
    plain.random_case = random_without_math;
    check_same_bits(&plain, &exact, large_lines, 6, RANDOM_CASES);
    setenv("ACLNN_CPU_MATH", "exact", 1);
    begin();
    cr_assert_eq(count_differences(), 0);
    end();
}

Test(avg_pool_backward_environment, without_it_math_types_differ)
{
    begin();
    cr_assert_gt(count_differences(), 0);
    end();
}

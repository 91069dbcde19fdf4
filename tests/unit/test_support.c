/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of the tests themselves: a wrong oracle or a compare that accepts all would make every
 * other test worthless. */
#include <criterion/criterion.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"
#include "tests/unit/case_line.h"

/* ---- random ---- */

Test(random, is_splitmix64)
{
    struct random random = {1234567};
    cr_assert_eq(random_next(&random), 6457827717110365317u);
    cr_assert_eq(random_next(&random), 3203168211198807973u);
    cr_assert_eq(random_next(&random), 9817491932198370423u);
}

Test(random, ranges_hold_and_reach_their_ends)
{
    struct random random = {1};
    bool seen[3] = {false};
    for (int i = 0; i < 1000; i++) {
        int64_t value = random_between(&random, -1, 1);
        cr_assert(value >= -1 && value <= 1);
        seen[value + 1] = true;
        double unit = random_unit(&random);
        cr_assert(unit >= -1 && unit < 1);
    }
    cr_assert(seen[0] && seen[1] && seen[2]);
}

Test(random, count_follows_the_environment)
{
    setenv("ACLNN_TEST_SCALE", "0.25", 1);
    cr_assert_eq(random_test_count(100), 25);
    cr_assert_eq(random_test_count(1), 1);
    setenv("ACLNN_TEST_SEED", "0x10", 1);
    cr_assert_eq(random_test_seed(), 16u);
}

/* ---- cases ---- */

Test(cases, reads_every_part)
{
    struct test_case test =
        parse("avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 ceil exclude_pad divisor=-7 "
              "math=3 dy=broadcast dx=strided offset=4 data=special seed=99 name=stem # note");
    cr_assert_str_eq(test.op, "avg_pool2d_backward");
    cr_assert_str_eq(test.name, "stem");
    cr_assert_eq(test.dtype, CASE_BF16);
    cr_assert(test.batched && test.batch == 2 && test.channels == 19);
    cr_assert(test.axes == 2 && test.input[0] == 35 && test.input[1] == 41);
    cr_assert(test.kernel_length == 2 && test.kernel[0] == 3 && test.kernel[1] == 5);
    cr_assert(test.stride_length == 2 && test.stride[0] == 2 && test.stride[1] == 1);
    cr_assert(test.pad_length == 2 && test.pad[0] == 1 && test.pad[1] == 2);
    cr_assert(test.ceil && test.exclude_pad && test.divisor == -7 && test.math == 3);
    cr_assert(test.dy_layout == CASE_BROADCAST && test.dx_layout == CASE_STRIDED);
    cr_assert(test.offset == 4 && test.data == CASE_SPECIAL && test.seed == 99);
}

Test(cases, absent_parts_have_their_defaults)
{
    struct test_case test = parse("avg_pool3d f16 c4 8x9x10 k2");
    cr_assert(!test.batched && test.batch == 1 && test.channels == 4 && test.axes == 3);
    cr_assert(test.stride_length == 0 && test.pad_length == 1 && test.pad[0] == 0);
    cr_assert_eq(case_window(&test, 2).stride, 2);
    cr_assert_eq(case_window(&test, 2).output, 5);
    cr_assert_eq(case_output_elements(&test), 4 * 4 * 4 * 5);
    cr_assert_eq(case_input_elements(&test), 4 * 8 * 9 * 10);
    cr_assert_eq(parse("x f32 c1 8 k2 snull").stride_length, CASE_NO_ARRAY);
}

Test(cases, refuses_what_it_cannot_read)
{
    static const char *const lines[] = {
        "",
        "avg_pool2d_backward",
        "avg_pool2d_backward f80 n1c1 8x8 k2",
        "avg_pool2d_backward f32 n1 8x8 k2",
        "avg_pool2d_backward f32 n1c1 8xx8 k2",
        "avg_pool2d_backward f32 n1c1 8x8x8x8x8x8x8 k2",
        "avg_pool2d_backward f32 n1c1 8x8",
        "avg_pool2d_backward f32 n1c1 8x8 k",
        "avg_pool2d_backward f32 n1c1 8x8 k2x2x2",
        "avg_pool2d_backward f32 n1c1 8x8 k2 o4",
        "avg_pool2d_backward f32 n1c1 8x8 k2 sideways",
        "avg_pool2d_backward f32 n1c1 8x8 k2 math=300",
        "avg_pool2d_backward f32 n1c1 8x8 k2 divisor=x",
        "avg_pool2d_backward f32 n1c1 8x8 k2 divisor=9223372036854775808",
        "avg_pool2d_backward f32 n1c1 8x8 k2 dz=nhwc",
        "avg_pool2d_backward f32 n1c1 8x8 k2 dy=sideways",
        "avg_pool2d_backward f32 n1c1 8x8 knull",
        "avg_pool2d_backward f32 n1c1 8x8 k2 d2x2x2",
        "avg_pool2d_backward f32 n1c1 8x8 k2 q1x1x1",
        "avg_pool2d_backward f32 n1c1 8x8 k2 idx=i16",
        "avg_pool2d_backward f32 n1c1 8x8 k2 to=f80",
        "avg_pool2d_backward f32 n1c1 8x8 k2 fmt=chwn",
        "avg_pool2d_backward f32 n1c1 8x8 k2 picks=none",
        "abs f32 self=",
        "abs f32 self=2y3",
        "abs f32 self=2x3:f80",
        "abs f32 self=2x3:s1",
        "abs f32 self=2x3@-1",
        "abs f32 self=2x3 out",
        "abs f32 self=1x1x1x1x1x1x1x1x1",
        "abs f32 self=a%2",
        "abs f32 self=a%2c",
        "abs f32 self=a%00",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct test_case test;
        char error[256] = "";
        cr_assert_not(case_parse(lines[i], &test, error, sizeof error), "%s", lines[i]);
        cr_assert(error[0] != '\0', "%s", lines[i]);
    }
}

static void check_round_trip(const struct test_case *test)
{
    char first[CASE_LINE], second[CASE_LINE];
    case_print(test, first);
    struct test_case again = parse(first);
    cr_assert_str_eq(case_print(&again, second), first);
    cr_assert(memcmp(&again, test, sizeof again) == 0, "%s", first);
}

Test(cases, reads_named_arguments)
{
    struct test_case test =
        parse("a f16 self=2x3:f32:nchw:s1x4@5 dims=-1x2 alpha=0.5 beta=-7 none=scalar other=null");
    const struct case_argument *self = case_argument_named(&test, "self");
    cr_assert_eq(test.arguments, 6);
    cr_assert(self && self->rank == 2 && self->dims[1] == 3 && self->strides[1] == 4 &&
              self->offset == 5 && self->dtype == CASE_F32 && self->format == CASE_NCHW);
    const struct case_argument *dims = case_argument_named(&test, "dims");
    cr_assert(dims && dims->rank == 2 && dims->dims[0] == -1 && dims->dims[1] == 2);
    cr_assert_eq(case_argument_named(&test, "alpha")->real, 0.5);
    cr_assert(case_argument_named(&test, "alpha")->has_real);
    cr_assert_eq(case_argument_named(&test, "beta")->real, -7);
    cr_assert_eq(case_argument_named(&test, "beta")->dims[0], -7);
    cr_assert_eq(case_argument_named(&test, "none")->rank, 0);
    cr_assert(case_argument_named(&test, "other")->is_null);
    cr_assert_null(case_argument_named(&test, "out"));
    check_round_trip(&test);
}

Test(cases, what_is_printed_reads_back)
{
    struct random random = {7};
    for (int i = 0; i < 2000; i++) {
        struct test_case test = {.op = "max_pool", .pad_length = 1};
        test.dtype = (enum case_dtype)random_below(&random, CASE_DTYPES);
        test.batched = random_once_in(&random, 2);
        test.batch = test.batched ? random_below(&random, 9) : 1;
        test.channels = random_below(&random, 9);
        test.axes = (int)random_between(&random, 1, CASE_AXES);
        test.has_output = random_once_in(&random, 3);
        test.kernel_length = random_once_in(&random, 2) ? 1 : test.axes;
        test.stride_length = (int)random_between(&random, CASE_NO_ARRAY, 1);
        test.pad_length = random_once_in(&random, 2) ? 1 : test.axes;
        test.pad_end_length = random_once_in(&random, 2) ? test.axes : CASE_NO_ARRAY;
        test.dilation_length = (int)random_between(&random, CASE_EMPTY_ARRAY, 1);
        for (int j = 0; j < test.axes; j++) {
            test.input[j] = random_below(&random, 99);
            if (test.has_output) test.output[j] = random_below(&random, 99);
            if (j < test.kernel_length) test.kernel[j] = random_between(&random, -9, 9);
            if (j < test.stride_length) test.stride[j] = random_between(&random, -9, 9);
            if (j < test.pad_length) test.pad[j] = random_between(&random, -9, 9);
            if (j < test.pad_end_length) test.pad_end[j] = random_between(&random, -9, 9);
            if (j < test.dilation_length) test.dilation[j] = random_between(&random, -9, 9);
        }
        test.ceil = random_once_in(&random, 2);
        test.exclude_pad = random_once_in(&random, 2);
        test.divisor = (int64_t)random_next(&random);
        test.math = (int)random_between(&random, -128, 127);
        test.auto_pad = (int)random_between(&random, -1, 4);
        test.storage_order = (int)random_between(&random, 0, 2);
        test.wide_indices = random_once_in(&random, 2);
        test.has_result_dtype = random_once_in(&random, 3);
        if (test.has_result_dtype)
            test.result_dtype = (enum case_dtype)random_below(&random, CASE_DTYPES);
        test.picks = (enum case_picks)random_below(&random, CASE_PICKS);
        test.format = (enum case_format)random_below(&random, CASE_FORMATS);
        enum case_layout *layouts[] = {&test.x_layout, &test.dx_layout, &test.y_layout,
                                       &test.dy_layout, &test.i_layout};
        bool is_uniform = random_once_in(&random, 3);
        for (int j = 0; j < CASE_TENSORS; j++)
            *layouts[j] = (enum case_layout)(is_uniform ? i % CASE_LAYOUTS
                                                        : random_below(&random, CASE_LAYOUTS));
        test.offset = random_below(&random, 50);
        test.data = (enum case_data)random_below(&random, CASE_DATA);
        test.seed = random_next(&random) >> 1;
        if (random_once_in(&random, 2)) strcpy(test.name, "some-name");
        check_round_trip(&test);
    }
}

Test(cases, the_files_of_the_tree_can_be_read)
{
    size_t count;
    struct test_case *cases = case_load(case_path("avg_pool2d_backward.txt"), &count);
    cr_assert(cases != NULL && count > 100);
    for (size_t i = 0; i < count; i++)
        check_round_trip(&cases[i]);
    free(cases);
}

/* ---- oracle ---- */

Test(oracle, output_extents_of_the_contract)
{
    cr_assert_eq(oracle_output_extent(8, 3, 2, 1, false), 4);
    cr_assert_eq(oracle_output_extent(8, 3, 2, 1, true), 5);
    cr_assert_eq(oracle_output_extent(7, 3, 2, 1, false), 4);
    cr_assert_eq(oracle_output_extent(7, 3, 2, 1, true), 4);
    cr_assert_eq(oracle_output_extent(4, 2, 3, 1, true), 2);
}

/* With a gradient of ones, one axis and windows that do not overlap, 1 / dx is the divisor. */
static void check_divisors(const char *line, const int *want, int count)
{
    struct test_case test = parse(line);
    struct case_window axis = case_window(&test, 0);
    cr_assert_eq(axis.output, count, "%s", line);
    for (int w = 0; w < count; w++) {
        double dy[16] = {0};
        struct oracle_sum dx[16];
        dy[w] = 1;
        oracle_avg_pool_backward(&test, dy, dx);
        struct oracle_span span = oracle_span(&axis, w);
        for (int64_t i = 0; i < axis.input; i++) {
            bool inside = i >= span.begin && i < span.end;
            cr_assert_eq(dx[i].terms > 0 && dx[i].value != 0, inside, "%s: %d", line, w);
            if (inside) cr_assert_float_eq(1 / dx[i].value, want[w], 1e-12, "%s: %d", line, w);
        }
    }
}

Test(oracle, divisors_of_the_contract)
{
    check_divisors("a f32 c1 8 k3 s2 p1 ceil", (int[]){3, 3, 3, 3, 2}, 5);
    check_divisors("a f32 c1 8 k3 s2 p1 ceil exclude_pad", (int[]){2, 3, 3, 3, 1}, 5);
    check_divisors("a f32 c1 5 k2 s2 ceil", (int[]){2, 2, 1}, 3);
    check_divisors("a f32 c1 8 k3 s2 p1 ceil divisor=-9", (int[]){-9, -9, -9, -9, -9}, 5);
}

Test(oracle, backward_is_the_adjoint_of_forward)
{
    static const char *const lines[] = {
        "a f32 n2c3 9 k4 s3 p2 ceil",
        "a f32 n2c3 9x7 k4x2 s3x1 p2x1 ceil exclude_pad",
        "a f32 c2 5x6x7 k3x2x4 s1x2x3 p1x0x2",
        "a f32 c2 5x6x7 k3 s2 p1 divisor=5",
    };
    struct random random = {3};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct test_case test = parse(lines[i]);
        int64_t inputs = case_input_elements(&test), outputs = case_output_elements(&test);
        double x[600], y[600], dy[600], left = 0, right = 0;
        struct oracle_sum dx[600];
        cr_assert(inputs <= 600 && outputs <= 600);
        for (int64_t j = 0; j < inputs; j++)
            x[j] = random_unit(&random);
        for (int64_t j = 0; j < outputs; j++)
            dy[j] = random_unit(&random);
        oracle_avg_pool(&test, x, y);
        oracle_avg_pool_backward(&test, dy, dx);
        for (int64_t j = 0; j < outputs; j++)
            left += dy[j] * y[j];
        for (int64_t j = 0; j < inputs; j++)
            right += dx[j].value * x[j];
        cr_assert_float_eq(left, right, 1e-10, "%s", lines[i]);
    }
}

Test(oracle, f32_rounding_is_the_processors)
{
    struct random random = {5};
    for (int i = 0; i < 100000; i++) {
        double value = ldexp(random_unit(&random), (int)random_between(&random, -160, 129));
        cr_assert_eq(oracle_round(CASE_F32, value), (double)(float)value, "%a", value);
    }
}

Test(oracle, bits_of_half_types_come_back)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        for (int dtype = CASE_F16; dtype <= CASE_BF16; dtype++) {
            double value = oracle_from_bits((enum case_dtype)dtype, bits);
            uint32_t again = oracle_to_bits((enum case_dtype)dtype, value);
            if (isnan(value))
                cr_assert(isnan(oracle_from_bits((enum case_dtype)dtype, again)));
            else
                cr_assert_eq(again, bits, "%x %a %x", bits, value, again);
        }
    }
}

Test(oracle, bf16_is_the_upper_half_of_f32)
{
    struct random random = {6};
    for (int i = 0; i < 100000; i++) {
        uint32_t bits = (uint32_t)random_next(&random);
        float value;
        memcpy(&value, &bits, 4);
        if (isnan(value)) continue;
        uint32_t nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        cr_assert_eq(oracle_to_bits(CASE_BF16, (double)value), nearest, "%x", bits);
        cr_assert_eq(oracle_to_bits(CASE_F32, (double)value), bits, "%x", bits);
    }
}

Test(oracle, hf32_adds_half_and_cuts)
{
    struct random random = {6};
    for (int i = 0; i < 100000; i++) {
        uint32_t bits = (uint32_t)random_next(&random);
        if (random_once_in(&random, 4)) bits = (bits & ~0xfffu) | 0x800; /* ties */
        float value, rounded;
        memcpy(&value, &bits, 4);
        if (isnan(value) || isinf(value)) continue;
        uint32_t want = (bits + 0x800) & ~0xfffu;
        memcpy(&rounded, &want, 4);
        cr_assert_eq(oracle_round_hf32((double)value), (double)rounded, "%x", bits);
    }
    cr_assert(isnan(oracle_round_hf32((double)NAN)));
    cr_assert_eq(oracle_round_hf32((double)-INFINITY), (double)-INFINITY);
}

Test(oracle, f16_numbers_of_the_standard)
{
    cr_assert_eq(oracle_largest(CASE_F16), 65504);
    cr_assert_eq(oracle_round(CASE_F16, 65519.99), 65504);
    cr_assert(isinf(oracle_round(CASE_F16, 65520)));
    cr_assert_eq(oracle_round(CASE_F16, 0x1p-25), 0);
    cr_assert_eq(oracle_round(CASE_F16, 0x1.8p-25), 0x1p-24);
    cr_assert_eq(oracle_round(CASE_F16, 2049), 2048);
    cr_assert_eq(oracle_round(CASE_F16, 2051), 2052);
    cr_assert_eq(oracle_ulp(CASE_F16, 1), 0x1p-10);
    cr_assert_eq(oracle_ulp(CASE_F32, 0), 0x1p-149);
}

Test(oracle, operands_follow_the_math_type)
{
    double value = 1 + 0x1p-12 + 0x1p-20;
    cr_assert_eq(oracle_operand(CASE_F32, 0, value), value);
    cr_assert_eq(oracle_operand(CASE_F32, 1, value), 1 + 0x1p-11);
    cr_assert_eq(oracle_operand(CASE_F32, 3, value), 1 + 0x1p-11);
    cr_assert_eq(oracle_operand(CASE_F32, 2, value), 1);
    cr_assert(isinf(oracle_operand(CASE_BF16, 2, 0x1p17)));
    cr_assert_eq(oracle_operand(CASE_BF16, 3, 0x1p17), 0x1p17);
    cr_assert_eq(oracle_operand(CASE_F16, 2, 0x1p-24), 0x1p-24);
}

/* ---- windows, bins, types ---- */

Test(oracle, windows_with_dilation_and_two_paddings)
{
    struct test_case test = parse("a f32 c1 9 k3 s2 p1 q2 d2");
    struct case_window axis = case_window(&test, 0);
    cr_assert(axis.pad == 1 && axis.pad_end == 2 && axis.dilation == 2);
    cr_assert_eq(axis.output, (9 + 1 + 2 - 2 * 2 - 1) / 2 + 1);
    struct oracle_span first = oracle_span(&axis, 0), last = oracle_span(&axis, 3);
    cr_assert(first.begin == 1 && first.end == 4 && first.taps == 2 && first.padded == 3);
    cr_assert(last.begin == 5 && last.end == 8 && last.taps == 2 && last.padded == 3);
    test = parse("a f32 c1 9 k3 s2 p1 qnull d2");
    cr_assert_eq(case_window(&test, 0).pad_end, 0);
    test = parse("max_pool f32 c1 9 k3 p1");
    cr_assert(case_window(&test, 0).stride == 1 && case_window(&test, 0).pad_end == 1);
}

/* The padding that makes ceil(I / s) windows, the odd cell last or first. */
Test(oracle, automatic_padding)
{
    struct test_case upper = parse("a f32 c1 8 k4 s1 p3 auto=1");
    struct test_case lower = parse("a f32 c1 8 k4 s1 p3 auto=2");
    struct test_case valid = parse("a f32 c1 8 k4 s1 p3 auto=3");
    struct case_window axis = case_window(&upper, 0);
    cr_assert(axis.pad == 1 && axis.pad_end == 2 && axis.output == 8);
    axis = case_window(&lower, 0);
    cr_assert(axis.pad == 2 && axis.pad_end == 1 && axis.output == 8);
    axis = case_window(&valid, 0);
    cr_assert(axis.pad == 0 && axis.pad_end == 0 && axis.output == 5);
    for (int input = 1; input < 30; input++) {
        for (int code = 0; code < 5 * 5 * 4; code++) {
            upper.input[0] = input;
            upper.kernel[0] = code % 5 + 1;
            upper.stride[0] = code / 5 % 5 + 1;
            upper.dilation_length = 1;
            upper.dilation[0] = code / 25 + 1;
            axis = case_window(&upper, 0);
            cr_assert_eq(axis.output, (input + axis.stride - 1) / axis.stride);
            cr_assert(axis.pad_end - axis.pad == 0 || axis.pad_end - axis.pad == 1);
        }
    }
}

Test(oracle, bins_of_the_contract)
{
    static const int64_t want[][4] = {
        /* input, output: begin, end of each */
        {5, 3, 0, 2}, {5, 3, 1, 4}, {5, 3, 3, 5}, {3, 5, 0, 1}, {3, 5, 0, 2}, {3, 5, 1, 2},
        {3, 5, 1, 3}, {3, 5, 2, 3}, {7, 4, 0, 2}, {7, 4, 1, 4}, {7, 4, 3, 6}, {7, 4, 5, 7},
    };
    int64_t i = 0;
    for (size_t row = 0; row < sizeof want / sizeof want[0]; row++, i++) {
        if (row > 0 && want[row][0] != want[row - 1][0]) i = 0;
        struct oracle_span bin = oracle_bin(want[row][0], want[row][1], i);
        cr_assert(bin.begin == want[row][2] && bin.end == want[row][3] &&
                      bin.taps == bin.end - bin.begin,
                  "row %zu", row);
    }
}

/* Taps come in row-major order: 15 is (2, 3) of a plane 4 x 6. */
Test(oracle, taps_of_a_window)
{
    struct test_case test = parse("a f32 c1 4x6 k2 s2x3 d1x2");
    struct oracle_problem problem = oracle_problem_of(&test);
    struct oracle_box box = oracle_box_of(&problem, 3);
    static const int64_t offsets[] = {15, 17, 21, 23};
    int count = 0;
    for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
        cr_assert_eq(tap.offset, offsets[count++]);
    cr_assert_eq(count, 4);
}

Test(oracle, integers_saturate_and_come_back)
{
    cr_assert_eq(oracle_to_bits(CASE_I8, -3), 0xFDu);
    cr_assert_eq(oracle_to_bits(CASE_I8, 200), 0x7Fu);
    cr_assert_eq(oracle_to_bits(CASE_U8, -3), 0u);
    cr_assert_eq(oracle_to_bits(CASE_I32, -2.9), 0xFFFFFFFEu);
    cr_assert_eq(oracle_to_bits(CASE_I64, 0x1p63), (uint64_t)INT64_MAX);
    cr_assert_eq(oracle_to_bits(CASE_I64, -0x1p63), (uint64_t)INT64_MIN);
    cr_assert_eq(oracle_from_bits(CASE_I16, 0xFFFF), -1);
    cr_assert_eq(oracle_from_bits(CASE_U16, 0xFFFF), 65535);
    cr_assert_eq(oracle_integer(CASE_I64, ~UINT64_C(0)), -1);
    cr_assert(oracle_greater(CASE_I64, (uint64_t)INT64_MAX, (uint64_t)INT64_MAX - 1));
    cr_assert(oracle_greater(CASE_I8, 1, 0xFF) && !oracle_greater(CASE_U8, 1, 0xFF));
}

Test(oracle, doubles_are_the_processors)
{
    struct random random = {8};
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = random_next(&random);
        double value;
        memcpy(&value, &bits, 8);
        if (isnan(value)) continue;
        cr_assert_eq(oracle_from_bits(CASE_F64, bits), value, "%" PRIx64, bits);
        cr_assert_eq(oracle_to_bits(CASE_F64, value), bits, "%" PRIx64, bits);
    }
}

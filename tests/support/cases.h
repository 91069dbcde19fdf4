/* SPDX-License-Identifier: Apache-2.0 */
/* The case language: one problem per line, read by tests, bench and fuzz alike.
 *
 *     avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 ceil exclude_pad divisor=7 nhwc
 *
 * operator, dtype (f32 f16 bf16), shape (n2c19; c19 alone is the unbatched form), input extents
 * (one to three: 64, 35x41, 8x35x41), then in any order: k3 k3x5       kernel, as an array of that
 * length; required s2 s2x1       stride; absent: an array of length 0; snull: no array p1 p1x2
 * padding; absent: p0 ceil          ceilMode exclude_pad   countIncludePad is false divisor=N
 * divisorOverride, absent: 0 math=N        cubeMathType, absent: 0 o4x5          extents of the
 * output (gradOutput), absent: what the formula gives nhwc, strided, broadcast     layout of both
 * tensors; dy=... and dx=... for one of them offset=N      elements before the first one of each
 * tensor data=special  NaN, Inf and huge values among the data; data=huge: values near the largest
 *     seed=N        of the data and of the strides of `strided`
 *     name=WORD     what the bench calls it
 * A # starts a comment. case_print writes the same problem back, defaults left out. */
#ifndef ACLNN_CPU_TESTS_CASES_H
#define ACLNN_CPU_TESTS_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_AXES = 3, CASE_WORD = 48, CASE_LINE = 512 };

enum case_dtype { CASE_F32, CASE_F16, CASE_BF16, CASE_DTYPES };

enum case_layout {
    CASE_CONTIGUOUS,
    CASE_CHANNELS_LAST, /* channels innermost, the descriptor still channels first */
    CASE_STRIDED,       /* axes in any order with gaps, chosen by the seed */
    CASE_BROADCAST,     /* some strides are 0, chosen by the seed; inputs only */
    CASE_LAYOUTS
};

enum case_data { CASE_PLAIN, CASE_SPECIAL, CASE_HUGE, CASE_DATA };

enum { CASE_NO_ARRAY = -1 }; /* length of an array that is a null pointer */

struct test_case {
    char op[CASE_WORD];
    char name[CASE_WORD]; /* "" when absent */
    enum case_dtype dtype;
    bool batched;
    int64_t batch, channels; /* batch is 1 when not batched */
    int axes;                /* spatial axes, 1 to 3 */
    int64_t input[CASE_AXES];
    int64_t output[CASE_AXES]; /* when has_output */
    bool has_output;
    /* Attribute arrays as the user passes them. */
    int kernel_length, stride_length, pad_length;
    int64_t kernel[CASE_AXES], stride[CASE_AXES], pad[CASE_AXES];
    bool ceil, exclude_pad;
    int64_t divisor;
    int math;
    enum case_layout dy_layout, dx_layout;
    int64_t offset;
    enum case_data data;
    uint64_t seed;
};

/* Reads one line. On failure returns false and writes a sentence to error. */
bool case_parse(const char *line, struct test_case *out, char *error, size_t error_size);

/* Writes the line of a case, without a newline; returns line. */
char *case_print(const struct test_case *test, char line[CASE_LINE]);

/* All cases of a text file, in order; release with free. NULL, and a message with file and line on
 * stderr, when it cannot be read or a line is wrong. */
struct test_case *case_load(const char *path, size_t *count);

/* Path of a file of tests/cases: below $ACLNN_TEST_CASES, else below the source tree it was built
 * from. */
const char *case_path(const char *file);

/* The window of one axis with arrays of length 1 and absent strides spread out. */
struct case_window {
    int64_t input, output, kernel, stride, pad;
};
struct case_window case_window(const struct test_case *test, int axis);

/* Elements of gradOutput and of gradInput; extents must not overflow. */
int64_t case_output_elements(const struct test_case *test);
int64_t case_input_elements(const struct test_case *test);

const char *case_dtype_name(enum case_dtype dtype);

#endif

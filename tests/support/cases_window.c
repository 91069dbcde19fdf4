/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a case: its windows and how many elements its sides have. */
#include <string.h>

#include "tests/support/cases.h"
#include "tests/support/oracle.h"

/* The operator whose stride is 1, not the kernel, when its array is empty. */
static const char unit_stride[] = "max_pool";

/* Entry of an axis; `absent` when there is no list. */
static int64_t entry(const int64_t *values, int length, int axis, int64_t absent)
{
    if (length <= 0) return absent;
    return values[length > 1 ? axis : 0];
}

static int64_t stride_when_absent(const struct test_case *test, int64_t kernel)
{
    return strcmp(test->op, unit_stride) == 0 ? 1 : kernel;
}

struct case_window case_window(const struct test_case *test, int axis)
{
    struct case_window window = {
        .input = test->input[axis],
        .kernel = entry(test->kernel, test->kernel_length, axis, 0),
        .pad = entry(test->pad, test->pad_length, axis, 0),
        .dilation = entry(test->dilation, test->dilation_length, axis, 1),
    };
    int64_t stride = stride_when_absent(test, window.kernel);
    int64_t pad_end = test->pad_end_length == 0 ? window.pad : 0;
    window.stride = entry(test->stride, test->stride_length, axis, stride);
    window.pad_end = entry(test->pad_end, test->pad_end_length, axis, pad_end);
    if (test->auto_pad != 0 && window.kernel > 0) oracle_auto_pad(&window, test->auto_pad);
    window.output =
        test->has_output ? test->output[axis] : oracle_window_count(&window, test->ceil);
    return window;
}

int64_t case_output_elements(const struct test_case *test)
{
    int64_t product = test->batch * test->channels;
    for (int i = 0; i < test->axes; i++)
        product *= case_window(test, i).output;
    return product;
}

int64_t case_input_elements(const struct test_case *test)
{
    int64_t product = test->batch * test->channels;
    for (int i = 0; i < test->axes; i++)
        product *= test->input[i];
    return product;
}

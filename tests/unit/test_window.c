/* SPDX-License-Identifier: Apache-2.0 */
/* How many windows an axis has, against the documented formula written out. */
#include <criterion/criterion.h>

#include "acl/acl.h"
#include "api/op_window.h"

static int64_t floor_of(int64_t dividend, int64_t divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

/* O = floor(E / s) + 1; with ceil_mode O = ceil(E / s) + 1, less 1 if (O - 1) s >= I + pad_begin.
 */
static int64_t by_the_formula(const struct op_window *window, int64_t input)
{
    const int axis = K_POOL_AXES - 1;
    const int64_t stride = window->stride[axis], before = input + window->pad_begin[axis];
    const int64_t rest =
        before + window->pad_end[axis] - window->dilation[axis] * (window->kernel[axis] - 1) - 1;
    int64_t count = floor_of(rest + (window->ceil_mode ? stride - 1 : 0), stride) + 1;
    if (window->ceil_mode && (count - 1) * stride >= before) count--;
    return count > 0 ? count : 0;
}

Test(window, counts_by_the_formula)
{
    const int axis = K_POOL_AXES - 1;
    struct op_window window = {.axes = 1};
    for (int64_t choice = 0; choice < 5 * 5 * 3 * 4 * 9 * 2; choice++) {
        int64_t rest = choice;
        window.kernel[axis] = 1 + rest % 5, rest /= 5;
        window.stride[axis] = 1 + rest % 5, rest /= 5;
        window.dilation[axis] = 1 + rest % 3, rest /= 3;
        window.pad_begin[axis] = rest % 4, rest /= 4;
        window.pad_end[axis] = rest % 9, rest /= 9;
        window.ceil_mode = rest;
        for (int64_t input = 0; input < 12; input++) {
            int64_t count;
            cr_assert(op_window_count(&window, axis, input, &count));
            cr_assert_eq(count, by_the_formula(&window, input),
                         "input %d kernel %d stride %d dilation %d pads %d %d ceil %d: %d for %d",
                         (int)input, (int)window.kernel[axis], (int)window.stride[axis],
                         (int)window.dilation[axis], (int)window.pad_begin[axis],
                         (int)window.pad_end[axis], window.ceil_mode, (int)count,
                         (int)by_the_formula(&window, input));
        }
    }
}

Test(window, counts_at_the_ends_of_64_bits)
{
    const int axis = 0;
    struct op_window window = {.axes = K_POOL_AXES,
                               .kernel = {1, 1, 1},
                               .stride = {1, 1, 1},
                               .dilation = {1, 1, 1},
                               .ceil_mode = true};
    int64_t count;
    cr_assert(op_window_count(&window, axis, INT64_MAX, &count));
    cr_assert_eq(count, INT64_MAX);
    window.stride[axis] = INT64_MAX;
    cr_assert(op_window_count(&window, axis, INT64_MAX, &count));
    cr_assert_eq(count, 1);
    window.kernel[axis] = INT64_MAX;
    cr_assert(op_window_count(&window, axis, 0, &count));
    cr_assert_eq(count, 0);
    window.pad_end[axis] = 1;
    cr_assert_not(op_window_count(&window, axis, INT64_MAX, &count));
    window.dilation[axis] = 2;
    cr_assert_not(op_window_count(&window, axis, 1, &count));
}

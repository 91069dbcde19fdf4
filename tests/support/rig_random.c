/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rig_random.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/oracle.h"

enum { MOST_WORK = 40000, MOST_ELEMENTS = 2500 };

static int64_t random_kernel(struct random *random)
{
    return random_once_in(random, 16) ? random_between(random, 9, 24)
                                      : random_between(random, 1, 6);
}

static int64_t random_divisor(struct random *random)
{
    static const int64_t odd[] = {
        1, -1, 255, -256, 1000003, INT64_MAX, INT64_MIN, (int64_t)1 << 40, -((int64_t)1 << 33) - 1};
    if (random_once_in(random, 3)) return odd[random_below(random, sizeof odd / sizeof odd[0])];
    return random_between(random, 1, 40) * (random_once_in(random, 2) ? 1 : -1);
}

static int one_or_all(struct random *random, int axes)
{
    return random_once_in(random, 2) ? 1 : axes;
}

/* The smallest kernel (dilated, when that counts) among the axes that an entry holds for. */
static int64_t min_kernel(const struct test_case *test, int entry, int length, unsigned traits)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < test->axes; i++) {
        if (length > 1 && i != entry) continue;
        struct case_window window = case_window(test, i);
        int64_t size = window.kernel;
        if (traits & RIG_EFFECTIVE_PADS) size = (size - 1) * window.dilation + 1;
        if (size < least) least = size;
    }
    return least;
}

static void random_pads(struct random *random, struct test_case *test, unsigned traits)
{
    const bool own_ends = traits & RIG_END_PADS && !random_once_in(random, 3);
    test->pad_length = one_or_all(random, test->axes);
    for (int i = 0; i < test->pad_length; i++) {
        int64_t most = min_kernel(test, i, test->pad_length, traits);
        if (!own_ends || random_once_in(random, 2)) most /= 2; /* else up to a whole window */
        test->pad[i] = random_once_in(random, 3) ? 0 : random_between(random, 0, most);
    }
    if (!own_ends) return;
    test->pad_end_length = test->axes;
    for (int i = 0; i < test->axes; i++) {
        int64_t most = min_kernel(test, i, test->axes, traits) - case_window(test, i).pad;
        if (traits & RIG_FAR_END_PADS && random_once_in(random, 4)) most += 12;
        test->pad_end[i] = random_once_in(random, 3) ? 0 : random_between(random, 0, most);
    }
}

static void random_inputs(struct random *random, struct test_case *test, unsigned traits)
{
    for (int i = 0; i < test->axes; i++) {
        struct case_window window = case_window(test, i);
        int64_t reach = (window.kernel - 1) * window.dilation + 1;
        int64_t pads = test->auto_pad ? 0 : window.pad + window.pad_end;
        int64_t least = traits & RIG_KERNEL_FITS ? reach : reach - pads;
        test->input[i] =
            (least > 0 ? least : 1) + random_below(random, random_once_in(random, 6) ? 50 : 10);
    }
}

static void random_arrays(struct random *random, struct test_case *test, unsigned traits)
{
    test->kernel_length = one_or_all(random, test->axes);
    for (int i = 0; i < test->kernel_length; i++)
        test->kernel[i] = random_kernel(random);
    test->stride_length = random_once_in(random, 3) ? 0 : one_or_all(random, test->axes);
    if (traits & RIG_NULL_STRIDE && random_once_in(random, 6)) test->stride_length = CASE_NO_ARRAY;
    for (int i = 0; i < test->stride_length; i++)
        test->stride[i] = random_between(random, 1, random_once_in(random, 4) ? 9 : 4);
    if (traits & RIG_DILATION && random_once_in(random, 2)) {
        test->dilation_length = one_or_all(random, test->axes);
        for (int i = 0; i < test->dilation_length; i++)
            test->dilation[i] = random_between(random, 1, random_once_in(random, 5) ? 7 : 3);
    }
    random_pads(random, test, traits);
    if (traits & RIG_AUTO_PAD && random_once_in(random, 3))
        test->auto_pad = (int)random_between(random, 1, 3);
    random_inputs(random, test, traits);
}

static enum case_layout random_layout(struct random *random)
{
    int64_t choice = random_below(random, 12);
    if (choice < 6) return CASE_CONTIGUOUS;
    if (choice < 8) return CASE_CHANNELS_LAST;
    return choice < 11 ? CASE_STRIDED : CASE_BROADCAST;
}

static void random_layouts(struct random *random, struct test_case *test)
{
    enum case_layout *all[] = {&test->x_layout, &test->dx_layout, &test->y_layout, &test->dy_layout,
                               &test->i_layout};
    enum case_layout one = random_layout(random);
    bool is_uniform = random_once_in(random, 2);
    for (int i = 0; i < CASE_TENSORS; i++)
        *all[i] = is_uniform ? one : random_layout(random);
    test->offset = random_once_in(random, 4) ? random_between(random, 1, 20) : 0;
}

static void random_format(struct random *random, struct test_case *test, unsigned traits)
{
    if (traits & RIG_ND_FORMAT && random_once_in(random, 5)) test->format = CASE_ND;
    if (traits & RIG_LAST_FORMAT && random_once_in(random, 3)) /* there is no NLC */
        test->format = test->axes == 3 ? CASE_NDHWC : test->axes == 2 ? CASE_NHWC : CASE_ND;
}

static void random_options(struct random *random, struct test_case *test, unsigned traits)
{
    if (!(traits & RIG_DENSE)) random_layouts(random, test);
    random_format(random, test, traits);
    if (traits & RIG_EXCLUDE_PAD) test->exclude_pad = random_once_in(random, 2);
    if (traits & RIG_DIVISOR && random_once_in(random, 3)) test->divisor = random_divisor(random);
    if (traits & RIG_MATH && random_once_in(random, 2))
        test->math = (int)random_between(random, 1, 3);
    if (traits & RIG_WIDE_INDICES) test->wide_indices = random_once_in(random, 2);
    if (traits & RIG_ONLY_WIDE) test->wide_indices = true;
    if (traits & RIG_ANY_PICKS && random_once_in(random, 3)) test->picks = CASE_ANY;
    if (random_once_in(random, 6)) test->data = CASE_SPECIAL;
    if (random_once_in(random, 12)) test->data = CASE_HUGE;
    if (traits & RIG_TIES && random_once_in(random, 3)) test->data = CASE_TIES;
    test->seed = random_next(random) >> 33;
}

static struct test_case start(struct random *random, const char *word, enum case_dtype dtype,
                              int axes, unsigned traits)
{
    struct test_case test = {.dtype = dtype, .axes = axes, .batch = 1, .pad_length = 1};
    snprintf(test.op, sizeof test.op, "%s", word);
    test.batched = traits & RIG_BATCHED || !random_once_in(random, 4);
    if (test.batched) test.batch = random_between(random, 1, 3);
    test.channels =
        random_once_in(random, 4) ? random_between(random, 6, 40) : random_between(random, 1, 5);
    return test;
}

static bool small_enough(const struct test_case *test)
{
    double work = (double)(test->batch * test->channels), inputs = work, outputs = work;
    for (int i = 0; i < test->axes; i++) {
        struct case_window window = case_window(test, i);
        if (window.output < 1) return false;
        work *= (double)(window.output * (window.kernel > 0 ? window.kernel : 1));
        inputs *= (double)window.input;
        outputs *= (double)window.output;
    }
    return work <= MOST_WORK && inputs <= MOST_ELEMENTS && outputs <= MOST_ELEMENTS;
}

struct test_case rig_random_window(struct random *random, const char *word, enum case_dtype dtype,
                                   int axes, unsigned traits)
{
    struct test_case test;
    do {
        test = start(random, word, dtype, axes, traits);
        if (traits & RIG_CEIL) test.ceil = random_once_in(random, 2);
        random_arrays(random, &test, traits);
    } while (!small_enough(&test));
    random_options(random, &test, traits);
    return test;
}

static struct test_case free_extents(struct random *random, const char *word, enum case_dtype dtype,
                                     int axes, unsigned traits, bool is_unpool)
{
    struct test_case test;
    bool is_fitting;
    do {
        double large = 1, small = 1;
        test = start(random, word, dtype, axes, traits);
        test.has_output = true;
        int64_t most = random_once_in(random, 6) ? 40 : axes == 3 ? 8 : 14;
        for (int i = 0; i < axes; i++) {
            test.input[i] = random_between(random, 1, most);
            test.output[i] = random_between(random, 1, random_once_in(random, 4) ? most : 6);
            large *= (double)test.input[i];
            small *= (double)test.output[i];
        }
        is_fitting = !is_unpool || small <= large;
    } while (!is_fitting || !small_enough(&test));
    random_options(random, &test, traits);
    return test;
}

struct test_case rig_random_adaptive(struct random *random, const char *word, enum case_dtype dtype,
                                     int axes, unsigned traits)
{
    return free_extents(random, word, dtype, axes, traits, false);
}

struct test_case rig_random_unpool(struct random *random, const char *word, enum case_dtype dtype,
                                   int axes, unsigned traits)
{
    return free_extents(random, word, dtype, axes, traits, true);
}

struct test_case rig_random_global(struct random *random, const char *word, enum case_dtype dtype,
                                   unsigned traits)
{
    struct test_case test;
    do {
        int axes = (int)random_between(random, 2, CASE_AXES);
        test = start(random, word, dtype, axes, traits | RIG_BATCHED);
        test.has_output = true;
        for (int i = 0; i < axes; i++) {
            test.input[i] = random_between(random, 1, axes > 3 ? 4 : 14);
            test.output[i] = 1;
        }
    } while (!small_enough(&test));
    random_options(random, &test, traits);
    return test;
}

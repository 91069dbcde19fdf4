/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/oracle_conv.h"

#include <string.h>

static int64_t product(const int64_t *values)
{
    return values[0] * values[1] * values[2];
}

int64_t oracle_conv_large_count(const struct oracle_conv *conv)
{
    return conv->batch * conv->groups * conv->large_channels * product(conv->large);
}

int64_t oracle_conv_small_count(const struct oracle_conv *conv)
{
    return conv->batch * conv->groups * conv->small_channels * product(conv->small);
}

int64_t oracle_conv_weight_count(const struct oracle_conv *conv)
{
    return conv->groups * conv->small_channels * conv->large_channels * product(conv->kernel);
}

/* Offset in the plane of the large side of window `window`'s tap `tap`; -1: outside. */
static int64_t position(const struct oracle_conv *conv, int64_t window, int64_t tap)
{
    int64_t at[ORACLE_CONV_AXES];
    for (int axis = ORACLE_CONV_AXES - 1; axis >= 0; axis--) {
        const int64_t o = window % conv->small[axis], t = tap % conv->kernel[axis];
        window /= conv->small[axis];
        tap /= conv->kernel[axis];
        at[axis] = o * conv->stride[axis] - conv->pad[axis] + t * conv->dilation[axis];
        if (at[axis] < 0 || at[axis] >= conv->large[axis]) return -1;
    }
    return (at[0] * conv->large[1] + at[1]) * conv->large[2] + at[2];
}

/* One tap of one window, of all channels; `offset` is its place in the plane of the large side. */
static void add_tap(const struct oracle_conv *conv, const struct oracle_conv_values *v,
                    int64_t window, int64_t tap, int64_t offset)
{
    const int64_t windows = product(conv->small), plane = product(conv->large);
    const int64_t taps = product(conv->kernel);
    const int64_t pairs = conv->groups * conv->small_channels;
    for (int64_t n = 0; n < conv->batch; n++)
        for (int64_t m = 0; m < pairs; m++)
            for (int64_t c = 0; c < conv->large_channels; c++) {
                const int64_t group = n * conv->groups + m / conv->small_channels;
                const int64_t s = (n * pairs + m) * windows + window;
                const int64_t l = (group * conv->large_channels + c) * plane + offset;
                const int64_t w = (m * conv->large_channels + c) * taps + tap;
                if (v->to_small) oracle_add(&v->to_small[s], v->large[l] * v->weight[w]);
                if (v->to_large) oracle_add(&v->to_large[l], v->small[s] * v->weight[w]);
                if (v->to_weight) oracle_add(&v->to_weight[w], v->small[s] * v->large[l]);
            }
}

void oracle_conv(const struct oracle_conv *conv, const struct oracle_conv_values *v)
{
    const int64_t windows = product(conv->small), taps = product(conv->kernel);
    const size_t size = sizeof(struct oracle_sum);
    if (v->to_large) memset(v->to_large, 0, size * (size_t)oracle_conv_large_count(conv));
    if (v->to_small) memset(v->to_small, 0, size * (size_t)oracle_conv_small_count(conv));
    if (v->to_weight) memset(v->to_weight, 0, size * (size_t)oracle_conv_weight_count(conv));
    for (int64_t window = 0; window < windows; window++)
        for (int64_t tap = 0; tap < taps; tap++) {
            const int64_t offset = position(conv, window, tap);
            if (offset >= 0) add_tap(conv, v, window, tap, offset);
        }
}

void oracle_conv_bias(int64_t batch, int64_t channels, int64_t positions, const double *side,
                      struct oracle_sum *sums)
{
    memset(sums, 0, sizeof *sums * (size_t)channels);
    for (int64_t n = 0; n < batch; n++)
        for (int64_t channel = 0; channel < channels; channel++)
            for (int64_t i = 0; i < positions; i++)
                oracle_add(&sums[channel], *side++);
}

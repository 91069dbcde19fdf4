/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of an item of conv_outer, transposed or as they are, with the bias, rounded. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_STORE_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_STORE_H

#include "kernels/conv/conv_side.h"
#include "kernels/conv/outer_item.h"
#include "kernels/vector/transpose.h"

/* `count` results, `step` elements apart. */
K_TEMPLATE
void store_line_of(enum k_dtype dt, char *to, int64_t step, const float *from, int64_t count,
                   const float *bias, int64_t bias_step)
{
    for (int64_t i = 0; i < count; i += VL) {
        vf value = v_load(from + i);
        if (bias) value = value + (bias_step ? v_load(bias + i) : v_all(*bias));
        k_store_between(dt, to + i * step * k_size(dt), step, 0,
                        (int)(count - i < VL ? count - i : VL), value);
    }
}

static __attribute__((noinline)) void store_line(enum k_dtype dt, char *to, int64_t step,
                                                 const float *from, int64_t count,
                                                 const float *bias, int64_t bias_step)
{
    if (dt == K_F32)
        store_line_of(K_F32, to, step, from, count, bias, bias_step);
    else if (dt == K_F16)
        store_line_of(K_F16, to, step, from, count, bias, bias_step);
    else
        store_line_of(K_BF16, to, step, from, count, bias, bias_step);
}

/* Slots [first, first + count), which lie in one image, of one channel. */
static void store_slots(const struct outer_item *item, const struct k_conv_tensor *t, char *to,
                        int64_t first, int64_t count, const float *from, const float *bias)
{
    const int64_t size = pack_size(t->dtype), *extent = item->extent;
    const bool is_flat = t->axis[1] == extent[2] * t->axis[2];
    while (count > 0) {
        const int64_t w = first % extent[2], h = first / extent[2] % extent[1];
        const int64_t d = first / extent[2] / extent[1];
        int64_t some = (is_flat ? extent[1] - h : 1) * extent[2] - w;
        if (some > count) some = count;
        store_line(t->dtype, to + size * (d * t->axis[0] + h * t->axis[1] + w * t->axis[2]),
                   t->axis[2], from, some, bias, 0);
        first += some;
        from += some;
        count -= some;
    }
}

/* Channels of a panel of one image, transposed. */
static void store_planes(const struct outer_item *item, const struct k_conv_tensor *t, char *to,
                         const float *sums, int64_t rows, const float *bias, float *stage)
{
    const int64_t size = pack_size(t->dtype);
    const int64_t slots = item->extent[0] * item->extent[1] * item->extent[2];
    for (int64_t row = 0; row < rows; row += VL) {
        for (int64_t i = 0; i < slots; i += VL)
            transpose(sums + i * OUTER_PANEL + row, OUTER_PANEL, stage + i, OUTER_PITCH);
        for (int64_t r = 0; r < VL && row + r < rows; r++)
            store_slots(item, t, to + size * (row + r) * t->inner, 0, slots,
                        stage + r * OUTER_PITCH, bias ? bias + row + r : NULL);
    }
}

static __attribute__((unused)) void outer_store(const struct outer_item *item, int64_t panel,
                                                struct outer_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *t = conv->to_large ? &conv->large : &conv->small;
    const int64_t size = pack_size(t->dtype), left = item->rows - panel * OUTER_PANEL;
    const int64_t rows = left < OUTER_PANEL ? left : OUTER_PANEL, *extent = item->extent;
    const int64_t channel = item->group * conv_rows(conv) + (item->panel + panel) * OUTER_PANEL;
    _Alignas(64) float add[OUTER_PANEL] = {0};
    for (int64_t row = 0; conv->has_bias && row < rows; row++)
        add[row] = load_bias(conv, item->bias, channel + row);
    const float *value = conv->has_bias ? add : NULL;
    const float *sums = own->sums + panel * item->slots * OUTER_PANEL;
    for (int64_t n = 0; n < item->images; n++) {
        char *to = result_at(item, n, panel);
        if (t->inner != 1 || rows == 1) {
            store_planes(item, t, to, sums, rows, value, own->stage);
            sums += extent[0] * extent[1] * extent[2] * OUTER_PANEL;
            continue;
        }
        for (int64_t d = 0; d < extent[0]; d++)
            for (int64_t h = 0; h < extent[1]; h++)
                for (int64_t w = 0; w < extent[2]; w++, sums += OUTER_PANEL)
                    store_line(t->dtype,
                               to + size * (d * t->axis[0] + h * t->axis[1] + w * t->axis[2]), 1,
                               sums, rows, value, 1);
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* dx[i] = sum over windows w that contain i of dy[w] / size(w). */
#include <string.h>

#include "kernels/k_pool.h"
#include "kernels/simd/instance.h"

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static inline float from_f16(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    if (rest >= 0x7c00) return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    return float_of(sign | bits_of(float_of(rest << 13) * 0x1p112f));
}

static inline uint16_t to_f16(float value)
{
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (rest >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
    if (rest < 0x38800000) /* the sum with 0.5 rounds to a multiple of 2^-24 */
        return (uint16_t)(sign | (bits_of(float_of(rest) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13);
}

K_TEMPLATE
float load(enum k_dtype dt, const void *base, int64_t i)
{
    if (dt == K_F32) return ((const float *)base)[i];
    const uint16_t half = ((const uint16_t *)base)[i];
    return dt == K_F16 ? from_f16(half) : float_of((uint32_t)half << 16);
}

K_TEMPLATE
void store(enum k_dtype dt, void *base, int64_t i, float value)
{
    uint32_t bits = bits_of(value);
    if (dt == K_F32) {
        ((float *)base)[i] = value;
    } else if (dt == K_F16) {
        ((uint16_t *)base)[i] = to_f16(value);
    } else {
        const bool nan = (bits & 0x7fffffff) > 0x7f800000;
        bits = nan ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
        ((uint16_t *)base)[i] = (uint16_t)(bits >> 16);
    }
}

K_TEMPLATE
float rounded(enum k_dtype dt, enum k_rounding rounding, float value)
{
    const uint32_t bits = bits_of(value);
    if (rounding == K_ROUND_F16 && dt != K_F16) return from_f16(to_f16(value));
    if (rounding == K_ROUND_HF32 && dt == K_F32 && (bits & 0x7f800000) != 0x7f800000)
        return float_of((bits + 0x800) & ~0xfffU);
    return value;
}

static inline double extent(const struct k_pool *p, int axis, int64_t o)
{
    int64_t start = o * p->stride[axis] - p->pad_begin[axis], end = start + p->kernel[axis];
    int64_t limit = p->input[axis] + (p->count_padding ? p->pad_end[axis] : 0);
    if (end > limit) end = limit;
    if (!p->count_padding && start < 0) start = 0;
    return (double)(end - start);
}

static inline void windows(const struct k_pool *p, int axis, int64_t i, int64_t *low, int64_t *high)
{
    const int64_t q = i + p->pad_begin[axis], k = p->kernel[axis], s = p->stride[axis];
    *low = q < k ? 0 : (q - k) / s + 1;
    *high = q / s < p->output[axis] - 1 ? q / s : p->output[axis] - 1;
}

K_TEMPLATE
void avg_pool_grad(enum k_dtype dt, const struct k_pool *p, void *const buf[], struct k_slice slice)
{
    const void *dy = buf[K_AVG_POOL_GRAD_DY];
    void *dx = buf[K_AVG_POOL_GRAD_DX];
    for (int64_t row = slice.begin; row < slice.end; row++) {
        const int64_t h = row % p->input[1], d = row / p->input[1] % p->input[0];
        const int64_t outer = row / p->input[1] / p->input[0];
        int64_t d0, d1, h0, h1;
        windows(p, 0, d, &d0, &d1);
        windows(p, 1, h, &h0, &h1);
        for (int64_t i = 0; i < p->input[2] * p->channels; i++) {
            const int64_t w = i / p->channels, c = i % p->channels;
            int64_t w0, w1;
            windows(p, 2, w, &w0, &w1);
            float sum = 0;
            for (int64_t od = d0; od <= d1; od++)
                for (int64_t oh = h0; oh <= h1; oh++)
                    for (int64_t ow = w0; ow <= w1; ow++) {
                        const int64_t at =
                            ((outer * p->output[0] + od) * p->output[1] + oh) * p->output[2] + ow;
                        double size = p->divisor != 0
                                          ? (double)p->divisor
                                          : extent(p, 0, od) * extent(p, 1, oh) * extent(p, 2, ow);
                        sum += rounded(dt, p->rounding, load(dt, dy, at * p->channels + c)) *
                               (float)(1.0 / size);
                    }
            store(dt, dx, row * p->input[2] * p->channels + i, sum);
        }
    }
}

K_FLOATS(avg_pool_grad, struct k_pool)

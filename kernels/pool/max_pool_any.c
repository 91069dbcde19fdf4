/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling of every type, tap by tap. */
#include <math.h>

#include "kernels/pool/max_pool_plan.h"
#include "kernels/vector/instance.h"
#include "kernels/vector/select.h"

/* An element as the widest of its kind: the order of values is the same there. */
union any {
    double real;
    int64_t whole;
};

K_TEMPLATE
bool any_is_real(enum k_dtype dt)
{
    return dt == K_F32 || dt == K_F16 || dt == K_BF16 || dt == K_F64;
}

K_TEMPLATE
int64_t any_size(enum k_dtype dt)
{
    if (dt == K_I8 || dt == K_U8) return 1;
    if (dt == K_I16 || dt == K_U16 || dt == K_F16 || dt == K_BF16) return 2;
    return dt == K_I64 || dt == K_F64 ? 8 : 4;
}

K_TEMPLATE
union any any_load(enum k_dtype dt, const char *at)
{
    union {
        float f32;
        double f64;
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        int64_t i64;
    } bits;
    memcpy(&bits, at, (size_t)any_size(dt));
    if (dt == K_F32) return (union any){.real = bits.f32};
    if (dt == K_F64) return (union any){.real = bits.f64};
    if (any_is_real(dt)) return (union any){.real = v_from_half(dt, bits.u16 - (vh){0})[0]};
    if (dt == K_I8) return (union any){.whole = bits.i8};
    if (dt == K_U8) return (union any){.whole = bits.u8};
    if (dt == K_I16) return (union any){.whole = bits.i16};
    if (dt == K_U16) return (union any){.whole = bits.u16};
    return (union any){.whole = dt == K_I64 ? bits.i64 : bits.i32};
}

K_TEMPLATE
void any_lowest(enum k_dtype dt, char *to)
{
    const float single = -INFINITY;
    const double twice = -INFINITY;
    const uint16_t half = dt == K_F16 ? 0xfc00 : 0xff80;
    const int64_t lowest = dt == K_I64   ? INT64_MIN
                           : dt == K_I32 ? INT32_MIN
                           : dt == K_I16 ? INT16_MIN
                           : dt == K_I8  ? INT8_MIN
                                         : 0;
    if (dt == K_F32)
        memcpy(to, &single, sizeof single);
    else if (dt == K_F64)
        memcpy(to, &twice, sizeof twice);
    else if (dt == K_F16 || dt == K_BF16)
        memcpy(to, &half, sizeof half);
    else /* the lowest bytes of a little-endian number */
        memcpy(to, &lowest, (size_t)any_size(dt));
}

K_TEMPLATE
bool any_is_larger(enum k_dtype dt, union any value, union any best)
{
    return any_is_real(dt) ? value.real > best.real || value.real != value.real
                           : value.whole > best.whole;
}

/* One window: returns its cell, -1 if all of it is padding. */
K_TEMPLATE
int64_t any_window(enum k_dtype dt, const struct k_max_pool *p, const char *x, int64_t window)
{
    const int64_t ow = window % p->output[2], oh = window / p->output[2] % p->output[1];
    const int64_t od = window / p->output[2] / p->output[1];
    union any best = {.whole = 0};
    int64_t index = -1;
    for (int64_t jd = 0; jd < p->kernel[0]; jd++) {
        const int64_t d = od * p->stride[0] - p->pad[0] + jd * p->dilation[0];
        if (d < 0 || d >= p->input[0]) continue;
        for (int64_t jh = 0; jh < p->kernel[1]; jh++) {
            const int64_t h = oh * p->stride[1] - p->pad[1] + jh * p->dilation[1];
            if (h < 0 || h >= p->input[1]) continue;
            const int64_t row = (d * p->input[1] + h) * p->input[2];
            for (int64_t jw = 0; jw < p->kernel[2]; jw++) {
                const int64_t w = ow * p->stride[2] - p->pad[2] + jw * p->dilation[2];
                if (w < 0 || w >= p->input[2]) continue;
                const union any value = any_load(dt, x + (row + w) * p->channels * any_size(dt));
                if (index < 0 || any_is_larger(dt, value, best)) best = value, index = row + w;
            }
        }
    }
    return index;
}

K_TEMPLATE
void any_slice(enum k_dtype dt, const struct k_max_pool *p, void *const buf[], struct k_slice slice)
{
    const int64_t windows = p->output[0] * p->output[1] * p->output[2];
    const int64_t cells = p->input[0] * p->input[1] * p->input[2], size = any_size(dt);
    const char *x = buf[K_MAX_POOL_X];
    char *y = buf[K_MAX_POOL_Y];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const char *image = x + item / windows * cells * p->channels * size;
        for (int64_t c = 0; c < p->channels; c++) {
            const int64_t at = item * p->channels + c;
            const int64_t index = any_window(dt, p, image + c * size, item % windows);
            if (index < 0)
                any_lowest(dt, y + at * size);
            else
                memcpy(y + at * size, image + (index * p->channels + c) * size, (size_t)size);
            const int32_t narrow = (int32_t)index;
            if (p->index == K_INDEX_I32)
                memcpy((char *)buf[K_MAX_POOL_INDICES] + at * 4, &narrow, sizeof narrow);
            else if (p->index == K_INDEX_I64)
                memcpy((char *)buf[K_MAX_POOL_INDICES] + at * 8, &index, sizeof index);
        }
    }
}

k_fn K_SYMBOL(max_pool_any);

void K_SYMBOL(max_pool_any)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_max_pool *pool = parameters;
    switch (pool->dtype) {
#define ANY_TYPE(dt)                                                                               \
    case dt:                                                                                       \
        any_slice(dt, pool, buffers, slice);                                                       \
        break;
        ANY_TYPE(K_F32)
        ANY_TYPE(K_F16)
        ANY_TYPE(K_BF16)
        ANY_TYPE(K_F64)
        ANY_TYPE(K_I8)
        ANY_TYPE(K_U8)
        ANY_TYPE(K_I16)
        ANY_TYPE(K_U16)
        ANY_TYPE(K_I64)
#undef ANY_TYPE
    default:
        any_slice(K_I32, pool, buffers, slice);
        break;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with more optimisation than the rest (kernels/CMakeLists.txt): these loops are plain,
 * and the compiler's vectors are what they need. */
#include "kernels/loop/convert.h"

#include <string.h>

#include "kernels/vector/integers.h"
#include "kernels/vector/simd.h"

/* ---- elements of each type ---- */

K_TEMPLATE
int64_t size_of(enum k_dtype dt)
{
    switch (dt) {
    case K_I8:
    case K_U8:
    case K_BOOL:
        return 1;
    case K_F16:
    case K_BF16:
    case K_I16:
    case K_U16:
        return 2;
    case K_F64:
    case K_I64:
    case K_U64:
        return 8;
    default:
        return 4;
    }
}

union element {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
};

K_TEMPLATE
union element element_at(enum k_dtype dt, const char *from, int64_t i)
{
    union element element;
    memcpy(&element, from + i * size_of(dt), (size_t)size_of(dt));
    return element;
}

K_TEMPLATE
int64_t integer_of(enum k_dtype dt, union element element)
{
    switch (dt) {
    case K_I8:
        return element.i8;
    case K_U8:
        return element.u8;
    case K_BOOL:
        return element.u8 != 0;
    case K_I16:
        return element.i16;
    case K_U16:
        return element.u16;
    case K_I32:
        return element.i32;
    case K_U32:
        return element.u32;
    default:
        return element.i64;
    }
}

/* ---- to a compute type ---- */

K_TEMPLATE
bool is_small(enum k_dtype dt)
{
    return dt == K_BOOL || dt == K_I8 || dt == K_U8 || dt == K_I16 || dt == K_U16;
}

/* VL small integers, or the first `some` of them. */
K_TEMPLATE
vi load_some(enum k_dtype dt, const char *from, int64_t some)
{
    char block[VL * 2] = {0};
    if (some >= VL) return v_load_integers(dt, from);
    memcpy(block, from, (size_t)(some * size_of(dt)));
    return v_load_integers(dt, block);
}

K_TEMPLATE
void widen_as_i32(enum k_dtype dt, const char *from, int32_t *to, int64_t count)
{
    if (dt == K_I32) {
        memcpy(to, from, (size_t)count * sizeof *to);
    } else if (is_small(dt)) {
        int64_t i = 0;
        for (; i + VL <= count; i += VL)
            v_store((float *)(void *)(to + i), (vf)v_load_integers(dt, from + i * size_of(dt)));
        if (i == count) return;
        const vi rest = load_some(dt, from + i * size_of(dt), count - i);
        memcpy(to + i, &rest, (size_t)(count - i) * sizeof *to);
    } else {
        for (int64_t i = 0; i < count; i++)
            to[i] = (int32_t)integer_of(dt, element_at(dt, from, i));
    }
}

K_TEMPLATE
void widen_as_i64(enum k_dtype dt, const char *from, int64_t *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = integer_of(dt, element_at(dt, from, i));
}

K_TEMPLATE
void widen_f16_bf16(enum k_dtype dt, const char *from, float *to, int64_t count)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL)
        v_store(to + i, k_load(dt, from + i * 2));
    if (i == count) return;
    const vf rest = k_load_first(dt, from + i * 2, (int)(count - i));
    memcpy(to + i, &rest, (size_t)(count - i) * sizeof *to);
}

K_TEMPLATE
void widen_as_f32(enum k_dtype dt, const char *from, float *to, int64_t count)
{
    if (is_small(dt)) {
        int64_t i = 0;
        for (; i + VL <= count; i += VL)
            v_store(to + i,
                    __builtin_convertvector(v_load_integers(dt, from + i * size_of(dt)), vf));
        if (i == count) return;
        const vf rest =
            __builtin_convertvector(load_some(dt, from + i * size_of(dt), count - i), vf);
        memcpy(to + i, &rest, (size_t)(count - i) * sizeof *to);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const union element element = element_at(dt, from, i);
        if (dt == K_F64)
            to[i] = (float)element.f64;
        else if (dt == K_U64)
            to[i] = (float)element.u64;
        else if (dt == K_I64 || dt == K_U32)
            to[i] = (float)integer_of(dt, element);
        else
            to[i] = (float)(int32_t)integer_of(dt, element);
    }
}

K_TEMPLATE
void widen_as_f64(enum k_dtype dt, const char *from, double *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const union element element = element_at(dt, from, i);
        if (dt == K_F32)
            to[i] = (double)element.f32;
        else if (dt == K_U64)
            to[i] = (double)element.u64;
        else if (dt == K_I64 || dt == K_U32)
            to[i] = (double)integer_of(dt, element);
        else
            to[i] = (double)(int32_t)integer_of(dt, element);
    }
}

static void f16_bf16_as_f64(enum k_dtype dt, const char *from, double *to, int64_t count)
{
    float block[VL];
    for (int64_t i = 0; i < count; i += VL) {
        const int some = count - i < VL ? (int)(count - i) : VL;
        if (dt == K_F16)
            widen_f16_bf16(K_F16, from + i * 2, block, some);
        else
            widen_f16_bf16(K_BF16, from + i * 2, block, some);
        for (int j = 0; j < some; j++)
            to[i + j] = (double)block[j];
    }
}

/* A function per type, one line each: the type is a constant in it. */
#define EACH_INTEGER(one, body)                                                                    \
    one(K_I8, body) one(K_U8, body) one(K_BOOL, body) one(K_I16, body) one(K_U16, body)            \
        one(K_I32, body) one(K_U32, body) one(K_I64, body) one(K_U64, body)
#define CASE(dt, body)                                                                             \
    case dt:                                                                                       \
        body(dt, from, to, count);                                                                 \
        return;

static void to_f32(enum k_dtype dtype, const char *from, float *to, int64_t count)
{
    switch (dtype) {
        CASE(K_F16, widen_f16_bf16)
        CASE(K_BF16, widen_f16_bf16)
        CASE(K_F64, widen_as_f32)
        EACH_INTEGER(CASE, widen_as_f32)
    default:
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

static void to_f64(enum k_dtype dtype, const char *from, double *to, int64_t count)
{
    switch (dtype) {
    case K_F16:
    case K_BF16:
        f16_bf16_as_f64(dtype, from, to, count);
        return;
        CASE(K_F32, widen_as_f64)
        EACH_INTEGER(CASE, widen_as_f64)
    default:
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

static void to_i32(enum k_dtype dtype, const char *from, int32_t *to, int64_t count)
{
    switch (dtype) {
        EACH_INTEGER(CASE, widen_as_i32)
    default:
        break; /* floating numbers: never asked for */
    }
}

static void to_i64(enum k_dtype dtype, const char *from, int64_t *to, int64_t count)
{
    switch (dtype) {
        EACH_INTEGER(CASE, widen_as_i64)
    default:
        break;
    }
}

void k_widen(enum k_compute compute, enum k_dtype dtype, const char *from, void *to, int64_t count)
{
    if (compute == K_AS_F32)
        to_f32(dtype, from, to, count);
    else if (compute == K_AS_F64)
        to_f64(dtype, from, to, count);
    else if (compute == K_AS_I32)
        to_i32(dtype, from, to, count);
    else
        to_i64(dtype, from, to, count);
}

/* ---- from a compute type ---- */

/* The low bytes; of bool whether it is not 0. */
K_TEMPLATE
void put_integer(enum k_dtype dt, char *to, int64_t i, int64_t value)
{
    union element element = {.i64 = dt == K_BOOL ? value != 0 : value};
    if (size_of(dt) == 1) element.u8 = (uint8_t)element.i64;
    if (size_of(dt) == 2) element.u16 = (uint16_t)element.i64;
    if (size_of(dt) == 4) element.u32 = (uint32_t)element.i64;
    memcpy(to + i * size_of(dt), &element, (size_t)size_of(dt));
}

K_TEMPLATE
void narrow_i32(enum k_dtype dt, const int32_t *from, char *to, int64_t count)
{
    if (is_small(dt)) {
        char rest[VL * 2];
        vi value;
        int64_t i = 0;
        for (; i + VL <= count; i += VL) {
            memcpy(&value, from + i, sizeof value);
            v_store_integers(dt, to + i * size_of(dt), value);
        }
        if (i == count) return;
        value = (vi){0};
        memcpy(&value, from + i, (size_t)(count - i) * sizeof *from);
        v_store_integers(dt, rest, value);
        memcpy(to + i * size_of(dt), rest, (size_t)((count - i) * size_of(dt)));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        put_integer(dt, to, i, from[i]);
}

K_TEMPLATE
void narrow_i64(enum k_dtype dt, const int64_t *from, char *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        put_integer(dt, to, i, from[i]);
}

/* The least integer of a type, and the power of two above its greatest one. */
K_TEMPLATE
double least_of(enum k_dtype dt)
{
    const bool is_signed = dt == K_I8 || dt == K_I16 || dt == K_I32 || dt == K_I64;
    const double half = (double)(UINT64_C(1) << (8 * size_of(dt) - 1));
    return is_signed ? -half : 0;
}

K_TEMPLATE
double above_of(enum k_dtype dt)
{
    const double half = (double)(UINT64_C(1) << (8 * size_of(dt) - 1));
    return least_of(dt) < 0 ? half : 2 * half;
}

K_TEMPLATE
void narrow_f64_integer(enum k_dtype dt, const double *from, char *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const double value = from[i];
        int64_t bits = 0;
        if (dt == K_BOOL)
            bits = value != 0; /* a NaN is not 0 */
        else if (value >= above_of(dt))
            bits = least_of(dt) < 0 ? (int64_t)((UINT64_C(1) << (8 * size_of(dt) - 1)) - 1) : -1;
        else if (value <= least_of(dt))
            bits = (int64_t)least_of(dt);
        else if (value == value)
            bits = dt == K_U64 ? (int64_t)(uint64_t)value : (int64_t)value;
        put_integer(dt, to, i, bits);
    }
}

/* Rounded to the float of the two around it whose last bit is 1, unless it is one: to round that
 * once more to a half type is to round once. */
static float to_odd(double value)
{
    float nearest = (float)value;
    uint32_t bits;
    if ((double)nearest == value || value != value) return nearest;
    memcpy(&bits, &nearest, sizeof bits);
    if (bits & 1) return nearest;
    const bool is_above = (double)nearest > value, is_negative = value < 0;
    bits += is_above == is_negative ? 1 : (uint32_t)-1;
    memcpy(&nearest, &bits, sizeof nearest);
    return nearest;
}

K_TEMPLATE
void narrow_f16_bf16(enum k_dtype dt, const float *from, char *to, int64_t count)
{
    char rest[VL * 4];
    int64_t i = 0;
    for (; i + VL <= count; i += VL)
        k_store(dt, to + i * 2, v_load(from + i));
    if (i == count) return;
    k_store(dt, rest, k_load_first(K_F32, (const char *)(from + i), (int)(count - i)));
    memcpy(to + i * 2, rest, (size_t)(count - i) * 2);
}

static void f32_as_f16_bf16(enum k_dtype dtype, const float *from, char *to, int64_t count)
{
    if (dtype == K_F16)
        narrow_f16_bf16(K_F16, from, to, count);
    else
        narrow_f16_bf16(K_BF16, from, to, count);
}

static void f64_as_f16_bf16(enum k_dtype dtype, const double *from, char *to, int64_t count)
{
    float block[VL];
    for (int64_t i = 0; i < count; i += VL) {
        const int some = count - i < VL ? (int)(count - i) : VL;
        for (int j = 0; j < some; j++)
            block[j] = to_odd(from[i + j]);
        f32_as_f16_bf16(dtype, block, to + i * 2, some);
    }
}

/* Blocks by way of doubles, in which every float is exact. */
static void f32_by_f64(enum k_dtype dtype, const float *from, char *to, int64_t count)
{
    enum { BLOCK = 64 };
    double block[BLOCK];
    for (int64_t i = 0; i < count; i += BLOCK) {
        const int64_t some = count - i < BLOCK ? count - i : BLOCK;
        for (int64_t j = 0; j < some; j++)
            block[j] = (double)from[i + j];
        k_narrow(K_AS_F64, dtype, block, to + i * size_of(dtype), some);
    }
}

static void from_f32(enum k_dtype dtype, const float *from, char *to, int64_t count)
{
    switch (dtype) {
    case K_F32:
        memcpy(to, from, (size_t)count * sizeof *from);
        return;
    case K_F16:
    case K_BF16:
        f32_as_f16_bf16(dtype, from, to, count);
        return;
    case K_BOOL:
        for (int64_t i = 0; i < count; i++)
            to[i] = from[i] != 0;
        return;
    default:
        f32_by_f64(dtype, from, to, count);
    }
}

static void from_f64(enum k_dtype dtype, const double *from, char *to, int64_t count)
{
    switch (dtype) {
    case K_F16:
    case K_BF16:
        f64_as_f16_bf16(dtype, from, to, count);
        return;
    case K_F32:
        for (int64_t i = 0; i < count; i++) {
            const float value = (float)from[i];
            memcpy(to + i * 4, &value, sizeof value);
        }
        return;
        EACH_INTEGER(CASE, narrow_f64_integer)
    default:
        memcpy(to, from, (size_t)count * sizeof *from);
    }
}

/* An integer as a float that will be rounded once more to a half type: of the two around it the one
 * whose last bit is 1. */
static float odd_float_of(int64_t value)
{
    enum { FLOAT_BITS = 24, WIDE_BITS = 64 };
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (magnitude >> FLOAT_BITS != 0) {
        const int shift = WIDE_BITS - FLOAT_BITS - __builtin_clzll(magnitude);
        const uint64_t rest = magnitude & ((UINT64_C(1) << shift) - 1);
        magnitude = (magnitude >> shift | (rest != 0)) << shift;
    }
    return value < 0 ? -(float)magnitude : (float)magnitude;
}

static void i64_as_f16_bf16(enum k_dtype dtype, const int64_t *from, char *to, int64_t count)
{
    float block[VL];
    for (int64_t i = 0; i < count; i += VL) {
        const int some = count - i < VL ? (int)(count - i) : VL;
        for (int j = 0; j < some; j++)
            block[j] = odd_float_of(from[i + j]);
        f32_as_f16_bf16(dtype, block, to + i * 2, some);
    }
}

static void from_i64(enum k_dtype dtype, const int64_t *from, char *to, int64_t count)
{
    switch (dtype) {
    case K_F32:
        for (int64_t i = 0; i < count; i++) {
            const float value = (float)from[i];
            memcpy(to + i * 4, &value, sizeof value);
        }
        return;
    case K_F16:
    case K_BF16:
        i64_as_f16_bf16(dtype, from, to, count);
        return;
    case K_F64:
        for (int64_t i = 0; i < count; i++) {
            const double value = (double)from[i];
            memcpy(to + i * 8, &value, sizeof value);
        }
        return;
        EACH_INTEGER(CASE, narrow_i64)
    default:
        return;
    }
}

static void from_i32(enum k_dtype dtype, const int32_t *from, char *to, int64_t count)
{
    int64_t block[VL];
    switch (dtype) {
    case K_F32:
        for (int64_t i = 0; i < count; i++) {
            const float value = (float)from[i];
            memcpy(to + i * 4, &value, sizeof value);
        }
        return;
    case K_F64:
        for (int64_t i = 0; i < count; i++) {
            const double value = (double)from[i];
            memcpy(to + i * 8, &value, sizeof value);
        }
        return;
        EACH_INTEGER(CASE, narrow_i32)
    default: /* half types */
        for (int64_t i = 0; i < count; i += VL) {
            const int some = count - i < VL ? (int)(count - i) : VL;
            for (int j = 0; j < some; j++)
                block[j] = from[i + j];
            i64_as_f16_bf16(dtype, block, to + i * 2, some);
        }
        return;
    }
}

void k_narrow(enum k_compute compute, enum k_dtype dtype, const void *from, char *to, int64_t count)
{
    if (compute == K_AS_F32)
        from_f32(dtype, from, to, count);
    else if (compute == K_AS_F64)
        from_f64(dtype, from, to, count);
    else if (compute == K_AS_I32)
        from_i32(dtype, from, to, count);
    else
        from_i64(dtype, from, to, count);
}

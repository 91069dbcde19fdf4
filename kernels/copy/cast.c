/* SPDX-License-Identifier: Apache-2.0 */
/* to[i] = from[i] in another type: blocks of elements are widened to int64_t or float and narrowed
 * from there, so there is one loop per type and direction, not one per pair. */
#include <string.h>

#include "kernels/copy/k_cast.h"
#include "kernels/vector/simd.h"

enum { BLOCK = 256, FLOAT_BITS = 24, WIDE_BITS = 64 };

K_TEMPLATE
bool is_float(enum k_dtype type)
{
    return type == K_F32 || type == K_F16 || type == K_BF16;
}

static int element_size(enum k_dtype type)
{
    switch (type) {
    case K_I8:
    case K_U8:
    case K_BOOL:
        return 1;
    case K_F16:
    case K_BF16:
    case K_I16:
    case K_U16:
        return 2;
    case K_I64:
    case K_U64:
        return 8;
    default:
        return 4;
    }
}

#define WIDEN(type)                                                                                \
    for (int i = 0; i < count; i++) {                                                              \
        type value;                                                                                \
        memcpy(&value, from + (size_t)i * sizeof value, sizeof value);                             \
        to[i] = (int64_t)value;                                                                    \
    }

static void widen_integers(enum k_dtype type, int64_t *to, const char *from, int count)
{
    switch (type) {
    case K_I8:
        WIDEN(int8_t)
        break;
    case K_U8:
        WIDEN(uint8_t)
        break;
    case K_I16:
        WIDEN(int16_t)
        break;
    case K_U16:
        WIDEN(uint16_t)
        break;
    case K_I32:
        WIDEN(int32_t)
        break;
    case K_U32:
        WIDEN(uint32_t)
        break;
    case K_BOOL:
        for (int i = 0; i < count; i++)
            to[i] = from[i] != 0;
        break;
    default: /* 64 bits, signed or not */
        memcpy(to, from, (size_t)count * sizeof *to);
        break;
    }
}

#define NARROW(type)                                                                               \
    for (int i = 0; i < count; i++) {                                                              \
        const type value = (type)from[i];                                                          \
        memcpy(to + (size_t)i * sizeof value, &value, sizeof value);                               \
    }

static void narrow_integers(int size, char *to, const int64_t *from, int count)
{
    switch (size) {
    case 1:
        NARROW(uint8_t)
        break;
    case 2:
        NARROW(uint16_t)
        break;
    case 4:
        NARROW(uint32_t)
        break;
    default:
        memcpy(to, from, (size_t)count * sizeof *from);
        break;
    }
}

/* The float nearest to an integer, or, when it is rounded once more to a half type, the one of the
 * two floats around it whose last bit is 1: that one remembers on which side of a tie it was. */
static float float_of(uint64_t magnitude, bool is_negative, bool is_last)
{
    if (!is_last && magnitude >> FLOAT_BITS != 0) {
        const int shift = WIDE_BITS - FLOAT_BITS - __builtin_clzll(magnitude);
        const uint64_t rest = magnitude & ((UINT64_C(1) << shift) - 1);
        magnitude = (magnitude >> shift | (rest != 0)) << shift;
    }
    return is_negative ? -(float)magnitude : (float)magnitude;
}

static void floats_of_integers(float *to, const int64_t *from, int count, bool is_unsigned,
                               bool is_last)
{
    for (int i = 0; i < count; i++) {
        const bool is_negative = !is_unsigned && from[i] < 0;
        const uint64_t bits = (uint64_t)from[i];
        to[i] = float_of(is_negative ? 0 - bits : bits, is_negative, is_last);
    }
}

K_TEMPLATE
void widen_floats(enum k_dtype type, float *to, const char *from, int count)
{
    for (int i = 0; i < count; i += VL) {
        const char *at = from + i * k_size(type);
        v_store(to + i, count - i >= VL ? k_load(type, at) : k_load_first(type, at, count - i));
    }
}

/* Writes whole vectors into a block of the stack, of which `count` elements are wanted. */
K_TEMPLATE
void narrow_floats(enum k_dtype type, char *to, const float *from, int count)
{
    char block[BLOCK * 4];
    for (int i = 0; i < count; i += VL)
        k_store(type, block + i * k_size(type), v_load(from + i));
    memcpy(to, block, (size_t)(count * k_size(type)));
}

static void cast_block(const struct k_cast *cast, char *to, const char *from, int count)
{
    int64_t integers[BLOCK];
    float floats[BLOCK];
    if (!is_float(cast->from)) widen_integers(cast->from, integers, from, count);
    if (!is_float(cast->to)) {
        narrow_integers(element_size(cast->to), to, integers, count);
        return;
    }
    memset(floats, 0, sizeof floats);
    if (cast->from == K_F32)
        widen_floats(K_F32, floats, from, count);
    else if (cast->from == K_F16)
        widen_floats(K_F16, floats, from, count);
    else if (cast->from == K_BF16)
        widen_floats(K_BF16, floats, from, count);
    else
        floats_of_integers(floats, integers, count, cast->from == K_U64, cast->to == K_F32);
    if (cast->to == K_F32)
        narrow_floats(K_F32, to, floats, count);
    else if (cast->to == K_F16)
        narrow_floats(K_F16, to, floats, count);
    else
        narrow_floats(K_BF16, to, floats, count);
}

k_fn K_SYMBOL(cast_elements);

void K_SYMBOL(cast_elements)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_cast *cast = parameters;
    const int64_t from_size = element_size(cast->from), to_size = element_size(cast->to);
    const char *from = buffers[K_CAST_FROM];
    char *to = buffers[K_CAST_TO];
    for (int64_t i = slice.begin; i < slice.end; i += BLOCK) {
        const int count = slice.end - i < BLOCK ? (int)(slice.end - i) : BLOCK;
        cast_block(cast, to + i * to_size, from + i * from_size, count);
    }
}

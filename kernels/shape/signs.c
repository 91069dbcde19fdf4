/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of numbers as bits, and back: bit i of a byte is that of its i-th number, 1 where it is not
 * negative. */
#include "kernels/shape/k_shape.h"

/* Not negative, and no NaN; zeros of both signs. */
static bool is_set(const struct k_signs *p, const void *from, int64_t i)
{
    if (p->dtype == K_F32) return ((const float *)from)[i] >= 0;
    const uint16_t bits = ((const uint16_t *)from)[i];
    return bits <= 0x7c00 || bits == 0x8000;
}

static void pack(const struct k_signs *p, const void *from, uint8_t *to, int64_t byte)
{
    const int64_t begin = 8 * byte, rest = p->count - begin;
    unsigned bits = 0;
    for (int64_t i = 0; i < 8 && i < rest; i++)
        bits |= (unsigned)is_set(p, from, begin + i) << i;
    to[byte] = (uint8_t)bits;
}

static void unpack(const struct k_signs *p, uint8_t byte, void *to, int64_t begin)
{
    for (int64_t i = 0; i < 8; i++)
        if (p->dtype == K_F32)
            ((float *)to)[begin + i] = byte >> i & 1 ? 1.0F : -1.0F;
        else
            ((uint16_t *)to)[begin + i] = byte >> i & 1 ? 0x3c00 : 0xbc00;
}

void k_signs(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_signs *p = parameters;
    for (int64_t byte = slice.begin; byte < slice.end; byte++)
        if (p->packs)
            pack(p, buffers[K_SIGNS_FROM], buffers[K_SIGNS_TO], byte);
        else
            unpack(p, ((const uint8_t *)buffers[K_SIGNS_FROM])[byte], buffers[K_SIGNS_TO],
                   8 * byte);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels/int8/k_int8.h"
#include "kernels/quant/int8_nibbles.h"
#include "kernels/quant/int8_packed.h"
#include "kernels/vector/instance.h"

k_fn K_SYMBOL(int8_widen);

void K_SYMBOL(int8_widen)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_int8_widen *w = parameters;
    const int64_t end =
        slice.end * K_INT8_WIDEN_BYTES < w->bytes ? slice.end * K_INT8_WIDEN_BYTES : w->bytes;
    const uint8_t *from = buffers[K_INT8_WIDEN_FROM];
    int8_t *to = buffers[K_INT8_WIDEN_TO];
    for (int64_t i = slice.begin * K_INT8_WIDEN_BYTES; i < end; i++) {
        const int low = from[i] & 15, high = from[i] >> 4;
        to[2 * i] = (int8_t)(low - ((low & 8) << 1));
        to[2 * i + 1] = (int8_t)(high - ((high & 8) << 1));
    }
}

void K_SYMBOL(int8_fours)(const char *from, int64_t apart, int64_t terms, int64_t lanes, int8_t *to,
                          int32_t *sums)
{
    int16_t own[INT8_FOURS_APART] = {0};
    for (int64_t term = 0; term < terms; term++, to += INT8_FOURS_APART) {
        const uint8_t *bytes = (const uint8_t *)from + term * apart;
        for (int64_t i = 0; i < lanes / 2; i++) {
            const int low = bytes[i] & 15, high = bytes[i] >> 4;
            to[2 * i] = (int8_t)(low - ((low & 8) << 1));
            to[2 * i + 1] = (int8_t)(high - ((high & 8) << 1));
        }
        for (int64_t i = 0; i < lanes; i++)
            own[i] = (int16_t)(own[i] + to[i]);
    }
    for (int64_t i = 0; i < lanes; i++)
        sums[i] += own[i];
}

k_fn K_SYMBOL(int8_param);

void K_SYMBOL(int8_param)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_int8_param *p = parameters;
    const float *scale = buffers[K_INT8_PARAM_SCALE], *offset = buffers[K_INT8_PARAM_OFFSET];
    uint64_t *to = buffers[K_INT8_PARAM_TO];
    for (int64_t i = slice.begin; i < slice.end; i++) {
        uint32_t bits;
        memcpy(&bits, &scale[i * p->scale_step], sizeof bits);
        to[i] = (bits & 0xffffe000) | UINT64_C(1) << 46;
        if (!p->has_offset) continue;
        float whole = rintf(offset[i * p->offset_step]);
        whole = whole < 255 ? whole : 255; /* so is a NaN */
        whole = whole > -256 ? whole : -256;
        to[i] |= ((uint64_t)(int64_t)whole & 0x1ff) << 37;
    }
}

k_fn K_SYMBOL(int8_unpack);

void K_SYMBOL(int8_unpack)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const uint64_t *from = buffers[K_INT8_UNPACK_FROM];
    float *scale = buffers[K_INT8_UNPACK_SCALE], *offset = buffers[K_INT8_UNPACK_OFFSET];
    (void)parameters;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        scale[i] = int8_unpack(from[i], false);
        offset[i] = int8_unpack(from[i], true);
    }
}

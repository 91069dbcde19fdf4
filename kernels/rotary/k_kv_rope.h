/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of keys and values in one: the first `values` elements are normalized, the other `keys`
 * turned, in FLOAT, each operation rounded:
 *
 *     v[i] = x[i] / sqrt(mean of x^2 + epsilon) * gamma[i]            the root in DOUBLE
 *     k[i] = a[i] * cos[i] - b[i] * sin[i], k[half + i] = b[i] * cos[half + i] + a[i] * sin[half +
 * i]
 *
 * with a[i] and b[i] elements 2 i and 2 i + 1 of what is turned. As INT8 they are whole(v * scale +
 * offset), whole: to the nearest, ties to even, from -128 to 127, a NaN 0. Operands are dense. */
#ifndef ACLNN_CPU_KERNELS_ROTARY_K_KV_ROPE_H
#define ACLNN_CPU_KERNELS_ROTARY_K_KV_ROPE_H

#include "kernels/kernel.h"

/* What becomes of k, or of v. Scales and offsets are FLOAT: one, a row, or a row for each head. */
struct k_kv_rope_side {
    bool is_plain, is_whole, has_offset; /* is_plain: in the type of x; is_whole: INT8 */
    int64_t scales, offsets;             /* how many there are */
};

/* Items are rows: heads times length of each sequence. */
struct k_kv_rope {
    enum k_dtype dtype;
    int64_t rows, heads, length, values, keys;
    int64_t turns; /* rows of cosines of a sequence: length, or 1 */
    double epsilon;
    struct k_kv_rope_side key, value;
};

/* What is not there is any buffer. */
enum {
    K_KV_ROPE_X,
    K_KV_ROPE_GAMMA,
    K_KV_ROPE_COS,
    K_KV_ROPE_SIN,
    K_KV_ROPE_KEY,
    K_KV_ROPE_KEY_WHOLE,
    K_KV_ROPE_KEY_SCALE,
    K_KV_ROPE_KEY_OFFSET,
    K_KV_ROPE_VALUE,
    K_KV_ROPE_VALUE_WHOLE,
    K_KV_ROPE_VALUE_SCALE,
    K_KV_ROPE_VALUE_OFFSET,
};
struct k_work k_kv_rope_plan(const struct k_kv_rope *rope);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of dY as floats, scaled and summed along the depth: vectors run over positions and channels
 * together. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_SCALED_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_SCALED_H

#include "kernels/pool/grad.h"

/* Rows of dY that follow each other, and as many of the planes behind theirs. */
struct scaled {
    const char *at, *end; /* end: of dY */
    int64_t row_bytes, plane_bytes;
    int64_t ahead; /* bytes from a row to that which comes in its place the next time */
    int rows, depths;
    int64_t count; /* elements of a row */
    float *to;     /* the sums along the depth, in rows of `pitch` */
    int64_t pitch;
    bool add; /* to what is there */
    bool own; /* rows of whole vectors: zeros behind the elements */
    enum k_rounding rounding;
    float factor[POOL_DIRECT];
};

K_TEMPLATE
vf scaled_value(enum k_dtype dt, int depths, const struct scaled *run, const vf factor[],
                const char *at, int left)
{
    vf sum = {0};
    for (int d = 0; d < depths; d++, at += run->plane_bytes) {
        vf value = left >= VL ? k_load(dt, at) : k_load_first_before(dt, at, left, run->end);
        if (__builtin_expect(run->rounding != K_ROUND_NONE, 0))
            value = pool_round(dt, run->rounding, value);
        value = value * factor[d] + 0.0f; /* block_multiply */
        sum = d == 0 ? value : sum + value;
    }
    return sum;
}

K_TEMPLATE
void scaled_rows_of(enum k_dtype dt, int depths, const struct scaled *given)
{
    const struct scaled run = *given; /* which no store changes */
    vf factor[POOL_DIRECT];
    for (int d = 0; d < depths; d++)
        factor[d] = v_all(run.factor[d]);
    for (int r = 0; r < run.rows; r++) {
        const char *at = run.at + r * run.row_bytes;
        float *to = run.to + r * run.pitch;
        int64_t x = 0;
        for (; x + VL <= run.count; x += VL, at += VL * k_size(dt)) {
            const vf sum = scaled_value(dt, depths, &run, factor, at, VL);
            v_store(to + x, run.add ? v_load(to + x) + sum : sum);
            __builtin_prefetch(at + run.ahead, 0, 2);
        }
        if (x == run.count) continue;
        const int left = (int)(run.count - x);
        vf sum = scaled_value(dt, depths, &run, factor, at, left);
        if (run.add) sum = v_load(to + x) + sum;
        if (run.own)
            v_store(to + x, sum);
        else
            memcpy(to + x, &sum, (size_t)left * sizeof(float));
    }
}

#define SCALED_ROWS(name, dt)                                                                      \
    K_OUTLINE void name(const struct scaled *run)                                                  \
    {                                                                                              \
        if (run->depths == 1)                                                                      \
            scaled_rows_of(dt, 1, run);                                                            \
        else if (run->depths == 2)                                                                 \
            scaled_rows_of(dt, 2, run);                                                            \
        else if (run->depths == 3)                                                                 \
            scaled_rows_of(dt, 3, run);                                                            \
        else                                                                                       \
            scaled_rows_of(dt, run->depths, run);                                                  \
    }
SCALED_ROWS(scaled_rows_f32, K_F32)
SCALED_ROWS(scaled_rows_f16, K_F16)
SCALED_ROWS(scaled_rows_bf16, K_BF16)

K_TEMPLATE
void scaled_rows(enum k_dtype dt, const struct scaled *run)
{
    if (dt == K_F32) scaled_rows_f32(run);
    if (dt == K_F16) scaled_rows_f16(run);
    if (dt == K_BF16) scaled_rows_bf16(run);
}

#endif

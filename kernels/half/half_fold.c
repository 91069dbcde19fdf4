/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels/reduce/fold.h does with floats, of half types, for the folds that networks spend
 * their time in: sums of a row are those of blocks (kernels/vector/block.h). */
#include "kernels/half/half_fold.h"

#include "kernels/vector/block.h"
#include "kernels/vector/select.h"

enum { LANES = K_HALF_FOLD_LANES };

/* The fold is a constant wherever these are called. */
K_TEMPLATE
vf combine_half(enum k_fold fold, vf a, vf b)
{
    if (fold == K_FOLD_greatest) return v_larger(a, b);
    if (fold == K_FOLD_least) return -v_larger(-a, -b);
    return a + b;
}

K_TEMPLATE
vf map_half(enum k_fold fold, vf x)
{
    return fold == K_FOLD_square_sum ? x * x : x;
}

/* What changes no result, as an element. */
K_TEMPLATE
uint16_t neutral_half(enum k_fold fold, enum k_dtype dt)
{
    const uint16_t infinity = dt == K_F16 ? 0x7c00 : 0x7f80;
    return fold == K_FOLD_greatest ? infinity | 0x8000 : fold == K_FOLD_least ? infinity : 0;
}

/* LANES elements. Those of a block's two vectors go to sums whose numbers are the same on all
 * levels: even and odd elements of bf16 to the first and the last half of the sums. */
K_TEMPLATE
void fold_group(enum k_fold fold, enum k_dtype dt, vf *sums, const char *x)
{
    enum { BLOCKS = LANES / (2 * VL) };
#pragma GCC unroll 4
    for (int i = 0; i < BLOCKS; i++) {
        const struct k_block block = block_load(dt, x + i * K_VECTOR_BYTES);
        vf *a = &sums[dt == K_BF16 ? i : 2 * i], *b = dt == K_BF16 ? a + BLOCKS : a + 1;
        *a = combine_half(fold, *a, map_half(fold, block.a));
        *b = combine_half(fold, *b, map_half(fold, block.b));
    }
}

K_TEMPLATE
void fold_along(enum k_fold fold, enum k_dtype dt, float *lanes, const char *x, int64_t count)
{
    vf sums[LANES / VL];
#pragma GCC unroll 8
    for (int v = 0; v < LANES / VL; v++)
        sums[v] = v_load(lanes + v * VL);
    for (; count >= LANES; count -= LANES, x += LANES * 2)
        fold_group(fold, dt, sums, x);
    if (count > 0) {
        uint16_t rest[LANES];
        for (int i = 0; i < LANES; i++)
            rest[i] = neutral_half(fold, dt);
        memcpy(rest, x, (size_t)count * 2);
        fold_group(fold, dt, sums, (const char *)rest);
    }
#pragma GCC unroll 8
    for (int v = 0; v < LANES / VL; v++)
        v_store(lanes + v * VL, sums[v]);
}

K_TEMPLATE
vf fold_rows(enum k_fold fold, const vf x[4], int row_count)
{
    if (row_count < 4) return x[0];
    return combine_half(fold, combine_half(fold, x[0], x[1]), combine_half(fold, x[2], x[3]));
}

/* Of one row or four. */
K_TEMPLATE
void fold_across(enum k_fold fold, enum k_dtype dt, float *sums, const char *const *rows,
                 int row_count, int64_t count)
{
    vf x[4];
    int64_t i = 0;
    for (; i + VL <= count; i += VL) {
#pragma GCC unroll 4
        for (int r = 0; r < row_count; r++)
            x[r] = map_half(fold, k_load(dt, rows[r] + i * 2));
        v_store(sums + i, combine_half(fold, v_load(sums + i), fold_rows(fold, x, row_count)));
    }
    if (i == count) return;
    const int rest = (int)(count - i);
    for (int r = 0; r < row_count; r++)
        x[r] = map_half(fold, k_load_first(dt, rows[r] + i * 2, rest));
    const vf sum = combine_half(fold, k_load_first(K_F32, (const char *)(sums + i), rest),
                                fold_rows(fold, x, row_count));
    memcpy(sums + i, &sum, (size_t)rest * sizeof *sums);
}

#define FOLD(fold, type, dtype)                                                                    \
    static void fold##_along_##type(void *lanes, const void *x, int64_t count, const void *number) \
    {                                                                                              \
        (void)number;                                                                              \
        fold_along(K_FOLD_##fold, dtype, lanes, x, count);                                         \
    }                                                                                              \
    static void fold##_across_##type(void *sums, const void *const rows[4], int row_count,         \
                                     int64_t count, const void *numbers)                           \
    {                                                                                              \
        const char *const four[4] = {rows[0], rows[1], rows[2], rows[3]};                          \
        (void)numbers;                                                                             \
        if (row_count == 4)                                                                        \
            fold_across(K_FOLD_##fold, dtype, sums, four, 4, count);                               \
        else                                                                                       \
            for (int i = 0; i < row_count; i++)                                                    \
                fold_across(K_FOLD_##fold, dtype, sums, four + i, 1, count);                       \
    }
#define FOLDS(fold) FOLD(fold, f16, K_F16) FOLD(fold, bf16, K_BF16)
FOLDS(sum)
FOLDS(greatest)
FOLDS(least)
FOLDS(square_sum)

const struct k_half_fold *k_half_fold_of(enum k_fold fold, enum k_dtype dtype)
{
#define ENTRY(fold)                                                                                \
    [K_FOLD_##                                                                                     \
        fold] = {{fold##_along_f16, fold##_across_f16}, {fold##_along_bf16, fold##_across_bf16}},
    static const struct k_half_fold all[K_FOLDS][2] = {ENTRY(sum) ENTRY(greatest) ENTRY(least)
                                                           ENTRY(square_sum)};
    if (dtype != K_F16 && dtype != K_BF16) return NULL;
    const struct k_half_fold *half = &all[fold][dtype == K_BF16];
    return half->along ? half : NULL;
}

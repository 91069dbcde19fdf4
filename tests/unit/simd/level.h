/* SPDX-License-Identifier: Apache-2.0 */
/* The primitives of kernels/vector of one level, as functions of plain arrays. */
#ifndef ACLNN_CPU_TESTS_UNIT_SIMD_LEVEL_H
#define ACLNN_CPU_TESTS_UNIT_SIMD_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernels.h"

enum { SIMD_LANES = 16 }; /* at most */

struct simd_level {
    const char *isa;
    int lanes;
    void (*from_half)(enum k_dtype dt, const uint16_t *half, float *value);
    void (*to_half)(enum k_dtype dt, const float *value, uint16_t *half);
    void (*to_half_precision)(enum k_dtype dt, const float *low, const float *high,
                              uint16_t *words);
    void (*zip_words)(int half, const uint16_t *a, const uint16_t *b, uint16_t *zipped);
    void (*load_first)(enum k_dtype dt, const void *at, int count, float *value);
    void (*first)(int count, const float *a, const float *b, float *value);
    void (*delay)(int n, const float *before, const float *value, float *delayed);
    void (*advance)(const float *value, const float *after, float *advanced);
    void (*spread)(int group, int k, const float *a, float *value);
    void (*zip)(int half, const float *a, const float *b, float *zipped);
    void (*add_kept)(const float *sum, const float *x, const uint8_t *flags, int period, int begin,
                     float *total);
    void (*pick)(const float *a, const float *b, const int32_t *from, float *picked);
    /* Blocks, as elements in memory. */
    void (*block_part)(enum k_dtype dt, const char *at, int from, int to, const char *begin,
                       const char *end, void *elements);
    void (*block_delay)(enum k_dtype dt, int n, const void *before, const void *now,
                        void *elements);
    void (*block_zip)(enum k_dtype dt, const void *x, const void *y, void *elements);
    void (*block_multiply)(enum k_dtype dt, const void *x, const float *numbers, int period,
                           int first, void *elements);
};

typedef const struct simd_level *simd_level_fn(void);

#endif

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
    /* Dot products of integers within lanes of 32 bits; NULL where the level has none. */
    void (*dot_pairs)(const void *a, const void *b, const uint32_t *sum, uint32_t *out);
    void (*dot_quads)(bool by_cpu, const void *a, const void *b, const uint32_t *sum,
                      uint32_t *out);
    void (*dot_lane)(const void *a, int lane, const void *b, const uint32_t *sum, uint32_t *out);
    void (*dot_eights)(const void *a, const void *b, const uint32_t *sum, uint32_t *out);
    void (*quads_of_rows)(int vectors, const void *at, int64_t step, uint32_t *out);
    bool quads_everywhere; /* also where by_cpu is false */
    bool has_unsigned;     /* a's bytes of dot_quads */
};

typedef const struct simd_level *simd_level_fn(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets do with their bytes, and with what does not hold. */
#ifndef ACLNN_CPU_TESTS_FUZZ_BYTES_H
#define ACLNN_CPU_TESTS_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s does not hold: ", #condition);                                     \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct bytes {
    const uint8_t *at;
    size_t left;
};

/* 0 when none is left. */
static inline uint8_t take(struct bytes *bytes)
{
    if (bytes->left == 0) return 0;
    bytes->left--;
    return *bytes->at++;
}

/* Mostly small ones, at times one that breaks something. */
static inline int64_t take_wild(struct bytes *bytes)
{
    static const int64_t wild[] = {-1,
                                   255,
                                   65536,
                                   (int64_t)1 << 31,
                                   ((int64_t)1 << 32) + 1,
                                   (int64_t)1 << 40,
                                   (int64_t)1 << 62,
                                   INT64_MAX / 2,
                                   INT64_MAX - 1,
                                   INT64_MAX,
                                   INT64_MIN};
    const uint8_t byte = take(bytes);
    if (byte < 200) return byte % 20;
    return wild[byte % (sizeof wild / sizeof wild[0])];
}

#endif

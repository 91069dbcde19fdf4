/* SPDX-License-Identifier: Apache-2.0 */
/* Checked arithmetic on sizes, alignment, array length. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_BASE_H
#define ACLNN_CPU_RUNTIME_SUPPORT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Every sum or product that becomes a size goes through one of these; false means it does not fit.
 */
static inline bool rt_mul_ok(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool rt_add_ok(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool rt_size_mul_ok(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool rt_size_add_ok(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* alignment is a power of two; size + alignment must not overflow. */
static inline size_t rt_round_up(size_t size, size_t alignment)
{
    return (size + alignment - 1) & ~(alignment - 1);
}

#endif

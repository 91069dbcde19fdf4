/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel is: a serial function over a slice of a step's work; and the choice of the level.
 */
#ifndef ACLNN_CPU_KERNELS_KERNEL_H
#define ACLNN_CPU_KERNELS_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first ones have a function each in a table; kernels of one function for all types (the rows
 * K_KERNEL_ANY) are told the type, where it matters, by their parameters. */
enum k_dtype {
    K_F32,
    K_F16,
    K_BF16,
    K_DTYPES,
    K_F64 = K_DTYPES,
    K_I8,
    K_U8,
    K_I16,
    K_U16,
    K_I32,
    K_U32,
    K_I64,
    K_U64,
    K_BOOL,
};

/* What is done to each value of gradOutput before it is used (cubeMathType). */
enum k_rounding {
    K_ROUND_NONE,
    K_ROUND_F16,  /* to IEEE binary16, nearest even, overflow to infinity, and back */
    K_ROUND_HF32, /* to 11 mantissa bits (the hidden one not counted: 23 - 12), nearest, ties away;
                     NaN and Inf kept */
};

/* A piece [begin, end) of a step's items. */
struct k_slice {
    int64_t begin, end;
};

/* How a step may be cut: items can be cut anywhere, a slice below grain items is not worth a
 * thread. Both follow from the shape alone, never from the number of threads. */
struct k_work {
    int64_t items, grain;
};

/* A serial function over a slice of the work: no threads, locks or allocation. Slices write
 * disjoint bytes, so any cutting gives the same result. All writes, streaming stores included, are
 * visible to whoever sees it return. */
typedef void k_fn(const void *parameters, void *const buffers[], struct k_slice slice);

/* Where a kernel notes that the data itself is wrong, such as an index outside of its plane. It
 * goes on, leaves out what it cannot follow, and keeps the lowest position (of what, the kernel's
 * header says): so the report is the same for every cutting. A step with faults hands it over
 * behind its last buffer. */
struct k_fault {
    _Atomic int64_t position; /* INT64_MAX: nothing is wrong */
    /* Begins as 0 and lives as long as the launch: a step tells a later one that it has left
     * something to be mended. */
    _Atomic int64_t unsettled;
};

static inline void k_fault_note(struct k_fault *fault, int64_t position)
{
    int64_t lowest = atomic_load_explicit(&fault->position, memory_order_relaxed);
    while (position < lowest &&
           !atomic_compare_exchange_weak_explicit(&fault->position, &lowest, position,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

/* All kernels of one level (kernels.h). */
struct k_table;

/* The best table this CPU runs, or the one that ACLNN_CPU_ISA names when the CPU runs it. Chosen at
 * the first call. */
const struct k_table *k_best(void);

/* Whether the kernels of k_best() may multiply pairs of bf16 by the CPU's dot product
 * (AVX512-BF16). With ACLNN_CPU_ISA=avx512 they may not; ACLNN_CPU_ISA=avx512_bf16 is that level
 * with it. */
bool k_pairs_bf16(void);

/* All tables this CPU runs, best first; returns how many (at most capacity are stored). */
size_t k_tables(const struct k_table *tables[], size_t capacity);

/* Bytes of the last-level cache one core can use, and its own L2, as the system reports them; fixed
 * defaults else. */
size_t k_cache_last_level(void);
size_t k_cache_l2(void);

#endif

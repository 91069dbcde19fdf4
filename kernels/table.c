/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the level being compiled: one row per kernels.def. */
#include "kernels/kernels.h"
#include "kernels/vector/simd.h"

#define K_KERNEL(name)     k_fn K_SYMBOL(name##_f32), K_SYMBOL(name##_f16), K_SYMBOL(name##_bf16);
#define K_KERNEL_ANY(name) k_fn K_SYMBOL(name);
#include "kernels/kernels.def"

extern const struct k_table K_SYMBOL(k_table);

const struct k_table K_SYMBOL(k_table) = {
    .isa = K_ISA_STRING,
    .vector_bytes = K_VECTOR_BYTES,
#define K_KERNEL(name)                                                                             \
    .name = {[K_F32] = K_SYMBOL(name##_f32),                                                       \
             [K_F16] = K_SYMBOL(name##_f16),                                                       \
             [K_BF16] = K_SYMBOL(name##_bf16)},
#define K_KERNEL_ANY(name) .name = K_SYMBOL(name),
#ifdef K_ISA_base
#define K_KERNEL_VECTOR(name)
#define K_KERNEL_ANY_VECTOR(name)
#endif
#include "kernels/kernels.def"
};

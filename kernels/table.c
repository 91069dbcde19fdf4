/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the level being compiled: one row per kernels.def. */
#include "kernels/copy/k_cast.h"
#include "kernels/copy/k_copy.h"
#include "kernels/kernels.h"
#include "kernels/pool/k_adaptive_max.h"
#include "kernels/pool/k_max_pool.h"
#include "kernels/pool/k_plane.h"
#include "kernels/pool/k_pool.h"
#include "kernels/vector/instance.h"

#define K_KERNEL(name, params)                                                                     \
    k_fn K_SYMBOL(name##_f32), K_SYMBOL(name##_f16), K_SYMBOL(name##_bf16);
#define K_KERNEL_ANY(name, params) k_fn K_SYMBOL(name);
#include "kernels/kernels.def"
#undef K_KERNEL
#undef K_KERNEL_ANY

extern const struct k_table K_SYMBOL(k_table);

const struct k_table K_SYMBOL(k_table) = {
    .isa = K_ISA_STRING,
#define K_KERNEL(name, params)                                                                     \
    .name = {[K_F32] = K_SYMBOL(name##_f32),                                                       \
             [K_F16] = K_SYMBOL(name##_f16),                                                       \
             [K_BF16] = K_SYMBOL(name##_bf16)},
#define K_KERNEL_ANY(name, params) .name = K_SYMBOL(name),
#include "kernels/kernels.def"
#undef K_KERNEL
#undef K_KERNEL_ANY
};

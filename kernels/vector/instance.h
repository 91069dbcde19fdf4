/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel body becomes the functions of the level being compiled. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_INSTANCE_H
#define ACLNN_CPU_KERNELS_VECTOR_INSTANCE_H

#include "kernels/kernel.h"

/* <kernel>_<dtype>__<isa> */
#define K_SYMBOL(what)          K_SYMBOL_AT(what, K_ISA_NAME)
#define K_SYMBOL_AT(what, isa)  K_SYMBOL_AT_(what, isa)
#define K_SYMBOL_AT_(what, isa) what##__##isa
#define K_ISA_STRING            K_ISA_STRING_(K_ISA_NAME)
#define K_ISA_STRING_(isa)      K_ISA_STRING__(isa)
#define K_ISA_STRING__(isa)     #isa

/* A body whose element type is a constant in each instance. */
#define K_TEMPLATE static inline __attribute__((always_inline, unused))

/* The three instances of body(enum k_dtype, const params *, void *const buffers[], struct k_slice).
 */
#define K_FLOATS(body, params)                                                                     \
    K_INSTANCE(body, _f32, K_F32, params)                                                          \
    K_INSTANCE(body, _f16, K_F16, params)                                                          \
    K_INSTANCE(body, _bf16, K_BF16, params)
/* The same for a way that the base level does not have. */
#ifdef K_ISA_base
#define K_FLOATS_VECTOR(body, params)
#define K_INSTANCE_VECTOR(body, suffix, dtype, params)
#else
#define K_FLOATS_VECTOR   K_FLOATS
#define K_INSTANCE_VECTOR K_INSTANCE
#endif
#define K_INSTANCE(body, suffix, dtype, params)                                                    \
    k_fn K_SYMBOL(body##suffix);                                                                   \
    void K_SYMBOL(body##suffix)(const void *parameters, void *const buffers[],                     \
                                struct k_slice slice)                                              \
    {                                                                                              \
        body(dtype, (const params *)parameters, buffers, slice);                                   \
    }

#endif

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

/* A function that is not inlined; a file need not use it. */
#define K_OUTLINE static __attribute__((noinline, unused))

/* body(enum k_dtype, ...) as functions of their own, body_f32 and so on, and body_of(dt, ...),
 * which calls the one of its type: K_OUT_OF_LINE(int, body, (int a, char *b), (a, b)). */
#define K_BARE(...) __VA_ARGS__
#define K_OUT_OF_LINE(result, body, parameters, arguments)                                         \
    K_OUTLINE result body##_f32 parameters                                                         \
    {                                                                                              \
        return body(K_F32, K_BARE arguments);                                                      \
    }                                                                                              \
    K_OUTLINE result body##_f16 parameters                                                         \
    {                                                                                              \
        return body(K_F16, K_BARE arguments);                                                      \
    }                                                                                              \
    K_OUTLINE result body##_bf16 parameters                                                        \
    {                                                                                              \
        return body(K_BF16, K_BARE arguments);                                                     \
    }                                                                                              \
    K_TEMPLATE                                                                                     \
    result body##_of(enum k_dtype dt, K_BARE parameters)                                           \
    {                                                                                              \
        if (dt == K_F32) return body##_f32 arguments;                                              \
        if (dt == K_F16) return body##_f16 arguments;                                              \
        return body##_bf16 arguments;                                                              \
    }

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

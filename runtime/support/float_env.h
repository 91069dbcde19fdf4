/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment of a thread: rounding, flushing of subnormals, traps, flags.
 * Tasks compute in the default one, whatever the thread that runs them has; between begin and end
 * the calling thread has it too. Costs some nanoseconds, and more only where the two differ. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_FLOAT_ENV_H
#define ACLNN_CPU_RUNTIME_SUPPORT_FLOAT_ENV_H

#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <fenv.h>
#endif

/* What the thread had. */
struct rt_float_env {
#if defined(__x86_64__)
    uint32_t mxcsr;
#elif defined(__aarch64__)
    uint64_t control, status;
#else
    fenv_t env;
#endif
};

#if defined(__x86_64__)

/* Of the x87 unit's environment nothing here depends on. */
enum { RT_MXCSR_DEFAULT = 0x1F80, RT_MXCSR_FLAGS = 0x3F };

static inline struct rt_float_env rt_float_begin(void)
{
    const uint32_t own = __builtin_ia32_stmxcsr();
    if (__builtin_expect((own & ~(uint32_t)RT_MXCSR_FLAGS) != RT_MXCSR_DEFAULT, 0))
        __builtin_ia32_ldmxcsr(RT_MXCSR_DEFAULT);
    return (struct rt_float_env){.mxcsr = own};
}

static inline void rt_float_end(struct rt_float_env own)
{
    if (__builtin_ia32_stmxcsr() != own.mxcsr) __builtin_ia32_ldmxcsr(own.mxcsr);
}

#elif defined(__aarch64__)

static inline struct rt_float_env rt_float_begin(void)
{
    struct rt_float_env own;
    __asm__ volatile("mrs %0, fpcr" : "=r"(own.control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(own.status));
    if (__builtin_expect(own.control != 0, 0)) __asm__ volatile("msr fpcr, %0" : : "r"(0L));
    return own;
}

static inline void rt_float_end(struct rt_float_env own)
{
    struct rt_float_env now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now.control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(now.status));
    if (now.control != own.control) __asm__ volatile("msr fpcr, %0" : : "r"(own.control));
    if (now.status != own.status) __asm__ volatile("msr fpsr, %0" : : "r"(own.status));
}

#else

static inline struct rt_float_env rt_float_begin(void)
{
    struct rt_float_env own;
    fegetenv(&own.env);
    fesetenv(FE_DFL_ENV);
    return own;
}

static inline void rt_float_end(struct rt_float_env own)
{
    fesetenv(&own.env);
}

#endif

#endif

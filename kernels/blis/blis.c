/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices by BLIS. The only file that includes blis.h.
 *
 * BLIS decides at its first use which CPU it runs on, and takes plain C code on those it does not
 * know. So its choice is made here, from our own look at the CPU, by the one switch that it has:
 * BLIS_ARCH_TYPE. A user's own value stays. Calls run on the calling thread, whatever threads BLIS
 * was built with or told to use. */
#include "kernels/blis/k_blis.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_usable;
static const char *name;

#ifdef K_BUILD_blis
#include <blis.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* BLIS's number of the kernels that suit this CPU; -1: leave the choice to it. */
static int preferred(void)
{
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return -1;
    const bool has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                         __builtin_cpu_supports("avx512dq");
    if (!__builtin_cpu_is("amd")) return has_512 ? BLIS_ARCH_SKX : BLIS_ARCH_HASWELL;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return -1;
    const unsigned family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
    /* Up to family 25 vectors of 512 bits take two turns. */
    return has_512 && family > 25 ? BLIS_ARCH_SKX : BLIS_ARCH_ZEN3;
#else
    return -1;
#endif
}

static void choose(void)
{
    static const char *const variable = "BLIS_ARCH_TYPE";
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    const bool is_ours = getenv(variable) == NULL && preferred() >= 0;
    if (is_ours) {
        char number[16];
        snprintf(number, sizeof number, "%d", preferred());
        setenv(variable, number, 0);
    }
    bli_init();
    const arch_t arch = bli_arch_query_id();
    if (is_ours) unsetenv(variable);
    is_usable = arch != BLIS_ARCH_GENERIC;
    name = bli_arch_string(arch);
}

void k_blis_multiply(enum k_dtype dtype, const struct k_gemm_blis *product)
{
    const struct k_gemm_blis *p = product;
    rntm_t threads = BLIS_RNTM_INITIALIZER; /* BLIS 1 has no function for it */
    bli_rntm_set_num_threads(1, &threads);
    /* Its kernels for unpacked operands read beyond the end of a result that they add to. */
    bli_rntm_disable_l3_sup(&threads);
    /* BLIS takes operands that it only reads as if it wrote them. */
    if (dtype == K_F32) {
        float one = 1, zero = 0;
        bli_sgemm_ex(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, p->m, p->n, p->k, &one,
                     (float *)(uintptr_t)p->a, p->a_row, p->a_column, (float *)(uintptr_t)p->b,
                     p->b_row, p->b_column, &zero, p->c, p->c_row, p->c_column, NULL, &threads);
    } else {
        double one = 1, zero = 0;
        bli_dgemm_ex(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, p->m, p->n, p->k, &one,
                     (double *)(uintptr_t)p->a, p->a_row, p->a_column, (double *)(uintptr_t)p->b,
                     p->b_row, p->b_column, &zero, p->c, p->c_row, p->c_column, NULL, &threads);
    }
}

#else
static void choose(void)
{
}

void k_blis_multiply(enum k_dtype dtype, const struct k_gemm_blis *product)
{
    (void)dtype, (void)product;
}
#endif

const char *k_blis_arch(void)
{
    pthread_once(&once, choose);
    return name;
}

bool k_blis_is_usable(void)
{
    pthread_once(&once, choose);
    return is_usable;
}

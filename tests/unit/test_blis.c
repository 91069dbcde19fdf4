/* SPDX-License-Identifier: Apache-2.0 */
/* Which of BLIS's kernels are taken. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "kernels/blis/k_blis.h"

/* It takes kernels made for this CPU, where it has any, and leaves the environment as it was. */
Test(blis, knows_this_cpu)
{
    unsetenv("BLIS_ARCH_TYPE");
    const char *arch = k_blis_arch();
    if (arch == NULL) cr_skip("this build has no BLIS");
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        cr_expect_str_neq(arch, "generic");
#endif
    cr_expect_null(getenv("BLIS_ARCH_TYPE"));
}

/* A user's choice is followed: 3 is the number of its kernels for Haswell. */
Test(blis, users_choice_stays)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        cr_skip("this CPU cannot run them");
    setenv("BLIS_ARCH_TYPE", "3", 1);
    const char *arch = k_blis_arch();
    if (arch == NULL) cr_skip("this build has no BLIS");
    cr_expect_str_eq(arch, "haswell");
    cr_expect_str_eq(getenv("BLIS_ARCH_TYPE"), "3");
#else
    cr_skip("numbers of x86");
#endif
}

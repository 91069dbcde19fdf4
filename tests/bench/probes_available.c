/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/probes.h"

int probes_available(const struct probe_table *tables[3])
{
    int count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) tables[count++] = &probes_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        tables[count++] = &probes_avx2;
#endif
    tables[count++] = &probes_base;
    return count;
}

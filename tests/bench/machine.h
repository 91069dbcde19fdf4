/* SPDX-License-Identifier: Apache-2.0 */
/* What the bench says of the machine it ran on. */
#ifndef ACLNN_CPU_TESTS_BENCH_MACHINE_H
#define ACLNN_CPU_TESTS_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* The CPU's name, and its family and model where the name is vague. Static storage. */
const char *machine_cpu(void);
/* Bytes of the cache of this level (2 or 3) as the kernel reports CPU 0's; a usual size when it
 * does not say. (sysconf counts the caches of the whole package on some virtual machines.) */
size_t machine_cache(int level);
/* CPU seconds that all processes together have used since the machine started, and those that a
 * hypervisor took away; false when the kernel does not say. */
bool machine_busy(double *seconds);
/* CPUs this process may use. */
int machine_cpus(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_KERNELS_ISA_H
#define ACLNN_CPU_KERNELS_ISA_H

#include <stdbool.h>

/* What ACLNN_CPU_ISA asks for when this CPU or this build does not have it, or NULL. */
const char *k_isa_refused(void);

/* Whether the kernels of k_best() may use the CPU's dot products of bytes (AVX512-VNNI), which
 * ACLNN_CPU_ISA=avx512 forbids. */
bool k_dots_int8(void);

/* Whether they may use its tiles (AMX-INT8): ACLNN_CPU_ISA is not set, or avx512_amx. The first
 * call asks the system for them, for the whole process. */
bool k_tiles_int8(void);

#endif

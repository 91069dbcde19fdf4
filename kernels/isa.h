/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_KERNELS_ISA_H
#define ACLNN_CPU_KERNELS_ISA_H

#include <stdbool.h>

/* What ACLNN_CPU_ISA asks for when this CPU or this build does not have it, or NULL. */
const char *k_isa_refused(void);

/* Whether the kernels of k_best() may use the CPU's dot products of bytes (AVX512-VNNI, AArch64's
 * SDOT), which ACLNN_CPU_ISA=avx512 and neon forbid. */
bool k_dots_int8(void);

/* Whether they may use its products of tiles (AMX-INT8; AArch64's SMMLA, whose are 2 x 2):
 * ACLNN_CPU_ISA is not set, avx512_amx or neon_i8mm. The first call asks the system for those of
 * AMX, for the whole process. */
bool k_tiles_int8(void);

/* The same for tiles of bf16 (AMX-BF16). */
bool k_tiles_bf16(void);

#endif

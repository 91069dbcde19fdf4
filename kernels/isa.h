/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_KERNELS_ISA_H
#define ACLNN_CPU_KERNELS_ISA_H

/* What ACLNN_CPU_ISA asks for when this CPU or this build does not have it, or NULL. */
const char *k_isa_refused(void);

#endif

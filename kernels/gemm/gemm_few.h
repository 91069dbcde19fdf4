/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a few rows with a matrix that is read once. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_FEW_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_FEW_H

enum {
    K_GEMM_DOTS = 8,           /* rows, at most, of dots; more than K_GEMM_FEW if terms are many */
    K_GEMM_GRAIN_BYTES = 16384 /* of the matrix that are worth a thread */
};

#endif

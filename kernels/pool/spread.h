/* SPDX-License-Identifier: Apache-2.0 */
/* What cubeMathType does to a value of gradOutput. */
#ifndef ACLNN_CPU_KERNELS_POOL_SPREAD_H
#define ACLNN_CPU_KERNELS_POOL_SPREAD_H

#include "kernels/pool/k_pool.h"
#include "kernels/vector/simd.h"

K_TEMPLATE
vf pool_round(enum k_dtype dt, enum k_rounding rounding, vf value)
{
    if (rounding == K_ROUND_NONE || dt == K_F16) return value;
    if (rounding == K_ROUND_F16) return v_from_f16(v_to_f16(value));
    if (dt != K_F32) return value;
    const vu bits = (vu)value, finite = (vu)((bits & 0x7f800000) != 0x7f800000);
    return (vf)((finite & ((bits + 0x800) & 0xfffff000)) | (~finite & bits));
}

#endif

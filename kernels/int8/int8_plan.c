/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/int8/k_int8.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/way.h"

struct k_work k_int8_plan(struct k_int8 *product)
{
    const struct k_problem problem = {
        .parameters = &product->gemm, .dtype = K_F32, .level = k_best()};
    const struct k_work work = k_gemm_packed_plan(&problem);
    product->gemm.cut.pairs = false;
    product->has_dots = k_dots_int8();
    return work;
}

struct k_work k_int8_widen_plan(const struct k_int8_widen *widen)
{
    return (struct k_work){.items = (widen->bytes - 1) / K_INT8_WIDEN_BYTES + 1, .grain = 1};
}

struct k_work k_int8_param_plan(const struct k_int8_param *param)
{
    return (struct k_work){.items = param->count, .grain = 1 << 14};
}

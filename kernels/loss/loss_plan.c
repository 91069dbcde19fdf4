/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/loss/k_nll.h"

struct k_work k_nll_work(const struct k_nll *nll)
{
    const int64_t blocks = (nll->positions + K_NLL_BLOCK - 1) / K_NLL_BLOCK;
    return (struct k_work){.items = nll->kind == K_NLL_TOTAL ? 1 : blocks, .grain = 2};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/loss/k_margin.h"
#include "kernels/loss/k_nll.h"

struct k_work k_nll_work(const struct k_nll *nll)
{
    const int64_t blocks = (nll->positions + K_NLL_BLOCK - 1) / K_NLL_BLOCK;
    return (struct k_work){.items = nll->kind == K_NLL_TOTAL ? 1 : blocks, .grain = 2};
}

struct k_work k_margin_work(const struct k_margin *margin)
{
    enum { WORK = 4096 };
    const int64_t each = margin->classes > 0 ? margin->classes : 1;
    return (struct k_work){.items = margin->samples, .grain = WORK / each + 1};
}

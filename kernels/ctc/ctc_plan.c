/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ctc/k_ctc.h"

enum { GRAIN = 4096 }; /* places of all times worth a thread */

struct k_work k_ctc_plan(struct k_ctc *ctc, bool is_gradient)
{
    /* Two rows of sums, one of probabilities, one of what may be skipped, one of classes. */
    ctc->scratch = 5 * (ctc->places + K_CTC_BEFORE + K_CTC_BEHIND);
    if (is_gradient) ctc->scratch += ctc->classes;
    const int64_t cost = ctc->times * (ctc->places + (is_gradient ? ctc->classes / 4 : 0)) + 1;
    return (struct k_work){.items = ctc->samples, .grain = cost >= GRAIN ? 1 : GRAIN / cost + 1};
}

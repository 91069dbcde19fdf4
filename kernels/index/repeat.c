/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/index/k_repeat.h"

static void put(const struct k_repeat *p, void *to, int64_t at, int64_t value)
{
    const int64_t place = p->to_offset + at * p->to_stride;
    if (p->is_wide_to)
        ((int64_t *)to)[place] = value;
    else
        ((int32_t *)to)[place] = (int32_t)value;
}

void k_repeat(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_repeat *p = parameters;
    struct k_fault *fault = buffers[K_REPEAT_BUFFERS];
    int64_t at = 0;
    bool fits = true;
    (void)slice;
    for (int64_t i = 0; i < p->count; i++) {
        int64_t times = k_repeat_at(p, buffers[K_REPEAT_REPEATS], i);
        if (times < 0) {
            k_fault_note(fault, i);
            times = 0;
        }
        if (times > p->room - at) {
            fits = false;
            times = p->room - at;
        }
        for (int64_t end = at + times; at < end; at++)
            put(p, buffers[K_REPEAT_TO], at, i);
    }
    if (!fits || at < p->room) k_fault_note(fault, p->count);
    for (; at < p->room; at++)
        put(p, buffers[K_REPEAT_TO], at, 0);
}

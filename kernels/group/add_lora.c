/* SPDX-License-Identifier: Apache-2.0 */
/* A row of x through the two matrices of its group, added to a row of out. Sums are made in lanes,
 * in the same order on every level. */
#include "kernels/group/k_add_lora.h"
#include "kernels/vector/instance.h"

enum { LANES = 8 };

K_TEMPLATE
float dot(const float *a, const float *b, int64_t count)
{
    float sums[LANES] = {0}, sum = 0;
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sums[lane] += a[k + lane] * b[k + lane];
    for (; k < count; k++)
        sum += a[k] * b[k];
    for (int lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    return sum;
}

static void add_row(const struct k_add_lora *l, const float *x, const float *a, const float *b,
                    float *narrow, float *out)
{
    for (int64_t r = 0; l->has_a && r < l->rank; r++)
        narrow[r] = dot(a + r * l->inputs, x, l->inputs);
    for (int64_t i = 0; i < l->outputs; i++)
        out[i] += l->scale * dot(b + i * l->rank, l->has_a ? narrow : x, l->rank);
}

k_fn K_SYMBOL(add_lora);

void K_SYMBOL(add_lora)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_add_lora *l = parameters;
    for (int64_t row = slice.begin; row < slice.end; row++) {
        const int32_t group = ((const int32_t *)buffers[K_ADD_LORA_INDICES])[row];
        if (group < 0 || group >= l->groups) {
            k_fault_note(buffers[K_ADD_LORA_BUFFERS], row);
            continue;
        }
        add_row(l, (const float *)buffers[K_ADD_LORA_X] + row * l->inputs,
                (const float *)buffers[K_ADD_LORA_A] + group * l->rank * l->inputs,
                (const float *)buffers[K_ADD_LORA_B] + group * l->outputs * l->rank,
                (float *)buffers[K_ADD_LORA_NARROW] + row * l->rank,
                (float *)buffers[K_ADD_LORA_OUT] + row * l->width + l->offset);
    }
}

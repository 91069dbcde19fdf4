/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls have short rows (grad_short.h), and what becomes of their items. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_WALK_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_SHORT_WALK_H

#include "kernels/pool/grad_short_ones.h"
#include "kernels/pool/grad_short_twos.h"
#include "kernels/pool/grad_twos.h"

#if defined(K_ISA_avx512)
enum { SHORT_BAND = 256 }; /* rows that are written before one asks for tiny values */

/* Does this way take the call? */
K_TEMPLATE
bool short_takes(enum k_dtype dt, const struct grad *g)
{
    const struct pool_plan *plan = &g->plan;
    const bool ones = plan->way == POOL_FLAT;
    const bool twos = plan->way == POOL_FLAT_TWO && (plan->width.out - 1) / VL % 2 == 1;
    const bool halves = dt != K_F32 && g->moderate && (dt == K_F16 || g->pairs);
    return (halves ? ones || twos : ones && dt == K_F32) && g->contiguous && plan->channels == 1 &&
           plan->width.out <= SHORT_KEPT * VL && g->pool->rounding == K_ROUND_NONE;
}

/* Items [item, end) of f16 or bf16; returns whether no bf16 was tiny. */
K_TEMPLATE
bool short_items(enum k_dtype dt, struct grad *g, int64_t item, int64_t end)
{
    if (g->plan.way == POOL_FLAT_TWO)
        return (dt == K_F16 ? short_twos_f16 : short_twos_bf16)(g, item, end);
    return (dt == K_F16 ? ones_f16 : ones_bf16)(g, item, end);
}

/* Is no bf16 over these items tiny? */
static inline bool short_no_tiny(struct grad *g, int64_t item, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    for (int64_t next; item < end; item = next) {
        const int64_t h = item % height->in, last = pool_min(h + end - item, height->in);
        next = item + last - h;
        column_begin(g, item / height->in);
        int64_t low, high, unused;
        windows_of_cell(height, h, &low, &unused);
        windows_of_cell(height, last - 1, &unused, &high);
        const int64_t rows = g->depths > 0 ? high + 1 - low : 0;
        if (rows > 0 && !tiny_none(row_of_dy(g, low, k_size(K_BF16)), rows * g->plan.width.out))
            return false;
    }
    return true;
}

/* Bands of bf16: one that had tiny values is written once more, another way; the next ones are
 * looked at beforehand, until one has none. */
static inline void walk_short_bf16(struct grad *g, struct k_slice items)
{
    const int64_t height = g->plan.height.in;
    const bool twos = g->plan.way == POOL_FLAT_TWO;
    bool tiny = false;
    for (int64_t item = items.begin, end; item < items.end; item = end) {
        const struct k_vectors begin = g->outlet.vectors;
        end = item + SHORT_BAND;
        if (end / height > item / height) end -= end % height; /* whole columns */
        end = pool_min(end, items.end);
        tiny = tiny && !short_no_tiny(g, item, end);
        if (!tiny) tiny = !short_items(K_BF16, g, item, end);
        if (!tiny) continue;
        g->outlet.vectors = begin;
        for (int64_t next, at = item; at < end; at = next) {
            const int64_t h = at % height, last = pool_min(h + end - at, height);
            next = at + last - h;
            column_begin(g, at / height);
            if (twos)
                walk_twos(K_BF16, g, h, last);
            else
                walk_flat(K_BF16, g, h, last);
        }
    }
}

K_TEMPLATE
void walk_short(enum k_dtype dt, struct grad *g, struct k_slice items)
{
    if (items.begin == items.end) return;
    column_begin(g, items.begin / g->plan.height.in);
    if (dt == K_F32) {
        ones_f32(g, items.begin, items.end);
        return;
    }
    if (dt == K_F16) short_items(K_F16, g, items.begin, items.end);
    if (dt == K_BF16) walk_short_bf16(g, items);
}
#else
K_TEMPLATE
bool short_takes(enum k_dtype dt, const struct grad *g)
{
    (void)dt, (void)g;
    return false;
}

K_TEMPLATE
void walk_short(enum k_dtype dt, struct grad *g, struct k_slice items)
{
    (void)dt, (void)g, (void)items;
}
#endif

#endif

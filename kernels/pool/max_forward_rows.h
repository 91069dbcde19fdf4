/* SPDX-License-Identifier: Apache-2.0 */
/* How rows of windows of one channel go out: reads and streaming stores in turns, of some KiB
 * each. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_FORWARD_ROWS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_FORWARD_ROWS_H

#include <assert.h>

#include "kernels/pool/max_apart.h"
#include "kernels/pool/max_exact.h"

enum {
    SHORT_READ = 256, /* bytes of cells for a row of windows: of longer ones few at once */
    FEW_ROWS = 6,
    MORE_ROWS = 14,
    MOST_ROWS = 32, /* where nothing is streamed */
};

/* Rows of windows from row `item` of all on; false if they are not to be trusted. */
K_TEMPLATE
bool fast_rows(enum k_dtype dt, bool codes, bool wide, bool apart, struct forward *f,
               struct max_rows *in, int64_t item, int64_t count, struct max_rows_out to)
{
    const struct max_plan *plan = &f->plan;
    if (apart) return apart_block(dt, codes, wide, plan, f->x, f->argmax.end, item, count, to);
    bool good = true;
    for (int64_t run; count > 0; count -= run, item += run) {
        const int64_t oh = item % plan->height.out, above = item / plan->height.out;
        const int64_t od = above % plan->depth.out, outer = above / plan->depth.out;
        run = max_least(count, plan->height.out - oh);
        good &= rows_run(dt, codes, wide, in, outer, od, oh, run, &to);
    }
    return good;
}

K_TEMPLATE
bool forward_block(enum k_dtype dt, bool apart, struct forward *f, struct max_rows *in,
                   int64_t item, int64_t count, struct max_rows_out to)
{
    const bool wide = f->pool->index == K_INDEX_I64;
    assert(f->pool->index == K_INDEX_NONE || to.places != NULL);
    if (f->pool->index == K_INDEX_NONE)
        return fast_rows(dt, false, false, apart, f, in, item, count, to);
    return fast_rows(dt, true, wide, apart, f, in, item, count, to);
}

/* Functions of their own: inlined, f16 and bf16 of 224 x 224 take a fifth longer (AVX-512); by
 * K_OUT_OF_LINE, too. */
#define APART_BLOCK(type, dt)                                                                      \
    K_OUTLINE bool apart_##type(struct forward *f, int64_t item, int64_t count,                    \
                                struct max_rows_out to)                                            \
    {                                                                                              \
        return forward_block(dt, true, f, NULL, item, count, to);                                  \
    }
APART_BLOCK(f32, K_F32)
APART_BLOCK(f16, K_F16)
APART_BLOCK(bf16, K_BF16)
#undef APART_BLOCK

K_TEMPLATE
bool some_rows(enum k_dtype dt, bool apart, struct forward *f, struct max_rows *in, int64_t item,
               int64_t count, struct max_rows_out to)
{
    if (!apart) return forward_block(dt, false, f, in, item, count, to);
    if (dt == K_F32) return apart_f32(f, item, count, to);
    if (dt == K_F16) return apart_f16(f, item, count, to);
    return apart_bf16(f, item, count, to);
}

/* Rows [item, end) of all windows. */
K_TEMPLATE
void forward_rows(enum k_dtype dt, bool apart, struct forward *f, struct max_rows *in, int64_t item,
                  int64_t end)
{
    const struct max_plan *plan = &f->plan;
    const int64_t bytes = plan->width.out * k_size(dt);
    const int64_t index_bytes = plan->width.out * f->index_size;
    const int64_t line = max_most(bytes, index_bytes) + LINE_BYTES;
    const bool joined = !apart && (in->folds || (in->flat && plan->height.stride == 1));
    /* Reads and streaming stores in turns, of some KiB each. */
    const int64_t read = plan->height.stride * plan->width.in * k_size(dt);
    const int64_t in_turns = read > SHORT_READ ? FEW_ROWS : MORE_ROWS;
    const int64_t each_turn = f->pool->stream_output ? in_turns : MOST_ROWS;
    const int64_t wanted = joined ? OUTLET_ROOM : each_turn;
    int64_t most = max_most(max_least(OUTLET_ROOM / line, wanted), 1);
    if (most > plan->height.out) most -= most % plan->height.out; /* whole planes */
    for (int64_t rows; item < end; item += rows) {
        rows = max_least(most, end - item);
        struct max_rows_out to = {outlet_room(&f->values, rows, bytes), NULL,
                                  joined ? bytes : outlet_pitch(&f->values, bytes), 0};
        if (f->indices) {
            to.places = outlet_room(&f->places, rows, index_bytes);
            to.place_pitch = joined ? index_bytes : outlet_pitch(&f->places, index_bytes);
        }
        const bool good = some_rows(dt, apart, f, in, item, rows, to);
        if (!good) exact_rows(dt, f, item, rows, to);
        const int64_t times = joined ? 1 : rows, each = rows / times;
        outlet_took(&f->values, times, each * bytes);
        if (f->indices) outlet_took(&f->places, times, each * index_bytes);
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* y[o] = the largest tap of window o, indices[o] = its cell: one channel, windows of two cells side
 * by side that do not overlap, in rows so short that several share a vector (max_shared.h). */
#include "kernels/pool/max_exact.h"
#include "kernels/pool/max_shared.h"

enum { DIRECT_ROOM = 4 * OUTLET_ROOM /* bytes of results at once where they belong, at most */ };

/* Rows of so many bytes that can be written where they belong. */
static inline int64_t direct_rows(const struct k_outlet *outlet, int64_t bytes)
{
    if (outlet->stream) return 0;
    return max_least(outlet->end - outlet->vectors.to - OUTLET_SLACK, DIRECT_ROOM) / bytes;
}

/* The same where rows share vectors. */
K_TEMPLATE
void forward_shared(enum k_dtype dt, enum k_index index, struct forward *f,
                    const struct max_shared *shared, int64_t item, int64_t end)
{
    const struct max_plan *plan = &f->plan;
    const int64_t bytes = plan->width.out * k_size(dt);
    const int64_t index_bytes = plan->width.out * f->index_size;
    const int64_t few = OUTLET_ROOM / (max_most(bytes, index_bytes) + LINE_BYTES);
    const bool codes = index != K_INDEX_NONE;
    for (int64_t rows; item < end; item += rows) {
        int64_t direct = direct_rows(&f->values, bytes);
        if (codes) direct = max_least(direct, direct_rows(&f->places, index_bytes));
        rows = max_most(few, direct);
        if (rows > plan->height.out) rows -= rows % plan->height.out; /* whole planes */
        rows = max_least(rows, end - item);
        struct max_rows_out to = {outlet_room(&f->values, rows, bytes), NULL, bytes, index_bytes};
        if (codes) to.places = outlet_room(&f->places, rows, index_bytes);
        if (!shared_block(dt, index, shared, plan, f->x, f->argmax.end, item, rows, to))
            exact_rows(dt, f, item, rows, to);
        outlet_took(&f->values, 1, rows * bytes);
        if (codes) outlet_took(&f->places, 1, rows * index_bytes);
    }
}

K_TEMPLATE
void max_pool_shared(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                     struct k_slice slice)
{
    struct forward f;
    forward_begin(dt, &f, pool, buf);
    const struct max_shared shared = max_shared(dt, &f.plan);
    if (!forward_out(dt, &f, slice)) return;
    if (pool->index == K_INDEX_NONE)
        forward_shared(dt, K_INDEX_NONE, &f, &shared, slice.begin, slice.end);
    else /* whether they are wide matters little */
        forward_shared(dt, pool->index, &f, &shared, slice.begin, slice.end);
    forward_end(&f);
}

K_FLOATS_VECTOR(max_pool_shared, struct k_max_pool)

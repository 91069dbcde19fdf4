/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling, one channel, windows of 3 x 3 by a step of one, as many as cells: all
 * planes as one row of cells, by vectors that are whole lines of the output. A cell's windows are
 * the nine at fixed distances from it in that row. Those beside the end of a row or a plane do not
 * match it, as an index means one cell; an index that does lies at one of the nine distances from
 * its window, whatever the rows, and that is all that has to hold. Each of the three rows of
 * windows over a vector of cells is loaded once, its neighbours come by permutation. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_GRAD_FLAT_H
#define ACLNN_CPU_KERNELS_POOL_MAX_GRAD_FLAT_H

#include "kernels/pool/max_grad.h"
#include "kernels/pool/max_scatter.h"

enum { FLAT_CHUNK = 2048 }; /* cells, in whole planes, that are done again if an index strays */

struct flat {
    const int32_t *places;
    const char *values, *end;
    char *dx;
    int64_t all, begin, finish; /* cells of the tensor; those of the slice */
    int64_t cells, width;       /* of an outer, of a row */
    int64_t period;             /* indices begin anew behind so many */
    bool stream;
    vu reach, most; /* largest distance from a row of the three, largest index */
};

/* What indices mean the cells from cell p of the tensor on. */
static inline vu flat_cells(const struct flat *f, int64_t p)
{
    const vu cell = (vu)v_lanes() + (uint32_t)((p % f->period + f->period) % f->period);
    return v_least_u(cell, cell - (uint32_t)f->period);
}

/* What `places`, of the windows that the cells lie in the middle of, say of their indices. */
K_TEMPLATE
vu flat_reach(vu places, vu cell, uint32_t width)
{
    const vu first = places - cell + (width + 1), second = first - width;
    return v_least_u(first, v_least_u(second, second - width));
}

/* The sum of three windows of a row, which lie in the order of memory. */
K_TEMPLATE
vf flat_add(vf sum, vu cell, const vi places[FLAT_SIDE], const vf values[FLAT_SIDE])
{
#pragma GCC unroll 3
    for (int c = 0; c < FLAT_SIDE; c++)
        sum = v_add_where_same(sum, places[c], (vi)cell, values[c]);
    return sum;
}

/* Elements of memory one vector after the other, from any place on. A load that crosses a line
 * waits for the streaming stores before it to places of the same number in their pages, which is
 * where the windows over a cell often lie: where picking is cheap, whole vectors are loaded. */
struct flat_source {
    const char *at; /* of the next load */
#if defined(K_ISA_avx512)
    vf last; /* the load before it */
    vi from;
#endif
};

/* The source's next VL elements, as lanes. */
K_TEMPLATE
vf flat_next(enum k_dtype dt, struct flat_source *source)
{
    const vf loaded = k_load(dt, source->at);
    source->at += VL * k_size(dt);
#if defined(K_ISA_avx512)
    const vf picked = v_pick(source->last, loaded, source->from);
    source->last = loaded;
    return picked;
#else
    return v_held(loaded);
#endif
}

K_TEMPLATE
struct flat_source flat_source(enum k_dtype dt, const char *at)
{
    struct flat_source source = {.at = at};
    (void)dt;
#if defined(K_ISA_avx512)
    const int64_t behind = (int64_t)((uintptr_t)at % (uintptr_t)(VL * k_size(dt)));
    source.at = at - behind;
    source.from = v_lanes() + (int32_t)(behind / k_size(dt));
    flat_next(dt, &source);
#endif
    return source;
}

/* A row of windows over cells: those of the vector before and of the one in work, and what follows.
 */
struct flat_row {
    struct flat_source places, values;
    vf place[2], value[2];
};

struct flat_rows {
    struct flat_row row[FLAT_SIDE];
    vu cell, reach, most;
};

/* VL cells; all windows of those a vector further on are in memory. */
K_TEMPLATE
vf flat_sums(enum k_dtype dt, struct flat_rows *rows, uint32_t width, uint32_t period)
{
    vf sum = {0};
    const vu own = (vu)rows->row[1].place[1], cell = rows->cell;
    rows->reach = v_most_u(rows->reach, flat_reach(own, cell, width));
    rows->most = v_most_u(rows->most, own);
#pragma GCC unroll 3
    for (int r = 0; r < FLAT_SIDE; r++) {
        struct flat_row *row = &rows->row[r];
        const vf next = flat_next(K_F32, &row->places), after = flat_next(dt, &row->values);
        const vi places[] = {(vi)v_delay(1, row->place[0], row->place[1]), (vi)row->place[1],
                             (vi)v_advance(row->place[1], next)};
        const vf values[] = {v_delay(1, row->value[0], row->value[1]), row->value[1],
                             v_advance(row->value[1], after)};
        sum = flat_add(sum, cell, places, values);
        row->place[0] = row->place[1], row->place[1] = next;
        row->value[0] = row->value[1], row->value[1] = after;
    }
    k_prefetch(rows->row[FLAT_SIDE - 1].places.at + MAX_AHEAD);
    rows->cell = v_least_u(cell + VL, cell + (VL - period));
    return sum;
}

/* `count` vectors of the output from cell p on. */
K_TEMPLATE
void flat_run(enum k_dtype dt, struct flat *f, int64_t p, int64_t count)
{
    char *to = f->dx + p * k_size(dt);
    const uint32_t width = (uint32_t)f->width, period = (uint32_t)f->period;
    struct flat_rows rows = {.cell = flat_cells(f, p), .reach = f->reach, .most = f->most};
#pragma GCC unroll 3
    for (int r = 0; r < FLAT_SIDE; r++) {
        const int64_t at = p + (r - 1) * f->width - VL;
        struct flat_row *row = &rows.row[r];
        row->places = flat_source(K_F32, (const char *)(f->places + at));
        row->values = flat_source(dt, f->values + at * k_size(dt));
        row->place[0] = flat_next(K_F32, &row->places);
        row->place[1] = flat_next(K_F32, &row->places);
        row->value[0] = flat_next(dt, &row->values);
        row->value[1] = flat_next(dt, &row->values);
    }
    for (int64_t i = 0; i < count; i++) {
        vf sums[2];
        sums[0] = flat_sums(dt, &rows, width, period);
        if (dt != K_F32) sums[1] = flat_sums(dt, &rows, width, period);
        k_prefetch(rows.row[FLAT_SIDE - 1].values.at + MAX_AHEAD);
        k_store_parts(dt, to, sums, f->stream);
        to += K_VECTOR_BYTES;
    }
    f->reach = rows.reach;
    f->most = rows.most;
}

/* One such vector at an end of the tensor or of the slice. */
K_TEMPLATE
void flat_edge(enum k_dtype dt, struct flat *f, int64_t p)
{
    enum { AROUND = VL + FLAT_SIDE - 1 };
    char bytes[K_VECTOR_BYTES];
    vf sums[2] = {{0}};
    const int64_t first = p;
    for (int part = 0; part < LINE_PARTS(dt); part++, p += VL) {
        const vu cell = flat_cells(f, p);
        for (int r = 0; r < FLAT_SIDE; r++) {
            int32_t around[AROUND];
            float terms[AROUND];
            for (int i = 0; i < AROUND; i++) {
                const int64_t at = p + (r - 1) * f->width + i - 1;
                const bool exists = at >= 0 && at < f->all;
                around[i] = exists ? f->places[at] : -1;
                terms[i] = exists ? scalar_load(dt, f->values + at * k_size(dt)) : 0;
            }
            const vi near[] = {v_load_i(around), v_load_i(around + 1), v_load_i(around + 2)};
            const vf values[] = {v_load(terms), v_load(terms + 1), v_load(terms + 2)};
            sums[part] = flat_add(sums[part], cell, near, values);
            if (r != 1) continue;
            const vi lane = v_lanes(), low = v_all_i((int32_t)max_least(max_most(-p, 0), VL));
            const vu own = (vu)(lane >= low) & (vu)(lane < (int32_t)max_least(f->all - p, VL));
            f->reach = v_most_u(f->reach, flat_reach((vu)near[1], cell, (uint32_t)f->width) & own);
            f->most = v_most_u(f->most, (vu)near[1] & own);
        }
    }
    const int64_t begin = max_most(first, f->begin), end = max_least(p, f->finish);
    k_store_parts(dt, bytes, sums, false);
    memcpy(f->dx + begin * k_size(dt), bytes + (begin - first) * k_size(dt),
           (size_t)((end - begin) * k_size(dt)));
}

/* Vectors of cells from p on, to cell `until` at least. Returns where they end. */
K_TEMPLATE
int64_t flat_cells_until(enum k_dtype dt, struct flat *f, int64_t p, int64_t until)
{
    const int64_t step = LINE_PARTS(dt) * VL;
    while (p < until) {
        const int64_t low = max_most(f->begin, f->width + 2 * VL);
        const int64_t high = max_least(f->finish, f->all - f->width - 2 * VL);
        const int64_t fit = p >= low ? (high - p) / step : 0;
        const int64_t count = max_least(fit, (until - p + step - 1) / step);
        if (count > 0)
            flat_run(dt, f, p, count);
        else
            flat_edge(dt, f, p);
        p += max_most(count, 1) * step;
    }
    return p;
}

K_OUT_OF_LINE(int64_t, flat_cells_until, (struct flat * f, int64_t p, int64_t until), (f, p, until))

/* Items are outers; returns as walk_rows. */
K_TEMPLATE
bool walk_flat(enum k_dtype dt, struct max_grad *g, const struct k_scatter *scatter,
               struct k_slice slice)
{
    const struct max_plan *plan = &g->plan;
    const int64_t width = plan->width.in, cells = plan->depth.in * plan->height.in * width;
    const int64_t planes = max_most(FLAT_CHUNK / cells, 1);
    struct flat f = {.places = (const int32_t *)(const void *)g->indices,
                     .values = g->dy,
                     .dx = g->dx,
                     .all = plan->outer * cells,
                     .begin = slice.begin * cells,
                     .finish = slice.end * cells,
                     .cells = cells,
                     .width = width,
                     .period = g->indices_step > 0 ? plan->outer * cells : cells,
                     .stream =
                         g->pool->stream_output && (uintptr_t)g->dx % (uintptr_t)g->dy_size == 0};
    bool unsettled = false, strays = false;
    int64_t p = f.begin;
    p -= (int64_t)((uintptr_t)(g->dx + p * k_size(dt)) % K_VECTOR_BYTES) / k_size(dt);
    for (int64_t outer = slice.begin, end; outer < slice.end; outer = end) {
        const bool before = strays;
        end = max_least(outer + planes, slice.end);
        const int64_t until = end * cells;
        p = flat_cells_until_of(dt, &f, p, until);
        strays = v_any((vi)(f.reach >= FLAT_SIDE) | (vi)(f.most >= (uint32_t)f.period));
        f.reach = f.most = (vu){0};
        if (before || strays) k_stream_end();
        for (int64_t o = max_most(outer - 1, slice.begin); (before || strays) && o < end; o++)
            unsettled |= scatter_outer(dt, scatter, o);
        /* It may have met cells of other slices' outers. */
        if (strays && (f.period > cells || (outer == slice.begin && f.begin > 0) ||
                       (end == slice.end && f.finish < f.all)))
            unsettled = true;
    }
    return unsettled;
}

#endif

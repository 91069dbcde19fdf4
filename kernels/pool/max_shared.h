/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling of one channel, windows of two cells side by side that do not overlap along the
 * width, in rows of at most VL windows: as many rows as fit share a vector, in the order of their
 * results. Each vector is stored over the lanes that the one before it has left. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_SHARED_H
#define ACLNN_CPU_KERNELS_POOL_MAX_SHARED_H

#include <assert.h>

#include "kernels/pool/max_apart.h"

enum {
    SHARED_CELLS = 4, /* rows of cells of a window: 2 or so many */
#if defined(K_PERMUTES)
    SHARED_ROWS = 4 /* rows of windows of a vector, at most */
#else
    SHARED_ROWS = 1
#endif
};

/* How rows of windows share vectors. Rows that lie alike over their cells are a column: those of
 * all planes, of a volume, or of a plane. */
struct max_shared {
    int rows;       /* of a vector: 1, 2, 4 */
    int64_t column; /* rows of a column; INT64_MAX: all */
    int64_t step;   /* cells from row to row, and */
    int64_t period; /* from each row of so many to the next one */
    int64_t jump;   /* so many more */
    vi first;       /* of each window of a vector: its first cell among those loaded, */
    vi place, row;  /* its first cell's place if none jumps, its row */
};

K_TEMPLATE
struct max_shared max_shared(enum k_dtype dt, const struct max_plan *plan)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    const int64_t out = plan->width.out;
    struct max_shared shared = {
        .column = INT64_MAX, .step = height->stride * plan->width.in, .period = INT64_MAX};
    assert(max_is_shared(plan, VL));
    shared.column = height->out;
    if (max_is_deep_inside(depth)) {
        const int64_t stride = depth->out == 1 ? depth->in : depth->stride;
        shared.column = depth->out * stride == depth->in ? INT64_MAX : depth->out * height->out;
        shared.jump = max_jump(plan);
        if (shared.jump != 0) shared.period = height->out;
    }
    shared.rows = 1;
    if (SHARED_ROWS > 1 && 2 * out <= VL && shared.period > 2) shared.rows = 2;
    if (SHARED_ROWS > 1 && 4 * out <= VL && shared.jump == 0) shared.rows = SHARED_ROWS;
    const int64_t plane = depth->in * height->in * plan->width.in;
    int32_t first[VL] = {0}, place[VL] = {0}, row[VL] = {0}; /* lanes behind are the first again */
    const int32_t apart = shared.rows == 4 ? VL / 2 : VL, step = dt == K_BF16 ? 1 : 2;
    int32_t from = 0; /* the place of a row's first cell */
    for (int32_t r = 0, i = 0; r < shared.rows; r++) {
        for (int32_t w = 0; w < out; w++, i++) {
            row[i] = r;
            first[i] = r * apart + w * step;
            place[i] = from + 2 * w;
        }
        from = (int32_t)((from + shared.step) % plane);
    }
    shared.first = v_load_i(first);
    shared.place = v_load_i(place);
    shared.row = v_load_i(row);
    return shared;
}

#if defined(K_PERMUTES)
/* Half a vector of memory from each of two places; f16: half of VL elements, widened. */
K_TEMPLATE
vf shared_halves(enum k_dtype dt, const char *a, const char *b)
{
#if defined(K_ISA_avx512)
    if (dt == K_F16)
        return (vf)_mm512_cvtph_ps(
            _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)a)),
                                    _mm_loadu_si128((const void *)b), 1));
    return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps((const void *)a)),
                                  _mm256_loadu_ps((const void *)b), 1);
#else
    if (dt == K_F16)
        return (vf)_mm256_cvtph_ps(
            _mm_unpacklo_epi64(_mm_loadl_epi64((const void *)a), _mm_loadl_epi64((const void *)b)));
    return (vf)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((const void *)a)),
                                    _mm_loadu_ps((const void *)b), 1);
#endif
}
#endif

/* A vector of memory; f16: VL elements, widened. */
K_TEMPLATE
vf shared_load(enum k_dtype dt, const char *at)
{
    return k_load(dt == K_F16 ? K_F16 : K_F32, at);
}

/* The even and the odd cells of VL windows of so many rows, byte `under` of which is the first. */
K_TEMPLATE
void shared_cells(enum k_dtype dt, int rows, const char *const at[], int64_t under, vi first,
                  vf cells[2])
{
    const int64_t second = under + (dt == K_F16 ? VL * 2 : K_VECTOR_BYTES);
    vf a, b = {0};
#if defined(K_PERMUTES)
    if (rows == 4) {
        a = shared_halves(dt, at[0] + under, at[1] + under);
        b = shared_halves(dt, at[2] + under, at[3] + under);
    } else
#endif
    {
        a = shared_load(dt, at[0] + under);
        if (rows == 2) b = shared_load(dt, at[1] + under);
        if (rows == 1 && dt != K_BF16) b = shared_load(dt, at[0] + second);
    }
    if (dt == K_BF16) {
        const vu pairs = (vu)(rows == 1 ? a : v_pick(a, b, first));
        cells[0] = (vf)(pairs << 16);
        cells[1] = (vf)(pairs & 0xffff0000);
        return;
    }
    cells[0] = rows == 1 ? v_unzip(0, a, b) : v_pick(a, b, first);
    cells[1] = rows == 1 ? v_unzip(1, a, b) : v_pick(a, b, first + 1);
}

/* Bytes that are read of a row of cells. */
K_TEMPLATE
int64_t shared_reach(enum k_dtype dt, int rows)
{
    if (dt == K_BF16) return rows == 4 ? K_VECTOR_BYTES / 2 : K_VECTOR_BYTES;
    return 2 * VL * k_size(dt) / rows;
}

/* A run of rows of windows of a column. */
struct shared_run {
    const struct max_shared *shared;
    const char *at;             /* the first row's first row of cells; the others from there, */
    int64_t row[SHARED_CELLS];  /* in bytes */
    int32_t code[SHARED_CELLS]; /* and in cells */
    int count;
    int64_t phase;      /* rows of windows since the last jump */
    int64_t place;      /* of the first cell */
    int64_t plane;      /* cells until places begin again */
    int64_t out;        /* windows of a row */
    int64_t left, skip; /* as in struct apart_rows */
    struct max_rows_out to;
};

/* Jumps from a run's first row to another one; cells. */
static inline int64_t shared_jumps(const struct shared_run *run, int64_t row)
{
    return run->shared->jump == 0 ? 0 : (run->phase + row) / run->shared->period;
}

static inline int64_t shared_offset(const struct shared_run *run, int64_t row)
{
    return row * run->shared->step + shared_jumps(run, row) * run->shared->jump;
}

/* Announces what lies ahead of row `r` of cells under each of so many rows of windows, where lines
 * are not the neighbours' too. */
K_TEMPLATE
void shared_ahead(enum k_dtype dt, int rows, int r, const char *const at[], int64_t under)
{
    const int bytes = 2 * VL * k_size(dt) / rows; /* of a row of cells, at most */
    const int step = 4 * bytes <= LINE_BYTES ? 2 : 1;
    if (2 * bytes <= LINE_BYTES && r % 2 > 0) return;
#pragma GCC unroll 4
    for (int j = 0; j < rows; j += step)
        for (int line = 0; line < bytes; line += LINE_BYTES)
            k_prefetch(at[j] + under + line + MAX_FAR);
}

/* Where the rows of a vector are. */
struct shared_at {
    const char *at[SHARED_ROWS];
    const char *turn; /* what lies ahead of the first one from there on is `skip` further */
    int64_t last;     /* the number of the last row since a jump */
    vu cell;          /* of each window */
};

K_TEMPLATE
struct shared_at shared_begin(int64_t size, int rows, const struct shared_run *run, int64_t row)
{
    const struct max_shared *shared = run->shared;
    const int64_t jump = shared->jump, jumps = shared_jumps(run, row), period = shared->period;
    const int64_t since = jump == 0 ? 0 : run->phase + row - jumps * period;
    const int64_t begin = row * shared->step + jumps * jump;
    struct shared_at s = {.last = since + rows - 1};
    for (int j = 0; j < rows; j++)
        s.at[j] = run->at + (begin + j * shared->step + (since + j >= period ? jump : 0)) * size;
    s.cell = (vu)shared->place + (uint32_t)((run->place + begin) % run->plane);
    if (jump == 0) return s;
    s.cell +=
        (vu)(v_all_i((int32_t)jump) & (shared->row >= (int32_t)max_least(period - since, VL)));
    if (s.last >= period) s.last -= period;
    s.turn = run->at + run->left - MAX_FAR + jumps * (period * shared->step + jump) * size;
    return s;
}

/* `groups` times `rows` rows from row `row` of the run on; a sum that is a NaN if a cell is one. */
K_TEMPLATE
vf shared_groups(enum k_dtype dt, enum k_index index, bool jumps, int rows, int count,
                 const struct shared_run *run, int64_t row, int64_t groups)
{
    const bool codes = index != K_INDEX_NONE, wide = index == K_INDEX_I64;
    const struct max_shared *shared = run->shared;
    const int64_t size = k_size(dt), place_size = wide ? 8 : 4, made = rows * run->out;
    const int64_t step = shared->step, period = shared->period, jump = shared->jump;
    const vi first = shared->first, before = shared->row - (rows - 1);
    const vi leap = v_all_i((int32_t)jump);
    const vu plane = (vu)v_all_i((int32_t)run->plane);
    const vu advance = (vu)v_all_i((int32_t)(rows * step % run->plane));
    const struct shared_at begin = shared_begin(size, rows, run, row);
    const char *at[SHARED_ROWS], *turn = begin.turn;
    char *values = run->to.values + row * run->out * size;
    char *places = codes ? run->to.places + row * run->out * place_size : NULL;
    int64_t under[SHARED_CELLS], last = begin.last;
    vi code[2 * SHARED_CELLS];
    vu cell = begin.cell;
    vf sum = {0};
#pragma GCC unroll 4
    for (int j = 0; j < rows; j++)
        at[j] = begin.at[j];
#pragma GCC unroll 4
    for (int r = 0; r < count; r++) {
        under[r] = run->row[r];
        code[2 * r] = v_all_i(run->code[r]);
        code[2 * r + 1] = v_all_i(run->code[r] + 1);
    }
    for (; groups > 0; groups--) {
        const int64_t beyond = !jumps || at[0] < turn ? 0 : run->skip;
        vf best = {0};
        vi place = {0};
#pragma GCC unroll 4
        for (int j = 1; j < rows && !jumps; j++)
            at[j] = at[0] + j * step * size;
#pragma GCC unroll 4
        for (int r = 0; r < count; r++) {
            vf cells[2];
            shared_ahead(dt, rows, r, at, under[r] + beyond);
            shared_cells(dt, rows, at, under[r], first, cells);
            sum = sum + (cells[0] + cells[1]);
            if (r == 0)
                best = cells[0];
            else if (codes)
                v_take_greater(&best, &place, cells[0], code[2 * r]);
            else
                best = v_greater(best, cells[0]);
            if (codes)
                v_take_greater(&best, &place, cells[1], code[2 * r + 1]);
            else
                best = v_greater(best, cells[1]);
        }
        k_store_same(dt, values, best);
        values += made * size;
        if (codes) {
            cell = v_least_u(cell, cell - plane);
            put_place(wide, places, place + (vi)cell, false);
            places += made * place_size;
            cell += advance;
        }
#pragma GCC unroll 4
        for (int j = 0; j < rows; j++)
            at[j] += rows * step * size;
        if (!jumps) continue;
        last += rows;
        if (last >= period) last -= period;
        if (last >= 2 * rows - 1) continue; /* no row has passed a jump; else the last ones first */
#pragma GCC unroll 4
        for (int j = 0; j < rows; j++)
            if ((uint64_t)(last + j - (rows - 1)) < (uint64_t)rows) at[j] += jump * size;
        if (last >= rows - 1) turn += (period * step + jump) * size;
        cell += (vu)(leap & (vi)((vu)(before + (int32_t)last) < (vu)v_all_i(rows)));
    }
    return sum;
}

/* The same of all `all` rows, at least `rows`; the last ones maybe twice. */
K_TEMPLATE
bool shared_rows(enum k_dtype dt, enum k_index index, bool jumps, int rows, int count,
                 const struct shared_run *run, int64_t all)
{
    int64_t row = 0, groups = all / rows, rest = all % rows;
    vf sum = {0};
    while (groups > 0) {
        sum = sum + shared_groups(dt, index, jumps, rows, count, run, row, groups);
        groups = rest > 0;
        rest = 0;
        row = all - rows;
    }
    return !v_any((vi)(sum != sum));
}

K_TEMPLATE
bool shared_counts(enum k_dtype dt, enum k_index index, const struct shared_run *run, int64_t all)
{
    const int rows = SHARED_ROWS == 1 ? 1 : run->shared->rows;
    if (run->shared->jump == 0) {
        if (rows == 1) return shared_rows(dt, index, false, 1, 2, run, all);
        if (rows == 2) return shared_rows(dt, index, false, 2, 2, run, all);
        return shared_rows(dt, index, false, SHARED_ROWS, 2, run, all);
    }
    if (run->count == 2) {
        if (rows == 1) return shared_rows(dt, index, true, 1, 2, run, all);
        return shared_rows(dt, index, true, 2, 2, run, all);
    }
    if (rows == 1) return shared_rows(dt, index, true, 1, SHARED_CELLS, run, all);
    return shared_rows(dt, index, true, 2, SHARED_CELLS, run, all);
}

/* Rows of windows from a run's first one on, at most `most`, that read nothing behind `end`. */
K_TEMPLATE
int64_t shared_inside(enum k_dtype dt, const struct shared_run *run, const char *end, int64_t most)
{
    const int64_t last = run->row[run->count - 1] + shared_reach(dt, run->shared->rows);
    const int64_t room = (end - run->at) - last;
    while (most > 0 && shared_offset(run, most - 1) * k_size(dt) > room)
        most--;
    return most;
}

/* The run that begins with row `item` of all; false if windows there reach into padding. */
K_TEMPLATE
bool shared_find(enum k_dtype dt, const struct max_plan *plan, const char *x, int64_t item,
                 struct shared_run *run)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    const int64_t oh = item % height->out, above = item / height->out, in = plan->width.in;
    const int64_t od = above % depth->out, outer = above / depth->out;
    const int64_t d = od * depth->stride - depth->pad, plane = height->in * in;
    if (d < 0 || d + max_span(depth) > depth->in) return false;
    run->count = 0;
    for (int64_t i = 0; i < depth->kernel; i++)
        for (int64_t j = 0; j < height->kernel; j++) {
            const int64_t cells = i * depth->dilation * plane + j * height->dilation * in;
            run->row[run->count] = cells * k_size(dt);
            run->code[run->count++] = (int32_t)cells;
        }
    run->phase = oh;
    run->place = d * plane + oh * height->stride * in;
    run->plane = depth->in * plane;
    run->at = x + (outer * run->plane + run->place) * k_size(dt);
    run->out = plan->width.out;
    run->left = (height->in - oh * height->stride) * in * k_size(dt);
    run->skip = depth->kernel > 1 ? (depth->stride - 1) * plane * k_size(dt) : 0;
    return true;
}

/* Rows that share no vectors, for what others leave over: one loop for all indices. */
K_TEMPLATE
bool shared_rest(enum k_dtype dt, enum k_index index, const struct max_plan *plan, const char *x,
                 const char *end, int64_t item, int64_t count, struct max_rows_out to)
{
    return apart_block(dt, index != K_INDEX_NONE, index == K_INDEX_I64, plan, x, end, item, count,
                       to);
}

K_OUT_OF_LINE(bool, shared_rest,
              (enum k_index index, const struct max_plan *plan, const char *x, const char *end,
               int64_t item, int64_t count, struct max_rows_out to),
              (index, plan, x, end, item, count, to))

/* As apart_block. Rows of results have no gaps between them. */
K_TEMPLATE
bool shared_block(enum k_dtype dt, enum k_index index, const struct max_shared *shared,
                  const struct max_plan *plan, const char *x, const char *end, int64_t item,
                  int64_t count, struct max_rows_out to)
{
    bool good = true;
    for (int64_t all; count > 0; count -= all, item += all) {
        struct shared_run run = {.shared = shared, .to = to};
        int64_t inside = 0;
        all = count;
        if (shared->column < INT64_MAX)
            all = max_least(count, shared->column - item % shared->column);
        if (shared_find(dt, plan, x, item, &run)) inside = shared_inside(dt, &run, end, all);
        if (inside >= shared->rows) {
            all = inside;
            good &= shared_counts(dt, index, &run, all);
        } else {
            good &= shared_rest_of(dt, index, plan, x, end, item, all, to);
        }
        to.values += all * to.pitch;
        if (index != K_INDEX_NONE) to.places += all * to.place_pitch;
    }
    return good;
}

#endif

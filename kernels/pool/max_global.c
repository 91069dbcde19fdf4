/* SPDX-License-Identifier: Apache-2.0 */
/* The maximum over one axis: the first of equal elements (of zeros, too), NaN if one is.
 *
 * Nothing inside of the axis: vectors run along it, and the lanes of VL rows are compared together,
 * so that a row costs two permutations. Else vectors run along what is inside, several at once,
 * down a few cells at a time: more lie in more pages than a CPU keeps at hand. */
#include <math.h>

#include "kernels/pool/max_pool_plan.h"
#include "kernels/vector/block.h"
#include "kernels/vector/instance.h"
#include "kernels/vector/select.h"

/* ---- along the axis ---- */

/* Lane by lane the largest so far, and a sum that is a NaN if one of them is. */
struct run {
    vf best, sum;
};

/* exact: NaN is the largest; else it is anything. */
K_TEMPLATE
struct run run_take(bool exact, struct run run, vf value)
{
    return (struct run){exact ? v_larger(run.best, value) : v_greater(run.best, value),
                        run.sum + value};
}

K_TEMPLATE
struct run run_block(enum k_dtype dt, bool exact, struct run run, const char *at)
{
    const struct k_block block = block_load(dt, at);
    run = run_take(exact, run, block.a);
    return dt == K_F32 ? run : run_take(exact, run, block.b);
}

/* Of `count` elements in a row; bytes up to `end` may be read. */
K_TEMPLATE
struct run largest_of_row(enum k_dtype dt, bool exact, const char *x, int64_t count,
                          const char *end)
{
    const int64_t size = k_size(dt);
    const struct run none = {v_all(-INFINITY), {0}};
    if (count < VL) {
        const vf value = k_load_first_before(dt, x, (int)count, end);
        return (struct run){v_first((int)count, value, none.best), value};
    }
    if (count < BLOCK(dt))
        return run_take(exact, run_take(exact, none, k_load(dt, x)),
                        k_load(dt, x + (count - VL) * size));
    const char *last = x + count * size - K_VECTOR_BYTES; /* maybe some of them again */
    struct run even = run_block(dt, exact, none, x), odd = run_block(dt, exact, none, last);
    const char *at = x + K_VECTOR_BYTES;
    for (; at + K_VECTOR_BYTES < last; at += 2 * K_VECTOR_BYTES) {
        even = run_block(dt, exact, even, at);
        odd = run_block(dt, exact, odd, at + K_VECTOR_BYTES);
    }
    if (at < last) even = run_block(dt, exact, even, at);
    even = run_take(exact, even, odd.best);
    even.sum = even.sum + odd.sum;
    return even;
}

/* The largest of each of `rows` rows, at most VL; *nan tells whether one may be a NaN. */
K_TEMPLATE
vf largest_of_rows(enum k_dtype dt, bool exact, const char *x, int64_t count, int rows,
                   const char *end, bool *nan)
{
    vf best[VL], sums = {0};
    for (int i = 0; i < rows; i++, x += count * k_size(dt)) {
        const struct run run = largest_of_row(dt, exact, x, count, end);
        best[i] = run.best;
        sums = sums + run.sum;
    }
    for (int i = rows; i < VL; i++)
        best[i] = v_all(-INFINITY);
    for (int n = VL / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) {
            const vf even = v_unzip(0, best[2 * i], best[2 * i + 1]);
            const vf odd = v_unzip(1, best[2 * i], best[2 * i + 1]);
            best[i] = exact ? v_larger(even, odd) : v_greater(even, odd);
        }
    *nan = v_any((vi)(sums != sums));
    return best[0];
}

/* Zeros are equal, whatever their sign: the first one of a row that has one. */
K_TEMPLATE
float first_zero(enum k_dtype dt, const char *x)
{
    for (;; x += k_size(dt)) {
        const float value = k_load_first(dt, x, 1)[0];
        if (value == 0) return value;
    }
}

K_TEMPLATE
void global_rows(enum k_dtype dt, const struct k_max_global *global, const char *x, char *y,
                 struct k_slice slice)
{
    const int64_t size = k_size(dt), bytes = global->length * size;
    const char *end = x + global->outer * bytes;
    for (int64_t item = slice.begin; item < slice.end; item += VL) {
        const int rows = (int)max_least(slice.end - item, VL);
        const char *from = x + item * bytes;
        bool nan;
        vf best = largest_of_rows(dt, false, from, global->length, rows, end, &nan);
        if (nan) best = largest_of_rows(dt, true, from, global->length, rows, end, &nan);
        if (v_any((vi)(best == v_all(0))))
            for (int i = 0; i < rows; i++)
                if (best[i] == 0) best[i] = first_zero(dt, from + i * bytes);
        char bits[K_VECTOR_BYTES];
        k_store(dt, bits, best);
        memcpy(y + item * size, bits, (size_t)(rows * size));
    }
}

/* ---- along what is inside ---- */

enum { NEAR_CELLS = 64, NEAR_RUNS = 4 };

/* Blocks that make as many runs. */
#define NEAR(dt) ((dt) == K_F32 ? NEAR_RUNS : NEAR_RUNS / 2)

/* `blocks` blocks of `count` cells, and of `to` unless they are the first, go to `to`; false, and
 * nothing does, if one may be a NaN and exact is not asked for. The elements behind are announced.
 */
K_TEMPLATE
bool larger_cells(enum k_dtype dt, bool exact, int blocks, bool first, const char *at,
                  int64_t cell_bytes, int64_t count, char *to)
{
    struct run a[NEAR_RUNS], b[NEAR_RUNS];
    vi nan = {0};
#pragma GCC unroll 4
    for (int i = 0; i < blocks; i++) {
        const struct k_block block = block_load(dt, (first ? at : to) + i * K_VECTOR_BYTES);
        a[i] = (struct run){block.a, block.a};
        b[i] = (struct run){block.b, block.b};
    }
    for (int64_t cell = first; cell < count; cell++) {
        at += cell_bytes;
#pragma GCC unroll 4
        for (int i = 0; i < blocks; i++) {
            const char *from = at + i * K_VECTOR_BYTES;
            const struct k_block block = block_load(dt, from);
            a[i] = run_take(exact, a[i], v_held(block.a));
            if (dt != K_F32) b[i] = run_take(exact, b[i], block.b);
            if (i % LINE_STORES == 0) __builtin_prefetch(from + blocks * K_VECTOR_BYTES, 0, 2);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < blocks; i++)
        nan |= (vi)(a[i].sum != a[i].sum) | (vi)(b[i].sum != b[i].sum);
    if (!exact && v_any(nan)) return false;
#pragma GCC unroll 4
    for (int i = 0; i < blocks; i++)
        k_put(to + i * K_VECTOR_BYTES, block_elements(dt, (struct k_block){a[i].best, b[i].best}));
    return true;
}

K_TEMPLATE
void larger_blocks(enum k_dtype dt, int blocks, bool first, const char *at, int64_t cell_bytes,
                   int64_t count, char *to)
{
    if (!larger_cells(dt, false, blocks, first, at, cell_bytes, count, to))
        larger_cells(dt, true, blocks, first, at, cell_bytes, count, to);
}

/* `width` elements of `count` cells. */
K_TEMPLATE
void larger_row(enum k_dtype dt, bool first, const char *at, int64_t width, int64_t cell_bytes,
                int64_t count, const char *end, char *to)
{
    const int64_t bytes = width * k_size(dt), step = NEAR(dt) * K_VECTOR_BYTES;
    int64_t x = 0;
    for (; x + step <= bytes; x += step)
        larger_blocks(dt, NEAR(dt), first, at + x, cell_bytes, count, to + x);
    for (; x + K_VECTOR_BYTES <= bytes; x += K_VECTOR_BYTES)
        larger_blocks(dt, 1, first, at + x, cell_bytes, count, to + x);
    if (x == bytes) return;
    const int left = (int)((bytes - x) / k_size(dt));
    struct k_block best = block_load_first(dt, (first ? at : to) + x, left, first ? end : to + x);
    for (int64_t cell = first; cell < count; cell++) {
        at += cell_bytes;
        const struct k_block block = block_load_first(dt, at + x, left, end);
        best.a = v_larger(best.a, block.a);
        best.b = v_larger(best.b, block.b);
    }
    const vf elements = block_elements(dt, best);
    memcpy(to + x, &elements, (size_t)(bytes - x));
}

/* Items are tiles of what is inside. The output's elements are the largest so far. */
K_TEMPLATE
void global_columns(enum k_dtype dt, const struct k_max_global *global, const char *x, char *y,
                    struct k_slice slice)
{
    const int64_t inner = global->inner, cell_bytes = inner * k_size(dt), length = global->length;
    const int64_t tiles = max_global_tiles(global);
    const char *end = x + global->outer * length * cell_bytes;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t outer = item / tiles, first = item % tiles * MAX_GLOBAL_TILE;
        const int64_t width = max_least(inner - first, MAX_GLOBAL_TILE);
        const char *from = x + outer * length * cell_bytes + first * k_size(dt);
        char *to = y + outer * cell_bytes + first * k_size(dt);
        larger_row(dt, true, from, width, cell_bytes, max_least(length, NEAR_CELLS), end, to);
        for (int64_t cell = NEAR_CELLS; cell < length; cell += NEAR_CELLS)
            larger_row(dt, false, from + (cell - 1) * cell_bytes, width, cell_bytes,
                       max_least(length - cell, NEAR_CELLS), end, to);
    }
}

K_TEMPLATE
void global_floats(enum k_dtype dt, const struct k_max_global *global, void *const buf[],
                   struct k_slice slice)
{
    if (global->inner == 1)
        global_rows(dt, global, buf[K_MAX_GLOBAL_X], buf[K_MAX_GLOBAL_Y], slice);
    else
        global_columns(dt, global, buf[K_MAX_GLOBAL_X], buf[K_MAX_GLOBAL_Y], slice);
}

/* ---- doubles ---- */

static void global_doubles(const struct k_max_global *global, const double *x, double *y,
                           struct k_slice slice)
{
    const int64_t tiles = max_global_tiles(global), inner = global->inner;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t outer = item / tiles, first = item % tiles * MAX_GLOBAL_TILE;
        for (int64_t c = first; c < max_least(inner, first + MAX_GLOBAL_TILE); c++) {
            const double *from = x + outer * global->length * inner + c;
            double best = -INFINITY;
            for (int64_t i = 0; i < global->length; i++, from += inner)
                if (*from > best || *from != *from) best = *from;
            y[outer * inner + c] = best;
        }
    }
}

k_fn K_SYMBOL(max_global);

void K_SYMBOL(max_global)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_max_global *global = parameters;
    if (global->dtype == K_F64)
        global_doubles(global, buffers[K_MAX_GLOBAL_X], buffers[K_MAX_GLOBAL_Y], slice);
    else if (global->dtype == K_F32)
        global_floats(K_F32, global, buffers, slice);
    else if (global->dtype == K_F16)
        global_floats(K_F16, global, buffers, slice);
    else
        global_floats(K_BF16, global, buffers, slice);
}

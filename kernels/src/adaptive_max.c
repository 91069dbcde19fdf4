/* SPDX-License-Identifier: Apache-2.0 */
/* output[bin] = greatest element, indices[bin] = where it stands.
 *
 * A row of bins is made in two steps: vectors along the width find the greatest of each column of
 * the bins' rows and the row it is in; then each bin looks through its columns. Bins that overlap
 * along the width share the first step. A bin of one long row (a global maximum, say) is searched
 * by vectors of its own.
 *
 * x takes the place of m where x > m, or where x is NaN: in rising order that keeps the first of
 * equal elements and the last NaN. Where the order is another, the position decides (is_better).
 * DOUBLE, and more rows than an int32_t counts, go one element at a time. The result is copied from
 * the input, so a NaN keeps its bits. */
#include <string.h>

#include "kernels/adaptive_plan.h"
#include "kernels/k_adaptive_max.h"
#include "kernels/simd/simd.h"

enum {
    COLUMNS = 1024, /* whose maxima wait for their bins at once */
    LONG_ROW = 4,   /* vectors that a bin of one row is worth vectors of its own from */
    RUN = 1 << 30,  /* elements searched at once: positions of twice as many fit the lanes */
};

struct best {
    double value;
    int64_t at; /* position in the plane */
};

/* Whether (value, at) takes the place of a best one that may stand before or behind it. */
K_TEMPLATE
bool is_better(const struct best *best, double value, int64_t at)
{
    if (value > best->value) return true;
    if (value == best->value) return at < best->at;
    return value != value && (best->value == best->value || at > best->at);
}

K_TEMPLATE
int64_t size_of(enum k_dtype dt)
{
    return dt == K_F64 ? 8 : k_size(dt);
}

K_TEMPLATE
double element(enum k_dtype dt, const char *at)
{
    if (dt != K_F64) return (double)k_load_first(dt, at, 1)[0];
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The rows that a row of bins looks at. */
struct rows {
    const char *plane;
    struct adaptive_bin depth, height;
    int64_t first, count; /* the first one, counted in the plane; from it to behind the last one */
};

struct row_of_bins {
    const struct adaptive_plan *plan;
    struct rows rows;
    char *output, *indices; /* of its first bin */
    int index_size;
};

K_TEMPLATE
void put(const struct row_of_bins *r, int64_t size, int64_t i, int64_t at)
{
    memcpy(r->output + i * size, r->rows.plane + at * size, (size_t)size);
    if (r->index_size == 4) {
        const int32_t narrow = (int32_t)at;
        memcpy(r->indices + i * 4, &narrow, sizeof narrow);
    } else {
        memcpy(r->indices + i * 8, &at, sizeof at);
    }
}

/* ---- one element at a time ---- */

K_TEMPLATE
void bins_by_element(enum k_dtype dt, const struct row_of_bins *r)
{
    const struct adaptive_axis *width = &r->plan->width;
    const struct rows *rows = &r->rows;
    struct adaptive_mark mark = {0, 0}, next;
    for (int64_t i = 0; i < width->out; i++, mark = next) {
        next = adaptive_next(width, mark);
        const struct adaptive_bin bin = adaptive_between(width, mark, next);
        const int64_t first = rows->first * r->plan->row + bin.begin;
        struct best best = {element(dt, rows->plane + first * size_of(dt)), first};
        for (int64_t d = rows->depth.begin; d < rows->depth.end; d++)
            for (int64_t h = rows->height.begin; h < rows->height.end; h++) {
                const int64_t row = (d * r->plan->height.in + h) * r->plan->row;
                for (int64_t c = bin.begin; c < bin.end; c++) {
                    const double value = element(dt, rows->plane + (row + c) * size_of(dt));
                    if (value > best.value || value != value) best = (struct best){value, row + c};
                }
            }
        put(r, size_of(dt), i, best.at);
    }
}

/* ---- a long row ---- */

/* The greatest of a run of at least VL elements, the first of which stands at position `at`. */
K_TEMPLATE
struct best best_of_run(enum k_dtype dt, const char *run, int64_t count, int64_t at)
{
    vf best = k_load(dt, run);
    vi place = v_lanes(), here = place;
    int64_t i = VL;
    for (; i + VL <= count; i += VL) {
        const vf value = k_load(dt, run + i * k_size(dt));
        here += VL;
        const vi take = (value > best) | (value != value);
        best = (vf)((take & (vi)value) | (~take & (vi)best));
        place = (take & here) | (~take & place);
    }
    float values[VL];
    int32_t places[VL];
    v_store(values, best);
    memcpy(places, &place, sizeof places);
    struct best found = {(double)values[0], at + places[0]};
    for (int lane = 1; lane < VL; lane++)
        if (is_better(&found, (double)values[lane], at + places[lane]))
            found = (struct best){(double)values[lane], at + places[lane]};
    for (; i < count; i++) {
        const double value = element(dt, run + i * k_size(dt));
        if (is_better(&found, value, at + i)) found = (struct best){value, at + i};
    }
    return found;
}

K_TEMPLATE
void bins_of_long_row(enum k_dtype dt, const struct row_of_bins *r)
{
    const struct adaptive_axis *width = &r->plan->width;
    const int64_t row = r->rows.first * r->plan->row;
    struct adaptive_mark mark = {0, 0}, next;
    for (int64_t i = 0; i < width->out; i++, mark = next) {
        next = adaptive_next(width, mark);
        const struct adaptive_bin bin = adaptive_between(width, mark, next);
        struct best best = {0, -1};
        for (int64_t c = bin.begin, end; c < bin.end; c = end) {
            /* The last piece may be twice as long: none is shorter than a vector. */
            end = bin.end - c < 2 * (int64_t)RUN ? bin.end : c + RUN;
            const struct best found =
                best_of_run(dt, r->rows.plane + (row + c) * k_size(dt), end - c, row + c);
            if (best.at < 0 || is_better(&best, found.value, found.at)) best = found;
        }
        put(r, k_size(dt), i, best.at);
    }
}

/* ---- columns ---- */

struct columns {
    float value[COLUMNS];
    int32_t row[COLUMNS]; /* counted from the first one that is looked at */
};

/* The maxima of `count` columns from `first`. */
K_TEMPLATE
void find_columns(enum k_dtype dt, const struct row_of_bins *r, int64_t first, int64_t count,
                  struct columns *columns)
{
    const struct rows *rows = &r->rows;
    const int64_t pitch = r->plan->row * k_size(dt), height = r->plan->height.in;
    const char *top = rows->plane + first * k_size(dt);
    for (int64_t c = 0; c < count; c += VL) {
        const int left = count - c < VL ? (int)(count - c) : VL;
        const char *at = top + c * k_size(dt);
        vf best = {0};
        vi place = {0};
        for (int64_t d = rows->depth.begin; d < rows->depth.end; d++)
            for (int64_t h = rows->height.begin; h < rows->height.end; h++) {
                const int64_t row = d * height + h;
                const char *from = at + row * pitch;
                const vf value = left == VL ? k_load(dt, from) : k_load_first(dt, from, left);
                const vi here = (vi){0} + (int32_t)(row - rows->first);
                vi take = (value > best) | (value != value);
                if (row == rows->first) take = (vi){0} - 1;
                best = (vf)((take & (vi)value) | (~take & (vi)best));
                place = (take & here) | (~take & place);
            }
        v_store(columns->value + c, best);
        memcpy(columns->row + c, &place, sizeof place);
    }
}

/* Goes on from the best with columns [begin, end), the first of which is column `first`. Rows are
 * compared before columns, as positions are. */
static struct best best_of_columns(const struct columns *columns, int64_t begin, int64_t end,
                                   int64_t first, const struct row_of_bins *r, struct best best)
{
    float value = 0;
    int64_t at = best.at, column = 0;
    int32_t row = 0;
    if (at >= 0) {
        value = (float)best.value;
        row = (int32_t)(at / r->plan->row - r->rows.first);
        column = at % r->plan->row;
    } else {
        value = columns->value[begin];
        row = columns->row[begin];
        column = first + begin++;
    }
    for (int64_t c = begin; c < end; c++) {
        const float x = columns->value[c];
        if (x > value || (x == value && columns->row[c] < row) ||
            (x != x && (value == value || columns->row[c] >= row))) {
            value = x;
            row = columns->row[c];
            column = first + c;
        }
    }
    return (struct best){(double)value, (r->rows.first + row) * r->plan->row + column};
}

K_TEMPLATE
void bins_of_columns(enum k_dtype dt, const struct row_of_bins *r)
{
    const struct adaptive_axis *width = &r->plan->width;
    struct columns columns;
    int64_t begin = 0, end = 0; /* what `columns` holds */
    struct adaptive_mark mark = {0, 0}, next;
    for (int64_t i = 0; i < width->out; i++, mark = next) {
        next = adaptive_next(width, mark);
        const struct adaptive_bin bin = adaptive_between(width, mark, next);
        struct best best = {0, -1};
        int64_t at = bin.begin;
        while (at < bin.end) {
            if (at < begin || at >= end || (bin.end > end && bin.end - at <= COLUMNS)) {
                begin = at;
                end = r->plan->row - at < COLUMNS ? r->plan->row : at + COLUMNS;
                find_columns(dt, r, begin, end - begin, &columns);
            }
            const int64_t until = bin.end < end ? bin.end : end;
            best = best_of_columns(&columns, at - begin, until - begin, begin, r, best);
            at = until;
        }
        put(r, k_size(dt), i, best.at);
    }
}

/* ---- rows of bins ---- */

K_TEMPLATE
void make_rows(enum k_dtype dt, const struct k_adaptive_max *shape, void *const buffers[],
               struct k_slice slice)
{
    const struct adaptive_plan plan = adaptive_plan(shape);
    const int64_t size = size_of(dt);
    struct row_of_bins r = {.plan = &plan, .index_size = shape->index_size};
    struct rows *rows = &r.rows;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t above = item / plan.height.out;
        rows->plane = (const char *)buffers[K_ADAPTIVE_MAX_INPUT] +
                      above / plan.depth.out * plan.plane * size;
        rows->depth = adaptive_bin(&plan.depth, above % plan.depth.out);
        rows->height = adaptive_bin(&plan.height, item % plan.height.out);
        rows->first = rows->depth.begin * plan.height.in + rows->height.begin;
        rows->count = (rows->depth.end - 1) * plan.height.in + rows->height.end - rows->first;
        r.output = (char *)buffers[K_ADAPTIVE_MAX_OUTPUT] + item * plan.width.out * size;
        r.indices =
            (char *)buffers[K_ADAPTIVE_MAX_INDICES] + item * plan.width.out * shape->index_size;
        if (dt == K_F64 || rows->count > INT32_MAX)
            bins_by_element(dt, &r);
        else if (rows->count == 1 && plan.width.step * plan.width.scale >= LONG_ROW * VL)
            bins_of_long_row(dt, &r);
        else
            bins_of_columns(dt, &r);
    }
}

k_fn K_SYMBOL(adaptive_max);

void K_SYMBOL(adaptive_max)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_adaptive_max *shape = parameters;
    switch (shape->dtype) {
    case K_F16:
        make_rows(K_F16, shape, buffers, slice);
        break;
    case K_BF16:
        make_rows(K_BF16, shape, buffers, slice);
        break;
    case K_F64:
        make_rows(K_F64, shape, buffers, slice);
        break;
    default:
        make_rows(K_F32, shape, buffers, slice);
        break;
    }
}

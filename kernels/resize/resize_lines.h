/* SPDX-License-Identifier: Apache-2.0 */
/* The body of resize for one compute type, REAL, which LINES(name) puts into names. */

struct LINES(axis) {
    const int32_t *at;
    const REAL *weight;
    int taps;
    int64_t out;
};

static struct LINES(axis) LINES(axis_of)(const struct k_resize *r, const void *table, int i)
{
    const struct k_resize_axis *a = &r->axis[i];
    const char *bytes = table;
    return (struct LINES(axis)){(const void *)(bytes + a->places),
                                (const void *)(bytes + a->weights), a->taps, a->out};
}

/* line[j] += weight * from[j]; begins a line where it is the first. */
static void LINES(add)(enum k_dtype dtype, const char *from, REAL weight, bool is_first,
                       REAL *restrict line, int64_t count)
{
    REAL wide[K_RESIZE_LINE];
    const REAL_ANYWHERE *of = (const REAL_ANYWHERE *)from;
    if (dtype != REAL_DTYPE) {
        k_widen(REAL_COMPUTE, dtype, from, wide, count);
        of = wide;
    }
    if (is_first)
        for (int64_t j = 0; j < count; j++)
            line[j] = weight * of[j];
    else
        for (int64_t j = 0; j < count; j++)
            line[j] += weight * of[j];
}

/* Results [begin, end) of a line from `line`, which begins with element `first`. */
static void LINES(along)(const struct LINES(axis) * x, const REAL *restrict line, int32_t first,
                         int64_t begin, int64_t end, REAL *restrict to)
{
    const int32_t *restrict at = x->at + begin;
    const REAL *restrict weight = x->weight + begin;
    const int64_t n = x->out, count = end - begin;
    if (x->taps == 1)
        for (int64_t j = 0; j < count; j++)
            to[j] = weight[j] * line[at[j] - first];
    else if (x->taps == 2)
        for (int64_t j = 0; j < count; j++)
            to[j] = weight[j] * line[at[j] - first] + weight[n + j] * line[at[n + j] - first];
    else if (x->taps == K_RESIZE_TAPS)
        for (int64_t j = 0; j < count; j++)
            to[j] = (weight[j] * line[at[j] - first] + weight[n + j] * line[at[n + j] - first]) +
                    (weight[2 * n + j] * line[at[2 * n + j] - first] +
                     weight[3 * n + j] * line[at[3 * n + j] - first]);
    else
        for (int64_t j = 0; j < count; j++) {
            REAL sum = 0;
            for (int tap = 0; tap < x->taps; tap++)
                sum += weight[tap * n + j] * line[at[tap * n + j] - first];
            to[j] = sum;
        }
}

/* How far a tile from `begin` on goes: its results see at most K_RESIZE_LINE elements. */
static int64_t LINES(tile_end)(const struct LINES(axis) * x, int64_t begin)
{
    const int32_t *last = x->at + (x->taps - 1) * x->out;
    int64_t end = begin + 1;
    while (end < x->out && end - begin < K_RESIZE_TILE && last[end] - x->at[begin] < K_RESIZE_LINE)
        end++;
    return end;
}

static void LINES(run)(const struct k_resize *r, const char *from, const void *table, char *to,
                       struct k_slice slice)
{
    const struct LINES(axis) z = LINES(axis_of)(r, table, 0), y = LINES(axis_of)(r, table, 1);
    const struct LINES(axis) x = LINES(axis_of)(r, table, 2);
    const int64_t size = k_dtype_size(r->dtype);
    REAL line[K_RESIZE_LINE], made[K_RESIZE_TILE];
    for (int64_t begin = 0, end; begin < x.out; begin = end) {
        end = LINES(tile_end)(&x, begin);
        const int32_t first = x.at[begin];
        const int64_t seen = x.at[(x.taps - 1) * x.out + end - 1] - first + 1;
        for (int64_t item = slice.begin; item < slice.end; item++) {
            const int64_t h = item % y.out, d = item / y.out % z.out, plane = item / y.out / z.out;
            for (int i = 0; i < z.taps * y.taps; i++) {
                const int64_t zi = i / y.taps * z.out + d, yi = i % y.taps * y.out + h;
                const int64_t row = (plane * r->axis[0].in + z.at[zi]) * r->axis[1].in + y.at[yi];
                LINES(add)
                (r->dtype, from + (row * r->axis[2].in + first) * size, z.weight[zi] * y.weight[yi],
                 i == 0, line, seen);
            }
            LINES(along)(&x, line, first, begin, end, made);
            k_narrow(REAL_COMPUTE, r->dtype, made, to + (item * x.out + begin) * size, end - begin);
        }
    }
}

/* ---- gradients ---- */

/* The first result whose first (last: last) tap lies at `place` or behind it. */
static int64_t LINES(find)(const struct LINES(axis) * a, bool is_last, int64_t place)
{
    const int32_t *at = a->at + (is_last ? (a->taps - 1) * a->out : 0);
    int64_t begin = 0, end = a->out;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (at[middle] < place)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* What result i took of the element at `place`. */
static REAL LINES(weight_of)(const struct LINES(axis) * a, int64_t i, int64_t place)
{
    REAL sum = 0;
    for (int tap = 0; tap < a->taps; tap++)
        if (a->at[tap * a->out + i] == place) sum += a->weight[tap * a->out + i];
    return sum;
}

/* Elements [begin, end) of a line get their part of results [first, first + count). */
static void LINES(scatter)(const struct LINES(axis) * x, const REAL *line, int64_t first,
                           int64_t count, int64_t begin, int64_t end, REAL *sums)
{
    for (int tap = 0; tap < x->taps; tap++) {
        const int32_t *at = x->at + tap * x->out + first;
        const REAL *weight = x->weight + tap * x->out + first;
        for (int64_t j = 0; j < count; j++)
            if (at[j] >= begin && at[j] < end) sums[at[j] - begin] += weight[j] * line[j];
    }
}

static void LINES(grad)(const struct k_resize *r, const char *from, const void *table, char *to,
                        struct k_slice slice)
{
    const struct LINES(axis) z = LINES(axis_of)(r, table, 0), y = LINES(axis_of)(r, table, 1);
    const struct LINES(axis) x = LINES(axis_of)(r, table, 2);
    const int64_t size = k_dtype_size(r->dtype), width = r->axis[2].in;
    REAL line[K_RESIZE_LINE], sums[K_RESIZE_TILE];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t h = item % r->axis[1].in, d = item / r->axis[1].in % r->axis[0].in;
        const int64_t plane = item / r->axis[1].in / r->axis[0].in;
        const int64_t d_end = LINES(find)(&z, false, d + 1), h_end = LINES(find)(&y, false, h + 1);
        const int64_t d_begin = LINES(find)(&z, true, d), h_begin = LINES(find)(&y, true, h);
        for (int64_t begin = 0; begin < width; begin += K_RESIZE_TILE) {
            const int64_t end = begin + K_RESIZE_TILE < width ? begin + K_RESIZE_TILE : width;
            const int64_t last = LINES(find)(&x, false, end);
            int64_t first = LINES(find)(&x, true, begin);
            memset(sums, 0, sizeof sums);
            for (int64_t count; first < last; first += count) {
                count = last - first < K_RESIZE_LINE ? last - first : K_RESIZE_LINE;
                memset(line, 0, sizeof line);
                for (int64_t i = d_begin; i < d_end; i++)
                    for (int64_t j = h_begin; j < h_end; j++)
                        LINES(add)
                (r->dtype, from + (((plane * z.out + i) * y.out + j) * x.out + first) * size,
                 LINES(weight_of)(&z, i, d) * LINES(weight_of)(&y, j, h), false, line, count);
                LINES(scatter)(&x, line, first, count, begin, end, sums);
            }
            k_narrow(REAL_COMPUTE, r->dtype, sums, to + (item * width + begin) * size, end - begin);
        }
    }
}

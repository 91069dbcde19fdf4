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
    else
        for (int64_t j = 0; j < count; j++)
            to[j] = (weight[j] * line[at[j] - first] + weight[n + j] * line[at[n + j] - first]) +
                    (weight[2 * n + j] * line[at[2 * n + j] - first] +
                     weight[3 * n + j] * line[at[3 * n + j] - first]);
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

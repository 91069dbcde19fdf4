/* SPDX-License-Identifier: Apache-2.0 */
/* out = the sum of all cells of a plane, times 1 / divisor: global average pooling.
 *
 * Order of the sum, the same for every level, layout and cutting: sixteen lanes, lane r adds cells
 * r, r + 16, r + 32, ...; then lane r adds lane r + 8, the result adds lane r + 4, + 2, + 1. One
 * channel: vectors run along the cells, and the lanes of VL planes are folded together, so that a
 * plane costs two permutations. Several: vectors run along the channels of lane r and lane r + 8.
 *
 * Error: |out - exact| <= (6 + (count - 1) / 16) * 2^-24 * sum |in[i] / divisor| (first order),
 * plus the rounding of the store. */
#include "kernels/pool/average_plan.h"
#include "kernels/pool/spread.h"
#include "kernels/vector/block.h"
#include "kernels/vector/instance.h"

enum { LANES = 16, HALF = LANES / 2, PARTS = LANES / VL };

/* ---- one channel ---- */

/* acc + the first `left` elements at `at`; the lanes behind stay. */
K_TEMPLATE
vf add_elements(enum k_dtype dt, enum k_rounding rounding, vf acc, const char *at, int64_t left,
                const char *end)
{
    if (left >= VL) return acc + pool_round(dt, rounding, k_load(dt, at));
    if (left <= 0) return acc;
    const vf value = k_load_first_before(dt, at, (int)left, end);
    return v_first((int)left, acc + pool_round(dt, rounding, value), acc);
}

/* Planes in work: `planes` of count elements each. */
struct lanes {
    const char *at, *end;
    int64_t bytes; /* of a plane */
    int64_t count; /* of the sixteens that each of its lanes adds */
    int rest;      /* elements behind them */
    int planes;
};

/* The sixteen lanes of plane i, folded to VL; zeros if there is no such plane. */
K_TEMPLATE
vf lanes_of(enum k_dtype dt, enum k_rounding rounding, const struct lanes *l, int i)
{
    vf lanes[PARTS];
    const char *at = l->at + i * l->bytes;
    if (__builtin_expect(i >= l->planes, 0)) return (vf){0};
    for (int part = 0; part < PARTS; part++)
        lanes[part] = v_all(-0.0f);
    for (int64_t left = l->count; left > 0; left--, at += LANES * k_size(dt)) {
        k_prefetch(at + 4 * POOL_AHEAD);
        for (int part = 0; part < PARTS; part++)
            lanes[part] =
                add_elements(dt, rounding, lanes[part], at + part * VL * k_size(dt), VL, l->end);
    }
    for (int part = 0; part < PARTS; part++)
        lanes[part] = add_elements(dt, rounding, lanes[part], at + part * VL * k_size(dt),
                                   l->rest - part * VL, l->end);
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int part = 0; part < half; part++)
            lanes[part] = lanes[part] + lanes[part + half];
    return lanes[0];
}

/* Groups of 2 * half lanes: each adds its upper half to its lower one; of a they go to the lower
 * half of the group, of b to the upper one. */
K_TEMPLATE
vf fold(int half, vf a, vf b)
{
    const vi lanes = v_lanes(), low = lanes + (((lanes & half) != 0) & (VL - half));
    return v_pick(a, b, low) + v_pick(a, b, low + half);
}

/* Of every (VL / 2)-th plane from plane i on, every (VL / 4)-th and so on, each as a group of
 * lanes. */
K_TEMPLATE
vf lanes_of_2(enum k_dtype dt, enum k_rounding rounding, const struct lanes *l, int i)
{
    return fold(VL / 2, lanes_of(dt, rounding, l, i), lanes_of(dt, rounding, l, i + VL / 2));
}

K_TEMPLATE
vf lanes_of_4(enum k_dtype dt, enum k_rounding rounding, const struct lanes *l, int i)
{
    return fold(VL / 4, lanes_of_2(dt, rounding, l, i), lanes_of_2(dt, rounding, l, i + VL / 4));
}

#if K_VECTOR_BYTES >= 32
K_TEMPLATE
vf lanes_of_8(enum k_dtype dt, enum k_rounding rounding, const struct lanes *l, int i)
{
    return fold(VL / 8, lanes_of_4(dt, rounding, l, i), lanes_of_4(dt, rounding, l, i + VL / 8));
}
#endif

/* The sums of the planes, at most VL. */
K_TEMPLATE
vf plane_sums(enum k_dtype dt, enum k_rounding rounding, const struct lanes *given)
{
    const struct lanes l = *given;
#if K_VECTOR_BYTES == 64
    return fold(1, lanes_of_8(dt, rounding, &l, 0), lanes_of_8(dt, rounding, &l, 1));
#elif K_VECTOR_BYTES == 32
    return lanes_of_8(dt, rounding, &l, 0);
#else
    return lanes_of_4(dt, rounding, &l, 0);
#endif
}

K_TEMPLATE
void put_elements(enum k_dtype dt, char *to, vf value, int64_t left)
{
    char bytes[K_VECTOR_BYTES];
    if (left >= VL) {
        k_store(dt, to, value);
        return;
    }
    k_store(dt, bytes, value);
    memcpy(to, bytes, (size_t)(left * k_size(dt)));
}

K_TEMPLATE
void mean_planes_of(enum k_dtype dt, enum k_rounding rounding, const struct k_mean *mean,
                    const char *in, char *out, struct k_slice slice)
{
    const float scale = (float)(1.0 / mean->divisor);
    struct lanes l = {.end = in + mean->outer * mean->count * k_size(dt),
                      .bytes = mean->count * k_size(dt),
                      .count = mean->count / LANES,
                      .rest = (int)(mean->count % LANES)};
    for (int64_t plane = slice.begin; plane < slice.end; plane += VL) {
        l.planes = (int)pool_min(slice.end - plane, VL);
        l.at = in + plane * l.bytes;
        const vf sums = plane_sums(dt, rounding, &l);
        put_elements(dt, out + plane * k_size(dt), (sums + (vf){0}) * v_all(scale), l.planes);
    }
}

/* Functions of their own: among all else the loops would not keep their variables in registers. */
K_TEMPLATE
void mean_planes_as_are(enum k_dtype dt, const struct k_mean *mean, const char *in, char *out,
                        struct k_slice slice)
{
    mean_planes_of(dt, K_ROUND_NONE, mean, in, out, slice);
}
K_OUT_OF_LINE(void, mean_planes_as_are,
              (const struct k_mean *mean, const char *in, char *out, struct k_slice slice),
              (mean, in, out, slice))

K_TEMPLATE
void mean_planes(enum k_dtype dt, const struct k_mean *mean, const char *in, char *out,
                 struct k_slice slice)
{
    if (mean->rounding != K_ROUND_NONE)
        mean_planes_of(dt, mean->rounding, mean, in, out, slice);
    else
        mean_planes_as_are_of(dt, mean, in, out, slice);
}

/* ---- many channels, few cells ---- */

enum {
    NEAR_CELLS = 64, /* more cells lie in more pages than a CPU keeps at hand */
    NEAR_BYTES = 1024,
    NEAR_FLOATS = NEAR_BYTES / 2,
    NEAR = 4, /* blocks of channels that are summed at once */
    NEAR_ROWS = 4
};

struct near {
    struct k_block block[NEAR];
};

/* n blocks of one lane. */
K_TEMPLATE
struct near near_lane(enum k_dtype dt, int n, const char *at, int64_t cell_bytes, int64_t count,
                      int lane)
{
    const struct k_block none = {v_all(-0.0f), v_all(-0.0f)};
    struct near sum = {{none, none, none, none}};
    at += lane * cell_bytes;
    for (int64_t cell = lane; cell < count; cell += LANES, at += LANES * cell_bytes)
#pragma GCC unroll 4
        for (int i = 0; i < n; i++)
            sum.block[i] = block_add(dt, sum.block[i], block_load(dt, at + i * K_VECTOR_BYTES));
    return sum;
}

K_TEMPLATE
struct near near_add(enum k_dtype dt, int n, struct near x, struct near y)
{
#pragma GCC unroll 4
    for (int i = 0; i < n; i++)
        x.block[i] = block_add(dt, x.block[i], y.block[i]);
    return x;
}

/* Lanes r and r + 8. */
K_TEMPLATE
struct near near_pair(enum k_dtype dt, int n, const char *at, int64_t cell_bytes, int64_t count,
                      int r)
{
    return near_add(dt, n, near_lane(dt, n, at, cell_bytes, count, r),
                    near_lane(dt, n, at, cell_bytes, count, r + HALF));
}

/* Lanes r, r + 4, r + 8, r + 12. */
K_TEMPLATE
struct near near_row(enum k_dtype dt, int n, const char *at, int64_t cell_bytes, int64_t count,
                     int r)
{
    return near_add(dt, n, near_pair(dt, n, at, cell_bytes, count, r),
                    near_pair(dt, n, at, cell_bytes, count, r + NEAR_ROWS));
}

K_TEMPLATE
void near_store(enum k_dtype dt, int n, struct near x, float *to)
{
#pragma GCC unroll 4
    for (int i = 0; i < n; i++) {
        v_store(to + i * BLOCK(dt), x.block[i].a);
        if (dt != K_F32) v_store(to + i * BLOCK(dt) + VL, x.block[i].b);
    }
}

K_TEMPLATE
struct near near_load(enum k_dtype dt, int n, const float *at)
{
    struct near x;
#pragma GCC unroll 4
    for (int i = 0; i < n; i++) {
        x.block[i].a = v_load(at + i * BLOCK(dt));
        x.block[i].b = dt == K_F32 ? (vf){0} : v_load(at + i * BLOCK(dt) + VL);
    }
    return x;
}

/* `bytes` of the channels of a plane, NEAR_BYTES at most, row by row of four sums: each line is
 * read once, and as many in the order of memory as prefetchers need to follow. The last blocks end
 * where the channels do, whatever they share with those before. */
K_TEMPLATE
void near_piece(enum k_dtype dt, int n, const char *plane, int64_t cell_bytes, int64_t count,
                int64_t bytes, vf scale, char *to)
{
    const int64_t step = n * K_VECTOR_BYTES, last = bytes - step;
    const int64_t floats = n * BLOCK(dt);
    vf storage[NEAR_ROWS][NEAR_FLOATS / VL];
    float *rows[NEAR_ROWS];
    for (int r = 0; r < NEAR_ROWS; r++) {
        rows[r] = (float *)(void *)storage[r];
        float *row = rows[r];
        for (int64_t x = 0; x < bytes; x += step, row += floats)
            near_store(dt, n, near_row(dt, n, plane + pool_min(x, last), cell_bytes, count, r),
                       row);
    }
    for (int64_t x = 0, at = 0; x < bytes; x += step, at += floats) {
        const struct near even =
            near_add(dt, n, near_load(dt, n, rows[0] + at), near_load(dt, n, rows[2] + at));
        const struct near odd =
            near_add(dt, n, near_load(dt, n, rows[1] + at), near_load(dt, n, rows[3] + at));
        const struct near sum = near_add(dt, n, even, odd);
#pragma GCC unroll 4
        for (int i = 0; i < n; i++) {
            struct k_block mean = sum.block[i];
            mean.a = (mean.a + (vf){0}) * scale;
            if (dt != K_F32) mean.b = (mean.b + (vf){0}) * scale;
            k_put(to + pool_min(x, last) + i * K_VECTOR_BYTES, block_elements(dt, mean));
        }
    }
}

/* Items as of mean_channels; the channels of each fill n blocks. */
K_TEMPLATE
void mean_near(enum k_dtype dt, int n, const struct k_mean *mean, const char *in, char *out,
               struct k_slice slice)
{
    const int64_t tiles = avg_ceil(mean->channels, MEAN_CHANNELS);
    const int64_t cell_bytes = mean->channels * k_size(dt), count = mean->count;
    const vf scale = v_all((float)(1.0 / mean->divisor));
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item % tiles * MEAN_CHANNELS * k_size(dt);
        const int64_t end = pool_min(cell_bytes, first + MEAN_CHANNELS * k_size(dt));
        const char *plane = in + item / tiles * count * cell_bytes;
        char *to = out + item / tiles * cell_bytes;
        for (int64_t x = first; x < end; x += NEAR_BYTES)
            near_piece(dt, n, plane + x, cell_bytes, count, pool_min(end - x, NEAR_BYTES), scale,
                       to + x);
    }
}

/* ---- several channels ---- */

enum { TERMS = 4 }; /* that are added in one go */

/* to = (or, joining, to +) n cells' channels, `jump` bytes apart, the first at `at`. */
K_TEMPLATE
void add_cells(enum k_dtype dt, enum k_rounding rounding, int n, bool joining, const char *at,
               int64_t jump, int64_t floats, const char *end, float *to)
{
    int64_t x = 0;
    for (; x + VL <= floats; x += VL) {
        const char *from = at + x * k_size(dt);
        vf sum = joining ? v_load(to + x) : v_all(-0.0f);
#pragma GCC unroll 4
        for (int t = 0; t < n; t++)
            sum = sum + pool_round(dt, rounding, k_load(dt, from + t * jump));
        v_store(to + x, sum);
    }
    if (x == floats) return;
    const int left = (int)(floats - x);
    vf sum = joining ? v_load(to + x) : v_all(-0.0f);
    for (int t = 0; t < n; t++) {
        const char *from = at + x * k_size(dt) + t * jump;
        sum = sum + pool_round(dt, rounding, k_load_first_before(dt, from, left, end));
    }
    v_store(to + x, sum);
}

/* One lane: the sums of `floats` channels over cells lane, lane + 16, ... */
K_TEMPLATE
void sum_lane(enum k_dtype dt, enum k_rounding rounding, const struct k_mean *mean,
              const char *plane, int lane, int64_t channel, int64_t floats, const char *end,
              float *to)
{
    const int64_t cell_bytes = mean->channels * k_size(dt), jump = LANES * cell_bytes;
    const char *at = plane + lane * cell_bytes + channel * k_size(dt);
    int64_t cells = lane < mean->count ? (mean->count - 1 - lane) / LANES + 1 : 0;
    if (cells >= TERMS)
        add_cells(dt, rounding, TERMS, false, at, jump, floats, end, to);
    else if (cells == 3)
        add_cells(dt, rounding, 3, false, at, jump, floats, end, to);
    else
        add_cells(dt, rounding, (int)cells, false, at, jump, floats, end, to);
    while (cells > TERMS) {
        cells -= TERMS;
        at += TERMS * jump;
        if (cells >= TERMS)
            add_cells(dt, rounding, TERMS, true, at, jump, floats, end, to);
        else
            add_cells(dt, rounding, (int)cells, true, at, jump, floats, end, to);
    }
}

K_TEMPLATE
void sum_lane_rounded(enum k_dtype dt, const struct k_mean *mean, const char *plane, int lane,
                      int64_t channel, int64_t floats, const char *end, float *to)
{
    if (mean->rounding == K_ROUND_NONE)
        sum_lane(dt, K_ROUND_NONE, mean, plane, lane, channel, floats, end, to);
    else
        sum_lane(dt, mean->rounding, mean, plane, lane, channel, floats, end, to);
}
K_OUT_OF_LINE(void, sum_lane_rounded,
              (const struct k_mean *mean, const char *plane, int lane, int64_t channel,
               int64_t floats, const char *end, float *to),
              (mean, plane, lane, channel, floats, end, to))

/* Row r, 0 to 7, of `floats` sums: lanes r and r + 8. */
K_TEMPLATE
void sum_pair(enum k_dtype dt, const struct k_mean *mean, const char *plane, int row,
              int64_t channel, int64_t floats, const char *end, float *to)
{
    float upper[MEAN_CHANNELS + LANES];
    sum_lane_rounded_of(dt, mean, plane, row, channel, floats, end, to);
    sum_lane_rounded_of(dt, mean, plane, row + HALF, channel, floats, end, upper);
    for (int64_t x = 0; x < floats; x += VL)
        v_store(to + x, v_load(to + x) + v_load(upper + x));
}

/* The same where channels are fewer than a vector's lanes: all rows are one of `floats` sums. */
K_TEMPLATE
void sum_halves(enum k_dtype dt, const struct k_mean *mean, const char *plane, int64_t floats,
                const char *end, float *to)
{
    const int64_t total = mean->count * mean->channels, jump = LANES * mean->channels;
    for (int64_t x = 0; x < floats; x += VL) {
        vf sums[2];
        for (int i = 0; i < 2; i++) {
            int64_t at = x + i * HALF * mean->channels;
            sums[i] = v_all(-0.0f);
            for (; at < total; at += jump)
                sums[i] = add_elements(dt, mean->rounding, sums[i], plane + at * k_size(dt),
                                       total - at, end);
        }
        v_store(to + x, sums[0] + sums[1]);
    }
}

K_TEMPLATE
void mean_channels(enum k_dtype dt, const struct k_mean *mean, const char *in, char *out,
                   struct k_slice slice)
{
    float rows[HALF * MEAN_CHANNELS + 2 * LANES];
    const int64_t tiles = avg_ceil(mean->channels, MEAN_CHANNELS);
    const int64_t plane_bytes = mean->count * mean->channels * k_size(dt);
    const char *end = in + mean->outer * plane_bytes;
    const vf scale = v_all((float)(1.0 / mean->divisor));
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t first = item % tiles * MEAN_CHANNELS;
        const int64_t channels = pool_min(mean->channels - first, MEAN_CHANNELS);
        const char *plane = in + item / tiles * plane_bytes;
        char *to = out + (item / tiles * mean->channels + first) * k_size(dt);
        if (channels < VL && tiles == 1)
            sum_halves(dt, mean, plane, HALF * channels, end, rows);
        else
            for (int r = 0; r < HALF; r++)
                sum_pair(dt, mean, plane, r, first, channels, end, rows + r * channels);
        for (int64_t x = 0; x < channels; x += VL) {
            vf sums[HALF];
            for (int r = 0; r < HALF; r++)
                sums[r] = v_load(rows + r * channels + x);
            for (int half = HALF / 2; half > 0; half /= 2)
                for (int r = 0; r < half; r++)
                    sums[r] = sums[r] + sums[r + half];
            put_elements(dt, to + x * k_size(dt), (sums[0] + (vf){0}) * scale, channels - x);
        }
    }
}

K_TEMPLATE
void mean(enum k_dtype dt, const struct k_mean *mean, void *const buf[], struct k_slice slice)
{
    const char *in = buf[K_MEAN_IN];
    char *out = buf[K_MEAN_OUT];
    const int64_t rest = mean->channels % MEAN_CHANNELS;
    const int64_t least = rest > 0 ? rest : pool_min(mean->channels, MEAN_CHANNELS);
    const int64_t blocks =
        K_VECTOR_BYTES > 16 && mean->count <= NEAR_CELLS && mean->rounding == K_ROUND_NONE
            ? least / BLOCK(dt) /* whole ones, of any item */
            : 0;
    if (blocks >= NEAR)
        mean_near(dt, NEAR, mean, in, out, slice);
    else if (blocks >= 2 && dt != K_F32)
        mean_near(dt, 2, mean, in, out, slice);
    else if (mean->channels == 1)
        mean_planes(dt, mean, in, out, slice);
    else
        mean_channels(dt, mean, in, out, slice);
}

K_FLOATS(mean, struct k_mean)

/* ---- doubles ---- */

k_fn K_SYMBOL(mean_f64), K_SYMBOL(spread_f64);

/* The same order in double; divided, not multiplied. */
void K_SYMBOL(mean_f64)(const void *parameters, void *const buf[], struct k_slice slice)
{
    enum { TILE = 8 };
    const struct k_mean *mean = parameters;
    const int64_t tiles = avg_ceil(mean->channels, MEAN_CHANNELS);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t outer = item / tiles, first = item % tiles * MEAN_CHANNELS;
        const int64_t last = pool_min(mean->channels, first + MEAN_CHANNELS);
        const double *plane = (const double *)buf[K_MEAN_IN] + outer * mean->count * mean->channels;
        double *out = (double *)buf[K_MEAN_OUT] + outer * mean->channels;
        for (int64_t channel = first; channel < last; channel += TILE) {
            const int channels = (int)pool_min(last - channel, TILE);
            double lanes[LANES][TILE];
            for (int i = 0; i < LANES * TILE; i++)
                lanes[i / TILE][i % TILE] = -0.0;
            for (int64_t t = 0; t < mean->count; t++)
                for (int i = 0; i < channels; i++)
                    lanes[t % LANES][i] += plane[t * mean->channels + channel + i];
            for (int half = LANES / 2; half > 0; half /= 2)
                for (int r = 0; r < half; r++)
                    for (int i = 0; i < channels; i++)
                        lanes[r][i] += lanes[r + half][i];
            for (int i = 0; i < channels; i++)
                out[channel + i] = lanes[0][i] / mean->divisor;
        }
    }
}

void K_SYMBOL(spread_f64)(const void *parameters, void *const buf[], struct k_slice slice)
{
    const struct k_mean *mean = parameters;
    const int64_t tiles = avg_ceil(mean->channels, MEAN_CHANNELS);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t outer = item / tiles, first = item % tiles * MEAN_CHANNELS;
        const int64_t channels = pool_min(mean->channels - first, MEAN_CHANNELS);
        const double *in = (const double *)buf[K_MEAN_IN] + outer * mean->channels + first;
        double *out = (double *)buf[K_MEAN_OUT] + outer * mean->count * mean->channels + first;
        double values[MEAN_CHANNELS];
        for (int i = 0; i < channels; i++)
            values[i] = in[i] / mean->divisor;
        for (int64_t t = 0; t < mean->count; t++)
            memcpy(out + t * mean->channels, values, (size_t)channels * sizeof *values);
    }
}

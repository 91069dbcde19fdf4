/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of convolution's bias: for each channel of one side, the sum over its planes.
 *
 * A channel has BIAS_LANES sums side by side; position i of each plane is added to sum i modulo
 * BIAS_LANES. After BIAS_POSITIONS positions of a plane, and after the first plane that makes so
 * many or BIAS_PLANES planes, they become one, which is added to the channel's total. This is so
 * for every layout and level, and whatever the channels of a slice are: some of them are walked
 * together, so that a tensor is read as it lies. */
#include <stdint.h>

#include "kernels/conv/conv_band.h"

enum {
    BIAS_LANES = 32,       /* as many as hide the latency of additions */
    BIAS_POSITIONS = 4096, /* a multiple of the lanes */
    BIAS_PLANES = 128,
    BIAS_FETCH = 1024,  /* positions that are made floats at once; divides BIAS_POSITIONS */
    BIAS_CHANNELS = 64, /* planes side by side */
    BIAS_ALONG = 256,   /* channels side by side */
    ALONG_VECTORS = 4,
    ALONG_TILE = 1 << 16, /* bytes, about: two of them stay in L2 */
};

/* Positions of a channel. */
struct positions {
    const struct k_conv_tensor *tensor;
    int64_t extent[K_CONV_AXES], plane, images;
    int64_t run; /* of a plane, that lie evenly */
};

/* When the lanes become one. */
struct fill {
    int64_t positions, planes;
};

static inline bool is_full(struct fill *fill)
{
    if (fill->positions < BIAS_POSITIONS && fill->planes < BIAS_PLANES) return false;
    *fill = (struct fill){0, 0};
    return true;
}

static float take_lanes(float lanes[])
{
    for (int half = BIAS_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lanes[i] += lanes[i + half];
    const float sum = lanes[0];
    memset(lanes, 0, sizeof(float) * BIAS_LANES);
    return sum;
}

/* ---- planes, one after the other ---- */

enum { BIAS_VECTORS = BIAS_LANES / VL };

/* `count` elements beside each other, the first of which belongs to lane 0. */
K_TEMPLATE
void add_dense(enum k_dtype dt, const char *from, int64_t count, float lanes[])
{
    vf sum[BIAS_VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < BIAS_VECTORS; v++)
        sum[v] = v_load(lanes + v * VL);
    for (; count >= BIAS_LANES; count -= BIAS_LANES, from += BIAS_LANES * k_size(dt)) {
        k_prefetch_far(from);
        if (dt == K_F32) k_prefetch_far(from + LINE_BYTES);
#pragma GCC unroll 8
        for (int v = 0; v < BIAS_VECTORS; v++)
            sum[v] += k_load(dt, from + v * VL * k_size(dt));
    }
#pragma GCC unroll 8
    for (int v = 0; v < BIAS_VECTORS; v++, count -= VL, from += VL * k_size(dt)) {
        if (count >= VL)
            sum[v] += k_load(dt, from);
        else if (count > 0)
            sum[v] += k_load_first(dt, from, (int)count);
        v_store(lanes + v * VL, sum[v]);
    }
}

static __attribute__((noinline)) void add_run(enum k_dtype dtype, const char *from, int64_t count,
                                              float lanes[])
{
    if (dtype == K_F32)
        add_dense(K_F32, from, count, lanes);
    else if (dtype == K_F16)
        add_dense(K_F16, from, count, lanes);
    else
        add_dense(K_BF16, from, count, lanes);
}

/* `count` positions of an image from `begin` on, side by side as floats. */
static void fetch(const struct positions *p, const char *from, int64_t begin, int64_t count,
                  float *to)
{
    const struct k_conv_tensor *t = p->tensor;
    const int64_t size = pack_size(t->dtype), width = p->extent[2], height = p->extent[1];
    for (int64_t some; count > 0; begin += some, to += some, count -= some) {
        const int64_t left = p->run - begin % p->run;
        some = left < count ? left : count;
        const int64_t element = begin / (height * width) * t->axis[0] +
                                begin / width % height * t->axis[1] + begin % width * t->axis[2];
        band_row(t->dtype, v_address(from, size * element), t->axis[2], 0, some, some, K_ROUND_NONE,
                 to);
    }
}

static void add_fetched(const struct positions *p, const char *from, int64_t begin, int64_t count,
                        float lanes[])
{
    _Alignas(64) float row[BIAS_FETCH + VL];
    for (int64_t some; count > 0; begin += some, count -= some) {
        some = count < BIAS_FETCH ? count : BIAS_FETCH;
        fetch(p, from, begin, some, row);
        add_run(K_F32, (const char *)row, some, lanes);
    }
}

/* Some channels; an image's planes of all of them before the next image's, as they lie in memory.
 */
static void sum_planes(const struct positions *p, bool is_dense, const char *from, int channels,
                       float total[])
{
    _Alignas(64) float lanes[BIAS_CHANNELS][BIAS_LANES];
    const struct k_conv_tensor *t = p->tensor;
    const int64_t size = pack_size(t->dtype);
    struct fill before = {0, 0}, fill = before;
    memset(lanes, 0, sizeof lanes);
    for (int64_t n = 0; n < p->images; n++, before = fill)
        for (int c = 0; c < channels; c++) {
            const char *plane = v_address(from, size * (n * t->outer + c * t->inner));
            fill = before;
            for (int64_t begin = 0, some; begin < p->plane; begin += some) {
                some = p->plane - begin < BIAS_POSITIONS ? p->plane - begin : BIAS_POSITIONS;
                if (is_dense)
                    add_run(t->dtype, plane + begin * size, some, lanes[c]);
                else
                    add_fetched(p, plane, begin, some, lanes[c]);
                fill.positions += some;
                fill.planes += begin + some == p->plane;
                if (is_full(&fill)) total[c] += take_lanes(lanes[c]);
            }
        }
    for (int c = 0; c < channels; c++)
        total[c] += take_lanes(lanes[c]);
}

/* ---- channels side by side ---- */

struct bias_along {
    _Alignas(64) float lane[BIAS_LANES][BIAS_ALONG];
    _Alignas(64) float total[BIAS_ALONG];
};

static void take_along(struct bias_along *own)
{
    for (int half = BIAS_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            for (int c = 0; c < BIAS_ALONG; c++)
                own->lane[i][c] += own->lane[i + half][c];
    for (int c = 0; c < BIAS_ALONG; c++)
        own->total[c] += own->lane[0][c];
    memset(own->lane, 0, sizeof own->lane);
}

/* `rows` times so many vectors of channels, `step` bytes from row to row. */
K_TEMPLATE
void add_columns(enum k_dtype dt, int vectors, const char *from, int64_t step, int64_t rows,
                 float *lane)
{
    vf sum[ALONG_VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        sum[v] = v_load(lane + v * VL);
    for (; rows > 0; rows--, from = v_address(from, step)) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[v] += k_load(dt, from + v * VL * k_size(dt));
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        v_store(lane + v * VL, sum[v]);
}

/* The rows of one lane. */
K_TEMPLATE
void add_lane(enum k_dtype dt, const char *from, int64_t step, int64_t rows, int channels,
              float *lane)
{
    int c = 0;
    for (; c + ALONG_VECTORS * VL <= channels; c += ALONG_VECTORS * VL)
        add_columns(dt, ALONG_VECTORS, from + c * k_size(dt), step, rows, lane + c);
    for (; c + VL <= channels; c += VL)
        add_columns(dt, 1, from + c * k_size(dt), step, rows, lane + c);
    for (; c < channels && rows > 0; rows--, from = v_address(from, step))
        v_store(lane + c, v_load(lane + c) + k_load_first(dt, from + c * k_size(dt), channels - c));
}

/* `count` positions of a row, the first of which belongs to that lane: tile by tile, each of which
 * is prefetched while the one before it is added lane by lane, so that sums stay in registers. */
K_TEMPLATE
void add_row_along(enum k_dtype dt, const struct positions *p, const char *from, int64_t count,
                   int channels, int64_t lane, struct bias_along *own)
{
    const int64_t step = p->tensor->axis[2] * k_size(dt), bytes = channels * k_size(dt);
    const int64_t rows = conv_up(ALONG_TILE, BIAS_LANES * bytes), tile = rows * BIAS_LANES;
    for (; count > 0; count -= tile, from = v_address(from, tile * step)) {
        const int64_t some = count < tile ? count : tile;
        for (int64_t i = 0; i < BIAS_LANES && i < some; i++) {
            const char *next = v_address(from, (tile + i * rows) * step);
            for (int64_t row = 0; row < rows; row++, next = v_address(next, step))
                for (int64_t at = 0; at < bytes; at += LINE_BYTES)
                    __builtin_prefetch(next + at, 0, 2);
            add_lane(dt, v_address(from, i * step), BIAS_LANES * step,
                     conv_up(some - i, BIAS_LANES), channels, own->lane[(lane + i) % BIAS_LANES]);
        }
    }
}

static __attribute__((noinline)) void add_positions(const struct positions *p, const char *from,
                                                    int64_t count, int channels, int64_t lane,
                                                    struct bias_along *own)
{
    if (p->tensor->dtype == K_F32)
        add_row_along(K_F32, p, from, count, channels, lane, own);
    else if (p->tensor->dtype == K_F16)
        add_row_along(K_F16, p, from, count, channels, lane, own);
    else
        add_row_along(K_BF16, p, from, count, channels, lane, own);
}

static void sum_along(const struct positions *p, const char *from, int channels, float total[])
{
    struct bias_along own;
    const struct k_conv_tensor *t = p->tensor;
    const int64_t size = pack_size(t->dtype), width = p->extent[2], height = p->extent[1];
    struct fill fill = {0, 0};
    memset(&own, 0, sizeof own);
    for (int64_t n = 0; n < p->images; n++)
        for (int64_t begin = 0, some; begin < p->plane; begin += some) {
            const int64_t of_run = p->run - begin % p->run;
            some = BIAS_POSITIONS - begin % BIAS_POSITIONS;
            if (some > of_run) some = of_run;
            const int64_t element = n * t->outer + begin / (height * width) * t->axis[0] +
                                    begin / width % height * t->axis[1] +
                                    begin % width * t->axis[2];
            add_positions(p, v_address(from, size * element), some, channels, begin, &own);
            const int64_t end = begin + some;
            fill.positions += some;
            fill.planes += end == p->plane;
            if ((end == p->plane || end % BIAS_POSITIONS == 0) && is_full(&fill)) take_along(&own);
        }
    take_along(&own);
    memcpy(total, own.total, sizeof(float) * (size_t)channels);
}

/* ---- */

static struct positions positions_of(const struct k_conv *conv)
{
    struct positions p = {
        .tensor = conv->to_large ? &conv->large : &conv->small, .plane = 1, .images = conv->batch};
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        p.extent[axis] = conv->to_large ? conv->axis[axis].large : conv->axis[axis].small;
        p.plane *= p.extent[axis];
    }
    p.run = p.extent[2];
    const int64_t *axes = p.tensor->axis;
    if (axes[1] == p.run * axes[2] || p.extent[1] == 1) {
        p.run *= p.extent[1];
        if (axes[0] == p.run * axes[2] || p.extent[0] == 1) p.run *= p.extent[0];
    }
    return p;
}

static void put_total(enum k_dtype dtype, char *to, float total)
{
    if (dtype == K_F32)
        k_store_between(K_F32, to, 1, 0, 1, v_all(total));
    else if (dtype == K_F16)
        k_store_between(K_F16, to, 1, 0, 1, v_all(total));
    else
        k_store_between(K_BF16, to, 1, 0, 1, v_all(total));
}

k_fn K_SYMBOL(conv_bias_grad);

/* Items are channels, those of all groups. */
void K_SYMBOL(conv_bias_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct positions p = positions_of(conv);
    const int64_t from_size = pack_size(p.tensor->dtype), to_size = pack_size(conv->bias_dtype);
    const bool is_dense = p.run == p.plane && p.tensor->axis[2] == 1 && p.plane > 1;
    const bool is_along = !is_dense && p.tensor->inner == 1;
    const int64_t at_once = is_along ? BIAS_ALONG : BIAS_CHANNELS;
    for (int64_t first = slice.begin; first < slice.end; first += at_once) {
        float total[BIAS_ALONG] = {0};
        const int64_t left = slice.end - first;
        const int channels = (int)(left < at_once ? left : at_once);
        const char *from =
            v_address(buffers[K_CONV_BIAS_SIDE], first * p.tensor->inner * from_size);
        if (is_along)
            sum_along(&p, from, channels, total);
        else
            sum_planes(&p, is_dense, from, channels, total);
        for (int c = 0; c < channels; c++)
            put_total(conv->bias_dtype,
                      (char *)buffers[K_CONV_BIAS_GRAD] + (first + c) * conv->bias_stride * to_size,
                      total[c]);
    }
}

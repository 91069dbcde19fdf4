/* SPDX-License-Identifier: Apache-2.0 */
/* The largest taps of a row of windows, and which they are. A row of cells is widened and split by
 * phases (max_pool_plan.h), padding as -inf, so that each tap of the windows is one contiguous run;
 * lanes are windows times channels. A tap's code is its distance in cells from the window's first
 * tap, padding or not: index = code + (place of that first tap in the plane). */
#ifndef ACLNN_CPU_KERNELS_POOL_ARGMAX_H
#define ACLNN_CPU_KERNELS_POOL_ARGMAX_H

#include <math.h>

#include "kernels/pool/max_pool_plan.h"
#include "kernels/vector/select.h"

/* A tile of windows of one row, and per lane the place along the width of its window's first tap,
 * the code of the first tap inside the input, and how far inside taps reach from there. */
struct k_lanes {
    int64_t first; /* window; may lie before the first real one, as the last may behind */
    int64_t windows;
    int64_t channel; /* the tile's first */
    int channels;
    int32_t base[MAX_RING / 2 + MAX_SLACK] __attribute__((aligned(LINE_BYTES)));
    int32_t inside[MAX_RING / 2 + MAX_SLACK] __attribute__((aligned(LINE_BYTES)));
    int32_t length[MAX_RING / 2 + MAX_SLACK] __attribute__((aligned(LINE_BYTES)));
};

struct k_argmax {
    const struct max_plan *plan;
    const char *x, *end; /* the tensor */
    bool codes;          /* wanted */
    float *best;         /* results, a lane each */
    int32_t *code;
    vf split[(MAX_SPLIT + MAX_SLACK) / VL];
};

static inline void lanes_begin(struct k_lanes *lanes, const struct max_axis *width)
{
    const int64_t span = (width->kernel - 1) * width->dilation + 1;
    for (int64_t w = 0, lane = 0; w < lanes->windows; w++) {
        const int64_t base = (lanes->first + w) * width->stride - width->pad;
        const int64_t before = base < 0 ? (-base + width->dilation - 1) / width->dilation : 0;
        const int64_t inside = before * width->dilation;
        const int64_t length = max_most(max_least(width->in - base, span) - inside, 0);
        for (int c = 0; c < lanes->channels; c++, lane++) {
            lanes->base[lane] = (int32_t)base;
            lanes->inside[lane] = (int32_t)inside;
            lanes->length[lane] = (int32_t)length;
        }
    }
}

/* Elements [0, count) of a run of memory, widened; up to VL - 1 floats behind are overwritten. */
K_TEMPLATE
void widen(enum k_dtype dt, float *to, const char *at, int64_t count, const char *end)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL, at += VL * k_size(dt))
        v_store(to + i, k_load(dt, at));
    if (i < count) v_store(to + i, k_load_first_before(dt, at, (int)(count - i), end));
}

/* Cells of one channel to `stride` phases; whole vectors, all in memory. Returns how many cells of
 * each phase were made. */
K_TEMPLATE
int64_t split_whole(enum k_dtype dt, int stride, float *to, int64_t pitch, const char *at,
                    int64_t cells)
{
    int64_t q = 0;
    vi from[MAX_STRIDE], place[MAX_STRIDE];
    for (int c = 0; stride > 2 && c < stride; c++) {
        const vi element = v_lanes() * stride + c;
        from[c] = element % VL;
        place[c] = element / VL;
    }
    for (; (q + VL) * stride <= cells; q += VL, at += VL * stride * k_size(dt)) {
        vf in[MAX_STRIDE];
        for (int v = 0; v < stride; v++)
            in[v] = k_load(dt, at + v * VL * k_size(dt));
        if (stride == 2) {
            v_store(to + q, v_unzip(0, in[0], in[1]));
            v_store(to + pitch + q, v_unzip(1, in[0], in[1]));
            continue;
        }
        for (int c = 0; c < stride; c++) {
            vf phase = {0};
            for (int v = 0; v < stride; v++)
                phase = v_place(phase, in[v], from[c], place[c], v);
            v_store(to + c * pitch + q, phase);
        }
    }
    return q;
}

/* Cells stride * low .. of a row whose cell 0 is at `at`: phase c, cell stride * q + c and channel
 * go to to[c * pitch + (q - low) * channels + channel]. */
K_TEMPLATE
void split_row(enum k_dtype dt, struct k_argmax *a, const struct k_lanes *lanes, const char *at,
               int64_t low, int64_t high, int64_t pitch)
{
    const struct max_plan *plan = a->plan;
    const int64_t stride = plan->width.stride, in = plan->width.in, channels = lanes->channels;
    const int64_t cell_bytes = plan->channels * k_size(dt);
    float *to = (float *)(void *)a->split;
    const int64_t begin = max_least(max_most(low, 0), high);
    const int64_t last = max_most(max_least(high, (in + stride - 1) / stride), begin);
    const char *from = at + (stride * begin) * cell_bytes + lanes->channel * k_size(dt);
    float *put = to + (begin - low) * channels;
    if (stride == 1 && channels == plan->channels) {
        widen(dt, put, from, (last - begin) * channels, a->end);
    } else if (channels > 1 || stride == 1) {
        for (int64_t q = begin; q < last; q++, put += channels)
            for (int64_t c = 0; c < stride; c++, from += cell_bytes)
                if (stride * q + c < in) widen(dt, put + c * pitch, from, channels, a->end);
    } else {
        const int64_t cells = max_least(in - stride * begin, (last - begin) * stride);
        int64_t q = stride == 2   ? split_whole(dt, 2, put, pitch, from, cells)
                    : stride == 3 ? split_whole(dt, 3, put, pitch, from, cells)
                                  : split_whole(dt, (int)stride, put, pitch, from, cells);
        float rest[VL * MAX_STRIDE];
        const int64_t left = cells - q * stride;
        if (left > 0) widen(dt, rest, from + q * stride * k_size(dt), left, a->end);
        for (int64_t i = 0; i < left; i++)
            put[i % stride * pitch + q + i / stride] = rest[i];
    }
    for (int64_t c = 0; c < stride; c++) {
        const int64_t real = max_least(high, (in - c + stride - 1) / stride);
        float *phase = to + c * pitch;
        const int64_t front = (begin - low) * channels;
        for (int64_t i = 0; i < front; i++)
            phase[i] = -INFINITY;
        for (int64_t i = (max_most(real, begin) - low) * channels; i < (high - low) * channels; i++)
            phase[i] = -INFINITY;
    }
}

enum { ARGMAX_TAPS = 8 }; /* taps of a row in one pass */

/* Compares `count` runs of taps, in their order, with the best so far. */
K_TEMPLATE
void compare_taps(bool codes, int count, const struct k_argmax *a, const float *const taps[],
                  const int32_t of[], int64_t lanes)
{
    for (int64_t i = 0; i < lanes; i += VL) {
        vf best = v_load(a->best + i);
        if (!codes) {
            for (int t = 0; t < count; t++)
                best = v_larger(best, v_load(taps[t] + i));
            v_store(a->best + i, best);
            continue;
        }
        vi code = v_load_i(a->code + i);
        for (int t = 0; t < count; t++)
            v_take_larger(&best, &code, v_load(taps[t] + i), v_all_i(of[t]));
        v_store(a->best + i, best);
        v_store_i(a->code + i, code);
    }
}

K_OUTLINE void compare_some_taps(int count, const struct k_argmax *a, const float *const taps[],
                                 const int32_t of[], int64_t lanes)
{
    if (!a->codes && count == 2) {
        compare_taps(false, 2, a, taps, of, lanes);
    } else if (!a->codes && count == 3) {
        compare_taps(false, 3, a, taps, of, lanes);
    } else if (!a->codes) {
        compare_taps(false, count, a, taps, of, lanes);
    } else if (count == 2) {
        compare_taps(true, 2, a, taps, of, lanes);
    } else if (count == 3) {
        compare_taps(true, 3, a, taps, of, lanes);
    } else {
        compare_taps(true, count, a, taps, of, lanes);
    }
}

/* One row of cells, split, against the windows; code: of the row's first tap. */
static inline void compare_row(const struct k_argmax *a, const struct k_lanes *lanes, int64_t pitch,
                               int64_t code)
{
    const struct max_axis *width = &a->plan->width;
    const float *split = (const float *)(const void *)a->split;
    for (int64_t j = 0; j < width->kernel;) {
        const float *taps[ARGMAX_TAPS];
        int32_t of[ARGMAX_TAPS];
        int count = 0;
        for (; j < width->kernel && count < ARGMAX_TAPS; j++, count++) {
            const int64_t offset = j * width->dilation - width->pad;
            const int64_t f = max_floor_div(offset, width->stride);
            taps[count] =
                split + (offset - f * width->stride) * pitch + (f + width->high) * lanes->channels;
            of[count] = (int32_t)(code + j * width->dilation);
        }
        compare_some_taps(count, a, taps, of, lanes->windows * lanes->channels);
    }
}

/* Row (od, oh) of the windows of `lanes`, all real. */
K_TEMPLATE
void argmax_row(enum k_dtype dt, struct k_argmax *a, const struct k_lanes *lanes, int64_t outer,
                int64_t od, int64_t oh)
{
    const struct max_axis *depth = &a->plan->depth, *height = &a->plan->height;
    const struct max_axis *width = &a->plan->width;
    const int64_t low = lanes->first - width->high;
    const int64_t high = lanes->first + lanes->windows - width->low;
    const int64_t pitch = max_split_pitch(width, lanes->windows, lanes->channels);
    const int64_t row_bytes = width->in * a->plan->channels * k_size(dt);
    bool first = true;
    const int64_t all = lanes->windows * lanes->channels;
    for (int64_t i = 0; i < all; i += VL)
        v_store(a->best + i, v_all(-INFINITY));
    for (int64_t jd = 0; jd < depth->kernel; jd++) {
        const int64_t d = od * depth->stride - depth->pad + jd * depth->dilation;
        if (d < 0 || d >= depth->in) continue;
        for (int64_t jh = 0; jh < height->kernel; jh++) {
            const int64_t h = oh * height->stride - height->pad + jh * height->dilation;
            if (h < 0 || h >= height->in) continue;
            const int64_t code =
                (jd * depth->dilation * height->in + jh * height->dilation) * width->in;
            for (int64_t i = 0; first && a->codes && i < all; i += VL)
                v_store_i(a->code + i, v_load_i(lanes->inside + i) + (int32_t)code);
            first = false;
            const int64_t row = (outer * depth->in + d) * height->in + h;
            split_row(dt, a, lanes, a->x + row * row_bytes, low, high, pitch);
            compare_row(a, lanes, pitch, code);
        }
    }
}

/* The place of the first taps of row (od, oh), less lanes->base; padding makes it negative. */
static inline int64_t row_base(const struct max_plan *plan, int64_t od, int64_t oh)
{
    const int64_t d = od * plan->depth.stride - plan->depth.pad;
    const int64_t h = oh * plan->height.stride - plan->height.pad;
    return (d * plan->height.in + h) * plan->width.in;
}

#endif

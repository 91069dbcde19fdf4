/* SPDX-License-Identifier: Apache-2.0 */
/* y[o] = the largest tap of window o, indices[o] = its cell: many channels, innermost. Window by
 * window, vectors along the channels (max_deep.h). */
#include "kernels/pool/max_deep.h"
#include "kernels/pool/max_forward.h"
#include "kernels/pool/max_short.h"

/* One window by way of images. */
K_TEMPLATE
void forward_pieces(enum k_dtype dt, bool codes, struct forward *f, const struct max_list *list,
                    const struct max_taps *taps)
{
    enum { PIECE = OUTLET_ROOM / 8 - VL };
    const int64_t channels = f->plan.channels, size = f->index_size;
    for (int64_t first = 0, end; first < channels; first = end) {
        end = channels - first < PIECE + VL ? channels : first + PIECE - VL;
        const int64_t piece = end - first;
        struct max_results to = {outlet_room(&f->values, 1, piece * k_size(dt)), NULL,
                                 f->pool->index, false};
        if (codes) to.places = outlet_room(&f->places, 1, piece * size);
        deep_window(dt, codes ? DEEP_PLACES : DEEP_VALUES, taps, list, &to, first, end);
        outlet_took(&f->values, 1, piece * k_size(dt));
        if (codes) outlet_took(&f->places, 1, piece * size);
    }
}

/* The same as forward_windows of few channels; false if there may be a NaN, or other windows. */
K_TEMPLATE
bool short_windows(enum k_dtype dt, bool codes, const struct forward *f,
                   const struct max_list *list, const struct max_taps *taps,
                   const struct max_results *to, int64_t windows, int64_t step, int64_t below)
{
    const int64_t stride = f->plan.width.stride;
    bool part;
    if (!deep_is_short(dt, list, f->plan.channels, &part)) return false;
    const bool wide = f->pool->index == K_INDEX_I64;
    if (part && wide)
        return deep_short(dt, codes, true, true, taps, list, to, windows, step, stride, below);
    if (part)
        return deep_short(dt, codes, false, true, taps, list, to, windows, step, stride, below);
    if (wide)
        return deep_short(dt, codes, true, false, taps, list, to, windows, step, stride, below);
    return deep_short(dt, codes, false, false, taps, list, to, windows, step, stride, below);
}

/* `windows` windows that have as many taps each, from the one of `taps` on, where their results
 * belong. */
K_TEMPLATE
void forward_windows(enum k_dtype dt, bool codes, struct forward *f, const struct max_list *list,
                     struct max_taps *taps, int64_t windows)
{
    const int64_t channels = f->plan.channels, stride = f->plan.width.stride;
    const int64_t below = (f->plan.height.stride - 1) * f->plan.width.in * channels * k_size(dt);
    struct max_results to = {f->values.vectors.to, codes ? f->places.vectors.to : NULL,
                             f->pool->index, f->values.stream};
    const int64_t step = stride * channels * k_size(dt);
    if (short_windows(dt, codes, f, list, taps, &to, windows, step, below)) {
        f->values.vectors.to = to.values + windows * channels * k_size(dt);
        if (codes) f->places.vectors.to = to.places + windows * channels * f->index_size;
        taps->at += windows * step;
        taps->place += (int32_t)(windows * stride);
        return;
    }
    for (int64_t w = 0; w < windows; w++) {
        /* Behind the end of a row it is what the next row of windows begins with. */
        taps->beyond = (windows - w) * step > FAR_BYTES ? 0 : below;
        deep_window(dt, codes ? DEEP_PLACES : DEEP_VALUES, taps, list, &to, 0, channels);
        to.values += channels * k_size(dt);
        if (codes) to.places += channels * f->index_size;
        taps->at += step;
        taps->place += (int32_t)stride;
    }
    f->values.vectors.to = to.values;
    if (codes) f->places.vectors.to = to.places;
}

/* Row (od, oh) of windows. */
K_TEMPLATE
void forward_deep(enum k_dtype dt, bool codes, struct forward *f, struct max_list *list,
                  int64_t outer, int64_t od, int64_t oh)
{
    const struct max_plan *plan = &f->plan;
    const struct max_axis *depth = &plan->depth, *height = &plan->height, *width = &plan->width;
    const int64_t bytes = plan->channels * k_size(dt);
    const int64_t row = height->dilation * width->in, plane = depth->dilation * height->in;
    const bool whole = bytes % K_VECTOR_BYTES == 0 && f->values.vectors.filled == 0 &&
                       (!codes || f->places.vectors.filled == 0);
    const bool straight = !f->values.stream || whole;
    struct max_taps taps = {
        .bytes = {plane * width->in * bytes, row * bytes, width->dilation * bytes},
        .places = {(int32_t)(plane * width->in), (int32_t)row, (int32_t)width->dilation},
        .fresh = height->stride};
    const int64_t d = taps_inside(depth, od, &taps.count[0]);
    const int64_t h = taps_inside(height, oh, &taps.count[1]);
    for (int64_t ow = 0, run; ow < width->out; ow += run) {
        const int64_t w = taps_inside(width, ow, &taps.count[2]);
        const int64_t place = (d * height->in + h) * width->in + w;
        const int64_t cell = outer * depth->in * height->in * width->in + place;
        taps.place = (int32_t)place;
        taps.at = (const char *)((uintptr_t)f->x + (uintptr_t)(cell * bytes));
        list_update(dt, list, &taps);
        run = 1;
        if (straight && taps.count[2] == width->kernel) /* more, until the last tap leaves */
            run = max_least((width->in - w - max_span(width)) / width->stride + 1, width->out - ow);
        if (straight)
            forward_windows(dt, codes, f, list, &taps, run);
        else
            forward_pieces(dt, codes, f, list, &taps);
    }
}

/* Functions of their own: inlined into the loop over rows they are a sixth slower (AVX-512). */
#define FORWARD_DEEP(type, dt)                                                                     \
    K_OUTLINE void forward_deep_##type(struct forward *f, struct max_list *list, int64_t outer,    \
                                       int64_t od, int64_t oh)                                     \
    {                                                                                              \
        if (f->indices)                                                                            \
            forward_deep(dt, true, f, list, outer, od, oh);                                        \
        else                                                                                       \
            forward_deep(dt, false, f, list, outer, od, oh);                                       \
    }
FORWARD_DEEP(f32, K_F32)
FORWARD_DEEP(f16, K_F16)
FORWARD_DEEP(bf16, K_BF16)
#undef FORWARD_DEEP

K_TEMPLATE
void max_pool_channels(enum k_dtype dt, const struct k_max_pool *pool, void *const buf[],
                       struct k_slice slice)
{
    struct forward f;
    struct max_list list = {.count = 0};
    forward_begin(dt, &f, pool, buf);
    if (!forward_out(dt, &f, slice)) return;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t oh = item % f.plan.height.out, column = item / f.plan.height.out;
        const int64_t od = column % f.plan.depth.out, outer = column / f.plan.depth.out;
        if (dt == K_F32) forward_deep_f32(&f, &list, outer, od, oh);
        if (dt == K_F16) forward_deep_f16(&f, &list, outer, od, oh);
        if (dt == K_BF16) forward_deep_bf16(&f, &list, outer, od, oh);
    }
    forward_end(&f);
}

K_FLOATS_VECTOR(max_pool_channels, struct k_max_pool)

/* SPDX-License-Identifier: Apache-2.0 */
/* One channel, windows of two cells side by side along the width, of a few along the height: a row
 * of windows makes a row of cells, which goes out as often as the height says. Bands of rows of dY
 * become rows of finished cells, one behind the other in an image, without regard to where a row
 * ends; from there vectors go out that jump back at the end of a row as often as it is repeated.
 *
 * dX moves on faster than the image, and a load across two lines waits for a streaming store with
 * its page offset: a band ends before the one has caught up with the other. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_REPEATS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_REPEATS_H

#include "kernels/pool/grad_flat.h"

enum {
    REPEATS_BAND = 3072,  /* bytes of the image that dX may be ahead of it; or one row */
    REPEATS_APART = 3584, /* of a page, from dX to the image */
    REPEATS_MARGIN = 2 * LINE_BYTES
};
_Static_assert((int)REPEATS_BAND >= (int)POOL_FLAT_CELLS * 4, "a band has at least one row");
_Static_assert(REPEATS_BAND + 2 * REPEATS_MARGIN + FLAT_PAGE <= POOL_FUSED * POOL_SLOT * 4,
               "image");
_Static_assert((int)REPEATS_APART >= (int)REPEATS_BAND + 4 * LINE_BYTES, "apart until its end");

/* Where the next vector comes from; local copies, since streaming stores might change whatever else
 * there is. */
struct repeats {
    const char *from;
    int64_t left; /* bytes until the end of a row that is still to be repeated */
    int64_t row;  /* bytes of a row, not fewer than a vector's */
    int64_t times, copy;
};

K_TEMPLATE
vf repeats_next(struct repeats *r)
{
    vf vector = v_load((const float *)(const void *)r->from);
    r->from += K_VECTOR_BYTES;
    r->left -= K_VECTOR_BYTES;
    if (r->left >= 0) return vector;
    r->from -= r->row;
    const char *again = r->from - K_VECTOR_BYTES;
    vector = outlet_join((int)r->left + K_VECTOR_BYTES, vector,
                         v_load((const float *)(const void *)again));
    r->left += r->row;
    if (++r->copy == r->times - 1)
        r->copy = 0, r->left += r->row; /* and the next row's first one */
    return vector;
}

/* `count` bytes behind those that are pending. */
K_TEMPLATE
void repeats_put(bool stream, struct repeats r, int64_t count, struct k_vectors *out)
{
    int64_t x = -out->filled;
    r.from -= out->filled;
    r.left += out->filled;
    vf vector = repeats_next(&r);
    if (out->filled > 0) vector = outlet_join(out->filled, out->pending, vector);
    if (x + K_VECTOR_BYTES <= count) {
        vectors_store(out, vector, stream);
        char *to = out->to;
        for (x += K_VECTOR_BYTES; x + K_VECTOR_BYTES <= count; x += K_VECTOR_BYTES) {
            k_write(to, repeats_next(&r), stream);
            to += K_VECTOR_BYTES;
        }
        vector = repeats_next(&r);
        out->to = to;
    }
    out->pending = vector;
    out->filled = (int)(count - x);
}

K_OUTLINE void repeats_band(bool stream, const struct repeats *r, int64_t count,
                            struct k_vectors *out)
{
    if (stream)
        repeats_put(true, *r, count, out);
    else
        repeats_put(false, *r, count, out);
}

/* `count` windows as pairs of cells. */
K_TEMPLATE
void repeats_image(enum k_dtype dt, const struct grad *g, const char *dy, int64_t count, char *to)
{
    const vf factor = v_all(g->whole_factor);
    for (int64_t x = 0; x < count; x += VL, to += K_VECTOR_BYTES) {
        const char *at = dy + x * k_size(dt);
        const vf value = band_vector(dt, false, g, at, count - x, factor);
        k_prefetch(at + POOL_FAR);
        if (dt == K_F16) k_put(to, block_zip_f16(value, value));
        if (dt == K_BF16) k_put(to, block_pair_bf16(value, value));
        if (dt != K_F32) continue;
        k_put(to, v_zip(0, value, value));
        to += K_VECTOR_BYTES;
        k_put(to, v_zip(1, value, value));
    }
}

/* Rows of dX shorter than a vector: copied one by one, a vector each. */
K_TEMPLATE
bool is_narrow(enum k_dtype dt, const struct grad *g)
{
    return g->plan.width.in * k_size(dt) < K_VECTOR_BYTES;
}

/* Rows [h, end) of this column, narrow ones. */
K_TEMPLATE
void repeats_narrow(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const int64_t width = g->plan.width.out, times = g->plan.height.stride;
    const int64_t row = 2 * width * k_size(dt), most = POOL_RUN / LINE_BYTES;
    char *image = (char *)g->slots;
    for (int64_t rows; h < end; h += rows) {
        int64_t place = h % times;
        rows = pool_min(most, end - h);
        const int64_t windows = (place + rows + times - 1) / times * width;
        if (g->depths == 0)
            memset(image, 0, (size_t)(2 * windows * k_size(dt)) + K_VECTOR_BYTES);
        else
            repeats_image(dt, g, row_of_dy(g, h / times, k_size(dt)), windows, image);
        char *to = outlet_room(&g->outlet, rows, row);
        const int64_t pitch = outlet_pitch(&g->outlet, row);
        const char *from = image;
        for (int64_t r = 0; r < rows; r++, to += pitch) {
            k_put(to, v_load((const float *)(const void *)from));
            if (++place == times) place = 0, from += row;
        }
        outlet_took(&g->outlet, rows, row);
    }
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_repeats(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const int64_t width = g->plan.width.out, times = g->plan.height.stride;
    const int64_t row = 2 * width * k_size(dt);
    const int64_t most = pool_max(REPEATS_BAND / ((times - 1) * row), 1) * times;
    struct k_vectors *out = &g->outlet.vectors;
    if (is_narrow(dt, g)) {
        repeats_narrow(dt, g, h, end);
        return;
    }
    while (h < end) {
        const int64_t place = h % times, rows = pool_min(most - place, end - h);
        char *room = (char *)g->slots + REPEATS_MARGIN;
        const uintptr_t apart =
            ((uintptr_t)out->to + REPEATS_APART - (uintptr_t)room) % FLAT_PAGE / LINE_BYTES;
        char *image = room + apart * LINE_BYTES;
        const int64_t windows = (place + rows + times - 1) / times * width;
        if (g->depths == 0)
            memset(image, 0, (size_t)(2 * windows * k_size(dt)));
        else
            repeats_image(dt, g, row_of_dy(g, h / times, k_size(dt)), windows, image);
        const bool is_last = place == times - 1;
        const struct repeats r = {.from = image,
                                  .left = is_last ? 2 * row : row,
                                  .row = row,
                                  .times = times,
                                  .copy = is_last ? 0 : place};
        repeats_band(g->outlet.stream, &r, rows * row, out);
        h += rows;
    }
}

#endif

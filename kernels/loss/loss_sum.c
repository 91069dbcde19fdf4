/* SPDX-License-Identifier: Apache-2.0 */
/* Losses are made tile by tile in L1 and added to some lanes, as many on every level, of which a
 * tree makes the item's sum: so the bits depend on the shape and the strides alone. */
#include <string.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/loop/loop.h"
#include "kernels/loss/k_loss.h"
#include "kernels/vector/math_double.h"
#include "kernels/vector/simd.h"

/* The slice at work. */
struct sums {
    const struct k_elementwise *e;
    k_tile_fn *tile;
    double *to; /* of the next item */
};

enum { DOUBLES = sizeof(vd) / sizeof(double), PARTS = K_LOSS_LANES / DOUBLES };

static double total(double *lanes)
{
    for (int half = K_LOSS_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lanes[i] += lanes[i + half];
    return lanes[0];
}

static double sum_f32(const float *x, int64_t count)
{
    vd part[PARTS] = {{0}};
    double lanes[K_LOSS_LANES];
    int64_t i = 0;
    for (; i + K_LOSS_LANES <= count; i += K_LOSS_LANES)
        for (int k = 0; k < PARTS; k += 2) {
            const vf some = v_load(x + i + (int64_t)k * DOUBLES);
            part[k] += vd_widen(0, some);
            part[k + 1] += vd_widen(1, some);
        }
    memcpy(lanes, part, sizeof lanes);
    for (int lane = 0; i < count; i++)
        lanes[lane++] += (double)x[i];
    return total(lanes);
}

static double sum_f64(const double *x, int64_t count)
{
    vd part[PARTS] = {{0}}, some;
    double lanes[K_LOSS_LANES];
    int64_t i = 0;
    for (; i + K_LOSS_LANES <= count; i += K_LOSS_LANES)
        for (int k = 0; k < PARTS; k++) {
            memcpy(&some, x + i + (int64_t)k * DOUBLES, sizeof some);
            part[k] += some;
        }
    memcpy(lanes, part, sizeof lanes);
    for (int lane = 0; i < count; i++)
        lanes[lane++] += x[i];
    return total(lanes);
}

/* One item, or as many as the loop gives at once where operands lie dense. */
static void add_tile(const void *parameters, const void *const operands[], void *const results[],
                     int64_t count)
{
    _Alignas(LINE_BYTES) char losses[K_LOOP_BLOCK_BYTES];
    struct sums *sums = *(struct sums *const *)parameters;
    const struct k_loop *loop = &sums->e->loop;
    const int64_t step = loop->walk.is_flat ? loop->walk.columns : count;
    const int64_t size = k_dtype_size(k_dtype_of(loop->compute));
    const void *from[K_LOOP_OPERANDS];
    void *const to[] = {losses};
    (void)results;
    for (int64_t begin = 0; begin < count; begin += step) {
        const int64_t some = count - begin < step ? count - begin : step;
        for (int i = 0; i < loop->operands; i++)
            from[i] = (const char *)operands[i] + begin * size;
        sums->tile(sums->e, from, to, some);
        *sums->to++ = size == sizeof(float) ? sum_f32((const float *)to[0], some)
                                            : sum_f64((const double *)to[0], some);
    }
}

k_fn K_SYMBOL(loss_sum);

void K_SYMBOL(loss_sum)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_elementwise *e = parameters;
    double *to = buffers[e->loop.operands];
    struct sums sums = {e, k_elementwise_tile(e), to + slice.begin}, *const at = &sums;
    k_loop_run(&e->loop, add_tile, &at, buffers, slice);
}

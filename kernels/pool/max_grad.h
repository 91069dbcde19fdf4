/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a slice of a gradient of max pooling, for the ways that gather: each cell looks at
 * the windows over it and adds the values of those whose index is the cell. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_GRAD_H
#define ACLNN_CPU_KERNELS_POOL_MAX_GRAD_H

#include "kernels/pool/argmax.h"
#include "kernels/pool/max_pool_plan.h"
#include "kernels/pool/max_words.h"
#include "kernels/vector/block.h"
#include "kernels/vector/outlet.h"
#include "kernels/vector/select.h"

/* How windows lie over cells, both axes alike. */
enum cell_pattern {
    CELLS_ANY,
    CELLS_APART, /* kernel 2, stride 2, no padding */
    CELLS_ODD,   /* kernel 3, stride 2, padding 1: even cells lie under one window */
    CELLS_EVEN   /* kernel 3, stride 2, no padding: odd cells do */
};

static inline enum cell_pattern cell_pattern(const struct max_axis *width)
{
    if (width->kernel == 2) return CELLS_APART;
    return width->pad == 1 ? CELLS_ODD : CELLS_EVEN;
}

struct max_grad {
    const struct k_max_pool *pool;
    struct max_plan plan;
    struct max_phases phases[K_MAX_POOL_AXES];
    const char *dy, *dy_end, *indices, *indices_end;
    int64_t dy_size;
    char *dx;
    const char *x;         /* GRAD_FINDS: where indices are found, */
    char *taps;            /* and the ring they wait in (max_found.h), MAX_FOUND bytes */
    bool stray;            /* an index lies outside of its window */
    bool apart;            /* channels: rows of windows apart make all their cells at once */
    uint32_t indices_step; /* from outer to outer, what indices begin with; 0: each with 0 */
    struct k_lanes lanes;  /* windows */

    /* The column in work: the depths over it, and the rows of windows made. */
    int64_t outer, made;
    int depths;
    int64_t depth[MAX_SIDE];
    int depth_tap[MAX_SIDE];
    struct k_outlet outlet;
};

/* The index of the first element of the outer in work; modulo 2^32, as all that is compared. */
static inline uint32_t first_index(const struct max_grad *g)
{
    return (uint32_t)g->outer * g->indices_step;
}

/* ---- rows of windows ---- */

/* Which taps of a row of windows lie in which rows inside the input: their codes. */
struct row_codes {
    int count;
    int32_t limit; /* indices are below it */
    int32_t at[MAX_TAPS];
};

static inline void row_codes(const struct max_plan *plan, int64_t od, int64_t oh,
                             struct row_codes *codes)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    codes->count = 0;
    codes->limit = INT32_MAX;
    for (int64_t jd = 0; jd < depth->kernel; jd++) {
        const int64_t d = od * depth->stride - depth->pad + jd * depth->dilation;
        for (int64_t jh = 0; d >= 0 && d < depth->in && jh < height->kernel; jh++) {
            const int64_t h = oh * height->stride - height->pad + jh * height->dilation;
            if (h < 0 || h >= height->in) continue;
            codes->at[codes->count++] =
                (int32_t)((jd * depth->dilation * height->in + jh * height->dilation) *
                          plan->width.in);
        }
    }
}

/* Is each lane's code that of a tap inside the input? Along the width taps are inside from
 * `inside` on, over `length`. */
K_TEMPLATE
vi code_in_window(vi inside, vi length, const struct max_axis *width, const struct row_codes *rows,
                  vi code)
{
    vi is_tap = {0};
    if (width->dilation == 1 || width->kernel == 1) {
        const vu column = (vu)code - (vu)inside;
        vu least = (vu)v_all_i(-1);
        for (int r = 0; r < rows->count; r++)
            least = v_least_u(least, column - (uint32_t)rows->at[r]);
        return (vi)(least < (vu)length);
    }
    for (int r = 0; r < rows->count; r++)
        for (int32_t j = 0; j < (int32_t)width->kernel; j++) {
            const int32_t step = j * (int32_t)width->dilation;
            is_tap |= (code == rows->at[r] + step) & (vi)((vu)(step - inside) < (vu)length);
        }
    return is_tap;
}

/* ---- the walk ---- */

static inline void grad_column(struct max_grad *g, int64_t outer, int64_t d, int64_t h)
{
    const struct max_axis *depth = &g->plan.depth, *height = &g->plan.height;
    const struct max_phases *phases = &g->phases[0];
    const int64_t q = d / depth->stride, c = d % depth->stride;
    g->outer = outer;
    g->depths = 0;
    for (int e = phases->first[c]; e < phases->first[c + 1]; e++) {
        const int64_t od = q + phases->shift[e];
        if (od < 0 || od >= depth->out) continue;
        g->depth[g->depths] = od;
        g->depth_tap[g->depths++] = phases->tap[e];
    }
    g->made = max_most(h / height->stride + height->low, 0);
}

static inline void grad_begin(struct max_grad *g, enum k_dtype dt, const struct k_max_pool *pool,
                              const void *dy, const void *indices, void *dx)
{
    const struct max_plan *plan = &g->plan;
    g->pool = pool;
    g->plan = pool->plan;
    max_phases(&plan->depth, &g->phases[0]);
    max_phases(&plan->height, &g->phases[1]);
    max_phases(&plan->width, &g->phases[2]);
    const int64_t windows = plan->outer * plan->depth.out * plan->height.out * plan->width.out;
    g->dy = dy;
    g->dy_end = g->dy + windows * plan->channels * k_size(dt);
    g->dy_size = k_size(dt);
    g->indices = indices;
    g->indices_end = g->indices;
    if (pool->index != K_INDEX_NONE)
        g->indices_end += windows * plan->channels * (pool->index == K_INDEX_I64 ? 8 : 4);
    g->dx = dx;
    g->stray = false;
    const int64_t elements = plan->depth.in * plan->height.in * plan->width.in * plan->channels;
    g->indices_step = pool->space == K_INDEX_OF_TENSOR ? (uint32_t)elements : 0;
    g->lanes.windows = 0;
}

#endif

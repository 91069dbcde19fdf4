/* SPDX-License-Identifier: Apache-2.0 */
/* An item of a product of matrices: where its operands lie, and how its sums become results. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_ITEM_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_ITEM_H

#include "kernels/gemm/k_gemm.h"
#include "kernels/vector/lanes.h"

struct gemm_item {
    const struct k_gemm *gemm;
    const char *a, *b, *addend; /* of its first row and column */
    char *c;
    int64_t rows, columns;
    int64_t b_block; /* items with the same number multiply the same columns of b */
};

static inline int64_t gemm_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

K_TEMPLATE
int64_t gemm_size(enum k_dtype dt)
{
    return dt == K_F64 ? 8 : k_size(dt);
}

/* Elements from the first matrix of the batch to number `index`. */
static inline int64_t gemm_batch_at(const struct k_gemm *gemm, const struct k_gemm_matrix *matrix,
                                    int64_t index)
{
    int64_t at = 0;
    for (int axis = K_GEMM_BATCH - 1; axis >= 0; axis--) {
        at += index % gemm->batch[axis] * matrix->batch[axis];
        index /= gemm->batch[axis];
    }
    return at;
}

/* Bytes to element (row, column) of that matrix. */
static inline int64_t gemm_offset(const struct k_gemm *gemm, const struct k_gemm_matrix *matrix,
                                  int64_t index, int64_t row, int64_t column)
{
    return gemm_size(matrix->dtype) *
           (gemm_batch_at(gemm, matrix, index) + row * matrix->row + column * matrix->column);
}

/* Items are (batch, column block, row block), the last fastest. */
static inline struct gemm_item gemm_item_at(const struct k_gemm_view *view, void *const buffers[],
                                            int64_t number)
{
    const struct k_gemm *g = &view->gemm;
    const struct k_gemm_cut *cut = &g->cut;
    const int64_t row = number % cut->row_blocks * cut->rows, b_block = number / cut->row_blocks;
    const int64_t column = b_block % cut->column_blocks * cut->columns;
    const int64_t batch = b_block / cut->column_blocks;
    struct gemm_item item = {.gemm = g, .b_block = b_block};
    item.rows = gemm_min(g->m - row, cut->rows);
    item.columns = gemm_min(g->n - column, cut->columns);
    item.a = v_address(buffers[view->left], gemm_offset(g, &g->a, batch, row, 0));
    item.b = v_address(buffers[view->right], gemm_offset(g, &g->b, batch, 0, column));
    item.c =
        (char *)(uintptr_t)v_address(buffers[K_GEMM_C], gemm_offset(g, &g->c, batch, row, column));
    if (g->has_addend)
        item.addend =
            v_address(buffers[K_GEMM_ADDEND], gemm_offset(g, &g->addend, batch, row, column));
    return item;
}

/* ---- elements as floats ---- */

K_TEMPLATE
void widen_of(enum k_dtype dt, const char *from, int64_t step, int64_t count, float *to)
{
    for (int64_t i = 0; i < count; i += VL)
        v_store(to + i, k_load_between(dt, v_address(from, i * step * k_size(dt)), step, 0,
                                       (int)gemm_min(count - i, VL), (vf){0}));
}

/* `count` elements, and zeros up to a whole vector. */
static __attribute__((noinline, unused)) void widen(enum k_dtype dt, const char *from, int64_t step,
                                                    int64_t count, float *to)
{
    if (dt == K_F32)
        widen_of(K_F32, from, step, count, to);
    else if (dt == K_F16)
        widen_of(K_F16, from, step, count, to);
    else
        widen_of(K_BF16, from, step, count, to);
}

K_TEMPLATE
void narrow_of(enum k_dtype dt, const float *from, int64_t count, char *to, int64_t step)
{
    for (int64_t i = 0; i < count; i += VL)
        k_store_between(dt, (char *)(uintptr_t)v_address(to, i * step * k_size(dt)), step, 0,
                        (int)gemm_min(count - i, VL), v_load(from + i));
}

static __attribute__((noinline, unused)) void narrow(enum k_dtype dt, const float *from,
                                                     int64_t count, char *to, int64_t step)
{
    if (dt == K_F32)
        narrow_of(K_F32, from, count, to, step);
    else if (dt == K_F16)
        narrow_of(K_F16, from, count, to, step);
    else
        narrow_of(K_BF16, from, count, to, step);
}

/* ---- the epilogue ---- */

enum { FINISH_RUN = 256 };

static inline bool gemm_has_epilogue(const struct k_gemm *g)
{
    return g->has_addend || g->alpha != 1 || g->activation != K_GEMM_LINEAR;
}

/* Columns [first, first + count) of a row of the item, from their sums, which may lie in c. Whole
 * vectors of sums are read. */
static __attribute__((unused)) void gemm_finish(const struct gemm_item *item, int64_t row,
                                                int64_t first, int64_t count, const float *sums)
{
    const struct k_gemm *g = item->gemm;
    const int64_t size = k_size(g->c.dtype);
    char *c = (char *)(uintptr_t)v_address(item->c, size * (row * g->c.row + first * g->c.column));
    if (!gemm_has_epilogue(g)) {
        narrow(g->c.dtype, sums, count, c, g->c.column);
        return;
    }
    const vf alpha = v_all((float)g->alpha), beta = v_all((float)g->beta);
    float extra[FINISH_RUN], result[FINISH_RUN];
    for (int64_t at = 0; at < count; at += FINISH_RUN) {
        const int64_t some = gemm_min(count - at, FINISH_RUN);
        if (g->has_addend)
            widen(g->addend.dtype,
                  v_address(item->addend,
                            k_size(g->addend.dtype) *
                                (row * g->addend.row + (first + at) * g->addend.column)),
                  g->addend.column, some, extra);
        for (int64_t i = 0; i < some; i += VL) {
            vf value = alpha * v_load(sums + at + i);
            if (g->has_addend) value += beta * v_load(extra + i);
            if (g->activation == K_GEMM_RELU) value = (vf)((vi)value & ~(vi)(value < (vf){0}));
            v_store(result + i, value);
        }
        narrow(g->c.dtype, result, some, (char *)(uintptr_t)v_address(c, size * at * g->c.column),
               g->c.column);
    }
}

/* The same for a whole row of f64, from sums `step` apart. */
static __attribute__((unused)) void gemm_finish_doubles(const struct gemm_item *item, int64_t row,
                                                        const char *sums, int64_t step)
{
    const struct k_gemm *g = item->gemm;
    for (int64_t i = 0; i < item->columns; i++) {
        double value, extra;
        memcpy(&value, v_address(sums, 8 * i * step), sizeof value);
        value *= g->alpha;
        if (g->has_addend) {
            memcpy(&extra,
                   v_address(item->addend, 8 * (row * g->addend.row + i * g->addend.column)),
                   sizeof extra);
            value += g->beta * extra;
        }
        if (g->activation == K_GEMM_RELU && value < 0) value = 0;
        memcpy((char *)(uintptr_t)v_address(item->c, 8 * (row * g->c.row + i * g->c.column)),
               &value, sizeof value);
    }
}

#endif

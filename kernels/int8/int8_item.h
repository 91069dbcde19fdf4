/* SPDX-License-Identifier: Apache-2.0 */
/* How exact sums of an item become results. */
#ifndef ACLNN_CPU_KERNELS_INT8_INT8_ITEM_H
#define ACLNN_CPU_KERNELS_INT8_INT8_ITEM_H

#include "kernels/gemm/gemm_item.h"
#include "kernels/int8/k_int8.h"
#include "kernels/quant/int8_packed.h"
#include "kernels/vector/dots.h"

struct int8_item {
    const struct k_int8 *product;
    const char *a, *b, *bias; /* bias: of the first column of all */
    char *c;
    int64_t row, column, rows, columns; /* of the matrix */
    int64_t b_block;                    /* items with the same number multiply the same columns */
};

/* What the columns of an item share, zeros where it is not there. */
struct int8_factors {
    _Alignas(64) float scale[K_GEMM_COLUMNS];
    _Alignas(64) float more[K_GEMM_COLUMNS]; /* the bias, or the offset */
    _Alignas(64) uint32_t whole[K_GEMM_COLUMNS];
    bool has_scale, has_more;
};

static inline int64_t int8_size(enum k_dtype dt)
{
    return dt == K_F32 || dt == K_I32 ? 4 : dt == K_I8 ? 1 : dt == K_U64 ? 8 : 2;
}

static inline struct int8_item int8_item_at(const struct k_int8 *p, void *const buffers[],
                                            int64_t number)
{
    const struct k_gemm *g = &p->gemm;
    const struct k_gemm_cut *cut = &g->cut;
    const int64_t row = number % cut->row_blocks * cut->rows, b_block = number / cut->row_blocks;
    const int64_t column = b_block % cut->column_blocks * cut->columns;
    const int64_t batch = b_block / cut->column_blocks;
    struct int8_item item = {.product = p, .row = row, .column = column, .b_block = b_block};
    item.rows = gemm_min(g->m - row, cut->rows);
    item.columns = gemm_min(g->n - column, cut->columns);
    item.a = v_address(buffers[K_INT8_A], gemm_batch_at(g, &g->a, batch) + row * g->a.row);
    item.b = v_address(buffers[K_INT8_B],
                       (gemm_batch_at(g, &g->b, batch) + column * g->b.column) >> p->is_four);
    item.c = (char *)(uintptr_t)v_address(
        buffers[K_INT8_C],
        int8_size(g->c.dtype) * (gemm_batch_at(g, &g->c, batch) + row * g->c.row + column));
    if (g->has_addend)
        item.bias = v_address(buffers[K_INT8_BIAS],
                              int8_size(g->addend.dtype) * gemm_batch_at(g, &g->addend, batch));
    return item;
}

static void int8_unpack_all(const struct k_int8_factor *factor, const char *from, int64_t count,
                            bool is_offset, float *to)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t both;
        memcpy(&both, v_address(from, 8 * i * factor->step), sizeof both);
        to[i] = int8_unpack(both, is_offset);
    }
}

static void int8_load_bias(const struct k_int8 *p, const char *from, int64_t count,
                           struct int8_factors *to)
{
    const struct k_gemm_matrix *bias = &p->gemm.addend;
    if (bias->dtype == K_I32)
        for (int64_t i = 0; i < count; i++)
            memcpy(&to->whole[i], v_address(from, 4 * i * bias->column), 4);
    else
        widen(bias->dtype, from, bias->column, count, to->more);
    to->has_more = bias->dtype != K_I32;
}

/* Of `count` columns from `column` on; bias: that of column 0. */
static void int8_load_factors(const struct k_int8 *p, void *const buffers[], const char *bias,
                              int64_t column, int64_t count, struct int8_factors *to)
{
    const struct k_int8_factor *scale = &p->scale, *offset = &p->offset;
    const char *scales =
        v_address(buffers[K_INT8_SCALE], int8_size(scale->dtype) * column * scale->step);
    memset(to, 0, sizeof *to);
    to->has_scale = scale->is_there;
    if (p->gemm.has_addend) {
        const struct k_gemm_matrix *m = &p->gemm.addend;
        int8_load_bias(p, v_address(bias, int8_size(m->dtype) * column * m->column), count, to);
    }
    if (scale->is_there && scale->dtype == K_U64)
        int8_unpack_all(scale, scales, count, false, to->scale);
    else if (scale->is_there)
        widen(scale->dtype, scales, scale->step, count, to->scale);
    if (offset->is_there) {
        widen(K_F32, v_address(buffers[K_INT8_OFFSET], 4 * column * offset->step), offset->step,
              count, to->more);
        to->has_more = true;
    } else if (scale->is_there && scale->dtype == K_U64 && p->gemm.c.dtype == K_I8) {
        int8_unpack_all(scale, scales, count, true, to->more);
        to->has_more = true;
    }
}

/* `count` columns of a row whose sums are too large by `less`. */
static void int8_finish(const struct k_int8 *p, const struct int8_factors *f, const uint32_t *sums,
                        uint32_t less, float token, int64_t count, char *to)
{
    const enum k_dtype dt = p->gemm.c.dtype;
    const vf by = v_all(token);
    _Alignas(64) float result[K_GEMM_COLUMNS];
    _Alignas(64) char bytes[K_GEMM_COLUMNS + VL];
    for (int64_t i = 0; i < count; i += VL) {
        const vu whole = v_load_u(sums + i) - v_all_u(less) + v_load_u(f->whole + i);
        vf value = __builtin_convertvector((vi)whole, vf);
        if (dt == K_I32) value = (vf)whole;
        if (f->has_scale) value *= v_load(f->scale + i);
        if (p->token.is_there) value *= by;
        if (f->has_more) value += v_load(f->more + i);
        if (dt == K_I8)
            v_to_bytes(bytes + i, v_nearest_byte(value));
        else
            v_store(result + i, value);
    }
    if (dt == K_I8)
        memcpy(to, bytes, (size_t)count);
    else if (dt == K_I32)
        memcpy(to, result, (size_t)(4 * count));
    else
        narrow(dt, result, count, to, 1);
}

/* Columns [first, first + count) of all rows of an item, from sums `apart` from each other. */
static void int8_finish_rows(const struct int8_item *item, void *const buffers[],
                             const struct int8_factors *f, const uint32_t *sums, int64_t apart,
                             const uint32_t *less, int64_t first, int64_t count)
{
    const struct k_int8 *p = item->product;
    const int64_t size = int8_size(p->gemm.c.dtype);
    for (int64_t row = 0; row < item->rows; row++) {
        float token = 1;
        if (p->token.is_there)
            memcpy(&token, v_address(buffers[K_INT8_TOKEN], 4 * (item->row + row) * p->token.step),
                   4);
        int8_finish(p, f, sums + row * apart + first, less[row], token, count,
                    item->c + size * (row * p->gemm.c.row + first));
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Products with INT4 whose terms are in parts: the sums of a part become FLOAT, by its scales, and
 * are added up. Some rows of an item at a time, so that both kinds of sums lie where else the whole
 * item's are. */
#ifndef ACLNN_CPU_KERNELS_INT8_INT8_FOURS_H
#define ACLNN_CPU_KERNELS_INT8_INT8_FOURS_H

#include "kernels/int8/int8_item.h"
#include "kernels/quant/int8_nibbles.h"

enum { INT8_FOURS_ROWS = 96 };

struct int8_fours {
    _Alignas(64) uint32_t sums[INT8_FOURS_ROWS * K_GEMM_COLUMNS]; /* first: the item's own */
    _Alignas(64) float totals[INT8_FOURS_ROWS * K_GEMM_COLUMNS];
    _Alignas(64) float scale[K_GEMM_COLUMNS];     /* of a part */
    _Alignas(64) int32_t columns[K_GEMM_COLUMNS]; /* the sums of its terms */
    _Alignas(64) int8_t bytes[INT8_FOURS_TERMS * INT8_FOURS_APART];
};
_Static_assert(sizeof(struct int8_fours) <= 4 * K_GEMM_ROWS * K_GEMM_COLUMNS,
               "it lies where the sums of an item are");

/* Up to `count` rows of an item, from number `row` on. */
static inline struct int8_item int8_rows_of(const struct int8_item *item, int64_t row,
                                            int64_t count)
{
    const struct k_gemm *g = &item->product->gemm;
    struct int8_item some = *item;
    some.row += row;
    some.rows = gemm_min(item->rows - row, count);
    some.a = v_address(item->a, row * g->a.row);
    some.c += int8_size(g->c.dtype) * row * g->c.row;
    return some;
}

/* Before the part whose first term is `begin`. */
static void int8_fours_begin(const struct int8_item *item, void *const buffers[], int64_t begin,
                             struct int8_fours *to)
{
    const struct k_int8 *p = item->product;
    const int64_t first = begin / p->part * p->part_step + item->column * p->scale.step;
    const char *scales = v_address(buffers[K_INT8_SCALE], int8_size(p->scale.dtype) * first);
    if (begin == 0) memset(to->totals, 0, sizeof to->totals);
    memset(to->columns, 0, sizeof to->columns);
    memset(to->scale, 0, sizeof to->scale);
    if (p->scale.dtype == K_U64)
        int8_unpack_all(&p->scale, scales, item->columns, false, to->scale);
    else
        widen(p->scale.dtype, scales, p->scale.step, item->columns, to->scale);
}

/* After it. */
static void int8_fours_add(const struct int8_item *item, const uint32_t *less,
                           struct int8_fours *own)
{
    const vu by = v_all_u((uint32_t)item->product->less);
    for (int64_t row = 0; row < item->rows; row++)
        for (int64_t i = 0; i < item->columns; i += VL) {
            const int64_t at = row * K_GEMM_COLUMNS + i;
            const vu whole =
                v_load_u(own->sums + at) - v_all_u(less[row]) - by * v_load_u(own->columns + i);
            const vf value = __builtin_convertvector((vi)whole, vf) * v_load(own->scale + i);
            v_store(own->totals + at, v_load(own->totals + at) + value);
        }
}

static float int8_sum_of_row(const struct int8_item *item, int64_t row)
{
    const struct k_gemm *g = &item->product->gemm;
    int32_t sum = 0;
    for (int64_t i = 0; i < g->k; i++)
        sum += *(const int8_t *)v_address(item->a, row * g->a.row + i * g->a.column);
    return (float)sum;
}

/* After all parts. */
static void int8_fours_finish(const struct int8_item *item, void *const buffers[],
                              struct int8_factors *f, struct int8_fours *own)
{
    const struct k_int8 *p = item->product;
    const struct k_gemm *g = &p->gemm;
    float *offset = own->scale;
    memset(f, 0, sizeof *f);
    memset(own->scale, 0, sizeof own->scale);
    if (g->has_addend)
        int8_load_bias(
            p, v_address(item->bias, int8_size(g->addend.dtype) * item->column * g->addend.column),
            item->columns, f);
    if (p->offset.is_there)
        widen(K_F32, v_address(buffers[K_INT8_OFFSET], 4 * item->column * p->offset.step),
              p->offset.step, item->columns, offset);
    for (int64_t row = 0; row < item->rows; row++) {
        float *totals = own->totals + row * K_GEMM_COLUMNS;
        const vf sum = v_all(p->offset.is_there ? int8_sum_of_row(item, row) : 0);
        float token = 1;
        if (p->token.is_there)
            memcpy(&token, v_address(buffers[K_INT8_TOKEN], 4 * (item->row + row) * p->token.step),
                   4);
        for (int64_t i = 0; i < item->columns; i += VL) {
            vf value = v_load(totals + i) + v_load(f->more + i);
            if (p->offset.is_there) value += sum * v_load(offset + i);
            v_store(totals + i, value * v_all(token));
        }
        narrow(g->c.dtype, totals, item->columns, item->c + int8_size(g->c.dtype) * row * g->c.row,
               1);
    }
}

#endif

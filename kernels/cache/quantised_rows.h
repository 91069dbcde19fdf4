/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of quantised tensors as floats, and rows of floats as such, or rounded as if they were. */
#ifndef ACLNN_CPU_KERNELS_CACHE_QUANTISED_ROWS_H
#define ACLNN_CPU_KERNELS_CACHE_QUANTISED_ROWS_H

#include "kernels/cache/k_quantised.h"
#include "kernels/gemm/gemm_item.h"
#include "kernels/vector/integers.h"

enum { QUANTISED_ROOM = K_QUANTISED_ROW + 16 };

/* Of the columns of a row. */
struct quantised_factors {
    _Alignas(64) float scale[QUANTISED_ROOM], offset[QUANTISED_ROOM];
};

/* Where rows lie: elements of the first one, strides in elements; its factors. */
struct quantised_at {
    const char *from;
    int64_t row, column;
    const char *scale, *offset;
};

static const char *factor_at(const struct k_quantised_factor *f, const void *buffer, int64_t block,
                             int64_t head, int64_t row)
{
    return v_address(buffer, k_size(f->dtype) * (f->first + block * f->at.block +
                                                 head * f->at.head + row * f->at.row));
}

/* One for each column; or one for all of them, which is stored so often where `fills`. */
static void read_factor(const struct k_quantised_factor *f, const char *from, int64_t columns,
                        bool fills, float *to)
{
    if (f->at.column != 0) {
        widen(f->dtype, from, f->at.column, columns, to);
        return;
    }
    widen(f->dtype, from, 1, 1, to);
    const vf one = v_all(to[0]);
    for (int64_t i = 0; fills && i < columns; i += VL)
        v_store(to + i, one);
}

static void read_factors(const struct k_quantised *q, const struct quantised_at *at, int64_t row,
                         int64_t columns, bool fills, struct quantised_factors *to)
{
    const int64_t scale = k_size(q->scale.dtype) * q->scale.at.row * row;
    const int64_t offset = k_size(q->offset.dtype) * q->offset.at.row * row;
    read_factor(&q->scale, v_address(at->scale, scale), columns, fills, to->scale);
    if (q->has_offset)
        read_factor(&q->offset, v_address(at->offset, offset), columns, fills, to->offset);
    else
        memset(to->offset, 0, (size_t)(fills ? columns : 1) * sizeof *to->offset);
}

static void read_whole(bool is_four, const char *from, int64_t first, int64_t step, int64_t count,
                       char *to)
{
    if (!is_four && step == 1) {
        memcpy(to, v_address(from, first), (size_t)count);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = first + i * step;
        const int byte = (unsigned char)*v_address(from, is_four ? at >> 1 : at);
        to[i] = (char)(!is_four ? byte : ((byte >> (at & 1) * 4 & 15) ^ 8) - 8);
    }
}

/* by_column: each column has its own. */
K_TEMPLATE
void scale_row(bool by_column, bool has_offset, const char *whole, int64_t columns,
               const struct quantised_factors *factors, float *to)
{
    const vf one = v_all(factors->scale[0]), more = v_all(factors->offset[0]);
    for (int64_t i = 0; i < columns; i += VL) {
        vf x = __builtin_convertvector(v_from_bytes(true, whole + i), vf);
        if (has_offset) x += by_column ? v_load(factors->offset + i) : more;
        v_store(to + i, x * (by_column ? v_load(factors->scale + i) : one));
    }
}

/* to[i * apart + column], up to whole vectors. */
static __attribute__((noinline)) void read_quantised(const struct k_quantised *q,
                                                     const struct quantised_at *at, int64_t rows,
                                                     int64_t columns, float *to, int64_t apart)
{
    const bool by_row = q->scale.at.row != 0 || q->offset.at.row != 0;
    const bool by_column = q->scale.at.column != 0 || q->offset.at.column != 0;
    struct quantised_factors factors;
    char whole[QUANTISED_ROOM] = {0};
    for (int64_t i = 0; i < rows; i++, to += apart) {
        if (i == 0 || by_row) read_factors(q, at, i, columns, by_column, &factors);
        read_whole(q->is_four, at->from, i * at->row, at->column, columns, whole);
        if (by_column)
            scale_row(true, true, whole, columns, &factors, to);
        else if (q->has_offset)
            scale_row(false, true, whole, columns, &factors, to);
        else
            scale_row(false, false, whole, columns, &factors, to);
    }
}

/* Numbers times a FLOAT, to the nearest of INT8, as floats. Rows are `apart` from each other, and
 * changed up to whole vectors. */
static __attribute__((noinline)) void round_rows(const void *scale, int64_t rows, int64_t columns,
                                                 float *numbers, int64_t apart)
{
    float one;
    memcpy(&one, scale, sizeof one);
    for (int64_t i = 0; i < rows; i++, numbers += apart)
        for (int64_t k = 0; k < columns; k += VL)
            v_store(numbers + k,
                    __builtin_convertvector(v_nearest_byte(v_load(numbers + k) * one), vf));
}

/* A row as INT8. */
static __attribute__((noinline)) void store_quantised(const struct quantised_factors *factors,
                                                      const float *from, int64_t columns, char *to,
                                                      int64_t step)
{
    char whole[QUANTISED_ROOM];
    for (int64_t i = 0; i < columns; i += VL)
        v_to_bytes(whole + i, v_nearest_byte(v_fma(v_load(from + i), v_load(factors->scale + i),
                                                   v_load(factors->offset + i))));
    for (int64_t i = 0; step != 1 && i < columns; i++)
        *(char *)(uintptr_t)v_address(to, i * step) = whole[i];
    if (step == 1) memcpy(to, whole, (size_t)columns);
}

/* whole: NULL where it is not INT8. */
static void store_row(enum k_dtype dt, const struct quantised_factors *whole, const float *from,
                      int64_t columns, const char *to, int64_t step)
{
    if (whole)
        store_quantised(whole, from, columns, (char *)(uintptr_t)to, step);
    else
        narrow(dt, from, columns, (char *)(uintptr_t)to, step);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a tensor in whole cache lines, in address order: runs of floats go in, and what does not
 * fill a line waits for the next run. No byte outside of the runs is written. */
#ifndef ACLNN_CPU_KERNELS_SIMD_LINE_H
#define ACLNN_CPU_KERNELS_SIMD_LINE_H

#include "kernels/simd/spread.h"

enum { LINE_SLACK = LINE_BYTES / 2 }; /* floats before and behind a run that are read, not used */

struct k_line {
    char *at;   /* the line in work, aligned */
    int filled; /* elements of it that are skipped or pending */
    int skip;   /* first elements of it that are not ours */
    vf pending[LINE_VECTORS(K_BF16)];
};

K_TEMPLATE
void line_begin(enum k_dtype dt, struct k_line *line, char *to)
{
    const int64_t behind = (int64_t)((uintptr_t)to % LINE_BYTES);
    line->at = (char *)((uintptr_t)to - (uintptr_t)behind);
    line->filled = line->skip = (int)(behind / k_size(dt));
}

/* Elements [begin, end) of the pending line. */
static __attribute__((noinline, unused)) void
line_store_part(enum k_dtype dt, const struct k_line *line, int begin, int end)
{
    char bytes[LINE_BYTES] __attribute__((aligned(LINE_BYTES)));
    const int vectors = dt == K_F32 ? LINE_VECTORS(K_F32) : LINE_VECTORS(K_BF16);
    for (int i = 0; i < vectors; i++) {
        if (dt == K_F32) k_store_in_line(K_F32, bytes, i, line->pending[i], false);
        if (dt == K_F16) k_store_in_line(K_F16, bytes, i, line->pending[i], false);
        if (dt == K_BF16) k_store_in_line(K_BF16, bytes, i, line->pending[i], false);
    }
    const size_t size = (size_t)k_size(dt), from = (size_t)begin * size;
    memcpy(line->at + from, bytes + from, (size_t)(end - begin) * size);
}

K_TEMPLATE
void line_end(enum k_dtype dt, struct k_line *line)
{
    if (line->filled > line->skip) line_store_part(dt, line, line->skip, line->filled);
    line->filled = line->skip = 0;
}

/* What a run is made of. */
enum k_source_kind {
    SOURCE_ROWS,            /* + n: the sum of n rows, added in their order; no row is zero */
    SOURCE_VALUE = 1 << 8,  /* one value */
    SOURCE_SCALED = 2 << 8, /* elements of a tensor times `value` */
};

struct k_source {
    const float *const *rows;
    int count;
    float value;
    enum k_rounding rounding;
    const char *at;
};

/* Elements x to x + VL - 1 of the run. */
K_TEMPLATE
vf source_at(enum k_dtype dt, int kind, const struct k_source *source, int64_t x)
{
    if (kind == SOURCE_ROWS) return (vf){0};
    if (kind == SOURCE_VALUE) return v_all(source->value);
    if (kind == SOURCE_SCALED)
        return pool_round(dt, source->rounding, k_load(dt, source->at + x * k_size(dt))) *
               source->value;
    vf sum = v_load(source->rows[0] + x);
    for (int i = 1; i < kind - SOURCE_ROWS; i++)
        sum = sum + v_load(source->rows[i] + x);
    return sum;
}

/* Appends a run. Of its memory sources up to LINE_ELEMENTS elements before and behind are read, and
 * not used. */
K_TEMPLATE
void line_put(enum k_dtype dt, struct k_line *line, int kind, const struct k_source *source,
              int64_t length, bool stream)
{
    enum { ALL = LINE_VECTORS(K_BF16) };
    const int vectors = LINE_VECTORS(dt), elements = LINE_ELEMENTS(dt);
    const struct k_source from = *source;
    int64_t x = 0;
    char *at = line->at;
    if (line->filled != 0) {
        x = -line->filled;
        vf first[ALL];
        for (int i = 0; i < vectors; i++)
            first[i] = v_first(line->filled - i * VL, line->pending[i],
                               source_at(dt, kind, &from, x + i * VL));
        if (x + elements > length || line->skip != 0)
            for (int i = 0; i < vectors; i++)
                line->pending[i] = first[i];
        if (x + elements > length) {
            line->filled += (int)length;
            return;
        }
        if (line->skip != 0)
            line_store_part(dt, line, line->skip, elements);
        else
            for (int i = 0; i < vectors; i++)
                k_store_in_line(dt, at, i, first[i], stream);
        line->skip = 0;
        x += elements;
        at += LINE_BYTES;
    }
    for (; x + elements <= length; x += elements, at += LINE_BYTES)
        for (int i = 0; i < vectors; i++)
            k_store_in_line(dt, at, i, source_at(dt, kind, &from, x + i * VL), stream);
    line->at = at;
    line->filled = (int)(length - x);
    if (line->filled != 0)
        for (int i = 0; i < vectors; i++)
            line->pending[i] = source_at(dt, kind, &from, x + i * VL);
}

#endif

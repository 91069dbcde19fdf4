/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a tensor in whole cache lines, in address order: runs of floats go in, and what does not
 * fill a line waits for the next run. No byte outside of the runs is written. */
#ifndef ACLNN_CPU_KERNELS_SIMD_LINE_H
#define ACLNN_CPU_KERNELS_SIMD_LINE_H

#include "kernels/pool_plan.h"
#include "kernels/simd/simd.h"

enum { LINE_SLACK = LINE_BYTES / 2 }; /* floats before and behind a run that are read, not used */

struct k_line {
    char *at;   /* the line in work, aligned */
    int filled; /* elements of it that are skipped or pending */
    int skip;   /* first elements of it that are not ours */
    vf pending[LINE_STORES * 2];
};

K_TEMPLATE
int line_elements(enum k_dtype dt)
{
    return LINE_STORES * LINE_PARTS(dt) * VL;
}

K_TEMPLATE
void line_begin(enum k_dtype dt, struct k_line *line, char *to)
{
    const uintptr_t behind = (uintptr_t)to % LINE_BYTES;
    line->at = to - behind;
    line->filled = line->skip = (int)behind / (int)k_size(dt);
}

/* Elements [begin, end) of the pending line. */
static __attribute__((noinline, unused)) void
line_store_part(enum k_dtype dt, const struct k_line *line, int begin, int end)
{
    char bytes[LINE_BYTES] __attribute__((aligned(LINE_BYTES)));
    for (int i = 0; i < LINE_STORES; i++) {
        char *at = bytes + i * K_VECTOR_BYTES;
        if (dt == K_F32) k_store_parts(K_F32, at, line->pending + i, false);
        if (dt == K_F16) k_store_parts(K_F16, at, line->pending + 2 * i, false);
        if (dt == K_BF16) k_store_parts(K_BF16, at, line->pending + 2 * i, false);
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

/* VL sums of n rows, added in their order, at x. */
K_TEMPLATE
vf line_sum(const float *const rows[], int n, int64_t x)
{
    if (n == 0) return (vf){0};
    vf sum = v_load(rows[0] + x);
    for (int i = 1; i < n; i++)
        sum = sum + v_load(rows[i] + x);
    return sum;
}

/* Appends sources[0][x] + ... + sources[n - 1][x], 0 <= x < length. */
K_TEMPLATE
void line_put(enum k_dtype dt, struct k_line *line, const float *const sources[], int n,
              int64_t length, bool stream)
{
    const int parts = LINE_STORES * LINE_PARTS(dt), elements = line_elements(dt);
    const float *rows[POOL_DIRECT] = {NULL}; /* a copy: not read again after each store */
    for (int i = 0; i < n; i++)
        rows[i] = sources[i];
    int64_t x = 0;
    char *at = line->at;
    if (line->filled != 0) {
        x = -line->filled;
        for (int i = 0; i < parts; i++)
            line->pending[i] =
                v_first(line->filled - i * VL, line->pending[i], line_sum(rows, n, x + i * VL));
        if (x + elements > length) {
            line->filled += (int)length;
            return;
        }
        if (line->skip != 0)
            line_store_part(dt, line, line->skip, elements);
        else
            for (int i = 0; i < LINE_STORES; i++)
                k_store_parts(dt, at + i * K_VECTOR_BYTES, line->pending + i * LINE_PARTS(dt),
                              stream);
        line->skip = 0;
        x += elements;
        at += LINE_BYTES;
    }
    for (; x + elements <= length; x += elements, at += LINE_BYTES)
        for (int i = 0; i < LINE_STORES; i++) {
            vf sums[2];
            for (int part = 0; part < LINE_PARTS(dt); part++)
                sums[part] = line_sum(rows, n, x + (i * LINE_PARTS(dt) + part) * VL);
            k_store_parts(dt, at + i * K_VECTOR_BYTES, sums, stream);
        }
    line->at = at;
    line->filled = (int)(length - x);
    for (int i = 0; line->filled != 0 && i < parts; i++)
        line->pending[i] = line_sum(rows, n, x + i * VL);
}

#endif

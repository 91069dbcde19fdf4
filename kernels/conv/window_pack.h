/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of vectors straight from a strided tensor: a block of positions is cut once into pieces that
 * lie in one row of the tensor and in one vector; for each tap the pieces are clipped to the tensor
 * (runs), and these serve every channel. So a vector costs one masked load per row that it spans,
 * and nothing is ever copied into the shape of a matrix but the block in work. */
#ifndef ACLNN_CPU_KERNELS_CONV_WINDOW_PACK_H
#define ACLNN_CPU_KERNELS_CONV_WINDOW_PACK_H

#include "kernels/conv/conv_plan.h"
#include "kernels/vector/lanes.h"
#include "kernels/vector/pairs.h"

enum {
    PACK_POSITIONS = CONV_GRAD_RUN, /* of a block, at most */
    PACK_VECTORS = PACK_POSITIONS / VL,
};

struct pack_piece {
    int64_t n, at[K_CONV_AXES]; /* of its first lane */
    int16_t vector;
    uint8_t first, count; /* lanes */
};

struct pack_block {
    struct conv_line line[K_CONV_AXES];
    int vectors, pieces;
    struct pack_piece piece[PACK_POSITIONS];
};

/* A run's elements: lane 0 would lie at `offset` (bytes from the channel's first element). */
struct pack_run {
    int64_t offset;
    uint8_t first, count;
};

struct pack_runs {
    int64_t step;                    /* elements from lane to lane */
    int16_t begin[PACK_VECTORS + 1]; /* of each vector's runs */
    struct pack_run run[PACK_POSITIONS];
};

/* Positions [begin, end) of batch times the three lines, at most PACK_POSITIONS. */
static __attribute__((noinline, unused)) void pack_cut(struct pack_block *block, int64_t begin,
                                                       int64_t end)
{
    const struct conv_line *l = block->line;
    int64_t at[K_CONV_AXES], n = begin;
    for (int axis = K_CONV_AXES - 1; axis >= 0; axis--) {
        at[axis] = n % l[axis].count;
        n /= l[axis].count;
    }
    block->pieces = 0;
    block->vectors = (int)conv_up(end - begin, VL);
    for (int64_t position = begin; position < end;) {
        const int64_t lane = (position - begin) % VL;
        int64_t count = VL - lane;
        if (count > l[2].count - at[2]) count = l[2].count - at[2];
        if (count > end - position) count = end - position;
        block->piece[block->pieces++] = (struct pack_piece){
            .n = n,
            .at = {at[0], at[1], at[2]},
            .vector = (int16_t)((position - begin) / VL),
            .first = (uint8_t)lane,
            .count = (uint8_t)count,
        };
        position += count;
        at[2] += count;
        for (int axis = 2; axis >= 0 && at[axis] == l[axis].count; axis--) {
            at[axis] = 0;
            if (axis == 0)
                n++;
            else
                at[axis - 1]++;
        }
    }
}

/* The runs of tap (td, th, tw), counted within the phase. */
static __attribute__((noinline, unused)) void pack_clip(struct pack_runs *runs,
                                                        const struct pack_block *block,
                                                        const struct k_conv_tensor *tensor,
                                                        int64_t size, const int64_t tap[])
{
    const struct conv_line *l = block->line;
    int64_t offset[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        offset[axis] = l[axis].offset + tap[axis] * l[axis].offset_step;
    /* Positions low <= j < high along the rows lie inside. */
    const int64_t step = l[2].from_step;
    const int64_t low = -conv_floor(offset[2], step);
    const int64_t high = conv_floor(l[2].from - 1 - offset[2], step) + 1;
    int vector = 0;
    int count = 0;
    runs->step = step * tensor->axis[2];
    runs->begin[0] = 0;
    for (int i = 0; i < block->pieces; i++) {
        const struct pack_piece *piece = &block->piece[i];
        while (vector < piece->vector)
            runs->begin[++vector] = (int16_t)count;
        const int64_t d = piece->at[0] * l[0].from_step + offset[0];
        const int64_t h = piece->at[1] * l[1].from_step + offset[1];
        const int64_t begin = piece->at[2] < low ? low : piece->at[2];
        const int64_t last = piece->at[2] + piece->count, end = last > high ? high : last;
        if (d < 0 || d >= l[0].from || h < 0 || h >= l[1].from || begin >= end) continue;
        const int64_t lane = piece->first + (begin - piece->at[2]);
        const int64_t w = begin * step + offset[2];
        const int64_t element = piece->n * tensor->outer + d * tensor->axis[0] +
                                h * tensor->axis[1] + w * tensor->axis[2] - lane * runs->step;
        runs->run[count++] = (struct pack_run){
            .offset = element * size, .first = (uint8_t)lane, .count = (uint8_t)(end - begin)};
    }
    while (vector < block->vectors)
        runs->begin[++vector] = (int16_t)count;
}

/* Where the vectors of a row go: `width` of them in a row, then `next` floats further. */
struct pack_target {
    float *to;
    int64_t row; /* floats from row to row */
    int width;
    int64_t next;
};

/* Rows of `channels` channels, the first at `from`. */
K_TEMPLATE
void pack_rows_of(enum k_dtype dt, bool dense, const struct pack_runs *runs, int vectors,
                  const char *from, int64_t channel, int64_t channels, enum k_rounding rounding,
                  struct pack_target target)
{
    const int64_t step = dense ? 1 : runs->step;
    for (int64_t i = 0; i < channels; i++) {
        float *row = target.to;
        int in_row = 0;
        for (int v = 0; v < vectors; v++) {
            vf value = {0};
            for (int r = runs->begin[v]; r < runs->begin[v + 1]; r++) {
                const struct pack_run *run = &runs->run[r];
                value = k_load_between(dt, v_address(from, run->offset), step, run->first,
                                       run->count, value);
            }
            if (rounding != K_ROUND_NONE) value = v_round_operand(rounding, value);
            v_store(row + in_row * VL, value);
            if (++in_row == target.width) {
                in_row = 0;
                row += target.next;
            }
        }
        from += channel;
        target.to += target.row;
    }
}

static __attribute__((noinline, unused)) void pack_rows(const struct pack_runs *runs, int vectors,
                                                        const struct k_conv_tensor *tensor,
                                                        const char *from, int64_t channels,
                                                        enum k_rounding rounding,
                                                        const struct pack_target *target)
{
    const bool dense = runs->step == 1;
    const int64_t f32 = tensor->inner * 4, half = tensor->inner * 2;
    if (tensor->dtype == K_F32 && dense)
        pack_rows_of(K_F32, true, runs, vectors, from, f32, channels, rounding, *target);
    else if (tensor->dtype == K_F32)
        pack_rows_of(K_F32, false, runs, vectors, from, f32, channels, rounding, *target);
    else if (tensor->dtype == K_F16 && dense)
        pack_rows_of(K_F16, true, runs, vectors, from, half, channels, rounding, *target);
    else if (tensor->dtype == K_F16)
        pack_rows_of(K_F16, false, runs, vectors, from, half, channels, rounding, *target);
    else if (dense)
        pack_rows_of(K_BF16, true, runs, vectors, from, half, channels, rounding, *target);
    else
        pack_rows_of(K_BF16, false, runs, vectors, from, half, channels, rounding, *target);
}

static inline int64_t pack_size(enum k_dtype dt)
{
    return dt == K_F32 ? 4 : 2;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: rows one by one, or groups of them that are transposed on their way. */
#ifndef ACLNN_CPU_KERNELS_NORM_DRIVER_H
#define ACLNN_CPU_KERNELS_NORM_DRIVER_H

#include "kernels/norm/rows.h"
#include "kernels/vector/transpose.h"

typedef void body_fn(const struct row *row, struct room *room);

/* Where a group's rows lie, transposed. */
struct locals {
    _Alignas(LINE_BYTES) char block[K_NORM_LOCALS][K_NORM_GROUP_BYTES];
};

static const int64_t one[] = {1};

/* ---- the first row of an item ---- */

struct place {
    int64_t row, rows; /* its number, and how many there are */
    int64_t offset[K_NORM_OPERANDS];
};

static inline struct place place_of(const struct k_norm *n, int64_t item)
{
    struct place place = {.row = item, .rows = 1};
    int axis = n->kept_rank - 1;
    for (int i = 0; i < n->operands; i++)
        place.offset[i] = 0;
    if (n->group > 1) {
        const int64_t last = n->kept_sizes[axis], groups = (last + n->group - 1) / n->group;
        const int64_t first = item % groups * n->group;
        item /= groups;
        place.row = item * last + first;
        place.rows = last - first < n->group ? last - first : n->group;
        for (int i = 0; i < n->operands; i++)
            place.offset[i] = first * n->operand[i].kept[axis];
        axis--;
    }
    for (; axis >= 0; axis--) {
        const int64_t at = item % n->kept_sizes[axis];
        item /= n->kept_sizes[axis];
        for (int i = 0; i < n->operands; i++)
            place.offset[i] += at * n->operand[i].kept[axis];
    }
    return place;
}

/* ---- groups ---- */

static inline void transpose_block(int64_t size, const char *from, int64_t from_row, char *to,
                                   int64_t to_row, int64_t rows, int64_t columns)
{
    if (size == 4)
        transpose_elements(4, from, from_row, to, to_row, rows, columns);
    else if (size == 2)
        transpose_elements(2, from, from_row, to, to_row, rows, columns);
    else if (size == 8)
        transpose_elements(8, from, from_row, to, to_row, rows, columns);
    else
        transpose_elements(1, from, from_row, to, to_row, rows, columns);
}

/* Between memory, where the group's rows lie side by side, and the block, where they follow each
 * other. */
static inline void bring_group(const struct k_norm *n, int i, char *memory, char *block,
                               int64_t rows, bool back)
{
    const struct k_norm_operand *operand = &n->operand[i];
    const struct side side = {memory, n->reduced_rank, n->reduced_sizes, operand->reduced};
    const int64_t size = k_dtype_size(operand->dtype), step = side.steps[side.rank - 1];
    for (int64_t at = 0; at < n->count;) {
        const struct run run = run_at(&side, at);
        char *outside = memory + run.offset * size, *inside = block + at * size;
        if (back)
            transpose_block(size, inside, n->count * size, outside, step * size, rows, run.count);
        else
            transpose_block(size, outside, step * size, inside, n->count * size, run.count, rows);
        at += run.count;
    }
}

static inline void run_group(const struct k_norm *n, body_fn *body, const struct place *place,
                             void *const buffers[], struct room *room, struct locals *locals,
                             struct k_fault *fault)
{
    char *begin[K_NORM_OPERANDS];
    int local = 0, block[K_NORM_OPERANDS];
    for (int i = 0; i < n->operands; i++) {
        begin[i] = (char *)buffers[i] + place->offset[i] * k_dtype_size(n->operand[i].dtype);
        if (!(n->transposed >> i & 1)) continue;
        block[i] = local++;
        if (!n->operand[i].is_written)
            bring_group(n, i, begin[i], locals->block[block[i]], place->rows, false);
    }
    for (int64_t r = 0; r < place->rows; r++) {
        struct row row; /* sides of operands that are not there are never looked at */
        row.norm = n;
        row.number = place->row + r;
        row.fault = fault;
        for (int i = 0; i < n->operands; i++) {
            const struct k_norm_operand *operand = &n->operand[i];
            const int64_t size = k_dtype_size(operand->dtype);
            if (n->transposed >> i & 1)
                row.side[i] =
                    (struct side){locals->block[block[i]] + r * n->count * size, 1, &n->count, one};
            else
                row.side[i] = (struct side){begin[i] + r * operand->kept[n->kept_rank - 1] * size,
                                            n->reduced_rank, n->reduced_sizes, operand->reduced};
        }
        body(&row, room);
    }
    for (int i = 0; i < n->operands; i++)
        if (n->transposed >> i & 1 && n->operand[i].is_written)
            bring_group(n, i, begin[i], locals->block[block[i]], place->rows, true);
}

/* ---- the kernel ---- */

static inline void run_rows(const struct k_norm *n, body_fn *body, void *const buffers[],
                            struct k_slice slice, struct k_fault *fault)
{
    struct room room;
    room.constant_at[0] = room.constant_at[1] = NULL;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const struct place place = place_of(n, item);
        struct row row; /* as above */
        row.norm = n;
        row.number = place.row;
        row.fault = fault;
        for (int i = 0; i < n->operands; i++) {
            const struct k_norm_operand *operand = &n->operand[i];
            row.side[i] =
                (struct side){(char *)buffers[i] + place.offset[i] * k_dtype_size(operand->dtype),
                              n->reduced_rank, n->reduced_sizes, operand->reduced};
        }
        body(&row, &room);
    }
}

static inline void run_groups(const struct k_norm *n, body_fn *body, void *const buffers[],
                              struct k_slice slice, struct k_fault *fault)
{
    struct room room;
    struct locals locals;
    room.constant_at[0] = room.constant_at[1] = NULL;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const struct place place = place_of(n, item);
        run_group(n, body, &place, buffers, &room, &locals, fault);
    }
}

static inline void drive(const struct k_norm *n, body_fn *body, void *const buffers[],
                         struct k_slice slice)
{
    struct k_fault *fault = n->has_faults ? buffers[n->operands] : NULL;
    if (n->group > 1)
        run_groups(n, body, buffers, slice, fault);
    else
        run_rows(n, body, buffers, slice, fault);
}

#endif

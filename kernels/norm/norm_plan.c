/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/norm/k_norm.h"

enum { WORK = 1 << 15 }; /* elements that are worth a thread, of a copy */

static int64_t *steps_of(struct k_norm *norm, int operand, bool kept)
{
    return kept ? norm->operand[operand].kept : norm->operand[operand].reduced;
}

/* Axes of one element go, axes that continue each other in all operands become one. */
static int merge(struct k_norm *norm, int rank, int64_t *sizes, bool kept)
{
    int last = -1;
    for (int axis = 0; axis < rank; axis++) {
        bool continues = last >= 0;
        if (sizes[axis] == 1) continue;
        for (int i = 0; i < norm->operands && continues; i++) {
            const int64_t *steps = steps_of(norm, i, kept);
            int64_t whole;
            continues =
                !__builtin_mul_overflow(steps[axis], sizes[axis], &whole) && steps[last] == whole;
        }
        if (!continues) {
            sizes[++last] = sizes[axis];
            for (int i = 0; i < norm->operands; i++)
                steps_of(norm, i, kept)[last] = steps_of(norm, i, kept)[axis];
            continue;
        }
        sizes[last] *= sizes[axis];
        for (int i = 0; i < norm->operands; i++)
            steps_of(norm, i, kept)[last] = steps_of(norm, i, kept)[axis];
    }
    return last + 1;
}

static int64_t product(int rank, const int64_t *sizes)
{
    int64_t all = 1;
    for (int i = 0; i < rank; i++)
        all *= sizes[i];
    return all;
}

bool k_norm_lies_across(const struct k_norm *norm, int i)
{
    const struct k_norm_operand *operand = &norm->operand[i];
    return norm->kept_rank > 0 && norm->kept_sizes[norm->kept_rank - 1] >= 4 && norm->count > 1 &&
           operand->is_there && operand->kept[norm->kept_rank - 1] == 1 &&
           operand->reduced[norm->reduced_rank - 1] > 1;
}

static void choose_group(struct k_norm *norm)
{
    int locals = 0;
    norm->group = 1;
    norm->transposed = 0;
    int64_t rows = K_NORM_GROUP;
    for (int i = 0; i < norm->operands && locals < K_NORM_LOCALS; i++) {
        if (!k_norm_lies_across(norm, i)) continue;
        const int64_t bytes = norm->count * k_dtype_size(norm->operand[i].dtype);
        norm->transposed |= 1U << i;
        locals++;
        while (rows > 1 && rows * bytes > K_NORM_GROUP_BYTES)
            rows /= 2;
    }
    if (rows < 4) norm->transposed = 0;
    if (norm->transposed) norm->group = rows;
}

struct k_work k_norm_plan(struct k_norm *norm, int cost)
{
    norm->kept_rank = merge(norm, norm->kept_rank, norm->kept_sizes, true);
    norm->reduced_rank = merge(norm, norm->reduced_rank, norm->reduced_sizes, false);
    norm->count = product(norm->reduced_rank, norm->reduced_sizes);
    norm->rows = product(norm->kept_rank, norm->kept_sizes);
    if (norm->reduced_rank == 0) {
        norm->reduced_rank = 1;
        norm->reduced_sizes[0] = 1;
        for (int i = 0; i < norm->operands; i++)
            norm->operand[i].reduced[0] = 1;
    }
    choose_group(norm);
    int64_t items = norm->rows, each = norm->count * norm->group * cost;
    if (norm->group > 1) {
        const int64_t last = norm->kept_sizes[norm->kept_rank - 1];
        items = items / last * ((last + norm->group - 1) / norm->group);
    }
    const int64_t grain = WORK / (each > 0 ? each : 1);
    return (struct k_work){.items = items, .grain = grain > 0 ? grain : 1};
}

struct k_work k_norm_columns_plan(struct k_norm_columns *columns)
{
    enum { PARTS = 32, PART = 16, TILE = 1024 };
    struct k_norm *norm = &columns->norm;
    k_norm_plan(norm, 1);
    norm->group = 1;
    norm->transposed = 0;
    columns->part = (norm->rows + PARTS - 1) / PARTS;
    if (columns->part < PART) columns->part = PART;
    columns->parts = (norm->rows + columns->part - 1) / columns->part;
    columns->tiles = (norm->count + TILE - 1) / TILE;
    const int64_t each = columns->part * (norm->count < TILE ? norm->count : TILE) * 2;
    const int64_t grain = WORK / (each > 0 ? each : 1);
    return (struct k_work){.items = columns->parts * columns->tiles,
                           .grain = grain > 0 ? grain : 1};
}

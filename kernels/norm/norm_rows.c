/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are centred and scaled, and sums over rows. */
#include "kernels/norm/driver.h"
#include "kernels/norm/exponentials.h"

#include "kernels/norm/affine_rows.h"
#include "kernels/norm/batch_rows.h"

static body_fn *const bodies[K_NORM_KINDS] = {
    [K_NORM_AFFINE] = affine_row,
    [K_NORM_AFFINE_GRAD] = affine_grad_row,
    [K_NORM_PARAMETER_GRAD] = parameter_grad_row,
    [K_NORM_SUMS] = sums_row,
    [K_NORM_GRAD_SUMS] = grad_sums_row,
    [K_NORM_GATHER] = gather_row,
    [K_NORM_SYNC_GRAD] = sync_grad_row,
    [K_NORM_RENORM] = renorm_row,
};

k_fn K_SYMBOL(norm_rows);

void K_SYMBOL(norm_rows)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_norm *n = parameters;
    drive(n, bodies[n->kind], buffers, slice);
}

/* ---- sums over rows ---- */

k_fn K_SYMBOL(norm_columns);

void K_SYMBOL(norm_columns)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_norm_columns *columns = parameters;
    const struct k_norm *n = &columns->norm;
    struct room room;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t begin = item % columns->tiles * TILE, part = item / columns->tiles;
        const int64_t count = n->count - begin < TILE ? n->count - begin : TILE;
        const int64_t first = part * columns->part, left = n->rows - first;
        double *gamma = (double *)buffers[K_AFFINE_GRAD_DGAMMA] + part * n->count + begin;
        double *beta = (double *)buffers[K_AFFINE_GRAD_DBETA] + part * n->count + begin;
        memset(room.constant, 0, sizeof room.constant);
        for (int64_t r = first; r < first + (left < columns->part ? left : columns->part); r++) {
            const struct place place = place_of(n, r);
            struct row row = {.norm = n, .number = r};
            for (int i = 0; i < K_AFFINE_GRAD_DGAMMA; i++)
                row.side[i] = (struct side){
                    (char *)buffers[i] + place.offset[i] * k_dtype_size(n->operand[i].dtype),
                    n->reduced_rank, n->reduced_sizes, n->operand[i].reduced};
            add_parameters(&row, &room, begin, count, room.constant[0], room.constant[1]);
        }
        memcpy(gamma, room.constant[0], (size_t)count * sizeof *gamma);
        memcpy(beta, room.constant[1], (size_t)count * sizeof *beta);
    }
}

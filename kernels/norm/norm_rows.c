/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are centred and scaled, and sums over rows. */
#include "kernels/norm/driver.h"
#include "kernels/norm/exponentials.h"

#include "kernels/norm/affine_rows.h"
#include "kernels/norm/batch_rows.h"
#include "kernels/single/affine.h"

/* The rows of f32 and half types have a body of their own. */
static void affine(const struct row *row, struct room *room)
{
    (is_single_affine(row->norm) ? single_affine_row : affine_row)(row, room);
}

static void affine_grad(const struct row *row, struct room *room)
{
    (is_single_affine_grad(row->norm) ? single_affine_grad_row : affine_grad_row)(row, room);
}

static void parameter_grad(const struct row *row, struct room *room)
{
    (is_single_affine_grad(row->norm) && single_operands(row->norm, 0, K_AFFINE_GRAD_RSTD)
         ? single_parameter_grad_row
         : parameter_grad_row)(row, room);
}

static body_fn *const bodies[K_NORM_KINDS] = {
    [K_NORM_AFFINE] = affine,
    [K_NORM_AFFINE_GRAD] = affine_grad,
    [K_NORM_PARAMETER_GRAD] = parameter_grad,
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

static struct row row_of_columns(const struct k_norm *n, void *const buffers[], int64_t number)
{
    const struct place place = place_of(n, number);
    struct row row = {.norm = n, .number = number};
    for (int i = 0; i < K_AFFINE_GRAD_DGAMMA; i++)
        row.side[i] =
            (struct side){(char *)buffers[i] + place.offset[i] * k_dtype_size(n->operand[i].dtype),
                          n->reduced_rank, n->reduced_sizes, n->operand[i].reduced};
    return row;
}

k_fn K_SYMBOL(norm_columns);

void K_SYMBOL(norm_columns)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_norm_columns *columns = parameters;
    const struct k_norm *n = &columns->norm;
    const bool is_single = is_single_affine_grad(n);
    struct room room;
    room.constant_at[0] = room.constant_at[1] = NULL;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t begin = item % columns->tiles * TILE, part = item / columns->tiles;
        const int64_t count = n->count - begin < TILE ? n->count - begin : TILE;
        const int64_t first = part * columns->part, left = n->rows - first;
        const int64_t end = first + (left < columns->part ? left : columns->part);
        double *gamma = room.constant[0], *beta = room.constant[1];
        float *gamma_single = (float *)room.tile[1], *beta_single = (float *)room.tile[2];
        memset(room.constant, 0, sizeof room.constant);
        memset(room.tile, 0, sizeof room.tile);
        for (int64_t r = first; r < end; r++) {
            const struct row row = row_of_columns(n, buffers, r);
            if (!is_single) {
                add_parameters(&row, &room, begin, count, gamma, beta);
                continue;
            }
            single_add_parameters(&row, &room, begin, count, gamma_single, beta_single);
            if ((r + 1 - first) % SINGLE_ROWS != 0 && r + 1 < end) continue;
            single_flush(gamma_single, gamma, count);
            single_flush(beta_single, beta, count);
        }
        const int64_t at = part * n->count + begin;
        memcpy((double *)buffers[K_AFFINE_GRAD_DGAMMA] + at, gamma, (size_t)count * sizeof *gamma);
        memcpy((double *)buffers[K_AFFINE_GRAD_DBETA] + at, beta, (size_t)count * sizeof *beta);
    }
}

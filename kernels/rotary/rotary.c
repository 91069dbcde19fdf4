/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings: rows of pairs that are turned. */
#include "kernels/norm/driver.h"
#include "kernels/norm/exponentials.h"

/* to: x rotated; ordered: what cos is multiplied by. */
static void rotate(enum k_rotary how, const double *x, double *ordered, double *to, int64_t count)
{
    const int64_t half = count / 2, quarter = count / 4;
    memcpy(ordered, x, (size_t)count * sizeof *x);
    for (int64_t i = 0; i < half; i++)
        if (how == K_ROTARY_HALF) {
            to[i] = -x[half + i];
            to[half + i] = x[i];
        } else if (how == K_ROTARY_PAIRS) {
            to[2 * i] = -x[2 * i + 1];
            to[2 * i + 1] = x[2 * i];
        } else if (how == K_ROTARY_QUARTER) {
            const int64_t at = i < quarter ? i : i + quarter;
            to[at] = -x[at + quarter];
            to[at + quarter] = x[at];
        } else {
            ordered[i] = x[2 * i];
            ordered[half + i] = x[2 * i + 1];
            to[i] = -x[2 * i + 1];
            to[half + i] = x[2 * i];
        }
}

/* The transposed of that: to = (what ordered is made of) plus (what rotated is). */
static void rotate_back(enum k_rotary how, const double *of_cos, const double *of_sin, double *to,
                        int64_t count)
{
    const int64_t half = count / 2, quarter = count / 4;
    for (int64_t i = 0; i < half; i++)
        if (how == K_ROTARY_HALF) {
            to[i] = of_cos[i] + of_sin[half + i];
            to[half + i] = of_cos[half + i] - of_sin[i];
        } else if (how == K_ROTARY_PAIRS) {
            to[2 * i] = of_cos[2 * i] + of_sin[2 * i + 1];
            to[2 * i + 1] = of_cos[2 * i + 1] - of_sin[2 * i];
        } else if (how == K_ROTARY_QUARTER) {
            const int64_t at = i < quarter ? i : i + quarter;
            to[at] = of_cos[at] + of_sin[at + quarter];
            to[at + quarter] = of_cos[at + quarter] - of_sin[at];
        } else {
            to[2 * i] = of_cos[i] + of_sin[half + i];
            to[2 * i + 1] = of_cos[half + i] - of_sin[i];
        }
}

K_TEMPLATE
vd of_product_sum(vd x, vd y, vd z, vd a, vd b)
{
    (void)a, (void)b;
    return x + y * z;
}

static void rotary_row(const struct row *row, struct room *room)
{
    const int64_t count = row->norm->count;
    const double *cos = row_constant(row, room, K_ROTARY_COS, 0, 1, 0, count);
    const double *sin = row_constant(row, room, K_ROTARY_SIN, 1, 0, 0, count);
    double turned[K_NORM_KEEP], *x = room->keep, *ordered = room->more;
    row_read(row, K_ROTARY_X, 0, count, x);
    rotate((enum k_rotary)row->norm->number[1], x, ordered, turned, count);
    for (int64_t i = 0; i < count; i++)
        x[i] = ordered[i] * cos[i] + turned[i] * sin[i];
    row_write(row, K_ROTARY_OUT, 0, count, x);
}

static void rotary_grad_row(const struct row *row, struct room *room)
{
    const int64_t count = row->norm->count;
    const double *cos = row_constant(row, room, K_ROTARY_COS, 0, 1, 0, count);
    const double *sin = row_constant(row, room, K_ROTARY_SIN, 1, 0, 0, count);
    double of_sin[K_NORM_KEEP], *dy = room->keep, *of_cos = room->more;
    row_read(row, K_ROTARY_X, 0, count, dy);
    for (int64_t i = 0; i < count; i++) {
        of_cos[i] = dy[i] * cos[i];
        of_sin[i] = dy[i] * sin[i];
    }
    rotate_back((enum k_rotary)row->norm->number[1], of_cos, of_sin, dy, count);
    row_write(row, K_ROTARY_OUT, 0, count, dy);
}

/* A row is made of rows of `each` elements, over which is summed. */
static void rotary_tables_grad_row(const struct row *row, struct room *room)
{
    const int64_t each = (int64_t)row->norm->number[0];
    double turned[K_NORM_KEEP], ordered[K_NORM_KEEP], *x = room->keep, *dy = room->more;
    double *dcos = room->constant[0], *dsin = room->constant[1];
    memset(dcos, 0, (size_t)each * sizeof *dcos);
    memset(dsin, 0, (size_t)each * sizeof *dsin);
    for (int64_t at = 0; at < row->norm->count; at += each) {
        row_read(row, K_ROTARY_TABLES_X, at, each, x);
        row_read(row, K_ROTARY_TABLES_DY, at, each, dy);
        rotate((enum k_rotary)row->norm->number[1], x, ordered, turned, each);
        map_of(of_product_sum, dcos, dcos, dy, ordered, 0, 0, each);
        map_of(of_product_sum, dsin, dsin, dy, turned, 0, 0, each);
    }
    if (has(row, K_ROTARY_TABLES_DCOS)) row_write(row, K_ROTARY_TABLES_DCOS, 0, each, dcos);
    if (has(row, K_ROTARY_TABLES_DSIN)) row_write(row, K_ROTARY_TABLES_DSIN, 0, each, dsin);
}

k_fn K_SYMBOL(rotary);

void K_SYMBOL(rotary)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_norm *n = parameters;
    if (n->kind == K_NORM_ROTARY)
        drive(n, rotary_row, buffers, slice);
    else if (n->kind == K_NORM_ROTARY_GRAD)
        drive(n, rotary_grad_row, buffers, slice);
    else
        drive(n, rotary_tables_grad_row, buffers, slice);
}

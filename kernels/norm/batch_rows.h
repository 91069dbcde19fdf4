/* SPDX-License-Identifier: Apache-2.0 */
/* What batch normalisation over several devices is made of. */

static void sums_row(const struct row *row, struct room *room)
{
    double all = 0, squares = 0, *x = room->keep;
    for (int64_t at = 0; at < row->norm->count; at += TILE) {
        const int64_t some = row->norm->count - at < TILE ? row->norm->count - at : TILE;
        row_read(row, K_SUMS_X, at, some, x);
        all += sum(x, some);
        squares += sum_of_products(x, x, some);
    }
    row_put(row, K_SUMS_SUM, all);
    row_put(row, K_SUMS_SQUARES, squares);
}

static void grad_sums_row(const struct row *row, struct room *room)
{
    const double mean = row_number(row, K_GRAD_SUMS_MEAN);
    double all = 0, of_x = 0, *x = room->keep, *dy = room->more;
    for (int64_t at = 0; at < row->norm->count; at += TILE) {
        const int64_t some = row->norm->count - at < TILE ? row->norm->count - at : TILE;
        row_read(row, K_GRAD_SUMS_X, at, some, x);
        row_read(row, K_GRAD_SUMS_DY, at, some, dy);
        shift(x, mean, 0, some);
        all += sum(dy, some);
        of_x += sum_of_products(dy, x, some);
    }
    row_put(row, K_GRAD_SUMS_OF_DY, all);
    row_put(row, K_GRAD_SUMS_OF_DY_X, of_x);
    row_put(row, K_GRAD_SUMS_DBETA, all);
    if (has(row, K_GRAD_SUMS_DGAMMA))
        row_put(row, K_GRAD_SUMS_DGAMMA, of_x * row_number(row, K_GRAD_SUMS_RSTD));
}

static void gather_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    struct moments all = {0, 0, 0};
    for (int64_t at = 0; at < n->count; at += TILE) {
        const int64_t some = n->count - at < TILE ? n->count - at : TILE;
        double *mean = room->tile[0], *rstd = room->tile[1], *counts = room->tile[2];
        row_read(row, K_GATHER_MEAN, at, some, mean);
        row_read(row, K_GATHER_RSTD, at, some, rstd);
        row_read(row, K_GATHER_COUNTS, at, some, counts);
        for (int64_t i = 0; i < some; i++) {
            const double variance = 1 / (rstd[i] * rstd[i]) - n->number[0];
            const struct moments more = {counts[i], mean[i], variance * counts[i]};
            if (at + i == 0)
                all = more;
            else
                join(&all, &more);
        }
    }
    row_put(row, K_GATHER_MEAN_ALL, all.mean);
    row_put(row, K_GATHER_RSTD_ALL, 1 / sqrt(all.squares / all.count + n->number[0]));
    follow(row, K_GATHER_RUNNING_MEAN, all.mean);
    follow(row, K_GATHER_RUNNING_VARIANCE, all.squares / (all.count - 1));
}

K_TEMPLATE
vd of_sync_grad(vd dy, vd x, vd z, vd by, vd slope)
{
    (void)z;
    return dy - by - x * slope;
}

static void sync_grad_row(const struct row *row, struct room *room)
{
    const double mean = row_number(row, K_SYNC_GRAD_MEAN), rstd = row_number(row, K_SYNC_GRAD_RSTD);
    const double count = row_number(row, K_SYNC_GRAD_COUNT);
    const double by = row_number(row, K_SYNC_GRAD_OF_DY) / count;
    const double slope = rstd * rstd * (row_number(row, K_SYNC_GRAD_OF_DY_X) / count);
    double factor = rstd, *x = room->keep, *dy = room->more;
    if (has(row, K_SYNC_GRAD_GAMMA)) factor *= row_number(row, K_SYNC_GRAD_GAMMA);
    for (int64_t at = 0; at < row->norm->count; at += TILE) {
        const int64_t some = row->norm->count - at < TILE ? row->norm->count - at : TILE;
        row_read(row, K_SYNC_GRAD_X, at, some, x);
        row_read(row, K_SYNC_GRAD_DY, at, some, dy);
        shift(x, mean, 0, some);
        map_of(of_sync_grad, dy, dy, x, x, by, slope, some);
        scale(dy, factor, some);
        row_write(row, K_SYNC_GRAD_DX, at, some, dy);
    }
}

/* ---- norms ---- */

/* The sum of |x|^p, or the greatest |x|. */
static double norm_of(const struct row *row, struct room *room, double p)
{
    double all = 0, *x = room->keep;
    for (int64_t at = 0; at < row->norm->count; at += TILE) {
        const int64_t some = row->norm->count - at < TILE ? row->norm->count - at : TILE;
        row_read(row, K_RENORM_X, at, some, x);
        for (int64_t i = 0; i < some && p != 2; i++) {
            x[i] = fabs(x[i]);
            if (isinf(p))
                all = x[i] > all || x[i] != x[i] ? x[i] : all;
            else if (p == 0)
                x[i] = x[i] != 0;
            else if (p != 1)
                x[i] = pow(x[i], p);
        }
        if (!isinf(p)) all += p == 2 ? sum_of_products(x, x, some) : sum(x, some);
    }
    return p == 2 ? sqrt(all) : isinf(p) || p == 0 || p == 1 ? all : pow(all, 1 / p);
}

static void renorm_row(const struct row *row, struct room *room)
{
    const double most = row->norm->number[1], norm = norm_of(row, room, row->norm->number[0]);
    const double factor = norm > most ? most / (norm + 1e-7) : 1;
    for (int64_t at = 0; at < row->norm->count; at += TILE) {
        const int64_t some = row->norm->count - at < TILE ? row->norm->count - at : TILE;
        row_read(row, K_RENORM_X, at, some, room->keep);
        scale(room->keep, factor, some);
        row_write(row, K_RENORM_OUT, at, some, room->keep);
    }
}

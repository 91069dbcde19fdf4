/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are centred and scaled. A row that fits is read once; of a longer one the statistics
 * are made tile by tile and joined, so that it is read twice. */

/* ---- bodies on vectors ---- */

K_TEMPLATE
vd of_square(vd x, vd y, vd a)
{
    (void)y;
    return (x - a) * (x - a);
}

K_TEMPLATE
vd of_affine(vd x, vd gamma, vd beta, vd mean, vd rstd)
{
    return (x - mean) * rstd * gamma + beta;
}

K_TEMPLATE
vd of_normal(vd x, vd y, vd z, vd mean, vd rstd)
{
    (void)y, (void)z;
    return (x - mean) * rstd;
}

K_TEMPLATE
vd of_weighted_sum(vd x, vd y, vd z, vd a, vd b)
{
    (void)z;
    return a * x + b * y;
}

K_TEMPLATE
vd of_times(vd x, vd y, vd z, vd a, vd b)
{
    (void)z, (void)a, (void)b;
    return x * y;
}

/* ---- what is normalised ---- */

static void inputs(const struct row *row, struct room *room, int x2, int bias, int64_t begin,
                   int64_t count, double *to)
{
    const double alpha = row->norm->number[1];
    double *more = room->tile[0];
    row_read(row, K_AFFINE_X, begin, count, to);
    if (!has(row, x2) && bias < 0) {
        if (alpha != 1) scale(to, alpha, count);
        return;
    }
    for (int64_t at = 0; at < count; at += TILE) {
        const int64_t some = count - at < TILE ? count - at : TILE;
        if (has(row, x2)) {
            row_read(row, x2, begin + at, some, more);
            map_of(of_weighted_sum, to + at, to + at, more, more, alpha, 1, some);
        }
        if (bias >= 0 && has(row, bias)) {
            row_read(row, bias, begin + at, some, more);
            map_of(of_weighted_sum, to + at, to + at, more, more, 1, 1, some);
        }
    }
}

/* ---- statistics ---- */

struct moments {
    double count, mean, squares; /* of distances from the mean */
};

static void join(struct moments *all, const struct moments *more)
{
    const double count = all->count + more->count, apart = more->mean - all->mean;
    all->squares += more->squares + apart * apart * (all->count * more->count / count);
    all->mean += apart * (more->count / count);
    all->count = count;
}

static struct moments moments_of(const double *x, int64_t count, bool is_centred)
{
    const double mean = is_centred ? sum(x, count) / (double)count : 0;
    return (struct moments){(double)count, mean, sum_of(of_square, x, x, mean, count)};
}

/* Part m of a new value in what was; m: number[4]. */
static void follow(const struct row *row, int operand, double value)
{
    const double m = row->norm->number[4];
    if (has(row, operand)) row_put(row, operand, (1 - m) * row_number(row, operand) + m * value);
}

/* ---- forward ---- */

static void activate(const struct k_norm *n, double *y, double *room, int64_t count)
{
    if (!(n->options & K_NORM_SWISH)) return;
    for (int64_t i = 0; i < count; i++)
        room[i] = -n->number[3] * y[i];
    exponentials(n->is_precise, room, 0, room, count);
    for (int64_t i = 0; i < count; i++)
        y[i] /= 1 + room[i];
}

/* One gamma and one beta for all of it. */
static void scale_of_row(const struct row *row, double *x, double mean, double rstd, int64_t count)
{
    if (has(row, K_AFFINE_GAMMA)) rstd *= row_number(row, K_AFFINE_GAMMA);
    map_of(of_normal, x, x, x, x, mean, rstd, count);
    if (has(row, K_AFFINE_BETA)) shift(x, -row_number(row, K_AFFINE_BETA), 0, count);
}

static void affine_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    const bool fits = n->count <= K_NORM_KEEP, is_centred = n->options & K_NORM_CENTRED;
    const int64_t step = fits ? K_NORM_KEEP : TILE;
    struct moments all = {0, 0, 0};
    double mean = 0, rstd = 0, *x = room->keep;
    for (int64_t at = 0; at < n->count; at += step) {
        const int64_t some = n->count - at < step ? n->count - at : step;
        if (has(row, K_AFFINE_RSTD_IN) && !fits) break;
        inputs(row, room, K_AFFINE_X2, K_AFFINE_BIAS, at, some, x);
        if (has(row, K_AFFINE_RSTD_IN)) break;
        const struct moments more = moments_of(x, some, is_centred);
        if (at == 0)
            all = more;
        else if (is_centred)
            join(&all, &more);
        else
            all.squares += more.squares;
    }
    if (has(row, K_AFFINE_RSTD_IN)) {
        if (has(row, K_AFFINE_MEAN_IN)) mean = row_number(row, K_AFFINE_MEAN_IN);
        rstd = row_number(row, K_AFFINE_RSTD_IN);
        if (n->spread == K_NORM_VARIANCE) rstd = 1 / sqrt(rstd + n->number[0]);
    } else {
        const double variance = all.squares / (double)n->count;
        mean = all.mean;
        rstd = 1 / sqrt(variance + n->number[0]);
        row_put(row, K_AFFINE_MEAN, mean);
        row_put(row, K_AFFINE_SPREAD, n->spread == K_NORM_VARIANCE ? variance : rstd);
        follow(row, K_AFFINE_RUNNING_MEAN, mean);
        follow(row, K_AFFINE_RUNNING_VARIANCE, all.squares / (double)(n->count - 1));
    }
    for (int64_t at = 0; at < n->count && (has(row, K_AFFINE_OUT) || has(row, K_AFFINE_SUM));
         at += step) {
        const int64_t some = n->count - at < step ? n->count - at : step;
        if (!fits) inputs(row, room, K_AFFINE_X2, K_AFFINE_BIAS, at, some, x);
        if (has(row, K_AFFINE_SUM)) row_write(row, K_AFFINE_SUM, at, some, x);
        if (!has(row, K_AFFINE_OUT)) continue;
        if (n->options & K_NORM_OF_ROW) {
            scale_of_row(row, x, mean, rstd, some);
            row_write(row, K_AFFINE_OUT, at, some, x);
            continue;
        }
        const double *gamma = row_constant(row, room, K_AFFINE_GAMMA, 0, 1, at, some);
        const double *beta = row_constant(row, room, K_AFFINE_BETA, 1, 0, at, some);
        if (n->number[2] != 0) {
            for (int64_t i = 0; i < some; i++)
                room->more[i] = gamma[i] + n->number[2];
            gamma = room->more;
        }
        map_of(of_affine, x, x, gamma, beta, mean, rstd, some);
        activate(n, x, room->more, some);
        row_write(row, K_AFFINE_OUT, at, some, x);
    }
}

/* ---- backward ---- */

/* dy becomes the gradient before the activation; xhat: (x - mean) rstd. */
static void deactivate(const struct row *row, struct room *room, double *dy, const double *xhat,
                       const double *gamma, const double *beta, int64_t count)
{
    const struct k_norm *n = row->norm;
    double *z = room->tile[1], *e = room->tile[2];
    if (!(n->options & K_NORM_SWISH)) return;
    for (int64_t at = 0; at < count; at += TILE) {
        const int64_t some = count - at < TILE ? count - at : TILE;
        for (int64_t i = 0; i < some; i++) {
            z[i] = n->number[3] * (xhat[at + i] * gamma[at + i] + beta[at + i]);
            e[i] = -z[i];
        }
        exponentials(n->is_precise, e, 0, e, some);
        for (int64_t i = 0; i < some; i++) {
            const double sigmoid = 1 / (1 + e[i]);
            dy[at + i] *= sigmoid * (1 + z[i] * (1 - sigmoid));
        }
    }
}

/* g = dy gamma, and xhat, of some of the row. */
static void gradient_inputs(const struct row *row, struct room *room, double mean, double rstd,
                            int64_t at, int64_t count, double *g, double *xhat)
{
    const double *gamma = row_constant(row, room, K_AFFINE_GRAD_GAMMA, 0, 1, at, count);
    const double *beta = row_constant(row, room, K_AFFINE_GRAD_BETA, 1, 0, at, count);
    inputs(row, room, K_AFFINE_GRAD_X2, -1, at, count, xhat);
    map_of(of_normal, xhat, xhat, xhat, xhat, mean, rstd, count);
    row_read(row, K_AFFINE_GRAD_DY, at, count, g);
    deactivate(row, room, g, xhat, gamma, beta, count);
    if (has(row, K_AFFINE_GRAD_GAMMA) && !(row->norm->options & K_NORM_OF_ROW))
        map_of(of_times, g, g, gamma, gamma, 0, 0, count);
}

K_TEMPLATE
vd of_centred_grad(vd g, vd xhat, vd z, vd by, vd slope)
{
    (void)z;
    return g - by - xhat * slope;
}

static void affine_grad_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    const bool fits = n->count <= K_NORM_KEEP, is_fixed = n->options & K_NORM_FIXED;
    const bool sums = !is_fixed || has(row, K_AFFINE_GRAD_DGAMMA) || has(row, K_AFFINE_GRAD_DBETA);
    const int64_t step = fits ? K_NORM_KEEP : TILE;
    const double count = (double)n->count;
    double rstd = row_number(row, K_AFFINE_GRAD_RSTD), mean = 0, all = 0, all_xhat = 0,
           *g = room->keep, *xhat = room->more;
    if (has(row, K_AFFINE_GRAD_MEAN)) mean = row_number(row, K_AFFINE_GRAD_MEAN);
    if (n->spread == K_NORM_VARIANCE) rstd = 1 / sqrt(rstd + n->number[0]);
    for (int64_t at = 0; at < n->count && (sums || fits); at += step) {
        const int64_t some = n->count - at < step ? n->count - at : step;
        gradient_inputs(row, room, mean, rstd, at, some, g, xhat);
        all += sum(g, some);
        all_xhat += sum_of_products(g, xhat, some);
    }
    double factor = rstd;
    if (n->options & K_NORM_OF_ROW && has(row, K_AFFINE_GRAD_GAMMA))
        factor *= row_number(row, K_AFFINE_GRAD_GAMMA);
    row_put(row, K_AFFINE_GRAD_DGAMMA, all_xhat);
    row_put(row, K_AFFINE_GRAD_DBETA, all);
    if (!has(row, K_AFFINE_GRAD_DX)) return;
    const double by = is_fixed || !(n->options & K_NORM_CENTRED) ? 0 : all / count;
    const double slope = is_fixed ? 0 : all_xhat / count;
    for (int64_t at = 0; at < n->count; at += step) {
        const int64_t some = n->count - at < step ? n->count - at : step;
        if (!fits) gradient_inputs(row, room, mean, rstd, at, some, g, xhat);
        map_of(of_centred_grad, g, g, xhat, xhat, by, slope, some);
        scale(g, factor, some);
        if (has(row, K_AFFINE_GRAD_DSUM)) {
            row_read(row, K_AFFINE_GRAD_DSUM, at, some, xhat);
            map_of(of_weighted_sum, g, g, xhat, xhat, 1, 1, some);
        }
        if (has(row, K_AFFINE_GRAD_DX2)) {
            row_write(row, K_AFFINE_GRAD_DX2, at, some, g);
            scale(g, n->number[1], some);
        }
        row_write(row, K_AFFINE_GRAD_DX, at, some, g);
    }
}

/* gamma[i] += dy[i] xhat[i], beta[i] += dy[i] of some of the row. */
static void add_parameters(const struct row *row, struct room *room, int64_t at, int64_t count,
                           double *gamma, double *beta)
{
    const double rstd = row_number(row, K_AFFINE_GRAD_RSTD);
    double mean = 0, *dy = room->keep, *xhat = room->more;
    if (has(row, K_AFFINE_GRAD_MEAN)) mean = row_number(row, K_AFFINE_GRAD_MEAN);
    inputs(row, room, K_AFFINE_GRAD_X2, -1, at, count, xhat);
    map_of(of_normal, xhat, xhat, xhat, xhat, mean, rstd, count);
    row_read(row, K_AFFINE_GRAD_DY, at, count, dy);
    map_of(of_weighted_sum, beta, beta, dy, dy, 1, 1, count);
    map_of(of_times, xhat, xhat, dy, dy, 0, 0, count);
    map_of(of_weighted_sum, gamma, gamma, xhat, xhat, 1, 1, count);
}

/* A row is what one gamma and beta are for; mean and rstd change along it. */
static void parameter_grad_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    double gamma = 1, beta = 0, of_gamma = 0, of_beta = 0, *dy = room->keep, *x = room->more;
    if (has(row, K_AFFINE_GRAD_GAMMA)) gamma = row_number(row, K_AFFINE_GRAD_GAMMA);
    if (has(row, K_AFFINE_GRAD_BETA)) beta = row_number(row, K_AFFINE_GRAD_BETA);
    for (int64_t at = 0; at < n->count; at += TILE) {
        const int64_t some = n->count - at < TILE ? n->count - at : TILE;
        double *mean = room->tile[1], *rstd = room->tile[2];
        inputs(row, room, K_AFFINE_GRAD_X2, -1, at, some, x);
        row_read(row, K_AFFINE_GRAD_MEAN, at, some, mean);
        row_read(row, K_AFFINE_GRAD_RSTD, at, some, rstd);
        for (int64_t i = 0; i < some; i++)
            x[i] = (x[i] - mean[i]) * rstd[i];
        row_read(row, K_AFFINE_GRAD_DY, at, some, dy);
        if (n->options & K_NORM_SWISH) {
            for (int64_t i = 0; i < some; i++) {
                room->constant[0][i] = gamma;
                room->constant[1][i] = beta;
            }
            deactivate(row, room, dy, x, room->constant[0], room->constant[1], some);
        }
        of_gamma += sum_of_products(dy, x, some);
        of_beta += sum(dy, some);
    }
    row_put(row, K_AFFINE_GRAD_DGAMMA, of_gamma);
    row_put(row, K_AFFINE_GRAD_DBETA, of_beta);
}

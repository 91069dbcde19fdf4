/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of softmax and of what is made of it. A row that fits is read once; a longer one twice. */

/* The greatest of start and of all that are no NaN. */
static double greatest(const double *x, int64_t count, double start)
{
    struct lanes best;
    double all[K_NORM_LANES];
    int64_t i = 0;
    for (int p = 0; p < PARTS; p++)
        best.part[p] = vd_all(start);
    for (; i + K_NORM_LANES <= count; i += K_NORM_LANES)
#pragma GCC unroll 8
        for (int p = 0; p < PARTS; p++) {
            vd value;
            memcpy(&value, x + i + p * VD, sizeof value);
            best.part[p] = vd_if(vd_less(best.part[p], value), value, best.part[p]);
        }
    memcpy(all, &best, sizeof all);
    for (int lane = 0; lane < K_NORM_LANES; lane++)
        start = start < all[lane] ? all[lane] : start;
    for (; i < count; i++)
        start = start < x[i] ? x[i] : start;
    return start;
}

/* ---- statistics of a row ---- */

struct softmax {
    double greatest, sum; /* of exp(x - greatest) */
};

/* The elements of a row that are made into a softmax. */
typedef void scores_fn(const struct row *row, struct room *room, int64_t begin, int64_t count,
                       double *to);

static void plain_scores(const struct row *row, struct room *room, int64_t begin, int64_t count,
                         double *to)
{
    (void)room;
    row_read(row, K_SOFTMAX_X, begin, count, to);
}

/* Of a row that is too long to be kept. */
static struct softmax long_softmax(const struct row *row, struct room *room, scores_fn *scores)
{
    struct softmax s = {-INFINITY, 0};
    for (int64_t at = 0; at < row->norm->count; at += TILE) {
        const int64_t some = row->norm->count - at < TILE ? row->norm->count - at : TILE;
        scores(row, room, at, some, room->keep);
        const double m = greatest(room->keep, some, s.greatest);
        if (m > s.greatest && s.sum != 0) s.sum *= exp(s.greatest - m);
        s.greatest = m;
        /* Nothing but -infinity so far counts as 0. */
        if (m == -INFINITY && at + some < row->norm->count) {
            s.sum += sum(room->keep, some) != -INFINITY ? NAN : 0;
            continue;
        }
        s.sum += exponentials(row->norm->is_precise, room->keep, m, room->more, some);
    }
    return s;
}

/* Returns the row's statistics. */
static struct softmax softmax_or_log(const struct row *row, struct room *room, scores_fn *scores,
                                     int out, bool is_log)
{
    const int64_t count = row->norm->count;
    const bool is_precise = row->norm->is_precise, fits = count <= K_NORM_KEEP;
    struct softmax s;
    if (fits) {
        scores(row, room, 0, count, room->keep);
        s.greatest = greatest(room->keep, count, -INFINITY);
        s.sum = exponentials(is_precise, room->keep, s.greatest, is_log ? room->more : room->keep,
                             count);
    } else {
        s = long_softmax(row, room, scores);
    }
    const double by = is_log ? log(s.sum) : 0;
    for (int64_t at = 0; at < count; at += K_NORM_KEEP) {
        const int64_t some = count - at < K_NORM_KEEP ? count - at : K_NORM_KEEP;
        if (!fits) {
            scores(row, room, at, some, room->keep);
            if (!is_log) exponentials(is_precise, room->keep, s.greatest, room->keep, some);
        }
        if (is_log)
            shift(room->keep, s.greatest, by, some);
        else
            scale(room->keep, 1 / s.sum, some);
        row_write(row, out, at, some, room->keep);
    }
    return s;
}

/* ---- gradients ---- */

K_TEMPLATE
vd of_grad(vd dy, vd y, vd z, vd s, vd b)
{
    (void)z, (void)b;
    return (dy - s) * y;
}

K_TEMPLATE
vd of_log_grad(vd dy, vd e, vd z, vd s, vd b)
{
    (void)z, (void)b;
    return dy - e * s;
}

static void softmax_grad_row(const struct row *row, struct room *room)
{
    const int64_t count = row->norm->count, step = count <= K_NORM_KEEP ? K_NORM_KEEP : TILE;
    const bool is_log = row->norm->kind == K_NORM_LOG_SOFTMAX_GRAD;
    double s = 0, *dy = room->keep, *y = room->more;
    for (int64_t at = 0; at < count; at += step) {
        const int64_t some = count - at < step ? count - at : step;
        row_read(row, K_SOFTMAX_GRAD_DY, at, some, dy);
        if (!is_log || some == count) row_read(row, K_SOFTMAX_GRAD_Y, at, some, y);
        s += is_log ? sum(dy, some) : sum_of_products(dy, y, some);
    }
    for (int64_t at = 0; at < count; at += step) {
        const int64_t some = count - at < step ? count - at : step;
        if (some < count) {
            row_read(row, K_SOFTMAX_GRAD_DY, at, some, dy);
            row_read(row, K_SOFTMAX_GRAD_Y, at, some, y);
        }
        if (is_log) exponentials(row->norm->is_precise, y, 0, y, some);
        if (is_log)
            map_of(of_log_grad, dy, dy, y, y, s, 0, some);
        else
            map_of(of_grad, dy, dy, y, y, s, 0, some);
        row_write(row, K_SOFTMAX_GRAD_OUT, at, some, dy);
    }
}

/* ---- cross entropy ---- */

/* The row's class, or -1: it is ignored. */
static int64_t class_of(const struct row *row, int operand)
{
    const int64_t target = row_integer(row, operand);
    if (target == row->norm->ignored) return -1;
    if (target >= 0 && target < row->norm->count) return target;
    if (row->fault) k_fault_note(row->fault, row->number);
    return -1;
}

static double element(const struct row *row, int operand, int64_t i)
{
    double value = 1;
    if (has(row, operand)) row_read(row, operand, i, 1, &value);
    return value;
}

/* sum_c(w[c] x[c]) and sum_c(w[c]) */
static double weighted_sum(const struct row *row, struct room *room, double *weights)
{
    double all = 0;
    *weights = 0;
    for (int64_t at = 0; at < row->norm->count; at += TILE) {
        const int64_t some = row->norm->count - at < TILE ? row->norm->count - at : TILE;
        row_read(row, K_CROSS_X, at, some, room->keep);
        if (has(row, K_CROSS_WEIGHT)) {
            row_read(row, K_CROSS_WEIGHT, at, some, room->more);
            all += sum_of_products(room->keep, room->more, some);
            *weights += sum(room->more, some);
        } else {
            all += sum(room->keep, some);
            *weights += (double)some;
        }
    }
    return all;
}

static void cross_entropy_row(const struct row *row, struct room *room)
{
    const double smoothing = row->norm->number[0], classes = (double)row->norm->count;
    const int64_t target = class_of(row, K_CROSS_TARGET);
    double x = 0, weight = 0, all = 0, weights = 0;
    if (target >= 0) x = element(row, K_CROSS_X, target);
    if (target >= 0 && smoothing > 0) all = weighted_sum(row, room, &weights);
    const struct softmax s = softmax_or_log(row, room, plain_scores, K_CROSS_OUT, true);
    const double logs = log(s.sum);
    double loss = 0;
    if (target >= 0) {
        weight = element(row, K_CROSS_WEIGHT, target);
        loss = -(1 - smoothing) * weight * (x - s.greatest - logs);
        if (smoothing > 0) loss -= smoothing / classes * (all - (s.greatest + logs) * weights);
    }
    row_put(row, K_CROSS_LOSS, loss);
    row_put(row, K_CROSS_TOTAL, weight);
}

static void cross_entropy_grad_row(const struct row *row, struct room *room)
{
    const double smoothing = row->norm->number[0], classes = (double)row->norm->count;
    const int64_t count = row->norm->count, target = class_of(row, K_CROSS_GRAD_TARGET);
    double weights = classes, factor = 0, own = 0, *p = room->keep, *w = room->more;
    if (target >= 0) {
        factor = row_number(row, K_CROSS_GRAD_DLOSS);
        own = (1 - smoothing) * element(row, K_CROSS_GRAD_WEIGHT, target);
        if (has(row, K_CROSS_GRAD_TOTAL)) factor /= row_number(row, K_CROSS_GRAD_TOTAL);
    }
    if (has(row, K_CROSS_GRAD_WEIGHT) && smoothing > 0)
        for (int64_t at = weights = 0; at < count; at += TILE) {
            const int64_t some = count - at < TILE ? count - at : TILE;
            row_read(row, K_CROSS_GRAD_WEIGHT, at, some, w);
            weights += sum(w, some);
        }
    const double smooth = smoothing / classes;
    for (int64_t at = 0; at < count; at += TILE) {
        const int64_t some = count - at < TILE ? count - at : TILE;
        if (target < 0) {
            memset(p, 0, (size_t)some * sizeof *p);
        } else {
            row_read(row, K_CROSS_GRAD_LOGP, at, some, p);
            exponentials(row->norm->is_precise, p, 0, p, some);
            for (int64_t i = 0; i < some; i++)
                w[i] = 1;
            if (has(row, K_CROSS_GRAD_WEIGHT) && smoothing > 0)
                row_read(row, K_CROSS_GRAD_WEIGHT, at, some, w);
            for (int64_t i = 0; i < some; i++)
                p[i] = factor * (own * (p[i] - (at + i == target ? 1 : 0)) +
                                 smooth * (p[i] * weights - w[i]));
        }
        row_write(row, K_CROSS_GRAD_OUT, at, some, p);
    }
}

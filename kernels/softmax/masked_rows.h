/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of softmax of scaled and masked elements, and cross entropy with probabilities. */

#define MASKED (-10000)

static void masked_scores(const struct row *row, struct room *room, int64_t begin, int64_t count,
                          double *to)
{
    double *mask = room->tile[0];
    row_read(row, K_MASKED_X, begin, count, to);
    scale(to, row->norm->number[0], count);
    for (int64_t at = 0; has(row, K_MASKED_MASK) && at < count; at += TILE) {
        const int64_t some = count - at < TILE ? count - at : TILE;
        row_read(row, K_MASKED_MASK, begin + at, some, mask);
        for (int64_t i = 0; i < some; i++)
            to[at + i] = mask[i] != 0 ? MASKED : to[at + i];
    }
}

static void masked_softmax_row(const struct row *row, struct room *room)
{
    softmax_or_log(row, room, masked_scores, K_MASKED_OUT, false);
}

static void masked_softmax_grad_row(const struct row *row, struct room *room)
{
    const int64_t count = row->norm->count;
    double s = 0, *dy = room->keep, *y = room->more, *mask = room->tile[0];
    for (int64_t at = 0; at < count; at += TILE) {
        const int64_t some = count - at < TILE ? count - at : TILE;
        row_read(row, K_MASKED_GRAD_DY, at, some, dy);
        row_read(row, K_MASKED_GRAD_Y, at, some, y);
        s += sum_of_products(dy, y, some);
    }
    for (int64_t at = 0; at < count; at += TILE) {
        const int64_t some = count - at < TILE ? count - at : TILE;
        row_read(row, K_MASKED_GRAD_DY, at, some, dy);
        row_read(row, K_MASKED_GRAD_Y, at, some, y);
        map_of(of_grad, dy, dy, y, y, s, 0, some);
        scale(dy, row->norm->number[0], some);
        if (has(row, K_MASKED_GRAD_MASK)) {
            row_read(row, K_MASKED_GRAD_MASK, at, some, mask);
            for (int64_t i = 0; i < some; i++)
                dy[i] = mask[i] != 0 ? 0 : dy[i];
        }
        row_write(row, K_MASKED_GRAD_OUT, at, some, dy);
    }
}

/* The loss first: what it is made of may lie where the gradient goes. */
static void labels_row(const struct row *row, struct room *room)
{
    const struct k_norm *n = row->norm;
    const struct softmax s = long_softmax(row, room, plain_scores);
    const double logs = log(s.sum);
    double loss = 0, *x = room->keep, *labels = room->more;
    for (int64_t at = 0; at < n->count; at += TILE) {
        const int64_t some = n->count - at < TILE ? n->count - at : TILE;
        row_read(row, K_LABELS_X, at, some, x);
        row_read(row, K_LABELS_LABELS, at, some, labels);
        shift(x, s.greatest, logs, some);
        loss -= sum_of_products(labels, x, some);
        exponentials(n->is_precise, x, 0, x, some);
        for (int64_t i = 0; i < some; i++)
            x[i] -= labels[i];
        row_write(row, K_LABELS_GRAD, at, some, x);
    }
    row_put(row, K_LABELS_LOSS, loss);
}

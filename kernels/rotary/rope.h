/* SPDX-License-Identifier: Apache-2.0 */
/* Heads that are turned by rows of a table; included once for each type T. NAME(x) is its name, AT
 * an element of a tensor, at any address. */

/* Cosines and sines of the pairs [begin, end); NULL: of no position. */
static void NAME(turn)(const struct k_rope *r, const AT *x, const AT *row, int64_t begin,
                       int64_t end, AT *to)
{
    const int64_t step = r->are_neighbours ? 2 : 1, apart = r->are_neighbours ? 1 : r->half;
    for (int64_t i = begin; i < end; i++) {
        const T cosine = row ? row[i] : 0, sine = row ? row[r->half + i] : 0;
        const T first = x[i * step], second = x[i * step + apart];
        to[i * step] = row ? first * cosine - second * sine : 0;
        to[i * step + apart] = row ? second * cosine + first * sine : 0;
    }
}

static void NAME(rope)(const struct k_rope *r, void *const buffers[], struct k_slice slice)
{
    for (int64_t token = slice.begin; token < slice.end; token++) {
        const AT *x = (const AT *)buffers[K_ROPE_X] + token * r->heads * r->head;
        AT *to = (AT *)buffers[K_ROPE_TO] + token * r->heads * r->head;
        int64_t begin = 0;
        for (int64_t k = 0; k < r->sections; begin = r->end[k++]) {
            const int64_t position = position_of(r, buffers, k * r->tokens + token);
            const AT *row =
                position < 0 ? NULL : (const AT *)buffers[K_ROPE_TABLE] + position * 2 * r->half;
            for (int64_t head = 0; head < r->heads; head++)
                NAME(turn)(r, x + head * r->head, row, begin, r->end[k], to + head * r->head);
        }
        for (int64_t head = 0; head < r->heads; head++)
            for (int64_t i = 2 * r->half; i < r->head; i++)
                to[head * r->head + i] = x[head * r->head + i];
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and merging records: included once for each kind, with NAME, RECORD, make_record, key_of,
 * tail_of and is_less, which tells the order of keys, then of places: no two records are equal. */

enum { NAME(FEW) = 48 };

static void NAME(insert)(RECORD *r, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        const RECORD one = r[i];
        int64_t j = i;
        for (; j > 0 && NAME(is_less)(one, r[j - 1]); j--)
            r[j] = r[j - 1];
        r[j] = one;
    }
}

/* By the bytes of the key, last one first. Returns where the records are: in r or in other. */
static RECORD *NAME(sort_digits)(RECORD *r, RECORD *other, int64_t count, int bytes)
{
    uint32_t places[8][256];
    memset(places, 0, (size_t)bytes * sizeof places[0]);
    for (int64_t i = 0; i < count; i++)
        for (int byte = 0; byte < bytes; byte++)
            places[byte][NAME(key_of)(r[i]) >> (8 * byte) & 255]++;
    for (int byte = 0; byte < bytes; byte++) {
        uint32_t at = 0, *const place = places[byte];
        if (place[NAME(key_of)(r[0]) >> (8 * byte) & 255] == (uint32_t)count) continue;
        for (int i = 0; i < 256; i++) {
            const uint32_t some = place[i];
            place[i] = at;
            at += some;
        }
        for (int64_t i = 0; i < count; i++)
            other[place[NAME(key_of)(r[i]) >> (8 * byte) & 255]++] = r[i];
        RECORD *const swapped = r;
        r = other;
        other = swapped;
    }
    return r;
}

/* Records of the elements whose keys are below `bound`; returns how many. */
static int64_t NAME(collect)(const struct k_sort *s, const char *from, int64_t first, int64_t count,
                             uint64_t bound, RECORD *to)
{
    enum { BLOCK = 256 };
    const int size = (int)k_dtype_size(s->dtype);
    uint64_t keys[BLOCK], minus_zeros[BLOCK];
    int64_t made = 0;
    for (int64_t at = 0; at < count; at += BLOCK) {
        const int64_t some = count - at < BLOCK ? count - at : BLOCK;
        order_all(s, from + at * size, some, keys, minus_zeros);
        for (int64_t i = 0; i < some; i++) {
            to[made] = NAME(make_record)(keys[i], (uint64_t)(first + at + i) << 1 | minus_zeros[i]);
            made += keys[i] <= bound;
        }
    }
    return made;
}

static RECORD *NAME(sort_all)(RECORD *r, RECORD *other, int64_t count, int bytes)
{
    if (count > NAME(FEW)) return NAME(sort_digits)(r, other, count, bytes);
    NAME(insert)(r, count);
    return r;
}

/* Of few results: the last one of those among what was seen so far is a bound for the rest. */
static const RECORD *NAME(sort_few)(const struct k_sort *s, const char *from, int64_t first,
                                    int64_t count, RECORD *room, RECORD *other)
{
    enum { PIECE = 64 };
    const int size = (int)k_dtype_size(s->dtype);
    const int64_t most = 3 * s->keep + 32; /* records, then they are cut to those that are kept */
    const bool is_float = s->dtype < K_DTYPES;
    int64_t at = most, made = NAME(collect)(s, from, first, most, ~UINT64_C(0), room);
    for (;;) {
        const RECORD *sorted = NAME(sort_all)(room, other, made, size);
        if (sorted != room) memcpy(room, sorted, (size_t)s->keep * sizeof *room);
        const uint64_t bound = NAME(key_of)(room[s->keep - 1]);
        const float number = is_float ? number_of_key(s, bound) : 0;
        if (at == count || bound == 0) return room;
        /* Elements that are equal to the bound come behind it. */
        for (made = s->keep; at < count && made < most;) {
            unsigned bits = 0;
            if (is_float) at += skip_all_behind(s, from + at * size, count - at, number, &bits);
            const int64_t some = bits ? VL : count - at < PIECE ? count - at : PIECE;
            if (!bits)
                made +=
                    NAME(collect)(s, from + at * size, first + at, some, bound - 1, room + made);
            for (; bits; bits &= bits - 1) {
                const int64_t i = at + __builtin_ctz(bits);
                made += NAME(collect)(s, from + i * size, first + i, 1, bound - 1, room + made);
            }
            at += some;
        }
    }
}

static const RECORD *NAME(sort_part)(const struct k_sort *s, const char *from, int64_t first,
                                     int64_t count, RECORD *room, RECORD *other)
{
    if (s->keep < count / 8 && count >= 128)
        return NAME(sort_few)(s, from, first, count, room, other);
    const int64_t made = NAME(collect)(s, from, first, count, ~UINT64_C(0), room);
    return NAME(sort_all)(room, other, made, (int)k_dtype_size(s->dtype));
}

/* Results from number `at` of the row on. */
static void NAME(emit)(const struct k_sort *s, const RECORD *r, int64_t count, char *values,
                       char *index, int64_t at)
{
    const int size = (int)k_dtype_size(s->dtype);
    for (int64_t i = 0; i < count && s->has_values; i++)
        store_bits(values + (at + i) * size, size,
                   unordered(s, NAME(key_of)(r[i]), NAME(tail_of)(r[i]) & 1));
    if (!s->has_index) return;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t place = NAME(tail_of)(r[i]) >> 1;
        store_bits(index + (at + i) * (s->index_type == K_I64 ? 8 : 4),
                   s->index_type == K_I64 ? 8 : 4, place);
    }
}

static void NAME(sort)(const struct k_sort *s, void *const buffers[], struct k_slice slice,
                       RECORD *room, RECORD *other)
{
    const int64_t size = k_dtype_size(s->dtype), kept = k_sort_kept(s, K_SORT_PART);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t row = item / s->parts, first = item % s->parts * K_SORT_PART;
        const int64_t left = s->count - first, count = left < K_SORT_PART ? left : K_SORT_PART;
        const char *from = (const char *)buffers[K_SORT_FROM] + (row * s->count + first) * size;
        const RECORD *sorted = NAME(sort_part)(s, from, first, count, room, other);
        const int64_t some = k_sort_kept(s, count);
        if (s->is_last) NAME(emit)
        (s, sorted, some, buffers[K_SORT_VALUES], buffers[K_SORT_INDEX], row * s->keep);
        else memcpy((RECORD *)buffers[K_SORT_RUNS] + item * kept, sorted,
                    (size_t)some * sizeof *sorted);
    }
}

/* How many of the first `at` records of two merged runs are a's. */
static int64_t NAME(split)(const RECORD *a, int64_t a_count, const RECORD *b, int64_t b_count,
                           int64_t at)
{
    int64_t low = at > b_count ? at - b_count : 0, high = at < a_count ? at : a_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (NAME(is_less)(a[middle], b[at - middle - 1]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void NAME(merge)(const struct k_sort *s, void *const buffers[], struct k_slice slice,
                        RECORD *room)
{
    const int64_t made = 2 * s->run, kept = k_sort_kept(s, made),
                  from_kept = k_sort_kept(s, s->run);
    const int64_t pieces = (kept + K_SORT_PIECE - 1) / K_SORT_PIECE, runs = k_sort_runs(s, made);
    const int64_t from_runs = k_sort_runs(s, s->run);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t piece = item % pieces, run = item / pieces % runs, row = item / pieces / runs;
        const int64_t left = s->count - run * made;
        const int64_t a_count = k_sort_kept(s, left < s->run ? left : s->run);
        const int64_t b_left = left - s->run < s->run ? left - s->run : s->run;
        const int64_t b_count = b_left > 0 ? k_sort_kept(s, b_left) : 0;
        const RECORD *a =
            (const RECORD *)buffers[K_SORT_FROM] + (row * from_runs + 2 * run) * from_kept;
        const RECORD *b = a + from_kept;
        const int64_t all = k_sort_kept(s, a_count + b_count), begin = piece * K_SORT_PIECE;
        if (begin >= all) continue;
        const int64_t count = all - begin < K_SORT_PIECE ? all - begin : K_SORT_PIECE;
        int64_t i = NAME(split)(a, a_count, b, b_count, begin), j = begin - i;
        RECORD *to =
            s->is_last ? room : (RECORD *)buffers[K_SORT_RUNS] + (row * runs + run) * kept + begin;
        for (int64_t k = 0; k < count; k++) {
            const bool is_a = j >= b_count || (i < a_count && NAME(is_less)(a[i], b[j]));
            to[k] = is_a ? a[i] : b[j];
            i += is_a;
            j += !is_a;
        }
        if (s->is_last) NAME(emit)
        (s, room, count, buffers[K_SORT_VALUES], buffers[K_SORT_INDEX], row * s->keep + begin);
    }
}

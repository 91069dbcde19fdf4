/* SPDX-License-Identifier: Apache-2.0 */
/* Which pixels a place sees, and how much; included once for each type T. NAME(x) is its name, AT
 * an element of a tensor, at any address. */

/* What one axis sees: places in it, or -1; their weights and the weights' slopes. */
struct NAME(axis) {
    int count;
    int64_t at[4];
    T weight[4], slope[4];
    T step; /* how far a coordinate of 1 goes, in pixels; 0 where it does not move */
};

/* To [0, size - 1]. NaN is 0. */
static T NAME(clip)(T x, int64_t size, T *step)
{
    const T last = (T)(size - 1);
    if (!(x > 0)) return *step = 0, 0;
    if (x >= last) return *step = 0, last;
    return x;
}

/* To [low / 2, high / 2], as often as it takes. */
static T NAME(reflect)(T x, int64_t low, int64_t high, T *step)
{
    if (low == high) return *step = 0, 0;
    const T first = (T)low / 2, span = (T)(high - low) / 2, past = x - first;
    const T extra = FMOD(FABS(past), span), flips = FLOOR(FABS(past) / span);
    const bool is_odd = FMOD(flips, 2) != 0;
    if ((past < 0) != is_odd) *step = -*step;
    return is_odd ? span - extra + first : extra + first;
}

static T NAME(pad)(const struct k_sample *s, T x, int64_t size, T *step)
{
    if (s->padding == K_SAMPLE_ZEROS) return x;
    if (s->padding == K_SAMPLE_REFLECTION)
        x = s->align_corners ? NAME(reflect)(x, 0, 2 * (size - 1), step)
                             : NAME(reflect)(x, -1, 2 * size - 1, step);
    return NAME(clip)(x, size, step);
}

/* Within the reach of integers; NaN is a place outside. */
static T NAME(within)(T x)
{
    const T most = (T)(INT64_C(1) << 33);
    if (!(x == x)) return -100;
    return x < -most ? -most : x > most ? most : x;
}

static int64_t NAME(inside)(T x, int64_t size)
{
    const int64_t at = (int64_t)NAME(within)(x);
    return at >= 0 && at < size ? at : -1;
}

/* Keys' kernel of a = -0.75 at a distance, and its slope. */
static T NAME(near)(T d, T *slope)
{
    const T a = (T)-0.75;
    *slope = (3 * (a + 2) * d - 2 * (a + 3)) * d;
    return ((a + 2) * d - (a + 3)) * d * d + 1;
}

static T NAME(far)(T d, T *slope)
{
    const T a = (T)-0.75;
    *slope = (3 * a * d - 10 * a) * d + 8 * a;
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

static void NAME(cubic)(const struct k_sample *s, T x, int64_t size, struct NAME(axis) * to)
{
    const T first = FLOOR(x), t = x - first;
    T unused = 0;
    to->count = 4;
    for (int i = 0; i < 4; i++)
        to->at[i] = NAME(inside)(NAME(pad)(s, first + (T)(i - 1), size, &unused), size);
    to->weight[0] = NAME(far)(t + 1, &to->slope[0]);
    to->weight[1] = NAME(near)(t, &to->slope[1]);
    to->weight[2] = NAME(near)(1 - t, &to->slope[2]);
    to->weight[3] = NAME(far)(2 - t, &to->slope[3]);
    to->slope[2] = -to->slope[2];
    to->slope[3] = -to->slope[3];
}

static void NAME(see)(const struct k_sample *s, T coordinate, int64_t size, struct NAME(axis) * to)
{
    T x;
    if (s->align_corners) {
        to->step = (T)(size - 1) / 2;
        x = (coordinate + 1) / 2 * (T)(size - 1);
    } else {
        to->step = (T)size / 2;
        x = ((coordinate + 1) * (T)size - 1) / 2;
    }
    if (s->mode == K_SAMPLE_CUBIC) {
        NAME(cubic)(s, NAME(within)(x), size, to);
        return;
    }
    x = NAME(within)(NAME(pad)(s, x, size, &to->step));
    if (s->mode == K_SAMPLE_NEAREST) {
        *to = (struct NAME(axis)){.count = 1, .at = {NAME(inside)(RINT(x), size)}, .weight = {1}};
        return;
    }
    const T first = FLOOR(x);
    to->count = 2;
    to->at[0] = NAME(inside)(first, size);
    to->at[1] = NAME(inside)(first + 1, size);
    to->weight[0] = first + 1 - x;
    to->weight[1] = x - first;
    to->slope[0] = -1;
    to->slope[1] = 1;
}

/* Taps of the places of a tile, side by side; -1: none. Slopes along each axis only if asked. */
struct NAME(tile) {
    int64_t first, count, taps;
    int64_t place[K_SAMPLE_TAPS][K_SAMPLE_TILE];
    T weight[K_SAMPLE_TAPS][K_SAMPLE_TILE];
    T slope[K_SAMPLE_AXES][K_SAMPLE_TAPS][K_SAMPLE_TILE];
};

static void NAME(put)(const struct k_sample *s, const struct NAME(axis) axis[K_SAMPLE_AXES],
                      bool slopes, int64_t p, struct NAME(tile) * to)
{
    int tap = 0;
    for (int z = 0; z < axis[0].count; z++)
        for (int y = 0; y < axis[1].count; y++)
            for (int x = 0; x < axis[2].count; x++, tap++) {
                const int64_t at[] = {axis[0].at[z], axis[1].at[y], axis[2].at[x]};
                const T w[] = {axis[0].weight[z], axis[1].weight[y], axis[2].weight[x]};
                const bool is_inside = at[0] >= 0 && at[1] >= 0 && at[2] >= 0;
                to->place[tap][p] =
                    is_inside ? (at[0] * s->sizes[1] + at[1]) * s->sizes[2] + at[2] : -1;
                to->weight[tap][p] = w[0] * w[1] * w[2];
                if (!slopes) continue;
                to->slope[0][tap][p] = axis[0].slope[z] * w[1] * w[2] * axis[0].step;
                to->slope[1][tap][p] = w[0] * axis[1].slope[y] * w[2] * axis[1].step;
                to->slope[2][tap][p] = w[0] * w[1] * axis[2].slope[x] * axis[2].step;
            }
    to->taps = tap;
}

/* The tile of the places from `first` on of image n. */
static void NAME(find)(const struct k_sample *s, const AT *grid, int64_t n, int64_t first,
                       bool slopes, struct NAME(tile) * to)
{
    to->first = first;
    to->count = s->points - first < K_SAMPLE_TILE ? s->points - first : K_SAMPLE_TILE;
    to->taps = 0;
    for (int64_t p = 0; p < to->count; p++) {
        struct NAME(axis) axis[K_SAMPLE_AXES] = {{.count = 1, .weight = {1}}};
        const AT *at = grid + (n * s->points + first + p) * s->axes;
        for (int i = 0; i < s->axes; i++)
            NAME(see)(s, at[i], s->sizes[K_SAMPLE_AXES - 1 - i], &axis[K_SAMPLE_AXES - 1 - i]);
        NAME(put)(s, axis, slopes, p, to);
    }
}

static T NAME(read)(const AT *plane, int64_t place)
{
    const T value = plane[place < 0 ? 0 : place];
    return place < 0 ? 0 : value;
}

static void NAME(forward)(const struct k_sample *s, const AT *from, const AT *grid, T *to,
                          struct k_slice slice, struct NAME(tile) * t)
{
    const int64_t tiles = (s->points + K_SAMPLE_TILE - 1) / K_SAMPLE_TILE;
    const int64_t plane = s->sizes[0] * s->sizes[1] * s->sizes[2];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t n = item / tiles;
        NAME(find)(s, grid, n, item % tiles * K_SAMPLE_TILE, false, t);
        for (int64_t c = n * s->channels; c < (n + 1) * s->channels; c++) {
            T sum[K_SAMPLE_TILE] = {0};
            for (int64_t tap = 0; tap < t->taps; tap++)
                for (int64_t p = 0; p < t->count; p++)
                    sum[p] += t->weight[tap][p] * NAME(read)(from + c * plane, t->place[tap][p]);
            memcpy(to + c * s->points + t->first, sum, (size_t)t->count * sizeof *sum);
        }
    }
}

/* Gradients are added to the pixels in the order of the places. */
static void NAME(backward)(const struct k_sample *s, const AT *gradient, const AT *grid, T *to,
                           struct k_slice slice, struct NAME(tile) * t)
{
    const int64_t groups = (s->channels + K_SAMPLE_CHANNELS - 1) / K_SAMPLE_CHANNELS;
    const int64_t plane = s->sizes[0] * s->sizes[1] * s->sizes[2];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t n = item / groups, some = item % groups * K_SAMPLE_CHANNELS;
        const int64_t begin = n * s->channels + some;
        const int64_t rest = s->channels - some;
        const int64_t end = begin + (rest < K_SAMPLE_CHANNELS ? rest : K_SAMPLE_CHANNELS);
        memset(to + begin * plane, 0, (size_t)((end - begin) * plane) * sizeof *to);
        for (int64_t first = 0; first < s->points; first += K_SAMPLE_TILE) {
            NAME(find)(s, grid, n, first, false, t);
            for (int64_t c = begin; c < end; c++)
                for (int64_t p = 0; p < t->count; p++)
                    for (int64_t tap = 0; tap < t->taps; tap++)
                        if (t->place[tap][p] >= 0)
                            to[c * plane + t->place[tap][p]] +=
                                t->weight[tap][p] * gradient[c * s->points + first + p];
        }
    }
}

static void NAME(backward_grid)(const struct k_sample *s, const AT *from, const AT *grid,
                                const AT *gradient, AT *to, struct k_slice slice,
                                struct NAME(tile) * t)
{
    const int64_t tiles = (s->points + K_SAMPLE_TILE - 1) / K_SAMPLE_TILE;
    const int64_t plane = s->sizes[0] * s->sizes[1] * s->sizes[2];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t n = item / tiles;
        T sum[K_SAMPLE_AXES][K_SAMPLE_TILE] = {{0}};
        NAME(find)(s, grid, n, item % tiles * K_SAMPLE_TILE, true, t);
        for (int64_t c = n * s->channels; c < (n + 1) * s->channels; c++)
            for (int64_t tap = 0; tap < t->taps; tap++)
                for (int64_t p = 0; p < t->count; p++) {
                    const T value = NAME(read)(from + c * plane, t->place[tap][p]) *
                                    gradient[c * s->points + t->first + p];
                    for (int i = K_SAMPLE_AXES - s->axes; i < K_SAMPLE_AXES; i++)
                        sum[i][p] += t->slope[i][tap][p] * value;
                }
        for (int64_t p = 0; p < t->count; p++)
            for (int i = 0; i < s->axes; i++)
                to[(n * s->points + t->first + p) * s->axes + i] = sum[K_SAMPLE_AXES - 1 - i][p];
    }
}

/* The coordinate of pixel i of an axis. */
static T NAME(center)(int64_t i, int64_t size, bool align_corners)
{
    if (size == 1) return 0;
    const T step = (T)2 / (T)(size - 1);
    const T at = i < size / 2 ? (T)i * step - 1 : 1 - (T)(size - 1 - i) * step;
    return align_corners ? at : at * (T)(size - 1) / (T)size;
}

static void NAME(affine)(const struct k_sample *s, const AT *theta, AT *to, struct k_slice slice)
{
    for (int64_t item = slice.begin; item < slice.end; item++) {
        int64_t rest = item;
        T at[K_SAMPLE_AXES + 1];
        for (int i = 0; i < K_SAMPLE_AXES; i++) { /* the last axis first */
            const int64_t size = s->sizes[K_SAMPLE_AXES - 1 - i];
            at[i] = NAME(center)(rest % size, size, s->align_corners);
            rest /= size;
        }
        at[s->axes] = 1;
        for (int row = 0; row < s->axes; row++) {
            const AT *of = theta + (rest * s->axes + row) * (s->axes + 1);
            T sum = 0;
            for (int i = 0; i <= s->axes; i++)
                sum += of[i] * at[i];
            to[item * s->axes + row] = sum;
        }
    }
}

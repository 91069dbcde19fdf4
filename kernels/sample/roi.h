/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of images, and boxes; included once for each type T. NAME(x) is its name, AT an element
 * of a tensor, at any address. */

/* Places along one axis of a bin, a few at a time: two pixels and their weights for each. */
struct NAME(line) {
    T start, step; /* place i is start + (i + 0.5) * step */
    int64_t size, next, end;
    int64_t count, at[2 * PLACES];
    T weight[2 * PLACES];
};

/* Places that may lie in the image: the others of many are not looked at. */
static struct NAME(line) NAME(line_of)(T start, T length, int64_t count, int64_t size)
{
    struct NAME(line) line = {
        .start = start, .step = length / (T)(count > 0 ? count : 1), .size = size, .end = count};
    if (!(line.step > 0)) return line;
    const T first = (-1 - start) / line.step - 2, last = ((T)size - start) / line.step + 2;
    if (first > 0) line.next = first < (T)count ? (int64_t)first : count;
    if (last < (T)count) line.end = last > 0 ? (int64_t)last : 0;
    return line;
}

/* The next pixels; false: there are none. */
static bool NAME(advance)(struct NAME(line) * line)
{
    line->count = 0;
    for (; line->next < line->end && line->count < 2 * PLACES; line->next++) {
        T at = line->start + ((T)line->next + (T)0.5) * line->step;
        if (!(at >= -1 && at <= (T)line->size)) continue;
        if (at < 0) at = 0;
        int64_t low = (int64_t)at;
        if (low >= line->size - 1) {
            low = line->size - 1;
            at = (T)low;
        }
        const T part = at - (T)low;
        line->at[line->count] = low;
        line->weight[line->count++] = 1 - part;
        line->at[line->count] = low < line->size - 1 ? low + 1 : low;
        line->weight[line->count++] = part;
    }
    return line->count > 0;
}

struct NAME(region) {
    int64_t image;      /* -1: none */
    T start[2], bin[2]; /* height, width */
    int64_t places[2];
};

static int64_t NAME(number)(const struct k_roi *r, void *const buffers[], int64_t region)
{
    if (r->has_numbers) {
        const int64_t image = ((const int32_anywhere *)buffers[K_ROI_NUMBERS])[region];
        return image >= 0 && image < r->batch ? image : -1;
    }
    const T image = FLOOR(((const AT *)buffers[K_ROI_BOXES])[region * 5]);
    return image >= 0 && image < (T)r->batch ? (int64_t)image : -1;
}

static struct NAME(region)
    NAME(region_of)(const struct k_roi *r, void *const buffers[], int64_t region)
{
    struct NAME(region) to = {.image = NAME(number)(r, buffers, region)};
    const AT *box = (const AT *)buffers[K_ROI_BOXES] + region * (r->has_numbers ? 4 : 5) +
                    (r->has_numbers ? 0 : 1);
    const T scale = (T)r->scale, offset = r->aligned ? (T)0.5 : 0;
    if (to.image < 0) k_fault_note(buffers[K_ROI_BUFFERS], r->has_numbers ? region : region * 5);
    for (int axis = 0; axis < 2; axis++) {
        const T begin = box[1 - axis] * scale - offset, end = box[3 - axis] * scale - offset;
        T length = end - begin;
        if (!r->aligned && !(length > 1)) length = 1;
        to.start[axis] = begin;
        to.bin[axis] = length / (T)r->bins[axis];
        const T pixels = CEIL(to.bin[axis]), most = (T)(1 << 24);
        to.places[axis] = r->ratio > 0                            ? r->ratio
                          : !(pixels > 0 && pixels < (T)INFINITY) ? 0
                          : pixels < most                         ? (int64_t)pixels
                                                                  : 1 << 24;
    }
    return to;
}

static struct NAME(line)
    NAME(bin_of)(const struct k_roi *r, const struct NAME(region) * of, int axis, int64_t bin)
{
    return NAME(line_of)(of->start[axis] + (T)bin * of->bin[axis], of->bin[axis], of->places[axis],
                         r->size[axis]);
}

static T NAME(share)(const struct NAME(region) * of)
{
    const T count = (T)of->places[0] * (T)of->places[1];
    return count > 1 ? 1 / count : 1;
}

/* What some rows and columns of pixels give, by their weights. */
static T NAME(sum)(const AT *plane, const struct NAME(line) * y, const struct NAME(line) * x)
{
    T sum = 0;
    for (int64_t i = 0; i < y->count; i++) {
        const AT *row = plane + y->at[i] * x->size;
        T of_row = 0;
        for (int64_t j = 0; j < x->count; j++)
            of_row += x->weight[j] * row[x->at[j]];
        sum += y->weight[i] * of_row;
    }
    return sum;
}

static void NAME(bin)(const struct k_roi *r, const struct NAME(region) * of, const AT *from,
                      int64_t h, int64_t w, AT *to)
{
    const int64_t plane = r->size[0] * r->size[1], step = r->bins[0] * r->bins[1];
    for (int64_t c = 0; c < r->channels; c++)
        to[c * step] = 0;
    if (of->image < 0) return;
    struct NAME(line) y = NAME(bin_of)(r, of, 0, h);
    while (NAME(advance)(&y)) {
        struct NAME(line) x = NAME(bin_of)(r, of, 1, w);
        while (NAME(advance)(&x))
            for (int64_t c = 0; c < r->channels; c++)
                to[c * step] += NAME(sum)(from + (of->image * r->channels + c) * plane, &y, &x);
    }
    for (int64_t c = 0; c < r->channels; c++)
        to[c * step] *= NAME(share)(of);
}

static void NAME(roi)(const struct k_roi *r, void *const buffers[], struct k_slice slice)
{
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t region = item / r->bins[0], h = item % r->bins[0];
        const struct NAME(region) of = NAME(region_of)(r, buffers, region);
        AT *to = (AT *)buffers[K_ROI_TO] + (region * r->channels * r->bins[0] + h) * r->bins[1];
        for (int64_t w = 0; w < r->bins[1]; w++)
            NAME(bin)(r, &of, buffers[K_ROI_FROM], h, w, to + w);
    }
}

static void NAME(spread)(const struct NAME(line) * y, const struct NAME(line) * x, T gradient,
                         AT *plane)
{
    for (int64_t i = 0; i < y->count; i++)
        for (int64_t j = 0; j < x->count; j++)
            plane[y->at[i] * x->size + x->at[j]] += y->weight[i] * x->weight[j] * gradient;
}

/* Of the channels [begin, end) of the region's image. */
static void NAME(bin_grad)(const struct k_roi *r, const struct NAME(region) * of,
                           const AT *gradient, int64_t bin, int64_t begin, int64_t end, AT *to)
{
    const int64_t plane = r->size[0] * r->size[1], bins = r->bins[0] * r->bins[1];
    const T share = NAME(share)(of);
    struct NAME(line) y = NAME(bin_of)(r, of, 0, bin / r->bins[1]);
    while (NAME(advance)(&y)) {
        struct NAME(line) x = NAME(bin_of)(r, of, 1, bin % r->bins[1]);
        while (NAME(advance)(&x))
            for (int64_t c = begin; c < end; c++)
                NAME(spread)(&y, &x, gradient[c * bins + bin] * share, to + c * plane);
    }
}

static void NAME(roi_grad)(const struct k_roi *r, void *const buffers[], struct k_slice slice)
{
    const int64_t groups = (r->channels + K_ROI_CHANNELS - 1) / K_ROI_CHANNELS;
    const int64_t plane = r->size[0] * r->size[1], bins = r->bins[0] * r->bins[1];
    const AT *gradient = buffers[K_ROI_FROM];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t begin = item % groups * K_ROI_CHANNELS, rest = r->channels - begin;
        const int64_t end = begin + (rest < K_ROI_CHANNELS ? rest : K_ROI_CHANNELS);
        AT *to = (AT *)buffers[K_ROI_TO] + item / groups * r->channels * plane;
        memset(to + begin * plane, 0, (size_t)((end - begin) * plane) * sizeof *to);
        for (int64_t region = 0; region < r->regions; region++) {
            const struct NAME(region) of = NAME(region_of)(r, buffers, region);
            if (of.image != item / groups) continue;
            for (int64_t bin = 0; bin < bins; bin++)
                NAME(bin_grad)(r, &of, gradient + region * r->channels * bins, bin, begin, end, to);
        }
    }
}

/* ---- boxes ---- */

static T NAME(edge)(T begin, T end, T epsilon)
{
    const T length = end + epsilon - begin;
    return length > 0 ? length : 0;
}

static T NAME(overlap)(const struct k_iou *p, const AT *a, const AT *b)
{
    const T e = (T)p->epsilon;
    const T common = NAME(edge)(a[0] > b[0] ? a[0] : b[0], a[2] < b[2] ? a[2] : b[2], e) *
                     NAME(edge)(a[1] > b[1] ? a[1] : b[1], a[3] < b[3] ? a[3] : b[3], e);
    const T of_b = (b[2] - b[0] + e) * (b[3] - b[1] + e);
    if (p->of_second) return common / of_b;
    return common / ((a[2] - a[0] + e) * (a[3] - a[1] + e) + of_b - common);
}

static void NAME(iou)(const struct k_iou *p, const AT *a, const AT *b, AT *to, struct k_slice slice)
{
    for (int64_t i = slice.begin; i < slice.end; i++) {
        if (p->is_aligned) to[i] = NAME(overlap)(p, a + 4 * i, b + 4 * i);
        for (int64_t j = 0; j < p->second && !p->is_aligned; j++)
            to[i * p->second + j] = NAME(overlap)(p, a + 4 * i, b + 4 * j);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels/sample/k_boxes.h"

/* Elements of tensors lie at any address. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef float float_anywhere ANYWHERE;
typedef int32_t int32_anywhere ANYWHERE;

struct corners {
    float low[2], high[2];
};

static struct corners corners_of(const struct k_nms *n, const float_anywhere *box)
{
    struct corners c;
    for (int i = 0; i < 2; i++) {
        const float a = n->is_center ? box[i] - box[2 + i] / 2 : box[i];
        const float b = n->is_center ? box[i] + box[2 + i] / 2 : box[2 + i];
        c.low[i] = a < b ? a : b;
        c.high[i] = a < b ? b : a;
    }
    return c;
}

static float area_of(const struct corners *c)
{
    return (c->high[0] - c->low[0]) * (c->high[1] - c->low[1]);
}

/* Whether they overlap by more than `iou` of what both cover. */
static bool covers(const struct k_nms *n, const float_anywhere *one, const float_anywhere *other)
{
    const struct corners a = corners_of(n, one), b = corners_of(n, other);
    float common = 1;
    for (int i = 0; i < 2; i++) {
        const float side = fminf(a.high[i], b.high[i]) - fmaxf(a.low[i], b.low[i]);
        common *= side > 0 ? side : 0;
    }
    return common > n->iou * (area_of(&a) + area_of(&b) - common);
}

/* Numbers of boxes by falling scores, of equal ones by themselves; merged from runs of two, four
 * and so on. NaN is no score. Returns how many have one above the bound. */
static int64_t sort(const struct k_nms *n, const float_anywhere *scores, int64_t *order)
{
    int64_t count = 0, *from = order, *to = order + n->boxes;
    for (int64_t i = 0; i < n->boxes; i++)
        if (scores[i] > n->score) from[count++] = i;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t first = 0; first < count; first += 2 * run) {
            const int64_t middle = first + run < count ? first + run : count;
            const int64_t end = middle + run < count ? middle + run : count;
            int64_t a = first, b = middle;
            for (int64_t i = first; i < end; i++)
                to[i] = b < end && (a == middle || scores[from[b]] > scores[from[a]]) ? from[b++]
                                                                                      : from[a++];
        }
        int64_t *other = from;
        from = to;
        to = other;
    }
    if (from != order) memcpy(order, from, (size_t)count * sizeof *order);
    return count;
}

void k_nms(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_nms *n = parameters;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const float_anywhere *boxes =
            (const float_anywhere *)buffers[K_NMS_BOXES] + item / n->classes * n->boxes * 4;
        const float_anywhere *scores =
            (const float_anywhere *)buffers[K_NMS_SCORES] + item * n->boxes;
        int64_t *order = (int64_t *)buffers[K_NMS_ORDER] + item * 2 * n->boxes, kept = 0;
        int32_t *to = (int32_t *)buffers[K_NMS_KEPT] + item * n->most;
        const int64_t count = sort(n, scores, order);
        for (int64_t i = 0; i < count && kept < n->most; i++) {
            bool stays = true;
            for (int64_t k = 0; k < kept && stays; k++)
                stays = !covers(n, boxes + 4 * (int64_t)to[k], boxes + 4 * order[i]);
            if (stays) to[kept++] = (int32_t)order[i];
        }
        while (kept < n->most)
            to[kept++] = -1;
    }
}

void k_nms_rows(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_nms *n = parameters;
    const int32_t *kept = buffers[K_NMS_ROWS_KEPT];
    int32_anywhere *to = buffers[K_NMS_ROWS_TO];
    int64_t row = 0;
    (void)slice; /* one item */
    for (int64_t item = 0; item < n->batch * n->classes; item++)
        for (int64_t k = 0; k < n->most && row < n->rows; k++) {
            const int32_t box = kept[item * n->most + k];
            if (box < 0) break;
            to[3 * row] = (int32_t)(item / n->classes);
            to[3 * row + 1] = (int32_t)(item % n->classes);
            to[3 * row++ + 2] = box;
        }
    for (int64_t i = 3 * row; i < 3 * n->rows; i++)
        to[i] = -1;
}

struct k_work k_nms_work(const struct k_nms *n)
{
    return (struct k_work){.items = n->batch * n->classes, .grain = n->boxes < 256 ? 16 : 1};
}

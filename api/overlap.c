/* SPDX-License-Identifier: Apache-2.0 */
/* Two elements share memory when steps d, not all 0 and each |d[i]| < size[i], bring one to the
 * other: sum d[i] * stride[i] == 0. Layouts that programs make are nested, every stride is larger
 * than all that the smaller ones span, and take one look. Others are searched from the largest
 * stride down: what the smaller ones span bounds each d from both sides, mostly to two or three
 * values, and the last two axes are solved and not searched. The general problem is a knapsack, so
 * the search has a limit. */
#include "api/overlap.h"

#include <stdbool.h>
#include <stddef.h>

enum { MOST_TRIES = 4096 };

struct axis {
    int64_t stride;
    int64_t reach;   /* size - 1 */
    int64_t below;   /* what this and all axes of smaller stride span: sum reach * stride */
    int64_t divisor; /* of all those strides: the greatest common one */
};

struct search {
    struct axis axes[OP_OVERLAP_AXES]; /* stride rises */
    int count;
    int tries;
};

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* a * x == 1 (mod modulus) for a without a common divisor, x in [0, modulus). */
static int64_t inverse(int64_t a, int64_t modulus)
{
    int64_t r = modulus, next_r = a % modulus, t = 0, next_t = 1;
    while (next_r != 0) {
        int64_t quotient = r / next_r, swap = t - quotient * next_t;
        t = next_t;
        next_t = swap;
        swap = r - quotient * next_r;
        r = next_r;
        next_r = swap;
    }
    return t < 0 ? t + modulus : t;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0 && a > 0);
}

/* The d of an axis for which the axes below can still bring sum + d * stride back to 0. */
static void bounds(const struct axis *axis, int64_t below, int64_t sum, int64_t *min, int64_t *max)
{
    *min = ceil_div(-below - sum, axis->stride);
    *max = floor_div(below - sum, axis->stride);
    if (*min < -axis->reach) *min = -axis->reach;
    if (*max > axis->reach) *max = axis->reach;
}

/* sum + x * high->stride + y * low->stride == 0 for some x, y in reach; not both 0 if !moved. */
static bool two_meet(const struct axis *low, const struct axis *high, int64_t sum, bool moved)
{
    int64_t divisor = high->divisor;
    int64_t modulus = low->stride / divisor, min, max;
    if (sum % divisor != 0) return false;
    bounds(high, low->reach * low->stride, sum, &min, &max);
    if (!moved) return modulus <= max; /* the smallest x that is not 0 */
    if (min > max) return false;
    int64_t wanted = -(sum / divisor) % modulus;
    if (wanted < 0) wanted += modulus;
    __int128 product = (__int128)wanted * inverse(high->stride / divisor, modulus);
    int64_t first = (int64_t)(product % modulus);
    return first + modulus * ceil_div(min - first, modulus) <= max;
}

/* The axes from index down bring sum to 0. moved: some d of a larger stride is not 0. */
static enum op_overlap descend(struct search *search, int index, int64_t sum, bool moved)
{
    const struct axis *axis = &search->axes[index];
    if (sum % axis->divisor != 0) return OP_APART;
    if (index == 1) return two_meet(axis - 1, axis, sum, moved) ? OP_MEET : OP_APART;
    int64_t min, max;
    bounds(axis, (axis - 1)->below, sum, &min, &max);
    if (!moved && min < 0) min = 0; /* d and -d are one */
    for (int64_t d = min; d <= max; d++) {
        if (++search->tries > MOST_TRIES) return OP_UNDECIDED;
        enum op_overlap found = descend(search, index - 1, sum + d * axis->stride, moved || d != 0);
        if (found != OP_APART) return found;
    }
    return OP_APART;
}

static void insert(struct search *search, int64_t size, int64_t stride)
{
    int at = search->count++;
    for (; at > 0 && search->axes[at - 1].stride > stride; at--)
        search->axes[at] = search->axes[at - 1];
    search->axes[at] = (struct axis){.stride = stride, .reach = size - 1};
}

enum op_overlap op_find_overlap(const int64_t *sizes, const int64_t *strides, int rank)
{
    struct search search = {.count = 0};
    bool is_nested = true;
    int64_t below = 0, divisor = 0;
    unsigned __int128 elements = 1;
    for (int i = 0; i < rank; i++) {
        if (sizes[i] == 1) continue;
        if (strides[i] == 0) return OP_MEET;
        if (search.count == OP_OVERLAP_AXES) return OP_UNDECIDED;
        insert(&search, sizes[i], strides[i]);
    }
    for (int i = 0; i < search.count; i++) {
        struct axis *axis = &search.axes[i];
        is_nested = is_nested && axis->stride > below;
        below = axis->below = below + axis->reach * axis->stride;
        divisor = axis->divisor = greatest_common_divisor(axis->stride, divisor);
        if (elements <= INT64_MAX) elements *= (uint64_t)axis->reach + 1;
    }
    if (is_nested) return OP_APART;
    /* More elements than places: all offsets are multiples of the divisor. */
    if (elements > (uint64_t)(below / divisor) + 1) return OP_MEET;
    return descend(&search, search.count - 1, 0, false);
}

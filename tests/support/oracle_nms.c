/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes that no better box covers: the best of those that are left, again and again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

static double threshold(const struct rig_problem *problem, const char *name)
{
    for (int i = 0; problem->op->array[i]; i++)
        if (strcmp(problem->op->array[i], name) == 0 && problem->call.array[i].length > 0)
            return (double)(float)problem->call.array[i].reals[0];
    return 0;
}

/* The interval of an axis that a box has. */
static void side(const struct rig_problem *problem, int64_t box, int axis, double *low,
                 double *high)
{
    const double a = oracle_value(problem, 0, box * 4 + axis);
    const double b = oracle_value(problem, 0, box * 4 + 2 + axis);
    const bool is_center = norm_integer(problem, "centerPointBox", 0) != 0;
    *low = is_center ? a - b / 2 : fmin(a, b);
    *high = is_center ? a + b / 2 : fmax(a, b);
    if (*low > *high) {
        const double other = *low;
        *low = *high;
        *high = other;
    }
}

static bool covers(const struct rig_problem *problem, int64_t one, int64_t other, double most)
{
    double common = 1, first = 1, second = 1;
    for (int axis = 0; axis < 2; axis++) {
        double low, high, from, to;
        side(problem, one, axis, &low, &high);
        side(problem, other, axis, &from, &to);
        first *= high - low;
        second *= to - from;
        common *= fmax(fmin(high, to) - fmax(low, from), 0);
    }
    return common > most * (first + second - common);
}

static void nms(struct rig_problem *problem)
{
    const int64_t *of = problem->tensor[1].view.dims, boxes = of[2];
    const int64_t rows = problem->tensor[2].view.dims[0];
    const struct rig_array *array = &problem->call.array[0];
    const int64_t most = array->length > 0 ? array->values[0] : 0;
    bool *is_out = malloc((size_t)boxes + 1);
    int64_t row = 0;
    for (int64_t item = 0; item < of[0] * of[1]; item++) {
        memset(is_out, 0, (size_t)boxes);
        for (int64_t k = 0; k < most; k++) {
            int64_t best = -1;
            double score = threshold(problem, "scoreThreshold");
            for (int64_t i = 0; i < boxes; i++) {
                const double own = oracle_value(problem, 1, item * boxes + i);
                if (is_out[i] || !(own > score)) continue;
                best = i;
                score = own;
            }
            if (best < 0) break;
            is_out[best] = true;
            const int64_t first = item / of[1] * boxes;
            for (int64_t i = 0; i < boxes; i++)
                is_out[i] = is_out[i] || covers(problem, first + best, first + i,
                                                threshold(problem, "iouThreshold"));
            if (row >= rows) continue;
            oracle_whole(problem, 2, 3 * row, CASE_I32, item / of[1]);
            oracle_whole(problem, 2, 3 * row + 1, CASE_I32, item % of[1]);
            oracle_whole(problem, 2, 3 * row++ + 2, CASE_I32, best);
        }
    }
    for (int64_t i = 3 * row; i < 3 * rows; i++)
        oracle_whole(problem, 2, i, CASE_I32, -1);
    free(is_out);
}

/* Numbers that both sides compute with exactly: quarters, and scores that repeat. */
static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *boxes = &problem->tensor[0], *scores = &problem->tensor[1];
    for (int64_t i = 0; i < boxes->count; i++)
        boxes->bits[i] =
            oracle_cast_real(boxes->view.dtype, (double)random_between(random, 1, 24) / 4);
    for (int64_t i = 0; i < scores->count; i++)
        scores->bits[i] =
            oracle_cast_real(scores->view.dtype, (double)random_between(random, 0, 16) / 16);
}

static struct test_case random_nms(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int64_t batch = random_between(random, 1, 3), classes = random_between(random, 1, 3);
    const int64_t boxes = random_between(random, random_once_in(random, 20) ? 0 : 1, 30);
    const int64_t most = random_between(random, 0, 6);
    const int64_t rows =
        random_once_in(random, 3) ? random_between(random, 0, 9) : batch * classes * most;
    const double iou = (double)random_below(random, 5) / 4;
    const double score = (double)random_below(random, 3) / 4;
    random_tensor(&test, random, "boxes", dtype, (const int64_t[]){batch, boxes, 4}, 3, true);
    random_tensor(&test, random, "scores", dtype, (const int64_t[]){batch, classes, boxes}, 3,
                  true);
    random_ints(&test, "maxOutputBoxesPerClass", &most, 1);
    random_number(&test, "iouThreshold", iou)->place = CASE_FIRST;
    random_number(&test, "scoreThreshold", score)->place = CASE_FIRST;
    random_number(&test, "centerPointBox", (double)random_below(random, 2));
    random_tensor(&test, random, "selectedIndices", CASE_I32, (const int64_t[]){rows, 3}, 2, true);
    return test;
}

const struct oracle_row oracle_nms_rows[] = {
    {.name = "aclnnNonMaxSuppression", .oracle = nms, .random = random_nms, .fill = fill},
    {.name = NULL},
};

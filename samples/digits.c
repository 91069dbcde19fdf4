/* SPDX-License-Identifier: Apache-2.0 */
#include "digits.h"

#include <math.h>

struct point {
    double x, y;
};

/* A digit is a line through points of a grid of five by five, whose rows are abcde to uvwxy. */
enum { POINTS = 12 };
static const char *const strokes[10] = {
    "bdjtxvpfb", "gcw",       "fbdjnquy", "adjmtxu",     "xdpt",
    "eakntxu",   "dgpvxtnlp", "aemw",     "mgbdimqvxsm", "nlfbdjtw",
};

double digits_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) / (double)(UINT64_C(1) << 53);
}

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * digits_random(seed);
}

/* How far p is from the line from a to b. */
static double distance(struct point p, struct point a, struct point b)
{
    const double dx = b.x - a.x, dy = b.y - a.y;
    double t = ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy);
    t = fmin(fmax(t, 0), 1);
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/* Puts the digit's points onto the picture, in pixels; returns how many there are. */
static int place(uint64_t *seed, const char *stroke, struct point *to)
{
    const double angle = between(seed, -0.25, 0.25), slant = between(seed, -0.3, 0.3);
    const double wide = between(seed, 5, 8), high = between(seed, 8, 11);
    const double left = between(seed, 12, 16), top = between(seed, 12, 16);
    int count = 0;
    for (; stroke[count]; count++) {
        const int letter = stroke[count] - 'a';
        const int row = letter / 5, column = letter % 5;
        const double y = row / 2.0 - 1, x = column / 2.0 - 1 + slant * y;
        to[count].x = left + x * wide * cos(angle) - y * high * sin(angle);
        to[count].y = top + x * wide * sin(angle) + y * high * cos(angle);
    }
    return count;
}

static void draw(uint64_t *seed, int digit, float *image)
{
    struct point points[POINTS];
    const int count = place(seed, strokes[digit], points);
    const double thick = between(seed, 0.7, 1.6), noise = between(seed, 0, 0.3);
    for (int pixel = 0; pixel < DIGITS_PIXELS; pixel++) {
        const int row = pixel / DIGITS_SIDE, column = pixel % DIGITS_SIDE;
        const struct point p = {column, row};
        double nearest = DIGITS_SIDE;
        for (int i = 0; i + 1 < count; i++)
            nearest = fmin(nearest, distance(p, points[i], points[i + 1]));
        const double ink = fmin(fmax(thick + 0.5 - nearest, 0), 1);
        image[pixel] = (float)(ink * (1 - noise) + noise * digits_random(seed));
    }
}

void digits_draw(uint64_t *seed, int count, float *images, int64_t *labels)
{
    for (int i = 0; i < count; i++) {
        labels[i] = (int64_t)(digits_random(seed) * 10);
        draw(seed, (int)labels[i], images + (int64_t)i * DIGITS_PIXELS);
    }
}

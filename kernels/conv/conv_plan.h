/* SPDX-License-Identifier: Apache-2.0 */
/* How convolution is cut, shared by the planner (conv_shape.c) and the kernels of every level: all
 * numbers follow from the shape, none from the level, so sums have one order everywhere. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_PLAN_H
#define ACLNN_CPU_KERNELS_CONV_CONV_PLAN_H

#include "kernels/conv/k_conv.h"

enum {
    CONV_PANEL = K_GEMM_PANEL, /* result channels that are packed side by side */
    CONV_TILE = K_GEMM_TILE, /* result positions of the largest register block; others divide it */
    CONV_DEPTH = 192,        /* longest run of terms between two additions to a result */
    CONV_COLUMNS = 192,      /* result positions of one item, at most */
    CONV_ROWS = 256,         /* result channels of one item, at most */
    CONV_ENOUGH = 128,       /* items that keep many threads busy */
    CONV_GRAIN = 1 << 20,    /* operations worth a thread */

    CONV_LANES = 16,        /* partial sums side by side in the weight's gradient */
    CONV_GRAD_RUN = 528,    /* positions that are packed at once; a multiple of the lanes */
    CONV_GRAD_ROWS = 32,    /* small channels of one item, at most */
    CONV_GRAD_COLUMNS = 36, /* (large channel, tap) of one item, at most */
    CONV_PARTS_BYTES = 4 << 20,

    CONV_OUTER_PANEL = 64,       /* small channels side by side in conv_grad_outer */
    CONV_OUTER_ROWS = 128,       /* small channels of one item, at most; whole panels */
    CONV_OUTER_SUMS = 61440,     /* floats of an item's sums */
    CONV_OUTER_POSITIONS = 320,  /* that are packed at once: panels of them stay in L2 */
    CONV_OUTER_BAND = 61440,     /* floats of the large side's bands */
    CONV_OUTER_AXIS = 1 << 14,   /* the longest reach of a window */
    CONV_OUTER_STRAIGHT = 81920, /* floats of the large side that are read where they lie */
    CONV_OUTER_FAR = 1 << 22,    /* elements from image to image, where rows are read as they lie */

    CONV_DIRECT_ROWS = 8,        /* result channels of a group, at most, of conv_direct */
    CONV_DIRECT_WIDE = 8,        /* result width from which all of them are worth it */
    CONV_DIRECT_TERMS = 4096,    /* factors of one result */
    CONV_DIRECT_WEIGHTS = 24576, /* floats, of all phases of a group */
    CONV_DIRECT_NEAR = 8192,     /* floats of an operand's band that stay in L1 */
    CONV_DIRECT_BAND = 65536,    /* floats of an operand's band, at most */
    CONV_DIRECT_COLUMNS = 512,   /* result positions of a row, about */
    CONV_DIRECT_SUMS = 1024,     /* weights of a group of conv_grad_direct, at most */

    CONV_ALONG_LEAST = 4,       /* channels side by side that are worth a vector */
    CONV_ALONG_SUMS = 4608,     /* weights at once of conv_grad_direct along channels */
    CONV_ALONG_UNIT = 32,       /* of an item: a multiple of it */
    CONV_ALONG_GROUP = 4,       /* channels of a group, at most */
    CONV_ALONG_CHANNELS = 1024, /* of an item, at most */
    CONV_ALONG_ROWS = 256,      /* of a window: depths times rows */
};

static inline int64_t conv_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

static inline int64_t conv_floor(int64_t a, int64_t b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

static inline int64_t conv_taps(const struct k_conv *conv)
{
    return conv->axis[0].kernel * conv->axis[1].kernel * conv->axis[2].kernel;
}

static inline int64_t conv_rows(const struct k_conv *conv)
{
    return conv->to_large ? conv->large_channels : conv->small_channels;
}

static inline int64_t conv_depth_channels(const struct k_conv *conv)
{
    return conv->to_large ? conv->small_channels : conv->large_channels;
}

/* One axis of the positions of one phase. To the small side there is one phase. To the large side
 * there are `stride` of them: phase r holds the positions r, r + stride, ... and every one of its
 * positions has the same taps, so that no product with a stride's gap is ever formed.
 * Position j lies at first + j * step in the result; its tap i (weight index tap + i * tap_step)
 * reads position j * from_step + offset + i * offset_step of the operand. */
struct conv_line {
    int64_t count, first, step;
    int64_t from, from_step;
    int64_t taps, tap, tap_step;
    int64_t offset, offset_step;
    int64_t tap_prefix; /* taps of the classes that are packed before this one */
};

static inline int64_t conv_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Taps t, t + classes, t + 2 classes, ... share their phase. */
static inline int64_t conv_tap_classes(const struct k_conv *conv, int axis)
{
    const struct k_conv_axis *a = &conv->axis[axis];
    if (!conv->to_large) return 1;
    int64_t classes = a->stride / conv_gcd(a->stride, a->dilation);
    return classes < a->kernel ? classes : a->kernel;
}

static inline int64_t conv_phases(const struct k_conv *conv, int axis)
{
    const struct k_conv_axis *a = &conv->axis[axis];
    if (!conv->to_large) return 1;
    return a->stride < a->large ? a->stride : a->large;
}

static inline void conv_line_of_class(struct conv_line *line, const struct k_conv_axis *a,
                                      int64_t classes, int64_t tap)
{
    line->tap = tap;
    line->tap_step = classes;
    line->taps = (a->kernel - tap + classes - 1) / classes;
    line->tap_prefix =
        tap * (a->kernel / classes) + (tap < a->kernel % classes ? tap : a->kernel % classes);
}

static inline struct conv_line conv_line_of(const struct k_conv *conv, int axis, int64_t phase)
{
    const struct k_conv_axis *a = &conv->axis[axis];
    struct conv_line line = {.first = phase, .tap_step = 1};
    if (!conv->to_large) {
        line.count = a->small;
        line.step = 1;
        line.from = a->large;
        line.from_step = a->stride;
        line.taps = a->kernel;
        line.offset = -a->pad;
        line.offset_step = a->dilation;
        return line;
    }
    line.count = (a->large - phase + a->stride - 1) / a->stride;
    line.step = a->stride;
    line.from = a->small;
    line.from_step = 1;
    const int64_t classes = conv_tap_classes(conv, axis);
    for (int64_t tap = 0; tap < classes; tap++) {
        const int64_t at = phase + a->pad - tap * a->dilation;
        if (at % a->stride != 0) continue;
        conv_line_of_class(&line, a, classes, tap);
        line.offset = at / a->stride;
        /* One tap alone needs no step, and classes * dilation may not be a multiple then. */
        line.offset_step = line.taps > 1 ? -(classes * a->dilation / a->stride) : 0;
        break;
    }
    return line;
}

/* Blocks of conv_map: items are (group, row block, phase, column block), the last fastest. */
struct conv_map_plan {
    int64_t panels;       /* of a group */
    int64_t block_panels; /* of an item, at most */
    int64_t row_blocks, columns, column_blocks, phases[K_CONV_AXES];
    int64_t items;
};

static inline struct conv_map_plan conv_map_plan(const struct k_conv *conv)
{
    struct conv_map_plan plan;
    int64_t positions = conv->batch, phases = 1;
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct k_conv_axis *a = &conv->axis[axis];
        plan.phases[axis] = conv_phases(conv, axis);
        phases *= plan.phases[axis];
        positions *= conv->to_large ? conv_up(a->large, a->stride) : a->small;
    }
    plan.panels = conv_up(conv_rows(conv), CONV_PANEL);
    plan.row_blocks = conv_up(plan.panels, CONV_ROWS / CONV_PANEL);
    plan.columns = CONV_COLUMNS;
    for (;;) {
        plan.column_blocks = conv_up(positions, plan.columns);
        plan.block_panels = conv_up(plan.panels, plan.row_blocks);
        plan.row_blocks = conv_up(plan.panels, plan.block_panels);
        plan.items = conv->groups * plan.row_blocks * phases * plan.column_blocks;
        if (plan.items >= CONV_ENOUGH) return plan;
        const bool few_panels = plan.block_panels <= 8;
        if (plan.columns > (few_panels ? CONV_TILE : CONV_TILE * 2))
            plan.columns /= 2;
        else if (!few_panels)
            plan.row_blocks *= 2;
        else
            return plan;
    }
}

/* Terms between two additions to a result: equal shares of at most CONV_DEPTH, whole pairs. */
static inline int64_t conv_depth_block(int64_t depth)
{
    const int64_t blocks = conv_up(depth, CONV_DEPTH);
    return blocks == 0 ? 0 : conv_up(conv_up(depth, blocks), 2) * 2;
}

/* Blocks of conv_grad_windows: items are (part, group, row block, column block). */
struct conv_grad_plan {
    int64_t positions, part; /* n and o together; those of one part */
    int64_t rows, row_blocks, columns, column_blocks, items;
};

static inline struct conv_grad_plan conv_grad_plan(const struct k_conv *conv)
{
    struct conv_grad_plan plan = {.positions = conv->batch};
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        plan.positions *= conv->axis[axis].small;
    const int64_t columns = conv->large_channels * conv_taps(conv);
    plan.row_blocks = conv_up(conv->small_channels, CONV_GRAD_ROWS);
    plan.rows = conv_up(conv->small_channels, plan.row_blocks);
    plan.column_blocks = conv_up(columns, CONV_GRAD_COLUMNS);
    plan.columns = conv_up(columns, plan.column_blocks);
    plan.part = conv_up(conv_up(plan.positions, conv->parts), CONV_GRAD_RUN) * CONV_GRAD_RUN;
    plan.items = conv->parts * conv->groups * plan.row_blocks * plan.column_blocks;
    return plan;
}

/* ---- conv_direct and conv_grad_direct: bands of result rows with the operand's band beside ----
 */

/* The operand's positions that result positions [begin, end) of an axis need: count of them from
 * `first` on, which may lie outside of the tensor; along rows split into `step` interleaved ones.
 */
struct conv_span {
    int64_t first, count, step;
};

static inline struct conv_span conv_span_of(const struct k_conv_axis *a, bool to_large,
                                            int64_t begin, int64_t end)
{
    const int64_t reach = (a->kernel - 1) * a->dilation;
    if (!to_large) {
        const int64_t first = begin * a->stride - a->pad;
        return (struct conv_span){first, (end - 1) * a->stride - a->pad + reach - first + 1,
                                  a->stride};
    }
    const int64_t first = conv_floor(begin + a->pad - reach, a->stride);
    return (struct conv_span){first, conv_floor(end - 1 + a->pad, a->stride) - first + 1, 1};
}

/* Floats from one row of the band to the next: `step` rows of whole lines, of which a line may be
 * read behind the last position. */
static inline int64_t conv_band_pitch(const struct conv_span *span)
{
    return (conv_up(conv_up(span->count, span->step), CONV_LANES) + 1) * CONV_LANES;
}

struct conv_direct_plan {
    int64_t size[K_CONV_AXES]; /* of the result */
    int64_t rows, row_blocks, columns, column_blocks;
    int64_t bands; /* of one group: batch, depth, row blocks, column blocks */
    bool fits;
};

/* Positions of the operand, at most, that `count` results in a row read, wherever they lie. */
static inline int64_t conv_span_max(const struct k_conv_axis *a, bool to_large, int64_t count)
{
    const int64_t reach = (a->kernel - 1) * a->dilation;
    return to_large ? (count - 1 + reach) / a->stride + (a->stride > 1 ? 2 : 1)
                    : (count - 1) * a->stride + reach + 1;
}

/* Floats of one operand row of the band, of all channels and depths. Not exact beyond
 * CONV_DIRECT_BAND. */
static inline int64_t conv_band_row_floats(const struct k_conv *conv, bool to_large,
                                           int64_t channels, int64_t columns)
{
    const int64_t too_many = CONV_DIRECT_BAND + 1;
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct k_conv_axis *a = &conv->axis[axis];
        if (a->dilation > too_many || a->stride > too_many || a->kernel > too_many ||
            a->pad > too_many * too_many)
            return too_many;
    }
    const int64_t depth = conv_span_max(&conv->axis[0], to_large, 1);
    const struct conv_span row = {.count = conv_span_max(&conv->axis[2], to_large, columns),
                                  .step = to_large ? 1 : conv->axis[2].stride};
    const int64_t floats = row.step * conv_band_pitch(&row);
    if (depth >= too_many || channels > too_many || floats > too_many) return too_many;
    const int64_t all = channels * depth;
    return all > too_many || all * floats > too_many ? too_many : all * floats;
}

/* Result rows whose operand's band has at most that many floats; 0 or less: not even one. */
static inline int64_t conv_band_rows(const struct k_conv *conv, bool to_large, int64_t row_floats,
                                     int64_t floats)
{
    const struct k_conv_axis *a = &conv->axis[1];
    const int64_t reach = (a->kernel - 1) * a->dilation, room = floats / row_floats;
    if (to_large) return (room - (a->stride > 1 ? 1 : 0)) * a->stride - reach;
    return room < reach + 1 ? 0 : (room - reach - 1) / a->stride + 1;
}

static inline struct conv_direct_plan conv_direct_plan(const struct k_conv *conv, bool to_large,
                                                       int64_t channels)
{
    struct conv_direct_plan plan = {.fits = false};
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        plan.size[axis] = to_large ? conv->axis[axis].large : conv->axis[axis].small;
    if (channels < 1 || plan.size[1] < 1 || plan.size[2] < 1) return plan;
    const int64_t height = plan.size[1], width = plan.size[2];
    plan.column_blocks = conv_up(width, CONV_DIRECT_COLUMNS + CONV_DIRECT_COLUMNS / 2);
    /* Columns of all phases together. */
    const int64_t unit = to_large ? conv->axis[2].stride : 1;
    plan.columns = unit < width ? conv_up(conv_up(width, plan.column_blocks), unit) * unit : width;
    plan.column_blocks = conv_up(width, plan.columns);
    const int64_t floats = conv_band_row_floats(conv, to_large, channels, plan.columns);
    int64_t rows = conv_band_rows(conv, to_large, floats, CONV_DIRECT_NEAR);
    if (rows < 8) {
        rows = conv_band_rows(conv, to_large, floats, CONV_DIRECT_BAND);
        if (rows > 8) rows = 8;
    }
    plan.fits = rows > 0;
    if (rows < 1) rows = 1;
    if (rows > height) rows = height;
    plan.row_blocks = conv_up(height, rows);
    plan.rows = conv_up(height, plan.row_blocks);
    plan.bands = conv->batch * plan.size[0] * plan.row_blocks * plan.column_blocks;
    return plan;
}

/* ---- conv_direct along channels: rows of results of groups of few channels, side by side ---- */

struct conv_along_plan {
    int64_t size[K_CONV_AXES]; /* of the result */
    int64_t channels, blocks;  /* of an item; of them in a row of results */
    int64_t items;             /* (batch, depth, row, block), the last fastest */
};

/* Of either side, where both have as many. */
static inline int64_t conv_channels(const struct k_conv *conv)
{
    return conv->groups * conv->small_channels;
}

static inline bool conv_is_along(const struct k_conv *conv)
{
    const struct k_conv_axis *a = conv->axis;
    const int64_t group = conv->small_channels;
    if (conv->large_channels != group || (group != 1 && group != 2 && group != CONV_ALONG_GROUP) ||
        conv_channels(conv) < (group == 1 ? CONV_ALONG_LEAST : CONV_LANES))
        return false;
    return conv->small.inner == 1 && conv->large.inner == 1 && a[0].kernel <= CONV_ALONG_ROWS &&
           a[1].kernel <= CONV_ALONG_ROWS && a[0].kernel * a[1].kernel <= CONV_ALONG_ROWS &&
           a[2].kernel <= CONV_DIRECT_WEIGHTS / CONV_ALONG_UNIT &&
           conv_taps(conv) * group <= CONV_DIRECT_WEIGHTS / CONV_ALONG_UNIT;
}

/* The same of the weight's gradient, whose groups are items all the same. */
static inline bool conv_grad_is_along(const struct k_conv *conv)
{
    return conv_is_along(conv) && conv->small.dtype == conv->large.dtype &&
           conv_taps(conv) * conv->small_channels <= CONV_DIRECT_SUMS / CONV_LANES;
}

static inline struct conv_along_plan conv_along_plan(const struct k_conv *conv)
{
    struct conv_along_plan plan = {.items = conv->batch};
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        plan.size[axis] = conv->to_large ? conv->axis[axis].large : conv->axis[axis].small;
    const int64_t all = conv_channels(conv);
    int64_t channels = CONV_DIRECT_WEIGHTS / (conv_taps(conv) * conv->small_channels);
    if (channels > CONV_ALONG_CHANNELS) channels = CONV_ALONG_CHANNELS;
    plan.blocks = conv_up(all, channels / CONV_ALONG_UNIT * CONV_ALONG_UNIT);
    plan.channels = conv_up(conv_up(all, plan.blocks), CONV_ALONG_UNIT) * CONV_ALONG_UNIT;
    plan.blocks = conv_up(all, plan.channels);
    plan.items *= plan.size[0] * plan.size[1] * plan.blocks;
    return plan;
}

/* ---- conv_grad_outer: tiles of small positions, each with its band of the large side ---- */

struct conv_outer_plan {
    bool fits;
    bool is_joined;                                   /* axis 1 is one with axis 2 */
    bool is_straight;                                 /* the large side is read where it lies */
    int64_t rows, row_blocks, columns, column_blocks; /* of tiles, along axes 1 and 2 */
    int64_t tiles, part;                              /* in all; of one part */
    int64_t tiles_at_once; /* packed together; with pairs of bf16, pairs of tiles */
    int64_t small_rows, small_blocks, channels, channel_blocks; /* of an item */
    int64_t items;
};

/* Rows and columns of the large side that tiles so large read. */
static inline int64_t conv_outer_rows(const struct k_conv *conv, int64_t rows)
{
    const struct k_conv_axis *a = &conv->axis[1];
    return (rows - 1) * a->stride + (a->kernel - 1) * a->dilation + 1;
}

static inline int64_t conv_outer_columns(const struct k_conv *conv, int64_t columns)
{
    const struct k_conv_axis *a = &conv->axis[2];
    return (columns - 1) * a->stride + (a->kernel - 1) * a->dilation + 1;
}

/* Whether a row of the weight, all channels' taps, lies in one piece. The stride of an axis without
 * a second tap may be any number. */
static inline bool conv_weight_is_dense(const struct k_conv *conv)
{
    const struct k_conv_tensor *w = &conv->weight;
    int64_t taps = 1;
    for (int axis = K_CONV_AXES - 1; axis >= 0; axis--) {
        if (conv->axis[axis].kernel != 1 && w->axis[axis] != taps) return false;
        taps *= conv->axis[axis].kernel;
    }
    return conv->large_channels == 1 || w->inner == taps;
}

/* Whether its sums are the weight's gradient itself, in that one's type: of one part, dense. */
static inline bool conv_outer_is_whole(const struct k_conv *conv)
{
    return conv->parts == 1 && conv_weight_is_dense(conv) &&
           conv->weight.outer == conv->large_channels * conv_taps(conv);
}

/* Windows of one element at every position: a plane's rows are one. */
static inline bool conv_outer_joins(const struct k_conv *conv)
{
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct k_conv_axis *a = &conv->axis[axis];
        if (a->kernel != 1 || a->stride != 1 || a->pad != 0 || a->large != a->small) return false;
    }
    return true;
}

static inline void conv_outer_join(struct k_conv *conv)
{
    const int64_t positions = conv->axis[1].small * conv->axis[2].small;
    conv->axis[1] = (struct k_conv_axis){1, 1, 1, 1, 1, 0};
    conv->axis[2] = (struct k_conv_axis){positions, positions, 1, 1, 1, 0};
}

/* A plane is one row of whole units of `unit` elements, and an element's number is small. */
static inline bool conv_outer_is_row(const struct k_conv *conv, const struct k_conv_tensor *t,
                                     int64_t unit)
{
    const int64_t depth = conv->axis[0].small, height = conv->axis[1].small;
    const int64_t width = conv->axis[2].small;
    return (width == 1 || t->axis[2] == 1) && (height == 1 || t->axis[1] == width) &&
           height * width % unit == 0 && t->outer % unit == 0 && t->inner % unit == 0 &&
           t->axis[0] % unit == 0 && t->outer < CONV_OUTER_FAR && t->inner < CONV_OUTER_FAR / 2 &&
           t->axis[0] < CONV_OUTER_FAR && depth < CONV_OUTER_FAR &&
           t->axis[0] * depth < CONV_OUTER_FAR;
}

/* Whether products take joined planes of the large side where they lie: rows of FLOAT, or of bf16,
 * two neighbours of which are a pair. */
static inline bool conv_outer_is_straight(const struct k_conv *conv)
{
    if (!conv_outer_joins(conv) || conv->rounding != K_ROUND_NONE) return false;
    if (conv->pairs)
        return conv_outer_is_row(conv, &conv->large, 2) && conv_outer_is_row(conv, &conv->small, 2);
    return conv->large.dtype == K_F32 && conv_outer_is_row(conv, &conv->large, 1);
}

/* Pairs of neighbours become elements of 32 bits. */
static inline void conv_outer_pair(struct k_conv *conv)
{
    struct k_conv_tensor *const side[] = {&conv->small, &conv->large};
    for (int i = 0; i < 2; i++) {
        side[i]->dtype = K_F32;
        side[i]->outer /= 2;
        side[i]->inner /= 2;
        side[i]->axis[0] /= 2;
        side[i]->axis[2] = 1;
    }
    conv->axis[2].small /= 2;
    conv->axis[2].large /= 2;
    conv->pairs = false;
}

/* Floats from one row of the band to the next, or from residue to residue. Rows without a step have
 * no gaps; they are written in order, by whole vectors. */
static inline int64_t conv_outer_pitch(const struct k_conv *conv, int64_t columns)
{
    const int64_t step = conv->axis[2].stride;
    const int64_t count = conv_up(conv_outer_columns(conv, columns), step);
    return step == 1 ? count : conv_up(count, CONV_LANES) * CONV_LANES;
}

/* Floats of one channel's band of a tile, and the last row's vector; more than CONV_OUTER_BAND when
 * it is too large. */
static inline int64_t conv_outer_floats(const struct k_conv *conv, int64_t rows, int64_t columns)
{
    const int64_t floats = conv_outer_pitch(conv, columns) * conv->axis[2].stride;
    const int64_t depth = (conv->axis[0].kernel - 1) * conv->axis[0].dilation + 1;
    const int64_t all = depth * conv_outer_rows(conv, rows);
    return floats > CONV_OUTER_BAND || all > CONV_OUTER_BAND ? CONV_OUTER_BAND + 1
                                                             : all * floats + CONV_LANES;
}

static inline struct conv_outer_plan conv_outer_plan(const struct k_conv *given)
{
    struct conv_outer_plan plan = {.is_joined = conv_outer_joins(given)};
    struct k_conv joined = *given;
    const struct k_conv *conv = &joined;
    plan.is_straight = conv_outer_is_straight(given);
    if (plan.is_joined) conv_outer_join(&joined);
    if (plan.is_straight && given->pairs) conv_outer_pair(&joined);
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct k_conv_axis *a = &conv->axis[axis];
        if (a->kernel > CONV_OUTER_AXIS || a->dilation > CONV_OUTER_AXIS ||
            a->stride > CONV_OUTER_AXIS || a->kernel * a->dilation > CONV_OUTER_AXIS)
            return plan;
    }
    const int64_t taps = conv_taps(conv), height = conv->axis[1].small, width = conv->axis[2].small;
    plan.column_blocks = conv_up(width, CONV_OUTER_POSITIONS);
    plan.columns = conv_up(width, plan.column_blocks);
    plan.rows = CONV_OUTER_POSITIONS / (plan.columns > 0 ? plan.columns : 1);
    if (plan.rows > height) plan.rows = height;
    plan.row_blocks = conv_up(height, plan.rows > 0 ? plan.rows : 1);
    plan.rows = plan.row_blocks > 0 ? conv_up(height, plan.row_blocks) : 0;
    while (plan.rows > 1 && conv_outer_floats(conv, plan.rows, plan.columns) > CONV_OUTER_BAND)
        plan.rows--;
    const int64_t floats = conv_outer_floats(conv, plan.rows, plan.columns);
    if (plan.rows < 1 || plan.columns < 1 || floats > CONV_OUTER_BAND ||
        taps > CONV_OUTER_SUMS / CONV_OUTER_PANEL)
        return plan;
    plan.fits = true;
    plan.row_blocks = conv_up(height, plan.rows);
    plan.tiles = conv->batch * conv->axis[0].small * plan.row_blocks * plan.column_blocks;

    int64_t rows = CONV_OUTER_ROWS;
    while (rows * taps > CONV_OUTER_SUMS)
        rows -= CONV_OUTER_PANEL;
    plan.small_blocks = conv_up(conv->small_channels, rows);
    plan.small_rows = conv_up(conv_up(conv->small_channels, plan.small_blocks), CONV_OUTER_PANEL) *
                      CONV_OUTER_PANEL;
    plan.tiles_at_once = CONV_OUTER_POSITIONS / (plan.rows * plan.columns);
    if (plan.tiles_at_once < 1) plan.tiles_at_once = 1;
    const int64_t positions = plan.tiles_at_once * plan.rows * plan.columns;
    int64_t channels =
        plan.is_straight ? CONV_OUTER_STRAIGHT / positions : CONV_OUTER_BAND / floats;
    if (channels > CONV_OUTER_SUMS / (plan.small_rows * taps))
        channels = CONV_OUTER_SUMS / (plan.small_rows * taps);
    if (channels < 1) channels = 1;
    plan.channel_blocks = conv_up(conv->large_channels, channels);
    plan.channels = conv_up(conv->large_channels, plan.channel_blocks);
    if (!plan.is_straight && plan.tiles_at_once > CONV_OUTER_BAND / (floats * plan.channels))
        plan.tiles_at_once = CONV_OUTER_BAND / (floats * plan.channels);
    if (plan.tiles_at_once < 1) plan.tiles_at_once = 1;
    const int64_t of_term = conv->pairs ? 2 : 1; /* tiles */
    plan.part = conv_up(conv_up(plan.tiles, conv->parts), of_term) * of_term;
    plan.items = conv->parts * conv->groups * plan.small_blocks * plan.channel_blocks;
    return plan;
}

#endif

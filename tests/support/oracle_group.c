/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups, term by term. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_experts.h"

enum { GROUPS = 5 };

/* ---- what a call says ---- */

/* The first tensor of a list, or the tensor; -1: there is none. */
static int first_of(const struct rig_problem *problem, const char *name, int *count)
{
    for (int i = 0; problem->op->tensor[i]; i++)
        if (strcmp(problem->op->tensor[i], name) == 0) {
            const int first = problem->call.first[i];
            *count = problem->call.count[i];
            return problem->call.no_list[i] || *count == 0 || problem->call.is_null[first] ? -1
                                                                                           : first;
        }
    *count = 0;
    return -1;
}

static int tensor_of(const struct rig_problem *problem, const char *name, int64_t i)
{
    int count;
    const int first = first_of(problem, name, &count);
    return first < 0 ? -1 : first + (count > 1 ? (int)i : 0);
}

static int result_of(const struct rig_problem *problem, int64_t i)
{
    const int y = tensor_of(problem, "y", i);
    return y < 0 ? tensor_of(problem, "out", i) : y;
}

static int64_t size_of(const struct rig_problem *problem, int operand, int from_end)
{
    const struct operand *view = &problem->tensor[operand].view;
    return view->dims[view->rank - from_end];
}

/* A range of rows of x and y, or of terms, and the weight that it meets. */
struct group {
    int x, weight, y;
    int64_t matrix; /* of the weight */
    int64_t x_row, y_row, rows;
    int64_t term, terms;
};

/* Where group i ends or begins, and its weight, by the list. */
static int64_t end_of(const struct rig_problem *problem, int64_t i, int64_t begin, int64_t *weight)
{
    int count;
    const int list = first_of(problem, "groupListOptional", &count);
    const int64_t form = norm_integer(problem, "groupListType", 0);
    *weight = i;
    if (list < 0) return problem->call.array[0].values[i];
    if (form == 2) *weight = oracle_whole_value(problem, list, 2 * i);
    const int64_t number = oracle_whole_value(problem, list, form == 2 ? 2 * i + 1 : i);
    return form == 0 ? number : begin + number;
}

static int64_t groups_of(const struct rig_problem *problem)
{
    int xs, weights, count;
    first_of(problem, "x", &xs);
    first_of(problem, "weight", &weights);
    const int list = first_of(problem, "groupListOptional", &count);
    if (xs > 1) return xs;
    if (list >= 0) return problem->tensor[list].view.dims[0];
    if (!problem->op->array[0] || problem->call.array[0].is_null) return 1;
    return problem->call.array[0].length;
}

static struct group group_of(const struct rig_problem *problem, int64_t i, int64_t *begin)
{
    int xs, ys, weights;
    const int64_t type = norm_integer(problem, "groupType", 0);
    first_of(problem, "x", &xs);
    first_of(problem, "weight", &weights);
    if (first_of(problem, "y", &ys) < 0) first_of(problem, "out", &ys);
    struct group g = {.x = tensor_of(problem, "x", i)};
    const int64_t k = size_of(problem, g.x, 1), rows = k == 0 ? 0 : problem->tensor[g.x].count / k;
    const bool is_known =
        xs > 1 || (xs == 1 && ys == 1 && weights == 1 && type != 2 &&
                   problem->tensor[tensor_of(problem, "weight", 0)].view.rank == 2);
    int64_t weight = i, end = is_known ? *begin + rows : end_of(problem, i, *begin, &weight);
    g.weight = tensor_of(problem, "weight", weight);
    g.y = result_of(problem, i);
    g.terms = k;
    if (type == 2) {
        g.rows = size_of(problem, g.x, 2);
        g.y_row = i * g.rows;
        g.term = *begin;
        g.terms = end - *begin;
    } else {
        g.matrix = weights > 1 || is_known ? 0 : weight;
        g.x_row = xs > 1 ? 0 : *begin;
        g.y_row = ys > 1 ? 0 : *begin;
        g.rows = end - *begin;
    }
    *begin = end;
    return g;
}

/* Number of an optional row of numbers: of this matrix, of part `part` of `parts`. */
static double row_value(const struct rig_problem *problem, int operand, const struct group *g,
                        int64_t term, int64_t column, double otherwise)
{
    if (operand < 0) return otherwise;
    const struct operand *view = &problem->tensor[operand].view;
    const int64_t n = view->dims[view->rank - 1];
    const int64_t matrices =
        problem->tensor[g->weight].view.rank == 3 ? problem->tensor[g->weight].view.dims[0] : 1;
    const int64_t parts = problem->tensor[operand].count / (matrices * n);
    const int64_t part = term * parts / size_of(problem, g->weight, 2);
    return oracle_value(problem, operand, (g->matrix * parts + part) * n + column);
}

/* Which of the lists' tensors belongs to the group's weight. */
static int row_of(const struct rig_problem *problem, const char *name, const struct group *g)
{
    int count;
    const int weight = first_of(problem, "weight", &count);
    return tensor_of(problem, name, g->weight - weight);
}

/* ---- one element ---- */

static double activate(int64_t type, double x)
{
    switch (type) {
    case 1:
        return x <= 0 ? 0 : x;
    case 2:
        return x / (1 + exp(-2 * 0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case 4:
        return x / (1 + exp(-1.702 * x));
    case 5:
        return x / (1 + exp(-x));
    default:
        return x;
    }
}

static int64_t whole_of(float value)
{
    if (isnan(value)) return 0;
    const float made = rintf(value);
    return made < -128 ? -128 : made > 127 ? 127 : (int64_t)made;
}

static void put_whole(struct rig_problem *problem, const struct group *g, int64_t row, int64_t j,
                      int64_t at)
{
    const int bias = row_of(problem, "biasOptional", g),
              scale = row_of(problem, "scaleOptional", g);
    const int token = tensor_of(problem, "perTokenScaleOptional", 0);
    const int64_t k = g->terms, n = size_of(problem, g->weight, 1);
    const enum case_dtype y = problem->tensor[g->y].view.dtype;
    const bool is_whole = bias >= 0 && problem->tensor[bias].view.dtype == CASE_I32;
    int64_t sum = is_whole ? (int64_t)row_value(problem, bias, g, 0, j, 0) : 0;
    for (int64_t p = 0; p < k; p++)
        sum += oracle_whole_value(problem, g->x, (g->x_row + row) * k + p) *
               oracle_whole_value(problem, g->weight, (g->matrix * k + p) * n + j);
    if (y == CASE_I32) {
        oracle_whole(problem, g->y, at, CASE_I32, sum);
        return;
    }
    float value = (float)sum * (float)row_value(problem, scale, g, 0, j, 1);
    if (token >= 0) value = value * (float)oracle_value(problem, token, g->x_row + row);
    if (bias >= 0 && !is_whole) value = value + (float)row_value(problem, bias, g, 0, j, 0);
    const double made = activate(norm_integer(problem, "actType", 0), (double)value);
    if (y == CASE_I8)
        oracle_whole(problem, g->y, at, CASE_I8, whole_of(value));
    else
        oracle_real(problem, g->y, at, y, made);
}

static void put_real(struct rig_problem *problem, const struct group *g, int64_t row, int64_t j,
                     int64_t at)
{
    const int bias = row_of(problem, "biasOptional", g);
    const int scale = row_of(problem, "antiquantScaleOptional", g);
    const int offset = row_of(problem, "antiquantOffsetOptional", g);
    const int64_t k = size_of(problem, g->x, 1), n = size_of(problem, g->weight, 1);
    const double first = row_value(problem, bias, g, 0, j, 0);
    double sum = first, size = fabs(first);
    for (int64_t p = g->term; p < g->term + g->terms; p++) {
        const double of = oracle_value(problem, g->x, (g->x_row + row) * k + p) *
                          row_value(problem, scale, g, p, j, 1);
        const double whole = oracle_value(problem, g->weight, (g->matrix * k + p) * n + j);
        const double more = row_value(problem, offset, g, p, j, 0);
        sum += of * (whole + more);
        size += fabs(of) * (fabs(whole) + fabs(more));
    }
    problem->is_sum = true;
    problem->tensor[g->y].sums[at] = (struct oracle_sum){sum, size, g->terms + 3};
}

/* INT8 with INT4, eight in an INT32. */
static bool is_fours(const struct rig_problem *problem)
{
    return problem->tensor[tensor_of(problem, "x", 0)].view.dtype == CASE_I8 &&
           problem->tensor[tensor_of(problem, "weight", 0)].view.dtype == CASE_I32;
}

static void put_fours(struct rig_problem *problem)
{
    const int y = result_of(problem, 0);
    const int64_t n = size_of(problem, y, 1);
    const struct experts e = experts_of(problem, n);
    for (int64_t at = 0; at < problem->tensor[y].count; at++) {
        const int64_t expert = experts_group(problem, &e, at / n);
        oracle_real(problem, y, at, problem->tensor[y].view.dtype,
                    (double)experts_product(problem, &e, expert, at / n, at % n));
    }
}

static void group(struct rig_problem *problem)
{
    int64_t begin = 0;
    if (is_fours(problem)) {
        put_fours(problem);
        return;
    }
    for (int64_t i = 0, groups = groups_of(problem); i < groups; i++) {
        const struct group g = group_of(problem, i, &begin);
        const int64_t n = size_of(problem, g.weight, 1);
        for (int64_t row = 0; row < g.rows; row++)
            for (int64_t j = 0; j < n; j++) {
                const int64_t at = (g.y_row + row) * n + j;
                if (problem->tensor[g.x].view.dtype == CASE_I8)
                    put_whole(problem, &g, row, j, at);
                else
                    put_real(problem, &g, row, j, at);
            }
    }
}

/* A list of groups that ends with all rows or terms, and scales whose results differ. */
static void fill(struct rig_problem *problem, struct random *random)
{
    int count;
    const int list = first_of(problem, "groupListOptional", &count);
    const int scale = first_of(problem, "scaleOptional", &count);
    for (int i = 0; scale >= 0 && i < count && is_fours(problem); i++)
        experts_fill_scale(&problem->tensor[scale + i], random);
    for (int i = 0; scale >= 0 && i < count; i++) {
        struct rig_tensor *t = &problem->tensor[scale + i];
        for (int64_t j = 0; t->view.dtype == CASE_F32 && j < t->count; j++)
            t->bits[j] = oracle_to_bits(CASE_F32, (double)random_between(random, -40, 40) / 1024);
    }
    if (list < 0) return;
    struct rig_tensor *t = &problem->tensor[list];
    const int x = tensor_of(problem, "x", 0), weight = tensor_of(problem, "weight", 0);
    const int64_t form = norm_integer(problem, "groupListType", 0), groups = t->view.dims[0];
    int weights;
    first_of(problem, "weight", &weights);
    if (weights == 1) weights = (int)problem->tensor[weight].view.dims[0];
    int64_t left = norm_integer(problem, "groupType", 0) == 2 ? size_of(problem, x, 1)
                                                              : size_of(problem, x, 2);
    for (int64_t i = 0, end = 0; i < groups; i++) {
        const int64_t size = i == groups - 1             ? left
                             : random_once_in(random, 4) ? 0
                                                         : random_between(random, 0, left);
        left -= size;
        end += size;
        if (form == 2) t->bits[2 * i] = (uint64_t)random_below(random, weights);
        t->bits[form == 2 ? 2 * i + 1 : i] = (uint64_t)(form == 0 ? end : size);
    }
}

/* ---- random problems ---- */

enum mode { APART, LIST_OF_WEIGHTS, LIST_OF_RESULTS, LIST_OF_X, JOINT, TERMS };

struct draw {
    struct test_case test;
    struct random *random;
    char version;
    enum mode mode;
    enum case_dtype x, weight, y, scale, bias;
    int groups, parts;
    int64_t m, k, n[GROUPS], rows[GROUPS];
    bool has_bias, has_scale, has_offset, has_token, is_four;
};

static void add(struct draw *d, const char *name, enum case_dtype dtype, const int64_t *dims,
                int rank, int at, bool is_written)
{
    struct case_argument *one =
        random_tensor(&d->test, d->random, name, dtype, dims, rank, is_written);
    if (at >= 0) one->place = at == 0 ? CASE_FIRST : CASE_NEXT;
    if (at >= 0) strcpy(one->name, name);
}

static void add_none(struct draw *d, const char *name)
{
    case_add(&d->test, name, CASE_ALONE)->is_null = true;
}

static void add_x(struct draw *d)
{
    const int64_t all[CASE_RANK] = {d->m, d->k};
    const bool is_list = d->mode == APART || d->mode == LIST_OF_X;
    for (int i = 0; i < (is_list ? d->groups : 1); i++) {
        const int64_t wide[CASE_RANK] = {1, d->rows[i], d->k}, own[CASE_RANK] = {d->rows[i], d->k};
        if (d->mode == APART && i % 2 == 1)
            add(d, "x", d->x, wide, 3, i, false);
        else
            add(d, "x", d->x, is_list ? own : all, 2, i, false);
    }
}

static void add_weight(struct draw *d)
{
    const int64_t in = d->is_four ? 8 : 1, joint[CASE_RANK] = {d->groups, d->k, d->n[0] / in};
    const bool is_one = d->mode == JOINT || d->mode == TERMS;
    for (int i = 0; i < (is_one ? 1 : d->groups); i++) {
        const int64_t own[CASE_RANK] = {d->k, d->n[i] / in};
        add(d, "weight", d->weight, d->mode == JOINT ? joint : own, d->mode == JOINT ? 3 : 2, i,
            false);
        if (!d->is_four) continue;
        d->test.argument[d->test.arguments - 1].layout = CASE_CONTIGUOUS;
        d->test.argument[d->test.arguments - 1].has_strides = false;
    }
}

static void add_rows(struct draw *d, const char *name, enum case_dtype dtype, bool is_there,
                     int parts)
{
    if (!is_there) {
        add_none(d, name);
        return;
    }
    for (int i = 0; i < (d->mode == JOINT ? 1 : d->groups); i++) {
        const int64_t dims[CASE_RANK] = {d->groups, parts, d->n[i]};
        const int64_t without[CASE_RANK] = {d->groups, d->n[i]};
        const int skip = d->mode == JOINT ? 0 : 1;
        add(d, name, dtype, (parts > 1 ? dims : without) + skip, 2 + (parts > 1) - skip, i, false);
    }
}

static void add_y(struct draw *d)
{
    const char *name = d->version >= '4' ? "out" : "y";
    const int64_t all[CASE_RANK] = {d->m, d->n[0]}, terms[CASE_RANK] = {d->groups, d->m, d->n[0]};
    const bool is_list = d->mode == APART || d->mode == LIST_OF_RESULTS;
    for (int i = 0; i < (is_list ? d->groups : 1); i++) {
        const int64_t own[CASE_RANK] = {1, d->rows[i], d->n[i]};
        if (is_list)
            add(d, name, d->y, own + !(d->mode == APART && i % 2 == 1),
                2 + (d->mode == APART && i % 2 == 1), i, true);
        else
            add(d, name, d->y, d->mode == TERMS ? terms : all, 2 + (d->mode == TERMS), 0, true);
    }
}

static void add_list(struct draw *d, int64_t form)
{
    int64_t ends[GROUPS], end = 0;
    for (int i = 0; i < d->groups; i++)
        ends[i] = end += d->rows[i];
    const bool may_lack = d->mode == APART || d->mode == LIST_OF_X;
    const int64_t dims[CASE_RANK] = {d->groups, 2};
    if (may_lack && (d->mode == APART || random_once_in(d->random, 2)))
        add_none(d, "groupListOptional");
    else if (d->version <= '2')
        random_ints(&d->test, "groupListOptional", ends, d->groups);
    else
        random_tensor(&d->test, d->random, "groupListOptional", CASE_I64, dims, 1 + (form == 2),
                      true); /* without strides of 0: each element has its number */
}

static void choose_fours(struct draw *d)
{
    const bool is_wide = random_once_in(d->random, 2);
    for (int i = 0; i < d->groups; i++)
        d->n[i] = 8 * ((d->n[0] + 7) / 8);
    d->is_four = d->has_bias = d->has_scale = true;
    d->weight = CASE_I32;
    d->y = random_once_in(d->random, 2) ? CASE_F16 : CASE_BF16;
    d->scale = is_wide ? CASE_U64 : CASE_I64;
    d->bias = CASE_F32;
    d->has_token = random_once_in(d->random, 2);
    if (random_once_in(d->random, 2)) {
        d->parts = 2;
        d->k = 64;
    }
    d->has_offset = d->parts == 1 && random_once_in(d->random, 2);
}

static void choose_kind(struct draw *d, enum case_dtype dtype)
{
    static const enum case_dtype results[] = {CASE_F16, CASE_BF16, CASE_I8, CASE_I32};
    struct random *random = d->random;
    d->x = d->weight = d->y = dtype;
    d->has_bias = d->mode != TERMS && random_once_in(random, 2);
    d->bias = random_once_in(random, 2) ? CASE_F32 : dtype;
    d->parts = 1;
    if (dtype == CASE_I8 && d->version >= '4' && random_once_in(random, 2) &&
        (d->mode == JOINT || d->mode == LIST_OF_WEIGHTS)) {
        choose_fours(d);
    } else if (dtype == CASE_I8) {
        d->y = results[random_below(random, 4)];
        const bool is_real = d->y == CASE_F16 || d->y == CASE_BF16;
        d->scale = random_once_in(random, 2) ? CASE_F32 : CASE_BF16;
        d->has_scale = d->y != CASE_I32 || random_once_in(random, 2);
        d->bias = is_real && random_once_in(random, 2) ? CASE_BF16 : CASE_I32;
        d->has_token = is_real && d->version >= '4' && random_once_in(random, 2) &&
                       (d->mode == JOINT || d->mode == LIST_OF_WEIGHTS);
    } else if (dtype != CASE_F32 && d->mode != TERMS && random_once_in(random, 2)) {
        d->weight = CASE_I8;
        d->has_offset = random_once_in(random, 2);
        if (random_once_in(random, 3)) {
            d->parts = 2;
            d->k = 64;
        }
    }
}

static struct test_case random_group(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    const char last = op->name[strlen(op->name) - 1];
    struct draw d = {.test = norm_start(op, random, dtype),
                     .random = random,
                     .version = last == 'z'                  ? '5'
                                : last >= '2' && last <= '5' ? last
                                                             : '1'};
    do
        d.mode = (enum mode)random_below(random, 6);
    while ((d.version == '1' && d.mode >= JOINT) ||
           (d.version > '2' && d.mode == LIST_OF_RESULTS) || (dtype == CASE_I8 && d.mode == TERMS));
    d.groups = (int)random_between(random, d.mode >= JOINT ? 1 : 2, GROUPS);
    d.k = random_between(random, 1, 70);
    const int64_t n = random_between(random, 1, 60);
    for (int i = 0; i < d.groups; i++) {
        d.rows[i] = random_once_in(random, 4) ? 0 : random_between(random, 1, 12);
        d.n[i] = d.mode == APART || d.mode == LIST_OF_RESULTS ? random_between(random, 1, 60) : n;
        d.m += d.rows[i];
    }
    if (d.mode == TERMS) {
        d.k = d.m;
        d.m = random_between(random, 1, 12);
    }
    choose_kind(&d, dtype);
    const int64_t form = d.version >= '4' && (d.mode == JOINT || d.mode == LIST_OF_WEIGHTS)
                             ? random_below(random, d.is_four ? 2 : 3)
                         : d.version >= '4' && d.mode == TERMS ? random_below(random, 2)
                                                               : 0;
    const bool is_weight = d.weight != d.x && !d.is_four;
    const int64_t tokens[CASE_RANK] = {d.m};
    add_x(&d);
    add_weight(&d);
    add_rows(&d, "biasOptional", d.bias, d.has_bias, 1);
    add_rows(&d, "scaleOptional", d.scale, d.has_scale, d.is_four ? d.parts : 1);
    add_rows(&d, "offsetOptional", CASE_F32, d.is_four && d.has_offset, 1);
    add_rows(&d, "antiquantScaleOptional", d.x, is_weight, d.parts);
    add_rows(&d, "antiquantOffsetOptional", d.x, d.has_offset && !d.is_four, d.parts);
    if (d.version >= '4' && d.has_token)
        add(&d, "perTokenScaleOptional", CASE_F32, tokens, 1, 0, false);
    else if (d.version >= '4')
        add_none(&d, "perTokenScaleOptional");
    add_list(&d, form);
    if (d.version >= '4') {
        add_none(&d, "activationInputOptional");
        add_none(&d, "activationQuantScaleOptional");
        add_none(&d, "activationQuantOffsetOptional");
    }
    random_number(&d.test, "splitItem",
                  d.mode == APART || d.mode == LIST_OF_RESULTS
                      ? (double)random_below(random, 2)
                      : 2 + (double)random_below(random, 2));
    if (d.version >= '2')
        random_number(&d.test, "groupType", d.mode == APART ? -1 : d.mode == TERMS ? 2 : 0);
    if (d.version >= '4') {
        static const double types[] = {0, 1, 2, 4, 5};
        const bool is_active = dtype == CASE_I8 && !d.is_four &&
                               (d.y == CASE_F16 || d.y == CASE_BF16) && random_once_in(random, 2);
        random_number(&d.test, "groupListType", (double)form);
        random_number(&d.test, "actType", is_active ? types[random_below(random, 5)] : 0);
    }
    if (d.version == '5') add_none(&d, "tuningConfigOptional");
    if (last == 'z')
        random_number(&d.test, "quantGroupSize",
                      d.mode == JOINT && random_once_in(random, 2) ? (double)(d.k / d.parts) : 0);
    add_y(&d);
    if (d.version >= '4') {
        add_none(&d, "activationFeatureOutOptional");
        add_none(&d, "dynQuantScaleOutOptional");
    }
    return d.test;
}

#define NO_SCALES                                                                                  \
    "scaleOptional=null offsetOptional=null antiquantScaleOptional=null "                          \
    "antiquantOffsetOptional=null "
#define NO_EXTRAS                                                                                  \
    "activationInputOptional=null activationQuantScaleOptional=null "                              \
    "activationQuantOffsetOptional=null "
#define NO_OUTS " activationFeatureOutOptional=null dynQuantScaleOutOptional=null"

const struct oracle_row oracle_group_rows[] = {
    {.name = "aclnnGroupedMatmul aclnnGroupedMatmulV3 aclnnGroupedMatmulV5 "
             "aclnnGroupedMatmulWeightNz",
     .oracle = group,
     .random = random_group,
     .fill = fill,
     .ulp = 1,
     .by_strides = true},
    {.name = "aclnnGroupedMatmulV2",
     .oracle = group,
     .random = random_group,
     .fill = fill,
     .ulp = 1,
     .by_strides = true,
     .lines =
         LINES("grouped_matmul_v2 bf16 x=[600x40] weight=[3x40x300] biasOptional=null " NO_SCALES
               "groupListOptional=2x300x600 splitItem=3 groupType=0 y=[600x300]",
               "grouped_matmul_v2 f32 x=[9x600:s1x9] weight=[600x50] biasOptional=null " NO_SCALES
               "groupListOptional=0x257x600 splitItem=3 groupType=2 y=[3x9x50]")},
    {.name = "aclnnGroupedMatmulV4",
     .oracle = group,
     .random = random_group,
     .fill = fill,
     .ulp = 1,
     .by_strides = true,
     .lines =
         LINES("grouped_matmul_v4 i8 x=[300x70] weight=[4x70x100:s7000x1x70] "
               "biasOptional=null scaleOptional=[4x100:f32] offsetOptional=null "
               "antiquantScaleOptional=null antiquantOffsetOptional=null "
               "perTokenScaleOptional=[300:f32] groupListOptional=4:i64 " NO_EXTRAS
               "splitItem=3 groupType=0 groupListType=1 actType=5 out=[300x100:bf16]" NO_OUTS,
               "grouped_matmul_v4 i8 x=[300x1280] weight=[3x1280x50:i32] "
               "biasOptional=[3x400:f32] scaleOptional=[3x5x400:u64] offsetOptional=null "
               "antiquantScaleOptional=null antiquantOffsetOptional=null "
               "perTokenScaleOptional=[300:f32] groupListOptional=3:i64 " NO_EXTRAS
               "splitItem=3 groupType=0 groupListType=0 actType=0 out=[300x400:bf16]" NO_OUTS)},
    {.name = NULL},
};

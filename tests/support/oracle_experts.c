/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/oracle_experts.h"

#include <math.h>
#include <string.h>

/* The first tensor of a list, or the tensor, of the first of these names that is there. */
static int first_of(const struct rig_problem *problem, const char *names, int *count)
{
    for (int i = 0; problem->op->tensor[i]; i++) {
        if (!norm_has_word(names, problem->op->tensor[i]) || problem->call.no_list[i]) continue;
        const int first = problem->call.first[i];
        *count = problem->call.count[i];
        if (*count > 0 && !problem->call.is_null[first]) return first;
    }
    *count = 0;
    return -1;
}

int experts_operand(const struct rig_problem *problem, const char *names)
{
    int count;
    return first_of(problem, names, &count);
}

static const struct operand *view_of(const struct rig_problem *problem, int operand)
{
    return &problem->tensor[operand].view;
}

struct experts experts_of(const struct rig_problem *problem, int64_t n)
{
    int count;
    struct experts e = {
        .x = first_of(problem, "x x1", &count),
        .scale = first_of(problem, "weightScale scaleOptional scale", &count),
        .bias = first_of(problem, "weightAssistMatrix biasOptional bias", &count),
        .offset = first_of(problem, "offsetOptional", &count),
        .token = first_of(problem, "xScale pertokenScaleOptional perTokenScaleOptional", &count),
        .list = first_of(problem, "groupList groupListOptional", &count),
        .n = n,
        .is_transposed = norm_integer(problem, "transposeW", 0) != 0 ||
                         norm_integer(problem, "transposeX2", 0) != 0,
    };
    e.weight = first_of(problem, "weight w x2", &e.weights);
    const struct operand *x = view_of(problem, e.x), *weight = view_of(problem, e.weight);
    e.m = x->dims[0];
    e.k = x->dims[1] * (x->dtype == CASE_I32 ? 8 : 1);
    e.is_four = weight->dtype == CASE_I32;
    const bool is_joint = weight->rank % 2 == 1;
    e.experts = is_joint ? weight->dims[0] : e.weights;
    e.groups = problem->tensor[e.list].count;
    e.parts = problem->tensor[e.scale].count /
              ((is_joint ? e.experts : 1) * n > 0 ? (is_joint ? e.experts : 1) * n : 1);
    return e;
}

int64_t experts_group(const struct rig_problem *problem, const struct experts *e, int64_t row)
{
    int64_t end = 0;
    for (int64_t i = 0; i < e->groups; i++) {
        const int64_t number = oracle_whole_value(problem, e->list, i);
        end = norm_integer(problem, "groupListType", 0) == 1 ? end + number : number;
        if (row < end) return i;
    }
    return -1;
}

/* Element `at` of small integers, eight of which an INT32 holds. */
static int64_t small_at(const struct rig_problem *problem, int operand, int64_t at)
{
    if (view_of(problem, operand)->dtype == CASE_I8)
        return oracle_whole_value(problem, operand, at);
    const uint64_t word = (uint64_t)oracle_whole_value(problem, operand, at / 8);
    const int64_t bits = (int64_t)(word >> at % 8 * 4 & 15);
    return bits < 8 ? bits : bits - 16;
}

static int64_t weight_at(const struct rig_problem *problem, const struct experts *e, int64_t expert,
                         int64_t p, int64_t j)
{
    const int operand = e->weight + (e->weights > 1 ? (int)expert : 0);
    const struct operand *view = view_of(problem, operand);
    const int64_t matrix = e->weights > 1 || view->rank % 2 == 0 ? 0 : expert;
    if (view->rank >= 4) {
        const int64_t wide = e->is_four ? 64 : 32, down = (e->k + 15) / 16;
        const int64_t across = (e->n + wide - 1) / wide;
        const int64_t block = (matrix * across + j / wide) * down + p / 16;
        return small_at(problem, operand, (block * 16 + p % 16) * wide + j % wide);
    }
    return small_at(problem, operand,
                    e->is_transposed ? (matrix * e->n + j) * e->k + p
                                     : (matrix * e->k + p) * e->n + j);
}

/* Number (part, column) of an expert's factors, element `at` of which tensor. */
static int factor_of(const struct experts *e, int operand, int64_t expert, int64_t parts,
                     int64_t part, int64_t j, int64_t *at)
{
    *at = ((e->weights > 1 ? 0 : expert) * parts + part) * e->n + j;
    return operand + (e->weights > 1 ? (int)expert : 0);
}

static float scale_of(const struct rig_problem *problem, const struct experts *e, int64_t expert,
                      int64_t part, int64_t j)
{
    int64_t at;
    const int operand = factor_of(e, e->scale, expert, e->parts, part, j, &at);
    const enum case_dtype dtype = view_of(problem, operand)->dtype;
    if (dtype != CASE_U64 && dtype != CASE_I64) return (float)oracle_value(problem, operand, at);
    const uint32_t bits = (uint32_t)oracle_whole_value(problem, operand, at) & 0xffffe000;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static float row_value(const struct rig_problem *problem, const struct experts *e, int operand,
                       int64_t expert, int64_t j)
{
    int64_t at;
    const int own = factor_of(e, operand, expert, 1, 0, j, &at);
    return (float)oracle_value(problem, own, at);
}

float experts_product(const struct rig_problem *problem, const struct experts *e, int64_t expert,
                      int64_t row, int64_t column)
{
    const int64_t less = e->is_four && view_of(problem, e->x)->dtype == CASE_I8 ? 8 : 0;
    const int64_t terms = e->k / e->parts;
    const float token = e->token < 0 ? 1 : (float)oracle_value(problem, e->token, row);
    float total = 0;
    int64_t of_row = 0;
    for (int64_t part = 0; part < e->parts; part++) {
        int64_t sum = 0;
        for (int64_t p = part * terms; p < (part + 1) * terms; p++) {
            const int64_t x = small_at(problem, e->x, row * e->k + p);
            sum += (x - less) * weight_at(problem, e, expert, p, column);
            of_row += x;
        }
        const float scaled = (float)sum * scale_of(problem, e, expert, part, column);
        total = e->is_four ? total + scaled : scaled;
    }
    const float bias = e->bias < 0 ? 0 : row_value(problem, e, e->bias, expert, column);
    if (!e->is_four) {
        if (e->token >= 0) total = total * token;
        return e->bias < 0 ? total : total + bias;
    }
    total = total + bias;
    if (e->offset >= 0)
        total = total + (float)of_row * row_value(problem, e, e->offset, expert, column);
    return total * token;
}

/* ---- random problems ---- */

void experts_fill_scale(struct rig_tensor *t, struct random *random)
{
    for (int64_t i = 0; i < t->count; i++) {
        const float number = (float)random_between(random, -40, 40) / 1024;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        if (t->view.dtype == CASE_U64 || t->view.dtype == CASE_I64)
            t->bits[i] = bits | (uint64_t)random_below(random, 1 << 20) << 32;
        else
            t->bits[i] = oracle_to_bits(t->view.dtype, (double)number);
    }
}

void experts_fill(struct rig_problem *problem, struct random *random, int64_t n)
{
    const struct experts e = experts_of(problem, n);
    int64_t left = e.m, end = 0;
    for (int i = 0; i < (e.weights > 1 ? e.weights : 1); i++)
        experts_fill_scale(&problem->tensor[e.scale + i], random);
    for (int64_t i = 0; i < e.groups; i++) {
        const int64_t rows = random_once_in(random, 4) ? 0
                             : i == e.groups - 1 && random_once_in(random, 2)
                                 ? left
                                 : random_below(random, left + 1);
        left -= rows;
        end += rows;
        const bool is_count = norm_integer(problem, "groupListType", 0) == 1;
        problem->tensor[e.list].bits[i] = (uint64_t)(is_count ? rows : end);
    }
}

struct experts_draw experts_draw(struct random *random, bool may_be_list, bool may_be_small,
                                 bool may_be_transposed)
{
    struct experts_draw d = {.m = random_once_in(random, 20) ? 0 : random_between(random, 1, 24),
                             .k = random_between(random, 1, 70),
                             .n = 2 * random_between(random, 1, 40),
                             .experts = random_between(random, 1, EXPERTS_MOST),
                             .parts = 1,
                             .is_list = may_be_list && random_once_in(random, 2),
                             .is_four = random_once_in(random, 2)};
    d.groups = random_once_in(random, 4) ? random_between(random, 1, d.experts) : d.experts;
    d.is_small_x = d.is_four && may_be_small && random_once_in(random, 2);
    d.is_blocked = random_once_in(random, 3);
    d.is_transposed = may_be_transposed && !d.is_four && !d.is_blocked && random_once_in(random, 3);
    if (d.is_list && d.experts == 1) d.experts = d.groups = 2;
    if (!d.is_four) return d;
    d.n = 8 * random_between(random, 1, 12);
    if (d.is_small_x) d.k = 8 * random_between(random, 1, 8);
    if (random_once_in(random, 2)) {
        d.parts = random_between(random, 2, 3);
        d.k = (d.is_small_x ? 8 : 1) * d.parts * random_between(random, 1, 20);
    }
    return d;
}

static struct case_argument *dense(struct case_argument *argument)
{
    argument->layout = CASE_CONTIGUOUS;
    argument->has_strides = false;
    return argument;
}

void experts_add_x(struct test_case *test, struct random *random, const char *name,
                   const struct experts_draw *d)
{
    const int64_t dims[CASE_RANK] = {d->m, d->is_small_x ? d->k / 8 : d->k};
    struct case_argument *x =
        random_tensor(test, random, name, d->is_small_x ? CASE_I32 : CASE_I8, dims, 2, false);
    if (d->is_small_x) dense(x);
}

void experts_add_weight(struct test_case *test, struct random *random, const char *name,
                        const struct experts_draw *d)
{
    const int64_t in = d->is_four ? 8 : 1, wide = d->is_four ? 64 : 32;
    const int64_t blocks[] = {d->experts, (d->n + wide - 1) / wide, (d->k + 15) / 16, 16,
                              wide / in};
    const int64_t rows[] = {d->experts, d->k, d->n / in}, turned[] = {d->experts, d->n, d->k};
    const int64_t *dims = d->is_blocked ? blocks : d->is_transposed ? turned : rows;
    const int rank = d->is_blocked ? 5 : 3;
    for (int64_t i = 0; i < (d->is_list ? d->experts : 1); i++) {
        struct case_argument *weight =
            random_tensor(test, random, name, d->is_four ? CASE_I32 : CASE_I8, dims + d->is_list,
                          rank - d->is_list, false);
        if (d->is_four || d->is_blocked) dense(weight);
        if (d->is_list) weight->place = i == 0 ? CASE_FIRST : CASE_NEXT;
    }
}

void experts_add_rows(struct test_case *test, struct random *random, const char *name,
                      enum case_dtype dtype, const struct experts_draw *d, int64_t parts,
                      bool is_there)
{
    const int64_t dims[] = {d->experts, parts, d->n}, plain[] = {d->experts, d->n};
    const bool in_parts = parts > 1 || (parts == 1 && d->parts == 1 && random_once_in(random, 3));
    for (int64_t i = 0; i < (d->is_list && is_there ? d->experts : 1); i++) {
        if (!is_there) {
            case_add(test, name, CASE_ALONE)->is_null = true;
            return;
        }
        struct case_argument *one =
            random_tensor(test, random, name, dtype, (in_parts ? dims : plain) + d->is_list,
                          2 + in_parts - d->is_list, true);
        if (d->is_list) one->place = i == 0 ? CASE_FIRST : CASE_NEXT;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of experts: what experts made, summed for each token, and its gradient. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

static bool is_routing(const char *name)
{
    return strstr(name, "FinalizeRouting") != NULL;
}

static int places_of(const struct rig_problem *problem)
{
    return norm_one_of(problem, "expandedRowIdx sortedIndices");
}

static void sum(struct rig_problem *problem)
{
    const int first = norm_one_of(problem, "x1 x1Optional"), places = places_of(problem);
    const int second = norm_operand(problem, "x2Optional"), out = norm_operand(problem, "out");
    const int bias = norm_one_of(problem, "bias biasOptional");
    const int scale = norm_one_of(problem, "scales scalesOptional probsOptional");
    const int expert = norm_one_of(problem, "expandedExpertIdx expertIdxOptional");
    const struct operand *y = &problem->tensor[out].view;
    const int64_t rows = y->dims[0], columns = y->dims[1];
    const int64_t picks = problem->tensor[places].count / rows;
    const int64_t sources = problem->tensor[0].count / columns;
    const bool by_columns =
        is_routing(problem->op->name) && norm_integer(problem, "dropPadMode", 0) < 2;
    for (int64_t at = 0; at < problem->tensor[out].count; at++) {
        const int64_t i = at / columns, column = at % columns;
        double value = norm_value(problem, first, at, 0) + norm_value(problem, second, at, 0);
        double size =
            fabs(norm_value(problem, first, at, 0)) + fabs(norm_value(problem, second, at, 0));
        for (int64_t j = 0; j < picks; j++) {
            const int64_t p = by_columns ? j * rows + i : i * picks + j;
            const int64_t place = oracle_whole_value(problem, places, p);
            const double by = norm_value(problem, scale, i * picks + j, 1);
            const double x = place < 0 || place >= sources
                                 ? 0
                                 : oracle_value(problem, 0, place * columns + column);
            const double more =
                bias < 0
                    ? 0
                    : oracle_value(problem, bias,
                                   oracle_whole_value(problem, expert, i * picks + j) * columns +
                                       column);
            value += by * (x + more);
            size += fabs(by) * (fabs(x) + fabs(more));
        }
        norm_put_single(problem, out, at, value, size, (double)picks + 4);
    }
}

static void grad(struct rig_problem *problem)
{
    const int probs = norm_operand(problem, "probsOptional"), places = places_of(problem);
    const int to = norm_operand(problem, "permutedTokensGradOut");
    const int to_probs = norm_operand(problem, "probsGradOut");
    const int64_t columns = problem->tensor[0].view.dims[1], rows = problem->tensor[1].view.dims[0];
    const int64_t sources = problem->tensor[0].view.dims[0], count = problem->tensor[places].count;
    for (int64_t i = 0; i < problem->tensor[to].count; i++)
        norm_put_single(problem, to, i, 0, 0, 1);
    for (int64_t p = 0; p < count; p++) {
        const int64_t place = oracle_whole_value(problem, places, p), row = p / (count / rows);
        double value = 0, size = 0;
        for (int64_t i = 0; i < columns && place < sources; i++) {
            const double gradient = oracle_value(problem, 1, row * columns + i);
            const double made = gradient * norm_value(problem, probs, p, 1);
            const double term = gradient * oracle_value(problem, 0, place * columns + i);
            norm_put_single(problem, to, place * columns + i, made, fabs(made), 1);
            value += term;
            size += fabs(term);
        }
        if (probs >= 0) norm_put_single(problem, to_probs, p, value, size, (double)columns + 2);
    }
}

/* Rows in any order, each once, some -1; experts that are there. */
static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *places = &problem->tensor[places_of(problem)];
    const int expert = norm_one_of(problem, "expandedExpertIdx expertIdxOptional");
    const int bias = norm_one_of(problem, "bias biasOptional");
    for (int64_t i = 0; i < places->count; i++) {
        const int64_t other = random_below(random, i + 1);
        places->bits[i] = places->bits[other];
        places->bits[other] = (uint64_t)i;
    }
    for (int64_t i = 0; i < places->count && norm_integer(problem, "dropPadMode", 0) % 2 == 1; i++)
        if (random_once_in(random, 4)) places->bits[i] = oracle_cast_whole(CASE_I32, -1);
    const int64_t experts = bias < 0 ? 5 : problem->tensor[bias].view.dims[0];
    for (int64_t i = 0; expert >= 0 && i < problem->tensor[expert].count; i++)
        problem->tensor[expert].bits[i] = (uint64_t)random_below(random, experts);
}

/* Extents of a problem. */
struct extents {
    int64_t x[CASE_RANK], y[CASE_RANK], scale[CASE_RANK], bias[CASE_RANK], count[CASE_RANK];
    enum case_dtype own, of_scale;
    bool has_scale;
};

static struct extents extents_of(const struct rig_operator *op, struct random *random,
                                 enum case_dtype dtype, bool may_lack_scale)
{
    struct extents e = {.own = norm_some_single(op, random, dtype),
                        .of_scale = norm_some_single(op, random, dtype),
                        .has_scale = !may_lack_scale || random_once_in(random, 2)};
    const int64_t rows = random_between(random, 1, 9), columns = random_between(random, 1, 40);
    const int64_t picks = e.has_scale ? random_between(random, 1, 4) : 1;
    e.x[0] = random_once_in(random, 3) ? random_between(random, 1, rows * picks) : rows * picks;
    e.x[1] = e.y[1] = e.bias[1] = columns;
    e.y[0] = e.scale[0] = rows;
    e.scale[1] = picks;
    e.bias[0] = random_between(random, 1, 5);
    e.count[0] = rows * picks;
    return e;
}

static struct test_case random_finalize(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    const bool is_second = strstr(op->name, "V2") != NULL;
    const struct extents e = extents_of(op, random, dtype, is_second);
    struct test_case test = norm_start(op, random, e.own);
    const bool has_bias = !is_second || random_once_in(random, 2);
    random_tensor(&test, random, "expandedX", e.own, e.x, 2, false);
    if (is_second) random_tensor(&test, random, "expandedRowIdx", CASE_I32, e.count, 1, false);
    norm_optional(&test, random, is_second ? "x1Optional" : "x1", e.own, e.y, 2, false,
                  !is_second || random_once_in(random, 2));
    norm_optional(&test, random, "x2Optional", e.own, e.y, 2, false, random_once_in(random, 2));
    norm_optional(&test, random, is_second ? "biasOptional" : "bias", e.own, e.bias, 2, false,
                  has_bias);
    norm_optional(&test, random, is_second ? "scalesOptional" : "scales", e.of_scale, e.scale, 2,
                  false, e.has_scale);
    if (!is_second) random_tensor(&test, random, "expandedRowIdx", CASE_I32, e.count, 1, false);
    norm_optional(&test, random, is_second ? "expertIdxOptional" : "expandedExpertIdx", CASE_I32,
                  e.scale, 2, false, has_bias);
    if (is_second) random_number(&test, "dropPadMode", (double)random_below(random, 4));
    random_tensor(&test, random, "out", e.own, e.y, 2, true);
    return test;
}

static struct test_case random_permute_grad(const struct rig_operator *op, struct random *random,
                                            enum case_dtype dtype)
{
    const struct extents e = extents_of(op, random, dtype, false);
    struct test_case test = norm_start(op, random, e.own);
    random_tensor(&test, random, "permutedOutputGrad", e.own, e.x, 2, false);
    random_tensor(&test, random, "sortedIndices", CASE_I32, e.count, 1, false);
    random_number(&test, "numTopk", (double)e.scale[1]);
    random_number(&test, "paddedMode", 0);
    random_tensor(&test, random, "out", e.own, e.y, 2, true);
    return test;
}

static struct test_case random_init_grad(const struct rig_operator *op, struct random *random,
                                         enum case_dtype dtype)
{
    const struct extents e = extents_of(op, random, dtype, false);
    struct test_case test = norm_start(op, random, e.own);
    const int mode = (int)random_below(random, 2);
    const int64_t slots[CASE_RANK] = {e.x[0], 1, e.x[1]};
    if (mode == 1)
        random_tensor(&test, random, "gradExpandedX", e.own, slots, 3, false);
    else
        random_tensor(&test, random, "gradExpandedX", e.own, e.x, 2, false);
    random_tensor(&test, random, "expandedRowIdx", CASE_I32, e.count, 1, false);
    random_number(&test, "topK", (double)e.scale[1]);
    random_number(&test, "dropPadMode", mode);
    random_number(&test, "activeNum", (double)random_below(random, 2));
    random_tensor(&test, random, "out", e.own, e.y, 2, true);
    return test;
}

static struct test_case random_unpermute(const struct rig_operator *op, struct random *random,
                                         enum case_dtype dtype)
{
    const bool is_grad = strstr(op->name, "Grad") != NULL;
    const struct extents e = extents_of(op, random, dtype, true);
    struct test_case test = norm_start(op, random, e.own);
    random_tensor(&test, random, "permutedTokens", e.own, e.x, 2, false);
    if (is_grad) random_tensor(&test, random, "unpermutedTokensGrad", e.own, e.y, 2, false);
    random_tensor(&test, random, "sortedIndices", CASE_I32, e.count, 1, false);
    norm_optional(&test, random, "probsOptional", e.of_scale, e.scale, 2, false, e.has_scale);
    random_number(&test, "paddedMode", 0);
    case_add(&test, "restoreShapeOptional", CASE_ALONE)->is_null = true;
    if (!is_grad) {
        random_tensor(&test, random, "out", e.own, e.y, 2, true);
        return test;
    }
    random_tensor(&test, random, "permutedTokensGradOut", e.own, e.x, 2, true);
    if (e.has_scale)
        random_tensor(&test, random, "probsGradOut", e.of_scale, e.scale, 2, true);
    else
        case_add(&test, "probsGradOut", CASE_ALONE)->is_null = true;
    return test;
}

const struct oracle_row oracle_moe_sum_rows[] = {
    {.name = "aclnnMoeFinalizeRouting aclnnMoeFinalizeRoutingV2",
     .oracle = sum,
     .random = random_finalize,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnMoeTokenPermuteGrad",
     .oracle = sum,
     .random = random_permute_grad,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnMoeInitRoutingV2Grad",
     .oracle = sum,
     .random = random_init_grad,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnMoeTokenUnpermute",
     .oracle = sum,
     .random = random_unpermute,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnMoeTokenUnpermuteGrad",
     .oracle = grad,
     .random = random_unpermute,
     .fill = fill,
     .ulp = 1},
    {.name = NULL},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Two products with a function between them, from the definition. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_fused.h"

enum { X, WEIGHT1, WEIGHT2, MOST_EXPERTS = 4, MOST_COLUMNS = 512 };

/* A value and by how much it may be wrong. */
struct about {
    double value, wrong;
};

static const struct operand *view_of(const struct rig_problem *problem, int operand)
{
    return &problem->tensor[operand].view;
}

static int tokens_of(const struct rig_problem *problem)
{
    return norm_operand(problem, "expertTokensOptional");
}

static int64_t experts_of(const struct rig_problem *problem)
{
    const int tokens = tokens_of(problem);
    if (tokens >= 0) return view_of(problem, tokens)->dims[0];
    if (!problem->op->array[0] || problem->call.array[0].is_null) return 0;
    return problem->call.array[0].length;
}

/* The expert of a row; 0: there are none. */
static int64_t expert_of(const struct rig_problem *problem, int64_t row)
{
    const int tokens = tokens_of(problem);
    const bool has_ends = norm_integer(problem, "tokensIndexFlag", 0) != 0;
    const int64_t experts = experts_of(problem);
    for (int64_t i = 0, end = 0; i < experts; i++) {
        const int64_t number =
            tokens >= 0 ? oracle_whole_value(problem, tokens, i) : problem->call.array[0].values[i];
        end = has_ends ? number : end + number;
        if (row < end) return i;
    }
    return 0;
}

/* A row of `terms` numbers with column j of one of the matrices, and an element of a bias. */
static struct about product(const struct rig_problem *problem, const struct about *row,
                            int64_t terms, int weight, const char *bias, int64_t expert, int64_t j)
{
    const struct operand *matrix = view_of(problem, weight);
    const int64_t columns = matrix->dims[matrix->rank - 1];
    const int addend = norm_one_of(problem, bias);
    const double first = norm_value(problem, addend, expert * columns + j, 0);
    struct about sum = {first, 0};
    double size = fabs(first);
    for (int64_t p = 0; p < terms; p++) {
        const double factor = oracle_value(problem, weight, (expert * terms + p) * columns + j);
        sum.value += row[p].value * factor;
        sum.wrong += row[p].wrong * fabs(factor);
        size += fabs(row[p].value * factor);
    }
    /* As of any product: (k + 2) u S, twice that for pairs of bf16. */
    sum.wrong += 2 * (double)(terms + 6) * fused_rounding(size);
    return sum;
}

/* The slopes are less than 1.2, the functions' own errors at most 8 ULP. */
static struct about apply(const char *kind, struct about sum)
{
    const double x = sum.value, cubic = 2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x);
    if (strcmp(kind, "relu") == 0 || strcmp(kind, "reglu") == 0)
        return (struct about){x > 0 ? x : 0, sum.wrong};
    const double inner = strcmp(kind, "gelu") == 0 || strcmp(kind, "geglu") == 0 ? cubic
                         : strcmp(kind, "fastgelu") == 0                         ? 1.702 * x
                                                                                 : x;
    const double value = x / (1 + exp(-inner));
    return (struct about){value, 1.2 * sum.wrong + 16 * fused_rounding(value)};
}

/* Rounded to x's type, either way next to a tie. */
static struct about halved(const struct rig_problem *problem, struct about about)
{
    const enum case_dtype dtype = view_of(problem, X)->dtype;
    const double value = oracle_round(dtype, about.value);
    return (struct about){value, fmax(oracle_round(dtype, about.value + about.wrong) - value,
                                      value - oracle_round(dtype, about.value - about.wrong))};
}

static void ffn(struct rig_problem *problem)
{
    static struct about x[MOST_COLUMNS], sums[MOST_COLUMNS], inner[MOST_COLUMNS];
    const struct operand *first = view_of(problem, WEIGHT1), *second = view_of(problem, WEIGHT2);
    const int64_t k = first->dims[first->rank - 2], wide = first->dims[first->rank - 1];
    const int64_t between = second->dims[second->rank - 2];
    const char *kind = fused_text_of(problem, "activation");
    const int y = norm_operand(problem, "y");
    for (int64_t row = 0; k > 0 && row < problem->tensor[X].count / k; row++) {
        const int64_t expert = expert_of(problem, row);
        for (int64_t p = 0; p < k; p++)
            x[p] = (struct about){oracle_value(problem, X, row * k + p), 0};
        for (int64_t j = 0; j < wide; j++)
            sums[j] = product(problem, x, k, WEIGHT1, "bias1 bias1Optional", expert, j);
        for (int64_t j = 0; j < between; j++) {
            const bool is_gate = wide != between;
            struct about made = apply(kind, sums[is_gate ? between + j : j]);
            if (is_gate) {
                made.wrong = made.wrong * (fabs(sums[j].value) + sums[j].wrong) +
                             fabs(made.value) * sums[j].wrong;
                made.value *= sums[j].value;
                made.wrong += fused_rounding(made.value);
            }
            inner[j] = halved(problem, made);
        }
        for (int64_t j = 0; j < k; j++) {
            const struct about made =
                product(problem, inner, between, WEIGHT2, "bias2 bias2Optional", expert, j);
            oracle_real(problem, y, row * k + j, view_of(problem, y)->dtype, made.value);
            problem->tensor[y].slack[row * k + j] = made.wrong;
        }
    }
}

/* The experts' rows in a tensor, all of them together. */
static void fill(struct rig_problem *problem, struct random *random)
{
    const int tokens = tokens_of(problem);
    if (tokens < 0) return;
    struct rig_tensor *list = &problem->tensor[tokens];
    const struct operand *x = view_of(problem, X);
    const bool has_ends = norm_integer(problem, "tokensIndexFlag", 0) != 0;
    int64_t left = 1;
    for (int i = 0; i < x->rank - 1; i++)
        left *= x->dims[i];
    for (int64_t i = 0, end = 0; i < list->count; i++) {
        const int64_t count = i == list->count - 1 ? left : random_between(random, 0, left);
        left -= count;
        end += count;
        list->bits[i] = (uint64_t)(has_ends ? end : count);
    }
}

static void add_tokens(const struct rig_operator *op, struct random *random, struct test_case *test,
                       int64_t experts, int64_t rows, bool has_ends)
{
    const bool is_tensor = !op->array[0];
    const char *name = is_tensor ? "expertTokensOptional" : "expertTokens";
    int64_t list[MOST_EXPERTS];
    for (int64_t i = 0, end = 0; i < experts; i++) {
        const int64_t count = i == experts - 1 ? rows - end : random_between(random, 0, rows - end);
        end += count;
        list[i] = has_ends ? end : count;
    }
    if (experts == 0 && (!is_tensor || random_once_in(random, 2)))
        case_add(test, name, CASE_ALONE)->is_null = true;
    else if (is_tensor)
        random_tensor(test, random, name, CASE_I64, &experts, 1, true); /* no strides of 0 */
    else
        random_ints(test, name, list, (int)experts);
}

static struct test_case random_ffn(const struct rig_operator *op, struct random *random,
                                   enum case_dtype some)
{
    static const char *const kinds[] = {"gelu",  "fastgelu", "relu", "silu",
                                        "geglu", "swiglu",   "reglu"};
    static const enum case_dtype biases[] = {CASE_F32, CASE_F16, CASE_BF16};
    const bool is_new = strcmp(op->name, "aclnnFFNV3") == 0;
    const int kind = (int)random_below(random, some == CASE_BF16 ? 4 : 7);
    const bool is_gate = kind > 3;
    const enum case_dtype dtype = some == CASE_BF16 ? CASE_BF16 : CASE_F16;
    struct test_case test = norm_start(op, random, dtype);
    const int rank = (int)random_between(random, 2, 4);
    int64_t x[CASE_RANK], rows = 1;
    for (int i = 0; i < rank - 1; i++)
        rows *= x[i] = random_between(random, i != rank - 2, rank > 2 ? 3 : 9);
    const int64_t k = x[rank - 1] = random_between(random, 0, 12);
    const int64_t between =
        random_once_in(random, 4) ? random_between(random, 20, 90) : random_between(random, 1, 12);
    const int64_t experts =
        is_gate || random_once_in(random, 2) ? 0 : random_between(random, 1, MOST_EXPERTS);
    const int skip = experts == 0;
    const bool has_ends = strcmp(op->name, "aclnnFFN") != 0 && random_once_in(random, 2);
    const int64_t wide = is_gate ? 2 * between : between;
    const int64_t first[] = {experts, k, wide}, second[] = {experts, between, k};
    const int64_t bias1[] = {experts, wide}, bias2[] = {experts, k};
    random_tensor(&test, random, "x", dtype, x, rank, false);
    random_tensor(&test, random, "weight1", dtype, first + skip, 3 - skip, false);
    random_tensor(&test, random, "weight2", dtype, second + skip, 3 - skip, false);
    add_tokens(op, random, &test, experts, rows, has_ends);
    norm_optional(&test, random, is_new ? "bias1Optional" : "bias1",
                  biases[random_below(random, 3)], bias1 + skip, 2 - skip, false,
                  random_once_in(random, 2));
    norm_optional(&test, random, is_new ? "bias2Optional" : "bias2",
                  biases[random_below(random, 3)], bias2 + skip, 2 - skip, false,
                  random_once_in(random, 2));
    for (int slot = 0; op->tensor[slot]; slot++)
        if (strncmp(op->tensor[slot], "scale", 5) == 0 ||
            strncmp(op->tensor[slot], "offset", 6) == 0 ||
            strncmp(op->tensor[slot], "deqScale", 8) == 0 ||
            strncmp(op->tensor[slot], "antiquant", 9) == 0)
            case_add(&test, op->tensor[slot], CASE_ALONE)->is_null = true;
    fused_text(&test, "activation", kinds[kind]);
    random_number(&test, "innerPrecise",
                  is_gate              ? 1
                  : dtype == CASE_BF16 ? 0
                                       : (double)random_below(random, 2));
    if (strcmp(op->name, "aclnnFFN") != 0) random_number(&test, "tokensIndexFlag", has_ends);
    random_tensor(&test, random, "y", dtype, x, rank, true);
    return test;
}

#define NO_FACTORS(end)                                                                            \
    " scale" end "=null offset" end "=null deqScale1" end "=null deqScale2" end                    \
    "=null antiquantScale1" end "=null antiquantScale2" end "=null antiquantOffset1" end           \
    "=null antiquantOffset2" end "=null "

const struct oracle_row oracle_ffn_rows[] = {
    {.name = "aclnnFFN",
     .oracle = ffn,
     .random = random_ffn,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"f_f_n f16 x=70x130 weight1=130x400 weight2=200x130 "
                                    "expertTokens=null bias1=400 bias2=null" NO_FACTORS(
                                        "") "activation=swiglu innerPrecise=1 y=70x130:strided",
                                    NULL}},
    {.name = "aclnnFFNV2",
     .oracle = ffn,
     .random = random_ffn,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"f_f_n_v2 f16 x=70x130 weight1=2x130x200 weight2=2x200x130 "
                                    "expertTokens=60x10 bias1=null bias2=2x130" NO_FACTORS(
                                        "") "activation=fastgelu y=70x130",
                                    NULL}},
    {.name = "aclnnFFNV3",
     .oracle = ffn,
     .random = random_ffn,
     .fill = fill,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"f_f_n_v3 bf16 x=30x20x130 weight1=3x130x200 weight2=3x200x130 "
                                    "expertTokensOptional=3:i64 bias1Optional=3x200:f32 "
                                    "bias2Optional=null" NO_FACTORS(
                                        "Optional") "activation=gelu tokensIndexFlag=1 y=30x20x130",
                                    NULL}},
    {.name = NULL},
};

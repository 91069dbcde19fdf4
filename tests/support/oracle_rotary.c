/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings, from the definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

static int64_t mode_of(const struct rig_problem *problem)
{
    const char *text = problem->op->names->text[0] ? problem->call.text[0] : NULL;
    if (text) return strcmp(text, "interleave") == 0 ? 1 : strcmp(text, "quarter") == 0 ? 2 : 0;
    return norm_integer(problem, "mode",
                        strcmp(problem->op->name, "aclnnInterleaveRope") == 0 ? 3 : 0);
}

/* Which elements of a row of n the i-th result takes: times cos, and (of that sign) times sin. */
static void sources(int64_t mode, int64_t n, int64_t i, int64_t *of_cos, int64_t *of_sin,
                    double *sign)
{
    const int64_t half = n / 2, quarter = n / 4;
    bool is_first;
    *of_cos = i;
    if (mode == 0) {
        is_first = i < half;
        *of_sin = is_first ? i + half : i - half;
    } else if (mode == 1) {
        is_first = i % 2 == 0;
        *of_sin = is_first ? i + 1 : i - 1;
    } else if (mode == 2) {
        is_first = i % half < quarter;
        *of_sin = is_first ? i + quarter : i - quarter;
    } else {
        is_first = i < half;
        *of_cos = is_first ? 2 * i : 2 * (i - half) + 1;
        *of_sin = is_first ? 2 * i + 1 : 2 * (i - half);
    }
    *sign = is_first ? -1 : 1;
}

static double table(const struct rig_problem *problem, const char *name, int x, int64_t at)
{
    const int operand = norm_operand(problem, name);
    return oracle_value(
        problem, operand,
        oracle_broadcast(&problem->tensor[x].view, at, &problem->tensor[operand].view));
}

static void turn(struct rig_problem *problem, int x, int out)
{
    const struct operand *view = &problem->tensor[x].view;
    const int64_t n = view->dims[view->rank - 1];
    for (int64_t at = 0; at < problem->tensor[x].count; at++) {
        int64_t of_cos, of_sin;
        double sign;
        sources(mode_of(problem), n, at % n, &of_cos, &of_sin, &sign);
        const double a =
            oracle_value(problem, x, at - at % n + of_cos) * table(problem, "cos", x, at);
        const double b =
            sign * oracle_value(problem, x, at - at % n + of_sin) * table(problem, "sin", x, at);
        norm_put_sum(problem, out, at, a + b, fabs(a) + fabs(b), 2);
    }
}

static void rotary(struct rig_problem *problem)
{
    turn(problem, 0, norm_operand(problem, "out"));
}

static void apply_rotary(struct rig_problem *problem)
{
    turn(problem, 0, 0);
    turn(problem, 1, 1);
}

static void rotary_grad(struct rig_problem *problem)
{
    const int x = norm_operand(problem, "xOptional"), cos_at = norm_operand(problem, "cos");
    const int outs[] = {norm_operand(problem, "dxOut"), norm_operand(problem, "dcosOut"),
                        norm_operand(problem, "dsinOut")};
    const struct operand *view = &problem->tensor[0].view;
    const int64_t n = view->dims[view->rank - 1], count = problem->tensor[0].count;
    const int64_t tables = problem->tensor[cos_at].count;
    double *dx = calloc((size_t)count + 1, sizeof *dx), *sizes = calloc((size_t)count + 1, 8);
    double *sums = calloc(4 * (size_t)tables + 1, sizeof *sums);
    for (int64_t at = 0; at < count; at++) {
        int64_t of_cos, of_sin;
        double sign;
        sources(mode_of(problem), n, at % n, &of_cos, &of_sin, &sign);
        of_cos += at - at % n;
        of_sin += at - at % n;
        const double dy = oracle_value(problem, 0, at);
        const double a = dy * table(problem, "cos", 0, at);
        const double b = sign * dy * table(problem, "sin", 0, at);
        dx[of_cos] += a;
        dx[of_sin] += b;
        sizes[of_cos] += fabs(a);
        sizes[of_sin] += fabs(b);
        if (x < 0) continue;
        double *sum = sums + 4 * oracle_broadcast(view, at, &problem->tensor[cos_at].view);
        sum[0] += dy * oracle_value(problem, x, of_cos);
        sum[1] += sign * dy * oracle_value(problem, x, of_sin);
        sum[2] += fabs(dy * oracle_value(problem, x, of_cos));
        sum[3] += fabs(dy * oracle_value(problem, x, of_sin));
    }
    for (int64_t i = 0; i < count; i++)
        norm_put_sum(problem, outs[0], i, dx[i], sizes[i], 2);
    for (int64_t i = 0; i < tables && x >= 0; i++) {
        norm_put_sum(problem, outs[1], i, sums[4 * i], sums[4 * i + 2], (double)count);
        norm_put_sum(problem, outs[2], i, sums[4 * i + 1], sums[4 * i + 3], (double)count);
    }
    free(dx);
    free(sizes);
    free(sums);
}

static struct test_case random_rotary(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    static const char *const words[] = {"half", "interleave", "quarter"};
    struct test_case test = norm_start(op, random, dtype);
    int64_t x[CASE_RANK], tables[CASE_RANK], key[CASE_RANK];
    const int rank = (int)random_between(random, 1, 5);
    const bool has_x = random_once_in(random, 2);
    for (int i = 0; i < rank; i++) {
        const bool is_last = i == rank - 1;
        x[i] = is_last ? 4 * random_between(random, 1, 9) : random_between(random, 1, 5);
        if (!is_last && random_once_in(random, 40)) x[i] = 0;
        tables[i] = !is_last && random_once_in(random, 2) ? 1 : x[i];
        key[i] = tables[i] == 1 && !is_last ? random_between(random, 1, 4) : x[i];
    }
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const enum case_dtype type = slot == 0 ? dtype : norm_some_type(op, random, dtype);
        const bool is_table = norm_has_word("cos sin dcosOut dsinOut", name);
        if (strcmp(name, "rotate") == 0) continue;
        if (!has_x && norm_has_word("xOptional dcosOut dsinOut", name)) continue;
        const int64_t *dims = is_table ? tables : strcmp(name, "keyRef") == 0 ? key : x;
        random_tensor(&test, random, name, type, dims, rank, rig_is_output(&op->operand[slot]));
    }
    for (int i = 0; op->number[i]; i++)
        random_number(&test, op->number[i],
                      strcmp(op->number[i], "mode") == 0 ? (double)random_below(random, 4)
                                                         : (double)random_between(random, 1, 4));
    if (op->names->text[0]) {
        struct case_argument *text = random_type(&test, op->names->text[0], CASE_F32);
        strcpy(text->text, words[random_below(random, 3)]);
    }
    return test;
}

#define ROW(name_of, function, ...)                                                                \
    {                                                                                              \
        .name = name_of, .oracle = function, .random = random_rotary, .ulp = 1,                    \
        .lines = LINES(__VA_ARGS__)                                                                \
    }

const struct oracle_row oracle_rotary_rows[] = {
    ROW("aclnnRotaryPositionEmbedding", rotary,
        "rotary_position_embedding f32 x=2x30x8x64 cos=1x30x1x64 sin=1x30x1x64 mode=0 "
        "out=2x30x8x64",
        "rotary_position_embedding bf16 x=2x30x8x64:s15360x64x1920x1 cos=1x30x1x64 sin=1x30x1x64 "
        "mode=1 out=2x30x8x64",
        "rotary_position_embedding f32 x=2x64x30:s1920x1x64 cos=2x64x30 sin=2x64x30 mode=3 "
        "out=2x64x30"),
    ROW("aclnnRotaryPositionEmbeddingV2", rotary,
        "rotary_position_embedding_v2 f32 x=2x30x8x64 cos=1x30x1x64 sin=1x30x1x64 mode=2 "
        "out=2x30x8x64"),
    ROW("aclnnInterleaveRope", rotary,
        "interleave_rope bf16 x=2x8x30x64 cos=2x1x30x64 sin=2x1x30x64 out=2x8x30x64",
        "interleave_rope f32 x=2x8x30x64 cos=2x1x1x64 sin=2x1x1x64 out=2x8x30x64"),
    ROW("aclnnRotaryPositionEmbeddingGrad", rotary_grad,
        "rotary_position_embedding_grad f32 dy=2x30x8x64 cos=1x30x1x64 sin=1x30x1x64 "
        "xOptional=2x30x8x64 mode=0 dxOut=2x30x8x64 dcosOut=1x30x1x64 dsinOut=1x30x1x64"),
    ROW("aclnnApplyRotaryPosEmb", apply_rotary,
        "apply_rotary_pos_emb f16 queryRef=2x5x8x64 keyRef=2x5x3x64 cos=2x5x1x64 sin=2x5x1x64 "
        "layout=1"),
    ROW("aclnnApplyRotaryPosEmbV2", apply_rotary,
        "apply_rotary_pos_emb_v2 f32 queryRef=2x5x8x64 keyRef=2x5x3x64 cos=2x5x1x64 sin=2x5x1x64 "
        "layout=1 rotaryMode=interleave"),
    {.name = NULL},
};

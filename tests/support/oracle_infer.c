/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/attention.h"
#include "tests/support/oracle_norm.h"

enum { SEQUENCES = 4 };

struct sizes {
    const char *in, *out; /* layouts */
    int64_t batch, heads, key_heads, queries, keys, d, dv;
    int64_t of_query[SEQUENCES], of_key[SEQUENCES]; /* rows that count */
};

static bool is_by_heads(const char *layout)
{
    return strcmp(layout, "BNSD") == 0;
}

static int64_t place(const char *layout, int64_t b, int64_t n, int64_t heads, int64_t i,
                     int64_t rows)
{
    return is_by_heads(layout) ? (b * heads + n) * rows + i : (b * rows + i) * heads + n;
}

static void find_lengths(const struct rig_problem *problem, int array, int64_t rows, int64_t batch,
                         int64_t *lengths)
{
    const struct rig_array *of = &problem->call.array[array];
    const bool is_given = !of->is_null && of->length > 0 && (array == 1 || rows != 1);
    for (int64_t b = 0; b < batch; b++)
        lengths[b] = is_given ? of->values[of->length == 1 ? 0 : b] : rows;
}

static struct sizes sizes_of(const struct rig_problem *problem)
{
    const int64_t *q = problem->tensor[0].view.dims, *k = problem->tensor[1].view.dims;
    const int64_t *v = problem->tensor[2].view.dims;
    const char *text = problem->call.text[0];
    const bool changes = strcmp(text, "BNSD_BSND") == 0;
    struct sizes s = {.in = changes ? "BNSD" : text, .out = changes ? "BSND" : text};
    const int axis = is_by_heads(s.in) ? 2 : 1;
    s.batch = q[0];
    s.queries = q[axis];
    s.keys = k[axis];
    s.heads = norm_integer(problem, "numHeads", 1);
    s.key_heads = norm_integer(problem, "numKeyValueHeads", 0);
    if (s.key_heads == 0) s.key_heads = s.heads;
    s.d = problem->tensor[0].view.rank == 3 ? q[2] / s.heads : q[3];
    s.dv = problem->tensor[0].view.rank == 3 ? v[2] / s.key_heads : v[3];
    find_lengths(problem, 0, s.queries, s.batch, s.of_query);
    find_lengths(problem, 1, s.keys, s.batch, s.of_key);
    return s;
}

static double *dense(const struct rig_problem *problem, const struct sizes *s, int operand,
                     int64_t columns)
{
    const bool is_key = operand > 0;
    const int64_t heads = is_key ? s->key_heads : s->heads, rows = is_key ? s->keys : s->queries;
    double *to = calloc((size_t)(s->batch * heads * rows * columns) + 1, sizeof *to);
    int64_t at = 0;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t i = 0; i < (is_key ? s->of_key : s->of_query)[b]; i++)
            for (int64_t n = 0; n < heads; n++)
                for (int64_t d = 0; d < columns; d++)
                    to[at++] = oracle_value(problem, operand,
                                            place(s->in, b, n, heads, i, rows) * columns + d);
    return to;
}

static double *beside(const struct rig_problem *problem, const struct sizes *s, const char *name)
{
    const int operand = norm_operand(problem, name);
    if (operand < 0) return NULL;
    const struct operand *view = &problem->tensor[operand].view;
    double *to = calloc((size_t)(s->batch * s->heads * s->queries * s->keys) + 1, sizeof *to);
    int64_t at = 0;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t n = 0; n < s->heads; n++)
            for (int64_t i = 0; i < s->of_query[b]; i++)
                for (int64_t j = 0; j < s->of_key[b]; j++) {
                    const int64_t of_two[] = {s->queries == 1 ? b : i, j};
                    const int64_t of_three[] = {b, i, j}, of_four[] = {b, n, i, j};
                    const int64_t *index = view->rank == 2   ? of_two
                                           : view->rank == 3 ? of_three
                                                             : of_four;
                    int64_t element = 0;
                    for (int axis = 0; axis < view->rank; axis++)
                        element =
                            element * view->dims[axis] + (view->dims[axis] == 1 ? 0 : index[axis]);
                    to[at++] = oracle_is_float(view->dtype)
                                   ? oracle_value(problem, operand, element)
                                   : (double)oracle_whole_value(problem, operand, element);
                }
    return to;
}

static void put(struct rig_problem *problem, int operand, int64_t i, double value, double slack)
{
    problem->near.ulp = 2;
    problem->tensor[operand].near[i] = value;
    problem->tensor[operand].slack[i] = slack + 0x1p-149; /* 0 of either sign */
}

static void put_all(struct rig_problem *problem, const struct sizes *s,
                    const struct attention_values *m, const struct attention_values *l,
                    const struct attention_values *out)
{
    const int to = norm_operand(problem, "attentionOut");
    const int lse =
        norm_integer(problem, "softmaxLseFlag", 0) ? norm_operand(problem, "softmaxLse") : -1;
    int64_t row = 0, stat = 0;
    for (int64_t b = 0; b < s->batch; b++) {
        for (int64_t i = 0; i < s->queries; i++)
            for (int64_t n = 0; n < s->heads; n++) {
                const bool counts = i < s->of_query[b];
                const int64_t at = place(s->out, b, n, s->heads, i, s->queries) * s->dv;
                const int64_t from = ((row + i) * s->heads + n) * s->dv;
                for (int64_t d = 0; d < s->dv; d++)
                    put(problem, to, at + d, counts ? out->value[from + d] : 0,
                        counts ? out->slack[from + d] : 0);
                if (lse < 0) continue;
                const int64_t k = stat + n * s->of_query[b] + i;
                const bool sees = counts && l->value[k] > 0 && l->value[k] < 1e30;
                put(problem, lse, (b * s->heads + n) * s->queries + i,
                    sees ? m->value[k] + log(l->value[k]) : -INFINITY,
                    sees ? m->slack[k] + l->slack[k] / l->value[k] +
                               0x1p-22 * (fabs(m->value[k]) + 1)
                         : 0);
            }
        row += s->of_query[b];
        stat += s->of_query[b] * s->heads;
    }
}

static void infer(struct rig_problem *problem)
{
    const struct sizes s = sizes_of(problem);
    const int64_t rows = s.batch * s.queries * s.heads;
    const int mask = norm_operand(problem, "attenMaskOptional");
    double *const all[] = {dense(problem, &s, 0, s.d), dense(problem, &s, 1, s.d),
                           dense(problem, &s, 2, s.dv), beside(problem, &s, "attenMaskOptional"),
                           beside(problem, &s, "pseShiftOptional")};
    const struct attention a = {.sequences = s.batch,
                                .heads = s.heads,
                                .key_heads = s.key_heads,
                                .d = s.d,
                                .dv = s.dv,
                                .queries = s.of_query,
                                .keys = s.of_key,
                                .scale = norm_real(problem, "scaleValue", 1),
                                .keep = 1,
                                .mode = mask < 0 ? -1 : (int)norm_integer(problem, "sparseMode", 0),
                                .before = norm_integer(problem, "preTokens", 0),
                                .after = norm_integer(problem, "nextTokens", 0),
                                .type = all[4] ? BIAS_AFTER : BIAS_NONE,
                                .q = all[0],
                                .k = all[1],
                                .v = all[2],
                                .hidden = all[3],
                                .bias = all[4]};
    struct attention_values m = attention_values_new(rows), l = attention_values_new(rows);
    struct attention_values out = attention_values_new(rows * s.dv);
    attention_forward(&a, &m, &l, &out);
    put_all(problem, &s, &m, &l, &out);
    attention_values_free(&m);
    attention_values_free(&l);
    attention_values_free(&out);
    for (int i = 0; i < 5; i++)
        free(all[i]);
}

/* ---- random problems ---- */

static void random_operand(struct test_case *test, struct random *random, const char *name,
                           const char *layout, int64_t batch, int64_t rows, int64_t heads,
                           int64_t columns, bool is_list, bool is_written)
{
    const int64_t joined[] = {batch, rows, heads * columns};
    const int64_t by_heads[] = {batch, heads, rows, columns},
                  plain[] = {batch, rows, heads, columns};
    const bool is_joined = strcmp(layout, "BSH") == 0;
    struct case_argument *argument = random_tensor(test, random, name, test->dtype,
                                                   is_joined             ? joined
                                                   : is_by_heads(layout) ? by_heads
                                                                         : plain,
                                                   is_joined ? 3 : 4, is_written);
    if (is_list) argument->place = CASE_FIRST;
}

static void random_pairs(const struct rig_operator *op, struct test_case *test,
                         struct random *random, const struct sizes *s)
{
    int64_t dims[] = {s->batch, s->heads, s->queries + random_below(random, 3),
                      s->keys + random_below(random, 3)};
    for (int i = 0; i < 4; i++)
        if (random_once_in(random, 4)) dims[i] = 1;
    if (random_once_in(random, 2))
        random_tensor(test, random, "pseShiftOptional",
                      random_once_in(random, 4) ? random_dtype(op, random) : test->dtype, dims, 4,
                      false);
    if (random_once_in(random, 2)) return;
    const enum case_dtype types[] = {CASE_BOOL, CASE_U8, CASE_I8};
    const enum case_dtype dtype = types[random_below(random, 3)];
    const int64_t three[] = {dims[0], dims[2], dims[3]};
    const int64_t two[] = {s->queries == 1 ? dims[0] : dims[2], dims[3]};
    const int rank = (int)random_between(random, 2, 4);
    random_tensor(test, random, "attenMaskOptional", dtype,
                  rank == 2   ? two
                  : rank == 3 ? three
                              : dims,
                  rank, false);
    random_number(test, "sparseMode", (double)random_below(random, 2));
}

static void random_lengths(struct test_case *test, struct random *random, const char *name,
                           int64_t batch, int64_t rows)
{
    int64_t values[SEQUENCES + 1];
    if (random_once_in(random, 2)) return;
    for (int i = 0; i <= batch; i++)
        values[i] = random_between(random, 0, rows);
    random_ints(test, name, values, random_once_in(random, 3) ? 1 : (int)batch);
}

static struct test_case random_infer(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    static const char *const layouts[] = {"BSH", "BSND", "BNSD", "BNSD_BSND"};
    struct test_case test = norm_start(op, random, dtype);
    struct sizes s = {.batch = random_between(random, 1, 3),
                      .in = layouts[random_below(random, 4)]};
    const char *text = s.in;
    s.out = strcmp(text, "BNSD_BSND") == 0 ? "BSND" : text;
    s.in = strcmp(text, "BNSD_BSND") == 0 ? "BNSD" : text;
    s.key_heads = random_between(random, 1, 2);
    s.heads = s.key_heads * random_between(random, 1, 3);
    s.queries = random_once_in(random, 3) ? 1 : random_between(random, 1, 30);
    s.keys = random_between(random, 1, random_once_in(random, 3) ? 160 : 12);
    s.d = random_between(random, 1, 20);
    s.dv = random_once_in(random, 2) ? s.d : random_between(random, 1, s.d);
    random_operand(&test, random, "query", s.in, s.batch, s.queries, s.heads, s.d, false, false);
    random_operand(&test, random, "key", s.in, s.batch, s.keys, s.key_heads, s.d, true, false);
    random_operand(&test, random, "value", s.in, s.batch, s.keys, s.key_heads, s.dv, true, false);
    random_pairs(op, &test, random, &s);
    random_lengths(&test, random, "actualSeqLengthsOptional", s.batch, s.queries);
    random_lengths(&test, random, "actualSeqLengthsKvOptional", s.batch, s.keys);
    random_number(&test, "numHeads", (double)s.heads);
    random_number(&test, "numKeyValueHeads", s.key_heads == s.heads ? 0 : (double)s.key_heads);
    random_number(&test, "scaleValue", random_unit(random) / sqrt((double)s.d));
    random_number(&test, "preTokens", (double)random_between(random, -3, 70));
    random_number(&test, "nextTokens", (double)random_between(random, -3, 90));
    strcpy(random_type(&test, "inputLayout", CASE_F32)->text, text);
    random_operand(&test, random, "attentionOut", s.out, s.batch, s.queries, s.heads, s.dv, false,
                   true);
    if (random_once_in(random, 2)) {
        const int64_t dims[] = {s.batch, s.heads, s.queries, 1};
        random_number(&test, "softmaxLseFlag", 1);
        random_tensor(&test, random, "softmaxLse", CASE_F32, dims, 4, true);
    }
    return test;
}

const struct oracle_row oracle_infer_rows[] = {
    {.name = "aclnnFusedInferAttentionScoreV2 aclnnFusedInferAttentionScoreV3",
     .oracle = infer,
     .random = random_infer,
     .ulp = 2,
     .lines = NULL},
    {.name = NULL},
};

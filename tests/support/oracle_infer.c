/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/attention.h"
#include "tests/support/oracle_index.h"
#include "tests/support/oracle_norm.h"

enum { SEQUENCES = 4 };
#define TABLE "blockTable blockTableOptional blocktable"

struct sizes {
    const char *in, *out; /* layouts: the letters of the axes, H for N and D */
    int64_t batch, heads, key_heads, queries, keys, d, dv; /* queries, keys: rows of a tensor */
    int64_t of_query[SEQUENCES], of_key[SEQUENCES];        /* rows that count */
    int64_t first[2][SEQUENCES]; /* query or key of a sequence, where they are behind each other */
    int64_t block;               /* rows of a block; 0: there are none */
};

static bool is_by_rows(const char *layout)
{
    return strchr(layout, 'T') != NULL;
}

/* Where a row of a head begins, in rows of columns. */
static int64_t place(const char *layout, int64_t batch, int64_t b, int64_t n, int64_t heads,
                     int64_t i, int64_t rows)
{
    int64_t at = 0;
    for (const char *axis = layout; *axis; axis++)
        switch (*axis) {
        case 'B':
            at = at * batch + b;
            break;
        case 'S':
        case 'T':
            at = at * rows + i;
            break;
        case 'N':
        case 'H':
            at = at * heads + n;
            break;
        default:
            break;
        }
    return at;
}

static void split_layout(const char *text, struct sizes *s)
{
    static const char *const all[] = {"BSH", "BSND", "BNSD", "NBSD", "TND", "NTD"};
    const char *behind = strchr(text, '_');
    const size_t length = behind ? (size_t)(behind - text) : strlen(text);
    for (int i = 0; i < 6; i++) {
        if (strncmp(all[i], text, length) == 0 && !all[i][length]) s->in = all[i];
        if (strcmp(all[i], behind ? behind + 1 : text) == 0) s->out = all[i];
    }
}

static const struct rig_array *array_of(const struct rig_problem *problem, const char *words)
{
    for (int i = 0; problem->op->array[i]; i++)
        if (norm_has_word(words, problem->op->array[i])) return &problem->call.array[i];
    return NULL;
}

static bool is_incremental(const struct rig_operator *op)
{
    return strncmp(op->name, "aclnnIncre", 10) == 0;
}

static void find_lengths(const struct rig_problem *problem, bool of_keys, struct sizes *s)
{
    const struct rig_array *of =
        of_keys == is_incremental(problem->op)
            ? array_of(problem, "actualSeqLengths actualSeqLengthsOptional")
            : array_of(problem, "actualSeqLengthsKv actualSeqLengthsKvOptional");
    const int64_t rows = of_keys ? s->keys : s->queries;
    const bool ends = is_by_rows(s->in) && !(of_keys && s->block);
    const bool is_given = of && !of->is_null && of->length > 0 && (of_keys || ends || rows != 1) &&
                          (of_keys || !is_incremental(problem->op));
    int64_t *lengths = of_keys ? s->of_key : s->of_query;
    for (int64_t b = 0; b < s->batch; b++) {
        lengths[b] = is_given ? of->values[of->length == 1 ? 0 : b] : rows;
        if (!ends) continue;
        s->first[of_keys][b] = b == 0 ? 0 : of->values[b - 1];
        lengths[b] -= s->first[of_keys][b];
    }
}

static struct sizes sizes_of(const struct rig_problem *problem)
{
    const struct operand *q = &problem->tensor[0].view, *k = &problem->tensor[1].view;
    const int64_t *v = problem->tensor[2].view.dims;
    const int table = norm_one_of(problem, TABLE);
    struct sizes s = {.in = NULL};
    split_layout(problem->call.text[0], &s);
    const int axis = (int)strcspn(s.in, "ST");
    s.queries = q->dims[axis];
    s.keys = k->dims[axis];
    s.heads = norm_integer(problem, "numHeads", 1);
    s.key_heads = norm_integer(problem, "numKeyValueHeads", 0);
    if (s.key_heads == 0) s.key_heads = s.heads;
    s.d = strchr(s.in, 'H') ? q->dims[2] / s.heads : q->dims[q->rank - 1];
    s.dv = v[k->rank - 1];
    if (table >= 0 ? k->rank == 3 : strchr(s.in, 'H') != NULL) s.dv = v[k->rank - 1] / s.key_heads;
    if (table >= 0) {
        s.block = k->dims[k->rank - 2];
        s.keys = problem->tensor[table].view.dims[1] * s.block;
    }
    s.batch = is_by_rows(s.in)
                  ? array_of(problem, "actualSeqLengths actualSeqLengthsOptional")->length
                  : q->dims[0];
    find_lengths(problem, false, &s);
    find_lengths(problem, true, &s);
    return s;
}

/* The row of keys that the table names, or -1: there is no such block. */
static int64_t paged_place(struct rig_problem *problem, const struct sizes *s, int64_t b, int64_t n,
                           int64_t i)
{
    const int table = norm_one_of(problem, TABLE);
    const struct operand *k = &problem->tensor[1].view;
    const int64_t at = b * problem->tensor[table].view.dims[1] + i / s->block;
    const int64_t block =
        index_of(problem, table, at, k->dims[0], false, at, problem->op->tensor[table]);
    if (block < 0) return -1;
    return place(k->rank == 4 ? "BNSD" : "BSND", 0, block, n, s->key_heads, i % s->block, s->block);
}

static double *dense(struct rig_problem *problem, const struct sizes *s, int operand,
                     int64_t columns)
{
    const bool is_key = operand > 0;
    const int64_t heads = is_key ? s->key_heads : s->heads, rows = is_key ? s->keys : s->queries;
    double *to = calloc((size_t)(s->batch * heads * rows * columns) + 1, sizeof *to);
    int64_t at = 0;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t i = 0; i < (is_key ? s->of_key : s->of_query)[b]; i++)
            for (int64_t n = 0; n < heads; n++) {
                const int64_t row = is_key && s->block ? paged_place(problem, s, b, n, i)
                                                       : place(s->in, s->batch, b, n, heads,
                                                               s->first[is_key][b] + i, rows);
                for (int64_t d = 0; d < columns; d++)
                    to[at++] = row < 0 ? 0 : oracle_value(problem, operand, row * columns + d);
            }
    return to;
}

static double *beside(const struct rig_problem *problem, const struct sizes *s, const char *names)
{
    const int operand = norm_one_of(problem, names);
    if (operand < 0) return NULL;
    const struct operand *view = &problem->tensor[operand].view;
    double *to = calloc((size_t)(s->batch * s->heads * s->queries * s->keys) + 1, sizeof *to);
    int64_t at = 0;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t n = 0; n < s->heads; n++)
            for (int64_t i = 0; i < s->of_query[b]; i++)
                for (int64_t j = 0; j < s->of_key[b]; j++) {
                    const int64_t of_two[] = {s->queries == 1 && !is_by_rows(s->in) ? b : i, j};
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

/* One row of a head: what is computed, or that of no sequence. */
static void put_row(struct rig_problem *problem, const struct sizes *s, int64_t at, int64_t stat,
                    const struct attention_values *m, const struct attention_values *l,
                    const struct attention_values *out, const int64_t *from)
{
    const int to = norm_operand(problem, "attentionOut");
    const int lse =
        norm_integer(problem, "softmaxLseFlag", 0) ? norm_operand(problem, "softmaxLse") : -1;
    for (int64_t d = 0; d < s->dv; d++)
        put(problem, to, at * s->dv + d, from ? out->value[from[0] * s->dv + d] : 0,
            from ? out->slack[from[0] * s->dv + d] : 0);
    if (lse < 0) return;
    const double sum = from ? l->value[from[1]] : 0;
    const bool sees = sum > 0 && sum < 1e30;
    put(problem, lse, stat, sees ? m->value[from[1]] + log(sum) : -INFINITY,
        sees ? m->slack[from[1]] + l->slack[from[1]] / sum + 0x1p-22 * (fabs(m->value[from[1]]) + 1)
             : 0);
}

static void put_all(struct rig_problem *problem, const struct sizes *s,
                    const struct attention_values *m, const struct attention_values *l,
                    const struct attention_values *out)
{
    const bool by_rows = is_by_rows(s->in);
    const char *stats = by_rows ? "TN" : "BNS";
    int64_t row = 0, begin = 0;
    for (int64_t b = 0; b < s->batch; b++) {
        for (int64_t i = 0; i < (by_rows ? s->of_query[b] : s->queries); i++)
            for (int64_t n = 0; n < s->heads; n++) {
                const int64_t r = s->first[0][b] + i;
                const int64_t from[] = {(row + i) * s->heads + n, begin + n * s->of_query[b] + i};
                put_row(problem, s, place(s->out, s->batch, b, n, s->heads, r, s->queries),
                        place(stats, s->batch, b, n, s->heads, r, s->queries), m, l, out,
                        i < s->of_query[b] ? from : NULL);
            }
        row += s->of_query[b];
        begin += s->of_query[b] * s->heads;
    }
    for (int64_t r = row; by_rows && r < s->queries; r++)
        for (int64_t n = 0; n < s->heads; n++)
            put_row(problem, s, place(s->out, 0, 0, n, s->heads, r, s->queries), r * s->heads + n,
                    m, l, out, NULL);
}

/* The first versions do not look at it. */
static bool counts_bias(const struct rig_operator *op)
{
    return !norm_has_word("aclnnPromptFlashAttention aclnnIncreFlashAttention", op->name);
}

/* -1: everything is visible. One query looks at the mask alone. */
static int mode_of(const struct rig_problem *problem, const struct sizes *s)
{
    const int mode = (int)norm_integer(problem, "sparseMode", 0);
    if (norm_one_of(problem, "attenMaskOptional attenMask") < 0) return -1;
    return mode == 0 && s->queries == 1 && !is_by_rows(s->in) ? 1 : mode;
}

static void infer(struct rig_problem *problem)
{
    const struct sizes s = sizes_of(problem);
    const int64_t rows = s.batch * s.queries * s.heads;
    double *const all[] = {
        dense(problem, &s, 0, s.d), dense(problem, &s, 1, s.d), dense(problem, &s, 2, s.dv),
        beside(problem, &s, "attenMaskOptional attenMask"),
        counts_bias(problem->op) ? beside(problem, &s, "pseShiftOptional pseShift") : NULL};
    const struct attention a = {.sequences = s.batch,
                                .heads = s.heads,
                                .key_heads = s.key_heads,
                                .d = s.d,
                                .dv = s.dv,
                                .queries = s.of_query,
                                .keys = s.of_key,
                                .scale = norm_real(problem, "scaleValue", 1),
                                .keep = 1,
                                .mode = mode_of(problem, &s),
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

static const char *word_of(const struct rig_operator *op, const char *first, const char *second)
{
    for (int i = 0; op->tensor[i]; i++)
        if (strcmp(op->tensor[i], first) == 0 || strcmp(op->tensor[i], second) == 0)
            return op->tensor[i];
    return NULL;
}

static const char *array_word(const struct rig_operator *op, const char *first, const char *second)
{
    for (int i = 0; op->array[i]; i++)
        if (strcmp(op->array[i], first) == 0 || strcmp(op->array[i], second) == 0)
            return op->array[i];
    return NULL;
}

static void random_operand(struct test_case *test, struct random *random, const char *name,
                           const char *layout, int64_t batch, int64_t rows, int64_t heads,
                           int64_t columns, bool is_list, bool is_written)
{
    int64_t dims[4];
    int rank = 0;
    for (const char *axis = layout; *axis; axis++)
        dims[rank++] = *axis == 'B'                   ? batch
                       : *axis == 'S' || *axis == 'T' ? rows
                       : *axis == 'N'                 ? heads
                       : *axis == 'H'                 ? heads * columns
                                                      : columns;
    struct case_argument *argument =
        random_tensor(test, random, name, test->dtype, dims, rank, is_written);
    if (is_list) argument->place = CASE_FIRST;
}

static bool has_modes(const struct rig_operator *op)
{
    for (int i = 0; op->number[i]; i++)
        if (strcmp(op->number[i], "sparseMode") == 0) return true;
    return false;
}

/* A mask and a bias of the longest sequence, or longer. */
static void random_pairs(const struct rig_operator *op, struct test_case *test,
                         struct random *random, const struct sizes *s)
{
    const bool is_one = s->queries == 1 && !is_by_rows(s->in);
    int64_t dims[] = {s->batch, s->heads, s->queries + random_below(random, 3),
                      s->keys + random_below(random, 3)};
    for (int i = 0; i < 4; i++)
        if (random_once_in(random, 4)) dims[i] = 1;
    if (random_once_in(random, 2))
        random_tensor(test, random, word_of(op, "pseShiftOptional", "pseShift"),
                      random_once_in(random, 4) ? random_dtype(op, random) : test->dtype, dims, 4,
                      false);
    if (random_once_in(random, 2)) return;
    const enum case_dtype types[] = {CASE_BOOL, CASE_U8, CASE_I8};
    const enum case_dtype dtype = types[random_below(random, 3)];
    const int64_t three[] = {dims[0], dims[2], dims[3]};
    const int64_t two[] = {is_one ? dims[0] : dims[2], dims[3]};
    const int rank = (int)random_between(random, 2, 4);
    random_tensor(test, random, word_of(op, "attenMaskOptional", "attenMask"), dtype,
                  rank == 2   ? two
                  : rank == 3 ? three
                              : dims,
                  rank, false);
    if (has_modes(op)) random_number(test, "sparseMode", (double)random_below(random, 2));
}

static void random_lengths(const struct rig_operator *op, struct test_case *test,
                           struct random *random, bool of_keys, const struct sizes *s)
{
    const char *name = of_keys == is_incremental(op)
                           ? array_word(op, "actualSeqLengthsOptional", "actualSeqLengths")
                           : array_word(op, "actualSeqLengthsKvOptional", "actualSeqLengthsKv");
    const int64_t rows = of_keys ? s->keys : s->queries;
    const bool ends = is_by_rows(s->in) && !(of_keys && s->block);
    int64_t values[SEQUENCES + 1] = {0};
    if (!name || (is_incremental(op) && !of_keys)) return;
    if (!ends && !(of_keys && s->block) && random_once_in(random, 2)) return;
    for (int i = 0; i <= s->batch; i++)
        values[i] = random_between(random, ends && i > 0 ? values[i - 1] : 0, rows);
    random_ints(test, name, values, !ends && random_once_in(random, 3) ? 1 : (int)s->batch);
}

/* Keys and values in blocks, each of which any number of sequences may have. */
static void random_pages(const struct rig_operator *op, struct test_case *test,
                         struct random *random, struct sizes *s)
{
    const char *name = word_of(op, "blockTableOptional", "blockTable");
    if (!name) name = word_of(op, "blocktable", "blocktable");
    if (!name || random_once_in(random, 2)) return;
    s->block = random_between(random, 1, 20);
    const int64_t dims[] = {s->batch, random_between(random, 1, 5)};
    s->keys = dims[1] * s->block;
    random_tensor(test, random, name, CASE_I32, dims, 2, false);
    random_number(test, "blockSize", (double)s->block);
}

static const char *random_layout(const struct rig_operator *op, struct random *random)
{
    static const char *const layouts[] = {"BSH",     "BSND",     "BNSD",      "BNSD_BSND",
                                          "TND",     "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD",
                                          "TND_NTD", "NTD_TND"};
    if (is_incremental(op)) return layouts[random_below(random, 3)];
    if (strncmp(op->name, "aclnnPrompt", 11) == 0)
        return layouts[random_below(
            random, array_word(op, "actualSeqLengthsKv", "actualSeqLengthsKv") ? 5 : 4)];
    return layouts[random_below(random, 10)];
}

static struct test_case random_infer(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const char *text = random_layout(op, random);
    const bool are_lists = strncmp(op->name, "aclnnPrompt", 11) != 0;
    struct sizes s = {.batch = random_between(random, 1, 3)};
    split_layout(text, &s);
    s.key_heads = random_between(random, 1, 2);
    s.heads = s.key_heads * random_between(random, 1, 3);
    s.queries = is_incremental(op) || random_once_in(random, 3) ? 1 : random_between(random, 1, 30);
    s.keys = random_between(random, 1, random_once_in(random, 3) ? 160 : 12);
    s.d = random_between(random, 1, 20);
    s.dv = random_once_in(random, 2) ? s.d : random_between(random, 1, s.d);
    random_pages(op, &test, random, &s);
    const char *layout = s.block == 0 ? s.in : random_once_in(random, 2) ? "BSH" : "BNSD";
    const int64_t batch = s.block ? random_between(random, 1, 9) : s.batch;
    const int64_t rows = s.block ? s.block : s.keys;
    random_operand(&test, random, "query", s.in, s.batch, s.queries, s.heads, s.d, false, false);
    random_operand(&test, random, "key", layout, batch, rows, s.key_heads, s.d, are_lists, false);
    random_operand(&test, random, "value", layout, batch, rows, s.key_heads, s.dv, are_lists,
                   false);
    random_pairs(op, &test, random, &s);
    random_lengths(op, &test, random, false, &s);
    random_lengths(op, &test, random, true, &s);
    random_number(&test, "numHeads", (double)s.heads);
    random_number(&test, "numKeyValueHeads", s.key_heads == s.heads ? 0 : (double)s.key_heads);
    random_number(&test, "scaleValue", random_unit(random) / sqrt((double)s.d));
    if (!is_incremental(op)) {
        random_number(&test, "preTokens", (double)random_between(random, -3, 70));
        random_number(&test, "nextTokens", (double)random_between(random, -3, 90));
    }
    strcpy(random_type(&test, "inputLayout", CASE_F32)->text, text);
    random_operand(&test, random, "attentionOut", s.out, s.batch, s.queries, s.heads, s.dv, false,
                   true);
    if (word_of(op, "softmaxLse", "softmaxLse") && random_once_in(random, 2)) {
        const int64_t dims[] = {s.batch, s.heads, s.queries, 1};
        const int64_t by_rows[] = {s.queries, s.heads, 1};
        random_number(&test, "softmaxLseFlag", 1);
        random_tensor(&test, random, "softmaxLse", CASE_F32, is_by_rows(s.in) ? by_rows : dims,
                      is_by_rows(s.in) ? 3 : 4, true);
    }
    return test;
}

static void fill(struct rig_problem *problem, struct random *random)
{
    const int table = norm_one_of(problem, TABLE);
    if (table >= 0) index_fill(problem, random, table, problem->tensor[1].view.dims[0], false);
}

const struct oracle_row oracle_infer_rows[] = {
    {.name = "aclnnFusedInferAttentionScore aclnnFusedInferAttentionScoreV2 "
             "aclnnFusedInferAttentionScoreV4",
     .oracle = infer,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines = NULL},
    {.name = "aclnnFusedInferAttentionScoreV3",
     .oracle = infer,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines =
         LINES("fused_infer_attention_score_v3 f32 blockTableOptional=3x4:i32 blockSize=16 "
               "query=20x4x16 key=[9x2x16x16] value=[9x2x16x16] "
               "attenMaskOptional=2048x2048:bool:s0x0 sparseMode=3 "
               "actualSeqLengthsOptional=1x9x20 actualSeqLengthsKvOptional=30x64x17 numHeads=4 "
               "numKeyValueHeads=2 scaleValue=0.25 inputLayout=TND attentionOut=20x4x16 "
               "softmaxLse=20x4x1:f32 softmaxLseFlag=1")},
    {.name = "aclnnIncreFlashAttention aclnnIncreFlashAttentionV2 aclnnIncreFlashAttentionV3 "
             "aclnnIncreFlashAttentionV4",
     .oracle = infer,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines = NULL},
    {.name = "aclnnPromptFlashAttention aclnnPromptFlashAttentionV2 aclnnPromptFlashAttentionV3",
     .oracle = infer,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines = NULL},
    {.name = NULL},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of inference's attention. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/attention.h"
#include "tests/support/oracle_infer.h"

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

static struct case_argument *random_operand(struct test_case *test, struct random *random,
                                            const char *name, enum case_dtype dtype,
                                            const char *layout, int64_t batch, int64_t rows,
                                            int64_t heads, int64_t columns, bool is_list,
                                            bool is_written)
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
        random_tensor(test, random, name, dtype, dims, rank, is_written);
    if (is_list) argument->place = CASE_FIRST;
    if (dtype == CASE_I32) argument->layout = CASE_CONTIGUOUS; /* eight of 4 bits each */
    return argument;
}

static bool has_number(const struct rig_operator *op, const char *name)
{
    for (int i = 0; op->number[i]; i++)
        if (strcmp(op->number[i], name) == 0) return true;
    return false;
}

/* A mask and a bias of the longest sequence, or longer. */
static void random_pairs(const struct rig_operator *op, struct test_case *test,
                         struct random *random, const struct infer_sizes *s)
{
    const bool is_one = s->queries == 1 && !infer_by_rows(s->in);
    int64_t dims[] = {s->batch, s->heads, s->queries + random_below(random, 3),
                      s->shared + s->keys + random_below(random, 3)};
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
    if (has_number(op, "sparseMode"))
        random_number(test, "sparseMode", (double)random_below(random, 2));
}

static void random_lengths(const struct rig_operator *op, struct test_case *test,
                           struct random *random, bool of_keys, const struct infer_sizes *s)
{
    const char *name = of_keys == infer_is_incremental(op)
                           ? array_word(op, "actualSeqLengthsOptional", "actualSeqLengths")
                           : array_word(op, "actualSeqLengthsKvOptional", "actualSeqLengthsKv");
    const int64_t rows = of_keys ? s->keys : s->queries;
    const bool ends = infer_by_rows(s->in) && !(of_keys && s->block);
    int64_t values[INFER_SEQUENCES + 1] = {0};
    if (!name || (infer_is_incremental(op) && !of_keys)) return;
    if (!ends && !(of_keys && s->block) && random_once_in(random, 2)) return;
    const bool is_one = !infer_by_rows(s->in) && random_once_in(random, 3);
    for (int i = 0; i <= s->batch; i++) {
        const int64_t most = of_keys && s->in_list && i < s->batch ? s->rows[i] : rows;
        values[i] = random_between(random, ends && i > 0 ? values[i - 1] : 0, most);
    }
    for (int i = 1; of_keys && s->in_list && is_one && i < s->batch; i++)
        if (s->rows[i] < values[0]) values[0] = s->rows[i];
    random_ints(test, name, values, is_one ? 1 : (int)s->batch);
}

/* Keys and values in blocks, each of which any number of sequences may have. */
static void random_pages(const struct rig_operator *op, struct test_case *test,
                         struct random *random, struct infer_sizes *s)
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

/* ---- quantised, shared and padded ones ---- */

struct draw {
    const struct rig_operator *op;
    struct test_case *test;
    struct random *random;
    struct infer_sizes s;
    enum case_dtype key_type;
    int64_t batch; /* of keys: blocks, where they lie in such */
    bool by_rows;  /* a query of INT8 has a factor for each row and head */
};

static const char *word_with(const struct rig_operator *op, const char *name)
{
    char longer[64];
    snprintf(longer, sizeof longer, "%sOptional", name);
    return word_of(op, name, longer);
}

/* A tensor that fill() writes, so each element has a place of its own. */
static void add_own(const struct draw *d, const char *name, enum case_dtype dtype,
                    const int64_t *dims, int rank)
{
    random_tensor(d->test, d->random, name, dtype, dims, rank, true);
}

/* The shape of a scale of keys or values by the mode; returns its rank. */
static int factor_shape(const struct draw *d, int64_t mode, bool of_values, int64_t *dims)
{
    const struct infer_sizes *s = &d->s;
    const int64_t columns = of_values ? s->dv : s->d, n = s->key_heads;
    const int64_t rows = s->shared + s->keys + random_below(d->random, 3);
    const int64_t channel[][3] = {{n, 1, columns}, {1, n, columns}, {n, columns}, {n * columns}};
    const int64_t others[][3] = {{0},
                                 {s->batch, rows},
                                 {n},
                                 {s->batch, n, rows},
                                 {d->batch, s->block},
                                 {d->batch, n, s->block}};
    static const int ranks[] = {0, 2, 1, 3, 2, 3};
    const int form = (int)random_below(d->random, 5);
    if (mode == 0 && form == 4) return 0; /* one for all */
    memcpy(dims, mode == 0 ? channel[form] : others[mode], 3 * sizeof *dims);
    return mode == 0 ? (form < 2 ? 3 : form == 2 ? 2 : 1) : ranks[mode];
}

static void add_factors(const struct draw *d, const char *scale, const char *offset, int64_t mode,
                        bool of_values, int64_t first, bool has_offset)
{
    int64_t dims[4] = {first};
    const int skipped = first > 1 || random_once_in(d->random, 2) ? 1 : 0;
    int rank = factor_shape(d, mode, of_values, dims + skipped);
    if (rank == 0 && skipped == 0) dims[rank++] = 1;
    const bool is_token = mode == 1 || mode > 2;
    const enum case_dtype dtype =
        is_token || random_once_in(d->random, 3) ? CASE_F32 : d->test->dtype;
    add_own(d, word_with(d->op, scale), dtype, dims, skipped + rank);
    if (has_offset) add_own(d, word_with(d->op, offset), dtype, dims, skipped + rank);
}

static void random_factors(const struct draw *d)
{
    const bool has_offset = random_once_in(d->random, 2);
    const bool may_be_joint = d->s.packed == 1;
    if (word_with(d->op, "keyAntiquantScale") && (!may_be_joint || random_once_in(d->random, 2))) {
        int64_t mode[2];
        mode[0] = mode[1] = random_below(d->random, d->s.block ? 6 : 4);
        if (mode[0] == 0) mode[1] = random_below(d->random, 2);
        random_number(d->test, "keyAntiquantMode", (double)mode[0]);
        random_number(d->test, "valueAntiquantMode", (double)mode[1]);
        add_factors(d, "keyAntiquantScale", "keyAntiquantOffset", mode[0], false, 1, has_offset);
        add_factors(d, "valueAntiquantScale", "valueAntiquantOffset", mode[1], true, 1, has_offset);
        return;
    }
    const bool has_mode = has_number(d->op, "antiquantMode");
    const int64_t mode = has_mode ? random_below(d->random, 2) : 0;
    if (has_mode) random_number(d->test, "antiquantMode", (double)mode);
    add_factors(d, "antiquantScale", "antiquantOffset", mode, false, 2, has_offset);
}

/* All three of INT8, and what belongs to that. */
static void random_whole(struct draw *d)
{
    struct infer_sizes *s = &d->s;
    const char *scale = word_with(d->op, "dequantScaleQuery");
    const int64_t one[] = {1};
    if (!word_with(d->op, "deqScale1") || !random_once_in(d->random, 4)) return;
    s->is_whole = true;
    d->key_type = CASE_I8;
    d->by_rows = scale && random_once_in(d->random, 2);
    if (!d->by_rows) {
        static const char *const names[] = {"deqScale1", "quantScale1", "deqScale2"};
        for (int i = 0; i < 3; i++)
            add_own(d, word_with(d->op, names[i]),
                    i != 1 && random_once_in(d->random, 2) ? CASE_U64 : CASE_F32, one,
                    random_once_in(d->random, 2) ? 1 : 0);
        return;
    }
    random_number(d->test, "queryQuantMode", 3);
    random_operand(d->test, d->random, scale, CASE_F32, s->in, s->batch, s->queries, s->heads, 1,
                   false, true);
    struct case_argument *last = &d->test->argument[d->test->arguments - 1];
    if (!strchr(s->in, 'H')) last->rank--; /* without columns */
    add_own(d, word_with(d->op, "keyAntiquantScale"), CASE_F32, one, 1);
    add_own(d, word_with(d->op, "valueAntiquantScale"), CASE_F32, one, 1);
}

/* Columns are those of words where numbers have 4 bits. */
static void random_quantised(struct draw *d)
{
    struct infer_sizes *s = &d->s;
    if (!word_with(d->op, "antiquantScale") || infer_by_rows(s->in) || s->is_whole) return;
    if (!random_once_in(d->random, 3)) return;
    s->is_quantised = true;
    d->key_type = CASE_I8;
    s->packed = 1;
    if (word_with(d->op, "keyAntiquantScale") && !s->block && !s->in_list &&
        random_once_in(d->random, 3)) {
        d->key_type = CASE_I32;
        s->packed = 8;
        s->d = 8 * random_between(d->random, 1, random_once_in(d->random, 6) ? 20 : 3);
    }
    s->dv = s->d; /* scales are for both */
}

static void random_shared(struct draw *d)
{
    struct infer_sizes *s = &d->s;
    const char *key = word_with(d->op, "keySharedPrefix");
    if (!key || s->block || s->in_list || s->is_whole || infer_by_rows(s->in)) return;
    if (!random_once_in(d->random, 3)) return;
    s->shared = s->shared_rows =
        random_between(d->random, 1, random_once_in(d->random, 3) ? 70 : 9);
    random_operand(d->test, d->random, key, d->key_type, s->in, 1, s->shared_rows, s->key_heads,
                   s->d / s->packed, false, false);
    random_operand(d->test, d->random, word_with(d->op, "valueSharedPrefix"), d->key_type, s->in, 1,
                   s->shared_rows, s->key_heads, s->dv / s->packed, false, false);
    if (random_once_in(d->random, 2)) return;
    s->shared = random_between(d->random, 0, s->shared_rows);
    random_ints(d->test, "actualSharedPrefixLenOptional", &s->shared, 1);
}

/* Blocks of panels of some width. */
static void random_panels(const struct draw *d, const char *name, enum case_dtype dtype,
                          int64_t columns, bool is_list)
{
    int64_t width = random_between(d->random, 1, columns);
    while (columns % width != 0)
        width--;
    const int64_t dims[] = {d->batch, d->s.key_heads, columns / width, d->s.block, width};
    struct case_argument *argument = random_tensor(d->test, d->random, name, dtype, dims, 5, false);
    if (is_list) argument->place = CASE_FIRST;
}

static void random_rope(struct draw *d, const char *key_layout)
{
    struct infer_sizes *s = &d->s;
    const char *query = word_with(d->op, "queryRope"), *key = word_with(d->op, "keyRope");
    if (!query || s->is_quantised || s->in_list || s->shared_rows) return;
    if ((s->is_whole && !d->by_rows) || !random_once_in(d->random, 3)) return;
    s->rope = random_between(d->random, 1, 20);
    random_operand(d->test, d->random, query, d->test->dtype, s->in, s->batch, s->queries, s->heads,
                   s->rope, false, false);
    if (s->in_panels)
        random_panels(d, key, d->test->dtype, s->rope, false);
    else
        random_operand(d->test, d->random, key, d->test->dtype, key_layout, d->batch,
                       s->block ? s->block : s->keys, s->key_heads, s->rope, false, false);
}

/* Keys or values: one tensor, of blocks perhaps, or one for each sequence. */
static void random_keys(const struct draw *d, const char *name, const char *layout, int64_t columns)
{
    const struct infer_sizes *s = &d->s;
    const bool are_lists = strncmp(d->op->name, "aclnnPrompt", 11) != 0;
    if (s->in_panels) {
        random_panels(d, name, d->key_type, columns, are_lists);
        return;
    }
    for (int64_t b = 0; b < (s->in_list ? s->batch : 1); b++) {
        const int64_t rows = s->in_list ? s->rows[b] : s->block ? s->block : s->keys;
        struct case_argument *argument =
            random_operand(d->test, d->random, name, d->key_type, layout, s->in_list ? 1 : d->batch,
                           rows, s->key_heads, columns, are_lists, false);
        if (b > 0) argument->place = CASE_NEXT;
    }
}

static void random_padding(const struct draw *d)
{
    static const char *const names[] = {"queryPaddingSize", "kvPaddingSize"};
    const int64_t one[] = {1};
    for (int i = 0; i < 2; i++)
        if (word_with(d->op, names[i]) && !d->s.block && !d->s.shared_rows &&
            !infer_by_rows(d->s.in) && (!d->s.in_list || d->s.queries == 1) &&
            random_once_in(d->random, 3))
            add_own(d, word_with(d->op, names[i]), CASE_I64, one, 1);
}

/* The result's type: INT8 with what makes it. */
static enum case_dtype random_out(const struct draw *d)
{
    const struct infer_sizes *s = &d->s;
    const char *scale = word_with(d->op, "quantScale2");
    const int64_t shapes[][3] = {{1}, {s->heads * s->dv}, {s->heads, s->dv}, {1, s->heads, s->dv}};
    static const int ranks[] = {1, 1, 2, 3};
    const int form = (int)random_below(d->random, 4);
    if (!scale || infer_by_rows(s->in) || !random_once_in(d->random, 4)) return d->test->dtype;
    const enum case_dtype dtype =
        d->test->dtype == CASE_BF16 && !s->is_whole && random_once_in(d->random, 2) ? CASE_BF16
                                                                                    : CASE_F32;
    add_own(d, scale, dtype, shapes[form], ranks[form]);
    if (random_once_in(d->random, 2))
        add_own(d, word_with(d->op, "quantOffset2"), dtype, shapes[form], ranks[form]);
    return CASE_I8;
}

static const char *random_layout(const struct rig_operator *op, struct random *random)
{
    static const char *const layouts[] = {"BSH",     "BSND",     "BNSD",      "BNSD_BSND",
                                          "TND",     "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD",
                                          "TND_NTD", "NTD_TND"};
    if (infer_is_incremental(op)) return layouts[random_below(random, 3)];
    if (strncmp(op->name, "aclnnPrompt", 11) == 0)
        return layouts[random_below(
            random, array_word(op, "actualSeqLengthsKv", "actualSeqLengthsKv") ? 5 : 4)];
    return layouts[random_below(random, 10)];
}

static void random_lse(const struct draw *d)
{
    const struct infer_sizes *s = &d->s;
    const bool by_rows = infer_by_rows(s->in);
    const int64_t of_rows[] = {s->queries, s->heads, 1};
    const int64_t dims[] = {s->batch, s->heads, s->queries, 1};
    if (!word_of(d->op, "softmaxLse", "softmaxLse") || random_once_in(d->random, 2)) return;
    random_number(d->test, "softmaxLseFlag", 1);
    random_tensor(d->test, d->random, "softmaxLse", CASE_F32, by_rows ? of_rows : dims,
                  by_rows ? 3 : 4, true);
}

static void random_sizes(struct draw *d)
{
    struct infer_sizes *s = &d->s;
    struct random *random = d->random;
    s->key_heads = random_between(random, 1, 2);
    s->heads = s->key_heads * random_between(random, 1, 3);
    s->queries = infer_is_incremental(d->op) || random_once_in(random, 3)
                     ? 1
                     : random_between(random, 1, 30);
    s->keys = random_between(random, 1, random_once_in(random, 3) ? 160 : 12);
    s->d = random_between(random, 1, random_once_in(random, 6) ? 150 : 20);
    s->dv = random_once_in(random, 2) ? s->d : random_between(random, 1, s->d);
    s->packed = 1;
    random_pages(d->op, d->test, random, s);
    s->in_panels = s->block && random_once_in(random, 3);
    d->batch = s->block ? random_between(random, 1, 9) : s->batch;
    s->in_list = strncmp(d->op->name, "aclnnPrompt", 11) != 0 && s->batch > 1 && !s->block &&
                 !infer_by_rows(s->in) && random_once_in(random, 4);
    const int64_t most = s->keys;
    for (int64_t b = 0; s->in_list && b < s->batch; b++) {
        s->rows[b] = random_between(random, 0, most);
        s->keys = b == 0 || s->rows[b] > s->keys ? s->rows[b] : s->keys;
    }
}

static struct test_case random_infer(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const char *text = random_layout(op, random);
    struct draw d = {op, &test, random, {.batch = random_between(random, 1, 3)}, dtype, 0, false};
    struct infer_sizes *s = &d.s;
    infer_split_layout(text, s);
    random_sizes(&d);
    const char *layout = s->block == 0 ? s->in : random_once_in(random, 2) ? "BSH" : "BNSD";
    random_whole(&d);
    random_quantised(&d);
    random_operand(&test, random, "query", s->is_whole ? CASE_I8 : dtype, s->in, s->batch,
                   s->queries, s->heads, s->d, false, false);
    random_keys(&d, "key", layout, s->d / s->packed);
    random_keys(&d, "value", layout, s->dv / s->packed);
    random_shared(&d);
    if (s->is_quantised) random_factors(&d);
    random_rope(&d, layout);
    random_padding(&d);
    random_pairs(op, &test, random, s);
    random_lengths(op, &test, random, false, s);
    random_lengths(op, &test, random, true, s);
    random_number(&test, "numHeads", (double)s->heads);
    random_number(&test, "numKeyValueHeads", s->key_heads == s->heads ? 0 : (double)s->key_heads);
    random_number(&test, "scaleValue", random_unit(random) / sqrt((double)s->d));
    if (!infer_is_incremental(op)) {
        random_number(&test, "preTokens", (double)random_between(random, -3, 70));
        random_number(&test, "nextTokens", (double)random_between(random, -3, 90));
    }
    strcpy(random_type(&test, "inputLayout", CASE_F32)->text, text);
    random_operand(&test, random, "attentionOut", random_out(&d), s->out, s->batch, s->queries,
                   s->heads, s->dv, false, true);
    random_lse(&d);
    return test;
}

/* ---- what is not free ---- */

static void set(struct rig_problem *problem, int operand, int64_t i, double value)
{
    struct rig_tensor *tensor = &problem->tensor[operand];
    tensor->bits[i] = oracle_cast_real(tensor->view.dtype, value);
}

/* Factors of products of whole numbers, those of UINT64 in the lower half beside other bits. */
static void fill_whole(struct rig_problem *problem, struct random *random, int operand,
                       const char *name)
{
    const bool is_weight = strncmp(name, "quantScale1", 11) == 0;
    struct rig_tensor *tensor = &problem->tensor[operand];
    for (int64_t i = 0; i < tensor->count; i++) {
        const float value = (float)(is_weight ? 127 * fabs(random_unit(random))
                                              : random_unit(random) / (name[0] == 'd' ? 128 : 1));
        uint32_t low;
        memcpy(&low, &value, sizeof low);
        tensor->bits[i] =
            tensor->view.dtype == CASE_U64 ? (uint64_t)0x5eed << 32 | low : (uint64_t)low;
    }
}

/* Scales that leave numbers of about 1, offsets of about a number of 8 bits. */
static void fill_factors(struct rig_problem *problem, struct random *random, int operand,
                         const char *name)
{
    const bool is_offset = strstr(name, "Offset") != NULL;
    const bool is_result = strncmp(name, "quant", 5) == 0;
    const double scale = is_result ? 30 : 1.0 / 64;
    for (int64_t i = 0; i < problem->tensor[operand].count; i++)
        set(problem, operand, i,
            is_offset ? 20 * random_unit(random) : scale * random_unit(random));
}

static void fill(struct rig_problem *problem, struct random *random)
{
    const int table = norm_one_of(problem, INFER_TABLE);
    if (table >= 0) index_fill(problem, random, table, problem->tensor[1].view.dims[0], false);
    for (int slot = 0; problem->op->tensor[slot]; slot++) {
        const char *name = problem->op->tensor[slot];
        const int i = problem->call.first[slot];
        if (problem->call.is_null[i]) continue;
        if (norm_has_word("deqScale1 deqScale1Optional quantScale1 quantScale1Optional deqScale2 "
                          "deqScale2Optional dequantScaleQueryOptional",
                          name))
            fill_whole(problem, random, i, name);
        if (strstr(name, "ntiquant") || norm_has_word("quantScale2 quantScale2Optional "
                                                      "quantOffset2 quantOffset2Optional",
                                                      name))
            fill_factors(problem, random, i, name);
        if (strstr(name, "PaddingSize"))
            problem->tensor[i].bits[0] = (uint64_t)random_between(random, -2, 12);
    }
}

const struct oracle_row oracle_infer_rows[] = {
    {.name = "aclnnFusedInferAttentionScore",
     .oracle = infer_oracle,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines = NULL},
    {.name = "aclnnFusedInferAttentionScoreV4",
     .oracle = infer_oracle,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines =
         LINES("fused_infer_attention_score_v4 bf16 blockTableOptional=2x4:i32 blockSize=16 "
               "query=2x3x8x512:i8 key=[9x1x16x16x32:i8] value=[9x1x16x16x32:i8] "
               "queryRopeOptional=2x3x8x64 keyRopeOptional=9x1x4x16x16 "
               "dequantScaleQueryOptional=2x3x8:f32 keyAntiquantScaleOptional=1:f32 "
               "valueAntiquantScaleOptional=1:f32 queryQuantMode=3 "
               "actualSeqLengthsKvOptional=50x64 numHeads=8 numKeyValueHeads=1 scaleValue=0.04 "
               "inputLayout=BSND attentionOut=2x3x8x512",
               "fused_infer_attention_score_v4 f16 query=70x2x128:i8 key=[90x1x128:i8] "
               "value=[90x1x120:i8] queryRopeOptional=70x2x64 keyRopeOptional=90x1x64 "
               "dequantScaleQueryOptional=70x2:f32 keyAntiquantScaleOptional=1:f32 "
               "valueAntiquantScaleOptional=1:f32 queryQuantMode=3 "
               "actualSeqLengthsOptional=50x70 actualSeqLengthsKvOptional=60x90 numHeads=2 "
               "numKeyValueHeads=1 scaleValue=0.04 inputLayout=TND attentionOut=70x2x120")},
    {.name = "aclnnFusedInferAttentionScoreV2",
     .oracle = infer_oracle,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines =
         LINES("fused_infer_attention_score_v2 f16 query=1x70x1024 key=[1x300x512:i8] "
               "value=[1x300x512:i8] keySharedPrefixOptional=1x150x512:i8 "
               "valueSharedPrefixOptional=1x150x512:i8 actualSharedPrefixLenOptional=149 "
               "keyAntiquantScaleOptional=1x512 keyAntiquantOffsetOptional=1x512 "
               "valueAntiquantScaleOptional=1x512 valueAntiquantOffsetOptional=1x512 numHeads=2 "
               "numKeyValueHeads=1 scaleValue=0.04 inputLayout=BSH quantScale2Optional=1024:f32 "
               "attentionOut=1x70x1024:i8",
               "fused_infer_attention_score_v2 bf16 query=2x8x1x128 key=[2x2x170x16:i32] "
               "value=[2x2x170x16:i32] keyAntiquantMode=1 valueAntiquantMode=1 "
               "keyAntiquantScaleOptional=1x2x200:f32 valueAntiquantScaleOptional=2x200:f32 "
               "actualSeqLengthsKvOptional=170x66 kvPaddingSizeOptional=1:i64 numHeads=8 "
               "numKeyValueHeads=2 scaleValue=0.09 inputLayout=BNSD attentionOut=2x8x1x128",
               "fused_infer_attention_score_v2 f16 query=2x5x4x32 key=[1x50x2x32:i8,1x90x2x32:i8] "
               "value=[1x50x2x32:i8,1x90x2x32:i8] keyAntiquantMode=1 valueAntiquantMode=1 "
               "keyAntiquantScaleOptional=2x90:f32 valueAntiquantScaleOptional=2x90:f32 "
               "attenMaskOptional=2x1x5x90:bool numHeads=4 numKeyValueHeads=2 scaleValue=0.2 "
               "inputLayout=BSND attentionOut=2x5x4x32 softmaxLseFlag=1 softmaxLse=2x4x5x1:f32",
               "fused_infer_attention_score_v2 f32 query=2x4x1x32 key=[1x2x50x4:i32,1x2x90x4:i32] "
               "value=[1x2x50x4:i32,1x2x90x4:i32] keyAntiquantScaleOptional=2x32 "
               "valueAntiquantScaleOptional=2x32 actualSeqLengthsKvOptional=40x90 numHeads=4 "
               "numKeyValueHeads=2 scaleValue=0.2 inputLayout=BNSD attentionOut=2x4x1x32",
               "fused_infer_attention_score_v2 f16 query=1x70x256:i8 key=[1x300x128:i8] "
               "value=[1x300x128:i8] deqScale1Optional=scalar:u64 quantScale1Optional=1:f32 "
               "deqScale2Optional=1:u64 pseShiftOptional=1x2x70x300 numHeads=2 "
               "numKeyValueHeads=1 scaleValue=0.04 inputLayout=BSH quantScale2Optional=256:f32 "
               "attentionOut=1x70x256:i8")},
    {.name = "aclnnFusedInferAttentionScoreV3",
     .oracle = infer_oracle,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines =
         LINES("fused_infer_attention_score_v3 f32 query=1x60x143 key=[1x300x143] "
               "value=[1x300x143] queryRopeOptional=1x60x1 keyRopeOptional=1x300x1 numHeads=1 "
               "scaleValue=0.08 inputLayout=BSH attentionOut=1x60x143",
               "fused_infer_attention_score_v3 bf16 blockTableOptional=2x4:i32 blockSize=16 "
               "query=2x5x512 key=[9x1x32x16x16] value=[9x1x32x16x16] queryRopeOptional=2x5x64 "
               "keyRopeOptional=9x1x4x16x16 actualSeqLengthsKvOptional=50x64 numHeads=1 "
               "scaleValue=0.04 inputLayout=BSH attentionOut=2x5x512",
               "fused_infer_attention_score_v3 f16 blockTableOptional=2x4:i32 blockSize=16 "
               "query=2x5x1x512 key=[9x1x16x512] value=[9x1x16x512] queryRopeOptional=2x5x1x64 "
               "keyRopeOptional=9x1x16x64 actualSeqLengthsKvOptional=50x64 numHeads=5 "
               "numKeyValueHeads=1 scaleValue=0.04 inputLayout=BNSD attentionOut=2x5x1x512",
               "fused_infer_attention_score_v3 bf16 query=70x2x512 key=[90x1x512] "
               "value=[90x1x500] queryRopeOptional=70x2x64 keyRopeOptional=90x1x64 "
               "actualSeqLengthsOptional=50x70 actualSeqLengthsKvOptional=60x90 numHeads=2 "
               "numKeyValueHeads=1 scaleValue=0.04 inputLayout=TND attentionOut=70x2x500 "
               "softmaxLse=70x2x1:f32 softmaxLseFlag=1",
               "fused_infer_attention_score_v3 f32 blockTableOptional=3x4:i32 blockSize=16 "
               "query=20x4x16 key=[9x2x16x16] value=[9x2x16x16] "
               "attenMaskOptional=2048x2048:bool:s0x0 sparseMode=3 "
               "actualSeqLengthsOptional=1x9x20 actualSeqLengthsKvOptional=30x64x17 numHeads=4 "
               "numKeyValueHeads=2 scaleValue=0.25 inputLayout=TND attentionOut=20x4x16 "
               "softmaxLse=20x4x1:f32 softmaxLseFlag=1")},
    {.name = "aclnnIncreFlashAttention aclnnIncreFlashAttentionV2 aclnnIncreFlashAttentionV3 "
             "aclnnIncreFlashAttentionV4",
     .oracle = infer_oracle,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines = NULL},
    {.name = "aclnnPromptFlashAttention aclnnPromptFlashAttentionV2 aclnnPromptFlashAttentionV3",
     .oracle = infer_oracle,
     .random = random_infer,
     .fill = fill,
     .ulp = 2,
     .lines = NULL},
    {.name = NULL},
};

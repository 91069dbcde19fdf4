/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of attention's operators. */
#include <math.h>
#include <string.h>

#include "tests/support/attention.h"
#include "tests/support/oracle_attention.h"

static int64_t shape(const struct attention_sizes *s, bool is_key, int64_t heads, int64_t columns,
                     int64_t *dims)
{
    const int64_t rows = is_key ? s->key_rows : s->query_rows;
    const int64_t each = s->by_lengths ? rows : is_key ? s->keys[0] : s->queries[0];
    int64_t rank = 0;
    for (const char *at = s->layout; *at; at++)
        dims[rank++] = *at == 'B'   ? s->batch
                       : *at == 'S' ? each
                       : *at == 'T' ? rows
                       : *at == 'N' ? heads
                       : *at == 'H' ? heads * columns
                                    : columns;
    return rank;
}

static int64_t some_length(struct random *random, int64_t most)
{
    if (random_once_in(random, 20)) return 0;
    return random_between(random, 1, random_once_in(random, 3) ? most : 9);
}

static bool has_number(const struct rig_operator *op, const char *name)
{
    for (int i = 0; op->number[i]; i++)
        if (strcmp(op->number[i], name) == 0) return true;
    return false;
}

/* Columns of second parts, which some operators must have. */
static int64_t random_rope(const struct rig_operator *op, struct random *random)
{
    for (int slot = 0; op->tensor[slot]; slot++)
        if (norm_has_word(ATTENTION_ROPE, op->tensor[slot]))
            return strcmp(op->tensor[slot], "queryRope") != 0 && random_once_in(random, 2)
                       ? 0
                       : random_between(random, 1, 20);
    return 0;
}

static struct attention_sizes random_sizes(const struct rig_operator *op, struct random *random)
{
    static const char *const layouts[] = {"BSH", "SBH", "BSND", "BNSD"};
    struct attention_sizes s = {.batch = random_between(random, 1, 3)};
    const bool takes_all = has_number(op, "seed");
    s.by_lengths = strstr(op->name, "VarLen") || strstr(op->name, "Unpadding") ||
                   (takes_all && random_once_in(random, 2));
    s.layout = s.by_lengths ? "TND" : layouts[random_below(random, 4)];
    s.key_heads = random_between(random, 1, 2);
    s.heads = s.key_heads * random_between(random, 1, 2);
    s.d = random_between(random, 1, random_once_in(random, 8) ? 70 : 20);
    s.dv = random_once_in(random, 2) ? s.d : random_between(random, 1, s.d);
    s.rope = random_rope(op, random);
    const int64_t most = s.d > 20 ? 20 : 160;
    const bool is_even = !s.by_lengths || random_once_in(random, 2);
    const bool has_one_query = random_once_in(random, 4);
    for (int64_t b = 0; b < s.batch; b++) {
        s.queries[b] = b > 0 && is_even ? s.queries[0] : some_length(random, 60);
        if (has_one_query) s.queries[b] = 1;
        s.keys[b] = b > 0 && is_even ? s.keys[0]
                    : has_one_query  ? random_between(random, 0, most)
                                     : some_length(random, most);
        s.query_rows += s.queries[b];
        s.key_rows += s.keys[b];
    }
    for (int i = 0; s.by_lengths && i < 2; i++)
        if (random_once_in(random, 6)) *(i ? &s.key_rows : &s.query_rows) += 3;
    return s;
}

static void random_pairs(struct test_case *test, struct random *random, const char *name,
                         enum case_dtype dtype, const struct attention_sizes *s, int least_rank)
{
    int64_t dims[4] = {s->batch, s->heads, 0, 0};
    const int rank = (int)random_between(random, least_rank, 4);
    for (int64_t b = 0; b < s->batch; b++) {
        dims[2] = s->queries[b] > dims[2] ? s->queries[b] : dims[2];
        dims[3] = s->keys[b] > dims[3] ? s->keys[b] : dims[3];
    }
    for (int i = 0; i < 4; i++)
        if (random_once_in(random, 4)) dims[i] = 1;
    random_tensor(test, random, name, dtype, dims + 4 - rank, rank, false);
}

static void random_lengths(struct test_case *test, const struct attention_sizes *s,
                           const char *name, const int64_t *lengths)
{
    int64_t ends[ATTENTION_SEQUENCES], end = 0;
    for (int64_t b = 0; b < s->batch; b++)
        ends[b] = end += lengths[b];
    random_ints(test, name, ends, (int)s->batch);
}

static bool is_one_length(const struct attention_sizes *s)
{
    for (int64_t b = 1; b < s->batch; b++)
        if (s->queries[b] != s->queries[0] || s->keys[b] != s->keys[0]) return false;
    return true;
}

static int64_t weights_of(const struct attention_sizes *s)
{
    int64_t weights = 0;
    for (int64_t b = 0; b < s->batch; b++)
        weights += s->heads * s->queries[b] * s->keys[b];
    return weights;
}

static void random_bias(const struct rig_operator *op, struct test_case *test,
                        struct random *random, const struct attention_sizes *s)
{
    const bool is_grad = strstr(op->name, "Grad") != NULL;
    const char *name = is_grad ? "pseShiftOptional" : "realShiftOptional";
    const bool has_type = has_number(op, "pseType");
    const int64_t type = has_type ? random_below(random, 4) : BIAS_BEFORE;
    const int64_t dims[] = {s->batch, s->heads};
    const bool is_there = random_once_in(random, 2) && (type >= BIAS_LINEAR || is_one_length(s));
    if (has_type) random_number(test, "pseType", (double)(is_there ? type : BIAS_BEFORE));
    if (!is_there) return;
    if (type < BIAS_LINEAR) {
        random_pairs(test, random, name, test->dtype, s, 4);
        return;
    }
    const int rank = (int)random_between(random, 1, 2);
    random_tensor(test, random, name, CASE_F32, dims + 2 - rank, rank, false);
    const int64_t start = random_between(random, 0, 50);
    if (random_once_in(random, 2)) random_ints(test, "qStartIdxOptional", &start, 1);
}

static void random_beside(const struct rig_operator *op, struct test_case *test,
                          struct random *random, const struct attention_sizes *s)
{
    static const int modes[] = {0, 0, 1, 5};
    const int mode = modes[random_below(random, s->by_lengths ? 3 : 4)];
    const int64_t bytes[] = {(weights_of(s) + 7) / 8 + random_below(random, 4)};
    int64_t prefix[ATTENTION_SEQUENCES];
    random_bias(op, test, random, s);
    if (random_once_in(random, 3)) {
        random_tensor(test, random, "dropMaskOptional", CASE_U8, bytes, 1, false);
        random_number(test, "keepProb", random_once_in(random, 4) ? 1 : 0.75);
    } else {
        random_number(test, "keepProb", 1);
    }
    random_number(test, "sparseMode", mode);
    random_number(test, "preTokens", (double)random_between(random, -3, 70));
    random_number(test, "nextTokens", (double)random_between(random, -3, 90));
    if (random_once_in(random, 2)) return;
    random_pairs(test, random, "attenMaskOptional", random_once_in(random, 2) ? CASE_BOOL : CASE_U8,
                 s, 2);
    for (int64_t b = 0; b < s->batch; b++)
        prefix[b] = random_between(random, 0, s->keys[b]);
    if (mode == 5) random_ints(test, "prefixOptional", prefix, (int)s->batch);
}

static void random_stats(struct test_case *test, struct random *random,
                         const struct attention_sizes *s, const char *name, bool is_written)
{
    const int64_t dims[] = {s->batch, s->heads, s->queries[0], ATTENTION_STATS};
    const int64_t of_rows[] = {s->query_rows, s->heads, ATTENTION_STATS};
    const int64_t of_heads[] = {s->heads, s->query_rows, ATTENTION_STATS};
    if (s->by_lengths)
        random_tensor(test, random, name, CASE_F32, random_once_in(random, 2) ? of_rows : of_heads,
                      3, is_written);
    else
        random_tensor(test, random, name, CASE_F32, dims, 4, is_written);
}

static void random_sinks(const struct rig_operator *op, struct test_case *test,
                         struct random *random, const struct attention_sizes *s)
{
    const bool is_there = random_once_in(random, 2);
    for (int slot = 0; op->tensor[slot] && is_there; slot++) {
        const char *name = op->tensor[slot];
        const bool is_read = norm_has_word("sinkOptional sinkInOptional", name);
        if (is_read || (strcmp(name, "dsinkOut") == 0 && random_once_in(random, 2)))
            random_tensor(test, random, name, CASE_F32, &s->heads, 1, !is_read);
    }
}

static void random_ropes(const struct rig_operator *op, struct test_case *test,
                         struct random *random, const struct attention_sizes *s)
{
    for (int slot = 0; op->tensor[slot] && s->rope > 0; slot++) {
        const char *name = op->tensor[slot];
        const bool is_key = norm_has_word(ATTENTION_KEY_ROPE " dkRopeOut", name);
        int64_t dims[4];
        if (!is_key && !norm_has_word(ATTENTION_ROPE " dqRopeOut", name)) continue;
        const int64_t rank = shape(s, is_key, is_key ? s->key_heads : s->heads, s->rope, dims);
        random_tensor(test, random, name, test->dtype, dims, (int)rank,
                      rig_is_output(&op->operand[slot]));
    }
}

struct test_case attention_random(const struct rig_operator *op, struct random *random,
                                  enum case_dtype dtype)
{
    static const char *const like_query = "attentionOutOut attentionInOptional dy";
    struct test_case test = norm_start(op, random, dtype);
    const struct attention_sizes s = random_sizes(op, random);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        /* What fill() writes has an element each. */
        const bool is_written =
            rig_is_output(&op->operand[slot]) || norm_has_word("attentionInOptional", name);
        const bool is_key = norm_has_word("key keyIn dkOut", name);
        const bool is_value = norm_has_word("value dvOut", name);
        const bool is_like = norm_has_word(like_query, name);
        int64_t dims[4];
        if (strncmp(name, "softmaxMax", 10) == 0 || strncmp(name, "softmaxSum", 10) == 0)
            random_stats(&test, random, &s, name, true);
        if (!is_key && !is_value && !is_like && !norm_has_word("query dqOut", name)) continue;
        const int64_t rank =
            shape(&s, is_key || is_value, is_key || is_value ? s.key_heads : s.heads,
                  is_value || is_like ? s.dv : s.d, dims);
        random_tensor(&test, random, name, dtype, dims, (int)rank, is_written);
    }
    random_ropes(op, &test, random, &s);
    random_beside(op, &test, random, &s);
    random_sinks(op, &test, random, &s);
    random_number(&test, "scaleValue", random_unit(random) / sqrt((double)s.d));
    random_number(&test, "headNum", (double)s.heads);
    if (s.by_lengths) random_lengths(&test, &s, "actualSeqQLenOptional", s.queries);
    if (s.by_lengths) random_lengths(&test, &s, "actualSeqKvLenOptional", s.keys);
    strcpy(random_type(&test, "inputLayout", CASE_F32)->text, s.layout);
    if (op->names->text[1] && random_once_in(random, 2))
        strcpy(random_type(&test, op->names->text[1], CASE_F32)->text, "same_as_input");
    return test;
}

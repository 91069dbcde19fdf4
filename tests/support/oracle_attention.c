/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of attention: layouts, and what stands beside query, key and value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/attention.h"
#include "tests/support/oracle_attention.h"

/* ---- layouts ---- */

/* Where element (row of all sequences, head, column) lies in the operator's tensor. */
static int64_t place(const struct attention_sizes *s, bool is_key, int64_t row, int64_t head,
                     int64_t heads, int64_t column, int64_t columns)
{
    const int64_t rows = is_key ? s->keys[0] : s->queries[0];
    const int64_t b = s->by_lengths ? 0 : row / rows, i = s->by_lengths ? row : row % rows;
    if (strcmp(s->layout, "SBH") == 0)
        return ((i * s->batch + b) * heads + head) * columns + column;
    if (strcmp(s->layout, "BNSD") == 0) return ((b * heads + head) * rows + i) * columns + column;
    return ((b * rows + i) * heads + head) * columns + column;
}

static const int64_t *array_of(const struct rig_problem *problem, const char *name, int *count)
{
    *count = 0;
    for (int i = 0; problem->op->array[i]; i++)
        if (strcmp(problem->op->array[i], name) == 0 && !problem->call.array[i].is_null) {
            *count = problem->call.array[i].length;
            return problem->call.array[i].values;
        }
    return NULL;
}

static void cut_rows(const struct rig_problem *problem, const char *name, int64_t all,
                     int64_t *lengths)
{
    int count;
    const int64_t *ends = array_of(problem, name, &count);
    for (int i = 0; i < count; i++)
        lengths[i] = ends[i] - (i ? ends[i - 1] : 0);
    lengths[count] = all - ends[count - 1];
}

static struct attention_sizes sizes_of(const struct rig_problem *problem)
{
    struct attention_sizes s = {.layout = problem->call.text[0]};
    const int64_t *q = problem->tensor[0].view.dims;
    const int64_t *k = problem->tensor[norm_one_of(problem, "key keyIn")].view.dims;
    const int64_t *v = problem->tensor[norm_operand(problem, "value")].view.dims;
    const int rope = norm_one_of(problem, ATTENTION_ROPE);
    const int axis_s = (int)(strcspn(s.layout, "ST")), axis_b = (int)strcspn(s.layout, "B");
    const int axis_n = (int)strcspn(s.layout, "N"), last = (int)strlen(s.layout) - 1;
    int count;
    s.by_lengths = s.layout[0] == 'T';
    s.heads = norm_integer(problem, "headNum", 1);
    if (s.layout[axis_n]) {
        s.key_heads = k[axis_n];
        s.d = q[last];
        s.dv = v[last];
    } else {
        s.d = q[2] / s.heads;
        s.key_heads = k[2] / s.d;
        s.dv = v[2] / s.key_heads;
    }
    if (rope >= 0)
        s.rope = problem->tensor[rope].view.dims[last] / (s.layout[axis_n] ? 1 : s.heads);
    s.query_rows = q[axis_s];
    s.key_rows = k[axis_s];
    if (s.by_lengths) {
        array_of(problem, "actualSeqQLenOptional", &count);
        s.batch = count;
        cut_rows(problem, "actualSeqQLenOptional", q[axis_s], s.queries);
        cut_rows(problem, "actualSeqKvLenOptional", k[axis_s], s.keys);
        return s;
    }
    s.batch = q[axis_b];
    for (int64_t b = 0; b < s.batch; b++) {
        s.queries[b] = q[axis_s];
        s.keys[b] = k[axis_s];
    }
    s.query_rows *= s.batch;
    s.key_rows *= s.batch;
    return s;
}

/* ---- from the operator's tensors to the definition's ---- */

/* rope: the operand whose columns stand behind the others; -1: there is none. */
static double *dense(const struct rig_problem *problem, const struct attention_sizes *s,
                     int operand, int rope, bool is_key, int64_t columns)
{
    const int64_t heads = is_key ? s->key_heads : s->heads, more = rope < 0 ? 0 : s->rope;
    const int64_t rows = is_key ? s->key_rows : s->query_rows;
    double *to = calloc((size_t)(rows * heads * (columns + more)) + 1, sizeof *to), *at = to;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t n = 0; n < heads; n++) {
            for (int64_t d = 0; d < columns; d++)
                *at++ = oracle_value(problem, operand, place(s, is_key, r, n, heads, d, columns));
            for (int64_t d = 0; d < more; d++)
                *at++ = oracle_value(problem, rope, place(s, is_key, r, n, heads, d, more));
        }
    return to;
}

/* What a mask or a bias says of each weight; NULL: there is none. */
static double *beside(const struct rig_problem *problem, const struct attention_sizes *s,
                      int operand, int64_t weights)
{
    if (operand < 0) return NULL;
    double *to = calloc((size_t)weights + 1, sizeof *to);
    const struct operand *view = &problem->tensor[operand].view;
    int64_t at = 0;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t n = 0; n < s->heads; n++)
            for (int64_t i = 0; i < s->queries[b]; i++)
                for (int64_t j = 0; j < s->keys[b]; j++) {
                    const int64_t index[] = {b, n, i, j};
                    int64_t element = 0;
                    for (int axis = 0; axis < view->rank; axis++) {
                        const int64_t size = view->dims[axis];
                        element = element * size + (size == 1 ? 0 : index[axis + 4 - view->rank]);
                    }
                    to[at++] = oracle_is_float(view->dtype)
                                   ? oracle_value(problem, operand, element)
                                   : (double)oracle_whole_value(problem, operand, element);
                }
    return to;
}

static double *kept_of(const struct rig_problem *problem, int operand, int64_t weights)
{
    if (operand < 0) return NULL;
    double *to = calloc((size_t)weights + 1, sizeof *to);
    for (int64_t e = 0; e < weights; e++)
        to[e] = (double)(oracle_whole_value(problem, operand, e / 8) >> e % 8 & 1);
    return to;
}

struct held {
    struct attention_sizes sizes;
    struct attention a;
    double *owned[12];
    int count;
};

static const double *hold(struct held *held, double *array)
{
    return held->owned[held->count++] = array;
}

static void let_go(struct held *held)
{
    while (held->count > 0)
        free(held->owned[--held->count]);
    free(held);
}

static double first_of(const struct rig_problem *problem, const char *name)
{
    int count;
    const int64_t *values = array_of(problem, name, &count);
    return count > 0 ? (double)values[0] : 0;
}

static void hold_bias(const struct rig_problem *problem, struct held *held)
{
    struct attention *a = &held->a;
    const int bias = norm_one_of(problem, "realShiftOptional pseShiftOptional");
    a->type = BIAS_NONE;
    a->shift = first_of(problem, "kvStartIdxOptional") - first_of(problem, "qStartIdxOptional");
    if (bias < 0) return;
    a->type = (enum attention_bias)norm_integer(problem, "pseType", BIAS_BEFORE);
    if (a->type < BIAS_LINEAR) {
        a->bias = hold(held, beside(problem, &held->sizes, bias, attention_weights(a)));
        return;
    }
    const int64_t count = problem->tensor[bias].count;
    double *slopes = calloc((size_t)(a->sequences * a->heads) + 1, sizeof *slopes);
    for (int64_t i = 0; i < a->sequences * a->heads; i++)
        slopes[i] = oracle_value(problem, bias, i % count);
    a->slopes = hold(held, slopes);
}

static struct held *hold_all(const struct rig_problem *problem)
{
    struct held *held = calloc(1, sizeof *held);
    held->sizes = sizes_of(problem);
    const struct attention_sizes *s = &held->sizes;
    struct attention *a = &held->a;
    const int mask = norm_operand(problem, "attenMaskOptional");
    int count;
    a->sequences = s->batch;
    a->heads = s->heads;
    a->key_heads = s->key_heads;
    a->d = s->d + s->rope;
    a->dv = s->dv;
    a->queries = s->queries;
    a->keys = s->keys;
    a->prefix = array_of(problem, "prefixOptional", &count);
    a->scale = norm_real(problem, "scaleValue", 1);
    a->keep = norm_real(problem, "keepProb", 1);
    a->mode = mask < 0 ? -1 : (int)norm_integer(problem, "sparseMode", 0);
    a->before = norm_integer(problem, "preTokens", 0);
    a->after = norm_integer(problem, "nextTokens", 0);
    a->q = hold(held, dense(problem, s, 0, norm_one_of(problem, ATTENTION_ROPE), false, s->d));
    a->k = hold(held, dense(problem, s, norm_one_of(problem, "key keyIn"),
                            norm_one_of(problem, ATTENTION_KEY_ROPE), true, s->d));
    a->v = hold(held, dense(problem, s, norm_operand(problem, "value"), -1, true, s->dv));
    a->hidden = beside(problem, s, mask, attention_weights(a));
    if (a->hidden) hold(held, (double *)a->hidden);
    a->kept = a->keep == 1 ? NULL
                           : hold(held, kept_of(problem, norm_operand(problem, "dropMaskOptional"),
                                                attention_weights(a)));
    const int sinks = norm_one_of(problem, "sinkOptional sinkInOptional");
    double *of_heads = calloc((size_t)a->heads + 1, sizeof *of_heads);
    for (int64_t n = 0; sinks >= 0 && n < a->heads; n++)
        of_heads[n] = oracle_value(problem, sinks, n);
    hold(held, of_heads);
    if (sinks >= 0) a->sinks = of_heads;
    hold_bias(problem, held);
    return held;
}

/* Where the operator has the statistics of the definition's row `index`. */
static int64_t stat_place(const struct rig_problem *problem, const struct attention_sizes *s,
                          int64_t index)
{
    const char *order = problem->op->names->text[1] ? problem->call.text[1] : NULL;
    int64_t begin = 0;
    if (!s->by_lengths || !order || !order[0]) return index;
    for (int64_t b = 0; b < s->batch; begin += s->queries[b++]) {
        const int64_t at = index - begin * s->heads;
        if (at < s->queries[b] * s->heads)
            return (begin + at % s->queries[b]) * s->heads + at / s->queries[b];
    }
    return index;
}

/* ---- results ---- */

static void put(struct rig_problem *problem, int operand, int64_t i, double value, double slack)
{
    problem->near.ulp = 2;
    problem->tensor[operand].near[i] = value;
    problem->tensor[operand].slack[i] = slack + 0x1p-149; /* 0 of either sign */
}

/* Rows of no sequence are 0. Columns from `first` on of rows of `all`. */
static void put_columns(struct rig_problem *problem, const struct attention_sizes *s, int operand,
                        bool is_key, int64_t first, int64_t columns, int64_t all,
                        const struct attention_values *from)
{
    const int64_t heads = is_key ? s->key_heads : s->heads;
    const int64_t rows = is_key ? s->key_rows : s->query_rows;
    for (int64_t r = 0; r < rows && operand >= 0; r++)
        for (int64_t n = 0; n < heads; n++)
            for (int64_t d = 0; d < columns; d++) {
                const int64_t at = (r * heads + n) * all + first + d;
                put(problem, operand, place(s, is_key, r, n, heads, d, columns), from->value[at],
                    from->slack[at]);
            }
}

static void put_rows(struct rig_problem *problem, const struct attention_sizes *s, int operand,
                     bool is_key, int64_t columns, const struct attention_values *from)
{
    put_columns(problem, s, operand, is_key, 0, columns, columns, from);
}

struct solution {
    struct attention_values m, l, out;
};

static struct solution solve(const struct held *held)
{
    const int64_t stats = held->sizes.query_rows * held->sizes.heads;
    struct solution of = {attention_values_new(stats), attention_values_new(stats),
                          attention_values_new(stats * held->sizes.dv)};
    attention_forward(&held->a, &of.m, &of.l, &of.out);
    return of;
}

static void solution_free(struct solution *of)
{
    attention_values_free(&of->m);
    attention_values_free(&of->l);
    attention_values_free(&of->out);
}

static void forward(struct rig_problem *problem)
{
    struct held *held = hold_all(problem);
    const struct attention_sizes *s = &held->sizes;
    const int64_t stats = s->query_rows * s->heads;
    const int max = norm_operand(problem, "softmaxMaxOut");
    const int sum = norm_operand(problem, "softmaxSumOut");
    struct solution of = solve(held);
    for (int64_t i = 0; i < stats * ATTENTION_STATS; i++) {
        const int64_t at =
            stat_place(problem, s, i / ATTENTION_STATS) * ATTENTION_STATS + i % ATTENTION_STATS;
        put(problem, max, at, of.m.value[i / ATTENTION_STATS], of.m.slack[i / ATTENTION_STATS]);
        put(problem, sum, at, of.l.value[i / ATTENTION_STATS], of.l.slack[i / ATTENTION_STATS]);
    }
    put_rows(problem, s, norm_operand(problem, "attentionOutOut"), false, s->dv, &of.out);
    solution_free(&of);
    let_go(held);
}

static const double *stats_of(const struct rig_problem *problem, struct held *held,
                              const char *name)
{
    const int operand = norm_operand(problem, name);
    const int64_t count = problem->tensor[operand].count / ATTENTION_STATS;
    double *to = calloc((size_t)count + 1, sizeof *to);
    for (int64_t i = 0; i < count; i++)
        to[i] =
            oracle_value(problem, operand, stat_place(problem, &held->sizes, i) * ATTENTION_STATS);
    return hold(held, to);
}

static void backward(struct rig_problem *problem)
{
    struct held *held = hold_all(problem);
    const struct attention_sizes *s = &held->sizes;
    struct attention *a = &held->a;
    struct attention_values dq = attention_values_new(s->query_rows * s->heads * a->d);
    struct attention_values dk = attention_values_new(s->key_rows * s->key_heads * a->d);
    struct attention_values dv = attention_values_new(s->key_rows * s->key_heads * s->dv);
    a->m = stats_of(problem, held, "softmaxMaxOptional");
    a->l = stats_of(problem, held, "softmaxSumOptional");
    a->dy = hold(held, dense(problem, s, norm_operand(problem, "dy"), -1, false, s->dv));
    a->out = hold(
        held, dense(problem, s, norm_operand(problem, "attentionInOptional"), -1, false, s->dv));
    const int to = norm_operand(problem, "dsinkOut");
    struct attention_values dsinks = attention_values_new(s->heads);
    attention_backward(a, &dq, &dk, &dv, a->sinks ? &dsinks : NULL);
    for (int64_t n = 0; to >= 0 && n < s->heads; n++)
        put(problem, to, n, dsinks.value[n], dsinks.slack[n]);
    attention_values_free(&dsinks);
    put_columns(problem, s, norm_operand(problem, "dqOut"), false, 0, s->d, a->d, &dq);
    put_columns(problem, s, norm_operand(problem, "dkOut"), true, 0, s->d, a->d, &dk);
    put_columns(problem, s, norm_operand(problem, "dqRopeOut"), false, s->d, s->rope, a->d, &dq);
    put_columns(problem, s, norm_operand(problem, "dkRopeOut"), true, s->d, s->rope, a->d, &dk);
    put_rows(problem, s, norm_operand(problem, "dvOut"), true, s->dv, &dv);
    attention_values_free(&dq);
    attention_values_free(&dk);
    attention_values_free(&dv);
    let_go(held);
}

/* ---- random problems ---- */

static void set(struct rig_problem *problem, int operand, int64_t i, double value)
{
    struct rig_tensor *tensor = &problem->tensor[operand];
    tensor->bits[i] = oracle_cast_real(tensor->view.dtype, value);
}

/* What the forward pass would have left. */
static void fill(struct rig_problem *problem, struct random *random)
{
    const int max = norm_operand(problem, "softmaxMaxOptional");
    const int sum = norm_operand(problem, "softmaxSumOptional");
    const int in = norm_operand(problem, "attentionInOptional");
    (void)random;
    if (max < 0) return;
    struct held *held = hold_all(problem);
    const struct attention_sizes *s = &held->sizes;
    const int64_t stats = s->query_rows * s->heads;
    struct solution of = solve(held);
    for (int64_t i = 0; i < stats * ATTENTION_STATS; i++) {
        const int64_t at =
            stat_place(problem, s, i / ATTENTION_STATS) * ATTENTION_STATS + i % ATTENTION_STATS;
        set(problem, max, at, of.m.value[i / ATTENTION_STATS]);
        set(problem, sum, at, of.l.value[i / ATTENTION_STATS]);
    }
    for (int64_t r = 0; r < s->query_rows; r++)
        for (int64_t n = 0; n < s->heads; n++)
            for (int64_t d = 0; d < s->dv; d++)
                set(problem, in, place(s, false, r, n, s->heads, d, s->dv),
                    of.out.value[(r * s->heads + n) * s->dv + d]);
    solution_free(&of);
    let_go(held);
}

#define ROW(name_of, function, ...)                                                                \
    {                                                                                              \
        .name = name_of, .oracle = function, .random = attention_random, .fill = fill, .ulp = 2,   \
        __VA_ARGS__                                                                                \
    }

const struct oracle_row oracle_attention_rows[] = {
    ROW("aclnnFlashAttentionScore", forward,
        .lines = LINES(
            "flash_attention_score f32 query=2x3x100x64 key=2x3x170x64 value=2x3x170x64 "
            "scaleValue=0.125 keepProb=1 headNum=3 inputLayout=BNSD softmaxMaxOut=2x3x100x8:f32 "
            "softmaxSumOut=2x3x100x8:f32 attentionOutOut=2x3x100x64",
            "flash_attention_score bf16 query=2x50x512 key=2x30x512 value=2x30x256 scaleValue=0.05 "
            "keepProb=1 headNum=1 inputLayout=BSH softmaxMaxOut=2x1x50x8:f32 "
            "softmaxSumOut=2x1x50x8:f32 attentionOutOut=2x50x256",
            "flash_attention_score f32 query=1x4x200x16 key=1x2x300x16 value=1x2x300x16 "
            "attenMaskOptional=200x300:bool scaleValue=0.2 keepProb=1 preTokens=20 nextTokens=100 "
            "headNum=4 inputLayout=BNSD sparseMode=0 softmaxMaxOut=1x4x200x8:f32 "
            "softmaxSumOut=1x4x200x8:f32 attentionOutOut=1x4x200x16")),
    ROW("aclnnFlashAttentionScoreV2", forward, .lines = NULL),
    ROW("aclnnFlashAttentionVarLenScore", forward, .lines = NULL),
    ROW("aclnnFlashAttentionVarLenScoreV2", forward, .lines = NULL),
    ROW("aclnnFlashAttentionScoreGrad", backward,
        .lines = LINES(
            "flash_attention_score_grad f32 query=1x2x100x40 keyIn=1x1x330x40 value=1x1x330x40 "
            "dy=1x2x100x40 softmaxMaxOptional=1x2x100x8:f32 softmaxSumOptional=1x2x100x8:f32 "
            "attentionInOptional=1x2x100x40 scaleValue=0.125 keepProb=1 headNum=2 inputLayout=BNSD "
            "dqOut=1x2x100x40 dkOut=1x1x330x40 dvOut=1x1x330x40",
            "flash_attention_score_grad f16 query=50x1x512 keyIn=70x1x512 value=70x1x512 "
            "dy=50x1x512 "
            "softmaxMaxOptional=1x1x50x8:f32 softmaxSumOptional=1x1x50x8:f32 "
            "attentionInOptional=50x1x512 scaleValue=0.04 keepProb=1 headNum=1 inputLayout=SBH "
            "dqOut=50x1x512 dkOut=70x1x512 dvOut=70x1x512")),
    ROW("aclnnFlashAttentionScoreGradV2", backward, .lines = NULL),
    ROW("aclnnFlashAttentionUnpaddingScoreGrad", backward, .lines = NULL),
    ROW("aclnnFlashAttentionUnpaddingScoreGradV2", backward, .lines = NULL),
    ROW("aclnnFlashAttentionScoreV3", forward, .lines = NULL),
    ROW("aclnnFlashAttentionScoreV4", forward, .lines = NULL),
    ROW("aclnnFlashAttentionVarLenScoreV3", forward,
        .lines = LINES(
            "flash_attention_var_len_score_v3 bf16 query=90x2x128 queryRope=90x2x64 key=130x1x128 "
            "keyRope=130x1x64 value=130x1x128 actualSeqQLenOptional=60x90 "
            "actualSeqKvLenOptional=70x130 scaleValue=0.07 keepProb=1 headNum=2 inputLayout=TND "
            "softmaxMaxOut=90x2x8:f32 softmaxSumOut=90x2x8:f32 attentionOutOut=90x2x128")),
    ROW("aclnnFlashAttentionVarLenScoreV4", forward, .lines = NULL),
    ROW("aclnnFlashAttentionScoreGradV3", backward, .lines = NULL),
    ROW("aclnnFlashAttentionScoreGradV4", backward, .lines = NULL),
    ROW("aclnnFlashAttentionUnpaddingScoreGradV3", backward, .lines = NULL),
    ROW("aclnnFlashAttentionUnpaddingScoreGradV4", backward, .lines = NULL),
    {.name = NULL},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Attention where rows of random problems do not go: masks that are known by their mode, the two
 * directions together, what is refused. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "tests/support/attention.h"
#include "tests/support/random.h"

enum { STATS = 8, SIDE = 2048, SEQUENCES = 4, D = 20, DV = 12, KEY_HEADS = 2, HEADS = 4 };

static aclrtStream stream;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

static void end(void)
{
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(attention, .init = begin, .fini = end, .timeout = 300);

/* ---- a problem, as TND or, where all sequences have one length, as BSND ---- */

struct problem {
    struct attention a;
    int64_t queries[SEQUENCES], keys[SEQUENCES], prefix[SEQUENCES];
    int64_t query_rows, key_rows;
    bool by_lengths;
    double *q, *k, *v, *dy; /* values of floats */
    float *out, *max, *sum, *dq, *dk, *dv;
};

static double *some_floats(struct random *random, int64_t count)
{
    double *to = malloc((size_t)(count + 1) * sizeof *to);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)random_unit(random);
    return to;
}

static float *no_floats(int64_t count)
{
    float *to = malloc((size_t)(count + 1) * sizeof *to);
    for (int64_t i = 0; i < count; i++)
        to[i] = NAN;
    return to;
}

static struct problem *problem_new(int mode, bool by_lengths, int64_t sequences,
                                   const int64_t *queries, const int64_t *keys)
{
    struct problem *p = calloc(1, sizeof *p);
    struct random random = {(uint64_t)mode + 77};
    memcpy(p->queries, queries, (size_t)sequences * sizeof *queries);
    memcpy(p->keys, keys, (size_t)sequences * sizeof *keys);
    for (int64_t b = 0; b < sequences; b++)
        p->prefix[b] = random_between(&random, 0, keys[b]);
    p->by_lengths = by_lengths;
    p->query_rows = attention_rows(queries, sequences);
    p->key_rows = attention_rows(keys, sequences);
    p->q = some_floats(&random, p->query_rows * HEADS * D);
    p->k = some_floats(&random, p->key_rows * KEY_HEADS * D);
    p->v = some_floats(&random, p->key_rows * KEY_HEADS * DV);
    p->dy = some_floats(&random, p->query_rows * HEADS * DV);
    p->out = no_floats(p->query_rows * HEADS * DV);
    p->max = no_floats(p->query_rows * HEADS * STATS);
    p->sum = no_floats(p->query_rows * HEADS * STATS);
    p->dq = no_floats(p->query_rows * HEADS * D);
    p->dk = no_floats(p->key_rows * KEY_HEADS * D);
    p->dv = no_floats(p->key_rows * KEY_HEADS * DV);
    p->a = (struct attention){.sequences = sequences,
                              .heads = HEADS,
                              .key_heads = KEY_HEADS,
                              .d = D,
                              .dv = DV,
                              .queries = p->queries,
                              .keys = p->keys,
                              .prefix = p->prefix,
                              .scale = 0.8,
                              .keep = 1,
                              .mode = mode,
                              .before = 40,
                              .after = 15,
                              .type = BIAS_NONE,
                              .q = p->q,
                              .k = p->k,
                              .v = p->v,
                              .dy = p->dy};
    return p;
}

static void problem_free(struct problem *p)
{
    void *const all[] = {p->q, p->k, p->v, p->dy, p->out, p->max, p->sum, p->dq, p->dk, p->dv, p};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

/* ---- calls ---- */

static aclTensor *tensor(const struct problem *p, int64_t rows, int64_t heads, int64_t columns,
                         void *data)
{
    const int64_t batch = p->by_lengths ? 1 : p->a.sequences;
    const int64_t sizes[] = {batch, rows / batch, heads, columns};
    const int skip = p->by_lengths ? 1 : 0;
    return aclCreateTensor(sizes + skip, (uint64_t)(4 - skip), ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
                           sizes + skip, (uint64_t)(4 - skip), data);
}

static float *narrow(const double *from, int64_t count)
{
    float *to = malloc((size_t)(count + 1) * sizeof *to);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
    return to;
}

static aclTensor *stats(const struct problem *p, float *data)
{
    const int64_t sizes[] = {p->a.sequences, HEADS, p->query_rows / p->a.sequences, STATS};
    if (p->by_lengths) return tensor(p, p->query_rows, HEADS, STATS, data);
    return aclCreateTensor(sizes, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 4, data);
}

static aclIntArray *ends_of(const int64_t *lengths, int64_t count)
{
    int64_t ends[SEQUENCES], end = 0;
    for (int64_t i = 0; i < count; i++)
        ends[i] = end += lengths[i];
    return aclCreateIntArray(ends, (uint64_t)count);
}

/* One byte that would hide everything stands for the whole mask. */
static aclTensor *compressed_mask(int mode)
{
    static uint8_t hidden = 1;
    const int64_t sizes[] = {mode == 6 ? 3072 : SIDE, SIDE}, strides[] = {0, 0}, one[] = {1};
    if (mode < 0) return NULL;
    return aclCreateTensor(sizes, 2, ACL_BOOL, strides, 0, ACL_FORMAT_ND, one, 1, &hidden);
}

typedef aclnnStatus phase2(void *, uint64_t, aclOpExecutor *, aclrtStream);

/* size, executor: where phase 1 puts them. */
static void launch(aclnnStatus status, const uint64_t *size, aclOpExecutor **executor,
                   phase2 *second)
{
    cr_assert_eq(status, ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (*size + 64) / 64 * 64);
    cr_assert_eq(second(workspace, *size, *executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(workspace);
}

/* Both directions; the gradient gets what the forward pass left. */
static void run(struct problem *p)
{
    const struct attention *a = &p->a;
    const int mode = a->mode < 0 ? 3 : a->mode; /* without a mask none counts */
    float *in[] = {
        narrow(p->q, p->query_rows * HEADS * D), narrow(p->k, p->key_rows * KEY_HEADS * D),
        narrow(p->v, p->key_rows * KEY_HEADS * DV), narrow(p->dy, p->query_rows * HEADS * DV)};
    aclTensor *q = tensor(p, p->query_rows, HEADS, D, in[0]);
    aclTensor *k = tensor(p, p->key_rows, KEY_HEADS, D, in[1]);
    aclTensor *v = tensor(p, p->key_rows, KEY_HEADS, DV, in[2]);
    aclTensor *dy = tensor(p, p->query_rows, HEADS, DV, in[3]);
    aclTensor *out = tensor(p, p->query_rows, HEADS, DV, p->out);
    aclTensor *dq = tensor(p, p->query_rows, HEADS, D, p->dq);
    aclTensor *dk = tensor(p, p->key_rows, KEY_HEADS, D, p->dk);
    aclTensor *dv = tensor(p, p->key_rows, KEY_HEADS, DV, p->dv);
    aclTensor *max = stats(p, p->max), *sum = stats(p, p->sum), *mask = compressed_mask(a->mode);
    aclIntArray *prefix = aclCreateIntArray(p->prefix, (uint64_t)a->sequences);
    aclIntArray *of_q = ends_of(p->queries, a->sequences), *of_k = ends_of(p->keys, a->sequences);
    uint64_t size;
    aclOpExecutor *executor;
    char layout[5];
    strcpy(layout, p->by_lengths ? "TND" : "BSND");
    if (p->by_lengths) {
        launch(aclnnFlashAttentionVarLenScoreGetWorkspaceSize(
                   q, k, v, NULL, NULL, NULL, mask, prefix, of_q, of_k, a->scale, 1, a->before,
                   a->after, HEADS, layout, 0, mode, max, sum, NULL, out, &size, &executor),
               &size, &executor, aclnnFlashAttentionVarLenScore);
        launch(aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize(
                   q, k, v, dy, NULL, NULL, NULL, mask, max, sum, NULL, out, prefix, of_q, of_k,
                   a->scale, 1, a->before, a->after, HEADS, layout, 0, mode, dq, dk, dv, NULL,
                   &size, &executor),
               &size, &executor, aclnnFlashAttentionUnpaddingScoreGrad);
    } else {
        launch(aclnnFlashAttentionScoreGetWorkspaceSize(
                   q, k, v, NULL, NULL, NULL, mask, prefix, a->scale, 1, a->before, a->after, HEADS,
                   layout, 0, mode, max, sum, NULL, out, &size, &executor),
               &size, &executor, aclnnFlashAttentionScore);
        launch(aclnnFlashAttentionScoreGradGetWorkspaceSize(
                   q, k, v, dy, NULL, NULL, NULL, mask, max, sum, NULL, out, prefix, a->scale, 1,
                   a->before, a->after, HEADS, layout, 0, mode, dq, dk, dv, NULL, &size, &executor),
               &size, &executor, aclnnFlashAttentionScoreGrad);
    }
    aclTensor *const all[] = {q, k, v, dy, out, dq, dk, dv, max, sum};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        aclDestroyTensor(all[i]);
    if (mask) aclDestroyTensor(mask);
    aclDestroyIntArray(prefix);
    aclDestroyIntArray(of_q);
    aclDestroyIntArray(of_k);
    for (int i = 0; i < 4; i++)
        free(in[i]);
}

/* ---- against the definition ---- */

static void compare(const struct problem *p, const char *what, const float *got,
                    const struct attention_values *want, int64_t count, int64_t each)
{
    for (int64_t i = 0; i < count; i++) {
        const double slack = 4 * want->slack[i] + 0x1p-22 * fabs(want->value[i]) + 1e-37;
        for (int64_t k = 0; k < each; k++)
            cr_assert(fabs(got[i * each + k] - want->value[i]) <= slack,
                      "mode %d, %d queries, %d keys: %s[%d] is %.9g, not %.9g", p->a.mode,
                      (int)p->queries[0], (int)p->keys[0], what, (int)i, got[i * each + k],
                      want->value[i]);
    }
}

static void check(struct problem *p)
{
    const int64_t rows = p->query_rows * HEADS, key_rows = p->key_rows * KEY_HEADS;
    struct attention_values m = attention_values_new(rows), l = attention_values_new(rows);
    struct attention_values out = attention_values_new(rows * DV);
    struct attention_values dq = attention_values_new(rows * D);
    struct attention_values dk = attention_values_new(key_rows * D);
    struct attention_values dv = attention_values_new(key_rows * DV);
    run(p);
    attention_forward(&p->a, &m, &l, &out);
    p->a.m = m.value;
    p->a.l = l.value;
    p->a.out = out.value;
    attention_backward(&p->a, &dq, &dk, &dv, NULL);
    compare(p, "max", p->max, &m, rows, STATS);
    compare(p, "sum", p->sum, &l, rows, STATS);
    compare(p, "out", p->out, &out, rows * DV, 1);
    compare(p, "dq", p->dq, &dq, rows * D, 1);
    compare(p, "dk", p->dk, &dk, key_rows * D, 1);
    compare(p, "dv", p->dv, &dv, key_rows * DV, 1);
    struct attention_values *const all[] = {&m, &l, &out, &dq, &dk, &dv};
    for (int i = 0; i < 6; i++)
        attention_values_free(all[i]);
}

Test(attention, masks_by_their_mode)
{
    static const int modes[] = {-1, 2, 3, 4, 6};
    static const int64_t shapes[][2] = {{60, 60}, {30, 170}, {200, 50}, {1, 150}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const int64_t queries[] = {shapes[k][0], shapes[k][0]};
            const int64_t keys[] = {shapes[k][1], shapes[k][1]};
            struct problem *p = problem_new(modes[i], false, 2, queries, keys);
            check(p);
            problem_free(p);
        }
}

Test(attention, masks_of_sequences)
{
    static const int modes[] = {-1, 2, 3, 4, 6, 7, 8};
    static const int64_t queries[][SEQUENCES] = {{0, 50, 7, 20}, {49, 1, 100, 0}, {3, 3, 3, 3}};
    static const int64_t keys[][SEQUENCES] = {{9, 150, 7, 0}, {48, 60, 20, 5}, {2, 3, 4, 160}};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 3; k++) {
            struct problem *p = problem_new(modes[i], true, SEQUENCES, queries[k], keys[k]);
            check(p);
            problem_free(p);
        }
}

/* ---- the definition itself ---- */

static double loss_of(const struct attention *a, int64_t rows)
{
    struct attention_values m = attention_values_new(rows), l = attention_values_new(rows);
    struct attention_values out = attention_values_new(rows * DV);
    double loss = 0;
    attention_forward(a, &m, &l, &out);
    for (int64_t i = 0; i < rows * DV; i++)
        loss += out.value[i] * a->dy[i];
    attention_values_free(&m);
    attention_values_free(&l);
    attention_values_free(&out);
    return loss;
}

/* Some elements of a gradient are quotients of small differences. */
static void differ(const struct attention *a, int64_t rows, double *x, int64_t count,
                   const struct attention_values *gradient)
{
    const double step = 1e-5;
    for (int64_t i = 0; i < count; i += 1 + count / 23) {
        const double before = x[i];
        x[i] = before + step;
        const double above = loss_of(a, rows);
        x[i] = before - step;
        const double quotient = (above - loss_of(a, rows)) / (2 * step);
        x[i] = before;
        cr_expect_float_eq(gradient->value[i], quotient, 1e-8, "element %d: %g, not %g", (int)i,
                           gradient->value[i], quotient);
    }
}

Test(attention, definition_has_its_gradient)
{
    static const int64_t queries[] = {5, 7}, keys[] = {9, 4};
    struct random random = {5};
    for (int type = BIAS_AFTER; type <= BIAS_NONE; type++) {
        struct problem *p = problem_new(3, true, 2, queries, keys);
        struct attention *a = &p->a;
        const int64_t rows = p->query_rows * HEADS, weights = attention_weights(a);
        double *bias = some_floats(&random, weights), *kept = some_floats(&random, weights);
        for (int64_t i = 0; i < weights; i++)
            kept[i] = random_once_in(&random, 4) ? 0 : 1;
        a->bias = a->slopes = bias;
        a->type = (enum attention_bias)type;
        a->kept = kept;
        a->keep = 0.75;
        struct attention_values m = attention_values_new(rows), l = attention_values_new(rows);
        struct attention_values out = attention_values_new(rows * DV);
        struct attention_values dq = attention_values_new(rows * D);
        struct attention_values dk = attention_values_new(p->key_rows * KEY_HEADS * D);
        struct attention_values dv = attention_values_new(p->key_rows * KEY_HEADS * DV);
        struct attention_values dsinks = attention_values_new(HEADS);
        double *sinks = some_floats(&random, HEADS);
        a->sinks = sinks;
        attention_forward(a, &m, &l, &out);
        a->m = m.value;
        a->l = l.value;
        a->out = out.value;
        attention_backward(a, &dq, &dk, &dv, &dsinks);
        differ(a, rows, sinks, HEADS, &dsinks);
        attention_values_free(&dsinks);
        differ(a, rows, p->q, rows * D, &dq);
        differ(a, rows, p->k, p->key_rows * KEY_HEADS * D, &dk);
        differ(a, rows, p->v, p->key_rows * KEY_HEADS * DV, &dv);
        struct attention_values *const all[] = {&m, &l, &out, &dq, &dk, &dv};
        for (int i = 0; i < 6; i++)
            attention_values_free(all[i]);
        free(bias);
        free(kept);
        free(sinks);
        problem_free(p);
    }
}

/* ---- memory ---- */

static bool is_same(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

/* The result may lie where an operand does. */
Test(attention, out_in_the_memory_of_an_operand)
{
    enum { ROWS = 100, COLUMNS = 8, COUNT = ROWS * COLUMNS };
    const int64_t sizes[] = {1, ROWS, COLUMNS}, of_stats[] = {1, 1, ROWS, STATS};
    static float max[ROWS * STATS], sum[ROWS * STATS], apart[COUNT], data[3][COUNT];
    char layout[] = "BSH";
    for (int which = -1; which < 3; which++) {
        aclTensor *in[3];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < COUNT; k++)
                data[i][k] = (float)((k * 37 + i * 11) % 101) / 32;
            in[i] = aclCreateTensor(sizes, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 3, data[i]);
        }
        aclTensor *to = aclCreateTensor(sizes, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 3,
                                        which < 0 ? apart : data[which]);
        aclTensor *m =
            aclCreateTensor(of_stats, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, of_stats, 4, max);
        aclTensor *l =
            aclCreateTensor(of_stats, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, of_stats, 4, sum);
        uint64_t size;
        aclOpExecutor *executor;
        launch(aclnnFlashAttentionScoreGetWorkspaceSize(in[0], in[1], in[2], NULL, NULL, NULL, NULL,
                                                        NULL, 0.3, 1, 0, 0, 1, layout, 0, 0, m, l,
                                                        NULL, to, &size, &executor),
               &size, &executor, aclnnFlashAttentionScore);
        cr_expect(which < 0 || is_same(apart, data[which], sizeof apart), "operand %d", which);
        for (int i = 0; i < 3; i++)
            aclDestroyTensor(in[i]);
        aclDestroyTensor(to);
        aclDestroyTensor(m);
        aclDestroyTensor(l);
    }
}

/* ---- dropout ---- */

/* A mask of the call's own seed is the one that aclnnDropoutGenMaskV2 makes. */
Test(attention, dropout_by_the_seed)
{
    enum { ROWS = 50, COLUMNS = 8, COUNT = ROWS * COLUMNS, BYTES = (ROWS * ROWS + 127) / 128 * 16 };
    const int64_t sizes[] = {1, ROWS, COLUMNS}, of_stats[] = {1, 1, ROWS, STATS};
    const int64_t bytes[] = {BYTES}, weights[] = {ROWS * ROWS};
    static float max[ROWS * STATS], sum[ROWS * STATS], in[COUNT], out[2][COUNT];
    static uint8_t kept[BYTES];
    char layout[] = "BSH";
    uint64_t size;
    aclOpExecutor *executor;
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)((i * 37) % 101) / 32;
    aclTensor *q = aclCreateTensor(sizes, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 3, in);
    aclTensor *m =
        aclCreateTensor(of_stats, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, of_stats, 4, max);
    aclTensor *l =
        aclCreateTensor(of_stats, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, of_stats, 4, sum);
    aclTensor *mask = aclCreateTensor(bytes, 1, ACL_UINT8, NULL, 0, ACL_FORMAT_ND, bytes, 1, kept);
    aclIntArray *shape = aclCreateIntArray(weights, 1);
    launch(
        aclnnDropoutGenMaskV2GetWorkspaceSize(shape, 0.25, 7, 9, ACL_FLOAT, mask, &size, &executor),
        &size, &executor, aclnnDropoutGenMaskV2);
    for (int i = 0; i < 2; i++) {
        aclTensor *to =
            aclCreateTensor(sizes, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 3, out[i]);
        launch(aclnnFlashAttentionScoreV4GetWorkspaceSize(
                   q, q, q, NULL, i ? mask : NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                   NULL, NULL, NULL, NULL, NULL, 0.3, 0.75, 0, 0, 1, layout, 0, 0, 0, 1, NULL, 7, 9,
                   m, l, NULL, to, &size, &executor),
               &size, &executor, aclnnFlashAttentionScoreV4);
        aclDestroyTensor(to);
    }
    cr_expect(is_same(out[0], out[1], sizeof out[0]));
    aclTensor *const all[] = {q, m, l, mask};
    for (int i = 0; i < 4; i++)
        aclDestroyTensor(all[i]);
    aclDestroyIntArray(shape);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of attention: strides, sequences, what is visible, and the steps. */
#include <math.h>
#include <string.h>

#include "api/op_attention_plan.h"
#include "api/op_random.h"
#include "kernels/kernels.h"
#include "runtime/support/alloc.h"

enum { UNITS_EXTRA = 2 /* sequences of rows that belong to none */ };

static const int64_t FAR = INT64_C(1) << 60;

int op_attention_argument(const struct op_attention_plan *p, const struct op_value *value)
{
    return (int)(value - p->call->problem->values);
}

/* ---- strides ---- */

struct k_attention_side op_attention_side(const struct op_attention_layout *l,
                                          const struct op_view *view, int64_t heads)
{
    struct k_attention_side side = {.batch = l->batch < 0 ? 0 : view->strides[l->batch],
                                    .row = view->strides[l->rows],
                                    .column = view->strides[l->columns]};
    side.head =
        l->heads < 0 ? view->sizes[l->columns] / heads * side.column : view->strides[l->heads];
    return side;
}

struct k_attention_side op_attention_source(struct op_attention_plan *p, int buffer,
                                            const struct op_value *value,
                                            const struct op_attention_layout *layout, int64_t heads)
{
    const struct op_place place = op_source(p->call, op_attention_argument(p, value), 0);
    p->buffers[buffer] = place.buffer;
    return op_attention_side(layout, &place.view, heads);
}

static struct k_attention_side target(struct op_attention_plan *p, int buffer, const char *name,
                                      int64_t heads)
{
    const struct op_value *value = op_argument_named(p->call->problem, name);
    const struct op_place place = op_target(p->call, op_attention_argument(p, value), 0);
    p->buffers[buffer] = place.buffer;
    return op_attention_side(p->of.layout, &place.view, heads);
}

/* Of a mask or a bias, whose axes of 1 are for all. */
static struct k_attention_side pairs(struct op_attention_plan *p, int buffer,
                                     const struct op_value *value)
{
    struct op_place place = op_source(p->call, op_attention_argument(p, value), 0);
    const struct op_view *view = &place.view;
    int64_t strides[4] = {0};
    for (int i = 0; i < view->rank; i++)
        strides[op_attention_axis(&p->of, view->rank, i)] =
            view->sizes[i] == 1 ? 0 : view->strides[i];
    p->buffers[buffer] = place.buffer;
    return (struct k_attention_side){strides[0], strides[1], strides[2], strides[3]};
}

/* ---- what is visible ---- */

static int64_t limit(int64_t tokens)
{
    return tokens > FAR / 2 ? FAR / 2 : tokens < -FAR / 2 ? -FAR / 2 : tokens;
}

/* The last, or the first, sequence that has queries and keys. */
static bool is_outer(const struct op_attention *a, int64_t i, bool is_last)
{
    const int64_t step = is_last ? 1 : -1;
    for (int64_t k = i + step; k >= 0 && k < a->batch; k += step)
        if (op_attention_length(a, false, k) > 0 && op_attention_length(a, true, k) > 0)
            return false;
    return true;
}

static void see(const struct op_attention_plan *p, int64_t i, struct k_attention_sequence *s)
{
    const struct op_attention *a = &p->of;
    const struct op_problem *problem = p->call->problem;
    const int64_t behind = s->keys - s->queries;
    int64_t mode = a->mode;
    s->low = -FAR;
    s->high = FAR;
    if (mode == 7) mode = is_outer(a, i, true) ? 4 : 3;
    if (mode == 8) mode = is_outer(a, i, false) ? 4 : 2;
    if (!a->is_masked || mode == 1 || mode == 5) return;
    if (mode == 0 || mode == 4) {
        const int64_t corner = mode == 4 ? behind : 0;
        s->low = corner - limit(op_integer_named(problem, "preTokens", FAR));
        s->high = corner + limit(op_integer_named(problem, "nextTokens", FAR));
    } else {
        s->high = mode == 2 ? 0 : behind;
    }
    if (mode == 6) s->prefix = a->prefix->values[i];
}

static void add_sequences(struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    struct k_attention *k = p->kernel;
    struct k_attention_sequence next = {0};
    for (int64_t i = 0; i < a->batch; i++) {
        struct k_attention_sequence *s = &k->sequence[k->sequences++];
        *s = next;
        s->batch = i;
        s->queries = op_attention_length(a, false, i);
        s->keys = op_attention_length(a, true, i);
        see(p, i, s);
        if (a->query_ends) next.query += s->queries;
        if (a->key_ends || a->in_list) next.key += s->keys;
        next.weights += a->heads * s->queries * s->keys;
        next.stats += a->heads * (a->is_infer && !a->query_ends ? a->queries : s->queries);
    }
    if (!a->query_ends) return;
    next.queries = a->queries - next.query;
    if (next.queries > 0) k->sequence[k->sequences++] = next;
    next.queries = 0;
    next.keys = a->key_ends ? a->keys - next.key : 0;
    if (next.keys > 0) k->sequence[k->sequences++] = next;
}

/* ---- what both directions read ---- */

static double first_of(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value && value->ints && value->ints->size > 0 ? (double)value->ints->values[0] : 0;
}

static void read_inputs(struct op_attention_plan *p)
{
    const struct op_problem *problem = p->call->problem;
    const struct op_attention *a = &p->of;
    struct k_attention *k = p->kernel;
    k->dtype = op_k_dtype(a->tensor[0]);
    k->heads = a->heads;
    k->group = a->heads / a->key_heads;
    k->d = k->row = a->d;
    k->dv = a->dv;
    k->scale = op_real_named(problem, "scaleValue", 1);
    k->keep = a->keep;
    k->is_by_rows = a->is_by_rows;
    k->stat_rows = a->is_infer && !a->query_ends ? a->queries : 0;
    k->shift = first_of(problem, "kvStartIdxOptional") - first_of(problem, "qStartIdxOptional");
    if (a->is_whole)
        op_attention_read_whole(p);
    else
        k->q = op_attention_source(p, K_ATTENTION_Q, a->value[0], a->layout, a->heads);
    for (int i = K_ATTENTION_K; i < K_ATTENTION_INFER_BUFFERS; i++)
        p->buffers[i] = p->buffers[K_ATTENTION_Q];
    if (a->is_infer) {
        op_attention_read_keys(p);
        return;
    }
    k->k = op_attention_source(p, K_ATTENTION_K, a->value[1], a->key_layout, a->key_heads);
    k->v = op_attention_source(p, K_ATTENTION_V, a->value[2], a->key_layout, a->key_heads);
    if (!a->rope[0]) return;
    if (op_argument_named(problem, "dkOut"))
        op_attention_join_parts(p);
    else
        op_attention_read_rope(p);
}

/* The mask that aclnnDropoutGenMaskV2 makes of seed, offset and 1 - keepProb. */
static int draw(const struct op_attention_plan *p)
{
    enum { BITS = 128 };
    struct k_random random = {.kind = K_RANDOM_BITS,
                              .to = K_U8,
                              .a = 1 - p->of.keep,
                              .elements = (p->of.weights + BITS - 1) / BITS * (BITS / 8)};
    const int to = ex_scratch(p->call->plan, (size_t)random.elements);
    if (random.elements > 0) op_random_step(p->call, &random, to, -1, -1);
    return to;
}

static void read_beside(struct op_attention_plan *p)
{
    const struct op_problem *problem = p->call->problem;
    const struct op_value *bias = p->of.bias_from;
    const struct op_value *sinks = op_attention_value(problem, "sinkOptional", "sinkInOptional");
    struct k_attention *k = p->kernel;
    k->has_mask = p->of.has_mask;
    k->bias = p->of.bias;
    if (k->has_mask) k->mask = pairs(p, K_ATTENTION_MASK, p->of.mask_from);
    if (p->of.draws)
        p->buffers[K_ATTENTION_DROP] = draw(p);
    else if (k->keep != 1)
        p->buffers[K_ATTENTION_DROP] =
            op_dense_source(
                p->call, op_attention_argument(p, op_argument_named(problem, "dropMaskOptional")))
                .buffer;
    if (sinks && sinks->tensor) {
        k->has_sink = true;
        p->buffers[K_ATTENTION_SINK] =
            op_dense_source(p->call, op_attention_argument(p, sinks)).buffer;
    }
    if (k->bias == K_ATTENTION_NONE) return;
    k->bias_type = op_k_dtype(bias->tensor);
    k->bias_at = pairs(p, K_ATTENTION_BIAS, bias);
    if (k->bias == K_ATTENTION_LINEAR || k->bias == K_ATTENTION_ROOT) /* slopes of heads */
        k->bias_at = (struct k_attention_side){k->bias_at.row, k->bias_at.column, 0, 0};
}

/* Whether a result has elements. Then there is memory for as many sequences. */
static bool is_needed(const struct op_attention_plan *p)
{
    const bool is_grad = op_argument_named(p->call->problem, "dkOut") != NULL;
    return p->of.batch > 0 && (p->of.queries > 0 || (is_grad && p->of.keys > 0));
}

bool op_attention_begin(struct op_attention_plan *p, const struct op_shape_call *call)
{
    memset(p, 0, sizeof *p);
    p->call = call;
    if (op_attention_read(call->problem, &p->of) != ACLNN_SUCCESS || !is_needed(p)) return false;
    p->size =
        sizeof *p->kernel + (size_t)(p->of.batch + UNITS_EXTRA) * sizeof p->kernel->sequence[0];
    p->kernel = rt_alloc_zeroed(p->size);
    if (!p->kernel) {
        ex_no_memory(call->plan);
        return false;
    }
    add_sequences(p);
    read_inputs(p);
    read_beside(p);
    return true;
}

void op_attention_step(const struct op_attention_plan *p, const char *name, k_fn *kernel,
                       struct k_work work, int buffers)
{
    if (work.items > 0)
        ex_step(p->call->plan, name, kernel, p->kernel, p->size, work, p->buffers, buffers);
}

static bool has_queries(const struct k_attention *k)
{
    for (int64_t i = 0; i < k->sequences; i++)
        if (k->sequence[i].queries > 0) return true;
    return false;
}

void op_attention_forward(const struct op_attention_plan *p)
{
    const double terms = (double)(p->kernel->row + p->of.dv);
    ex_flops(p->call->plan, 2.0 * (double)p->of.weights * terms);
    if (has_queries(p->kernel))
        ex_step_way(p->call->plan, "attention", K_CHOICE_attention, p->kernel->dtype, p->kernel,
                    p->size, p->buffers, K_ATTENTION_INFER_BUFFERS, NULL);
}

/* ---- plans ---- */

void op_attention_plan(const struct op_shape_call *call)
{
    static const char *const stats[] = {"softmaxMaxOut", "softmaxSumOut"};
    struct op_place made[2];
    int argument[2];
    struct op_attention_plan p;
    if (op_attention_begin(&p, call)) {
        p.kernel->out = target(&p, K_ATTENTION_OUT, "attentionOutOut", p.of.heads);
        for (int i = 0; i < 2; i++) {
            argument[i] = op_attention_argument(&p, op_argument_named(call->problem, stats[i]));
            made[i] = op_dense_target(call, argument[i]);
            p.buffers[K_ATTENTION_MAX + i] = made[i].buffer;
        }
        op_attention_forward(&p);
        for (int i = 0; i < 2; i++)
            op_deliver(call, &made[i], argument[i]);
    }
    rt_free(p.kernel);
}

/* Scratch of so many FLOATs. */
static int scratch(const struct op_attention_plan *p, int64_t floats)
{
    return ex_scratch(p->call->plan, (size_t)floats * sizeof(float));
}

static void add_sink_grad(struct op_attention_plan *p)
{
    const struct op_value *to = op_argument_named(p->call->problem, "dsinkOut");
    if (!p->kernel->has_sink || !to || !to->tensor) return;
    const struct op_place made = op_dense_target(p->call, op_attention_argument(p, to));
    p->buffers[K_ATTENTION_DSINK] = made.buffer;
    op_attention_step(p, "attention_sink_grad", k_best()->attention_sink_grad,
                      (struct k_work){.items = p->kernel->heads, .grain = 1},
                      K_ATTENTION_GRAD_BUFFERS);
    op_deliver(p->call, &made, op_attention_argument(p, to));
}

/* Of no query. */
static void no_sink_grad(const struct op_shape_call *call)
{
    const struct op_value *to = op_argument_named(call->problem, "dsinkOut");
    if (!to || !to->tensor || op_is_empty(to->tensor)) return;
    const struct op_place place = op_target(call, (int)(to - call->problem->values), 0);
    op_fill_place(call->plan, &place, 0, 0);
}

void op_attention_plan_grad(const struct op_shape_call *call)
{
    static const char *const stats[] = {"softmaxMaxOptional", "softmaxSumOptional"};
    const struct op_problem *problem = call->problem;
    struct op_attention_plan p;
    struct op_place joined[2];
    if (!op_attention_begin(&p, call)) {
        no_sink_grad(call);
    } else {
        struct k_attention *k = p.kernel;
        k->out = op_attention_source(&p, K_ATTENTION_OUT,
                                     op_argument_named(problem, "attentionInOptional"), p.of.layout,
                                     p.of.heads);
        k->dy = op_attention_source(&p, K_ATTENTION_DY, op_argument_named(problem, "dy"),
                                    p.of.layout, p.of.heads);
        for (int i = 0; i < 2; i++)
            p.buffers[K_ATTENTION_MAX + i] =
                op_dense_source(call,
                                op_attention_argument(&p, op_argument_named(problem, stats[i])))
                    .buffer;
        if (p.of.rope[0]) {
            op_attention_joined_targets(&p, joined);
        } else {
            k->dq = target(&p, K_ATTENTION_DQ, "dqOut", p.of.heads);
            k->dk = target(&p, K_ATTENTION_DK, "dkOut", p.of.key_heads);
        }
        k->dv_to = target(&p, K_ATTENTION_DV, "dvOut", p.of.key_heads);
        k_attention_cut(k, false);
        p.buffers[K_ATTENTION_ROWS] = scratch(&p, k->tiles * 3 * K_ATTENTION_TILE);
        p.buffers[K_ATTENTION_PARTS] = scratch(&p, k->chunks * k->tiles * k->d * K_ATTENTION_TILE);
        ex_flops(call->plan, 2.0 * (double)p.of.weights * (double)(3 * k->d + 2 * p.of.dv));
        const struct k_work rows = k_attention_rows_work(k);
        op_attention_step(&p, "attention_rows", k_best()->attention_rows, rows,
                          K_ATTENTION_GRAD_BUFFERS);
        op_attention_step(&p, "attention_grad", k_best()->attention_grad, k_attention_grad_work(k),
                          K_ATTENTION_GRAD_BUFFERS);
        op_attention_step(&p, "attention_query_grad", k_best()->attention_query_grad, rows,
                          K_ATTENTION_GRAD_BUFFERS);
        if (p.of.rope[0]) op_attention_cut_parts(&p, joined);
        add_sink_grad(&p);
    }
    rt_free(p.kernel);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a target are lanes; times follow each other. The way back is the way forward of the
 * reversed target through reversed times. */
#include <math.h>
#include <string.h>

#include "kernels/ctc/k_ctc.h"
#include "kernels/elementwise/wide.h"
#include "kernels/loop/convert.h"
#include "kernels/vector/math.h"
#include "kernels/vector/simd.h"

enum { LANES = sizeof(vd) / sizeof(double), BEFORE = K_CTC_BEFORE, CHUNK = 64 };

K_TEMPLATE
vd load(const double *from)
{
    vd value;
    memcpy(&value, from, sizeof value);
    return value;
}

K_TEMPLATE
void store(double *to, vd value)
{
    memcpy(to, &value, sizeof value);
}

K_TEMPLATE
vd exp_of(enum k_dtype dtype, vd x)
{
    return dtype == K_F64 ? each_lane(exp, x) : wide_exp_f32(x);
}

/* One sample: its part of the scratch, and where it lies in the tensors. */
struct sample {
    const struct k_ctc *ctc;
    const struct k_ctc_sample *own;
    const void *p;
    int64_t n, places;
    double *now, *next, *at; /* sums of two times, the places' probabilities: begin at place 0 */
    double *may_skip;        /* 1 where the place two before may come next before this one */
    int64_t *class;          /* of each place */
    double *posterior;       /* of each class: the gradient's alone */
};

/* The class of a target's element; the blank if it is none. */
static int64_t class_of(const struct k_ctc *ctc, const int64_t *targets, int64_t i,
                        struct k_fault *fault)
{
    if (targets[i] >= 0 && targets[i] < ctc->classes) return targets[i];
    k_fault_note(fault, i);
    return ctc->blank;
}

/* The sample's places; is_back: from the last to the first. */
static struct sample sample_of(const struct k_ctc *ctc, void *const buffers[], int64_t n,
                               bool is_back, struct k_fault *fault)
{
    struct sample s = {.ctc = ctc, .own = &ctc->sample[n], .p = buffers[K_CTC_P], .n = n};
    const int64_t row = ctc->places + BEFORE + K_CTC_BEHIND;
    double *scratch = (double *)buffers[K_CTC_SCRATCH] + n * ctc->scratch;
    s.places = 2 * s.own->length + 1;
    s.now = scratch + BEFORE;
    s.next = s.now + row;
    s.at = s.next + row;
    s.may_skip = s.at + row;
    s.class = (int64_t *)(scratch + 4 * row);
    s.posterior = scratch + 5 * row;
    for (int64_t i = 0; i < 5 * row; i++)
        scratch[i] = -INFINITY;
    for (int64_t w = 0; w < s.places; w++) {
        const int64_t place = is_back ? s.places - 1 - w : w, i = s.own->target + place / 2;
        s.class[w] = place % 2 == 0 ? ctc->blank : class_of(ctc, buffers[K_CTC_TARGETS], i, fault);
        s.may_skip[w] = w >= 2 && s.class[w] != s.class[w - 2];
    }
    return s;
}

static void read_probabilities(const struct sample *s, int64_t t)
{
    const struct k_ctc *ctc = s->ctc;
    const int64_t row = t * ctc->p_strides[0] + s->n * ctc->p_strides[1];
    const double blank = k_number_at(ctc->dtype, s->p, row + ctc->blank * ctc->p_strides[2]);
    for (int64_t w = 0; w < s->places; w += 2)
        s->at[w] = blank;
    for (int64_t w = 1; w < s->places; w += 2)
        s->at[w] = k_number_at(ctc->dtype, s->p, row + s->class[w] * ctc -> p_strides[2]);
}

/* The first time: a path begins at place 0 or 1. */
static void begin(const struct sample *s, int64_t t)
{
    read_probabilities(s, t);
    for (int64_t w = 0; w < s->places && w < 2; w++)
        s->now[w] = s->at[w];
}

/* next[w] = log(exp(now[w]) + exp(now[w - 1]) + exp(now[w - 2]) if it may be skipped) + p[t, w] */
static void advance(struct sample *s, int64_t t)
{
    const vd none = vd_all(-INFINITY), zero = {0};
    const enum k_dtype dtype = s->ctc->dtype;
    double *now = s->now, *next = s->next;
    read_probabilities(s, t);
    for (int64_t w = 0; w < s->places; w += LANES) {
        const vd a = load(now + w), b = load(now + w - 1);
        const vd c = vd_if(vd_equal(load(s->may_skip + w), vd_all(1)), load(now + w - 2), none);
        vd most = vd_if(vd_less(a, b), b, a);
        most = vd_if(vd_less(most, c), c, most);
        most = vd_if(vd_equal(most, none), zero, most);
        const vd sum = exp_of(dtype, a - most) + exp_of(dtype, b - most) + exp_of(dtype, c - most);
        vd log = vd_if(vd_equal(sum, zero), none, wide_log_precise(sum));
        log = vd_if(vd_equal(sum, sum), log, sum); /* a NaN stays */
        store(next + w, log + most + load(s->at + w));
    }
    s->now = next;
    s->next = now;
}

static double log_of_sum(double a, double b)
{
    const double most = a > b ? a : b;
    if (a != a || b != b) return NAN;
    return most == -INFINITY ? most : log(exp(a - most) + exp(b - most)) + most;
}

/* Stores the sums of a time, or that there are none. */
static void put_alpha(const struct sample *s, void *alpha, int64_t t, bool has_sums)
{
    const struct k_ctc *ctc = s->ctc;
    const int64_t row = s->n * ctc->alpha_strides[0] + t * ctc->alpha_strides[1];
    for (int64_t w = 0; w < ctc->places; w++)
        k_put_number(ctc->dtype, alpha, row + w * ctc->alpha_strides[2],
                     has_sums && w < s->places ? s->now[w] : -INFINITY);
}

static void forward(const struct k_ctc *ctc, void *const buffers[], int64_t n)
{
    struct sample s = sample_of(ctc, buffers, n, false, buffers[K_CTC_BUFFERS]);
    double loss = s.own->length == 0 ? 0 : INFINITY;
    for (int64_t t = 0; t < ctc->times; t++) {
        if (t == 0)
            begin(&s, t);
        else if (t < s.own->times)
            advance(&s, t);
        put_alpha(&s, buffers[K_CTC_ALPHA], t, t < s.own->times);
    }
    if (s.own->times > 0) {
        const double last = s.now[s.places - 1];
        loss = -(s.places > 1 ? log_of_sum(last, s.now[s.places - 2]) : last);
    }
    if (ctc->zero_infinity && isinf(loss)) loss = 0;
    k_put_number(ctc->dtype, buffers[K_CTC_LOSS], n * ctc->loss_stride, loss);
}

k_fn K_SYMBOL(ctc);

void K_SYMBOL(ctc)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    for (int64_t n = slice.begin; n < slice.end; n++)
        forward(parameters, buffers, n);
}

/* ---- the gradient ---- */

/* Adds what the places of a time give their classes; now[w] is beta of the reversed places. */
static void add_posteriors(const struct sample *s, const void *alpha, int64_t t, double loss)
{
    const struct k_ctc *ctc = s->ctc;
    const int64_t row = s->n * ctc->alpha_strides[0] + t * ctc->alpha_strides[1];
    for (int64_t c = 0; c < ctc->classes; c++)
        s->posterior[c] = 0;
    for (int64_t w = 0; w < s->places; w += LANES) {
        const int count = s->places - w < LANES ? (int)(s->places - w) : LANES;
        vd a = vd_all(-INFINITY);
        for (int i = 0; i < count; i++)
            a[i] = k_number_at(ctc->dtype, alpha,
                               row + (s->places - 1 - w - i) * ctc->alpha_strides[2]);
        a = exp_of(ctc->dtype, a + load(s->now + w) + loss - load(s->at + w));
        for (int i = 0; i < count; i++)
            s->posterior[s->class[w + i]] += a[i];
    }
}

/* The elements of a time: (exp(p) - posterior) * grad_out. A class without a place has a sum of
 * exp(-infinity + loss - p): that is NaN where the loss is infinite or p is -infinity. */
static void put_gradients(const struct sample *s, void *out, int64_t t, double loss, double grad)
{
    const struct k_ctc *ctc = s->ctc;
    const int64_t row = t * ctc->p_strides[0] + s->n * ctc->p_strides[1];
    const int64_t to = t * ctc->out_strides[0] + s->n * ctc->out_strides[1];
    for (int64_t begin = 0; begin < ctc->classes; begin += CHUNK) {
        const int count = ctc->classes - begin < CHUNK ? (int)(ctc->classes - begin) : CHUNK;
        double p[CHUNK], sums[CHUNK];
        for (int i = 0; i < CHUNK; i++) {
            p[i] = i < count ? k_number_at(ctc->dtype, s->p, row + (begin + i) * ctc->p_strides[2])
                             : 0;
            sums[i] = i < count ? s->posterior[begin + i] : 0;
        }
        for (int i = 0; i < CHUNK; i += LANES) {
            const vd none = loss - load(p + i) - INFINITY;
            const vd sum = vd_if(vd_equal(none, none), load(sums + i), none);
            store(p + i, (exp_of(ctc->dtype, load(p + i)) - sum) * grad);
        }
        for (int i = 0; i < count; i++)
            k_put_number(ctc->dtype, out, to + (begin + i) * ctc->out_strides[2], p[i]);
    }
}

static void put_zeros(const struct sample *s, void *out, int64_t t)
{
    const int64_t to = t * s->ctc->out_strides[0] + s->n * s->ctc->out_strides[1];
    for (int64_t c = 0; c < s->ctc->classes; c++)
        k_put_number(s->ctc->dtype, out, to + c * s->ctc->out_strides[2], 0);
}

/* Whether no path spells the target, which the loss may hide (zero_infinity). */
static bool is_impossible(const struct sample *s, const void *alpha, double loss)
{
    const struct k_ctc *ctc = s->ctc;
    const int64_t row = s->n * ctc->alpha_strides[0] + (s->own->times - 1) * ctc->alpha_strides[1];
    bool is_none = s->own->times > 0;
    for (int64_t w = s->places > 1 ? s->places - 2 : 0; w < s->places && is_none; w++)
        is_none = k_number_at(ctc->dtype, alpha, row + w * ctc->alpha_strides[2]) == -INFINITY;
    return is_none || loss == INFINITY;
}

static void backward(const struct k_ctc *ctc, void *const buffers[], int64_t n)
{
    struct sample s = sample_of(ctc, buffers, n, true, buffers[K_CTC_GRAD_BUFFERS]);
    const void *alpha = buffers[K_CTC_GRAD_ALPHA];
    void *out = buffers[K_CTC_GRAD_OUT];
    const double loss = k_number_at(ctc->dtype, buffers[K_CTC_GRAD_LOSS], n * ctc->loss_stride);
    const double grad = k_number_at(ctc->dtype, buffers[K_CTC_GRAD_OF], n * ctc->grad_stride);
    const bool is_zero = ctc->zero_infinity && is_impossible(&s, alpha, loss);
    for (int64_t t = ctc->times - 1; t >= 0; t--) {
        if (is_zero || t >= s.own->times) {
            put_zeros(&s, out, t);
            continue;
        }
        if (t == s.own->times - 1)
            begin(&s, t);
        else
            advance(&s, t);
        add_posteriors(&s, alpha, t, loss);
        put_gradients(&s, out, t, loss, grad);
    }
}

k_fn K_SYMBOL(ctc_grad);

void K_SYMBOL(ctc_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    for (int64_t n = slice.begin; n < slice.end; n++)
        backward(parameters, buffers, n);
}

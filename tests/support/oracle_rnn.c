/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks from their definition; gradients are quotients of differences: of the network
 * with one number a little larger and a little smaller, in long double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { PLANES = 7 };

/* A network whose numbers can be changed, one after the other. */
struct network {
    bool is_gru, has_bias, batch_first;
    int64_t gates, planes, layers, directions, times, batch, inputs, hidden;
    long double *x, *h0, *c0;   /* (T, B, inputs), (runs, B, H) */
    long double **weights;      /* as in params */
    long double *y, *h, *c;     /* results: (T, B, directions H), the last ones */
    long double *plane[PLANES]; /* (runs, T, B, H) each */
};

static int slot_of(const struct rig_problem *problem, const char *name)
{
    for (int slot = 0; problem->op->tensor[slot]; slot++)
        if (strcmp(problem->op->tensor[slot], name) == 0) return slot;
    return -1;
}

/* The i-th tensor of an argument; -1: it is not there. */
static int tensor_at(const struct rig_problem *problem, const char *name, int64_t i)
{
    const int slot = slot_of(problem, name);
    if (slot < 0 || i >= problem->call.count[slot]) return -1;
    const int operand = problem->call.first[slot] + (int)i;
    return problem->call.is_null[operand] ? -1 : operand;
}

static bool is_grad(const struct rig_problem *problem)
{
    return strstr(problem->op->name, "Backward") != NULL;
}

static const char *plane_name(const struct rig_problem *problem, const struct network *n, int plane)
{
    static const char *const names[2][2][PLANES] = {
        {{"iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut"},
         {"rOut", "zOut", "nOut", "hnOut", "hOut"}},
        {{"i", "g", "f", "o", "h", "c", "tanhc"}, {"r", "z", "n", "hn", "h"}}};
    return names[is_grad(problem)][n->is_gru][plane];
}

static int64_t runs_of(const struct network *n)
{
    return n->layers * n->directions;
}

static long double *numbers(int64_t count)
{
    return calloc((size_t)count + 1, sizeof(long double));
}

/* Numbers of an operand, or zeros; before the call its bits are in the tensor. */
static long double *read_numbers(const struct rig_problem *problem, int operand, int64_t count,
                                 bool is_before)
{
    long double *to = numbers(count);
    for (int64_t i = 0; operand >= 0 && i < count; i++) {
        const struct rig_tensor *tensor = &problem->tensor[operand];
        to[i] = is_before ? oracle_from_bits(tensor->view.dtype, tensor->bits[i])
                          : oracle_value(problem, operand, i);
    }
    return to;
}

/* Where (t, b) of a tensor with times and a batch is. */
static int64_t place_of(const struct network *n, int64_t t, int64_t b)
{
    return n->batch_first ? b * n->times + t : t * n->batch + b;
}

static struct network network_of(const struct rig_problem *problem, bool is_before)
{
    struct network n = {.is_gru = strstr(problem->op->name, "GRU") != NULL};
    const int64_t *input = problem->tensor[tensor_at(problem, "input", 0)].view.dims;
    n.has_bias = norm_integer(problem, "hasBias", 0) != 0;
    n.batch_first = norm_integer(problem, "batchFirst", 0) != 0;
    n.layers = norm_integer(problem, "numLayers", 1);
    n.directions = norm_integer(problem, n.is_gru ? "bidirection" : "bidirectional", 0) ? 2 : 1;
    n.gates = n.is_gru ? 3 : 4;
    n.planes = n.is_gru ? 5 : 7;
    n.times = input[n.batch_first ? 1 : 0];
    n.batch = input[n.batch_first ? 0 : 1];
    n.inputs = input[2];
    n.hidden = problem->tensor[tensor_at(problem, "params", 1)].view.dims[1];
    const int64_t state = runs_of(&n) * n.batch * n.hidden;
    const int params = problem->call.count[slot_of(problem, "params")];
    n.x = read_numbers(problem, tensor_at(problem, "input", 0), n.times * n.batch * n.inputs,
                       is_before);
    n.h0 = read_numbers(problem, tensor_at(problem, "hx", 0), state, is_before);
    n.c0 = read_numbers(problem, n.is_gru ? -1 : tensor_at(problem, "hx", 1), state, is_before);
    n.weights = calloc((size_t)params, sizeof *n.weights);
    for (int i = 0; i < params; i++) {
        const int operand = tensor_at(problem, "params", i);
        n.weights[i] = read_numbers(problem, operand, problem->tensor[operand].count, is_before);
    }
    n.y = numbers(n.times * n.batch * n.directions * n.hidden);
    n.h = numbers(state);
    n.c = numbers(state);
    for (int plane = 0; plane < n.planes; plane++)
        n.plane[plane] = numbers(state * n.times);
    return n;
}

static void forget(struct network *n, int params)
{
    for (int plane = 0; plane < n->planes; plane++)
        free(n->plane[plane]);
    for (int i = 0; i < params; i++)
        free(n->weights[i]);
    free(n->weights);
    free(n->x);
    free(n->h0);
    free(n->c0);
    free(n->y);
    free(n->h);
    free(n->c);
}

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

/* One row of the batch at one time. h and c are changed; kept are the planes' numbers. */
static void cell(const struct network *n, long double *const *w, const long double *x,
                 int64_t inputs, long double *h, long double *c, long double kept[][PLANES])
{
    for (int64_t j = 0; j < n->hidden; j++) {
        long double ih[4], hh[4];
        for (int64_t gate = 0; gate < n->gates; gate++) {
            const int64_t row = gate * n->hidden + j;
            ih[gate] = n->has_bias ? w[2][row] : 0;
            hh[gate] = n->has_bias ? w[3][row] : 0;
            for (int64_t k = 0; k < inputs; k++)
                ih[gate] += w[0][row * inputs + k] * x[k];
            for (int64_t k = 0; k < n->hidden; k++)
                hh[gate] += w[1][row * n->hidden + k] * h[k];
        }
        long double *to = kept[j];
        if (n->is_gru) {
            to[0] = sigmoid(ih[0] + hh[0]);
            to[1] = sigmoid(ih[1] + hh[1]);
            to[2] = tanhl(ih[2] + to[0] * hh[2]);
            to[3] = hh[2];
            to[4] = (1 - to[1]) * to[2] + to[1] * h[j];
        } else {
            to[0] = sigmoid(ih[0] + hh[0]);
            to[1] = tanhl(ih[2] + hh[2]);
            to[2] = sigmoid(ih[1] + hh[1]);
            to[3] = sigmoid(ih[3] + hh[3]);
            to[5] = to[2] * c[j] + to[0] * to[1];
            to[6] = tanhl(to[5]);
            to[4] = to[3] * to[6];
        }
    }
    for (int64_t j = 0; j < n->hidden; j++) {
        h[j] = kept[j][4];
        c[j] = kept[j][5];
    }
}

/* One direction of one layer for one row of the batch. x and y: (T, B, ...). */
static void run_row(struct network *n, int64_t run, int64_t b, const long double *x, int64_t inputs,
                    long double *y)
{
    const int64_t state = (run * n->batch + b) * n->hidden, direction = run % n->directions;
    long double h[64], c[64], kept[64][PLANES];
    memcpy(h, n->h0 + state, (size_t)n->hidden * sizeof *h);
    memcpy(c, n->c0 + state, (size_t)n->hidden * sizeof *c);
    for (int64_t step = 0; step < n->times; step++) {
        const int64_t t = direction == 1 ? n->times - 1 - step : step;
        const int64_t row = t * n->batch + b;
        cell(n, n->weights + run * (n->has_bias ? 4 : 2), x + row * inputs, inputs, h, c, kept);
        for (int64_t j = 0; j < n->hidden; j++) {
            y[(row * n->directions + direction) * n->hidden + j] = h[j];
            for (int plane = 0; plane < n->planes; plane++)
                n->plane[plane][((run * n->times + t) * n->batch + b) * n->hidden + j] =
                    kept[j][plane];
        }
    }
    memcpy(n->h + state, h, (size_t)n->hidden * sizeof *h);
    memcpy(n->c + state, c, (size_t)n->hidden * sizeof *c);
}

static void run_network(struct network *n)
{
    const int64_t width = n->directions * n->hidden;
    long double *x = numbers(n->times * n->batch * (n->inputs + width)), *y;
    int64_t inputs = n->inputs;
    for (int64_t t = 0; t < n->times; t++)
        for (int64_t b = 0; b < n->batch; b++)
            memcpy(x + (t * n->batch + b) * inputs, n->x + place_of(n, t, b) * inputs,
                   (size_t)inputs * sizeof *x);
    for (int64_t layer = 0; layer < n->layers; layer++) {
        y = numbers(n->times * n->batch * width);
        for (int64_t direction = 0; direction < n->directions; direction++)
            for (int64_t b = 0; b < n->batch; b++)
                run_row(n, layer * n->directions + direction, b, x, inputs, y);
        free(x);
        x = y;
        inputs = width;
    }
    for (int64_t t = 0; t < n->times; t++)
        for (int64_t b = 0; b < n->batch; b++)
            memcpy(n->y + place_of(n, t, b) * width, x + (t * n->batch + b) * width,
                   (size_t)width * sizeof *x);
    free(x);
}

/* ---- forward ---- */

static void put_all(struct rig_problem *problem, int operand, const long double *values,
                    double size)
{
    for (int64_t i = 0; operand >= 0 && i < problem->tensor[operand].count; i++)
        norm_put(problem, operand, i, (double)values[i], size, 1);
}

static void network(struct rig_problem *problem)
{
    struct network n = network_of(problem, false);
    const double size = 8 * (double)(n.times * n.layers + 1);
    const int64_t count = n.times * n.batch * n.hidden;
    run_network(&n);
    put_all(problem, tensor_at(problem, "output", 0), n.y, size);
    put_all(problem, tensor_at(problem, "hy", 0), n.h, size);
    put_all(problem, tensor_at(problem, "cy", 0), n.c, size);
    for (int plane = 0; plane < n.planes && norm_integer(problem, "train", 0); plane++)
        for (int64_t run = 0; run < runs_of(&n); run++)
            put_all(problem, tensor_at(problem, plane_name(problem, &n, plane), run),
                    n.plane[plane] + run * count, size);
    forget(&n, problem->call.count[slot_of(problem, "params")]);
}

/* ---- gradients ---- */

/* What the gradients are of: results times their gradients, summed. */
struct target {
    long double *dy, *dh, *dc;
    int64_t ys, states;
    double size;
};

static long double sum_of(struct network *n, const struct target *to)
{
    long double sum = 0;
    run_network(n);
    for (int64_t i = 0; i < to->ys; i++)
        sum += to->dy[i] * n->y[i];
    for (int64_t i = 0; i < to->states; i++)
        sum += to->dh[i] * n->h[i] + to->dc[i] * n->c[i];
    return sum;
}

static void put_grads(struct rig_problem *problem, struct network *n, const struct target *to,
                      int operand, long double *of)
{
    const long double step = 0x1p-18L;
    for (int64_t i = 0; operand >= 0 && i < problem->tensor[operand].count; i++) {
        const long double was = of[i];
        of[i] = was + step;
        const long double above = sum_of(n, to);
        of[i] = was - step;
        const long double below = sum_of(n, to);
        of[i] = was;
        norm_put(problem, operand, i, (double)((above - below) / (2 * step)), to->size, 1);
    }
}

/* What the gates are given as is rounded: 2^13 and 2^16 times as coarsely as f32. */
static double coarseness(enum case_dtype dtype)
{
    return dtype == CASE_F16 ? 0x1p13 : dtype == CASE_BF16 ? 0x1p16 : 1;
}

static void network_grad(struct rig_problem *problem)
{
    struct network n = network_of(problem, false);
    struct target to = {.ys = n.times * n.batch * n.directions * n.hidden,
                        .states = runs_of(&n) * n.batch * n.hidden};
    const int params = problem->call.count[slot_of(problem, "params")];
    to.dy = read_numbers(problem, tensor_at(problem, "dy", 0), to.ys, false);
    to.dh = read_numbers(problem, tensor_at(problem, "dh", 0), to.states, false);
    to.dc = read_numbers(problem, n.is_gru ? -1 : tensor_at(problem, "dc", 0), to.states, false);
    for (int64_t i = 0; i < to.ys; i++)
        to.size += fabs((double)to.dy[i]);
    for (int64_t i = 0; i < to.states; i++)
        to.size += fabs((double)to.dh[i]) + fabs((double)to.dc[i]);
    to.size *= 8 * (double)(n.times * n.layers + 1) *
               coarseness(problem->tensor[tensor_at(problem, "input", 0)].view.dtype);
    put_grads(problem, &n, &to, tensor_at(problem, "dxOut", 0), n.x);
    put_grads(problem, &n, &to, tensor_at(problem, "dhPrevOut", 0), n.h0);
    put_grads(problem, &n, &to, tensor_at(problem, "dcPrevOut", 0), n.c0);
    for (int i = 0; i < params; i++)
        put_grads(problem, &n, &to, tensor_at(problem, "dparamsOut", i), n.weights[i]);
    free(to.dy);
    free(to.dh);
    free(to.dc);
    forget(&n, params);
}

/* ---- random problems ---- */

/* Small numbers; for the gradient what the forward operator writes. */
static void fill(struct rig_problem *problem, struct random *random)
{
    for (int slot = 0; problem->op->tensor[slot]; slot++) {
        if (rig_is_output(&problem->op->operand[slot])) continue;
        for (int i = 0; i < problem->call.count[slot]; i++) {
            struct rig_tensor *tensor = &problem->tensor[problem->call.first[slot] + i];
            for (int64_t at = 0; at < tensor->count; at++)
                tensor->bits[at] = oracle_cast_real(tensor->view.dtype,
                                                    (double)random_between(random, -32, 32) / 32);
        }
    }
    if (!is_grad(problem)) return;
    struct network n = network_of(problem, true);
    const int64_t count = n.times * n.batch * n.hidden;
    run_network(&n);
    for (int plane = 0; plane < n.planes; plane++)
        for (int64_t run = 0; run < runs_of(&n); run++) {
            const int operand = tensor_at(problem, plane_name(problem, &n, plane), run);
            struct rig_tensor *tensor = &problem->tensor[operand];
            for (int64_t i = 0; i < count; i++)
                tensor->bits[i] =
                    oracle_cast_real(tensor->view.dtype, (double)n.plane[plane][run * count + i]);
        }
    forget(&n, problem->call.count[slot_of(problem, "params")]);
}

/* Sizes of a random network. */
struct sizes {
    int64_t layers, directions, times, batch, inputs, hidden, gates;
    bool has_bias, batch_first;
};

static void add_tensor(struct test_case *test, struct random *random, const char *name,
                       enum case_dtype dtype, const int64_t *dims, int rank, int place)
{
    random_tensor(test, random, name, dtype, dims, rank, true)->place = (enum case_place)place;
}

/* Weights, or their gradients. */
static void add_weights(struct test_case *test, struct random *random, const char *name,
                        enum case_dtype dtype, const struct sizes *s)
{
    int place = CASE_FIRST;
    for (int64_t run = 0; run < s->layers * s->directions; run++)
        for (int kind = 0; kind < (s->has_bias ? 4 : 2); kind++, place = CASE_NEXT) {
            const int64_t inputs = run < s->directions ? s->inputs : s->directions * s->hidden;
            const int64_t dims[] = {s->gates * s->hidden, kind == 0 ? inputs : s->hidden};
            add_tensor(test, random, name, dtype, dims, kind < 2 ? 2 : 1, place);
        }
}

static void add_list(struct test_case *test, struct random *random, const char *name,
                     enum case_dtype dtype, const int64_t *dims, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        add_tensor(test, random, name, dtype, dims, 3, i == 0 ? CASE_FIRST : CASE_NEXT);
}

static struct sizes random_sizes(struct random *random, bool is_gru, bool is_gradient)
{
    const int64_t most = is_gradient ? 3 : 5;
    struct sizes s = {
        .layers = random_once_in(random, 3) ? 2 : 1,
        .directions = random_once_in(random, 3) ? 2 : 1,
        .times = random_once_in(random, 20) ? 0 : random_between(random, 1, most),
        .batch = random_once_in(random, 6) && !is_gradient ? 9 : random_between(random, 1, 3),
        .inputs = random_between(random, 1, most),
        .hidden = random_between(random, 1, most),
        .gates = is_gru ? 3 : 4,
        .has_bias = !random_once_in(random, 4),
        .batch_first = random_once_in(random, 2)};
    if (!is_gradient && random_once_in(random, 4)) s.hidden = random_between(random, 7, 18);
    return s;
}

/* Nothing is broadcast: fill() makes what fits together. */
static struct test_case random_rnn(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    static const char *const planes = " iOut jOut fOut oOut hOut cOut tanhCOut i g f o h c tanhc "
                                      "rOut zOut nOut hnOut r z n hn ";
    struct test_case test = norm_start(op, random, dtype);
    const bool is_gradient = strstr(op->name, "Backward") != NULL;
    const bool is_gru = strstr(op->name, "GRU") != NULL,
               train = is_gradient || random_once_in(random, 2);
    const struct sizes s = random_sizes(random, is_gru, is_gradient);
    const int64_t runs = s.layers * s.directions, first = s.batch_first ? s.batch : s.times;
    const int64_t second = s.batch_first ? s.times : s.batch;
    const int64_t x[] = {first, second, s.inputs}, y[] = {first, second, s.directions * s.hidden};
    const int64_t state[] = {runs, s.batch, s.hidden}, plane[] = {s.times, s.batch, s.hidden};
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const bool may_lack = norm_has_word(" dy dh dc ", name) ||
                              (strcmp(name, "hx") == 0 && (is_gru || !is_gradient));
        if (may_lack && random_once_in(random, 4)) continue;
        if (norm_has_word(planes, name) && train)
            add_list(&test, random, name, dtype, plane, runs);
        else if (norm_has_word(" params dparamsOut ", name))
            add_weights(&test, random, name, dtype, &s);
        else if (strcmp(name, "hx") == 0 && !is_gru)
            add_list(&test, random, name, dtype, state, 2);
        else if (norm_has_word(" input dxOut ", name))
            random_tensor(&test, random, name, dtype, x, 3, true);
        else if (norm_has_word(" output dy ", name))
            random_tensor(&test, random, name, dtype, y, 3, true);
        else if (norm_has_word(" hx hy cy dh dc dhPrevOut dcPrevOut ", name))
            random_tensor(&test, random, name, dtype, state, 3, true);
    }
    random_number(&test, "hasBias", s.has_bias);
    random_number(&test, "numLayers", (double)s.layers);
    if (op->number[0] && !(is_gru && is_gradient)) random_number(&test, "train", train);
    random_number(&test, is_gru ? "bidirection" : "bidirectional", s.directions == 2);
    random_number(&test, "batchFirst", s.batch_first);
    return test;
}

const struct oracle_row oracle_rnn_rows[] = {
    {.name = "aclnnLSTM",
     .oracle = network,
     .random = random_rnn,
     .fill = fill,
     .ulp = 1,
     .lines = LINES("l_s_t_m f32 input=5x2x3 params=[16x3,16x4,16,16] hx=[1x2x4,1x2x4] hasBias=1 "
                    "numLayers=1 dropout=0 train=0 bidirectional=0 batchFirst=0 output=5x2x4 "
                    "hy=1x2x4 cy=1x2x4",
                    "l_s_t_m f32 input=9x20x33 params=[120x33,120x30] hasBias=0 numLayers=1 "
                    "train=0 bidirectional=0 batchFirst=1 output=9x20x30 hy=1x9x30 cy=1x9x30"),
     .sound = "l_s_t_m f32 input=5x2x3 params=[16x3,16x4,16,16] hx=[1x2x4,1x2x4] batchSizes=0:i64 "
              "hasBias=1 "
              "numLayers=1 dropout=0 train=0 bidirectional=0 batchFirst=0 output=5x2x4 hy=1x2x4 "
              "cy=1x2x4"},
    {.name = "aclnnGRU",
     .oracle = network,
     .random = random_rnn,
     .fill = fill,
     .ulp = 1,
     .lines = LINES("g_r_u f32 input=5x2x3 params=[12x3,12x4,12,12] hx=1x2x4 hasBias=1 "
                    "numLayers=1 dropout=0 train=0 bidirection=0 batchFirst=0 output=5x2x4 "
                    "hy=1x2x4",
                    "g_r_u f32 input=9x20x33 params=[90x33,90x30] hasBias=0 numLayers=1 "
                    "train=0 bidirection=0 batchFirst=1 output=9x20x30 hy=1x9x30"),
     .sound = "g_r_u f32 input=5x2x3 params=[12x3,12x4,12,12] hx=1x2x4 batchSizes=0:i64 hasBias=1 "
              "numLayers=1 "
              "dropout=0 train=0 bidirection=0 batchFirst=0 output=5x2x4 hy=1x2x4"},
    {.name = "aclnnLstmBackward",
     .oracle = network_grad,
     .random = random_rnn,
     .fill = fill,
     .ulp = 1},
    {.name = "aclnnGRUBackward",
     .oracle = network_grad,
     .random = random_rnn,
     .fill = fill,
     .ulp = 1},
    {.name = NULL},
};

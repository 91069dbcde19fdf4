/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers by their names: DynamicRNN, DynamicRNNV2, DynamicGRUV2 and their gradients, one
 * direction of one layer, by aclnnLSTM and aclnnGRU. Matrices are transposed: rows of the inputs,
 * columns of the gates. */
#include "api/op_named_call.h"
#include "api/op_shape.h"
#include "api/tensor_desc.h"
#include "runtime/support/base.h"

#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"

enum { WEIGHTS = 4, PLANES = 7 };

static const enum op_named_side IN = OP_NAMED_INPUT, OUT = OP_NAMED_OUTPUT;

/* torch_npu gives the gradient a truth value as its cell_type. */
static const struct op_named_attribute lstm_attributes[] = {
    {"cell_type", {NULL, "\"LSTM\"", "true"}},
    {"direction", {NULL, "\"UNIDIRECTIONAL\""}},
    {"use_peephole", {NULL, "false"}},
    {"keep_prob", {NULL, "1", "-1"}},
    {"cell_clip", {NULL, "-1"}},
    {"num_proj", {NULL, "0"}},
    {"time_major", {NULL, "true"}},
    {"activation", {NULL, "\"tanh\""}},
    {"forget_bias", {NULL, "0"}},
    {"recurrent_activation", {NULL, "\"sigmoid\""}},
    {"gate_order", {"\"ifjo\"", "\"ifco\""}},
};
static const struct op_named_attribute gru_attributes[] = {
    {"direction", {NULL, "\"UNIDIRECTIONAL\""}},
    {"keep_prob", {NULL, "1", "-1"}},
    {"cell_clip", {NULL, "-1"}},
    {"num_proj", {NULL, "0"}},
    {"time_major", {NULL, "true"}},
    {"activation", {NULL, "\"tanh\""}},
    {"gate_order", {"\"rzh\""}},
    {"reset_after", {NULL, "true"}},
};

/* A call and the sizes of its layer: T times of B rows. */
struct layer {
    struct op_named_run *run;
    int gates;
    int64_t times, batch, inputs, hidden;
    aclDataType type;
};

static struct layer layer_of(struct op_named_run *run, int gates, int w_hh)
{
    const struct op_view x = op_named_view(run, IN, 0, 3);
    const struct op_view w = op_named_view(run, IN, w_hh, 2);
    op_named_demand(run, IN, 0, x.sizes[0] > 0, "it must have a time");
    return (struct layer){.run = run,
                          .gates = gates,
                          .times = x.sizes[0],
                          .batch = x.sizes[1],
                          .inputs = x.sizes[2],
                          .hidden = w.sizes[1] / gates,
                          .type = x.type};
}

/* torch_npu gives gradients a number where there are none. */
static void without_lengths(const struct layer *layer, int index)
{
    const bool is_there = op_named_is_there(layer->run, IN, index) &&
                          op_stored_tensor(layer->run->call->input[index]).rank > 0;
    op_named_demand(layer->run, IN, index, !is_there,
                    "it must be left out: sequences have one length");
}

/* ---- tensors ---- */

static aclTensor *sized(const struct layer *layer, enum op_named_side side, int index, int rank,
                        const int64_t *sizes)
{
    const struct op_view view = op_named_shaped(layer->run, side, index, rank, sizes);
    return op_named_tensor(layer->run, side, index, &view);
}

static aclTensor *inputs_of(const struct layer *layer, enum op_named_side side, int index)
{
    return sized(layer, side, index, 3,
                 (const int64_t[]){layer->times, layer->batch, layer->inputs});
}

static aclTensor *plane(const struct layer *layer, enum op_named_side side, int index)
{
    return sized(layer, side, index, 3,
                 (const int64_t[]){layer->times, layer->batch, layer->hidden});
}

static aclTensor *state(const struct layer *layer, enum op_named_side side, int index)
{
    return sized(layer, side, index, 3, (const int64_t[]){1, layer->batch, layer->hidden});
}

static aclTensor *optional_state(const struct layer *layer, int index)
{
    return op_named_is_there(layer->run, IN, index) ? state(layer, IN, index) : NULL;
}

/* The state after the last time, of a plane that is written anyway. */
static aclTensor *last_of(const struct layer *layer, int index)
{
    struct op_view view = op_named_shaped(
        layer->run, OUT, index, 3, (const int64_t[]){layer->times, layer->batch, layer->hidden});
    view = op_view_part(&view, 0, layer->times - 1, 1, 1);
    return op_named_tensor(layer->run, OUT, index, &view);
}

/* Rows [first, first + height) of a matrix of so many rows, as the aclnn operators have them. */
static aclTensor *weight(const struct layer *layer, enum op_named_side side, int index,
                         int64_t rows, int64_t first, int64_t height)
{
    const int64_t sizes[] = {rows, layer->gates * layer->hidden};
    struct op_view view = op_named_shaped(layer->run, side, index, 2, sizes);
    view = op_view_part(&view, 0, first, 1, height);
    view = op_view_swapped(view, 0, 1);
    return op_named_tensor(layer->run, side, index, &view);
}

static aclTensor *bias(const struct layer *layer, enum op_named_side side, int index)
{
    return sized(layer, side, index, 1, (const int64_t[]){layer->gates * layer->hidden});
}

static aclTensorList *single(const struct layer *layer, aclTensor *tensor)
{
    return op_named_list(layer->run, 1, &tensor);
}

/* ---- LSTM ---- */

/* Where the two matrices are, in one or apart. */
struct lstm_weights {
    int ih, hh;
};

static void put_matrices(const struct layer *layer, enum op_named_side side, struct lstm_weights at,
                         aclTensor *params[WEIGHTS])
{
    const int64_t inputs = layer->inputs, hidden = layer->hidden;
    const bool is_one = at.ih == at.hh;
    const int64_t rows = is_one ? inputs + hidden : inputs;
    params[0] = weight(layer, side, at.ih, rows, 0, inputs);
    params[1] = weight(layer, side, at.hh, is_one ? rows : hidden, is_one ? inputs : 0, hidden);
}

/* Inputs: x, the matrices, the bias, the lengths, h, c. Outputs: y, h, c, i, j, f, o, tanh(c). */
static void run_lstm(struct op_named_run *run, struct lstm_weights at, int bias_at)
{
    enum { LENGTHS = 1, H0, C0 };
    static const int planes[PLANES] = {3, 4, 5, 6, 1, 2, 7};
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *params[WEIGHTS] = {NULL}, *states[2];
    aclTensorList *lists[PLANES];
    op_named_attributes(run, lstm_attributes, RT_LENGTH(lstm_attributes));
    op_named_counts(run, bias_at + C0 + 1, 8);
    const struct layer layer = layer_of(run, 4, at.hh);
    without_lengths(&layer, bias_at + LENGTHS);
    const bool has_bias = op_named_is_there(run, IN, bias_at);
    put_matrices(&layer, IN, at, params);
    if (has_bias) params[2] = bias(&layer, IN, bias_at);
    if (has_bias) params[3] = op_named_zeros(run, layer.type, 4 * layer.hidden);
    states[0] = optional_state(&layer, bias_at + H0);
    states[1] = optional_state(&layer, bias_at + C0);
    aclTensorList *weights = op_named_list(run, has_bias ? 4 : 2, params);
    aclTensorList *hx = states[0] || states[1] ? op_named_list(run, 2, states) : NULL;
    aclTensor *x = inputs_of(&layer, IN, 0), *y = plane(&layer, OUT, 0);
    aclTensor *hy = last_of(&layer, 1), *cy = last_of(&layer, 2);
    for (int i = 0; i < PLANES; i++)
        lists[i] = single(&layer, plane(&layer, OUT, planes[i]));
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus status = aclnnLSTMGetWorkspaceSize(
        x, weights, hx, NULL, has_bias, 1, 0, true, false, false, y, hy, cy, lists[0], lists[1],
        lists[2], lists[3], lists[4], lists[5], lists[6], &bytes, &executor);
    op_named_launch(run, status, bytes, executor, aclnnLSTM);
}

/* Inputs: x, the matrices (in one: and the bias), y, and so on. Outputs: the gradients of the
 * matrices, of the bias, x, h0 and c0. */
static void run_lstm_grad(struct op_named_run *run, struct lstm_weights at, struct lstm_weights out)
{
    enum { H0 = 4, C0, H, C, DY, DH, DC, I, G, F, O, TANH_C, LENGTHS };
    static const int planes[PLANES] = {I, G, F, O, H, C, TANH_C};
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *params[WEIGHTS] = {NULL}, *grads[WEIGHTS] = {NULL}, *states[2];
    aclTensorList *lists[PLANES];
    op_named_attributes(run, lstm_attributes, RT_LENGTH(lstm_attributes));
    op_named_counts(run, TANH_C + 1, out.hh + 5);
    const struct layer layer = layer_of(run, 4, at.hh);
    without_lengths(&layer, LENGTHS);
    put_matrices(&layer, IN, at, params);
    put_matrices(&layer, OUT, out, grads);
    for (int i = 2; i < WEIGHTS; i++) {
        params[i] = op_named_zeros(run, layer.type, 4 * layer.hidden); /* only its shape counts */
        grads[i] = bias(&layer, OUT, out.hh + 1);
    }
    states[0] = state(&layer, IN, H0);
    states[1] = state(&layer, IN, C0);
    for (int i = 0; i < PLANES; i++)
        lists[i] = single(&layer, plane(&layer, IN, planes[i]));
    aclTensorList *hx = op_named_list(run, 2, states);
    aclTensorList *weights = op_named_list(run, WEIGHTS, params);
    aclTensorList *dparams = op_named_list(run, WEIGHTS, grads);
    aclTensor *x = inputs_of(&layer, IN, 0), *dx = inputs_of(&layer, OUT, out.hh + 2);
    aclTensor *dy = plane(&layer, IN, DY);
    aclTensor *dh = state(&layer, IN, DH), *dc = state(&layer, IN, DC);
    aclTensor *dh0 = state(&layer, OUT, out.hh + 3), *dc0 = state(&layer, OUT, out.hh + 4);
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus status = aclnnLstmBackwardGetWorkspaceSize(
        x, hx, weights, dy, dh, dc, lists[0], lists[1], lists[2], lists[3], lists[4], lists[5],
        lists[6], NULL, true, 1, 0, true, false, false, NULL, dx, dh0, dc0, dparams, &bytes,
        &executor);
    op_named_launch(run, status, bytes, executor, aclnnLstmBackward);
}

void op_named_rnn(struct op_named_run *run)
{
    run_lstm(run, (struct lstm_weights){1, 1}, 2);
}

void op_named_rnn_v2(struct op_named_run *run)
{
    run_lstm(run, (struct lstm_weights){1, 2}, 3);
}

void op_named_rnn_grad(struct op_named_run *run)
{
    run_lstm_grad(run, (struct lstm_weights){1, 1}, (struct lstm_weights){0, 0});
}

void op_named_rnn_v2_grad(struct op_named_run *run)
{
    run_lstm_grad(run, (struct lstm_weights){1, 2}, (struct lstm_weights){0, 1});
}

/* ---- GRU ---- */

/* Inputs: x, W_ih, W_hh, b_ih, b_hh, the lengths, h. Outputs: y, h, z, r, n, hn. */
void op_named_gru_v2(struct op_named_run *run)
{
    enum { LENGTHS = 5, H0 };
    static const int planes[] = {3, 2, 4, 5, 1};
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensorList *lists[RT_LENGTH(planes)];
    op_named_attributes(run, gru_attributes, RT_LENGTH(gru_attributes));
    op_named_counts(run, H0 + 1, 6);
    const struct layer layer = layer_of(run, 3, 2);
    without_lengths(&layer, LENGTHS);
    aclTensor *const params[WEIGHTS] = {weight(&layer, IN, 1, layer.inputs, 0, layer.inputs),
                                        weight(&layer, IN, 2, layer.hidden, 0, layer.hidden),
                                        bias(&layer, IN, 3), bias(&layer, IN, 4)};
    aclTensorList *weights = op_named_list(run, WEIGHTS, params);
    aclTensor *x = inputs_of(&layer, IN, 0), *y = plane(&layer, OUT, 0);
    aclTensor *hx = optional_state(&layer, H0), *hy = last_of(&layer, 1);
    for (size_t i = 0; i < RT_LENGTH(planes); i++)
        lists[i] = single(&layer, plane(&layer, OUT, planes[i]));
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus status = aclnnGRUGetWorkspaceSize(
        x, weights, hx, NULL, true, 1, 0, true, false, false, y, hy, lists[0], lists[1], lists[2],
        lists[3], lists[4], &bytes, &executor);
    op_named_launch(run, status, bytes, executor, aclnnGRU);
}

/* Inputs: x, W_ih, W_hh, y, h0, h, dy, dh, z, r, n, hn. Outputs: W_ih, W_hh, b_ih, b_hh, x, h0. */
void op_named_gru_v2_grad(struct op_named_run *run)
{
    enum { H0 = 4, H, DY, DH, Z, R, N, HN, LENGTHS };
    static const int planes[] = {R, Z, N, HN, H};
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *params[WEIGHTS], *grads[WEIGHTS];
    aclTensorList *lists[RT_LENGTH(planes)];
    op_named_attributes(run, gru_attributes, RT_LENGTH(gru_attributes));
    op_named_counts(run, HN + 1, 6);
    const struct layer layer = layer_of(run, 3, 2);
    without_lengths(&layer, LENGTHS);
    for (int i = 0; i < 2; i++) {
        const int64_t rows = i == 0 ? layer.inputs : layer.hidden;
        params[i] = weight(&layer, IN, 1 + i, rows, 0, rows);
        grads[i] = weight(&layer, OUT, i, rows, 0, rows);
        params[2 + i] = op_named_zeros(run, layer.type, 3 * layer.hidden); /* as above */
        grads[2 + i] = bias(&layer, OUT, 2 + i);
    }
    for (size_t i = 0; i < RT_LENGTH(planes); i++)
        lists[i] = single(&layer, plane(&layer, IN, planes[i]));
    aclTensorList *weights = op_named_list(run, WEIGHTS, params);
    aclTensorList *dparams = op_named_list(run, WEIGHTS, grads);
    aclTensor *x = inputs_of(&layer, IN, 0), *hx = state(&layer, IN, H0);
    aclTensor *dy = plane(&layer, IN, DY), *dh = state(&layer, IN, DH);
    aclTensor *dx = inputs_of(&layer, OUT, 4), *dh0 = state(&layer, OUT, 5);
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus status = aclnnGRUBackwardGetWorkspaceSize(
        x, weights, hx, dy, dh, lists[0], lists[1], lists[2], lists[3], lists[4], NULL, true, 1,
        false, false, dx, dh0, dparams, &bytes, &executor);
    op_named_launch(run, status, bytes, executor, aclnnGRUBackward);
}

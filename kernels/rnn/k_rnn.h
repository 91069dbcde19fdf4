/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers: LSTM and GRU, one direction of one layer at a time, and their gradients. All
 * numbers are doubles, dense and row-major; T times, B rows of a batch, H hidden numbers.
 *
 *     LSTM  i, f, o = sigmoid(x_ih + x_hh), g = tanh(x_ih + x_hh) of their quarters in the order
 *           i, f, g, o; c = f c' + i g; h = o tanh(c)
 *     GRU   r, z = sigmoid(x_ih + x_hh), n = tanh(x_ih + r x_hh) of their thirds in the order
 *           r, z, n; h = (1 - z) n + z h'
 *
 * x_ih = W_ih x + b_ih is made before (k_products), x_hh = W_hh h' + b_hh; h' and c' are those of
 * the time before, or of the time behind where is_reverse. */
#ifndef ACLNN_CPU_KERNELS_RNN_K_RNN_H
#define ACLNN_CPU_KERNELS_RNN_K_RNN_H

#include "kernels/kernel.h"

enum { K_RNN_ROWS = 8 }; /* of the batch together: the weights are read once for them */

/* What is kept of each time, a plane of (T, B, H) each. */
enum { K_LSTM_I, K_LSTM_G, K_LSTM_F, K_LSTM_O, K_LSTM_H, K_LSTM_C, K_LSTM_TANH_C, K_LSTM_PLANES };
enum { K_GRU_R, K_GRU_Z, K_GRU_N, K_GRU_HN, K_GRU_H, K_GRU_PLANES }; /* HN: x_hh of n */

struct k_rnn {
    bool is_gru, is_reverse;
    int64_t times, batch, hidden;
    int64_t y_step, y_first; /* of Y and its gradient: from row to row; the first of this layer's */
};

static inline int64_t k_rnn_gates(const struct k_rnn *rnn)
{
    return rnn->is_gru ? 3 : 4;
}

/* Numbers of scratch for all items. */
int64_t k_rnn_scratch(const struct k_rnn *rnn);

/* rnn: items are K_RNN_ROWS rows of the batch. X_IH is (T, B, gates H), W_HH (gates H, H), the
 * bias (gates H), H0 and C0 (B, H); Y gets h too. */
enum {
    K_RNN_X_IH,
    K_RNN_W_HH,
    K_RNN_BIAS_HH,
    K_RNN_H0,
    K_RNN_C0, /* not read by GRU */
    K_RNN_Y,
    K_RNN_PLANES,
    K_RNN_SCRATCH
};

/* rnn_grad: the same items. DX_IH and DX_HH (T, B, gates H) are the gradients of x_ih and x_hh, of
 * LSTM one buffer. DH and DC (B, H) are those of the last h and c before the call, of H0 and C0
 * after it. W_HH is transposed: (H, gates H). */
enum {
    K_RNN_GRAD_PLANES,
    K_RNN_GRAD_W_HH,
    K_RNN_GRAD_H0,
    K_RNN_GRAD_C0,
    K_RNN_GRAD_DY,
    K_RNN_GRAD_DH,
    K_RNN_GRAD_DC,
    K_RNN_GRAD_DX_IH,
    K_RNN_GRAD_DX_HH
};

struct k_work k_rnn_work(const struct k_rnn *rnn);

/* to[m, n] = sum over k of a[m, k] b[n, k], and bias[n], and what to[m, n] was. Items are
 * K_RNN_ROWS rows of a. */
struct k_products {
    bool has_bias, adds;
    int64_t rows, columns, depth;
    int64_t to_step; /* from row to row of `to` */
};

enum { K_PRODUCTS_A, K_PRODUCTS_B, K_PRODUCTS_BIAS, K_PRODUCTS_TO };

struct k_work k_products_work(const struct k_products *products);

#endif

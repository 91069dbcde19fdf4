/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/rnn/k_rnn.h"

enum { GRAIN = 65536 }; /* multiplications worth a thread */

static struct k_work blocks_of(int64_t rows, int64_t cost)
{
    return (struct k_work){.items = (rows + K_RNN_ROWS - 1) / K_RNN_ROWS,
                           .grain = cost >= GRAIN ? 1 : GRAIN / (cost + 1) + 1};
}

struct k_work k_rnn_work(const struct k_rnn *rnn)
{
    const int64_t cost = K_RNN_ROWS * k_rnn_gates(rnn) * rnn->hidden * (rnn->hidden + 16);
    return blocks_of(rnn->batch, rnn->times > 0 && cost < GRAIN ? cost * rnn->times : cost);
}

int64_t k_rnn_scratch(const struct k_rnn *rnn)
{
    const int64_t blocks = (rnn->batch + K_RNN_ROWS - 1) / K_RNN_ROWS;
    const int64_t padded = (rnn->hidden + 7) / 8 * 8;
    return blocks * (K_RNN_ROWS * k_rnn_gates(rnn) + 1) * padded;
}

struct k_work k_products_work(const struct k_products *p)
{
    return blocks_of(p->rows, K_RNN_ROWS * p->columns * (p->depth + 1));
}

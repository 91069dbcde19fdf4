/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/norm/driver.h"
#include "kernels/norm/exponentials.h"
#include "kernels/single/rows.h"

#include "kernels/softmax/softmax_rows.h"

#include "kernels/softmax/single.h"

#include "kernels/softmax/masked_rows.h"

static void plain_row(const struct row *row, struct room *room)
{
    if (single_operands(row->norm, K_SOFTMAX_X, K_SOFTMAX_OUT))
        single_row(row, room);
    else
        softmax_or_log(row, room, plain_scores, K_SOFTMAX_OUT,
                       row->norm->kind == K_NORM_LOG_SOFTMAX);
}

static void grad_row(const struct row *row, struct room *room)
{
    (single_operands(row->norm, K_SOFTMAX_GRAD_DY, K_SOFTMAX_GRAD_OUT)
         ? single_grad_row
         : softmax_grad_row)(row, room);
}

static body_fn *const bodies[K_NORM_AFFINE] = {
    [K_NORM_SOFTMAX] = plain_row,
    [K_NORM_LOG_SOFTMAX] = plain_row,
    [K_NORM_SOFTMAX_GRAD] = grad_row,
    [K_NORM_LOG_SOFTMAX_GRAD] = grad_row,
    [K_NORM_MASKED_SOFTMAX] = masked_softmax_row,
    [K_NORM_MASKED_SOFTMAX_GRAD] = masked_softmax_grad_row,
    [K_NORM_LABELS] = labels_row,
    [K_NORM_CROSS_ENTROPY] = cross_entropy_row,
    [K_NORM_CROSS_ENTROPY_GRAD] = cross_entropy_grad_row,
};

k_fn K_SYMBOL(softmax);

void K_SYMBOL(softmax)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_norm *n = parameters;
    drive(n, bodies[n->kind], buffers, slice);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tokens at their places, as they are or as INT8. A token's numbers become INT8 before they
 * are copied, once for all its places, unless its experts have scales of their own. */
#include "api/op_moe.h"
#include "kernels/kernels.h"
#include "kernels/moe/k_moe.h"
#include "kernels/quant/k_quantize.h"

void op_moe_rows_step(const struct op_shape_call *call, int from, int numbers, int to,
                      const struct k_moe_rows *rows)
{
    if (rows->rows == 0 || rows->bytes == 0) return;
    ex_step(call->plan, "moe_rows", k_moe_rows, rows, sizeof *rows, k_moe_rows_plan(rows),
            EX_BUFFERS(from, numbers, to));
}

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

void op_moe_copy_rows(const struct op_shape_call *call, const struct op_value *from,
                      const struct op_value *to, int64_t rows, int64_t count, int numbers)
{
    const int64_t size = (int64_t)ex_element_size(from->tensor->descriptor.data_type);
    const struct k_moe_rows k = {.rows = count,
                                 .bytes = rows > 0 ? op_moe_count(from) / rows * size : size,
                                 .sources = rows};
    const int source = op_moe_source(call, from, -1);
    const struct op_place made = op_dense_target(call, argument_of(call, to));
    op_moe_rows_step(call, source, numbers, made.buffer, &k);
    op_deliver(call, &made, argument_of(call, to));
}

/* A number where kernels read it. */
static int number(const struct op_shape_call *call, double value)
{
    const struct op_place place = op_scratch_place(call->plan, ACL_FLOAT, 0, NULL);
    op_fill_place(call->plan, &place, value, 0);
    return place.buffer;
}

static struct k_quantize quantize_of(const struct op_moe_quant *q)
{
    const struct ex_descriptor *x = &q->x->tensor->descriptor;
    return (struct k_quantize){
        .what = q->mode == 0 ? K_QUANTIZE : K_QUANTIZE_DYNAMIC,
        .from = op_k_dtype(q->x->tensor),
        .to = K_I8,
        .factor = K_F32,
        .offset = K_F32,
        .rows = q->experts > 0 ? q->slots : x->sizes[0],
        .columns = x->sizes[1],
        .inner = 1,
        .by_column = q->mode == 1,
        .has_scale = q->mode == 0 || q->scale,
        .has_offset = q->mode == 0,
        .experts = q->mode == 1 ? q->experts : 0,
        .is_partial = q->experts > 0,
    };
}

struct quant_buffers {
    int x, to, made, groups;
};

static void quantize(const struct op_shape_call *call, const struct op_moe_quant *q,
                     const struct quant_buffers *b)
{
    const struct k_quantize k = quantize_of(q);
    int scale, offset;
    if (q->mode == 0 && !q->scale) {
        scale = number(call, q->factor);
        offset = number(call, q->shift);
    } else {
        scale = op_moe_source(call, q->scale, b->x);
        offset = op_moe_source(call, q->offset, b->x);
    }
    if (k.rows > 0)
        ex_step(call->plan, "quantize", k_best()->quantize, &k, sizeof k, k_quantize_plan(&k),
                EX_BUFFERS(b->x, scale, offset, b->to, b->made, b->made, b->groups));
}

/* Rows at their places first, for each has the scales of its expert. */
static void place_by_expert(const struct op_shape_call *call, const struct op_moe_quant *q, int x,
                            int sources, int groups, const struct op_place *to,
                            const struct op_place *made)
{
    const struct ex_descriptor *d = &q->x->tensor->descriptor;
    const int64_t bytes = d->sizes[1] * (int64_t)ex_element_size(d->data_type);
    const struct k_moe_rows rows = {.rows = q->slots, .bytes = bytes, .sources = d->sizes[0]};
    const int placed = ex_scratch(call->plan, (size_t)(q->slots * bytes) + 1);
    op_moe_rows_step(call, x, sources, placed, &rows);
    quantize(call, q, &(struct quant_buffers){placed, to->buffer, made->buffer, groups});
}

static void place_quantized(const struct op_shape_call *call, const struct op_moe_quant *q, int x,
                            int sources, const struct op_place *to, const struct op_place *made)
{
    const int64_t *sizes = q->x->tensor->descriptor.sizes;
    const int whole = ex_scratch(call->plan, (size_t)(sizes[0] * sizes[1]) + 1);
    const int scales = ex_scratch(call->plan, (size_t)sizes[0] * sizeof(float) + 1);
    const struct k_moe_rows rows = {.rows = q->slots, .bytes = sizes[1], .sources = sizes[0]};
    const struct k_moe_rows numbers = {
        .rows = q->slots, .bytes = sizeof(float), .sources = sizes[0]};
    quantize(call, q, &(struct quant_buffers){x, whole, scales, x});
    op_moe_rows_step(call, whole, sources, to->buffer, &rows);
    if (q->to_scale) op_moe_rows_step(call, scales, sources, made->buffer, &numbers);
}

void op_moe_place(const struct op_shape_call *call, const struct op_moe_quant *quant, int sources,
                  int groups)
{
    const int64_t rows = quant->x->tensor->descriptor.sizes[0];
    if (quant->slots == 0) return;
    if (quant->mode < 0) {
        op_moe_copy_rows(call, quant->x, quant->to, rows, quant->slots, sources);
        if (quant->to_scale)
            op_moe_copy_rows(call, quant->scale, quant->to_scale, rows, quant->slots, sources);
        return;
    }
    const int x = op_moe_source(call, quant->x, -1);
    const struct op_place to = op_dense_target(call, argument_of(call, quant->to));
    struct op_place made = to;
    if (quant->to_scale) made = op_dense_target(call, argument_of(call, quant->to_scale));
    if (quant->experts > 0)
        place_by_expert(call, quant, x, sources, groups, &to, &made);
    else
        place_quantized(call, quant, x, sources, &to, &made);
    op_deliver(call, &to, argument_of(call, quant->to));
    if (quant->to_scale) op_deliver(call, &made, argument_of(call, quant->to_scale));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Attention whose query and key have a second part each. The forward pass reads all four; for the
 * gradient both parts are put side by side first, and so come their gradients. */
#include "api/op_attention_plan.h"

void op_attention_read_rope(struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    struct k_attention *k = p->kernel;
    k->rope = a->rope_columns;
    k->row = k->d + k->rope;
    if (a->is_whole)
        op_attention_read_whole_rope(p);
    else
        k->q_rope = op_attention_source(p, K_ATTENTION_Q_ROPE, a->rope[0], a->layout, a->heads);
    if (!a->is_infer)
        k->k_rope =
            op_attention_source(p, K_ATTENTION_K_ROPE, a->rope[1], a->key_layout, a->key_heads);
}

/* ---- side by side: (batch, rows, heads, columns) ---- */

static int64_t heads_of(const struct op_attention *a, int operand)
{
    return operand == 0 ? a->heads : a->key_heads;
}

struct op_view op_attention_four(const struct op_attention *a, const struct op_view *view,
                                 int operand, int64_t columns)
{
    const struct op_attention_layout *l = a->layout;
    const struct k_attention_side side = op_attention_side(l, view, heads_of(a, operand));
    struct op_view four = *view;
    four.rank = 4;
    four.sizes[0] = l->batch < 0 ? 1 : view->sizes[l->batch];
    four.sizes[1] = view->sizes[l->rows];
    four.sizes[2] = heads_of(a, operand);
    four.sizes[3] = columns;
    four.strides[0] = side.batch;
    four.strides[1] = side.row;
    four.strides[2] = side.head;
    four.strides[3] = side.column;
    return four;
}

static struct op_place joined_place(const struct op_attention_plan *p, int operand)
{
    const struct op_attention *a = &p->of;
    const struct op_view like = op_view_of(a->tensor[operand]);
    const struct op_view four = op_attention_four(a, &like, operand, a->d + a->rope_columns);
    return op_scratch_like(p->call->plan, &four);
}

static struct op_place part_of(const struct op_attention *a, const struct op_place *joined,
                               bool is_second)
{
    return (struct op_place){joined->buffer, op_view_part(&joined->view, 3, is_second ? a->d : 0, 1,
                                                          is_second ? a->rope_columns : a->d)};
}

struct k_attention_side op_attention_four_side(const struct op_attention *a,
                                               const struct op_view *four)
{
    return (struct k_attention_side){.batch = a->layout->batch < 0 ? 0 : four->strides[0],
                                     .row = four->strides[1],
                                     .head = four->strides[2],
                                     .column = four->strides[3]};
}

void op_attention_join_parts(struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    static const int buffers[] = {K_ATTENTION_Q, K_ATTENTION_K};
    struct k_attention_side *const sides[] = {&p->kernel->q, &p->kernel->k};
    for (int i = 0; i < 2; i++) {
        const struct op_value *const parts[] = {a->value[i], a->rope[i]};
        const struct op_place joined = joined_place(p, i);
        for (int k = 0; k < 2; k++) {
            struct op_place from = op_source(p->call, op_attention_argument(p, parts[k]), 0);
            const struct op_place to = part_of(a, &joined, k == 1);
            from.view = op_attention_four(a, &from.view, i, to.view.sizes[3]);
            op_copy_place(p->call->plan, &from, &to);
        }
        p->buffers[buffers[i]] = joined.buffer;
        *sides[i] = op_attention_four_side(a, &joined.view);
    }
    p->kernel->d = p->kernel->row = a->d + a->rope_columns;
}

void op_attention_joined_targets(struct op_attention_plan *p, struct op_place made[2])
{
    static const int buffers[] = {K_ATTENTION_DQ, K_ATTENTION_DK};
    struct k_attention_side *const sides[] = {&p->kernel->dq, &p->kernel->dk};
    for (int i = 0; i < 2; i++) {
        made[i] = joined_place(p, i);
        p->buffers[buffers[i]] = made[i].buffer;
        *sides[i] = op_attention_four_side(&p->of, &made[i].view);
    }
}

void op_attention_cut_parts(const struct op_attention_plan *p, const struct op_place made[2])
{
    static const char *const names[][2] = {{"dqOut", "dqRopeOut"}, {"dkOut", "dkRopeOut"}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const struct op_value *to = op_argument_named(p->call->problem, names[i][k]);
            const struct op_place from = part_of(&p->of, &made[i], k == 1);
            struct op_place place = op_target(p->call, op_attention_argument(p, to), 0);
            place.view = op_attention_four(&p->of, &place.view, i, from.view.sizes[3]);
            op_copy_place(p->call->plan, &from, &place);
        }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of attention of inference: keys in blocks, quantised, shared, padded, of two parts; results
 * of INT8. */
#include <math.h>
#include <string.h>

#include "api/op_attention_plan.h"
#include "api/op_elementwise.h"
#include "runtime/support/alloc.h"

/* ---- keys and values ---- */

/* In blocks: side by side; of a list: behind each other. Those of 4 bits stay where they are: a
 * result does not lie there (find_out). */
static struct op_place place_of(const struct op_attention_plan *p, const struct op_value *value,
                                int64_t heads)
{
    const struct op_attention *a = &p->of;
    const int argument = op_attention_argument(p, value);
    if (a->in_list) return op_attention_join_list(p, value == a->value[1] ? 1 : 2);
    const struct op_place place =
        a->is_four ? op_target(p->call, argument, 0) : op_source(p->call, argument, 0);
    if (a->in_panels) return op_attention_gather_panels(p->call, a, &place);
    return a->table ? op_attention_gather(p->call, a, &place, a->key_layout, heads) : place;
}

static struct k_attention_side key_source(struct op_attention_plan *p, int buffer,
                                          const struct op_value *value)
{
    const struct op_attention *a = &p->of;
    struct op_place place = place_of(p, value, a->key_heads);
    if (a->is_whole && buffer == K_ATTENTION_K_ROPE) place = op_attention_as_float(p, &place);
    struct k_attention_side side = op_attention_side(a->read_layout, &place.view, a->key_heads);
    const int64_t packed = a->is_four && place.view.type == ACL_UINT8 ? 2 : a->packed;
    p->buffers[buffer] = place.buffer;
    side.batch *= packed;
    side.head *= packed;
    side.row *= packed;
    if (a->is_four) side.column = 1;
    return side;
}

/* ---- factors ---- */

static struct op_place gathered(const struct op_attention_plan *p, const struct op_place *place,
                                const struct op_attention_factors *f)
{
    const bool has_heads = f->axes[1] == 'N';
    const struct op_attention_layout layout = {.rank = place->view.rank,
                                               .batch = f->skipped,
                                               .rows = place->view.rank - 1,
                                               .heads = has_heads ? f->skipped + 1 : -1,
                                               .columns = -1};
    return op_attention_gather(p->call, &p->of, place, &layout, has_heads ? p->of.key_heads : 1);
}

static struct k_quantised_factor factor_of(struct op_attention_plan *p, int buffer, int operand,
                                           const struct op_value *value)
{
    const struct op_attention_factors *f = &p->of.factors[operand];
    struct op_place place = op_source(p->call, op_attention_argument(p, value), 0);
    if (f->axes[0] == 'P') place = gathered(p, &place, f);
    const struct op_view *view = &place.view;
    struct k_quantised_factor factor = {
        .dtype = view->type == ACL_UINT64 ? K_F32 : op_k_dtype_of(view->type)}; /* its low half */
    if (f->skipped > 0) factor.first = f->part * view->strides[0];
    for (int i = 0; f->axes[i]; i++) {
        const int64_t stride = view->strides[f->skipped + i];
        switch (f->axes[i]) {
        case 'N':
            factor.at.head = stride;
            break;
        case 'D':
            factor.at.column = stride;
            break;
        case 'H':
            factor.at.column = stride;
            factor.at.head = stride * (operand == 0 ? p->of.d : p->of.dv);
            break;
        case 'S':
            factor.at.row = stride;
            break;
        case 'B':
        case 'P':
            factor.at.block = stride;
            break;
        default:
            break;
        }
    }
    p->buffers[buffer] = place.buffer;
    return factor;
}

static struct k_quantised read_factors(struct op_attention_plan *p, int operand)
{
    const struct op_attention_factors *f = &p->of.factors[operand];
    const int buffer = operand == 0 ? K_ATTENTION_K_SCALE : K_ATTENTION_V_SCALE;
    struct k_quantised q = {.is_there = true, .is_four = p->of.is_four, .has_offset = f->offset};
    q.scale = factor_of(p, buffer, operand, f->scale);
    if (f->offset) q.offset = factor_of(p, buffer + 1, operand, f->offset);
    return q;
}

void op_attention_read_keys(struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    struct k_attention *k = p->kernel;
    k->k = key_source(p, K_ATTENTION_K, a->value[1]);
    k->v = key_source(p, K_ATTENTION_V, a->value[2]);
    k->query_rows = a->queries;
    k->key_rows = a->keys;
    if (a->factors[0].scale) {
        k->k_as = read_factors(p, 0);
        k->v_as = read_factors(p, 1);
    }
    if (a->weight_scale) {
        k->rounds = true;
        p->buffers[K_ATTENTION_WEIGHT_SCALE] =
            op_source(p->call, op_attention_argument(p, a->weight_scale), 0).buffer;
    }
    if (a->shared_from[0]) {
        k->shared = a->shared;
        k->shared_k = key_source(p, K_ATTENTION_SHARED_K, a->shared_from[0]);
        k->shared_v = key_source(p, K_ATTENTION_SHARED_V, a->shared_from[1]);
    }
    if (a->rope[0]) {
        op_attention_read_rope(p);
        k->k_rope = key_source(p, K_ATTENTION_K_ROPE, a->rope[1]);
    }
    for (int i = 0; i < 2; i++)
        if (a->padding[i])
            p->buffers[K_ATTENTION_Q_PADDING + i] =
                op_dense_source(p->call, op_attention_argument(p, a->padding[i])).buffer;
    k->pads_queries = a->padding[0] != NULL;
    k->pads_keys = a->padding[1] != NULL;
}

/* ---- results ---- */

/* One for all columns of all heads, or one for each. */
static struct k_quantised_factor out_factor(struct op_attention_plan *p, int buffer,
                                            const struct op_value *value)
{
    const struct op_place place = op_dense_source(p->call, op_attention_argument(p, value));
    const bool is_one = op_element_count(place.view.rank, place.view.sizes) == 1;
    p->buffers[buffer] = place.buffer;
    return (struct k_quantised_factor){
        .dtype = op_k_dtype_of(place.view.type),
        .at = {.head = is_one ? 0 : p->of.dv, .column = is_one ? 0 : 1}};
}

static void read_out_factors(struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    if (!a->out_scale) return;
    p->kernel->out_as.is_there = true;
    p->kernel->out_as.scale = out_factor(p, K_ATTENTION_OUT_SCALE, a->out_scale);
    if (!a->out_offset) return;
    p->kernel->out_as.has_offset = true;
    p->kernel->out_as.offset = out_factor(p, K_ATTENTION_OUT_OFFSET, a->out_offset);
}

/* The result itself; or scratch where it shares memory with keys of 4 bits, which are not copied,
 * and FLOAT where those of a query of INT8 are rounded. */
static struct op_place out_place(const struct op_attention_plan *p, const struct op_value *out)
{
    const struct op_attention *a = &p->of;
    const aclTensor *const keys[] = {a->tensor[1], a->tensor[2],
                                     a->shared_from[0] ? a->shared_from[0]->tensor : NULL,
                                     a->shared_from[1] ? a->shared_from[1]->tensor : NULL};
    struct op_place place = op_target(p->call, op_attention_argument(p, out), 0);
    if (a->is_whole && place.view.type != ACL_INT8 && place.view.type != ACL_FLOAT)
        return op_scratch_place(p->call->plan, ACL_FLOAT, place.view.rank, place.view.sizes);
    for (size_t i = 0; i < RT_LENGTH(keys) && a->is_four && !a->in_list; i++)
        if (keys[i] && op_meets(&out->tensor->descriptor, &keys[i]->descriptor))
            return op_scratch_like(p->call->plan, &place.view);
    return place;
}

/* The result, 0 in rows behind a sequence, and its logarithms of sums. */
void op_attention_plan_infer(const struct op_shape_call *call)
{
    const struct op_value *lse = op_argument_named(call->problem, "softmaxLse");
    const struct op_value *out = op_argument_named(call->problem, "attentionOut");
    struct op_attention_plan p;
    struct op_place made;
    if (op_attention_begin(&p, call)) {
        const struct op_place place = out_place(&p, out);
        const struct op_place target = op_target(call, op_attention_argument(&p, out), 0);
        const bool has_lse = op_integer_named(call->problem, "softmaxLseFlag", 0) != 0;
        p.buffers[K_ATTENTION_OUT] = place.buffer;
        p.kernel->out = op_attention_side(p.of.out_layout, &place.view, p.of.heads);
        p.kernel->stats = has_lse ? K_ATTENTION_LOG : K_ATTENTION_NO_STATS;
        read_out_factors(&p);
        if (p.of.lengths[0]) op_fill_place(call->plan, &place, 0, 0);
        if (has_lse) {
            made = op_dense_target(call, op_attention_argument(&p, lse));
            if (p.of.lengths[0]) op_fill_place(call->plan, &made, -INFINITY, 0);
            p.buffers[K_ATTENTION_MAX] = made.buffer;
        }
        op_attention_forward(&p);
        if (has_lse) op_deliver(call, &made, op_attention_argument(&p, lse));
        if (place.buffer != target.buffer) op_copy_place(call->plan, &place, &target);
    }
    rt_free(p.kernel);
}

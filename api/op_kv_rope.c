/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are normalized in front and turned behind, into caches: aclnnKvRmsNormRopeCache. */
#include <string.h>

#include "api/op_slots.h"
#include "kernels/kernels.h"
#include "kernels/rotary/k_kv_rope.h"

enum {
    KV,
    GAMMA,
    COS,
    SIN,
    INDEX,
    KEY_CACHE,
    VALUE_CACHE,
    KEY_SCALE,
    VALUE_SCALE,
    KEY_OFFSET,
    VALUE_OFFSET,
    TO_KEY = 14,
    TO_VALUE
};

/* How cacheModeOptional's texts go. */
static const struct mode {
    const char *name, *axes;
    enum k_slots_how how;
} modes[] = {
    {"Norm", "bhrc", K_SLOTS_SEQUENCES},     {"PA", "brhc", K_SLOTS_ANY},
    {"PA_BNSD", "brhc", K_SLOTS_ANY},        {"PA_NZ", NULL, K_SLOTS_ANY},
    {"PA_BLK_BNSD", "brhc", K_SLOTS_BLOCKS}, {"PA_BLK_NZ", NULL, K_SLOTS_BLOCKS},
};

/* NULL: there is none of that name. */
static const struct mode *mode_of(const struct op_problem *problem)
{
    const char *text = op_argument_named(problem, "cacheModeOptional")->text;
    if (!text || text[0] == '\0') return &modes[0];
    for (int i = 0; i < (int)RT_LENGTH(modes); i++)
        if (strcmp(text, modes[i].name) == 0) return &modes[i];
    return NULL;
}

static const int64_t *sizes_of(const struct op_problem *problem, int argument)
{
    return problem->values[argument].tensor->descriptor.sizes;
}

static bool is_whole(const struct op_problem *problem, int cache)
{
    return problem->values[cache].tensor->descriptor.data_type == ACL_INT8;
}

static bool is_written(const struct op_problem *problem)
{
    return op_integer_named(problem, "isOutputKv", 0) != 0;
}

/* ---- checks ---- */

/* A cache is of kv's type, or INT8 with a scale. */
static aclnnStatus check_side(const struct op_problem *problem, int cache, int scale, int offset,
                              int to)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    if (is_whole(problem, cache))
        OP_CHECK(name, values[scale].tensor, ACLNN_ERR_PARAM_NULLPTR, "%s is INT8 and %s is NULL",
                 values[cache].name, values[scale].name);
    else
        OP_TRY(op_check_same_type(name, values[cache].name, values[cache].tensor, "kv",
                                  values[KV].tensor));
    for (int i = scale; i <= offset; i += offset - scale)
        if (values[i].tensor)
            OP_TRY(
                op_check_type(name, values[i].name, values[i].tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    if (!is_written(problem)) return ACLNN_SUCCESS;
    OP_CHECK(name, values[to].tensor, ACLNN_ERR_PARAM_NULLPTR, "isOutputKv is true and %s is NULL",
             values[to].name);
    return op_check_same_type(name, values[to].name, values[to].tensor, "kv", values[KV].tensor);
}

static aclnnStatus kv_rope_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_float(name, "kv", values[KV].tensor));
    for (int i = GAMMA; i <= SIN; i++)
        OP_TRY(op_check_same_type(name, values[i].name, values[i].tensor, "kv", values[KV].tensor));
    OP_TRY(op_check_type(name, "index", values[INDEX].tensor, OP_TYPE(ACL_INT64), "INT64"));
    OP_TRY(check_side(problem, KEY_CACHE, KEY_SCALE, KEY_OFFSET, TO_KEY));
    OP_TRY(check_side(problem, VALUE_CACHE, VALUE_SCALE, VALUE_OFFSET, TO_VALUE));
    problem->type = problem->result = (aclDataType)values[KV].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* One number, one for each column, or for each head and column. */
static aclnnStatus check_numbers(const struct op_problem *problem, int argument, int64_t columns)
{
    const struct op_value *value = &problem->values[argument];
    struct op_shape_text text;
    if (!value->tensor) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const int64_t heads = sizes_of(problem, KV)[1];
    const bool is_flat = d->rank == 1 && (d->sizes[0] == 1 || d->sizes[0] == columns);
    const bool is_deep = d->rank == 2 && d->sizes[0] == heads && d->sizes[1] == columns;
    OP_CHECK(problem->row->name, is_flat || is_deep, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (1), (%" PRId64 ") or (%" PRId64 ", %" PRId64 ")",
             value->name, op_shape(&text, value->tensor), columns, heads, columns);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_cache(const struct op_problem *problem, int argument, int64_t columns)
{
    const struct op_value *cache = &problem->values[argument];
    const int64_t *kv = sizes_of(problem, KV);
    const struct mode *mode = mode_of(problem);
    OP_TRY(op_check_rank(problem->row->name, cache->name, cache->tensor, 4, 4));
    const int64_t *sizes = cache->tensor->descriptor.sizes;
    const bool is_norm = mode->how == K_SLOTS_SEQUENCES;
    const int64_t shape[] = {sizes[0], is_norm ? kv[1] : sizes[1], is_norm ? sizes[2] : kv[1],
                             columns};
    OP_TRY(op_check_shape(problem, cache, cache->tensor, 4, shape));
    OP_CHECK(problem->row->name, !is_norm || sizes[0] >= kv[0], ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " sequences, kv has %" PRId64, cache->name, sizes[0], kv[0]);
    OP_CHECK(problem->row->name, sizes[0] * sizes[is_norm ? 2 : 1] > 0, ACLNN_ERR_PARAM_INVALID,
             "%s has no rows", cache->name);
    if (mode->axes) return ACLNN_SUCCESS;
    const int64_t width =
        OP_SLOTS_PANEL / (int64_t)ex_element_size(cache->tensor->descriptor.data_type);
    OP_CHECK(problem->row->name, columns % width == 0, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " columns; with cacheModeOptional \"%s\" they must be a multiple of "
             "%" PRId64,
             cache->name, columns, mode->name, width);
    return op_check_contiguous(problem->row->name, cache->name, cache->tensor);
}

static aclnnStatus check_index(const struct op_problem *problem)
{
    const int64_t *kv = sizes_of(problem, KV);
    const struct mode *mode = mode_of(problem);
    const int64_t rows = sizes_of(problem, KEY_CACHE)[1];
    int64_t sizes[] = {kv[0], kv[2]};
    if (mode->how == K_SLOTS_ANY) sizes[0] = kv[0] * kv[2];
    if (mode->how == K_SLOTS_BLOCKS) {
        sizes[0] = kv[0] * ((kv[2] + rows - 1) / rows);
        OP_CHECK(problem->row->name, sizes_of(problem, VALUE_CACHE)[1] == rows,
                 ACLNN_ERR_PARAM_INVALID,
                 "blocks of kCacheRef have %" PRId64 " rows, those of ckvCacheRef %" PRId64
                 "; they must have as many",
                 rows, sizes_of(problem, VALUE_CACHE)[1]);
    }
    return op_check_shape(problem, &problem->values[INDEX], problem->values[INDEX].tensor,
                          mode->how == K_SLOTS_SEQUENCES ? 2 : 1, sizes);
}

static aclnnStatus kv_rope_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_CHECK(name, mode_of(problem), ACLNN_ERR_PARAM_INVALID,
             "cacheModeOptional is \"%s\"; it must be \"Norm\", \"PA\", \"PA_BNSD\", \"PA_NZ\", "
             "\"PA_BLK_BNSD\" or \"PA_BLK_NZ\"",
             op_argument_named(problem, "cacheModeOptional")->text);
    OP_TRY(op_check_rank(name, "kv", values[KV].tensor, 4, 4));
    OP_TRY(op_check_rank(name, "gamma", values[GAMMA].tensor, 1, 1));
    OP_TRY(op_check_rank(name, "cos", values[COS].tensor, 4, 4));
    const int64_t *kv = sizes_of(problem, KV), *cos = sizes_of(problem, COS);
    const int64_t value = sizes_of(problem, GAMMA)[0], key = kv[3] - value;
    OP_CHECK(name, value > 0 && key > 0 && key % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "kv has %" PRId64 " columns and gamma %" PRId64
             "; what is left for keys must be even and greater than 0",
             kv[3], value);
    const int64_t turns[] = {kv[0], 1, cos[2] == 1 ? 1 : kv[2], key};
    OP_TRY(op_check_shape(problem, &values[COS], values[COS].tensor, 4, turns));
    OP_TRY(op_check_shape(problem, &values[SIN], values[SIN].tensor, 4, turns));
    OP_TRY(check_cache(problem, KEY_CACHE, key));
    OP_TRY(check_cache(problem, VALUE_CACHE, value));
    OP_TRY(check_index(problem));
    for (int i = KEY_SCALE; i <= VALUE_OFFSET; i++)
        OP_TRY(check_numbers(problem, i, (i - KEY_SCALE) % 2 == 0 ? key : value));
    if (!is_written(problem)) return ACLNN_SUCCESS;
    const int64_t keys[] = {kv[0], kv[1], kv[2], key}, made[] = {kv[0], kv[1], kv[2], value};
    OP_TRY(op_check_shape(problem, &values[TO_KEY], values[TO_KEY].tensor, 4, keys));
    return op_check_shape(problem, &values[TO_VALUE], values[TO_VALUE].tensor, 4, made);
}

/* ---- plan ---- */

/* A side's buffers: rows in kv's type and as INT8. */
struct made {
    struct op_place plain;
    int whole, scale, offset;
};

static struct made make_side(const struct op_shape_call *call, int cache, int scale, int offset,
                             int to, int64_t columns, struct k_kv_rope_side *side)
{
    const struct op_value *values = call->problem->values;
    const int64_t *kv = sizes_of(call->problem, KV);
    const int64_t sizes[] = {kv[0], kv[1], kv[2], columns};
    struct made made = {.whole = -1, .scale = -1, .offset = -1};
    side->is_whole = is_whole(call->problem, cache);
    side->is_plain = !side->is_whole || is_written(call->problem);
    if (is_written(call->problem))
        made.plain = op_dense_target(call, to);
    else if (side->is_plain)
        made.plain = op_scratch_place(call->plan, call->problem->type, 4, sizes);
    else
        made.plain.buffer = -1;
    if (!side->is_whole) return made;
    made.whole = op_scratch_place(call->plan, ACL_INT8, 4, sizes).buffer;
    made.scale = op_dense_source(call, scale).buffer;
    side->scales =
        op_element_count(values[scale].tensor->descriptor.rank, sizes_of(call->problem, scale));
    side->has_offset = values[offset].tensor != NULL;
    if (!side->has_offset) return made;
    made.offset = op_dense_source(call, offset).buffer;
    side->offsets =
        op_element_count(values[offset].tensor->descriptor.rank, sizes_of(call->problem, offset));
    return made;
}

static void scatter(const struct op_shape_call *call, int cache, const struct made *made,
                    int64_t columns, int index)
{
    const struct mode *mode = mode_of(call->problem);
    const struct op_value *value = &call->problem->values[cache];
    const struct op_view view = op_view_of(value->tensor);
    const int64_t *kv = sizes_of(call->problem, KV);
    struct k_slots s = {
        .how = mode->how,
        .is_wide = true,
        .size = (int64_t)ex_element_size((int32_t)view.type),
        .sequences = kv[0],
        .length = kv[2],
        .name = "index",
    };
    if (mode->axes) {
        s.to = op_slots_side(&view, mode->axes, kv[1], &s);
    } else { /* a block is panels of rows */
        s.blocks = view.sizes[0];
        s.rows = view.sizes[1];
        s.heads = kv[1];
        s.columns = columns;
        s.width = OP_SLOTS_PANEL / s.size;
        s.to = (struct k_slots_side){.offset = view.offset,
                                     .block = s.rows * kv[1] * columns,
                                     .head = s.rows * columns,
                                     .panel = s.rows * s.width,
                                     .row = s.width,
                                     .column = 1};
    }
    const int from = is_whole(call->problem, cache) ? made->whole : made->plain.buffer;
    s.from = (struct k_slots_side){.block = kv[1] * kv[2] * columns,
                                   .head = kv[2] * columns,
                                   .row = columns,
                                   .panel = s.width,
                                   .column = 1};
    if (!is_whole(call->problem, cache)) s.from.offset = made->plain.view.offset;
    op_slots_scatter(call, &s, from, index, value);
}

static void kv_rope(const struct op_shape_call *call)
{
    const int64_t *kv = sizes_of(call->problem, KV), value = sizes_of(call->problem, GAMMA)[0];
    struct k_kv_rope k = {
        .dtype = op_k_dtype(call->problem->values[KV].tensor),
        .rows = kv[0] * kv[1] * kv[2],
        .heads = kv[1],
        .length = kv[2],
        .values = value,
        .keys = kv[3] - value,
        .turns = sizes_of(call->problem, COS)[2],
        .epsilon = op_real_named(call->problem, "epsilon", 0),
    };
    if (k.rows == 0) return;
    const int x = op_dense_source(call, KV).buffer, gamma = op_dense_source(call, GAMMA).buffer;
    const int cos = op_dense_source(call, COS).buffer, sin = op_dense_source(call, SIN).buffer;
    const int index = op_dense_source(call, INDEX).buffer;
    const struct made keys =
        make_side(call, KEY_CACHE, KEY_SCALE, KEY_OFFSET, TO_KEY, k.keys, &k.key);
    const struct made values =
        make_side(call, VALUE_CACHE, VALUE_SCALE, VALUE_OFFSET, TO_VALUE, k.values, &k.value);
    const int all[] = {x,
                       gamma,
                       cos,
                       sin,
                       keys.plain.buffer,
                       keys.whole,
                       keys.scale,
                       keys.offset,
                       values.plain.buffer,
                       values.whole,
                       values.scale,
                       values.offset};
    int buffers[RT_LENGTH(all)];
    for (int i = 0; i < (int)RT_LENGTH(all); i++)
        buffers[i] = all[i] < 0 ? x : all[i];
    ex_step(call->plan, "kv_rope", k_best()->kv_rope, &k, sizeof k, k_kv_rope_plan(&k), buffers,
            (int)RT_LENGTH(all));
    scatter(call, KEY_CACHE, &keys, k.keys, index);
    scatter(call, VALUE_CACHE, &values, k.values, index);
    if (!is_written(call->problem)) return;
    op_deliver(call, &keys.plain, TO_KEY);
    op_deliver(call, &values.plain, TO_VALUE);
}

const struct op_rule op_rule_kv_rope = {
    .types = kv_rope_types,
    .shapes = kv_rope_shapes,
    .takes_nz = true,
    .more = &(const struct op_shape_rule){kv_rope},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of keys and values to slots of a cache, and back: aclnnScatterPaKvCache, GatherPaKvCache. */
#include "api/op_slots.h"

#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"

/* Steps of views that are refused later may not fit; those are 0. */
static int64_t step_over(int64_t count, int64_t stride)
{
    int64_t step;
    return __builtin_mul_overflow(count, stride, &step) ? 0 : step;
}

struct k_slots_side op_slots_side(const struct op_view *view, const char *axes, int64_t heads,
                                  struct k_slots *slots)
{
    struct k_slots_side side = {.offset = view->offset};
    int64_t panels = 1;
    bool has_heads = false;
    for (int i = 0; i < view->rank; i++) {
        const int64_t size = view->sizes[i], stride = view->strides[i];
        if (axes[i] == 'b') slots->blocks = size, side.block = stride;
        if (axes[i] == 'r') slots->rows = size, side.row = stride;
        if (axes[i] == 'h') slots->heads = size, side.head = stride;
        if (axes[i] == 'p') panels = size, side.panel = stride;
        if (axes[i] == 'c') slots->width = size, side.column = stride;
        has_heads |= axes[i] == 'h';
    }
    if (!has_heads) {
        slots->heads = heads;
        panels = heads > 0 ? panels / heads : 0;
        side.head = step_over(panels, side.panel);
    }
    slots->columns = step_over(panels, slots->width);
    return side;
}

static void describe_slot(const void *parameters, void *const buffers[], int64_t position,
                          char *text, size_t size)
{
    const struct k_slots *s = parameters;
    const void *index = buffers[K_SLOTS_INDEX];
    const int64_t slot =
        s->is_wide ? ((const int64_t *)index)[position] : ((const int32_t *)index)[position];
    snprintf(text, size,
             "element %" PRId64 " of %s is %" PRId64 "; it must be -1, or at least 0 and below "
             "%" PRId64,
             position, s->name, slot, s->how == K_SLOTS_SEQUENCES ? s->rows : s->blocks * s->rows);
}

void op_slots_scatter(const struct op_shape_call *call, const struct k_slots *slots, int from,
                      int index, const struct op_value *cache)
{
    const struct op_place to = op_target(call, (int)(cache - call->problem->values), 0);
    if (slots->sequences == 0 || slots->length == 0 || slots->columns == 0) return;
    ex_step_with_faults(call->plan, "slots_scatter", k_slots_scatter, slots, sizeof *slots,
                        k_slots_work(slots), EX_BUFFERS(from, index, to.buffer), describe_slot);
}

static bool is_text(const struct op_problem *problem, const char *name, const char *text)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value && value->text && strcmp(value->text, text) == 0;
}

/* Not given, "", or that text. */
static bool is_default(const struct op_problem *problem, const char *name, const char *text)
{
    const char *given = op_argument_named(problem, name)->text;
    return !given || given[0] == '\0' || strcmp(given, text) == 0;
}

static int64_t size_of(const struct op_value *value, int axis)
{
    return value->tensor->descriptor.sizes[axis];
}

static aclnnStatus check_whole(const struct op_problem *problem, const char *name)
{
    return op_check_type(problem->row->name, name, op_tensor_named(problem, name),
                         OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64), "INT32, INT64");
}

/* ---- aclnnScatterPaKvCache ---- */

enum { KEY, KEY_CACHE, SLOTS, VALUE, VALUE_CACHE };

static bool has_values(const struct op_problem *problem)
{
    const aclTensor *value = problem->values[VALUE].tensor;
    return value && !op_is_empty(value);
}

static aclnnStatus slots_scatter_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    for (int i = KEY; i <= (has_values(problem) ? VALUE : KEY); i += VALUE - KEY) {
        OP_TRY(op_check_type(name, values[i].name, values[i].tensor, problem->row->types,
                             problem->row->type_names));
        OP_CHECK(name, values[i + 1].tensor, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
                 values[i + 1].name);
        OP_TRY(op_check_same_type(name, values[i + 1].name, values[i + 1].tensor, values[i].name,
                                  values[i].tensor));
    }
    problem->type = problem->result = (aclDataType)values[KEY].tensor->descriptor.data_type;
    return check_whole(problem, "slotMapping");
}

/* The order of a cache's dimensions; NULL: there is none of so many. */
static const char *axes_of(const struct op_problem *problem, const struct op_value *cache)
{
    const int rank = cache->tensor->descriptor.rank;
    if (is_text(problem, "cacheModeOptional", "PA_NZ") || is_text(problem, "cacheMode", "PA_NZ"))
        return rank == 4 ? "bprc" : rank == 5 ? "bhprc" : NULL;
    if (rank != 4) return NULL;
    return is_text(problem, "scatterModeOptional", "NHSD") ? "bhrc" : "brhc";
}

static aclnnStatus check_modes(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    static const char *const compressed[] = {"compressLensOptional", "compressSeqOffsetOptional",
                                             "seqLensOptional"};
    OP_CHECK(name,
             is_default(problem, "cacheModeOptional", "Norm") ||
                 is_text(problem, "cacheModeOptional", "PA_NZ"),
             ACLNN_ERR_PARAM_INVALID,
             "cacheModeOptional is \"%s\"; it must be NULL, \"Norm\" or \"PA_NZ\"",
             op_argument_named(problem, "cacheModeOptional")->text);
    OP_CHECK(name,
             is_default(problem, "scatterModeOptional", "None") ||
                 is_text(problem, "scatterModeOptional", "NHSD"),
             ACLNN_ERR_PARAM_INVALID,
             "scatterModeOptional is \"%s\"; it must be NULL, \"None\" or \"NHSD\": keys that are "
             "compressed, or apart by numbers in place of strides, are not supported",
             op_argument_named(problem, "scatterModeOptional")->text);
    for (int i = 0; i < (int)RT_LENGTH(compressed); i++)
        OP_CHECK(name, !op_tensor_named(problem, compressed[i]), ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it must be NULL: compressed keys are not supported", compressed[i]);
    return ACLNN_SUCCESS;
}

static struct k_slots slots_of(const struct op_problem *problem, int argument)
{
    const struct op_value *values = problem->values;
    const struct op_view cache = op_view_of(values[argument + 1].tensor);
    const struct op_view rows = op_view_of(values[argument].tensor);
    struct k_slots given = {0};
    struct k_slots s = {
        .how = K_SLOTS_ANY,
        .is_wide = values[SLOTS].tensor->descriptor.data_type == ACL_INT64,
        .size = (int64_t)ex_element_size(values[argument].tensor->descriptor.data_type),
        .sequences = 1,
        .length = rows.sizes[0],
        .name = "slotMapping",
    };
    s.from = op_slots_side(&rows, "rhc", 1, &given);
    s.to = op_slots_side(&cache, axes_of(problem, &values[argument + 1]), rows.sizes[1], &s);
    return s;
}

static aclnnStatus check_cache(const struct op_problem *problem, int argument)
{
    const char *name = problem->row->name;
    const struct op_value *rows = &problem->values[argument], *cache = rows + 1;
    struct op_shape_text text, other;
    OP_CHECK(name, axes_of(problem, cache), ACLNN_ERR_PARAM_INVALID,
             "%s has %d dimensions; it must have 4, or 5 with cacheModeOptional \"PA_NZ\"",
             cache->name, cache->tensor->descriptor.rank);
    const int64_t heads = size_of(rows, 1), columns = size_of(rows, 2);
    const struct k_slots s = slots_of(problem, argument);
    const bool is_whole = strcmp(axes_of(problem, cache), "bprc") != 0 ||
                          (heads > 0 && size_of(cache, 1) % heads == 0);
    OP_CHECK(name, s.heads == heads && s.columns == columns && is_whole, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must hold the heads and columns of %s's, %s", cache->name,
             op_shape(&text, cache->tensor), rows->name, op_shape(&other, rows->tensor));
    OP_CHECK(name, op_is_empty(rows->tensor) || (s.blocks > 0 && s.rows > 0),
             ACLNN_ERR_PARAM_INVALID, "%s has no rows", cache->name);
    return ACLNN_SUCCESS;
}

static aclnnStatus slots_scatter_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(check_modes(problem));
    OP_TRY(op_check_rank(name, "key", values[KEY].tensor, 3, 3));
    OP_TRY(check_cache(problem, KEY));
    const int64_t rows = size_of(&values[KEY], 0);
    OP_TRY(op_check_shape(problem, &values[SLOTS], values[SLOTS].tensor, 1, &rows));
    if (!has_values(problem)) return ACLNN_SUCCESS;
    OP_TRY(op_check_rank(name, "value", values[VALUE].tensor, 3, 3));
    OP_CHECK(name, size_of(&values[VALUE], 0) == rows, ACLNN_ERR_PARAM_INVALID,
             "value has %" PRId64 " rows, key has %" PRId64 "; they must be as many",
             size_of(&values[VALUE], 0), rows);
    return check_cache(problem, VALUE);
}

static void slots_scatter(const struct op_shape_call *call)
{
    const int last = has_values(call->problem) ? VALUE : KEY;
    const int index = op_dense_source(call, SLOTS).buffer;
    for (int i = KEY; i <= last; i += VALUE - KEY) {
        struct k_slots s = slots_of(call->problem, i);
        struct k_slots given = {0};
        const struct op_place from = op_source(call, i, 0);
        s.from = op_slots_side(&from.view, "rhc", 1, &given);
        s.from.panel = step_over(s.width, s.from.column); /* they follow each other */
        op_slots_scatter(call, &s, from.buffer, index, &call->problem->values[i + 1]);
    }
}

const struct op_rule op_rule_slots_scatter = {
    .types = slots_scatter_types,
    .shapes = slots_scatter_shapes,
    .takes_nz = true,
    .runs_empty = true, /* values may be empty */
    .more = &(const struct op_shape_rule){slots_scatter},
};

/* ---- aclnnGatherPaKvCache ---- */

enum { KEYS, VALUES, TABLE, LENGTHS, TO_KEYS, TO_VALUES, SKIPPED };

static aclnnStatus slots_gather_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    for (int i = 0; i < 2; i++) {
        OP_TRY(op_check_type(name, values[i].name, values[i].tensor, problem->row->types,
                             problem->row->type_names));
        OP_TRY(op_check_same_type(name, values[TO_KEYS + i].name, values[TO_KEYS + i].tensor,
                                  values[i].name, values[i].tensor));
    }
    problem->type = problem->result = (aclDataType)values[KEYS].tensor->descriptor.data_type;
    OP_TRY(check_whole(problem, "blockTables"));
    for (int i = LENGTHS; i <= SKIPPED; i += SKIPPED - LENGTHS)
        if (values[i].tensor)
            OP_TRY(op_check_same_type(name, values[i].name, values[i].tensor, "blockTables",
                                      values[TABLE].tensor));
    return ACLNN_SUCCESS;
}

/* Rows may be (rows, heads, columns), or without heads. */
static int64_t heads_of(const struct op_value *rows)
{
    return rows->tensor->descriptor.rank == 3 ? size_of(rows, 1) : 1;
}

static struct k_slots gather_of(const struct op_problem *problem, int i)
{
    const struct op_value *values = problem->values;
    const struct op_value *cache = &values[i], *rows = &values[TO_KEYS + i];
    const struct op_view from = op_view_of(cache->tensor), to = op_view_of(rows->tensor);
    struct k_slots given = {0};
    struct k_slots s = {
        .is_wide = values[TABLE].tensor->descriptor.data_type == ACL_INT64,
        .size = (int64_t)ex_element_size(cache->tensor->descriptor.data_type),
        .sequences = size_of(&values[TABLE], 0),
    };
    s.from = op_slots_side(&from, axes_of(problem, cache), heads_of(rows), &s);
    s.to = op_slots_side(&to, to.rank == 3 ? "rhc" : "rc", 1, &given);
    s.to.panel = step_over(s.width, s.to.column);
    return s;
}

static aclnnStatus check_rows(const struct op_problem *problem, int i)
{
    const char *name = problem->row->name;
    const struct op_value *cache = &problem->values[i], *rows = &problem->values[TO_KEYS + i];
    struct op_shape_text text, other;
    OP_CHECK(name, axes_of(problem, cache), ACLNN_ERR_PARAM_INVALID,
             "%s has %d dimensions; it must have 4", cache->name, cache->tensor->descriptor.rank);
    const bool is_padded = axes_of(problem, cache)[1] == 'p';
    OP_TRY(op_check_rank(name, rows->name, rows->tensor, is_padded ? 2 : 3, 3));
    const struct k_slots s = gather_of(problem, i);
    const int64_t heads = heads_of(rows);
    const int64_t columns = size_of(rows, rows->tensor->descriptor.rank - 1);
    const bool is_whole = !is_padded || (heads > 0 && size_of(cache, 1) % heads == 0);
    OP_CHECK(name, s.heads == heads && s.columns == columns && is_whole, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have the heads and columns of %s's, %s", rows->name,
             op_shape(&text, rows->tensor), cache->name, op_shape(&other, cache->tensor));
    OP_CHECK(name, s.rows > 0, ACLNN_ERR_PARAM_INVALID, "blocks of %s have no rows", cache->name);
    return ACLNN_SUCCESS;
}

static aclnnStatus slots_gather_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_CHECK(name,
             is_default(problem, "cacheMode", "Norm") || is_text(problem, "cacheMode", "PA_NZ"),
             ACLNN_ERR_PARAM_INVALID, "cacheMode is \"%s\"; it must be \"Norm\" or \"PA_NZ\"",
             op_argument_named(problem, "cacheMode")->text);
    OP_TRY(op_check_rank(name, "blockTables", values[TABLE].tensor, 2, 2));
    const int64_t batch = size_of(&values[TABLE], 0), entries = size_of(&values[TABLE], 1);
    const int64_t lengths = batch + (op_integer_named(problem, "isSeqLensCumsum", 0) != 0);
    OP_CHECK(name, batch > 0 && entries > 0, ACLNN_ERR_PARAM_INVALID,
             "blockTables is (%" PRId64 ", %" PRId64 "); both must be greater than 0", batch,
             entries);
    OP_TRY(op_check_shape(problem, &values[LENGTHS], values[LENGTHS].tensor, 1, &lengths));
    if (values[SKIPPED].tensor)
        OP_TRY(op_check_shape(problem, &values[SKIPPED], values[SKIPPED].tensor, 1, &batch));
    OP_TRY(check_rows(problem, 0));
    OP_TRY(check_rows(problem, 1));
    OP_CHECK(name, size_of(&values[TO_KEYS], 0) == size_of(&values[TO_VALUES], 0),
             ACLNN_ERR_PARAM_INVALID,
             "keyRef has %" PRId64 " rows, valueRef has %" PRId64 "; they must be as many",
             size_of(&values[TO_KEYS], 0), size_of(&values[TO_VALUES], 0));
    return ACLNN_SUCCESS;
}

static void describe_length(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_slots_begin *s = parameters;
    (void)buffers;
    snprintf(text, size,
             "the length of sequence %" PRId64 " is negative, or ends behind the %" PRId64
             " rows of keyRef",
             position, s->most);
}

static void describe_block(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_slots_gather *g = parameters;
    (void)buffers;
    snprintf(text, size,
             "sequence %" PRId64 " needs its block number %" PRId64
             ", which blockTables does not name: there are %" PRId64 " blocks",
             position / g->entries, position % g->entries, g->cache.blocks);
}

static void slots_gather(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct k_slots_begin starts = {
        .sequences = size_of(&values[TABLE], 0),
        .most = size_of(&values[TO_KEYS], 0),
        .is_wide = values[TABLE].tensor->descriptor.data_type == ACL_INT64,
        .is_running = op_integer_named(call->problem, "isSeqLensCumsum", 0) != 0,
    };
    const int table = op_dense_source(call, TABLE).buffer;
    const int lengths = op_dense_source(call, LENGTHS).buffer;
    const int skipped = values[SKIPPED].tensor ? op_dense_source(call, SKIPPED).buffer : table;
    const int begin = ex_scratch(call->plan, (size_t)(starts.sequences + 1) * sizeof(int64_t));
    ex_step_with_faults(call->plan, "slots_begin", k_slots_begin, &starts, sizeof starts,
                        (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(lengths, begin),
                        describe_length);
    for (int i = 0; i < 2; i++) {
        struct k_slots_gather g = {.cache = gather_of(call->problem, i),
                                   .entries = size_of(&values[TABLE], 1),
                                   .has_skipped = values[SKIPPED].tensor != NULL};
        if (op_is_empty(values[TO_KEYS + i].tensor)) continue;
        const struct op_place from = op_source(call, i, 0), to = op_target(call, TO_KEYS + i, 0);
        struct k_slots sizes = g.cache;
        g.cache.from =
            op_slots_side(&from.view, axes_of(call->problem, &values[i]), g.cache.heads, &sizes);
        ex_step_with_faults(
            call->plan, "slots_gather", k_slots_gather, &g, sizeof g, k_slots_gather_work(&g),
            EX_BUFFERS(from.buffer, table, skipped, begin, to.buffer), describe_block);
    }
}

const struct op_rule op_rule_slots_gather = {
    .types = slots_gather_types,
    .shapes = slots_gather_shapes,
    .takes_nz = true,
    .more = &(const struct op_shape_rule){slots_gather},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values of inference that lie in blocks: what their table must be, and the step that puts
 * the rows of each sequence side by side, for attention itself knows no blocks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/op_attention.h"
#include "kernels/cache/k_cache.h"
#include "runtime/support/alloc.h"

static const int64_t *sizes_of(const struct op_attention *a, int operand)
{
    return a->tensor[operand]->descriptor.sizes;
}

const struct op_value *op_attention_table(const struct op_problem *problem)
{
    const struct op_value *table = op_attention_value(problem, "blockTableOptional", "blockTable");
    if (!table) table = op_argument_named(problem, "blocktable");
    return table && table->tensor && !op_is_empty(table->tensor) ? table : NULL;
}

aclnnStatus op_attention_find_pages(const struct op_problem *problem, struct op_attention *a)
{
    const int rows = a->key_layout->rows;
    const int64_t size = op_integer_named(problem, "blockSize", 0);
    const char *op = problem->row->name;
    a->blocks = sizes_of(a, 1)[0];
    a->block = sizes_of(a, 1)[rows];
    for (int i = 0; i <= rows; i += rows)
        OP_CHECK(op, sizes_of(a, 2)[i] == sizes_of(a, 1)[i], ACLNN_ERR_PARAM_INVALID,
                 "value has %" PRId64 " %s; it must have as many as %s, %" PRId64,
                 sizes_of(a, 2)[i], i == 0 ? "blocks" : "rows in a block", a->value[1]->name,
                 sizes_of(a, 1)[i]);
    OP_CHECK(op, size > 0 && size == a->block, ACLNN_ERR_PARAM_INVALID,
             "blockSize is %" PRId64 "; blocks of %s have %" PRId64
             " rows, and both must be greater than 0",
             size, a->value[1]->name, a->block);
    OP_TRY(op_check_rank(op, a->table->name, a->table->tensor, 2, 2));
    OP_CHECK(op, rt_mul_ok(a->table->tensor->descriptor.sizes[1], a->block, &a->keys),
             ACLNN_ERR_PARAM_INVALID, "rows of keys cannot be counted");
    return ACLNN_SUCCESS;
}

aclnnStatus op_attention_check_pages(const struct op_problem *problem, const struct op_attention *a,
                                     const struct op_value *lengths)
{
    const char *op = problem->row->name;
    const int64_t rows = a->table->tensor->descriptor.sizes[0], columns = K_ATTENTION_HEAD;
    int64_t most = 0;
    OP_CHECK(op, rows == a->batch, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " rows; it must have one for each of %" PRId64 " sequences",
             a->table->name, rows, a->batch);
    OP_CHECK(op, a->lengths[1], ACLNN_ERR_PARAM_NULLPTR,
             "%s is NULL or empty; it must be given where %s is", lengths->name, a->table->name);
    for (int64_t b = 0; b < a->batch && (uint64_t)b < a->lengths[1]->size; b++)
        if (op_attention_length(a, true, b) > most) most = op_attention_length(a, true, b);
    OP_CHECK(op,
             rt_add_ok(most, a->block, &most) && rt_mul_ok(most, a->batch, &most) &&
                 rt_mul_ok(most, a->key_heads, &most) && rt_mul_ok(most, columns * 8, &most),
             ACLNN_ERR_PARAM_INVALID, "keys of all sequences cannot be counted");
    return ACLNN_SUCCESS;
}

/* ---- the step ---- */

static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_cache *c = parameters;
    const int32_t *table = buffers[K_CACHE_TABLE];
    const int64_t b = position / c->width, k = position % c->width;
    snprintf(text, size, "element %" PRId64 " of %s is %" PRId32 "; it must be from 0 to %" PRId64,
             position, c->name, table[b * c->table_row + k * c->table_column], c->blocks - 1);
}

/* Without an axis of columns there is one. */
static struct k_cache_side side_of(const struct op_attention_layout *l, const struct op_view *view,
                                   int64_t heads)
{
    const int64_t column = l->columns < 0 ? 0 : view->strides[l->columns];
    return (struct k_cache_side){.block = view->strides[l->batch],
                                 .head = l->heads >= 0 ? view->strides[l->heads]
                                         : l->columns >= 0
                                             ? view->sizes[l->columns] / heads * column
                                             : 0,
                                 .row = view->strides[l->rows],
                                 .column = column};
}

/* The step; `cache` has the sizes and strides of its sides. */
static void add_step(const struct op_shape_call *call, const struct op_attention *a,
                     const struct k_cache *cache, int from, int to)
{
    const struct op_place table = op_source(call, (int)(a->table - call->problem->values), 0);
    const size_t size = sizeof *cache + (size_t)a->batch * sizeof(int64_t);
    struct k_cache *c = rt_alloc_zeroed(size);
    if (!c) {
        ex_no_memory(call->plan);
        return;
    }
    memcpy(c, cache, sizeof *c);
    c->sequences = a->batch;
    c->width = table.view.sizes[1];
    c->table_row = table.view.strides[0];
    c->table_column = table.view.strides[1];
    c->blocks = a->blocks;
    c->rows = a->block;
    c->name = a->table->name;
    for (int64_t b = 0; b < a->batch; b++)
        c->length[b] = op_attention_length(a, true, b);
    const struct k_work work = k_cache_gather_work(c);
    if (work.items > 0)
        ex_step_with_faults(call->plan, "cache_gather", k_cache_gather, c, size, work,
                            EX_BUFFERS(from, table.buffer, to), describe);
    rt_free(c);
}

/* Entries of the table for the longest sequence. */
static int64_t used_blocks(const struct op_attention *a)
{
    return (a->most_keys + a->block - 1) / a->block;
}

struct op_place op_attention_gather(const struct op_shape_call *call, const struct op_attention *a,
                                    const struct op_place *from,
                                    const struct op_attention_layout *l, int64_t heads)
{
    const int64_t row = l->columns < 0 ? 1 : from->view.sizes[l->columns];
    struct op_view like = from->view;
    like.sizes[l->batch] = a->batch;
    like.sizes[l->rows] = used_blocks(a) * a->block;
    const struct op_place to = op_scratch_like(call->plan, &like);
    const struct k_cache cache = {.size = (int64_t)ex_element_size((int32_t)from->view.type),
                                  .used = used_blocks(a),
                                  .heads = heads,
                                  .columns = l->heads < 0 && l->columns >= 0 ? row / heads : row,
                                  .from = side_of(l, &from->view, heads),
                                  .to = side_of(l, &to.view, heads)};
    add_step(call, a, &cache, from->buffer, to.buffer);
    return to;
}

/* ---- panels: (blocks, N, columns / width, rows, width) ---- */

/* Whether panels of all heads are equally far from each other; by how much. */
static bool find_step(const struct op_view *view, int64_t *step)
{
    const int64_t heads = view->sizes[1], panels = view->sizes[2];
    *step = panels == 1 ? view->strides[1] : view->strides[2];
    return heads == 1 || panels == 1 || view->strides[1] == panels * view->strides[2];
}

/* Each panel is a head to the step; in rows they are side by side. */
struct op_place op_attention_gather_panels(const struct op_shape_call *call,
                                           const struct op_attention *a,
                                           const struct op_place *from)
{
    struct op_place own = *from;
    int64_t step = 0;
    if (!find_step(&own.view, &step)) {
        own = op_scratch_like(call->plan, &from->view);
        op_copy_place(call->plan, from, &own);
        find_step(&own.view, &step);
    }
    const struct op_view *view = &own.view;
    const int64_t width = view->sizes[4], panels = view->sizes[1] * view->sizes[2];
    const int64_t sizes[] = {a->batch, used_blocks(a) * a->block, view->sizes[1],
                             view->sizes[2] * width};
    const struct op_place to = op_scratch_place(call->plan, view->type, 4, sizes);
    const struct k_cache cache = {
        .size = (int64_t)ex_element_size((int32_t)view->type),
        .used = used_blocks(a),
        .heads = panels,
        .columns = width,
        .from = {view->strides[0], step, view->strides[3], view->strides[4]},
        .to = {to.view.strides[0], width, to.view.strides[1], 1}};
    add_step(call, a, &cache, own.buffer, to.buffer);
    return to;
}

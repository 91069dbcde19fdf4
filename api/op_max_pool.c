/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_max_pool.h"

#include <stdio.h>
#include <string.h>

#include "api/op_unpool.h"
#include "executor/steps.h"
#include "kernels/pool/k_plane.h"
#include "kernels/way.h"
#include "runtime/support/base.h"

/* ---- checks ---- */

aclnnStatus op_max_check_lengths(const char *op, int axes, const struct op_max_arrays *arrays)
{
    OP_TRY(op_check_array_length(op, arrays->kernel, axes, false));
    OP_TRY(op_check_array_length(op, arrays->stride, axes, true));
    OP_TRY(op_check_array_length(op, arrays->padding, axes, false));
    return op_check_array_length(op, arrays->dilation, axes, false);
}

static int64_t entry(const struct op_array *array, int axis)
{
    return array->array->values[array->array->size == 1 ? 0 : axis];
}

aclnnStatus op_max_check_values(const char *op, int axes, const struct op_max_arrays *arrays,
                                bool only_one)
{
    OP_TRY(op_check_array_values(op, arrays->kernel, 1));
    OP_TRY(op_check_array_values(op, arrays->stride, 1));
    OP_TRY(op_check_array_values(op, arrays->padding, 0));
    const struct op_window window =
        op_window_of(axes, arrays->kernel.array, NULL, arrays->padding.array, false);
    OP_TRY(op_check_window_padding(op, &window, arrays->padding.name, arrays->kernel.name));
    OP_TRY(op_check_array_values(op, arrays->dilation, 1));
    for (uint64_t i = 0; only_one && i < arrays->dilation.array->size; i++)
        OP_CHECK(op, arrays->dilation.array->values[i] == 1, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must be 1", arrays->dilation.name, i,
                 arrays->dilation.array->values[i]);
    return ACLNN_SUCCESS;
}

aclnnStatus op_max_check_arrays(const char *op, int axes, const struct op_max_arrays *arrays)
{
    OP_TRY(op_check_array_length(op, arrays->kernel, axes, false));
    OP_TRY(op_check_array_values(op, arrays->kernel, 1));
    OP_TRY(op_check_array_length(op, arrays->stride, axes, true));
    OP_TRY(op_check_array_values(op, arrays->stride, 1));
    OP_TRY(op_check_array_length(op, arrays->padding, axes, false));
    OP_TRY(op_check_array_values(op, arrays->padding, 0));
    const struct op_window window =
        op_window_of(axes, arrays->kernel.array, NULL, arrays->padding.array, false);
    OP_TRY(op_check_window_padding(op, &window, arrays->padding.name, arrays->kernel.name));
    OP_TRY(op_check_array_length(op, arrays->dilation, axes, false));
    return op_check_array_values(op, arrays->dilation, 1);
}

struct op_window op_max_window(int axes, const struct op_max_arrays *arrays, bool ceil_mode)
{
    struct op_window window = op_window_of(axes, arrays->kernel.array, arrays->stride.array,
                                           arrays->padding.array, ceil_mode);
    for (int axis = 0; axis < axes; axis++)
        window.dilation[axis + K_POOL_AXES - axes] = entry(&arrays->dilation, axis);
    return window;
}

bool op_max_channels_last(const aclTensor *tensor)
{
    const int32_t format = tensor->descriptor.storage_format;
    return format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NDHWC;
}

aclnnStatus op_max_check_filled(const char *op, const char *argument, const aclTensor *tensor,
                                int dimensions)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    for (int i = d->rank - dimensions; i < d->rank; i++)
        OP_CHECK(op, d->sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has size %" PRId64 " at dimension %d; it must be greater than 0", argument,
                 d->sizes[i], i);
    return ACLNN_SUCCESS;
}

/* The axis (of three) that a dimension is; -1: batch or channels. */
static int axis_of(const aclTensor *tensor, int axes, int dimension)
{
    const int rank = tensor->descriptor.rank;
    const int first = op_max_channels_last(tensor) ? rank - axes - 1 : rank - axes;
    const int axis = dimension - first;
    return axis < 0 || axis >= axes ? -1 : axis + K_POOL_AXES - axes;
}

aclnnStatus op_max_check_shape(const char *op, const struct op_window *window, const char *name,
                               const aclTensor *small, const char *large_name,
                               const aclTensor *large, bool strict)
{
    const struct ex_descriptor *s = &small->descriptor, *l = &large->descriptor;
    struct op_shape_text small_text, large_text;
    OP_TRY(op_check_same_rank(op, name, small, large_name, large));
    for (int i = 0; strict && i < l->rank; i++) {
        const int axis = axis_of(large, window->axes, i);
        int64_t count;
        if (axis < 0 || !op_window_count(window, axis, l->sizes[i], &count)) continue;
        OP_CHECK(op, count > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has size %" PRId64 " at dimension %d, where no window fits", large_name,
                 l->sizes[i], i);
    }
    for (int i = 0; i < l->rank; i++) {
        const int axis = axis_of(large, window->axes, i);
        int64_t expected = l->sizes[i];
        OP_CHECK(op, axis < 0 || op_window_count(window, axis, l->sizes[i], &expected),
                 ACLNN_ERR_PARAM_INVALID,
                 "the window along dimension %d of %s does not fit 64 bits", i, large_name);
        OP_CHECK(op, s->sizes[i] == expected, ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; for %s of shape %s its dimension %d must be %" PRId64, name,
                 op_shape(&small_text, small), large_name, op_shape(&large_text, large), i,
                 expected);
    }
    return ACLNN_SUCCESS;
}

/* Only windows that begin in the padding can miss the input: each other one begins inside. The
 * first has the longest way to it; and where taps lie further apart than the input is long, any may
 * step over it. Then the windows' places between the taps either repeat, or leave the input's
 * extent, before there are twice as many windows as it has cells. */
static bool misses_input(const struct op_window *window, int axis, int64_t size, int64_t windows,
                         int64_t *missing)
{
    const int64_t stride = window->stride[axis], dilation = window->dilation[axis];
    const int64_t pad = window->pad_begin[axis];
    *missing = 0;
    if (pad / dilation + (pad % dilation != 0) >= window->kernel[axis]) return true;
    int64_t before = pad;
    for (int64_t o = 0; dilation > size && o < windows && before > 0; o++, before -= stride) {
        *missing = o;
        if ((dilation - before % dilation) % dilation >= size) return true;
        if (o / 2 > size) break;
    }
    *missing = windows - 1;
    return (windows - 1) * stride - pad >= size;
}

aclnnStatus op_max_check_windows(const char *op, const struct op_window *window,
                                 const aclTensor *small, const aclTensor *large,
                                 const aclTensor *indices)
{
    const struct op_plane in = op_plane_of(large, window->axes, op_max_channels_last(large));
    const struct op_plane out = op_plane_of(small, window->axes, op_max_channels_last(small));
    int64_t missing;
    for (int axis = 0; axis < K_POOL_AXES; axis++)
        OP_CHECK(op, !misses_input(window, axis, in.size[axis], out.size[axis], &missing),
                 ACLNN_ERR_PARAM_INVALID,
                 "window %" PRId64 " along axis %d has all its taps in the padding, so it has no "
                 "maximum",
                 missing, axis + window->axes - K_POOL_AXES);
    const int64_t cells = in.size[0] * in.size[1] * in.size[2];
    const bool is_wide = !indices || indices->descriptor.data_type == ACL_INT64;
    OP_CHECK(op, is_wide || cells <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
             "a plane has %" PRId64 " elements; indices of type %s count up to %d", cells,
             op_data_type_name((aclDataType)indices->descriptor.data_type), INT32_MAX);
    return ACLNN_SUCCESS;
}

aclnnStatus op_max_check_mask(const char *op, const struct op_window *window, const aclTensor *mask,
                              const char *small_name, const aclTensor *small)
{
    const struct ex_descriptor *m = &mask->descriptor, *s = &small->descriptor;
    const int64_t windows = s->sizes[s->rank - 2] * s->sizes[s->rank - 1];
    const int64_t bytes = ((windows + 15) / 16 + 1) * 32;
    const int64_t height = window->kernel[1], width = window->kernel[2];
    int64_t kernel = 0;
    OP_CHECK(op, rt_mul_ok(height, width, &kernel), ACLNN_ERR_PARAM_INVALID,
             "kernelSize is %" PRId64 " x %" PRId64 "; indices cannot have a dimension of as many",
             height, width);
    OP_TRY(op_check_sizes(op, "indices", mask));
    struct op_shape_text text;
    int64_t stride = 1;
    bool same = m->rank == s->rank;
    for (int i = 0; same && i < m->rank; i++) {
        const int64_t expected = i < m->rank - 2 ? s->sizes[i] : i == m->rank - 2 ? kernel : bytes;
        same = m->sizes[i] == expected;
    }
    OP_CHECK(op, same, ACLNN_ERR_PARAM_INVALID,
             "indices has shape %s; it must have the leading dimensions of %s, then %" PRId64
             " and %" PRId64,
             op_shape(&text, mask), small_name, kernel, bytes);
    for (int i = m->rank - 1; i >= 0; stride *= m->sizes[i--])
        OP_CHECK(op, m->sizes[i] <= 1 || m->strides[i] == stride, ACLNN_ERR_PARAM_INVALID,
                 "indices has stride %" PRId64 " at dimension %d; its memory must be contiguous",
                 m->strides[i], i);
    OP_CHECK(op, m->offset == 0, ACLNN_ERR_PARAM_INVALID,
             "indices has offset %" PRId64 "; it must begin with its memory", m->offset);
    return ACLNN_SUCCESS;
}

/* ---- geometry ---- */

/* The order of axes in which a kernel of that layout finds the tensor dense. */
static struct ex_order order_of(const aclTensor *tensor, int axes, enum k_layout layout)
{
    const int rank = tensor->descriptor.rank;
    if (layout == K_CHANNELS_FIRST || op_max_channels_last(tensor)) return ex_order_identity(rank);
    return ex_order_channels_last(rank, rank == axes + 1);
}

static int points(const aclTensor *tensor, int axes, enum k_layout layout)
{
    if (!tensor) return 0;
    const struct ex_order order = order_of(tensor, axes, layout);
    return ex_is_dense(&tensor->descriptor, &order);
}

/* The layout with the fewest bytes to pack; a tie goes to channels first. Formats with the channels
 * innermost keep them there: positions and indices of the whole tensor count that way. */
static enum k_layout layout_of(const aclTensor *large, const aclTensor *small,
                               const aclTensor *indices, const aclTensor *other, int axes)
{
    int score[2];
    if (op_max_channels_last(large)) return K_CHANNELS_LAST;
    for (int layout = 0; layout < 2; layout++)
        score[layout] = 2 * points(large, axes, (enum k_layout)layout) +
                        points(small, axes, (enum k_layout)layout) +
                        points(indices, axes, (enum k_layout)layout) +
                        2 * points(other, axes, (enum k_layout)layout);
    return score[K_CHANNELS_LAST] > score[K_CHANNELS_FIRST] ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
}

bool op_max_is_last_in_memory(const aclTensor *large, const aclTensor *small,
                              const aclTensor *indices, int axes)
{
    return op_k_dtype(large) < K_DTYPES &&
           layout_of(large, small, indices, NULL, axes) == K_CHANNELS_LAST;
}

bool op_max_window_of_bins(struct op_window *window, int axes, const aclTensor *large,
                           const aclTensor *small)
{
    const struct op_plane cells = op_plane_of(large, axes, false);
    const struct op_plane bins = op_plane_of(small, axes, false);
    *window = (struct op_window){.axes = axes};
    for (int i = 0; i < K_POOL_AXES; i++) {
        if (bins.size[i] == 0 || cells.size[i] == 0 || cells.size[i] % bins.size[i] != 0)
            return false;
        window->kernel[i] = window->stride[i] = cells.size[i] / bins.size[i];
        window->dilation[i] = 1;
    }
    return true;
}

/* Leaves out the taps that are padding in every window. */
static void drop_idle_taps(struct k_max_pool *pool, int axis)
{
    const int64_t dilation = pool->dilation[axis];
    const int64_t last_begin = (pool->output[axis] - 1) * pool->stride[axis] - pool->pad[axis];
    const int64_t in_front = last_begin < 0 ? -last_begin / dilation : 0;
    const int64_t dropped = in_front < pool->kernel[axis] ? in_front : pool->kernel[axis] - 1;
    pool->kernel[axis] -= dropped;
    pool->pad[axis] -= dropped * dilation;
    const int64_t reach = (pool->input[axis] - 1 + pool->pad[axis]) / dilation + 1;
    if (pool->kernel[axis] > reach) pool->kernel[axis] = reach;
}

static struct k_max_pool geometry(const struct op_window *window, int axes, const aclTensor *small,
                                  const aclTensor *large, enum k_layout layout)
{
    const bool inside = op_max_channels_last(large);
    const struct op_plane in = op_plane_of(large, axes, inside);
    const struct op_plane out = op_plane_of(small, axes, inside);
    struct k_max_pool pool = {.outer = in.batch, .channels = in.channels};
    if (layout == K_CHANNELS_FIRST) {
        pool.outer = in.batch * in.channels;
        pool.channels = 1;
    }
    pool.channels_inside = inside;
    pool.dtype = op_k_dtype(large);
    pool.is_told = window != NULL;
    for (int axis = 0; axis < K_MAX_POOL_AXES; axis++) {
        pool.input[axis] = in.size[axis];
        pool.output[axis] = out.size[axis];
        pool.kernel[axis] = window ? window->kernel[axis] : 1;
        pool.stride[axis] = window ? window->stride[axis] : 1;
        pool.dilation[axis] = window && pool.kernel[axis] > 1 ? window->dilation[axis] : 1;
        pool.pad[axis] = window ? window->pad_begin[axis] : 0;
        if (window) drop_idle_taps(&pool, axis);
    }
    return pool;
}

static enum k_index index_of(const aclTensor *indices, bool is_raw)
{
    if (!indices) return K_INDEX_NONE;
    return !is_raw && indices->descriptor.data_type == ACL_INT64 ? K_INDEX_I64 : K_INDEX_I32;
}

bool op_max_is_by_rows(const struct op_window *window, const aclTensor *large,
                       const aclTensor *small)
{
    const struct k_max_pool pool = geometry(window, window->axes, small, large, K_CHANNELS_FIRST);
    return op_k_dtype(large) < K_DTYPES && k_max_pool_is_by_rows(&pool);
}

bool op_max_grad_is_by_volumes(const struct op_window *window, const aclTensor *small,
                               const aclTensor *indices, const aclTensor *large)
{
    struct k_max_pool pool = geometry(window, window->axes, small, large, K_CHANNELS_FIRST);
    pool.index = index_of(indices, false);
    return op_k_dtype(large) < K_DTYPES && k_max_pool_grad_is_by_volumes(&pool, op_k_dtype(large));
}

/* ---- steps ---- */

void op_max_forward_steps(struct ex_plan *plan, const struct op_window *window,
                          struct op_max_tensor large, struct op_max_tensor small,
                          struct op_max_tensor indices, bool is_raw)
{
    const int axes = window->axes;
    const aclTensor *places = is_raw ? NULL : indices.tensor;
    enum k_layout layout = K_CHANNELS_FIRST;
    if (!is_raw) layout = layout_of(large.tensor, small.tensor, places, NULL, axes);
    const struct ex_order from = order_of(large.tensor, axes, layout);
    const struct ex_order to = order_of(small.tensor, axes, layout);
    struct k_max_pool pool = geometry(window, axes, small.tensor, large.tensor, layout);
    pool.index = index_of(indices.tensor, is_raw);
    const int x = ex_packed(plan, large.buffer, &from);
    const int y = ex_target(plan, small.buffer, &to);
    int i = y;
    if (indices.tensor) i = is_raw ? indices.buffer : ex_target(plan, indices.buffer, &to);
    /* Along the channels either of what is read and the indices drives what is written out of the
     * caches. */
    const bool last = layout == K_CHANNELS_LAST;
    const bool large_enough = op_exceeds_caches(small.tensor) ||
                              (last && op_exceeds_caches(large.tensor)) ||
                              (last && places && op_exceeds_caches(places));
    pool.stream_output =
        large_enough && y == small.buffer && (is_raw || !places || i == indices.buffer);
    ex_step_way(plan, "max_pool", K_CHOICE_max_pool, op_k_dtype(large.tensor), &pool, sizeof pool,
                EX_BUFFERS(x, y, i), NULL);
    ex_deliver(plan, y, small.buffer, &to);
    if (places) ex_deliver(plan, i, indices.buffer, &to);
}

static void describe_index(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_max_pool *pool = parameters;
    const char *indices = buffers[K_MAX_POOL_GRAD_INDICES];
    const int64_t place = k_max_pool_place(pool, position);
    int64_t value, count = pool->input[0] * pool->input[1] * pool->input[2];
    int32_t narrow;
    if (pool->index == K_INDEX_I64) {
        memcpy(&value, indices + place * 8, sizeof value);
    } else {
        memcpy(&narrow, indices + place * 4, sizeof narrow);
        value = narrow;
    }
    if (pool->space != K_INDEX_OF_PLANE) count *= pool->outer * pool->channels;
    snprintf(text, size, "element %" PRId64 " of indices is %" PRId64 "; it must be 0 to %" PRId64,
             position, value, count - 1);
}

/* The gradient from indices that are counted in planes, scattered. */
static void scatter_step(struct ex_plan *plan, const struct k_max_pool *pool, enum k_dtype dtype,
                         int dy, int indices, int dx)
{
    const struct k_plane plane = {
        .planes = pool->outer,
        .entries = pool->output[0] * pool->output[1] * pool->output[2],
        .cells = pool->input[0] * pool->input[1] * pool->input[2],
        .element_size = dtype == K_F32 ? 4 : 2,
        .index_size = pool->index == K_INDEX_I64 ? 8 : 4,
        .stream_output = pool->stream_output,
    };
    ex_step_with_faults(plan, "plane_scatter_add", k_best()->plane_scatter_add[dtype], &plane,
                        sizeof plane, k_plane_scatter_work(&plane), EX_BUFFERS(dy, indices, dx),
                        op_describe_plane_fault);
}

static void grad_steps(struct ex_plan *plan, const struct k_max_pool *pool, enum k_dtype dtype,
                       int dy, int indices, int dx)
{
    ex_step_way(plan, "max_pool_grad", K_CHOICE_max_pool_grad, dtype, pool, sizeof *pool,
                EX_BUFFERS(dy, indices, dx), describe_index);
    ex_step_with_faults(plan, "max_pool_mend", k_best()->max_pool_mend[dtype], pool, sizeof *pool,
                        k_max_pool_mend_work(pool), EX_BUFFERS(dy, indices, dx), describe_index);
}

void op_max_grad_steps(struct ex_plan *plan, const struct op_window *window,
                       struct op_max_tensor small, struct op_max_tensor indices, bool is_raw,
                       enum k_index_space space, struct op_max_tensor large, int axes)
{
    const aclTensor *places = is_raw ? NULL : indices.tensor;
    enum k_layout layout = K_CHANNELS_FIRST;
    if (!is_raw) layout = layout_of(large.tensor, small.tensor, places, NULL, axes);
    const struct ex_order from = order_of(small.tensor, axes, layout);
    const struct ex_order to = order_of(large.tensor, axes, layout);
    struct k_max_pool pool = geometry(window, axes, small.tensor, large.tensor, layout);
    const enum k_dtype dtype = op_k_dtype(large.tensor);
    const bool unit = is_raw && window->kernel[1] == 1 && window->kernel[2] == 1;
    pool.index = unit ? K_INDEX_NONE : index_of(indices.tensor, is_raw);
    pool.space = space;
    const int dy = ex_packed(plan, small.buffer, &from);
    const int i = is_raw ? indices.buffer : ex_packed(plan, indices.buffer, &from);
    const int dx = ex_target(plan, large.buffer, &to);
    pool.stream_output = dx == large.buffer && op_exceeds_caches(large.tensor);
    struct k_max_pool planned = pool;
    const struct k_problem problem = {&planned, dtype, k_best()};
    if (window && !is_raw && k_max_pool_grad_is_scattered(&pool, dtype) &&
        !k_way_is_forced(k_way_choose(K_CHOICE_max_pool_grad, &problem).way)) {
        scatter_step(plan, &pool, dtype, dy, i, dx);
        ex_deliver(plan, dx, large.buffer, &to);
        return;
    }
    grad_steps(plan, &pool, dtype, dy, i, dx);
    ex_deliver(plan, dx, large.buffer, &to);
}

void op_max_recompute_steps(struct ex_plan *plan, const struct op_window *window,
                            struct op_max_tensor small, struct op_max_tensor x,
                            struct op_max_tensor large)
{
    const int axes = window->axes;
    const enum k_layout layout = layout_of(large.tensor, small.tensor, NULL, x.tensor, axes);
    const struct ex_order from = order_of(small.tensor, axes, layout);
    const struct ex_order cells = order_of(x.tensor, axes, layout);
    const struct ex_order to = order_of(large.tensor, axes, layout);
    struct k_max_recompute both = {.find =
                                       geometry(window, axes, small.tensor, large.tensor, layout)};
    const enum k_dtype dtype = op_k_dtype(large.tensor);
    const int dy = ex_packed(plan, small.buffer, &from);
    const int values = ex_packed(plan, x.buffer, &cells);
    const int dx = ex_target(plan, large.buffer, &to);
    both.find.index = K_INDEX_I32;
    both.find.stream_output = dx == large.buffer && op_exceeds_caches(large.tensor);
    if (k_max_recompute_is_one_step(&both, dtype)) {
        ex_step_way(plan, "max_recompute", K_CHOICE_max_recompute, dtype, &both, sizeof both,
                    EX_BUFFERS(dy, values, dx), NULL);
    } else {
        int64_t count = 0;
        ex_element_count(small.tensor->descriptor.sizes, small.tensor->descriptor.rank, &count);
        const size_t elements = (size_t)count;
        const int y =
            ex_scratch(plan, elements * ex_element_size(small.tensor->descriptor.data_type));
        const int indices = ex_scratch(plan, elements * sizeof(int32_t));
        struct k_max_pool find = both.find;
        find.stream_output = false;
        ex_step_way(plan, "max_pool", K_CHOICE_max_pool, dtype, &find, sizeof find,
                    EX_BUFFERS(values, y, indices), NULL);
        grad_steps(plan, &both.find, dtype, dy, indices, dx);
    }
    ex_deliver(plan, dx, large.buffer, &to);
}

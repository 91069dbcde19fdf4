/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms of real lines, and of windows of a signal. */
#include <math.h>

#include "api/op_complex.h"
#include "api/op_shape.h"
#include "kernels/fft/k_fft.h"
#include "kernels/kernels.h"

enum { MOST_POINTS = 1 << 24 };

static bool is_double(aclDataType type)
{
    return type == ACL_DOUBLE || type == ACL_COMPLEX128;
}

static aclnnStatus check_length(const struct op_problem *problem, const char *name, int64_t most)
{
    const int64_t length = op_integer_named(problem, name, 0);
    OP_CHECK(problem->row->name, length >= 1 && length <= most, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be from 1 to %" PRId64, name, length, most);
    return ACLNN_SUCCESS;
}

/* Makes the table, then the lines. */
static void add_steps(const struct op_shape_call *call, const struct k_fft *fft, int x, int window,
                      int argument)
{
    const struct op_place out = op_dense_target(call, argument);
    struct k_fft planned = *fft;
    const struct k_problem problem = {&planned, K_F64, k_best()};
    const struct k_work work = k_way_choose(K_CHOICE_fft, &problem).work;
    const int64_t table_size = k_fft_table(&planned);
    const int64_t scratch_size = k_fft_scratch(&planned) * work.items;
    if (work.items == 0) return;
    const struct op_place table = op_scratch_place(call->plan, ACL_DOUBLE, 1, &table_size);
    const struct op_place scratch = op_scratch_place(call->plan, ACL_DOUBLE, 1, &scratch_size);
    ex_step(call->plan, "fft_table", k_best()->fft_table, &planned, sizeof planned,
            (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(table.buffer, scratch.buffer));
    ex_step_way(call->plan, "fft", K_CHOICE_fft, K_F64, fft, sizeof *fft,
                EX_BUFFERS(x, window, out.buffer, table.buffer, scratch.buffer), NULL);
    op_deliver(call, &out, argument);
}

/* ---- aclRfft1D: self, n, dim, norm, out ---- */

enum { RFFT_SELF, RFFT_N, RFFT_DIM, RFFT_NORM, RFFT_OUT };
enum { NORM_BACKWARD = 1, NORM_FORWARD, NORM_ORTHO };

static aclnnStatus rfft_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[RFFT_SELF].tensor;
    const struct ex_descriptor *d = &self->descriptor;
    const struct op_value *norm = &problem->values[RFFT_NORM], *out = &problem->values[RFFT_OUT];
    int64_t sizes[EX_MAX_RANK];
    int axis;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, EX_MAX_RANK - 1));
    OP_TRY(check_length(problem, "n", MOST_POINTS));
    OP_TRY(op_check_axis(problem, &problem->values[RFFT_DIM], self, &axis));
    OP_CHECK(problem->row->name, norm->integer >= NORM_BACKWARD && norm->integer <= NORM_ORTHO,
             ACLNN_ERR_PARAM_INVALID,
             "norm is %" PRId64 "; it must be 1 (none), 2 (1/n) or 3 (1/sqrt(n))", norm->integer);
    for (int i = 0; i < d->rank; i++)
        sizes[i] = i == axis ? problem->values[RFFT_N].integer / 2 + 1 : d->sizes[i];
    sizes[d->rank] = 2;
    return op_check_shape(problem, out, out->tensor, d->rank + 1, sizes);
}

static double scale_of(int64_t norm, int64_t n)
{
    if (norm == NORM_FORWARD) return 1 / (double)n;
    return norm == NORM_ORTHO ? 1 / sqrt((double)n) : 1;
}

static void rfft(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place self = op_source(call, RFFT_SELF, 0);
    const aclTensor *out = problem->values[RFFT_OUT].tensor;
    const int64_t n = problem->values[RFFT_N].integer;
    const struct op_view dense =
        op_view_dense(problem->type, self.view.rank + 1, out->descriptor.sizes);
    struct k_fft fft = {.dtype = is_double(problem->type) ? K_F64 : K_F32,
                        .length = n,
                        .bins = n / 2 + 1,
                        .scale = scale_of(problem->values[RFFT_NORM].integer, n),
                        .window_count = n,
                        .lines = 1};
    int axis = 0;
    op_find_axis(problem->values[RFFT_DIM].integer, self.view.rank, &axis);
    fft.count = self.view.sizes[axis];
    fft.from_step = self.view.strides[axis];
    fft.to_step = dense.strides[axis];
    for (int i = 0; i < self.view.rank; i++) {
        if (i == axis) continue;
        fft.sizes[fft.rank] = self.view.sizes[i];
        fft.from[fft.rank] = self.view.strides[i];
        fft.to[fft.rank++] = dense.strides[i];
        fft.lines *= self.view.sizes[i];
    }
    add_steps(call, &fft, self.buffer, self.buffer, RFFT_OUT);
}

const struct op_rule op_rule_rfft = {
    .types = op_types_same,
    .shapes = rfft_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){rfft},
};

/* ---- aclStft ---- */

enum { STFT_SELF, STFT_WINDOW, STFT_OUT };

static aclDataType stft_result(const struct op_problem *problem)
{
    const bool is_wide = is_double(problem->type);
    if (op_integer_named(problem, "returnComplex", 0))
        return is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64;
    return is_wide ? ACL_DOUBLE : ACL_FLOAT;
}

static aclnnStatus stft_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *self = &problem->values[STFT_SELF];
    const struct op_value *window = &problem->values[STFT_WINDOW],
                          *out = &problem->values[STFT_OUT];
    OP_TRY(op_check_type(row->name, self->name, self->tensor, row->types, row->type_names));
    problem->type = (aclDataType)self->tensor->descriptor.data_type;
    if (window->tensor)
        OP_TRY(
            op_check_same_type(row->name, window->name, window->tensor, self->name, self->tensor));
    OP_TRY(op_check_type(row->name, out->name, out->tensor, row->types, row->type_names));
    problem->result = stft_result(problem);
    OP_CHECK(row->name, out->tensor->descriptor.data_type == problem->result,
             ACLNN_ERR_PARAM_INVALID, "out's data type is %s; it must be %s",
             op_data_type_name((aclDataType)out->tensor->descriptor.data_type),
             op_data_type_name(problem->result));
    OP_CHECK(row->name, !op_is_complex(problem->type) || !op_integer_named(problem, "onesided", 0),
             ACLNN_ERR_PARAM_INVALID, "onesided is true; of a complex self it must be false");
    return ACLNN_SUCCESS;
}

static aclnnStatus stft_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[STFT_SELF].tensor;
    const struct ex_descriptor *d = &self->descriptor;
    const struct op_value *window = &problem->values[STFT_WINDOW],
                          *out = &problem->values[STFT_OUT];
    const int64_t n = op_integer_named(problem, "nFft", 0);
    const int64_t win = op_integer_named(problem, "winLength", 0);
    int64_t sizes[4];
    int rank = 0;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, 2));
    const int64_t length = d->sizes[d->rank - 1];
    OP_TRY(check_length(problem, "nFft", length < MOST_POINTS ? length : MOST_POINTS));
    OP_TRY(check_length(problem, "hopLength", INT64_MAX));
    OP_TRY(check_length(problem, "winLength", n));
    if (window->tensor) OP_TRY(op_check_shape(problem, window, window->tensor, 1, &win));
    if (d->rank == 2) sizes[rank++] = d->sizes[0];
    sizes[rank++] = op_integer_named(problem, "onesided", 0) ? n / 2 + 1 : n;
    sizes[rank++] = (length - n) / op_integer_named(problem, "hopLength", 1) + 1;
    if (!op_is_complex(problem->result)) sizes[rank++] = 2;
    return op_check_shape(problem, out, out->tensor, rank, sizes);
}

/* Frames are lines that begin hopLength apart; a window lies in their middle. */
static void stft(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place self = op_source(call, STFT_SELF, 0);
    const bool has_window = problem->values[STFT_WINDOW].tensor != NULL;
    const int64_t n = op_integer_named(problem, "nFft", 0);
    const int64_t win = op_integer_named(problem, "winLength", 0);
    const int64_t *sizes = problem->values[STFT_OUT].tensor->descriptor.sizes;
    const int last = self.view.rank - 1;
    const int64_t bins = sizes[last], frames = sizes[last + 1];
    struct k_fft fft = {.dtype = is_double(problem->type) ? K_F64 : K_F32,
                        .is_complex = op_is_complex(problem->type),
                        .has_window = has_window,
                        .window_is_complex = op_is_complex(problem->type),
                        .length = n,
                        .bins = bins,
                        .scale =
                            op_integer_named(problem, "normalized", 0) ? 1 / sqrt((double)n) : 1,
                        .count = n,
                        .from_step = self.view.strides[last],
                        .window_count = win,
                        .window_begin = (n - win) / 2,
                        .to_step = 2 * frames,
                        .rank = 2,
                        .sizes = {last > 0 ? self.view.sizes[0] : 1, frames},
                        .to = {2 * bins * frames, 2}};
    struct op_place window = self;
    if (has_window) {
        window = op_source(call, STFT_WINDOW, 0);
        fft.window_step = window.view.strides[0];
    }
    fft.from[0] = last > 0 ? self.view.strides[0] : 0;
    fft.from[1] = frames > 1 ? op_integer_named(problem, "hopLength", 0) * fft.from_step : 0;
    fft.lines = fft.sizes[0] * frames;
    add_steps(call, &fft, self.buffer, window.buffer, STFT_OUT);
}

const struct op_rule op_rule_stft = {
    .types = stft_types,
    .shapes = stft_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){stft},
};

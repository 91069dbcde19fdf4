/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks: aclnnLSTM, aclnnGRU and their gradients. Everything is computed in double;
 * results are cast once, when all of them are there. */
#include <string.h>

#include "api/op_shape.h"
#include "kernels/rnn/k_rnn.h"
#include "runtime/support/alloc.h"

enum { LAYERS_MAX = 1024 };

/* What the arguments say. */
struct rnn {
    bool is_gru, is_gradient, has_bias, batch_first;
    int gates, planes, directions;
    int64_t layers, times, batch, inputs, hidden;
    const aclTensorList *weights;
};

static const aclTensor *tensor_named(const struct op_problem *problem, const char *name)
{
    return op_argument_named(problem, name) ? op_tensor_named(problem, name) : NULL;
}

static const aclTensorList *list_named(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value && value->tensors && value->tensors->size > 0 ? value->tensors : NULL;
}

/* The names of the planes' lists, as the kernels count them. */
static const char *plane_name(const struct rnn *rnn, int plane)
{
    static const char *const names[2][2][K_LSTM_PLANES] = {
        {{"iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut"},
         {"i", "g", "f", "o", "h", "c", "tanhc"}},
        {{"rOut", "zOut", "nOut", "hnOut", "hOut"}, {"r", "z", "n", "hn", "h"}}};
    return names[rnn->is_gru][rnn->is_gradient][plane];
}

static bool is_gru(const struct op_problem *problem)
{
    return op_argument_named(problem, "bidirection") != NULL;
}

static bool is_gradient(const struct op_problem *problem)
{
    return op_argument_named(problem, "dxOut") != NULL;
}

static bool keeps_planes(const struct op_problem *problem)
{
    return is_gradient(problem) || op_integer_named(problem, "train", 0) != 0;
}

/* ---- checks ---- */

static bool is_batch_sizes(const struct op_value *value)
{
    return strncmp(value->name, "batchSizes", strlen("batchSizes")) == 0;
}

static aclnnStatus rnn_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const aclTensor *input = op_tensor_named(problem, "input");
    OP_TRY(op_check_type(row->name, "input", input, row->types, row->type_names));
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_tensor(value) && value->tensor && is_batch_sizes(value))
            OP_TRY(
                op_check_type(row->name, value->name, value->tensor, OP_TYPE(ACL_INT64), "INT64"));
        else if (op_is_tensor(value) && value->tensor)
            OP_TRY(op_check_same_type(row->name, value->name, value->tensor, "input", input));
        for (uint64_t j = 0; op_is_list(value) && value->tensors && j < value->tensors->size; j++)
            OP_TRY(op_check_same_type(row->name, value->name, value->tensors->elements[j], "input",
                                      input));
    }
    problem->type = problem->result = (aclDataType)input->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_size(const struct op_problem *problem, const char *name,
                              const aclTensorList *list, int64_t size)
{
    const int64_t found = list ? (int64_t)list->size : 0;
    OP_CHECK(problem->row->name, found == size, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " tensors; it must have %" PRId64, name, found, size);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_numbers(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    const aclTensor *batches = tensor_named(problem, "batchSizes");
    const int64_t layers = op_integer_named(problem, "numLayers", 1);
    if (!batches) batches = tensor_named(problem, "batchSizesOptional");
    OP_CHECK(name, !batches || op_is_empty(batches), ACLNN_ERR_PARAM_INVALID,
             "batchSizes is given; it must be NULL or empty: sequences have one length");
    OP_CHECK(name, layers >= 1 && layers <= LAYERS_MAX, ACLNN_ERR_PARAM_INVALID,
             "numLayers is %" PRId64 "; it must be 1 to %d", layers, LAYERS_MAX);
    const double dropout = op_real_named(problem, "dropout", 0);
    OP_CHECK(name, dropout == 0 || layers == 1 || is_gru(problem), ACLNN_ERR_PARAM_INVALID,
             "dropout is %g; it must be 0 where there is more than one layer", dropout);
    return op_check_rank(name, "input", op_tensor_named(problem, "input"), 3, 3);
}

/* What shapes say; input has three dimensions, params a matrix behind the first tensor. */
static struct rnn rnn_of(const struct op_problem *problem)
{
    const struct ex_descriptor *input = &op_tensor_named(problem, "input")->descriptor;
    struct rnn rnn = {.is_gru = is_gru(problem), .is_gradient = is_gradient(problem)};
    rnn.weights = list_named(problem, "params");
    rnn.has_bias = op_integer_named(problem, "hasBias", 0) != 0;
    rnn.batch_first = op_integer_named(problem, "batchFirst", 0) != 0;
    rnn.gates = rnn.is_gru ? 3 : 4;
    rnn.planes = rnn.is_gru ? (int)K_GRU_PLANES : (int)K_LSTM_PLANES;
    const int64_t both = op_integer_named(problem, rnn.is_gru ? "bidirection" : "bidirectional", 0);
    rnn.directions = both != 0 ? 2 : 1;
    rnn.layers = op_integer_named(problem, "numLayers", 1);
    rnn.times = input->sizes[rnn.batch_first ? 1 : 0];
    rnn.batch = input->sizes[rnn.batch_first ? 0 : 1];
    rnn.inputs = input->sizes[2];
    rnn.hidden = rnn.weights->elements[1]->descriptor.sizes[1];
    return rnn;
}

static int64_t runs_of(const struct rnn *rnn)
{
    return rnn->layers * rnn->directions;
}

static int64_t inputs_of(const struct rnn *rnn, int64_t layer)
{
    return layer == 0 ? rnn->inputs : rnn->directions * rnn->hidden;
}

static aclnnStatus check_element(const struct op_problem *problem, const char *name,
                                 const aclTensor *tensor, int rank, const int64_t *sizes)
{
    const struct op_value value = {.kind = OP_IN, .name = name, {.tensor = tensor}};
    return op_check_shape(problem, &value, tensor, rank, sizes);
}

/* Weights, or their gradients. */
static aclnnStatus check_weights(const struct op_problem *problem, const struct rnn *rnn,
                                 const char *name, const aclTensorList *list)
{
    const int of_run = rnn->has_bias ? 4 : 2;
    const int64_t height = rnn->gates * rnn->hidden;
    OP_TRY(check_size(problem, name, list, runs_of(rnn) * of_run));
    for (int64_t i = 0; i < (int64_t)list->size; i++) {
        const int kind = (int)(i % of_run);
        const int64_t width =
            kind == 0 ? inputs_of(rnn, i / of_run / rnn->directions) : rnn->hidden;
        const int64_t sizes[] = {height, width};
        OP_TRY(check_element(problem, name, list->elements[i], kind < 2 ? 2 : 1, sizes));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_named(const struct op_problem *problem, const char *name, int rank,
                               const int64_t *sizes)
{
    const aclTensor *tensor = tensor_named(problem, name);
    return tensor ? check_element(problem, name, tensor, rank, sizes) : ACLNN_SUCCESS;
}

/* Initial states: a list of two, or a tensor; those of GRU may lack. */
static aclnnStatus check_states(const struct op_problem *problem, const struct rnn *rnn)
{
    const int64_t sizes[] = {runs_of(rnn), rnn->batch, rnn->hidden};
    if (rnn->is_gru) return check_named(problem, "hx", 3, sizes);
    const aclTensorList *states = list_named(problem, "hx");
    if (!states && !rnn->is_gradient) return ACLNN_SUCCESS;
    OP_TRY(check_size(problem, "hx", states, 2));
    OP_TRY(check_element(problem, "hx", states->elements[0], 3, sizes));
    return check_element(problem, "hx", states->elements[1], 3, sizes);
}

static aclnnStatus check_planes(const struct op_problem *problem, const struct rnn *rnn)
{
    const int64_t sizes[] = {rnn->times, rnn->batch, rnn->hidden};
    if (!keeps_planes(problem)) return ACLNN_SUCCESS;
    for (int plane = 0; plane < rnn->planes; plane++) {
        const char *name = plane_name(rnn, plane);
        const aclTensorList *list = list_named(problem, name);
        OP_TRY(check_size(problem, name, list, runs_of(rnn)));
        for (uint64_t i = 0; i < list->size; i++)
            OP_TRY(check_element(problem, name, list->elements[i], 3, sizes));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus rnn_shapes(struct op_problem *problem)
{
    static const char *const lasts[] = {"hy", "cy", "dh", "dc", "dhPrevOut", "dcPrevOut"};
    const aclTensorList *weights = list_named(problem, "params");
    OP_TRY(check_numbers(problem));
    OP_CHECK(problem->row->name, weights && weights->size >= 2, ACLNN_ERR_PARAM_INVALID,
             "params has %d tensors; it must have two at least", weights ? (int)weights->size : 0);
    OP_TRY(op_check_rank(problem->row->name, "params", weights->elements[1], 2, 2));
    const struct rnn rnn = rnn_of(problem);
    const int64_t first = rnn.batch_first ? rnn.batch : rnn.times;
    const int64_t second = rnn.batch_first ? rnn.times : rnn.batch;
    const int64_t y[] = {first, second, rnn.directions * rnn.hidden};
    const int64_t x[] = {first, second, rnn.inputs};
    const int64_t last[] = {runs_of(&rnn), rnn.batch, rnn.hidden};
    OP_TRY(check_weights(problem, &rnn, "params", weights));
    OP_TRY(check_states(problem, &rnn));
    OP_TRY(check_planes(problem, &rnn));
    OP_TRY(check_named(problem, "output", 3, y));
    OP_TRY(check_named(problem, "dy", 3, y));
    for (int i = 0; i < 6; i++)
        OP_TRY(check_named(problem, lasts[i], 3, last));
    OP_TRY(check_named(problem, "dxOut", 3, x));
    if (!rnn.is_gradient) return ACLNN_SUCCESS;
    return check_weights(problem, &rnn, "dparamsOut", list_named(problem, "dparamsOut"));
}

/* ---- places ---- */

static int number_of(const struct op_shape_call *call, const char *name)
{
    return (int)(op_argument_named(call->problem, name) - call->problem->values);
}

static struct op_place doubles(const struct op_shape_call *call, int rank, const int64_t *sizes)
{
    return op_scratch_place(call->plan, ACL_DOUBLE, rank, sizes);
}

static struct op_place zeros(const struct op_shape_call *call, int rank, const int64_t *sizes)
{
    const struct op_place place = doubles(call, rank, sizes);
    op_fill_place(call->plan, &place, 0, 0);
    return place;
}

/* Dense doubles of what is somewhere. */
static struct op_place read_place(const struct op_shape_call *call, const struct op_place *from)
{
    const struct op_place to = doubles(call, from->view.rank, from->view.sizes);
    op_copy_place(call->plan, from, &to);
    return to;
}

static struct op_place read_element(const struct op_shape_call *call, const char *list, int64_t i)
{
    const struct op_place from = op_target(call, number_of(call, list), (uint64_t)i);
    return read_place(call, &from);
}

/* One index of the first axis, which goes. */
static struct op_place at_index(struct op_place place, int64_t index)
{
    place.view.offset += index * place.view.strides[0];
    place.view.rank--;
    for (int i = 0; i < place.view.rank; i++) {
        place.view.sizes[i] = place.view.sizes[i + 1];
        place.view.strides[i] = place.view.strides[i + 1];
    }
    return place;
}

static struct op_place swapped(struct op_place place, int a, int b)
{
    place.view = op_view_swapped(place.view, a, b);
    return place;
}

/* A tensor with times and a batch in front: times first. */
static struct op_place by_time(const struct op_shape_call *call, const struct rnn *rnn,
                               const char *name)
{
    const struct op_place place = op_target(call, number_of(call, name), 0);
    return rnn->batch_first ? swapped(place, 0, 1) : place;
}

static struct op_place transposed(const struct op_shape_call *call, const struct op_place *matrix)
{
    const struct op_place other = swapped(*matrix, matrix->view.rank - 2, matrix->view.rank - 1);
    return read_place(call, &other);
}

/* (T, B, n) as (n, T B) */
static struct op_place turned(const struct op_shape_call *call, const struct op_place *x)
{
    struct op_place view = *x;
    const struct op_view *v = &x->view;
    view = swapped(swapped(view, 1, 2), 0, 1);
    struct op_place to = read_place(call, &view);
    to.view =
        op_view_dense(ACL_DOUBLE, 2, (const int64_t[]){v->sizes[2], v->sizes[0] * v->sizes[1]});
    return to;
}

/* ---- steps ---- */

/* The products of a's rows and b's; bias may be NULL. */
static void multiply(const struct op_shape_call *call, const struct op_place *a,
                     const struct op_place *b, const struct op_place *bias,
                     const struct op_place *to, bool adds)
{
    const struct op_view *rows = &a->view, *columns = &b->view;
    struct k_products p = {.has_bias = bias != NULL,
                           .adds = adds,
                           .depth = columns->sizes[1],
                           .columns = columns->sizes[0],
                           .rows = op_element_count(rows->rank - 1, rows->sizes)};
    p.to_step = p.columns;
    if (p.rows == 0 || p.columns == 0) return;
    ex_step(call->plan, "products", k_best()->products, &p, sizeof p, k_products_work(&p),
            EX_BUFFERS(a->buffer, b->buffer, bias ? bias->buffer : b->buffer, to->buffer));
}

/* One direction of one layer. */
struct run {
    int64_t number, layer;
    int direction;
    struct op_place w_ih, w_hh, b_ih, b_hh, h0, c0, planes;
    struct op_place dh, dc, grad[4]; /* of h0, of c0, of the weights */
};

static struct run *runs_new(const struct op_shape_call *call, int64_t count)
{
    struct run *runs = rt_alloc_zeroed((size_t)count * sizeof *runs);
    if (!runs) ex_no_memory(call->plan);
    return runs;
}

static struct op_place state_of(const struct op_shape_call *call, const struct rnn *rnn,
                                const char *name, uint64_t element, int64_t number)
{
    const int64_t sizes[] = {rnn->batch, rnn->hidden};
    const struct op_value *value = op_argument_named(call->problem, name);
    const bool is_there =
        op_is_list(value) ? value->tensors && value->tensors->size > 0 : value->tensor != NULL;
    if (!is_there) return zeros(call, 2, sizes);
    const struct op_place all = op_target(call, number_of(call, name), element);
    const struct op_place own = at_index(all, number);
    return read_place(call, &own);
}

static struct run run_of(const struct op_shape_call *call, const struct rnn *rnn, int64_t layer,
                         int direction)
{
    struct run run = {.layer = layer, .direction = direction};
    const int64_t height = rnn->gates * rnn->hidden, of_run = rnn->has_bias ? 4 : 2;
    run.number = layer * rnn->directions + direction;
    run.w_ih = read_element(call, "params", run.number * of_run);
    run.w_hh = read_element(call, "params", run.number * of_run + 1);
    run.b_ih = rnn->has_bias ? read_element(call, "params", run.number * of_run + 2)
                             : zeros(call, 1, &height);
    run.b_hh = rnn->has_bias ? read_element(call, "params", run.number * of_run + 3)
                             : zeros(call, 1, &height);
    run.h0 = state_of(call, rnn, "hx", 0, run.number);
    run.c0 = rnn->is_gru ? run.h0 : state_of(call, rnn, "hx", 1, run.number);
    const int64_t planes[] = {rnn->planes, rnn->times, rnn->batch, rnn->hidden};
    run.planes = doubles(call, 4, planes);
    return run;
}

static struct k_rnn kernel_of(const struct rnn *rnn, const struct run *run)
{
    return (struct k_rnn){.is_gru = rnn->is_gru,
                          .is_reverse = run->direction == 1,
                          .times = rnn->times,
                          .batch = rnn->batch,
                          .hidden = rnn->hidden,
                          .y_step = rnn->directions * rnn->hidden,
                          .y_first = run->direction * rnn->hidden};
}

static void add_run(const struct op_shape_call *call, const struct rnn *rnn, const struct run *run,
                    const struct op_place *x, const struct op_place *y)
{
    const int64_t sizes[] = {rnn->times, rnn->batch, rnn->gates * rnn->hidden};
    const struct op_place x_ih = doubles(call, 3, sizes);
    const struct k_rnn k = kernel_of(rnn, run);
    const int64_t scratch = k_rnn_scratch(&k);
    multiply(call, x, &run->w_ih, &run->b_ih, &x_ih, false);
    if (rnn->batch == 0 || rnn->hidden == 0 || rnn->times == 0) return;
    ex_step(call->plan, "rnn", k_best()->rnn, &k, sizeof k, k_rnn_work(&k),
            EX_BUFFERS(x_ih.buffer, run->w_hh.buffer, run->b_hh.buffer, run->h0.buffer,
                       run->c0.buffer, y->buffer, run->planes.buffer,
                       doubles(call, 1, &scratch).buffer));
}

/* ---- forward ---- */

static void write_last(const struct op_shape_call *call, const struct rnn *rnn,
                       const struct run *run, const char *name, int plane,
                       const struct op_place *before)
{
    const struct op_place all = op_target(call, number_of(call, name), 0);
    const struct op_place to = at_index(all, run->number);
    const int64_t last = run->direction == 1 ? 0 : rnn->times - 1;
    const struct op_place from =
        rnn->times > 0 ? at_index(at_index(run->planes, plane), last) : *before;
    op_copy_place(call->plan, &from, &to);
}

static void write_run(const struct op_shape_call *call, const struct rnn *rnn,
                      const struct run *run)
{
    write_last(call, rnn, run, "hy", rnn->is_gru ? (int)K_GRU_H : (int)K_LSTM_H, &run->h0);
    if (!rnn->is_gru) write_last(call, rnn, run, "cy", K_LSTM_C, &run->c0);
    if (!keeps_planes(call->problem)) return;
    for (int plane = 0; plane < rnn->planes; plane++) {
        const struct op_place from = at_index(run->planes, plane);
        const struct op_place to =
            op_target(call, number_of(call, plane_name(rnn, plane)), (uint64_t)run->number);
        op_copy_place(call->plan, &from, &to);
    }
}

/* What is read may be written at the end: results come last. */
static void plan_rnn(const struct op_shape_call *call)
{
    const struct rnn rnn = rnn_of(call->problem);
    struct run *runs = runs_new(call, runs_of(&rnn));
    const struct op_place input = by_time(call, &rnn, "input");
    struct op_place x = read_place(call, &input);
    if (!runs) return;
    for (int64_t layer = 0; layer < rnn.layers; layer++) {
        const int64_t sizes[] = {rnn.times, rnn.batch, rnn.directions * rnn.hidden};
        const struct op_place y = doubles(call, 3, sizes);
        for (int direction = 0; direction < rnn.directions; direction++) {
            struct run *run = &runs[layer * rnn.directions + direction];
            *run = run_of(call, &rnn, layer, direction);
            add_run(call, &rnn, run, &x, &y);
        }
        x = y;
    }
    const struct op_place output = by_time(call, &rnn, "output");
    op_copy_place(call->plan, &x, &output);
    for (int64_t i = 0; i < runs_of(&rnn); i++)
        write_run(call, &rnn, &runs[i]);
    rt_free(runs);
}

/* ---- gradients ---- */

/* The input of a layer: h of the one below, its directions side by side. */
static struct op_place input_of(const struct op_shape_call *call, const struct rnn *rnn,
                                int64_t layer)
{
    const int64_t sizes[] = {rnn->times, rnn->batch, inputs_of(rnn, layer)};
    const struct op_place x = layer == 0 ? by_time(call, rnn, "input") : doubles(call, 3, sizes);
    if (layer == 0) return read_place(call, &x);
    const char *h = plane_name(rnn, rnn->is_gru ? (int)K_GRU_H : (int)K_LSTM_H);
    for (int direction = 0; direction < rnn->directions; direction++) {
        struct op_place part = x;
        part.view = op_view_part(&x.view, 2, direction * rnn->hidden, 1, rnn->hidden);
        const int64_t below = (layer - 1) * rnn->directions + direction;
        const struct op_place from = op_target(call, number_of(call, h), (uint64_t)below);
        op_copy_place(call->plan, &from, &part);
    }
    return x;
}

/* h of the time before each, (T, B, H). */
static struct op_place states_before(const struct op_shape_call *call, const struct rnn *rnn,
                                     const struct run *run)
{
    const struct op_place h = at_index(run->planes, rnn->is_gru ? (int)K_GRU_H : (int)K_LSTM_H);
    const bool is_reverse = run->direction == 1;
    const struct op_place all = doubles(call, 3, h.view.sizes);
    if (rnn->times == 0) return all;
    const struct op_place first = at_index(all, is_reverse ? rnn->times - 1 : 0);
    op_copy_place(call->plan, &run->h0, &first);
    struct op_place from = h, to = all;
    from.view = op_view_part(&h.view, 0, is_reverse ? 1 : 0, 1, rnn->times - 1);
    to.view = op_view_part(&all.view, 0, is_reverse ? 0 : 1, 1, rnn->times - 1);
    op_copy_place(call->plan, &from, &to);
    return all;
}

static void add_weight_grads(const struct op_shape_call *call, const struct rnn *rnn,
                             struct run *run, const struct op_place *x,
                             const struct op_place *dx_ih, const struct op_place *dx_hh)
{
    const int64_t ones[] = {1, rnn->times * rnn->batch};
    const struct op_place before = states_before(call, rnn, run);
    const struct op_place ih = turned(call, dx_ih), hh = rnn->is_gru ? turned(call, dx_hh) : ih;
    const struct op_place inputs = turned(call, x), states = turned(call, &before);
    run->grad[0] = doubles(call, 2, run->w_ih.view.sizes);
    run->grad[1] = doubles(call, 2, run->w_hh.view.sizes);
    multiply(call, &ih, &inputs, NULL, &run->grad[0], false);
    multiply(call, &hh, &states, NULL, &run->grad[1], false);
    if (!rnn->has_bias) return;
    const struct op_place one = doubles(call, 2, ones);
    op_fill_place(call->plan, &one, 1, 1);
    for (int i = 0; i < 2; i++) {
        run->grad[2 + i] = doubles(call, 1, run->w_ih.view.sizes);
        multiply(call, i == 0 ? &ih : &hh, &one, NULL, &run->grad[2 + i], false);
    }
}

static void read_planes(const struct op_shape_call *call, const struct rnn *rnn,
                        const struct run *run)
{
    for (int plane = 0; plane < rnn->planes; plane++) {
        const int list = number_of(call, plane_name(rnn, plane));
        const struct op_place from = op_target(call, list, (uint64_t)run->number);
        const struct op_place to = at_index(run->planes, plane);
        op_copy_place(call->plan, &from, &to);
    }
}

/* dx is made, or added to. */
static void add_run_grad(const struct op_shape_call *call, const struct rnn *rnn, struct run *run,
                         const struct op_place *x, const struct op_place *dy,
                         const struct op_place *dx)
{
    const int64_t sizes[] = {rnn->times, rnn->batch, rnn->gates * rnn->hidden};
    const struct op_place dx_ih = doubles(call, 3, sizes);
    const struct op_place dx_hh = rnn->is_gru ? doubles(call, 3, sizes) : dx_ih;
    const struct op_place w_hh = transposed(call, &run->w_hh), w_ih = transposed(call, &run->w_ih);
    const struct k_rnn k = kernel_of(rnn, run);
    read_planes(call, rnn, run);
    run->dh = state_of(call, rnn, "dh", 0, run->number);
    run->dc = rnn->is_gru ? run->dh : state_of(call, rnn, "dc", 0, run->number);
    if (rnn->batch > 0 && rnn->hidden > 0 && rnn->times > 0)
        ex_step(call->plan, "rnn_grad", k_best()->rnn_grad, &k, sizeof k, k_rnn_work(&k),
                EX_BUFFERS(run->planes.buffer, w_hh.buffer, run->h0.buffer, run->c0.buffer,
                           dy->buffer, run->dh.buffer, run->dc.buffer, dx_ih.buffer, dx_hh.buffer));
    multiply(call, &dx_ih, &w_ih, NULL, dx, run->direction > 0);
    add_weight_grads(call, rnn, run, x, &dx_ih, &dx_hh);
}

static void write_grads(const struct op_shape_call *call, const struct rnn *rnn,
                        const struct run *run)
{
    const int of_run = rnn->has_bias ? 4 : 2;
    const struct op_place dh = op_target(call, number_of(call, "dhPrevOut"), 0);
    struct op_place to = at_index(dh, run->number);
    op_copy_place(call->plan, &run->dh, &to);
    if (!rnn->is_gru) {
        const struct op_place dc = op_target(call, number_of(call, "dcPrevOut"), 0);
        to = at_index(dc, run->number);
        op_copy_place(call->plan, &run->dc, &to);
    }
    for (int i = 0; i < of_run; i++) {
        to = op_target(call, number_of(call, "dparamsOut"), (uint64_t)(run->number * of_run + i));
        op_copy_place(call->plan, &run->grad[i], &to);
    }
}

static void plan_rnn_grad(const struct op_shape_call *call)
{
    const struct rnn rnn = rnn_of(call->problem);
    const int64_t sizes[] = {rnn.times, rnn.batch, rnn.directions * rnn.hidden};
    struct run *runs = runs_new(call, runs_of(&rnn));
    if (!runs) return;
    struct op_place dy = doubles(call, 3, sizes);
    if (tensor_named(call->problem, "dy")) {
        const struct op_place given = by_time(call, &rnn, "dy");
        op_copy_place(call->plan, &given, &dy);
    } else {
        op_fill_place(call->plan, &dy, 0, 0);
    }
    for (int64_t layer = rnn.layers - 1; layer >= 0; layer--) {
        const struct op_place x = input_of(call, &rnn, layer);
        const struct op_place dx = doubles(call, 3, x.view.sizes);
        for (int direction = 0; direction < rnn.directions; direction++) {
            struct run *run = &runs[layer * rnn.directions + direction];
            *run = run_of(call, &rnn, layer, direction);
            add_run_grad(call, &rnn, run, &x, &dy, &dx);
        }
        dy = dx;
    }
    const struct op_place dx = by_time(call, &rnn, "dxOut");
    op_copy_place(call->plan, &dy, &dx);
    for (int64_t i = 0; i < runs_of(&rnn); i++)
        write_grads(call, &rnn, &runs[i]);
    rt_free(runs);
}

const struct op_rule op_rule_rnn = {
    .types = rnn_types,
    .shapes = rnn_shapes,
    .runs_empty = true, /* weights have a gradient where there is no time */
    .more = &(const struct op_shape_rule){plan_rnn},
};
const struct op_rule op_rule_rnn_grad = {
    .types = rnn_types,
    .shapes = rnn_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_rnn_grad},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* No time counts for a wrong answer: before it is timed, every contender's outputs are poisoned,
 * computed, looked through for poison, and three planes of each are held against the definition. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/data.h"
#include "tests/bench/measure.h"
#include "tests/support/compare.h"
#include "tests/support/oracle.h"

enum { PLANES = 3 };

/* One plane of a problem, and what its outputs should be. */
struct plane {
    const struct bench_problem *problem;
    struct test_case test; /* of one plane */
    struct oracle_problem shape;
    int64_t number;
    double *input[CASE_TENSORS];
    int32_t *index;         /* what is read, or what is right */
    struct oracle_sum *sum; /* the output that is not indices */
};

static char text[512];

static void plane_close(struct plane *plane)
{
    for (int role = 0; role < CASE_TENSORS; role++)
        free(plane->input[role]);
    free(plane->index);
    free(plane->sum);
}

static bool plane_open(struct plane *plane, const struct bench_problem *problem, int64_t number)
{
    *plane = (struct plane){.problem = problem, .test = problem->test, .number = number};
    plane->test.batch = plane->test.channels = 1;
    plane->shape = plane->test.kernel_length == 0 ? oracle_adaptive_problem_of(&plane->test)
                                                  : oracle_problem_of(&plane->test);
    int64_t most =
        plane->shape.inputs > plane->shape.outputs ? plane->shape.inputs : plane->shape.outputs;
    plane->index = calloc((size_t)most, sizeof *plane->index);
    plane->sum = calloc((size_t)most, sizeof *plane->sum);
    bool is_read = plane->index != NULL && plane->sum != NULL;
    for (int i = 0; is_read && i < problem->tensors; i++) {
        enum case_tensor role = problem->tensor[i].role;
        if (problem->tensor[i].use != BENCH_READS) continue;
        if (role == CASE_I) {
            is_read = data_read_indices(problem, number, plane->index);
            continue;
        }
        plane->input[role] = calloc((size_t)most, sizeof(double));
        is_read = plane->input[role] != NULL &&
                  data_read_plane(problem, role, number, plane->input[role]);
    }
    if (!is_read) snprintf(text, sizeof text, "cannot read the data");
    return is_read;
}

/* ---- the definitions ---- */

static double divisor_of(const struct plane *plane, const struct oracle_box *box)
{
    if (!plane->shape.is_adaptive) return oracle_divisor(&plane->test, box);
    double product = 1;
    for (int i = 0; i < ORACLE_AXES; i++)
        product *= (double)box->axis[i].taps;
    return product;
}

static void expect_average(struct plane *plane, int64_t w, const struct oracle_box *box)
{
    double divisor = divisor_of(plane, box);
    for (struct oracle_tap tap = oracle_first(box); tap.left > 0; oracle_next(box, &tap))
        oracle_add(&plane->sum[w], plane->input[CASE_X][tap.offset] / divisor);
}

static void expect_average_grad(struct plane *plane, int64_t w, const struct oracle_box *box)
{
    double term = plane->input[CASE_DY][w] / divisor_of(plane, box);
    for (struct oracle_tap tap = oracle_first(box); tap.left > 0; oracle_next(box, &tap))
        oracle_add(&plane->sum[tap.offset], term);
}

/* The first of the largest. */
static int64_t winner_of(const double *x, const struct oracle_box *box)
{
    struct oracle_tap tap = oracle_first(box);
    int64_t best = tap.offset;
    for (; tap.left > 0; oracle_next(box, &tap))
        if (x[tap.offset] > x[best]) best = tap.offset;
    return best;
}

static void expect_window(struct plane *plane, int64_t w)
{
    struct oracle_box box = oracle_box_of(&plane->shape, w);
    double *const *input = plane->input;
    switch (plane->problem->op->meaning) {
    case BENCH_AVERAGE:
        expect_average(plane, w, &box);
        return;
    case BENCH_AVERAGE_GRAD:
        expect_average_grad(plane, w, &box);
        return;
    case BENCH_MAX:
    case BENCH_MAX_INDICES:
        plane->index[w] = (int32_t)winner_of(input[CASE_X], &box);
        oracle_add(&plane->sum[w], input[CASE_X][plane->index[w]]);
        return;
    case BENCH_MAX_GRAD:
        oracle_add(&plane->sum[plane->index[w]], input[CASE_DY][w]);
        return;
    case BENCH_MAX_RECOMPUTE:
        oracle_add(&plane->sum[winner_of(input[CASE_X], &box)], input[CASE_DY][w]);
        return;
    case BENCH_UNPOOL:
        oracle_add(&plane->sum[plane->index[w]], input[CASE_Y][w]);
        return;
    default:
        oracle_add(&plane->sum[w], input[CASE_DX][plane->index[w]]);
    }
}

/* ---- comparing ---- */

/* In ceil mode with padding counted, oneDNN divides a window that leaves the padded input by the
 * whole kernel; PyTorch and CANN count only the part inside. Such windows, and what they reach, are
 * left out. */
static bool is_comparable(const struct plane *plane, enum role role, enum case_tensor tensor,
                          int64_t element)
{
    bool is_onednn = role == ROLE_ONEDNN || role == ROLE_ONEDNN_BLOCKED;
    enum bench_meaning meaning = plane->problem->op->meaning;
    bool is_average = meaning == BENCH_AVERAGE || meaning == BENCH_AVERAGE_GRAD;
    if (!is_onednn || !is_average || !plane->test.ceil || plane->test.exclude_pad) return true;
    for (int axis = ORACLE_AXES - 1; axis >= 0; axis--) {
        const struct case_window *w = &plane->shape.axis[axis];
        int64_t extent = tensor == CASE_Y ? w->output : w->input, at = element % extent;
        int64_t last = (w->output - 1) * w->stride - w->pad;
        bool is_last = tensor == CASE_Y ? at == w->output - 1 : at >= last;
        if (is_last && last + w->kernel > w->input + w->pad_end) return false;
        element /= extent;
    }
    return true;
}

/* Maxima and what is only moved are exact. Peers have roundings of their own: PyTorch sums half
 * types in the half type, so their bound is that of every partial sum rounded. */
static double bound_of(const struct plane *plane, enum role role, const struct oracle_sum *sum)
{
    enum bench_meaning meaning = plane->problem->op->meaning;
    bool is_average = meaning == BENCH_AVERAGE || meaning == BENCH_AVERAGE_GRAD;
    if (!is_average && sum->terms <= 1) return 0;
    enum case_dtype dtype = plane->test.dtype;
    struct compare_rule rule = {.dtype = dtype, .roundings = 2.0 * plane->test.axes, .headroom = 1};
    double bound = compare_sum_bound(&rule, sum);
    if (role == ROLE_OURS) return bound;
    double unit = dtype == CASE_F32 ? 0x1p-23 : dtype == CASE_F16 ? 0x1p-10 : 0x1p-7;
    return bound + (double)(sum->terms + 4) * unit * sum->magnitude;
}

static bool values_are_right(const struct plane *plane, enum role role,
                             const struct bench_tensor *tensor, const void *got)
{
    for (int64_t i = 0; i < tensor->plane; i++) {
        if (!is_comparable(plane, role, tensor->role, i)) continue;
        uint64_t bits =
            tensor->element_size == 4 ? ((const uint32_t *)got)[i] : ((const uint16_t *)got)[i];
        double value = oracle_from_bits(tensor->dtype, bits);
        const struct oracle_sum *sum = &plane->sum[i];
        if (fabs(value - sum->value) <= bound_of(plane, role, sum)) continue;
        snprintf(text, sizeof text, "plane %lld element %lld is %.9g, not %.9g",
                 (long long)plane->number, (long long)i, value, sum->value);
        return false;
    }
    return true;
}

static bool indices_are_right(const struct plane *plane, const struct bench_tensor *tensor,
                              const void *got)
{
    for (int64_t i = 0; i < tensor->plane; i++) {
        int64_t index =
            tensor->element_size == 8 ? ((const int64_t *)got)[i] : ((const int32_t *)got)[i];
        if (index == plane->index[i]) continue;
        snprintf(text, sizeof text, "plane %lld index %lld is %lld, not %d",
                 (long long)plane->number, (long long)i, (long long)index, (int)plane->index[i]);
        return false;
    }
    return true;
}

/* Reads the planes of one output, which the file has next. */
static bool output_is_right(struct plane planes[PLANES], enum role role, int tensor, FILE *file)
{
    const struct bench_tensor *t = &planes[0].problem->tensor[tensor];
    size_t bytes = (size_t)t->plane * t->element_size;
    void *got = malloc(bytes);
    bool is_right = got != NULL;
    for (int i = 0; is_right && i < PLANES; i++) {
        is_right = fread(got, 1, bytes, file) == bytes;
        if (!is_right)
            snprintf(text, sizeof text, "the planes end early");
        else if (t->role == CASE_I)
            is_right = indices_are_right(&planes[i], t, got);
        else
            is_right = values_are_right(&planes[i], role, t, got);
    }
    free(got);
    return is_right;
}

static bool planes_are_right(const struct bench_problem *problem, enum role role,
                             const cJSON *unwritten, FILE *file)
{
    struct plane planes[PLANES];
    int64_t numbers[PLANES] = {0, problem->planes / 2, problem->planes - 1};
    bool is_right = true;
    for (int i = 0; i < PLANES; i++) {
        is_right = plane_open(&planes[i], problem, numbers[i]) && is_right;
        for (int64_t w = 0; is_right && w < planes[i].shape.outputs; w++)
            expect_window(&planes[i], w);
    }
    const cJSON *left = unwritten == NULL ? NULL : unwritten->child;
    for (int i = 0; is_right && i < problem->tensors; i++) {
        if (problem->tensor[i].use != BENCH_WRITES) continue;
        bool is_given = left != NULL && !cJSON_IsNull(left);
        if (is_given && left->valuedouble != 0) {
            snprintf(text, sizeof text, "%.0f elements were not written", left->valuedouble);
            is_right = false;
        }
        is_right = is_right && (!is_given || output_is_right(planes, role, i, file));
        if (left != NULL) left = left->next;
    }
    for (int i = 0; i < PLANES; i++)
        plane_close(&planes[i]);
    return is_right;
}

static void path_of(const struct peer *peer, char *path, size_t size)
{
    char what[32];
    snprintf(what, sizeof what, "planes_%d", (int)peer->process);
    data_path(what, path, size);
}

cJSON *check_request(const struct peer *peer, const struct bench_problem *problem)
{
    char path[64];
    path_of(peer, path, sizeof path);
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "check");
    cJSON_AddStringToObject(request, "path", path);
    cJSON *list = cJSON_AddArrayToObject(request, "planes");
    int64_t numbers[PLANES] = {0, problem->planes / 2, problem->planes - 1};
    for (int i = 0; i < PLANES; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)numbers[i]));
    return request;
}

const char *check_answer(const struct peer *peer, const struct bench_problem *problem,
                         const cJSON *answer)
{
    char path[64];
    path_of(peer, path, sizeof path);
    FILE *file = fopen(path, "rb");
    bool is_right = file != NULL;
    if (!is_right) snprintf(text, sizeof text, "there are no planes");
    is_right = is_right && planes_are_right(problem, peer->role,
                                            cJSON_GetObjectItem(answer, "unwritten"), file);
    if (file != NULL) fclose(file);
    unlink(path);
    return is_right ? NULL : text;
}

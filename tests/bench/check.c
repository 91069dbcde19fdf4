/* SPDX-License-Identifier: Apache-2.0 */
/* No time counts for a wrong answer: before it is timed, every contender's output is poisoned,
 * computed, looked through for poison, and three of its planes are held against the oracle. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/measure.h"
#include "tests/support/compare.h"
#include "tests/support/oracle.h"

enum { PLANES = 3 };

static char text[512];

static uint32_t bits_at(const void *data, size_t size, int64_t i)
{
    return size == 4 ? ((const uint32_t *)data)[i] : ((const uint16_t *)data)[i];
}

static void *read_at(const char *path, size_t offset, size_t bytes)
{
    void *data = malloc(bytes);
    FILE *file = fopen(path, "rb");
    bool is_read = data != NULL && file != NULL && fseek(file, (long)offset, SEEK_SET) == 0 &&
                   fread(data, 1, bytes, file) == bytes;
    if (file != NULL) fclose(file);
    if (is_read) return data;
    free(data);
    return NULL;
}

/* In ceil mode with padding counted, oneDNN divides a window that leaves the padded input by the
 * whole kernel; PyTorch and CANN count only the part inside. Elements of such windows are left out.
 */
static bool is_comparable(const struct test_case *test, enum role role, int64_t element)
{
    bool is_onednn = role == ROLE_ONEDNN || role == ROLE_ONEDNN_BLOCKED;
    if (!is_onednn || !test->ceil || test->exclude_pad) return true;
    for (int axis = 0; axis < 2; axis++) {
        struct case_window w = case_window(test, axis);
        int64_t width = case_window(test, 1).input;
        int64_t at = axis == 0 ? element / width : element % width;
        int64_t last_window = (w.output - 1) * w.stride - w.pad;
        if (last_window + w.kernel > w.input + w.pad && at >= last_window) return false;
    }
    return true;
}

/* PyTorch sums half types in the half type; its rounding is its own affair, so its bound is that of
 * every partial sum rounded. */
static double bound_of(const struct test_case *test, enum role role, const struct oracle_sum *sum)
{
    double bound = compare_bound(test, sum);
    if (role == ROLE_OURS) return bound;
    double unit = test->dtype == CASE_F32 ? 0x1p-23 : test->dtype == CASE_F16 ? 0x1p-10 : 0x1p-7;
    return bound + (double)(sum->terms + 4) * unit * sum->magnitude;
}

static bool plane_is_right(const struct bench_problem *problem, enum role role, int64_t plane,
                           const void *dx)
{
    struct test_case one = problem->test;
    one.batch = one.channels = 1;
    size_t size = problem->element_size;
    void *bits = read_at(problem->data, (size_t)(plane * problem->dy_plane) * size,
                         (size_t)problem->dy_plane * size);
    double *dy = calloc((size_t)problem->dy_plane, sizeof *dy);
    struct oracle_sum *expected = calloc((size_t)problem->dx_plane, sizeof *expected);
    bool is_right = bits != NULL && dy != NULL && expected != NULL;
    if (!is_right) snprintf(text, sizeof text, "cannot read the data");
    for (int64_t i = 0; is_right && i < problem->dy_plane; i++)
        dy[i] = oracle_from_bits(one.dtype, bits_at(bits, size, i));
    if (is_right) oracle_avg_pool_backward(&one, dy, expected);
    for (int64_t i = 0; is_right && i < problem->dx_plane; i++) {
        if (!is_comparable(&one, role, i)) continue;
        double got = oracle_from_bits(one.dtype, bits_at(dx, size, i));
        if (fabs(got - expected[i].value) <= bound_of(&one, role, &expected[i])) continue;
        is_right = false;
        snprintf(text, sizeof text, "plane %lld element %lld is %.9g, not %.9g", (long long)plane,
                 (long long)i, got, expected[i].value);
    }
    free(bits);
    free(dy);
    free(expected);
    return is_right;
}

const char *check_contender(struct peer *peer, const struct bench_problem *problem)
{
    char path[64];
    int64_t planes[PLANES] = {0, problem->planes / 2, problem->planes - 1};
    size_t bytes = (size_t)problem->dx_plane * problem->element_size;
    snprintf(path, sizeof path, "/dev/shm/aclnn_bench_%d_planes", (int)getpid());
    cJSON *request = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(request, "planes");
    cJSON_AddStringToObject(request, "do", "check");
    cJSON_AddStringToObject(request, "path", path);
    for (int i = 0; i < PLANES; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)planes[i]));
    cJSON *answer = peer_ask(peer, request, text, sizeof text);
    if (answer == NULL) return text;
    double unwritten = cJSON_GetNumberValue(cJSON_GetObjectItem(answer, "unwritten"));
    cJSON_Delete(answer);
    bool is_right = unwritten == 0;
    if (!is_right) snprintf(text, sizeof text, "%.0f elements were not written", unwritten);
    for (int i = 0; is_right && i < PLANES; i++) {
        void *dx = read_at(path, (size_t)i * bytes, bytes);
        is_right = dx != NULL && plane_is_right(problem, peer->role, planes[i], dx);
        free(dx);
    }
    unlink(path);
    return is_right ? NULL : text;
}

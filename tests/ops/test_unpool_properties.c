/* SPDX-License-Identifier: Apache-2.0 */
/* Unpooling and adaptive maxima on numbers worked out by hand, and what must hold between the
 * forward and the backward pass. Small integers make every sum exact. */
#include <criterion/criterion.h>
#include <math.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool2d_backward.h"
#include "tests/support/random.h"

static aclrtStream stream;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), 0);
    cr_assert_eq(aclrtSetDevice(0), 0);
    cr_assert_eq(aclrtCreateStream(&stream), 0);
}

static void end(void)
{
    cr_assert_eq(aclrtDestroyStream(stream), 0);
    cr_assert_eq(aclFinalize(), 0);
}

TestSuite(unpool_properties, .init = begin, .fini = end, .timeout = 600);

enum { AXES = 3 };

struct shape {
    int64_t planes, in[AXES], out[AXES]; /* the large and the small side; 2-D has in[0] = 1 */
};

/* (1, planes, spatial...) */
static aclTensor *tensor_of(const struct shape *s, const int64_t *extents, int axes,
                            aclDataType type, void *data)
{
    int64_t dims[2 + AXES] = {1, s->planes};
    for (int i = 0; i < axes; i++)
        dims[2 + i] = extents[AXES - axes + i];
    return aclCreateTensor(dims, (uint64_t)(2 + axes), type, NULL, 0,
                           axes == 2 ? ACL_FORMAT_NCHW : ACL_FORMAT_NCDHW, dims,
                           (uint64_t)(2 + axes), data);
}

typedef aclnnStatus phase2(void *workspace, uint64_t size, aclOpExecutor *executor,
                           aclrtStream stream);

/* What phase 1 left, for phase 2. */
static uint64_t bytes;
static aclOpExecutor *executor;

static void finish(aclnnStatus status, phase2 *run)
{
    cr_assert_eq(status, 0, "%s", aclGetRecentErrMsg());
    cr_assert_eq(bytes, 0, "contiguous tensors need no workspace");
    cr_assert_eq(run(NULL, bytes, executor, stream), 0, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(stream), 0, "%s", aclGetRecentErrMsg());
}

static void adaptive_max(const struct shape *s, int axes, float *x, float *y, int64_t *places)
{
    aclTensor *self = tensor_of(s, s->in, axes, ACL_FLOAT, x);
    aclTensor *out = tensor_of(s, s->out, axes, ACL_FLOAT, y);
    aclTensor *indices = tensor_of(s, s->out, axes, ACL_INT64, places);
    aclIntArray *size = aclCreateIntArray(s->out + AXES - axes, (uint64_t)axes);
    if (axes == 2)
        finish(aclnnAdaptiveMaxPool2dGetWorkspaceSize(self, size, out, indices, &bytes, &executor),
               aclnnAdaptiveMaxPool2d);
    else
        finish(aclnnAdaptiveMaxPool3dGetWorkspaceSize(self, size, out, indices, &bytes, &executor),
               aclnnAdaptiveMaxPool3d);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    aclDestroyTensor(indices);
    aclDestroyIntArray(size);
}

static void adaptive_max_backward(const struct shape *s, int axes, float *dy, int64_t *places,
                                  float *dx)
{
    aclTensor *self = tensor_of(s, s->in, axes, ACL_FLOAT, dx);
    aclTensor *gradient = tensor_of(s, s->out, axes, ACL_FLOAT, dy);
    aclTensor *indices = tensor_of(s, s->out, axes, ACL_INT64, places);
    if (axes == 2)
        finish(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(gradient, self, indices, self, &bytes,
                                                              &executor),
               aclnnAdaptiveMaxPool2dBackward);
    else
        finish(aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(gradient, self, indices, self, &bytes,
                                                              &executor),
               aclnnAdaptiveMaxPool3dBackward);
    aclDestroyTensor(self);
    aclDestroyTensor(gradient);
    aclDestroyTensor(indices);
}

/* `y`, and its gradient `dx` of the large side, on either side of the call. */
static void unpool(const struct shape *s, float *small, int64_t *places, float *large,
                   bool is_backward)
{
    aclTensor *y = tensor_of(s, s->out, 2, ACL_FLOAT, small);
    aclTensor *x = tensor_of(s, s->in, 2, ACL_FLOAT, large);
    aclTensor *indices = tensor_of(s, s->out, 2, ACL_INT64, places);
    aclIntArray *size = aclCreateIntArray(s->in + 1, 2);
    if (is_backward)
        finish(aclnnMaxUnpool2dBackwardGetWorkspaceSize(x, y, indices, size, y, &bytes, &executor),
               aclnnMaxUnpool2dBackward);
    else
        finish(aclnnMaxUnpool2dGetWorkspaceSize(y, indices, size, x, &bytes, &executor),
               aclnnMaxUnpool2d);
    aclDestroyTensor(y);
    aclDestroyTensor(x);
    aclDestroyTensor(indices);
    aclDestroyIntArray(size);
}

/* ---- worked numbers ---- */

Test(unpool_properties, the_index_counts_in_its_own_plane)
{
    const struct shape s = {2, {1, 4, 6}, {1, 1, 1}};
    float x[48] = {0}, y[2];
    int64_t places[2];
    x[2 * 6 + 3] = x[24 + 2 * 6 + 3] = 1;
    adaptive_max(&s, 2, x, y, places);
    cr_assert(places[0] == 15 && places[1] == 15 && y[0] == 1 && y[1] == 1);
}

/* Rising values show where each bin ends, falling ones where it begins. */
Test(unpool_properties, bins_begin_and_end_as_the_contract_says)
{
    static const struct {
        int in, out;
        int begin[5], end[5];
    } bins[] = {{5, 3, {0, 1, 3}, {2, 4, 5}},
                {3, 5, {0, 0, 1, 1, 2}, {1, 2, 2, 3, 3}},
                {7, 4, {0, 1, 3, 5}, {2, 4, 6, 7}}};
    for (int b = 0; b < 3; b++)
        for (int along = 0; along < 2; along++) { /* the width, the height */
            struct shape s = {1, {1, 1, 1}, {1, 1, 1}};
            float rising[7], falling[7], y[5];
            int64_t last[5], first[5];
            s.in[2 - along] = bins[b].in;
            s.out[2 - along] = bins[b].out;
            for (int i = 0; i < bins[b].in; i++) {
                rising[i] = (float)i;
                falling[i] = (float)-i;
            }
            adaptive_max(&s, 2, rising, y, last);
            adaptive_max(&s, 2, falling, y, first);
            for (int i = 0; i < bins[b].out; i++)
                cr_assert(first[i] == bins[b].begin[i] && last[i] + 1 == bins[b].end[i],
                          "bin %d of %d to %d: [%ld, %ld]", i, bins[b].in, bins[b].out,
                          (long)first[i], (long)last[i]);
        }
}

Test(unpool_properties, first_of_equals_last_nan)
{
    const struct shape s = {4, {1, 2, 3}, {1, 1, 1}};
    float x[] = {1,         2,         2,         2,         0, 2, NAN, 5, 1, 2,     NAN, INFINITY,
                 -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0, 0, 3,   0, 0, -0.0f, 3,   1};
    x[16] = x[17] = -INFINITY;
    float y[4];
    int64_t places[4];
    adaptive_max(&s, 2, x, y, places);
    cr_assert(y[0] == 2 && places[0] == 1);
    cr_assert(isnan(y[1]) && places[1] == 4);
    cr_assert(y[2] == -INFINITY && places[2] == 0);
    cr_assert(y[3] == 3 && places[3] == 0);
}

Test(unpool_properties, of_equal_indices_the_last_value_stays)
{
    const struct shape s = {2, {1, 2, 3}, {1, 2, 2}};
    float y[] = {1, 2, 3, 4, 5, 6, 7, 8}, x[12];
    int64_t places[] = {5, 0, 5, 2, 1, 1, 1, 1};
    const float want[] = {2, 0, 4, 0, 0, 3, 0, 8, 0, 0, 0, 0};
    unpool(&s, y, places, x, false);
    for (int i = 0; i < 12; i++)
        cr_assert_eq(x[i], want[i], "element %d: %g", i, (double)x[i]);
    unpool(&s, y, places, x, true);
    const float back[] = {3, 2, 3, 4, 8, 8, 8, 8};
    for (int i = 0; i < 8; i++)
        cr_assert_eq(y[i], back[i], "element %d: %g", i, (double)y[i]);
}

/* ---- forward and backward ---- */

enum { MOST = 4096 };

static float large[MOST], other[MOST], small[MOST], result[MOST];
static int64_t places[MOST];

static struct shape random_shape(struct random *random, int axes)
{
    struct shape s = {random_between(random, 1, 3), {1, 1, 1}, {1, 1, 1}};
    for (int i = AXES - axes; i < AXES; i++) {
        s.in[i] = random_between(random, 1, axes == 2 ? 30 : 10);
        s.out[i] = random_between(random, 1, axes == 2 ? 30 : 10);
    }
    return s;
}

static int64_t cells(const int64_t *extents)
{
    return extents[0] * extents[1] * extents[2];
}

static void randomize(float *values, int64_t count, struct random *random)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)random_between(random, -100, 100);
}

static double product(const float *a, const float *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Where x is the greatest of its bin, so is x + t v for small t: the derivative of the maxima along
 * v is v at their places, and <dy, that> = <backward(dy), v>. The indices tell the maxima. */
static void check_adaptive(int axes, struct random *random)
{
    const struct shape s = random_shape(random, axes);
    const int64_t in = s.planes * cells(s.in), out = s.planes * cells(s.out);
    double forward = 0;
    randomize(large, in, random);
    randomize(other, in, random);
    adaptive_max(&s, axes, large, small, places);
    for (int64_t i = 0; i < out; i++)
        cr_assert_eq(small[i], large[i / cells(s.out) * cells(s.in) + places[i]]);
    randomize(small, out, random);
    for (int64_t i = 0; i < out; i++)
        forward += (double)small[i] * (double)other[i / cells(s.out) * cells(s.in) + places[i]];
    adaptive_max_backward(&s, axes, small, places, result);
    cr_assert_eq(forward, product(result, other, in), "(%ld, %ld, %ld) to (%ld, %ld, %ld)",
                 (long)s.in[0], (long)s.in[1], (long)s.in[2], (long)s.out[0], (long)s.out[1],
                 (long)s.out[2]);
}

Test(unpool_properties, adaptive_maxima_and_their_gradient_are_adjoint)
{
    struct random random = {random_test_seed()};
    for (int64_t i = 0; i < random_test_count(500); i++) {
        check_adaptive(2, &random);
        check_adaptive(3, &random);
    }
}

/* For indices that are all different: <unpool(y), x> = <y, backward(x)>. */
Test(unpool_properties, unpooling_and_its_gradient_are_adjoint)
{
    struct random random = {random_test_seed()};
    for (int64_t i = 0; i < random_test_count(500); i++) {
        struct shape s = random_shape(&random, 2);
        for (int axis = 1; axis < AXES; axis++)
            if (s.out[axis] > s.in[axis]) s.out[axis] = s.in[axis];
        const int64_t in = cells(s.in), out = cells(s.out);
        const int64_t step = random_between(&random, 1, in / out),
                      shift = random_below(&random, in);
        for (int64_t j = 0; j < s.planes * out; j++)
            places[j] = (j % out * step + shift) % in;
        randomize(small, s.planes * out, &random);
        randomize(other, s.planes * in, &random);
        unpool(&s, small, places, large, false);
        const double forward = product(large, other, s.planes * in);
        unpool(&s, result, places, other, true);
        cr_assert_eq(forward, product(small, result, s.planes * out));
    }
}

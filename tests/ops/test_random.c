/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers as samples: known answers of Philox, moments, Kolmogorov and Smirnov's distance,
 * chi-square; other seeds and offsets give other numbers. Seeds are fixed: a test cannot fail by
 * chance. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_randperm.h"
#include "aclnnop/aclnn_sim_thread_exponential.h"
#include "aclnnop/aclnn_uniform.h"
#include "tests/support/oracle_random.h"

enum { COUNT = 100000 };

/* Kolmogorov's 99.9 % quantile. */
static const double distance_most = 1.95;

static aclrtStream stream;
static double values[COUNT];
static uint64_t size;
static aclOpExecutor *executor;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

static void end(void)
{
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}

TestSuite(random, .init = begin, .fini = end);

static aclTensor *tensor_of(void *data, aclDataType type, int64_t count)
{
    aclTensor *tensor = aclCreateTensor(&count, 1, type, NULL, 0, ACL_FORMAT_ND, &count, 1, data);
    cr_assert_not_null(tensor);
    return tensor;
}

static void launch(aclnnStatus phase1,
                   aclnnStatus (*phase2)(void *, uint64_t, aclOpExecutor *, aclrtStream))
{
    cr_assert_eq(phase1, ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(phase2(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(workspace);
}

/* The tensor of COUNT doubles that the tests fill. */
static aclTensor *self;

static void fill_uniform(double from, double to, uint64_t seed, uint64_t offset)
{
    self = tensor_of(values, ACL_DOUBLE, COUNT);
    launch(aclnnInplaceUniformGetWorkspaceSize(self, from, to, seed, offset, &size, &executor),
           aclnnInplaceUniform);
    aclDestroyTensor(self);
}

/* Moments of the sample: mean, variance, third and fourth of the normalised one. */
static void check_moments(const double want[4])
{
    double mean = 0, central[5] = {0};
    for (int i = 0; i < COUNT; i++)
        mean += values[i] / COUNT;
    for (int i = 0; i < COUNT; i++)
        for (int k = 2; k <= 4; k++)
            central[k] += pow(values[i] - mean, k) / COUNT;
    const double deviation = sqrt(central[2]), root = sqrt(COUNT);
    cr_expect_lt(fabs(mean - want[0]), 4 * sqrt(want[1]) / root, "mean %g", mean);
    cr_expect_lt(fabs(central[2] / want[1] - 1), 4 * sqrt(want[3] - 1) / root, "variance %g",
                 central[2]);
    cr_expect_lt(fabs(central[3] / pow(deviation, 3) - want[2]), 40 / root);
    cr_expect_lt(fabs(central[4] / pow(deviation, 4) - want[3]), 150 / root);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void check_distance(double (*distribution)(double x))
{
    double most = 0;
    qsort(values, COUNT, sizeof *values, compare);
    for (int i = 0; i < COUNT; i++) {
        const double p = distribution(values[i]);
        most = fmax(most, fmax(p - (double)i / COUNT, (i + 1.0) / COUNT - p));
    }
    cr_expect_lt(most * sqrt(COUNT), distance_most, "%g", most * sqrt(COUNT));
}

/* 4 deviations above the mean of chi-square. */
static void check_counts(const int64_t *counts, const double *want, int cells)
{
    double square = 0;
    for (int i = 0; i < cells; i++)
        square += pow((double)counts[i] - want[i], 2) / want[i];
    cr_expect_lt(square, cells - 1 + 4 * sqrt(2.0 * (cells - 1)), "chi-square %g of %d cells",
                 square, cells);
}

/* Of Random123's kat_vectors. */
Test(random, known_answers)
{
    static const struct {
        struct philox_block counter;
        uint64_t key;
        struct philox_block want;
    } answers[] = {
        {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{~0u, ~0u, ~0u, ~0u}}, ~0ull, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         0x299f31d0a4093822,
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (int i = 0; i < 3; i++) {
        const struct philox_block got = oracle_philox(answers[i].counter, answers[i].key);
        cr_expect_eq(memcmp(&got, &answers[i].want, sizeof got), 0, "vector %d", i);
    }
    /* The library's own: the high halves of the first block. */
    int64_t two[2];
    aclTensor *tensor = tensor_of(two, ACL_INT64, 2);
    launch(aclnnInplaceRandomGetWorkspaceSize(tensor, 0, INT64_C(1) << 32, 0, 0, &size, &executor),
           aclnnInplaceRandom);
    cr_expect_eq(two[0], 0xe169c58d);
    cr_expect_eq(two[1], 0x9b00dbd8);
    aclDestroyTensor(tensor);
}

static double uniform_at(double x)
{
    return (x + 3) / 8;
}

Test(random, uniform)
{
    fill_uniform(-3, 5, 7, 0);
    for (int i = 0; i < COUNT; i++)
        cr_assert(values[i] >= -3 && values[i] < 5);
    check_moments((const double[]){1, 64.0 / 12, 0, 1.8});
    check_distance(uniform_at);
}

static double normal_at(double x)
{
    return erfc(-(x - 2) / 3 / sqrt(2)) / 2;
}

Test(random, normal)
{
    self = tensor_of(values, ACL_DOUBLE, COUNT);
    launch(aclnnInplaceNormalGetWorkspaceSize(self, 2, 3, 7, 4, &size, &executor),
           aclnnInplaceNormal);
    aclDestroyTensor(self);
    check_moments((const double[]){2, 9, 0, 3});
    check_distance(normal_at);
}

static double exponential_at(double x)
{
    return -expm1(-2 * x);
}

Test(random, exponential)
{
    self = tensor_of(values, ACL_DOUBLE, COUNT);
    launch(aclnnSimThreadExponentialGetWorkspaceSize(self, COUNT, 2, 7, 8, &size, &executor),
           aclnnSimThreadExponential);
    aclDestroyTensor(self);
    check_distance(exponential_at);
}

Test(random, whole_numbers)
{
    int64_t counts[14] = {0};
    double want[14];
    self = tensor_of(values, ACL_DOUBLE, COUNT);
    launch(aclnnInplaceRandomGetWorkspaceSize(self, -5, 9, 3, 0, &size, &executor),
           aclnnInplaceRandom);
    aclDestroyTensor(self);
    for (int i = 0; i < COUNT; i++) {
        cr_assert(values[i] >= -5 && values[i] < 9 && values[i] == floor(values[i]));
        counts[(int)values[i] + 5]++;
    }
    for (int i = 0; i < 14; i++)
        want[i] = COUNT / 14.0;
    check_counts(counts, want, 14);
}

/* Places by weight; a place of weight 0 is never drawn. */
Test(random, draws)
{
    static const double shares[] = {1.0 / 8, 3.0 / 8, 1.0 / 2};
    double weights[4] = {1, 3, 0, 4}, want[3];
    static int64_t places[COUNT];
    int64_t counts[3] = {0};
    aclTensor *from = tensor_of(weights, ACL_DOUBLE, 4), *to = tensor_of(places, ACL_INT64, COUNT);
    launch(aclnnMultinomialGetWorkspaceSize(from, COUNT, true, 3, 0, to, &size, &executor),
           aclnnMultinomial);
    for (int i = 0; i < COUNT; i++) {
        cr_assert(places[i] >= 0 && places[i] < 4 && places[i] != 2);
        counts[places[i] < 2 ? places[i] : 2]++;
    }
    for (int i = 0; i < 3; i++)
        want[i] = COUNT * shares[i];
    check_counts(counts, want, 3);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
}

/* Without replacement the first draw has the same shares, and no place comes twice. */
Test(random, draws_without_replacement)
{
    enum { ROWS = 4000 };
    static double weights[ROWS * 3];
    static int64_t places[ROWS * 2];
    int64_t counts[3] = {0}, sizes[] = {ROWS, 3}, drawn[] = {ROWS, 2};
    for (int i = 0; i < ROWS * 3; i++)
        weights[i] = 1 + i % 3;
    aclTensor *from =
        aclCreateTensor(sizes, 2, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, sizes, 2, weights);
    aclTensor *to = aclCreateTensor(drawn, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, drawn, 2, places);
    launch(aclnnMultinomialGetWorkspaceSize(from, 2, false, 3, 0, to, &size, &executor),
           aclnnMultinomial);
    for (int i = 0; i < ROWS; i++) {
        cr_assert_neq(places[2 * i], places[2 * i + 1]);
        counts[places[2 * i]]++;
    }
    check_counts(counts, (const double[]){ROWS / 6.0, ROWS / 3.0, ROWS / 2.0}, 3);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
}

/* A draw from two rows of three, one of them with a fault. */
struct fault {
    double weights[6];
    const char *text[2]; /* without replacement and with it; NULL: none */
};

static void check_fault(const struct fault *fault, bool replaces, aclDataType type)
{
    const int64_t sizes[] = {2, 3}, drawn[] = {2, 2};
    int64_t places[4] = {-1, -1, -1, -1};
    float single[6];
    for (int i = 0; i < 6; i++)
        single[i] = (float)fault->weights[i];
    void *data = type == ACL_FLOAT ? (void *)single : (void *)fault->weights;
    aclTensor *from = aclCreateTensor(sizes, 2, type, NULL, 0, ACL_FORMAT_ND, sizes, 2, data);
    aclTensor *to = aclCreateTensor(drawn, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, drawn, 2, places);
    cr_assert_eq(aclnnMultinomialGetWorkspaceSize(from, 2, replaces, 3, 0, to, &size, &executor),
                 ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(aclnnMultinomial(workspace, size, executor, stream), ACL_SUCCESS);
    const char *text = fault->text[replaces];
    aclGetRecentErrMsg();
    cr_expect_eq(aclrtSynchronizeStream(stream),
                 text ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_SUCCESS);
    const char *told = aclGetRecentErrMsg();
    if (text)
        cr_expect(told && strstr(told, "aclnnMultinomial") && strstr(told, text),
                  "no \"%s\" in: %s", text, told ? told : "nothing");
    for (int i = 0; i < 4; i++)
        cr_expect(places[i] >= 0 && places[i] < 3, "%d is %d", i, (int)places[i]);
    free(workspace);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
    aclrtDestroyStream(stream); /* its error stays */
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

#define BOTH(sentence)                                                                             \
    {                                                                                              \
        sentence, sentence                                                                         \
    }

Test(random, draws_from_no_weights_are_errors_of_the_stream)
{
    const char *const no_sum = "row 1 of self has no sum to draw by; it must be finite and above 0";
    const struct fault faults[] = {
        {{1, 2, 3, 4, -1, 5},
         BOTH("element 1 of row 1 of self is -1; a weight must be finite and not negative")},
        {{1, NAN, 3, 4, -1, 5}, BOTH("element 1 of row 0 of self is nan; a weight must be")},
        {{1, 2, INFINITY, 4, 1, 5}, BOTH("element 2 of row 0 of self is inf; a weight must be")},
        {{1, 2, 3, 4, 1, -INFINITY}, BOTH("element 2 of row 1 of self is -inf; a weight must be")},
        {{1, 2, 3, 0, 0, 0}, BOTH(no_sum)},
        {{1, 2, 3, 0, -0.0, 0}, BOTH(no_sum)},
        {{1, 2, 3, 0, 1e-40, 0}, BOTH(NULL)},
        {{1, 0, 3, 0, 1, 2}, BOTH(NULL)},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        for (int way = 0; way < 4; way++)
            check_fault(&faults[i], way % 2 != 0, way / 2 ? ACL_FLOAT : ACL_DOUBLE);
    /* Only running sums add them up. */
    check_fault(&(struct fault){{1, 2, 3, 1e308, 1e308, 1}, {NULL, no_sum}}, false, ACL_DOUBLE);
    check_fault(&(struct fault){{1, 2, 3, 1e308, 1e308, 1}, {NULL, no_sum}}, true, ACL_DOUBLE);
}

/* The lowest fault of a row that is longer than a tile is told. */
Test(random, draws_from_a_long_row_with_a_fault)
{
    enum { LONG = 5000 };
    for (int way = 0; way < 2; way++) {
        int64_t place = -1;
        for (int i = 0; i < LONG; i++)
            values[i] = 1;
        values[4321] = -2;
        values[4900] = NAN;
        aclTensor *from = tensor_of(values, ACL_DOUBLE, LONG),
                  *to = tensor_of(&place, ACL_INT64, 1);
        cr_assert_eq(
            aclnnMultinomialGetWorkspaceSize(from, 1, way == 1, 3, 0, to, &size, &executor),
            ACL_SUCCESS);
        void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
        cr_assert_eq(aclnnMultinomial(workspace, size, executor, stream), ACL_SUCCESS);
        cr_expect_eq(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
        const char *told = aclGetRecentErrMsg();
        cr_expect(told && strstr(told, "element 4321 of row 0 of self is -2"), "%s", told);
        cr_expect(place >= 0 && place < LONG);
        free(workspace);
        aclDestroyTensor(from);
        aclDestroyTensor(to);
        aclrtDestroyStream(stream);
        cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    }
}

/* Each number once; the first one is any. */
Test(random, permutations)
{
    enum { N = 10 };
    int64_t places[N], counts[N] = {0};
    double want[N];
    aclTensor *tensor = tensor_of(places, ACL_INT64, N);
    for (int seed = 0; seed < 3000; seed++) {
        unsigned seen = 0;
        launch(aclnnRandpermGetWorkspaceSize(N, seed, 0, tensor, &size, &executor), aclnnRandperm);
        for (int i = 0; i < N; i++)
            seen |= 1u << places[i];
        cr_assert_eq(seen, (1u << N) - 1);
        counts[places[0]]++;
    }
    for (int i = 0; i < N; i++)
        want[i] = 300;
    check_counts(counts, want, N);
    aclDestroyTensor(tensor);
}

Test(random, other_seeds_and_offsets)
{
    static const uint64_t keys[][2] = {
        {1, 0}, {2, 0}, {1, 4}, {UINT64_C(1) << 32, 0}, {1, UINT64_C(1) << 32}};
    double first[5];
    for (int i = 0; i < 5; i++) {
        fill_uniform(0, 1, keys[i][0], keys[i][1]);
        first[i] = values[0];
        for (int j = 0; j < i; j++)
            cr_expect_neq(first[i], first[j], "%d and %d", i, j);
    }
    fill_uniform(0, 1, 1, 0);
    cr_expect_eq(values[0], first[0]);
}

Test(random, refusals)
{
    aclScalar *prob = aclCreateScalar(&(float){1.5F}, ACL_FLOAT);
    self = tensor_of(values, ACL_DOUBLE, COUNT);
    cr_expect_eq(aclnnInplaceUniformGetWorkspaceSize(self, 2, 1, 0, 0, &size, &executor), 161002);
    cr_expect_eq(aclnnInplaceNormalGetWorkspaceSize(self, 0, -1, 0, 0, &size, &executor), 161002);
    cr_expect_eq(aclnnInplaceRandomGetWorkspaceSize(self, 3, 3, 0, 0, &size, &executor), 161002);
    cr_expect_eq(aclnnInplaceBernoulliGetWorkspaceSize(self, prob, 0, 0, &size, &executor), 161002);
    cr_expect_eq(aclnnRandpermGetWorkspaceSize(5, 0, 0, self, &size, &executor), 161002);
    cr_expect_eq(aclnnSimThreadExponentialGetWorkspaceSize(self, COUNT, 0, 0, 0, &size, &executor),
                 161002);
    aclDestroyScalar(prob);
    aclDestroyTensor(self);
}

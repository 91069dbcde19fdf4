/* SPDX-License-Identifier: Apache-2.0 */
/* aclStft of complex signals and with complex results, against the definition in long double;
 * tests/support/oracle_fft.c has those of real numbers. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>

#include "acl/acl.h"
#include "aclnnop/acl_stft.h"
#include "tests/support/complex_calls.h"

enum { BATCH = 2, LENGTH = 41, POINTS = 14, HOP = 3, FRAMES = (LENGTH - POINTS) / HOP + 1 };
enum { BINS = POINTS / 2 + 1, MOST = 2 * BATCH * POINTS * FRAMES, INVALID = 161002 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(fft, .init = set_up, .fini = tear_down);

struct problem {
    bool is_wide, is_complex, returns_complex, is_one_sided, is_normalized;
    int window; /* elements of it; 0: there is none */
};

static double numbers_of_signal[2 * BATCH * LENGTH], numbers_of_window[2 * POINTS];
static float narrow_signal[2 * BATCH * LENGTH], narrow_window[2 * POINTS], narrow_out[MOST];
static double out[MOST];

static aclTensor *tensor(void *data, aclDataType type, int rank, const int64_t *sizes)
{
    int64_t strides[4], step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i];
    }
    return aclCreateTensor(sizes, (uint64_t)rank, type, strides, 0, ACL_FORMAT_ND, sizes,
                           (uint64_t)rank, data);
}

static aclDataType type_of(bool is_complex, bool is_wide)
{
    if (is_complex) return is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64;
    return is_wide ? ACL_DOUBLE : ACL_FLOAT;
}

static void fill(void)
{
    for (int i = 0; i < 2 * BATCH * LENGTH; i++)
        numbers_of_signal[i] = narrow_signal[i] = (float)sin(1.3 * i * i + 0.2);
    for (int i = 0; i < 2 * POINTS; i++)
        numbers_of_window[i] = narrow_window[i] = (float)cos(0.7 * i + 0.1);
    for (int i = 0; i < MOST; i++)
        out[i] = narrow_out[i] = NAN;
}

static number element(const double *numbers, int i, bool is_complex)
{
    return is_complex ? number_of(numbers[2 * i], numbers[2 * i + 1]) : number_of(numbers[i], 0);
}

static number wanted(const struct problem *p, int batch, int bin, int frame)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    const int width = p->window > 0 ? p->window : POINTS, left = (POINTS - width) / 2;
    number sum = 0;
    for (int j = left; j < left + width; j++) {
        const number x =
            element(numbers_of_signal, batch * LENGTH + frame * HOP + j, p->is_complex);
        const number w = p->window > 0 ? element(numbers_of_window, j - left, p->is_complex) : 1;
        const long double angle = -2 * pi * (long double)(j * bin) / POINTS;
        sum += x * w * number_of(cosl(angle), sinl(angle));
    }
    return p->is_normalized ? sum / sqrtl(POINTS) : sum;
}

static aclnnStatus run(const struct problem *p)
{
    const int bins = p->is_one_sided ? BINS : POINTS;
    const int64_t sizes[] = {BATCH, LENGTH}, width = p->window,
                  results[] = {BATCH, bins, FRAMES, 2};
    const aclDataType type = type_of(p->is_complex, p->is_wide);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *self =
        tensor(p->is_wide ? (void *)numbers_of_signal : narrow_signal, type, 2, sizes);
    aclTensor *window =
        p->window == 0
            ? NULL
            : tensor(p->is_wide ? (void *)numbers_of_window : narrow_window, type, 1, &width);
    aclTensor *to =
        tensor(p->is_wide ? (void *)out : narrow_out, type_of(p->returns_complex, p->is_wide),
               p->returns_complex ? 3 : 4, results);
    const aclnnStatus status = aclStftGetWorkspaceSize(
        self, window, to, POINTS, HOP, p->window > 0 ? p->window : POINTS, p->is_normalized,
        p->is_one_sided, p->returns_complex, &size, &executor);
    if (status == ACL_SUCCESS) complex_finish("aclStft", status, size, executor, aclStft);
    aclDestroyTensor(self);
    aclDestroyTensor(window);
    aclDestroyTensor(to);
    return status;
}

/* The error of a result is one of the sum of the terms' magnitudes. */
static void check(const struct problem *p)
{
    const int bins = p->is_one_sided ? BINS : POINTS;
    const long double bound = p->is_wide ? 0x1p-45L : 0x1p-21L;
    fill();
    cr_assert_eq(run(p), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    for (int i = 0; i < BATCH * bins * FRAMES; i++) {
        const number want = wanted(p, i / (bins * FRAMES), i / FRAMES % bins, i % FRAMES);
        const long double re =
            p->is_wide ? (long double)out[2 * i] : (long double)narrow_out[2 * i];
        const long double im =
            p->is_wide ? (long double)out[2 * i + 1] : (long double)narrow_out[2 * i + 1];
        cr_assert(fabsl(re - creall(want)) <= bound * POINTS &&
                      fabsl(im - cimagl(want)) <= bound * POINTS,
                  "wide %d complex %d returns %d: %d is %Lg, %Lg, not %Lg, %Lg", p->is_wide,
                  p->is_complex, p->returns_complex, i, re, im, creall(want), cimagl(want));
    }
}

Test(fft, windows_of_complex_signals_and_complex_results)
{
    static const int windows[] = {0, 1, 7, POINTS};
    for (int i = 0; i < 32 * 4; i++) {
        const struct problem p = {.is_wide = i & 1,
                                  .is_complex = i >> 1 & 1,
                                  .returns_complex = i >> 2 & 1,
                                  .is_one_sided = !(i >> 1 & 1) && (i >> 3 & 1),
                                  .is_normalized = i >> 4 & 1,
                                  .window = windows[i >> 5]};
        check(&p);
    }
}

Test(fft, half_of_a_complex_signals_results_is_refused)
{
    const struct problem p = {.is_complex = true, .is_one_sided = true, .returns_complex = true};
    fill();
    cr_assert_eq(run(&p), INVALID);
    cr_assert(strstr(aclGetRecentErrMsg(), "onesided"), "%s", aclGetRecentErrMsg());
}

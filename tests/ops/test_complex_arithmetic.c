/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic and functions of complex numbers against C's own in long double, and against the
 * definitions where those differ: all mixtures of types, layouts, in place, special values. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_complex.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_masked_fill_tensor.h"
#include "aclnnop/aclnn_polar.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_s_where.h"
#include "tests/support/complex_calls.h"

enum { INVALID = 161002, SIZE = 2048, RANK = 8 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(complex_arithmetic, .init = set_up, .fini = tear_down);

/* ---- tensors ---- */

struct view {
    aclDataType type;
    int rank;
    int64_t sizes[RANK], strides[RANK], offset;
    unsigned char *data;
    aclTensor *tensor;
};

static size_t size_of(aclDataType type)
{
    switch (type) {
    case ACL_COMPLEX128:
        return 16;
    case ACL_COMPLEX64:
    case ACL_DOUBLE:
        return 8;
    case ACL_BOOL:
        return 1;
    case ACL_FLOAT16:
        return 2;
    default:
        return 4;
    }
}

static number load(const struct view *view, int64_t at)
{
    const unsigned char *from = view->data + (size_t)at * size_of(view->type);
    float f[2] = {0};
    double d[2] = {0};
    int32_t i;
    memcpy(f, from, view->type == ACL_COMPLEX64 ? 8 : view->type == ACL_FLOAT ? 4 : 0);
    memcpy(d, from, view->type == ACL_COMPLEX128 ? 16 : view->type == ACL_DOUBLE ? 8 : 0);
    if (view->type == ACL_COMPLEX64 || view->type == ACL_FLOAT) return number_of(f[0], f[1]);
    if (view->type == ACL_COMPLEX128 || view->type == ACL_DOUBLE) return number_of(d[0], d[1]);
    if (view->type == ACL_BOOL) return *from;
    memcpy(&i, from, sizeof i);
    return i;
}

static void store(const struct view *view, int64_t at, double re, double im)
{
    unsigned char *to = view->data + (size_t)at * size_of(view->type);
    const float f[] = {(float)re, (float)im};
    const double d[] = {re, im};
    const int32_t i = isfinite(re) && fabs(re) < 100 ? (int32_t)re : 3;
    if (view->type == ACL_COMPLEX64 || view->type == ACL_FLOAT) memcpy(to, f, size_of(view->type));
    if (view->type == ACL_COMPLEX128 || view->type == ACL_DOUBLE)
        memcpy(to, d, size_of(view->type));
    if (view->type == ACL_INT32) memcpy(to, &i, sizeof i);
    if (view->type == ACL_BOOL) *to = re > 0;
}

/* The place of element i of a shape in a view that broadcasts to it. */
static int64_t place(const struct view *view, int64_t i, int rank, const int64_t *sizes)
{
    int64_t at = view->offset;
    for (int axis = rank - 1; axis >= 0; axis--) {
        const int own = axis - (rank - view->rank);
        if (own >= 0 && view->sizes[own] != 1) at += i % sizes[axis] * view->strides[own];
        i /= sizes[axis];
    }
    return at;
}

static int64_t count_of(int rank, const int64_t *sizes)
{
    int64_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= sizes[i];
    return count;
}

/* step: between elements of the last axis. */
static struct view make(unsigned char *data, aclDataType type, int rank, const int64_t *sizes,
                        int64_t step, int64_t offset)
{
    struct view view = {.type = type, .rank = rank, .offset = offset, .data = data};
    for (int i = rank - 1; i >= 0; i--) {
        view.sizes[i] = sizes[i];
        view.strides[i] = step;
        step *= sizes[i];
    }
    return view;
}

static void open_view(struct view *view)
{
    const int64_t storage = SIZE;
    view->tensor = aclCreateTensor(view->sizes, (uint64_t)view->rank, view->type, view->strides,
                                   view->offset, ACL_FORMAT_ND, &storage, 1, view->data);
    cr_assert_not_null(view->tensor);
}

/* ---- one problem ---- */

static unsigned char memory[3][16 * SIZE];

struct problem {
    const struct complex_call *call;
    aclDataType type[2], out; /* of the operands, of the result */
    int rank[2];
    int64_t sizes[2][RANK], step[2];
    bool is_special;
    const aclScalar *scalar;
    number value; /* the scalar's */
};

static unsigned draws;

static double draw(bool is_special)
{
    static const double specials[] = {0.0, -0.0, 1, -2.5, INFINITY, -INFINITY, NAN};
    draws = draws * 1664525 + 1013904223;
    if (is_special && draws >> 30 != 0) return specials[(draws >> 8) % 7];
    return (double)(int32_t)draws * 0x1p-29;
}

static void fill(const struct view *view, bool is_special)
{
    for (int64_t i = 0; i < SIZE; i++)
        store(view, i, draw(is_special), draw(is_special));
}

static bool is_complex(aclDataType type)
{
    return type == ACL_COMPLEX64 || type == ACL_COMPLEX128;
}

static double rounded(aclDataType out, long double value)
{
    return out == ACL_COMPLEX64 || out == ACL_FLOAT ? (double)(float)value : (double)value;
}

/* Both parts within the bound of the whole; infinite and NaN parts are met, without an error signs
 * of zeros as well. What is FLOAT is good to 2^-27 before it is rounded. */
static bool is_near(const struct complex_call *call, aclDataType out, number got, number want,
                    long double size)
{
    const bool is_wide = out == ACL_COMPLEX128 || out == ACL_DOUBLE;
    const long double unit = is_wide ? 0x1p-52L : 0x1p-23L;
    const long double bound = call->units == 0 ? 0 : (is_wide ? call->units : 0.07L) * unit;
    for (int part = 0; part < 2; part++) {
        const double a = (double)(part ? cimagl(got) : creall(got));
        const double b = rounded(out, part ? cimagl(want) : creall(want));
        if (isnan(a) && isnan(b)) continue;
        if (isinf(a) || isinf(b) || isnan(a) || isnan(b) || call->units == 0) {
            if (a != b || (!signbit(a) != !signbit(b) && call->result == OF_COMPLEX)) return false;
            continue;
        }
        const long double exact = part ? cimagl(want) : creall(want);
        if (fabsl((long double)a - exact) > bound * size + fabsl(exact) * unit / 2 + 0x1p-148L)
            return false;
    }
    return true;
}

static void check(const struct problem *p, const struct view *operand, const struct view *out,
                  const unsigned char *before)
{
    const int64_t count = count_of(out->rank, out->sizes);
    for (int64_t i = 0; i < count; i++) {
        number x[2] = {p->value, p->value};
        for (int j = 0; j < p->call->tensors; j++) {
            struct view from = operand[j];
            if (p->call->is_in_place && j == 0) from.data = (unsigned char *)before;
            x[j] = load(&from, place(&from, i, out->rank, out->sizes));
        }
        if (p->call->tensors == 1 && p->call->is_scalar_first) x[1] = x[0], x[0] = p->value;
        const number got = load(out, place(out, i, out->rank, out->sizes));
        const number want = p->call->form(x);
        long double size = cabsl(want);
        if (p->call->is_sum) size = cabsl(x[0]) + 4 * cabsl(x[1]);
        cr_assert(is_near(p->call, p->out, got, want, size),
                  "%s of types %d, %d to %d, element %ld: (%La, %La), (%La, %La): (%La, %La), not "
                  "(%La, %La)",
                  p->call->name, (int)p->type[0], (int)p->type[1], (int)p->out, (long)i,
                  creall(x[0]), cimagl(x[0]), creall(x[1]), cimagl(x[1]), creall(got), cimagl(got),
                  creall(want), cimagl(want));
    }
}

static void run(const struct problem *p)
{
    static unsigned char before[16 * SIZE];
    struct view operand[2];
    int64_t sizes[RANK];
    const int rank = p->call->tensors == 2 && p->rank[1] > p->rank[0] ? p->rank[1] : p->rank[0];
    for (int i = 0; i < 2; i++) {
        operand[i] = make(memory[i], p->type[i], p->rank[i], p->sizes[i], p->step[i], i);
        fill(&operand[i], p->is_special);
        open_view(&operand[i]);
    }
    for (int i = 1; i <= rank; i++) {
        const int64_t a = i <= p->rank[0] ? p->sizes[0][p->rank[0] - i] : 1;
        const int64_t b =
            i <= p->rank[1] && p->call->tensors == 2 ? p->sizes[1][p->rank[1] - i] : 1;
        sizes[rank - i] = a == 1 ? b : a;
    }
    struct view out = make(memory[2], p->out, rank, sizes, p->step[0], 1);
    if (p->call->is_in_place) out = operand[0];
    open_view(&out);
    memcpy(before, memory[0], sizeof before);
    complex_run(p->call, operand[0].tensor, operand[1].tensor, p->scalar, out.tensor);
    check(p, operand, &out, before);
    aclDestroyTensor(operand[0].tensor);
    aclDestroyTensor(operand[1].tensor);
    aclDestroyTensor(out.tensor);
}

/* ---- problems ---- */

static aclDataType wider(aclDataType a, aclDataType b)
{
    const bool is_wide =
        a == ACL_COMPLEX128 || a == ACL_DOUBLE || b == ACL_COMPLEX128 || b == ACL_DOUBLE;
    return is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64;
}

static aclDataType result_of(const struct complex_call *call, aclDataType computed)
{
    if (call->result == OF_TRUTHS) return ACL_BOOL;
    if (call->result == OF_COMPLEX || call->is_in_place) return computed;
    return computed == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
}

/* The i-th of some layouts of operands and result. */
static void lay_out(struct problem *p, int i)
{
    static const struct {
        int rank[2];
        int64_t sizes[2][RANK], step[2];
    } layouts[] = {
        {{1, 1}, {{1300}, {1300}}, {1, 1}},
        {{2, 1}, {{5, 33}, {33}}, {1, 2}},
        {{3, 2}, {{4, 3, 17}, {3, 1}}, {3, 1}},
        {{0, 0}, {{0}, {0}}, {1, 1}},
        {{8, 2}, {{2, 1, 3, 1, 2, 1, 2, 5}, {2, 5}}, {1, 1}},
        {{2, 1}, {{0, 3}, {3}}, {1, 1}},
    };
    i %= (int)(sizeof layouts / sizeof layouts[0]);
    memcpy(p->rank, layouts[i].rank, sizeof p->rank);
    memcpy(p->sizes, layouts[i].sizes, sizeof p->sizes);
    memcpy(p->step, layouts[i].step, sizeof p->step);
}

static void check_types(const struct complex_call *call, int round, bool is_special)
{
    static const aclDataType pairs[][2] = {
        {ACL_COMPLEX64, ACL_COMPLEX64},  {ACL_COMPLEX128, ACL_COMPLEX128},
        {ACL_COMPLEX64, ACL_FLOAT},      {ACL_FLOAT, ACL_COMPLEX64},
        {ACL_COMPLEX128, ACL_COMPLEX64}, {ACL_COMPLEX64, ACL_INT32},
        {ACL_COMPLEX64, ACL_COMPLEX128}, {ACL_COMPLEX128, ACL_FLOAT},
    };
    double value[] = {1.5, -0.75};
    float single = 2.5F;
    for (int i = 0; i < (call->tensors == 2 ? 8 : 2); i++) {
        struct problem p = {.call = call, .is_special = is_special};
        memcpy(p.type, pairs[i], sizeof p.type);
        if (call->is_in_place && !is_complex(p.type[0])) continue;
        const aclDataType type = call->tensors == 2 ? wider(p.type[0], p.type[1]) : p.type[0];
        p.out = call->is_in_place ? p.type[0] : result_of(call, type);
        if (call->is_in_place && type != p.type[0]) continue;
        const bool is_real = (i + round) % 2;
        p.value = is_real ? (number)single : number_of(value[0], value[1]);
        p.scalar =
            is_real ? aclCreateScalar(&single, ACL_FLOAT) : aclCreateScalar(value, ACL_COMPLEX128);
        lay_out(&p, i + round);
        run(&p);
        aclDestroyScalar(p.scalar);
    }
}

Test(complex_arithmetic, values)
{
    for (int i = 0; i < complex_call_count; i++)
        for (int round = 0; round < 6; round++)
            check_types(&complex_calls[i], round, false);
}

Test(complex_arithmetic, special_values)
{
    for (int i = 0; i < complex_call_count; i++)
        check_types(&complex_calls[i], 0, true);
}

/* ---- calls of other forms ---- */

static struct view opened(int i, aclDataType type, int64_t count, int64_t step, int64_t offset)
{
    struct view view = make(memory[i], type, 1, &count, step, offset);
    open_view(&view);
    return view;
}

static void close_view(struct view *view)
{
    aclDestroyTensor(view->tensor);
}

static bool is_same(number a, number b)
{
    return creall(a) == creall(b) && cimagl(a) == cimagl(b);
}

enum { COUNT = 700 };

static void check_choices(aclDataType type, aclDataType other_type)
{
    static unsigned char flags[16 * SIZE], had[16 * SIZE];
    double value[] = {3, -4};
    const aclScalar *scalar = aclCreateScalar(value, ACL_COMPLEX128);
    struct view self = opened(0, type, COUNT, 2, 1), other = opened(1, other_type, COUNT, 1, 0);
    struct view out = opened(2, type, COUNT, 1, 3),
                mask = make(flags, ACL_BOOL, 1, self.sizes, 1, 0);
    struct view one = opened(1, other_type, 1, 1, 7), before = self;
    before.data = had;
    open_view(&mask);
    fill(&self, false);
    fill(&other, false);
    fill(&mask, false);
    PLANNED(aclnnSWhere, mask.tensor, self.tensor, other.tensor, out.tensor);
    for (int i = 0; i < COUNT; i++)
        cr_assert(is_same(load(&out, i + 3), flags[i] ? load(&self, 2 * i + 1) : load(&other, i)));
    memcpy(had, memory[0], sizeof had);
    PLANNED(aclnnInplaceMaskedFillScalar, self.tensor, mask.tensor, scalar);
    for (int i = 0; i < COUNT; i++)
        cr_assert(is_same(load(&self, 2 * i + 1),
                          flags[i] ? number_of(3, -4) : load(&before, 2 * i + 1)));
    memcpy(had, memory[0], sizeof had);
    PLANNED(aclnnInplaceMaskedFillTensor, self.tensor, mask.tensor, one.tensor);
    for (int i = 0; i < COUNT; i++)
        cr_assert(
            is_same(load(&self, 2 * i + 1), flags[i] ? load(&other, 7) : load(&before, 2 * i + 1)));
    aclDestroyScalar(scalar);
    close_view(&self);
    close_view(&other);
    close_view(&out);
    close_view(&mask);
    close_view(&one);
}

Test(complex_arithmetic, choices)
{
    check_choices(ACL_COMPLEX64, ACL_COMPLEX64);
    check_choices(ACL_COMPLEX128, ACL_COMPLEX128);
    check_choices(ACL_COMPLEX128, ACL_FLOAT);
}

/* Parts, magnitudes and angles of both types, and an angle that broadcasts. */
Test(complex_arithmetic, complex_of_real_numbers)
{
    for (int wide = 0; wide < 2; wide++) {
        const aclDataType type = wide ? ACL_DOUBLE : ACL_FLOAT;
        const long double unit = wide ? 0x1p-52L : 0x1p-24L;
        struct view first = opened(0, type, COUNT, 2, 1), second = opened(1, type, COUNT, 1, 0);
        struct view one = opened(1, type, 1, 1, 5);
        struct view out = opened(2, wide ? ACL_COMPLEX128 : ACL_COMPLEX64, COUNT, 1, 1);
        fill(&first, true);
        fill(&second, false);
        PLANNED(aclnnComplex, first.tensor, second.tensor, out.tensor);
        for (int i = 0; i < COUNT; i++) {
            const long double re = creall(load(&first, 2 * i + 1)), got = creall(load(&out, i + 1));
            cr_assert((isnan(re) && isnan(got)) || (re == got && !signbit(re) == !signbit(got)));
            cr_assert(cimagl(load(&out, i + 1)) == creall(load(&second, i)));
        }
        fill(&first, false);
        PLANNED(aclnnPolar, first.tensor, one.tensor, out.tensor);
        for (int i = 0; i < COUNT; i++) {
            const long double size = creall(load(&first, 2 * i + 1)), a = creall(load(&second, 5));
            const number got = load(&out, i + 1);
            cr_assert(fabsl(creall(got) - size * cosl(a)) <= 1.5L * unit * fabsl(size));
            cr_assert(fabsl(cimagl(got) - size * sinl(a)) <= 1.5L * unit * fabsl(size));
        }
        close_view(&first);
        close_view(&second);
        close_view(&one);
        close_view(&out);
    }
}

/* Squares, roots and reciprocals, which are not by logarithms: exact where the result is. */
Test(complex_arithmetic, powers_of_some_exponents)
{
    static const struct {
        float exponent, want[2];
    } powers[] = {{2, {-7, 24}}, {0.5F, {2, 1}}, {-1, {0.12F, -0.16F}}, {0, {1, 0}}};
    float value[] = {3, 4};
    for (int i = 0; i < 4; i++) {
        float exponent = powers[i].exponent;
        const aclScalar *scalar = aclCreateScalar(&exponent, ACL_FLOAT);
        struct view self = opened(0, ACL_COMPLEX64, 1, 1, 0),
                    out = opened(1, ACL_COMPLEX64, 1, 1, 0);
        memcpy(memory[0], value, sizeof value);
        PLANNED(aclnnPowTensorScalar, self.tensor, scalar, out.tensor);
        const number want = number_of(powers[i].want[0], powers[i].want[1]);
        cr_assert(is_same(load(&out, 0), want), "to the power of %g", (double)exponent);
        aclDestroyScalar(scalar);
        close_view(&self);
        close_view(&out);
    }
}

/* A result that lies over its operand, shifted by an element, and one over an operand's parts. */
Test(complex_arithmetic, overlaps)
{
    static unsigned char had[16 * SIZE];
    double value[] = {1, 0};
    const aclScalar *alpha = aclCreateScalar(value, ACL_COMPLEX128);
    struct view self = opened(0, ACL_COMPLEX64, COUNT, 1, 0),
                out = opened(0, ACL_COMPLEX64, COUNT, 1, 1);
    struct view parts = opened(0, ACL_FLOAT, COUNT, 2, 1), before = self, real = parts;
    before.data = real.data = had;
    fill(&self, false);
    memcpy(had, memory[0], sizeof had);
    PLANNED(aclnnAdd, self.tensor, parts.tensor, alpha, out.tensor);
    for (int i = 0; i < COUNT; i++)
        cr_assert(is_same(load(&out, i + 1),
                          (float complex)(load(&before, i) + creall(load(&real, 2 * i + 1)))));
    fill(&self, false);
    memcpy(had, memory[0], sizeof had);
    PLANNED(aclnnInplaceAdd, self.tensor, parts.tensor, alpha);
    for (int i = 0; i < COUNT; i++)
        cr_assert(is_same(load(&self, i),
                          (float complex)(load(&before, i) + creall(load(&real, 2 * i + 1)))));
    aclDestroyScalar(alpha);
    close_view(&self);
    close_view(&out);
    close_view(&parts);
}

/* ---- refusals ---- */

static void refuses(aclnnStatus status, const char *text)
{
    const char *told = aclGetRecentErrMsg();
    cr_expect_eq(status, INVALID, "%d instead of: %s", status, text);
    cr_expect(told && strstr(told, text), "%s instead of: %s", told, text);
}

Test(complex_arithmetic, refusals)
{
    double value[] = {1, 2};
    uint64_t size;
    aclOpExecutor *e;
    const aclScalar *scalar = aclCreateScalar(value, ACL_COMPLEX128);
    struct view z = opened(0, ACL_COMPLEX64, 4, 1, 0), x = opened(1, ACL_FLOAT, 4, 1, 0);
    struct view wide = opened(2, ACL_COMPLEX128, 4, 1, 0), truth = opened(2, ACL_BOOL, 4, 1, 0);
    refuses(aclnnLtScalarGetWorkspaceSize(z.tensor, scalar, truth.tensor, &size, &e), "COMPLEX64");
    refuses(aclnnLtScalarGetWorkspaceSize(x.tensor, scalar, truth.tensor, &size, &e),
            "other's data type is COMPLEX128; the result must not be complex");
    refuses(aclnnFloorDividesGetWorkspaceSize(x.tensor, scalar, z.tensor, &size, &e),
            "the result must not be complex");
    refuses(aclnnAddGetWorkspaceSize(z.tensor, x.tensor, scalar, x.tensor, &size, &e),
            "out's data type is FLOAT; the result's is COMPLEX64");
    refuses(aclnnAddGetWorkspaceSize(x.tensor, x.tensor, scalar, z.tensor, &size, &e),
            "alpha is of type COMPLEX128, which cannot be cast to FLOAT");
    refuses(aclnnAbsGetWorkspaceSize(z.tensor, z.tensor, &size, &e),
            "out's data type is COMPLEX64; it must be FLOAT");
    refuses(aclnnDivModGetWorkspaceSize(z.tensor, z.tensor, 1, z.tensor, &size, &e),
            "mode is 1; of complex numbers it must be 0");
    refuses(aclnnComplexGetWorkspaceSize(x.tensor, x.tensor, wide.tensor, &size, &e),
            "out's data type is COMPLEX128; it must be COMPLEX64");
    refuses(aclnnPolarGetWorkspaceSize(x.tensor, z.tensor, z.tensor, &size, &e), "angle");
    aclDestroyScalar(scalar);
    close_view(&z);
    close_view(&x);
    close_view(&wide);
    close_view(&truth);
}

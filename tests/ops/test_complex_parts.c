/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that treat the parts of complex numbers as numbers of their own: moves, what is written
 * or added at places that indices name, gradients of edges. Their parts are what the same operator
 * makes of the parts, which the rows' tests hold to the oracle. And products, which have parts that
 * meet, against the definition. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_fill_diagonal.h"
#include "aclnnop/aclnn_ger.h"
#include "aclnnop/aclnn_im2col.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill.h"
#include "aclnnop/aclnn_linalg_cross.h"
#include "aclnnop/aclnn_pad2d_backward.h"
#include "aclnnop/aclnn_put.h"
#include "aclnnop/aclnn_reflection_pad1d_backward.h"
#include "aclnnop/aclnn_reflection_pad3d_backward.h"
#include "aclnnop/aclnn_replication_pad1d_backward.h"
#include "aclnnop/aclnn_replication_pad3d_backward.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_reduce.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_strided_slice.h"
#include "tests/support/complex_calls.h"

enum { INVALID = 161002, RANK = 5, MOST = 2048 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(complex_parts, .init = set_up, .fini = tear_down);

/* ---- tensors ---- */

struct shape {
    int rank;
    int64_t sizes[RANK];
};

/* Dense, or with its axes in the opposite order in memory. */
static aclTensor *tensor(void *data, aclDataType type, const struct shape *shape, bool is_turned)
{
    int64_t strides[RANK], storage = MOST, step = 1;
    for (int i = 0; i < shape->rank; i++) {
        const int axis = is_turned ? i : shape->rank - 1 - i;
        strides[axis] = step;
        step *= shape->sizes[axis];
    }
    return aclCreateTensor(shape->sizes, (uint64_t)shape->rank, type, strides, 0, ACL_FORMAT_ND,
                           &storage, 1, data);
}

/* The same numbers as complex ones, as their real parts, as their imaginary parts. */
enum side { WHOLE, REAL, IMAGINARY, SIDES };

/* Two operands and a result, of one type of parts; parts as they lie in memory. */
static struct {
    _Alignas(16) char self[SIDES][16 * MOST], src[SIDES][16 * MOST], out[SIDES][16 * MOST];
} memory;

static void store(void *to, bool is_wide, int64_t at, double value)
{
    if (is_wide)
        ((double *)to)[at] = value;
    else
        ((float *)to)[at] = (float)value;
}

static double load(const void *from, bool is_wide, int64_t at)
{
    return is_wide ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

static void fill(char side[SIDES][16 * MOST], bool is_wide, double phase)
{
    for (int64_t i = 0; i < MOST; i++) {
        const double part[] = {cos(1.7 * (double)i + phase), sin(0.9 * (double)(i * i) + phase)};
        for (int k = 0; k < 2; k++) {
            store(side[WHOLE], is_wide, 2 * i + k, part[k]);
            store(side[REAL + k], is_wide, i, part[k]);
        }
    }
}

static aclDataType type_of(enum side side, bool is_wide)
{
    if (side == WHOLE) return is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64;
    return is_wide ? ACL_DOUBLE : ACL_FLOAT;
}

static const aclScalar *scalar_of(enum side side)
{
    double value[] = {2, -0.5};
    return aclCreateScalar(side == IMAGINARY ? &value[1] : value,
                           side == WHOLE ? ACL_COMPLEX128 : ACL_DOUBLE);
}

/* ---- calls ---- */

struct operands {
    aclTensor *self, *src, *out, *index;
    const aclScalar *scalar;
};

static aclIntArray *ints(int count, const int64_t *values)
{
    return aclCreateIntArray(values, (uint64_t)count);
}

#define INTS(...)                                                                                  \
    ints((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})

/* A call with one or more arrays, which it destroys. */
#define WITH(array, ...)                                                                           \
    do {                                                                                           \
        aclIntArray *a = array;                                                                    \
        __VA_ARGS__;                                                                               \
        aclDestroyIntArray(a);                                                                     \
    } while (0)

#define CALLS                                                                                      \
    CALL(pad, WITH(INTS(1, 2, 0, 3), PLANNED(aclnnConstantPadNd, o->self, a, o->scalar, o->out)))  \
    CALL(cut, WITH(INTS(-1, 0), PLANNED(aclnnConstantPadNd, o->self, a, o->scalar, o->out)))       \
    CALL(columns, WITH(INTS(2, 2), WITH_TWO(INTS(1, 1), INTS(1, 0),                                \
                                            PLANNED(aclnnIm2col, o->self, a, b, c, b, o->out))))   \
    CALL(slice, WITH(INTS(1, 0), WITH_TWO(INTS(4, 5), INTS(2, 1),                                  \
                                          PLANNED(aclnnStridedSlice, o->self, a, b, c, 0, 0, 0, 0, \
                                                  0, o->out))))                                    \
    CALL(embedding, PLANNED(aclnnEmbedding, o->self, o->index, o->out))                            \
    CALL(diagonal, PLANNED(aclnnInplaceFillDiagonal, o->out, o->scalar, true))                     \
    CALL(index_copy, PLANNED(aclnnIndexCopy, o->self, 0, o->index, o->src, o->out))                \
    CALL(put, PLANNED(aclnnInplacePut, o->out, o->index, o->src, false))                           \
    CALL(put_add, PLANNED(aclnnInplacePut, o->out, o->index, o->src, true))                        \
    CALL(scatter, PLANNED(aclnnScatter, o->self, 0, o->index, o->src, 0, o->out))                  \
    CALL(scatter_in_place, PLANNED(aclnnInplaceScatter, o->out, 0, o->index, o->src, 1))           \
    CALL(scatter_value, PLANNED(aclnnScatterValue, o->self, 0, o->index, o->scalar, 0, o->out))    \
    CALL(scatter_value_add, PLANNED(aclnnInplaceScatterValue, o->out, 0, o->index, o->scalar, 1))  \
    CALL(scatter_add, PLANNED(aclnnScatterAdd, o->self, 0, o->index, o->src, o->out))              \
    CALL(scatter_sum, PLANNED(aclnnScatterReduce, o->self, 0, o->index, o->src, 1, false, o->out)) \
    CALL(scatter_mean, PLANNED(aclnnScatterReduce, o->self, 0, o->index, o->src, 5, true, o->out)) \
    CALL(scatter_mean_in_place,                                                                    \
         PLANNED(aclnnInplaceScatterReduce, o->out, 0, o->index, o->src, 5, false))                \
    CALL(reflection1,                                                                              \
         WITH(INTS(2, 1), PLANNED(aclnnReflectionPad1dBackward, o->src, o->self, a, o->out)))      \
    CALL(reflection2, WITH(INTS(2, 1, 1, 2),                                                       \
                           PLANNED(aclnnReflectionPad2dBackward, o->src, o->self, a, o->out)))     \
    CALL(reflection3, WITH(INTS(1, 1, 1, 2, 1, 1),                                                 \
                           PLANNED(aclnnReflectionPad3dBackward, o->src, o->self, a, o->out)))     \
    CALL(replication1,                                                                             \
         WITH(INTS(2, 3), PLANNED(aclnnReplicationPad1dBackward, o->src, o->self, a, o->out)))     \
    CALL(replication2, WITH(INTS(2, 1, 3, 2),                                                      \
                            PLANNED(aclnnReplicationPad2dBackward, o->src, o->self, a, o->out)))   \
    CALL(replication3, WITH(INTS(1, 2, 1, 2, 0, 3),                                                \
                            PLANNED(aclnnReplicationPad3dBackward, o->src, o->self, a, o->out)))

/* Two arrays more. */
#define WITH_TWO(second, third, ...)                                                               \
    do {                                                                                           \
        aclIntArray *b = second, *c = third;                                                       \
        __VA_ARGS__;                                                                               \
        aclDestroyIntArray(b);                                                                     \
        aclDestroyIntArray(c);                                                                     \
    } while (0)

#define CALL(name, ...)                                                                            \
    static void do_##name(const struct operands *o)                                                \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
CALLS
#undef CALL

/* index: an axis of 4 elements, places that meet. */
static const int64_t named[] = {3, 0, 2, 3, 3, 1, 0, 2, 3, 1, 1, 0, 2, 0, 3, 3, 2, 1, 0, 3, 1, 2};

static const struct call {
    const char *name;
    void (*run)(const struct operands *operands);
    struct shape self, src, out, index;
} calls[] = {
    {"pad", do_pad, {2, {4, 5}}, {0}, {2, {7, 8}}, {0}},
    {"cut", do_cut, {2, {4, 5}}, {0}, {2, {4, 4}}, {0}},
    {"im2col", do_columns, {3, {3, 4, 5}}, {0}, {2, {12, 20}}, {0}},
    {"strided_slice", do_slice, {3, {5, 5, 2}}, {0}, {3, {2, 5, 2}}, {0}},
    {"embedding", do_embedding, {2, {4, 6}}, {0}, {3, {3, 2, 6}}, {2, {3, 2}}},
    {"fill_diagonal", do_diagonal, {0}, {0}, {2, {9, 3}}, {0}},
    {"index_copy", do_index_copy, {2, {4, 6}}, {2, {3, 6}}, {2, {4, 6}}, {1, {3}}},
    {"put", do_put, {0}, {2, {4, 3}}, {2, {2, 3}}, {2, {4, 3}}},
    {"put_add", do_put_add, {0}, {2, {4, 3}}, {2, {2, 3}}, {2, {4, 3}}},
    {"scatter", do_scatter, {2, {4, 3}}, {2, {6, 3}}, {2, {4, 3}}, {2, {6, 3}}},
    {"scatter in place", do_scatter_in_place, {0}, {2, {6, 3}}, {2, {4, 3}}, {2, {6, 3}}},
    {"scatter_value", do_scatter_value, {2, {4, 3}}, {0}, {2, {4, 3}}, {2, {5, 2}}},
    {"scatter_value, sum", do_scatter_value_add, {0}, {0}, {2, {4, 3}}, {2, {5, 2}}},
    {"scatter_add", do_scatter_add, {3, {4, 3, 2}}, {3, {3, 3, 2}}, {3, {4, 3, 2}}, {3, {3, 3, 2}}},
    {"scatter_reduce, sum", do_scatter_sum, {2, {4, 3}}, {2, {6, 3}}, {2, {4, 3}}, {2, {6, 3}}},
    {"scatter_reduce, mean", do_scatter_mean, {2, {4, 3}}, {2, {6, 3}}, {2, {4, 3}}, {2, {6, 3}}},
    {"scatter_reduce in place, mean",
     do_scatter_mean_in_place,
     {0},
     {2, {6, 3}},
     {2, {4, 3}},
     {2, {6, 3}}},
    {"reflection1", do_reflection1, {2, {3, 6}}, {2, {3, 9}}, {2, {3, 6}}, {0}},
    {"reflection2", do_reflection2, {3, {2, 5, 6}}, {3, {2, 8, 9}}, {3, {2, 5, 6}}, {0}},
    {"reflection3", do_reflection3, {4, {2, 3, 4, 5}}, {4, {2, 5, 7, 7}}, {4, {2, 3, 4, 5}}, {0}},
    {"replication1", do_replication1, {2, {3, 6}}, {2, {3, 11}}, {2, {3, 6}}, {0}},
    {"replication2", do_replication2, {3, {2, 5, 6}}, {3, {2, 10, 9}}, {3, {2, 5, 6}}, {0}},
    {"replication3", do_replication3, {4, {2, 3, 4, 5}}, {4, {2, 6, 7, 8}}, {4, {2, 3, 4, 5}}, {0}},
};

static void run(const struct call *call, enum side side, bool is_wide, bool is_turned)
{
    const aclDataType type = type_of(side, is_wide);
    const struct operands o = {.self = tensor(memory.self[side], type, &call->self, is_turned),
                               .src = tensor(memory.src[side], type, &call->src, is_turned),
                               .out = tensor(memory.out[side], type, &call->out, is_turned),
                               .index = tensor((void *)named, ACL_INT64, &call->index, false),
                               .scalar = scalar_of(side)};
    call->run(&o);
    aclDestroyTensor(o.self);
    aclDestroyTensor(o.src);
    aclDestroyTensor(o.out);
    aclDestroyTensor(o.index);
    aclDestroyScalar(o.scalar);
}

Test(complex_parts, parts_are_computed_on_their_own)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int way = 0; way < 4; way++) {
            const bool is_wide = way & 1, is_turned = way & 2;
            fill(memory.self, is_wide, 0);
            fill(memory.src, is_wide, 1);
            fill(memory.out, is_wide, 2);
            for (enum side side = WHOLE; side < SIDES; side++)
                run(&calls[i], side, is_wide, is_turned);
            for (int64_t k = 0; k < 2 * MOST; k++) {
                const double got = load(memory.out[WHOLE], is_wide, k);
                const double want = load(memory.out[REAL + k % 2], is_wide, k / 2);
                cr_assert(got == want, "%s, way %d, part %d of element %d: %a, not %a",
                          calls[i].name, way, (int)(k % 2), (int)(k / 2), got, want);
            }
        }
}

/* ---- products ---- */

static number at(const char *from, bool is_wide, int64_t i)
{
    return number_of(load(from, is_wide, 2 * i), load(from, is_wide, 2 * i + 1));
}

static void expect_near(const char *what, bool is_wide, int64_t i, number want, double roundings)
{
    const number got = at(memory.out[WHOLE], is_wide, i);
    const long double unit = is_wide ? 0x1p-53L : 0x1p-24L;
    cr_assert(cabsl(got - want) <= roundings * unit * 4,
              "%s, element %d: (%La, %La), not (%La, %La)", what, (int)i, creall(got), cimagl(got),
              creall(want), cimagl(want));
}

static void fill_whole(bool is_wide)
{
    fill(memory.self, is_wide, 0);
    fill(memory.src, is_wide, 1);
    fill(memory.out, is_wide, 2);
}

/* Values at the same place are multiplied one after the other. */
Test(complex_parts, products_at_one_place)
{
    const struct shape self = {2, {4, 3}}, src = {2, {6, 3}};
    for (int way = 0; way < 8; way++) {
        const bool is_wide = way & 1, with_self = way & 2, has_value = way & 4;
        const aclDataType type = type_of(WHOLE, is_wide);
        number want[12];
        bool is_named[12] = {false};
        fill_whole(is_wide);
        aclTensor *a = tensor(memory.self[WHOLE], type, &self, false);
        aclTensor *b = tensor(memory.src[WHOLE], type, &src, false);
        aclTensor *c = tensor(memory.out[WHOLE], type, &self, false);
        aclTensor *index = tensor((void *)named, ACL_INT64, &src, false);
        const aclScalar *scalar = scalar_of(WHOLE);
        for (int i = 0; i < 12; i++)
            want[i] = at(memory.self[WHOLE], is_wide, i);
        for (int i = 0; i < 18; i++) {
            const int place = (int)named[i] * 3 + i % 3;
            if (!has_value && !with_self && !is_named[place]) want[place] = 1;
            is_named[place] = true;
            want[place] *= has_value ? number_of(2, -0.5L) : at(memory.src[WHOLE], is_wide, i);
        }
        if (has_value)
            PLANNED(aclnnScatterValue, a, 0, index, scalar, 2, c);
        else
            PLANNED(aclnnScatterReduce, a, 0, index, b, 2, with_self, c);
        for (int i = 0; i < 12; i++)
            expect_near("scatter", is_wide, i, want[i], has_value ? 3000 : 20);
        aclDestroyTensor(a);
        aclDestroyTensor(b);
        aclDestroyTensor(c);
        aclDestroyTensor(index);
        aclDestroyScalar(scalar);
    }
}

/* Also of a real vector and a complex one. */
Test(complex_parts, outer_products)
{
    const struct shape left = {1, {5}}, right = {1, {7}}, all = {2, {5, 7}};
    for (int way = 0; way < 4; way++) {
        const bool is_wide = way & 1, is_real = way & 2;
        fill_whole(is_wide);
        aclTensor *a = is_real ? tensor(memory.self[REAL], type_of(REAL, is_wide), &left, false)
                               : tensor(memory.self[WHOLE], type_of(WHOLE, is_wide), &left, false);
        aclTensor *b = tensor(memory.src[WHOLE], type_of(WHOLE, is_wide), &right, false);
        aclTensor *c = tensor(memory.out[WHOLE], type_of(WHOLE, is_wide), &all, true);
        PLANNED(aclnnGer, a, b, c);
        for (int i = 0; i < 35; i++) {
            const number one = is_real ? (number)load(memory.self[REAL], is_wide, i / 7)
                                       : at(memory.self[WHOLE], is_wide, i / 7);
            expect_near("ger", is_wide, i % 7 * 5 + i / 7,
                        one * at(memory.src[WHOLE], is_wide, i % 7), 4);
        }
        aclDestroyTensor(a);
        aclDestroyTensor(b);
        aclDestroyTensor(c);
    }
}

Test(complex_parts, cross_products)
{
    const struct shape left = {3, {4, 3, 5}}, right = {3, {4, 3, 1}};
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const aclDataType type = type_of(WHOLE, is_wide);
        fill_whole(is_wide);
        aclTensor *a = tensor(memory.self[WHOLE], type, &left, false);
        aclTensor *b = tensor(memory.src[WHOLE], type, &right, false);
        aclTensor *c = tensor(memory.out[WHOLE], type, &left, false);
        PLANNED(aclnnLinalgCross, a, b, 1, c);
        for (int i = 0; i < 60; i++) {
            const int row = i / 15, j = (i / 5 + 1) % 3, k = (i / 5 + 2) % 3, column = i % 5;
            const number one = at(memory.self[WHOLE], is_wide, row * 15 + j * 5 + column) *
                               at(memory.src[WHOLE], is_wide, row * 3 + k);
            const number two = at(memory.self[WHOLE], is_wide, row * 15 + k * 5 + column) *
                               at(memory.src[WHOLE], is_wide, row * 3 + j);
            expect_near("cross", is_wide, i, one - two, 8);
        }
        aclDestroyTensor(a);
        aclDestroyTensor(b);
        aclDestroyTensor(c);
    }
}

/* By the conjugate of the derivative, as of every holomorphic function. */
Test(complex_parts, sigmoid_gradients)
{
    const struct shape shape = {2, {33, 31}};
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const aclDataType type = type_of(WHOLE, is_wide);
        fill_whole(is_wide);
        aclTensor *a = tensor(memory.self[WHOLE], type, &shape, false);
        aclTensor *b = tensor(memory.src[WHOLE], type, &shape, false);
        aclTensor *c = tensor(memory.out[WHOLE], type, &shape, true);
        PLANNED(aclnnSigmoidBackward, a, b, c);
        for (int i = 0; i < 33 * 31; i++) {
            const number result = at(memory.src[WHOLE], is_wide, i);
            expect_near("sigmoid_backward", is_wide, i % 31 * 33 + i / 31,
                        at(memory.self[WHOLE], is_wide, i) * conjl((1 - result) * result), 8);
        }
        aclDestroyTensor(a);
        aclDestroyTensor(b);
        aclDestroyTensor(c);
    }
}

/* ---- refusals ---- */

Test(complex_parts, refusals)
{
    const struct shape shape = {2, {4, 3}}, line = {1, {3}};
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor(memory.self[WHOLE], ACL_COMPLEX64, &shape, false);
    aclTensor *out = tensor(memory.out[WHOLE], ACL_COMPLEX64, &shape, false);
    aclTensor *real = tensor(memory.src[REAL], ACL_FLOAT, &shape, false);
    aclTensor *index = tensor((void *)named, ACL_INT64, &shape, false);
    aclTensor *few = tensor((void *)named, ACL_INT64, &line, false);
    const aclScalar *scalar = scalar_of(WHOLE);
    aclIntArray *padding = INTS(0, 0);
    for (int64_t reduce = 3; reduce <= 4; reduce++) {
        cr_expect_eq(aclnnScatterReduceGetWorkspaceSize(self, 0, index, self, reduce, true, out,
                                                        &size, &executor),
                     INVALID);
        cr_expect(strstr(aclGetRecentErrMsg(), "complex numbers have no order"));
    }
    cr_expect_eq(
        aclnnInplaceScatterValueGetWorkspaceSize(real, 0, index, scalar, 0, &size, &executor),
        INVALID);
    cr_expect(strstr(aclGetRecentErrMsg(), "value is of type COMPLEX128, which cannot be cast"));
    cr_expect_eq(aclnnInplaceIndexFillGetWorkspaceSize(real, 0, few, scalar, &size, &executor),
                 INVALID);
    cr_expect_eq(aclnnConstantPadNdGetWorkspaceSize(real, padding, scalar, real, &size, &executor),
                 INVALID);
    cr_expect(strstr(aclGetRecentErrMsg(), "it must be real, as self is"));
    cr_expect_eq(aclnnInplaceFillDiagonalGetWorkspaceSize(real, scalar, false, &size, &executor),
                 INVALID);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    aclDestroyTensor(real);
    aclDestroyTensor(index);
    aclDestroyTensor(few);
    aclDestroyScalar(scalar);
    aclDestroyIntArray(padding);
}

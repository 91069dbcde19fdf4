/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers, which the case language does not have: operators that move elements move them as
 * they move INT64 numbers, which the rows' tests hold to the oracle; casts and fills are held to
 * C's complex numbers. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_channel_shuffle.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_diag.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_fill_tensor.h"
#include "aclnnop/aclnn_flatten.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_select.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_reflection_pad2d.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_replication_pad2d.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_slice_v2.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "aclnnop/aclnn_stack.h"
#include "aclnnop/aclnn_take.h"
#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"
#include "aclnnop/aclnn_zero.h"

enum { INVALID = 161002, ELEMENTS = 60, MOST = 1024 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(complex_numbers, .init = set_up, .fini = tear_down);

/* ---- calls ---- */

typedef aclnnStatus second_phase(void *, uint64_t, aclOpExecutor *, aclrtStream);

static void finish(const char *name, aclnnStatus status, uint64_t size, aclOpExecutor *executor,
                   second_phase *run)
{
    aclrtStream stream;
    void *workspace = NULL;
    cr_assert_eq(status, ACL_SUCCESS, "%s: %s", name, aclGetRecentErrMsg());
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    if (size > 0)
        cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(run(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS, "%s", name);
    aclrtFree(workspace);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

#define RUN(operator, ...)                                                                         \
    do {                                                                                           \
        uint64_t size_ = 0;                                                                        \
        aclOpExecutor *executor_ = NULL;                                                           \
        aclnnStatus status_ = operator##GetWorkspaceSize(__VA_ARGS__, &size_, &executor_);         \
        finish(#operator, status_, size_, executor_, operator);                                    \
    } while (0)

/* Every step-th element of memory, from offset on. */
static aclTensor *vector(void *data, aclDataType type, int64_t count, int64_t step, int64_t offset)
{
    const int64_t storage = MOST;
    return aclCreateTensor(&count, 1, type, &step, offset, ACL_FORMAT_ND, &storage, 1, data);
}

static aclTensor *dense(void *data, aclDataType type, const int64_t *sizes, int rank)
{
    int64_t strides[8], step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i];
    }
    return aclCreateTensor(sizes, (uint64_t)rank, type, strides, 0, ACL_FORMAT_ND, &step, 1, data);
}

/* ---- moves ---- */

static aclIntArray *ints(int64_t a, int64_t b, int64_t c)
{
    const int64_t values[] = {a, b, c};
    return aclCreateIntArray(values, 3);
}

static void do_permute(aclTensor *self, aclTensor *out)
{
    aclIntArray *dims = ints(2, 0, 1);
    RUN(aclnnPermute, self, dims, out);
    aclDestroyIntArray(dims);
}

static void do_flip(aclTensor *self, aclTensor *out)
{
    aclIntArray *dims = ints(2, 0, 1);
    RUN(aclnnFlip, self, dims, out);
    aclDestroyIntArray(dims);
}

static void do_roll(aclTensor *self, aclTensor *out)
{
    aclIntArray *shifts = ints(1, 2, 3), *dims = ints(0, 1, 2);
    RUN(aclnnRoll, self, shifts, dims, out);
    aclDestroyIntArray(shifts);
    aclDestroyIntArray(dims);
}

static void do_repeat(aclTensor *self, aclTensor *out)
{
    aclIntArray *repeats = ints(2, 1, 2);
    RUN(aclnnRepeat, self, repeats, out);
    aclDestroyIntArray(repeats);
}

static void do_expand(aclTensor *self, aclTensor *out)
{
    const int64_t values[] = {2, 3, 4, 5};
    aclIntArray *size = aclCreateIntArray(values, 4);
    RUN(aclnnExpand, self, size, out);
    aclDestroyIntArray(size);
}

static void do_interleave(aclTensor *self, aclTensor *out)
{
    RUN(aclnnRepeatInterleaveInt, self, 2, 2 * ELEMENTS, out);
}

static void do_interleave_dim(aclTensor *self, aclTensor *out)
{
    RUN(aclnnRepeatInterleaveIntWithDim, self, 2, 1, 8, out);
}

static void do_slice(aclTensor *self, aclTensor *out)
{
    RUN(aclnnSlice, self, 2, 1, 5, 2, out);
}

static void do_slices(aclTensor *self, aclTensor *out)
{
    aclIntArray *starts = ints(1, 0, 1), *ends = ints(3, 4, 5), *axes = ints(0, 1, 2),
                *steps = ints(1, 2, 2);
    RUN(aclnnSliceV2, self, starts, ends, axes, steps, out);
    aclDestroyIntArray(starts);
    aclDestroyIntArray(ends);
    aclDestroyIntArray(axes);
    aclDestroyIntArray(steps);
}

static void do_flatten(aclTensor *self, aclTensor *out)
{
    RUN(aclnnFlatten, self, 1, out);
}

static void do_shuffle(aclTensor *self, aclTensor *out)
{
    RUN(aclnnChannelShuffle, self, 2, out);
}

static aclTensor *twin; /* the same elements once more */

static void do_cat(aclTensor *self, aclTensor *out)
{
    const aclTensor *both[] = {self, twin};
    aclTensorList *list = aclCreateTensorList(both, 2);
    RUN(aclnnCat, list, 1, out);
    aclDestroyTensorList(list);
}

static void do_stack(aclTensor *self, aclTensor *out)
{
    const aclTensor *both[] = {self, twin};
    aclTensorList *list = aclCreateTensorList(both, 2);
    RUN(aclnnStack, list, 3, out);
    aclDestroyTensorList(list);
}

static const int64_t indices[] = {3, 0, 2, 1, 3, 3, 0, 1};

static void do_index_select(aclTensor *self, aclTensor *out)
{
    aclTensor *index = vector((void *)indices, ACL_INT64, 6, 1, 0);
    RUN(aclnnIndexSelect, self, 1, index, out);
    aclDestroyTensor(index);
}

static void do_gather(aclTensor *self, aclTensor *out)
{
    static const int64_t sizes[] = {2, 2, 2};
    aclTensor *index = dense((void *)indices, ACL_INT64, sizes, 3);
    RUN(aclnnGather, self, 1, index, out);
    aclDestroyTensor(index);
}

static void do_index(aclTensor *self, aclTensor *out)
{
    aclTensor *lines[] = {vector(NULL, ACL_INT64, 0, 1, 0),
                          vector((void *)indices, ACL_INT64, 6, 1, 0)};
    aclTensorList *list = aclCreateTensorList((const aclTensor *const *)lines, 2);
    RUN(aclnnIndex, self, list, out);
    aclDestroyTensorList(list);
}

static void do_take(aclTensor *self, aclTensor *out)
{
    aclTensor *index = vector((void *)indices, ACL_INT64, 6, 1, 0);
    RUN(aclnnTake, self, index, out);
    aclDestroyTensor(index);
}

static void do_reflection(aclTensor *self, aclTensor *out)
{
    const int64_t values[] = {2, 1, 1, 2};
    aclIntArray *padding = aclCreateIntArray(values, 4);
    RUN(aclnnReflectionPad2d, self, padding, out);
    aclDestroyIntArray(padding);
}

static void do_replication(aclTensor *self, aclTensor *out)
{
    const int64_t values[] = {2, 1, 1, 2};
    aclIntArray *padding = aclCreateIntArray(values, 4);
    RUN(aclnnReplicationPad2d, self, padding, out);
    aclDestroyIntArray(padding);
}

static void do_copy(aclTensor *self, aclTensor *out)
{
    RUN(aclnnInplaceCopy, out, self);
}

/* The move's name, what it does, and out's shape. */
static const struct move {
    const char *name;
    void (*run)(aclTensor *self, aclTensor *out);
    int rank;
    int64_t sizes[4];
} moves[] = {
    {"permute", do_permute, 3, {5, 3, 4}},
    {"flip", do_flip, 3, {3, 4, 5}},
    {"roll", do_roll, 3, {3, 4, 5}},
    {"repeat", do_repeat, 3, {6, 4, 10}},
    {"expand", do_expand, 4, {2, 3, 4, 5}},
    {"repeat_interleave", do_interleave, 1, {2 * ELEMENTS}},
    {"repeat_interleave along a dimension", do_interleave_dim, 3, {3, 8, 5}},
    {"slice", do_slice, 3, {3, 4, 2}},
    {"slices", do_slices, 3, {2, 2, 2}},
    {"flatten", do_flatten, 2, {3, 20}},
    {"channel_shuffle", do_shuffle, 3, {3, 4, 5}},
    {"cat", do_cat, 3, {3, 8, 5}},
    {"stack", do_stack, 4, {3, 4, 5, 2}},
    {"reflection", do_reflection, 3, {3, 7, 8}},
    {"replication", do_replication, 3, {3, 7, 8}},
    {"copy", do_copy, 3, {3, 4, 5}},
    {"index_select", do_index_select, 3, {3, 6, 5}},
    {"gather", do_gather, 3, {2, 2, 2}},
    {"index", do_index, 3, {3, 6, 5}},
    {"take", do_take, 1, {6}},
};

static int64_t places[MOST], moved[MOST];
static float complex c64[MOST], c64_out[MOST];
static double complex c128[MOST], c128_out[MOST];

static void fill_sources(void)
{
    for (int i = 0; i < MOST; i++) {
        places[i] = i;
        c64[i] = (float)i - 0.5F * I * (float)(i + 1);
        c128[i] = i + 1e-9 * I * (i + 1);
    }
    memset(moved, 0xff, sizeof moved);
    memset(c64_out, 0xff, sizeof c64_out);
    memset(c128_out, 0xff, sizeof c128_out);
}

/* self's elements lie so, in elements: dense, and with two axes exchanged. */
static void move(const struct move *m, void *from, void *to, aclDataType type,
                 const int64_t strides[3])
{
    const int64_t sizes[] = {3, 4, 5}, storage = ELEMENTS;
    aclTensor *self = aclCreateTensor(sizes, 3, type, strides, 0, ACL_FORMAT_ND, &storage, 1, from);
    aclTensor *out = dense(to, type, m->sizes, m->rank);
    const bool is_list = m->run == do_cat || m->run == do_stack; /* which destroys its tensors */
    if (is_list)
        twin = aclCreateTensor(sizes, 3, type, strides, 0, ACL_FORMAT_ND, &storage, 1, from);
    m->run(self, out);
    if (!is_list) aclDestroyTensor(self);
    aclDestroyTensor(out);
}

Test(complex_numbers, moves_as_integers_do)
{
    static const int64_t strides[][3] = {{20, 5, 1}, {1, 3, 12}};
    for (size_t m = 0; m < sizeof moves / sizeof *moves; m++)
        for (int s = 0; s < 2; s++) {
            int64_t count = 1;
            for (int i = 0; i < moves[m].rank; i++)
                count *= moves[m].sizes[i];
            fill_sources();
            move(&moves[m], places, moved, ACL_INT64, strides[s]);
            move(&moves[m], c64, c64_out, ACL_COMPLEX64, strides[s]);
            move(&moves[m], c128, c128_out, ACL_COMPLEX128, strides[s]);
            for (int64_t i = 0; i < count; i++) {
                cr_assert(moved[i] >= 0 && moved[i] < ELEMENTS);
                cr_assert(memcmp(&c64_out[i], &c64[moved[i]], 8) == 0, "%s: element %d",
                          moves[m].name, (int)i);
                cr_assert(memcmp(&c128_out[i], &c128[moved[i]], 16) == 0, "%s: element %d",
                          moves[m].name, (int)i);
            }
            cr_assert(count == MOST || c128_out[count] != c128_out[count]);
        }
}

/* What is cut away becomes 0, whatever was there. */
Test(complex_numbers, triangles_and_diagonals)
{
    const int64_t sizes[] = {3, 3};
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        fill_sources();
        const aclDataType type = is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64;
        void *const from = is_wide ? (void *)c128 : c64, *const to =
                                                             is_wide ? (void *)c128_out : c64_out;
        aclTensor *self = dense(from, type, sizes, 2), *out = dense(to, type, sizes, 2);
        aclTensor *line = dense(from, type, sizes, 1);
        for (int kind = 0; kind < 3; kind++) {
            if (kind == 0) RUN(aclnnTril, self, 0, out);
            if (kind == 1) RUN(aclnnTriu, self, 1, out);
            if (kind == 2) RUN(aclnnDiag, line, 0, out);
            for (int i = 0; i < 9; i++) {
                const int row = i / 3, column = i % 3, place = kind == 2 ? row : i;
                const bool stays = kind == 0   ? column <= row
                                   : kind == 1 ? column > row
                                               : column == row;
                const double complex had = is_wide ? c128[place] : (double complex)c64[place];
                const double complex got = is_wide ? c128_out[i] : (double complex)c64_out[i];
                cr_assert(got == (stays ? had : 0), "kind %d, element %d", kind, i);
            }
        }
        aclDestroyTensor(self);
        aclDestroyTensor(out);
        aclDestroyTensor(line);
    }
}

Test(complex_numbers, splits)
{
    const int64_t sizes[] = {3, 4}, first[] = {3, 3}, second[] = {3, 1}, split[] = {3, 1};
    for (int i = 0; i < 2; i++) {
        fill_sources();
        aclTensor *self = dense(c128, ACL_COMPLEX128, sizes, 2);
        aclTensor *parts[] = {dense(c128_out, ACL_COMPLEX128, first, 2),
                              dense(c128_out + 9, ACL_COMPLEX128, second, 2)};
        aclTensorList *list = aclCreateTensorList((const aclTensor *const *)parts, 2);
        aclIntArray *array = aclCreateIntArray(split, 2);
        if (i == 0)
            RUN(aclnnSplitTensor, self, 3, 1, list);
        else
            RUN(aclnnSplitWithSize, self, array, 1, list);
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                cr_assert(c128_out[column < 3 ? row * 3 + column : 9 + row] ==
                          c128[row * 4 + column]);
        aclDestroyTensor(self);
        aclDestroyTensorList(list);
        aclDestroyIntArray(array);
    }
}

/* ---- casts ---- */

static const double specials[] = {0.0, -0.0, 1, -2.5, 3e38, INFINITY, -INFINITY, NAN, 1e-40, 0.1};

enum { SPECIALS = sizeof specials / sizeof *specials };

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* Element i of a vector of that type: a real and an imaginary part. */
static void read(const void *data, aclDataType type, int i, double part[2])
{
    part[1] = 0;
    if (type == ACL_COMPLEX64 || type == ACL_FLOAT) {
        const int step = type == ACL_COMPLEX64 ? 2 : 1;
        part[0] = ((const float *)data)[step * i];
        if (step == 2) part[1] = ((const float *)data)[2 * i + 1];
    } else if (type == ACL_INT32) {
        part[0] = ((const int32_t *)data)[i];
    } else {
        const int step = type == ACL_COMPLEX128 ? 2 : 1;
        part[0] = ((const double *)data)[step * i];
        if (step == 2) part[1] = ((const double *)data)[2 * i + 1];
    }
}

static void write(void *data, aclDataType type, int i, double real, double imaginary)
{
    if (type == ACL_FLOAT) ((float *)data)[i] = (float)real;
    if (type == ACL_DOUBLE) ((double *)data)[i] = real;
    if (type == ACL_INT32) ((int32_t *)data)[i] = isfinite(real) && fabs(real) < 9 ? (int)real : 7;
    if (type == ACL_COMPLEX64) {
        ((float *)data)[2 * i] = (float)real;
        ((float *)data)[2 * i + 1] = (float)imaginary;
    }
    if (type == ACL_COMPLEX128) {
        ((double *)data)[2 * i] = real;
        ((double *)data)[2 * i + 1] = imaginary;
    }
}

static const aclDataType cast_types[] = {ACL_FLOAT, ACL_DOUBLE, ACL_INT32, ACL_COMPLEX64,
                                         ACL_COMPLEX128};

static double wanted_part(aclDataType to, double value)
{
    if (to == ACL_FLOAT || to == ACL_COMPLEX64) return (float)value;
    if (to != ACL_INT32) return value;
    if (isnan(value)) return 0;
    return value >= 0x1p31 ? INT32_MAX : value <= -0x1p31 ? INT32_MIN : trunc(value) + 0.0;
}

static void check_cast(aclDataType from, aclDataType to, int step)
{
    static double source[4 * MOST], target[4 * MOST];
    const int count = SPECIALS * SPECIALS;
    memset(target, 0xff, sizeof target);
    for (int i = 0; i < count; i++)
        write(source, from, i * step, specials[i / SPECIALS], specials[i % SPECIALS]);
    aclTensor *self = vector(source, from, count, step, 0), *out = vector(target, to, count, 2, 1);
    RUN(aclnnCast, self, to, out);
    for (int i = 0; i < count; i++) {
        double had[2], got[2];
        read(source, from, i * step, had);
        read(target, to, 2 * i + 1, got);
        const bool is_complex = to == ACL_COMPLEX64 || to == ACL_COMPLEX128;
        const double wanted[] = {wanted_part(to, had[0]), is_complex ? wanted_part(to, had[1]) : 0};
        for (int part = 0; part < 2; part++)
            cr_assert(
                (to == ACL_INT32 && got[part] == wanted[part]) || is_same(got[part], wanted[part]),
                "%d to %d, element %d: %g, not %g", (int)from, (int)to, i, got[part], wanted[part]);
    }
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

Test(complex_numbers, casts)
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            if (i > 2 || j > 2)
                for (int step = 1; step <= 2; step++)
                    check_cast(cast_types[i], cast_types[j], step);
}

/* Real numbers become complex ones in the memory that they lie in. */
Test(complex_numbers, casts_over_the_operand)
{
    static double memory[2 * ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        memory[i] = i + 0.25;
    aclTensor *real = vector(memory, ACL_DOUBLE, ELEMENTS, 1, 0);
    aclTensor *narrow = vector(memory, ACL_COMPLEX64, ELEMENTS, 1, 0);
    aclTensor *wide = vector(memory, ACL_COMPLEX128, ELEMENTS, 1, 0);
    RUN(aclnnInplaceCopy, narrow, real);
    for (int i = 0; i < ELEMENTS; i++)
        cr_assert(((float complex *)memory)[i] == (float)i + 0.25F);
    RUN(aclnnInplaceCopy, wide, narrow);
    for (int i = 0; i < ELEMENTS; i++)
        cr_assert(((double complex *)memory)[i] == i + 0.25);
    aclDestroyTensor(real);
    aclDestroyTensor(narrow);
    aclDestroyTensor(wide);
}

Test(complex_numbers, cat_promotes)
{
    double real[] = {1, 2};
    fill_sources();
    const aclTensor *both[] = {vector(real, ACL_DOUBLE, 2, 1, 0),
                               vector(c64, ACL_COMPLEX64, 2, 1, 3)};
    aclTensorList *list = aclCreateTensorList(both, 2);
    aclTensor *out = vector(c128_out, ACL_COMPLEX128, 4, 1, 0);
    RUN(aclnnCat, list, 0, out);
    cr_assert(c128_out[0] == 1 && c128_out[1] == 2);
    cr_assert(c128_out[2] == c64[3] && c128_out[3] == c64[4]);
    aclDestroyTensorList(list);
    aclDestroyTensor(out);
}

/* ---- fills ---- */

static void check_fill(double complex wanted)
{
    for (int i = 0; i < 2 * ELEMENTS; i++) {
        const bool is_filled = i % 2 == 1;
        cr_assert(is_filled ? c64_out[i] == (float complex)wanted : c64_out[i] != c64_out[i]);
        cr_assert(is_filled ? c128_out[i] == wanted : c128_out[i] != c128_out[i]);
    }
}

Test(complex_numbers, fills)
{
    double complex value = 2 - 0.5 * I;
    float single = 3;
    aclTensor *narrow = vector(c64_out, ACL_COMPLEX64, ELEMENTS, 2, 1);
    aclTensor *wide = vector(c128_out, ACL_COMPLEX128, ELEMENTS, 2, 1);
    aclTensor *one = vector(&value, ACL_COMPLEX128, 1, 1, 0);
    aclScalar *scalar = aclCreateScalar(&value, ACL_COMPLEX128);
    aclScalar *real = aclCreateScalar(&single, ACL_FLOAT);
    fill_sources();
    RUN(aclnnInplaceFillScalar, narrow, scalar);
    RUN(aclnnInplaceFillScalar, wide, scalar);
    check_fill(value);
    RUN(aclnnInplaceZero, narrow);
    RUN(aclnnInplaceZero, wide);
    check_fill(0);
    RUN(aclnnInplaceOne, narrow);
    RUN(aclnnInplaceOne, wide);
    check_fill(1);
    RUN(aclnnInplaceFillScalar, narrow, real);
    RUN(aclnnInplaceFillScalar, wide, real);
    check_fill(3);
    RUN(aclnnInplaceFillTensor, narrow, one);
    RUN(aclnnInplaceFillTensor, wide, one);
    check_fill(value);
    aclDestroyScalar(scalar);
    aclDestroyScalar(real);
    aclDestroyTensor(narrow);
    aclDestroyTensor(wide);
    aclDestroyTensor(one);
}

/* ---- refusals ---- */

Test(complex_numbers, refusals)
{
    static bool truth[ELEMENTS];
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = vector(c64, ACL_COMPLEX64, ELEMENTS, 1, 0);
    aclTensor *bools = vector(truth, ACL_BOOL, ELEMENTS, 1, 0);
    aclTensor *half = vector(c64, ACL_COMPLEX32, ELEMENTS, 1, 0);
    cr_assert_eq(aclnnInplaceCopyGetWorkspaceSize(bools, self, &size, &executor), INVALID);
    cr_assert(strstr(aclGetRecentErrMsg(), "COMPLEX64, which cannot be cast to selfRef's, BOOL"));
    cr_assert_eq(aclnnCastGetWorkspaceSize(self, ACL_BOOL, bools, &size, &executor), INVALID);
    cr_assert_eq(aclnnInplaceCopyGetWorkspaceSize(half, half, &size, &executor), INVALID);
    cr_assert(strstr(aclGetRecentErrMsg(), "COMPLEX32"));
    cr_assert_eq(aclnnAddGetWorkspaceSize(self, self, NULL, self, &size, &executor), 161001);
    aclDestroyTensor(self);
    aclDestroyTensor(bools);
    aclDestroyTensor(half);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that run by their names: copies, between formats and types. */
#include "tests/unit/refusal.h"

#include "acl/acl_op_compiler.h"
#include "runtime/support/alloc.h"

enum { MOST = 4096 };

struct side {
    aclDataType type;
    aclFormat format;
    int rank;
    int64_t sizes[8];
    size_t missing; /* bytes that the buffer lacks */
    aclMemType place;
};

static void *from_memory, *to_memory;
static aclrtStream stream;

static void begin(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&from_memory, MOST, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&to_memory, MOST, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
}

TestSuite(op_by_name, .init = begin);

static aclTensorDesc *describe(const struct side *side)
{
    aclTensorDesc *desc = aclCreateTensorDesc(side->type, side->rank, side->sizes, ACL_FORMAT_ND);
    cr_assert_not_null(desc);
    cr_assert_eq(aclSetTensorFormat(desc, side->format), ACL_SUCCESS);
    cr_assert_eq(aclSetTensorShape(desc, side->rank, side->sizes), ACL_SUCCESS);
    cr_assert_eq(aclSetTensorPlaceMent(desc, side->place), ACL_SUCCESS);
    return desc;
}

/* way: which of the three functions. */
static aclError run(int way, const char *name, const struct side *from, const struct side *to)
{
    aclTensorDesc *inputs[] = {describe(from)}, *outputs[] = {describe(to)};
    size_t in_bytes = aclGetTensorDescSize(inputs[0]), out_bytes = aclGetTensorDescSize(outputs[0]);
    aclDataBuffer *in[] = {aclCreateDataBuffer(from_memory, in_bytes - from->missing)};
    aclDataBuffer *out[] = {aclCreateDataBuffer(to_memory, out_bytes - to->missing)};
    aclError status;
    aclGetRecentErrMsg();
    if (way == 0)
        status = aclopCompileAndExecute(name, 1, (const aclTensorDesc *const *)inputs,
                                        (const aclDataBuffer *const *)in, 1,
                                        (const aclTensorDesc *const *)outputs, out, NULL,
                                        ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    else if (way == 1)
        status = aclopCompileAndExecuteV2(name, 1, inputs, in, 1, outputs, out, NULL,
                                          ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    else
        status = aclopExecuteV2(name, 1, inputs, in, 1, outputs, out, NULL, stream);
    aclDestroyTensorDesc(inputs[0]);
    aclDestroyTensorDesc(outputs[0]);
    aclDestroyDataBuffer(in[0]);
    aclDestroyDataBuffer(out[0]);
    return status;
}

static void fill(int count)
{
    float values[MOST / sizeof(float)];
    for (int i = 0; i < count; i++)
        values[i] = (float)i - 2.75f;
    cr_assert_eq(aclrtMemcpy(from_memory, MOST, values, (size_t)count * sizeof(float),
                             ACL_MEMCPY_HOST_TO_DEVICE),
                 ACL_SUCCESS);
    cr_assert_eq(aclrtMemset(to_memory, MOST, 0x55, MOST), ACL_SUCCESS);
}

/* Whether element (i0, i1, ...) of one format is that of the other. */
static void expect_permuted(aclFormat one, const char *one_axes, aclFormat other,
                            const char *other_axes, const int64_t *sizes_of_one)
{
    const int rank = (int)strlen(one_axes);
    struct side from = {.type = ACL_FLOAT, .format = one, .rank = rank};
    struct side to = {.type = ACL_FLOAT, .format = other, .rank = rank};
    int64_t count = 1, steps[8], step = 1;
    for (int i = 0; i < rank; i++) {
        from.sizes[i] = sizes_of_one[i];
        count *= sizes_of_one[i];
    }
    for (int i = 0; i < rank; i++)
        to.sizes[i] = from.sizes[strchr(one_axes, other_axes[i]) - one_axes];
    for (int i = rank - 1; i >= 0; i--) {
        steps[i] = step;
        step *= from.sizes[i];
    }
    fill((int)count);
    cr_assert_eq(run(0, "TransData", &from, &to), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, source = 0;
        for (int axis = rank - 1; axis >= 0; axis--) {
            source += rest % to.sizes[axis] * steps[strchr(one_axes, other_axes[axis]) - one_axes];
            rest /= to.sizes[axis];
        }
        cr_assert_eq(((float *)to_memory)[i], (float)source - 2.75f, "%s to %s: element %d",
                     one_axes, other_axes, (int)i);
    }
    cr_expect_eq(((unsigned char *)to_memory)[count * 4], 0x55, "more was written");
}

Test(op_by_name, axes_are_permuted_between_formats)
{
    const int64_t four[] = {2, 3, 4, 5}, five[] = {2, 3, 2, 4, 5};
    expect_permuted(ACL_FORMAT_NCHW, "NCHW", ACL_FORMAT_NHWC, "NHWC", four);
    expect_permuted(ACL_FORMAT_NHWC, "NHWC", ACL_FORMAT_NCHW, "NCHW", four);
    expect_permuted(ACL_FORMAT_NCHW, "NCHW", ACL_FORMAT_HWCN, "HWCN", four);
    expect_permuted(ACL_FORMAT_HWCN, "HWCN", ACL_FORMAT_NHWC, "NHWC", four);
    expect_permuted(ACL_FORMAT_NCDHW, "NCDHW", ACL_FORMAT_NDHWC, "NDHWC", five);
    expect_permuted(ACL_FORMAT_NDHWC, "NDHWC", ACL_FORMAT_NCDHW, "NCDHW", five);
}

Test(op_by_name, identity_keeps_the_order)
{
    static const char *const names[] = {"Identity", "TensorMove", "TransData"};
    struct side from = {.type = ACL_FLOAT, .format = ACL_FORMAT_ND, .rank = 2, .sizes = {5, 7}};
    for (int way = 0; way < 3; way++) {
        for (int name = 0; name < 3; name++) {
            fill(35);
            cr_assert_eq(run(way, names[name], &from, &from), ACL_SUCCESS, "%s",
                         aclGetRecentErrMsg());
            cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
            cr_expect_arr_eq(to_memory, from_memory, 35 * sizeof(float));
            cr_expect_eq(((unsigned char *)to_memory)[35 * sizeof(float)], 0x55);
        }
    }
    struct side four = {
        .type = ACL_FLOAT, .format = ACL_FORMAT_NCHW, .rank = 4, .sizes = {1, 2, 3, 4}};
    struct side plain = four;
    plain.format = ACL_FORMAT_ND;
    fill(24);
    cr_assert_eq(run(0, "Identity", &four, &plain), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_expect_arr_eq(to_memory, from_memory, 24 * sizeof(float));
    struct side one = {.type = ACL_FLOAT, .format = ACL_FORMAT_ND};
    fill(1);
    cr_assert_eq(run(0, "Identity", &one, &one), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_expect_eq(*(float *)to_memory, -2.75f);
    struct side none = {.type = ACL_FLOAT, .format = ACL_FORMAT_ND, .rank = 2, .sizes = {0, 7}};
    cr_assert_eq(run(0, "Identity", &none, &none), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

Test(op_by_name, cast_is_to_the_output)
{
    struct side from = {.type = ACL_FLOAT, .format = ACL_FORMAT_ND, .rank = 1, .sizes = {9}};
    struct side to = from;
    to.type = ACL_INT32;
    fill(9);
    cr_assert_eq(run(0, "Cast", &from, &to), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int i = 0; i < 9; i++)
        cr_expect_eq(((int32_t *)to_memory)[i], (int32_t)((float)i - 2.75f));
}

static void expect_kept(const char *name, const struct side *from, const struct side *to,
                        aclError code, const char *fragment)
{
    fill(120);
    cr_expect_eq(run(0, name, from, to), code);
    expect_text("aclopCompileAndExecute()", fragment);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_expect_eq(((unsigned char *)to_memory)[0], 0x55, "%s has written", name);
}

Test(op_by_name, what_is_no_copy_is_refused)
{
    const aclError unsupported = ACL_ERROR_API_NOT_SUPPORT;
    const struct side good = {
        .type = ACL_FLOAT, .format = ACL_FORMAT_NCHW, .rank = 4, .sizes = {2, 3, 4, 5}};
    struct side other = good;
    other.type = ACL_INT32;
    expect_kept("Identity", &good, &other, unsupported, "called for Identity(FLOAT[2,3,4,5]");
    expect_kept("TransData", &good, &other, unsupported, "called for TransData");
    other = good;
    other.format = ACL_FORMAT_FRACTAL_NZ;
    expect_kept("Identity", &good, &other, unsupported, "stored as FRACTAL_NZ");
    other = (struct side){
        .type = ACL_FLOAT, .format = ACL_FORMAT_NHWC, .rank = 4, .sizes = {2, 4, 5, 3}};
    expect_kept("TensorMove", &good, &other, unsupported, "called for TensorMove");
    expect_kept("Cast", &good, &other, unsupported, "called for Cast");
    other.sizes[3] = 4;
    expect_kept("TransData", &good, &other, unsupported, "called for TransData");
    other = (struct side){
        .type = ACL_FLOAT, .format = ACL_FORMAT_NDHWC, .rank = 5, .sizes = {2, 1, 4, 5, 3}};
    expect_kept("TransData", &good, &other, unsupported, "called for TransData");
    other = good;
    other.place = ACL_MEMTYPE_HOST;
    expect_kept("Identity", &other, &good, unsupported, "on the host");
    expect_kept("Add", &good, &good, unsupported, "called for Add");
    other = good;
    other.sizes[0] = -1;
    expect_kept("Identity", &good, &other, unsupported, "FLOAT[-1,3,4,5]");
    other = good;
    other.missing = 1;
    expect_kept("Identity", &other, &good, ACL_ERROR_INVALID_PARAM,
                "inputs[0] has a buffer of 479 bytes; its tensor takes 480");
    expect_kept("Identity", &good, &other, ACL_ERROR_INVALID_PARAM,
                "outputs[0] has a buffer of 479 bytes");
    aclTensorDesc *descs[] = {NULL};
    aclDataBuffer *buffers[] = {NULL};
    cr_expect_eq(aclopExecuteV2("Identity", 1, descs, buffers, 1, descs, buffers, NULL, stream),
                 unsupported);
}

Test(op_by_name, no_memory_is_an_error_and_no_crash)
{
    const struct side from = {
        .type = ACL_FLOAT, .format = ACL_FORMAT_NCHW, .rank = 4, .sizes = {2, 3, 4, 5}};
    struct side to = {
        .type = ACL_FLOAT, .format = ACL_FORMAT_NHWC, .rank = 4, .sizes = {2, 4, 5, 3}};
    aclTensorDesc *inputs[] = {describe(&from)}, *outputs[] = {describe(&to)};
    aclDataBuffer *in[] = {aclCreateDataBuffer(from_memory, 480)};
    aclDataBuffer *out[] = {aclCreateDataBuffer(to_memory, 480)};
    aclError status = ACL_ERROR_BAD_ALLOC;
    int failures = 0;
    while (status != ACL_SUCCESS) {
        cr_assert_lt(failures, 100);
        rt_alloc_fail_at(failures + 1);
        status = aclopExecuteV2("TransData", 1, inputs, in, 1, outputs, out, NULL, stream);
        rt_alloc_fail_at(0);
        if (status != ACL_SUCCESS) failures++;
    }
    cr_expect_gt(failures, 1);
    cr_expect_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    aclDestroyTensorDesc(inputs[0]);
    aclDestroyTensorDesc(outputs[0]);
    aclDestroyDataBuffer(in[0]);
    aclDestroyDataBuffer(out[0]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: what goes in comes out, what is wrong is refused with a text, what is kept stays alive.
 */
#include <pthread.h>

#include "tests/unit/meta.h"

static void expect_values(const int64_t *found, uint64_t count, const int64_t *expected,
                          uint64_t expected_count, const char *what)
{
    cr_expect_eq(count, expected_count, "%s: %llu values", what, (unsigned long long)count);
    for (uint64_t i = 0; i < count && i < expected_count; i++)
        cr_expect_eq(found[i], expected[i], "%s[%llu] is %lld, not %lld", what,
                     (unsigned long long)i, (long long)found[i], (long long)expected[i]);
}

typedef aclnnStatus getter(const aclTensor *, int64_t **, uint64_t *);

static void expect_got(getter *get, const aclTensor *tensor, const int64_t *expected,
                       uint64_t expected_count, const char *what)
{
    int64_t *found = NULL;
    uint64_t count = 99;
    cr_assert_eq(get(tensor, &found, &count), ACLNN_SUCCESS, "%s", what);
    cr_assert_not_null(found, "%s", what);
    expect_values(found, count, expected, expected_count, what);
    delete_array(found);
}

Test(tensor, gives_back_what_it_was_made_with)
{
    int64_t sizes[] = {2, 3, 5, 7}, strides[] = {400, 1, 60, 6}, storage[] = {1000, 4};
    int64_t offset = 0;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    aclDataType type = ACL_DT_UNDEFINED;
    void *address = NULL;
    char memory[16];
    aclTensor *tensor =
        aclCreateTensor(sizes, 4, ACL_BF16, strides, 11, ACL_FORMAT_NHWC, storage, 2, memory);
    cr_assert_not_null(tensor);
    /* The caller's arrays were copied. */
    sizes[0] = strides[0] = storage[0] = -1;
    expect_got(aclGetViewShape, tensor, (int64_t[]){2, 3, 5, 7}, 4, "sizes");
    expect_got(aclGetViewStrides, tensor, (int64_t[]){400, 1, 60, 6}, 4, "strides");
    expect_got(aclGetStorageShape, tensor, (int64_t[]){1000, 4}, 2, "storage");
    cr_expect_eq(aclGetViewOffset(tensor, &offset), ACLNN_SUCCESS);
    cr_expect_eq(offset, 11);
    cr_expect_eq(aclGetFormat(tensor, &format), ACLNN_SUCCESS);
    cr_expect_eq(format, ACL_FORMAT_NHWC);
    cr_expect_eq(aclGetDataType(tensor, &type), ACLNN_SUCCESS);
    cr_expect_eq(type, ACL_BF16);
    cr_expect_eq(aclGetRawTensorAddr(tensor, &address), ACLNN_SUCCESS);
    cr_expect_eq(address, memory);
    cr_expect_eq(aclSetRawTensorAddr(tensor, memory + 4), ACLNN_SUCCESS);
    cr_expect_eq(aclGetRawTensorAddr(tensor, &address), ACLNN_SUCCESS);
    cr_expect_eq(address, memory + 4);
    cr_expect_eq(aclDestroyTensor(tensor), ACLNN_SUCCESS);
}

Test(tensor, derives_row_major_strides)
{
    static const struct {
        uint64_t rank;
        int64_t sizes[4], strides[4];
    } cases[] = {
        {1, {9}, {1}},
        {3, {2, 3, 5}, {15, 5, 1}},
        {4, {4, 1, 6, 2}, {12, 12, 2, 1}},
        {3, {2, 0, 3}, {0, 3, 1}},
        {3, {5, INT64_MAX, 2}, {INT64_MAX, 2, 1}},
        {4, {5, 2, INT64_MAX, 3}, {INT64_MAX, INT64_MAX, 3, 1}},
        {2, {3, -4}, {-4, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aclTensor *tensor = aclCreateTensor(cases[i].sizes, cases[i].rank, ACL_FLOAT, NULL, 0,
                                            ACL_FORMAT_ND, NULL, 0, NULL);
        cr_assert_not_null(tensor, "case %zu", i);
        expect_got(aclGetViewStrides, tensor, cases[i].strides, cases[i].rank, "strides");
        aclDestroyTensor(tensor);
    }
}

Test(tensor, may_have_no_dimension)
{
    int64_t count = 0;
    aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    cr_assert_not_null(tensor);
    expect_got(aclGetViewShape, tensor, NULL, 0, "sizes");
    expect_got(aclGetViewStrides, tensor, NULL, 0, "strides");
    expect_got(aclGetStorageShape, tensor, NULL, 0, "storage");
    cr_expect(ex_element_count(tensor->descriptor.sizes, 0, &count));
    cr_expect_eq(count, 1);
    aclDestroyTensor(tensor);
}

Test(tensor, stores_up_to_25_dimensions)
{
    int64_t many[25];
    for (int i = 0; i < 25; i++)
        many[i] = i + 1;
    aclTensor *tensor =
        aclCreateTensor(many, 25, ACL_FLOAT, many, 0, ACL_FORMAT_ND, many, 25, NULL);
    cr_assert_not_null(tensor);
    expect_got(aclGetViewShape, tensor, many, 25, "sizes");
    expect_got(aclGetViewStrides, tensor, many, 25, "strides");
    expect_got(aclGetStorageShape, tensor, many, 25, "storage");
    aclDestroyTensor(tensor);

    const uint64_t too_many[] = {26, 1u << 31, UINT64_MAX / 16 + 2, UINT64_MAX};
    for (int i = 0; i < 4; i++) {
        EXPECT_NO_OBJECT(
            aclCreateTensor(many, too_many[i], ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, many, 2, NULL),
            "viewDimsNum");
        EXPECT_NO_OBJECT(
            aclCreateTensor(many, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, many, too_many[i], NULL),
            "storageDimsNum");
    }
}

Test(tensor, refuses_arrays_that_are_missing)
{
    const int64_t sizes[] = {2, 3};
    EXPECT_NO_OBJECT(aclCreateTensor(NULL, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 2, NULL),
                     "viewDims");
    EXPECT_NO_OBJECT(aclCreateTensor(sizes, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 1, NULL),
                     "storageDims");
}

/* Operators refuse these; here they must only do no harm. */
Test(tensor, survives_values_without_sense)
{
    const int64_t worst[] = {INT64_MIN, INT64_MAX, -1, 0};
    aclTensor *tensor = aclCreateTensor(worst, 4, (aclDataType)12345, worst, INT64_MIN,
                                        (aclFormat)-77, worst, 4, (void *)1);
    cr_assert_not_null(tensor);
    expect_got(aclGetViewShape, tensor, worst, 4, "sizes");
    aclDestroyTensor(tensor);
}

Test(tensor, getters_name_what_is_null)
{
    aclTensor *tensor = plain_tensor();
    int64_t *array = NULL, offset;
    uint64_t count = 99;
    aclFormat format;
    aclDataType type;
    void *address;
    static const struct {
        getter *get;
        const char *array, *count;
    } getters[] = {
        {aclGetViewShape, "viewDims is NULL", "viewDimsNum is NULL"},
        {aclGetStorageShape, "storageDims is NULL", "storageDimsNum is NULL"},
        {aclGetViewStrides, "stridesValue is NULL", "stridesNum is NULL"},
    };
    for (int i = 0; i < 3; i++) {
        EXPECT_REFUSED(getters[i].get(NULL, &array, &count), ACLNN_ERR_PARAM_NULLPTR, "tensor");
        EXPECT_REFUSED(getters[i].get(tensor, NULL, &count), ACLNN_ERR_PARAM_NULLPTR,
                       getters[i].array);
        EXPECT_REFUSED(getters[i].get(tensor, &array, NULL), ACLNN_ERR_PARAM_NULLPTR,
                       getters[i].count);
    }
    cr_expect_null(array);
    cr_expect_eq(count, 99);
    EXPECT_REFUSED(aclGetViewOffset(NULL, &offset), ACLNN_ERR_PARAM_NULLPTR, "tensor");
    EXPECT_REFUSED(aclGetViewOffset(tensor, NULL), ACLNN_ERR_PARAM_NULLPTR, "offset");
    EXPECT_REFUSED(aclGetFormat(NULL, &format), ACLNN_ERR_PARAM_NULLPTR, "tensor");
    EXPECT_REFUSED(aclGetFormat(tensor, NULL), ACLNN_ERR_PARAM_NULLPTR, "format");
    EXPECT_REFUSED(aclGetDataType(NULL, &type), ACLNN_ERR_PARAM_NULLPTR, "tensor");
    EXPECT_REFUSED(aclGetDataType(tensor, NULL), ACLNN_ERR_PARAM_NULLPTR, "dataType");
    EXPECT_REFUSED(aclGetRawTensorAddr(NULL, &address), ACLNN_ERR_PARAM_NULLPTR, "tensor");
    EXPECT_REFUSED(aclGetRawTensorAddr(tensor, NULL), ACLNN_ERR_PARAM_NULLPTR, "addr");
    EXPECT_REFUSED(aclSetRawTensorAddr(NULL, NULL), ACLNN_ERR_PARAM_NULLPTR, "tensor");
    aclDestroyTensor(tensor);
}

Test(tensor, can_be_described_anew)
{
    static const int64_t values[] = {1, 2, 3, 4, 5, 6, 7};
    /* The tensor was made with room for 6 extents (2 sizes, 2 strides, 2 storage sizes). */
    static const struct {
        uint64_t rank, storage_rank;
        int64_t requests;
    } shapes[] = {{1, 1, 0}, {2, 2, 0}, {3, 1, 1}, {1, 5, 0}, {5, 5, 1},
                  {1, 1, 0}, {7, 7, 1}, {5, 5, 0}, {0, 0, 0}, {7, 7, 0}};
    int memory = 0;
    void *address = NULL;
    aclTensor *tensor = plain_tensor();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint64_t rank = shapes[i].rank, storage_rank = shapes[i].storage_rank;
        rt_alloc_fail_at(0);
        cr_assert_eq(aclInitTensor(tensor, values, rank, ACL_FLOAT16, NULL, (int64_t)i,
                                   ACL_FORMAT_NCL, values, storage_rank, &memory),
                     ACLNN_SUCCESS);
        cr_expect_eq(rt_alloc_fail_at(0), shapes[i].requests, "shape %zu", i);
        expect_got(aclGetViewShape, tensor, values, rank, "sizes");
        expect_got(aclGetStorageShape, tensor, values, storage_rank, "storage");
        cr_expect(rank == 0 || tensor->descriptor.strides[rank - 1] == 1, "shape %zu", i);
        cr_expect_eq(tensor->descriptor.offset, (int64_t)i);
    }
    cr_expect_eq(aclGetRawTensorAddr(tensor, &address), ACLNN_SUCCESS);
    cr_expect_eq(address, &memory);
    cr_expect_eq(tensor->descriptor.data_type, ACL_FLOAT16);
    cr_expect_eq(tensor->descriptor.format, ACL_FORMAT_NCL);
    cr_expect_eq(tensor->descriptor.storage_format, ACL_FORMAT_NCL);
    aclDestroyTensor(tensor);
}

Test(tensor, is_as_before_when_a_new_description_fails)
{
    const int64_t large[] = {2, 3, 4, 5, 6};
    aclTensor *tensor = plain_tensor();
    EXPECT_REFUSED(aclInitTensor(NULL, large, 5, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, large, 5, NULL),
                   ACLNN_ERR_PARAM_NULLPTR, "tensor");
    EXPECT_REFUSED(aclInitTensor(tensor, NULL, 5, ACL_INT8, NULL, 0, ACL_FORMAT_ND, large, 5, NULL),
                   ACLNN_ERR_PARAM_NULLPTR, "viewDims");
    EXPECT_REFUSED(
        aclInitTensor(tensor, large, 26, ACL_INT8, NULL, 0, ACL_FORMAT_ND, large, 5, NULL),
        ACLNN_ERR_PARAM_INVALID, "viewDimsNum");
    rt_alloc_fail_at(1);
    EXPECT_REFUSED(
        aclInitTensor(tensor, large, 5, ACL_INT8, NULL, 0, ACL_FORMAT_ND, large, 5, NULL),
        ACLNN_ERR_INNER, "memory");
    expect_got(aclGetViewShape, tensor, (int64_t[]){2, 3}, 2, "sizes");
    expect_got(aclGetViewStrides, tensor, (int64_t[]){3, 1}, 2, "strides");
    cr_expect_eq(tensor->descriptor.data_type, ACL_FLOAT);
    aclDestroyTensor(tensor);
}

Test(tensor, outlives_its_handle_while_somebody_keeps_it)
{
    aclTensor *tensor = counted_tensor();
    struct ex_descriptor *kept = &tensor->descriptor;
    ex_descriptor_retain(kept);
    cr_expect_eq(aclDestroyTensor(tensor), ACLNN_SUCCESS);
    cr_expect_eq(freed, 0);
    cr_expect_eq(kept->sizes[1], 3);
    ex_descriptor_release(kept);
    cr_expect_eq(freed, 1);
    ex_descriptor_release(NULL);
}

static char threads_wrote[16];

static void *keep_and_give_back(void *tensor)
{
    void *address;
    for (int i = 0; i < 10000; i++) {
        ex_descriptor_retain(tensor);
        aclSetRawTensorAddr(tensor, &threads_wrote[i % 16]);
        aclGetRawTensorAddr(tensor, &address);
        ex_descriptor_release(tensor);
    }
    ex_descriptor_release(tensor);
    return NULL;
}

Test(tensor, is_freed_once_by_many_threads)
{
    pthread_t threads[4];
    aclTensor *tensor = counted_tensor();
    for (int i = 0; i < 4; i++) {
        ex_descriptor_retain(&tensor->descriptor);
        cr_assert_eq(pthread_create(&threads[i], NULL, keep_and_give_back, tensor), 0);
    }
    aclDestroyTensor(tensor);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(freed, 1);
}

Test(tensor, costs_one_allocation)
{
    const int64_t sizes[] = {1, 2, 3, 4};
    rt_alloc_fail_at(0);
    aclTensor *tensor =
        aclCreateTensor(sizes, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, sizes, 4, NULL);
    cr_expect_eq(rt_alloc_fail_at(0), 1);
    aclDestroyTensor(tensor);
}

Test(count, knows_empty_negative_and_too_many)
{
    static const struct {
        int rank;
        int64_t sizes[4];
        bool fits;
        int64_t count;
    } cases[] = {
        {0, {0}, true, 1},
        {2, {3, 4}, true, 12},
        {3, {3, 0, 4}, true, 0},
        {3, {INT64_MAX, 2, 0}, true, 0},
        {3, {0, INT64_MAX, 2}, true, 0},
        {2, {INT64_MAX, 1}, true, INT64_MAX},
        {2, {INT64_MAX, 2}, false, -5},
        {4, {1 << 16, 1 << 16, 1 << 16, 1 << 16}, false, -5},
        {4, {1 << 16, 1 << 16, 1 << 16, 1 << 14}, true, INT64_C(1) << 62},
        {2, {-1, 4}, false, -5},
        {2, {0, -1}, false, -5},
        {2, {-3, -4}, false, -5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t count = -5;
        cr_expect_eq(ex_element_count(cases[i].sizes, cases[i].rank, &count), cases[i].fits,
                     "case %zu", i);
        cr_expect_eq(count, cases[i].count, "case %zu: %lld", i, (long long)count);
    }
}

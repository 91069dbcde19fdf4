/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors, scalars, arrays, lists, data buffers: what goes in comes out, what is wrong is refused
 * with a text, what is short of memory leaves nothing behind. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/tensor.h"
#include "runtime/alloc.h"

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"

/* operator delete[], where the process has a C++ runtime (the sanitizers bring one). */
extern void _ZdaPv(void *array) __attribute__((weak));

static void delete_array(int64_t *array)
{
    if (_ZdaPv)
        _ZdaPv(array);
    else
        free(array);
}

/* The text of the last failure names what the test expects it to name. */
#define EXPECT_TEXT(word)                                                                          \
    do {                                                                                           \
        const char *text = aclGetRecentErrMsg();                                                   \
        cr_assert_not_null(text, "no text, expected one with \"%s\"", (word));                     \
        cr_expect_not_null(strstr(text, (word)), "text without \"%s\": %s", (word), text);         \
    } while (0)

#define EXPECT_REFUSED(call, code, word)                                                           \
    do {                                                                                           \
        cr_expect_eq((call), (code), "%s", #call);                                                 \
        EXPECT_TEXT(word);                                                                         \
    } while (0)

#define EXPECT_NO_OBJECT(call, word)                                                               \
    do {                                                                                           \
        cr_expect_null((call), "%s", #call);                                                       \
        EXPECT_TEXT(word);                                                                         \
    } while (0)

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

static aclTensor *plain_tensor(void)
{
    static const int64_t sizes[] = {2, 3};
    return aclCreateTensor(sizes, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 2, NULL);
}

/* Counts how often tensors are really freed. */
static _Atomic int freed;
static void (*free_tensor)(struct ex_descriptor *);

static void counting_free(struct ex_descriptor *descriptor)
{
    freed++;
    free_tensor(descriptor);
}

static aclTensor *counted_tensor(void)
{
    aclTensor *tensor = plain_tensor();
    cr_assert_not_null(tensor);
    free_tensor = tensor->descriptor.free;
    tensor->descriptor.free = counting_free;
    return tensor;
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
    const int64_t small[] = {7}, large[] = {2, 3, 4, 5, 6}, larger[] = {1, 2, 3, 4, 5, 6, 7};
    int memory = 0;
    void *address = NULL;
    aclDataType type;
    aclTensor *tensor = plain_tensor();
    const struct {
        const int64_t *sizes;
        uint64_t rank;
    } shapes[] = {{small, 1}, {large, 5}, {small, 1}, {larger, 7}, {large, 5}};
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(aclInitTensor(tensor, shapes[i].sizes, shapes[i].rank, ACL_FLOAT16, NULL, i,
                                   ACL_FORMAT_ND, shapes[i].sizes, shapes[i].rank, &memory),
                     ACLNN_SUCCESS);
        expect_got(aclGetViewShape, tensor, shapes[i].sizes, shapes[i].rank, "sizes");
        expect_got(aclGetStorageShape, tensor, shapes[i].sizes, shapes[i].rank, "storage");
        cr_expect_eq(tensor->descriptor.strides[shapes[i].rank - 1], 1);
        cr_expect_eq(tensor->descriptor.offset, i);
    }
    cr_expect_eq(aclGetRawTensorAddr(tensor, &address), ACLNN_SUCCESS);
    cr_expect_eq(address, &memory);
    cr_expect_eq(aclGetDataType(tensor, &type), ACLNN_SUCCESS);
    cr_expect_eq(type, ACL_FLOAT16);
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

Test(scalar, keeps_the_bytes_of_its_type)
{
    static const struct {
        aclDataType type;
        size_t size;
    } types[] = {
        {ACL_FLOAT, 4},         {ACL_FLOAT16, 2},     {ACL_BF16, 2},        {ACL_DOUBLE, 8},
        {ACL_INT8, 1},          {ACL_INT16, 2},       {ACL_INT32, 4},       {ACL_INT64, 8},
        {ACL_UINT8, 1},         {ACL_UINT16, 2},      {ACL_UINT32, 4},      {ACL_UINT64, 8},
        {ACL_BOOL, 1},          {ACL_COMPLEX32, 4},   {ACL_COMPLEX64, 8},   {ACL_COMPLEX128, 16},
        {ACL_INT4, 1},          {ACL_UINT1, 1},       {ACL_HIFLOAT8, 1},    {ACL_FLOAT8_E5M2, 1},
        {ACL_FLOAT8_E4M3FN, 1}, {ACL_FLOAT8_E8M0, 1}, {ACL_FLOAT6_E3M2, 1}, {ACL_FLOAT6_E2M3, 1},
        {ACL_FLOAT4_E2M1, 1},   {ACL_FLOAT4_E1M2, 1},
    };
    char bytes[17];
    for (int i = 0; i < 17; i++)
        bytes[i] = (char)(i + 1);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        static const char zeros[16];
        aclScalar *scalar = aclCreateScalar(bytes + 1, types[i].type); /* not aligned */
        cr_assert_not_null(scalar, "type %d", types[i].type);
        cr_expect_eq(aclDataTypeSize(types[i].type), types[i].size, "type %d", types[i].type);
        cr_expect_eq(scalar->data_type, types[i].type);
        cr_expect_eq(memcmp(scalar->value, bytes + 1, types[i].size), 0, "type %d", types[i].type);
        cr_expect_eq(memcmp(scalar->value + types[i].size, zeros, 16 - types[i].size), 0);
        aclDestroyScalar(scalar);
    }
}

Test(scalar, refuses_what_has_no_value)
{
    static const int no_types[] = {
        ACL_DT_UNDEFINED, ACL_STRING, 5, 14, 15, 18, 26, 28, 31, 32, 42, 1000,
        INT32_MIN,        INT32_MAX};
    int64_t value = 1;
    EXPECT_NO_OBJECT(aclCreateScalar(NULL, ACL_FLOAT), "value");
    for (size_t i = 0; i < sizeof no_types / sizeof *no_types; i++) {
        EXPECT_NO_OBJECT(aclCreateScalar(&value, (aclDataType)no_types[i]), "dataType");
        cr_expect_eq(aclDataTypeSize((aclDataType)no_types[i]), 0, "type %d", no_types[i]);
    }
}

Test(array, copies_its_values)
{
    int64_t ints[] = {-1, INT64_MAX, 5};
    float floats[] = {0.5f, -0.0f};
    bool bools[] = {true, false, true, true};
    uint64_t size = 0;
    aclIntArray *i = aclCreateIntArray(ints, 3);
    aclFloatArray *f = aclCreateFloatArray(floats, 2);
    aclBoolArray *b = aclCreateBoolArray(bools, 4);
    cr_assert(i && f && b);
    cr_expect_eq(memcmp(i->values, ints, sizeof ints), 0);
    cr_expect_eq(memcmp(f->values, floats, sizeof floats), 0);
    cr_expect_eq(memcmp(b->values, bools, sizeof bools), 0);
    ints[0] = 0;
    cr_expect_eq(i->values[0], -1);
    cr_expect_eq(aclGetIntArraySize(i, &size), ACLNN_SUCCESS);
    cr_expect_eq(size, 3);
    cr_expect_eq(aclGetFloatArraySize(f, &size), ACLNN_SUCCESS);
    cr_expect_eq(size, 2);
    cr_expect_eq(aclGetBoolArraySize(b, &size), ACLNN_SUCCESS);
    cr_expect_eq(size, 4);
    cr_expect_eq(aclDestroyIntArray(i), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyFloatArray(f), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyBoolArray(b), ACLNN_SUCCESS);
}

Test(array, of_nothing_is_empty)
{
    const int64_t ints[] = {1};
    const float floats[] = {1};
    const bool bools[] = {true};
    for (int given = 0; given < 2; given++) {
        uint64_t size = 9, count = given ? 0 : UINT64_MAX; /* a count without values counts for 0 */
        aclIntArray *i = aclCreateIntArray(given ? ints : NULL, count);
        aclFloatArray *f = aclCreateFloatArray(given ? floats : NULL, count);
        aclBoolArray *b = aclCreateBoolArray(given ? bools : NULL, count);
        aclTensorList *t = aclCreateTensorList(NULL, count);
        aclScalarList *s = aclCreateScalarList(NULL, count);
        cr_assert(i && f && b && t && s);
        cr_expect(aclGetIntArraySize(i, &size) == ACLNN_SUCCESS && size == 0);
        cr_expect(aclGetFloatArraySize(f, &size) == ACLNN_SUCCESS && size == 0);
        cr_expect(aclGetBoolArraySize(b, &size) == ACLNN_SUCCESS && size == 0);
        cr_expect(aclGetTensorListSize(t, &size) == ACLNN_SUCCESS && size == 0);
        cr_expect(aclGetScalarListSize(s, &size) == ACLNN_SUCCESS && size == 0);
        aclDestroyIntArray(i);
        aclDestroyFloatArray(f);
        aclDestroyBoolArray(b);
        aclDestroyTensorList(t);
        aclDestroyScalarList(s);
    }
}

Test(array, refuses_sizes_beyond_memory)
{
    const int64_t ints[] = {1};
    const float floats[] = {1};
    const bool bools[] = {true};
    EXPECT_NO_OBJECT(aclCreateIntArray(ints, UINT64_MAX), "size");
    EXPECT_NO_OBJECT(aclCreateIntArray(ints, UINT64_MAX / 8), "size");
    EXPECT_NO_OBJECT(aclCreateFloatArray(floats, UINT64_MAX / 4), "size");
    EXPECT_NO_OBJECT(aclCreateBoolArray(bools, UINT64_MAX - 3), "size");
    EXPECT_NO_OBJECT(aclCreateTensorList((const aclTensor *const *)ints, UINT64_MAX / 8), "size");
    EXPECT_NO_OBJECT(aclCreateScalarList((const aclScalar *const *)ints, UINT64_MAX / 4), "size");
}

Test(array, getters_name_what_is_null)
{
    uint64_t size = 7;
    aclIntArray *i = aclCreateIntArray(NULL, 0);
    EXPECT_REFUSED(aclGetIntArraySize(NULL, &size), ACLNN_ERR_PARAM_NULLPTR, "array");
    EXPECT_REFUSED(aclGetIntArraySize(i, NULL), ACLNN_ERR_PARAM_NULLPTR, "size");
    EXPECT_REFUSED(aclGetFloatArraySize(NULL, &size), ACLNN_ERR_PARAM_NULLPTR, "array");
    EXPECT_REFUSED(aclGetBoolArraySize(NULL, &size), ACLNN_ERR_PARAM_NULLPTR, "array");
    EXPECT_REFUSED(aclGetTensorListSize(NULL, &size), ACLNN_ERR_PARAM_NULLPTR, "tensorList");
    EXPECT_REFUSED(aclGetScalarListSize(NULL, &size), ACLNN_ERR_PARAM_NULLPTR, "scalarList");
    cr_expect_eq(size, 7);
    aclDestroyIntArray(i);
}

Test(list, destroys_its_elements)
{
    float value = 1;
    const aclTensor *tensors[] = {counted_tensor(), NULL, counted_tensor()};
    const aclScalar *scalars[] = {aclCreateScalar(&value, ACL_FLOAT), NULL};
    uint64_t size = 0;
    aclTensorList *list = aclCreateTensorList(tensors, 3);
    aclScalarList *scalar_list = aclCreateScalarList(scalars, 2);
    cr_assert(list && scalar_list);
    cr_expect_eq(list->elements[2], tensors[2]);
    tensors[2] = NULL; /* the pointers were copied */
    cr_expect_not_null(list->elements[2]);
    cr_expect_eq(aclGetTensorListSize(list, &size), ACLNN_SUCCESS);
    cr_expect_eq(size, 3);
    cr_expect_eq(aclGetScalarListSize(scalar_list, &size), ACLNN_SUCCESS);
    cr_expect_eq(size, 2);
    cr_expect_eq(aclDestroyTensorList(list), ACLNN_SUCCESS);
    cr_expect_eq(freed, 2);
    cr_expect_eq(aclDestroyScalarList(scalar_list), ACLNN_SUCCESS);
}

Test(destroy, takes_null)
{
    cr_expect_eq(aclDestroyTensor(NULL), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyScalar(NULL), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyIntArray(NULL), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyFloatArray(NULL), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyBoolArray(NULL), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyTensorList(NULL), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyScalarList(NULL), ACLNN_SUCCESS);
    cr_expect_null(aclGetRecentErrMsg());
}

/* One walk over everything that allocates; returns whether all of it succeeded, and each failure
 * must have a text. */
static bool walk(void)
{
    const int64_t ints[] = {2, 3};
    const float floats[] = {1};
    const bool bools[] = {true};
    int64_t value = 1, *copy = NULL;
    uint64_t count;
    int failures = 0;
    aclTensor *tensor = aclCreateTensor(ints, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, ints, 2, NULL);
    failures += !tensor;
    aclnnStatus status =
        tensor ? aclGetViewShape(tensor, &copy, &count) : (aclnnStatus)ACLNN_SUCCESS;
    failures += status != ACLNN_SUCCESS;
    cr_expect(status == ACLNN_SUCCESS || (status == ACLNN_ERR_INNER && !copy));
    if (copy) delete_array(copy);
    aclIntArray *i = aclCreateIntArray(ints, 2);
    aclFloatArray *f = aclCreateFloatArray(floats, 1);
    aclBoolArray *b = aclCreateBoolArray(bools, 1);
    aclScalar *scalar = aclCreateScalar(&value, ACL_INT64);
    aclTensorList *tensors = aclCreateTensorList((const aclTensor *[]){tensor}, 1);
    aclScalarList *scalars = aclCreateScalarList((const aclScalar *[]){scalar}, 1);
    aclDataBuffer *buffer = aclCreateDataBuffer(&value, sizeof value);
    failures += !i + !f + !b + !scalar + !tensors + !scalars + !buffer;
    aclDestroyIntArray(i);
    aclDestroyFloatArray(f);
    aclDestroyBoolArray(b);
    /* A list that could not be made has not taken its elements over. */
    if (!tensors) aclDestroyTensor(tensor);
    if (!scalars) aclDestroyScalar(scalar);
    aclDestroyTensorList(tensors);
    aclDestroyScalarList(scalars);
    if (buffer) aclDestroyDataBuffer(buffer);
    cr_expect_leq(failures, 1);
    if (failures) EXPECT_TEXT("memory");
    return failures == 0;
}

Test(memory, each_failing_request_is_reported_and_leaves_nothing)
{
    int failing = 1;
    for (;; failing++) {
        rt_alloc_fail_at(failing);
        if (walk()) break;
        cr_assert_lt(failing, 100);
    }
    cr_expect_eq(failing, 10, "%d requests were made to fail", failing - 1);
}

Test(buffer, is_a_pair)
{
    int a, b;
    aclDataBuffer *buffer = aclCreateDataBuffer(&a, (size_t)7 << 32 | 5);
    cr_assert_not_null(buffer);
    cr_expect_eq(aclGetDataBufferAddr(buffer), &a);
    cr_expect_eq(aclGetDataBufferSizeV2(buffer), (size_t)7 << 32 | 5);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    cr_expect_eq(aclGetDataBufferSize(buffer), 5);
    cr_expect_eq(aclGetDataBufferSize(NULL), 0);
#pragma GCC diagnostic pop
    cr_expect_eq(aclUpdateDataBuffer(buffer, &b, 3), ACL_SUCCESS);
    cr_expect_eq(aclGetDataBufferAddr(buffer), &b);
    cr_expect_eq(aclGetDataBufferSizeV2(buffer), 3);
    cr_expect_eq(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
    cr_expect_null(aclGetDataBufferAddr(NULL));
    cr_expect_eq(aclGetDataBufferSizeV2(NULL), 0);
    EXPECT_REFUSED(aclUpdateDataBuffer(NULL, &b, 3), ACL_ERROR_INVALID_PARAM, "dataBuffer");
    EXPECT_REFUSED(aclDestroyDataBuffer(NULL), ACL_ERROR_INVALID_PARAM, "dataBuffer");
}

Test(library, objects_may_be_destroyed_after_it_has_ended)
{
    int64_t value = 1;
    cr_assert_eq(aclnnInit(NULL), ACLNN_SUCCESS);
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    const aclTensor *tensors[] = {counted_tensor()};
    aclTensorList *list = aclCreateTensorList(tensors, 1);
    aclIntArray *array = aclCreateIntArray(&value, 1);
    aclScalar *scalar = aclCreateScalar(&value, ACL_INT64);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    cr_assert_eq(aclnnFinalize(), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyTensorList(list), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyIntArray(array), ACLNN_SUCCESS);
    cr_expect_eq(aclDestroyScalar(scalar), ACLNN_SUCCESS);
    cr_expect_eq(freed, 1);
}

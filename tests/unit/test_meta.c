/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars, arrays, lists, data buffers, and all objects when memory is short. */
#include "tests/unit/meta.h"

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

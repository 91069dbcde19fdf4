/* SPDX-License-Identifier: Apache-2.0 */
/* The older single-operator interface: descriptions and attributes are kept, running is refused. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "runtime/support/alloc.h"
#include "tests/unit/refusal.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

TestSuite(op_compile, .timeout = 600);

/* ---- Descriptions ---- */

Test(op_compile, description_keeps_what_it_is_told)
{
    int64_t dims[] = {2, 3, 4};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_NCL);
    cr_assert_not_null(desc);
    dims[0] = 99; /* the array is copied */
    cr_expect_eq(aclGetTensorDescType(desc), ACL_FLOAT16);
    cr_expect_eq(aclGetTensorDescFormat(desc), ACL_FORMAT_NCL);
    cr_expect_eq(aclGetTensorDescNumDims(desc), 3);
    cr_expect_eq(aclGetTensorDescElementCount(desc), 24);
    cr_expect_eq(aclGetTensorDescSize(desc), 48);
    int64_t size = 0, range[2] = {0};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(aclGetTensorDescDimV2(desc, i, &size), ACL_SUCCESS);
        cr_expect_eq(size, (int64_t)i + 2);
        cr_expect_eq(aclGetTensorDescDim(desc, i), size);
        cr_assert_eq(aclGetTensorDescDimRange(desc, i, 2, range), ACL_SUCCESS);
        cr_expect(range[0] == size && range[1] == size);
    }

    cr_expect_str_eq(aclGetTensorDescName(desc), "");
    char name[] = "x";
    aclSetTensorDescName(desc, name);
    name[0] = 'y';
    cr_expect_str_eq(aclGetTensorDescName(desc), "x");
    aclSetTensorDescName(desc, NULL);
    cr_expect_str_eq(aclGetTensorDescName(desc), "");

    const int64_t stored[] = {1, 2};
    cr_assert_eq(aclSetTensorShape(desc, 2, stored), ACL_SUCCESS);
    cr_assert_eq(aclSetTensorFormat(desc, ACL_FORMAT_FRACTAL_NZ), ACL_SUCCESS);
    cr_expect_eq(aclGetTensorDescNumDims(desc), 3, "the shape in memory is not the tensor's");
    cr_expect_eq(aclGetTensorDescFormat(desc), ACL_FORMAT_NCL);
    cr_assert_eq(aclSetTensorOriginShape(desc, 2, stored), ACL_SUCCESS);
    cr_assert_eq(aclSetTensorOriginFormat(desc, ACL_FORMAT_ND), ACL_SUCCESS);
    cr_expect_eq(aclGetTensorDescElementCount(desc), 2);
    cr_expect_eq(aclGetTensorDescFormat(desc), ACL_FORMAT_ND);
    cr_assert_eq(aclSetTensorOriginShape(desc, 0, NULL), ACL_SUCCESS);
    cr_expect_eq(aclGetTensorDescNumDims(desc), 0);
    cr_expect_eq(aclGetTensorDescElementCount(desc), 1);
    cr_expect_eq(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST), ACL_SUCCESS);
    cr_expect_eq(aclSetTensorConst(desc, name, 2), ACL_SUCCESS);
    aclDestroyTensorDesc(desc);
    cr_expect_null(aclGetRecentErrMsg());
}

Test(op_compile, description_of_what_is_not_known)
{
    const int64_t dims[] = {-1, 5};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_INT32, 2, dims, ACL_FORMAT_ND);
    int64_t size = 0, range[2] = {7, 7};
    cr_expect_eq(aclGetTensorDescElementCount(desc), 0);
    cr_expect_eq(aclGetTensorDescSize(desc), 0);
    cr_assert_eq(aclGetTensorDescDimV2(desc, 0, &size), ACL_SUCCESS);
    cr_expect_eq(size, -1);
    expect_refused(aclGetTensorDescDimRange(desc, 0, 2, range), ACL_ERROR_INVALID_PARAM,
                   "is not known and has no range");
    int64_t ranges[2][2] = {{1, 16}, {5, 5}};
    cr_assert_eq(aclSetTensorShapeRange(desc, 2, ranges), ACL_SUCCESS);
    cr_assert_eq(aclGetTensorDescDimRange(desc, 0, 2, range), ACL_SUCCESS);
    cr_expect(range[0] == 1 && range[1] == 16);
    cr_assert_eq(aclSetTensorShapeRange(desc, 0, NULL), ACL_SUCCESS);
    expect_refused(aclGetTensorDescDimRange(desc, 0, 2, range), ACL_ERROR_INVALID_PARAM, "range");
    aclDestroyTensorDesc(desc);

    const int64_t unknown_rank[] = {-2}, large[] = {INT64_MAX, 3};
    desc = aclCreateTensorDesc(ACL_INT32, 1, unknown_rank, ACL_FORMAT_ND);
    cr_expect_eq(aclGetTensorDescNumDims(desc), ACL_UNKNOWN_RANK);
    expect_refused(aclGetTensorDescDimV2(desc, 0, &size), ACL_ERROR_INVALID_PARAM, "rank");
    aclDestroyTensorDesc(desc);
    desc = aclCreateTensorDesc(ACL_INT32, 2, large, ACL_FORMAT_ND);
    cr_expect_eq(aclGetTensorDescElementCount(desc), 0);
    aclDestroyTensorDesc(desc);
    desc = aclCreateTensorDesc(ACL_INT32, 1, large, ACL_FORMAT_ND);
    cr_expect_eq(aclGetTensorDescElementCount(desc), INT64_MAX);
    cr_expect_eq(aclGetTensorDescSize(desc), 0);
    aclDestroyTensorDesc(desc);
}

Test(op_compile, description_refusals)
{
    const aclError invalid = ACL_ERROR_INVALID_PARAM;
    const int64_t dims[] = {2, 3};
    int64_t size = 77, range[2] = {77, 77}, ranges[1][2] = {{0}};
    cr_expect_null(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND));
    expect_text("aclCreateTensorDesc()", "numDims is -1");
    cr_expect_null(aclCreateTensorDesc(ACL_FLOAT, 2, NULL, ACL_FORMAT_ND));
    expect_text("aclCreateTensorDesc()", "dims is NULL");
    for (int64_t n = 1; n <= 2; n++) {
        rt_alloc_fail_at(n);
        cr_expect_null(aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND));
        expect_text("aclCreateTensorDesc()", "no host memory");
    }
    rt_alloc_fail_at(0);
    aclDestroyTensorDesc(NULL);
    aclSetTensorDescName(NULL, "x");
    cr_expect_eq(aclGetTensorDescType(NULL), ACL_DT_UNDEFINED);
    cr_expect_eq(aclGetTensorDescFormat(NULL), ACL_FORMAT_UNDEFINED);
    cr_expect_eq(aclGetTensorDescSize(NULL), 0);
    cr_expect_eq(aclGetTensorDescElementCount(NULL), 0);
    cr_expect_eq(aclGetTensorDescNumDims(NULL), 0);
    cr_expect_eq(aclGetTensorDescDim(NULL, 0), -1);
    cr_expect_str_eq(aclGetTensorDescName(NULL), "");

    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    cr_expect_eq(aclGetTensorDescDim(desc, 2), -1);
    expect_refused(aclGetTensorDescDimV2(desc, 2, &size), invalid, "index is 2");
    expect_refused(aclGetTensorDescDimV2(NULL, 0, &size), invalid, "desc is NULL");
    expect_refused(aclGetTensorDescDimV2(desc, 0, NULL), invalid, "dimSize is NULL");
    expect_refused(aclGetTensorDescDimRange(desc, 2, 2, range), invalid, "index is 2");
    expect_refused(aclGetTensorDescDimRange(desc, 0, 1, range), invalid, "dimRangeNum is 1");
    expect_refused(aclGetTensorDescDimRange(desc, 0, 2, NULL), invalid, "dimRange is NULL");
    expect_refused(aclSetTensorShape(NULL, 2, dims), invalid, "desc is NULL");
    expect_refused(aclSetTensorShape(desc, -3, dims), invalid, "numDims is -3");
    expect_refused(aclSetTensorShape(desc, 1, NULL), invalid, "dims is NULL");
    expect_refused(aclSetTensorOriginShape(NULL, 2, dims), invalid, "desc is NULL");
    expect_refused(aclSetTensorFormat(NULL, ACL_FORMAT_ND), invalid, "desc is NULL");
    expect_refused(aclSetTensorOriginFormat(NULL, ACL_FORMAT_ND), invalid, "desc is NULL");
    expect_refused(aclSetTensorShapeRange(NULL, 1, ranges), invalid, "desc is NULL");
    expect_refused(aclSetTensorShapeRange(desc, 1, NULL), invalid, "dimsRange is NULL");
    expect_refused(aclSetTensorShapeRange(desc, SIZE_MAX, ranges), invalid, "dimsCount");
    expect_refused(aclSetTensorConst(NULL, &size, 8), invalid, "desc is NULL");
    expect_refused(aclSetTensorConst(desc, NULL, 8), invalid, "dataBuffer");
    expect_refused(aclSetTensorConst(desc, &size, 0), invalid, "length is 0");
    expect_refused(aclSetTensorPlaceMent(NULL, ACL_MEMTYPE_HOST), invalid, "desc is NULL");
    expect_refused(aclSetTensorPlaceMent(desc, (aclMemType)3), invalid, "memType is 3");
    rt_alloc_fail_at(1);
    expect_refused(aclSetTensorShape(desc, 2, dims), ACL_ERROR_BAD_ALLOC, "no host memory");
    rt_alloc_fail_at(1);
    expect_refused(aclSetTensorShapeRange(desc, 1, ranges), ACL_ERROR_BAD_ALLOC, "no host memory");
    rt_alloc_fail_at(1);
    aclSetTensorDescName(desc, "x");
    expect_text("aclSetTensorDescName()", "no host memory");
    rt_alloc_fail_at(0);
    cr_expect_eq(size, 77);
    cr_expect_eq(range[0], 77);
    cr_expect_eq(aclGetTensorDescElementCount(desc), 6);
    aclDestroyTensorDesc(desc);
}

/* ---- Attributes, as a refusal tells them ---- */

/* The call's text has fragment in it. */
static void expect_told(const aclopAttr *attr, const char *fragment)
{
    aclGetRecentErrMsg();
    cr_assert_eq(aclopCompileAndExecute("Op", 0, NULL, NULL, 0, NULL, NULL, attr, ACL_ENGINE_SYS,
                                        ACL_COMPILE_SYS, NULL, NULL),
                 ACL_ERROR_API_NOT_SUPPORT);
    expect_text("aclopCompileAndExecute()", fragment);
}

Test(op_compile, attributes_of_every_type)
{
    aclopAttr *attr = aclopCreateAttr();
    cr_assert_not_null(attr);
    expect_told(attr, "called for Op() -> () {}");
    expect_told(NULL, "Op() -> () {}");
    const aclDataType types[] = {ACL_FLOAT, ACL_BF16};
    const uint8_t flags[] = {1, 0};
    const int64_t ints[] = {3, INT64_MIN};
    const float floats[] = {0.5f, -1e30f};
    const char *strings[] = {"a", ""};
    const int counts[] = {2, 0, 1};
    const int64_t *lists[] = {ints, NULL, ints};
    cr_expect_eq(aclopSetAttrBool(attr, "bool", 1), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrInt(attr, "int", -5), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrFloat(attr, "float", 0.25f), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrString(attr, "string", "text"), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrDataType(attr, "type", ACL_INT8), ACL_SUCCESS);
    expect_told(attr, "{bool=true, int=-5, float=0.25, string=\"text\", type=INT8}");
    aclopDestroyAttr(attr);
    attr = aclopCreateAttr();
    cr_expect_eq(aclopSetAttrListDataType(attr, "types", 2, types), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrListBool(attr, "bools", 2, flags), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrListInt(attr, "ints", 2, ints), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrListFloat(attr, "floats", 2, floats), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrListString(attr, "strings", 2, strings), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrListListInt(attr, "lists", 3, counts, lists), ACL_SUCCESS);
    expect_told(attr, "{types=[FLOAT, BF16], bools=[true, false], ints=[3, -9223372036854775808], "
                      "floats=[0.5, -1.00000002e+30], strings=[\"a\", \"\"], "
                      "lists=[[3, -9223372036854775808], [], [3]]}");
    cr_expect_eq(aclopSetAttrListInt(attr, "ints", 0, NULL), ACL_SUCCESS); /* replaces */
    cr_expect_eq(aclopSetAttrInt(attr, "types", 1), ACL_SUCCESS);
    expect_told(attr, "{types=1, bools=[true, false], ints=[], floats");
    aclopDestroyAttr(attr);
    aclopDestroyAttr(NULL);
}

Test(op_compile, long_texts_are_cut)
{
    static int64_t ints[1000];
    aclopAttr *attr = aclopCreateAttr();
    cr_expect_eq(aclopSetAttrListInt(attr, "many", 1000, ints), ACL_SUCCESS);
    cr_expect_eq(aclopSetAttrInt(attr, "next", 1), ACL_SUCCESS);
    expect_told(attr, " 0,..., next=1}");
    char name[2000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (int i = 0; i < 20; i++) {
        name[0] = (char)('a' + i);
        cr_expect_eq(aclopSetAttrString(attr, name, name), ACL_SUCCESS);
    }
    expect_told(attr, "nnnnnn");
    aclopDestroyAttr(attr);
}

Test(op_compile, attribute_refusals)
{
    const aclError invalid = ACL_ERROR_INVALID_PARAM;
    aclopAttr *attr = aclopCreateAttr();
    const int64_t ints[] = {1};
    const int64_t *lists[] = {ints, NULL};
    const int counts[] = {1, 1}, negative[] = {-1};
    const char *strings[] = {NULL};
    expect_refused(aclopSetAttrBool(NULL, "a", 1), invalid, "attr is NULL");
    expect_refused(aclopSetAttrBool(attr, NULL, 1), invalid, "attrName is NULL");
    expect_refused(aclopSetAttrInt(NULL, "a", 1), invalid, "attr is NULL");
    expect_refused(aclopSetAttrFloat(attr, NULL, 1), invalid, "attrName is NULL");
    expect_refused(aclopSetAttrString(attr, "a", NULL), invalid, "attrValue is NULL");
    expect_refused(aclopSetAttrDataType(NULL, "a", ACL_FLOAT), invalid, "attr is NULL");
    expect_refused(aclopSetAttrListDataType(attr, "a", 1, NULL), invalid, "values is NULL");
    expect_refused(aclopSetAttrListBool(attr, "a", -1, NULL), invalid, "must not be negative");
    expect_refused(aclopSetAttrListInt(attr, "a", 1, NULL), invalid, "values is NULL");
    expect_refused(aclopSetAttrListFloat(attr, "a", 1, NULL), invalid, "values is NULL");
    expect_refused(aclopSetAttrListString(attr, "a", 1, strings), invalid, "values[0] is NULL");
    expect_refused(aclopSetAttrListListInt(attr, "a", 1, NULL, lists), invalid, "numValues");
    expect_refused(aclopSetAttrListListInt(attr, "a", 1, negative, lists), invalid, "negative");
    expect_refused(aclopSetAttrListListInt(attr, "a", 2, counts, lists), invalid, "values is NULL");
    rt_alloc_fail_at(1);
    expect_refused(aclopSetAttrInt(attr, "a", 1), ACL_ERROR_BAD_ALLOC, "no host memory");
    rt_alloc_fail_at(1);
    cr_expect_null(aclopCreateAttr());
    expect_text("aclopCreateAttr()", "no host memory");
    rt_alloc_fail_at(0);
    expect_told(attr, "{}"); /* nothing of that was set */
    aclopDestroyAttr(attr);
}

/* ---- Running ---- */

Test(op_compile, running_is_refused_with_the_whole_call)
{
    const int64_t dims[] = {2, 3}, stored[] = {1, 1, 16, 16};
    aclTensorDesc *x = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclTensorDesc *axis = aclCreateTensorDesc(ACL_INT64, 0, NULL, ACL_FORMAT_ND);
    aclTensorDesc *y = aclCreateTensorDesc(ACL_FLOAT16, 2, dims, ACL_FORMAT_ND);
    int64_t value = 1;
    cr_assert_eq(aclSetTensorConst(axis, &value, sizeof value), ACL_SUCCESS);
    cr_assert_eq(aclSetTensorPlaceMent(axis, ACL_MEMTYPE_HOST), ACL_SUCCESS);
    cr_assert_eq(aclSetTensorShape(y, 4, stored), ACL_SUCCESS);
    cr_assert_eq(aclSetTensorFormat(y, ACL_FORMAT_FRACTAL_NZ), ACL_SUCCESS);
    aclDataBuffer *data = aclCreateDataBuffer(&value, sizeof value);
    aclTensorDesc *inputs[] = {x, axis}, *outputs[] = {y, NULL};
    aclDataBuffer *buffers[] = {data, data};
    aclopAttr *attr = aclopCreateAttr();
    cr_assert_eq(aclopSetAttrBool(attr, "exclusive", 0), ACL_SUCCESS);
    const char *call = "called for Cumsum(FLOAT[2,3], INT64[] on the host, constant, 8 bytes) -> "
                       "(FLOAT16[2,3] stored as FRACTAL_NZ[1,1,16,16], NULL) {exclusive=false}";
    const aclTensorDesc *const *const_inputs = (const aclTensorDesc *const *)inputs;
    const aclTensorDesc *const *const_outputs = (const aclTensorDesc *const *)outputs;
    const aclDataBuffer *const *const_buffers = (const aclDataBuffer *const *)buffers;
    expect_refused(aclopCompileAndExecute("Cumsum", 2, const_inputs, const_buffers, 2,
                                          const_outputs, buffers, attr, ACL_ENGINE_SYS,
                                          ACL_COMPILE_SYS, NULL, NULL),
                   ACL_ERROR_API_NOT_SUPPORT, call);
    expect_refused(aclopCompileAndExecuteV2("Cumsum", 2, inputs, buffers, 2, outputs, buffers, attr,
                                            ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, NULL),
                   ACL_ERROR_API_NOT_SUPPORT, call);
    expect_refused(aclopExecuteV2("Cumsum", 2, inputs, buffers, 2, outputs, buffers, attr, NULL),
                   ACL_ERROR_API_NOT_SUPPORT, call);

    const aclError invalid = ACL_ERROR_INVALID_PARAM;
    expect_refused(aclopExecuteV2(NULL, 2, inputs, buffers, 1, outputs, buffers, attr, NULL),
                   invalid, "opType is NULL");
    expect_refused(aclopExecuteV2("A", -1, inputs, buffers, 1, outputs, buffers, attr, NULL),
                   invalid, "numInputs is -1");
    expect_refused(aclopExecuteV2("A", 1, NULL, buffers, 1, outputs, buffers, attr, NULL), invalid,
                   "numInputs is 1");
    expect_refused(aclopExecuteV2("A", 1, inputs, NULL, 1, outputs, buffers, attr, NULL), invalid,
                   "numInputs is 1");
    expect_refused(aclopExecuteV2("A", 1, inputs, buffers, 1, NULL, buffers, attr, NULL), invalid,
                   "numOutputs is 1");
    expect_refused(aclopExecuteV2("A", 1, inputs, buffers, -2, outputs, buffers, attr, NULL),
                   invalid, "numOutputs is -2");
    aclopDestroyAttr(attr);
    aclDestroyDataBuffer(data);
    aclDestroyTensorDesc(x);
    aclDestroyTensorDesc(axis);
    aclDestroyTensorDesc(y);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: of unequal lengths, of tensors that do not match, with scalars that do not fit, and of
 * thousands of tensors. */
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_foreach_add_scalar.h"
#include "aclnnop/aclnn_foreach_add_scalar_v2.h"

#include "tests/ops/row_refusals.h"

enum { THOUSANDS = 5000, LONGEST = 7 };

RIG_SUITE(list_refusals);

/* ---- what is refused ---- */

Test(list_refusals, of_unequal_lengths)
{
    static const struct rig_fault of_two[] = {
        {"x2.length=1", INVALID, "x2 has 1 elements", "as many as x1, 2"},
        {"x1.length=1", INVALID, "x2 has 2 elements", "as many as x1, 1"},
        {"out.length=1", INVALID, "out has 1 elements", "as many as x1, 2"},
        {"x1.length=0", INVALID, "x2 has 2 elements", "as many as x1, 0"},
    };
    static const struct rig_fault of_scalars[] = {
        {"scalars.length=1", INVALID, "scalars has 1 elements", "as many as x, 2"},
        {"x.length=1", INVALID, "has 2 elements", "as many as x, 1"},
        {"scalars[1]=null", NULLPTR, "scalars[1] is NULL", NULL},
        {"scalars=null", NULLPTR, "scalars is NULL", NULL},
        {"x=null", NULLPTR, "x is NULL", NULL},
    };
    static const struct rig_fault of_four[] = {
        {"x3.length=1", INVALID, "x3 has 1 elements", "as many as x1, 2"},
        {"scalars.dims[0]=3", INVALID, "scalars's shape is (3)", "as many elements as 2"},
    };
    CHECK_REFUSALS(operator_named("aclnnForeachAddListV2"),
                   "foreach_add_list_v2 f32 x1=[2x3,4] x2=[2x3,4] alpha=1 out=[2x3,4]", of_two,
                   any);
    CHECK_REFUSALS(operator_named("aclnnForeachMulList"),
                   "foreach_mul_list i32 x1=[2x3,4] x2=[2x3,4] out=[2x3,4]", of_two, any);
    CHECK_REFUSALS(operator_named("aclnnForeachAddScalarList"),
                   "foreach_add_scalar_list f32 x=[2x3,4] scalars=[2,3] out=[2x3,4]", of_scalars,
                   any);
    CHECK_REFUSALS(operator_named("aclnnForeachPowScalarList"),
                   "foreach_pow_scalar_list f32 x=[2x3,4] scalars=[2,3] out=[2x3,4]", of_scalars,
                   any);
    CHECK_REFUSALS(operator_named("aclnnForeachAddcdivList"),
                   "foreach_addcdiv_list f32 x1=[2x3,4] x2=[2x3,4] x3=[2x3,4] scalars=2 "
                   "out=[2x3,4]",
                   of_four, any);
}

Test(list_refusals, of_tensors_that_do_not_match)
{
    static const struct rig_fault each[] = {
        {"x1[1]=null", NULLPTR, "x1[1] is NULL", NULL},
        {"x2[0].dims[1]=4", INVALID, "x2[0] has shape (2, 4)", "(2, 3)"},
        {"out[1].dims[0]=5", INVALID, "out[1] has shape (5)", "(4)"},
        {"x2[1].rank=2", INVALID, "x2[1] has shape (4, 1)", "(4)"},
        {"x1[0].type=bool", INVALID, "x1", "BOOL"},
        {"out[1].type=i32", INVALID, "out", "INT32"},
    };
    static const struct rig_fault joined[] = {
        {"tensors[1].dims[0]=3", INVALID, "tensors[1]'s shape is (3, 4)", "(2, 3)"},
        {"tensors[1].rank=3", INVALID, "tensors[1]'s shape is (2, 4, 1)", "(2, 3)"},
        {"out.dims[1]=8", INVALID, "out's shape is (2, 8)", "(2, 7)"},
        {"tensors[0]=null", NULLPTR, "tensors[0] is NULL", NULL},
        {"tensors.length=0", INVALID, "tensors", NULL},
    };
    static const struct rig_fault stacked[] = {
        {"tensors[1].dims[1]=4", INVALID, "tensors[1]", "(2, 4)"},
        {"out.dims[1]=3", INVALID, "out's shape is (2, 3, 3)", "(2, 2, 3)"},
    };
    CHECK_REFUSALS(operator_named("aclnnForeachMaximumList"),
                   "foreach_maximum_list f32 x1=[2x3,4] x2=[2x3,4] out=[2x3,4]", each, any);
    CHECK_REFUSALS(operator_named("aclnnCat"), "cat f32 tensors=[2x3,2x4] dim=1 out=2x7", joined,
                   any);
    CHECK_REFUSALS(operator_named("aclnnStack"), "stack f32 tensors=[2x3,2x3] dim=1 out=2x2x3",
                   stacked, any);
}

/* A fraction is none of an integer's values, and a complex number none of a real one's. */
Test(list_refusals, of_scalars_that_do_not_fit)
{
    static const struct rig_fault alpha[] = {
        {"alpha.type=f32", INVALID, "alpha is of type FLOAT", "cannot be cast to INT32"},
        {"alpha.type=complex64", INVALID, "alpha is of type COMPLEX64", "cannot be cast to INT32"},
        {"alpha=null", NULLPTR, "alpha is NULL", NULL},
    };
    static const struct rig_fault other[] = {
        {"other.type=f32", INVALID, "out's data type is INT32", "FLOAT"},
        {"other.type=complex64", INVALID, "out's data type is INT32", "COMPLEX64"},
    };
    static const struct rig_fault scalar[] = {
        {"scalar.type=f32", INVALID, "out", "FLOAT"},
        {"scalar=null", NULLPTR, "scalar is NULL", NULL},
    };
    static const struct rig_fault scalars[] = {
        {"scalars[1].type=f32", INVALID, "out", "FLOAT"},
    };
    CHECK_REFUSALS(operator_named("aclnnAdd"), "add i32 self=2x3 other=2x3 alpha=1:i32 out=2x3",
                   alpha, any);
    CHECK_REFUSALS(operator_named("aclnnForeachAddListV2"),
                   "foreach_add_list_v2 i32 x1=[2x3] x2=[2x3] alpha=1:i32 out=[2x3]", alpha, any);
    CHECK_REFUSALS(operator_named("aclnnAdds"), "adds i32 self=2x3 other=1:i32 alpha=1:i32 out=2x3",
                   other, any);
    CHECK_REFUSALS(operator_named("aclnnForeachAddScalarV2"),
                   "foreach_add_scalar_v2 i32 x=[2x3,4] scalar=2:i32 out=[2x3,4]", scalar, any);
    CHECK_REFUSALS(operator_named("aclnnForeachMulScalarList"),
                   "foreach_mul_scalar_list i32 x=[2x3,4] scalars=[2:i32,3:i32] out=[2x3,4]",
                   scalars, any);
}

/* ---- thousands ---- */

struct many {
    aclrtStream stream;
    int64_t elements; /* of all */
    int64_t length[THOUSANDS], begin[THOUSANDS];
    float *from, *to;
};

static float number(int64_t i)
{
    return (float)(i % 4096) - 1000.5F;
}

/* Tensors of 0 to LONGEST - 1 elements, one behind the other. */
static void begin_many(struct many *many)
{
    many->elements = 0;
    cr_assert_eq(aclrtCreateStream(&many->stream), ACL_SUCCESS);
    for (int i = 0; i < THOUSANDS; i++) {
        many->length[i] = i % LONGEST;
        many->begin[i] = many->elements;
        many->elements += many->length[i];
    }
    const size_t bytes = (size_t)many->elements * sizeof(float);
    cr_assert_eq(aclrtMalloc((void **)&many->from, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc((void **)&many->to, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    memset(many->to, 0x55, bytes);
    for (int64_t i = 0; i < many->elements; i++)
        many->from[i] = number(i);
}

static void end_many(struct many *many)
{
    aclrtFree(many->from);
    aclrtFree(many->to);
    cr_assert_eq(aclrtDestroyStream(many->stream), ACL_SUCCESS);
}

static aclTensorList *list_of(const struct many *many, float *memory)
{
    const aclTensor *tensors[THOUSANDS];
    for (int i = 0; i < THOUSANDS; i++)
        tensors[i] = aclCreateTensor(&many->length[i], 1, ACL_FLOAT, NULL, many->begin[i],
                                     ACL_FORMAT_ND, &many->elements, 1, memory);
    aclTensorList *list = aclCreateTensorList(tensors, THOUSANDS);
    cr_assert_not_null(list);
    return list;
}

/* Phase 2 and its wait. */
static void finish(struct many *many, aclnnStatus status, uint64_t size, aclOpExecutor *executor,
                   aclnnStatus (*phase2)(void *, uint64_t, aclOpExecutor *, aclrtStream))
{
    void *workspace = NULL;
    cr_assert_eq(status, ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    if (size > 0) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    cr_assert_eq(phase2(workspace, size, executor, many->stream), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(many->stream), ACL_SUCCESS);
    if (workspace) aclrtFree(workspace);
}

static void expect_sums(const struct many *many, float more)
{
    for (int64_t i = 0; i < many->elements; i++)
        cr_assert_eq(many->to[i], number(i) + more, "element %d is %g", (int)i,
                     (double)many->to[i]);
}

Test(list_refusals, thousands_of_tensors_plus_a_scalar)
{
    static struct many many;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    float two = 2.25F;
    begin_many(&many);
    aclTensorList *x = list_of(&many, many.from), *out = list_of(&many, many.to);
    aclScalar *scalar = aclCreateScalar(&two, ACL_FLOAT);
    const aclnnStatus status =
        aclnnForeachAddScalarV2GetWorkspaceSize(x, scalar, out, &size, &executor);
    finish(&many, status, size, executor, aclnnForeachAddScalarV2);
    expect_sums(&many, two);
    aclDestroyScalar(scalar);
    aclDestroyTensorList(x);
    aclDestroyTensorList(out);
    end_many(&many);
}

Test(list_refusals, thousands_of_tensors_plus_a_number_in_memory)
{
    static struct many many;
    const int64_t one = 1;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    float *three;
    begin_many(&many);
    aclTensorList *x = list_of(&many, many.from), *out = list_of(&many, many.to);
    cr_assert_eq(aclrtMalloc((void **)&three, sizeof *three, ACL_MEM_MALLOC_HUGE_FIRST),
                 ACL_SUCCESS);
    *three = 3.75F;
    aclTensor *scalar = aclCreateTensor(&one, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &one, 1, three);
    const aclnnStatus status =
        aclnnForeachAddScalarGetWorkspaceSize(x, scalar, out, &size, &executor);
    finish(&many, status, size, executor, aclnnForeachAddScalar);
    expect_sums(&many, *three);
    aclDestroyTensor(scalar);
    aclrtFree(three);
    aclDestroyTensorList(x);
    aclDestroyTensorList(out);
    end_many(&many);
}

Test(list_refusals, thousands_of_tensors_behind_each_other)
{
    static struct many many;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    begin_many(&many);
    aclTensorList *list = list_of(&many, many.from);
    aclTensor *out = aclCreateTensor(&many.elements, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
                                     &many.elements, 1, many.to);
    const aclnnStatus status = aclnnCatGetWorkspaceSize(list, 0, out, &size, &executor);
    finish(&many, status, size, executor, aclnnCat);
    expect_sums(&many, 0);
    aclDestroyTensorList(list);
    aclDestroyTensor(out);
    end_many(&many);
}

/* The last of thousands is the one that is wrong. */
Test(list_refusals, the_last_of_thousands)
{
    static struct many many;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    begin_many(&many);
    many.length[THOUSANDS - 1]++;
    many.elements++;
    float two = 2;
    aclTensorList *out = list_of(&many, many.to);
    many.length[THOUSANDS - 1]--;
    many.elements--;
    aclTensorList *x = list_of(&many, many.from);
    aclScalar *scalar = aclCreateScalar(&two, ACL_FLOAT);
    aclGetRecentErrMsg();
    cr_expect_eq(aclnnForeachAddScalarV2GetWorkspaceSize(x, scalar, out, &size, &executor),
                 ACLNN_ERR_PARAM_INVALID);
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    cr_expect_not_null(strstr(text, "aclnnForeachAddScalarV2: out[4999]"), "%s", text);
    aclDestroyScalar(scalar);
    aclDestroyTensorList(x);
    aclDestroyTensorList(out);
    end_many(&many);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move elements, with results that share memory with what they move. */
#include <criterion/criterion.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_permute.h"

enum { ELEMENTS = 600, PIECES = 50, PIECE = 10 };

static aclrtStream stream;
static float *memory;

static void begin(void)
{
    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc((void **)&memory, ELEMENTS * sizeof *memory, ACL_MEM_MALLOC_HUGE_FIRST);
    for (int i = 0; i < ELEMENTS; i++)
        memory[i] = (float)i;
}

static void end(void)
{
    aclrtFree(memory);
    aclrtDestroyStream(stream);
    aclFinalize();
}

TestSuite(shape_overlap, .init = begin, .fini = end);

static aclTensor *dense(int64_t offset, int rank, const int64_t *sizes)
{
    const int64_t strides[] = {rank == 2 ? sizes[1] : 1, 1}, all = ELEMENTS;
    return aclCreateTensor(sizes, (uint64_t)rank, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, &all,
                           1, memory);
}

/* Phase 2 and its wait. */
static void run(aclnnStatus status, uint64_t size, aclOpExecutor *executor,
                aclnnStatus (*phase2)(void *, uint64_t, aclOpExecutor *, aclrtStream))
{
    void *workspace = NULL;
    cr_assert_eq(status, ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_gt(size, 0); /* what is overwritten must be kept */
    aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    cr_assert_eq(phase2(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    aclrtFree(workspace);
}

Test(shape_overlap, a_list_in_reverse_order_over_itself)
{
    const int64_t piece = PIECE, whole = PIECES * PIECE;
    const aclTensor *pieces[PIECES];
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    for (int i = 0; i < PIECES; i++)
        pieces[i] = dense((PIECES - 1 - i) * PIECE, 1, &piece);
    aclTensorList *list = aclCreateTensorList(pieces, PIECES);
    aclTensor *out = dense(PIECE / 2, 1, &whole);
    const aclnnStatus status = aclnnCatGetWorkspaceSize(list, 0, out, &size, &executor);
    run(status, size, executor, aclnnCat);
    for (int i = 0; i < PIECES * PIECE; i++)
        cr_assert_eq(memory[PIECE / 2 + i], (float)((PIECES - 1 - i / PIECE) * PIECE + i % PIECE),
                     "element %d is %g", i, (double)memory[PIECE / 2 + i]);
    aclDestroyTensorList(list);
    aclDestroyTensor(out);
}

Test(shape_overlap, a_tensor_reversed_in_place)
{
    const int64_t size = ELEMENTS, dim = 0;
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *tensor = dense(0, 1, &size);
    aclIntArray *dims = aclCreateIntArray(&dim, 1);
    const aclnnStatus status = aclnnFlipGetWorkspaceSize(tensor, dims, tensor, &bytes, &executor);
    run(status, bytes, executor, aclnnFlip);
    for (int i = 0; i < ELEMENTS; i++)
        cr_assert_eq(memory[i], (float)(ELEMENTS - 1 - i), "element %d", i);
    aclDestroyTensor(tensor);
    aclDestroyIntArray(dims);
}

Test(shape_overlap, a_matrix_transposed_in_place)
{
    const int64_t sizes[] = {20, 30}, turned[] = {30, 20}, order[] = {1, 0};
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *self = dense(0, 2, sizes), *out = dense(0, 2, turned);
    aclIntArray *dims = aclCreateIntArray(order, 2);
    const aclnnStatus status = aclnnPermuteGetWorkspaceSize(self, dims, out, &bytes, &executor);
    run(status, bytes, executor, aclnnPermute);
    for (int i = 0; i < ELEMENTS; i++)
        cr_assert_eq(memory[i], (float)(i % 20 * 30 + i / 20), "element %d", i);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    aclDestroyIntArray(dims);
}

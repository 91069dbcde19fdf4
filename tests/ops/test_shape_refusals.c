/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that do not broadcast, results of another shape, axes that are not there or named twice:
 * the texts have both shapes, or the axes that there are. */
#include "tests/ops/row_refusals.h"

RIG_SUITE(shape_refusals);

/* A call that is refused once its line is changed. */
struct refused {
    const char *name, *sound;
    struct rig_fault fault;
};

static void check_each(const struct refused *each, int count)
{
    for (int i = 0; i < count; i++)
        check_refusals((struct rig_refusals){operator_named(each[i].name), each[i].sound,
                                             &each[i].fault, 1, NULL});
}

#define CHECK_TABLE(table) check_each(table, LENGTH(table))

/* ---- operands of elementwise functions ---- */

Test(shape_refusals, of_operands_that_do_not_broadcast)
{
    static const struct refused each[] = {
        {"aclnnAdd",
         "add f32 self=2x3 other=2x3 alpha=1 out=2x3",
         {"other.dims[1]=4", INVALID, "other's shape is (2, 4)", "broadcast with (2, 3)"}},
        {"aclnnAdd",
         "add f32 self=2x3 other=5x1x3 alpha=1 out=5x2x3",
         {"other.dims[2]=2", INVALID, "other's shape is (5, 1, 2)", "broadcast with (2, 3)"}},
        {"aclnnMul",
         "mul i32 self=4x1x3 other=5x3 out=4x5x3",
         {"other.dims[1]=2", INVALID, "other's shape is (5, 2)", "broadcast with (4, 1, 3)"}},
        {"aclnnMaximum",
         "maximum f16 self=3 other=3 out=3",
         {"other.dims[0]=0", INVALID, "other's shape is (0)", "broadcast with (3)"}},
        {"aclnnGtTensor",
         "gt_tensor bf16 self=0x3 other=1x3 out=0x3:bool",
         {"other.dims[0]=2", INVALID, "other's shape is (2, 3)", "broadcast with (0, 3)"}},
        {"aclnnSWhere",
         "s_where f32 condition=2x1:bool self=1x3 other=2x3 out=2x3",
         {"other.dims[0]=3", INVALID, "other's shape is (3, 3)", "broadcast with (2, 3)"}},
        {"aclnnAddcmul",
         "addcmul f32 self=2x3 tensor1=2x1 tensor2=1x3 value=1 out=2x3",
         {"tensor2.dims[1]=5", INVALID, "tensor2's shape is (1, 5)", "broadcast with (2, 3)"}},
        {"aclnnAtan2",
         "atan2 f32 self=2x2x2x2x2x2x2x2 other=2 out=2x2x2x2x2x2x2x2",
         {"other.dims[0]=3", INVALID, "other's shape is (3)",
          "broadcast with (2, 2, 2, 2, 2, 2, 2, 2)"}},
    };
    CHECK_TABLE(each);
}

Test(shape_refusals, of_results_that_are_not_what_operands_broadcast_to)
{
    static const struct refused each[] = {
        {"aclnnAdd",
         "add f32 self=2x1 other=1x3 alpha=1 out=2x3",
         {"out.dims[0]=1", INVALID, "out's shape is (1, 3)", "it must be (2, 3)"}},
        {"aclnnLerp",
         "lerp f32 self=2x3 end=2x3 weight=1 out=2x3",
         {"out.rank=3", INVALID, "out's shape is (2, 3, 1)", "it must be (2, 3)"}},
        {"aclnnInplaceAdd",
         "inplace_add f32 selfRef=2x1 other=2x1 alpha=1",
         {"other.dims[1]=3", INVALID, "selfRef's shape is (2, 1)", "it must be (2, 3)"}},
        {"aclnnBitwiseAndTensor",
         "bitwise_and_tensor i8 self=scalar other=scalar out=scalar",
         {"out.rank=1", INVALID, "out's shape is (1)", "it must be ()"}},
        {"aclnnDiv",
         "div f64 self=4 other=4 out=4",
         {"out.dims[0]=5", INVALID, "out's shape is (5)", "it must be (4)"}},
    };
    CHECK_TABLE(each);
}

/* ---- axes of reductions and scans ---- */

Test(shape_refusals, of_axes_named_twice)
{
    static const struct refused each[] = {
        {"aclnnReduceSum",
         "reduce_sum f32 self=2x3x4 dims=1x2 keepDims=0 dtype=f32 out=2",
         {"dims[1]=1", INVALID, "dims", "names axis 1 twice"}},
        {"aclnnReduceSum",
         "reduce_sum f32 self=2x3x4 dims=1x2 keepDims=0 dtype=f32 out=2",
         {"dims[1]=-2", INVALID, "dims", "names axis 1 twice"}},
        {"aclnnMean",
         "mean f32 self=2x3x4 dim=0x2 keepDim=1 dtype=f32 out=1x3x1",
         {"dim[0]=2", INVALID, "dim", "names axis 2 twice"}},
        {"aclnnAmax",
         "amax i32 self=2x3x4 dim=-1x0 keepDim=0 out=3",
         {"dim[1]=2", INVALID, "dim", "names axis 2 twice"}},
        {"aclnnAny",
         "any bool self=2x3x4 dim=0x1 keepdim=0 out=4",
         {"dim[1]=-3", INVALID, "dim", "names axis 0 twice"}},
        {"aclnnLogSumExp",
         "log_sum_exp f32 self=2x3 dim=0x1 keepDim=0 out=scalar",
         {"dim[1]=0", INVALID, "dim", "names axis 0 twice"}},
        {"aclnnVar",
         "var f32 self=2x3 dim=0x1 unbiased=0 keepdim=0 out=scalar",
         {"dim[0]=-1", INVALID, "dim", "names axis 1 twice"}},
        {"aclnnLinalgVectorNorm",
         "linalg_vector_norm f32 self=2x3 ord=2 dims=0x1 keepDims=0 dtype=f32 out=scalar",
         {"dims[0]=1", INVALID, "dims", "names axis 1 twice"}},
    };
    CHECK_TABLE(each);
}

Test(shape_refusals, of_axes_that_are_not_there)
{
    static const struct refused each[] = {
        {"aclnnReduceSum",
         "reduce_sum f32 self=2x3x4 dims=2 keepDims=0 dtype=f32 out=2x3",
         {"dims[0]=3", INVALID, "dims has 3", "from -3 to 2"}},
        {"aclnnReduceSum",
         "reduce_sum f32 self=2x3x4 dims=2 keepDims=0 dtype=f32 out=2x3",
         {"dims[0]=min", INVALID, "dims has -9223372036854775808", "from -3 to 2"}},
        {"aclnnAmin",
         "amin f32 self=scalar dim=0 keepDim=0 out=scalar",
         {"dim[0]=1", INVALID, "dim has 1", "from -1 to 0"}},
        {"aclnnProdDim",
         "prod_dim f32 self=2x3 dim=1 keepDim=0 dtype=f32 out=2",
         {"dim=-3", INVALID, "dim has -3", "from -2 to 1"}},
        {"aclnnArgMax",
         "arg_max f32 self=2x3 dim=1 keepdim=0 out=2:i64",
         {"dim=2", INVALID, "dim has 2", "from -2 to 1"}},
        {"aclnnMaxDim",
         "max_dim f32 self=2x3 dim=1 keepdim=0 out=2 indices=2:i64",
         {"dim=max", INVALID, "dim has 9223372036854775807", "from -2 to 1"}},
        {"aclnnCumsum",
         "cumsum f32 self=2x3 dim=1 dtype=f32 out=2x3",
         {"dim=2", INVALID, "dim has 2", "from -2 to 1"}},
        {"aclnnCumprod",
         "cumprod f32 input=2x3 dim=1 dtype=f32 out=2x3",
         {"dim=-3", INVALID, "dim has -3", "from -2 to 1"}},
        {"aclnnSoftmax",
         "softmax f32 self=2x3 dim=1 out=2x3",
         {"dim=2", INVALID, "dim is 2", "from -2 to 1"}},
        {"aclnnCat",
         "cat f32 tensors=[2x3,2x4] dim=1 out=2x7",
         {"dim=2", INVALID, "dim is 2", "from -2 to 1"}},
        {"aclnnStack",
         "stack f32 tensors=[2x3,2x3] dim=2 out=2x3x2",
         {"dim=3", INVALID, "dim is 3", "from -3 to 2"}},
        {"aclnnIndexSelect",
         "index_select f32 self=2x3 dim=1 index=4:i64 out=2x4",
         {"dim=-3", INVALID, "dim is -3", "from -2 to 1"}},
        {"aclnnGather",
         "gather f32 self=2x3 dim=1 index=2x2:i64 out=2x2",
         {"dim=2", INVALID, "dim is 2", "from -2 to 1"}},
        {"aclnnSort",
         "sort f32 self=2x3 stable=0 dim=1 descending=0 valuesOut=2x3 indicesOut=2x3:i64",
         {"dim=2", INVALID, "dim is 2", "from -2 to 1"}},
        {"aclnnFlip", "flip f32 self=2x3 dims=1 out=2x3", {"dims[0]=2", INVALID, "dims", "2"}},
        {"aclnnPermute",
         "permute f32 self=2x3 dims=1x0 out=3x2",
         {"dims[0]=2", INVALID, "dims", "2"}},
    };
    CHECK_TABLE(each);
}

Test(shape_refusals, of_results_of_reductions)
{
    static const struct refused each[] = {
        {"aclnnReduceSum",
         "reduce_sum f32 self=2x3x4 dims=1 keepDims=0 dtype=f32 out=2x4",
         {"out.rank=3", INVALID, "out's shape is (2, 4, 1)", "it must be (2, 4)"}},
        {"aclnnReduceSum",
         "reduce_sum f32 self=2x3x4 dims=1 keepDims=1 dtype=f32 out=2x1x4",
         {"out.dims[1]=3", INVALID, "out's shape is (2, 3, 4)", "it must be (2, 1, 4)"}},
        {"aclnnAmax",
         "amax f32 self=2x3 dim=0 keepDim=0 out=3",
         {"out.dims[0]=2", INVALID, "out's shape is (2)", "it must be (3)"}},
        {"aclnnMaxDim",
         "max_dim f32 self=2x3 dim=1 keepdim=0 out=2 indices=2:i64",
         {"indices.dims[0]=3", INVALID, "indices's shape is (3)", "it must be (2)"}},
        {"aclnnCumsum",
         "cumsum f32 self=2x3 dim=1 dtype=f32 out=2x3",
         {"out.dims[1]=4", INVALID, "out's shape is (2, 4)", "it must be (2, 3)"}},
    };
    CHECK_TABLE(each);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of operators.def as calls: each row's argument names become the fields of a call. */
#include <string.h>

#include "aclnnext/aclnnext_avg_pool_grad.h"
#include "aclnnext/aclnnext_max_pool_backward.h"
#include "aclnnext/aclnnext_max_pool_grad.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_avgpool3d.h"
#include "aclnnop/aclnn_avgpool3d_backward.h"
#include "aclnnop/aclnn_global_average_pool.h"
#include "aclnnop/aclnn_global_max_pool.h"
#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool2d_backward.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"

#include "tests/bench/ours.h"

#define X          c->tensor[CASE_X]
#define DX         c->tensor[CASE_DX]
#define Y          c->tensor[CASE_Y]
#define DY         c->tensor[CASE_DY]
#define I          c->tensor[CASE_I]
#define KERNEL     c->kernel
#define STRIDE     c->stride
#define PAD        c->pad
#define PAD_END    c->pad_end
#define DILATION   c->dilation
#define LARGE_SIZE c->large
#define SMALL_SIZE c->small
#define CEIL       c->test->ceil
#define COUNT_PAD  !c->test->exclude_pad
#define DIVISOR    c->test->divisor
#define MATH       (int8_t) c->test->math
#define AUTO_PAD   c->test->auto_pad
#define ORDER      c->test->storage_order

#define LISTED(...) __VA_ARGS__
#define BENCH_OPERATOR(name, function, meaning, torch, indices, arguments)                         \
    static aclnnStatus prepare_##name(struct call *c)                                              \
    {                                                                                              \
        return function##GetWorkspaceSize(LISTED arguments, &c->workspace_size, &c->executor);     \
    }
#include "tests/bench/operators.def"
#undef BENCH_OPERATOR

static const struct {
    const char *name;
    struct call_phases phases;
} rows[] = {
#define BENCH_OPERATOR(name, function, meaning, torch, indices, arguments)                         \
    {#name, {prepare_##name, function}},
#include "tests/bench/operators.def"
#undef BENCH_OPERATOR
};

const struct call_phases *call_phases_of(const char *operator_name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, operator_name) == 0) return &rows[i].phases;
    return NULL;
}

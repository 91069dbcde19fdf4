/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals of activations that are their own. */
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_every.h"

RIG_SUITE(activation);

static void check_refused(const char *name, const char *line, aclnnStatus code, const char *words)
{
    char error[256];
    struct test_case test;
    cr_assert(case_parse(line, &test, error, sizeof error), "%s", error);
    struct rig_call call = rig_call_of(rows_every_named(name), &test);
    rig_open(&call);
    cr_expect_eq(rig_phase1(&call), code, "%s", line);
    cr_expect(strstr(aclGetRecentErrMsg(), words), "%s: %s", line, aclGetRecentErrMsg());
    rig_close(&call);
}

Test(activation, numbers_that_are_refused)
{
    check_refused("aclnnGeluV2", "gelu_v2 f32 x=3 approximate=2 y=3", INVALID, "approximate is 2");
    check_refused("aclnnGeluBackwardV2",
                  "gelu_backward_v2 f32 gradOutput=3 self=3 approximate=erf gradInput=3", INVALID,
                  "approximate is \"erf\"");
    check_refused("aclnnGeluBackwardV2",
                  "gelu_backward_v2 f32 gradOutput=3 self=3 approximate=null gradInput=3", NULLPTR,
                  "approximate is NULL");
    check_refused("aclnnCelu", "celu f32 self=3 alpha=0 out=3", INVALID, "alpha is 0");
    check_refused("aclnnInplaceCelu", "inplace_celu f16 selfRef=3 alpha=0:i32", INVALID,
                  "alpha is 0");
    check_refused("aclnnSoftshrink", "softshrink f32 self=3 lambd=-1 out=3", INVALID,
                  "lambd is -1");
    check_refused("aclnnEluBackward",
                  "elu_backward f32 gradOutput=3 alpha=-1 scale=1 inputScale=1 isResult=1 "
                  "selfOrResult=3 gradInput=3",
                  INVALID, "alpha is -1");
}

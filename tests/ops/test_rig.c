/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool2dBackward through the rig that all operators share: the rig itself must work, and
 * must see what is wrong. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/rig_refusals.h"
#include "tests/support/rows.h"

static struct rig rig;
static const struct rig_operator *const op = &rig_avg_pool2d_backward;
static const char *const STRIDED = "avg_pool2d_backward bf16 n2c3 9x8 k3 s2 p1 strided seed=3";

static void begin(void)
{
    rig_begin(&rig);
}

static void end(void)
{
    rig_end(&rig);
}

TestSuite(rig, .timeout = 600);

Test(rig, random_cases, .init = begin, .fini = end)
{
    for (int dtype = 0; dtype < CASE_FLOATS; dtype++)
        cr_assert(rig_check_random(&rig, op, (enum case_dtype)dtype, 500), "%s", rig.text);
}

Test(rig, cases_of_the_tree, .init = begin, .fini = end)
{
    cr_assert(rig_check_file(&rig, op, "avg_pool2d_backward.txt", 3000, 50), "%s", rig.text);
}

Test(rig, repeatable, .init = begin, .fini = end)
{
    cr_assert(rig_check_repeatable(&rig, op, STRIDED), "%s", rig.text);
}

Test(rig, threads)
{
    static char text[RIG_TEXT];
    cr_assert(rig_same_bits(&(const struct rig_work){op, &STRIDED, 1, 40}, 1, &rig_threads, text),
              "%s", text);
}

Test(rig, a_level_that_is_none_selects_the_best)
{
    static const char *const names[] = {"no-such-level", NULL};
    static const struct rig_setting setting = {"ACLNN_CPU_ISA", names};
    static char text[RIG_TEXT];
    cr_assert(rig_same_bits(&(const struct rig_work){op, &STRIDED, 1, 40}, 1, &setting, text), "%s",
              text);
}

Test(rig, refusals)
{
    static const struct rig_fault faults[] = {
        {"executor=null", ACLNN_ERR_PARAM_NULLPTR, "executor", "NULL"},
        {"self=null", ACLNN_ERR_PARAM_NULLPTR, "self", "NULL"},
        {"gradOutput.type=f64", ACLNN_ERR_PARAM_INVALID, "gradOutput", "DOUBLE"},
        {"gradInput.format=nc1hwc0", ACLNN_ERR_PARAM_INVALID, "gradInput", "NC1HWC0"},
        {"gradOutput.rank=5", ACLNN_ERR_PARAM_INVALID, "gradOutput", "5"},
        {"kernelSize[1]=0", ACLNN_ERR_PARAM_INVALID, "kernelSize[1]", "is 0"},
        {"padding.length=3", ACLNN_ERR_PARAM_INVALID, "padding", "3"},
        {"cubeMathType=4", ACLNN_ERR_PARAM_INVALID, "cubeMathType", "4"},
        {"gradOutput.dims[2]=3", ACLNN_ERR_PARAM_INVALID, "gradOutput", "(2, 3, 3, 5)"},
    };
    static char text[RIG_TEXT];
    struct rig_refusals table = {op, "avg_pool2d_backward f32 n2c3 8x10 k3x3 s2x2 p1x1", faults,
                                 sizeof faults / sizeof faults[0], NULL};
    cr_assert(rig_check_refusals(&table, text), "%s", text);

    /* It must see a wrong order, a wrong word and a call that is not refused. */
    struct rig_fault turned[] = {faults[5], faults[2]};
    table.faults = turned;
    table.count = 2;
    cr_assert_not(rig_check_refusals(&table, text));
    struct rig_fault wrong[] = {{"kernelSize[1]=0", ACLNN_ERR_PARAM_INVALID, "stride", NULL},
                                {"divisorOverride=5", ACLNN_ERR_PARAM_INVALID, NULL, NULL}};
    table.count = 1;
    for (int i = 0; i < 2; i++) {
        table.faults = &wrong[i];
        cr_assert_not(rig_check_refusals(&table, text));
    }
    static const char *const changes[] = {"padding.length=1", "self.type=bf16",
                                          "gradOutput.storage=1 gradOutput.strides[0]=0"};
    cr_assert(rig_check_accepted(op, table.sound, changes, 3, text), "%s", text);
}

/* ---- it sees what is wrong ---- */

static void wrong_oracle(struct rig_problem *problem)
{
    rig_avg_pool2d_backward.oracle(problem);
    problem->tensor[2].sums[7].value *= 1.01;
}

Test(rig, sees_a_wrong_element, .init = begin, .fini = end)
{
    struct rig_operator other = *op;
    other.oracle = wrong_oracle;
    cr_assert_not(rig_check_line(&rig, &other, STRIDED));
    cr_assert(strstr(rig.text, STRIDED) && strstr(rig.text, "gradInput[n0 c0 0 7]"), "%s",
              rig.text);
}

static aclnnStatus with_a_changed_input(void *workspace, uint64_t size, aclOpExecutor *executor,
                                        aclrtStream stream)
{
    aclnnStatus status = rig_avg_pool2d_backward.phase2(workspace, size, executor, stream);
    aclrtSynchronizeStream(stream);
    rig.problem.tensor[0].guard.block[0] ^= 1;
    return status;
}

Test(rig, sees_a_changed_input, .init = begin, .fini = end)
{
    struct rig_operator other = *op;
    other.phase2 = with_a_changed_input;
    cr_assert_not(rig_check_line(&rig, &other, "avg_pool2d_backward f32 n2c3 9x8 k3 s2 p1"));
    cr_assert(strstr(rig.text, "changed its input gradOutput"), "%s", rig.text);
}

static aclnnStatus with_a_changed_gap(void *workspace, uint64_t size, aclOpExecutor *executor,
                                      aclrtStream stream)
{
    aclnnStatus status = rig_avg_pool2d_backward.phase2(workspace, size, executor, stream);
    aclrtSynchronizeStream(stream);
    rig.problem.tensor[2].guard.block[0] ^= 1; /* offset=1: before the first element */
    return status;
}

Test(rig, sees_a_changed_gap, .init = begin, .fini = end)
{
    struct rig_operator other = *op;
    other.phase2 = with_a_changed_gap;
    cr_assert_not(
        rig_check_line(&rig, &other, "avg_pool2d_backward f32 n2c3 9x8 k3 s2 p1 offset=1"));
    cr_assert(strstr(rig.text, "elements of gradInput"), "%s", rig.text);
}

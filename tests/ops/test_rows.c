/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that are no more than a row of api/operators.def: the same questions to each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_every.h"
#include "tests/support/rows_table.h"

RIG_SUITE(rows);

enum { FAULTS = 128, CHANGE = 64 };

Test(rows, each_has_an_oracle)
{
    cr_assert_gt(table_rows(), 0);
    for (int i = 0; i < table_rows(); i++)
        cr_expect_not_null(table_row(i)->op.oracle, "%s has none", table_row(i)->op.name);
}

Test(rows, the_case_of_the_environment)
{
    for (int i = 0; i < table_rows(); i++)
        check_environment(&table_row(i)->op);
}

Test(rows, random_problems)
{
    for (int i = 0; i < table_rows(); i++)
        for (int j = 0; j < table_row(i)->type_count; j++)
            cr_assert(rig_check_random(&rig, &table_row(i)->op, table_row(i)->types[j], 100), "%s",
                      rig.text);
}

/* Tiles that are whole, that are not, several of them, in runs that end within a tile. */
Test(rows, directed_problems)
{
    static const char *const shapes[] = {
        "self=scalar out=scalar",
        "self=1 out=1",
        "self=1024 out=1024",
        "self=1025 out=1025",
        "self=70001 out=70001",
        "self=0 out=0",
        "self=3x0x4 out=3x0x4",
        "self=2x1x2x1x2x1x2x3 out=2x1x2x1x2x1x2x3",
        "self=300x301 out=300x301:s1x300",
        "self=300x301:s1x301 out=300x301",
        "self=300x301:s0x0 out=300x301@7",
        "self=40x50x60:s1x40x2000@3 out=40x50x60:s9000x61x1",
        "self=1500x3:s3x1 out=1500x3:s4x1",
    };
    for (int i = 0; i < table_rows(); i++) {
        const struct table_row *row = table_row(i);
        for (int j = 0; row->is_unary && j < row->type_count; j++)
            for (int k = 0; k < LENGTH(shapes); k++) {
                char line[CASE_LINE];
                snprintf(line, sizeof line, "%s %s %s data=%s seed=%d", row->op.word,
                         case_dtype_name(row->types[j]), shapes[k], k % 2 ? "special" : "plain", k);
                check_line(&row->op, line);
            }
    }
}

Test(rows, repeatable)
{
    for (int i = 0; i < table_rows(); i++) {
        char line[CASE_LINE];
        if (!table_row(i)->is_unary) continue;
        snprintf(line, sizeof line, "%s %s self=20x30:strided out=20x30 seed=5",
                 table_row(i)->op.word, case_dtype_name(table_row(i)->types[0]));
        check_repeatable(&table_row(i)->op, line);
    }
}

Test(rows_settings, threads_and_instruction_sets, .timeout = 900)
{
    for (int i = 0; i < table_rows(); i++) {
        char line[CASE_LINE];
        const char *const lines[] = {line};
        if (!table_row(i)->is_unary) continue;
        snprintf(line, sizeof line, "%s %s self=300x1001:strided out=300x1001 seed=5",
                 table_row(i)->op.word, case_dtype_name(table_row(i)->types[0]));
        check_same_bits(&table_row(i)->op, &rig_threads, lines, 1, 20);
        check_same_bits(&table_row(i)->op, &rig_isas, lines, 1, 20);
    }
}

/* ---- arguments by their names ---- */

/* Means of windows of 2 x 3 that neither overlap nor leave the plane. */
static void means(struct rig_problem *problem)
{
    const struct rig_tensor *from = &problem->tensor[0], *to = &problem->tensor[1];
    const int64_t height = to->view.dims[1], width = to->view.dims[2];
    for (int64_t i = 0; i < to->count; i++) {
        const int64_t row = i / width % height, plane = i / width / height;
        double sum = 0;
        for (int64_t j = 0; j < 6; j++)
            sum += from->values[((plane * height + row) * 2 + j / 3) * width * 3 + i % width * 3 +
                                j % 3];
        to->sums[i] = (struct oracle_sum){sum / 6, fabs(sum) + 6, 6};
    }
}

/* In any order; numbers that are not named are 0, arrays and tensors NULL. */
Test(rows, arguments_by_their_names)
{
    struct rig_operator op = *rows_every_named("aclnnAvgPool2d");
    op.word = "avg_pool2d";
    op.operand[1].role = RIG_SUM;
    op.oracle = means;
    check_line(&op, "avg_pool2d f32 out=3x4x2:ncl kernelSize=2x3 strides=2x3 paddings=0 "
                    "countIncludePad=1 self=3x8x6:strided:ncl seed=3");
    check_line(&op, "avg_pool2d f16 self=3x8x6:ncl:s48x1x8@5 kernelSize=2x3 strides=scalar "
                    "paddings=0x0 divisorOverride=6 out=3x4x2:ncl");
    cr_assert_not(rig_check_line(&rig, &op,
                                 "avg_pool2d f32 self=3x8x6 kernelSize=2x3 strides=null "
                                 "paddings=0 out=3x4x2"));
    cr_assert(strstr(rig.text, "strides is NULL"), "%s", rig.text);
}

/* An array of flags, numbers, tensors that are NULL: phase 1 sees what the line says. */
Test(rows, flags_and_tensors_that_are_null)
{
    static const char *const line =
        "convolution_backward f32 gradOutput=1x4x6x6:nchw input=1x2x8x8:nchw weight=4x2x3x3:nchw "
        "stride=1x1 padding=0x0 dilation=1x1 outputPadding=0x0 groups=1 gradWeight=4x2x3x3:nchw "
        "biasSizes=null outputMask=%s";
    static const struct {
        const char *mask, *words;
    } masks[] = {{"0x1x0", NULL}, {"1x1x0", "gradInput is NULL"}, {"0x1", "outputMask"}};
    for (int i = 0; i < LENGTH(masks); i++) {
        char text[CASE_LINE], error[256];
        struct test_case test;
        snprintf(text, sizeof text, line, masks[i].mask);
        cr_assert(case_parse(text, &test, error, sizeof error), "%s", error);
        struct rig_call call = rig_call_of(rows_every_named("aclnnConvolutionBackward"), &test);
        rig_open(&call);
        const aclnnStatus status = rig_phase1(&call);
        cr_expect_eq(status == ACLNN_SUCCESS, !masks[i].words, "%s: %d %s", text, status,
                     aclGetRecentErrMsg());
        if (masks[i].words)
            cr_expect(strstr(aclGetRecentErrMsg(), masks[i].words), "%s: %s", text,
                      aclGetRecentErrMsg());
        else
            aclDestroyAclOpExecutor(call.executor);
        rig_close(&call);
    }
}

/* ---- out in the same memory as self ---- */

enum { SHARED = 6000 };

static aclTensor *view(float *data, int64_t count, int64_t stride, int64_t offset)
{
    const int64_t storage = SHARED;
    return aclCreateTensor(&count, 1, ACL_FLOAT, &stride, offset, ACL_FORMAT_ND, &storage, 1, data);
}

/* `count` elements of one buffer, read at one offset and stride and written at another, give what
 * they give when they are apart. */
static void check_shared(const struct table_row *row, int64_t count, int64_t from_stride,
                         int64_t from_offset, int64_t to_stride, int64_t to_offset)
{
    static float data[SHARED], want[SHARED];
    void *workspace = NULL;
    struct rig_call call = {.op = &row->op};
    for (int i = 0; i < SHARED; i++)
        data[i] = want[i] = (float)(i % 2 ? -i : i) * 0.25f;
    for (int64_t i = 0; i < count; i++)
        want[to_offset + i * to_stride] =
            (float)oracle_unary_of(row->op.name)->real(data[from_offset + i * from_stride]);
    call.tensor[0] = view(data, count, from_stride, from_offset);
    call.tensor[1] = view(data, count, to_stride, to_offset);
    cr_assert_eq(rig_phase1(&call), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    const bool is_one_view = from_stride == to_stride && from_offset == to_offset;
    cr_assert_eq(call.workspace_size == 0, is_one_view);
    if (call.workspace_size > 0)
        cr_assert_eq(aclrtMalloc(&workspace, call.workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    cr_assert_eq(row->op.phase2(workspace, call.workspace_size, call.executor, rig.stream), 0);
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
    cr_assert_eq(memcmp(data, want, sizeof data), 0, "%s: %d elements, %d@%d to %d@%d",
                 row->op.name, (int)count, (int)from_stride, (int)from_offset, (int)to_stride,
                 (int)to_offset);
    if (workspace) aclrtFree(workspace);
    aclDestroyTensor(call.tensor[0]);
    aclDestroyTensor(call.tensor[1]);
}

Test(rows, out_in_the_memory_of_self)
{
    for (int i = 0; i < table_rows(); i++) {
        if (!table_row(i)->is_unary) continue;
        check_shared(table_row(i), 5000, 1, 7, 1, 7);
        check_shared(table_row(i), 2500, 2, 1, 2, 1);
        check_shared(table_row(i), 5000, 1, 0, 1, 1);
        check_shared(table_row(i), 5000, 1, 500, 1, 0);
        check_shared(table_row(i), 2500, 2, 0, 1, 2400);
        check_shared(table_row(i), 2500, 1, 1000, 2, 1);
        check_shared(table_row(i), 2500, 2, 0, 2, 1); /* interleaved: no element is shared */
    }
}

/* ---- refusals ---- */

struct faults {
    int count;
    struct rig_fault fault[FAULTS];
    char change[FAULTS][CHANGE];
};

static void add(struct faults *faults, aclnnStatus code, const char *name, const char *rest)
{
    cr_assert_lt(faults->count, FAULTS);
    char *change = faults->change[faults->count];
    snprintf(change, CHANGE, "%s%s", name, rest);
    faults->fault[faults->count++] = (struct rig_fault){change, code, name, NULL};
}

/* The same broken in each tensor, from the first-th on. */
static void add_each(struct faults *faults, const struct rig_operator *op, int first,
                     aclnnStatus code, const char *rest)
{
    for (int i = first; i < rig_operand_count(op); i++)
        add(faults, code, op->tensor[i], rest);
}

/* Another rank makes a shape another one, as does the size that a negative one replaces. */
static bool is_excused(const struct rig_fault *earlier, const struct rig_fault *later)
{
    (void)earlier;
    return strstr(later->change, ".rank=") != NULL;
}

Test(rows_refusals, in_the_order_of_the_checks)
{
    for (int i = 0; i < table_rows(); i++) {
        static struct faults faults;
        const struct rig_operator *op = &table_row(i)->op;
        char sound[CASE_LINE];
        if (!table_row(i)->is_unary) continue;
        snprintf(sound, sizeof sound, "%s f32 self=2x3x4 out=2x3x4", op->word);
        faults.count = 0;
        add(&faults, NULLPTR, "workspaceSize", "=null");
        add(&faults, NULLPTR, "executor", "=null");
        add_each(&faults, op, 0, NULLPTR, "=null");
        add_each(&faults, op, 0, INVALID, ".type=u32");
        add_each(&faults, op, 1, INVALID, ".type=f16");
        add_each(&faults, op, 0, INVALID, ".format=nc1hwc0");
        add_each(&faults, op, 0, INVALID, ".rank=9");
        add_each(&faults, op, 0, INVALID, ".dims[0]=-1");
        add_each(&faults, op, 1, INVALID, ".dims[1]=4");
        for (int j = 0; j < rig_operand_count(op); j++) {
            add(&faults, INVALID, op->tensor[j], ".strides[2]=-1");
            add(&faults, INVALID, op->tensor[j], ".offset=max");
        }
        check_refusals((struct rig_refusals){op, sound, faults.fault, faults.count, is_excused});
    }
}

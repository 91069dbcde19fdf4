/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of what chips do not take (api/chips_*.def): each row is read, and its refusal. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_mm.h"
#include "api/op_check.h"
#include "api/op_chip.h"
#include "tests/support/rig.h"
#include "tests/support/rows_every.h"

static const char *const chips[] = {"Ascend910A",  "Ascend310P3",    "Ascend310B1",
                                    "Ascend910B1", "Ascend910_9391", "Ascend950PR_9599"};

static aclTensor *make(int type, int rank, aclFormat format)
{
    int64_t ones[EX_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    static double memory[2];
    return aclCreateTensor(ones, (uint64_t)rank, (aclDataType)type, ones, 0, format, ones,
                           (uint64_t)rank, memory);
}

/* What the row's operator would be called with: the arguments that the row names, and the first
 * tensor, are this type, rank and format; all other tensors are missing. */
struct call {
    struct op_value values[RIG_SLOTS];
    int count, named;
    aclTensor *tensor;
    aclTensorList *list;
};

static bool names(const struct op_chip_row *row, const char *name)
{
    char all[512], one[96];
    snprintf(all, sizeof all, " %s ", row->arguments ? row->arguments : "");
    snprintf(one, sizeof one, " %s ", name);
    return strstr(all, one) != NULL;
}

static void open_call(struct call *call, const struct op_chip_row *row, int type, int rank,
                      aclFormat format)
{
    const struct rig_argument *arguments = rows_every(row->number)->names->argument;
    *call = (struct call){.tensor = make(type, rank, format)};
    call->list = aclCreateTensorList((const aclTensor *const[]){make(type, rank, format)}, 1);
    for (; arguments[call->count].name; call->count++) {
        struct op_value *value = &call->values[call->count];
        const struct rig_argument *argument = &arguments[call->count];
        *value = (struct op_value){.kind = argument->kind, .name = argument->name};
        if (argument->kind == OP_MATH) {
            value->integer = row->math;
            call->named += names(row, argument->name);
        } else if (row->rule == OP_CHIP_MATH && argument->kind == OP_IN) {
            value->tensor = call->tensor;
        } else if (names(row, argument->name)) {
            call->named++;
            if (argument->kind < OP_INS)
                value->tensor = call->tensor;
            else if (argument->kind <= OP_REFS)
                value->tensors = call->list;
        }
    }
}

static void close_call(struct call *call)
{
    aclDestroyTensor(call->tensor);
    aclDestroyTensorList(call->list);
}

/* A type, rank or format that is in the row's values, or is not; -1: there is none. */
static int value_of(const struct op_chip_row *row, bool is_in)
{
    static const int types[] = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE,    ACL_INT8,
                                ACL_INT16,  ACL_INT32,   ACL_INT64, ACL_UINT8,     ACL_UINT16,
                                ACL_UINT32, ACL_UINT64,  ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};
    static const int formats[] = {ACL_FORMAT_ND,   ACL_FORMAT_NCL,   ACL_FORMAT_NCHW,
                                  ACL_FORMAT_NHWC, ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC};
    const bool are_ranks = row->rule == OP_CHIP_RANKS, are_formats = row->rule == OP_CHIP_LAYOUTS;
    const int count = are_ranks     ? EX_MAX_RANK + 1
                      : are_formats ? (int)(sizeof formats / sizeof *formats)
                                    : (int)(sizeof types / sizeof *types);
    for (int i = 0; i < count; i++) {
        const int value = are_ranks ? i : are_formats ? formats[i] : types[i];
        if ((row->values >> value & 1) == is_in) return value;
    }
    return -1;
}

static int words(const char *text)
{
    int count = 1;
    for (; *text; text++)
        count += *text == ' ';
    return count;
}

static void expect(const struct op_chip_row *row, enum op_chip chip, bool is_taken)
{
    const bool is_math = row->rule == OP_CHIP_MATH, are_ranks = row->rule == OP_CHIP_RANKS;
    const bool are_formats = row->rule == OP_CHIP_LAYOUTS;
    const int value = value_of(row, is_math ? !is_taken : is_taken);
    const char *name = rows_every(row->number)->name;
    if (row->rule == OP_CHIP_LACKS && is_taken) return;
    cr_assert(value >= 0, "%s: a row that %s nothing", name, is_taken ? "takes" : "refuses");
    struct call call;
    struct op_chip_text sentence = {""};
    open_call(&call, row, are_ranks || are_formats ? ACL_FLOAT : value, are_ranks ? value : 1,
              are_formats ? (aclFormat)value : ACL_FORMAT_ND);
    if (row->arguments)
        cr_expect_eq(call.named, words(row->arguments), "%s: %s", name, row->arguments);
    /* Of this row alone: another row of the operator may refuse it too. */
    const struct op_chip_row *found = op_chip_broken(chip, (enum op_number)row->number, call.values,
                                                     call.count, chips[chip], &sentence);
    size_t count;
    const struct op_chip_row *rows = op_chip_rows(&count);
    if (is_taken)
        cr_expect(found != row, "%s: %s", name, sentence.text);
    else
        cr_expect(found && found >= rows && found <= row && found->number == row->number &&
                      strstr(sentence.text, chips[chip]),
                  "%s on %s: value %d: %s", name, chips[chip], value, sentence.text);
    close_call(&call);
}

Test(chips, each_row_refuses_and_takes)
{
    size_t count;
    const struct op_chip_row *rows = op_chip_rows(&count);
    op_chip_look();
    cr_assert(count > 1000);
    for (size_t i = 0; i < count; i++) {
        cr_expect_neq(rows[i].chips, 0);
        for (int chip = 0; chip < OP_CHIPS; chip++) {
            if ((rows[i].chips >> chip & 1) == 0) continue;
            expect(&rows[i], (enum op_chip)chip, false);
            expect(&rows[i], (enum op_chip)chip, true);
        }
    }
}

/* They are looked up as one run, and one that the chip lacks has nothing else to be said of there.
 */
Test(chips, rows_of_an_operator_stand_together)
{
    static unsigned char seen[OP_NUMBERS], lacks[OP_NUMBERS];
    size_t count;
    const struct op_chip_row *rows = op_chip_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const int number = rows[i].number;
        const bool begins = i == 0 || rows[i - 1].number != number;
        cr_expect(!begins || !seen[number], "%s", rows_every(number)->name);
        seen[number] = 1;
        cr_expect_eq(rows[i].chips & lacks[number], 0, "%s", rows_every(number)->name);
        if (rows[i].rule == OP_CHIP_LACKS) lacks[number] = rows[i].chips;
    }
}

Test(chips, names_of_chips)
{
    for (int chip = 0; chip < OP_CHIPS; chip++)
        cr_expect_eq((int)op_chip_of(chips[chip]), chip, "%s", chips[chip]);
    cr_expect_eq(op_chip_of("Ascend031"), OP_CHIPS);
}

/* --- whole calls ----------------------------------------------------------------------------- */

static void on(const char *soc, const char *strict)
{
    setenv("ACLNN_CPU_SOC", soc, 1);
    setenv("ACLNN_CPU_STRICT", strict, 1);
    cr_assert_eq(aclInit(NULL), 0);
    cr_assert_eq(aclrtSetDevice(0), 0);
}

static aclTensor *tensor_in(aclDataType type, int rank, int64_t side, aclFormat format)
{
    void *memory;
    const int64_t sizes[] = {1, 1, side, side}, strides[] = {side * side, side * side, side, 1};
    const int first = 4 - rank;
    cr_assert_eq(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    return aclCreateTensor(sizes + first, (uint64_t)rank, type, strides + first, 0, format,
                           sizes + first, (uint64_t)rank, memory);
}

static aclTensor *tensor(aclDataType type, int rank, int64_t side)
{
    return tensor_in(type, rank, side, rank == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND);
}

/* What has been planned is given up at once; *executor keeps what phase 1 said. */
static void give_up(aclnnStatus status, aclOpExecutor *executor)
{
    if (status == 0) cr_expect_eq(aclDestroyAclOpExecutor(executor), 0);
}

static aclnnStatus pool(aclDataType type, int8_t math, aclOpExecutor **executor)
{
    uint64_t size;
    const int64_t two[] = {2, 2}, none[] = {0, 0};
    aclTensor *from = tensor(type, 4, 4), *to = tensor(type, 4, 2);
    aclIntArray *kernel = aclCreateIntArray(two, 2), *pads = aclCreateIntArray(none, 2);
    const aclnnStatus status = aclnnAvgPool2dGetWorkspaceSize(from, kernel, kernel, pads, false,
                                                              true, 0, math, to, &size, executor);
    give_up(status, *executor);
    aclDestroyIntArray(kernel);
    aclDestroyIntArray(pads);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
    return status;
}

/* Of one channel, so that the axes may have either order. */
static aclnnStatus maximum(aclFormat format, aclOpExecutor **executor)
{
    uint64_t size;
    const int64_t one[] = {1, 1}, none[] = {0, 0};
    aclTensor *from = tensor_in(ACL_FLOAT, 4, 1, format), *to = tensor_in(ACL_FLOAT, 4, 1, format);
    aclTensor *indices = tensor_in(ACL_INT32, 4, 1, format);
    aclIntArray *ones = aclCreateIntArray(one, 2), *pads = aclCreateIntArray(none, 2);
    const aclnnStatus status = aclnnMaxPool2dWithIndicesGetWorkspaceSize(
        from, ones, ones, pads, ones, false, to, indices, &size, executor);
    give_up(status, *executor);
    aclDestroyIntArray(ones);
    aclDestroyIntArray(pads);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
    aclDestroyTensor(indices);
    return status;
}

static aclnnStatus product(aclDataType type, int8_t math, aclOpExecutor **executor)
{
    uint64_t size;
    aclTensor *a = tensor(type, 2, 4), *b = tensor(type, 2, 4), *c = tensor(type, 2, 4);
    const aclnnStatus status = aclnnMmGetWorkspaceSize(a, b, c, math, &size, executor);
    give_up(status, *executor);
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(c);
    return status;
}

static aclnnStatus cosine(aclDataType type, aclOpExecutor **executor)
{
    uint64_t size;
    aclTensor *from = tensor(type, 4, 2), *to = tensor(type, 4, 2);
    const aclnnStatus status = aclnnCosGetWorkspaceSize(from, to, &size, executor);
    give_up(status, *executor);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
    return status;
}

static void expect_refused(aclnnStatus status, const char *sentence)
{
    const char *text = aclGetRecentErrMsg();
    cr_expect_eq(status, ACLNN_ERR_PARAM_INVALID, "%d: %s", status, text);
    cr_expect(text && strstr(text, sentence), "%s", text);
}

Test(chips, types)
{
    aclOpExecutor *executor = NULL;
    on("Ascend310P3", "1");
    expect_refused(pool(ACL_BF16, 0, &executor),
                   "self has data type BF16; Ascend310P3 takes FLOAT or FLOAT16 there (CANN's "
                   "document of aclnnAvgPool2d in ops-nn)");
    cr_expect_null(executor);
    cr_expect_eq(pool(ACL_FLOAT16, 0, &executor), 0);
    expect_refused(product(ACL_BF16, 0, &executor), "Ascend310P3 takes FLOAT or FLOAT16 there");
}

Test(chips, math_types)
{
    aclOpExecutor *executor = NULL;
    on("Ascend910B1", "1");
    expect_refused(product(ACL_BF16, 2, &executor),
                   "cubeMathType is 2 and the operands are BF16; Ascend910B1 does not take that");
    cr_expect_eq(product(ACL_BF16, 0, &executor), 0);
    cr_expect_eq(product(ACL_FLOAT, 2, &executor), 0);
}

Test(chips, layouts)
{
    aclOpExecutor *executor = NULL;
    on("Ascend910B1", "1");
    expect_refused(maximum(ACL_FORMAT_NHWC, &executor),
                   "self has format NHWC; Ascend910B1 takes NCHW, ND, NCDHW, NC or NCL there");
    cr_expect_eq(maximum(ACL_FORMAT_NCHW, &executor), 0);
}

Test(chips, layouts_of_another_chip)
{
    aclOpExecutor *executor = NULL;
    on("Ascend950PR_9599", "1");
    cr_expect_eq(maximum(ACL_FORMAT_NHWC, &executor), 0);
}

/* Told by the checker, refused by nobody. */
Test(chips, operators_that_are_not_listed)
{
    aclOpExecutor *executor = NULL;
    on("Ascend950PR_9599", "1");
    cr_expect_eq(cosine(ACL_FLOAT, &executor), 0);
    cr_expect_eq(pool(ACL_BF16, 0, &executor), 0);
}

/* What is wrong by itself is said before. */
Test(chips, own_refusals_come_first)
{
    uint64_t size;
    aclOpExecutor *executor = NULL;
    on("Ascend950PR_9599", "1");
    cr_expect_eq(aclnnCosGetWorkspaceSize(NULL, NULL, &size, &executor), ACLNN_ERR_PARAM_NULLPTR);
}

Test(chips, nobody_asks)
{
    aclOpExecutor *executor = NULL;
    on("Ascend310P3", "0");
    cr_expect_eq(pool(ACL_BF16, 0, &executor), 0);
    cr_expect_eq(product(ACL_FLOAT, 0, &executor), 0);
}

Test(chips, chip_without_tables)
{
    aclOpExecutor *executor = NULL;
    on("Ascend031", "1");
    cr_expect_eq(pool(ACL_BF16, 0, &executor), 0);
}

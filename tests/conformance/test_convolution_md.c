/* SPDX-License-Identifier: Apache-2.0 */
/* docs/operators.md says what each convolution operator takes; here phase 1 is asked, for every
 * type, format and math type. A row that is wrong is printed as it must be. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

#define DOCUMENT ACLNN_CPU_CASES "/../../docs/operators.md"

enum { CELL = 256, LINE = 1024 };

RIG_SUITE(convolution_md);

struct named {
    int value;
    const char *name;
};

static const struct named types[] = {
    {ACL_FLOAT, "FLOAT"},   {ACL_FLOAT16, "FLOAT16"}, {ACL_BF16, "BF16"},
    {ACL_DOUBLE, "DOUBLE"}, {ACL_INT8, "INT8"},       {ACL_INT32, "INT32"},
};

static const struct named formats[] = {
    {ACL_FORMAT_NCL, "NCL"},   {ACL_FORMAT_NCHW, "NCHW"},       {ACL_FORMAT_NCDHW, "NCDHW"},
    {ACL_FORMAT_ND, "ND"},     {ACL_FORMAT_NHWC, "NHWC"},       {ACL_FORMAT_NDHWC, "NDHWC"},
    {ACL_FORMAT_HWCN, "HWCN"}, {ACL_FORMAT_NC1HWC0, "NC1HWC0"},
};

enum { TYPES = sizeof types / sizeof *types, FORMATS = sizeof formats / sizeof *formats };

static void append(char cell[CELL], const char *separator, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char cell[CELL], const char *separator, const char *format, ...)
{
    size_t used = strlen(cell);
    if (used > 0) used += (size_t)snprintf(cell + used, CELL - used, "%s", separator);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell + used, CELL - used, format, arguments);
    va_end(arguments);
}

/* A call that is accepted; (T, B, C) tensors have one axis, by channel there are two. */
static bool load(const struct rig_operator *op, int axes, struct rig_call *call)
{
    static float memory[1]; /* phase 1 reads no data */
    if (conv_is_tbc(op) && axes != 1) return false;
    if (op == &rig_conv_depthwise2d && axes != 2) return false;
    struct conv_problem p = conv_plain(op, axes, CASE_F32);
    p.groups = op == &rig_conv_depthwise2d ? 3 : 1;
    p.large_channels = op == &rig_conv_depthwise2d ? 1 : 3;
    p.small_channels = 2;
    for (int i = CONV_AXES - axes; i < CONV_AXES; i++) {
        p.large[i] = 4 + i;
        p.small[i] = 3 + i;
        p.kernel[i] = 2;
    }
    const struct test_case test = conv_case(&p);
    *call = rig_call_of(op, &test);
    for (int i = 0; i < call->operands; i++)
        call->operand[i].data = memory;
    return true;
}

static bool accepts(struct rig_call *call)
{
    rig_open(call);
    const bool is_accepted = rig_phase1(call) == ACLNN_SUCCESS;
    if (is_accepted) aclDestroyAclOpExecutor(call->executor);
    rig_close(call);
    return is_accepted;
}

static int first_axes(const struct rig_operator *op)
{
    return op == &rig_conv_depthwise2d ? 2 : 1;
}

/* One dimension: a bias or its gradient. */
static bool is_bias(const struct rig_call *call, int operand)
{
    return call->operand[operand].rank == 1;
}

static void find_types(const struct rig_operator *op, char cell[CELL])
{
    struct rig_call call;
    bool is_free = true, is_bias_free = true;
    for (int t = 0; t < TYPES; t++) {
        load(op, first_axes(op), &call);
        for (int i = 0; i < call.operands; i++)
            call.operand[i].type = (aclDataType)types[t].value;
        if (accepts(&call)) append(cell, ", ", "%s", types[t].name);
    }
    for (int i = 0; i < call.operands; i++) {
        load(op, first_axes(op), &call);
        call.operand[i].type = ACL_FLOAT16;
        bool *free_so_far = is_bias(&call, i) ? &is_bias_free : &is_free;
        *free_so_far = *free_so_far && accepts(&call);
    }
    append(cell, "; ", "%s", is_free ? "each its own" : is_bias_free ? "one, bias any" : "one");
}

static void find_formats(const struct rig_operator *op, char cell[CELL])
{
    struct rig_call call;
    for (int axes = 1; axes <= CONV_AXES; axes++) {
        char list[CELL] = "";
        for (int f = 0; f < FORMATS; f++) {
            if (!load(op, axes, &call)) continue;
            for (int i = 0; i < call.operands; i++) {
                if (is_bias(&call, i)) continue;
                call.operand[i].format = (aclFormat)formats[f].value;
                call.operand[i].keeps_order = false;
                call.operand[i].channels_at = 1;
            }
            if (accepts(&call)) append(list, " ", "%s", formats[f].name);
        }
        if (list[0]) append(cell, "; ", "%d: %s", axes + 2, list);
    }
}

static void find_math(const struct rig_operator *op, char cell[CELL])
{
    struct rig_call call;
    for (int math = -1; math <= 6; math++) {
        load(op, first_axes(op), &call);
        for (int i = 0; op->number[i]; i++)
            if (strcmp(op->number[i], "cubeMathType") == 0) call.number[i] = math;
        if (accepts(&call)) append(cell, ", ", "%d", math);
    }
}

/* The row of docs/operators.md that begins with these cells, followed by one more. */
Test(convolution_md, says_what_the_operators_do)
{
    int wrong = 0;
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++) {
        const struct rig_operator *op = rows_convolution[i];
        char cells[3][CELL] = {"", "", ""}, row[LINE];
        static char line[LINE];
        find_types(op, cells[0]);
        find_formats(op, cells[1]);
        find_math(op, cells[2]);
        snprintf(row, sizeof row, "| %s | %s | %s | %s |", op->name, cells[0], cells[1], cells[2]);
        FILE *file = fopen(DOCUMENT, "r");
        cr_assert(file != NULL, "%s cannot be read", DOCUMENT);
        bool is_found = false;
        while (!is_found && fgets(line, sizeof line, file))
            is_found = strncmp(line, row, strlen(row)) == 0;
        fclose(file);
        if (is_found) continue;
        wrong++;
        fprintf(stderr, "%s\n", row);
    }
    cr_assert_eq(wrong, 0, "%d rows of docs/operators.md are not what the operators do", wrong);
}

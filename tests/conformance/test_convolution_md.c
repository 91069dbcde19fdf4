/* SPDX-License-Identifier: Apache-2.0 */
/* docs/operators.md says what each convolution operator takes; here phase 1 is asked, for every
 * type, format and math type. A row that is wrong is printed as it must be. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/conv_rig.h"

#define DOCUMENT ACLNN_CPU_CASES "/../../docs/operators.md"

enum { CELL = 256, LINE = 1024 };

static struct conv_rig rig;

static void begin(void)
{
    conv_rig_begin(&rig);
}

static void end(void)
{
    conv_rig_end(&rig);
}

TestSuite(convolution_md, .init = begin, .fini = end);

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

/* A problem that is accepted; (T, B, C) tensors have one axis, by channel there are two. */
static bool load(enum conv_operator op, int axes)
{
    static const aclFormat first[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    if ((op == CONV_TBC || op == CONV_TBC_BACKWARD) && axes != 1) return false;
    if (op == CONV_DEPTHWISE && axes != 2) return false;
    struct conv_case test = {.op = op, .axes = axes, .mask = {true, true, true}, .seed = 1};
    test.conv = (struct oracle_conv){.batch = 2,
                                     .groups = op == CONV_DEPTHWISE ? 3 : 1,
                                     .large_channels = op == CONV_DEPTHWISE ? 1 : 3,
                                     .small_channels = 2,
                                     .large = {1, 1, 1},
                                     .small = {1, 1, 1},
                                     .kernel = {1, 1, 1},
                                     .stride = {1, 1, 1},
                                     .dilation = {1, 1, 1}};
    for (int i = ORACLE_CONV_AXES - axes; i < ORACLE_CONV_AXES; i++) {
        test.conv.large[i] = 4 + i;
        test.conv.small[i] = 3 + i;
        test.conv.kernel[i] = 2;
    }
    for (int i = 0; i < CONV_TENSORS; i++)
        test.format[i] = i == CONV_BIAS ? ACL_FORMAT_ND : first[axes - 1];
    conv_rig_load(&rig, &test);
    return true;
}

static bool accepts(void)
{
    static float memory[1];
    uint64_t size;
    aclOpExecutor *executor = NULL;
    for (int i = 0; i < CONV_TENSORS; i++) {
        rig.operand[i].data = memory; /* phase 1 reads no data */
        operand_open(&rig.operand[i]);
    }
    const bool is_accepted = conv_rig_phase1(&rig, &size, &executor) == ACLNN_SUCCESS;
    if (is_accepted) aclDestroyAclOpExecutor(executor);
    for (int i = 0; i < CONV_TENSORS; i++)
        operand_close(&rig.operand[i]);
    return is_accepted;
}

static int first_axes(enum conv_operator op)
{
    return op == CONV_DEPTHWISE ? 2 : 1;
}

static void find_types(enum conv_operator op, char cell[CELL])
{
    for (int t = 0; t < TYPES; t++) {
        load(op, first_axes(op));
        for (int i = 0; i < CONV_TENSORS; i++)
            rig.operand[i].type = (aclDataType)types[t].value;
        if (accepts()) append(cell, ", ", "%s", types[t].name);
    }
    bool is_free = true;
    for (int i = 0; i < CONV_BIAS; i++) {
        load(op, first_axes(op));
        rig.operand[i].type = ACL_FLOAT16;
        is_free = is_free && (rig.call.is_null[i] || accepts());
    }
    load(op, first_axes(op));
    rig.operand[CONV_BIAS].type = ACL_FLOAT16;
    const bool is_bias_free = accepts();
    append(cell, "; ", "%s", is_free ? "each its own" : is_bias_free ? "one, bias any" : "one");
}

static void find_formats(enum conv_operator op, char cell[CELL])
{
    for (int axes = 1; axes <= ORACLE_CONV_AXES; axes++) {
        char list[CELL] = "";
        for (int f = 0; f < FORMATS; f++) {
            if (!load(op, axes)) continue;
            for (int i = 0; i < CONV_BIAS; i++)
                rig.operand[i].format = (aclFormat)formats[f].value;
            if (accepts()) append(list, " ", "%s", formats[f].name);
        }
        if (list[0]) append(cell, "; ", "%d: %s", axes + 2, list);
    }
}

static void find_math(enum conv_operator op, char cell[CELL])
{
    for (int math = -1; math <= 6; math++) {
        load(op, first_axes(op));
        rig.call.math = math;
        if (accepts()) append(cell, ", ", "%d", math);
    }
}

/* The row of docs/operators.md that begins with these cells, followed by one more. */
Test(convolution_md, says_what_the_operators_do)
{
    int wrong = 0;
    for (int op = 0; op < CONV_OPERATORS; op++) {
        char cells[3][CELL] = {"", "", ""}, row[LINE];
        static char line[LINE];
        find_types((enum conv_operator)op, cells[0]);
        find_formats((enum conv_operator)op, cells[1]);
        find_math((enum conv_operator)op, cells[2]);
        snprintf(row, sizeof row, "| %s | %s | %s | %s |",
                 conv_operator_name((enum conv_operator)op), cells[0], cells[1], cells[2]);
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

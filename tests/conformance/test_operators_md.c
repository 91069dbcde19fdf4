/* SPDX-License-Identifier: Apache-2.0 */
/* docs/operators.md says what each operator takes; here phase 1 of every
 * operator is asked, for every type, format, number of dimensions and view. A
 * row that is wrong is printed as it must be.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rows.h"
#include "tests/support/rows_indices.h"

#define DOCUMENT ACLNN_CPU_CASES "/../../docs/operators.md"

enum { MOST_RANK = 8, CELL = 512, LINE = 4096, COLUMNS = 7 };

static const char *const headings[COLUMNS] = {
    "Operator", "Data types",   "Indices",      "Dimensions and formats",
    "Dilation", "cubeMathType", "Strided views"};

/* A problem of each that is accepted, with other extents everywhere. */
struct subject {
    const struct rig_operator *op;
    const char *line;
};

static const struct subject subjects[] = {
    {&rig_avg_pool2d, "avg_pool2d f32 n2c3 8x12 k2 s2"},
    {&rig_avg_pool2d_backward, "avg_pool2d_backward f32 n2c3 8x12 k2 s2"},
    {&rig_avg_pool3d, "avg_pool3d f32 n2c3 8x12x10 k2 s2"},
    {&rig_avg_pool3d_backward, "avg_pool3d_backward f32 n2c3 8x12x10 k2 s2"},
    {&rig_aclnnext_avg_pool_grad, "aclnnext_avg_pool_grad f32 n2c3 8x12 k2 s2"},
    {&rig_max_pool, "max_pool f32 n2c3 8x12 k2 s2"},
    {&rig_max_pool2d_with_indices, "max_pool2d_with_indices f32 n2c3 8x12 k2 s2"},
    {&rig_max_pool2d_with_indices_backward, "max_pool2d_with_indices_backward f32 n2c3 8x12 k2 s2"},
    {&rig_max_pool2d_with_mask, "max_pool2d_with_mask f32 n2c3 8x12 k2 s2"},
    {&rig_max_pool2d_with_mask_backward, "max_pool2d_with_mask_backward f32 n2c3 8x12 k2 s2"},
    {&rig_max_pool3d_with_argmax, "max_pool3d_with_argmax f32 n2c3 8x12x10 k2 s2"},
    {&rig_max_pool3d_with_argmax_backward,
     "max_pool3d_with_argmax_backward f32 n2c3 8x12x10 k2 s2"},
    {&rig_aclnnext_max_pool_grad, "aclnnext_max_pool_grad f32 n2c3 8x12 o4x6"},
    {&rig_aclnnext_max_pool_backward, "aclnnext_max_pool_backward f32 n2c3 8x12 k2 s2"},
    {&rig_adaptive_avg_pool2d, "adaptive_avg_pool2d f32 n2c3 8x12 o4x5"},
    {&rig_adaptive_avg_pool2d_backward, "adaptive_avg_pool2d_backward f32 n2c3 8x12 o4x5"},
    {&rig_adaptive_avg_pool3d, "adaptive_avg_pool3d f32 n2c3 8x12x10 o4x5x3"},
    {&rig_adaptive_avg_pool3d_backward, "adaptive_avg_pool3d_backward f32 n2c3 8x12x10 o4x5x3"},
    {&rig_adaptive_max_pool2d, "adaptive_max_pool2d f32 n2c3 8x12 o4x5 idx=i64"},
    {&rig_adaptive_max_pool2d_backward, "adaptive_max_pool2d_backward f32 n2c3 8x12 o4x5"},
    {&rig_adaptive_max_pool3d, "adaptive_max_pool3d f32 n2c3 8x12x10 o4x5x3"},
    {&rig_adaptive_max_pool3d_backward, "adaptive_max_pool3d_backward f32 n2c3 8x12x10 o4x5x3"},
    {&rig_max_unpool2d, "max_unpool2d f32 n2c3 8x12 o4x5"},
    {&rig_max_unpool2d_backward, "max_unpool2d_backward f32 n2c3 8x12 o4x5"},
    {&rig_max_unpool3d, "max_unpool3d f32 n2c3 8x12x10 o4x5x3"},
    {&rig_max_unpool3d_backward, "max_unpool3d_backward f32 n2c3 8x12x10 o4x5x3 idx=i64"},
    {&rig_global_average_pool, "global_average_pool f32 n2c3 8x12 o1x1"},
    {&rig_global_max_pool, "global_max_pool f32 n2c3 8x12 o1x1"},
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

struct named {
    int value;
    const char *name;
};

static const struct named types[] = {
    {ACL_FLOAT, "FLOAT"},   {ACL_FLOAT16, "FLOAT16"},     {ACL_BF16, "BF16"},
    {ACL_DOUBLE, "DOUBLE"}, {ACL_INT8, "INT8"},           {ACL_UINT8, "UINT8"},
    {ACL_INT16, "INT16"},   {ACL_UINT16, "UINT16"},       {ACL_INT32, "INT32"},
    {ACL_UINT32, "UINT32"}, {ACL_INT64, "INT64"},         {ACL_UINT64, "UINT64"},
    {ACL_BOOL, "BOOL"},     {ACL_COMPLEX64, "COMPLEX64"}, {ACL_STRING, "STRING"},
};

static const struct named formats[] = {
    {ACL_FORMAT_NCL, "NCL"},         {ACL_FORMAT_NCHW, "NCHW"},
    {ACL_FORMAT_NCDHW, "NCDHW"},     {ACL_FORMAT_ND, "ND"},
    {ACL_FORMAT_NHWC, "NHWC"},       {ACL_FORMAT_NDHWC, "NDHWC"},
    {ACL_FORMAT_HWCN, "HWCN"},       {ACL_FORMAT_NC, "NC"},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0"}, {ACL_FORMAT_FRACTAL_Z, "FRACTAL_Z"},
};

enum { TYPES = sizeof types / sizeof types[0], FORMATS = sizeof formats / sizeof formats[0] };

/* ---- asking ---- */

static _Alignas(64) unsigned char memory[64]; /* an address; phase 1 never touches it */

static struct test_case case_of(const struct subject *subject)
{
    struct test_case test;
    char error[256];
    cr_assert(case_parse(subject->line, &test, error, sizeof error), "%s: %s", subject->line,
              error);
    return test;
}

static struct rig_call call_of(const struct subject *subject, const struct test_case *test)
{
    struct rig_call call = rig_call_of(subject->op, test);
    for (int i = 0; i < rig_operand_count(subject->op); i++)
        call.operand[i].data = memory;
    return call;
}

static bool accepts(struct rig_call *call)
{
    rig_open(call);
    bool is_accepted = rig_phase1(call) == ACLNN_SUCCESS;
    if (is_accepted) aclDestroyAclOpExecutor(call->executor);
    rig_close(call);
    return is_accepted;
}

static void append(char cell[CELL], const char *separator, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char cell[CELL], const char *separator, const char *format, ...)
{
    size_t used = strlen(cell);
    va_list list;
    if (used > 0) used += (size_t)snprintf(cell + used, CELL - used, "%s", separator);
    va_start(list, format);
    vsnprintf(cell + used, CELL - used, format, list);
    va_end(list);
}

/* Types that are accepted for all operands that have indices, or for all that
 * have none. */
static void find_types(const struct subject *subject, bool of_indices, char cell[CELL])
{
    const struct rig_operator *op = subject->op;
    struct test_case test = case_of(subject);
    for (int t = 0; t < TYPES; t++) {
        struct rig_call call = call_of(subject, &test);
        bool has_any = false;
        for (int i = 0; i < rig_operand_count(op); i++) {
            if ((op->operand[i].tensor == CASE_I) != of_indices) continue;
            call.operand[i].type = (aclDataType)types[t].value;
            has_any = true;
        }
        if (has_any && accepts(&call)) append(cell, ", ", "%s", types[t].name);
    }
    if (cell[0] == '\0') strcpy(cell, "–");
}

/* The problem with another number of axes: extents differ, so no axis is taken
 * for another. */
static struct test_case with_axes(const struct subject *subject, int axes, bool batched)
{
    struct test_case test = case_of(subject);
    bool is_global = test.has_output && test.output[0] == 1;
    for (int i = test.axes; i < axes; i++) {
        test.input[i] = 10;
        test.output[i] = is_global ? 1 : 3;
    }
    test.axes = axes;
    test.batched = batched;
    if (!batched) test.batch = 1;
    return test;
}

enum order { REFUSED, HONOURED, IGNORED };

static bool accepts_order(const struct subject *subject, const struct test_case *test, int format,
                          bool keeps_order)
{
    struct rig_call call = call_of(subject, test);
    for (int i = 0; i < rig_operand_count(subject->op); i++) {
        call.operand[i].format = (aclFormat)format;
        call.operand[i].no_strides = true;
        call.operand[i].keeps_order = keeps_order;
    }
    return accepts(&call);
}

/* A format that lists the channels last is honoured when sizes in its order are
 * accepted. */
static enum order take_format(const struct subject *subject, const struct test_case *test,
                              int format)
{
    if (accepts_order(subject, test, format, false)) return HONOURED;
    return accepts_order(subject, test, format, true) ? IGNORED : REFUSED;
}

/* Operators of any number of axes: our own, and the global ones. */
static bool has_any_axes(const struct subject *subject)
{
    return strncmp(subject->op->name, "aclnnext", 8) == 0 || strstr(subject->op->name, "Global");
}

static enum order take_rank(const struct subject *subject, int rank, int format)
{
    int own = case_of(subject).axes;
    for (int batched = 0; batched < 2; batched++) {
        int axes = rank - 1 - batched;
        if (axes < 1 || axes > CASE_AXES || (axes != own && !has_any_axes(subject))) continue;
        struct test_case test = with_axes(subject, axes, batched);
        enum order order = take_format(subject, &test, format);
        if (order != REFUSED) return order;
    }
    return REFUSED;
}

/* A format in brackets is taken and read as channels first: a row of the document has none. */
static void find_formats(const struct subject *subject, char cell[CELL])
{
    for (int rank = 2; rank <= MOST_RANK; rank++) {
        char list[CELL] = "";
        for (int f = 0; f < FORMATS; f++) {
            enum order order = take_rank(subject, rank, formats[f].value);
            if (order == HONOURED) append(list, " ", "%s", formats[f].name);
            if (order == IGNORED) append(list, " ", "(%s)", formats[f].name);
        }
        if (list[0]) append(cell, "; ", "%d: %s", rank, list);
    }
}

static void find_dilation(const struct subject *subject, char cell[CELL])
{
    bool has_any = false;
    for (int i = 0; subject->op->array[i]; i++)
        has_any |= strncmp(subject->op->array[i], "dilation", 8) == 0;
    struct test_case test = case_of(subject);
    test.dilation_length = 1;
    test.dilation[0] = 2;
    struct rig_call call = call_of(subject, &test);
    strcpy(cell, !has_any ? "–" : accepts(&call) ? "any" : "1");
}

static void find_math(const struct subject *subject, char cell[CELL])
{
    struct test_case test = case_of(subject);
    int scalar = 0;
    while (subject->op->number[scalar] && strcmp(subject->op->number[scalar], "cubeMathType") != 0)
        scalar++;
    for (int math = -1; subject->op->number[scalar] && math < 6; math++) {
        struct rig_call call = call_of(subject, &test);
        call.number[scalar] = math;
        if (accepts(&call)) append(cell, ", ", "%d", math);
    }
    if (cell[0] == '\0') strcpy(cell, "–");
}

/* One operand at a time in memory with gaps; which are refused? */
static void find_views(const struct subject *subject, char cell[CELL])
{
    struct test_case test = case_of(subject);
    for (int i = 0; i < rig_operand_count(subject->op); i++) {
        struct rig_call call = call_of(subject, &test);
        struct operand *operand = &call.operand[i];
        for (int axis = 0; axis < operand->rank; axis++)
            operand->strides[axis] *= 2;
        operand->storage = 2 * operand->storage;
        if (!accepts(&call)) append(cell, ", ", "%s", subject->op->tensor[i]);
    }
    char list[CELL];
    snprintf(list, sizeof list, "all but %.400s", cell);
    strcpy(cell, cell[0] ? list : "all");
}

static void find_row(const struct subject *subject, char cells[COLUMNS][CELL])
{
    memset(cells, 0, COLUMNS * CELL);
    struct test_case test = case_of(subject);
    struct rig_call call = call_of(subject, &test);
    cr_assert(accepts(&call), "%s: %s", subject->line, aclGetRecentErrMsg());
    snprintf(cells[0], CELL, "%s", subject->op->name);
    find_types(subject, false, cells[1]);
    find_types(subject, true, cells[2]);
    find_formats(subject, cells[3]);
    find_dilation(subject, cells[4]);
    find_math(subject, cells[5]);
    find_views(subject, cells[6]);
}

/* ---- the document ---- */

/* The cells of "| a | b |"; true when there are COLUMNS of them at least. */
static bool split(char *line, char cells[COLUMNS][CELL])
{
    char *at = line;
    if (*at != '|') return false;
    for (int i = 0; i < COLUMNS; i++) {
        char *end = strchr(++at, '|');
        if (!end) return false;
        int length = (int)(end - at);
        while (length > 0 && *at == ' ')
            at++, length--;
        while (length > 0 && at[length - 1] == ' ')
            length--;
        snprintf(cells[i], CELL, "%.*s", length, at);
        at = end;
    }
    return true;
}

/* The row of an operator in the first table that has its name in the first
 * column. */
static bool read_row(const char *name, char cells[COLUMNS][CELL])
{
    static char line[LINE];
    FILE *file = fopen(DOCUMENT, "r");
    cr_assert(file != NULL, "%s cannot be read", DOCUMENT);
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, file))
        is_found = split(line, cells) && strcmp(cells[0], name) == 0;
    fclose(file);
    return is_found;
}

static void print_row(FILE *file, char cells[COLUMNS][CELL])
{
    for (int i = 0; i < COLUMNS; i++)
        fprintf(file, "| %s ", cells[i]);
    fprintf(file, "|\n");
}

Test(operators_md, says_what_the_operators_do, .timeout = 600)
{
    static char found[COLUMNS][CELL], written[COLUMNS][CELL];
    int wrong = 0;
    cr_assert(read_row(headings[0], written), "no table with the operators");
    for (int i = 0; i < COLUMNS; i++)
        cr_assert_str_eq(written[i], headings[i]);
    for (int i = 0; i < SUBJECTS; i++) {
        find_row(&subjects[i], found);
        bool is_right = read_row(found[0], written);
        for (int j = 0; is_right && j < COLUMNS; j++)
            is_right = strcmp(written[j], found[j]) == 0;
        if (is_right) continue;
        wrong++;
        print_row(stderr, found);
    }
    cr_assert_eq(wrong, 0, "%d rows of docs/operators.md are not what the operators do", wrong);
}

/* A name in the first column that is no operator. */
Test(operators_md, names_no_operator_that_is_not_there)
{
    static char line[LINE], cells[COLUMNS][CELL];
    FILE *file = fopen(DOCUMENT, "r");
    int rows = 0;
    cr_assert(file != NULL);
    while (fgets(line, sizeof line, file)) {
        if (!split(line, cells) || strncmp(cells[0], "aclnn", 5) != 0) continue;
        bool is_known = false;
        for (int i = 0; i < SUBJECTS; i++)
            is_known |= strcmp(subjects[i].op->name, cells[0]) == 0;
        cr_assert(is_known, "%s", cells[0]);
        rows++;
    }
    fclose(file);
    cr_assert_eq(rows, SUBJECTS, "%d rows, %d operators", rows, SUBJECTS);
}

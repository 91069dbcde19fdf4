/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that are no more than a row of api/operators.def: the same questions to each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/ops/suite.h"
#include "tests/support/oracle_elementwise.h"
#include "tests/support/rig_flight.h"
#include "tests/support/rows_all.h"
#include "tests/support/rows_every.h"
#include "tests/support/rows_table.h"

RIG_SUITE(rows);

enum { FAULTS = 256, CHANGE = 64, PROBLEMS = 60, SETTING_PROBLEMS = 12 };

Test(rows, each_has_an_oracle)
{
    cr_assert_gt(table_rows(), 0);
    for (int i = 0; i < table_rows(); i++) {
        const struct oracle_row *row = table_row(i)->op.row;
        cr_expect_not_null(row, "%s has none", table_row(i)->op.name);
        cr_expect(!row || (row->oracle && row->random), "%s has half of one",
                  table_row(i)->op.name);
    }
}

Test(rows, the_case_of_the_environment)
{
    const char *line = getenv("ACLNN_TEST_CASE");
    struct test_case test;
    char error[256];
    if (line) {
        cr_assert(case_parse(line, &test, error, sizeof error), "%s: %s", line, error);
        cr_assert_not_null(rows_all_of(&test), "no row for %s", line);
    }
    for (int i = 0; i < table_rows(); i++)
        check_environment(&table_row(i)->op);
}

/* As many problems of each row, spread over its types. */
Test(rows, random_problems)
{
    for (int i = 0; i < table_rows(); i++) {
        const struct rig_operator *op = &table_row(i)->op;
        for (int j = 0; j < op->type_count; j++)
            cr_assert(rig_check_random(&rig, op, op->types[j],
                                       (PROBLEMS + op->type_count - 1) / op->type_count),
                      "%s", rig.text);
    }
}

Test(rows, lines_of_the_oracles)
{
    for (int i = 0; i < table_rows(); i++) {
        const struct rig_operator *op = &table_row(i)->op;
        for (const char *const *line = op->row->lines; line && *line; line++)
            check_line(op, *line);
    }
}

/* ---- elementwise rows ---- */

static bool is_elementwise(const struct rig_operator *op)
{
    for (int slot = 0; op->tensor[slot]; slot++)
        if (rig_is_list(op, slot)) return false;
    return oracle_elementwise_of(op) != NULL;
}

/* A line in which each tensor that is written is `out`, the first one that is only read `self`, and
 * others are `rest`. */
static const char *line_of(const struct rig_operator *op, enum case_dtype dtype, const char *self,
                           const char *rest, const char *out, const char *end)
{
    static char line[CASE_LINE];
    bool is_first = true;
    int operand = 0, used = snprintf(line, sizeof line, "%s %s", op->word, case_dtype_name(dtype));
    const struct oracle_elementwise *one = oracle_elementwise_of(op);
    for (const struct rig_argument *at = op->names->argument; at->name; at++) {
        const bool is_read = at->kind == OP_IN || at->kind == OP_REF || at->kind == OP_OPTIONAL;
        const bool is_written = at->kind <= OP_REF && at->kind != OP_IN && at->kind != OP_OPTIONAL;
        const bool selects = is_read && one->selectors >> operand & 1;
        const char *value = is_written               ? out
                            : is_first && is_read    ? self
                            : is_read                ? rest
                            : at->kind == OP_BOOL    ? "1"
                            : dtype == CASE_BOOL     ? "true"
                            : at->kind <= OP_SCALARS ? "2"
                                                     : "1";
        operand += is_read || at->kind == OP_SCALAR || at->kind == OP_OPTIONAL_SCALAR;
        is_first &= !is_read || is_written;
        const int extents = (int)strcspn(value, ":@"); /* the type stands behind them */
        used += snprintf(line + used, sizeof line - (size_t)used, " %s=%.*s%s%s", at->name, extents,
                         value, selects ? ":bool" : "", value + extents);
    }
    snprintf(line + used, sizeof line - (size_t)used, " %s", end);
    return line;
}

/* FLOAT comes out of these, and a tensor of that type cannot hold it. */
static bool is_real_of_integers(const struct rig_operator *op, enum case_dtype dtype)
{
    return oracle_elementwise_of(op)->result == ORACLE_REAL && !oracle_is_float(dtype);
}

/* Tiles that are whole, that are not, several of them, in runs that end within a tile. */
Test(rows, directed_problems)
{
    static const char *const shapes[][3] = {
        {"scalar", "scalar", "scalar"},
        {"1", "scalar", "1"},
        {"1024", "1024", "1024"},
        {"1025", "1", "1025"},
        {"7001", "7001", "7001"},
        {"0", "1", "0"},
        {"3x0x4", "4", "3x0x4"},
        {"2x1x2x1x2x1x2x3", "2x3", "2x1x2x1x2x1x2x3"},
        {"70x101", "101", "70x101:s1x70"},
        {"70x101:s1x101", "70x1", "70x101"},
        {"70x101:s0x0", "70x101", "70x101@7"},
        {"10x50x16:s1x10x500@3", "16:s3", "10x50x16:s3000x17x1"},
        {"1500x3:s3x1", "3", "1500x3:s4x1"},
    };
    for (int i = 0; i < table_rows(); i++) {
        const struct rig_operator *op = &table_row(i)->op;
        for (int k = 0; is_elementwise(op) && k < LENGTH(shapes); k++) {
            char end[64];
            const bool is_same = strncasecmp(op->rule, "same", 4) == 0;
            const enum case_dtype dtype = op->types[k % op->type_count];
            snprintf(end, sizeof end, "data=%s seed=%d", k % 2 ? "special" : "plain", k);
            if (is_real_of_integers(op, dtype)) continue;
            check_line(op, line_of(op, dtype, shapes[k][0], is_same ? shapes[k][0] : shapes[k][1],
                                   shapes[k][2], end));
        }
    }
}

Test(rows, repeatable)
{
    for (int i = 0; i < table_rows(); i++) {
        const struct rig_operator *op = &table_row(i)->op;
        struct random random = {11};
        char line[CASE_LINE];
        if (is_elementwise(op)) {
            check_repeatable(
                op, line_of(op, op->types[0], "20x30:strided", "20x30", "20x30", "seed=5"));
            continue;
        }
        const struct test_case test = rig_random_case(op, &random, op->types[0]);
        check_repeatable(op, case_print(&test, line));
    }
}

/* The problems of some rows, all in one child for each setting. */
static struct rig_work *work;
static int work_count;

static void begin_work(void)
{
    work = calloc((size_t)table_rows(), sizeof *work);
    work_count = 0;
}

static void add_work(const struct rig_operator *op)
{
    const char **line = malloc(sizeof *line);
    const bool has_line = is_elementwise(op);
    if (has_line)
        *line =
            strdup(line_of(op, op->types[0], "300x401:strided", "300x401", "300x401", "seed=5"));
    work[work_count++] = (struct rig_work){op, line, has_line, SETTING_PROBLEMS};
}

static void check_work(const struct rig_setting *setting)
{
    static char text[RIG_TEXT];
    cr_assert(rig_same_bits(work, work_count, setting, text), "%s", text);
}

Test(rows_settings, threads, .timeout = 900)
{
    static const char *const values[] = {"1", "3", NULL};
    if (getenv("ACLNN_TEST_NOT_BEST")) return; /* the run of the best level compares them */
    begin_work();
    for (int i = 0; i < table_rows(); i++)
        add_work(&table_row(i)->op);
    check_work(&(const struct rig_setting){"ACLNN_CPU_THREADS", values});
}

/* Arithmetic has one result on all levels. */
Test(rows_settings, instruction_sets_of_exact_rows, .timeout = 900)
{
    begin_work();
    for (int i = 0; i < table_rows(); i++) {
        const struct oracle_row *row = table_row(i)->op.row;
        if (!row->by_strides && row->ulp == 0 && row->absolute == 0) add_work(&table_row(i)->op);
    }
    check_work(&rig_isas);
}

/* Other functions on the levels with FMA. */
Test(rows_settings, instruction_sets_of_other_rows, .timeout = 900)
{
    static const char *const values[] = {"avx2", NULL};
    begin_work();
    for (int i = 0; i < table_rows(); i++) {
        const struct oracle_row *row = table_row(i)->op.row;
        if (!row->by_strides && (row->ulp != 0 || row->absolute != 0)) add_work(&table_row(i)->op);
    }
    check_work(&(const struct rig_setting){"ACLNN_CPU_ISA", values});
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

/* The first operand that is read alone and the first that is written alone, of one type and shape;
 * false: there are none. */
static bool find_pair(const struct rig_problem *problem, int *from, int *to)
{
    *from = *to = -1;
    for (int i = problem->operands - 1; i >= 0; i--) {
        const struct rig_operand *one = rig_role_of(&problem->call, i);
        if (problem->call.is_null[i] || one->is_changed) continue;
        *(rig_is_output(one) ? to : from) = i;
    }
    return *from >= 0 && *to >= 0 &&
           problem->tensor[*from].view.dtype == problem->tensor[*to].view.dtype;
}

/* One buffer for two of the operands, at these strides and offsets. */
static void share(struct operand *operand, void *data, int64_t stride, int64_t offset)
{
    operand->data = data;
    operand->strides[0] = stride;
    operand->offset = offset;
    operand->span = operand->storage = SHARED;
}

/* `count` elements of one buffer, read at one offset and stride and written at another, give what
 * they give when they are apart. */
static void check_shared(const struct rig_operator *op, int64_t count, int64_t from_stride,
                         int64_t from_offset, int64_t to_stride, int64_t to_offset)
{
    struct test_case test;
    char shape[32], error[256];
    int from, to;
    snprintf(shape, sizeof shape, "%d", (int)count);
    const char *line = line_of(op, op->types[0], shape, "1", shape, "seed=3");
    if (strncasecmp(op->rule, "same", 4) == 0)
        line = line_of(op, op->types[0], shape, shape, shape, "seed=3");
    cr_assert(case_parse(line, &test, error, sizeof error), "%s", error);
    rig_load(&rig, op, &test);
    if (!find_pair(&rig.problem, &from, &to)) return;
    struct rig_flight flight = rig_prepare(&rig, op, &test);
    rig_close(&flight.call);
    void *apart[2] = {flight.call.operand[from].data, flight.call.operand[to].data};
    const size_t size = operand_element_size(flight.call.operand[from].dtype);
    unsigned char *data = calloc(SHARED, size), *want = malloc(SHARED * size);
    cr_assert(data && want);
    share(&flight.call.operand[from], data, from_stride, from_offset);
    share(&flight.call.operand[to], data, to_stride, to_offset);
    operand_write_bits(&flight.call.operand[from], rig_given(&rig.problem, from));
    memcpy(want, data, SHARED * size);
    rig_open(&flight.call);
    cr_assert_eq(rig_phase1(&flight.call), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    flight.workspace = aligned_alloc(64, (flight.call.workspace_size + 64) / 64 * 64);
    cr_assert_eq(rig_launch(&flight, rig.stream), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
    operand_read_bits(&flight.call.operand[to], rig.problem.tensor[to].bits);
    operand_read(&flight.call.operand[to], rig.problem.tensor[to].values);
    cr_assert(rig_compare(&rig), "%d@%d to %d@%d in one buffer: %s", (int)from_stride,
              (int)from_offset, (int)to_stride, (int)to_offset, rig.text);
    /* Beside the result nothing changed. */
    for (int64_t i = 0; i < count; i++)
        memcpy(want + (size_t)(to_offset + i * to_stride) * size,
               data + (size_t)(to_offset + i * to_stride) * size, size);
    cr_assert_eq(memcmp(data, want, SHARED * size), 0, "%s: other elements changed", op->name);
    flight.call.operand[from].data = apart[0];
    flight.call.operand[to].data = apart[1];
    rig_finish(&flight);
    free(data);
    free(want);
}

Test(rows, out_in_the_memory_of_self)
{
    for (int i = 0; i < table_rows(); i++) {
        const struct rig_operator *op = &table_row(i)->op;
        if (!is_elementwise(op) || is_real_of_integers(op, op->types[0])) continue;
        check_shared(op, 5000, 1, 7, 1, 7);
        check_shared(op, 2500, 2, 1, 2, 1);
        check_shared(op, 5000, 1, 0, 1, 1);
        check_shared(op, 5000, 1, 500, 1, 0);
        check_shared(op, 2500, 2, 0, 1, 2400);
        check_shared(op, 2500, 1, 1000, 2, 1);
        check_shared(op, 2500, 2, 0, 2, 1); /* interleaved: no element is shared */
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

static bool is_optional(const struct rig_argument *at)
{
    return rig_is_optional(at->kind) || at->kind >= OP_BOOL;
}

/* Null pointers in the order of the arguments. */
static void add_nulls(struct faults *faults, const struct rig_operator *op)
{
    faults->count = 0;
    add(faults, NULLPTR, "workspaceSize", "=null");
    add(faults, NULLPTR, "executor", "=null");
    for (const struct rig_argument *at = op->names->argument; at->name; at++)
        if (!is_optional(at)) add(faults, NULLPTR, at->name, "=null");
}

/* The same broken in each tensor that is read, that is written, or in all. */
enum { READ = 1, WRITTEN = 2, CHANGED = 4, ALL = 7 };

static void add_each(struct faults *faults, const struct rig_operator *op, int which,
                     const char *rest)
{
    for (int i = 0; i < rig_operand_count(op); i++) {
        const int mine = op->operand[i].is_changed        ? CHANGED
                         : rig_is_output(&op->operand[i]) ? WRITTEN
                                                          : READ;
        if (mine & which && !rig_is_list(op, i)) add(faults, INVALID, op->tensor[i], rest);
    }
}

/* Formats, ranks and sizes, which every operator looks at in this order. */
static void add_sizes(struct faults *faults, const struct rig_operator *op)
{
    add_each(faults, op, ALL, ".format=nc1hwc0");
    add_each(faults, op, ALL, ".rank=9");
    add_each(faults, op, ALL, ".dims[0]=-1");
}

static void add_views(struct faults *faults, const struct rig_operator *op)
{
    for (int i = 0; i < rig_operand_count(op); i++) {
        if (rig_is_list(op, i)) continue;
        add(faults, INVALID, op->tensor[i], ".strides[2]=-1");
        add(faults, INVALID, op->tensor[i], ".offset=max");
    }
}

/* Another rank makes a shape another one, as does the size that a negative one replaces. */
static bool is_excused(const struct rig_fault *earlier, const struct rig_fault *later)
{
    (void)earlier;
    return strstr(later->change, ".rank=") != NULL;
}

static bool is_any_excused(const struct rig_fault *earlier, const struct rig_fault *later)
{
    (void)earlier, (void)later;
    return true;
}

static void check_faults(const struct rig_operator *op, const char *sound,
                         const struct faults *faults,
                         bool (*excused)(const struct rig_fault *, const struct rig_fault *))
{
    char line[CASE_LINE];
    snprintf(line, sizeof line, "%s", sound);
    check_refusals((struct rig_refusals){op, line, faults->fault, faults->count, excused});
}

Test(rows_refusals, in_the_order_of_the_checks)
{
    static struct faults faults;
    for (int i = 0; i < table_rows(); i++) {
        const struct rig_operator *op = &table_row(i)->op;
        if (!is_elementwise(op)) continue;
        const enum case_dtype dtype = op->types[0];
        add_nulls(&faults, op);
        if (strncasecmp(op->rule, "same", 4) == 0) {
            add_each(&faults, op, ALL, ".type=string");
            for (int j = 1; j < rig_operand_count(op); j++)
                add(&faults, INVALID, op->tensor[j], dtype == CASE_F16 ? ".type=f32" : ".type=f16");
        } else {
            add_each(&faults, op, READ | CHANGED, ".type=string");
            add_each(&faults, op, WRITTEN, ".type=string");
        }
        add_sizes(&faults, op);
        add_each(&faults, op, WRITTEN, ".dims[1]=4");
        add_views(&faults, op);
        check_faults(op, line_of(op, dtype, "2x3x4", "2x3x4", "2x3x4", ""), &faults, is_excused);
    }
}

/* What phase 1 of any family must see; each alone. */
Test(rows_refusals, of_other_families)
{
    static struct faults faults;
    for (int i = 0; i < table_rows(); i++) {
        const struct rig_operator *op = &table_row(i)->op;
        if (!op->row->sound) continue;
        add_nulls(&faults, op);
        add_sizes(&faults, op);
        check_faults(op, op->row->sound, &faults, is_any_excused);
    }
}
